"""What a figure ought to be by the words around it, whatever it is: the values that would be supported in its place."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import islice

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.statements.figure_reckoner import FigureReckoner
from veracity.grounding.statements.figure_words import DISTINCT
from veracity.grounding.statements.scene import Scene

_MOST_TRIED = 1_000


def values_that_words_say(scene: Scene, said: SaidFigure) -> Iterator[Decimal]:
    """What the cells come to in the way that the words around a figure say, whatever the figure is."""
    reckoner = FigureReckoner(scene, said, set())
    if reckoner.crowded or reckoner.wrong_unit or not said.figure.readings:
        return
    for table, found in islice(reckoner.rows.reckonings(), _MOST_TRIED):
        if table is not None and found.kind not in ("span", "cell", "count") and found.value:
            value = next(reckoner.scaled(table, found))
            value = abs(value) if reckoner.words.sign is None else value
            if reckoner.goes(found) and reckoner.with_value(value).says_surely(table, found):
                yield value


def goes_the_other_way(scene: Scene, said: SaidFigure, known: bool = False) -> bool:
    """Whether a figure is what its words say, but in the other direction: it rose by so much, where it fell.

    Where the direction is `known` to be wrong, a figure of one digit is enough.
    """
    reckoner = FigureReckoner(scene, said, set())
    if reckoner.crowded or (reckoner.words.digits < DISTINCT - 1 and not known):
        return False
    return any(
        table is not None and found.directed and not reckoner.goes(found) and reckoner.says_surely(table, found)
        for table, found in islice(reckoner.rows.reckonings(), _MOST_TRIED)
    )
