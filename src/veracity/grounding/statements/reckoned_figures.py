"""Figures that stand in no cell, held against all that the cells of the spoken rows come to.

What the words bear out, by saying the kind of reckoning and the columns, is supported. What only the value bears out cannot be
checked: it is marked. What nothing comes to stays what it was, a figure without a source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.figure_meaning import table_says
from veracity.grounding.binding.named_rows import rows_of
from veracity.grounding.statements.differences import columns_of_total, is_gap
from veracity.grounding.statements.figure_reckoner import FigureReckoner
from veracity.grounding.statements.figures_by_form import ReckonedFigure
from veracity.grounding.statements.reckonings import CellReckoning
from veracity.grounding.statements.scene import CheckedStatement, Scene
from veracity.language.folding import listed, words_in
from veracity.language.nearest import words_of

_MOST_RECKONED = 24
"""Of one sentence; who writes more figures into one writes a table."""


def reckoned_figures(scene: Scene, done: Sequence[CheckedStatement]) -> Iterator[ReckonedFigure]:
    """The figures of a sentence that neither a cell nor one of these statements accounts for, each reckoned."""
    settled = {start for one in done if one.truth != "contradicted" for start in one.settles}
    known = {start for one in done if one.truth == "supported" for start in one.settles}
    wrong = {one.span for one in done if one.truth == "contradicted"}
    tried = 0
    before: ReckonedFigure | None = None
    for said in (*scene.figures, *_said_in_words(scene)):
        figure = said.figure
        if figure.dates and (told := _open_days(scene, said)):
            # The day of a record is said by any verb; another one by a part of its name.
            named = {ref.column for one in scene.columns for ref in one.columns}
            plain = all(column in named or set(words_in(words_of(column))) <= _DATE for column in told)
            found_day = CellReckoning("cell", Decimal(0), (), ())
            yield ReckonedFigure(said, None, found_day, "supported" if plain else "not_checkable")
        open_ = figure.readings and not scene.is_bound(said) and figure.start not in settled
        if open_ and tried < _MOST_RECKONED:
            tried += 1
            compared = any(one.key == "comparison" and one.truth == "supported" for one in done) and _once(scene)
            found = FigureReckoner(scene, said, known, compared=compared).best()
            contradicted = (figure.start, figure.end) in wrong
            if contradicted and said.meaning.compares:
                continue
            if found is not None and (found.truth == "supported" or not contradicted):
                known.add(figure.start)
                found = _said_again(scene, found, before)
                if found.truth == "supported" and (
                    _is_share_of_other_total(scene, found) or _is_beside_other_group(scene, found)
                ):
                    found = found._replace(truth="not_checkable")
                before = found if found.truth == "supported" else None
                yield found


_THAT_IS = re.compile(
    r"(?:\s*[a-z.°²³/]{1,20}){0,3}\s*(?:[,(（]\s*)?(?:or|das sind|das entspricht|also|i\.e\.|that is|which is|equal to|entspricht|即|也就是)\s*"
    r"(?:(?:about|around|roughly|nearly|some|etwa|rund|gut|knapp|ca\.|约|近)\s*)?",
    re.IGNORECASE,
)


def _said_again(scene: Scene, found: ReckonedFigure, before: ReckonedFigure | None) -> ReckonedFigure:
    """A share that says again what the figure before it says: 13'500 over budget, das sind 18 %."""
    if (
        before is None
        or found.truth == "supported"
        or (before.found.kind, found.found.kind) != ("difference", "change")
    ):
        return found
    same = before.table is found.table and set(before.found.rows) == set(found.found.rows)
    same = same and set(before.found.columns) == set(found.found.columns)
    between = (before.said.figure.end, found.said.figure.start)
    if not same or not _THAT_IS.fullmatch(scene.page.text, *between):
        return found
    return found._replace(truth="supported")


_IN = re.compile(r"\s*(?:[^\W\d_]{1,8}\s+)?(?:in|im|for|für|at|on|am)\s+(?:the\s+|der\s+)?", re.IGNORECASE)


def _is_beside_other_group(scene: Scene, found: ReckonedFigure) -> bool:
    """Whether what some rows come to stands right before the name of others: 1,171 in week 18, which is of week 19."""
    table, rows = found.table, frozenset(found.found.rows)
    if table is None or found.found.kind not in ("sum", "average") or len(rows) == len(table.rows):
        return False
    end = found.said.figure.end
    beside = [one for one in scene.names if one.start >= end and _IN.fullmatch(scene.page.text, end, one.start)]
    return any(named and named.isdisjoint(rows) for one in beside if (named := scene.rows(one, table)))


def _is_share_of_other_total(scene: Scene, found: ReckonedFigure) -> bool:
    """Whether a share is one of a column, and the total said behind it is that of another: 45 % of all 1,315 minutes."""
    table, columns = found.table, found.found.columns
    if found.found.kind != "share" or table is None or len(columns) != 1:
        return False
    whole = columns_of_total(scene, table, found.said)
    return whole is not None and columns[0] not in whole


def _once(scene: Scene) -> bool:
    """Whether a sentence compares only once."""
    return len(scene.degrees("comparative")) + len(scene.compared_so()) == 1


_THEN = frozenset({"later", "earlier", "after", "before", "spaeter", "frueher", "nach", "vor", "danach"})


def _said_in_words(scene: Scene) -> Iterator[SaidFigure]:
    """Number words that say by how much one is more, or how long it took: four fewer than, three days later."""
    for one in scene.every_figure:
        unit = one.meaning.unit
        timed = unit is not None and unit.dimension in ("time", "months")
        later = timed and not _THEN.isdisjoint(scene.page.words[one.last + 2 : one.last + 3])
        if one.figure.kind == "word" and one.figure.start not in scene.bound and (later or is_gap(scene, one)):
            yield one


def _open_days(scene: Scene, said: SaidFigure) -> set[str]:
    """The columns of the one row that is spoken of that say a day of which no word says the column."""
    bound = scene.bound.get(said.figure.start)
    if bound is None or bound.provenance.status != "ambiguous":
        return set()
    rows = [
        one for table in scene.page.tables for one in rows_of(said, table, scene.page) if one.how in ("named", "only")
    ]
    return {
        column
        for one in rows
        for row in one.rows[:_MOST_RECKONED]
        for column in one.table.days
        if table_says(one.table, row, column, said.meaning)
    }


_DATE = listed("date datum day tag 日期 日 期")
