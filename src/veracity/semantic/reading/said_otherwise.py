"""Ways of asking that come to the same as plainer ones: in ascending order of age, and how much is it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from veracity.yaml_file import packaged


@cache
def _patterns(lang: str, kind: str = "plainer") -> Sequence[tuple[re.Pattern[str], str]]:
    found = _words(lang).get(kind) or ()
    # Ideographs have no capitals; to look for those of so many takes longer than all the rest.
    flags = re.NOFLAG if lang == "zh" else re.IGNORECASE
    return tuple((re.compile(pattern, flags), plain) for pattern, plain in found)


@cache
def _words(lang: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = packaged(Path(__file__).with_name("said_otherwise.yaml")).get(lang) or {}
    return found


def plainly(question: str, lang: str) -> str | None:
    """The question in plainer words; nothing where none of its words has any."""
    told = question
    for pattern, plain in _patterns(lang):
        told = pattern.sub(plain, told)
    told = _years_beside(told, lang)
    told = re.sub(r"\s+", " ", told).strip()
    return told if told != question else None


def _years_beside(question: str, lang: str) -> str:
    """How many joined in 2023 versus 2024: in each year, where the two follow each other."""
    form = _words(lang).get("years_beside")
    said = re.search(form["said"], question, re.IGNORECASE) if form else None
    if form is None or said is None or abs(int(said["one"]) - int(said["other"])) != 1:
        return question
    first, last = sorted((said["one"], said["other"]))
    asked = str(form["asks"].format(asked=said["asked"], first=first, last=last))
    return question[: said.start()] + asked + question[said.end() :]


def share_of_one(question: str, lang: str) -> str | None:
    """Which share somebody had in a figure, as the share of somebody in it; nothing where that is not asked."""
    told = next(
        (
            pattern.sub(plain, question)
            for pattern, plain in _patterns(lang, "share_of_one")
            if pattern.search(question)
        ),
        None,
    )
    return re.sub(r"\s+", " ", told).strip() if told else None


def figure_behind(question: str, lang: str) -> tuple[str, str] | None:
    """The question, and the figure that it says behind it to go by; nothing where it says none."""
    pattern = _words(lang).get("by_figure")
    said = re.search(pattern, question, re.IGNORECASE) if pattern else None
    if said is None:
        return None
    core = question[: said.start()]
    for word, plain in _patterns(lang, "by_figure_plainly"):
        core = word.sub(plain, core)
    return core, said["figure"].strip()


def without_figure_of_it(question: str, lang: str) -> str | None:
    """The question without `and how much is it` behind it; nothing where that is not said."""
    pattern = _words(lang).get("figure_of_it")
    told = re.sub(pattern, "", question, flags=re.IGNORECASE) if pattern else question
    return told if told != question else None


def of_each_one(question: str, lang: str) -> str:
    """Customers with their most recent order: that of each of them, not the one customer who has the most recent one.

    By how many kWh something changed: by how much, in kWh, not for each number of them. Which one was it? Look at 2024: the one in 2024. Where the one with most orders lives: the city of that one.
    """
    for key in ("theirs", "by_units", "look_at", "lives_in", "in_which_two"):
        pattern, plain = _words(lang).get(key) or ("(?!)", "")
        question = re.sub(pattern, plain, question, flags=re.IGNORECASE)
    return question
