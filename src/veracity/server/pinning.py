"""Answers pinned to boards, and proven again: the query is asked anew, and held against what it said then."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from veracity.agent.recorder import KeptTrace
from veracity.answer.answer import Answer, Outcome
from veracity.contracts import QueryValidationError
from veracity.errors import UsageError, VeracityError, told_to_others
from veracity.semantic.checking.read import read_query
from veracity.semantic.query import SemanticQuery, to_json
from veracity.server.boards import BoardSummary, PinnedAnswer, PinProof

if TYPE_CHECKING:
    from veracity.ask.data_agent import DataAgent
    from veracity.server.keys import Caller
    from veracity.server.parts import Parts


class NotPinnable(UsageError):
    """An answer that cannot be asked again, so that no board can prove it."""

    def __init__(self) -> None:
        super().__init__("Only a proven answer with a query can be pinned; this one has none. Pin another answer.")


@dataclass(frozen=True, slots=True)
class ProvenPin:
    """A pinned answer, what came of asking it again, and that answer."""

    pin: PinnedAnswer
    proof: PinProof
    answer: Answer | None


class Pinning:
    """Pins answers for a caller, and proves those of a board."""

    def __init__(self, parts: Parts, caller: Caller) -> None:
        self._parts, self._caller = parts, caller
        self._boards = parts.database.boards(caller)

    async def pin_trace(self, board_id: str, trace_id: str, title: str = "") -> BoardSummary:
        """Pin the answer of a trace."""
        record = await asyncio.to_thread(self._parts.agents.trace, self._caller, trace_id)
        kept = KeptTrace.of(record)
        answer = kept.answer if kept is not None else None
        if answer is None or answer.semantic_query is None or answer.outcome is not Outcome.ANSWERED:
            raise NotPinnable
        return await self.pin(board_id, answer.semantic_query, lang=record.lang, title=title or answer.question)

    async def pin(self, board_id: str, query: dict[str, object], *, lang: str, title: str = "") -> BoardSummary:
        """Pin a query, with the answer that it has now."""
        await asyncio.to_thread(self._boards.get, board_id)
        read = read_query(query)
        if isinstance(read, QueryValidationError):
            raise UsageError(f"The query cannot be read: {read.hint}")
        agent = await asyncio.to_thread(self._parts.agents.of, self._caller)
        answer = await _asked(agent, read, lang)
        if answer.outcome is not Outcome.ANSWERED or answer.semantic_query is None:
            raise NotPinnable
        source, told = agent.tools.source.name, title or answer.question
        pin = self._boards.new_pin(title=told, query=to_json(read), lang=lang, source=source)
        pin = pin.model_copy(update={"text": answer.text, "digests": _digests(answer)})
        return await asyncio.to_thread(self._boards.pin, board_id, pin)

    async def proven(self, board_id: str) -> tuple[BoardSummary, list[ProvenPin]]:
        """A board with its answers, each proven again."""
        board = await asyncio.to_thread(self._boards.get, board_id)
        pins = await asyncio.to_thread(self._boards.pins, board.board_id)
        if not pins:
            return board, []
        agent = await asyncio.to_thread(self._parts.agents.of, self._caller)
        return board, [await _proven(agent, pin) for pin in pins]


async def _asked(agent: DataAgent, query: SemanticQuery, lang: str) -> Answer:
    """The answer of a query; no trace is kept of it."""
    return await replace(agent, traces=None, events=None).ask_query(query, lang=lang)


async def _proven(agent: DataAgent, pin: PinnedAnswer) -> ProvenPin:
    now = datetime.now(UTC)
    if pin.source != agent.tools.source.name:
        reason = f"It was asked of the source {pin.source!r}, which is not the one in use."
        return ProvenPin(pin, PinProof(pin_id=pin.pin_id, state="unproven", text=reason, proven_at=now), None)
    try:
        answer = await _asked(agent, SemanticQuery.model_validate(pin.query), pin.lang)
    except (VeracityError, ValueError) as error:
        reason = told_to_others(error) if isinstance(error, VeracityError) else "The query cannot be read any more."
        return ProvenPin(pin, PinProof(pin_id=pin.pin_id, state="unproven", text=reason, proven_at=now), None)
    if answer.outcome is not Outcome.ANSWERED:
        proof = PinProof(pin_id=pin.pin_id, state="unproven", text=answer.text, proven_at=now)
        return ProvenPin(pin, proof, None)
    same = _digests(answer) == pin.digests
    before, after = pin.text.splitlines(), answer.text.splitlines()
    proof = PinProof(
        pin_id=pin.pin_id,
        state="same" if same else "changed",
        text=answer.text,
        before=() if same else tuple(line for line in before if line not in after),
        now=() if same else tuple(line for line in after if line not in before),
        proven_at=now,
    )
    return ProvenPin(pin, proof, answer)


def _digests(answer: Answer) -> tuple[str, ...]:
    return tuple(source.digest for source in answer.sources)
