"""Expected rows in an answer: every one said in the text, or held by a result of which the text shows a part.

The values of a row stand together: in a line, or between its name and the next row's name. Names of columns do not count.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal

from veracity.contracts import Cell, TableData, clip
from veracity.evals.scoring.page import JudgedPage, Span, number_of

Row = tuple[object, ...]
_MOST_SHOWN = 20
"""More rows than these need not all be written out."""
_LONG = 4_000
_PARTLY = re.compile(
    r"ersten?\b|auszug|weitere|unter anderem|u\. ?a\.|beispiel|\bfirst\b|showing|excerpt|\bmore\b|including|such as|for example|\betc\b|usw|\.\.\.|…|"
    r"前\s?\d|部分|例如|等"
)
_TOTAL = re.compile(r"total|summe|gesamt|insgesamt|saldo|zusammen|sum\b|overall|count|anzahl|合计|总计|共计|总|小计")
_LIST_LINE = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[-*•–]|\d{1,4}[.)]|\|)\s?(?P<rest>.*)")
_RULE = re.compile(r"[\s|:=-]*")
_NONE = re.compile(
    r"(?<![a-zäöü])(?:kein\w*|nichts|no|none|not any|nothing|zero|null|leer|empty)(?![a-zäöü])|没有|无|零|空"
)
_YES = re.compile(r"(?<![a-z])(?:true|yes|ja|wahr|aktiv|active)(?![a-z])|是|✓|✔")
_NO = re.compile(r"(?<![a-z])(?:false|no|nein|falsch|inaktiv|inactive|nicht|not)(?![a-z])|否|✗|✘")


def says_none(low: str) -> bool:
    """Whether a text says that there is nothing of the kind."""
    return _NONE.search(low) is not None


def problem_with_rows(
    page: JudgedPage, expected: Sequence[Row], results: Sequence[TableData], question: JudgedPage
) -> str | None:
    """Why a text does not say exactly the expected rows, in any order; None where it does."""
    if not expected:
        return None if says_none(page.low) else "does not say that there are none"
    missing = _missing(page, expected)
    if not missing:
        return _extra_name(page, expected, results, question) or _extra_line(page, expected)
    if _shows_a_part(page, expected) and any(_same_rows(result, expected) for result in results):
        number = Decimal(len(expected))
        told = any(page.says(figure, number) for figure in page.figures)
        return None if told else f"shows a part of {len(expected)} rows without saying their number"
    row = " | ".join("-" if value is None else str(value) for value in missing[0])
    return f"does not say the row {clip(row, 80)}"


# --- in the text


def _missing(page: JudgedPage, expected: Sequence[Row]) -> list[Row]:
    """The rows that the text does not say; each place of the text says one."""
    at = _name_column(expected)
    wanted = list(dict.fromkeys(expected))
    names = [page.places(row[at]) if at < len(row) else [] for row in wanted]
    starts = sorted({start for spans in names for start, _ in spans})
    best = wanted
    for around in (_line_of, _sentence_of, _after_name, _before_name):
        missing = [
            row
            for row, spans in zip(wanted, names, strict=True)
            if not any(_holds(page, around(page, span, starts), row) for span in spans)
        ]
        if not missing:
            return [
                row for row, number in Counter(expected).items() if number > 1 and not _repeated(page, row, at, number)
            ]
        best = min(best, missing, key=len)
    return best


def _repeated(page: JudgedPage, row: Row, at: int, number: int) -> bool:
    return len(page.places(row[at])) >= number


def _name_column(expected: Sequence[Row]) -> int:
    """The column that tells rows apart best, a text before a number."""
    width = min(len(row) for row in expected)

    def worth(at: int) -> tuple[int, bool, int]:
        values = [row[at] for row in expected]
        spoken = all(isinstance(value, str) for value in values)
        return len(set(map(str, values))), spoken, -at

    return max(range(width), key=worth, default=0)


def _line_of(page: JudgedPage, span: Span, starts: list[int]) -> Span:
    """The line, where it names one row only; else just the name."""
    first = page.text.rfind("\n", 0, span[0]) + 1
    last = page.text.find("\n", span[1])
    last = last if last >= 0 else len(page.text)
    return (first, last) if _count(starts, first, last) <= 1 else span


def _sentence_of(page: JudgedPage, span: Span, starts: list[int]) -> Span:
    """The sentence, where it names one row only; else just the name."""
    edges = page.sentence_ends
    number = bisect_right(edges, span[0])
    first = edges[number - 1] if number else 0
    last = edges[number] if number < len(edges) else len(page.text)
    return (first, last) if _count(starts, first, last) <= 1 else span


def _count(starts: list[int], first: int, last: int) -> int:
    """How many names start in a part of the text; `starts` are in order."""
    return bisect_left(starts, last) - bisect_left(starts, first)


def _after_name(page: JudgedPage, span: Span, starts: list[int]) -> Span:
    place = bisect_left(starts, span[1])
    return span[0], starts[place] if place < len(starts) else len(page.text)


def _before_name(page: JudgedPage, span: Span, starts: list[int]) -> Span:
    line, place = page.text.rfind("\n", 0, span[0]) + 1, bisect_left(starts, span[0])
    return max(line, starts[place - 1] + 1 if place else 0), span[1]


def _holds(page: JudgedPage, around: Span, row: Row) -> bool:
    return all(_value_in(page, around, value) for value in row)


def _value_in(page: JudgedPage, around: Span, value: object) -> bool:
    first, last = around
    if value is None:
        return True
    if isinstance(value, bool):
        own, other = (_YES, _NO) if value else (_NO, _YES)
        piece = page.low[first:last]
        return own.search(piece) is not None or other.search(piece) is None
    places = page.places(value)
    if any(first <= start and end <= last for start, end in places):
        return True
    # A year or a month that holds for all is said once, above the rows.
    return _is_period(value) and bool(places)


def _is_period(value: object) -> bool:
    number = number_of(value)
    return number is not None and number == number.to_integral_value() and (0 <= number <= 12 or 1900 <= number <= 2100)


# --- too many


def _extra_name(
    page: JudgedPage, expected: Sequence[Row], results: Sequence[TableData], question: JudgedPage
) -> str | None:
    """A name out of the column that the expected names are from."""
    at = _name_column(expected)
    names = {str(row[at]) for row in expected if isinstance(row[at], str)}
    if len(names) < len(expected):
        return None
    said = {str(value).casefold() for row in expected for value in row}
    for cell in _beside(results, names):
        if cell.casefold() not in said and page.tokens(cell) and not question.tokens(cell):
            return f"lists {clip(cell, 60)}, which is not among the expected rows"
    return None


def _beside(results: Sequence[TableData], names: set[str]) -> Iterator[str]:
    """The other values of a column that holds all the names."""
    for result in results:
        for column in result.columns[:60]:
            values = {str(row.get(column.name)) for row in result.rows if row.get(column.name) is not None}
            if names < values:
                yield from sorted(value for value in values - names if len(value) > 2)


def _extra_line(page: JudgedPage, expected: Sequence[Row]) -> str | None:
    """A line of the same list that says none of the rows."""
    at = _name_column(expected)
    if len(expected) < 2:
        return None
    starts = sorted({start for row in expected for start, _ in page.places(row[at])})
    lines = list(_list_lines(page))
    kinds = {kind for kind, first, last, _ in lines if any(first <= start < last for start in starts)}
    if len(kinds) != 1:
        return None
    ours = [line for line in lines if line[0] in kinds]
    named = [any(first <= start < last for start in starts) for _, first, last, _ in ours]
    # What stands above the first row is the head of a table, and what has the total is no row.
    for (_, _, _, rest), is_row in list(zip(ours, named, strict=True))[named.index(True) :]:
        if not is_row and not _RULE.fullmatch(rest) and not _TOTAL.search(rest.lower()):
            return f"lists {clip(rest.strip(' |'), 60)}, which is not among the expected rows"
    return None


def _list_lines(page: JudgedPage) -> Iterator[tuple[tuple[str, str], int, int, str]]:
    start = 0
    for line in page.text.splitlines(keepends=True):
        if match := _LIST_LINE.match(line):
            mark = "1" if match["mark"][0].isdecimal() else match["mark"]
            yield (match["indent"], mark), start, start + len(line), match["rest"]
        start += len(line)


# --- in a result


def _shows_a_part(page: JudgedPage, expected: Sequence[Row]) -> bool:
    return len(expected) > _MOST_SHOWN or len(page.text) > _LONG or _PARTLY.search(page.low) is not None


def _same_rows(result: TableData, expected: Sequence[Row]) -> bool:
    """Whether the rows of a result, in some of its columns, are exactly the expected ones."""
    if result.truncated or result.row_count != len(expected) or len(result.rows) != len(expected):
        return False
    width = len(expected[0])
    if any(len(row) != width for row in expected):
        return False
    wanted = [tuple(_compared(value) for value in row) for row in expected]
    columns = {column.name: [_compared(row.get(column.name)) for row in result.rows] for column in result.columns[:60]}
    choices = [
        [name for name, cells in columns.items() if Counter(cells) == Counter(row[at] for row in wanted)]
        for at in range(width)
    ]
    return any(
        Counter(zip(*(columns[name] for name in chosen), strict=True)) == Counter(wanted) for chosen in _chosen(choices)
    )


def _chosen(choices: list[list[str]], most: int = 200) -> Iterator[tuple[str, ...]]:
    """Ways to pick a column for each value of a row, a bounded number of them."""
    from itertools import islice, product

    yield from (picked for picked in islice(product(*choices), most) if len(set(picked)) == len(picked))


def _compared(value: Cell | object) -> object:
    """A value as it is compared: numbers as numbers, days as days, texts folded."""
    if isinstance(value, bool) or value is None:
        return value
    number = number_of(value)
    if number is not None:
        return number.normalize()
    return " ".join(str(value).casefold().split())
