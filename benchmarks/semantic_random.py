"""Random semantic queries over random small databases: the engine's answer against nested loops in Python.

python benchmarks/semantic_random.py --queries 100000 [--seed N] [--engine duckdb|sqlite] [--jobs N] [--postgres URL]

Each world is asked on one of the engines in turn, in so many processes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from semantic_engines import DuckWorlds, PostgresWorlds, SqliteWorlds, Worlds, run_world

PER_WORLD = 50
REPORTED_EVERY = 5000


def worlds_of(engine: str, folder: str) -> Worlds:
    """The engine of a name; that of a URL is PostgreSQL's."""
    if engine == "duckdb":
        return DuckWorlds()
    return SqliteWorlds(Path(folder)) if engine == "sqlite" else PostgresWorlds(engine)


def ask(task: tuple[int, str]) -> tuple[Counter[str], list[str]]:
    """Ask the queries of one world of one engine: how many were answered and refused, and what differed."""
    seed, engine = task
    counts: Counter[str] = Counter()
    differing = []
    with tempfile.TemporaryDirectory() as folder:
        for name, written, problem, valid in run_world(seed, PER_WORLD, [worlds_of(engine, folder)]):
            counts["answered" if valid else "refused"] += 1
            counts[name] += valid
            if problem is not None:
                differing.append(f"--- seed {seed}, {name}\n{json.dumps(written)}\n{problem}\n")
    return counts, differing


def tasks(seed: int, engines: list[str]) -> Iterator[tuple[int, str]]:
    """Worlds without end, on each engine in turn."""
    yield from zip(itertools.count(seed), itertools.cycle(engines), strict=False)


def main() -> int:
    """Run until so many queries were answered; the exit code says whether any answer differed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", choices=("duckdb", "sqlite"), action="append")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--postgres", metavar="URL", help="a server whose schema `worlds` may be overwritten")
    parser.add_argument("--show", type=int, default=5, help="so many differences are shown")
    arguments = parser.parse_args()
    engines = [arguments.postgres] if arguments.postgres else arguments.engine or ["duckdb", "sqlite"]
    jobs = 1 if arguments.postgres else arguments.jobs
    counts: Counter[str] = Counter()
    worlds = differing = 0
    started = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=200) as pool:
        # A batch at a time: the pool would otherwise take worlds without end.
        pending = tasks(arguments.seed, engines)
        while counts["answered"] < arguments.queries:
            for found, problems in pool.imap_unordered(ask, itertools.islice(pending, 20 * jobs)):
                before = counts["answered"] // REPORTED_EVERY
                counts += found
                worlds += 1
                for problem in problems[: max(0, arguments.show - differing)]:
                    print(problem, flush=True)
                differing += len(problems)
                if counts["answered"] // REPORTED_EVERY > before:
                    print(f"{counts['answered']} answers, {differing} differ", file=sys.stderr, flush=True)
    seconds = time.monotonic() - started
    asked = ", ".join(f"{counts[name]} {name}" for name in ("duckdb", "sqlite", "postgres") if counts[name])
    print(
        f"{counts['answered']} answers ({asked}), {counts['refused']} refused, {differing} differ; "
        f"{worlds} worlds, {seconds:.0f} s"
    )
    return 1 if differing else 0


if __name__ == "__main__":
    raise SystemExit(main())
