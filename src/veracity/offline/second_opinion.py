"""A second opinion: where a question surely means a canonical pattern, the model must come to one of the same figures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

from veracity.answer.coverage import Stored
from veracity.answer.render import Echo, Rendered, render
from veracity.answer.results import Result, result_of
from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.language.locale import pick
from veracity.offline.pattern_planner import Planner
from veracity.offline.patterns import Filled, template
from veracity.query.model import read_call
from veracity.question import Lexicon, QuestionReading
from veracity.tools.tables import TableTools


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the canonical calls of a question come to."""

    filled: Filled
    """The first of the patterns that fit."""
    figures: frozenset[Decimal]
    """The figures of all of them."""
    listed: frozenset[Decimal] = frozenset()
    """The figures of the first, where its answer lists rows: a total is said with what it adds up."""

    def disputes(self, rendered: Rendered) -> QueryValidationError | None:
        """A problem, if an answer has figures and none of these is among them, be it in thousands or rounded."""
        told = figures_of(rendered)
        if not told or any(_same(one, other) for one in told for other in self.figures):
            return None
        call = self.filled.calls[0]
        return QueryValidationError(
            code=ValidationErrorCode.QUESTION_NOT_COVERED,
            field=call.tool,
            suggestion=f"{call.tool} {json.dumps(call.args, ensure_ascii=False, separators=(',', ':'))}",
            hint="Other rows answer this question: make the suggested call and cite its result.",
        )

    def lacks_rows(self, rendered: Rendered) -> QueryValidationError | None:
        """A problem, if the rows that such an answer lists are not all said."""
        told = figures_of(rendered)
        if all(any(_same(one, other) for one in told) for other in self.listed):
            return None
        return QueryValidationError(
            code=ValidationErrorCode.QUESTION_NOT_COVERED,
            field="rows",
            hint="Say the rows behind the total, too: {{ rows(r1.NAME, r1.AMOUNT) }}.",
        )


_SCALES = (Decimal(1), Decimal(1_000), Decimal(1_000_000))


def _same(told: Decimal, worked_out: Decimal) -> bool:
    """Whether a figure is the other one, in whole, in thousands or in millions, as far as its decimals go."""
    exponent = told.as_tuple().exponent
    if not isinstance(exponent, int) or exponent >= 0:
        return told == worked_out  # a whole number is a count as well as an amount in thousands
    half = Decimal(5).scaleb(exponent - 1)
    return any(abs(told * scale - worked_out) <= half * scale for scale in _SCALES)


def figures_of(rendered: Rendered) -> frozenset[Decimal]:
    """The computed figures of an answer as numbers."""
    found: set[Decimal] = set()
    for figure in rendered.figures:
        try:
            found.update([Decimal(figure.value or "x")] if figure.args else [])
        except InvalidOperation:
            continue
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """Works a question out by its pattern, through the same tools and the same rendering."""

    planner: Planner
    tools: TableTools

    async def on(
        self, reading: QuestionReading, lexicon: Lexicon, stored: Stored, *, today: date, locale: str, echo: Echo
    ) -> Opinion | None:
        """The opinion on a question; None where no pattern surely is what it means, or the data has nothing on it."""
        patterns = self.planner.surely(reading, lexicon, stored, today)
        found = [await self._figures(filled, reading.lang, locale, echo) for filled in patterns]
        figures = frozenset[Decimal]().union(*found)
        if not figures:
            return None
        lists = "rows(" in pick(patterns[0].pattern.answer, reading.lang)
        return Opinion(patterns[0], figures, found[0] if lists else frozenset())

    async def _figures(self, filled: Filled, lang: str, locale: str, echo: Echo) -> frozenset[Decimal]:
        results: dict[str, Result] = {}
        for number, call in enumerate(filled.calls, 1):
            came = await self.tools.call(call.tool, call.args)
            if came.table is None:
                return frozenset()
            name = f"r{number}"
            data = came.table.model_copy(update={"result_id": name})
            results[name] = result_of(data, read_call(call.tool, call.args), self.tools.catalog)
        rendered = render(template(filled, lang, locale, list(results)), results, locale=locale, echo=echo)
        return frozenset() if isinstance(rendered, QueryValidationError) else figures_of(rendered)
