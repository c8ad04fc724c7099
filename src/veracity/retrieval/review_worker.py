"""The durable wait: the DBOS workflow of a review. A worker (`durable/worker.py`) looks after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from veracity.durable.worker import step
from veracity.retrieval.review_store import TOPIC, WORKFLOW

if TYPE_CHECKING:
    from veracity.retrieval.review import ReviewDesk


def register(desk: ReviewDesk) -> None:
    """Make the workflow of a review known to DBOS."""
    from dbos import DBOS

    async def review(review_id: str) -> dict[str, Any]:
        left = await step(desk.seconds_left, review_id)
        # A message comes only with a decision, and nothing only after the deadline: either way, it can be settled.
        await DBOS.recv_async(TOPIC, timeout_seconds=left)
        chosen = await step(desk.settle, review_id)
        outcomes: list[dict[str, Any]] = []
        for candidate_id in chosen:
            outcomes.append(await step(desk.take, review_id, candidate_id))
            await step(desk.progress, review_id, outcomes)
        summary: dict[str, Any] = await step(desk.verify, review_id, outcomes)
        return summary

    DBOS.workflow(name=WORKFLOW)(review)
