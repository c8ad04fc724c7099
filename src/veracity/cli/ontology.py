"""`veracity ontology show | prompt | schema`; each of the other commands is in a file of its own."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli import exchange, ontology_check, teach
from veracity.cli.draft import draft
from veracity.cli.options import DataOptions, Json, Language, opened_tables, with_options

if TYPE_CHECKING:
    from rich.table import Table

    from veracity.ontology.descriptor import OntologyDescriptor

app = typer.Typer(
    help="Look at an ontology, compile it, and hold it against its data.", no_args_is_help=True, rich_markup_mode=None
)
app.command("teach")(teach.teach)
app.add_typer(teach.app, name="taught")
app.command("import")(exchange.import_)
app.command("export")(exchange.export)
app.command("draft")(draft)


@app.command("show")
@with_options()
def show(
    data: DataOptions,
    lang: Language = "en",
    as_json: Json = False,
) -> None:
    """Show entities, relations, rules and patterns; with a source, only if it has what they name."""
    from veracity.language.locale import language
    from veracity.tools.open import chosen_feature, chosen_ontology

    chosen = chosen_feature(data.source, data.feature, data.ontology)
    found = chosen_ontology(chosen, data.ontology)
    if data.source is not None:
        with opened_tables(data):
            pass
    if found is None:
        typer.echo(
            f"{f'The feature {chosen.code}' if chosen else 'The source'} has no ontology; it runs on the conventions."
        )
        return
    if as_json:
        typer.echo(found.model_dump_json(exclude_defaults=True))
    else:
        _show_ontology(found, language(lang))


def _show_ontology(ontology: OntologyDescriptor, lang: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from veracity.language.locale import pick

    console = Console()
    kinds = Counter(entity.semantic_type.value for entity in ontology.entities)
    console.print(Text(f"{ontology.feature_code}: {len(ontology.entities)} entities, {len(ontology.relations)} relations, {len(ontology.constraints)} rules, {sum(map(len, ontology.questions.values()))} questions", style="bold"))  # fmt: skip
    console.print(Text(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())), style="dim"))
    # Names are what a reader came for: they fold rather than being cut.
    entities = Table("entity", "label", "is", "rows", title="Entities", title_justify="left", box=None)
    for entity in ontology.entities:
        span = entity.number_range
        rows = ", ".join(span.like) if span else ", ".join(entity.grain)
        home = "view" if entity.view else "table" if entity.table else "concept"
        entities.add_row(entity.name, Text(pick(entity.label, lang)), home, rows)
    rules = Table("rule", "on", "message", title="Rules", title_justify="left", box=None)
    for rule in ontology.constraints:
        rules.add_row(rule.rule, ", ".join(rule.applies_to), Text(pick(rule.message, lang)))
    questions = Table("question", title="Questions", title_justify="left", box=None)
    for question in ontology.questions.get(lang, ()):
        questions.add_row(Text(question.question))
    patterns = Table("pattern", "example", title="Patterns", title_justify="left", box=None)
    for pattern in ontology.canonical_patterns:
        examples = pattern.questions.get(lang) or next(iter(pattern.questions.values()), ("",))
        patterns.add_row(pattern.intent, Text(str(examples[0])))
    guesses = Table("not confirmed, so not used", "question", title="Guesses", title_justify="left", box=None)
    for where, asked in ontology.unconfirmed:
        guesses.add_row(Text(where), Text(pick(asked, lang)))
    for table in (entities, *_semantic_tables(ontology, lang), guesses, rules, questions, patterns):
        if not table.row_count:
            continue
        for column in table.columns:
            column.overflow = "fold"
        console.print(table)


def _semantic_tables(ontology: OntologyDescriptor, lang: str) -> list[Table]:
    """Measures, segments, and relations that say more than which field holds the key; none that would be empty."""
    from rich.table import Table
    from rich.text import Text

    from veracity.language.locale import pick

    dates = Table("entity", "known by", "date", title="Names and dates", title_justify="left", box=None)
    measures = Table("measure", "label", "of", "is", title="Measures", title_justify="left", box=None)
    segments = Table("segment", "label", "of", "where", title="Segments", title_justify="left", box=None)
    relations = Table("relation", "from", "to", "by", "words", title="Relations", title_justify="left", box=None)
    for entity in ontology.entities:
        if entity.display or entity.dated_by:
            dates.add_row(entity.name, ", ".join(entity.display), entity.dated_by)
        for measure in entity.measures:
            told = ", ".join(part for part in (measure.formula, measure.unit, measure.date) if part)
            measures.add_row(measure.name, Text(pick(measure.label, lang)), entity.name, Text(told))
        for segment in entity.segments:
            segments.add_row(segment.name, Text(pick(segment.label, lang)), entity.name, Text(segment.where))
    for one in ontology.relations:
        if not one.is_plain:
            words = Text(", ".join(one.words(lang)))
            relations.add_row(one.name or "", one.from_entity, one.to_entity, Text(one.joins), words)
    return [table for table in (dates, measures, segments, relations) if table.row_count]


@app.command("prompt")
@with_options()
def prompt(
    data: DataOptions,
    lang: Language = "en",
    question: Annotated[
        str | None, typer.Option("--question", help="Add the patterns nearest to this question.")
    ] = None,
) -> None:
    """Print the prompt block that a model gets."""
    from veracity.features import get_feature
    from veracity.language.locale import language, pick
    from veracity.ontology.compiler import compile_prompt, nearest_patterns, schema_prompt
    from veracity.query.catalog import field_types

    with opened_tables(data) as tools:
        types, found = field_types(tools.catalog), tools.catalog.ontology
    if found is None:
        hints = pick(get_feature(data.feature).hints, language(lang)) if data.feature else ""
        typer.echo(schema_prompt(types, hints, lang), nl=False)
        return
    patterns = nearest_patterns(found.canonical_patterns, question) if question else []
    typer.echo(compile_prompt(found, lang, types=types, patterns=patterns), nl=False)


@app.command("schema")
@with_options()
def schema(
    data: DataOptions,
    by_table: Annotated[
        bool, typer.Option("--by-table", help="Tie fields to their table; not for OpenAI-style strict mode.")
    ] = False,
    lang: Language = "en",
) -> None:
    """Print the JSON schemas of the tools."""
    from veracity.ontology.schema import tool_schemas
    from veracity.query.catalog import entity_shapes
    from veracity.query.model import VOCABULARY
    from veracity.semantic.graph import SemanticModel
    from veracity.semantic.schema import query_tool

    _ = lang  # accepted as everywhere; schemas hold names, which have no language
    with opened_tables(data) as tools:
        schemas = tool_schemas(entity_shapes(tools.catalog), VOCABULARY, style="by-table" if by_table else "strict")
        schemas += [query_tool(SemanticModel(tools.catalog))]
    typer.echo(json.dumps(schemas, ensure_ascii=False, indent=2))


app.command("check")(ontology_check.check)
app.command("diff")(ontology_check.diff)
