"""How the router sorts the labelled requests, and how fast it is.

    python benchmarks/route.py [confusion] [speed] [hard]

`confusion`: expected route x route, over tests/cases/routing/requests.yaml, with the words of the shipped trustee feature and without
any. `speed`: microseconds of CPU per request. `hard`: strings made to slow patterns down, at 50 and at 100 kB.
"""

from __future__ import annotations

import statistics
import sys
from collections import Counter
from pathlib import Path
from time import process_time_ns
from typing import Any

import yaml

from veracity.features import get_feature
from veracity.routing import Route, Router, ontology_words

CASES = Path(__file__).parents[1] / "tests" / "cases" / "routing" / "requests.yaml"
LANGUAGES = ("de", "en", "zh")
ROUNDS = 40
HARD = (
    "hi ", "what is ", "translate ", "translate a: ", "翻译 a", "翻译的", "把和", "1+", "(", " ", "请", '"a" ', "the following text ",
    "what is a and ", "erkläre mir bitte ", "a-", "a\n", "是什么", "the current server ", "当前服务器",
)  # fmt: skip


def labelled() -> list[dict[str, Any]]:
    """The labelled requests, each with the part of the list it is of."""
    read = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    return [{**one, "part": part} for part, requests in read.items() for one in requests]


def trustee() -> Router:
    """A router that knows the words of the shipped feature."""
    ontology = get_feature("trustee").ontology
    assert ontology is not None
    return Router(data_words=ontology_words(ontology()))


def confusion() -> None:
    """Expected route x route, overall, per language and per part of the list."""
    for name, router in (("the trustee feature's words", trustee()), ("no data words", Router())):
        counts: Counter[tuple[str, str, str]] = Counter()
        for one in labelled():
            got = router.decide(one["text"]).route
            for group in ("all", one["lang"], one["part"]):
                counts[group, one["route"], got] += 1
        print(f"\nwith {name}:\n\n| requests | expected | DIRECT_CHAT | REACT |\n|---|---|---|---|")
        parts = dict.fromkeys(one["part"] for one in labelled())
        for group in ("all", *LANGUAGES, *parts):
            for route in (Route.DIRECT_CHAT, Route.REACT):
                direct, react = (counts[group, route, got] for got in (Route.DIRECT_CHAT, Route.REACT))
                print(f"| {group} | {route} | {direct} | {react} |")


def speed() -> None:
    """Microseconds per request: the fastest of several rounds for each, then p50 and p95 over the list."""
    router = trustee()
    for lang in ("all", *LANGUAGES):
        texts = [one["text"] for one in labelled() if lang in ("all", one["lang"])]
        taken = sorted(min(_nanoseconds(router, text) for _ in range(ROUNDS)) / 1_000 for text in texts)
        p95 = taken[int(len(taken) * 0.95)]
        print(f"{lang:>4}: p50 {statistics.median(taken):.1f} µs, p95 {p95:.1f} µs, {len(texts)} requests")


def hard() -> None:
    """Milliseconds for 50 and 100 kB, and for the longest text that every rule still reads; the slowest first."""
    router, rows = trustee(), list[tuple[float, float, float, str]]()
    for piece in HARD:
        size = len(piece.encode())
        times = [
            min(_nanoseconds(router, piece * (length // size)) for _ in range(3)) / 1e6
            for length in (19_000, 50_000, 100_000)
        ]
        rows.append((times[0], times[1], times[2], piece))
    for read, half, whole, piece in sorted(rows, key=lambda row: row[2], reverse=True):
        print(
            f"{piece!r:>28}: 19 kB {read:.2f} ms, 50 kB {half:.2f} ms, 100 kB {whole:.2f} ms, ratio {whole / half:.1f}"
        )


def _nanoseconds(router: Router, text: str) -> int:
    started = process_time_ns()
    router.decide(text)
    return process_time_ns() - started


if __name__ == "__main__":
    parts = {"confusion": confusion, "speed": speed, "hard": hard}
    for part in sys.argv[1:] or parts:
        print(f"# {part}")
        parts[part]()
