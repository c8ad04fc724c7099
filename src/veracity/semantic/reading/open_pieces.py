"""Questions that are understood but for one piece, such as by what the best is the best: what that piece may be, to be asked back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby, islice
from operator import itemgetter

from veracity.language.units import unit_called
from veracity.ontology.fields import Additivity
from veracity.semantic.graph import is_to_one
from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Condition,
    Dimension,
    InSegment,
    OrderBy,
    SemanticQuery,
    Shown,
)
from veracity.semantic.query_values import Grain, QueryPeriod
from veracity.semantic.reading import best_change_rules, faring_rules
from veracity.semantic.reading.chart import ChartCell, MadePhrase
from veracity.semantic.reading.comparison_phrases import FigureBound, VagueRows
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.figure_phrases import FewGroups, FigurePhrase, MeanFigure, MeanOf, PeriodNoun, Sorting
from veracity.semantic.reading.impossible_readings import counts_people
from veracity.semantic.reading.joined_phrases import AboutEach, JoinedPhrase
from veracity.semantic.reading.phrases import Attribute, Direction, RowsPhrase
from veracity.semantic.reading.said_phrases import Phrase, SaidPeriod
from veracity.semantic.reading.unsettled import seen_within
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for
from veracity.semantic.reading.year_fields import year_within
from veracity.sources.source import NUMERIC

_SEVERAL = 2
_MOST = 8
"""So many are run; of those that come to different rows a few are offered."""


def open_readings(c: Composer, phrases: ChartCell) -> tuple[SemanticQuery, ...]:
    """What phrases over the whole question may ask once their open piece is said; one alone is asked back, too.

    Those that pass over the fewest preferences are taken, as for any other question.
    """
    for _, alike in groupby(sorted(phrases.items(), key=itemgetter(1)), key=itemgetter(1)):
        found = dict.fromkeys(query.normalized() for phrase, _ in alike for query in _filled_in(c, phrase))
        if found:
            return tuple(islice(found, _MOST))
    return ()


def _filled_in(c: Composer, phrase: Phrase) -> Iterator[SemanticQuery]:
    match phrase:
        case RowsPhrase(other=False, link=None, figure_word=False) if phrase.awaits is not None:
            yield from _best_by(c, phrase)
        case FewGroups(of=Attribute(), best=1 | -1):
            yield from _best_groups(c, phrase)
        case MeanOf():
            yield from _average_per(c, phrase.figures)
        case PeriodNoun(awaits=(count, direction), of_each=None):
            yield from _best_period(c, phrase, count, direction)
        case VagueRows():
            yield from _beyond(c, phrase)
        case JoinedPhrase():
            yield from _unnamed(c, phrase)
        case FigurePhrase(changes=True, direction=None, period=None, ends=None, by=(), limit=None):
            yield from _developed(c, phrase)
        case _:
            return


def _unnamed(c: Composer, phrase: JoinedPhrase) -> Iterator[SemanticQuery]:
    """What grew or fared well, an average of each, and things of a time without a date: by which figure is not said."""
    match phrase:
        case JoinedPhrase(kind=kind, phrase=FigurePhrase() as counted) if kind.startswith(best_change_rules.GREW):
            rows = RowsPhrase(counted.home, where=counted.where)
            for figures in dict.fromkeys((*_figures_meant(c, rows), *_figures_of(c, rows.entity))):
                yield from (one.query() for one in best_change_rules.grown_by(c, phrase, figures))
        case JoinedPhrase(kind=faring_rules.MEAN_OF_EACH, phrase=AboutEach() as each, period=when):
            yield from _mean_of_each(c, each, when)
        case JoinedPhrase(kind=faring_rules.SEEN_THEN, phrase=RowsPhrase() | FigurePhrase() as seen) if seen.period:
            entity = seen.entity if isinstance(seen, RowsPhrase) else seen.home
            own = year_within(c.model.things[entity], seen.period)
            seen_then: list[Condition] = [own] if own is not None else []
            for then in (*seen_then, *seen_within(c.model, entity, seen.period)):
                yield replace(seen, period=None, where=(*seen.where, then)).query()
        case JoinedPhrase(kind=faring_rules.FARED, phrase=RowsPhrase() as rows):
            yield from _fared(c, rows)
        case JoinedPhrase(kind=faring_rules.FARED, phrase=when):
            yield from _all_in_all(c, when.period if isinstance(when, SaidPeriod) else None)


def _mean_of_each(c: Composer, each: AboutEach, when: QueryPeriod | None) -> Iterator[SemanticQuery]:
    """The average per customer: of each figure of what belongs to them, in the time that is said."""
    for figures in _figures_of(c, each.dimension.entity or ""):
        timed = replace(figures, period=when)
        narrowed = c.narrowed(timed, each.entity, each.where) if each.where else (MadePhrase(timed),)
        for made in narrowed:
            if isinstance(made.phrase, FigurePhrase):
                yield MeanFigure(made.phrase, each.dimension).query()


def _best_by(c: Composer, rows: RowsPhrase) -> Iterator[SemanticQuery]:
    """The top 3 branches: by each measure of what belongs to them, by the number of these, or by a figure of their own."""
    assert rows.awaits is not None
    count, direction = rows.awaits
    plain = replace(rows, awaits=None)
    own = list(_figures_of_its_own(c, rows)) if rows.period is None or c.dated(rows.entity) else []
    ratings = [] if rows.by_adjective else c.ratings(rows.entity)

    def by_own(fields: Iterable[str]) -> Iterator[SemanticQuery]:
        for field in fields:
            shown = Shown(field=f"{rows.entity}.{field}")
            order = OrderBy(by=shown, descending=direction > 0)
            yield replace(plain, order=(order,), limit=count).query().model_copy(update={"show": (shown,)})

    yield from by_own(field for field in ratings if field in own)
    for figures in dict.fromkeys((*_figures_meant(c, rows), *_figures_of(c, rows.entity))):
        measure = figures.shown[0].measure
        if rows.period is not None and not (c.dated(figures.home) or c.default_date(figures.home, measure)):
            continue
        order = OrderBy(by=figures.shown[0], descending=direction > 0)
        for made in c.divided(figures, AboutEach(Dimension(entity=rows.entity), rows.entity)):
            assert isinstance(made.phrase, FigurePhrase)
            ranked = replace(made.phrase, order=(order,), limit=count, period=rows.period)
            narrowed = c.narrowed(ranked, rows.entity, rows.where) if rows.where else ()
            yield from (one.phrase.query() for one in narrowed if isinstance(one.phrase, FigurePhrase))
            if not rows.where:
                yield ranked.query()
    yield from by_own(field for field in own if field not in ratings)


def _figures_of_its_own(c: Composer, rows: RowsPhrase) -> Iterator[str]:
    """Its rating; what a thing itself has much of: its budget; its length or its stock only where nothing else tells how good it is."""
    if rows.by_adjective:  # the biggest bath: by what it measures
        yield from (name for name in c.sizes(rows.entity) if not _is_no_merit(_names_of(c, rows.entity, name)))
        return
    yield from c.ratings(rows.entity)
    alone = not any(_figures_of(c, rows.entity))
    for name in _own_figures(c, rows.entity):
        if alone or not (_is_physical(c, rows.entity, name) or _is_no_merit(_names_of(c, rows.entity, name))):
            yield name


def _names_of(c: Composer, entity: str, field: str) -> list[str]:
    return list(names_for(field, c.model.things[entity].fields[field].declared))


def _is_physical(c: Composer, entity: str, field: str) -> bool:
    """Whether a figure is a length, a weight or a time, which is no merit."""
    declared = c.model.things[entity].fields[field].declared
    known = unit_called(declared.unit) if declared is not None and declared.unit else None
    return known is not None and not known.is_currency


def _best_groups(c: Composer, few: FewGroups) -> Iterator[SemanticQuery]:
    """The top 3 products of a table of orders: by each of its figures, or by the number of orders."""
    assert isinstance(few.of, Attribute)
    home = few.of.entity
    shown = [Shown(measure=one.name) for one in c.model.things[home].measures.values() if one.confirmed]
    shown += [Shown(aggregate=Aggregate.SUM, field=f"{home}.{name}") for name in _added_up(c, home)]
    own = [FigurePhrase((one,), home) for one in (*shown, Shown(aggregate=Aggregate.COUNT, of=home))]
    for figures in (*own[:-1], *_figures_of(c, home), own[-1]):
        for made in c.join(few, Sorting(figures)):
            if isinstance(made.phrase, FigurePhrase):
                yield (made.phrase if few.count else replace(made.phrase, limit=None)).query()


def _added_up(c: Composer, entity: str) -> Iterator[str]:
    """Fields that add up, also those of which only some rows count."""
    for name, facts in c.model.things[entity].fields.items():
        if facts.can_be_added and (facts.declared is None or facts.declared.confirmed):
            yield name


def _figures_meant(c: Composer, rows: RowsPhrase) -> Iterator[FigurePhrase]:
    """The measures of just the rows that are named, as expenses are of expense accounts; then the one that rows of this kind stand for."""
    all_of_them = list(_all_figures_of(c, rows.entity))
    segments = [c.model.segments[one.segment][1] for one in rows.where if isinstance(one, InSegment) and not one.via]
    declared = c.model.things[rows.entity].declared
    for figures in all_of_them:
        measure = c.model.things[figures.home].measures.get(figures.shown[0].measure or "")
        if measure is not None and any(measure.where and measure.where == one.where for one in segments):
            yield figures
    for figures in all_of_them if declared is not None and declared.default_measure else ():
        if declared is not None and figures.shown[0].measure == declared.default_measure:
            yield figures


def _figures_of(c: Composer, entity: str) -> Iterator[FigurePhrase]:
    """The figures by which something may be the best: not by what was sent back, and not by what it costs."""
    for figures in _all_figures_of(c, entity):
        thing, shown = c.model.things[figures.home], figures.shown[0]
        names = list[str]()
        if shown.field:
            field = shown.field.rpartition(".")[2]
            names += names_for(field, thing.fields[field].declared)
        if shown.measure:
            names += names_for(shown.measure, thing.measures[shown.measure])
        if not _is_no_merit(names) and not _is_no_merit(names_for(thing.name, thing.declared)):
            yield figures


def _is_no_merit(names: Iterable[str]) -> bool:
    """Whether more of what is called so is not better: returns, costs."""
    return any((part,) in in_all_languages("not_best") for name in names for part in key_of(name))


def _all_figures_of(c: Composer, entity: str) -> Iterator[FigurePhrase]:
    """What the rows that belong to an entity's come to, and how many of them there are; the number stands among the first."""
    below = [name for name in c.model.things if name != entity and _belongs(c, name, entity)]
    dated = [name for name in below if c.dated(name) or c.default_date(name)]
    # What happened comes first, and of that the nearest: orders before their lines, both before a list of things.
    below.sort(key=lambda one: (one not in dated, len(c.model.ways(one, entity)[0])))
    amounts, numbers = list[FigurePhrase](), list[FigurePhrase]()
    for name in below:
        thing = c.model.things[name]
        measures = [one.name for one in thing.measures.values() if one.confirmed]
        amounts += [FigurePhrase((Shown(measure=one),), name) for one in measures]
        measured = {one.expression for one in thing.measures.values()}
        own = [field for field in _own_figures(c, name) if field not in measured]
        for field in own if len(measures) < _SEVERAL else ():  # several measures are what the owner goes by
            # How long the tracks of a genre are says how good it is only where nothing that happens does.
            if name in dated or not (dated or _is_physical(c, name, field)):
                amounts.append(FigurePhrase((Shown(aggregate=Aggregate.SUM, field=f"{name}.{field}"),), name))
        tells_levels = counts_people(thing) or thing.date_parts is not None
        named = thing.declared is not None and bool(thing.declared.label)
        several = not all(is_to_one(way) for way in c.model.ways(entity, name))  # not the one address of each
        if named and not tells_levels and several and len(c.model.ways(name, entity)[0]) == 1:
            numbers.append(FigurePhrase((Shown(aggregate=Aggregate.COUNT, of=name),), name))
    yield from (*amounts[:2], *numbers[:1], *amounts[2:], *numbers[1:])


def _belongs(c: Composer, name: str, entity: str) -> bool:
    ways = c.model.ways(name, entity)
    return len(ways) == 1 and bool(ways[0]) and is_to_one(ways[0])


def _own_figures(c: Composer, entity: str) -> Iterator[str]:
    """Figures of an entity that add up, which say how much of it there is; a price does not make a thing the best."""
    for name, facts in c.model.things[entity].fields.items():
        adds = facts.declared is not None and facts.additivity is Additivity.ADDITIVE and facts.declared.confirmed
        if adds and facts.column.type in NUMERIC:
            yield name


def _beyond(c: Composer, vague: VagueRows) -> Iterator[SemanticQuery]:
    """Large customers: those above the average of a figure, or all of them in its order."""
    rows, op = vague.rows, ">" if vague.direction > 0 else "<"
    if not vague.fields:
        yield from _beyond_figures(c, vague, op)
    for field in vague.fields:
        path = f"{rows.entity}.{field}"
        average = SemanticQuery(show=(Shown(aggregate=Aggregate.AVG, field=path),), of=rows.entity)
        beyond = rows.having(Comparison(field=path, op=op, value=average))
        counted = c.count(beyond) if vague.counted else None
        yield counted.query() if counted is not None else beyond.query()
    for field in vague.fields if not vague.counted else ():
        shown = Shown(field=f"{rows.entity}.{field}")
        order = OrderBy(by=shown, descending=vague.direction > 0)
        yield replace(rows, order=(order,)).query().model_copy(update={"show": (shown,)})


def _beyond_figures(c: Composer, vague: VagueRows, op: str) -> Iterator[SemanticQuery]:
    """Large orders, which have no figure of their own: those above the average of what belongs to them."""
    for figures in _figures_of(c, vague.rows.entity):
        for made in c.join(vague.rows, FigureBound(figures, op, only_those=True)):
            counted = c.count(made.phrase) if vague.counted and isinstance(made.phrase, RowsPhrase) else None
            if counted is not None:
                yield counted.query()
            elif isinstance(made.phrase, RowsPhrase) and not vague.counted:
                yield made.phrase.query()


def _fared(c: Composer, rows: RowsPhrase) -> Iterator[SemanticQuery]:
    """How did the Bern store do, how did the stores do: by each figure that says how good it is."""
    own = _figures_at_home(c, rows.entity) if rows.where and not rows.named else ()
    for figures in (*own, *_figures_of(c, rows.entity)):
        measure = figures.shown[0].measure
        if rows.period is not None and not (c.dated(figures.home) or c.default_date(figures.home, measure)):
            continue
        timed = replace(figures, period=rows.period)
        if rows.where:
            made = c.narrowed(timed, rows.entity, rows.where)
        else:
            made = c.divided(timed, AboutEach(Dimension(entity=rows.entity), rows.entity))
        yield from (one.phrase.query() for one in made if isinstance(one.phrase, FigurePhrase))


def _figures_at_home(c: Composer, entity: str) -> Iterator[FigurePhrase]:
    """The measures of rows that a value stands in, and how many they are: projects of a manager."""
    for measure in c.model.things[entity].measures.values():
        if measure.confirmed:
            yield FigurePhrase((Shown(measure=measure.name),), entity)
    yield FigurePhrase((Shown(aggregate=Aggregate.COUNT, of=entity),), entity)


def _all_in_all(c: Composer, period: QueryPeriod | None) -> Iterator[SemanticQuery]:
    """How did we do last year: by each measure of what happens over time, also by what it cost; then by how much of it there was."""
    things = [thing for thing in c.model.things.values() if not _is_no_merit(names_for(thing.name, thing.declared))]
    for thing in things:
        for measure in thing.measures.values():
            if measure.confirmed and c.default_date(thing.name, measure.name):
                yield FigurePhrase((Shown(measure=measure.name),), thing.name, period=period).query()
    for thing in things:
        if thing.default_date is not None and thing.declared is not None and thing.declared.label:
            counted = Shown(aggregate=Aggregate.COUNT, of=thing.name)
            yield FigurePhrase((counted,), thing.name, period=period).query()


def _best_period(c: Composer, noun: PeriodNoun, count: int | None, direction: Direction) -> Iterator[SemanticQuery]:
    """Our best month: by each measure of what happens over time."""
    for query in _all_in_all(c, noun.within.period if noun.within is not None else None):
        measure = c.model.things[query.of or ""].measures.get(query.show[0].measure or "")
        if measure is not None and _is_no_merit(names_for(measure.name, measure)):
            continue
        figures = FigurePhrase(query.show, query.of or "", period=query.period)
        for made in c.per(figures, noun.grain):
            if isinstance(made.phrase, FigurePhrase):
                order = (OrderBy(by=query.show[0], descending=direction > 0),)
                yield replace(made.phrase, order=order, limit=count or 1).query()


def _developed(c: Composer, figures: FigurePhrase) -> Iterator[SemanticQuery]:
    """How revenue developed: year by year, quarter by quarter, month by month."""
    plain = replace(figures, changes=False, grows=False)
    for grain in (Grain.YEAR, Grain.QUARTER, Grain.MONTH) if len(figures.shown) == 1 else ():
        for made in c.per(plain, grain):
            if isinstance(made.phrase, FigurePhrase):
                yield made.phrase.query()


def _average_per(c: Composer, figures: FigurePhrase) -> Iterator[SemanticQuery]:
    """The average revenue: per month, per row that it is added up from, or per row of what these belong to."""
    date = c.default_date(figures.home, figures.shown[0].measure)
    if date is not None:
        yield MeanFigure(replace(figures, by=()), Dimension(field=date, grain=Grain.MONTH)).query()
    ends = [step.end for step in c.model.steps[figures.home] if step.to_one and step.end != figures.home]
    for entity in dict.fromkeys((figures.home, *ends)):
        if entity == figures.home or _belongs(c, figures.home, entity):
            yield MeanFigure(replace(figures, by=()), Dimension(entity=entity)).query()
