"""Metrics as others write them in SQL -> what a measure can say: one aggregate over fields of one entity, or a ratio."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from veracity.ontology.entities import MeasureAggregate

if TYPE_CHECKING:
    from sqlglot import exp

_DEEPEST = 50
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NO_EXPRESSION = "an expression of a measure is made of fields, numbers and + - * /"
_NO_CONDITION = "a condition of a measure compares fields with values (= < > IN BETWEEN LIKE IS NULL AND OR NOT)"


class Unsayable(ValueError):
    """An ontology cannot say this; the text is why."""


class OverNothing(ValueError):
    """A metric over nothing, or over something that the file does not have; the text says which."""


@dataclass(frozen=True, slots=True)
class ResolvedField:
    """A field that an expression names."""

    home: str
    name: str
    whole_days: bool = False
    """Whether it surely holds days without a time."""


FindField = Callable[[str | None, str], ResolvedField]
"""Dataset (where it is written) and name -> the field; raises `OverNothing` or `Unsayable`."""


@dataclass(frozen=True, slots=True)
class AggregateFormula:
    """One aggregate over the rows of one entity."""

    home: str
    aggregate: MeasureAggregate
    expression: str | None = None
    where: str | None = None


@dataclass(frozen=True, slots=True)
class MetricName:
    """Another metric of the file."""

    name: str


@dataclass(frozen=True, slots=True)
class RatioFormula:
    """The first divided by the second."""

    first: AggregateFormula | MetricName
    second: AggregateFormula | MetricName


Formula = AggregateFormula | MetricName | RatioFormula


def parsed_sql(sql: str, dialect: str | None) -> exp.Expr:
    """SQL of others as a tree; raises `Unsayable`."""
    import sqlglot

    try:
        return sqlglot.parse_one(sql, read=dialect)
    except (sqlglot.errors.SqlglotError, RecursionError):
        raise Unsayable("its SQL cannot be parsed") from None


def quoted_name(name: str) -> str:
    """A name in SQL, in quotes only where it needs them."""
    import sqlglot
    from sqlglot import exp

    plain = name.isascii() and name.isidentifier()
    try:
        if plain and isinstance(sqlglot.parse_one(name, read="duckdb"), exp.Column):
            return name
    except sqlglot.errors.SqlglotError:
        pass
    return exp.to_identifier(name, quoted=True).sql("duckdb")


class FormulaReader:
    """Reads the expressions of metrics."""

    def __init__(
        self, field: FindField, *, metrics: Mapping[str, str], home: str | None = None, dialect: str | None = None
    ) -> None:
        self._field, self._metrics, self._home, self._dialect = field, metrics, home, dialect

    def formula(self, sql: str) -> Formula:
        """What a metric is computed by; raises `Unsayable` and `OverNothing`."""
        if not sql.strip():
            raise OverNothing("its expression is empty")
        tree = _bare(parsed_sql(sql, self._dialect))
        from sqlglot import exp

        if isinstance(tree, exp.Div | exp.SafeDivide):
            return RatioFormula(self._part(tree.this), self._part(_without_nullif(_bare(tree.expression))))
        return self._part(tree)

    def condition(self, sql: str, home: str) -> str:
        """A condition over fields of one entity, in our SQL."""
        homes = {home}
        return self._told(parsed_sql(sql, self._dialect), homes, 0, _Condition(self))

    def aggregated(self, sql: str, aggregate: MeasureAggregate) -> AggregateFormula:
        """An aggregate of a row's value, where both are told apart."""
        return self._of_value(aggregate, parsed_sql(sql, self._dialect))

    def _part(self, tree: exp.Expr) -> AggregateFormula | MetricName:
        from sqlglot import exp

        tree = _bare(tree)
        if isinstance(tree, exp.Column) and not tree.table and tree.name.casefold() in self._metrics:
            return MetricName(self._metrics[tree.name.casefold()])
        where = None
        if isinstance(tree, exp.Filter):
            tree, where = tree.this, tree.expression.this
        found = self._aggregate(tree)
        if where is None:
            return found
        said = self._told(where, {found.home}, 0, _Condition(self))
        return replace(found, where=f"({found.where}) AND ({said})" if found.where else said)

    def _aggregate(self, tree: exp.Expr) -> AggregateFormula:
        from sqlglot import exp

        kinds: dict[type[exp.Expr], MeasureAggregate] = {
            exp.Sum: MeasureAggregate.SUM,
            exp.Avg: MeasureAggregate.AVG,
            exp.Min: MeasureAggregate.MIN,
            exp.Max: MeasureAggregate.MAX,
            exp.Median: MeasureAggregate.MEDIAN,
        }
        match tree:
            case exp.Count(this=exp.Star()):
                return AggregateFormula(self._only_home(), MeasureAggregate.COUNT)
            case exp.Count(this=exp.Distinct(expressions=[value])):
                return self._of_value(MeasureAggregate.COUNT_DISTINCT, value)
            case exp.Count(this=value) if value is not None and not isinstance(value, exp.Distinct):
                return self._of_value(MeasureAggregate.COUNT, value)
            case exp.CountIf():
                return self._counted(tree.this)
            case exp.WithinGroup(
                this=exp.PercentileCont(this=exp.Literal(this="0.5")), expression=exp.Order() as order
            ):
                return self._of_value(MeasureAggregate.MEDIAN, order.expressions[0].this)
        if type(tree) in kinds and not tree.expressions and not isinstance(tree.this, exp.Distinct):
            return self._of_value(kinds[type(tree)], tree.this)
        if not any(True for _ in tree.find_all(exp.Column, exp.Star)):
            raise OverNothing("it names no field")
        raise Unsayable(f"a measure is one aggregate or the ratio of two, not {_short(tree)}")

    def _only_home(self) -> str:
        if self._home is None:
            raise Unsayable("COUNT(*) does not say of which dataset; write COUNT(dataset.key)")
        return self._home

    def _of_value(self, kind: MeasureAggregate, value: exp.Expr) -> AggregateFormula:
        """The aggregate of a value; a CASE in it says which rows count."""
        from sqlglot import exp

        value, condition = _unwrapped(_bare(value), kind)
        if condition is None and not value.find(exp.Column) and self._home is None:
            raise OverNothing("it names no field")
        homes: set[str] = {self._home} if self._home else set()
        where = self._told(condition, homes, 0, _Condition(self)) if condition is not None else None
        is_one = isinstance(value, exp.Literal) and value.this == "1"
        if is_one and kind in (MeasureAggregate.SUM, MeasureAggregate.COUNT):
            return AggregateFormula(_one(homes), MeasureAggregate.COUNT, None, where)
        expression = self._told(value, homes, 0, _Value(self))
        return AggregateFormula(_one(homes), kind, expression, where)

    def _counted(self, condition: exp.Expr) -> AggregateFormula:
        homes: set[str] = {self._home} if self._home else set()
        where = self._told(condition, homes, 0, _Condition(self))
        return AggregateFormula(_one(homes), MeasureAggregate.COUNT, None, where)

    def _told(self, tree: exp.Expr, homes: set[str], depth: int, writer: _Value | _Condition) -> str:
        said = writer.told(tree, homes, depth)
        if len(homes) > 1:
            raise Unsayable(f"it mixes fields of {' and '.join(sorted(homes))} in one aggregate")
        return said

    def column(self, tree: exp.Expr, homes: set[str]) -> ResolvedField:
        """The field that a column of an expression is."""
        table = tree.args.get("table")
        found = self._field(table.name if table is not None else self._home, str(tree.name))
        homes.add(found.home)
        return found


class _Value:
    """Writes what is computed from one row."""

    def __init__(self, reader: FormulaReader) -> None:
        self._reader = reader

    def told(self, tree: exp.Expr, homes: set[str], depth: int) -> str:
        from sqlglot import exp

        signs: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}
        if depth > _DEEPEST:
            raise Unsayable("its SQL is nested too deeply")
        match tree:
            case exp.Paren():
                return f"({self.told(tree.this, homes, depth + 1)})"
            case exp.Column():
                return quoted_name(self._reader.column(tree, homes).name)
            case exp.Literal() if not tree.is_string:
                return str(tree.this)
            case exp.Neg():
                inner = self.told(tree.this, homes, depth + 1)
                return f"-({inner})" if inner.startswith("-") else f"-{inner}"
            case exp.Binary() if type(tree) in signs:
                left, right = (self.told(side, homes, depth + 1) for side in (tree.left, tree.right))
                return f"{left} {signs[type(tree)]} {right}"
        raise Unsayable(f"{_NO_EXPRESSION}, not {_short(tree)}")


class _Condition:
    """Writes which rows count."""

    def __init__(self, reader: FormulaReader) -> None:
        self._reader = reader

    def told(self, tree: exp.Expr, homes: set[str], depth: int) -> str:
        from sqlglot import exp

        if depth > _DEEPEST:
            raise Unsayable("its SQL is nested too deeply")
        match tree:
            case exp.Paren():
                return f"({self.told(tree.this, homes, depth + 1)})"
            case exp.And() | exp.Or():
                sign = "AND" if isinstance(tree, exp.And) else "OR"
                return f"{self.told(tree.left, homes, depth + 1)} {sign} {self.told(tree.right, homes, depth + 1)}"
            case exp.Not(this=exp.Is(this=exp.Column() as column, expression=exp.Null())):
                return f"{self._column(column, homes)} IS NOT NULL"
            case exp.Not():
                return f"NOT ({self.told(tree.this, homes, depth + 1)})"
            case exp.Column():
                return self._column(tree, homes)
            case exp.Is(this=exp.Column() as column, expression=exp.Null()):
                return f"{self._column(column, homes)} IS NULL"
            case exp.Is(this=exp.Column() as column, expression=exp.Boolean() as value):
                name = self._column(column, homes)
                return f"({name} IS NOT NULL AND {name} = {'TRUE' if value.this else 'FALSE'})"
            case exp.In(this=exp.Column() as column) if tree.expressions and not tree.args.get("query"):
                values = ", ".join(self._value(one, column, homes, "=") for one in tree.expressions)
                return f"{self._column(column, homes)} IN ({values})"
            case exp.Between(this=exp.Column() as column):
                low, high = (self._value(tree.args[end], column, homes, "<=") for end in ("low", "high"))
                return f"{self._column(column, homes)} BETWEEN {low} AND {high}"
        return self._comparison(tree, homes)

    def _comparison(self, tree: exp.Expr, homes: set[str]) -> str:
        from sqlglot import exp

        signs: dict[type[exp.Expr], str] = {
            exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.Like: "LIKE",
        }  # fmt: skip
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        if isinstance(tree, exp.Binary) and type(tree) in signs:
            sign, left, right = signs[type(tree)], tree.left, tree.right
            if not isinstance(left, exp.Column) and sign != "LIKE":
                sign, left, right = turned.get(sign, sign), right, left
            if isinstance(left, exp.Column):
                value = self._value(right, left, homes, sign)
                return f"{self._column(left, homes)} {sign} {value}"
        raise Unsayable(f"{_NO_CONDITION}, not {_short(tree)}")

    def _column(self, tree: exp.Expr, homes: set[str]) -> str:
        return quoted_name(self._reader.column(tree, homes).name)

    def _value(self, tree: exp.Expr, column: exp.Expr, homes: set[str], sign: str) -> str:
        from sqlglot import exp

        match tree:
            case exp.Paren():
                return self._value(tree.this, column, homes, sign)
            case exp.Cast(this=exp.Literal(is_string=True) as text):
                return self._value(text, column, homes, sign)
            case exp.Literal(is_string=True):
                whole = self._reader.column(column, homes).whole_days
                if _DAY.match(str(tree.this)) and sign not in ("<", ">=") and not whole:
                    # Of a moment, `<= a day` takes in that day here; in SQL it ends at midnight.
                    raise Unsayable("a day is compared with what may be a moment; write it with >= and <")
                return tree.sql("duckdb")
            case exp.Literal() | exp.Boolean():
                return tree.sql("duckdb")
            case exp.Neg(this=exp.Literal(is_string=False)):
                return tree.sql("duckdb")
        raise Unsayable(f"{_NO_CONDITION}, not {_short(tree)}")


def _one(homes: set[str]) -> str:
    if not homes:
        raise OverNothing("it names no field")
    return next(iter(homes))


def _bare(tree: exp.Expr) -> exp.Expr:
    """Without parentheses and casts to a number, which change no figure."""
    from sqlglot import exp

    while isinstance(tree, exp.Paren) or _is_to_number(tree):
        tree = tree.this
    return tree


def _is_to_number(tree: exp.Expr) -> bool:
    from sqlglot import exp

    if type(tree) is not exp.Cast:
        return False
    return bool(tree.to.is_type("float", "double", "decimal")) and not tree.to.expressions


def _without_nullif(tree: exp.Expr) -> exp.Expr:
    """A divisor without the guard against zero; a ratio by zero has no value here either."""
    from sqlglot import exp

    if isinstance(tree, exp.Nullif) and isinstance(tree.expression, exp.Literal) and tree.expression.this == "0":
        return _bare(tree.this)
    return tree


def _unwrapped(tree: exp.Expr, kind: MeasureAggregate) -> tuple[exp.Expr, exp.Expr | None]:
    """The value and the condition of `CASE WHEN condition THEN value END`; of a sum, ELSE may be 0."""
    from sqlglot import exp

    if isinstance(tree, exp.Case) and tree.this is None and len(tree.args["ifs"]) == 1:
        branch, otherwise = tree.args["ifs"][0], tree.args.get("default")
    elif isinstance(tree, exp.If):
        branch, otherwise = tree, tree.args.get("false")
    else:
        return tree, None
    is_zero = isinstance(otherwise, exp.Literal) and not otherwise.is_string and float(otherwise.this) == 0
    nothing = otherwise is None or isinstance(otherwise, exp.Null) or (is_zero and kind is MeasureAggregate.SUM)
    if not nothing:
        raise Unsayable("a measure leaves out the rows that do not count; it gives them no other value")
    return _bare(branch.args["true"]), branch.this


def _short(tree: exp.Expr) -> str:
    said = tree.sql("duckdb")
    return said if len(said) <= 60 else f"{said[:57]}..."
