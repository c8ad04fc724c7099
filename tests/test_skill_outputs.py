"""Ten good and ten bad outputs for every shipped skill: what the gate lets pass and what it stops."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from case_files import read_yaml
from each_case import each
from veracity.agent.draft import Draft, DraftKind, read_form
from veracity.agent.loop import Run
from veracity.grounding.config import GuardConfig
from veracity.language.detect import language_of
from veracity.language.numbers import locale_of
from veracity.quality import QualityGate
from veracity.skills.config import Skill
from veracity.skills.load import SHIPPED, SkillLibrary, load_library
from veracity.skills.text_agent import TextReview

FILES = sorted((Path(__file__).parent / "cases" / "quality" / "skills").glob("*.yaml"))
_ALLOWED = 0.05


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> SkillLibrary:
    return load_library(project=tmp_path_factory.mktemp("project"))


def passes(output: Any, given: str, skill: Skill, library: SkillLibrary) -> bool:
    """Whether an output goes out: past the review of its words, and then past the gate."""

    async def judged() -> bool:
        lang = language_of(given)
        figures: Any = "spoken" if skill.tools else skill.figures or "input"
        guard = GuardConfig(whitelist=skill.quality.gaps)
        review = TextReview(given, lang, locale_of(lang), figures, guard)
        draft = Draft(DraftKind.ANSWER, output) if isinstance(output, str) else read_form(output)
        assert isinstance(draft, Draft)
        # The figures of a skill with tools are held against its results, which are not here; its words are looked at.
        found = review._made_up(draft.text) if skill.tools else await review(draft, Run([]))
        if found is not None:
            return False
        return (await QualityGate(skill.quality).validate(output, library.context(skill, given))).passed

    return asyncio.run(judged())


def cases(path: Path, kind: str) -> Iterator[tuple[dict[str, Any], str]]:
    found = read_yaml(path)
    for case in found[kind]:
        yield case, found["inputs"][case["input"]]


def test_every_shipped_skill_has_ten_good_and_ten_bad_outputs() -> None:
    assert {path.stem for path in FILES} == {path.stem for path in SHIPPED.glob("*.yaml")}
    assert {(len(list(cases(path, "good"))), len(list(cases(path, "bad")))) for path in FILES} == {(10, 10)}


@each("path", FILES)
def test_good_outputs_of_a_skill_pass_and_bad_ones_do_not(path: Path, library: SkillLibrary) -> None:
    skill = library[path.stem]
    for case, given in cases(path, "good"):
        assert passes(case["output"], given, skill, library) is ("missed" not in case), case
    for case, given in cases(path, "bad"):
        assert passes(case["output"], given, skill, library) is ("missed" in case), case


@pytest.mark.parametrize("kind", ["good", "bad"])
def test_few_are_judged_wrongly(kind: str) -> None:
    missed = ["missed" in case for path in FILES for case, _given in cases(path, kind)]
    assert sum(missed) <= _ALLOWED * len(missed)


@each(
    ("name", "groups"),
    [
        pytest.param(name, groups, id=f"{part} {name}")
        for part, skills in read_yaml(FILES[0].parents[1] / "fresh" / "outputs.yaml").items()
        for name, groups in skills.items()
    ],
)
def test_outputs_that_were_written_later_are_judged_rightly(
    name: str, groups: list[dict[str, Any]], library: SkillLibrary
) -> None:
    for group in groups:
        for kind in ("good", "bad"):
            for output in group[kind]:
                assert passes(output, group["input"], library[name], library) is (kind == "good"), output
