"""None, all and both: what is said of all rows, of those of a kind, or of none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.cue_words import FUNCTION
from veracity.grounding.binding.figure_meaning import table_says
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import values_of
from veracity.grounding.statements.conditions import MOST_COUNTED, Condition, changed_rows, condition_of
from veracity.grounding.statements.counted_parts import says_each
from veracity.grounding.statements.flags import says_none_of
from veracity.grounding.statements.of_them import of_them
from veracity.grounding.statements.rest_of_rows import all_but_hold, only_hold, others_hold, says_others
from veracity.grounding.statements.scene import CheckedStatement, Scene, judged
from veracity.grounding.statements.selections import ALL_BUT, counts_rows, has_subject
from veracity.grounding.statements.several_compared import groups_compared

_BOTH = 2
_NO_OTHER = re.compile(r"(?<![a-z])(?:no|kein\w{0,2}) (?:other|andere[nrsm]?)(?![a-z])|没有其他|没有别的")


def quantifiers_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """None, all and only are said of the rows that they are true of."""
    table = scene.table
    if table is None or not table.whole or len(table.rows) < 2 or ALL_BUT.search(scene.folded):
        return
    if groups_compared(scene, table) is not None:
        return  # Two groups are compared in every month.
    if (said := of_them(scene, table)) is not None:
        yield from quantifiers_hold(said.head)
        return  # What the later part says is counted.
    if scene.has("only"):
        yield from only_hold(scene, table)
    others = says_others(scene)
    if others is not None and has_subject(scene, table):
        yield from others_hold(scene, others, table)
    elif has_subject(scene, table) and not scene.has("only"):
        yield from _each_part_holds(scene, table)
    elif not scene.has("only"):
        yield from _said_of_all_hold(scene, table)


def _each_part_holds(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`Both cold dishes fell, A did not`: the first part is about no single row."""
    for part in scene.clauses if scene.whole is None and len(scene.clauses) > 1 else ():
        said = part.says("all") if part.names and not has_subject(part, table) else None
        if said is not None and not said.group().startswith(_PER_ONE):
            yield from quantifiers_hold(part)


def _said_of_all_hold(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """What is said of all rows, of none, of all but some, or not of all."""
    everything = frozenset(range(len(table.rows)))
    if left_out := [one for one in scene.names if one.excluded]:
        yield from all_but_hold(scene, table, left_out)
        return
    met, none = condition_of(scene, table), scene.says("none")
    if none is not None and scene.compared(table) and scene.degrees("comparative"):
        return  # No other has more than A.
    if none is not None and scene.degrees("comparative") and _NO_OTHER.search(scene.folded):
        yield CheckedStatement("not_checkable", scene.span, "none")  # No other took longer: than the one before.
        return
    if none is not None and scene.names and next(says_none_of(scene, table), None) is not None:
        return  # For Bern there is no manager: its own cells say so.
    if none is not None and any(one.end <= scene.original(*none.span())[0] for one, _row in scene.subjects(table)):
        return  # The walking sticks in Chengdu have no date: of one row that several names tell.
    if scene.has("not_all"):
        held = [rows != everything for rows in met.rows] if met is not None else []
        sure, bounds = (met.sure, met.bounds) if met is not None else (True, frozenset[int]())
        yield from judged(scene.span, held, sure=sure, key="not_all", settles=bounds)
    elif none is not None and (moved := changed_rows(scene, table, denied=none.end())) is not None:
        spoken = met.rows[0] if met is not None and not met.bounds else everything
        yield from judged(scene.span, [not spoken & moved], sure=True, key="none")
    elif none is not None and scene.fraction is not None and scene.fraction[0].start() < none.start():
        return  # Half of them have none.
    elif none is not None and _is_of_unknown(scene, none):
        # West在2月没有退货数: of what there is none, nobody knows.
        yield CheckedStatement("not_checkable", scene.span, "none")
    elif none is not None and none.start() <= _FIRST:
        bounded = met is not None and bool(met.bounds)
        some = _some_of_column(scene, table, none) if not bounded else None
        yield from _none_holds(scene, table, some or met)
    elif met is not None and scene.has("all") and _says_when(scene):
        return  # Every due date is 21 days after another day.
    elif met is not None and scene.has("all") and not scene.has("negated", "total", "average") and not says_each(scene):
        yield from _all_hold(scene, table, met)


def _is_of_unknown(scene: Scene, none: re.Match[str]) -> bool:
    """Whether a Chinese `has none` stands behind the names of rows, and before words that say nothing of the data."""
    start = scene.original(none.start(), none.end())[0]
    ends = [one.end for one in (*scene.names, *scene.columns)] + [one.figure.end for one in scene.figures]
    named = any(one.end <= start for one in scene.names)
    return not none.group().isascii() and named and all(end <= start for end in ends)


def _says_when(scene: Scene) -> bool:
    """Whether a figure says how long before or after something else is."""
    timed = any(one.meaning.unit is not None and one.meaning.unit.dimension == "time" for one in scene.figures)
    return timed and scene.has("later", "earlier")


def _none_holds(scene: Scene, table: Table, met: Condition | None) -> Iterator[CheckedStatement]:
    """`No store is closed`: no row meets the condition."""
    counted = any(counts_rows(scene, one, table) for one in scene.every_figure)
    if met is not None and _is_only_subject(scene, table, met):
        yield CheckedStatement("not_checkable", scene.span, "none", settles=met.bounds)
    elif met is not None and not counted:
        yield from judged(scene.span, [not rows for rows in met.rows], sure=met.sure, key="none", settles=met.bounds)


_IS = re.compile(
    r"(?<![a-z])(?:is|are|was|were|has|have|had|ist|sind|war|waren|hat|haben|hatte|hatten|wurde|wurden)(?![a-z])"
)


def _is_only_subject(scene: Scene, table: Table, met: Condition) -> bool:
    """Whether the only condition says of which rows something is denied that was not read: none of the low tasks is done."""
    kinds = [one for one in scene.names if not one.compared and scene.rows(one, table)]
    if met.bounds or len(kinds) != 1 or len(met.rows) != 1 or scene.rows(kinds[0], table) != met.rows[0]:
        return False
    return _IS.search(scene.page.tokens.folded_part(kinds[0].end, scene.line.end)[0]) is not None


def _all_hold(scene: Scene, table: Table, met: Condition) -> Iterator[CheckedStatement]:
    """`All stores are open`: every row, or every one of those that are spoken of, meets the condition."""
    shared = _rows_with_figure(scene, table) if met.among is None and not met.bounds else None
    if shared is not None:
        yield from judged(scene.span, [met.rows[0] <= shared], sure=True, key="all")
        return
    spoken_of = met.among if met.among is not None else frozenset(range(len(table.rows)))
    if (number := _number_of_kind(scene, table, spoken_of)) is not None and number.figure.readings[0] != len(spoken_of):
        yield CheckedStatement("contradicted", (number.figure.start, number.figure.end), "count")
        return
    if len(spoken_of) != _BOTH and (said := scene.says("all")) and said.group().startswith(("both", "beide")):
        return  # Of which two it is said, nobody knows.
    held = [rows == spoken_of for rows in met.rows]
    if not any(held) and (_is_narrowed(scene) or _only_says_which(scene, table, met)):
        yield CheckedStatement("not_checkable", scene.span, "all", settles=met.bounds)
        return
    yield from judged(scene.span, held, sure=met.sure, key="all", settles=met.bounds)


_PER_ONE = ("每", "each", "every", "jede")


def _number_of_kind(scene: Scene, table: Table, rows: frozenset[int]) -> SaidFigure | None:
    """The number that stands right before the word for the rows that are spoken of: [two] cold dishes, [两]道凉菜."""
    kinds = [one for one in scene.names if scene.rows(one, table) == rows and not one.compared]
    near = (one for one in scene.every_figure if one.figure.readings and one.meaning.unit is None)
    return next((one for one in near if any(0 < kind.first - one.last <= _BOTH for kind in kinds)), None)


_ALL_OF = re.compile(r"(?<![a-z])(?:all|alle|allen|every|each|jede[rsnm]?|saemtliche[nr]?)(?: of)?(?: the| our| der)? ")


def _is_narrowed(scene: Scene) -> bool:
    """Whether a word that says nothing of the data narrows down of which all it is said: all [open] tickets."""
    found = _ALL_OF.search(scene.folded)
    if found is None:
        return False
    start = scene.original(found.start(), found.end())[1]
    first = scene.page.tokens.at(start)
    behind = scene.page.words[first : first + 1]
    named = any(
        one.first == first
        for one in (*scene.names, *scene.columns)
        if one.names or any(ref.sure for ref in one.columns)
    )
    counted = any(scene.page.tokens.at(one.start) == first for one in scene.page.text_figures.all)
    return (
        bool(behind)
        and behind[0] not in FUNCTION
        and not (named or counted)
        and any(one.first == first + 1 for one in scene.columns)
    )


def _only_says_which(scene: Scene, table: Table, met: Condition) -> bool:
    """Whether the only condition says of which rows it is said: all [suite] bookings were made by phone."""
    found = _ALL_OF.search(scene.folded)
    kinds = [one for one in scene.names if scene.rows(one, table) == met.rows[0]]
    if found is None or met.among is not None or met.bounds or len(kinds) != 1 or len(met.rows) != 1:
        return False
    first = scene.page.tokens.at(scene.original(found.start(), found.end())[1])
    return first == kinds[0].first and kinds[0].last + 1 < scene.line.last


def _rows_with_figure(scene: Scene, table: Table) -> frozenset[int] | None:
    """The rows that have the figure that is said of all of some: all turbines at Coldmoor have a height of 120 m."""
    said = next((one for one in scene.figures if scene.is_bound(one)), None)
    names = [one for one in scene.names if scene.refs(one, table)]
    args = scene.bound[said.figure.start].provenance.args if said is not None else ()
    if (
        said is None
        or not args
        or args[0].column not in table.columns
        or not names
        or names[0].start > said.figure.start
    ):
        return None
    rows = range(min(len(table.rows), MOST_COUNTED))
    return frozenset(row for row in rows if table_says(table, row, args[0].column, said.meaning))


_FIRST = 40
"""`none` stands near the beginning of what it is said of."""


def _some_of_column(scene: Scene, table: Table, none: re.Match[str]) -> Condition | None:
    """`no rain`: no row has any of a column."""
    behind = scene.folded[none.end() : none.end() + 24]
    measured = [column for column in scene.measured(table) if table.columns[column].numeric]
    first = next((mention for mention in scene.columns), None)
    last = max((one.end for one in scene.names), default=-1)
    # None of the loans from the Central branch has incurred a fine.
    keyed = any(scene.is_key(one, table) for one in scene.names)
    predicate = len(measured) == 1 and not keyed and 0 <= last < scene.columns[-1].start if scene.columns else False
    led = first is not None and behind.strip().startswith(scene.page.words[first.first])
    if not measured or first is None or not (led or predicate):
        return None
    rows = frozenset(row for row, value in values_of(table, measured[0]).items() if value != 0)
    kinds = [spoken for one in scene.names if not one.compared and (spoken := scene.rows(one, table))]
    return Condition((rows.intersection(*kinds),), sure=True)
