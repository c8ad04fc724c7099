"""Gold SQL that other people wrote, through the raw-SQL check without an ontology, held against the engine's own result.

python benchmarks/raw_sql.py FOLDER [--postgres URL] [--verbose]
python benchmarks/raw_sql.py [--verbose]

FOLDER holds `chinook/` and `geoquery/` (a SQLite file and a .jsonl with `gold_sql`) and `defog/` (.sql dumps and a .jsonl with
`gold_original`). The dumps are loaded into databases of their own on the server behind --postgres; without it they are
left out. Exit code 1 when a result differs.

Without a folder: the statements of `raw_sql_cases/`, wrong ones beside right ones that look alike, on a small hotel with and without
an ontology, on readings of meters and on the shipped ledger. A wrong one that runs is missed, a right one that is refused is stopped; exit code 1 for either.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from veracity.contracts import TableData
from veracity.settings import Settings
from veracity.sources.open import open_source
from veracity.tools.open import open_tables
from veracity.tools.sql import SqlTools
from veracity.tools.tables import TableTools

CASES = Path(__file__).with_name("raw_sql_cases")
MOST_ROWS = 10_000
Rows = list[tuple[Any, ...]]


@dataclass
class Count:
    """What became of the statements of one database."""

    same: int = 0
    different: list[str] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    invalid: int = 0
    """Statements that the engine itself cannot run."""


def same(direct: Rows, checked: Rows) -> bool:
    """Whether two results hold the same rows, in any order: rows that tie may come in any."""
    if len(direct) != len(checked):
        return False
    direct, checked = sorted(direct, key=_key), sorted(checked, key=_key)
    cells = ((a, b) for one, other in zip(direct, checked, strict=True) for a, b in zip(one, other, strict=True))
    return all(_alike(a, b) for a, b in cells)


def _key(row: Sequence[Any]) -> tuple[str, ...]:
    return tuple(f"{float(c):.6g}" if isinstance(c, int | float | Decimal) else _written(c) for c in row)


def _alike(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    if all(isinstance(cell, int | float | Decimal) for cell in (one, other)):
        return math.isclose(float(one), float(other), rel_tol=1e-9, abs_tol=1e-6)
    return _written(one) == _written(other)


def _written(cell: Any) -> str:
    if isinstance(cell, datetime):
        return cell.replace(tzinfo=None).isoformat(" ").removesuffix(" 00:00:00")
    return cell.isoformat() if isinstance(cell, date) else str(cell).removesuffix(" 00:00:00")


async def measure(spec: str, statements: Sequence[str], run: Callable[[str], Rows]) -> Count:
    """Each statement, by the engine and through the tool."""
    tools, count = SqlTools(TableTools(open_source(spec), settings=Settings(row_limit=MOST_ROWS))), Count()
    for sql in statements:
        try:
            direct = run(sql)
        except Exception:  # noqa: BLE001 - whatever the engine says, the statement is none of its own
            count.invalid += 1
            continue
        found = await tools.call("query", {"sql": sql, "limit": MOST_ROWS})
        if found.error_details is not None:
            count.refused.append((sql, f"{found.error_details.code} {found.error_details.hint}"))
        elif not isinstance(found.data, TableData):
            count.failed.append(sql)
        elif same(direct, [tuple(row.values()) for row in found.data.rows]):
            count.same += 1
        else:
            count.different.append(sql)
    tools.close()
    return count


# --- the three collections


def of_sqlite(folder: Path) -> tuple[str, list[str], Callable[[str], Rows]]:
    """A SQLite file, its gold SQL and how the engine runs it."""
    path = next(folder.glob("*.sqlite"))
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    texts = (json.loads(line)["gold_sql"] for line in next(folder.glob("*.jsonl")).open(encoding="utf-8"))
    return str(path), list(dict.fromkeys(texts)), lambda sql: connection.execute(sql).fetchall()


def of_defog(folder: Path, url: str) -> Iterator[tuple[str, str, list[str], Callable[[str], Rows]]]:
    """Each dump in a database of its own."""
    import psycopg

    golds: dict[str, list[str]] = {}
    for line in (folder / "questions.jsonl").open(encoding="utf-8"):
        case = json.loads(line)
        golds.setdefault(case["db"], []).append(first_alternative(case["gold_original"]))
    server = re.sub(r"/[^/?]*(\?|$)", r"/{}\1", url, count=0) if url.count("/") > 2 else f"{url}/{{}}"
    for dump in sorted(folder.glob("*.sql")):
        name = f"raw_sql_{dump.stem}"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name}".encode())
            connection.execute(f"CREATE DATABASE {name}".encode())
        spec = server.format(name)
        connection = psycopg.connect(spec, autocommit=True)
        connection.execute(dump.read_bytes())
        connection.execute("SET timezone = 'UTC'; SET search_path = public")

        def run(sql: str, connection: Any = connection) -> Rows:
            return list(connection.execute(sql.encode()).fetchall())

        yield dump.stem, spec, golds.get(dump.stem, []), run


def first_alternative(gold: str) -> str:
    """The first of several SELECTs, with the first column of each `{a, b}`; `{}` stands for the same one."""
    sql = gold.split(";", maxsplit=1)[0]
    chosen = ""

    def take(group: re.Match[str]) -> str:
        nonlocal chosen
        chosen = group[1].split(",")[0].strip() or chosen
        return chosen

    return re.sub(r"\{([^}]*)\}", take, sql)


# --- wrong statements and right ones


async def of_cases(*, verbose: bool) -> int:
    """Every case of `raw_sql_cases/`: what is missed and what is stopped though right."""
    missed: Counter[str] = Counter()
    stopped: Counter[str] = Counter()
    sizes: Counter[tuple[str, str]] = Counter()
    with TemporaryDirectory() as folder:
        opened = _opened(Path(folder))
        for kind, side, using, sql in case_statements():
            found = await opened[using].call("query", {"sql": sql})
            sizes[kind, side] += 1
            passed = found.error_details is None
            if passed is (side == "wrong"):
                (missed if passed else stopped)[kind] += 1
                print(f"{'missed' if passed else 'stopped'}  {using}  {sql}\n    {found.error or ''}")
            elif verbose:
                print(f"{side}  {sql}\n    {found.error or 'runs'}")
        for tools in opened.values():
            tools.close()
    for kind in dict.fromkeys(kind for kind, _ in sizes):
        wrong, right = sizes[kind, "wrong"], sizes[kind, "right"]
        print(f"{kind:10} {missed[kind]:3} of {wrong:3} missed   {stopped[kind]:3} of {right:3} stopped")
    wrong, right = (sum(n for (_, side), n in sizes.items() if side == which) for which in ("wrong", "right"))
    print(f"{'all':10} {missed.total():3} of {wrong:3} missed   {stopped.total():3} of {right:3} stopped")
    return 1 if missed or stopped else 0


def case_statements() -> Iterator[tuple[str, str, str, str]]:
    """Kind, wrong or right, the database and the statement."""
    for name in ("hotel", "energy"):
        kinds = yaml.safe_load((CASES / f"{name}_cases.yaml").read_text(encoding="utf-8"))
        listed = [(kind, side, case) for kind, sides in kinds.items() for side in sides for case in sides[side]]
        for kind, side, case in listed:
            found = case if isinstance(case, dict) else {"sql": case}
            yield kind, side, found.get("using", name), found["sql"]


def _opened(folder: Path) -> dict[str, SqlTools]:
    import duckdb

    opened = {"ledger": SqlTools(open_tables())}
    for name in ("hotel", "energy"):
        with duckdb.connect(str(folder / f"{name}.duckdb")) as connection:
            connection.execute((CASES / f"{name}.sql").read_text(encoding="utf-8"))
        opened[name] = SqlTools(open_tables(folder / f"{name}.duckdb", ontology=CASES / f"{name}.yaml"))
    opened["bare"] = SqlTools(open_tables(folder / "hotel.duckdb", use_ontology=False))
    return opened


def main() -> int:
    """Measure all collections and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--postgres", metavar="URL")
    parser.add_argument("--verbose", action="store_true", help="show every statement that is refused")
    options = parser.parse_args()
    if options.folder is None:
        return asyncio.run(of_cases(verbose=options.verbose))
    counts: dict[str, Count] = {}
    for name in ("chinook", "geoquery"):
        counts[name] = asyncio.run(measure(*of_sqlite(options.folder / name)))
    if options.postgres:
        for name, spec, statements, run in of_defog(options.folder / "defog", options.postgres):
            counts[name] = asyncio.run(measure(spec, statements, run))
    _report(counts, verbose=options.verbose)
    return 1 if any(count.different for count in counts.values()) else 0


def _report(counts: dict[str, Count], *, verbose: bool) -> None:
    print(f"{'':16} {'same':>6} {'different':>10} {'refused':>8} {'failed':>7} {'not valid':>10}")
    for name, count in counts.items():
        refused = len(count.refused)
        print(
            f"{name:16} {count.same:6} {len(count.different):10} {refused:8} {len(count.failed):7} {count.invalid:10}"
        )
    reasons = Counter(_reason(hint) for count in counts.values() for _, hint in count.refused)
    for reason, number in reasons.most_common():
        print(f"{number:5}  {reason}")
    for name, count in counts.items():
        for sql in count.different:
            print(f"different  {name}  {sql}")
        for sql in count.failed:
            print(f"failed  {name}  {sql}")
        for sql, hint in count.refused if verbose else ():
            print(f"refused  {name}  {hint}\n    {sql}")


def _reason(hint: str) -> str:
    """A hint without the names in it."""
    code, _, words = hint.partition(" ")
    return f"{code}  " + " ".join(w for w in words.split() if w.islower() or not re.search(r"[\W_\dA-Z]", w[1:-1]))


if __name__ == "__main__":
    sys.exit(main())
