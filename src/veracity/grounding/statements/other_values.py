"""What may stand in the place of a figure that is wrong: what the data says there, as far as the words tell what is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

from veracity.grounding.binding.answer_page import AnswerPage, SaidFigure
from veracity.grounding.binding.bind import Bound
from veracity.grounding.binding.cue_words import HEDGES
from veracity.grounding.binding.figure_meaning import significant_digits, table_says
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import values_of
from veracity.grounding.statements.figure_words import DISTINCT
from veracity.grounding.statements.scene import Scene
from veracity.grounding.statements.understood import UnderstoodWords
from veracity.grounding.statements.unread_parts import is_apart
from veracity.grounding.statements.values_said import values_that_words_say
from veracity.language.numbers import MONTHS, find_figures, format_number
from veracity.language.units import quantities, unit_called

RECKONED = ("total", "average", "reckoned_average", "reckoned_difference", "reckoned_change", "reckoned_sum")
"""Words by which a figure is no cell."""
_MOST_UNREAD = 1
_MOST_VALUES = 4
_MOST_ROWS = 5_000
_FEW_DIGITS = 3
_FIRST_YEAR, _LAST_YEAR = 1500, 2200
_FAR = 20
"""A figure that is wrong is not so many times what is right."""
_TWICE, _NEARLY = 2, Decimal("0.015")
_OF = re.compile(r"(?<![a-z])(?:of|der|des|von|vom)(?![a-z])")
_BOUND_BEFORE = re.compile(
    r"(?<![a-z])(?:since|after|before|until|seit|nach|vor|ab|bis)(?: (?:the )?(?:year|jahr))?\s*$"
)
_BOUND_BEHIND = re.compile(r"\s*年?\s*(?:以后|之后|以来|以前|之前|后|前|起|onwards?|or later|or earlier|und später)")
"""Built after 2000: no row has that year."""
_LEADS_TO = re.compile(r"(?<![a-z])(?:from|to|at|von|auf|bei)\s*(?:[$€£]\s*)?$|[从由至到]$")
"""From 47.9 to 52.3: both are cells."""


class Instead(NamedTuple):
    """What stands in the place of a piece of a text."""

    start: int
    end: int
    instead: str


class OtherValues:
    """What the data says of one sentence in the place of its figures."""

    def __init__(self, scene: Scene, words: UnderstoodWords, bound: Mapping[int, Bound]) -> None:
        self.scene, self.page, self.line, self.bound = scene, scene.page, scene.line, bound
        self._words = words

    def changes(self, wrong: Sequence[SaidFigure]) -> Iterator[list[Instead]]:
        """What may stand in the place of what is wrong."""
        if any(map(self._is_bound_in_time, wrong)):
            return
        cells = [cell if _is_alike(said, cell := self._cell(said)) else None for said in wrong]
        values = [
            list(islice((value for value in self._others(said) if _is_alike(said, value)), _MOST_VALUES))
            for said in wrong
        ]
        spans = [self._span(said) for said in wrong]
        for at in range(-1, max(map(len, values))):
            others = [found[at] if 0 <= at < len(found) else cell for found, cell in zip(values, cells, strict=True)]
            if None not in others:
                yield [Instead(*span, other or "") for span, other in zip(spans, others, strict=True)]
        yield from ([one] for one in islice(self._other_names(wrong), _MOST_VALUES))

    def _is_bound_in_time(self, said: SaidFigure) -> bool:
        """Whether a year says from when or until when: built after 2000."""
        text, figure = self.page.text, said.figure
        if said.meaning.unit is not None or not any(_FIRST_YEAR <= one <= _LAST_YEAR for one in figure.readings):
            return False
        behind = _BOUND_BEHIND.match(text, figure.end) is not None
        return behind or _BOUND_BEFORE.search(self.page.tokens.before(said.first, 16)) is not None

    def _other_names(self, wrong: Sequence[SaidFigure]) -> Iterator[Instead]:
        """Other rows than the one that is named, which have all the figures that are wrong."""
        for table in self.page.tables:
            named = [
                one
                for one in self.scene.names
                if self.scene.is_key(one, table) and len(self.scene.rows(one, table)) == 1
            ]
            for row in range(min(len(table.rows), _MOST_ROWS)) if len(named) == 1 else ():
                has_all = all(
                    any(table_says(table, row, column, said.meaning) for column in table.measures) for said in wrong
                )
                key = next((ref.column for ref in self.scene.refs(named[0], table)), None) if has_all else None
                if key is not None:
                    yield Instead(named[0].start, named[0].end, str(table.rows[row][key]))

    def _cell(self, said: SaidFigure) -> str | None:
        """What the cell says that a figure is held against, where its column is told or may have such a value, and is not nearly the same."""
        one, readings = self.bound[said.figure.start], said.figure.readings
        noun = self.page.noun_of(said.figure)
        if (
            (noun is not None and is_part_of(self.page, said, noun))
            or is_apart(self.scene, said)
            or one.nearest is None
            or not any(sign.isdigit() for sign in one.nearest)
        ):
            return None  # 4,700 of the damage are not the damage, and a hundred metres longer is no length.
        if one.why == "wrong unit":  # The same number in another unit; another number is of something else.
            within = find_figures(one.nearest, self.page.locale)
            same = {_digits(each) for each in readings} & {
                _digits(number) for each in within for number in each.readings
            }
            return one.nearest if same else None
        table = self.page.tables[one.place.table] if one.place is not None else None
        rate = one.place is not None and table is not None and one.place.column in table.rates
        if said.figure.percent and not rate and "%" not in one.nearest:
            return None  # No amount is a percentage.
        if one.place is None or table is None or not readings or any(sign.isalpha() for sign in one.nearest):
            return one.nearest
        values = values_of(table, one.place.column)
        figure, cell = abs(readings[0] / table.columns[one.place.column].multiple), values.get(one.place.row)
        told = {ref.column for each in self.scene.columns for ref in each.columns}
        if one.place.column not in told and not _is_as_large(values.values(), (figure, readings[0])):
            return None
        hedged = not HEDGES.isdisjoint(self.page.words[max(self.line.first, said.first - 2) : said.first])
        nearly = hedged and cell is not None and abs(figure - abs(cell)) <= figure * _NEARLY
        return None if nearly else one.nearest

    def _others(self, said: SaidFigure) -> Iterator[str]:
        """What else the data says that may stand in the place of a figure."""
        yield from self._of_other_rows(said)
        yield from self._of_named_row(said)
        if not self.scene.names and said.meaning.unit is None and not any(said.figure.decimals):
            yield from (str(len(table.rows)) for table in self.page.tables)
        yield from self._reckoned(said)

    def _of_other_rows(self, said: SaidFigure) -> Iterator[str]:
        """The cells of the row that is named in the columns in which another row has a figure of several digits."""
        if significant_digits(said.figure) < DISTINCT:
            return
        for table in self.page.tables:
            named = {
                row
                for one in self.scene.names
                for rows in (self.scene.rows(one, table),)
                if len(rows) == 1
                for row in rows
            }
            for column in table.measures if len(named) == 1 else ():
                if any(table_says(table, row, column, said.meaning) for row in range(min(len(table.rows), _MOST_ROWS))):
                    yield str(table.cell(next(iter(named)), column))

    def _of_named_row(self, said: SaidFigure) -> Iterator[str]:
        """The figures of the row that is named, in the columns that may be meant: Nord has 31.70, it rose from 47.9 to 58.3."""
        scene, unit = self.scene, said.meaning.unit
        if self.page.words[said.last + 1 : said.last + 2] and self.page.words[said.last + 1] in MONTHS:
            return  # As of 31 August.
        reckoned = scene.has(*RECKONED) and not _LEADS_TO.search(self.page.tokens.before(said.first, 12))
        if reckoned or scene.degrees("superlative") or self._words.unread(*self.line[:2]) > _MOST_UNREAD:
            return
        for table in self.page.tables:
            named = {row for one in scene.names for row in scene.rows(one, table)}
            for row in named if len(named) == 1 else ():
                columns = self._columns_meant(table, said)
                yield from (
                    str(table.cell(row, one))
                    for one in columns
                    if unit is None or unit.dimension in table.dimensions(one)
                )

    def _columns_meant(self, table: Table, said: SaidFigure) -> Iterator[str]:
        """The columns that are told and the other times of these; where none is, those whose values are as large as a figure."""
        told = {ref.column for one in self.scene.columns for ref in one.columns if ref.table == table.number}
        families = self.page.index.families.get(table.number, {}).values()
        told |= {column for family in families if told & set(family) for column in family}
        for column in table.measures:
            if said.figure.percent and column not in table.rates:
                continue
            if column in told or (not told and _is_as_large(values_of(table, column).values(), said.figure.readings)):
                yield column

    def _reckoned(self, said: SaidFigure) -> Iterator[str]:
        """What the cells come to in the way that the words around a figure say, where all of these were understood."""
        part = self.scene.part_of(said)
        every = self._counts_all_rows()
        if said.figure.kind != "number" or self._words.unread(part.line.start, part.line.end) > (
            _MOST_UNREAD if every else 0
        ):
            return
        if self._words.noun_of_rows and not (every or part.has("total")):
            return  # Any word may say which rows it is reckoned from.
        decimals = max(said.figure.decimals, default=0)
        sign = "%" if "%" in said.figure.text else ""
        values = (
            format_number(value, self.page.locale, decimals=decimals)
            for value in values_that_words_say(self.scene, said)
            if round(value, decimals) and _is_as_far(value, said)
        )
        yield from (f"{value}{sign}" for value in dict.fromkeys(values))

    def _counts_all_rows(self) -> bool:
        """Whether the sentence says how many rows there are: the eight parcels."""
        sizes = {len(table.rows) for table in self.page.tables}
        return any(reading in sizes for one in self.scene.every_figure for reading in one.figure.readings)

    def _span(self, said: SaidFigure) -> tuple[int, int]:
        """Where a figure stands, with the unit beside it where that is wrong."""
        start, end = said.figure.start, said.figure.end
        if any(sign.isalpha() for sign in self.bound[start].nearest or ""):
            for found in quantities(self.page.text[start : self.line.end], self.page.locale):
                if found.figure.start == 0:
                    return start, start + found.end
        return start, end


def is_part_of(page: AnswerPage, said: SaidFigure, noun: NameMention) -> bool:
    """Whether a figure is a part of what its noun says: 4,700 of the damage, but not 12 litres of fuel."""
    between = page.text[said.figure.end : noun.start]
    of = _OF.search(between)
    return of is not None and unit_called(between[: of.start()].strip()) is None


def _is_alike(said: SaidFigure, instead: str | None) -> bool:
    """Whether something can stand where a figure does: a percentage for a percentage, a small whole number for a number word."""
    if instead is None:
        return False
    if said.figure.kind == "word":
        return len(instead) <= _FEW_DIGITS and instead.isdecimal()
    return True


def _is_as_large(values: Iterable[Decimal], readings: Sequence[Decimal]) -> bool:
    """Whether a figure may be one of these values by its size."""
    sizes = sorted(map(abs, values))
    return not sizes or any(sizes[0] / _TWICE <= abs(one) <= sizes[-1] * _TWICE for one in readings)


def _is_as_far(value: Decimal, said: SaidFigure) -> bool:
    """Whether a figure is not many times what may stand in its place: who says 84,420 does not mean 432."""
    first = abs(said.figure.readings[0]) if said.figure.readings else Decimal(0)
    return any(abs(value) / _FAR <= one <= abs(value) * _FAR for one in (first, first / said.figure.scale))


def _digits(number: Decimal) -> tuple[int, ...]:
    """The digits of a number, wherever its point stands."""
    return number.normalize().as_tuple().digits
