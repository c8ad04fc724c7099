"""Rules for verbs of money: who spent the most, how much somebody paid, what a course brought in, what sold best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import Comparison
from veracity.semantic.reading.chart import STEP, MadePhrase
from veracity.semantic.reading.comparison_phrases import FigureBound, OpenBound, Superlative
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, TopFigure
from veracity.semantic.reading.joined_phrases import About, CountedRows, JoinedPhrase
from veracity.semantic.reading.money import is_spending, own_money, sold, spent_by
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Lookup, RowFilter, RowsPhrase, WhoPhrase
from veracity.semantic.reading.row_pairs import words_for
from veracity.semantic.reading.word_lists import is_person, words_of_list

RULES: Rules = {}
rule = rule_book(RULES)
_VERBS = {"verb_spend": "spend", "verb_pay": "pay", "verb_earn": "earn", "verb_bring": "bring", "verb_sell": "sell"}
_MOST = "most_money"
_MUCH = "so_much"


# --- the most


@rule(JoiningWord, Superlative)
def _verb_most(c: Composer, verb: JoiningWord, best: Superlative) -> Iterator[MadePhrase]:
    """Spent the most, sold best. Who spent least may have spent nothing, which no sum tells."""
    plain = not best.adjective and not best.fields and not best.skip and best.direction > 0
    if verb.kind in _VERBS and plain and (best.counts or verb.kind == "verb_sell"):
        yield MadePhrase(JoinedPhrase(f"{_MOST}:{_VERBS[verb.kind]}", best))


@rule(JoiningWord, JoiningWord)
def _sold_often(c: Composer, verb: JoiningWord, often: JoiningWord) -> Iterator[MadePhrase]:
    """Sold most often: so many times, or so many pieces."""
    if verb.kind == "verb_sell" and often.kind == "commonest":
        best = Superlative(1, counts=True)
        yield MadePhrase(JoinedPhrase(f"{_MOST}:sell often", best))
    elif verb.kind == "how_much" and often.kind == "aux":
        yield MadePhrase(JoiningWord("how_much_did"))


@rule(JoinedPhrase, JoiningWord)
def _most_money(c: Composer, most: JoinedPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Brought in the most money."""
    if most.kind.startswith(_MOST) and word.kind == "money_noun":
        yield MadePhrase(most)


@rule(JoiningWord, FigurePhrase)
def _brought_figure(c: Composer, verb: JoiningWord, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Brought in the most revenue: the figure is named, so that the verb only ties it to what it is of."""
    if verb.kind in ("verb_bring", "verb_earn") and figures.direction is not None and figures.shown[0].measure:
        yield from c.join(JoiningWord("with", verb.text), figures)


@rule(JoiningWord, OpenBound)
def _spent_over(c: Composer, verb: JoiningWord, bound: OpenBound) -> Iterator[MadePhrase]:
    """Customers who spent more than 1000: each figure that somebody's spending may be is a reading."""
    if verb.kind in ("verb_spend", "verb_pay") and bound.upper is None and not bound.fields:
        entities = (entity for entity, thing in c.model.things.items() if is_person(thing))
        found = dict.fromkeys(one for entity in entities for one in spent_by(c.model, entity, _VERBS[verb.kind]))
        for figures in found:
            if (value := c.figure_in_unit(figures.shown[0], bound.number)) is not None:
                yield MadePhrase(FigureBound(figures, bound.op, value))


@rule(OpenBound, JoiningWord)
def _over_spent(c: Composer, bound: OpenBound, verb: JoiningWord) -> Iterator[MadePhrase]:
    """Kunden, die mehr als 1000 CHF ausgegeben haben."""
    kind = {"spent_last": "verb_spend", "paid_last": "verb_pay"}.get(verb.kind)
    if kind is not None:
        yield from _spent_over(c, JoiningWord(kind, verb.text), bound)


@rule(CountedRows, JoinedPhrase)
@rule(Lookup, JoinedPhrase)
def _first_so_many(c: Composer, told: CountedRows | Lookup, most: JoinedPhrase) -> Iterator[MadePhrase]:
    """Which 3 customers paid the most; which payment method brought in the most."""
    best = most.phrase
    if not most.kind.startswith(_MOST) or not isinstance(best, Superlative):
        return
    if isinstance(told, CountedRows):
        if told.op == "=" and best.count is None:
            yield from c.join(told.rows, replace(most, phrase=replace(best, count=told.number)))
    elif told.rows.bare and len(told.fields) == 1 and told.fields[0].entity == told.rows.entity:
        yield from c.join(told.fields[0], most)


@rule(RowsPhrase, JoinedPhrase)
@rule(Attribute, JoinedPhrase)
def _first_by_money(c: Composer, rows: RowsPhrase | Attribute, most: JoinedPhrase) -> Iterator[MadePhrase]:
    """Which customer spent the most; each figure that it may be about is a reading, however near it is."""
    best = most.phrase
    if not most.kind.startswith(f"{_MOST}:") or not isinstance(best, Superlative):
        return
    verb = most.kind.partition(":")[2]
    if isinstance(rows, Attribute) and (not rows.plain or verb in ("spend", "pay", "sell often")):
        return
    for figures in _figures(c, rows.entity, verb):
        top = TopFigure(replace(figures, direction=best.direction, count=best.count))
        for made in c.join(rows, top):
            yield MadePhrase(made.phrase, tuple(mark for mark in made.marks if mark != STEP))


def _figures(c: Composer, entity: str, verb: str) -> Iterator[FigurePhrase]:
    if not verb.startswith("sell"):
        yield from spent_by(c.model, entity, verb)
        return
    yield from dict.fromkeys(sold(c.model, entity, often=verb == "sell often"))


@rule(WhoPhrase, JoinedPhrase)
def _who_most(c: Composer, who: WhoPhrase, most: JoinedPhrase) -> Iterator[MadePhrase]:
    """Who spent the most: those who can."""
    if most.kind in (f"{_MOST}:spend", f"{_MOST}:pay"):
        for entity in who.persons:
            yield from c.join(RowsPhrase(entity, plural=True), most)


# --- how much


@rule(RowsPhrase, JoiningWord)
def _somebody_paid(c: Composer, rows: RowsPhrase, verb: JoiningWord) -> Iterator[MadePhrase]:
    """How much did Dave Miller pay."""
    if verb.kind not in ("verb_spend", "verb_pay", "verb_earn", "verb_bring") or rows.limit or rows.awaits:
        return
    for figures in spent_by(c.model, rows.entity, _VERBS[verb.kind]):
        for made in c.join(figures, About("", "of", rows)):
            yield MadePhrase(JoinedPhrase(_MUCH, made.phrase), tuple(mark for mark in made.marks if mark != STEP))


@rule(JoiningWord, About)
def _spent_on(c: Composer, verb: JoiningWord, about: About) -> Iterator[MadePhrase]:
    """How much did we spend on repairs: what they cost us, not what customers pay for them."""
    rows = about.rows
    if verb.kind != "verb_spend" or about.kind != "in" or about.negated or not isinstance(rows, RowsPhrase):
        return
    for figures in filter(lambda one: is_spending(c.model, one), own_money(c.model, rows.entity)):
        for made in c.join(figures, About("", "of", rows)):
            yield MadePhrase(JoinedPhrase(_MUCH, made.phrase), made.marks)


@rule(JoiningWord, JoinedPhrase)
def _how_much(c: Composer, word: JoiningWord, much: JoinedPhrase) -> Iterator[MadePhrase]:
    if much.kind != _MUCH:
        return
    if word.kind in ("how_much_did", "how_much"):
        yield MadePhrase(much.phrase)
    elif word.kind == "with" and word.owns:  # how much have we spent
        yield MadePhrase(much)


@rule(JoiningWord, RowsPhrase)
def _how_much_did_we(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """How much did we refund, invoice: the noun is the verb."""
    if word.kind == "how_much_did" and rows.bare and not rows.plural and not rows.named:
        yield from map(MadePhrase, own_money(c.model, rows.entity))


@rule(JoiningWord, RowFilter)
def _how_much_was_paid(c: Composer, word: JoiningWord, filtered: RowFilter) -> Iterator[MadePhrase]:
    """How much was paid in 2025."""
    compared = [one for one in filtered.where if isinstance(one, Comparison)]
    dates = [one for one in compared if c.is_time((one,)) or (one.op == "missing" and filtered.before)]  # or unpaid
    if word.kind != "how_much" or not dates or len(dates) != len(filtered.where):
        return
    paid = words_of_list("money_dates")
    if all(words_for(c.model, filtered.entity, one.field.rpartition(".")[2]) & paid for one in dates):
        for figures in own_money(c.model, filtered.entity):
            yield from c.join(figures, filtered)
