"""Rules for questions that are answered with yes or no: whether a figure is more at one time than at another, or for one than for another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.checking.expressions import measure_facts
from veracity.semantic.graph import names_of
from veracity.semantic.query import (
    Aggregate,
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    FigureComparison,
    Negation,
    Related,
    SemanticQuery,
    Shown,
    all_of,
)
from veracity.semantic.query_values import Comparing
from veracity.semantic.reading.chart import STEP, MadePhrase
from veracity.semantic.reading.comparison_phrases import Comparative, MoreOf, ThanNamed, ThanPeriod
from veracity.semantic.reading.compose import Composer, Rules, narrowed_rows, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import About, JoinedPhrase
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowsPhrase
from veracity.semantic.reading.said_phrases import SaidPeriod

RULES: Rules = {}
rule = rule_book(RULES)
_MORE = {"more": ">", "fewer": "<"}
_OTHER_WAY = {">": "<", "<": ">"}


# --- more at one time than at another


@rule(Comparative, SaidPeriod)
def _higher_than(c: Composer, more: Comparative, when: SaidPeriod) -> Iterator[MadePhrase]:
    """Higher than in 2023; higher in 2024 than in 2023."""
    if more.op in _OTHER_WAY and (more.general or not more.fields) and _is_one(when):
        yield MadePhrase(ThanPeriod(more.op, when))


@rule(MoreOf, SaidPeriod)
def _more_than(c: Composer, more: MoreOf, when: SaidPeriod) -> Iterator[MadePhrase]:
    """More loans than in 2023; more loans in 2024 than in 2023."""
    figures = _asked_of(c, more)
    if figures is not None and figures.period is None and _is_one(when):
        yield MadePhrase(ThanPeriod(more.op, when, what=figures))


def _asked_of(c: Composer, more: MoreOf) -> FigurePhrase | None:
    """What there is more of: a figure, or a number of rows."""
    figures = c.count(more.what) if isinstance(more.what, RowsPhrase) else more.what
    if isinstance(figures, Attribute):  # more fees: what they come to
        figures = c.totalled(replace(figures, asked=True), RowsPhrase(figures.entity)) if figures.plain else None
    return figures if isinstance(figures, FigurePhrase) and more.times == 1 and _is_figure(figures) else None


@rule(JoiningWord, SaidPeriod)
def _than_period(c: Composer, word: JoiningWord, when: SaidPeriod) -> Iterator[MadePhrase]:
    if word.kind == "than" and _is_one(when):
        yield MadePhrase(JoinedPhrase("than", when))


@rule(JoinedPhrase, JoiningWord)
def _than_more(c: Composer, joined: JoinedPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Than in 2023 more, in languages that put it so."""
    if joined.kind == "than" and isinstance(joined.phrase, SaidPeriod) and word.kind in _MORE:
        yield MadePhrase(ThanPeriod(_MORE[word.kind], joined.phrase))


@rule(ThanPeriod, SaidPeriod)
def _in_one_than_in_other(c: Composer, than: ThanPeriod, when: SaidPeriod) -> Iterator[MadePhrase]:
    if than.first is None and _is_one(when):
        both = replace(than, first=than.than, than=when)
        yield MadePhrase(both)
        if than.what is not None:
            yield from _whether(c, than.what, both)


@rule(SaidPeriod, ThanPeriod)
def _when_than(c: Composer, when: SaidPeriod, than: ThanPeriod) -> Iterator[MadePhrase]:
    """In 2024 more loans than in 2023."""
    if than.first is None and than.what is not None and _is_one(when):
        yield MadePhrase(replace(than, first=when))
        yield from _whether(c, than.what, replace(than, first=when))


@rule(FigurePhrase, ThanPeriod)
@rule(RowsPhrase, ThanPeriod)
def _figures_than(c: Composer, what: FigurePhrase | RowsPhrase, than: ThanPeriod) -> Iterator[MadePhrase]:
    """Was revenue in 2024 higher than in 2023; was it higher in 2024 than in 2023."""
    figures = what if isinstance(what, FigurePhrase) else c.count(what) if not what.named else None
    if figures is None or than.what is not None or figures.ends is not None:
        return
    if than.first is not None:
        if figures.period is None:
            yield from _whether(c, figures, than)
    elif figures.period is not None:
        first, asked = SaidPeriod(figures.period), replace(figures, period=None)
        yield from _whether(c, asked, replace(than, first=first))
        if c.order.get("modifiers_before") and _is_figure(asked):
            yield MadePhrase(replace(than, first=first, what=asked))


def _is_one(when: SaidPeriod) -> bool:
    """Whether it is one period that has a start and an end."""
    ended = when.period.first is not None and when.period.last is not None
    return ended and not (when.ends or when.between or when.moment or when.compared)


def _whether(c: Composer, figures: FigurePhrase, than: ThanPeriod) -> Iterator[MadePhrase]:
    """Both figures, the later one against the earlier one, and what is asked of them."""
    timed = c.dated(figures.home) or c.default_date(figures.home, figures.shown[0].measure)
    if than.first is None or not _is_figure(figures) or not timed:
        return
    sides = [c.at_moment(figures, when) for when in (than.first, than.than)]
    if sides[0] is None or sides[1] is None:
        return
    one, other, claim = sides[0].period, sides[1].period, than.op
    starts = (one.first, other.first)
    if starts[0] is None or starts[1] is None or one == other:
        return
    if starts[0] < starts[1]:
        one, other, claim = other, one, _OTHER_WAY[claim]
    compared = Comparing.model_validate({"period": other, "claim": claim})
    yield MadePhrase(replace(figures, period=one, ends=None, compare=compared))


def _is_figure(figures: FigurePhrase) -> bool:
    """Whether it is one measure or a number of rows that is not put in order or divided."""
    said = (figures.by, figures.order, figures.compare, figures.direction, figures.having, figures.changes)
    shown = figures.shown[0]
    plain = shown.measure is not None or shown.aggregate in (Aggregate.COUNT, Aggregate.SUM)
    return len(figures.shown) == 1 and plain and shown.transform is None and not any(said)


# --- those that had more at one time than at another


@rule(JoiningWord, ThanPeriod, either_way=True)
def _had_more(c: Composer, word: JoiningWord, than: ThanPeriod) -> Iterator[MadePhrase]:
    if word.kind in ("with", "aux_last") and than.what is not None and than.first is not None and not word.first:
        yield MadePhrase(than)


@rule(RowsPhrase, ThanPeriod)
def _rows_than(c: Composer, rows: RowsPhrase, than: ThanPeriod) -> Iterator[MadePhrase]:
    """Customers that had more revenue in 2024 than in 2023; nothing at all is less than something."""
    if than.what is None or than.first is None or than.what.home == rows.entity:
        return
    if rows.named or rows.awaits is not None or rows.limit is not None or rows.period is not None:
        return
    sides = [c.each_has(replace(than.what, period=when.period)) for when in (than.first, than.than)]
    if sides[0] is None or sides[1] is None or than.first == than.than or c.moment_of(than.what):
        return
    for way in c.ways(rows.entity, than.what.home):
        via = names_of(way)
        one, other = (side.model_copy(update={"via": via}) for side in sides if side is not None)
        compared: Condition = FigureComparison.model_validate({"show": one, "op": than.op, "than": other})
        if than.what.shown[0].measure is not None:
            compared = AnyOf(conditions=(compared, _some_against_none(c, than, via, (one, other))))
        for made in narrowed_rows(rows, (compared,), (than.what.home,), far=False):
            yield MadePhrase(made.phrase, (*made.marks, *[STEP] * len(way)))


def _some_against_none(c: Composer, than: ThanPeriod, via: tuple[str, ...], sides: tuple[Shown, Shown]) -> Condition:
    """Something where it should be more, and no row where it should be less."""
    assert than.what is not None
    assert than.first is not None
    more, empty = (sides[0], than.than) if than.op == ">" else (sides[1], than.first)
    own = measure_facts(c.model.things[than.what.home], than.what.shown[0].measure or "").where
    rows = SemanticQuery(of=than.what.home, where=all_of((own, *than.what.where)), period=empty.period)
    some = FigureComparison(show=more, op=">", value=0)
    return AllOf(conditions=(some, Negation(condition=Related(related=rows, via=via))))


# --- more for one than for another


@rule(MoreOf, RowsPhrase)
def _more_than_named(c: Composer, more: MoreOf, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """More books than Glauser."""
    figures = _asked_of(c, more)
    if figures is not None and _name_of(rows) is not None:
        yield MadePhrase(ThanNamed(more.op, figures, rows))


@rule(JoiningWord, ThanNamed)
def _has_more(c: Composer, word: JoiningWord, than: ThanNamed) -> Iterator[MadePhrase]:
    if word.kind in ("with", "light_amounts") and not word.first:
        yield MadePhrase(than)


@rule(RowsPhrase, ThanNamed)
@rule(About, ThanNamed)
def _named_than(c: Composer, who: RowsPhrase | About, than: ThanNamed) -> Iterator[MadePhrase]:
    """Does Frisch have more books than Glauser."""
    if isinstance(who, About):
        asked = who.first and who.kind == "with" and not who.negated
        if not asked or not isinstance(who.rows, RowsPhrase):
            return
        who = who.rows
    one, other = _name_of(who), _name_of(than.than)
    if one is None or other is None or one.field != other.field or one.value == other.value:
        return
    if len(c.model.ways(than.what.home, who.entity)) != 1 or who.entity == than.what.home:
        return
    members = (other.value, one.value)
    compared = Comparing.model_validate({"field": one.field, "members": members, "claim": than.op})
    yield MadePhrase(replace(than.what, compare=compared))


def _name_of(rows: RowsPhrase) -> Comparison | None:
    """The one name that rows are called by, and no more."""
    only = rows.where[0] if len(rows.where) == 1 and rows.named else None
    if not isinstance(only, Comparison) or only.op != "=" or only.via or not isinstance(only.value, str):
        return None
    return None if rows.order or rows.period or rows.other or rows.several else only
