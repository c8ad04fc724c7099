"""What the processes of a server share: one SQLite file, or a PostgreSQL. Nothing that matters lives in a process."""

from __future__ import annotations

from functools import cached_property
from types import TracebackType
from typing import Self

from veracity.durable.database import Durable
from veracity.server.cache import SharedCache
from veracity.server.guard_events import TenantEvents
from veracity.server.keys import KeyStore
from veracity.server.live import LiveEvents
from veracity.server.traces import TenantTraces
from veracity.settings import Settings
from veracity.store import TraceRecord

FILE = "serve.sqlite"
_HOLDS = "server's data"


class ServerDatabase:
    """Keys, traces, guard events, live events, cached values, and the durable work of all tenants."""

    def __init__(self, durable: Durable, *, keep_rows: bool = False) -> None:
        self.durable = durable
        self._keep_rows = keep_rows

    @classmethod
    def open(cls, database: str | None = None, settings: Settings | None = None) -> ServerDatabase:
        """The database of `postgresql://...`, of a file, or `serve.sqlite` in the data folder of this user."""
        settings = settings or Settings.from_env()
        durable = Durable.of(database, file=FILE, holds=_HOLDS, settings=settings)
        return cls(durable, keep_rows=settings.trace_rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the database; using it again opens it again."""
        self.durable.close()

    def check(self) -> None:
        """Raise `SourceError` unless the database can be used right now."""
        self.durable.prepare(self.durable.worker)
        self.durable.beats()

    @cached_property
    def keys(self) -> KeyStore:
        """Who may ask."""
        return KeyStore(self.durable)

    @cached_property
    def live(self) -> LiveEvents:
        """What happens right now."""
        return LiveEvents(self.durable)

    def traces(self, tenant: str) -> TenantTraces:
        """What a tenant asked."""

        def tell(record: TraceRecord) -> None:
            self.live.publish(tenant, "trace", {"traceId": record.trace_id, "outcome": record.outcome})

        return TenantTraces(self.durable, tenant, keep_rows=self._keep_rows, tell=tell)

    def events(self, tenant: str) -> TenantEvents:
        """What the guard stepped in for."""
        return TenantEvents(self.durable, tenant)

    def cache(self) -> SharedCache:
        """Values that were costly to get."""
        return SharedCache(self.durable)
