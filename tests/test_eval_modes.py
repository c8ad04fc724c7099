"""The modes: nothing but the mode differs, and each switches on what it says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scripted import Script, Turn, answer, call, left_to_the_model, where
from veracity.answer.answer import UnderstoodBy
from veracity.evals.modes import Answerer, LastRun, Setup, UncheckedTables, hints_of, open_mode, shipped_hints
from veracity.evals.records import Attempt, Ended, Mode
from veracity.language.locale import LANGUAGES
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.open import open_agent
from veracity.tools.open import open_tables

BALANCE = "TrusteeDataAccountBalance"
QUESTION = "Was ist der Banksaldo per 31.12.2025?"
SUMMED = call(
    "aggregateTable",
    tableName=BALANCE,
    aggregate="SUM",
    field="closingBalance",
    filters=[where("accountNumber", "LIKE", "102%")],
)
"""The seed's first hallucination: the balance of every period added up."""
RIGHT = call(
    "queryTable",
    tableName=BALANCE,
    filters=[where("periodYear", "=", 2025), where("periodMonth", "=", 0), where("accountNumber", "LIKE", "102%")],
)
NOW = datetime(2026, 11, 15, tzinfo=UTC)

Opened = Callable[..., Answerer]


@pytest.fixture
def opened(ledger: Path) -> Iterator[Opened]:
    made: list[Answerer] = []

    def make(mode: Mode, *turns: Turn, **options: Any) -> Answerer:
        script = Script(*(turns or ("",)))
        setup = Setup(source=ledger, feature="trustee", model=script.model, clock=lambda: NOW, **options)
        made.append(open_mode(mode, setup))
        if mode is not Mode.TOOLS:
            left_to_the_model(made[-1].agent)
        return made[-1]

    yield make
    for answerer in made:
        answerer.agent.close()


def asked(answerer: Answerer, question: str = QUESTION) -> Attempt:
    return asyncio.run(answerer.ask(question, None, LastRun()))


# --- nothing but the mode differs


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_prompts_side_by_side(opened: Opened, ledger: Path, lang: str) -> None:
    prompts = {mode: opened(mode).prompt(lang) for mode in Mode}
    hints = shipped_hints("trustee").strip()
    repair = " If a call fails, read errorDetails and send a corrected call."
    role, schema = prompts[Mode.BASELINE].split("\n\n", 1)
    assert hints not in prompts[Mode.BASELINE]
    # baseline + the hints = hints; hints + one sentence on repair = validator.
    assert prompts[Mode.HINTS].replace(hints, "").split() == prompts[Mode.BASELINE].split()
    assert prompts[Mode.VALIDATOR].replace(repair, "") == prompts[Mode.HINTS]
    # The ontology takes the place of schema and hints; the role stays.
    assert prompts[Mode.ONTOLOGY].replace(repair, "").startswith(role)
    assert hints not in prompts[Mode.ONTOLOGY]
    assert schema not in prompts[Mode.ONTOLOGY]
    product = open_agent(ledger, feature="trustee", keep_traces=False)
    assert prompts[Mode.TOOLS] == product.instructions(lang)
    assert prompts[Mode.BOUND] == prompts[Mode.MODEL_ONLY]
    assert "fill in semanticQuery" in prompts[Mode.BOUND]
    product.close()


def test_the_model_is_offered_the_same_tools_in_every_mode(opened: Opened) -> None:
    offered: dict[Mode, list[str]] = {}
    for mode in Mode:
        script = Script([RIGHT], [answer("{{ sum(r1.closingBalance) }}")])
        answerer = opened(mode)
        answerer.agent.model = open_agent_model(answerer, script)
        offered[mode] = sorted(tool.name for tool in answerer.agent.parameters().function_tools)
        asked(answerer)
        assert script.info is not None
        assert {tool.name for tool in script.info.function_tools} <= set(offered[mode])
    assert {tuple(names) for names in offered.values()} == {
        ("abstain", "aggregateTable", "answer", "browseTable", "clarify", "queryTable")
    }


def open_agent_model(answerer: Answerer, script: Script) -> Any:
    """Another script for an open agent."""
    from functools import partial

    from veracity.llm.provider import RemoteModel, request

    _ = answerer
    return partial(request, RemoteModel.of(script.model, None))


def test_hints_of_the_users_own_take_the_place_of_the_shipped_ones(opened: Opened) -> None:
    prompt = opened(Mode.HINTS, hints="Konto 1020 ist die Bank.").prompt("de")
    assert "Konto 1020 ist die Bank." in prompt
    assert shipped_hints("trustee")[:40] not in prompt


def test_a_source_of_ones_own_has_no_hints(ledger: Path) -> None:
    assert hints_of(Setup(source=ledger)) == ""


# --- what each mode switches on


@pytest.mark.parametrize("mode", [Mode.BASELINE, Mode.HINTS])
def test_without_a_validator_a_summed_balance_goes_out(opened: Opened, mode: Mode) -> None:
    given = asked(opened(mode, [SUMMED], [answer("Der Banksaldo beträgt 12'674'110.73 CHF.")]))
    assert (given.ended, given.counters.validation_failures) == (Ended.ANSWERED, 0)
    assert given.text == "Der Banksaldo beträgt 12'674'110.73 CHF."
    assert [log.success for log in given.calls] == [True]


@pytest.mark.parametrize("mode", [Mode.VALIDATOR, Mode.ONTOLOGY, Mode.TOOLS, Mode.BOUND])
def test_with_a_validator_a_summed_balance_is_refused_and_the_repair_is_counted(opened: Opened, mode: Mode) -> None:
    typed = "Konto 1020: 152'400.00, Konto 1021: 28'100.00 CHF."
    bound = "{{ rows(r1.accountNumber, r1.closingBalance) }} CHF, {{ sum(r1.closingBalance) }}"
    reviewed = mode in (Mode.TOOLS, Mode.BOUND)
    given = asked(opened(mode, [SUMMED], [RIGHT], [answer(bound if reviewed else typed)]))
    assert given.ended is Ended.ANSWERED
    assert [log.validation_failure_code for log in given.calls] == ["INVALID_AGGREGATE_TARGET", None]
    assert (given.counters.validation_failures, given.counters.conversions) == (1, 1)


def test_only_what_is_reviewed_holds_a_made_up_figure_back(opened: Opened) -> None:
    made_up = [[RIGHT], [answer("Der Banksaldo beträgt 999'999.00 CHF.")]]
    ended = {mode: asked(opened(mode, *made_up)).ended for mode in Mode}
    assert {ended.pop(mode) for mode in (Mode.TOOLS, Mode.MODEL_ONLY, Mode.BOUND)} == {Ended.BLOCKED}
    assert set(ended.values()) == {Ended.ANSWERED}


def test_an_attempt_says_how_it_came_about(ledger: Path, opened: Opened) -> None:
    words = open_mode(Mode.BOUND, Setup(source=ledger, feature="trustee", clock=lambda: NOW))
    assert asked(words).understood_by is UnderstoodBy.READER
    words.agent.close()
    for mode in Mode:
        assert (
            asked(opened(mode, [RIGHT], [answer("{{ sum(r1.closingBalance) }} CHF")])).understood_by
            is UnderstoodBy.TOOLS
        )


def test_without_reader_and_patterns_the_model_gets_a_question_that_the_words_answer(ledger: Path) -> None:
    script = Script([RIGHT], [answer("{{ rows(r1.accountNumber, r1.closingBalance) }} CHF")])
    setup = Setup(source=ledger, feature="trustee", model=script.model, clock=lambda: NOW)
    alone, product = open_mode(Mode.TOOLS, setup), open_mode(Mode.BOUND, setup)
    assert (asked(product).understood_by, script.info) == (UnderstoodBy.READER, None)
    assert asked(alone).understood_by is UnderstoodBy.TOOLS
    assert script.info is not None
    for one in (alone, product):
        one.agent.close()


def test_a_model_alone_says_what_is_meant_also_where_the_words_are_clear(ledger: Path) -> None:
    nothing = dict.fromkeys(("period", "compareWith", "order", "limit", "limitPer"))
    accounts = {"name": "TrusteeDataAccount", "compute": "count", "as": None}
    script = Script([call("semanticQuery", words=[], show=[accounts], where=[], by=[], **nothing)])
    setup = Setup(source=ledger, feature="trustee", model=script.model, clock=lambda: NOW)
    product, alone = open_mode(Mode.BOUND, setup), open_mode(Mode.MODEL_ONLY, setup)
    texts = []
    for one, way, turns in ((product, UnderstoodBy.READER, 0), (alone, UnderstoodBy.MODEL, 1)):
        given = asked(one, "How many accounts are there?")
        assert (given.ended, given.understood_by, script.said) == (Ended.ANSWERED, way, turns)
        texts.append(given.text)
        one.agent.close()
    assert texts[0] == texts[1]


def test_a_pattern_that_the_model_was_shown_is_told_and_is_not_shown_to_the_model_alone(tmp_path: Path) -> None:
    (tmp_path / "sale.csv").write_text("region,amount\nNord,10.10\nNord,20.20\nSouth,1.00\n", encoding="utf-8")
    summed = {"tableName": "sale", "aggregate": "SUM", "field": "amount"}
    meaning = OntologyDescriptor.model_validate(
        {
            "featureCode": "sales",
            "entities": [{"name": "sale", "table": "sale", "fields": [{"name": "amount", "additivity": "ADDITIVE"}]}],
            "canonicalPatterns": [
                {
                    "intent": "TOTAL",
                    "description": {"en": "Total"},
                    "questions": {"en": ["How much did folks spend?"]},
                    "pattern": {"tool": "aggregateTable", "args": summed},
                }
            ],
        }
    )
    ways = {}
    for mode in (Mode.TOOLS, Mode.BOUND):
        script = Script([call("aggregateTable", **summed)], [answer("{{ r1[0].sum_amount }}")])
        answerer = open_mode(mode, Setup(source=tmp_path / "sale.csv", ontology=meaning, model=script.model))
        if mode is Mode.BOUND:
            left_to_the_model(answerer.agent)
        ways[mode] = asked(answerer, "How much did folks spend?").understood_by
        shown = "\n".join(map(str, script.messages))
        assert ("Similar, with other values" in shown) is (mode is Mode.BOUND)
        answerer.agent.close()
    assert ways == {Mode.TOOLS: UnderstoodBy.TOOLS, Mode.BOUND: UnderstoodBy.PATTERN}


def test_a_run_that_comes_to_no_end_is_an_abstention(opened: Opened) -> None:
    given = asked(opened(Mode.BASELINE, [RIGHT]))
    assert (given.ended, given.text) == (Ended.ABSTAINED, "No answer: stopped after 8 rounds (rounds).")


def test_rows_are_kept_for_the_judge(opened: Opened) -> None:
    given = asked(opened(Mode.BASELINE, [RIGHT], [answer("152'400.00")]))
    assert [row["accountNumber"] for data in given.results for row in data.rows] == ["1020", "1021"]
    assert (given.rounds, given.locale) == (2, "de-DE")


# --- the tools without a validator


@pytest.fixture
def unchecked(ledger: Path) -> Iterator[UncheckedTables]:
    tools = UncheckedTables(open_tables(ledger, feature="trustee", use_ontology=False))
    yield tools
    tools.close()


def test_what_the_engine_says_goes_to_the_model_as_it_is(unchecked: UncheckedTables) -> None:
    came = asyncio.run(unchecked.call("queryTable", {"tableName": BALANCE, "fields": ["klosingBalance"]}))
    assert (came.success, came.error_details) == (False, None)
    assert came.error is not None
    assert came.error.startswith('Binder Error: Referenced column "klosingBalance" not found')


@pytest.mark.parametrize(
    "arguments",
    [
        {"tableName": "TrusteeDataAccount", "filters": [where("mandateId", "=", "m-other")]},
        {"tableName": "TrusteeDataAccount", "fields": ["mandateId"]},
        {"tableName": "TrusteeDataAccount", "filters": [where("label", "=", "x' OR 1=1 --")]},
        {"tableName": 'TrusteeDataAccount" --'},
        {"tableName": "duckdb_settings()"},
    ],
)
def test_the_scope_holds_without_a_validator_too(unchecked: UncheckedTables, arguments: dict[str, Any]) -> None:
    came = asyncio.run(unchecked.call("queryTable", arguments))
    assert came.table is None or came.table.row_count == 0


def test_rows_of_another_mandate_are_never_counted(unchecked: UncheckedTables, ledger: Path) -> None:
    checked = open_tables(ledger, feature="trustee")
    counted = {"tableName": "TrusteeDataAccount", "aggregate": "COUNT"}
    both = [asyncio.run(tools.call("aggregateTable", counted)).table for tools in (unchecked, checked)]
    checked.close()
    assert both[0] is not None
    assert both[1] is not None
    assert both[0].rows == both[1].rows


@pytest.mark.parametrize("op", ["=", "!=", "<", "<=", ">", ">=", "LIKE", "IN", "BETWEEN", "IS_NULL", "IS_NOT_NULL"])
@pytest.mark.parametrize("value", ["1020", 5, True, None, [], ["a", "b"], [1], {"a": 1}, "2025-01-01"])
def test_no_literal_raises(unchecked: UncheckedTables, op: str, value: Any) -> None:
    filters = [where("accountNumber", op, value), where("periodYear", op, value)]
    came = asyncio.run(unchecked.call("queryTable", {"tableName": BALANCE, "filters": filters}))
    assert came.success or came.error


@pytest.mark.parametrize("aggregate", ["SUM", "AVG", "COUNT", "COUNT_DISTINCT", "MIN", "MAX"])
@pytest.mark.parametrize("field", ["closingBalance", "accountNumber", "nothing", None])
def test_no_aggregate_raises(unchecked: UncheckedTables, aggregate: str, field: str | None) -> None:
    given = {"tableName": BALANCE, "aggregate": aggregate, "field": field, "groupBy": ["currency"]}
    came = asyncio.run(unchecked.call("aggregateTable", given))
    assert came.success or came.error
