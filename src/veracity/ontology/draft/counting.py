"""The statements that count: rows, distinct values, extremes, repeated keys, values without a partner; in the SQL of three engines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from veracity.contracts import Cell
from veracity.sources.source import (
    NUMERIC,
    Column,
    ColumnType,
    Row,
    Source,
    Statement,
    TableSchema,
    identifier,
)

ESTIMATE_FROM = 100_000
"""From so many rows on DuckDB estimates distinct values first; keys and relations are counted all the same."""
_WIDEST = 40
_PLAIN = frozenset({*NUMERIC, ColumnType.TEXT, ColumnType.DATE, ColumnType.TIMESTAMP, ColumnType.BOOLEAN})
_COUNTED = (
    *(ColumnType.INTEGER, ColumnType.INTEGER),
    *(ColumnType.TEXT, ColumnType.TEXT),
    *(ColumnType.FLOAT, ColumnType.INTEGER),
)
Counts = tuple[int, int, str | None, str | None, float | None, int]
"""Filled, distinct, lowest, highest, average (of texts that of their length), texts among numbers."""


@dataclass(frozen=True)
class SourceCounter:
    """Counts in one source."""

    source: Source
    sample: int
    """Tables with more rows are looked at in part."""

    def rows(self, sql: str, kinds: Sequence[ColumnType], most: int) -> list[Row]:
        """The rows of a statement of ours."""
        columns = tuple(Column(f"c{number}", kind) for number, kind in enumerate(kinds))
        return self.source.begin(Statement(sql, (), columns, most)).rows()

    def one(self, sql: str) -> int:
        """A number."""
        return _number(self.rows(sql, (ColumnType.INTEGER,), 1)[0][0])

    def count(self, table: TableSchema) -> int:
        """The rows of a table."""
        return self.one(f"SELECT COUNT(*) FROM {path(table)}")

    def part(self, table: TableSchema, rows: int) -> str:
        """A table, or a sample of it where it is too large."""
        if rows <= self.sample:
            return path(table)
        percent = max(0.0001, min(100.0, 100.0 * self.sample / rows))
        if self.source.dialect == "duckdb":
            return f"(SELECT * FROM {path(table)} USING SAMPLE {percent:.4f} PERCENT (system, 1)) AS part"
        # Views have no blocks to choose from, and SQLite has no sampling at all: the first rows serve.
        return f"(SELECT * FROM {path(table)} LIMIT {self.sample}) AS part"

    def profile(self, table: TableSchema, rows: int) -> tuple[int, dict[str, Counts]]:
        """How many rows were looked at, and the counts of each column."""
        part, found, seen = self.part(table, rows), dict[str, Counts](), 0
        columns = [column for column in table.columns.values() if column.type in _PLAIN]
        for start in range(0, len(columns) or 1, _WIDEST):
            some = columns[start : start + _WIDEST]
            parts = [sql for column in some for sql in self._counted(column, rows)]
            kinds = [ColumnType.INTEGER, *_COUNTED * len(some)]
            row = self.rows(f"SELECT {', '.join(('COUNT(*)', *parts))} FROM {part}", kinds, 1)[0]
            seen = _number(row[0])
            for number, column in enumerate(some):
                cells = row[1 + 6 * number : 7 + 6 * number]
                found[column.name] = _counts(cells)
        return seen, found

    def _counted(self, column: Column, rows: int) -> tuple[str, ...]:
        name, own = identifier(column.name), value_of(column)
        estimated = self.source.dialect == "duckdb" and rows > ESTIMATE_FROM
        distinct = f"approx_count_distinct({own})" if estimated else f"COUNT(DISTINCT {own})"
        low, high = (
            ("NULL", "NULL")
            if column.type is ColumnType.BOOLEAN
            else (f"CAST(MIN({own}) AS TEXT)", f"CAST(MAX({own}) AS TEXT)")
        )
        measured = f"LENGTH({own})" if column.type is ColumnType.TEXT else own
        plain = column.type in (ColumnType.TEXT, *NUMERIC)
        average = f"CAST(AVG({measured}) AS DOUBLE PRECISION)" if plain else "NULL"
        mixed = "0"
        if self.source.dialect == "sqlite" and column.type in NUMERIC:
            mixed = f"SUM(CASE WHEN typeof({name}) = 'text' THEN 1 ELSE 0 END)"
        return f"COUNT({name})", distinct, low, high, average, mixed

    def estimates(self, rows: int) -> bool:
        """Whether distinct values of a table of this size are not counted one by one."""
        return rows > self.sample or (self.source.dialect == "duckdb" and rows > ESTIMATE_FROM)

    def head(self, table: TableSchema, columns: Sequence[Column], most: int) -> list[Row]:
        """The first rows of some columns, as texts."""
        shown = ", ".join(f"CAST({value_of(column)} AS TEXT)" for column in columns)
        sql = f"SELECT {shown} FROM {path(table)} LIMIT {most}"
        return self.rows(sql, [ColumnType.TEXT] * len(columns), most)

    def values(self, table: TableSchema, rows: int, column: Column, most: int) -> tuple[str, ...]:
        """The stored values of a column, as texts; at most so many."""
        own = value_of(column)
        sql = (
            f"SELECT v FROM (SELECT DISTINCT CAST({own} AS TEXT) AS v FROM {self.part(table, rows)}"
            f" WHERE {own} IS NOT NULL) AS w ORDER BY v LIMIT {most}"
        )
        return tuple(str(row[0]) for row in self.rows(sql, (ColumnType.TEXT,), most))

    def distinct(self, table: TableSchema, columns: Sequence[str]) -> int:
        """How many different rows some columns make, counted in the whole table; NULL is no value."""
        own = [value_of(table.columns[name]) for name in columns]
        if len(own) == 1:
            return self.one(f"SELECT COUNT(DISTINCT {own[0]}) FROM {path(table)}")
        filled = " AND ".join(f"{one} IS NOT NULL" for one in own)
        inner = f"SELECT DISTINCT {', '.join(f'{one} AS c{at}' for at, one in enumerate(own))} FROM {path(table)} WHERE {filled}"
        return self.one(f"SELECT COUNT(*) FROM ({inner}) AS d")

    def combinations(self, table: TableSchema, columns: Sequence[str]) -> int:
        """How many different rows some columns make, with NULL as a value of its own."""
        own = ", ".join(f"{value_of(table.columns[name])} AS c{at}" for at, name in enumerate(columns))
        return self.one(f"SELECT COUNT(*) FROM (SELECT DISTINCT {own} FROM {path(table)}) AS d")

    def strays(
        self, child: TableSchema, rows: int, columns: Sequence[str], parent: TableSchema, referred: Sequence[str]
    ) -> tuple[int, int]:
        """Different values of columns, and how many of them have no partner; of a large child a sample, of the parent all."""
        own = [value_of(child.columns[name]) for name in columns]
        other = [value_of(parent.columns[name]) for name in referred]
        filled = " AND ".join(f"{one} IS NOT NULL" for one in own)
        chosen = ", ".join(f"{one} AS c{at}" for at, one in enumerate(own))
        distinct = f"SELECT DISTINCT {chosen} FROM {self.part(child, rows)} WHERE {filled}"
        keys = ", ".join(f"{one} AS k{at}" for at, one in enumerate(other))
        pairs = " AND ".join(f"d.c{at} = p.k{at}" for at in range(len(own)))
        sql = f"SELECT COUNT(*), COUNT(p.k0) FROM ({distinct}) AS d LEFT JOIN (SELECT DISTINCT {keys} FROM {path(parent)}) AS p ON {pairs}"
        total, met = self.rows(sql, (ColumnType.INTEGER, ColumnType.INTEGER), 1)[0]
        return _number(total), _number(total) - _number(met)

    def differing_sums(
        self, child: TableSchema, keys: Sequence[tuple[str, str]], expression: str, parent: TableSchema, total: str
    ) -> tuple[int, int]:
        """Rows of a parent with details, and how many of them do not hold the sum of an expression over these details."""
        own = ", ".join(f"{identifier(one)} AS k{at}" for at, (one, _) in enumerate(keys))
        groups = ", ".join(identifier(one) for one, _ in keys)
        pairs = " AND ".join(f"d.k{at} = p.{identifier(other)}" for at, (_, other) in enumerate(keys))
        held = f"p.{identifier(total)}"
        sql = (
            f"SELECT COUNT(*), SUM(CASE WHEN ABS({held} - d.s) <= 0.005 + ABS(d.s) * 0.000001 THEN 0 ELSE 1 END) FROM {path(parent)} AS p"
            f" JOIN (SELECT {own}, SUM({expression}) AS s FROM {path(child)} GROUP BY {groups}) AS d ON {pairs} WHERE {held} IS NOT NULL"
        )
        counted, differ = self.rows(sql, (ColumnType.INTEGER, ColumnType.INTEGER), 1)[0]
        return _number(counted), _number(differ)

    def copies(self, table: TableSchema, group: str, value: str, *, first: int | None = None) -> tuple[int, int]:
        """Groups of several rows, and how many of them hold different values of a column; of all rows or the first ones."""
        own, held = identifier(group), identifier(value)
        rows = path(table) if first is None else f"(SELECT {own}, {held} FROM {path(table)} LIMIT {first}) AS part"
        inner = (
            f"SELECT CASE WHEN MIN({held}) = MAX({held}) THEN 0 ELSE 1 END AS n FROM {rows}"
            f" WHERE {held} IS NOT NULL GROUP BY {own} HAVING COUNT(*) > 1"
        )
        several, differ = self.rows(
            f"SELECT COUNT(*), SUM(n) FROM ({inner}) AS g",
            (ColumnType.INTEGER, ColumnType.INTEGER),
            1,
        )[0]
        return _number(several), _number(differ)

    def years_with_totals(self, table: TableSchema, year: str, value: str) -> int:
        """In how many years one row holds the sum of all others."""
        own, held = identifier(year), identifier(value)
        inner = (
            f"SELECT {own} FROM {path(table)} WHERE {held} IS NOT NULL GROUP BY {own}"
            f" HAVING COUNT(*) > 2 AND ABS(2 * MAX({held}) - SUM({held})) <= 0.000001 * SUM({held})"
        )
        return self.one(f"SELECT COUNT(*) FROM ({inner}) AS y")

    def compared(self, table: TableSchema, one: str, two: str) -> tuple[int, int]:
        """In how many rows the first figure is below the second, and in how many above; texts are read as numbers."""
        a, b = (f"CAST({identifier(name)} AS DOUBLE PRECISION)" for name in (one, two))
        counted = f"SUM(CASE WHEN {a} < {b} THEN 1 ELSE 0 END), SUM(CASE WHEN {a} > {b} THEN 1 ELSE 0 END)"
        row = self.rows(f"SELECT {counted} FROM {path(table)}", (ColumnType.INTEGER, ColumnType.INTEGER), 1)[0]
        return _number(row[0]), _number(row[1])

    def quantiles(self, table: TableSchema, size: str, group: str | None, parts: int) -> list[Decimal]:
        """The lowest figure of each of so many equal parts of the things, in order."""
        sql = (
            f"SELECT q, CAST(MIN(v) AS TEXT) FROM (SELECT v, NTILE({parts}) OVER (ORDER BY v) AS q"
            f" FROM {self._things(table, size, group)}) AS n GROUP BY q ORDER BY q"
        )
        found = self.rows(sql, (ColumnType.INTEGER, ColumnType.TEXT), parts)
        return [Decimal(str(cell)) for _, cell in found]

    def above(self, table: TableSchema, size: str, group: str | None, values: Sequence[str]) -> list[int]:
        """How many of the things lie above each of some figures."""
        counted = ", ".join(f"SUM(CASE WHEN v > {value} THEN 1 ELSE 0 END)" for value in values)
        if not values:
            return []
        sql = f"SELECT {counted} FROM {self._things(table, size, group)}"
        return [_number(cell) for cell in self.rows(sql, [ColumnType.INTEGER] * len(values), 1)[0]]

    def _things(self, table: TableSchema, size: str, group: str | None) -> str:
        own = identifier(size)
        chosen = f"SELECT DISTINCT {identifier(group)} AS g, {own} AS v" if group else f"SELECT {own} AS v"
        return f"({chosen} FROM {path(table)} WHERE {own} IS NOT NULL) AS t"

    def products(self, table: TableSchema, one: str, two: str, result: str) -> tuple[int, int]:
        """Rows with three figures, and in how many of them the first two do not make the third."""
        a, b, c = (identifier(name) for name in (one, two, result))
        counted, differ = self.rows(
            f"SELECT COUNT(*), SUM(CASE WHEN ABS({a} * {b} - {c}) <= 0.01 THEN 0 ELSE 1 END) FROM {path(table)}"
            f" WHERE {a} IS NOT NULL AND {b} IS NOT NULL AND {c} IS NOT NULL AND {a} <> 1 AND {b} <> 1",
            (ColumnType.INTEGER, ColumnType.INTEGER),
            1,
        )[0]
        return _number(counted), _number(differ)


def path(table: TableSchema) -> str:
    """A table as the engine finds it."""
    if table.select:
        return f"({table.select}) AS rows_of"
    return ".".join(identifier(part) for part in table.path or (table.name,))


def value_of(column: Column) -> str:
    """A column as it is compared."""
    name = identifier(column.name)
    return f"CAST({name} AS {column.cast})" if column.cast else name


def _counts(cells: Sequence[Cell]) -> Counts:
    filled, distinct, low, high, average, mixed = cells
    return (
        _number(filled),
        _number(distinct),
        None if low is None else str(low),
        None if high is None else str(high),
        None if average is None else float(str(average)),
        _number(mixed),
    )


def _number(cell: Cell) -> int:
    return int(str(cell)) if cell is not None else 0
