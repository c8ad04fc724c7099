"""How people write numbers: which mark stands before the decimals, which between thousands, and when that is sure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

MAX_SCALE = 10
"""Numbers with more decimals than this are measurements, not amounts, and stay floats."""
_APOSTROPHES = "'\N{RIGHT SINGLE QUOTATION MARK}"
_SPACES = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
MINUS = "\N{MINUS SIGN}"
BLANKS = _SPACES
"""What is cut off at both ends of a number, as the engine's trim does."""


@dataclass(frozen=True)
class NumberFormat:
    """One way to write numbers; the patterns are read alike by Python and by the engine."""

    decimal: str
    group: str
    """The characters that may stand between thousands; none when there are none."""

    @cached_property
    def pattern(self) -> str:
        """A number in this writing, without needless zeros or a plus: 007 and +41 44 are codes, not numbers."""
        mark = re.escape(self.decimal)
        # At most 28 digits before and 10 after the mark: what the engine's decimals can hold.
        whole = r"0|[1-9][0-9]{0,27}"
        if self.group:
            whole += rf"|[1-9][0-9]{{0,2}}(?:[{self.group}][0-9]{{3}}){{1,8}}"
        return rf"[-{MINUS}]?(?:(?:{whole})(?:{mark}[0-9]{{0,{MAX_SCALE}}})?|{mark}[0-9]{{1,{MAX_SCALE}}})"

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern)

    def fits(self, text: str) -> bool:
        """Whether a text is a number in this writing."""
        return self._regex.fullmatch(text) is not None

    def plain(self, text: str) -> str:
        """A fitting number as every program reads it."""
        for mark in self.group:
            text = text.replace(mark, "")
        return text.replace(self.decimal, ".").replace(MINUS, "-")


PLAIN = NumberFormat(".", "")
FORMATS = (
    PLAIN,
    NumberFormat(".", ","),
    NumberFormat(".", _APOSTROPHES),
    NumberFormat(".", _SPACES),
    NumberFormat(",", ""),
    NumberFormat(",", "."),
    NumberFormat(",", _APOSTROPHES),
    NumberFormat(",", _SPACES),
)
_LONG = r"(?:0|[1-9][0-9]{0,39})\.[0-9]{0,40}"
# Bounded so that no float is too small to hold it.
_EXPONENT = r"(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{0,40})?[eE][-+]?(?:[0-9]{1,2}|[12][0-9]{2})"
SCIENTIFIC = rf"[-{MINUS}]?(?:{_EXPONENT}|{_LONG}|0|[1-9][0-9]{{0,14}})"
"""A number with an exponent or many decimals. A long row of digits without either is a code: a float would lose some."""
CODE = r"[-+]?0[0-9]+|\+[0-9 ]+"
"""Digits that are no number: a leading zero or plus would be lost."""

ANY_NUMBER = "|".join((*(style.pattern for style in FORMATS), SCIENTIFIC))
_ANY_NUMBER = re.compile(ANY_NUMBER)
_NUMBER_STARTS = frozenset(f"0123456789-.,{MINUS}")


def fitting(texts: Sequence[str]) -> tuple[NumberFormat, ...]:
    """The writings in which all of these are numbers."""
    return tuple(style for style in FORMATS if all(style.fits(text) for text in texts))


def looks_like_number(text: str) -> bool:
    """Whether a text is a number in any writing."""
    text = text.strip(BLANKS)
    return text[:1] in _NUMBER_STARTS and _ANY_NUMBER.fullmatch(text) is not None
