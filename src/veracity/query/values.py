"""Literals: does a value fit a field, how is it bound, and what was probably meant if it does not."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from time import monotonic
from typing import Any, Literal, Protocol

from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.ontology.fields import Encoding
from veracity.query.catalog import FieldFacts
from veracity.sources.embedded import in_utc
from veracity.sources.source import ColumnType

MAX_TEXT = 10_000
_INT64 = 2**63
_MAX_DECIMAL_DIGITS = 18
_DAY = timedelta(days=1) - timedelta(microseconds=1)
"""From the first to the last moment of a day."""
_SWISS_DATE = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})", re.ASCII)
_CHINESE_DATE = re.compile(r"(\d{4})年(?:(\d{1,2})月(?:(\d{1,2})日)?)?底?", re.ASCII)
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d{1,18}(\.\d{1,10})?", re.ASCII)


Edge = Literal["start", "end", "exact"]
"""Which end of a day, month or year a literal stands for: `>=` means its start, `<=` its end, `=` neither."""


class Misfit(Exception):
    """A value that does not fit; carries the result for the model and is caught where values are checked."""

    def __init__(self, hint: str, suggestion: str | None = None) -> None:
        self.hint, self.suggestion = hint, suggestion

    def problem(self, name: str) -> QueryValidationError:
        """What the model is told."""
        return QueryValidationError(
            code=ValidationErrorCode.TYPE_MISMATCH, field=name, suggestion=self.suggestion, hint=self.hint
        )


def bind(facts: FieldFacts, value: Any, *, edge: Edge = "exact") -> Any:
    """The value as it is bound to the field's type; raises `Misfit`."""
    name = clip(facts.column.name, 30)
    if facts.guard is not None:
        return _encoded_date(name, value, facts.guard, edge)
    match facts.column.type:
        case ColumnType.TEXT:
            return _text(name, value)
        case ColumnType.INTEGER:
            return _integer(name, value)
        case ColumnType.DECIMAL:
            return _decimal(name, value)
        case ColumnType.FLOAT:
            return float(_decimal(name, value, exact=False))
        case ColumnType.BOOLEAN:
            return _boolean(name, value)
        case ColumnType.DATE:
            return _date(name, value)
        case ColumnType.TIMESTAMP:
            return _timestamp(name, value, edge)
        case _:
            raise Misfit(f"{name} can only be tested with IS_NULL or IS_NOT_NULL.")


def _number(value: Any) -> int | Decimal | None:
    """The number a value is, if it is one of a size that can mean anything; larger ones are not even converted."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) < 10**30 else None
    if isinstance(value, float):
        value = Decimal(repr(value))
    if isinstance(value, Decimal) and value.is_finite() and (not value or -40 < value.adjusted() < 30):
        return value
    return None


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise Misfit(f"{name} is text: write the value in quotes.", _number_as_text(value))
    if len(value) > MAX_TEXT:
        raise Misfit(f"The text is longer than {MAX_TEXT} characters.")
    if "\0" in value or any("\ud800" <= ch <= "\udfff" for ch in value):
        raise Misfit("The text holds a character that cannot be stored.")
    return value


def _number_as_text(value: Any) -> str | None:
    """A number as a person writes it; None for anything else."""
    number = _number(value)
    if number is None:
        return None
    return str(number) if isinstance(number, int) else format(number.normalize(), "f")


def _integer(name: str, value: Any) -> int:
    if isinstance(value, str):
        digits = re.fullmatch(r"\s*([+-]?\d{1,18})\s*", value, re.ASCII)
        raise Misfit(f"{name} is a whole number: write it without quotes.", str(int(digits[1])) if digits else None)
    number = _number(value)
    if number is None or number != int(number):
        raise Misfit(f"{name} is a whole number, without decimals.")
    if not -_INT64 <= number < _INT64:
        raise Misfit(f"{name} cannot hold a number of that size.")
    return int(number)


def _decimal(name: str, value: Any, *, exact: bool = True) -> Decimal:
    if isinstance(value, str):
        text = value.strip().replace("'", "").replace("’", "") if len(value) < 40 else ""
        raise Misfit(f"{name} is a number: write it without quotes.", text if _NUMBER.fullmatch(text) else None)
    found = _number(value)
    if found is None:
        raise Misfit(f"{name} is a number, of a size that can be stored.")
    number = Decimal(found)
    if number and number.adjusted() >= _MAX_DECIMAL_DIGITS:
        raise Misfit(f"{name} cannot hold a number of that size.")
    exponent = number.as_tuple().exponent
    if exact and isinstance(exponent, int) and exponent < -_MAX_DECIMAL_DIGITS:
        raise Misfit(f"{name} takes at most {_MAX_DECIMAL_DIGITS} decimals.")
    return number


def _boolean(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    words = {
        "true": "true",
        "false": "false",
        "1": "true",
        "0": "false",
        "yes": "true",
        "no": "false",
        "ja": "true",
        "nein": "false",
    }
    short = isinstance(value, str) and len(value) < 10
    written = value.strip().lower() if short else _number_as_text(value)
    raise Misfit(f"{name} is true or false, without quotes.", words.get(written or ""))


@dataclass(frozen=True, slots=True)
class _Span:
    """The time that a written date stands for, from its first to its last moment."""

    start: datetime
    end: datetime


def _read_date(value: Any) -> _Span | None:
    """A date, month, year or time in ISO, Swiss or Chinese writing, or a Unix second; None when it is no date."""
    if isinstance(value, str) and len(value) <= 40:
        return _written_date(value.strip())
    number = _number(value)
    if number is not None and 0 < number < 4_000_000_000 and number == int(number):
        moment = datetime.fromtimestamp(int(number), UTC).replace(tzinfo=None)
        return _Span(moment, moment)
    return None


def _written_date(text: str) -> _Span | None:
    if swiss := _SWISS_DATE.fullmatch(text):
        text = f"{swiss[3]}-{int(swiss[2]):02}-{int(swiss[1]):02}"
    if chinese := _CHINESE_DATE.fullmatch(text):
        text = "-".join(f"{int(part):02}" for part in chinese.groups() if part)
    try:
        if year := re.fullmatch(r"(\d{4})", text, re.ASCII):
            return _period(int(year[1]), 1, 12)
        if month := re.fullmatch(r"(\d{4})-(\d{2})", text, re.ASCII):
            return _period(int(month[1]), int(month[2]), int(month[2]))
        moment = in_utc(datetime.fromisoformat(text))
        whole_day = re.fullmatch(r"\d{4}-?\d{2}-?\d{2}", text, re.ASCII) is not None
        return _Span(moment, moment + _DAY) if whole_day else _Span(moment, moment)
    except (ValueError, OverflowError):
        return None


def _period(year: int, first_month: int, last_month: int) -> _Span:
    last_day = monthrange(year, last_month)[1]
    return _Span(datetime(year, first_month, 1), datetime(year, last_month, last_day) + _DAY)


def _date(name: str, value: Any) -> date:
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise Misfit(f"{name}: there is no such day.") from None
    meant = _read_date(value)
    raise Misfit(f"{name} is a date: write it as 'YYYY-MM-DD'.", meant.start.date().isoformat() if meant else None)


def _timestamp(name: str, value: Any, edge: Edge) -> datetime:
    if isinstance(value, str) and (written := _TIME.fullmatch(value)):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise Misfit(f"{name}: there is no such time.") from None
        if written[1] or edge == "start":
            return moment
        # A bare day is its first moment: as an upper bound it would lose the day, as an equality nearly all of it.
        if edge == "end":
            raise Misfit(f"{name} has a time of day: say when the day ends.", _iso(moment + _DAY))
        raise Misfit(
            f"{name} has a time of day: use BETWEEN for a whole day.",
            f"BETWEEN {_iso(moment)} and {_iso(moment + _DAY)}",
        )
    meant = _read_date(value)
    hint = f"{name} is a time in UTC: write it as 'YYYY-MM-DDTHH:MM:SS'."
    raise Misfit(hint, _iso(meant.end if edge == "end" else meant.start) if meant else None)


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds" if moment.microsecond == 0 else "microseconds")


def _encoded_date(name: str, value: Any, encoding: Encoding, edge: Edge) -> int:
    """A date that is stored as a number: a written date, a bare year or the wrong unit is never what was meant."""
    factor = 1 if encoding is Encoding.UNIX_SECONDS else 1000
    unit = "Unix seconds (UTC)" if factor == 1 else "Unix milliseconds (UTC)"
    digits = re.fullmatch(r"\s*(\d{9,14})\s*", value, re.ASCII) if isinstance(value, str) else None
    if digits or _is_other_unit(value, factor):
        meant = int(digits[1]) if digits else _other_unit(value, factor)
        raise Misfit(f"{name} holds {unit}: use {meant}.", str(meant))
    if span := _misread_date(value):
        raise _encoded_misfit(name, unit, span, factor, edge)
    if isinstance(value, str):
        raise Misfit(f"{name} holds {unit}: give a number.")
    return _integer(name, value)


def _encoded_misfit(name: str, unit: str, span: _Span, factor: int, edge: Edge) -> Misfit:
    start, end = (int(moment.replace(tzinfo=UTC).timestamp()) * factor for moment in (span.start, span.end))
    if span.end - span.start <= _DAY:
        # One day: such columns hold days, at midnight, so its first second is the day.
        return Misfit(f"{name} holds {unit}: use {start}.", str(start))
    if edge == "exact":
        return Misfit(f"{name} holds {unit}: a year or month is a range.", f"BETWEEN {start} and {end}")
    bound = end if edge == "end" else start
    return Misfit(f"{name} holds {unit}: use {bound}.", str(bound))


def _misread_date(value: Any) -> _Span | None:
    """The time that was meant by something that is a date, but not in this encoding."""
    if isinstance(value, str):
        return _read_date(value)
    found = _number(value)
    if found is None or found != int(found):
        return None
    number = int(found)
    if 1900 <= number <= 2200 or 19000101 <= number <= 22001231:
        text = str(number)
        return _written_date(text if len(text) == 4 else f"{text[:4]}-{text[4:6]}-{text[6:]}")
    return None


def _is_other_unit(value: Any, factor: int) -> bool:
    found = _number(value)
    if found is None or found != int(found):
        return False
    return 10**11 <= found < 10**14 if factor == 1 else 10**8 <= found < 10**10


def _other_unit(value: Any, factor: int) -> int:
    number = int(_number(value) or 0)
    return number // 1000 if factor == 1 else number * 1000


# --- the value profile: which values a categorical column holds, looked up on demand, bounded and kept for a while


FEW_VALUES = 100
"""Up to so many different values, a text column that nobody declared counts as categorical."""
MANY_VALUES = 10_000
"""Beyond so many, not even a declared one is checked."""
FRESH_SECONDS = 60.0
"""A value that was stored since then is found after so many seconds."""
_MOST_LOOKED = 1_000
LONG_TEXT = 80
"""A column that holds a longer text is free text."""

Key = tuple[str, str]
"""An entity and one of its fields."""


class Values(Protocol):
    """What the validator asks of the data."""

    def of(self, entity: str, name: str) -> frozenset[str] | None:
        """The stored values of a field, or None when literals on it are not checked."""

    def is_one_value(self, entity: str, name: str) -> bool:
        """Whether every row holds the same value, and none of them nothing."""

    def finds(self, condition: str, /) -> bool | None:
        """Whether some row meets a condition; None when nobody has looked."""


@dataclass(frozen=True, slots=True)
class _SeenValues:
    values: frozenset[str] | None
    has_null: bool
    at: float


@dataclass(slots=True)
class ValueProfile:
    """The values seen so far; a field that was looked at and is not categorical is kept without values."""

    known: dict[Key, _SeenValues] = field(default_factory=dict)
    looked: dict[str, tuple[bool, float]] = field(default_factory=dict)
    """Conditions that were tried on the rows: whether one met them, and when."""

    def of(self, entity: str, name: str) -> frozenset[str] | None:
        seen = self.known.get((entity, name))
        return seen.values if seen else None

    def is_one_value(self, entity: str, name: str) -> bool:
        seen = self.known.get((entity, name))
        return seen is not None and len(seen.values or ()) == 1 and not seen.has_null

    def finds(self, condition: str) -> bool | None:
        found, at = self.looked.get(condition, (None, 0.0))
        return found if monotonic() - at < FRESH_SECONDS else None

    def tell(self, condition: str, *, found: bool) -> None:
        """Remember whether some row meets a condition, of the last ones."""
        while len(self.looked) >= _MOST_LOOKED:
            del self.looked[next(iter(self.looked))]
        self.looked[condition] = (found, monotonic())

    def is_fresh(self, key: Key) -> bool:
        """Whether a field was looked at so lately that its values still hold."""
        return key in self.known and monotonic() - self.known[key].at < FRESH_SECONDS

    def hold(self, key: Key) -> None:
        """Go on with what was seen before, if anything, for as long as a fresh look: the source cannot be looked at now."""
        self.known[key] = replace(self.known.get(key, _SeenValues(None, False, 0.0)), at=monotonic())

    def keep(self, key: Key, found: Iterable[object] | None, *, declared: bool) -> None:
        """Remember the different values of a field, unless there are too many or they show that it is free text."""
        cells = list(found or ())
        values = frozenset(str(cell) for cell in cells if cell is not None)
        if len(cells) > most_values(declared=declared) or (not declared and any(len(v) > LONG_TEXT for v in values)):
            values = frozenset()
        # An empty column cannot tell a wrong literal from a right one.
        self.known[key] = _SeenValues(values or None, None in cells, monotonic())


def most_values(*, declared: bool) -> int:
    """How many different values a column may hold and still be checked."""
    return MANY_VALUES if declared else FEW_VALUES
