"""Rules for comparisons with two numbers, with an average, with another row, and of figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from veracity.semantic.checking.expressions import measure_facts
from veracity.semantic.graph import names_of
from veracity.semantic.query import (
    Aggregate,
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
from veracity.semantic.reading.chart import OTHER_ENTITY, STEP, MadePhrase
from veracity.semantic.reading.comparison_phrases import (
    AverageBound,
    Comparative,
    FigureBound,
    HowAdjective,
    MoreOf,
    OpenBound,
    ThanRows,
    TwoNumbers,
    WithoutFigure,
)
from veracity.semantic.reading.compose import Composer, Rules, narrowed_rows, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import JoinedPhrase
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowFilter, RowsPhrase
from veracity.semantic.reading.related_rows import right_edge
from veracity.semantic.reading.said_phrases import SaidNumber, SaidPeriod
from veracity.semantic.reading.than_average_rules import averages_over

RULES: Rules = {}
rule = rule_book(RULES)
_MORE = {"more": ">", "fewer": "<"}


# --- between two numbers


@rule(JoiningWord, SaidNumber)
def _word_number(c: Composer, word: JoiningWord, number: SaidNumber) -> Iterator[MadePhrase]:
    if word.kind in ("and", "to"):
        yield MadePhrase(JoinedPhrase(word.kind, number))


@rule(SaidNumber, JoinedPhrase)
def _two_numbers(c: Composer, low: SaidNumber, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """10 and 20 dollars: the unit is about both."""
    high = joined.phrase
    if not isinstance(high, SaidNumber):
        return
    if low.dimension is None:
        low = replace(high, value=low.value)
    if low.dimension == high.dimension and low.value * low.factor <= high.value * high.factor:
        yield MadePhrase(TwoNumbers(low, high))


@rule(JoiningWord, TwoNumbers, either_way=True)
def _between(c: Composer, word: JoiningWord, numbers: TwoNumbers) -> Iterator[MadePhrase]:
    if word.kind == "between":
        yield MadePhrase(OpenBound("between", numbers.low, numbers.high))


@rule(JoiningWord, OpenBound)
def _word_between(c: Composer, word: JoiningWord, bound: OpenBound) -> Iterator[MadePhrase]:
    if word.kind == "in" and bound.op == "between":
        yield MadePhrase(bound)


# --- above average


@rule(Comparative, JoiningWord)
def _than_average(c: Composer, more: Comparative, word: JoiningWord) -> Iterator[MadePhrase]:
    """Longer than average."""
    if word.kind == "avg" and more.op != "=":
        yield MadePhrase(AverageBound(more.op, more.fields))


@rule(AverageBound, HowAdjective)
def _average_adjective(c: Composer, bound: AverageBound, adjective: HowAdjective) -> Iterator[MadePhrase]:
    """Exceptionally expensive; an exceptionally cheap one costs less than the average."""
    if not (bound.fields or bound.over):
        op = bound.op if adjective.direction > 0 else {">": "<", "<": ">"}[bound.op]
        yield MadePhrase(AverageBound(op, adjective.fields))


@rule(Attribute, AverageBound, either_way=True)
def _average_attribute(c: Composer, attribute: Attribute, bound: AverageBound) -> Iterator[MadePhrase]:
    if not attribute.plain or (bound.fields and (attribute.entity, attribute.field) not in bound.fields):
        return
    if bound.over not in ("", attribute.entity):
        return  # the average of their department
    if c.numeric(attribute.entity, attribute.field):
        condition = _than_mean(attribute.entity, attribute.field, bound.op)
        yield MadePhrase(RowFilter(attribute.entity, (condition,), may_be=attribute.may_be))


@rule(AverageBound, Attribute)
def _average_of_field(c: Composer, bound: AverageBound, attribute: Attribute) -> Iterator[MadePhrase]:
    """... is above the average price: the field is said once more."""
    if not (bound.fields or bound.over) and attribute.plain and c.numeric(attribute.entity, attribute.field):
        yield MadePhrase(AverageBound(bound.op, ((attribute.entity, attribute.field),)))


@rule(AverageBound, RowsPhrase)
def _average_rows(c: Composer, bound: AverageBound, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Longer than the average track; in other places the noun that it is said of."""
    for entity, field in bound.fields:
        if entity == rows.entity and not rows.named and c.numeric(entity, field):
            condition = _than_mean(entity, field, bound.op)
            yield MadePhrase(replace(rows, where=(*rows.where, condition)))
            if rows.bare:
                yield MadePhrase(RowFilter(entity, (condition,)))


@rule(RowsPhrase, AverageBound)
def _rows_average(c: Composer, rows: RowsPhrase, bound: AverageBound) -> Iterator[MadePhrase]:
    for entity, field in bound.fields:
        if entity == rows.entity and not rows.named and c.numeric(entity, field):
            yield from narrowed_rows(rows, (_than_mean(entity, field, bound.op),), (), far=False)


def _than_mean(entity: str, field: str, op: str) -> Condition:
    path = f"{entity}.{field}"
    mean = SemanticQuery(show=(Shown(aggregate=Aggregate.AVG, field=path),), of=entity)
    return Comparison(field=path, op=op, value=mean)


def average_among(where: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """Cities in Texas above average: above that of all cities, or of those in Texas. The latter; nothing where it is the same."""
    others = tuple(one for one in where if not _is_average(one))
    if not others or len(others) == len(where):
        return ()
    among = (one if one in others else _among(one, others) for one in where)
    return tuple(among)


def _is_average(condition: Condition) -> bool:
    value = condition.value if isinstance(condition, Comparison | FigureComparison) else None
    if not isinstance(value, SemanticQuery) or len(value.show) != 1:
        return False
    return value.show[0].aggregate is Aggregate.AVG and value.where is None


def _among(condition: Condition, others: tuple[Condition, ...]) -> Condition:
    assert isinstance(condition, Comparison | FigureComparison)
    mean = condition.value
    assert isinstance(mean, SemanticQuery)
    if (groups := mean.show[0].rows) is None:
        return condition.model_copy(update={"value": mean.model_copy(update={"where": all_of(others)})})
    these = Related(related=SemanticQuery(of=groups.by[0].entity, where=all_of(others)))
    inner = groups.model_copy(update={"where": all_of((groups.where, these))})
    shown = mean.show[0].model_copy(update={"rows": inner})
    return condition.model_copy(update={"value": mean.model_copy(update={"show": (shown,)})})


# --- figures of each row


@rule(FigurePhrase, OpenBound, either_way=True)
def _figure_bound(c: Composer, figures: FigurePhrase, bound: OpenBound) -> Iterator[MadePhrase]:
    """Revenue over 100; who spent more than 39 dollars."""
    value = c.figure_in_unit(figures.shown[0], bound.number)
    if _is_plain(figures) and not bound.fields and bound.upper is None and value is not None:
        yield MadePhrase(FigureBound(figures, bound.op, value))


@rule(FigurePhrase, AverageBound, either_way=True)
def _figure_average(c: Composer, figures: FigurePhrase, bound: AverageBound) -> Iterator[MadePhrase]:
    if (_is_plain(figures) or _counts_rows(figures)) and not bound.fields:
        yield MadePhrase(FigureBound(figures, bound.op, over=bound.over))


def _is_plain(figures: FigurePhrase) -> bool:
    """Whether it is one measure, of which nothing more is said."""
    said = (figures.by, figures.order, figures.compare, figures.direction, figures.having, figures.period)
    return len(figures.shown) == 1 and figures.shown[0].measure is not None and not any(said) and not figures.changes


def _counts_rows(figures: FigurePhrase) -> bool:
    """Whether it is how many rows there are, and no more is said than which."""
    return figures == FigurePhrase(
        (Shown(aggregate=Aggregate.COUNT, of=figures.home),), figures.home, figures.where, edge=figures.edge
    )


@rule(JoiningWord, FigureBound)
def _word_figure_bound(c: Composer, word: JoiningWord, bound: FigureBound) -> Iterator[MadePhrase]:
    if word.kind in ("with", "of", "aux", "stood"):
        yield MadePhrase(bound)


@rule(FigureBound, SaidPeriod)
def _bound_when(c: Composer, bound: FigureBound, when: SaidPeriod) -> Iterator[MadePhrase]:
    during = c.during(bound.figures.home, when.period) if not (when.between or when.compared) else None
    if during is not None:
        figures = replace(bound.figures, where=(*bound.figures.where, during))
        yield MadePhrase(replace(bound, figures=figures))


@rule(RowsPhrase, FigureBound)
@rule(FigureBound, RowsPhrase)
def _rows_figure_bound(
    c: Composer, left: RowsPhrase | FigureBound, right: RowsPhrase | FigureBound
) -> Iterator[MadePhrase]:
    rows, bound = (left, right) if isinstance(left, RowsPhrase) else (right, left)
    assert isinstance(rows, RowsPhrase)
    assert isinstance(bound, FigureBound)
    in_order = isinstance(left, RowsPhrase) or bool(c.order.get("modifiers_before"))
    if rows.named or rows.awaits is not None or rows.entity == bound.figures.home or not in_order:
        return
    if bound.over and bound.over != rows.entity:
        return
    if bound.value is not None and c.mixes_units(bound.figures):
        return
    for way in c.ways(rows.entity, bound.figures.home):
        figures, via = bound.figures, names_of(way)
        shown = figures.shown[0].model_copy(update={"via": via, "where": all_of(figures.where)})
        averages = averages_over(figures, rows.entity, everyone=not bound.only_those)
        values = averages if bound.value is None else (bound.value,)
        for value in values:
            condition = FigureComparison.model_validate({"show": shown, "op": bound.op, "value": value})
            for made in narrowed_rows(rows, (condition,), (figures.home,), far=False):
                yield MadePhrase(made.phrase, (*made.marks, *[STEP] * len(way)))


# --- without a figure


@rule(JoiningWord, FigurePhrase)
def _without_figure(c: Composer, word: JoiningWord, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Without revenue in 2024."""
    measure = figures.shown[0].measure
    adds = measure is not None and c.model.measures[measure][1].aggregate in ("SUM", "COUNT")
    plain = _is_plain(replace(figures, period=None)) and figures.ends is None
    if word.kind in ("without", "none") and adds and plain and not c.moment_of(figures):
        yield MadePhrase(WithoutFigure(figures))


@rule(JoiningWord, WithoutFigure, either_way=True)
def _had_no_figure(c: Composer, word: JoiningWord, without: WithoutFigure) -> Iterator[MadePhrase]:
    """That had no revenue; keinen Umsatz hatten."""
    if word.kind in ("with", "aux_last", "comma"):
        yield MadePhrase(without)


@rule(SaidPeriod, WithoutFigure)
def _when_without(c: Composer, when: SaidPeriod, without: WithoutFigure) -> Iterator[MadePhrase]:
    """In 2024 without revenue, as some languages put it."""
    if without.figures.period is None and not (when.between or when.moment or when.ends):
        yield MadePhrase(WithoutFigure(replace(without.figures, period=when.period)))


@rule(WithoutFigure, RowsPhrase)
def _without_rows(c: Composer, without: WithoutFigure, rows: RowsPhrase) -> Iterator[MadePhrase]:
    if c.order.get("modifiers_before"):
        yield from _rows_without(c, rows, without)


@rule(RowsPhrase, WithoutFigure)
def _rows_without(c: Composer, rows: RowsPhrase, without: WithoutFigure) -> Iterator[MadePhrase]:
    """Customers without revenue: that have no row of it; those whose rows come to nothing may be meant, too."""
    figures = without.figures
    if rows.named or rows.awaits is not None or rows.limit is not None or rows.entity == figures.home:
        return
    during = c.during(figures.home, figures.period) if figures.period is not None else None
    own = measure_facts(c.model.things[figures.home], figures.shown[0].measure or "").where
    for way in c.ways(rows.entity, figures.home):
        some = SemanticQuery(of=figures.home, where=all_of((own, *figures.where)), period=figures.period)
        none = Negation(condition=Related(related=some, via=names_of(way)))
        found: list[Condition] = [none]
        if during is not None or figures.period is None:
            shown = figures.shown[0].model_copy(
                update={"via": names_of(way), "where": all_of((*figures.where, during))}
            )
            zero = FigureComparison(show=shown, op="=", value=0)
            found.append(AnyOf(conditions=(none, zero)))
        for condition in found:
            for made in narrowed_rows(rows, (condition,), (figures.home,), far=False):
                yield MadePhrase(made.phrase, (*made.marks, *[STEP] * len(way)))


# --- more than another row has


@rule(JoiningWord, Attribute)
@rule(JoiningWord, RowsPhrase)
@rule(JoiningWord, FigurePhrase)
def _more_of(c: Composer, word: JoiningWord, what: Attribute | RowsPhrase | FigurePhrase) -> Iterator[MadePhrase]:
    """More people, more invoices, more revenue."""
    if word.kind in _MORE and _can_be_more(c, what):
        yield MadePhrase(MoreOf(_MORE[word.kind], what))


@rule(Comparative, Attribute, either_way=True)
def _higher(c: Composer, more: Comparative, attribute: Attribute) -> Iterator[MadePhrase]:
    """A higher salary than Max Baum; a salary higher than Max Baum."""
    own = not more.fields or (attribute.entity, attribute.field) in more.fields
    if own and more.op != "=" and _can_be_more(c, attribute):
        yield MadePhrase(MoreOf(more.op, attribute))


@rule(Comparative, FigurePhrase)
def _higher_figure(c: Composer, more: Comparative, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Higher revenue, lower costs."""
    if more.general and more.op in _MORE.values() and _can_be_more(c, figures):
        yield MadePhrase(MoreOf(more.op, figures))


def _can_be_more(c: Composer, what: Attribute | RowsPhrase | FigurePhrase) -> bool:
    if isinstance(what, Attribute):
        return what.plain and c.numeric(what.entity, what.field)
    if isinstance(what, RowsPhrase):
        return not (what.named or what.limit or what.awaits or what.period or what.other or what.link or what.edge)
    return _is_plain(what) and not what.where


@rule(JoiningWord, RowsPhrase)
@rule(JoiningWord, FigurePhrase)
def _times_of(c: Composer, word: JoiningWord, what: RowsPhrase | FigurePhrase) -> Iterator[MadePhrase]:
    """Twice as many invoices: just so many, or at least; half as many: or at most."""
    if word.kind == "times" and _can_be_more(c, what):
        times = Decimal(word.text)
        for op in ("=", ">=" if times > 1 else "<="):
            yield MadePhrase(MoreOf(op, what, times))


@rule(Comparative, MoreOf)
def _more_than_times(c: Composer, more: Comparative, times: MoreOf) -> Iterator[MadePhrase]:
    """More than twice as many."""
    if times.times != 1 and times.op == "=" and not more.fields:
        yield MadePhrase(replace(times, op=more.op))


@rule(SaidPeriod, MoreOf)
@rule(MoreOf, SaidPeriod)
def _more_when(c: Composer, left: SaidPeriod | MoreOf, right: SaidPeriod | MoreOf) -> Iterator[MadePhrase]:
    """More visits in 2026: the time is that of both sides."""
    more, when = (left, right) if isinstance(left, MoreOf) else (right, left)
    assert isinstance(more, MoreOf)
    if isinstance(more.what, Attribute) or more.what.period is not None:
        return
    for made in c.join(more.what, when):
        what = made.phrase
        if isinstance(what, RowsPhrase | FigurePhrase) and what == replace(more.what, period=what.period):
            yield MadePhrase(replace(more, what=what), made.marks)


@rule(MoreOf, RowsPhrase)
def _more_than_rows(c: Composer, more: MoreOf, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Patients with more visits than Lea Roth; cities with more people than Boll."""
    if rows.single and not (rows.period or rows.other) and more.times == 1:
        yield from _compared_with(c, more, rows)


@rule(JoiningWord, RowsPhrase)
def _as_rows(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    if word.kind == "as" and rows.single and not (rows.period or rows.other):
        yield MadePhrase(JoinedPhrase("as", rows))


@rule(MoreOf, JoinedPhrase)
def _times_as_rows(c: Composer, more: MoreOf, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """Twice as many visits as Lea Roth."""
    if joined.kind == "as" and isinstance(joined.phrase, RowsPhrase) and more.times != 1:
        yield from _compared_with(c, more, joined.phrase)


@rule(JoiningWord, RowsPhrase)
def _than_rows(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    if word.kind == "than" and rows.single and not (rows.period or rows.other):
        yield MadePhrase(ThanRows(rows))


@rule(ThanRows, JoiningWord)
def _than_more(c: Composer, than: ThanRows, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind in _MORE and not than.op:
        yield MadePhrase(replace(than, op=_MORE[word.kind]))


@rule(ThanRows, HowAdjective)
def _than_adjective(c: Composer, than: ThanRows, adjective: HowAdjective) -> Iterator[MadePhrase]:
    """Longer than the Rhine, in languages that put the river first."""
    for entity, field in adjective.fields:
        if entity == than.rows.entity and not than.op:
            op = ">" if adjective.direction > 0 else "<"
            yield from _compared_with(c, MoreOf(op, Attribute(entity, field)), than.rows)


@rule(Attribute, ThanRows)
@rule(FigurePhrase, ThanRows)
@rule(RowsPhrase, ThanRows)
def _what_than(c: Composer, what: Attribute | FigurePhrase | RowsPhrase, than: ThanRows) -> Iterator[MadePhrase]:
    if not than.op:
        return
    if isinstance(what, RowsPhrase):
        if _can_be_more(c, what):
            yield from _compared_with(c, MoreOf(than.op, what), than.rows)
        return
    if isinstance(what, Attribute):
        if what.plain and c.numeric(what.entity, what.field):
            yield from _compared_with(c, MoreOf(than.op, what), than.rows)
    elif what.shown[0].of == what.home and not (what.where or what.by or what.period):
        yield from _compared_with(c, MoreOf(than.op, RowsPhrase(what.home)), than.rows)
    elif _is_plain(what) and not what.where:
        yield from _compared_with(c, MoreOf(than.op, what), than.rows)


def _compared_with(c: Composer, more: MoreOf, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """The rows of an entity that have more or less of something than one of them."""
    what, op = more.what, more.op
    entity, edge = rows.entity, right_edge(rows)
    if isinstance(what, Attribute):
        if what.entity == entity:
            other = rows.query().model_copy(update={"show": (Shown(field=what.path),)})
            yield MadePhrase(RowFilter(entity, (Comparison(field=what.path, op=op, value=other),), edge))
        return
    home = what.entity if isinstance(what, RowsPhrase) else what.home
    if (shown := c.each_has(what)) is None:
        return
    for way in c.ways(entity, home):
        via = names_of(way)
        there = names_of(c.model.back(way))
        for condition in c.related(rows, c.model.way(home, there) or ()):
            figure = SemanticQuery(show=(shown,), of=home, where=condition)
            compared = FigureComparison.model_validate(
                {"show": shown.model_copy(update={"via": via}), "op": op, "value": figure, "times": more.times}
            )
            yield MadePhrase(RowFilter(entity, (compared,), edge), (OTHER_ENTITY, *[STEP] * len(way)))
