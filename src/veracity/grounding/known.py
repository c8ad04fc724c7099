"""Known texts: what an answer may name, because a result, the question or the guard's config says it.

Names match after NFKC and case folding, and through declared aliases: equal, never alike. Likeness only suggests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from unicodedata import normalize

from veracity.answer.results import Result, comparable
from veracity.contracts import Cell
from veracity.grounding.config import GuardConfig
from veracity.language.folding import listed
from veracity.language.nearest import words_of

_MARKS = str.maketrans(
    dict.fromkeys("‐‑‒–—―−﹘－", "-") | dict.fromkeys("‘’‛ʼ´`＇", "'") | dict.fromkeys("“”„‟«»「」『』《》〈〉＂", '"')
)
_SPACES = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_NO_DIGITS = re.compile(r"[^0-9]")
_ID_WORDS = listed("id uid guid uuid no nr num number nummer code key ref 编号 号 序号 代码")
_MOST_NEAR = 5_000
"""A suggestion is looked for among so many texts."""
_NEAR_ENOUGH = 80.0
_UNSPACED = 0x2E80
"""From here on, scripts are written without spaces."""
_PART = 4
"""张三 is not a part of 张三丰, but 阿里巴巴 is one of 阿里巴巴集团控股有限公司."""


def plain(text: str) -> str:
    """A text as names are compared: NFKC, no case, single spaces, one kind of dash and of quotes."""
    return " ".join(_folded(text).split())


def _folded(text: str) -> str:
    """Without width, case, invisible signs and kinds of marks; spaces stay."""
    if text.isascii():
        return text.lower()
    return _INVISIBLE.sub("", normalize("NFKC", text)).translate(_MARKS).casefold()


def bare(text: str) -> str:
    """A name without the marks around it: quotes, emphasis, brackets, the full stop."""
    return _stripped(plain(text))


def _stripped(said: str) -> str:
    start, end = 0, len(said)
    while start < end and not said[start].isalnum():
        start += 1
    while end > start and not said[end - 1].isalnum():
        end -= 1
    return said[start:end]


class Known:
    """The texts of every result, of the question and of the config; read only when something is looked up."""

    def __init__(self, results: Mapping[str, Result], question: str, config: GuardConfig) -> None:
        self._results, self._question, self._config = results, question, config

    def holds(self, text: str) -> bool:
        """Whether a result, the question or the config says this, as whole words."""
        said = bare(text)
        if not said or self._stands(said):
            return True
        return any(self._stands(stored) for stored in self._stored.get(said, ())) or self._is_row(said)

    def says(self, text: str) -> bool:
        """Whether a result, the question or the config has these very signs somewhere."""
        return plain(text) in self._given or plain(text) in self._cells

    def is_column(self, text: str) -> bool:
        """Whether it is the name of a column."""
        return bare(text) in self._columns

    def is_identifier(self, number: str) -> bool:
        """Whether a row goes by this number: it stands in the key, in a column of ids, or in one named like a thing."""
        return number.lstrip("0") in self._identifiers or number in self._identifiers

    def has_digits(self, text: str) -> bool:
        """Whether a text of a result or the question has the same digits, however they are spaced."""
        digits = _NO_DIGITS.sub("", text)
        return any(digits == _NO_DIGITS.sub("", line) for line in self._cells.split("\n")) or digits in _NO_DIGITS.sub(
            "", self._given
        )

    def asked(self, text: str) -> bool:
        """Whether the question or the config says this, as whole words."""
        return stands_in(self._given, bare(text), part=1)

    def nearest(self, text: str) -> str | None:
        """The stored text that was probably meant."""
        from rapidfuzz import fuzz, process

        texts = list(dict.fromkeys(self._texts()))[:_MOST_NEAR]
        found = process.extractOne(text[:200], texts, scorer=fuzz.WRatio, processor=plain, score_cutoff=_NEAR_ENOUGH)
        return str(found[0]) if found else None

    # --- what there is

    @cached_property
    def _cells(self) -> str:
        """The cells, one text per line."""
        # Amounts are no names: they are left to `bind`.
        cells = {
            cell if isinstance(cell, str) else comparable(cell)
            for result in self._results.values()
            for name, facts in result.columns.items()
            if not facts.numeric or name in result.key
            for row in result.data.rows
            if (cell := row[name]) is not None
        }
        lines = "\n".join(["", *(cell.replace("\n", " ") for cell in cells), ""])
        return _SPACES.sub(" ", _folded(lines))

    @cached_property
    def _whole_cells(self) -> frozenset[str]:
        return frozenset(self._cells.split("\n"))

    @cached_property
    def _given(self) -> str:
        """What the question and the config say."""
        return "\n".join(["", plain(self._question), *map(plain, self._config.known_names), ""])

    @cached_property
    def _stored(self) -> dict[str, tuple[str, ...]]:
        """What people call a value -> the values it may stand for."""
        called: dict[str, tuple[str, ...]] = {}
        for value, names in self._config.aliases.items():
            for name in names:
                called[bare(name)] = (*called.get(bare(name), ()), bare(value))
        return called

    @cached_property
    def _columns(self) -> frozenset[str]:
        names = {name for result in self._results.values() for name in result.columns}
        return frozenset(form for name in names for form in (bare(name), bare(words_of(name))))

    @cached_property
    def _identifiers(self) -> frozenset[str]:
        nouns = {plain(noun) for noun in self._config.all_nouns}
        found: set[str] = set()
        for result in self._results.values():
            for name in result.columns:
                words = set(words_of(name).split())
                if name in result.key or words & (_ID_WORDS | nouns) or any(noun in name for noun in nouns):
                    found.update(_digits(row[name]) for row in result.data.rows)
        return frozenset(found - {""})

    @cached_property
    def _places(self) -> dict[str, set[int]]:
        """A whole cell -> the rows that have it."""
        found: dict[str, set[int]] = {}
        for number, row in enumerate(self._rows()):
            for cell in row.values():
                if cell is not None:
                    found.setdefault(bare(comparable(cell)), set()).add(number)
        return found

    @cached_property
    def columns(self) -> list[tuple[Result, frozenset[str]]]:
        """The columns that name things: whose they are, and their different values."""
        return [
            (result, frozenset(bare(comparable(row[name])) for row in result.data.rows if row[name] is not None))
            for result in self._results.values()
            for name, facts in result.columns.items()
            if not facts.numeric or name in result.key
        ]

    def _rows(self) -> Iterator[dict[str, Cell]]:
        for result in self._results.values():
            yield from result.data.rows

    def _texts(self) -> Iterator[str]:
        for row in self._rows():
            yield from (cell for cell in row.values() if isinstance(cell, str) and cell.strip())

    # --- looking up

    def _stands(self, said: str) -> bool:
        # Most names are whole cells, and those are found at once.
        if said in self._whole_cells or stands_in(self._given, said, part=1):
            return True
        return stands_in(self._cells, said, part=_PART)

    def _is_row(self, said: str) -> bool:
        """Whether it is several whole cells of one row side by side: `1020 Bank`, `Anna Meier`."""
        words = [word for part in said.split() if (word := _stripped(part))]
        if not 2 <= len(words) <= 12:
            return False
        reached: list[set[int] | None] = [None, *(set[int]() for _ in words)]
        for start in range(len(words)):
            rows = reached[start]
            for end in range(start + 1, len(words) + 1 if rows is None or rows else 0):
                found = self._places.get(" ".join(words[start:end]), set())
                into = reached[end]
                assert into is not None
                into |= found if rows is None else found & rows
        return bool(reached[-1])


def stands_in(lines: str, said: str, *, part: int) -> bool:
    """Whether a line says this as whole words.

    A script without spaces has no words: there it is the line, or a part of one that is so many signs longer.
    """
    place = lines.find(said) if said else -1
    while place >= 0:
        end = place + len(said)
        before, after = lines[place - 1], lines[end]
        if not (_glued(before, said[0]) or _glued(said[-1], after)):
            inside = _unspaced(before) or _unspaced(after)
            if not inside or lines.index("\n", end) - lines.rindex("\n", 0, place) - 1 >= len(said) + part:
                return True
        place = lines.find(said, place + 1)
    return False


def _glued(one: str, other: str) -> bool:
    """Whether two signs belong to one word."""
    return one.isalnum() and other.isalnum() and ord(one) < _UNSPACED and ord(other) < _UNSPACED


def _unspaced(sign: str) -> bool:
    return sign.isalnum() and ord(sign) >= _UNSPACED


def _digits(cell: object) -> str:
    """A cell that is a whole number, or a text of digits; otherwise nothing."""
    if isinstance(cell, bool) or not isinstance(cell, int | float | Decimal | str):
        return ""
    text = comparable(cell)
    return text.lstrip("0") or "0" if text.isascii() and text.isdigit() else ""
