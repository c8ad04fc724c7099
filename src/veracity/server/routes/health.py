"""`/healthz`, `/readyz`, `/metrics`: is it alive, is it ready, how is it doing."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from pathlib import Path
from shutil import disk_usage
from tempfile import NamedTemporaryFile
from typing import Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from veracity.errors import VeracityError
from veracity.server.access import is_called_local, is_from_here, needs
from veracity.server.keys import LOCAL, Caller
from veracity.server.metrics import CONTENT_TYPE
from veracity.server.parts import ServerParts
from veracity.server.problems import LOG, RequestRefused, documented

router = APIRouter(tags=["health"])
_ROOM, _WRITTEN = 10_000_000, 65_536
"""Bytes that must be free, and those that are written to see it."""


class Health(BaseModel):
    """It is alive, or ready."""

    status: Literal["ok"] = "ok"
    version: str


@router.get("/healthz", summary="Is the process alive?", responses=documented())
async def healthz() -> Health:
    """Always `ok`, as long as the process answers at all."""
    return Health(version=version("veracity"))


@router.get("/readyz", summary="Can it answer questions now?", responses=documented())
async def readyz(parts: ServerParts) -> Health:
    """Looks at the database, at the disk and at the data; 503 says which of them is away or full."""
    try:
        await asyncio.to_thread(parts.database.check)
    except VeracityError:
        raise RequestRefused(503, "The database cannot be reached.") from None
    try:
        await asyncio.to_thread(_write_something, parts.home.home)
    except OSError:
        raise RequestRefused(503, "The disk is full or cannot be written; make room.") from None
    try:
        await asyncio.to_thread(parts.agents.of, Caller(LOCAL, "admin"))
    except VeracityError:
        # Anybody may ask this: what is wrong exactly stands in the log.
        raise RequestRefused(503, "The data cannot be reached.") from None
    return Health(version=version("veracity"))


def _write_something(folder: Path) -> None:
    """Write as much as an answer's trace may need, and take it away again; raises `OSError` where there is no room."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if disk_usage(folder).free < _ROOM:
        raise OSError("no room")
    with NamedTemporaryFile(dir=folder, prefix=".ready-") as file:
        file.write(bytes(_WRITTEN))
        file.flush()


@router.get(
    "/metrics",
    summary="Metrics for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **documented()},
)
async def metrics(request: Request, parts: ServerParts) -> Response:
    """Counts and times; no tenant, key or question is in them. From another machine it needs the role admin."""
    if not (is_from_here(request) and is_called_local(request)):
        await needs("admin")(request)
    try:
        parts.metrics.queues(await asyncio.to_thread(parts.database.queue_depths))
    except VeracityError:
        # A database that is away is told by /readyz; all that was counted here is told all the same.
        LOG.warning("the queues could not be counted")
    return Response(await asyncio.to_thread(parts.metrics.text), media_type=CONTENT_TYPE)
