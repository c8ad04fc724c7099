"""`veracity ontology teach`, `veracity ontology taught list | undo | export`: words that people add to an ontology."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import AgentOptions, DataOptions, Json, opened_agent, read_language, user_name, with_options
from veracity.errors import UsageError
from veracity.language.locale import printable

if TYPE_CHECKING:
    from veracity.agent.taught_store import TaughtStore
    from veracity.ask.teaching import Definition

app = typer.Typer(help="Look at what was taught, undo it, or take it into the YAML.", no_args_is_help=True, rich_markup_mode=None)  # fmt: skip

Means = Annotated[str | None, typer.Option("--means", help="A word that is known: of an entity, a field, a measure, a segment or a stored value; or Entity.field.")]  # fmt: skip
SegmentOf = Annotated[str | None, typer.Option("--segment", help="Teach some rows of this entity: those that meet --where.")]  # fmt: skip
MeasureOf = Annotated[str | None, typer.Option("--measure", help="Teach a figure of this entity: its --aggregate of an --expression.")]  # fmt: skip
Where = Annotated[str | None, typer.Option("--where", help="A condition over fields of the entity, as in the YAML.")]
Aggregate = Annotated[str | None, typer.Option("--aggregate", help="SUM, AVG, MIN, MAX, MEDIAN, COUNT or COUNT_DISTINCT.")]  # fmt: skip
Expression = Annotated[str | None, typer.Option("--expression", help="A field, or arithmetic over fields.")]
Unit = Annotated[str | None, typer.Option("--unit", help="The unit of the figure.")]


@with_options(order="source feature ontology scope means segment measure where aggregate expression unit lang as_json")
def teach(
    word: Annotated[str, typer.Argument(help="The word or phrase, such as folks.")],
    options: AgentOptions,
    means: Means = None,
    segment: SegmentOf = None,
    measure: MeasureOf = None,
    where: Where = None,
    aggregate: Aggregate = None,
    expression: Expression = None,
    unit: Unit = None,
) -> None:
    """Teach a word: what another word means (--means), some rows (--segment), or a figure (--measure)."""
    keys = {"aggregate": aggregate, "expression": expression, "where": where, "unit": unit}
    meaning = _meaning(means, segment, measure, {key: value for key, value in keys.items() if value is not None})
    lang = read_language(options.lang)
    with opened_agent(options) as agent:
        taught = asyncio.run(agent.teach(word, meaning, who=user_name(), lang=lang))
    if options.as_json:
        typer.echo(taught.model_dump_json())
        return
    stands = f" ({', '.join(map(str, taught.targets))})" if taught.targets else ""
    typer.echo(f"{taught.taught_id}  {taught.word!r} means {taught.means}{stands}.")
    typer.echo(f"Undo: veracity ontology taught undo {taught.taught_id}")


def _meaning(means: str | None, segment: str | None, measure: str | None, keys: dict[str, str]) -> str | Definition:
    from veracity.ask.teaching import Definition

    if sum(one is not None for one in (means, segment, measure)) != 1:
        raise UsageError("Say what the word means: --means WORD, --segment ENTITY --where ..., or --measure ENTITY ...")
    if means is not None:
        if keys:
            raise UsageError(
                f"--{next(iter(keys))} is for --segment and --measure; a word for another word needs none."
            )
        return means
    if segment is not None:
        if set(keys) != {"where"}:
            raise UsageError(
                "A segment needs --where, and nothing else: --segment Customer --where \"country = 'CH'\"."
            )
        return Definition("segment", segment, keys)
    return Definition("measure", measure or "", keys)


# --- what was taught


def _store() -> TaughtStore:
    from veracity.agent.taught_store import TaughtStore

    return TaughtStore.default()


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List what was taught, the oldest first."""
    found = _store().all_words()
    if as_json:
        typer.echo(json.dumps([json.loads(one.model_dump_json()) for one in found], ensure_ascii=False))
        return
    if not found:
        typer.echo('Nothing was taught yet; try: veracity ontology teach "folks" --means population')
    for one in found:
        taught = one.taught
        asked = f', on "{printable(taught.question)}"' if taught.question else ""
        typer.echo(
            f"{taught.taught_id}  {one.ontology}: {taught.word!r} means {taught.means} ({taught.kind}), "
            f"by {taught.who}, {taught.taught_at:%Y-%m-%d %H:%M}{asked}"
        )


@app.command("undo")
def undo(word: Annotated[str, typer.Argument(help="The id of what was taught, or the word.")]) -> None:
    """Use a taught word no more."""
    undone = _store().undo(word, who=user_name())
    typer.echo(f"{undone.taught.word!r} no longer means {undone.taught.means} in {undone.ontology}.")


@app.command("export")
@with_options(without="source scope")
def export(
    data: DataOptions,
    out: Annotated[str | None, typer.Option("--out", help="The file to write; without it, the terminal.")] = None,
) -> None:
    """Write YAML: with --ontology or --feature the whole ontology with what was taught; else what was taught alone."""
    from veracity.ontology.overlay import as_yaml, overlay_yaml, with_taught
    from veracity.tools.open import chosen_feature, chosen_ontology

    store = _store()
    if data.ontology is None and data.feature is None:
        features = dict.fromkeys(one.ontology for one in store.all_words())
        text = "---\n".join(overlay_yaml(name, store.words(name)) for name in features) or "# Nothing was taught yet.\n"
    else:
        base = chosen_ontology(chosen_feature(None, data.feature, data.ontology), data.ontology)
        if base is None:
            raise UsageError(f"The feature {data.feature} has no ontology to merge into.")
        merged, _ = with_taught(base, store.words(base.feature_code))
        text = as_yaml(merged)
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        Path(out).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {(error.strerror or 'not allowed').lower()}.") from None
    typer.echo(f"{out} is written.")
