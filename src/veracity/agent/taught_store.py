"""The words that were taught, in one SQLite file for each tenant; several processes may teach at once."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from pathlib import Path

from veracity.contracts import clip
from veracity.durable.sqlite_file import SqliteFile, moment_written
from veracity.errors import UsageError
from veracity.ontology.overlay import TaughtWord, word_key
from veracity.settings import Settings
from veracity.wire import Wire

FILE = "taught.sqlite"
_VERSION = 1
_CREATE = """
    CREATE TABLE taught (
        number INTEGER PRIMARY KEY AUTOINCREMENT, taught_id TEXT NOT NULL UNIQUE, ontology TEXT NOT NULL,
        key TEXT NOT NULL, body TEXT NOT NULL, undone_at TEXT, undone_by TEXT
    )
"""
_ONE_MEANING = "CREATE UNIQUE INDEX taught_once ON taught (ontology, key) WHERE undone_at IS NULL"

Mark = tuple[int, int]
"""How much was taught and undone so far: it changes with every change."""


class KeptWord(Wire):
    """A taught word, and of which ontology it is."""

    ontology: str
    taught: TaughtWord


def new_taught_id() -> str:
    """An identifier that is short enough to type."""
    return secrets.token_hex(4)


class TaughtStore(SqliteFile):
    """What was taught to the ontologies of one tenant; what is undone stays in the file and is used no more."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, schema=(_CREATE, _ONE_MEANING), version=_VERSION, holds="taught words")

    @classmethod
    def default(cls, settings: Settings | None = None) -> TaughtStore:
        """The store in the data folder of this user."""
        return cls((settings or Settings.from_env()).home / FILE)

    def add(self, ontology: str, word: TaughtWord) -> None:
        """Keep a word; a word that was taught in between by somebody else is not taught twice."""
        row = (word.taught_id, ontology, " ".join(word.key), word.model_dump_json())
        with self._session() as connection:
            done = connection.execute(
                "INSERT INTO taught (taught_id, ontology, key, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", row
            )
        if not done.rowcount:
            raise UsageError(f"{word.word!r} was taught already; see: veracity ontology taught list")

    def words(self, ontology: str) -> tuple[TaughtWord, ...]:
        """What was taught to an ontology, the oldest first."""
        return tuple(one.taught for one in self.all_words() if one.ontology == ontology)

    def all_words(self) -> tuple[KeptWord, ...]:
        """What was taught to all of them, the oldest first."""
        if not self.path.exists():
            return ()
        with self._session() as connection:
            rows = connection.execute(
                "SELECT ontology, body FROM taught WHERE undone_at IS NULL ORDER BY number"
            ).fetchall()
            return tuple(KeptWord(ontology=one, taught=TaughtWord.model_validate_json(body)) for one, body in rows)

    def undo(self, named: str, *, who: str, ontology: str | None = None) -> KeptWord:
        """Use a word no more; it is named by its id or by itself."""
        key = word_key(named)
        found = [
            one
            for one in self.all_words()
            if (one.taught.taught_id == named or one.taught.key == key) and ontology in (None, one.ontology)
        ]
        if not found:
            raise UsageError(f"{clip(named, 40)!r} was not taught; see: veracity ontology taught list")
        if len(found) > 1:
            raise UsageError(f"{clip(named, 40)!r} was taught to several ontologies; name the one by its id.")
        with self._session() as connection:
            connection.execute(
                "UPDATE taught SET undone_at = ?, undone_by = ? WHERE taught_id = ? AND undone_at IS NULL",
                (moment_written(datetime.now(UTC)), who, found[0].taught.taught_id),
            )
        return found[0]

    def mark(self) -> Mark:
        """Changes with every change of the file, by whomever."""
        if not self.path.exists():
            return (0, 0)
        with self._session() as connection:
            row = connection.execute("SELECT coalesce(max(number), 0), count(undone_at) FROM taught").fetchone()
            return int(row[0]), int(row[1])
