"""One reading of figures: the rules, the checks of a rewrite and the vetoes of a comparison never disagree about what a number is."""

from __future__ import annotations

from decimal import Decimal

import pytest

from each_case import each
from veracity.requirements.comparing import Content
from veracity.requirements.contracts import Lang
from veracity.requirements.grounded import doubts
from veracity.requirements.quantities import Bound, measures_in, quantities_of
from veracity.requirements.vetoes import vetoes_against

SENTENCE: dict[Lang, str] = {"de": "Das Archiv muss für {} ausgelegt sein.", "en": "The archive shall be built for {}."}


def figure_doubts(original: str, rewrite: str, lang: Lang) -> list[str]:
    return [one.kind for one in doubts(original, rewrite, lang=lang) if one.kind in ("figure", "dropped", "bound")]


def number_vetoes(one: str, other: str) -> list[str]:
    return [name for name, _ in vetoes_against(Content(one), Content(other)) if name == "numbers"]


@each(
    ("one", "same", "other", "lang"),
    [
        ("twenty-five users", "25 users", "20 users", "en"),
        ("two dozen users", "24 users", "2 users", "en"),
        ("zwei Dutzend Nutzer", "24 Nutzer", "2 Nutzer", "de"),
        ("1,5 Mio. Zeilen", "1.500.000 Zeilen", "1,5 Zeilen", "de"),
        ("1.5 million lines", "1,500,000 lines", "1.5 lines", "en"),
        ("5 Gigabyte", "5000 MB", "5 Megabyte", "de"),
        ("5 gigabytes", "5 GB", "5 GiB", "en"),
        ("2000 ms", "zwei Sekunden", "20 Sekunden", "de"),
        ("2s", "2 seconds", "2 minutes", "en"),
        ("2 to 5 seconds", "2000 to 5000 ms", "2 to 6 seconds", "en"),
        ("30 fps", "30 frames per second", "25 fps", "en"),
        ("EUR 500", "500 Euro", "500 USD", "de"),
        ("dreißig Tage", "30 Tage", "13 Tage", "de"),
    ],
)
def test_all_readers_agree_on_what_a_figure_says(one: str, same: str, other: str, lang: Lang) -> None:
    text, alike, different = (SENTENCE[lang].format(said) for said in (one, same, other))
    assert all(measures_in(said, lang) for said in (text, alike, different))
    assert (figure_doubts(text, alike, lang), number_vetoes(text, alike)) == ([], [])
    assert "figure" in figure_doubts(text, different, lang)
    assert number_vetoes(text, different) == ["numbers"]


@each(
    ("said", "bound"),
    [
        ("höchstens 5 s", "most"),
        ("nicht mehr als 5 s", "most"),
        ("nicht länger als 5 s", "most"),
        ("innerhalb von 5 s", "most"),
        ("5 s oder weniger", "most"),
        ("5 s nicht überschreiten", "most"),
        ("at most 5 s", "most"),
        ("shall not be more than 5 s", "most"),
        ("must not exceed 5 s", "most"),
        ("up to 5 s", "most"),
        ("< 5 s", "most"),
        ("mindestens 5 s", "least"),
        ("nicht weniger als 5 s", "least"),
        ("5 s oder mehr", "least"),
        ("5 s nicht unterschreiten", "least"),
        ("at least 5 s", "least"),
        ("no fewer than 5 s", "least"),
        ("≥ 5 s", "least"),
        ("über 5 s", "least"),
        ("über die Leitung 5 s", None),
        ("from the archive 5 s", None),
        ("nach 5 s", None),
        ("at least 3 times in 5 s", None),
    ],
)
def test_the_side_that_a_figure_bounds(said: str, bound: Bound) -> None:
    assert quantities_of(said, "en")[-1].bound == bound


@pytest.mark.parametrize(
    ("one", "other", "lang"),
    [
        ("höchstens 5 s", "mindestens 5 s", "de"),
        ("nicht mehr als 5 s", "nicht weniger als 5 s", "de"),
        ("no more than 5 seconds", "more than 5 seconds", "en"),
        ("5 s oder weniger", "5 s oder mehr", "de"),
    ],
)
def test_a_limit_that_is_turned_round_is_found_by_both_who_compare(one: str, other: str, lang: Lang) -> None:
    text, turned = (SENTENCE[lang].format(said) for said in (one, other))
    assert figure_doubts(text, turned, lang) == ["bound"]
    assert number_vetoes(text, turned) == ["numbers"]


def test_units_are_turned_into_base_units_and_nouns_are_counted() -> None:
    [size] = quantities_of("5 Gigabyte", "de")
    assert (size.values, size.dimension) == (frozenset({Decimal(5_000_000_000)}), "data")
    [attempts] = quantities_of("five attempts", "en")
    assert (attempts.values, attempts.dimension, attempts.noun) == (frozenset({Decimal(5)}), "noun", "attempt")
    [named] = quantities_of("chapter 3", "en")
    assert named.dimension == "label"
    assert quantities_of("1. first\n2. second", "en") == ()


@pytest.mark.parametrize(
    "text", ["5.2.3.44 The driver shall call.", "see section 10.5", "OAuth 2 login", "version 2.1"]
)
def test_numbers_of_chapters_and_versions_measure_nothing(text: str) -> None:
    assert measures_in(text, "en") == ()
