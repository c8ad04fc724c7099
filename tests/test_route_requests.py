"""The router over hundreds of labelled requests: none that needs data is answered directly, few others are not."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import veracity.evals
from case_files import read_yaml
from veracity.features import get_feature
from veracity.routing import Route, Router, ontology_words

CASES = Path(__file__).parent / "cases" / "routing" / "requests.yaml"
QUESTIONS = Path(veracity.evals.__file__).parent / "questions"
LANGUAGES = ("de", "en", "zh")


@cache
def labelled() -> list[dict[str, Any]]:
    read = read_yaml(CASES)
    return [one for part in read.values() for one in part]


@cache
def router(name: str) -> Router:
    ontology = get_feature("trustee").ontology
    assert ontology is not None
    return Router(data_words=ontology_words(ontology()) if name == "trustee" else ())


def test_the_list_is_long_and_of_three_languages() -> None:
    counts = Counter(one["lang"] for one in labelled())
    assert sum(counts.values()) >= 300
    assert all(counts[lang] >= 90 for lang in LANGUAGES)
    assert len({one["text"] for one in labelled()}) >= len(labelled()) - 3  # 3-5 and a date are of every language


@pytest.mark.parametrize("words", ["none", "trustee"])
def test_no_request_that_needs_data_is_answered_directly(words: str) -> None:
    needing = [one["text"] for one in labelled() if one["route"] == "REACT"]
    assert len(needing) >= 150
    assert [text for text in needing if router(words).decide(text).route is not Route.REACT] == []


@pytest.mark.parametrize("words", ["none", "trustee"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_nine_of_ten_plain_requests_are_answered_directly(words: str, lang: str) -> None:
    plain = [one["text"] for one in labelled() if one["route"] == "DIRECT_CHAT" and one["lang"] == lang]
    missed = [text for text in plain if router(words).decide(text).route is not Route.DIRECT_CHAT]
    assert len(missed) <= len(plain) / 10, missed


def test_requests_go_by_the_rule_they_are_labelled_with() -> None:
    decided = [(one, router("none").decide(one["text"])) for one in labelled() if "rule" in one]
    wrong = [
        (one["text"], decision.rule)
        for one, decision in decided
        if decision.route is Route.DIRECT_CHAT and decision.rule != one["rule"]
    ]
    assert wrong == []


@pytest.mark.parametrize("words", ["none", "trustee"])
@pytest.mark.parametrize("path", sorted(QUESTIONS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_gold_question_goes_to_react(path: Path, words: str) -> None:
    found = read_yaml(path)
    asked = [case["question"] for case in (found["questions"] if isinstance(found, dict) else found)]
    assert asked
    assert [question for question in asked if router(words).decide(question).route is not Route.REACT] == []


def test_the_words_that_decide_stand_in_the_request() -> None:
    for one in labelled():
        for word in router("trustee").decide(one["text"]).words:
            assert word in one["text"]
