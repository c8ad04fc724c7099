"""`SemanticQuery`: what is asked, in the words of the ontology, without SQL and without prose. Typed, JSON, canonical."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator, model_validator

from veracity.semantic.query_values import Comparing, Grain, QueryPeriod, Reached, Scalar, Since, json_number, literal
from veracity.wire import Wire


class Aggregate(StrEnum):
    """What is computed from the values of a field, or from the rows of an entity."""

    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"
    MEDIAN = "median"
    COUNT = "count"
    COUNT_DISTINCT = "countDistinct"


class Transform(StrEnum):
    """What is computed from a figure and its neighbours in the result."""

    SHARE = "share"
    """Its part of the figure over all rows: of all groups, or without its own `where`."""
    RUNNING_TOTAL = "runningTotal"
    CHANGE = "change"
    """Against the group before it; of periods only against the one right before."""
    CHANGE_PERCENT = "changePercent"
    RANK = "rank"


Operator = Literal["=", "!=", "<", "<=", ">", ">=", "like", "in", "between", "missing", "notMissing"]
WITHOUT_VALUE = frozenset({"missing", "notMissing"})


def _operand(value: Any) -> Any:
    """What a comparison compares with: a literal, a list of them, or another query."""
    if isinstance(value, dict):
        return SemanticQuery.model_validate(value)
    if isinstance(value, list | tuple):
        return tuple(literal(one) for one in value)
    return value if value is None or isinstance(value, SemanticQuery) else literal(value)


def _json_operand(value: Any) -> Any:
    if isinstance(value, SemanticQuery):
        return to_json(value)
    return [json_number(one) for one in value] if isinstance(value, tuple) else json_number(value)


Operand = Annotated[
    "SemanticQuery | tuple[bool | int | Decimal | str, ...] | bool | int | Decimal | str | None",
    PlainValidator(_operand),
    PlainSerializer(_json_operand, when_used="json"),
]
"""What a comparison compares with."""


class Comparison(Reached):
    """A field compared with a literal, a list of them, another field of the same rows, or the one figure of another query."""

    field: str
    op: Operator = "="
    value: Operand = None
    grain: Grain | None = None
    """Compare the start of the period that the date lies in, or its day of the week."""
    since: Since = None
    """Compare the days from this date to the field."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.since is not None and (self.grain is not None or self.op in ("like", *WITHOUT_VALUE)):
            raise ValueError("days are compared with numbers of days")
        several = isinstance(self.value, tuple)
        if self.op in WITHOUT_VALUE and self.value is not None:
            raise ValueError(f"{self.op} takes no value")
        if self.op not in WITHOUT_VALUE and self.value is None:
            raise ValueError(f"{self.op} needs a value")
        if several != (self.op in ("in", "between")):
            raise ValueError(f"{self.op} takes {'a list' if self.op in ('in', 'between') else 'one value'}")
        if self.op == "between" and isinstance(self.value, tuple) and len(self.value) != 2:
            raise ValueError("between takes two values")
        return self


class Related(Reached):
    """Whether a row has related rows among those of another query; `count` says how many."""

    related: SemanticQuery
    count: CountRange | None = None
    """Without a word: at least one."""


class CountRange(Wire):
    """How many related rows there must be."""

    op: Literal["=", "!=", "<", "<=", ">", ">="]
    value: int = Field(ge=0)


class FigureComparison(Wire):
    """A figure compared with a number, with the one figure of another query, or with another figure of the same row or group."""

    show: Shown
    op: Literal["=", "!=", "<", "<=", ">", ">="]
    value: Operand = None
    than: Shown | None = None
    """The other figure of the same row or group; where one of the two has no value, nothing is known of it."""
    times: Scalar = 1
    """So many times what it is compared with: twice as many as."""

    @model_validator(mode="after")
    def _one_other(self) -> Self:
        if (self.value is None) == (self.than is None):
            raise ValueError("compare a figure with a `value` or with another one, `than`")
        if isinstance(self.times, bool | str) or self.times <= 0:
            raise ValueError("`times` is a number above 0")
        if self.times != 1 and self.than is None and not isinstance(self.value, SemanticQuery):
            raise ValueError("`times` goes with `than` or with another query; write a number as it is meant")
        return self


class InSegment(Reached):
    """Whether a row belongs to a segment of its entity, such as the active customers."""

    segment: str


class AllOf(Wire):
    """All of these hold."""

    conditions: tuple[Condition, ...] = Field(alias="and", min_length=1)


class AnyOf(Wire):
    """At least one of these holds."""

    conditions: tuple[Condition, ...] = Field(alias="or", min_length=1)


class Negation(Wire):
    """This does not hold. What cannot be decided because a value is missing is neither true nor false."""

    condition: Condition = Field(alias="not")


def _tell_condition(value: Any) -> Any:
    """Lists of conditions are joined by AND; the key of an object says which kind it is."""
    if isinstance(value, list):
        return AllOf(conditions=tuple(value)) if len(value) != 1 else _tell_condition(value[0])
    if not isinstance(value, dict):
        return value
    keys: dict[str, type[Wire]] = {
        "and": AllOf, "or": AnyOf, "not": Negation, "related": Related, "segment": InSegment, "show": FigureComparison,
        "field": Comparison,
    }  # fmt: skip
    kind = next((kind for key, kind in keys.items() if key in value), None)
    if kind is None:
        raise ValueError(f"a condition has one of the keys {', '.join(keys)}")
    return kind.model_validate(value)


Condition = Annotated[
    AllOf | AnyOf | Negation | Related | InSegment | FigureComparison | Comparison, BeforeValidator(_tell_condition)
]


class Shown(Reached):
    """One column of the answer: a measure, a field, an aggregate of a field or of rows, or a ratio of two of these."""

    measure: str | None = None
    field: str | None = None
    aggregate: Aggregate | None = None
    of: str | None = None
    """The entity whose rows are counted."""
    rows: SemanticQuery | None = None
    """The query whose figures are aggregated ("average revenue per customer")."""
    ratio: tuple[Shown, Shown] | None = None
    where: Condition | None = None
    """Only the rows that meet this count for this figure."""
    transform: Transform | None = None
    grain: Grain | None = None
    """For a date: the period it lies in."""
    since: Since = None
    """For a date: the days from this one to it."""
    unit: str | None = None
    """The unit to show the figure in; it must convert from the field's own."""

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        """`revenue` is a measure, `Customer.city` a field."""
        if isinstance(value, str):
            return {"field": value} if "." in value else {"measure": value}
        return value

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if self.aggregate is not None:
            targets = [self.field, self.of, self.rows]
            counts = self.aggregate is Aggregate.COUNT
            if sum(target is not None for target in targets) != 1 or self.measure or self.ratio:
                raise ValueError("an aggregate takes one of `field`, `of` and `rows`")
            if self.of is not None and not counts:
                raise ValueError(f"only count takes `of`; {self.aggregate} needs a field")
        elif sum(thing is not None for thing in (self.measure, self.field, self.ratio)) != 1 or self.of or self.rows:
            raise ValueError("show one of a `measure`, a `field`, an `aggregate` or a `ratio`")
        counts = self.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
        if self.since is not None and (self.field is None or self.grain is not None or counts):
            raise ValueError("`since` goes with a date field: its values, their average, median, sum, min or max")
        if self.is_field and (self.where or self.transform):
            raise ValueError("a plain field takes neither `where` nor `transform`")
        return self

    @property
    def is_field(self) -> bool:
        """Whether it shows stored values and computes nothing."""
        return self.field is not None and self.aggregate is None


class Dimension(Reached):
    """What an answer is divided by: the values of a field, the periods of a date, or the rows of an entity."""

    field: str | None = None
    entity: str | None = None
    grain: Grain | None = None
    complete: bool = False
    """Rows of the entity that nothing belongs to are shown, too, with a count of 0 and no other figure."""
    apart: bool = False
    """Nobody asked for it: it keeps figures apart that do not add up, as those in several currencies."""

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        """`Customer.city` is a field, `Customer` an entity."""
        if isinstance(value, str):
            return {"field": value} if "." in value else {"entity": value}
        return value

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if (self.field is None) == (self.entity is None):
            raise ValueError("divide by either a `field` or an `entity`")
        if self.complete and self.entity is None:
            raise ValueError("only a division by an entity can be complete")
        return self

    @property
    def is_dated(self) -> bool:
        """Whether its groups are periods, one after the other."""
        return self.grain is not None and not self.grain.repeats


class OrderBy(Wire):
    """One sort key: something that the query could show."""

    by: Shown
    descending: bool = False


class SemanticQuery(Wire):
    """What is asked: figures or attributes, of which rows, under which conditions, divided by what, in which order."""

    show: tuple[Shown, ...] = ()
    """Nothing: the rows of the entity by their names, or the different values of `by`."""
    of: str | None = None
    """The entity whose rows are counted or listed; without a word, that of the first thing shown."""
    where: Condition | None = None
    by: tuple[Dimension, ...] = ()
    period: QueryPeriod | None = None
    having: Condition | None = None
    """Conditions on the figures of a group."""
    order: tuple[OrderBy, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    """So many in the given order; those that tie with the last one are kept."""
    skip: int = Field(default=0, ge=0)
    """Leave out so many before: the second largest is skip 1, limit 1."""
    per: tuple[Dimension, ...] = ()
    """Apply the limit within each of these ("the largest city of each state")."""
    compare: Comparing | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if not self.show and self.of is None and not self.by:
            raise ValueError("a query shows something, or names an entity with `of`")
        if self.limit is not None and not self.order:
            raise ValueError("a limit needs an order")
        if (self.skip or self.per) and self.limit is None:
            raise ValueError("`skip` and `per` need a limit")
        if self.having is not None and not self.by:
            raise ValueError("`having` needs `by`")
        figures = [shown for shown in self.show if not shown.is_field]
        if figures and len(figures) < len(self.show):
            raise ValueError("figures stand beside what they are divided by: move the fields from `show` to `by`")
        if self.compare is not None and not figures:
            raise ValueError("only figures are compared")
        if self.compare is not None and self.compare.period is not None and self.period is None:
            raise ValueError("a comparison with a period needs a `period` of its own")
        return self

    @property
    def lists(self) -> bool:
        """Whether it lists rows of its entity, each with fields, and computes nothing."""
        return not self.by and all(shown.is_field for shown in self.show)

    @property
    def counts_rows(self) -> bool:
        """Whether it tells how many rows of its entity there are, and no other figure."""
        return self.of is not None and self.show == (Shown(aggregate=Aggregate.COUNT, of=self.of),)

    def normalized(self) -> SemanticQuery:
        """The same question written in the one way that equal questions share, as far as no ontology is needed."""
        changed = {
            "where": _normal(self.where) if self.where else None,
            "having": _normal(self.having) if self.having else None,
            "show": tuple(_normal_shown(shown) for shown in self.show),
            "order": tuple(o.model_copy(update={"by": _normal_shown(o.by)}) for o in self.order),
        }
        return self.model_copy(update=changed)

    def canonical_json(self) -> str:
        """The canonical text, to compare and to hash."""
        return json.dumps(to_json(self.normalized()), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


YEARS = "year"
"""The unit that ages are told in."""


def is_age(shown: Shown) -> bool:
    """Whether it is how old something is on a day."""
    return shown.since is not None and shown.since.until is not None


def to_json(query: Wire) -> Any:
    """The query as JSON, without what is left at its default."""
    return query.model_dump(mode="json", exclude_defaults=True)


def parts_of(condition: Condition | None) -> tuple[Condition, ...]:
    """The conditions that must all hold."""
    if condition is None:
        return ()
    return condition.conditions if isinstance(condition, AllOf) else (condition,)


def all_of(conditions: Iterable[Condition | None]) -> Condition | None:
    """One condition that holds when all of these do."""
    parts = [part for condition in conditions for part in parts_of(condition)]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else AllOf(conditions=tuple(parts))


def conditions_in(condition: Condition | None) -> Iterator[Condition]:
    """The condition and all within it, not those of queries within it."""
    if condition is None:
        return
    yield condition
    match condition:
        case AllOf() | AnyOf():
            for part in condition.conditions:
                yield from conditions_in(part)
        case Negation():
            yield from conditions_in(condition.condition)


def _normal_shown(shown: Shown) -> Shown:
    changed = {
        "where": _normal(shown.where) if shown.where else None,
        "ratio": (_normal_shown(shown.ratio[0]), _normal_shown(shown.ratio[1])) if shown.ratio else None,
        "rows": shown.rows.normalized() if shown.rows else None,
    }
    return shown.model_copy(update=changed)


def _normal(condition: Condition) -> Condition:
    match condition:
        case AllOf() | AnyOf():
            return _normal_list(condition)
        case Negation(condition=Negation(condition=inner)):
            return _normal(inner)
        case Negation():
            return Negation(condition=_normal(condition.condition))
        case Related():
            return condition.model_copy(update={"related": condition.related.normalized()})
        case FigureComparison():
            value = condition.value
            value = value.normalized() if isinstance(value, SemanticQuery) else value
            than = _normal_shown(condition.than) if condition.than else None
            return condition.model_copy(update={"show": _normal_shown(condition.show), "value": value, "than": than})
        case Comparison():
            return _normal_comparison(condition)
        case _:
            return condition


def _normal_list(condition: AllOf | AnyOf) -> Condition:
    kind = type(condition)
    flat: dict[str, Condition] = {}
    for part in condition.conditions:
        normal = _normal(part)
        for one in normal.conditions if isinstance(normal, kind) else (normal,):
            flat.setdefault(json.dumps(to_json(one), ensure_ascii=False, sort_keys=True), one)
    parts = tuple(flat[key] for key in sorted(flat))
    return parts[0] if len(parts) == 1 else kind(conditions=parts)


def _normal_comparison(condition: Comparison) -> Comparison:
    value: Any = condition.value
    if isinstance(value, SemanticQuery):
        return condition.model_copy(update={"value": value.normalized()})
    if condition.op == "in" and isinstance(value, tuple):
        values = tuple(sorted(set(value), key=lambda one: (type(one).__name__, str(one))))
        if len(values) == 1:
            return condition.model_copy(update={"op": "=", "value": values[0]})
        return condition.model_copy(update={"value": values})
    if condition.op == "between" and isinstance(value, tuple) and value[0] == value[1]:
        return condition.model_copy(update={"op": "=", "value": value[0]})
    return condition


for _model in (Comparison, Related, FigureComparison, AllOf, AnyOf, Negation, Shown, OrderBy, SemanticQuery):
    _model.model_rebuild()
