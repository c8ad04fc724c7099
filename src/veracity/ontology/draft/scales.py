"""In which unit a figure may be, and from which value on people may call a thing big."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from veracity.errors import QueryFailed
from veracity.ontology.draft.counting import SourceCounter
from veracity.ontology.draft.findings import ColumnClass, ColumnDraft, FoundSplit, TableDraft
from veracity.ontology.draft.names import lists, split
from veracity.sources.source import NUMERIC

_MOST_ROWS = 200_000
_FEWEST_THINGS = 20
_PARTS = 20
_AT = (2, 5, 10, 12, 15, 17, 18)
"""Of twenty parts: a tenth, a quarter, half, 60, 75, 85 and 90 percent of the things are smaller."""
_ROUND = tuple(Decimal(one) for one in ("1", "1.5", "2", "3", "5", "7.5"))
_FIGURES = (ColumnClass.ADDITIVE, ColumnClass.AVERAGE, ColumnClass.NUMBER, ColumnClass.LEVEL)


# --- units


def units_asked(column: ColumnDraft, words: frozenset[str]) -> tuple[str, ...]:
    """The units that a figure may be in, where its name says what it measures and nothing says in what."""
    verdict = column.verdict
    if (
        verdict.kind not in _FIGURES
        or verdict.unit
        or verdict.unit_field
        or verdict.hundredths
        or not column.profile.is_number
    ):
        return ()
    last = split(column.profile.name, words)[-1:]
    measured: Sequence[Mapping[str, Sequence[str]]] = lists()["measured"]
    return next((tuple(one["units"]) for one in measured if last and last[0] in one["words"]), ())


def unit_place(table: str, column: str, words: frozenset[str]) -> str:
    """What a unit is asked for: figures of a table that are called alike have the same."""
    return f"{table}.{split(column, words)[-1]}"


# --- from which value on a thing is big


def with_bounds(
    counter: SourceCounter, table: TableDraft, splits: Mapping[str, FoundSplit], words: frozenset[str]
) -> TableDraft:
    """The table with units that are asked, and for each size the values from which on a thing may be called big."""
    columns = tuple(
        one.model_copy(update={"verdict": one.verdict.model_copy(update={"units": units})})
        if (units := units_asked(one, words))
        else one
        for one in table.columns
    )
    bounds: dict[str, dict[str, int]] = {}
    if len(table.display) == 1 and _FEWEST_THINGS <= table.profile.rows <= _MOST_ROWS:
        group = splits[table.name].name if table.name in splits else None
        for name in table.sizes:
            if table.profile.column(name).type in NUMERIC and (found := _bounds(counter, table.name, name, group)):
                bounds[name] = found
    return table.model_copy(update={"columns": columns, "bounds": bounds})


def _bounds(counter: SourceCounter, table: str, size: str, group: str | None) -> dict[str, int]:
    """Round values, each with how many things lie above; of things that stand in several rows each counts once."""
    schema = counter.source.tables[table]
    try:
        found = counter.quantiles(schema, size, group, _PARTS)
        if len(found) < _PARTS:
            return {}
        told = dict.fromkeys(_rounded(found[part]) for part in _AT if found[part] > 0)
        above = counter.above(schema, size, group, list(told))
    except QueryFailed:
        return {}
    return {value: count for value, count in zip(told, above, strict=True) if count}


def _rounded(value: Decimal) -> str:
    """The next round number below: 159,611 -> 150,000."""
    place = Decimal(1).scaleb(value.adjusted())
    best = max(one for one in _ROUND if one * place <= value)
    return f"{(best * place).normalize():f}"
