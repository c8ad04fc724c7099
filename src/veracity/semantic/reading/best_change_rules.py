"""Rules for what changed most: the largest increase in expenses, the branch whose revenue fell the most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import Transform
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.comparison_phrases import Superlative
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, TopFigure
from veracity.semantic.reading.joined_phrases import JoinedPhrase
from veracity.semantic.reading.phrases import Direction, JoiningWord, RowsPhrase
from veracity.semantic.reading.said_phrases import SaidPeriod

GREW = "grew:"
"""How the kind of a phrase begins that says what changed most, but not by which figure."""
RULES: Rules = {}
rule = rule_book(RULES)
_TURNS = {"rises": 1, "falls": -1, "rises_by": 1, "falls_by": -1}
"""What changes most upwards, or downwards; an increase is by an amount, what grows most may do so in percent."""


@rule(Superlative, JoiningWord, either_way=True)
def _largest_change(c: Composer, best: Superlative, word: JoiningWord) -> Iterator[MadePhrase]:
    """The largest increase; grew the most."""
    if word.kind in _TURNS and best.direction > 0 and (best.general or best.counts) and not best.skip:
        yield MadePhrase(JoinedPhrase(word.kind, best))


@rule(JoiningWord, JoiningWord)
def _strongest_change(c: Composer, one: JoiningWord, two: JoiningWord) -> Iterator[MadePhrase]:
    """Am stärksten gewachsen; grew fastest."""
    kinds = {one.kind, two.kind}
    if "strongest" in kinds and (word := next(iter(kinds - {"strongest"}), "")) in _TURNS:
        yield MadePhrase(JoinedPhrase(word, Superlative(1, general=True)))


@rule(JoinedPhrase, JoiningWord)
def _change_of(c: Composer, change: JoinedPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """The largest increase in, of."""
    if change.kind in _TURNS and word.kind in ("in", "of", "genitive"):
        yield MadePhrase(change)


@rule(JoinedPhrase, FigurePhrase, either_way=True)
def _figure_changing_most(c: Composer, change: JoinedPhrase, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """... in expenses; expenses grew the most."""
    best = change.phrase
    if change.kind in _TURNS and isinstance(best, Superlative) and figures.direction is None:
        yield from _by_change(figures, change.kind, best.count)


@rule(FigurePhrase, JoiningWord)
def _largest_figure_change(c: Composer, figures: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """The largest revenue growth; the lowest, where it may also be a loss."""
    most = figures.direction == 1 or (figures.direction == -1 and word.kind == "rises")
    if word.kind in _TURNS and most and not figures.skip:
        plain = replace(figures, direction=None, count=None)
        yield from _by_change(plain, word.kind, figures.count, least=figures.direction == -1)


@rule(RowsPhrase, JoinedPhrase)
def _rows_grew(c: Composer, rows: RowsPhrase, change: JoinedPhrase) -> Iterator[MadePhrase]:
    """Which category grew the most: by which figure is not said."""
    if change.kind in _TURNS and isinstance(change.phrase, Superlative) and (rows.bare or rows.is_segment):
        counted = c.count(replace(rows, plural=True))
        if counted is not None and not rows.named:
            yield MadePhrase(JoinedPhrase(f"{GREW}{change.kind}", counted))


@rule(JoinedPhrase, SaidPeriod)
def _rows_grew_when(c: Composer, grew: JoinedPhrase, when: SaidPeriod) -> Iterator[MadePhrase]:
    """... from 2023 to 2024."""
    counted = grew.phrase
    if grew.kind.startswith(GREW) and isinstance(counted, FigurePhrase) and when.ends and counted.ends is None:
        yield MadePhrase(replace(grew, phrase=replace(counted, period=when.period, ends=when.ends)))


def grown_by(c: Composer, grew: JoinedPhrase, figures: FigurePhrase) -> Iterator[FigurePhrase]:
    """What grew the most by one figure."""
    rows, dated = grew.phrase, c.dated(figures.home) or c.default_date(figures.home, figures.shown[0].measure)
    if not isinstance(rows, FigurePhrase) or rows.ends is None or not dated:
        return
    timed = replace(figures, period=rows.period, ends=rows.ends)
    for made in _by_change(timed, grew.kind.removeprefix(GREW), None):
        assert isinstance(made.phrase, FigurePhrase)
        for first in c.join(RowsPhrase(rows.home, where=rows.where), TopFigure(made.phrase)):
            if isinstance(first.phrase, FigurePhrase):
                yield first.phrase


def _by_change(figures: FigurePhrase, turn: str, count: int | None, *, least: bool = False) -> Iterator[MadePhrase]:
    """What a figure is highest of by its change: by how much, and in percent, which may be another one."""
    said = (figures.by, figures.order, figures.having, figures.compare, figures.limit, figures.changes)
    shown = figures.shown[0]
    if len(figures.shown) != 1 or shown.transform is not None or any(said):
        return
    direction: Direction = 1 if _TURNS[turn] > 0 and not least else -1
    for transform in (Transform.CHANGE, Transform.CHANGE_PERCENT)[: 1 if turn.endswith("_by") else 2]:
        by_change = shown.model_copy(update={"transform": transform})
        yield MadePhrase(replace(figures, shown=(by_change,), direction=direction, count=count, changes=True))
