"""The API: one file per noun, each with its router; `ROUTERS` is the order in which they are told."""

from __future__ import annotations

from fastapi import APIRouter

from veracity.server.routes import (
    ask,
    clarifications,
    events,
    ground,
    health,
    jobs,
    keys,
    requirements,
    rerank,
    reviews,
    route,
    tools,
    traces,
)

ROUTERS: tuple[APIRouter, ...] = tuple(
    part.router
    for part in (
        ask,
        route,
        tools,
        traces,
        ground,
        rerank,
        reviews,
        requirements,
        clarifications,
        jobs,
        events,
        keys,
        health,
    )
)
