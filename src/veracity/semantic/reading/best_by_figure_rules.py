"""Rules for what is first by a figure: the store with the highest revenue, the month with the most orders, the top 5 workers by hours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.graph import names_of
from veracity.semantic.query import Dimension, OrderBy, Shown
from veracity.semantic.query_values import Grain
from veracity.semantic.reading.changed_figures import changed, without_change
from veracity.semantic.reading.chart import FAR, STEP, MadePhrase
from veracity.semantic.reading.comparison_phrases import TopFilter
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, PeriodNoun, Sorting, TopFigure
from veracity.semantic.reading.figures_of_rows import DEFAULT_DATE
from veracity.semantic.reading.joined_phrases import About, AboutEach, CountedRows, MostRows, StrandedRows
from veracity.semantic.reading.phrases import Attribute, Direction, FirstRows, JoiningWord, RowsPhrase
from veracity.semantic.reading.said_phrases import SaidPeriod

RULES: Rules = {}
rule = rule_book(RULES)


@rule(RowsPhrase, Sorting)
def _rows_sorting(c: Composer, rows: RowsPhrase, sorting: Sorting) -> Iterator[MadePhrase]:
    by = sorting.by
    if by is None and not rows.order and rows.awaits is None:
        names = c.model.things[rows.entity].display
        keys = tuple(OrderBy(by=Shown(field=f"{rows.entity}.{n}"), descending=bool(sorting.descending)) for n in names)
        yield MadePhrase(replace(rows, order=keys))
    if isinstance(by, Attribute) and by.entity == rows.entity and by.plain:
        shown = Shown(field=by.path)
        if rows.awaits is not None:
            count, direction = rows.awaits
            order = OrderBy(by=shown, descending=direction > 0)
            yield MadePhrase(replace(rows, order=(order,), limit=count, awaits=None))
        elif rows.by_adjective and rows.order and rows.order[0].by == shown:
            yield MadePhrase(replace(rows, by_adjective=""))
        elif not rows.order and (sorting.descending is not None or sorting.ordered):
            yield MadePhrase(replace(rows, order=(OrderBy(by=shown, descending=bool(sorting.descending)),)))
    elif rows.awaits is not None and by is not None:
        count, direction = rows.awaits
        if isinstance(by, Attribute) and by.plain and by.entity != rows.entity and c.adds_up(by):
            by = replace(by, asked=True)  # the top 5 workers by hours
        computed = isinstance(by, FigurePhrase) or by.aggregate is not None or by.asked
        figures = c.totalled(by, RowsPhrase(by.entity)) if isinstance(by, Attribute) and computed else by
        if isinstance(figures, FigurePhrase):
            yield from _ranked(c, rows, figures, direction, count)


@rule(RowsPhrase, TopFigure)
def _rows_top_figure(c: Composer, rows: RowsPhrase, top: TopFigure) -> Iterator[MadePhrase]:
    if rows.limit is None and rows.awaits is None and top.figures.direction is not None:
        nearer = any(c.model.ways(top.figures.home, entity) for entity in rows.edge[1:])
        for made in _ranked(c, rows, top.figures, top.figures.direction, top.figures.count or 1):
            yield MadePhrase(made.phrase, (*made.marks, FAR) if nearer else made.marks)


@rule(RowsPhrase, TopFigure)
def _first_rows(c: Composer, rows: RowsPhrase, top: TopFigure) -> Iterator[MadePhrase]:
    """The store with the highest revenue, whose employees are asked for."""
    figures = top.figures
    if not rows.bare or figures.direction is None or figures.by or rows.entity == figures.home:
        return
    if figures.changes or figures.compare is not None:
        return
    if (each := c.each_has(figures)) is None:
        return
    for way in c.model.ways(rows.entity, figures.home):
        order = OrderBy(by=each.model_copy(update={"via": names_of(way)}), descending=figures.direction > 0)
        first = replace(rows, order=(order,), limit=figures.count or 1, skip=figures.skip, edge=())
        yield MadePhrase(FirstRows(first), (STEP,) * len(way))


@rule(JoiningWord, FirstRows)
def _word_first_rows(c: Composer, word: JoiningWord, first: FirstRows) -> Iterator[MadePhrase]:
    """Of the store with the highest revenue."""
    if word.kind in ("of", "in", "with", "genitive"):
        kind = "of" if word.kind == "genitive" else word.kind
        yield MadePhrase(About(word.text, kind, first.rows, first=word.first))


@rule(FirstRows, JoiningWord)
def _first_rows_word(c: Composer, first: FirstRows, word: JoiningWord) -> Iterator[MadePhrase]:
    """... does the store with the highest revenue have."""
    if word.kind in ("in", "with") and first.rows.single:
        yield MadePhrase(StrandedRows(first.rows, word.text))


def as_many(figures: FigurePhrase, awaits: tuple[int | None, Direction]) -> FigurePhrase | None:
    """The figure that decides, for as many as were said before; nothing where it points the other way or says how many itself."""
    count, direction = awaits
    turned = (
        direction < 0 and figures.direction != direction
    )  # top is also said of the lowest, bottom not of the highest
    if count is None or figures.direction is None or turned or figures.count is not None or figures.skip:
        return None
    return replace(figures, count=count)


@rule(RowsPhrase, TopFigure)
@rule(RowsPhrase, TopFilter)
@rule(RowsPhrase, About)
def _awaited_top(c: Composer, rows: RowsPhrase, top: TopFigure | TopFilter | About) -> Iterator[MadePhrase]:
    """The top 3 stores with the highest revenue, with the largest area, with the most orders."""
    count, direction = rows.awaits or (None, 1)
    if rows.awaits is None or count is None:
        return
    plain = replace(rows, awaits=None)
    match top:
        case TopFigure():
            if (figures := as_many(top.figures, rows.awaits)) is not None:
                yield from c.join(plain, TopFigure(figures))
        case TopFilter(limit=1, skip=0) if direction > 0 or not top.order[0].descending:
            yield from c.join(plain, replace(top, limit=count))
        case About(kind="with", negated=False, rows=MostRows(count=None, skip=0) as most):
            if direction > 0 or most.direction < 0:
                yield from c.join(plain, replace(top, rows=replace(most, count=count)))


@rule(CountedRows, TopFigure)
def _counted_top_figure(c: Composer, counted: CountedRows, top: TopFigure) -> Iterator[MadePhrase]:
    """The 3 stations with the highest average temperature."""
    if counted.op == "=" and counted.number and counted.most is None and top.figures.count is None:
        yield from c.join(counted.rows, TopFigure(replace(top.figures, count=counted.number)))


@rule(CountedRows, About)
def _counted_most(c: Composer, counted: CountedRows, about: About) -> Iterator[MadePhrase]:
    """The 5 pets with the most visits."""
    most = about.rows
    if about.kind != "with" or about.negated or not isinstance(most, MostRows) or most.count is not None or most.skip:
        return
    if counted.op == "=" and counted.number and counted.most is None:
        yield from c.join(counted.rows, replace(about, rows=replace(most, count=counted.number)))


@rule(CountedRows, TopFilter)
def _counted_top(c: Composer, counted: CountedRows, top: TopFilter) -> Iterator[MadePhrase]:
    """The 3 workers with the highest wage."""
    if counted.op == "=" and counted.number and counted.most is None and top.limit == 1 and not top.skip:
        yield from c.join(counted.rows, replace(top, limit=counted.number))


@rule(Attribute, TopFigure)
@rule(Attribute, About)
def _attribute_top(c: Composer, attribute: Attribute, right: TopFigure | About) -> Iterator[MadePhrase]:
    """Which country has the most customers."""
    figures = best_figure(c, right)
    if attribute.direction is None and attribute.aggregate is None and figures is not None:
        yield from first_groups(c, figures, AboutEach(Dimension(field=attribute.path), attribute.entity))


@rule(PeriodNoun, TopFigure)
@rule(PeriodNoun, About)
@rule(PeriodNoun, FigurePhrase)
def _period_top(c: Composer, noun: PeriodNoun, right: TopFigure | About | FigurePhrase) -> Iterator[MadePhrase]:
    """Which month of 2024 had the highest revenue; in which year was revenue highest."""
    figures = right if isinstance(right, FigurePhrase) else best_figure(c, right)
    if figures is None or figures.direction is None or (noun.within and figures.period):
        return
    if noun.of_each is not None or noun.awaits is not None or noun.counted or (noun.plural and figures.count is None):
        return
    dated = c.join(replace(figures, direction=None), noun.within) if noun.within else (MadePhrase(figures),)
    each = AboutEach(Dimension(field=DEFAULT_DATE, grain=noun.grain), "")
    for made in dated:
        if isinstance(made.phrase, FigurePhrase):
            yield from first_groups(c, replace(made.phrase, direction=figures.direction), each)


@rule(PeriodNoun, SaidPeriod, either_way=True)
def _period_within(c: Composer, noun: PeriodNoun, when: SaidPeriod) -> Iterator[MadePhrase]:
    """Which month of 2024."""
    if noun.within is None and not when.moment and not when.ends:
        yield MadePhrase(replace(noun, within=when))


@rule(JoiningWord, PeriodNoun)
def _in_period(c: Composer, word: JoiningWord, noun: PeriodNoun) -> Iterator[MadePhrase]:
    """In which month."""
    if word.kind == "in":
        yield MadePhrase(replace(noun, placed=True))


def best_figure(c: Composer, phrase: TopFigure | About) -> FigurePhrase | None:
    """The figure that is highest or lowest for what it is said of: with the highest revenue, with the most customers."""
    if isinstance(phrase, TopFigure):
        return replace(phrase.figures, direction=phrase.figures.direction or 1)
    most = phrase.rows
    if (
        not isinstance(most, MostRows)
        or phrase.kind != "with"
        or phrase.negated
        or (counted := c.count(most.rows)) is None
    ):
        return None
    return replace(counted, skip=most.skip, direction=most.direction, count=most.count)


def first_groups(c: Composer, figures: FigurePhrase, each: AboutEach) -> Iterator[MadePhrase]:
    """The groups for which a figure is highest or lowest."""
    order = OrderBy(by=figures.shown[0], descending=(figures.direction or 1) > 0)
    for divided, marks in c.divided(replace(figures, direction=None, count=None), each):
        assert isinstance(divided, FigurePhrase)
        yield MadePhrase(_in_order(divided, figures, order, figures.count or 1), marks)


def _in_order(divided: FigurePhrase, figures: FigurePhrase, order: OrderBy, count: int | None) -> FigurePhrase:
    """Groups in the order of a figure, the first ones; with the highest expenses per cost centre they are those of each."""
    if order.by == figures.shown[0]:  # a share is that within each group
        order = order.model_copy(update={"by": divided.shown[0]})
    new = tuple(one for one in divided.by if one not in figures.by)
    if figures.by and new and count is not None:
        divided = replace(divided, by=(*new, *figures.by), per=figures.by)
    ranked = replace(divided, order=(order,), limit=count)
    if ranked.changes and ranked.ends is not None:
        return next((made.phrase for made in changed(ranked) if isinstance(made.phrase, FigurePhrase)), ranked)
    return without_change(ranked) if ranked.compare is not None else ranked


def _ranked(
    c: Composer, rows: RowsPhrase, figures: FigurePhrase, direction: Direction, count: int | None
) -> Iterator[MadePhrase]:
    """Rows of an entity by a figure: the figure per row, in its order, the first ones; not by a sum over each row alone."""
    if rows.entity == figures.home and figures.shown[0].field is not None:
        return
    if rows.other or rows.also or (rows.period is not None and figures.period is not None):
        return
    figures = replace(figures, direction=None, count=None)
    order = OrderBy(by=figures.shown[0], descending=direction > 0)
    each = AboutEach(Dimension(entity=rows.entity), rows.entity)
    for divided, marks in c.divided(figures, each):
        assert isinstance(divided, FigurePhrase)
        ranked = _in_order(divided, figures, order, count)
        ranked = replace(ranked, period=ranked.period or rows.period)
        if rows.where:
            for narrowed, more in c.narrowed(ranked, rows.entity, rows.where):
                yield MadePhrase(narrowed, (*marks, *more))
        else:
            yield MadePhrase(ranked, marks)


@rule(RowsPhrase, FigurePhrase)
def _rows_best_figure(c: Composer, rows: RowsPhrase, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Which customers' revenue is highest, in languages that put it so."""
    if c.order.get("modifiers_before") and figures.direction is not None and not rows.named:
        yield from c.join(rows, TopFigure(figures))


@rule(RowsPhrase, MostRows, either_way=True)
def _rows_have_most(c: Composer, rows: RowsPhrase, most: MostRows) -> Iterator[MadePhrase]:
    """The customer whose invoices are the most."""
    if most.last and not rows.named and rows.entity != most.rows.entity:
        yield from c.join(rows, About("", "with", most))


@rule(PeriodNoun, MostRows, either_way=True)
@rule(PeriodNoun, FigurePhrase, either_way=True)
def _period_has_most(c: Composer, noun: PeriodNoun, most: MostRows | FigurePhrase) -> Iterator[MadePhrase]:
    """The month whose invoices are the most, the month of the highest revenue, in languages that put it so."""
    if not c.order.get("modifiers_before"):
        return
    if isinstance(most, FigurePhrase):
        yield from _period_top(c, noun, most)
    elif most.last:
        yield from _period_top(c, noun, About("", "with", most))


@rule(Attribute, MostRows, either_way=True)
def _attribute_has_most(c: Composer, attribute: Attribute, most: MostRows) -> Iterator[MadePhrase]:
    """The author whose books are the most, in languages that put it so."""
    if most.last and attribute.plain and not c.numeric(attribute.entity, attribute.field):
        yield from c.join(attribute, About("", "with", most))


@rule(PeriodNoun, Attribute)
def _day_top(c: Composer, noun: PeriodNoun, attribute: Attribute) -> Iterator[MadePhrase]:
    """On which day was the temperature highest; of a month it could be its average, and what adds up has a sum."""
    if noun.grain is Grain.DAY and attribute.direction is not None and not c.adds_up(attribute):
        figures = c.totalled(replace(attribute, behind=False), RowsPhrase(attribute.entity))
        if figures is not None:
            yield from _period_top(c, noun, replace(figures, direction=attribute.direction))


@rule(FigurePhrase, RowsPhrase)
def _best_figure_before_rows(c: Composer, figures: FigurePhrase, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """The product with the highest revenue, in languages that put it before the noun."""
    if c.order.get("modifiers_before") and figures.direction is not None and not rows.named:
        yield from c.join(rows, TopFigure(figures))
