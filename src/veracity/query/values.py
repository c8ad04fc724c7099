"""Literals: does a value fit a field, how is it bound, and what was probably meant if it does not."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from veracity.ontology.descriptor import Encoding
from veracity.query.catalog import FieldFacts
from veracity.sources.source import ColumnType
from veracity.trace import QueryValidationError, ValidationErrorCode, clip

MAX_TEXT = 10_000
_INT64 = 2**63
_MAX_DECIMAL_DIGITS = 18
_GERMAN_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d{1,18}(\.\d{1,10})?", re.ASCII)


class Misfit(Exception):
    """A value that does not fit; carries the result for the model and is caught where values are checked."""

    def __init__(self, hint: str, suggestion: str | None = None) -> None:
        self.hint, self.suggestion = hint, suggestion

    def problem(self, name: str) -> QueryValidationError:
        """What the model is told."""
        return QueryValidationError(
            code=ValidationErrorCode.TYPE_MISMATCH, field=name, suggestion=self.suggestion, hint=self.hint
        )


def bind(facts: FieldFacts, value: Any) -> Any:
    """The value as it is bound to the field's type; raises `Misfit`."""
    name = clip(facts.column.name, 30)
    if facts.guard is not None:
        return _encoded_date(name, value, facts.guard)
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
            return _timestamp(name, value)
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
        raise Misfit(f"{name} is text: write the value in quotes.", _plain(value))
    if len(value) > MAX_TEXT:
        raise Misfit(f"The text is longer than {MAX_TEXT} characters.")
    if "\0" in value or any("\ud800" <= ch <= "\udfff" for ch in value):
        raise Misfit("The text holds a character that cannot be stored.")
    return value


def _plain(value: Any) -> str | None:
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
        raise Misfit(f"{name} is a number of ordinary size.")
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
    written = value.strip().lower() if short else _plain(value)
    raise Misfit(f"{name} is true or false, without quotes.", words.get(written or ""))


def _read_date(value: Any) -> datetime | None:
    """A date in ISO or Swiss writing, or the Unix second of a number; None when it is no date."""
    if isinstance(value, str) and len(value) <= 40:
        text = value.strip()
        if german := _GERMAN_DATE.fullmatch(text):
            text = f"{german[3]}-{int(german[2]):02}-{int(german[1]):02}"
        if re.fullmatch(r"\d{4}", text, re.ASCII):
            text += "-01-01"
        if re.fullmatch(r"\d{4}-\d{2}", text, re.ASCII):
            text += "-01"
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            return None
    number = _number(value)
    if number is not None and 0 < number < 4_000_000_000 and number == int(number):
        return datetime.fromtimestamp(int(number), UTC)
    return None


def _date(name: str, value: Any) -> date:
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise Misfit(f"{name}: there is no such day.") from None
    meant = _read_date(value)
    raise Misfit(f"{name} is a date: write it as 'YYYY-MM-DD'.", meant.date().isoformat() if meant else None)


def _timestamp(name: str, value: Any) -> datetime:
    if isinstance(value, str) and re.fullmatch(
        r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?", value, re.ASCII
    ):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            raise Misfit(f"{name}: there is no such time.") from None
    meant = _read_date(value)
    if meant is not None and meant.tzinfo is not None:
        meant = meant.astimezone(UTC).replace(tzinfo=None)
    suggestion = meant.isoformat(timespec="seconds") if meant else None
    raise Misfit(f"{name} is a time in UTC: write it as 'YYYY-MM-DDTHH:MM:SS'.", suggestion)


def _encoded_date(name: str, value: Any, encoding: Encoding) -> int:
    """A date that is stored as a number: a written date, a bare year or the wrong unit is never what was meant."""
    factor = 1 if encoding is Encoding.UNIX_SECONDS else 1000
    unit = "Unix seconds (UTC)" if factor == 1 else "Unix milliseconds (UTC)"
    meant = _misread_date(value, factor)
    if meant is not None:
        raise Misfit(f"{name} holds {unit}: use {meant}.", str(meant))
    if isinstance(value, str):
        raise Misfit(f"{name} holds {unit}: give a number.")
    return _integer(name, value)


def _misread_date(value: Any, factor: int) -> int | None:
    """The number that was meant by something that is a date, but not in this encoding."""
    if isinstance(value, str):
        digits = re.fullmatch(r"\s*(\d{9,14})\s*", value, re.ASCII)
        if digits:
            return int(digits[1])
        read = _read_date(value)
        return int((read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()) * factor if read else None
    found = _number(value)
    if found is None or found != int(found):
        return None
    number = int(found)
    if 1900 <= number <= 2200:
        return int(datetime(number, 1, 1, tzinfo=UTC).timestamp()) * factor
    if 19000101 <= number <= 22001231:
        try:
            return int(datetime.strptime(str(number), "%Y%m%d").replace(tzinfo=UTC).timestamp()) * factor
        except ValueError:
            return None
    if factor == 1 and 10**11 <= number < 10**14:
        return number // 1000
    if factor == 1000 and 10**8 <= number < 10**10:
        return number * 1000
    return None
