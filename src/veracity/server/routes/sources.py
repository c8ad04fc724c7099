"""`/v1/sources`: files and databases of a tenant, connected, listed, chosen and forgotten.

A source changes what everybody of the tenant is answered from, so that connecting and choosing takes a reviewer; forgetting one,
which deletes its rows, takes an admin.
"""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError, model_validator

from veracity.errors import UsageError
from veracity.ontology.draft.drafting import MOST_TABLES
from veracity.server.access import Admin, Analyst, Reviewer
from veracity.server.parts import ServerParts
from veracity.server.problems import documented
from veracity.server.request_body import ApiRoute
from veracity.server.sources import LONGEST_NAME, ConnectedSource
from veracity.server.sources_secret import LONGEST_ADDRESS
from veracity.wire import Wire

router = APIRouter(tags=["sources"], route_class=ApiRoute)
SourceId = Annotated[
    str, Path(description="The id of a source; `server` is the one it was started with.", max_length=100)
]
TableSearch = Annotated[str, Query(description="A part of a name.", max_length=200)]
Use = Annotated[bool, Query(description="Answer questions from it as soon as it is ready.")]


class NewSource(Wire):
    """A source that is named; a file is sent as a form instead."""

    postgres: Annotated[str, Field(min_length=1, max_length=LONGEST_ADDRESS)] | None = None
    """`postgresql://user:password@host/database`, kept encrypted and never shown; or `env:NAME`, a variable of the server."""
    ledger: bool = False
    """The shipped ledger."""
    name: Annotated[str, Field(max_length=LONGEST_NAME)] = ""
    """What people call it; without one, host and database."""

    @model_validator(mode="after")
    def _one_of_them(self) -> NewSource:
        if (self.postgres is None) == (not self.ledger):
            raise ValueError("name a `postgres` address or the `ledger`")
        return self


class TablesChosen(Wire):
    """The tables that questions are about."""

    tables: Annotated[list[str], Field(min_length=1, max_length=MOST_TABLES)]


_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": NewSource.model_json_schema(by_alias=True)},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary", "description": "The file."}},
                }
            },
        },
    }
}


@router.get("/v1/sources", summary="List the sources of the tenant", responses=documented())
async def list_sources(caller: Analyst, parts: ServerParts) -> list[ConnectedSource]:
    """The one that the server was started with first; `inUse` says which one questions are answered from."""
    return await asyncio.to_thread(parts.sources.all_of, caller.tenant)


@router.post(
    "/v1/sources",
    summary="Connect a source",
    status_code=202,
    responses=documented(408),
    openapi_extra=_BODY,
)
async def connect_source(request: Request, caller: Reviewer, parts: ServerParts, use: Use = False) -> ConnectedSource:
    """Send a file as a form (`curl -F file=@sales.csv`), or name a PostgreSQL server or the ledger as JSON.

    It is then prepared: `GET /v1/sources/{source_id}` says how far it is. A PostgreSQL server that cannot be reached is not kept.
    """
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        return await parts.connections.file(request, caller, use=use)
    asked = await _named(request)
    if asked.postgres is not None:
        return await parts.connections.postgres(caller, asked.postgres, asked.name, use=use)
    return await parts.connections.ledger(caller, use=use)


async def _named(request: Request) -> NewSource:
    try:
        return NewSource.model_validate(await request.json())
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise UsageError("Send a file as multipart/form-data, or the name of a source as JSON.") from None
    except ValidationError as error:
        # Without what was sent: an address holds a password.
        told = error.errors(include_input=False, include_context=False, include_url=False)
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"]), "input": None} for one in told]) from None


@router.get("/v1/sources/{source_id}", summary="Show a source", responses=documented(404))
async def show_source(source_id: SourceId, caller: Analyst, parts: ServerParts) -> ConnectedSource:
    """How far it is, what was found in it, and questions that it surely answers."""
    found = await asyncio.to_thread(parts.sources.get, caller.tenant, source_id)
    await asyncio.to_thread(parts.connections.look_after, caller.tenant, source_id)
    return found


@router.get("/v1/sources/{source_id}/tables", summary="List the tables of a source", responses=documented(404))
async def list_tables(source_id: SourceId, caller: Analyst, parts: ServerParts, search: TableSearch = "") -> list[str]:
    """Also those that are not looked at because there are too many; `search` finds a part of a name."""
    names = await asyncio.to_thread(parts.connections.tables_of, caller.tenant, source_id)
    return [name for name in names if search.casefold() in name.casefold()]


@router.put(
    "/v1/sources/{source_id}/tables", summary="Choose tables of a source", status_code=202, responses=documented(404)
)
async def choose_tables(
    source_id: SourceId, body: TablesChosen, caller: Reviewer, parts: ServerParts
) -> ConnectedSource:
    """Of a source with more than 500 tables only those are looked at that somebody chose; it is prepared anew with them."""
    return await asyncio.to_thread(parts.connections.choose_tables, caller.tenant, source_id, body.tables)


@router.post("/v1/sources/{source_id}/use", summary="Answer questions from this source", responses=documented(404))
async def use_source(source_id: SourceId, caller: Reviewer, parts: ServerParts) -> ConnectedSource:
    """From the next question on, for everybody of the tenant."""
    return await asyncio.to_thread(parts.sources.use, caller.tenant, source_id)


@router.delete("/v1/sources/{source_id}", summary="Forget a source", responses=documented(404))
async def forget_source(source_id: SourceId, caller: Admin, parts: ServerParts) -> ConnectedSource:
    """Its rows, its draft and its address are deleted; the traces of its answers stay. If it was in use, that of the server is."""
    return await asyncio.to_thread(parts.sources.forget, caller.tenant, source_id)
