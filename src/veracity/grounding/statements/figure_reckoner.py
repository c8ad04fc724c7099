"""One figure that stands in no cell, held against all that the cells of the spoken rows come to, and how much of that the words say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.cue_words import HEDGES
from veracity.grounding.binding.figure_meaning import table_says
from veracity.grounding.binding.name_forms import is_average
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.figure_words import DISTINCT, FigureWords
from veracity.grounding.statements.figures_by_form import FigureByForm, ReckonedFigure
from veracity.grounding.statements.reckonings import PERCENT, CellReckoning, alike, goes_in_less_out, of_row
from veracity.grounding.statements.scene import Scene
from veracity.grounding.statements.spoken_rows import MOST_COLUMNS, SpokenRows
from veracity.language.units import unit_called

_UNSCALED = (*PERCENT, "rate", "count")
"""Kinds that have no unit of a column."""
_MANY = 4
"""Digits by which a figure certainly does not come about by chance."""
_NEAR_BOUND, _AT_BOUND = Decimal("0.25"), Decimal("0.1")
"""Who says more than 9 means 9.2 rather than 90."""
_MONTH, _WEEK = Decimal(43830), Decimal(10080)
_TIME_BEHIND = 5
_BEFORE = re.compile(
    r"(?<![a-z])(?:before|previous|prior|last|up from|down from|vor(?:jahr|monat|quartal|woche)\w*|zuvor|davor)(?![a-z])|上年|去年|上月|前一"
)
_DIGITS = re.compile(r"[0-9]+")
_OF_PLANS = re.compile(
    r"(?<![a-z])(?:overr[au]n\w*|underr[au]n\w*|overspen\w*|underspen\w*|(?:over|under) (?:the )?budget|budgetueber\w*|budgetunter\w*)(?![a-z])|超支|超预算|节余"
)
_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_AFTER = re.compile(r"(?<![a-z])(?:after|nach)(?: (?:about|only|just|etwa|rund|nur|knapp))?\s*$")
_THAN = re.compile(r"(?<![a-z])(?:than|als|as|wie)(?![a-z])|比")
_MORE_THAN = re.compile(r"(?<![a-z])(?:(?P<more>more|mehr)|fewer|less|weniger)(?: [a-z]+){0,2} (?:than|als)(?![a-z])")
_EACH = (["je"], ["jeweils"], ["each"], ["各"])
_ARTICLES = frozenset({"a", "an", "ein", "eine", "einen", "einer"})


class FigureReckoner:
    """One figure of one sentence."""

    def __init__(
        self,
        scene: Scene,
        said: SaidFigure,
        settled: set[int],
        *,
        compared: bool = False,
        told: frozenset[str] = frozenset(),
    ) -> None:
        self.scene, self.said, self.page = scene, said, scene.page
        self._is_compared, self._also_told = compared, told
        """Whether which row is more was verified already; columns that other figures of the sentence come from."""
        self.words = FigureWords(scene, said)
        self.rows = SpokenRows(self.words, settled)
        bound = scene.bound.get(said.figure.start)
        self.wrong_unit = bound is not None and bound.why == "wrong unit" and not self._is_measured()
        self.crowded = any(len(table.figures) > MOST_COLUMNS for table in self.page.tables)
        """Whether a result has so many columns of figures that some of them come to anything."""

    def _is_measured(self) -> bool:
        """Whether something is measured in the unit of the figure, or in another one of its kind."""
        unit = self.said.meaning.unit
        return unit is not None and any(
            unit.dimension in table.dimensions(column) for table in self.page.tables for column in table.figures
        )

    def best(self) -> ReckonedFigure | None:
        """What the words bear out most of all that the figure may come from."""
        if self.wrong_unit:
            return self._of_span()
        article = self.said.figure.kind == "word" and self.said.figure.text.lower() in _ARTICLES
        if not self.crowded and ((article and not self.words.sure) or self.words.counts_some_rows()):
            return ReckonedFigure(self.said, None, CellReckoning("count", Decimal(1), (), ()), "not_checkable")
        if (told := FigureByForm(self.words, self.rows).read()) is not None:
            return told
        most, best = -1, None
        for table, found in self.rows.reckonings():
            if self._says(table, found) and self.goes(found):
                weight = min(self._weight(table, found), 1 if found.unnamed else 2)
                if not weight and not self._may_be_chance(table, found):
                    continue
                if weight > most:
                    most, best = weight, (table, found)
                if weight > 1:
                    break
        if best is None and self.words.open and self.said.meaning.compares:
            # A bound that nobody reads is no figure of a cell.
            return ReckonedFigure(self.said, None, CellReckoning("count", Decimal(0), (), ()), "not_checkable")
        each = best is not None and best[1].kind == "rate" and self.words.says_each
        if best is None or (most <= 1 and not each and self._is_of_other_row()):
            return None
        sure = most > 1 and self._is_of_each(*best) and self._is_of_said_rows(*best)
        return ReckonedFigure(self.said, *best, "supported" if sure else "not_checkable")

    def with_value(self, value: Decimal) -> FigureReckoner:
        """The same, as if the figure were another one."""
        other = copy(self)
        figure = replace(self.said.figure, readings=(value,))
        meaning = self.said.meaning._replace(figure=figure, spans=((value, value),))
        other.said = self.said._replace(figure=figure, meaning=meaning)
        return other

    def says_surely(self, table: Table, found: CellReckoning) -> bool:
        """Whether the words say that the figure is this value."""
        return self._says(table, found) and self._weight(table, found) > 1

    def _is_of_each(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether what is said of both of several rows is so for each of them: both grew by 50 %, je fünf."""
        clause = self.words.clause
        each = self.page.words[self.said.first - 1 : self.said.first] in _EACH or clause.has("all")
        if table is None or len(found.rows) != 1 or not each:
            return True
        rows = {row for _one, row in clause.subjects(table)}
        families = self.page.index.families.get(table.number, {})
        return all(
            any(self._says(table, one) for one in of_row(table, row, found.columns, families) if one.kind == found.kind)
            for row in rows - set(found.rows)
        )

    def _is_of_said_rows(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether several rows are as many as a number word says, and none of which something is denied."""
        if table is None or found.kind not in ("sum", "average") or not 1 < len(found.rows) < len(table.rows):
            return True
        if self.words.clause.has("negated", "without", "undone"):
            return False
        words = (one for one in self.scene.every_figure if one.figure.kind == "word" and one.meaning.unit is None)
        numbers = {reading for one in words for reading in one.figure.readings if reading > 1}
        return not numbers or not numbers.isdisjoint({len(found.rows), len(found.columns)})

    def _of_span(self) -> ReckonedFigure | None:
        """A span of time from one day of the row to another, where a column has another unit of time: 30 days, beside 12 hours."""
        for table, found in self.rows.reckonings():
            if found.kind == "span" and self._says(table, found):
                return ReckonedFigure(
                    self.said, table, found, "supported" if self.words.digits > 1 else "not_checkable"
                )
        return None

    def may_come_from_cells(self) -> bool:
        """Whether any cells of the rows that are spoken of come to the figure, whatever the words say."""
        return any(self._says(table, found) for table, found in self.rows.reckonings())

    def _is_of_other_row(self) -> bool:
        """Whether another row than the one that is named has the figure in a column that is told."""
        for table in self.rows.tables:
            named = {row for rows in self.rows.named(table) for row in rows}
            for column in self.words.told(table) & set(table.figures) if named and not self.words.open else ():
                if any(
                    table_says(table, row, column, self.said.meaning)
                    for row in range(len(table.rows))
                    if row not in named
                ):
                    return True
        return False

    def _says(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether the figure is this value, of its kind and in its unit."""
        # Hardly any value is near, and values are compared much faster than words.
        return (
            self.comes_to(table, found)
            and self._may_say(table, found)
            and not self._is_guess_beside(found)
            and not self._is_behind_other_name(table, found)
        )

    def comes_to(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether the figure is this value in its unit, whatever the words around it say."""
        if self._is_as_written(table, found) and not self._is_near(found.value):
            return False  # Most values are far off, which is told fastest.
        if not self._is_of_kind(table, found):
            return False
        if found.kind == "span":
            after = found.inclusive and _AFTER.search(self.page.tokens.before(self.said.first, 12)) is not None
            return not after and self._spans(found)
        if found.kind == "cell" and table is not None:
            return table_says(table, found.rows[0], found.columns[0], self.said.meaning)
        return any(self._is_near(value) for value in self.scaled(table, found))

    def _is_behind_other_name(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether a name of several rows stands right before the figure, which is what others come to: hall A 3, hall B 4."""
        if table is None or found.kind not in ("sum", "average", "cell") or not found.rows:
            return False
        start, text = self.said.figure.start, self.page.text
        before = next((one for one in self.scene.names if one.end <= start and not text[one.end : start].strip()), None)
        rows = self.scene.rows(before, table) if before is not None else frozenset[int]()
        return len(rows) > 1 and not set(found.rows) <= rows

    def _is_guess_beside(self, found: CellReckoning) -> bool:
        """Whether nobody names the other row, and the own words of the figure say another column: 42 in stock are no prices."""
        bound = self.scene.bound.get(self.said.figure.start)
        if not found.guessed or bound is None or not bound.own or bound.place is None:
            return False
        return bound.place.column not in found.columns

    def _may_say(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether the figure may be of this kind, in its unit, whatever its value."""
        if found.kind == "cell" and not self.words.open and not self._may_be_cell(table, found):
            return False
        back = found.kind == "cell" and table is not None and self.words.goes_back(table, found)
        return (back or self.is_of_time(table, found.columns)) and self.words.allow(table, found)

    def _is_of_kind(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether a figure in percent, in points or in a unit may be of this kind."""
        rates = table is not None and any(column in table.rates for column in found.columns)
        plain = found.kind in ("cell", "average", "sum")
        if self.said.figure.percent and not self.words.points:
            if found.kind not in PERCENT and not (rates and plain):
                return False
        elif self.said.figure.percent or (self.words.points and rates):
            if found.kind not in ("difference", "spread", "cell"):
                return False
        elif found.kind in PERCENT:
            return False
        return found.kind in ("span", "cell") or self._fits_unit(table, found)

    def _may_be_cell(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether a cell may be meant though the binding took another: of several rows, by its unit, or by the word before it."""
        if table is None or len(found.rows) > 1:
            return table is not None and not self.words.sure
        unit = self.said.meaning.unit
        measured = [
            column for column in table.measures if unit is not None and unit.dimension in table.dimensions(column)
        ]
        of_unit = unit is not None and not unit.is_currency and measured == list(found.columns)
        words = self.words
        return (
            of_unit
            or words.lead_to(table, found)
            or words.say_several_times(table, found)
            or words.goes_back(table, found)
            or words.goes_on(table, found)
        )

    def is_of_time(self, table: Table | None, columns: Sequence[str]) -> bool:
        """Whether the columns are of the times that the sentence says, where it says any."""
        same = len(columns) > 1 and len({_DIGITS.sub("", column) for column in columns}) == 1
        if same and _OF_PLANS.search(self.words.clause.folded):
            return False  # An overrun is against a budget, not against the year before.
        if table is not None and not _BEFORE.search(self.scene.folded):
            years = set(_YEAR.findall(self.scene.text))
            own_years = {year for column in columns for year in _YEAR.findall(column)}
            every = {year for column in table.columns for year in _YEAR.findall(column)}
            if own_years and years & every and own_years.isdisjoint(years):
                return False
        parts = (self.words.clause, self.scene) if table is not None else ()
        spoken = (part.periods(table) for part in parts if table is not None)
        said = set(next(filter(None, spoken), ()))
        if table is not None and not self.words.clause.periods(table):
            said -= self.words.times_compared(table)
        for family in self.page.index.families.get(table.number, {}).values() if said and table is not None else ():
            told, own = said & set(family), set(family) & set(columns)
            before = (
                {one for one, other in pairwise(family) if other in told}
                if _BEFORE.search(self.scene.folded) and not self._has_time_behind()
                else set()
            )
            if told and own and not (told <= own or own <= before or (len(own) < len(family) and own <= told)):
                return False
        return True

    def _has_time_behind(self) -> bool:
        """Whether the figure is followed by its own time: from 64,785 kg in Q2."""
        last = self.said.last
        near = self.page.columns.among(last + 1, last + _TIME_BEHIND)
        return any(self.page.is_period(one) for one in near)

    def _fits_unit(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether the unit beside the figure is not another one than that of the column that is measured."""
        unit = self.said.meaning.unit
        if unit is None or table is None or not found.columns or found.kind in ("rate", "product", *PERCENT):
            return True
        own = table.dimensions(found.columns[0])
        return not own or unit.dimension in own

    def scaled(self, table: Table | None, found: CellReckoning) -> Iterator[Decimal]:
        """The value as its cells are written, in how many they are, and in the unit beside the figure."""
        if self.words.points and abs(found.value) <= 1:
            yield found.value * 100  # An accuracy of 0.893 is 1.2 points more than one of 0.881.
        column = found.columns[0] if found.columns and found.kind not in _UNSCALED else None
        if table is None or column is None:
            yield found.value
            return
        unit, facts = self.said.meaning.unit, table.columns[column]
        own = unit_called(facts.unit) if facts.unit else table.unit_of_texts(column)
        same = unit is None or own is None or own.is_currency or own.dimension != unit.dimension
        value = found.value if same or unit is None or own is None else found.value * own.factor / unit.factor
        yield from (value * by for by in self.said.meaning.scales(facts.multiple))

    def _is_as_written(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether a value is compared as it is: in no other unit, and not in thousands."""
        if self.words.points or found.kind in ("span", "cell"):
            return False
        if table is None or not found.columns or found.kind in _UNSCALED:
            return True
        return self.said.meaning.unit is None and table.columns[found.columns[0]].multiple == 1

    def _spans(self, found: CellReckoning) -> bool:
        unit = self.said.meaning.unit
        if unit is None or not unit.factor or unit.dimension not in ("time", "months"):
            return False
        size = unit.factor / 60 if unit.dimension == "time" else unit.factor * _MONTH
        value = found.value / size
        near = max(
            Decimal("0.06") * value if unit.dimension == "months" else Decimal(0), Decimal("0.1") * (size >= _WEEK)
        )
        # Three and a quarter hours, about 4 hours: as exact as it is said.
        rounded = any(self.said.figure.decimals) or not HEDGES.isdisjoint(
            self.page.words[self.said.first - 1 : self.said.first]
        )
        if rounded and not self.said.meaning.compares and self.said.meaning.has(value):
            return True
        return any(abs(reading - value) <= near for reading in self.said.figure.readings)

    def _is_near(self, value: Decimal) -> bool:
        either, bounded = self.words.sign is None or not value, self.said.meaning.compares
        for low, high in self.said.meaning.spans:
            if low <= value <= high and (not bounded or self._is_close(value, _NEAR_BOUND)):
                return True
            if either and low <= -value <= high and (not bounded or self._is_close(-value, _NEAR_BOUND)):
                return True
        return False

    def _is_close(self, value: Decimal, part: Decimal) -> bool:
        return any(abs(value - reading) <= abs(reading) * part for reading in self.said.figure.readings)

    def goes(self, found: CellReckoning) -> bool:
        """Whether a value goes in the direction that is said."""
        if not found.value:
            return True
        if self._is_of_other_side(found):
            return False
        if not found.directed:
            if found.kind == "change" and not found.rows and self.words.way is not None:
                return (found.value > 0) == (self.words.way == "up")  # From 61 to 77 is no plus of 20 %.
            if (turned := self._is_of_lesser(found)) is not None:
                return not turned
            inward = goes_in_less_out(*found.columns) if self._is_signed_balance(found) else None
            return inward is None or (found.value > 0) == (self.words.sign == (1 if inward else -1))
        if self.words.sign is not None:
            return (found.value > 0) == (self.words.sign > 0)
        return self.words.way is None or (found.value > 0) == (self.words.way == "up")

    def _is_of_other_side(self, found: CellReckoning) -> bool:
        """Whether the row that is said to be higher is the lower of two: sales were 61 higher [on Thursday]."""
        if found.kind not in ("difference", "change") or len(set(found.rows)) != 2:
            return False
        clause, table, way = self.words.clause, self.scene.table, self.words.way
        if way is None or table is None or not clause.degrees("comparative") or _THAN.search(self.scene.folded):
            return False
        before = [one for one in self.scene.names if one.end <= self.said.figure.start][-1:]
        told = (clause.rows(one, table) for one in clause.names or before if not one.compared)
        own = {next(iter(rows)) for rows in told if len(rows) == 1}
        if len(own) != 1 or not own <= set(found.rows):
            return False
        more = (found.value > 0) == (found.rows[0] in own)
        return more != (way == "up")

    def _is_of_lesser(self, found: CellReckoning) -> bool | None:
        """Whether more is said of the column of which there is less: five more joiners than leavers; nothing where no column is the figure's noun."""
        if found.kind != "difference" or len(found.columns) != 2:
            return None
        nouns = {ref.column for ref in self.page.nouns(self.said.figure)} & set(found.columns)
        said = _MORE_THAN.search(self.page.tokens.folded_part(self.said.figure.end, self.scene.line.end)[0])
        if len(nouns) != 1 or said is None:
            return None
        more = (found.columns[0] in nouns) == (found.value > 0)
        return more != (said["more"] is not None)

    def _is_signed_balance(self, found: CellReckoning) -> bool:
        """Whether a figure with a sign is one column of a row less another: a goal difference of -5."""
        both = found.kind == "difference" and len(found.columns) == 2 and len(found.rows) == 1
        return both and self.words.sign is not None and not found.directed

    def _is_of_noun(self, found: CellReckoning) -> bool:
        """Whether only the column is reckoned with that the noun of the figure says."""
        nouns = {ref.column for ref in self.page.nouns(self.said.figure)}
        return bool(found.columns) and set(found.columns) <= nouns and self.words.say_so(found)

    def _weight(self, table: Table | None, found: CellReckoning) -> int:
        """2 where the words say what is reckoned, 1 where they leave it open, 0 where it may be chance."""
        if self.words.sure and not self.words.say_so(found, table):
            rate = found.kind == "rate" and self.words.digits >= DISTINCT and self.said.meaning.unit is not None
            return int(rate or (self.words.digits > 1 and self.words.have_cue(table, found)))
        if self.crowded and not self._is_of_noun(found):
            return 0
        cue, digits = self.words.have_cue(table, found), self.words.digits
        if found.guessed and not cue:
            return 0
        most = 1 if found.guessed or self._is_vague(found) else 2
        if table is None:
            # One figure of the sentence in percent of another: 52 of 187, which is 28 %.
            part = found.kind == "share" and self.said.figure.percent and digits > 1
            return most if cue and (part or self.words.say_so(found)) else int(digits >= DISTINCT)
        told = self.words.told(table) | self._also_told
        families = self.page.index.families.get(table.number, {})
        related = {c for family in families.values() if told & set(family) or len(families) == 1 for c in family}
        known = sum(column in told or column in related for column in found.columns)
        every = known == len(found.columns)
        if found.kind in ("cell", "count"):
            led = (
                found.kind == "cell"
                and not self.words.open
                and self._may_be_cell(table, found)
                and len(found.rows) == 1
            )
            return most if led else int(digits > 1 or found.kind == "count")
        if found.kind == "spread" and self.said.meaning.unit is not None and table.holds_years(found.columns[0]):
            return most
        if found.kind == "span":
            return most if every or digits > 1 or len(table.days) == 2 else 1
        if found.kind == "rate" and (self.words.says_each or self.words.one_of(table)):
            each = self.words.each_of(table)
            most = 1 if (each and found.columns[-1] not in each) or (not each and digits <= 1) else most
        if cue and (every or (known and digits >= DISTINCT and found.kind != "rate")):
            return most
        if self._is_left(table, found) or self._is_of_group(table, found):
            return most
        alone = sum(column in told for column in table.figures if table.columns[column].numeric) == 1
        if cue and known and (alone or found.kind == "share") and digits > 1 and self._is_natural(table, found):
            return most
        of_row = found.kind == "sum" and len(found.rows) == 1 and digits >= DISTINCT
        if not cue and (found.kind in ("average", "rate", "product", "spread") or len(found.columns) > 2):
            return int(digits >= _MANY or of_row)
        whole = found.kind == "sum" and any(part.has("total") for part in (self.words.clause, self.scene))
        part = found.kind == "share" and self.words.is_of_whole()
        likely = cue and digits > 1 and (whole or part or known or digits >= DISTINCT or self._is_natural(table, found))
        return int(likely or (every and digits > 1) or digits >= _MANY)

    def _may_be_chance(self, table: Table | None, found: CellReckoning) -> bool:
        """Whether cells of the named rows come to a figure, though the words hardly say so: it need not be made up."""
        if table is None or self.crowded or found.guessed:
            return False
        if found.kind in PERCENT:
            return len(found.rows) == 1 or (len(found.rows) == 2 and self.words.have_cue(table, found))
        if found.kind in ("rate", "product"):
            unit = self.said.meaning.unit
            likely = found.kind == "rate" or unit is None or unit.is_currency
            return likely and len(found.rows) == 1 and self.words.digits >= DISTINCT
        told = self.words.told(table)
        near = len(found.rows) == 2 or not told.isdisjoint(found.columns) or self.words.says_net
        return found.kind == "difference" and near and self.words.have_cue(table, found)

    def _is_natural(self, table: Table, found: CellReckoning) -> bool:
        """Whether a reckoning of one row is one that people make without saying the columns: what is left of a whole, or which part."""
        if (
            len(found.rows) not in (1, len(table.rows))
            or len(found.columns) != 2
            or found.kind not in ("share", "difference")
        ):
            return False
        one, other = found.columns
        return table.is_part(one, other) or (found.kind == "difference" and table.is_part(other, one))

    def _is_left(self, table: Table, found: CellReckoning) -> bool:
        """Whether a figure is said to be left, and is what one column is short of the only other one that it is a part of."""
        if found.kind != "difference" or not self._is_natural(table, found) or not self.words.says_left():
            return False
        timed = {column for family in self.page.index.families.get(table.number, {}).values() for column in family}
        numeric = [c for c in table.figures if table.columns[c].numeric and c not in table.rates and c not in timed]
        pairs = [
            {one, other}
            for one in numeric
            for other in numeric
            if one != other and alike(table, one, other) and table.is_part(one, other)
        ]
        return pairs == [set(found.columns)]

    def _is_of_group(self, table: Table, found: CellReckoning) -> bool:
        """Whether a figure is the sum of what its noun says over the rows of a group that is named: Leeds delivered 2,667 parcels."""
        if found.kind != "sum" or self.words.digits < DISTINCT or len(found.columns) != 1:
            return False
        nouns = {ref.column for ref in self.page.nouns(self.said.figure) if ref.table == table.number}
        return nouns == set(found.columns) and not nouns & table.rates and found.rows in self.rows.named(table)

    def _is_vague(self, found: CellReckoning) -> bool:
        """Whether the words say more than the value can bear out: a direction that it has not, or a far bound."""
        apart = found.kind == "difference" and len(found.rows) == 2 and self._is_compared
        undirected = found.kind in ("difference", "change") and not found.directed and bool(found.columns) and not apart
        far = self.said.meaning.compares and not self._is_close(abs(found.value), _AT_BOUND)
        open_ = found.directed and self.words.way is None and self.words.sign is None and not apart
        compared = open_ and len(found.rows) > 1
        return (
            (undirected and self.words.way is not None and (len(found.columns) > 1 or len(found.rows) == 2))
            or (self._is_signed_balance(found) and goes_in_less_out(*found.columns) is None)
            or far
            or compared
            or (found.kind == "average" and any(map(is_average, found.columns)))
            or found.kind == "rest"
            # In percent of which of the two figures, nothing says.
            or (found.kind == "change" and not found.rows and self.words.way is None)
            or self._is_of_more_than_named(found)
        )

    def _is_of_more_than_named(self, found: CellReckoning) -> bool:
        """Whether two columns were added up over more rows than the one that is named: a rise of East, which is that of all regions."""
        table = self.scene.table
        several = len(found.columns) == 2 and len(found.rows) > 1 and found.kind in ("difference", "change")
        if table is None or not several or self.scene.has("total"):
            return False
        named = [rows for one in self.scene.names if (rows := self.scene.rows(one, table)) and not one.compared]
        return len(named) == 1 and named[0] < set(found.rows)
