"""Ontology -> JSON schemas of the tools, for constrained decoding and for clients that check arguments themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

Style = Literal["strict", "by-table"]
Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class EntityShape:
    """What a schema says of one entity."""

    name: str
    fields: tuple[str, ...]
    additive: tuple[str, ...] = ()
    """The fields that SUM and AVG work on, as they are or within one snapshot."""
    required: tuple[str, ...] = ()
    """The fields that a call must filter, group by or sort by."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The fixed words of the tools."""

    operators: tuple[str, ...]
    aggregates: tuple[str, ...]
    adding: frozenset[str]
    """The aggregates that add values up."""


ERROR_SENTENCE = "A refused call returns success=false and errorDetails {code, field, suggestion, hint}: correct the call by it and call again."
DESCRIPTIONS = {
    "browseTable": "Show the fields and some rows of a table. ",
    "queryTable": "Return rows of a table that meet all filters. ",
    "aggregateTable": "Compute one aggregate over the rows that meet all filters, per group. With limit: the largest groups. ",
}


def tool_schemas(
    shapes: Sequence[EntityShape], vocabulary: Vocabulary, *, style: Style = "strict", in_words: bool = True
) -> list[Schema]:
    """The three tools, as `{name, description, parameters}`.

    `strict` is accepted by OpenAI-style strict mode: one object, every property required, optional ones nullable,
    one enum of all fields and the fields of each table in words. `by-table` ties the fields to their table with
    one branch per table, for decoders that take `anyOf` at the top. Without `in_words` the strict style leaves out which
    fields belong to which table, for a prompt that says so already.
    """
    make = partial(_strict, in_words=in_words) if style == "strict" else _by_table
    return [
        {"name": tool, "description": description + ERROR_SENTENCE, "parameters": make(tool, shapes, vocabulary)}
        for tool, description in DESCRIPTIONS.items()
    ]


def _object(properties: Schema, **more: Any) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        **more,
    }


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _filter(field: Schema, vocabulary: Vocabulary) -> Schema:
    scalar: list[Schema] = [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]
    value = {"anyOf": [*scalar, {"type": "array", "items": {"anyOf": scalar}}, {"type": "null"}]}
    return _object({"field": field, "op": {"type": "string", "enum": list(vocabulary.operators)}, "value": value})


def _arguments(tool: str, table: Schema, field: Schema, vocabulary: Vocabulary, target: Schema) -> Schema:
    limit = _nullable({"type": "integer"})
    if tool == "browseTable":
        return {"tableName": table, "limit": limit}
    names = _nullable({"type": "array", "items": field})
    filters = _nullable({"type": "array", "items": _filter(field, vocabulary)})
    if tool == "queryTable":
        order = _object({"field": field, "direction": {"type": "string", "enum": ["ASC", "DESC"]}})
        return {
            "tableName": table,
            "fields": names,
            "filters": filters,
            "orderBy": _nullable({"type": "array", "items": order}),
            "limit": limit,
        }
    aggregate = {"type": "string", "enum": list(vocabulary.aggregates)}
    return {
        "tableName": table,
        "aggregate": aggregate,
        "field": _nullable(target),
        "groupBy": names,
        "filters": filters,
        "limit": limit,
    }


def _strict(tool: str, shapes: Sequence[EntityShape], vocabulary: Vocabulary, *, in_words: bool) -> Schema:
    table: Schema = {"type": "string", "enum": [shape.name for shape in shapes]}
    if tool == "browseTable":
        return _object(_arguments(tool, table, {}, vocabulary, {}))
    if in_words:
        table["description"] = _in_words(shapes)
    everything = sorted({name for shape in shapes for name in shape.fields})
    field = {"$ref": "#/$defs/field"}
    properties = _arguments(tool, table, field, vocabulary, field)
    if tool == "aggregateTable":
        properties["aggregate"]["description"] = _additive_in_words(shapes, vocabulary)
    return _object(properties, **{"$defs": {"field": {"type": "string", "enum": everything}}})


def _in_words(shapes: Sequence[EntityShape]) -> str:
    lines = []
    for shape in shapes:
        required = f" (filter {', '.join(shape.required)})" if shape.required else ""
        lines.append(f"{shape.name}{required}: {', '.join(shape.fields)}")
    return "Fields by table. " + "; ".join(lines)


def _additive_in_words(shapes: Sequence[EntityShape], vocabulary: Vocabulary) -> str:
    listed = "; ".join(f"{shape.name}: {', '.join(shape.additive)}" for shape in shapes if shape.additive)
    return f"{' and '.join(sorted(vocabulary.adding))} only on {listed or 'no field'}."


def _by_table(tool: str, shapes: Sequence[EntityShape], vocabulary: Vocabulary) -> Schema:
    branches = [branch for shape in shapes for branch in _branches(tool, shape, vocabulary)]
    return {"type": "object", "anyOf": branches}


def _branches(tool: str, shape: EntityShape, vocabulary: Vocabulary) -> list[Schema]:
    table = {"type": "string", "enum": [shape.name]}
    field = {"type": "string", "enum": list(shape.fields)}
    if tool != "aggregateTable":
        return [_object(_arguments(tool, table, field, vocabulary, field))]
    branches = []
    for adding, targets in ((False, shape.fields), (True, shape.additive)):
        if targets:
            properties = _arguments(tool, table, field, vocabulary, {"type": "string", "enum": list(targets)})
            names = [name for name in vocabulary.aggregates if (name in vocabulary.adding) is adding]
            properties["aggregate"] = {"type": "string", "enum": names}
            branches.append(_object(properties))
    return branches
