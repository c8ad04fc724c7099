"""Text -> vectors. The embedded default needs no server and no download; what was embedded once is kept on disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from veracity.language.universal import UniversalSentences

    Vectors = NDArray[np.float32]

_LONGEST = 2_000
"""Characters of a text that are embedded; what follows hardly changes the vector and costs time."""
_MOST_KNOWN = 20_000
"""Vectors that one process holds in memory, of 2 kB each; the file has them all."""
UNIVERSAL = "use-multilingual-3/0.2"
"""The built-in encoder. Part of every cache key: vectors of another model are never mixed in."""


class Embedder(Protocol):
    """Whatever makes unit vectors from texts."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, of length 1, so that a dot product is the cosine."""


@cache
def encoder() -> UniversalSentences:
    """The built-in encoder itself; a process has one."""
    from veracity.language.universal import UniversalSentences

    return UniversalSentences()


def identity_of(embedder: Embedder) -> str:
    """What tells the vectors of one encoder from those of another: its own name for itself, else its kind."""
    return str(getattr(embedder, "identity", type(embedder).__qualname__))


class CachedEmbedder:
    """An embedder with a cache that several processes may share."""

    def __init__(self, model: Embedder, cache: Path | None = None) -> None:
        self.identity = identity_of(model)
        self._model = model
        self._known: dict[str, Vectors] = {}
        self._cache = cache

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text; only texts never seen before are computed."""
        import numpy as np

        if not texts:
            return self._model.embed(())
        wanted = [text[:_LONGEST] for text in texts]
        found = {text: self._known.get(text) for text in wanted}
        new = [text for text, vector in found.items() if vector is None]
        if new and self._cache is not None:
            found |= self._recall(new)
            new = [text for text, vector in found.items() if vector is None]
        if new:
            made = dict(zip(new, self._encode(new), strict=True))
            found |= made
            if self._cache is not None:
                self._remember(made)
        vectors = {text: vector for text, vector in found.items() if vector is not None}
        self._keep(vectors)
        return np.stack([vectors[text] for text in wanted])

    def _keep(self, vectors: Mapping[str, Vectors]) -> None:
        """Remember the last ones: a process that runs for months must not remember every text it has ever seen."""
        if len(self._known) + len(vectors) > _MOST_KNOWN:
            self._known = {}
        self._known.update(vectors)

    def _encode(self, texts: list[str]) -> Vectors:
        return self._model.embed(texts)

    def _recall(self, texts: list[str]) -> dict[str, Vectors]:
        import numpy as np

        found: dict[str, Vectors] = {}
        try:
            with closing(self._connect()) as connection:
                for text in texts:
                    row = connection.execute("SELECT vector FROM vectors WHERE key = ?", (self._key(text),)).fetchone()
                    if row is not None:
                        found[text] = np.frombuffer(row[0], dtype=np.float32)
        except sqlite3.Error:
            self._cache = None  # a broken or unwritable cache costs time, never an answer
        return found

    def _remember(self, made: Mapping[str, Vectors]) -> None:
        try:
            with closing(self._connect()) as connection, connection:
                rows = [(self._key(text), vector.tobytes()) for text, vector in made.items()]
                connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
        except sqlite3.Error:
            self._cache = None

    def _connect(self) -> sqlite3.Connection:
        if self._cache is None:
            raise sqlite3.OperationalError("no cache")
        try:
            self._cache.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise sqlite3.OperationalError(str(error)) from error
        connection = sqlite3.connect(self._cache, timeout=5)
        connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        return connection

    def _key(self, text: str) -> bytes:
        return sha256(f"{self.identity}\n{text}".encode("utf-8", "replace")).digest()


class UniversalEmbedder(CachedEmbedder):
    """The Universal Sentence Encoder (multilingual): the embedded default."""

    def __init__(self, cache: Path | None = None) -> None:
        super().__init__(_UniversalEncoder(), cache)


class _UniversalEncoder:
    """The encoder without a cache."""

    identity = UNIVERSAL

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        if not texts:
            return np.zeros((0, 512), dtype=np.float32)
        return encoder().encode(texts)
