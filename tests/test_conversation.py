"""Conversations: what a follow-up leaves out comes from the question before; all that is kept is bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each_case import each
from veracity.answer.answer import Answer, Outcome
from veracity.answer.expression import evaluate, parse
from veracity.answer.results import Result, result_of
from veracity.ask.completion import standalone
from veracity.ask.conversation import Conversation
from veracity.ask.understood import UnderstoodQuestion
from veracity.contracts import QueryValidationError
from veracity.query.model import read_call
from veracity.question import Lexicon, QuestionReading, read
from veracity.tools.tables import TableTools

TODAY = date(2026, 11, 15)
Read = Callable[[str], QuestionReading]

BANK = "Wie hoch ist das Bankguthaben Ende 2025?"
REVENUE = "Wie hoch war der Umsatz 2025?"
ACCOUNT = "What was the balance of account 1020 at the end of 2025?"
CHINESE = "2025年底银行存款有多少？"
CUSTOMERS = "Wie viele Kunden haben wir?"


Understand = Callable[[str], UnderstoodQuestion]


@pytest.fixture(scope="module")
def words(trustee: TableTools) -> Lexicon:
    return Lexicon.of(trustee.catalog, asyncio.run(trustee.stored_values()))


@pytest.fixture(scope="module")
def reading(words: Lexicon) -> Read:
    return lambda question: read(question, words, today=TODAY)


@pytest.fixture(scope="module")
def understood(words: Lexicon) -> Understand:
    return lambda question: UnderstoodQuestion(question, "de", "de-CH", {}, TODAY, lambda: words)


@each(
    ("before", "question", "expected"),
    [
        # another time
        (BANK, "und 2024?", "Wie hoch ist das Bankguthaben Ende 2024?"),
        (BANK, "und Ende 2024?", "Wie hoch ist das Bankguthaben Ende 2024?"),
        (BANK, "und per 30.06.2024?", "Wie hoch ist das Bankguthaben per 30.06.2024?"),
        (BANK, "Und wie war es 2024?", "Wie hoch ist das Bankguthaben Ende 2024?"),
        (BANK, "und im Vorjahr?", "Wie hoch ist das Bankguthaben Ende 2024?"),
        (BANK, "2024", "Wie hoch ist das Bankguthaben Ende 2024?"),
        (BANK, "und Ende März?", "Wie hoch ist das Bankguthaben Ende März 2025?"),
        (BANK, "and for 2023?", "Wie hoch ist das Bankguthaben Ende 2023?"),
        (REVENUE, "und 2024?", "Wie hoch war der Umsatz 2024?"),
        (REVENUE, "und im März?", "Wie hoch war der Umsatz März 2025?"),
        (REVENUE, "und Q2?", "Wie hoch war der Umsatz Q2 2025?"),
        (REVENUE, "und im Vorjahr?", "Wie hoch war der Umsatz 2024?"),
        ("Wie hoch war der Umsatz im März 2025?", "und 2024?", "Wie hoch war der Umsatz im März 2024?"),
        ("Saldo von Konto 1020 per 29.02.2024?", "und 2023?", "Saldo von Konto 1020 2023?"),
        (ACCOUNT, "and for 2023?", "What was the balance of account 1020 at the end of 2023?"),
        (ACCOUNT, "what about 2022?", "What was the balance of account 1020 at the end of 2022?"),
        (ACCOUNT, "and the previous year?", "What was the balance of account 1020 at the end of 2024?"),
        (CHINESE, "那2024年呢？", "2024年底银行存款有多少？"),
        (CHINESE, "2024年呢？", "2024年底银行存款有多少？"),
        (CHINESE, "上一年呢？", "2024年底银行存款有多少？"),
        (CHINESE, "那3月呢？", "2025年3月银行存款有多少？"),
        # other accounts
        (BANK, "und Konto 1021?", "Wie hoch ist das Konto 1021 Ende 2025?"),
        (BANK, "und die Miete?", "Wie hoch ist das Miete Ende 2025?"),
        (REVENUE, "und die Miete?", "Wie hoch war der Miete 2025?"),
        (REVENUE, "und die Kosten?", "Wie hoch war der Kosten 2025?"),
        (REVENUE, "und Löhne 2024?", "Wie hoch war der Löhne 2024?"),
        (ACCOUNT, "and account 1021?", "What was the balance of account 1021 at the end of 2025?"),
        (ACCOUNT, "and the rent?", "What was the balance of rent at the end of 2025?"),
        (CHINESE, "那科目1021呢？", "2025年底科目1021有多少？"),
        (CHINESE, "那应收账款呢？", "2025年底应收账款有多少？"),
        # other values
        (CUSTOMERS, "und Lieferanten?", "Wie viele Lieferanten haben wir?"),
        (CUSTOMERS, "Lieferanten?", "Wie viele Lieferanten haben wir?"),
        (
            "Zeige alle Buchungen der Bergkristall Pharma AG.",
            "und der Alpenblick Systeme AG?",
            "Zeige alle Buchungen der Alpenblick Systeme AG.",
        ),
        # more than before
        (CUSTOMERS, "und in Zürich?", "Wie viele Kunden haben wir in Zürich?"),
        (CUSTOMERS, "und 2024?", "Wie viele Kunden haben wir 2024?"),
        (REVENUE, "und mit der Alpenblick Systeme AG?", "Wie hoch war der Umsatz 2025 mit der Alpenblick Systeme AG?"),
        (REVENUE, "Und in CHF?", "Wie hoch war der Umsatz 2025 in CHF?"),
        (REVENUE, "und die Miete in Euro?", "Wie hoch war der Miete 2025 in Euro?"),
        # several at once
        (BANK, "und Konto 1021 Ende 2023?", "Wie hoch ist das Konto 1021 Ende 2023?"),
        (BANK, "und 2023 und 2024?", "Wie hoch ist das Bankguthaben 2023 und 2024?"),
        ("Vergleiche den Umsatz 2024 mit 2025.", "und 2022 mit 2023?", "Vergleiche den Umsatz 2022 mit 2023."),
        # the answer to a question back
        ("Wie hoch war der Umsatz?", "2025", "Wie hoch war der Umsatz 2025?"),
        ("Wie hoch war der Umsatz?", "im Jahr 2025", "Wie hoch war der Umsatz im Jahr 2025?"),
        ("What was the balance at the end of 2025?", "1020", "What was the balance at the end of 2025 1020?"),
        ("营业收入是多少？", "2025年", "营业收入是多少 2025年?"),
    ],
)
def test_a_follow_up_is_completed(reading: Read, before: str, question: str, expected: str) -> None:
    assert standalone(reading(question), reading(before)) == expected


@pytest.mark.parametrize(
    ("before", "question"),
    [
        (REVENUE, "und die Miete?"),
        (REVENUE, "und im März?"),
        (BANK, "und Konto 1021?"),
        (BANK, "und 2024?"),
        (CHINESE, "那2024年呢？"),
        (ACCOUNT, "and account 1021?"),
    ],
)
def test_a_completed_question_is_read_without_doubt(reading: Read, before: str, question: str) -> None:
    full = reading(standalone(reading(question), reading(before)))
    kinds = {mention.meanings[0].kind for mention in full.sure}
    assert len(kinds) == 2


@each(
    "question",
    [
        "Wie hoch war der Aufwand 2024?",
        "Was war die Miete 2025?",
        "Was war der Umsatz?",
        "What was the rent in 2024?",
        "2024年的租金是多少？",
        "Zeige alle Buchungen der Bergkristall Pharma AG.",
        "Wie viele Lieferanten haben wir?",
        "und was war die Miete 2024?",
        "Und wie viele Kunden haben wir in Zürich?",
        "und davor?",
        "und warum?",
        "Danke!",
        "",
    ],
)
@each("before", [BANK, REVENUE, CUSTOMERS, CHINESE])
def test_a_whole_question_stays_as_it_is(reading: Read, before: str, question: str) -> None:
    assert standalone(reading(question), reading(before)) == question


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("Vergleiche den Umsatz 2024 mit 2025.", "und 2023?"),  # instead of which?
        (BANK, "und die Kunden?"),  # what of them?
        (BANK, "und Alpenblick Systeme AG?"),
    ],
)
def test_in_doubt_a_question_stays_as_it_is(reading: Read, before: str, question: str) -> None:
    assert standalone(reading(question), reading(before)) == question


def test_without_an_earlier_question_nothing_is_completed(reading: Read) -> None:
    assert standalone(reading("und 2024?"), None) == "und 2024?"


@settings(deadline=None)
@given(st.text(max_size=60), st.sampled_from([BANK, REVENUE, CHINESE, "?", ""]))
def test_any_text_may_follow(reading: Read, text: str, before: str) -> None:
    completed = standalone(reading(text), reading(before))
    assert completed == text or reading(text).mentions


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["und ", "2024", "Miete", " 1021", "那", "呢？", "März ", "in Euro", "?", " Kunden"]),
        max_size=6,
    )
)
def test_any_mix_of_pieces_may_follow(reading: Read, pieces: list[str]) -> None:
    question = "".join(pieces)
    assert isinstance(standalone(reading(question), reading(BANK)), str)


# --- what is kept


def answered(text: str) -> Answer:
    from veracity.answer.answer import RunTrace

    trace = RunTrace(model="m", rounds=1, seconds=0)
    return Answer(outcome=Outcome.ANSWERED, text=text, question="?", trace=trace, trace_id="t")


@pytest.fixture(scope="module")
def result(trustee: TableTools) -> Result:
    named = [{"field": "name", "op": "LIKE", "value": "B%"}]
    arguments = {"tableName": "TrusteeDataContact", "fields": ["id", "name"], "filters": named}
    data = trustee.call_sync("queryTable", arguments).table
    assert data is not None
    return result_of(data, read_call("queryTable", arguments), trustee.catalog)


def results(result: Result, count: int) -> dict[str, Result]:
    names = [f"r{number}" for number in range(1, count + 1)]
    return {name: replace(result, data=result.data.model_copy(update={"result_id": name})) for name in names}


def test_a_new_conversation_knows_nothing() -> None:
    talk = Conversation()
    assert (talk.lang, talk.messages(), talk.earlier_results()) == (None, [], "")


def test_turns_are_bounded(understood: Understand) -> None:
    talk = Conversation()
    for number in range(10):
        talk.remember(understood(f"Frage {number}"), answered(f"Antwort {number}"), {})
    assert [question for question, _answer in talk.turns] == [f"Frage {number}" for number in range(4, 10)]
    assert len(talk.messages()) == 12
    assert (talk.lang, talk.last.text if talk.last else None) == ("de", "Antwort 9")


def test_the_rows_of_old_results_are_forgotten_and_their_ids_are_not(understood: Understand, result: Result) -> None:
    talk = Conversation()
    talk.remember(understood("?"), answered("!"), results(result, 25))
    assert list(talk.results) == [f"r{number}" for number in range(1, 26)]
    assert [len(one.data.rows) for one in talk.results.values()] == [0] * 5 + [result.data.row_count] * 20
    shown = talk.earlier_results()
    assert "r6 = queryTable" in shown
    assert "r5 = " not in shown
    assert shown.count("queryTable") == 20


@pytest.mark.parametrize("expression", ["count(r1)", "r1[0].name", "rows(r1.name)"])
def test_nothing_is_computed_from_a_forgotten_result(understood: Understand, result: Result, expression: str) -> None:
    talk = Conversation()
    talk.remember(understood("?"), answered("!"), results(result, 21))
    node = parse(expression)
    assert not isinstance(node, QueryValidationError)
    assert isinstance(evaluate(node, talk.results), QueryValidationError)
    last = parse(expression.replace("r1", "r21"))
    assert not isinstance(last, QueryValidationError)
    assert not isinstance(evaluate(last, talk.results), QueryValidationError)


def test_results_are_kept_as_they_were(understood: Understand, result: Result) -> None:
    kept = results(result, 2)
    talk = Conversation()
    talk.remember(understood("?"), answered("!"), kept)
    kept.clear()
    assert list(talk.results) == ["r1", "r2"]


def test_a_fragment_does_not_become_the_question_before(understood: Understand) -> None:
    talk = Conversation()
    talk.remember(understood(BANK), answered("!"), {})
    talk.remember(understood("und davor?"), answered("?"), {})
    assert talk.asked is not None
    completed = replace(understood("und 2023?"), before=talk.asked).completed()
    assert (completed.question, completed.before) == ("Wie hoch ist das Bankguthaben Ende 2023?", None)
    talk.remember(understood("Hallo"), answered("!"), {})
    assert talk.asked.question == "Hallo"
