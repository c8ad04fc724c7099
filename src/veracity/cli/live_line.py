"""The live line: what is going on while a question is answered, and for how long, on one line that vanishes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from veracity.agent.loop import call_name
from veracity.agent.progress import Doing
from veracity.contracts import ToolCallLog
from veracity.language.locale import printable

if TYPE_CHECKING:
    from rich.status import Status

    from veracity.agent.loop import Run
    from veracity.agent.progress import ProgressEvent

_SPINNER = 3


class LiveLine:
    """Watches a run and shows what it does, and for how long, on a status line; without one, it shows nothing."""

    def __init__(self, status: Status | None) -> None:
        self._status = status
        self._came = ""
        self._round, self._sent_back = 0, 0
        self._began = perf_counter()

    def calling(self, tool: str, arguments: Any) -> None:
        """That a call runs is told as progress."""

    def progress(self, event: ProgressEvent) -> None:
        """Something begins, or goes on."""
        if event.step is Doing.ASKING and self._came:
            # What it thinks about says more than that it thinks.
            spent = f", {event.tokens} tokens" if event.tokens else ""
            self._say(f"round {self._round + 1}, {self._came}{spent} ...")
        else:
            self._say(f"{event.words} ...")

    def called(self, log: ToolCallLog) -> None:
        """A call came back."""
        rows = f"{log.row_count} row{'' if log.row_count == 1 else 's'}"
        came = rows if log.success else log.validation_failure_code or "failed"
        self._came = f"after {call_name(log.tool, log.arguments)}: {came}"
        self._say(self._came)

    def round_done(self, run: Run) -> None:
        """A round ended; the next begins with a model that thinks about what it got."""
        self._round = run.rounds
        if len(run.refusals) > self._sent_back:
            self._came, self._sent_back = f"after a draft was sent back: {run.refusals[-1].code}", len(run.refusals)

    def _say(self, text: str) -> None:
        if self._status is not None:
            self._status.update(_StatusLine(text, self._began, self._status.console))


@contextmanager
def live_line(*, quiet: bool = False) -> Iterator[LiveLine]:
    """A status line at a terminal; elsewhere nothing is shown."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal or console.is_dumb_terminal:
        yield LiveLine(None)
        return
    with console.status(_StatusLine("reading the question ...", perf_counter(), console)) as status:
        yield LiveLine(status)


@dataclass(frozen=True, slots=True)
class _StatusLine:
    """What is being done and for how long; it is drawn anew several times a second, so that the seconds go on."""

    text: str
    began: float
    console: Console

    def __rich__(self) -> Text:
        line = Text(f"{perf_counter() - self.began:.0f} s  {printable(self.text)}", style="dim")
        # Beside the spinner, on one line, however long a name is.
        line.truncate(self.console.width - _SPINNER, overflow="ellipsis")
        return line
