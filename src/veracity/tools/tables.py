"""The three table tools: validate -> compile -> execute -> `ToolResult`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from veracity.answer.results import Result, result_of
from veracity.contracts import QueryValidationError, ResultColumn, TableData, ToolKind, ToolResult
from veracity.errors import QueryFailed, UsageError
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.fields import FieldRole
from veracity.ontology.questions import ToolCall
from veracity.ontology.schema import Schema, tool_schemas
from veracity.query.catalog import Catalog, build_catalog, entity_shapes
from veracity.query.compile import check_scope_values, compile_call, compile_distinct
from veracity.query.model import TOOLS, VOCABULARY, Call, read_call
from veracity.query.validator import first_problem, profiled_fields
from veracity.query.values import Key, ValueProfile, most_values
from veracity.settings import Settings
from veracity.sources.source import Column, ColumnType, Row, Scope, Source, fetch

if TYPE_CHECKING:
    from veracity.tools.drafted import CurrentDraft

_PROFILE_SECONDS = 2.0


class TableTools:
    """`browseTable`, `queryTable` and `aggregateTable` over one source, seen through one ontology and one scope."""

    kind: ToolKind = "table"
    names = TOOLS
    opening: tuple[ToolCall, ...] = ()

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
        self.row_limit = (settings or Settings()).row_limit
        self.drafted: Callable[[], CurrentDraft | None] | None = None
        """What the tables say of themselves, where nobody has described them; found out when a question is asked."""
        self._results = 0

    @property
    def may_be_drafted(self) -> bool:
        """Whether nobody has described the tables, so that their draft is used."""
        return self.catalog.ontology is None and self.drafted is not None

    @cached_property
    def for_questions(self) -> TableTools:
        """The same rows as questions see them: through the draft of their ontology where there is none."""
        found = self.drafted() if self.drafted and self.may_be_drafted else None
        if found is None:
            return self
        seen = self.seen_through(found.draft.descriptor())
        seen.catalog = replace(seen.catalog, notes=found.changes)
        return seen

    def seen_through(self, ontology: OntologyDescriptor) -> TableTools:
        """The same rows of the same source through another ontology; what is known of stored values is kept."""
        other = TableTools(self.source, ontology=ontology, scope=self.catalog.scope)
        other.catalog = replace(other.catalog, notes=self.catalog.notes)
        other.profile, other.row_limit, other._results = self.profile, self.row_limit, self._results
        return other

    async def call(self, tool: str, arguments: Any) -> ToolResult:
        """Run one tool call. An invalid call never reaches the source; no call ever raises for what a model wrote."""
        call = await self._check(tool, arguments)
        if isinstance(call, QueryValidationError):
            return ToolResult.refused(call)
        compiled = compile_call(call, self.catalog, self.source, row_limit=self.row_limit)
        try:
            rows = await fetch(self.source, compiled.statement)
        except QueryFailed as failure:
            return ToolResult.failed(str(failure))
        shown, truncated = compiled.finish(rows)
        return ToolResult(success=True, data=self.numbered(call.table, compiled.columns, shown, truncated=truncated))

    def schemas(self) -> list[Schema]:
        """The tools as a model is offered them."""
        # The prompt says which fields a table has; tokens are paid for at every turn.
        return tool_schemas(entity_shapes(self.catalog), VOCABULARY, in_words=False)

    def spoken(self, call: ToolCall) -> ToolCall:
        """These tools take structured calls as they are."""
        return call

    def result(self, data: TableData, tool: str, arguments: Any) -> Result:
        """The rows of a successful call, with what each column may be used for."""
        return result_of(data, read_call(tool, arguments), self.catalog)

    async def dry_run(self, tool: str, arguments: Any) -> ToolResult:
        """Validate only: what `call` would refuse is refused; nothing else runs."""
        checked = await self._check(tool, arguments)
        return ToolResult.refused(checked) if isinstance(checked, QueryValidationError) else ToolResult(success=True)

    def call_sync(self, tool: str, arguments: Any) -> ToolResult:
        """`call`, for code that is not async."""
        if in_event_loop():
            raise UsageError("call_sync cannot run inside an event loop; write `await tools.call(...)` there.")
        return asyncio.run(self.call(tool, arguments))

    def close(self) -> None:
        """Release the source."""
        self.source.close()

    async def _check(self, tool: str, arguments: Any) -> Call | QueryValidationError:
        """The call, once the stored values that its checks ask for are looked up; or what is wrong with it."""
        call = read_call(tool, arguments)
        for name, declared in profiled_fields(call, self.catalog):
            await self.load_values(call.table, name, declared=declared)
        return first_problem(call, self.catalog, self.profile) or call

    async def stored_values(self) -> dict[Key, frozenset[str]]:
        """What people may name in a question: the stored texts of every field that holds few enough of them."""
        for entity, name in dict.fromkeys(self._homes.values()):
            if not self.profile.is_fresh((entity, name)):
                facts = self.catalog.entities[entity].fields[name]
                named = facts.role in (FieldRole.CODE, FieldRole.NAME) or name in self.catalog.entities[entity].display
                await self.load_values(entity, name, declared=bool(facts.categorical) or named)
        found = {key: self.profile.of(*home) for key, home in self._homes.items()}
        return {key: values for key, values in found.items() if values}

    @cached_property
    def _homes(self) -> Mapping[Key, Key]:
        """Every field whose values people may name, and where they are looked up."""
        return {
            (entity.name, name): _home((entity.name, name), self.catalog)
            for entity in self.catalog.entities.values()
            for name, facts in entity.fields.items()
            if facts.column.type is ColumnType.TEXT and facts.categorical is not False
        }

    async def load_values(self, table: str, name: str, *, declared: bool, catalog: Catalog | None = None) -> None:
        """Look up the values of one field, unless they are known and fresh; within a time limit."""
        key = (table, name)
        if self.profile.is_fresh(key):
            return
        entity = (catalog or self.catalog).entities[table]
        statement = compile_distinct(entity, name, self.catalog, self.source, most=most_values(declared=declared))
        try:
            rows = await asyncio.wait_for(fetch(self.source, statement), _PROFILE_SECONDS)
        except (QueryFailed, TimeoutError):
            # Too busy, or away: were its values forgotten, words of questions would go unknown until the next look.
            self.profile.hold(key)
            return
        self.profile.keep(key, (row[0] for row in rows), declared=declared)

    def numbered(self, name: str, columns: Sequence[Column], rows: Sequence[Row], *, truncated: bool) -> TableData:
        """Rows as a result, under the next free id."""
        self._results += 1
        names = [column.name for column in columns]
        return TableData(
            result_id=f"r{self._results}",
            table_name=name,
            columns=tuple(ResultColumn(name=column.name, type=column.type) for column in columns),
            rows=tuple(dict(zip(names, row, strict=True)) for row in rows),
            row_count=len(rows),
            truncated=truncated,
        )


def _home(key: Key, catalog: Catalog) -> Key:
    """Where a field's values are looked up: in the table it is taken from, so that a view costs nothing more."""
    entity = catalog.entities[key[0]]
    origin = entity.view.origins.get(key[1]) if entity.view else None
    if origin is None:
        return key
    tables = (e for e in catalog.entities.values() if e.table and e.table.name == origin.table)
    return next(((e.name, origin.column.name) for e in tables if origin.column.name in e.fields), key)


def in_event_loop() -> bool:
    """Whether this code runs inside an event loop, where nothing may block."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
