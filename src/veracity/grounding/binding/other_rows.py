"""Figures that are all of one other row: then the name beside them is wrong, and not each of them.

`Basel has 820 sqm, a staff of 14 and opened in 2011`, all of which Zurich has: no figure is to be corrected. Two rows whose
figures are exchanged (A beat B 2:3) are the same case. What stands in brackets right behind a name is said of that name, and what
the text says of the other row, too, was copied: there the figures are wrong. Figures of rows that are left out are of the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from veracity.grounding.binding.answer_page import AnswerPage, SaidFigure
from veracity.grounding.binding.cue_words import FUNCTION
from veracity.grounding.binding.figure_meaning import BindingOutcome, bound_to, table_says
from veracity.grounding.binding.results_index import CellPlace

_FEWEST = 2
"""So many figures that are wrong here are hardly those of another row by chance."""
_AMONG_MANY = 3
"""And so many figures in all, where there are more than two rows."""
_MOST_ROWS = 5_000
_RIGHT_BEHIND = 3

_Told = tuple[SaidFigure, CellPlace, bool]
"""A figure, the cell that it is said to be, and whether it is that."""


def of_other_rows(page: AnswerPage, outcomes: Mapping[int, BindingOutcome]) -> dict[int, BindingOutcome]:
    """The figures whose name is wrong, by where they start, each without a value to write in its place."""
    found: dict[int, BindingOutcome] = {}
    if sum(outcome.status == "unbound" for outcome in outcomes.values()) < _FEWEST:
        return found
    told = {outcome.place for outcome in outcomes.values() if outcome.status == "bound" and outcome.place is not None}
    for group in _groups(page, outcomes):
        wrong = [said for said, _place, right in group if not right]
        if len(wrong) >= _FEWEST and (row := _owner(group, page, told)) is not None:
            hint = f"The figures beside it are those of {_called(page, row)}."
            found |= {said.figure.start: BindingOutcome("unbound", "other row or column", hint=hint) for said in wrong}
    return found


def of_left_out(said: SaidFigure, page: AnswerPage) -> BindingOutcome | None:
    """A figure of the rest, where the only names before it are left out; right behind such a name it is that one's own."""
    near = [mention for mention in page.names_near(said) if mention.last < said.first]
    if not near or not all(mention.excluded for mention in near):
        return None
    name = near[-1]
    own = all(word in FUNCTION for word in page.words[name.last + 1 : said.first])
    for ref in name.names if own and said.first - name.last <= _RIGHT_BEHIND else ():
        table, rows = page.tables[ref.table], page.index.rows(ref)
        told = [
            CellPlace(ref.table, row, column)
            for row in rows[:2]
            for column in table.figures
            if table_says(table, row, column, said.meaning)
        ]
        if len(rows) == len(told) == 1:
            return bound_to(told[0])
    return BindingOutcome("unbound", "excluded")


def _groups(page: AnswerPage, outcomes: Mapping[int, BindingOutcome]) -> Iterator[list[_Told]]:
    """The figures that are said of one row in one go, up to the next name; and pairs of figures of two rows."""
    groups: dict[tuple[int, int, int, int], list[_Told]] = {}
    told: list[_Told] = []
    for said in page.said:
        outcome = outcomes[said.figure.start]
        place = outcome.place if outcome.status == "bound" else outcome.nearest
        if outcome.status != "ambiguous" and isinstance(place, CellPlace) and not _in_brackets(said, page):
            told.append((said, place, outcome.status == "bound"))
            names = [name.first for name in page.names_near(said) if name.last < said.first]
            groups.setdefault((said.line, names[-1] if names else -1, place.table, place.row), []).append(told[-1])
    yield from groups.values()
    for one, other in pairwise(told):
        side_by_side = one[0].number + 1 == other[0].number and one[0].line == other[0].line
        same = one[1].table == other[1].table and one[1].column == other[1].column
        if side_by_side and same and one[1].row != other[1].row:
            yield [one, other]


def _in_brackets(said: SaidFigure, page: AnswerPage) -> bool:
    """Whether a figure stands in brackets right behind a name, or is the second one there: Basel (570 sqm), Lions (3 - 1)."""
    line = page.lines[said.line]
    open_ = max(page.text.rfind(sign, line.start, said.figure.start) for sign in "(（")
    if open_ < 0 or any(sign in page.text[open_ : said.figure.start] for sign in ")）"):
        return False
    return any(not page.text[name.end : open_].strip() for name in page.names_near(said) if name.end <= open_)


def _owner(group: Sequence[_Told], page: AnswerPage, told: Collection[CellPlace]) -> CellPlace | None:
    """A cell of the one row that all these figures are of; for a pair of two rows, of the second, where each is of the other."""
    table = page.tables[group[0][1].table]
    rows = [place.row for _said, place, _right in group]
    if len(set(rows)) > 1:
        turned = zip(group, reversed(rows), strict=True)
        exchanged = all(table_says(table, row, place.column, said.meaning) for (said, place, _), row in turned)
        return group[1][1] if exchanged else None
    others = [
        row
        for row in range(min(len(table.rows), _MOST_ROWS))
        if row != rows[0] and all(table_says(table, row, place.column, said.meaning) for said, place, _ in group)
    ]
    if len(others) != 1 or (len(table.rows) > 2 and len(group) < _AMONG_MANY):
        return None
    own = [place._replace(row=others[0]) for _said, place, _right in group]
    return None if all(place in told for place in own) else own[0]


def _called(page: AnswerPage, place: CellPlace) -> str:
    """What the row of a cell is called."""
    table = page.tables[place.table]
    return next((str(table.rows[place.row][column]) for column in (*table.result.key, *table.values)), "another row")
