"""One number grammar: what `cases/numbers.yaml` says a spelling means, it means in every part of the product."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from veracity.answer.render import echo_of
from veracity.evals.scoring.page import JudgedPage
from veracity.grounding.guard import ground
from veracity.language.folding import folded_text
from veracity.language.locale import language
from veracity.language.number_format import fitting
from veracity.language.number_words import CARDINALS, cardinals, find_words, number_said
from veracity.language.numbers import find_figures, format_number, number_in, ranges, written
from veracity.language.periods import periods_of
from veracity.language.units import quantities
from veracity.query.catalog import Catalog
from veracity.question import MentionKind, read
from veracity.question.lexicon import Lexicon
from veracity.requirements.grounded import doubts
from veracity.routing.arithmetic import Computed, compute, read_arithmetic
from veracity.sources.source import Scope

CASES: dict[str, dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "cases" / "numbers.yaml").read_text(encoding="utf-8")
)
ALL = ("de-DE", "de-CH", "en", "zh")
NOWHERE = Lexicon.of(Catalog({}, Scope()), {})
TODAY = date(2025, 6, 15)


@dataclass(frozen=True)
class Spelling:
    """A spelling and what it means."""

    kind: str
    locale: str
    text: str
    means: Any

    @property
    def lang(self) -> str:
        return language(self.locale)

    @property
    def value(self) -> Decimal:
        return Decimal(str(self.means))


def spellings(*kinds: str) -> Iterator[Spelling]:
    for kind in kinds:
        for said_in, cases in CASES[kind].items():
            for locale in ALL if said_in == "all" else (said_in,):
                for text, means in cases.items() if isinstance(cases, dict) else [(text, None) for text in cases]:
                    yield Spelling(kind, locale, text, means)


# --- the parts, each with the values that it reads in a spelling; an empty collection means that it declines to read it

FRAME = {"de": "mehr als {} Kunden", "en": "more than {} customers", "zh": "超过{}个客户"}
SUM = {"de": "was ist {} plus 0", "en": "what is {} plus 0", "zh": "计算 {}加0"}
RECENT = {"de": "letzten {} monate", "en": "last {} months", "zh": "最近{}个月"}


def in_language(one: Spelling) -> Collection[Decimal]:
    return [figure.readings[0] for figure in find_figures(one.text, one.locale) if figure.readings]


def in_question(one: Spelling) -> Collection[Decimal]:
    reading = read(FRAME[one.lang].format(one.text), NOWHERE, today=TODAY, lang=one.lang)
    return [Decimal(str(meaning.value)) for mention in reading.of(MentionKind.NUMBER) for meaning in mention.meanings]


def in_answer(one: Spelling) -> Collection[Decimal]:
    return echo_of(FRAME[one.lang].format(one.text), one.locale).numbers


def in_evaluation(one: Spelling) -> Collection[Decimal]:
    page = JudgedPage(FRAME[one.lang].format(one.text), one.locale)
    return [reading.value for figure in page.figures for reading in figure.readings]


def in_sum(one: Spelling) -> Collection[Decimal]:
    found = read_arithmetic(SUM[one.lang].format(folded_case(one.text)))
    computed = compute(found.expression) if found and found.expression else None
    return [computed.value] if isinstance(computed, Computed) else []


def folded_case(text: str) -> str:
    return text.lower().translate(str.maketrans("’＋", "'+"))


def in_file(one: Spelling) -> Collection[Decimal]:
    return {Decimal(style.plain(one.text)) for style in fitting([one.text])}


PARTS: dict[str, tuple[Callable[[Spelling], Collection[Decimal]], tuple[str, ...]]] = {
    "language": (in_language, ("money", "digits", "signs", "scales", "words", "percent")),
    "question": (in_question, ("money", "digits", "scales", "words", "percent")),
    "answer": (in_answer, ("money", "digits", "signs", "scales", "words", "percent")),
    "evaluation": (in_evaluation, ("money", "digits", "signs", "scales", "words", "percent")),
}
"""Parts that read every spelling of these kinds."""
CAREFUL_PARTS: dict[str, tuple[Callable[[Spelling], Collection[Decimal]], tuple[str, ...]]] = {
    "sum": (in_sum, ("digits", "scales", "words")),
    "file": (in_file, ("digits", "signs", "scales", "words", "percent")),
}
"""Parts that decline what may be read in two ways, or what is no number in their place."""


def tried(parts: dict[str, Any]) -> list[tuple[str, Spelling]]:
    return [(part, one) for part, (_, kinds) in parts.items() for one in spellings(*kinds)]


def test_there_are_at_least_250_spellings() -> None:
    assert sum(len(cases) for kinds in CASES.values() for cases in kinds.values()) >= 250


@pytest.mark.parametrize("part", PARTS)
def test_a_part_reads_every_spelling_as_it_is_meant(part: str) -> None:
    reader, kinds = PARTS[part]
    wrong = [(one.text, one.locale, list(reader(one))) for one in spellings(*kinds) if one.value not in reader(one)]
    assert wrong == []


@pytest.mark.parametrize("part", CAREFUL_PARTS)
def test_a_careful_part_reads_a_spelling_as_it_is_meant_or_not_at_all(part: str) -> None:
    reader, kinds = CAREFUL_PARTS[part]
    found = [(one, list(reader(one))) for one in spellings(*kinds)]
    assert [(one.text, one.locale, values) for one, values in found if values and one.value not in values] == []
    assert sum(bool(values) for _, values in found) >= 100


def test_the_first_reading_is_the_likeliest() -> None:
    wrong = [
        (one.text, one.locale)
        for one in spellings("digits", "signs", "scales", "words", "percent")
        if list(in_language(one)) != [one.value]
    ]
    assert wrong == []


def test_a_spelling_alone_is_its_number() -> None:
    for one in spellings("scales", "words"):
        assert number_in(one.text, one.locale) in (one.value, None), one
    assert [one.text for one in spellings("words") if number_in(one.text, one.locale) is None] == ["a dozen"]


def test_percentages_are_known_as_such() -> None:
    assert [one.text for one in spellings("percent") if not find_figures(one.text, one.locale)[0].percent] == []


@pytest.mark.parametrize("kind", ["ordinals", "fractions"])
def test_ordinals_and_fractions_are_read_where_they_are_wanted(kind: str) -> None:
    for one in spellings(kind):
        found = [figure for figure in find_figures(one.text, one.locale, parts=True) if figure.readings]
        assert [figure.readings[0] for figure in found] == [one.value], one


def test_ranges_are_two_numbers_that_belong_together() -> None:
    for one in spellings("ranges"):
        found = ranges(one.text, find_figures(one.text, one.locale))
        assert [[pair[0].readings[0], pair[1].readings[0]] for pair in found] == [one.means], one


def test_quantities_come_in_base_units() -> None:
    for one in spellings("units"):
        value, dimension = one.means
        (found,) = quantities(one.text, one.locale)
        assert found.unit is not None, one
        assert (found.unit.dimension, found.values[0]) == (dimension, Decimal(str(value))), one
        assert one.text[found.start : found.end] == one.text


def test_names_with_digits_are_no_numbers() -> None:
    for one in spellings("labels"):
        assert [figure.kind for figure in find_figures(one.text, one.locale)] == ["label"], one
        assert in_question(one) == [], one


def test_periods_count_as_numbers_do() -> None:
    for one in spellings("words"):
        if (
            one.value != int(one.value)
            or not 2 <= one.value <= 99
            or "dutzend" in one.text.lower()
            or "dozen" in one.text
        ):
            continue
        (found,) = periods_of(folded_text(RECENT[one.lang].format(one.text)), TODAY)
        (said,) = periods_of(folded_text(RECENT[one.lang].format(int(one.value))), TODAY)
        assert found.meanings == said.meanings, one


# --- parts that judge texts: what is meant passes, another number does not


def guarded(text: str, cell: Decimal, locale: str) -> bool:
    verdict = ground(
        {"de": "Der Saldo beträgt {}.", "en": "The balance is {}.", "zh": "余额为{}。"}[language(locale)].format(text),
        [{"id": "r1", "columns": ["balance"], "rows": [[written(cell)]]}],
        locale=locale,
    )
    return verdict.verdict == "pass"


def test_the_guard_binds_a_figure_to_the_cell_that_is_meant() -> None:
    for one in spellings("digits", "signs", "scales"):
        assert guarded(one.text, one.value, one.locale), one
        assert not guarded(one.text, one.value * 3 + 7, one.locale), one


def in_requirement(said: str, rewritten: str, lang: str) -> list[str]:
    frame = {"de": "Das System zeigt {} Einträge.", "en": "The system shows {} entries."}[lang]
    found = doubts(frame.format(said), frame.format(rewritten), lang="de" if lang == "de" else "en")
    return [doubt.what for doubt in found if doubt.kind in ("figure", "dropped")]


def test_a_rewritten_requirement_may_spell_its_number_otherwise() -> None:
    for one in spellings("digits", "scales", "words"):
        if one.lang == "zh" or one.locale == "de-CH" or not one.text.isascii():
            continue
        assert in_requirement(plainly(one.value, one.locale), one.text, one.lang) == [], one
        assert in_requirement(plainly(one.value * 3 + 7, one.locale), one.text, one.lang) != [], one


def plainly(value: Decimal, locale: str) -> str:
    return format_number(value, locale, decimals=None, grouping=False)


# --- properties


@given(st.integers(min_value=2, max_value=99))
def test_cardinals_are_what_the_words_say(number: int) -> None:
    for word in (word for word, value in CARDINALS.items() if value == number):
        lang = "en" if number_said(word, "en") == number else "de"
        assert number_said(word, lang) == number
        assert [value for _, _, value in find_words(f"top {word}", lang)] == [number]


@given(st.text(max_size=80), st.sampled_from(ALL), st.booleans())
def test_no_text_makes_the_reader_fail(text: str, locale: str, parts: bool) -> None:
    figures = find_figures(text, locale, parts=parts)
    assert all(text[figure.start : figure.end] == figure.text for figure in figures)
    assert all(one.end <= two.start for one, two in pairwise(figures))
    for found in quantities(text, locale):
        assert 0 <= found.start < found.end <= len(text)


def test_the_pattern_of_cardinals_knows_each_of_them_and_nothing_else() -> None:
    pattern = re.compile(cardinals())
    assert [word for word in CARDINALS if not pattern.fullmatch(word)] == []
    assert [
        word
        for word in ("one", "ein", "twenty ten", "elfundzwanzig", "sixties", "siebenund")
        if pattern.fullmatch(word)
    ] == []
    assert re.findall(cardinals(), "sixteen, sixty-seven, fünfunddreissig") == [
        "sixteen",
        "sixty-seven",
        "fünfunddreissig",
    ]
