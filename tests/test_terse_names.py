"""Databases as public benchmarks have them, asked through drafts that nobody answered: terse names, keys and years stored as texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from case_files import read_yaml
from test_confirmed_drafts import Confirmed, check_case

SETS = read_yaml(Path(__file__).parent / "cases" / "reading" / "terse_names.yaml")
QUESTIONS = [(name, case) for name, told in SETS.items() for case in told["questions"]]


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Confirmed]]:
    place = tmp_path_factory.mktemp("terse")
    made = {name: Confirmed(name, place, told) for name, told in SETS.items()}
    yield made
    for one in made.values():
        one.close()


@pytest.mark.parametrize(("name", "case"), QUESTIONS, ids=[case["q"] for _, case in QUESTIONS])
def test_question_about_terse_names(name: str, case: dict[str, Any], drafted: dict[str, Confirmed]) -> None:
    check_case(drafted[name], case)
