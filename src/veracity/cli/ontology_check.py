"""`veracity ontology check | diff`: an ontology held against its data, and two versions of one side by side."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import DataOptions, Json, Language, building, read_scope, with_options
from veracity.errors import OntologyError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from veracity.ontology.descriptor import OntologyDescriptor
    from veracity.query.findings import OntologyFinding
    from veracity.tools.tables import TableTools

_FORMATS = ("text", "json", "sarif")

Against = Annotated[str | None, typer.Option("--against", "--source", help="The data: a DuckDB or SQLite file, CSV/JSON/Parquet/XLSX files or a folder of them, or postgresql://... Default: the shipped ledger.")]  # fmt: skip
Gold = Annotated[list[str] | None, typer.Option("--questions", help="Gold questions to ask, too, as YAML or JSON; may be given several times. Default with the shipped ledger: its own.")]  # fmt: skip

Examples = Annotated[bool, typer.Option("--examples", help="Show rows and answers that do not fit: these are data.")]


@with_options(order="source feature ontology scope questions ask form as_json examples lang")
def check(
    data: DataOptions,
    source: Against = None,
    questions: Gold = None,
    ask: Annotated[
        bool, typer.Option("--ask/--no-ask", help="Whether the example and gold questions are asked.")
    ] = True,
    form: Annotated[str, typer.Option("--format", help="text, json or sarif (2.1.0, for code scanning).")] = "text",
    as_json: Json = False,
    examples: Examples = False,
    lang: Language = "en",
) -> None:
    """Test an ontology against a source: keys, relations, units, invariants, views, measures and questions.

    Exit code 1 when anything does not fit, 2 when it cannot be checked.
    """
    from veracity.cli.check_report import OntologyReport
    from veracity.language.locale import language

    form = "json" if as_json else form
    if form not in _FORMATS:
        raise UsageError(f"--format is {', '.join(_FORMATS[:-1])} or {_FORMATS[-1]}, not {form[:40]!r}.")
    found = _checked(replace(data, source=source), language(lang), questions, ask=ask)
    findings = found.findings if examples else [one.model_copy(update={"example": None}) for one in found.findings]
    report = OntologyReport(found.ontology, found.path, findings, found.asked)
    written = {"text": report.text, "json": report.json, "sarif": report.sarif}[form]()
    if written:
        typer.echo(written)
    raise typer.Exit(1 if report.fails else 0)


@dataclass(frozen=True, slots=True)
class _Checked:
    """What came of a check."""

    ontology: OntologyDescriptor
    path: Path | None
    """Where it is written, if it is a file of the user's own."""
    findings: Sequence[OntologyFinding]
    asked: int | None
    """How many questions were asked; None where they could not be."""


def _checked(data: DataOptions, lang: str, questions: list[str] | None, *, ask: bool) -> _Checked:
    from pathlib import Path

    from veracity.sources.source import Scope
    from veracity.tools.open import chosen_feature, chosen_ontology, opened_source
    from veracity.tools.tables import TableTools

    chosen = chosen_feature(data.source, data.feature, data.ontology)
    ontology = chosen_ontology(chosen, data.ontology)
    if ontology is None:
        whose = f"The feature {chosen.code} has no ontology to check" if chosen else "There is no ontology to check"
        raise UsageError(f"{whose}; name one with --ontology or --feature.")
    given = read_scope(data.scope)
    # The shipped gold questions are about the shipped data, in its own scope.
    shipped = chosen is not None and data.source is None and not given
    gold = _gold(questions, chosen.code if chosen and shipped else None) if ask else {}
    with building() as progress:
        source = opened_source(data.source, chosen, progress=progress)
    try:
        scope = Scope(dict(chosen.scope(given) if chosen else given))
        tools = TableTools(source, ontology=ontology, scope=scope)
        findings, asked = asyncio.run(_findings(tools, lang, gold, ask=ask))
    finally:
        source.close()
    path = Path(data.ontology) if data.ontology else None
    return _Checked(ontology, path, findings, asked)


def _gold(questions: list[str] | None, feature: str | None) -> dict[str, Path]:
    """The files with gold questions, by what they are called."""
    from pathlib import Path

    from veracity.cli.evaluate import questions_file
    from veracity.evals.cases import SHIPPED, shipped_cases

    if questions is None:
        return {feature: shipped_cases(feature)} if feature in SHIPPED else {}
    return {name: Path(questions_file(name)) for name in questions}


async def _findings(
    tools: TableTools, lang: str, gold: dict[str, Path], *, ask: bool
) -> tuple[list[OntologyFinding], int | None]:
    """What the checks find; questions are only asked where the ontology can be used at all."""
    from veracity.evals.cases import load_cases
    from veracity.evals.example_questions import QuestionChecks
    from veracity.open import agent_over
    from veracity.semantic.ontology_check import check_ontology, first_wrong_meaning

    ontology = tools.catalog.ontology
    assert ontology is not None
    cases = {str(path): load_cases(path) for path in gold.values()}
    found = await check_ontology(ontology, tools.source, lang=lang, catalog=tools.catalog)
    if not ask:
        return found, 0
    if tools.catalog.missing or not tools.catalog.entities or first_wrong_meaning(tools.catalog) is not None:
        return found, None
    questions = QuestionChecks(agent_over(tools))
    found += await questions.ontology()
    for path, several in cases.items():
        found += await questions.gold(several, path)
    return found, len(questions.asked)


def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="The ontology as it was, as YAML.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The ontology as it is now.")],
    as_json: Json = False,
) -> None:
    """Say what was added, removed and changed between two versions, and whether answers may change."""
    from veracity.ontology.diff import compared, in_words
    from veracity.ontology.load import load_ontology

    one, other = load_ontology(before), load_ontology(after)
    if one.feature_code != other.feature_code:
        raise OntologyError(
            f"{before} is about {one.feature_code} and {after} about {other.feature_code}: "
            "they are not two versions of one ontology; give them the same featureCode to compare them."
        )
    found = compared(one, other)
    if as_json:
        typer.echo(json.dumps(json.loads(found.model_dump_json()), ensure_ascii=False))
    else:
        typer.echo(in_words(found))
