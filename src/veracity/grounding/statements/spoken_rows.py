"""The rows, columns and figures that a figure may be reckoned from: those that its sentence speaks of."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import permutations

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.named_rows import rows_of
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import values_of
from veracity.grounding.statements.figure_words import DISTINCT, INCLUDED, FigureWords
from veracity.grounding.statements.reckonings import (
    CellReckoning,
    groups_of,
    number_columns,
    of_figures,
    of_row,
    of_rows,
    of_two_groups,
    of_two_rows,
    shares_of_all,
    spans_of_rows,
    spans_of_time,
)
from veracity.grounding.statements.scene import TIME_BEFORE

_MOST_ROWS = 300
MOST_COLUMNS = 14
"""Of more columns, only those are reckoned with that are told: two of many come to anything."""
_MOST_TABLES = 4
_MOST_SPOKEN = 6
_FEW = 3
_FEW_ROWS = 12
_TWO = 2


OTHERS = re.compile(
    r"(?<![a-z])(?:others?|rest|remaining|else|except|without|apart|besides|but|anderen?|andern|uebrigen?|ohne|ausser|neben|verbleib\w*)(?![a-z])|其余|其他|另外|除|剩"
)


class SpokenRows:
    """What the sentence of one figure speaks of."""

    def __init__(self, words: FigureWords, settled: set[int]) -> None:
        self.words, self.settled = words, settled
        self.scene, self.said, self.page = words.scene, words.said, words.page

    def reckonings(self) -> Iterator[tuple[Table | None, CellReckoning]]:
        yield from ((None, one) for one in of_figures(self._spoken))
        for table in self.tables:
            yield from ((table, one) for one in self._with_told_cells(table))
            yield from ((table, one) for one in self._of_table(table))

    def _of_table(self, table: Table) -> Iterator[CellReckoning]:
        columns, named = self._columns(table), self.named(table)
        families = self.page.index.families.get(table.number, {})
        single = [rows[0] for rows in named if len(rows) == 1]
        for row in single:
            yield from of_row(table, row, columns, families)
            yield from spans_of_time(table, row, list(table.columns))
        for row in single[:1]:
            yield from self._beside_others(table, row, columns)
        if not table.whole:
            return
        if not named:
            yield from self._spans_of_all(table)
            yield from self._years_apart(table)
        of_rest = OTHERS.search(self.scene.folded) is not None
        for rows in named:
            yield from shares_of_all(table, rows, columns, families, others=of_rest)
            if len(rows) > 1:
                yield CellReckoning("count", Decimal(len(rows)), rows, ())
        groups = list(dict.fromkeys(self._groups(table, named)))
        grouped = any(len(rows) < len(table.rows) and not self._is_keyed(table, rows) for rows in groups)
        for rows in groups if self.scene.has("total", "average") else ():
            yield from spans_of_rows(table, rows, average=self.scene.has("average"))
        for rows in groups:
            # Where some rows are spoken of, what all come to is not what is said.
            guessed = grouped and len(rows) == len(table.rows) and not self.words.follows_whole
            yield from (one._replace(guessed=guessed) for one in of_rows(table, rows, columns, families))
            for row, other in permutations(rows, 2) if len(rows) == 2 else ():
                directed = table.is_later(row, other)
                yield from (one._replace(directed=directed) for one in of_two_rows(table, row, other, columns))
            if len(rows) <= _FEW:
                yield from self._cells_of(table, rows, columns)
        some = [rows for rows in groups if len(rows) < len(table.rows)]
        compared = {row for one in self.scene.names if one.compared for row in self.scene.rows(one, table)}
        for rows, others in permutations(some, 2):
            if not compared or not compared.issuperset(rows):  # What is compared with is no subject.
                yield from of_two_groups(table, rows, others, columns)
        yield from self._of_unnamed_groups(table, columns)
        yield from self._of_unnamed_pairs(table, single)

    def _beside_others(self, table: Table, row: int, columns: Sequence[str]) -> Iterator[CellReckoning]:
        """One row against the others that are named, and the cells of the time before."""
        for other in self._other_rows(table, row):
            # From May to June something rises; only what is compared with something is said of the first.
            turned = table.is_of_periods and table.is_later(other, row) and not self.scene.compared(table)
            yield from of_two_rows(table, *((other, row) if turned else (row, other)), columns)
        if table.is_of_periods and self.words.leads_from():
            before = [at for at in range(len(table.rows)) if self.words.is_row_before(table, (at,))]
            told = [column for column in columns if column in self.words.told(table)]
            cells = ((at, column, values_of(table, column, (at,)).get(at)) for at in before for column in told)
            yield from (CellReckoning("cell", value, (at,), (c,)) for at, c, value in cells if value is not None)

    def _with_told_cells(self, table: Table) -> Iterator[CellReckoning]:
        """Another figure of the sentence and a cell of the row that this part says: 1440, with material 1800."""
        clause = self.words.clause
        refs = {ref.column for one in clause.columns for ref in one.columns if ref.table == table.number}
        included = INCLUDED.search(clause.folded) is not None
        rows = [rows[0] for rows in self.named(table) if len(rows) == 1] if included and self._spoken else []
        for row in rows:
            for column in number_columns(table, [one for one in table.figures if one in refs]):
                cell = values_of(table, column, (row,)).get(row)
                if cell is not None:
                    yield from (CellReckoning("sum", value + cell, (row,), (column,)) for value in self._spoken)

    def _is_keyed(self, table: Table, rows: Sequence[int]) -> bool:
        """Whether rows are those that the sentence enumerates by their names."""
        keyed = [one for one in self.scene.names if self.scene.is_key(one, table)]
        return bool(keyed) and set(rows) <= {row for one in keyed for row in self.scene.rows(one, table)}

    def _of_unnamed_pairs(self, table: Table, single: Sequence[int]) -> Iterator[CellReckoning]:
        """Two rows against each other in a column that is told, where nothing that is understood names one of them."""
        told = [
            column for column in number_columns(table, self.scene.ordered(table)) if column in self.words.told(table)
        ]
        if len(table.rows) > _FEW_ROWS or len(self.scene.names) > 1 or self.words.digits < _TWO:
            return
        for row, other in permutations(range(len(table.rows)), 2):
            if not single or other in single:
                found = of_two_rows(table, row, other, told)
                yield from (one._replace(guessed=True) for one in found if one.kind in ("difference", "change"))

    def _of_unnamed_groups(self, table: Table, columns: Sequence[str]) -> Iterator[CellReckoning]:
        """Sums and averages of the rows that have a value in common, where nothing names it in a way that is understood."""
        if self.words.digits >= DISTINCT and not self.words.clause.names:
            told = [column for column in columns if column in self.words.told(table)]
            for rows in groups_of(table):
                found = (one for one in of_rows(table, rows, told, {}) if one.kind in ("sum", "average"))
                yield from (one._replace(unnamed=True) for one in found)

    def _spans_of_all(self, table: Table) -> Iterator[CellReckoning]:
        """A span of time that is the same in all rows: 30 days each."""
        every = [list(spans_of_time(table, row, list(table.columns))) for row in range(len(table.rows[:_MOST_SPOKEN]))]
        for found in every[0] if every else ():
            if all(any(found.value == other.value for other in others) for others in every):
                yield found

    def _years_apart(self, table: Table) -> Iterator[CellReckoning]:
        """How many years lie between the first and the last: 33 years between the oldest lift and the newest."""
        unit = self.said.meaning.unit
        if unit is None or unit.dimension != "months" or not self.scene.has("reckoned_spread"):
            return
        for column in (column for column in table.columns if table.holds_years(column)):
            if years := values_of(table, column).values():
                yield CellReckoning("spread", max(years) - min(years), tuple(range(len(table.rows))), (column,))

    def _cells_of(self, table: Table, rows: Sequence[int], columns: Sequence[str]) -> Iterator[CellReckoning]:
        """The cells of a few rows that are spoken of together, in the columns that are told."""
        for column in columns if len(rows) < len(table.rows) else ():
            if column in self.words.told(table):
                values = values_of(table, column, rows)
                yield from (CellReckoning("cell", value, (row, *rows), (column,)) for row, value in values.items())

    @cached_property
    def tables(self) -> list[Table]:
        """The results that the sentence may be about, the likeliest first."""
        first = [self.scene.table] if self.scene.table is not None else []
        every = [*first, *(table for table in self.page.tables if table not in first)]
        return [table for table in every[:_MOST_TABLES] if 0 < len(table.rows) <= _MOST_ROWS]

    def _columns(self, table: Table) -> list[str]:
        columns = number_columns(table, self.scene.ordered(table))
        told = self.words.told(table)
        return columns if len(columns) <= MOST_COLUMNS else [column for column in columns if column in told]

    @cached_property
    def _spoken(self) -> list[Decimal]:
        """The other figures of the sentence and of the one before it that were accounted for."""
        at = bisect_left(self.page.said, self.said.figure.start, key=lambda one: one.figure.start)
        return [
            one.figure.readings[0]
            for one in self.page.said[max(0, at - _MOST_SPOKEN) : at + _MOST_SPOKEN]
            if one is not self.said and self.said.line - 1 <= one.line <= self.said.line and self._is_known(one)
        ]

    def _is_known(self, one: SaidFigure) -> bool:
        """Whether a figure is a number that comes from cells."""
        figure, bound = one.figure, self.scene.bound.get(one.figure.start)
        if figure.kind not in ("number", "word") or not figure.readings or bound is None:
            return False
        stands = bound.provenance.status == "ambiguous"  # in some cell, only not said in which
        return (
            stands
            or figure.start in self.settled
            or (bound.provenance.status == "bound" and bound.provenance.kind in ("cell", "derived"))
        )

    def named(self, table: Table) -> list[tuple[int, ...]]:
        """The rows that the figure is said of: one, or those of a group; the likeliest first."""
        found = [one for one in rows_of(self.said, table, self.page) if one.how != "none" and one.rows]
        named = [tuple(one.rows) for one in found if len(one.rows) < max(2, len(table.rows))]
        own = list(dict.fromkeys(row for _one, row in self.scene.subjects(table)))
        if len(named) == 1 and len(own) == 1 and list(named[0]) == self.scene.compared(table):
            return [(own[0],)]  # A earns 80, 12 more than B: the 12 is said of A.
        return named

    def _other_rows(self, table: Table, row: int) -> list[int]:
        """The other single rows that the sentence names."""
        single = (rows for one in self.scene.names if len(rows := self.scene.rows(one, table)) == 1)
        named = (other for rows in single for other in rows if other != row)
        groups = (rows for one in self.scene.names if row in (rows := self.scene.rows(one, table)) and len(rows) == 2)
        before = self._row_before(table, row)
        return list(dict.fromkeys([*named, *(other for rows in groups for other in rows if other != row), *before]))

    def _row_before(self, table: Table, row: int) -> list[int]:
        """The row of the time before, where it is said: gegenüber dem Vormonat."""
        order = table.in_time if table.is_of_periods and TIME_BEFORE.search(self.scene.folded) else None
        at = order.index(row) if order is not None and row in order else 0
        return [order[at - 1]] if order is not None and at else []

    def _groups(self, table: Table, named: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
        """Rows that may be taken together: those of a group, those that are enumerated, or all where none is the subject."""
        yield from (rows for rows in named if len(rows) > 1)
        here = [one for one in self.words.clause.names if self.scene.is_key(one, table)]
        keyed = [one for one in here or self.scene.names if self.scene.is_key(one, table) and not one.excluded]
        together = tuple(sorted({row for one in keyed for row in self.scene.rows(one, table)}))
        if 1 < len(together) < len(table.rows):
            yield together
        named_here = self.words.clause.names or self.scene.names
        groups = [self.scene.rows(one, table) for one in named_here if not self.scene.is_key(one, table)]
        yield from (tuple(sorted(rows)) for rows in groups if 1 < len(rows) < len(table.rows))
        clause = self.words.clause
        whole = self.words.follows_whole
        if len(table.rows) > 1 and (whole or not any(clause.is_key(one, table) for one in clause.names)):
            yield tuple(range(len(table.rows)))
