"""The traces of past questions, in a SQLite file that several processes may write at once."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import TypeAdapter

from veracity.contracts import clip
from veracity.durable.sqlite_file import SHORTEST_PREFIX, SqliteFile, Timestamp
from veracity.errors import UsageError
from veracity.settings import Settings
from veracity.wire import Wire

_VERSION = 1
_TABLE_KEYS = {"columns", "rows", "rowCount"}
_CREATE = """
    CREATE TABLE trace (
        trace_id TEXT PRIMARY KEY, started_at TEXT NOT NULL, updated_at TEXT NOT NULL, finished INTEGER NOT NULL,
        question TEXT NOT NULL, lang TEXT NOT NULL, model TEXT NOT NULL, source TEXT NOT NULL,
        outcome TEXT, text TEXT, body TEXT NOT NULL
    ) WITHOUT ROWID
"""
_INDEX = "CREATE INDEX trace_started ON trace (started_at DESC, trace_id DESC)"


class TraceSummary(Wire):
    """One line of a list of traces."""

    trace_id: str
    started_at: Timestamp
    updated_at: Timestamp
    finished: bool
    question: str
    lang: str
    model: str
    source: str
    outcome: str | None = None
    """That of the answer, or `unfinished`; traces of earlier versions that were cut off have none."""
    text: str | None = None


class TraceRecord(TraceSummary):
    """One question and all that was logged of it; a record that is not finished belongs to a run that was cut off."""

    body: dict[str, Any] = {}
    """The rest, as data that JSON can hold."""


Row = TypeVar("Row", bound=TraceSummary)
_COLUMNS = tuple(TraceRecord.model_fields)
_SAVE = (
    f"INSERT INTO trace ({', '.join(_COLUMNS)}) VALUES ({', '.join(f':{name}' for name in _COLUMNS)}) "
    f"ON CONFLICT (trace_id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS[1:])}"
)
_NEWEST_FIRST = "ORDER BY started_at DESC, trace_id DESC"
_BODY = TypeAdapter(dict[str, Any])


def new_trace_id(now: datetime | None = None) -> str:
    """An identifier that sorts by time, such as `20261115-045102-7f3a9c04d1`; two never meet, however many ask at once."""
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    return f"{moment:%Y%m%d-%H%M%S}-{secrets.token_hex(5)}"


class Traces(Protocol):
    """Where an agent keeps the traces of its questions: a file of this user, or what a tenant of a server has."""

    keep_rows: bool
    """Whether the rows of results inside `body` are written, too; otherwise only their number is."""

    def save(self, record: TraceRecord) -> None:
        """Write a trace, or write it again; once this returns, the trace outlives the process."""

    def get(self, trace_id: str) -> TraceRecord:
        """The trace of an identifier, or of the only one that starts like this; `UsageError` where there is none."""

    def latest(self, count: int = 20) -> list[TraceSummary]:
        """The newest traces, the newest first."""


class TraceStore(SqliteFile):
    """The traces in one file; it is made with the first trace, readable by its owner only."""

    def __init__(self, path: Path, *, keep_rows: bool = False) -> None:
        super().__init__(path, schema=(_CREATE, _INDEX), version=_VERSION, holds="traces")
        self.keep_rows = keep_rows
        """Whether the rows of results inside `body` are written, too; otherwise only their number is."""

    @classmethod
    def default(cls, settings: Settings | None = None, *, keep_rows: bool = False) -> TraceStore:
        """The store in the data folder of this user."""
        return cls((settings or Settings.from_env()).home / "traces.sqlite", keep_rows=keep_rows)

    def save(self, record: TraceRecord) -> None:
        """Write a trace, or write it again; once this returns, the trace outlives the process."""
        row = trace_row(record, keep_rows=self.keep_rows)
        with self._session() as connection:
            connection.execute(_SAVE, row)

    def get(self, trace_id: str) -> TraceRecord:
        """The trace of an identifier, or of the only one that starts like this."""
        start = trace_id.strip()
        if not re.fullmatch(r"[\w-]+", start, re.ASCII) or len(start) < SHORTEST_PREFIX:
            raise UsageError(
                f"A trace is named by at least {SHORTEST_PREFIX} characters of its identifier, "
                f"not {clip(start, 40)!r}; see: veracity trace list"
            )
        # A range, not LIKE: the key serves it, and no character of it is a pattern.
        where = "WHERE trace_id >= ? AND trace_id < ? ORDER BY trace_id LIMIT 3"
        found = self._read(TraceRecord, where, start, start + "\x7f")
        if not found:
            raise UsageError(f"There is no trace {clip(start, 40)!r}; see: veracity trace list")
        if len(found) > 1 and found[0].trace_id != start:
            raise UsageError(
                f"Several traces start with {clip(start, 40)}, such as {found[0].trace_id} and {found[1].trace_id}; "
                "write more of the identifier."
            )
        return found[0]

    def latest(self, count: int = 20) -> list[TraceSummary]:
        """The newest traces, the newest first."""
        return self._read(TraceSummary, f"{_NEWEST_FIRST} LIMIT ?", max(0, count))

    def prune(self, keep: int) -> int:
        """Delete all but the newest traces; returns how many were deleted."""
        if not self.path.exists():
            return 0
        older = f"SELECT trace_id FROM trace {_NEWEST_FIRST} LIMIT -1 OFFSET ?"
        with self._session() as connection:
            return connection.execute(f"DELETE FROM trace WHERE trace_id IN ({older})", (max(0, keep),)).rowcount

    def _read(self, kind: type[Row], where: str, *parameters: Any) -> list[Row]:
        if not self.path.exists():
            return []
        names = tuple(kind.model_fields)
        with self._session() as connection:
            rows = connection.execute(f"SELECT {', '.join(names)} FROM trace {where}", parameters).fetchall()
            return [trace_from_row(kind, dict(zip(names, row, strict=True))) for row in rows]


def trace_row(record: TraceRecord, *, keep_rows: bool) -> dict[str, Any]:
    """A trace as a row of a table: every column plain, the body as JSON text."""
    try:
        row = record.model_dump(mode="json", by_alias=False, exclude={"body"})
        row["body"] = _BODY.dump_json(record.body if keep_rows else _without_rows(record.body)).decode()
    except ValueError as error:
        raise UsageError(f"Trace {record.trace_id} holds something that cannot be written as JSON.") from error
    return row


def trace_from_row(kind: type[Row], row: dict[str, Any]) -> Row:
    """A row of a table as a trace, or as one line of a list."""
    return kind.model_validate({**row, "body": _BODY.validate_json(row["body"])} if "body" in row else row)


def _without_rows(value: Any) -> Any:
    """The same data, with empty `rows` in every result table."""
    if isinstance(value, dict):
        is_table = value.keys() >= _TABLE_KEYS
        return {key: [] if is_table and key == "rows" else _without_rows(inner) for key, inner in value.items()}
    return [_without_rows(inner) for inner in value] if isinstance(value, list | tuple) else value
