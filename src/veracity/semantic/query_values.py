"""What a query says in figures, texts and time: literals, periods, days since a date, two of them side by side."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator, model_validator

from veracity.wire import Wire


class Grain(StrEnum):
    """The length of the periods that a date is grouped by."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    WEEKDAY = "weekday"
    """No length: the day of the week, Monday is 1 and Sunday 7."""

    @property
    def repeats(self) -> bool:
        """Whether it comes again and again, so that it is no stretch of time."""
        return self is Grain.WEEKDAY


_MOST_DIGITS = 30


def literal(value: Any) -> bool | int | Decimal | str:
    """A literal as it was written: numbers never as floats, whole ones as integers, days as texts such as 2025-12-31."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        value = Decimal(repr(value))
    if isinstance(value, Decimal) and not value.is_finite():
        raise ValueError("a number must be finite")
    if isinstance(value, Decimal) and value == value.to_integral_value() and value.adjusted() < _MOST_DIGITS:
        return int(value)
    if isinstance(value, bool | int | Decimal | str):
        return value
    raise ValueError("a value is a text, a number, true or false")


def json_number(value: Any) -> Any:
    """A decimal as a number, where JSON keeps it as it is; else as a text."""
    if not isinstance(value, Decimal):
        return value
    return float(value) if Decimal(repr(float(value))) == value else str(value)


Scalar = Annotated[bool | int | Decimal | str, PlainValidator(literal), PlainSerializer(json_number, when_used="json")]
"""A literal of a condition."""


class Reached(Wire):
    """Something of an entity that is reached over relations."""

    via: tuple[str, ...] = ()
    """The relations to follow from the query's own entity, by name; empty: the only shortest way."""


def _named_date(value: Any) -> Any:
    """`Order.placed_on` is a date by its name."""
    return {"field": value} if isinstance(value, str) else value


class EarlierDate(Reached):
    """The date that days are counted from; its way starts at the entity of the date that they are counted to."""

    field: str
    until: date | None = None
    """The day that they are counted to, in the place of another date: an age."""


Since = Annotated[EarlierDate | None, BeforeValidator(_named_date)]
"""Where days are counted from."""


def _whole_period(value: Any) -> Any:
    """`2025`, `2025-03`, `2025-03-31`, `2025-Q2`: the whole of it."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return value
    text = str(value)
    parts = text.split("-")
    try:
        if len(parts) == 2 and parts[1][:1] in "Qq":
            month = int(parts[1][1:]) * 3
            return {"from": date(int(parts[0]), month - 2, 1), "to": last_day(int(parts[0]), month)}
        numbers = [int(part) for part in parts]
        if len(numbers) == 3:
            return {"from": date(*numbers), "to": date(*numbers)}
        first, last = (numbers[1], numbers[1]) if len(numbers) == 2 else (1, 12)
        return {"from": date(numbers[0], first, 1), "to": last_day(numbers[0], last)}
    except (ValueError, IndexError):
        raise ValueError(f"{text[:20]!r} is no period; write 2025, 2025-Q2, 2025-03 or 2025-03-31") from None


def last_day(year: int, month: int) -> date:
    """The last day of a month."""
    following = date(year + month // 12, month % 12 + 1, 1) if (year, month) < (9999, 12) else date(9999, 12, 31)
    return date.fromordinal(following.toordinal() - 1) if (year, month) < (9999, 12) else following


class QueryPeriod(Reached):
    """From when to when, both days included; on the default date of what is shown unless it names a field."""

    first: date | None = Field(default=None, alias="from")
    last: date | None = Field(default=None, alias="to")
    field: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return _whole_period(value)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.first is None and self.last is None:
            raise ValueError("a period has `from`, `to` or both")
        if self.first is not None and self.last is not None and self.first > self.last:
            raise ValueError("a period ends after it starts")
        return self

    @property
    def length(self) -> Grain | None:
        """Whether it is just a year, a quarter, a month or a day."""
        first, last = self.first, self.last
        if first is None or last is None:
            return None
        for grain, months in ((Grain.YEAR, 12), (Grain.QUARTER, 3), (Grain.MONTH, 1)):
            starts = first.day == 1 and (first.month - 1) % months == 0
            if starts and last == last_day(first.year, first.month + months - 1):
                return grain
        return Grain.DAY if first == last else None

    @property
    def short(self) -> str | None:
        """`2025`, `2025-Q2`, `2025-03` or `2025-03-31`, where it is just that."""
        if (length := self.length) is None or self.first is None:
            return None
        forms = {Grain.YEAR: "%Y", Grain.MONTH: "%Y-%m", Grain.DAY: "%Y-%m-%d"}
        quarter = f"{self.first.year:04}-Q{(self.first.month + 2) // 3}"
        return quarter if length is Grain.QUARTER else self.first.strftime(forms[length])


class Comparing(Wire):
    """Two periods or two members side by side: both values, the difference, the change in percent."""

    period: QueryPeriod | None = None
    """The period to compare the query's own with; the change is from this one."""
    field: str | None = None
    members: tuple[Scalar, ...] = ()
    """Two values of the field; the change is from the first to the second."""
    claim: Literal[">", "<"] | None = None
    """What is asked of the two with yes or no: whether the query's own, or the second member, is more or less than the other."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.period is None) == (self.field is None) or (len(self.members) == 2) != (self.field is not None):
            raise ValueError("compare with a `period`, or two `members` of a `field`")
        return self
