"""`/v1/keys`: an admin manages the keys of its own tenant."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field

from veracity.errors import UsageError
from veracity.server.access import Admin
from veracity.server.keys import KeyInfo, Role
from veracity.server.parts import ServerParts
from veracity.server.problems import NotThere, documented
from veracity.server.request_body import ApiRoute
from veracity.wire import Wire

router = APIRouter(tags=["keys"], route_class=ApiRoute)


class NewKey(Wire):
    """What a key is for."""

    role: Role
    name: Annotated[str, Field(max_length=100)] = ""
    """Who or what uses it."""
    days: Annotated[float, Field(gt=0, le=3_650)] | None = None
    """How long it is valid; without it, until it is revoked."""


class MadeKey(KeyInfo):
    """A new key; it is shown only now."""

    key: str


@router.get("/v1/keys", summary="List keys", responses=documented())
async def list_keys(caller: Admin, parts: ServerParts) -> list[KeyInfo]:
    """The keys of the tenant, also revoked and expired ones; what is listed opens nothing."""
    return list(await asyncio.to_thread(parts.database.keys.list, caller.tenant))


@router.post("/v1/keys", summary="Make a key", status_code=201, responses=documented())
async def make_key(body: NewKey, request: Request, caller: Admin, parts: ServerParts) -> MadeKey:
    """A new key for the admin's own tenant and its rows. Note it down: only a digest of it is kept."""
    plain, info = await asyncio.to_thread(
        lambda: parts.database.keys.create(
            caller.tenant, body.role, name=body.name, days=body.days, scope=dict(caller.scope)
        )
    )
    request.app.state.access.forget()
    return MadeKey(key=plain, **info.model_dump(by_alias=False))


@router.delete("/v1/keys/{key_id}", summary="Revoke a key", responses=documented(404))
async def revoke_key(
    key_id: Annotated[str, Path(description="The id of a key: its part between vk_ and the next _.", max_length=100)],
    caller: Admin,
    parts: ServerParts,
) -> KeyInfo:
    """It opens nothing any more, in every process, within seconds."""
    try:
        return await asyncio.to_thread(parts.database.keys.revoke, key_id, caller.tenant)
    except UsageError:
        raise NotThere(f"There is no key {key_id[:60]!r}.") from None
