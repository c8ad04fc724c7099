"""The JSON schema of a semantic query over one model: the names that there are, for programs and models that write queries."""

from __future__ import annotations

from typing import Any

from veracity.ontology.schema import ERROR_SENTENCE
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery

DESCRIPTION = (
    "Answer a question in the words of the ontology, without SQL: `show` measures, aggregates or fields, `of` an entity, `where` conditions "
    "(and, or, not, related), `by` dimensions with grains for dates, `period`, `having`, `order` with `limit`, `compare`. Joins are found. "
    "Returns what was understood, the answer in words and the rows. "
)


_SHORT = {
    "Shown": "A measure by its name, or a field as Entity.field.",
    "Dimension": "An entity by its name, or a field as Entity.field.",
    "QueryPeriod": "2025, 2025-Q2, 2025-03 or 2025-03-31: the whole of it.",
}
"""What may be written as one text."""


def query_tool(model: SemanticModel) -> dict[str, Any]:
    """The tool as `{name, description, parameters}`."""
    parameters = query_schema(model)
    definitions = parameters["$defs"]
    query = definitions["SemanticQuery"]
    return {
        "name": "semanticQuery",
        "description": DESCRIPTION + ERROR_SENTENCE,
        "parameters": {**query, "$defs": definitions},
    }


def query_schema(model: SemanticModel) -> dict[str, Any]:
    """The schema, with every entity, field, measure and segment by name; `#/$defs/SemanticQuery` is the query."""
    schema = SemanticQuery.model_json_schema()
    definitions: dict[str, Any] = schema["$defs"]
    names = {
        "FieldName": [f"{entity}.{name}" for entity, thing in model.things.items() for name in thing.fields],
        "EntityName": list(model.things),
        "MeasureName": list(model.measures),
        "SegmentName": list(model.segments),
    }
    places = {
        "field": "FieldName",
        "of": "EntityName",
        "entity": "EntityName",
        "measure": "MeasureName",
        "segment": "SegmentName",
    }
    for definition in definitions.values():
        for place, kind in places.items():
            if names[kind] and (found := definition.get("properties", {}).get(place)):
                _refer(found, kind)
    for name, description in _SHORT.items():
        definitions[name] = {"anyOf": [definitions[name], {"type": ["string", "integer"], "description": description}]}
    for place in ("where", "having"):
        condition = definitions["SemanticQuery"]["properties"][place]
        several = {"type": "array", "items": {"anyOf": condition["anyOf"]}, "description": "All of these hold."}
        condition["anyOf"] = [*condition["anyOf"], several]
    definitions |= {kind: {"type": "string", "enum": known} for kind, known in names.items() if known}
    return schema


def _refer(schema: dict[str, Any], kind: str) -> None:
    """Let a text be one of the names of a kind."""
    if schema.get("type") == "string":
        del schema["type"]
        schema["$ref"] = f"#/$defs/{kind}"
    for number, one in enumerate(schema.get("anyOf", ())):
        if one.get("type") == "string":
            schema["anyOf"][number] = {"$ref": f"#/$defs/{kind}"}
