"""Whether a whole sentence was read so well that what contradicts it is proof: with what the data says in its place, it would be supported.

A contradiction needs as much understanding as support. Of results whose columns nobody described, the words of a sentence say only by
likeness which rows and columns are meant. So what is wrong in it is put right, figure by figure, and the sentence is read once more: if
nothing in it is open then, the reading was right and the figure was not. If anything is open, the sentence may mean something else,
and is marked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from veracity.grounding.binding.answer_page import AnswerPage, SaidFigure
from veracity.grounding.binding.bind import Bound
from veracity.grounding.binding.cue_words import HEDGES
from veracity.grounding.binding.figure_meaning import significant_digits, table_says
from veracity.grounding.binding.mentions import NameMention, TextLine
from veracity.grounding.binding.results_index import CellPlace
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import values_of
from veracity.grounding.statements.figure_words import DISTINCT
from veracity.grounding.statements.scene import CheckedStatement, Scene
from veracity.grounding.statements.understood import UnderstoodWords
from veracity.grounding.statements.unread_parts import is_apart
from veracity.grounding.statements.values_said import goes_the_other_way, values_that_words_say
from veracity.language.numbers import MONTHS, find_figures, format_number
from veracity.language.units import quantities, unit_called

_MOST_UNREAD = 1
"""So many words of a sentence may be unknown where a relation in it is still read for certain."""
_MOST_TRIED = 8
"""So many sentences of one text are put right; of a text with more that is wrong, the rest stays contradicted."""
_MOST_VALUES = 4
_MOST_ROWS = 5_000
_NEXT = 2
_FEW_ROWS, _FEW_DIGITS = 24, 3
_FIRST_YEAR, _LAST_YEAR = 1500, 2200
_FAR = 20
_TWICE, _NEARLY = 2, Decimal("0.015")
_BEFORE = 3
"""Lines that may say what a sentence is about."""
_LONGEST = 4_000
_CERTAIN = frozenset({"expression", "of the question"})
_NAMES = frozenset({"name", "row", "other_row"})
_OF_ROWS = frozenset({"superlative", "rank", "trend", "comparison", "change"})
_OF = re.compile(r"(?<![a-z])(?:of|der|des|von|vom)(?![a-z])")
_RIGHT_BEHIND = re.compile(
    r"\W{0,3}(?:with|mit|at|had|hat|hatte|on|为|是|有|达)?\W{0,3}(?:CHF|EUR|USD|[$€£])?\s*", re.IGNORECASE
)
_POINTS = re.compile(r"\W{0,4}(?:percentage )?(?:points?(?![a-z])|Prozentpunkt|Punkte)|\W{0,2}个?百分点")
_BOUND_BEFORE = re.compile(
    r"(?<![a-z])(?:since|after|before|until|seit|nach|vor|ab|bis)(?: (?:the )?(?:year|jahr))?\s*$"
)
_BOUND_BEHIND = re.compile(r"\s*年?\s*(?:以后|之后|以来|以前|之前|后|前|起|onwards?|or later|or earlier|und später)")
"""Built after 2000: no row has that year."""
_LEADS_TO = re.compile(r"(?<![a-z])(?:from|to|at|von|auf|bei)\s*(?:[$€£]\s*)?$|[从由至到]$")
"""From 47.9 to 52.3: both are cells."""
_OF_SO_MANY = re.compile(r"(?<![a-z])(?:of the|of our|der|von den)\s*$", re.IGNORECASE)
_PAIRED = re.compile(r"\s*[-–:]\s*(?:of\s*-\s*)?")
_RECKONED = ("total", "average", "reckoned_average", "reckoned_difference", "reckoned_change", "reckoned_sum")
"""Words by which a figure is no cell."""


@dataclass(frozen=True)
class TextRead:
    """A text with its figures and statements."""

    page: AnswerPage
    bound: Sequence[Bound]
    statements: Sequence[CheckedStatement]


def proven_contradictions(read: TextRead, read_again: Callable[[str], TextRead]) -> list[CheckedStatement]:
    """The statements of a text, with those contradictions and wrong figures only marked whose sentences were not read as a whole."""
    told, page = list(read.statements), read.page
    if not page.tables or any(table.result.described for table in page.tables):
        return told
    sentences = (_DoubtedSentence(read, line) for line in page.lines)
    wrong = [one for one in sentences if one.wrong or one.contradicted]
    for one in wrong[:_MOST_TRIED]:
        if one.is_certain or one.is_right_with_others(read_again):
            continue
        doubtful = [said for said in one.wrong if not one.is_proven(said)]
        open_ = [said for said in doubtful if said.figure.start not in one.contradicted_figures]
        unsure = (each for each in one.contradicted if not one.counts_all_rows_wrong(each))
        marked = [each for each in unsure if open_ or not one.is_read(each)]
        told = [replace(each, truth="not_checkable") if each in marked else each for each in told]
        told += map(_marked, doubtful if marked else open_)
    return told


class _Instead(NamedTuple):
    """What stands in the place of a piece of a text."""

    start: int
    end: int
    instead: str


class _DoubtedSentence:
    """One sentence, and what is wrong in it."""

    def __init__(self, read: TextRead, line: TextLine) -> None:
        self.page, self.line = read.page, line
        self.told = [one for one in read.statements if line.start <= one.span[0] < line.end]
        self.contradicted = [one for one in self.told if one.truth == "contradicted"]
        settled = {start for one in read.statements if one.truth != "contradicted" for start in one.settles}
        self.bound = {one.figure.start: one for one in read.bound}
        self.scene = Scene(read.page, line, self.bound)
        self.wrong = [
            said
            for said in self.scene.figures
            if (one := self.bound.get(said.figure.start)) is not None
            and one.provenance.status != "bound"
            and said.figure.start not in settled
        ]

    @cached_property
    def contradicted_figures(self) -> frozenset[int]:
        """Where the figures start that belong to what is contradicted, and are no other claim: none is longer than 100 m."""
        return frozenset(start for each in self.contradicted for start in (*each.settles, each.span[0]))

    @property
    def is_certain(self) -> bool:
        """Whether a figure is that of the question, or of a declared claim that was computed."""
        return any(self.bound[said.figure.start].why in _CERTAIN for said in self.wrong)

    @cached_property
    def _words(self) -> UnderstoodWords:
        return UnderstoodWords(self.scene)

    def counts_all_rows_wrong(self, one: CheckedStatement) -> bool:
        """Whether a sentence says of how many rows some are something, and there are not so many: two of the four, where there are three."""
        if one.key != "count" or not _OF_SO_MANY.search(self.page.text[self.line.start : one.span[0]]):
            return False
        return self._words.unread(self.line.start, self.line.end) <= _MOST_UNREAD

    def is_read(self, one: CheckedStatement) -> bool:
        """Whether every other claim of the sentence was checked, and nearly every word around a statement understood."""
        if one.key == "count" and _OF_SO_MANY.search(self.page.text[self.line.start : one.span[0]]):
            return (
                self._words.unread(self.line.start, self.line.end) <= _MOST_UNREAD
            )  # Two of the four, where there are three.
        own = set(self.contradicted_figures)
        if one.key == "comparison":
            # Seven fewer, where it is seven more: the figure is no other claim.
            own |= {said.figure.start for said in self.scene.figures if goes_the_other_way(self.scene, said, True)}
        parts = [each for each in self.scene.clauses if each.line.start < one.span[1] and one.span[0] < each.line.end]
        start, end = parts[0].line.start, parts[-1].line.end
        if one.key not in _OF_ROWS:
            start, end = self.line.start, self.line.end  # What it is said of may stand in another part.
        open_ = (other for other in self.told if other.truth == "not_checkable" and start <= other.span[0] < end)
        if any(other.key != "reckoning" or other.span[0] not in own for other in open_):
            return False
        words = self._words.unread(parts[0].line.start, parts[-1].line.end)
        return one.key in _NAMES or words <= _MOST_UNREAD

    def is_proven(self, said: SaidFigure) -> bool:
        """Whether a figure is wrong whatever else the sentence says: all beside it are those of another row, or it is looked up."""
        one = self.bound[said.figure.start]
        if self._is_of_named_rows(said) or _POINTS.match(self.page.text, said.figure.end):
            return False
        if self._is_of_other_named_row(said):
            return True
        if (one.hint and one.why != "wrong unit") or self._is_plain or goes_the_other_way(self.scene, said):
            return True
        if one.place is None or one.why == "wrong unit":
            return False
        if self._is_of_pair(said):
            return True
        table, noun = self.page.tables[one.place.table], self.page.noun_of(said.figure)
        if said.figure.percent and one.place.column in table.rates and one.sure:
            return True
        # The word behind the figure is that for its column; a single sign is as likely a measure word.
        told = {ref.column for ref in self.page.nouns(said.figure) if ref.table == table.number}
        if noun is None or noun.end - noun.start == 1 or self.page.words[noun.first] in MONTHS:  # 31 August
            return False
        if self._is_part_of(said, noun) or told != {one.place.column} or self._is_of_unnamed_row(said, one.place):
            return False
        part = self._part(said)
        apart = (part.original(each.start, each.stop)[0] - noun.end for each in part.degrees("comparative"))
        return not part.has(*_RECKONED) and not any(0 <= space <= _NEXT for space in apart)  # A hundred metres longer.

    def _is_of_unnamed_row(self, said: SaidFigure, place: CellPlace) -> bool:
        """Whether no row is named, and one of those there are has the figure in this column: on Sunday at 35 rooms."""
        table = self.page.tables[place.table]
        if len(table.rows) > _MOST_ROWS or any(len(self.scene.rows(one, table)) == 1 for one in self.scene.names):
            return False
        return any(table_says(table, row, place.column, said.meaning) for row in range(len(table.rows)))

    def _is_of_other_named_row(self, said: SaidFigure) -> bool:
        """Whether a figure stands right behind the name of one row, and is that of another one that the sentence names: A with 391, B with 346."""
        if significant_digits(said.figure) < DISTINCT - 1:
            return False
        for table in self.page.tables:
            single = [(one, rows) for one in self.scene.names if len(rows := self.scene.rows(one, table)) == 1]
            before = [each for each in single if each[0].end <= said.figure.start]
            if len(single) < 2 or not before:
                continue
            name, own = before[-1]
            if not _RIGHT_BEHIND.fullmatch(self.page.text, name.end, said.figure.start):
                continue
            having = {
                row
                for _one, rows in single
                for row in rows
                if any(table_says(table, row, column, said.meaning) for column in table.measures)
            }
            return bool(having) and having.isdisjoint(own)
        return False

    def _is_of_named_rows(self, said: SaidFigure) -> bool:
        """Whether one of several rows that a name stands for has the figure: 2.75 % on the second account of Wang."""
        named = [(table, self.scene.rows(one, table)) for table in self.page.tables for one in self.scene.names]
        if any(len(rows) == 1 for _table, rows in named):
            return False
        return any(
            table_says(table, row, column, said.meaning)
            for table, rows in named
            for row in rows
            for column in (table.measures if len(rows) <= _FEW_ROWS else ())
        )

    @property
    def _is_plain(self) -> bool:
        """Whether the sentence says one figure and nothing else, in words that are all understood: the value is 5."""
        if (
            len(self.scene.clauses) > 1
            or len(self.scene.every_figure) > 1
            or self.scene.names
            or self.scene.has(*_RECKONED)
        ):
            return False
        return not self._words.unread(self.line.start, self.line.end) and not self._words.noun_of_rows

    def _is_of_pair(self, said: SaidFigure) -> bool:
        """Whether a figure is said in one go with another one: 64 - 52, 8-of-20."""
        for other in (self.page.previous(said), self.page.following(said)):
            if other is not None and self.page.in_run(said, other):
                first, second = sorted((said.figure, other.figure), key=lambda one: one.start)
                if _PAIRED.fullmatch(self.page.text, first.end, second.start):
                    return True
        return False

    def _part(self, said: SaidFigure) -> Scene:
        """The part of the sentence that a figure stands in."""
        return next((part for part in self.scene.clauses if said.figure.start < part.line.end), self.scene)

    def is_right_with_others(self, read_again: Callable[[str], TextRead]) -> bool:
        """Whether the sentence is supported once the figures that are wrong, or the name beside them, are what the data says."""
        if not self.wrong or self.line.end - self.line.start > _LONGEST or any(map(self._is_other_day, self.wrong)):
            return False
        return any(self._is_right_with(changes, read_again) for changes in self._changes())

    def _is_other_day(self, said: SaidFigure) -> bool:
        """Whether a day is another one of the same row, and a word that nothing understands may say which: placed on 6 October and arrived on the 14th."""
        several = sum(bool(one.figure.dates) for one in self.scene.figures) > 1
        if not several or not said.figure.dates or not self._words.unread(self.line.start, self.line.end):
            return False
        spoken = [
            (table, row)
            for table in self.page.tables
            for row in ({row for one in self.scene.names for row in self.scene.rows(one, table)} or {0})
            if len(table.rows) == 1 or self.scene.names
        ]
        return any(table_says(table, row, column, said.meaning) for table, row in spoken for column in table.days)

    def _changes(self) -> Iterator[list[_Instead]]:
        """What may stand in the place of what is wrong."""
        if any(map(self._is_bound_in_time, self.wrong)):
            return
        cells = [cell if _is_alike(said, cell := self._cell(said)) else None for said in self.wrong]
        values = [
            list(islice((value for value in self._others(said) if _is_alike(said, value)), _MOST_VALUES))
            for said in self.wrong
        ]
        spans = [self._span(said) for said in self.wrong]
        for at in range(-1, max(map(len, values))):
            others = [found[at] if 0 <= at < len(found) else cell for found, cell in zip(values, cells, strict=True)]
            if None not in others:
                yield [_Instead(*span, other or "") for span, other in zip(spans, others, strict=True)]
        yield from ([one] for one in islice(self._other_names(), _MOST_VALUES))

    def _is_bound_in_time(self, said: SaidFigure) -> bool:
        """Whether a year says from when or until when: built after 2000."""
        text, figure = self.page.text, said.figure
        if said.meaning.unit is not None or not any(_FIRST_YEAR <= one <= _LAST_YEAR for one in figure.readings):
            return False
        behind = _BOUND_BEHIND.match(text, figure.end) is not None
        return behind or _BOUND_BEFORE.search(self.page.tokens.before(said.first, 16)) is not None

    def _other_names(self) -> Iterator[_Instead]:
        """Other rows than the one that is named, which have all the figures that are wrong."""
        for table in self.page.tables:
            named = [
                one
                for one in self.scene.names
                if self.scene.is_key(one, table) and len(self.scene.rows(one, table)) == 1
            ]
            for row in range(min(len(table.rows), _MOST_ROWS)) if len(named) == 1 else ():
                has_all = all(
                    any(table_says(table, row, column, said.meaning) for column in table.measures)
                    for said in self.wrong
                )
                key = next((ref.column for ref in self.scene.refs(named[0], table)), None) if has_all else None
                if key is not None:
                    yield _Instead(named[0].start, named[0].end, str(table.rows[row][key]))

    def _cell(self, said: SaidFigure) -> str | None:
        """What the cell says that a figure is held against, where its column is told or may have such a value, and is not nearly the same."""
        one, readings = self.bound[said.figure.start], said.figure.readings
        noun = self.page.noun_of(said.figure)
        if (
            (noun is not None and self._is_part_of(said, noun))
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

    def _is_part_of(self, said: SaidFigure, noun: NameMention) -> bool:
        """Whether a figure is a part of what its noun says: 4,700 of the damage, but not 12 litres of fuel."""
        between = self.page.text[said.figure.end : noun.start]
        of = _OF.search(between)
        return of is not None and unit_called(between[: of.start()].strip()) is None

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
        reckoned = scene.has(*_RECKONED) and not _LEADS_TO.search(self.page.tokens.before(said.first, 12))
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
        part = self._part(said)
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

    def _is_right_with(self, changes: Sequence[_Instead], read_again: Callable[[str], TextRead]) -> bool:
        """Whether the sentence, behind those that say what it is about, is supported with other figures or names in it."""
        at = self.page.lines.index(self.line)
        first = self.page.lines[max(0, at - _BEFORE)].start
        text, done = "", first
        for one in sorted(changes):
            text += f"{self.page.text[done : one.start]}{one.instead}"
            done = one.end
        text += self.page.text[done : self.line.end]
        again, begins = read_again(text), self.line.start - first
        settled = {start for one in again.statements if one.truth == "supported" for start in one.settles}
        figures = (one for one in again.bound if one.figure.start >= begins)
        if any(one.provenance.status != "bound" and one.figure.start not in settled for one in figures):
            return False
        return not any(one.truth != "supported" and one.span[1] > begins for one in again.statements)

    def _span(self, said: SaidFigure) -> tuple[int, int]:
        """Where a figure stands, with the unit beside it where that is wrong."""
        start, end = said.figure.start, said.figure.end
        if any(sign.isalpha() for sign in self.bound[start].nearest or ""):
            for found in quantities(self.page.text[start : self.line.end], self.page.locale):
                if found.figure.start == 0:
                    return start, start + found.end
        return start, end


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


def _marked(said: SaidFigure) -> CheckedStatement:
    start = said.figure.start
    return CheckedStatement("not_checkable", (start, said.figure.end), "reckoning", settles=frozenset({start}))
