"""Which cell was meant by a figure that a model typed. A search may only suggest, never prove."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal

from veracity.answer.expression import Cells, Function, Selection, Value, cell_expression, evaluate, quoted
from veracity.answer.results import Result
from veracity.answer.values import decoded
from veracity.language.numbers import Figure

_MOST_CELLS = 20_000


def suggest_expression(figure: Figure, results: Mapping[str, Result]) -> str | None:
    """The expression for a typed figure, if exactly one cell, or else exactly one simple aggregate, has its value."""
    for candidates in (_cells(figure, results), _aggregates(figure, results)):
        first, second = next(candidates, None), next(candidates, None)
        if first is not None:
            return f"{{{{ {first} }}}}" if second is None else None
    return None


def _is_meant(figure: Figure, value: object) -> bool:
    if isinstance(value, Decimal):
        pairs = zip(figure.readings, figure.tolerances, strict=True)
        return any(abs(value - reading) <= tolerance for reading, tolerance in pairs)
    if isinstance(value, datetime):
        return value.date() in figure.dates
    if isinstance(value, date):
        return value in figure.dates
    return isinstance(value, str) and value.casefold() == figure.text.casefold()


def _cells(figure: Figure, results: Mapping[str, Result]) -> Iterator[str]:
    left = _MOST_CELLS
    for result in results.values():
        for column, facts in result.columns.items():
            for index, row in enumerate(result.data.rows):
                left -= 1
                if left < 0:
                    return
                if _is_meant(figure, decoded(row[column], facts.encoding)):
                    yield cell_expression(result, index, column)


def _aggregates(figure: Figure, results: Mapping[str, Result]) -> Iterator[str]:
    for name, result in results.items():
        every = Selection(name)
        nodes = [Cells(every, None), *(Cells(every, column) for column, f in result.columns.items() if f.can_be_added)]
        for node in nodes:
            function = "count" if node.column is None else "sum"
            outcome = evaluate(Function(function, (node,)), results)
            if isinstance(outcome, Value) and _is_meant(figure, outcome.value):
                yield f"{function}({name})" if node.column is None else f"{function}({name}.{quoted(node.column)})"
