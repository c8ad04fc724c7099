"""What the processes of a server share, on SQLite and on PostgreSQL: keys, traces, guard events, live events, cached values."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from command_line import program
from served import is_followed
from veracity.agent.trace_store import TraceRecord, TraceStore
from veracity.cli import app
from veracity.errors import SourceError, UsageError
from veracity.grounding.events import EventStore, GuardEvent
from veracity.server.database import ServerDatabase, SharedCache
from veracity.server.keys import ROLES, Caller, KeyStore
from veracity.server.live import LiveEvent, LiveEvents
from veracity.server.work import forget_old

NOW = datetime(2026, 11, 15, 4, 51, 2, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ServerDatabase]:
    place = str(tmp_path / "serve.sqlite") if request.param == "sqlite" else request.getfixturevalue("postgres")
    with ServerDatabase.open(place) as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Iterator[ServerDatabase]:
    with ServerDatabase.open(str(tmp_path / "deep" / "serve.sqlite")) as opened:
        yield opened


# --- keys


def test_a_key_says_who_asks_and_only_its_fingerprint_is_kept(file: ServerDatabase, tmp_path: Path) -> None:
    plain, info = file.keys.create("m-1", "reviewer", name="Anna")
    assert file.keys.find(plain) == Caller("m-1", "reviewer", info.key_id, "Anna")
    secret = plain.rpartition("_")[2]
    file.close()
    kept = b"".join(path.read_bytes() for path in (tmp_path / "deep").iterdir())
    assert info.key_id.encode() in kept
    assert secret.encode() not in kept
    assert (tmp_path / "deep" / "serve.sqlite").stat().st_mode & 0o777 == 0o600


def test_what_is_no_key_opens_nothing(database: ServerDatabase) -> None:
    plain, info = database.keys.create("m-1", "admin")
    other, _ = database.keys.create("m-2", "analyst")
    swapped = f"vk_{info.key_id}_{other.rpartition('_')[2]}"
    for wrong in (
        "",
        "vk_",
        "admin",
        plain[:-1],
        plain + "0",
        plain.upper(),
        swapped,
        f"vk_{'0' * 12}_{'0' * 64}",
        "ü" * 80,
    ):
        assert database.keys.find(wrong) is None
    assert database.keys.find(f" {plain} ") is not None


def test_a_revoked_key_opens_nothing_also_in_a_process_that_knew_it(database: ServerDatabase) -> None:
    elsewhere = KeyStore(database.durable)
    plain, info = database.keys.create("m-rev", "analyst")
    assert elsewhere.find(plain) is not None
    assert database.keys.revoke(info.key_id).revoked_at is not None
    assert database.keys.find(plain) is None
    limit = time.monotonic() + 30
    while elsewhere.find(plain) is not None:
        assert time.monotonic() < limit
        time.sleep(0.2)
    assert [one.state(datetime.now(UTC)) for one in database.keys.list("m-rev")] == ["revoked"]


def test_a_key_ends_with_its_days(file: ServerDatabase) -> None:
    now = NOW
    keys = KeyStore(file.durable, clock=lambda: now)
    plain, _ = keys.create("m-1", "analyst", days=2)
    assert keys.any()
    now += timedelta(days=1, hours=23)
    assert keys.find(plain) is not None
    now += timedelta(hours=1)
    assert keys.find(plain) is None
    assert not keys.any()


def test_a_tenant_lists_and_revokes_only_its_own_keys(database: ServerDatabase) -> None:
    plain, info = database.keys.create("m-own", "admin")
    assert [one.key_id for one in database.keys.list("m-own")] == [info.key_id]
    assert database.keys.list("m-nobody") == ()
    with pytest.raises(UsageError, match="There is no key"):
        database.keys.revoke(info.key_id, "m-nobody")
    assert database.keys.find(plain) is not None


def test_all_keys_of_a_tenant_have_its_one_scope(database: ServerDatabase) -> None:
    scope = {"featureInstanceId": "fi-other"}
    first, info = database.keys.create("m-scope", "admin", scope=scope)
    second, _ = database.keys.create("m-scope", "analyst")
    for plain in (first, second):
        found = database.keys.find(plain)
        assert found is not None
        assert found.scope == (("featureInstanceId", "fi-other"),)
    for other in ({}, {"featureInstanceId": "fi-demo"}):
        with pytest.raises(UsageError, match="featureInstanceId=fi-other: a tenant has one scope"):
            database.keys.create("m-scope", "analyst", scope=other)
    for one in database.keys.list("m-scope"):
        database.keys.revoke(one.key_id)
    assert database.keys.create("m-scope", "analyst", scope={"featureInstanceId": "fi-new"})[1].scope != info.scope


def test_a_key_that_was_revoked_is_still_one_that_was_made(file: ServerDatabase) -> None:
    assert not file.keys.was_any()
    _, info = file.keys.create("m-1", "admin")
    file.keys.revoke(info.key_id)
    assert (file.keys.any(), file.keys.was_any()) == (False, True)


def test_keys_of_an_earlier_version_go_on_without_a_scope(file: ServerDatabase, tmp_path: Path) -> None:
    plain, info = file.keys.create("m-1", "admin")
    file.close()
    connection = sqlite3.connect(tmp_path / "deep" / "serve.sqlite")
    connection.execute("ALTER TABLE veracity_key DROP COLUMN scope")
    connection.close()
    with ServerDatabase.open(str(tmp_path / "deep" / "serve.sqlite")) as later:
        assert later.keys.find(plain) == Caller("m-1", "admin", info.key_id)


def test_roles_include_those_before_them() -> None:
    may = [[Caller("t", role).may(wanted) for wanted in ROLES] for role in ROLES]
    assert may == [[True, False, False], [True, True, False], [True, True, True]]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tenant": "a b"}, "A tenant has 1 to 64 letters"),
        ({"tenant": ""}, "A tenant has 1 to 64 letters"),
        ({"tenant": "x" * 65}, "A tenant has 1 to 64 letters"),
        ({"role": "boss"}, "A role is analyst, reviewer or admin"),
        ({"days": 0}, "A key is valid for up to 3650 days"),
        ({"days": float("nan")}, "A key is valid for up to 3650 days"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused(file: ServerDatabase, given: dict[str, Any], said: str) -> None:
    values = {"tenant": "m-1", "role": "analyst", **given}
    with pytest.raises(UsageError, match=said):
        file.keys.create(values.pop("tenant"), values.pop("role"), **values)
    assert not file.keys.any()


def test_keys_are_made_listed_and_revoked_on_the_command_line(tmp_path: Path) -> None:
    runner, place = CliRunner(), ["--database", str(tmp_path / "s.sqlite")]
    assert "There is no key" in runner.invoke(app, ["key", "list", *place]).output
    assert not (tmp_path / "s.sqlite").exists()
    told = ["--days", "3", "--scope", "featureInstanceId=fi-1"]
    made = runner.invoke(app, ["key", "create", "--tenant", "m-demo", "--role", "admin", *told, *place])
    plain = made.stdout.strip()
    assert made.exit_code == 0
    with ServerDatabase.open(place[1]) as opened:
        found = opened.keys.find(plain)
    assert found is not None
    assert (found.tenant, found.role, found.scope) == ("m-demo", "admin", (("featureInstanceId", "fi-1"),))
    assert "m-demo (featureInstanceId=fi-1)" in runner.invoke(app, ["key", "list", *place]).output
    (listed,) = json.loads(runner.invoke(app, ["key", "list", "--json", *place]).stdout)
    assert (listed["keyId"], listed["state"], listed["role"]) == (found.key_id, "active", "admin")
    assert plain.rpartition("_")[2] not in runner.invoke(app, ["key", "list", *place]).output
    assert runner.invoke(app, ["key", "revoke", str(found.key_id), *place]).exit_code == 0
    assert "revoked" in runner.invoke(app, ["key", "list", *place]).output


# --- traces and guard events


def record(trace_id: str, **changes: Any) -> TraceRecord:
    values: dict[str, Any] = {
        "trace_id": trace_id,
        "started_at": NOW,
        "updated_at": NOW,
        "finished": True,
        "question": "Wie hoch?",
        "lang": "de",
        "model": "offline",
        "source": "ledger",
        "outcome": "answered",
        "text": "Hoch.",
        "body": {"data": {"columns": ["a"], "rows": [[1]], "rowCount": 1}},
    }
    return TraceRecord(**{**values, **changes})


def test_a_trace_is_kept_as_in_a_file_of_a_user(database: ServerDatabase, tmp_path: Path) -> None:
    traces, beside = database.traces("m-same"), TraceStore(tmp_path / "traces.sqlite")
    for store in (traces, beside):
        store.save(record("20261115-045102-aaaaaaaaaa", finished=False, outcome=None, text=None))
        store.save(record("20261115-045102-aaaaaaaaaa"))
        store.save(record("20261115-045103-bbbbbbbbbb"))
    assert traces.latest() == beside.latest()
    assert traces.get("20261115-045102") == beside.get("20261115-045102")
    assert traces.get("20261115-045102").body == {"data": {"columns": ["a"], "rows": [], "rowCount": 1}}
    assert [one.trace_id[-1] for one in traces.latest(5, before="20261115-045103-bbbbbbbbbb")] == ["a"]
    for wrong in ("2026", "20991231", "' OR", "x"):
        with pytest.raises(UsageError):
            traces.get(wrong)


def test_a_tenant_finds_no_trace_and_no_event_of_another_even_under_the_same_id(database: ServerDatabase) -> None:
    name = "20261115-045102-cccccccccc"
    database.traces("m-a").save(record(name, question="secret of a"))
    database.events("m-a").save([event(1)])
    with pytest.raises(UsageError, match="There is no trace"):
        database.traces("m-b").get(name)
    assert (database.traces("m-b").latest(), list(database.events("m-b").latest())) == ([], [])
    assert database.events("m-b").counts() == {}
    database.traces("m-b").save(record(name, question="of b"))
    assert database.traces("m-a").get(name).question == "secret of a"


def event(number: int, rule: str = "placeholder") -> GuardEvent:
    moment = NOW + timedelta(seconds=number)
    return GuardEvent(
        event_id=f"{moment:%Y%m%d-%H%M%S-%f}-{number:06}",
        at=moment,
        question="Wer?",
        rule=rule,
        span=(1, 4),
        text="用户1",
        outcome="blocked",
    )


def test_guard_events_are_listed_and_counted_as_in_a_file_of_a_user(database: ServerDatabase, tmp_path: Path) -> None:
    events = [event(number, "placeholder" if number % 3 else "unbound_name") for number in range(1_203)]
    shared, beside = database.events("m-guard"), EventStore(tmp_path / "guard.sqlite")
    for store in (shared, beside):
        assert store.save(events) == 1_203
    assert list(shared.latest(None)) == list(beside.latest(None)) == events[::-1]
    assert list(shared.latest(3, rule="unbound_name")) == list(beside.latest(3, rule="unbound_name"))
    since = NOW + timedelta(seconds=1_200)
    assert shared.counts() == beside.counts() == {"placeholder": 802, "unbound_name": 401}
    assert shared.counts(since=since) == beside.counts(since=since) == {"placeholder": 2, "unbound_name": 1}


def test_what_is_older_than_its_days_is_forgotten_a_little_at_a_time(database: ServerDatabase) -> None:
    for tenant in ("m-old-1", "m-old-2"):
        for number in range(3):
            moment = NOW - timedelta(days=number * 10)
            name = f"{moment:%Y%m%d-%H%M%S}-{number:010}"
            database.traces(tenant).save(record(name, started_at=moment))
            database.events(tenant).save([event(-number * 864_000)])
    forget = partial(forget_old, database.durable, clock=lambda: NOW)
    assert not forget(0, at_once=1)
    assert forget(15, at_once=1)
    while forget(15, at_once=1):
        pass
    assert not forget(15)
    for tenant in ("m-old-1", "m-old-2"):
        assert [one.trace_id[-1] for one in database.traces(tenant).latest()] == ["0", "1"]
        assert len(list(database.events(tenant).latest())) == 2


# --- live events


async def taken(live: LiveEvents, tenant: str, count: int, after: int | None = None) -> list[LiveEvent]:
    found: list[LiveEvent] = []
    async for event in live.follow(tenant, after):
        found.append(event)
        if len(found) == count:
            break
    return found


def test_followers_in_every_process_hear_what_happens_to_their_tenant_and_nothing_else(
    database: ServerDatabase,
) -> None:
    elsewhere = LiveEvents(database.durable)

    async def run() -> list[list[LiveEvent]]:
        followers = [asyncio.create_task(taken(live, "m-live", 3)) for live in (database.live, elsewhere) for _ in "ab"]
        while not (is_followed(database.live, 2) and is_followed(elsewhere, 2)):
            await asyncio.sleep(0.01)
        for number in range(3):
            await asyncio.to_thread(database.live.publish, "m-other", "job", {"secret": number})
            await asyncio.to_thread(elsewhere.publish, "m-live", "review", {"number": number})
        return await asyncio.wait_for(asyncio.gather(*followers), 20)

    heard_by_all = asyncio.run(run())
    assert "m-live" not in heard_by_all[0][0].told
    for heard in heard_by_all:
        assert [(one.tenant, one.kind, one.body) for one in heard] == [
            ("m-live", "review", {"number": number}) for number in range(3)
        ]


def test_what_two_followers_of_a_process_are_told_is_written_once(database: ServerDatabase) -> None:
    """A follower that has just begun may read the first events by itself; later ones are handed to all at once."""
    live = database.live

    async def are_told_the_same() -> None:
        one, two = live.follow("m-once"), live.follow("m-once")
        waiting = [asyncio.ensure_future(anext(follower)) for follower in (one, two)]
        while not is_followed(live, 2):
            await asyncio.sleep(0.01)
        while True:
            await asyncio.to_thread(live.publish, "m-once", "job", {})
            first, second = await asyncio.gather(*waiting)
            if first.told is second.told:
                return
            waiting = [asyncio.ensure_future(anext(follower)) for follower in (one, two)]
            await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(are_told_the_same(), 20))


def test_a_follower_who_was_away_goes_on_where_it_stopped(database: ServerDatabase) -> None:
    for number in range(5):
        database.live.publish("m-away", "job", {"number": number})

    async def run() -> tuple[list[LiveEvent], list[LiveEvent]]:
        first = await taken(database.live, "m-away", 2, 0)
        return first, await asyncio.wait_for(taken(database.live, "m-away", 3, first[-1].id), 20)

    first, rest = asyncio.run(run())
    assert [one.body["number"] for one in (*first, *rest)] == list(range(5))


def test_a_number_that_was_never_given_is_from_now_on(database: ServerDatabase) -> None:
    database.live.publish("m-reset", "job", {"number": 0})

    async def run() -> list[LiveEvent]:
        following = asyncio.create_task(taken(database.live, "m-reset", 1, 10**9))
        while not is_followed(database.live):
            await asyncio.sleep(0.01)
        await asyncio.to_thread(database.live.publish, "m-reset", "job", {"number": 1})
        return await asyncio.wait_for(following, 20)

    assert [one.body["number"] for one in asyncio.run(run())] == [1]


def test_nothing_is_lost_or_told_twice_while_many_write_at_once(database: ServerDatabase) -> None:
    def write(writer: int) -> None:
        for number in range(40):
            database.live.publish("m-many", "job", {"writer": writer, "number": number})

    async def run() -> list[LiveEvent]:
        following = asyncio.create_task(taken(LiveEvents(database.durable), "m-many", 160, 0))
        with ThreadPoolExecutor(4) as pool:
            await asyncio.gather(*(asyncio.get_running_loop().run_in_executor(pool, write, one) for one in range(4)))
        return await asyncio.wait_for(following, 30)

    heard = asyncio.run(run())
    assert [one.id for one in heard] == sorted({one.id for one in heard})
    for writer in range(4):
        assert [one.body["number"] for one in heard if one.body["writer"] == writer] == list(range(40))


def test_a_follower_who_takes_nothing_for_long_misses_nothing(file: ServerDatabase) -> None:
    async def run() -> list[int]:
        following = file.live.follow("m-slow", 0)
        file.live.publish("m-slow", "job", {"number": 0})
        found = [(await anext(following)).body["number"]]
        for number in range(1, 2_501):
            file.live.publish("m-slow", "job", {"number": number})
            if number % 500 == 0:
                await asyncio.sleep(0.4)
        async for event in following:
            found.append(event.body["number"])
            if event.body["number"] == 2_500:
                break
        return found

    assert asyncio.run(run()) == list(range(2_501))


def test_old_events_go(file: ServerDatabase, tmp_path: Path) -> None:
    live = LiveEvents(file.durable, most=150)
    for number in range(500):
        live.publish("m-old", "job", {"number": number})
    connection = sqlite3.connect(tmp_path / "deep" / "serve.sqlite")
    count, newest = connection.execute("SELECT count(*), max(id) FROM veracity_live").fetchone()
    connection.close()
    assert 150 <= count <= 250
    assert newest == 500


# --- cached values and the database itself


def test_a_cached_value_is_there_for_every_process_until_its_time_is_up(database: ServerDatabase) -> None:
    now = 1_000.0
    one = SharedCache(database.durable, clock=lambda: now)
    one.put("state-key", {"score": [1, 2]}, seconds=10)
    one.put("never", 1, seconds=0)
    other = SharedCache(database.durable, clock=lambda: now)
    assert (other.get("state-key"), other.get("never"), other.get("unknown")) == ({"score": [1, 2]}, None, None)
    one.put("state-key", "new", seconds=10)
    assert other.get("state-key") == "new"
    now += 10
    assert other.get("state-key") is None


def test_the_oldest_values_go_when_there_are_too_many(file: ServerDatabase) -> None:
    now = 1_000.0
    cache = SharedCache(file.durable, most=10, clock=lambda: now)
    for number in range(151):
        now += 1
        cache.put(f"k{number}", number, seconds=10_000)
    found = [number for number in range(151) if cache.get(f"k{number}") is not None]
    assert found == list(range(141, 151))


def test_a_database_that_is_away_is_one_sentence_without_its_password_and_costs_no_cached_result() -> None:
    with ServerDatabase.open("postgresql://anna:secret@127.0.0.1:1/serve") as away:
        with pytest.raises(
            SourceError, match=r"The server's data in 127.0.0.1:1/serve cannot be read or written"
        ) as told:
            away.check()
        assert "secret" not in str(told.value)
        cache = away.cache()
        cache.put("a", 1, seconds=5)
        assert cache.get("a") is None


def test_processes_that_start_at_once_make_the_tables_together(database: ServerDatabase) -> None:
    code = (
        "import sys; from veracity.server.database import ServerDatabase; from veracity.server.jobs import JobDesk\n"
        "d = ServerDatabase.open(sys.argv[1]); d.check(); JobDesk(d.durable).prepare(); d.keys.create('m-start', 'analyst')"
    )
    command = [str(program().with_name("python")), "-c", code, database.durable.url]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    errors = [process.communicate(timeout=60)[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], errors
    assert len(database.keys.list("m-start")) == 2
