"""Movements of an account, as banks export them: what came in has a plus, what went out a minus."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.ontology.draft.findings import ColumnClass, FoundMeasure, TableDraft
from veracity.ontology.draft.names import in_list, says, split
from veracity.ontology.draft.proposals import said

OUT = "(0 - 1)"
"""What turns a minus into a plus."""
_FEWEST_SIGNS = 2


def is_of_movements(table: TableDraft, words: frozenset[str]) -> bool:
    """Whether rows are movements of an account: it is called so, or its columns are those of a statement, and one amount has both signs."""
    named = split(table.name.rpartition(".")[2], words)
    signs = sum(any(in_list(word, "of_statements") for word in split(name, words)) for name in table.profile.names)
    return bool(_signed(table)) and signs + says(named, "accounts_moved") >= _FEWEST_SIGNS


def movements(table: TableDraft, words: frozenset[str]) -> Iterator[FoundMeasure]:
    """What came in and what went out."""
    if is_of_movements(table, words):
        amount = _signed(table)
        reason = "amounts of a statement: what came in has a plus, what went out a minus"
        told = said()["movements"]
        yield FoundMeasure(
            name="income", table=table.name, expression=amount, reason=reason, sure=True, sign=">", **told["in"]
        )
        expression = f"{amount} * {OUT}"
        yield FoundMeasure(
            name="spending", table=table.name, expression=expression, reason=reason, sure=True, sign="<", **told["out"]
        )


def with_booking_date(table: TableDraft, words: frozenset[str]) -> TableDraft:
    """The table with the day of booking as the date that periods are about, where a statement has others besides."""
    days = [name for name in table.of_kind(ColumnClass.DATE) if says(split(name, words), "booking_dates")]
    if len(days) != 1 or table.date_sure or not is_of_movements(table, words):
        return table
    return table.model_copy(update={"date": days[0], "date_sure": True})


def _signed(table: TableDraft) -> str:
    """The only amount, where some are below and some above zero."""
    amounts = [one for one in table.columns if one.verdict.kind is ColumnClass.ADDITIVE and one.verdict.sure]
    if len(amounts) != 1 or amounts[0].profile.writing is not None:
        return ""
    profile = amounts[0].profile
    both = (profile.low or "").startswith("-") and not (profile.high or "-").startswith(("-", "0"))
    return profile.name if both else ""
