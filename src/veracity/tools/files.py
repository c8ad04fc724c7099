"""The file tools: `inspect_file` says what a file holds, `analyze_dataframe` runs the three table tools on its tables."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from veracity.answer.results import Result
from veracity.contracts import (
    Cell,
    FileColumn,
    FileProblem,
    FileReport,
    FileTable,
    QueryValidationError,
    TableData,
    ToolKind,
    ToolResult,
    ValidationErrorCode,
    clip,
)
from veracity.errors import QueryFailed, UsageError
from veracity.language.nearest import nearest
from veracity.language.numbers import written
from veracity.ontology.questions import ToolCall
from veracity.ontology.schema import ERROR_SENTENCE, Schema, Style, tool_schemas
from veracity.query.catalog import Catalog, CatalogEntity, entity_shapes
from veracity.query.compile import compile_call, compile_profile
from veracity.query.model import ARGUMENTS, VOCABULARY, Call
from veracity.query.values import Key
from veracity.sources.files import FileSource
from veracity.sources.source import FileFacts, fetch
from veracity.tools.tables import TableTools, in_event_loop

FILE_TOOLS = ("inspect_file", "analyze_dataframe")
OPERATIONS: Mapping[str, str] = {"browse": "browseTable", "query": "queryTable", "aggregate": "aggregateTable"}
"""What `analyze_dataframe` can do, and the table tool that does it."""

_EXACT_ROWS = 100_000
_EXAMINED = 1_000_000
_COLUMNS_AT_ONCE = 100
_SAMPLED_ROWS = 200
_SAMPLES = 3
_LONGEST_SAMPLE = 60
_MOST_PROBLEMS = 50
_TABLE_TOOL = re.compile(r"\b(browse|query|aggregate)Table\b")
_DESCRIPTIONS = {
    "inspect_file": "Show what a file holds: its tables, columns, types, samples, and the problems found in it. Call this first. ",
    "analyze_dataframe": (
        "Work on a table of an inspected file. operation browse: show some rows (limit); query: rows that meet all "
        "filters (fields, filters, orderBy, limit); aggregate: one figure, per group (aggregate, field, groupBy, filters, limit). "
    ),
}


class FileTools:
    """`inspect_file` and `analyze_dataframe` over one file or folder, for one conversation."""

    kind: ToolKind = "file"
    names = FILE_TOOLS
    opening = (ToolCall(tool="inspect_file", args={}),)

    def __init__(self, tables: TableTools) -> None:
        if not isinstance(tables.source, FileSource):
            raise UsageError(
                f"{tables.source.name} is no CSV, JSON, Parquet or Excel file; ask it with --tools table or --tools sql."
            )
        self._tables, self._files = tables, tables.source.files
        self.source, self.catalog, self.profile = tables.source, tables.catalog, tables.profile
        self._inspected: set[str] = set()

    async def call(self, tool: str, arguments: Any) -> ToolResult:
        """Run one tool call; what a model wrote never raises, and no other file can be reached by it."""
        problem = self._problem(tool, arguments)
        if problem is not None:
            return ToolResult.refused(problem)
        if tool == "inspect_file":
            return await self._inspect(self._files_named(arguments.get("file")))
        return self._in_own_words(await self._tables.call(*self._structured(arguments)))

    async def dry_run(self, tool: str, arguments: Any) -> ToolResult:
        """Validate only: what `call` would refuse is refused; nothing else runs."""
        problem = self._problem(tool, arguments)
        if problem is not None:
            return ToolResult.refused(problem)
        if tool == "inspect_file":
            return ToolResult(success=True)
        return self._in_own_words(await self._tables.dry_run(*self._structured(arguments)))

    def call_sync(self, tool: str, arguments: Any) -> ToolResult:
        """`call`, for code that is not async."""
        if in_event_loop():
            raise UsageError("call_sync cannot run inside an event loop; write `await tools.call(...)` there.")
        return asyncio.run(self.call(tool, arguments))

    def table_call(self, tool: str, arguments: Any) -> tuple[str, dict[str, Any]] | None:
        """The structured call behind an `analyze_dataframe`; None for anything else."""
        if tool != "analyze_dataframe" or _arguments_problem(tool, arguments) is not None:
            return None
        return self._structured(arguments)

    def schemas(self) -> list[Schema]:
        """The tools as a model is offered them."""
        return file_tool_schemas(self.catalog, [file.name for file in self._files], in_words=False)

    def spoken(self, call: ToolCall) -> ToolCall:
        """A structured call in the words of these tools."""
        operation = next(word for word, tool in OPERATIONS.items() if tool == call.tool)
        return ToolCall(tool="analyze_dataframe", args={"operation": operation, **call.args})

    def result(self, data: TableData, tool: str, arguments: Any) -> Result:
        """The rows of a successful `analyze_dataframe`, with what each column may be used for."""
        return self._tables.result(data, *(self.table_call(tool, arguments) or (tool, arguments)))

    async def stored_values(self) -> dict[Key, frozenset[str]]:
        """What people may name in a question."""
        return await self._tables.stored_values()

    def close(self) -> None:
        """Release the files."""
        self._tables.close()

    # --- what is refused

    def _problem(self, tool: str, arguments: Any) -> QueryValidationError | None:
        if problem := _arguments_problem(tool, arguments):
            return problem
        if tool == "inspect_file":
            return self._unknown_file(arguments.get("file"))
        return self._not_inspected(arguments.get("tableName"))

    def _unknown_file(self, name: Any) -> QueryValidationError | None:
        if self._files_named(name):
            return None
        names = [file.name for file in self._files]
        hint = f"file is {names[0]}." if len(names) == 1 else f"file is one of {', '.join(names)}."
        near = nearest(name, names) if isinstance(name, str) else None
        return _refusal(
            ValidationErrorCode.TABLE_NOT_FOUND, "file", hint, near or (names[0] if len(names) == 1 else None)
        )

    def _files_named(self, name: Any) -> tuple[FileFacts, ...]:
        """The files that are meant: all of them, or the one of this name."""
        if name is None or (isinstance(name, str) and not name.strip()):
            return self._files
        return tuple(file for file in self._files if isinstance(name, str) and _folded(file.name) == _folded(name))

    def _not_inspected(self, table: Any) -> QueryValidationError | None:
        entity = self.catalog.entities.get(table) if isinstance(table, str) else None
        needed = {file.name for file in self._files if entity and _tables_of(entity) & set(file.tables)}
        missing = sorted(needed - self._inspected)
        if not missing and self._inspected:
            return None
        suggestion = missing[0] if missing else "inspect_file"
        hint = "Call inspect_file first: it shows the columns and the problems of a file."
        return _refusal(ValidationErrorCode.QUESTION_NOT_COVERED, "inspect_file", hint, suggestion)

    # --- analyze_dataframe

    def _structured(self, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        tool = OPERATIONS[arguments["operation"].strip().lower()]
        others = {name for names in ARGUMENTS.values() for name in names} - set(ARGUMENTS[tool])
        # A strict schema makes the model write every argument; the ones of other operations are null.
        given = {key: value for key, value in arguments.items() if key != "operation"}
        return tool, {key: value for key, value in given.items() if not (key in others and value is None)}

    def _in_own_words(self, result: ToolResult) -> ToolResult:
        """A refusal that speaks of operations, where the table tools speak of themselves."""
        details = result.error_details
        if details is None:
            return result
        hint = _TABLE_TOOL.sub(r"operation \1", details.hint)
        named = details.suggestion in ARGUMENTS
        suggestion = _TABLE_TOOL.sub(r"\1", details.suggestion or "") if named else details.suggestion
        return ToolResult.refused(details.model_copy(update={"hint": clip(hint, 80), "suggestion": suggestion}))

    # --- inspect_file

    async def _inspect(self, files: Sequence[FileFacts]) -> ToolResult:
        try:
            tables = [
                await self._table(entity, file)
                for file in files
                for entity in self.catalog.entities.values()
                if entity.table is not None and entity.table.name in file.tables
            ]
        except QueryFailed as failure:
            return ToolResult.failed(str(failure))
        self._inspected.update(file.name for file in files)
        one = files[0] if len(files) == 1 else None
        report = FileReport(
            file=one.name if one else self.source.name,
            format=one.format if one else "folder",
            encoding=one.encoding if one else None,
            delimiter=one.delimiter if one else None,
            sheets=one.sheets if one else (),
            tables=tuple(tables),
            problems=self._problems(files),
        )
        return ToolResult(success=True, data=report)

    def _problems(self, files: Sequence[FileFacts]) -> tuple[FileProblem, ...]:
        found = [problem for file in files for problem in file.problems]
        if self.catalog.scope.values and found:
            # They quote cells, and those may belong to somebody else.
            return (FileProblem(what="Only rows of one scope are shown, so problems of the file are not listed."),)
        more = len(found) - _MOST_PROBLEMS
        return (*found[:_MOST_PROBLEMS], *([FileProblem(what=f"{more} more problems were found.")] if more > 0 else []))

    async def _table(self, entity: CatalogEntity, file: FileFacts) -> FileTable:
        known = file.tables[entity.table.name] if entity.table and not self.catalog.scope.values else None
        rows = known if known is not None else await self._count(entity)
        exact = rows <= _EXACT_ROWS
        names = list(entity.fields)
        samples = await self._samples(entity)
        columns: list[FileColumn] = []
        examined = 0
        for start in range(0, len(names), _COLUMNS_AT_ONCE):
            some = names[start : start + _COLUMNS_AT_ONCE]
            statement = compile_profile(entity, some, self.catalog, self.source, rows=_EXAMINED, exact=exact)
            ((examined, *figures),) = _numbers(await fetch(self.source, statement))
            for name, filled, distinct in zip(some, figures[::2], figures[1::2], strict=True):
                kind = entity.fields[name].column.type.value
                near = min(distinct, filled)  # an estimate may be too high, but never can be
                columns.append(
                    FileColumn(name=name, type=kind, nulls=examined - filled, distinct=near, sample=samples[name])
                )
        return FileTable(
            name=entity.name, row_count=rows, columns=tuple(columns), examined=examined, approximate=not exact
        )

    async def _count(self, entity: CatalogEntity) -> int:
        call = Call("aggregateTable", entity.name, aggregate="COUNT")
        compiled = compile_call(call, self.catalog, self.source, row_limit=1)
        return int(str((await fetch(self.source, compiled.statement))[0][0]))

    async def _samples(self, entity: CatalogEntity) -> dict[str, tuple[str, ...]]:
        """The first few different values of each column."""
        compiled = compile_call(Call("browseTable", entity.name), self.catalog, self.source, row_limit=_SAMPLED_ROWS)
        rows = await fetch(self.source, compiled.statement)
        return {
            column.name: tuple(dict.fromkeys(_sample_text(row[i]) for row in rows if row[i] is not None))[:_SAMPLES]
            for i, column in enumerate(compiled.columns)
        }


def file_tool_schemas(
    catalog: Catalog, files: Sequence[str], *, style: Style = "strict", in_words: bool = True
) -> list[Schema]:
    """The two tools, as `{name, description, parameters}`; see `ontology.schema.tool_schemas` for the styles."""
    structured = tool_schemas(entity_shapes(catalog), VOCABULARY, style=style, in_words=in_words)
    by_operation = {word: next(s for s in structured if s["name"] == tool) for word, tool in OPERATIONS.items()}
    make = partial(_merged_strictly if style == "strict" else _merged_by_table, by_operation)
    file = {"anyOf": [{"type": "string", "enum": list(files)}, {"type": "null"}]}
    inspect: Schema = {
        "type": "object",
        "properties": {"file": file},
        "required": ["file"],
        "additionalProperties": False,
    }
    return [
        {"name": name, "description": _DESCRIPTIONS[name] + ERROR_SENTENCE, "parameters": parameters}
        for name, parameters in zip(FILE_TOOLS, (inspect, make()), strict=True)
    ]


def _merged_strictly(by_operation: Mapping[str, Schema]) -> Schema:
    """One object with the arguments of all operations; what an operation does not take is null."""
    properties: Schema = {"operation": {"type": "string", "enum": list(OPERATIONS)}}
    more: Schema = {}
    for schema in by_operation.values():
        parameters = schema["parameters"]
        more |= {key: value for key, value in parameters.items() if key == "$defs"}
        properties |= parameters["properties"]
    properties["aggregate"] = {"anyOf": [properties["aggregate"], {"type": "null"}]}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        **more,
    }


def _merged_by_table(by_operation: Mapping[str, Schema]) -> Schema:
    """One branch per operation and table."""
    branches = []
    for word, schema in by_operation.items():
        for branch in schema["parameters"]["anyOf"]:
            properties = {"operation": {"type": "string", "enum": [word]}, **branch["properties"]}
            branches.append({**branch, "properties": properties, "required": list(properties)})
    return {"type": "object", "anyOf": branches}


def _refusal(code: ValidationErrorCode, name: str, hint: str, suggestion: str | None = None) -> QueryValidationError:
    return QueryValidationError(code=code, field=name, hint=hint, suggestion=suggestion)


def _arguments_problem(tool: str, arguments: Any) -> QueryValidationError | None:
    """Whether the tool is one of ours and its arguments can be read at all."""
    if tool not in FILE_TOOLS:
        hint = f"The tools are {', '.join(FILE_TOOLS)}."
        return _refusal(ValidationErrorCode.FIELD_NOT_FOUND, clip(str(tool), 40), hint, nearest(str(tool), FILE_TOOLS))
    if not isinstance(arguments, Mapping) or not all(isinstance(key, str) for key in arguments):
        return _refusal(ValidationErrorCode.TYPE_MISMATCH, "arguments", "The arguments must be one JSON object.")
    if tool == "inspect_file":
        other = next((key for key in arguments if key != "file"), None)
        hint = "inspect_file takes file, or nothing."
        return None if other is None else _refusal(ValidationErrorCode.FIELD_NOT_FOUND, other, hint, "file")
    word = arguments.get("operation")
    if isinstance(word, str) and word.strip().lower() in OPERATIONS:
        return None
    near = nearest(word, OPERATIONS) if isinstance(word, str) else None
    hint = f"operation is one of {', '.join(OPERATIONS)}."
    return _refusal(ValidationErrorCode.OPERATOR_INCOMPATIBLE, "operation", hint, near)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name.strip()).casefold()


def _tables_of(entity: CatalogEntity) -> set[str]:
    """The tables of the source that an entity is read from."""
    if entity.table is not None:
        return {entity.table.name}
    return {origin.table for origin in entity.view.origins.values()} if entity.view else set()


def _numbers(rows: Sequence[Sequence[Cell]]) -> list[list[int]]:
    return [[int(str(cell)) for cell in row] for row in rows]


def _sample_text(cell: Cell) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    text = written(cell) if isinstance(cell, Decimal) else str(cell)
    return clip(" ".join(text[: 4 * _LONGEST_SAMPLE].split()), _LONGEST_SAMPLE)
