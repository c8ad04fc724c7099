"""The query that a phrase over a whole question asks, and whether it can answer who."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import itemgetter

from pydantic import ValidationError

from veracity.semantic.graph import SemanticModel, is_to_one
from veracity.semantic.query import Aggregate, Comparison, Dimension, SemanticQuery, Shown, Transform, all_of, to_json
from veracity.semantic.reading import comparing_rules, quantity_rules, series_rules, share_rules
from veracity.semantic.reading.chart import ChartCell, Marks
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.figure_phrases import DaysPhrase, FigurePhrase, MeanFigure, ShareOf
from veracity.semantic.reading.joined_phrases import Edited
from veracity.semantic.reading.phrases import Attribute, Attributes, FieldsOfEach, Lookup, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.word_lists import is_person
from veracity.sources.source import NUMERIC


def agree(
    composer: Composer, found: ChartCell, fits: Callable[[SemanticQuery], bool] = lambda _: True
) -> tuple[SemanticQuery, ...]:
    """The different queries of the phrases that pass over the fewest preferences."""
    best: Marks | None = None
    agreed: dict[str, SemanticQuery] = {}
    for phrase, marks in sorted(found.items(), key=itemgetter(1)):
        if best is not None and marks > best:
            break
        for query in filter(fits, _finished(composer, phrase)):
            best = marks
            agreed.setdefault(query.canonical_json(), query)
    return tuple(agreed.values())


def asks(composer: Composer, phrase: Phrase, fits: Callable[[SemanticQuery], bool] = lambda _: True) -> bool:
    """Whether a phrase over the whole question is one."""
    return any(map(fits, _finished(composer, phrase)))


def may_answer_who(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether a query can answer who: not by a bare number of something else, such as the head of a department."""
    if not query.lists:
        return _tells_people(query, model) or query.compare is not None
    fields = [one.field for one in query.show if one.field and not one.via]
    numbers = bool(fields) and len(fields) == len(query.show) and all(_counts_or_dates(one, model) for one in fields)
    thing = model.things[query.of or ""]
    named = not all(_counts_or_dates(f"{thing.name}.{name}", model) for name in thing.display if name in thing.fields)
    return not numbers or (bool(query.order) and named) or is_person(thing)


def _tells_people(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether it is divided by more than dates and numbers: nobody is a date."""
    return any(one.field is None or not _counts_or_dates(one.field, model) for one in query.by)


def _counts_or_dates(path: str, model: SemanticModel) -> bool:
    entity, _, field = path.rpartition(".")
    facts = model.things[entity].fields[field]
    return facts.is_date or facts.column.type in NUMERIC


def _finished(composer: Composer, phrase: Phrase) -> Iterator[SemanticQuery]:
    """The queries that a phrase over the whole question may ask."""
    yield from (query for scope in _scopes(phrase) if (query := _finish(composer, scope)) is not None)


def _finish(composer: Composer, phrase: Phrase) -> SemanticQuery | None:
    """The query that a phrase over the whole question asks."""
    match phrase:
        case RowsPhrase(awaits=None, link=None, other=False, figure_word=False):
            # Beside the largest stands how large it is; beside the largest of each, of which.
            by = tuple(order.by for order in phrase.order if order.by.is_field and phrase.limit)
            beside = (*by, *_owners(composer.model, phrase), *(Shown(field=field.path) for field in phrase.also))
            return phrase.query().model_copy(update={"show": tuple(dict.fromkeys(beside))}).normalized()
        case Lookup() | FieldsOfEach(Lookup()):
            return _finish_lookup(composer, phrase.lookup if isinstance(phrase, FieldsOfEach) else phrase)
        case FigurePhrase() if _runs_nowhere(phrase) or series_rules.changes_nowhere(phrase):
            return None
        case FigurePhrase(direction=None, changes=False):
            return _without_whole_years(composer.model, phrase.query()).normalized()
        case DaysPhrase(said=True, bound=None, rows=RowsPhrase() as rows):
            return rows.query().model_copy(update={"show": (phrase.shown,)}).normalized()
        case ShareOf():
            part = share_rules.share_of_time(composer, phrase)
            return part.query().normalized() if part is not None else None
        case MeanFigure():
            return phrase.query().normalized()
        case RowFilter(before=True):
            return RowsPhrase(phrase.entity, where=phrase.where).query().normalized()
        case Attribute():
            return _finish_attribute(composer, phrase)
        case Edited():
            return _whole(phrase.query)
        case Attributes() if all(field.plain for field in phrase.fields):
            return SemanticQuery(by=tuple(Dimension(field=field.path) for field in phrase.fields)).normalized()
        case _:
            return None


def _owners(model: SemanticModel, rows: RowsPhrase) -> Iterator[Shown]:
    """What the rows are the first of, where their own key does not tell it."""
    for one in rows.per:
        end = one.entity or (one.field or "").rpartition(".")[0]
        if one.field and end == rows.entity:
            yield Shown(field=one.field, grain=one.grain)
            continue
        names = model.things[end].display if one.entity else ((one.field or "").rpartition(".")[2],)
        ways = model.ways(rows.entity, end)
        pointing = {own for way in ways if len(way) == 1 for hop in way[0].hops for own, _ in hop.keys}
        if ways and all(way and is_to_one(way) for way in ways) and not pointing <= set(model.things[rows.entity].key):
            yield from (Shown(field=f"{end}.{name}", via=one.via) for name in names)


def _without_whole_years(model: SemanticModel, query: SemanticQuery) -> SemanticQuery:
    """Per month of no period: without the rows that are about whole years."""
    parts = model.things[query.of or ""].date_parts
    month = f"{query.of}.{parts.month}" if parts and parts.month and parts.whole is not None else ""
    if not month or query.period is not None or all(one.field != month for one in query.by):
        return query
    real = Comparison(field=month, op="!=", value=parts.whole if parts else None)
    return query.model_copy(update={"where": all_of((query.where, real))})


def _finish_lookup(composer: Composer, lookup: Lookup) -> SemanticQuery | None:
    attribute = lookup.fields[0]
    added = composer.adds_up(attribute) or composer.may_add_up(attribute)
    if len(lookup.fields) == 1 and attribute.totals and attribute.plain and added and not lookup.rows.single:
        return _finish_total(composer, attribute, lookup.rows)  # the total cost of the admissions
    if lookup.asked and not lookup.rows.single:
        if attribute.entity != lookup.rows.entity or not composer.adds_up(attribute):
            return None
        return _finish_total(composer, attribute, lookup.rows)
    names, rows = tuple(field.field for field in lookup.fields), lookup.rows
    if lookup.distinct and not (rows.order or rows.limit or rows.named):
        by = tuple(Dimension(field=field.path) for field in lookup.fields)
        return SemanticQuery(by=by, where=all_of(rows.where), period=rows.period).normalized()
    if names == composer.model.things[lookup.rows.entity].display:
        return lookup.rows.query().normalized()
    shown_fields = tuple(Shown(field=field.path, unit=lookup.unit) for field in lookup.fields)
    return lookup.rows.query().model_copy(update={"show": shown_fields}).normalized()


def _finish_total(composer: Composer, attribute: Attribute, rows: RowsPhrase) -> SemanticQuery | None:
    """The sum of a field over rows; nothing where it is not their own, or where rows are asked for with a field beside."""
    if attribute.entity != rows.entity or rows.also:
        return None
    shown = Shown(aggregate=Aggregate.SUM, field=attribute.path)
    return composer.figure_of(shown, rows).query().normalized()


def _finish_attribute(composer: Composer, attribute: Attribute) -> SemanticQuery | None:
    if attribute.ranks and attribute.plain:
        return None  # the highest point of all, or that of each row: the words do not say
    if attribute.plain and (attribute.entity, attribute.field) in composer.truths:
        return None  # yes and no
    if attribute.plain and attribute.totals and composer.adds_up(attribute):
        return _finish_total(composer, attribute, RowsPhrase(attribute.entity))  # total sales, and no more
    if attribute.plain:
        return SemanticQuery(by=(Dimension(field=attribute.path),)).normalized()
    figure = composer.totalled(attribute, RowsPhrase(attribute.entity))
    return figure.query().normalized() if figure else None


def _scopes(phrase: Phrase) -> Iterator[Phrase]:
    """The largest cities in the states: of all of them, or of each; an average of all or of these; with those that have none."""
    yield phrase
    if isinstance(phrase, MeanFigure) and quantity_rules.counts_everyone(phrase):
        yield replace(phrase, everyone=True)
    if isinstance(phrase, RowsPhrase | FigurePhrase) and (among := comparing_rules.average_among(phrase.where)):
        yield replace(phrase, where=among)
    rows = phrase.rows if isinstance(phrase, Lookup) else phrase
    if isinstance(rows, RowsPhrase) and rows.within and rows.plural and rows.limit == 1 and not rows.per:
        each = replace(rows, per=(Dimension(entity=rows.within),))
        yield replace(phrase, rows=each) if isinstance(phrase, Lookup) else each


def _runs_nowhere(figures: FigurePhrase) -> bool:
    """Whether a running total is asked for, but not along what time."""
    running = any(one.transform is Transform.RUNNING_TOTAL for one in figures.shown)
    return running and sum(one.is_dated for one in figures.by) != 1


def _whole(query: SemanticQuery) -> SemanticQuery | None:
    """A changed query, where its parts still go together."""
    try:
        return SemanticQuery.model_validate(to_json(query)).normalized()
    except ValidationError:
        return None
