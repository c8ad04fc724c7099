"""What a request becomes: a greeting is answered directly, a prefix picks a skill, and data is always looked up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scripted import Script, Turn, answer, call, where
from veracity.answer.answer import Answer, Outcome
from veracity.ask.data_agent import DataAgent
from veracity.errors import SkillError
from veracity.llm.provider import RemoteModel
from veracity.open import open_agent
from veracity.settings import Settings

NOW = datetime(2026, 11, 15, tzinfo=UTC)
BANK = "Was ist der Banksaldo per 31.12.2025?"
BANK_CALL = call(
    "queryTable",
    tableName="TrusteeDataAccountBalance",
    fields=["accountNumber", "periodYear", "periodMonth", "closingBalance", "currency"],
    filters=[where("periodYear", "=", 2025), where("periodMonth", "=", 0), where("accountNumber", "LIKE", "102%")],
)
BANK_TEXT = "Banksaldo: {{ sum(r1.closingBalance) }} CHF.\n{{ rows(r1.accountNumber, r1.closingBalance) }}"

Ask = Callable[..., tuple[Answer, Script]]


@pytest.fixture(scope="module")
def agents(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[bool, DataAgent]]:
    """One agent with a model, one offline."""
    settings = Settings(home=tmp_path_factory.mktemp("routes"))
    shared: dict[str, Any] = {"feature": "trustee", "clock": lambda: NOW, "settings": settings, "keep_traces": False}
    opened = {True: open_agent(ledger, model=Script("").model, **shared), False: open_agent(ledger, **shared)}
    yield opened
    for agent in opened.values():
        agent.close()


@pytest.fixture
def ask(agents: dict[bool, DataAgent]) -> Ask:
    """Asks with a scripted model, or, without turns, offline."""

    def run(question: str, *turns: Turn, **options: Any) -> tuple[Answer, Script]:
        script, agent = Script(*(turns or ("unused",))), agents[bool(turns)]
        if turns:
            assert agent.dispatch is not None
            assert agent.sibling is not None
            agent.model = agent.sibling("sql").model = agent.dispatch.texts.model = RemoteModel.of(script.model)
        return asyncio.run(agent.ask(question, **options)), script

    return run


# --- how it came about


def test_an_answer_says_how_it_came_about_and_one_without_data_says_nothing(ask: Ask) -> None:
    words, _ = ask(BANK)
    refused, _ = ask("Wie viele Sterne hat die Milchstrasse in der Buchhaltung?")
    greeted, _ = ask("Guten Tag!")
    assert [one.understood_by for one in (words, refused, greeted)] == ["reader", "reader", None]


# --- directly


@pytest.mark.parametrize(
    ("text", "rule", "word"),
    [("Hallo!", "greeting", "Hallo"), ("who are you?", "identity", "Veracity"), ("谢谢", "small_talk", "不客气")],
)
def test_offline_a_greeting_gets_a_friendly_word(ask: Ask, text: str, rule: str, word: str) -> None:
    given, _script = ask(text)
    assert given.route is not None
    assert (given.outcome, given.route.route, given.route.rule) == (Outcome.ANSWERED, "DIRECT_CHAT", rule)
    assert word in given.text
    assert (given.trace.rounds, given.trace.calls) == (0, ())


def test_with_a_model_a_greeting_is_one_call_without_tools(ask: Ask) -> None:
    given, script = ask("Hallo!", "Guten Tag! Was möchten Sie wissen?")
    assert (given.outcome, given.text, script.said) == (Outcome.ANSWERED, "Guten Tag! Was möchten Sie wissen?", 1)
    assert script.info is not None
    assert script.info.function_tools == []


def test_a_direct_answer_holds_no_figures_of_data(ask: Ask) -> None:
    given, script = ask("What is photosynthesis?", "In your data it is 6 times.", "It turns light into sugar.")
    assert (given.outcome, given.text, script.said) == (Outcome.ANSWERED, "It turns light into sugar.", 2)


def test_a_general_fact_with_digits_is_marked_wherever_the_answer_goes(ask: Ask) -> None:
    given, _script = ask("What is machine learning?", "The term was coined in 1959 by Arthur Samuel.")
    sent = json.loads(given.model_dump_json(by_alias=True))
    assert (given.outcome, sent["provenance"]) == (Outcome.ANSWERED, [])
    assert sent["text"].endswith("(General knowledge of the model, not proven from data.)")


def test_a_direct_answer_that_insists_on_figures_is_held_back(ask: Ask) -> None:
    given, _script = ask("Hallo!", "Ihr Banksaldo ist 180'500.00 CHF.")
    assert given.outcome is Outcome.BLOCKED
    assert "180" not in given.text


@pytest.mark.parametrize(
    "asked", ["/sum Der Umzug ist am Freitag, sagt Frau Keller.", "Hallo!", "Was bedeutet Inflation?"]
)
def test_hm_is_never_an_answer(asked: str, ask: Ask) -> None:
    given, _script = ask(asked, "hm")
    assert given.outcome is Outcome.BLOCKED


def test_a_greeting_that_counts_something_is_held_back(ask: Ask) -> None:
    given, _script = ask("Hallo!", "Hallo! Sie haben drei offene Rechnungen.")
    assert given.outcome is Outcome.BLOCKED
    assert "drei" not in given.text


def test_offline_what_needs_a_model_says_so(ask: Ask) -> None:
    given, _script = ask("什么是机器学习")
    assert given.outcome is Outcome.ABSTAINED
    assert "--model" in given.text


@pytest.mark.parametrize(
    ("text", "said"),
    [("计算 1+2+3", "1 + 2 + 3 = 6"), ("Was ist 17 mal 4?", "17 * 4 = 68"), ("0.1 + 0.2", "0.1 + 0.2 = 0.3")],
)
def test_arithmetic_is_computed_and_no_model_is_asked(ask: Ask, text: str, said: str) -> None:
    given, script = ask(text, "It is 7.")
    assert (given.outcome, given.text, script.said) == (Outcome.ANSWERED, said, 0)


def test_a_division_by_zero_is_no_answer(ask: Ask) -> None:
    given, _script = ask("1 / 0")
    assert given.outcome is Outcome.ABSTAINED


def test_a_translation_keeps_its_figures(ask: Ask) -> None:
    given, _script = ask("translate 'we sold 15 chairs' to German", "Wir verkauften 15 Stühle.")
    assert (given.outcome, given.text) == (Outcome.ANSWERED, "Wir verkauften 15 Stühle.")
    given, _script = ask("translate 'we sold 15 chairs' to German", "Wir verkauften 16 Stühle.")
    assert given.outcome is Outcome.BLOCKED


# --- to the data


def test_a_question_about_the_data_goes_to_the_data(ask: Ask) -> None:
    given, _script = ask(BANK)
    assert given.route is not None
    assert (given.outcome, given.route.route, given.skill) == (Outcome.ANSWERED, "REACT", None)
    assert "180'500.00" in given.text


# --- to a skill


def test_a_prefix_picks_a_skill_and_its_tools(ask: Ask) -> None:
    sql = (
        'SELECT accountNumber, periodYear, periodMonth, closingBalance, currency FROM "TrusteeDataAccountBalance" '
        "WHERE periodYear = 2025 AND periodMonth = 0 AND accountNumber LIKE '102%'"
    )
    given, _script = ask(f"/sql {BANK}", [call("execute_sql_safe", sql=sql)], [answer(BANK_TEXT)])
    assert given.route is not None
    assert (given.route.route, given.route.rule, given.skill) == ("SKILL", "prefix", "sql_analyst")
    assert (given.outcome, {log.tool for log in given.trace.calls}) == (Outcome.ANSWERED, {"execute_sql_safe"}), given
    assert "180'500.00" in given.text


def test_without_a_model_a_skill_for_sql_answers_from_the_words(ask: Ask) -> None:
    given, _script = ask(f"/sql {BANK}")
    assert (given.outcome, given.skill) == (Outcome.ANSWERED, "sql_analyst")
    assert {log.tool for log in given.trace.calls} == {"semanticQuery"}
    assert "180'500.00" in given.text


@pytest.mark.parametrize("name", ["data_analyst", "react_agent", "rewoo_agent", "goal_driven_agent", "report_writer"])
def test_skills_on_tables_answer_offline_with_proven_figures(ask: Ask, name: str) -> None:
    given, _script = ask(BANK, skill=name)
    assert (given.outcome, given.skill) == (Outcome.ANSWERED, name)
    assert "180'500.00" in given.text
    assert given.provenance
    assert given.quality is not None


def test_a_skill_is_told_its_task_and_offered_its_tools_only(ask: Ask) -> None:
    given, script = ask(f"/data {BANK}", [BANK_CALL], [answer(BANK_TEXT)])
    assert (given.outcome, given.skill) == (Outcome.ANSWERED, "data_analyst")
    assert script.info is not None
    assert "execute_sql_safe" not in {tool.name for tool in script.info.function_tools}


def test_a_skill_cannot_make_a_figure_up_either(ask: Ask) -> None:
    given, _script = ask(f"/report {BANK}", [BANK_CALL], [answer("Banksaldo: 999'999.00 CHF.")])
    assert given.outcome is not Outcome.ANSWERED
    assert "999" not in given.text


def test_an_unknown_prefix_names_the_nearest_skill(ask: Ask) -> None:
    with pytest.raises(SkillError, match=r"no skill '/sqll'; did you mean sql"):
        ask("/sqll wie viele?")


def test_a_text_skill_runs_from_a_question_too(ask: Ask) -> None:
    given, script = ask("/translate 我们卖了15把椅子 to English", "We sold 15 chairs.")
    assert (given.outcome, given.text, given.skill, script.said) == (
        Outcome.ANSWERED,
        "We sold 15 chairs.",
        "translator",
        1,
    )
