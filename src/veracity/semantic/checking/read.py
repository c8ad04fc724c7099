"""A query from untrusted JSON: what cannot be read is a result in plain words, never an exception."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.semantic.checking.check import DEEPEST
from veracity.semantic.checking.names import near_name
from veracity.semantic.query import SemanticQuery

_MOST_PARTS = 1000
_CODE = ValidationErrorCode


def read_query(data: Any) -> SemanticQuery | QueryValidationError:
    """The query that a JSON value says, or what is wrong with it. Never raises."""
    if problem := _too_large(data):
        return problem
    if isinstance(data, SemanticQuery):
        return data
    if not isinstance(data, dict):
        return _unreadable("query", "A query is one JSON object.")
    try:
        return SemanticQuery.model_validate(data)
    except ValidationError as error:
        return _told(error)
    except (RecursionError, ValueError, OverflowError, TypeError, ArithmeticError):
        return _unreadable("query", "The query cannot be read.")


def _unreadable(name: str | None, hint: str) -> QueryValidationError:
    return QueryValidationError(code=_CODE.TYPE_MISMATCH, field=name, hint=hint)


def _too_large(data: Any) -> QueryValidationError | None:
    """Refuse what is nested too deeply or holds too much, before anything walks into it by recursion."""
    pending, seen = [(data, 0)], 0
    while pending:
        value, depth = pending.pop()
        seen += 1
        if depth > 4 * DEEPEST:
            return _unreadable("query", "The query is nested too deeply.")
        if seen > 20 * _MOST_PARTS:
            return _unreadable("query", "The query is too large.")
        if isinstance(value, dict):
            pending.extend((one, depth + 1) for one in value.values())
            if not all(isinstance(key, str) for key in value):
                return _unreadable("query", "The keys of a query are texts.")
        elif isinstance(value, list | tuple):
            pending.extend((one, depth + 1) for one in value)
    return None


def _told(error: ValidationError) -> QueryValidationError:
    """The first problem that pydantic found, in plain words."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    places = [str(part) for part in first["loc"] if not str(part).startswith("function-")]
    place = ".".join(places) or "query"
    if first["type"] == "extra_forbidden":
        known = _keys_at(places[:-1])
        there = f" There are {', '.join(known)}." if known else ""
        return QueryValidationError(
            code=_CODE.FIELD_NOT_FOUND,
            field=place,
            hint=f"There is no key {clip(places[-1], 30)} here.{there}",
            suggestion=near_name(places[-1], known),
        )
    message = str(first["msg"]).removeprefix("Value error, ")
    return _unreadable(place, f"{message[:1].upper()}{message[1:]}.".replace("..", "."))


def _keys_at(places: Sequence[str]) -> tuple[str, ...]:
    """The keys that an object at a place of a query may have; none where it may be of several kinds."""
    kinds: list[type[BaseModel]] = [SemanticQuery]
    for place in places:
        fields = [
            field for kind in kinds for name, field in kind.model_fields.items() if (field.alias or name) == place
        ]
        kinds = [kind for field in fields for kind in _objects_in(field.annotation)] if fields else kinds
    return tuple(field.alias or name for name, field in kinds[0].model_fields.items()) if len(kinds) == 1 else ()


def _objects_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The kinds of objects that a value of this type may be, or hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _objects_in(part)
