"""Functions: what they make of their arguments, and how long a text may get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from veracity.query.sqlcheck import kinds
from veracity.query.sqlcheck.arithmetic import computed
from veracity.query.sqlcheck.comparing import note_probe
from veracity.query.sqlcheck.conditions import UNKNOWN
from veracity.query.sqlcheck.model import (
    Leaf,
    SqlScope,
    SqlValue,
    Term,
)
from veracity.sources.source import NUMERIC, ColumnType

if TYPE_CHECKING:
    from sqlglot import exp

_PASSING = frozenset(["Abs", "Ceil", "Floor", "Trunc", "Round", "Sign", "Paren"])


def function(node: exp.Expr, scope: SqlScope) -> SqlValue:
    """Any other function: what it makes of a number is judged like the number, texts and dates become something else."""
    parts = [scope.value(child) for child in node.iter_expressions() if not _is_unit(child)]
    name = type(node).__name__
    first = _argument(node, scope) or (parts[0] if parts else SqlValue(kinds.OTHER, constant=True, literal=UNKNOWN))
    if name in _PASSING:
        terms: tuple[Term, ...] = first.terms
    else:
        numeric = tuple(leaf for part in parts for leaf in part.leaves if _is_number(leaf))
        terms = (Term(numeric),) if numeric else ()
    called = _function_name(node)
    # DATE_TRUNC('month', day) is a kind of day: what is written only says which.
    inner = next((part.column for part in parts if not part.constant), first.column)
    column = kinds.own_function(called, inner, scope.world.dialect) or kinds.function(called, first.column)
    if name == "Round":
        column = kinds.rounded(first.column, _digits(parts))
    made = replace(computed(column, parts, terms), size=_grown(called, parts))
    scope.facts.longest = max(scope.facts.longest, made.size)
    if not parts:
        return replace(made, constant=True, literal=UNKNOWN)
    if column.type is ColumnType.BOOLEAN:
        note_probe(node, scope)
    if called in ("DPipe", "CONCAT") and all(isinstance(part.literal, str) for part in parts):
        return replace(made, literal="".join(str(part.literal) for part in parts))
    if name in ("Lower", "Upper") and first.field_of is not None:
        return replace(made, field_of=first.field_of, wrapped=name.upper())
    return made


def _grown(called: str, parts: Sequence[SqlValue]) -> int:
    """How long the text of a function may be: texts are joined, or each sign of one may become another text."""
    sizes = [part.size for part in parts] or [kinds.USUAL_NUMBER]
    if called in ("DPipe", "Concat", "CONCAT", "ConcatWs", "CONCAT_WS", "FORMAT", "PRINTF"):
        return sum(sizes) * (1 if "WS" not in called.upper() else 2)
    if called.upper() == "REPLACE" and len(sizes) > 2:
        sought = len(parts[1].literal) if isinstance(parts[1].literal, str) else 1
        return sizes[0] * max(1, sizes[2] // max(1, sought))
    return max(sizes)


def _argument(node: exp.Expr, scope: SqlScope) -> SqlValue | None:
    """What a function is taken of, wherever the parser keeps its other arguments."""
    from sqlglot import exp

    inner = node.args.get("this")
    return scope.value(inner) if isinstance(inner, exp.Expr) and not _is_unit(inner) else None


def _function_name(node: exp.Expr) -> str:
    """The class of a function; its name, where it has none."""
    from sqlglot import exp

    return str(node.this).upper() if isinstance(node, exp.Anonymous) else type(node).__name__


def _is_unit(node: exp.Expr) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Var | exp.DataType)


def _is_number(leaf: Leaf) -> bool:
    return leaf.facts is None or leaf.facts.column.type in NUMERIC


def _digits(parts: Sequence[SqlValue]) -> int | None:
    literal = parts[1].literal if len(parts) > 1 else 0
    return literal if isinstance(literal, int) else None
