"""A model says what is meant: what the words bear out is answered, the rest is asked back or declined."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repair_workshop import Desk, asked, filled, opened, shown, workshop
from scripted import Script
from veracity import open_agent
from veracity.agent.loop import Limits
from veracity.answer.answer import Answer
from veracity.semantic.short_form import NamedPart, short_schema
from veracity.settings import Settings


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One agent whose model says what a test lets it say."""
    found = opened(tmp_path_factory.mktemp("workshop"))
    yield found
    found[0].close()


MONEY = filled(words=[{"word": "earnings", "means": "revenue"}], show=[shown("revenue")])


def test_a_clear_question_needs_no_model(desk: Desk) -> None:
    answer = asked(desk, "How many customers are there?", "never asked")
    assert (answer.outcome, desk[1].said) == ("answered", 0)
    assert "5" in answer.text


def test_an_unknown_word_that_a_model_explains_is_asked_back_and_can_be_remembered(
    desk: Desk,
) -> None:
    answer = asked(desk, "earnings in 2025", MONEY)
    assert answer.outcome == "clarify"
    assert [one.text for one in answer.readings] == ["“earnings” means revenue: Revenue, 2025"]
    assert answer.readings[0].teaches is not None
    assert (answer.readings[0].teaches.word, answer.readings[0].teaches.means) == ("earnings", "revenue")


def test_an_assumption_is_told_where_it_may_be_taken(desk: Desk) -> None:
    answer = asked(desk, "earnings in 2025", MONEY, assume=True)
    assert answer.outcome == "answered"
    assert "270" in answer.text
    assert (answer.read_back or "").startswith("Assumed: “earnings” means revenue.")
    assert [(one.word, one.means) for one in answer.assumptions] == [("earnings", "revenue")]


def test_a_far_fetched_assumption_is_asked_back_even_where_assumptions_are_welcome(
    desk: Desk,
) -> None:
    lie = filled(words=[{"word": "giraffes", "means": "Repair"}], show=[shown("Repair", "count")])
    answer = asked(desk, "how many giraffes", lie, assume=True)
    assert answer.outcome == "clarify"


def test_a_word_that_is_as_like_something_else_is_asked_back_even_where_assumptions_are_welcome(desk: Desk) -> None:
    guess = filled(words={"cash": "Repair.price"}, show=[shown("Repair.price", "avg")])
    answer = asked(desk, "average cash in 2025", guess, assume=True)
    assert answer.outcome != "answered", answer.text


def test_words_that_stand_apart_are_not_given_one_meaning_together(desk: Desk) -> None:
    """Giraffes and igloos: to ask whether both together mean revenue helps nobody."""
    answer = asked(desk, "giraffes in 2025 of igloos", filled(show=[shown("revenue")], period="2025"))
    assert answer.outcome == "abstained", answer.text
    assert "giraffes, igloos" in answer.text


def test_an_unknown_word_may_stand_for_a_stored_value(desk: Desk) -> None:
    said = filled(words={"spokes": "Repair.kind = wheel"}, show=[shown("Repair", "count")])
    answer = asked(desk, "how many spokes repairs", said, assume=True)
    assert answer.outcome == "clarify", "a stored value is never taken without a question"
    assert "wheel" in answer.readings[0].text


def other_words(desk: Desk, question: str, words: Any, *, assume: bool = False) -> Answer:
    """What a question comes to where a model says these words for the unknown ones, and no query."""
    desk[1].other_words = words
    try:
        return asked(desk, question, "no idea", assume=assume)
    finally:
        desk[1].other_words = {}


def test_another_word_of_a_model_is_asked_back_and_can_be_remembered(desk: Desk) -> None:
    answer = other_words(desk, "earnings in 2025", {"earnings": ["income", "revenue", "sales"]})
    assert (answer.outcome, desk[1].said) == ("clarify", 0)
    assert [one.text for one in answer.readings] == ["“earnings” means revenue: Revenue, 2025"]
    assert answer.readings[0].teaches is not None


def test_another_word_is_taken_where_vectors_find_the_same_and_assumptions_are_welcome(desk: Desk) -> None:
    answer = other_words(desk, "earnings in 2025", {"earnings": ["income", "revenue", "sales"]}, assume=True)
    assert (answer.outcome, answer.understood_by) == ("answered", "model")
    assert (answer.read_back or "").startswith("Assumed: “earnings” means revenue.")
    assert "270" in answer.text


def test_another_word_may_be_a_kind_that_is_stored(desk: Desk) -> None:
    answer = other_words(desk, "how many repairs of rims", {"rims": ["wheels", "tyres", "hubs"]})
    assert answer.outcome == "clarify"
    assert "“rims” means wheel" in answer.readings[0].text


@pytest.mark.parametrize(
    "words",
    [
        {"giraffes": ["customers", "revenue", "repairs"]},
        {"giraffes": ["giraffes", "giraffes", "giraffes"]},
        {"giraffes": "customers"},
        {"giraffes": [None, 7, {"a": "b"}, "x" * 1000]},
        {"igloos": ["customers"]},
        ["customers"],
        "customers",
        None,
    ],
)
def test_a_model_that_lies_about_words_has_nothing_answered(desk: Desk, words: Any) -> None:
    answer = other_words(desk, "how many giraffes in 2025", words, assume=True)
    assert answer.outcome in ("clarify", "abstained"), answer.text


def test_english_words_are_taken_for_those_of_another_language(desk: Desk) -> None:
    words = {"Felgen": ["Pneus", "Reifen", "Naben"], "Felgen (English)": ["rims", "wheels", "hubs"]}
    answer = other_words(desk, "Wie viele Reparaturen von Felgen gab es?", words)
    assert [one.text for one in answer.readings] == ["«Felgen» heisst wheel: Anzahl Reparatur, Art «wheel»"]


def test_unknown_words_that_stand_apart_may_each_have_another_word(desk: Desk) -> None:
    words = {"earnings": ["revenue", "income"], "rims": ["wheels", "hubs"]}
    answer = other_words(desk, "earnings in 2025 from rims", words, assume=True)
    assert (answer.outcome, answer.text) == ("answered", "Revenue, kind “wheel”, 2025: 120 CHF.")
    assert [(one.word, one.means) for one in answer.assumptions] == [("earnings", "revenue"), ("rims", "wheel")]


def test_what_comes_to_two_meanings_by_other_words_is_asked_back(desk: Desk) -> None:
    answer = other_words(desk, "earnings in 2025", {"earnings": ["revenue", "hours"]}, assume=True)
    assert (answer.outcome, [one.text for one in answer.readings]) == (
        "clarify",
        ["“earnings” means revenue: Revenue, 2025"],
    )


def test_another_word_that_vectors_do_not_bear_out_is_not_even_asked_back(desk: Desk) -> None:
    answer = other_words(desk, "earnings in 2025 from rims", {"earnings": ["hours"], "rims": ["frames"]}, assume=True)
    assert (answer.outcome, answer.readings) == ("abstained", ())


def test_a_word_of_the_question_itself_is_no_other_word(desk: Desk) -> None:
    answer = other_words(desk, "how many repairs are zorbed", {"zorbed": ["repairs", "repairs", "repairs"]})
    assert answer.outcome != "answered", answer.text
    assert not any("means repairs" in one.text for one in answer.readings)


def test_each_unknown_word_must_get_a_meaning() -> None:
    part = NamedPart(("Customer",), ("Customer.city",), ("revenue",), (), ("Customer.city = Bern",))
    words = short_schema(part, ["earnings", "burg"])["properties"]["words"]
    assert words["required"] == ["earnings", "burg"]
    meaning = short_schema(part, ["burg"])["$defs"]["Meaning"]
    assert {"Customer.city = Bern", "saysNothing", "notInData"} <= set(meaning["anyOf"][-1]["enum"])
    assert "words" not in short_schema(part)["properties"]


def test_what_the_data_does_not_hold_is_declined(desk: Desk) -> None:
    none = filled(words=[{"word": "giraffes", "means": "notInData"}], show=[shown("Repair", "count")])
    answer = asked(desk, "how many giraffes in 2025", none)
    assert answer.outcome == "abstained"
    assert "giraffes" in answer.text
    assert "--model" not in answer.text


def test_a_refused_query_is_repaired_with_the_nearest_name(desk: Desk) -> None:
    wrong = filled(words=[{"word": "earnings", "means": "Repair.revenues"}], show=[shown("Repair.revenues")])
    answer = asked(desk, "earnings in 2025", wrong, MONEY)
    assert (answer.outcome, desk[1].said) == ("clarify", 2)
    assert desk[1].told[0]["errorDetails"]["suggestion"] == "revenue"
    assert [one.success for one in answer.trace.calls] == [False, True]


def test_a_year_that_nobody_said_is_asked_about(desk: Desk) -> None:
    guessed = filled(show=[shown("revenue")], by=[{"name": "Customer", "grain": None}], period="2026-01")
    answer = asked(desk, "revenue by customer beside January", guessed, assume=True)
    assert answer.outcome in ("clarify", "abstained")


def test_what_words_say_is_answered_though_only_the_model_could_join_it(desk: Desk) -> None:
    none = filled(
        show=[shown("Customer", "count")], where=[{"name": "Repair", "op": "hasNo", "values": [], "compute": None}]
    )
    answer = asked(desk, "how many, without repairs, customers", none)
    assert (answer.outcome, answer.understood_by) == ("answered", "model")
    assert answer.text.endswith(": 2.")


def test_a_model_that_takes_longer_than_a_question_may_is_not_waited_for(tmp_path: Path) -> None:
    class Slow(Script):
        async def __call__(self, *_arguments: Any) -> Any:
            await asyncio.sleep(30)

    source, ontology = workshop(tmp_path)
    agent = open_agent(
        source, ontology=ontology, model=Slow("").model, limits=Limits(seconds=0.2), keep_traces=False,
        settings=Settings(home=tmp_path),
    )  # fmt: skip
    answer = agent.ask_sync("How many gizmos did we ship to Mars in 2025?")
    agent.close()
    assert answer.outcome == "abstained"
    assert answer.text.endswith("The language model had not finished after 0.2 seconds.")
    assert answer.trace.seconds < 10


def test_a_model_that_repeats_itself_is_not_told_a_third_time(desk: Desk) -> None:
    wrong = filled(show=[shown("Repair.nothing")])
    answer = asked(desk, "earnings in 2025", wrong)
    assert (answer.outcome == "answered", desk[1].said) == (False, 2)
