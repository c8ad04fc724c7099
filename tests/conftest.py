"""What tests share: the shipped ledger, a real PostgreSQL of their own, and one small shop on every engine."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from decimal import Decimal
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest
import typer.main
import typer.testing
import yaml
from _pytest.assertion import rewrite
from hypothesis import settings
from hypothesis.internal import charmap
from hypothesis.internal.conjecture import providers

import command_line
from fork_server import GARBAGE, remembering
from installed import lacking
from veracity.features.trustee.ledger import build_ledger
from veracity.language import embed
from veracity.sources.open import open_source
from veracity.sources.source import Scope, Source
from veracity.tools.open import open_tables
from veracity.tools.tables import TableTools

# Tests and the hundreds of processes that they start would otherwise be compiled anew each time.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# A runner in the background may have been started with Ctrl-C ignored, which every command it starts would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A command line is put together anew for every command that a test runs in its own process; one is enough.
typer.main.get_command = typer.testing._get_command = cache(typer.main.get_command)  # type: ignore[attr-defined]

# There are megabytes of cases, which the reader in C reads in a tenth of the time.
yaml.safe_load = partial(yaml.load, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))

# The names of the ledger take seconds to embed, and there are hundreds of data folders that do not have them yet.
embed.encoder = cache(lambda read=embed.encoder: remembering(read()))

# What is imported and collected at first is no garbage.
gc.set_threshold(*GARBAGE)
gc.disable()

# The same examples in every run; `make fuzz` looks for new ones.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=25)
settings.register_profile("random", deadline=None, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

SETTINGS_OF_TEST = "_hypothesis_internal_use_settings"
"""Where Hypothesis keeps what `@settings` says."""

ENGINES = ("duckdb", "sqlite", "postgres")

SHOP = """
    CREATE TABLE "Sale" (
        "id" INTEGER NOT NULL, "tenant" VARCHAR(20) NOT NULL, "region" VARCHAR(20), "note" VARCHAR(200),
        "amount" DECIMAL(18,2), "weight" DOUBLE PRECISION, "soldOn" DATE, "soldAt" TIMESTAMP, "paid" BOOLEAN, "pieces" BIGINT
    )
"""
SALES: tuple[tuple[Any, ...], ...] = (
    (1, "t-1", "Nord", "first", Decimal("10.10"), 1.5, "2025-01-31", "2025-01-31 10:00:00", True, 3),
    (2, "t-1", "Nord", "", Decimal("20.20"), 2.5, "2025-02-28", "2025-02-28 11:30:00", False, 0),
    (3, "t-1", "Süd", None, Decimal("0.10"), None, "2024-12-31", None, None, None),
    (4, "t-1", "Süd", "100%", Decimal("0.20"), -1.0, None, "2024-12-31 23:59:59", True, 7),
    (5, "t-1", None, "it's; DROP TABLE", None, 0.0, "2025-03-01", "2025-03-01 00:00:00", True, 9),
    (6, "t-2", "Geheim", "other tenant", Decimal("999.99"), 9.9, "2025-01-31", "2025-01-31 10:00:00", True, 99),
)


def pytest_xdist_auto_num_workers() -> int:
    """Four test processes more than there are processors: many a test waits, for a database, a browser or a worker."""
    return len(os.sched_getaffinity(0)) + 4


def pytest_addoption(parser: pytest.Parser) -> None:
    """What is too much for every run, as `make fuzz` is."""
    parser.addoption(
        "--whole-sets", action="store_true", help="hold every case of the labelled sets, not one in several"
    )


def pytest_configure(config: pytest.Config) -> None:
    """With several test processes, the one that starts them starts a fork server for them all."""
    if config.getoption("numprocesses", None):
        os.environ[command_line.SHARED] = str(command_line.fork_server().folder)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: list[Any]) -> None:
    """Test processes are forks, too: what they all import is read, and in a new clone compiled, once."""
    threading.Thread(target=_rewrite_tests, args=(config,)).start()
    # Which characters there are takes Hypothesis seconds, in each test process, unless it is on disk before their first test.
    threading.Thread(target=charmap.intervals_from_codec, args=("utf-8",)).start()
    for spec in specs:
        spec.python = str(command_line.fork_server().folder / command_line.TESTER)


def _rewrite_tests(config: pytest.Config) -> None:
    """Pytest compiles tests in its own way; in a new clone every test process would do it for all of them."""
    state = config.stash[rewrite.assertstate_key]
    for test in sorted(Path(__file__).parent.rglob("test_*.py")):
        folder = rewrite.get_cache_dir(test)
        made = folder / f"{test.stem}{rewrite.PYC_TAIL}"
        if rewrite.try_makedirs(folder) and rewrite._read_pyc(test, made) is None:
            source, code = rewrite._rewrite_test(test, config)
            rewrite._write_pyc(state, code, source, made)


def pytest_unconfigure() -> None:
    """The fork server ends with the process that started it."""
    command_line.close()
    gc.unfreeze()


def pytest_collection_finish() -> None:
    """All that is there before the first test stays to the end, and is no garbage."""
    gc.collect()
    gc.freeze()
    gc.enable()


def long_ones_first(items: list[pytest.Item], processes: int) -> list[pytest.Item]:
    """The tests in an order that gives each process as many long ones to begin with: each gets an equal part of the list."""
    long = [item for item in items if item.get_closest_marker("long")]
    rest = [item for item in items if not item.get_closest_marker("long")]
    ordered: list[pytest.Item] = []
    for place in range(processes):
        own = long[place::processes]
        size = (len(items) - len(ordered)) // (processes - place)
        others = max(0, size - len(own))
        ordered += [*own, *rest[:others]]
        rest = rest[others:]
    return [*ordered, *rest]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long tests first in each test process, so that none is left to one at the end; and no more made-up examples than the profile has.

    What tests ask for themselves is for `make fuzz`.
    """
    items[:] = long_ones_first(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    if settings.get_current_profile_name() == "ci":
        # Hypothesis would also try the numbers and texts of every module that happens to be imported: to read them takes
        # seconds, and the examples would be others whenever other tests have run before.
        providers._get_local_constants = lambda: providers._local_constants
    most = settings.default.max_examples if settings.default else 0
    for item in items:
        test = getattr(item, "obj", None)
        own: settings | None = getattr(test, SETTINGS_OF_TEST, None)
        if own is not None and own.max_examples > most:
            setattr(test, SETTINGS_OF_TEST, settings(own, max_examples=most))


@pytest.fixture(scope="session", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the data folder of the person who runs it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("VERACITY_"):
                patch.delenv(name)
        patch.setenv("VERACITY_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The shipped ledger as a file. It is kept open: who opens it again shares the engine, and need not start one."""
    path = tmp_path_factory.mktemp("ledger") / "ledger.duckdb"
    root = tmp_path_factory.getbasetemp()
    built = (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "built.duckdb"
    with built.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one test process builds it, the others wait for it
        if not built.exists():
            build_ledger(built)
    shutil.copy(built, path)
    with closing(open_source(path)):
        yield path


@pytest.fixture(scope="session")
def gold(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Decimal]]:
    """SQL -> its one figure, straight from a copy of the ledger: what answers are held against."""
    copy = tmp_path_factory.mktemp("gold") / "gold.duckdb"
    shutil.copy(ledger, copy)
    with duckdb.connect(str(copy), read_only=True) as connection:

        def figure(sql: str) -> Decimal:
            found = connection.execute(sql).fetchone()
            assert found is not None
            assert found[0] is not None, sql
            return Decimal(str(found[0]))

        yield figure


@pytest.fixture(scope="session")
def trustee(ledger: Path) -> Iterator[TableTools]:
    """Table tools on the shipped ledger, with the trustee ontology and the demo mandate."""
    tools = open_tables(ledger, feature="trustee")
    yield tools
    tools.close()


# --- PostgreSQL


def _binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


def _as_postgres(command: list[str]) -> list[str]:
    # The server refuses to run as root; Debian's package brings a user for it.
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server that was started for this run."""
    binaries = _binaries()
    if binaries is None:
        lacking("PostgreSQL", "postgresql")
    # Not in pytest's own folder: other runs tidy that up, also under a server that is still running.
    data = Path(tempfile.mkdtemp(prefix="veracity-postgres-"))
    if os.geteuid() == 0:
        shutil.chown(data, "postgres")
    initdb = [
        str(binaries / "initdb"),
        "-D",
        str(data),
        "-U",
        "tester",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--no-sync",
        "--locale=C.UTF-8",
    ]
    subprocess.run(_as_postgres(initdb), check=True, capture_output=True, cwd="/")
    server, url = _started(binaries, data)
    try:
        yield url
    finally:
        subprocess.run(
            _as_postgres([str(binaries / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop"]),
            check=False,
            capture_output=True,
            cwd="/",
        )
        server.wait(timeout=30)
        shutil.rmtree(data, ignore_errors=True)


def _started(binaries: Path, data: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A server that answers, and its URL; a port that somebody else took in between is left to them."""
    for _ in range(5):
        port = _free_port()
        command = [
            *(str(binaries / "postgres"), "-D", str(data), "-p", str(port)),
            *("-h", "127.0.0.1", "-k", "", "-c", "fsync=off"),
        ]
        server = subprocess.Popen(_as_postgres(command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
        url = f"postgresql://tester@127.0.0.1:{port}/postgres"
        if _answers(url, server):
            return server, url
    pytest.fail("PostgreSQL does not start.")


@pytest.fixture(scope="session")
def new_database(postgres: str) -> Callable[..., str]:
    """Makes a database of its own from statements, and gives its URL."""
    numbers = count(1)

    def make(*statements: str) -> str:
        name = f"own_{next(numbers)}"
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        url = postgres.rpartition("/")[0] + f"/{name}"
        with psycopg.connect(url, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())
        return url

    return make


def _answers(url: str, server: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + 60
    while server.poll() is None:
        try:
            psycopg.connect(url, connect_timeout=2).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return True
    return False


# --- one shop, three engines


def load(engine: str, spec: str, ddl: str, table: str, rows: tuple[tuple[Any, ...], ...]) -> None:
    """Create and fill a table on an engine."""
    marks = ", ".join("%s" if engine == "postgres" else "?" for _ in rows[0])
    insert = f'INSERT INTO "{table}" VALUES ({marks})'
    if engine == "duckdb":
        with duckdb.connect(spec) as duck:
            duck.execute(ddl)
            duck.executemany(insert, [list(row) for row in rows])
    elif engine == "sqlite":
        plain = [tuple(str(cell) if isinstance(cell, Decimal) else cell for cell in row) for row in rows]
        lite = sqlite3.connect(spec)
        lite.execute(ddl)
        lite.executemany(insert, plain)
        lite.commit()
        lite.close()
    else:
        with psycopg.connect(spec, autocommit=True) as connection:
            connection.execute(f'DROP TABLE IF EXISTS "{table}" CASCADE')
            connection.execute(ddl)
            connection.cursor().executemany(insert, rows)


@pytest.fixture(scope="session")
def shop_specs(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Callable[[str], str]:
    """engine -> the `--source` of a shop with the rows of `SALES`."""
    made: dict[str, str] = {}

    def spec(engine: str) -> str:
        if engine not in made:
            suffix = {"duckdb": "shop.duckdb", "sqlite": "shop.sqlite"}
            target = (
                request.getfixturevalue("postgres")
                if engine == "postgres"
                else str(tmp_path_factory.mktemp(engine) / suffix[engine])
            )
            load(engine, target, SHOP, "Sale", SALES)
            made[engine] = target
        return made[engine]

    return spec


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine in turn."""
    return str(request.param)


@pytest.fixture
def shop_spec(engine: str, shop_specs: Callable[[str], str]) -> str:
    """The shop on this engine."""
    return shop_specs(engine)


@pytest.fixture(scope="session")
def shop_sources(shop_specs: Callable[[str], str]) -> Iterator[Callable[[str], Source]]:
    """engine -> the shop's source, opened once: no test can change what it reads."""
    opened: dict[str, Source] = {}

    def source(engine: str) -> Source:
        if engine not in opened:
            opened[engine] = open_source(shop_specs(engine))
        return opened[engine]

    yield source
    for one in opened.values():
        one.close()


@pytest.fixture
def shop(engine: str, shop_sources: Callable[[str], Source]) -> TableTools:
    """Table tools on the shop, in the scope of its first tenant, without an ontology."""
    return TableTools(shop_sources(engine), scope=Scope({"tenant": "t-1"}))


@pytest.fixture
def source(shop_spec: str) -> Iterator[Source]:
    """The shop's source."""
    opened = open_source(shop_spec)
    yield opened
    opened.close()
