"""Figures that two columns of one row come to, where the words say how: parts added up, one per another, what is left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import permutations

from veracity.answer.values import arg_of, number_of
from veracity.grounding.binding.answer_page import AnswerPage, SaidFigure
from veracity.grounding.binding.figure_meaning import (
    BindingOutcome,
)
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.named_rows import rows_of
from veracity.grounding.binding.tables import Table
from veracity.language.folding import words_in
from veracity.language.nearest import words_of
from veracity.language.numbers import written
from veracity.language.stem import noun_root
from veracity.language.units import unit_called

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
    near = [(mention, plain_columns(mention, table)) for mention in page.near(said, page.measures)]
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
        inner = plain_columns(mention, table)
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
        column for mention in page.measures.among(line.first, line.last) for column in plain_columns(mention, table)
    ]
    for above, below in permutations(dict.fromkeys(near), 2):
        one, two = number_of(table.rows[row][above]), number_of(table.rows[row][below])
        if one is not None and two is not None and one >= two:
            yield [above, below], one - two


def _per_noun(said: SaidFigure, table: Table, row: int, page: AnswerPage) -> Iterator[tuple[list[str], Decimal]]:
    """One column for each of what another counts: paid per claim, pro Schaden."""
    near = [(mention, plain_columns(mention, table)) for mention in page.near(said, page.measures)]
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


def plain_columns(mention: NameMention, table: Table) -> list[str]:
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
