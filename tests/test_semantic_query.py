"""Semantic queries by every way in: command line, Python, HTTP and MCP give the same answer, and refuse in the same words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pytest
from fastapi.testclient import TestClient
from mcp import Client

from command_line import veracity
from served import bearer, client_of, server_app, two_tenants
from veracity.errors import UsageError
from veracity.mcp.server import always, build_server
from veracity.mcp.toolbox import Toolbox
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.open import open_agent
from veracity.semantic.graph import SemanticModel
from veracity.semantic.schema import query_schema
from veracity.server.app import create_app
from veracity.server.config import ServerSettings
from veracity.settings import Settings
from veracity.tools.open import open_tables
from veracity.tools.semantic import QueryOutcome, SemanticTools
from veracity.tools.tables import TableTools

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR, country VARCHAR);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, ordered_on DATE, total DECIMAL(10,2));
INSERT INTO customers VALUES (1, 'Anna', 'Germany'), (2, 'Bob', 'France'), (3, 'Cleo', 'Germany');
INSERT INTO orders VALUES (1, 1, '2024-01-05', 10.50), (2, 1, '2024-02-07', 20.00), (3, 2, '2024-02-09', 1200.00), (4, 2, '2023-12-31', 5.00);
"""
ONTOLOGY: dict[str, Any] = {
    "featureCode": "shop",
    "locale": "de-CH",
    "entities": [
        {
            "name": "Customer", "table": "customers", "grain": "id", "display": "name", "label": {"en": "Customer", "de": "Kunden"},
            "fields": [{"name": "country", "label": {"en": "country", "de": "Land"}}],
            "segments": [{"name": "german", "label": "German customers", "where": "country = 'Germany'"}],
        },
        {
            "name": "Order", "table": "orders", "grain": "id", "defaultDate": "ordered_on", "label": {"en": "Order", "de": "Bestellungen"},
            "fields": [{"name": "total", "additivity": "ADDITIVE", "unit": "CHF"}],
            "measures": [{"name": "revenue", "label": {"en": "Revenue", "de": "Umsatz"}, "aggregate": "SUM", "expression": "total", "unit": "CHF"}],
        },
    ],
    "relations": [
        {"fromEntity": "Order", "toEntity": "Customer", "cardinality": "MANY_TO_ONE", "keys": {"customer_id": "id"}, "inverseVerbs": {"en": ["placed"]}}
    ],
}  # fmt: skip
BY_COUNTRY = {"show": ["revenue"], "by": ["Customer.country"], "period": 2024}
CONTACTS = {"show": [{"aggregate": "count", "of": "TrusteeDataContact"}], "by": ["TrusteeDataContact.contactType"]}
FOUR = {"code", "field", "suggestion", "hint"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The `--source` and `--ontology` of a small shop."""
    folder = tmp_path_factory.mktemp("shop")
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        connection.execute(SHOP)
    (folder / "shop.yaml").write_text(json.dumps(ONTOLOGY), encoding="utf-8")
    return str(folder / "shop.duckdb"), str(folder / "shop.yaml")


@pytest.fixture
def tools(shop: tuple[str, str]) -> Iterator[SemanticTools]:
    tables = open_tables(shop[0], ontology=OntologyDescriptor.model_validate(ONTOLOGY))
    yield SemanticTools(tables)
    tables.close()


def asked(tools: SemanticTools, query: Any, **more: Any) -> QueryOutcome:
    return tools.query_sync(query, **more)


# --- Python


def test_a_query_is_read_back_and_answered_from_its_rows(tools: SemanticTools) -> None:
    data = asked(tools, BY_COUNTRY).data
    assert data is not None
    assert data.read_back == "Revenue by country, 2024"
    assert data.answer == "Revenue by country, 2024:\n- France: 1,200.00 CHF\n- Germany: 30.50 CHF"
    shown = {data.answer[cell.start : cell.end]: data.rows[cell.row][cell.column] for cell in data.cells}
    assert {text: str(value) for text, value in shown.items()} == {
        "France": "France", "1,200.00": "1200.00", "Germany": "Germany", "30.50": "30.50",
    }  # fmt: skip
    assert data.sql is None


def test_the_answer_is_in_the_language_and_form_of_the_reader(tools: SemanticTools) -> None:
    swiss, german = asked(tools, BY_COUNTRY, lang="de").data, asked(tools, BY_COUNTRY, lang="de-DE").data
    assert swiss is not None
    assert german is not None
    assert swiss.answer == "Umsatz nach Land, 2024:\n- France: 1'200.00 CHF\n- Germany: 30.50 CHF"
    assert "1.200,00 CHF" in str(german.answer)


def test_nothing_found_is_said_with_its_conditions(tools: SemanticTools) -> None:
    data = asked(tools, {"of": "Customer", "where": {"field": "Customer.country", "op": "like", "value": "Z%"}}).data
    assert data is not None
    assert data.answer == "Nothing found: customers, country like “Z%”."


def test_rows_without_related_rows_are_found(tools: SemanticTools) -> None:
    data = asked(tools, {"of": "Customer", "where": {"not": {"related": {"of": "Order"}}}}).data
    assert data is not None
    assert data.answer == "Customers without orders: Cleo."


def test_a_dry_run_reads_back_and_runs_nothing(tools: SemanticTools) -> None:
    data = asked(tools, BY_COUNTRY, dry_run=True, with_sql=True).data
    assert data is not None
    assert (data.answer, data.rows, data.row_count) == (None, (), 0)
    assert data.sql is not None
    assert data.sql.lstrip().startswith(("WITH", "SELECT"))


def test_the_canonical_query_asks_the_same(tools: SemanticTools) -> None:
    first = asked(tools, BY_COUNTRY).data
    assert first is not None
    again = asked(tools, first.query).data
    assert again is not None
    assert (again.answer, again.query, again.read_back) == (first.answer, first.query, first.read_back)


@pytest.mark.parametrize(
    ("query", "code", "suggestion"),
    [
        ({"show": ["revenu"]}, "FIELD_NOT_FOUND", "revenue"),
        ({"shows": ["revenue"]}, "FIELD_NOT_FOUND", "show"),
        ({"show": [{"measur": "revenue"}]}, "FIELD_NOT_FOUND", "measure"),
        ({"show": ["revenue"], "order": [{"by": "revenue", "descendin": True}]}, "FIELD_NOT_FOUND", "descending"),
        ({"show": ["revenue"], "by": ["Customer.contry"]}, "FIELD_NOT_FOUND", "Customer.country"),
        ({"of": "Customers"}, "TABLE_NOT_FOUND", "Customer"),
        ({}, "TYPE_MISMATCH", None),
        ([], "TYPE_MISMATCH", None),
        ("revenue", "TYPE_MISMATCH", None),
        ({"of": "Customer", "limit": 3}, "TYPE_MISMATCH", None),
        ({"of": "Customer", "where": {"field": "Customer.id", "value": "x"}}, "TYPE_MISMATCH", None),
    ],
)
def test_a_bad_query_is_refused_with_four_keys(tools: SemanticTools, query: Any, code: str, suggestion: Any) -> None:
    outcome = json.loads(asked(tools, query).model_dump_json())
    assert (outcome["success"], outcome["data"]) == (False, None)
    details = outcome["errorDetails"]
    assert set(details) == FOUR
    assert details["code"] == code
    assert len(details["hint"]) <= 80
    assert suggestion is None or details["suggestion"] == suggestion


def test_an_unknown_key_is_told_with_those_that_there_are(tools: SemanticTools) -> None:
    details = asked(tools, {"show": ["revenue"], "period": {"year": 2024}}).error_details
    assert details is not None
    assert details.hint == "There is no key year here. There are via, from, to, field."


def test_an_agent_answers_queries_without_a_model(shop: tuple[str, str]) -> None:
    agent = open_agent(shop[0], ontology=shop[1], keep_traces=False, tools="sql")
    try:
        data = agent.query_sync(BY_COUNTRY, lang="en").data
        assert data is not None
        assert data.read_back == "Revenue by country, 2024"

        async def inside() -> QueryOutcome:
            with pytest.raises(UsageError, match=r"await agent\.query"):
                agent.query_sync(BY_COUNTRY)
            return await agent.query(BY_COUNTRY, with_sql=True)

        assert asyncio.run(inside()).success
    finally:
        agent.close()


# --- command line


def run(shop: tuple[str, str], *arguments: str, **more: Any) -> Any:
    return veracity("query", *arguments, "--source", shop[0], "--ontology", shop[1], **more)


def test_the_command_prints_the_answer(shop: tuple[str, str]) -> None:
    done = run(shop, json.dumps(BY_COUNTRY), "--lang", "de")
    assert done.returncode == 0
    assert done.stdout.splitlines() == ["Umsatz nach Land, 2024:", "- France: 1'200.00 CHF", "- Germany: 30.50 CHF"]


def test_the_command_prints_what_was_understood_where_the_answer_does_not_say_it(shop: tuple[str, str]) -> None:
    query = {"of": "Customer", "where": {"field": "Customer.name", "value": "Anna"}, "show": ["Customer.country"]}
    assert run(shop, json.dumps(query)).stdout.splitlines() == [
        "Customers named Anna; country",
        "Country of the customer Anna: Germany.",
    ]


def test_the_command_reads_files_and_standard_input(shop: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "query.json").write_text(json.dumps(BY_COUNTRY), encoding="utf-8")
    from_file = run(shop, str(tmp_path / "query.json"), "--json")
    assert json.loads(from_file.stdout)["data"]["rowCount"] == 2
    assert run(shop, "-", "--json", stdin=json.dumps(BY_COUNTRY)).stdout == from_file.stdout


def test_the_command_shows_sql_and_checks_only(shop: tuple[str, str]) -> None:
    assert "SELECT" in run(shop, json.dumps(BY_COUNTRY), "--sql").stdout
    assert run(shop, json.dumps(BY_COUNTRY), "--dry-run").stdout.splitlines() == ["Revenue by country, 2024", "valid"]


def test_a_refused_query_exits_1_and_wrong_usage_2(shop: tuple[str, str]) -> None:
    refused = run(shop, '{"show": ["revenu"]}')
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "FIELD_NOT_FOUND" in refused.stderr
    assert "revenue" in refused.stderr
    for wrong in ("{", "[]", "no-such-file.json"):
        done = run(shop, wrong)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("veracity: ")
    assert run(shop, "{}", "--lang", "klingon").returncode == 2


# --- HTTP


@pytest.fixture(scope="module")
def client(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("query")
    with client_of(server_app(two_tenants(ledger, folder), folder)) as client:
        yield client


def test_the_server_answers_a_query(client: TestClient) -> None:
    response = client.post("/v1/query", json={"query": CONTACTS, "lang": "de", "sql": True})
    assert response.status_code == 200
    data = response.json()["data"]
    assert data["readBack"] == "Anzahl Kontakte nach Kontaktart"
    assert [row["contactType"] for row in data["rows"]] == ["customer", "vendor"]
    assert "mandateId" in data["sql"]


def test_a_query_needs_a_key_and_reads_the_rows_of_its_tenant_only(
    ledger: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("tenants")
    app = server_app(two_tenants(ledger, folder), folder, keys="required")
    keys = [app.state.database.keys.create(tenant, "analyst")[0] for tenant in ("m-demo", "m-other")]
    body = {"query": {"show": [{"aggregate": "count", "of": "TrusteeDataContact"}]}}
    with client_of(app) as client:
        assert client.post("/v1/query", json=body).status_code == 401
        found = [client.post("/v1/query", json=body, headers=bearer(key)).json()["data"]["answer"] for key in keys]
    assert found == ["Number of contacts: 49.", "Number of contacts: 6."]


def test_a_refused_query_is_a_result_and_a_wrong_request_a_problem(client: TestClient) -> None:
    refused = client.post("/v1/query", json={"query": {"show": ["nothing"]}})
    assert refused.status_code == 200
    assert set(refused.json()["errorDetails"]) == FOUR
    for body in ({}, {"query": "revenue"}, {"query": {}, "lang": "fr"}, {"query": {}, "more": 1}):
        wrong = client.post("/v1/query", json=body)
        assert (wrong.status_code, wrong.headers["content-type"]) == (422, "application/problem+json")


# --- MCP


def called(toolbox: Toolbox, arguments: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
    async def use() -> tuple[bool, dict[str, Any]]:
        async with asyncio.timeout(60), Client(build_server(always(toolbox)), mode="auto") as client:
            result = await client.call_tool("semanticQuery", arguments)
            return not result.is_error, dict(result.structured_content)

    return asyncio.run(use())


def test_another_agent_gets_the_answer_and_what_to_write_instead(trustee: TableTools) -> None:
    toolbox = Toolbox(trustee)
    ok, body = called(toolbox, {"query": CONTACTS})
    assert ok
    assert body["data"]["answer"].startswith("Number of contacts by contact type:")
    ok, body = called(toolbox, {"query": {"of": "TrusteeDataContakt"}})
    assert not ok
    assert set(body["errorDetails"]) == FOUR
    assert body["errorDetails"]["suggestion"] == "TrusteeDataContact"
    for wrong in ({}, {"query": {"of": "TrusteeDataContact"}, "lang": "fr"}, {"query": {}, "sqll": True}):
        assert set(called(toolbox, wrong)[1]["errorDetails"]) == FOUR


def test_the_schema_takes_what_the_query_takes_and_knows_the_names(tools: SemanticTools) -> None:
    schema = query_schema(tools.model)
    for query in (
        BY_COUNTRY,
        {"of": "Customer", "where": [{"segment": "german"}]},
        {"show": [{"field": "Order.total", "aggregate": "sum"}]},
    ):
        jsonschema.validate(query, schema)
    for wrong in ({"of": "Customers"}, {"show": [{"measure": "profit"}]}, {"show": [{"field": "Order.amount"}]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_a_model_without_measures_has_a_schema_too(trustee: TableTools) -> None:
    schema = query_schema(SemanticModel(trustee.catalog))
    jsonschema.validate(CONTACTS, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**CONTACTS, "show": [{"measure": "profit"}]}, schema)


# --- the ontology's new words, shown


def test_the_ontology_commands_know_measures_segments_and_relations(shop: tuple[str, str]) -> None:
    options = ("--source", shop[0], "--ontology", shop[1])
    shown = veracity("ontology", "show", *options, COLUMNS="200").stdout
    for words in ("SUM(total)", "country = 'Germany'", "customer_id = id", "placed", "ordered_on"):
        assert words in shown
    prompt = veracity("ontology", "prompt", *options).stdout
    assert "- revenue = Revenue (Order: SUM(total), CHF)" in prompt
    assert "- german = German customers (Customer: country = 'Germany')" in prompt
    assert "- Order -> Customer (customer_id = id) = placed" in prompt
    assert "display name" in prompt
    assert "date ordered_on" in prompt
    schemas = json.loads(veracity("ontology", "schema", *options).stdout)
    assert schemas[-1]["parameters"]["$defs"]["MeasureName"]["enum"] == ["revenue"]


def test_the_ontology_page_shows_measures_segments_and_how_things_hang_together(
    shop: tuple[str, str], tmp_path: Path
) -> None:
    given = ServerSettings(source=shop[0], ontology=shop[1], database=str(tmp_path / "serve.sqlite"))
    app = create_app(given, home=Settings.from_env().model_copy(update={"home": tmp_path}))
    with client_of(app) as client:
        page = client.get("/ontology").text
    for words in (
        "SUM(total)",
        "German customers",
        "country = &#39;Germany&#39;",
        "customer_id = id",
        "placed",
        "ordered_on",
    ):
        assert words in page


def test_each_figure_opens_to_its_rows_which_come_to_the_same(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE sale (id INTEGER PRIMARY KEY, region VARCHAR, amount DECIMAL(10,2))")
        connection.execute("INSERT INTO sale VALUES (1, 'Nord', 0.10), (2, 'Nord', 0.20), (3, 'Süd', NULL)")
    with closing(open_tables(tmp_path / "shop.duckdb")) as tables:
        tools = SemanticTools(tables)
        asked = {"show": [{"aggregate": "sum", "field": "sale.amount"}], "by": ["sale.region"]}
        data = tools.query_sync(asked, with_rows=True).data
        assert data is not None
        told = [(one.row, one.entity, one.number, one.figure, one.agrees) for one in data.behind]
        assert told == [(0, "sale", 2, "0.30", True), (1, "sale", 1, None, None)]
        assert [row["id"] for row in data.behind[0].rows] == [1, 2]
        assert tools.query_sync(asked).data == data.model_copy(update={"behind": ()})
