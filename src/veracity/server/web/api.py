"""The API as a page: every path of the OpenAPI document with its fields, its answers and a command to try, without a script of others."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from veracity.server.web.visit import PageRoute, Visitor

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_METHODS = ("get", "post", "put", "patch", "delete")
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class ApiField:
    """One field of a body, or one parameter."""

    name: str
    kind: str
    needed: bool
    told: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """One method of one path."""

    anchor: str
    method: str
    path: str
    summary: str
    told: tuple[str, ...]
    fields: tuple[ApiField, ...]
    answers: tuple[tuple[str, str], ...]
    command: str


@dataclass(frozen=True, slots=True)
class ApiGroup:
    """What belongs together."""

    name: str
    told: str
    operations: tuple[ApiOperation, ...]


@router.get("/docs")
def page(visit: Visitor) -> Response:
    """All of the API."""
    document = visit.request.app.openapi()
    base = str(visit.request.base_url).rstrip("/")
    lead = tuple(part for part in document["info"]["description"].split("\n\n") if part.strip())
    return visit.page("api.html", groups=groups_of(document, base), lead=lead, version=document["info"]["version"])


def groups_of(document: Mapping[str, Any], base: str) -> tuple[ApiGroup, ...]:
    """The operations of an OpenAPI document, under its tags, in its order."""
    schemas = document.get("components", {}).get("schemas", {})
    by_tag: dict[str, list[ApiOperation]] = {}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                told = methods[method]
                by_tag.setdefault((told.get("tags") or [""])[0], []).append(
                    _operation(method, path, told, schemas, base)
                )
    return tuple(
        ApiGroup(tag["name"], tag.get("description", ""), tuple(by_tag[tag["name"]]))
        for tag in document.get("tags", ())
        if tag["name"] in by_tag
    )


def _operation(method: str, path: str, told: Mapping[str, Any], schemas: Mapping[str, Any], base: str) -> ApiOperation:
    body = _body_schema(told)
    schema = _resolved(body, schemas)
    asked = tuple(_parameters(told.get("parameters", ()), schemas))
    answers = tuple((code, one.get("description", "")) for code, one in told.get("responses", {}).items())
    return ApiOperation(
        anchor=told.get("operationId") or f"{method}-{path}",
        method=method.upper(),
        path=path,
        summary=told.get("summary", ""),
        told=tuple(part for part in told.get("description", "").split("\n\n") if part.strip()),
        fields=(*asked, *_fields(schema, schemas)),
        answers=answers,
        command=_command(method, f"{base}{path}", told, body, schemas),
    )


def _body_schema(told: Mapping[str, Any]) -> Mapping[str, Any]:
    content = told.get("requestBody", {}).get("content", {})
    first: Mapping[str, Any] = next(iter(content.values()), {})
    found: Mapping[str, Any] = first.get("schema", {})
    named: Mapping[str, Any] = next(iter(first.get("examples", {}).values()), {})
    example = named.get("value", first.get("example"))
    return {**found, "examples": [example]} if example is not None else found


def _resolved(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema, followed to where it is described."""
    if "$ref" in schema:
        found: Mapping[str, Any] = schemas.get(schema["$ref"].rpartition("/")[2], {})
        return found
    return schema


def _parameters(parameters: Sequence[Mapping[str, Any]], schemas: Mapping[str, Any]) -> Iterator[ApiField]:
    for one in parameters:
        kind = _kind(one.get("schema", {}), schemas)
        yield ApiField(one["name"], kind, bool(one.get("required")), one.get("description", ""), one["in"])


def _fields(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[ApiField]:
    needed = schema.get("required", ())
    for name, one in schema.get("properties", {}).items():
        told = one.get("description") or _resolved(one, schemas).get("description", "")
        yield ApiField(name, _kind(one, schemas), name in needed, told, "body")


def _kind(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """What a value is, in short."""
    if "$ref" in schema:
        held = _resolved(schema, schemas)
        return _kind(held, schemas) if "enum" in held else str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema:
        return " | ".join(str(one) for one in schema["enum"])
    if "const" in schema:
        return str(schema["const"])
    several = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    if several:
        kinds = dict.fromkeys(_kind(one, schemas) for one in several if one.get("type") != "null")
        return " | ".join(kinds)
    if schema.get("type") == "array":
        return f"{_kind(schema.get('items', {}), schemas)} ..."
    return str(schema.get("type", "any"))


def _command(
    method: str, address: str, told: Mapping[str, Any], body: Mapping[str, Any], schemas: Mapping[str, Any]
) -> str:
    """How it is called from a terminal."""
    parts = ["curl", "-s"]
    if method not in ("get", "post"):
        parts += ["-X", method.upper()]
    parts.append(shlex.quote(address))
    if told.get("requestBody"):
        parts += ["-H", "'Content-Type: application/json'"]
        example = _example(body, schemas)
        parts += ["-d", shlex.quote(json.dumps(example, ensure_ascii=False))]
    return " ".join(parts)


def _example(schema: Mapping[str, Any], schemas: Mapping[str, Any], depth: int = 0) -> Any:
    """A body that could be sent: the example of the schema, or one of its needed fields."""
    held = _resolved(schema, schemas)
    if held.get("examples"):
        return held["examples"][0]
    if "properties" in held and depth < _DEEPEST:
        needed = held.get("required") or list(held["properties"])[:1]
        return {name: _example(held["properties"][name], schemas, depth + 1) for name in needed}
    return _plain_example(held, schemas, depth)


def _plain_example(held: Mapping[str, Any], schemas: Mapping[str, Any], depth: int) -> Any:
    if "enum" in held:
        return held["enum"][0]
    several = [one for one in held.get("anyOf", ()) if one.get("type") != "null"]
    if several and depth < _DEEPEST:
        return _example(several[0], schemas, depth + 1)
    simple = {"integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}
    return simple.get(str(held.get("type")), "...")
