"""Figures in free text, bound after the fact: a value counts only together with its row and its column.

Names bind by themselves (account 1020). A number binds to a cell when its sentence says which row and which column: the
only ones there are, or the ones named nearest to it, before it rather than behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Context, Decimal
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal

from veracity.answer.figures import Figure, find_figures, format_date, format_month, locale_of
from veracity.answer.render import MAX_TEMPLATE, Echo, FigureProvenance, Rendered, echoed, list_items
from veracity.answer.results import Result, comparable
from veracity.answer.surroundings import CURRENCIES, beside_currency
from veracity.answer.values import arg_of, decoded, number_of, unit_of
from veracity.ontology.descriptor import FieldRole
from veracity.query.catalog import Catalog
from veracity.query.nearest import words_of
from veracity.question.names import CURRENCY_WORDS
from veracity.trace import Cell, QueryValidationError, ValidationErrorCode, written

_SENTENCE_END = re.compile(
    r"(?<=[!?。！？；;\n])|(?<=[^\W\d_]{4}[.])(?=\s)|(?<=[0-9)%€][.])(?=\s+[^\W\d_a-z])"  # not behind "Fr." or "z. B."
)
_NAMING = frozenset({FieldRole.CODE, FieldRole.NAME, FieldRole.IDENTIFIER, FieldRole.PERIOD, FieldRole.CATEGORY})
_SHORT_NAME = 3
"""A shorter name is as likely a number of something."""
_MINUS = re.compile(r"负\s?$|\bminus\s+$", re.IGNORECASE)
_EXACT = Context(prec=400)
_CLOSE = ("", " ", "\u00a0", "\u202f")
_LETTER = r"[0-9A-Za-z\u00c0-\u024f]"
_MONTH_WORDS = frozenset({"month", "monat"})
_CURRENCY = "|".join(re.escape(word) for word in sorted(CURRENCIES, key=len, reverse=True))
_CURRENCY_AFTER = re.compile(rf"\s?({_CURRENCY})(?![A-Za-z])", re.IGNORECASE)
_CURRENCY_BEFORE = re.compile(rf"(?<![A-Za-z])({_CURRENCY})\.?\s?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Place:
    """A cell that holds a figure's value."""

    result: Result
    index: int
    column: str

    @property
    def cell(self) -> Cell:
        return self.result.data.rows[self.index][self.column]

    @property
    def identity(self) -> str:
        """The same for the same cell, in whichever of two equal results it stands."""
        arg = arg_of(self.result, self.index, self.column)
        return repr((self.result.call, sorted(arg.row_key.items()), arg.column, arg.raw))


def bind_text(
    text: str,
    results: Mapping[str, Result],
    catalog: Catalog,
    *,
    locale: str,
    echo: Echo,
    constants: Mapping[str, Decimal],
) -> Rendered | QueryValidationError:
    """The text as it is, with provenance for every figure; a figure that cannot be tied to one cell refuses it."""
    if not text.strip():
        return _unbound("answer", "The answer is empty.")
    if len(text) > MAX_TEMPLATE:
        return _unbound("answer", f"An answer has at most {MAX_TEMPLATE} characters.")
    page = _Page(text, locale_of(locale), results, catalog)
    items = list_items(text)
    figures: list[FigureProvenance] = []
    for figure in page.figures:
        if figure.start in items:
            continue
        bound = _bind(figure, page, echo, constants)
        if isinstance(bound, QueryValidationError):
            return bound
        figures.append(bound)
    used = frozenset(arg.result for figure in figures for arg in figure.args)
    has_figures = bool(used)
    return Rendered(text, tuple(figures), used or page.named_results(), (), has_figures=has_figures)


def _bind(
    figure: Figure, page: _Page, echo: Echo, constants: Mapping[str, Decimal]
) -> FigureProvenance | QueryValidationError:
    sentence = page.sentence_of(figure)
    cells: dict[str, _Place] = {}
    if figure.kind != "word":
        if (name := page.name_at(figure, sentence)) is not None:
            return _provenance(figure, "cell", place=name)
        cells = {place.identity: place for place in page.places(figure, sentence)}
    if len(cells) == 1:
        place = next(iter(cells.values()))
        problem = _other_currency(figure, place, page.text)
        return problem or _provenance(figure, "cell", place=place)
    said = echoed(figure, page.text, echo)
    if said is not None and beside_currency(page.text, figure.start, figure.end):
        return _unbound(figure.text, "A figure of the question is no answer; say a figure of the data.")
    if said is not None:
        return _provenance(figure, "question", value=said)
    if (constant := next((v for v in constants.values() if v in figure.readings), None)) is not None:
        return _provenance(figure, "constant", value=written(constant))
    why = "stands in several places" if cells else "cannot be tied to one row and column"
    return _unbound(figure.text, f"{figure.text} {why}: name both, as the result has them.")


def _provenance(
    figure: Figure,
    kind: Literal["cell", "question", "constant"],
    *,
    value: str | None = None,
    place: _Place | None = None,
) -> FigureProvenance:
    if place is not None:
        found = decoded(place.cell, place.result.columns[place.column].encoding)
        value = (
            written(found)
            if isinstance(found, Decimal)
            else found.isoformat()
            if isinstance(found, date)
            else str(found)
        )
    args = () if place is None else (arg_of(place.result, place.index, place.column),)
    return FigureProvenance(span=(figure.start, figure.end), text=figure.text, value=value, kind=kind, args=args)


def _other_currency(figure: Figure, place: _Place, text: str) -> QueryValidationError | None:
    unit = unit_of(place.result, place.index, place.result.columns[place.column]).name
    if unit not in CURRENCIES.values():
        return None
    for found in _currencies_at(figure, text):
        if found != unit:
            hint = f"{figure.text} is in {unit}, not in {found}."
            code = ValidationErrorCode.MIXED_UNITS
            return QueryValidationError(code=code, field=figure.text, suggestion=unit, hint=hint)
    return None


def _currencies_at(figure: Figure, text: str) -> Iterator[str]:
    """The currencies that are written right behind and right before a figure."""
    after = _CURRENCY_AFTER.match(text, figure.end)
    before = _CURRENCY_BEFORE.search(text[max(0, figure.start - 20) : figure.start])
    yield from (CURRENCIES[found[1].casefold()] for found in (after, before) if found is not None)


# --- a text with what is said where


@dataclass(frozen=True)
class _Said:
    """Something that a sentence says, and where."""

    start: int
    end: int
    what: str


_Form = tuple[str, str, str]
"""A word, how it is compared, and what it stands for."""


def _form(word: str, what: str) -> _Form:
    return word, word.casefold(), what


class _Sentence:
    """A part of the text; places are those of the whole text."""

    def __init__(self, start: int, text: str) -> None:
        self.start, self.text, self._folded = start, text, text.casefold()
        self.cells: dict[tuple[str, str], list[_Said]] = {}
        self.columns: dict[str, list[_Said]] = {}

    def find(self, forms: Iterable[_Form]) -> list[_Said]:
        """Where these words are said, each with what it stands for; inside a longer one it is not."""
        found = [
            _Said(self.start + match.start(), self.start + match.end(), what)
            for word, folded, what in forms
            if folded in self._folded
            for match in _whole_word(word).finditer(self.text)
        ]
        return [
            one
            for one in found
            if not any(
                o.start <= one.start and one.end <= o.end and o.end - o.start > one.end - one.start for o in found
            )
        ]


class _Page:
    """The text, its figures and sentences, and the cells that they may come from."""

    def __init__(self, text: str, locale: str, results: Mapping[str, Result], catalog: Catalog) -> None:
        self.text, self.locale, self._results, self._catalog = text, locale, results, catalog
        self.figures = find_figures(text, locale)
        self._known: dict[tuple[str, str], Sequence[_Form]] = {}

    @cached_property
    def _sentences(self) -> list[_Sentence]:
        inside = {at for figure in self.figures for at in range(figure.start + 1, figure.end)}
        ends = [match.start() for match in _SENTENCE_END.finditer(self.text) if match.start() not in inside]
        edges = [0, *ends, len(self.text)]
        return [_Sentence(start, self.text[start:end]) for start, end in pairwise(edges)]

    def sentence_of(self, figure: Figure) -> _Sentence:
        """The sentence that a figure stands in."""
        return self._sentences[bisect_right([s.start for s in self._sentences], figure.start) - 1]

    def places(self, figure: Figure, sentence: _Sentence) -> Iterator[_Place]:
        """The cells with a figure's value whose row and column its sentence says."""
        negative = _MINUS.search(self.text[max(0, figure.start - 10) : figure.start]) is not None
        for place in self._holding(figure, negative=negative):
            if self._names_row(place, figure, sentence) and self._names_column(place, figure, sentence):
                yield place

    def _holding(self, figure: Figure, *, negative: bool) -> Iterator[_Place]:
        """The cells with a figure's value, rounded as the figure is."""
        for day in figure.dates:
            yield from self._dates.get(day, ())
        for reading, tolerance in zip(figure.readings, figure.tolerances, strict=True):
            value = -reading if negative else reading
            first = bisect_left(self._numbers[0], _EXACT.subtract(value, tolerance))
            last = bisect_right(self._numbers[0], _EXACT.add(value, tolerance))
            for place in self._numbers[1][first:last]:
                facts = place.result.columns[place.column]
                if not (figure.percent and (facts.unit or facts.role not in (FieldRole.RATE, None))):
                    yield place

    @cached_property
    def _cells(self) -> list[tuple[Decimal | date, _Place]]:
        """The numbers and dates that are no names."""
        found: list[tuple[Decimal | date, _Place]] = []
        for result in self._results.values():
            for column in (column for column in result.columns if column not in self._naming[result.data.result_id]):
                for index, row in enumerate(result.data.rows):
                    value = decoded(row[column], result.columns[column].encoding)
                    if isinstance(value, datetime):
                        value = value.date()
                    if isinstance(value, Decimal | date):
                        found.append((value, _Place(result, index, column)))
        return found

    @cached_property
    def _numbers(self) -> tuple[list[Decimal], list[_Place]]:
        numbers = [(value, place) for value, place in self._cells if isinstance(value, Decimal)]
        numbers.sort(key=lambda one: one[0])
        return [number for number, _place in numbers], [place for _number, place in numbers]

    @cached_property
    def _dates(self) -> dict[date, list[_Place]]:
        dates: dict[date, list[_Place]] = {}
        for value, place in self._cells:
            if isinstance(value, date):
                dates.setdefault(value, []).append(place)
        return dates

    @cached_property
    def _naming(self) -> dict[str, tuple[str, ...]]:
        """The columns of each result whose cells say which row it is."""
        return {
            result.data.result_id: tuple(column for column in result.columns if _is_naming(result, column))
            for result in self._results.values()
        }

    # --- names

    def name_at(self, figure: Figure, sentence: _Sentence) -> _Place | None:
        """The cell that is called by the figure, or by the name that the figure is a part of: 1020, Halle 7 AG."""
        if next(_currencies_at(figure, self.text), None) is not None or figure.percent:
            return None
        for result in self._results.values():
            for column in self._naming[result.data.result_id]:
                said = [one for one in self._said(result, column, sentence) if one.start <= figure.start]
                for one in said:
                    whole = (one.start, one.end) == (figure.start, figure.end)
                    short = whole and one.end - one.start < _SHORT_NAME
                    if figure.end <= one.end and not (
                        short and not self._says_column(result, column, figure, sentence)
                    ):
                        return _Place(result, int(one.what), column)
        return None

    def named_results(self) -> frozenset[str]:
        """The results whose names the text says."""
        whole = _Sentence(0, self.text)
        return frozenset(
            result.data.result_id
            for result in self._results.values()
            for column in self._naming[result.data.result_id]
            if whole.find(self._forms(result, column))
        )

    def _forms(self, result: Result, column: str) -> Sequence[_Form]:
        """How the cells of a naming column are said, each with the index of its first row."""
        key = (result.data.result_id, column)
        if key not in self._known:
            month = bool(_MONTH_WORDS & set(words_of(column).split()))
            forms: dict[str, _Form] = {}
            for index, row in enumerate(result.data.rows):
                for form in _said_as(decoded(row[column], result.columns[column].encoding), self.locale, month=month):
                    forms.setdefault(form, _form(form, str(index)))
            self._known[key] = [form for form in forms.values() if form[0]]
        return self._known[key]

    def _said(self, result: Result, column: str, sentence: _Sentence) -> list[_Said]:
        key = (result.data.result_id, column)
        if key not in sentence.cells:
            sentence.cells[key] = sentence.find(self._forms(result, column))
        return sentence.cells[key]

    # --- rows and columns

    def _names_row(self, place: _Place, figure: Figure, sentence: _Sentence) -> bool:
        """A figure belongs to the only row there is, or to the one that its sentence names."""
        result, rows = place.result, place.result.data.rows
        if len(rows) == 1 and not result.data.truncated:
            return True
        left, named = list(range(len(rows))), False
        for column in self._naming[result.data.result_id]:
            said = _nearest(self._said(result, column, sentence), figure, self.text)
            if said is not None:
                named = True
                left = [index for index in left if _same(rows[index][column], rows[int(said.what)][column])]
        return named and left == [place.index]

    def _names_column(self, place: _Place, figure: Figure, sentence: _Sentence) -> bool:
        """A figure belongs to the only column of figures, or to the one that its sentence names."""
        result = place.result
        naming = self._naming[result.data.result_id]
        alike = [column for column in result.columns if column not in naming and _is_alike(place, column)]
        return alike == [place.column] or self._says_column(result, place.column, figure, sentence)

    def _says_column(self, result: Result, column: str, figure: Figure, sentence: _Sentence) -> bool:
        key = result.data.result_id
        if key not in sentence.columns:
            forms = [_form(word, name) for name in result.columns for word in self._column_words(name, result) if word]
            sentence.columns[key] = sentence.find(forms)
        said = sentence.columns[key]
        nearest = _nearest(said, figure, self.text)
        return nearest is not None and any((one.start, one.what) == (nearest.start, column) for one in said)

    def _column_words(self, column: str, result: Result) -> Sequence[str]:
        entity = self._catalog.entities[result.call.table]
        name = result.call.target if column not in entity.fields and result.call.target else column
        facts = entity.fields.get(name)
        declared = facts.declared if facts else None
        if declared is None:
            return [column, words_of(column)]
        synonyms = (synonym for group in declared.synonyms.values() for synonym in group)
        return [column, words_of(column), *declared.label.values(), *synonyms]


def _nearest(said: Sequence[_Said], figure: Figure, text: str) -> _Said | None:
    """What is said right behind a figure (100 CHF), else last before it, else first behind it."""
    before = [one for one in said if one.end <= figure.start]
    behind = [one for one in said if one.start >= figure.end]
    if close := [one for one in behind if text[figure.end : one.start] in _CLOSE]:
        return close[0]
    return max(before, key=lambda one: one.end) if before else min(behind, key=lambda one: one.start, default=None)


# --- cells


def _is_naming(result: Result, column: str) -> bool:
    """Whether the cells of a column say which row it is."""
    return column in result.key or result.columns[column].role in _NAMING or _holds_texts(result, column)


def _holds_texts(result: Result, column: str) -> bool:
    return any(isinstance(row[column], str) for row in result.data.rows)


def _is_alike(place: _Place, column: str) -> bool:
    """Whether another cell of the row is of the same sort, so that the two can be mistaken for each other."""
    one, other = place.cell, place.result.data.rows[place.index][column]
    encodings = [place.result.columns[name].encoding for name in (place.column, column)]
    dates = [isinstance(decoded(cell, e), date) for cell, e in zip((one, other), encodings, strict=True)]
    numbers = [number_of(cell) is not None for cell in (one, other)]
    return dates[0] == dates[1] and (dates[0] or numbers[0] == numbers[1])


def _same(one: Cell, other: Cell) -> bool:
    return (one is None) == (other is None) and comparable(one) == comparable(other)


def _said_as(cell: Decimal | str | date | bool | None, locale: str, *, month: bool) -> Iterator[str]:
    """How people write a cell that names a row."""
    if cell is None or isinstance(cell, bool):
        return
    if isinstance(cell, date):
        day = cell.date() if isinstance(cell, datetime) else cell
        yield from (day.isoformat(), format_date(day, locale))
        return
    text = comparable(cell)
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 2 else 0
    if month and 1 <= number <= 12:
        name = format_month(date(2000, number, 1), locale)
        yield name.replace("2000年", "").replace("2000", "").strip()
    yield text
    yield from (word for words in CURRENCY_WORDS.get(text, {}).values() for word in words)


@lru_cache(maxsize=4096)
def _whole_word(word: str) -> re.Pattern[str]:
    """The word where it stands for itself, so that 102 is not found in 1020; Chinese has no edges."""
    first = rf"(?<!{_LETTER})" if re.match(_LETTER, word[0]) else ""
    last = rf"(?!{_LETTER})" if re.match(_LETTER, word[-1]) else ""
    if word[0].isdigit():
        first += r"(?<![0-9]['’,])"
    if word[-1].isdigit():
        last += r"(?![.,'’][0-9])"
    return re.compile(first + re.escape(word) + last, re.IGNORECASE)


def _unbound(name: str, hint: str) -> QueryValidationError:
    return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, field=name, hint=hint)
