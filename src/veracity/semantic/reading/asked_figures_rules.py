"""Rules for the words around a figure: how much, in total, spread over; and for one that is said twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.language.units import unit_called
from veracity.ontology.fields import FieldRole
from veracity.semantic.checking.names import facts_of
from veracity.semantic.graph import is_to_one
from veracity.semantic.query import (
    Aggregate,
    Dimension,
    Shown,
)
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import (
    AGGREGATES,
    Composer,
    Rules,
    rule_book,
)
from veracity.semantic.reading.figure_phrases import FigurePhrase, MeanFigure, MeanOf, RatioOf, Sorting, TopFigure
from veracity.semantic.reading.joined_phrases import About, AboutEach, JoinedPhrase
from veracity.semantic.reading.phrases import Attribute, InField, JoiningWord, Lookup, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import Phrase, SaidPeriod
from veracity.semantic.reading.word_lists import in_all_languages, key_of

RULES: Rules = {}
rule = rule_book(RULES)


@rule(FigurePhrase, FigurePhrase)
def _figures_again(c: Composer, one: FigurePhrase, two: FigurePhrase) -> Iterator[MadePhrase]:
    """The VAT that we owe, what wages cost: the same measure said twice, once with what it is of."""
    if one.shown != two.shown or one.home != two.home or one.direction or two.direction:
        return
    if any(figures.by or figures.order or figures.compare or figures.changes for figures in (one, two)):
        return
    if one.period is not None and two.period is not None:
        return
    where = c.together(one.where, two.where)
    if where is not None:
        yield MadePhrase(replace(one, where=where, period=one.period or two.period, ends=one.ends or two.ends))


@rule(FigurePhrase, JoinedPhrase)
def _figures_of_again(c: Composer, figures: FigurePhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """The money in the bank."""
    if joined.kind == "again" and isinstance(joined.phrase, FigurePhrase):
        yield from _figures_again(c, figures, joined.phrase)


@rule(JoiningWord, JoinedPhrase)
def _word_again(c: Composer, word: JoiningWord, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """The development of account 1020; to bring it in; how much in the bank."""
    if (
        joined.kind == "again"
        and isinstance(joined.phrase, FigurePhrase)
        and word.kind in ("change", "growth", "how_much")
    ):
        yield from c.join(word, joined.phrase)


@rule(JoinedPhrase, InField)
@rule(JoinedPhrase, About)
def _spread_over(c: Composer, spread: JoinedPhrase, over: InField | About) -> Iterator[MadePhrase]:
    """How are the costs spread over the cost centres."""
    figures = spread.phrase
    if spread.kind != "spread" or not isinstance(figures, FigurePhrase):
        return
    if isinstance(over, InField):
        field = over.field
        yield from c.divided(figures, AboutEach(Dimension(field=field.path), field.entity))
    elif isinstance(over.rows, RowsPhrase) and over.rows.bare:
        yield from c.divided(figures, AboutEach(Dimension(entity=over.rows.entity), over.rows.entity))


@rule(SaidPeriod, JoinedPhrase)
def _when_again(c: Composer, when: SaidPeriod, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """What did we have at the end of 2023 in the bank."""
    if joined.kind == "again" and isinstance(joined.phrase, FigurePhrase):
        yield from c.join(when, joined.phrase)


@rule(JoiningWord, FigurePhrase)
def _word_figures(c: Composer, word: JoiningWord, figures: FigurePhrase) -> Iterator[MadePhrase]:
    shown = figures.shown[0]
    match word.kind:
        case "show" if word.first:
            yield MadePhrase(figures)
        case "how_many" if shown.measure and not (figures.limit or figures.having or _is_money(c, shown.measure)):
            yield MadePhrase(figures)  # how many employees is no revenue of the first of them
        case "how_many" if not (figures.limit or figures.having) and _is_number(c, figures):
            yield MadePhrase(figures)  # how many billable hours; how many matches they had in total; how many tickets
        case "how_much" if _is_computed(shown) and figures.limit is None:
            yield MadePhrase(figures)  # how high an average is; an amount is no number of rows
        case "aux" | "how_did" | "stood":
            yield MadePhrase(figures)
        case "ratio":
            yield MadePhrase(RatioOf(figures))
        case "to" | "and" | "comma":
            yield MadePhrase(JoinedPhrase("to" if word.kind == "to" else "and", figures))
        case "sum" if _sums(c, shown):
            yield MadePhrase(figures)
        case "avg" if shown.measure and c.model.measures[shown.measure][1].aggregate == "AVG":
            yield MadePhrase(figures)
        case "with" if figures.direction is not None:
            yield MadePhrase(TopFigure(figures))
        case "spread":
            yield MadePhrase(JoinedPhrase("spread", figures))
        case "by" | "ordered" if figures.direction is None and not figures.by:
            yield MadePhrase(Sorting(figures, ordered=word.kind == "ordered"))


def _is_computed(shown: Shown) -> bool:
    return bool(shown.measure or shown.field or shown.rows or shown.transform or shown.ratio)


def _adds_pieces(c: Composer, shown: Shown) -> bool:
    """Whether a figure is the sum of a quantity: hours, pieces."""
    if shown.aggregate is not Aggregate.SUM or shown.field is None:
        return False
    return facts_of(c.model, shown.field).role is FieldRole.QUANTITY


def _is_money(c: Composer, measure: str) -> bool:
    """Whether a measure is an amount of a currency: nobody asks how many of it there are."""
    unit = unit_called(c.model.measures[measure][1].unit or "")
    return unit is not None and unit.is_currency


@rule(JoiningWord, RowsPhrase)
def _total_rows(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Total payments: how many there are, or what they come to."""
    if word.kind != "sum" or rows.named or rows.limit is not None or (counted := c.count(rows)) is None:
        return
    said = key_of(word.text)
    if said in in_all_languages("counted"):
        return  # 订单总数 is how many orders there are
    amounts = c.is_called_amount(rows.entity) and c.summed_noun(rows)  # total cost is no number of rows
    if len(said) < 2 and said not in in_all_languages("sum_of_amounts") and not amounts:
        yield MadePhrase(counted)  # the total of the invoices, their sum: no number of them
    for name in c.model.things[rows.entity].fields:
        field = Attribute(rows.entity, name)
        if c.numeric(rows.entity, name) and (c.adds_up(field) or c.may_add_up(field)):
            yield MadePhrase(c.figure_of(Shown(aggregate=Aggregate.SUM, field=field.path), rows))


@rule(JoiningWord, FigurePhrase)
def _word_before_again(c: Composer, word: JoiningWord, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """In the bank, on rent: what a figure that was said before is of."""
    if word.kind in ("of", "in", "with", "genitive", "prep") and figures.shown[0].measure:
        yield MadePhrase(JoinedPhrase("again", figures))
        if word.first and word.kind == "with":  # with what balance did it start
            yield MadePhrase(figures)


@rule(JoiningWord, Lookup)
def _word_lookup(c: Composer, word: JoiningWord, lookup: Lookup) -> Iterator[MadePhrase]:
    if word.kind == "show" and word.first:
        yield MadePhrase(lookup)
    elif word.kind in AGGREGATES and len(lookup.fields) == 1 and not lookup.asked:
        attribute = replace(lookup.fields[0], aggregate=AGGREGATES[word.kind], unit=lookup.unit)
        if attribute.entity == lookup.rows.entity and (figure := c.aggregated(attribute, lookup.rows)):
            yield MadePhrase(figure)
    elif word.kind in ("how_many", "how_much") and len(lookup.fields) == 1:
        field = lookup.fields[0]
        many_of_money = word.kind == "how_many" and c.is_money(field.entity, field.field)
        if c.numeric(field.entity, field.field) and not many_of_money:  # how high a point is, is not what it is called
            yield MadePhrase(replace(lookup, asked=True))


@rule(Attribute, RowFilter)
def _average_there(c: Composer, attribute: Attribute, filtered: RowFilter) -> Iterator[MadePhrase]:
    """The average rent in Seattle, where what has a rent belongs to something there."""
    if attribute.aggregate is None or attribute.direction is not None or attribute.entity == filtered.entity:
        return
    ways = c.ways(attribute.entity, filtered.entity)
    figure = c.aggregated(attribute, RowsPhrase(attribute.entity))
    if figure is not None and filtered.is_value and not filtered.before and ways and all(map(is_to_one, ways)):
        yield from c.join(figure, filtered)


@rule(FigurePhrase, JoiningWord)
def _figures_word(c: Composer, figures: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    if not _says_no_more(c, figures, word):
        return
    if figures.compare is not None and figures.compare.claim and word.kind in ("how_much", "how_many"):
        figures = replace(figures, compare=figures.compare.model_copy(update={"claim": None}))  # how much more
    yield MadePhrase(figures)


def _says_no_more(c: Composer, figures: FigurePhrase, word: JoiningWord) -> bool:
    """Whether a word behind a figure only asks for it: revenue is how much, altogether."""
    match word.kind:
        case "how_much" | "how_many" if c.order.get("modifiers_before") and figures.shown[0].aggregate:
            return True  # the average temperature is how much
        case "how_much" | "how_many" | "aux" | "how_did":
            return _is_figure(figures)
        case "sum":
            return _sums(c, figures.shown[0])
        case "spread":
            return bool(figures.by)
        case "comma":
            return word.last
    return word.kind == "tail" and word.last


@rule(Attribute, JoiningWord)
@rule(Lookup, JoiningWord)
@rule(MeanOf, JoiningWord)
@rule(MeanFigure, JoiningWord)
def _is_how_much(c: Composer, asked: Phrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """The highest price is how much, in languages that put it so."""
    if word.kind not in ("how_much", "how_many") or not c.order.get("modifiers_before"):
        return
    if isinstance(asked, Attribute):
        if asked.aggregate is not None or asked.direction is not None:
            yield MadePhrase(replace(asked, behind=False))
    elif not isinstance(asked, Lookup) or asked.rows.single:
        yield MadePhrase(asked)


@rule(Lookup, JoiningWord)
def _lookup_word(c: Composer, lookup: Lookup, word: JoiningWord) -> Iterator[MadePhrase]:
    """The area of all states combined."""
    if word.kind in ("sum", "avg"):
        yield from _word_lookup(c, word, replace(lookup, asked=False))


def _is_number(c: Composer, figures: FigurePhrase) -> bool:
    """Whether it adds up pieces; or is the number of some of its own rows and no more."""
    counted = figures.shown == (Shown(aggregate=Aggregate.COUNT, of=figures.home),) and not figures.by
    return (counted and bool(figures.where)) or (
        (figures.where or not figures.by) and _adds_pieces(c, figures.shown[0])
    )


def _is_figure(figures: FigurePhrase) -> bool:
    """Whether how much may stand behind it: of a measure, a number of rows, or a comparison."""
    shown = figures.shown[0]
    return (
        bool(shown.measure or shown.ratio or figures.compare or figures.changes) or shown.aggregate is Aggregate.COUNT
    )


def _sums(c: Composer, shown: Shown) -> bool:
    if shown.measure:
        return c.model.measures[shown.measure][1].aggregate in ("SUM", "COUNT")
    return shown.aggregate is Aggregate.SUM
