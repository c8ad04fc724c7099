"""The words that were taught, in the store, each with its tenant; several processes may teach at once."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

from veracity.contracts import clip
from veracity.durable.database import LOCAL
from veracity.durable.kept_rows import KeptTable, Place, damage_told, rows_in, store_of
from veracity.durable.sqlite_file import Timestamp, moment_written
from veracity.errors import UsageError
from veracity.ontology.overlay import TaughtWord, word_key
from veracity.settings import Settings
from veracity.wire import Wire

TABLE = KeptTable(
    "veracity_taught",
    "taught words",
    key=("tenant", "taught_id"),
    others=("ontology", "word_key", "taught_at", "body", "undone_at", "undone_by"),
    optional=frozenset({"undone_at", "undone_by"}),
    once=("tenant", "ontology", "word_key"),
    once_where="undone_at IS NULL",
)

_ADD = (
    f"INSERT INTO {{table}} ({', '.join(TABLE.columns)}) VALUES ({', '.join('?' for _ in TABLE.columns)}) "
    "ON CONFLICT DO NOTHING"
)

Mark = tuple[int, int]
"""How much was taught and undone so far: it changes with every change."""


class KeptWord(Wire):
    """A taught word, and of which ontology it is."""

    ontology: str
    taught: TaughtWord


class UndoneWord(Wire):
    """A word that was taught and is used no more."""

    taught: TaughtWord
    undone_at: Timestamp
    undone_by: str


def new_taught_id() -> str:
    """An identifier that is short enough to type."""
    return secrets.token_hex(4)


class TaughtStore:
    """What was taught to the ontologies of one tenant; what is undone stays in the store and is used no more."""

    def __init__(self, place: Place, tenant: str = LOCAL) -> None:
        self._rows, self._tenant = rows_in(place, TABLE), tenant

    @classmethod
    def default(cls, settings: Settings | None = None) -> TaughtStore:
        """The taught words in the store of this user."""
        return cls(store_of(settings))

    def add(self, ontology: str, word: TaughtWord) -> None:
        """Keep a word; a word that was taught in between by somebody else is not taught twice."""
        when = moment_written(word.taught_at)
        row = (self._tenant, word.taught_id, ontology, " ".join(word.key), when, word.model_dump_json(), None, None)
        if not self._rows.write(_ADD, row):
            raise UsageError(f"{word.word!r} was taught already; see: veracity ontology taught list")

    def words(self, ontology: str) -> tuple[TaughtWord, ...]:
        """What was taught to an ontology, the oldest first."""
        return tuple(one.taught for one in self.all_words() if one.ontology == ontology)

    def all_words(self) -> tuple[KeptWord, ...]:
        """What was taught to all of them, the oldest first."""
        wanted = (
            "SELECT ontology, body FROM {table} WHERE tenant = ? AND undone_at IS NULL ORDER BY taught_at, taught_id"
        )
        rows = self._rows.read(wanted, self._tenant)
        with damage_told(TABLE):
            return tuple(KeptWord(ontology=one, taught=TaughtWord.model_validate_json(body)) for one, body in rows)

    def undone(self, ontology: str) -> tuple[UndoneWord, ...]:
        """What was taught to an ontology and undone again, the last first."""
        wanted = (
            "SELECT body, undone_at, undone_by FROM {table} "
            "WHERE tenant = ? AND ontology = ? AND undone_at IS NOT NULL ORDER BY undone_at DESC, taught_id"
        )
        return tuple(
            UndoneWord(taught=TaughtWord.model_validate_json(body), undone_at=at, undone_by=by or "")
            for body, at, by in self._rows.read(wanted, self._tenant, ontology)
        )

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
        self._rows.write(
            "UPDATE {table} SET undone_at = ?, undone_by = ? WHERE tenant = ? AND taught_id = ? AND undone_at IS NULL",
            (moment_written(datetime.now(UTC)), who, self._tenant, found[0].taught.taught_id),
        )
        return found[0]

    def mark(self) -> Mark:
        """Changes with every change of the store, by whomever: nothing that was taught is ever deleted."""
        rows = self._rows.read("SELECT count(*), count(undone_at) FROM {table} WHERE tenant = ?", self._tenant)
        return (int(rows[0][0]), int(rows[0][1])) if rows else (0, 0)
