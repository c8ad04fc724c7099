"""The whole flow with a scripted model: what it gets wrong is corrected or held back, and no figure of its own gets out."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai.messages import ToolCallPart, UserPromptPart

from scripted import Script, Turn, answer, call, left_to_the_model, where
from veracity.agent.loop import Limits
from veracity.answer.answer import Answer, Outcome
from veracity.ask.conversation import Conversation
from veracity.ask.data_agent import DataAgent
from veracity.errors import UsageError
from veracity.open import open_agent
from veracity.settings import Settings
from veracity.telemetry import Telemetry

BALANCE = "TrusteeDataAccountBalance"
NOW = datetime(2026, 11, 15, tzinfo=UTC)
BANK_2025 = call(
    "queryTable",
    tableName=BALANCE,
    fields=["accountNumber", "periodYear", "periodMonth", "closingBalance", "currency"],
    filters=[where("periodYear", "=", 2025), where("periodMonth", "=", 0), where("accountNumber", "LIKE", "102%")],
)
BANK_QUESTION = "Was ist der Banksaldo per 31.12.2025?"
BANK_ANSWER = answer(
    "Banksaldo: {{ sum(r1.closingBalance) }} {{ r1[0].currency }}.\n{{ rows(r1.accountNumber, r1.closingBalance) }}"
)
BANK_TEXT = "Banksaldo: 180'500.00 CHF.\n- 1020: 152'400.00\n- 1021: 28'100.00"

Ask = Callable[..., tuple[Answer, Script]]


@pytest.fixture(scope="module")
def known(ledger: Path) -> Iterator[DataAgent]:
    """An agent whose words all others share: to read them anew is most of what a test would cost."""
    agent = open_agent(ledger, feature="trustee", model=Script().model, clock=lambda: NOW, keep_traces=False)
    yield left_to_the_model(agent)
    agent.close()


@pytest.fixture
def agent_of(ledger: Path, known: DataAgent) -> Iterator[Callable[..., DataAgent]]:
    """Agents on the shipped ledger, each with a scripted model."""
    opened: list[DataAgent] = []

    def make(script: Script, **options: Any) -> DataAgent:
        made = open_agent(
            ledger, feature="trustee", model=script.model, clock=lambda: NOW, keep_traces=False, **options
        )
        made.known_words, made.meaning = known.known_words, known.meaning
        opened.append(made)
        return made

    yield make
    for agent in opened:
        agent.close()


@pytest.fixture
def ask(agent_of: Callable[..., DataAgent]) -> Ask:
    def run(question: str, *turns: Turn, **options: Any) -> tuple[Answer, Script]:
        script = Script(*turns)
        return agent_of(script, **options).ask_sync(question), script

    return run


# --- the straight way


def test_figures_are_computed_and_proven(ask: Ask) -> None:
    given, _script = ask(BANK_QUESTION, [BANK_2025], [BANK_ANSWER])
    assert (given.outcome, given.text) == (Outcome.ANSWERED, BANK_TEXT)
    figure = given.provenance[0]
    assert given.text[figure.span[0] : figure.span[1]] == "180'500.00"
    assert (figure.value, figure.kind, figure.expression, figure.status) == (
        "180500.00",
        "derived",
        "sum(r1.closingBalance)",
        "bound",
    )
    assert [(arg.row_key["accountNumber"], arg.column, arg.raw) for arg in figure.args] == [
        ("1020", "closingBalance", "152400.00"),
        ("1021", "closingBalance", "28100.00"),
    ]
    assert [(source.result, source.row_count, len(source.digest)) for source in given.sources] == [("r1", 2, 64)]
    assert {line.mention: line.status for line in given.receipt} == {"Banksaldo": "met", "per 31.12.2025": "met"}
    assert (given.trace.rounds, len(given.trace.calls), given.trace.counters.validation_failures) == (2, 1, 0)


@pytest.mark.parametrize(
    ("lang", "shown"), [("de", "180'500.00"), ("de-DE", "180.500,00"), ("en", "180,500.00"), ("zh", "180,500.00")]
)
def test_figures_are_written_for_the_locale(agent_of: Callable[..., DataAgent], lang: str, shown: str) -> None:
    given = agent_of(Script([BANK_2025], [BANK_ANSWER])).ask_sync(BANK_QUESTION, lang=lang)
    assert shown in given.text


def test_a_plain_text_answer_is_a_template_too(ask: Ask) -> None:
    given, _script = ask(BANK_QUESTION, [BANK_2025], "Banksaldo: {{ sum(r1.closingBalance) }} CHF.")
    assert given.text == "Banksaldo: 180'500.00 CHF."


def test_a_line_break_that_was_escaped_twice_is_a_line_break(ask: Ask) -> None:
    twice = BANK_ANSWER.args_as_dict()["text"].replace("\n", "\\n")
    given, _script = ask(BANK_QUESTION, [BANK_2025], [answer(twice)])
    assert given.text == BANK_TEXT


def test_results_are_numbered_as_the_calls_were_written(ask: Ask) -> None:
    other = call("aggregateTable", tableName="TrusteeDataContact", aggregate="COUNT")
    given, script = ask(
        BANK_QUESTION,
        [other, BANK_2025],
        [answer("{{ rows(r2.accountNumber, r2.closingBalance) }} CHF {{ sum(r2.closingBalance) }}")],
    )
    assert given.outcome is Outcome.ANSWERED
    assert [told["resultId"] for told in script.told] == ["r1", "r2"]
    assert {log.round for log in given.trace.calls} == {1}


def test_a_call_made_again_is_told_which_result_it_is(ask: Ask) -> None:
    given, script = ask(BANK_QUESTION, [BANK_2025], [BANK_2025], [BANK_ANSWER])
    assert (given.outcome, len(given.trace.calls)) == (Outcome.ANSWERED, 2)
    first, again = script.told
    assert (first["resultId"], len(first["rows"])) == ("r1", 2)
    assert (again["resultId"], again["rowCount"], "rows" in again) == ("r1", 2, False)


# --- the four hallucination classes of the seed: each ends in a right answer after repair


def repaired(ask: Ask, question: str, wrong: ToolCallPart, right: ToolCallPart, text: str) -> Answer:
    given, _script = ask(question, [wrong], [right], [answer(text)])
    assert given.outcome is Outcome.ANSWERED, given.text
    counters = given.trace.counters
    assert (counters.validation_failures, counters.conversions) == (1, 1)
    same_tool = wrong.tool_name == right.tool_name
    assert (counters.repair_attempts, counters.success_after_repair, counters.deflections) == (
        (1, 1, 0) if same_tool else (0, 0, 1)
    )
    return given


def test_a_sum_over_periods_is_repaired(ask: Ask) -> None:
    wrong = call("aggregateTable", tableName=BALANCE, aggregate="SUM", field="closingBalance")
    given = repaired(ask, BANK_QUESTION, wrong, BANK_2025, "{{ sum(r1.closingBalance) }} CHF")
    assert given.trace.calls[0].validation_failure_code == "INVALID_AGGREGATE_TARGET"
    assert given.text == "180'500.00 CHF"


def test_an_iso_date_on_unix_seconds_is_repaired(ask: Ask, gold: Callable[[str], Decimal]) -> None:
    def count(first: Any, last: Any) -> ToolCallPart:
        filters = [where("bookingDate", ">=", first), where("bookingDate", "<=", last)]
        return call("aggregateTable", tableName="TrusteeDataJournalEntry", aggregate="COUNT", filters=filters)

    question = "How many journal entries were there in March 2025?"
    wrong, right = count("2025-03-01", "2025-03-31"), count(1740787200, 1743379200)
    given = repaired(ask, question, wrong, right, "{{ r1[0].count }} entries")
    assert given.trace.calls[0].validation_failure_code == "TYPE_MISMATCH"
    expected = gold(
        "SELECT count(*) FROM TrusteeDataJournalEntry WHERE mandateId = 'm-demo'"
        " AND strftime(to_timestamp(bookingDate) AT TIME ZONE 'UTC', '%Y-%m') = '2025-03'",
    )
    assert given.provenance[0].value == str(expected)


def test_an_invented_field_is_repaired(ask: Ask) -> None:
    wrong = call("queryTable", tableName=BALANCE, fields=["klosingBalance"])
    given = repaired(ask, BANK_QUESTION, wrong, BANK_2025, "{{ sum(r1.closingBalance) }} CHF")
    assert (given.trace.calls[0].validation_failure_code, given.trace.calls[0].suggestion) == (
        "FIELD_NOT_FOUND",
        "closingBalance",
    )


def test_a_wrong_table_is_repaired(ask: Ask, gold: Callable[[str], Decimal]) -> None:
    wrong = call(
        "aggregateTable",
        tableName="TrusteeDataJournalEntry",
        aggregate="SUM",
        field="totalAmount",
        filters=[where("description", "LIKE", "%Miete%"), where("currency", "=", "CHF")],
    )
    right = call(
        "queryTable",
        tableName=BALANCE,
        filters=[where("periodYear", "=", 2024), where("periodMonth", "=", 0), where("accountNumber", "LIKE", "6000%")],
    )
    given = repaired(ask, "Wie hoch war der Mietaufwand 2024?", wrong, right, "{{ sum(r1.closingBalance) }} CHF")
    assert given.trace.calls[0].validation_failure_code == "WRONG_TABLE_FOR_PURPOSE"
    expected = gold(
        f"SELECT sum(closingBalance) FROM {BALANCE} WHERE mandateId = 'm-demo' AND periodYear = 2024"
        " AND periodMonth = 0 AND accountNumber LIKE '6000%'",
    )
    assert given.provenance[0].value == str(expected)


# --- what the question names


CONTACTS = {"tableName": "TrusteeDataContact", "aggregate": "COUNT"}
CUSTOMERS = call("aggregateTable", **CONTACTS, filters=[where("contactType", "=", "customer")])
COUNTED = "Es sind {{ %s[0].count }}."


def test_a_left_out_customer_filter_is_sent_back(ask: Ask) -> None:
    given, script = ask(
        "Wie viele Kunden haben wir?",
        [call("aggregateTable", **CONTACTS)],
        [answer(COUNTED % "r1")],
        [CUSTOMERS],
        [answer(COUNTED % "r2")],
    )
    assert given.outcome is Outcome.ANSWERED
    assert [refusal.code for refusal in given.trace.refusals] == ["QUESTION_NOT_COVERED"]
    assert "contactType = 'customer'" in str(script.told)


def test_a_model_that_insists_on_leaving_it_out_ends_in_an_abstention(ask: Ask) -> None:
    given, _script = ask("Wie viele Kunden haben wir?", [call("aggregateTable", **CONTACTS)], [answer(COUNTED % "r1")])
    assert given.outcome is Outcome.ABSTAINED
    assert "Kunden" in given.text
    assert (len(given.trace.refusals), given.provenance) == (3, ())


def test_one_of_two_periods_left_out_is_sent_back(ask: Ask) -> None:
    def revenue(year: int) -> ToolCallPart:
        filters = [
            where("periodYear", "=", year),
            where("periodMonth", "=", 0),
            where("accountNumber", "LIKE", "3%"),
        ]
        return call("queryTable", tableName=BALANCE, filters=filters)

    given, _script = ask(
        "Vergleiche den Umsatz 2024 mit 2025.",
        [revenue(2025)],
        [answer("{{ sum(r1.closingBalance) }} CHF")],
        [revenue(2024)],
        [answer("{{ sum(r2.closingBalance) }} CHF und {{ sum(r1.closingBalance) }} CHF")],
    )
    assert given.outcome is Outcome.ANSWERED
    assert [refusal.field for refusal in given.trace.refusals] == ["2024"]


@pytest.mark.parametrize(
    ("calls", "text"),
    [
        (
            call(
                "queryTable",
                tableName=BALANCE,
                filters=[
                    where("periodYear", "=", 2025),
                    where("periodMonth", "=", 0),
                    where("accountNumber", "=", "1020"),
                ],
            ),
            "{{ r1[0].closingBalance }} CHF",
        ),
        (BANK_2025, "{{ r1[accountNumber='1020'].closingBalance }} CHF"),
    ],
    ids=["by a filter", "by citing one row"],
)
def test_a_group_narrowed_to_one_account_never_gets_out(ask: Ask, calls: ToolCallPart, text: str) -> None:
    given, _script = ask(BANK_QUESTION, [calls], [answer(text)])
    assert given.outcome is Outcome.ABSTAINED
    assert "Banksaldo" in given.text


# --- no figure of the model's own


@pytest.mark.parametrize(
    "typed",
    [
        "Der Banksaldo ist 185000.00 CHF.",
        "Der Banksaldo ist {{ sum(r1.closingBalance) }} CHF, also rund 190 Tausend.",
        "一百八十万",
        "Der Saldo beträgt {{ 180500 }} CHF.",
        "Der Saldo ist 1{{ r1[0].closingBalance }} CHF.",
    ],
)
def test_a_typed_number_never_gets_out(ask: Ask, typed: str) -> None:
    given, _script = ask(BANK_QUESTION, [BANK_2025], [answer(typed)])
    assert given.outcome is Outcome.BLOCKED
    assert "180" not in given.text.replace(typed, "")[:40]
    assert (given.provenance, len(given.trace.refusals)) == ((), 3)


@pytest.mark.parametrize(
    "typed",
    [
        "Der Banksaldo ist 180500.00 CHF.\n{{ rows(r1.accountNumber, r1.closingBalance) }}",
        "Banksaldo auf zwei Konten: 180'500.00 CHF.\n{{ rows(r1.accountNumber, r1.closingBalance) }}",
    ],
)
def test_a_typed_figure_that_is_insisted_on_is_computed_from_its_cells(ask: Ask, typed: str) -> None:
    given, script = ask(BANK_QUESTION, [BANK_2025], [answer(typed)])
    assert (given.outcome, script.said) == (Outcome.ANSWERED, 3)
    figure = given.provenance[0]
    assert (figure.text, figure.kind, figure.expression) == ("180'500.00", "derived", "sum(r1.closingBalance)")
    assert [one.status for one in given.provenance] == ["bound"] * len(given.provenance)


def test_an_answer_without_any_call_never_gets_out(ask: Ask) -> None:
    given, _script = ask("Wie viele Kunden haben wir?", [answer("Sehr viele Kunden.")])
    assert given.outcome is Outcome.BLOCKED


def test_two_currencies_are_never_added(ask: Ask) -> None:
    filters = [where("periodYear", "=", 2025), where("periodMonth", "=", 0), where("accountNumber", "LIKE", "110%")]
    both = call("queryTable", tableName=BALANCE, filters=filters)
    given, _script = ask(
        "Wie hoch sind die Debitoren per 31.12.2025?", [both], [answer("{{ sum(r1.closingBalance) }}")]
    )
    assert given.outcome is Outcome.BLOCKED
    assert {refusal.code for refusal in given.trace.refusals} == {"MIXED_UNITS"}


def test_a_truncated_result_is_never_totalled(ask: Ask) -> None:
    some = call(
        "queryTable",
        tableName="TrusteeEntryWithContact",
        filters=[where("bookingYear", "=", 2025), where("currency", "=", "CHF")],
        limit=5,
    )
    given, _script = ask("Summe der Buchungsbeträge 2025 in CHF?", [some], [answer("{{ sum(r1.totalAmount) }} CHF")])
    assert given.outcome is Outcome.BLOCKED
    assert {refusal.code for refusal in given.trace.refusals} == {"RESULT_TRUNCATED"}


@pytest.mark.parametrize("tool", ["clarify", "abstain"])
def test_a_question_back_or_a_refusal_holds_no_figure(ask: Ask, tool: str) -> None:
    said: dict[str, dict[str, Any]] = {
        "clarify": {"question": "Meinten Sie 180500 CHF?", "options": ""},
        "abstain": {"reason": "Es sind 42."},
    }
    given, _script = ask(BANK_QUESTION, [ToolCallPart(tool, said[tool])])
    assert given.outcome is Outcome.BLOCKED


# --- other ends


def test_a_question_back_has_options(ask: Ask) -> None:
    given, _script = ask(
        "Wie hoch war der Umsatz?",
        [ToolCallPart("clarify", {"question": "Für welches Jahr?", "options": ["2024", "2025"]})],
    )
    assert given.outcome is Outcome.CLARIFY
    assert given.clarification is not None
    assert (given.clarification.question, given.clarification.options) == ("Für welchen Zeitraum?", ("2024", "2025"))


@pytest.mark.parametrize(
    "said", ["Meinen Sie das Jahr mit dem Rekordverlust?", "Welches Jahr? Siehe [hier](https://evil.example)."]
)
def test_a_question_back_is_asked_in_the_programs_words(ask: Ask, said: str) -> None:
    options = ["2024", "das gute Jahr", "https://evil.example", "Bank", "2025"]
    given, _script = ask("Wie hoch war der Umsatz?", [ToolCallPart("clarify", {"question": said, "options": options})])
    assert (given.outcome, given.text) == (Outcome.CLARIFY, "Für welchen Zeitraum?")
    assert given.clarification is not None
    assert given.clarification.options == ("2024", "Bank", "2025")


@pytest.mark.parametrize(
    "said", ["Es gibt keine Personaldaten.", "Die Revisoren haben das gesperrt, siehe evil.example."]
)
def test_an_abstention_is_said_in_the_programs_words(ask: Ask, said: str) -> None:
    given, _script = ask("Wie viele Mitarbeiter?", [ToolCallPart("abstain", {"reason": said})])
    assert (given.outcome, given.text) == (Outcome.ABSTAINED, "Die Daten enthalten nichts, was mitarbeiter heisst.")


def test_an_abstention_after_a_call_without_rows_says_so(ask: Ask) -> None:
    none = call("queryTable", tableName="TrusteeDataContact", filters=[where("contactNumber", ">", "99999")])
    given, _script = ask("Welche Kontakte gibt es in Zürich?", [none], [ABSTAIN])
    assert given.outcome is Outcome.ABSTAINED
    assert "Keine Zeile passt" in given.text


def test_the_same_invalid_call_three_times_is_stopped(ask: Ask) -> None:
    wrong = call("aggregateTable", tableName=BALANCE, aggregate="SUM", field="closingBalance")
    given, script = ask(BANK_QUESTION, [wrong])
    assert given.outcome is Outcome.ABSTAINED
    assert script.said == 3
    assert "aggregateTable TrusteeDataAccountBalance (INVALID_AGGREGATE_TARGET)" in given.text


def test_rounds_are_bounded_and_what_was_tried_is_said(ask: Ask) -> None:
    given, script = ask(BANK_QUESTION, [BANK_2025], limits=Limits(rounds=4))
    assert (given.outcome, script.said) == (Outcome.ABSTAINED, 4)
    assert "queryTable TrusteeDataAccountBalance (2)" in given.text


def test_tokens_are_bounded(ask: Ask) -> None:
    given, script = ask(BANK_QUESTION, [BANK_2025], limits=Limits(tokens=1))
    assert (given.outcome, script.said) == (Outcome.ABSTAINED, 1)


def test_wall_time_is_bounded(agent_of: Callable[..., DataAgent]) -> None:
    class Slow(Script):
        async def __call__(self, *_arguments: Any) -> Any:
            await asyncio.sleep(30)

    given = agent_of(Slow([BANK_2025]), limits=Limits(seconds=0.2)).ask_sync(BANK_QUESTION)
    assert given.outcome is Outcome.ABSTAINED
    assert given.trace.seconds < 10


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (ToolCallPart("queryTabel", {"tableName": BALANCE}), "FIELD_NOT_FOUND"),
        (ToolCallPart("queryTable", '{"tableName": '), "TYPE_MISMATCH"),
        (ToolCallPart("queryTable", "[1, 2]"), "TYPE_MISMATCH"),
        (ToolCallPart("queryTable", {"table": BALANCE}), "FIELD_NOT_FOUND"),
    ],
    ids=["unknown tool", "malformed JSON", "not an object", "unknown argument"],
)
def test_malformed_calls_are_results_too(ask: Ask, wrong: ToolCallPart, code: str) -> None:
    given, script = ask(BANK_QUESTION, [wrong], [BANK_2025], [BANK_ANSWER])
    assert given.outcome is Outcome.ANSWERED
    assert (given.trace.calls[0].validation_failure_code, script.told[0]["errorDetails"]["code"]) == (code, code)


def test_an_answer_beside_its_calls_waits_for_the_results(ask: Ask) -> None:
    given, _script = ask(BANK_QUESTION, [BANK_2025, BANK_ANSWER], [BANK_ANSWER])
    assert (given.outcome, given.trace.refusals) == (Outcome.ANSWERED, ())


def test_an_empty_response_is_refused_and_repaired(ask: Ask) -> None:
    given, _script = ask(BANK_QUESTION, [BANK_2025], "", [BANK_ANSWER])
    assert (given.outcome, len(given.trace.refusals)) == (Outcome.ANSWERED, 1)


def test_an_empty_question_is_a_usage_error(agent_of: Callable[..., DataAgent]) -> None:
    with pytest.raises(UsageError, match="no question"):
        agent_of(Script([BANK_2025])).ask_sync("  ")


def test_ask_sync_inside_an_event_loop_says_what_to_write(agent_of: Callable[..., DataAgent]) -> None:
    async def wrong() -> None:
        agent_of(Script([BANK_2025])).ask_sync(BANK_QUESTION)

    with pytest.raises(UsageError, match=r"await agent.ask"):
        asyncio.run(wrong())


def test_free_text_answers_are_bound_after_the_fact(ask: Ask) -> None:
    said = "Konto 1020 schloss mit 152'400.00 und Konto 1021 schloss mit 28'100.00."
    given, _script = ask("Salden der Bankkonten per 31.12.2025?", [BANK_2025], [answer(said)], answers="text")
    assert given.outcome is Outcome.ANSWERED, given.text
    assert {figure.value for figure in given.provenance if figure.args} >= {"152400.00", "28100.00"}
    wrong, _script = ask(
        "Salden der Bankkonten per 31.12.2025?",
        [BANK_2025],
        [answer("Konto 1020 schloss mit 28'100.00.")],
        answers="text",
    )
    assert wrong.outcome is Outcome.BLOCKED


# --- conversation


def test_a_follow_up_keeps_the_context_and_the_ids_go_on(agent_of: Callable[..., DataAgent]) -> None:
    def bank(year: int) -> ToolCallPart:
        filters = [where("periodYear", "=", year), where("periodMonth", "=", 0), where("accountNumber", "LIKE", "102%")]
        return call("queryTable", tableName=BALANCE, filters=filters)

    def said(result: str) -> ToolCallPart:
        return answer(
            f"{{{{ rows({result}.accountNumber, {result}.closingBalance) }}}} {{{{ sum({result}.closingBalance) }}}}"
        )

    script = Script([bank(2025)], [said("r1")], [bank(2024)], [said("r2")])
    agent, talk = agent_of(script), Conversation()
    agent.ask_sync("Wie hoch ist das Bankguthaben Ende 2025?", conversation=talk)
    second = agent.ask_sync("und Ende 2024?", conversation=talk)
    assert second.outcome is Outcome.ANSWERED
    assert {line.mention: line.status for line in second.receipt} == {"Bankguthaben": "met", "Ende 2024": "met"}
    assert [source.result for source in second.sources] == ["r2"]
    assert list(talk.results) == ["r1", "r2"]


def test_a_follow_up_answered_with_the_old_result_is_not_released(agent_of: Callable[..., DataAgent]) -> None:
    script = Script([BANK_2025], [BANK_ANSWER], [BANK_ANSWER])
    agent, talk = agent_of(script), Conversation()
    agent.ask_sync(BANK_QUESTION, conversation=talk)
    assert agent.ask_sync("und per 31.12.2024?", conversation=talk).outcome is Outcome.ABSTAINED


# --- the prompt


def test_nothing_that_changes_per_question_stands_before_the_question(agent_of: Callable[..., DataAgent]) -> None:
    first, second = Script([BANK_2025]), Script([BANK_2025])
    limits = Limits(rounds=1)
    agent_of(first, limits=limits).ask_sync(BANK_QUESTION)
    agent_of(second, limits=limits).ask_sync("Wie viele Kunden haben wir?")
    assert first.info is not None
    assert second.info is not None
    assert first.info.instructions == second.info.instructions
    assert first.info.function_tools == second.info.function_tools
    assert "2026-11-15" not in (first.info.instructions or "")


def test_cancelling_stops_the_running_query(
    agent_of: Callable[..., DataAgent], monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = agent_of(Script([BANK_2025]))
    begun, stopped = asyncio.Event(), asyncio.Event()

    async def endless(*_arguments: Any) -> Any:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stopped.set()
            raise

    async def run() -> None:
        await agent.tools.stored_values()
        monkeypatch.setattr("veracity.tools.tables.fetch", endless)
        task = asyncio.create_task(agent.ask(BANK_QUESTION))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert stopped.is_set()

    asyncio.run(run())


# --- what is left behind


def test_a_trace_is_kept_after_every_round_and_holds_no_row_that_was_not_cited(ledger: Path, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    script = Script([BANK_2025], [answer("{{ r1[accountNumber='1021'].closingBalance }} CHF auf Konto 1021")])
    agent = open_agent(ledger, feature="trustee", model=script.model, clock=lambda: NOW, settings=settings)
    left_to_the_model(agent)
    given = agent.ask_sync("Welchen Saldo hat das Konto 1021 per 31.12.2025?")
    assert agent.traces is not None
    record = agent.traces.get(given.trace_id)
    agent.close()
    assert (record.finished, record.outcome, record.text) == (True, "answered", "28'100.00 CHF auf Konto 1021")
    assert record.body["trace"]["calls"][0]["rowCount"] == 2
    assert "152400" not in record.model_dump_json()


def test_a_crash_loses_nothing_that_was_done(ledger: Path, tmp_path: Path) -> None:
    def crash(_told: list[dict[str, Any]]) -> str:
        raise RuntimeError("the machine goes down here")

    agent = open_agent(
        ledger,
        feature="trustee",
        model=Script([BANK_2025], crash).model,
        clock=lambda: NOW,
        settings=Settings(home=tmp_path),
    )
    left_to_the_model(agent)
    with pytest.raises(RuntimeError):
        agent.ask_sync(BANK_QUESTION)
    assert agent.traces is not None
    summary = agent.traces.latest()[0]
    record = agent.traces.get(summary.trace_id)
    agent.close()
    assert (record.finished, record.question) == (False, BANK_QUESTION)
    assert record.body["trace"]["calls"][0]["tool"] == "queryTable"


def test_a_store_that_cannot_be_written_does_not_cost_the_answer(ledger: Path, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "veracity.sqlite") as store:
        store.execute("CREATE TABLE veracity_trace (something_else TEXT)")
    store.close()
    agent = open_agent(
        ledger,
        feature="trustee",
        model=Script([BANK_2025], [BANK_ANSWER]).model,
        clock=lambda: NOW,
        settings=Settings(home=tmp_path),
    )
    left_to_the_model(agent)
    given = agent.ask_sync(BANK_QUESTION)
    agent.close()
    assert given.outcome is Outcome.ANSWERED
    assert agent.note is not None
    assert "veracity.sqlite" in agent.note


def test_spans_follow_the_run(ledger: Path) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    wrong = call("queryTable", tableName=BALANCE, fields=["klosingBalance"])
    agent = open_agent(
        ledger,
        feature="trustee",
        model=Script([wrong], [BANK_2025], [BANK_ANSWER]).model,
        clock=lambda: NOW,
        keep_traces=False,
        telemetry=Telemetry(provider),
    )
    left_to_the_model(agent)
    given = agent.ask_sync(BANK_QUESTION)
    agent.close()
    spans = exporter.get_finished_spans()
    assert Counter(span.name for span in spans) == {
        "invoke_agent veracity": 1,
        "chat scripted": 3,
        "execute_tool queryTable": 2,
    }
    run = next(dict(span.attributes or {}) for span in spans if span.name.startswith("invoke_agent"))
    assert run["veracity.trace_id"] == given.trace_id
    assert run["veracity.validation_failures"] == 1
    assert run["veracity.success_after_repair"] == 1
    assert BANK_QUESTION not in str(run)


def test_a_typed_figure_goes_back_with_the_whole_text_as_it_should_be(ask: Ask) -> None:
    typed = answer("Banksaldo auf 1020: 152'400.00 CHF, auf 1021: 28'100.00 CHF.")
    given, script = ask(BANK_QUESTION, [BANK_2025], [typed], [BANK_ANSWER])
    suggestion = script.told[1]["errorDetails"]["suggestion"]
    assert "152" not in suggestion
    assert suggestion.count("{{") == 4
    assert given.outcome is Outcome.ANSWERED


# --- what the model is told beside the question


def context_of(script: Script) -> str:
    """What the first request says beside the question."""
    return "\n".join(str(part.content) for part in script.messages[0].parts if isinstance(part, UserPromptPart))


ABSTAIN = ToolCallPart("abstain", {"reason": "Das steht nicht in den Daten."})


def test_a_word_that_nothing_is_called_is_told(ask: Ask) -> None:
    given, script = ask("Wie viele Mitarbeitende hatten wir Ende 2024?", [ABSTAIN])
    assert given.outcome is Outcome.ABSTAINED
    assert "Nothing in the data is called mitarbeitende." in context_of(script)


def test_an_unknown_verb_is_no_thing_that_the_data_would_have_to_know(ask: Ask) -> None:
    _given, script = ask("Schrieben wir 2020 einen Gewinn oder einen Verlust, und wie hoch war er?", [ABSTAIN])
    assert "Nothing in the data" not in context_of(script)


def test_a_refused_draft_on_what_nothing_is_called_comes_with_the_way_out(ask: Ask) -> None:
    equity = call("queryTable", tableName=BALANCE, filters=[where("periodYear", "=", 2024), where("periodMonth", "=", 0), where("accountNumber", "LIKE", "28%")])  # fmt: skip
    typed = answer("Wir hatten 12 Mitarbeitende.")
    _given, script = ask("Wie viele Mitarbeitende hatten wir Ende 2024?", [equity], [typed], [ABSTAIN])
    assert script.told[-1]["next"] == 'abstain {"reason": "Die Daten enthalten nichts, was mitarbeitende heisst."}'


ALL_CONTACTS = call("aggregateTable", tableName="TrusteeDataContact", aggregate="COUNT")
CREDITORS = call("queryTable", tableName=BALANCE, filters=[where("periodYear", "=", 2024), where("periodMonth", "=", 12), where("accountNumber", "LIKE", "200%")])  # fmt: skip


@pytest.mark.parametrize(
    ("question", "rows", "text"),
    [
        ("Wie viele Mitarbeitende hatten wir Ende 2024?", CREDITORS, "Wir hatten {{ r1[0].closingBalance }} Mitarbeitende Ende 2024."),
        ("Wie viele Mitarbeitende haben wir?", ALL_CONTACTS, "Es sind {{ r1[0].count }}."),
        ("How many employees do we have?", ALL_CONTACTS, "We have {{ r1[0].count }} contacts."),
        ("我们有多少名员工？", ALL_CONTACTS, "我们有 {{ r1[0].count }} 名。"),
        ("Wie hoch ist das Werbebudget für 2024?", CREDITORS, "Das Werbebudget für 2024 beträgt {{ r1[0].closingBalance }} CHF."),
        ("What was the marketing budget at the end of 2024?", CREDITORS, "The marketing budget was {{ r1[0].closingBalance }} CHF at the end of 2024."),
        ("Wie viele Kunden hatten wir Ende 2024?", CREDITORS, "Ende 2024: {{ r1[0].closingBalance }} Kunden."),
    ],
)  # fmt: skip
def test_no_figure_is_told_of_what_nothing_in_the_data_is_called(
    ask: Ask, question: str, rows: ToolCallPart, text: str
) -> None:
    given, _script = ask(question, [rows], [answer(text)])
    assert given.outcome is not Outcome.ANSWERED
    assert given.provenance == ()


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How many customers are on file, all in all?", "There are {{ r1[0].count }} customers on file."),
        ("Wie viele Kunden führen wir eigentlich?", "Wir führen {{ r1[0].count }} Kunden."),
    ],
)
def test_words_around_a_known_thing_do_not_hold_its_number_back(ask: Ask, question: str, text: str) -> None:
    customers = call("aggregateTable", tableName="TrusteeDataContact", aggregate="COUNT", filters=[where("contactType", "=", "customer")])  # fmt: skip
    given, _script = ask(question, [customers], [answer(text)])
    assert given.outcome is Outcome.ANSWERED, given.text


# --- what the model is not asked


def test_a_question_that_its_words_answer_is_not_sent_to_the_model(ledger: Path) -> None:
    script = Script([ABSTAIN])
    agent = open_agent(
        ledger, feature="trustee", model=script.model, tools="table", clock=lambda: NOW, keep_traces=False
    )
    given = agent.ask_sync(BANK_QUESTION)
    other = agent.ask_sync("Wie viele Mitarbeitende hatten wir Ende 2024?")
    agent.close()
    assert given.text.startswith("Bank, Ende Dezember 2025: 180'500.00 CHF.")
    assert (other.text, script.said) == ("Die Daten enthalten nichts, was mitarbeitende heisst.", 1)
