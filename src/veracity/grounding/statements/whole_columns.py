"""Figures that are a whole column: 22, 27 and 58, in the order of the rows."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.grounding.statements.cell_values import value_at
from veracity.grounding.statements.scene import CheckedStatement, Scene

_FEWEST, _MOST = 3, 40


def whole_columns_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Events increased with the dose: 22, 27 and 58`: these are the cells of the column that is said, row by row."""
    table, said = scene.table, [one for one in scene.figures if one.figure.readings]
    if table is None or not table.whole or len(said) != len(table.rows) or not _FEWEST <= len(said) <= _MOST:
        return
    columns = scene.measured(table)
    if len(columns) != 1 or any(scene.is_key(one, table) for one in scene.names):
        return
    cells = [value_at(table, row, columns[0]) for row in range(len(table.rows))]
    settles = frozenset(one.figure.start for one in said)
    if all(cell is not None and one.meaning.has(cell) for one, cell in zip(said, cells, strict=True)):
        yield CheckedStatement("supported", scene.span, "row", settles=settles)
    elif sorted(one.figure.readings[0] for one in said) == sorted(cell for cell in cells if cell is not None):
        yield CheckedStatement("contradicted", scene.span, "other_row", settles=settles)
