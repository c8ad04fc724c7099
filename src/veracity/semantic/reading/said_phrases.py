"""The pieces of a question that are said in figures, times and quotes, each by itself."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from veracity.semantic.query_values import QueryPeriod


class Phrase:
    """A word of a question, or several that were joined, with what they stand for."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Quoted(Phrase):
    """A text in quotes that is not stored as a whole."""

    text: str


@dataclass(frozen=True, slots=True)
class TextMatch(Phrase):
    """contains 'x', starts with 'x': what a text is like; which field is not said yet."""

    pattern: str
    denied: bool = False


@dataclass(frozen=True, slots=True)
class SaidNumber(Phrase):
    """A number, maybe with a unit."""

    value: Decimal
    unit: str | None = None
    dimension: str | None = None
    factor: Decimal = Decimal(1)


@dataclass(frozen=True, slots=True)
class SaidPeriod(Phrase):
    """A period. A bare year may also be just a number."""

    period: QueryPeriod
    bare: bool = False
    number: int | None = None
    ends: tuple[QueryPeriod, QueryPeriod] | None = None
    """From 2022 to 2023: the first and the last of it."""
    between: bool = False
    """Only its two ends are known to be meant, not what lies between."""
    year_guessed: bool = False
    """Nobody said of which year: in March."""
    listed: bool = False
    """2023 and 2024: each of them may be meant, or both together."""
    compared: bool = False
    """Its first end is compared with its last one."""
    moment: Literal["", "start", "end"] = ""
    """Whether its start or its end is meant, not the whole of it."""


@dataclass(frozen=True, slots=True)
class SaidTimes(Phrase):
    """more than 5 times: what happened so often is not said yet."""

    op: str
    number: int


@dataclass(frozen=True, slots=True)
class DaysOfWeek(Phrase):
    """on Mondays, on weekends: days of the week, Monday is 1."""

    days: tuple[int, ...]
    placed: bool = False
    """Whether `on` stands before it."""


@dataclass(frozen=True, slots=True)
class WithinDays(Phrase):
    """within 14 days, after more than 5 days: of what, and from which day on, is not said yet."""

    number: Decimal
    op: str = "<="


@dataclass(frozen=True, slots=True)
class UnitWish(Phrase):
    """`in minutes`: the unit that a figure is wanted in."""

    unit: str
    dimension: str
    said: bool = False
    """Whether `in` stands before it."""
