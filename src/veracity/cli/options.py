"""The options that several commands share, each declared once, and what they open."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from getpass import getuser
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_type_hints

import typer
from typer._click.core import ParameterSource
from typer._click.globals import get_current_context

from veracity.errors import UsageError
from veracity.language.locale import LANGUAGES
from veracity.settings import DATA

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from typer._click import Command

    from veracity.ask.data_agent import DataAgent
    from veracity.contracts import AskWith
    from veracity.features.records import Progress
    from veracity.tools.tables import TableTools
    from veracity.tools.toolset import Toolset

Language = Annotated[str, typer.Option("--lang", help="Language of labels and texts: de, en or zh.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
NoOntology = Annotated[
    bool, typer.Option("--no-ontology", help="Use the conventions of a feature without an ontology.")
]
ModelSpec = Annotated[str, typer.Option("--model", envvar="VERACITY_MODEL", help="offline, openai:NAME, anthropic:NAME or http://HOST/v1[#NAME].")]  # fmt: skip

_CHOICES = {"tools": ("query", "table", "sql", "file"), "schema": ("strict", "plain"), "answers": ("bound", "text")}


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """The data that a command works on: a source, what it means, and which of its rows are read."""

    source: Annotated[str | None, typer.Option("--source", help="A DuckDB or SQLite file, CSV/JSON/Parquet/XLSX files or a folder of them, or postgresql://... Default: the shipped ledger.")] = None  # fmt: skip
    feature: Annotated[
        str | None, typer.Option("--feature", help="A feature: trustee (default), realestate or shop.")
    ] = None
    ontology: Annotated[str | None, typer.Option("--ontology", help="An ontology of your own, as YAML.")] = None
    scope: Annotated[list[str] | None, typer.Option("--scope", help="key=value: only rows with this value. Default with a feature: its demo mandate.")] = None  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOptions(DataOptions):
    """What `ask`, `chat`, `skill run`, `eval` and `benchmark` are told; each of them offers some or all of it."""

    model: ModelSpec = "offline"
    lang: Annotated[str | None, typer.Option("--lang", help="de, de-CH, de-DE, en or zh; without it, the language of the question.")] = None  # fmt: skip
    as_json: Json = False
    no_ontology: NoOntology = False
    tools: Annotated[str, typer.Option("--tools", help="query: the model says which names are meant, the program does the rest. table: checked calls. sql: the model writes SQL, checked first. file: a file is inspected, then analysed.")] = "query"  # fmt: skip
    assume: Annotated[bool, typer.Option("--assume", help="With a model: use what it takes unknown words to mean, where that is likely, instead of asking back.")] = False  # fmt: skip
    prose: Annotated[bool, typer.Option("--prose", help="With a model: let it word the answer. What it writes is checked; otherwise the program's text stays.")] = False  # fmt: skip
    guard: Annotated[str | None, typer.Option("--guard", help="What the guard looks for and lets pass, as YAML.")] = None  # fmt: skip
    schema: Annotated[str, typer.Option("--schema", help="strict: tool schemas with enums. plain: for endpoints that do not take them.")] = "strict"  # fmt: skip
    answers: Annotated[str, typer.Option("--answers", help="bound: figures are expressions. text: for models that cannot write them; figures are bound after the fact.")] = "bound"  # fmt: skip
    rounds: Annotated[int, typer.Option("--rounds", min=1, max=100, help="Model turns at most.")] = 8
    seconds: Annotated[float, typer.Option("--seconds", min=0.001, max=86_400, help="Seconds a question may take.")] = 300.0  # fmt: skip
    timeout: Annotated[float, typer.Option("--timeout", min=0, max=86_400, help="Seconds one request to the model may take; 0 means 60.")] = 120.0  # fmt: skip

    def check(self) -> None:
        """Raise `UsageError` for what can be seen to be wrong before anything is opened."""
        read_scope(self.scope)
        for name, known in _CHOICES.items():
            if (value := getattr(self, name)) not in known:
                raise UsageError(f"--{name} is {' or '.join(known)}, not {value[:40]!r}.")
        if self.prose and self.model == "offline":
            raise UsageError("--prose needs a model that words the answer; name one with --model.")


def with_options(*, order: str = "", without: str = "") -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace the parameter of a command that is an options class by the options that this class declares.

    They stand where the parameter stands. What `without` names is not offered and keeps its default. Where own options
    of the command stand between those of the class, `order` names all that it offers, as its help lists them; of two
    with the same name, the command's own is offered.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = dict(inspect.signature(command, eval_str=True).parameters)
        holder = next(name for name, one in own.items() if is_dataclass(one.annotation))
        before = list(own).index(holder)
        kind: Any = own.pop(holder).annotation
        declared = {name: one for name, one in _declared(kind).items() if name not in {*own, *without.split()}}
        if order:
            named = order.split()
            names = [*(name for name in own if name not in named), *named]
        else:
            names = [*list(own)[:before], *declared, *list(own)[before:]]
        offered = [(own.get(name) or declared[name]).replace(kind=inspect.Parameter.KEYWORD_ONLY) for name in names]

        @wraps(command)
        def expanded(**given: Any) -> None:
            taken = {name: given.pop(name) for name in names if name not in own}
            if is_flag("source") or is_flag("feature"):
                # Another source: what environment and file say of theirs does not hold for it.
                taken.update({name: None for name in DATA if name in taken and not is_flag(name)})
            command(**given, **{holder: kind(**taken)})

        expanded.__annotations__ = {one.name: one.annotation for one in offered}
        expanded.__signature__ = inspect.Signature(offered)  # type: ignore[attr-defined]  # inspect reads it
        return expanded

    return decorate


def _declared(kind: Any) -> dict[str, inspect.Parameter]:
    """The fields of an options class as parameters of a command."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        one.name: inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if one.default is MISSING else one.default,
            annotation=hints[one.name],
        )
        for one in fields(kind)
    }


def is_flag(name: str) -> bool:
    """Whether the command that runs was given this option on its command line."""
    found = get_current_context(silent=True)
    return found is not None and found.get_parameter_source(name) is ParameterSource.COMMANDLINE


def said_elsewhere(command: Command, values: Mapping[str, Any]) -> dict[str, Any]:
    """What the environment and `veracity.toml` say, as defaults for the options of a command and of those below it.

    A model is one for every command; the rest is for those that work on data.
    """
    options = {one.name or "" for one in command.params if one.param_type_name == "option"}
    wanted = options & values.keys() if options >= set(DATA) else options & {"model"} & values.keys()
    below = getattr(command, "commands", {})
    return {
        **{name: _as_typed(values[name]) for name in wanted},
        **{name: said_elsewhere(one, values) for name, one in below.items()},
    }


def _as_typed(value: Any) -> Any:
    """A value as one types it; a scope has an entry for each column."""
    if isinstance(value, Mapping):
        return [f"{key}={held}" for key, held in value.items()]
    return value


# --- what the options mean


def read_scope(entries: list[str] | None) -> dict[str, str]:
    """`key=value` entries as a mapping."""
    scope: dict[str, str] = {}
    for entry in entries or ():
        key, found, value = entry.partition("=")
        if not found or not key.strip():
            raise UsageError(f"--scope {entry!r} is not key=value.")
        if key.strip() in scope:
            raise UsageError(f"--scope names {key.strip()} twice.")
        scope[key.strip()] = value
    return scope


def read_language(code: str | None) -> str | None:
    """The code of a language that answers can be given in."""
    if code is not None and re.split(r"[-_.]", code.lower())[0] not in LANGUAGES:
        raise UsageError(f"--lang is de, de-CH, de-DE, en or zh, not {code[:40]!r}.")
    return code


def user_name() -> str:
    """The name of whoever runs the command, for decisions and answers that are kept with a name."""
    try:
        return getuser()
    except (KeyError, OSError):
        # A container may run under a number that no user has.
        return "unknown"


# --- what they open


@contextmanager
def opened_tables(data: DataOptions, *, use_ontology: bool = True) -> Iterator[TableTools]:
    """The table tools of some data; the shipped data is made on first use, with a progress bar."""
    from veracity.tools.open import open_tables

    scope = read_scope(data.scope)
    with building() as progress:
        tools = open_tables(
            data.source,
            feature=data.feature,
            ontology=data.ontology,
            scope=scope,
            use_ontology=use_ontology,
            progress=progress,
        )
    note_scope(tools, source=data.source, feature=data.feature, scope=scope)
    try:
        yield tools
    finally:
        tools.close()


@contextmanager
def opened_agent(options: AgentOptions) -> Iterator[DataAgent]:
    """The agent of these options."""
    from veracity.agent.loop import Limits
    from veracity.grounding.config import guard_for
    from veracity.llm.provider import ProviderConfig
    from veracity.open import open_agent

    scope = read_scope(options.scope)
    what = ("looking at the tables", "tables") if options.source else ()
    with building(*what) as progress:
        agent = open_agent(
            options.source,
            feature=options.feature,
            ontology=options.ontology,
            scope=scope,
            model=options.model,
            provider=ProviderConfig(timeout=options.timeout),
            limits=Limits(rounds=options.rounds, seconds=options.seconds),
            tools=cast("AskWith", options.tools),
            assume=options.assume,
            prose=options.prose,
            guard=guard_for(options.guard),
            schema=cast("Literal['strict', 'plain']", options.schema),
            answers=cast("Literal['bound', 'text']", options.answers),
            use_ontology=not options.no_ontology,
            progress=progress,
        )
    try:
        note_scope(agent.tools, source=options.source, feature=options.feature, scope=scope)
        if agent.semantic is not None and agent.semantic.tables.catalog.notes != agent.tools.catalog.notes:
            for note in agent.semantic.tables.catalog.notes:
                typer.echo(f"note: {note}", err=True)
        yield agent
    finally:
        agent.close()


def note_scope(tools: Toolset, *, source: str | None, feature: str | None, scope: Mapping[str, str]) -> None:
    """Tell somebody that a draft is used, or that their ledger is read in the scope of the demo, because they named no other."""
    for note in tools.catalog.notes:
        typer.echo(f"note: {note}", err=True)
    if feature and source and not scope:
        values = ", ".join(f"{key}={value}" for key, value in tools.catalog.scope.values.items())
        typer.echo(f"note: no --scope given, so only rows of the demo mandate are read ({values}).", err=True)


@contextmanager
def building(what: str = "building the demo data", unit: str = "rows") -> Iterator[Progress]:
    """A progress bar on standard error that appears with the first step and vanishes at the end."""
    from rich.console import Console

    console = Console(stderr=True)
    started: list[Bar] = []

    def step(done: int, total: int) -> None:
        if not started:
            started.append(_started_bar(console, what, unit))
        started[0].update(started[0].task_ids[0], completed=done, total=total)

    def say_nothing(_done: int, _total: int) -> None:
        """Show nothing: in a file, a bar would only be an empty line."""

    try:
        yield step if console.is_terminal else say_nothing
    finally:
        for bar in started:
            bar.stop()


def _started_bar(console: Console, what: str, unit: str) -> Bar:
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as RichProgress

    columns = (TextColumn(what), BarColumn(), TextColumn(f"{{task.completed}}/{{task.total}} {unit}".rstrip()))
    bar = RichProgress(*columns, console=console, transient=True)
    bar.add_task("build", total=None)
    bar.start()
    return bar
