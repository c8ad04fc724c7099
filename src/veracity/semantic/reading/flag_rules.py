"""Rules for fields that say yes or no: to have the newsletter, active members, members that are not active."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.semantic.query import Aggregate, Condition, Shown
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import ShareOf
from veracity.semantic.reading.joined_phrases import JoinedPhrase
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowFilter, RowsPhrase, WhoPhrase
from veracity.semantic.reading.truths import Truth

RULES: Rules = {}
rule = rule_book(RULES)


@rule(JoiningWord, Attribute)
def _with_flag(c: Composer, word: JoiningWord, attribute: Attribute) -> Iterator[MadePhrase]:
    """With the newsletter, without it; not active."""
    truth = _truth(c, attribute)
    if truth is not None and word.kind in ("with", "without", "not", "gets"):
        for condition in truth.yes if word.kind in ("with", "gets") else truth.no:
            done = word.kind == "gets"
            yield MadePhrase(RowFilter(attribute.entity, (condition,), may_be=attribute.may_be, verb=done))


@rule(Attribute, JoiningWord)
def _flag_got(c: Composer, attribute: Attribute, word: JoiningWord) -> Iterator[MadePhrase]:
    """Who gets the newsletter, in languages that put the verb last."""
    if word.kind == "gets":
        yield from _with_flag(c, word, attribute)


@rule(JoiningWord, Attribute)
def _asked_flag(c: Composer, word: JoiningWord, attribute: Attribute) -> Iterator[MadePhrase]:
    """How many regular guests: those for whom the field says yes."""
    truth = _truth(c, attribute)
    if truth is not None and (word.kind == "how_many" or (word.kind == "show" and word.first)):
        for condition in truth.yes:
            yield from c.join(word, RowsPhrase(attribute.entity, where=(condition,), plural=True))


@rule(RowsPhrase, Attribute)
@rule(ShareOf, Attribute)
def _are_so(c: Composer, rows: RowsPhrase | ShareOf, attribute: Attribute) -> Iterator[MadePhrase]:
    """Which members are active; what share of them is."""
    truth = _truth(c, attribute)
    entity = rows.entity if isinstance(rows, RowsPhrase) else rows.figures.home
    if truth is None or entity != attribute.entity:
        return
    if isinstance(rows, RowsPhrase) and any(_says_yes(c, rows.where[-1:])):
        return  # with an active newsletter: what is active is not said
    for condition in truth.yes:
        yield from c.join(rows, RowFilter(attribute.entity, (condition,), may_be=attribute.may_be))


@rule(Attribute, RowsPhrase)
def _such_rows(c: Composer, attribute: Attribute, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Active members."""
    truth = _truth(c, attribute)
    for condition in truth.yes if truth is not None and rows.entity == attribute.entity else ():
        yield from c.join(RowFilter(attribute.entity, (condition,), before=True), rows)


@rule(Attribute, Attribute)
@rule(RowFilter, Attribute)
def _such_amount(c: Composer, so: Attribute | RowFilter, amount: Attribute) -> Iterator[MadePhrase]:
    """Billable hours: what the rows come to for which the field says yes; hours that are not billable."""
    truth = _truth(c, so) if isinstance(so, Attribute) else None
    if so.entity != amount.entity or not amount.plain or not c.adds_up(amount):
        return
    if isinstance(so, RowFilter):
        denied = any(so.where == (condition,) for one in c.truths.values() for condition in one.no)
        conditions: tuple[Condition, ...] = so.where if denied and not so.verb else ()
    else:
        conditions = truth.yes if truth is not None else ()
    for condition in conditions:
        shown = Shown(aggregate=Aggregate.SUM, field=amount.path)
        yield MadePhrase(c.figure_of(shown, RowsPhrase(amount.entity, where=(condition,))))


@rule(JoiningWord, Attribute)
def _or_flag(c: Composer, word: JoiningWord, attribute: Attribute) -> Iterator[MadePhrase]:
    """... or a loyalty card."""
    if word.kind == "or" and _truth(c, attribute) is not None:
        yield MadePhrase(JoinedPhrase("or", attribute))


@rule(RowFilter, JoinedPhrase)
def _flags_joined(c: Composer, left: RowFilter, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """With the newsletter and a loyalty card; not without the newsletter and a loyalty card, which may be said of either."""
    right = joined.phrase
    truth = _truth(c, right) if isinstance(right, Attribute) and right.entity == left.entity else None
    if truth is None or not any(_says_yes(c, left.where)):
        return
    for condition in truth.yes:
        yield from c.join(left, JoinedPhrase(joined.kind, RowFilter(left.entity, (condition,))))


@rule(WhoPhrase, Attribute)
def _who_is_so(c: Composer, who: WhoPhrase, attribute: Attribute) -> Iterator[MadePhrase]:
    """Who is active."""
    if attribute.entity in who.persons:
        yield from _are_so(c, RowsPhrase(attribute.entity, plural=True), attribute)


def _says_yes(c: Composer, where: tuple[Condition, ...]) -> Iterator[bool]:
    """Whether this is one condition, a field's yes."""
    yield from (where == (condition,) for one in c.truths.values() for condition in one.yes)


def _truth(c: Composer, attribute: Attribute) -> Truth | None:
    """What the field holds for yes and no, where nothing else is said of it."""
    return c.truths.get((attribute.entity, attribute.field)) if attribute.plain else None
