"""What phrases stand on: what a model says of entities and their relations, of fields and units, and of time. No language is in here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import ROUND_FLOOR, Decimal

from veracity.language.units import unit_called
from veracity.ontology.fields import Additivity, FieldRole
from veracity.semantic.checking.expressions import segment_condition
from veracity.semantic.checking.names import facts_of
from veracity.semantic.graph import SemanticModel, Step, Way, is_to_one, names_of
from veracity.semantic.query import AnyOf, Comparison, Condition, InSegment, Negation, Related, Shown
from veracity.semantic.query_values import QueryPeriod, last_day
from veracity.semantic.reading.comparison_phrases import OpenBound
from veracity.semantic.reading.figure_names import figure_unit
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.phrases import Attribute, merged
from veracity.semantic.reading.said_phrases import SaidNumber, SaidPeriod, UnitWish
from veracity.semantic.reading.word_lists import in_all_languages, is_person, key_of, names_for
from veracity.sources.source import NUMERIC, ColumnType

_MOST_GUESSES = 5
_FIRST_YEAR = 1000


@dataclass(frozen=True)
class Grounds:
    """What a model says, asked by the rules that join phrases."""

    model: SemanticModel
    born: frozenset[tuple[str, str]] = field(default=frozenset(), kw_only=True)
    """The dates of birth: (entity, field)."""

    def has_birth_date(self, entity: str) -> bool:
        """Whether rows of an entity were born."""
        return any(home == entity for home, _ in self.born)

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

    def bridges(self, start: str, end: str) -> tuple[Way, ...]:
        """The ways over rows that belong to both: students and clubs by memberships, patients and wards by admissions."""
        if start == end:
            return ()
        return tuple(way for way in self.model.ways(start, end) if self.is_bridge(way) or self._is_tied(way))

    def _is_tied(self, way: Way) -> bool:
        """Whether a longer way leads over one table that only ties rows, and else only down or only up: policies, covers, claims."""
        for at, step in enumerate(way):
            pair = way[at : at + 2]
            over = 1 if self._is_tie(step) else 2 if self.is_bridge(pair) and self.only_ties(pair) else 0
            rest = (*way[:at], *way[at + over :])
            if over and rest and (is_to_one(rest) or all(self._is_down(one) for one in rest)):
                return True
        return False

    def _is_tie(self, step: Step) -> bool:
        """Whether a relation is of many to many, over a table between them."""
        return len(step.hops) > 1 and not step.to_one and not self._is_down(step)

    def is_bridge(self, way: Way) -> bool:
        """Whether a way leads down to rows and up from them again."""
        return len(way) == 2 and self._is_down(way[0]) and not way[0].to_one and way[1].to_one

    def over_bridge(self, start: str, condition: Condition) -> bool:
        """Whether a condition is about rows beyond others that belong to both."""
        inner = condition.condition if isinstance(condition, Negation) else condition
        way = self.model.way(start, inner.via) if isinstance(inner, Related) else None
        return way is not None and (self.is_bridge(way) or self._is_tied(way))

    def only_ties(self, way: Way) -> bool:
        """Whether the rows of a bridge say no more than who belongs to what, and since when."""
        middle = self.model.things[way[0].end]
        back = self.back(way[0].start, way[0].name)
        steps = (way[1], *((back,) if back else ()))
        pointers = {own for step in steps for own, _ in step.hops[0].keys}
        if len(steps) > 1 and pointers <= set(middle.key):
            return True  # each row is who takes what, and maybe when
        keys = pointers | set(middle.key)
        return all(name in keys or facts.is_date for name, facts in middle.fields.items())

    def is_listing(self, way: Way) -> bool:
        """Whether a way leads over rows that list what belongs to what, such as the lines of an order."""
        if not self.is_bridge(way):
            return False
        ends = {step.end for step in self.model.steps[way[0].end] if step.to_one}
        return self.only_ties(way) or ends == {way[0].start, way[1].end}

    def _is_down(self, step: Step) -> bool:
        back = self.back(step.start, step.name)
        return back is not None and back.to_one

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

    def numeric(self, entity: str, field: str) -> bool:
        """Whether a field holds numbers that can be compared."""
        return self.model.things[entity].fields[field].column.type in NUMERIC

    def is_money(self, entity: str, field: str) -> bool:
        """Whether a field holds amounts of a currency: how much it comes to may be asked, never how many."""
        declared = self.model.things[entity].fields[field].declared
        unit = unit_called(declared.unit) if declared and declared.unit else None
        return unit is not None and unit.is_currency

    def is_measured(self, entity: str, field: str) -> bool:
        """Whether a field is in a unit that is no currency, such as days."""
        declared = self.model.things[entity].fields[field].declared
        return bool(declared and declared.unit) and not self.is_money(entity, field)

    def holds_years(self, attribute: Attribute) -> bool:
        """Whether whole numbers are years: built, founded, year."""
        facts = self.model.things[attribute.entity].fields[attribute.field]
        period = facts.role is FieldRole.PERIOD and facts.part in ("year", None)
        return facts.column.type is ColumnType.INTEGER and (period or facts.part == "year")

    def is_date(self, attribute: Attribute) -> bool:
        """Whether a field says when something happened."""
        return self.model.things[attribute.entity].fields[attribute.field].is_date

    def is_time(self, where: tuple[Condition, ...]) -> bool:
        """Whether a condition says when something happened."""
        only = where[0] if len(where) == 1 else None
        return isinstance(only, Comparison) and not only.via and facts_of(self.model, only.field).is_date

    def ordered(self, entity: str, field: str) -> bool:
        """Whether a field has an order that people speak of."""
        facts = self.model.things[entity].fields[field]
        return facts.column.type in NUMERIC or facts.column.type in (ColumnType.DATE, ColumnType.TIMESTAMP)

    def measurable(self, entity: str) -> list[str]:
        """The fields that large, or more than 20, may be about where nobody says; one alone would be a guess."""
        names = self.measures(entity)
        return names if 1 < len(names) <= _MOST_GUESSES else []

    def measures(self, entity: str) -> list[str]:
        """The fields that tell how much there is of something."""
        thing = self.model.things[entity]
        pointing = {own for step in self.model.steps[entity] if step.to_one for own, _ in step.hops[0].keys}
        return [
            name
            for name, facts in thing.fields.items()
            if facts.column.type in NUMERIC and not (facts.identifier or facts.tells_time)
            if facts.role not in (FieldRole.PERIOD, FieldRole.FLAG) and name not in thing.key and name not in pointing
        ]

    def sizes(self, entity: str) -> list[str]:
        """Those of them by which something may be large: a high price makes nothing big."""
        own, prices = self.model.things[entity].fields, in_all_languages("prices")
        called = {name: names_for(name, own[name].declared) for name in self.measures(entity)}
        return [name for name, said in called.items() if not any((key_of(one)[-1],) in prices for one in said)]

    def only_rating(self, entity: str) -> str | None:
        """The one field that says how good something was found, of an entity of reviews."""
        thing = self.model.things[entity]
        named = {part for name in names_for(thing.name, thing.declared) for part in key_of(name)}
        if not any((part,) in in_all_languages("reviews") for part in named):
            return None
        found = self.ratings(entity)
        return found[0] if len(found) == 1 else None

    def ratings(self, entity: str) -> list[str]:
        """The fields that say how good something was found."""
        known = in_all_languages("ratings")
        return [
            name
            for name, facts in self.model.things[entity].fields.items()
            if facts.column.type in NUMERIC and facts.declared is not None and facts.declared.averages
            if any((part,) in known for said in names_for(name, facts.declared) for part in key_of(said))
        ]

    def only_amount(self, entity: str) -> str | None:
        """The one field of an entity that is declared as an amount."""
        thing = self.model.things[entity]
        spoken = thing.declared.spoken if thing.declared else ()
        amounts = [name for name, facts in thing.fields.items() if facts.role is FieldRole.AMOUNT]
        amounts = amounts or [
            name for name, facts in thing.fields.items() if facts.declared and facts.additivity is Additivity.ADDITIVE
        ]
        named = [name for name in amounts if not spoken or name in spoken]
        return named[0] if len(named) == 1 else None

    def is_waiting(self, attribute: Attribute) -> bool:
        """Whether a figure says by how much something was late or waited for, which may be 0."""
        return self._is_figure_called(attribute, "waiting_fields")

    def is_stock(self, attribute: Attribute) -> bool:
        """Whether a figure says how much of something there is."""
        return self._is_figure_called(attribute, "stock_fields")

    def _is_figure_called(self, attribute: Attribute, which: str) -> bool:
        facts = self.model.things[attribute.entity].fields[attribute.field]
        names = (key_of(said) for said in names_for(attribute.field, facts.declared))
        known = in_all_languages(which)
        return facts.column.type in NUMERIC and any((part,) in known for name in names for part in name)

    def is_best_by(self, entity: str, amount: str) -> bool:
        """Whether the first of some rows are surely those with the most of it: orders by their amount, no restaurants by their seats.

        A price does not make a product the best, nor a wage an employee.
        """
        thing = self.model.things[entity]
        facts = thing.fields[amount]
        adds = facts.role is FieldRole.AMOUNT and (facts.can_be_added or facts.declared is None)
        return adds and not is_person(thing) and not self.ratings(entity)

    def is_far_year(self, home: str, entity: str, field: str | None) -> bool:
        """Whether a field holds years of what only belongs to rows that have dates themselves: members per year, not per year of their fees."""
        name = (field or "").rpartition(".")[2]
        if not name or not self.holds_years(Attribute(entity, name)):
            return False
        near = any(all(step.to_one for step in way) for way in self.model.ways(home, entity))
        return not near and any(facts.is_date for facts in self.model.things[home].fields.values())

    def said_amount(self, entity: str) -> str | None:
        """The one figure of an entity, where it is called the amount: the largest invoice is the one with the largest.

        Of a table that is called an amount itself, its one number is it, whatever it is called: prices have a value.
        """
        name = self.only_amount(entity)
        known = in_all_languages("amount_fields")
        called = names_for(name, self.model.things[entity].fields[name].declared) if name else ()
        if name and any(key_of(one) in known for one in called):
            return name
        if not self._is_called(entity, "amount_tables"):
            return None
        numbers = [name] if name else self.measures(entity)
        return numbers[0] if len(numbers) == 1 else None

    def is_called_amount(self, entity: str) -> bool:
        """Whether rows are called by a word for an amount: the share of the costs is none of their number."""
        return self._is_called(entity, "amount_nouns")

    def _is_called(self, entity: str, which: str) -> bool:
        """Whether rows are called by one of the words of a list."""
        names = names_for(entity, self.model.things[entity].declared)
        return any(key_of(name) in in_all_languages(which) for name in names)

    def compared(self, entity: str, field: str, bound: OpenBound) -> Condition | None:
        """A comparison of a field with a number, in the field's own unit."""
        if not self.numeric(entity, field):
            return None
        values = [self.in_unit(entity, field, n) for n in (bound.number, bound.upper) if n is not None]
        if any(value is None for value in values):
            return None
        if self.holds_years(Attribute(entity, field)) and any(value < _FIRST_YEAR for value in values if value):
            return None  # more than one year is no year after 1
        if self.model.things[entity].fields[field].column.type is ColumnType.INTEGER and bound.upper is None:
            return _whole_bound(f"{entity}.{field}", bound.op, values[0] or Decimal(0))
        if bound.upper is not None:
            return Comparison(field=f"{entity}.{field}", op="between", value=tuple(v for v in values if v is not None))
        return Comparison(field=f"{entity}.{field}", op=bound.op, value=values[0])

    def in_unit(self, entity: str, field: str, number: SaidNumber) -> Decimal | None:
        """The number in the unit of a field; nothing where the units do not convert."""
        return self.figure_in_unit(Shown(field=f"{entity}.{field}"), number)

    def figure_in_unit(self, shown: Shown, number: SaidNumber) -> Decimal | None:
        """The number in the unit of a figure; nothing where the units do not convert."""
        if number.dimension is None:
            return number.value
        own = figure_unit(shown, self.model)
        if own is None or own.dimension != number.dimension:
            return None
        return number.value * number.factor / own.factor

    def adds_up(self, attribute: Attribute) -> bool:
        """Whether the values of a field may be added up."""
        return self.model.things[attribute.entity].fields[attribute.field].can_be_added

    def is_extra(self, attribute: Attribute) -> bool:
        """Whether a number is of something that a row may go without, which is stored as 0: a discount."""
        declared = self.model.things[attribute.entity].fields[attribute.field].declared
        names = (key_of(said) for said in names_for(attribute.field, declared))
        extra = any((part,) in in_all_languages("extras") for name in names for part in name)
        return extra and self.numeric(attribute.entity, attribute.field)

    def counts_pieces(self, attribute: Attribute) -> bool:
        """Whether a number says how many pieces there are, so that their value is another figure."""
        declared = self.model.things[attribute.entity].fields[attribute.field].declared
        pieces = declared is not None and declared.role is FieldRole.QUANTITY and declared.unit is None
        return pieces and self.adds_up(attribute)

    def only_names(self, attribute: Attribute) -> bool:
        """Whether a field names things that several rows share: the customer of an order, not the name of a customer."""
        thing = self.model.things[attribute.entity]
        return bool(thing.fields[attribute.field].categorical) and attribute.field not in thing.display

    def may_add_up(self, attribute: Attribute) -> bool:
        """Whether nobody has said yet if the values of a number may be added up."""
        facts = self.model.things[attribute.entity].fields[attribute.field]
        unsaid = facts.declared is not None and bool(facts.declared.question) and not facts.can_be_added
        return unsaid and facts.column.type in NUMERIC and not facts.identifier

    def over_time(self, figures: FigurePhrase) -> bool:
        """Whether a figure is divided by periods, so that it is a development itself."""
        fields = [one for one in figures.by if one.field]
        return any(one.is_dated or facts_of(self.model, one.field or "").part for one in fields)

    def has_other_times(self, figures: FigurePhrase) -> bool:
        """Whether several figures are of rows with times of their own: refunds per month are not by the month of the order."""
        own = self.default_date(figures.home, figures.shown[0].measure)
        homes = {(shown.of or (shown.field or "").rpartition(".")[0], shown.measure) for shown in figures.shown}
        told = {(self.model.measures[name][0] if name else home, name) for home, name in homes}
        others = [one for one in told if one[0] and one[0] != figures.home]
        return any(self.dated(home) and (own is None or self.default_date(home, name) != own) for home, name in others)

    def mixes_units(self, figures: FigurePhrase) -> bool:
        """Whether the amounts of a measure are in the unit that another field says, so that they are told apart by it."""
        measure, thing = figures.shown[0].measure, self.model.things[figures.home]
        expression = self.model.measures[measure][1].expression or "" if measure else ""
        units = {name for name, facts in thing.fields.items() if facts.declared and facts.declared.unit_field}
        return not units.isdisjoint(re.findall(r"\w+", expression))

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
        thing, moment = self.model.things[figures.home], self.moment_of(figures)
        if not moment:
            return when if not when.moment or (when.moment == "end" and when.period.first == when.period.last) else None
        period = when.period
        if period.first is None or period.last is None:
            return None  # the balance since 2023 is that of no time
        if when.ends and when.moment == "start":
            return None
        if when.moment == "start" and moment == "end":
            period = _before(period)
        elif when.moment and when.moment != moment:
            return None
        if thing.date_parts is not None and period.first == period.last:
            period = _month_at(period, moment)
        return replace(when, period=period, moment="")

    def moment_of(self, figures: FigurePhrase) -> str:
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

    def dates_of(self, entity: str) -> list[str]:
        """The dates that the newest of some rows may be about: their own, or where nobody says which one, all but those of birth and those to come."""
        thing, ahead = self.model.things[entity], in_all_languages("due_fields")
        several = [
            name
            for name, facts in thing.fields.items()
            if facts.is_date and (entity, name) not in self.born
            if not any((part,) in ahead for said in names_for(name, facts.declared) for part in key_of(said))
        ]
        return self.own_date(entity) or (several if thing.default_date is None else [])

    def dated(self, entity: str) -> bool:
        """Whether it is said what time rows of an entity have."""
        thing = self.model.things[entity]
        return thing.default_date is not None or thing.date_parts is not None

    def is_of_its_own(self, where: Sequence[Condition]) -> bool:
        """Whether this is about a date that every kind of row may have: users created in 2022 are not those with posts created then."""
        paths = [one.field.split(".", 1) for one in where if isinstance(one, Comparison) and "." in one.field]
        known = in_all_languages("own_events")
        fields = ((name, self.model.things[entity].fields.get(name)) for entity, name in paths)
        told = (names_for(name, facts.declared) for name, facts in fields if facts is not None and facts.is_date)
        return any((word,) in known for names in told for name in names for word in key_of(name))

    def has_time(self, entity: str) -> bool:
        """Whether rows of an entity have a date or a year."""
        fields = self.model.things[entity].fields.values()
        return self.dated(entity) or any(facts.is_date or facts.part == "year" for facts in fields)

    def in_time(self, entity: str, period: QueryPeriod) -> Condition | None:
        """A period as a condition on rows: on the date that goes without saying, or on their only year."""
        if (told := self.during(entity, period)) is not None:
            return told
        years = [name for name, facts in self.model.things[entity].fields.items() if facts.part == "year"]
        return _in_years(f"{entity}.{years[0]}", period) if len(years) == 1 else None

    def during(self, entity: str, period: QueryPeriod, measure: str | None = None) -> Condition | None:
        """A period as a condition on the rows of an entity, where it is about one column of theirs or of what they belong to.

        Of a measure that names its date, about that one.
        """
        thing = self.model.things[entity]
        own = self.model.measures[measure][1].date if measure in self.model.measures else None
        if thing.date_parts is not None and own is None:
            return _in_years(f"{entity}.{thing.date_parts.year}", period) if thing.date_parts.whole is None else None
        named = own or thing.default_date
        if named is None or "." not in named:
            return dated_within(f"{entity}.{named}", period) if named in thing.fields else None
        ways = [way for way in self.model.ways(entity, named.split(".", 1)[0]) if all(step.to_one for step in way)]
        return dated_within(named, period).model_copy(update={"via": names_of(ways[0])}) if len(ways) == 1 else None

    def within(self, entity: str, period: QueryPeriod) -> Iterator[Condition]:
        """A period on each date of an entity, where nobody says which one it is about; who is born then is said so."""
        for name, facts in self.model.things[entity].fields.items():
            if facts.is_date and (entity, name) not in self.born:
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


def _whole_bound(path: str, op: str, value: Decimal) -> Condition | None:
    """A comparison of whole numbers: more than half of one is at least one; no whole number is a half."""
    whole = value.to_integral_value(rounding=ROUND_FLOOR)
    if whole == value:
        return Comparison(field=path, op=op, value=value)
    if op in (">", ">="):
        return Comparison(field=path, op=">", value=whole)
    return Comparison(field=path, op="<=", value=whole) if op in ("<", "<=") else None


def _in_years(field: str, period: QueryPeriod) -> Comparison | None:
    """A period of whole years as a condition on a year; nothing where it begins or ends within one."""
    first, last = period.first, period.last
    if (first is not None and (first.month, first.day) != (1, 1)) or (last and (last.month, last.day) != (12, 31)):
        return None
    if first is None or last is None:
        year = first.year if first else last.year if last else 0
        return Comparison(field=field, op=">=" if first else "<=", value=year)
    if first.year == last.year:
        return Comparison(field=field, value=first.year)
    return Comparison(field=field, op="between", value=(first.year, last.year))
