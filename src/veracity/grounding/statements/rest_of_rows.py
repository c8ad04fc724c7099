"""Rows that a sentence names, and the rest of them: only A and B, all others, everything but A."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from veracity.grounding.binding.cue_words import FUNCTION
from veracity.grounding.binding.figure_meaning import table_says
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import values_of
from veracity.grounding.statements.conditions import Condition, changed_rows, condition_of, not_in_year, relation_to
from veracity.grounding.statements.counted_parts import ONE
from veracity.grounding.statements.cues import cue
from veracity.grounding.statements.flags import NOT_ENDING
from veracity.grounding.statements.scene import CheckedStatement, Scene, judged

_MOST_ROWS = 5_000
_MOST_BETWEEN = 3
_RIGHT_BEHIND = 2
_THAN = re.compile(r"(?<![a-z])(?:than|als)(?![a-z])")
_SECOND_TO = frozenset({"to", "after", "behind"})
"""Second only to A."""
_OTHERS = re.compile(
    r"(?<![a-z])(?:all (?:the )?others?|the others|the rest|everyone else|everything else|alle (?:anderen|uebrigen)|die (?:anderen|uebrigen)|alle andern)(?![a-z])|其余|其他"
)


def only_hold(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`Only Geneva is closed`: the condition holds of these rows and of no others."""
    if _is_little(scene) or _ONLY_OTHER.search(scene.folded):
        return
    told = [one for one in scene.clauses if one.has("only")]
    if any(not _THAN.search(part.folded, one.stop) for part in told for one in part.degrees("comparative")):
        return  # Only A was sold less often: than which, another part says.
    alone = next((one for one in told if one.names and _condition_of_only(one, table) is not None), scene)
    if alone is scene and len(scene.clauses) > 1 and any(one.names for one in told):
        return  # What another part of the sentence says is no condition of this one.
    subjects = [one for one in alone.names if scene.is_key(one, table) and not one.compared and not one.excluded]
    named = frozenset(row for one in subjects for row in scene.rows(one, table))
    met = _condition_of_only(alone, table)
    if any(_APPOSED.fullmatch(scene.page.text, key.end, one.start) for key in subjects for one in alone.names):
        return  # Only R-5, the anonymous user, has none: what stands beside the name is not what is said of it.
    if named and met is None and (led := names_behind_only(scene, table)):
        named, met = frozenset(row for one in led for row in scene.rows(one, table)), _with_figures(scene, table, led)
    if not named or met is None:
        return
    if NOT_ENDING.search(alone.folded):
        # Only A does not: all others do.
        others = frozenset(range(len(table.rows))) - named
        yield from judged(alone.span, [rows == others for rows in met.rows], sure=met.sure, key="only")
        return
    yield from judged(alone.span, [rows == named for rows in met.rows], sure=met.sure, key="only", settles=met.bounds)


_ONLY_OTHER = re.compile(
    r"(?<![a-z])(?:only|sole) other(?![a-z])|(?<![a-z])einzige[nrsm]? (?:andere|weitere)[nrsm]?(?![a-z])|唯一(?:的)?(?:另|其他)"
)
"""Besides those of which another part speaks."""


_APPOSED = re.compile(r"(?:那|这)?[位个名家款条]?的?|, (?:the|an?|der|die|das|ein|eine) ", re.IGNORECASE)


def _is_little(scene: Scene) -> bool:
    """Whether `only` says each time how little something is: only 140 m, 只有85%."""
    ends = [scene.original(*found.span())[1] for found in cue("only").finditer(scene.folded)]
    named = [(one.start, one.end) for one in scene.names]
    figures = (one.figure.start for one in scene.every_figure)
    said = [at for at in figures if not any(start <= at < end for start, end in named)]
    return bool(ends) and all(any(0 <= start - end <= _RIGHT_BEHIND for start in said) for end in ends)


def names_behind_only(scene: Scene, table: Table) -> list[NameMention]:
    """The names of rows that stand right behind `only`, with those that are enumerated with them; only 140 m has none."""
    page = scene.page
    for found in cue("only").finditer(scene.folded):
        first = page.tokens.at(scene.original(*found.span())[1])
        behind = [one for one in scene.names if one.first >= first and scene.is_key(one, table) and not one.excluded]
        between = page.words[first : behind[0].first] if behind else []
        led = not between or between[0] not in _SECOND_TO
        if not led or not behind or len(between) > _MOST_BETWEEN or any(word not in FUNCTION for word in between):
            continue
        part = next((one for one in scene.clauses if one.line.start <= behind[0].start < one.line.end), scene)
        return [one for one in behind if one.start < part.line.end and not one.compared]
    return []


def _with_figures(scene: Scene, table: Table, names: Sequence[NameMention]) -> Condition | None:
    """The rows that have the figures which are said of these names, in the columns of those: only A and B have two tubes."""
    start = names[0].start
    part = next((one for one in scene.clauses if one.line.start <= start < one.line.end), scene)
    rows: frozenset[int] | None = None
    for one in part.figures:
        args = scene.bound[one.figure.start].provenance.args if scene.is_bound(one) else ()
        columns = {arg.column for arg in args if arg.column in table.figures}
        if len(columns) != 1 or relation_to(scene, one) is not None:
            return None
        column = next(iter(columns))
        known = range(min(len(table.rows), _MOST_ROWS))
        met = frozenset(row for row in known if table_says(table, row, column, one.meaning))
        rows = met if rows is None else rows & met
    return Condition((rows,), sure=True) if rows is not None else None


def _condition_of_only(scene: Scene, table: Table) -> Condition | None:
    return not_in_year(scene, table) or _changed(scene, table) or condition_of(scene, table)


def _changed(scene: Scene, table: Table) -> Condition | None:
    rows = changed_rows(scene, table)
    return Condition((rows,), sure=True) if rows is not None else None


# --- all others


def says_others(scene: Scene) -> int | None:
    """Where a sentence speaks of all rows that it does not name."""
    found = _OTHERS.search(scene.folded)
    return scene.original(*found.span())[0] if found is not None else None


def others_hold(scene: Scene, start: int, table: Table) -> Iterator[CheckedStatement]:
    """`A and B fell, all others rose`: what is said of those, and of every row that is not named."""
    own, others = scene.part(scene.line.start, start), scene.part(start, scene.line.end)
    named = frozenset(row for one in scene.names if scene.is_key(one, table) for row in scene.rows(one, table))
    rest = frozenset(range(len(table.rows))) - named
    met = _condition_of_only(others, table) or _with_figure_before(own, others, table)
    if met is None or not rest or others.names:
        return
    yield from judged(others.span, [rest <= rows for rows in met.rows], sure=met.sure, key="all", settles=met.bounds)
    changed = changed_rows(own, table)
    if changed is not None and len(own.clauses) == 1:
        yield from judged(own.span, [named <= changed], sure=True, key="trend")


def _with_figure_before(own: Scene, others: Scene, table: Table) -> Condition | None:
    """The rows with another figure of the column that was spoken of: A has two tubes, all others have one."""
    columns = own.of_figures(table)
    if len(columns) != 1 or set(others.measured(table)) - set(columns):
        return None
    column, said = columns[0], others.figures
    if not said and ONE.search(others.folded):
        return Condition((frozenset(row for row, value in values_of(table, column).items() if value == 1),), sure=True)
    if len(said) != 1 or relation_to(others, said[0]) is not None:
        return None
    known = range(min(len(table.rows), _MOST_ROWS))
    rows = frozenset(row for row in known if table_says(table, row, column, said[0].meaning))
    return Condition((rows,), sure=True, bounds=frozenset({said[0].figure.start}))


# --- all but some


def all_but_hold(scene: Scene, table: Table, left_out: Sequence[NameMention]) -> Iterator[CheckedStatement]:
    """`All stores but Bern are open`: the condition holds of all rows but these."""
    met = condition_of(scene, table)
    rest = frozenset(range(len(table.rows))) - frozenset(row for one in left_out for row in scene.rows(one, table))
    if met is not None and scene.has("all") and not scene.has("negated") and met.among is None:
        held = [rows == rest for rows in met.rows]
        yield from judged(scene.span, held, sure=met.sure, key="all", settles=met.bounds)


def claims_of_rest(scene: Scene, table: Table) -> Iterator[str]:
    """What a sentence claims of rows and of the rest of them, which a check must have read."""
    if names_behind_only(scene, table):
        yield "only"
    if says_others(scene) is not None:
        yield "rest"
    if scene.has("all") and any(one.excluded and scene.rows(one, table) for one in scene.names):
        yield "rest"
