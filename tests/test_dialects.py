"""Raw SQL is read as its own engine reads it: the same rows as the engine gives, or a refusal that says what for."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dialects import SCRIPT, alike, cases, run_directly
from each_case import each
from sql_engines import build
from veracity.contracts import TableData
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.query.sqlcheck.allowed import CLASSED, function_names, own_functions
from veracity.sources.open import open_source
from veracity.sources.source import Scope
from veracity.tools.sql import SqlTools
from veracity.tools.tables import TableTools

ENGINES = ("sqlite", "duckdb", "postgres")


@pytest.fixture(scope="module")
def billing(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Callable[[str], tuple[str, SqlTools]]]:
    """engine -> the spec of a small database with keys, and the tools on it without an ontology."""
    made: dict[str, tuple[str, SqlTools]] = {}

    def of(engine: str) -> tuple[str, SqlTools]:
        if engine not in made:
            folder = tmp_path_factory.mktemp(engine)
            spec = build(engine, SCRIPT, folder, lambda: request.getfixturevalue("postgres"), name="billing")
            if engine == "duckdb":
                shutil.copy(spec, spec.replace(".duckdb", "-direct.duckdb"))
            made[engine] = spec, SqlTools(TableTools(open_source(spec)))
        return made[engine]

    yield of
    for _, tools in made.values():
        tools.close()


@pytest.mark.long
@each(("engine", "sql", "refused"), [(engine, sql, refused) for engine in ENGINES for sql, refused in cases(engine)])
def test_a_statement_gives_what_its_engine_gives_or_is_refused_by_name(
    billing: Callable[[str], tuple[str, SqlTools]], engine: str, sql: str, refused: str | None
) -> None:
    spec, tools = billing(engine)
    found = tools.call_sync("query", {"sql": sql})
    if refused is not None:
        assert found.error_details is not None, found
        assert found.error_details.field == refused
        return
    assert isinstance(found.data, TableData), found
    assert alike(run_directly(engine, spec, sql), [tuple(row.values()) for row in found.data.rows]), found.data.rows


def test_every_function_of_an_engine_is_one_that_it_has(billing: Callable[[str], tuple[str, SqlTools]]) -> None:
    """What an engine has is never read as DuckDB's: whatever both have is judged in the engine's own SQL."""
    known = {
        "sqlite": "SELECT upper(name) FROM pragma_function_list",
        "postgres": "SELECT DISTINCT upper(proname::text) FROM pg_proc",
    }
    for engine, sql in known.items():
        spec, _ = billing(engine)
        has = {name for (name,) in run_directly(engine, spec, sql)}
        judged = own_functions(engine) | CLASSED
        shared = (function_names("duckdb") & has) - judged - {"EXTRACT", "TRIM", "SUBSTRING", "POSITION"}
        # What only newer versions have, and what is no plain function there.
        assert shared <= {"CONCAT", "CONCAT_WS", "INITCAP", "CURRENT_DATE", "CURRENT_TIMESTAMP"}, (engine, shared)


# --- joins


def counted(tools: SqlTools, sql: str) -> Any:
    found = tools.call_sync("query", {"sql": sql})
    return found.error_details.code if found.error_details is not None else found.data.rows  # type: ignore[union-attr]


LIKED = """
    CREATE TABLE writer (code INTEGER PRIMARY KEY, label VARCHAR(20));
    CREATE TABLE work (isbn INTEGER PRIMARY KEY, made_by INTEGER REFERENCES writer (code), price DECIMAL(10,2));
    CREATE TABLE spot (aisle INTEGER, shelf INTEGER, width DECIMAL(10,2), PRIMARY KEY (aisle, shelf));
    CREATE TABLE placed (isbn INTEGER REFERENCES work (isbn), row_a INTEGER, row_s INTEGER, copies DECIMAL(10,2),
        FOREIGN KEY (row_a, row_s) REFERENCES spot (aisle, shelf));
    INSERT INTO writer VALUES (1, 'Frisch'), (2, 'Keller');
    INSERT INTO work VALUES (10, 1, 20.00), (11, 1, 30.00), (12, 2, 5.00);
    INSERT INTO spot VALUES (1, 1, 100.00), (1, 2, 50.00);
    INSERT INTO placed VALUES (10, 1, 1, 3.00), (11, 1, 1, 1.00), (12, 1, 2, 2.00);
"""


@pytest.fixture(scope="module", params=ENGINES)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlTools]:
    """Tables whose names say nothing of how they belong together; their keys do."""
    folder = tmp_path_factory.mktemp("library")
    spec = build(request.param, LIKED, folder, lambda: request.getfixturevalue("postgres"), name="library")
    tools = SqlTools(TableTools(open_source(spec)))
    yield tools
    tools.close()


def test_a_foreign_key_is_a_relation_from_many_to_one(library: SqlTools) -> None:
    sql = "SELECT w.label, SUM(k.price) AS p FROM writer w JOIN work k ON k.made_by = w.code GROUP BY w.label ORDER BY w.label"
    assert [tuple(map(str, row.values())) for row in counted(library, sql)] == [("Frisch", "50.00"), ("Keller", "5.00")]


def test_a_key_of_several_columns_tells_one_row_only_as_a_whole(library: SqlTools) -> None:
    whole = "SELECT s.shelf, SUM(p.copies) AS n FROM placed p JOIN spot s ON s.aisle = p.row_a AND s.shelf = p.row_s GROUP BY s.shelf ORDER BY 1"
    assert [str(row["n"]) for row in counted(library, whole)] == ["4.00", "2.00"]
    half = "SELECT SUM(p.copies) AS n FROM placed p JOIN spot s ON s.aisle = p.row_a"
    assert counted(library, half) == "AMBIGUOUS_GRAIN"


def test_the_one_side_of_a_foreign_key_is_not_added_up_per_row_of_the_many(library: SqlTools) -> None:
    sql = "SELECT SUM(s.width) AS w FROM placed p JOIN spot s ON s.aisle = p.row_a AND s.shelf = p.row_s"
    assert counted(library, sql) == "AMBIGUOUS_GRAIN"
    fanned = "SELECT SUM(k.price) AS p FROM work k JOIN writer w ON w.code = k.made_by JOIN placed p ON p.isbn = k.isbn JOIN placed q ON q.isbn = w.code"
    assert counted(library, fanned) == "AMBIGUOUS_GRAIN"


def test_a_join_that_nothing_is_counted_over_needs_no_relation(library: SqlTools) -> None:
    rows = counted(library, "SELECT w.label, s.width FROM writer w JOIN spot s ON s.shelf = w.code ORDER BY 1")
    assert [row["label"] for row in rows] == ["Frisch", "Keller"]
    assert counted(library, "SELECT COUNT(*) AS n FROM writer w JOIN spot s ON s.shelf = w.code") == "AMBIGUOUS_GRAIN"
    assert counted(library, "SELECT w.label, s.width FROM writer w, spot s") == "UNSAFE_SQL"


def test_columns_of_a_row_whose_key_is_grouped_by_need_not_be_grouped_by(library: SqlTools) -> None:
    sql = "SELECT k.isbn, w.label, SUM(p.copies) AS n FROM placed p JOIN work k ON k.isbn = p.isbn JOIN writer w ON w.code = k.made_by GROUP BY k.isbn ORDER BY k.isbn"
    assert [row["label"] for row in counted(library, sql)] == ["Frisch", "Frisch", "Keller"]
    loose = "SELECT k.price, w.label, COUNT(*) AS n FROM work k JOIN writer w ON w.code = k.made_by GROUP BY w.label"
    assert counted(library, loose) == "AMBIGUOUS_GRAIN"


def test_a_join_that_nothing_was_counted_over_is_still_judged_where_its_rows_are_counted_further_out(
    library: SqlTools,
) -> None:
    rows = "SELECT k.price AS x FROM work k JOIN spot s ON s.shelf = k.made_by"
    for sql in (
        f"SELECT SUM(x) AS t FROM ({rows}) AS r",
        f"WITH r AS ({rows}) SELECT COUNT(*) AS n FROM r",
        f"SELECT AVG(x) AS t FROM ({rows} UNION ALL SELECT price FROM work) AS r",
        "SELECT SUM(k.price) OVER (PARTITION BY s.aisle) AS t FROM work k JOIN spot s ON s.shelf = k.made_by",
    ):
        assert counted(library, sql) == "AMBIGUOUS_GRAIN", sql
    assert counted(library, f"SELECT MAX(x) AS t FROM ({rows}) AS r") != "AMBIGUOUS_GRAIN"


def test_a_row_that_a_left_join_may_or_may_not_find_is_not_taken_for_grouped_by(library: SqlTools) -> None:
    sql = "SELECT k.made_by, w.label, COUNT(*) AS n FROM work k LEFT JOIN writer w ON w.code = k.made_by AND k.price > 25 GROUP BY k.made_by"
    assert counted(library, sql) == "AMBIGUOUS_GRAIN"


def test_a_key_is_one_within_the_scope_without_the_scopes_own_column(tmp_path: Path) -> None:
    script = """
        CREATE TABLE home (tenant VARCHAR(9), code INTEGER, label VARCHAR(9), PRIMARY KEY (tenant, code));
        CREATE TABLE stay (tenant VARCHAR(9), place INTEGER, nights INTEGER,
            FOREIGN KEY (tenant, place) REFERENCES home (tenant, code));
        INSERT INTO home VALUES ('a', 1, 'Alp'), ('b', 1, 'Bad');
        INSERT INTO stay VALUES ('a', 1, 2), ('a', 1, 3), ('b', 1, 90);
    """
    spec = build("sqlite", script, tmp_path, str, name="scoped")
    tools = SqlTools(TableTools(open_source(spec), scope=Scope({"tenant": "a"})))
    sql = "SELECT h.label, SUM(s.nights) AS n FROM stay s JOIN home h ON h.code = s.place GROUP BY h.label"
    assert counted(tools, sql) == ({"label": "Alp", "n": 5},)
    tools.close()


# --- tables under declared views


def viewed(spec: str, *, hidden: bool = False, scope: Scope | None = None) -> SqlTools:
    entities: list[dict[str, Any]] = [
        {
            "name": "PaidInvoice",
            "view": "SELECT i.id, i.total, c.name FROM invoice AS i JOIN customer AS c ON c.id = i.customer_id WHERE i.paid",
            "grain": "id",
            "fields": [{"name": "total", "semanticType": "AMOUNT", "additivity": "ADDITIVE"}],
        }
    ]
    if hidden:
        entities.append({"name": "Customer", "table": "customer", "hidden": True})
    ontology = OntologyDescriptor.model_validate({"featureCode": "billing", "entities": entities})
    return SqlTools(TableTools(open_source(spec), ontology=ontology, scope=scope))


def test_tables_under_a_view_stay_readable_but_are_not_added_up(tmp_path: Path) -> None:
    tools = viewed(build("sqlite", SCRIPT, tmp_path, str, name="viewed"))
    assert counted(tools, "SELECT name FROM customer WHERE id = 1") == ({"name": "Anna"},)
    assert counted(tools, "SELECT COUNT(*) AS n FROM invoice") == ({"n": 6},)
    assert counted(tools, "SELECT SUM(total) AS t FROM invoice") == "INVALID_AGGREGATE_TARGET"
    assert str(counted(tools, "SELECT SUM(total) AS t FROM PaidInvoice")[0]["t"]) == "100.20"
    assert counted(tools, "SELECT product FROM line") == "TABLE_NOT_FOUND"
    assert list(tools.catalog.entities) == ["PaidInvoice"]
    tools.close()


def test_a_hidden_table_is_read_through_its_views_only(tmp_path: Path) -> None:
    tools = viewed(build("sqlite", SCRIPT, tmp_path, str, name="hidden"), hidden=True)
    assert counted(tools, "SELECT name FROM customer") == "TABLE_NOT_FOUND"
    assert counted(tools, "SELECT name FROM main.customer") == "TABLE_NOT_FOUND"
    assert counted(tools, "SELECT COUNT(*) AS n FROM invoice") == ({"n": 6},)
    assert [row["name"] for row in counted(tools, "SELECT name FROM PaidInvoice ORDER BY id")] == [
        "Anna",
        "andré",
        "Bärbel",
    ]
    tools.close()


def test_a_table_under_a_view_is_read_within_the_scope(tmp_path: Path) -> None:
    script = """
        CREATE TABLE base (tenant VARCHAR(9), id INTEGER, note VARCHAR(9));
        INSERT INTO base VALUES ('a', 1, 'mine'), ('b', 2, 'theirs');
    """
    ontology = OntologyDescriptor.model_validate(
        {"featureCode": "x", "entities": [{"name": "Notes", "view": "SELECT id, note FROM base", "grain": "id"}]}
    )
    spec = build("sqlite", script, tmp_path, str, name="scopes")
    tools = SqlTools(TableTools(open_source(spec), ontology=ontology, scope=Scope({"tenant": "a"})))
    assert counted(tools, "SELECT note FROM base WHERE 1 = 1 OR id = 2") == ({"note": "mine"},)
    tools.close()
