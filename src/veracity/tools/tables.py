"""The three table tools: validate -> compile -> execute -> `ToolResult`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from veracity.errors import QueryFailed, UsageError
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.query.catalog import build_catalog
from veracity.query.compile import Compiled, check_scope_values, compile_call, compile_distinct
from veracity.query.model import Call, read_call
from veracity.query.profile import ValueProfile, most_values
from veracity.query.validator import first_problem, profiled_fields
from veracity.settings import Settings
from veracity.sources.source import Row, Scope, Source, fetch
from veracity.trace import QueryValidationError, ResultColumn, TableData, ToolResult

_PROFILE_SECONDS = 2.0


class TableTools:
    """`browseTable`, `queryTable` and `aggregateTable` over one source, seen through one ontology and one scope."""

    def __init__(
        self,
        source: Source,
        *,
        ontology: OntologyDescriptor | None = None,
        scope: Scope | None = None,
        tables: Iterable[str] | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.source = source
        self.catalog = build_catalog(source, ontology=ontology, scope=scope, tables=tables)
        check_scope_values(source, self.catalog.scope)
        self.profile = ValueProfile()
        self._row_limit = (settings or Settings()).row_limit
        self._results = 0

    async def call(self, tool: str, arguments: Any) -> ToolResult:
        """Run one tool call. An invalid call never reaches the source; no call ever raises for what a model wrote."""
        checked = await self._check(tool, arguments)
        if isinstance(checked, QueryValidationError):
            return ToolResult.refused(checked)
        compiled = compile_call(checked, self.catalog, self.source, row_limit=self._row_limit)
        try:
            rows = await fetch(self.source, compiled.statement)
        except QueryFailed as failure:
            return ToolResult.failed(str(failure))
        return ToolResult(success=True, data=self._data(checked, compiled, rows))

    async def dry_run(self, tool: str, arguments: Any) -> ToolResult:
        """Validate only: what `call` would refuse is refused; nothing else runs."""
        checked = await self._check(tool, arguments)
        return ToolResult.refused(checked) if isinstance(checked, QueryValidationError) else ToolResult(success=True)

    def call_sync(self, tool: str, arguments: Any) -> ToolResult:
        """`call`, for code that is not async."""
        if _in_event_loop():
            raise UsageError("call_sync cannot run inside an event loop; write `await tools.call(...)` there.")
        return asyncio.run(self.call(tool, arguments))

    def close(self) -> None:
        """Release the source."""
        self.source.close()

    async def _check(self, tool: str, arguments: Any) -> Call | QueryValidationError:
        call = read_call(tool, arguments)
        await self._load_profile(call)
        return first_problem(call, self.catalog, self.profile) or call

    async def _load_profile(self, call: Call) -> None:
        """Look up the stored values the checks will need, once per field and within a time limit."""
        for name, declared in profiled_fields(call, self.catalog):
            key = (call.table, name)
            if self.profile.is_fresh(key):
                continue
            entity = self.catalog.entities[call.table]
            statement = compile_distinct(entity, name, self.catalog, self.source, most=most_values(declared=declared))
            try:
                rows = await asyncio.wait_for(fetch(self.source, statement), _PROFILE_SECONDS)
            except (QueryFailed, TimeoutError):
                rows = []
            self.profile.keep(key, (row[0] for row in rows), declared=declared)

    def _data(self, call: Call, compiled: Compiled, rows: list[Row]) -> TableData:
        shown, truncated = compiled.finish(rows)
        self._results += 1
        names = [column.name for column in compiled.columns]
        return TableData(
            result_id=f"r{self._results}",
            table_name=call.table,
            columns=tuple(ResultColumn(name=column.name, type=column.type) for column in compiled.columns),
            rows=tuple(dict(zip(names, row, strict=True)) for row in shown),
            row_count=len(shown),
            truncated=truncated,
        )


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
