"""Scores of requirements: the seed's examples, the formula, and what a project may change about them."""

from __future__ import annotations

import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from case_files import read_yaml
from each_case import each
from veracity.errors import UsageError
from veracity.requirements.contracts import (
    CRITERIA,
    PASS,
    RULE_IDS,
    Evaluation,
    Judged,
    Place,
    Requirement,
    RuleSettings,
)
from veracity.requirements.evaluate import evaluate, judge, retold
from veracity.requirements.rules import RULES
from veracity.requirements.rules.kinds import NEEDS, TOLD_BY, RequirementSort

SLOW = "Die Plattform muss schnell sein"
STORY = "Als Nutzer möchte ich Seitenladezeiten <2s (P95), damit ich effizient arbeiten kann"
FAST_WORDS = ("schnell", "einfach", "intuitiv", "robust", "modern", "stabil")


def scores(evaluation: Evaluation) -> dict[str, float]:
    return {one.criterion: one.score for one in evaluation.evaluation}


def judged(text: str, *, id: str = "R-1", **changes: Any) -> Judged:
    return judge(Requirement(id=id, text=text, place=Place(path="reqs.md")), RuleSettings.model_validate(changes))


@pytest.mark.parametrize(
    ("text", "criteria", "overall", "verdict"),
    [
        (SLOW, (0.30, 0.49, 0.45), 0.41, "fail"),
        ("Die App muss schnell sein", (0.30, 0.49, 0.45), 0.41, "fail"),
        ("System soll skalierbar sein", (0.30, 0.49, 0.45), 0.41, "fail"),
        (STORY, (0.90, 0.75, 1.00), 0.88, "pass"),
    ],
)
def test_the_examples_of_the_seed_score_as_the_facts_say(
    text: str, criteria: tuple[float, ...], overall: float, verdict: str
) -> None:
    result = evaluate(text)
    assert scores(result) == dict(zip(CRITERIA, criteria, strict=True))
    assert (result.score, result.verdict) == (overall, verdict)


SCORED = read_yaml(Path(__file__).parent / "cases" / "requirement_scores.yaml")
LACKS = {"EMPTY", "NOACTION", "NOOBJECT", "NOACTOR", "FRAGMENT", "QUALPRED", "NOMETRIC", "TBD"}


@each("text", SCORED["empty"])
def test_what_says_nothing_never_passes_and_is_told_what_it_lacks(text: str) -> None:
    result = judged(text)
    assert result.evaluation.score < PASS
    assert any(finding.rule in LACKS for finding in result.findings)
    assert all(finding.text in text for finding in result.findings)


@each("text", SCORED["good"])
def test_what_is_whole_passes_clearly(text: str) -> None:
    assert evaluate(text).score >= 0.85


KINDS = {
    "functional": ("The gateway shall reject requests without a token.", {"actor": "Shall delete the log files.", "action": "The app must work.", "object": "The system shall print."}),
    "quality": ("The search shall be fast: 2 s at most.", {"actor": "Must be fast.", "limit": "Das Gerät muss leise sein."}),
    "constraint": ("The web interface shall comply with WCAG 2.1 level AA.", {"actor": "Must comply with WCAG 2.1.", "named rule": "The software shall comply with all relevant standards."}),
    "user story": ("As a reader, I want to renew a loan online. Acceptance criteria: the due date moves by 14 days.", {"goal": "As a driver, I want the app to work.", "object": "Als Kunde möchte ich drucken.", "criteria": "As a reader, I want to renew a loan online."}),
    "title": ("Password reset", {"sentence": "Password reset"}),
    "scenario": ("Given a loan, when I renew it, then the due date moves.", {}),
}  # fmt: skip
"""Of each kind a whole one, and for each part that it needs one without it."""


@pytest.mark.parametrize("kind", NEEDS)
def test_each_kind_of_requirement_is_told_which_of_its_parts_is_missing(kind: RequirementSort) -> None:
    whole, lacking = KINDS[kind]
    assert tuple(lacking) == NEEDS[kind]
    for part in NEEDS[kind]:
        text = lacking[part]
        found = {finding.rule for finding in judged(text).findings}
        assert found & set(TOLD_BY[part]), (part, text, found)
    told = {rule for part in NEEDS[kind] for rule in TOLD_BY[part]}
    assert kind == "title" or not told & {finding.rule for finding in judged(whole).findings}


def test_the_table_of_the_documentation_is_that_of_the_code() -> None:
    page = (Path(__file__).parents[1] / "docs" / "requirements.md").read_text(encoding="utf-8")
    for kind, needed in NEEDS.items():
        assert f"| {kind} | {', '.join(needed) or 'nothing more'} |" in page


@each("text", SCORED["lacking"])
def test_what_lacks_a_part_does_not_pass(text: str) -> None:
    assert evaluate(text).score < PASS


@each("text", SCORED["whole"])
def test_what_has_all_parts_of_its_kind_passes(text: str) -> None:
    assert evaluate(text).score >= PASS


def test_the_output_is_the_seed_s_to_the_letter() -> None:
    dumped = evaluate(SLOW, ["clarity", "testability", "measurability"]).model_dump(mode="json")
    assert list(dumped) == ["score", "verdict", "evaluation"]
    assert [list(one) for one in dumped["evaluation"]] == [["criterion", "score", "passed", "feedback"]] * 3
    assert [one["criterion"] for one in dumped["evaluation"]] == list(CRITERIA)
    assert [one["passed"] for one in dumped["evaluation"]] == [False] * 3
    assert dumped["evaluation"][0]["feedback"].startswith("Schwammige Formulierung: 'schnell' ist nicht messbar")
    assert dumped["evaluation"][1]["feedback"].startswith("Keine Akzeptanzkriterien")
    assert dumped["evaluation"][2]["feedback"].startswith("Fehlende Metriken")


def test_feedback_is_in_the_language_of_the_requirement() -> None:
    english = evaluate("The platform must be fast")
    assert [one.feedback.split(":")[0] for one in english.evaluation] == [
        "Vague wording",
        "No acceptance criteria",
        "Missing metrics",
    ]
    assert evaluate("Das System muss die Rechnung drucken.").evaluation[0].feedback == "Keine Beanstandung"
    assert evaluate("The system shall print the invoice.").evaluation[0].feedback == "Nothing to object to"
    assert evaluate("Login per SSO", lang="de").evaluation[0].feedback.startswith("Nur ein Titel")


def test_only_the_criteria_asked_for_count() -> None:
    only = evaluate(SLOW, ["measurability"])
    assert [one.criterion for one in only.evaluation] == ["measurability"]
    assert only.score == 0.45
    two = evaluate(SLOW, ["testability", "clarity", "testability"])
    assert [one.criterion for one in two.evaluation] == ["testability", "clarity"]
    assert two.score == pytest.approx((0.49 + 0.30) / 2, abs=0.006)
    assert evaluate(SLOW, []) == evaluate(SLOW, None) == evaluate(SLOW)


def test_a_criterion_that_there_is_not_is_told() -> None:
    with pytest.raises(UsageError, match=r"no criterion 'beauty'; there are clarity, testability, measurability"):
        evaluate(SLOW, ["clarity", "beauty"])


def test_nothing_at_all_scores_nothing() -> None:
    for text in ("", "  \n", "-- 1. --"):
        assert evaluate(text).score == 0.0
        assert evaluate(text).verdict == "fail"


@given(
    weight=st.floats(0, 1).map(lambda value: round(value, 3)),
    count=st.integers(1, len(FAST_WORDS)),
)
@settings(max_examples=30, deadline=None)
def test_every_further_place_of_a_rule_counts_half(weight: float, count: int) -> None:
    text = f"Das System muss {' und '.join(FAST_WORDS[:count])} sein."
    others = {rule: False for rule in RULE_IDS if rule != "VAGUE"}
    result = evaluate(
        text,
        ["clarity"],
        settings=RuleSettings.model_validate({"rules": others | {"VAGUE": {"weights": {"clarity": weight}}}}),
    )
    expected = 1.0
    for place in range(count):
        expected *= 1 - weight / 2**place
    assert result.score == pytest.approx(expected, abs=0.0051)


@given(st.permutations(["schnell laden", "mehrere Listen sortieren", "robust arbeiten", "relevante Felder zeigen"]))
@settings(max_examples=24, deadline=None)
def test_the_order_of_the_places_does_not_matter(parts: list[str]) -> None:
    off = {"rules": {"MULTI": False}}
    first = evaluate(
        "Das System muss schnell laden, mehrere Listen sortieren, robust arbeiten, relevante Felder zeigen.",
        settings=RuleSettings.model_validate(off),
    )
    other = evaluate(f"Das System muss {', '.join(parts)}.", settings=RuleSettings.model_validate(off))
    assert scores(other) == scores(first)


@given(
    st.lists(
        st.sampled_from(["Sie muss gut sein.", "Die Liste ist TBD.", "Das gilt ggf. immer.", "Er druckt A usw."]),
        max_size=6,
    )
)
@settings(max_examples=40, deadline=None)
def test_more_to_find_never_raises_a_score(more: list[str]) -> None:
    before = evaluate(SLOW + ".", lang="de")
    after = evaluate(" ".join([SLOW + ".", *more]), lang="de")
    for criterion, score in scores(after).items():
        assert score <= scores(before)[criterion]


def test_a_word_that_context_may_excuse_counts_a_third() -> None:
    result = evaluate("Das System muss mehrere Sprachen anzeigen.")
    assert scores(result) == {"clarity": 0.8, "testability": 0.9, "measurability": 1.0}


def test_the_score_shown_is_the_mean_of_the_scores_shown() -> None:
    for text in (SLOW, STORY, "Login", "The system should be better, etc.", "TBD"):
        result = evaluate(text)
        assert result.score == round(sum(scores(result).values()) / 3, 2)
        assert (result.verdict == "pass") == (result.score >= 0.7)


@pytest.mark.parametrize(
    ("limit", "verdict", "passed"), [(0.88, "pass", True), (0.89, "fail", True), (0.91, "fail", False)]
)
def test_where_passing_begins_is_up_to_the_project(limit: float, verdict: str, passed: bool) -> None:
    result = evaluate(STORY, settings=RuleSettings(fail_under=limit))
    assert result.verdict == verdict
    assert result.evaluation[0].passed is passed


def test_rules_can_be_switched_off_weighed_and_ranked() -> None:
    changes = {"NOMETRIC": False, "VAGUE": {"weights": {"clarity": 0.1}, "severity": "error"}}
    result = judged(SLOW, rules=changes)
    assert [finding.rule for finding in result.findings] == ["VAGUE", "QUALPRED"]
    assert result.findings[0].severity == "error"
    assert scores(result.evaluation) == {"clarity": 0.68, "testability": 0.7, "measurability": 1.0}
    assert judged(SLOW, rules=dict.fromkeys(RULE_IDS, False)).evaluation.score == 1.0


def test_what_is_accepted_moves_no_score() -> None:
    rules = [
        {"rule": rule, "ids": ["LEGACY-*"], "reason": "agreed in 2019"} for rule in ("VAGUE", "QUALPRED", "NOMETRIC")
    ]
    assert judged(SLOW, id="LEGACY-7", suppressions=rules).evaluation.score == 1.0
    assert judged(SLOW, id="LEGACY-7", suppressions=rules).findings == ()
    assert judged(SLOW, id="NEW-7", suppressions=rules).evaluation.score == 0.41


def test_an_inline_suppression_holds_for_its_requirement_and_its_rules() -> None:
    assert judged(f"{SLOW}. <!-- veracity: ignore VAGUE, qualpred, NOMETRIC: agreed -->").evaluation.score == 1.0
    assert judged(f"{SLOW}. <!-- veracity: ignore -->").findings == ()
    one = judged(f"{SLOW} (veracity: ignore VAGUE)")
    assert [finding.rule for finding in one.findings] == ["QUALPRED", "NOMETRIC"]
    assert judged(f"{SLOW}. veracity: ignore NOSUCH").evaluation.score == 0.41


@pytest.mark.parametrize(
    ("text", "kind", "lang"),
    [
        (SLOW, "text", "de"),
        (STORY, "user_story", "de"),
        ("As a clerk, I want to print lists.", "user_story", "en"),
        ("Sobald die Tür offen ist, muss der Aufzug halten.", "ears", "de"),
        ("While the door is open, the lift shall stand still.", "ears", "en"),
        ("Given an open door\nWhen I call the lift\nThen it stays", "gherkin", "en"),
        ("Szenario: Tür offen", "gherkin", "de"),
        ("Aufzug anhalten", "title", "de"),
    ],
)
def test_how_a_requirement_is_written_and_in_which_language(text: str, kind: str, lang: str) -> None:
    requirement = judged(text).requirement
    assert (requirement.kind, requirement.lang) == (kind, lang)


def test_a_document_may_say_that_a_text_is_a_scenario() -> None:
    scenario = Requirement(id="S-1", text="Listen sortieren", place=Place(path="a.feature"), kind="gherkin")
    assert judge(scenario).findings == ()


def test_findings_come_in_the_order_of_the_text_with_all_that_helps() -> None:
    result = judged("Das System sollte ggf. schnell antworten.")
    assert [finding.rule for finding in result.findings] == ["WEAKMODAL", "ESCAPE", "VAGUE", "NOMETRIC"]
    for finding in result.findings:
        assert finding.source == "rule"
        assert not finding.disputed
        assert finding.suggestion
        assert finding.text in finding.message


def test_a_thousand_requirements_take_less_than_a_second_of_one_core() -> None:
    texts = (
        SLOW,
        STORY,
        "The system shall notify the customer by e-mail within 5 minutes after the payment was received.",
        "Falls die Verbindung zum Server unterbrochen ist, muss die App die Eingaben lokal speichern und später senden.",
        "Reports müssen ggf. als PDF, CSV usw. exportiert werden können, damit sie schnell weitergegeben werden.",
        "Users should be able to easily find products, e.g. by name and/or category, in a reasonable time.",
    )
    requirements = [
        Requirement(id=str(number), text=text, place=Place(path="reqs.md", line=number))
        for number, text in enumerate(islice(cycle(texts), 1_000))
    ]
    judge(requirements[0])
    started = time.process_time()
    for requirement in requirements:
        judge(requirement)
    assert time.process_time() - started < 10


def test_weights_are_those_of_the_facts() -> None:
    weights = {rule.id: tuple(rule.info.weights.model_dump().values()) for rule in RULES}
    assert weights == {
        "EMPTY": (1.0, 1.0, 1.0),
        "NOACTION": (0.5, 0.5, 0.3),
        "NOOBJECT": (0.35, 0.4, 0.25),
        "NOACTOR": (0.55, 0.4, 0.0),
        "VAGUE": (0.6, 0.3, 0.0),
        "BENEFITVAGUE": (0.1, 0.0, 0.0),
        "ESCAPE": (0.4, 0.4, 0.1),
        "OPEN": (0.35, 0.4, 0.1),
        "TBD": (0.6, 0.7, 0.7),
        "QUALPRED": (0.25, 0.3, 0.0),
        "NOMETRIC": (0.0, 0.0, 0.55),
        "WEAKMODAL": (0.2, 0.15, 0.0),
        "NOMODAL": (0.2, 0.15, 0.0),
        "MULTI": (0.2, 0.25, 0.0),
        "PASSIVE": (0.15, 0.1, 0.0),
        "COMP": (0.25, 0.25, 0.3),
        "SUP": (0.15, 0.2, 0.2),
        "NOAC": (0.0, 0.25, 0.0),
        "FRAGMENT": (0.5, 0.5, 0.2),
        "LONG": (0.15, 0.1, 0.0),
        "NEG": (0.0, 0.0, 0.0),
        "ABS": (0.0, 0.0, 0.0),
        "PRON": (0.0, 0.0, 0.0),
        "WEAKVERB": (0.0, 0.0, 0.0),
    }


def test_reasons_are_told_in_another_language_than_that_of_the_requirement_with_the_same_scores() -> None:
    text = "The app shall be fast."
    own = evaluate(text, lang="en")
    german = retold(own, text, "en", "de")
    assert [one.score for one in german.evaluation] == [one.score for one in own.evaluation]
    assert "nicht messbar" in german.evaluation[0].feedback
    assert "measurable" not in german.evaluation[0].feedback
    added = own.evaluation[0].model_copy(update={"feedback": f"{own.evaluation[0].feedback}; 'fast': said by a model"})
    told = retold(own.model_copy(update={"evaluation": (added, *own.evaluation[1:])}), text, "en", "de")
    assert told.evaluation[0].feedback.endswith("; 'fast': said by a model")
    assert retold(own, text, "en", "en") == own
