"""From the words of a question to its meanings: rules that join neighbouring phrases. No language is in here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import ROUND_FLOOR, Decimal
from typing import Any

from veracity.language.units import unit_called
from veracity.ontology.descriptor import FieldRole
from veracity.semantic.checking.expressions import segment_condition
from veracity.semantic.checking.names import facts_of
from veracity.semantic.graph import SemanticModel, Step, Way, names_of
from veracity.semantic.query import (
    Aggregate,
    AllOf,
    AnyOf,
    Comparing,
    Comparison,
    Condition,
    CountRange,
    Dimension,
    Grain,
    InSegment,
    Negation,
    OrderBy,
    QueryPeriod,
    Related,
    SemanticQuery,
    Shown,
    all_of,
    last_day,
)
from veracity.semantic.reading.chart import MadePhrase
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
    Phrase,
    QuantifiedRows,
    Role,
    RowFilter,
    RowsPhrase,
    SaidNumber,
    SaidPeriod,
    Stored,
    UnitWish,
    merged,
)
from veracity.sources.source import NUMERIC, ColumnType

OTHER_ENTITY = "a field of what is named before one of something related"


OTHER_FIELD = "the name of a thing before its other fields"


FAR = "a condition is about the nearest thing that it can be about"


ROLE = "a field before a role"


STEP = "the fewest relations"


DEFAULT_FIGURE = "what is said before what it stands for"


UNNAMED_DATE = "the date that goes without saying before one that nobody named"


PREFERENCES = (DEFAULT_FIGURE, OTHER_FIELD, ROLE, UNNAMED_DATE, OTHER_ENTITY, FAR, STEP)


"""The stated rules that decide between readings, the first ones first."""


AGGREGATES = {
    "sum": Aggregate.SUM, "avg": Aggregate.AVG, "median": Aggregate.MEDIAN, "min": Aggregate.MIN, "max": Aggregate.MAX,
}  # fmt: skip


_GRAINS = {grain.value: grain for grain in Grain}


_MOST_GUESSES = 5
_DEFAULT_DATE = "@.@"


"""A dimension's field until it is known whose date is meant."""


Rule = Callable[["Composer", Any, Any], Iterator[MadePhrase]]
"""Two neighbouring phrases -> what they mean together."""
Rules = dict[tuple[type, type], list[Rule]]
"""The rules by the kinds of phrases that they join."""


def rule_book(rules: Rules) -> Callable[[type, type], Callable[[Rule], Rule]]:
    """A decorator that enters rules into a book."""

    def rule(left: type, right: type) -> Callable[[Rule], Rule]:
        def enter(function: Rule) -> Rule:
            rules.setdefault((left, right), []).append(function)
            return function

        return enter

    return rule


@dataclass(frozen=True)
class Composer:
    """Joins phrases with what a model knows and in the order of one language."""

    model: SemanticModel
    order: Mapping[str, bool]
    rules: Rules

    def join(self, left: Phrase, right: Phrase) -> Iterator[MadePhrase]:
        """What two neighbours mean together."""
        if isinstance(left, JoiningWord) and left.kind == "genitive" and not isinstance(right, JoiningWord):
            yield MadePhrase(right)  # der is an article or says of
        for rule in self.rules.get((type(left), type(right)), ()):
            yield from rule(self, left, right)

    # --- what phrases are by themselves

    def expand(self, phrase: Phrase) -> Iterator[MadePhrase]:
        """What a phrase may also be."""
        match phrase:
            case Stored():
                yield from self._stored(phrase)
            case Role():
                back = self.back(phrase.start, phrase.step)
                if back is not None:
                    condition = Related(related=SemanticQuery(of=phrase.start), via=(back.name,))
                    yield MadePhrase(RowsPhrase(phrase.end, where=(condition,)), (ROLE, ROLE))
            case OpenBound():
                yield from self._bound(phrase)
            case RowsPhrase(named=True) if self.model.things[phrase.entity].declared:
                yield from self._default_figure(phrase)
            case JoiningWord(kind=kind) if kind.removeprefix("and_") in _GRAINS:
                grain = _GRAINS[kind.removeprefix("and_")]
                each = AboutEach(Dimension(field=_DEFAULT_DATE, grain=grain), "")
                yield MadePhrase(JoinedPhrase("and", each) if kind.startswith("and_") else each)
            case Commonest():
                yield from self._commonest(phrase)
            case _:
                return

    def _commonest(self, common: Commonest) -> Iterator[MadePhrase]:
        """The most common country: that of most customers; the most common genre: that of most of what belongs to it."""
        what = common.what
        if isinstance(what, RowsPhrase):
            for step in self.model.steps[what.entity]:
                if self._is_down(step) and step.end != step.start:
                    shown = Shown(aggregate=Aggregate.COUNT, of=step.end, via=(step.name,))
                    order = OrderBy(by=shown, descending=common.direction > 0)
                    yield MadePhrase(replace(what, order=(order,), limit=1))
            return
        counted = Shown(aggregate=Aggregate.COUNT, of=what.entity)
        order = OrderBy(by=counted, descending=common.direction > 0)
        by = (Dimension(field=what.path),)
        yield MadePhrase(FigurePhrase((counted,), what.entity, by=by, order=(order,), limit=1, edge=(what.entity,)))

    def _default_figure(self, rows: RowsPhrase) -> Iterator[MadePhrase]:
        """Account 1020: its balance, where a figure is asked."""
        declared = self.model.things[rows.entity].declared
        measure = declared.default_measure if declared else None
        if measure is not None and rows.limit is None and rows.period is None:
            home = self.model.measures[measure][0]
            for condition in self.relate(home, rows):
                figure = FigurePhrase((Shown(measure=measure),), home, (condition,), edge=(home,))
                yield MadePhrase(figure, (DEFAULT_FIGURE,))

    def _stored(self, stored: Stored) -> Iterator[MadePhrase]:
        """A stored value means the rows that are called so, or a condition on the rows that hold it."""
        named = [home for home in stored.homes if home[1] in self.model.things[home[0]].display]
        names = tuple(dict.fromkeys(entity for entity, _, _ in named))
        holders = tuple(dict.fromkeys(entity for entity, _, _ in stored.homes))
        for entity, field, value in stored.homes:
            condition = Comparison(field=f"{entity}.{field}", value=value)
            if (entity, field, value) in named:
                yield MadePhrase(RowsPhrase(entity, where=(condition,), named=True, may_be=names))
            else:
                filtered = RowFilter(entity, (condition,), before=True, may_be=holders, is_value=True, noun=stored.noun)
                yield MadePhrase(filtered, (OTHER_FIELD,) if named else ())

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

    def back(self, start: str, name: str) -> Step | None:
        """A step seen from its other end."""
        step = self.step(start, name)
        if step is None:
            return None
        others = self.model.steps.get(step.end, ())
        return next((s for s in others if s.relation is step.relation and s.inverse != step.inverse), None)

    def step(self, start: str, name: str) -> Step | None:
        """The relation of that name from an entity."""
        return next((step for step in self.model.steps.get(start, ()) if step.name == name), None)

    def ways(self, start: str, end: str) -> tuple[Way, ...]:
        """The ways that a preposition alone may mean: up, down, or over one relation; never up and down again."""
        if start == end:
            return ()
        return tuple(
            way
            for way in self.model.ways(start, end)
            if len(way) == 1 or all(s.to_one for s in way) or all(self._is_down(s) for s in way)
        )

    def _is_down(self, step: Step) -> bool:
        back = self.back(step.start, step.name)
        return back is not None and back.to_one

    def related(self, rows: RowsPhrase | CountedRows | QuantifiedRows, way: Way) -> Iterator[Condition]:
        """The condition of having these related rows; fewer than three may or may not be none at all."""
        via, target = names_of(way), rows_in(rows)
        if target.other and not (len(way) == 1 and way[0].start == way[0].end):
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
        for way in self.ways(start, target.entity):
            yield from self.related(rows, way)

    def together(self, one: tuple[Condition, ...], two: tuple[Condition, ...]) -> tuple[Condition, ...] | None:
        """Both conditions; nothing where no row can meet both, as account 1100 is none of revenue."""
        groups = [part.segment for part in (*one, *two) if isinstance(part, InSegment)]
        names = [value for part in (*one, *two) for value in self._key_values(part)]
        for group in groups:
            entity = self.model.segments[group][0]
            ranges = _prefixes(segment_condition(self.model.things[entity], group))
            for other in groups:
                others = _prefixes(segment_condition(self.model.things[entity], other))
                if ranges and others and not _overlap(ranges, others):
                    return None
            if ranges and any(home == entity and not value.startswith(ranges) for home, value in names):
                return None
        return merged(one, two)

    def _key_values(self, condition: Condition) -> Iterator[tuple[str, str]]:
        """The codes that rows are called by, with their entities."""
        where = condition.related.where if isinstance(condition, Related) else condition
        if isinstance(where, Comparison) and where.op == "=" and isinstance(where.value, str):
            entity, _, field = where.field.rpartition(".")
            if self.model.things[entity].key == (field,):
                yield entity, where.value

    def is_nearer(self, edge: tuple[str, ...], rows: RowsPhrase) -> bool:
        """Whether a preposition with these rows could be about one of the nearer things."""
        names = rows.may_be or (rows.entity,)
        return any(entity == name or self.ways(entity, name) for entity in edge for name in names)

    def counted(self, start: str, most: MostRows) -> Iterator[OrderBy]:
        """Orders by how many related rows there are."""
        rows = most.rows
        vias: list[tuple[str, ...]] = []
        if rows.link is not None:
            back = self.back(*rows.link)
            vias = [(back.name,)] if back is not None and back.start == start else []
        else:
            vias = [names_of(way) for way in self.ways(start, rows.entity)]
        for via in vias:
            shown = Shown(aggregate=Aggregate.COUNT, of=rows.entity, via=via, where=all_of(rows.where))
            yield OrderBy(by=shown, descending=most.direction > 0)

    # --- fields

    def numeric(self, entity: str, field: str) -> bool:
        """Whether a field holds numbers that can be compared."""
        return self.model.things[entity].fields[field].column.type in NUMERIC

    def ordered(self, entity: str, field: str) -> bool:
        """Whether a field has an order that people speak of."""
        facts = self.model.things[entity].fields[field]
        return facts.column.type in NUMERIC or facts.column.type in (ColumnType.DATE, ColumnType.TIMESTAMP)

    def measurable(self, entity: str) -> list[str]:
        """The fields that large, or more than 20, may be about where nobody says; one alone would be a guess."""
        thing = self.model.things[entity]
        pointing = {own for step in self.model.steps[entity] if step.to_one for own, _ in step.hops[0].keys}
        names = [
            name
            for name, facts in thing.fields.items()
            if facts.column.type in NUMERIC and not facts.identifier and facts.part is None
            if name not in thing.key and name not in pointing
        ]
        return names if 1 < len(names) <= _MOST_GUESSES else []

    def only_amount(self, entity: str) -> str | None:
        """The one field of an entity that is declared as an amount."""
        thing = self.model.things[entity]
        spoken = thing.declared.spoken if thing.declared else ()
        amounts = [name for name, facts in thing.fields.items() if facts.role is FieldRole.AMOUNT]
        named = [name for name in amounts if not spoken or name in spoken]
        return named[0] if len(named) == 1 else None

    def compared(self, entity: str, field: str, bound: OpenBound) -> Condition | None:
        """A comparison of a field with a number, in the field's own unit."""
        if not self.numeric(entity, field):
            return None
        values = [self.in_unit(entity, field, n) for n in (bound.number, bound.upper) if n is not None]
        if any(value is None for value in values):
            return None
        if self.model.things[entity].fields[field].column.type is ColumnType.INTEGER and bound.upper is None:
            return _whole_bound(f"{entity}.{field}", bound.op, values[0] or Decimal(0))
        if bound.upper is not None:
            return Comparison(field=f"{entity}.{field}", op="between", value=tuple(v for v in values if v is not None))
        return Comparison(field=f"{entity}.{field}", op=bound.op, value=values[0])

    def in_unit(self, entity: str, field: str, number: SaidNumber) -> Decimal | None:
        """The number in the unit of a field; nothing where the units do not convert."""
        if number.dimension is None:
            return number.value
        declared = self.model.things[entity].fields[field].declared
        own = unit_called(declared.unit) if declared is not None and declared.unit else None
        if own is None or own.dimension != number.dimension:
            return None
        return number.value * number.factor / own.factor

    def adds_up(self, attribute: Attribute) -> bool:
        """Whether the values of a field may be added up."""
        return self.model.things[attribute.entity].fields[attribute.field].can_be_added

    # --- attributes of rows

    def look_up(self, attribute: Attribute, rows: RowsPhrase) -> Iterator[MadePhrase]:
        """A field of rows: their own, one of what they belong to, or one of what belongs to them."""
        if rows.awaits is not None or rows.other:
            return
        if attribute.entity == rows.entity:
            yield from self._of(attribute, rows, ())
            return
        for way in self.ways(rows.entity, attribute.entity):
            if all(step.to_one for step in way) and not attribute.aggregate and not attribute.direction:
                yield MadePhrase(Lookup(rows, (attribute,), attribute.asked), (OTHER_ENTITY,))
        yield from self._mean_of_means(attribute, rows)
        for condition in self.relate(attribute.entity, rows):
            near = RowsPhrase(attribute.entity, where=(condition,), edge=(attribute.entity, *right_edge(rows)))
            yield from self._of(attribute, near, (OTHER_ENTITY, *steps_of(condition)))

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
        if not self.adds_up(attribute):
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
        if rows.awaits is not None or rows.other or rows.link is not None:
            return None
        return self.figure_of(Shown(aggregate=Aggregate.COUNT, of=rows.entity), rows)

    def narrowed(self, figures: FigurePhrase, entity: str, where: tuple[Condition, ...]) -> Iterator[MadePhrase]:
        """A figure under conditions on rows of an entity that it is related to."""
        if entity == figures.home:
            yield MadePhrase(replace(figures, where=merged(figures.where, where)))
            return
        for way in self.ways(figures.home, entity):
            related = Related(related=SemanticQuery(of=entity, where=all_of(where)), via=names_of(way))
            yield MadePhrase(
                replace(figures, where=merged(figures.where, (related,))), (OTHER_ENTITY, *[STEP] * len(way))
            )

    def divided(self, figures: FigurePhrase, each: AboutEach) -> Iterator[MadePhrase]:
        """A figure per value of a field, row of an entity or period; or per several of them."""
        made = list(self._divided(figures, each))
        for other in each.more:
            made = [
                MadePhrase(further.phrase, (*one.marks, *further.marks))
                for one in made
                if isinstance(one.phrase, FigurePhrase)
                for further in self._divided(one.phrase, other)
            ]
        yield from made

    def _divided(self, figures: FigurePhrase, each: AboutEach) -> Iterator[MadePhrase]:
        dimension, marks = each.dimension, list[str]()
        if each.role is not None:
            yield from self._per_role(figures, each, *each.role)
            return
        if dimension.field == _DEFAULT_DATE:
            place = self.default_date(figures.home, figures.shown[0].measure)
            if place is None:
                yield from self._divided_by_parts(figures, dimension.grain)
                return
            dimension = dimension.model_copy(update={"field": place})
        elif each.entity != figures.home:
            ways = self.model.ways(figures.home, each.entity)
            if not ways:
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

    def _divided_by_parts(self, figures: FigurePhrase, grain: Grain | None) -> Iterator[MadePhrase]:
        """Per year or month, where years and months stand in columns of their own."""
        parts = self.model.things[figures.home].date_parts
        wanted = {Grain.YEAR: (parts.year,), Grain.MONTH: (parts.year, parts.month)} if parts else {}
        names = wanted.get(grain or Grain.DAY, (None,))
        more = tuple(Dimension(field=f"{figures.home}.{name}") for name in names if name)
        if len(more) == len(names):
            yield MadePhrase(replace(figures, by=tuple(dict.fromkeys((*figures.by, *more)))))

    def over_time(self, figures: FigurePhrase) -> bool:
        """Whether a figure is divided by periods, so that it is a development itself."""
        fields = [one for one in figures.by if one.field]
        return any(one.grain or facts_of(self.model, one.field or "").part for one in fields)

    def _per_role(self, figures: FigurePhrase, each: AboutEach, start: str, step: str) -> Iterator[MadePhrase]:
        """Per treating doctor: the relation is said."""
        for way in self.model.ways(figures.home, start) if not each.where else ():
            dimension = each.dimension.model_copy(update={"via": (*names_of(way), step)})
            if dimension not in figures.by:
                marks = (STEP,) * (len(way) + 1)
                yield MadePhrase(replace(figures, by=(*figures.by, dimension)), marks)

    def default_date(self, entity: str, measure: str | None = None) -> str | None:
        """The date that a period of rows is about, as `Entity.field`."""
        said = self.model.measures[measure][1].date if measure else None
        thing = self.model.things[entity]
        said = said or thing.default_date
        if said is None:
            return None
        return said if "." in said else f"{entity}.{said}"

    def at_moment(self, figures: FigurePhrase, when: SaidPeriod) -> SaidPeriod | None:
        """When a figure is asked for. The end of 2024 is a time for what is known period by period, not for sums."""
        thing, moment = self.model.things[figures.home], self._moment_of(figures)
        if not moment:
            return when if not when.moment or (when.moment == "end" and when.period.first == when.period.last) else None
        period = when.period
        if when.moment == "start" and moment == "end":
            period = _before(period)
        elif when.moment and when.moment != moment:
            return None
        if thing.date_parts is not None and period.first == period.last:
            period = _month_at(period, moment)
        return replace(when, period=period, moment="")

    def _moment_of(self, figures: FigurePhrase) -> str:
        """Whether a figure is what stood at the start or at the end of a period."""
        measure = figures.shown[0].measure
        if measure is None or self.model.measures[measure][1].expression is None:
            return ""
        facts = self.model.things[figures.home].fields.get(self.model.measures[measure][1].expression or "")
        return (facts.declared.moment or "") if facts and facts.declared else ""

    def own_date(self, entity: str) -> list[str]:
        """The date of its own that rows of an entity have, where it is said."""
        thing = self.model.things[entity]
        return [thing.default_date] if thing.default_date and thing.default_date in thing.fields else []

    def dated(self, entity: str) -> bool:
        """Whether it is said what time rows of an entity have."""
        thing = self.model.things[entity]
        return thing.default_date is not None or thing.date_parts is not None

    def during(self, entity: str, period: QueryPeriod) -> Condition | None:
        """A period as a condition on the rows of an entity, where it is about a column of their own."""
        thing, whole = self.model.things[entity], None
        if period.first is not None and period.last is not None and period.first.year == period.last.year:
            ends = (period.first.month, period.first.day, period.last.month, period.last.day)
            whole = period.first.year if ends == (1, 1, 12, 31) else None
        if thing.date_parts is not None:
            alone = thing.date_parts.whole is None and whole is not None
            return Comparison(field=f"{entity}.{thing.date_parts.year}", value=whole) if alone else None
        named = thing.default_date
        return dated_within(f"{entity}.{named}", period) if named in thing.fields else None

    def within(self, entity: str, period: QueryPeriod) -> Iterator[Condition]:
        """A period on each date of an entity, where nobody says which one it is about."""
        for name, facts in self.model.things[entity].fields.items():
            if facts.is_date:
                yield dated_within(f"{entity}.{name}", period)

    def converts(self, shown: Shown, wish: UnitWish) -> bool:
        """Whether a figure can be shown in a unit."""
        own = None
        if shown.measure is not None:
            own = self.model.measures[shown.measure][1].unit
        elif shown.field is not None:
            entity, field = shown.field.split(".", 1)
            declared = self.model.things[entity].fields[field].declared
            own = declared.unit if declared else None
        unit = unit_called(own) if own else None
        return unit is not None and unit.dimension == wish.dimension

    def placed(self, entity: str) -> Iterator[Step]:
        """The relations that say where something is: to one row, by a verb that is just `in`."""
        for step in self.model.steps.get(entity, ()):
            if step.to_one and step.relation is not None and step.relation.place:
                yield step


def steps_of(condition: Condition) -> tuple[str, ...]:
    """The relations that a condition follows."""
    inner = condition.condition if isinstance(condition, Negation) else condition
    if isinstance(inner, AllOf):  # several conditions over one relation
        inner = inner.conditions[0]
    return (STEP,) * len(inner.via) if isinstance(inner, Related) else ()


def dated_within(path: str, period: QueryPeriod) -> Comparison:
    """A date within a period, which may be open at one end."""
    first, last = period.first, period.last
    if first is not None and last is not None:
        return Comparison(field=path, op="between", value=(first.isoformat(), last.isoformat()))
    if first is not None:
        return Comparison(field=path, op=">=", value=first.isoformat())
    assert last is not None
    return Comparison(field=path, op="<=", value=last.isoformat())


def _prefixes(condition: Condition) -> tuple[str, ...]:
    """What the codes of a range begin with; nothing where it is no range of codes."""
    parts = condition.conditions if isinstance(condition, AnyOf) else (condition,)
    found = [str(p.value)[:-1] for p in parts if isinstance(p, Comparison) and p.op == "like"]
    whole = len(found) == len(parts) and all(one.isdigit() for one in found)
    return tuple(found) if whole else ()


def _overlap(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    return any(a.startswith(b) or b.startswith(a) for a in one for b in two)


def _before(period: QueryPeriod) -> QueryPeriod:
    """The period of the same length before a year, quarter, month or day."""
    first, last = period.first, period.last
    if first is None or last is None:
        return period
    end = first - timedelta(days=1)
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    if first.day != 1 or last != last_day(last.year, last.month):
        return QueryPeriod.model_validate({"from": end, "to": end})
    start = end.year * 12 + end.month - months
    return QueryPeriod.model_validate({"from": date(start // 12, start % 12 + 1, 1), "to": end})


def _month_at(period: QueryPeriod, moment: str) -> QueryPeriod:
    """The month that a day ends or starts; the day itself where it does neither."""
    day = period.first
    assert day is not None
    end = last_day(day.year, day.month)
    if day == (end if moment == "end" else day.replace(day=1)):
        return QueryPeriod.model_validate({"from": day.replace(day=1), "to": end})
    return period


def rows_in(rows: RowsPhrase | CountedRows | MostRows | QuantifiedRows) -> RowsPhrase:
    return rows if isinstance(rows, RowsPhrase) else rows.rows


def right_edge(rows: RowsPhrase | CountedRows | MostRows | QuantifiedRows) -> tuple[str, ...]:
    """The entities at the right end of some words that a further condition may be about; a name takes none."""
    inner = rows_in(rows)
    if inner.named:
        return ()
    return inner.edge or (inner.entity,)


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


def negated(where: tuple[Condition, ...]) -> Condition:
    whole = all_of(where)
    assert whole is not None
    return Negation(condition=whole)


def changed(figures: FigurePhrase) -> Iterator[MadePhrase]:
    """How did it change from one period to another."""
    ends = figures.ends
    if ends is not None and figures.compare is None:
        yield MadePhrase(replace(figures, period=ends[1], compare=Comparing(period=ends[0]), ends=None))


def _whole_bound(path: str, op: str, value: Decimal) -> Condition | None:
    """A comparison of whole numbers: more than half of one is at least one; no whole number is a half."""
    whole = value.to_integral_value(rounding=ROUND_FLOOR)
    if whole == value:
        return Comparison(field=path, op=op, value=value)
    if op in (">", ">="):
        return Comparison(field=path, op=">", value=whole)
    return Comparison(field=path, op="<=", value=whole) if op in ("<", "<=") else None
