"""Statements that a check called wrong, read once more with what was reckoned: the highest ratio, two thirds of the hours.

A contradiction needs positive evidence. What is said of a value that stands in no cell is judged by that value; where the words
narrow down what is counted and nothing reads how, nothing is contradicted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import values_of
from veracity.grounding.statements.differences import part_bounds
from veracity.grounding.statements.figure_reckoner import FigureReckoner
from veracity.grounding.statements.figures_by_form import ReckonedFigure
from veracity.grounding.statements.orders import TIMES
from veracity.grounding.statements.reckonings import CellReckoning, of_row, over_all_rows
from veracity.grounding.statements.scene import CheckedStatement, Scene, Truth
from veracity.language.folding import fold
from veracity.language.numbers import Figure

_ORDERING = frozenset({"superlative", "rank"})
_FIRST = re.compile(r"(?<![a-z])(?:first|leads?|led|tops?|erste[rsn]?|spitze|vorn)(?![a-z])|第一|之首|居首|领先")
_PER = re.compile(
    r"(?<![a-z])(?:per|pro|relative to|in relation to|ratio|gemessen an)(?![a-z])|人均|平均每|亩产|单产|密度|师生比"
)
_HUNDRED = Decimal(100)


def second_readings(
    scene: Scene, done: Sequence[CheckedStatement], reckoned: Sequence[ReckonedFigure]
) -> list[CheckedStatement]:
    """The statements, with those lifted that what was reckoned bears out; and the parts of a whole that are said in words."""
    ordered = _order_of_reckoned(scene, reckoned)
    several = len(scene.parts_of_wholes) > 1
    parts = list(_each_part_said(scene, reckoned))
    share = next((truth for _part, truth in parts), None) if not several else None
    found: list[CheckedStatement] = []
    by = frozenset(one.said.figure.start for one in reckoned if one.table is not None)
    settled = {one.statement.span for one in reckoned if one.truth == "supported"}
    for one in done:
        if one.truth == "contradicted" and one.span in settled:
            continue  # By another column, or over another time, the figure is what is said.
        if one.truth == "contradicted" and one.key in _ORDERING and ordered is not None:
            found.append(replace(one, truth="supported" if ordered else "contradicted", settles=by))
        elif (
            one.truth == "contradicted"
            and one.key in _ORDERING
            and (
                _PER.search(said := fold(scene.page.text[slice(*one.span)]).text) or _is_rate_of_no_column(scene, said)
            )
        ):
            # By what nobody reckoned here, something else is the highest.
            found.append(replace(one, truth="not_checkable"))
        elif one.truth == "contradicted" and one.key == "comparison" and _of_reckoned(scene, reckoned):
            found.append(replace(one, truth="not_checkable"))  # 136 below budget, 1.8 times as much as B's 76.
        elif one.truth == "supported" and one.key in _ORDERING and ordered is False and _is_of_two(reckoned):
            # The highest in a column, but the figure beside it is one column by another, in which it is not.
            found.append(replace(one, truth="contradicted" if _PER.search(scene.folded) else "not_checkable"))
        elif one.truth == "contradicted" and one.key == "share" and one.span == scene.span and share is not None:
            found.append(replace(one, truth=share))
        else:
            found.append(one)
    known = {one.key for one in done}
    if ordered is not None and not known & _ORDERING:
        found.append(CheckedStatement("supported" if ordered else "contradicted", scene.span, "superlative", by))
    if share is not None and not known & _OF_PARTS:
        found.append(CheckedStatement(share, scene.span, "share"))
    read = [one.span for one in done if one.key in _OF_PARTS]
    return [
        *found,
        *(CheckedStatement(truth, part.span, "share") for part, truth in parts if several and not _is_read(part, read)),
    ]


def _of_reckoned(scene: Scene, reckoned: Sequence[ReckonedFigure]) -> bool:
    """Whether several times as much is said of figures that stand in no cell."""
    told = [one for one in reckoned if one.truth == "supported" and one.found.kind in ("difference", "sum", "rate")]
    return len(told) > 1 and TIMES.search(scene.folded) is not None


def _is_of_two(reckoned: Sequence[ReckonedFigure]) -> bool:
    """Whether every figure that was reckoned is one column by another, or times another."""
    return bool(reckoned) and all(one.found.kind in ("rate", "product") for one in reckoned)


_RATE = re.compile(
    r"(?<![a-z])(?:auslastung|occupancy|utili[sz]ation|quote|anteil|share|proportion|percentage)(?![a-z])|[\u4e00-\u9fff]率|占比|比例"
)


def _is_rate_of_no_column(scene: Scene, said: str) -> bool:
    """Whether a rate is said that no column is called, as 使用率 beside columns of the capacity and of what is used."""
    found = _RATE.search(said)
    return found is not None and not any(
        found.group()[-1] in column if found.group().endswith("率") else column in table.rates
        for table in scene.page.tables
        for column in table.columns
    )


_OF_PARTS = frozenset({"share", "comparison", "change", "trend"})


def _is_read(part: Scene, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a statement was read in a part of the sentence."""
    return any(start < part.line.end and part.line.start < end for start, end in spans)


def _order_of_reckoned(scene: Scene, reckoned: Sequence[ReckonedFigure]) -> bool | None:
    """Whether the row of a reckoned figure is at the end that a superlative says, by the same reckoning for all rows."""
    degrees = scene.degrees("superlative")
    high = _FIRST.search(scene.folded) is not None
    if not degrees and not high:
        return None
    end = degrees[0].adjective.end if degrees else "high"
    both = [(one.table, one.found) for one in reckoned if one.table is not None]
    for table, found in (*both, *_of_two_cells(scene)):
        values = over_all_rows(table, found)
        own = values.get(found.rows[0]) if len(values) > 1 else None
        if own is not None and len({row for _one, row in scene.subjects(table)}) == 1:
            vague = bool(degrees) and degrees[0].adjective.vague
            # The quickest takes the least time.
            low = end == "low" or (
                found.kind == "span" and bool(degrees) and "speed" in (degrees[0].adjective.of or ())
            )
            ends = {min(values.values()) if low else max(values.values())}
            # The best deal is the cheapest, the best mark the highest.
            return own in (ends | {max(values.values()), min(values.values())} if vague else ends)
    return None


def _of_two_cells(scene: Scene) -> Iterator[tuple[Table, CellReckoning]]:
    """The figures that were bound to what two columns of the subject come to."""
    table = scene.table
    rows = {row for _one, row in scene.subjects(table)} if table is not None else set()
    for one in scene.figures if table is not None and len(rows) == 1 else ():
        bound = scene.bound.get(one.figure.start)
        columns = {arg.column for arg in bound.provenance.args} if bound is not None else set()
        if bound is None or bound.provenance.kind != "derived" or len(columns) != 2 or table is None:
            continue
        for found in of_row(table, next(iter(rows)), [column for column in table.figures if column in columns], {}):
            if any(low <= found.value <= high for low, high in one.meaning.spans):
                yield table, found
                break


def _each_part_said(scene: Scene, reckoned: Sequence[ReckonedFigure]) -> Iterator[tuple[Scene, Truth]]:
    """Every part of the sentence that says a part of a whole; what the first is said of goes on: half of the beds in A, a third in B."""
    carried: frozenset[str] = frozenset()
    for part in scene.parts_of_wholes:
        for one in _parts_said(part, reckoned, carried):
            carried = frozenset(one.found.columns) if one.truth == "supported" else carried
            yield part, one.truth


def _parts_said(scene: Scene, reckoned: Sequence[ReckonedFigure], carried: frozenset[str]) -> Iterator[ReckonedFigure]:
    """The words for parts of a whole, each held against what is a part of what: half of the beds, two thirds."""
    settled = {one.said.figure.start for one in reckoned}
    if scene.fraction is None:
        return
    found, part = scene.fraction
    start, end = scene.original(found.start(), found.end())
    figure = Figure(
        start, end, scene.page.text[start:end], "number", readings=(part * _HUNDRED,), decimals=(0,), percent=True
    )
    said = scene.page.place(figure)
    said = said._replace(meaning=said.meaning._replace(spans=(part_bounds(scene),), compares=False))
    told = frozenset(
        column
        for one in reckoned
        if one.truth == "supported" and one.found.kind == "sum"
        for column in one.found.columns
    )
    reckoner = FigureReckoner(scene, said, settled, told=told | carried)
    reckoner.words.says_part = True
    best = reckoner.best()
    if best is None or best.found.kind not in ("share", "rest") or _is_beside_total(scene, best):
        return
    if not _is_of_group_said(scene, best, end):
        best = best._replace(truth="not_checkable")
    refs = [ref for one in scene.columns for ref in one.columns]
    measured = {ref.column for ref in refs if best.table is not None and ref.column in best.table.figures}
    own = {ref.column for ref in refs} if scene.whole is not None else measured
    if not own and best.table is not None and len(best.table.figures) > 1:
        best = best._replace(truth="not_checkable")  # Of what it is a tenth, no word says.
    if not own or not own.isdisjoint(best.found.columns):
        yield best  # What another part of the sentence speaks of is no part of this.


def _is_of_group_said(scene: Scene, best: ReckonedFigure, start: int) -> bool:
    """Whether a part is one of the rows that are named behind it, where some are: a quarter of the fees of the active contracts."""
    table, found = best.table, best.found
    behind = [one for one in scene.names if one.start >= start and not one.compared] if table is not None else []
    for one in behind:
        rows = scene.rows(one, table) if table is not None else frozenset[int]()
        if table is None or not set(found.rows) < rows or len(rows) == len(table.rows) or len(found.columns) != 1:
            continue
        values = values_of(table, found.columns[0], rows)
        whole = sum(values.values(), Decimal(0))
        part = sum((values[row] for row in found.rows if row in values), Decimal(0))
        low, high = part_bounds(scene)
        return bool(whole) and low <= part / whole * _HUNDRED <= high
    return True


def _is_beside_total(scene: Scene, best: ReckonedFigure) -> bool:
    """Whether a part of two columns is held against a word for all rows: a third of the total backlog."""
    table, found = best.table, best.found
    if table is None or len(table.rows) < 2 or not scene.has("share") or not scene.says_apart("total"):
        return False
    if len(found.columns) != 1:
        return True
    values = values_of(table, found.columns[0])
    whole = sum(values.values(), Decimal(0))
    part = sum((values[row] for row in found.rows if row in values), Decimal(0))
    return not whole or part / whole * _HUNDRED != found.value  # One row in percent of another is no part of all.
