"""`veracity skill run`: one skill on a text, or on a question about data."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from veracity.cli.ask import (
    EXIT_CODES,
    AnswerLanguage,
    Answers,
    AskOptions,
    GuardFile,
    ModelSpec,
    Rounds,
    SchemaStyle,
    Seconds,
    Timeout,
    note,
    opened_agent,
)
from veracity.cli.live import live_line
from veracity.cli.options import (
    FeatureName,
    Json,
    NoOntology,
    OntologyFile,
    ScopeValues,
    Source,
    read_language,
    read_scope,
)
from veracity.errors import UsageError

if TYPE_CHECKING:
    from veracity.answer.answer import Answer
    from veracity.skills.config import Skill
    from veracity.skills.load import SkillLibrary

_MOST_BYTES = 1_000_000
_FAILED_GATE = 1


def run(
    name: Annotated[str, typer.Argument(help="The skill, by its name or prefix; 'veracity skill list' shows them.")],
    text: Annotated[str | None, typer.Argument(help="What it works on; - reads it from standard input.")] = None,
    input_file: Annotated[Path | None, typer.Option("--input", help="A text file to work on.")] = None,
    source: Source = None,
    feature: FeatureName = None,
    ontology: OntologyFile = None,
    scope: ScopeValues = None,
    model: ModelSpec = "offline",
    lang: AnswerLanguage = None,
    as_json: Json = False,
    no_ontology: NoOntology = False,
    guard: GuardFile = None,
    schema: SchemaStyle = "strict",
    answers: Answers = "bound",
    rounds: Rounds = 8,
    seconds: Seconds = 300.0,
    timeout: Timeout = 120.0,
) -> None:
    """Run one skill. Exit codes as for ask, and 1 for an output that does not pass the skill's quality gate."""
    from veracity.skills.load import load_library

    library = load_library()
    skill = library.named(name)
    options = AskOptions(
        source,
        feature,
        ontology,
        read_scope(scope),
        model,
        no_ontology,
        skill.kind or "table",
        guard,
        schema,
        answers,
        rounds,
        seconds,
        timeout,
    )
    given = _given(text, input_file)
    answer = _worked(skill, library, options, given, read_language(lang), quiet=as_json)
    if as_json:
        typer.echo(answer.model_dump_json())
    else:
        from veracity.cli.answers import show_answer

        show_answer(answer)
    failed = answer.quality is not None and not answer.quality.passed and answer.outcome == "answered"
    raise typer.Exit(_FAILED_GATE if failed else EXIT_CODES[answer.outcome])


def _given(text: str | None, input_file: Path | None) -> str:
    """The text to work on, from wherever it was named."""
    from veracity.documents import read_bytes

    if (text is None) == (input_file is None):
        raise UsageError("Give the skill one thing to work on: a text, - for standard input, or --input FILE.")
    if input_file is not None:
        raw = read_bytes(input_file, UsageError, most=_MOST_BYTES, too_long="a skill takes 200,000 characters")
    else:
        raw = sys.stdin.buffer.read(_MOST_BYTES) if text == "-" else str(text).encode("utf-8", "surrogateescape")
    return raw.decode("utf-8-sig", "replace")


def _worked(
    skill: Skill, library: SkillLibrary, options: AskOptions, text: str, lang: str | None, *, quiet: bool
) -> Answer:
    if skill.kind is not None:
        with opened_agent(options) as agent, live_line(quiet=quiet) as line:
            answer = asyncio.run(agent.ask(text, lang=lang, skill=skill.name, watch=line))
        note(agent)
        return answer
    from veracity.agent import Limits
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
    with live_line(quiet=quiet) as line:
        answer = asyncio.run(texts.run(skill, text, library.context(skill, text), lang=lang, watch=line))
    note(texts)
    return answer
