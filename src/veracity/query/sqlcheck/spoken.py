"""What a query brings in by itself: numbers it computes with, values it compares with where no plain condition says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

_STRUCTURAL = frozenset({"0", "1", "100", "0.0", "1.0", "100.0", ""})
"""What a query counts and chooses with."""

_SHOWN_DIGITS = 2
_ALTERING = frozenset({"FLOOR", "CEIL", "ABS", "SQRT", "POWER", "LN", "LOG", "EXP", "SIGN", "TRUNC", "CBRT"})


def spoken_literals(query: exp.Query) -> tuple[str, ...]:
    """Every literal that can change a figure, as it was written."""
    from sqlglot import exp

    found = (literal for literal in query.find_all(exp.Literal) if not _is_form(literal))
    return tuple(dict.fromkeys(literal.name for literal in found if _says_something(literal)))


def _says_something(literal: exp.Literal) -> bool:
    """Zero, one and a hundred count and choose (THEN 1 ELSE 0); computed with, they change a figure: SUM(x) * 100."""
    from sqlglot import exp

    parent = literal.parent
    while isinstance(parent, exp.Paren | exp.Neg | exp.Cast):
        parent = parent.parent
    if isinstance(parent, exp.Mul | exp.Div) and literal.name in ("1", "1.0"):
        return False
    computed = isinstance(parent, exp.Add | exp.Sub | exp.Mul | exp.Div | exp.IntDiv | exp.Mod | exp.Pow)
    return computed or literal.name not in _STRUCTURAL


def turns(query: exp.Query) -> frozenset[str]:
    """How a query turns conditions: `either` joins them by OR, `not` negates one; and whether figures are `altered`."""
    from sqlglot import exp

    negated = (part for part in query.find_all(exp.Not) if not isinstance(part.this, exp.Is | exp.Exists))
    found = {
        "either": query.find(exp.Or) is not None,
        "not": query.find(exp.NEQ) is not None or any(True for _ in negated),
        "altered": any(map(_alters, query.find_all(exp.Func))),
    }
    return frozenset(name for name, is_so in found.items() if is_so)


def _alters(function: exp.Func) -> bool:
    """Whether a function makes another number of a figure; rounded to two digits or more it is the same to a reader."""
    from sqlglot import exp

    if isinstance(function, exp.Round):
        digits = function.args.get("decimals")
        return not (isinstance(digits, exp.Literal) and digits.name.isdigit() and int(digits.name) >= _SHOWN_DIGITS)
    return function.sql_name() in _ALTERING


def _is_form(literal: exp.Literal) -> bool:
    """Whether a literal only says how many rows, how many digits, how a date is written or which part of it is meant."""
    from sqlglot import exp

    parent, key = literal.parent, literal.arg_key
    if isinstance(
        parent, exp.Limit | exp.Offset | exp.Fetch | exp.Ordered | exp.Group | exp.Interval | exp.DataTypeParam
    ):
        return True
    if isinstance(parent, exp.Round) and key == "decimals":
        return True
    formats = key in ("format", "unit", "zone") or isinstance(parent, exp.DateTrunc | exp.TimestampTrunc | exp.Extract)
    return formats or (isinstance(parent, exp.WindowSpec) if hasattr(exp, "WindowSpec") else False)
