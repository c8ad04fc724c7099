"""The peer's side of the talk: questions come in as JSON lines, and what happens goes out as JSON lines.

It runs in the peers' own environment, without Veracity. First comes a `Setup`; the peer says that it is ready, and with
which packages. Then, per question: a line per model call, a line per SQL statement, and one with the answer.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from platform import python_version
from typing import Any

Ask = Callable[[str, str], str]
"""A question and the language to answer in, to what a user would read."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What every peer is given: the same model, data and hints."""

    endpoint: str
    model: str
    database: str
    """A SQLite file of this process's own."""
    hints: str
    examples: Sequence[dict[str, str]]
    """Questions with their SQL: the canonical queries of the hints, as a peer that writes SQL needs them."""
    timeout: float

    @property
    def key(self) -> str:
        """Local servers want none; the client library wants one."""
        return os.environ.get("OPENAI_API_KEY") or "none"

    @property
    def guidance(self) -> str:
        """Hints and examples as one text, for a peer that has one prompt; empty where there are neither."""
        if not self.examples:
            return self.hints.strip()
        shown = "\n".join(f"- {example['question']}\n  {example['sql']}" for example in self.examples)
        return f"{self.hints.strip()}\n\nSQL examples:\n{shown}"


class Lines:
    """What the runner hears."""

    def __init__(self) -> None:
        # What a library prints must not get between the lines: it goes where errors go.
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
        os.dup2(2, 1)

    def model_call(self, input_tokens: int, output_tokens: int) -> None:
        """The model was asked once."""
        self.say(input=input_tokens, output=output_tokens)

    def statement(self, sql: str, error: str | None = None) -> None:
        """The database was asked once."""
        self.say(sql=sql, error=error)

    def say(self, **event: Any) -> None:
        """One line, at once."""
        self._out.write(json.dumps(event, ensure_ascii=False, default=str) + "\n")
        self._out.flush()


def serve(build: Callable[[Setup, Lines], Ask], packages: Sequence[str]) -> None:
    """Answer questions until there are no more."""
    lines = Lines()
    ask = build(Setup(**json.loads(sys.stdin.readline())), lines)
    lines.say(ready={name: version(name) for name in packages} or {"Python": python_version()})
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            lines.say(answer=ask(asked["question"], asked["language"]))
        except Exception as error:  # noqa: BLE001  whatever a peer raises is its result, and is reported as that
            lines.say(failed=f"{type(error).__name__}: {error}"[:1_000])


def tables(database: str) -> dict[str, str]:
    """The tables of a SQLite file, each with the statement that made it."""
    with closing(sqlite3.connect(database)) as connection:
        return dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))


def unique_names(names: Sequence[str]) -> list[str]:
    """The names of columns; one that is there twice gets its number, so that no value is lost."""
    return [name if name not in names[:at] else f"{name}_{at + 1}" for at, name in enumerate(names)]


def table_text(rows: Sequence[dict[Any, Any]], most: int = 20) -> str:
    """A result as a reader sees it: `column: value`, a line per row. Sums of binary floats lose their noise."""
    shown = [", ".join(f"{name}: {_without_float_noise(value)}" for name, value in row.items()) for row in rows[:most]]
    return "\n".join([*shown, *(["..."] if len(rows) > most else [])])


def _without_float_noise(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value
