"""The parts of a semantic query in words: figures, fields, conditions, periods, divisions, queries within queries.

Whatever could be read in two ways is put into brackets or quotes, so that different queries have different words.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from datetime import date
from decimal import Decimal
from typing import Literal

from veracity.language.numbers import format_date, format_month, format_number
from veracity.language.people import means_people
from veracity.ontology.fields import FieldRole
from veracity.query.catalog import FieldFacts
from veracity.semantic.checking.check import is_same_row
from veracity.semantic.graph import SemanticModel, Way, is_to_one
from veracity.semantic.query import (
    Aggregate,
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    Dimension,
    FigureComparison,
    InSegment,
    Negation,
    Related,
    SemanticQuery,
    Shown,
    is_age,
    parts_of,
)
from veracity.semantic.query_values import Grain, QueryPeriod
from veracity.semantic.wording.labels import Context, Labels, unknown
from veracity.semantic.wording.state_dates import is_done
from veracity.sources.source import NUMERIC

Kind = Literal["number", "date", "other"]
NOT_GROUPED = frozenset({FieldRole.IDENTIFIER, FieldRole.CODE, FieldRole.NAME, FieldRole.PERIOD, FieldRole.DATE})
_LEAST_GROUPED = 10_000
_DONE_ON = re.compile(r"(\w+(?:t|en|ig)) am")
"""Names of German dates that say what was done: bezahlt am, fällig am."""


def is_grouped(facts: FieldFacts | None) -> bool:
    """Whether the numbers of a field are written with marks between thousands: not those of years, codes and identifiers."""
    return facts is None or not (facts.identifier or facts.role in NOT_GROUPED or facts.part is not None)


def home_of(query: SemanticQuery, model: SemanticModel) -> str | None:
    """The entity that a query is about: the one it names, else that of the first thing it shows or is divided by."""
    if query.of is not None:
        return query.of
    if query.show:
        return _home_of_shown(query.show[0], model)
    first = query.by[0] if query.by else None
    return (first.entity or _entity_of(first.field)) if first else None


def context_of(query: SemanticQuery, model: SemanticModel) -> Context:
    """What the parts of a query are named in. Its sentence says its entity, unless only a field would tell it."""
    home = home_of(query, model)
    if query.lists or names_home(query, model):
        return Context(home)
    first = query.show[0] if query.show else None
    while first is not None and first.ratio is not None:
        first = first.ratio[0]
    return Context(home, said=first is not None and (first.measure is not None or first.of is not None))


def names_home(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether a query names an entity that does not go without saying."""
    return query.of is not None and home_of(query.model_copy(update={"of": None}), model) != query.of


def _home_of_shown(shown: Shown, model: SemanticModel) -> str | None:
    if shown.ratio is not None:
        return _home_of_shown(shown.ratio[0], model)
    if shown.rows is not None:
        return home_of(shown.rows, model)
    if shown.measure is not None:
        found = model.measures.get(shown.measure)
        return found[0] if found else None
    return shown.of or _entity_of(shown.field)


def _entity_of(field: str | None) -> str | None:
    return (field or "").rpartition(".")[0] or None


class Phrases(ABC):
    """Words for the parts of queries over one model in one language."""

    def __init__(self, labels: Labels) -> None:
        self.labels = labels
        self.model = labels.model
        self.say = labels.say

    # --- literals

    def literal(self, value: object, facts: FieldFacts | None = None, grain: Grain | None = None) -> str:
        """A literal of a condition; texts in quotes unless they are one plain word."""
        if isinstance(value, bool):
            return self.say("true" if value else "false")
        if isinstance(value, int) and grain is Grain.WEEKDAY:
            return self.weekday(value)
        if isinstance(value, int | Decimal):
            number = Decimal(value)
            grouping = is_grouped(facts) and abs(number) >= _LEAST_GROUPED
            figure = format_number(number, self.labels.locale, decimals=None, grouping=grouping)
            unit = facts.declared.unit if facts is not None and facts.declared is not None else None
            return f"{figure} {unit}" if unit else figure
        text = str(value)
        day = _as_day(text) if facts is None or facts.is_date or grain else None
        if day is not None:
            return self.period_named(day, grain) if grain else format_date(day, self.labels.locale)
        return self.text(text)

    def text(self, value: str) -> str:
        """A text of the data or of a condition, in quotes unless it is one plain word with a capital."""
        words = {self.say("true"), self.say("false")}
        if value.isalpha() and value[0].isupper() and value.casefold() not in words:
            return value
        shown = "".join(ch if ch.isprintable() and ch != "\\" else _escaped(ch) for ch in value)
        end = self.say("quote_end")
        return self.say("quoted", x=shown.replace(end, end * 2))

    # --- time

    def weekday(self, number: int) -> str:
        """The name of a day of the week."""
        return self.say(f"weekday_{number}")

    def period_named(self, day: date, grain: Grain) -> str:
        """The period of this length that starts on a day; the day itself where none starts on it."""
        locale = self.labels.locale
        if grain is Grain.YEAR and (day.month, day.day) == (1, 1):
            return self.say("the_year", year=day.year)
        if grain is Grain.QUARTER and day.day == 1 and day.month % 3 == 1:
            return self.say("the_quarter", n=(day.month + 2) // 3, year=day.year)
        if grain is Grain.MONTH and day.day == 1:
            return format_month(day, locale)
        if grain is Grain.WEEK:
            return self.say("the_week", day=format_date(day, locale))
        return format_date(day, locale)

    def days(self, period: QueryPeriod) -> str:
        """From when to when; a whole year, quarter or month by its name."""
        first, last, locale = period.first, period.last, self.labels.locale
        if first is not None and last is not None:
            if period.length is not None:
                return self.period_named(first, period.length)
            if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31):
                return self.say(
                    "from_to", a=self.say("the_year", year=first.year), b=self.say("the_year", year=last.year)
                )
            return self.say("from_to", a=format_date(first, locale), b=format_date(last, locale))
        if first is not None:
            return self.say("since", a=format_date(first, locale))
        return self.say("until", b=format_date(last, locale)) if last is not None else ""

    def period(self, period: QueryPeriod, query: SemanticQuery) -> str:
        """The period of a query, with its date where that is not the one that goes without saying."""
        context = context_of(query, self.model)
        said = self.labels.resolve(period.field, context.home) if period.field else None
        if period.field is None or (said is not None and said == self._usual_date(query)):
            usual = self._usual_date(query)
            if usual is not None and (is_done(query, self.model) or self._are_people(usual[0])):
                return self.say("dated", field=self.field(".".join(usual), context), period=self.days(period))
            moment = self._moment(query)
            return self.say(f"at_{moment}", x=self.days(period)) if moment else self.days(period)
        return self.say("dated", field=self.field(period.field, context, period.via), period=self.days(period))

    def _are_people(self, entity: str) -> bool:
        """Customers of 2024 are those since 2024, which is said."""
        declared = self.model.things[entity].declared
        return any(map(means_people, (entity, *(declared.label.values() if declared else ()))))

    def _moment(self, query: SemanticQuery) -> str:
        """Whether all that is shown is what stood at the start or at the end of a period."""
        moments = set()
        for shown in query.show:
            entity, measure = self.model.measures.get(shown.measure or "", ("", None))
            thing = self.model.things.get(entity)
            facts = thing.fields.get(measure.expression or "") if thing and measure else None
            moments.add((facts.declared.moment if facts and facts.declared else None) or "")
        fields = [self.labels.facts(one.field, None) for one in query.by if one.field]
        series = any(one.is_dated for one in query.by) or any(facts.tells_time for facts in fields if facts)
        return moments.pop() if len(moments) == 1 and not series else ""

    def _usual_date(self, query: SemanticQuery) -> tuple[str, str] | None:
        """The one date that a period of the query is about where it names none."""
        home = home_of(query, self.model)
        dates = set()
        for shown in query.show or (None,):
            place, date_field = home, None
            if shown is not None and shown.measure in self.model.measures:
                place, measure = self.model.measures[shown.measure or ""]
                date_field = measure.date
            thing = self.model.things.get(place or "")
            date_field = date_field or (thing.default_date if thing else None)
            dates.add(self.labels.resolve(date_field, place) if date_field else None)
        return dates.pop() if len(dates) == 1 else None

    # --- fields, figures, divisions

    def field(self, reference: str, context: Context, via: tuple[str, ...] = (), grain: Grain | None = None) -> str:
        """A field, the way to it where that does not go without saying, and the period that is taken of a date."""
        found = self.labels.resolve(reference, context.home)
        way = self.via(context.home, found[0] if found else None, via)
        steps = self.model.way(context.home or "", via) if way else None
        leads = steps is not None and found is not None and bool(steps) and steps[-1].end == found[0]
        text = self.labels.field(reference, context, whose=not leads if way else None) + way
        return self.say(f"{grain}_of", x=text) if grain else text

    def dated(self, part: Shown | Comparison, context: Context) -> str:
        """A field, or the days from an earlier date to it."""
        field = self.field(part.field or "", context, part.via, part.grain)
        if part.since is None:
            return field
        way = self.model.way(context.home or "", part.via) or ()
        earlier = self.field(part.since.field, context, (*(step.name for step in way), *part.since.via))
        other_unit = isinstance(part, Shown) and part.unit is not None
        if part.since.until is not None:
            return self.say("age_on", a=earlier, b=self.period_named(part.since.until, Grain.DAY))
        return self.say("time_from_to" if other_unit else "days_from_to", a=earlier, b=field)

    def via(self, start: str | None, end: str | None, names: tuple[str, ...]) -> str:
        """The relations to follow, where there is more than one shortest way or another one is named."""
        if not names:
            return ""
        way = self.model.way(start or "", names)
        if start and end and self.model.ways(start, end) == (way,):
            return ""
        if role := self._only_role(start, names):
            return self.say("enclosed", x=role)
        if role := self._own_role(way):
            return self.say("enclosed", x=self.say("as_role", x=role))
        roles = [self.labels.role(step) for step in way] if way is not None else [unknown(name) for name in names]
        return self.say("enclosed", x=self.say("via", x=" > ".join(roles)))

    def _own_role(self, way: Way | None) -> str:
        """What rows are called by others that point to them in several ways: the sender of messages."""
        named = way is not None and len(way) == 1 and way[0].inverse and way[0].relation and way[0].relation.label
        return self.labels.role(self.model.back(way)[0]) if way and named else ""

    def _only_role(self, start: str | None, names: tuple[str, ...]) -> str:
        """What one relation calls the rows that it leads to, where nothing else is called so: treating doctor."""
        way = self.model.way(start or "", names) or ()
        if len(way) != 1 or way[0].inverse or way[0].relation is None or not way[0].relation.label:
            return ""
        role = self.labels.role(way[0])
        return "" if self.labels.is_taken(role) else role

    def shown(self, shown: Shown, context: Context) -> str:
        """One thing that is shown or sorted by."""
        text = self._figure(shown, context)
        if (group := self._called_by(shown)) is not None:
            text = self.labels.segment(group.segment)
        elif shown.where is not None:
            # A figure's own conditions are about its own entity.
            own = Context(_home_of_shown(shown, self.model) or context.home)
            text += self.say("only_rows", x=self.condition(shown.where, own))
        if shown.transform is not None:
            text = self.say(shown.transform, x=text)
        in_percent = (shown.ratio is not None and shown.unit == "%") or is_age(shown)
        return self.say("in_unit", x=text, unit=shown.unit) if shown.unit and not in_percent else text

    def _called_by(self, shown: Shown) -> InSegment | None:
        """The group that a figure is called by, where that is its only condition."""
        group = shown.where
        if not isinstance(group, InSegment) or group.segment not in self.model.segments:
            return None
        return group if self.model.segments[group.segment][1].default_measure == shown.measure else None

    def _figure(self, shown: Shown, context: Context) -> str:
        if shown.ratio is not None:
            one, two = (self._part(part, context) for part in shown.ratio)
            in_percent = shown.unit == "%"
            text = self.say("part_of" if in_percent else "ratio", a=one, b=two)
            said = shown.where or shown.transform or (shown.unit and not in_percent) or shown.via
            return self.say("group", x=text) if said else text
        if shown.measure is not None:
            home = self.model.measures[shown.measure][0] if shown.measure in self.model.measures else None
            return self.labels.measure(shown.measure) + self.via(context.home, home, shown.via)
        if shown.rows is not None:
            return self.over(shown.aggregate, shown.rows) + self.via(context.home, None, shown.via)
        if shown.of is not None:
            way = self.via(context.home, shown.of, shown.via)
            return self.say("count_of", x=self.labels.entity(shown.of, several=True)) + way
        field = self.dated(shown, context)
        if shown.aggregate is None:
            return field
        dated = shown.aggregate in (Aggregate.MIN, Aggregate.MAX) and self.kind(shown, context) == "date"
        return self.say(f"{shown.aggregate}_date" if dated else shown.aggregate, x=field)

    def _part(self, part: Shown, context: Context) -> str:
        text = self.shown(part, context)
        simple = not (part.ratio or part.transform or part.unit)
        return text if simple else self.say("group", x=text)

    def kind(self, shown: Shown, context: Context) -> Kind:
        """Whether values of it are numbers or dates."""
        if shown.transform is not None or shown.field is None or shown.since is not None:
            return "number"
        if shown.aggregate not in (None, Aggregate.MIN, Aggregate.MAX):
            return "number"
        return self._kind_of(self.labels.facts(shown.field, context.home), shown.grain)

    def _kind_of(self, facts: FieldFacts | None, grain: Grain | None) -> Kind:
        if grain is Grain.WEEKDAY:
            return "other"
        if grain is not None or (facts is not None and facts.is_date):
            return "date"
        return "number" if facts is not None and facts.column.type in NUMERIC else "other"

    def default_group(self, query: SemanticQuery) -> InSegment | None:
        """The group that a figure is called by: rent, not the cost of the rent accounts."""
        measure = query.show[0].measure if len(query.show) == 1 else None
        plain = measure is not None and query.show[0] == Shown.model_construct(measure=measure, via=query.show[0].via)
        groups = [part for part in parts_of(query.where) if isinstance(part, InSegment)] if plain else []
        if len(groups) != 1 or groups[0].segment not in self.model.segments:
            return None
        return groups[0] if self.model.segments[groups[0].segment][1].default_measure == measure else None

    def dimension(self, dimension: Dimension, context: Context) -> str:
        """What an answer is divided by."""
        if dimension.entity is not None:
            way = self.via(context.home, dimension.entity, dimension.via)
            role = self._only_role(context.home, dimension.via) if way else ""
            text = role or self.labels.entity(dimension.entity) + way
            text = self.say(f"{dimension.grain}_of", x=text) if dimension.grain else text
            return self.say("all_of", x=text) if dimension.complete else text
        reference = dimension.field or ""
        thing = self.model.things.get(context.home or "")
        usual = self.labels.resolve(thing.default_date, context.home) if thing and thing.default_date else None
        if dimension.grain and usual and usual == self.labels.resolve(reference, context.home) and not dimension.via:
            return self.say(dimension.grain)
        return self.field(reference, context, dimension.via, dimension.grain)

    def dimensions(self, dimensions: tuple[Dimension, ...], context: Context) -> str:
        """Several of them."""
        return self.say("and_by").join(self.dimension(one, context) for one in dimensions)

    # --- conditions

    def condition(self, condition: Condition, context: Context, *, inner: bool = False) -> str:
        """A condition; within another one, those that are joined stand in brackets."""
        match condition:
            case AllOf() | AnyOf():
                joined = self.say("and" if isinstance(condition, AllOf) else "or")
                text = joined.join(self.condition(part, context, inner=True) for part in condition.conditions)
                return self.say("group", x=text) if inner else text
            case Negation(condition=InSegment() as segment):
                return self._segment(segment, context, "not_segment")
            case Negation(condition=Related(count=None) as related):
                return self._related(related, context, "unrelated")
            case Negation():
                return self.say("not", x=self.condition(condition.condition, context))
            case InSegment():
                return self._segment(condition, context, "segment")
            case Related():
                return self._related(condition, context, "related")
            case FigureComparison():
                return self._figure_comparison(condition, context)
            case Comparison():
                return self._comparison(condition, context)

    def _figure_comparison(self, condition: FigureComparison, context: Context) -> str:
        kind = self.kind(condition.show, context)
        figure = self.shown(condition.show, context)
        facts = self.labels.facts(condition.show.field, context.home) if kind == "date" else None
        than = condition.than
        other = self._part(than, context) if than else self._operand(condition.value, facts, context)
        if condition.times != 1:
            other = self.say("times", n=self.literal(condition.times, None), x=other)
        return self.say(_operator(condition.op, kind), field=figure, x=other)

    def _segment(self, condition: InSegment, context: Context, key: str) -> str:
        home = self.model.segments[condition.segment][0] if condition.segment in self.model.segments else None
        return self.say(key, x=self.labels.segment(condition.segment) + self.via(context.home, home, condition.via))

    def _comparison(self, condition: Comparison, context: Context) -> str:
        facts, grain = self.labels.facts(condition.field, context.home), condition.grain
        facts = None if condition.since is not None else facts
        field = self.dated(condition, context)
        done = _DONE_ON.fullmatch(field) if self.labels.lang == "de" and grain is None else None
        if condition.value is None:
            if done is not None and condition.op in ("missing", "notMissing"):  # noch nicht bezahlt
                return self.say("not_done" if condition.op == "missing" else "done", x=done[1])
            return self.say(condition.op, field=field)
        field = done[1] if done is not None and condition.op in ("<", "<=", ">", ">=", "between") else field
        if (whole := self._whole_period(condition, context)) is not None:
            return self.days(whole)
        if facts is not None and facts.role is FieldRole.FLAG and (yes := _yes_or_no(condition)) is not None:
            return f"{field} {self.say('true' if yes else 'false')}"
        if isinstance(condition.value, tuple):
            values = [self.literal(value, facts, grain) for value in condition.value]
            if condition.op == "between":
                return self.say("between", field=field, a=values[0], b=values[1])
            return self.say("in", field=field, x=self.say("or").join(values))
        key = _operator(condition.op, "number" if condition.since else self._kind_of(facts, grain))
        return self.say(key, field=field, x=self._operand(condition.value, facts, context, grain))

    def _whole_period(self, condition: Comparison, context: Context) -> QueryPeriod | None:
        """A year, a quarter or a month, where the condition is that the usual date of the rows lies in it."""
        thing = self.model.things.get(context.home or "")
        usual = self.labels.resolve(thing.default_date, context.home) if thing and thing.default_date else None
        if condition.op != "between" or condition.grain or not usual or not isinstance(condition.value, tuple):
            return None
        if usual != self.labels.resolve(condition.field, context.home):
            return None
        try:
            first, last = (date.fromisoformat(str(one)) for one in condition.value)
            period = QueryPeriod.model_validate({"from": first, "to": last})
        except ValueError:
            return None
        return period if period.length not in (None, Grain.DAY) else None

    def _operand(self, value: object, facts: FieldFacts | None, context: Context, grain: Grain | None = None) -> str:
        if not isinstance(value, SemanticQuery):
            return self.literal(value, facts, grain)
        if is_same_row(value) and home_of(value, self.model) == _entity_of(value.show[0].field):
            return self.shown(value.show[0], context)
        return self.nested(value)

    def _related(self, condition: Related, context: Context, key: str) -> str:
        end = home_of(condition.related, self.model)
        what = self.nested(condition.related)
        if condition.count is not None:
            if condition.count.value == 1 and condition.related == SemanticQuery(of=end):
                what = self.labels.entity(end or "")  # exactly 1 meter
            what = self.say(f"count{condition.count.op}", n=condition.count.value, x=what)
        way = self._way(context.home, end, condition.via)
        if (name := self._name_of(condition)) is not None and way is not None and is_to_one(way):
            named = self.say("=" if key == "related" else "!=", field=self.labels.entity(end or ""), x=name)
            return named + self.via(context.home, end, condition.via)
        # With orders says more than that they buy orders, which happened on a day.
        happens = self.model.things[end or ""].default_date is not None
        if (
            not happens
            and key == "related"
            and way is not None
            and len(way) == 1
            and (verb := self.labels.verb(way[0]))
        ):
            return self.say("does", verb=verb, x=what)
        said = self._said_of_one(condition) if key == "related" and way is not None and is_to_one(way) else ""
        what = self.say("whose", x=self.labels.entity(end or ""), said=said) if said else self.say(key, x=what)
        return what + self.via(context.home, end, condition.via)

    def _said_of_one(self, condition: Related) -> str:
        """What is said of the one row that belongs to each, where it is conditions alone."""
        query = condition.related
        if condition.count is not None or query.where is None or query != SemanticQuery(of=query.of, where=query.where):
            return ""
        return self.condition(query.where, context_of(query, self.model))

    def _name_of(self, condition: Related) -> str | None:
        """What the one row is called that a condition is about: account 1020."""
        query = condition.related
        where, thing = query.where, self.model.things.get(query.of or "")
        if thing is None or not isinstance(where, Comparison) or where.op != "=" or where.via:
            return None
        if query != SemanticQuery(of=query.of, where=where) or condition.count is not None:
            return None
        if where.field != f"{thing.name}.{thing.display[0]}" or not isinstance(where.value, str):
            return None
        return where.value if where.value.isdigit() else self.text(where.value)

    def _way(self, start: str | None, end: str | None, names: tuple[str, ...]) -> Way | None:
        """The way that is named, or the only one there is."""
        if names or start is None or end is None:
            return self.model.way(start or "", names)
        ways = self.model.ways(start, end)
        return ways[0] if len(ways) == 1 else None

    # --- queries within queries

    @abstractmethod
    def over(self, aggregate: Aggregate | None, query: SemanticQuery) -> str:
        """What is computed over the figures of a query: average revenue per month."""

    @abstractmethod
    def nested(self, query: SemanticQuery) -> str:
        """A query within another one."""


def _operator(op: str, kind: Kind) -> str:
    return f"date{op}" if kind == "date" and op in ("<", "<=", ">", ">=") else op


def _as_day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.isoformat() == text else None


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii") if not char.isprintable() else "\\\\"


def _yes_or_no(condition: Comparison) -> bool | None:
    """What 0 and 1 say in a column of yes and no; nothing where other values are compared."""
    if condition.op not in ("=", "!=") or isinstance(condition.value, bool) or condition.value not in (0, 1):
        return None
    return (condition.value == 1) == (condition.op == "=")
