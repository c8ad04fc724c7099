"""What is taken off a price: the column that says it, as a part of one or in percent, and what is left to multiply with."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from veracity.ontology.draft.findings import ColumnProfile, TableDraft
from veracity.ontology.draft.names import says, split, unit_in

LEFT = "(1 - {name})"
_TRUTHS = 2
LEFT_OF_HUNDRED = "(1 - {name} / 100.0)"


def is_part_of_one(column: ColumnProfile, words: Sequence[str]) -> bool:
    """Whether a column is called a discount and holds parts of one: 0, 0.05, 0.2. Such are never added up."""
    if not says(words, "discounts") or not column.is_number or column.mixed:
        return False
    try:
        low, high = Decimal(column.low or "NaN"), Decimal(column.high or "NaN")
    except InvalidOperation:
        return False
    # Only 0 and 1 are yes and no.
    return 0 <= low < high <= 1 and column.distinct > _TRUTHS


def left_after_discount(table: TableDraft, words: frozenset[str]) -> str | None:
    """The factor that a discount leaves of a price; "" where there is no discount, nothing where it cannot be told."""
    own = [c.profile for c in table.columns if says(split(c.profile.name, words), "discounts") and c.profile.is_number]
    if not own:
        return ""
    # A missing discount would make the whole product missing.
    if len(own) > 1 or own[0].filled < table.profile.rows:
        return None
    named = split(own[0].name, words)
    if is_part_of_one(own[0], named):
        return LEFT.format(name=own[0].name)
    return LEFT_OF_HUNDRED.format(name=own[0].name) if unit_in(named) == "%" else None
