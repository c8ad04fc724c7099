"""The traces of past questions, in the store that several processes may write at once."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from pydantic import TypeAdapter

from veracity.contracts import clip
from veracity.durable.database import LOCAL
from veracity.durable.kept_rows import KeptTable, Place, damage_told, delete_some, row_of, rows_in, store_of, upsert
from veracity.durable.sqlite_file import SHORTEST_PREFIX, Timestamp, moment_written
from veracity.errors import UsageError
from veracity.settings import Settings
from veracity.wire import Wire

_MOST_WORDS = 10
_TABLE_KEYS = {"columns", "rows", "rowCount"}


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
TABLE = KeptTable(
    "veracity_trace",
    "traces",
    key=("tenant", "trace_id"),
    others=tuple(name for name in TraceRecord.model_fields if name != "trace_id"),
    optional=frozenset({"outcome", "text"}),
    booleans=frozenset({"finished"}),
    index=("tenant", "started_at"),
)
_SAVE = upsert(TABLE, TABLE.others)
_NEWEST_FIRST = "ORDER BY started_at DESC, trace_id DESC"
_BODY = TypeAdapter(dict[str, Any])


def new_trace_id(now: datetime | None = None) -> str:
    """An identifier that sorts by time, such as `20261115-045102-7f3a9c04d1`; two never meet, however many ask at once."""
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    return f"{moment:%Y%m%d-%H%M%S}-{secrets.token_hex(5)}"


@dataclass(frozen=True, slots=True)
class TraceFilter:
    """Which traces are wanted; what is empty narrows nothing."""

    outcome: str = ""
    model: str = ""
    words: str = ""
    """Words of the question, whatever their case."""
    since: datetime | None = None

    def condition(self) -> tuple[str, list[Any]]:
        """As SQL behind a condition, and its values."""
        parts: list[str] = []
        values: list[Any] = []
        for name in ("outcome", "model"):
            if value := getattr(self, name):
                parts.append(f"{name} = ?")
                values.append(value)
        for word in self.words.lower().split()[:_MOST_WORDS]:
            parts.append("lower(question) LIKE ? ESCAPE '!'")
            values.append("%" + re.sub(r"([!%_])", r"!\1", word) + "%")
        if self.since is not None:
            parts.append("started_at >= ?")
            values.append(moment_written(self.since))
        return "".join(f" AND {part}" for part in parts), values


class Traces(Protocol):
    """Where an agent keeps the traces of its questions: a file of this user, or what a tenant of a server has."""

    keep_rows: bool
    """Whether the rows of results inside `body` are written, too; otherwise only their number is."""
    keep_prompts: bool
    """Whether what a model was sent and replied is written, too; otherwise only its times and tokens are."""

    def save(self, record: TraceRecord) -> None:
        """Write a trace, or write it again; once this returns, the trace outlives the process."""

    def get(self, trace_id: str) -> TraceRecord:
        """The trace of an identifier, or of the only one that starts like this; `UsageError` where there is none."""

    def latest(self, count: int = 20) -> list[TraceSummary]:
        """The newest traces, the newest first."""


class TraceStore:
    """What a tenant asked, and how it was answered; it sees nothing of the others. It is made with the first trace."""

    def __init__(
        self,
        place: Place,
        tenant: str = LOCAL,
        *,
        keep_rows: bool = False,
        keep_prompts: bool = True,
        tell: Callable[[TraceRecord], None] | None = None,
    ) -> None:
        self._rows, self._tenant, self._tell = rows_in(place, TABLE), tenant, tell
        self.keep_rows, self.keep_prompts = keep_rows, keep_prompts
        """Whether the rows of results inside `body` are written, too; otherwise only their number is."""

    @classmethod
    def default(cls, settings: Settings | None = None, *, keep_rows: bool | None = None) -> TraceStore:
        """The traces in the store of this user."""
        settings = settings or Settings.from_env()
        rows = settings.trace_rows if keep_rows is None else keep_rows
        return cls(store_of(settings), keep_rows=rows, keep_prompts=settings.trace_prompts)

    def close(self) -> None:
        """Release the store; using it again opens it again."""
        self._rows.close()

    def save(self, record: TraceRecord) -> None:
        """Write a trace, or write it again; once this returns, the trace outlives the process."""
        row = {**trace_row(record, keep_rows=self.keep_rows), "tenant": self._tenant}
        self._rows.write(_SAVE, row_of(TABLE, row))
        if self._tell is not None and record.finished:
            self._tell(record)

    def get(self, trace_id: str) -> TraceRecord:
        """The trace of an identifier, or of the only one that starts like this."""
        start = trace_id.strip()
        if not re.fullmatch(r"[\w-]+", start, re.ASCII) or len(start) < SHORTEST_PREFIX:
            raise UsageError(
                f"A trace is named by at least {SHORTEST_PREFIX} characters of its identifier, "
                f"not {clip(start, 40)!r}; see: veracity trace list"
            )
        # A range, not LIKE: the key serves it, and no character of it is a pattern.
        where = "AND trace_id >= ? AND trace_id < ? ORDER BY trace_id LIMIT 3"
        found = self._read(TraceRecord, where, start, start + "\x7f")
        if not found:
            raise UsageError(f"There is no trace {clip(start, 40)!r}; see: veracity trace list")
        if len(found) > 1 and found[0].trace_id != start:
            raise UsageError(
                f"Several traces start with {clip(start, 40)}, such as {found[0].trace_id} and {found[1].trace_id}; "
                "write more of the identifier."
            )
        return found[0]

    def several(self, trace_ids: Sequence[str]) -> list[TraceRecord]:
        """The traces of these identifiers, in their order; those that are forgotten are left out."""
        if not trace_ids:
            return []
        marks = ", ".join("?" for _ in trace_ids)
        found = {one.trace_id: one for one in self._read(TraceRecord, f"AND trace_id IN ({marks})", *trace_ids)}
        return [found[name] for name in trace_ids if name in found]

    def latest(
        self, count: int = 20, *, before: str | None = None, only: TraceFilter | None = None
    ) -> list[TraceSummary]:
        """The newest traces, the newest first; with `before`, those that are older than this one."""
        return self._newest(TraceSummary, count, before, only or TraceFilter())

    def recent(self, count: int, *, only: TraceFilter | None = None) -> list[TraceRecord]:
        """The newest traces with all that is kept of them, the newest first."""
        return self._newest(TraceRecord, count, None, only or TraceFilter())

    def models(self) -> list[str]:
        """The models that answered, by name."""
        found = self._rows.read("SELECT DISTINCT model FROM {table} WHERE tenant = ? ORDER BY model", self._tenant)
        return [str(name) for (name,) in found]

    def _newest(self, kind: type[Row], count: int, before: str | None, only: TraceFilter) -> list[Row]:
        where, values = only.condition()
        if before is not None:
            # Identifiers of one second do not sort as the traces do: the moment counts first.
            own = "(SELECT started_at FROM {table} WHERE tenant = ? AND trace_id = ?)"
            where += f" AND (started_at < {own} OR (started_at = {own} AND trace_id < ?))"
            values += [self._tenant, before, self._tenant, before, before]
        return self._read(kind, f"{where} {_NEWEST_FIRST} LIMIT ?", *values, max(0, count))

    def prune(self, keep: int) -> int:
        """Delete all but the newest traces; returns how many were deleted."""
        if not self.latest(1):
            return 0
        kept = f"SELECT trace_id FROM {{table}} WHERE tenant = ? {_NEWEST_FIRST} LIMIT ?"
        older = f"DELETE FROM {{table}} WHERE tenant = ? AND trace_id NOT IN ({kept})"
        return self._rows.write(older, (self._tenant, self._tenant, max(0, keep)))

    def _read(self, kind: type[Row], where: str, *parameters: Any) -> list[Row]:
        names = tuple(kind.model_fields)
        statement = f"SELECT {', '.join(names)} FROM {{table}} WHERE tenant = ? {where}"
        rows = self._rows.read(statement, self._tenant, *parameters)
        with damage_told(TABLE):
            return [trace_from_row(kind, dict(zip(names, row, strict=True))) for row in rows]


def forget_traces(place: Place, before: datetime, most: int) -> int:
    """Forget what all tenants asked before this moment, so many at a time; returns how many."""
    return rows_in(place, TABLE).write(delete_some(TABLE, "started_at < ?"), (moment_written(before), most))


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
