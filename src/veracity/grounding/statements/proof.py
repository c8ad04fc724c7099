"""Whether the data contradicts a claim, or the claim was only not understood: a contradiction needs proof.

Every check may call a claim wrong; this is the one place that decides whether that holds. It does where the sentence was read well
enough that no true reading is left: its words are known, the row and the column are told, and another value in the same place would be
borne out. Whatever falls short of that is marked as not checkable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.bind import Bound
from veracity.grounding.binding.cue_words import ROUGHLY
from veracity.grounding.binding.figure_meaning import clock_times, significant_digits, table_says
from veracity.grounding.binding.named_rows import rows_of
from veracity.grounding.binding.period_names import numbers_in_name, period_in_name
from veracity.grounding.binding.results_index import CellPlace
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import values_of
from veracity.grounding.statements.changes import BY_SO_MUCH
from veracity.grounding.statements.figure_reckoner import FigureReckoner
from veracity.grounding.statements.figures_by_form import ReckonedFigure
from veracity.grounding.statements.open_statements import OpenStatements
from veracity.grounding.statements.other_readings import OtherReadings, Tries
from veracity.grounding.statements.other_times import is_of_other_time
from veracity.grounding.statements.scene import CheckedStatement, Scene
from veracity.grounding.statements.spoken_rows import MOST_COLUMNS
from veracity.grounding.statements.understood import UnderstoodWords
from veracity.language.folding import words_in
from veracity.language.nearest import words_of
from veracity.language.units import unit_called, units

_MOST_UNREAD = 1
"""So many words of a clause may be unknown where its claim is still read for certain."""
_LABELLED = 3
_MOST_ROWS, _FEW_ROWS = 5_000, 24
_DISTINCT = 3
_LEVELS = frozenset({"rate", "share", "rest", "product", "average", "sum"})
"""What is reckoned of a row or of several as a value of its own, which may be the highest, or rise."""
_NEXT = 2
_ONE_IN = re.compile(r"(?<![a-z0-9.,])(?:one|1) (?:in|out of)(?: every)?\s*$|(?:in|out of) every\s*$")
_PER_SCALE = re.compile(
    r"(?<![a-z])(?:per|pro|je) 10{1,6}(?![0-9])|(?<![a-z])(?:per|pro|je) 10{0,2}[,'.]000(?![0-9])|每[百千万]"
)
_LED_FROM = re.compile(
    r"(?<![a-z])(?:from|(?P<von>vo[nm])|compared (?:to|with)|versus|vs|against|gegenueber)\s*(?:[$€£]\s*)?$|从$|由$"
)
_OF = (["of"], ["von"])
_ONE_OF = frozenset({"a", "an", "one", "ein", "eine", "einen", "einer"})
_PER_UNIT = re.compile(r"\s*[A-Za-z]{1,6}/[A-Za-z]{1,6}")
_PER_ONE = re.compile(
    r"\s*(?:(?:chf|eur|usd|gbp|francs?|franken|dollars?|euros?)\s+)?(?:per|pro|je)\s+"
    r"(?!(?:cent|annum|hour|day|week|month|quarter|year|stunde|tag|woche|monat|quartal|jahr)(?![a-z]))[^\W\d_]{3,}",
    re.IGNORECASE,
)
_STEM, _FEW_WORDS = 3, 6
_COMPOUND_BEHIND = re.compile(r"-[^\W\d_]{2,}")
_SEASON = re.compile(r"(?<![0-9])(?P<first>(?:19|20)[0-9]{2})/(?P<second>[0-9]{2})(?![0-9/])")
_LETTERS_BEHIND = re.compile(r"[0-9][0-9.,'’]*(?P<unit>[A-Z]{2,4})")
_OF_THE = (["of", "the"], ["von", "den"], ["aller"])
_FIRST_WORDS = 3
_THEY = frozenset({"they", "these", "them", "sie", "diese", "它", "这"})


class ContradictionProof:
    """One sentence, and what of it was understood."""

    def __init__(self, scene: Scene, words: UnderstoodWords, tries: Tries) -> None:
        self.scene, self.page, self.words = scene, scene.page, words
        self.others = OtherReadings(scene, tries)
        self.open = OpenStatements(scene, words, self.others)

    def weighed(self, told: Sequence[CheckedStatement], reckoned: Sequence[ReckonedFigure]) -> list[CheckedStatement]:
        """The statements, with those only marked whose contradiction is not proven; and such figures."""
        if all(map(self.scene.is_bound, self.scene.figures)) and all(
            one.truth != "contradicted" and one.key not in ("superlative", "only") for one in told
        ):
            return list(told)
        settled = {start for one in told if one.truth != "contradicted" for start in one.settles}
        figures = [one for one in self._doubtful() if one.figure.start not in settled]
        of_their_own = dict.fromkeys(self._of_whole_columns(), "whole")
        of_their_own |= {one.said.figure.start: one.found.kind for one in reckoned if one.found.kind in _LEVELS}
        open_ = {one.figure.start for one in figures if not self._is_in_row(one)}
        unsure = {one.said.figure.start: one.found.kind for one in reckoned if one.truth == "not_checkable"}
        of_their_own |= unsure
        found = [
            replace(one, truth="not_checkable")
            if (
                one.truth == "contradicted" and (_is_disputed(one, told) or self.open.is_open(one, open_, of_their_own))
            )
            or (one.truth == "supported" and self.others.may_fail(one))
            else one
            for one in told
        ]
        return [*found, *(_marked(one) for one in figures)]

    def _of_whole_columns(self) -> Iterator[int]:
        """Where the figures start that are what a whole column comes to."""
        for said in self.scene.figures:
            bound = self.scene.bound.get(said.figure.start)
            if bound is not None and bound.provenance.status == "bound" and bound.provenance.kind == "derived":
                yield said.figure.start

    # --- figures

    def _doubtful(self) -> Iterator[SaidFigure]:
        """The figures that are not bound, and of which nothing proves that they are wrong."""
        for said in self.scene.figures:
            bound = self.scene.bound.get(said.figure.start)
            if bound is None or bound.provenance.status == "bound":
                continue
            if self._takes_up_several() or self._is_said_by_unread(said):
                yield said
                continue
            if (
                is_of_other_time(self.scene, said, bound)
                or not self._is_proven(said, bound)
                or self._may_come(said, bound)
            ):
                yield said

    def _takes_up_several(self) -> bool:
        """Whether a total is of those that the sentence before spoke of, which are not named here: zusammen zählten sie 3,758."""
        words = self.page.words[self.scene.line.first : self.scene.line.first + _FIRST_WORDS]
        first = self.page.lines[0].first == self.scene.line.first
        return not (first or self.scene.names or _THEY.isdisjoint(words)) and self.scene.has("total")

    def _is_said_by_unread(self, said: SaidFigure) -> bool:
        """Whether a word that was not understood stands right before a cell of the only row: the required 1.25."""
        table = self.scene.table
        if table is None or len(table.rows) != 1 or said.first - 1 not in self.words.strange_words:
            return False
        return any(table_says(table, 0, column, said.meaning) for column in table.figures)

    def _may_come(self, said: SaidFigure, bound: Bound) -> bool:
        """Whether other rows or columns that may be meant come to a figure, which is not one of the question."""
        return bound.why not in ("expression", "of the question", "wrong unit") and self.others.may_come(said)

    def _is_proven(self, said: SaidFigure, bound: Bound) -> bool:
        """Whether the data says something else where a figure stands."""
        if bound.why in ("expression", "of the question"):
            return True
        if (
            self._is_in_text(said)
            or self._is_part_of_name(said)
            or self._is_for_another(said)
            or self._is_number_of_times(said)
        ):
            return False
        if bound.why == "wrong unit":
            unit = said.meaning.unit
            return (unit is not None and unit.is_currency) or not self._is_in_row(said)
        if bound.provenance.status == "ambiguous" and self.scene.names:
            return self._is_of_other_row(said) and not self._is_in_row(said) and self._is_read(said, more=True)
        if bound.provenance.status == "ambiguous":
            return (
                not said.figure.dates
                and not self._is_year_of_day(said)
                and not self.scene.degrees("superlative")
                and self._is_read(said)
            )
        if bound.why == "excluded":
            return not said.meaning.compares and self._is_read(said)
        if bound.hint:
            return True  # All figures beside it are those of another row.
        place = bound.place
        fitting = place is not None and self._is_of_kind(said, place)
        nouns = {ref.column for ref in self.page.nouns(said.figure)}
        own = (
            fitting and place is not None and (bound.own or place.column in nouns or self._is_only_column(said, place))
        )
        if (not own or self._is_of_told_column(said)) and self._is_in_row(said):
            return False  # It is a cell of the row, only of another column than that which was read.
        if _PER_SCALE.search(self.scene.part_of(said).folded) or self._is_for_one(said) or self._may_be_of_others(said):
            return False
        if place is not None and fitting and self._is_led_from(said):
            # What it was before is of another row or time than what is named.
            values = values_of(self.page.tables[place.table], place.column).values()
            return not any(said.meaning.has(value) for value in values) and self._is_read(said)
        if place is not None and fitting:
            if not own:
                by = BY_SO_MUCH.search(self.page.tokens.before(said.first, 28)) is not None
                return not by and self._is_other_cell(said, place)
            doubtful = self._is_qualified(said) or self._is_moved_by(said)
            doubtful = doubtful and not self._is_of_other_row_there(said, place)
            return not doubtful and not self._is_in_order(place)
        return self._is_other_value(said, bound)

    def _is_in_text(self, said: SaidFigure) -> bool:
        """Whether letters and digits are a part of what a cell of the row says: K7, of `Motor K7 white`."""
        text = said.figure.text.casefold()
        if not any(sign.isalpha() and sign.isascii() for sign in text) or not any(sign.isdigit() for sign in text):
            return False
        cells = (cell for table, row in self._spoken(said) for cell in table.rows[row].values())
        whole = re.compile(rf"(?<![a-z0-9]){re.escape(text)}(?![a-z0-9])")
        if any(isinstance(cell, str) and whole.search(cell.casefold()) for cell in cells):
            return True
        unknown = _LETTERS_BEHIND.fullmatch(said.figure.text)
        if unknown is not None and said.meaning.unit is None and unit_called(unknown["unit"]) is None:
            return True  # 60MVA, a unit that nobody knows.
        # W35, of 2024-W35.
        named = (name for table in self.page.tables for column in table.naming for name in table.values.get(column, ()))
        return any(str(one).casefold().endswith(f"-{text}") for one in named)

    def _is_part_of_name(self, said: SaidFigure) -> bool:
        """Whether a number is a part of a word, of a season or of the name of a column: 4-Zimmer-Miete, 2024/25, over 52 weeks."""
        text, start, end = self.page.text, said.figure.start, said.figure.end
        if _COMPOUND_BEHIND.match(text, end) or self._is_in_season(start):
            return True
        unit = said.meaning.unit
        if said.figure.percent or (unit is not None and unit.is_currency) or not said.figure.readings:
            return False
        words = {word[:_STEM] for word in self.page.words[max(0, said.first - _FEW_WORDS) : said.last + _FEW_WORDS]}
        columns = (column for table in self.page.tables for column in table.columns if not period_in_name(column))
        return any(
            said.figure.readings[0] in numbers_in_name(column) and not words.isdisjoint(_stems(column))
            for column in columns
        )

    def _is_in_season(self, at: int) -> bool:
        """Whether a number is one of the two years of a season: 2024/25."""
        found = _SEASON.finditer(self.page.text, max(0, at - 5), min(len(self.page.text), at + 10))
        return any(
            one.start() <= at < one.end() and (int(one["first"]) + 1) % 100 == int(one["second"]) for one in found
        )

    def _is_for_another(self, said: SaidFigure) -> bool:
        """Whether an amount is said of one of something else, which no column holds, or a numeral is that of a month: $172k per person, 六月."""
        if said.figure.kind == "word":
            return self.page.text[said.figure.end : said.figure.end + 1] == "月"
        unit, found = said.meaning.unit, _PER_ONE.match(self.page.text, said.figure.end)
        if unit is None or not unit.is_currency or found is None:
            return False
        return not any(one.start < found.end() <= one.end for one in (*self.scene.columns, *self.scene.names))

    def _is_number_of_times(self, said: SaidFigure) -> bool:
        """Whether it says in how many of the times that are the rows something was so: for six months of the year, in the 5 days."""
        unit, table, size = said.meaning.unit, self.scene.table, said.figure.readings[:1]
        if (
            unit is None
            or unit.dimension not in ("time", "months")
            or table is None
            or not table.is_of_periods
            or not size
        ):
            return False
        return size[0] == len(table.rows) or (said.figure.kind == "word" and size[0] < len(table.rows))

    def _is_year_of_day(self, said: SaidFigure) -> bool:
        """Whether a figure is the year of a day that the data holds: in May 1999."""
        if said.meaning.unit is not None or not said.figure.readings:
            return False
        days = (day for table in self.page.tables for column in table.days.values() for day in column)
        return any(day.year == said.figure.readings[0] for day in days)

    def _may_be_of_others(self, said: SaidFigure) -> bool:
        """Whether nothing names a row, and a word that nothing understands may name some: 33 flights out of Zurich."""
        table = self.scene.table
        if table is None or len(table.rows) < _NEXT or any(self.scene.rows(one, table) for one in self.scene.names):
            return False
        return self.words.unread_name(self.scene.part_of(said).line)

    def _is_for_one(self, said: SaidFigure) -> bool:
        """Whether an amount is said of one of what a column counts, and cells come to it: ein Waschgang bringt 6 Franken ein."""
        unit, words = said.meaning.unit, self.page.words
        if unit is None or not unit.is_currency:
            return False
        counted = (one for one in self.scene.part_of(said).columns if words[one.first - 1] in _ONE_OF)
        for_one = any(
            ref.column not in self.page.tables[ref.table].of_dimension.get(unit.dimension, ())
            for one in counted
            for ref in one.columns
            if self.page.measured((ref,))
        )
        return for_one and FigureReckoner(self.scene, said, set()).may_come_from_cells()

    def _is_moved_by(self, said: SaidFigure) -> bool:
        """Whether a figure is what two times of the row are apart, though no word says so: 240 m³ used, from 880 to 1,120."""
        if self.scene.has("reckoned_up", "reckoned_down", "ahead", "behind", "up", "down"):
            return False
        every = self.page.index.families.values()
        pairs = [set(family) for families in every for family in families.values() if len(family) == _NEXT]
        found = FigureReckoner(self.scene, said, set()).rows.reckonings() if pairs else ()
        told = (one for _table, one in found if one.kind == "difference" and set(one.columns) in pairs)
        return any(low <= abs(one.value) <= high for one in told for low, high in said.meaning.spans)

    def _is_led_from(self, said: SaidFigure) -> bool:
        """Whether a figure is what something was before: up from 29, von 29 auf 57."""
        found = _LED_FROM.search(self.page.tokens.before(said.first, 24))
        return found is not None and (
            not found["von"] or " auf " in self.page.text[said.figure.end : said.figure.end + 24]
        )

    def _is_only_column(self, said: SaidFigure, place: CellPlace) -> bool:
        """Whether the part of the sentence that a figure stands in says this column, and no other."""
        part = self.scene.part_of(said)
        refs = {ref.column for one in part.columns for ref in one.columns if self.page.measured((ref,))}
        return refs == {place.column}

    def _is_other_cell(self, said: SaidFigure, place: CellPlace) -> bool:
        """Whether a cell says otherwise whose column only the words further away say: another row has the value, or all was read."""
        if self._is_of_pair(said, place) or self._is_of_other_row_there(said, place):
            return True
        return self._is_read(said, more=True)

    def _is_of_other_row_there(self, said: SaidFigure, place: CellPlace) -> bool:
        """Whether another row has the figure in this column."""
        table = self.page.tables[place.table]
        others = (row for row in range(min(len(table.rows), _MOST_ROWS)) if row != place.row)
        return any(table_says(table, row, place.column, said.meaning) for row in others)

    def _is_other_value(self, said: SaidFigure, bound: Bound) -> bool:
        """Whether what is reckoned, or what the unit tells, has another value."""
        if bound.place is None and bound.nearest is not None:
            # Worked out from a whole column.
            return not self._is_told_later(said) and not self._is_beside_open(said) and self._is_read(said, more=True)
        if bound.place is not None and self._is_part_of_one(said, bound.place):
            return any(self.scene.has(kind) for kind in _OF_WHOLE) and self._is_read(said)
        if self._is_of_other_row(said) or self._is_only_one_of_unit(said):
            return self._is_read(said, more=True)
        whole = self.scene.has("total") and not said.figure.percent
        return self._is_read(said, more=whole or self._comes_from_nothing(said))

    def _is_beside_open(self, said: SaidFigure) -> bool:
        """Whether another figure of its part was not read, which may say of which rows it is: the 20-foot containers average 15.5 tonnes."""
        if said.figure.text[0].isalpha():
            return False  # Q1.
        others = (one for one in self.scene.part_of(said).every_figure if one.figure.start != said.figure.start)
        return any(
            one.figure.start in self.scene.bound and not self.scene.is_bound(one)
            for one in others
            if (one.figure.readings or one.figure.dates) and not one.figure.text[0].isalpha()
        )

    def _comes_from_nothing(self, said: SaidFigure) -> bool:
        """Whether a figure is so precise that cells would have come to it, had it been reckoned: what they come to was all tried."""
        tried = all(len(table.figures) <= MOST_COLUMNS for table in self.page.tables)
        told = said.figure.percent or significant_digits(said.figure) >= _DISTINCT
        if not tried or not told or said.meaning.compares or not (self.scene.names or self.scene.columns):
            return False
        # A measure that no column has (a BMI of 26.5, 18 km/h), or a whole that is only said (of nine points).
        if _PER_UNIT.match(self.page.text, said.figure.end) or self._is_strange_measure(said):
            return False
        others = (one for one in self.scene.part_of(said).every_figure if not self.scene.is_bound(one))
        if any(one.figure.kind == "word" and one.figure.readings and one.figure.readings[0] > 1 for one in others):
            return False
        return not FigureReckoner(self.scene, said, set()).may_come_from_cells()

    def _is_strange_measure(self, said: SaidFigure) -> bool:
        """Whether a noun that nothing understands says what the figure is: a BMI of about 26.5."""
        words, at = self.page.words, said.first
        while at > self.scene.line.first and words[at - 1] in ROUGHLY:
            at -= 1
        return words[at - 1 : at] in _OF and at - 2 in self.words.unread_words

    def _is_told_later(self, said: SaidFigure) -> bool:
        """Whether only a later part of the sentence says that something is reckoned: from 112 to 135, on average 123."""
        end = self.scene.part_of(said).line.end
        parts = [one for one in self.scene.clauses if any(one.has(kind) for kind in _OF_WHOLE)]
        return bool(parts) and all(one.line.start >= end for one in parts)

    def _is_read(self, said: SaidFigure, *, more: bool = False) -> bool:
        """Whether every word of the part of the sentence that a figure stands in was understood; `more`: nearly every one."""
        part = self.scene.part_of(said)
        part = part if part.names or part.columns else self.scene
        span = (part.line.start, part.line.end)
        # A label and its figure (Bank: 180,501.00 CHF) say nothing else, whatever the label is.
        label = self.words.spelt(*span) <= _LABELLED
        return self.words.unread(*span) <= (_MOST_UNREAD if more or label else 0)

    def _spoken(self, said: SaidFigure) -> Iterator[tuple[Table, int]]:
        """The rows that the figure is said of, by a name, by the sentence before or as the only one; results of many columns hold anything."""
        for table in self.page.tables:
            for rows in rows_of(said, table, self.page) if len(table.figures) <= MOST_COLUMNS else ():
                if rows.how != "none":
                    yield from ((table, row) for row in rows.rows[:_FEW_ROWS])

    def _is_in_row(self, said: SaidFigure) -> bool:
        """Whether a cell of the row that is named is the figure, in its unit, and of a time that is said."""
        reckoner = FigureReckoner(self.scene, said, set())
        return any(
            table_says(table, row, column, said.meaning) and reckoner.is_of_time(table, (column,))
            for table, row in self._spoken(said)
            for column in table.measures
        )

    def _is_of_told_column(self, said: SaidFigure) -> bool:
        """Whether another part of the sentence says the column in which the row has a figure: dropouts were lowest, with 11 patients."""
        part = self.scene.part_of(said)
        return not said.figure.dates and any(
            table_says(table, row, column, said.meaning)
            for table, row in self._spoken(said)
            for one in self.scene.clauses
            if one.line.start != part.line.start and not one.figures
            for column in one.measured(table)
        )

    def _is_of_other_row(self, said: SaidFigure) -> bool:
        """Whether a figure that is hardly a chance stands in another row than the one that is named."""
        named = {(table.number, row) for table, row in self._spoken(said)}
        if not named or not (said.figure.dates or significant_digits(said.figure) >= _DISTINCT):
            return False
        return any(
            table_says(table, row, column, said.meaning)
            for table in self.page.tables
            if any(number == table.number for number, _row in named)
            for row in range(min(len(table.rows), _MOST_ROWS))
            for column in table.measures
        )

    def _is_only_one_of_unit(self, said: SaidFigure) -> bool:
        """Whether the row that is named has one value only in the unit of the figure, and no word says that it is reckoned."""
        unit = said.meaning.unit
        if unit is None or any(self.scene.has(kind) for kind in _RECKONED):
            return False
        found = {
            (table.number, row, column)
            for table, row in self._spoken(said)
            for column in table.measures
            if unit.dimension in table.dimensions(column)
        }
        return len(found) == 1

    def _is_of_kind(self, said: SaidFigure, place: CellPlace) -> bool:
        """Whether a cell can be what a figure is instead of: no amount in the place of a percentage, no text in that of a day."""
        table = self.page.tables[place.table]
        cell = table.cell(place.row, place.column)
        if said.figure.percent:
            return place.column in table.rates or (isinstance(cell, str) and "%" in cell)
        if said.figure.dates:
            return isinstance(cell, date)
        unit = said.meaning.unit
        if unit is not None and unit.dimension in ("time", "months") and isinstance(cell, date):
            return False  # Five years after it are no day.
        if said.figure.kind == "number" and unit is not None and isinstance(cell, str) and clock_times(cell):
            return False
        own = table.unit_of_texts(place.column)
        if unit is None and own is not None and own.is_currency and self.page.noun_of(said.figure) is not None:
            return False  # The 309 refunds are no amount.
        if unit is not None and unit.is_currency and table.of_dimension.get(unit.dimension):
            return place.column in table.of_dimension[unit.dimension]  # No francs in the place of washes.
        return not self._is_part_of_one(said, place)

    def _is_part_of_one(self, said: SaidFigure, place: CellPlace) -> bool:
        """Whether a figure has decimals where a column counts whole things: 3.3 places are no number of places."""
        if said.meaning.unit is not None or said.figure.scale != 1 or not said.figure.readings:
            return False
        values = values_of(self.page.tables[place.table], place.column).values()
        return bool(said.figure.readings[0] % 1) and bool(values) and not any(value % 1 for value in values)

    def _is_in_order(self, place: CellPlace) -> bool:
        """Whether the figures of the sentence are what the rows say that it names, one by one: from April to July, from 320 to 450."""
        table = self.page.tables[place.table]
        rows = [next(iter(rows)) for one in self.scene.names if len(rows := self.scene.rows(one, table)) == 1]
        figures = self.scene.figures
        return len(set(rows)) == len(figures) > 1 and all(
            table_says(table, row, place.column, one.meaning) for row, one in zip(rows, figures, strict=False)
        )

    def _is_of_pair(self, said: SaidFigure, place: CellPlace) -> bool:
        """Whether it is said in one go with another figure of the same column: 64 to 52."""
        for other in (self.page.previous(said), self.page.following(said)):
            if other is None or not self.page.in_run(said, other):
                continue
            bound = self.scene.bound.get(other.figure.start)
            if bound is not None and place.column in (
                {bound.place.column} if bound.place else {arg.column for arg in bound.provenance.args}
            ):
                return True
        return False

    def _is_qualified(self, said: SaidFigure) -> bool:
        """Whether an unknown word right beside a figure changes what it is: the available nine points, 2.96 extra."""
        words, unread, before = self.page.words, self.words.unread_words, said.first - 1
        if _ONE_IN.search(self.page.tokens.before(said.first, 16)):
            return True
        if before in unread and words[max(0, before - 2) : before] in _OF_THE:
            return True  # It is a whole of which something is a part: 72 % of the available nine points.
        unit = said.meaning.unit
        if unit is None or not unit.is_currency or self.page.noun_of(said.figure) is not None:
            return False  # A noun stands there, and the binding has weighed it.
        at = said.last + 1
        return at in unread or (at < len(words) and words[at] in units() and at + 1 in unread)


@lru_cache(maxsize=4096)
def _stems(column: str) -> frozenset[str]:
    """How the words of a column's name begin: kat, of `preis_kat1`, as Kategorie does."""
    return frozenset(word[:_STEM] for word in words_in(words_of(column)) if len(word) >= _STEM and word.isalpha())


def _marked(said: SaidFigure) -> CheckedStatement:
    start = said.figure.start
    return CheckedStatement("not_checkable", (start, said.figure.end), "reckoning", settles=frozenset({start}))


def _is_disputed(one: CheckedStatement, told: Sequence[CheckedStatement]) -> bool:
    """Whether another check read the same words as a change that is so, or bore out a figure of theirs."""
    others = (other for other in told if other.truth == "supported" and other.span == one.span and other.key != "count")
    if one.key in ("all", "none", "share"):
        figures = (other.settles for other in told if other.truth == "supported")
        return any(other.settles for other in others) or any(one.span[0] in each for each in figures)
    return one.key in _MOVING and any(other.key in _MOVING and other.key != one.key for other in others)


_OF_WHOLE = ("total", "average", "reckoned_average")
_MOVING = frozenset({"trend", "change", "comparison"})
_RECKONED = ("reckoned_difference", "reckoned_change", "reckoned_rate", "reckoned_sum", "reckoned_average")
