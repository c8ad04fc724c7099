"""Where validations and their questions are kept: one SQLite file, or a PostgreSQL that several workers share.

How the database is opened, and the table of workers, are those of the reviews (`retrieval/review_store.py`); tables, schema and
workflow are our own. An answer and the message that wakes its workflow up are written in one transaction: both or neither.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.errors import SourceError, UsageError
from veracity.retrieval.review_store import ReviewStore, quiet
from veracity.settings import Settings
from veracity.trace import clip

if TYPE_CHECKING:
    import sqlalchemy as sa
    from dbos import DBOSClient

APP = "veracity-questions"
"""The name of the application and of its queue in DBOS."""
VERSION = "ask-1"
"""Workflows go on under the version that they were started with: it changes only when their steps do."""
WORKFLOW, TOPIC = "veracity_validation", "answer"
SCHEMA = "veracity_questions"
"""The schema of all tables on PostgreSQL; an SQLite file needs none."""
_WRITTEN = {
    "veracity_validation": ("run_id", ("submitted_at", "finished_at", "state", "deadline", "body")),
    "veracity_case": ("case_id", ("run_id", "stop", "body")),
    "veracity_question": (
        "question_id",
        ("run_id", "asked_at", "deadline", "state", "answer", "who", "answered_at", "body"),
    ),
}
"""The columns of each table, all of text; the first is its key."""


class QuestionStore(ReviewStore):
    """The tables of validations, of their requirements, and of the questions that they wait for."""

    def __init__(self, url: str, *, path: Path | None = None) -> None:
        super().__init__(url, path=path)
        self.schema = None if path else SCHEMA

    @classmethod
    def of(cls, database: str | None, settings: Settings | None = None) -> QuestionStore:
        """The store of `postgresql://...`, of a file, or, without either, of this user's data folder."""
        if database is None:
            return cls._file((settings or Settings.from_env()).home / "questions.sqlite")
        scheme, found, rest = database.strip().partition("://")
        if found and scheme in ("postgresql", "postgres"):
            return cls(f"postgresql://{rest}")
        if found and scheme != "sqlite":
            raise UsageError(f"Questions are kept in a file or in postgresql://..., not in {clip(scheme, 20)}://...")
        return cls._file(Path(rest.removeprefix("/") if found else database.strip()))

    @classmethod
    def _file(cls, path: Path) -> QuestionStore:
        path = path.expanduser().absolute()
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a file for the questions.")
        if "?" in str(path) or not str(path).isprintable():
            # In the address that DBOS takes, the name would end there.
            raise UsageError(
                f"{clip(str(path), 100)} cannot hold questions: its name has a ? or a sign nobody can see."
            )
        return cls(f"sqlite:///{path}", path=path)

    # --- validations and their requirements

    def submit(
        self,
        run: Mapping[str, Any],
        cases: Iterable[Mapping[str, Any]],
        questions: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """Keep a validation, with what it has asked so far, and start its workflow."""
        self.prepare()
        client = self._dbos()
        options: Any = {
            "workflow_name": WORKFLOW,
            "queue_name": APP,
            "workflow_id": run["run_id"],
            "app_version": VERSION,
        }
        with self.session() as connection:
            connection.execute(self.runs.insert().values(**run))
            for table, given in ((self.cases, cases), (self.questions, questions)):
                rows = [dict(row) for row in given]
                if rows:
                    connection.execute(table.insert(), rows)
            client.enqueue_in_transaction(connection, options, run["run_id"])

    def run_rows(self, start: str, most: int = 3) -> list[dict[str, Any]]:
        """The validations whose id starts like this."""
        ids = self.runs.c.run_id
        return self._rows(self.runs.select().where(ids >= start, ids < start + "\x7f").order_by(ids).limit(most))

    def latest_runs(self, count: int) -> list[dict[str, Any]]:
        """The newest validations, the newest first."""
        return self._rows(self.runs.select().order_by(self.runs.c.run_id.desc()).limit(count))

    def case_rows(self, run_id: str) -> list[dict[str, Any]]:
        """The requirements of a validation."""
        return self._rows(self.cases.select().where(self.cases.c.run_id == run_id).order_by(self.cases.c.case_id))

    def note_run(self, run_id: str, values: Mapping[str, Any]) -> None:
        """Write how far a validation is."""
        with self.session() as connection:
            connection.execute(self.runs.update().where(self.runs.c.run_id == run_id).values(**values))

    def save(self, case: Mapping[str, Any], question: Mapping[str, Any] | None, applied: str | None) -> None:
        """Keep a requirement with the question that it waits for, and close the one whose answer it has taken up."""
        with self.session() as connection:
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
        self, *, start: str | None = None, run_id: str | None = None, states: Sequence[str] = (), most: int = 1_000
    ) -> list[dict[str, Any]]:
        """Questions by the beginning of their id, the shortest first; by their validation or state, the oldest first."""
        table = self.questions.c
        order = (table.question_id,) if start is not None else (table.asked_at, table.question_id)
        wanted = self.questions.select().order_by(*order).limit(most)
        if start is not None:
            wanted = wanted.where(table.question_id >= start, table.question_id < start + "\x7f")
        if run_id is not None:
            wanted = wanted.where(table.run_id == run_id)
        return self._rows(wanted.where(table.state.in_(states)) if states else wanted)

    def answer(self, question_id: str, run_id: str, values: Mapping[str, Any], *, before: str) -> bool:
        """Write an answer unless there is one, or the deadline has passed, and wake the workflow up."""
        table = self.questions.c
        change = self.questions.update().where(
            table.question_id == question_id, table.state == "waiting", table.deadline > before
        )
        client = self._dbos()
        with self.session() as connection:
            changed = connection.execute(change.values(**values)).rowcount == 1
            if changed:
                connection.execute(self.runs.update().where(self.runs.c.run_id == run_id).values(state="working"))
                client.send_in_transaction(connection, run_id, question_id, TOPIC)
        return changed

    def expire(self, run_id: str, now: str) -> None:
        """Close the questions of a validation that nobody answered in time."""
        table = self.questions.c
        change = self.questions.update().where(table.run_id == run_id, table.state == "waiting", table.deadline <= now)
        with self.session() as connection:
            connection.execute(change.values(state="expired"))

    def due(self, now: str) -> int:
        """How many validations can go on: those that wait for nobody, or have waited long enough."""
        import sqlalchemy as sa

        table = self.runs.c
        ready = sa.or_(table.state == "working", sa.and_(table.state == "waiting", table.deadline <= now))
        with self.session() as connection:
            return int(connection.execute(sa.select(sa.func.count()).select_from(self.runs).where(ready)).scalar_one())

    # --- the database

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
        columns = [sa.Column(other, sa.Text, index=other == "run_id") for other in others]
        return sa.Table(name, sa.MetaData(schema=self.schema), sa.Column(key, sa.Text, primary_key=True), *columns)

    def _make(self) -> None:
        from dbos import DBOS
        from sqlalchemy.schema import CreateIndex, CreateTable

        quiet()
        if self._path is not None:
            _make_file(self._path)
        DBOS.migrate(self.url, schema=SCHEMA)
        with self._connected().begin() as connection:
            for table in (self.runs, self.cases, self.questions, self.worker):
                connection.execute(CreateTable(table, if_not_exists=True))
                for index in table.indexes:
                    connection.execute(CreateIndex(index, if_not_exists=True))

    def _exists(self) -> bool:
        """Whether there are tables to read; looking makes none."""
        if self._ready:
            return True
        if self._path is not None and not self._path.exists():
            return False
        import sqlalchemy as sa
        from sqlalchemy.exc import SQLAlchemyError

        try:
            self._ready = sa.inspect(self._connected()).has_table("veracity_question", schema=self.schema)
        except SQLAlchemyError as error:
            raise SourceError(self._failure()) from error
        return self._ready

    def _dbos(self) -> DBOSClient:
        from dbos import DBOSClient, DBOSPortableJSONSerializer

        if self._client is None:
            quiet()
            self._client = DBOSClient(
                system_database_engine=self._connected(),
                serializer=DBOSPortableJSONSerializer(),
                application_name=APP,
                dbos_system_schema=SCHEMA,
                retry_connection_errors=False,
                lazy=True,
            )
        return self._client

    def _failure(self) -> str:
        mend = (
            "check that the server runs and that you may use it" if self._path is None else "check the file, or move it"
        )
        return f"The questions in {self.shown} cannot be read or written; {mend}."


def _make_file(path: Path) -> None:
    """A file of the owner's, in which readers and a writer do not wait for each other."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600)
    connection = sqlite3.connect(path, timeout=30)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
