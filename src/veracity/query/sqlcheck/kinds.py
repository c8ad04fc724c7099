"""Types of expressions, as they are read back from each engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from veracity.query.sqlcheck.allowed import OWN, TYPES, listed
from veracity.sources.source import NUMERIC, Column, ColumnType, Dialect

if TYPE_CHECKING:
    from sqlglot import exp

_UNNAMED = ""
_RESULTS = listed("""
    integer: Length StrPosition Year Month Day Quarter Week DayOfWeek DayOfMonth DayOfYear Hour Minute Second Extract DateDiff CountIf Count RowNumber Rank DenseRank Ntile Sign IntDiv DATE_PART UNIXEPOCH
    text: Lower Upper Initcap Trim Substring Left Right Concat ConcatWs Replace SplitPart Pad DPipe TimeToStr GroupConcat Monthname Dayname STRFTIME
    boolean: StartsWith EndsWith Contains LogicalAnd LogicalOr
    float: Sqrt Ln Log Exp Pow PercentRank CumeDist Stddev StddevPop StddevSamp Variance VariancePop Median TimeToUnix JULIANDAY
    date: Date CurrentDate LastDay DateFromParts DATE MAKE_DATE
    timestamp: CurrentTimestamp UnixToTime DateAdd DateSub NOW DATETIME
""")
"""What a function makes, whatever it is given; those without a class under their own names."""
_CAST = {name: ColumnType(kind if kind != "whole" else "integer") for kind, names in TYPES.items() for name in names}
_DATES = (ColumnType.DATE, ColumnType.TIMESTAMP)
# What DuckDB takes DECIMAL for when no digits are said.
_DEFAULT_SCALE = 3

USUAL_TEXT, USUAL_NUMBER = 200, 20
"""How many characters a stored text or number is taken to have."""

TEXT = Column(_UNNAMED, ColumnType.TEXT)
INTEGER = Column(_UNNAMED, ColumnType.INTEGER)
BOOLEAN = Column(_UNNAMED, ColumnType.BOOLEAN)
FLOAT = Column(_UNNAMED, ColumnType.FLOAT)
OTHER = Column(_UNNAMED, ColumnType.OTHER)


def decimal(scale: int | None) -> Column:
    """A decimal with so many digits after the point."""
    return Column(_UNNAMED, ColumnType.DECIMAL, scale=scale)


def number(text: str) -> Column:
    """The type of a written number."""
    if text.isdigit():
        return INTEGER
    return decimal(len(text.partition(".")[2])) if "e" not in text.lower() else FLOAT


def cast_to(kind: exp.DataType, dialect: Dialect) -> Column:
    """The type that a cast leads to."""
    found = _CAST.get(getattr(kind.this, "name", ""), ColumnType.OTHER)
    if found is not ColumnType.DECIMAL:
        return Column(_UNNAMED, found)
    digits = [part.name for part in kind.expressions]
    if len(digits) == 2 and digits[1].isdigit():
        return decimal(int(digits[1]))
    return decimal(_DEFAULT_SCALE if dialect == "duckdb" and not digits else None) if dialect != "sqlite" else FLOAT


def arithmetic(operator: str, left: Column, right: Column, dialect: Dialect) -> Column:
    """The type of a sum, difference, product, quotient or remainder."""
    kinds = {left.type, right.type}
    if kinds & set(_DATES):
        return _moved(operator, left, right)
    if not kinds <= NUMERIC:
        return FLOAT
    if operator == "Div":
        return _quotient(kinds, dialect)
    if ColumnType.FLOAT in kinds:
        return FLOAT
    if kinds == {ColumnType.INTEGER}:
        return INTEGER
    scales = [0 if column.type is ColumnType.INTEGER else column.scale for column in (left, right)]
    known = [scale for scale in scales if scale is not None]
    if len(known) < 2:
        return decimal(None)
    return decimal(sum(known) if operator == "Mul" else max(known))


def _moved(operator: str, left: Column, right: Column) -> Column:
    """Two dates differ by days; a date and a span make a date or a time."""
    both = left.type in _DATES and right.type in _DATES
    if both:
        return INTEGER if left.type is right.type is ColumnType.DATE and operator == "Sub" else OTHER
    day, other = (left, right) if left.type in _DATES else (right, left)
    return (
        Column(_UNNAMED, ColumnType.DATE if other.type is ColumnType.INTEGER else ColumnType.TIMESTAMP)
        if day
        else OTHER
    )


def _quotient(kinds: set[ColumnType], dialect: Dialect) -> Column:
    if dialect == "duckdb" or ColumnType.FLOAT in kinds:
        return FLOAT
    if kinds == {ColumnType.INTEGER}:
        return INTEGER
    return decimal(None) if dialect == "postgres" else FLOAT


def common(columns: Sequence[Column]) -> Column:
    """The type that several branches have together."""
    known = [column for column in columns if column is not OTHER]
    kinds = {column.type for column in known}
    if not known:
        return OTHER
    if len(kinds) == 1 and kinds != {ColumnType.DECIMAL}:
        return Column(_UNNAMED, known[0].type)
    if kinds <= NUMERIC:
        result = known[0]
        for column in known[1:]:
            result = arithmetic("Add", result, column, "duckdb")
        return Column(_UNNAMED, result.type, scale=result.scale)
    return Column(_UNNAMED, ColumnType.TIMESTAMP) if kinds <= set(_DATES) else TEXT


def own_function(name: str, inner: Column, dialect: Dialect) -> Column | None:
    """The type of an engine's own function, by the name it is written with."""
    kind = next((kind for kind, names in OWN[dialect].items() if name in names), None)
    if kind is None:
        return None
    if kind == "alike":
        return Column(_UNNAMED, inner.type, scale=inner.scale)
    # A number of some kind keeps the digits that the engine gives it.
    return decimal(None) if kind == "number" else Column(_UNNAMED, ColumnType(kind))


def function(name: str, inner: Column) -> Column:
    """The type of a function of one column, by the function's class."""
    for kind, names in _RESULTS.items():
        if name in names:
            return Column(_UNNAMED, ColumnType(kind))
    if name in ("Ceil", "Floor", "Trunc"):
        whole = {ColumnType.INTEGER: INTEGER, ColumnType.DECIMAL: decimal(0)}
        return whole.get(inner.type, FLOAT)
    return Column(_UNNAMED, inner.type, scale=inner.scale)


def rounded(inner: Column, digits: int | None) -> Column:
    """The type of ROUND."""
    if inner.type is ColumnType.DECIMAL:
        return decimal(max(0, digits or 0) if inner.scale is None else min(inner.scale, max(0, digits or 0)))
    return inner if inner.type is ColumnType.INTEGER else FLOAT


def summed(inner: Column) -> Column:
    """The type of SUM."""
    if inner.type is ColumnType.BOOLEAN:
        return INTEGER
    return Column(_UNNAMED, inner.type if inner.type in NUMERIC else ColumnType.FLOAT, scale=inner.scale)


def mean(inner: Column, dialect: Dialect) -> Column:
    """The type of AVG where it is worked out by the engine."""
    exact = inner.type in (ColumnType.INTEGER, ColumnType.DECIMAL) and dialect == "postgres"
    return decimal(None) if exact else FLOAT
