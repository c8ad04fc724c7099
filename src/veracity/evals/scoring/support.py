"""Which row a figure of a text stands with: 1020: 152'400 and 1021: 28'100 is not 1020: 28'100 and 1021: 152'400.

A table cell belongs to the one row name in its line, else to the one at the head of its column. In a sentence, names and figures
that come in turns (1020: a, 1021: b; a for 1020, b for 1021) or in two equal groups (1020 and 1021 have a and b) belong together
in that order. Anything else belongs to the name in its clause, else to the last name before it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby, pairwise

from veracity.contracts import TableData
from veracity.evals.cases import EvalCase
from veracity.evals.records import Attempt
from veracity.evals.scoring.page import FigureReading, JudgedFigure, JudgedPage, Span, number_of

Mark = tuple[int, str | None]
"""A place, and the name that stands there; None for a figure."""


Places = list[tuple[int, str]]


def owners(
    page: JudgedPage, names: Mapping[str, Sequence[Span]], figures: Sequence[JudgedFigure], *, lasting: bool = True
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
        columns = _owner_columns(page.text, line)
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


def _owner_columns(text: str, line: Span) -> list[int]:
    """Where the bars of a table's line are."""
    return [at for at in range(*line) if text[at] == "|"]


def _in_line(
    page: JudgedPage, line: Span, here: Places, places: Places, figures: list[JudgedFigure]
) -> dict[int, str | None]:
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


def _sentences(page: JudgedPage, line: Span) -> list[Span]:
    edges = page.sentence_ends
    inside = edges[bisect_right(edges, line[0]) : bisect_right(edges, line[1] - 1)]
    return list(pairwise((line[0], *inside, line[1])))


def _before(places: Places, at: int) -> str | None:
    """The last name before a place."""
    number = bisect_left(places, (at, "")) - 1
    return places[number][1] if number >= 0 else None


def _in_turns(here: Places, figures: list[JudgedFigure]) -> dict[int, str | None]:
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


def _in_clause(page: JudgedPage, here: Places, places: Places, figure: JudgedFigure) -> str | None:
    inside = _between(here, *page.clause(figure.start, figure.end))
    if not inside:
        return _before(places, figure.start) or (here[0][1] if here else None)
    number = bisect_left(inside, (figure.start, ""))
    # A name in brackets right after a figure is its own: 300 (2024).
    behind = page.text[figure.end : inside[number][0]] if number < len(inside) else ""
    if len(behind) < 12 and behind.strip(" CHFEUR.*").startswith(("(", "（", "[")):
        return inside[number][1]
    return inside[number - 1][1] if number else inside[0][1]


# --- figures that nothing supports: a right figure among made-up ones is not a right answer


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


def is_ordinary(page: JudgedPage, figure: JudgedFigure) -> bool:
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
    whole, first = figure.text.lstrip("+-–"), figure.readings[0]
    small = len(whole) < 4 and first.shown == 0 and abs(first.value) <= _SMALL
    return small or _CODE.fullmatch(whole) is not None or _is_item(page, figure) or first.value == 0


def _in_pattern(page: JudgedPage, figure: JudgedFigure) -> bool:
    """A filter that is told, such as accountNumber LIKE '102%'."""
    return _LIKE.match(page.low, max(0, figure.start - 1)) is not None


def _is_item(page: JudgedPage, figure: JudgedFigure) -> bool:
    """Whether a whole number only counts the lines of a list."""
    line = page.text.rfind("\n", 0, figure.start) + 1
    head = page.text[line : figure.start]
    starts = len(head) <= 12 and _ITEM.match(head) is not None
    return (
        starts
        and figure.text.isdecimal()
        and len(figure.text) < 4
        and _ITEM_END.match(page.text, figure.end) is not None
    )


class KnownFigures:
    """Every number that may be said in an answer to a question."""

    def __init__(self, case: EvalCase, attempt: Attempt) -> None:
        self.case, self.attempt = case, attempt
        question = JudgedPage(case.question, attempt.locale)
        self.asked = _sorted(reading.value for figure in question.figures for reading in figure.readings)
        self.expected = [figure.value for figure in case.expected_answer_numeric.values()]
        self.expected += [
            number for row in case.expected_rows or () for cell in row if (number := number_of(cell)) is not None
        ]
        self.cells = list(_cells(attempt.results))
        self.told = _sorted([*_counts(case, attempt), *_arguments(attempt), *_named(case)])
        self.given = sorted({*_sorted([*self.expected, *self.cells]), *self.told})
        self._derived: list[Decimal] | None = None

    def has(self, page: JudgedPage, figure: JudgedFigure) -> bool:
        """Whether a figure is one of them, as exactly as it is written."""
        return self.is_asked(figure) or any(
            _near(self.given, reading, allowance) or _near(self.derived, reading, allowance)
            for reading in figure.readings
            for allowance in (reading.tolerance, _roughness(page, figure, reading))
        )

    def is_told(self, figure: JudgedFigure) -> bool:
        """Whether it is the question's, a number of rows, or what a call was made with: it says itself what it is."""
        return self.is_asked(figure) or any(_near(self.told, reading, Decimal(0)) for reading in figure.readings)

    def is_asked(self, figure: JudgedFigure) -> bool:
        """Whether the question says it."""
        return any(_near(self.asked, reading, Decimal(0)) for reading in figure.readings)

    @property
    def derived(self) -> list[Decimal]:
        """What can be computed from them in one step; made when it is first needed."""
        if self._derived is None:
            self._derived = _sorted(_computed(self.expected, self.attempt.results))
        return self._derived


def unsupported(page: JudgedPage, known: KnownFigures) -> list[JudgedFigure]:
    """The figures of a text that nothing supports."""
    return [figure for figure in page.figures if not is_ordinary(page, figure) and not known.has(page, figure)]


def unlabelled(page: JudgedPage, known: KnownFigures, answers: Iterable[JudgedFigure]) -> list[JudgedFigure]:
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


def _has_label(page: JudgedPage, figure: JudgedFigure) -> bool:
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


def _counts(case: EvalCase, attempt: Attempt) -> Iterator[Decimal]:
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


def _named(case: EvalCase) -> Iterator[Decimal]:
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
    digits = reading.value.normalize()
    exponent = digits.as_tuple().exponent
    # "more than 150,000" for 152,400 is a digit coarser than what it shows.
    return max(reading.tolerance, Decimal(10).scaleb(exponent)) if isinstance(exponent, int) else reading.tolerance
