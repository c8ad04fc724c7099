"""What measures and segments say in SQL, parsed once: arithmetic over fields, and conditions as a query writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from veracity.errors import OntologyError
from veracity.language.nearest import did_you_mean
from veracity.semantic.graph import Thing, Way
from veracity.semantic.query import AllOf, AnyOf, Comparison, Condition, Negation, Operator

if TYPE_CHECKING:
    from sqlglot import exp

ArithmeticSign = Literal["+", "-", "*", "/"]
_DEEPEST = 50


@dataclass(frozen=True, slots=True)
class FieldValue:
    """The value of a field of the row."""

    name: str


@dataclass(frozen=True, slots=True)
class NumberValue:
    """A number that the ontology writes."""

    number: Decimal


@dataclass(frozen=True, slots=True)
class Calculation:
    """Two values and what is done with them."""

    sign: ArithmeticSign
    left: RowValue
    right: RowValue


@dataclass(frozen=True)
class DaysValue:
    """The days from one date of the row to another; the earlier one may be of a row that it belongs to."""

    name: str
    since: str
    thing: Thing
    """Whose field the earlier date is."""
    way: Way = ()
    whole: bool = True
    """Days of the calendar; between two moments the exact time in days."""
    until: date | None = None
    """The day that is counted to, where it is no date of the row."""


RowValue = FieldValue | NumberValue | Calculation | DaysValue
"""What is computed from one row."""


def fields_in(value: RowValue) -> Iterator[str]:
    """The fields that a value is computed from."""
    match value:
        case FieldValue():
            yield value.name
        case Calculation():
            yield from fields_in(value.left)
            yield from fields_in(value.right)


def parse_expression(place: str, sql: str, thing: Thing) -> RowValue:
    """A field, or + - * / over fields and numbers of one entity; raises `OntologyError`."""
    return _Reader(place, thing).value(_parsed(place, sql), 0)


def parse_where(place: str, sql: str, thing: Thing) -> Condition:
    """A SQL condition over fields of one entity, as the condition of a query; raises `OntologyError`."""
    return _Reader(place, thing).condition(_parsed(place, sql), 0)


def _parsed(place: str, sql: str) -> exp.Expr:
    import sqlglot

    try:
        return sqlglot.parse_one(sql, read="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError):
        raise OntologyError(f"{place} cannot be parsed: {sql[:60]!r}; write it in plain SQL") from None


class _Reader:
    """Reads the parsed SQL of one measure or segment."""

    def __init__(self, place: str, thing: Thing) -> None:
        self._place, self._thing = place, thing

    def _refused(self, tree: exp.Expr, allowed: str) -> OntologyError:
        return OntologyError(f"{self._place} says {tree.sql('duckdb')[:60]!r}; {allowed}")

    def field(self, tree: exp.Expr) -> str:
        name = str(tree.name)
        if name not in self._thing.fields:
            near = did_you_mean(name, self._thing.fields)
            raise OntologyError(f"{self._place} names the field {name} of {self._thing.name}, which is not there{near}")
        return name

    def value(self, tree: exp.Expr, depth: int) -> RowValue:
        from sqlglot import exp

        allowed = "an expression is made of fields, numbers and + - * /"
        signs: dict[type[exp.Expr], ArithmeticSign] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}
        if depth > _DEEPEST:
            raise OntologyError(f"{self._place} is nested too deeply")
        match tree:
            case exp.Paren():
                return self.value(tree.this, depth + 1)
            case exp.Column() if not tree.table:
                return FieldValue(self.field(tree))
            case exp.Literal() if not tree.is_string:
                return NumberValue(Decimal(tree.this))
            case exp.Neg():
                return Calculation("-", NumberValue(Decimal(0)), self.value(tree.this, depth + 1))
            case exp.Binary() if type(tree) in signs:
                left, right = self.value(tree.left, depth + 1), self.value(tree.right, depth + 1)
                return Calculation(signs[type(tree)], left, right)
        raise self._refused(tree, allowed)

    def condition(self, tree: exp.Expr, depth: int) -> Condition:
        from sqlglot import exp

        if depth > _DEEPEST:
            raise OntologyError(f"{self._place} is nested too deeply")
        match tree:
            case exp.Paren():
                return self.condition(tree.this, depth + 1)
            case exp.And() | exp.Or():
                kind: Callable[..., Condition] = AllOf if isinstance(tree, exp.And) else AnyOf
                return kind(conditions=tuple(self.condition(part, depth + 1) for part in tree.flatten()))
            case exp.Not():
                return self._negated(tree, depth)
            case exp.Column():
                return self._compared(tree, "=", True)
        return self._comparison(tree)

    def _negated(self, tree: exp.Expr, depth: int) -> Condition:
        inner = self.condition(tree.this, depth + 1)
        if isinstance(inner, Comparison) and inner.op == "missing":
            return inner.model_copy(update={"op": "notMissing"})
        return Negation(condition=inner)

    def _comparison(self, tree: exp.Expr) -> Condition:
        from sqlglot import exp

        signs: dict[type[exp.Expr], Operator] = {
            exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.Like: "like",
        }  # fmt: skip
        turned: dict[Operator, Operator] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        if isinstance(tree, exp.Binary) and type(tree) in signs:
            sign = signs[type(tree)]
            if isinstance(tree.left, exp.Column):
                return self._compared(tree.left, sign, self._literal(tree.right))
            if isinstance(tree.right, exp.Column) and sign != "like":
                return self._compared(tree.right, turned.get(sign, sign), self._literal(tree.left))
        if isinstance(tree, exp.In) and isinstance(tree.this, exp.Column) and tree.expressions:
            return self._compared(tree.this, "in", [self._literal(one) for one in tree.expressions])
        if isinstance(tree, exp.Between) and isinstance(tree.this, exp.Column):
            ends = [self._literal(tree.args["low"]), self._literal(tree.args["high"])]
            return self._compared(tree.this, "between", ends)
        if isinstance(tree, exp.Is) and isinstance(tree.this, exp.Column):
            if isinstance(tree.expression, exp.Null):
                return self._compared(tree.this, "missing", None)
            if isinstance(tree.expression, exp.Boolean):
                return self._compared(tree.this, "=", bool(tree.expression.this))
        raise self._refused(tree, "a condition compares a field with values (= < > IN BETWEEN LIKE IS NULL AND OR NOT)")

    def _compared(self, column: exp.Expr, op: Operator, value: Any) -> Comparison:
        return Comparison(field=f"{self._thing.name}.{self.field(column)}", op=op, value=value)

    def _literal(self, tree: exp.Expr) -> Any:
        from sqlglot import exp

        match tree:
            case exp.Paren():
                return self._literal(tree.this)
            case exp.Literal():
                return tree.this if tree.is_string else Decimal(tree.this)
            case exp.Boolean():
                return bool(tree.this)
            case exp.Neg(this=exp.Literal() as number) if not number.is_string:
                return -Decimal(number.this)
            case exp.Cast(this=exp.Literal() as text) if text.is_string:
                return text.this
        raise self._refused(tree, "compare with a text, a number, a date, true or false")


@dataclass(frozen=True, slots=True)
class MeasureFacts:
    """A measure whose SQL was parsed: what it takes of each row, and which rows it takes."""

    value: RowValue | None
    """None: the row itself is counted."""
    where: Condition | None


@lru_cache(maxsize=4096)
def measure_facts(thing: Thing, name: str) -> MeasureFacts:
    """The parsed form of a measure that is no ratio."""
    measure = thing.measures[name]
    place = f"the measure {name} of {thing.name}"
    value = parse_expression(place, measure.expression, thing) if measure.expression else None
    return MeasureFacts(value, parse_where(place, measure.where, thing) if measure.where else None)


@lru_cache(maxsize=4096)
def segment_condition(thing: Thing, name: str) -> Condition:
    """The parsed condition of a segment."""
    return parse_where(f"the segment {name} of {thing.name}", thing.segments[name].where, thing)
