"""The best sentences of the best passages: what a corpus already says about a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from veracity.embed import Embedder
from veracity.retrieval.contracts import KeyPoint
from veracity.retrieval.search.bm25 import query_terms, terms
from veracity.retrieval.search.passages import Passage
from veracity.retrieval.search.splitting import sentences

_SHORTEST, _LONGEST = 20, 400
_MOST_WEIGHED = 40
"""Sentences that are embedded at most: a question must not wait for more."""
_SAME = 0.7
_WORTH = 0.6
"""Beyond the fewest, a sentence has to reach this share of the best one's score."""
_NOT_PROSE = re.compile(r"^\s*(?:```|~~~|\||#|\$ |>>> )")


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    passage: Passage
    weight: float
    terms: frozenset[str]


def key_points_of(
    question: str, passages: Sequence[tuple[Passage, float]], embedder: Embedder, *, fewest: int, most: int
) -> tuple[KeyPoint, ...]:
    """From the passages with their scores, best first: at least `fewest` sentences if there are, never more than `most`.

    A sentence's score is the mean of its likeness to the question and the share of the question's words in it, scaled by
    how good its passage is against the best one.
    """
    found = _sentences(passages)[:_MOST_WEIGHED]
    if not found or most < 1:
        return ()
    ranked = _ranked(question, found, embedder)
    chosen: list[tuple[_Sentence, float]] = []
    for sentence, score in ranked:
        if len(chosen) >= most or (len(chosen) >= fewest and score < _WORTH * ranked[0][1]):
            break
        if all(_overlap(sentence.terms, other.terms) < _SAME for other, _ in chosen):
            chosen.append((sentence, score))
    return tuple(
        KeyPoint(text=sentence.text, source=sentence.passage.id, score=round(score, 6)) for sentence, score in chosen
    )


def _sentences(passages: Sequence[tuple[Passage, float]]) -> list[_Sentence]:
    """Every sentence that can stand alone, once; a line of code or of a table is none."""
    found: dict[str, _Sentence] = {}
    best = max((score for _, score in passages), default=0.0)
    for passage, score in passages:
        prose = "\n".join(line for line in passage.text.splitlines() if not _NOT_PROSE.match(line))
        weight = score / best if best > 0 else 1.0
        for paragraph in prose.split("\n\n"):
            for sentence in sentences(" ".join(paragraph.split())):
                if _SHORTEST <= len(sentence) <= _LONGEST or (passage.lang == "zh" and 6 <= len(sentence) <= _LONGEST):
                    words = frozenset(terms(sentence, passage.lang))
                    found.setdefault(sentence, _Sentence(sentence, passage, weight, words))
    return list(found.values())


def _ranked(question: str, found: Sequence[_Sentence], embedder: Embedder) -> list[tuple[_Sentence, float]]:
    vectors = embedder.embed([question, *[sentence.text for sentence in found]])
    likeness = [float(value) for value in vectors[1:] @ vectors[0]]
    asked = frozenset(query_terms(question))
    scores = [
        sentence.weight * (max(0.0, like) + len(asked & sentence.terms) / max(1, len(asked))) / 2
        for sentence, like in zip(found, likeness, strict=True)
    ]
    ranked = zip(found, scores, strict=True)
    return sorted(ranked, key=lambda one: (-one[1], one[0].passage.id, one[0].text))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))
