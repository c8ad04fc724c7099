"""What a model says around its figures: each check refuses what is false and lets pass what is true; nothing else goes out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from each_case import each
from scripted import Script, answer, call, left_to_the_model, where
from veracity.answer import claim_words, wording
from veracity.answer.answer import Answer, Outcome
from veracity.answer.markup import markup_in, without_markup
from veracity.answer.statement import AnswerStatement
from veracity.ask import checks
from veracity.open import open_agent

CASES = Path(__file__).parent / "cases" / "wording"
CHECKS = {check.__name__: check for check in wording.CHECKS}
QUESTION = "What was the revenue of each region in 2024?"
ROWS = call("queryTable", tableName="sale", filters=[where("year", "=", 2024)])
COURSE = call("queryTable", tableName="sale", filters=[where("region", "=", "Nord"), where("year", "IN", [2023, 2024])])
FIGURES = {
    "n24": "r1[region='Nord'].revenue",
    "s24": "r1[region='Sued'].revenue",
    "y23": "r2[year=2023].revenue",
    "y24": "r2[year=2024].revenue",
    "up": "r2[year=2024].revenue - r2[year=2023].revenue",
}
NUMBER = {"semanticType": "AMOUNT", "additivity": "ADDITIVE"}
ONTOLOGY: dict[str, Any] = {
    "featureCode": "regions",
    "entities": [
        {
            "name": "sale",
            "table": "sale",
            "grain": "region, year",
            "fields": [
                {"name": "region", "semanticType": "NAME", "label": {"en": "Region"}, "synonyms": {"en": ["regions"]}, "categorical": True},
                {"name": "year", "semanticType": "PERIOD", "label": {"en": "Year"}},
                {"name": "revenue", "label": {"en": "Revenue"}, **NUMBER},
                {"name": "costs", "label": {"en": "Costs"}, **NUMBER},
            ],
        }
    ],
}  # fmt: skip

Say = Callable[[str], tuple[Answer, AnswerStatement | None]]


@pytest.fixture(scope="module")
def say(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Say]:
    """A scripted model offers a text; the answer, and the statement as the checks saw it."""
    folder = tmp_path_factory.mktemp("wording")
    with sqlite3.connect(folder / "sales.sqlite") as connection:
        connection.execute("CREATE TABLE sale (region TEXT, year INTEGER, revenue DECIMAL(10,2), costs DECIMAL(10,2))")
        rows = [("Nord", 2023, "90.50", "70"), ("Nord", 2024, "120.25", "80"), ("Sued", 2023, "60", "55"), ("Sued", 2024, "50.75", "40")]  # fmt: skip
        connection.executemany("INSERT INTO sale VALUES (?,?,?,?)", rows)
    (folder / "sales.yaml").write_text(yaml.safe_dump(ONTOLOGY), encoding="utf-8")
    script, seen = Script(""), list[AnswerStatement]()
    agent = open_agent(
        folder / "sales.sqlite",
        ontology=folder / "sales.yaml",
        model=script.model,
        tools="table",
        clock=lambda: datetime(2026, 11, 15, tzinfo=UTC),
        keep_traces=False,
    )
    left_to_the_model(agent)

    def offer(text: str) -> tuple[Answer, AnswerStatement | None]:
        for name, expression in FIGURES.items():
            text = text.replace(f"<{name}>", f"{{{{ {expression} }}}}")
        seen.clear()
        script.turns, script.said = ([ROWS, COURSE], [answer(text)]), 0
        return agent.ask_sync(QUESTION), seen[0] if seen else None

    def first_unproven(statement: AnswerStatement) -> Any:
        seen.append(statement)
        return wording.first_unproven(statement)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checks, "first_unproven", first_unproven)
        # The figures are right and cover the question; only the words are looked at here.
        patch.setattr(checks, "CHECKS", (checks.figures_are_computed, _claimed, checks.every_word_is_proven))
        yield offer
    agent.close()


def _claimed(case: checks.DraftCase) -> None:
    checks.figures_fit_the_question(case)


def test_every_check_has_its_cases() -> None:
    assert {path.stem for path in CASES.glob("*.yaml")} == set(CHECKS)
    assert set(claim_words.CHECKS) <= set(wording.CHECKS)


@each("name", sorted(CHECKS))
def test_a_check_refuses_what_is_false_and_lets_pass_what_is_true(say: Say, name: str) -> None:
    cases = yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))
    for text in cases["wrong"]:
        given, statement = say(text)
        if statement is None:  # the figures alone refuse it
            assert given.outcome is not Outcome.ANSWERED, text
            continue
        assert CHECKS[name](statement) is not None, text
    for text in cases["right"]:
        given, statement = say(text)
        assert statement is not None, text
        assert wording.first_unproven(statement) is None, (text, wording.first_unproven(statement))
        assert given.outcome is Outcome.ANSWERED


def test_where_words_are_refused_the_program_tells_the_figures_itself(say: Say) -> None:
    given, _statement = say("The profit of Nord was <n24> because of the weather.")
    assert given.outcome is Outcome.ANSWERED
    assert given.text == "Revenue, 2024:\n- Nord: 120.25\n- Sued: 50.75"
    assert {refusal.field for refusal in given.trace.refusals} == {"profit"}
    assert [figure.value for figure in given.provenance if figure.args][1::2] == ["120.25", "50.75"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_without_markup_no_markup_is_left(before: str, after: str) -> None:
    for link in (
        "![x](//host/p)",
        "<img src=//h>",
        "https:host",
        "www.evil.example",
        "[a](b)",
        "evil.com/x",
        "javascript:x",
    ):
        assert markup_in(without_markup(f"{before} {link} {after}")) is None


def test_what_a_link_is_called_stays() -> None:
    assert without_markup("See [the report](https://evil.example/x) now") == "See the report now"
    assert markup_in("1.5 Mio. CHF, 31.12.2025, z.B. 3.2") is None
