"""Computing with values: exact decimals, one unit, and nothing added that does not add up."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from typing import NoReturn

from veracity.answer.syntax import ExpressionRefused
from veracity.answer.values import (
    MAX_ARGS,
    NAMES_THINGS,
    PLAIN,
    QUOTIENT_DECIMALS,
    VERBATIM,
    Arg,
    Basis,
    Value,
    ValueKind,
    ValueUnit,
)
from veracity.contracts import ValidationErrorCode, clip
from veracity.ontology.fields import Additivity, FieldRole

_TRAPS = [InvalidOperation, DivisionByZero, Overflow]
# Sums and products of cells are exact; only a quotient is ever rounded, far behind what is shown.
EXACT = Context(prec=2000, rounding=ROUND_HALF_EVEN, traps=_TRAPS)
QUOTIENT = Context(prec=50, rounding=ROUND_HALF_EVEN, traps=_TRAPS)
FACTORS = frozenset(map(Decimal, (2, 4, 12, 52, 100, 365, 1000, 1_000_000)))
"""Typed numbers that may multiply or divide: per month, per quarter, in thousands."""
_HUNDRED = Decimal(100)


def refuse(code: ValidationErrorCode, name: str | None, hint: str, suggestion: str | None = None) -> NoReturn:
    """Stop with a result for the model."""
    raise ExpressionRefused(code, name, hint, suggestion)


def number(value: Value, doing: str) -> Decimal:
    """The number of a value that is computed with."""
    if isinstance(value.value, Decimal) and value.role not in NAMES_THINGS:
        return value.value
    name = value.basis.name
    shown = clip(name or "It", 24)
    if value.kind is ValueKind.NUMBER:
        hint = f"{shown} names things; {doing} does not make sense of it."
    elif value.kind is ValueKind.NULL:
        hint = f"{shown} is NULL here, which is not 0: say that there is no value."
    else:
        hint = f"{shown} is a {value.kind}, not a number."
    refuse(ValidationErrorCode.TYPE_MISMATCH, name, hint)


def add(left: Value, right: Value) -> Value:
    """The sum of two values."""
    if left.basis.negated and not right.basis.negated:
        return _difference(right, negate(left))
    if right.basis.negated and not left.basis.negated:
        return _difference(left, negate(right))
    total = EXACT.add(number(left, "+"), number(right, "+"))
    if both := _with_literal(left, right, total):
        return both
    unit = _one_unit(left, right, "+")
    _check_adds(left, right)
    return _combined(left, right, total, unit)


def subtract(left: Value, right: Value) -> Value:
    """The difference of two values; periods and classes may differ, units may not."""
    if left.basis.literal and left.value == 0 and not right.basis.literal:
        return negate(right)
    if right.basis.negated:
        return add(left, negate(right))
    return _difference(left, right)


def _difference(left: Value, right: Value) -> Value:
    rest = EXACT.subtract(number(left, "-"), number(right, "-"))
    if both := _with_literal(left, right, rest):
        return both
    return _combined(left, right, rest, _one_unit(left, right, "-"))


def negate(value: Value) -> Value:
    """The value with its sign turned."""
    turned = EXACT.minus(number(value, "-"))
    basis = replace(value.basis, negated=not value.basis.negated)
    return replace(value, value=turned, basis=basis, derived=True, role=_computed_role(value))


def multiply(left: Value, right: Value) -> Value:
    """The product; of two figures at most one has a unit."""
    product = EXACT.multiply(number(left, "*"), number(right, "*"))
    if left.basis.literal and right.basis.literal:
        return replace(left, value=product)
    if left.basis.literal or right.basis.literal:
        factor, figure = (left, right) if left.basis.literal else (right, left)
        _check_factor(factor)
        scaled = QUOTIENT.divide(figure.basis.scaled, number(factor, "*"))
        basis = replace(figure.basis, scaled=scaled)
        return replace(figure, value=product, derived=True, role=_computed_role(figure), basis=basis)
    if left.basis.unit.exists and right.basis.unit.exists:
        refuse(ValidationErrorCode.TYPE_MISMATCH, left.basis.name, "Two amounts with units cannot be multiplied.")
    main = right if right.basis.unit.exists else left
    basis = replace(main.basis, cells=frozenset(), negated=False, name=None)
    return replace(
        main, value=product, args=joined_args(left, right), derived=True, role=_computed_role(main), basis=basis
    )


def divide(left: Value, right: Value) -> Value:
    """The quotient: a share of the same unit, an amount per count, or a figure in thousands."""
    quotient = _quotient(number(left, "/"), number(right, "/"))
    if left.basis.literal and right.basis.literal:
        return replace(left, value=quotient)
    if right.basis.literal:
        _check_factor(right)
        scaled = EXACT.multiply(left.basis.scaled, number(right, "/"))
        basis = replace(left.basis, scaled=scaled)
        shown = left.decimals if left.basis.unit.exists else None
        return replace(
            left,
            value=quotient,
            decimals=shown,
            at_most=QUOTIENT_DECIMALS,
            derived=True,
            role=_computed_role(left),
            basis=basis,
        )
    if left.basis.literal:
        hint = "A typed number cannot be divided by a cell; use cells, or percent(a, b)."
        refuse(ValidationErrorCode.TYPE_MISMATCH, str(left.value), hint)
    if left.basis.unit.exists and not right.basis.unit.exists:
        unit = left.basis.unit
    else:
        _one_unit(left, right, "/")
        unit = PLAIN
    return Value(
        quotient,
        unit=unit.name,
        role=_computed_role(left) if unit.exists else None,
        decimals=left.decimals if unit.exists else None,
        at_most=QUOTIENT_DECIMALS,
        args=joined_args(left, right),
        derived=True,
        numeric=True,
        basis=Basis(unit=unit),
    )


def percent(part: Value, whole: Value) -> Value:
    """A share in percent."""
    if part.basis.literal or whole.basis.literal:
        hint = "percent(a, b) takes two figures from results."
        refuse(ValidationErrorCode.TYPE_MISMATCH, "percent", hint)
    share = EXACT.multiply(_quotient(number(part, "percent"), number(whole, "percent")), _HUNDRED)
    _one_unit(part, whole, "percent")
    args = joined_args(part, whole)
    return Value(share, decimals=1, percent=True, args=args, derived=True, numeric=True, basis=Basis())


def rounded(value: Value, digits: int) -> Value:
    """The value with so many decimals, halves away from zero."""
    exact = number(value, "round")
    short = exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP, EXACT)
    return replace(value, value=short, decimals=digits, derived=True, role=_computed_role(value))


def mean(total: Decimal, count: int) -> Decimal:
    """An average."""
    return _quotient(total, Decimal(count))


def joined_args(*values: Value) -> tuple[Arg, ...]:
    """The cells of several values, each once."""
    found: list[Arg] = []
    for value in values:
        found.extend(arg for arg in value.args if arg not in found)
    return tuple(found[:MAX_ARGS])


def _quotient(dividend: Decimal, divisor: Decimal) -> Decimal:
    if divisor == 0:
        hint = "Division by zero; say that the share cannot be computed."
        refuse(ValidationErrorCode.TYPE_MISMATCH, "/", hint)
    return QUOTIENT.divide(dividend, divisor)


def _computed_role(value: Value) -> FieldRole | None:
    # The distance of two years is no year.
    return None if value.role in VERBATIM else value.role


def _with_literal(left: Value, right: Value, outcome: Decimal) -> Value | None:
    """What a typed number makes of a sum or difference: nothing, unless it is 0 or both are typed."""
    if left.basis.literal and right.basis.literal:
        return replace(left, value=outcome)
    if not left.basis.literal and not right.basis.literal:
        return None
    typed, figure = (left, right) if left.basis.literal else (right, left)
    if typed.value != 0:
        hint = "A typed number is not data: add or subtract cells only."
        refuse(ValidationErrorCode.TYPE_MISMATCH, str(typed.value), hint)
    return figure


def _check_factor(factor: Value) -> None:
    if factor.value not in FACTORS:
        allowed = ", ".join(str(f) for f in sorted(FACTORS))
        hint = f"A typed factor is one of {allowed}; use cells."
        refuse(ValidationErrorCode.TYPE_MISMATCH, str(factor.value), hint)


def _one_unit(left: Value, right: Value, op: str) -> ValueUnit:
    unit = left.basis.unit.joined(right.basis.unit)
    if unit is not None:
        return unit
    ours, theirs = left.basis.unit, right.basis.unit
    if ours.exists and theirs.exists and ours.name and theirs.name:
        hint = f"{op} of {clip(ours.name, 12)} and {clip(theirs.name, 12)}: units differ, show them apart."
        refuse(ValidationErrorCode.MIXED_UNITS, right.basis.name, hint)
    missing = ours if ours.exists and not ours.name else theirs
    if ours.exists != theirs.exists:
        hint = f"{op} of a figure with a unit and one without; they do not go together."
        refuse(ValidationErrorCode.MIXED_UNITS, (left if not ours.exists else right).basis.name, hint)
    hint = f"The unit of a figure is not known here; query {clip(missing.field or 'it', 24)}, too."
    refuse(ValidationErrorCode.MIXED_UNITS, missing.field, hint, missing.field)


def _check_adds(left: Value, right: Value) -> None:
    for value in (left, right):
        name = value.basis.name
        if value.basis.repeats:
            hint = f"{clip(name or 'It', 24)} may be the same value in several rows; do not add it up."
            refuse(ValidationErrorCode.AMBIGUOUS_GRAIN, name, hint)
        if value.basis.additivity is Additivity.NON_ADDITIVE:
            hint = f"{clip(name or 'A computed figure', 24)} does not add up; show the figures apart."
            refuse(ValidationErrorCode.INVALID_AGGREGATE_TARGET, name, hint)
    if left.basis.cells & right.basis.cells:
        refuse(ValidationErrorCode.AMBIGUOUS_GRAIN, right.basis.name, "The same cell would be added twice.")
    theirs = dict(right.basis.over)
    for over, ours in left.basis.over:
        if over in theirs and (ours is None or ours != theirs[over]):
            hint = f"{clip(right.basis.name or 'It', 24)} adds up within one {clip(over, 20)} only."
            refuse(ValidationErrorCode.INVALID_AGGREGATE_TARGET, right.basis.name, hint, f"{over} =")


def _over(left: Value, right: Value) -> tuple[tuple[str, str | None], ...]:
    """The `over` values of both together; None where they differ."""
    ours, theirs = dict(left.basis.over), dict(right.basis.over)
    same = {name: value if theirs.get(name, value) == value else None for name, value in ours.items()}
    return tuple({**theirs, **same}.items())


def _additivity(left: Value, right: Value) -> Additivity:
    both = (left.basis.additivity, right.basis.additivity)
    weaker = (Additivity.NON_ADDITIVE, Additivity.SEMI_ADDITIVE, Additivity.ADDITIVE)
    return next(kind for kind in weaker if kind in both)


def _combined(left: Value, right: Value, outcome: Decimal, unit: ValueUnit) -> Value:
    known = left.decimals is not None and right.decimals is not None
    basis = Basis(
        additivity=_additivity(left, right),
        over=_over(left, right),
        unit=unit,
        cells=left.basis.cells | right.basis.cells,
        repeats=left.basis.repeats or right.basis.repeats,
        scaled=left.basis.scaled if left.basis.scaled == right.basis.scaled else Decimal(0),
        name=left.basis.name if left.basis.name == right.basis.name else None,
    )
    return Value(
        outcome,
        unit=unit.name,
        role=_computed_role(left) if left.role is right.role else None,
        decimals=max(left.decimals or 0, right.decimals or 0) if known else None,
        at_most=max(left.at_most, right.at_most),
        percent=left.percent and right.percent,
        args=joined_args(left, right),
        derived=True,
        numeric=True,
        basis=basis,
    )
