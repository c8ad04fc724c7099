"""Looks at what a skill without data wrote: figures and sample data that its input does not hold go back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

from veracity.agent import Run
from veracity.answer.figures import Figure, find_figures, locale_of
from veracity.answer.render import MULTIPLES, Echo, echo_of, echoed, list_items
from veracity.drafts import Draft, DraftKind, malformed
from veracity.grounding.case import Case
from veracity.grounding.config import GuardConfig
from veracity.grounding.placeholders import placeholders_absent
from veracity.question.language import language_by_words, language_of
from veracity.trace import QueryValidationError, ValidationErrorCode, clip

Figures = Literal["input", "spoken", "free"]
"""input: only figures that the input holds. spoken: small number words, too. free: any."""

_ORDINARY_WORDS = Decimal(12)
_HANDED = re.compile(r"[:：\"“„«](.+)", re.DOTALL)
_SHOWN = 40


@dataclass
class TextReview:
    """Reviews the drafts of one run; keeps the one that it released last."""

    request: str
    lang: str
    locale: str
    figures: Figures = "input"
    guard: GuardConfig = field(default_factory=GuardConfig)
    output: str | Mapping[str, Any] | None = None
    """What was released last."""

    async def __call__(self, draft: Draft, run: Run) -> QueryValidationError | None:
        """None releases the draft."""
        _ = run
        self.output = None
        problem = self._problem(draft)
        if problem is None and draft.kind is DraftKind.ANSWER:
            self.output = draft.fields if draft.fields is not None else draft.text
        return problem

    def _problem(self, draft: Draft) -> QueryValidationError | None:
        if not draft.text.strip() and not draft.fields:
            return malformed("answer", "The answer is empty: write it.")
        if self.figures == "free":
            return None
        return self._new_figure(draft.text) or self._made_up(draft.text)

    def _new_figure(self, text: str) -> QueryValidationError | None:
        """The first figure that the input does not hold."""
        items = list_items(text)
        if (multiple := MULTIPLES.search(text.casefold())) and multiple.group() not in self._echo.said:
            return _unbacked(multiple.group())
        # As its readers read it: a German reader takes 4,500 for four and a half.
        for figure in find_figures(text, locale_of(language_by_words(text) or self.locale)):
            if figure.start not in items and not self._is_backed(figure, text):
                return _unbacked(figure.text)
        return None

    def _is_backed(self, figure: Figure, text: str) -> bool:
        if echoed(figure, text, self._echo) is not None:
            return True
        small = all(abs(reading) <= _ORDINARY_WORDS for reading in figure.readings)
        return self.figures == "spoken" and figure.kind == "word" and small

    @cached_property
    def _echo(self) -> Echo:
        """What the input says, in the language of the text that it hands over: "ins Deutsche: it cost 4,500"."""
        handed = _HANDED.search(self.request)
        return echo_of(self.request, locale_of(language_of(handed.group(1) if handed else self.request)))

    def _made_up(self, text: str) -> QueryValidationError | None:
        case = Case(
            question=self.request,
            text=text,
            lang=self.lang,
            locale=self.locale,
            results={},
            trace=None,
            config=self.guard,
            echo=self._echo,
        )
        found = next(iter(placeholders_absent(case)), None)
        if found is None:
            return None
        return QueryValidationError(
            code=ValidationErrorCode.VALUE_NOT_FOUND, field=found.text or "answer", hint=found.message
        )


def _unbacked(said: str) -> QueryValidationError:
    hint = "The input does not say this figure: leave it out, or say it as the input does."
    return QueryValidationError(code=ValidationErrorCode.VALUE_NOT_FOUND, field=clip(said, _SHOWN), hint=hint)
