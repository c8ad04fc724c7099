"""A person decides which sources enter the corpus; after 24 hours, the clock does. The wait survives every restart.

    submit
      -> wait         until somebody decides, or the deadline passes
      -> settle       the first decision counts; the clock approves the current top_k without what has risk flags
      -> take         each approved source enters the corpus (ingest.py)
      -> verify       what is really there, counted (ingest.py)

`ReviewDesk` is what people and programs use; a worker (`durable/worker.py`) does the waiting and the ingesting.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from veracity.agent.trace_store import new_trace_id
from veracity.contracts import clip
from veracity.durable.database import LOCAL, DurableDatabase
from veracity.durable.desk import Desk, Tell, step
from veracity.durable.sqlite_file import Timestamp, moment_written
from veracity.errors import ReviewClosed, UsageError, VeracityError
from veracity.retrieval.contracts import HybridResult, RerankRequest, RerankSettings, SearchCandidate
from veracity.retrieval.ingest import ApprovedSource, CoverageSummary, Ingest, IngestOutcome, MarkdownFolder, summarise
from veracity.settings import Settings

if TYPE_CHECKING:
    import sqlalchemy as sa

CLOCK = "clock"
"""Who decided, where nobody did."""
_LONGEST_TEXT = 500
_LONGEST_LIST = 200
_COLUMNS = "submitted_at deadline question state who decided_at why chosen outcomes finished_at body".split()  # noqa: SIM905
_REQUIRED = {"submitted_at", "deadline", "question", "state", "body"}

ReviewState = Literal["waiting", "approved", "rejected", "auto_approved"]


class Hitl(BaseModel):
    """The decision of the human in the loop, or the one that was made in their place."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    state: ReviewState = "waiting"
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
                collection=self.request.scoring_context.collection_scope,
                tenant=tenant,
            )
            for name in hitl.candidate_ids
            if name in by_id
        )


class ReviewDesk(Desk):
    """Submits, shows and decides the reviews of a tenant; for a worker, looks after those of all tenants."""

    noun, holds, listed_by = "review", "reviews", "veracity review list"
    queue, workflow, topic = "veracity-reviews", "veracity_review", "decision"

    def __init__(
        self,
        durable: DurableDatabase,
        tenant: str = LOCAL,
        *,
        settings: RerankSettings | None = None,
        ingest: Ingest | None = None,
        tell: Tell | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__(durable, tenant, tell=tell, clock=clock)
        self._settings = settings or RerankSettings()
        self._ingest = ingest

    @classmethod
    def open(
        cls,
        database: str | None = None,
        *,
        settings: RerankSettings | None = None,
        ingest: Ingest | None = None,
        corpus: str | Path | None = None,
        tenant: str = LOCAL,
    ) -> Self:
        """The desk of a database: `postgresql://...`, a file, or the store of this user.

        `ingest` takes up what is approved; without it, files are written to the folder `corpus`.
        """
        home = Settings.from_env()
        folder = Path(corpus) if corpus is not None else home.home / "corpus"
        return cls(
            cls.database(database, home),
            tenant,
            settings=settings or RerankSettings.from_env(),
            ingest=ingest or MarkdownFolder(folder),
        )

    @cached_property
    def table(self) -> sa.Table:
        """The table of reviews."""
        import sqlalchemy as sa

        columns = [sa.Column(name, sa.Text, nullable=name not in _REQUIRED) for name in _COLUMNS]
        tenant = sa.Column("tenant", sa.Text, nullable=False, server_default=LOCAL)
        return self.durable.table(
            "veracity_review", sa.Column("review_id", sa.Text, primary_key=True), tenant, *columns
        )

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
        row = {
            "review_id": review_id,
            "tenant": self.tenant,
            "submitted_at": moment_written(now),
            "deadline": moment_written(now + timedelta(hours=self._settings.review_hours)),
            "question": request.scoring_context.question,
            "state": "waiting",
            "body": json.dumps(body),
        }
        self.prepare()
        with self.durable.session() as connection:
            is_new = self.add(connection, row)
        if is_new:
            self._tell_state(review_id, self.tenant, "waiting")
        return review_id

    def list(self, count: int = 20, *, state: ReviewState | None = None) -> tuple[ReviewSummary, ...]:
        """The newest reviews, the newest first."""
        conditions = () if state is None else (self.table.c.state == state,)
        return tuple(ReviewSummary.model_validate(_summary(row)) for row in self.newest(count, *conditions))

    def show(self, review_id: str) -> Review:
        """The review of an id, or of the only one that starts like this."""
        return _review(self.find(review_id))

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
        now = self.now()
        decision = {**values, "who": clip(who.strip(), _LONGEST_LIST) or "unknown", "decided_at": now}
        in_time = (self._is_undecided(), self.table.c.deadline > now)
        changed = self.change(review.review_id, decision, *in_time, notify=values["state"])
        current = self.show(review.review_id)
        if not changed:
            raise ReviewClosed(_why_closed(current))
        self._tell_state(current.review_id, self.tenant, current.hitl.state)
        return current

    def _is_undecided(self) -> sa.ColumnElement[bool]:
        return self.table.c.state == "waiting"

    def _tell_state(self, review_id: str, tenant: str, state: ReviewState, *, finished: bool = False) -> None:
        self.tell(tenant, "review", {"reviewId": review_id, "state": state, "finished": finished})

    # --- the workflow and its steps: what they take and return is data that JSON can hold

    async def run(self, name: str) -> dict[str, Any]:
        """Wait for a decision, then take up what was approved."""
        # A message comes only with a decision, and nothing only after the deadline: either way, it can be settled.
        await self.wait(await step(self.seconds_left, name))
        chosen = await step(self.settle, name)
        outcomes: list[dict[str, Any]] = []
        for candidate_id in chosen:
            outcomes.append(await step(self.take, name, candidate_id))
            await step(self.progress, name, outcomes)
        summary: dict[str, Any] = await step(self.verify, name, outcomes)
        return summary

    def can_go_on(self) -> sa.ColumnElement[bool]:
        """Which reviews are decided, or past their deadline, and not done yet."""
        import sqlalchemy as sa

        table = self.table.c
        return sa.and_(table.finished_at.is_(None), sa.or_(table.state != "waiting", table.deadline <= self.now()))

    def seconds_left(self, review_id: str) -> float:
        """How long somebody may still decide."""
        return max(0.0, (self._of_any_tenant(review_id)[0].deadline - self._clock()).total_seconds())

    def settle(self, review_id: str) -> tuple[str, ...]:
        """What was approved; where nobody decided, the clock approves the `top_k` without what has risk flags."""
        review, tenant = self._of_any_tenant(review_id)
        if review.hitl.state == "waiting":
            safe = [one.candidate_id for one in review.result.top_k if not one.risk_flags]
            decision = {"state": "auto_approved", "chosen": json.dumps(safe), "why": None, "who": CLOCK}
            self.change(review_id, {**decision, "decided_at": self.now()}, self._is_undecided())
            review, _ = self._of_any_tenant(review_id)
            self._tell_state(review_id, tenant, review.hitl.state)
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
        self.change(review_id, {"outcomes": json.dumps(outcomes)})

    def verify(self, review_id: str, outcomes: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Look whether what was taken up is really there, and close the review."""
        reported = [IngestOutcome.model_validate(one) for one in outcomes]
        verified = [self._verified(review_id, one) if one.state == "ingested" else one for one in reported]
        written = json.dumps([one.model_dump(mode="json") for one in verified])
        self.change(review_id, {"outcomes": written, "finished_at": self.now()})
        review, tenant = self._of_any_tenant(review_id)
        self._tell_state(review_id, tenant, review.hitl.state, finished=True)
        return summarise(verified).model_dump(mode="json")

    def _verified(self, review_id: str, reported: IngestOutcome) -> IngestOutcome:
        try:
            return self._ingester.look(self._source(review_id, reported.candidate_id))
        except (VeracityError, OSError) as error:
            # It may be there or not: that is what pending means.
            return reported.model_copy(update={"state": "pending", "why": clip(str(error), _LONGEST_TEXT)})

    @property
    def _ingester(self) -> Ingest:
        if self._ingest is None:
            raise UsageError("This desk cannot ingest anything; open it with ReviewDesk.open(...).")
        return self._ingest

    def _source(self, review_id: str, candidate_id: str) -> ApprovedSource:
        review, tenant = self._of_any_tenant(review_id)
        return next(one for one in review.sources(tenant) if one.candidate.id == candidate_id)

    def _of_any_tenant(self, review_id: str) -> tuple[Review, str]:
        """The review of an id and whose it is: the worker looks after those of all tenants."""
        row = self.row(review_id)
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


def _why_closed(review: Review) -> str:
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


def _summary(row: dict[str, Any]) -> dict[str, Any]:
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
        return Review.model_validate({**_summary(row), **json.loads(row["body"])})
    except (ValidationError, ValueError) as error:
        raise UsageError(f"Review {row['review_id']} was written by another version of Veracity.") from error
