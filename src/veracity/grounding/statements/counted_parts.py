"""Sentences that count part by part: how many rows meet each condition, and which rows a total comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import values_of
from veracity.grounding.statements.conditions import MOST_COUNTED, condition_of, relation_to
from veracity.grounding.statements.cues import NUMBER_WORDS
from veracity.grounding.statements.scene import CheckedStatement, Scene, Truth, judged

_AND_SO_MANY = re.compile(r"[,;，；]\s*(?:and|und)?\s*|\s(?:and|und)\s|和|而(?=[^\x00-\x7f])", re.IGNORECASE)
ONE = re.compile(r"(?<![a-z])(?:one|einer|eine|eines|eins)(?![a-z])|一[个家名位]")
_NUMBER_EACH = re.compile(
    rf"(?<![a-z])(?:{NUMBER_WORDS}|one|[0-9]+)(?: [a-z]+){{0,2}} (?:each|apiece)(?![a-z])|(?<![a-z])(?:je|jeweils) (?:{NUMBER_WORDS}|eine\w?|[0-9]+)(?![a-z])|各有?[0-9一两三四五六七八九十]"
)
_ARTICLE = re.compile(r"\s*(?:the|der|die|das|den|dem)?\s*", re.IGNORECASE)
_EACH = re.compile(r"(?<![a-z])(?:each|apiece|je|jeweils)(?![a-z])|各")


class CountedPart(NamedTuple):
    """A part of a sentence that says how many rows meet its condition."""

    scene: Scene
    number: int
    span: tuple[int, int]
    each: bool = False
    """Whether so many are said of each of its names."""


def counted_parts(scene: Scene, table: Table, whole: SaidFigure | None) -> list[CountedPart]:
    """`Three of the five are active, one is paused and one has ended`: every part with its number and its condition."""
    of_all = whole.figure.start if whole is not None else -1
    found: list[CountedPart] = []
    for part in _parts(scene, table):
        numbers = [one for one in part.every_figure if one.figure.start != of_all and is_bare(scene, one)]
        single = ONE.search(part.folded) if not numbers else None
        each = _EACH.search(part.folded) is not None
        if condition_of(part, table) is None or not (numbers or single):
            # What has no number of its own goes on with the part before: two are open and in Bern.
            if found and part.names:
                return found if _begins_anew(part) else []
        elif len(numbers) > 1:
            return []
        elif numbers:
            figure = numbers[0].figure
            found.append(CountedPart(part, int(figure.readings[0]), (figure.start, figure.end), each))
        elif single is not None:
            found.append(CountedPart(part, 1, part.original(single.start(), single.end()), each))
    return found


def _begins_anew(part: Scene) -> bool:
    """Whether a semicolon ends what was counted."""
    return part.page.text[: part.line.start].rstrip()[-1:] in (";", "；")


def _parts(scene: Scene, table: Table) -> Iterator[Scene]:
    """The parts of a sentence, cut at commas and `and`; names of one column that are enumerated stay together."""
    edges = [scene.line.start]
    for found in _AND_SO_MANY.finditer(scene.text):
        start, end = scene.line.start + found.start(), scene.line.start + found.end()
        if not _joins_values(scene, table, start, end):
            edges.append(end)
    for start, end in pairwise((*edges, scene.line.end)):
        yield scene.part(start, end)


def _joins_values(scene: Scene, table: Table, start: int, end: int) -> bool:
    """Whether values of one column stand on both sides: Team Otter [and] Team Heron."""
    before = next((one for one in reversed(scene.names) if one.end <= start), None)
    behind = next((one for one in scene.names if one.start >= end), None)
    if before is None or behind is None or scene.is_key(before, table):
        return False
    text = scene.page.text
    tight = not text[before.end : start].strip() and _ARTICLE.fullmatch(text, end, behind.start) is not None
    columns = [{ref.column for ref in scene.refs(one, table)} for one in (before, behind)]
    return tight and bool(columns[0] & columns[1]) and _EACH.search(scene.folded) is not None


def says_each(scene: Scene) -> bool:
    """Whether a number is said of each of several: two jobs each, je zwei."""
    return _NUMBER_EACH.search(scene.folded) is not None


def is_bare(scene: Scene, one: SaidFigure) -> bool:
    """Whether a figure may count rows: a small whole number without a unit, which is no bound and no part of a name."""
    figure = one.figure
    value = figure.readings[0] if figure.readings else Decimal(-1)
    named = any(name.start <= figure.start < name.end for name in scene.names)
    whole = figure.kind in ("number", "word") and not figure.percent and value == int(value)
    return (
        whole
        and 0 <= value <= MOST_COUNTED
        and one.meaning.unit is None
        and not named
        and relation_to(scene, one) is None
    )


def parts_hold(parts: Sequence[CountedPart], table: Table, whole: SaidFigure | None) -> Iterator[CheckedStatement]:
    """As many rows meet the condition of every part, and the whole is all of them."""
    if whole is not None and whole.figure.readings[0] != len(table.rows):
        yield CheckedStatement("contradicted", (whole.figure.start, whole.figure.end), "count")
        return
    for part in parts:
        met = condition_of(part.scene, table)
        if met is None:
            continue
        settles = frozenset({part.span[0], *met.bounds, *((whole.figure.start,) if whole is not None else ())})
        rows = [part.scene.rows(one, table) for one in part.scene.names] if part.each else list(met.rows)
        held = [len(found) == part.number for found in rows if found]
        held = [all(held)] if part.each else held
        yield from judged(part.span, held, sure=met.sure, key="count", settles=settles)


# --- where a total comes from


_ITEMS = re.compile(
    r"[:：]|\s[–—-]\s|[,，;；]\s*(?:of which|of them|davon|darunter|其中|(?=\S+ (?:of (?:them|which|these)|davon)(?![a-z])))"
)
_OF_THEM = re.compile(r"(?:of (?:them|which|these)|davon|darunter|其中)")
_NEXT_ITEM = re.compile(r"[,;，；、]\s*(?:and |und |sowie )?|\s(?:and|und|sowie)\s|和", re.IGNORECASE)


def breakdowns_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Three critical findings: two in auth-api and one in reporting`: the rows of a total, each with its cell."""
    table, start = scene.table, _ITEMS.search(scene.text)
    if table is None or start is None or not table.whole or len(table.rows) < 2:
        return
    begins, ends = scene.line.start + start.start(), scene.line.start + start.end()
    for said in scene.every_figure:
        if said.figure.start >= begins:
            return
        column = _column_added(scene, table, said)
        items = list(_items(scene, table, ends)) if column is not None else []
        if column is None or len(items) < (1 if _OF_THEM.search(scene.text) else 2):
            continue
        cells = values_of(table, column)
        for number, row, span, figure in items:
            right = cells.get(row) == number
            yield CheckedStatement(
                "supported" if right else "contradicted",
                span,
                "total" if right else "other_row",
                settles=frozenset({figure, said.figure.start} if right else {figure}),
            )
        return


def _column_added(scene: Scene, table: Table, said: SaidFigure) -> str | None:
    """The column whose noun stands behind a figure, where the figure is its total."""
    nouns = {ref.column for ref in scene.page.nouns(said.figure) if ref.table == table.number}
    told = [column for column in table.figures if column in nouns and table.columns[column].numeric]
    for column in told:
        if said.figure.readings and sum(values_of(table, column).values(), Decimal(0)) == said.figure.readings[0]:
            return column
    return None


def _items(scene: Scene, table: Table, start: int) -> Iterator[tuple[Decimal, int, tuple[int, int], int]]:
    """The numbers behind a colon, each with the one row that is named beside it."""
    edges = [start, *(start + one.end() for one in _NEXT_ITEM.finditer(scene.page.text[start : scene.line.end]))]
    for first, last in pairwise((*edges, scene.line.end)):
        part = scene.part(first, last)
        numbers = [one for one in part.every_figure if is_bare(scene, one)]
        single = ONE.search(part.folded) if not numbers else None
        rows = [(one, rows) for one in part.names if len(rows := scene.rows(one, table)) == 1]
        if len(rows) != 1 or (len(numbers) != 1 and single is None):
            continue
        name, found = rows[0]
        if numbers:
            figure = numbers[0].figure
            yield figure.readings[0], next(iter(found)), (figure.start, figure.end), figure.start
        elif single is not None:
            yield Decimal(1), next(iter(found)), (name.start, name.end), name.start


_SO_OFTEN = re.compile(
    r"(?<![a-z])(?P<once>once|einmal)(?! (?:the|so|per|a) )(?![a-z])|(?<![a-z])(?P<twice>twice|zweimal)(?! (?:as|the|so|that|what|its) )(?![a-z])|"
    r"(?<![a-z])(?P<often>three|four|five|drei|vier|fuenf)(?: times|mal)(?! (?:as|the|so|that|what|its) )(?![a-z])|(?P<zh>[两三四五六])次"
)
_OFTEN = {
    "three": 3,
    "four": 4,
    "five": 5,
    "drei": 3,
    "vier": 4,
    "fuenf": 5,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
}


def so_often_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Checkout went down twice`: as many rows are of it, where each row is one time; another number may be of another count."""
    table = scene.table
    found = _SO_OFTEN.search(scene.folded) if table is not None and table.days and table.whole else None
    if table is None or found is None:
        return
    part = next(
        (one for one in scene.clauses if one.line.start <= scene.original(*found.span())[0] < one.line.end), scene
    )
    kinds = [part.rows(one, table) for one in part.names if part.rows(one, table) and not part.is_key(one, table)]
    number = 1 if found["once"] else 2 if found["twice"] else _OFTEN[found["often"] or found["zh"]]
    if len(kinds) == 1 and not part.measured(table):
        start, end = scene.original(*found.span())
        settles = frozenset(one.figure.start for one in scene.every_figure if start <= one.figure.start < end)
        truth: Truth = "supported" if len(kinds[0]) == number else "not_checkable"
        yield CheckedStatement(truth, (start, end), "count", settles=settles)
