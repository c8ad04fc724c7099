"""Figures that stand in no cell, held against all that the cells of the spoken rows come to.

What the words bear out, by saying the kind of reckoning and the columns, is supported. What only the value bears out cannot be
checked: it is marked. What nothing comes to stays what it was, a figure without a source.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import permutations
from typing import NamedTuple

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.figure_meaning import significant_digits, table_says
from veracity.grounding.binding.named_rows import rows_of
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.changes import BY_SO_MUCH
from veracity.grounding.statements.reckonings import (
    CellReckoning,
    Kind,
    groups_of,
    number_columns,
    of_figures,
    of_row,
    of_rows,
    of_two_groups,
    of_two_rows,
    shares_of_all,
    spans_of_time,
)
from veracity.grounding.statements.scene import CheckedStatement, Scene, Truth, value_at, values_of
from veracity.language.folding import listed
from veracity.language.units import unit_called

_MOST_ROWS = 300
_MOST_COLUMNS = 14
"""Of more columns, only those are reckoned with that are told: two of many come to anything."""
_MOST_TABLES = 4
_MOST_SPOKEN = 6
_MOST_RECKONED = 24
"""Of one sentence; who writes more figures into one writes a table."""
_FEW = 3
_ADJACENT = 3
_DISTINCT, _MANY = 3, 4
"""Digits by which a figure hardly comes about by chance, and by which it certainly does not."""
_LARGE, _TEN = 1_000, 10
_NEAR_BOUND, _AT_BOUND = Decimal("0.25"), Decimal("0.1")
"""Who says more than 9 means 9.2 rather than 90."""
_MONTH, _WEEK = Decimal(43830), Decimal(10080)
_POINTS = re.compile(
    r"\s*%?\s*(?:percentage points?|prozentpunkte?n?|points?|punkte?n?|pp(?![a-z])|个?百分点)", re.IGNORECASE
)
_PLUS = re.compile(r"[+＋]\s*$")
_CUES: dict[Kind, str] = {
    "difference": "reckoned_difference",
    "change": "reckoned_change",
    "share": "reckoned_share",
    "rest": "reckoned_difference",
    "sum": "reckoned_sum",
    "average": "reckoned_average",
    "rate": "reckoned_rate",
    "product": "reckoned_product",
    "spread": "reckoned_spread",
}
_PERCENT: tuple[Kind, ...] = ("share", "rest", "change")
_SAID_SO: tuple[tuple[str, frozenset[Kind]], ...] = (
    ("reckoned_average", frozenset({"average", "rate", "span"})),
    ("total", frozenset({"sum", "count", "product", *_PERCENT})),
)
"""Words that leave no other kind: the average, in total."""
_OF_WHOLE = re.compile(r"\s*(?:%|percent|per cent|prozent)?\s*(?:of|der|des|von|vom|aller|的)(?![a-z])", re.IGNORECASE)
_THERE_ARE = re.compile(
    r"(?<![a-z])(?:there (?:are|were)|we have|has|have|had|es gibt|gibt es|wir haben|hat|haben|all|alle|the|die|these|unsere|our)\s*$|有$|共$"
)
_PARTLY = re.compile(r"\s*(?:out of|of|der|von den|von diesen|aus)\s", re.IGNORECASE)
_WHICH = re.compile(
    r",?\s*(?:that|which|who|whose|where|with|without|die|der|das|welche|mit|ohne|deren)\s", re.IGNORECASE
)
_AND_MINUTES = re.compile(r"\s*(?:hours?|hrs?|h|stunden?|std\.?|小时)\s*(?:and|und|,)?\s*", re.IGNORECASE)
_IS_SHARE = re.compile(r"占(?:了|到|约|近)?\s*$")
_OF_THE = re.compile(r"(?<![a-z])(?:of the|out of|of|von den|von|der|aus)\s*$")
"""Before a whole: 19 of the 47."""
_SO_MUCH = listed(
    "more fewer less mehr weniger higher lower longer shorter hoeher tiefer laenger kuerzer left free remaining uebrig frei freie ahead behind over above under below short "
    "missing unsold late early later earlier zu ab 多 少 高 低 差 剩"
)
_EACH = listed("per pro je each apiece every ratio 每 均")
_ARTICLES = frozenset({"a", "an", "ein", "eine", "einen", "einer"})


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


def reckoned_figures(scene: Scene, done: Sequence[CheckedStatement]) -> Iterator[ReckonedFigure]:
    """The figures of a sentence that neither a cell nor one of these statements accounts for, each reckoned."""
    settled = {start for one in done if one.truth != "contradicted" for start in one.settles}
    known = {start for one in done if one.truth == "supported" for start in one.settles}
    wrong = {one.span for one in done if one.truth == "contradicted"}
    tried = 0
    for said in scene.figures:
        figure = said.figure
        if figure.dates and _is_open_day(scene, said):
            yield ReckonedFigure(said, None, CellReckoning("cell", Decimal(0), (), ()), "not_checkable")
        open_ = figure.readings and not scene.is_bound(said) and figure.start not in settled
        if open_ and (figure.start, figure.end) not in wrong and tried < _MOST_RECKONED:
            tried += 1
            found = FigureReckoner(scene, said, known).best()
            if found is not None:
                known |= {figure.start} if found.truth == "supported" else set()
                yield found


def _is_open_day(scene: Scene, said: SaidFigure) -> bool:
    """Whether a day stands in several columns of the one row that is spoken of, or in one that no word says."""
    bound = scene.bound.get(said.figure.start)
    if bound is None or bound.provenance.status != "ambiguous":
        return False
    rows = [
        one for table in scene.page.tables for one in rows_of(said, table, scene.page) if one.how in ("named", "only")
    ]
    return any(
        table_says(one.table, one.rows[0], column, said.meaning)
        for one in rows
        if len(one.rows) == 1
        for column in one.table.days
    )


class FigureReckoner:
    """One figure of one sentence."""

    def __init__(self, scene: Scene, said: SaidFigure, settled: set[int]) -> None:
        self.scene, self.said, self.settled, self.page = scene, said, settled, scene.page
        self.percent = said.figure.percent
        end = said.figure.end - (1 if said.figure.text.endswith("%") else 0)
        self.points = _POINTS.match(self.page.text, end) is not None
        bound = scene.bound.get(said.figure.start)
        self.wrong_unit = bound is not None and bound.why == "wrong unit"
        self.sure = bound is not None and bound.sure and self._is_named_here()
        """Whether its own words say a cell that says otherwise: then others must say that it is reckoned."""
        self.open = bound is not None and bound.provenance.status == "ambiguous"
        """Whether it stands in a cell, and only the words do not say in which."""
        figure = said.figure
        size = abs(figure.readings[0]) if figure.readings else Decimal(0)
        self.digits = max(
            significant_digits(figure), _DISTINCT if size >= _LARGE else 2 if size >= _TEN or figure.percent else 0
        )

    def _is_named_here(self) -> bool:
        """Whether a row is named in this part of the sentence, or before it."""
        end = self._clause.line.end
        return any(one.start < end for one in self.scene.names) or not self.scene.names

    def best(self) -> ReckonedFigure | None:
        """What the words bear out most of all that the figure may come from."""
        if self.wrong_unit:
            return None
        article = self.said.figure.kind == "word" and self.said.figure.text.lower() in _ARTICLES
        crowded = any(map(self._is_crowded, self.page.tables))
        if not crowded and ((article and not self.sure) or self._counts_some_rows()):
            return ReckonedFigure(self.said, None, CellReckoning("count", Decimal(1), (), ()), "not_checkable")
        if (whole := self._of_two_units()) is not None:
            return whole
        most, best = 0, None
        for table, found in self._reckonings():
            if self._says(table, found) and self._goes(found):
                weight = self._weight(table, found)
                if weight > most:
                    most, best = weight, (table, found)
                if weight > 1:
                    break
        if best is None and self.open and self.said.meaning.compares:
            # A bound that nobody reads is no figure of a cell.
            return ReckonedFigure(self.said, None, CellReckoning("count", Decimal(0), (), ()), "not_checkable")
        if best is None or (most == 1 and self._is_of_other_row()):
            return None
        return ReckonedFigure(self.said, *best, "supported" if most > 1 else "not_checkable")

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
            for table in self._tables:
                for row in (rows[0] for rows in self._named_rows(table) if len(rows) == 1):
                    for column in table.figures:
                        if value_at(table, row, column) == minutes:
                            found = CellReckoning("cell", minutes, (row,), (column,))
                            return ReckonedFigure(self.said, table, found, "supported")
        return None

    def _counts_some_rows(self) -> bool:
        """Whether the figure counts rows, fewer than there are, and more is said of which: two of the flights, four flights that left."""
        figure, page = self.said.figure, self.page
        noun = page.noun_of(figure)
        if noun is None or figure.percent or self.said.meaning.unit is not None or figure.readings[0] < 1:
            return False
        refs = [ref for ref in noun.columns if not page.measured((ref,))]
        fewer = any(figure.readings[0] < len(page.tables[ref.table].rows) for ref in refs)
        text = page.text
        partly = _PARTLY.match(text, figure.end) is not None or _WHICH.match(text, noun.end) is not None
        line = self.scene.line
        plain = _THERE_ARE.search(self.page.tokens.before(self.said.first, 24)) is not None
        goes_on = page.tokens.at(noun.end) + 1 < line.last
        return fewer and (partly or (goes_on and not plain and not self.scene.has("total")))

    def _is_of_other_row(self) -> bool:
        """Whether another row than the one that is named has the figure in a column that is told."""
        for table in self._tables:
            named = {row for rows in self._named_rows(table) for row in rows}
            for column in self._told(table) & set(table.figures) if named and not self.open else ():
                if any(
                    table_says(table, row, column, self.said.meaning)
                    for row in range(len(table.rows))
                    if row not in named
                ):
                    return True
        return False

    # --- what may be meant

    def _reckonings(self) -> Iterator[tuple[Table | None, CellReckoning]]:
        yield from ((None, one) for one in of_figures(self._spoken))
        for table in self._tables:
            yield from ((table, one) for one in self._of_table(table))

    def _of_table(self, table: Table) -> Iterator[CellReckoning]:
        columns, named = self._columns(table), self._named_rows(table)
        families = self.page.index.families.get(table.number, {})
        single = [rows[0] for rows in named if len(rows) == 1]
        for row in single:
            yield from of_row(table, row, columns, families)
            yield from spans_of_time(table, row, list(table.columns))
        for row in single[:1]:
            for other in self._other_rows(table, row):
                yield from of_two_rows(table, row, other, columns)
        if not table.whole:
            return
        for rows in named:
            yield from shares_of_all(table, rows, columns)
            if len(rows) > 1:
                yield CellReckoning("count", Decimal(len(rows)), rows, ())
        groups = list(dict.fromkeys(self._groups(table, named)))
        for rows in groups:
            yield from of_rows(table, rows, columns)
            for row, other in permutations(rows, 2) if len(rows) == 2 else ():
                yield from of_two_rows(table, row, other, columns)
            if len(rows) <= _FEW:
                yield from self._cells_of(table, rows, columns)
        some = [rows for rows in groups if len(rows) < len(table.rows)]
        for rows, others in permutations(some, 2):
            yield from of_two_groups(table, rows, others, columns)
        if self.digits >= _DISTINCT and not self._clause.names:
            told = [column for column in columns if column in self._told(table)]
            for rows in groups_of(table):
                yield from (one for one in of_rows(table, rows, told) if one.kind in ("sum", "average"))

    def _cells_of(self, table: Table, rows: Sequence[int], columns: Sequence[str]) -> Iterator[CellReckoning]:
        """The cells of a few rows that are spoken of together, in the columns that are told."""
        for column in columns if len(rows) < len(table.rows) else ():
            if column in self._told(table):
                values = values_of(table, column, rows)
                yield from (CellReckoning("cell", value, (row, *rows), (column,)) for row, value in values.items())

    @cached_property
    def _tables(self) -> list[Table]:
        """The results that the sentence may be about, the likeliest first."""
        first = [self.scene.table] if self.scene.table is not None else []
        every = [*first, *(table for table in self.page.tables if table not in first)]
        return [table for table in every[:_MOST_TABLES] if 0 < len(table.rows) <= _MOST_ROWS]

    def _columns(self, table: Table) -> list[str]:
        columns = number_columns(table, self.scene.ordered(table))
        told = self._told(table)
        return columns if len(columns) <= _MOST_COLUMNS else [column for column in columns if column in told]

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
        return figure.start in self.settled or (
            bound.provenance.status == "bound" and bound.provenance.kind in ("cell", "derived")
        )

    def _named_rows(self, table: Table) -> list[tuple[int, ...]]:
        """The rows that the figure is said of: one, or those of a group; the likeliest first."""
        found = [one for one in rows_of(self.said, table, self.page) if one.how != "none" and one.rows]
        return [tuple(one.rows) for one in found if len(one.rows) < max(2, len(table.rows))]

    def _other_rows(self, table: Table, row: int) -> list[int]:
        """The other single rows that the sentence names."""
        single = (rows for one in self.scene.names if len(rows := self.scene.rows(one, table)) == 1)
        named = (other for rows in single for other in rows if other != row)
        groups = (rows for one in self.scene.names if row in (rows := self.scene.rows(one, table)) and len(rows) == 2)
        return list(dict.fromkeys([*named, *(other for rows in groups for other in rows if other != row)]))

    def _groups(self, table: Table, named: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
        """Rows that may be taken together: those of a group, those that are enumerated, or all where none is the subject."""
        yield from (rows for rows in named if len(rows) > 1)
        keyed = [one for one in self.scene.names if self.scene.is_key(one, table) and not one.excluded]
        together = tuple(sorted({row for one in keyed for row in self.scene.rows(one, table)}))
        if 1 < len(together) < len(table.rows):
            yield together
        named_here = self._clause.names or self.scene.names
        groups = [self.scene.rows(one, table) for one in named_here if not self.scene.is_key(one, table)]
        yield from (tuple(sorted(rows)) for rows in groups if 1 < len(rows) < len(table.rows))
        clause = self._clause
        whole = _OF_THE.search(self.page.tokens.before(self.said.first, 16)) is not None
        if len(table.rows) > 1 and (whole or not any(clause.is_key(one, table) for one in clause.names)):
            yield tuple(range(len(table.rows)))

    # --- whether the figure says it

    def _says(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether the figure is this value, of its kind and in its unit."""
        if found.kind == "cell" and not self.open and not self._may_be_cell(table, found):
            return False
        if not self._is_of_time(table, found) or not self._is_said_kind(found):
            return False
        rates = table is not None and any(column in table.rates for column in found.columns)
        plain = found.kind in ("cell", "average")
        if self.percent and not self.points:
            if found.kind not in _PERCENT and not (rates and plain):
                return False
        elif self.percent or (self.points and rates):
            if found.kind not in ("difference", "spread", "cell"):
                return False
        elif found.kind in _PERCENT:
            return False
        if found.kind == "span":
            return self._spans(found)
        if found.kind == "cell" and table is not None:
            return table_says(table, found.rows[0], found.columns[0], self.said.meaning)
        return self._fits_unit(table, found) and any(self._is_near(value) for value in self._scaled(table, found))

    def _may_be_cell(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether a cell may be meant though the binding took another: of several rows, by its unit, or by the word before it."""
        if table is None or len(found.rows) > 1:
            return table is not None and not self.sure
        unit = self.said.meaning.unit
        measured = [
            column for column in table.measures if unit is not None and unit.dimension in table.dimensions(column)
        ]
        of_unit = unit is not None and not unit.is_currency and measured == list(found.columns)
        return of_unit or self._is_led_by(table, found) or self._is_of_several_times(table, found)

    def _is_of_several_times(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether the heading of a list says several times of a measure, and the cell is of one of them: June -> July."""
        said = set(self._heading.periods(table)) if self._heading is not None and table is not None else set()
        families = self.page.index.families.get(table.number, {}).values() if table is not None else ()
        return any(len(said & set(family)) > 1 and found.columns[0] in said & set(family) for family in families)

    def _is_led_by(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether the last word for a column before the figure, in its part of the sentence, says the column of a cell."""
        page, said = self.page, self.said
        before = [one for one in page.near(said, page.measures) if one.last < said.first]
        if not before or table is None or said.figure.start - before[-1].end > _ADJACENT:
            return False
        if self.sure and self.page.text[before[-1].start].isascii():
            return False
        size = before[-1].end - before[-1].start
        refs = (ref for ref in before[-1].columns if ref.table == table.number and ref.column in found.columns)
        return any(ref.sure and len(ref.column) <= size + 1 for ref in refs)

    def _is_said_kind(self, found: CellReckoning) -> bool:
        """Whether no word of this part of the sentence says another kind of reckoning."""
        part = self.scene if len(self.scene.figures) == 1 else self._clause
        return found.kind == "cell" or all(found.kind in kinds for word, kinds in _SAID_SO if part.says_apart(word))

    def _is_of_time(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether the columns are of the times that the sentence says, where it says any."""
        said = set(self.scene.periods(table)) if table is not None else set()
        for family in self.page.index.families.get(table.number, {}).values() if said and table is not None else ():
            told, own = said & set(family), set(family) & set(found.columns)
            if told and own and not (told <= own or (len(own) < len(family) and own <= told)):
                return False
        return True

    def _fits_unit(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether the unit beside the figure is not another one than that of the column that is measured."""
        unit = self.said.meaning.unit
        if unit is None or table is None or not found.columns or found.kind in ("rate", "product", *_PERCENT):
            return True
        own = table.dimensions(found.columns[0])
        return not own or unit.dimension in own

    def _scaled(self, table: Table | None, found: CellReckoning) -> Iterator[Decimal]:
        """The value as its cells are written, in how many they are, and in the unit beside the figure."""
        column = found.columns[0] if found.columns and found.kind not in (*_PERCENT, "rate", "count") else None
        if table is None or column is None:
            yield found.value
            return
        unit, facts = self.said.meaning.unit, table.columns[column]
        own = unit_called(facts.unit) if facts.unit else table.unit_of_texts(column)
        same = unit is None or own is None or own.is_currency or own.dimension != unit.dimension
        value = found.value if same or unit is None or own is None else found.value * own.factor / unit.factor
        yield value
        if facts.multiple != 1:
            yield value * facts.multiple

    def _spans(self, found: CellReckoning) -> bool:
        unit = self.said.meaning.unit
        if unit is None or not unit.factor or unit.dimension not in ("time", "months"):
            return False
        size = unit.factor / 60 if unit.dimension == "time" else unit.factor * _MONTH
        value = found.value / size
        near = max(
            Decimal("0.06") * value if unit.dimension == "months" else Decimal(0), Decimal("0.1") * (size >= _WEEK)
        )
        return any(abs(reading - value) <= near for reading in self.said.figure.readings)

    def _is_near(self, value: Decimal) -> bool:
        values = (value,) if self._sign is not None and value else (value, -value)
        bounded = self.said.meaning.compares
        return any(
            low <= one <= high and (not bounded or self._is_close(one, _NEAR_BOUND))
            for low, high in self.said.meaning.spans
            for one in values
        )

    def _is_close(self, value: Decimal, part: Decimal) -> bool:
        return any(abs(value - reading) <= abs(reading) * part for reading in self.said.figure.readings)

    @cached_property
    def _sign(self) -> int | None:
        """The sign that is written before the figure."""
        readings = self.said.figure.readings
        if readings and readings[0] < 0:
            return -1
        before = self.page.text[max(0, self.said.figure.start - 2) : self.said.figure.start]
        return 1 if self.said.figure.text[:1] in "+＋" or _PLUS.search(before) else None

    def _goes(self, found: CellReckoning) -> bool:
        """Whether a value goes in the direction that is said."""
        if not found.directed or not found.value:
            return True
        if self._sign is not None:
            return (found.value > 0) == (self._sign > 0)
        return self._way is None or (found.value > 0) == (self._way == "up")

    @cached_property
    def _way(self) -> str | None:
        """The direction that is said."""
        up, down = self._clause.has("reckoned_up"), self._clause.has("reckoned_down")
        return None if up == down else "up" if up else "down"

    # --- how much the words say

    @cached_property
    def _clause(self) -> Scene:
        start = self.said.figure.start
        return next((one for one in self.scene.clauses if one.line.start <= start < one.line.end), self.scene)

    @cached_property
    def _heading(self) -> Scene | None:
        """The line above a list that the figure stands in."""
        line = self.scene.line
        listed = line.listed and line.above >= 0
        return Scene(self.page, self.page.lines[line.above], self.scene.bound, lang=self.scene.lang) if listed else None

    def _told(self, table: Table) -> set[str]:
        """The columns that words, other figures of the sentence, or the unit of the figure say."""
        mentions = [*self.scene.columns, *self.page.carried(self.said, self.page.columns)]
        heading = self.page.heading(self.said)
        mentions += self.page.columns.within(*heading) if heading is not None else []
        refs = [ref for one in mentions if one.end - one.start > 1 for ref in one.columns if ref.table == table.number]
        sure = {ref.column for ref in refs if ref.sure}
        told = (sure or {ref.column for ref in refs}) | set(self.scene.of_figures(table))
        unit = self.said.meaning.unit
        measured = (
            column for column in table.measures if unit is not None and unit.dimension in table.dimensions(column)
        )
        return told | set(measured)

    def _is_crowded(self, table: Table) -> bool:
        """Whether there are so many columns of figures that some of them come to anything."""
        return len(table.figures) > _MOST_COLUMNS

    def _is_of_noun(self, found: CellReckoning) -> bool:
        """Whether only the column is reckoned with that the noun of the figure says."""
        nouns = {ref.column for ref in self.page.nouns(self.said.figure)}
        return bool(found.columns) and set(found.columns) <= nouns and self._is_said_so(found)

    def _is_said_so(self, found: CellReckoning) -> bool:
        """Whether the words right around the figure say that it is reckoned: rose by 5, 5 more, +5, in total, on average."""
        if found.kind in (*_PERCENT, "cell", "span") or self._sign is not None:
            return True
        if found.kind == "difference":
            before, behind = (
                self.page.tokens.before(self.said.first, 28),
                self.page.words[self.said.last + 1 : self.said.last + 4],
            )
            return BY_SO_MUCH.search(before) is not None or not _SO_MUCH.isdisjoint(behind)
        if found.kind == "rate":
            return not _EACH.isdisjoint(self.page.words[self.scene.line.first : self.scene.line.last])
        if found.kind == "sum" and _OF_THE.search(self.page.tokens.before(self.said.first, 16)):
            return True
        kind = {"sum": "total", "average": "reckoned_average", "product": "total"}.get(found.kind)
        return kind is not None and self._clause.has(kind)

    def _is_of_whole(self) -> bool:
        """Whether a share is said to be one: 40 % of, 占40%."""
        figure, text = self.said.figure, self.page.text
        behind = _OF_WHOLE.match(text, figure.end) is not None
        return behind or _IS_SHARE.search(text, max(0, figure.start - 4), figure.start) is not None

    def _weight(self, table: Table | None, found: CellReckoning) -> int:
        """2 where the words say what is reckoned, 1 where they leave it open, 0 where it may be chance."""
        if self.sure and not self._is_said_so(found):
            return 0
        if any(map(self._is_crowded, self.page.tables)) and not self._is_of_noun(found):
            return 0
        cue, digits = self._has_cue(table, found), self.digits
        most = 1 if self._is_vague(found) else 2
        if table is None:
            return most if cue and self._is_said_so(found) else int(digits >= _DISTINCT)
        told = self._told(table)
        families = self.page.index.families.get(table.number, {})
        related = {c for family in families.values() if told & set(family) or len(families) == 1 for c in family}
        known = sum(column in told or column in related for column in found.columns)
        every = known == len(found.columns)
        if found.kind in ("cell", "count"):
            led = found.kind == "cell" and not self.open and self._may_be_cell(table, found) and len(found.rows) == 1
            return most if led else int(digits > 1 or found.kind == "count")
        if found.kind == "span":
            return most if every or digits > 1 else 1
        if cue and (every or (known and digits >= _DISTINCT and found.kind != "rate")):
            return most
        if not cue and (found.kind in ("average", "rate", "product", "spread") or len(found.columns) > 2):
            return int(digits >= _MANY)
        whole = found.kind == "sum" and any(part.has("total") for part in (self._clause, self.scene))
        likely = cue and digits > 1 and (whole or known or digits >= _DISTINCT or self._is_natural(table, found))
        return int(likely or (every and digits > 1) or digits >= _MANY)

    def _is_natural(self, table: Table, found: CellReckoning) -> bool:
        """Whether a reckoning of one row is one that people make without saying the columns: what is left of a whole, or which part."""
        if len(found.rows) != 1 or len(found.columns) != 2 or found.kind not in ("share", "difference"):
            return False
        one, other = found.columns
        return table.is_part(one, other) or (found.kind == "difference" and table.is_part(other, one))

    def _is_vague(self, found: CellReckoning) -> bool:
        """Whether the words say more than the value can bear out: a direction that it has not, or a far bound."""
        undirected = found.kind in ("difference", "change") and not found.directed and bool(found.columns)
        far = self.said.meaning.compares and not self._is_close(abs(found.value), _AT_BOUND)
        compared = found.directed and len(found.rows) > 1 and self._way is None and self._sign is None
        return (
            (undirected and self._way is not None and len(found.columns) > 1) or far or compared or found.kind == "rest"
        )

    def _has_cue(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether a word says that something is reckoned in this way."""
        if found.kind in ("span", "cell", "count"):
            return True
        parts = [one for one in (self._clause, self.scene, self._heading) if one is not None]
        if found.kind == "share":
            return self._is_of_whole() or not any(one.has("reckoned_change") for one in parts)
        if found.kind == "sum" and table is not None and len(found.rows) == len(table.rows) > 1:
            return not self.scene.has("reckoned_average")
        return any(one.has(_CUES[found.kind]) for one in parts)
