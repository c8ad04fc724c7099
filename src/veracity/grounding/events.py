"""Interceptions: what the guard stepped in for, kept in one SQLite file and counted.

An event says when, which rule, where and what became of it. It holds the words in question, cut short, and never a row.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Protocol

from veracity.contracts import clip
from veracity.durable.sqlite_file import SqliteFile, Timestamp
from veracity.errors import UsageError
from veracity.grounding.config import GuardConfig
from veracity.grounding.contracts import Severity, Verdict
from veracity.settings import Settings
from veracity.telemetry import Telemetry
from veracity.wire import Wire

_VERSION = 1
_LONGEST_QUESTION, _LONGEST_TEXT = 200, 80
_SHORTEST_PREFIX = 4
_BATCH = 500
_CREATE = """
    CREATE TABLE event (
        event_id TEXT PRIMARY KEY, at TEXT NOT NULL, question TEXT NOT NULL, rule TEXT NOT NULL,
        span_start INTEGER, span_end INTEGER, text TEXT NOT NULL, model TEXT NOT NULL, outcome TEXT NOT NULL,
        trace_id TEXT NOT NULL, false_alarm INTEGER NOT NULL
    ) WITHOUT ROWID
"""
_COLUMNS = "event_id at question rule span_start span_end text model outcome trace_id false_alarm".split()  # noqa: SIM905
_INSERT = f"INSERT INTO event ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' for _ in _COLUMNS)})"

Outcome = Literal["sent back", "blocked"]


class GuardEvent(Wire):
    """One thing that the guard stepped in for."""

    event_id: str
    at: Timestamp
    question: str
    rule: str
    span: tuple[int, int] | None = None
    text: str = ""
    """The words in question, cut to 80 characters."""
    model: str = ""
    outcome: Outcome
    """`sent back`: the model may write anew. `blocked`: nothing was released."""
    trace_id: str = ""
    false_alarm: bool = False


class Events(Protocol):
    """Where interceptions are kept: a file of this user, or what a tenant of a server has."""

    def save(self, events: Iterable[GuardEvent]) -> int:
        """Write events; returns how many. Once this returns, they outlive the process."""

    def latest(
        self, count: int | None = 20, *, since: datetime | None = None, rule: str | None = None
    ) -> Iterator[GuardEvent]:
        """The newest events, the newest first; without a count, all of them."""

    def counts(self, *, since: datetime | None = None) -> dict[str, int]:
        """How often each rule stepped in."""


class EventStore(SqliteFile):
    """The interceptions in one file; it is made with the first one, readable by its owner only."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, schema=(_CREATE,), version=_VERSION, holds="guard events")

    @classmethod
    def default(cls, settings: Settings | None = None) -> EventStore:
        """The store in the data folder of this user."""
        return cls((settings or Settings.from_env()).home / "guard.sqlite")

    def save(self, events: Iterable[GuardEvent]) -> int:
        """Write events; returns how many. Once this returns, they outlive the process."""
        rows = [_row(event) for event in events]
        if rows:
            with self._session() as connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(_INSERT, rows)
                connection.execute("COMMIT")
        return len(rows)

    def latest(
        self, count: int | None = 20, *, since: datetime | None = None, rule: str | None = None
    ) -> Iterator[GuardEvent]:
        """The newest events, the newest first; without a count, all of them."""
        left, before = count, "\x7f"
        while left is None or left > 0:
            batch = self._batch(before, min(left or _BATCH, _BATCH), since, rule)
            yield from batch
            if len(batch) < min(left or _BATCH, _BATCH):
                return
            left = None if left is None else left - len(batch)
            before = batch[-1].event_id

    def counts(self, *, since: datetime | None = None) -> dict[str, int]:
        """How often each rule stepped in."""
        if not self.path.exists():
            return {}
        wanted = "SELECT rule, count(*) FROM event WHERE event_id >= ? GROUP BY rule ORDER BY rule"
        with self._session() as connection:
            return dict(connection.execute(wanted, (_first(since),)).fetchall())

    def mark(self, event_id: str, *, false_alarm: bool = True) -> GuardEvent:
        """Mark the event of an identifier, or of the only one that starts like this, as a false alarm."""
        event = self._find(event_id.strip())
        with self._session() as connection:
            connection.execute(
                "UPDATE event SET false_alarm = ? WHERE event_id = ?", (int(false_alarm), event.event_id)
            )
        return event.model_copy(update={"false_alarm": false_alarm})

    def _batch(self, before: str, count: int, since: datetime | None, rule: str | None) -> list[GuardEvent]:
        if not self.path.exists():
            return []
        wanted = "" if rule is None else " AND rule = ?"
        where = f"WHERE event_id < ? AND event_id >= ?{wanted} ORDER BY event_id DESC LIMIT ?"
        return self._read(where, before, _first(since), *([] if rule is None else [rule]), count)

    def _find(self, start: str) -> GuardEvent:
        if not re.fullmatch(r"[\w-]+", start, re.ASCII) or len(start) < _SHORTEST_PREFIX:
            raise UsageError(
                f"An event is named by at least {_SHORTEST_PREFIX} characters of its identifier, "
                f"not {clip(start, 40)!r}; see: veracity guard events"
            )
        where = "WHERE event_id >= ? AND event_id < ? ORDER BY event_id LIMIT 3"
        found = self._read(where, start, start + "\x7f") if self.path.exists() else []
        if not found:
            raise UsageError(f"There is no event {clip(start, 40)!r}; see: veracity guard events")
        if len(found) > 1 and found[0].event_id != start:
            raise UsageError(
                f"Several events start with {clip(start, 40)}, such as {found[0].event_id} and {found[1].event_id}; "
                "write more of the identifier."
            )
        return found[0]

    def _read(self, where: str, *parameters: Any) -> list[GuardEvent]:
        with self._session() as connection:
            rows = connection.execute(f"SELECT {', '.join(_COLUMNS)} FROM event {where}", parameters).fetchall()
            return [_event(dict(zip(_COLUMNS, row, strict=True))) for row in rows]


def _first(since: datetime | None) -> str:
    """Identifiers begin with the moment: the key serves both the order and the date."""
    return f"{since.astimezone(UTC):%Y%m%d-%H%M%S}" if since else ""


def _row(event: GuardEvent) -> list[Any]:
    values = event.model_dump(mode="json", by_alias=False)
    start, end = values.pop("span") or (None, None)
    return [{**values, "span_start": start, "span_end": end}[name] for name in _COLUMNS]


def _event(row: dict[str, Any]) -> GuardEvent:
    start, end = row.pop("span_start"), row.pop("span_end")
    return GuardEvent.model_validate({**row, "span": None if start is None else (start, end)})


# --- from a verdict to events


def events_of(
    verdict: Verdict,
    *,
    question: str,
    outcome: Outcome = "blocked",
    model: str = "",
    trace_id: str = "",
    now: datetime | None = None,
) -> Iterator[GuardEvent]:
    """One event for each finding that stopped an answer."""
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    for one in verdict.findings:
        if one.severity is Severity.BLOCK:
            yield GuardEvent(
                event_id=f"{moment:%Y%m%d-%H%M%S-%f}-{secrets.token_hex(3)}",
                at=moment,
                question=clip(question, _LONGEST_QUESTION),
                rule=one.rule,
                span=one.span,
                text=clip(one.text, _LONGEST_TEXT),
                model=clip(model, _LONGEST_TEXT),
                outcome=outcome,
                trace_id=clip(trace_id, _LONGEST_TEXT),
            )


def record(
    verdict: Verdict,
    store: Events | None,
    *,
    question: str,
    outcome: Outcome = "blocked",
    model: str = "",
    trace_id: str = "",
    telemetry: Telemetry | None = None,
) -> list[GuardEvent]:
    """Keep and count what stopped an answer; nothing for one that passes."""
    events = list(events_of(verdict, question=question, outcome=outcome, model=model, trace_id=trace_id))
    if telemetry is not None:
        for event in events:
            telemetry.intercepted(event.rule, event.outcome)
    if store is not None:
        store.save(events)
    return events


# --- false alarms


def proposal(event: GuardEvent) -> dict[str, Any] | None:
    """The lines of a guard file that let pass what an event stopped; None where nothing should."""
    words = " ".join(event.text.split())
    match event.rule:
        case "placeholder" if words:
            return {"whitelist": _patterns(words)}
        case "unbound_name" if words and not words.endswith("…"):
            return {"known_names": [words]}
        case "unbound_figure" | "ambiguous_figure" if words:
            return {"whitelist": [words]}
        case "internal_error" | "no_answer" | "expression":
            return None
        case rule:
            return {"warn": [rule]}


def _patterns(words: str) -> list[str]:
    """The placeholders among the words; for 用户1 and 用户2 one entry, 用户*."""
    from veracity.grounding.placeholders import find_placeholders

    hits = find_placeholders(words, GuardConfig())
    named = (hit.text[: hit.number_start - hit.start] + "*" if hit.number else hit.text for hit in hits)
    return list(dict.fromkeys(named)) or [words]
