"""Figures that are not one cell: scores and ratios, numbers of rows, and what is said of a whole column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from veracity.answer.expression import Cells, Function, Selection, evaluate, quoted
from veracity.answer.render import shown
from veracity.answer.results import ColumnFacts, comparable
from veracity.answer.values import Arg, Value
from veracity.grounding.binding.agreement import BindingOutcome, Meant, agrees, at, missed
from veracity.grounding.binding.cues import AVERAGE, BETWEEN, COUNTABLES, HIGHEST, LOWEST, TOTAL, may_say_whole
from veracity.grounding.binding.index import CellPlace, ColumnRef, NameRef, Table
from veracity.grounding.binding.neighbours import Around
from veracity.grounding.binding.page import SaidFigure
from veracity.grounding.binding.row_and_column import columns_of, columns_of_pair, row_of, rows_of
from veracity.language.numbers import written
from veracity.ontology.descriptor import FieldRole

_JOINT = re.compile(
    r"\s{0,2}(?:-|–|—|:|/|-\s?(?:of|for)\s?-|of|for|von|aus|zu|to|bis|auf|out of|比|至|到)\s{0,2}", re.IGNORECASE
)
_MOST_COLUMNS = 60
_MOST_ROWS = 50


@dataclass(frozen=True, slots=True)
class _Guess:
    """Two cells that a pair may mean."""

    first: CellPlace
    second: CellPlace
    told: bool
    """Whether words say which cells these are, and not only their values."""


def joined(one: SaidFigure, other: SaidFigure, around: Around) -> bool:
    """Whether two figures that follow each other are said as one pair."""
    gap = around.page.text[one.figure.end : other.figure.start]
    plain = one.figure.readings and other.figure.readings and not one.figure.percent
    return bool(plain) and len(gap) <= 12 and _JOINT.fullmatch(gap) is not None


def in_pair(
    one: SaidFigure, other: SaidFigure, first: Meant, second: Meant, around: Around
) -> tuple[BindingOutcome, BindingOutcome] | None:
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


def _right(place: CellPlace, meant: Meant, around: Around) -> bool:
    table = around.page.index.tables[place.table]
    return agrees(meant, table.cell(place.row, place.column), table.columns[place.column])


def _outcome(place: CellPlace, meant: Meant, around: Around) -> BindingOutcome:
    return at(place) if _right(place, meant, around) else missed(place)


def _guesses(one: SaidFigure, other: SaidFigure, first: Meant, second: Meant, around: Around) -> Iterator[_Guess]:
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
                    yield _Guess(
                        CellPlace(table.number, row, columns[0]), CellPlace(table.number, row, columns[1]), told=True
                    )
            elif columns or not refs:
                yield from _of_two_rows(table, one, around, columns)
    yield from record


def _counts(table: Table, column: str) -> bool:
    return column in table.columns and table.columns[column].role is not FieldRole.RATE


def _of_two_rows(table: Table, one: SaidFigure, around: Around, columns: Sequence[str]) -> Iterator[_Guess]:
    """A score: the same column of the two rows that were named last."""
    rows = _last_two(table, one, around)
    if rows is None:
        return
    for column in columns or table.figures[:_MOST_COLUMNS]:
        places = [CellPlace(table.number, row, column) for row in rows]
        yield _Guess(places[0], places[1], told=bool(columns))


def _last_two(table: Table, one: SaidFigure, around: Around) -> tuple[int, int] | None:
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


def _of_neighbours(one: SaidFigure, first: Meant, second: Meant, around: Around) -> Iterator[_Guess]:
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
        yield _Guess(CellPlace(table.number, row, left), CellPlace(table.number, row, right), told=any(others))


# --- numbers of rows in prose: 5 users, three regions, 3 customers in Bern, 共3个


def counted(said: SaidFigure, meant: Meant, around: Around) -> BindingOutcome | None:
    """The number of rows, or of different names, that a figure before their noun says."""
    figure = meant.figure
    if not figure.readings or figure.percent or figure.scale != 1 or figure.decimals[0]:
        return None
    noun = around.page.noun_of(figure)
    if noun is not None:
        return _of_noun([ref for ref in noun.columns if not around.measured((ref,))], said, meant, around)
    if around.is_strange(said) or _is_countable(said, around):
        return _of_rows(said, meant, around)
    return None


def _is_countable(said: SaidFigure, around: Around) -> bool:
    """Whether a word for rows of any table follows: 12 rows, 共3个."""
    page, at = around.page, around.page.tokens.at(said.figure.end)
    return at < len(page.words) and page.words[at] in COUNTABLES


def _of_noun(refs: Sequence[ColumnRef], said: SaidFigure, meant: Meant, around: Around) -> BindingOutcome | None:
    """Rows, or the different values of the column that the noun names."""
    nearest: int | None = None
    for ref in refs:
        table = around.page.index.tables[ref.table]
        if not table.whole:
            continue
        rows, named = _selected(table, said, around, ref.column)
        numbers = [("*", len(rows))]
        if ref.column in table.values:
            cells = (table.rows[row][ref.column] for row in rows)
            numbers.append((ref.column, len({comparable(cell) for cell in cells if cell is not None})))
            numbers.append((ref.column, _listed(table, ref.column, said, around)))
        for column, number in numbers:
            if number and _is(meant, number):
                return _counted(table, named, column, number)
        nearest = dict(numbers[:2]).get(ref.column, len(rows)) if nearest is None else nearest
    return missed(str(nearest)) if nearest is not None else None


def _is(meant: Meant, number: int) -> bool:
    return agrees(meant, Decimal(number), ColumnFacts())


def _of_rows(said: SaidFigure, meant: Meant, around: Around) -> BindingOutcome | None:
    """The number of rows of the one result that has so many, where no row of it is the subject."""
    found: list[BindingOutcome] = []
    for table in around.tables:
        rows, named = _selected(table, said, around)
        if table.whole and not meant.compares and _is(meant, len(rows)) and (len(rows) > 1 or not named):
            found.append(_counted(table, named, "*", len(rows)))
    return found[0] if len(found) == 1 else None


def _selected(table: Table, said: SaidFigure, around: Around, noun: str = "") -> tuple[Sequence[int], list[NameRef]]:
    """The rows that the names of the sentence leave, and those names; names of what is counted leave all."""
    groups: dict[str, list[NameRef]] = {}
    for mention in around.page.names_near(said):
        if mention.first > said.last and around.page.segment(mention) != around.page.segment(said):
            break
        for ref in mention.names:
            if ref.table == table.number and not mention.excluded and ref.column != noun:
                groups.setdefault(ref.column, []).append(ref)
    rows: Sequence[int] = range(len(table.rows))
    used: list[NameRef] = []
    for refs in groups.values():
        among = {row for ref in refs for row in table.named(ref.column, ref.value)}
        left = [row for row in rows if row in among]
        if left:
            rows, used = left, [*used, *refs]
    return rows, used


def _listed(table: Table, column: str, said: SaidFigure, around: Around) -> int:
    """How many different names of a column the sentence says."""
    return len(
        {
            ref
            for m in around.page.names_near(said)
            for ref in m.names
            if (ref.table, ref.column) == (table.number, column)
        }
    )


def _counted(table: Table, named: Sequence[NameRef], column: str, number: int) -> BindingOutcome:
    name = table.result.data.result_id
    conditions = ", ".join(f"{quoted(ref.column)}='{ref.value}'" for ref in named if "'" not in ref.value)
    expression = f"count({quoted(name)}{f'[{conditions}]' if conditions else ''})" if column == "*" else None
    arg = Arg(result=name, row_key={ref.column: ref.value for ref in named}, column=column, raw=number)
    return BindingOutcome("bound", kind="derived", value=str(number), expression=expression, args=(arg,))


# --- what words say of a whole column: its highest, lowest, total or average value, or the range from one to another


_FUNCTIONS = (("max", HIGHEST), ("min", LOWEST), ("sum", TOTAL), ("avg", AVERAGE))
_MOST_STATED_ROWS = 200_000


def stated(said: SaidFigure, meant: Meant, around: Around) -> BindingOutcome | None:
    """The highest, lowest, total or average value of the column that a sentence names."""
    words = around.page.words
    if not may_say_whole(words[max(0, said.first - 10) : said.first] + words[said.last + 1 : said.last + 6]):
        return None
    before = around.page.tokens.before(said.first, 60)
    after = around.page.tokens.after(said.figure.end, 30)
    found = [(match.start(), function) for function, cue in _FUNCTIONS for match in cue.finditer(before)]
    if found:
        return _compared(max(found)[1], said, meant, around)
    behind = [function for function, cue in _FUNCTIONS if function != "sum" and cue.search(after)]
    return _compared(behind[0], said, meant, around) if behind else None


def in_range(
    one: SaidFigure, other: SaidFigure, first: Meant, second: Meant, around: Around
) -> tuple[BindingOutcome, BindingOutcome] | None:
    """From the lowest to the highest value of a column: between 3 and 5, von 10 bis 15."""
    if not BETWEEN.search(around.page.tokens.before(one.first, 24)):
        return None
    low, high = _compared("min", other, first, around), _compared("max", other, second, around)
    return (low, high) if low is not None and high is not None and low.status == high.status == "bound" else None


def _compared(function: str, said: SaidFigure, meant: Meant, around: Around) -> BindingOutcome | None:
    nearest: str | None = None
    for table, column, named in _columns(said, around):
        value = _value(function, table, column, named, around)
        if value is None or not isinstance(value.value, Decimal):
            continue
        if agrees(meant, value.value, table.columns[column]):
            expression = f"{function}({_selection(table, named)}.{quoted(column)})"
            return BindingOutcome(
                "bound", kind="derived", value=written(value.value), expression=expression, args=value.args
            )
        nearest = nearest or shown(value, around.page.locale)
    return missed(nearest) if nearest is not None else None


def _columns(said: SaidFigure, around: Around) -> Iterator[tuple[Table, str, list[NameRef]]]:
    """The columns that are told, with the names that choose among the rows."""
    for ref in columns_of(said, around).refs:
        table = around.page.index.tables[ref.table]
        if ref.column in table.figures and len(table.rows) <= _MOST_STATED_ROWS:
            named = [name for name in _groups(table, said, around) if name.column in table.columns]
            yield table, ref.column, named


def _groups(table: Table, said: SaidFigure, around: Around) -> list[NameRef]:
    """Names of the sentence that stand for several rows of a table."""
    found: dict[str, NameRef] = {}
    for mention in around.page.names_near(said):
        for ref in mention.names:
            if ref.table == table.number and not mention.excluded and len(table.named(ref.column, ref.value)) > 1:
                found.setdefault(ref.column, ref)
    return list(found.values())


def _value(function: str, table: Table, column: str, named: Sequence[NameRef], around: Around) -> Value | None:
    key = (function, table.number, column, *named)
    if key not in around.computed:
        conditions = tuple((ref.column, ref.value) for ref in named)
        cells = Cells(Selection(table.result.data.result_id, conditions), column)
        value = evaluate(Function(function, (cells,)), around.page.index.results)
        around.computed[key] = value if isinstance(value, Value) else None
    return around.computed[key]


def _selection(table: Table, named: Sequence[NameRef | ColumnRef]) -> str:
    conditions = ", ".join(f"{quoted(ref.column)}='{ref.value}'" for ref in named if isinstance(ref, NameRef))
    return f"{quoted(table.result.data.result_id)}{f'[{conditions}]' if conditions else ''}"
