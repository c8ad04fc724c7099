"""Rules for verbs and roles: what one does to another, what one is to another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.graph import Step, Way, is_to_one, names_of
from veracity.semantic.query import (
    Aggregate,
    Negation,
    OrderBy,
    Related,
    SemanticQuery,
    Shown,
    all_of,
)
from veracity.semantic.reading.chart import ROLE, STEP, MadePhrase
from veracity.semantic.reading.comparison_phrases import TopFilter
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.joined_phrases import About, Clause, CountedRows, MostRows, QuantifiedRows, Verb, VerbIt
from veracity.semantic.reading.phrases import FirstRows, JoiningWord, Role, RowFilter, RowsPhrase, WhoseRows
from veracity.semantic.reading.related_rows import negated, right_edge, rows_in
from veracity.semantic.reading.word_lists import is_person

_KIND_LISTED = 3
_MOST_BELONGING = 2
RULES: Rules = {}
rule = rule_book(RULES)


@rule(Verb, RowsPhrase)
@rule(Verb, CountedRows)
@rule(Verb, MostRows)
@rule(Verb, QuantifiedRows)
def _verb_rows(
    c: Composer, verb: Verb, rows: RowsPhrase | CountedRows | MostRows | QuantifiedRows
) -> Iterator[MadePhrase]:
    if verb.only:
        if isinstance(rows, RowsPhrase) and rows.where and not rows.each:
            yield from _verb_rows(c, replace(verb, only=False), QuantifiedRows(rows, only=True))
        return
    for step in _steps(c, verb, ""):
        if isinstance(rows, RowsPhrase) and rows.bare and step.start == step.end == rows.entity:
            yield MadePhrase(Role(step.start, step.name, step.end))  # bordering states
        yield from (_subjects(verb, made) for made in _done_to(c, step, rows))
        if not c.order.get("strict_subject") and isinstance(rows, RowsPhrase):
            yield from _done_by(c, verb, step, rows)


@rule(Verb, FirstRows)
def _verb_first_rows(c: Composer, verb: Verb, first: FirstRows) -> Iterator[MadePhrase]:
    """Delivers the product with the highest revenue."""
    if not verb.only:
        yield from _verb_rows(c, verb, first.rows)


@rule(Verb, About, either_way=True)
def _verb_about(c: Composer, verb: Verb, about: About) -> Iterator[MadePhrase]:
    if verb.only:
        if isinstance(about.rows, RowsPhrase) and about.rows.where and not about.rows.each and not about.negated:
            only = replace(about, rows=QuantifiedRows(about.rows, only=True))
            yield from _verb_about(c, replace(verb, only=False), only)
        return
    for step in _steps(c, verb, about.word):
        for made in (_subjects(verb, one) for one in _done_to(c, step, about.rows)):
            if about.negated and isinstance(made.phrase, RowFilter):
                yield MadePhrase(replace(made.phrase, where=(negated(made.phrase.where),)))
            elif not about.negated:
                yield made


@rule(Verb, About)
def _done_at(c: Composer, verb: Verb, about: About) -> Iterator[MadePhrase]:
    """Bands that played in Red Hall: each of their concerts is in one hall."""
    if about.kind == "in" and not about.negated and not verb.only and not isinstance(about.rows, MostRows):
        for step in _steps(c, verb, ""):
            if isinstance(about.rows, CountedRows):
                yield from (_subjects(verb, made) for made in _done_at_several(c, step, about.rows))
            elif rows_in(about.rows).entity != step.end:
                yield from (_subjects(verb, made) for made in _done_beyond(c, step, about.rows))


def _done_at_several(c: Composer, step: Step, places: CountedRows) -> Iterator[MadePhrase]:
    """Bands that played on more than one stage: each stage once, however often they played there."""
    ways = _ways_of_deed(c, step.end, places.rows.entity)
    if len(ways) == 1 and len(ways[0]) == 1 and ways[0][0].to_one and places.rows.entity != step.start:
        for counted in c.related(places, (step, *ways[0])):
            yield MadePhrase(RowFilter(step.start, (counted,), right_edge(places), beyond=True), (STEP,))


@rule(Verb, RowFilter)
def _done_so(c: Composer, verb: Verb, filtered: RowFilter) -> Iterator[MadePhrase]:
    """Customers who ordered online, products sold online: what is stored of what was done, or of what each of these belongs to."""
    if not filtered.is_value or filtered.lacks or verb.only:
        return
    for step in _steps(c, verb, ""):
        inner = filtered.where
        if filtered.entity != step.end:
            ways = c.model.ways(step.end, filtered.entity) if filtered.entity != step.start else ()
            if len(ways) != 1 or not _belongs(c, ways[0]) or is_person(c.model.things[filtered.entity]):
                continue
            related = SemanticQuery(of=filtered.entity, where=all_of(filtered.where))
            inner = (Related(related=related, via=names_of(ways[0])),)
        done = Related(related=SemanticQuery(of=step.end, where=all_of(inner)), via=(step.name,))
        yield _subjects(verb, MadePhrase(RowFilter(step.start, (done,), filtered.edge, beyond=True), (STEP,)))


@rule(RowFilter, Verb)
def _so_done(c: Composer, filtered: RowFilter, verb: Verb) -> Iterator[MadePhrase]:
    """Online bestellt, in languages that put it so."""
    if c.order.get("verb_last"):
        yield from _done_so(c, verb, filtered)


@rule(RowsPhrase, Verb)
def _rows_verb(c: Composer, rows: RowsPhrase, verb: Verb) -> Iterator[MadePhrase]:
    if not verb.only and any(start == rows.entity for start, _, _ in verb.steps):
        clause = Clause(rows, verb)
        yield MadePhrase(clause)
        for step in _steps(c, verb, ""):
            yield from _done_by(c, verb, step, rows)


@rule(Clause, JoiningWord, either_way=True)
def _clause_word(c: Composer, clause: Clause, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind in ("prep", "in", "of", "per"):
        for step in _steps(c, clause.verb, word.text):
            yield from _done_by(c, clause.verb, step, clause.rows)


@rule(About, Clause)
def _about_clause(c: Composer, about: About, clause: Clause) -> Iterator[MadePhrase]:
    """Through which states does the Mississippi run."""
    if isinstance(about.rows, RowsPhrase) and about.first:
        for step in _steps(c, clause.verb, about.word):
            for made in _done_by(c, clause.verb, step, clause.rows):
                yield from c.join(about.rows, made.phrase)


@rule(Verb, JoiningWord)
def _verb_word(c: Composer, verb: Verb, word: JoiningWord) -> Iterator[MadePhrase]:
    """Running through it."""
    if verb.only:
        return
    if word.kind == "anything":
        for start, name, wanted in verb.steps:
            step = c.step(start, name)
            if step is not None and not wanted:
                yield MadePhrase(RowFilter(start, (Related(related=SemanticQuery(of=step.end), via=(name,)),)))
    elif word.kind == "it":
        kept = tuple(step for step in verb.steps if step[2] in ("", "@"))
        if kept:
            yield MadePhrase(VerbIt(Verb(kept)))
    elif word.kind in ("prep", "in", "of"):
        kept = tuple((start, name, "") for start, name, wanted in verb.steps if wanted == word.text)
        if kept:
            yield MadePhrase(Verb(tuple((start, name, "@") for start, name, _ in kept)))


@rule(MostRows, VerbIt)
def _most_verb(c: Composer, most: MostRows, it: VerbIt) -> Iterator[MadePhrase]:
    for start, name, _ in it.verb.steps:
        if start == most.rows.entity:
            yield MadePhrase(replace(most, rows=replace(most.rows, link=(start, name))))


@rule(RowsPhrase, VerbIt)
def _rows_verb_it(c: Composer, rows: RowsPhrase, it: VerbIt) -> Iterator[MadePhrase]:
    for start, name, _ in it.verb.steps:
        if start == rows.entity and rows.link is None:
            yield MadePhrase(replace(rows, link=(start, name)))


@rule(Role, About)
def _role_about(c: Composer, role: Role, about: About) -> Iterator[MadePhrase]:
    back = c.back(role.start, role.step) if not role.whose else None
    if back is not None and about.kind in ("of", "in") and isinstance(about.rows, RowsPhrase) and not about.negated:
        for condition in c.related(about.rows, (back,)) if about.rows.entity == role.start else ():
            edge = (role.end, *right_edge(about.rows))
            yield MadePhrase(RowsPhrase(role.end, where=(condition,), edge=edge), (ROLE,))


@rule(RowsPhrase, Role)
def _rows_role(c: Composer, rows: RowsPhrase, role: Role) -> Iterator[MadePhrase]:
    if not role.whose and rows.entity == role.start and (rows.bare or rows.single):
        yield from _role_about(c, role, About("", "of", rows))


@rule(Role, RowsPhrase)
def _role_named(c: Composer, role: Role, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Whose support rep is Jane Peacock."""
    if rows.entity == role.end and rows.named and not rows.each:
        some = Related(related=rows.query(), via=(role.step,))
        yield MadePhrase(RowFilter(role.start, (some,)), (ROLE,))


@rule(Role, RowFilter)
def _role_filter(c: Composer, role: Role, filtered: RowFilter) -> Iterator[MadePhrase]:
    """Whose support rep is hired in 2003; whose one is not Jane Peacock, which may be said of those without one, too."""
    said = role.whose or c.order.get("modifiers_before")
    if not said or filtered.entity != role.end:
        return
    some = Related(related=SemanticQuery(of=role.end, where=all_of(filtered.where)), via=(role.step,))
    yield MadePhrase(RowFilter(role.start, (some,), filtered.edge), (ROLE,))
    only = filtered.where[0] if len(filtered.where) == 1 else None
    if isinstance(only, Negation):
        other = Related(related=SemanticQuery(of=role.end, where=only.condition), via=(role.step,))
        yield MadePhrase(RowFilter(role.start, (Negation(condition=other),), filtered.edge), (ROLE,))


def said_of(c: Composer, verb: Verb) -> tuple[str, ...]:
    """The entities that may do it, and those that it may be done to."""
    ends = (step.end for start, name, _ in verb.steps if (step := c.step(start, name)) is not None)
    return tuple(dict.fromkeys((*(start for start, _, _ in verb.steps), *ends)))


def _subjects(verb: Verb, made: MadePhrase) -> MadePhrase:
    """What a verb with its object says, with those who may do it."""
    phrase = made.phrase
    if not isinstance(phrase, RowFilter):
        return made
    whose = tuple(dict.fromkeys(start for start, _, _ in verb.steps))
    return MadePhrase(replace(phrase, said_of=whose), made.marks)


def _steps(c: Composer, verb: Verb, preposition: str) -> Iterator[Step]:
    for start, name, wanted in verb.steps:
        step = c.step(start, name)
        if step is not None and wanted == preposition:
            yield step


def _done_to(
    c: Composer, step: Step, target: RowsPhrase | CountedRows | MostRows | QuantifiedRows
) -> Iterator[MadePhrase]:
    """What a verb with its object says of who does it."""
    if rows_in(target).entity != step.end:
        yield from _done_beyond(c, step, target)
        return
    edge = right_edge(target)
    if isinstance(target, MostRows):
        if (where := c.conditions_of(target.rows)) is None:
            return
        shown = Shown(aggregate=Aggregate.COUNT, of=step.end, via=(step.name,), where=all_of(where))
        order = OrderBy(by=shown, descending=target.direction > 0)
        yield MadePhrase(TopFilter(step.start, (order,), target.count or 1, target.skip, edge))
    else:
        for condition in c.related(target, (step,)):
            yield MadePhrase(RowFilter(step.start, (condition,), edge, verb=True))


def _done_beyond(
    c: Composer, step: Step, target: RowsPhrase | CountedRows | MostRows | QuantifiedRows
) -> Iterator[MadePhrase]:
    """Students who took Jazz: each row of what they took belongs to one course. Customers who bought Chai: a line of an order says so."""
    end = rows_in(target).entity
    ways = _ways_of_deed(c, step.end, end)
    if len(ways) != 1 or end == step.start:
        return
    apart = not is_person(c.model.things[end]) and _belongs(
        c, ways[0]
    )  # sold in a store: the order of a line is of one
    belongs = apart or (len(ways[0]) == 1 and ways[0][0].to_one)
    if not belongs and not c.is_listing(ways[0]) and not _is_kind_listed(c, ways[0]):
        return
    if isinstance(target, QuantifiedRows) and target.only:
        yield from _only_beyond(step, ways[0], target.rows)
        return
    if isinstance(target, CountedRows) and _counts_once(c, target, (step, *ways[0])):
        for counted in c.related(target, (step, *ways[0])):  # who teach three subjects: each of them once
            yield MadePhrase(RowFilter(step.start, (counted,), right_edge(target), beyond=True), (STEP,))
        return
    if isinstance(target, QuantifiedRows):
        each = [SemanticQuery(of=target.rows.entity, where=all_of(where)) for where in target.rows.each]
        inner = [Related(related=one, via=names_of(ways[0])) for one in each]
    elif isinstance(target, RowsPhrase) and not target.each:
        inner = [one for one in c.related(target, ways[0]) if isinstance(one, Related)]
    else:
        return
    met = tuple(Related(related=SemanticQuery(of=step.end, where=one), via=(step.name,)) for one in inner)
    if met:
        yield MadePhrase(RowFilter(step.start, met, right_edge(target), beyond=True), (STEP,))


def _counts_once(c: Composer, target: CountedRows, way: Way) -> bool:
    """Whether each of what is counted counts once, however often it was done: that is said, or it can be done only once."""
    said = target.rows.different and is_to_one(way[1:])
    return said or (c.only_ties(way) and len(c.model.things[way[0].end].key) == 2)


def _only_beyond(step: Step, way: Way, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Members who only booked Yoga: they did, and have no booking of anything else."""
    if not is_to_one(way) or rows.order or rows.period or not rows.where:
        return
    both = [SemanticQuery(of=rows.entity, where=where) for where in (all_of(rows.where), negated(rows.where))]
    some, others = (
        Related(related=SemanticQuery(of=step.end, where=Related(related=one, via=names_of(way))), via=(step.name,))
        for one in both
    )
    yield MadePhrase(RowFilter(step.start, (some, Negation(condition=others)), beyond=True), (STEP,))


def _done_by(c: Composer, verb: Verb, step: Step, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """What a verb with its subject says of whom it is done to, and of what each of these belongs to or lists."""
    symmetric = step.relation is not None and step.relation.symmetric
    back = step if symmetric else c.back(step.start, step.name)
    if back is None or rows.entity != step.start:
        return
    for condition in c.related(rows, (back,)):
        yield MadePhrase(RowFilter(step.end, (condition,), right_edge(rows)))
        some = rows.named or rows.where  # customers from Bern; of all customers it would say nothing
        for thing in done_with(c, verb, step.start, step.end) if not symmetric and some else ():
            for way in map(c.model.back, _ways_of_deed(c, step.end, thing)):
                done = Related(related=SemanticQuery(of=step.end, where=condition), via=names_of(way))
                whose = said_of(c, verb)
                yield MadePhrase(RowFilter(thing, (done,), right_edge(rows), beyond=True, said_of=whose), (STEP,))


def done_with(c: Composer, verb: Verb, start: str, rows: str) -> Iterator[str]:
    """What else each row of a deed belongs to or lists, no people: courses are what students take, products what customers order.

    Posts are written themselves, not by comments on them.
    """
    itself = said_of(c, verb)
    for end, thing in c.model.things.items():
        ways = _ways_of_deed(c, rows, end)
        alone = len(ways) == 1 and any(fits(c, ways[0]) for fits in (_belongs, Composer.is_listing, _is_kind_listed))
        if alone and end not in (start, rows, *itself) and not is_person(thing):
            yield end


def _ways_of_deed(c: Composer, rows: str, end: str) -> tuple[Way, ...]:
    """The ways from what was done to what it was done with; of listed products also to the kind of each."""
    near = c.ways(rows, end) or c.bridges(rows, end)
    return tuple(near) or tuple(way for way in c.model.ways(rows, end) if _is_kind_listed(c, way))


def _is_kind_listed(c: Composer, way: Way) -> bool:
    """Whether a way leads to what each listed thing belongs to: categories are what customers buy, too."""
    if len(way) != _KIND_LISTED or not c.is_listing(way[:2]) or not way[2].to_one:
        return False
    return not is_person(c.model.things[way[1].end])  # the clinic of a vet is not what owners own


def _belongs(c: Composer, way: Way) -> bool:
    """Whether each row at the start has one at the end: a rental its copy, and by it a film; not the address of who rented."""
    return len(way) <= _MOST_BELONGING and is_to_one(way) and not is_person(c.model.things[way[0].end])


@rule(Role, RowsPhrase)
def _whose_rows(c: Composer, role: Role, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Members whose home studio is not in Bern: what is said of the one that each has."""
    plain = not (rows.named or rows.order or rows.period or rows.also or rows.awaits or rows.other)
    if role.whose and rows.entity == role.end and rows.where and plain:
        yield from c.join(role, RowFilter(role.end, rows.where, right_edge(rows)))


@rule(WhoseRows, RowFilter)
def _whose_filter(c: Composer, whose: WhoseRows, filtered: RowFilter) -> Iterator[MadePhrase]:
    """Whose studio is not in Bern."""
    if filtered.entity == whose.entity and not filtered.before and whose.rows is None:
        yield MadePhrase(replace(whose, rows=RowsPhrase(whose.entity, where=filtered.where, edge=filtered.edge)))


@rule(RowsPhrase, WhoseRows)
def _rows_whose(c: Composer, rows: RowsPhrase, whose: WhoseRows) -> Iterator[MadePhrase]:
    """Members whose studio is not in Bern: each has one; of several it may be true of one or of all."""
    ways = c.ways(rows.entity, whose.entity)
    if whose.rows is not None and len(ways) == 1 and is_to_one(ways[0]):
        yield from c.join(rows, About("", "with", whose.rows))
