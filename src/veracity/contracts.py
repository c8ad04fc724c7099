"""What a tool call returned, what was logged of it, and how well errors were repaired over a run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SkipValidation, field_serializer

from veracity.language.locale import printable
from veracity.language.numbers import written
from veracity.wire import Wire

Cell = str | bool | int | float | Decimal | date | datetime | None
"""A value of a result. None is SQL's NULL; a missing figure is never 0 and never an empty text."""


ToolKind = Literal["table", "sql", "file"]
AskWith = Literal["query", "table", "sql", "file"]
"""How a model takes part: it fills in one semantic query, or it works with tools of a kind."""
"""What tools work on: structured calls on tables, raw SQL, or files."""

HINT_LENGTH = 80
_NAME_LENGTH = 80


class ValidationErrorCode(StrEnum):
    """Why a call was refused."""

    TABLE_NOT_FOUND = "TABLE_NOT_FOUND"
    FIELD_NOT_FOUND = "FIELD_NOT_FOUND"
    OPERATOR_INCOMPATIBLE = "OPERATOR_INCOMPATIBLE"
    TYPE_MISMATCH = "TYPE_MISMATCH"
    VALUE_NOT_FOUND = "VALUE_NOT_FOUND"
    WRONG_TABLE_FOR_PURPOSE = "WRONG_TABLE_FOR_PURPOSE"
    INVALID_AGGREGATE_TARGET = "INVALID_AGGREGATE_TARGET"
    AMBIGUOUS_GRAIN = "AMBIGUOUS_GRAIN"
    MIXED_UNITS = "MIXED_UNITS"
    MISSING_REQUIRED_FILTER = "MISSING_REQUIRED_FILTER"
    RESULT_TRUNCATED = "RESULT_TRUNCATED"
    QUESTION_NOT_COVERED = "QUESTION_NOT_COVERED"
    UNSAFE_SQL = "UNSAFE_SQL"


def clip(text: str, length: int) -> str:
    """The text, cut to a length; an ellipsis shows the cut. Characters that cannot be printed or sent are replaced."""
    shown = printable(text[: length + 1])
    return shown if len(shown) <= length else shown[: length - 1] + "…"


class QueryValidationError(Wire):
    """`errorDetails`: what was wrong with a call, and what to write instead."""

    code: ValidationErrorCode
    field: Annotated[str | None, BeforeValidator(lambda v: v if v is None else clip(str(v), _NAME_LENGTH))] = None
    suggestion: str | None = None
    hint: Annotated[str, BeforeValidator(lambda v: clip(str(v), HINT_LENGTH))]


class ResultColumn(Wire):
    """A column of a result."""

    name: str
    type: str


class TableData(Wire):
    """The rows a call returned. Decimals are written as strings in JSON, so that no reader turns them into floats."""

    result_id: str
    table_name: str
    columns: tuple[ResultColumn, ...]
    rows: SkipValidation[tuple[dict[str, Cell], ...]]
    row_count: int
    truncated: bool
    """More rows matched than were returned."""

    @field_serializer("rows", when_used="json")
    def _plain_decimals(self, rows: tuple[dict[str, Cell], ...]) -> list[dict[str, Cell]]:
        return [
            {name: written(cell) if isinstance(cell, Decimal) else cell for name, cell in row.items()} for row in rows
        ]


class FileProblem(Wire):
    """Something in a file that a reader has to know, in one plain sentence, and where it is."""

    what: str
    table: str | None = None
    column: str | None = None
    row: int | None = None
    """As people count: the row of a sheet, the record of a text file, with everything above the table."""


class FileSheet(Wire):
    """A sheet of a workbook."""

    name: str
    hidden: bool = False
    used: bool = True
    """Whether it became a table."""


class FileColumn(Wire):
    """A column of a file's table, with a few of its values."""

    name: str
    type: str
    nulls: int
    distinct: int
    sample: tuple[str, ...] = ()


class FileTable(Wire):
    """A table of a file."""

    name: str
    row_count: int
    columns: tuple[FileColumn, ...]
    examined: int
    """The rows that `nulls` and `distinct` were counted over; fewer than `row_count` in a large file."""
    approximate: bool = False
    """`distinct` is an estimate."""


class FileReport(Wire):
    """What a file holds, and what is wrong with it: the result of `inspect_file`."""

    file: str
    format: str
    encoding: str | None = None
    delimiter: str | None = None
    sheets: tuple[FileSheet, ...] = ()
    tables: tuple[FileTable, ...]
    problems: tuple[FileProblem, ...] = ()


class ToolResult(Wire):
    """What a tool gives back. A refused or failed call is a result, too, never an exception."""

    success: bool
    data: TableData | FileReport | None = None
    error: str | None = None
    error_details: QueryValidationError | None = None

    @property
    def table(self) -> TableData | None:
        """The rows, where the result is rows."""
        return self.data if isinstance(self.data, TableData) else None

    @classmethod
    def refused(cls, problem: QueryValidationError) -> ToolResult:
        """The call was not valid and never reached the source."""
        return cls(success=False, error=f"{problem.code}: {problem.hint}", error_details=problem)

    @classmethod
    def failed(cls, message: str) -> ToolResult:
        """The call was valid, but the engine could not answer it."""
        return cls(success=False, error=message)


class ToolCallLog(Wire):
    """One call of a run."""

    round: int = Field(ge=0)
    """The model's turn; calls of the same turn are siblings."""
    tool: str
    arguments: dict[str, Any] = {}
    success: bool = True
    validation_failure_code: ValidationErrorCode | None = None
    error: str | None = None
    """Why it failed, in a few words."""
    suggestion: str | None = None
    result_id: str | None = None
    row_count: int | None = None
    milliseconds: float = 0.0


class RepairCounters(Wire):
    """How a run dealt with refused calls."""

    validation_failures: int = 0
    """Calls that failed validation."""
    repair_attempts: int = 0
    """Failures followed in a later round by another call of the same tool."""
    success_after_repair: int = 0
    """Repair attempts whose call passed."""
    deflections: int = 0
    """Failures followed in the next round by a valid call of another tool."""
    conversions: int = 0
    """Failures followed in the next round by any different, valid call."""

    repair_conversion_rate: float = 0.0
    """Conversions over all failures; 0 when there was none."""


class AgentTrace(RepairCounters):
    """A whole run: its calls and the counters made from them."""

    trace_id: str
    tool_calls: tuple[ToolCallLog, ...] = ()

    @classmethod
    def of(cls, trace_id: str, calls: Sequence[ToolCallLog]) -> AgentTrace:
        """The trace of these calls, with its counters."""
        counters = repair_counters(calls).model_dump(by_alias=False)
        return cls(trace_id=trace_id, tool_calls=tuple(calls), **counters)


def repair_counters(calls: Sequence[ToolCallLog]) -> RepairCounters:
    """The counters of a run, from its log alone."""
    attempts = successes = deflections = conversions = 0
    failures = [call for call in calls if call.validation_failure_code is not None]
    for failure in failures:
        later = sorted((call for call in calls if call.round > failure.round), key=lambda call: call.round)
        following = [call for call in later if call.round == later[0].round and call.validation_failure_code is None]
        again = next((call for call in later if call.tool == failure.tool), None)
        attempts += again is not None
        successes += again is not None and again.validation_failure_code is None
        deflections += any(call.tool != failure.tool for call in following)
        conversions += any((call.tool, call.arguments) != (failure.tool, failure.arguments) for call in following)
    return RepairCounters(
        validation_failures=len(failures),
        repair_attempts=attempts,
        success_after_repair=successes,
        deflections=deflections,
        conversions=conversions,
        repair_conversion_rate=conversions / max(1, len(failures)),
    )
