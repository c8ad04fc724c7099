"""A person decides which sources enter the corpus; after 24 hours, the clock does. The wait survives every restart.

    submit
      -> wait         review_worker.py   a DBOS workflow: until somebody decides, or the deadline passes
      -> settle       the first decision counts; the clock approves the current top_k without what has risk flags
      -> ingest       ingest.py          each approved source
      -> verify       verify.py          what is really there, counted

`ReviewDesk` is what people and programs use; a worker (`run_worker`) does the waiting and the ingesting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from veracity.agent.trace_store import new_trace_id
from veracity.contracts import clip
from veracity.durable.database import LOCAL, Durable
from veracity.durable.sqlite_file import Timestamp
from veracity.durable.worker import PATIENCE, Tell, Worker, step
from veracity.errors import ReviewClosed, UsageError, VeracityError
from veracity.retrieval.contracts import HybridResult, RerankRequest, RerankSettings, SearchCandidate
from veracity.retrieval.ingest import ApprovedSource, CoverageSummary, Ingest, IngestOutcome, MarkdownFolder, summarise
from veracity.retrieval.review_store import QUEUE, TOPIC, WORKFLOW, ReviewStore
from veracity.settings import Settings

CLOCK = "clock"
"""Who decided, where nobody did."""
_SHORTEST_PREFIX = 4
_LONGEST_TEXT = 500
_LONGEST_LIST = 200

State = Literal["waiting", "approved", "rejected", "auto_approved"]


class Hitl(BaseModel):
    """The decision of the human in the loop, or the one that was made in their place."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    state: State = "waiting"
    auto_approved: bool = False
    candidate_ids: tuple[str, ...] = ()
    """What was approved."""
    who: str | None = None
    at: Timestamp | None = None
    why: str | None = None


class ReviewSummary(BaseModel):
    """One line of a list of reviews."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    review_id: str
    question: str
    submitted_at: Timestamp
    deadline: Timestamp
    finished_at: Timestamp | None = None
    """When everything was ingested and verified; for a rejected review, when it was closed."""
    hitl: Hitl = Hitl()
    outcomes: tuple[IngestOutcome, ...] = ()
    summary: CoverageSummary = CoverageSummary()

    @property
    def line(self) -> str:
        """Where it stands, for people."""
        if self.hitl.state == "waiting" or self.finished_at is not None:
            return self.hitl.state.replace("_", "-")
        return f"{self.hitl.state.replace('_', '-')}, being worked on"


class Review(ReviewSummary):
    """A review with all that was ranked."""

    request: RerankRequest
    """Of its candidates, those that can be approved."""
    result: HybridResult

    @property
    def choosable(self) -> tuple[str, ...]:
        """The ids that can be approved."""
        return tuple(one.id for one in self.request.candidates)

    def sources(self, tenant: str = LOCAL) -> tuple[ApprovedSource, ...]:
        """What was approved, by whom and for whom."""
        hitl = self.hitl
        if hitl.at is None:
            return ()
        by_id = {one.id: one for one in self.request.candidates}
        items = {one.candidate_id: one for one in self.result.ranked}
        return tuple(
            ApprovedSource(
                candidate=by_id[name],
                item=items.get(name),
                review_id=self.review_id,
                question=self.question,
                decision=hitl.state,
                who=hitl.who or CLOCK,
                at=hitl.at,
                tenant=tenant,
            )
            for name in hitl.candidate_ids
            if name in by_id
        )


class ReviewDesk:
    """Submits, shows and decides the reviews of a tenant; for a worker, looks after those of all tenants."""

    queue = QUEUE
    at_once: int | None = None

    def __init__(
        self,
        store: ReviewStore,
        *,
        tenant: str = LOCAL,
        settings: RerankSettings | None = None,
        ingest: Ingest | None = None,
        tell: Tell | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.store, self.tenant, self._tell = store, tenant, tell
        self._settings = settings or RerankSettings()
        self._ingest = ingest
        self._clock = clock

    @classmethod
    def open(
        cls,
        database: str | None = None,
        *,
        settings: RerankSettings | None = None,
        ingest: Ingest | None = None,
        corpus: str | Path | None = None,
        tenant: str = LOCAL,
    ) -> ReviewDesk:
        """The desk of a database: `postgresql://...`, a file, or `reviews.sqlite` in the data folder of this user.

        `ingest` takes up what is approved; without it, files are written to the folder `corpus`.
        """
        home = Settings.from_env()
        folder = Path(corpus) if corpus is not None else home.home / "corpus"
        return cls(
            ReviewStore.of(database, home),
            tenant=tenant,
            settings=settings or RerankSettings.from_env(),
            ingest=ingest or MarkdownFolder(folder),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the database."""
        self.durable.close()

    @property
    def durable(self) -> Durable:
        """Where the reviews are kept."""
        return self.store.durable

    # --- submit and look

    def submit(self, result: HybridResult, request: RerankRequest, *, review_id: str | None = None) -> str:
        """Put a result up for review; once this returns, neither the review nor its deadline can be lost.

        With an id of the caller's own, submitting again changes nothing: a step that runs twice submits once.
        """
        now = self._clock()
        review_id = review_id or new_trace_id(now)
        wanted = {one.candidate_id for one in result.ranked} | {one.candidate_id for one in result.recommended_ingest}
        known: dict[str, SearchCandidate] = {}
        for one in request.candidates:
            if one.id in wanted:
                # Of several with one id, the first was ranked.
                known.setdefault(one.id, one)
        kept = request.model_copy(update={"candidates": tuple(known.values())})
        body = {"request": kept.model_dump(mode="json"), "result": result.model_dump(mode="json")}
        is_new = self.store.add(
            {
                "review_id": review_id,
                "tenant": self.tenant,
                "submitted_at": _written(now),
                "deadline": _written(now + timedelta(hours=self._settings.review_hours)),
                "question": request.scoring_context.question,
                "state": "waiting",
                "body": json.dumps(body),
            }
        )
        if is_new:
            self._told(review_id, self.tenant, "waiting")
        return review_id

    def list(self, count: int = 20, *, state: State | None = None) -> tuple[ReviewSummary, ...]:
        """The newest reviews, the newest first."""
        return tuple(ReviewSummary.model_validate(_known(row)) for row in self.store.latest(count, self.tenant, state))

    def show(self, review_id: str) -> Review:
        """The review of an id, or of the only one that starts like this."""
        start = review_id.strip()
        if not re.fullmatch(r"[\w-]+", start, re.ASCII) or len(start) < _SHORTEST_PREFIX:
            raise UsageError(
                f"A review is named by at least {_SHORTEST_PREFIX} characters of its id, not {clip(start, 40)!r}; "
                "see: veracity review list"
            )
        found = self.store.find(start, self.tenant)
        if not found:
            raise UsageError(f"There is no review {clip(start, 40)!r}; see: veracity review list")
        if len(found) > 1 and found[0]["review_id"] != start:
            raise UsageError(
                f"Several reviews start with {clip(start, 40)}, such as {found[0]['review_id']} and "
                f"{found[1]['review_id']}; write more of the id."
            )
        return _review(found[0])

    # --- decide

    def approve(self, review_id: str, only: Iterable[str] | None = None, who: str = "") -> Review:
        """Approve the `top_k` of a review, or only these of its candidates; raises `ReviewClosed` when it is decided."""
        review = self.show(review_id)
        chosen = _chosen(review, only)
        return self._decide(review, {"state": "approved", "chosen": json.dumps(chosen), "why": None}, who)

    def reject(self, review_id: str, why: str, who: str = "") -> Review:
        """Reject a review as a whole; raises `ReviewClosed` when it is decided."""
        if not why.strip():
            raise UsageError('Say why the review is rejected: --why "..."')
        review = self.show(review_id)
        said = clip(why.strip(), _LONGEST_TEXT)
        return self._decide(review, {"state": "rejected", "chosen": "[]", "why": said}, who)

    def _decide(self, review: Review, values: dict[str, Any], who: str) -> Review:
        now = _written(self._clock())
        decision = {**values, "who": clip(who.strip(), _LONGEST_LIST) or "unknown", "decided_at": now}
        changed = self.store.decide(review.review_id, decision, before=now)
        current = self.show(review.review_id)
        if not changed:
            raise ReviewClosed(_closed(current))
        self._told(current.review_id, self.tenant, current.hitl.state)
        return current

    def _told(self, review_id: str, tenant: str, state: State, *, finished: bool = False) -> None:
        if self._tell is not None:
            self._tell(tenant, "review", {"reviewId": review_id, "state": state, "finished": finished})

    # --- the steps of the workflow: what they take and return is data that JSON can hold

    def seconds_left(self, review_id: str) -> float:
        """How long somebody may still decide."""
        return max(0.0, (self._any(review_id)[0].deadline - self._clock()).total_seconds())

    def settle(self, review_id: str) -> tuple[str, ...]:
        """What was approved; where nobody decided, the clock approves the `top_k` without what has risk flags."""
        review, tenant = self._any(review_id)
        if review.hitl.state == "waiting":
            safe = [one.candidate_id for one in review.result.top_k if not one.risk_flags]
            decision = {"state": "auto_approved", "chosen": json.dumps(safe), "why": None, "who": CLOCK}
            self.store.decide(review_id, {**decision, "decided_at": _written(self._clock())})
            review, _ = self._any(review_id)
            self._told(review_id, tenant, review.hitl.state)
        return review.hitl.candidate_ids

    def take(self, review_id: str, candidate_id: str) -> dict[str, Any]:
        """Take up one approved source; a failure is an outcome."""
        source = self._source(review_id, candidate_id)
        try:
            place = self._ingester.take(source)
        except (VeracityError, OSError) as error:
            why = clip(str(error), _LONGEST_TEXT)
            return IngestOutcome(candidate_id=candidate_id, state="failed", why=why).model_dump(mode="json")
        return IngestOutcome(candidate_id=candidate_id, state="ingested", place=place).model_dump(mode="json")

    def progress(self, review_id: str, outcomes: Sequence[dict[str, Any]]) -> None:
        """Keep what became of the sources so far; the rest is pending."""
        self.store.note(review_id, {"outcomes": json.dumps(outcomes)})

    def verify(self, review_id: str, outcomes: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Look whether what was taken up is really there, and close the review."""
        told = [IngestOutcome.model_validate(one) for one in outcomes]
        looked = [self._looked(review_id, one) if one.state == "ingested" else one for one in told]
        written = json.dumps([one.model_dump(mode="json") for one in looked])
        self.store.note(review_id, {"outcomes": written, "finished_at": _written(self._clock())})
        review, tenant = self._any(review_id)
        self._told(review_id, tenant, review.hitl.state, finished=True)
        return summarise(looked).model_dump(mode="json")

    def _looked(self, review_id: str, told: IngestOutcome) -> IngestOutcome:
        try:
            return self._ingester.look(self._source(review_id, told.candidate_id))
        except (VeracityError, OSError) as error:
            # It may be there or not: that is what pending means.
            return told.model_copy(update={"state": "pending", "why": clip(str(error), _LONGEST_TEXT)})

    # --- work

    def run_worker(self, stop: Event | None = None, *, drain: bool = False, patience: float | None = None) -> None:
        """Look after reviews until stopped, or, with `drain`, until all that is decided or due is done.

        Several workers may share one database, each in a process of its own, since DBOS is one per process. After
        `patience` seconds without a sign, a worker counts as dead.
        """
        Worker([self], patience=PATIENCE if patience is None else patience, drain=drain).run(stop or Event())

    def prepare(self) -> None:
        """Make the tables where there are none."""
        self.store.prepare()

    def register(self) -> None:
        """Make the workflow of a review known to DBOS."""
        pass

        register(self)

    @property
    def is_idle(self) -> bool:
        """Whether all that is decided or due is done."""
        return self.store.due(_written(self._clock())) == 0

    @property
    def _ingester(self) -> Ingest:
        if self._ingest is None:
            raise UsageError("This desk cannot ingest anything; open it with ReviewDesk.open(...).")
        return self._ingest

    def _source(self, review_id: str, candidate_id: str) -> ApprovedSource:
        review, tenant = self._any(review_id)
        return next(one for one in review.sources(tenant) if one.candidate.id == candidate_id)

    def _any(self, review_id: str) -> tuple[Review, str]:
        """The review of an id and whose it is: the worker looks after those of all tenants."""
        row = self.store.row(review_id)
        return _review(row), row["tenant"]


def _chosen(review: Review, only: Iterable[str] | None) -> list[str]:
    """The candidates that are meant, each once."""
    if only is None:
        return [one.candidate_id for one in review.result.top_k]
    chosen = list(dict.fromkeys(name.strip() for name in only if name.strip()))
    if not chosen:
        raise UsageError("Name at least one candidate, or reject the review.")
    known = review.choosable
    unknown = next((name for name in chosen if name not in known), None)
    if unknown is not None:
        raise UsageError(
            f"{clip(unknown, 60)!r} is none of the candidates of {review.review_id}; it has "
            f"{clip(', '.join(known), _LONGEST_LIST) or 'none'}."
        )
    return chosen


def _closed(review: Review) -> str:
    """Why a decision came too late."""
    hitl = review.hitl
    if hitl.state == "waiting":
        return (
            f"The deadline of review {review.review_id} passed at {review.deadline:%Y-%m-%d %H:%M:%S} UTC: the clock "
            "decides it now. Nothing was changed."
        )
    when = f"{hitl.at:%Y-%m-%d %H:%M:%S} UTC" if hitl.at else "an unknown time"
    decided = hitl.state.replace("_", "-")
    return f"Review {review.review_id} was already {decided} by {hitl.who} at {when}. Nothing was changed."


# --- rows


def _written(moment: datetime) -> str:
    """A moment as text that sorts as times do."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _known(row: dict[str, Any]) -> dict[str, Any]:
    """The fields of a summary, from a row."""
    chosen = json.loads(row["chosen"] or "[]")
    done = [IngestOutcome.model_validate(one) for one in json.loads(row["outcomes"] or "[]")]
    named = {one.candidate_id for one in done}
    outcomes = (*done, *(IngestOutcome(candidate_id=name) for name in chosen if name not in named))
    hitl = {
        "state": row["state"],
        "auto_approved": row["state"] == "auto_approved",
        "candidate_ids": chosen,
        "who": row["who"],
        "at": row["decided_at"],
        "why": row["why"],
    }
    plain = {name: row[name] for name in ("review_id", "question", "submitted_at", "deadline", "finished_at")}
    return {**plain, "hitl": hitl, "outcomes": outcomes, "summary": summarise(outcomes)}


def _review(row: dict[str, Any]) -> Review:
    try:
        return Review.model_validate({**_known(row), **json.loads(row["body"])})
    except (ValidationError, ValueError) as error:
        raise UsageError(f"Review {row['review_id']} was written by another version of Veracity.") from error


# --- the durable wait: the DBOS workflow of a review. A worker (`durable/worker.py`) looks after it


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
