"""Lists and rankings that are announced: the top three by clicks are A, B and C; the five largest; those in hall B."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import is_rank, values_of
from veracity.grounding.statements.conditions import condition_of
from veracity.grounding.statements.cues import FOLLOWED, NUMBER_WORDS, Adjective, Degree, End
from veracity.grounding.statements.flags import flags_said
from veracity.grounding.statements.scene import CheckedStatement, Scene, judged
from veracity.grounding.statements.superlatives import (
    columns_of_degree,
    end_of,
    is_at,
    number_before,
    place_before,
    small_number,
)

_NUMBER = rf"(?P<number>[0-9]{{1,2}}|{NUMBER_WORDS})"
TOP = re.compile(
    rf"(?<![a-z])(?:top|(?P<low>bottom))[ -]?{_NUMBER}(?![a-z0-9])|"
    r"前(?P<zh>[二两三四五六七八九十]|[0-9]{1,2})(?!个?(?:季度|月|年|周|天|半))"
)
"""The top three, Top-5, 前三名."""
_SO_MANY_ZH = re.compile(r"的?(?P<zh>[二两三四五六七八九十]|[0-9]{1,2})[个家名位种款座条项]")
_AMONG = re.compile(
    rf"(?<![a-z])(?:in|among|amongst|within|into|inside|of|unter|zu|von|in|auf)(?: the| our| den| die| der| ihren)?\s*$|"
    rf"(?<![a-z])(?:one|{NUMBER_WORDS}|[0-9]+) (?:der|von den|of the|of our)\s*$|(?:进入|跻身|列入|位列|位居|排在|在)\s*$"
)
"""Who is only one of them."""
_DOWN = re.compile(
    r"(?<![a-z])(?:in descending order|descending|absteigend\w*|(?:highest|largest|biggest|most|best|greatest) first|hoechste\w* zuerst|groesste\w* zuerst)(?![a-z])|从高到低|从大到小|从多到少|降序"
)
_UP = re.compile(
    r"(?<![a-z])(?:in ascending order|ascending|aufsteigend\w*|(?:lowest|smallest|fewest|least) first|tiefste\w* zuerst|kleinste\w* zuerst)(?![a-z])|从低到高|从小到大|从少到多|升序"
)
_NUMBERED = re.compile(r"\s*[(（]?[0-9]{1,3}[.)、）．]")
_BY = re.compile(r"(?<![a-z])(?:by|nach|in terms of|measured by|based on|according to)(?![a-z])|按照?|依据?")
_NEAR = 40


class Announced(NamedTuple):
    """What is announced: so many, from which end, and whether only some of them are named."""

    at: int
    """Where it stands in the folded sentence."""
    number: int | None
    """How many; None where only an order is said."""
    degree: Degree
    among: bool = False
    ordered: bool = False


class Entry(NamedTuple):
    """One row, or the rows of one name, in the order in which they are said."""

    start: int
    name: NameMention


def rankings_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """Those who are said to be the first so many are, and a list that is said to be in an order is."""
    table = scene.table
    said = _announced(scene) if table is not None and len(table.rows) > 1 and scene.whole is None else None
    if table is None or said is None or scene.has("negated"):
        return
    items = _items_below(scene)
    entries = [one for item in items if (one := _entry_of(item, table))] if items else _entries(scene, table, said)
    down = _DESCENDING.search(scene.folded) is not None and said.degree.adjective.end == "high"
    numbered = bool(items) and all(_NUMBERED.match(item.text) for item in items)
    ordered = said.ordered or down or numbered
    if len(entries) < (1 if said.among else 2) or (items and len(entries) != len(items)):
        return
    if said.number is not None and not said.among and len(entries) != said.number:
        return
    groups = _groups(scene, table, entries)
    if groups is None:
        return
    told, every = groups
    columns, sure = _columns(scene, items, table, said)
    ranked = [column for column in columns if is_rank(column)]
    held, summed = list[bool](), False
    for column in ranked or columns:
        values = {name: _worth(table, column, rows) for name, rows in every.items()}
        known = [value for value in values.values() if value is not None]
        own = [values.get(name) for name in told]
        end = "low" if ranked else end_of(said.degree.adjective, table, column)
        summed = summed or any(len(rows) > 1 for rows in every.values())
        held.append(_is_ranked(own, known, said.number, low=end == "low", ordered=ordered))
    found = list(judged(scene.span, held, sure=sure, key="superlative", settles=_number_said(scene, said)))
    if summed and any(one.truth == "contradicted" for one in found):
        yield CheckedStatement(
            "not_checkable", scene.span, "superlative"
        )  # It may be ranked by something else than a sum.
    else:
        yield from found


_DESCENDING = re.compile(
    r"(?<![a-z])(?:in (?:descending|that|this) order|absteigend|in dieser reihenfolge)(?![a-z])|[从由][高多大]到[低少小]|依次"
)


def _announced(scene: Scene) -> Announced | None:
    """What a sentence announces: the top three, three with the most, highest first."""
    degrees = scene.degrees("superlative")
    top = TOP.search(scene.folded)
    if top is not None:
        end: End = "low" if top["low"] else "high"
        degree = degrees[0] if degrees else Degree(top.start(), top.end(), Adjective(end, None, None), counted=True)
        among = _AMONG.search(scene.folded[max(0, top.start() - _NEAR) : top.start()]) is not None
        return Announced(top.start(), small_number(top["number"] or top["zh"]), degree, among)
    for one in degrees:
        number = number_before(scene.folded, one.start)
        behind = _SO_MANY_ZH.match(scene.folded, one.stop)
        if number is not None and number > 1:
            return Announced(one.start, number, one)
        if behind is not None:
            return Announced(one.start, small_number(behind["zh"]), one)
    if len(degrees) == 1 and (number := _enumerated(scene, degrees[0])) > 1:
        return Announced(degrees[0].start, number, degrees[0])
    for pattern, low in ((_DOWN, False), (_UP, True)):
        if (order := pattern.search(scene.folded)) is not None:
            degree = Degree(order.start(), order.end(), Adjective("low" if low else "high", None, None))
            return Announced(order.start(), None, degree, ordered=True)
    return None


def _enumerated(scene: Scene, degree: Degree) -> int:
    """How many rows an enumeration names of which something is most: longest here are A, B and C."""
    table = scene.table
    named = [one for one in scene.names if table is not None and scene.is_key(one, table) and not one.compared]
    at = scene.original(degree.start, degree.stop)[0]
    ends = bool(named) and not scene.page.text[named[-1].end : scene.line.end].strip(" .!。！\n*_")
    if not ends or named[0].start < at:
        return 0
    return len(named) if len(list(_in_a_row(scene, named))) == len(named) else 0


def _items_below(scene: Scene) -> list[Scene]:
    """The entries of the list, or the rows of the table, below a line that ends in a colon."""
    if not scene.text.rstrip(" \n*_").endswith((":", "：")):
        return []
    lines = scene.page.lines
    own = next((number for number, one in enumerate(lines) if one.start == scene.line.start), None)
    below = [line for line in lines if line.above == own and line.start > scene.line.start]
    listed = [line for line in below if line.listed or line.heading >= 0]
    return [Scene(scene.page, line, scene.bound, lang=scene.lang) for line in listed]


def _entry_of(item: Scene, table: Table) -> Entry | None:
    """What an entry of a list is about: its first name."""
    return next((Entry(one.start, one) for one in item.names if item.rows(one, table)), None)


def _entries(scene: Scene, table: Table, said: Announced) -> list[Entry]:
    """The names that a sentence enumerates behind what it announces, or before it."""
    column = _naming(scene, table)
    named = [
        Entry(one.start, one)
        for one in scene.names
        if not one.compared and not one.excluded and any(ref.column == column for ref in scene.refs(one, table))
    ]
    at = scene.original(said.at, said.at + 1)[0]
    behind, before = [one for one in named if one.start > at], [one for one in named if one.start < at]
    if said.among:
        return before or behind
    number = said.number or 0
    return behind[:number] if len(behind) >= number else before[-number:] if len(before) >= number else named


def _naming(scene: Scene, table: Table) -> str | None:
    """The column that most names of a sentence are of."""
    counts: defaultdict[str, int] = defaultdict(int)
    for one in scene.names:
        for column in {ref.column for ref in scene.refs(one, table)}:
            counts[column] += 1
    return max(counts, key=lambda column: (counts[column], column in table.naming), default=None)


def _groups(scene: Scene, table: Table, entries: Sequence[Entry]) -> tuple[list[str], dict[str, frozenset[int]]] | None:
    """The names that are listed, and the rows of every name of their column, of those rows that the sentence speaks of."""
    refs = [{ref.column: ref for ref in one.name.names if ref.table == table.number} for one in entries]
    shared = [column for column in refs[0] if all(column in one for one in refs)]
    if not shared:
        return None
    column = next((one for one in shared if one in table.naming), shared[0])
    listed = {one.start for one in entries}
    spoken = frozenset(range(len(table.rows)))
    for one in scene.names:
        others = {ref.column for ref in scene.refs(one, table)}
        if one.start not in listed and column not in others and (rows := scene.rows(one, table)):
            spoken = frozenset(row for row in spoken if row in rows)
    for _mention, rows in flags_said(scene, table):
        spoken = frozenset(row for row in spoken if row in rows)
    every: defaultdict[str, set[int]] = defaultdict(set)
    for row in spoken:
        every[str(table.rows[row][column])].add(row)
    told = list[str]()
    for known in refs:
        own = spoken.intersection(table.rows_named(column, known[column].value))
        if not own:
            return None
        told.append(str(table.rows[min(own)][column]))
    return told, {name: frozenset(rows) for name, rows in every.items()}


def _columns(scene: Scene, items: Sequence[Scene], table: Table, said: Announced) -> tuple[list[str], bool]:
    """The columns by which is ranked, and whether that is sure: behind `by`, else those of the words, else those of the figures."""
    by = _BY.search(scene.folded, said.at)
    start = scene.original(by.start(), by.end())[1] if by is not None else None
    for one in scene.columns if start is not None else ():
        told = [ref.column for ref in one.columns if ref.table == table.number and scene.is_ordered(table, ref.column)]
        if start is not None and one.start >= start and told:
            return scene.of_year(told, table), len(told) == 1
    ranks = [column for column in table.columns if is_rank(column) and scene.is_ordered(table, column)]
    if not scene.measured(table) and by is None:
        bound = [set(item.of_figures(table)) for item in items]
        shared = [column for column in table.columns if bound and all(column in one for one in bound)]
        if shared:
            return shared, len(shared) == 1
        if ranks and not scene.of_figures(table) and said.degree.counted:
            return ranks[:1], True
    columns, sure = columns_of_degree(scene, said.degree, table)
    return [column for column in columns if not is_rank(column)], sure


def _worth(table: Table, column: str, rows: frozenset[int]) -> Decimal | None:
    """What the rows of a name come to in a column."""
    values = values_of(table, column, rows).values()
    return sum(values, Decimal(0)) if values else None


def _is_ranked(
    own: Sequence[Decimal | None], every: Sequence[Decimal], number: int | None, *, low: bool, ordered: bool
) -> bool:
    """Whether these are among the first so many, and in the order in which they are said."""
    known = [value for value in own if value is not None]
    if len(known) < len(own):
        return False
    ranked = sorted(every, reverse=not low)
    if number is not None and any(
        (value > ranked[number - 1]) if low else (value < ranked[number - 1])
        for value in known
        if number <= len(ranked)
    ):
        return False
    return not ordered or all((one <= two) if low else (one >= two) for one, two in pairwise(known))


def _number_said(scene: Scene, said: Announced) -> frozenset[int]:
    """Where the figure stands that says how many."""
    at = scene.original(said.at, said.at + 1)[0]
    near = (one.figure for one in scene.every_figure if abs(one.figure.start - at) <= _NEAR)
    return frozenset(one.start for one in near if one.readings and one.readings[0] == said.number)


def listed_rows_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Machines that run in hall B:` and their list: each of them is such."""
    table = scene.table
    items = _items_below(scene) if table is not None and len(table.rows) > 1 and scene.whole is None else []
    met = condition_of(scene, table) if table is not None and items and not scene.degrees("superlative") else None
    if table is None or met is None or scene.has("negated", "none", "only", "rank") or TOP.search(scene.folded):
        return
    for item in items:
        named = [one for one in item.names if item.is_key(one, table)][:1] or item.names[:1]
        rows = item.rows(named[0], table) if named else frozenset[int]()
        if rows:
            span = (named[0].start, named[0].end)
            held = [bool(rows & one) for one in met.rows]
            yield from judged(span, held, sure=met.sure, key="other_row")


# --- who follows whom


_FOLLOWED = re.compile(
    rf"(?:{FOLLOWED}|(?<![a-z])(?:ahead of|dahinter (?:folgt|folgen|liegt|liegen)|vor))\s*"
    r"(?:the |der |dem |den |die |das )?(?:second |other |zweiten |anderen )?$|其次是\s*$|其后是\s*$|紧随其后的是\s*$|领先于\s*$"
)
_NEXT = re.compile(
    r"\s*(?:[(（][^()（）]{1,40}[)）]|(?:with|at|mit|bei) [^,、;()]{1,24}?)?\s*"
    r"(?:,|、|，|and|und|then|dann|sowie|和|,\s*(?:and|und|then))\s*(?:the|der|dem|den|die|das)?\s*",
    re.IGNORECASE,
)
"""Between names in a row: A (12), B (9) and C."""
_LED = re.compile(
    r"(?<![a-z])(?:top|tops|topped|leads?|led|leading|leader|first|number one|spitze|fuehrt|fuehrte|fuehrend\w*|vorn|erste[rsn]?)(?![a-z])|第一|榜首|之首|领先"
)


def followers_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`A is the largest, followed by B and C`, `A leads, ahead of B`: these are the next ones."""
    table = scene.table
    if table is None or len(table.rows) < 2 or table.is_of_periods or scene.has("negated") or scene.whole is not None:
        return
    named = [one for one in scene.names if len(scene.rows(one, table)) == 1]
    first = next((at for at, one in enumerate(named) if _is_next(scene, one)), None)
    if first is None and (following := next((one for one in scene.names if _is_next(scene, one)), None)) is not None:
        yield from _next_told_together(scene, table, following)
        return
    if not first:
        return
    degree = next((one for one in scene.degrees("superlative")), None)
    if degree is not None:
        said = scene.original(degree.start, degree.stop)
        own = [row for one, row in scene.subjects(table) if one.start < named[first].start]
        part = next((one for one in scene.clauses if one.line.start <= said[0] < one.line.end), scene)
        place = place_before(scene.folded, degree.start) or 1
        if not own or named[first].start < said[1]:
            return
        told = columns_of_degree(part, degree, table)[0]
        ends = [(column, end_of(degree.adjective, table, column)) for column in told]
        ends = [one for one in ends if is_at(table, one[0], own[0], one[1], place)]
        yield from _in_their_places(scene, table, named[first:], ends, place + 1)
        return
    columns = scene.measured(table) or scene.of_figures(table)
    leads = _LED.search(scene.folded) is not None
    ends = [(column, "high") for column in columns if not is_rank(column)]
    if leads and ends:
        yield from _in_their_places(scene, table, named[first - 1 : first], ends, 1)
        yield from _in_their_places(scene, table, named[first:], ends, 2)


def _next_told_together(scene: Scene, table: Table, said: NameMention) -> Iterator[CheckedStatement]:
    """`..., followed by the kettles in Bern`: the next row is one that several names tell, or a key behind its kind."""
    before, after = scene.part(scene.line.start, said.start), scene.part(said.start, scene.line.end)
    own = [row for _one, row in before.subjects(table)]
    behind = [row for _one, row in after.clauses[0].subjects(table)] if after.clauses else []
    degree = next(iter(before.degrees("superlative")), None)
    if degree is None or len(set(own)) != 1 or not behind:
        return
    part = next((one for one in before.clauses if one.degrees("superlative")), before)
    told = columns_of_degree(part, degree, table)[0]
    ends = [(column, end_of(degree.adjective, table, column)) for column in told]
    ends = [one for one in ends if is_at(table, one[0], own[0], one[1], 1)]
    held = [is_at(table, column, behind[0], end, 2) for column, end in ends]
    yield from judged((said.start, said.end), held, sure=len(held) == 1, key="rank")


def _in_their_places(
    scene: Scene, table: Table, names: Sequence[NameMention], ends: Sequence[tuple[str, End]], place: int
) -> Iterator[CheckedStatement]:
    """Names in a row have one place after the other."""
    for number, one in enumerate(_in_a_row(scene, names)):
        row = next(iter(scene.rows(one, table)))
        held = [is_at(table, column, row, end, place + number) for column, end in ends]
        yield from judged((one.start, one.end), held, sure=len(held) == 1, key="rank")


def _is_next(scene: Scene, one: NameMention) -> bool:
    return _FOLLOWED.search(scene.page.tokens.before(one.first, 32)) is not None


def _in_a_row(scene: Scene, names: Sequence[NameMention]) -> Iterator[NameMention]:
    """The first of these names, and those that are enumerated with it."""
    yield names[0]
    for one, other in pairwise(names):
        if not _NEXT.fullmatch(scene.page.text, one.end, other.start):
            return
        yield other
