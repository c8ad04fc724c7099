"""Tables that hold nothing but the keys of some rows of another table, and so say of what kind those rows are: payments among amounts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from veracity.ontology.draft.findings import ColumnClass, Found, FoundRelation, TableDraft


def subtypes_of(found: Found) -> Mapping[str, FoundRelation]:
    """Tables whose only column is their key and the key of another table -> the relation to that table."""
    keys = {table.name: table.key.columns for table in found.tables if table.key is not None}
    split_ = {one.table for one in found.splits}
    return {
        one.table: one
        for one in found.relations
        if one.sure
        and one.table != one.other
        and len(one.columns) == 1
        and found.table(one.table).profile.names == one.columns == keys.get(one.table)
        and one.referred == keys.get(one.other)
        and one.other not in split_
    }


def inherited(found: Found) -> Iterator[FoundRelation]:
    """The relations of a table, once more for each table that names a kind of its rows."""
    for name, kind in subtypes_of(found).items():
        for one in found.relations:
            if one.table == kind.other and one.sure:
                yield one.model_copy(update={"table": name})


def only_amount(table: TableDraft) -> str | None:
    """The one figure of a table, where its rows may be added up as they are."""
    kinds = (ColumnClass.ADDITIVE, ColumnClass.LEVEL, ColumnClass.NUMBER)
    figures = [column for column in table.columns if column.verdict.kind in kinds]
    if len(figures) != 1:
        return None
    verdict = figures[0].verdict
    sure = verdict.kind is ColumnClass.ADDITIVE and verdict.sure and not verdict.over and not verdict.unit_field
    return figures[0].profile.name if sure else None
