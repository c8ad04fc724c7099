"""Requirements that may say the same: how like they are, ranked pairs with reasons, and what speaks against them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from veracity.language.embed import UNIVERSAL, identity_of
from veracity.requirements.comparing import ComparedToken, Content
from veracity.requirements.contracts import DuplicatePair
from veracity.requirements.vetoes import KNOWLEDGE, lone_figures, vetoes_against
from veracity.settings import Settings
from veracity.yaml_file import packaged

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from veracity.language.embed import Embedder, Vectors


PARTNERS = 20
"""Nearest requirements that are looked at for each one."""
_NEIGHBOURS = 3
_TYPICAL = 0.36
"""The likeness of a requirement's nearest few in a usual document; stands for those a short one does not have."""
_CROWD = 0.8
"""How much of what a requirement's other neighbours are nearer than usual is taken off: in a crowd, being near says little."""
_SURE = 8
"""The higher, the nearer to equal two texts have to be for a crowd not to count."""
_NEARNESS = 0.9
"""How much it counts that two are liker than usual."""
_MEANING, _MEANING_BUILT_IN = 0.75, 0.4
"""How much meaning counts beside words: with an encoder that somebody chose, and with the multilingual one that is built in."""
_FLOOR = 0.3
"""The likeness below which no pair can come near the lower band."""
_BUCKETS = 2_048
"""Columns of the word matrix; features that share one disturb a cosine by 0.02 or so. Twice as many ranked no better."""
_UNSEEN = 100
"""Requirements added to the count when a word's rarity is judged: in a document of two, every shared word would be common."""
_ROWS = 1_024
_LETTERS = 3


@dataclass(frozen=True, slots=True)
class Pair:
    """Two requirements by their places, and their similarity."""

    left: int
    right: int
    similarity: float


@dataclass(frozen=True, slots=True)
class _Side:
    """One set of requirements as matrices, a row each."""

    meaning: Vectors
    words: Vectors
    german: NDArray[np.bool_]
    weight: float
    """How much meaning counts beside words."""


def near_pairs(
    contents: Sequence[Content], known: Sequence[Content] | None, embedder: Embedder, *, least: float
) -> list[Pair]:
    """Every pair that is at least so similar, the most similar first; of each requirement the nearest 20.

    Pairs of one set, or, with `known`, of a new (left) and a known (right) requirement.
    """
    sides = _sides([contents] if known is None else [contents, known], embedder)
    return _best_pairs(_similar(sides[0], sides[-1], least), within=known is None)


def _best_pairs(pairs: Iterator[Pair], *, within: bool) -> list[Pair]:
    """Each pair once, the smaller place first, when both are of the same set."""
    best: dict[tuple[int, int], Pair] = {}
    for pair in pairs:
        left, right = sorted((pair.left, pair.right)) if within else (pair.left, pair.right)
        best[left, right] = Pair(left, right, pair.similarity)
    return sorted(best.values(), key=lambda pair: (-pair.similarity, pair.left, pair.right))


def _similar(left: _Side, right: _Side, least: float) -> Iterator[Pair]:
    """The pairs of two sides, a block of rows at a time; a text is never compared with itself."""
    import numpy as np

    itself = left is right
    own, found = list["Vectors"](), list[tuple["NDArray[np.intp]", "NDArray[np.intp]", "Vectors"]]()
    for start, block in _blocks(left, right, itself=itself):
        own.append(_nearest_few(block))
        rows, columns = _nearest(block)
        found.append((rows + start, columns, block[rows, columns]))
    few = np.concatenate(own)
    other = few if itself else np.concatenate([_nearest_few(block) for _, block in _blocks(right, left, itself=False)])
    for rows, columns, likeness in found:
        crowd = (_besides(few[rows], likeness) + _besides(other[columns], likeness)) / 2
        apart = likeness - _CROWD * np.maximum(crowd - _TYPICAL, 0) * (1 - likeness**_SURE)
        similarity = np.clip(1 - (1 - apart) * (1 - _NEARNESS * (apart - _TYPICAL)), 0, 1)
        for at in np.flatnonzero(similarity >= least).tolist():
            yield Pair(int(rows[at]), int(columns[at]), round(float(similarity[at]), 4))


def _blocks(left: _Side, right: _Side, *, itself: bool) -> Iterator[tuple[int, Vectors]]:
    """The likeness of some rows to all of the other side, and where they start."""
    import numpy as np

    for start in range(0, len(left.meaning), _ROWS):
        rows = slice(start, start + _ROWS)
        meaning = left.meaning[rows] @ right.meaning.T
        mixed = left.weight * meaning + (1 - left.weight) * (left.words[rows] @ right.words.T)
        one_language = left.german[rows, None] == right.german[None, :]
        likeness = np.clip(np.where(one_language, mixed, np.maximum(meaning, mixed)), 0, 1)
        if itself:
            own = np.arange(len(likeness))
            likeness[own, own + start] = 0
        yield start, likeness


def _nearest_few(likeness: Vectors) -> Vectors:
    """The likeness of the nearest few of each row and of one more, the nearest first; the usual one stands for those that are not there."""
    import numpy as np

    wanted = min(_NEIGHBOURS + 1, likeness.shape[1])
    found = np.full((len(likeness), _NEIGHBOURS + 1), _TYPICAL, dtype=np.float32)
    nearest = np.partition(likeness, likeness.shape[1] - wanted, axis=1)[:, likeness.shape[1] - wanted :]
    found[:, :wanted] = np.where(nearest > 0, nearest, _TYPICAL)
    return np.asarray(-np.sort(-found, axis=1), dtype=np.float32)


def _besides(few: Vectors, likeness: Vectors) -> Vectors:
    """The mean likeness of the nearest few of each row, beside the one that it is paired with."""
    import numpy as np

    total = few[:, :_NEIGHBOURS].sum(axis=1)
    among = likeness >= few[:, _NEIGHBOURS - 1]
    return np.asarray(np.where(among, total - likeness + few[:, _NEIGHBOURS], total) / _NEIGHBOURS, dtype=np.float32)


def _nearest(likeness: Vectors) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the nearest few of each row, as far as they can matter."""
    import numpy as np

    most = min(PARTNERS, likeness.shape[1])
    columns = np.argpartition(likeness, likeness.shape[1] - most, axis=1)[:, likeness.shape[1] - most :]
    rows = np.repeat(np.arange(len(likeness)), most)
    flat = columns.ravel()
    matters = likeness[rows, flat] >= _FLOOR
    return rows[matters], flat[matters]


# --- matrices


def _sides(sets: Sequence[Sequence[Content]], embedder: Embedder) -> list[_Side]:
    """The matrices of each set; how rare a word is, is judged over all of them."""
    import numpy as np

    featured = [[features_of(content) for content in contents] for contents in sets]
    seen = Counter(feature for texts in featured for text in texts for feature in text)
    total = sum(map(len, sets)) + _UNSEEN
    rarity = {feature: math.log(1 + total / count) for feature, count in seen.items()}
    return [
        _Side(
            embedder.embed([content.text for content in contents]),
            _word_matrix(texts, rarity),
            np.array([content.lang == "de" for content in contents], dtype=np.bool_),
            _MEANING_BUILT_IN if identity_of(embedder) == UNIVERSAL else _MEANING,
        )
        for contents, texts in zip(sets, featured, strict=True)
    ]


def features_of(content: Content) -> Counter[str]:
    """The stems of the telling words and their groups of three letters; of a text of function words all of it."""
    tokens = [token for token in content.words if token.tells] or list(content.words)
    found = Counter(token.stem for token in tokens)
    for token in tokens:
        found.update(_letter_groups(token.word))
    return found


@lru_cache(maxsize=50_000)
def _letter_groups(word: str) -> tuple[str, ...]:
    marked = f"#{word[:64]}#"
    return tuple(f"~{marked[at : at + _LETTERS]}" for at in range(len(marked) - _LETTERS + 1))


def _word_matrix(texts: Sequence[Counter[str]], rarity: dict[str, float]) -> Vectors:
    """One row of length 1 per text. Features are hashed to columns and signs, so the matrix needs no vocabulary."""
    import numpy as np

    matrix = np.zeros((len(texts), _BUCKETS), dtype=np.float32)
    for row, text in enumerate(texts):
        for feature, count in text.items():
            column, sign = _column_of_feature(feature)
            matrix[row, column] += sign * (1 + math.log(count)) * rarity[feature]
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1), dtype=np.float32)


@lru_cache(maxsize=200_000)
def _column_of_feature(feature: str) -> tuple[int, int]:
    number = int.from_bytes(blake2b(feature.encode(), digest_size=4).digest(), "big")
    return number % _BUCKETS, 1 if number & 0x8000_0000 else -1


# --- requirements that may say the same: ranked pairs, each with a reason and with what speaks against it


SAME = 0.9
"""The similarity from which two requirements are surely the same, if nothing speaks against it."""
LOOK = 0.55
"""The similarity from which a person should look at a pair."""
MOST_PAIRS = 10_000
"""Pairs that are returned; of more the most similar."""
_SHARED_WORDS = 4
_SHORTEST_PART = 5
"""Letters from which a word is looked for inside compounds."""


def detect_duplicates(
    requirements: Sequence[str], *, embedder: Embedder | None = None, look: float = LOOK, same: float = SAME
) -> list[DuplicatePair]:
    """The pairs of a list that may say the same: those without a veto first, the most similar first."""
    return _duplicates(requirements, None, embedder, look, same)


def duplicates_of(
    new: Sequence[str],
    known: Sequence[str],
    *,
    embedder: Embedder | None = None,
    look: float = LOOK,
    same: float = SAME,
) -> list[DuplicatePair]:
    """The pairs of a new requirement (`req1_idx`, in `new`) and a known one (`req2_idx`, in `known`) that may say the same."""
    return _duplicates(new, known, embedder, look, same)


def _duplicates(
    new: Sequence[str], known: Sequence[str] | None, embedder: Embedder | None, look: float, same: float
) -> list[DuplicatePair]:
    left = _contents(new)
    right = left if known is None else _contents(known)
    if not left or not right or (known is None and len(left) < 2):
        return []
    others = None if known is None else list(right.values())
    found = near_pairs(list(left.values()), others, embedder or default_embedder(), least=look)[:MOST_PAIRS]
    lefts, rights = list(left), list(right)
    pairs = [Pair(lefts[pair.left], rights[pair.right], pair.similarity) for pair in found]
    return _ranked_pairs(pairs, left, right, same)


def _contents(texts: Sequence[str]) -> dict[int, Content]:
    """What is to be compared, by its place; a text without a letter or digit is not."""
    return {at: Content(text) for at, text in enumerate(texts) if any(map(str.isalnum, text[:2_000]))}


def default_embedder(settings: Settings | None = None) -> Embedder:
    """The encoder that `VERACITY_ENCODER` names, else the built-in one, with the vectors it has already computed for this user."""
    from veracity.retrieval.encoders.choice import open_encoder

    chosen = settings or Settings.from_env()
    return open_encoder(chosen.encoder, chosen.home / "embeddings.sqlite")


def _ranked_pairs(
    pairs: Sequence[Pair], left: Mapping[int, Content], right: Mapping[int, Content], same: float
) -> list[DuplicatePair]:
    made = [_duplicate_pair(pair, left[pair.left], right[pair.right], same) for pair in pairs]
    return sorted(made, key=lambda pair: (bool(pair.vetoes), -pair.similarity, pair.req1_idx, pair.req2_idx))


def _duplicate_pair(pair: Pair, one: Content, other: Content, same: float) -> DuplicatePair:
    vetoes = vetoes_against(one, other)
    # A figure that only one of them states makes it the more precise one, which is no veto and not the same either.
    figure = None if any(name == "numbers" for name, _ in vetoes) else _lone_figure(one, other)
    sure = pair.similarity >= same and not vetoes and figure is None
    return DuplicatePair(
        req1_idx=pair.left,
        req2_idx=pair.right,
        similarity=pair.similarity,
        reason=_reason(one, other, vetoes, figure),
        band="same" if sure else "look",
        vetoes=tuple(name for name, _ in vetoes),
    )


def _lone_figure(one: Content, other: Content) -> str | None:
    found = lone_figures(one, other) or lone_figures(other, one)
    return found[0].text if found else None


def _reason(one: Content, other: Content, vetoes: Sequence[tuple[str, str]], figure: str | None) -> str:
    """Why the pair is shown and what speaks against it, in the language of the first."""
    known = packaged(KNOWLEDGE)["reasons"]
    said = [known[_kind_of_likeness(one, other)][one.lang].format(words=", ".join(_shared_words(one, other)))]
    said += [known[name][one.lang].format(what=what) for name, what in vetoes]
    if figure is not None:
        said.append(known["more"][one.lang].format(what=figure))
    return " ".join(said)


def _kind_of_likeness(one: Content, other: Content) -> str:
    if one.text.split() == other.text.split():
        return "equal"
    if one.lang != other.lang:
        return "across"
    return "shared" if _shared_words(one, other) else "meaning"


def _shared_words(one: Content, other: Content) -> list[str]:
    """The telling words of the first that the second has, too, as they are written; the longest, in their order."""
    found: dict[str, str] = {}
    for token in one.words:
        if token.tells and token.word.isalpha() and len(token.word) > 1 and _is_in(token, other):
            found.setdefault(token.stem, one.text[token.start : token.end])
    longest = sorted(found.values(), key=len, reverse=True)[:_SHARED_WORDS]
    return [word for word in found.values() if word in longest]


def _is_in(token: ComparedToken, other: Content) -> bool:
    """Whether a text has a word, or a compound that starts or ends with it."""
    if token.stem in other.stems:
        return True
    return len(token.stem) >= _SHORTEST_PART and any(
        word.word.startswith(token.stem) or word.word.endswith(token.word) for word in other.words
    )
