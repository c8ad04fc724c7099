"""A column and all that is known around it: its table, its key, what the data proved, the words of its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isclose

from veracity.ontology.draft.findings import (
    ColumnClass,
    ColumnProfile,
    ColumnVerdict,
    FoundKey,
    FoundRelation,
    TableProfile,
)
from veracity.ontology.draft.names import in_list, same_noun, says, singular, split
from veracity.sources.source import NUMERIC, ColumnType

_CENTS = "ct"
_FEWEST_ADDED = 4
"""Of fewer rows one is easily the sum of the others by chance."""


@dataclass(frozen=True)
class Proofs:
    """What the data proved of columns, by `(table, column)`, each with its sentence."""

    sums: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Held to be the sum of details, or the details of a sum."""
    copies: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """The same in all rows of a repeated name."""
    products: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """The product of two other columns."""


@dataclass(frozen=True)
class Sight:
    """A column and all that is known around it."""

    table: TableProfile
    column: ColumnProfile
    key: FoundKey | None
    relation: FoundRelation | None
    proofs: Proofs
    vocabulary: frozenset[str]
    dated: bool
    """Whether the table has a date of events, of its own or one key away."""
    is_snapshot: bool
    """Whether its rows are things at times: the key is what and when."""
    times: tuple[str, ...] = ()
    """The columns of the key that say when."""
    yearly: frozenset[str] = frozenset()
    """The columns that say how large things were in each year."""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the column's name."""
        return split(self.column.name, self.vocabulary)

    @cached_property
    def is_event(self) -> bool:
        """Whether the table is called what happens once: sales, payments."""
        named = split(self.table.name.rpartition(".")[2], self.vocabulary)
        return says(named[-1:], "events") and not says(named, "snapshot_tables")

    @cached_property
    def is_load(self) -> bool:
        """Whether each row of the table is something that was moved: shipments, parcels."""
        named = split(self.table.name.rpartition(".")[2], self.vocabulary)
        return in_list(singular(named[-1]), "loads")

    @cached_property
    def is_of_own_row(self) -> bool:
        """Whether the name says what of each row it is: the cost of a treatment, in a table of treatments."""
        named = split(self.table.name.rpartition(".")[2], self.vocabulary)
        rest = self.words[2:] if self.words[1:2] == ("of",) else self.words[:-1]
        return bool(rest) and same_noun(rest, named)

    @cached_property
    def is_counting(self) -> bool:
        """Whether its rows say how many were counted at a time; not of what is in stock."""
        named = split(self.table.name.rpartition(".")[2], self.vocabulary)
        return self.dated and says(named[-1:], "counting_tables") and not says(named, "levels")

    @cached_property
    def is_counted_there(self) -> bool:
        """Whether the table is called the counts of just this: bicycles of bicycle counts."""
        named = split(self.table.name.rpartition(".")[2], self.vocabulary)
        counts = len(named) > 1 and in_list(named[-1], "counted_by") and not says(named, "levels")
        return self.dated and counts and same_noun(self.words, named[:-1])

    @cached_property
    def is_of_things(self) -> bool:
        """Whether it is a number in a table of things: each row is one, and no time makes it that thing at a time."""
        alone = self.key is not None and len(self.key.columns) == 1 and self.column.type in NUMERIC
        timed = self.dated or self.is_snapshot or self.is_event or self.is_counting
        return alone and not timed and not self.has_time

    @cached_property
    def has_time(self) -> bool:
        """Whether the table has a column for when, other than when a thing began: a year, a month, a date."""
        return any(
            column.type in (ColumnType.DATE, ColumnType.TIMESTAMP)
            or any(says(words, which) for which in ("dates", "years", "months"))
            for column in self.table.columns
            if not says(words := split(column.name, self.vocabulary), "thing_dates") and not says(words, "thing_years")
        )

    @cached_property
    def holds_total(self) -> bool:
        """Whether the largest value is the sum of all others, as in a row of totals that is not called so."""
        column = self.column
        if column.average is None or column.mixed or column.filled < _FEWEST_ADDED or (column.low or "-")[0] == "-":
            return False
        return isclose(2 * float(column.high or 0), column.average * column.filled, rel_tol=1e-12)

    @cached_property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return self.column.is_number

    @cached_property
    def place(self) -> tuple[str, str]:
        """Table and column."""
        return self.table.name, self.column.name

    def verdict(self, kind: ColumnClass, reason: str, **more: object) -> ColumnVerdict:
        """The class with its reason."""
        found = ColumnVerdict.model_validate({"kind": kind, "reason": reason, **more})
        if found.unit != _CENTS or self.column.type not in NUMERIC:
            return found
        return found.model_copy(update={"unit": None, "hundredths": True, "reason": f"{reason}; stored in cents"})
