"""Declared derivations: a figure of the answer is said to be an expression over the results, which is computed again.

Operands are cells. A number that was typed into an expression must be the value of a cell or a heading, or be one of a
few that only give a computation its form: 1 in a growth rate, 2 to 365 and powers of ten as factors, the number of terms
in an average. Nothing is ever searched for: a wrong declaration is a wrong figure.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from veracity.answer.arithmetic import (
    EXACT,
    FACTORS,
    QUOTIENT,
    add,
    divide,
    joined_args,
    multiply,
    number,
    refuse,
    subtract,
)
from veracity.answer.expression import Binary, Function, Negative, Node, Number, Value, evaluate, parse
from veracity.answer.render import shown
from veracity.answer.results import ColumnFacts
from veracity.answer.syntax import ExpressionRefused, walk
from veracity.answer.values import Basis
from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.grounding.binding.figure_meaning import BindingOutcome, FigureMeaning, cell_says, significant_digits
from veracity.grounding.binding.results_index import Index
from veracity.grounding.contracts import DeclaredClaim
from veracity.language.numbers import Figure, written

_HUNDRED = Decimal(100)
_OFFSETS = frozenset(map(Decimal, (0, 1, 100)))
"""What may be added or taken away: the 1 of a growth rate, the 100 of a rest in percent."""
_MOST_PLACES = 200
_MANY_DIGITS = 3


class Claims:
    """The claims of an answer, each with the figures that it covers."""

    def __init__(self, claims: Sequence[DeclaredClaim], text: str, figures: Sequence[Figure], index: Index) -> None:
        self._index, self._figures = index, figures
        self._starts = [figure.start for figure in figures]
        self._by_start: dict[int, DeclaredClaim] = {}
        for claim in claims:
            self._cover(claim, text)

    def _cover(self, claim: DeclaredClaim, text: str) -> None:
        """A claim covers one place; a figure of many digits is the same figure wherever it is repeated."""
        if not claim.text.strip():
            return
        for start, end in _places(claim.text, text):
            first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
            inside = [
                one for one in self._figures[first:last] if _ends_by(one, end) and one.start not in self._by_start
            ]
            if not inside:
                continue
            self._by_start.update((one.start, claim) for one in inside)
            if len(inside) > 1 or significant_digits(inside[0]) < _MANY_DIGITS:
                return

    def claim_for(self, figure: Figure) -> DeclaredClaim | None:
        """The claim that covers a figure."""
        return self._by_start.get(figure.start)

    def outcome(self, claim: DeclaredClaim, meaning: FigureMeaning, locale: str) -> BindingOutcome:
        """Whether the figure is what its expression comes to."""
        node = parse(claim.expression)
        found = node if isinstance(node, QueryValidationError) else recomputed(node, self._index)
        if isinstance(found, QueryValidationError):
            return BindingOutcome("unbound", "expression", hint=found.hint)
        value, ratio = found
        if not isinstance(value.value, Decimal):
            return BindingOutcome("unbound", "expression", hint="The expression comes to no number.")
        right = value.value
        if meaning.figure.percent and ratio and not value.percent:
            right = EXACT.multiply(right, _HUNDRED)
        multiple = Decimal(1) if ratio else self._multiple(value)
        if not cell_says(right, meaning, ColumnFacts(multiple=multiple)):
            return BindingOutcome("unbound", "expression", nearest=shown(replace(value, value=right), locale))
        return BindingOutcome(
            "bound", kind="derived", value=written(right), expression=claim.expression, args=value.args
        )

    def _multiple(self, value: Value) -> Decimal:
        """In how many the cells are, where that is the same for all of them."""
        columns = (self._index.results[arg.result].columns.get(arg.column) for arg in value.args)
        multiples = {facts.multiple for facts in columns if facts is not None}
        return multiples.pop() if len(multiples) == 1 else Decimal(1)


def _ends_by(figure: Figure, end: int) -> bool:
    """Whether a figure ends here; the full stop behind `Mio` may be that of the sentence."""
    return figure.end <= end or (figure.end == end + 1 and figure.text.endswith("."))


def _places(part: str, text: str) -> Iterator[tuple[int, int]]:
    start = text.find(part)
    for _ in range(_MOST_PLACES):
        if start < 0:
            return
        yield start, start + len(part)
        start = text.find(part, start + 1)


def _is_ratio(node: Node) -> bool:
    """Whether an expression divides by a cell, and nothing turns the quotient into percent."""
    parts = list(walk(node))
    divides = any(isinstance(part, Binary) and part.op == "/" and not isinstance(part.right, Number) for part in parts)
    turned = any(
        (isinstance(part, Binary) and part.op == "*" and Number(_HUNDRED) in (part.left, part.right))
        or (isinstance(part, Function) and part.name == "percent")
        for part in parts
    )
    return divides and not turned


# --- computing again


def recomputed(node: Node, index: Index) -> tuple[Value, bool] | QueryValidationError:
    """What a declared expression comes to and whether that is a ratio, or why it comes to nothing. Never raises."""
    try:
        whole = _with_cells(node, index)
        value = _evaluated(whole, index)
        if value.basis.literal:
            hint = "A typed number is not data; every expression needs a cell or a count."
            refuse(ValidationErrorCode.TYPE_MISMATCH, str(value.value), hint)
    except ExpressionRefused as refused:
        return refused.problem
    except (ArithmeticError, ValueError):
        hint = "This cannot be computed; the numbers are too large."
        return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, hint=hint)
    return value, _is_ratio(whole)


def _evaluated(node: Node, index: Index) -> Value:
    match node:
        case Number(value):
            return Value(value, derived=True, numeric=True, basis=Basis(literal=True))
        case Negative(operand):
            turned = _evaluated(operand, index)
            return replace(turned, value=EXACT.minus(number(turned, "-")), derived=True)
        case Binary(op, left, right):
            return _combined(op, _evaluated(left, index), _evaluated(right, index))
        case _:
            found = evaluate(node, index.results)
            if isinstance(found, QueryValidationError):
                refuse(found.code, found.field, found.hint, found.suggestion)
            return found


def _combined(op: str, left: Value, right: Value) -> Value:
    """Units and additivity hold as everywhere; typed numbers were checked before, and ratios may be added up."""
    typed = left.basis.literal or right.basis.literal
    if not typed and not (op in "+-" and (_is_computed(left) or _is_computed(right))):
        return {"+": add, "-": subtract, "*": multiply, "/": divide}[op](left, right)
    one, other = number(left, op), number(right, op)
    if op == "/":
        if other == 0:
            refuse(ValidationErrorCode.TYPE_MISMATCH, "/", "Division by zero; say that it cannot be computed.")
        outcome = QUOTIENT.divide(one, other)
    else:
        outcome = {"+": EXACT.add, "-": EXACT.subtract, "*": EXACT.multiply}[op](one, other)
    main = right if left.basis.literal else left
    both = left.basis.literal and right.basis.literal
    return replace(
        main, value=outcome, derived=True, args=joined_args(left, right), basis=replace(main.basis, literal=both)
    )


def _is_computed(value: Value) -> bool:
    """Whether it is a quotient or a product, of which nothing says that it adds up, and no unit forbids it."""
    return value.derived and value.basis.name is None and not value.basis.unit.exists


# --- typed numbers


def _with_cells(node: Node, index: Index) -> Node:
    """The expression with a cell in place of every typed number that is one."""
    match node:
        case Number(value):
            return _cell_with(value, index)
        case Negative(Number(value)):
            found = index.number(-value)
            return found if found is not None else Negative(_cell_with(value, index))
        case Negative(operand):
            return Negative(_with_cells(operand, index))
        case Binary("/", left, right) if _typed(right) == len(_terms(left)):
            # Over as many as are added up, also where that is said by years: 2019 - 2017 + 1.
            return Binary("/", _with_cells(left, index), Number(Decimal(len(_terms(left)))))
        case Binary(op, left, right):
            return Binary(op, _operand(left, op, right, index), _operand(right, op, left, index))
        case Function(name, args):
            kept = args[1:] if name == "round" else ()
            return Function(name, (*(_with_cells(arg, index) for arg in args[: len(args) - len(kept)]), *kept))
        case _:
            return node


def _typed(node: Node) -> Decimal | None:
    """What typed numbers alone come to, added and subtracted; None where something else is in it."""
    match node:
        case Number(value):
            return value
        case Binary("+" | "-" as op, left, right):
            one, other = _typed(left), _typed(right)
            if one is None or other is None:
                return None
            return EXACT.add(one, other) if op == "+" else EXACT.subtract(one, other)
        case _:
            return None


def _operand(node: Node, op: str, other: Node, index: Index) -> Node:
    """A typed number that only gives the computation its form stays one."""
    if not isinstance(node, Number):
        return _with_cells(node, index)
    formal = node.value in _OFFSETS if op in "+-" else node.value in FACTORS
    if formal or (op == "/" and node.value == len(_terms(other))):
        return node
    return _cell_with(node.value, index)


def _terms(node: Node) -> list[Node]:
    """What is added up."""
    if isinstance(node, Negative):
        return _terms(node.operand)
    if isinstance(node, Binary) and node.op in "+-":
        return [*_terms(node.left), *_terms(node.right)]
    return [node]


def _cell_with(value: Decimal, index: Index) -> Node:
    """The cell with a typed value; people leave out the sign of a loss."""
    found = index.number(value)
    if found is not None:
        return found
    if (turned := index.number(-value)) is not None:
        return Negative(turned)
    if written(value) not in index.headings:
        hint = f"{written(value)} is in no cell of the results; cite cells, such as r1[0].x."
        refuse(ValidationErrorCode.VALUE_NOT_FOUND, written(value), hint)
    return Number(value)
