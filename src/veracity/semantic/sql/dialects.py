"""What engines write differently: the start of a period, dates that are stored as numbers or texts, months by name."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from veracity.language.dates import MONTHS
from veracity.ontology.fields import Encoding
from veracity.query.catalog import FieldFacts
from veracity.semantic.query_values import Grain
from veracity.sources.source import Column, ColumnType, Dialect

if TYPE_CHECKING:
    from sqlglot import exp

_UNFOLDED = {"märz": 3, "jänner": 1}
_ISO_DAY = r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_ISO_MOMENT = _ISO_DAY + r"[ T]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$"


def call(name: str, *arguments: exp.Expr | str | int) -> exp.Expr:
    """A function call; plain texts and numbers become literals."""
    from sqlglot import exp

    given = [
        exp.Literal.string(one) if isinstance(one, str) else exp.Literal.number(one) if isinstance(one, int) else one
        for one in arguments
    ]
    return exp.Anonymous(this=name, expressions=given)


def period_start(value: exp.Expr, facts: FieldFacts, grain: Grain, dialect: Dialect) -> exp.Expr:
    """The first day of the period that a date lies in, or its day of the week."""
    from sqlglot import exp

    moment = _moment(value, facts, dialect)
    if grain is Grain.WEEKDAY:
        return _weekday(moment, dialect)
    if dialect != "sqlite":
        # Not sqlglot's own truncation: it writes units and types in ways that differ between engines.
        return exp.cast(call("DATE_TRUNC", grain.value, moment), "DATE")
    match grain:
        case Grain.DAY:
            return call("DATE", moment)
        case Grain.WEEK:
            return call("DATE", moment, "-6 days", "weekday 1")
        case Grain.MONTH:
            return call("STRFTIME", "%Y-%m-01", moment)
        case Grain.YEAR:
            return call("STRFTIME", "%Y-01-01", moment)
    month = exp.cast(call("STRFTIME", "%m", moment), "INT")
    place = exp.Sub(this=exp.Mul(this=month, expression=exp.Literal.number(2)), expression=exp.Literal.number(1))
    first = call("SUBSTR", "010101040404070707101010", place, 2)
    year = call("STRFTIME", "%Y-", moment.copy())
    return exp.DPipe(this=exp.DPipe(this=year, expression=first), expression=exp.Literal.string("-01"))


def _weekday(moment: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The day of the week, Monday is 1."""
    from sqlglot import exp

    if dialect != "sqlite":
        number: exp.Expr = exp.Extract(this=exp.var("ISODOW"), expression=moment)
        return exp.cast(number, "INT")
    since_sunday = exp.Add(this=exp.cast(call("STRFTIME", "%w", moment), "INT"), expression=exp.Literal.number(6))
    since_monday = exp.Mod(this=exp.Paren(this=since_sunday), expression=exp.Literal.number(7))
    return exp.Paren(this=exp.Add(this=since_monday, expression=exp.Literal.number(1)))


def grained(name: str, grain: Grain) -> Column:
    """The column of what a date is grouped by."""
    return Column(name, ColumnType.INTEGER if grain.repeats else ColumnType.DATE)


def moment_of(value: exp.Expr, facts: FieldFacts, dialect: Dialect, *, whole: bool) -> exp.Expr:
    """A date as it is counted from: its day, or the moment itself."""
    if whole:
        return period_start(value, facts, Grain.DAY, dialect)
    moment = _moment(value, facts, dialect)
    return _with_time(value, moment) if facts.column.type is ColumnType.TEXT and dialect == "postgres" else moment


def _with_time(text: exp.Expr, day: exp.Expr) -> exp.Expr:
    """A text as a moment, on PostgreSQL: with its time of day where it has one, else its day."""
    from sqlglot import exp

    timed = exp.RegexpLike(this=text.copy(), expression=exp.Literal.string(_ISO_MOMENT))
    moment = exp.If(this=timed, true=exp.cast(text.copy(), "TIMESTAMP"))
    return exp.Case(ifs=[moment], default=exp.cast(day, "TIMESTAMP"))


def day_literal(day: date, dialect: Dialect) -> exp.Expr:
    """A day as it is counted to: SQLite counts texts."""
    from sqlglot import exp

    text = exp.Literal.string(day.isoformat())
    return text if dialect == "sqlite" else exp.cast(text, "DATE")


def days_apart(later: exp.Expr, earlier: exp.Expr, dialect: Dialect, *, whole: bool) -> exp.Expr:
    """The days from one day to another, or the time between two moments in days."""
    from sqlglot import exp

    if whole and dialect != "sqlite":
        return exp.Paren(this=exp.Sub(this=later, expression=earlier))
    if whole:
        days = exp.Sub(this=call("JULIANDAY", later), expression=call("JULIANDAY", earlier))
        return exp.cast(days, "INT")
    if dialect == "sqlite":
        seconds: exp.Expr = exp.Sub(this=_epoch(later), expression=_epoch(earlier))
    elif dialect == "duckdb":
        seconds = exp.Sub(this=call("EPOCH", later), expression=call("EPOCH", earlier))
    else:
        apart = exp.Paren(this=exp.Sub(this=later, expression=earlier))
        seconds = exp.Extract(this=exp.var("EPOCH"), expression=apart)
    day = exp.Literal.number("86400.0")
    return exp.Div(this=exp.cast(exp.Paren(this=seconds), "DOUBLE"), expression=day, typed=True)


def _epoch(moment: exp.Expr) -> exp.Expr:
    """The seconds of a moment, on SQLite."""
    from sqlglot import exp

    return exp.cast(call("STRFTIME", "%s", moment), "INT")


def _moment(value: exp.Expr, facts: FieldFacts, dialect: Dialect) -> exp.Expr:
    """A date as the engine's own date or time, however it is stored."""
    from sqlglot import exp

    if facts.guard is not None:
        return _from_number(value, facts.guard, dialect)
    if facts.column.type is not ColumnType.TEXT:
        return value
    if dialect == "duckdb":
        return exp.TryCast(this=value, to=exp.DataType.build("TIMESTAMP"))
    if dialect == "sqlite":
        return call("AS_TIME", value)
    is_day = exp.RegexpLike(this=value, expression=exp.Literal.string(_ISO_DAY))
    day = exp.cast(exp.Substring(this=value.copy(), start=exp.Literal.number(1), length=exp.Literal.number(10)), "DATE")
    return exp.Case(ifs=[exp.If(this=is_day, true=day)])


def _from_number(value: exp.Expr, encoding: Encoding, dialect: Dialect) -> exp.Expr:
    from sqlglot import exp

    seconds = encoding is Encoding.UNIX_SECONDS
    if dialect == "duckdb":
        factor = exp.Literal.number(1_000_000 if seconds else 1000)
        return call("MAKE_TIMESTAMP", exp.Mul(this=exp.cast(value, "BIGINT"), expression=factor))
    if dialect == "sqlite":
        return call("DATETIME", _in_seconds(value, seconds=seconds), "unixepoch")
    number = _in_seconds(value, seconds=seconds)
    return exp.AtTimeZone(this=call("TO_TIMESTAMP", number), zone=exp.Literal.string("UTC"))


def _in_seconds(value: exp.Expr, *, seconds: bool) -> exp.Expr:
    from sqlglot import exp

    return value if seconds else exp.Div(this=exp.cast(value, "DOUBLE"), expression=exp.Literal.number(1000))


def first_ten(value: exp.Expr) -> exp.Expr:
    """The day of a date that is stored as an ISO text."""
    from sqlglot import exp

    return exp.Substring(this=value, start=exp.Literal.number(1), length=exp.Literal.number(10))


def month_number(value: exp.Expr, column: Column) -> exp.Expr:
    """A month as a number, where it is stored as one, as a text of digits or by name."""
    from sqlglot import exp

    if column.type is not ColumnType.TEXT:
        return value
    folded = exp.Lower(this=exp.Trim(this=value))
    words = {**{str(n): n for n in range(13)}, **{f"{n:02}": n for n in range(10)}, **MONTHS, **_UNFOLDED}
    chosen = [exp.If(this=exp.Literal.string(word), true=exp.Literal.number(number)) for word, number in words.items()]
    return exp.Case(this=folded, ifs=chosen)


def year_number(value: exp.Expr, column: Column) -> exp.Expr:
    """A year as a number."""
    from sqlglot import exp

    return exp.cast(value, "INT") if column.type is ColumnType.TEXT else value


def typed_null(column: Column, dialect: Dialect) -> exp.Expr:
    """NULL as a value of a type, for the engines that want to know it in a UNION."""
    from sqlglot import exp

    names = {
        ColumnType.INTEGER: "DECIMAL",
        ColumnType.DECIMAL: "DECIMAL",
        ColumnType.FLOAT: "DOUBLE",
        ColumnType.TEXT: "TEXT",
        ColumnType.BOOLEAN: "BOOLEAN",
        ColumnType.DATE: "DATE",
        ColumnType.TIMESTAMP: "TIMESTAMP",
    }
    # DuckDB takes the type of the other branches.
    name = names.get(column.type) if dialect == "postgres" else None
    return exp.cast(exp.Null(), name) if name else exp.Null()
