"""What a meaning costs, measured in one run: python benchmarks/semantic_speed.py [--rows 10000000] [reading|compiling|sql|shell ...]

Reading and composing a question, compiling its query, the compiled SQL against what an expert writes by hand, and commands
from the shell. Prints figures with their targets; exit code 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from veracity.contracts import QueryValidationError
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.query.catalog import build_catalog
from veracity.semantic.checking.check import check
from veracity.semantic.checking.read import read_query
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.words import WordBook
from veracity.semantic.sql.compile import CompiledQuery, compile_query
from veracity.settings import Settings
from veracity.sources.duck import engine_config, locked_source

TODAY = date(2025, 6, 30)
WORDS = (5, 9, 20, 32, 80)
"""So many of its first words are a whole question."""
SHELL_SECONDS = 1.5
missed: list[str] = []


def told(name: str, figure: str, target: str, *, held: bool) -> None:
    """One line of the table."""
    if not held:
        missed.append(name)
    print(f"{name:46} {figure:>24}   {target:14} {'' if held else 'MISSED'}", flush=True)


def cpu_of(work: Callable[[], object], times: int = 15, *, best: bool = False) -> float:
    """The median CPU time of some work, or the best, in milliseconds."""
    spent = []
    for _ in range(times):
        started = time.process_time()
        work()
        spent.append((time.process_time() - started) * 1000)
    return min(spent) if best else statistics.median(spent)


# --- reading and composing: 40 entities, 10,000 stored values

NOUNS = [
    "customer",
    "order",
    "product",
    "supplier",
    "invoice",
    "payment",
    "shipment",
    "warehouse",
    "employee",
    "department",
    "project",
    "contract",
    "ticket",
    "vehicle",
    "driver",
    "route",
    "store",
    "branch",
    "region",
    "account",
    "ledger",
    "budget",
    "campaign",
    "lead",
    "course",
    "student",
    "teacher",
    "patient",
    "doctor",
    "hospital",
    "room",
    "machine",
    "sensor",
    "reading",
    "part",
    "drawing",
    "permit",
    "parcel",
    "policy",
    "claim",
]
PLACES = [
    "berg",
    "dorf",
    "stadt",
    "feld",
    "hausen",
    "wil",
    "ikon",
    "ach",
    "au",
    "tal",
    "see",
    "brunn",
    "heim",
    "fels",
    "moos",
    "ried",
    "egg",
    "matt",
    "boden",
    "rain",
]


def wide_source(folder: Path) -> Path:
    """A database of 40 tables, each of which refers to the one before it and stores 250 names."""
    path = folder / "wide.sqlite"
    with sqlite3.connect(path) as connection:
        for number, noun in enumerate(NOUNS):
            before = f", {NOUNS[number - 1]}_id INTEGER REFERENCES {NOUNS[number - 1]}s(id)" if number else ""
            connection.execute(
                f"CREATE TABLE {noun}s (id INTEGER PRIMARY KEY, name TEXT, city TEXT, amount DECIMAL(10,2), "
                f"opened_date DATE{before})"
            )
            names = [f"{noun[:4]}{PLACES[n % 20]}{PLACES[n // 20]}".capitalize() for n in range(250)]
            rows = [
                (n + 1, name, names[n % 7], n, f"202{n % 5}-0{n % 9 + 1}-11", *([n + 1] if number else []))
                for n, name in enumerate(names)
            ]
            marks = ", ".join("?" for _ in rows[0])
            connection.executemany(f"INSERT INTO {noun}s VALUES ({marks})", rows)
    connection.close()
    return path


LONG_QUESTION = (
    "orders of customers in Custbergberg with amount over 20 and opened date after 2021 and name Custfeldberg and city Custdorfberg "
    "and amount under 300 and id over 5 and id under 200 and with products with amount over 7 and opened date before 2024 and city "
    "Prodbergberg and id under 90 and with suppliers with amount over 3 and amount under 250 and opened date after 2020 and city "
    "Suppbergberg and id over 2 per city per customer sorted by amount descending"
)
"""Eighty words that all mean something; a question of fewer is its beginning."""


SHORT_QUESTIONS = (
    "how many customers per city", "total amount of orders in 2023", "customers with amount over 200", "the 5 largest orders by amount",
    "average amount of invoices per city", "orders of the customer Custbergberg", "how many products", "customers without orders",
    "amount of payments per month in 2024", "which warehouses have more than 3 employees",
)  # fmt: skip


def reading(folder: Path) -> None:
    """Reading and composing: the median question, and how it grows with the words."""
    from veracity.tools.open import open_tables

    tables = open_tables(wide_source(folder))
    model = SemanticModel(tables.catalog)
    stored = {
        (name, field): frozenset(
            row[0] for row in sqlite3.connect(folder / "wide.sqlite").execute(f"SELECT DISTINCT {field} FROM {name}")
        )
        for name in model.things
        for field in ("name", "city")
    }
    number = len(set().union(*stored.values()))
    reader = QuestionReader(WordBook(model, {key: tuple(sorted(values)) for key, values in stored.items()}, "en"))
    read = partial(reader.read, today=TODAY, locale="en")
    costs = [cpu_of(partial(read, question), 5) for question in SHORT_QUESTIONS]
    p50 = statistics.median(costs)
    told(
        f"reading, {len(model.things)} entities, {number} stored values, p50",
        f"{p50:.1f} ms",
        "<= 15 ms",
        held=p50 <= 15,
    )
    told("reading, slowest of ten questions", f"{max(costs):.1f} ms", "", held=True)
    grown = {words: cpu_of(partial(read, " ".join(LONG_QUESTION.split()[:words])), 5) for words in WORDS}
    for words, cost in grown.items():
        told(f"reading a question of {words} words", f"{cost:.1f} ms, {cost / words:.2f} a word", "", held=True)
    # More than fifty words are declined before they are composed.
    growth = (grown[20] / 20) / max(grown[9] / 9, 0.05)
    told("a word among 20 against one among 9", f"{growth:.1f} times", "<= 2 times", held=growth <= 2)


# --- the star: 10 million rows

STAR = """
    CREATE TABLE regions AS SELECT i AS id, 'Region ' || i AS name FROM range(20) t(i);
    CREATE TABLE customers AS SELECT i AS id, 'Customer ' || i AS name, (i * 7) % 20 AS region_id,
        DATE '2018-01-01' + ((i * 13) % 2500)::INTEGER AS since FROM range(200000) t(i);
    CREATE TABLE products AS SELECT i AS id, 'Product ' || i AS name, 'Category ' || (i % 25) AS category FROM range(2000) t(i);
    CREATE TABLE sales AS SELECT i AS id, (hash(i) % 190000)::BIGINT AS customer_id, (hash(i * 3) % 2000)::BIGINT AS product_id,
        DATE '2022-01-01' + (hash(i * 5) % 1095)::INTEGER AS day, ((hash(i * 7) % 100000) / 100)::DECIMAL(12,2) AS amount,
        (hash(i * 11) % 9)::INTEGER AS quantity FROM range({rows}) t(i);
    CREATE TABLE stocks AS SELECT i AS id, (i % 2000)::BIGINT AS product_id, DATE '2024-01-01' + (i // 2000 % 366)::INTEGER AS day,
        (hash(i) % 500)::INTEGER AS level FROM range({stocks}) t(i);
"""
MEANING: dict[str, Any] = {
    "featureCode": "star",
    "entities": [
        {"name": "Region", "table": "regions", "grain": ["id"], "fields": [{"name": "name", "semanticType": "NAME"}]},
        {
            "name": "Customer",
            "table": "customers",
            "grain": ["id"],
            "fields": [{"name": "name", "semanticType": "NAME"}],
        },
        {"name": "Product", "table": "products", "grain": ["id"], "fields": [{"name": "name", "semanticType": "NAME"}]},
        {
            "name": "Sale",
            "table": "sales",
            "grain": ["id"],
            "defaultDate": "day",
            "fields": [{"name": "amount", "additivity": "ADDITIVE"}, {"name": "quantity", "additivity": "ADDITIVE"}],
            "measures": [{"name": "revenue", "aggregate": "SUM", "expression": "amount * quantity"}],
        },
        {
            "name": "Stock",
            "table": "stocks",
            "grain": ["id"],
            "defaultDate": "day",
            "fields": [{"name": "level", "additivity": "SEMI_ADDITIVE", "over": ["day"]}],
        },
    ],
    "relations": [
        {"fromEntity": "Customer", "toEntity": "Region", "cardinality": "MANY_TO_ONE", "via": "region_id"},
        {"fromEntity": "Sale", "toEntity": "Customer", "cardinality": "MANY_TO_ONE", "via": "customer_id"},
        {"fromEntity": "Sale", "toEntity": "Product", "cardinality": "MANY_TO_ONE", "via": "product_id"},
        {"fromEntity": "Stock", "toEntity": "Product", "cardinality": "MANY_TO_ONE", "via": "product_id"},
    ],
}


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of question: as a semantic query, and as an expert writes it."""

    name: str
    query: dict[str, Any]
    expert: str


SHAPES = (
    Shape("total", {"show": ["revenue"]}, "SELECT sum(amount * quantity) FROM sales"),
    Shape(
        "total by a joined name",
        {"show": ["revenue"], "by": ["Region"]},
        """SELECT r.id, r.name, sum(s.amount * s.quantity) AS total FROM sales s LEFT JOIN customers c ON c.id = s.customer_id
        LEFT JOIN regions r ON r.id = c.region_id GROUP BY r.id, r.name ORDER BY r.id""",
    ),
    Shape(
        "months of a year",
        {"show": ["revenue"], "by": [{"field": "Sale.day", "grain": "month"}], "period": "2024"},
        """SELECT date_trunc('month', day)::DATE AS m, sum(amount * quantity) FROM sales
        WHERE day >= DATE '2024-01-01' AND day <= DATE '2024-12-31' GROUP BY m ORDER BY m""",
    ),
    Shape(
        "the ten best customers",
        {"show": ["revenue"], "by": ["Customer"], "order": [{"by": "revenue", "descending": True}], "limit": 10},
        """WITH t AS (SELECT customer_id, sum(amount * quantity) AS total FROM sales GROUP BY customer_id),
        w AS (SELECT *, rank() OVER (ORDER BY total DESC) AS rank FROM t)
        SELECT c.id, c.name, w.total FROM w JOIN customers c ON c.id = w.customer_id WHERE rank <= 10 ORDER BY total DESC, c.id""",
    ),
    Shape(
        "customers without a sale",
        {
            "of": "Customer",
            "where": {"not": {"related": {"of": "Sale"}}},
            "show": [{"aggregate": "count", "of": "Customer"}],
        },
        "SELECT count(*) FROM customers c WHERE NOT EXISTS (SELECT 1 FROM sales s WHERE s.customer_id = c.id)",
    ),
    Shape(
        "customers with many sales",
        {
            "of": "Customer",
            "where": {"related": {"of": "Sale"}, "count": {"op": ">=", "value": 60}},
            "show": [{"aggregate": "count", "of": "Customer"}],
        },
        """SELECT count(*) FROM customers WHERE id IN (SELECT customer_id FROM sales GROUP BY customer_id HAVING count(*) >= 60)""",
    ),
    Shape(
        "average and number by category",
        {
            "of": "Sale",
            "show": [{"aggregate": "avg", "field": "Sale.amount"}, {"aggregate": "count", "of": "Sale"}],
            "by": ["Product.category"],
            "where": {"field": "Sale.quantity", "op": ">", "value": 3},
        },
        """SELECT p.category, sum(s.amount) AS total, count(s.amount) AS n, count(*) AS rows FROM sales s
        LEFT JOIN products p ON p.id = s.product_id WHERE s.quantity > 3 GROUP BY p.category ORDER BY p.category""",
    ),
    Shape(
        "shares of the total",
        {"show": [{"measure": "revenue", "transform": "share"}], "by": ["Product.category"]},
        """WITH g AS (SELECT p.category, sum(s.amount * s.quantity) AS total FROM sales s
        LEFT JOIN products p ON p.id = s.product_id GROUP BY p.category)
        SELECT category, total, sum(total) OVER () AS whole FROM g ORDER BY category""",
    ),
    Shape(
        "a year against the one before",
        {"show": ["revenue"], "by": ["Region"], "period": "2024", "compare": {"period": "2023"}},
        """SELECT r.id, r.name, sum(CASE WHEN s.day >= DATE '2024-01-01' THEN s.amount * s.quantity END) AS now,
        sum(CASE WHEN s.day < DATE '2024-01-01' THEN s.amount * s.quantity END) AS before
        FROM sales s LEFT JOIN customers c ON c.id = s.customer_id LEFT JOIN regions r ON r.id = c.region_id
        WHERE s.day BETWEEN DATE '2023-01-01' AND DATE '2024-12-31' GROUP BY r.id, r.name ORDER BY r.id""",
    ),
    Shape(
        "the last level of each month",
        {
            "show": [{"aggregate": "sum", "field": "Stock.level"}],
            "by": [{"field": "Stock.day", "grain": "month"}],
            "period": "2024",
        },
        """WITH last AS (SELECT max(day) AS day FROM stocks WHERE day BETWEEN DATE '2024-01-01' AND DATE '2024-12-31'
        GROUP BY date_trunc('month', day)) SELECT date_trunc('month', s.day)::DATE AS m, sum(level) FROM stocks s
        SEMI JOIN last ON last.day = s.day GROUP BY m ORDER BY m""",
    ),
)


def star(rows: int) -> tuple[duckdb.DuckDBPyConnection, SemanticModel, Any]:
    """The star with so many sales."""
    connection = duckdb.connect(config=engine_config(Settings()))
    connection.execute(STAR.format(rows=rows, stocks=rows))
    source = locked_source(connection, "star", Settings(), dispose=lambda: None)
    model = SemanticModel(build_catalog(source, ontology=OntologyDescriptor.model_validate(MEANING)))
    return connection, model, source


def compiled(shape: Shape, model: SemanticModel, source: Any) -> CompiledQuery:
    """The statement of a shape."""
    read = read_query(shape.query)
    query = check(read, model) if isinstance(read, SemanticQuery) else read
    if isinstance(query, QueryValidationError):
        raise SystemExit(f"{shape.name}: {query.hint}")
    return compile_query(query, model, source, row_limit=1000)


def compiling() -> None:
    """Checking and compiling, without running."""
    _, model, source = star(1000)
    costs = [cpu_of(partial(compiled, shape, model, source), best=True) for shape in SHAPES]
    told("compiling, median of ten shapes", f"{statistics.median(costs):.1f} ms", "<= 5 ms", held=max(costs) <= 5)
    told("compiling, slowest of ten shapes", f"{max(costs):.1f} ms", "<= 5 ms", held=max(costs) <= 5)


def against_experts(rows: int) -> None:
    """The compiled statement and the expert's in turn: the CPU of all threads, the best of each, on a machine that is never idle."""
    connection, model, source = star(rows)
    for shape in SHAPES:
        statement = compiled(shape, model, source).statement
        own: list[float] = []
        expert: list[float] = []
        for _ in range(7):
            for times, sql, parameters in ((own, statement.sql, statement.parameters), (expert, shape.expert, [])):
                started = time.process_time()
                found = connection.execute(sql, parameters).fetchall()
                times.append(time.process_time() - started)
                if times is own:
                    mine = found
        same = len(mine) == len(found) and mine[0][0] == found[0][0]
        ratio = min(own) / min(expert)
        figure = f"{min(own) * 1000:.0f} ms, {ratio:.2f} of {min(expert) * 1000:.0f} ms"
        told(f"SQL: {shape.name}" + ("" if same else " (other rows)"), figure, "<= 1.10", held=ratio <= 1.10 and same)


# --- from the shell


def shell(folder: Path) -> None:
    """Commands in processes of their own, on a database that nobody described and on the ledger; the best run, so that files are cached."""
    source = folder / "shop.sqlite"
    with sqlite3.connect(source) as connection:
        connection.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT)")
        rows = [(n, f"Customer {n}", ("Bern", "Basel", "Chur")[n % 3]) for n in range(500)]
        connection.executemany("INSERT INTO customers VALUES (?, ?, ?)", rows)
    connection.close()
    counted = json.dumps({"show": [{"aggregate": "count", "of": "customers"}], "by": ["customers.city"]})
    for name, arguments in (
        ("--help", ["--help"]),
        ("query", ["query", counted, "--source", str(source)]),
        ("ask", ["ask", "how many customers per city", "--source", str(source)]),
        ("ask the ledger", ["ask", "Wie hoch war der Umsatz 2024?"]),
        ("chat", ["chat", "--source", str(source)]),
    ):
        cost = min(_cpu_of_command(arguments, folder) for _ in range(4))
        told(f"veracity {name}", f"{cost:.2f} s of CPU", f"<= {SHELL_SECONDS} s", held=cost <= SHELL_SECONDS)


def _cpu_of_command(arguments: list[str], folder: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(
        [sys.executable, "-c", "from veracity.cli import main; main()", *arguments],
        input="how many customers\n",
        text=True,
        stdout=subprocess.DEVNULL,
        env={**environment, "XDG_DATA_HOME": str(folder)},
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def parts(arguments: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """What can be measured, by name."""
    yield "reading", lambda: reading(folder)
    yield "compiling", compiling
    yield "sql", lambda: against_experts(arguments.rows)
    yield "shell", lambda: shell(folder)


def main() -> int:
    """Measure all, or what is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("only", nargs="*", help="reading, compiling, sql or shell; without a word all of them")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, measure in parts(arguments, Path(folder)):
            if not arguments.only or name in arguments.only:
                measure()
    print(f"{len(missed)} targets missed" if missed else "all targets held")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
