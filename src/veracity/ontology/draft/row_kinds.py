"""Which rows count: a status, type, unit or currency beside a figure, or one key away, keeps its sums apart until a person says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from veracity.ontology.draft.findings import ColumnClass, ColumnDraft, FoundRelation, TableDraft
from veracity.ontology.draft.flows import is_time_off
from veracity.ontology.draft.names import ends_in, in_list, same_noun, says, sizes_things, split, words_for

_KINDS = (ColumnClass.CATEGORY, ColumnClass.FLAG, ColumnClass.TEXT, ColumnClass.CODE)
_MOST_KINDS = 40


def with_row_kinds(
    tables: Sequence[TableDraft], relations: Sequence[FoundRelation], words: frozenset[str]
) -> tuple[TableDraft, ...]:
    """The tables, their additive figures kept apart by what says which rows count."""
    by_name = {table.name: table for table in tables}
    return tuple(_with_kinds(table, by_name, relations, words) for table in tables)


@dataclass(frozen=True)
class _Beside:
    """What stands beside the figures of a table: columns that tell rows apart, units, currencies; and one key away."""

    rows: tuple[str, ...]
    units: tuple[str, ...]
    money: tuple[str, ...]
    away: tuple[str, ...]
    money_away: tuple[str, ...]
    kinds: tuple[str, ...]
    """Of `rows`, those that only say what kind of thing a row is: its size is added up all the same."""


def _with_kinds(
    table: TableDraft, tables: Mapping[str, TableDraft], relations: Sequence[FoundRelation], words: frozenset[str]
) -> TableDraft:
    headers = [r for r in relations if r.table == table.name and r.sure and is_detail(table.name, r, words)]
    beside = _Beside(
        tuple(c.profile.name for c in table.columns if says_which_rows(table, c, words)),
        table.of_kind(ColumnClass.UNIT),
        table.of_kind(ColumnClass.CURRENCY),
        tuple(
            f"{one.other}.{column.profile.name}"
            for one in headers
            for column in tables[one.other].columns
            if says_which_rows(tables[one.other], column, words)
        ),
        tuple(
            f"{one.other}.{name}"
            for one in relations
            if one.table == table.name and one.other != table.name and one.sure
            for name in tables[one.other].of_kind(ColumnClass.CURRENCY)
            if tables[one.other].profile.column(name).distinct > 1
        ),
        tuple(c.profile.name for c in table.columns if _is_own_kind(table, c, words)),
    )
    return table.model_copy(update={"columns": tuple(_kept_apart(table, c, beside, words) for c in table.columns)})


def _kept_apart(table: TableDraft, column: ColumnDraft, beside: _Beside, words: frozenset[str]) -> ColumnDraft:
    verdict, named = column.verdict, split(column.profile.name, words)
    # What may turn out to be added up, once a person says so, is kept apart then.
    adds = verdict.kind is ColumnClass.ADDITIVE or verdict.ask == "amount"
    if not adds and verdict.kind not in (ColumnClass.LEVEL, ColumnClass.AVERAGE, ColumnClass.NUMBER):
        return column
    is_money = (says(named, "money") or verdict.hundredths) and (
        verdict.kind is not ColumnClass.AVERAGE or ends_in(named, "prices")
    )
    units = beside.money if is_money else beside.units
    if not is_money and adds:
        units = (*units, *beside.money)
    away = (*beside.money_away, *beside.away) if is_money and not beside.money and not verdict.unit else beside.away
    update: dict[str, object] = {"unit_field": units[0]} if units and not verdict.unit else {}
    sized = sizes_things(named) or is_time_off(table.profile, column.profile, words)  # days off, whatever they were for
    rows = tuple(name for name in beside.rows if not (sized and name in beside.kinds))
    if adds and rows:
        told = f"{verdict.reason}; {', '.join(rows)} may say which rows count"
        update |= {"over": (*verdict.over, *rows), "reason": told, "ask": verdict.ask or "rows"}
    if verdict.kind is ColumnClass.ADDITIVE and away and verdict.sure and not (beside.rows and not beside.money_away):
        told = f"{verdict.reason}; {', '.join(away)} may say which rows count"
        update |= {"sure": False, "ask": "away", "counted_by": ", ".join(away), "reason": told}
    return column.model_copy(update={"verdict": verdict.model_copy(update=update)}) if update else column


def says_which_rows(table: TableDraft, column: ColumnDraft, words: frozenset[str]) -> bool:
    """Whether a column may say that a row does not count like the others: a status, the type of the row, a mark, a total."""
    profile, kind = column.profile, column.verdict.kind
    named = split(profile.name, words)
    if kind is ColumnClass.MONTH:
        return bool({"0", "00", "13"} & set(profile.values))
    if kind not in _KINDS or profile.distinct < 2:
        return False
    if any(value.casefold().strip() in words_for("totals") for value in profile.values):
        return True
    if profile.distinct > _MOST_KINDS:
        return False
    last = named[-1]
    if kind is ColumnClass.FLAG:
        return says(named, "rows_flags")
    if in_list(last, "status"):
        return last != "state" or not _has_places(table, profile.name, words)
    if any(in_list(word, "direction") for word in named):
        return True
    return _is_own_kind(table, column, words)


def _is_own_kind(table: TableDraft, column: ColumnDraft, words: frozenset[str]) -> bool:
    """Whether a column is the type of the row itself."""
    named, own = split(column.profile.name, words), split(table.name.rpartition(".")[2], words)
    bare = [word for word in named if not in_list(word, "kinds")]
    said = in_list(named[-1], "kinds") and (not bare or _names_the_row(bare, own))
    if said and in_list(named[-1], "mere_classes"):
        said = any(in_list(word, "opposed_rows") for value in column.profile.values for word in split(value, words))
    return said and column.verdict.kind in _KINDS and column.verdict.kind is not ColumnClass.CODE


def _names_the_row(bare: Sequence[str], table: Sequence[str]) -> bool:
    return (
        same_noun(bare, table[-len(bare) :]) or same_noun(bare, table[: len(bare)]) or bare[-1] in words_for("events")
    )


def _has_places(table: TableDraft, own: str, words: frozenset[str]) -> bool:
    """Whether a `state` stands beside other places, so that it is one itself."""
    return any(
        says(split(name, words), "places") or says(split(name, words), "codes")
        for name in table.profile.names
        if name != own
    )


def is_detail(table: str, relation: FoundRelation, words: frozenset[str]) -> bool:
    """Whether a table holds the lines of another one: called like it, or called lines."""
    own, other = split(table.rpartition(".")[2], words), split(relation.other.rpartition(".")[2], words)
    return same_noun(own[: len(other)], other) or says(own[-1:], "details")
