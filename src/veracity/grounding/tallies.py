"""Tallies: a number before a noun that says how many there are, and the rows that bear it out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from veracity.answer.results import Result
from veracity.answer.values import Arg
from veracity.grounding.binding.text import Bound
from veracity.language.numbers import Figure

_MOST = 10_000
_YEARS = range(1900, 2101)
_UNITS = (
    r"jahr\w*|monat\w*|woche\w*|tag\w*|stunde\w*|minute\w*|sekunde\w*|year\w*|month\w*|week\w*|day\w*|hour\w*|minutes?|seconds?|quarters?|"
    r"quartal\w*|chf|eur|usd|gbp|franken|euro\w*|dollar\w*|pounds?|fr|mio|mrd|million\w*|milliard\w*|kg|km|m²|prozent|percent|stück|stk|"
    r"mal|times|bis|to|und|and|or|oder|x"
)
_COUNTS = re.compile(rf"[ \u00a0](?!(?:{_UNITS})(?!\w))[^\W\d_]|\s?[个名位家种款件条项笔人间所台辆张只]", re.IGNORECASE)
_NO_COUNT_BEFORE = re.compile(
    r"(?:mehr als|weniger als|mindestens|höchstens|über|unter|bis zu|ab|pro|je|nach|seit|vor|letzten|nächsten|innerhalb von|"
    r"more than|less than|fewer than|at least|at most|over|under|up to|per|within|last|next|past|than|since|after|before|"
    r"超过|至少|最多|不到|多于|少于|大于|小于|近|最近|过去|每|[-–/#.,:])\s*$",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"[ \u00a0][^\W\d_]{2,40}(?=\s*(?:[:：.!;,\n]|$|(?:sind|are|lauten)\s*[:：]))|\s?[个名位家][\u3400-\u9fff]{1,6}(?=[:：。，,；\n]|$|分别是|如下)"
)
"""A noun that nothing narrows down."""
_NUMBER_OF = re.compile(
    r"(?<![a-zäöü])(?:anzahl|zahl|number of|count of)(?: der| aller| all)? [^\W\d_]{2,40}\s?(?:[:：=]|ist|is|beträgt)\s?\*{0,2}$|[\u3400-\u9fff]{2,6}(?:总数|数量|人数)\s?[:：为是]\s?$",
    re.IGNORECASE,
)
"""Number of customers: so many."""


def is_count(figure: Figure, text: str) -> bool:
    """Whether a figure says how many things there are: 5 users, not 5 CHF, 5 years or more than 5."""
    if figure.kind not in ("number", "word") or not figure.readings or figure.percent:
        return False
    value = figure.readings[0]
    if figure.decimals[0] or figure.scale != 1 or not 0 <= value <= _MOST or value != value.to_integral_value():
        return False
    if len(figure.text) == len("2025") and value in _YEARS:
        return False
    if _NO_COUNT_BEFORE.search(text[max(0, figure.start - 24) : figure.start]):
        return False
    return _COUNTS.match(text, figure.end) is not None


def tallied(one: Bound, text: str, results: Mapping[str, Result]) -> Bound:
    """A figure that is not bound, but says how many rows there are in all: `There are 2 users: Keller and Rossi.`"""
    if one.provenance.status == "bound" or not _is_tally(one.figure, text):
        return one
    for result in _whole(results.values()):
        if one.figure.readings[0] == len(result.data.rows):
            name, rows = result.data.result_id, len(result.data.rows)
            arg = Arg(result=name, row_key={}, column="*", raw=rows)
            changed = {
                "value": str(rows),
                "kind": "derived",
                "expression": f"count({name})",
                "args": (arg,),
                "status": "bound",
            }
            return replace(one, provenance=one.provenance.model_copy(update=changed), why="", nearest=None)
    return one


def _is_tally(figure: Figure, text: str) -> bool:
    if is_count(figure, text) and _ALONE.match(text, figure.end):
        return True
    plain = figure.kind == "number" and not figure.percent and figure.scale == 1
    return plain and _NUMBER_OF.search(text[max(0, figure.start - 70) : figure.start]) is not None


def _whole(results: Iterable[Result]) -> Iterable[Result]:
    """Results that list things, wholly: one row is as likely a figure as a thing."""
    return (result for result in results if len(result.data.rows) > 1 and not result.data.truncated)
