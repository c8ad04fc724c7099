"""Duplicates: near pairs are found and ranked with a reason, and no similarity outweighs what speaks against a pair."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from case_files import read_yaml
from each_case import each
from veracity.language.embed import UniversalEmbedder
from veracity.language.number_words import words_in
from veracity.requirements.comparing import Content, common_words
from veracity.requirements.duplicates import LOOK, detect_duplicates, duplicates_of
from veracity.requirements.vetoes import VETOES, vetoes_against

CASES = Path(__file__).parent / "cases"
PAIRS = ("pairs", "pairs_later")
MODEL = UniversalEmbedder()
"""The real model; one for all tests, so that no text is embedded twice."""


class WordEmbedder:
    """Vectors from words alone: quick, and near for texts that share words."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        made = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in {*text.casefold().split(), "§"} - common_words():
                seed = int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=4).digest(), "big")
                made[row] += np.random.default_rng(seed).standard_normal(64)
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


def veto_cases() -> list[Any]:
    return [
        pytest.param(veto, one, id=f"{veto.__name__}: {one['why']}")
        for veto in VETOES
        for one in read_yaml(CASES / "requirement_vetoes" / f"{veto.__name__}.yaml")
    ]


def labelled(*kinds: str) -> list[tuple[str, str]]:
    files = [read_yaml(CASES.with_name("cases_pairs") / f"{name}.yaml") for name in PAIRS]
    return [(one, other) for file in files for kind in kinds for one, other in file.get(kind, ())]


# --- vetoes


@each(("veto", "case"), veto_cases())
def test_a_veto_holds_exactly_where_it_should_and_in_both_directions(veto: Any, case: dict[str, Any]) -> None:
    one, other = Content(case["a"]), Content(case["b"])
    assert (veto(one, other) is not None, veto(other, one) is not None) == (case["vetoed"], case["vetoed"])


@each("pair", labelled("same", "other"))
def test_nothing_speaks_against_pairs_that_only_similarity_can_tell_apart(pair: tuple[str, str]) -> None:
    assert vetoes_against(*map(Content, pair)) == ()


@each("pair", labelled("vetoed"))
def test_something_speaks_against_pairs_that_differ_in_what_counts(pair: tuple[str, str]) -> None:
    assert vetoes_against(*map(Content, pair)) != ()


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200))
def test_nothing_speaks_against_a_text_and_itself(text: str) -> None:
    assert vetoes_against(Content(text), Content(text)) == ()


WORDS = st.lists(
    st.sampled_from(
        words_in(
            "The Der user Nutzer shall muss not nicht never ohne send senden to from von 2 s 2000 ms 99,9 % PDF CSV „ “ ' , . by before before"
            " enable disable Als möchte ich admin no. than more <3s REQ-1: 10.000 zwei"
        )
    ),
    max_size=25,
).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(WORDS, WORDS)
def test_what_differs_does_not_depend_on_the_order_of_the_two(one: str, other: str) -> None:
    here, there = vetoes_against(Content(one), Content(other)), vetoes_against(Content(other), Content(one))
    assert {name for name, _ in here} == {name for name, _ in there}


@settings(max_examples=60, deadline=None)
@given(st.integers(min_value=2, max_value=10**6), st.integers(min_value=2, max_value=10**6))
def test_seconds_are_the_same_figure_as_milliseconds_and_any_other_number_is_not(one: int, other: int) -> None:
    first, second = Content(f"Antwort in {one} Sekunden"), Content(f"Antwort in {other * 1000} ms")
    assert (vetoes_against(first, second) == ()) == (one == other)


@each(
    "piece", ["nicht ", "not more ", "a1-", '"', "REQ-1: ", "von ", "no. ", "1.", "Als ", "„", "2s ", "(", "- ", "\x00"]
)
def test_reading_takes_time_in_proportion_to_the_text_and_not_more(piece: str) -> None:
    started = process_time()
    one = Content(piece * (60_000 // len(piece)))
    vetoes_against(one, Content("The user shall send 2 reports."))
    assert process_time() - started < 20


# --- pairs


def test_the_pair_of_the_seed_is_found_with_what_both_describe() -> None:
    [pair] = detect_duplicates(
        ["Video-Wasserzeichen für Urheberrecht", "Wasserzeichen in Videos einfügen"], embedder=MODEL
    )
    assert (pair.req1_idx, pair.req2_idx, pair.band, pair.vetoes) == (0, 1, "look", ())
    assert pair.similarity > LOOK
    assert pair.reason == "Beide beschreiben: Video, Wasserzeichen."


def test_two_like_requirements_in_a_document_are_found_among_the_others() -> None:
    texts = [
        "Der Nutzer muss sein Passwort zurücksetzen können.",
        "Das System muss Rechnungen drucken.",
        "Anwender müssen ihr Kennwort zurücksetzen können.",
    ]
    assert [(pair.req1_idx, pair.req2_idx) for pair in detect_duplicates(texts, embedder=MODEL)] == [(0, 2)]


def test_the_same_requirement_in_german_and_english_is_the_same() -> None:
    texts = ["Das System muss Berichte als PDF exportieren.", "The system shall export reports as PDF."]
    [pair] = detect_duplicates(texts, embedder=MODEL)
    assert (pair.band, pair.reason) == ("same", "Beide bedeuten Ähnliches, in zwei Sprachen.")


@pytest.mark.parametrize(
    ("one", "other", "veto", "said"),
    [
        ("The page shall load in 2 s.", "The page shall load in 20 s.", "numbers", "But the figures differ: 2 s / 20 s."),
        ("Passwörter müssen gespeichert werden.", "Passwörter dürfen nicht gespeichert werden.", "negation", "Aber eine verneint, was die andere fordert."),
        ("The client shall authenticate the server.", "The server shall authenticate the client.", "swapped_roles", "But the roles are swapped"),
        ("Users shall enable alerts.", "Users shall disable alerts.", "opposites", "But they demand opposites: enable / disable."),
        ("Export all reports as PDF.", "Export all reports as CSV.", "names", "But they name different things: pdf / csv."),
        ("As an editor, I want to publish articles.", "As a reader, I want to publish articles.", "actors", "But somebody else acts: editor / reader."),
    ],
)  # fmt: skip
def test_a_vetoed_pair_is_never_the_same_however_similar_and_says_why(
    one: str, other: str, veto: str, said: str
) -> None:
    [pair] = detect_duplicates([one, other], embedder=MODEL, same=0.5)
    assert (pair.band, pair.vetoes) == ("look", (veto,))
    assert said in pair.reason


def test_vetoed_pairs_come_after_all_others_and_the_most_similar_comes_first() -> None:
    texts = [
        "The page shall load in 2 s.",
        "The page shall load in 20 s.",
        "The page shall load in 2 s!",
        "A page shall be loaded in 2 s.",
    ]
    pairs = detect_duplicates(texts, embedder=MODEL, look=0.4)
    assert [bool(pair.vetoes) for pair in pairs] == [False, False, False, True, True, True]
    for part in (pairs[:3], pairs[3:]):
        assert [pair.similarity for pair in part] == sorted((pair.similarity for pair in part), reverse=True)


def test_a_figure_that_only_one_states_is_no_veto_and_not_the_same() -> None:
    texts = ["The page shall load completely in 2 s.", "The page shall load completely."]
    [pair] = detect_duplicates(texts, embedder=MODEL, same=0.5)
    assert (pair.band, pair.vetoes) == ("look", ())
    assert pair.reason.endswith("Only one of them states: 2 s.")


def test_equal_texts_are_the_same_and_every_pair_of_them_is_told() -> None:
    pairs = detect_duplicates(["The user shall log in."] * 3, embedder=WordEmbedder())
    assert [(pair.req1_idx, pair.req2_idx, pair.similarity, pair.band) for pair in pairs] == [
        (0, 1, 1.0, "same"), (0, 2, 1.0, "same"), (1, 2, 1.0, "same"),
    ]  # fmt: skip
    assert pairs[0].reason == "Both are worded the same."


@pytest.mark.parametrize("texts", [[], [""], ["Only one."], ["", " ", "???", "…"], ["One.", ""]])
def test_where_there_are_no_two_texts_there_are_no_pairs(texts: list[str]) -> None:
    assert detect_duplicates(texts, embedder=WordEmbedder()) == []


def test_places_are_those_of_the_list_that_was_given() -> None:
    pairs = detect_duplicates(["", "The user shall log in.", "???", "The user shall log in."], embedder=WordEmbedder())
    assert [(pair.req1_idx, pair.req2_idx) for pair in pairs] == [(1, 3)]


def test_new_requirements_are_compared_with_known_ones_and_not_among_each_other() -> None:
    new = ["The user shall log in.", "The user shall log in."]
    known = ["Invoices are printed.", "", "The user shall log in."]
    pairs = duplicates_of(new, known, embedder=WordEmbedder())
    assert [(pair.req1_idx, pair.req2_idx) for pair in pairs] == [(0, 2), (1, 2)]
    assert duplicates_of(new, [], embedder=WordEmbedder()) == duplicates_of([], known, embedder=WordEmbedder()) == []


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=60), max_size=8))
def test_any_texts_give_pairs_in_order_and_within_bounds(texts: list[str]) -> None:
    pairs = detect_duplicates(texts, embedder=WordEmbedder())
    assert all(0 <= pair.req1_idx < pair.req2_idx < len(texts) and LOOK <= pair.similarity <= 1 for pair in pairs)
    assert len({(pair.req1_idx, pair.req2_idx) for pair in pairs}) == len(pairs)
    assert all(pair.band == "look" for pair in pairs if pair.vetoes)


def test_a_broken_character_is_compared_like_any_other() -> None:
    assert (
        len(detect_duplicates(["The user \ud800 logs in.", "The user \ud800 logs in."], embedder=WordEmbedder())) == 1
    )


def test_more_requirements_than_a_block_of_rows_are_all_compared() -> None:
    texts = [f"Requirement about {word}{number}" for number in range(700) for word in ("alpha", "beta")]
    texts[5], texts[1_390] = "The pump shall stop.", "The pump  shall stop."
    best = detect_duplicates(texts, embedder=WordEmbedder(), look=0.95)
    assert (5, 1_390) in {(pair.req1_idx, pair.req2_idx) for pair in best if not pair.vetoes}


def test_labelled_pairs_are_told_apart() -> None:
    """As measured: 30 of 38 that are the same are shown, 16 of 31 others, and none of these as the same."""
    found = {kind: [detect_duplicates(pair, embedder=MODEL) for pair in labelled(kind)] for kind in ("same", "other")}
    shown = {kind: [pairs[0] for pairs in lists if pairs] for kind, lists in found.items()}
    assert (len(found["same"]), len(found["other"])) == (38, 31)
    assert len(shown["same"]) >= 29
    assert len(shown["other"]) <= 16
    assert sum(pair.band == "same" for pair in shown["same"]) >= 5
    assert [pair for pair in shown["other"] if pair.band == "same"] == []
