"""What is forgotten, and when: traces and guard events that are older than the server was told to keep them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from veracity.durable.database import Durable
from veracity.server.guard_events import forget_events
from veracity.server.traces import forget_traces

_AT_ONCE = 1_000


def forget_old(
    durable: Durable,
    days: float,
    *,
    at_once: int = _AT_ONCE,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> bool:
    """Forget some of what is older than so many days; whether there may be more of it. 0 days keep everything."""
    if not days:
        return False
    before = clock() - timedelta(days=days)
    # A little at a time: whoever writes a trace meanwhile hardly waits.
    gone = (forget_traces(durable, before, at_once), forget_events(durable, before, at_once))
    return max(gone) == at_once
