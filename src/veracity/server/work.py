"""The worker of a server: it does the jobs, reviews and validations of all tenants, and forgets what is too old."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Event
from typing import Any

from veracity.agent.trace_store import forget_traces
from veracity.durable.database import DurableDatabase
from veracity.durable.desk import Desk
from veracity.durable.worker import Worker
from veracity.grounding.events import forget_events
from veracity.requirements.ask_user import ValidationDesk
from veracity.requirements.society import Society
from veracity.retrieval.contracts import RerankRequest, RerankSettings
from veracity.retrieval.review import ReviewDesk
from veracity.server.config import ServerSettings
from veracity.server.conversations import forget_conversations
from veracity.server.jobs import JobDesk, JobKind, JobRun, Work
from veracity.server.keys import Caller
from veracity.server.parts import Parts, QuestionRequest
from veracity.server.tenant_folders import TenantFolders
from veracity.settings import Settings

_AT_ONCE = 1_000


def forget_old(
    durable: DurableDatabase,
    days: float,
    *,
    at_once: int = _AT_ONCE,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> bool:
    """Forget some of what is older than so many days; whether there may be more of it. 0 days keep everything."""
    if not days:
        return False
    before = clock() - timedelta(days=days)
    # A little at a time: whoever writes a trace meanwhile hardly waits.
    forgetting = (forget_traces, forget_events, forget_conversations)
    return max([forget(durable, before, at_once) for forget in forgetting]) == at_once


# --- the worker


def run_workers(settings: ServerSettings, stop: Event) -> None:
    """Look after the durable work of a server until stopped; nothing that is left undone then is lost."""
    parts = Parts.of(settings, Settings.from_env())
    try:
        chore = partial(forget_old, parts.database.durable, settings.keep_days)
        Worker(desks_of(parts), chores=(chore,)).run(stop)
    finally:
        parts.agents.close()
        parts.database.close()


def desks_of(parts: Parts) -> tuple[Desk, ...]:
    """The desks of all durable work of a server, for its worker."""
    durable, live = parts.database.durable, parts.database.live
    model, name = parts.requirements.model, parts.settings.model
    return (
        JobDesk(durable, work=work_of(parts), tell=live.publish),
        ReviewDesk(
            durable,
            settings=RerankSettings.from_env(),
            ingest=TenantFolders(parts.settings, parts.home),
            tell=live.publish,
        ),
        ValidationDesk(durable, society=Society(model=model, model_name=name), tell=live.publish),
    )


# --- jobs: what a request would have waited for


def _caller_of(run: JobRun) -> Caller:
    """Who asks in a job: the tenant, over the rows of the key that it was submitted with."""
    return Caller(run.tenant, "analyst", scope=run.scope)


def work_of(parts: Parts) -> Mapping[JobKind, Work]:
    """How each kind of job is done."""

    async def ask(run: JobRun) -> Any:
        answer = await parts.answer(QuestionRequest.model_validate(run.body), _caller_of(run))
        return answer.model_dump(mode="json")

    async def rerank(run: JobRun) -> Any:
        request = RerankRequest.model_validate(run.body["request"])
        result = await parts.ranking.rank(request, run.tenant)
        review = None
        if run.body.get("submit"):
            # The id is that of the job: after a crash the work is done again, the review is not submitted again.
            submit = partial(parts.database.reviews(run.tenant).submit, review_id=f"{run.job_id}-review")
            review = await asyncio.to_thread(submit, result, request)
        return {"result": result.model_dump(mode="json"), "reviewId": review}

    async def evaluate_batch(run: JobRun) -> Any:
        made = await parts.requirements.rewritten(run.body["items"], run.report)
        return [one.model_dump(mode="json") for one in made]

    return {"ask": ask, "rerank": rerank, "evaluate_batch": evaluate_batch}
