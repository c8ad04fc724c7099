"""Whether a whole sentence was read so well that what contradicts it is proof: with what the data says in its place, it would be supported.

A contradiction needs as much understanding as support. Of results whose columns nobody described, the words of a sentence say only by
likeness which rows and columns are meant. So what is wrong in it is put right, figure by figure, and the sentence is read once more: if
nothing in it is open then, the reading was right and the figure was not. If anything is open, the sentence may mean something else,
and is marked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from veracity.grounding.binding.answer_page import AnswerPage, SaidFigure
from veracity.grounding.binding.bind import Bound
from veracity.grounding.binding.figure_meaning import significant_digits, table_says
from veracity.grounding.binding.mentions import TextLine
from veracity.grounding.binding.results_index import CellPlace
from veracity.grounding.statements.figure_words import DISTINCT, POINTS
from veracity.grounding.statements.other_values import RECKONED, Instead, OtherValues, is_part_of
from veracity.grounding.statements.scene import CheckedStatement, Scene
from veracity.grounding.statements.understood import UnderstoodWords
from veracity.grounding.statements.values_said import goes_the_other_way
from veracity.language.numbers import MONTHS

_MOST_UNREAD = 1
"""So many words of a sentence may be unknown where a relation in it is still read for certain."""
_MOST_TRIED = 8
"""So many sentences of one text are put right; of a text with more that is wrong, the rest stays contradicted."""
_MOST_ROWS = 5_000
_NEXT = 2
_FEW_ROWS = 24
_BEFORE = 3
"""Lines that may say what a sentence is about."""
_LONGEST = 4_000
_CERTAIN = frozenset({"expression", "of the question"})
_NAMES = frozenset({"name", "row", "other_row"})
_OF_ROWS = frozenset({"superlative", "rank", "trend", "comparison", "change"})
_RIGHT_BEHIND = re.compile(
    r"\W{0,3}(?:with|mit|at|had|hat|hatte|on|为|是|有|达)?\W{0,3}(?:CHF|EUR|USD|[$€£])?\s*", re.IGNORECASE
)
_OF_SO_MANY = re.compile(r"(?<![a-z])(?:of the|of our|der|von den)\s*$", re.IGNORECASE)
_PAIRED = re.compile(r"\s*[-–:]\s*(?:of\s*-\s*)?")


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

    @cached_property
    def _values(self) -> OtherValues:
        return OtherValues(self.scene, self._words, self.bound)

    def counts_all_rows_wrong(self, one: CheckedStatement) -> bool:
        """Whether a sentence says of how many rows some are something, and there are not so many: two of the four, where there are three."""
        if one.key != "count" or not _OF_SO_MANY.search(self.page.text[self.line.start : one.span[0]]):
            return False
        return self._words.unread(self.line.start, self.line.end) <= _MOST_UNREAD

    def is_read(self, one: CheckedStatement) -> bool:
        """Whether every other claim of the sentence was checked, and nearly every word around a statement understood."""
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
        if self._is_of_named_rows(said) or self._is_of_percent_points(said):
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
        if is_part_of(self.page, said, noun) or told != {one.place.column} or self._is_of_unnamed_row(said, one.place):
            return False
        part = self.scene.part_of(said)
        apart = (part.original(each.start, each.stop)[0] - noun.end for each in part.degrees("comparative"))
        return not part.has(*RECKONED) and not any(0 <= space <= _NEXT for space in apart)  # A hundred metres longer.

    def _is_of_percent_points(self, said: SaidFigure) -> bool:
        """Whether a figure is as far as two percentages are apart: 3 points; not where a column is called so."""
        if not POINTS.match(self.page.text, said.figure.end):
            return False
        return all(ref.column in self.page.tables[ref.table].rates for ref in self.page.nouns(said.figure))

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
            or self.scene.has(*RECKONED)
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

    def is_right_with_others(self, read_again: Callable[[str], TextRead]) -> bool:
        """Whether the sentence is supported once the figures that are wrong, or the name beside them, are what the data says."""
        if not self.wrong or self.line.end - self.line.start > _LONGEST or any(map(self._is_other_day, self.wrong)):
            return False
        return any(self._is_right_with(changes, read_again) for changes in self._values.changes(self.wrong))

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

    def _is_right_with(self, changes: Sequence[Instead], read_again: Callable[[str], TextRead]) -> bool:
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


def _marked(said: SaidFigure) -> CheckedStatement:
    start = said.figure.start
    return CheckedStatement("not_checkable", (start, said.figure.end), "reckoning", settles=frozenset({start}))
