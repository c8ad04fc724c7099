"""Where reviews are kept: one SQLite file, or a PostgreSQL that several workers share.

Reviews stand in a table of ours beside the tables of DBOS, so that a review and its workflow, or a decision and the message
that wakes the workflow up, are written in one transaction: both or neither.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

from veracity.errors import SourceError, UsageError
from veracity.settings import Settings
from veracity.trace import clip

if TYPE_CHECKING:
    import sqlalchemy as sa
    from dbos import DBOSClient

APP = "veracity-reviews"
"""The name of the application and of its queue in DBOS."""
VERSION = "review-1"
"""Workflows go on under the version that they were started with: it changes only when their steps do."""
WORKFLOW, TOPIC = "veracity_review", "decision"
SCHEMA = "veracity_reviews"
"""The schema of all tables on PostgreSQL; an SQLite file needs none."""
_BUSY_MILLISECONDS = 30_000
_TRIES = 5
_COLUMNS = "review_id submitted_at deadline question state who decided_at why chosen outcomes finished_at body".split()  # noqa: SIM905
_REQUIRED = {"submitted_at", "deadline", "question", "state", "body"}


class ReviewStore:
    """The tables of reviews and of the workers that look after them."""

    def __init__(self, url: str, *, path: Path | None = None) -> None:
        self.url, self._path = url, path
        self.schema = None if path else SCHEMA
        self._engine: sa.Engine | None = None
        self._client: DBOSClient | None = None
        self._ready = False

    @classmethod
    def of(cls, database: str | None, settings: Settings | None = None) -> ReviewStore:
        """The store of `postgresql://...`, of a file, or, without either, of this user's data folder."""
        if database is None:
            return cls._file((settings or Settings.from_env()).home / "reviews.sqlite")
        scheme, found, rest = database.strip().partition("://")
        if found and scheme in ("postgresql", "postgres"):
            return cls(f"postgresql://{rest}")
        if found and scheme != "sqlite":
            raise UsageError(f"Reviews are kept in a file or in postgresql://..., not in {clip(scheme, 20)}://...")
        return cls._file(Path(rest.removeprefix("/") if found else database.strip()))

    @classmethod
    def _file(cls, path: Path) -> ReviewStore:
        path = path.expanduser().absolute()
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a file for the reviews.")
        if "?" in str(path) or not str(path).isprintable():
            # In the address that DBOS takes, the name would end there.
            raise UsageError(f"{clip(str(path), 100)} cannot hold reviews: its name has a ? or a sign nobody can see.")
        return cls(f"sqlite:///{path}", path=path)

    def close(self) -> None:
        """Release the database; using it again opens it again."""
        if self._client is not None:
            self._client.destroy()
        if self._engine is not None:
            self._engine.dispose()
        self._client = self._engine = None

    @property
    def shown(self) -> str:
        """The database as it may be shown: without user and password."""
        return str(self._path) if self._path else self.url.partition("://")[2].rpartition("@")[2].partition("?")[0]

    # --- reviews

    def add(self, row: Mapping[str, Any]) -> None:
        """Keep a review and start its workflow."""
        self.prepare()
        client = self._dbos()
        options: Any = {
            "workflow_name": WORKFLOW,
            "queue_name": APP,
            "workflow_id": row["review_id"],
            "app_version": VERSION,
        }
        with self.session() as connection:
            connection.execute(self.review.insert().values(**row))
            client.enqueue_in_transaction(connection, options, row["review_id"])

    def find(self, start: str, most: int = 3) -> list[dict[str, Any]]:
        """The reviews whose id starts like this."""
        ids = self.review.c.review_id
        wanted = self.review.select().where(ids >= start, ids < start + "\x7f").order_by(ids).limit(most)
        return self._rows(wanted)

    def latest(self, count: int, state: str | None = None) -> list[dict[str, Any]]:
        """The newest reviews, the newest first."""
        wanted = self.review.select().order_by(self.review.c.review_id.desc()).limit(count)
        return self._rows(wanted if state is None else wanted.where(self.review.c.state == state))

    def due(self, now: str) -> int:
        """How many reviews are decided, or past their deadline, and not done yet."""
        import sqlalchemy as sa

        table = self.review.c
        over = sa.or_(table.state != "waiting", table.deadline <= now)
        wanted = sa.select(sa.func.count()).select_from(self.review).where(table.finished_at.is_(None), over)
        with self.session() as connection:
            return int(connection.execute(wanted).scalar_one())

    def decide(self, review_id: str, values: Mapping[str, Any], *, before: str | None = None) -> bool:
        """Write a decision unless there is one, or the deadline has passed; whoever comes first has decided.

        `before` is the moment that must lie before the deadline. Only such a decision wakes the workflow up: the clock's
        own comes from the workflow.
        """
        change = self.review.update().where(self.review.c.review_id == review_id, self.review.c.state == "waiting")
        if before is not None:
            change = change.where(self.review.c.deadline > before)
        client = None if before is None else self._dbos()
        with self.session() as connection:
            changed = connection.execute(change.values(**values)).rowcount == 1
            if changed and client is not None:
                client.send_in_transaction(connection, review_id, values["state"], TOPIC)
        return changed

    def note(self, review_id: str, values: Mapping[str, Any]) -> None:
        """Write what became of a review."""
        with self.session() as connection:
            connection.execute(self.review.update().where(self.review.c.review_id == review_id).values(**values))

    def _rows(self, wanted: sa.Select[Any]) -> list[dict[str, Any]]:
        if not self._exists():
            return []
        with self.session() as connection:
            return [dict(row) for row in connection.execute(wanted).mappings()]

    # --- workers

    def beat(self, worker: str, count: int) -> None:
        """Say that a worker is alive, or, with a negative count, that it has ended."""
        with self.session() as connection:
            changed = connection.execute(
                self.worker.update().where(self.worker.c.worker_id == worker).values(beat=count)
            ).rowcount
            if not changed:
                connection.execute(self.worker.insert().values(worker_id=worker, beat=count))

    def beats(self) -> dict[str, int]:
        """The workers, and how far each has counted."""
        with self.session() as connection:
            return {row.worker_id: row.beat for row in connection.execute(self.worker.select())}

    def forget(self, worker: str) -> None:
        """Nothing is left of a worker that is gone."""
        with self.session() as connection:
            connection.execute(self.worker.delete().where(self.worker.c.worker_id == worker))

    # --- the database

    @cached_property
    def review(self) -> sa.Table:
        """The table of reviews."""
        import sqlalchemy as sa

        columns = [sa.Column(name, sa.Text, nullable=name not in _REQUIRED) for name in _COLUMNS[1:]]
        return sa.Table(
            "veracity_review",
            sa.MetaData(schema=self.schema),
            sa.Column("review_id", sa.Text, primary_key=True),
            *columns,
        )

    @cached_property
    def worker(self) -> sa.Table:
        """The table of workers."""
        import sqlalchemy as sa

        return sa.Table(
            "veracity_worker",
            sa.MetaData(schema=self.schema),
            sa.Column("worker_id", sa.Text, primary_key=True),
            sa.Column("beat", sa.BigInteger, nullable=False),
        )

    @contextmanager
    def session(self) -> Iterator[sa.Connection]:
        """One transaction; what the database refuses becomes a sentence without its address and password."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            with self._connected().begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise SourceError(self._failure()) from error

    def prepare(self) -> None:
        """Make the tables, ours and those of DBOS, where there are none."""
        if self._ready:
            return
        from sqlalchemy.exc import SQLAlchemyError

        for attempt in range(_TRIES):
            try:
                self._make()
                break
            except (SQLAlchemyError, sqlite3.Error, OSError) as error:
                # Another process makes them at the same moment, or the database cannot be used at all.
                if attempt == _TRIES - 1:
                    raise SourceError(self._failure()) from error
                sleep(0.1 * (attempt + 1))
        self._ready = True

    def _make(self) -> None:
        from dbos import DBOS
        from sqlalchemy.schema import CreateTable

        quiet()
        if self._path is not None:
            _make_file(self._path)
        DBOS.migrate(self.url, schema=SCHEMA)
        with self._connected().begin() as connection:
            for table in (self.review, self.worker):
                connection.execute(CreateTable(table, if_not_exists=True))

    def _exists(self) -> bool:
        """Whether there are tables to read; looking makes none."""
        if self._ready:
            return True
        if self._path is not None and not self._path.exists():
            return False
        import sqlalchemy as sa
        from sqlalchemy.exc import SQLAlchemyError

        try:
            self._ready = sa.inspect(self._connected()).has_table("veracity_review", schema=self.schema)
        except SQLAlchemyError as error:
            raise SourceError(self._failure()) from error
        return self._ready

    def _connected(self) -> sa.Engine:
        if self._engine is None:
            import sqlalchemy as sa

            url = sa.make_url(self.url)
            if self._path is None:
                self._engine = sa.create_engine(url.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
            else:
                self._engine = sa.create_engine(url)
                sa.event.listen(self._engine, "connect", _as_writer)
        return self._engine

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
        return f"The reviews in {self.shown} cannot be read or written; {mend}."


def quiet() -> None:
    """DBOS tells every step to the terminal, which belongs to the command."""
    import logging

    logging.getLogger("dbos").setLevel(logging.CRITICAL)


def _make_file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        path.touch(mode=0o600)
    connection = sqlite3.connect(path, timeout=_BUSY_MILLISECONDS / 1000)
    try:
        # Readers and a writer then do not wait for each other, and a step costs a third.
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def _as_writer(connection: sqlite3.Connection, _record: object) -> None:
    # A transaction that reads first and writes later could otherwise find the file taken in between.
    connection.isolation_level = "IMMEDIATE"
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
