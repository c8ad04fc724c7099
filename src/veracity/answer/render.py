"""A template with expressions -> the answer's text, and where each of its figures comes from.

Figures are never taken from the model: expressions are computed from cells, and a figure in the text between them must
be one that the question says itself, a declared constant, or the number of a list item. Anything else refuses the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Literal
from unicodedata import category

from pydantic import BaseModel, ConfigDict

from veracity.answer.expression import Arg, Node, Value, ValueKind, evaluate, parse, results_used
from veracity.answer.figure_context import FigureInText, beside_currency, changed, clause_at, counts
from veracity.answer.results import Result, comparable
from veracity.answer.suggest import suggest_expression
from veracity.answer.values import VERBATIM
from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.language.function_words import function_words
from veracity.language.locale import language, pick, printable
from veracity.language.numbers import SCALE_WORD, Figure, find_figures, format_date, format_number, locale_of, written
from veracity.ontology.fields import FieldRole

MAX_TEMPLATE = 20_000
_MOST_DECIMALS = 12
_BOOLEANS = {
    True: {"de": "ja", "en": "yes", "zh": "是"},
    False: {"de": "nein", "en": "no", "zh": "否"},
}
NO_VALUE = {"de": "kein Wert", "en": "no value", "zh": "无值"}
"""How a missing value is written: it is neither 0 nor an empty text."""


class FigureProvenance(BaseModel):
    """Where one figure of an answer comes from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    span: tuple[int, int]
    text: str
    value: str | None
    """A number as plain decimal text, a date in ISO form, a text as it is; None for NULL."""
    kind: Literal["cell", "derived", "question", "constant"]
    expression: str | None = None
    args: tuple[Arg, ...] = ()
    status: Literal["bound", "ambiguous", "unbound"] = "bound"


@dataclass(frozen=True)
class Echo:
    """What the question says itself, and an answer may repeat."""

    numbers: frozenset[Decimal] = frozenset()
    dates: frozenset[date] = frozenset()
    texts: frozenset[str] = frozenset()
    """Labels, times and words, case-folded."""
    said: str = ""
    """The whole question, case-folded."""


@dataclass(frozen=True)
class Rendered:
    """An answer's text with its proof."""

    text: str
    figures: tuple[FigureProvenance, ...]
    results: frozenset[str]
    """The results that its expressions read."""
    expressions: tuple[Node, ...]
    has_figures: bool
    """Whether a number, a date or a text with digits in it comes from a result."""


def echo_of(question: str, locale: str, dates: Iterable[date] = ()) -> Echo:
    """The figures of a question; `dates` are the days that its periods mean."""
    found = find_figures(question, locale_of(locale))
    days = {*dates, *(day for figure in found for day in figure.dates)}
    numbers = {reading for figure in found for reading in figure.readings} | {Decimal(day.year) for day in days}
    texts = frozenset(figure.text.casefold() for figure in found)
    return Echo(frozenset(numbers), frozenset(days), texts, question.casefold())


def render(
    template: str,
    results: Mapping[str, Result],
    *,
    locale: str,
    echo: Echo,
    constants: Mapping[str, Decimal] | None = None,
) -> Rendered | QueryValidationError:
    """The text of an answer, or the first thing that is wrong with it. Never raises."""
    parts = _split("".join(ch for ch in template if category(ch) != "Cf"))
    if isinstance(parts, QueryValidationError):
        return parts
    page = _RenderedText(locale_of(locale), results)
    for number, (text, expression) in enumerate(parts):
        page.text += text
        if expression is not None:
            following = parts[number + 1][0]
            if problem := page.put(expression, following):
                return problem
    if not page.text.strip():
        return _problem("answer", "The answer is empty.")
    problem = page.glued() or page.check_text(echo, constants or {})
    return problem or page.rendered()


def _problem(
    name: str | None,
    hint: str,
    suggestion: str | None = None,
    code: ValidationErrorCode = ValidationErrorCode.TYPE_MISMATCH,
) -> QueryValidationError:
    return QueryValidationError(code=code, field=name, suggestion=suggestion, hint=hint)


def _split(template: str) -> list[tuple[str, str | None]] | QueryValidationError:
    """Pieces of text, each with the expression that follows it; the last one has none."""
    if len(template) > MAX_TEMPLATE:
        return _problem("answer", f"An answer has at most {MAX_TEMPLATE} characters.")
    parts: list[tuple[str, str | None]] = []
    place = 0
    while (opening := template.find("{{", place)) >= 0:
        closing = template.find("}}", opening)
        if closing < 0:
            return _problem("{{", "An expression is not closed: write {{ ... }}.")
        parts.append((template[place:opening], template[opening + 2 : closing].strip()))
        place = closing + 2
    parts.append((template[place:], None))
    for text, _ in parts:
        if brace := re.search(r"[{}][^{}\n]{0,40}[{}]?", text):
            hint = "A brace is left over; figures are written {{ expression }}."
            return _problem(brace.group()[0], hint)
    return parts


@dataclass(frozen=True, slots=True)
class _Placed:
    """What an expression wrote, and where."""

    start: int
    end: int
    value: Value
    expression: str


@dataclass
class _RenderedText:
    """The text as it is written, with what stands where."""

    locale: str
    results: Mapping[str, Result]
    text: str = ""
    placed: list[_Placed] = field(default_factory=list)
    typed: list[FigureProvenance] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)

    def put(self, expression: str, following: str) -> QueryValidationError | None:
        """Compute an expression and write its outcome."""
        node = parse(expression)
        if isinstance(node, QueryValidationError):
            return node
        value = evaluate(node, self.results)
        if isinstance(value, QueryValidationError):
            return value
        self.nodes.append(node)
        if value.rows is not None:
            self._put_rows(value, expression, following)
        else:
            bare = re.match(r"[ \u00a0\u202f]?%", following) is not None
            self._put_one(value, expression, bare=bare)
        return None

    def _put_one(self, value: Value, expression: str, *, bare: bool = False) -> None:
        start = len(self.text)
        self.text += shown(value, self.locale, bare=bare)
        self.placed.append(_Placed(start, len(self.text), value, expression))

    def _put_rows(self, value: Value, expression: str, following: str) -> None:
        """One line per row: its texts, then its figures, each with its currency; a last line where there are more."""
        if self.text and not self.text.endswith("\n"):
            self.text = self.text.rstrip(" ") + "\n"
        for number, row in enumerate(value.rows or ()):
            self.text += "\n- " if number else "- "
            for between, cell in _line(row):
                self.text += between
                self._put_one(cell, expression)
        if value.cut:
            self.text += "\n- …"
        if following and not following.startswith("\n"):
            self.text += "\n"

    # --- what stands next to a computed figure

    def glued(self) -> QueryValidationError | None:
        """The text around a computed figure must not change it."""
        masked = self._masked()
        clauses = [clause_at(masked, one.start, one.end) for one in self.placed]
        for one, (first, last) in zip(self.placed, clauses, strict=True):
            units = [o.value.unit for o, clause in zip(self.placed, clauses, strict=True) if clause == (first, last)]
            beside = FigureInText(
                one.value,
                one.expression,
                inside=self.text[one.start : one.end],
                before=self.text[max(0, one.start - 24) : one.start],
                after=self.text[one.end : one.end + 40],
                clause=masked[first:last],
                other_units=units,
            )
            if problem := changed(beside, self.locale):
                return problem
        return None

    # --- typed figures

    def check_text(self, echo: Echo, constants: Mapping[str, Decimal]) -> QueryValidationError | None:
        """Every figure outside expressions is the question's own, a constant or the number of a list item."""
        masked = self._masked()
        items = list_items(masked)
        for multiple in MULTIPLES.finditer(masked.casefold()):
            if multiple.group() not in echo.said:
                return _problem(multiple.group(), "A half or a multiple is a figure, too: write an expression.")
        for figure in find_figures(masked, self.locale):
            if figure.start in items or self._is_scale(figure):
                continue
            repeated = echoed(figure, masked, echo)
            if repeated is None and (figure.text in self._names or self._counts_rows(figure)):
                continue  # a year, as a row has it; the two accounts
            if repeated is not None and self._is_amount(figure, repeated, masked, echo):
                return _problem(figure.text, "A figure of the question is no answer; write an expression.")
            kind: Literal["question", "constant"] = "question"
            if repeated is None:
                constant = next((value for value in constants.values() if value in figure.readings), None)
                if constant is None:
                    hint = "Do not type figures; write an expression such as {{ r1[0].x }}."
                    return _problem(figure.text, hint, suggest_expression(figure, self.results))
                repeated, kind = written(constant), "constant"
            span = (figure.start, figure.end)
            self.typed.append(FigureProvenance(span=span, text=figure.text, value=repeated, kind=kind))
        return None

    @cached_property
    def _names(self) -> frozenset[str]:
        """The years and months in the rows that are cited."""
        used = {name for node in self.nodes for name in results_used(node)}
        return frozenset(
            comparable(row[column])
            for name in used
            for column, facts in self.results[name].columns.items()
            if facts.role is FieldRole.PERIOD
            for row in self.results[name].data.rows
            if row[column] is not None
        )

    def _counts_rows(self, figure: Figure) -> bool:
        """Whether a number in words is that of the rows, or a rank among them."""
        used = {name for node in self.nodes for name in results_used(node)}
        sizes = {self.results[name].data.row_count for name in used}
        rank = _PLACE.search(self.text[: figure.start].casefold()) is not None
        noun = _NOUN.match(self.text, figure.end)
        if not rank and (noun is None or noun[1].casefold() in function_words()):
            return False
        return figure.kind == "word" and any(n in sizes or (rank and n <= max(sizes)) for n in figure.readings)

    def _is_amount(self, figure: Figure, said: str, masked: str, echo: Echo) -> bool:
        """Whether a figure of the question stands as an amount of its own, not as a bound that a filter has."""
        if not beside_currency(masked, figure.start, figure.end):
            return False
        if re.match(r"\s?[(（]", masked[figure.end :]) and figure.text in {str(day.year) for day in echo.dates}:
            return False  # 2025 (CHF)
        used = {name for node in self.nodes for name in results_used(node)}
        bounds = (one.value for name in used for call in self.results[name].calls for one in call.filters)
        values = (value for bound in bounds for value in (bound if isinstance(bound, list | tuple) else [bound]))
        return said not in {comparable(value) for value in values}

    def _masked(self) -> str:
        """The text with a mark in place of what was computed; of the same length."""
        parts, place = list[str](), 0
        for one in self.placed:
            parts += [self.text[place : one.start], "\x00" * (one.end - one.start)]
            place = one.end
        return "".join((*parts, self.text[place:]))

    def _is_scale(self, figure: Figure) -> bool:
        """Whether it is the `million` behind a computed figure, which `glued` has checked."""
        if figure.kind != "word":
            return False
        for one in self.placed:
            scale = SCALE_WORD.match(self.text[one.end : figure.end].lower()) if one.end <= figure.start else None
            if counts(one.value) and scale is not None and one.end + scale.end() == figure.end:
                return True
        return False

    # --- the outcome

    def rendered(self) -> Rendered:
        """The text with the provenance of all that was computed or repeated."""
        figures = [*self.typed, *(_provenance(one, self.text) for one in self.placed)]
        used = frozenset(name for node in self.nodes for name in results_used(node))
        return Rendered(
            self.text,
            tuple(sorted(figures, key=lambda figure: figure.span)),
            used,
            tuple(self.nodes),
            any(_is_figure(one, self.text, self.locale) for one in self.placed),
        )


def _provenance(one: _Placed, text: str) -> FigureProvenance:
    value = one.value.value
    if isinstance(value, Decimal):
        said: str | None = written(value)
    elif isinstance(value, date):
        said = value.isoformat()
    else:
        said = None if value is None else str(value).lower() if isinstance(value, bool) else value
    return FigureProvenance(
        span=(one.start, one.end),
        text=text[one.start : one.end],
        value=said,
        kind="derived" if one.value.derived else "cell",
        expression=one.expression,
        args=one.value.args,
    )


def _is_figure(one: _Placed, text: str, locale: str) -> bool:
    if one.value.kind in (ValueKind.NUMBER, ValueKind.DATE):
        return True
    return bool(find_figures(text[one.start : one.end], locale))


# --- how a value is shown


def shown(value: Value, locale: str, *, bare: bool = False) -> str:
    """A value as the locale writes it; `bare` leaves out the sign of a percentage."""
    lang, found = language(locale), value.value
    if isinstance(found, Decimal):
        sign = ("" if bare else " %" if lang == "de" else "%") if value.percent else ""
        if value.role in VERBATIM:
            return written(found) + sign
        decimals = value.decimals if value.decimals is not None else _needed(found, value)
        return format_number(found, locale, decimals=decimals) + sign
    if isinstance(found, bool):
        return pick(_BOOLEANS[found], lang)
    if isinstance(found, datetime):
        clock = found.strftime("%H:%M:%S" if found.second else "%H:%M")
        return f"{format_date(found.date(), locale)} {clock}"
    if isinstance(found, date):
        return format_date(found, locale)
    if found is None:
        return pick(NO_VALUE, lang)
    return printable(re.sub(r"[\r\n\t]+", " ", found))


def _needed(number: Decimal, value: Value) -> int:
    """How many decimals to show of a number without a scale; always enough that a small number is not shown as 0."""
    exponent = number.as_tuple().exponent
    own = max(0, -exponent) if isinstance(exponent, int) else 0
    digits = min(own, value.at_most)
    if own > digits and abs(number) < Decimal(5).scaleb(-digits - 1) and number:
        digits = min(own, _MOST_DECIMALS, 1 - number.adjusted())
    if value.derived and digits:
        decimals = format_number(number, "en", decimals=digits, grouping=False).partition(".")[2]
        digits = len(decimals.rstrip("0"))
    return digits


def _line(row: tuple[Value, ...]) -> Iterator[tuple[str, Value]]:
    """The cells of a row, texts first and then figures, each with what stands before it."""
    texts: list[Value] = []
    figures: list[tuple[str, Value]] = []
    for number, value in enumerate(row):
        if value.numeric:
            figures.append((", ", value))
        elif number and row[number - 1].numeric and value.role is FieldRole.CURRENCY:
            figures.append((" ", value))
        else:
            texts.append(value)
    for number, value in enumerate(texts):
        yield ", " if number else "", value
    for number, (between, value) in enumerate(figures):
        yield between if number else ": " if texts else "", value


# --- what may be typed

MULTIPLES = re.compile(
    r"(?<![^\W\d_])(?:doppelt\w*|ver(?:doppel|dreifach|vierfach|zehnfach)\w*|\w*(?:zwei|drei|vier|fünf|zehn|zwölf|hundert)fach\w*|"
    r"hälfte|halb(?:iert)?\w*|anderthalb\w*|drittel|zehntel|twice|doubl\w*|tripl\w*|quadrupl\w*|half|halve\w*|thirds|"
    r"threefold|tenfold)(?![^\W\d_])|一半|翻了?一番|翻倍|[一二两三四五六七八九]成|分之[一二三四五六七八九十]|[一二三四五六七八九十]倍"
)

_NOUN = re.compile(r"\s?(?:[个家笔名位]\s?)?([^\W\d_]+)")
_PLACE = re.compile(r"(?:platz|rang|stelle|place|rank|position)\s$")
_ITEM = re.compile(
    r"^[ \t]{0,8}(?:[-*#]{1,4}[ \t]?)?(?:([0-9]{1,2})[.)](?=[ \t])"
    r"|(?:(?:step|schritt|part|teil|goal|ziel|phase)[ \t]|步骤[ \t]?|第)([0-9]{1,2})(?=[.):：,，]|步))",
    re.MULTILINE | re.IGNORECASE,
)
"""The number of a list item, or of a step: it counts lines, not the data."""


def list_items(text: str) -> set[int]:
    """Where the numbers of list items stand, as long as they count up from 1."""
    found: set[int] = set()
    expected = 1
    for item in _ITEM.finditer(text):
        group = 1 if item[1] else 2
        number = int(item[group])
        expected = 1 if number == 1 else expected
        if number == expected:
            found.add(item.start(group))
            expected += 1
    return found


def echoed(figure: Figure, text: str, echo: Echo) -> str | None:
    """What the question says in this figure's place; None when it does not say it."""
    for reading in figure.readings:
        if reading in echo.numbers and (figure.kind == "word" or _plain_year(figure, reading, echo)):
            return written(reading)
    for day in figure.dates:
        if day in echo.dates:
            return day.isoformat()
    if not figure.readings and figure.text.casefold() in echo.texts:
        return figure.text
    if text[figure.end : figure.end + 1] == "月":
        months = {Decimal(day.month) for day in echo.dates}
        return next((written(reading) for reading in figure.readings if reading in months), None)
    return None


def _plain_year(figure: Figure, reading: Decimal, echo: Echo) -> bool:
    """A year that only a date of the question holds is repeated as a year, not as an amount of 2'025.00."""
    years = {Decimal(day.year) for day in echo.dates}
    return reading not in years or figure.text == str(reading) or figure.text.casefold() in echo.texts
