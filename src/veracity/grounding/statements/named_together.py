"""What is said of rows that are named together: they have equally much, or neither of them meets a condition."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import that_vary, value_at, values_of
from veracity.grounding.statements.conditions import Condition, condition_of
from veracity.grounding.statements.scene import CheckedStatement, Scene, judged

_SIZES = "many|much|often|high|large|big|long|old|expensive|heavy|tall|fast|few"
_SIZES_DE = "viele?|hoch|hohe|gross|lange?|alt|teuer|schwer|oft|haeufig"
EQUAL = re.compile(
    rf"(?<![a-z])(?:as (?:{_SIZES})(?: [a-z]+){{0,3}} as|equally (?:{_SIZES})|the same (?:number|amount|price|score|share|rate|age|size|total)|"
    rf"level (?:on|with)|tied (?:on|with|at)|(?:gleich|genauso|ebenso) (?:{_SIZES_DE})|gleichviele?|"
    r"(?:die|den|der|das) ?(?:gleiche[nrs]?|selbe[nrs]?) (?:anzahl|zahl|menge|preis|wert))(?![a-z])|一样[多高大长重贵快少]|相同|相等"
)
NEITHER = re.compile(r"(?<![a-z])(?:neither|weder)(?![a-z])|[都均](?:不|没|未)")
_NOT_QUITE = re.compile(
    r"(?<![a-z])(?:not|never|nearly|almost|about|roughly|times|twice|half|nicht|fast|beinahe|nahezu|etwa|rund|mal|doppelt|halb)\s*(?:ganz\s*)?$|[不近几][乎]?$"
)


def equals_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`A has as many seats as B`, `A und B haben gleich viele Betten`: the rows have the same in the column that is said."""
    table, found = scene.table, EQUAL.search(scene.folded)
    if table is None or found is None or scene.fraction is not None or _NOT_QUITE.search(scene.folded[: found.start()]):
        return
    at = scene.original(*found.span())[0]
    part = next((one for one in scene.clauses if one.line.start <= at < one.line.end), scene)
    span = scene.span
    if len({row for _one, row in part.subjects(table)}) > 1:
        scene = part  # A and B have equally many, C has three.
    rows = {row for _one, row in scene.subjects(table)} | set(scene.compared(table))
    if not scene.names and scene.has("all") and table.whole:
        rows = set(range(len(table.rows)))
    columns = that_vary(table, scene.measured(table)) or scene.ordered(table)
    held = [len({value_at(table, row, column) for row in rows}) == 1 for column in columns if len(rows) > 1]
    yield from judged(span, held, sure=len(held) == 1, key="comparison")


def neither_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Neither A nor B has more than 60 beds`: the condition holds of none of the rows that are named."""
    table = scene.table
    if table is None or NEITHER.search(scene.folded) is None:
        return
    met = condition_of(scene, table) or _reached(scene, table)
    if met is None:
        return
    named = _named(scene, table)
    if len(named) > 1:
        held = [named.isdisjoint(rows) for rows in met.rows]
        yield from judged(scene.span, held, sure=met.sure, key="none", settles=met.bounds)


_REACHED = re.compile(r"(?<![a-z])(?:reach(?:es|ed)?|hits?|erreich\w*|exceed(?:s|ed)?)\s*$|达到$")


def _reached(scene: Scene, table: Table) -> Condition | None:
    """`reached 100 conversions`: the rows with as many or more."""
    for one in scene.figures:
        columns = that_vary(table, scene.measured(table))
        if len(columns) == 1 and one.figure.readings and _REACHED.search(scene.page.tokens.before(one.first, 16)):
            values = values_of(table, columns[0]).items()
            rows = frozenset(row for row, value in values if value >= one.figure.readings[0])
            return Condition((rows,), sure=True, bounds=frozenset({one.figure.start}))
    return None


def _named(scene: Scene, table: Table) -> frozenset[int]:
    keyed = (one for one in scene.names if scene.is_key(one, table) and not one.compared and not one.excluded)
    return frozenset(row for one in keyed for row in scene.rows(one, table))
