"""Databases that nobody described, asked through drafts that nobody answered: verbs, spellings, codes of states, denied flags."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from case_files import read_yaml
from each_case import each
from test_confirmed_drafts import Confirmed, check_case
from test_question_forms import TODAY

CASES = Path(__file__).parent / "cases" / "reading"
FILES = (
    "first_sight.yaml", "german_first_sight.yaml", "other_language.yaml", "newcomers.yaml", "dropped_in.yaml", "rates_and_times.yaml", "broker.yaml",
)  # fmt: skip
SETS = {name: told for file in FILES for name, told in read_yaml(CASES / file).items()}
QUESTIONS = [(name, case) for name, told in SETS.items() for case in told["questions"]]


class Drafts(dict[str, Confirmed]):
    """The databases of the cases with their drafts, each made when it is first asked."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def __missing__(self, name: str) -> Confirmed:
        made = self[name] = Confirmed(name, self._place, SETS[name])
        return made


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drafts]:
    made = Drafts(tmp_path_factory.mktemp("drafted"))
    yield made
    for one in made.values():
        one.close()


@pytest.mark.long
@each(("name", "case"), QUESTIONS)
def test_question_through_a_draft_as_it_is(name: str, case: dict[str, Any], drafted: Drafts) -> None:
    check_case(drafted[name], case)


def test_a_number_that_may_add_up_is_no_group(drafted: Drafts) -> None:
    queries = drafted["gemeinde"].readers["de"].read("Wie viele Schüler pro Klasse?", today=TODAY, locale="de").queries
    assert queries
    assert all(query.show[0].ratio and not query.by for query in queries)
