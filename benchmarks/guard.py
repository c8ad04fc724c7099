"""How often the guard stops what is right, lets pass what is made up, and how fast it is.

    python benchmarks/guard.py [claims] [swapped] [corrections] [labelled] [texts] [speed]

`claims`: the pairs of true and made-up statements of benchmarks/guard_sets, with what the guard said of them at first sight.
`swapped`: cells of random tables said of their own row and of another one. `corrections`: every correction is followed and held
against the cell. `labelled`: tests/cases/guard_answers.yaml. `texts`: real prose in which nothing is made up, without the check of figures, which
`benchmarks/grounding.py` measures: 60 game reports (RotoWire) and the paragraphs of annual reports (TAT-QA dev), from
`../shared/data/grounding/` or the folder in VERACITY_DATA. `speed`: milliseconds by text and cells, also as a
multiple of a fixed piece of work in the same run, and lines per second.
"""

from __future__ import annotations

import json
import os
import random
import re
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
from veracity.grounding.statements.cues import degrees_in

ROOT = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("VERACITY_DATA") or ROOT.parent / "shared" / "data") / "grounding"


SETS = ROOT / "benchmarks" / "guard_sets"
FIRST_SIGHT = {
    "claims": (52.5, 26.0),
    "unseen": (72.1, 14.7),
    "third": (65.3, 16.3),
    "fourth": (12.3, 44.4),
    "fifth": (26.5, 26.5),
    "sixth": (14.0, 21.0),
    "seventh": (21.7, 28.3),
    "eighth": (6.7, 10.0),
    "ninth": (22.3, 30.1),
    "tenth": (20.0, 32.5),
    "eleventh": (15.0, 37.5),
    "twelfth": (17.5, 42.5),
    "thirteenth": (12.5, 37.5),
    "fourteenth": (25.0, 45.0),
    "fifteenth": (15.0, 40.0),
    "sixteenth": (11.2, 53.3),
    "seventeenth": (13.9, 55.4),
    "eighteenth": (11.9, 42.6),
    "nineteenth": (7.8, 31.4),
    "twentieth": (8.3, 22.6),
    "twentyfirst": (8.3, 20.0),
    "twentysecond": (1.7, 35.0),
    "twentythird": (13.3, 30.0),
    "twentyfourth": (10.0, 13.3),
    "twentyfifth": (10.0, 10.0),
    "twentysixth": (15.0, 10.0),
    "twentyseventh": (15.0, 5.0),
    "twentyeighth": (15.0, 20.0),
    "twentyninth": (16.7, 12.5),
    "thirtieth": (10.0, 22.5),
    "thirtyfirst": (16.7, 20.8),
    "thirtysecond": (16.7, 25.0),
    "thirtythird": (16.7, 0.0),
    "thirtyfourth": (10.0, 20.0),
    "thirtyfifth": (25.0, 33.3),
    "thirtysixth": (4.2, 20.8),
    "thirtyseventh": (4.5, 9.0),
    "thirtyeighth": (1.7, 10.0),
    "thirtyninth": (8.7, 10.9),
    "fortieth": (4.7, 18.6),
    "fortyfirst": (2.4, 12.2),
    "fortysecond": (5.0, 15.0),
    "fortythird": (6.0, 26.0),
    "fortyfourth": (8.0, 22.0),
    "fortyfifth": (8.0, 24.0),
    "fortysixth": (8.0, 30.0),
    "fortyseventh": (14.0, 20.0),
    "fortyeighth": (5.0, 20.0),
    "fortyninth": (1.7, 25.0),
    "fiftieth": (6.7, 15.0),
    "fiftyfirst": (3.6, 7.2),
    "fiftysecond": (5.0, 3.3),
    "fiftythird": (3.3, 6.7),
    "fiftyfourth": (0.0, 10.0),
    "fiftyfifth": (5.0, 8.3),
    "fiftysixth": (6.7, 8.3),
    "fiftyseventh": (1.7, 6.7),
    "fiftyeighth": (1.7, 6.7),
    "fiftyninth": (8.3, 5.0),
    "sixtieth": (3.3, 3.3),
    "sixtyfirst": (3.3, 5.0),
    "everyday": (3.8, 2.4),
    "sixtysecond": (6.0, 7.0),
    "sixtythird": (7.5, 11.3),
    "sixtyfourth": (3.8, 11.2),
    "sixtyfifth": (3.8, 8.8),
    "sixtysixth": (11.0, 9.0),
    "sixtyseventh": (2.5, 10.0),
    "sixtyeighth": (2.0, 14.0),
    "sixtyninth": (11.0, 5.0),
    "seventieth": (7.5, 3.8),
    "seventyfirst": (6.2, 6.2),
    "seventysecond": (1.2, 8.8),
    "seventythird": (3.8, 12.5),
    "seventyfourth": (5.0, 3.8),
    "seventyfifth": (0.0, 3.8),
    "seventysixth": (6.2, 8.8),
    "seventyseventh": (5.0, 6.2),
    "seventyeighth": (2.5, 5.0),
    "seventyninth": (6.2, 6.2),
    "eightieth": (1.2, 7.5),
    "eightyfirst": (5.0, 3.8),
    "eightysecond": (1.2, 8.8),
    "eightythird": (2.5, 8.8),
    "eightyfourth": (1.2, 5.0),
    "eightyfifth": (2.5, 6.2),
    "eightysixth": (3.8, 3.8),
    "eightyseventh": (1.2, 6.2),
    "eightyeighth": (7.5, 6.2),
    "eightyninth": (6.2, 6.2),
    "ninetieth": (3.8, 2.5),
    "ninetyfirst": (6.2, 1.2),
    "ninetysecond": (1.2, 5.0),
    "ninetythird": (5.0, 2.5),
    "ninetyfourth": (5.0, 10.0),
    "ninetyfifth": (6.2, 3.8),
    "ninetysixth": (10.0, 6.2),
    "ninetyseventh": (3.8, 5.0),
    "ninetyeighth": (1.2, 3.8),
}
"""Per set: made-up statements that passed and true ones that were stopped, in percent, at first sight; guard_sets/README.md says who wrote it, and when."""


def claims() -> None:
    """What became of true and of made-up statements: blocked, marked as not checkable, or released as supported; and with --strict."""
    for name, (missed_first, stopped_first) in FIRST_SIGHT.items():
        given = yaml.safe_load((SETS / f"{name}.yaml").read_text(encoding="utf-8"))
        counts: Counter[tuple[str, str]] = Counter()
        classes: Counter[tuple[str, str]] = Counter()
        for kind, _lang, evidence, true, made_up in given["pairs"]:
            for which, text in (("true", true), ("made-up", made_up)):
                verdict = ground(text, [given["evidence"][evidence]])
                outcome = "blocked" if verdict.verdict == "block" else _PASSED[verdict.support]
                counts[which, outcome] += 1
                classes[kind, "stopped" if which == "true" else "missed"] += outcome == _WRONG[which]
                strict = ground(text, [given["evidence"][evidence]], strict=True).verdict
                counts[which, f"strict {strict}"] += 1
        size = len(given["pairs"])
        print(
            f"{name}: {size} pairs of {len({pair[0] for pair in given['pairs']})} classes; first sight: made-up missed {missed_first} %, true stopped {stopped_first} %"
        )
        for which in ("true", "made-up"):
            parts = (f"{what} {counts[which, what]} ({counts[which, what] / size:.1%})" for what in _OUTCOMES)
            blocked = counts[which, "strict block"]
            print(f"  {which}: {', '.join(parts)}; with --strict blocked {blocked} ({blocked / size:.1%})")
        print(f"  by class: {', '.join(f'{kind} {what} {n}' for (kind, what), n in classes.items() if n)}")


_OUTCOMES = ("blocked", "marked", "supported")
_PASSED = {"supported": "supported", "not_checkable": "marked", "contradicted": "marked"}
_WRONG = {"true": "blocked", "made-up": "supported"}


NAMES = (
    "Nordwind",
    "Alpina",
    "Seeblick",
    "Falkenstein",
    "Harlow",
    "Brightwater",
    "Kestrel",
    "Monteverde",
    "Ostermann",
    "Quillon",
)
TEXTS = {
    "status": ("open", "paid", "cancelled", "delayed", "in review"),
    "manager": (
        "Anna Frei",
        "Tom Hale",
        "Luis Ortega",
        "Mei Tan",
        "Jonas Brandt",
        "Eva Sommer",
        "Ravi Shah",
        "Ines Roth",
        "Karl Voss",
        "Nora Lind",
    ),
    "phone": tuple(f"+41 44 {number} {number % 89 + 10} {number % 79 + 11}" for number in range(211, 911, 70)),
    "due": tuple(f"{day:02}.{month:02}.2025" for day, month in zip(range(3, 28, 2), range(1, 13), strict=False)),
    "hours": tuple(f"{7 + number % 4}:{number % 2 * 3}0-{16 + number % 5}:00" for number in range(10)),
    "score": ("3:1", "0:2", "2:2", "1:4", "5:0", "4:3", "1:0", "2:6", "0:0", "3:5"),
    "code": tuple(f"K-{number}" for number in range(1103, 1993, 97)),
}
SAID = {
    "status": "{name} is {cell}.", "manager": "{cell} is the manager of {name}.", "phone": "The phone number of {name} is {cell}.",
    "due": "{name} is due on {cell}.", "hours": "{name} is open {cell}.", "score": "{name}'s score was {cell}.",
    "code": "The code of {name} is {cell}.",
}  # fmt: skip


def swapped() -> None:
    """Text cells said of their own row and of another one, over seeded random tables as CSV, JSON and Markdown."""
    chance = random.Random(11)
    counts: Counter[str] = Counter()
    for number in range(40):
        names = chance.sample(NAMES, 6)
        columns = chance.sample(sorted(TEXTS), 3)
        cells = {column: [chance.choice(TEXTS[column]) for _ in names] for column in columns}
        rows = [{"name": name, **{column: cells[column][at] for column in columns}} for at, name in enumerate(names)]
        evidence = _written(rows, ("json", "csv", "markdown")[number % 3])
        for column in columns:
            at, other = chance.sample(range(len(names)), 2)
            if cells[column][at] == cells[column][other]:
                continue
            counts["pairs"] += 1
            true = SAID[column].format(name=names[at], cell=cells[column][at])
            false = SAID[column].format(name=names[at], cell=cells[column][other])
            counts["true accepted"] += ground(true, [evidence]).verdict == "pass"
            if ground(false, [evidence]).verdict == "pass":
                counts["swapped accepted"] += 1
                counts[f"{column} swapped accepted"] += 1
    size = counts.pop("pairs")
    print(
        f"{size} text cells: swapped accepted {counts['swapped accepted'] / size:.1%}, true accepted {counts['true accepted'] / size:.1%} {dict(counts)}"
    )


def _written(rows: Sequence[dict[str, str]], form: str) -> str:
    if form == "json":
        return json.dumps(rows, ensure_ascii=False)
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    if form == "csv":
        return "\n".join(";".join(line) for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], ["---"] * len(lines[0]), *lines[1:]))


def corrections() -> None:
    """Every `Write X` over the made-up statements is followed: the guard passes it, and the cell that is meant says it."""
    offered = right = 0
    for name in FIRST_SIGHT:
        given = yaml.safe_load((SETS / f"{name}.yaml").read_text(encoding="utf-8"))
        for _kind, _lang, evidence, true, made_up in given["pairs"]:
            for text in (true, made_up):
                for one in ground(text, [given["evidence"][evidence]]).findings:
                    instead = re.search(r"(?:Write|请改为) (.+?)[.。]$|^(.+?) schreiben\.$", one.suggestion or "")
                    if instead is None or one.span is None:
                        continue
                    offered += 1
                    said = f"{text[: one.span[0]]}{instead[1] or instead[2]}{text[one.span[1] :]}"
                    again = ground(said, [given["evidence"][evidence]])
                    span = (one.span[0], one.span[0] + 1)
                    true_now = not any(f.span and f.span[0] <= span[0] < f.span[1] for f in again.findings)
                    right += true_now
                    if not true_now:
                        print(f"  not so: {said!r}")
    print(f"{offered} corrections offered, {right} true when followed")


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
        both = [(_seconds(answer, results), _yardstick()) for _ in range(21)]
        taken, ratio = (statistics.median(of) for of in ((one for one, _ in both), (one / two for one, two in both)))
        print(f"{cells} cells, {len(answer)} characters: p50 {taken * 1_000:.1f} ms, {ratio:.2f} x the yardstick")
    given = [request for _one, request in requests()]
    started = process_time()
    for request in given * 3:
        ground_request(request)
    print(f"labelled answers: {3 * len(given) / (process_time() - started):.0f} per second and core")


def _yardstick() -> float:
    """What this machine takes at this moment for work of the same sort: 20,000 short texts made, folded and counted."""
    started = process_time()
    found: Counter[str] = Counter()
    for at in range(20_000):
        found[f"Firma {at % 997}".casefold()] += 1
    assert len(found) == 997
    return process_time() - started


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
    degrees_in.cache_clear()  # Nobody asks for the same answer twice.
    started = process_time()
    ground(answer, results, question="Umsatz und Bestellungen der Firmen?")
    return process_time() - started


if __name__ == "__main__":
    parts = {
        "claims": claims,
        "swapped": swapped,
        "corrections": corrections,
        "labelled": labelled,
        "texts": texts,
        "speed": speed,
    }
    if unknown := [part for part in sys.argv[1:] if part not in parts]:
        sys.exit(f"There is no part {unknown[0]}; there are {', '.join(parts)}.")
    for part in sys.argv[1:] or parts:
        print(f"# {part}")
        parts[part]()
