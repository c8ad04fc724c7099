"""What an engine said of a statement that failed, without data in it.

Engines put stored values into their messages ("could not convert 'Alpina AG'"). What they say of a statement before they
read a row is made of the statement's own names and is told whole. What they say of a value is told up to the value.
"""

from __future__ import annotations

import re

from veracity.contracts import clip

_BEFORE_READING = frozenset({"BinderException", "CatalogException", "ParserException"})
"""DuckDB's errors about the statement itself."""
_OF_VALUES = frozenset({"ConversionException", "OutOfRangeException"})
_SQLITE_NAMES = ("no such ", "ambiguous column name", "wrong number of arguments", "misuse of ")
_KIND = re.compile(r"^[A-Z][A-Za-z ]+ Error: ")
_VALUE_BEGINS = re.compile(r"[:'\"`(\[{\n]|\b\d")
_LONGEST = 160


def engine_words(failure: BaseException) -> str:
    """The failure in one or two sentences: ours, then the engine's where it holds no data."""
    told, cause = _one_line(str(failure)), failure.__cause__
    said = _said(cause) if cause is not None else ""
    return f"{told} The engine says: {said}." if said else told


def _said(error: BaseException) -> str:
    text, kind, state = str(error), type(error).__name__, str(getattr(error, "sqlstate", None) or "")
    if kind in _BEFORE_READING or state.startswith("42") or text.startswith(_SQLITE_NAMES):
        return clip(_one_line(text.split("\n", 1)[0]), _LONGEST).rstrip(" .!")
    if kind in _OF_VALUES or state.startswith("22"):
        return clip(_one_line(_VALUE_BEGINS.split(_KIND.sub("", text), maxsplit=1)[0]), _LONGEST).rstrip(" .,!")
    return ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
