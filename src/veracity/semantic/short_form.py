"""A semantic query as a language model fills it in: flat, few keys, only names that there are. And what it comes to.

It says less than a whole query: nothing is nested. What it leaves out is left to the reader of words, or is asked back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.language.nearest import nearest
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Condition,
    Dimension,
    FigureComparison,
    InSegment,
    Negation,
    OrderBy,
    Related,
    SemanticQuery,
    Shown,
    Transform,
    all_of,
)
from veracity.semantic.query_values import Comparing, Grain, QueryPeriod
from veracity.wire import Wire

TOOL = "semanticQuery"
NOT_HERE = "notInData"
"""What a word stands for that the data does not hold."""
SAYS_NOTHING = "saysNothing"
"""What a word stands for that only ties others together."""
_COMPUTED = ("count", "countDistinct", "sum", "avg", "min", "max", "median")
_OPS = (
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "like",
    "between",
    "in",
    "missing",
    "notMissing",
    "has",
    "hasNo",
    "is",
    "isNot",
)
_MOST = 12
"""So many items a list may have."""
_MOST_ASKED = 4
"""So many a model is asked for: small ones go on as long as they may."""


class ShortFigure(Wire):
    """Something shown: an entity, a field or a measure, maybe computed."""

    name: str
    compute: Literal["count", "countDistinct", "sum", "avg", "min", "max", "median"] | None = None
    as_: Literal["share", "change", "changePercent", "runningTotal", "rank"] | None = Field(default=None, alias="as")


class ShortCondition(Wire):
    """A condition on a field, a figure (`compute`), a segment (`is`) or related rows (`has`)."""

    name: str
    op: Literal[
        "=", "!=", "<", "<=", ">", ">=", "like", "between", "in", "missing", "notMissing", "has", "hasNo", "is", "isNot"
    ]
    values: tuple[str | int | float, ...] = Field(default=(), max_length=_MOST)
    compute: Literal["count", "countDistinct", "sum", "avg", "min", "max", "median"] | None = None


class ShortDimension(Wire):
    """What it is divided by."""

    name: str
    grain: Grain | None = None


class ShortOrder(Wire):
    """What decides the order, and which end comes first."""

    name: str
    compute: Literal["count", "countDistinct", "sum", "avg", "min", "max", "median"] | None = None
    first: Literal["highest", "lowest"] = "highest"


class WordMeans(Wire):
    """What an unknown word stands for."""

    word: str
    means: str


class ShortQuery(Wire):
    """The whole of it."""

    words: tuple[WordMeans, ...] = Field(default=(), max_length=_MOST)
    show: tuple[ShortFigure, ...] = Field(default=(), max_length=_MOST)
    where: tuple[ShortCondition, ...] = Field(default=(), max_length=_MOST)
    by: tuple[ShortDimension, ...] = Field(default=(), max_length=_MOST)
    period: str | None = None
    compare_with: str | None = None
    order: ShortOrder | None = None
    limit: int | None = Field(default=None, ge=1, le=1000)
    limit_per: str | None = None

    @field_validator("words", mode="before")
    @classmethod
    def _each_with_its_meaning(cls, given: Any) -> Any:
        """`{"folks": "Customer"}`, as the schema has it: one key for each unknown word, so that none is passed over."""
        return [{"word": word, "means": means} for word, means in given.items()] if isinstance(given, dict) else given


@dataclass(frozen=True, slots=True)
class NamedPart:
    """The part of a model that a query may name."""

    entities: tuple[str, ...]
    fields: tuple[str, ...]
    """As `Entity.field`."""
    measures: tuple[str, ...]
    segments: tuple[str, ...]
    values: tuple[str, ...] = ()
    """What is stored in a field of few values, as `Entity.field = value`: what an unknown word may stand for, too."""

    @classmethod
    def whole(cls, model: SemanticModel) -> NamedPart:
        """All there is but keys that only join."""
        fields = tuple(
            f"{entity}.{name}" for entity, thing in model.things.items() for name in spoken_fields(thing, model)
        )
        return cls(tuple(model.things), fields, tuple(model.measures), tuple(model.segments))

    @property
    def names(self) -> tuple[str, ...]:
        """All names, each once."""
        return tuple(dict.fromkeys((*self.measures, *self.entities, *self.fields, *self.segments)))


def spoken_fields(thing: Thing, model: SemanticModel) -> Iterator[str]:
    """The fields that people speak of: not the numbers that only identify rows or point to others."""
    pointing = {own for step in model.steps[thing.name] for hop in step.hops[:1] for own, _ in hop.keys}
    for name, facts in thing.fields.items():
        declared = facts.declared is not None and bool(facts.declared.label)
        if declared or name in thing.display or name not in {*pointing, *(thing.key if len(thing.key) == 1 else ())}:
            yield name


# --- the schema


def short_schema(part: NamedPart, unknown: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON schema: every key must be there, every name exists, every unknown word has a meaning; as strict modes and grammars take it."""
    kinds = {"Measure": part.measures, "Entity": part.entities, "Field": part.fields, "Segment": part.segments}
    there = {kind: {"type": "string", "enum": list(names)} for kind, names in kinds.items() if names}
    named, shown, divided = (
        _any_of(kind for kind in which if kind in there)
        for which in (kinds, ("Measure", "Entity", "Field"), ("Entity", "Field"))
    )
    compute = {"$ref": "#/$defs/Compute"}
    value = {"anyOf": [{"type": "string"}, {"type": "number"}]}
    period = _or_null({"type": "string", "description": "2025, 2025-Q2, 2025-03 or 2025-03-31"})
    transforms = [one.value for one in Transform]
    keys: dict[str, Any] = {
        "show": {
            **_list(name=shown, compute=compute, **{"as": _or_null({"type": "string", "enum": transforms})}),
            "minItems": 1,
        },
        "where": _list(
            name=named,
            compute=compute,
            op={"type": "string", "enum": list(_OPS)},
            values={"type": "array", "items": value, "maxItems": _MOST_ASKED},
        ),
        "by": _list(name=divided, grain=_or_null({"type": "string", "enum": [one.value for one in Grain]})),
        "period": period,
        "compareWith": period,
        "order": _or_null(
            _object(name=shown, compute=compute, first={"type": "string", "enum": ["highest", "lowest"]})
        ),
        "limit": _or_null({"type": "integer"}),
        "limitPer": _or_null(divided),
    }
    definitions = {
        **there,
        "Compute": _or_null({"type": "string", "enum": list(_COMPUTED)}),
    }
    if unknown:
        others = {"type": "string", "enum": [*part.values, SAYS_NOTHING, NOT_HERE]}
        definitions["Meaning"] = {"anyOf": [*named["anyOf"], others]}
        keys = {"words": _object(**{word: {"$ref": "#/$defs/Meaning"} for word in unknown}), **keys}
    # Some clients change a schema where it stands, so that no part of it may stand there twice.
    whole: dict[str, Any] = json.loads(json.dumps({**_object(**keys), "$defs": definitions}))
    return whole


def _object(**keys: Any) -> dict[str, Any]:
    return {"type": "object", "properties": keys, "required": list(keys), "additionalProperties": False}


def _list(**keys: Any) -> dict[str, Any]:
    return {"type": "array", "items": _object(**keys), "maxItems": _MOST_ASKED}


def _any_of(kinds: Iterable[str]) -> dict[str, Any]:
    return {"anyOf": [{"$ref": f"#/$defs/{kind}"} for kind in kinds]}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


# --- what was filled in -> a query


def read_short(given: Any) -> ShortQuery | QueryValidationError:
    """What a model filled in, or what is wrong with it."""
    try:
        return ShortQuery.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "query"
        hint = clip(f"{place}: {first['msg']}", 80)
        return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, field=clip(place, 60), hint=hint)


def as_query(short: ShortQuery, model: SemanticModel) -> SemanticQuery | QueryValidationError:
    """The semantic query that it stands for; names are checked here, rules where every query is checked."""
    try:
        return _Reading(model).query(short)
    except _Unnamed as unnamed:
        return unnamed.problem
    except (ValidationError, ValueError) as error:
        text = error.errors(include_url=False)[0]["msg"] if isinstance(error, ValidationError) else str(error)
        hint = clip(text.removeprefix("Value error, "), 80)
        return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, field="query", hint=hint)


class _Unnamed(Exception):
    """Carries out that a name is not there."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        hint = f"There is no {clip(name, 40)!r} here; take a name of the list."
        code = ValidationErrorCode.FIELD_NOT_FOUND
        # People and models get the entity of a field wrong more often than the field.
        by_end = {one.rpartition(".")[2]: one for one in known}
        near = nearest(name.rpartition(".")[2], list(by_end))
        self.problem = QueryValidationError(
            code=code, field=clip(name, 60), hint=clip(hint, 80), suggestion=by_end[near] if near else None
        )


class _Reading:
    """Turns the parts of a short query into those of a whole one."""

    def __init__(self, model: SemanticModel) -> None:
        self._model = model

    def query(self, short: ShortQuery) -> SemanticQuery:
        figures = [self._shown(one.name, one.compute, one.as_) for one in short.show if self._computes(one)]
        plain = [one for one in short.show if not self._computes(one)]
        listed = [one.name for one in plain if one.name in self._model.things]
        fields = [self._shown(one.name, None) for one in plain if one.name not in self._model.things]
        by = [self._dimension(one) for one in short.by]
        if figures:
            by = [*(Dimension(entity=name) for name in listed), *(Dimension(field=one.field) for one in fields), *by]
        ordered = self._order(short)
        if ordered and not ordered.by.is_field and not figures and not by:
            # The customer with the most orders: customers, each with the figure that decides.
            by, figures = [Dimension(entity=listed[0])] if listed else [], [ordered.by]
        where, having = self._conditions(short.where, grouped=bool(by))
        return SemanticQuery(
            show=tuple(figures or fields),
            of=None if figures else next(iter(listed), None),
            where=all_of(where),
            having=all_of(having),
            by=tuple(dict.fromkeys(by)),
            period=QueryPeriod.model_validate(short.period) if short.period else None,
            compare=Comparing(period=QueryPeriod.model_validate(short.compare_with)) if short.compare_with else None,
            order=(ordered,) if ordered else (),
            limit=short.limit if ordered else None,
            per=(self._dimension(ShortDimension(name=short.limit_per)),) if short.limit_per and short.limit else (),
        ).normalized()

    def _computes(self, one: ShortFigure) -> bool:
        return one.compute is not None or one.as_ is not None or one.name in self._model.measures

    def _shown(self, name: str, compute: str | None, transform: str | None = None) -> Shown:
        then = Transform(transform) if transform else None
        if name in self._model.measures:
            return Shown(measure=name, transform=then)
        if name in self._model.things:
            if compute not in (None, "count", "countDistinct"):
                raise ValueError(f"{compute} needs a field, {clip(name, 30)} is an entity")
            return Shown(aggregate=Aggregate.COUNT, of=name, transform=then)
        aggregate = Aggregate(compute) if compute else None
        return Shown(field=self._field(name), aggregate=aggregate, transform=then)

    def _field(self, name: str) -> str:
        entity, _, field = name.partition(".")
        thing = self._model.things.get(entity)
        if thing is None or field not in thing.fields:
            raise _Unnamed(name, NamedPart.whole(self._model).names)
        return name

    def _dimension(self, one: ShortDimension) -> Dimension:
        if one.name in self._model.things:
            return Dimension(entity=one.name)
        entity, _, field = self._field(one.name).partition(".")
        if self._model.things[entity].display == (field,):
            return Dimension(entity=entity)  # by name is by row
        return Dimension(field=one.name, grain=one.grain)

    def _order(self, short: ShortQuery) -> OrderBy | None:
        if short.order is None:
            return None
        return OrderBy(by=self._shown(short.order.name, short.order.compute), descending=short.order.first == "highest")

    def _conditions(
        self, conditions: Sequence[ShortCondition], *, grouped: bool
    ) -> tuple[list[Condition], list[Condition]]:
        where, having = list[Condition](), list[Condition]()
        for one in conditions:
            computed = one.compute is not None or one.name in self._model.measures
            (having if computed and grouped else where).append(self._condition(one, computed=computed))
        return where, having

    def _condition(self, one: ShortCondition, *, computed: bool) -> Condition:
        if one.op in ("is", "isNot") or one.name in self._model.segments:
            if one.name not in self._model.segments:
                raise _Unnamed(one.name, self._model.segments)
            inside = InSegment(segment=one.name)
            return Negation(condition=inside) if one.op in ("isNot", "hasNo", "!=") else inside
        if one.op in ("has", "hasNo") or (one.name in self._model.things and not computed):
            if one.name not in self._model.things:
                raise _Unnamed(one.name, self._model.things)
            related = Related(related=SemanticQuery(of=one.name))
            return Negation(condition=related) if one.op == "hasNo" else related
        if computed:
            if one.op not in ("=", "!=", "<", "<=", ">", ">=") or len(one.values) != 1:
                raise ValueError(f"a figure is compared with one number, not with {one.op}")
            shown = self._shown(one.name, one.compute)
            return FigureComparison(show=shown, op=one.op, value=one.values[0])
        several = one.op in ("in", "between")
        value: Any = tuple(one.values) if several else (one.values[0] if one.values else None)
        op = "in" if one.op == "=" and len(one.values) > 1 else one.op
        if op != one.op:
            value = tuple(one.values)
        return Comparison(field=self._field(one.name), op=op, value=value)
