"""Boards: answers that somebody pinned, which everyone of the tenant can open and change.

A pin keeps its query, and the answer as it was then: a board asks its queries again when it is opened. Every change of a board
counts its version up. Whoever changes what another has changed meanwhile is told, and nothing is lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from veracity.agent.trace_store import new_trace_id
from veracity.contracts import clip
from veracity.durable.database import DurableDatabase
from veracity.durable.sqlite_file import Timestamp, moment_written
from veracity.errors import UsageError
from veracity.server.conversations import plain_title
from veracity.server.problems import NotThere, RequestRefused
from veracity.wire import Wire

if TYPE_CHECKING:
    import sqlalchemy as sa

    from veracity.server.keys import Caller

LONGEST_NAME = 120
MOST_PINS, MOST_BOARDS = 24, 200
_ID = re.compile(r"[\w-]{4,64}", re.ASCII)


class BoardSummary(Wire):
    """One line of a list of boards."""

    board_id: str
    name: str
    version: int
    """Counts every change; a change names the version that it was made on."""
    who: str
    """Who made it."""
    created_at: Timestamp
    updated_at: Timestamp
    pins: int
    """How many answers it has."""


class PinnedAnswer(Wire):
    """An answer as it was when somebody pinned it."""

    pin_id: str
    title: str
    query: dict[str, Any]
    """The semantic query that is asked again."""
    lang: str
    source: str
    """The name of the source that it was asked of."""
    text: str
    """The answer as it was."""
    digests: tuple[str, ...]
    """Digests of the rows that it rested on."""
    who: str
    pinned_at: Timestamp


class PinProof(Wire):
    """What came of asking a pinned query again."""

    pin_id: str
    state: Literal["same", "changed", "unproven"]
    """Unproven: the query has no answer now; `text` says why."""
    text: str
    before: tuple[str, ...] = ()
    """Lines of the pinned answer that are no longer there."""
    now: tuple[str, ...] = ()
    """Lines that were not there then."""
    proven_at: Timestamp


class ChangedMeanwhile(RequestRefused):
    """A board has another version than the one that somebody changed; nothing was done."""

    def __init__(self, board: BoardSummary) -> None:
        super().__init__(
            409,
            f"The board {board.name!r} was changed meanwhile, so that nothing was done; open it again and repeat your change.",
        )
        self.board = board


class Boards:
    """The boards of a caller's tenant."""

    def __init__(
        self, durable: DurableDatabase, caller: Caller, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._durable, self._caller, self._clock = durable, caller, clock

    # --- look

    def all(self) -> list[BoardSummary]:
        """All of the tenant, the one that was changed last first."""
        board = self._boards.c
        wanted = self._counted().order_by(board.updated_at.desc(), board.board_id.desc()).limit(MOST_BOARDS)
        return [_summary(row) for row in self._durable.rows(wanted, self._boards)]

    def get(self, board_id: str) -> BoardSummary:
        """One of the tenant; raises `NotThere`."""
        name = board_id.strip()
        wanted = self._counted().where(self._boards.c.board_id == name)
        found = self._durable.rows(wanted, self._boards) if _ID.fullmatch(name) else []
        if not found:
            raise NotThere(f"There is no board {clip(name, 40)!r}.")
        return _summary(found[0])

    def pins(self, board_id: str) -> list[PinnedAnswer]:
        """The answers of a board, in the order that people gave them; a new one comes last."""
        pin = self._pins.c
        here = self._pins.select().where(*self._of(self._pins, board_id))
        rows = self._durable.rows(here.order_by(pin.place, pin.pinned_at, pin.pin_id), self._pins)
        return [PinnedAnswer.model_validate(json.loads(row["body"])) for row in rows]

    # --- change

    def make(self, name: str) -> BoardSummary:
        """A new one, without an answer."""
        said, now = _checked_name(name), self._clock()
        if len(self.all()) >= MOST_BOARDS:
            raise UsageError(f"There are {MOST_BOARDS} boards; delete one first.")
        row = {
            "tenant": self._caller.tenant,
            "board_id": new_trace_id(now),
            "name": said,
            "version": 1,
            "owner": self._caller.key_id or "",
            "who": self._who,
            "created_at": moment_written(now),
            "updated_at": moment_written(now),
        }
        self._durable.prepare(self._boards, self._pins)
        with self._durable.session(quick=True) as connection:
            connection.execute(self._boards.insert().values(**row))
        return _summary({**row, "pins": 0})

    def pin(self, board_id: str, answer: PinnedAnswer) -> BoardSummary:
        """Add an answer. That takes nothing away from what others do, so that it needs no version."""
        board = self.get(board_id)
        if board.pins >= MOST_PINS:
            raise UsageError(f"The board has {MOST_PINS} answers; remove one or make another board.")
        row = {
            "tenant": self._caller.tenant,
            "board_id": board.board_id,
            "pin_id": answer.pin_id,
            "pinned_at": moment_written(answer.pinned_at),
            "body": answer.model_dump_json(),
        }
        with self._durable.session(quick=True) as connection:
            if not connection.execute(self._next_version(board.board_id)).rowcount:
                raise NotThere(f"There is no board {clip(board_id, 40)!r}.")
            connection.execute(self._pins.insert().values(**row, place=self._next_place(board.board_id)))
        return self.get(board_id)

    def new_pin(self, *, title: str, query: dict[str, Any], lang: str, source: str) -> PinnedAnswer:
        """An answer to be pinned by this caller, still without its text."""
        now = self._clock()
        return PinnedAnswer(
            pin_id=new_trace_id(now),
            title=clip(plain_title(title), LONGEST_NAME),
            query=query,
            lang=lang,
            source=source,
            text="",
            digests=(),
            who=self._who,
            pinned_at=now,
        )

    def rename(self, board_id: str, name: str, *, version: int) -> BoardSummary:
        """Give it another name, if it is still as the caller saw it; raises `ChangedMeanwhile`."""
        said, board = _checked_name(name), self.get(board_id)
        with self._durable.session(quick=True) as connection:
            self._take(connection, board, version, name=said)
        return self.get(board_id)

    def unpin(self, board_id: str, pin_id: str, *, version: int) -> BoardSummary:
        """Take an answer off, if the board is still as the caller saw it; raises `ChangedMeanwhile`."""
        board = self.get(board_id)
        if all(one.pin_id != pin_id for one in self.pins(board.board_id)):
            raise NotThere(f"The board has no answer {clip(pin_id, 40)!r}.")
        with self._durable.session(quick=True) as connection:
            self._take(connection, board, version)
            here = (*self._of(self._pins, board.board_id), self._pins.c.pin_id == pin_id)
            connection.execute(self._pins.delete().where(*here))
        return self.get(board_id)

    def move(self, board_id: str, pin_id: str, place: int, *, version: int) -> BoardSummary:
        """Put an answer at another place, 1 is the first; raises `ChangedMeanwhile`."""
        board, order = self.get(board_id), [one.pin_id for one in self.pins(board_id)]
        if pin_id not in order:
            raise NotThere(f"The board has no answer {clip(pin_id, 40)!r}.")
        if not 1 <= place <= len(order):
            raise UsageError(f"The board has the places 1 to {len(order)}; name one of them.")
        order.remove(pin_id)
        order.insert(place - 1, pin_id)
        with self._durable.session(quick=True) as connection:
            self._take(connection, board, version)
            for number, one in enumerate(order, start=1):
                here = (*self._of(self._pins, board.board_id), self._pins.c.pin_id == one)
                connection.execute(self._pins.update().where(*here).values(place=number))
        return self.get(board_id)

    def delete(self, board_id: str, *, version: int) -> BoardSummary:
        """Delete it with its pins, if it is still as the caller saw it; only who made it and an admin may."""
        board = self.get(board_id)
        if not self._may_delete(board.board_id):
            raise RequestRefused(403, f"Only {board.who!r}, who made the board, and an admin may delete it.")
        with self._durable.session(quick=True) as connection:
            self._take(connection, board, version)
            for table in (self._boards, self._pins):
                connection.execute(table.delete().where(*self._of(table, board.board_id)))
        return board

    def _take(self, connection: sa.Connection, board: BoardSummary, version: int, **changed: str) -> None:
        """Count the version up, if it is the one that the caller saw."""
        seen = self._next_version(board.board_id).where(self._boards.c.version == version)
        if not connection.execute(seen.values(**changed) if changed else seen).rowcount:
            raise ChangedMeanwhile(board)

    def _next_version(self, board_id: str) -> sa.Update:
        here = self._boards.update().where(*self._of(self._boards, board_id))
        return here.values(version=self._boards.c.version + 1, updated_at=moment_written(self._clock()))

    # --- which rows

    def _next_place(self, board_id: str) -> sa.ScalarSelect[int]:
        import sqlalchemy as sa

        last = sa.func.coalesce(sa.func.max(self._pins.c.place), 0)
        return sa.select(last + 1).where(*self._of(self._pins, board_id)).scalar_subquery()

    @property
    def _who(self) -> str:
        return self._caller.name or self._caller.key_id or self._caller.tenant

    def _may_delete(self, board_id: str) -> bool:
        if self._caller.may("admin"):
            return True
        here = self._boards.select().where(*self._of(self._boards, board_id))
        return [row["owner"] for row in self._durable.rows(here, self._boards)] == [self._caller.key_id or ""]

    def _of(self, table: sa.Table, board_id: str) -> tuple[sa.ColumnElement[bool], ...]:
        return (table.c.tenant == self._caller.tenant, table.c.board_id == board_id)

    def _counted(self) -> sa.Select[Any]:
        import sqlalchemy as sa

        board, pin = self._boards.c, self._pins.c
        self._durable.prepare(self._boards, self._pins)
        same = sa.and_(pin.tenant == board.tenant, pin.board_id == board.board_id)
        count = sa.select(sa.func.count()).select_from(self._pins).where(same).scalar_subquery().label("pins")
        return sa.select(self._boards, count).where(board.tenant == self._caller.tenant)

    @cached_property
    def _boards(self) -> sa.Table:
        import sqlalchemy as sa

        keys = [sa.Column(name, sa.Text, primary_key=True) for name in ("tenant", "board_id")]
        names = ("name", "owner", "who", "created_at", "updated_at")
        others = [sa.Column(name, sa.Text, nullable=False) for name in names]
        return self._durable.table("veracity_board", *keys, *others, sa.Column("version", sa.Integer, nullable=False))

    @cached_property
    def _pins(self) -> sa.Table:
        import sqlalchemy as sa

        keys = [sa.Column(name, sa.Text, primary_key=True) for name in ("tenant", "board_id", "pin_id")]
        others = [sa.Column(name, sa.Text, nullable=False) for name in ("pinned_at", "body")]
        # Pins of an earlier version have no place: they stay first, in the order in which they were pinned.
        place = sa.Column("place", sa.Integer, nullable=False, server_default="0")
        return self._durable.table("veracity_pin", *keys, *others, place)


def _checked_name(name: str) -> str:
    said = plain_title(name)
    if not said or len(said) > LONGEST_NAME:
        raise UsageError(f"The name of a board has 1 to {LONGEST_NAME} characters; write one of that length.")
    return said


def _summary(row: dict[str, Any]) -> BoardSummary:
    return BoardSummary.model_validate({name: row[name] for name in BoardSummary.model_fields})
