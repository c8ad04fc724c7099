"""Connecting a source: a file that is sent, a PostgreSQL server that is named, or the shipped ledger; for the API and the pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from veracity.agent.trace_store import new_trace_id
from veracity.contracts import clip
from veracity.errors import SourceError, UsageError
from veracity.ontology.draft.drafting import MOST_TABLES
from veracity.server.sources import OWN, TenantSources
from veracity.server.sources_prepare import SourcePreparation
from veracity.server.sources_secret import ENV, SourceRefused, check_address, variable_address
from veracity.server.sources_upload import kept_name, received_file
from veracity.sources.open import open_source

if TYPE_CHECKING:
    from starlette.requests import Request

    from veracity.server.config import ServerSettings
    from veracity.server.keys import Caller
    from veracity.server.sources import ConnectedSource
    from veracity.settings import Settings

_REACH_SECONDS = 20.0
"""So long a PostgreSQL server has to let us in and to tell its tables."""


class SourceConnections:
    """Connects sources for any tenant; each is prepared in the background."""

    def __init__(self, settings: ServerSettings, sources: TenantSources, home: Settings) -> None:
        self._settings, self._sources, self._home = settings, sources, home
        self._preparation = SourcePreparation(sources, home)

    async def file(
        self,
        request: Request,
        caller: Caller,
        *,
        use: bool,
        allow: Callable[[Mapping[str, str]], None] = lambda _fields: None,
    ) -> ConnectedSource:
        """Take the file of a form; `allow` looks at the fields before it, and may refuse."""
        sources = self._sources
        await asyncio.to_thread(sources.check_room, caller.tenant)
        called = ""

        def place(fields: Mapping[str, str], name: str) -> Path:
            nonlocal called
            allow(fields)
            called = name
            folder = sources.folder(caller.tenant, new_trace_id())
            kept = folder / kept_name(name)
            folder.mkdir(parents=True, mode=0o700)
            return kept

        file, _ = await received_file(request, place)
        begin = sources.begin
        made = await asyncio.to_thread(begin, caller, "file", called, place=f"{file.parent.name}/{file.name}", use=use)
        self._preparation.start(caller.tenant, made.source_id)
        return made

    async def postgres(self, caller: Caller, address: str, name: str, *, use: bool) -> ConnectedSource:
        """Take a PostgreSQL server; one that cannot be reached is told at once, and not kept."""
        said = check_address(address, caller, self._settings.connect_hosts)
        await asyncio.to_thread(self._sources.check_room, caller.tenant)
        known = await self._reached(said)
        by_reference = said.startswith(ENV)
        made = await asyncio.to_thread(
            self._sources.begin,
            caller,
            "postgres",
            name.strip() or known,
            place=said if by_reference else "",
            address="" if by_reference else said,
            use=use,
        )
        self._preparation.start(caller.tenant, made.source_id)
        return made

    async def ledger(self, caller: Caller, *, use: bool) -> ConnectedSource:
        """Take the shipped ledger; where the server was started without a source, it is the server's own."""
        known = await asyncio.to_thread(self._sources.all_of, caller.tenant)
        ledger = next((one for one in known if one.kind == "ledger" and one.state == "ready"), None)
        if ledger is not None:
            return await asyncio.to_thread(self._sources.use, caller.tenant, ledger.source_id) if use else ledger
        await asyncio.to_thread(self._sources.check_room, caller.tenant)
        made = await asyncio.to_thread(self._sources.begin, caller, "ledger", "ledger", use=use)
        self._preparation.start(caller.tenant, made.source_id)
        return made

    def tables_of(self, tenant: str, source_id: str) -> tuple[str, ...]:
        """All tables that a source has, in the order of their names."""
        address = self._sources.address(tenant, source_id)
        if address.named is None:
            raise SourceRefused("described")
        source = open_source(address.named, settings=address.home)
        try:
            return tuple(sorted(source.tables, key=str.casefold))
        finally:
            source.close()

    def choose_tables(self, tenant: str, source_id: str, tables: Collection[str]) -> ConnectedSource:
        """Look at these tables of a source that has too many; its draft and its questions are made anew."""
        known = self.tables_of(tenant, source_id)
        if missing := next((one for one in tables if one not in known), None):
            raise SourceRefused("no_such_table", table=clip(missing, 60))
        if not 1 <= len(set(tables)) <= MOST_TABLES:
            raise SourceRefused("tables_count", most=MOST_TABLES, count=len(set(tables)))
        made = self._sources.choose_tables(tenant, source_id, [one for one in known if one in set(tables)])
        self._preparation.start(tenant, source_id)
        return made

    def look_after(self, tenant: str, source_id: str) -> None:
        """Go on with a source that a process left half prepared."""
        if source_id != OWN and self._sources.taken_over(tenant, source_id):
            self._preparation.start(tenant, source_id)

    def prove_again(self, tenant: str, source_id: str) -> None:
        """Make the questions of a source anew, because its draft was answered."""
        self._preparation.prove_again(tenant, source_id)

    async def _reached(self, said: str) -> str:
        """What a server is called without user and password, once it has told its tables."""

        def reach() -> str:
            named = variable_address(said) if said.startswith(ENV) else said
            source = open_source(named, settings=self._home)
            try:
                return source.name
            finally:
                source.close()

        try:
            return await asyncio.wait_for(asyncio.to_thread(reach), _REACH_SECONDS)
        except TimeoutError:
            raise SourceRefused("silent", seconds=f"{_REACH_SECONDS:g}") from None
        except SourceError as error:
            raise UsageError(str(error)) from error
