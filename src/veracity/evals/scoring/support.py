"""Figures that nothing supports, or of which nobody can tell what they are: a right figure among those is no right answer."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cached_property
from itertools import islice

from veracity.contracts import TableData
from veracity.evals.cases import EvalCase
from veracity.evals.records import Attempt
from veracity.evals.scoring.page import FigureReading, JudgedFigure, JudgedPage, number_of

_MOST_CELLS = 20_000
_MOST_NAMES = 500
_MOST_ROWS = 1_000
_MOST_PAIRED = 120
"""Numbers of which every pair is tried; more would support anything."""
_MOST_ARGUMENTS = 400
_SMALL = 31
_CODE = re.compile(r"\d{4}(?:,\d{4})*")
_ITEM = re.compile(r"[ \t>*|_#-]{0,12}$")
_ITEM_END = re.compile(r"[.):]?[ \t*_]|[.)]")
_LIKE = re.compile(r"['\"]\d{1,8}[%_]")
_ARGUMENT = re.compile(r"(?<![\w.])\d{1,20}(?:\.\d{1,10})?(?![\w.])")
_NO_AMOUNTS = ("id", "number", "year", "month", "date", "code")
"""How names of columns end whose numbers are not computed with."""
_ROUGHLY = re.compile(
    r"(?:rund|etwa|ca\.?|circa|ungefähr|knapp|gut|über|mehr als|fast|about|around|approximately|roughly|nearly|almost|over|more than|~|≈|"
    r"约|大约|近|超过|接近|将近)[\s*]{0,3}(?:[a-z$€£¥.]{1,4}\s?)?$"
)


def is_ordinary(page: JudgedPage, figure: JudgedFigure) -> bool:
    """Whether a figure says nothing of the data: a date, a year, a code, the number of a list item, a small count."""
    if not figure.readings or figure.dates:
        return True
    first = figure.readings[0]
    if figure.percent or figure.currency:
        # A filter may be told, such as accountNumber LIKE '102%'.
        in_pattern = _LIKE.match(page.low, max(0, figure.start - 1)) is not None
        return first.value == 0 or (figure.percent and (first.value == 100 or in_pattern))
    if page.is_dated(figure.start) or (figure.kind == "word" and abs(first.value) <= 100):
        return True
    whole = figure.text.lstrip("+-–")
    small = len(whole) < 4 and first.shown == 0 and abs(first.value) <= _SMALL
    return small or first.value == 0 or _CODE.fullmatch(whole) is not None or _is_item(page, figure)


def _is_item(page: JudgedPage, figure: JudgedFigure) -> bool:
    """Whether a whole number only counts the lines of a list."""
    head = page.text[page.text.rfind("\n", 0, figure.start) + 1 : figure.start]
    is_first = len(head) <= 12 and _ITEM.match(head) is not None
    short = figure.text.isdecimal() and len(figure.text) < 4
    return is_first and short and _ITEM_END.match(page.text, figure.end) is not None


class KnownFigures:
    """Every number that may be said in an answer to a question."""

    def __init__(self, case: EvalCase, attempt: Attempt, question: JudgedPage) -> None:
        self._results = attempt.results
        rows = case.expected_rows or ()
        self.asked = _sorted(reading.value for figure in question.figures for reading in figure.readings)
        self.expected = [value for figure in case.expected_answer_numeric.values() for value in figure.values]
        self.expected += _numbers(cell for row in rows for cell in row)
        cells = [cell for result in attempt.results for row in result.rows for cell in row.values()][:_MOST_CELLS]
        self.names = _names_with_digits([*(cell for row in rows for cell in row), *cells])
        counts = [len(rows), *(call.row_count for call in attempt.calls if call.row_count is not None)]
        counts += [number for result in attempt.results for number in (result.row_count, len(result.rows))]
        self.told = _sorted([*_numbers(counts), *_arguments(attempt), *_numbers(case.expected_answer_contains)])
        self.given = sorted({*_sorted([*self.expected, *_numbers(cells)]), *self.told})

    def has(self, page: JudgedPage, figure: JudgedFigure) -> bool:
        """Whether a figure is one of them, as exactly as it is written."""
        return (
            self.is_asked(figure)
            or self.is_in_name(page, figure)
            or any(
                _near(numbers, reading, allowance)
                for reading in figure.all_readings
                for allowance in (reading.tolerance, _roughness(page, figure, reading))
                for numbers in (self.given, self.derived)
            )
        )

    def is_in_name(self, page: JudgedPage, figure: JudgedFigure) -> bool:
        """Whether it is a part of a name: the 60 of a Trekker 60."""
        places = (place for name in self.names for place in page.places(name))
        return any(start <= figure.start and figure.end <= end for start, end in places)

    def is_told(self, figure: JudgedFigure) -> bool:
        """Whether it is the question's, a number of rows, or what a call was made with: it says itself what it is."""
        return self.is_asked(figure) or any(_near(self.told, reading, Decimal(0)) for reading in figure.readings)

    def is_asked(self, figure: JudgedFigure) -> bool:
        """Whether the question says it."""
        return any(_near(self.asked, reading, Decimal(0)) for reading in figure.readings)

    @cached_property
    def derived(self) -> list[Decimal]:
        """What can be computed from them in one step."""
        return _sorted(_computed(self.expected, self._results))


def unsupported(page: JudgedPage, known: KnownFigures) -> list[JudgedFigure]:
    """The figures of a text that nothing supports."""
    return [figure for figure in page.figures if not is_ordinary(page, figure) and not known.has(page, figure)]


def unlabelled(page: JudgedPage, known: KnownFigures, answers: Iterable[JudgedFigure]) -> list[JudgedFigure]:
    """Supported figures beside the answer of which the text does not say what they are.

    One has a label if its clause, its table row or its list item holds a word, a code or a date; an addend (a + b = c)
    needs none, and neither does the percentage of a change beside its amount (rose: +20 CHF, +4 %).
    """
    own = {figure.start for figure in answers}
    others = (one for one in page.figures if one.start not in own and not is_ordinary(page, one))
    unsaid = (one for one in others if not known.is_told(one) and not known.is_in_name(page, one))
    return [one for one in unsaid if not _has_label(page, one)]


_LETTERS = re.compile(r"[^\W\d_]{2,}|[\u4e00-\u9fff]")
_JOINED = re.compile(r"[+=×*/÷−-]\s*\(?\s*(?:[a-z.]{2,4}\s?)?$")
_JOINS = re.compile(r"\s*(?:[a-z]{3}|fr\.)?\s*\)?\s*[+=×/÷−-](?:\s|\d)")
_CHANGE = re.compile(r"[+−–-]\s?\d[\d'’.,\s]{0,24}(?:[a-z]{3})?\s?[,，(（]\s*$")
"""An amount with its sign, right before what is said beside it."""
_FAR = 300
"""Characters from a figure beyond which nothing is its label."""
_LIST_LINE = re.compile(r"[ \t]*(?:[-*•–]|\d{1,3}[.)])[ \t]")
_SILENT = re.compile(
    r"(?<![a-zäöü])(?:chf|eur|usd|gbp|fr|sfr|franken|euro|und|and|or|oder|also|sowie)(?![a-zäöü])|瑞郎|瑞士法郎|欧元|[和与及]"
)


def _has_label(page: JudgedPage, figure: JudgedFigure) -> bool:
    start, end = figure.start, figure.end
    if _JOINED.search(page.low[max(0, start - 12) : start]) or _JOINS.match(page.low, end):
        return True
    if figure.percent and figure.text[:1] in "+-−–" and _CHANGE.search(page.low[max(0, start - 40) : start]):
        return True
    line = max(page.low.rfind("\n", 0, start) + 1, start - _FAR)
    stop = page.low.find("\n", end, end + _FAR)
    stop = stop if stop >= 0 else min(len(page.low), end + _FAR)
    left, right = page.low[line:start], page.low[end:stop]
    if (left + right).count("|") >= 2:
        return any(cell.strip(" *-:") for cell in (left.rpartition("|")[0] + right.partition("|")[2]).split("|"))
    first, last = (line, stop) if _LIST_LINE.match(left) else page.clause(start, end)
    first, last = max(first, line), min(last, stop)
    around = _SILENT.sub(" ", f"{page.low[first:start]}\0{page.low[end:last]}")
    others = (one for one in page.between(first, last) if one.start != start)
    named = any(one.dates or one.kind == "label" or _CODE.fullmatch(one.text) for one in others)
    return named or _LETTERS.search(around) is not None or page.is_dated(first)


# --- the numbers


def _sorted(values: Iterable[Decimal]) -> list[Decimal]:
    return sorted({abs(value) for value in values if value.is_finite()})


def _names_with_digits(cells: Iterable[object]) -> list[str]:
    texts = dict.fromkeys(cell for cell in cells if isinstance(cell, str))
    named = (text for text in texts if any(map(str.isdigit, text)) and any(map(str.isalpha, text)))
    return list(islice(named, _MOST_NAMES))


def _numbers(cells: Iterable[object]) -> list[Decimal]:
    return [number for cell in cells if (number := number_of(cell)) is not None]


def _arguments(attempt: Attempt) -> Iterator[Decimal]:
    """Numbers that calls were made with: years, codes, limits."""
    for call in attempt.calls[:50]:
        yield from map(Decimal, _ARGUMENT.findall(str(call.arguments)[:4_000])[:_MOST_ARGUMENTS])


def _computed(expected: list[Decimal], results: Iterable[TableData]) -> Iterator[Decimal]:
    """Totals, averages and sums by group, and of every two numbers the sum, the difference and the ratios."""
    base = list(dict.fromkeys([*expected, sum(expected, Decimal(0))]))[:_MOST_PAIRED]
    for result in results:
        amounts = _amounts(result)
        for numbers in amounts.values():
            total = sum(numbers, Decimal(0))
            yield total / len(numbers)
            base += [total, *numbers]
        yield from _group_sums(result, list(amounts)[:6])
    base = list(dict.fromkeys(base))[:_MOST_PAIRED]
    yield from base
    for at, one in enumerate(base):
        for other in base[:at]:
            yield from (one + other, one - other)
            for part, whole in ((one, other), (other, one)):
                if whole:
                    yield from (part / whole, part / whole * 100, part / whole * 100 - 100)


def _amounts(result: TableData) -> dict[str, list[Decimal]]:
    """The numbers of a result by column, without codes and dates."""
    rows, found = result.rows[:_MOST_ROWS], {}
    for name in (column.name for column in result.columns[:60]):
        numbers = _numbers(row.get(name) for row in rows)
        if numbers and len(numbers) * 2 >= len(rows) and not name.lower().endswith(_NO_AMOUNTS):
            found[name] = numbers
    return found


def _group_sums(result: TableData, amounts: list[str]) -> Iterator[Decimal]:
    """Sums of a column by the values of another: per currency, per account, per month."""
    names = [column.name for column in result.columns[:60] if column.name not in amounts]
    for by in names[:8]:
        groups: dict[str, list[int]] = {}
        for at, row in enumerate(result.rows[:_MOST_ROWS]):
            groups.setdefault(str(row.get(by)), []).append(at)
        if 1 < len(groups) <= 40:
            for name in amounts:
                yield from (
                    sum(_numbers(result.rows[at].get(name) for at in rows), Decimal(0)) for rows in groups.values()
                )


def _near(numbers: list[Decimal], reading: FigureReading, allowance: Decimal) -> bool:
    value = abs(reading.value)
    if reading.digits < 2:
        allowance = Decimal(0)
    at = bisect_left(numbers, value - allowance)
    return at < len(numbers) and numbers[at] <= value + allowance


def _roughness(page: JudgedPage, figure: JudgedFigure, reading: FigureReading) -> Decimal:
    """How far off a figure may be that is said to be rough: half of its last digit that is not 0."""
    if not _ROUGHLY.search(page.low[max(0, figure.start - 24) : figure.start]):
        return reading.tolerance
    exponent = reading.value.normalize().as_tuple().exponent
    # "more than 150,000" for 152,400 is a digit coarser than what it shows.
    return max(reading.tolerance, Decimal(10).scaleb(exponent)) if isinstance(exponent, int) else reading.tolerance
