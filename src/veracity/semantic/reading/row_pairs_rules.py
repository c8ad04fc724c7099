"""Rules for two fields of one row: below their reorder level, above the estimate, after the due date, late, still open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.language.stem import noun_root
from veracity.semantic.query import Comparison
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.comparison_phrases import Comparative, FieldBound
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, ShareOf
from veracity.semantic.reading.grounds import dated_within
from veracity.semantic.reading.joined_phrases import RowState
from veracity.semantic.reading.money import is_paid, not_payers
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowFilter, RowsPhrase
from veracity.semantic.reading.row_pairs import (
    compared_fields,
    compares_dates,
    done_dates,
    held_against,
    limits_called,
    states_of,
    words_for,
)
from veracity.semantic.reading.said_phrases import SaidPeriod
from veracity.semantic.reading.word_lists import words_of_list

RULES: Rules = {}
rule = rule_book(RULES)
_WHEN = {"later": ">", "earlier": "<"}
_BOUNDS = ("<", "<=", ">", ">=")


@rule(Comparative, Attribute)
def _bound(c: Composer, more: Comparative, limit: Attribute) -> Iterator[MadePhrase]:
    """Below the reorder level."""
    if (
        limit.plain
        and not limit.verb
        and not more.fields
        and more.op in _BOUNDS
        and c.numeric(limit.entity, limit.field)
    ):
        yield MadePhrase(FieldBound(more.op, limit))


@rule(JoiningWord, Attribute)
def _when(c: Composer, word: JoiningWord, limit: Attribute) -> Iterator[MadePhrase]:
    """After the due date."""
    if word.kind in _WHEN and limit.plain and c.is_date(limit):
        yield MadePhrase(FieldBound(_WHEN[word.kind], limit))


@rule(Comparative, JoiningWord)
def _than_planned(c: Composer, more: Comparative, word: JoiningWord) -> Iterator[MadePhrase]:
    """Above the estimate, over budget: what is planned, where only one thing is."""
    if word.kind == "planned" and not more.fields and more.op in _BOUNDS:
        for entity, field in limits_called(c.model, (noun_root(word.text), *_forms(word.text))):
            yield MadePhrase(FieldBound(more.op, Attribute(entity, field)))


@rule(JoiningWord, JoiningWord)
def _took_longer(c: Composer, took: JoiningWord, word: JoiningWord) -> Iterator[MadePhrase]:
    """Took longer than estimated: of what is planned only times."""
    if took.kind == "took_longer" and word.kind == "planned":
        times = words_of_list("time_fields")
        for entity, field in limits_called(c.model, (noun_root(word.text), *_forms(word.text))):
            if words_for(c.model, entity, field) & times:
                yield MadePhrase(FieldBound(">", Attribute(entity, field)))


@rule(JoiningWord, Attribute)
def _longer_than_field(c: Composer, took: JoiningWord, limit: Attribute) -> Iterator[MadePhrase]:
    """Took longer than the estimated hours."""
    times = words_of_list("time_fields")
    timed = c.numeric(limit.entity, limit.field) and words_for(c.model, limit.entity, limit.field) & times
    if took.kind == "took_longer" and limit.plain and timed:
        yield MadePhrase(FieldBound(">", limit))


def _forms(word: str) -> Iterator[str]:
    """Estimate and estimated, budget and budgeted: fields are called by either."""
    for ending in ("d", "ed", "ned"):
        yield noun_root(word.removesuffix(ending))
        yield f"{word}{ending}"


@rule(Attribute, FieldBound)
def _field_bound(c: Composer, field: Attribute, bound: FieldBound) -> Iterator[MadePhrase]:
    """Actual hours above estimated hours, delivered after the due date."""
    limit = bound.limit
    if not field.plain or field.entity != limit.entity or field.field == limit.field:
        return
    dates = c.is_date(field) and c.is_date(limit)
    numbers = c.numeric(field.entity, field.field) and c.numeric(limit.entity, limit.field)
    alike = c.is_money(field.entity, field.field) == c.is_money(limit.entity, limit.field)
    if dates or (numbers and alike):
        condition = compared_fields(c.model, field.entity, field.field, bound.op, limit.field)
        yield MadePhrase(RowFilter(field.entity, (condition,)))


@rule(RowsPhrase, FieldBound)
@rule(FigurePhrase, FieldBound)
@rule(ShareOf, FieldBound)
def _rows_bound(c: Composer, rows: RowsPhrase | FigurePhrase | ShareOf, bound: FieldBound) -> Iterator[MadePhrase]:
    """Products below their reorder level: what is held against it goes without saying, where it does."""
    limit = bound.limit
    if _entity(rows) != limit.entity or not c.numeric(limit.entity, limit.field):
        return
    for name in held_against(c.model, limit.entity, limit.field):
        condition = compared_fields(c.model, limit.entity, name, bound.op, limit.field)
        yield from c.join(rows, RowFilter(limit.entity, (condition,)))


@rule(JoiningWord, FieldBound)
def _word_bound(c: Composer, word: JoiningWord, bound: FieldBound) -> Iterator[MadePhrase]:
    """Went over budget; made after the due date."""
    if word.kind in ("light", "light_amounts") and c.numeric(bound.limit.entity, bound.limit.field):
        yield MadePhrase(bound)
    elif word.kind == "light":
        for own in set(c.own_date(bound.limit.entity)) & set(done_dates(c.model, bound.limit.entity)):
            yield from _field_bound(c, Attribute(bound.limit.entity, own), bound)


@rule(JoiningWord, RowFilter)
def _where_filter(c: Composer, word: JoiningWord, filtered: RowFilter) -> Iterator[MadePhrase]:
    """Repairs where the hours are above the estimate."""
    if word.kind == "where" and not word.first and not filtered.is_value and not filtered.before:
        yield MadePhrase(filtered)


# --- late, on time, overdue, open


@rule(RowsPhrase, RowState)
@rule(FigurePhrase, RowState)
@rule(ShareOf, RowState)
def _rows_state(c: Composer, rows: RowsPhrase | FigurePhrase | ShareOf, state: RowState) -> Iterator[MadePhrase]:
    """Which invoices are overdue, how many payments were late. Orders placed late are something else."""
    entity = _entity(rows)
    if state.behind_verb:
        return
    for condition in states_of(c.model, entity, state.kind, state.today):
        yield from c.join(rows, RowFilter(entity, (condition,)))


@rule(RowState, RowsPhrase)
def _state_rows(c: Composer, state: RowState, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Late orders."""
    if not rows.named:
        for condition in states_of(c.model, rows.entity, state.kind, state.today):
            yield MadePhrase(rows.having(condition))


@rule(Attribute, RowState)
def _done_late(c: Composer, done: Attribute, state: RowState) -> Iterator[MadePhrase]:
    """Delivered late, paid on time; an agent whose clients paid late did not pay himself."""
    if done.plain and state.kind in ("late", "on_time"):
        others = not_payers(c.model) if is_paid(c.model, done.entity, done.field) else ()
        for condition in states_of(c.model, done.entity, state.kind, state.today, done.field):
            yield MadePhrase(RowFilter(done.entity, (condition,), said_of=others))


@rule(RowState, Attribute)
def _late_done(c: Composer, state: RowState, done: Attribute) -> Iterator[MadePhrase]:
    """zu spät bezahlt, pünktlich geliefert."""
    if c.order.get("verb_last"):
        yield from _done_late(c, done, state)


@rule(RowFilter, SaidPeriod)
def _late_when(c: Composer, filtered: RowFilter, when: SaidPeriod) -> Iterator[MadePhrase]:
    """Delivered late in 2025: on a day of that year."""
    if compares_dates(c.model, filtered.where) and not (when.between or when.moment or when.compared):
        done = filtered.where[0]
        assert isinstance(done, Comparison)
        yield MadePhrase(replace(filtered, where=(*filtered.where, dated_within(done.field, when.period))))


@rule(JoiningWord, RowState)
def _not_on_time(c: Composer, word: JoiningWord, state: RowState) -> Iterator[MadePhrase]:
    """Not on time."""
    if word.kind == "not" and state.kind == "on_time":
        yield MadePhrase(replace(state, kind="late"))


def _entity(rows: RowsPhrase | FigurePhrase | ShareOf) -> str:
    if isinstance(rows, ShareOf):
        return rows.figures.home
    return rows.entity if isinstance(rows, RowsPhrase) else rows.home
