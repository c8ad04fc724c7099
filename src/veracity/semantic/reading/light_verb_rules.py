"""Rules for verbs that say nothing by themselves behind a thing or a figure: work in, were counted, came in, consumed.

They never stand between `how much` and what follows: how much a building consumed is no number of buildings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import Aggregate, OrderBy, Shown
from veracity.semantic.reading.chart import FAR, MadePhrase
from veracity.semantic.reading.comparison_phrases import HowAdjective, Superlative, TopFilter
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, MeanFigure, ShareOf
from veracity.semantic.reading.joined_phrases import About, CountedRows, JoinedPhrase, MostRows, StrandedRows, Verb
from veracity.semantic.reading.phrases import Attribute, InField, JoiningWord, Lookup, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import Phrase, SaidPeriod
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for

RULES: Rules = {}
rule = rule_book(RULES)


@rule(RowsPhrase, JoiningWord)
@rule(MostRows, JoiningWord)
@rule(ShareOf, JoiningWord)
def _thing_light(c: Composer, thing: Phrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Employees work in, sales were counted in, customers come from. Machines that work, and no more, do so or do not."""
    alone = word.last and isinstance(thing, RowsPhrase) and thing.bare
    entity = thing.entity if isinstance(thing, RowsPhrase) else ""
    if word.kind in ("light", "comes_from") and not alone and not _is_later(c, entity, word):
        yield MadePhrase(thing)


def _is_later(c: Composer, entity: str, word: JoiningWord) -> bool:
    """Whether the only time that is known of rows is a later one: orders placed in 2022 are not those shipped then."""
    if not entity or key_of(word.text) not in in_all_languages("came_words"):
        return False
    fields, own = c.model.things[entity].fields, c.own_date(entity)
    dates = own or [name for name, facts in fields.items() if facts.is_date]
    late = in_all_languages("late_dates")
    told = [[part for said in names_for(name, fields[name].declared) for part in key_of(said)] for name in dates]
    return bool(told) and all(any((part,) in late for part in parts) for parts in told)


@rule(JoiningWord, JoiningWord)
def _not_light(c: Composer, one: JoiningWord, two: JoiningWord) -> Iterator[MadePhrase]:
    """Do not work in Bern, did not come from Germany: what is denied stands behind it."""
    if one.kind == "not" and two.kind in ("light", "comes_from"):
        yield MadePhrase(one)
    elif (one.kind == "aux" and two.kind == "not") or (one.owns and two.kind == "light"):  # have worked
        yield MadePhrase(two)
    elif one.kind == "light" and two.kind == "by":  # made by active members: of them, or for each of them
        yield MadePhrase(JoiningWord("of", two.text))


@rule(FigurePhrase, JoiningWord)
@rule(Attribute, JoiningWord)
@rule(Lookup, JoiningWord)
@rule(MeanFigure, JoiningWord)
def _figure_light(c: Composer, figure: Phrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Revenue came in, electricity was consumed."""
    rows = figure if isinstance(figure, FigurePhrase) and figure.shown[0].of is not None else None
    alone = word.last and rows is not None and not (rows.where or rows.period or rows.by or rows.shown[0].where)
    comes = word.kind == "comes_from" and rows is not None  # how many regular guests come from Italy
    if rows is not None and _is_later(c, rows.home, word):
        return
    if ((word.kind == "light" or comes) and not alone) or (word.kind == "light_amounts" and _is_amount(c, figure)):
        yield MadePhrase(figure)


@rule(JoiningWord, FigurePhrase)
def _light_figure(c: Composer, word: JoiningWord, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Did we make a profit: the figure says itself what is asked for."""
    if word.kind in ("light", "light_amounts") and figures.shown[0].measure:
        yield MadePhrase(figures)
    if word.kind == "light_amounts" and figures.direction is not None:
        yield from c.join(JoiningWord("with", word.text), figures)  # uses the most electricity per pupil


def _is_amount(c: Composer, figure: Phrase) -> bool:
    """Whether a verb for reaching an amount may stand behind it: not behind a number of rows."""
    match figure:
        case FigurePhrase():
            return figure.shown[0].of is None
        case Attribute():
            return c.numeric(figure.entity, figure.field)
        case Lookup():
            return all(c.numeric(field.entity, field.field) for field in figure.fields)
    return True


@rule(JoiningWord, MostRows)
@rule(JoiningWord, CountedRows)
def _made_most(c: Composer, word: JoiningWord, rows: MostRows | CountedRows) -> Iterator[MadePhrase]:
    """Which driver made the most trips, did the most trips, placed more than 3 orders: those that are his."""
    did = word.kind == "aux" and isinstance(rows, MostRows)
    if word.kind == "light" or did:
        yield MadePhrase(About("", "with", rows))


@rule(JoiningWord, Attribute)
def _worked_most(c: Composer, word: JoiningWord, attribute: Attribute) -> Iterator[MadePhrase]:
    """Who worked the most hours; which machine used the most energy."""
    reached = word.kind in ("light", "light_amounts") and attribute.direction is not None and attribute.totals
    if reached and c.adds_up(attribute):
        yield from c.join(JoiningWord("with", word.text), attribute)


@rule(Verb, Attribute)
def _did_most(c: Composer, verb: Verb, attribute: Attribute) -> Iterator[MadePhrase]:
    """Who worked the most hours, where a table of shifts says who worked and how long."""
    said = attribute.direction is not None and attribute.totals and c.adds_up(attribute)
    if said and attribute.entity in _done(c, verb):
        yield from c.join(JoiningWord("with", "have"), attribute)


def _done(c: Composer, verb: Verb) -> set[str]:
    """The entities whose rows say that something was done."""
    names = {(start, step) for start, step, _ in verb.steps}
    return {one.end for start, step in names for one in c.model.steps[start] if one.name == step}


@rule(Verb, RowFilter)
def _did_longer(c: Composer, verb: Verb, filtered: RowFilter) -> Iterator[MadePhrase]:
    """Worked more than 20 hours: the comparison is about the shifts."""
    compared = (getattr(one, "op", "=") in ("<", "<=", ">", ">=") for one in filtered.where)
    if filtered.entity in _done(c, verb) and not filtered.before and all(compared):
        yield MadePhrase(filtered)


@rule(JoiningWord, About)
def _has_made(c: Composer, word: JoiningWord, about: About) -> Iterator[MadePhrase]:
    """Have made more than 8 payments: the auxiliary says nothing more."""
    if word.kind == "with" and word.owns and about.kind == "with" and not about.word:
        yield MadePhrase(about)


@rule(RowsPhrase, JoiningWord)
def _stranded(c: Composer, rows: RowsPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """... did the store in Basel bring in; in which store does Anna Frei work."""
    if word.kind in ("light", "light_amounts") and (rows.single or rows.where):
        yield MadePhrase(StrandedRows(rows, word.text))


@rule(JoiningWord, RowsPhrase)
def _subject_last(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """How much revenue made the customers from Germany, in languages that put it so."""
    if word.kind == "light_amounts" and c.order.get("verb_last") and not rows.bare:
        yield MadePhrase(About("", "of", rows))


@rule(FigurePhrase, StrandedRows)
def _figures_of_stranded(c: Composer, figures: FigurePhrase, gap: StrandedRows) -> Iterator[MadePhrase]:
    """How much revenue did the store in Basel bring in."""
    if not gap.rows.named and figures.shown[0].measure:
        yield from c.join(figures, About("", "of", gap.rows))


@rule(FigurePhrase, StrandedRows)
def _sum_of_stranded(c: Composer, figures: FigurePhrase, gap: StrandedRows) -> Iterator[MadePhrase]:
    """How many days of vacation did Ann take."""
    shown = figures.shown[0]
    if shown.aggregate is Aggregate.SUM and shown.field and gap.rows.single and gap.rows.entity != figures.home:
        yield from c.join(figures, About("", "of", gap.rows))


@rule(About, StrandedRows)
def _about_stranded(c: Composer, about: About, gap: StrandedRows) -> Iterator[MadePhrase]:
    """In which store does Anna Frei work."""
    if gap.rows.single:
        yield from c.join(about, gap.rows)


@rule(RowsPhrase, JoiningWord)
def _stranded_in(c: Composer, rows: RowsPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Which team is Eva Lanz in."""
    if word.kind == "in" and word.last and rows.single:
        yield MadePhrase(StrandedRows(rows, word.text))


@rule(Attribute, StrandedRows)
def _field_of_stranded(c: Composer, attribute: Attribute, gap: StrandedRows) -> Iterator[MadePhrase]:
    """Which team does Eva Lanz belong to; what city is she from."""
    own = attribute.entity == gap.rows.entity and attribute.plain and not attribute.verb
    if own and gap.rows.single and not c.numeric(attribute.entity, attribute.field):
        yield from c.look_up(attribute, gap.rows)


@rule(InField, RowsPhrase)
def _field_of_one(c: Composer, place: InField, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """In which team is Eva Lanz."""
    if rows.single and rows.named and place.field.entity == rows.entity and place.field.plain:
        yield from c.look_up(place.field, rows)


@rule(JoiningWord, Lookup)
def _aux_lookup(c: Composer, word: JoiningWord, lookup: Lookup) -> Iterator[MadePhrase]:
    """How much does the tent cost."""
    if word.kind == "aux":
        yield MadePhrase(lookup)


@rule(Lookup, SaidPeriod, either_way=True)
def _lookup_when(c: Composer, lookup: Lookup, when: SaidPeriod) -> Iterator[MadePhrase]:
    """What repairs cost in 2025."""
    if not lookup.rows.named and c.dated(lookup.rows.entity):
        for made in c.join(lookup.rows, when):
            if isinstance(made.phrase, RowsPhrase):
                # Drivers hired in 2020: those who were, before the dates on which they were.
                dated = c.default_date(lookup.rows.entity) in [field.path for field in lookup.fields]
                marks = (*made.marks, FAR) if dated else made.marks
                yield MadePhrase(replace(lookup, rows=made.phrase), marks)


@rule(Attribute, RowsPhrase)
def _asked_of_rows(c: Composer, attribute: Attribute, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """How much the repairs of 2025 cost, with the verb first."""
    if attribute.asked and rows.entity == attribute.entity and not rows.single and c.adds_up(attribute):
        yield from c.look_up(attribute, rows)


@rule(Attribute, RowsPhrase)
def _verb_first(c: Composer, attribute: Attribute, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """What costs the tent, in languages that put it so."""
    if attribute.verb and attribute.plain and c.order.get("verb_last"):
        if rows.single:
            yield from c.look_up(attribute, rows)
        elif rows.entity == attribute.entity and c.adds_up(attribute):  # what did the repairs cost
            yield from c.look_up(replace(attribute, asked=True), rows)


@rule(Attribute, Superlative)
def _verb_most(c: Composer, attribute: Attribute, best: Superlative) -> Iterator[MadePhrase]:
    """Who earns the most, which product costs least."""
    if attribute.verb and attribute.plain and best.counts and not best.adjective and not best.skip:
        order = OrderBy(by=Shown(field=attribute.path), descending=best.direction > 0)
        yield MadePhrase(TopFilter(attribute.entity, (order,), best.count or 1, may_be=attribute.may_be))


@rule(HowAdjective, Lookup)
def _how_lookup(c: Composer, adjective: HowAdjective, lookup: Lookup) -> Iterator[MadePhrase]:
    """How long does the course last."""
    fields = [(field.entity, field.field) for field in lookup.fields]
    if adjective.asked and len(fields) == 1 and fields[0] in adjective.fields:
        yield MadePhrase(lookup)


@rule(HowAdjective, Attribute)
def _how_attribute(c: Composer, adjective: HowAdjective, attribute: Attribute) -> Iterator[MadePhrase]:
    """How long does ... take: the adjective and the verb ask for the same field."""
    if adjective.asked and attribute.plain and (attribute.entity, attribute.field) in adjective.fields:
        yield MadePhrase(replace(adjective, fields=((attribute.entity, attribute.field),)))


@rule(RowsPhrase, JoiningWord)
def _rows_take(c: Composer, rows: RowsPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Repairs take: how long is asked before it, or nothing is. Samples that were taken in 2024 did not take 2024 days."""
    if word.kind == "takes_time" and rows.awaits is None and not rows.other:
        yield MadePhrase(JoinedPhrase("takes_time", rows))


@rule(JoiningWord, JoinedPhrase)
def _do_take(c: Composer, word: JoiningWord, takes: JoinedPhrase) -> Iterator[MadePhrase]:
    if word.kind == "aux" and takes.kind == "takes_time":
        yield MadePhrase(takes)


@rule(HowAdjective, JoinedPhrase)
def _how_long_rows_take(c: Composer, adjective: HowAdjective, takes: JoinedPhrase) -> Iterator[MadePhrase]:
    """How long do repairs take."""
    if takes.kind == "takes_time" and isinstance(takes.phrase, RowsPhrase):
        yield from c.join(adjective, takes.phrase)


@rule(JoiningWord, RowFilter)
def _light_filter(c: Composer, word: JoiningWord, filtered: RowFilter) -> Iterator[MadePhrase]:
    """... took longer than two hours: the comparison says of what."""
    if word.kind == "light_amounts" and not filtered.is_value and not filtered.before:
        yield MadePhrase(filtered)
