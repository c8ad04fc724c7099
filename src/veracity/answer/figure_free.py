"""Texts that must hold no figure of the data: questions back and refusals."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

from veracity.answer.coverage import Stored
from veracity.answer.figure_context import beside_currency
from veracity.answer.render import MULTIPLES, Echo, echoed, list_items
from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.language.numbers import Figure, find_figures, locale_of

_PERIODS = re.compile(r"\s?(?:jahre|perioden|monate|years|periods|months|个?年度|个?期间|个?月)", re.IGNORECASE)
"""A number word before one of these is ordinary speech: "one of the two years"."""

_RESULT = re.compile(r"r\d{1,3}")
_CODE_WORD = re.compile(
    r"(?:konto|konten|kontos|nummer|nr\.?|buchung|beleg|kunde\w*|lieferant\w*|account|accounts|entry|number|no\.?|voucher|"
    r"科目|账户|凭证|编号|号)[\s:：#]*$|(?:konten|accounts|科目)[^.!?。]*$",
    re.IGNORECASE,
)


def unproven_figure(texts: Sequence[str], echo: Echo, stored: Stored, locale: str) -> QueryValidationError | None:
    """The first figure that is neither the question's, nor a year or date, nor the name of something stored."""

    @cache  # a source may hold tens of thousands of names, and most texts have no figure that could be one
    def names() -> set[str]:
        return {value.casefold() for values in stored.values() for value in values if any(ch.isdigit() for ch in value)}

    for text in texts:
        items = list_items(text)
        if (multiple := MULTIPLES.search(text.casefold())) and multiple.group() not in echo.said:
            return _unproven(multiple.group())
        for figure in find_figures(text, locale_of(locale)):
            if figure.start in items or _RESULT.fullmatch(figure.text):
                continue
            if figure.kind == "word" and _PERIODS.match(text, figure.end):
                continue
            known = echoed(figure, text, echo) is not None or _is_calendar(figure) or _is_named(figure, text, names())
            if not known or beside_currency(text, figure.start, figure.end):
                return _unproven(figure.text)
    return None


def _unproven(said: str) -> QueryValidationError:
    hint = "Say this without figures; figures belong into answer, as expressions."
    return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, field=said, hint=hint)


def _is_named(figure: Figure, text: str, names: Collection[str]) -> bool:
    """Whether the figure is a stored name or a part of one: 1020, Halle 7 AG."""
    if figure.text.casefold() in names:
        # A bare code reads like an amount: it is named as one, or it is the whole of a suggested answer.
        return text.strip() == figure.text or _CODE_WORD.search(text[: figure.start]) is not None
    folded, part = text.casefold(), figure.text.casefold()
    return any(part in name and name in folded for name in names)


def _is_calendar(figure: Figure) -> bool:
    if figure.dates:
        return True
    plain = figure.text.isascii() and figure.text.isdigit() and len(figure.text) == 4
    return plain and 1900 <= int(figure.text) <= 2100
