"""JSON Schema of structured outputs: which schemas can be used, and what an output lacks, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

from pydantic import StringConstraints

from veracity.contracts import clip

_QUOTED = 60
_SCHEMA_NODES = 2_000
_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """What is wrong with a schema, and at which of its parts."""

    where: tuple[str | int, ...]
    message: str


def schema_problems(wanted: Mapping[str, Any]) -> Iterator[SchemaProblem]:
    """Why a JSON Schema cannot be used for the output of a skill."""
    nodes = list(_schema_nodes(wanted))
    if len(nodes) >= _SCHEMA_NODES or max(len(where) for where, _node in nodes) > _DEEPEST:
        yield SchemaProblem((), "the schema is too large or refers to itself; a few fields are enough")
        return
    if wanted.get("type") != "object" or not isinstance(wanted.get("properties"), Mapping) or not wanted["properties"]:
        yield SchemaProblem((), "the schema of an object is needed: type: object, and its fields under properties")
        return
    yield from _invalid_parts(wanted)
    for where, node in nodes:
        yield from _unusable_parts(where, node, wanted)


def _schema_nodes(wanted: object) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every part with its place, at most so many."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), wanted)]
    count = 0
    while waiting and count < _SCHEMA_NODES:
        where, node = waiting.pop(0)
        count += 1
        yield where, node
        if isinstance(node, Mapping):
            waiting.extend(((*where, str(key)), value) for key, value in node.items())
        elif isinstance(node, list | tuple):
            waiting.extend(((*where, index), value) for index, value in enumerate(node))


def _invalid_parts(wanted: Mapping[str, Any]) -> Iterator[SchemaProblem]:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    meta = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    by_place: dict[tuple[str | int, ...], list[Any]] = {}
    for error in meta.iter_errors(wanted):
        by_place.setdefault(tuple(error.absolute_path), []).append(error)
    for where, errors in by_place.items():
        best = best_match(errors)
        yield SchemaProblem(where, f"not valid JSON Schema: {clip(best.message, 160)}")


def _unusable_parts(where: tuple[str | int, ...], node: Any, wanted: Mapping[str, Any]) -> Iterator[SchemaProblem]:
    if not isinstance(node, Mapping) or (where and where[-1] == "properties"):
        return
    if "patternProperties" in node:
        yield SchemaProblem((*where, "patternProperties"), "patternProperties cannot be used; name the fields")
    for key in ("$ref", "$dynamicRef"):
        target = node.get(key)
        if isinstance(target, str) and not _leads_somewhere(target, wanted):
            message = f"{key} {clip(target, 80)!r} leads nowhere in this schema, and nothing is fetched from elsewhere"
            yield SchemaProblem((*where, key), message)
    pattern = node.get("pattern")
    if isinstance(pattern, str) and _linear(pattern) is None:
        yield SchemaProblem(
            (*where, "pattern"), f"the pattern {clip(pattern, 80)!r} cannot be used; write a simpler one"
        )


def _leads_somewhere(target: str, wanted: Mapping[str, Any]) -> bool:
    """Whether a reference ends at a part of the same schema, and not in a circle."""
    passed: set[str] = set()
    while target not in passed:
        passed.add(target)
        node = _part(target, wanted)
        if not isinstance(node, Mapping | bool):
            return False
        onwards = node.get("$ref") if isinstance(node, Mapping) else None
        if not isinstance(onwards, str):
            return True
        target = onwards
    return False


def _part(target: str, wanted: Mapping[str, Any]) -> object:
    """The part of a schema that `#/$defs/name` points at; None when there is none."""
    node: Any = wanted if target == "#" or target.startswith("#/") else None
    for part in target.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, Mapping):
            node = node.get(key)
        else:
            node = node[int(key)] if isinstance(node, list) and key.isdecimal() and int(key) < len(node) else None
    return node


@lru_cache(maxsize=256)
def _linear(pattern: str) -> Callable[[str], object] | None:
    """A search for a pattern that takes no more time than the text is long; None if there is no such search.

    Patterns are of whoever wrote the skill and texts of a model: together they could keep Python's own `re` busy for ever.
    """
    from pydantic import TypeAdapter
    from pydantic_core import SchemaError

    try:
        adapter = TypeAdapter(Annotated[str, StringConstraints(pattern=pattern)])
    except SchemaError:
        return None
    return adapter.validate_python


def schema_messages(wanted: Mapping[str, Any], fields: Mapping[str, Any]) -> list[str]:
    """Why fields are not what a schema says."""
    from jsonschema.exceptions import best_match
    from referencing import Registry

    # A registry of our own: the default one would fetch what a `$ref` names.
    validator = _schema_class()(wanted, registry=Registry())
    found = sorted(validator.iter_errors(fields), key=lambda one: [str(part) for part in one.absolute_path])
    # Of alternatives, the one that came nearest says what to do.
    return [_schema_sentence(best_match([error]) or error if error.context else error) for error in found]


@lru_cache(maxsize=1)
def _schema_class() -> Any:
    """Draft 2020-12, with patterns that are linear, and Python's own lists and mappings."""
    from jsonschema import Draft202012Validator, ValidationError, validators

    def pattern(_validator: object, wanted: str, instance: object, _schema: object) -> Iterator[ValidationError]:
        if isinstance(instance, str) and not _is_found(wanted, instance):
            yield ValidationError(f"does not match {wanted}")

    types = Draft202012Validator.TYPE_CHECKER.redefine_many(
        {
            "array": lambda _checker, value: isinstance(value, list | tuple),
            "object": lambda _checker, value: isinstance(value, Mapping),
        }
    )
    extend: Any = validators.extend
    return extend(Draft202012Validator, {"pattern": pattern}, type_checker=types)


def _is_found(pattern: str, text: str) -> bool:
    from pydantic import ValidationError

    search = _linear(pattern)
    if search is None:
        raise ValueError(f"the pattern {clip(pattern, _QUOTED)} cannot be used")
    try:
        search(text)
    except ValidationError:
        return False
    return True


_BOUNDS = {
    "minLength": "has fewer than {} characters; say more",
    "maxLength": "has more than {} characters; shorten it",
    "minItems": "has fewer than {} entries; add some",
    "maxItems": "has more than {} entries; leave some out",
    "minimum": "is less than {}; mend it",
    "maximum": "is more than {}; mend it",
    "pattern": "does not have the form {}; write it in this form",
}


def _schema_sentence(error: Any) -> str:
    """What a JSON Schema error means, in a sentence without the whole output in it."""
    keyword, wanted, value = str(error.validator), error.validator_value, error.instance
    path = ".".join(str(part) for part in error.absolute_path)
    where = f"The field {quoted(path)}" if path else "The output"
    if keyword == "required" and isinstance(value, Mapping):
        names = [name for name in wanted if name not in value]
        prefix = f"{path}." if path else ""
        # One error per missing name: the message begins with it.
        name = next((name for name in names if error.message.startswith(repr(name))), names[0] if names else "")
        return missing(f"{prefix}{name}")
    if keyword == "type":
        kinds = [wanted] if isinstance(wanted, str) else wanted
        return f"{where} has to be {' or '.join(_TYPES.get(kind, str(kind)) for kind in kinds)}; change it."
    if keyword == "enum":
        return f"{where} has to be one of {clip(', '.join(map(str, wanted)), 200)}; change it."
    if keyword == "additionalProperties":
        known = error.schema.get("properties", {})
        extra = ", ".join(quoted(str(name)) for name in list(value) if name not in known)
        return f"{where} has fields that there are not: {clip(extra, 200)}; leave them out."
    if keyword in _BOUNDS:
        return f"{where} {_BOUNDS[keyword].format(clip(str(wanted), 80))}."
    return f"{where} does not fit its schema ({clip(error.message, 200)}); mend it."


_TYPES = {
    "string": "a text",
    "array": "a list",
    "object": "an object",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}


def missing(name: str) -> str:
    """The sentence for a field that is not there."""
    return f"The field {quoted(name)} is missing; add it."


def quoted(text: str) -> str:
    """Something of the output or the rules, short enough to be in a sentence."""
    return f"“{clip(text, _QUOTED)}”"
