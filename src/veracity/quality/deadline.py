"""Work that may hang: in a thread that nobody has to wait for."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


def started(work: Callable[[], Result]) -> Future[Result]:
    """Work in a thread that nobody has to wait for, not even the end of the program."""
    done: Future[Result] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        done.set_running_or_notify_cancel()
        try:
            done.set_result(context.run(work))
        except BaseException as error:  # noqa: BLE001  handed on to whoever waits
            done.set_exception(error)

    threading.Thread(target=run, name="quality", daemon=True).start()
    return done


async def within(seconds: float, work: Callable[[], Result]) -> Result:
    """What the work returns; raises `TimeoutError` when it takes longer, and lets it be."""
    return await asyncio.wait_for(asyncio.wrap_future(started(work)), seconds)
