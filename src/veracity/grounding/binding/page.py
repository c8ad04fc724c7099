"""A text with everything that it names: its words, its sentences and their parts, names, columns and figures."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from veracity.answer.figure_context import CURRENCIES
from veracity.grounding.binding.cues import ARTICLES, FILLERS, LEADING, SEPARATING
from veracity.grounding.binding.index import ColumnRef, Index, NameRef
from veracity.grounding.binding.mentions import TOKEN, NameMention, Spans, TextTokens, figure_spans, mentions_in
from veracity.grounding.binding.text_figures import Spoken, spelt
from veracity.language.numbers import MONTHS, Figure
from veracity.language.sentences import sentence_ends

_SEPARATORS = frozenset(",;、，；|\n•")
_WINDOW = 60
"""So many words before and behind a figure are looked at."""
_MOST_BEFORE, _MOST_BEHIND = 16, 10
"""And so many names, or words for columns."""
_CARRIED = 3
"""What was said so many sentences ago still counts as the subject."""
_BEFORE_NOUN = 4
"""A noun stands so many words behind its figure at most."""
_PAIRS = frozenset({"pair", "paar"})


class SaidFigure(NamedTuple):
    """A figure of the data, with its words and its sentence."""

    figure: Figure
    first: int
    last: int
    line: int
    number: int = -1
    """Which of the figures of the data it is."""


class Mentions:
    """Mentions in the order of the text, found by the words around a figure."""

    def __init__(self, all_: Sequence[NameMention]) -> None:
        self.all = all_
        self._firsts = [mention.first for mention in all_]
        self._starts = [mention.start for mention in all_]

    def among(self, first: int, last: int) -> Sequence[NameMention]:
        """Those that begin from one word up to another, which is left out."""
        return self.all[bisect_left(self._firsts, first) : bisect_left(self._firsts, last)]

    def near(self, said: SaidFigure, first: int, last: int) -> Sequence[NameMention]:
        """Those around a figure, within these words."""
        at = bisect_left(self._firsts, said.first)
        low = max(at - _MOST_BEFORE, bisect_left(self._firsts, max(first, said.first - _WINDOW)))
        high = min(at + _MOST_BEHIND, bisect_left(self._firsts, min(last, said.last + _WINDOW)))
        return self.all[low:high]

    def within(self, start: int, end: int) -> list[NameMention]:
        """Those from one place of the text to another."""
        low = bisect_left(self._starts, start)
        return [mention for mention in self.all[low : bisect_left(self._starts, end)] if mention.end <= end]

    def holding(self, figure: Figure) -> NameMention | None:
        """The one that a figure is a part of."""
        at = bisect_right(self._starts, figure.start) - 1
        found = self.all[at] if at >= 0 else None
        return found if found is not None and figure.end <= found.end else None


class AnswerPage:
    """A text over an index, read once."""

    def __init__(self, text: str, locale: str, index: Index, *, every_word: bool = False) -> None:
        self.text, self.locale, self.index = text, locale, index
        self.tokens = TextTokens(text)
        self.words = self.tokens.words
        self.spoken = Spoken(text, locale)
        self.lines = lines_of(self.tokens, self.spoken.figures)
        self._line_starts = [line.start for line in self.lines]
        spans = figure_spans(self.spoken.figures, self.tokens)
        names, columns = mentions_in(self.tokens, index, spans)
        moments = list(moments_in(self.tokens, self.spoken, index, {m.first for m in (*names, *columns)}))
        self.names = Mentions(sorted((*names, *moments), key=lambda mention: mention.start))
        self.columns = Mentions(columns)
        self.measures = Mentions([mention for mention in columns if index.measures(mention.columns)])
        """The words for columns that hold figures."""
        self._column_at = {mention.first: mention for mention in columns}
        self._nouns: dict[int, NameMention | None] = {}
        self.segments = self._segments(spans)
        self.figures: list[Figure] = sorted((*self._counting(every_word), *self._ones()), key=lambda f: f.start)

    def without(self, places: Collection[int]) -> None:
        """Take back the names that start at these places: they are figures."""
        self.names = Mentions([mention for mention in self.names.all if mention.start not in places])

    def said(self, figure: Figure, number: int = -1) -> SaidFigure:
        """A figure with its words and its sentence."""
        most = len(self.words) - 1
        first = min(bisect_right(self.tokens.ends, figure.start), most)
        last = min(max(first, self.tokens.at(figure.end) - 1), most)
        line = max(0, bisect_right(self._line_starts, figure.start) - 1)
        return SaidFigure(figure, first, last, line, number)

    # --- parts of sentences

    def _segments(self, spans: Spans) -> list[int]:
        """For each word the number of its part of the text; commas, `and` and full stops start a new one."""
        mentions = (*self.names.all, *self.columns.all)
        inside = {word for mention in mentions for word in range(mention.first + 1, mention.last + 1)}
        inside.update(word for word, (first, _last) in spans.items() if first < word)
        begins = {line.first for line in self.lines}
        segments, number, end = list[int](), 0, 0
        for at, word in enumerate(self.words):
            gap = self.text[end : self.tokens.starts[at]]
            parted = at in begins or word in SEPARATING or (gap != " " and not _SEPARATORS.isdisjoint(gap))
            number += parted and at not in inside
            segments.append(number)
            end = self.tokens.ends[at]
        return segments

    def segment(self, thing: SaidFigure | NameMention) -> int:
        """The part of the text that it stands in."""
        return self.segments[thing.first]

    # --- figures and their nouns

    def _counting(self, every_word: bool) -> Iterator[Figure]:
        """The figures, without number words that stand for nothing countable."""
        for figure in self.spoken.figures:
            if figure.kind != "word" or every_word or spelt(figure) or self.noun_of(figure) is not None:
                yield figure

    def noun_of(self, figure: Figure) -> NameMention | None:
        """The word for a column right behind a figure: 24 points, 18-point, 三个地区."""
        if figure.end not in self._nouns:
            word = self.tokens.at(figure.end)
            behind = 0 < word < len(self.words) and self.segments[word] == self.segments[word - 1]
            self._nouns[figure.end] = self._noun_at(word) if behind else None
        return self._nouns[figure.end]

    def nouns(self, figure: Figure) -> tuple[ColumnRef, ...]:
        """The columns that the words right behind a figure say; of two in a row, either: a 38-point first quarter."""
        noun = self.noun_of(figure)
        if noun is None:
            return ()
        second = self._column_at.get(noun.last + 1)
        if second is None or self.segment(second) != self.segment(noun):
            return noun.columns
        return (*noun.columns, *second.columns)

    def _noun_at(self, word: int) -> NameMention | None:
        """The word for a column that stands here, or behind a few words that may come before a noun."""
        for at in range(word, min(word + _BEFORE_NOUN, len(self.words))):
            if self.segments[at] != self.segments[word]:
                return None
            if (found := self._column_at.get(at)) is not None:
                return found
            if self.words[at] not in FILLERS and self.words[at] not in CURRENCIES:
                return None
        return None

    def _ones(self) -> Iterator[Figure]:
        """`a steal` in a list of counts (three rebounds, a steal and a block) is one steal; elsewhere it is an article."""
        counts = {self.tokens.at(one.start) for one in self.spoken.figures if one.kind in ("number", "word")}
        articles: dict[int, int] = {}
        for at, word in enumerate(self.words):
            if word in ARTICLES and at not in counts:
                noun = self._column_at.get(
                    at + 2 if word in _PAIRS and self.words[at + 1 : at + 2] == ["of"] else at + 1
                )
                if noun is not None and self.words[noun.last + 1 : noun.last + 2] != ["of"]:
                    articles[at] = noun.last
        ends = {mention.last: mention.first for mention in self.columns.all} if articles else {}
        for order in (articles, reversed(articles)):
            for at in order:
                if self._is_counted(at, ends, counts) or self._goes_on_counting(articles[at], counts):
                    counts.add(at)
        for at in (at for at in articles if at in counts):
            start, end = self.tokens.starts[at], self.tokens.ends[at]
            value = Decimal(ARTICLES[self.words[at]])
            yield Figure(start, end, self.text[start:end], "word", readings=(value,), decimals=(0,))

    def _is_counted(self, at: int, ends: dict[int, int], counts: Collection[int]) -> bool:
        """Whether the noun before an article is counted: two rebounds [and a] steal."""
        left = at - 1 - (self.words[at - 1 : at] in (["a"], ["an"]))
        left -= left >= 0 and self.words[left] in SEPARATING
        first = ends.get(left, 0)
        return any(word in counts for word in range(max(0, first - 3), first))

    def _goes_on_counting(self, last: int, counts: Collection[int]) -> bool:
        """Whether a count follows a noun: a steal [and] two blocks."""
        right = last + 1 + (self.words[last + 1 : last + 2] != [] and self.words[last + 1] in SEPARATING)
        right += self.words[right : right + 1] in (["a"], ["an"]) and right not in counts
        return right in counts and right + 1 < len(self.words) and self._noun_at(right + 1) is not None

    # --- what stands around a figure

    def names_near(self, said: SaidFigure) -> Sequence[NameMention]:
        """The names of the figure's sentence, as far as they are not too far away."""
        return self.names.near(said, self.lines[said.line].first, self.lines[said.line].last)

    def columns_near(self, said: SaidFigure) -> Sequence[NameMention]:
        """The words for columns of the figure's sentence, as far as they are not too far away."""
        return self.columns.near(said, self.lines[said.line].first, self.lines[said.line].last)

    def measures_near(self, said: SaidFigure) -> Sequence[NameMention]:
        """Those of columns that hold figures."""
        return self.measures.near(said, self.lines[said.line].first, self.lines[said.line].last)

    def carried(self, said: SaidFigure, mentions: Mentions) -> Sequence[NameMention]:
        """What the sentences before say, as far as their subject may be carried on."""
        above = self.lines[said.line].above
        for _ in range(_CARRIED):
            if above < 0:
                break
            line = self.lines[above]
            if found := mentions.among(max(line.first, line.last - _WINDOW), line.last):
                return found
            above = line.above
        return ()

    def is_led(self, first: int, last: int) -> bool:
        """Whether only small words stand from one word up to another: 5 [in the year] 2018, 24 [points for] Thomas."""
        at = first
        while at < last:
            noun = self._column_at.get(at)
            if noun is not None and noun.last < last:
                at = noun.last + 1
            elif self.words[at] in LEADING or self.words[at] in FILLERS or self.words[at] in CURRENCIES:
                at += 1
            else:
                return False
        return True

    @property
    def is_wordless(self) -> bool:
        """Whether a text that is not English has no word for any column, most likely because they are named in English."""
        return not self.locale.startswith("en") and not self.measures.all

    @cached_property
    def named_words(self) -> set[int]:
        """The words that are a part of a name or of a word for a column."""
        mentions = (*self.names.all, *self.columns.all)
        return {word for mention in mentions for word in range(mention.first, mention.last + 1)}


# --- sentences and lines of a text, and which of them tell what another one is about: the line above a list, a table's headings


_BULLET = re.compile(r"[ \t]*(?:[-*+•–]|[0-9]{1,3}[.)])[ \t]+")


class TextLine(NamedTuple):
    """A sentence or a line; `first` and `last` are its words, `last` excluded."""

    start: int
    end: int
    first: int
    last: int
    above: int
    """The number of the line that its subject may be taken from: above a list, or the sentence before; -1 for none."""
    listed: bool = False
    """Whether it is an entry of a list."""
    heading: int = -1
    """The number of the line with the headings, for a line of a table."""


def lines_of(tokens: TextTokens, figures: Sequence[Figure]) -> list[TextLine]:
    """The sentences and lines of a text; a full stop inside a figure ends none."""
    text = tokens.text
    edges = [0, *(end for end in sentence_ends(text) if not _is_inside(end, figures)), len(text)]
    found: list[TextLine] = []
    intro = -1
    for start, end in pairwise(edges):
        line = text[start:end]
        if not line.strip():
            continue
        starts = start == 0 or text[start - 1] == "\n"
        listed, row = starts and _BULLET.match(line) is not None, starts and line.count("|") > 1
        above = found[-1].heading if found else -1
        heading = (above if above >= 0 else len(found)) if row else -1
        subject = intro if listed or row else len(found) - 1
        if not listed and not row:
            intro = len(found)
        found.append(TextLine(start, end, tokens.at(start), tokens.at(end), subject, listed, heading))
    return found


def _is_inside(place: int, figures: Sequence[Figure]) -> bool:
    """Whether a place is inside a figure, as behind the full stop of `31. Dezember`."""
    at = bisect_left(figures, place, key=lambda figure: figure.start) - 1
    return at >= 0 and place < figures[at].end


# --- days, months, years and moments that name rows: on 5 March 2020 at 12:00, in April 2020, 2020年4月


_NEAR = 6
"""A time stands so near behind its day."""
_MINUTES = 24 * 60


def moments_in(tokens: TextTokens, spoken: Spoken, index: Index, taken: Collection[int]) -> Iterator[NameMention]:
    """The rows that a text names by their time; `taken` are words that begin another name."""
    covered: set[int] = set()
    for at, figure in enumerate(spoken.figures):
        if figure.kind != "date":
            continue
        refs, end = list[NameRef](), figure.end
        clock = spoken.figures[at + 1] if at + 1 < len(spoken.figures) else None
        if clock is not None and clock.kind == "time" and clock.start - figure.end <= _NEAR:
            minute = spoken.minutes.get(clock.start, _MINUTES)
            refs = [ref for day in figure.dates for ref in _of_moment(day, minute, index)]
            end = clock.end if refs else end
        refs = refs or [ref for day in figure.dates for ref in _of_day(day, index)]
        first, last = tokens.at(figure.start), tokens.at(end) - 1
        covered.update(range(first, last + 1))
        if refs:
            yield NameMention(figure.start, end, first, max(first, last), tuple(refs))
    yield from _periods(tokens, index, {*covered, *taken})


def _of_day(day: date, index: Index) -> Iterator[NameRef]:
    """The rows of a day, or of its year where that is a column of its own."""
    yield from index.names.get(tuple(TOKEN.findall(day.isoformat())), ())
    yield from index.names.get((str(day.year),), ())
    for table in index.tables:
        for column, periods in table.periods.items():
            if day.isoformat() in periods and day.isoformat() not in table.values[column]:
                yield NameRef(table.number, column, day.isoformat())


def _of_moment(day: date, minute: int, index: Index) -> Iterator[NameRef]:
    if minute >= _MINUTES:
        return
    moment = datetime(day.year, day.month, day.day, minute // 60, minute % 60).isoformat()
    for table in index.tables:
        for column in table.periods:
            if moment in table.values[column]:
                yield NameRef(table.number, column, moment)


def _periods(tokens: TextTokens, index: Index, taken: Collection[int]) -> Iterator[NameMention]:
    """Months of a year, and years, where rows are named by days."""
    dated = [(table, column) for table in index.tables for column in table.periods]
    for first, last, period in _spelt_periods(tokens) if dated else ():
        refs = [NameRef(t.number, column, period) for t, column in dated if period in t.periods[column]]
        if refs and first not in taken:
            yield NameMention(tokens.starts[first], tokens.ends[last], first, last, tuple(refs))


def _spelt_periods(tokens: TextTokens) -> Iterator[tuple[int, int, str]]:
    """First word, last word, and the start of an ISO date: 2020-04."""
    words = tokens.words
    for at, word in enumerate(words):
        if len(word) != 4 or not word.isdigit():
            continue
        month = MONTHS.get(words[at - 1]) if at else None
        signs = words[at + 1 : at + 4]
        if month is not None:
            yield at - 1, at, f"{word}-{month:02}"
        elif len(signs) == 3 and signs[0] == "年" and signs[1].isdigit() and signs[2] == "月":
            yield at, at + 3, f"{word}-{int(signs[1]):02}"
        else:
            yield at, at, word
