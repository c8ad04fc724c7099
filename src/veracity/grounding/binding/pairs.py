"""Two figures that are said together: scores (113 - 107), records (32-18), ratios (13-of-24), from 5 to 7."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from veracity.grounding.binding.agree import Meant, agrees
from veracity.grounding.binding.around import Around
from veracity.grounding.binding.columns import columns_of_pair
from veracity.grounding.binding.index import Place, Table
from veracity.grounding.binding.outcome import Outcome, at, missed
from veracity.grounding.binding.page import Said
from veracity.grounding.binding.subjects import row_of, rows_of
from veracity.ontology.descriptor import FieldRole

_JOINT = re.compile(
    r"\s{0,2}(?:-|–|—|:|/|-\s?(?:of|for)\s?-|of|for|von|aus|zu|to|bis|auf|out of|比|至|到)\s{0,2}", re.IGNORECASE
)
_MOST_COLUMNS = 60
_MOST_ROWS = 50


@dataclass(frozen=True, slots=True)
class _Guess:
    """Two cells that a pair may mean."""

    first: Place
    second: Place
    told: bool
    """Whether words say which cells these are, and not only their values."""


def joined(one: Said, other: Said, around: Around) -> bool:
    """Whether two figures that follow each other are said as one pair."""
    gap = around.page.text[one.figure.end : other.figure.start]
    plain = one.figure.readings and other.figure.readings and not one.figure.percent
    return bool(plain) and len(gap) <= 12 and _JOINT.fullmatch(gap) is not None


def in_pair(one: Said, other: Said, first: Meant, second: Meant, around: Around) -> tuple[Outcome, Outcome] | None:
    """The two cells that a pair says: of two columns, of two rows, or of neighbouring columns of the row before it."""
    best: tuple[bool, bool, int] = (False, False, 0)
    found: list[_Guess] = []
    for guess in _guesses(one, other, first, second, around):
        right = _right(guess.first, first, around) + _right(guess.second, second, around)
        score = (right == 2, guess.told, right)
        if score > best or not found:
            best, found = score, [guess]
        elif score == best:
            found.append(guess)
        if right == 2:
            break
    if not found or not (best[2] or best[1]) or (not any(best[:2]) and len(found) > 1):
        return None
    guess = found[0]
    return _outcome(guess.first, first, around), _outcome(guess.second, second, around)


def _right(place: Place, meant: Meant, around: Around) -> bool:
    table = around.page.index.tables[place.table]
    return agrees(meant, table.cell(place.row, place.column), table.columns[place.column])


def _outcome(place: Place, meant: Meant, around: Around) -> Outcome:
    return at(place) if _right(place, meant, around) else missed(place)


def _guesses(one: Said, other: Said, first: Meant, second: Meant, around: Around) -> Iterator[_Guess]:
    told = columns_of_pair(one, other, around)
    record = list(_of_neighbours(one, first, second, around))
    enclosed = around.page.text[max(0, one.figure.start - 2) : one.figure.start].strip() in ("(", "（")
    if record and enclosed and not told:
        yield from record
        return
    for refs in told or [()]:
        for table in around.tables:
            columns = [ref.column for ref in refs if ref.table == table.number and _counts(table, ref.column)]
            if len(columns) > 1:
                rows = [found.rows[0] for found in rows_of(one, table, around) if len(found.rows) == 1]
                for row in rows:
                    yield _Guess(Place(table.number, row, columns[0]), Place(table.number, row, columns[1]), told=True)
            elif columns or not refs:
                yield from _of_two_rows(table, one, around, columns)
    yield from record


def _counts(table: Table, column: str) -> bool:
    return column in table.columns and table.columns[column].role is not FieldRole.RATE


def _of_two_rows(table: Table, one: Said, around: Around, columns: Sequence[str]) -> Iterator[_Guess]:
    """A score: the same column of the two rows that were named last."""
    rows = _last_two(table, one, around)
    if rows is None:
        return
    for column in columns or table.figures[:_MOST_COLUMNS]:
        places = [Place(table.number, row, column) for row in rows]
        yield _Guess(places[0], places[1], told=bool(columns))


def _last_two(table: Table, one: Said, around: Around) -> tuple[int, int] | None:
    """The rows that the last two different names before a figure stand for, else the first two behind it."""
    before, behind = list[int](), list[int]()
    for mention in around.page.names_near(one):
        row = row_of(mention, table)
        rows = before if mention.last < one.first else behind
        if row is not None and not mention.excluded and rows[-1:] != [row]:
            rows.append(row)
    if len(before) > 1:
        return before[-2], before[-1]
    both = [*before, *behind]
    if len(both) == 1 and len(table.rows) == 2:
        both.append(1 - both[0])
    return (both[0], both[1]) if len(both) == 2 and both[0] != both[1] else None


def _of_neighbours(one: Said, first: Meant, second: Meant, around: Around) -> Iterator[_Guess]:
    """A record in brackets behind a name: two columns of its row that stand side by side."""
    page = around.page
    for mention in reversed(page.names_near(one)):
        gap = page.text[mention.end : one.figure.start]
        if mention.end > one.figure.start or len(gap) > 6 or gap.strip(" (（"):
            continue
        for table in around.tables:
            row = row_of(mention, table)
            if row is not None:
                yield from _side_by_side(table, row, first, second)
        return


def _side_by_side(table: Table, row: int, first: Meant, second: Meant) -> Iterator[_Guess]:
    """Neighbouring columns of a row; where another row has this very pair, the words mean its columns."""
    columns = [column for column in table.figures if table.columns[column].role is not FieldRole.RATE][:_MOST_COLUMNS]
    for left, right in pairwise(columns):
        others = (
            agrees(first, table.cell(other, left), table.columns[left])
            and agrees(second, table.cell(other, right), table.columns[right])
            for other in range(min(len(table.rows), _MOST_ROWS))
            if other != row
        )
        yield _Guess(Place(table.number, row, left), Place(table.number, row, right), told=any(others))
