"""What the guard stepped in for, of one tenant, in the database that all processes of a server share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from veracity.durable.database import Durable
from veracity.grounding.events import GuardEvent

if TYPE_CHECKING:
    import sqlalchemy as sa

_BATCH = 500


class TenantEvents:
    """The interceptions of a tenant; it sees nothing of the others."""

    def __init__(self, durable: Durable, tenant: str) -> None:
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
            table.tenant == self._tenant, table.event_id >= _first(since)
        )
        rows = self._durable.rows(wanted.group_by(table.rule).order_by(table.rule), self._table)
        return {row["rule"]: row["count"] for row in rows}

    def _batch(self, before: str, count: int, since: datetime | None, rule: str | None) -> list[GuardEvent]:
        table = self._table.c
        wanted = self._table.select().where(
            table.tenant == self._tenant, table.event_id < before, table.event_id >= _first(since)
        )
        if rule is not None:
            wanted = wanted.where(table.rule == rule)
        rows = self._durable.rows(wanted.order_by(table.event_id.desc()).limit(count), self._table)
        return [GuardEvent.model_validate_json(row["body"]) for row in rows]

    @cached_property
    def _table(self) -> sa.Table:
        return _events(self._durable)


def forget_events(durable: Durable, before: datetime, most: int) -> int:
    """Forget what the guard stepped in for before this moment, so many at a time; returns how many."""
    table = _events(durable)
    return durable.delete(table, table.c.event_id < _first(before), most)


def _events(durable: Durable) -> sa.Table:
    import sqlalchemy as sa

    keys = [sa.Column(name, sa.Text, primary_key=True) for name in ("tenant", "event_id")]
    others = [sa.Column(name, sa.Text, nullable=False) for name in ("rule", "outcome", "body")]
    return durable.table("veracity_guard_event", *keys, *others)


def _first(since: datetime | None) -> str:
    """Identifiers begin with the moment: the key serves both the order and the date."""
    return f"{since.astimezone(UTC):%Y%m%d-%H%M%S}" if since else ""
