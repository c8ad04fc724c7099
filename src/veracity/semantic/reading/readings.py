"""What a question or a follow-up may mean; where it means nothing, which of its words are unknown and what of it is understood."""

from __future__ import annotations

from dataclasses import dataclass

from veracity.language.folding import is_unspaced
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.chart import Chart, parse
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.whole_phrases import agree
from veracity.semantic.reading.word_senses import Tagged


@dataclass(frozen=True, slots=True)
class Readings:
    """What a question may mean."""

    queries: tuple[SemanticQuery, ...] = ()
    """The different meanings; one where the question is clear."""
    unknown: tuple[str, ...] = ()
    """Words that stand for nothing here."""
    unknown_said: tuple[str, ...] = ()
    """The same as they were written."""
    understood: tuple[str, ...] = ()
    """Where no meaning was found: the stretches that are understood each by itself, also those beside unknown words."""
    instead: str = ""
    """One of these stretches that is a question by itself."""
    beside: tuple[str, ...] = ()
    """What is said before and after that one."""
    open: bool = False
    """Whether one piece is left open and the queries are what it may be: it is asked back, also where they come to the same."""
    apart: bool = False
    """Whether they differ in the end of a row that is meant: they are asked back, also where their figures agree by chance."""
    unsaid: bool = False
    """Whether that piece is the figure, and nothing else of the data is named."""
    guessed: bool = False
    """Whether the time that they are about was guessed: the end of March, of which year."""
    chosen: bool = False
    """Whether it was picked from what was asked back."""
    unmet: str = ""
    """What is said of the answer that cannot be had: an order, a column."""


@dataclass(frozen=True, slots=True)
class FollowUp(Readings):
    """What a follow-up may mean."""

    edits: bool = False
    """Whether it was read as a change of the last query, or as a question about what that found."""
    misfit: str = ""
    """Words that are known but do not go with the last query."""
    why: str = ""
    """Why not: `divide`, `rank`, `rows` or nothing that can be said more exactly."""


def unknown_words(tagged: Tagged) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The words that nothing stands for, folded and as they were written; nothing where there are none."""
    known = {place for mention in tagged.mentions for place in range(mention.start, mention.end)} | tagged.skipped
    spans: list[tuple[int, int]] = []
    for place, token in enumerate(tagged.tokens):
        if place in known:
            continue
        if spans and spans[-1][1] == place and is_unspaced(token.text):
            spans[-1] = (spans[-1][0], place + 1)  # signs that stand together are one word
        else:
            spans.append((place, place + 1))
    folded = tuple("".join(token.text for token in tagged.tokens[start:end]) for start, end in spans)
    return (folded, tuple(tagged.said(*span) for span in spans)) if spans else None


def unknown_runs(tagged: Tagged, known: set[int]) -> tuple[str, ...]:
    """The unknown words as they were written; those side by side are one."""
    runs: list[tuple[int, int]] = []
    for place in range(len(tagged.tokens)):
        if place in known or place in tagged.skipped:
            continue
        if runs and runs[-1][1] == place:
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    return tuple(tagged.said(*run) for run in runs)


def beside_unknown(tagged: Tagged, composer: Composer) -> tuple[str, ...]:
    """The stretches beside unknown words that are understood each by itself, where these are more than a word."""
    known = {place for one in tagged.mentions for place in range(one.start, one.end)} | tagged.skipped
    unknown = set(range(len(tagged.tokens))) - known
    spans = parse(tagged, composer).stretches(apart=unknown)
    told = [(start, end) for start, end in spans if end - start > 1]
    return tuple(text for span in told if " " in (text := _trimmed(tagged, *span)))


def not_composed(tagged: Tagged, chart: Chart, composer: Composer) -> Readings:
    """Every word is known, but not how they belong together: what is understood, and what of it could be asked alone."""
    stretches = chart.stretches()
    longest = sorted(stretches, key=lambda span: span[0] - span[1])
    whole = (chart.places[0], chart.places[-1]) if chart.places else None
    alone = next((span for span in longest if span != whole and any(agree(composer, chart.cells[span]))), None)
    said = tuple(_trimmed(tagged, *span) for span in stretches)
    instead = _trimmed(tagged, *alone) if alone else ""
    beside = _around(tagged, *alone) if instead and alone else ()
    return Readings((), understood=tuple(text for text in said if text), instead=instead, beside=beside)


def _trimmed(tagged: Tagged, start: int, end: int) -> str:
    """The words of a stretch as they were written, without those at its ends that change nothing."""
    kept = [place for place in range(start, end) if place not in tagged.skipped]
    return tagged.said(kept[0], kept[-1] + 1) if kept else ""


def _around(tagged: Tagged, start: int, end: int) -> tuple[str, ...]:
    """What is said before and after a stretch, with the words that hold it together."""
    kept = [place for place in range(start, end) if place not in tagged.skipped]
    before, last = _trimmed(tagged, 0, start), len(tagged.tokens)
    after = tagged.said(kept[-1] + 1, last) if kept[-1] + 1 < last and _trimmed(tagged, end, last) else ""
    return tuple(text for text in (before, after) if text)
