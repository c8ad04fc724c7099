"""From the words of a question to its meanings: rules that join neighbouring phrases. No language is in here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as made_of
from typing import Any, Literal, Protocol

from veracity.language.nearest import words_of
from veracity.language.units import unit_called
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
    Dimension,
    InSegment,
    Negation,
    OrderBy,
    Related,
    SemanticQuery,
    Shown,
    Transform,
    all_of,
)
from veracity.semantic.query_values import Grain
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.grounds import Grounds
from veracity.semantic.reading.phrases import (
    AboutEach,
    Attribute,
    Commonest,
    CountedRows,
    FigurePhrase,
    JoinedPhrase,
    JoiningWord,
    Lookup,
    MostRows,
    OpenBound,
    PeriodNoun,
    QuantifiedRows,
    Role,
    RowFilter,
    RowsPhrase,
    Stored,
    Verb,
    merged,
)
from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.truths import Truths
from veracity.semantic.reading.ways import numbers_of_units
from veracity.semantic.reading.word_lists import key_of, names_for
from veracity.semantic.reading.words import WordSense

OTHER_ENTITY = "a field of what is named before one of something related"


OTHER_FIELD = "the name of a thing before its other fields"


UNSAID = "a field of what the question names before the same one of something else"


FAR = "a condition is about the nearest thing that it can be about"


ROLE = "a field before a role"


STEP = "the fewest relations"


DEFAULT_FIGURE = "what is said before what it stands for"


UNNAMED_DATE = "the date that goes without saying before one that nobody named"


COMPUTED = "what is stored before what could be computed"


PREFERENCES = (DEFAULT_FIGURE, OTHER_FIELD, ROLE, UNNAMED_DATE, UNSAID, OTHER_ENTITY, FAR, STEP, COMPUTED)


"""The stated rules that decide between readings, the first ones first."""


AGGREGATES = {
    "sum": Aggregate.SUM, "avg": Aggregate.AVG, "median": Aggregate.MEDIAN, "min": Aggregate.MIN, "max": Aggregate.MAX,
}  # fmt: skip


_GRAINS = {grain.value: grain for grain in Grain}


DEFAULT_DATE = "@.@"


"""A dimension's field until it is known whose date is meant."""


Rule = Callable[["Composer", Any, Any], Iterator[MadePhrase]]
"""Two neighbouring phrases -> what they mean together."""
Rules = dict[tuple[type, type], list[Rule]]
"""The rules by the kinds of phrases that they join."""


class RuleBook(Protocol):
    """A decorator that enters rules into a book."""

    def __call__(self, left: type, right: type, *, either_way: bool = False) -> Callable[[Rule], Rule]:
        """For phrases of these kinds side by side; `either_way`: whichever comes first."""


def rule_book(rules: Rules) -> RuleBook:
    """Enters rules by the kinds of phrases that they join."""

    def rule(left: type, right: type, *, either_way: bool = False) -> Callable[[Rule], Rule]:
        def enter(function: Rule) -> Rule:
            rules.setdefault((left, right), []).append(function)
            if either_way:
                rules.setdefault((right, left), []).append(lambda c, one, two: function(c, two, one))
            return function

        return enter

    return rule


@dataclass(frozen=True)
class Composer(Grounds):
    """Joins phrases with what a model knows and in the order of one language."""

    order: Mapping[str, bool]
    rules: Rules
    preferences: tuple[str, ...] = PREFERENCES
    truths: Truths = made_of(default_factory=dict)
    """The fields that say yes or no."""

    def weigh(self, senses: Sequence[WordSense]) -> Iterator[tuple[WordSense, tuple[str, ...]]]:
        """What the words may mean; a field of what nobody spoke of comes after the same one of what is named."""
        named = {sense.phrase.entity for sense in senses if isinstance(sense.phrase, RowsPhrase)}
        spoken_of = {entity for sense in senses for entity in _spoken_of(sense.phrase)}
        fields = [(sense, sense.phrase.entity) for sense in senses if isinstance(sense.phrase, Attribute)]
        said = {(sense.start, sense.end) for sense, entity in fields if entity in named}
        unsaid = {sense for sense, entity in fields if (sense.start, sense.end) in said and entity not in spoken_of}
        for sense in senses:
            told = sense
            if isinstance(sense.phrase, Stored):  # students from Rome, where a course is called so, too
                told = replace(
                    sense, phrase=replace(sense.phrase, holders=tuple(sorted(named & set(_spoken_of(sense.phrase)))))
                )
            yield told, (UNSAID,) if sense in unsaid else ()

    def join(self, left: Phrase, right: Phrase) -> Iterator[MadePhrase]:
        """What two neighbours mean together."""
        if isinstance(left, JoiningWord) and left.kind == "genitive" and not isinstance(right, JoiningWord):
            yield MadePhrase(right)  # der is an article or says of
        for rule in self.rules.get((type(left), type(right)), ()):
            yield from rule(self, left, right)

    def joins(self, left: type, right: type) -> bool:
        """Whether there is a rule for phrases of these kinds."""
        return (left, right) in self.rules or left is JoiningWord

    # --- what phrases are by themselves

    def expand(self, phrase: Phrase) -> Iterator[MadePhrase]:
        """What a phrase may also be."""
        match phrase:
            case Stored():
                yield from self._stored(phrase)
            case Role(whose=False):
                back = self.back(phrase.start, phrase.step)
                if back is not None:
                    condition = Related(related=SemanticQuery(of=phrase.start), via=(back.name,))
                    yield MadePhrase(RowsPhrase(phrase.end, where=(condition,)), (ROLE, ROLE))
            case OpenBound():
                yield from self._bound(phrase)
            case RowsPhrase() if phrase.named or (phrase.is_segment and not phrase.figure_word):
                yield from self._default_figure(phrase)
            case JoiningWord(kind=kind) if kind.removeprefix("and_") in _GRAINS:
                grain = _GRAINS[kind.removeprefix("and_")]
                each = AboutEach(Dimension(field=DEFAULT_DATE, grain=grain), "")
                told = JoinedPhrase("and", each) if kind.startswith("and_") else each
                yield MadePhrase(told, (COMPUTED,) if grain.repeats else ())
            case JoiningWord(kind=kind) if (grain_name := kind.rpartition("_")[2]) in _GRAINS and "_" in kind:
                if (how := kind.removesuffix(f"_{grain_name}")) in ("the", "several", "how_many"):
                    noun = PeriodNoun(_GRAINS[grain_name], plural=how != "the", counted=how == "how_many")
                    yield MadePhrase(noun, (COMPUTED,) if noun.grain.repeats else ())
            case Commonest():
                yield from self._commonest(phrase)
            case _:
                return

    def _happens_below(self, entity: str) -> bool:
        """Whether rows with a date belong to an entity's, over others."""
        happening = (name for name in self.model.things if name != entity and self.default_date(name) is not None)
        return any(self.belongs(name, entity) for name in happening)

    def _calls_rows(self, attribute: Attribute) -> bool:
        """Whether a field is what its rows are called, in the same word: each keyword stands in one row of keywords."""
        thing = self.model.things[attribute.entity]
        own = {key_of(name) for name in names_for(thing.name, thing.declared)}
        called = {key_of(name) for name in names_for(attribute.field, thing.fields[attribute.field].declared)}
        return attribute.field in (*thing.display, *thing.key) and not own.isdisjoint(called)

    def _commonest(self, common: Commonest) -> Iterator[MadePhrase]:
        """The most common country: that of most customers; the most common genre: that of most of what belongs to it."""
        what = common.what
        if isinstance(what, Attribute) and self._calls_rows(what):
            what = RowsPhrase(what.entity)
        if isinstance(what, RowsPhrase):
            down = [step for step in self.model.steps[what.entity] if self._is_down(step) and step.end != step.start]
            tied = [step for step in self.model.steps[what.entity] if not step.to_one and step.end != step.start]
            down = down or (tied if len(tied) == 1 else [])  # the keyword of most papers
            units = any(list(numbers_of_units(self.model.things[step.end])) for step in down)
            if units or not (any(self.dated(step.end) for step in down) or not self._happens_below(what.entity)):
                # The most popular product: by how many of it, or how many times? An artist: by albums, or by sales?
                yield MadePhrase(replace(what, awaits=(common.count, common.direction)))
                return
            for step in down:
                shown = Shown(aggregate=Aggregate.COUNT, of=step.end, via=(step.name,))
                order = OrderBy(by=shown, descending=common.direction > 0)
                yield MadePhrase(replace(what, order=(order,), limit=common.count))
            return
        counted = Shown(aggregate=Aggregate.COUNT, of=what.entity)
        order = OrderBy(by=counted, descending=common.direction > 0)
        by = (Dimension(field=what.path),)
        figures = FigurePhrase((counted,), what.entity, by=by, order=(order,), limit=common.count, edge=(what.entity,))
        yield MadePhrase(figures)

    def _default_figure(self, rows: RowsPhrase) -> Iterator[MadePhrase]:
        """Account 1020: its balance, where a figure is asked."""
        declared = self.model.things[rows.entity].declared
        group = rows.where[0] if rows.is_segment else None
        measure = declared.default_measure if declared else None
        if isinstance(group, InSegment):
            measure = self.model.segments[group.segment][1].default_measure
        if measure is None or rows.limit is not None or rows.period is not None:
            return
        home = self.model.measures[measure][0]
        conditions = list(self.relate(home, rows))
        if isinstance(group, InSegment):
            ways = self.model.ways(home, rows.entity)
            conditions = [InSegment(segment=group.segment, via=names_of(way)) for way in ways]
        for condition in conditions:
            figure = FigurePhrase((Shown(measure=measure),), home, (condition,), edge=(home,))
            yield MadePhrase(figure, (DEFAULT_FIGURE,))

    def _stored(self, stored: Stored) -> Iterator[MadePhrase]:
        """A stored value means the rows that are called so, or a condition on the rows that hold it."""
        named = [home for home in stored.homes if self._names_rows(*home[:2])]
        names = tuple(dict.fromkeys(entity for entity, _, _ in named))
        holders = tuple(dict.fromkeys(entity for entity, _, _ in stored.homes))
        for entity, field, value in stored.homes:
            condition = Comparison(field=f"{entity}.{field}", value=value)
            if (entity, field, value) in named:
                yield MadePhrase(RowsPhrase(entity, where=(condition,), named=True, may_be=names))
            else:
                filtered = RowFilter(entity, (condition,), before=True, may_be=holders, is_value=True, noun=stored.noun)
                yield MadePhrase(filtered, (OTHER_FIELD,) if named and entity not in stored.holders else ())
                if stored.noun:  # operations are the treatments of that kind
                    yield MadePhrase(RowsPhrase(entity, where=(condition,), plural=True), (OTHER_FIELD,))

    def _names_rows(self, entity: str, field: str) -> bool:
        """Whether values of a field are what rows are called; one part of a key of several is none: the gate of a count."""
        thing = self.model.things[entity]
        part = len(thing.key) > 1 and set(thing.display) == set(thing.key) and self.default_date(entity) is not None
        return field in thing.display and not part

    def _bound(self, bound: OpenBound) -> Iterator[MadePhrase]:
        """longer than 5 minutes, over 20 dollars: a condition where adjective or unit tell the field."""
        fields = bound.fields
        if not fields and bound.number.dimension:
            fields = tuple(self._measured_in(bound.number.dimension))
        for entity, field in fields:
            if condition := self.compared(entity, field, bound):
                yield MadePhrase(RowFilter(entity, (condition,)))

    def _measured_in(self, dimension: str) -> Iterator[tuple[str, str]]:
        for thing in self.model.things.values():
            for name, facts in thing.fields.items():
                unit = unit_called(facts.declared.unit) if facts.declared and facts.declared.unit else None
                if unit is not None and unit.dimension == dimension:
                    yield thing.name, name

    # --- relations

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

    # --- fields

    # --- attributes of rows

    def look_up(self, attribute: Attribute, rows: RowsPhrase) -> Iterator[MadePhrase]:
        """A field of rows: their own, one of what they belong to, or one of what belongs to them."""
        if rows.awaits is not None or rows.figure_word or rows.other or rows.also:
            return
        if attribute.ranks and rows.plural and attribute.plain:
            return  # the lowest point of all these states, or that of each of them: the words do not say
        if attribute.entity == rows.entity:
            yield from self._of(attribute, rows, ())
            return
        for way in self.ways(rows.entity, attribute.entity):
            if all(step.to_one for step in way) and not attribute.aggregate and not attribute.direction:
                yield MadePhrase(Lookup(rows, (attribute,), attribute.asked), (OTHER_ENTITY,))
        yield from self._mean_of_means(attribute, rows)
        for condition in self.relate(attribute.entity, rows):
            near = RowsPhrase(attribute.entity, where=(condition,), edge=(attribute.entity, *right_edge(rows)))
            yield from self._of(attribute, near, (OTHER_ENTITY, *self.steps(attribute.entity, condition, rows)))

    def _mean_of_means(self, attribute: Attribute, rows: RowsPhrase) -> Iterator[MadePhrase]:
        """The average rating of businesses may also be the average of each business's average."""
        if attribute.aggregate not in (Aggregate.AVG, Aggregate.MEDIAN) or rows.single:
            return
        for condition in self.relate(attribute.entity, rows):
            inner = SemanticQuery(
                show=(Shown(aggregate=attribute.aggregate, field=attribute.path),),
                of=attribute.entity,
                where=condition,
                by=(Dimension(entity=rows.entity),),
            )
            shown = Shown(aggregate=attribute.aggregate, rows=inner, unit=attribute.unit)
            yield MadePhrase(FigurePhrase((shown,), attribute.entity), (OTHER_ENTITY, *steps_of(condition)))

    def _of(self, attribute: Attribute, rows: RowsPhrase, marks: tuple[str, ...]) -> Iterator[MadePhrase]:
        if attribute.aggregate is not None or attribute.direction is not None:
            if figure := self.aggregated(attribute, rows):
                yield MadePhrase(figure, marks)
            return
        yield MadePhrase(Lookup(rows, (replace(attribute, asked=False),), attribute.asked, attribute.unit), marks)

    def aggregated(self, attribute: Attribute, rows: RowsPhrase) -> FigurePhrase | None:
        """The sum, average or largest value of a field over rows."""
        aggregate = attribute.aggregate or (Aggregate.MAX if attribute.direction == 1 else Aggregate.MIN)
        of_any = (Aggregate.MIN, Aggregate.MAX, Aggregate.COUNT_DISTINCT)
        if not self.numeric(attribute.entity, attribute.field) and aggregate not in of_any:
            return None
        if aggregate is Aggregate.SUM and self.model.things[attribute.entity].has_measure_called_as(attribute.field):
            return None
        if aggregate in (Aggregate.AVG, Aggregate.MEDIAN) and rows.single and rows.entity == attribute.entity:
            return None  # one row has no average: the average price of a product is that of its sales
        if attribute.behind and not self.order.get("modifiers_before"):
            return None  # of what it is highest is asked for
        shown = Shown(aggregate=aggregate, field=attribute.path, unit=attribute.unit)
        return self.figure_of(shown, rows)

    def totalled(self, attribute: Attribute, rows: RowsPhrase) -> FigurePhrase | None:
        """The figure that a field asks for where it is not asked row by row; nothing where it has none."""
        if attribute.aggregate is None and attribute.direction is None:
            if not attribute.asked or not self.adds_up(attribute):
                return None
            attribute = replace(attribute, aggregate=Aggregate.SUM)
        return self.aggregated(attribute, rows)

    def figures_per_group(self, attribute: Attribute) -> tuple[Aggregate, ...]:
        """What a field asks for per group: what is said of it, else its sum; where nobody described it, sum or average."""
        if attribute.aggregate is not None:
            return (attribute.aggregate,)
        if attribute.direction is not None:
            return (Aggregate.MAX if attribute.direction == 1 else Aggregate.MIN,)
        if self.may_add_up(attribute):
            return (Aggregate.SUM,)  # refused with the question that is open
        if not self.adds_up(attribute) or self.model.things[attribute.entity].has_measure_called_as(attribute.field):
            return ()
        described = self.model.things[attribute.entity].fields[attribute.field].declared is not None
        return (Aggregate.SUM,) if described or attribute.asked else (Aggregate.SUM, Aggregate.AVG)

    def figure_of(self, shown: Shown, rows: RowsPhrase) -> FigurePhrase:
        """A figure over rows; those first in an order are a condition of their own."""
        if rows.limit is None:
            return FigurePhrase(
                (shown,), rows.entity, rows.where, period=rows.period, edge=(rows.entity, *right_edge(rows)[1:])
            )
        among = Related(related=rows.query())
        return FigurePhrase((shown,), rows.entity, (among,), edge=(rows.entity, *right_edge(rows)[1:]))

    def count(self, rows: RowsPhrase) -> FigurePhrase | None:
        """How many rows there are."""
        if rows.awaits is not None or rows.figure_word or rows.other or rows.link is not None or rows.also:
            return None
        if rows.order and rows.limit is None:
            return None  # a number has no order
        return self.figure_of(Shown(aggregate=Aggregate.COUNT, of=rows.entity), rows)

    def summed_noun(self, rows: RowsPhrase) -> FigurePhrase | None:
        """What rows come to that are called by a word for an amount, such as costs."""
        amount = self.only_amount(rows.entity)
        counted = self.count(rows)
        if amount is None or counted is None:
            return None
        return self.figure_of(Shown(aggregate=Aggregate.SUM, field=f"{rows.entity}.{amount}"), rows)

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

    def narrowed(
        self, figures: FigurePhrase, entity: str, where: tuple[Condition, ...], *, lacks: Literal["", "it", "ever"] = ""
    ) -> Iterator[MadePhrase]:
        """A figure under conditions on rows of an entity that it is related to."""
        if entity == figures.home:
            yield MadePhrase(replace(figures, where=merged(figures.where, where)))
            return
        if linked := self._over_its_own_rows(figures.home, entity, where):
            yield MadePhrase(replace(figures, where=merged(figures.where, linked)), (OTHER_ENTITY, STEP))
            return
        for way in self.ways(figures.home, entity):
            for condition in self.said_of_related(RowFilter(entity, where, lacks=lacks), way):
                yield MadePhrase(
                    replace(figures, where=merged(figures.where, (condition,))), (OTHER_ENTITY, *[STEP] * len(way))
                )

    def _over_its_own_rows(self, home: str, entity: str, where: tuple[Condition, ...]) -> tuple[Condition, ...]:
        """Debits posted to account 2000: a relation over the very rows that are added up is about these, not about others."""
        found: list[Condition] = []
        for one in where:
            step = self.step(entity, one.via[0]) if isinstance(one, Related) and len(one.via) == 1 else None
            link = step.relation.through if step and step.relation else None
            ways = self.model.ways(home, step.end) if step and link and link.entity == home else ()
            if not isinstance(one, Related) or one.count is not None or len(ways) != 1:
                return ()
            found.append(Related(related=one.related, via=names_of(ways[0])))
        return tuple(found)

    def per(self, figures: FigurePhrase, grain: Grain) -> Iterator[MadePhrase]:
        """A figure per day, week, month, quarter or year."""
        yield from self.divided(figures, AboutEach(Dimension(field=DEFAULT_DATE, grain=grain), ""))

    def series(self, figures: FigurePhrase) -> Iterator[MadePhrase]:
        """A figure over periods; where its growth is asked for, with its change from one period to the next beside it."""
        if not figures.grows:
            yield MadePhrase(figures)
        elif self._follow_each_other(figures):
            beside = figures.shown[0].model_copy(update={"transform": Transform.CHANGE_PERCENT})
            yield MadePhrase(replace(figures, shown=(figures.shown[0], beside), grows=False))

    def _follow_each_other(self, figures: FigurePhrase) -> bool:
        """Whether groups of a figure have one before them in time: it is plain, whole, and divided by one row of periods."""
        shown = figures.shown[0]
        said = (
            figures.order,
            figures.having,
            figures.direction,
            figures.compare,
            figures.limit,
            shown.transform,
            shown.unit,
        )
        if len(figures.shown) != 1 or any(said):
            return False
        grains = [one for one in figures.by if one.is_dated]
        parts = self.model.things[figures.home].date_parts
        years = tuple(f"{figures.home}.{parts.year}" for parts in (parts,) if parts)
        return len(grains) == 1 or (not grains and tuple(one.field for one in figures.by) == years)

    def divided(self, figures: FigurePhrase, each: AboutEach) -> Iterator[MadePhrase]:
        """A figure per value of a field, row of an entity or period; or per several of them."""
        timed = any(one.dimension.field == DEFAULT_DATE for one in (each, *each.more))
        if timed and self.has_other_times(figures):
            return
        figures = _share_in_each(figures)
        made = list(self._divided(figures, each))
        for other in each.more:
            made = [
                MadePhrase(further.phrase, (*one.marks, *further.marks))
                for one in made
                if isinstance(one.phrase, FigurePhrase)
                for further in self._divided(one.phrase, other)
            ]
        yield from (one for one in made if not _has_two_grains(one.phrase))

    def _divided(self, figures: FigurePhrase, each: AboutEach) -> Iterator[MadePhrase]:
        dimension, marks = each.dimension, list[str]()
        if each.role is not None:
            yield from self._per_role(figures, each, *each.role)
            return
        if dimension.field == DEFAULT_DATE:
            place = self._said_date(figures) or self.default_date(figures.home, figures.shown[0].measure)
            if place is None:
                yield from self._divided_by_parts(figures, dimension.grain)
                yield from self._divided_by_dates(figures, dimension)
                return
            dimension = dimension.model_copy(update={"field": place})
        elif each.entity != figures.home:
            ways = self.model.ways(figures.home, each.entity)
            if not ways or self.is_far_year(figures.home, each.entity, dimension.field):
                return
            marks = [OTHER_ENTITY] * (dimension.field is not None) + [STEP] * len(ways[0])
        elif dimension.entity == figures.home and figures.shown[0].aggregate is Aggregate.AVG:
            if each.kind != "each":
                yield MadePhrase(figures)  # the average per state, of states
            return
        elif dimension.entity == figures.home and figures.shown[0].of == figures.home:
            return
        if dimension in figures.by:
            if dimension.grain is not None:
                yield MadePhrase(figures)  # the monthly revenue by month
            return
        divided = replace(figures, by=(*figures.by, dimension))
        if not each.where:
            yield MadePhrase(divided, tuple(marks))
            return
        for way in self.model.ways(figures.home, each.entity):
            related = Related(related=SemanticQuery(of=each.entity, where=all_of(each.where)), via=names_of(way))
            conditions = (related,) if way else each.where
            yield MadePhrase(replace(divided, where=merged(divided.where, conditions)), tuple(marks))

    def _said_date(self, figures: FigurePhrase) -> str | None:
        """The date that was named for a time before: finished in 2025 per month is by the month of finishing."""
        compared = [one for one in figures.where if isinstance(one, Comparison) and not (one.via or one.since)]
        named = {one.field for one in compared if one.grain is None and self.is_time((one,)) and one.value is not None}
        return named.pop() if len(named) == 1 and not figures.shown[0].measure else None

    def _divided_by_parts(self, figures: FigurePhrase, grain: Grain | None) -> Iterator[MadePhrase]:
        """Per year or month, where years and months stand in columns of their own."""
        parts = self.model.things[figures.home].date_parts
        wanted = {Grain.YEAR: (parts.year,), Grain.MONTH: (parts.year, parts.month)} if parts else {}
        names = wanted.get(grain or Grain.DAY, (None,))
        more = tuple(Dimension(field=f"{figures.home}.{name}") for name in names if name)
        if len(more) == len(names):
            yield MadePhrase(replace(figures, by=tuple(dict.fromkeys((*figures.by, *more)))))

    def _divided_by_dates(self, figures: FigurePhrase, each: Dimension) -> Iterator[MadePhrase]:
        """Per year of each date of the rows, where nobody says which one is meant."""
        thing = self.model.things[figures.home]
        for name, facts in thing.fields.items() if thing.date_parts is None else ():
            if facts.is_date and (figures.home, name) not in self.born:  # guests per year are not those born then
                dimension = each.model_copy(update={"field": f"{figures.home}.{name}"})
                yield MadePhrase(replace(figures, by=(*figures.by, dimension)), (UNNAMED_DATE,))

    def _per_role(self, figures: FigurePhrase, each: AboutEach, start: str, step: str) -> Iterator[MadePhrase]:
        """Per treating doctor: the relation is said."""
        for way in self.model.ways(figures.home, start) if not each.where else ():
            dimension = each.dimension.model_copy(update={"via": (*names_of(way), step)})
            if dimension not in figures.by:
                marks = (STEP,) * (len(way) + 1)
                yield MadePhrase(replace(figures, by=(*figures.by, dimension)), marks)


def _share_in_each(figures: FigurePhrase) -> FigurePhrase:
    """The share of some rows, to be told for each group by itself: a share among groups is something else."""
    shown = figures.shown[0]
    if shown.transform is not Transform.SHARE or shown.where is None or figures.by:
        return figures
    part = shown.model_copy(update={"transform": None})
    ratio = Shown(ratio=(part, part.model_copy(update={"where": None})), unit="%")
    return replace(figures, shown=(ratio, *figures.shown[1:]))


def _spoken_of(phrase: Phrase) -> Iterator[str]:
    """The entities that a word other than the name of a field may be about."""
    match phrase:
        case RowsPhrase() | RowFilter():
            yield phrase.entity
        case FigurePhrase():
            yield phrase.home
        case Role():
            yield from (phrase.start, phrase.end)
        case Stored():
            yield from (entity for entity, _, _ in phrase.homes)
        case Verb():
            yield from (entity for entity, _, _ in phrase.steps)


def _has_two_grains(phrase: Phrase) -> bool:
    """Whether a figure is divided by months and by years of the same date at once; only the best month of each year is asked for so."""
    if not isinstance(phrase, FigurePhrase) or phrase.limit is not None:
        return False
    dated = [one.field for one in phrase.by if one.grain]
    return len(dated) > len(set(dated))


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


def narrowed_rows(
    rows: RowsPhrase, where: tuple[Condition, ...], edge: tuple[str, ...], *, far: bool
) -> Iterator[MadePhrase]:
    """Rows under further conditions; behind an order that was said after the noun both scopes are readings."""
    marks = (FAR,) if far else ()
    ended = (rows.entity, *edge)
    if not rows.after_top:
        yield MadePhrase(replace(rows, where=merged(rows.where, where), edge=ended), marks)
        return
    yield MadePhrase(replace(rows, where=merged(rows.where, where), edge=ended), marks)
    among = Related(related=rows.query())
    yield MadePhrase(RowsPhrase(rows.entity, where=merged((among,), where), edge=ended), marks)


def is_far(edge: tuple[str, ...], entities: tuple[str, ...]) -> bool:
    """Whether a condition on one of these entities could be about a thing nearer to it than the outermost."""
    return any(entity in edge[1:] for entity in entities)


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
