"""Rules for fields of rows and for figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.checking.names import facts_of
from veracity.semantic.graph import is_to_one
from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Dimension,
    InSegment,
    Negation,
    OrderBy,
    Shown,
    Transform,
    all_of,
)
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.reading.by_all_rows import denies
from veracity.semantic.reading.changed_figures import best_of_periods, changed
from veracity.semantic.reading.chart import COMPUTED, FAR, OTHER_ENTITY, UNNAMED_DATE, MadePhrase
from veracity.semantic.reading.comparison_phrases import HowAdjective, TopFilter
from veracity.semantic.reading.compose import Composer, Rules, is_far, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, RatioOf, Sorting
from veracity.semantic.reading.joined_phrases import About, AboutEach, JoinedPhrase, StrandedRows, Verb
from veracity.semantic.reading.phrases import (
    Attribute,
    Attributes,
    InField,
    JoiningWord,
    Lookup,
    RowFilter,
    RowsPhrase,
    Stored,
    merged,
)
from veracity.semantic.reading.related_rows import right_edge
from veracity.semantic.reading.said_phrases import Quoted, SaidPeriod, UnitWish
from veracity.sources.source import ColumnType

RULES: Rules = {}
rule = rule_book(RULES)


@rule(Attribute, About)
def _attribute_about(c: Composer, attribute: Attribute, about: About) -> Iterator[MadePhrase]:
    if (about.kind in ("of", "in") and not about.negated and isinstance(about.rows, RowsPhrase)) or (
        about.kind == "with" and attribute.asked and isinstance(about.rows, RowsPhrase) and about.rows.single
    ):
        yield from c.look_up(attribute, about.rows)


@rule(RowsPhrase, Attribute)
def _rows_attribute(c: Composer, rows: RowsPhrase, attribute: Attribute) -> Iterator[MadePhrase]:
    if rows.entity != attribute.entity or not (rows.bare or rows.named):
        return
    if (attribute.entity, attribute.field) in c.truths and not rows.named:
        return  # which members are active: those that are, by a rule of its own
    if attribute.behind and attribute.direction is not None:  # the station whose altitude is highest
        order = OrderBy(by=Shown(field=attribute.path), descending=attribute.direction > 0)
        if not rows.named:
            yield from c.join(rows, TopFilter(attribute.entity, (order,)))
        return
    if rows.bare and attribute.plain and c.is_date(attribute):
        yield from _that_happened(c, rows, attribute)
    elif not attribute.asked:
        yield from c.look_up(attribute, rows)
    elif rows.bare:  # invoice total
        yield MadePhrase(attribute)
    elif c.order.get("modifiers_before"):  # the ward Surgery has how many beds
        yield from c.look_up(attribute, rows)


def _that_happened(c: Composer, rows: RowsPhrase, attribute: Attribute) -> Iterator[MadePhrase]:
    """Which repairs were finished: those with such a date, which stands beside them; when they were is asked with its word."""
    those = replace(rows.having(Comparison(field=attribute.path, op="notMissing")), happened=True)
    yield MadePhrase(replace(those, also=(attribute,)))
    yield MadePhrase(those, (COMPUTED,))
    yield from (MadePhrase(one.phrase, (*one.marks, COMPUTED)) for one in c.look_up(attribute, rows))


@rule(Attribute, RowsPhrase)
def _attribute_rows(c: Composer, attribute: Attribute, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """How many inhabitants does Texas have, with the verb left out; the average cost of a repair."""
    mean = attribute.aggregate in (Aggregate.AVG, Aggregate.MEDIAN)
    if (attribute.asked and rows.single) or (mean and rows.bare and rows.entity == attribute.entity):
        yield from c.look_up(attribute, rows)


@rule(Attribute, RowFilter)
def _attribute_filter(c: Composer, attribute: Attribute, filtered: RowFilter) -> Iterator[MadePhrase]:
    # The population of Austin is not that of the state whose capital is called so: a value that names no row is none.
    computed = attribute.aggregate is not None or attribute.direction is not None
    if attribute.entity == filtered.entity and not filtered.before and (computed or not filtered.is_value):
        if not computed and c.only_names(attribute) and (filtered.lacks or any(map(denies, filtered.where))):
            return  # customers who did not order in March: of some order of theirs that is always true
        for made in c.look_up(attribute, RowsPhrase(filtered.entity, where=filtered.where, edge=filtered.edge)):
            told = made.phrase
            if isinstance(told, Lookup) and not computed and c.only_names(attribute):
                told = replace(told, distinct=True)
            yield MadePhrase(told, made.marks)


@rule(Attribute, RowFilter)
def _asked_filter(c: Composer, attribute: Attribute, filtered: RowFilter) -> Iterator[MadePhrase]:
    """How many visitors in Bern, where Bern is the town of the buildings that they were counted in."""
    ways = c.model.ways(attribute.entity, filtered.entity) if attribute.asked and filtered.is_value else ()
    if not ways or attribute.entity == filtered.entity or not all(is_to_one(way) for way in ways):
        return
    only = filtered.where[0] if len(filtered.where) == 1 else None
    facts = facts_of(c.model, only.field) if isinstance(only, Comparison) else None
    figure = c.totalled(attribute, RowsPhrase(attribute.entity)) if facts and facts.categorical else None
    if figure is not None:
        yield from c.narrowed(figure, filtered.entity, filtered.where)


@rule(Attribute, RowFilter)
def _so_much_of_kind(c: Composer, attribute: Attribute, filtered: RowFilter) -> Iterator[MadePhrase]:
    """Wie viele Tage Ferien, wie viele Stunden Wartung: of a kind of rows, behind the unit that is asked for."""
    declared = c.model.things[attribute.entity].fields[attribute.field].declared
    kind = filtered.is_value and filtered.before and filtered.entity == attribute.entity and len(filtered.where) == 1
    if attribute.asked and kind and c.order.get("verb_last") and declared is not None and declared.unit:
        rows = RowsPhrase(filtered.entity, where=filtered.where, edge=filtered.edge)
        if (figure := c.totalled(attribute, rows)) is not None:
            yield MadePhrase(figure)


@rule(Attribute, JoinedPhrase)
def _attribute_joined(c: Composer, left: Attribute, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    if isinstance(joined.phrase, Attribute):
        yield MadePhrase(Attributes((left, joined.phrase)))


@rule(Attributes, JoinedPhrase)
def _attributes_joined(c: Composer, left: Attributes, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    if isinstance(joined.phrase, Attribute):
        yield MadePhrase(Attributes((*left.fields, joined.phrase)))


@rule(Attributes, About)
def _attributes_about(c: Composer, attributes: Attributes, about: About) -> Iterator[MadePhrase]:
    if about.negated:
        return
    if about.kind in ("of", "in") and isinstance(about.rows, RowsPhrase) and about.rows.awaits is None:
        rows = about.rows
        own = all(field.entity == rows.entity for field in attributes.fields)
        computed = any(field.aggregate is not None or field.direction is not None for field in attributes.fields)
        if own and not computed:
            yield MadePhrase(Lookup(rows, attributes.fields))


@rule(Attributes, RowFilter)
def _attributes_filter(c: Composer, attributes: Attributes, filtered: RowFilter) -> Iterator[MadePhrase]:
    """List the code and name in the city of Anthony: of the rows there, where one of the fields says which these are."""
    thing = c.model.things[filtered.entity]
    own = all(field.entity == filtered.entity and field.plain for field in attributes.fields)
    tells_which = any(field.field in (*thing.display, *thing.key) for field in attributes.fields)
    stored = all(isinstance(one, Comparison) and one.op == "=" for one in filtered.where)
    if own and tells_which and stored and not filtered.before:
        yield MadePhrase(Lookup(RowsPhrase(filtered.entity, where=filtered.where), attributes.fields))


@rule(Lookup, RowFilter)
def _lookup_filter(c: Composer, lookup: Lookup, filtered: RowFilter) -> Iterator[MadePhrase]:
    """All airline names and their abbreviations in the USA."""
    if lookup.rows.bare and not lookup.asked and len(lookup.fields) > 1 and lookup.rows.entity == filtered.entity:
        yield from c.join(Attributes(lookup.fields), filtered)


@rule(JoiningWord, Attributes)
def _word_attributes(c: Composer, word: JoiningWord, attributes: Attributes) -> Iterator[MadePhrase]:
    if word.kind == "show" and word.first:
        yield MadePhrase(attributes)


@rule(HowAdjective, RowsPhrase)
def _adjective_rows(c: Composer, adjective: HowAdjective, rows: RowsPhrase) -> Iterator[MadePhrase]:
    for entity, field in adjective.fields if adjective.asked else ():
        if entity == rows.entity and rows.awaits is None and not rows.other:
            yield MadePhrase(Lookup(rows, (Attribute(entity, field),)))


@rule(FigurePhrase, About)
def _figures_about(c: Composer, figures: FigurePhrase, about: About) -> Iterator[MadePhrase]:
    named = isinstance(about.rows, RowsPhrase) and (about.rows.named or about.rows.is_segment)
    told = isinstance(about.rows, RowsPhrase) and about.rows.where and figures.shown[0].measure
    kinds = ("of", "in", "with", "without") if named else ("of", "in", "with") if told else ("of", "in")
    if about.kind in kinds and isinstance(about.rows, RowsPhrase) and about.rows.awaits is None and not about.rows.also:
        rows = about.rows
        if rows.entity == figures.home and (about.negated or (rows.period and figures.period)):
            return
        if rows.entity == figures.home and rows.bare:
            yield MadePhrase(figures)  # the sum of amounts in the invoices
            return
        if rows.entity == figures.home and not figures.where and figures.shown[0].of is None:
            of_rows = c.figure_of(figures.shown[0], rows)
            period = figures.period or rows.period
            yield MadePhrase(replace(figures, where=of_rows.where, period=period, edge=of_rows.edge))
            return
        far: tuple[str, ...] = (FAR,) if c.is_nearer(figures.edge[1:], rows) or _ends_bare(figures) else ()
        if rows.bare and figures.by and c.belongs(figures.home, rows.entity):
            far = (OTHER_ENTITY, FAR)  # costs per type of bike: the type is that of the bike
        for condition in c.relate(figures.home, rows):
            met = Negation(condition=condition) if about.negated != (about.kind == "without") else condition
            edge = (figures.home, *right_edge(rows))
            yield MadePhrase(
                replace(figures, where=merged(figures.where, (met,)), edge=edge),
                (*far, *c.steps(figures.home, met, rows)),
            )


@rule(About, FigurePhrase)
def _about_figures(c: Composer, about: About, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """With X how many entries, in languages that put it before the noun."""
    if c.order.get("modifiers_before") and about.kind in ("with", "in"):
        yield from _figures_about(c, figures, about)


@rule(FigurePhrase, RowFilter, either_way=True)
def _figures_filter(c: Composer, figures: FigurePhrase, filtered: RowFilter) -> Iterator[MadePhrase]:
    elsewhere = (
        filtered.beyond or figures.home in filtered.said_of if filtered.said_of else c.is_of_its_own(filtered.where)
    )
    if figures.home != filtered.entity and elsewhere:
        return  # what a verb says is said of those who do it
    nearer = is_far(figures.edge, filtered.may_be or (filtered.entity,)) or _ends_bare(figures)
    far = (FAR,) if nearer and not filtered.free else ()
    figures = _by_said_date(c, figures, filtered)
    for narrowed, marks in c.narrowed(figures, filtered.entity, filtered.where, lacks=filtered.lacks):
        assert isinstance(narrowed, FigurePhrase)
        yield MadePhrase(replace(narrowed, edge=(figures.home, *filtered.edge)), (*far, *marks))


@rule(FigurePhrase, SaidPeriod, either_way=True)
def _figures_when(c: Composer, figures: FigurePhrase, when: SaidPeriod) -> Iterator[MadePhrase]:
    if figures.period is not None or figures.shown[0].rows is not None:
        return
    if when.between and not figures.changes and not when.compared:
        yield from _two_apart(c, figures, when)
        return
    if (said := c.at_moment(figures, when)) is None:
        return
    when = said
    shown = figures.shown[0].ratio[0] if figures.shown[0].ratio else figures.shown[0]
    if not c.dated(figures.home) and not c.default_date(figures.home, shown.measure):
        for condition in c.within(figures.home, when.period) if not (figures.changes or when.compared) else ():
            yield MadePhrase(replace(figures, where=merged(figures.where, (condition,))), (UNNAMED_DATE,))
    else:
        dated = replace(figures, period=_on_divided_date(c, figures, when.period), ends=when.ends)
        if figures.changes or when.compared:
            yield from changed(dated)
        else:
            yield from _over_periods(c, dated, when)


def _by_said_date(c: Composer, figures: FigurePhrase, filtered: RowFilter) -> FigurePhrase:
    """Per month, finished in 2025: the months are those of the date that is named, not of the one that goes without saying."""
    only = filtered.where[0] if len(filtered.where) == 1 else None
    timed = isinstance(only, Comparison) and filtered.entity == figures.home and c.is_time(filtered.where)
    if not timed or not isinstance(only, Comparison) or only.value is None or only.grain or only.since:
        return figures
    usual = c.default_date(figures.home, None)
    by = tuple(
        one.model_copy(update={"field": only.field}) if one.is_dated and one.field == usual and not one.via else one
        for one in figures.by
    )
    return replace(figures, by=by) if not figures.shown[0].measure else figures


def _on_divided_date(c: Composer, figures: FigurePhrase, period: QueryPeriod) -> QueryPeriod:
    """Finished per month in 2025: the time is that of the date which the months are of."""
    named = [one for one in figures.by if one.is_dated and one.field != c.default_date(figures.home, None)]
    own = [one for one in named if (one.field or "").rpartition(".")[0] == figures.home and not one.via]
    if len(named) != 1 or not own or figures.shown[0].measure:
        return period
    return period.model_copy(update={"field": own[0].field})


def _two_apart(c: Composer, figures: FigurePhrase, when: SaidPeriod) -> Iterator[MadePhrase]:
    """Revenue in Q1 2024 and Q1 2025: both figures side by side, and nothing of what lies between."""
    said = (figures.by, figures.order, figures.direction, figures.compare)
    timed = c.dated(figures.home) or c.default_date(figures.home, figures.shown[0].measure)
    if when.listed and timed and not any(said) and (at := c.at_moment(figures, when)) is not None:
        yield from changed(replace(figures, period=at.period, ends=at.ends))


def _over_periods(c: Composer, figures: FigurePhrase, when: SaidPeriod) -> Iterator[MadePhrase]:
    """Of several periods a level is that of each; a sum may be that of all together, and of those joined by `and` of each, too."""
    several = when.ends is not None and not c.over_time(figures)
    level = bool(c.moment_of(figures))
    # A level of two times has no total; it may still be compared.
    yield MadePhrase(replace(figures, changes=True) if several and level else figures)
    if when.ends is not None and several and (level or when.listed):
        grains = {one.length for one in when.ends}
        grain = grains.pop()
        if grain is not None and not grains:
            yield from c.per(figures, grain)


@rule(FigurePhrase, AboutEach, either_way=True)
def _figures_each(c: Composer, figures: FigurePhrase, each: AboutEach) -> Iterator[MadePhrase]:
    for made in c.divided(figures, each):
        divided = made.phrase
        assert isinstance(divided, FigurePhrase)
        if figures.limit is not None:  # the highest monthly revenue of each genre
            new = tuple(one for one in divided.by if one not in figures.by)
            if new and each.kind != "by":
                yield MadePhrase(replace(divided, per=(*figures.per, *new)), made.marks)
            continue
        if divided.changes and c.over_time(divided):  # how it developed over the months: the series itself
            yield from (MadePhrase(one.phrase, made.marks) for one in c.series(replace(divided, changes=False)))
        else:
            yield made


@rule(FigurePhrase, AboutEach)
def _best_each(c: Composer, figures: FigurePhrase, each: AboutEach) -> Iterator[MadePhrase]:
    """The highest revenue per month."""
    for made in c.divided(figures, each) if figures.direction is not None and not figures.by else ():
        assert isinstance(made.phrase, FigurePhrase)
        for best in best_of_periods(made.phrase, figures.direction or 1, figures.count):
            yield MadePhrase(best.phrase, made.marks)


@rule(Attribute, AboutEach, either_way=True)
def _attribute_each(c: Composer, attribute: Attribute, each: AboutEach) -> Iterator[MadePhrase]:
    for aggregate in c.figures_per_group(attribute):
        figure = c.aggregated(replace(attribute, aggregate=aggregate, direction=None), RowsPhrase(attribute.entity))
        if figure is not None:
            yield from c.divided(figure, each)


@rule(RowsPhrase, FigurePhrase)
def _rows_figures(c: Composer, rows: RowsPhrase, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Leonie Köhler's spending; of a bare noun only where it is the figure's own ("invoice total")."""
    if rows.named:
        yield from _of_named(c, figures, rows)
    elif figures.compare and figures.compare.claim:
        return
    elif rows.bare and rows.entity == figures.home and (figures.shown[0].measure or figures.shown[0].of):
        yield MadePhrase(figures)


@rule(FigurePhrase, RowsPhrase)
def _figures_rows(c: Composer, figures: FigurePhrase, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Balance account 2000; how much did cost centre X cost."""
    if rows.named and figures.shown[0].measure:
        yield from _of_named(c, figures, rows)


@rule(FigurePhrase, StrandedRows)
def _figures_stranded(c: Composer, figures: FigurePhrase, gap: StrandedRows) -> Iterator[MadePhrase]:
    """What movements did account 1100 have."""
    if gap.rows.named and figures.shown[0].measure:
        yield from _of_named(c, figures, gap.rows)


def _of_named(c: Composer, figures: FigurePhrase, rows: RowsPhrase) -> Iterator[MadePhrase]:
    for condition in c.relate(figures.home, rows):
        where = c.together(figures.where, (condition,))
        if where is not None:
            yield MadePhrase(replace(figures, where=where), c.steps(figures.home, condition, rows))


@rule(FigurePhrase, Sorting)
def _figures_sorting(c: Composer, figures: FigurePhrase, sorting: Sorting) -> Iterator[MadePhrase]:
    if not figures.by or figures.order:
        return
    by = sorting.by
    if isinstance(by, FigurePhrase) and by.shown == figures.shown and not by.where:
        order = OrderBy(by=figures.shown[0], descending=sorting.descending is not False)
        yield MadePhrase(replace(figures, order=(order,)))
    elif (
        isinstance(by, Attribute) and by.plain and any(d.field == by.path or d.entity == by.entity for d in figures.by)
    ):
        order = OrderBy(by=Shown(field=by.path), descending=bool(sorting.descending))
        shown = Dimension(field=by.path)
        dimensions = figures.by if shown in figures.by else (*figures.by, shown)
        yield MadePhrase(replace(figures, by=dimensions, order=(order,)))


@rule(Attribute, UnitWish)
def _attribute_in_unit(c: Composer, attribute: Attribute, wish: UnitWish) -> Iterator[MadePhrase]:
    if wish.said and attribute.unit is None and c.converts(Shown(field=attribute.path), wish):
        yield MadePhrase(replace(attribute, unit=wish.unit))


@rule(Lookup, UnitWish)
@rule(FigurePhrase, UnitWish)
def _in_unit(c: Composer, left: Lookup | FigurePhrase, wish: UnitWish) -> Iterator[MadePhrase]:
    if not wish.said:
        return
    if isinstance(left, FigurePhrase):
        shown = left.shown[0]
        if c.converts(shown, wish):
            yield MadePhrase(replace(left, shown=(shown.model_copy(update={"unit": wish.unit}),)))
    elif len(left.fields) == 1 and not left.unit and c.converts(Shown(field=left.fields[0].path), wish):
        yield MadePhrase(replace(left, unit=wish.unit))


@rule(RatioOf, JoinedPhrase)
def _ratio(c: Composer, ratio: RatioOf, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """The ratio of open to closed businesses."""
    other = c.count(joined.phrase) if isinstance(joined.phrase, RowsPhrase) else joined.phrase
    one = ratio.figures
    if joined.kind != "to" or not isinstance(other, FigurePhrase) or one.home != other.home or other.by:
        return
    if one.order or other.order or one.compare or other.compare:
        return
    if one.period is None and not (one.by or c.has_other_times(one)):
        one = replace(one, period=other.period)  # of expenses to revenue in 2024: both of that year
    if one.period != other.period and not one.by:
        parts = [_with_period_as_condition(c, figures) for figures in (one, other)]
        if parts[0] is None or parts[1] is None:
            return
        one, other = parts[0], parts[1]
    if one.by:  # the number in each state to all of them is a share
        if one.where or other.where or one.shown != other.shown:
            return
        share = one.shown[0].model_copy(update={"transform": Transform.SHARE})
        yield MadePhrase(replace(one, shown=(share,)))
        return
    pair = (_alone(one), _alone(other))
    yield MadePhrase(FigurePhrase((Shown(ratio=pair),), one.home, period=one.period))


def _with_period_as_condition(c: Composer, figures: FigurePhrase) -> FigurePhrase | None:
    if figures.period is None:
        return figures
    condition = c.during(figures.home, figures.period)
    return replace(figures, period=None, where=merged(figures.where, (condition,))) if condition else None


def _ends_bare(figures: FigurePhrase) -> bool:
    """Whether it is a ratio to rows that nothing is said of yet, so that a condition behind it is about them."""
    ratio = figures.shown[0].ratio
    return ratio is not None and ratio[1].where is None


def _alone(figures: FigurePhrase) -> Shown:
    """A figure with its own conditions."""
    return figures.shown[0].model_copy(update={"where": all_of((figures.shown[0].where, *figures.where))})


@rule(FigurePhrase, JoinedPhrase)
def _figures_joined(c: Composer, figures: FigurePhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """Revenue and number of orders."""
    other = joined.phrase
    if joined.kind != "and" or not isinstance(other, FigurePhrase) or other.by or other.order or other.direction:
        return
    if figures.direction or figures.order or figures.compare or figures.changes or other.changes:
        return
    if figures.where != other.where and figures.home == other.home:
        pair = _each_of_its_group(figures), _each_of_its_group(other)
        if pair[0] is None or pair[1] is None:
            return
        figures, other = pair[0], pair[1]
    if figures.where != other.where:
        return
    if figures.period == other.period or other.period is None:
        yield MadePhrase(replace(figures, shown=(*figures.shown, *other.shown)))


def _each_of_its_group(figures: FigurePhrase) -> FigurePhrase | None:
    """Figures of the groups that they are called by, with the group as a condition of their own: rent, and wages."""
    if not figures.where:
        return figures
    own = figures.shown[0].where
    if len(figures.shown) > 1 or own is not None or not all(isinstance(one, InSegment) for one in figures.where):
        return None
    return replace(figures, shown=(figures.shown[0].model_copy(update={"where": all_of(figures.where)}),), where=())


@rule(JoiningWord, RowFilter)
def _only_value(c: Composer, word: JoiningWord, value: RowFilter) -> Iterator[MadePhrase]:
    """..., only maintenance."""
    if word.kind == "only" and value.is_value and not word.first:
        yield MadePhrase(JoinedPhrase("only_value", value))


@rule(FigurePhrase, JoinedPhrase)
def _figures_only(c: Composer, figures: FigurePhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """Hours per technician, only maintenance: of these rows alone."""
    value = joined.phrase
    if joined.kind == "only_value" and isinstance(value, RowFilter) and figures.limit is None:
        yield from c.narrowed(figures, value.entity, value.where)


@rule(Attributes, AboutEach)
def _attributes_each(c: Composer, attributes: Attributes, each: AboutEach) -> Iterator[MadePhrase]:
    """The name and the average rating of each business."""
    plain = [one for one in attributes.fields if one.aggregate is None and not one.asked]
    computed = [one for one in attributes.fields if one not in plain]
    figures = [c.totalled(one, RowsPhrase(one.entity)) for one in computed]
    first = figures[0] if figures else None
    if first is None or any(figure is None or figure.home != first.home for figure in figures):
        return
    if any(one.entity != each.entity for one in plain):
        return
    shown = tuple(shown for figure in figures if figure for shown in figure.shown)
    things = c.model.things[each.entity]
    known = {*things.key, *things.display}
    for made in c.divided(replace(first, shown=shown), each):
        divided = made.phrase
        assert isinstance(divided, FigurePhrase)
        more = tuple(Dimension(field=one.path) for one in plain if one.field not in known)
        yield MadePhrase(replace(divided, by=(*divided.by, *more)), made.marks)


@rule(Attribute, AboutEach)
def _participle_each(c: Composer, attribute: Attribute, each: AboutEach) -> Iterator[MadePhrase]:
    """Published per year, where published is a word for the year."""
    if each.dimension.field == attribute.path and attribute.aggregate is None and not attribute.asked:
        yield MadePhrase(each)


@rule(Verb, AboutEach)
def _verb_each(c: Composer, verb: Verb, each: AboutEach) -> Iterator[MadePhrase]:
    """Posted for each business."""
    ends = {step.end for start, name, _ in verb.steps if (step := c.step(start, name))}
    if each.entity in ends:
        yield MadePhrase(each)


@rule(Attribute, SaidPeriod)
def _part_of_date(c: Composer, attribute: Attribute, when: SaidPeriod) -> Iterator[MadePhrase]:
    """The month of April 2021."""
    parts = c.model.things[attribute.entity].date_parts
    if parts is not None and attribute.field in (parts.year, parts.month) and when.number is None:
        yield MadePhrase(when)


@rule(Quoted, InField)
@rule(Stored, InField)
def _text_in(c: Composer, text: Quoted | Stored, place: InField) -> Iterator[MadePhrase]:
    """With `IEEE` in its name."""
    said = text.text if isinstance(text, Quoted) else str(text.homes[0][2])
    plain = "%" not in said and "_" not in said  # these would find more than was said
    if plain and c.model.things[place.field.entity].fields[place.field.field].column.type is ColumnType.TEXT:
        like = Comparison(field=place.field.path, op="like", value=f"%{said}%")
        yield MadePhrase(RowFilter(place.field.entity, (like,), may_be=place.field.may_be))


@rule(Attribute, SaidPeriod)
@rule(SaidPeriod, Attribute)
def _computed_when(c: Composer, left: Attribute | SaidPeriod, right: Attribute | SaidPeriod) -> Iterator[MadePhrase]:
    """Total pages in June."""
    attribute, when = (left, right) if isinstance(left, Attribute) else (right, left)
    assert isinstance(attribute, Attribute)
    for aggregate in c.figures_per_group(attribute):
        figure = c.aggregated(replace(attribute, aggregate=aggregate, direction=None), RowsPhrase(attribute.entity))
        if figure is not None:
            yield from _figures_when(c, figure, when)
