"""Trace: what was asked, round by round, and the rows that an answer rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from pydantic import ValidationError

from veracity.answer.answer import Answer, RunTrace
from veracity.errors import UsageError
from veracity.server.problems import NotThere
from veracity.server.web.figures import ShownAnswer, query_text
from veracity.server.web.results import Reader, as_csv, run_again, source_of, table_of
from veracity.server.web.visit import PageRoute, Visit, Visitor, is_fragment
from veracity.sources.source import Dialect
from veracity.store import TraceRecord
from veracity.trace import ToolCallLog

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_PAGE = 30


@dataclass(frozen=True, slots=True)
class ReadTrace:
    """A trace as this version reads it."""

    record: TraceRecord
    run: RunTrace
    answer: Answer | None
    """None: the run was cut off."""


@dataclass(frozen=True, slots=True)
class Step:
    """A call of a round, and its query as a person would write it."""

    call: ToolCallLog
    query: str
    repaired: bool
    """A call was refused in the round before, and this one is valid."""


def read_trace(visit: Visit, trace_id: str) -> ReadTrace:
    """A trace of the visitor's tenant; raises `NotThere`."""
    record = visit.agents.trace(visit.known, trace_id)
    fields = {key: value for key, value in record.body.items() if key not in ("understoodAs", "rows")}
    try:
        if not record.finished:
            run = RunTrace.model_validate(fields.get("trace") or {"model": record.model, "rounds": 0})
            return ReadTrace(record, run, None)
        answer = Answer.model_validate(fields)
    except ValidationError:
        raise UsageError(visit.say("trace.other_version", trace=record.trace_id)) from None
    return ReadTrace(record, answer.trace, answer)


@router.get("/traces")
def list_(visit: Visitor, before: str | None = None) -> Response:
    """The latest questions."""
    found = visit.database.traces(visit.known.tenant).latest(_PAGE + 1, before=before)
    older = found[_PAGE - 1].trace_id if len(found) > _PAGE else None
    return visit.page("traces.html", traces=found[:_PAGE], older=older, before=before)


@router.get("/traces/{trace_id}")
def show(visit: Visitor, trace_id: str) -> Response:
    """One question: its rounds, calls, errors and repairs, and the answer with its proof."""
    read, agent = read_trace(visit, trace_id), visit.agent()
    dialect = agent.tools.source.dialect
    shown = ShownAnswer.of(read.answer, dialect) if read.answer is not None else None
    rounds = [(number, tuple(steps)) for number, steps in _rounds(read.run, dialect)]
    return visit.page("trace.html", record=read.record, run=read.run, rounds=rounds, shown=shown)


def _rounds(run: RunTrace, dialect: Dialect) -> Iterator[tuple[int, list[Step]]]:
    """Every round with its calls; one without any is an answer that was written."""
    for number in range(1, max([run.rounds, *(call.round for call in run.calls)]) + 1):
        refused = [call for call in run.calls if call.round == number - 1 and call.validation_failure_code is not None]
        yield (
            number,
            [
                Step(call, query_text(call.tool, call.arguments, dialect), _repairs(call, refused))
                for call in run.calls
                if call.round == number
            ],
        )


def _repairs(call: ToolCallLog, refused: Sequence[ToolCallLog]) -> bool:
    """Whether a call is what the counters call a conversion: valid, and other than one that was refused a round before."""
    valid = call.validation_failure_code is None
    return valid and any((call.tool, call.arguments) != (one.tool, one.arguments) for one in refused)


@router.get("/traces/{trace_id}/results/{result}")
async def rows(visit: Visitor, trace_id: str, result: str) -> Response:
    """The rows of a result: its query is run again."""
    is_file = result.endswith(".csv")
    read = await run_in_threadpool(read_trace, visit, trace_id)
    if read.answer is None:
        raise NotThere(visit.say("trace.unfinished"))
    source = source_of(read.answer, result.removesuffix(".csv"))
    agent = await run_in_threadpool(visit.agent)
    came = await run_again(agent, source)
    if is_file:
        name = f"{read.record.trace_id}-{source.result}.csv"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(as_csv(came.data), media_type="text/csv; charset=utf-8", headers=headers)
    template = "_result.html" if is_fragment(visit.request) else "result.html"
    table = table_of(came, read.answer, source, agent, Reader(visit.lang, written=read.record.lang))
    return visit.page(template, table=table, record=read.record)
