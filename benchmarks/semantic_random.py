"""Random semantic queries over random small databases: the engine's answer against nested loops in Python.

python benchmarks/semantic_random.py --queries 100000 [--seed N] [--engine duckdb|sqlite] [--postgres URL]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from semantic_engines import DuckWorlds, PostgresWorlds, SqliteWorlds, Worlds, run_world

PER_WORLD = 50


def main() -> int:
    """Run until so many queries were answered; the exit code says whether any answer differed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", choices=("duckdb", "sqlite"), action="append")
    parser.add_argument("--postgres", metavar="URL", help="a server whose schema `worlds` may be overwritten")
    parser.add_argument("--show", type=int, default=5, help="so many differences are shown")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        names = arguments.engine or (() if arguments.postgres else ("duckdb", "sqlite"))
        engines: list[Worlds] = [DuckWorlds() if n == "duckdb" else SqliteWorlds(Path(folder)) for n in names]
        if arguments.postgres:
            engines.append(PostgresWorlds(arguments.postgres))
        answered = refused = differing = 0
        seed, started = arguments.seed, time.monotonic()
        while answered < arguments.queries * len(engines):
            for engine, written, problem, valid in run_world(seed, PER_WORLD, engines):
                answered += valid
                refused += not valid
                if problem is not None:
                    differing += 1
                    if differing <= arguments.show:
                        print(f"--- seed {seed}, {engine}\n{json.dumps(written)}\n{problem}\n", flush=True)
            seed += 1
            if (seed - arguments.seed) % 50 == 0:
                print(f"{answered} answers, {differing} differ", file=sys.stderr, flush=True)
    seconds = time.monotonic() - started
    print(f"{answered} answers, {refused} refused, {differing} differ; {seed - arguments.seed} worlds, {seconds:.0f} s")
    return 1 if differing else 0


if __name__ == "__main__":
    raise SystemExit(main())
