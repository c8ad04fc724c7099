"""What reviews, validations and jobs have in common: work that is submitted in one process and done in another.

    submit     a row and its workflow are written in one transaction: both or neither
    wait       the workflow waits for a message, or until a deadline passes
    notify     a change and the message that wakes the workflow up are written in one transaction
    work       a worker (`worker.py`) runs the workflows; another one takes over when it dies

Requests use a desk for one tenant, whose rows it shows and changes. A worker uses it for all tenants.
"""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from veracity.contracts import clip
from veracity.durable.database import LOCAL, DurableDatabase
from veracity.durable.sqlite_file import SHORTEST_PREFIX, moment_written
from veracity.errors import UsageError

if TYPE_CHECKING:
    import sqlalchemy as sa

    from veracity.settings import Settings

Happening = Literal["job", "review", "question", "validation", "trace"]
Tell = Callable[[str, Happening, Mapping[str, Any]], None]
"""Told, with the tenant and the kind of thing, when something has happened."""
_ID = re.compile(r"[\w-]+", re.ASCII)


class Desk(ABC):
    """One kind of durable work in one database: its tables, its queue and its workflow."""

    noun: ClassVar[str]
    """What one piece of the work is called."""
    holds: ClassVar[str]
    """What its database is said to hold."""
    queue: ClassVar[str]
    """The name of its queue in DBOS."""
    workflow: ClassVar[str]
    """The name of its workflow in DBOS."""
    topic: ClassVar[str] = ""
    """The name of the messages that wake its workflow up."""
    at_once: ClassVar[int | None] = None
    """How much of it one worker does at the same time; None where almost all of it is waiting."""
    listed_by: ClassVar[str] = ""
    """The command that lists it, for whoever named a piece that is not there."""

    def __init__(
        self,
        durable: DurableDatabase,
        tenant: str = LOCAL,
        *,
        tell: Tell | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.durable, self.tenant = durable, tenant
        self._tell, self._clock = tell, clock

    @classmethod
    def database(cls, place: str | None, settings: Settings | None = None) -> DurableDatabase:
        """The database of `postgresql://...`, of a file, or, without either, the store of this user."""
        return DurableDatabase.of(place, holds=cls.holds, settings=settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the database."""
        self.durable.close()

    # --- what each kind of work says for itself

    @property
    @abstractmethod
    def table(self) -> sa.Table:
        """The table with a row for each piece of work, keyed by its id, with a column for the tenant."""

    @property
    def tables(self) -> Sequence[sa.Table]:
        """All of its tables."""
        return (self.table,)

    @abstractmethod
    def can_go_on(self) -> sa.ColumnElement[bool]:
        """Which rows a worker has something to do for now."""

    @abstractmethod
    async def run(self, name: str) -> Any:
        """The workflow of one piece of work, by its id: `step` after `step`, with waiting in between."""

    # --- for a worker

    def prepare(self) -> None:
        """Make the tables where there are none."""
        self.durable.prepare_workflows(*self.tables)

    def register(self) -> None:
        """Make the workflow known to DBOS."""
        from dbos import DBOS

        async def workflow(name: str) -> Any:
            return await self.run(name)

        DBOS.workflow(name=self.workflow)(workflow)

    @property
    def is_idle(self) -> bool:
        """Whether all that can be done now is done."""
        import sqlalchemy as sa

        count = sa.select(sa.func.count().label("left")).where(self.can_go_on())
        found = self.durable.rows(count, self.table)
        return not found or found[0]["left"] == 0

    async def wait(self, seconds: float) -> None:
        """Wait in a workflow until `notify` is called for it, at most so long; it survives every restart."""
        from dbos import DBOS

        await DBOS.recv_async(self.topic, timeout_seconds=seconds)

    # --- rows

    def row(self, name: str) -> dict[str, Any]:
        """The row of an id, of whichever tenant: for the worker."""
        (found,) = self.durable.rows(self.table.select().where(_key_column(self.table) == name), self.table)
        return found

    def newest(self, count: int, *conditions: sa.ColumnElement[bool]) -> list[dict[str, Any]]:
        """The newest rows of the tenant, the newest first: ids begin with the time."""
        wanted = self.table.select().where(self.table.c.tenant == self.tenant, *conditions)
        return self.durable.rows(wanted.order_by(_key_column(self.table).desc()).limit(count), self.table)

    def find(self, given: str, table: sa.Table | None = None, noun: str | None = None) -> dict[str, Any]:
        """The row of the tenant whose id is this, or the only one whose id begins like this."""
        table, noun, start = self.table if table is None else table, noun or self.noun, given.strip()
        see = f"; see: {self.listed_by}" if self.listed_by else "."
        if not is_id(start) or len(start) < SHORTEST_PREFIX:
            needed = f"at least {SHORTEST_PREFIX} characters of its id"
            raise UsageError(f"A {noun} is named by {needed}, not {clip(start, 40)!r}{see}")
        key = _key_column(table)
        wanted = table.select().where(table.c.tenant == self.tenant, key >= start, key < start + "\x7f")
        found = self.durable.rows(wanted.order_by(key).limit(3), table)
        if not found:
            raise UsageError(f"There is no {noun} {clip(start, 40)!r}{see}")
        if len(found) > 1 and found[0][key.name] != start:
            such_as = f"{found[0][key.name]} and {found[1][key.name]}"
            raise UsageError(f"Several {noun}s start with {clip(start, 40)}, such as {such_as}; write more of the id.")
        return found[0]

    def add(self, connection: sa.Connection, row: Mapping[str, Any]) -> bool:
        """Write a row and start its workflow; False where there is such a row already."""
        key = _key_column(self.table)
        new = self.durable.insert(self.table).values(**row).on_conflict_do_nothing()
        is_new = connection.execute(new.returning(key)).first() is not None
        if is_new:
            self.durable.start_workflow(connection, self.workflow, self.queue, row[key.name])
        return is_new

    def change(
        self, name: str, values: Mapping[str, Any], *conditions: sa.ColumnElement[bool], notify: str | None = None
    ) -> bool:
        """Write into the row of an id where the conditions hold, and send its workflow a message; whether they held."""
        with self.durable.session() as connection:
            own = self.table.update().where(_key_column(self.table) == name, *conditions)
            changed = connection.execute(own.values(**values)).rowcount == 1
            if changed and notify is not None:
                self.notify(connection, name, notify)
        return changed

    def notify(self, connection: sa.Connection, name: str, message: str) -> None:
        """Wake the workflow of an id up, in the transaction that writes what the message is about."""
        self.durable.wake_workflow(connection, name, message, self.topic)

    # --- time and news

    def now(self) -> str:
        """This moment, as it is written into rows."""
        return moment_written(self._clock())

    def tell(self, tenant: str, kind: Happening, body: Mapping[str, Any]) -> None:
        """Let whoever follows the events of a tenant know."""
        if self._tell is not None:
            self._tell(tenant, kind, body)


def is_id(text: str) -> bool:
    """Whether a text can be an id, or the beginning of one."""
    return _ID.fullmatch(text) is not None


def _key_column(table: sa.Table) -> sa.Column[Any]:
    return next(iter(table.primary_key.columns))


async def step(work: Callable[..., Any], *arguments: Any) -> Any:
    """One step of a workflow, of data that JSON can hold. The one in flight at a crash runs twice: each is safe to repeat.

    A database that is away for a while must not end a workflow: a step is tried again for about a day. Steps are known
    by the names of their functions: a workflow that was started before one is renamed could not go on.
    """
    from dbos import DBOS, StepOptions

    async def run() -> Any:
        # The database is asked in a thread: hundreds of workflows wait on this event loop.
        return await asyncio.to_thread(work, *arguments)

    options = StepOptions(name=work.__name__, retries_allowed=True, interval_seconds=0.5, max_attempts=40)
    return await DBOS.run_step_async(options, run)
