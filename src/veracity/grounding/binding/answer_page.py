"""A text with everything that it names: its words, its sentences and their parts, names, columns and figures.

The figures of data among each other: which follow each other, which are said in one go, which stand in a list or a table.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from veracity.answer.values import Value
from veracity.grounding.binding.cue_words import (
    ARTICLES,
    FALLING,
    FILLERS,
    FUNCTION,
    JOINING,
    LEADING,
    MINUS,
    SEPARATING,
    Relation,
    may_fall,
    relation_of,
)
from veracity.grounding.binding.figure_meaning import FigureMeaning, TextFigures, is_surely_figure, meaning_of
from veracity.grounding.binding.mentions import (
    Mentions,
    NameMention,
    Spans,
    TextLine,
    TextTokens,
    figure_spans,
    lines_of,
    mentions_in,
    moments_in,
)
from veracity.grounding.binding.results_index import CellPlace, ColumnRef, Index
from veracity.language.numbers import Figure
from veracity.language.sentences import sentence_ends
from veracity.language.units import unit_called, units

_SEPARATORS = frozenset(",;、，；|\n•")
_NO_RUN = frozenset("|()（）[]:：\n")
"""Signs between figures that are not said in one go."""
_CARRIED = 3
"""What was said so many sentences ago still counts as the subject."""
_BEFORE_NOUN = 4
"""A noun stands so many words behind its figure at most."""
_LONGEST_RUN = 20
_MOST_JOINING = 3
_PAIRS = frozenset({"pair", "paar"})
_NO_COUNT = frozenset({"of", "rate", "ratio", "share", "quota", "percentage"})
"""Behind a noun that is not counted: a return rate of 4 %."""
_SUBTRACTED = re.compile(r"[0-9]\s(?:[^\s:]+\s)?minus\s*$", re.IGNORECASE)
"""118 new minus 62 left takes 62 away, which is no -62."""
_OF_TIME = re.compile(r"-(?:year|month|week|day|quarter|hour)(?![a-z])", re.IGNORECASE)


class SaidFigure(NamedTuple):
    """A figure of the data, with its words and its sentence."""

    figure: Figure
    meaning: FigureMeaning
    first: int
    last: int
    line: int
    number: int = -1
    """Which of the figures of the data it is."""


_SIGNED: Mapping[str, Relation] = {
    "~": "about",
    "≈": "about",
    "<": "at most",
    "≤": "at most",
    ">": "at least",
    "≥": "at least",
}


_SIGN = re.compile(
    r"(?P<sign>[~≈])\s?$|(?<=[^\s<>=-][ \u00a0])(?P<bound>[<≤>≥])=?\s?$|(?<=[(（:：])(?P<after>[<≤>≥])=?\s?$"
)
"""About, or a bound; no arrow, no end of a tag, and no quoted line."""


class AnswerPage:
    """A text over an index, read once."""

    def __init__(self, text: str, locale: str, index: Index, *, every_word: bool = False) -> None:
        self.text, self.locale, self.index, self.tables = text, locale, index, index.tables
        self.tokens = TextTokens(text)
        self.words = self.tokens.words
        self.text_figures = TextFigures(text, locale, index.days_of if index.has_days else None)
        self.ends = tuple(sentence_ends(text))
        """Where its sentences end."""
        self.lines = lines_of(self.tokens, self.text_figures.all, self.ends)
        self._line_starts = [line.start for line in self.lines]
        spans = figure_spans(self.text_figures.all, self.tokens)
        names, columns = mentions_in(self.tokens, index, spans)
        names, columns = ([one for one in found if not self._is_part_of_unit(one)] for found in (names, columns))
        taken = {mention.first for mention in (*names, *columns)}
        moments = moments_in(self.tokens, self.text_figures, index, taken)
        self.names = Mentions(sorted((*names, *moments), key=lambda mention: mention.start))
        self.columns = Mentions(columns)
        self.measures = Mentions([mention for mention in columns if self.measured(mention.columns)])
        """The words for columns that hold figures."""
        self._column_at = {mention.first: mention for mention in columns}
        self._nouns: dict[int, NameMention | None] = {}
        self.segments = self._segments(spans)
        self.figures: list[Figure] = sorted((*self._counting(every_word), *self._ones()), key=lambda f: f.start)
        self.said: list[SaidFigure] = []
        """The figures of the data, once it is known which they are."""
        self.computed: dict[tuple[object, ...], Value | None] = {}
        """What was worked out for whole columns."""
        self._measured_last: dict[tuple[str, int], ColumnRef] = {}
        self._measured_as: dict[str, ColumnRef] = {}
        self._bars: dict[int, list[int]] = {}

    def _is_part_of_unit(self, mention: NameMention) -> bool:
        """Whether a word is only a part of a unit: the US of 2,185 US dollars, the L of 6.8 mg/L."""
        return any(
            start <= mention.start and mention.end <= end and mention.end - mention.start < end - start - 1
            for start, end in self.text_figures.unit_spans
        )

    def place(self, figure: Figure, number: int = -1) -> SaidFigure:
        """A figure with its words and its sentence."""
        most = len(self.words) - 1
        first = min(bisect_right(self.tokens.ends, figure.start), most)
        last = min(max(first, self.tokens.at(figure.end) - 1), most)
        line = self.line_at(figure.start)
        return SaidFigure(figure, self._meaning(figure, first, last), first, last, line, number)

    def _meaning(self, figure: Figure, first: int, last: int) -> FigureMeaning:
        """What a figure says, with the words around it that change it."""
        words, behind = self.words[max(0, first - 8) : first], self.words[last + 1 : last + 5]
        measured = figure.start in self.text_figures.units
        relation = relation_of(words[-4:], behind[1:3] if measured and behind[1:2] == ["or"] else behind[:2])
        if words[-1:] == ["ueber"] and any(word.startswith("verfueg") for word in words[-4:]):
            relation = "is"  # Verfügt über 32 Kräne.
        sign = _SIGN.search(self.text, max(0, figure.start - 4), figure.start)
        if sign is not None and self.text[figure.end : figure.end + 1] != ">":
            relation = _SIGNED[sign["sign"] or sign["bound"] or sign["after"]]
        elif self.text[figure.end : figure.end + 1] == "+":
            relation = "at least"
        negative = (
            bool(words)
            and words[-1] in MINUS
            and not _SUBTRACTED.search(self.text, max(0, figure.start - 40), figure.start)
        )
        falling = False
        if not negative and figure.kind == "number" and may_fall(words + behind):
            around = f"{self.tokens.before(first)} {self.tokens.after(figure.end)}"
            falling = FALLING.search(around) is not None
        found = self.text_figures
        minute, unit = found.minutes.get(figure.start), found.units.get(figure.start)
        return meaning_of(figure, relation, negative=negative, either_sign=falling, minute=minute, unit=unit)

    def hold_data(self, figures: Sequence[Figure]) -> None:
        """Take these for the figures of the data; no name starts where one of them does."""
        self.said = [self.place(figure, number) for number, figure in enumerate(figures)]
        places = {figure.start for figure in figures}
        self.names = Mentions([mention for mention in self.names.all if mention.start not in places])

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
        for figure in self.text_figures.all:
            if figure.kind == "word" and _OF_TIME.match(self.text, figure.end):
                continue  # A three-year return is no three years.
            if (
                figure.kind != "word"
                or every_word
                or is_surely_figure(figure)
                or self.noun_of(figure) is not None
                or (figure.start in self.text_figures.units and self._is_measured_so(figure))
            ):
                yield figure

    def _is_measured_so(self, figure: Figure) -> bool:
        """Whether a column that is named beside a number word, or one of the row that is named, is measured in its unit: the term is two years."""
        at, unit = self.tokens.at(figure.start), self.text_figures.units[figure.start]
        if figure.readings[0] < 2 or at >= len(self.words):
            return False
        line = self.lines[self.line_at(figure.start)]
        near = [one for one in self.measures.among(line.first, line.last) if self.segment(one) == self.segments[at]]
        named = {ref.table for one in self.names.among(line.first, line.last) for ref in one.names} if not near else ()
        refs = [(ref.table, ref.column) for one in near for ref in one.columns]
        refs += [(table, column) for table in named for column in self.tables[table].figures]
        return any(unit.dimension in self.tables[table].dimensions(column) for table, column in refs)

    def noun_of(self, figure: Figure) -> NameMention | None:
        """The word for a column right behind a figure: 24 points, 18-point, 三个地区."""
        if figure.end not in self._nouns:
            word = self.tokens.at(figure.end)
            behind = 0 < word < len(self.words) and self.segments[word] == self.segments[word - 1]
            noun = self._noun_at(word) if behind else None
            self._nouns[figure.end] = None if noun is not None and self._is_other_unit(figure, noun) else noun
        return self._nouns[figure.end]

    def _is_other_unit(self, figure: Figure, noun: NameMention) -> bool:
        """Whether a word is the unit of the figure, and only a part of the name of columns in another one: 60 months, beside monthly_fee_eur."""
        unit = self.text_figures.units.get(figure.start)
        if unit is None or noun.last > noun.first or unit_called(self.words[noun.first]) != unit:
            return False
        own = (self.tables[ref.table].columns.get(ref.column) for ref in noun.columns)
        told = [unit_called(one.unit) for one in own if one is not None and one.unit]
        return (
            bool(told)
            and len(told) == len(noun.columns)
            and all(one is not None and one.dimension != unit.dimension for one in told)
        )

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
            if not _is_filler(self.words[at]):
                return self._noun_of_name(at)
        return None

    def _noun_of_name(self, at: int) -> NameMention | None:
        """The word for a column right behind a name that stands here: 14 [intensive care] beds."""
        name = next(iter(self.names.among(at, at + 1)), None)
        noun = self._column_at.get(name.last + 1) if name is not None else None
        return noun if name is not None and noun is not None and self.segment(noun) == self.segment(name) else None

    def _ones(self) -> Iterator[Figure]:
        """`a steal` in a list of counts (three rebounds, a steal and a block) is one steal; elsewhere it is an article."""
        named = self.named_words
        numbers = (self.tokens.at(one.start) for one in self.text_figures.all if one.kind in ("number", "word"))
        counts = {at for at in numbers if at not in named}
        articles: dict[int, int] = {}
        for at, word in enumerate(self.words):
            if word in ARTICLES and at not in counts:
                of = word in _PAIRS and self.words[at + 1 : at + 2] == ["of"]
                noun = self._column_at.get(at + 2 if of else at + 1)
                sure = noun is not None and any(ref.sure for ref in noun.columns)
                if noun is not None and sure and _NO_COUNT.isdisjoint(self.words[noun.last + 1 : noun.last + 2]):
                    articles[at] = noun.last
        ends = {mention.last: mention.first for mention in self.columns.all} if articles else {}
        for order in (articles, reversed(articles)):
            for at in order:
                if (
                    self._is_counted(at, ends, counts)
                    or self._goes_on_counting(articles[at], counts)
                    or self._lists_ones(at, articles)
                ):
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

    def _lists_ones(self, at: int, articles: Mapping[int, int]) -> bool:
        """Whether an article begins a list of things that are counted: included an assist, a steal [and a block]."""
        following = articles[at] + 1 + (self.words[articles[at] + 1 : articles[at] + 2] in (["and"], ["und"]))
        return following in articles and all(self._is_countable(articles[one]) for one in (at, following))

    def _is_countable(self, last: int) -> bool:
        """Whether the noun that ends here counts things of which a row may have one or none: whole numbers without a unit."""
        noun = next(
            (one for one in reversed(self.columns.among(last - _BEFORE_NOUN, last + 1)) if one.last == last), None
        )
        refs = self.measured(noun.columns) if noun is not None else ()
        return any(self.tables[ref.table].counts_things(ref.column) for ref in refs)

    def has_strange_noun(self, said: SaidFigure) -> bool:
        """Whether a noun that names none of the columns stands right behind it: 24 dimes."""
        at = self.tokens.at(said.figure.end)
        if at >= len(self.words) or self.segments[at] != self.segments[said.last] or said.figure.percent:
            return False
        word = self.words[at]
        return word not in FUNCTION and at not in self.named_words and word[0].isalpha() and word[0] < "\u3000"

    # --- what stands around a figure

    def near(self, said: SaidFigure, mentions: Mentions) -> Sequence[NameMention]:
        """The mentions of the figure's sentence, as far as they are not too far away."""
        line = self.lines[said.line]
        return mentions.near(said.first, said.last, (line.first, line.last))

    def names_near(self, said: SaidFigure) -> Sequence[NameMention]:
        """The names of the figure's sentence, as far as they are not too far away."""
        line = self.lines[said.line]
        return self.names.near(said.first, said.last, (line.first, line.last))

    def carried(self, said: SaidFigure, mentions: Mentions) -> Sequence[NameMention]:
        """What the sentences before say, as far as their subject may be carried on."""
        above = self.lines[said.line].above
        for _ in range(_CARRIED):
            if above < 0:
                break
            line = self.lines[above]
            if found := mentions.carried((line.first, line.last)):
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
            elif self.words[at] in LEADING or _is_filler(self.words[at]):
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

    # --- the figures of the data, one after the other

    def previous(self, said: SaidFigure) -> SaidFigure | None:
        """The figure before it in its sentence."""
        at = said.number - 1
        return self.said[at] if at >= 0 and self.said[at].line == said.line else None

    def following(self, said: SaidFigure) -> SaidFigure | None:
        """The figure behind it in its sentence."""
        at = said.number + 1
        return self.said[at] if 0 < at < len(self.said) and self.said[at].line == said.line else None

    def are_days(self, mention: NameMention) -> bool:
        """Whether a word stands for columns of days only."""
        refs = self.measured(mention.columns)
        return bool(refs) and all(ref.column in self.tables[ref.table].days for ref in refs)

    def is_opposite(self, mention: NameMention) -> bool:
        """Whether a word for a column of yes and no says that it is not so."""
        return tuple(self.tokens.roots[mention.first : mention.last + 1]) in self.index.opposite_forms

    def line_of(self, mention: NameMention) -> TextLine:
        """The sentence that a mention stands in."""
        return self.lines[self.line_at(mention.start)]

    def line_at(self, place: int) -> int:
        """The number of the sentence at a place of the text."""
        return max(0, bisect_right(self._line_starts, place) - 1)

    def is_period(self, mention: NameMention) -> bool:
        """Whether a word for columns is the time that they are of: 2024, in July."""
        roots, forms = tuple(self.tokens.roots[mention.first : mention.last + 1]), self.index.period_forms
        if roots in forms:
            return True
        return (
            len(roots) > 1
            and (roots[-1:] in forms or roots[:1] in forms)
            and mention.columns[0] in self.index.of_period
        )

    def last_before(self, mention: NameMention) -> SaidFigure | None:
        """The last figure before a mention."""
        at = bisect_left(self.said, mention.first, key=lambda said: said.first) - 1
        return self.said[at] if at >= 0 else None

    def is_noun(self, mention: NameMention) -> bool:
        """Whether a word for a column is the noun of the figure right before it."""
        before = self.last_before(mention)
        return before is not None and self.noun_of(before.figure) is mention

    # --- in one go

    @cached_property
    def _runs(self) -> list[tuple[int, int]]:
        """For each figure the first and the last of those that are said in one go with it: 5, 7 and 9."""
        runs, start = list[tuple[int, int]](), 0
        for at, said in enumerate(self.said):
            if at + 1 == len(self.said) or not self._runs_on(said, self.said[at + 1]):
                runs += [(start, at)] * (at + 1 - start)
                start = at + 1
        return runs

    def _runs_on(self, one: SaidFigure, other: SaidFigure) -> bool:
        words = self.words[one.last + 1 : other.first]
        if one.line != other.line or len(words) > _MOST_JOINING:
            return False
        if (one.figure.kind == "date") != (other.figure.kind == "date"):
            return False
        if not _NO_RUN.isdisjoint(self.text[one.figure.end : other.figure.start]):
            return False
        return all(word in JOINING or word in units() for word in words)

    def run_of(self, said: SaidFigure) -> tuple[SaidFigure, SaidFigure]:
        """The first and the last of the figures that are said in one go with it; it may be alone."""
        if said.number < 0:
            return said, said
        first, last = self._runs[said.number]
        return self.said[first], self.said[last]

    def in_run(self, said: SaidFigure, other: SaidFigure | None = None) -> bool:
        """Whether it is said in one go with this one, or with any other figure."""
        if said.number < 0:
            return False
        first, last = self._runs[said.number]
        return last > first if other is None else first <= other.number <= last

    def aligned(self, said: SaidFigure, near: Sequence[NameMention]) -> NameMention | None:
        """The mention that belongs to a figure by its place: A, B and C have 5, 7 and 9."""
        first, last = self.run_of(said)
        size = last.number + 1 - first.number
        if not 2 <= size <= _LONGEST_RUN or said.figure.kind == "time":
            return None
        for row in self.around_run(said, near):
            if len(row) == size:
                return row[said.number - first.number]
        return None

    def around_run(self, said: SaidFigure, near: Sequence[NameMention]) -> tuple[list[NameMention], list[NameMention]]:
        """The mentions right before and right behind the figures that are said in one go, up to the next figure."""
        first, last = self.run_of(said)
        before, after = self.previous(first), self.following(last)
        low, high = before.last if before else -1, after.first if after else len(self.words)
        return (
            [mention for mention in near if low < mention.first and mention.last < first.first],
            [mention for mention in near if last.last < mention.first and mention.last < high],
        )

    # --- in a table

    def heading(self, said: SaidFigure) -> tuple[int, int] | None:
        """Where the heading above a figure stands, for a figure in a table."""
        top = self.lines[said.line].heading
        if top < 0 or top == said.line:
            return None
        number, bars = bisect_left(self._parted(said.line), said.figure.start), self._parted(top)
        return (bars[number - 1], bars[number]) if 0 < number < len(bars) else None

    def _parted(self, number: int) -> list[int]:
        """Where the cells of a line of a table are parted; one bar stands before the first cell, written or not."""
        if number not in self._bars:
            line = self.lines[number]
            bars = [at for at in range(line.start, line.end) if self.text[at] == "|"]
            open_ = bool(bars) and self.text[line.start : bars[0]].strip() != ""
            self._bars[number] = [line.start, *bars] if open_ else bars
        return self._bars[number]

    # --- what they measure

    def measured(self, refs: Iterable[ColumnRef], figure: Figure | None = None) -> tuple[ColumnRef, ...]:
        """The columns that hold figures, or texts in which some may stand; days and times stand in no column of numbers."""
        found = tuple(ref for ref in refs if ref.column in self.tables[ref.table].measures)
        if figure is None or figure.kind not in ("date", "time"):
            return found
        return tuple(ref for ref in found if self.tables[ref.table].holds_time(ref.column))

    def keep_measured(self, said: SaidFigure, place: CellPlace) -> None:
        """Remember which column a figure was bound to: what follows in the same way is measured in the same."""
        line = self.lines[said.line]
        ref = ColumnRef(place.table, place.column)
        self._measured_last["line", said.line] = ref
        self._measured_as[self.word_behind(said)] = ref
        if line.listed:
            self._measured_last["list", line.above] = ref

    def measured_as(self, said: SaidFigure) -> ColumnRef | None:
        """The column that an earlier figure with the same noun was bound to."""
        return self._measured_as.get(self.word_behind(said))

    def word_behind(self, said: SaidFigure) -> str:
        """The word right behind a figure."""
        return self.words[said.last + 1] if said.last + 1 < len(self.words) else ""

    def measured_last(self, said: SaidFigure) -> ColumnRef | None:
        """The column that the figure before it, in its sentence or list, was bound to."""
        line = self.lines[said.line]
        own = self._measured_last.get(("line", said.line))
        return own or (self._measured_last.get(("list", line.above)) if line.listed else None)


def _is_filler(word: str) -> bool:
    """Whether a word may stand between a figure and its noun: 24 total points, 5 GB memory."""
    return word in FILLERS or (len(word) > 1 and word in units())
