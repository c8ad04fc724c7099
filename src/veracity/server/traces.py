"""The traces and guard events of one tenant, in the database that all processes of a server share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from veracity.agent.trace_store import TraceRecord, TraceSummary, trace_from_row, trace_row
from veracity.contracts import clip
from veracity.durable.database import DurableDatabase
from veracity.durable.sqlite_file import SHORTEST_PREFIX, moment_written
from veracity.errors import UsageError
from veracity.grounding.events import GuardEvent

if TYPE_CHECKING:
    import sqlalchemy as sa


_SUMMARY = tuple(TraceSummary.model_fields)


class TenantTraces:
    """What a tenant asked, and how it was answered; it sees nothing of the others."""

    def __init__(
        self,
        durable: DurableDatabase,
        tenant: str,
        *,
        keep_rows: bool = False,
        tell: Callable[[TraceRecord], None] | None = None,
    ) -> None:
        self._durable, self._tenant, self._tell = durable, tenant, tell
        self.keep_rows = keep_rows
        """Whether the rows of results inside `body` are written, too; otherwise only their number is."""

    def save(self, record: TraceRecord) -> None:
        """Write a trace, or write it again; once this returns, the trace outlives the process."""
        row = {**trace_row(record, keep_rows=self.keep_rows), "tenant": self._tenant}
        self._durable.prepare(self._table)
        new = self._durable.insert(self._table).values(**row)
        changed = {name: new.excluded[name] for name in row if name not in ("tenant", "trace_id")}
        with self._durable.session(quick=True) as connection:
            connection.execute(new.on_conflict_do_update(index_elements=["tenant", "trace_id"], set_=changed))
        if self._tell is not None and record.finished:
            self._tell(record)

    def get(self, trace_id: str) -> TraceRecord:
        """The trace of an identifier, or of the only one that starts like this."""
        start, table = trace_id.strip(), self._table.c
        if not re.fullmatch(r"[\w-]+", start, re.ASCII) or len(start) < SHORTEST_PREFIX:
            raise UsageError(
                f"A trace is named by at least {SHORTEST_PREFIX} characters of its identifier, not {clip(start, 40)!r}."
            )
        wanted = self._own().where(table.trace_id >= start, table.trace_id < start + "\x7f")
        found = self._durable.rows(wanted.order_by(table.trace_id).limit(3), self._table)
        if not found:
            raise UsageError(f"There is no trace {clip(start, 40)!r}.")
        if len(found) > 1 and found[0]["trace_id"] != start:
            raise UsageError(f"Several traces start with {clip(start, 40)}; write more of the identifier.")
        return trace_from_row(TraceRecord, _without_tenant(found[0]))

    def latest(self, count: int = 20, *, before: str | None = None) -> list[TraceSummary]:
        """The newest traces, the newest first; with `before`, those that are older than this one."""
        import sqlalchemy as sa

        table = self._table.c
        newest_first = (table.started_at.desc(), table.trace_id.desc())
        wanted = sa.select(*(table[name] for name in _SUMMARY)).where(table.tenant == self._tenant)
        if before is not None:
            # Identifiers of one second do not sort as the traces do: the moment counts first.
            own = sa.select(table.started_at).where(table.tenant == self._tenant, table.trace_id == before)
            since = own.scalar_subquery()
            wanted = wanted.where(
                sa.or_(table.started_at < since, sa.and_(table.started_at == since, table.trace_id < before))
            )
        rows = self._durable.rows(wanted.order_by(*newest_first).limit(max(0, count)), self._table)
        return [trace_from_row(TraceSummary, row) for row in rows]

    def several(self, trace_ids: Sequence[str]) -> list[TraceRecord]:
        """The traces of these identifiers, in their order; those that are forgotten are left out."""
        rows = self._durable.rows(self._own().where(self._table.c.trace_id.in_(trace_ids)), self._table)
        found = {row["trace_id"]: trace_from_row(TraceRecord, _without_tenant(row)) for row in rows}
        return [found[name] for name in trace_ids if name in found]

    def _own(self) -> sa.Select[Any]:
        return self._table.select().where(self._table.c.tenant == self._tenant)

    @cached_property
    def _table(self) -> sa.Table:
        return _trace_table(self._durable)


def forget_traces(durable: DurableDatabase, before: datetime, most: int) -> int:
    """Forget what the tenants asked before this moment, so many at a time; returns how many."""
    table = _trace_table(durable)
    return durable.delete(table, table.c.started_at < moment_written(before), most)


def _trace_table(durable: DurableDatabase) -> sa.Table:
    import sqlalchemy as sa

    keys = [sa.Column(name, sa.Text, primary_key=True) for name in ("tenant", "trace_id")]
    others = [
        sa.Column(name, sa.Boolean if name == "finished" else sa.Text)
        for name in TraceRecord.model_fields
        if name != "trace_id"
    ]
    newest = sa.Index("veracity_trace_started", "tenant", "started_at")
    return durable.table("veracity_trace", *keys, *others, newest)


def _without_tenant(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "tenant"}


# --- what the guard stepped in for, of one tenant, in the database that all processes of a server share


_BATCH = 500


class TenantEvents:
    """The interceptions of a tenant; it sees nothing of the others."""

    def __init__(self, durable: DurableDatabase, tenant: str) -> None:
        self._durable, self._tenant = durable, tenant

    def save(self, events: Iterable[GuardEvent]) -> int:
        """Write events; returns how many. Once this returns, they outlive the process."""
        rows = [
            {
                "tenant": self._tenant,
                "event_id": event.event_id,
                "rule": event.rule,
                "outcome": event.outcome,
                "body": event.model_dump_json(),
            }
            for event in events
        ]
        if rows:
            self._durable.prepare(self._table)
            with self._durable.session(quick=True) as connection:
                connection.execute(self._table.insert(), rows)
        return len(rows)

    def latest(
        self, count: int | None = 20, *, since: datetime | None = None, rule: str | None = None
    ) -> Iterator[GuardEvent]:
        """The newest events, the newest first; without a count, all of them."""
        left, before = count, "\x7f"
        while left is None or left > 0:
            size = min(left or _BATCH, _BATCH)
            batch = self._batch(before, size, since, rule)
            yield from batch
            if len(batch) < size:
                return
            left = None if left is None else left - len(batch)
            before = batch[-1].event_id

    def counts(self, *, since: datetime | None = None) -> dict[str, int]:
        """How often each rule stepped in."""
        import sqlalchemy as sa

        table = self._table.c
        wanted = sa.select(table.rule, sa.func.count().label("count")).where(
            table.tenant == self._tenant, table.event_id >= _first_event_id(since)
        )
        rows = self._durable.rows(wanted.group_by(table.rule).order_by(table.rule), self._table)
        return {row["rule"]: row["count"] for row in rows}

    def _batch(self, before: str, count: int, since: datetime | None, rule: str | None) -> list[GuardEvent]:
        table = self._table.c
        wanted = self._table.select().where(
            table.tenant == self._tenant, table.event_id < before, table.event_id >= _first_event_id(since)
        )
        if rule is not None:
            wanted = wanted.where(table.rule == rule)
        rows = self._durable.rows(wanted.order_by(table.event_id.desc()).limit(count), self._table)
        return [GuardEvent.model_validate_json(row["body"]) for row in rows]

    @cached_property
    def _table(self) -> sa.Table:
        return _event_table(self._durable)


def forget_events(durable: DurableDatabase, before: datetime, most: int) -> int:
    """Forget what the guard stepped in for before this moment, so many at a time; returns how many."""
    table = _event_table(durable)
    return durable.delete(table, table.c.event_id < _first_event_id(before), most)


def _event_table(durable: DurableDatabase) -> sa.Table:
    import sqlalchemy as sa

    keys = [sa.Column(name, sa.Text, primary_key=True) for name in ("tenant", "event_id")]
    others = [sa.Column(name, sa.Text, nullable=False) for name in ("rule", "outcome", "body")]
    return durable.table("veracity_guard_event", *keys, *others)


def _first_event_id(since: datetime | None) -> str:
    """The id from which on events are of this moment or later: ids begin with the time."""
    return f"{since.astimezone(UTC):%Y%m%d-%H%M%S}" if since else ""
