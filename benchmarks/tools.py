"""What the tools cost, measured in one run against the engine itself: python benchmarks/tools.py [--rows 10000000]

Prints a table of figures with their targets; exit code 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

from veracity import TableTools, open_tables
from veracity.contracts import QueryValidationError
from veracity.query.compile import compile_call
from veracity.query.validator import validate
from veracity.sources.open import open_source

LOOKUP = {
    "tableName": "TrusteeDataAccountBalance",
    "filters": [
        {"field": "periodYear", "op": "=", "value": 2025},
        {"field": "periodMonth", "op": "=", "value": 0},
        {"field": "accountNumber", "op": "LIKE", "value": "102%"},
    ],
}
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "valid query": ("queryTable", LOOKUP),
    "valid aggregate": (
        "aggregateTable",
        {
            "tableName": "TrusteeLedgerLine",
            "aggregate": "SUM",
            "field": "debitAmount",
            "groupBy": ["costCenter", "currency"],
            "filters": [{"field": "bookingYear", "op": "=", "value": 2025}],
        },
    ),
    "SUM of a balance": (
        "aggregateTable",
        {"tableName": "TrusteeDataAccountBalance", "aggregate": "SUM", "field": "closingBalance"},
    ),
    "misspelt field": ("queryTable", {**LOOKUP, "fields": ["klosingBalance"]}),
    "misspelt value": (
        "queryTable",
        {"tableName": "TrusteeDataContact", "filters": [{"field": "contactType", "op": "=", "value": "custmer"}]},
    ),
}
AGGREGATE = {"tableName": "event", "aggregate": "SUM", "field": "amount", "groupBy": ["region"]}


class Report:
    """Figures beside their targets."""

    def __init__(self) -> None:
        self.missed = 0

    def line(self, name: str, value: float, unit: str, target: float | None = None) -> None:
        verdict = "" if target is None else "ok" if value <= target else "MISSED"
        self.missed += verdict == "MISSED"
        goal = "" if target is None else f"<= {target:g}"
        print(f"{name:<58} {value:>10.3f} {unit:<4} {goal:<8} {verdict}")


def cpu_times(action: Callable[[], object], repeats: int) -> list[float]:
    """CPU seconds of each of so many runs, all threads counted."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return times


async def call_times(tools: TableTools, tool: str, arguments: dict[str, Any], repeats: int) -> list[float]:
    """CPU seconds of each of so many calls in one event loop, as in a program that awaits them."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        result = await tools.call(tool, arguments)
        times.append(time.process_time() - start)
        assert result.success, result.error
    return times


def validator(report: Report, tools: TableTools) -> None:
    for name, (tool, arguments) in CALLS.items():
        asyncio.run(tools.dry_run(tool, arguments))  # fills the value profile once, as any first call does

        def once(tool: str = tool, arguments: dict[str, Any] = arguments) -> object:
            return validate(tool, arguments, tools.catalog, tools.profile)

        times = []
        for _ in range(3000):
            start = time.perf_counter()
            once()
            times.append(time.perf_counter() - start)
        report.line(f"validator p50, {name}", statistics.median(times) * 1e6, "us", 150)


def raw_copy(path: Path, folder: Path) -> Path:
    """A copy for the raw engine: one process cannot open a file under two configurations."""
    return Path(shutil.copy(path, folder / f"raw-{path.name}"))


def small_lookup(report: Report, tools: TableTools, folder: Path) -> None:
    checked = validate("queryTable", LOOKUP, tools.catalog, tools.profile)
    assert not isinstance(checked, QueryValidationError)
    statement = compile_call(checked, tools.catalog, tools.source, row_limit=200).statement
    with duckdb.connect(str(raw_copy(ledger_path(), folder)), read_only=True) as raw, asyncio.Runner() as runner:
        cursor = raw.cursor()

        def theirs() -> object:
            return cursor.execute(statement.sql, list(statement.parameters)).fetchall()

        cpu_times(theirs, 20)
        runner.run(call_times(tools, "queryTable", LOOKUP, 20))
        base = statistics.median(cpu_times(theirs, 300))
        mine = statistics.median(runner.run(call_times(tools, "queryTable", LOOKUP, 300)))
    report.line("small lookup, raw DuckDB, CPU", base * 1e3, "ms")
    report.line("small lookup, queryTable, CPU", mine * 1e3, "ms")
    report.line("small lookup, what the tool adds", (mine - base) * 1e3, "ms", 4)


def ledger_path() -> Path:
    from veracity.features import get_feature
    from veracity.features.feature import shipped_file
    from veracity.settings import Settings

    return shipped_file(get_feature("trustee"), Settings.from_env())


def make_events(path: Path, rows: int) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE event AS SELECT i AS n, 'region ' || (i % 50) AS region, (i % 100000 / 100)::DECIMAL(18,2) AS amount "
            f"FROM range({rows}) t(i)"
        )


def large_aggregate(report: Report, path: Path, rows: int) -> None:
    tools = TableTools(open_source(path))
    checked = validate("aggregateTable", AGGREGATE, tools.catalog, tools.profile)
    assert not isinstance(checked, QueryValidationError)
    sql = 'SELECT "region", SUM("amount") FROM "event" GROUP BY "region" ORDER BY "region"'
    with duckdb.connect(str(raw_copy(path, path.parent)), read_only=True) as raw, asyncio.Runner() as runner:
        theirs, ours = [], []
        for _ in range(41):  # in turns, so that whatever else the machine does meets both alike
            theirs += cpu_times(lambda: raw.execute(sql).fetchall(), 1)
            ours += runner.run(call_times(tools, "aggregateTable", AGGREGATE, 1))
    base, mine = statistics.median(theirs), statistics.median(ours)
    report.line(f"aggregate over {rows:,} rows, raw DuckDB, CPU", base * 1e3, "ms")
    report.line(f"aggregate over {rows:,} rows, tool / raw", mine / base, "x", 1.05)
    tools.close()


def peak_memory(path: Path) -> float:
    """The peak resident megabytes of a process that aggregates and reads rows through the tools."""
    # VmHWM, not ru_maxrss: that one starts a new process with the peak of its parent.
    code = (
        "import sys\nfrom veracity import TableTools\nfrom veracity.sources.open import open_source\n"
        "tools = TableTools(open_source(sys.argv[1]))\n"
        f"assert tools.call_sync('aggregateTable', {AGGREGATE!r}).success\n"
        "assert tools.call_sync('queryTable', {'tableName': 'event', 'filters': [{'field': 'n', 'op': '>', 'value': 5}]}).success\n"
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    return float(done.stdout) / 1024


def start_up(report: Report) -> None:
    commands = {
        "veracity --help": ["--help"],
        "veracity call --dry-run": ["call", "browseTable", '{"tableName": "TrusteeDataAccount"}', "--dry-run"],
    }
    program = str(Path(sys.executable).parent / "veracity")
    for name, arguments in commands.items():
        wall, cpu = [], []
        for _ in range(7):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run([program, *arguments], capture_output=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            wall.append(time.perf_counter() - start)
            cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        report.line(f"start-up of {name}, wall", statistics.median(wall) * 1e3, "ms")
        report.line(f"start-up of {name}, CPU", statistics.median(cpu) * 1e3, "ms")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    rows = parser.parse_args().rows
    report = Report()
    tools = open_tables()
    validator(report, tools)
    with tempfile.TemporaryDirectory() as folder:
        small_lookup(report, tools, Path(folder))
        tools.close()
        small, large = Path(folder) / "small.duckdb", Path(folder) / "large.duckdb"
        make_events(small, rows // 10)
        make_events(large, rows)
        large_aggregate(report, large, rows)
        few, many = peak_memory(small), peak_memory(large)
        report.line(f"peak memory, {rows // 10:,} rows", few, "MB")
        report.line(f"peak memory, {rows:,} rows", many, "MB")
        report.line("peak memory, ratio for ten times the rows", many / few, "x", 1.5)
    start_up(report)
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
