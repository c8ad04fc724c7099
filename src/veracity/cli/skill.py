"""`veracity route` and `veracity skill list | show | check | run`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from veracity.cli.ask import EXIT_CODES, note_trace_not_kept
from veracity.cli.options import (
    AgentOptions,
    DataOptions,
    Json,
    Language,
    opened_agent,
    opened_tables,
    read_language,
    with_options,
)
from veracity.errors import UsageError
from veracity.language.locale import printable

if TYPE_CHECKING:
    from veracity.answer.answer import Answer
    from veracity.routing import Decision
    from veracity.skills.config import Skill
    from veracity.skills.load import Loaded, SkillLibrary


app = typer.Typer(help="Look at skills, and check your own.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_(lang: Language = "en", as_json: Json = False) -> None:
    """List the skills: the shipped ones, yours and those of the project."""
    from veracity.language.locale import language
    from veracity.skills.load import load_library

    code = language(read_language(lang))
    library = load_library()
    if as_json:
        typer.echo(json.dumps([_listed_skill(one, code) for one in library.loaded.values()], ensure_ascii=False))
    else:
        _show_list([_listed_skill(one, code) for one in library.loaded.values()])


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(help="The name of a skill, or one of its prefixes.")],
    lang: Language = "en",
    as_json: Json = False,
) -> None:
    """Show one skill: what it does and how, its prompt, its quality rules, and where it comes from."""
    from veracity.language.locale import language
    from veracity.skills.load import load_library

    code = language(read_language(lang))
    library = load_library()
    found = library.loaded[library.named(name).name]
    if as_json:
        skill = found.skill.model_dump(mode="json")
        typer.echo(json.dumps({**skill, **_origin(found)}, ensure_ascii=False))
    else:
        _show_skill(found, code)


@app.command("check")
def check(
    files: Annotated[
        list[str] | None, typer.Argument(help="Skill files or folders of them. Default: all skills there are.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check skill files. Exit codes: 0 nothing is wrong, there may be warnings; 1 something is."""
    from veracity.language.locale import printable
    from veracity.skills.load import check_skills

    report = check_skills([Path(file) for file in files] if files else None)
    if as_json:
        found = {"problems": report.problems, "warnings": report.warnings, "checked": report.checked}
        typer.echo(json.dumps(found, ensure_ascii=False))
    else:
        for problem in report.problems:
            typer.echo(printable(problem))
        for warning in report.warnings:
            typer.echo(printable(f"warning: {warning}"))
        counted = (_counted(report.checked, "file"), _counted(len(report.problems), "problem"))
        typer.echo(f"{counted[0]} checked: {counted[1]}, {_counted(len(report.warnings), 'warning')}.")
    raise typer.Exit(1 if report.problems else 0)


def _counted(number: int, thing: str) -> str:
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"


def _listed_skill(one: Loaded, lang: str) -> dict[str, Any]:
    from veracity.language.locale import pick

    skill = one.skill
    prefixes = [f"/{prefix}" for prefix in (skill.name, *skill.prefixes)]
    return {
        "name": skill.name,
        "prefixes": prefixes,
        "strategy": skill.strategy,
        "description": pick(skill.description, lang),
        **_origin(one),
    }


def _origin(one: Loaded) -> dict[str, Any]:
    return {"origin": one.origin, "path": str(one.path), "overrides": [str(path) for path in one.overrides]}


def _show_list(rows: Sequence[Mapping[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from veracity.language.locale import printable

    console = Console()
    table = Table("skill", "prefixes", "strategy", "from", "what it does", box=None)
    for column in table.columns[:-1]:
        column.no_wrap = True
    for row in rows:
        short = " ".join(row["prefixes"][1:])
        cells = (row["name"], short, row["strategy"], row["origin"], row["description"])
        table.add_row(*(Text(printable(cell)) for cell in cells))
    for column in table.columns:
        column.overflow = "fold"
    console.print(table)


def _show_skill(one: Loaded, lang: str) -> None:
    from rich.console import Console
    from rich.text import Text

    from veracity.language.locale import pick, printable

    console, skill = Console(), one.skill
    console.print(Text(f"{skill.name}: {printable(pick(skill.description, lang))}", style="bold"), soft_wrap=True)
    lines = [*_facts(skill, lang), ("from", f"{one.origin}, {one.path}")]
    lines += [("in place of", str(path)) for path in one.overrides]
    width = max(len(label) for label, _value in lines)
    for label, value in lines:
        console.print(Text.assemble((f"{label:>{width}}  ", "dim"), printable(value)), soft_wrap=True)
    for title, text in (("prompt", skill.prompt), ("output", _output_schema_text(skill))):
        if text:
            console.print(Text(f"\n{title}", style="dim"))
            for line in text.splitlines():
                console.print(Text(f"  {printable(line)}"), soft_wrap=True)


def _facts(skill: Skill, lang: str) -> Iterator[tuple[str, str]]:
    """What is said of a skill in one line each; what it does not have is left out."""
    intent = skill.intent
    yield "strategy", skill.strategy
    for label, values in (
        ("tools", skill.tools),
        ("called by", [f"/{prefix}" for prefix in (skill.name, *skill.prefixes)]),
        ("keywords", intent.keywords.get(lang, ())),
        ("only its own", intent.disambiguation_keywords.get(lang, ())),
        ("confusable with", intent.confusable_with),
    ):
        if values:
            yield label, ", ".join(values)
    for example in intent.examples:
        yield "example", example
    if skill.engine is not None:
        yield "engine", skill.engine
    yield "figures", skill.figures or ("bound" if skill.tools else "input")
    yield "quality", _settings_line(skill.quality.model_dump(mode="json"))
    yield "limits", _settings_line(skill.limits.model_dump(mode="json"))


def _settings_line(values: Mapping[str, Any]) -> str:
    shown = {key: value for key, value in values.items() if value not in (None, [], ())}
    return ", ".join(f"{key} {json.dumps(value, ensure_ascii=False)}" for key, value in shown.items())


def _output_schema_text(skill: Skill) -> str:
    if skill.output_schema is None:
        return ""
    import yaml

    return yaml.safe_dump(
        skill.output_schema, allow_unicode=True, sort_keys=False, default_flow_style=None, width=110
    ).rstrip()


# --- `veracity skill run`: one skill on a text, or on a question about data


_MOST_BYTES = 1_000_000
_FAILED_GATE = 1


@app.command("run")
@with_options(without="tools assume prose")
def run(
    name: Annotated[str, typer.Argument(help="The skill, by its name or prefix; 'veracity skill list' shows them.")],
    text: Annotated[str | None, typer.Argument(help="What it works on; - reads it from standard input.")] = None,
    input_file: Annotated[Path | None, typer.Option("--input", help="A text file to work on.")] = None,
    *,
    options: AgentOptions,
) -> None:
    """Run one skill. Exit codes as for ask, and 1 for an output that does not pass the skill's quality gate."""
    from veracity.skills.load import load_library

    library = load_library()
    skill = library.named(name)
    options = replace(options, tools=skill.kind or "table")
    options.check()
    answer = _run_skill(skill, library, options, _read_input(text, input_file))
    if options.as_json:
        typer.echo(answer.model_dump_json())
    else:
        from veracity.cli.show import show_answer

        show_answer(answer)
    failed = answer.quality is not None and not answer.quality.passed and answer.outcome == "answered"
    raise typer.Exit(_FAILED_GATE if failed else EXIT_CODES[answer.outcome])


def _read_input(text: str | None, input_file: Path | None) -> str:
    """The text to work on, from wherever it was named."""
    from veracity.yaml_file import read_bytes

    if (text is None) == (input_file is None):
        raise UsageError("Give the skill one thing to work on: a text, - for standard input, or --input FILE.")
    if input_file is not None:
        raw = read_bytes(input_file, UsageError, most=_MOST_BYTES, too_long="a skill takes 200,000 characters")
    else:
        raw = sys.stdin.buffer.read(_MOST_BYTES) if text == "-" else str(text).encode("utf-8", "surrogateescape")
    return raw.decode("utf-8-sig", "replace")


def _run_skill(skill: Skill, library: SkillLibrary, options: AgentOptions, text: str) -> Answer:
    """What a skill makes of a text: with tools as a question to the agent over the data, else by the text agent."""
    from veracity.cli.live_line import live_line

    lang = read_language(options.lang)
    if skill.kind is not None:
        with opened_agent(options) as agent, live_line(quiet=options.as_json) as line:
            answer = asyncio.run(agent.ask(text, lang=lang, skill=skill.name, watch=line))
        note_trace_not_kept(agent)
        return answer
    from veracity.agent.loop import Limits
    from veracity.grounding.config import guard_for
    from veracity.llm.provider import ProviderConfig
    from veracity.open import open_text_agent

    texts = open_text_agent(
        options.model,
        provider=ProviderConfig(timeout=options.timeout),
        limits=Limits(rounds=options.rounds, seconds=options.seconds),
        schema=cast("Literal['strict', 'plain']", options.schema),
        guard=guard_for(options.guard),
    )
    with live_line(quiet=options.as_json) as line:
        answer = asyncio.run(texts.run(skill, text, library.context(skill, text), lang=lang, watch=line))
    note_trace_not_kept(texts)
    return answer


# --- `veracity route`: where a request goes, by which rule, and which words decided


_LONGEST_REQUEST = 64_000_000
_SHOWN = 60


@with_options()
def route(
    request: Annotated[str, typer.Argument(help="What somebody says; - reads it from standard input.")],
    data: DataOptions,
    as_json: Json = False,
) -> None:
    """Show where a request goes: DIRECT_CHAT, REACT (with the data and its tools) or the SKILL of its prefix."""
    from veracity.routing import Router
    from veracity.skills.load import load_library

    library = load_library()
    words = _data_words(data)
    decision = Router(data_words=words, prefixes=library.prefixes()).decide(_read_request(request))
    if decision.rule == "unknown_prefix":
        library.named(decision.words[0])
    if as_json:
        sys.stdout.buffer.write(decision.model_dump_json().encode() + b"\n")
    else:
        typer.echo(_decision_line(decision))


def _read_request(request: str) -> str:
    raw = sys.stdin.buffer.read(_LONGEST_REQUEST + 1) if request == "-" else request.encode("utf-8", "surrogateescape")
    if len(raw) > _LONGEST_REQUEST:
        raise UsageError(f"The request has more than {_LONGEST_REQUEST // 1_000_000} MB; shorten it.")
    return raw.decode("utf-8", "replace")


def _data_words(data: DataOptions) -> frozenset[str]:
    """What the data is called. Without a source an ontology tells it, and no data has to be opened or made."""
    from veracity.routing import data_words, ontology_words
    from veracity.tools.open import chosen_feature, chosen_ontology

    meaning = chosen_ontology(chosen_feature(data.source, data.feature, data.ontology), data.ontology)
    if data.source is None and meaning is not None:
        return ontology_words(meaning)
    with opened_tables(data) as tools:
        return data_words(tools.catalog)


def _decision_line(decision: Decision) -> str:
    skill = f"  {decision.skill}" if decision.skill else ""
    words = f"  ({', '.join(printable(word)[:_SHOWN] for word in decision.words)})" if decision.words else ""
    sum_ = f"  = {_computed(decision.expression)}" if decision.expression else ""
    return f"{decision.route}{skill}  rule {decision.rule}{words}{sum_}"


def _computed(expression: str) -> str:
    from veracity.language.numbers import written
    from veracity.routing import compute

    found = compute(expression)
    if isinstance(found, str):
        return found
    return written(found.value) + ("" if found.exact else f"  (rounded to {found.places} places)")
