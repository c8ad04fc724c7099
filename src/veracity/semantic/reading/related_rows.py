"""Rows that are related with others: the conditions that say so, and what is denied of them. No language is in here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from veracity.language.nearest import words_of
from veracity.language.way_roles import AIM, START, EndRole, end_called
from veracity.ontology.descriptor import Cardinality
from veracity.semantic.graph import Step, Way, names_of
from veracity.semantic.query import (
    Aggregate,
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    CountRange,
    Negation,
    OrderBy,
    Related,
    SemanticQuery,
    Shown,
    all_of,
)
from veracity.semantic.reading.chart import STEP
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.grounds import Grounds
from veracity.semantic.reading.joined_phrases import CountedRows, MostRows, QuantifiedRows
from veracity.semantic.reading.phrases import RowFilter, RowsPhrase, merged
from veracity.semantic.reading.word_lists import names_for


@dataclass(frozen=True)
class RelatedRows(Grounds):
    """Says of rows that they are related with others, over the ways that may be meant."""

    def related(self, rows: RowsPhrase | CountedRows | QuantifiedRows, way: Way) -> Iterator[Condition]:
        """The condition of having these related rows; fewer than three may or may not be none at all."""
        via, target = names_of(way), rows_in(rows)
        if (
            target.also
            or target.awaits is not None
            or (target.other and not (len(way) == 1 and way[0].start == way[0].end))
        ):
            return
        if isinstance(rows, QuantifiedRows):
            yield from self._quantified(rows, way)
        elif isinstance(rows, RowsPhrase):
            yield Related(related=rows.query(), via=via)
            if rows.each and not all(step.to_one for step in way):  # through Texas and Ohio: one of them, or both
                queries = [SemanticQuery(of=rows.entity, where=all_of(where)) for where in rows.each]
                yield AllOf(conditions=tuple(Related(related=query, via=via) for query in queries))
        elif rows.op == "=" and rows.number == 0:
            yield Negation(condition=Related(related=rows.rows.query(), via=via))
        else:
            counted = Related(
                related=rows.rows.query(),
                via=via,
                count=CountRange(op=rows.op, value=rows.number),
            )
            if rows.most is not None:
                most = counted.model_copy(update={"count": CountRange(op="<=", value=rows.most)})
                yield AllOf(conditions=(counted, most))
                return
            yield counted
            if rows.op in ("<", "<="):
                yield AllOf(conditions=(counted, Related(related=rows.rows.query(), via=via)))

    def _quantified(self, rows: QuantifiedRows, way: Way) -> Iterator[Condition]:
        """Being related with each of these, or with these and no others; what has one row there says neither."""
        via, target = names_of(way), rows.rows
        if all(step.to_one for step in way):
            return
        if rows.only:
            others = SemanticQuery(of=target.entity, where=negated(target.where))
            some = Related(related=target.query(), via=via)
            yield AllOf(conditions=(some, Negation(condition=Related(related=others, via=via))))
            return
        queries = [SemanticQuery(of=target.entity, where=all_of(where)) for where in target.each]
        yield AllOf(conditions=tuple(Related(related=query, via=via) for query in queries))

    def relate(self, start: str, rows: RowsPhrase | CountedRows | QuantifiedRows) -> Iterator[Condition]:
        """The conditions that rows of an entity are related with these, one for each way that may be meant."""
        target = rows_in(rows)
        if target.link is not None:
            back = self.back(*target.link)
            if back is not None and back.start == start:
                yield from self.related(rows, (back,))
            return
        for way in self.ways(start, target.entity) or self.bridges(start, target.entity):
            if target.aim and starts_at(way[-1]):
                continue  # what goes to a place does not start there
            # Customers in Bern, where a shop is called so, are not those who bought there once.
            if not self.is_bridge(way) or not target.named or target.called or self.only_ties(way):
                yield from self.related(rows, way)

    def steps(self, start: str, condition: Condition, rows: RowsPhrase) -> tuple[str, ...]:
        """The relations that a condition follows. Of an album and its artist of the same name neither is nearer to a track."""
        marks = steps_of(condition)
        inner = condition.condition if isinstance(condition, Negation) else condition
        way = self.model.way(start, inner.via) if isinstance(inner, Related) else None
        namesakes = rows.named and len(rows.may_be) > 1
        return marks[:1] if namesakes and way and all(step.to_one for step in way) else marks

    def belongs(self, start: str, end: str) -> bool:
        """Whether each row of an entity belongs to one of another: a track to an album and to an artist."""
        ways = self.ways(start, end) if start != end else ()
        return bool(ways) and all(step.to_one for way in ways for step in way)

    def is_nearer(self, edge: tuple[str, ...], rows: RowsPhrase) -> bool:
        """Whether a preposition with these rows could be about one of the nearer things."""
        names = rows.may_be or (rows.entity,)
        return any(entity == name or self.ways(entity, name) for entity in edge for name in names)

    def counted(self, start: str, most: MostRows) -> Iterator[OrderBy]:
        """Orders by how many related rows there are."""
        rows = most.rows
        if (where := self.conditions_of(rows)) is None:
            return
        vias: list[tuple[str, ...]] = []
        if rows.link is not None:
            back = self.back(*rows.link)
            vias = [(back.name,)] if back is not None and back.start == start else []
        else:
            ways = self.ways(start, rows.entity) or self.bridges(start, rows.entity)
            vias = [names_of(way) for way in ways]
        for via in vias:
            shown = Shown(aggregate=Aggregate.COUNT, of=rows.entity, via=via, where=all_of(where))
            yield OrderBy(by=shown, descending=most.direction > 0)

    def each_has(self, what: RowsPhrase | FigurePhrase) -> Shown | None:
        """A figure, or the number of some rows, with all that is said of it as its own conditions."""
        if isinstance(what, RowsPhrase):
            where = self.conditions_of(what)
            counted = Shown(aggregate=Aggregate.COUNT, of=what.entity, where=all_of(where or ()))
            return counted if where is not None else None
        measure = what.shown[0].measure
        during = self.during(what.home, what.period, measure) if what.period is not None else None
        if what.period is not None and during is None:
            return None
        shown = what.shown[0]
        return shown.model_copy(update={"where": all_of((shown.where, *what.where, during))})

    def conditions_of(self, rows: RowsPhrase) -> tuple[Condition, ...] | None:
        """All that is said of rows as conditions on them, their time among it; nothing where that cannot be said so."""
        if rows.limit is not None or rows.awaits is not None or rows.other or rows.also:
            return None
        if rows.period is None:
            return rows.where
        during = self.during(rows.entity, rows.period)
        return merged(rows.where, (during,)) if during is not None else None

    def said_of_related(self, filtered: RowFilter, way: Way) -> Iterator[Condition]:
        """Having a related row of which this is said. Of several rows a denial is said of all: never admitted, not admitted in 2024.

        Not discharged, and no more, may be said of one of them or of all.
        """
        only = filtered.where[0] if len(filtered.where) == 1 else None
        several = not all(step.to_one for step in way)
        stored: Condition | None = None
        if filtered.lacks and isinstance(only, Comparison) and only.op == "missing" and _adds_to(way):
            # Who has no row of balances has no balance, either.
            known = RowsPhrase(filtered.entity, where=(Comparison(field=only.field, op="notMissing"),))
            yield from (Negation(condition=some) for some in self.related(known, way))
            return
        if several and (denied := _denied(only)) is not None:
            stored = denied
        elif several and filtered.lacks and isinstance(only, Comparison):
            stored = Comparison(field=only.field, op="notMissing")
        if stored is None or filtered.lacks == "it":
            yield from self.related(RowsPhrase(filtered.entity, where=filtered.where), way)
        if stored is not None:
            for some in self.related(RowsPhrase(filtered.entity, where=(stored,)), way):
                yield Negation(condition=some)


def steps_of(condition: Condition) -> tuple[str, ...]:
    """The relations that a condition follows."""
    inner = condition.condition if isinstance(condition, Negation) else condition
    if isinstance(inner, AllOf):  # several conditions over one relation
        inner = inner.conditions[0]
    return (STEP,) * len(inner.via) if isinstance(inner, Related) else ()


def rows_in(rows: RowsPhrase | CountedRows | MostRows | QuantifiedRows) -> RowsPhrase:
    return rows if isinstance(rows, RowsPhrase) else rows.rows


def right_edge(rows: RowsPhrase | CountedRows | MostRows | QuantifiedRows) -> tuple[str, ...]:
    """The entities at the right end of some words that a further condition may be about; a name takes none."""
    inner = rows_in(rows)
    if inner.named:
        return ()
    return inner.edge or (inner.entity,)


def starts_at(step: Step) -> bool:
    """Whether a relation leads to where something starts, by what it and its columns are called."""
    return _is_called(step, START)


def aims_at(step: Step) -> bool:
    """Whether a relation leads to where something goes."""
    return _is_called(step, AIM)


def _is_called(step: Step, end: EndRole) -> bool:
    relation = step.relation
    called = (
        [*names_for(relation.name or "", relation), *(own for hop in step.hops for own, _ in hop.keys)]
        if relation
        else []
    )
    return any(end_called((word,)) == end for name in called for word in words_of(name).split())


def _adds_to(way: Way) -> bool:
    """Whether it leads to the one row of another table that only adds to a row, and that may not be there."""
    relation = way[0].relation if len(way) == 1 else None
    return relation is not None and relation.cardinality is Cardinality.ONE_TO_ONE and way[0].inverse


def negated(where: tuple[Condition, ...]) -> Condition:
    whole = all_of(where)
    assert whole is not None
    return Negation(condition=whole)


def not_even_stored(where: tuple[Condition, ...]) -> Condition:
    """Not this value: another one, or none at all."""
    only = where[0] if len(where) == 1 else None
    if not isinstance(only, Comparison):
        return negated(where)
    return AnyOf(conditions=(Comparison(field=only.field, op="missing"), Negation(condition=only)))


def _denied(condition: Condition | None) -> Condition | None:
    """What a denial denies."""
    if isinstance(condition, AnyOf) and len(condition.conditions) == 2:
        condition = next((one for one in condition.conditions if isinstance(one, Negation)), None)
    return condition.condition if isinstance(condition, Negation) else None
