"""What a later part of a sentence says of the rows of the part before: all three are closed, and none of them was late."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.conditions import condition_of
from veracity.grounding.statements.cues import NUMBER_WORDS
from veracity.grounding.statements.scene import CheckedStatement, Scene, judged
from veracity.language.number_words import number_said

_OF_THEM = re.compile(
    rf"\s*(?:and |but |though |und |aber |wobei |doch )?(?:(?:only |just |nur |lediglich )?"
    rf"(?P<how>none|neither|all|both|one|keine[rsm]?|alle|beide|eine[rsmn]?|{NUMBER_WORDS}|[0-9]{{1,3}}) (?:of (?:them|these|those|which|whom)|davon|von (?:ihnen|diesen|denen))(?![a-z])"
    rf"|(?P<each>(?:all|alle) (?:{NUMBER_WORDS}|[0-9]{{1,3}}))(?! (?:of|der|von) )(?![a-z0-9])"
    r"|其中(?P<zh>没有一[个家名位项笔]|没有|无一|都|只?有[一二两三四五六七八九十]+))"
)
_SEVERAL = 2
_NONE = ("none", "neither", "keine", "没有", "无")
_ALL = ("all", "both", "alle", "beide", "都")
_ONE = ("one", "eine")


class OfThem(NamedTuple):
    """A sentence in two: what is said of some rows, and what is said of so many of them."""

    head: Scene
    tail: Scene
    how: str
    end: int
    """Where the words end that say how many."""


def of_them(scene: Scene, table: Table) -> OfThem | None:
    """The two parts of a sentence whose later one speaks of the rows of the first, which says which rows these are."""
    for part in scene.clauses[1:] if scene.whole is None else ():
        found = _OF_THEM.match(part.folded)
        if found is None:
            continue
        head = scene.part(scene.line.start, part.line.start)
        if any(scene.is_key(one, table) for one in part.names) or len(_spoken_of(head, table) or ()) < _SEVERAL:
            return None
        end = part.original(found.start(), found.end())[1]
        return OfThem(head, part, found["how"] or found["zh"] or found["each"], end)
    return None


def _spoken_of(head: Scene, table: Table) -> frozenset[int] | None:
    """The rows that a part speaks of: those that it names, or those of its kinds, or those that meet what it says."""
    named = [one for one in head.names if not one.compared and not one.excluded]
    keyed = [head.rows(one, table) for one in named if head.is_key(one, table)]
    if keyed:
        return frozenset().union(*keyed)
    met = condition_of(head, table)
    if met is None or len(met.rows) != 1:
        return None
    if met.among is not None:
        return met.among
    return met.rows[0]


def later_part_holds(table: Table, said: OfThem) -> Iterator[CheckedStatement]:
    """As many of the rows of the first part meet the condition of the later one as it says."""
    rows, met = _spoken_of(said.head, table), condition_of(said.tail, table)
    number = _number(said.how, rows) if rows is not None else None
    settles = frozenset(one.figure.start for one in said.tail.every_figure if one.figure.start < said.end)
    if rows is None or met is None or number is None:
        yield CheckedStatement("not_checkable", said.tail.span, "count", settles=settles)
        return
    held = [len(among & rows) == number for among in met.rows]
    key = "none" if not number else "count"
    yield from judged(said.tail.span, held, sure=met.sure, key=key, settles=settles | met.bounds)


def _number(how: str, rows: frozenset[int]) -> int | None:
    """How many of these rows the words say."""
    if how.startswith(_NONE):
        return 0
    if how.startswith(_ALL):
        return len(rows)
    if how.startswith(_ONE):
        return 1
    word = how.removeprefix("只").removeprefix("有")
    said = (
        int(word) if word.isdecimal() else number_said(word, "en") or number_said(word, "de") or number_said(word, "zh")
    )
    return int(said) if said is not None else None
