"""The chart: phrases that stand side by side are joined by rules until one of them covers the whole question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from veracity.semantic.reading.phrases import Phrase
from veracity.semantic.reading.words import Tagged

Marks = tuple[tuple[str, int], ...]
"""How often each preference was passed over, by name."""
_MOST_PLACES = 50
"""A question of more words that count is a story."""
_MOST_PHRASES = 400
"""Words that may mean more than this are not read: none of the readings may be left out."""


class MadePhrase(NamedTuple):
    """A phrase that a rule made, and the preferences it passes over."""

    phrase: Phrase
    marks: tuple[str, ...] = ()


class Joining(Protocol):
    """What the chart needs of who joins phrases."""

    def join(self, left: Phrase, right: Phrase) -> Iterable[MadePhrase]:
        """What two neighbours mean together."""

    def joins(self, left: type, right: type) -> bool:
        """Whether phrases of these kinds may mean anything together."""

    def expand(self, phrase: Phrase) -> Iterable[MadePhrase]:
        """What a phrase may also be by itself."""


class ChartCell(dict[Phrase, Marks]):
    """The phrases at some words; of two ways to the same phrase the one that passes over less is kept."""

    def keep(self, phrase: Phrase, marks: Marks) -> bool:
        """Whether the phrase is new here, or reached in a better way."""
        known = self.get(phrase)
        if known is not None and _weight(known) <= _weight(marks):
            return False
        self[phrase] = marks
        return True

    def by_kind(self) -> dict[type, list[tuple[Phrase, Marks]]]:
        """The phrases by what they are."""
        kinds: dict[type, list[tuple[Phrase, Marks]]] = {}
        for phrase, marks in self.items():
            kinds.setdefault(type(phrase), []).append((phrase, marks))
        return kinds


@dataclass(frozen=True, slots=True)
class Chart:
    """What was found in a question: the phrases at each stretch of its words."""

    cells: Mapping[tuple[int, int], ChartCell]
    places: Sequence[int]
    """Where words that count begin, and the end."""

    @property
    def whole(self) -> ChartCell:
        """The phrases that cover the whole question."""
        return self.cells.get((self.places[0], self.places[-1]), ChartCell()) if self.places else ChartCell()

    def stretches(self) -> tuple[tuple[int, int], ...]:
        """The fewest stretches that were understood each by itself and together are all words; none where some are not."""
        best: dict[int, tuple[tuple[int, int], ...]] = {self.places[0]: ()} if self.places else {}
        for number, start in enumerate(self.places):
            for end in self.places[number + 1 :] if start in best else ():
                longer = (*best[start], (start, end))
                if (start, end) in self.cells and (end not in best or len(longer) <= len(best[end])):
                    best[end] = longer
        return best.get(self.places[-1], ()) if self.places else ()


def parse(tagged: Tagged, composer: Joining) -> Chart:
    """All phrases that stretches of the question may mean."""
    size = len(tagged.tokens)
    following = [size] * (size + 1)
    for place in range(size - 1, -1, -1):
        following[place] = following[place + 1] if place in tagged.skipped else place
    cells: dict[tuple[int, int], ChartCell] = {}
    for mention in tagged.mentions:
        if following[mention.start] == mention.start:
            cell = cells.setdefault((mention.start, following[mention.end]), ChartCell())
            _put(cell, mention.phrase, (), composer)
    places = sorted({*(following[place] for place in range(size)), size})
    if len(places) > _MOST_PLACES:
        return Chart({}, ())
    for length in range(1, len(places)):
        for number in range(len(places) - length):
            start, end = places[number], places[number + length]
            cell = cells.get((start, end), ChartCell())
            for middle in places[number + 1 : number + length]:
                left, right = cells.get((start, middle)), cells.get((middle, end))
                if left and right:
                    _join(cell, left, right, composer)
            if len(cell) > _MOST_PHRASES:
                return Chart({}, ())
            if cell:
                cells[start, end] = cell
    return Chart(cells, places)


def _join(cell: ChartCell, left: ChartCell, right: ChartCell, composer: Joining) -> None:
    rights = right.by_kind()
    for kind, phrases in left.by_kind().items():
        for other, neighbours in rights.items():
            if not composer.joins(kind, other):
                continue
            for one, marks in phrases:
                for two, more in neighbours:
                    for made in composer.join(one, two):
                        _put(cell, made.phrase, _sum(marks, more, made.marks), composer)


def _put(cell: ChartCell, phrase: Phrase, marks: Marks, composer: Joining) -> None:
    waiting = [(phrase, marks)]
    while waiting:
        one, passed = waiting.pop()
        if cell.keep(one, passed):
            waiting += [(made.phrase, _sum(passed, (), made.marks)) for made in composer.expand(one)]


def _sum(one: Marks, two: Marks, three: Iterable[str]) -> Marks:
    if not one and not two and not three:
        return ()
    total: Counter[str] = Counter(dict(one))
    total.update(dict(two))
    total.update(three)
    return tuple(sorted(total.items()))


def _weight(marks: Marks) -> int:
    return sum(count for _, count in marks)
