"""The API: one file per noun, each with its router; `ROUTERS` is the order in which they are told."""

from __future__ import annotations

from fastapi import APIRouter

from veracity.server.routes import (
    ask,
    boards,
    conversations,
    draft,
    health,
    jobs,
    keys,
    query,
    requirements,
    retrieval,
    sources,
    teaching,
    tools,
    traces,
)

ROUTERS: tuple[APIRouter, ...] = (
    ask.router,
    conversations.router,
    boards.router,
    tools.route_router,
    tools.router,
    query.router,
    traces.router,
    sources.router,
    draft.router,
    teaching.router,
    tools.ground_router,
    retrieval.router,
    requirements.router,
    jobs.router,
    traces.events_router,
    keys.router,
    health.router,
)
