"""Figures that nothing supports: a right figure among made-up ones is not a right answer.

A figure is supported when it is expected, in the question, in a call, a cell of a result, or computed from those: a sum or an
average of a column, a sum, a difference, a share or a change of two figures. Years, dates, account codes, list numbers and small
counts are ordinary speech. So are zero and a hundred per cent.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from decimal import Decimal

from veracity.evals.cases import Case
from veracity.evals.records import Attempt
from veracity.evals.scoring.page import Page, Reading, Said, number_of
from veracity.trace import TableData

_MOST_CELLS = 20_000
_MOST_PAIRED = 120
"""Numbers of which every pair is tried; more would support anything."""
_MOST_ARGUMENTS = 400
_SMALL = 31
_CODE = re.compile(r"\d{4}(?:,\d{4})*")
_ITEM = re.compile(r"[ \t>*|_#-]{0,12}$")
_ITEM_END = re.compile(r"[.):]?[ \t*_]|[.)]")
_LIKE = re.compile(r"['\"]\d{1,8}[%_]")
_ROUGHLY = re.compile(
    r"(?:rund|etwa|ca\.?|circa|ungefähr|knapp|gut|über|mehr als|fast|about|around|approximately|roughly|nearly|almost|over|more than|~|≈|"
    r"约|大约|近|超过|接近|将近)[\s*]{0,3}(?:[a-z$€£¥.]{1,4}\s?)?$"
)


def is_ordinary(page: Page, figure: Said) -> bool:
    """Whether a figure says nothing of the data: a date, a year, a code, the number of a list item, a small count."""
    if not figure.readings or figure.dates:
        return True
    if figure.percent or figure.currency:
        first = figure.readings[0].value
        return first == 0 or (figure.percent and (first == 100 or _in_pattern(page, figure)))
    if page.is_dated(figure.start):
        return True
    if figure.kind == "word" and abs(figure.readings[0].value) <= 100:
        return True
    whole = figure.text.lstrip("+-–")
    small = whole.isdigit() and int(whole) <= _SMALL if len(whole) < 4 else False
    return small or _CODE.fullmatch(whole) is not None or _is_item(page, figure) or figure.readings[0].value == 0


def _in_pattern(page: Page, figure: Said) -> bool:
    """A filter that is told, such as accountNumber LIKE '102%'."""
    return _LIKE.match(page.low, max(0, figure.start - 1)) is not None


def _is_item(page: Page, figure: Said) -> bool:
    """Whether a whole number only counts the lines of a list."""
    line = page.text.rfind("\n", 0, figure.start) + 1
    head = page.text[line : figure.start]
    starts = len(head) <= 12 and _ITEM.match(head) is not None
    return (
        starts and figure.text.isdigit() and len(figure.text) < 4 and _ITEM_END.match(page.text, figure.end) is not None
    )


class Known:
    """Every number that may be said in an answer to a question."""

    def __init__(self, case: Case, attempt: Attempt) -> None:
        self.case, self.attempt = case, attempt
        question = Page(case.question, attempt.locale)
        self.asked = _sorted(reading.value for figure in question.figures for reading in figure.readings)
        self.expected = [figure.value for figure in case.expected_answer_numeric.values()]
        self.expected += [
            number for row in case.expected_rows or () for cell in row if (number := number_of(cell)) is not None
        ]
        self.cells = list(_cells(attempt.results))
        self.told = _sorted([*_counts(case, attempt), *_arguments(attempt), *_named(case)])
        self.given = sorted({*_sorted([*self.expected, *self.cells]), *self.told})
        self._derived: list[Decimal] | None = None

    def has(self, page: Page, figure: Said) -> bool:
        """Whether a figure is one of them, as exactly as it is written."""
        return self.is_asked(figure) or any(
            _near(self.given, reading, allowance) or _near(self.derived, reading, allowance)
            for reading in figure.readings
            for allowance in (reading.tolerance, _roughness(page, figure, reading))
        )

    def is_told(self, figure: Said) -> bool:
        """Whether it is the question's, a number of rows, or what a call was made with: it says itself what it is."""
        return self.is_asked(figure) or any(_near(self.told, reading, Decimal(0)) for reading in figure.readings)

    def is_asked(self, figure: Said) -> bool:
        """Whether the question says it."""
        return any(_near(self.asked, reading, Decimal(0)) for reading in figure.readings)

    @property
    def derived(self) -> list[Decimal]:
        """What can be computed from them in one step; made when it is first needed."""
        if self._derived is None:
            self._derived = _sorted(_computed(self.expected, self.attempt.results))
        return self._derived


def unsupported(page: Page, known: Known) -> list[Said]:
    """The figures of a text that nothing supports."""
    return [figure for figure in page.figures if not is_ordinary(page, figure) and not known.has(page, figure)]


def unlabelled(page: Page, known: Known, answers: Iterable[Said]) -> list[Said]:
    """Supported figures beside the answer of which the text does not say what they are.

    One has a label if its clause, its table row or its list item holds a word, a code or a date; an addend (a + b = c)
    needs none.
    """
    own = {figure.start for figure in answers}
    others = [
        one for one in page.figures if one.start not in own and not is_ordinary(page, one) and not known.is_told(one)
    ]
    return [one for one in others if not _has_label(page, one)]


_LETTERS = re.compile(r"[^\W\d_]{2,}|[\u4e00-\u9fff]")
_JOINED = re.compile(r"[+=×*/÷−-]\s*\(?\s*(?:[a-z.]{2,4}\s?)?$")
_JOINS = re.compile(r"\s*(?:[a-z]{3}|fr\.)?\s*\)?\s*[+=×/÷−-](?:\s|\d)")
_FAR = 300
"""Characters from a figure beyond which nothing is its label."""
_LISTED = re.compile(r"[ \t]*(?:[-*•–]|\d{1,3}[.)])[ \t]")
_SILENT = re.compile(
    r"(?<![a-zäöü])(?:chf|eur|usd|gbp|fr|sfr|franken|euro|und|and|or|oder|also|sowie)(?![a-zäöü])|瑞郎|瑞士法郎|欧元|[和与及]"
)


def _has_label(page: Page, figure: Said) -> bool:
    start, end = figure.start, figure.end
    if _JOINED.search(page.low[max(0, start - 12) : start]) or _JOINS.match(page.low, end):
        return True
    line = max(page.low.rfind("\n", 0, start) + 1, start - _FAR)
    stop = page.low.find("\n", end, end + _FAR)
    stop = stop if stop >= 0 else min(len(page.low), end + _FAR)
    left, right = page.low[line:start], page.low[end:stop]
    if (left + right).count("|") >= 2:
        return any(cell.strip(" *-:") for cell in (left.rpartition("|")[0] + right.partition("|")[2]).split("|"))
    first, last = (line, stop) if _LISTED.match(left) else page.clause(start, end)
    first, last = max(first, line), min(last, stop)
    around = _SILENT.sub(" ", f"{page.low[first:start]}\0{page.low[end:last]}")
    others = (one for one in page.between(first, last) if one.start != start)
    named = any(one.dates or one.kind == "label" or _CODE.fullmatch(one.text) for one in others)
    return named or _LETTERS.search(around) is not None or page.is_dated(first)


# --- the numbers


def _sorted(values: Iterable[Decimal]) -> list[Decimal]:
    return sorted({abs(value) for value in values if value.is_finite()})


def _cells(results: Iterable[TableData]) -> Iterator[Decimal]:
    left = _MOST_CELLS
    for result in results:
        for row in result.rows:
            for cell in row.values():
                left -= 1
                if left < 0:
                    return
                if (number := number_of(cell)) is not None:
                    yield number


def _counts(case: Case, attempt: Attempt) -> Iterator[Decimal]:
    for result in attempt.results:
        yield from (Decimal(result.row_count), Decimal(len(result.rows)))
    yield from (Decimal(call.row_count) for call in attempt.calls if call.row_count is not None)
    yield Decimal(len(case.expected_rows or ()))


def _arguments(attempt: Attempt) -> Iterator[Decimal]:
    """Numbers that calls were made with: years, codes, limits."""
    for call in attempt.calls[:50]:
        text = str(call.arguments)[:4_000]
        found = re.findall(r"(?<![\w.])\d{1,20}(?:\.\d{1,10})?(?![\w.])", text)
        yield from map(Decimal, found[:_MOST_ARGUMENTS])


def _named(case: Case) -> Iterator[Decimal]:
    """Numbers that the question file names: codes that the answer contains."""
    yield from (number for text in case.expected_answer_contains if (number := number_of(text)) is not None)


def _computed(expected: list[Decimal], results: Iterable[TableData]) -> Iterator[Decimal]:
    base = list(dict.fromkeys([*expected, sum(expected, Decimal(0))]))[:_MOST_PAIRED]
    for result in results:
        columns = _columns(result)
        for numbers in columns:
            total = sum(numbers, Decimal(0))
            yield total / len(numbers)
            base += [total, *numbers]
        yield from _group_sums(result)
    base = list(dict.fromkeys(base))[:_MOST_PAIRED]
    yield from base
    yield from (value for at, one in enumerate(base) for other in base[:at] for value in _pair(one, other))


def _pair(one: Decimal, other: Decimal) -> Iterator[Decimal]:
    yield from (one + other, one - other)
    for part, whole in ((one, other), (other, one)):
        if whole:
            share = part / whole * 100
            yield from (share, share - 100, part / whole)


def _columns(result: TableData) -> list[list[Decimal]]:
    """The numbers of a result by column, without codes and dates."""
    return [numbers for name in _names(result) if (numbers := _column(result, name))]


def _names(result: TableData) -> list[str]:
    return [column.name for column in result.columns][:60]


def _column(result: TableData, name: str) -> list[Decimal]:
    cells = [number_of(row.get(name)) for row in result.rows[:1_000]]
    numbers = [cell for cell in cells if cell is not None]
    codes = name.lower().endswith(("id", "number", "year", "month", "date", "code"))
    return [] if codes or len(numbers) * 2 < len(cells) else numbers


def _group_sums(result: TableData) -> Iterator[Decimal]:
    """Sums of a column by the values of another: per currency, per account, per month."""
    names = _names(result)
    numeric = [name for name in names if _column(result, name)][:6]
    for by in [name for name in names if name not in numeric][:8]:
        groups: dict[str, list[int]] = {}
        for at, row in enumerate(result.rows[:1_000]):
            groups.setdefault(str(row.get(by)), []).append(at)
        if not 1 < len(groups) <= 40:
            continue
        for name in numeric:
            for rows in groups.values():
                yield sum((number_of(result.rows[at].get(name)) or Decimal(0) for at in rows), Decimal(0))


def _near(numbers: list[Decimal], reading: Reading, allowance: Decimal) -> bool:
    value = abs(reading.value)
    if reading.digits < 2:
        allowance = Decimal(0)
    at = bisect_left(numbers, value - allowance)
    return at < len(numbers) and numbers[at] <= value + allowance


def _roughness(page: Page, figure: Said, reading: Reading) -> Decimal:
    """How far off a figure may be that is said to be rough: half of its last digit that is not 0."""
    if not _ROUGHLY.search(page.low[max(0, figure.start - 24) : figure.start]):
        return reading.tolerance
    digits = reading.value.normalize()
    exponent = digits.as_tuple().exponent
    # "more than 150,000" for 152,400 is a digit coarser than what it shows.
    return max(reading.tolerance, Decimal(10).scaleb(exponent)) if isinstance(exponent, int) else reading.tolerance
