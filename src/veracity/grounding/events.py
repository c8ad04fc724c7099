"""Interceptions: what the guard stepped in for, kept in the store and counted.

An event says when, which rule, where and what became of it. It holds the words in question, cut short, and never a row.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from veracity.contracts import clip
from veracity.durable.database import LOCAL
from veracity.durable.kept_rows import KeptTable, Place, damage_told, delete_some, rows_in, store_of
from veracity.durable.sqlite_file import Timestamp
from veracity.errors import UsageError
from veracity.grounding.config import GuardConfig
from veracity.grounding.contracts import Severity, Verdict
from veracity.settings import Settings
from veracity.telemetry import Telemetry
from veracity.wire import Wire

_LONGEST_QUESTION, _LONGEST_TEXT = 200, 80
_SHORTEST_PREFIX = 4
_BATCH = 500
TABLE = KeptTable(
    "veracity_guard_event", "guard events", key=("tenant", "event_id"), others=("rule", "outcome", "body")
)

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


class EventStore:
    """The interceptions of a tenant; it sees nothing of the others. It is made with the first one."""

    def __init__(self, place: Place, tenant: str = LOCAL) -> None:
        self._rows, self._tenant = rows_in(place, TABLE), tenant

    @classmethod
    def default(cls, settings: Settings | None = None) -> EventStore:
        """The events in the store of this user."""
        return cls(store_of(settings))

    def close(self) -> None:
        """Release the store; using it again opens it again."""
        self._rows.close()

    def save(self, events: Iterable[GuardEvent]) -> int:
        """Write events; returns how many. Once this returns, they outlive the process."""
        rows = [(self._tenant, one.event_id, one.rule, one.outcome, one.model_dump_json()) for one in events]
        if rows:
            self._rows.write(
                "INSERT INTO {table} (tenant, event_id, rule, outcome, body) VALUES (?, ?, ?, ?, ?)", *rows
            )
        return len(rows)

    def latest(
        self, count: int | None = 20, *, since: datetime | None = None, rule: str | None = None
    ) -> Iterator[GuardEvent]:
        """The newest events, the newest first; without a count, all of them."""
        left, before = count, "\x7f"
        while left is None or left > 0:
            size = min(left or _BATCH, _BATCH)
            batch = self._batch(before, size, since, rule)
            yield from batch
            if len(batch) < size:
                return
            left = None if left is None else left - len(batch)
            before = batch[-1].event_id

    def counts(self, *, since: datetime | None = None) -> dict[str, int]:
        """How often each rule stepped in."""
        wanted = "SELECT rule, count(*) FROM {table} WHERE tenant = ? AND event_id >= ? GROUP BY rule ORDER BY rule"
        return {str(rule): int(count) for rule, count in self._rows.read(wanted, self._tenant, _first(since))}

    def mark(self, event_id: str, *, false_alarm: bool = True) -> GuardEvent:
        """Mark the event of an identifier, or of the only one that starts like this, as a false alarm."""
        event = self._find(event_id.strip()).model_copy(update={"false_alarm": false_alarm})
        self._rows.write(
            "UPDATE {table} SET body = ? WHERE tenant = ? AND event_id = ?",
            (event.model_dump_json(), self._tenant, event.event_id),
        )
        return event

    def _batch(self, before: str, count: int, since: datetime | None, rule: str | None) -> list[GuardEvent]:
        wanted = "" if rule is None else " AND rule = ?"
        where = f"AND event_id < ? AND event_id >= ?{wanted} ORDER BY event_id DESC LIMIT ?"
        return self._read(where, before, _first(since), *([] if rule is None else [rule]), count)

    def _find(self, start: str) -> GuardEvent:
        if not re.fullmatch(r"[\w-]+", start, re.ASCII) or len(start) < _SHORTEST_PREFIX:
            raise UsageError(
                f"An event is named by at least {_SHORTEST_PREFIX} characters of its identifier, "
                f"not {clip(start, 40)!r}; see: veracity guard events"
            )
        found = self._read("AND event_id >= ? AND event_id < ? ORDER BY event_id LIMIT 3", start, start + "\x7f")
        if not found:
            raise UsageError(f"There is no event {clip(start, 40)!r}; see: veracity guard events")
        if len(found) > 1 and found[0].event_id != start:
            raise UsageError(
                f"Several events start with {clip(start, 40)}, such as {found[0].event_id} and {found[1].event_id}; "
                "write more of the identifier."
            )
        return found[0]

    def _read(self, where: str, *parameters: Any) -> list[GuardEvent]:
        rows = self._rows.read(f"SELECT body FROM {{table}} WHERE tenant = ? {where}", self._tenant, *parameters)
        with damage_told(TABLE):
            return [GuardEvent.model_validate_json(body) for (body,) in rows]


def forget_events(place: Place, before: datetime, most: int) -> int:
    """Forget what the guard stepped in for before this moment, of all tenants, so many at a time; returns how many."""
    return rows_in(place, TABLE).write(delete_some(TABLE, "event_id < ?"), (_first(before), most))


def _first(since: datetime | None) -> str:
    """Identifiers begin with the moment: the key serves both the order and the date."""
    return f"{since.astimezone(UTC):%Y%m%d-%H%M%S}" if since else ""


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
