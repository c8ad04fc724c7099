"""Rules for how an answer is laid out: in which order, several figures side by side, figures beside names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import Aggregate, Dimension, FigureComparison, OrderBy
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import AGGREGATES, Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, PeriodNoun, Sorting
from veracity.semantic.reading.figures_of_rows import DEFAULT_DATE
from veracity.semantic.reading.joined_phrases import About, AboutEach, CountedRows, JoinedPhrase
from veracity.semantic.reading.phrases import Attribute, Attributes, InField, JoiningWord, Lookup, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import SaidPeriod

RULES: Rules = {}
rule = rule_book(RULES)
_WAYS = {"ascending": False, "descending": True}


# --- in which order


@rule(JoiningWord, Sorting)
def _word_sorting(c: Composer, word: JoiningWord, sorting: Sorting) -> Iterator[MadePhrase]:
    """..., ordered by; and sorted by; descending by."""
    if word.kind in ("comma", "and"):
        yield MadePhrase(sorting)
    elif word.kind in _WAYS and sorting.descending is None:
        yield MadePhrase(replace(sorting, descending=_WAYS[word.kind]))


@rule(Sorting, JoiningWord)
def _sorting_said(c: Composer, sorting: Sorting, word: JoiningWord) -> Iterator[MadePhrase]:
    """Nach Betrag sortiert: the verb stands behind."""
    if word.kind == "ordered" and sorting.by is not None:
        yield MadePhrase(sorting)


@rule(JoiningWord, JoiningWord)
def _way_said(c: Composer, one: JoiningWord, two: JoiningWord) -> Iterator[MadePhrase]:
    """Absteigend sortiert; , descending."""
    if one.kind in _WAYS and two.kind == "ordered":
        yield MadePhrase(Sorting(None, _WAYS[one.kind]))
    elif one.kind == "comma" and two.kind in _WAYS:
        yield MadePhrase(Sorting(None, _WAYS[two.kind]))
    elif (one.kind, two.kind) in (("comma", "alphabetical"), ("alphabetical", "ordered")):
        yield MadePhrase(Sorting(None, False, named=True))


@rule(RowsPhrase, JoiningWord)
@rule(Lookup, JoiningWord)
def _rows_by_name(c: Composer, rows: RowsPhrase | Lookup, word: JoiningWord) -> Iterator[MadePhrase]:
    """The patients in alphabetical order."""
    if word.kind == "alphabetical":
        yield from c.join(rows, Sorting(None, False, named=True))


@rule(FigurePhrase, JoiningWord)
def _figures_way(c: Composer, figures: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Revenue per shop, descending: by the revenue."""
    if word.kind in _WAYS:
        yield from _figures_sorted(c, figures, Sorting(None, _WAYS[word.kind]))


@rule(FigurePhrase, Sorting)
def _figures_sorted(c: Composer, figures: FigurePhrase, sorting: Sorting) -> Iterator[MadePhrase]:
    """... ordered from highest to lowest; ordered by the average grade, which is what is shown."""
    if not figures.by or figures.order or len(figures.shown) != 1 or figures.changes or figures.compare:
        return
    by = sorting.by
    if sorting.named:
        return  # by the names of what it is divided by
    if isinstance(by, Attribute):
        same = c.totalled(replace(by, asked=by.asked or by.plain), RowsPhrase(by.entity))
        if same is None or same.shown != figures.shown:
            return
    elif by is not None or sorting.descending is None:
        return
    order = OrderBy(by=figures.shown[0], descending=sorting.descending is not False)
    yield MadePhrase(replace(figures, order=(order,)))


@rule(Lookup, Sorting)
def _lookup_sorted(c: Composer, lookup: Lookup, sorting: Sorting) -> Iterator[MadePhrase]:
    """The names of the patients in Basel, ordered by last name."""
    if lookup.asked or lookup.rows.order or lookup.rows.named:
        return
    for made in c.join(lookup.rows, sorting):
        if isinstance(made.phrase, RowsPhrase) and made.phrase.limit is None:
            yield MadePhrase(replace(lookup, rows=made.phrase), made.marks)


@rule(AboutEach, JoiningWord)
def _each_comma(c: Composer, each: AboutEach, word: JoiningWord) -> Iterator[MadePhrase]:
    """For each city, how many patients."""
    if word.kind == "comma":
        yield MadePhrase(each)


@rule(JoiningWord, PeriodNoun)
def _each_period(c: Composer, word: JoiningWord, noun: PeriodNoun) -> Iterator[MadePhrase]:
    """In each year."""
    if word.kind == "each" and not word.first and noun.within is None and not noun.placed:
        yield MadePhrase(AboutEach(Dimension(field=DEFAULT_DATE, grain=noun.grain), ""))


# --- several figures side by side


@rule(JoiningWord, JoinedPhrase)
def _one_more_aggregate(c: Composer, word: JoiningWord, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """The maximum, minimum and average salary: the field stands behind the last of them."""
    if word.kind not in AGGREGATES or joined.kind != "and":
        return
    told = joined.phrase
    fields = told.fields if isinstance(told, Attributes) else (told,) if isinstance(told, Attribute) else ()
    if not fields or any(one.aggregate is None or one.path != fields[0].path for one in fields):
        return
    first = replace(fields[0], aggregate=AGGREGATES[word.kind])
    if first not in fields:
        yield MadePhrase(Attributes((first, *fields)))


@rule(JoiningWord, Attributes)
def _and_aggregates(c: Composer, word: JoiningWord, attributes: Attributes) -> Iterator[MadePhrase]:
    """..., minimum and average salary."""
    if word.kind in ("comma", "and") and all(one.aggregate is not None for one in attributes.fields):
        yield MadePhrase(JoinedPhrase("and", attributes))


@rule(FigurePhrase, JoinedPhrase)
def _figure_and_aggregate(c: Composer, figures: FigurePhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """For each clinic, the total fee and the average fee; how many of them there were and their total, of the same rows."""
    other = joined.phrase
    if joined.kind != "and" or not isinstance(other, Attribute) or other.aggregate is None or not figures.by:
        return
    said = (figures.order, figures.limit, figures.direction, figures.compare, figures.changes, figures.grows)
    more = c.totalled(other, RowsPhrase(other.entity))
    if more is not None and more.home == figures.home and not any(said) and more.shown[0] not in figures.shown:
        yield MadePhrase(replace(figures, shown=(*figures.shown, *more.shown)))


@rule(FigurePhrase, JoinedPhrase)
def _figures_per_same(c: Composer, figures: FigurePhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """The number of visits and the total fee per clinic: both of each."""
    other = joined.phrase
    if joined.kind != "and" or not isinstance(other, FigurePhrase) or not other.by or figures.by:
        return
    said = (figures.where, figures.period, figures.order, figures.limit, figures.direction, figures.compare)
    if figures.home == other.home and not any(said) and not (figures.changes or other.order or other.limit):
        yield MadePhrase(replace(other, shown=tuple(dict.fromkeys((*figures.shown, *other.shown)))))


@rule(Attribute, JoinedPhrase)
def _total_and_number(c: Composer, attribute: Attribute, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """Repair cost and number of repairs per vessel: what they come to, and how many they are."""
    other = joined.phrase
    plain = attribute.plain and c.adds_up(attribute) and joined.kind == "and" and isinstance(other, FigurePhrase)
    total = c.totalled(replace(attribute, asked=True), RowsPhrase(attribute.entity)) if plain else None
    if total is not None and isinstance(other, FigurePhrase) and other.home == total.home and other.by:
        yield from c.join(total, joined)


@rule(JoiningWord, FigurePhrase)
def _with_number(c: Composer, word: JoiningWord, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """..., with the number of repairs."""
    shown, plain = figures.shown[0], len(figures.shown) == 1 and not (figures.by or figures.where or figures.period)
    if word.kind == "with" and not word.owns and plain and shown.of == figures.home and figures.direction is None:
        yield MadePhrase(JoinedPhrase("with_number", figures))


@rule(FigurePhrase, JoinedPhrase)
def _beside_number(c: Composer, figures: FigurePhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """Repair cost per vessel with the number of repairs."""
    other = joined.phrase
    if joined.kind != "with_number" or not isinstance(other, FigurePhrase) or other.home != figures.home:
        return
    said = (figures.limit, figures.direction, figures.compare, figures.changes, figures.grows, figures.having)
    if figures.by and not any(said) and other.shown[0] not in figures.shown:
        yield MadePhrase(replace(figures, shown=(*figures.shown, *other.shown)))


@rule(Attributes, RowFilter)
@rule(Attributes, SaidPeriod)
def _aggregates_there(c: Composer, attributes: Attributes, place: RowFilter | SaidPeriod) -> Iterator[MadePhrase]:
    """The maximum GNP and the average life expectancy in Asia, the average and the highest score in 2024."""
    rows = RowsPhrase(attributes.fields[0].entity)
    said = [one for one in attributes.fields if one.aggregate is not None or one.direction is not None]
    figures = [c.aggregated(one, rows) for one in said]
    own = all(one.entity == rows.entity for one in attributes.fields)
    first = figures[0] if own and len(figures) == len(attributes.fields) else None
    if first is None or not all(figures) or (isinstance(place, RowFilter) and (not place.is_value or place.before)):
        return
    shown = tuple(one for figure in figures if figure for one in figure.shown)
    yield from c.join(replace(first, shown=shown), place)


@rule(Attributes, About)
def _aggregates_of(c: Composer, attributes: Attributes, about: About) -> Iterator[MadePhrase]:
    """The maximum and minimum salary of the instructors in Music."""
    rows = about.rows
    computed = all(one.aggregate is not None for one in attributes.fields)
    if not computed or about.kind not in ("of", "in") or about.negated or not isinstance(rows, RowsPhrase):
        return
    for made in c.look_up(attributes.fields[0], rows):
        figure = made.phrase
        if isinstance(figure, FigurePhrase) and len(figure.shown) == 1 and figure.shown[0].field is not None:
            shown = tuple(
                figure.shown[0].model_copy(update={"field": one.path, "aggregate": one.aggregate})
                for one in attributes.fields
            )
            if all(one.entity == attributes.fields[0].entity for one in attributes.fields):
                yield MadePhrase(replace(figure, shown=shown), made.marks)


# --- figures beside names


@rule(RowsPhrase, JoinedPhrase)
@rule(Lookup, JoinedPhrase)
def _names_and_figure(c: Composer, named: RowsPhrase | Lookup, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """The names of the clubs and the number of students in each club."""
    figures = joined.phrase
    rows = named.rows if isinstance(named, Lookup) else named
    if joined.kind != "and" or not isinstance(figures, FigurePhrase) or figures.order or figures.limit:
        return
    if not rows.bare or rows.named or rows.also or [one.entity for one in figures.by] != [rows.entity]:
        return
    fields = named.fields if isinstance(named, Lookup) else ()
    if any(one.entity != rows.entity or not one.plain for one in fields):
        return
    display = c.model.things[rows.entity].display
    more = tuple(Dimension(field=one.path) for one in fields if one.field not in display)
    yield MadePhrase(replace(figures, by=(*figures.by, *more)))


@rule(Lookup, RowFilter)
@rule(Lookup, About)
def _names_narrowed(c: Composer, named: Lookup, right: RowFilter | About) -> Iterator[MadePhrase]:
    """Business names in Bern: the businesses there."""
    names = tuple(one.field for one in named.fields)
    if named.asked or not named.rows.bare or names != c.model.things[named.rows.entity].display:
        return
    if isinstance(right, About) and right.kind != "in":
        return
    for made in c.join(named.rows, right):
        if isinstance(made.phrase, RowsPhrase) and made.phrase.entity == named.rows.entity:
            yield MadePhrase(replace(named, rows=made.phrase), made.marks)


@rule(FigurePhrase, JoiningWord)
def _each_has(c: Composer, figures: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """How many rooms does each hotel have."""
    counted = figures.shown[0].aggregate is Aggregate.COUNT and len(figures.by) == 1 and figures.by[0].entity
    if word.kind == "with" and word.owns and word.last and counted and not figures.order:
        yield MadePhrase(figures)


# --- values that several rows have


@rule(Attribute, About)
@rule(InField, CountedRows)
def _values_counted(c: Composer, left: Attribute | InField, right: About | CountedRows) -> Iterator[MadePhrase]:
    """Cities with more than one hotel; in which cities there are more than two of them."""
    attribute = left.field if isinstance(left, InField) else left
    counted = right.rows if isinstance(right, About) else right
    if isinstance(right, About) and (right.kind != "with" or right.negated):
        return
    if not isinstance(counted, CountedRows) or not counted.number or counted.most is not None:
        return
    figures = c.count(counted.rows) if attribute.plain and not c.numeric(attribute.entity, attribute.field) else None
    each = AboutEach(Dimension(field=attribute.path), attribute.entity)
    for made in c.divided(figures, each) if figures is not None else ():
        assert isinstance(made.phrase, FigurePhrase)
        bound = FigureComparison.model_validate(
            {"show": made.phrase.shown[0], "op": counted.op, "value": counted.number}
        )
        yield MadePhrase(replace(made.phrase, having=(bound,)), made.marks)


# --- participles that say again what the rows are


@rule(Attribute, Attribute)
def _amount_happened(c: Composer, amount: Attribute, happened: Attribute) -> Iterator[MadePhrase]:
    """The quantity prescribed, where each row is a prescription and that is its date."""
    own = amount.entity == happened.entity and happened.plain and c.own_date(happened.entity) == [happened.field]
    if own and amount.aggregate is Aggregate.SUM and c.default_date(happened.entity) == happened.path:
        yield MadePhrase(amount)
