"""Questions about databases that nobody here wrote: how many are answered right, wrong, or not at all.

`incomplete`: right as far as it goes, and the answer says which rows the data cannot tell.

    python benchmarks/questions.py geoquery --data ../shared/data/questions [--show wrong] [--plain]

The sets are folders with a database and questions with gold SQL. Each has an ontology in `benchmarks/questions/`; `--plain` asks
without it, by the names of tables and columns alone.
Gold rows are compared as sets of values: columns of ours that gold does not have may stand beside them, missing ones may not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from itertools import permutations, product
from pathlib import Path
from typing import Any

import yaml

from veracity.contracts import QueryValidationError
from veracity.language.detect import language_of
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.load import load_ontology
from veracity.semantic.editing import inner_bests
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery, Transform, to_json
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.words import WordBook
from veracity.semantic.result import SemanticResult
from veracity.semantic.run import run_query
from veracity.sources.open import open_source
from veracity.tools.tables import TableTools

HERE = Path(__file__).parent
TODAY = date(2026, 11, 16)
MOST_READINGS = 4
TOLERANCE = Decimal("1e-6")

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Asked:
    """A question, and the rows that are a right answer; several where more than one is."""

    text: str
    gold: tuple[tuple[Row, ...], ...]


@dataclass
class Report:
    """What became of the questions."""

    outcomes: Counter[str] = field(default_factory=Counter)
    told: list[tuple[str, str, str]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def note(self, outcome: str, question: str, why: str = "") -> None:
        """Count one question."""
        self.outcomes[outcome] += 1
        self.told.append((outcome, question, why))


# --- the sets


def geoquery(data: Path, _postgres: str) -> tuple[str, list[Asked]]:
    """GeoQuery; its gold compares elevations as texts and counts repeated rows, which is mended first; then what was judged by hand."""
    path = data / "geoquery" / "geo.sqlite"
    memory = sqlite3.connect(":memory:")
    sqlite3.connect(path).backup(memory)
    memory.execute("CREATE TABLE mended AS SELECT * FROM highlow")
    memory.execute("DROP TABLE highlow")
    memory.execute(
        "CREATE TABLE highlow (state_name TEXT, highest_elevation INT, lowest_point TEXT, highest_point TEXT, lowest_elevation INT)"
    )
    memory.execute("INSERT INTO highlow SELECT * FROM mended")
    asked = []
    for line in (data / "geoquery" / "train.jsonl").read_text().splitlines():
        entry = json.loads(line)
        sql = re.sub(r"COUNT\(\s*(?!\*|DISTINCT)([\w.]+)\s*\)", r"COUNT(DISTINCT \1)", entry["gold_sql"])
        golds = dict.fromkeys(tuple(memory.execute(one).fetchall()) for one in (sql, entry["gold_sql"]))
        asked.append(Asked(entry["question"], tuple(golds)))
    mended = yaml.safe_load((HERE / "questions" / "geoquery_gold.yaml").read_text())
    judged = {text: tuple(map(tuple, told["rows"])) for text, told in mended.items()}
    return str(path), [Asked(one.text, (judged[one.text],)) if one.text in judged else one for one in asked]


def chinook(data: Path, _postgres: str) -> tuple[str, list[Asked]]:
    """Chinook, English and German."""
    lines = (data / "chinook" / "questions.jsonl").read_text().splitlines()
    asked = [Asked(e["question"], (tuple(map(tuple, e["gold_rows"])),)) for e in map(json.loads, lines)]
    return str(data / "chinook" / "chinook.sqlite"), asked


def defog(name: str) -> Callable[[Path, str], tuple[str, list[Asked]]]:
    """One of defog's schemas, in a database of its own."""

    def load(data: Path, postgres: str) -> tuple[str, list[Asked]]:
        import psycopg

        with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name}".encode())
            connection.execute(f"CREATE DATABASE {name}".encode())
        url = f"{postgres}/{name}"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute((data / "defog" / f"{name}.sql").read_bytes())
        asked = []
        with psycopg.connect(url, autocommit=True) as connection:
            for line in (data / "defog" / "questions.jsonl").read_text().splitlines():
                entry = json.loads(line)
                if entry["db"] == name:
                    golds = [tuple(connection.execute(sql.encode()).fetchall()) for sql in alternatives(entry)]
                    asked.append(Asked(entry["question"], tuple(dict.fromkeys(golds))))
        return url, asked

    return load


def alternatives(entry: dict[str, Any]) -> Iterator[str]:
    """Every SELECT that counts as gold; of `{a, b}` each column alone is enough."""
    for sql in filter(str.strip, entry["gold_original"].split(";")):
        groups = [group for group in re.findall(r"\{([^}]*)\}", sql) if group.strip()]
        options = [[part.strip() for part in group.split(",")] + [group] for group in groups] or [[""]]
        for chosen in product(*options):
            yield filled(sql, chosen)


def filled(sql: str, chosen: Sequence[str]) -> str:
    """The statement with one choice for each `{a, b}`; an empty one repeats the last."""
    left = list(chosen)
    return re.sub(r"\{([^}]*)\}", lambda group: left.pop(0) if group[1].strip() and left else chosen[-1], sql)


SETS: dict[str, Callable[[Path, str], tuple[str, list[Asked]]]] = {
    "geoquery": geoquery,
    "chinook": chinook,
    **{name: defog(name) for name in ("scholar", "yelp", "car_dealership")},
}


# --- comparing


def plain(value: Any) -> Any:
    """A value as it is compared: numbers as numbers, days as texts, texts without their case."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time().isoformat() == "00:00:00" else value.isoformat(" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int | float | Decimal):
        return Decimal(str(value))
    if isinstance(value, str):
        try:
            return Decimal(value.strip())
        except InvalidOperation:
            return value.strip().casefold()
    return value


def near(one: Any, two: Any) -> bool:
    """Whether two values are the same, numbers up to rounding."""
    for day, month in ((one, two), (two, one)):
        if isinstance(day, str) and re.fullmatch(r"\d{4}-\d\d-01", day) and isinstance(month, Decimal):
            return int(day[5:7]) == month
    if isinstance(one, Decimal) and isinstance(two, Decimal) and one.is_finite() and two.is_finite():
        return abs(one - two) <= TOLERANCE * max(Decimal(1), abs(one), abs(two))
    return bool(one == two)


def same_rows(result: SemanticResult, gold: Sequence[Row]) -> bool:
    """Whether some columns of ours hold the same set of rows as gold."""
    ours, wanted = values_of(result), distinct(gold)
    missing = all(value is None for row in wanted for value in row)
    if not wanted or not ours:
        return (not wanted or missing or wanted == [(Decimal(0),)]) and all(v is None for row in ours for v in row)
    if result.query.compare is not None:  # side by side or one below the other
        figures = [value for row in distinct(ours) for value in row]
        return all(any(near(value, ours) for ours in figures) for row in wanted for value in row[1:])
    width, across = len(ours[0]), len(wanted[0])
    if across > width or (across > 4 and width > 8):
        return False
    return any(
        equal_sets(distinct([[row[place] for place in chosen] for row in ours]), wanted)
        for chosen in permutations(range(width), across)
    )


def distinct(rows: Iterable[Sequence[Any]]) -> list[Row]:
    """The different rows."""
    return list(dict.fromkeys(tuple(plain(value) for value in row) for row in rows))


def equal_sets(one: list[Row], two: list[Row]) -> bool:
    """Whether each row of one is a row of the other."""
    if len(one) != len(two):
        return False
    left = set(two)
    for row in one:
        found = row if row in left else next((o for o in left if all(map(near, row, o))), None)
        if found is None:
            return False
        left.discard(found)
    return True


# --- asking


class Desk:
    """A database, with an ontology or without, ready to be asked."""

    def __init__(self, url: str, ontology: Path | OntologyDescriptor | None) -> None:
        self.source = open_source(url)
        meaning = load_ontology(ontology) if isinstance(ontology, Path) else ontology
        self.tools = TableTools(self.source, ontology=meaning)
        self.model = SemanticModel(self.tools.catalog)
        self.values = asyncio.run(self.tools.stored_values())
        self.readers = {lang: QuestionReader(WordBook(self.model, self.values, lang)) for lang in ("en", "de", "zh")}

    def read(self, question: str) -> tuple[tuple[SemanticQuery, ...], tuple[str, ...]]:
        """The readings of a question, and its unknown words."""
        lang = language_of(question)
        found = self.readers.get(lang, self.readers["en"]).read(question, today=TODAY, locale=lang)
        return found.queries, found.unknown

    def has_ties(self, query: SemanticQuery) -> bool:
        """Whether a best one that the question takes for granted is not the only one."""
        results = [self.run(best) for best in inner_bests(query)]
        return any(isinstance(result, SemanticResult) and result.tied for result in results)

    def run(self, query: SemanticQuery) -> SemanticResult | QueryValidationError:
        """The rows of a query."""
        return asyncio.run(run_query(query, self.model, self.source, row_limit=10_000))


def as_fractions(result: SemanticResult) -> SemanticResult:
    """The result with its shares as parts of one."""
    shares = {c.column.name for c in result.columns if c.shown and c.shown.transform is Transform.SHARE}
    rows = tuple(
        {name: value / 100 if name in shares and isinstance(value, Decimal) else value for name, value in row.items()}
        for row in result.rows
    )
    return replace(result, rows=rows)


def values_of(result: SemanticResult) -> list[Row]:
    """The rows as values."""
    names = [column.column.name for column in result.columns]
    return [tuple(row[name] for name in names) for row in result.rows]


def judge(desk: Desk, asked: Asked, report: Report) -> None:
    """Ask one question and count what becomes of it."""
    started = time.process_time()
    queries, unknown = desk.read(asked.text)
    report.seconds.append(time.process_time() - started)
    if not queries:
        report.note("not answered", asked.text, f"unknown: {', '.join(unknown)}" if unknown else "not understood")
        return
    results: list[SemanticResult] = []
    for query in queries[:MOST_READINGS]:
        result = desk.run(query)
        if isinstance(result, QueryValidationError):
            report.note(
                "not answered",
                asked.text,
                f"{result.code} {result.field}: {result.hint} | {json.dumps(to_json(query))}",
            )
            return
        results.append(result)
    answers = [values_of(result) for result in results]
    if len(queries) > 1 and not all(equal_sets(distinct(answers[0]), distinct(other)) for other in answers[1:]):
        report.note(
            "asked back", asked.text, " | ".join(json.dumps(to_json(query)) for query in queries[:MOST_READINGS])
        )
        return
    if not answers[0] and any(gold not in ((), ((0,),)) for gold in asked.gold):
        report.note("nothing found", asked.text, json.dumps(to_json(queries[0])))
        return
    if any(desk.has_ties(query) for query in queries[:1]):
        report.note("asked back", asked.text, "several tie for the best in between")
        return
    right = any(same_rows(one, gold) for gold in asked.gold for one in (results[0], as_fractions(results[0])))
    shown = f"{json.dumps(to_json(queries[0]))} | ours {answers[0][:4]} ({len(answers[0])}) | gold {asked.gold[0][:4]} ({len(asked.gold[0])})"
    # Rows that cannot be there because their partner is not stored; the answer says so.
    known = {cell for gold in asked.gold for row in gold for cell in row}
    told = bool(results[0].partners) and all(known & set(row) for row in answers[0])
    report.note("right" if right else "incomplete" if told else "wrong", asked.text, shown)


def arguments_of(told: str | None) -> argparse.ArgumentParser:
    """The options that say which set is asked, and where it is."""
    parser = argparse.ArgumentParser(description=told, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data" / "questions")
    parser.add_argument("--plain", action="store_true", help="without the ontology of the set")
    parser.add_argument("--postgres", default="postgresql://tester@127.0.0.1:5599", help="a server for defog's schemas")
    return parser


def opened(chosen: argparse.Namespace) -> tuple[Desk, list[Asked]]:
    """The database of a set with its ontology, and its questions."""
    url, questions = SETS[chosen.set](chosen.data, chosen.postgres)
    return Desk(url, None if chosen.plain else HERE / "questions" / f"{chosen.set}.yaml"), questions


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a set and print the report."""
    parser = arguments_of(__doc__)
    parser.add_argument("--show", default="wrong", help="which outcomes to list, by commas, or all")
    chosen = parser.parse_args(arguments)
    desk, questions = opened(chosen)
    report = Report()
    for asked in questions:
        judge(desk, asked, report)
    print_report(report, chosen.show.split(","))
    return 1 if report.outcomes["wrong"] else 0


def print_report(report: Report, shown: list[str]) -> None:
    """Outcomes, times and the questions asked for."""
    total = sum(report.outcomes.values())
    for outcome, question, why in report.told:
        if outcome in shown or shown == ["all"]:
            print(f"{outcome}: {question}\n    {why}")
    for outcome in ("right", "wrong", "incomplete", "asked back", "nothing found", "not answered"):
        count = report.outcomes[outcome]
        print(f"{outcome:13} {count:4} of {total}  {count / total:.1%}")
    times = sorted(report.seconds)
    print(f"reading: p50 {times[total // 2] * 1000:.1f} ms, p95 {times[int(total * 0.95)] * 1000:.1f} ms CPU")


if __name__ == "__main__":
    sys.exit(main())
