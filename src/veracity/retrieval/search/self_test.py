"""How much meaning counts beside words in one corpus: found out by questions that the corpus asks itself.

A sentence is taken out of a passage, and the passage without it is looked for by that sentence, once by words and once by
meaning. No labels are needed, and it takes seconds. An encoder that was made for other languages or other texts finds less, and
counts for less: each list weighs as much as the square of what it finds (nDCG@10 of the passage).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import log2
from typing import TYPE_CHECKING

from veracity.retrieval.search.bm25 import TermLexicon, query_terms, terms
from veracity.retrieval.search.index import sentences
from veracity.retrieval.search.passages import Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from veracity.language.embed import Embedder, Vectors

POOL = 1_000
"""Passages that are searched at most."""
_ASKED, _FEWEST = 64, 40
"""Questions that are asked at most; with fewer than the second, nothing can be said."""
_SHORTEST, _LONGEST = 40, 300
_SENTENCES = 3
_DEPTH = 10
_LEAST, _MOST = 0.2, 0.6
"""The weight of meaning stays between these: a test by sentences is not a test by questions."""


@dataclass(frozen=True, slots=True)
class _Question:
    """A sentence, and the passage that it was taken out of."""

    at: int
    text: str
    rest: Passage


def vector_weight(pool: Sequence[Passage], vectors: Vectors, embedder: Embedder) -> float | None:
    """The weight of meaning, from 0 to 1, in a corpus of which these are some passages; None where there are too few."""
    import numpy as np

    questions = _questions(pool)
    if len(questions) < _FEWEST:
        return None
    matrix = np.array(vectors, dtype=np.float32)
    matrix[[one.at for one in questions]] = embedder.embed([one.rest.searched for one in questions])
    searched = list(pool)
    for one in questions:
        searched[one.at] = one.rest
    lexicon = TermLexicon.build([terms(passage.searched, passage.lang) for passage in searched])
    if lexicon is None:
        return None
    asked = embedder.embed([one.text for one in questions])
    words = sum(_gain(lexicon.scores(query_terms(one.text)), one.at) for one in questions)
    meaning = sum(_gain(matrix @ vector, one.at) for one, vector in zip(questions, asked, strict=True))
    if not words and not meaning:
        return None
    return round(min(_MOST, max(_LEAST, meaning**2 / (words**2 + meaning**2))), 3)


def _questions(pool: Sequence[Passage]) -> list[_Question]:
    """The same for the same passages: which sentence is taken is decided by their text."""
    found: list[_Question] = []
    for at, passage in enumerate(pool):
        flat = " ".join(passage.text.split())
        usable = [one for one in sentences(flat) if _SHORTEST <= len(one) <= _LONGEST]
        if len(usable) >= _SENTENCES:
            taken = usable[sha256(flat.encode("utf-8", "replace")).digest()[0] % len(usable)]
            found.append(_Question(at, taken, replace(passage, text=flat.replace(taken, " "))))
        if len(found) == _ASKED:
            break
    return found


def _gain(scores: NDArray[np.float32], at: int) -> float:
    """What finding a passage is worth: 1 at the first rank, less further down, nothing below the tenth; ties count as worse."""
    rank = int((scores >= scores[at]).sum())
    return 1 / log2(rank + 1) if rank <= _DEPTH and scores[at] > 0 else 0.0
