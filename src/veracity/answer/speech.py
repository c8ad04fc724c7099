"""What is said without a template (a question back, a refusal) holds no figure of the data either."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.answer.coverage import Stored
from veracity.answer.figures import Figure, find_figures
from veracity.answer.render import Echo, echoed
from veracity.trace import QueryValidationError, ValidationErrorCode

_SMALL = 12
"""Up to here a number word is ordinary speech: "one of the two years"."""


def unproven_figure(texts: Sequence[str], echo: Echo, stored: Stored, locale: str) -> QueryValidationError | None:
    """The first figure that is neither the question's, nor a year or date, nor the name of something stored."""
    names = {value.casefold() for values in stored.values() for value in values if any(ch.isdigit() for ch in value)}
    for text in texts:
        for figure in find_figures(text, locale):
            if figure.kind == "word" and all(reading <= _SMALL for reading in figure.readings):
                continue
            if not (echoed(figure, text, echo) is not None or _is_calendar(figure) or figure.text.casefold() in names):
                hint = "Say this without figures; figures belong into answer, as expressions."
                code = ValidationErrorCode.TYPE_MISMATCH
                return QueryValidationError(code=code, field=figure.text, hint=hint)
    return None


def _is_calendar(figure: Figure) -> bool:
    if figure.dates:
        return True
    plain = figure.text.isascii() and figure.text.isdigit() and len(figure.text) == 4
    return plain and 1900 <= int(figure.text) <= 2100
