"""Where all that must outlive a process is kept: one SQLite file, or a PostgreSQL that several processes share.

Tables of ours stand beside the tables of DBOS, so that a row and its workflow, or a decision and the message that wakes the
workflow up, are written in one transaction: both or neither. `DurableDatabase` opens the database; what stands in it is the
business of the stores.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cached_property, partial
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

from veracity.contracts import clip
from veracity.errors import SourceError, UsageError
from veracity.settings import Settings

if TYPE_CHECKING:
    import sqlalchemy as sa
    from dbos import DBOSClient

STORE = "veracity.sqlite"
"""The file in the data folder that command line and server share."""
LOCAL = "local"
"""The tenant of the command line, and of a server without keys."""
APP = "veracity"
"""The name of the one application in DBOS; every kind of work has a queue of its own."""
VERSION = "veracity-1"
"""Workflows go on under the version that they were started with: it changes only when their steps do."""
_EARLIER_VERSIONS = ("review-1",)
"""Of reviews, when they had an application of their own."""
SCHEMA = "veracity"
"""The schema of all tables on PostgreSQL; an SQLite file needs none."""
_BUSY_MILLISECONDS = 30_000
_CONNECT_SECONDS = 10
_CONNECTIONS, _MORE_CONNECTIONS = 5, 10
_TRIES = 5
_UNUSABLE = "The server's own data cannot be read or written right now; tell its operator."


class DurableDatabase:
    """One database: its connections, its tables, the client of DBOS, and the signs of life of the workers."""

    def __init__(self, url: str, *, path: Path | None = None, holds: str = "data", pooled: bool = True) -> None:
        self.url, self.path, self.holds, self._pooled = url, path, holds, pooled
        self.schema = None if path else SCHEMA
        self._engines: dict[bool, sa.Engine] = {}
        self._client: DBOSClient | None = None
        self._made: set[str] = set()
        self._counter: sqlite3.Connection | None = None
        self._counted_file, self._counters = 0, 0
        self._counting = threading.Lock()
        self._opening = threading.RLock()
        # One writer at a time is all that SQLite has: threads that wait for it in line wait shorter.
        self._writing = threading.Lock() if path else None

    @classmethod
    def of(
        cls, database: str | None, *, holds: str, settings: Settings | None = None, pooled: bool = True
    ) -> DurableDatabase:
        """The database of `postgresql://...`, of a file, or, without either, the store of this user.

        One that is not `pooled` holds no connection of a PostgreSQL between two statements: nobody needs to close it.
        """
        if database is None:
            settings = settings or Settings.from_env()
            if settings.database is None:
                return cls._file(settings.home / STORE, holds)
            database = settings.database
        scheme, found, rest = database.strip().partition("://")
        if found and scheme in ("postgresql", "postgres"):
            return cls(f"postgresql://{rest}", holds=holds, pooled=pooled)
        if found and scheme != "sqlite":
            kept = holds[:1].upper() + holds[1:]
            raise UsageError(f"{kept} are kept in a file or in postgresql://..., not in {clip(scheme, 20)}://...")
        return cls._file(Path(rest.removeprefix("/") if found else database.strip()), holds)

    @classmethod
    def _file(cls, path: Path, holds: str) -> DurableDatabase:
        path = path.expanduser().absolute()
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a file for the {holds}.")
        if "?" in str(path) or not str(path).isprintable():
            # In the address that DBOS takes, the name would end there.
            raise UsageError(f"{clip(str(path), 100)} cannot hold {holds}: its name has a ? or a sign nobody can see.")
        return cls(f"sqlite:///{path}", path=path, holds=holds)

    def close(self) -> None:
        """Release the database; using it again opens it again."""
        with self._opening:
            if self._client is not None:
                self._client.destroy()
            for engine in self._engines.values():
                engine.dispose()
            self._engines.clear()
            self._client = None
        with self._counting:
            self._close_counter()

    @property
    def shown(self) -> str:
        """The database as it may be shown: without user and password."""
        return str(self.path) if self.path else self.url.partition("://")[2].rpartition("@")[2].partition("?")[0]

    # --- tables

    def table(self, name: str, *columns: sa.Column[Any] | sa.Index) -> sa.Table:
        """Declare a table of ours, in our schema where the database has schemas."""
        import sqlalchemy as sa

        return sa.Table(name, sa.MetaData(schema=self.schema), *columns)

    def prepare(self, *tables: sa.Table) -> None:
        """Make these tables where there are none."""
        self._make_tables({table.name: table for table in tables}, workflows=False)

    def prepare_workflows(self, *tables: sa.Table) -> None:
        """Make these tables, those of DBOS and the one of the workers, where there are none."""
        self._make_tables({table.name: table for table in (*tables, self.worker)}, workflows=True)

    def knows(self, name: str) -> bool:
        """Whether a table is known to be there; that costs nothing."""
        return name in self._made

    def has(self, table: sa.Table) -> bool:
        """Whether there is such a table to read; looking makes none."""
        if table.name in self._made:
            return True
        if self.path is not None and not self.path.exists():
            return False
        import sqlalchemy as sa

        with self._errors_in_plain_words():
            found = sa.inspect(self.engine).has_table(table.name, schema=self.schema)
            if found and self._missing_columns(table):
                self._add_missing_columns(table)
        if found:
            self._made.add(table.name)
        return found

    def _missing_columns(self, table: sa.Table) -> list[sa.Column[Any]]:
        """The columns that a table of an earlier version does not have."""
        import sqlalchemy as sa

        known = {column["name"] for column in sa.inspect(self.engine).get_columns(table.name, schema=self.schema)}
        return [column for column in table.columns if column.name not in known]

    def _add_missing_columns(self, table: sa.Table) -> None:
        """Give a table of an earlier version the columns that it lacks, with their defaults."""
        import sqlalchemy as sa
        from sqlalchemy.exc import SQLAlchemyError
        from sqlalchemy.schema import CreateColumn

        name = self.engine.dialect.identifier_preparer.format_table(table)
        for column in self._missing_columns(table):
            declared = CreateColumn(column).compile(dialect=self.engine.dialect)
            try:
                with self._writing or nullcontext(), self.engine.begin() as connection:
                    connection.execute(sa.text(f"ALTER TABLE {name} ADD COLUMN {declared}"))
            except SQLAlchemyError:
                # Another process has done the same at the same moment, or it cannot be done at all.
                if any(one is column for one in self._missing_columns(table)):
                    raise

    def _make_tables(self, tables: dict[str, sa.Table], *, workflows: bool) -> None:
        wanted = tables.keys() | ({APP} if workflows else set())
        if wanted <= self._made:
            return
        # Whoever may use the tables need not be allowed to make any.
        tables = {name: table for name, table in tables.items() if not self.has(table)}
        if wanted <= self._made:
            return
        from sqlalchemy.exc import SQLAlchemyError

        for attempt in range(_TRIES):
            try:
                with self._opening:
                    self._try_to_make_tables(tables, workflows=workflows and APP not in self._made)
                break
            except (SQLAlchemyError, sqlite3.Error, OSError) as error:
                # Another process makes them at the same moment, or the database cannot be used at all.
                if attempt == _TRIES - 1:
                    raise SourceError(self._failure(), told=_UNUSABLE) from error
                sleep(0.1 * (attempt + 1))
        self._made |= wanted

    def _try_to_make_tables(self, tables: dict[str, sa.Table], *, workflows: bool) -> None:
        from sqlalchemy.schema import CreateIndex, CreateSchema, CreateTable

        if self.path is not None:
            _make_file(self.path)
        if workflows:
            from dbos import DBOS

            silence_dbos()
            DBOS.migrate(self.url, schema=SCHEMA)
            if self.path is not None:
                self._adopt_earlier_workflows()
        if not tables:
            return
        with self.engine.begin() as connection:
            if self.schema is not None:
                connection.execute(CreateSchema(self.schema, if_not_exists=True))
            for table in tables.values():
                connection.execute(CreateTable(table, if_not_exists=True))
                for index in table.indexes:
                    connection.execute(CreateIndex(index, if_not_exists=True))

    def _adopt_earlier_workflows(self) -> None:
        """Let workflows that an earlier version left in a file go on under the version of today: they have the same steps."""
        import sqlalchemy as sa

        names = ["application_version", "application_name"]
        place = sa.table("workflow_status", *(sa.column(name) for name in names))
        earlier = place.update().where(place.c.application_version.in_(_EARLIER_VERSIONS))
        with self.engine.begin() as connection:
            connection.execute(earlier.values(application_version=VERSION, application_name=APP))

    # --- reading and writing

    @contextmanager
    def session(self, *, quick: bool = False) -> Iterator[sa.Connection]:
        """One transaction that may write.

        A `quick` one does not wait for the disk of a SQLite file: a crash of the machine may lose it, one of the process
        cannot.
        """
        with self._errors_in_plain_words(), self._writing or nullcontext(), self._engine(quick).begin() as connection:
            yield connection

    def rows(self, wanted: sa.Select[Any], of: sa.Table) -> list[dict[str, Any]]:
        """What a query finds; nothing where its table was never made."""
        if not self.has(of):
            return []
        with self._errors_in_plain_words(), self.engine.connect() as connection:
            return [dict(row) for row in connection.execute(wanted).mappings()]

    def read(self, statement: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """What a query finds that is written in the words of this database."""
        with self._errors_in_plain_words(), self.engine.connect() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(statement, parameters)]

    def changes(self) -> tuple[int, int] | None:
        """Other numbers as soon as anybody, in any process, has written to the file; None where nothing tells it at once.

        It costs some microseconds and waits for nobody.
        """
        if self.path is None:
            return None
        with self._counting:
            try:
                return self._count_changes(self.path)
            except (sqlite3.Error, OSError):
                return None

    def _count_changes(self, path: Path) -> tuple[int, int]:
        file = path.stat().st_ino
        if self._counter is None or self._counted_file != file:
            self._close_counter()
            # A connection of its own: to the one that writes, its own changes are none.
            self._counter = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=0, check_same_thread=False)
            self._counted_file, self._counters = file, self._counters + 1
        return self._counters, int(self._counter.execute("PRAGMA data_version").fetchone()[0])

    def _close_counter(self) -> None:
        if self._counter is not None:
            self._counter.close()
        self._counter = None

    def delete(self, table: sa.Table, condition: sa.ColumnElement[bool], most: int) -> int:
        """Delete at most so many rows; returns how many there were."""
        if not self.has(table):
            return 0
        import sqlalchemy as sa

        keys = list(table.primary_key.columns)
        found = sa.select(*keys).where(condition).limit(most)
        with self.session(quick=True) as connection:
            return int(connection.execute(table.delete().where(sa.tuple_(*keys).in_(found))).rowcount)

    def insert(self, table: sa.Table) -> Any:
        """An INSERT that can say ON CONFLICT, in the words of this database."""
        if self.path is not None:
            from sqlalchemy.dialects import sqlite

            return sqlite.insert(table)
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)

    @property
    def engine(self) -> sa.Engine:
        """The connections, opened on first use."""
        return self._engine(False)

    def _engine(self, quick: bool) -> sa.Engine:
        quick = quick and self.path is not None
        with self._opening:
            if quick not in self._engines:
                self._engines[quick] = self._new_engine(quick)
            return self._engines[quick]

    def _new_engine(self, quick: bool) -> sa.Engine:
        import sqlalchemy as sa

        url = sa.make_url(self.url)
        pool: dict[str, Any] = {"pool_size": _CONNECTIONS, "max_overflow": _MORE_CONNECTIONS}
        if self.path is not None:
            engine = sa.create_engine(url, **pool)
            sa.event.listen(engine, "connect", partial(_set_up_connection, quick))
            return engine
        patience = {} if "connect_timeout" in url.query else {"connect_timeout": _CONNECT_SECONDS}
        driver = url.set(drivername="postgresql+psycopg")
        if not self._pooled:
            return sa.create_engine(driver, poolclass=sa.NullPool, connect_args=patience)
        return sa.create_engine(driver, pool_pre_ping=True, connect_args=patience, **pool)

    @contextmanager
    def _errors_in_plain_words(self) -> Iterator[None]:
        """What the database refuses becomes a sentence without address and password."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except SQLAlchemyError as error:
            raise SourceError(self._failure(), told=_UNUSABLE) from error

    def _failure(self) -> str:
        mend = (
            "check that the server runs and that you may use it" if self.path is None else "check the file, or move it"
        )
        return f"The {self.holds} in {self.shown} cannot be read or written; {mend}."

    # --- workflows

    @property
    def client(self) -> DBOSClient:
        """The client with which workflows are started, woken and cancelled from outside of them."""
        from dbos import DBOSClient, DBOSPortableJSONSerializer

        with self._opening:
            if self._client is None:
                silence_dbos()
                self._client = DBOSClient(
                    system_database_engine=self.engine,
                    serializer=DBOSPortableJSONSerializer(),
                    application_name=APP,
                    dbos_system_schema=SCHEMA,
                    retry_connection_errors=False,
                    lazy=True,
                )
            return self._client

    def start_workflow(self, connection: sa.Connection, workflow: str, queue: str, name: str) -> None:
        """Start the workflow of a row in the transaction that writes the row; `name` is the id of both."""
        options: Any = {
            "workflow_name": workflow,
            "queue_name": queue,
            "workflow_id": name,
            "app_version": VERSION,
        }
        self.client.enqueue_in_transaction(connection, options, name)

    def wake_workflow(self, connection: sa.Connection, name: str, message: str, topic: str) -> None:
        """Send a message to a workflow in the transaction that writes what it is about."""
        self.client.send_in_transaction(connection, name, message, topic)

    def cancel_workflow(self, name: str) -> None:
        """End a workflow that is not over; nobody takes it over any more."""
        with self._errors_in_plain_words():
            self.client.cancel_workflow(name)

    def forget_workflows(self, names: Sequence[str]) -> None:
        """Forget workflows that are over."""
        with self._errors_in_plain_words():
            self.client.delete_workflows(list(names))

    # --- workers

    @cached_property
    def worker(self) -> sa.Table:
        """The table of workers."""
        import sqlalchemy as sa

        worker, beat = sa.Column("worker_id", sa.Text, primary_key=True), sa.Column("beat", sa.BigInteger)
        return self.table("veracity_worker", worker, beat)

    def beat(self, worker: str, count: int) -> None:
        """Say that a worker is alive, or, with a negative count, that it has ended."""
        with self.session() as connection:
            new = self.insert(self.worker).values(worker_id=worker, beat=count)
            connection.execute(new.on_conflict_do_update(index_elements=["worker_id"], set_={"beat": count}))

    def beats(self) -> dict[str, int]:
        """The workers, and how far each has counted."""
        return {row["worker_id"]: row["beat"] for row in self.rows(self.worker.select(), self.worker)}

    def forget_worker(self, worker: str) -> None:
        """Forget a worker that is gone."""
        with self.session() as connection:
            connection.execute(self.worker.delete().where(self.worker.c.worker_id == worker))


def silence_dbos() -> None:
    """Keep DBOS from telling every step to the terminal, which belongs to the command."""
    import logging

    logging.getLogger("dbos").setLevel(logging.CRITICAL)


def _make_file(path: Path) -> None:
    """Make a file that only its owner can read, in which readers and a writer do not wait for each other."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        path.touch(mode=0o600)
    connection = sqlite3.connect(path, timeout=_BUSY_MILLISECONDS / 1000)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def _set_up_connection(quick: bool, connection: sqlite3.Connection, _record: object) -> None:
    # A transaction that reads first and writes later could otherwise find the file taken in between.
    connection.isolation_level = "IMMEDIATE"
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
    connection.execute(f"PRAGMA synchronous = {'NORMAL' if quick else 'FULL'}")
