"""Languages and texts: which languages there are, how a text in several of them is picked, what can be shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

LANGUAGES = ("de", "en", "zh")
DEFAULT_LANGUAGE = "en"


def language(code: str | None) -> str:
    """The supported language of a code such as `de-CH` or `zh_CN.UTF-8`; English when it is none of ours."""
    short = (code or "").replace("_", "-").split("-")[0].lower()
    return short if short in LANGUAGES else DEFAULT_LANGUAGE


def _by_language(value: Any) -> Any:
    return {DEFAULT_LANGUAGE: value} if isinstance(value, str) else value


Text = Annotated[dict[str, str], BeforeValidator(_by_language)]
"""A text per language; a plain string is the English one."""


def printable(text: str) -> str:
    """The text with a mark for every character that would break a line or steer a terminal."""
    if text.isprintable():
        return text
    return "".join(ch if ch.isprintable() else "\N{REPLACEMENT CHARACTER}" for ch in text)


def pick(text: Mapping[str, str], lang: str) -> str:
    """The text in this language, else in English, else in whichever language there is, else nothing."""
    return text.get(lang) or text.get(DEFAULT_LANGUAGE) or next(iter(text.values()), "")
