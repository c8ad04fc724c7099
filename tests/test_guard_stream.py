"""Streaming: what is released is a beginning of the text, the same for every chunking, and holds nothing unbound."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each_case import each
from veracity.grounding.contracts import Verdict
from veracity.grounding.guard import ground
from veracity.grounding.messages import held_back
from veracity.grounding.stream import MAX_HELD, HeldBack, JudgeSentence, released, sentence_judge
from veracity.language.numbers import find_figures
from veracity.language.sentences import sentence_ends, sentences

RESULTS = [
    {
        "id": "r1",
        "columns": ["region", {"name": "revenue", "label": "Umsatz", "synonyms": ["销售额"]}],
        "key": "region",
        "rows": [["Nord", Decimal("152000.00")], ["Süd", Decimal("98000.50")], ["华东", Decimal("152000")]],
    }
]


async def chunks_of(pieces: Sequence[str]) -> AsyncIterator[str]:
    for piece in pieces:
        yield piece


def stream(pieces: Sequence[str], judge: JudgeSentence) -> list[str]:
    async def collect() -> list[str]:
        return [piece async for piece in released(chunks_of(pieces), judge)]

    return asyncio.run(collect())


def split(text: str, cuts: Sequence[int]) -> list[str]:
    edges = [0, *sorted({cut % (len(text) + 1) for cut in cuts}), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


def shown(pieces: Sequence[str]) -> str:
    return "".join(piece for piece in pieces if not isinstance(piece, HeldBack))


def always(_text: str, _start: int, _last: bool) -> Verdict:
    return Verdict(verdict="pass")


# --- sentences


@each(
    ("text", "expected"),
    [
        ("One. Two.", ["One.", " Two."]),
        ("Am 15. März 2025 war es so. Dann nicht.", ["Am 15. März 2025 war es so.", " Dann nicht."]),
        ("Es sind 15.2 Mio. CHF. Gut.", ["Es sind 15.2 Mio. CHF.", " Gut."]),
        ("z. B. Nord, d. h. eine Region. Mehr nicht.", ["z. B. Nord, d. h. eine Region.", " Mehr nicht."]),
        ("销售额为15.2万元。很好！真的？是", ["销售额为15.2万元。", "很好！", "真的？", "是"]),
        ("Really?! Yes.", ["Really?!", " Yes."]),
        ("He said “yes.” Then he left.", ["He said “yes.”", " Then he left."]),
        ("See a.b?c=d for more. Fine.", ["See a.b?c=d for more.", " Fine."]),
        ("- Nord: 5\n- Süd: 6\n", ["- Nord: 5\n", "- Süd: 6\n"]),
        ("1. Nord\n2. Süd", ["1. Nord\n", "2. Süd"]),
        ("In 2025. The end", ["In 2025.", " The end"]),
        ("Approx. 5 kg, e.g. rice. Done.", ["Approx. 5 kg, e.g. rice.", " Done."]),
        ("", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


TEXTS = st.text("aB1.,。！？!? \n'\"”)万元15Mio春", max_size=60)


@settings(max_examples=200, deadline=None)
@given(TEXTS, TEXTS)
def test_an_end_that_is_certain_stays_whatever_follows(beginning: str, rest: str) -> None:
    certain = list(sentence_ends(beginning, final=False))
    assert certain == list(sentence_ends(beginning + rest, final=False))[: len(certain)]


# --- releasing


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.lists(st.integers(0, 60), max_size=12))
def test_everything_that_passes_gets_out_whole_and_in_order(text: str, cuts: list[int]) -> None:
    assert "".join(stream(split(text, cuts), always)) == text


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.lists(st.integers(0, 60), max_size=12), st.integers(0, 6))
def test_what_is_released_does_not_depend_on_the_chunks(text: str, cuts: list[int], stop: int) -> None:
    def counting() -> JudgeSentence:
        seen = [0]

        def judge(_text: str, _start: int, _last: bool) -> Verdict:
            seen[0] += 1
            return Verdict(verdict="block", message="no") if seen[0] > stop else Verdict(verdict="pass")

        return judge

    whole = stream([text], counting())
    assert stream(split(text, cuts), counting()) == whole
    assert stream(list(text), counting()) == whole
    assert text.startswith(shown(whole))


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.lists(st.integers(0, 60), max_size=12))
def test_no_figure_is_cut_in_two(text: str, cuts: list[int]) -> None:
    inner = {at for figure in find_figures(text, "de-CH") for at in range(figure.start + 1, figure.end)}
    place = 0
    for piece in stream(split(text, cuts), always):
        place += len(piece)
        # A line ends everything, also a figure that someone wrote over two of them.
        assert place not in inner or "\n" in piece


@pytest.mark.parametrize("text", ["15", "15.2", "15.2万", "15.2万元", "15.2 Mio.", "15.2 Mio. CHF"])
def test_a_number_waits_for_its_delimiter_and_unit(text: str) -> None:
    seen: list[str] = []

    def judge(so_far: str, start: int, _last: bool) -> Verdict:
        seen.append(so_far[start:])
        return Verdict(verdict="pass")

    stream(list(f"Es sind {text} im Jahr. Gut."), judge)
    assert seen == [f"Es sind {text} im Jahr.", " Gut."]


# --- with the guard

GOOD = [
    "Der Umsatz in Nord beträgt 152'000.00. ",
    "Der Umsatz in Süd beträgt 98'000.50.\n",
    "- Nord: 152'000.00\n",
    "Gerne! ",
]
BAD = [
    "Der Umsatz in Süd beträgt 152'000.00. ",
    "Er stieg um 12,5 %. ",
    "Zuständig ist Max Mustermann. ",
    "- Benutzer 1\n",
]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(GOOD), max_size=4), st.sampled_from(BAD), st.lists(st.integers(0, 300), max_size=15))
def test_nothing_unbound_is_ever_released(good: list[str], bad: str, cuts: list[int]) -> None:
    text = "".join([*good, bad, *good])
    judge = sentence_judge(RESULTS, question="Umsatz pro Region?")
    pieces = stream(split(text, cuts), judge)
    assert isinstance(pieces[-1], HeldBack)
    assert text.startswith(shown(pieces))
    assert shown(pieces).strip() == "".join(good).strip()
    assert pieces == stream([text], judge)


def test_blocked_sentence_ends_the_stream_with_the_plain_message() -> None:
    judge = sentence_judge(RESULTS, question="销售额是多少？")
    pieces = stream(["华东的销售额为", "15.2", "万元。", "华北的销售额为99", "万元。", "谢谢。"], judge)
    assert pieces[0] == "华东的销售额为15.2万元。"
    assert pieces[1:] == [held_back("unbound_figure", "zh")]
    last = pieces[-1]
    assert isinstance(last, HeldBack)
    assert last.verdict.findings[0].rule == "unbound_figure"


def test_data_without_a_call_is_stopped_where_it_begins() -> None:
    judge = sentence_judge(question="How many users are there?", trace=[])
    pieces = stream(["Sure! ", "There are 12 users. ", "Bye."], judge)
    assert pieces == ["Sure!", held_back("required_tools", "en")]


def test_counts_are_judged_when_the_list_is_whole() -> None:
    judge = sentence_judge(RESULTS, question="Regionen?")
    good = "Die 3 Regionen sind:\n- Nord\n- Süd\n- 华东\n"
    assert shown(stream(list(good), judge)) == good
    pieces = stream(list("Die 3 Regionen sind:\n- Nord\n- Süd\n"), judge)
    assert isinstance(pieces[-1], HeldBack)
    assert shown(pieces) == "Die 3 Regionen sind:\n- Nord\n"


def test_sentence_without_an_end_is_held_back_for_good() -> None:
    for pieces in (["x" * (MAX_HELD + 5)], ["x"] * (MAX_HELD + 5), ["x" * MAX_HELD, "x. y", " z"]):
        (only,) = stream(pieces, always)
        assert isinstance(only, HeldBack)
    assert shown(stream(["x" * (MAX_HELD - 5) + ". ", "Y"], always)).endswith("Y")


def test_empty_stream_is_no_answer() -> None:
    (only,) = stream([], sentence_judge(RESULTS, question="Umsatz?"))
    assert only == held_back("no_answer", "de")
    assert stream([], always) == [""]


def test_stream_and_whole_agree_on_innocent_answers() -> None:
    text = "".join(GOOD)
    assert ground(text, RESULTS, question="Umsatz pro Region?").verdict == "pass"
    assert "".join(stream(list(text), sentence_judge(RESULTS, question="Umsatz pro Region?"))) == text
