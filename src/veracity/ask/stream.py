"""A question as a stream: what is being done, every call that came back, and the answer at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from veracity.agent.loop import Run, Watch
from veracity.agent.progress import ProgressEvent
from veracity.answer.answer import Answer
from veracity.contracts import QueryValidationError, ToolCallLog
from veracity.errors import VeracityError

StreamItem = ProgressEvent | ToolCallLog | QueryValidationError | Answer
"""What is being done, a call that came back, why a draft was sent back, and last the answer."""


@dataclass(slots=True)
class _Steps:
    """Looks on, and puts what it is told into a queue."""

    queue: asyncio.Queue[Any] = field(default_factory=asyncio.Queue)
    sent_back: int = 0

    def calling(self, tool: str, arguments: Any) -> None:
        """That a call runs is told as progress."""

    def called(self, log: ToolCallLog) -> None:
        """A call came back."""
        self.queue.put_nowait(log)

    def progress(self, event: ProgressEvent) -> None:
        """Something begins, or goes on."""
        self.queue.put_nowait(event)

    def round_done(self, run: Run) -> None:
        """A draft that was sent back is told, too."""
        for refusal in run.refusals[self.sent_back :]:
            self.queue.put_nowait(refusal)
        self.sent_back = len(run.refusals)


async def streamed(ask: Callable[[Watch], Awaitable[Answer]]) -> AsyncGenerator[StreamItem, None]:
    """What happens while a question is answered, then the answer; who stops listening stops the question."""
    steps, end = _Steps(), object()
    working = asyncio.ensure_future(ask(steps))
    working.add_done_callback(lambda _: steps.queue.put_nowait(end))
    try:
        while (told := await steps.queue.get()) is not end:
            yield told
        yield working.result()
    finally:
        working.cancel()
        with suppress(asyncio.CancelledError, VeracityError):
            await working
