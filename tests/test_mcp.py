"""Veracity for other agents, tried with the SDK's own client: in process, over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import jsonschema
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from veracity.agent.trace_store import TraceStore
from veracity.ask.data_agent import DataAgent
from veracity.features.trustee import trustee_ontology
from veracity.grounding.events import GuardEvent
from veracity.language.locale import LANGUAGES
from veracity.mcp.offers import INSTRUCTIONS, LONGEST
from veracity.mcp.server import always, build_server
from veracity.mcp.toolbox import Toolbox
from veracity.open import open_agent
from veracity.tools.open import open_tables
from veracity.tools.tables import TableTools

TOOLS = [
    "ask", "list_tables", "browseTable", "queryTable", "aggregateTable", "execute_sql_safe", "semanticQuery", "ground_answer", "check_requirements",
]  # fmt: skip
BANK: dict[str, Any] = {
    "tableName": "TrusteeDataAccountBalance",
    "filters": [
        {"field": "periodYear", "op": "=", "value": 2025},
        {"field": "periodMonth", "op": "=", "value": 0},
        {"field": "accountNumber", "op": "LIKE", "value": "102%"},
    ],
}
T = TypeVar("T")


@pytest.fixture
def toolbox(trustee: TableTools) -> Toolbox:
    """Over tables alone: without an agent there is no `ask`."""
    return Toolbox(trustee)


@pytest.fixture(scope="module")
def agent(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataAgent]:
    traces = TraceStore(tmp_path_factory.mktemp("traces") / "traces.sqlite")
    opened = open_agent(ledger, feature="trustee", traces=traces)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def asking(agent: DataAgent) -> Toolbox:
    assert isinstance(agent.tools, TableTools)
    return Toolbox(agent.tools, agent=agent)


def with_client(server: Any, use: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
    async def run() -> T:
        async with asyncio.timeout(60), Client(server, mode=mode) as client:
            return await use(client)

    return asyncio.run(run())


def call(toolbox: Toolbox, name: str, arguments: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
    async def use(client: Client) -> tuple[bool, dict[str, Any]]:
        result = await client.call_tool(name, arguments)
        assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
        return not result.is_error, dict(result.structured_content)

    return with_client(build_server(always(toolbox)), use)


# --- what a client is told


def test_nine_tools_are_offered_as_read_only_with_short_descriptions(asking: Toolbox) -> None:
    async def use(client: Client) -> Any:
        return (await client.list_tools()).tools, client.instructions

    tools, instructions = with_client(build_server(always(asking)), use)
    assert [tool.name for tool in tools] == TOOLS
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert all(20 < len(tool.description) <= LONGEST for tool in tools)
    assert instructions == INSTRUCTIONS
    assert len(INSTRUCTIONS) <= LONGEST


def test_what_may_be_null_in_strict_mode_may_be_left_out(toolbox: Toolbox) -> None:
    takes = {offer.name: offer.takes for offer in toolbox.offers}
    assert takes["queryTable"]["required"] == ["tableName"]
    assert takes["aggregateTable"]["required"] == ["tableName", "aggregate"]
    assert takes["execute_sql_safe"]["required"] == ["sql"]
    assert "closingBalance" in takes["queryTable"]["$defs"]["field"]["enum"]


def test_descriptions_stay_short_over_a_source_with_long_names(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "wide.duckdb"
    with duckdb.connect(str(path)) as connection:
        for number in range(60):
            connection.execute(f'CREATE TABLE "{"t" * 100}{number}" (id INTEGER, amount DECIMAL(18,2))')
    tables = open_tables(path)
    toolbox = Toolbox(tables)
    assert all(len(offer.description) <= LONGEST for offer in toolbox.offers)
    ok, listed = call(toolbox, "list_tables", {})
    assert ok
    assert len(listed["tables"]) == 60
    assert "fields" not in listed["tables"][0]
    assert "60 tables" in listed["note"]
    ok, one = call(toolbox, "list_tables", {"tables": [f"{'t' * 100}7"]})
    assert [field["name"] for field in one["tables"][0]["fields"]] == ["id", "amount"]
    tables.close()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("queryTable", BANK),
        ("ground_answer", {"answer": "3 Kunden.", "results": [{"id": "a", "columns": ["n"], "rows": [[3]]}]}),
        ("check_requirements", {"requirements": ["The server shall answer within 200 ms."], "lang": "en"}),
        ("list_tables", {"lang": "de"}),
    ],
)
def test_arguments_and_results_fit_the_schemas_that_are_told(
    toolbox: Toolbox, name: str, arguments: dict[str, Any]
) -> None:
    offer = next(offer for offer in toolbox.offers if offer.name == name)
    jsonschema.validate(arguments, offer.takes)
    _, given = call(toolbox, name, arguments)
    jsonschema.validate(given, offer.gives)


# --- reading


def test_tables_come_with_what_adds_up_and_which_filters_they_need(toolbox: Toolbox) -> None:
    _, listed = call(toolbox, "list_tables", {"lang": "de"})
    balance = next(table for table in listed["tables"] if table["tableName"] == "TrusteeDataAccountBalance")
    assert balance["mustFilter"] == ["periodYear", "periodMonth"]
    assert "sums" not in next(field for field in balance["fields"] if field["name"] == "closingBalance")
    line = next(table for table in listed["tables"] if table["tableName"] == "TrusteeLedgerLine")
    assert next(field for field in line["fields"] if field["name"] == "debitAmount")["sums"] is True
    assert {"label": "Bank", "field": "accountNumber", "like": ["102%"]} in listed["groups"]
    assert listed["rules"]


def test_rows_come_as_a_tool_result(toolbox: Toolbox) -> None:
    ok, result = call(toolbox, "queryTable", BANK)
    assert ok
    assert result["success"] is True
    assert [row["closingBalance"] for row in result["data"]["rows"]] == ["152400.00", "28100.00"]


def test_a_refused_call_is_an_error_with_details_that_name_the_tools_as_they_are(toolbox: Toolbox) -> None:
    arguments = {"tableName": "TrusteeDataAccountBalance", "aggregate": "SUM", "field": "closingBalance"}
    ok, result = call(toolbox, "aggregateTable", arguments)
    assert not ok
    assert result["success"] is False
    details = result["errorDetails"]
    assert (details["code"], details["suggestion"]) == ("INVALID_AGGREGATE_TARGET", "queryTable")


def test_sql_that_writes_is_refused(toolbox: Toolbox) -> None:
    ok, result = call(toolbox, "execute_sql_safe", {"sql": "DELETE FROM TrusteeDataAccount"})
    assert not ok
    assert result["errorDetails"]["code"] == "UNSAFE_SQL"


@pytest.mark.parametrize(
    ("name", "arguments", "code", "suggestion"),
    [
        ("list_tables", {"tables": ["TrusteeDataAcount"]}, "TABLE_NOT_FOUND", "TrusteeDataAccount"),
        ("list_tables", {"table": ["TrusteeDataAccount"]}, "FIELD_NOT_FOUND", "tables"),
        ("list_tables", {"tables": 7}, "TYPE_MISMATCH", None),
        ("list_tables", {"lang": "fr"}, "TYPE_MISMATCH", None),
        ("queryTable", {"table": "TrusteeDataAccount"}, "FIELD_NOT_FOUND", "tableName"),
        ("semanticQuery", {"show": ["cost"]}, "FIELD_NOT_FOUND", "query"),
        ("ground_answer", {"answer": "1", "results": "r1"}, "TYPE_MISMATCH", None),
        ("ground_answer", {"answer": "1", "results": ["r999999"]}, "TYPE_MISMATCH", None),
        ("check_requirements", {}, "TYPE_MISMATCH", None),
        ("check_requirements", {"text": "a", "requirements": ["b"]}, "TYPE_MISMATCH", None),
        ("check_requirements", {"requirements": [1]}, "TYPE_MISMATCH", None),
        ("check_requirements", {"requirements": ["a"] * 501}, "TYPE_MISMATCH", None),
    ],
)
def test_what_cannot_be_read_is_a_structured_error(
    toolbox: Toolbox, name: str, arguments: dict[str, Any], code: str, suggestion: str | None
) -> None:
    ok, result = call(toolbox, name, arguments)
    assert not ok
    assert (result["errorDetails"]["code"], result["errorDetails"]["suggestion"]) == (code, suggestion)
    assert len(result["errorDetails"]["hint"]) <= 80


def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(toolbox: Toolbox) -> None:
    async def use(client: Client) -> None:
        with pytest.raises(MCPError, match=r"did you mean queryTable\?"):
            await client.call_tool("qery_table", {})

    with_client(build_server(always(toolbox)), use)


# --- judging


def test_an_answer_is_held_against_the_results_of_earlier_calls(toolbox: Toolbox) -> None:
    _, result = call(toolbox, "queryTable", BANK)
    name = result["data"]["resultId"]
    right = {"answer": "Das Konto 1020 hat 152'400.00 CHF.", "results": [name], "locale": "de-CH"}
    assert call(toolbox, "ground_answer", right)[1]["verdict"] == "pass"
    ok, wrong = call(toolbox, "ground_answer", {**right, "answer": "Das Konto 1020 hat 152'401.00 CHF."})
    assert ok  # the tool did its work; the verdict is what it found
    assert wrong["verdict"] == "block"
    assert wrong["findings"][0]["text"].startswith("152'401.00")


def test_expressions_over_earlier_results_are_computed_and_held_to_the_ontology(toolbox: Toolbox) -> None:
    _, result = call(toolbox, "queryTable", BANK)
    name = result["data"]["resultId"]
    asked = {"answer": f"Bank: {{{{ sum({name}.closingBalance) }}}} CHF.", "results": [name], "locale": "en"}
    verdict = call(toolbox, "ground_answer", asked)[1]
    assert (verdict["verdict"], verdict["answer"]) == ("pass", "Bank: 180,500.00 CHF.")
    several_months = {**BANK, "filters": [BANK["filters"][0], {"field": "accountNumber", "op": "=", "value": "1020"}]}
    several_months["filters"].append({"field": "periodMonth", "op": "IN", "value": [1, 2, 3]})
    _, result = call(toolbox, "queryTable", several_months)
    name = result["data"]["resultId"]
    asked = {"answer": f"Bank: {{{{ sum({name}.closingBalance) }}}} CHF.", "results": [name]}
    assert call(toolbox, "ground_answer", asked)[1]["verdict"] == "block"


def test_rows_of_other_tools_can_be_given_and_their_form_is_checked(toolbox: Toolbox) -> None:
    rows = {"id": "sales", "columns": ["region", "amount"], "rows": [["Nord", 12.5]]}
    asked = {"answer": "Nord sold 12.50.", "results": [rows]}
    assert call(toolbox, "ground_answer", asked)[1]["verdict"] == "pass"
    ok, result = call(toolbox, "ground_answer", {"answer": "1", "results": [{"id": "x"}]})
    assert not ok
    assert result["error"] == "results.0.columns: this key is needed."


def test_rows_of_other_tools_are_checked_as_they_are_and_strictly_on_request(toolbox: Toolbox) -> None:
    rows = [{"city": "Bern", "sales": 120}, {"city": "Basel", "sales": 90}]
    said = {"answer": "Bern sold 120. The weather was fine.", "results": rows}
    assert call(toolbox, "ground_answer", said)[1]["verdict"] == "pass"
    assert call(toolbox, "ground_answer", {**said, "strict": True})[1]["verdict"] == "block"
    for wrong in ("Bern sold 90.", "Basel sold more than Bern.", "Basel has the highest sales."):
        assert call(toolbox, "ground_answer", {**said, "answer": wrong})[1]["verdict"] == "block"


def test_what_is_blocked_is_recorded_and_a_record_that_fails_does_not_change_it(trustee: TableTools) -> None:
    kept: list[GuardEvent] = []
    asked = {"answer": "Revenue was 123 CHF.", "results": [], "question": "Revenue?"}
    assert call(Toolbox(trustee, keep_events=kept.extend), "ground_answer", asked)[1]["verdict"] == "block"
    assert [(event.rule, event.question, event.outcome) for event in kept] == [
        ("unbound_figure", "Revenue?", "blocked")
    ]

    def full(_events: list[GuardEvent]) -> None:
        from veracity.errors import UsageError

        raise UsageError("The disk is full.")

    assert call(Toolbox(trustee, keep_events=full), "ground_answer", asked)[1]["verdict"] == "block"


def test_only_the_latest_results_are_kept(toolbox: Toolbox) -> None:
    async def many() -> list[str]:
        names = []
        for _ in range(203):
            outcome = await toolbox.call("aggregateTable", {"tableName": "TrusteeDataContact", "aggregate": "COUNT"})
            names.append(json.loads(outcome.written())["data"]["resultId"])
        return names

    names = asyncio.run(many())
    asked = {"answer": "There are 49 contacts.", "results": names[:1]}
    assert "too old" in call(toolbox, "ground_answer", asked)[1]["error"]
    assert call(toolbox, "ground_answer", {**asked, "results": names[-1:]})[1]["verdict"] == "pass"


def test_requirements_are_scored_with_located_findings_and_duplicates(toolbox: Toolbox) -> None:
    text = "- The system shall be fast.\n- The server shall answer a query within 200 ms.\n- The server shall answer a query within 200 ms.\n"
    ok, checked = call(toolbox, "check_requirements", {"text": text})
    assert ok
    assert (checked["passed"], checked["failed"]) == (2, 1)
    fast = checked["requirements"][0]
    assert fast["evaluation"]["verdict"] == "fail"
    assert [f["text"] for f in fast["findings"] if f["rule"] == "VAGUE"] == ["fast"]
    assert fast["requirement"]["place"]["line"] == 1
    assert [(pair["req1_idx"], pair["req2_idx"], pair["band"]) for pair in checked["duplicates"]] == [(1, 2, "same")]


# --- asking


def test_a_question_is_answered_with_what_was_understood_its_rows_and_its_trace(
    asking: Toolbox, agent: DataAgent
) -> None:
    ok, got = call(asking, "ask", {"question": "Was ist der Banksaldo per 31.12.2025?", "lang": None, "follows": None})
    assert ok
    assert (got["outcome"], got["text"].splitlines()[0]) == ("answered", "Bank, Ende Dezember 2025: 180'500.00 CHF.")
    assert got["readBack"]
    assert got["options"] == []
    assert [row["balance"] for row in got["rows"][0]["rows"]] == ["180500.00"]
    assert agent.traces is not None
    assert agent.traces.get(got["traceId"]).outcome == "answered"
    same = call(asking, "semanticQuery", {"query": got["semanticQuery"], "lang": "de"})[1]
    assert got["text"].startswith(same["data"]["answer"])
    jsonschema.validate(got, next(offer.gives for offer in asking.offers if offer.name == "ask"))


def test_a_question_goes_on_from_an_earlier_answer_and_an_option_of_a_question_back_is_chosen(asking: Toolbox) -> None:
    _, first = call(asking, "ask", {"question": "Wie hoch war der Gewinn 2025?"})
    _, then = call(asking, "ask", {"question": "und 2024?", "follows": first["traceId"]})
    assert then["outcome"] == "answered"
    assert "2024" in then["text"]
    _, back = call(asking, "ask", {"question": "Was ist der Banksaldo?"})
    assert back["outcome"] == "clarify"
    assert len(back["options"]) > 1
    _, chosen = call(asking, "ask", {"question": back["options"][0], "follows": back["traceId"]})
    assert chosen["outcome"] == "answered"
    assert back["options"][0] in chosen["text"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "question"),
        ({"question": "  "}, "question"),
        ({"question": 7}, "question"),
        ({"question": "x", "lang": "fr"}, "lang"),
        ({"question": "x", "follows": 7}, "follows"),
        ({"question": "x", "conversation": "1"}, "conversation"),
    ],
)
def test_what_cannot_be_asked_is_a_structured_error(asking: Toolbox, arguments: dict[str, Any], field: str) -> None:
    ok, got = call(asking, "ask", arguments)
    assert not ok
    assert got["errorDetails"]["field"] == field


def test_an_answer_that_is_not_there_is_told_and_nothing_is_asked(asking: Toolbox) -> None:
    ok, got = call(asking, "ask", {"question": "und 2024?", "follows": "20200101-000000-abcdef"})
    assert not ok
    assert got["error"].startswith("There is no trace '20200101-000000-abcdef'")


def test_progress_is_told_to_a_client_that_asks_for_it_and_only_grows(asking: Toolbox) -> None:
    told: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        told.append((progress, message))

    async def use(client: Client) -> Any:
        return await client.call_tool("ask", {"question": "Wie hoch war der Gewinn 2025?"}, progress_callback=hear)

    with_client(build_server(always(asking)), use)
    assert list(dict.fromkeys(message for _, message in told)) == [
        "reading the question",
        "running semanticQuery",
        "wording the answer",
        "done",
    ]
    assert [one for one, _ in told] == sorted({one for one, _ in told})


# --- resources and prompts


def test_schema_ontology_and_guide_can_be_read(toolbox: Toolbox) -> None:
    async def use(client: Client) -> dict[str, str]:
        uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
        uris.append("veracity://schema/TrusteeDataContact")
        return {uri: (await client.read_resource(uri)).contents[0].text for uri in uris}  # type: ignore[union-attr]

    read = with_client(build_server(always(toolbox)), use)
    assert json.loads(read["veracity://ontology"])["featureCode"] == "trustee"
    assert len(json.loads(read["veracity://schema"])["tables"]) == 8
    assert [table["tableName"] for table in json.loads(read["veracity://schema/TrusteeDataContact"])["tables"]] == [
        "TrusteeDataContact"
    ]
    assert read["veracity://guide/de"].startswith("## Tabellen")

    async def missing(client: Client) -> None:
        with pytest.raises(MCPError, match="There is no resource"):
            await client.read_resource("veracity://schema/Nothing")

    with_client(build_server(always(toolbox)), missing)


def test_the_prompts_are_the_questions_of_the_ontology(toolbox: Toolbox) -> None:
    async def use(client: Client) -> list[tuple[str, str]]:
        listed = (await client.list_prompts()).prompts
        shown = [await client.get_prompt(prompt.name, {}) for prompt in listed]
        return [(str(one.description), one.messages[0].content.text) for one in shown]  # type: ignore[union-attr]

    shown = with_client(build_server(always(toolbox)), use)
    questions = trustee_ontology().questions
    assert [question for question, _text in shown] == [one.question for lang in questions.values() for one in lang]
    for question, text in shown:
        assert text.startswith(f"{question}\n\nCompose one semanticQuery call")
        assert "veracity://guide/" in text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_question_of_a_prompt_has_a_query_that_the_tool_answers(
    agent: DataAgent, toolbox: Toolbox, lang: str
) -> None:
    for question in map(str, trustee_ontology().questions[lang]):
        asked = agent.ask_sync(question, lang=lang)
        answered, came = call(toolbox, "semanticQuery", {"query": asked.semantic_query, "lang": lang})
        assert answered, came
        assert asked.text.startswith(came["data"]["answer"])


def test_a_prompt_that_is_not_there_is_told(toolbox: Toolbox) -> None:
    async def use(client: Client) -> None:
        with pytest.raises(MCPError, match=r"There is no prompt 'de_99'"):
            await client.get_prompt("de_99", {})

    with_client(build_server(always(toolbox)), use)


def test_without_an_ontology_there_are_no_prompts(shop: TableTools) -> None:
    async def use(client: Client) -> int:
        return len((await client.list_prompts()).prompts)

    assert with_client(build_server(always(Toolbox(shop))), use) == 0
