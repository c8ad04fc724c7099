"""A second opinion: where a question surely means a canonical pattern, the model must come to one of the same figures."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

from veracity.answer.coverage import Stored
from veracity.answer.render import Echo, Rendered, render
from veracity.answer.results import Result, result_of
from veracity.llm.planner import Planner
from veracity.patterns import Filled, template
from veracity.query.model import read_call
from veracity.question import Lexicon, Reading
from veracity.tools.tables import TableTools
from veracity.trace import QueryValidationError, ValidationErrorCode


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the canonical calls of a question come to."""

    filled: Filled
    figures: frozenset[Decimal]

    def disputes(self, rendered: Rendered) -> QueryValidationError | None:
        """A problem, if an answer has none of these figures."""
        if self.figures & figures_of(rendered):
            return None
        call = self.filled.calls[0]
        return QueryValidationError(
            code=ValidationErrorCode.QUESTION_NOT_COVERED,
            field=call.tool,
            suggestion=f"{call.tool} {json.dumps(call.args, ensure_ascii=False, separators=(',', ':'))}",
            hint="Other rows answer this question: make the suggested call and cite its result.",
        )


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
        self, reading: Reading, words: Lexicon, stored: Stored, *, today: date, locale: str, echo: Echo
    ) -> Opinion | None:
        """The opinion on a question; None where no pattern surely is what it means, or the data has nothing on it."""
        filled = self.planner.surely(reading, words, stored, today)
        if filled is None:
            return None
        results: dict[str, Result] = {}
        for number, call in enumerate(filled.calls, 1):
            came = await self.tools.call(call.tool, call.args)
            if came.data is None:
                return None
            name = f"r{number}"
            data = came.data.model_copy(update={"result_id": name})
            results[name] = result_of(data, read_call(call.tool, call.args), self.tools.catalog)
        text = template(filled, reading.lang, locale, list(results))
        rendered = render(text, results, locale=locale, echo=echo)
        return None if isinstance(rendered, QueryValidationError) else _opinion(filled, rendered)


def _opinion(filled: Filled, rendered: Rendered) -> Opinion | None:
    figures: Collection[Decimal] = figures_of(rendered)
    return Opinion(filled, frozenset(figures)) if figures else None
