"""The tables of validations, of their requirements and of their questions, in a database of `durable/database.py`.

An answer and the message that wakes its workflow up are written in one transaction: both or neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from veracity.durable.database import LOCAL, Durable
from veracity.settings import Settings

if TYPE_CHECKING:
    import sqlalchemy as sa

QUEUE, WORKFLOW, TOPIC = "veracity-validations", "veracity_validation", "answer"
_WRITTEN = {
    "veracity_validation": ("run_id", ("tenant", "submitted_at", "finished_at", "state", "deadline", "body")),
    "veracity_case": ("case_id", ("run_id", "stop", "body")),
    "veracity_question": (
        "question_id",
        ("run_id", "tenant", "asked_at", "deadline", "state", "answer", "who", "answered_at", "body"),
    ),
}
"""The columns of each table, all of text; the first is its key."""


class QuestionStore:
    """The validations of all tenants and what they wait for; a look-up with a tenant finds nothing of the others."""

    def __init__(self, durable: Durable) -> None:
        self.durable = durable

    @classmethod
    def of(cls, database: str | None, settings: Settings | None = None) -> QuestionStore:
        """The store of `postgresql://...`, of a file, or, without either, of this user's data folder."""
        return cls(Durable.of(database, file="questions.sqlite", holds="questions", settings=settings))

    @property
    def shown(self) -> str:
        """The database as it may be shown: without user and password."""
        return self.durable.shown

    def prepare(self) -> None:
        """Make the tables where there are none."""
        self.durable.prepare_workflows(self.runs, self.cases, self.questions)

    # --- validations and their requirements

    def submit(
        self,
        run: Mapping[str, Any],
        cases: Iterable[Mapping[str, Any]],
        questions: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """Keep a validation, with what it has asked so far, and start its workflow."""
        self.prepare()
        with self.durable.session() as connection:
            connection.execute(self.runs.insert().values(**run))
            for table, given in ((self.cases, cases), (self.questions, questions)):
                rows = [dict(row) for row in given]
                if rows:
                    connection.execute(table.insert(), rows)
            self.durable.start(connection, WORKFLOW, QUEUE, run["run_id"])

    def run_rows(self, start: str, tenant: str, most: int = 3) -> list[dict[str, Any]]:
        """The validations of a tenant whose id starts like this."""
        table = self.runs.c
        wanted = self.runs.select().where(table.tenant == tenant, table.run_id >= start, table.run_id < start + "\x7f")
        return self.durable.rows(wanted.order_by(table.run_id).limit(most), self.runs)

    def latest_runs(self, count: int, tenant: str) -> list[dict[str, Any]]:
        """The newest validations of a tenant, the newest first."""
        wanted = self.runs.select().where(self.runs.c.tenant == tenant).order_by(self.runs.c.run_id.desc())
        return self.durable.rows(wanted.limit(count), self.runs)

    def run_of(self, run_id: str) -> dict[str, Any]:
        """A validation, whoever's it is: for the worker, which looks after those of all tenants."""
        (found,) = self.durable.rows(self.runs.select().where(self.runs.c.run_id == run_id), self.runs)
        return found

    def case_rows(self, run_id: str) -> list[dict[str, Any]]:
        """The requirements of a validation."""
        wanted = self.cases.select().where(self.cases.c.run_id == run_id).order_by(self.cases.c.case_id)
        return self.durable.rows(wanted, self.cases)

    def note_run(self, run_id: str, values: Mapping[str, Any]) -> None:
        """Write how far a validation is."""
        with self.durable.session() as connection:
            connection.execute(self.runs.update().where(self.runs.c.run_id == run_id).values(**values))

    def save(self, case: Mapping[str, Any], question: Mapping[str, Any] | None, applied: str | None) -> None:
        """Keep a requirement with the question that it waits for, and close the one whose answer it has taken up."""
        with self.durable.session() as connection:
            own = self.cases.c.case_id == case["case_id"]
            connection.execute(self.cases.update().where(own).values(**case))
            if applied is not None:
                change = self.questions.update().where(self.questions.c.question_id == applied)
                connection.execute(change.values(state="applied"))
            if question is not None and not self._is_there(connection, question["question_id"]):
                connection.execute(self.questions.insert().values(**question))

    def _is_there(self, connection: sa.Connection, question_id: str) -> bool:
        """Whether a step that runs twice has asked already."""
        wanted = self.questions.select().where(self.questions.c.question_id == question_id)
        return connection.execute(wanted).first() is not None

    # --- questions

    def question_rows(
        self,
        *,
        tenant: str | None = None,
        start: str | None = None,
        run_id: str | None = None,
        states: Sequence[str] = (),
        most: int = 1_000,
    ) -> list[dict[str, Any]]:
        """Questions by tenant, validation and state, the oldest first; by the beginning of their id, the shortest first."""
        table = self.questions.c
        order = (table.question_id,) if start is not None else (table.asked_at, table.question_id)
        wanted = self.questions.select().order_by(*order).limit(most)
        if tenant is not None:
            wanted = wanted.where(table.tenant == tenant)
        if start is not None:
            wanted = wanted.where(table.question_id >= start, table.question_id < start + "\x7f")
        if run_id is not None:
            wanted = wanted.where(table.run_id == run_id)
        return self.durable.rows(wanted.where(table.state.in_(states)) if states else wanted, self.questions)

    def answer(self, question_id: str, run_id: str, values: Mapping[str, Any], *, before: str) -> bool:
        """Write an answer unless there is one, or the deadline has passed, and wake the workflow up."""
        table = self.questions.c
        change = self.questions.update().where(
            table.question_id == question_id, table.state == "waiting", table.deadline > before
        )
        with self.durable.session() as connection:
            changed = connection.execute(change.values(**values)).rowcount == 1
            if changed:
                connection.execute(self.runs.update().where(self.runs.c.run_id == run_id).values(state="working"))
                self.durable.wake(connection, run_id, question_id, TOPIC)
        return changed

    def expire(self, run_id: str, now: str) -> None:
        """Close the questions of a validation that nobody answered in time."""
        table = self.questions.c
        change = self.questions.update().where(table.run_id == run_id, table.state == "waiting", table.deadline <= now)
        with self.durable.session() as connection:
            connection.execute(change.values(state="expired"))

    def due(self, now: str) -> int:
        """How many validations can go on: those that wait for nobody, or have waited long enough."""
        import sqlalchemy as sa

        table = self.runs.c
        ready = sa.or_(table.state == "working", sa.and_(table.state == "waiting", table.deadline <= now))
        return int(self.durable.rows(sa.select(sa.func.count().label("due")).where(ready), self.runs)[0]["due"])

    # --- the tables

    @cached_property
    def runs(self) -> sa.Table:
        """The table of validations."""
        return self._table("veracity_validation")

    @cached_property
    def cases(self) -> sa.Table:
        """The table of their requirements."""
        return self._table("veracity_case")

    @cached_property
    def questions(self) -> sa.Table:
        """The table of questions."""
        return self._table("veracity_question")

    def _table(self, name: str) -> sa.Table:
        import sqlalchemy as sa

        key, others = _WRITTEN[name]
        defaults = {"tenant": LOCAL}
        columns = [
            sa.Column(other, sa.Text, index=other == "run_id", server_default=defaults.get(other)) for other in others
        ]
        return self.durable.table(name, sa.Column(key, sa.Text, primary_key=True), *columns)
