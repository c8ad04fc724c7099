"""A folder that can be searched: by words, by meaning, or by both. `SearchCorpus.search` reads like its list of steps."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from veracity.errors import SourceError, UsageError
from veracity.features.records import Progress
from veracity.language.embed import Embedder
from veracity.retrieval.contracts import KeyPoint, RerankSettings
from veracity.retrieval.encoders.choice import ChosenEncoder, KeptEncoder, check_same, kept_of
from veracity.retrieval.search.bm25 import query_terms, terms
from veracity.retrieval.search.index import IndexReport, index_folder, sentences
from veracity.retrieval.search.local import LocalPassages
from veracity.retrieval.search.passages import Passage, PassageStore, Scored, collection_name
from veracity.retrieval.search.rankings import FusedRanking, FusionMethod, alone, fuse, weights_of
from veracity.settings import Settings

Mode = Literal["hybrid", "bm25", "vector"]
DEFAULT_FUSION: FusionMethod = "zscore"
"""Measured against `minmax` and `rrf` on two collections; the figures are in docs/search.md."""

DEPTH = 1_000
"""How far down each list is read before they are joined. Always the same, so that more hits never change the first ones."""
_LONGEST_QUERY = 2_000
_SNIPPET = 300
_KEY_PASSAGES = 6


class Hit(BaseModel):
    """One passage that was found."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    title: str
    snippet: str
    url: str
    score: float
    path: str
    place: str
    """Where in the document: its headings, or the page."""
    components: dict[str, float]
    """By list (`bm25`, `vector`): the score and rank there, and the part of `score` that comes from it."""


class SearchCorpus:
    """A folder and the store of its passages. Without a folder it can be searched, but not indexed."""

    def __init__(
        self,
        name: str,
        folder: Path | None,
        store: PassageStore,
        embedder: Embedder,
        settings: RerankSettings,
    ) -> None:
        self.name, self.folder = name, folder
        self._store, self._embedder, self._settings = store, embedder, settings

    def index(self, progress: Progress | None = None, *, vectors: bool = True, anew: bool = False) -> IndexReport:
        """Bring the index up to date with the folder; without vectors it is quick, and searched by words only.

        The encoder is kept with the index; another one is refused, unless all vectors are to be made anew.
        """
        if self.folder is None:
            raise UsageError(f"{self.name} cannot be indexed without a folder; name one with --folder.")
        if vectors:
            kept = self._store.encoder()
            if kept is None or anew:
                self._store.keep_encoder(kept_of(self._embedder))
            else:
                check_same(self.name, kept, self._embedder)
        return index_folder(self.folder, self._store, self._embedder, vectors=vectors, progress=progress)

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        mode: Mode = "hybrid",
        fusion: FusionMethod = DEFAULT_FUSION,
        scope: str | None = None,
    ) -> tuple[Hit, ...]:
        """The best passages, the best first, out of what is indexed; with a scope, of one collection only."""
        ranked = self._ranked_passages(query, limit, mode, fusion, scope)
        passages = self._store.passages([one.id for one in ranked])
        return tuple(_hit(passages[one.id], one, query) for one in ranked if one.id in passages)

    async def key_points(self, question: str, *, most: int, scope: str | None = None) -> tuple[KeyPoint, ...]:
        """What the corpus, or a collection in it, says about a question, in sentences; `SourceError` when it is gone."""
        return await asyncio.to_thread(self._key_points, question, most, scope)

    def close(self) -> None:
        """Release the index."""
        self._store.close()

    def _ranked_passages(
        self, query: str, limit: int, mode: Mode, fusion: FusionMethod, scope: str | None
    ) -> Sequence[FusedRanking]:
        asked = " ".join(query.split())[:_LONGEST_QUERY].encode("utf-8", "replace").decode()
        if not asked:
            raise UsageError("There is nothing to search for; write a few words.")
        if not 1 <= limit <= DEPTH:
            raise UsageError(f"A search returns 1 to {DEPTH:,} hits, not {limit}.")
        lists: dict[str, list[Scored]] = {}
        within = collection_name(scope) if scope else None
        if mode in ("hybrid", "bm25"):
            lists["bm25"] = self._store.lexical(asked, DEPTH, within)
        if mode in ("hybrid", "vector"):
            check_same(self.name, self._store.encoder(), self._embedder)
            lists["vector"] = self._store.nearest(self._embedder.embed([asked])[0], DEPTH, within)
        if mode != "hybrid":
            return alone(mode, lists[mode])[:limit]
        weights = weights_of(self._store.vector_weight())
        return fuse(lists, method=fusion, k=self._settings.rrf_k, weights=weights)[:limit]

    def _key_points(self, question: str, most: int, scope: str | None) -> tuple[KeyPoint, ...]:
        if self.folder is not None and not self.folder.is_dir():
            raise SourceError(f"{self.folder} is gone.")
        if not question.strip():
            return ()
        try:
            if not self._store.count():
                raise SourceError(f"{self.name} holds no passages; index it: veracity search --index-only --corpus ...")
            ranked = self._ranked_passages(question, _KEY_PASSAGES, "hybrid", DEFAULT_FUSION, scope)
            passages = self._store.passages([one.id for one in ranked])
        except UsageError as error:
            # A damaged index is to whoever asks for key points what a missing corpus is.
            raise SourceError(str(error)) from error
        scored = [(passages[one.id], one.score) for one in ranked if one.id in passages]
        fewest = min(self._settings.min_key_points, most)
        return key_points_of(question, scored, self._embedder, fewest=fewest, most=most)


def open_corpus(
    place: str | Path,
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    encoder: str | None = None,
    rerank: RerankSettings | None = None,
    folder: str | Path | None = None,
) -> SearchCorpus:
    """The corpus of a folder, or of a Qdrant collection by URL, into which `folder` can be indexed.

    The encoder is the one that is named here, else that of `VERACITY_ENCODER`, else the one that the index was made with, else the
    one that is built in.
    """
    settings = settings or Settings.from_env()
    constants = rerank or RerankSettings()
    store: PassageStore

    def kept() -> KeptEncoder | None:
        return store.encoder()

    model = embedder or ChosenEncoder(encoder or settings.encoder, settings.home / "embeddings.sqlite", kept)
    if isinstance(place, str) and re.match(r"https?://", place, re.IGNORECASE):
        from veracity.retrieval.search.qdrant import open_qdrant

        source = _existing_folder(folder) if folder is not None else None
        store = open_qdrant(place, source, model)
        return SearchCorpus(place, source, store, model, constants)
    if folder is not None:
        raise UsageError("--folder goes with a Qdrant URL; a folder by itself is its own corpus.")
    found = _existing_folder(place)
    store = LocalPassages(index_file(found, settings.home))
    return SearchCorpus(str(place), found, store, model, constants)


def index_file(folder: Path, home: Path) -> Path:
    """Where the index of a folder is kept: one file per folder."""
    key = sha256(f"{folder}\nUniversalEmbedder".encode("utf-8", "surrogateescape")).hexdigest()[:12]
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", folder.name)[:40].strip("-") or "corpus"
    return home / "search" / f"{name}-{key}.sqlite"


def _existing_folder(place: str | Path) -> Path:
    try:
        found = Path(place).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "there can be no such folder"
        raise SourceError(f"{place} cannot be searched: {reason.lower()}.") from None
    if not found.is_dir():
        raise SourceError(f"{place} is no folder; name the folder that holds it.")
    return found


def _hit(passage: Passage, ranked: FusedRanking, query: str) -> Hit:
    return Hit(
        id=passage.id,
        title=passage.title,
        snippet=snippet(passage.text, query),
        url=passage.url,
        score=round(ranked.score, 9),
        path=passage.path,
        place=passage.place,
        components={name: round(value, 9) for name, value in ranked.components.items()},
    )


def snippet(text: str, query: str) -> str:
    """The stretch of a passage that holds most words of the query, cut between words."""
    flat = " ".join(text.split())
    if len(flat) <= _SNIPPET:
        return flat
    wanted = {word.casefold() for word in re.findall(r"\w{3,}", query)}
    lower = flat.lower()
    places = sorted(at for word in wanted for at in _places_of_word(lower, word))
    start = max(places, key=lambda at: (sum(at <= other < at + _SNIPPET for other in places), -at), default=0)
    start = max(0, min(start - 20, len(flat) - _SNIPPET))
    start = flat.rfind(" ", 0, start) + 1 if start else 0
    end = start + _SNIPPET
    end = len(flat) if end >= len(flat) else max(flat.rfind(" ", start, end), start + _SNIPPET // 2)
    return f"{'… ' if start else ''}{flat[start:end].strip()}{' …' if end < len(flat) else ''}"


def _places_of_word(text: str, word: str) -> list[int]:
    found, at = list[int](), text.find(word)
    while at >= 0 and len(found) < 50:
        found.append(at)
        at = text.find(word, at + len(word))
    return found


# --- the best sentences of the best passages: what a corpus already says about a question


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
    ranked = _ranked_sentences(question, found, embedder)
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


def _ranked_sentences(question: str, found: Sequence[_Sentence], embedder: Embedder) -> list[tuple[_Sentence, float]]:
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
