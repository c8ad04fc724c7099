"""Quality: how well questions were answered: evaluations, what the guard stepped in for, how errors were repaired."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import Response

from veracity.agent.trace_store import Traces, TraceSummary
from veracity.errors import VeracityError
from veracity.evals.compare import RESULTS, load_results
from veracity.evals.records import EvalResults
from veracity.server.web.charts import ChartLine, line_of, scale
from veracity.server.web.visit import PageRoute, Visitor, is_fragment

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_MOST_REPORTS = 50
_MOST_EVENTS = 50
_MOST_TRACES = 200


@dataclass(frozen=True, slots=True)
class Report:
    """One evaluation, or why it cannot be read."""

    name: str
    results: EvalResults | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Day:
    """The questions of one day."""

    day: str
    questions: int
    answered: int
    failures: int
    """Calls that were refused."""
    repaired: int
    sent_back: int

    @property
    def rate(self) -> float | None:
        """How many of the refused calls were followed by a valid one; None where none was refused."""
        return self.repaired / self.failures if self.failures else None


@router.get("/quality")
def page(visit: Visitor) -> Response:
    """Evaluations and the guard's events; the repairs come a moment later."""
    tenant = visit.known.tenant
    events = visit.database.events(tenant)
    return visit.page(
        "quality.html",
        reports=reports_in(visit.settings.reports),
        events=list(events.latest(_MOST_EVENTS)),
        counts=events.counts(),
        wanted=visit.settings.reports is not None,
    )


@router.get("/quality/repairs")
def repairs(visit: Visitor) -> Response:
    """How errors were repaired, day by day."""
    traces = visit.database.traces(visit.known.tenant)
    found = traces.latest(_MOST_TRACES + 1)
    days = days_of(found[:_MOST_TRACES], traces)
    template = "_repairs.html" if is_fragment(visit.request) else "repairs.html"
    counted = _MOST_TRACES if len(found) > _MOST_TRACES else None
    return visit.page(template, days=days, line=repair_line(days), scale=scale(), counted=counted)


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


def days_of(asked: Sequence[TraceSummary], traces: Traces) -> tuple[Day, ...]:
    """Questions by day, the oldest first."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0] * 5)
    for summary in asked:
        told = traces.get(summary.trace_id).body.get("trace") or {}
        counters = told.get("counters") or {}
        counted = (
            1,
            int(summary.outcome == "answered"),
            int(counters.get("validationFailures", 0)),
            int(counters.get("conversions", 0)),
            len(told.get("refusals") or ()),
        )
        day = f"{summary.started_at:%Y-%m-%d}"
        sums[day] = [had + more for had, more in zip(sums[day], counted, strict=True)]
    return tuple(Day(day, *sums[day]) for day in sorted(sums))


def repair_line(days: tuple[Day, ...]) -> ChartLine | None:
    """The rate of repairs over time, on the days that have one; a single day is no line."""
    rated = [
        (one.day[5:], one.rate, f"{one.day}: {one.repaired} / {one.failures}") for one in days if one.rate is not None
    ]
    return line_of([(label, rate, tip) for label, rate, tip in rated if rate is not None]) if len(rated) > 1 else None
