"""The tables of validations, of their requirements and of their questions, in a database of `durable/database.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from veracity.durable.database import LOCAL, DurableDatabase

if TYPE_CHECKING:
    import sqlalchemy as sa

_MOST_QUESTIONS = 1_000
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
    """What validations keep besides their own rows; a look-up with a tenant finds nothing of the others."""

    def __init__(self, durable: DurableDatabase) -> None:
        self.durable = durable

    # --- requirements

    def add(
        self, connection: sa.Connection, cases: Iterable[Mapping[str, Any]], questions: Iterable[Mapping[str, Any]]
    ) -> None:
        """Keep the requirements of a validation, with what it has asked so far, where the validation itself is written."""
        for table, given in ((self.cases, cases), (self.questions, questions)):
            rows = [dict(row) for row in given]
            if rows:
                connection.execute(table.insert(), rows)

    def case_rows(self, run_id: str) -> list[dict[str, Any]]:
        """The requirements of a validation."""
        wanted = self.cases.select().where(self.cases.c.run_id == run_id).order_by(self.cases.c.case_id)
        return self.durable.rows(wanted, self.cases)

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
        self, *, tenant: str | None = None, run_id: str | None = None, states: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """Questions by tenant, validation and state, the oldest first."""
        table = self.questions.c
        wanted = self.questions.select().order_by(table.asked_at, table.question_id).limit(_MOST_QUESTIONS)
        if tenant is not None:
            wanted = wanted.where(table.tenant == tenant)
        if run_id is not None:
            wanted = wanted.where(table.run_id == run_id)
        return self.durable.rows(wanted.where(table.state.in_(states)) if states else wanted, self.questions)

    def answer(
        self, connection: sa.Connection, question_id: str, run_id: str, values: Mapping[str, Any], *, before: str
    ) -> bool:
        """Write an answer unless there is one, or the deadline has passed; whether it was written."""
        table = self.questions.c
        change = self.questions.update().where(
            table.question_id == question_id, table.state == "waiting", table.deadline > before
        )
        changed = connection.execute(change.values(**values)).rowcount == 1
        if changed:
            connection.execute(self.runs.update().where(self.runs.c.run_id == run_id).values(state="working"))
        return changed

    def expire(self, run_id: str, now: str) -> None:
        """Close the questions of a validation that nobody answered in time."""
        table = self.questions.c
        change = self.questions.update().where(table.run_id == run_id, table.state == "waiting", table.deadline <= now)
        with self.durable.session() as connection:
            connection.execute(change.values(state="expired"))

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
