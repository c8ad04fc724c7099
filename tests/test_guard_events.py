"""Interceptions outlive the process, hold no rows, are counted, and a false alarm leads to a whitelist entry."""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from each_case import each
from veracity.errors import UsageError
from veracity.grounding.config import RULES, GuardConfig
from veracity.grounding.contracts import Verdict
from veracity.grounding.events import EventStore, GuardEvent, events_of, proposal, record
from veracity.grounding.guard import ground
from veracity.settings import Settings
from veracity.telemetry import INTERCEPTIONS, Telemetry

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
RESULTS = [{"id": "r1", "columns": ["name", "salary"], "rows": [["Nadia Keller", 98765], ["Marco Rossi", 45678]]}]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    opened = EventStore(tmp_path / "guard.sqlite")
    yield opened
    opened.close()


def blocked(answer: str = "Users:\n- User 1\n- User 2", **changes: Any) -> Verdict:
    return ground(answer, RESULTS, **{"question": "List all users", **changes})


def event(number: int, **changes: Any) -> GuardEvent:
    at = NOON + timedelta(minutes=number)
    values = {"event_id": f"{at:%Y%m%d-%H%M%S}-{number:06}", "at": at, "question": "?", "rule": "placeholder"}
    return GuardEvent(**{**values, "outcome": "blocked", **changes})


# --- what is kept


def test_interception_says_when_what_where_and_what_became_of_it(store: EventStore) -> None:
    record(blocked(), store, question="List all users", model="openai:tiny", outcome="sent back", trace_id="t-1")
    (found,) = store.latest()
    assert (found.rule, found.text, found.question) == ("placeholder", "User 1\ufffd- User 2", "List all users")
    assert (found.model, found.outcome, found.trace_id, found.false_alarm) == ("openai:tiny", "sent back", "t-1", False)
    assert found.span == (9, 24)
    assert abs(found.at - datetime.now(UTC)) < timedelta(minutes=1)


def test_passing_answers_and_warnings_leave_no_event(store: EventStore, tmp_path: Path) -> None:
    assert record(ground("Hello."), store, question="Hi") == []
    warned = blocked(config=GuardConfig(warn=("placeholder", "unbound_figure")))
    assert warned.findings
    assert record(warned, store, question="?") == []
    assert list(store.latest()) == []
    assert not (tmp_path / "guard.sqlite").exists()


def test_words_are_cut_and_rows_are_never_kept(store: EventStore, tmp_path: Path) -> None:
    record(blocked("- " + "[date] " * 40), store, question="q" * 500)
    (found,) = store.latest()
    assert len(found.text) == 80
    assert len(found.question) == 200
    store.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not [cell for cell in (b"Keller", b"98765", b"Rossi") if cell in kept]


def test_file_is_readable_by_its_owner_only(store: EventStore, tmp_path: Path) -> None:
    store.save([event(1)])
    assert stat.S_IMODE((tmp_path / "guard.sqlite").stat().st_mode) == 0o600


def test_newest_come_first_and_can_be_narrowed_down(store: EventStore) -> None:
    rules = ("placeholder", "unbound_name")
    store.save(event(number, rule=rules[number % 2]) for number in range(1_200))
    assert [one.at for one in store.latest(2)] == [NOON + timedelta(minutes=n) for n in (1199, 1198)]
    assert len(list(store.latest(None))) == 1_200
    assert len(list(store.latest(None, rule="unbound_name"))) == 600
    late = list(store.latest(None, since=NOON + timedelta(minutes=1_190)))
    assert len(late) == 10
    assert [one.rule for one in store.latest(3, rule="placeholder")] == ["placeholder"] * 3


def test_event_is_marked_by_the_beginning_of_its_id(store: EventStore) -> None:
    store.save([event(1), event(2)])
    marked = store.mark("20261115-1201")
    assert marked.false_alarm
    assert [one.false_alarm for one in store.latest()] == [False, True]
    store.mark("20261115-1201", false_alarm=False)
    assert [one.false_alarm for one in store.latest()] == [False, False]


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ("2026", "Several events start with 2026"),
        ("2099", "There is no event '2099'"),
        ("%", "at least 4 characters"),
        ("", "at least 4"),
    ],
)
def test_event_that_cannot_be_told(store: EventStore, start: str, said: str) -> None:
    store.save([event(1), event(2)])
    with pytest.raises(UsageError, match=said):
        store.mark(start)


def test_no_file_is_no_event(tmp_path: Path) -> None:
    assert list(EventStore(tmp_path / "none.sqlite").latest()) == []
    assert list(EventStore.default(Settings(home=tmp_path)).latest()) == []
    assert list(tmp_path.iterdir()) == []


def test_file_of_something_else_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "guard.sqlite"
    path.write_bytes(b"not a database at all, but long enough to look at")
    with pytest.raises(UsageError, match="is not a file of guard events or is damaged"):
        list(EventStore(path).latest())
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE x (y)")
    other.close()
    with pytest.raises(UsageError, match="holds something other than guard events"):
        EventStore(path).save([event(1)])


def _save_some(path: Path, first: int) -> None:
    store = EventStore(path)
    for number in range(first, first + 25):
        store.save([event(number)])
    store.close()


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "guard.sqlite"
    context = multiprocessing.get_context("spawn")
    crowd = [context.Process(target=_save_some, args=(path, 100 * number)) for number in range(3)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()
    assert [one.exitcode for one in crowd] == [0, 0, 0]
    assert len(list(EventStore(path).latest(None))) == 75


# --- what is counted


def counted(reader: InMemoryMetricReader) -> dict[tuple[str, str], int]:
    collected = reader.get_metrics_data()
    data = json.loads(collected.to_json()) if collected else {}
    points = [
        (point["attributes"], point["value"])
        for resource in data.get("resource_metrics", [])
        for scope in resource["scope_metrics"]
        for metric in scope["metrics"]
        if metric["name"] == INTERCEPTIONS
        for point in metric["data"]["data_points"]
    ]
    return {(str(a["veracity.rule"]), str(a["veracity.outcome"])): value for a, value in points}


def test_interceptions_are_counted_by_rule_and_outcome() -> None:
    reader = InMemoryMetricReader()
    telemetry = Telemetry(None, meter_provider=MeterProvider(metric_readers=[reader], shutdown_on_exit=False))
    for outcome in ("sent back", "sent back", "blocked"):
        record(blocked(), None, question="?", outcome=outcome, telemetry=telemetry)
    record(ground("Hello."), None, question="?", telemetry=telemetry)
    record(ground("1, 2", trace=[]), None, question="?", telemetry=telemetry)
    first = counted(reader)
    assert first["placeholder", "sent back"] == 2
    assert first["placeholder", "blocked"] == 1
    assert first["required_tools", "blocked"] == 1


def test_nothing_is_counted_or_loaded_unless_asked_for() -> None:
    code = """
import sys
from veracity.telemetry import Telemetry
for environ in ({}, {"OTEL_METRICS_EXPORTER": "none"}):
    telemetry = Telemetry.from_env(environ)
    telemetry.intercepted("placeholder", "blocked")
    telemetry.shutdown()
print([name for name in sys.modules if name.startswith("opentelemetry")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={})
    assert done.stdout.strip() == "[]"


def test_console_gets_the_counter() -> None:
    code = """
from veracity.telemetry import Telemetry
telemetry = Telemetry.from_env()
telemetry.intercepted("placeholder", "blocked")
telemetry.shutdown()
print("answer")
"""
    environ = {"OTEL_METRICS_EXPORTER": "console", "OTEL_SERVICE_NAME": "mine"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ)
    assert done.stdout == "answer\n"
    assert INTERCEPTIONS in done.stderr
    assert '"veracity.rule": "placeholder"' in done.stderr
    assert '"service.name": "mine"' in done.stderr


def test_unknown_exporter_of_metrics_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="OTEL_METRICS_EXPORTER cannot be 'prometheus'; use otlp, console, none"):
        Telemetry.from_env({"OTEL_METRICS_EXPORTER": "prometheus"})


# --- false alarms


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("- 用户1\n- 用户2", {"whitelist": ["用户*"]}),
        ("The owner is John Doe.", {"whitelist": ["John Doe"]}),
        ("Product A is best.", {"whitelist": ["Product A"]}),
        ("The supplier is Roth AG.", {"known_names": ["Roth AG"]}),
        ("The rate is 8.1 %.", {"whitelist": ["8.1"]}),
    ],
)
def test_proposed_entry_lets_the_answer_pass(answer: str, expected: dict[str, Any]) -> None:
    (event_,) = events_of(ground(answer, RESULTS), question="?")
    proposed = proposal(event_)
    assert proposed == expected
    config = GuardConfig.model_validate(yaml.safe_load(yaml.safe_dump(proposed, allow_unicode=True)))
    assert ground(answer, RESULTS, config=config).verdict == "pass"


@each("rule", RULES)
def test_every_rule_has_a_proposal_that_can_be_loaded_or_none(rule: str) -> None:
    proposed = proposal(event(1, rule=rule, text="Roth"))
    assert (proposed is None) == (rule in ("internal_error", "no_answer", "expression"))
    GuardConfig.model_validate(proposed or {})
