"""What the pages bear: 20 people who open pages and 200 who ask at once, each beside a bare server under the same load.

    python benchmarks/pages.py [--rounds 3] [--turns 5] [--workers 2] [--json]

On a busy machine milliseconds say little, so that every figure stands beside that of a bare FastAPI server in the same minute:

- pages: 20 clients open one page after the other without a pause, as fast as the server lets them;
- paused: 20 people who look at each page for about a second, while the worker of the server runs and a question is asked now and then;
- asks: 200 clients ask one question each at the same moment; the bare server runs one query and returns its rows.

For pages, the bare server sends a page of the same size that is ready made. Rounds take turns between the two servers; the ratio is
the median over the rounds. The load of the machine is told before and after. Processor time does not depend on it: `cpu` tells the
milliseconds of a page that is sent again as it was, of one that is made anew, and of one of the bare server. Any response but the
expected one is an error, and ends it with exit code 1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from server import BARE, PATIENCE, QUESTIONS, Connection, Load, ask, asked, processor_seconds, started

USERS, ASKERS = 20, 200
LOOKING = 1.0
"""Seconds for which somebody looks at a page: from half to one and a half times as long."""
ASKED_EVERY = 2.0
PAGES = ("/", "/conversations", "/boards", "/traces", "/ontology", "/connect", "/reviews", "/requirements", "/quality")
PLAIN = "/page"
BARE_PAGE = """
from fastapi.responses import HTMLResponse

PAGE = "<!doctype html>" + "x" * int(sys.argv[2])


@app.get("/page")
async def page() -> HTMLResponse:
    return HTMLResponse(PAGE)


listener ="""


@dataclass(slots=True)
class Beside:
    """One load on our server and on the bare one, round by round."""

    name: str
    ours: list[Load] = field(default_factory=list)
    bare: list[Load] = field(default_factory=list)

    @property
    def errors(self) -> list[str]:
        """What went wrong on either side."""
        return [error for load in (*self.ours, *self.bare) for error in load.errors]

    @property
    def figures(self) -> dict[str, Any]:
        """The p95 of all requests of each side, and the median of the rounds' ratios."""
        ratios = [
            ours.figures["p95_ms"] / bare.figures["p95_ms"]
            for ours, bare in zip(self.ours, self.bare, strict=True)
            if bare.figures["p95_ms"]
        ]
        return {
            "clients": self.ours[0].clients,
            "requests": sum(load.figures["requests"] for load in self.ours),
            "errors": len(self.errors),
            "p50_ms": _together(self.ours)["p50_ms"],
            "p95_ms": _together(self.ours)["p95_ms"],
            "bare_p95_ms": _together(self.bare)["p95_ms"],
            "ratio": round(statistics.median(ratios), 1) if ratios else None,
        }


def _together(loads: list[Load]) -> dict[str, Any]:
    return Load("all", 0, taken=[one for load in loads for one in load.taken]).figures


async def opened(name: str, address: str, pages: tuple[str, ...], *, turns: int, looking: float = 0.0) -> Load:
    """People who open one page after the other, each beginning with another one; they may look at each for a while."""
    load, chance = Load(name, USERS), random.Random(22)

    async def user(number: int) -> None:
        connection = Connection(address)
        await asyncio.sleep(chance.uniform(0, looking))
        for at in range(turns * len(PAGES)):
            if at and looking:
                await asyncio.sleep(chance.uniform(0.5, 1.5) * looking)
            begun = perf_counter()
            try:
                async with asyncio.timeout(PATIENCE):
                    status = await connection.send("GET", pages[(number + at) % len(pages)], accept="text/html")
                    await connection.body()
            except (OSError, TimeoutError, asyncio.IncompleteReadError, IndexError) as error:
                load.errors.append(f"{type(error).__name__}: {error}")
                break
            if status == 200:
                load.taken.append(perf_counter() - begun)
            else:
                load.errors.append(f"status {status} of {pages[(number + at) % len(pages)]}")
        connection.close()

    begun = perf_counter()
    await asyncio.gather(*(user(number) for number in range(USERS)))
    load.seconds = perf_counter() - begun
    return load


async def looked_at(address: str, pages: tuple[str, ...], *, turns: int, asks: bool) -> Load:
    """People who look at what they open; meanwhile, somebody asks a question now and then."""
    stopped = asyncio.Event()

    async def questions() -> None:
        connection, number = Connection(address), 0
        while asks and not stopped.is_set():
            await ask(connection, QUESTIONS[number % len(QUESTIONS)])
            await asyncio.sleep(ASKED_EVERY)
            number += 1

    asking = asyncio.create_task(questions())
    load = await opened("paused", address, pages, turns=turns, looking=LOOKING)
    stopped.set()
    await asking
    return load


async def _processor_ms(pid: int, address: str, pages: tuple[str, ...], *, anew: bool = False, each: int = 20) -> float:
    """Milliseconds of processor time of one page; one that nobody has asked for before is made anew."""
    connection = Connection(address)
    for page in pages:
        await connection.send("GET", page, accept="text/html")
        await connection.body()
    before = processor_seconds(pid)
    for number in range(each):
        for page in pages:
            await connection.send("GET", f"{page}?anew={number}" if anew else page, accept="text/html")
            await connection.body()
    connection.close()
    return round((processor_seconds(pid) - before) * 1000 / each / len(pages), 2)


async def _size(address: str) -> int:
    """How many bytes a page has, on average."""
    connection = Connection(address)
    sizes = []
    for page in PAGES:
        await connection.send("GET", page, accept="text/html")
        sizes.append(len(await connection.body()))
    connection.close()
    return round(statistics.mean(sizes))


@contextmanager
def _bare(home: Path, environment: dict[str, str], size: int) -> Iterator[tuple[int, str]]:
    program = home / "bare.py"
    program.write_text(BARE.replace("listener =", BARE_PAGE.lstrip(), 1), encoding="utf-8")
    ledger = next(home.rglob("*.duckdb"))
    with started([sys.executable, str(program), str(ledger), str(size)], environment) as found:
        yield found


def measured(options: argparse.Namespace, home: Path) -> tuple[tuple[Beside, ...], dict[str, float]]:
    """All loads, in turns on both servers, and the processor time of a page."""
    environment = {**os.environ, "VERACITY_HOME": str(home)}
    serve = [str(Path(sys.executable).parent / "veracity"), "serve", "--port", "0", "--workers", str(options.workers)]
    serve += ["--log", "warning", "--rate-per-minute", "0", "--feature", "trustee"]
    pages, paused, asks = Beside("pages"), Beside("paused"), Beside("asks")
    with started(serve, environment) as (pid, address):
        size = asyncio.run(_size(address))
        asyncio.run(asked("warm", address, clients=5, each=5))
        with _bare(home, environment, size) as (bare_pid, bare):
            asyncio.run(opened("warm", address, PAGES, turns=1))
            asyncio.run(opened("warm", bare, (PLAIN,), turns=1))
            taken = {
                "again_ms": asyncio.run(_processor_ms(pid, address, PAGES)),
                "anew_ms": asyncio.run(_processor_ms(pid, address, PAGES, anew=True)),
                "bare_ms": asyncio.run(_processor_ms(bare_pid, bare, (PLAIN,), each=200)),
            }
            for _ in range(options.rounds):
                pages.ours.append(asyncio.run(opened("pages", address, PAGES, turns=options.turns)))
                pages.bare.append(asyncio.run(opened("bare", bare, (PLAIN,), turns=options.turns)))
                paused.ours.append(asyncio.run(looked_at(address, PAGES, turns=1, asks=True)))
                paused.bare.append(asyncio.run(looked_at(bare, (PLAIN,), turns=1, asks=False)))
                asks.ours.append(asyncio.run(asked("asks", address, clients=ASKERS, each=1)))
                asks.bare.append(asyncio.run(asked("bare", bare, clients=ASKERS, each=1)))
    return (pages, paused, asks), taken


def as_table(loads: tuple[Beside, ...], taken: dict[str, float], before: float, after: float) -> str:
    """All of it for people."""
    lines = ["          clients  requests  errors    p50 ms    p95 ms  bare p95 ms   ratio"]
    for load in loads:
        row = load.figures
        lines.append(
            f"{load.name:<8}{row['clients']:>9}{row['requests']:>10}{row['errors']:>8}"
            f"{row['p50_ms']:>10}{row['p95_ms']:>10}{row['bare_p95_ms']:>13}{row['ratio']!s:>8}"
        )
    lines.append(
        f"cpu of a page: {taken['again_ms']} ms sent again, {taken['anew_ms']} ms made anew, {taken['bare_ms']} ms bare"
    )
    lines.append(f"load of the machine, 1 minute: {before:.1f} before, {after:.1f} after, {os.cpu_count()} cores")
    lines += [f"  {error}" for error in sorted({error for load in loads for error in load.errors})[:5]]
    return "\n".join(lines)


def main(write: Callable[[str], object] = print) -> int:
    """Measure and report."""
    reading = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reading.add_argument("--rounds", type=int, default=3, help="how often both servers take their turn")
    reading.add_argument("--turns", type=int, default=5, help="how often each person opens all pages in a round")
    reading.add_argument("--workers", type=int, default=2, help="server processes")
    reading.add_argument("--json", action="store_true", help="JSON in place of a table")
    options = reading.parse_args()
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        loads, taken = measured(options, Path(folder))
    after = os.getloadavg()[0]
    told = {load.name: load.figures for load in loads}
    shown = json.dumps({**told, "cpu": taken, "load_before": before, "load_after": after}, indent=2)
    write(shown if options.json else as_table(loads, taken, before, after))
    return 1 if any(load.errors for load in loads) else 0


if __name__ == "__main__":
    sys.exit(main())
