"""One row compared with several that are enumerated: longer than B and C, surpasses B, C and D."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import value_at, values_of
from veracity.grounding.statements.cues import Adjective
from veracity.grounding.statements.scene import CheckedStatement, Scene, judged
from veracity.grounding.statements.superlatives import GROWING, end_of, growth_of

_NEXT = re.compile(
    r"\s*(?:,|、|，|and|und|or|oder|sowie|和|与|及|以及|,\s*(?:and|und))\s*(?:than |als )?(?:in |im |bei |beim |at )?(?:the |der |die |das |den |dem )?",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"\s*(?:both|beide|sowohl|those of|that of|jene von|这)?\s*(?:the |der |die |das |den |dem )?", re.IGNORECASE
)


class SeveralCompared(NamedTuple):
    """The part of a sentence that compares, the row that it speaks of, and those that it is compared with."""

    part: Scene
    own: int
    others: tuple[int, ...]
    adjective: Adjective


def several_compared(scene: Scene, table: Table) -> SeveralCompared | None:
    """What is compared with two or more rows at once, where a sentence does that."""
    for part in scene.clauses:
        beats, degrees = part.says("beats"), part.degrees("comparative") or part.compared_so()
        if beats is None and not degrees:
            continue
        named = _led(part, table, part.original(*beats.span())[1]) if beats is not None else _compared(part, table)
        others = [next(iter(rows)) for one in named if len(rows := scene.rows(one, table)) == 1]
        first = named[0].start if named else part.line.start
        subjects = [row for one, row in scene.subjects(table) if one.end <= first and row not in others]
        if len(set(others)) < 2 or len(others) < len(named) or len(set(subjects[-1:])) != 1:
            continue
        adjective = degrees[0].adjective if beats is None else Adjective("high", None, None)
        return SeveralCompared(part, subjects[-1], tuple(others), adjective)
    return None


def several_compared_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """The row is more, or less, than every one of them."""
    table = scene.table
    said = several_compared(scene, table) if table is not None and len(scene.names) > 2 else None
    if table is None or said is None or said.part.has("negated", "total", "average", "times", "twice"):
        return
    part, adjective = said.part, said.adjective
    if any(not scene.is_bound(one) for one in part.figures) or part.fraction is not None:
        return  # By how much it is more is reckoned elsewhere.
    told = part.measured(table) or part.of_figures(table)
    columns, sure = (told, True) if told else scene.by_adjective(adjective, table)
    held: list[bool] = []
    for column in columns:
        own = value_at(table, said.own, column)
        others = [value for row in said.others if (value := value_at(table, row, column)) is not None]
        if own is not None and len(others) == len(said.others):
            high = end_of(adjective, table, column) == "high"
            held.append(all(own > other if high else own < other for other in others))
    yield from judged(part.span, held, sure=sure, key="comparison")


def groups_compared_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`In every month the school used more gas than the gym`: pair by pair, where names stand for several rows each."""
    table, degrees = scene.table, scene.degrees("comparative") or scene.compared_so()
    pairs = _pairs(scene, table) if table is not None and len(degrees) == 1 and not scene.figures else []
    if table is None or not pairs or scene.has("negated", "times", "twice"):
        return
    adjective = degrees[0].adjective
    told = [column for column in scene.measured(table) if column not in table.values]
    columns, sure = scene.compared_by(adjective, table, told)
    for column in columns if sure and len(columns) == 1 else ():
        known = [(value_at(table, one, column), value_at(table, other, column)) for one, other in pairs]
        high = end_of(adjective, table, column) == "high"
        held = [one > two if high else one < two for one, two in known if one is not None and two is not None]
        every = scene.has("every")
        # Whether a sum or an average is meant is open where it is not so in every pair.
        yield from judged(scene.span, [all(held)] if every else held, sure=False, key="comparison")


def groups_compared(scene: Scene, table: Table) -> tuple[NameMention, NameMention] | None:
    """Two names of several rows each that a sentence compares, both of one column: the school with the gym."""
    names = [one for one in scene.names if len(scene.rows(one, table)) > 1 and not one.excluded]
    if len(names) != 2 or names[0].compared or not names[1].compared:
        return None
    same = {ref.column for ref in scene.refs(names[0], table)} & {ref.column for ref in scene.refs(names[1], table)}
    return (names[0], names[1]) if same else None


def _pairs(scene: Scene, table: Table) -> list[tuple[int, int]]:
    """The rows of two groups that belong together, by the one other column of names that tells the rows of each apart."""
    both = groups_compared(scene, table)
    if both is None or table.naming:
        return []
    own, others = (scene.rows(one, table) for one in both)
    grouped = {ref.column for one in both for ref in scene.refs(one, table)}
    for column in (column for column in table.values if column not in grouped):
        by_value = {table.rows[row][column]: row for row in own}
        also = {table.rows[row][column]: row for row in others}
        if len(by_value) == len(own) and len(also) == len(others) and by_value.keys() == also.keys():
            return [(row, also[value]) for value, row in by_value.items()]
    return []


def _compared(part: Scene, table: Table) -> list[NameMention]:
    """The names behind than, with those that are enumerated with the first."""
    first = next((one for one in part.names if one.compared and part.rows(one, table)), None)
    return _enumerated(part, table, first) if first is not None else []


def _led(part: Scene, table: Table, end: int) -> list[NameMention]:
    """The names right behind a verb, with those that are enumerated with the first."""
    first = next((one for one in part.names if one.start >= end and part.rows(one, table)), None)
    if first is None or not _BOTH.fullmatch(part.page.text, end, first.start):
        return []
    return _enumerated(part, table, first)


def _enumerated(part: Scene, table: Table, first: NameMention) -> list[NameMention]:
    found: list[NameMention] = [first]
    behind: Sequence[NameMention] = [one for one in part.names if one.start >= first.end and part.rows(one, table)]
    for one in behind:
        if not _NEXT.fullmatch(part.page.text, found[-1].end, one.start):
            break
        found.append(one)
    return found


OTHERS_TOGETHER = re.compile(
    r"(?<![a-z])(?:than|als) (?:[a-z]+ ){0,4}?(?:other|others|rest|anderen|andern|uebrigen)(?: [a-z]+){0,3} (?:combined|together|put together|zusammen)(?![a-z])|"
    r"(?:超过|多于|少于|低于|高于|大于|小于)(?:其余|其他|另外)[^，。；]{0,8}(?:之和|总和|合计)"
)


def others_together_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`More customers than the other three combined`: the row against what all others add up to."""
    table = scene.table
    found = OTHERS_TOGETHER.search(scene.folded) if table is not None and table.whole and len(table.rows) > 2 else None
    if table is None or found is None:
        return
    at = scene.original(*found.span())[0]
    part = next((one for one in scene.clauses if one.line.start <= at < one.line.end), scene)
    rows = [row for one, row in scene.subjects(table) if one.end <= at]
    own = {row for one, row in part.subjects(table) if one.end <= at} or set(rows[:1])
    columns = [one for one in part.measured(table) or part.of_figures(table) if table.columns[one].numeric]
    degrees = part.degrees("comparative")
    high = degrees[0].adjective.end == "high" if degrees else not found.group().startswith(("少", "低", "小"))
    held: list[bool] = []
    for column in columns if len(own) == 1 else ():
        values = values_of(table, column)
        value = values.get(next(iter(own)))
        others = sum((cell for row, cell in values.items() if row not in own), Decimal(0))
        if value is not None and column not in table.rates:
            held.append(value > others if high else value < others)
    number = [one.figure.start for one in part.every_figure if one.figure.readings == (Decimal(len(table.rows) - 1),)]
    yield from judged(part.span, held, sure=len(columns) == 1, key="together", settles=frozenset(number))


STILL_MORE = re.compile("更(?P<word>[高低大小多少快慢长短强弱早晚重轻贵])")


def still_more_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`其中丁仓增幅更大`: of the rows that the sentence names, this one is more, by its growth or by the column that is said."""
    table, found = scene.table, STILL_MORE.search(scene.folded)
    if table is None or found is None or "比" in scene.folded:
        return
    at = scene.original(*found.span())[0]
    part = next((one for one in scene.clauses if one.line.start <= at < one.line.end), scene)
    own = {row for _one, row in part.subjects(table)}
    others = {row for _one, row in scene.subjects(table)} - own
    grown = growth_of(scene, table) if GROWING.search(part.folded) else None
    columns = part.measured(table) or scene.measured(table)
    values = grown[1:] if grown is not None else [values_of(table, column) for column in columns]
    if len(own) != 1 or not others or (grown is None and len(columns) != 1):
        return
    low, row = found["word"] in "低小少慢短弱早轻", next(iter(own))
    held = [
        all((known[row] < known[one]) if low else (known[row] > known[one]) for one in others)
        for known in values
        if row in known and others <= known.keys()
    ]
    yield from judged(part.span, held, sure=True, key="comparison")
