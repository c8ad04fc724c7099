"""Quality: what became of the questions, what was refused and repaired, what it took; evaluations and the guard's events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

from fastapi import APIRouter
from fastapi.responses import Response

from veracity.agent.recorder import UNFINISHED
from veracity.agent.trace_store import TraceFilter
from veracity.answer.answer import Outcome
from veracity.errors import VeracityError
from veracity.evals.compare import RESULTS, load_results
from veracity.evals.records import EvalResults
from veracity.server.web.charts import scale
from veracity.server.web.question_days import AskedOnce, DayOfQuestions, answered_line, days_of
from veracity.server.web.visit import PageRoute, Visitor, is_fragment

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_MOST_REPORTS = 50
_MOST_EVENTS = 50
_MOST_TRACES = 1_000
_MOST_DRAFTS = 20
PERIODS = (1, 7, 30, 90)
"""Days that one can look back."""


@dataclass(frozen=True, slots=True)
class Report:
    """One evaluation, or why it cannot be read."""

    name: str
    results: EvalResults | None
    problem: str = ""


@router.get("/quality")
def page(visit: Visitor, days: int = 30, model: str = "", outcome: str = "") -> Response:
    """Evaluations and the guard's events; what happened to the questions comes a moment later."""
    tenant = visit.known.tenant
    events = visit.database.events(tenant)
    narrowed = _narrowed(days, model, outcome)
    return visit.page(
        "quality.html",
        reports=reports_in(visit.settings.reports),
        events=list(events.latest(_MOST_EVENTS)),
        counts=events.counts(),
        wanted=visit.settings.reports is not None,
        models=visit.database.traces(tenant).models(),
        narrowed=narrowed,
        query=urlencode(narrowed),
    )


@router.get("/quality/trend")
def trend(visit: Visitor, days: int = 30, model: str = "", outcome: str = "") -> Response:
    """What became of the questions, day by day: refused drafts, held-back answers, repairs, tokens, cost and time."""
    traces, narrowed = visit.database.traces(visit.known.tenant), _narrowed(days, model, outcome)
    since = datetime.now(UTC) - timedelta(days=int(narrowed["days"]))
    only = TraceFilter(outcome=str(narrowed["outcome"]), model=str(narrowed["model"]), since=since)
    found = traces.recent(_MOST_TRACES + 1, only=only)
    asked = [AskedOnce.of(one, visit.parts.home) for one in found[:_MOST_TRACES]]
    template = "_trend.html" if is_fragment(visit.request) else "trend.html"
    by_day = days_of(asked)
    return visit.page(
        template,
        total=DayOfQuestions.of("", asked),
        days=by_day,
        line=answered_line(by_day),
        scale=scale(),
        drafts=[(one, draft) for one in asked for draft in one.drafts][:_MOST_DRAFTS],
        counted=_MOST_TRACES if len(found) > _MOST_TRACES else None,
        currency=visit.parts.home.currency,
    )


def _narrowed(days: int, model: str, outcome: str) -> dict[str, str | int]:
    """What the visitor wants to see, as far as there is such a thing."""
    known = {*(one.value for one in Outcome), UNFINISHED}
    return {
        "days": days if days in PERIODS else 30,
        "model": model[:200],
        "outcome": outcome if outcome in known else "",
    }


def reports_in(folder: Path | None) -> tuple[Report, ...]:
    """The evaluations of a folder and of the folders in it, the newest first."""
    if folder is None or not folder.is_dir():
        return ()
    files = sorted([*folder.glob(RESULTS), *folder.glob(f"*/{RESULTS}")])[:_MOST_REPORTS]
    found = [_read_report(file) for file in files]
    return tuple(sorted(found, key=lambda one: str(one.results.started_at) if one.results else "", reverse=True))


def _read_report(file: Path) -> Report:
    try:
        return Report(file.parent.name, load_results(file))
    except VeracityError:
        # Its message names a path of the server, which is nobody's business.
        return Report(file.parent.name, None, "unreadable")
