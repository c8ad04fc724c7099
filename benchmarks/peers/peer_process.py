"""A peer in a process of its own: started when it is needed, stopped when its time is over, started again after that."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from veracity.evals.records import Ended

_START = 180.0
"""Seconds that a peer may take to get ready."""
_LONGEST_LINE = 16_000_000
_QUIET = {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false", "PYTHONWARNINGS": "ignore", "PYTHONUTF8": "1"}


@dataclass(slots=True)
class Heard:
    """What was heard of a peer while it worked on a question."""

    ended: Ended = Ended.ERROR
    text: str = ""
    statements: list[tuple[str, str | None]] = field(default_factory=list)
    """SQL, and what the database had against it."""
    usage: list[tuple[int, int]] = field(default_factory=list)
    """Tokens in and out, per model call."""
    error: str | None = None
    seconds: float = 0.0

    def take(self, event: Mapping[str, Any]) -> bool:
        """One line; True for the last one of a question."""
        match event:
            case {"input": int(tokens_in), "output": int(tokens_out)}:
                self.usage.append((tokens_in, tokens_out))
            case {"sql": str(sql)}:
                error = event.get("error")
                self.statements.append(
                    (_without_half_characters(sql), None if error is None else _without_half_characters(str(error)))
                )
            case {"answer": str(text)}:
                self.text = _without_half_characters(text).strip()
                self.ended = Ended.ANSWERED if self.text else Ended.ABSTAINED
                return True
            case {"failed": str(reason)}:
                self.error = _without_half_characters(reason)
                return True
        return False


def _without_half_characters(text: str) -> str:
    """Without halves of characters, which can be in JSON and in no file."""
    return text.encode("utf-8", "replace").decode()


class PeerLost(Exception):
    """The peer's process is not there, and why."""


@dataclass(slots=True)
class PeerProcess:
    """The process of one peer; `ask` starts it where there is none."""

    command: Sequence[str]
    setup: Mapping[str, Any]
    log: Path
    versions: dict[str, str] = field(default_factory=dict)
    _process: asyncio.subprocess.Process | None = None

    async def ask(self, question: str, language: str, seconds: float) -> Heard:
        """One question. Whatever becomes of the peer is a result; starting it does not count as its time."""
        heard = Heard()
        try:
            process = await self._started()
        except PeerLost as lost:
            heard.error = f"The peer did not start: {lost}"
            return heard
        started = perf_counter()
        try:
            async with asyncio.timeout(seconds):
                await _send(process, {"question": question, "language": language})
                while not heard.take(await self._line(process)):
                    pass
        except TimeoutError:
            heard.ended, heard.error = Ended.TIMEOUT, f"It was stopped after {seconds:g} s."
            await self.stop()
        except PeerLost as lost:
            heard.error = f"The peer crashed: {lost}"
            await self.stop()
        heard.seconds = round(perf_counter() - started, 3)
        return heard

    async def stop(self) -> None:
        """End the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()
            await process.wait()

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is not None:
            return self._process
        with self.log.open("ab") as log:
            self._process = process = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=_LONGEST_LINE,
                env=os.environ | _QUIET,
            )
        try:
            async with asyncio.timeout(_START):
                await _send(process, self.setup)
                self.versions = dict((await self._line(process)).get("ready") or {})
        except TimeoutError:
            await self.stop()
            raise PeerLost(f"it was not ready after {_START:g} s") from None
        except PeerLost:
            await self.stop()
            raise
        return process

    async def _line(self, process: asyncio.subprocess.Process) -> Mapping[str, Any]:
        assert process.stdout is not None
        try:
            line = await process.stdout.readline()
            event = json.loads(line) if line else None
        except ValueError:  # no JSON, or a line without an end
            raise PeerLost("it said something that is not a line of JSON") from None
        if not isinstance(event, dict):
            raise PeerLost(self._last_words())
        return event

    def _last_words(self) -> str:
        """The last line that it left in its log: of a Python program, the exception."""
        lines = self.log.read_text(encoding="utf-8", errors="replace")[-4_000:].split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "it ended without a word")


async def _send(process: asyncio.subprocess.Process, what: Mapping[str, Any]) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(what, ensure_ascii=False).encode() + b"\n")
        await process.stdin.drain()
    except ConnectionError:
        pass  # it is gone; reading its next line tells why
