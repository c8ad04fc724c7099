"""How often the guard stops what is right, lets pass what is made up, and how fast it is.

    python benchmarks/guard.py [labelled] [texts] [speed]

`labelled`: tests/cases/guard_answers.yaml. `texts`: real prose in which nothing is made up, without the check of figures, which
`benchmarks/grounding.py` measures: 60 game reports (RotoWire) and the paragraphs of annual reports (TAT-QA dev), from
`../shared/data/grounding/` or the folder in VERACITY_DATA. `speed`: milliseconds by text and cells, and lines per second.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from time import process_time
from typing import Any

import yaml

from veracity.grounding.checked_answer import CheckedAnswer
from veracity.grounding.contracts import GroundRequest
from veracity.grounding.figure_checks import figures_bound
from veracity.grounding.guard import CHECKS, ground, ground_request, read_request

ROOT = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("VERACITY_DATA") or ROOT.parent / "shared" / "data") / "grounding"


def requests() -> Iterator[tuple[dict[str, Any], GroundRequest]]:
    """The labelled answers as requests."""
    labelled = yaml.safe_load((ROOT / "tests" / "cases" / "guard_answers.yaml").read_text(encoding="utf-8"))
    for one in labelled["answers"]:
        data, steps = one["data"], one.get("trace")
        given = {
            "question": one["q"],
            "answer": one["a"],
            "results": labelled["results"][data] if isinstance(data, str) else data,
            "trace": None if steps is None else [{"tool": t, "sourceKind": k, "status": s} for t, k, s in steps],
        }
        yield one, GroundRequest.model_validate(given)


def labelled() -> None:
    """False alarms and misses by language."""
    counts: Counter[tuple[str, str]] = Counter()
    for one, request in requests():
        lang = "zh" if any(ord(ch) >= 0x2E80 for ch in one["q"]) else "de/en"
        stopped = ground_request(request).verdict == "block"
        counts[lang, "made up" if one["made_up"] else "right"] += 1
        if stopped != one["made_up"]:
            counts[lang, "missed" if one["made_up"] else "false alarm"] += 1
            print(f"  {'missed' if one['made_up'] else 'false alarm'}: {one['a'][:90]!r}")
    for lang in ("de/en", "zh"):
        right, made_up = counts[lang, "right"], counts[lang, "made up"]
        print(
            f"{lang}: {counts[lang, 'false alarm']} of {right} right ones stopped, {counts[lang, 'missed']} of {made_up} made up missed"
        )


def lines_of(name: str) -> list[Any]:
    path = FOLDER / name
    if not path.exists():
        sys.exit(f"{path} is missing: set VERACITY_DATA to the folder that holds grounding/{name}.")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def texts() -> None:
    """What the rules other than the one for figures find in prose that is right."""
    _report("game reports", (_report_of(game) for game in lines_of("rotowire_accuracy_train.jsonl")))
    seen: dict[str, GroundRequest] = {}
    for question in lines_of("tatqa_dev.jsonl"):
        width = max(map(len, question["table"]))
        rows = [[*row, *[""] * (width - len(row))] for row in question["table"]]
        results = [{"id": "r1", "columns": [f"c{at}" for at in range(width)], "rows": rows}]
        for text in filter(str.strip, question["paragraphs"]):
            seen.setdefault(text, GroundRequest.model_validate({"answer": text, "results": results}))
    _report("paragraphs of annual reports", seen.values())


def _report_of(game: dict[str, Any]) -> GroundRequest:
    source = game["source"]
    columns = list(source["box_score"])
    rows = [[source["box_score"][name].get(at) for name in columns] for at in source["box_score"][columns[0]]]
    results = [{"id": "players", "columns": columns, "rows": rows}]
    results += [
        {"id": side, "columns": list(source[side]), "rows": [list(source[side].values())]}
        for side in ("home_line", "vis_line")
    ]
    return GroundRequest.model_validate({"answer": source["detokenized_text"], "results": results})


def _report(name: str, given: Iterable[GroundRequest]) -> None:
    found: Counter[str] = Counter()
    stopped = total = 0
    for request in given:
        read = read_request(request)
        assert isinstance(read, CheckedAnswer)
        case = replace(read, proven=())
        rules = [one.rule for check in CHECKS if check is not figures_bound for one in check(case)]
        found.update(rules)
        total, stopped = total + 1, stopped + bool(rules)
    print(f"{name}: {stopped} of {total} stopped; {dict(found)}")


def speed() -> None:
    """Milliseconds of CPU for one answer, and lines per second of short ones."""
    for cells, chars in ((1_000, 1_000), (1_000, 4_000), (10_000, 1_000), (10_000, 4_000)):
        results = _table(cells // 4)
        answer = _answer(results[0]["rows"], chars)
        taken = sorted(_seconds(answer, results) for _ in range(9))
        print(f"{cells} cells, {len(answer)} characters: p50 {statistics.median(taken) * 1_000:.1f} ms")
    given = [request for _one, request in requests()]
    started = process_time()
    for request in given * 3:
        ground_request(request)
    print(f"labelled answers: {3 * len(given) / (process_time() - started):.0f} per second and core")


def _table(rows: int) -> list[dict[str, Any]]:
    made = [
        [f"Firma Nr{at}x AG", f"Ort{at % 50}", Decimal(at * 7_919 % 10**8) / 100, at * 31 % 5_000] for at in range(rows)
    ]
    columns = ["name", "city", {"name": "revenue", "label": "Umsatz"}, {"name": "orders", "label": "Bestellungen"}]
    return [{"id": "r1", "columns": columns, "key": "name", "rows": made}]


def _answer(rows: Sequence[Sequence[Any]], chars: int) -> str:
    lines = (
        f"{name} in {city} hatte einen Umsatz von {revenue:.2f} bei {orders} Bestellungen.\n"
        for name, city, revenue, orders in rows
    )
    return "".join(lines)[:chars].rpartition("\n")[0]


def _seconds(answer: str, results: Sequence[dict[str, Any]]) -> float:
    started = process_time()
    ground(answer, results, question="Umsatz und Bestellungen der Firmen?")
    return process_time() - started


if __name__ == "__main__":
    parts = {"labelled": labelled, "texts": texts, "speed": speed}
    for part in sys.argv[1:] or parts:
        print(f"# {part}")
        parts[part]()
