"""Conversations: which answers belong together, what somebody calls them, and how they are found again.

A conversation belongs to the key that it was begun with; an admin sees all of the tenant. Its questions and answers are traces:
only their ids are kept here, with folded words to search in, and they are forgotten with the traces.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from veracity.agent.trace_store import TraceSummary, new_trace_id
from veracity.contracts import clip
from veracity.durable.database import DurableDatabase
from veracity.durable.sqlite_file import Timestamp, moment_written
from veracity.errors import UsageError
from veracity.language.folding import fold
from veracity.server.problems import NotThere, RequestRefused
from veracity.wire import Wire

if TYPE_CHECKING:
    import sqlalchemy as sa

    from veracity.server.keys import Caller

LONGEST_TITLE = 120
_LONGEST_FOLDED = 4_000
_MOST_WORDS = 10
_ID = re.compile(r"[\w-]{4,64}", re.ASCII)


class ConversationSummary(Wire):
    """One line of a list of conversations."""

    conversation_id: str
    title: str
    """The first question, until somebody renames it; empty before there is one."""
    who: str
    """The name of the key that it belongs to."""
    created_at: Timestamp
    updated_at: Timestamp
    """When it was begun, or when its last answer came."""
    turns: int
    """How many answers it has."""


class ConversationRecord(ConversationSummary):
    """A conversation with its questions and answers."""

    answers: tuple[TraceSummary, ...] = ()
    """In the order in which they came."""


class RenamedMeanwhile(RequestRefused):
    """A conversation has another title than the one that somebody wanted to replace; nothing was changed."""

    def __init__(self, title: str) -> None:
        super().__init__(
            409, f"It is called {title!r} by now, so that your title was not taken; look at it and rename it again."
        )
        self.title = title


class Conversations:
    """The conversations that a caller may see."""

    def __init__(
        self,
        durable: DurableDatabase,
        caller: Caller,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._durable, self._caller, self._clock = durable, caller, clock

    # --- look

    def latest(
        self, count: int = 20, *, before: str | None = None, search: str = "", everyone: bool = False
    ) -> list[ConversationSummary]:
        """Those with the newest answers first; of an admin's tenant, those of everyone.

        With `before`, those behind this one. With `search`, those that have each of its words in their title, a question
        or an answer.
        """
        import sqlalchemy as sa

        talk = self._talks.c
        wanted = self._visible(own=not everyone)
        for word in fold(search).text.split()[:_MOST_WORDS]:
            wanted = wanted.where(self._says(word))
        if before is not None:
            same = sa.select(talk.updated_at).where(talk.tenant == self._caller.tenant, talk.conversation_id == before)
            since = same.scalar_subquery()
            wanted = wanted.where(
                sa.or_(talk.updated_at < since, sa.and_(talk.updated_at == since, talk.conversation_id < before))
            )
        newest_first = (talk.updated_at.desc(), talk.conversation_id.desc())
        return [_summary(row) for row in self._durable.rows(wanted.order_by(*newest_first).limit(count), self._talks)]

    def get(self, conversation_id: str) -> ConversationSummary:
        """One that the caller may see; raises `NotThere`."""
        name = conversation_id.strip()
        wanted = self._visible().where(self._talks.c.conversation_id == name)
        found = self._durable.rows(wanted, self._talks) if _ID.fullmatch(name) else []
        if not found:
            raise NotThere(f"There is no conversation {clip(name, 40)!r}.")
        return _summary(found[0])

    def trace_ids(self, conversation_id: str, count: int, *, before: str | None = None) -> list[str]:
        """The traces of its last answers, in the order in which they came; with `before`, of those before this one."""
        import sqlalchemy as sa

        turn, name = self._turns.c, self.get(conversation_id).conversation_id
        wanted = sa.select(turn.trace_id).where(turn.tenant == self._caller.tenant, turn.conversation_id == name)
        if before is not None:
            at = sa.select(turn.kept_at).where(turn.tenant == self._caller.tenant, turn.trace_id == before)
            wanted = wanted.where(turn.kept_at < at.scalar_subquery())
        rows = self._durable.rows(wanted.order_by(turn.kept_at.desc(), turn.trace_id).limit(count), self._turns)
        return [row["trace_id"] for row in reversed(rows)]

    # --- change

    def begin(self, title: str = "") -> ConversationSummary:
        """A new one, of this caller."""
        now, said = self._clock(), clip(plain_title(title), LONGEST_TITLE)
        row = {
            "tenant": self._caller.tenant,
            "conversation_id": new_trace_id(now),
            "owner": self._owner,
            "who": self._caller.name or self._caller.key_id or self._caller.tenant,
            "title": said,
            "folded": fold(said).text,
            "created_at": moment_written(now),
            "updated_at": moment_written(now),
        }
        self._durable.prepare(self._talks, self._turns)
        with self._durable.session(quick=True) as connection:
            connection.execute(self._talks.insert().values(**row))
        return _summary({**row, "turns": 0})

    def add(self, conversation_id: str, trace_id: str, question: str, text: str) -> None:
        """Add an answer; the first question is the title of one that has none. A conversation that is gone stays so."""
        talk, now = self._talks.c, moment_written(self._clock())
        title = clip(plain_title(question), LONGEST_TITLE)
        turn = {
            "tenant": self._caller.tenant,
            "trace_id": trace_id,
            "conversation_id": conversation_id,
            "kept_at": now,
            "folded": fold(f"{question[:_LONGEST_FOLDED]} {text[:_LONGEST_FOLDED]}").text,
        }
        with self._durable.session(quick=True) as connection:
            here = self._row(conversation_id)
            if connection.execute(self._talks.update().where(*here).values(updated_at=now)).rowcount:
                untitled = self._talks.update().where(*here, talk.title == "")
                connection.execute(untitled.values(title=title, folded=fold(title).text))
                connection.execute(self._turns.insert().values(**turn))

    def rename(self, conversation_id: str, title: str, *, was: str) -> ConversationSummary:
        """Give it another title, if it still has the one that the caller saw; raises `RenamedMeanwhile`."""
        said = plain_title(title)
        if not said or len(said) > LONGEST_TITLE:
            raise UsageError(f"A title has 1 to {LONGEST_TITLE} characters; write one of that length.")
        known = self.get(conversation_id)
        seen = self._talks.update().where(*self._row(known.conversation_id), self._talks.c.title == was)
        with self._durable.session(quick=True) as connection:
            taken = connection.execute(seen.values(title=said, folded=fold(said).text)).rowcount
        now = self.get(conversation_id)
        if not taken and now.title != said:
            raise RenamedMeanwhile(now.title)
        return now

    def delete(self, conversation_id: str) -> ConversationSummary:
        """Forget it; the traces of its answers stay."""
        known = self.get(conversation_id)
        turn = self._turns.c
        with self._durable.session(quick=True) as connection:
            connection.execute(self._talks.delete().where(*self._row(known.conversation_id)))
            connection.execute(
                self._turns.delete().where(
                    turn.tenant == self._caller.tenant, turn.conversation_id == known.conversation_id
                )
            )
        return known

    # --- which rows

    @property
    def _owner(self) -> str:
        return self._caller.key_id or ""

    def _row(self, conversation_id: str) -> tuple[sa.ColumnElement[bool], ...]:
        """The conditions for one row that the caller may see."""
        talk = self._talks.c
        return (*self._conditions(), talk.conversation_id == conversation_id)

    def _conditions(self, *, own: bool = False) -> tuple[sa.ColumnElement[bool], ...]:
        talk = self._talks.c
        mine = () if self._caller.may("admin") and not own else (talk.owner == self._owner,)
        return (talk.tenant == self._caller.tenant, *mine)

    def _visible(self, *, own: bool = False) -> sa.Select[Any]:
        import sqlalchemy as sa

        talk, turn = self._talks.c, self._turns.c
        same = sa.and_(turn.tenant == talk.tenant, turn.conversation_id == talk.conversation_id)
        count = sa.select(sa.func.count()).select_from(self._turns).where(same).scalar_subquery().label("turns")
        return sa.select(self._talks, count).where(*self._conditions(own=own))

    def _says(self, word: str) -> sa.ColumnElement[bool]:
        """A word is in the title, in a question or in an answer."""
        import sqlalchemy as sa

        talk, turn = self._talks.c, self._turns.c
        said = sa.exists().where(
            turn.tenant == talk.tenant,
            turn.conversation_id == talk.conversation_id,
            turn.folded.contains(word, autoescape=True),
        )
        return sa.or_(talk.folded.contains(word, autoescape=True), said)

    @cached_property
    def _talks(self) -> sa.Table:
        return _conversation_table(self._durable)

    @cached_property
    def _turns(self) -> sa.Table:
        return _turn_table(self._durable)


def plain_title(text: str) -> str:
    """A title on one line, without signs that nobody can see."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def forget_conversations(durable: DurableDatabase, before: datetime, most: int) -> int:
    """Forget conversations that had no answer since this moment, and older answers of all; returns how many."""
    talks, turns, until = _conversation_table(durable), _turn_table(durable), moment_written(before)
    gone = durable.delete(talks, talks.c.updated_at < until, most), durable.delete(turns, turns.c.kept_at < until, most)
    return max(gone)


def _summary(row: dict[str, Any]) -> ConversationSummary:
    return ConversationSummary.model_validate({name: row[name] for name in ConversationSummary.model_fields})


def _conversation_table(durable: DurableDatabase) -> sa.Table:
    import sqlalchemy as sa

    keys = [sa.Column(name, sa.Text, primary_key=True) for name in ("tenant", "conversation_id")]
    names = ("owner", "who", "title", "folded", "created_at", "updated_at")
    others = [sa.Column(name, sa.Text, nullable=False) for name in names]
    newest = sa.Index("veracity_conversation_updated", "tenant", "updated_at")
    return durable.table("veracity_conversation", *keys, *others, newest)


def _turn_table(durable: DurableDatabase) -> sa.Table:
    import sqlalchemy as sa

    keys = [sa.Column(name, sa.Text, primary_key=True) for name in ("tenant", "trace_id")]
    others = [sa.Column(name, sa.Text, nullable=False) for name in ("conversation_id", "kept_at", "folded")]
    order = sa.Index("veracity_turn_order", "tenant", "conversation_id", "kept_at")
    return durable.table("veracity_turn", *keys, *others, order)
