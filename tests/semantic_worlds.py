"""Random small databases, ontologies and semantic queries, and the same query asked of an engine and of nested loops."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import psycopg

from naive_semantic import Naive
from veracity.contracts import QueryValidationError
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.query.catalog import build_catalog
from veracity.semantic.checking.check import check
from veracity.semantic.checking.read import read_query
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery
from veracity.semantic.result import ColumnPart, SemanticColumn
from veracity.semantic.sql.columns import read_rows
from veracity.semantic.sql.compile import compile_query
from veracity.settings import Settings
from veracity.sources.duck import engine_config, locked_source
from veracity.sources.postgres import open_postgres
from veracity.sources.source import Source
from veracity.sources.sqlite import open_sqlite

LABELS = ("a", "b", "c", "ab")
FIRST_DAY = date(2023, 11, 20)


@dataclass
class World:
    """A schema with its rows."""

    tables: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """Table -> its columns and their types."""
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    entities: list[dict[str, Any]] = field(default_factory=list)
    relations: list[dict[str, Any]] = field(default_factory=list)

    def ontology(self) -> OntologyDescriptor:
        return OntologyDescriptor.model_validate(
            {"featureCode": "world", "entities": self.entities, "relations": self.relations}
        )


# --- a world


def make_world(rnd: random.Random) -> World:
    world = World()
    keys: dict[str, list[str]] = {}
    for number in range(rnd.randint(2, 4)):
        _add_entity(world, rnd, f"E{number}", keys)
    names = list(keys)
    if len(names) < 5 and rnd.random() < 0.5:
        _add_link(world, rnd, rnd.choice(names), rnd.choice(names), keys)
    return world


def _add_entity(world: World, rnd: random.Random, name: str, keys: dict[str, list[str]]) -> None:
    composite = rnd.random() < 0.2
    key = ["ka", "kb"] if composite else ["id"]
    columns = [(one, "INTEGER") for one in key]
    columns += [("num", "INTEGER"), ("amount", "DECIMAL(10,2)"), ("label", "VARCHAR(10)"), ("day", "DATE")]
    targets = []
    for number in range(rnd.choice((0, 1, 1, 2)) if keys else 0):
        target = rnd.choice(list(keys))
        targets.append((f"r{number}", target, keys[target]))
    if rnd.random() < 0.25:
        targets.append(("self", name, key))
    for role, _, other in targets:
        columns += [(f"{role}_{one}", "INTEGER") for one in other]
    rows = [dict.fromkeys((column for column, _ in columns)) for _ in range(rnd.choice((0, 1, 3, 4, 5, 6, 7)))]
    for number, row in enumerate(rows):
        row.update({"ka": number // 3, "kb": number % 3} if composite else {"id": number + 1})
        row.update(_values(rnd))
    keys[name] = key
    world.tables[name], world.rows[name] = columns, rows
    for role, target, other in targets:
        for row in rows:
            _point(rnd, row, role, other, world.rows[target])
    world.entities.append(_declared(rnd, name, key))
    for role, target, other in targets:
        # Two relations of one name would make a way that cannot be spelt.
        world.relations.append(
            {
                "name": f"{name}_{role}",
                "fromEntity": name,
                "toEntity": target,
                "cardinality": "MANY_TO_ONE",
                "keys": {f"{role}_{one}": one for one in other},
            }
        )


def _values(rnd: random.Random) -> dict[str, Any]:
    def some(value: Any) -> Any:
        return None if rnd.random() < 0.2 else value

    return {
        "num": some(rnd.randint(-2, 4)),
        "amount": some(Decimal(rnd.choice((-10, 0, 10, 20, 30, 110, 1999))) / 100),
        "label": some(rnd.choice(LABELS)),
        "day": some(FIRST_DAY + timedelta(days=rnd.choice((0, 1, 10, 41, 42, 100, 400)))),
    }


def _point(rnd: random.Random, row: dict[str, Any], role: str, key: list[str], targets: list[dict[str, Any]]) -> None:
    if targets and rnd.random() < 0.8:
        target = rnd.choice(targets)
        row.update({f"{role}_{one}": target[one] for one in key})
    elif rnd.random() < 0.3:
        row.update({f"{role}_{one}": 99 for one in key})


def _declared(rnd: random.Random, name: str, key: list[str]) -> dict[str, Any]:
    entity: dict[str, Any] = {
        "name": name,
        "table": name,
        "grain": key,
        "fields": [
            {"name": "num", "additivity": "ADDITIVE"},
            {"name": "amount", "additivity": "ADDITIVE"},
            {"name": "label", "semanticType": "NAME"},
        ],
        "measures": [
            {"name": f"{name}_total", "aggregate": "SUM", "expression": rnd.choice(("amount", "num", "amount * num"))},
            {"name": f"{name}_some", "aggregate": "COUNT", "where": rnd.choice(("num > 1", "label = 'a' OR num < 0"))},
            {"name": f"{name}_mean", "aggregate": "AVG", "expression": rnd.choice(("amount - num", "num"))},
            {"name": f"{name}_ratio", "ratio": [f"{name}_total", f"{name}_some"]},
        ],
        "segments": [{"name": f"{name}_good", "where": rnd.choice(("label IN ('a', 'b')", "NOT num = 1"))}],
    }
    if rnd.random() < 0.7:
        entity["defaultDate"] = "day"
    return entity


def _add_link(world: World, rnd: random.Random, one: str, other: str, keys: dict[str, list[str]]) -> None:
    columns = [(f"x_{key}", "INTEGER") for key in keys[one]] + [(f"y_{key}", "INTEGER") for key in keys[other]]
    rows = [dict.fromkeys((column for column, _ in columns)) for _ in range(rnd.randint(0, 8))]
    for row in rows:
        _point(rnd, row, "x", keys[one], world.rows[one])
        _point(rnd, row, "y", keys[other], world.rows[other])
    world.tables["L"], world.rows["L"] = columns, rows
    world.entities.append({"name": "L", "table": "L"})
    world.relations.append(
        {
            "name": "link",
            "fromEntity": one,
            "toEntity": other,
            "cardinality": "MANY_TO_MANY",
            "through": {
                "entity": "L",
                "fromKeys": {f"x_{key}": key for key in keys[one]},
                "toKeys": {f"y_{key}": key for key in keys[other]},
            },
        }
    )


# --- a query


class QueryMaker:
    """Makes queries over a world, most of them valid."""

    def __init__(self, rnd: random.Random, model: SemanticModel) -> None:
        self.rnd, self.model = rnd, model
        self.names = [name for name, thing in model.things.items() if thing.key]

    def query(self) -> dict[str, Any]:
        of = self.rnd.choice(self.names)
        return self.list_query(of, 0) if self.rnd.random() < 0.4 else self.grouped_query(of, 0)

    def walk(self, start: str, most: int = 2, *, to_one: bool = False) -> tuple[list[str], str]:
        via: list[str] = []
        here = start
        for _ in range(self.rnd.choice((0, 0, 1, 1, 2)[: most + 3])):
            steps = [s for s in self.model.steps[here] if s.end in self.names and (s.to_one or not to_one)]
            if not steps:
                break
            step = self.rnd.choice(steps)
            via.append(step.name)
            here = step.end
        return via, here

    def place(self, start: str, *, to_one: bool = False) -> tuple[dict[str, Any], str]:
        via, end = self.walk(start, to_one=to_one)
        return ({"via": via} if via else {}), end

    def field(self, start: str, *, to_one: bool = False, names: Sequence[str] = ()) -> dict[str, Any]:
        place, end = self.place(start, to_one=to_one)
        return {"field": f"{end}.{self.rnd.choice(names or ('num', 'amount', 'label', 'day'))}", **place}

    def literal(self, name: str) -> Any:
        if name == "num":
            return self.rnd.randint(-2, 4)
        if name == "amount":
            return self.rnd.choice((0, 0.1, 0.2, 0.3, 1.1, -0.1))
        if name == "label":
            return self.rnd.choice((*LABELS, "zz"))
        return (FIRST_DAY + timedelta(days=self.rnd.choice((0, 1, 42, 60)))).isoformat()

    def comparison(self, of: str, depth: int) -> dict[str, Any]:
        chosen = self.field(of)
        name = chosen["field"].rpartition(".")[2]
        ops = ["=", "!=", "<", "<=", ">", ">=", "in", "between", "missing", "notMissing"]
        op = self.rnd.choice([*ops, "like"] if name == "label" else ops)
        chosen["op"] = op
        if op in ("missing", "notMissing"):
            return chosen
        if op == "in":
            return {**chosen, "value": [self.literal(name) for _ in range(self.rnd.randint(1, 3))]}
        if op == "between":
            return {**chosen, "value": sorted((self.literal(name), self.literal(name)))}
        if op == "like":
            return {**chosen, "value": self.rnd.choice(("a%", "%b", "_", "%"))}
        if name in ("num", "amount") and self.rnd.random() < 0.25 and depth < 2:
            return {**chosen, "value": self.one_value(of, depth)}
        return {**chosen, "value": self.literal(name)}

    def one_value(self, of: str, depth: int) -> dict[str, Any]:
        if self.rnd.random() < 0.3:
            return {"show": [self.field(of, to_one=True, names=("num", "amount"))], "of": of}
        other = self.rnd.choice(self.names)
        query: dict[str, Any] = {"of": other, "show": [self.figure(other, depth + 1)]}
        if self.rnd.random() < 0.4:
            query["where"] = self.condition(other, depth + 1)
        return query

    def condition(self, of: str, depth: int) -> dict[str, Any]:
        roll = self.rnd.random()
        if depth >= 3 or roll < 0.4:
            return self.comparison(of, depth)
        if roll < 0.58:
            parts = [self.condition(of, depth + 1) for _ in range(self.rnd.randint(2, 3))]
            return {self.rnd.choice(("and", "or")): parts}
        if roll < 0.66:
            return {"not": self.condition(of, depth + 1)}
        if roll < 0.73:
            place, end = self.place(of)
            return {"segment": f"{end}_good", **place}
        if roll < 0.87:
            return self.related(of, depth)
        value: Any = self.one_figure(depth) if self.rnd.random() < 0.3 else self.rnd.choice((0, 1, 2, 0.3, -1))
        return {"show": self.figure(of, depth + 1), "op": self.rnd.choice(("=", "!=", "<", ">=", ">")), "value": value}

    def one_figure(self, depth: int) -> dict[str, Any]:
        other = self.rnd.choice(self.names)
        return {"of": other, "show": [self.figure(other, depth + 1)]}

    def related(self, of: str, depth: int) -> dict[str, Any]:
        place, end = self.place(of)
        found = {"related": self.list_query(end, depth + 1), **place}
        if self.rnd.random() < 0.15 and depth < 2:
            best: dict[str, Any] = {"of": end, "by": [{"entity": end}], "show": [self.figure(end, 2)], "limit": 2}
            found["related"] = {**best, "order": [{"by": best["show"][0], "descending": True}]}
        if self.rnd.random() < 0.4:
            op = self.rnd.choice(("=", "!=", "<", "<=", ">", ">="))
            found["count"] = {"op": op, "value": self.rnd.randint(0, 3)}
        return found

    def figure(self, of: str, depth: int) -> dict[str, Any]:
        roll = self.rnd.random()
        place, end = self.place(of)
        found: dict[str, Any]
        if roll < 0.25:
            found = {"aggregate": "count", "of": end, **place}
        elif roll < 0.55:
            found = {"measure": f"{end}_{self.rnd.choice(('total', 'some', 'mean', 'ratio'))}", **place}
        elif roll < 0.9 or depth > 1:
            aggregate = self.rnd.choice(("sum", "avg", "min", "max", "median", "count", "countDistinct"))
            names = ("num", "amount") if aggregate in ("sum", "avg", "median") else ("num", "amount", "label", "day")
            if depth > 0 and aggregate in ("min", "max"):
                names = ("num", "amount")
            found = {"aggregate": aggregate, "field": f"{end}.{self.rnd.choice(names)}", **place}
        else:
            return {"ratio": [self.figure(of, 2), self.figure(of, 2)]}
        if self.rnd.random() < 0.2 and depth < 2:
            found["where"] = self.condition(end, depth + 2)
        return found

    def limit(self, query: dict[str, Any]) -> None:
        if query.get("order") and self.rnd.random() < 0.6:
            query["limit"] = self.rnd.randint(1, 3)
            if self.rnd.random() < 0.3:
                query["skip"] = self.rnd.randint(1, 2)

    def period(self, of: str) -> Any:
        chosen = self.rnd.choice(("2023", "2024", "2024-01", "2023-Q4", "2023-11-20", {"from": "2023-11-21"}))
        if isinstance(chosen, dict) or self.rnd.random() < 0.3:
            return {"from": "2023-11-21", **self.field(of, names=("day",))} if self.rnd.random() < 0.6 else chosen
        return chosen

    def list_query(self, of: str, depth: int) -> dict[str, Any]:
        query: dict[str, Any] = {"of": of}
        if depth == 0:
            query["show"] = [self.field(of, to_one=True) for _ in range(self.rnd.randint(0, 2))]
        if self.rnd.random() < 0.7 and depth < 3:
            query["where"] = self.condition(of, depth + 1)
        if self.rnd.random() < 0.4 and depth < 2:
            shown = self.field(of, to_one=True) if self.rnd.random() < 0.6 else self.figure(of, 1)
            query["order"] = [{"by": shown, "descending": self.rnd.random() < 0.5}]
            self.limit(query)
            if "limit" in query and self.rnd.random() < 0.3:
                query["per"] = [self.dimension(of, to_one=True)]
        if self.rnd.random() < 0.15:
            query["period"] = self.period(of)
        return query

    def dimension(self, of: str, *, to_one: bool = False) -> dict[str, Any]:
        place, end = self.place(of, to_one=to_one)
        if self.rnd.random() < 0.3:
            return {"entity": end, **place}
        name = self.rnd.choice(("num", "label", "day"))
        found = {"field": f"{end}.{name}", **place}
        if name == "day" and self.rnd.random() < 0.7:
            found["grain"] = self.rnd.choice(("day", "week", "month", "quarter", "year"))
        return found

    def grouped_query(self, of: str, depth: int) -> dict[str, Any]:
        by = [self.dimension(of) for _ in range(self.rnd.choice((0, 1, 1, 2)))]
        show = [self.figure(of, 0) for _ in range(self.rnd.choice((0, 1, 1, 2) if by else (1, 1, 2)))]
        query: dict[str, Any] = {"of": of, "by": by, "show": show}
        if len(by) == 1 and "entity" in by[0] and show and self.rnd.random() < 0.4:
            by[0]["complete"] = True
        if self.rnd.random() < 0.6:
            query["where"] = self.condition(of, depth + 1)
        if self.rnd.random() < 0.2:
            query["period"] = self.period(of)
        if by and self.rnd.random() < 0.3:
            self.having(query, of)
        if by and self.rnd.random() < 0.4:
            query["order"] = [{"by": self.figure(of, 2), "descending": self.rnd.random() < 0.5}]
            self.limit(query)
            if "limit" in query and len(by) > 1 and self.rnd.random() < 0.4:
                query["per"] = [by[0]]
        self.extras(query, of)
        return query

    def having(self, query: dict[str, Any], of: str) -> None:
        compared = {
            "show": self.figure(of, 2),
            "op": self.rnd.choice(("<", ">=", "=", "!=")),
            "value": self.rnd.choice((0, 1, 2, 0.3)),
        }
        query["having"] = {"not": compared} if self.rnd.random() < 0.2 else compared

    def extras(self, query: dict[str, Any], of: str) -> None:
        """A comparison, a transformation, or an aggregate over the figures of another query."""
        roll, show = self.rnd.random(), query["show"]
        if not show:
            return
        if roll < 0.08 and "period" in query:
            query["compare"] = {"period": self.rnd.choice(("2023", "2024"))}
        elif roll < 0.12 and "limit" not in query:
            query["compare"] = {"field": f"{of}.label", "members": ["a", "b"]}
        elif roll < 0.22 and "complete" not in str(query):
            show[0]["transform"] = self.rnd.choice(("share", "rank"))
        elif roll < 0.3 and not {"where", "period", "having", "order"} & set(query):
            inner = {"of": of, "by": [self.dimension(of)], "show": [self.figure(of, 1)]}
            aggregate = self.rnd.choice(("avg", "sum", "min", "max", "count", "median"))
            query["show"] = [{"aggregate": aggregate, "rows": inner}]


# --- engines


class DuckWorlds:
    """One connection in memory, whose tables are made anew for each world."""

    name = "duckdb"

    def __init__(self) -> None:
        self._connection = duckdb.connect(config=engine_config(Settings()))
        self._tables: list[str] = []

    def open(self, world: World) -> Source:
        for table in self._tables:
            self._connection.execute(f'DROP TABLE "{table}"')
        self._tables = list(world.tables)
        for statement, rows in statements(world):
            if rows is None:
                self._connection.execute(statement)
            elif rows:
                self._connection.executemany(statement, rows)
        return locked_source(self._connection, "worlds", Settings(), dispose=lambda: None)


class SqliteWorlds:
    """One file, whose tables are made anew for each world."""

    name = "sqlite"

    def __init__(self, folder: Path) -> None:
        self._path = folder / "worlds.sqlite"

    def open(self, world: World) -> Source:
        self._path.unlink(missing_ok=True)
        connection = sqlite3.connect(self._path)
        connection.execute("PRAGMA synchronous = OFF")
        for statement, rows in statements(world):
            if rows is None:
                connection.execute(statement)
            else:
                connection.executemany(statement, [[_plain(cell) for cell in row] for row in rows])
        connection.commit()
        connection.close()
        return open_sqlite(self._path, Settings())


class PostgresWorlds:
    """One schema, whose tables are made anew for each world."""

    name = "postgres"

    def __init__(self, url: str) -> None:
        self._url = url

    def open(self, world: World) -> Source:
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute("DROP SCHEMA IF EXISTS worlds CASCADE")
            connection.execute("CREATE SCHEMA worlds")
            connection.execute("SET search_path = worlds")
            for statement, rows in statements(world):
                if rows is None:
                    connection.execute(statement.encode())
                else:
                    connection.cursor().executemany(statement.replace("?", "%s").encode(), rows)
        return open_postgres(f"{self._url}?options=-csearch_path%3Dworlds", Settings())


Worlds = DuckWorlds | SqliteWorlds | PostgresWorlds


def _plain(cell: Any) -> Any:
    if isinstance(cell, Decimal):
        return str(cell)
    return cell.isoformat() if isinstance(cell, date) else cell


def statements(world: World) -> Iterator[tuple[str, list[list[Any]] | None]]:
    for table, columns in world.tables.items():
        yield f'CREATE TABLE "{table}" ({", ".join(f"{name} {kind}" for name, kind in columns)})', None
        marks = ", ".join("?" for _ in columns)
        yield f'INSERT INTO "{table}" VALUES ({marks})', [[r[c] for c, _ in columns] for r in world.rows[table]]


# --- both answers


def engine_rows(query: SemanticQuery, model: SemanticModel, source: Source) -> tuple[list[tuple[Any, ...]], str]:
    """What the engine answers: keys and shown values, or dimensions and figures; and the statement."""
    compiled = compile_query(query, model, source, row_limit=10_000)
    rows = read_rows(compiled.outputs, source.begin(compiled.statement).rows())
    columns = [output.shown for output in compiled.outputs]
    picked = _list_columns(query, model, columns) if query.lists else _group_columns(columns)
    return [tuple(row[name] for name in picked) for row in rows], compiled.statement.sql


def _list_columns(query: SemanticQuery, model: SemanticModel, columns: Sequence[SemanticColumn]) -> list[str]:
    key = [
        next(c for c in columns if c.part is ColumnPart.KEY and c.field == k) for k in model.things[query.of or ""].key
    ]
    shown = [next(c for c in columns if c.shown is one) for one in query.show]
    return [c.column.name for c in (*key, *shown)]


def _group_columns(columns: Sequence[SemanticColumn]) -> list[str]:
    return [c.column.name for c in columns if c.part is not ColumnPart.NAME]


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        if one is None or other is None:
            return one is other
        size = max(Decimal(1), abs(Decimal(str(other))))
        return abs(Decimal(str(one)) - Decimal(str(other))) <= Decimal("1e-6") * size
    if isinstance(one, Decimal) and isinstance(other, Decimal):
        # An average of figures is rounded to fewer digits than one of stored values.
        digits = min(-int(one.as_tuple().exponent), -int(other.as_tuple().exponent))
        if digits >= LEAST_DIGITS:
            return abs(one - other) <= Decimal(1).scaleb(-digits)
    return bool(one == other)


LEAST_DIGITS = 6


def difference(
    written: Mapping[str, Any], model: SemanticModel, source: Source, naive: Naive
) -> tuple[str | None, bool]:
    """What differs between the two answers of a query, if anything, and whether it was answered at all."""
    read = read_query(written)
    if isinstance(read, QueryValidationError):
        return f"cannot be read: {read.hint}", False
    query = check(read, model)
    if isinstance(query, QueryValidationError):
        return None, False
    again = check(query, model)
    if again != query:
        return f"checked twice: {again}", True
    expected = [row for row, _ in naive.rows(query)]
    try:
        got, sql = engine_rows(query, model, source)
    except Exception as error:  # noqa: BLE001
        cause = error.__cause__ or error
        return f"{type(error).__name__}: {cause}", True
    alike = len(got) == len(expected) and all(
        len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
        for a, b in zip(got, expected, strict=True)
    )
    return (None if alike else f"expected {expected}\n got     {got}\n{sql}"), True


def run_world(seed: int, queries: int, engines: Sequence[Worlds]) -> Iterator[tuple[str, Any, str | None, bool]]:
    """Engine, query, difference and whether it was answered, for the queries of one world."""
    rnd = random.Random(seed)
    world = make_world(rnd)
    ontology = world.ontology()
    opened = []
    for engine in engines:
        source = engine.open(world)
        opened.append((engine.name, source, SemanticModel(build_catalog(source, ontology=ontology))))
    maker = QueryMaker(rnd, opened[0][2])
    naive = Naive(opened[0][2], world.rows)
    for _ in range(queries):
        written = maker.query()
        for name, source, model in opened:
            naive.model = model
            problem, answered = difference(written, model, source, naive)
            yield name, written, problem, answered
        naive = Naive(opened[0][2], world.rows)
    for _, source, _ in opened:
        source.close()
