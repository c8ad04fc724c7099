"""What rose or fell between rows that are periods, verb by verb: dropped to 341 in July, before recovering to 438."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from veracity.grounding.binding.figure_meaning import table_says
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import value_at
from veracity.grounding.statements.cues import cue
from veracity.grounding.statements.scene import CheckedStatement, Scene

_SEPARATED = re.compile(r"[,;，；]|(?<![a-z])(?:and|but|before|then|und|aber|bevor|dann)(?![a-z])|[而后再]")
_UNTIL = re.compile(r"(?<![a-z])(?:until|till|up to|through|bis)(?: (?:zu[mr]?|the|ende))?\s*$|[至到]$")
_KEPT = re.compile(r"(?<![a-z])(?:kept|keeps|continued|weiter|laufend|von \w+ zu \w+)(?![a-z])|一直|逐")
_FEW = 2


class _Move(NamedTuple):
    """The places in time between which something moved, and whether the words say both."""

    first: int
    last: int
    every: bool
    told: bool


def rows_moved_hold(scene: Scene, table: Table, columns: Sequence[str]) -> Iterator[CheckedStatement]:
    """Each verb of a sentence over rows in the order of time is so."""
    order = table.in_time if table.is_of_periods else None
    known = len(columns) == 1 and columns[0] in table.columns
    if order is None or len(order) < _FEW or not known or scene.has("negated", "only", "all"):
        return
    column, held, told, last = columns[0], [], True, None
    for part, rising in _by_verb(scene):
        move = _move(part, table, column, last)
        values = [value_at(table, row, column) for row in order[move.first : move.last + 1]] if move is not None else []
        there = [value for value in values if value is not None]
        if move is None or len(there) < _FEW:
            return
        times = multiplied(part.folded)
        grown = times is None or (bool(there[0]) and is_multiple(times, there[-1] / there[0]))
        held.append(grown and moves(there, rising=rising, every=move.every))
        told, last = told and move.told, move.last
    if held:
        yield CheckedStatement(
            "supported" if all(held) else "contradicted" if told else "not_checkable", scene.span, "trend"
        )


def _by_verb(scene: Scene) -> list[tuple[Scene, bool]]:
    """The parts of a sentence with one verb of change each, and whether that is upwards."""
    found = sorted((*one.span(), kind == "up") for kind in ("up", "down") for one in cue(kind).finditer(scene.folded))
    verbs = [one for at, one in enumerate(found) if not at or one[0] >= found[at - 1][1]]
    edges = [scene.line.start]
    for (_start, stop, _up), (start, _stop, _way) in pairwise(verbs):
        cuts = [one.start() for one in _SEPARATED.finditer(scene.folded, stop, start)]
        edges.append(scene.original(*((cuts[-1], cuts[-1] + 1) if cuts else (start, start + 1)))[0])
    edges.append(scene.line.end)
    return [(scene.part(*span), verb[2]) for span, verb in zip(pairwise(edges), verbs, strict=True)]


def _move(part: Scene, table: Table, column: str, last: int | None) -> _Move | None:
    order = table.in_time or []
    named = [(one, next(iter(rows))) for one in part.names if len(rows := part.rows(one, table)) == 1]
    places = sorted({order.index(row) for _one, row in named if row in order})
    every = part.has("every") or _KEPT.search(part.folded) is not None
    if len(places) > 1:
        return _Move(places[0], places[-1], every, told=True)
    if places and _UNTIL.search(part.page.tokens.before(named[0][0].first, 16)):
        first = last if last is not None else 0
        return _Move(first, places[0], every, told=True) if first < places[0] else None
    if places:
        first = last if last is not None and last < places[0] else places[0] - 1
        return _Move(first, places[0], every, told=True) if first >= 0 else None
    pair = _rows_of_figures(part, table, column)
    if pair is not None:
        return _Move(*pair, every, told=False)
    return _Move(last, len(order) - 1, every, told=False) if last is not None and last + 1 < len(order) else None


def _rows_of_figures(part: Scene, table: Table, column: str) -> tuple[int, int] | None:
    """The places of the first two figures, each in the column, the second after the first: from 42 to 47."""
    said = [one for one in part.figures if one.figure.readings and one.figure.kind == "number"][:_FEW]
    order = table.in_time or []
    both = [[at for at, row in enumerate(order) if table_says(table, row, column, one.meaning)] for one in said]
    if len(both) < _FEW:
        return None
    return next(((first, last) for first in both[0] for last in reversed(both[1]) if first < last), None)


def moves(values: Sequence[Decimal], *, rising: bool, every: bool) -> bool:
    """Whether values go up, or down, from the first to the last; at every step where that is said."""
    if every:
        return all((two > one) == rising and two != one for one, two in pairwise(values))
    return (values[-1] > values[0]) == rising and values[-1] != values[0]


# --- how many times as much


_MULTIPLIED = re.compile(
    r"(?<![a-z])(?:(?P<t2>doubl(?:ed|es|ing)|verdoppel\w*)|(?P<t3>tripl(?:ed|es|ing)|verdreifach\w*)|(?P<t4>quadrupl(?:ed|es|ing)|vervierfach\w*)|"
    r"(?P<t5>quintupl(?:ed|es|ing)|verfuenffach\w*)|(?P<t10>verzehnfach\w*))(?![a-z])|(?P<z2>翻倍|翻番|翻了一番)"
)
_NEARLY = re.compile(
    r"(?:nearly|almost|just under|not quite|fast|knapp|beinahe|nahezu|几乎|近|将近)\s*(?:hat sich |sich )?$"
)
_MORE = re.compile(r"(?:more than|over|mehr als|ueber|gut|超过)\s*$")
_NEAR = Decimal("0.07")


def multiplied(folded: str) -> tuple[Decimal, Decimal] | None:
    """Between which multiples something grew, where a verb says it: nearly tripled."""
    found = _MULTIPLIED.search(folded)
    if found is None:
        return None
    times = Decimal(next(name[1:] for name, said in found.groupdict().items() if said))
    before = folded[max(0, found.start() - 24) : found.start()]
    if _MORE.search(before):
        return times, times + 1
    if _NEARLY.search(before):
        return times * (1 - 2 * _NEAR), times
    return times * (1 - _NEAR), times * (1 + _NEAR)


def is_multiple(times: tuple[Decimal, Decimal], ratio: Decimal) -> bool:
    """Whether a ratio lies between two multiples."""
    return times[0] <= ratio <= times[1]
