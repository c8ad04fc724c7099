"""Questions that run on when the page is left: the answer is in the conversation when somebody comes back.

A question belongs to the process that it was asked in. Where it stands is kept in the cache that all processes share, so that
each of them can show it, and can have it stopped.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from time import time
from typing import TYPE_CHECKING, Any

from veracity.agent.loop import Run, Watch
from veracity.agent.progress import Doing, ProgressEvent
from veracity.answer.answer import Answer
from veracity.contracts import QueryValidationError, ToolCallLog
from veracity.errors import VeracityError
from veracity.server.agents import SAVED
from veracity.server.problems import LOG
from veracity.wire import Wire

if TYPE_CHECKING:
    from veracity.server.conversations import Conversations
    from veracity.server.database import SharedCache
    from veracity.server.keys import Caller

Told = ProgressEvent | ToolCallLog | QueryValidationError | Answer
"""What is told of a question while it runs, and its answer at the end."""
_FIRST, _EVERY = 0.3, 1.0
"""Seconds until it is kept where a question stands, and then how often."""


class RunningState(Wire):
    """Where a question stands."""

    run_id: str
    question: str
    began: float
    """As seconds since 1970."""
    step: Doing = Doing.READING
    detail: str = ""
    tokens: int = 0

    @property
    def seconds(self) -> float:
        """Since it was asked."""
        return max(0.0, time() - self.began)


@dataclass(slots=True, eq=False)
class RunningQuestion:
    """A question that is being answered in this process, and those who look on."""

    state: RunningState
    told: list[Told] = field(default_factory=list)
    """All that was told so far, for whoever comes later."""
    is_over: bool = False
    listeners: list[asyncio.Event] = field(default_factory=list)
    task: asyncio.Task[Answer] | None = None
    sent_back: int = 0
    trace_id: str = ""
    """That of the trace of a question that was cut off."""

    def calling(self, tool: str, arguments: Any) -> None:
        """That a call runs is told as progress."""

    def called(self, log: ToolCallLog) -> None:
        """A call came back."""
        self._tell(log)

    def progress(self, event: ProgressEvent) -> None:
        """Something begins, or goes on."""
        told = {"step": event.step, "detail": event.detail, "tokens": event.tokens}
        self.state = self.state.model_copy(update=told)
        self._tell(event)

    def round_done(self, run: Run) -> None:
        """A draft that was sent back is told, too."""
        for refusal in run.refusals[self.sent_back :]:
            self._tell(refusal)
        self.sent_back = len(run.refusals)

    def _tell(self, told: Told) -> None:
        self.told.append(told)
        self._wake()

    def _wake(self) -> None:
        for listener in self.listeners:
            listener.set()

    async def events(self) -> AsyncGenerator[Told, None]:
        """What was told and what comes, until it is over; who stops listening changes nothing."""
        more, at = asyncio.Event(), 0
        self.listeners.append(more)
        try:
            while True:
                for told in self.told[at:]:
                    at += 1
                    yield told
                if self.is_over and at == len(self.told):
                    return
                await more.wait()
                more.clear()
        finally:
            self.listeners.remove(more)

    def over(self) -> None:
        """Tell those who look on that nothing more comes."""
        self.is_over = True
        self._wake()


class RunningQuestions:
    """The questions that run in this process, and where those of all processes stand."""

    def __init__(self, cache: SharedCache, longest: float) -> None:
        self._cache, self._longest = cache, longest
        self._running: dict[tuple[str, str], list[RunningQuestion]] = {}

    def start(
        self,
        caller: Caller,
        conversation: str,
        question: str,
        *,
        ask: Callable[[Watch], Awaitable[Answer]],
        kept: Conversations,
    ) -> RunningQuestion:
        """Answer a question, whoever looks on; one that is cut off is kept in the conversation, too."""
        state = RunningState(run_id=secrets.token_hex(8), question=question, began=time())
        made = RunningQuestion(state)
        place = (caller.tenant, conversation)
        self._running.setdefault(place, []).append(made)
        made.task = asyncio.create_task(self._work(made, place, ask, kept))
        # Somebody may ask for the result later, or nobody at all: that is no error of its own.
        made.task.add_done_callback(lambda task: task.cancelled() or task.exception())
        return made

    async def _work(
        self,
        made: RunningQuestion,
        place: tuple[str, str],
        ask: Callable[[Watch], Awaitable[Answer]],
        kept: Conversations,
    ) -> Answer:
        saved: list[str] = []
        SAVED.set(saved)
        ended = asyncio.Event()
        keeping = asyncio.create_task(self._keep_state(made, place, ended))
        try:
            return await ask(made)
        except BaseException:
            if saved:
                made.trace_id = saved[-1]
                with suppress(VeracityError):
                    await asyncio.to_thread(kept.add, place[1], saved[-1], made.state.question, "")
            raise
        finally:
            ended.set()
            # Never cut off in the middle: what it writes last has to be the last that is written.
            await keeping
            self._running[place].remove(made)
            if not self._running[place]:
                del self._running[place]
            made.over()

    async def _keep_state(self, made: RunningQuestion, place: tuple[str, str], ended: asyncio.Event) -> None:
        """Tell the other processes where the question stands, and hear from them when it is to be stopped."""
        if await _is_set_within(ended, _FIRST):
            return
        while True:
            told = made.state.model_dump(mode="json")
            await asyncio.to_thread(self._cache.put, _state_key(place), told, seconds=self._longest)
            stopped = await asyncio.to_thread(self._cache.get, _stop_key(made.state.run_id))
            if stopped and made.task is not None:
                made.task.cancel()
            if stopped or await _is_set_within(ended, _EVERY):
                # Nothing stands there any more; an empty value is as good as none.
                await asyncio.to_thread(self._cache.put, _state_key(place), None, seconds=1)
                return

    def of(self, tenant: str, conversation: str) -> RunningState | None:
        """Where the question of a conversation stands, in whichever process it runs."""
        here = self._running.get((tenant, conversation))
        if here:
            return here[-1].state
        told = self._cache.get(_state_key((tenant, conversation)))
        return RunningState.model_validate(told) if told else None

    async def stop(self, tenant: str, conversation: str) -> bool:
        """End what runs in a conversation, and wait until that is kept; whether something ran."""
        here = list(self._running.get((tenant, conversation), ()))
        for one in here:
            if one.task is not None:
                one.task.cancel()
                await asyncio.wait({one.task})
        if here:
            return True
        elsewhere = await asyncio.to_thread(self.of, tenant, conversation)
        if elsewhere is not None:
            await asyncio.to_thread(self._cache.put, _stop_key(elsewhere.run_id), True, seconds=60)
        return elsewhere is not None

    async def close(self, seconds: float) -> None:
        """Let what runs end, at most so long; then cut it off."""
        tasks = {one.task for several in self._running.values() for one in several if one.task is not None}
        if not tasks:
            return
        _, left = await asyncio.wait(tasks, timeout=seconds)
        for task in left:
            task.cancel()
        if left:
            LOG.warning("questions were cut off", extra={"fields": {"count": len(left)}})
            await asyncio.wait(left)


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    return event.is_set()


def _state_key(place: tuple[str, str]) -> str:
    return f"running:{place[0]}:{place[1]}"


def _stop_key(run_id: str) -> str:
    return f"stop:{run_id}"
