"""The text around a computed figure must not make another figure of it: no sign, digit, scale word or other currency."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from veracity.answer.values import VERBATIM, Value, ValueKind
from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.language.currencies import CURRENCIES
from veracity.language.numbers import SCALE_WORD, scale_of, written

_ALL = "|".join(re.escape(word) for word in sorted(CURRENCIES, key=len, reverse=True))
CURRENCY = re.compile(rf"(?<![a-z])(?:{_ALL})(?![a-z])", re.IGNORECASE)
_GAP = r"[\s*_()\[\]:：~=]{0,6}"
_AFTER = re.compile(rf"{_GAP}(?:{_ALL})(?![a-z])", re.IGNORECASE)
_BEFORE = re.compile(rf"(?<![a-z])(?:{_ALL})\.?{_GAP}$", re.IGNORECASE)
_EDGE = re.compile(r"[\n!?;。！？；，]|[.,](?=\s|\x00|$)")
_SIGNS = "-+−–—－﹣±"
_MINUS = re.compile(r"(?:负|(?<![a-z])(?:minus|negativ\w*|negative))\s*$")
_PERCENT = re.compile(r"[\s*_)]{0,3}(?:%|％|‰|prozent|percent|per cent|pct)", re.IGNORECASE)
_SCALES = re.compile(
    # "Mia Keller" is somebody; "Mia. Franken" are a thousand millions.
    r"(?<![a-z])(?:mio|mia(?!(?-i:\s+(?!Franken|Euro|Dollar|Pfund)[A-ZÄÖÜ][a-zäöü]))|mrd|tsd|tchf|kchf|mchf|teur|keur|meur|tusd|bn|mn|lakhs?|crores?|rappen|centimes?)(?![a-z])|"
    r"[千万亿角](?=元|法郎|瑞|美|欧|英|\)|）|$)",
    re.IGNORECASE,
)
_LETTER_SCALE = re.compile(r"[\s*]{0,2}(?:k|m|t)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FigureInText:
    """A computed value, how it was written, and the text it stands in."""

    value: Value
    expression: str
    inside: str
    before: str
    after: str
    clause: str
    """What was typed around it, up to the next full stop, comma or line."""
    other_units: Collection[str | None] = ()
    """The units of the other figures of its clause."""

    @property
    def name(self) -> str:
        """The expression, as it is shown in a refusal."""
        return f"{{{{ {clip(self.expression, 60)} }}}}"


def clause_at(masked: str, start: int, end: int) -> tuple[int, int]:
    """Where the clause of a figure begins and ends."""
    first = max((edge.end() for edge in _EDGE.finditer(masked, 0, start)), default=0)
    last = next((edge.start() for edge in _EDGE.finditer(masked, end)), len(masked))
    return first, last


def changed(one: FigureInText, locale: str) -> QueryValidationError | None:
    """What in the text around a computed figure would make another figure of it."""
    return _concatenated(one) or _with_currency(one) or (_altered(one, locale) if counts(one.value) else None)


def _problem(
    name: str, hint: str, suggestion: str | None = None, code: ValidationErrorCode = ValidationErrorCode.TYPE_MISMATCH
) -> QueryValidationError:
    return QueryValidationError(code=code, field=name, suggestion=suggestion, hint=hint)


def counts(value: Value) -> bool:
    """Whether it is a figure, not a name that happens to be a number."""
    return value.kind is ValueKind.NUMBER and value.role not in VERBATIM


def _concatenated(one: FigureInText) -> QueryValidationError | None:
    """Digits of the text and of a cell must not run into one number."""
    left = one.inside[:1].isdigit() and re.search(r"\d[.,'’]?$", one.before)
    right = one.inside[-1:].isdigit() and re.match(r"[.,'’]?\d", one.after)
    return _problem(one.name, "Digits stand right next to the figure; put a space between.") if left or right else None


def _altered(one: FigureInText, locale: str) -> QueryValidationError | None:
    value, before, after = one.value, one.before, one.after
    bare = before.rstrip(" \u00a0\u202f*_")
    bullet = before != bare and (not bare[:-1].strip(" \t") or bare[-2:-1] == "\n")
    signed = bare[-1:] and bare[-1:] in _SIGNS and not bullet and not bare[-2:-1].isalnum()
    if signed or re.match(r"[-−](?=\s|$)", after) or _MINUS.search(before.lower()):
        return _problem(one.name, "A sign before the figure would change it; write -(...) inside.")
    scale = SCALE_WORD.match(after.lower())
    if scale is not None and scale_of(scale, locale) != value.basis.scaled:
        said, divisor = scale.group().strip(), written(scale_of(scale, locale))
        hint = f"{clip(said, 12)} multiplies the figure; divide it by {divisor} inside."
        return _problem(said, hint, f"{{{{ {one.expression} / {divisor} }}}}")
    loose = _SCALES.search(one.clause) or _LETTER_SCALE.match(after)
    if value.basis.scaled in (1_000, 1_000_000) and scale is None and loose is None:
        return _problem(
            one.name, f"It was divided by {written(value.basis.scaled)}: say so after it, or do not divide."
        )
    if loose and value.basis.scaled == 1:
        return _problem(loose.group().strip(), "A unit beside the figure would change it; leave it out.")
    if not value.percent and _PERCENT.match(after):
        return _problem(one.name, "The figure is no percentage; write percent(a, b).")
    return None


def _with_currency(one: FigureInText) -> QueryValidationError | None:
    """A currency beside a figure is the one that the data gives it."""
    unit = one.value.unit
    if unit is None or unit not in CURRENCIES.values():
        beside = _AFTER.match(one.after) or _not_of_figure_before(_BEFORE.search(one.before))
        if beside and one.inside.strip()[-1:].isdigit() and one.value.kind in (ValueKind.NUMBER, ValueKind.TEXT):
            hint = "No currency is known for this figure: cite the currency's column."
            return _problem(beside.group().strip(" :"), hint, "{{ r1[0].currency }}", ValidationErrorCode.MIXED_UNITS)
        return None
    for found in CURRENCY.finditer(one.clause):
        said = CURRENCIES[found.group().casefold()]
        if said != unit and said not in one.other_units:
            hint = f"The figure is in {unit}, not in {said}."
            return _problem(said, hint, unit, ValidationErrorCode.MIXED_UNITS)
    return None


def _not_of_figure_before(found: re.Match[str] | None) -> re.Match[str] | None:
    """A currency before a figure, unless it belongs to the figure before: 180.00 CHF (2 accounts)."""
    return None if found is None or re.search(r"[\d\x00][ \u00a0\u202f]?$", found.string[: found.start()]) else found


def beside_currency(text: str, start: int, end: int) -> bool:
    """Whether a typed figure stands next to a currency, so that it would be read as an amount."""
    return bool(_AFTER.match(text, end) or _not_of_figure_before(_BEFORE.search(text[:start])))
