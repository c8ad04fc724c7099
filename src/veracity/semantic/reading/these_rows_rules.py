"""Rules for what is asked of the rows that the last query found: how many of them, their total."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import (
    Dimension,
)
from veracity.semantic.reading import edited_figures, edits
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import AGGREGATES, Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import About, Edited, TheseRows, Wanted
from veracity.semantic.reading.phrases import Attribute, Attributes, JoiningWord, Lookup, Role, RowsPhrase

RULES: Rules = {}
rule = rule_book(RULES)
_HOW = ("only", "instead")


@rule(TheseRows, JoiningWord, either_way=True)
def _these_computed(c: Composer, these: TheseRows, word: JoiningWord) -> Iterator[MadePhrase]:
    """How many of them, their total, the average of these."""
    query, changes = these.query, list[edits.Change]()
    if word.kind == "how_many":
        changes = list(edited_figures.number_of(c, query))
    elif word.kind in AGGREGATES and query.lists:
        changes = list(edited_figures.over_list(c, query, AGGREGATES[word.kind]))
    elif word.kind in AGGREGATES and query.by:
        over = edited_figures.over_rows(query, AGGREGATES[word.kind])
        changes = [(over, ())] if over is not None else []
        if word.kind == "sum" and query.limit is None and query.having is None:
            changes = [
                *edited_figures.undivided(query),
                *changes,
            ]  # where a row counts in several groups, these are two things
    for changed, marks in changes:
        yield MadePhrase(Edited(changed, changed=True), marks)


@rule(TheseRows, Attribute)
@rule(TheseRows, Attributes)
def _their_field(c: Composer, these: TheseRows, right: Attribute | Attributes) -> Iterator[MadePhrase]:
    rows = edits.rows_of(c, these.query)
    if rows is None:
        return
    if isinstance(right, Attribute):
        yield from c.look_up(right, rows)
    else:
        yield from c.join(right, About("", "of", rows))


@rule(Attribute, TheseRows)
def _field_of_these(c: Composer, attribute: Attribute, these: TheseRows) -> Iterator[MadePhrase]:
    yield from _their_field(c, these, attribute)


@rule(TheseRows, Role)
def _their_role(c: Composer, these: TheseRows, role: Role) -> Iterator[MadePhrase]:
    """Their support rep."""
    if (rows := edits.rows_of(c, these.query)) is not None:
        yield from c.join(role, About("", "of", rows))


@rule(JoiningWord, Lookup)
def _how_much_of_these(c: Composer, word: JoiningWord, lookup: Lookup) -> Iterator[MadePhrase]:
    """How large is their population: of each, or of all together."""
    if word.kind == "how_much" and len(lookup.fields) == 1 and not lookup.asked:
        yield MadePhrase(lookup)
        yield MadePhrase(replace(lookup, asked=True))


@rule(TheseRows, FigurePhrase)
def _their_figure(c: Composer, these: TheseRows, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Their revenue: of all of them together, or of each."""
    rows = edits.rows_of(c, these.query)
    if rows is None or figures.where or figures.order or figures.compare:
        return
    for made in c.join(figures, About("", "of", rows)):
        yield made
        if isinstance(made.phrase, FigurePhrase) and rows.plural and not figures.by and rows.entity != figures.home:
            yield MadePhrase(replace(made.phrase, by=(Dimension(entity=rows.entity),)), made.marks)


@rule(FigurePhrase, TheseRows)
def _figure_of_these(c: Composer, figures: FigurePhrase, these: TheseRows) -> Iterator[MadePhrase]:
    """The revenue of these."""
    yield from _their_figure(c, these, figures)


@rule(JoiningWord, TheseRows)
@rule(TheseRows, JoiningWord)
def _these_have(c: Composer, left: TheseRows | JoiningWord, right: TheseRows | JoiningWord) -> Iterator[MadePhrase]:
    """Have they, they have: the end of a question whose object stands before it."""
    these, word = (left, right) if isinstance(left, TheseRows) else (right, left)
    assert isinstance(word, JoiningWord)
    if word.kind == "with":
        yield MadePhrase(Wanted("have", these))
    elif word.kind in ("aux", "of", "in") and isinstance(right, TheseRows):
        yield MadePhrase(these)


@rule(JoiningWord, Wanted)
def _do_these_have(c: Composer, word: JoiningWord, wanted: Wanted) -> Iterator[MadePhrase]:
    if word.kind == "aux" and wanted.how == "have":
        yield MadePhrase(wanted)


@rule(FigurePhrase, Wanted)
@rule(Attribute, Wanted)
def _these_have_it(c: Composer, left: FigurePhrase | Attribute, wanted: Wanted) -> Iterator[MadePhrase]:
    """How many invoices do they have."""
    if wanted.how == "have" and isinstance(wanted.phrase, TheseRows):
        if isinstance(left, FigurePhrase):
            yield from _their_figure(c, wanted.phrase, left)
        elif left.asked:
            yield from _their_field(c, wanted.phrase, left)


@rule(TheseRows, RowsPhrase)
def _these_called(c: Composer, these: TheseRows, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """These customers."""
    found = edits.rows_of(c, these.query)
    if found is not None and found.entity == rows.entity and rows.bare:
        yield MadePhrase(found)
