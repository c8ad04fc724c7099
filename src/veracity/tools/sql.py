"""The SQL tools: check -> regenerate -> execute -> `ToolResult`. Two names, one behaviour."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from veracity.answer.results import Result, result_of_sql
from veracity.contracts import QueryValidationError, TableData, ToolKind, ToolResult, ValidationErrorCode, clip
from veracity.errors import QueryFailed, UsageError
from veracity.language.nearest import nearest
from veracity.ontology.questions import ToolCall
from veracity.ontology.schema import ERROR_SENTENCE, Schema
from veracity.query.as_sql import as_sql
from veracity.query.catalog import Catalog, with_base_tables
from veracity.query.model import read_call
from veracity.query.sqlcheck import CheckedSql, SqlReading
from veracity.query.values import Key
from veracity.sources.source import Dialect, Row, Statement, fetch
from veracity.tools.tables import TableTools, in_event_loop

SQL_TOOLS = ("query", "execute_sql_safe")
"""The two names by which a model may know the tool."""
_ARGUMENTS = ("sql", "limit")
_SYNONYMS = ("query", "statement", "q", "text")
_KEPT = 200
_LANGUAGES: Mapping[Dialect, str] = {"duckdb": "DuckDB", "sqlite": "SQLite", "postgres": "PostgreSQL"}
_DESCRIPTION = (
    "Run one SELECT, in {dialect} SQL, on the tables {tables}. Joins, WITH, subqueries and window functions work; "
    "nothing else than reading does. Join along keys, filter periods, and add up only what adds up. "
)
_MOST_TABLES = 30
_LOOK_SECONDS = 2.0


class SqlTools:
    """`query` and `execute_sql_safe` over the source, ontology and scope of some table tools."""

    kind: ToolKind = "sql"
    names = SQL_TOOLS
    opening: tuple[ToolCall, ...] = ()

    def __init__(self, tables: TableTools) -> None:
        self._tables = tables
        self.source, self.catalog, self.profile = tables.source, tables.catalog, tables.profile
        self._readable = with_base_tables(tables.catalog, tables.source)
        self._checked: dict[str, CheckedSql] = {}

    async def call(self, tool: str, arguments: Any) -> ToolResult:
        """Run one SELECT. SQL that was refused never reaches the source; nothing raises for what a model wrote."""
        checked = await self._check(tool, arguments)
        if isinstance(checked, QueryValidationError):
            return ToolResult.refused(checked)
        try:
            rows = await fetch(self.source, checked.statement)
        except QueryFailed as failure:
            return ToolResult.failed(str(failure))
        self._keep(arguments, checked)
        return ToolResult(success=True, data=self._data(checked, rows))

    async def dry_run(self, tool: str, arguments: Any) -> ToolResult:
        """Check only: what `call` would refuse is refused; nothing else runs."""
        checked = await self._check(tool, arguments)
        return ToolResult.refused(checked) if isinstance(checked, QueryValidationError) else ToolResult(success=True)

    def call_sync(self, tool: str, arguments: Any) -> ToolResult:
        """`call`, for code that is not async."""
        if in_event_loop():
            raise UsageError("call_sync cannot run inside an event loop; write `await tools.call(...)` there.")
        return asyncio.run(self.call(tool, arguments))

    def schemas(self) -> list[Schema]:
        """The tool as a model is offered it."""
        return sql_tool_schemas(self.catalog, dialect=self.source.dialect)

    def spoken(self, call: ToolCall) -> ToolCall:
        """A structured call as SQL."""
        sql = as_sql(read_call(call.tool, call.args), self.source.dialect)
        return ToolCall(tool="execute_sql_safe", args={"sql": sql})

    def checked(self, arguments: Any) -> CheckedSql | None:
        """What was found out about the SQL of a successful call; None for any other."""
        return self._checked.get(_key(arguments))

    def result(self, data: TableData, tool: str, arguments: Any) -> Result:
        """The rows of a successful call, with what each column may be used for."""
        checked = self.checked(arguments)
        if checked is None:
            raise UsageError("Only the result of a call that these tools have run can be described.")
        return result_of_sql(data, checked, self._readable, tool, arguments)

    async def stored_values(self) -> dict[Key, frozenset[str]]:
        """What people may name in a question."""
        return await self._tables.stored_values()

    def close(self) -> None:
        """Release the source."""
        self._tables.close()

    async def _check(self, tool: str, arguments: Any) -> CheckedSql | QueryValidationError:
        given = _read(tool, arguments)
        if isinstance(given, QueryValidationError):
            return given
        sql, limit = given
        reading = SqlReading(sql, self._readable, self.source)
        for entity, name, declared in reading.profiled_fields():
            await self._tables.load_values(entity, name, declared=declared, catalog=self._readable)
        for condition, statement in reading.probes(self.profile):
            await self._look_for(condition, statement)
        most = self._tables.row_limit
        return reading.check(self.profile, row_limit=min(limit or most, most))

    async def _look_for(self, condition: str, statement: Statement) -> None:
        """Whether some row meets a condition; what cannot be found out in time is left open."""
        with suppress(QueryFailed, TimeoutError):
            rows = await asyncio.wait_for(fetch(self.source, statement), _LOOK_SECONDS)
            self.profile.tell(condition, found=bool(rows))

    def _keep(self, arguments: Any, checked: CheckedSql) -> None:
        """Remember the last few, oldest out first."""
        self._checked.pop(_key(arguments), None)
        self._checked[_key(arguments)] = checked
        while len(self._checked) > _KEPT:
            del self._checked[next(iter(self._checked))]

    def _data(self, checked: CheckedSql, rows: list[Row]) -> TableData:
        shown, truncated = checked.finish(rows)
        columns = [column.column for column in checked.columns]
        return self._tables.numbered(", ".join(checked.entities), columns, shown, truncated=truncated)


def _key(arguments: Any) -> str:
    return json.dumps(arguments, sort_keys=True, default=str)


def _read(tool: str, arguments: Any) -> tuple[str, int | None] | QueryValidationError:
    """The SQL and the limit, or what cannot be read."""
    if tool not in SQL_TOOLS:
        hint = f"The tools are {', '.join(SQL_TOOLS)}."
        return _problem(ValidationErrorCode.FIELD_NOT_FOUND, tool, hint, nearest(tool, SQL_TOOLS))
    if not isinstance(arguments, Mapping):
        return _problem(ValidationErrorCode.TYPE_MISMATCH, "arguments", "The arguments must be one JSON object.")
    for key in arguments:
        if key not in _ARGUMENTS:
            meant = "sql" if str(key).casefold() in _SYNONYMS else nearest(str(key), _ARGUMENTS)
            return _problem(ValidationErrorCode.FIELD_NOT_FOUND, str(key), f"{tool} takes sql and limit.", meant)
    sql = arguments.get("sql")
    if not isinstance(sql, str):
        return _problem(ValidationErrorCode.TYPE_MISMATCH, "sql", "sql is the text of one SELECT.")
    limited = read_call("browseTable", {"tableName": "", "limit": arguments.get("limit")})
    return limited.problem or (sql, limited.limit)


def _problem(code: ValidationErrorCode, name: str, hint: str, suggestion: str | None = None) -> QueryValidationError:
    return QueryValidationError(code=code, field=clip(name, 40), hint=hint, suggestion=suggestion)


def sql_tool_schemas(catalog: Catalog, *, dialect: Dialect = "duckdb") -> list[Schema]:
    """The tool as `{name, description, parameters}`; `query` is understood, too, but one name is enough to offer."""
    tables = list(catalog.entities)
    listed = ", ".join(tables[:_MOST_TABLES]) + (
        f" and {len(tables) - _MOST_TABLES} more" if len(tables) > _MOST_TABLES else ""
    )
    parameters: Schema = {
        "type": "object",
        "properties": {
            "sql": {"type": "string", "description": "One SELECT."},
            "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "At most so many rows."},
        },
        "required": ["sql", "limit"],
        "additionalProperties": False,
    }
    described = _DESCRIPTION.format(dialect=_LANGUAGES[dialect], tables=listed) + ERROR_SENTENCE
    return [{"name": "execute_sql_safe", "description": described, "parameters": parameters}]
