"""Which row a figure of a text stands with: 1020: 152'400 and 1021: 28'100 is not 1020: 28'100 and 1021: 152'400.

A table cell belongs to the one row name in its line, else to the one at the head of its column. In a sentence, names and figures
that come in turns (1020: a, 1021: b; a for 1020, b for 1021) or in two equal groups (1020 and 1021 have a and b) belong together
in that order. Anything else belongs to the name in its clause, else to the last name before it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise

from veracity.evals.scoring.page import Page, Said, Span

Mark = tuple[int, str | None]
"""A place, and the name that stands there; None for a figure."""


Places = list[tuple[int, str]]


def owners(
    page: Page, names: Mapping[str, Sequence[Span]], figures: Sequence[Said], *, lasting: bool = True
) -> dict[int, str | None]:
    """By the place of each figure, the name it stands with; None where there is no telling.

    A lasting name holds for the lines below it that name no other.
    """
    places = sorted((start, name) for name, spans in names.items() for start, _ in spans)
    taken = {start for start, _ in places}
    own = sorted((figure for figure in figures if figure.start not in taken), key=lambda figure: figure.start)
    starts = [figure.start for figure in own]
    heads: dict[int, str] = {}
    found: dict[int, str | None] = {}
    for line in _lines(page.text):
        here = _between(places, *line)
        marks = own[bisect_left(starts, line[0]) : bisect_left(starts, line[1])]
        columns = _columns(page.text, line)
        if len(columns) < 2:
            heads = {}
            found |= _in_line(page, line, here, places if lasting else here, marks) if marks else {}
            continue
        in_columns = {bisect_left(columns, at): name for at, name in here}
        for figure in marks:
            column = bisect_left(columns, figure.start)
            alone = len(set(in_columns.values())) == 1
            found[figure.start] = here[0][1] if alone else in_columns.get(column) or heads.get(column)
        heads |= in_columns
    return found


def _between(places: Places, first: int, last: int) -> Places:
    return places[bisect_left(places, (first, "")) : bisect_left(places, (last, ""))]


def _lines(text: str) -> list[Span]:
    spans, start = [], 0
    for line in text.splitlines(keepends=True):
        spans.append((start, start + len(line)))
        start += len(line)
    return spans


def _columns(text: str, line: Span) -> list[int]:
    """Where the bars of a table's line are."""
    return [at for at in range(*line) if text[at] == "|"]


def _in_line(page: Page, line: Span, here: Places, places: Places, figures: list[Said]) -> dict[int, str | None]:
    if len({name for _, name in here}) == 1:
        return {figure.start: here[0][1] for figure in figures}
    turns = _in_turns(here, figures)
    if turns or not here:
        return turns or {figure.start: _before(places, figure.start) for figure in figures}
    starts = [figure.start for figure in figures]
    found: dict[int, str | None] = {}
    for first, last in _sentences(page, line):
        named = _between(here, first, last)
        said = figures[bisect_left(starts, first) : bisect_left(starts, last)]
        found |= _in_turns(named, said) or {one.start: _in_clause(page, named, places, one) for one in said}
    return found


def _sentences(page: Page, line: Span) -> list[Span]:
    edges = page.sentence_edges
    inside = edges[bisect_right(edges, line[0]) : bisect_right(edges, line[1] - 1)]
    return list(pairwise((line[0], *inside, line[1])))


def _before(places: Places, at: int) -> str | None:
    """The last name before a place."""
    number = bisect_left(places, (at, "")) - 1
    return places[number][1] if number >= 0 else None


def _in_turns(here: Places, figures: list[Said]) -> dict[int, str | None]:
    """Names and figures that come in turns or in two equal groups; empty where they come otherwise."""
    marks: list[Mark] = sorted([*here, *((figure.start, None) for figure in figures)], key=lambda mark: mark[0])
    marks = [next(group) for _, group in groupby(marks, key=lambda mark: mark[1] or mark[0])]
    names = [name for _, name in marks if name is not None]
    places = [at for at, name in marks if name is None]
    kinds = [name is None for _, name in marks]
    half = len(marks) // 2
    in_turns = all(one != other for one, other in pairwise(kinds))
    in_groups = len(set(kinds[:half])) == len(set(kinds[half:])) == 1 and kinds[0] != kinds[-1]
    if len(names) != len(places) or len(set(names)) != len(names) or not (in_turns or in_groups):
        return {}
    return dict(zip(places, names, strict=True))


def _in_clause(page: Page, here: Places, places: Places, figure: Said) -> str | None:
    inside = _between(here, *page.clause(figure.start, figure.end))
    if not inside:
        return _before(places, figure.start) or (here[0][1] if here else None)
    number = bisect_left(inside, (figure.start, ""))
    # A name in brackets right after a figure is its own: 300 (2024).
    behind = page.text[figure.end : inside[number][0]] if number < len(inside) else ""
    if len(behind) < 12 and behind.strip(" CHFEUR.*").startswith(("(", "（", "[")):
        return inside[number][1]
    return inside[number - 1][1] if number else inside[0][1]
