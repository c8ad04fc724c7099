"""A live line: what is going on while a question is answered, on one line that vanishes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from veracity.locale import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status
    from rich.text import Text

    from veracity.agent import Run
    from veracity.trace import ToolCallLog

_SPINNER = 3


class LiveLine:
    """Watches a run and says what it does; without a status, nowhere."""

    def __init__(self, status: Status | None) -> None:
        self._status = status
        self._came = ""
        self._sent_back = 0

    def calling(self, tool: str, arguments: Any) -> None:
        """A call is about to run."""
        self._say(f"{_named(tool, arguments)} ...")

    def called(self, log: ToolCallLog) -> None:
        """A call came back."""
        rows = f"{log.row_count} row{'' if log.row_count == 1 else 's'}"
        came = rows if log.success else log.validation_failure_code or "failed"
        self._came = f"after {_named(log.tool, log.arguments)}: {came}"
        self._say(self._came)

    def round_done(self, run: Run) -> None:
        """A round ended; the next begins with a model that thinks about what it got."""
        if len(run.refusals) > self._sent_back:
            self._came, self._sent_back = f"after a draft was sent back: {run.refusals[-1].code}", len(run.refusals)
        if run.stop is None:
            self._say(f"round {run.rounds + 1}, {self._came or 'thinking'} ...")

    def _say(self, text: str) -> None:
        if self._status is not None:
            self._status.update(_line(text, self._status.console))


@contextmanager
def live_line(*, quiet: bool = False) -> Iterator[LiveLine]:
    """A live line on a terminal; nothing at all elsewhere."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal or console.is_dumb_terminal:
        yield LiveLine(None)
        return
    with console.status(_line("thinking ...", console)) as status:
        yield LiveLine(status)


def _named(tool: str, arguments: Any) -> str:
    table = arguments.get("tableName") if isinstance(arguments, dict) else None
    return f"{tool} {table}" if table else tool


def _line(text: str, console: Console) -> Text:
    from rich.text import Text

    line = Text(printable(text), style="dim")
    # Beside the spinner, on one line, however long a name is.
    line.truncate(console.width - _SPINNER, overflow="ellipsis")
    return line
