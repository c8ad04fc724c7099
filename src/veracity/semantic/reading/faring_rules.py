"""Rules for questions that name no figure: how did we do last year, wie lief die Filiale Bern, the average per customer. By which figure is asked back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import AboutEach, JoinedPhrase
from veracity.semantic.reading.phrases import JoiningWord, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import SaidPeriod
from veracity.semantic.reading.unsettled import seen_within

RULES: Rules = {}
rule = rule_book(RULES)
FARED = "fared"
"""The kind of a phrase that only says that something went well or not."""
MEAN_OF_EACH = "mean_of_each"
"""The kind of a phrase that asks for an average or a total of each, but not of what."""
SEEN_THEN = "seen_then"
"""The kind of a phrase about things of a time that have no date of their own."""
_ASKING = "how_fares"
_HOW = ("how", "how_did")


@rule(JoiningWord, JoiningWord)
def _how_did_we(c: Composer, one: JoiningWord, two: JoiningWord) -> Iterator[MadePhrase]:
    """How did we do; 表现如何."""
    behind = one.kind == FARED and two.kind == "how_did" and c.order.get("modifiers_before")
    if (one.kind in _HOW and two.kind == FARED) or behind:
        yield MadePhrase(JoinedPhrase(FARED, two))


@rule(JoiningWord, SaidPeriod)
def _how_was(c: Composer, word: JoiningWord, when: SaidPeriod) -> Iterator[MadePhrase]:
    """How was 2024."""
    if word.kind in _HOW and word.first and _is_one(when):
        yield MadePhrase(JoinedPhrase(FARED, when))


@rule(JoiningWord, RowsPhrase)
def _how_did_it(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """How did the Bern store, whatever it did."""
    if word.kind in _HOW and _may_fare(rows):
        yield MadePhrase(JoinedPhrase(_ASKING, rows))


@rule(JoiningWord, RowFilter)
def _how_did_value(c: Composer, word: JoiningWord, value: RowFilter) -> Iterator[MadePhrase]:
    """How is Petra Moos doing, who is only named in rows."""
    if word.kind in _HOW and value.is_value:
        yield MadePhrase(JoinedPhrase(_ASKING, RowsPhrase(value.entity, value.where)))


@rule(JoinedPhrase, JoiningWord)
def _it_did(c: Composer, asked: JoinedPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    if asked.kind == _ASKING and word.kind == FARED:
        yield MadePhrase(JoinedPhrase(FARED, asked.phrase))


@rule(RowsPhrase, JoiningWord)
def _performance(c: Composer, rows: RowsPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Store performance."""
    if word.kind == "faring_noun" and _may_fare(rows):
        yield MadePhrase(JoinedPhrase(FARED, rows))


@rule(JoinedPhrase, RowsPhrase, either_way=True)
def _fared_rows(c: Composer, fared: JoinedPhrase, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Wie lief die Filiale Bern."""
    if fared.kind == FARED and isinstance(fared.phrase, JoiningWord) and _may_fare(rows):
        yield MadePhrase(JoinedPhrase(FARED, rows))


@rule(JoinedPhrase, SaidPeriod, either_way=True)
def _fared_when(c: Composer, fared: JoinedPhrase, when: SaidPeriod) -> Iterator[MadePhrase]:
    if fared.kind not in (FARED, _ASKING) or not _is_one(when):
        return
    match fared.phrase:
        case JoiningWord() if fared.kind == FARED:
            yield MadePhrase(replace(fared, phrase=when))
        case RowsPhrase(period=None) as rows:
            yield MadePhrase(replace(fared, phrase=replace(rows, period=when.period)))


@rule(JoiningWord, AboutEach)
def _average_of_each(c: Composer, word: JoiningWord, each: AboutEach) -> Iterator[MadePhrase]:
    """The average per customer; 每个客户的平均."""
    if word.kind == "avg" and each.dimension.entity is not None and not each.more:
        yield MadePhrase(JoinedPhrase(MEAN_OF_EACH, each))


@rule(AboutEach, JoiningWord)
def _of_each_on_average(c: Composer, each: AboutEach, word: JoiningWord) -> Iterator[MadePhrase]:
    yield from _average_of_each(c, word, each)


@rule(JoinedPhrase, SaidPeriod, either_way=True)
def _average_then(c: Composer, mean: JoinedPhrase, when: SaidPeriod) -> Iterator[MadePhrase]:
    if mean.kind == MEAN_OF_EACH and mean.period is None and _is_one(when):
        yield MadePhrase(replace(mean, period=when.period))


@rule(RowsPhrase, SaidPeriod, either_way=True)
def _rows_of_time(c: Composer, rows: RowsPhrase, when: SaidPeriod) -> Iterator[MadePhrase]:
    """Customers of 2024, who have no date of their own."""
    plain = _may_fare(rows) and not rows.named and _is_one(when)
    if plain and _is_seen(c, rows.entity, when):
        yield MadePhrase(JoinedPhrase(SEEN_THEN, replace(rows, period=when.period)))


@rule(FigurePhrase, SaidPeriod, either_way=True)
def _number_of_time(c: Composer, figures: FigurePhrase, when: SaidPeriod) -> Iterator[MadePhrase]:
    """How many customers did we have in 2024."""
    counted = len(figures.shown) == 1 and figures.shown[0].of == figures.home and figures.shown[0].rows is None
    plain = counted and not (figures.period or figures.by or figures.order or figures.direction or figures.changes)
    if plain and _is_one(when) and _is_seen(c, figures.home, when):
        yield MadePhrase(JoinedPhrase(SEEN_THEN, replace(figures, period=when.period)))


def _is_seen(c: Composer, entity: str, when: SaidPeriod) -> bool:
    """Whether rows have no date of their own, but others that belong to them have."""
    own = c.dated(entity) or any(c.within(entity, when.period))
    return not own and any(seen_within(c.model, entity, when.period))


def _may_fare(rows: RowsPhrase) -> bool:
    """Whether rows are called by their names or their noun, and no more."""
    said = (rows.order, rows.limit, rows.awaits, rows.period, rows.link, rows.other, rows.also, rows.happened)
    return (rows.named or rows.bare) and len(rows.where) <= 1 and not any(said)


def _is_one(when: SaidPeriod) -> bool:
    return not (when.ends or when.between or when.moment or when.compared)
