"""Figures that are not one cell: scores and ratios, numbers of rows, and what is said of a whole column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise, permutations
from typing import NamedTuple

from veracity.answer.expression import Cells, Function, Selection, evaluate, quoted
from veracity.answer.render import shown
from veracity.answer.results import ColumnFacts, comparable
from veracity.answer.values import Arg, Value, arg_of, number_of
from veracity.grounding.binding.answer_page import AnswerPage, SaidFigure
from veracity.grounding.binding.cue_words import (
    AVERAGE,
    BETWEEN,
    COUNTABLES,
    HIGHEST,
    LOWEST,
    MARGINS,
    TOTAL,
    may_say_whole,
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
from veracity.grounding.binding.named_columns import columns_of, columns_of_pair
from veracity.grounding.binding.named_rows import row_of, rows_of
from veracity.grounding.binding.results_index import CellPlace, ColumnRef, NameRef
from veracity.grounding.binding.tables import Table
from veracity.language.folding import words_in
from veracity.language.nearest import words_of
from veracity.language.numbers import written
from veracity.language.stem import noun_root
from veracity.language.units import unit_called
from veracity.ontology.descriptor import FieldRole

_JOINT = re.compile(
    r"\s{0,2}(?:-|–|—|:|/|-\s?(?:of|for)\s?-|of|for|von|aus|zu|to|bis|auf|out of|of the|of its|of their|von den|der|比|至|到)\s{0,2}",
    re.IGNORECASE,
)
_MOST_COLUMNS = 60
_DOZEN = 12
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


_PER = re.compile(r"\s*(?:pro|per|je|/|a)\s*(?P<unit>[A-Za-zäöüÄÖÜ²³]{1,12})")


def of_columns(said: SaidFigure, page: AnswerPage) -> BindingOutcome | None:
    """What two columns of one row come to: parts added up (24 pupils), or one per unit of another (6.8 tonnes per hectare)."""
    for table in page.tables:
        rows = next((found.rows for found in rows_of(said, table, page) if found.how in ("named", "only")), ())
        if len(rows) != 1:
            continue
        for columns, value in _reckoned(said, table, rows[0], page):
            if _says(said, value):
                args = tuple(arg_of(table.result, rows[0], column) for column in columns)
                return BindingOutcome("bound", kind="derived", value=written(value), args=args)
    return None


def _reckoned(said: SaidFigure, table: Table, row: int, page: AnswerPage) -> Iterator[tuple[list[str], Decimal]]:
    if said.figure.percent:
        yield from _part_of_column(said, table, row, page)
    else:
        yield from _added_parts(said, table, row, page)
        yield from _per_unit(said, table, row, page)
        yield from _per_noun(said, table, row, page)
        yield from _net(said, table, row, page)
        yield from _against_period(said, table, row, page)
        yield from _up_from(said, table, row, page)
        yield from _including(said, table, row, page)


_OF_COLUMN = re.compile(
    r"\s*(?:%|percent|prozent)?\s*(?:of|der|des|von|vom)\s+(?:the |its |all |total |dem |den )*$", re.IGNORECASE
)


def _without_names(said: SaidFigure, mention: NameMention, page: AnswerPage) -> str:
    """What stands between a figure and a word for a column, without the names of rows: 58 % of [Axion's] filings."""
    text, start = "", said.figure.end
    for name in page.names.within(said.figure.end, mention.start):
        text, start = text + page.text[start : name.start], name.end
    return (text + page.text[start : mention.start]).replace("'s ", "").replace("’s ", "")


_RATE = re.compile(r"(?<![a-z])(?:\w*rate|ratio|\w*quote|share|anteil)(?![a-z])|率", re.IGNORECASE)


def _part_of_column(said: SaidFigure, table: Table, row: int, page: AnswerPage) -> Iterator[tuple[list[str], Decimal]]:
    """One column in percent of another: scrap was 2.0 % of output; the click-through rate, of clicks and impressions."""
    near = [(mention, _plain_columns(mention, table)) for mention in page.near(said, page.measures)]
    wholes = [
        column
        for mention, columns in near
        if mention.first > said.last and _OF_COLUMN.fullmatch(_without_names(said, mention, page))
        for column in columns
    ]
    parts = [column for mention, columns in near for column in columns if column not in wholes]
    line = page.lines[said.line]
    if not wholes and _RATE.search(page.text, line.start, line.end):
        wholes = [column for column in table.figures if table.columns[column].numeric and column not in table.rates]
    for part in dict.fromkeys(parts):
        for whole in wholes:
            one, two = number_of(table.rows[row][part]), number_of(table.rows[row][whole])
            if one is not None and two and part != whole and one <= two:
                yield [part, whole], one / two * 100


_INCLUDED = re.compile(
    r"(?<![a-z])(?:inklusive|inkl\.?|einschliesslich|including|incl\.?|plus|with|mit|samt)\s*(?:the |der |den )?$"
)


def _including(said: SaidFigure, table: Table, row: int, page: AnswerPage) -> Iterator[tuple[list[str], Decimal]]:
    """A column with another one that is said to be included: inklusive Nebenkosten 2'360."""
    for mention in page.near(said, page.measures):
        inner = _plain_columns(mention, table)
        if len(inner) != 1 or not _INCLUDED.search(page.tokens.before(mention.first, 24)):
            continue
        facts = table.columns[inner[0]]
        alike = (c for c in table.figures if c != inner[0] and table.columns[c].unit == facts.unit and facts.unit)
        for other in alike:
            one, two = number_of(table.rows[row][inner[0]]), number_of(table.rows[row][other])
            if one is not None and two is not None:
                yield [other, inner[0]], one + two


_LED_FROM = re.compile(r"(?<![a-z])(?P<way>up|down) from\s*(?:a |chf |eur |usd |[$€£] ?)?$")


def _up_from(said: SaidFigure, table: Table, row: int, page: AnswerPage) -> Iterator[tuple[list[str], Decimal]]:
    """The same measure at an earlier time: 97,350 in the third quarter, up from 58,900."""
    led = _LED_FROM.search(page.tokens.before(said.first, 24))
    before = page.previous(said)
    for family in page.index.families.get(table.number, {}).values() if led is not None and before is not None else ():
        values = [number_of(table.rows[row][column]) for column in family]
        now = next(
            (
                at
                for at, value in enumerate(values)
                if before is not None and value is not None and _says(before, value)
            ),
            None,
        )
        if now:
            one, two = values[now - 1], values[now]
            if one is not None and two is not None and led is not None and (two > one) == (led["way"] == "up"):
                yield [family[now - 1]], one


def _says(said: SaidFigure, value: Decimal) -> bool:
    return any(low <= value <= high for low, high in said.meaning.spans)


_VERSUS = re.compile(
    r"(?<![a-z])(?:vs\.?|versus|compared (?:to|with)|gegenueber|im vergleich (?:zu|zum)|than in)\s*(?:in |im )?$|[比较]$"
)


def _against_period(said: SaidFigure, table: Table, row: int, page: AnswerPage) -> Iterator[tuple[list[str], Decimal]]:
    """One time of a measure against another that is named: +425 kWh vs. May, in a list of June."""
    line = page.lines[said.line]
    told = [one for one in page.measures.among(line.first, line.last) if page.is_period(one)]
    other = next((one for one in told if _VERSUS.search(page.tokens.before(one.first, 30))), None)
    own = next(
        (
            one
            for one in (*told, *reversed(page.carried(said, page.measures)))
            if one is not other and page.is_period(one)
        ),
        None,
    )
    for family in page.index.families.get(table.number, {}).values() if other is not None and own is not None else ():
        first, second = (
            next((ref.column for ref in mention.columns if ref.table == table.number and ref.column in family), None)
            for mention in (own, other)
            if mention is not None
        )
        one, two = (number_of(table.rows[row][column]) if column else None for column in (first, second))
        if one is not None and two is not None and first and second:
            yield [first, second], one - two


_NET = re.compile(r"(?<![a-z])(?:net|netto|on balance|unter dem strich|per saldo)(?![a-z])|净", re.IGNORECASE)


def _net(said: SaidFigure, table: Table, row: int, page: AnswerPage) -> Iterator[tuple[list[str], Decimal]]:
    """One column without another, both of which the sentence says: 34 members net (86 new, 52 cancelled)."""
    line = page.lines[said.line]
    if not _NET.search(page.text, line.start, line.end):
        return
    near = [
        column for mention in page.measures.among(line.first, line.last) for column in _plain_columns(mention, table)
    ]
    for above, below in permutations(dict.fromkeys(near), 2):
        one, two = number_of(table.rows[row][above]), number_of(table.rows[row][below])
        if one is not None and two is not None and one >= two:
            yield [above, below], one - two


def _per_noun(said: SaidFigure, table: Table, row: int, page: AnswerPage) -> Iterator[tuple[list[str], Decimal]]:
    """One column for each of what another counts: paid per claim, pro Schaden."""
    near = [(mention, _plain_columns(mention, table)) for mention in page.near(said, page.measures)]
    each = [columns[0] for mention, columns in near if columns and _EACH.search(page.tokens.before(mention.first, 10))]
    sign = _EACH_SIGN.search(page.text, page.lines[said.line].start, said.figure.start)
    plain = (column for column in table.figures if table.columns[column].numeric and column not in table.rates)
    each += [column for column in plain if sign is not None and column.startswith(sign[1])]
    for above in dict.fromkeys(column for _mention, columns in near for column in columns if column not in each):
        for below in each:
            one, two = number_of(table.rows[row][above]), number_of(table.rows[row][below])
            if one is not None and two:
                yield [above, below], one / two
                yield [above, below], one * table.columns[above].multiple / two


_EACH_SIGN = re.compile(r"每([\u3400-\u9fff])")
_EACH = re.compile(r"(?<![a-z])(?:pro|per|je|for each|each|every|jede[rs]?)\s*$|每[个名位家件次]?$")


def _plain_columns(mention: NameMention, table: Table) -> list[str]:
    """The columns of numbers that a word says, without shares."""
    told = (ref.column for ref in mention.columns if ref.table == table.number and ref.column in table.figures)
    return [column for column in told if table.columns[column].numeric and column not in table.rates]


def _added_parts(said: SaidFigure, table: Table, row: int, page: AnswerPage) -> Iterator[tuple[list[str], Decimal]]:
    """The columns inside one object, whose name is the noun of a figure: pupils.girls and pupils.boys."""
    behind = page.tokens.at(said.figure.end)
    root = page.tokens.roots[behind] if behind < len(page.words) else ""
    inner = [column for column in table.figures if "." in column and table.columns[column].numeric]
    for parent in dict.fromkeys(column.rpartition(".")[0] for column in inner):
        parts = [column for column in inner if column.rpartition(".")[0] == parent]
        values = [number for column in parts if (number := number_of(table.rows[row][column])) is not None]
        alike = not {"total", "all", "sum", "gesamt"} & {column.rpartition(".")[2] for column in parts}
        if root and root == noun_root(words_in(words_of(parent))[-1]) and len(values) > 1 and alike:
            yield parts, sum(values, Decimal(0))


def _per_unit(said: SaidFigure, table: Table, row: int, page: AnswerPage) -> Iterator[tuple[list[str], Decimal]]:
    """One column over another, by the two units: 6.8 tonnes per hectare."""
    unit = said.meaning.unit
    end = (
        said.figure.end + len(page.words[said.last + 1]) + 1
        if unit is not None and said.last + 1 < len(page.words)
        else 0
    )
    found = _PER.match(page.text, end) if end else None
    other = unit_called(found["unit"]) if found is not None else None
    for above in table.of_dimension.get(unit.dimension, ()) if unit is not None and other is not None else ():
        for below in table.of_dimension.get(other.dimension, ()) if other is not None else ():
            one, two = number_of(table.rows[row][above]), number_of(table.rows[row][below])
            if one is not None and two:
                yield [above, below], one / two


# --- numbers of rows in prose: 5 users, three regions, 3 customers in Bern, 共3个


def counted(said: SaidFigure, page: AnswerPage) -> BindingOutcome | None:
    """The number of rows, or of different names, that a figure before their noun says."""
    figure = said.figure
    if not figure.readings or figure.percent or figure.scale not in (1, _DOZEN) or figure.decimals[0]:
        return None
    noun, behind = page.noun_of(figure), page.tokens.at(figure.end)
    if noun is not None:
        return _count_of_noun([ref for ref in noun.columns if not page.measured((ref,))], said, page)
    # A noun that is none of ours and no unit, or a word for rows of any table: 12 rows, 共3个.
    if (page.has_strange_noun(said) and said.meaning.unit is None) or (
        behind < len(page.words) and page.words[behind] in COUNTABLES
    ):
        return _count_of_rows(said, page)
    return None


def _count_of_noun(refs: Sequence[ColumnRef], said: SaidFigure, page: AnswerPage) -> BindingOutcome | None:
    """Rows, or the different values of the column that the noun names."""
    nearest: int | None = None
    for ref in refs:
        table = page.tables[ref.table]
        if not table.whole:
            continue
        rows, named = _selected(table, said, page, ref.column)
        numbers = [("*", len(rows))]
        if ref.column in table.values:
            cells = (table.rows[row][ref.column] for row in rows)
            numbers.append((ref.column, len({comparable(cell) for cell in cells if cell is not None})))
            names = (name for mention in page.names_near(said) for name in mention.names)
            listed = {name for name in names if (name.table, name.column) == (table.number, ref.column)}
            numbers.append((ref.column, len(listed)))
        for column, number in numbers:
            if number and _is_number(said, number):
                return _counted(table, named, column, number)
        nearest = dict(numbers[:2]).get(ref.column, len(rows)) if nearest is None else nearest
    return unbound(str(nearest)) if nearest is not None else None


def _is_number(said: SaidFigure, number: int) -> bool:
    return cell_says(Decimal(number), said.meaning, ColumnFacts())


def _count_of_rows(said: SaidFigure, page: AnswerPage) -> BindingOutcome | None:
    """The number of rows of the one result that has so many, where no row of it is the subject."""
    found: list[BindingOutcome] = []
    for table in page.tables:
        rows, named = _selected(table, said, page)
        if table.whole and not said.meaning.compares and _is_number(said, len(rows)) and (len(rows) > 1 or not named):
            found.append(_counted(table, named, "*", len(rows)))
    return found[0] if len(found) == 1 else None


def _selected(table: Table, said: SaidFigure, page: AnswerPage, noun: str = "") -> tuple[Sequence[int], list[NameRef]]:
    """The rows that the names of the sentence leave, and those names; names of what is counted leave all."""
    groups: dict[str, list[NameRef]] = {}
    for mention in page.names_near(said):
        if mention.first > said.last and page.segment(mention) != page.segment(said):
            break
        for ref in mention.names:
            if ref.table == table.number and not mention.excluded and ref.column != noun:
                groups.setdefault(ref.column, []).append(ref)
    rows: Sequence[int] = range(len(table.rows))
    used: list[NameRef] = []
    for refs in groups.values():
        among = {row for ref in refs for row in table.rows_named(ref.column, ref.value)}
        left = [row for row in rows if row in among]
        if left:
            rows, used = left, [*used, *refs]
    return rows, used


def _counted(table: Table, named: Sequence[NameRef], column: str, number: int) -> BindingOutcome:
    chosen = _selection(table, [ref for ref in named if "'" not in ref.value])
    row_key = {ref.column: ref.value for ref in named}
    arg = Arg(result=table.result.data.result_id, row_key=row_key, column=column, raw=number)
    expression = f"count({chosen})" if column == "*" else None
    return BindingOutcome("bound", kind="derived", value=str(number), expression=expression, args=(arg,))


# --- what words say of a whole column: its highest, lowest, total or average value, or the range from one to another


_FUNCTIONS = (("max", HIGHEST), ("min", LOWEST), ("sum", TOTAL), ("avg", AVERAGE))
_MOST_STATED_ROWS = 200_000


def stated(said: SaidFigure, page: AnswerPage) -> BindingOutcome | None:
    """The highest, lowest, total or average value of the column that a sentence names."""
    words = page.words
    if not may_say_whole(words[max(0, said.first - 10) : said.first] + words[said.last + 1 : said.last + 6]):
        return None
    before, after = page.tokens.before(said.first, 60), page.tokens.after(said.figure.end, 30)
    found = [(match.start(), function) for function, cue in _FUNCTIONS for match in cue.finditer(before)]
    behind = [function for function, cue in _FUNCTIONS if function != "sum" and cue.search(after)]
    function = max(found)[1] if found else behind[0] if behind else None
    return _of_column(function, said, said.meaning, page) if function is not None else None


def in_range(one: SaidFigure, other: SaidFigure, page: AnswerPage) -> tuple[BindingOutcome, BindingOutcome] | None:
    """From the lowest to the highest value of a column: between 3 and 5, von 10 bis 15."""
    if not BETWEEN.search(page.tokens.before(one.first, 24)):
        return None
    low, high = _of_column("min", other, one.meaning, page), _of_column("max", other, other.meaning, page)
    return (low, high) if low is not None and high is not None and low.status == high.status == "bound" else None


def _of_column(function: str, said: SaidFigure, meaning: FigureMeaning, page: AnswerPage) -> BindingOutcome | None:
    """What a function comes to over the column that is told, in the rows that the names of the sentence choose."""
    nearest: str | None = None
    for ref in columns_of(said, page).refs:
        table, column = page.tables[ref.table], ref.column
        if column not in table.figures or len(table.rows) > _MOST_STATED_ROWS:
            continue
        named = [name for name in _names_of_several(table, said, page) if name.column in table.columns]
        value = _computed(function, table, column, named, page)
        if value is None or not isinstance(value.value, Decimal):
            continue
        if cell_says(value.value, meaning, table.columns[column]):
            expression = f"{function}({_selection(table, named)}.{quoted(column)})"
            return BindingOutcome(
                "bound", kind="derived", value=written(value.value), expression=expression, args=value.args
            )
        nearest = nearest or shown(value, page.locale)
    return unbound(nearest) if nearest is not None else None


def _names_of_several(table: Table, said: SaidFigure, page: AnswerPage) -> list[NameRef]:
    """Names of the sentence that stand for several rows of a table."""
    found: dict[str, NameRef] = {}
    for mention in page.names_near(said):
        for ref in mention.names:
            if ref.table == table.number and not mention.excluded and len(table.rows_named(ref.column, ref.value)) > 1:
                found.setdefault(ref.column, ref)
    return list(found.values())


def _computed(function: str, table: Table, column: str, named: Sequence[NameRef], page: AnswerPage) -> Value | None:
    key = (function, table.number, column, *named)
    if key not in page.computed:
        conditions = tuple((ref.column, ref.value) for ref in named)
        cells = Cells(Selection(table.result.data.result_id, conditions), column)
        value = evaluate(Function(function, (cells,)), page.index.results)
        page.computed[key] = value if isinstance(value, Value) else None
    return page.computed[key]


def _selection(table: Table, named: Sequence[NameRef]) -> str:
    """The rows of these names as an expression selects them."""
    conditions = ", ".join(f"{quoted(ref.column)}='{ref.value}'" for ref in named)
    return f"{quoted(table.result.data.result_id)}{f'[{conditions}]' if conditions else ''}"
