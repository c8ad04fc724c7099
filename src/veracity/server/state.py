"""What the routes and the worker share: the parts of one server, typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from veracity.server.agents import Agents
from veracity.server.config import ServerSettings
from veracity.server.database import ServerDatabase
from veracity.server.metrics import Metrics
from veracity.server.ranking import Ranking
from veracity.server.requirement_work import RequirementWork
from veracity.settings import Settings


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one server."""

    settings: ServerSettings
    home: Settings
    database: ServerDatabase
    agents: Agents
    metrics: Metrics
    ranking: Ranking
    requirements: RequirementWork

    @classmethod
    def of(
        cls,
        settings: ServerSettings,
        home: Settings,
        *,
        database: ServerDatabase | None = None,
        agents: Agents | None = None,
    ) -> Parts:
        """All of them; a database or agents that are given are used."""
        kept = database or ServerDatabase.open(settings.database, home)
        return cls(
            settings=settings,
            home=home,
            database=kept,
            agents=agents or Agents(settings, kept, home=home),
            metrics=Metrics(),
            ranking=Ranking(settings, kept, home),
            requirements=RequirementWork(settings, home),
        )


def parts(request: Request) -> Parts:
    """The parts of the server that a request is for; a dependency."""
    found: Parts = request.app.state.parts
    return found


State = Annotated[Parts, Depends(parts)]
