"""Figures whose form tells what they are: 2 hours and 21 minutes, 691 vs. 512, the other two, three of the eight."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.figure_meaning import table_says
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import column_roots, value_at
from veracity.grounding.statements.figure_words import FigureWords
from veracity.grounding.statements.reckonings import CellReckoning, spans_of_time
from veracity.grounding.statements.scene import CheckedStatement, Truth
from veracity.grounding.statements.spoken_rows import SpokenRows
from veracity.language.folding import listed
from veracity.language.stem import noun_root

_AND_MINUTES = re.compile(r"\s*(?:hours?|hrs?|h|stunden?|std\.?|小时)\s*(?:and|und|,)?\s*", re.IGNORECASE)
_HOURS = re.compile(r"([0-9]{1,3}):([0-5][0-9])")
_VERSUS = re.compile(
    r"\s*%?\s*(?:vs\.?|versus|against|compared (?:to|with)|gegen(?:über)?|对比?)\s*[$€£]?\s*", re.IGNORECASE
)
_CHANGES = frozenset(map(noun_root, listed("change changes delta diff veränderung 变化 增减")))
_OF_ALL = re.compile(
    r"(?<![a-z])(?:of (?:the|all|our|these)(?: [a-z]+)?|der|von den|unter den|aller)\s*$|(?:全部|所有|总共|一共|共|这)$"
)
_FEWEST = 3
_THE_OTHER = re.compile(r"(?<![a-z])(?:other|others|remaining|anderen|uebrigen|andern)\s*$")


def _hours_in(cell: object) -> Decimal | None:
    """The minutes of a text such as 2:35, which is as likely hours and minutes as minutes and seconds."""
    found = _HOURS.fullmatch(cell.strip()) if isinstance(cell, str) else None
    return Decimal(int(found[1]) * 60 + int(found[2])) if found is not None else None


class ReckonedFigure(NamedTuple):
    """A figure, what it comes from, and how much of that the words say."""

    said: SaidFigure
    table: Table | None
    """None where other figures of the text are reckoned with."""
    found: CellReckoning
    truth: Truth

    @property
    def statement(self) -> CheckedStatement:
        """What is to be said of the figure."""
        start, end = self.said.figure.start, self.said.figure.end
        return CheckedStatement(self.truth, (start, end), "reckoning", settles=frozenset({start}))


class FigureByForm:
    """One figure, read by its form before anything is reckoned."""

    def __init__(self, words: FigureWords, rows: SpokenRows) -> None:
        self.words, self.rows = words, rows
        self.scene, self.said, self.page = words.scene, words.said, words.page

    def read(self) -> ReckonedFigure | None:
        """What the figure is, where one of the forms tells."""
        forms: tuple[Callable[[], ReckonedFigure | None], ...] = (
            self._of_two_units,
            self._of_compared_rows,
            self._in_parallel,
            self._of_changes,
            self._of_others,
            self._of_all_rows,
        )
        return next(filter(None, (read() for read in forms)), None)

    def _of_changes(self) -> ReckonedFigure | None:
        """A cell of a column of changes, said with its direction: gained three seats, of `change_seats`."""
        size, clause = abs(self.said.figure.readings[0]), self.words.clause
        up = clause.has("up")
        for table in self.rows.tables if up != clause.has("down") else ():
            changes = [column for column in table.figures if not _CHANGES.isdisjoint(column_roots(column))]
            for row in (rows[0] for rows in self.rows.named(table) if len(rows) == 1):
                for column in changes:
                    value = value_at(table, row, column)
                    if value and abs(value) == size and (value > 0) == up:
                        found = CellReckoning("cell", value, (row,), (column,))
                        return ReckonedFigure(self.said, table, found, "supported")
        return None

    def _of_others(self) -> ReckonedFigure | None:
        """How many rows there are beside those that are named: the other two."""
        table = self.scene.table
        if table is None or not _THE_OTHER.search(self.page.tokens.before(self.said.first, 24)):
            return None
        named = {row for one in self.scene.names for row in self.scene.rows(one, table)}
        left = Decimal(len(table.rows) - len(named))
        if not named or self.said.figure.readings[0] != left:
            return None
        return ReckonedFigure(self.said, table, CellReckoning("count", left, tuple(named), ()), "supported")

    def _of_all_rows(self) -> ReckonedFigure | None:
        """How many rows there are, some of which are spoken of: three of the eight clubs."""
        table = self.scene.table
        if table is None or not table.whole or self.said.meaning.unit is not None or len(table.rows) < _FEWEST:
            return None
        if self.said.figure.readings[0] != len(table.rows) or not _OF_ALL.search(
            self.page.tokens.before(self.said.first, 16)
        ):
            return None
        found = CellReckoning("count", Decimal(len(table.rows)), (), ())
        return ReckonedFigure(self.said, table, found, "supported")

    def _of_two_units(self) -> ReckonedFigure | None:
        """A figure of `2 hours and 21 minutes`, which together are what a cell of the row says."""
        unit, page = self.said.meaning.unit, self.page
        for other in (page.previous(self.said), page.following(self.said)):
            beside = other.meaning.unit if other is not None else None
            if other is None or unit is None or beside is None or {unit.dimension, beside.dimension} != {"time"}:
                continue
            first, second = sorted((self.said, other), key=lambda one: one.figure.start)
            if unit == beside or not _AND_MINUTES.fullmatch(page.text, first.figure.end, second.figure.start):
                continue
            minutes = (
                sum(
                    (one.figure.readings[0] * one.meaning.unit.factor for one in (first, second) if one.meaning.unit),
                    Decimal(0),
                )
                / 60
            )
            for table in self.rows.tables:
                for row in (rows[0] for rows in self.rows.named(table) if len(rows) == 1):
                    cells = (
                        CellReckoning("cell", minutes, (row,), (column,))
                        for column in table.columns
                        if minutes in (value_at(table, row, column), _hours_in(table.rows[row][column]))
                    )
                    spans = (one for one in spans_of_time(table, row, list(table.columns)) if one.value == minutes)
                    found = next(iter((*cells, *spans)), None)
                    if found is not None:
                        return ReckonedFigure(self.said, table, found, "supported")
        return None

    def _of_compared_rows(self) -> ReckonedFigure | None:
        """A figure of `more than B (691 vs. 512)`: the first is of the row that is spoken of, the second of the other."""
        page, said, table = self.page, self.said, self.scene.table
        before, behind = page.previous(said), page.following(said)
        first = behind is not None and _VERSUS.fullmatch(page.text, said.figure.end, behind.figure.start) is not None
        if table is None or not (
            first or (before and _VERSUS.fullmatch(page.text, before.figure.end, said.figure.start))
        ):
            return None
        own = [row for _one, row in self.scene.subjects(table)]
        rows = list(dict.fromkeys((*own, *self.scene.compared(table))))
        columns = [column for column in self.scene.measured(table) if len(rows) == 2]
        for column in columns:
            row = rows[0 if first else 1]
            if table_says(table, row, column, said.meaning):
                found = CellReckoning("cell", value_at(table, row, column) or Decimal(0), (row,), (column,))
                return ReckonedFigure(said, table, found, "supported")
        return None

    def _in_parallel(self) -> ReckonedFigure | None:
        """A figure of a part that goes on as the one before it: A has 610 customers and 12 seats; B has 185 and 41."""
        parts, table = self.scene.clauses, self.scene.table
        at = next((n for n, part in enumerate(parts) if part is self.words.clause), 0)
        rows = {row for _one, row in self.words.clause.subjects(table)} if table is not None and at else set()
        own, before = self.words.clause.figures, parts[at - 1].figures
        if table is None or len(rows) != 1 or len(own) != len(before) or self.said not in own:
            return None
        bound = self.scene.bound.get(before[own.index(self.said)].figure.start)
        args = bound.provenance.args if bound is not None and bound.provenance.kind == "cell" else ()
        row = next(iter(rows))
        if len(args) != 1 or args[0].column not in table.figures:
            return None
        if not table_says(table, row, args[0].column, self.said.meaning):
            return None
        found = CellReckoning("cell", value_at(table, row, args[0].column) or Decimal(0), (row,), (args[0].column,))
        return ReckonedFigure(self.said, table, found, "supported")
