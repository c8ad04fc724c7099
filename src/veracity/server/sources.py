"""The sources that a tenant has connected, and the one that its questions are answered from.

    a file        lies in a folder of its own, with its draft; forgetting the source deletes the folder
    PostgreSQL    the address is kept encrypted, or only the name of the environment variable that holds it
    the ledger    the shipped one

Where nothing was chosen, a tenant asks the source that the server was started with, which is called `server` here.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from veracity.agent.trace_store import new_trace_id
from veracity.contracts import clip
from veracity.durable.sqlite_file import Timestamp, moment_written
from veracity.errors import SourceError
from veracity.features import get_feature
from veracity.server.config import folder_of_tenant
from veracity.server.conversations import plain_title
from veracity.server.problems import NotThere
from veracity.server.sources_secret import ENV, SourceKey, SourceRefused, variable_address
from veracity.tools.open import DEFAULT_FEATURE
from veracity.wire import Wire

if TYPE_CHECKING:
    import sqlalchemy as sa

    from veracity.durable.database import DurableDatabase
    from veracity.server.config import ServerSettings
    from veracity.server.keys import Caller
    from veracity.settings import Settings

SourceKind = Literal["server", "file", "postgres", "ledger"]
SourceState = Literal["preparing", "ready", "failed"]
OWN = "server"
"""What the source of the server itself is called."""
MOST_SOURCES = 20
LONGEST_NAME = 120
_STALE = timedelta(seconds=30)
"""Whoever prepares a source says so more often; after so long, somebody else may do it."""
_COLUMNS = "name kind place secret state doing done error found questions who use created_at beat_at chosen".split()  # noqa: SIM905


class FoundTable(Wire):
    """A table of a source."""

    name: str
    rows: int | None = None
    columns: tuple[str, ...] = ()


class FoundTables(Wire):
    """What was found in a source."""

    tables: int = 0
    rows: int | None = None
    """None where nobody has counted them."""
    columns: int = 0
    relations: int = 0
    shown: tuple[FoundTable, ...] = ()
    """The first tables."""
    of_tables: int | None = None
    """How many the source has, where only some of them are looked at."""
    notes: tuple[str, ...] = ()
    """What is to be known of how it was read."""


class ConnectedSource(Wire):
    """A source as everybody of its tenant may see it: never its address."""

    source_id: str
    name: str
    kind: SourceKind
    state: SourceState
    in_use: bool = False
    doing: str = ""
    """What is being done to get it ready: reading, copying, drafting or proving."""
    done: int = 100
    """Percent of all that."""
    error: str = ""
    """Why it could not be connected, in one sentence."""
    error_in: dict[str, str] = {}
    """The same in each language of the pages."""
    found: FoundTables = FoundTables()
    questions: dict[str, tuple[str, ...]] = {}
    """Questions that it surely answers, per language; each was asked and answered."""
    who: str = ""
    created_at: Timestamp | None = None


@dataclass(frozen=True, slots=True)
class SourceAddress:
    """How a source is opened; only for this process."""

    source_id: str
    named: str | None
    """A file or a URL; None for what is shipped."""
    home: Settings
    """With the folder that holds its draft."""
    feature: str | None = None
    scope: Mapping[str, str] | None = None
    ontology: str | None = None

    def __repr__(self) -> str:
        """Without the address, which may hold a password."""
        return f"SourceAddress({self.source_id!r})"


class TenantSources:
    """Connects, lists, chooses and forgets the sources of all tenants."""

    def __init__(
        self,
        settings: ServerSettings,
        durable: DurableDatabase,
        home: Settings,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings, self._durable, self._home, self._clock = settings, durable, home, clock
        self._key = SourceKey(home.home / "source.key")
        self._last: dict[str, ConnectedSource] = {}

    # --- look

    def own(self, *, in_use: bool = False) -> ConnectedSource:
        """The source that the server was started with; of its address only the last part is told."""
        settings = self._settings
        if settings.source is None:
            return ConnectedSource(source_id=OWN, name="", kind="ledger", state="ready", in_use=in_use)
        name = settings.source.partition("?")[0].rstrip("/").rpartition("/")[2].rpartition("@")[2]
        return ConnectedSource(source_id=OWN, name=name, kind="server", state="ready", in_use=in_use)

    def all_of(self, tenant: str) -> list[ConnectedSource]:
        """All of a tenant, that of the server first."""
        chosen = self._chosen(tenant)
        rows = self._rows(self._sources.c.tenant == tenant)
        connected = [_shown(row, in_use=row["source_id"] == chosen) for row in rows]
        return [self.own(in_use=not any(one.in_use for one in connected)), *connected]

    def get(self, tenant: str, source_id: str) -> ConnectedSource:
        """One of a tenant; raises `NotThere`."""
        found = next((one for one in self.all_of(tenant) if one.source_id == source_id), None)
        if found is None:
            raise NotThere(f"There is no source {clip(source_id, 40)!r}.")
        return found

    def in_use(self, tenant: str) -> ConnectedSource:
        """The one that a tenant's questions are answered from; without the database, which nobody can switch then, the last known."""
        try:
            self._last[tenant] = self._found_in_use(tenant)
        except SourceError:
            if tenant not in self._last:
                raise
        return self._last[tenant]

    def _found_in_use(self, tenant: str) -> ConnectedSource:
        import sqlalchemy as sa

        source, use = self._sources, self._uses
        same = sa.and_(source.c.tenant == use.c.tenant, source.c.source_id == use.c.source_id)
        wanted = sa.select(source).join(use, same).where(use.c.tenant == tenant)
        rows = self._durable.rows(wanted, source) if self._durable.has(use) else []
        return _shown(rows[0], in_use=True) if rows else self.own(in_use=True)

    def is_untouched(self, tenant: str) -> bool:
        """Whether nobody of a tenant has chosen or connected anything, and the server has no source of its own."""
        settings = self._settings
        if settings.source or settings.ontology or settings.feature:
            return False
        return self._chosen(tenant) is None and not self._rows(self._sources.c.tenant == tenant)

    def address(self, tenant: str, source_id: str) -> SourceAddress:
        """How to open a connected source."""
        row = self._row(tenant, source_id)
        home = self._home.model_copy(update={"home": self.folder(tenant, source_id)})
        if row["kind"] == "ledger":
            feature = get_feature(DEFAULT_FEATURE)
            return SourceAddress(source_id, None, self._home, DEFAULT_FEATURE, dict(feature.default_scope))
        if row["kind"] == "file":
            return SourceAddress(source_id, str(self.folder(tenant, source_id) / row["place"]), home)
        place = row["place"]
        named = variable_address(place) if place.startswith(ENV) else self._key.opened(row["secret"])
        return SourceAddress(source_id, named, home)

    def folder(self, tenant: str, source_id: str) -> Path:
        """Where the files of a source lie: its rows and its draft."""
        return folder_of_tenant(self._home, tenant) / source_id

    # --- change

    def begin(
        self, caller: Caller, kind: SourceKind, name: str, *, place: str = "", address: str = "", use: bool = False
    ) -> ConnectedSource:
        """Keep a new source, which is then prepared; its address is kept encrypted."""
        now = self._clock()
        source_id = place.partition("/")[0] if kind == "file" else new_trace_id(now)
        row = {
            **dict.fromkeys(_COLUMNS, ""),
            "tenant": caller.tenant,
            "source_id": source_id,
            "name": clip(plain_title(name), LONGEST_NAME) or kind,
            "kind": kind,
            "place": place.partition("/")[2] if kind == "file" else place,
            "secret": self._key.closed(address) if address else "",
            "state": "preparing",
            "done": "0",
            "use": "yes" if use else "",
            "who": caller.name or caller.key_id or caller.tenant,
            "created_at": moment_written(now),
            "beat_at": moment_written(now),
        }
        self._durable.prepare(self._sources, self._uses)
        with self._durable.session() as connection:
            connection.execute(self._sources.insert().values(**row))
        return _shown(row)

    def check_room(self, tenant: str) -> None:
        """Refuse one source too many."""
        if len(self._rows(self._sources.c.tenant == tenant)) >= MOST_SOURCES:
            raise SourceRefused("too_many", most=MOST_SOURCES)

    def use(self, tenant: str, source_id: str) -> ConnectedSource:
        """Answer questions from this source from now on."""
        found = self.get(tenant, source_id)
        if found.state != "ready":
            raise SourceRefused("not_ready")
        new = self._durable.insert(self._uses).values(tenant=tenant, source_id=source_id)
        self._durable.prepare(self._uses)
        with self._durable.session() as connection:
            connection.execute(new.on_conflict_do_update(index_elements=["tenant"], set_={"source_id": source_id}))
        return found.model_copy(update={"in_use": True})

    def forget(self, tenant: str, source_id: str) -> ConnectedSource:
        """Delete a source with its rows, its draft and its address; the traces of its answers stay."""
        if source_id == OWN:
            raise SourceRefused("own")
        found = self.get(tenant, source_id)
        with self._durable.session() as connection:
            for table in (self._uses, self._sources):
                connection.execute(table.delete().where(table.c.tenant == tenant, table.c.source_id == source_id))
        shutil.rmtree(self.folder(tenant, source_id), ignore_errors=True)
        return found

    # --- for whoever prepares a source

    def told(self, tenant: str, source_id: str, **values: str) -> bool:
        """Keep how far a source is; False when it was forgotten meanwhile."""
        source = self._sources.c
        changed = self._sources.update().where(source.tenant == tenant, source.source_id == source_id)
        with self._durable.session(quick=True) as connection:
            now = moment_written(self._clock())
            return bool(connection.execute(changed.values(**values, beat_at=now)).rowcount)

    def finish(self, tenant: str, source_id: str, found: FoundTables) -> None:
        """A source is ready; it is taken into use where that was wished."""
        self.told(tenant, source_id, state="ready", found=found.model_dump_json(by_alias=False))
        with suppress(NotThere):
            if self._row(tenant, source_id)["use"]:
                self.use(tenant, source_id)

    def taken_over(self, tenant: str, source_id: str) -> bool:
        """Whether a source was left half prepared, and is now this process's to prepare."""
        source, now = self._sources.c, self._clock()
        left = self._sources.update().where(
            source.tenant == tenant,
            source.source_id == source_id,
            source.state == "preparing",
            source.beat_at < moment_written(now - _STALE),
        )
        with self._durable.session(quick=True) as connection:
            return bool(connection.execute(left.values(beat_at=moment_written(now))).rowcount)

    def file_of(self, tenant: str, source_id: str) -> tuple[str, str]:
        """The kind of a source, and the name of its file."""
        row = self._row(tenant, source_id)
        return row["kind"], row["place"]

    def chosen_tables(self, tenant: str, source_id: str) -> tuple[str, ...]:
        """The tables that somebody chose of a source that has too many; none where nobody did."""
        return tuple(json.loads(self._row(tenant, source_id)["chosen"] or "[]"))

    def choose_tables(self, tenant: str, source_id: str, tables: Sequence[str]) -> ConnectedSource:
        """Keep which tables are looked at; the source is prepared anew with them."""
        if self.get(tenant, source_id).state != "ready":
            raise SourceRefused("not_ready")
        self.told(tenant, source_id, chosen=json.dumps(tables), state="preparing", doing="", done="0")
        return self.get(tenant, source_id)

    # --- rows

    def _chosen(self, tenant: str) -> str | None:
        rows = self._durable.rows(self._uses.select().where(self._uses.c.tenant == tenant), self._uses)
        return rows[0]["source_id"] if rows else None

    def _rows(self, *conditions: sa.ColumnElement[bool]) -> list[dict[str, Any]]:
        wanted = self._sources.select().where(*conditions).order_by(self._sources.c.source_id)
        return self._durable.rows(wanted, self._sources)

    def _row(self, tenant: str, source_id: str) -> dict[str, Any]:
        source = self._sources.c
        found = self._rows(source.tenant == tenant, source.source_id == source_id)
        if not found:
            raise NotThere(f"There is no source {clip(source_id, 40)!r}.")
        return found[0]

    @cached_property
    def _sources(self) -> sa.Table:
        import sqlalchemy as sa

        keys = [sa.Column(name, sa.Text, primary_key=True) for name in ("tenant", "source_id")]
        return self._durable.table("veracity_source", *keys, *(sa.Column(name, sa.Text) for name in _COLUMNS))

    @cached_property
    def _uses(self) -> sa.Table:
        import sqlalchemy as sa

        key = sa.Column("tenant", sa.Text, primary_key=True)
        return self._durable.table("veracity_source_in_use", key, sa.Column("source_id", sa.Text, nullable=False))


def _shown(row: Mapping[str, Any], *, in_use: bool = False) -> ConnectedSource:
    errors = _errors(row["error"] or "")
    return ConnectedSource(
        source_id=row["source_id"],
        name=row["name"],
        kind=row["kind"],
        state=row["state"],
        in_use=in_use,
        doing=row["doing"] or "",
        done=int(row["done"] or 0),
        error=errors.get("en", ""),
        error_in=errors,
        found=FoundTables.model_validate_json(row["found"]) if row["found"] else FoundTables(),
        questions=json.loads(row["questions"]) if row["questions"] else {},
        who=row["who"],
        created_at=row["created_at"],
    )


def _errors(kept: str) -> dict[str, str]:
    """An error per language; an earlier version kept the English sentence alone."""
    return json.loads(kept) if kept.startswith("{") else {"en": kept} if kept else {}
