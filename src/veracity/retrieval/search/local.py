"""Passages in one SQLite file, searched by their words (BM25) and by their vectors."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from veracity.durable.sqlite_file import SqliteFile
from veracity.retrieval.encoders.choice import BUILT_IN, KeptEncoder
from veracity.retrieval.search.bm25 import TermLexicon, query_terms, terms
from veracity.retrieval.search.passages import KeptFile, Passage, Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from veracity.language.embed import Embedder, Vectors


# --- vectors as one matrix: the cosine of every passage in one product


@dataclass(frozen=True, slots=True)
class VectorTable:
    """Unit vectors, and the id of each row."""

    ids: Sequence[str]
    matrix: Vectors

    def nearest(self, vector: Vectors, depth: int, wanted: frozenset[str] | None = None) -> list[Scored]:
        """The passages most like a vector, the best first; of equal ones the one that stands first."""
        if not len(self.ids) or self.matrix.shape[1] != len(vector):
            return []
        if wanted is None:
            return best(self.ids, self.matrix @ vector, depth)
        rows = [at for at, one in enumerate(self.ids) if one in wanted]
        return best([self.ids[at] for at in rows], self.matrix[rows] @ vector, depth)


def best(ids: Sequence[str], scores: NDArray[np.float32], depth: int) -> list[Scored]:
    """The highest scores with their ids, the best first; of equal ones the smaller id."""
    import numpy as np

    most = min(depth, len(ids))
    if most <= 0:
        return []
    # Everything from the last score that can be among them, so that equal ones at the border are ordered, too.
    border = np.partition(scores, len(ids) - most)[len(ids) - most]
    candidates = sorted((-float(scores[at]), ids[at]) for at in np.flatnonzero(scores >= border).tolist())
    return [(identifier, -score) for score, identifier in candidates[:most]]


# --- the file, which several processes may read and write at once


_VERSION = 1
_MOST_AT_ONCE = 500
_CHANGED = 0.2
_SCHEMA = (
    "CREATE TABLE file (path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, digest TEXT NOT NULL, problem TEXT) WITHOUT ROWID",
    """
    CREATE TABLE passage (
        id TEXT PRIMARY KEY, path TEXT NOT NULL, number INTEGER NOT NULL, title TEXT NOT NULL, place TEXT NOT NULL,
        text TEXT NOT NULL, lang TEXT NOT NULL, url TEXT NOT NULL, terms BLOB NOT NULL, key BLOB NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE INDEX passage_path ON passage (path)",
    "CREATE INDEX passage_key ON passage (key)",
    "CREATE TABLE vector (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE change (what TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID",
    "INSERT INTO change VALUES ('passages', 0), ('vectors', 0)",
    "CREATE TABLE lexicon (only INTEGER PRIMARY KEY CHECK (only = 1), number INTEGER NOT NULL, packed BLOB)",
)
_LATER = (
    "CREATE TABLE IF NOT EXISTS collection (name TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (name, path)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS encoder (only INTEGER PRIMARY KEY CHECK (only = 1), spec TEXT NOT NULL, identity TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS weight (only INTEGER PRIMARY KEY CHECK (only = 1), vector REAL, passages INTEGER NOT NULL)",
)
"""Tables that files of earlier versions lack; they are added to them."""
_FIRST_ENCODER = KeptEncoder(BUILT_IN, "use-multilingual-3/0.2")
"""What vectors of earlier versions were made with, which did not say it."""
_PASSAGE = "path, number, title, place, text, lang, url"
_KEEP_FILE = "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class _WordIndex:
    """The BM25 index of one state of the file."""

    number: int
    ids: list[str]
    lexicon: TermLexicon | None


class LocalPassages(SqliteFile):
    """The passages of one folder. Every change is whole or not there at all, whenever the process ends."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, schema=_SCHEMA, version=_VERSION, holds="passages")
        self._words: _WordIndex | None = None
        self._table: tuple[tuple[int, int], VectorTable] | None = None

    def _prepare(self, connection: sqlite3.Connection) -> None:
        super()._prepare(connection)
        for statement in _LATER:
            connection.execute(statement)

    # --- keeping

    def files(self) -> Mapping[str, KeptFile]:
        """Every file that was read, by its path."""
        with self._session() as connection:
            rows = connection.execute("SELECT * FROM file").fetchall()
        return {row[0]: KeptFile(*row) for row in rows}

    def file(self, path: str) -> KeptFile | None:
        """One file, as it is known this very moment."""
        with self._session() as connection:
            row = connection.execute("SELECT * FROM file WHERE path = ?", (path,)).fetchone()
        return KeptFile(*row) if row else None

    def replace(self, file: KeptFile, passages: Sequence[Passage], collections: Sequence[str] = ()) -> None:
        """Keep these passages instead of all that there were of the file, which is in these collections."""
        rows = [_passage_row(passage) for passage in passages]
        with self._changing("passages") as connection:
            connection.execute("DELETE FROM passage WHERE path = ?", (file.path,))
            connection.executemany("INSERT INTO passage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            connection.execute(_KEEP_FILE, astuple(file))
            connection.execute("DELETE FROM collection WHERE path = ?", (file.path,))
            named = [(name, file.path) for name in collections]
            connection.executemany("INSERT OR IGNORE INTO collection VALUES (?, ?)", named)

    def touch(self, file: KeptFile) -> None:
        """The file holds what it held; only its date is new."""
        with self._session() as connection:
            connection.execute(_KEEP_FILE, astuple(file))

    def remove(self, paths: Sequence[str]) -> None:
        """Forget these files and their passages."""
        with self._changing("passages") as connection:
            for path in paths:
                connection.execute("DELETE FROM passage WHERE path = ?", (path,))
                connection.execute("DELETE FROM file WHERE path = ?", (path,))
                connection.execute("DELETE FROM collection WHERE path = ?", (path,))

    def count(self) -> int:
        """How many passages there are."""
        with self._session() as connection:
            return int(connection.execute("SELECT count(*) FROM passage").fetchone()[0])

    def missing(self) -> int:
        """How many passages have no vector yet."""
        without = "SELECT count(*) FROM passage WHERE NOT EXISTS (SELECT 1 FROM vector WHERE vector.key = passage.key)"
        with self._session() as connection:
            return int(connection.execute(without).fetchone()[0])

    def without_vector(self, most: int) -> list[Passage]:
        """Some of the passages that have no vector yet."""
        without = f"SELECT {_PASSAGE} FROM passage WHERE NOT EXISTS (SELECT 1 FROM vector WHERE vector.key = passage.key) ORDER BY id LIMIT ?"
        with self._session() as connection:
            return [Passage(*row) for row in connection.execute(without, (most,))]

    def put_vectors(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        """Keep the vectors of these passages; equal texts share one."""
        rows = [(_vector_key(passage), vector.tobytes()) for passage, vector in zip(passages, vectors, strict=True)]
        with self._changing("vectors") as connection:
            connection.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", rows)

    def encoder(self) -> KeptEncoder | None:
        """The encoder that the vectors were made with; None where there are no vectors yet."""
        with self._session() as connection:
            kept = connection.execute("SELECT spec, identity FROM encoder").fetchone()
            if kept is not None:
                return KeptEncoder(*kept)
            return _FIRST_ENCODER if connection.execute("SELECT 1 FROM vector LIMIT 1").fetchone() else None

    def keep_encoder(self, encoder: KeptEncoder) -> None:
        """Vectors are made with this encoder from now on; those of another one are forgotten."""
        with self._changing("vectors") as connection:
            # Another process may have begun with the same encoder: what it has made so far stays.
            same = connection.execute("SELECT 1 FROM encoder WHERE identity = ?", (encoder.identity,)).fetchone()
            if not same:
                connection.execute("DELETE FROM vector")
                connection.execute("DELETE FROM weight")
            connection.execute("INSERT OR REPLACE INTO encoder VALUES (1, ?, ?)", (encoder.spec, encoder.identity))

    def weigh(self, embedder: Embedder) -> None:
        """Find out how much meaning counts beside words here; again only when there are a fifth more or fewer passages."""
        import numpy as np

        from veracity.retrieval.search.self_test import POOL, vector_weight

        # The key is a digest of the text: in its order, the first ones are a sample.
        sample = f"SELECT {_PASSAGE}, vector FROM passage JOIN vector USING (key) ORDER BY key LIMIT ?"
        count = self.count()
        with self._session() as connection:
            known = connection.execute("SELECT passages FROM weight").fetchone()
            if known is not None and abs(count - known[0]) <= _CHANGED * known[0]:
                return
            rows = connection.execute(sample, (POOL,)).fetchall()
        vectors = np.array([np.frombuffer(row[-1], dtype=np.float32) for row in rows])
        found = vector_weight([Passage(*row[:-1]) for row in rows], vectors, embedder)
        with self._session() as connection:
            connection.execute("INSERT OR REPLACE INTO weight VALUES (1, ?, ?)", (found, count))

    def vector_weight(self) -> float | None:
        """How much meaning counts, from 0 to 1; None where that is not known."""
        with self._session() as connection:
            known = connection.execute("SELECT vector FROM weight").fetchone()
        return None if known is None else known[0]

    def finish(self) -> None:
        """Forget vectors that nothing needs any more, and write the BM25 index down."""
        with self._session() as connection:
            connection.execute("DELETE FROM vector WHERE key NOT IN (SELECT key FROM passage)")
        self._current_words()

    @contextmanager
    def _changing(self, what: str) -> Iterator[sqlite3.Connection]:
        """One transaction that others see whole; it counts as a change."""
        with self._session() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("UPDATE change SET number = number + 1 WHERE what = ?", (what,))
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    # --- searching

    def lexical(self, query: str, depth: int, scope: str | None = None) -> list[Scored]:
        """The best passages by their words; those without any word of the query are left out."""
        import numpy as np

        words = self._current_words()
        if words.lexicon is None:
            return []
        scores = words.lexicon.scores(query_terms(query))
        if (wanted := self._within(scope)) is not None:
            scores = np.where([one in wanted for one in words.ids], scores, np.float32(0))
        found = best(words.ids, scores, depth)
        return [(identifier, score) for identifier, score in found if score > 0]

    def nearest(self, vector: Vectors, depth: int, scope: str | None = None) -> list[Scored]:
        """The best passages by the cosine of their vectors."""
        return self._current_table().nearest(vector, depth, self._within(scope))

    def _within(self, scope: str | None) -> frozenset[str] | None:
        """The passages of a collection; None for all of them."""
        if scope is None:
            return None
        joined = "SELECT id FROM passage JOIN collection USING (path) WHERE name = ?"
        with self._session() as connection:
            return frozenset(row[0] for row in connection.execute(joined, (scope,)))

    def passages(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages of these ids; one that is gone by now is left out."""
        found: dict[str, Passage] = {}
        with self._session() as connection:
            for start in range(0, len(ids), _MOST_AT_ONCE):
                part = ids[start : start + _MOST_AT_ONCE]
                marks = ", ".join("?" * len(part))
                rows = connection.execute(f"SELECT {_PASSAGE} FROM passage WHERE id IN ({marks})", part)
                found |= {passage.id: passage for passage in (Passage(*row) for row in rows)}
        return found

    def _current_words(self) -> _WordIndex:
        """The BM25 index of the passages as they are now: kept, read, or built and written."""
        with self._session() as connection:
            connection.execute("BEGIN")
            try:
                number = _change_number(connection, "passages")
                if self._words is not None and self._words.number == number:
                    return self._words
                ids = [row[0] for row in connection.execute("SELECT id FROM passage ORDER BY id")]
                kept = connection.execute("SELECT packed FROM lexicon WHERE number = ?", (number,)).fetchone()
                if kept is not None:
                    lexicon = TermLexicon.unpacked(zlib.decompress(kept[0])) if kept[0] is not None else None
                else:
                    lexicon = TermLexicon.build([_unpacked(row[0]) for row in _all_terms(connection)])
            finally:
                connection.execute("COMMIT")
            self._words = _WordIndex(number, ids, lexicon)
            if kept is None:
                packed = zlib.compress(lexicon.packed(), 1) if lexicon else None
                connection.execute("INSERT OR REPLACE INTO lexicon VALUES (1, ?, ?)", (number, packed))
            return self._words

    def _current_table(self) -> VectorTable:
        import numpy as np

        with self._session() as connection:
            connection.execute("BEGIN")
            try:
                number = (_change_number(connection, "passages"), _change_number(connection, "vectors"))
                if self._table is not None and self._table[0] == number:
                    return self._table[1]
                joined = "SELECT id, vector FROM passage JOIN vector USING (key) ORDER BY id"
                rows = connection.execute(joined).fetchall()
            finally:
                connection.execute("COMMIT")
            raw = b"".join(row[1] for row in rows)
            matrix = (
                np.frombuffer(raw, dtype=np.float32).reshape(len(rows), -1) if rows else np.zeros((0, 0), np.float32)
            )
            self._table = number, VectorTable([row[0] for row in rows], matrix)
            return self._table[1]


def _change_number(connection: sqlite3.Connection, what: str) -> int:
    return int(connection.execute("SELECT number FROM change WHERE what = ?", (what,)).fetchone()[0])


def _all_terms(connection: sqlite3.Connection) -> sqlite3.Cursor:
    return connection.execute("SELECT terms FROM passage ORDER BY id")


def _passage_row(passage: Passage) -> tuple[object, ...]:
    words = zlib.compress("\n".join(terms(passage.searched, passage.lang)).encode(), 1)
    return (passage.id, *astuple(passage), words, _vector_key(passage))


def _unpacked(words: bytes) -> list[str]:
    text = zlib.decompress(words).decode()
    return text.split("\n") if text else []


def _vector_key(passage: Passage) -> bytes:
    return sha256(passage.searched.encode()).digest()
