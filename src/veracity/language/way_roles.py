"""The two ends that rows may tell of the same other table, by what their columns are called: origin and destination, home and away, sender and recipient."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from veracity.language.folding import folded_text, is_unspaced
from veracity.yaml_file import packaged

Side = Literal[0, 1]
PatternKind = Literal["ties", "loose", "rows", "nouns", "compounds"]


@dataclass(frozen=True, slots=True)
class EndRole:
    """One of the two ends: its pair, and which of the two it is."""

    pair: int
    side: Side

    @property
    def other(self) -> EndRole:
        """The end on the other side."""
        return EndRole(self.pair, 0 if self.side else 1)

    @property
    def directed(self) -> bool:
        """Whether rows go from the first end to the second."""
        return bool(_pairs()[self.pair]["directed"])

    @property
    def label(self) -> dict[str, str]:
        """What people call it, by language."""
        return dict(self._told()["label"])

    def noun(self, word: str, lang: str) -> str:
        """A noun for it as one language writes it; nothing where it has no such noun."""
        nouns = str((self._told().get(lang) or {}).get("nouns", "")).split("|")
        return next((noun for noun in nouns if folded_text(noun) == folded_text(word)), "")

    def verbs(self) -> dict[str, tuple[str, ...]]:
        """What whoever is this end does with a row, by language."""
        return {lang: tuple(words) for lang, words in (self._told().get("doing") or {}).items()}

    def verbs_at(self, column: str) -> dict[str, tuple[str, ...]]:
        """What a row does at this end, by language, where a column that is called so says it."""
        told = dict(self._told().get("at") or {"columns": ()})
        return {lang: tuple(words) for lang, words in told.items() if column in told["columns"] and lang != "columns"}

    def pattern(self, kind: PatternKind, lang: str) -> str:
        """How it is said in a question, as a pattern; nothing where nobody says it so."""
        also = _pairs()[self.pair].get("also")
        ends = (self._told(), *((EndRole(also, self.side)._told(),) if also is not None else ()))
        return "|".join(filter(None, (str((told.get(lang) or {}).get(kind, "")) for told in ends)))

    def direction(self, lang: str) -> str:
        """The prepositions for it, as a pattern, with the verbs of going that may stand before; nothing where rows go nowhere."""
        said = _table()["directions"].get(lang) if self.directed else None
        if not said:
            return ""
        going = _table()["going"].get(lang)
        before = f"(?:{going} )?" if going else ""
        return f"{denying(lang)}{before}{denying(lang)}(?:{said[self.side]})"

    def light(self, lang: str) -> str:
        """Verbs for having such a row, as a pattern."""
        return str(_pairs()[self.pair]["light"].get(lang, ""))

    def against(self, lang: str) -> str:
        """Words before the one at the other end of a row, as a pattern."""
        return str((_pairs()[self.pair].get("against") or {}).get(lang, ""))

    def _told(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = _pairs()[self.pair]["ends"][self.side]
        return found


START, AIM = EndRole(0, 0), EndRole(0, 1)
"""Where something starts, and where it goes."""


def end_called(words: Iterable[str]) -> EndRole | None:
    """The end that one of these words names; nothing where none does, or where they name several."""
    found = {end for word in words for end in _ends_called(folded_text(word))}
    return found.pop() if len(found) == 1 else None


def _ends_called(word: str) -> Iterator[EndRole]:
    """The end that a word names, or that the first signs of one without spaces do: 出发机场."""
    if (end := _columns().get(word)) is not None:
        yield end
    elif is_unspaced(word[:1]):
        yield from {role for name, role in _columns().items() if is_unspaced(name[:1]) and word.startswith(name)}


@cache
def _columns() -> Mapping[str, EndRole]:
    return {folded_text(str(word)): role for role in _roles() for word in role._told()["columns"]}


def _roles() -> Iterator[EndRole]:
    for pair in range(len(_pairs())):
        yield from (EndRole(pair, 0), EndRole(pair, 1))


def denying(lang: str) -> str:
    """Words that may stand before an end to deny it, as a pattern."""
    return str(_table()["not"][lang])


def _pairs() -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = _table()["pairs"]
    return found


@cache
def _table() -> Mapping[str, Any]:
    found: Mapping[str, Any] = packaged(Path(__file__).with_suffix(".yaml"))
    return found


@cache
def whole_words(pattern: str) -> re.Pattern[str]:
    """A pattern that begins and ends where words do; signs of scripts without spaces stand anywhere."""
    spaced = not re.search(r"[\u3400-\u9fff]", pattern)
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![\w])" if spaced else f"(?:{pattern})", re.IGNORECASE)
