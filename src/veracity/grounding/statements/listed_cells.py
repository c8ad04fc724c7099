"""Cells that list things: how many they are, and which: three ground stations: A, B and C."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.name_forms import listed_entries
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.scene import CheckedStatement, Scene
from veracity.language.folding import words_in

_ARE = re.compile(r"\s*(?:are|were|sind|waren|lauten|[:：]|为|是|包括)\s*")
_AMONG = re.compile(
    r"(?<![a-z])(?:includ\w*|among|some|such as|eg|unter anderem|zum beispiel|darunter|etwa|one of|eine? der)(?![a-z])|包括|其中|例如|之一"
)


def listed_cells_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Three ground stations: A, B and C`: the cell of the row that is spoken of lists as many, and these."""
    table = scene.table
    for mention in scene.columns if table is not None else ():
        assert table is not None
        columns = {ref.column for ref in mention.columns if ref.table == table.number and ref.column in table.texts}
        row = _row_of(scene, table) if len(columns) == 1 else None
        if row is None:
            continue
        column = next(iter(columns))
        entries = listed_entries(str(table.rows[row][column] or ""))
        if entries:
            yield from _number_holds(scene, mention, len(entries))
            yield from _list_is_whole(scene, mention, column, entries)


def _row_of(scene: Scene, table: Table) -> int | None:
    rows = {row for one, row in scene.subjects(table) if scene.is_key(one, table)}
    rows = rows or ({0} if len(table.rows) == 1 else set())
    return next(iter(rows)) if len(rows) == 1 else None


def _number_holds(scene: Scene, mention: NameMention, size: int) -> Iterator[CheckedStatement]:
    """The number right before the word for the column."""
    for one in scene.every_figure:
        if one.figure.readings and 0 < mention.first - one.last <= 2 and not one.figure.percent:
            right = one.figure.readings[0] == size
            span, settles = (one.figure.start, one.figure.end), frozenset({one.figure.start})
            yield CheckedStatement("supported" if right else "contradicted", span, "count", settles=settles)


def _list_is_whole(
    scene: Scene, mention: NameMention, column: str, entries: tuple[str, ...]
) -> Iterator[CheckedStatement]:
    """What is listed right behind the word for the column is all that the cell lists."""
    found = _ARE.match(scene.page.text, mention.end)
    named = [one for one in scene.names if one.start >= mention.end and any(ref.column == column for ref in one.names)]
    if found is None or not named or named[0].start > found.end() + 4 or _AMONG.search(scene.folded):
        return
    said = {tuple(scene.page.words[one.first : one.last + 1]) for one in named}
    whole = said >= {tuple(words_in(entry)) for entry in entries}
    span = (named[0].start, named[-1].end)
    yield CheckedStatement("supported" if whole else "not_checkable", span, "row" if whole else "unread")
