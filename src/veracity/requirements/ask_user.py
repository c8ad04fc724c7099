"""The user is asked, and the answer may take days: a validation waits for it through every restart.

    submit
      -> work         the team works on every requirement that waits for nobody        (society.py)
      -> wait         until somebody answers a question, or its deadline passes
      -> work ...     with the answers, until nothing waits any more

`ValidationDesk` is what people and programs use, from the terminal, the API and the page alike; a worker
(`durable/worker.py`) does the waiting and the working. A question that nobody answers leaves its requirement `needs_user`, and the others finished.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import ValidationError

from veracity.agent.trace_store import new_trace_id
from veracity.contracts import clip
from veracity.durable.database import LOCAL, DurableDatabase
from veracity.durable.desk import Desk, Tell, step
from veracity.durable.sqlite_file import Timestamp, moment_written
from veracity.errors import QuestionClosed, UsageError
from veracity.requirements.case import Question, RequirementCase, Turn
from veracity.requirements.contracts import CRITERIA, Criterion, Lang, Record, Requirement, RuleSettings
from veracity.requirements.question_store import QuestionStore
from veracity.requirements.society import Society, SocietyRun, Watcher

if TYPE_CHECKING:
    import sqlalchemy as sa

HOURS = 7 * 24.0
"""How long a question waits for its answer."""
_LONGEST_ANSWER, _LONGEST_WHO = 2_000, 200

QuestionState = Literal["waiting", "answered", "applied", "expired"]
"""applied: answered, and the team has gone on with it."""


class AskedQuestion(Question):
    """A question that was put to the user, and what became of it."""

    question_id: str
    run_id: str
    asked_at: Timestamp
    deadline: Timestamp
    state: QuestionState
    answer: str | None = None
    who: str | None = None
    answered_at: Timestamp | None = None


class ValidationRecord(Record):
    """A validation as far as it is."""

    run_id: str
    submitted_at: Timestamp
    finished_at: Timestamp | None = None
    """When nothing was left to do or to wait for."""
    state: Literal["working", "waiting", "finished"]
    cases: tuple[RequirementCase, ...]
    """Its requirements, each as far as it is."""

    @property
    def run(self) -> SocietyRun | None:
        """What the team came to; None while it is still working on some requirement."""
        return SocietyRun.of(self.cases) if all(case.stop is not None for case in self.cases) else None


class ValidationDesk(Desk):
    """Submits the validations of a tenant, shows their questions, takes answers; a worker does those of all tenants."""

    noun, holds = "validation", "questions"
    queue, workflow, topic = "veracity-validations", "veracity_validation", "answer"

    def __init__(
        self,
        durable: DurableDatabase,
        tenant: str = LOCAL,
        *,
        society: Society | None = None,
        hours: float = HOURS,
        tell: Tell | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__(durable, tenant, tell=tell, clock=clock)
        self.store = QuestionStore(durable)
        self.society = society or Society()
        self._hours = hours

    @classmethod
    def open(
        cls,
        database: str | None = None,
        *,
        society: Society | None = None,
        hours: float = HOURS,
        tenant: str = LOCAL,
    ) -> Self:
        """The desk of a database: `postgresql://...`, a file, or the store of this user."""
        return cls(cls.database(database), tenant, society=society, hours=hours)

    @property
    def table(self) -> sa.Table:
        """The table of validations."""
        return self.store.runs

    @property
    def tables(self) -> Sequence[sa.Table]:
        """The tables of validations, of their requirements and of their questions."""
        return (self.store.runs, self.store.cases, self.store.questions)

    # --- submit and look

    def submit(
        self,
        requirements: Sequence[Requirement | str],
        *,
        criteria: Sequence[Criterion] | None = CRITERIA,
        lang: Lang | None = None,
        goal: str = "",
    ) -> str:
        """Put requirements up for validation; once this returns, neither they nor what is asked about them can be lost."""
        return self.hold(self.society.cases(requirements, criteria=criteria, lang=lang, goal=goal))

    def hold(self, cases: Sequence[RequirementCase]) -> str:
        """Keep a validation as far as it is, with the questions that it waits for; a worker goes on with it."""
        if not cases:
            raise UsageError("There are no requirements to validate; name a document that has some.")
        now = self._clock()
        run_id = new_trace_id(now)
        questions = [row for case in cases if (row := self._question_row(run_id, self.tenant, case, now)) is not None]
        busy = any(case.stop is None for case in cases)
        state = "working" if busy else "waiting" if questions else "finished"
        body = {"settings": self.society.settings.model_dump(mode="json", exclude_defaults=True)}
        run = {
            "run_id": run_id,
            "tenant": self.tenant,
            "submitted_at": moment_written(now),
            "state": state,
            "deadline": questions[0]["deadline"] if questions and not busy else None,
            "finished_at": None if busy or questions else moment_written(now),
            "body": json.dumps(body, ensure_ascii=False),
        }
        self.prepare()
        with self.durable.session() as connection:
            self.add(connection, run)
            self.store.add(connection, [_case_row(run_id, case) for case in cases], questions)
        self.tell(self.tenant, "validation", {"runId": run_id, "state": state})
        return run_id

    def show(self, run_id: str) -> ValidationRecord:
        """The validation of an id, or of the only one that starts like this."""
        return self._record(self.find(run_id))

    def list(self, count: int = 20) -> tuple[ValidationRecord, ...]:
        """The newest validations, the newest first."""
        return tuple(self._record(row) for row in self.newest(count))

    def questions(
        self, run_id: str | None = None, *, state: QuestionState | None = "waiting"
    ) -> tuple[AskedQuestion, ...]:
        """What was asked, the oldest first; without a state, all of it."""
        rows = self.store.question_rows(tenant=self.tenant, run_id=run_id, states=(state,) if state else ())
        return tuple(_asked_question(row) for row in rows)

    # --- answer

    def answer(self, question_id: str, text: str, who: str = "") -> AskedQuestion:
        """Answer a question; the first answer counts."""
        said = text.encode("utf-8", "replace").decode().strip()
        if not said:
            raise UsageError("The answer is empty; write one, or leave the question open.")
        row = self.find(question_id, self.store.questions, "question")
        now = self.now()
        values = {
            "state": "answered",
            "answer": said[:_LONGEST_ANSWER],
            "who": clip(who.strip(), _LONGEST_WHO) or "unknown",
            "answered_at": now,
        }
        with self.durable.session() as connection:
            changed = self.store.answer(connection, row["question_id"], row["run_id"], values, before=now)
            if changed:
                self.notify(connection, row["run_id"], row["question_id"])
        current = _asked_question(self.find(row["question_id"], self.store.questions, "question"))
        if not changed:
            raise QuestionClosed(_why_closed(current))
        self._tell_question(self.tenant, current.question_id, current.run_id, "answered")
        return current

    # --- the workflow and its steps: what they take and return is data that JSON can hold

    async def run(self, name: str) -> str:
        """Work, and wait for answers, until nothing waits any more."""
        while (left := await step(self.work, name)) is not None:
            # A message comes only with an answer, and nothing only after a deadline: either way, there is work.
            await self.wait(left)
        return name

    def can_go_on(self) -> sa.ColumnElement[bool]:
        """Which validations wait for nobody, or have waited long enough."""
        import sqlalchemy as sa

        runs = self.store.runs.c
        return sa.or_(runs.state == "working", sa.and_(runs.state == "waiting", runs.deadline <= self.now()))

    def work(self, run_id: str) -> float | None:
        """Go on with everything that waits for nobody; returns the seconds until the next deadline, or None at the end.

        It may run twice after a crash: it starts from what was kept, and asks no question a second time.
        """
        self.store.expire(run_id, self.now())
        cases = self._cases(run_id)
        rows = {row["question_id"]: row for row in self.store.question_rows(run_id=run_id)}
        run = self.row(run_id)
        keeper = _Keeper(self, run_id, run["tenant"], self.society.watcher)
        for case in cases:
            name = _question_id(run_id, case) if case.question is not None else ""
            if name in rows and rows[name]["state"] == "answered":
                case.take(rows[name]["answer"])
                keeper.applied[case.number] = name
        # The team asks nobody itself: its questions are kept, and the answers come from the desk.
        team = replace(self.society, ask=None, watcher=keeper, settings=self._settings(run))
        asyncio.run(team.go_on(cases))
        return self._seconds_to_wait(run_id, keeper.tenant)

    def _seconds_to_wait(self, run_id: str, tenant: str) -> float | None:
        """How long to wait, now that all that can be done is done."""
        left = self.store.question_rows(run_id=run_id, states=("waiting", "answered"))
        now = self._clock()
        if not left:
            self.change(run_id, {"state": "finished", "finished_at": moment_written(now)})
            self.tell(tenant, "validation", {"runId": run_id, "state": "finished"})
            return None
        if any(row["state"] == "answered" for row in left):
            return 0.0
        first = min(row["deadline"] for row in left)
        self.change(run_id, {"state": "waiting", "deadline": first})
        self.tell(tenant, "validation", {"runId": run_id, "state": "waiting"})
        return max(0.0, (datetime.fromisoformat(first) - now).total_seconds())

    def keep(self, run_id: str, tenant: str, case: RequirementCase, applied: str | None) -> None:
        """Keep a requirement as it is now, with the question that it waits for."""
        question = self._question_row(run_id, tenant, case, self._clock())
        self.store.save(_case_row(run_id, case), question, applied)
        if question is not None:
            self._tell_question(tenant, question["question_id"], run_id, "waiting")

    def _tell_question(self, tenant: str, question_id: str, run_id: str, state: QuestionState) -> None:
        self.tell(tenant, "question", {"questionId": question_id, "runId": run_id, "state": state})

    def _question_row(self, run_id: str, tenant: str, case: RequirementCase, now: datetime) -> dict[str, Any] | None:
        if case.question is None:
            return None
        return {
            "question_id": _question_id(run_id, case),
            "run_id": run_id,
            "tenant": tenant,
            "asked_at": moment_written(now),
            "deadline": moment_written(now + timedelta(hours=self._hours)),
            "state": "waiting",
            "body": case.question.model_dump_json(),
        }

    def _settings(self, run: Mapping[str, Any]) -> RuleSettings:
        """The rules that a validation was submitted with: whoever works on it, it is judged by them."""
        body = json.loads(run["body"])
        try:
            return RuleSettings.model_validate(body["settings"]) if "settings" in body else self.society.settings
        except ValidationError as error:
            raise UsageError(f"Validation {run['run_id']} was written by another version of Veracity.") from error

    def _cases(self, run_id: str) -> tuple[RequirementCase, ...]:
        try:
            found = [RequirementCase.model_validate_json(row["body"]) for row in self.store.case_rows(run_id)]
        except ValidationError as error:
            raise UsageError(f"Validation {run_id} was written by another version of Veracity.") from error
        return tuple(sorted(found, key=lambda case: case.number))

    def _record(self, row: dict[str, Any]) -> ValidationRecord:
        known = {name: row[name] for name in ("run_id", "submitted_at", "finished_at", "state")}
        return ValidationRecord(**known, cases=self._cases(row["run_id"]))


@dataclass(slots=True)
class _Keeper:
    """Keeps each requirement as soon as it is done or waits, and lets another one look on, too."""

    desk: ValidationDesk
    run_id: str
    tenant: str
    other: Watcher | None = None
    applied: dict[int, str] = field(default_factory=dict)
    """The questions whose answers were taken up, by the number of their requirement."""

    def turn_done(self, case: RequirementCase, turn: Turn) -> None:
        """Keep the case turn by turn, so that a page shows the talk as it goes; whoever looks on hears each."""
        self.desk.keep(self.run_id, self.tenant, case, self.applied.pop(case.number, None))
        said = {**turn.model_dump(mode="json", exclude={"calls"}), "tools": [one.tool for one in turn.calls]}
        self.desk.tell(self.tenant, "validation", {"runId": self.run_id, "case": case.number, "turn": said})
        if self.other is not None:
            self.other.turn_done(case, turn)

    def case_done(self, case: RequirementCase) -> None:
        """Keep why it stopped; one that waits for the user was kept with the turn that asked."""
        if case.question is None:
            self.desk.keep(self.run_id, self.tenant, case, self.applied.pop(case.number, None))
        if self.other is not None:
            self.other.case_done(case)


# --- rows


def _case_row(run_id: str, case: RequirementCase) -> dict[str, Any]:
    return {
        "case_id": f"{run_id}-{case.number:06}",
        "run_id": run_id,
        "stop": case.stop,
        "body": case.model_dump_json(),
    }


def _question_id(run_id: str, case: RequirementCase) -> str:
    """The same question of a case has the same id, so that a step that runs twice asks once."""
    return f"{run_id}-{case.number + 1}-{len(case.turns)}"


def _asked_question(row: dict[str, Any]) -> AskedQuestion:
    body = json.loads(row["body"])
    names = ("question_id", "run_id", "asked_at", "deadline", "state", "answer", "who", "answered_at")
    return AskedQuestion.model_validate({**body, **{name: row[name] for name in names}})


def _why_closed(question: AskedQuestion) -> str:
    """Why an answer came too late."""
    if question.state in ("waiting", "expired"):
        return f"The deadline of question {question.question_id} has passed. Nothing was changed."
    when = f"{question.answered_at:%Y-%m-%d %H:%M:%S} UTC" if question.answered_at else "an unknown time"
    return f"Question {question.question_id} was already answered by {question.who} at {when}. Nothing was changed."
