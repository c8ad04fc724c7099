"""Rules for superlatives and comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.ontology.fields import FieldRole
from veracity.semantic.graph import names_of
from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Dimension,
    Grain,
    OrderBy,
    QueryPeriod,
    SemanticQuery,
    Shown,
)
from veracity.semantic.reading.changed_figures import best_of_periods, changed, without_change
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import (
    DEFAULT_DATE,
    DEFAULT_FIGURE,
    FAR,
    STEP,
    Composer,
    Rules,
    right_edge,
    rule_book,
)
from veracity.semantic.reading.grounds import dated_within
from veracity.semantic.reading.phrases import (
    About,
    AboutEach,
    Attribute,
    Comparative,
    CountedRows,
    Direction,
    FigurePhrase,
    FirstRows,
    HowAdjective,
    JoiningWord,
    MostRows,
    OpenBound,
    PeriodNoun,
    RowFilter,
    RowsPhrase,
    Sorting,
    Stored,
    StrandedRows,
    Superlative,
    TopFigure,
    TopFilter,
    VagueRows,
    merged,
)
from veracity.semantic.reading.said_phrases import SaidNumber, SaidPeriod
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for
from veracity.sources.source import ColumnType

_OLDEST = 150
_OLDEST_YEAR, _LAST_YEAR = 1900, 2100
"""Nobody is older."""

RULES: Rules = {}
rule = rule_book(RULES)


@rule(Superlative, RowsPhrase)
def _superlative_rows(c: Composer, best: Superlative, rows: RowsPhrase) -> Iterator[MadePhrase]:
    if rows.named or rows.limit is not None or rows.awaits is not None or rows.other:
        return
    if best.counts and not best.adjective:
        if not rows.figure_word:
            yield MadePhrase(MostRows(rows, best.direction, best.count, best.skip))
        return
    if not best.adjective and best.count is not None:
        if not best.skip:
            yield MadePhrase(replace(rows, awaits=(best.count, best.direction)))
            if (amount := c.only_amount(rows.entity)) and c.is_best_by(rows.entity, amount):  # the top 5 orders
                order = OrderBy(by=Shown(field=f"{rows.entity}.{amount}"), descending=best.direction > 0)
                yield MadePhrase(replace(rows, order=(order,), limit=best.count), (DEFAULT_FIGURE,))
        return
    if not (best.adjective or best.counts or best.skip):  # the best customer, the best customers
        yield MadePhrase(replace(rows, awaits=(None if rows.plural else 1, best.direction)))
        return
    fields = [field for entity, field in best.fields if entity == rows.entity]
    if not fields and best.dated:  # the oldest people are those who were born first
        born = sorted(field for entity, field in c.born if entity == rows.entity)
        fields = born if rows.entity in best.never_of else c.dates_of(rows.entity) or _aged_by(c, rows.entity)
    if best.general and not fields:  # the five largest projects by budget; of invoices the amount goes without saying
        if best.count is not None and not best.skip:
            yield MadePhrase(replace(rows, awaits=(best.count, best.direction)))
        amount = c.said_amount(rows.entity)
        fields = [amount] if amount and not c.measurable(rows.entity) else _large_by(c, rows.entity)
        if not (fields or best.count or best.skip):  # the biggest store: by what?
            awaits = (None if rows.plural else 1, best.direction)
            yield MadePhrase(replace(rows, awaits=awaits, by_adjective=best.adjective))
    for field in fields or (c.measurable(rows.entity) if best.general and (best.count or best.skip) else ()):
        order = OrderBy(by=Shown(field=f"{rows.entity}.{field}"), descending=best.direction > 0)
        yield MadePhrase(
            replace(rows, order=(order,), limit=best.count or 1, skip=best.skip, by_adjective=best.adjective)
        )


def _aged_by(c: Composer, entity: str) -> list[str]:
    """The dates and years by which something may be old."""
    own = c.model.things[entity].fields
    return [*c.dates_of(entity), *(name for name, facts in own.items() if facts.role is FieldRole.PERIOD)]


def _large_by(c: Composer, entity: str) -> list[str]:
    """By what something may be the largest, where that are several fields of its own."""
    found = [name for name in c.measurable(entity) if name in c.sizes(entity)]
    return found if len(found) > 1 else []


@rule(RowsPhrase, Superlative)
def _rows_superlative(c: Composer, rows: RowsPhrase, best: Superlative) -> Iterator[MadePhrase]:
    """What state is the largest; which store is the best."""
    if best.adjective or not (best.counts or best.count or best.skip):
        yield from _superlative_rows(c, best, rows)


@rule(Superlative, Attribute)
def _superlative_attribute(c: Composer, best: Superlative, attribute: Attribute) -> Iterator[MadePhrase]:
    own = (attribute.entity, attribute.field) in best.fields
    # Ordered the most is not ordered last.
    general = best.general or (best.counts and not c.is_date(attribute)) or own
    if (
        general
        and attribute.direction is None
        and not attribute.aggregate
        and c.ordered(attribute.entity, attribute.field)
        and not best.skip
        and best.count is None
    ):
        amassed = best.counts and not best.adjective
        yield MadePhrase(replace(attribute, direction=best.direction, totals=best.counts, amassed=amassed))


@rule(Superlative, Attribute)
def _superlative_computed(c: Composer, best: Superlative, attribute: Attribute) -> Iterator[MadePhrase]:
    """The station with the highest average temperature, the customer with the highest total amount."""
    computed = attribute.aggregate in (Aggregate.AVG, Aggregate.MEDIAN, Aggregate.SUM)
    if computed and attribute.direction is None:
        figures = c.totalled(attribute, RowsPhrase(attribute.entity))
        own = (attribute.entity, attribute.field) in best.fields  # the longest average distance
        if figures is not None:
            yield from _superlative_figures(c, replace(best, general=best.general or own), figures)


@rule(Superlative, Attribute)
def _best_rating(c: Composer, best: Superlative, attribute: Attribute) -> Iterator[MadePhrase]:
    """The best average rating is the highest one; of grades that differs from country to country."""
    rated = attribute.plain and c.only_rating(attribute.entity) == attribute.field
    vague = not (best.counts or best.fields) and (rated or not (best.adjective or best.general))
    facts = c.model.things[attribute.entity].fields[attribute.field]
    names = (key_of(said) for said in names_for(attribute.field, facts.declared))
    if not vague or not any((part,) in in_all_languages("ratings") for name in names for part in name):
        return
    if rated:  # of several reviews their average
        attribute = replace(attribute, aggregate=Aggregate.AVG)
    yield from c.join(replace(best, general=True), attribute)


@rule(Superlative, FigurePhrase)
def _superlative_figures(c: Composer, best: Superlative, figures: FigurePhrase) -> Iterator[MadePhrase]:
    if figures.direction is not None or not (best.general or best.counts):
        return
    if figures.changes or figures.grows or figures.compare is not None:
        return  # what grew most is decided by its change
    if figures.by:
        if not (best.counts and figures.shown[0].of):  # the most orders in each year are not those of the best year
            yield from best_of_periods(replace(figures, skip=best.skip), best.direction, best.count)
    else:
        yield MadePhrase(replace(figures, direction=best.direction, count=best.count, skip=best.skip))


@rule(Superlative, SaidNumber, either_way=True)
def _top_number(c: Composer, best: Superlative, number: SaidNumber) -> Iterator[MadePhrase]:
    whole = number.value == number.value.to_integral_value() and 1 <= number.value <= 10_000
    year = 1900 <= number.value <= 2100  # who sold in 2024 most
    if best.count is None and whole and not year and number.dimension is None:
        yield MadePhrase(replace(best, count=int(number.value)))


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


@rule(HowAdjective, RowsPhrase)
def _vague_rows(c: Composer, adjective: HowAdjective, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Large customers: from what on is not said."""
    if not adjective.asked and not (rows.named or rows.order or rows.awaits or rows.period or rows.other or rows.link):
        fields = tuple(field for entity, field in adjective.fields if entity == rows.entity)
        if not fields and adjective.fields and all(c.is_date(Attribute(*one)) for one in adjective.fields):
            fields = tuple(_aged_by(c, rows.entity))  # old books: by a date of theirs, and by nothing else
            if not fields:
                return
        yield MadePhrase(VagueRows(rows, adjective.direction, fields or tuple(_large_by(c, rows.entity))))


@rule(VagueRows, SaidPeriod)
@rule(VagueRows, About)
@rule(VagueRows, RowFilter)
def _vague_narrowed(c: Composer, vague: VagueRows, more: SaidPeriod | About | RowFilter) -> Iterator[MadePhrase]:
    """Large orders in 2024, of customers in Bern."""
    for made in c.join(vague.rows, more):
        if isinstance(made.phrase, RowsPhrase) and made.phrase.entity == vague.rows.entity:
            yield MadePhrase(replace(vague, rows=made.phrase), made.marks)


@rule(JoiningWord, VagueRows)
def _asked_vague(c: Composer, word: JoiningWord, vague: VagueRows) -> Iterator[MadePhrase]:
    if word.kind == "show" and word.first:
        yield MadePhrase(vague)
    elif word.kind == "how_many":
        yield MadePhrase(replace(vague, counted=True))


@rule(VagueRows, JoiningWord)
def _vague_how_many(c: Composer, vague: VagueRows, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind == "how_many" and c.order.get("modifiers_before"):
        yield MadePhrase(replace(vague, counted=True))


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


@rule(JoiningWord, Superlative)
def _at_best(c: Composer, word: JoiningWord, best: Superlative) -> Iterator[MadePhrase]:
    """`am höchsten`: behind a verb."""
    if word.kind == "in" and (best.general or best.adjective) and best.count is None:
        yield MadePhrase(best)


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


@rule(Comparative, SaidNumber)
def _comparative_number(c: Composer, more: Comparative, number: SaidNumber) -> Iterator[MadePhrase]:
    yield MadePhrase(OpenBound(more.op, number, fields=more.fields))


@rule(Comparative, RowsPhrase)
def _comparative_rows(c: Composer, more: Comparative, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Longer than the Rhine; more than the average is another rule."""
    for entity, field in more.fields:
        if entity == rows.entity and rows.single:
            other = SemanticQuery(**(dict(rows.query()) | {"show": (Shown(field=f"{entity}.{field}"),)}))
            condition = Comparison(field=f"{entity}.{field}", op=more.op, value=other)
            yield MadePhrase(RowFilter(entity, (condition,), right_edge(rows)))


@rule(Attribute, OpenBound, either_way=True)
def _attribute_bound(c: Composer, attribute: Attribute, bound: OpenBound) -> Iterator[MadePhrase]:
    if bound.fields and (attribute.entity, attribute.field) not in bound.fields:
        return
    if attribute.direction is not None or attribute.aggregate is not None:
        return
    if condition := c.compared(attribute.entity, attribute.field, bound):
        yield MadePhrase(RowFilter(attribute.entity, (condition,), may_be=attribute.may_be))


@rule(OpenBound, RowsPhrase)
def _bound_rows(c: Composer, bound: OpenBound, rows: RowsPhrase) -> Iterator[MadePhrase]:
    number = bound.number.value
    upper = bound.upper.value if bound.upper is not None else None
    whole = all(one == one.to_integral_value() for one in (number, upper) if one is not None)
    if whole and not bound.fields and bound.number.dimension is None and not (rows.named or rows.figure_word):
        most = int(upper) if upper is not None else None
        yield MadePhrase(CountedRows(rows, ">=" if upper is not None else bound.op, int(number), most))


@rule(RowsPhrase, OpenBound)
def _rows_bound(c: Composer, rows: RowsPhrase, bound: OpenBound) -> Iterator[MadePhrase]:
    """Invoices over 20: of what is asked back."""
    if bound.fields or bound.number.dimension is not None or rows.named or rows.also:
        return
    if bound.upper is not None and bound.upper.value < _OLDEST and c.has_birth_date(rows.entity):
        return  # employees between 30 and 40: their age, or an amount of theirs
    if bound.upper is not None and _are_years(bound) and c.has_time(rows.entity):
        return  # articles between 2016 and 2019: when, not how much
    only = c.only_amount(rows.entity)
    for field in c.measurable(rows.entity) or ([only] if only else []):
        condition = c.compared(rows.entity, field, bound) if (rows.entity, field) not in c.truths else None
        if condition is not None and not _is_part(c, rows.entity, field):
            yield MadePhrase(replace(rows, where=merged(rows.where, (condition,)), bounded=True))


def _is_part(c: Composer, entity: str, field: str) -> bool:
    """Whether a field is only a part of what a row comes to: the freight of an order."""
    names = names_for(field, c.model.things[entity].fields[field].declared)
    return any(key_of(name)[-1:] in in_all_languages("parts_of_amounts") for name in names)


def _are_years(bound: OpenBound) -> bool:
    numbers = (bound.number, bound.upper)
    return all(one is None or (one.dimension is None and _OLDEST_YEAR <= one.value <= _LAST_YEAR) for one in numbers)


@rule(SaidNumber, RowsPhrase)
def _number_rows(c: Composer, number: SaidNumber, rows: RowsPhrase) -> Iterator[MadePhrase]:
    if may_be_year(number) and number.value % 100 and c.default_date(rows.entity):
        return  # who had 2023 entries: in 2023
    if (
        number.dimension is None
        and number.value == number.value.to_integral_value()
        and not (rows.named or rows.figure_word)
    ):
        yield MadePhrase(CountedRows(rows, "=", int(number.value)))


@rule(Attribute, Stored, either_way=True)
def _attribute_stored(c: Composer, attribute: Attribute, stored: Stored) -> Iterator[MadePhrase]:
    """With the capital Austin; Austin is the capital of."""
    for entity, field, value in stored.homes:
        if (entity, field) == (attribute.entity, attribute.field) and attribute.plain:
            yield MadePhrase(RowFilter(entity, (Comparison(field=attribute.path, value=value),)))


def may_be_year(number: SaidNumber) -> bool:
    """Whether a number without a unit may be a year of our time."""
    return number.unit is None and number.dimension is None and 1900 <= number.value <= 2100


@rule(Attribute, SaidNumber)
def _attribute_number(c: Composer, attribute: Attribute, number: SaidNumber) -> Iterator[MadePhrase]:
    value = c.in_unit(attribute.entity, attribute.field, number)
    if may_be_year(number) and c.is_measured(attribute.entity, attribute.field):
        return  # absence days 2024: those of that year; 2024 days would be called so
    says_yes = (attribute.entity, attribute.field) in c.truths and number.value not in (0, 1)  # cancelled in 2023
    if value is not None and attribute.plain and c.numeric(attribute.entity, attribute.field) and not says_yes:
        yield MadePhrase(RowFilter(attribute.entity, (Comparison(field=attribute.path, value=value),)))


@rule(SaidNumber, Attribute)
def _number_attribute(c: Composer, number: SaidNumber, attribute: Attribute) -> Iterator[MadePhrase]:
    """Hotels with 5 stars, courses of 3 credits; 2024 revenue is no revenue of 2024."""
    if number.value == number.value.to_integral_value() and number.dimension is None and not may_be_year(number):
        yield from _attribute_number(c, attribute, number)


@rule(Attribute, SaidPeriod, either_way=True)
def _attribute_when(c: Composer, attribute: Attribute, when: SaidPeriod) -> Iterator[MadePhrase]:
    if not attribute.plain or when.between or when.moment or when.compared:
        return
    facts = c.model.things[attribute.entity].fields[attribute.field]
    if facts.column.type in (ColumnType.DATE, ColumnType.TIMESTAMP) or facts.is_date:
        yield MadePhrase(RowFilter(attribute.entity, (dated_within(attribute.path, when.period),)))
    elif c.holds_years(attribute) and (whole := _whole_years(when.period)) is not None and whole[0] != "=":
        yield MadePhrase(RowFilter(attribute.entity, (Comparison(field=attribute.path, op=whole[0], value=whole[1]),)))
    elif (attribute.entity, attribute.field) in c.truths:
        return  # not cancelled in 2023
    elif when.number is not None and facts.column.type is ColumnType.INTEGER and not facts.can_be_added:
        yield MadePhrase(RowFilter(attribute.entity, (Comparison(field=attribute.path, value=when.number),)))


def _whole_years(period: QueryPeriod) -> tuple[str, int | tuple[int, int]] | None:
    """Before 2015, since 2015, from 2015 to 2018, as a comparison of years; nothing where it is not about whole years."""
    first, last = period.first, period.last
    if (first is not None and (first.month, first.day) != (1, 1)) or (
        last is not None and (last.month, last.day) != (12, 31)
    ):
        return None
    if first is None:
        return ("<=", last.year) if last is not None else None
    if last is None:
        return ">=", first.year
    return ("=", first.year) if first.year == last.year else ("between", (first.year, last.year))


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


@rule(FigurePhrase, Superlative)
def _figures_superlative(c: Composer, figures: FigurePhrase, best: Superlative) -> Iterator[MadePhrase]:
    """Revenue highest, in languages that put it so; in which year was revenue highest."""
    if c.order.get("modifiers_before") or best.general:
        yield from _superlative_figures(c, best, figures)


@rule(RowsPhrase, FigurePhrase)
def _rows_best_figure(c: Composer, rows: RowsPhrase, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Which customers' revenue is highest, in languages that put it so."""
    if c.order.get("modifiers_before") and figures.direction is not None and not rows.named:
        yield from c.join(rows, TopFigure(figures))


@rule(RowsPhrase, Superlative)
def _rows_are_most(c: Composer, rows: RowsPhrase, best: Superlative) -> Iterator[MadePhrase]:
    """Whose invoices are the most, in languages that put it so."""
    if c.order.get("modifiers_before") and best.counts and not best.adjective:
        for made in _superlative_rows(c, best, rows):
            if isinstance(made.phrase, MostRows):
                yield MadePhrase(replace(made.phrase, last=True), made.marks)


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


@rule(Attribute, Superlative)
def _attribute_highest(c: Composer, attribute: Attribute, best: Superlative) -> Iterator[MadePhrase]:
    """On which day was the temperature highest: only what is asked before it makes that a question."""
    if not c.order.get("modifiers_before") and best.general and best.adjective:
        for made in _superlative_attribute(c, best, attribute):
            if isinstance(made.phrase, Attribute):
                yield MadePhrase(replace(made.phrase, behind=True), made.marks)
        yield from _superlative_computed(c, best, attribute)  # in which month was the total amount highest


@rule(SaidPeriod, MostRows)
@rule(SaidPeriod, CountedRows)
def _when_most(c: Composer, when: SaidPeriod, most: MostRows | CountedRows) -> Iterator[MadePhrase]:
    """Who had in 2024 the most invoices, more than 3 invoices."""
    for made in c.join(most.rows, when):
        if isinstance(made.phrase, RowsPhrase):
            yield MadePhrase(replace(most, rows=made.phrase), made.marks)


@rule(FigurePhrase, RowsPhrase)
def _best_figure_before_rows(c: Composer, figures: FigurePhrase, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """The product with the highest revenue, in languages that put it before the noun."""
    if c.order.get("modifiers_before") and figures.direction is not None and not rows.named:
        yield from c.join(rows, TopFigure(figures))


@rule(Attribute, Superlative)
def _attribute_superlative(c: Composer, attribute: Attribute, best: Superlative) -> Iterator[MadePhrase]:
    """Population largest, in languages that put it so."""
    if c.order.get("modifiers_before"):
        for made in _superlative_attribute(c, best, attribute):
            if isinstance(made.phrase, Attribute):
                yield MadePhrase(replace(made.phrase, behind=True), made.marks)
        yield from _superlative_computed(c, best, attribute)


@rule(Attribute, CountedRows)
def _best_before_counted(c: Composer, attribute: Attribute, counted: CountedRows) -> Iterator[MadePhrase]:
    """The 5 entries with the largest amount, in languages that put it before the noun."""
    own = attribute.entity == counted.rows.entity  # the 3 classes are not those of 3 schools
    if c.order.get("modifiers_before") and attribute.direction and own and counted.op == "=" and counted.number:
        order = OrderBy(by=Shown(field=attribute.path), descending=attribute.direction > 0)
        top = TopFilter(attribute.entity, (order,), counted.number, may_be=attribute.may_be)
        yield from c.join(counted.rows, top)


@rule(Attribute, RowsPhrase)
def _best_before_rows(c: Composer, attribute: Attribute, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """The state with the largest population, in languages that put it before the noun."""
    if c.order.get("modifiers_before") and attribute.direction is not None and attribute.aggregate is None:
        order = OrderBy(by=Shown(field=attribute.path), descending=attribute.direction > 0)
        yield from c.join(rows, TopFilter(attribute.entity, (order,), may_be=attribute.may_be))
