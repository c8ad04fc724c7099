"""Random SQL over a random shop, whose every figure is a power of eight: a sum tells which rows it took in, and how often."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import duckdb

from veracity.ontology.descriptor import OntologyDescriptor

DAYS = ("2025-01-31", "2025-02-28", "2025-03-31")
TABLES = """
    CREATE TABLE customers (id INTEGER, name VARCHAR, region VARCHAR);
    CREATE TABLE orders (id INTEGER, customer_id INTEGER, total DECIMAL(38,0), currency VARCHAR, day DATE);
    CREATE TABLE items (order_id INTEGER, line INTEGER, article VARCHAR, pieces DECIMAL(38,0));
    CREATE TABLE shipments (id INTEGER, order_id INTEGER, fee DECIMAL(38,0));
    CREATE TABLE stock (article VARCHAR, day DATE, pieces DECIMAL(38,0));
    CREATE TABLE plan (region VARCHAR, year INTEGER, month INTEGER, amount DECIMAL(38,0));
    INSERT INTO customers VALUES (1, 'A', 'Nord'), (2, 'B', 'Sud'), (3, 'C', 'Nord');
"""


def _entity(name: str, grain: str, *fields: dict[str, str]) -> dict[str, object]:
    return {"name": name, "table": name, "grain": grain, "fields": list(fields)}


def _key(name: str) -> dict[str, str]:
    return {"name": name, "semanticType": "IDENTIFIER"}


WEIGHED = OntologyDescriptor.model_validate(
    {
        "featureCode": "weighed",
        "entities": [
            _entity("customers", "id", _key("id"), {"name": "region", "semanticType": "CATEGORY"}),
            _entity(
                "orders",
                "id",
                _key("id"),
                _key("customer_id"),
                {"name": "total", "additivity": "ADDITIVE", "unitField": "currency"},
            ),
            _entity("items", "order_id, line", _key("order_id"), {"name": "pieces", "additivity": "ADDITIVE"}),
            _entity("shipments", "id", _key("id"), _key("order_id"), {"name": "fee", "additivity": "ADDITIVE"}),
            _entity("stock", "article, day", {"name": "pieces", "additivity": "SEMI_ADDITIVE", "over": "day"}),
            _entity("plan", "region, year, month", {"name": "amount", "additivity": "ADDITIVE"}),
        ],
        "relations": [
            {"fromEntity": "orders", "toEntity": "customers", "cardinality": "MANY_TO_ONE", "via": "customer_id"},
            {"fromEntity": "items", "toEntity": "orders", "cardinality": "MANY_TO_ONE", "via": "order_id"},
            {"fromEntity": "shipments", "toEntity": "orders", "cardinality": "MANY_TO_ONE", "via": "order_id"},
        ],
        "constraints": [
            {
                "appliesTo": "plan",
                "rule": "REQUIRES_FILTER_ON",
                "fields": "year, month",
                "apart": {"month": 0},
                "message": {"en": "Filter year and month (0 = whole year)."},
            }
        ],
    }
)


@dataclass
class Weights:
    """Which row stands behind which digit."""

    rows: list[tuple[str, ...]] = field(default_factory=list)

    def of(self, *row: str) -> int:
        self.rows.append(row)
        return int(8 ** (len(self.rows) - 1))

    def problem(self, figure: int) -> str | None:
        """What is wrong with a sum, if anything."""
        digits = {row: figure // 8**place % 8 for place, row in enumerate(self.rows)}
        taken = [row for row, digit in digits.items() if digit]
        things = [row[1] for row in taken if row[0] == "stock"]
        if any(digit > 1 for digit in digits.values()):
            return "a row twice"
        if len(things) != len(set(things)):
            return "a thing in several snapshots"
        if len({row[2] for row in taken if row[0] == "orders"}) > 1:
            return "several currencies"
        return "annual and monthly rows" if len({row[2] == "0" for row in taken if row[0] == "plan"}) > 1 else None


def build_weighed(path: Path, random: Random) -> Weights:
    weights = Weights()
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLES)

        def insert(table: str, *cells: object) -> None:
            connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' for _ in cells)})", list(cells))

        for order in range(1, 6):
            currency = ("CHF", "EUR")[order % 2] if order < 3 else random.choice(("CHF", "EUR"))
            total = weights.of("orders", str(order), currency)
            insert("orders", order, random.randint(1, 3), total, currency, random.choice(DAYS))
            for line in range(1, random.randint(2, 3) + 1):
                insert("items", order, line, random.choice("abc"), weights.of("items", f"{order} {line}"))
        for number in range(1, 5):
            insert("shipments", number, random.randint(1, 5), weights.of("shipments", str(number)))
        for article in "abc":
            for day in DAYS:
                if article == "a" or random.random() < 0.7:
                    insert("stock", article, day, weights.of("stock", article, day))
        for region in ("Nord", "Sud"):
            for month in range(3):
                insert("plan", region, 2025, month, weights.of("plan", region, str(month)))
    return weights


FIGURES = {"orders": "total", "items": "pieces", "shipments": "fee", "stock": "pieces", "plan": "amount"}
COLUMNS = {
    "customers": ("id", "name", "region"),
    "orders": ("id", "customer_id", "currency", "day"),
    "items": ("order_id", "line", "article"),
    "shipments": ("id", "order_id"),
    "stock": ("article", "day"),
    "plan": ("region", "year", "month"),
}
LITERALS = {
    "name": ("'A'",),
    "region": ("'Nord'", "'Sud'"),
    "currency": ("'CHF'", "'EUR'"),
    "day": tuple(f"'{day}'" for day in DAYS),
    "article": ("'a'", "'b'"),
    "year": ("2025",),
    "month": ("0", "1", "2"),
}
LINKS = (
    ("orders", "customer_id", "customers", "id"),
    ("items", "order_id", "orders", "id"),
    ("shipments", "order_id", "orders", "id"),
)
Column = tuple[str, str]
"""How it is written, and which column of a table it is."""


@dataclass
class Rows:
    """Something after FROM: its text, its columns, and its figures."""

    text: str
    columns: list[Column]
    figures: list[str]


class Writer:
    """Writes one SELECT with a sum: tables, joins of all kinds, subqueries, unions, windows, conditions, groups."""

    def __init__(self, random: Random) -> None:
        self._random, self._aliases = random, 0

    def total(self) -> str:
        """A SELECT whose last column is a sum."""
        rows = self._joined(2)
        while not rows.figures:
            rows = self._joined(2)
        where, given = self._where(rows), self._conditions(rows)[:1]
        taken = self._random.choice(rows.figures)
        if given and self._one_in(5):
            taken = f"CASE WHEN {given[0]} THEN {taken} END"
        total = f"SUM({taken})"
        if given and self._one_in(7):
            total += f" FILTER (WHERE {given[0]})"
        if self._one_in(10):
            return f"SELECT {total} OVER (PARTITION BY {self._column(rows)[0]}) AS s FROM {rows.text}{where}"
        keys = ", ".join(column for column, _ in self._some(rows.columns, self._random.choice((0, 0, 1, 1, 2))))
        return f"SELECT {keys + ', ' if keys else ''}{total} AS s FROM {rows.text}{where}" + (
            f" GROUP BY {keys}" if keys else ""
        )

    def _one_in(self, number: int) -> bool:
        return self._random.randrange(number) == 0

    def _alias(self) -> str:
        self._aliases += 1
        return f"t{self._aliases}"

    def _column(self, rows: Rows) -> Column:
        return self._random.choice(rows.columns)

    def _some(self, columns: list[Column], most: int) -> list[Column]:
        return self._random.sample(columns, min(len(columns), most))

    def _literal(self, name: str) -> str:
        return self._random.choice(LITERALS.get(name, ("1", "2", "3")))

    def _table(self, name: str) -> Rows:
        alias = self._alias()
        figures = [f"{alias}.{FIGURES[name]}"] if name in FIGURES else []
        return Rows(f"{name} AS {alias}", [(f"{alias}.{column}", column) for column in COLUMNS[name]], figures)

    def _rows(self, depth: int) -> Rows:
        if depth <= 0 or self._random.random() < 0.55:
            return self._table(self._random.choice(list(COLUMNS)))
        return self._subquery(depth - 1)

    def _joined(self, depth: int) -> Rows:
        rows = self._rows(depth)
        for _ in range(self._random.choice((0, 0, 1, 1, 1, 2))):
            rows = self._join(rows, depth)
        return rows

    def _join(self, rows: Rows, depth: int) -> Rows:
        kind = self._random.choice(("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        ways = [
            (column, table, key)
            for column, name in rows.columns
            for one, its, other, key_of in LINKS
            for table, key in ((other, key_of), (one, its))
            if name in (its, key_of)
        ]
        ways += [
            (c, t, n) for c, n in rows.columns if n in ("article", "region", "day") for t in COLUMNS if n in COLUMNS[t]
        ]
        if not ways or self._one_in(5):
            other = self._rows(depth - 1)
            text = f"{rows.text} CROSS JOIN {other.text}"
        else:
            column, table, key = self._random.choice(ways)
            other = self._subquery(depth - 1, table) if depth > 0 and self._one_in(3) else self._table(table)
            met = [written for written, name in other.columns if name == key]
            if not met:
                return rows
            text = f"{rows.text} {kind} {other.text} ON {met[0]} = {column}{self._more(rows, other)}"
        return Rows(text, rows.columns + other.columns, rows.figures + other.figures)

    def _more(self, rows: Rows, other: Rows) -> str:
        """A second equality, or a condition, in ON."""
        shared = [
            (a, b)
            for a, n in rows.columns
            for b, m in other.columns
            if n == m and n in ("day", "line", "month", "year")
        ]
        text = "".join(f" AND {a} = {b}" for a, b in shared[:1] if not self._one_in(3))
        given = self._conditions(other)[:1]
        return text + (f" AND {given[0]}" if given and self._one_in(2) else "")

    def _where(self, rows: Rows) -> str:
        conditions = self._conditions(rows)
        return " WHERE " + " AND ".join(conditions) if conditions else ""

    def _conditions(self, rows: Rows) -> list[str]:
        found = []
        for _ in range(self._random.choice((0, 0, 1, 1, 2, 3))):
            (one, name), (two, other) = self._column(rows), self._column(rows)
            literal, second = self._literal(name), self._literal(name)
            forms = [f"{one} = {literal}"] * 5 + [
                f"{one} IN ({literal}, {second})",
                f"{one} <> {literal}",
                f"{one} >= {literal}",
                f"({one} = {literal} OR {one} = {second})",
                f"({one}, {two}) = ({literal}, {self._literal(other)})",
            ]
            if name == "day":
                forms += [f"{one} = (SELECT MAX(day) FROM stock)"] * 2
                things = [written for written, column in rows.columns if column == "article"]
                alias = self._alias()
                forms += [
                    f"{one} = (SELECT MAX({alias}.day) FROM stock AS {alias} WHERE {alias}.article = {t})"
                    for t in things
                ]
            if name == "month":
                forms.append(f"{one} = (SELECT MAX(month) FROM plan WHERE year = 2025)")
            found.append(self._random.choice(forms))
        return found

    # --- subqueries

    def _subquery(self, depth: int, table: str | None = None) -> Rows:
        alias = self._alias()
        sql, keys, figures = self._select(depth, table)
        if self._one_in(5):
            other, other_keys, other_figures = self._select(depth, table)
            if (len(other_keys), len(other_figures)) == (len(keys), len(figures)):
                sql = f"{sql} {self._random.choice(('UNION ALL', 'UNION ALL', 'UNION', 'EXCEPT'))} {other}"
            elif figures:
                one, two = self._alias(), self._alias()
                sql = f"SELECT 'x' AS k0, m0 FROM ({sql}) AS {one} UNION ALL SELECT 'y', m0 FROM ({sql}) AS {two}"
                keys, figures = [("k0", "label")], ["m0"]
        return Rows(
            f"({sql}) AS {alias}", [(f"{alias}.{k}", n) for k, n in keys], [f"{alias}.{figure}" for figure in figures]
        )

    def _select(self, depth: int, table: str | None) -> tuple[str, list[Column], list[str]]:
        rows = self._table(table) if table else self._joined(depth)
        picked = self._some(rows.columns, self._random.randint(1, 3))
        figures = self._random.sample(rows.figures, min(len(rows.figures), self._random.randint(1, 2)))
        shown = [f"{column} AS k{number}" for number, (column, _) in enumerate(picked)]
        keys = [(f"k{number}", name) for number, (_, name) in enumerate(picked)]
        form = self._random.choice(
            (
                self._plain,
                self._plain,
                self._plain,
                self._grouped,
                self._grouped,
                self._grouped,
                self._cases,
                self._windows,
            )
        )
        if not figures:
            form = self._plain
        sql = form(rows, figures, shown, [column for column, _ in picked])
        return sql, keys, [f"m{number}" for number in range(len(figures))]

    def _plain(self, rows: Rows, figures: list[str], shown: list[str], _keys: list[str]) -> str:
        columns = [*shown, *(f"{figure} AS m{number}" for number, figure in enumerate(figures))]
        end = " ORDER BY 1 LIMIT 3" if self._one_in(10) else ""
        distinct = "DISTINCT " if self._one_in(8) else ""
        return f"SELECT {distinct}{', '.join(columns)} FROM {rows.text}{self._where(rows)}{self._qualify(rows)}{end}"

    def _qualify(self, rows: Rows) -> str:
        if not self._one_in(4):
            return ""
        part = f"PARTITION BY {self._column(rows)[0]}" if not self._one_in(5) else ""
        rank = self._random.choice(("ROW_NUMBER", "RANK"))
        return f" QUALIFY {rank}() OVER ({part} ORDER BY {self._column(rows)[0]} DESC) = 1"

    def _grouped(self, rows: Rows, figures: list[str], shown: list[str], keys: list[str]) -> str:
        columns = list(shown)
        for number, figure in enumerate(figures):
            given = self._conditions(rows)[:1]
            filtered = f" FILTER (WHERE {given[0]})" if given and self._one_in(3) else ""
            columns.append(f"{self._random.choice(('SUM', 'SUM', 'SUM', 'MAX'))}({figure}){filtered} AS m{number}")
        return f"SELECT {', '.join(columns)} FROM {rows.text}{self._where(rows)} GROUP BY {', '.join(keys)}"

    def _cases(self, rows: Rows, figures: list[str], shown: list[str], _keys: list[str]) -> str:
        columns = list(shown)
        for number, figure in enumerate(figures):
            given = self._conditions(rows)[:1]
            taken = f"CASE WHEN {given[0]} THEN {figure} END" if given else f"COALESCE({figure}, 0)"
            columns.append(f"{taken} AS m{number}")
        return f"SELECT {', '.join(columns)} FROM {rows.text}{self._where(rows)}"

    def _windows(self, rows: Rows, figures: list[str], shown: list[str], _keys: list[str]) -> str:
        columns = list(shown)
        for number, figure in enumerate(figures):
            order = f" ORDER BY {self._column(rows)[0]}" if self._one_in(2) else ""
            function = self._random.choice(("SUM", "MAX", "LAG") if order else ("SUM", "MAX"))
            columns.append(f"{function}({figure}) OVER (PARTITION BY {self._column(rows)[0]}{order}) AS m{number}")
        return f"SELECT {', '.join(columns)} FROM {rows.text}{self._where(rows)}"
