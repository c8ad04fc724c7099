"""The process that raw SQL runs in: opens one file, answers one query after the other, and ends with whoever started it.

    python -m veracity.sources.apart_process FD

Its memory is limited by the system, so that no expression can take more. A query that outlives its deadline is ended by the
system's own clock, even where nobody listens any more.
"""

from __future__ import annotations

import os
import pickle
import re
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from veracity.errors import QueryFailed
from veracity.sources.embedded import (
    OUT_OF_MEMORY,
    EmbeddedFile,
    connect_duckdb,
    connect_sqlite,
    duckdb_failure,
    run_duckdb,
    run_sqlite,
    sqlite_failure,
)

MOST_BYTES = 32_000_000
"""A result that is larger than this is not handed over."""
_ROOM, _PER_THREAD = 400_000_000, 10_000_000
"""What the program, its libraries and its threads may take beside the engine's own limit."""
_ADDRESSES = 1_500_000_000
"""Addresses that are reserved and not used."""
_GRACE = 5.0
_UNITS = {"M": 1_000_000, "G": 1_000_000_000, "T": 1_000_000_000_000}
_FAILED = "The source could not run the query."

Run = Callable[[str, Sequence[Any], int], list[tuple[Any, ...]]]
Failure = Callable[[Exception], str | None]


def main(descriptor: int) -> None:
    """Serve the queries that come over a pipe until it is closed."""
    pipe = Connection(descriptor)
    file: EmbeddedFile = pickle.loads(pipe.recv_bytes())  # noqa: S301 - from who started it
    limit_memory(file)
    try:
        run, failure = _opened(file)
    except Exception as error:  # noqa: BLE001 - whatever it is, the other side says it in a sentence
        pipe.send_bytes(pickle.dumps((False, str(error))))
        return
    pipe.send_bytes(pickle.dumps((True, None)))
    while True:
        try:
            sql, parameters, max_rows, timeout = pickle.loads(pipe.recv_bytes())  # noqa: S301 - from who started it
        except EOFError:
            return
        signal.setitimer(signal.ITIMER_REAL, timeout + _GRACE)
        answer = _answer(run, failure, (sql, parameters, max_rows))
        signal.setitimer(signal.ITIMER_REAL, 0)
        pipe.send_bytes(answer)


def limit_memory(file: EmbeddedFile) -> None:
    """The system lets this process have no more memory than the engine may use, and some room."""
    import resource

    size = re.fullmatch(r"(\d+)\s*([MGT])i?B", file.memory)
    assert size is not None
    most = int(int(size[1]) * _UNITS[size[2]] * 1.25) + _ROOM + (os.cpu_count() or 1) * _PER_THREAD
    limits = {resource.RLIMIT_DATA: most, resource.RLIMIT_AS: most + _ADDRESSES, resource.RLIMIT_CORE: 0}
    for kind, bound in limits.items():
        with suppress(ValueError, OSError):  # not every system knows each of them
            resource.setrlimit(kind, (bound, bound))


def _opened(file: EmbeddedFile) -> tuple[Run, Failure]:
    if file.engine == "sqlite":
        lite = connect_sqlite(file.path)
        return lambda sql, parameters, most: run_sqlite(lite, sql, parameters, most), sqlite_failure
    duck, queries = connect_duckdb(file), set[str]()
    return lambda sql, parameters, most: run_duckdb(duck, sql, parameters, most, queries=queries), duckdb_failure


def _answer(run: Run, failure: Failure, asked: tuple[str, Sequence[Any], int]) -> bytes:
    """The rows, or one sentence; pickled."""
    try:
        told = pickle.dumps((True, run(*asked)))
    except MemoryError:
        return pickle.dumps((False, OUT_OF_MEMORY))
    except QueryFailed as refused:
        return pickle.dumps((False, str(refused)))
    except Exception as error:  # noqa: BLE001 - an engine says its errors in many ways
        return pickle.dumps((False, failure(error) or _FAILED))
    if len(told) > MOST_BYTES:
        return pickle.dumps(
            (False, f"The result is larger than {MOST_BYTES // 1_000_000} MB; show fewer columns or rows.")
        )
    return told


if __name__ == "__main__":
    main(int(sys.argv[1]))
