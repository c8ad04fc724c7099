"""What happens right now while a question is answered, and for how long already: small events for whoever looks on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from enum import StrEnum
from time import perf_counter
from typing import Protocol

from veracity.wire import Wire


class Doing(StrEnum):
    """What is being done."""

    READING = "reading"
    ASKING = "asking"
    """A model was asked, and has not replied yet."""
    REPLIED = "replied"
    """A model replied; the event tells the tokens of all turns so far."""
    CHECKING = "checking"
    RUNNING = "running"
    WORDING = "wording"
    DONE = "done"


_IN_WORDS = {
    Doing.READING: "reading the question",
    Doing.ASKING: "asking the model",
    Doing.REPLIED: "the model replied",
    Doing.CHECKING: "checking",
    Doing.RUNNING: "running",
    Doing.WORDING: "wording the answer",
    Doing.DONE: "done",
}


class ProgressEvent(Wire):
    """What is being done now."""

    step: Doing
    seconds: float
    """Since the question was asked."""
    tokens: int = 0
    """Of all turns of the model so far, in and out."""
    detail: str = ""
    """Which call; no row of a result, and no address."""

    @property
    def words(self) -> str:
        """For people: running queryTable Sale, 812 tokens."""
        counted = f", {self.tokens} token{'' if self.tokens == 1 else 's'}" if self.tokens else ""
        return f"{_IN_WORDS[self.step]}{f' {self.detail}' if self.detail else ''}{counted}"


class Tell(Protocol):
    """Tells those who look on what is being done now."""

    def __call__(self, step: Doing, detail: str = "", *, tokens: int = 0) -> None:
        """`tokens` are those that were spent since the last time."""


class ProgressWatch(Protocol):
    """Someone who is told what is being done."""

    def progress(self, event: ProgressEvent) -> None:
        """Something begins, or is over."""


def silent(step: Doing, detail: str = "", *, tokens: int = 0) -> None:
    """Tell nobody."""
    _ = step, detail, tokens


class Teller:
    """Tells several watches, with the seconds since it was made."""

    def __init__(self, watches: Sequence[ProgressWatch], clock: Callable[[], float] = perf_counter) -> None:
        self._watches, self._clock, self._began = watches, clock, clock()
        self._tokens, self._last = 0, (Doing.READING, "")

    def __call__(self, step: Doing, detail: str = "", *, tokens: int = 0) -> None:
        """Tell each of them."""
        self._tokens, self._last = self._tokens + tokens, (step, detail)
        seconds = round(self._clock() - self._began, 3)
        event = ProgressEvent(step=step, seconds=seconds, tokens=self._tokens, detail=detail)
        for watch in self._watches:
            watch.progress(event)

    @asynccontextmanager
    async def ticking(self, every: float = 2.0) -> AsyncIterator[None]:
        """While something is waited for, tell again and again what it is, so that the seconds go on."""

        async def tick() -> None:
            while True:
                await asyncio.sleep(every)
                self(*self._last)

        task = asyncio.create_task(tick()) if self._watches else None
        try:
            yield
        finally:
            if task is not None:
                task.cancel()
