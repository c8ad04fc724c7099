"""The chart: phrases that stand side by side are joined by rules until one of them covers the whole question.

The phrases that pass over the fewest preferences come first. Once they cover the question, the others need not be made:
a phrase never passes over less than those it is made of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from operator import add
from typing import NamedTuple, Protocol

from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.word_senses import Tagged, WordSense

Marks = tuple[int, ...]
"""How often each preference was passed over, the first preference first."""
ChartCell = dict[Phrase, Marks]
"""The phrases at some words; of several ways to the same phrase the one that passes over least."""
_Known = dict[type, list[tuple[int, Phrase, Marks]]]
"""Phrases by kind, each with where it ends or begins at its other side."""
_MOST_PLACES = 50
"""A question of more words that count is a story."""
_MOST_PHRASES = 2_000
"""Words that may mean more than this are not read: none of the readings may be left out."""


OTHER_ENTITY = "a field of what is named before one of something related"
OTHER_FIELD = "the name of a thing before its other fields"
UNSAID = "a field of what the question names before the same one of something else"
FAR = "a condition is about the nearest thing that it can be about"
ROLE = "a field before a role"
STEP = "the fewest relations"
DEFAULT_FIGURE = "what is said before what it stands for"
UNNAMED_DATE = "the date that goes without saying before one that nobody named"
COMPUTED = "what is stored before what could be computed"
PREFERENCES = (DEFAULT_FIGURE, OTHER_FIELD, ROLE, UNNAMED_DATE, UNSAID, OTHER_ENTITY, FAR, STEP, COMPUTED)
"""The stated rules that decide between readings, the first ones first."""


class MadePhrase(NamedTuple):
    """A phrase that a rule made, and the preferences it passes over."""

    phrase: Phrase
    marks: tuple[str, ...] = ()


class Joining(Protocol):
    """What the chart needs of who joins phrases."""

    @property
    def preferences(self) -> tuple[str, ...]:
        """What decides between readings, the first one first."""

    def weigh(self, senses: Sequence[WordSense]) -> Iterable[tuple[WordSense, tuple[str, ...]]]:
        """What the words may mean, with the preferences that each passes over."""

    def join(self, left: Phrase, right: Phrase) -> Iterable[MadePhrase]:
        """What two neighbours mean together."""

    def joins(self, left: type, right: type) -> bool:
        """Whether phrases of these kinds may mean anything together."""

    def expand(self, phrase: Phrase) -> Iterable[MadePhrase]:
        """What a phrase may also be by itself."""


@dataclass(frozen=True, slots=True)
class Chart:
    """What was found in a question: the phrases at each stretch of its words."""

    cells: Mapping[tuple[int, int], ChartCell]
    places: Sequence[int]
    """Where words that count begin, and the end."""

    @property
    def whole(self) -> ChartCell:
        """The phrases that cover the whole question."""
        return self.cells.get((self.places[0], self.places[-1]), {}) if self.places else {}

    def stretches(self, *, apart: Collection[int] = ()) -> tuple[tuple[int, int], ...]:
        """The fewest stretches that were understood each by itself and together are all words; none where some are not.

        `apart`: places of words that are left out, as nothing stands for them.
        """
        best: dict[int, tuple[tuple[int, int], ...]] = {self.places[0]: ()} if self.places else {}
        for number, start in enumerate(self.places):
            for end in self.places[number + 1 :] if start in best else ():
                gap = start in apart and end == self.places[number + 1]
                longer = best[start] if gap else (*best[start], (start, end))
                if (gap or (start, end) in self.cells) and (end not in best or len(longer) <= len(best[end])):
                    best[end] = longer
        return best.get(self.places[-1], ()) if self.places else ()


def parse(tagged: Tagged, composer: Joining, is_answer: Callable[[Phrase], bool] = lambda _: False) -> Chart:
    """The phrases that stretches of the question may mean; where some are an answer, those that pass over least."""
    size = len(tagged.tokens)
    following = [size] * (size + 1)
    for place in range(size - 1, -1, -1):
        following[place] = following[place + 1] if place in tagged.skipped else place
    places = sorted({*(following[place] for place in range(size)), size})
    if len(places) > _MOST_PLACES:
        return Chart({}, ())
    growing = _Growing(composer)
    for mention, marks in composer.weigh(tagged.mentions):
        if following[mention.start] == mention.start:
            growing.put(mention.start, following[mention.end], mention.phrase, growing.unmarked, marks)
    whole = (places[0], places[-1])
    if not growing.grow(whole, is_answer):
        growing.cells.pop(whole, None)
    return Chart(growing.cells, places)


class _Growing:
    """A chart in the making: what waits to be looked at, and by place what is known to begin and to end there."""

    def __init__(self, composer: Joining) -> None:
        self.cells: dict[tuple[int, int], ChartCell] = {}
        self.unmarked: Marks = (0,) * len(composer.preferences)
        self._composer = composer
        self._numbers = {name: number for number, name in enumerate(composer.preferences)}
        self._waiting: list[tuple[Marks, int, int, int, Phrase]] = []
        self._beginning: defaultdict[int, _Known] = defaultdict(_Known)
        self._ending: defaultdict[int, _Known] = defaultdict(_Known)
        self._made = 0

    def put(self, start: int, end: int, phrase: Phrase, marks: Marks, more: Iterable[str]) -> None:
        """Let a phrase wait for its turn: what passes over least first, then the shortest."""
        if more:
            counts = list(marks)
            for name in more:
                counts[self._numbers[name]] += 1
            marks = tuple(counts)
        cell = self.cells.get((start, end))
        if cell is None or phrase not in cell:
            self._made += 1
            heappush(self._waiting, (marks, end - start, self._made, start, phrase))

    def grow(self, whole: tuple[int, int], is_answer: Callable[[Phrase], bool]) -> bool:
        """Join until the best answers are found or nothing is left; not where that is too much."""
        best: Marks | None = None
        looked_at = 0
        while self._waiting:
            marks, length, _, start, phrase = heappop(self._waiting)
            if best is not None and marks > best:
                return True
            end = start + length
            cell = self.cells.setdefault((start, end), {})
            if phrase in cell:
                continue
            cell[phrase] = marks
            looked_at += 1
            if looked_at > _MOST_PHRASES:
                return False
            if (start, end) == whole and best is None and is_answer(phrase):
                best = marks
            for made in self._composer.expand(phrase):
                self.put(start, end, made.phrase, marks, made.marks)
            self._join(start, end, phrase, marks)
        return True

    def _join(self, start: int, end: int, phrase: Phrase, marks: Marks) -> None:
        """Join a phrase with its neighbours that are known already; those to come will find it."""
        kind, composer = type(phrase), self._composer
        self._beginning[start].setdefault(kind, []).append((end, phrase, marks))
        self._ending[end].setdefault(kind, []).append((start, phrase, marks))
        for other, neighbours in self._ending[start].items():
            if composer.joins(other, kind):
                for first, left, passed in neighbours:
                    for made in composer.join(left, phrase):
                        self.put(first, end, made.phrase, _sum(passed, marks), made.marks)
        for other, neighbours in self._beginning[end].items():
            if composer.joins(kind, other):
                for last, right, passed in neighbours:
                    for made in composer.join(phrase, right):
                        self.put(start, last, made.phrase, _sum(passed, marks), made.marks)


def _sum(one: Marks, two: Marks) -> Marks:
    return tuple(map(add, one, two)) if any(one) else two
