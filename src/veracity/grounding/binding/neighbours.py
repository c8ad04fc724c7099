"""The figures of a page among each other: which come one after the other, which are said in one go, which stand in a list."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property

from veracity.answer.figure_context import CURRENCIES
from veracity.answer.values import Value
from veracity.grounding.binding.cues import FUNCTION, JOINING
from veracity.grounding.binding.index import CellPlace, ColumnRef
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.page import AnswerPage, SaidFigure
from veracity.language.numbers import Figure

_APART = frozenset("|()（）[]:：\n")
_LONGEST_RUN = 20
_MOST_JOINING = 3


class Around:
    """What stands around the figures of a page, worked out as it is asked for."""

    def __init__(self, page: AnswerPage, figures: Sequence[SaidFigure]) -> None:
        self.page, self.figures, self.tables = page, figures, page.index.tables
        self.computed: dict[tuple[object, ...], Value | None] = {}
        """What was worked out for whole columns."""
        self._firsts = [said.first for said in figures]
        self._measured: dict[tuple[str, int], ColumnRef] = {}
        self._bars: dict[int, list[int]] = {}

    # --- one after the other

    def previous(self, said: SaidFigure) -> SaidFigure | None:
        """The figure before it in its sentence."""
        at = said.number - 1
        return self.figures[at] if at >= 0 and self.figures[at].line == said.line else None

    def following(self, said: SaidFigure) -> SaidFigure | None:
        """The figure behind it in its sentence."""
        at = said.number + 1
        return self.figures[at] if at < len(self.figures) and self.figures[at].line == said.line else None

    def last_before(self, mention: NameMention) -> SaidFigure | None:
        """The last figure before a mention."""
        at = bisect_left(self._firsts, mention.first) - 1
        return self.figures[at] if at >= 0 else None

    def is_noun(self, mention: NameMention) -> bool:
        """Whether a word for a column is the noun of the figure right before it."""
        before = self.last_before(mention)
        return before is not None and self.page.noun_of(before.figure) is mention

    def is_strange(self, said: SaidFigure) -> bool:
        """Whether a noun that names none of the columns stands right behind it: 24 dimes."""
        page, at = self.page, self.page.tokens.at(said.figure.end)
        if at >= len(page.words) or page.segments[at] != page.segments[said.last] or said.figure.percent:
            return False
        word = page.words[at]
        known = word in FUNCTION or at in page.named_words
        return not known and word[0].isalpha() and word[0] < "\u3000"

    # --- in one go

    @cached_property
    def _runs(self) -> list[tuple[int, int]]:
        """For each figure the first and the last of those that are said in one go with it: 5, 7 and 9."""
        runs, start = list[tuple[int, int]](), 0
        for at, said in enumerate(self.figures):
            if at + 1 == len(self.figures) or not self._goes_on(said, self.figures[at + 1]):
                runs += [(start, at)] * (at + 1 - start)
                start = at + 1
        return runs

    def _goes_on(self, one: SaidFigure, other: SaidFigure) -> bool:
        words = self.page.words[one.last + 1 : other.first]
        if one.line != other.line or len(words) > _MOST_JOINING:
            return False
        apart = not _APART.isdisjoint(self.page.text[one.figure.end : other.figure.start])
        return not apart and all(w in JOINING or w in CURRENCIES or w in ("percent", "prozent") for w in words)

    def in_run(self, said: SaidFigure) -> bool:
        """Whether it is said in one go with other figures."""
        first, last = self._runs[said.number]
        return last > first

    def first_of_run(self, said: SaidFigure) -> SaidFigure:
        """The first of the figures that are said in one go with it."""
        return self.figures[self._runs[said.number][0]]

    def last_of_run(self, said: SaidFigure) -> SaidFigure:
        """The last of the figures that are said in one go with it."""
        return self.figures[self._runs[said.number][1]]

    def go_together(self, one: SaidFigure, other: SaidFigure) -> bool:
        """Whether two figures are said in one go."""
        return self._runs[one.number] == self._runs[other.number]

    def aligned(self, said: SaidFigure, near: Sequence[NameMention]) -> NameMention | None:
        """The mention that belongs to a figure by its place: A, B and C have 5, 7 and 9."""
        first, last = self._runs[said.number]
        size = last + 1 - first
        if not 2 <= size <= _LONGEST_RUN or said.figure.kind == "time":
            return None
        start, end = self.figures[first], self.figures[last]
        before, after = self.previous(start), self.following(end)
        low = before.last if before is not None else -1
        high = after.first if after is not None else len(self.page.words)
        for row in (
            [mention for mention in near if low < mention.first and mention.last < start.first],
            [mention for mention in near if end.last < mention.first and mention.last < high],
        ):
            if len(row) == size:
                return row[said.number - first]
        return None

    # --- in a table

    def heading(self, said: SaidFigure) -> tuple[int, int] | None:
        """Where the heading above a figure stands, for a figure in a table."""
        top = self.page.lines[said.line].heading
        if top < 0 or top == said.line:
            return None
        number, bars = bisect_left(self._parted(said.line), said.figure.start), self._parted(top)
        return (bars[number - 1], bars[number]) if 0 < number < len(bars) else None

    def _parted(self, number: int) -> list[int]:
        """Where the cells of a line of a table are parted; one bar stands before the first cell, written or not."""
        if number not in self._bars:
            line, text = self.page.lines[number], self.page.text
            bars = [at for at in range(line.start, line.end) if text[at] == "|"]
            open_ = bool(bars) and text[line.start : bars[0]].strip() != ""
            self._bars[number] = [line.start, *bars] if open_ else bars
        return self._bars[number]

    # --- what they measure

    def measured(self, refs: Iterable[ColumnRef], figure: Figure | None = None) -> tuple[ColumnRef, ...]:
        """The columns that hold figures, or texts in which some may stand; days and times stand in no column of numbers."""
        found = self.page.index.measures(refs)
        if figure is None or figure.kind not in ("date", "time"):
            return found
        return tuple(ref for ref in found if self.tables[ref.table].holds_time(ref.column))

    def keep(self, said: SaidFigure, place: CellPlace) -> None:
        """Remember which column a figure was bound to: what follows in the same way is measured in the same."""
        line = self.page.lines[said.line]
        ref = ColumnRef(place.table, place.column)
        self._measured["line", said.line] = ref
        if line.listed:
            self._measured["list", line.above] = ref

    def kept(self, said: SaidFigure) -> ColumnRef | None:
        """The column that the figure before it, in its sentence or list, was bound to."""
        line = self.page.lines[said.line]
        own = self._measured.get(("line", said.line))
        return own or (self._measured.get(("list", line.above)) if line.listed else None)
