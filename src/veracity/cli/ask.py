"""`veracity ask`, `veracity chat`: questions in, answers with their proof out."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from veracity.cli.options import (
    FeatureName,
    Json,
    NoOntology,
    OntologyFile,
    ScopeValues,
    Source,
    building,
    note_scope,
    read_language,
    read_scope,
)
from veracity.cli.show import live_line
from veracity.errors import UsageError, VeracityError
from veracity.language.locale import printable

if TYPE_CHECKING:
    from veracity.ask.conversation import Conversation
    from veracity.ask.data_agent import DataAgent
    from veracity.contracts import ToolKind
    from veracity.skills.text_agent import TextAgent

EXIT_CODES = {"answered": 0, "clarify": 3, "abstained": 4, "blocked": 5}
_CHOICES = {"tools": ("table", "sql", "file"), "schema": ("strict", "plain"), "answers": ("bound", "text")}
_COMMANDS = "/why shows the proof, /new starts over, /quit ends, /SKILL ... runs a skill"

AnswerLanguage = Annotated[str | None, typer.Option("--lang", help="de, de-CH, de-DE, en or zh; without it, the language of the question.")]  # fmt: skip
ModelSpec = Annotated[str, typer.Option("--model", envvar="VERACITY_MODEL", help="offline, openai:NAME, anthropic:NAME or http://HOST/v1[#NAME].")]  # fmt: skip
ToolKind = Annotated[str, typer.Option("--tools", help="table: checked calls. sql: the model writes SQL, checked first. file: a file is inspected, then analysed.")]  # fmt: skip
GuardFile = Annotated[str | None, typer.Option("--guard", help="What the guard looks for and lets pass, as YAML.")]
SchemaStyle = Annotated[str, typer.Option("--schema", help="strict: tool schemas with enums. plain: for endpoints that do not take them.")]  # fmt: skip
Answers = Annotated[str, typer.Option("--answers", help="bound: figures are expressions. text: for models that cannot write them; figures are bound after the fact.")]  # fmt: skip
Rounds = Annotated[int, typer.Option("--rounds", min=1, max=100, help="Model turns at most.")]
Seconds = Annotated[float, typer.Option("--seconds", min=0.001, max=86_400, help="Seconds a question may take.")]
Timeout = Annotated[float, typer.Option("--timeout", min=0, max=86_400, help="Seconds one request to the model may take; 0 means 60.")]  # fmt: skip


def ask(
    question: Annotated[
        str, typer.Argument(help="Your question, in German, English or Chinese; - reads it from standard input.")
    ],
    source: Source = None,
    feature: FeatureName = None,
    ontology: OntologyFile = None,
    scope: ScopeValues = None,
    model: ModelSpec = "offline",
    lang: AnswerLanguage = None,
    as_json: Json = False,
    no_ontology: NoOntology = False,
    tools: ToolKind = "table",
    guard: GuardFile = None,
    schema: SchemaStyle = "strict",
    answers: Answers = "bound",
    rounds: Rounds = 8,
    seconds: Seconds = 300.0,
    timeout: Timeout = 120.0,
) -> None:
    """Ask one question, or run a skill on it: "/sql ...". Exit codes: 0 answered, 3 asked back, 4 abstained, 5 blocked, 2 wrong usage or no model."""
    options = AskOptions(
        source,
        feature,
        ontology,
        read_scope(scope),
        model,
        no_ontology,
        tools,
        guard,
        schema,
        answers,
        rounds,
        seconds,
        timeout,
    )
    text = _readable(sys.stdin.buffer.read() if question == "-" else question.encode("utf-8", "surrogateescape"))
    lang = read_language(lang)
    with opened_agent(options) as agent, live_line(quiet=as_json) as line:
        answer = asyncio.run(agent.ask(text, lang=lang, watch=line))
    note(agent)
    if as_json:
        typer.echo(answer.model_dump_json())
    else:
        from veracity.cli.show import show_answer

        show_answer(answer)
    raise typer.Exit(EXIT_CODES[answer.outcome])


def chat(
    source: Source = None,
    feature: FeatureName = None,
    ontology: OntologyFile = None,
    scope: ScopeValues = None,
    model: ModelSpec = "offline",
    lang: AnswerLanguage = None,
    no_ontology: NoOntology = False,
    tools: ToolKind = "table",
    guard: GuardFile = None,
    schema: SchemaStyle = "strict",
    answers: Answers = "bound",
    rounds: Rounds = 8,
    seconds: Seconds = 300.0,
    timeout: Timeout = 120.0,
) -> None:
    """Talk about your data: follow-up questions, /why for the proof of the last answer, /new to start over, /quit."""
    options = AskOptions(
        source,
        feature,
        ontology,
        read_scope(scope),
        model,
        no_ontology,
        tools,
        guard,
        schema,
        answers,
        rounds,
        seconds,
        timeout,
    )
    lang = read_language(lang)
    with opened_agent(options) as agent:
        typer.echo(f"{agent.tools.source.name}, model {agent.model_name}. {_COMMANDS}.")
        _talk(agent, lang)


def _readable(question: bytes) -> str:
    """The question in characters that can be sent and stored."""
    text = question.decode("utf-8", "replace").strip()
    if not text:
        raise UsageError("There is no question; write one in quotes.")
    return text


def note(agent: DataAgent | TextAgent) -> None:
    """What went wrong beside the answer, said once."""
    if agent.note:
        typer.echo(f"note: this is not kept as a trace. {printable(agent.note)}", err=True)
        agent.note = None


# --- a conversation


def _talk(agent: DataAgent, lang: str | None) -> None:
    from veracity.ask.conversation import Conversation

    talk = Conversation()
    with asyncio.Runner() as runner:
        for line in _lines():
            if line in ("/quit", "/exit", "/q"):
                break
            if line == "/new":
                talk = Conversation()
                typer.echo("A new conversation.")
            elif line == "/why":
                _why(talk)
            else:
                _turn(runner, agent, line, lang, talk)


def _turn(runner: asyncio.Runner, agent: DataAgent, line: str, lang: str | None, talk: Conversation) -> None:
    from veracity.cli.show import show_answer

    try:
        question = _readable(line.encode("utf-8", "surrogateescape"))
        with live_line() as watch:
            answer = runner.run(agent.ask(question, lang=lang, conversation=talk, watch=watch))
    except KeyboardInterrupt:
        typer.echo("stopped.", err=True)
    except VeracityError as error:
        # The conversation goes on: a dead endpoint may come back.
        typer.echo(f"veracity: {printable(str(error))}", err=True)
    else:
        note(agent)
        show_answer(answer, proof=False)


def _why(talk: Conversation) -> None:
    from veracity.cli.show import show_proof

    if talk.last is None:
        typer.echo("Nothing was answered yet.")
    else:
        show_proof(talk.last)


def _lines() -> Iterator[str]:
    """What is typed, line by line; Ctrl-C gives up a line, Ctrl-D or the end of a file ends."""
    at_terminal = sys.stdin.isatty()
    if at_terminal:
        with suppress(ImportError):
            import readline  # noqa: F401  # gives `input` its editing keys and history
    while True:
        try:
            if at_terminal:
                typer.echo()
            line = input("? " if at_terminal else "").strip()
        except EOFError:
            if at_terminal:
                typer.echo()
            return
        except KeyboardInterrupt:
            if not at_terminal:
                raise
            typer.echo(f"\n({_COMMANDS}.)")
            continue
        if line:
            yield line


# --- from options to an agent


@dataclass(frozen=True, slots=True)
class AskOptions:
    """What the options of `ask`, `chat` and `skill run` say."""

    source: str | None
    feature: str | None
    ontology: str | None
    scope: Mapping[str, str]
    model: str
    no_ontology: bool
    tools: str
    guard: str | None
    schema: str
    answers: str
    rounds: int
    seconds: float
    timeout: float

    def __post_init__(self) -> None:
        for name, known in _CHOICES.items():
            if (value := getattr(self, name)) not in known:
                raise UsageError(f"--{name} is {' or '.join(known)}, not {value[:40]!r}.")


@contextmanager
def opened_agent(options: AskOptions) -> Iterator[DataAgent]:
    """The agent these options mean."""
    from veracity.agent.loop import Limits
    from veracity.grounding.config import guard_for
    from veracity.llm.provider import ProviderConfig
    from veracity.open import open_agent

    with building() as progress:
        agent = open_agent(
            options.source,
            feature=options.feature,
            ontology=options.ontology,
            scope=options.scope,
            model=options.model,
            provider=ProviderConfig(timeout=options.timeout),
            limits=Limits(rounds=options.rounds, seconds=options.seconds),
            tools=cast("ToolKind", options.tools),
            guard=guard_for(options.guard),
            schema=cast("Literal['strict', 'plain']", options.schema),
            answers=cast("Literal['bound', 'text']", options.answers),
            use_ontology=not options.no_ontology,
            progress=progress,
        )
    try:
        note_scope(agent.tools, source=options.source, feature=options.feature, scope=options.scope)
        yield agent
    finally:
        agent.close()
