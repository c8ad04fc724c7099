"""A plain loop: the schema in the prompt, one SELECT, its errors back to the model, then the rows into words.

This is what most people write first. It needs nothing but Python.
"""

from __future__ import annotations

import json
import re
import sqlite3
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from threading import Timer
from typing import Any, Protocol

from peer_lines import Ask, Setup, serve, tables

Messages = list[dict[str, str]]
Chat = Callable[[Messages], str]
"""Messages to what the model says."""

_REPAIRS = 2
_SAMPLE = 3
_MOST_ROWS = 20
_LONGEST_CELL = 200
_LONGEST_RUN = 30.0
_LONGEST_VALUE = 1_000_000

_WRITE = """\
You answer questions about a SQLite database. Write one SELECT statement that answers the question, in a ```sql block and
nothing else. If the tables do not hold the answer, say so in words and write no SQL; if the question is unclear, ask back.

The tables, with their first rows:

{schema}

{guidance}

Today is {today}."""
_CORRECT = "The statement failed: {error}\nWrite a corrected one."
_WORD = """\
Question: {question}

The SQL:
{sql}

Its rows:
{rows}

Answer the question from these rows in one or two sentences, in {language}. If they do not answer it, say that you don't know."""

_BLOCK = re.compile(r"```(?:sql\w*)?\s*(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_SELECT = re.compile(
    r"""\s*(?:--[^\n]*\n\s*)*(?:SELECT\b|WITH\s+(?:RECURSIVE\s+)?(?:"[^"]*"|\w+)\s*(?:\([^)]*\)\s*)?AS\b)""",
    re.IGNORECASE,
)
"""How a SELECT begins; a sentence can begin with "With", too."""


class Told(Protocol):
    """Who hears what the loop does."""

    def model_call(self, input_tokens: int, output_tokens: int) -> None:
        """The model was asked once."""

    def statement(self, sql: str, error: str | None = None) -> None:
        """The database was asked once."""


def build(setup: Setup, lines: Told) -> Ask:
    """The loop over the source."""
    chat = endpoint_chat(setup, lines)
    rules = _WRITE.format(schema=schema(setup.database), guidance=setup.guidance, today=date.today())

    def ask(question: str, language: str) -> str:
        messages = [{"role": "system", "content": rules}, {"role": "user", "content": question}]
        for _ in range(_REPAIRS + 1):
            said = chat(messages)
            sql = statement_in(said)
            if sql is None:
                return said  # it says why it cannot
            try:
                rows = run(setup.database, sql)
            except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
                lines.statement(sql, str(error))
                messages += [
                    {"role": "assistant", "content": said},
                    {"role": "user", "content": _CORRECT.format(error=error)},
                ]
                continue
            lines.statement(sql)
            asked = _WORD.format(question=question, sql=sql, rows=rows, language=language)
            return chat([{"role": "user", "content": asked}])
        return ""  # SQL that does not run is no answer

    return ask


def statement_in(said: str) -> str | None:
    """The SQL in what a model says: its first block, or all of it where it begins like a statement."""
    block = _BLOCK.search(said)
    if block is not None:
        return block[1].strip()
    return said.strip() if _SELECT.match(said) else None


def schema(database: str) -> str:
    """Every table as it was created, with its first rows in a comment."""
    parts = []
    with closing(sqlite3.connect(database)) as connection:
        for name, made in tables(database).items():
            quoted = name.replace('"', '""')
            cursor = connection.execute(f'SELECT * FROM "{quoted}" LIMIT {_SAMPLE}')
            parts.append(f"{made};\n/*\n{_as_text(cursor, cursor.fetchall())}\n*/")
    return "\n\n".join(parts)


def run(database: str, sql: str) -> str:
    """The first rows of a SELECT as text; raises what the database has against it."""
    if not _SELECT.match(sql):
        raise ValueError("only a SELECT can be run")
    address = f"{Path(database).resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, check_same_thread=False)) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        timer = Timer(_LONGEST_RUN, connection.interrupt)
        timer.start()
        try:
            cursor = connection.execute(sql)
            rows = cursor.fetchmany(_MOST_ROWS + 1)
        finally:
            timer.cancel()
        return _as_text(cursor, rows)


def _as_text(cursor: sqlite3.Cursor, rows: Sequence[Sequence[Any]]) -> str:
    """A line with the names and one per row, at most twenty."""
    names = " | ".join(column[0] for column in cursor.description or ())
    shown = [" | ".join(map(_cell, row)) for row in rows[:_MOST_ROWS]]
    rest = ["..."] if len(rows) > _MOST_ROWS else [] if rows else ["(no rows)"]
    return "\n".join([names, *shown, *rest])


def _cell(value: Any) -> str:
    """A value without the noise of binary sums."""
    return str(round(value, 6) if isinstance(value, float) else value)[:_LONGEST_CELL]


def endpoint_chat(setup: Setup, lines: Told) -> Chat:
    """The model behind an OpenAI-compatible endpoint; every call is told."""
    address = f"{setup.endpoint.rstrip('/')}/chat/completions"
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {setup.key}"}

    def chat(messages: Messages) -> str:
        body = json.dumps({"model": setup.model, "messages": messages, "temperature": 0}).encode()
        request = urllib.request.Request(address, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=setup.timeout) as response:
                found = json.load(response)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"HTTP {error.code}: {error.read(500).decode(errors='replace')}") from None
        usage = found.get("usage") or {}
        lines.model_call(usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0))
        return str(found["choices"][0]["message"].get("content") or "").strip()

    return chat


if __name__ == "__main__":
    serve(build, [])
