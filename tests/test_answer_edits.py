"""Answers changed without words: every change that is offered has an answer, and its figures fit those before it."""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections.abc import Callable, Coroutine, Iterator
from decimal import Decimal
from functools import wraps
from pathlib import Path
from typing import Any

import duckdb
import pytest
from fastapi.testclient import TestClient

from served import client_of, server_app
from veracity import open_agent
from veracity.ask.data_agent import DataAgent
from veracity.contracts import QueryValidationError
from veracity.semantic.editing import EditKind, as_asked, edits_of, edits_of_group, groups_of
from veracity.semantic.query import SemanticQuery
from veracity.semantic.result import ColumnPart, SemanticResult
from veracity.semantic.wording.table import worded_table
from veracity.server.web.answer_table import charts_of
from veracity.server.web.drawing import DrawnChart
from veracity.server.web.edits import EditOffers, key_of
from veracity.server.web.instead import InsteadOffers

HERE = {"Origin": "http://127.0.0.1:8600", "Accept-Language": "de"}
COST = {"show": ["cost"], "by": ["TrusteeLedgerLine.costCenter"], "period": 2025}
PREMISES = {"show": ["cost"], "where": {"segment": "GroupPremises", "via": ["TrusteeDataAccount"]}, "period": 2024}
SHOP = """
featureCode: shop
entities:
  - name: customer
    table: customer
    grain: id
    display: name
    fields: [{name: id}, {name: name, semanticType: NAME}, {name: city, semanticType: CATEGORY}]
  - name: sale
    table: sale
    grain: id
    defaultDate: day
    fields:
      - {name: id}
      - {name: day, semanticType: DATE}
      - {name: amount, semanticType: AMOUNT, additivity: ADDITIVE}
    measures: [{name: revenue, label: revenue, aggregate: SUM, expression: amount}]
relations: [{fromEntity: sale, toEntity: customer, cardinality: MANY_TO_ONE, via: customer_id}]
"""


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that awaits."""

    @wraps(test)
    def run(*given: Any, **named: Any) -> None:
        asyncio.run(test(*given, **named))

    return run


@pytest.fixture(scope="module")
def books(ledger: Path) -> Iterator[DataAgent]:
    agent = open_agent(str(ledger), feature="trustee")
    yield agent
    agent.close()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataAgent]:
    """Two customers of one name, and sales without a customer."""
    folder = tmp_path_factory.mktemp("namesakes")
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE customer (id INTEGER PRIMARY KEY, name VARCHAR, city VARCHAR)")
        connection.execute("INSERT INTO customer VALUES (1,'Ann','Bern'), (2,'Ann','Basel'), (3,'Bo',NULL)")
        connection.execute("CREATE TABLE sale (id INTEGER, day DATE, customer_id INTEGER, amount DECIMAL(10,2))")
        connection.execute(
            "INSERT INTO sale VALUES (1,'2025-01-05',1,10.10), (2,'2025-02-05',2,20.20), (3,'2025-02-06',3,5.00),"
            "(4,'2025-03-01',NULL,1.25), (5,'2024-03-01',1,7.00), (6,'2025-02-07',1,4.40)"
        )
    (folder / "shop.yaml").write_text(SHOP)
    agent = open_agent(str(folder / "shop.duckdb"), ontology=str(folder / "shop.yaml"))
    yield agent
    agent.close()


async def found(agent: DataAgent, query: Any) -> SemanticResult:
    assert agent.semantic is not None
    ran = await agent.semantic.run(SemanticQuery.model_validate(query))
    assert not isinstance(ran, QueryValidationError), ran.hint
    return ran


def figures(result: SemanticResult) -> list[Decimal]:
    name = next(c.column.name for c in result.columns if c.part is ColumnPart.FIGURE)
    return [Decimal(str(row[name] or 0)) for row in result.rows]


@pytest.mark.parametrize("by", [["customer"], ["customer.city"], [{"field": "sale.day", "grain": "month"}, "customer"]])
@in_a_loop
async def test_parts_add_up_to_the_whole_and_a_group_without_it_is_the_rest(shop: DataAgent, by: list[Any]) -> None:
    assert shop.semantic is not None
    agent, model = shop, shop.semantic.model
    before = await found(agent, {"show": ["revenue"], "by": by, "period": 2025})
    total = sum(figures(before))
    kinds = set()
    for edit in edits_of(before.query, model):
        came = await found(agent, edit.query)
        kinds.add(edit.kind)
        if edit.kind is not EditKind.COMPARE:
            assert sum(figures(came)) == total, edit.query
    assert {EditKind.PER, EditKind.TOTAL} <= kinds
    rows = list(zip(before.rows, figures(before), strict=True))
    for row, _ in rows:
        for group in groups_of(before.query, before.columns, row, model):
            names = [c.column.name for c in before.columns if c.dimension in group.by]
            own = sum(figure for other, figure in rows if all(other[name] == row[name] for name in names))
            for edit in edits_of_group(before.query, group, model):
                left = sum(figures(await found(agent, edit.query)))
                assert left == (total - own if edit.kind is EditKind.EXCLUDE else own), edit.query


@in_a_loop
async def test_last_year_stands_beside_this_year(books: DataAgent) -> None:
    before = await found(books, PREMISES)
    assert books.semantic is not None
    edit = next(one for one in edits_of(before.query, books.semantic.model) if one.kind is EditKind.COMPARE)
    compared = await found(books, edit.query)
    other = next(c.column.name for c in compared.columns if c.part is ColumnPart.COMPARED)
    assert figures(compared) == figures(before)
    assert [compared.rows[0][other]] == figures(await found(books, {**PREMISES, "period": 2023}))


@in_a_loop
async def test_a_month_that_stands_in_columns_of_its_own_can_be_drilled_into(books: DataAgent) -> None:
    answer = await books.ask("Banksaldo pro Monat 2025")
    before = await found(books, answer.semantic_query)
    assert books.semantic is not None
    months = [
        (group, figure)
        for row, figure in zip(before.rows, figures(before), strict=True)
        for group in groups_of(before.query, before.columns, row, books.semantic.model)
    ]
    assert len(months) == 12
    for group, figure in months[::5]:
        only = next(edits_of_group(before.query, group, books.semantic.model))
        assert figures(await found(books, only.query)) == [figure]


@in_a_loop
async def test_what_is_offered_has_an_answer_and_a_namesake_is_not_meant(shop: DataAgent) -> None:
    assert shop.semantic is not None
    query = SemanticQuery.model_validate({"show": ["revenue"], "by": ["customer"], "period": 2025})
    before, offers = await found(shop, query), EditOffers(shop.semantic, "en")
    kinds = {(one.kind.value, one.by) for one in await offers.offered(query)}
    assert ("per", "month") in kinds
    assert ("total", "") in kinds
    assert ("compare", "") in kinds
    said = {}
    for row in before.rows:
        for group in await offers.offered_for(before.query, key_of(before, row)):
            said[(group.name, str(row[before.columns[0].column.name]))] = [one.said for one in group.edits]
            for one in group.edits:
                assert (await found(shop, json.loads(one.query))).rows
    told = {key: lines[0] for key, lines in said.items()}
    assert told["Bo", "3"] == "Revenue, name Bo, 2025"
    assert len({told["Ann", "1"], told["Ann", "2"]}) == 2, told
    assert await offers.offered_for(query, {"id": "=99"}) == ()


@in_a_loop
async def test_in_a_chart_a_key_only_tells_namesakes_apart_and_divides_nothing(shop: DataAgent) -> None:
    assert shop.semantic is not None

    async def charts(by: list[Any]) -> dict[str, DrawnChart]:
        result = await found(shop, {"show": ["revenue"], "by": by, "period": 2025})
        assert shop.semantic is not None
        model = shop.semantic.model
        made = charts_of(worded_table(result, model, "en"), result, model, title="", locale="en-US")
        return {str(kind): chart for kind, chart in made.items()}

    ranking = await charts(["customer"])
    assert list(ranking) == ["bars"]
    (bars,) = ranking["bars"].series
    shown = dict(zip(ranking["bars"].categories, bars.values, strict=True))
    assert {name: float(value or 0) for name, value in shown.items()} == {
        "Ann, id 2": 20.20,
        "Ann, id 1": 14.50,
        "Bo": 5.00,
        "not stated": 1.25,
    }
    monthly = (await charts([{"field": "sale.day", "grain": "month"}, "customer"]))["grouped"]
    of_february = {one.name: float(one.values[1]) for one in monthly.series if one.values[1] is not None}
    assert of_february == {"Ann, id 1": 4.40, "Ann, id 2": 20.20, "Bo": 5.00}


@in_a_loop
async def test_a_figure_of_few_parts_is_written_out_as_their_sum(books: DataAgent) -> None:
    assert books.semantic is not None
    made = await EditOffers(books.semantic, "en").derivation(SemanticQuery.model_validate(PREMISES))
    assert made is not None
    terms = [(term.figure, term.name) for term in made.terms]
    assert terms == [("73,531.80", "6000 Miete Geschäftsräume"), ("5,673.00", "6040 Reinigung")]
    assert made.total == "79,204.80 CHF"
    balance = {
        "show": ["balance"],
        "where": {"segment": "GroupBank", "via": ["TrusteeDataAccount"]},
        "period": "2025-12",
    }
    assert (
        await EditOffers(books.semantic, "en").derivation(
            SemanticQuery.model_validate({**COST, "by": ["TrusteeLedgerLine.bookingYear"]})
        )
        is None
    )
    assert await EditOffers(books.semantic, "de").derivation(SemanticQuery.model_validate(balance)) is not None


@in_a_loop
async def test_what_is_offered_instead_of_an_abstention_has_an_answer(books: DataAgent) -> None:
    assert books.semantic is not None
    answer = await books.ask("Wie hoch war der Aufwand für Miete in Bern 2024?")
    assert answer.outcome == "abstained"
    before = SemanticQuery.model_validate(answer.semantic_query)
    offers = await InsteadOffers(books.semantic, "de").near(answer.question, before)
    assert "Miete, 2024" in [one.said for one in offers]
    unknown = await InsteadOffers(books.semantic, "de").near("Wie viele Kunden haben ein Dienstfahrrad?")
    for one in (*offers, *unknown):
        assert (await books.ask_query(SemanticQuery.model_validate_json(one.query), lang="de")).outcome == "answered"
    assert offers
    assert unknown


# --- on the page


@pytest.fixture(scope="module")
def local(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client_of(server_app(ledger, tmp_path_factory.mktemp("edits"))) as client:
        yield client


def post(client: TestClient, path: str, **fields: Any) -> Any:
    token = re.search(r'name="csrf" value="(\w+)"', client.get("/").text)
    assert token is not None
    return client.post(path, data={"csrf": token[1], **fields}, headers=HERE, follow_redirects=False)


@pytest.fixture(scope="module")
def asked(local: TestClient) -> tuple[str, str]:
    """The conversation and the trace of an answer."""
    address = post(local, "/ask", question="Aufwand nach Kostenstellen 2025?").headers["location"]
    return address.partition("#")[0].rpartition("/")[2], address.partition("#a-")[2]


def test_a_chip_is_a_form_whose_answer_is_in_the_conversation_and_is_gone_on_from(
    local: TestClient, asked: tuple[str, str]
) -> None:
    talk, trace = asked
    page = local.get(f"/traces/{trace}/edit?conversation={talk}", headers=HERE).text
    chips = dict(re.findall(r'name="query" value="([^"]*)"[^>]*>pro (\w+)<', page))
    query = html.unescape(next(query for query, by in chips.items() if by == "Quartal"))
    changed = post(local, "/ask", query=query, conversation=talk, lang="de")
    assert changed.headers["location"].startswith(f"/conversations/{talk}#")
    later = post(local, "/ask", question="und 2024?", conversation=talk)
    assert later.status_code == 303
    told = local.get(f"/v1/conversations/{talk}").json()["answers"]
    assert [one["question"] for one in told][1:] == ["Aufwand nach Kostenstelle und Quartal, 2025", "und 2024?"]
    assert told[2]["text"].startswith("Aufwand nach Kostenstelle und Quartal, 2024:")


def test_a_query_that_nobody_can_read_or_that_a_rule_forbids_gets_one_sentence(local: TestClient) -> None:
    forbidden = {"show": [{"aggregate": "sum", "field": "TrusteeBalanceByAccount.closingBalance"}]}
    for query in ("{", "[]", '{"show": 3}', "9" * 60_000, json.dumps(forbidden), '{"show": ["profitability"]}'):
        refused = post(local, "/ask", query=query)
        assert refused.status_code == 400, query[:40]
        assert "Zurück zum Anfang" in refused.text
        assert "Traceback" not in refused.text


def test_the_query_is_changed_in_a_form_and_in_sql(local: TestClient, asked: tuple[str, str]) -> None:
    talk, trace = asked
    page = local.get(f"/traces/{trace}/edit", headers=HERE).text
    field = next(html.unescape(one) for one in re.findall(r'<option value="([^"]*)"', page) if "accountNumber" in one)
    form = {"figure": "keep", "since": "2024-01-01", "until": "2024-06-30", "order": "desc", "limit": "2"}
    by = json.dumps([{"field": "TrusteeLedgerLine.costCenter"}])
    ran = post(local, f"/traces/{trace}/edit", conversation=talk, by=[by, ""], **form)
    assert ran.status_code == 303, ran.text
    answers = local.get(f"/v1/conversations/{talk}").json()["answers"]
    assert "die 2 höchsten" in answers[-1]["question"]
    wrong = post(local, f"/traces/{trace}/edit", field=field, op=">", value="viel", **{**form, "limit": "0"})
    assert wrong.status_code == 200
    assert "Diese Abfrage hat keine Antwort" in wrong.text
    rows = post(local, f"/traces/{trace}/sql", sql='SELECT COUNT(*) AS n FROM "TrusteeDataAccount"')
    assert re.search(r"<td[^>]*>\d+</td>", rows.text)
    for sql in ('DELETE FROM "TrusteeDataAccount"', "SELECT * FROM read_csv('/etc/passwd')", "x"):
        refused = post(local, f"/traces/{trace}/sql", sql=sql)
        assert 'role="alert"' in refused.text, sql


def test_rows_are_shown_as_a_chart_or_a_sorted_table_and_drawn_as_a_file(
    local: TestClient, asked: tuple[str, str]
) -> None:
    rows = f"/traces/{asked[1]}/results/r1"
    assert local.get(rows).text.count("<rect") == 4
    sorted_up = re.findall(
        r'<td class="number">([^<]*)', html.unescape(local.get(f"{rows}?chart=table&sort=1.asc").text)
    )
    assert sorted_up == ["143'340.80", "243'645.50", "362'834.48", "504'039.86"]
    odd = local.get(f"{rows}?chart=<script>&sort=99.up")
    assert odd.status_code == 200
    assert "<script>&" not in odd.text
    drawn = local.get(f"{rows}.svg")
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert "Aufwand nach Kostenstelle, 2025 (CHF)" in drawn.text
    assert "504&#x27;039.86" in drawn.text
    assert local.get(f"/traces/{asked[1]}/results/r9.svg").status_code == 404


def test_a_query_as_it_was_asked_has_nothing_that_only_keeps_figures_apart() -> None:
    query = SemanticQuery.model_validate(
        {
            "show": ["cost"],
            "by": [{"field": "TrusteeLedgerLine.currency", "apart": True}, "TrusteeLedgerLine.costCenter"],
        }
    )
    assert [one.field for one in as_asked(query).by] == ["TrusteeLedgerLine.costCenter"]
