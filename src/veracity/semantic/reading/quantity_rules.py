"""Rules for how many and which ones: neither, both, only, the most common, the newest, averages per group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import (
    Aggregate,
    AnyOf,
    Comparison,
    Dimension,
    OrderBy,
    Related,
    all_of,
)
from veracity.semantic.reading.chart import DEFAULT_FIGURE, MadePhrase
from veracity.semantic.reading.comparison_phrases import Commonest, Comparative, HowAdjective, Superlative
from veracity.semantic.reading.compose import AGGREGATES, Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, MeanFigure, MeanOf
from veracity.semantic.reading.joined_phrases import (
    About,
    AboutEach,
    CountedRows,
    HalfPhrase,
    JoinedPhrase,
    MostRows,
    QuantifiedRows,
    Verb,
)
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Lookup, Role, RowFilter, RowsPhrase
from veracity.semantic.reading.related_rows import negated, not_even_stored
from veracity.semantic.reading.said_phrases import Phrase, SaidNumber, SaidPeriod

RULES: Rules = {}
rule = rule_book(RULES)


# --- neither and nor, both and and


@rule(JoiningWord, RowsPhrase)
@rule(JoiningWord, RowFilter)
@rule(JoiningWord, About)
def _half(c: Composer, word: JoiningWord, half: RowsPhrase | RowFilter | About) -> Iterator[MadePhrase]:
    if word.kind in ("neither", "nor", "also") or (word.kind == "both" and isinstance(half, About)):
        yield MadePhrase(HalfPhrase(word.kind, half))


@rule(HalfPhrase, HalfPhrase)
def _halves(c: Composer, left: HalfPhrase, right: HalfPhrase) -> Iterator[MadePhrase]:
    kinds = (left.kind, right.kind)
    if kinds == ("neither", "nor"):
        yield from _neither(c, left.phrase, right.phrase)
    elif kinds == ("both", "also"):
        for rows, about in _named_pair(c, left.phrase, right.phrase):
            both = QuantifiedRows(rows, only=False)
            yield MadePhrase(replace(about, rows=both) if about else both)


def _neither(c: Composer, left: Phrase, right: Phrase) -> Iterator[MadePhrase]:
    """Neither from Bern nor from Zug; neither Texas nor Ohio."""
    if isinstance(left, RowFilter) and isinstance(right, RowFilter) and left.entity == right.entity:
        if len(right.where) > len(left.where):
            return  # neither dogs nor cats and over 2 kg: what follows is said of the whole
        parts = tuple(x for x in (all_of(left.where), all_of(right.where)) if x is not None)
        yield MadePhrase(RowFilter(left.entity, (negated((AnyOf(conditions=parts),)),), free=True))
    if isinstance(left, RowFilter) and isinstance(right, RowsPhrase) and left.entity == right.entity:
        parts = tuple(x for x in (all_of(left.where), all_of(right.where)) if x is not None)
        if len(parts) == 2 and left.before and not (right.named or right.order or right.period or right.edge):
            either = RowsPhrase(left.entity, where=(AnyOf(conditions=parts),))  # neither open nor refunded sales
            yield MadePhrase(CountedRows(either, "=", 0))
    for rows, about in _named_pair(c, left, right):
        none = CountedRows(replace(rows, each=()), "=", 0)
        yield MadePhrase(replace(about, rows=none) if about else none)


def _named_pair(c: Composer, left: Phrase, right: Phrase) -> Iterator[tuple[RowsPhrase, About | None]]:
    """Two names of one entity as one phrase, with the preposition that both have."""
    about = left if isinstance(left, About) else None
    if isinstance(left, About) and isinstance(right, About):
        if (left.kind, left.word, left.negated) != (right.kind, right.word, False):
            return
        left, right = left.rows, right.rows
    if isinstance(left, RowsPhrase) and isinstance(right, RowsPhrase):
        for made in c.join(left, JoinedPhrase("and", right)):
            if isinstance(made.phrase, RowsPhrase) and made.phrase.each:
                yield made.phrase, about


@rule(JoiningWord, RowsPhrase)
def _quantified(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Both Texas and Ohio; only Texas."""
    if word.kind == "both" and rows.each:
        yield MadePhrase(QuantifiedRows(rows, only=False))
    elif word.kind == "only" and rows.where and not (rows.each or rows.order or rows.period or rows.link):
        yield MadePhrase(QuantifiedRows(rows, only=True))


@rule(JoiningWord, RowFilter)
def _quantified_values(c: Composer, word: JoiningWord, values: RowFilter) -> Iterator[MadePhrase]:
    """Only checkups; both checkups and emergencies."""
    only = values.where[0] if len(values.where) == 1 else None
    if not values.is_value or not isinstance(only, Comparison):
        return
    rows = RowsPhrase(values.entity, where=values.where)
    if word.kind == "only":
        yield MadePhrase(QuantifiedRows(rows, only=True))
    elif word.kind == "both" and isinstance(only.value, tuple):
        each = tuple((Comparison(field=only.field, value=value),) for value in only.value)
        yield MadePhrase(QuantifiedRows(replace(rows, each=each), only=False))


@rule(JoiningWord, About)
def _quantified_about(c: Composer, word: JoiningWord, about: About) -> Iterator[MadePhrase]:
    """Only through Colorado."""
    if about.kind != "without" and isinstance(about.rows, RowsPhrase) and not about.negated:
        for made in _quantified(c, word, about.rows):
            assert isinstance(made.phrase, QuantifiedRows)
            yield MadePhrase(replace(about, rows=made.phrase))


@rule(JoiningWord, QuantifiedRows)
def _word_quantified(c: Composer, word: JoiningWord, rows: QuantifiedRows) -> Iterator[MadePhrase]:
    if word.kind in ("of", "in", "with", "prep"):
        yield MadePhrase(About(word.text, word.kind, rows, first=word.first))


@rule(JoiningWord, CountedRows)
def _only_counted(c: Composer, word: JoiningWord, counted: CountedRows) -> Iterator[MadePhrase]:
    """Only one state."""
    if word.kind == "only" and counted.op == "=" and counted.number:
        yield MadePhrase(counted)


@rule(Comparative, About)
def _at_least_with(c: Composer, more: Comparative, about: About) -> Iterator[MadePhrase]:
    """At least has two invoices, as some languages put it."""
    counted = about.rows
    if isinstance(counted, CountedRows) and counted.op == "=" and not more.fields and about.kind == "with":
        yield MadePhrase(replace(about, rows=replace(counted, op=more.op)))


@rule(JoiningWord, RowFilter)
def _those(c: Composer, word: JoiningWord, filtered: RowFilter) -> Iterator[MadePhrase]:
    """Except those from the USA."""
    if word.kind == "those":
        yield MadePhrase(replace(filtered, before=False, is_value=False))


@rule(RowFilter, JoiningWord)
def _except_end(c: Composer, filtered: RowFilter, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind == "except_end":
        yield MadePhrase(filtered)


@rule(RowFilter, JoiningWord)
def _filter_comes(c: Composer, filtered: RowFilter, word: JoiningWord) -> Iterator[MadePhrase]:
    """Aus Bern kommen."""
    if word.kind == "comes_from" and c.order.get("verb_last") and not filtered.before:
        yield MadePhrase(filtered)


@rule(JoiningWord, RowFilter)
def _kind_rows(c: Composer, word: JoiningWord, kind: RowFilter) -> Iterator[MadePhrase]:
    """With emergencies, no emergency: rows that have this value."""
    rows = RowsPhrase(kind.entity, where=kind.where)
    if word.kind == "none" and kind.is_value:
        yield MadePhrase(CountedRows(rows, "=", 0))
    elif word.kind in ("with", "without") and (kind.noun or (word.kind == "with" and _happens(c, kind))):
        yield MadePhrase(About(word.text, word.kind, rows))
    elif word.kind == "without" and kind.is_value:  # patients without a stroke
        yield MadePhrase(RowFilter(kind.entity, (not_even_stored(kind.where),), may_be=kind.may_be))


def _happens(c: Composer, kind: RowFilter) -> bool:
    """Whether a value is that of rows with a day: had a surgery in 2024."""
    return kind.is_value and c.dated(kind.entity)


@rule(JoiningWord, Verb)
def _only_verb(c: Composer, word: JoiningWord, verb: Verb) -> Iterator[MadePhrase]:
    """Only run through."""
    if word.kind == "only" and not verb.only:
        yield MadePhrase(replace(verb, only=True))


@rule(QuantifiedRows, RowsPhrase)
def _quantified_before(c: Composer, quantified: QuantifiedRows, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Patients with only checkups, in languages that put it before the noun."""
    if c.order.get("modifiers_before") and not rows.named:
        yield from c.join(rows, About("", "with", quantified))


@rule(JoiningWord, JoiningWord)
def _one_of_two_words(c: Composer, one: JoiningWord, two: JoiningWord) -> Iterator[MadePhrase]:
    """Have never had; der Durchschnitt."""
    if one.kind == "without" and two.kind == "with":
        yield MadePhrase(one)
    elif one.kind == "genitive" and two.kind == "avg":
        yield MadePhrase(two)


@rule(JoiningWord, RowsPhrase)
def _by_name(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Albums by U2."""
    if word.kind == "passive" and rows.named:
        yield MadePhrase(About(word.text, "of", rows))


# --- verbs at the end


@rule(Verb, JoiningWord)
def _verb_aux(c: Composer, verb: Verb, word: JoiningWord) -> Iterator[MadePhrase]:
    """Gekauft haben."""
    if word.kind == "aux_last":
        yield MadePhrase(verb)


@rule(JoiningWord, Verb)
def _anything_verb(c: Composer, word: JoiningWord, verb: Verb) -> Iterator[MadePhrase]:
    """Etwas gekauft."""
    if word.kind == "anything" and c.order.get("verb_last"):
        yield from c.join(verb, word)


@rule(RowsPhrase, Verb)
def _object_verb(c: Composer, rows: RowsPhrase, verb: Verb) -> Iterator[MadePhrase]:
    """Eine Rechnung bezahlt."""
    if c.order.get("verb_last"):
        yield from c.join(verb, rows)


@rule(About, JoiningWord)
def _about_aux(c: Composer, about: About, word: JoiningWord) -> Iterator[MadePhrase]:
    """Noch nie einen Termin hatten."""
    if word.kind == "aux_last" and about.kind in ("with", "without"):
        yield MadePhrase(about)


@rule(CountedRows, JoiningWord)
@rule(QuantifiedRows, JoiningWord)
@rule(MostRows, JoiningWord)
def _rows_had(c: Composer, rows: CountedRows | QuantifiedRows | MostRows, word: JoiningWord) -> Iterator[MadePhrase]:
    """Mehr als zwei Rechnungen haben."""
    if word.kind == "aux_last":
        yield MadePhrase(About(word.text, "with", rows))


@rule(AboutEach, Verb)
def _each_verb(c: Composer, each: AboutEach, verb: Verb) -> Iterator[MadePhrase]:
    """How many customers does each employee support."""
    for start, name, wanted in verb.steps:
        if start == each.entity and not wanted and each.dimension.entity and each.role is None:
            back, step = c.back(start, name), c.step(start, name)
            if back is not None and step is not None:
                yield MadePhrase(replace(each, role=(step.end, back.name)))


# --- the most common, the newest, the second longest


@rule(JoiningWord, Attribute)
@rule(JoiningWord, RowsPhrase)
@rule(JoiningWord, Lookup)
def _commonest(c: Composer, word: JoiningWord, what: Attribute | RowsPhrase | Lookup) -> Iterator[MadePhrase]:
    if word.kind not in ("commonest", "rarest"):
        return
    if isinstance(what, Lookup):  # the kind of the visits
        if not what.rows.bare or len(what.fields) != 1 or what.fields[0].entity != what.rows.entity:
            return
        what = what.fields[0]
    bare = what.plain if isinstance(what, Attribute) else what.bare and not what.edge
    if bare:
        yield MadePhrase(Commonest(what, 1 if word.kind == "commonest" else -1))


@rule(Commonest, About)
def _commonest_about(c: Composer, common: Commonest, about: About) -> Iterator[MadePhrase]:
    """The most common kind of visits; of the tracks."""
    rows, what = about.rows, common.what
    if about.kind not in ("of", "in") or about.negated or not isinstance(rows, RowsPhrase) or rows.named:
        return
    if isinstance(what, Attribute) and what.entity != rows.entity:
        return
    counted = c.count(rows)
    each = _each(what)
    for made in c.divided(counted, each) if counted is not None else ():
        assert isinstance(made.phrase, FigurePhrase)
        order = OrderBy(by=made.phrase.shown[0], descending=common.direction > 0)
        yield MadePhrase(replace(made.phrase, order=(order,), limit=common.count), made.marks)


@rule(Attribute, JoiningWord)
@rule(RowsPhrase, JoiningWord)
def _is_commonest(c: Composer, what: Attribute | RowsPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Which genre is the most common; what was returned most often is no day."""
    if word.last and not (isinstance(what, Attribute) and c.is_date(what)):
        yield from _commonest(c, word, what)


@rule(SaidNumber, Commonest)
def _several_commonest(c: Composer, number: SaidNumber, common: Commonest) -> Iterator[MadePhrase]:
    """The three most common genres."""
    whole = number.value == number.value.to_integral_value() and 1 <= number.value <= 1000
    if whole and number.dimension is None and common.count == 1:
        yield MadePhrase(replace(common, count=int(number.value)))


def _each(what: Attribute | RowsPhrase) -> AboutEach:
    dimension = Dimension(field=what.path) if isinstance(what, Attribute) else Dimension(entity=what.entity)
    return AboutEach(dimension, what.entity)


@rule(JoiningWord, RowsPhrase)
def _first_rows(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """The first invoice."""
    if word.kind == "ordinal" and word.text == "1" and not rows.plural:
        yield from c.join(Superlative(-1, adjective="first", dated=True), rows)


@rule(JoiningWord, HowAdjective)
def _ordinal_adjective(c: Composer, word: JoiningWord, adjective: HowAdjective) -> Iterator[MadePhrase]:
    """第二长: the second longest, in a language whose adjectives have no degrees there."""
    if word.kind == "ordinal" and c.order.get("modifiers_before"):
        skip = int(word.text) - 1
        yield MadePhrase(Superlative(adjective.direction, "second", skip=skip, fields=adjective.fields))


# --- averages per group


@rule(JoiningWord, FigurePhrase)
def _mean_of(c: Composer, word: JoiningWord, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Average revenue, average number of visits: of what groups must still be said."""
    said = (figures.order, figures.compare, figures.direction, figures.having, figures.changes)
    shown = figures.shown[0]
    adds = shown.of is not None or (shown.measure and c.model.measures[shown.measure][1].aggregate in ("SUM", "COUNT"))
    means = word.kind in ("avg", "median") and "typisch" not in word.text and "typical" not in word.text
    if not means or any(said) or len(figures.shown) != 1 or not adds or shown.transform is not None:
        return
    if not figures.by:
        yield MadePhrase(MeanOf(figures, AGGREGATES[word.kind]))
    elif len(figures.by) == 1 and figures.by[0].is_dated:  # average monthly revenue
        yield MadePhrase(MeanFigure(replace(figures, by=()), figures.by[0], aggregate=AGGREGATES[word.kind]))


@rule(FigurePhrase, JoiningWord)
def _figures_on_average(c: Composer, figures: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """How high are the expenses on average."""
    if word.kind == "avg" and " " in word.text:
        yield from _mean_of(c, word, figures)


@rule(JoiningWord, MeanOf)
def _how_high_on_average(c: Composer, word: JoiningWord, mean: MeanOf) -> Iterator[MadePhrase]:
    """How high is the average revenue."""
    if word.kind == "how_much":
        yield MadePhrase(mean)


@rule(MeanOf, AboutEach, either_way=True)
def _mean_per(c: Composer, mean: MeanOf, each: AboutEach) -> Iterator[MadePhrase]:
    if each.more or each.kind == "by":
        return
    for made in c.divided(mean.figures, each):
        divided = made.phrase
        assert isinstance(divided, FigurePhrase)
        yield MadePhrase(MeanFigure(replace(divided, by=()), divided.by[0], aggregate=mean.aggregate), made.marks)


@rule(MeanOf, About)
@rule(MeanFigure, About)
@rule(MeanOf, RowFilter)
@rule(MeanFigure, RowFilter)
@rule(MeanOf, SaidPeriod)
@rule(MeanFigure, SaidPeriod)
@rule(SaidPeriod, MeanFigure)
def _mean_narrowed(c: Composer, left: Phrase, right: Phrase) -> Iterator[MadePhrase]:
    """Average revenue per customer in Germany in 2024."""
    mean, more = (right, left) if isinstance(right, MeanFigure) else (left, right)
    assert isinstance(mean, MeanOf | MeanFigure)
    for made in c.join(mean.figures, more):
        if isinstance(made.phrase, FigurePhrase) and made.phrase.shown == mean.figures.shown and not made.phrase.by:
            yield MadePhrase(replace(mean, figures=made.phrase), made.marks)


@rule(JoiningWord, MeanFigure)
def _word_mean(c: Composer, word: JoiningWord, mean: MeanFigure) -> Iterator[MadePhrase]:
    if (word.kind == "show" and word.first) or word.kind == "how_much":
        yield MadePhrase(mean)


def counts_everyone(mean: MeanFigure) -> bool:
    """Whether rows without any may count, too: where all conditions are about the rows that it is averaged over."""
    entity = mean.over.entity if mean.aggregate is Aggregate.AVG else None
    if entity is None or entity == mean.figures.home or mean.figures.period is not None:
        return False
    return all(isinstance(one, Related) and one.related.of == entity and not one.count for one in mean.figures.where)


# --- per role, per two things


@rule(JoiningWord, Role)
def _per_role(c: Composer, word: JoiningWord, role: Role) -> Iterator[MadePhrase]:
    """Per treating doctor."""
    if word.kind in ("each", "per", "by"):
        each = AboutEach(Dimension(entity=role.end), role.end, word.kind, role=(role.start, role.step))
        yield MadePhrase(each)


@rule(AboutEach, JoinedPhrase)
def _each_and(c: Composer, each: AboutEach, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """Per customer and year, per year and country."""
    other = joined.phrase
    if joined.kind != "and":
        return
    if isinstance(other, RowsPhrase) and other.bare and not (other.named or other.edge or other.other):
        other = AboutEach(Dimension(entity=other.entity), other.entity, each.kind)
    elif isinstance(other, Attribute) and other.plain:
        other = AboutEach(Dimension(field=other.path), other.entity, each.kind)
    if isinstance(other, AboutEach) and other.dimension != each.dimension:
        yield MadePhrase(replace(each, more=(*each.more, other)))


@rule(JoiningWord, AboutEach)
def _and_each(c: Composer, word: JoiningWord, each: AboutEach) -> Iterator[MadePhrase]:
    if word.kind == "and":
        yield MadePhrase(JoinedPhrase("and", each))


@rule(AboutEach, RowsPhrase)
def _monthly_rows(c: Composer, each: AboutEach, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Monthly loans: their number."""
    if each.dimension.grain is not None and not each.more:
        yield from _rows_per(c, rows, each)


@rule(RowsPhrase, AboutEach)
def _rows_per(c: Composer, rows: RowsPhrase, each: AboutEach) -> Iterator[MadePhrase]:
    """Visits per doctor: their number."""
    plain = each.kind in ("per", "by") and not (rows.named or rows.order or rows.limit or rows.link)
    figure = c.count(rows) if plain else None
    for made in c.divided(figure, each) if figure is not None else ():
        yield MadePhrase(made.phrase, made.marks if each.kind == "per" else (*made.marks, DEFAULT_FIGURE))
