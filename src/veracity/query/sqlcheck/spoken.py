"""What a query brings in by itself: numbers it computes with, values it compares with where no plain condition says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

_STRUCTURAL = frozenset({"0", "1", "100", "0.0", "1.0", "100.0", ""})
"""What a query counts and chooses with."""


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
    """How a query turns conditions: `either` joins them by OR, `not` negates one. What is only NULL or not is neither."""
    from sqlglot import exp

    negated = (part for part in query.find_all(exp.Not) if not isinstance(part.this, exp.Is | exp.Exists))
    found = {"either"} if query.find(exp.Or) else set()
    return frozenset(found | ({"not"} if query.find(exp.NEQ) or any(True for _ in negated) else set()))


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
