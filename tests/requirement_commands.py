"""What the tests of the commands on requirements share: a document, answers for it, and ways to run a command."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from typer.testing import CliRunner, Result

from command_line import program
from veracity.cli import app
from veracity.errors import ModelError, SourceError, UsageError

BAD = "Die App muss schnell sein"
GOOD = "Der Server muss Anfragen innerhalb von 2 s beantworten."
PAGE = f"# App\r\n\r\n- REQ-1: {BAD}\r\n- REQ-2: {GOOD}\r\n"
ROLE = "Welche Rolle braucht das?"
METRIC = "Woran wird „schnell“ gemessen, und welcher Grenzwert gilt?"
BENEFIT = "Wozu dient das (damit ...)?"
ANSWERS = f'"*":\n  {ROLE}: Nutzer\n  {METRIC}: Seitenladezeiten < 2 s (P95)\n  {BENEFIT}: weglassen\n'
NEW = "Als Nutzer möchte ich, dass die App Seitenladezeiten < 2 s (P95) einhält."


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["requirements", *arguments])


def problem(*arguments: str) -> str:
    """The sentence that a command ends with."""
    failed = run(*arguments)
    assert isinstance(failed.exception, UsageError | SourceError | ModelError), failed.output
    return str(failed.exception)


@contextmanager
def terminal(*arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A command with a terminal of its own."""
    ours, theirs = pty.openpty()
    started = subprocess.Popen(
        [program(), "requirements", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ},
    )
    os.close(theirs)
    try:
        yield started, ours
    finally:
        if started.poll() is None:
            started.kill()
        started.wait(timeout=10)
        os.close(ours)


def read_until(master: int, wanted: str, seconds: float = 30) -> str:
    """What a terminal shows, up to something that is waited for, or up to the end."""
    shown, until = b"", time.monotonic() + seconds
    while wanted.encode() not in shown:
        ready, _, _ = select.select([master], [], [], max(0.0, until - time.monotonic()))
        assert ready, f"{wanted!r} did not come: {shown.decode(errors='replace')}"
        with suppress(OSError):  # the other end is closed: that was all
            if part := os.read(master, 4096):
                shown += part
                continue
        break
    return shown.decode(errors="replace")
