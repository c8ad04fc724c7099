"""Two figures that are said as one: scores, parts of a whole, from one day to another, and by how much one row is ahead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, permutations
from typing import NamedTuple

from veracity.answer.values import arg_of, number_of
from veracity.grounding.binding.answer_page import AnswerPage, SaidFigure
from veracity.grounding.binding.cue_words import (
    MARGINS,
)
from veracity.grounding.binding.figure_meaning import (
    BindingOutcome,
    FigureMeaning,
    bound_to,
    cell_says,
    significant_digits,
    table_says,
    unbound,
)
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.named_columns import columns_of_pair
from veracity.grounding.binding.named_rows import row_of, rows_of
from veracity.grounding.binding.results_index import CellPlace
from veracity.grounding.binding.tables import Table
from veracity.language.numbers import written
from veracity.ontology.fields import FieldRole

_JOINT = re.compile(
    r"\s{0,2}(?:-|–|—|:|/|-\s?(?:of|for)\s?-|of|for|von|aus|zu|to|bis|auf|out of|of the|of its|of their|von den|der|比|至|到)\s{0,2}",
    re.IGNORECASE,
)
_MOST_COLUMNS = 60
_FEW_COLUMNS = 6
_TELLING = 3
_MOST_ROWS = 50


class _Guess(NamedTuple):
    """Two cells that a pair may mean."""

    first: CellPlace
    second: CellPlace
    told: bool
    """Whether words say which cells these are, and not only their values."""


def joined(one: SaidFigure, other: SaidFigure, page: AnswerPage) -> bool:
    """Whether two figures that follow each other are said as one pair."""
    gap = page.text[one.figure.end : other.figure.start]
    plain = one.figure.readings and other.figure.readings and not one.figure.percent
    return bool(plain) and len(gap) <= 12 and _JOINT.fullmatch(gap) is not None


def in_pair(one: SaidFigure, other: SaidFigure, page: AnswerPage) -> tuple[BindingOutcome, BindingOutcome] | None:
    """The two cells that a pair says: of two columns, of two rows, or of neighbouring columns of the row before it."""
    best: tuple[bool, bool, int] = (False, False, 0)
    found: list[_Guess] = []
    for guess in _guesses(one, other, page):
        right = _is_right(guess.first, one, page) + _is_right(guess.second, other, page)
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
    return _outcome(guess.first, one, page), _outcome(guess.second, other, page)


def _is_right(place: CellPlace, said: SaidFigure, page: AnswerPage) -> bool:
    return table_says(page.tables[place.table], place.row, place.column, said.meaning)


def _outcome(place: CellPlace, said: SaidFigure, page: AnswerPage) -> BindingOutcome:
    return bound_to(place) if _is_right(place, said, page) else unbound(place)


def _guesses(one: SaidFigure, other: SaidFigure, page: AnswerPage) -> Iterator[_Guess]:
    told = columns_of_pair(one, other, page)
    record = list(_of_neighbours(one, other, page))
    enclosed = page.text[max(0, one.figure.start - 2) : one.figure.start].strip() in ("(", "（")
    if enclosed and not told:
        yield from _of_said_columns(one, page)
    if record and enclosed and not told:
        yield from record
        return
    for refs in told or [()]:
        for table in page.tables:
            among = [column for column in table.columns if table.columns[column].role is not FieldRole.RATE]
            columns = [ref.column for ref in refs if ref.table == table.number and ref.column in among]
            if len(columns) == 1 and columns[0] in table.texts:
                yield from _of_one_text(table, columns[0], one, page)
            if len(columns) == 1:
                columns += _measured_of_pair(table, columns[0], other, page)
            said = [ref.column for ref in refs if ref.table == table.number and ref.column in table.figures]
            if len(said) == 1 and _AGAINST.fullmatch(page.text, one.figure.end, other.figure.start):
                yield from _of_other_column(table, said[0], one, other, page)
            if len(columns) > 1:
                for row in (found.rows[0] for found in rows_of(one, table, page) if len(found.rows) == 1):
                    places = [
                        CellPlace(table.number, row, column) for column in table.parts_first(columns[0], columns[1])
                    ]
                    yield _Guess(places[0], places[1], told=True)
                    if len(table.rows) == 1:
                        yield _Guess(places[1], places[0], told=True)
            elif columns or not refs:
                yield from _of_two_rows(table, one, page, columns)
    yield from record
    if not told:
        yield from _of_part_and_whole(one, other, page)


_AGAINST = re.compile(r"\s*%?\s*(?:zu|to|against|gegen|gegenueber|gegenüber|比)\s*", re.IGNORECASE)


def _of_other_column(
    table: Table, column: str, one: SaidFigure, other: SaidFigure, page: AnswerPage
) -> Iterator[_Guess]:
    """The noes lead with 49 to 44: the other is another column of the same row, where only one says it."""
    for row in (found.rows[0] for found in rows_of(one, table, page) if len(found.rows) == 1):
        says = [name for name in table.figures if name != column and table_says(table, row, name, other.meaning)]
        if len(says) == 1:
            yield _Guess(CellPlace(table.number, row, column), CellPlace(table.number, row, says[0]), told=False)


def _of_part_and_whole(one: SaidFigure, other: SaidFigure, page: AnswerPage) -> Iterator[_Guess]:
    """7 of 12, of the row that is named: a column that exceeds another one in no row, where only one pair says both figures."""
    for table in page.tables:
        columns = [column for column in table.figures if table.columns[column].numeric and column not in table.rates]
        rows = [found.rows[0] for found in rows_of(one, table, page) if len(found.rows) == 1 and found.how == "named"]
        for row in rows[:1] if len(columns) <= _FEW_COLUMNS and len(table.rows) >= _TELLING else ():
            pairs = [
                (part, whole)
                for part, whole in permutations(columns, 2)
                if table_says(table, row, part, one.meaning)
                and table_says(table, row, whole, other.meaning)
                and table.is_part(part, whole)
            ]
            for part, whole in pairs if len(pairs) == 1 else ():
                yield _Guess(CellPlace(table.number, row, part), CellPlace(table.number, row, whole), told=False)


def _of_said_columns(one: SaidFigure, page: AnswerPage) -> Iterator[_Guess]:
    """A pair in brackets behind two words for columns, of the row that is named: filings were granted (811 of 1,402)."""
    line = page.lines[one.line]
    for table in page.tables:
        said = page.measures.among(line.first, one.first)
        columns = list(dict.fromkeys(column for mention in said for column in _plain_columns(mention, table)))
        rows = [found.rows[0] for found in rows_of(one, table, page) if len(found.rows) == 1 and found.how == "named"]
        if not columns and significant_digits(one.figure) >= _TELLING:
            columns = [column for column in table.figures if table.columns[column].numeric]
        for row in rows if len(columns) <= _FEW_COLUMNS else ():
            for first, second in permutations(columns, 2):
                yield _Guess(CellPlace(table.number, row, first), CellPlace(table.number, row, second), told=False)


def _of_one_text(table: Table, column: str, one: SaidFigure, page: AnswerPage) -> Iterator[_Guess]:
    """Both figures in one cell: 22 of 24, of 22/24."""
    for row in (found.rows[0] for found in rows_of(one, table, page) if len(found.rows) == 1):
        place = CellPlace(table.number, row, column)
        yield _Guess(place, place, told=True)


_FROM = re.compile(r"(?<![a-z])(?:from|between|vom|von|zwischen)\s*$|从$|自$")
_TO_DAY = re.compile(
    r"\s*(?:to|until|till|through|and|bis|bis zum|bis am|und(?: dem)?|–|-|至|到)\s*(?:the\s*|dem\s*)?", re.IGNORECASE
)


def from_day_to_day(
    one: SaidFigure, other: SaidFigure, page: AnswerPage
) -> tuple[BindingOutcome, BindingOutcome] | None:
    """From one day to another, which are two columns of one row: vom 1. März 2024 bis zum 28. Februar 2029."""
    days = one.figure.kind == other.figure.kind == "date"
    if not days or not _TO_DAY.fullmatch(page.text, one.figure.end, other.figure.start):
        return None
    if not _FROM.search(page.tokens.before(one.first, 16)):
        return None
    for table in page.tables:
        for row in (found.rows[0] for found in rows_of(one, table, page) if len(found.rows) == 1):
            first, last = (
                [column for column in table.days if table_says(table, row, column, said.meaning)]
                for said in (one, other)
            )
            if len(first) == len(last) == 1 and first != last:
                places = (CellPlace(table.number, row, column) for column in (first[0], last[0]))
                return bound_to(next(places)), bound_to(next(places))
    return None


def _measured_of_pair(table: Table, whole: str, other: SaidFigure, page: AnswerPage) -> list[str]:
    """The column that the words behind the noun of a pair say: 13 of the 14 beds [were in use]."""
    noun = page.noun_of(other.figure)
    for mention in page.near(other, page.measures) if noun is not None else ():
        if noun is not None and mention.first > noun.last and page.segment(mention) == page.segment(other):
            told = [ref.column for ref in mention.columns if ref.table == table.number and ref.column in table.figures]
            return [column for column in told if column != whole][:1]
    return []


def _of_two_rows(table: Table, one: SaidFigure, page: AnswerPage, columns: Sequence[str]) -> Iterator[_Guess]:
    """A score: the same column of the two rows that were named last."""
    rows = _last_two_rows(table, one, page)
    if rows is None:
        return
    for column in columns or table.figures[:_MOST_COLUMNS]:
        places = [CellPlace(table.number, row, column) for row in rows]
        yield _Guess(places[0], places[1], told=bool(columns))


def _last_two_rows(table: Table, one: SaidFigure, page: AnswerPage) -> tuple[int, int] | None:
    """The rows that the last two different names before a figure stand for, else the first two behind it."""
    before, behind = list[int](), list[int]()
    for mention in page.names_near(one):
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


def _of_neighbours(one: SaidFigure, other: SaidFigure, page: AnswerPage) -> Iterator[_Guess]:
    """A record in brackets behind a name: two columns of its row that stand side by side."""
    for mention in reversed(page.names_near(one)):
        gap = page.text[mention.end : one.figure.start]
        if mention.end > one.figure.start or len(gap) > 6 or gap.strip(" (（"):
            continue
        for table in page.tables:
            row = row_of(mention, table)
            if row is not None and table.record is not None:
                yield from _side_by_side(table, row, table.record, one.meaning, other.meaning)
            elif row is not None:
                plain = [column for column in table.figures if column not in table.rates]
                yield from _side_by_side(table, row, plain[:_MOST_COLUMNS], one.meaning, other.meaning)
        return


def _side_by_side(
    table: Table, row: int, columns: Sequence[str], first: FigureMeaning, second: FigureMeaning
) -> Iterator[_Guess]:
    """Neighbouring columns of a row; where another row has this very pair, the words mean its columns."""
    others = [number for number in range(min(len(table.rows), _MOST_ROWS)) if number != row]
    for left, right in pairwise(columns):
        elsewhere = any(
            table_says(table, other, left, first) and table_says(table, other, right, second) for other in others
        )
        yield _Guess(CellPlace(table.number, row, left), CellPlace(table.number, row, right), told=elsewhere)


def by_margin(said: SaidFigure, page: AnswerPage) -> BindingOutcome | None:
    """By how much one row is ahead of another: a 30-point victory over the Magic."""
    noun = page.noun_of(said.figure)
    if noun is None or noun.last + 1 >= len(page.words) or page.words[noun.last + 1] not in MARGINS:
        return None
    for ref in page.measured(noun.columns):
        table = page.tables[ref.table]
        rows = _last_two_rows(table, said, page)
        values = [number_of(table.rows[row][ref.column]) for row in rows] if rows is not None else []
        if len(values) == 2 and values[0] is not None and values[1] is not None:
            apart = abs(values[0] - values[1])
            if cell_says(apart, said.meaning, table.columns[ref.column]):
                args = tuple(arg_of(table.result, row, ref.column) for row in rows or ())
                return BindingOutcome("bound", kind="derived", value=written(apart), args=args)
    return None


def _plain_columns(mention: NameMention, table: Table) -> list[str]:
    """The columns of numbers that a word says, without shares."""
    told = (ref.column for ref in mention.columns if ref.table == table.number and ref.column in table.figures)
    return [column for column in told if table.columns[column].numeric and column not in table.rates]
