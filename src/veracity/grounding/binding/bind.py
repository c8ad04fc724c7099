"""Figures of free text are bound to cells: a value counts only together with its row and its column.

The name nearest to a figure says the row, the noun or unit beside it says the column, and that cell is compared. A figure
that could be of several cells is ambiguous. What is negated, or said of the rest, is not bound to the row that is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from veracity.answer.figure_context import beside_currency
from veracity.answer.render import MAX_TEMPLATE, Echo, FigureProvenance, Rendered, echoed, shown
from veracity.answer.results import Result
from veracity.answer.values import Arg, arg_of, cell_value, unit_of
from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.grounding.binding.answer_page import AnswerPage, SaidFigure
from veracity.grounding.binding.cells import in_cell
from veracity.grounding.binding.claims import Claims
from veracity.grounding.binding.cue_words import JOINING, NEGATED, NOT_NEGATED, may_negate
from veracity.grounding.binding.derived_figures import counted, in_range, stated
from veracity.grounding.binding.figure_meaning import (
    THINGS_NUMBERED,
    BindingOutcome,
    Why,
    bound_to,
    table_says,
    unbound,
    units_fit,
)
from veracity.grounding.binding.figure_pairs import by_margin, from_day_to_day, in_pair, joined
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.other_rows import of_left_out, of_other_rows
from veracity.grounding.binding.results_index import CellPlace, Index
from veracity.grounding.contracts import DeclaredClaim
from veracity.language.folding import listed, words_in
from veracity.language.numbers import Figure, locale_of, written
from veracity.language.units import quantities, unit_called

WAYS = (in_cell, counted, stated)
"""The ways in which a figure may come from the data, each tried in turn."""
_SHORT_NAME = 3
_AMOUNT_BEHIND = re.compile(r"\s*[^\W\d_]{1,4}\.?\s*[0-9]")
"""A shorter name is as likely a number of something."""
_LONGEST_QUANTITY = 30
_OF_YEAR = listed("of from in since von aus vom seit im jahr year")
_REACH = 4
"""So many words behind it, a negation still holds; in Chinese twice as many signs."""


@dataclass(frozen=True)
class Bound:
    """A figure of a text, where it comes from, or why it does not."""

    figure: Figure
    provenance: FigureProvenance
    """Its `status` is bound, ambiguous or unbound."""
    why: Why = ""
    nearest: str | None = None
    """What the data says there, as the locale writes it; never more than a suggestion."""
    hint: str = ""
    """One sentence on what is wrong with it, where more is known."""
    sure: bool = False
    """Whether the words of this very figure say the cell that says otherwise."""
    place: CellPlace | None = None
    """The cell that it is said to be, where the data says otherwise there;"""
    own: bool = False
    """and whether its own words say the column."""


def bind(
    text: str,
    results: Mapping[str, Result] | Index,
    *,
    locale: str,
    echo: Echo,
    constants: Mapping[str, Decimal],
    claims: Sequence[DeclaredClaim] = (),
    every_word: bool = False,
) -> tuple[Bound, ...]:
    """Every figure of a text in order, bound or not. Never raises for what the text says.

    Number words count where they stand before a noun of the data; `every_word` takes them wherever they stand.
    """
    known = results if isinstance(results, Index) else Index(results)
    page = AnswerPage(text, locale_of(locale), known, every_word=every_word)
    return bind_page(page, echo=echo, constants=constants, claims=claims)


def bind_page(
    page: AnswerPage, *, echo: Echo, constants: Mapping[str, Decimal], claims: Sequence[DeclaredClaim] = ()
) -> tuple[Bound, ...]:
    """`bind`, for a text that was already read."""
    return tuple(_FigureBinder(page, echo, constants, claims).bound())


_OF_ROWS = frozenset({"of the", "of our", "of these", "der", "von den", "dieser", "unserer", "of"})


class _FigureBinder:
    """One text, figure by figure."""

    def __init__(
        self, page: AnswerPage, echo: Echo, constants: Mapping[str, Decimal], claims: Sequence[DeclaredClaim]
    ) -> None:
        self.page, self.echo, self.constants = page, echo, constants
        self.claims = Claims(claims, page.text, page.figures, page.index)
        self._paired: dict[int, BindingOutcome] = {}
        self._numbered: dict[int, set[tuple[int, str]]] = {}
        """Line -> the columns whose short numbers it has called names by the word for them."""

    def bound(self) -> Iterator[Bound]:
        """The figures with what became of them."""
        figures = self.page.figures if self.page.words else []
        figures = [figure for figure in figures if figure.start not in self.page.text_figures.items]
        done = {figure.start: found for figure in figures if (found := self._by_itself(figure)) is not None}
        # A short number that was not taken for a name must not name a row to others.
        self.page.hold_data([figure for figure in figures if figure.start not in done])
        for said in self.page.said:
            done[said.figure.start] = self._in_data(said)
        done |= of_other_rows(self.page, done)
        for figure in figures:
            yield self._with_provenance(figure, done[figure.start])

    # --- without any row or column

    def _by_itself(self, figure: Figure) -> BindingOutcome | None:
        """A declared figure, a part of a name, or one that says nothing of the data."""
        claim = self.claims.claim_for(figure)
        if claim is not None:
            return self.claims.outcome(claim, self.page.place(figure).meaning, self.page.locale)
        if (named := self._in_name(figure)) is not None:
            return named
        idle = self.page.text_figures.is_idle(figure) and not self._is_led_by_column(figure)
        return BindingOutcome("bound", kind="constant", value=figure.text) if idle else None

    def _is_led_by_column(self, figure: Figure) -> bool:
        """Whether the word right before a figure is what a column is called: Note 1,3, of marks."""
        tokens, at = self.page.tokens, self.page.tokens.at(figure.start)
        numbered = at > 0 and self.page.words[at - 1] in THINGS_NUMBERED
        return numbered and tokens.roots[at - 1] in self.page.index.words_of_columns

    def _in_name(self, figure: Figure) -> BindingOutcome | None:
        """The cell or the column that is called by the figure, or by the name that the figure is a part of."""
        name, column = self.page.names.holding(figure), self.page.columns.holding(figure)
        unit = self.page.text_figures.units.get(figure.start)
        priced = unit is not None and unit.is_currency and not self._ends_name(figure, name)
        if (name is None and column is None) or figure.percent or priced:
            return None
        if name is not None and unit is not None and self._is_quantity(name):
            return None
        if name is not None and not self._is_short(figure, name):
            ref = name.names[0]
            rows = self.page.index.rows(ref)
            if ref.column in self.page.tables[ref.table].columns and rows:
                return bound_to(CellPlace(ref.table, rows[0], ref.column))
            return self._bound_to_name(ref.table, ref.column, ref.value)
        called = column is not None and not self.page.text[column.start : column.end].isdecimal()
        if column is not None and (called or figure.kind == "label" or column.end - column.start >= _SHORT_NAME):
            head = column.columns[0]
            return self._bound_to_name(head.table, head.column, head.column)
        return None

    def _ends_name(self, figure: Figure, name: NameMention | None) -> bool:
        """Whether a number ends a name, and the currency behind it belongs to the next figure: Zürcherstrasse 250 CHF 1740."""
        ends = name is not None and name.start < figure.start and name.end == figure.end
        return ends and _AMOUNT_BEHIND.match(self.page.text, figure.end) is not None

    def _is_quantity(self, name: NameMention) -> bool:
        """Whether a name is a number with its unit, which is measured rather than called: 1000 Mbit/s."""
        ref = name.names[0]
        found = quantities(ref.value, "en") if len(ref.value) <= _LONGEST_QUANTITY else []
        whole = len(found) == 1 and found[0].unit is not None and found[0].end - found[0].start == len(ref.value)
        return whole and found[0].figure.text.isdecimal() and ref.column not in self.page.tables[ref.table].naming

    def _bound_to_name(self, table: int, column: str, name: str) -> BindingOutcome:
        """Bound to what a column is called, or to what all its rows have in common."""
        result = self.page.tables[table].result.data.result_id
        return BindingOutcome("bound", value=name, args=(Arg(result=result, row_key={}, column=column, raw=name),))

    def _is_short(self, figure: Figure, name: NameMention) -> bool:
        """Whether a name is a number so short that only the word for its column makes it one: month 6, user 3."""
        if (name.start, name.end) != (figure.start, figure.end) or name.end - name.start >= _SHORT_NAME:
            return False
        if figure.kind in ("label", "date") or not figure.text.isdecimal():
            return False  # Q2, A1, and 4B, which may be a number with its unit
        columns = {(ref.table, column) for ref in name.names for column in (ref.column, "*")}
        near = self.page.near(self.page.place(figure), self.page.columns)
        told = self._numbered.get(self.page.line_at(figure.start), set())
        bare = figure.start not in self.page.text_figures.units and self.page.noun_of(figure) is None
        if bare and any((ref.table, ref.column) in told for ref in name.names):
            return False
        close = [
            mention
            for mention in near
            if abs(mention.first - name.first) <= 2
            or (mention.last < name.first and self._enumerates(mention.last + 1, name.first))
        ]
        named = any((ref.table, ref.column) in columns for mention in close for ref in mention.columns)
        if named:
            # What goes on in the same way needs the word no more: A hosted episodes 41 and 43, B 42.
            known = self._numbered.setdefault(self.page.line_at(figure.start), set())
            known.update((ref.table, ref.column) for ref in name.names)
        return not named

    def _enumerates(self, first: int, last: int) -> bool:
        """Whether only numbers and small words that join them stand from one word up to another: lines [12, 15 and] 31."""
        return all(word.isdecimal() or word in JOINING for word in self.page.words[first:last])

    # --- in the data

    def _in_data(self, said: SaidFigure) -> BindingOutcome:
        """What the data says of a figure; a denied one is wrong where the data holds it."""
        if said.meaning.compares and (asked := self._of_question_or_constants(said.figure)) is not None:
            return asked
        outcome = self._in_pair(said) or by_margin(said, self.page) or self._by_ways(said)
        if isinstance(outcome.nearest, CellPlace) and self.page.index.raw(outcome.nearest) is None:
            outcome = outcome._replace(why="no such value")  # NULL is no other value: there is none.
        outcome = self._in_its_unit(said, outcome)
        if self._is_negated(said):
            denied = self._of_question_or_constants(said.figure) if outcome.status != "bound" else None
            return denied or BindingOutcome("unbound", "negated")
        if outcome.status == "bound" or outcome.why == "wrong unit":
            return outcome
        asked = self._of_question_or_constants(said.figure) if not outcome.sure else None
        year = self._year_of_heading(said) or self._year_of_row(said, outcome)
        return asked or of_left_out(said, self.page) or year or self._elsewhere(said, outcome)

    def _year_of_row(self, said: SaidFigure, outcome: BindingOutcome) -> BindingOutcome | None:
        """A year that says which thing is meant, beside what is measured of it: the rated power of the unit of 2021."""
        figure, place = said.figure, outcome.nearest
        led = said.first and self.page.words[said.first - 1] in _OF_YEAR
        if (
            not isinstance(place, CellPlace)
            or not led
            or len(figure.text) != len("2021")
            or not figure.text.isdecimal()
        ):
            return None
        table = self.page.tables[place.table]
        for column in table.figures:
            dated = column in table.days or table.holds_years(column)
            if column != place.column and dated and table_says(table, place.row, column, said.meaning):
                return bound_to(CellPlace(place.table, place.row, column))
        return None

    def _year_of_heading(self, said: SaidFigure) -> BindingOutcome | None:
        """The year that a column is of, said with it: visits in 2024, of `visits (2024)`."""
        figure = said.figure
        year = figure.kind == "number" and len(figure.text) == len("2024") and figure.text.isdecimal()
        if not year or figure.text not in self.page.index.headings:
            return None
        return BindingOutcome("bound", kind="constant", value=figure.text)

    def _by_ways(self, said: SaidFigure) -> BindingOutcome:
        """The first way that binds it; where none does, what the first one says."""
        tried: list[BindingOutcome] = []
        for way in WAYS:
            found = way(said, self.page)
            if found is not None and found.status == "bound":
                return found
            tried += [found] if found is not None else []
        # What is said of a whole column and is not so is wrong, wherever else its value may stand.
        tried.sort(key=lambda found: found.status == "ambiguous")
        return tried[0] if tried else unbound()

    def _in_pair(self, said: SaidFigure) -> BindingOutcome | None:
        """What a pair says, of which the figure is the first or the second: a range of a column, or a pair of cells."""
        start, other, page = said.figure.start, self.page.following(said), self.page
        if start not in self._paired and other is not None:
            if (days := from_day_to_day(said, other, page)) is not None:
                self._paired[start], self._paired[other.figure.start] = days
                return days[0]
            pair = joined(said, other, page)
            found = in_range(said, other, page) if pair or page.in_run(said, other) else None
            if found is None and pair:
                found = in_pair(said, other, page)
            if found is not None:
                self._paired[start], self._paired[other.figure.start] = found
        return self._paired.get(start)

    # --- what changes a figure

    def _is_negated(self, said: SaidFigure) -> bool:
        """Whether the figure is said not to hold; a name or another figure in between ends what is negated."""
        if not may_negate(self.page.words[max(0, said.first - 2 * _REACH) : said.first]):
            return False
        if self.page.text[max(0, said.figure.start - 2) : said.figure.start].strip()[-1:] in ("(", "（"):
            return False  # What stands in brackets says how it is.
        found = NEGATED.search(self.page.tokens.before(said.first))
        if found is not None and found["between"].strip() in _OF_ROWS and self._counts_all(said):
            return False  # None of the three.
        if found is None or NOT_NEGATED.search(found["between"]):
            return False
        between = words_in(found["between"])
        first = said.first - len(between)
        named = any(first <= mention.first < said.first for mention in self.page.names_near(said))
        reach = _REACH if all(word.isascii() for word in between) else 2 * _REACH
        return not named and len(between) <= reach and not any(word[0].isdigit() for word in between)

    def _counts_all(self, said: SaidFigure) -> bool:
        return any(said.figure.readings == (Decimal(len(table.rows)),) for table in self.page.tables)

    def _in_its_unit(self, said: SaidFigure, outcome: BindingOutcome) -> BindingOutcome:
        """A figure beside another currency or unit than its cell's is another figure."""
        beside = said.meaning.unit
        place = outcome.place if outcome.status == "bound" else outcome.nearest
        if beside is None or not isinstance(place, CellPlace) or (said.figure.percent and outcome.status != "bound"):
            return outcome  # A percentage may be a change or a part of what is measured in any unit.
        table = self.page.tables[place.table]
        name = unit_of(table.result, place.row, table.columns[place.column]).name
        name = name or (self.page.index.currency if beside.is_currency else None)
        unit = unit_called(name) if name else None
        if unit is None or unit == beside:
            return outcome
        if unit.is_currency != beside.is_currency and (outcome.status != "bound" or units_fit(unit, beside)):
            return outcome
        if units_fit(unit, beside) if outcome.status == "bound" else unit.is_currency:
            return outcome
        nearest = f"{shown(cell_value(table.result, place.row, place.column), self.page.locale)} {name}"
        other = f", not in {beside.dimension}" if beside.is_currency else ""
        hint = f"{said.figure.text} is in {name}{other}."
        return BindingOutcome("unbound", "wrong unit", nearest=nearest, hint=hint)

    # --- elsewhere

    def _of_question_or_constants(self, figure: Figure) -> BindingOutcome | None:
        """What the question says itself, or a declared constant."""
        asked = echoed(figure, self.page.text, self.echo)
        if asked is not None and self._is_amount(figure):
            hint = "A figure of the question is no answer; say a figure of the data."
            return BindingOutcome("unbound", "of the question", hint=hint)
        if asked is not None:
            return BindingOutcome("bound", kind="question", value=asked)
        constant = next((value for value in self.constants.values() if value in figure.readings), None)
        return BindingOutcome("bound", kind="constant", value=written(constant)) if constant is not None else None

    def _is_amount(self, figure: Figure) -> bool:
        """Whether a currency stands beside a figure."""
        first = max(0, figure.start - 40)
        return beside_currency(self.page.text[first : figure.end + 40], figure.start - first, figure.end - first)

    def _elsewhere(self, said: SaidFigure, outcome: BindingOutcome) -> BindingOutcome:
        """Whether a figure that is not bound stands in another place of the data."""
        if outcome.why != "no such value" or outcome.nearest is not None:
            return outcome
        for table in self.page.tables:
            if any(table.rows_between(column, *span) for column in table.figures for span in said.meaning.spans):
                return BindingOutcome("unbound", "other row or column")
        return outcome

    # --- with what is told of it

    def _with_provenance(self, figure: Figure, outcome: BindingOutcome) -> Bound:
        value, args, place = outcome.value, outcome.args, outcome.place
        if place is not None:
            table = self.page.tables[place.table]
            value = _written(table.cell(place.row, place.column))
            args = (arg_of(table.result, place.row, place.column),)
        provenance = FigureProvenance(
            span=(figure.start, figure.end),
            text=figure.text,
            value=value,
            kind=outcome.kind,
            expression=outcome.expression,
            args=args,
            status=outcome.status,
        )
        meant = outcome.nearest if isinstance(outcome.nearest, CellPlace) else None
        nearest = self._nearest(outcome, figure)
        return Bound(
            figure, provenance, outcome.why, nearest, outcome.hint, sure=outcome.sure, place=meant, own=outcome.own
        )

    def _nearest(self, outcome: BindingOutcome, figure: Figure) -> str | None:
        if not isinstance(outcome.nearest, CellPlace):
            return outcome.nearest
        table = self.page.tables[outcome.nearest.table]
        text = shown(cell_value(table.result, outcome.nearest.row, outcome.nearest.column), self.page.locale)
        number, _blank, unit = text.partition(" ")
        # The unit of a text cell that stands behind the figure anyhow is not said twice.
        behind = self.page.text[figure.end : figure.end + len(unit) + 1].strip()
        return number if unit and behind.casefold().startswith(unit.casefold()) else text


def _written(value: Decimal | str | date | bool | None) -> str:
    if isinstance(value, Decimal):
        return written(value)
    return value.isoformat() if isinstance(value, date) else str(value)


# --- free text as an answer


def bind_text(
    text: str, results: Mapping[str, Result], *, locale: str, echo: Echo, constants: Mapping[str, Decimal]
) -> Rendered | QueryValidationError:
    """The text as it is, with provenance for every figure; a figure that cannot be tied to one cell refuses it."""
    if not text.strip():
        return _refused("answer", "The answer is empty.")
    if len(text) > MAX_TEMPLATE:
        return _refused("answer", f"An answer has at most {MAX_TEMPLATE} characters.")
    known = Index(results)
    bound = bind(text, known, locale=locale, echo=echo, constants=constants, every_word=True)
    for one in bound:
        if one.provenance.status != "bound":
            return _problem(one)
    figures = tuple(one.provenance for one in bound)
    used = frozenset(arg.result for figure in figures for arg in figure.args)
    return Rendered(text, figures, used or _named_results(text, known), (), has_figures=bool(used))


def _named_results(text: str, known: Index) -> frozenset[str]:
    """The results whose names the text says."""
    page = AnswerPage(text, "en", known)
    refs = (ref for mention in page.names.all for ref in mention.names)
    return frozenset(known.tables[ref.table].result.data.result_id for ref in refs)


def _problem(one: Bound) -> QueryValidationError:
    said = one.figure.text
    if one.why == "wrong unit":
        unit = (one.nearest or "").rpartition(" ")[2]
        return QueryValidationError(code=ValidationErrorCode.MIXED_UNITS, field=said, suggestion=unit, hint=one.hint)
    why = "stands in several places" if one.provenance.status == "ambiguous" else "cannot be tied to one row and column"
    return _refused(said, one.hint or f"{said} {why}: name both, as the result has them.")


def _refused(name: str, hint: str) -> QueryValidationError:
    return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, field=name, hint=hint)
