"""Expressions over results: `sum(r1.closingBalance)`, `r1[accountNumber='1020'].closingBalance`, `percent(a, b)`.

An expression is parsed to a small tree and evaluated over cells. What does not make sense is a result for the model,
with a suggestion; nothing is raised, and nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import NoReturn

from veracity.answer.arithmetic import (
    EXACT,
    add,
    divide,
    mean,
    multiply,
    negate,
    number,
    percent,
    refuse,
    rounded,
    subtract,
)
from veracity.answer.results import ColumnFacts, Result, comparable
from veracity.answer.syntax import (
    Binary,
    Cells,
    ExpressionRefused,
    Function,
    Negative,
    Node,
    Number,
    Selection,
    parse,
    results_used,
    selections,
)
from veracity.answer.values import (
    AMOUNT_DECIMALS,
    MAX_ARGS,
    NAMES_THINGS,
    QUOTIENT_DECIMALS,
    Arg,
    Basis,
    Value,
    ValueKind,
    ValueUnit,
    arg_of,
    cell_value,
    decimals_of,
    decoded,
    identity_of,
    number_of,
    said_of,
    unit_of,
)
from veracity.contracts import Cell, QueryValidationError, ValidationErrorCode, clip
from veracity.language.nearest import nearest, nearest_values
from veracity.ontology.fields import Additivity, FieldRole

__all__ = [
    "MAX_ROWS",
    "Arg",
    "Binary",
    "Cells",
    "Function",
    "Negative",
    "Node",
    "Number",
    "Selection",
    "Value",
    "ValueKind",
    "cell_expression",
    "evaluate",
    "evaluate_constant",
    "parse",
    "quoted",
    "results_used",
    "selections",
]

MAX_ROWS = 50
"""`rows()` shows at most so many."""
_MAX_ROUND = 10
_SHOWN_IDS = 5
_Results = Mapping[str, Result]


def evaluate(node: Node, results: _Results, *, typed: bool = False) -> Value | QueryValidationError:
    """What an expression comes to, or why it does not; with `typed`, typed numbers alone will do. Never raises."""
    try:
        value = _value(node, results)
        if value.basis.literal and not typed:
            hint = "A typed number is not data; every expression needs a cell or a count."
            refuse(ValidationErrorCode.TYPE_MISMATCH, str(value.value), hint)
    except ExpressionRefused as refused:
        return refused.problem
    except (ArithmeticError, ValueError):
        hint = "This cannot be computed; the numbers are too large."
        return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, hint=hint)
    return value


def evaluate_constant(node: Node) -> Value | QueryValidationError:
    """What an expression of typed numbers comes to: arithmetic that is no data, for requests such as 1 + 2. Never raises."""
    return evaluate(node, {}, typed=True)


def _value(node: Node, results: _Results) -> Value:
    match node:
        case Number(value):
            return Value(value, derived=True, numeric=True, basis=Basis(literal=True))
        case Cells():
            return _one_cell(node, results)
        case Negative(operand):
            return negate(_value(operand, results))
        case Binary(op, left, right):
            return _OPERATORS[op](_value(left, results), _value(right, results))
        case Function(name, args):
            return _FUNCTIONS[name](args, results)


_OPERATORS: Mapping[str, Callable[[Value, Value], Value]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
}


# --- results, columns and rows


def _result(name: str, results: _Results) -> Result:
    found = results.get(name)
    if found is None:
        known = list(results)
        there = ", ".join(known[:_SHOWN_IDS])
        hint = f"There is no result {clip(name, 20)}; " + (f"there are {there}." if known else "call a tool first.")
        refuse(ValidationErrorCode.FIELD_NOT_FOUND, name, hint, there or None)
    return found


def _column(result: Result, name: str | None) -> str:
    if name is None:
        known = next(iter(result.columns), "x")
        hint = "Rows are no figure; name a column, or count them."
        refuse(ValidationErrorCode.TYPE_MISMATCH, result.data.result_id, hint, f"{result.data.result_id}[0].{known}")
    if name not in result.columns:
        names = list(result.columns)
        hint = f"{result.data.result_id} has no column {clip(name, 24)}; it has {', '.join(names)}."
        refuse(ValidationErrorCode.FIELD_NOT_FOUND, name, hint, nearest(name, names))
    return name


def _selected(selection: Selection, result: Result) -> list[int]:
    """The indexes of the selected rows; at least one, unless all rows of an empty result are selected."""
    rows = result.data.rows
    if selection.is_all:
        return list(range(len(rows)))
    if not rows:
        _empty(result)
    if selection.index is not None:
        index = selection.index + len(rows) if selection.index < 0 else selection.index
        if not 0 <= index < len(rows):
            name = f"{selection.result}[{selection.index}]"
            hint = f"{selection.result} has {len(rows)} rows, counted from 0."
            refuse(ValidationErrorCode.VALUE_NOT_FOUND, name, hint, f"{selection.result}[0]")
        return [index]
    found = list(range(len(rows)))
    for name, wanted in selection.conditions:
        cells = _cells_of(name, result)
        left = [index for index in found if _meets(cells(index), wanted)]
        if not left:
            _no_row(name, wanted, [cells(index) for index in found], result)
        found = left
    return found


def _cells_of(name: str, result: Result) -> Callable[[int], Cell]:
    """The cells of a field that a condition names: of its column, or the one value that the call pins."""
    if name not in result.columns and name in result.pinned:
        pinned = result.pinned[name]
        return lambda _index: pinned
    column = _column(result, name)
    encoding = result.columns[column].encoding

    def cell(index: int) -> Cell:
        stored = result.data.rows[index][column]
        moment = decoded(stored, encoding) if encoding is not None else stored
        return moment if isinstance(moment, date) else stored

    return cell


def _meets(cell: Cell, wanted: str | Decimal | bool) -> bool:
    if cell is None:
        return False
    if isinstance(cell, datetime) and isinstance(wanted, str) and len(wanted) == len("2025-01-01"):
        return cell.date().isoformat() == wanted
    if comparable(cell) == comparable(wanted):
        return True
    figure = number_of(cell)
    if figure is None or not isinstance(wanted, str):
        return False
    try:
        return Decimal(wanted) == figure
    except ArithmeticError:
        return False


def _empty(result: Result) -> NoReturn:
    name = result.data.result_id
    hint = f"{name} is empty: no row matches its query. Say so, or abstain."
    refuse(ValidationErrorCode.VALUE_NOT_FOUND, name, hint)


def _no_row(name: str, wanted: str | Decimal | bool, there: Sequence[Cell], result: Result) -> NoReturn:
    shown = comparable(wanted)
    stored = dict.fromkeys(comparable(cell) for cell in there if cell is not None)
    near = nearest_values(shown, stored, count=1)
    suggestion = f"{name}='{near[0]}'" if near else None
    hint = f"No row of {result.data.result_id} has {clip(name, 20)} = {clip(shown, 20)}; query it with a filter."
    refuse(ValidationErrorCode.VALUE_NOT_FOUND, name, hint, suggestion)


def _one_cell(node: Cells, results: _Results) -> Value:
    result = _result(node.selection.result, results)
    name, column = node.selection.result, _column(result, node.column)
    if node.selection.is_all:
        if not result.data.rows:
            _empty(result)
        hint = f"{clip(column, 20)} is a whole column; pick a row, or use sum, avg, min, max."
        refuse(ValidationErrorCode.TYPE_MISMATCH, f"{name}.{column}", hint, cell_expression(result, 0, column))
    found = _selected(node.selection, result)
    if len(found) > 1:
        hint = f"{len(found)} rows match; say which one, or use sum, avg, min, max."
        example = cell_expression(result, found[0], column)
        refuse(ValidationErrorCode.AMBIGUOUS_GRAIN, f"{name}.{column}", hint, example)
    return cell_value(result, found[0], column)


def cell_expression(result: Result, index: int, column: str) -> str:
    """How a cell is written: by a key field where that tells its row apart, else by its index."""
    name, row, rows = result.data.result_id, result.data.rows[index], result.data.rows
    for fields in (*((key,) for key in result.key), result.key):
        values = [row[key] for key in fields]
        if not fields or any(value is None or "'" in str(value) for value in values):
            continue
        if sum(all(other[key] == row[key] for key in fields) for other in rows) == 1:
            conditions = ", ".join(f"{quoted(key)}={_literal(row[key])}" for key in fields)
            return f"{name}[{conditions}].{quoted(column)}"
    return f"{name}[{index}].{quoted(column)}"


def quoted(name: str) -> str:
    """A name as expressions take it."""
    return name if name.isidentifier() else '"' + name.replace('"', '""') + '"'


def _literal(cell: Cell) -> str:
    figure = number_of(cell)
    return f"'{comparable(cell)}'" if figure is None else comparable(figure)


# --- functions


def _column_rows(args: Sequence[Node], results: _Results, function: str) -> tuple[Result, str, list[int]]:
    """The column and the rows that an aggregate is about."""
    if len(args) != 1 or not isinstance(args[0], Cells):
        hint = f"{function} takes one column, such as {function}(r1.x); compute with its outcome."
        refuse(ValidationErrorCode.TYPE_MISMATCH, function, hint)
    node = args[0]
    result = _result(node.selection.result, results)
    column = _column(result, node.column)
    found = _selected(node.selection, result)
    if node.selection.index is None:
        _whole(result, function)
    if not found:
        _empty(result)
    return result, column, found


def _whole(result: Result, function: str) -> None:
    if result.data.truncated:
        name, limited = result.data.result_id, result.call.limit is not None
        hint = f"{name} shows only the first {len(result.data.rows)} rows; {function} needs all of them."
        instead = f"{result.call.tool} without limit" if limited else "aggregateTable"
        refuse(ValidationErrorCode.RESULT_TRUNCATED, name, hint, instead)


def _filled(result: Result, column: str, found: Sequence[int]) -> list[Value]:
    """The cells of an aggregate, none of them NULL."""
    rows, encoding = result.data.rows, result.columns[column].encoding
    if any(rows[index][column] is None for index in found):
        hint = f"{clip(column, 24)} has NULL cells, which are not 0: filter them with IS_NOT_NULL."
        refuse(ValidationErrorCode.TYPE_MISMATCH, column, hint, "IS_NOT_NULL")
    role = result.columns[column].role
    basis = Basis(name=column)
    return [Value(decoded(rows[index][column], encoding), role=role, basis=basis) for index in found]


def _unit(result: Result, column: str, found: Sequence[int]) -> ValueUnit:
    """The one unit of the cells of an aggregate."""
    facts = result.columns[column]
    first = unit_of(result, found[0], facts)
    if len(found) == 1 or first.field is None:
        return first
    names = {said_of(result, index, facts.unit_field) for index in found} if facts.unit_field else {None}
    known = sorted(name for name in names if name is not None)
    if len(known) > 1:
        hint = f"{clip(column, 24)} is in {', '.join(known)}; pick one unit."
        example = f"{result.data.result_id}[{quoted(first.field or '')}='{known[0]}'].{quoted(column)}"
        refuse(ValidationErrorCode.MIXED_UNITS, column, hint, example)
    shared = frozenset(
        anchor for anchor in first.anchors if all(said_of(result, index, anchor[1]) == anchor[2] for index in found)
    )
    if None in names and not shared:
        hint = f"{clip(column, 24)} may be in several units; query {clip(first.field or 'it', 24)}, too."
        refuse(ValidationErrorCode.MIXED_UNITS, column, hint, first.field)
    return ValueUnit(known[0] if known else None, exists=True, anchors=shared, field=first.field)


def _check_sum(result: Result, column: str, found: Sequence[int]) -> None:
    """The cells add up: declared so, each once, and all of one snapshot."""
    facts, name = result.columns[column], clip(column, 24)
    if not facts.can_be_added:
        hint = f"{name} does not add up; min, max and count work, and single cells."
        refuse(ValidationErrorCode.INVALID_AGGREGATE_TARGET, column, hint)
    if len(found) == 1:
        return
    if facts.repeats:
        hint = f"{name} may be the same value in several rows; query it where it is one row each."
        refuse(ValidationErrorCode.AMBIGUOUS_GRAIN, column, hint)
    for over in facts.over:
        values = {said_of(result, index, over) for index in found}
        if over not in result.columns and over not in result.pinned:
            hint = f"{name} adds up within one {clip(over, 20)} only; query {clip(over, 20)}, too."
            refuse(ValidationErrorCode.INVALID_AGGREGATE_TARGET, column, hint, over)
        if len(values) > 1 or None in values:
            hint = f"{name} adds up within one {clip(over, 20)} only; the rows differ."
            refuse(ValidationErrorCode.INVALID_AGGREGATE_TARGET, column, hint, f"{over} =")


def _args(result: Result, column: str, found: Sequence[int]) -> tuple[Arg, ...]:
    return tuple(arg_of(result, index, column) for index in found[:MAX_ARGS])


def _shown_decimals(facts: ColumnFacts, cells: Sequence[Cell]) -> int | None:
    shown = [decimals_of(facts, cell) for cell in cells]
    known = [digits for digits in shown if digits is not None]
    return max(known) if len(known) == len(shown) else None


def _sum(args: Sequence[Node], results: _Results) -> Value:
    result, column, found = _column_rows(args, results, "sum")
    _check_sum(result, column, found)
    total = Decimal(0)
    for value in _filled(result, column, found):
        total = EXACT.add(total, number(value, "sum"))
    facts, unit = result.columns[column], _unit(result, column, found)
    return Value(
        total,
        unit=unit.name,
        role=facts.role,
        decimals=_shown_decimals(facts, [result.data.rows[index][column] for index in found]),
        args=_args(result, column, found),
        derived=True,
        numeric=True,
        basis=Basis(
            additivity=facts.additivity,
            over=tuple((name, said_of(result, found[0], name)) for name in facts.over),
            unit=unit,
            cells=frozenset(identity_of(result, index, column) for index in found),
            repeats=facts.repeats,
            name=column,
        ),
    )


def _avg(args: Sequence[Node], results: _Results) -> Value:
    total = _sum(args, results)
    _, _, found = _column_rows(args, results, "avg")
    amount = total.role is FieldRole.AMOUNT or total.basis.unit.exists
    shown = total.decimals or AMOUNT_DECIMALS
    return replace(
        total,
        value=mean(number(total, "avg"), len(found)),
        decimals=shown if amount else None,
        at_most=QUOTIENT_DECIMALS,
        basis=Basis(unit=total.basis.unit, name=total.basis.name),
    )


def _extreme(function: str, pick: Callable[..., int]) -> Callable[[Sequence[Node], _Results], Value]:
    def extreme(args: Sequence[Node], results: _Results) -> Value:
        result, column, found = _column_rows(args, results, function)
        values = [value.value for value in _filled(result, column, found)]
        kinds = {type(value) for value in values}
        if len(kinds) > 1 or not kinds <= {Decimal, date, datetime} or result.columns[column].role in NAMES_THINGS:
            hint = f"{function} works on numbers and dates; {clip(column, 24)} is neither."
            refuse(ValidationErrorCode.TYPE_MISMATCH, column, hint)
        unit = _unit(result, column, found)
        place = pick(range(len(values)), key=lambda at: values[at])
        chosen = cell_value(result, found[place], column)
        args_of = _args(result, column, [found[place], *(i for i in found if i != found[place])])
        basis = replace(chosen.basis, additivity=Additivity.NON_ADDITIVE, unit=unit)
        return replace(chosen, unit=unit.name, args=args_of, derived=True, basis=basis)

    return extreme


def _count(args: Sequence[Node], results: _Results) -> Value:
    if len(args) != 1 or not isinstance(args[0], Cells):
        refuse(ValidationErrorCode.TYPE_MISMATCH, "count", "count takes a result, such as count(r1).")
    node = args[0]
    result = _result(node.selection.result, results)
    _whole(result, "count")
    found = _selected(node.selection, result)
    rows = result.data.rows
    column = None if node.column is None else _column(result, node.column)
    counted = found if column is None else [index for index in found if rows[index][column] is not None]
    key = {name: comparable(value) for name, value in node.selection.conditions}
    arg = Arg(result=result.data.result_id, row_key=key, column=column or "*", raw=len(counted))
    basis = Basis(
        additivity=Additivity.ADDITIVE,
        cells=frozenset(("row", result.data.result_id, str(index)) for index in counted),
        name="count",
    )
    return Value(
        Decimal(len(counted)),
        role=FieldRole.QUANTITY,
        decimals=0,
        args=(arg,),
        derived=True,
        numeric=True,
        basis=basis,
    )


def _percent(args: Sequence[Node], results: _Results) -> Value:
    if len(args) != 2:
        refuse(ValidationErrorCode.TYPE_MISMATCH, "percent", "percent takes two figures: percent(part, whole).")
    return percent(_value(args[0], results), _value(args[1], results))


def _round(args: Sequence[Node], results: _Results) -> Value:
    digits = args[1].value if len(args) == 2 and isinstance(args[1], Number) else None
    if digits is None or digits != int(digits) or not 0 <= digits <= _MAX_ROUND:
        hint = f"round takes a figure and a number of decimals from 0 to {_MAX_ROUND}."
        refuse(ValidationErrorCode.TYPE_MISMATCH, "round", hint, "round(x, 2)")
    return rounded(_value(args[0], results), int(digits))


def _date(args: Sequence[Node], results: _Results) -> Value:
    if len(args) != 1:
        refuse(ValidationErrorCode.TYPE_MISMATCH, "date", "date takes one cell: date(r1[0].bookingDate).")
    return _as_date(_value(args[0], results))


def _as_date(value: Value) -> Value:
    found = value.value
    if isinstance(found, str):
        try:
            found = datetime.fromisoformat(found)
        except ValueError:
            found = value.value
    if isinstance(found, datetime):
        found = found.date()
    if found is not None and not isinstance(found, date):
        hint = f"{clip(value.basis.name or 'It', 24)} holds no date."
        refuse(ValidationErrorCode.TYPE_MISMATCH, value.basis.name, hint)
    return replace(value, value=found)


def _rows(args: Sequence[Node], results: _Results) -> Value:
    """One line per row; a column may be wrapped in date()."""
    dates = [isinstance(arg, Function) and arg.name == "date" and len(arg.args) == 1 for arg in args]
    columns = [
        arg.args[0] if isinstance(arg, Function) and dated else arg for arg, dated in zip(args, dates, strict=True)
    ]
    cells = [column for column in columns if isinstance(column, Cells)]
    if len(cells) != len(columns) or len({cell.selection for cell in cells}) != 1:
        hint = "rows takes columns of one result, such as rows(r1.name, r1.amount)."
        refuse(ValidationErrorCode.TYPE_MISMATCH, "rows", hint)
    result = _result(cells[0].selection.result, results)
    names = [_column(result, cell.column) for cell in cells]
    found = _selected(cells[0].selection, result)
    if not found:
        _empty(result)
    lines = []
    for index in found[:MAX_ROWS]:
        values = [cell_value(result, index, name) for name in names]
        lines.append(tuple(_as_date(one) if dated else one for one, dated in zip(values, dates, strict=True)))
    # Rows may be shown without being all of them, as nothing is added up; the reader is told that there are more.
    return Value(rows=tuple(lines), derived=True, cut=len(found) > MAX_ROWS or result.data.truncated)


_FUNCTIONS: Mapping[str, Callable[[Sequence[Node], _Results], Value]] = {
    "sum": _sum,
    "avg": _avg,
    "min": _extreme("min", min),
    "max": _extreme("max", max),
    "count": _count,
    "percent": _percent,
    "round": _round,
    "date": _date,
    "rows": _rows,
}
