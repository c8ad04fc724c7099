"""The figures of a requirement: what they count, which side they bound, and what can be measured against.

Numbers and units are read by `language/`. Here stands what is particular to requirements: bounds ("höchstens 5 s"), numbers that
only name something ("chapter 3"), percentiles and standards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from veracity.answer.render import list_items
from veracity.language.folding import listed
from veracity.language.function_words import function_words
from veracity.language.number_words import find_words
from veracity.language.numbers import Figure, locale_of
from veracity.language.stem import stem_of
from veracity.language.units import Quantity, quantities
from veracity.requirements.contracts import Lang

Bound = Literal["most", "least"] | None
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class BoundedQuantity:
    """A figure of a requirement, made comparable: 2000 ms is 2 s."""

    text: str
    """As it is written, with its unit."""
    values: frozenset[Decimal | str]
    """What it may say, in base units; of dates, times and labels a text that stands for them."""
    dimension: str | None
    """What its unit measures; `noun` where it counts things, `label` where it only names one, None where nothing follows."""
    bound: Bound = None
    noun: str = ""
    """The stem of what it counts, where that is no unit."""

    @property
    def unit(self) -> str | None:
        """What its unit measures; None without a unit."""
        return None if self.dimension in ("noun", "label") else self.dimension

    def agrees(self, other: BoundedQuantity) -> bool:
        """Whether both may be the same, with bounds that do not contradict each other."""
        opposed = self.bound is not None and other.bound is not None and self.bound != other.bound
        return not opposed and self.unit == other.unit and not self.values.isdisjoint(other.values)


def quantities_of(text: str, lang: Lang) -> tuple[BoundedQuantity, ...]:
    """The figures of a text, each with its unit and the side that it bounds; numbers of list items are none."""
    items = list_items(text)
    found = quantities(text, locale_of(lang))
    return tuple(_bounded(one, text, lang) for one in found if one.figure.start not in items)


def _bounded(quantity: Quantity, text: str, lang: Lang) -> BoundedQuantity:
    figure, written = quantity.figure, text[quantity.start : quantity.end].strip()
    bound = _bound_after(text, quantity.end) or _bound_before(text, quantity.start)
    if not figure.readings:
        return BoundedQuantity(written, frozenset(_spellings(figure)), None, bound)
    values: frozenset[Decimal | str] = frozenset(quantity.values)
    if quantity.unit is not None:
        return BoundedQuantity(written, values, quantity.unit.dimension, bound)
    if _is_named(text, figure.start):
        return BoundedQuantity(written, values, "label", bound)
    counted = _WORD_AFTER.match(text, figure.end)
    word = counted[1].casefold() if counted else ""
    noun = stem_of(word, lang) if word and word not in function_words("de", "en") else ""
    return BoundedQuantity(written, values, "noun" if noun else None, bound, noun)


def _spellings(figure: Figure) -> Iterator[str]:
    """What a date, a time or a label is compared by."""
    yield from (day.isoformat() for day in figure.dates)
    if not figure.dates:
        yield figure.text if figure.kind == "time" else compact(figure.text)


def compact(text: str) -> str:
    """The letters and digits of a text: ISO-27001 and ISO 27001 are spelt alike."""
    return "".join(sign for sign in text.casefold() if sign.isalnum())


# --- numbers that only name something

_WORD_AFTER = re.compile(r"(?:[ \u00a0\u202f-]{0,2}| ?\n)([^\W\d_]{1,24})")
_WORD_BEFORE = re.compile(r"([^\W\d_][\w.-]*|§)[ \u00a0]{0,2}$")
_LABELS = listed(
    "version release kapitel abschnitt section chapter level stufe phase sprint tabelle table abbildung figure anlage anhang appendix "
    "annex schritt step nr no nummer number artikel article § anforderung requirement port seite page variante option klasse class "
    "teil part typ type windows android ios java python html oauth tls usb use-case usecase"
)


def _is_named(text: str, start: int) -> bool:
    """Whether a number only names something: the 3 of chapter 3."""
    before = _WORD_BEFORE.search(text, max(0, start - _REACH), start)
    return before is not None and before[1].rstrip(".").casefold() in _LABELS


# --- bounds

_REACH, _LONGEST_BOUND = 28, 20
_MORE = "more|longer|later|greater|larger|higher|mehr|länger|später|grö(?:ß|ss)er|höher"
_LESS = "less|fewer|shorter|earlier|smaller|lower|faster|sooner|weniger|kürzer|früher|kleiner|niedriger|schneller"
_BETWEEN = r"(?: (?:zu|zum|von|den|dem|der|die|the|about|etwa|ca\.))?[ \u00a0]?$"
"""What may stand between a preposition and the figure that it bounds; anywhere else it is said of something else."""
_BOUND = re.compile(
    rf"(?<![^\W_])(?:(?P<most>(?:no|not|nicht|kein\w{{0,2}}) (?:\w{{1,12}} )?(?:{_MORE}) (?:than|als)|(?:not|never) (?:to )?exceed\w{{0,3}}"
    rf"|at most|up to|höchstens|maxim(?:um|al)|max\b|spätestens|innerhalb|binnen|within|below|unterhalb|(?:{_LESS}) (?:than|als)"
    rf"|(?:unter|under|bis|until){_BETWEEN})"
    rf"|(?P<least>(?:no|not|nicht) (?:\w{{1,12}} )?(?:{_LESS}) (?:than|als)|at least|mindestens|wenigstens|minim(?:um|al)|min\."
    rf"|above|oberhalb|exceed\w{{0,3}}|(?:{_MORE}) (?:than|als)|(?:ab|über|over|from){_BETWEEN}))"
    rf"|(?P<most_sign>[<≤]=?{_BETWEEN})|(?P<least_sign>[>≥]=?{_BETWEEN})"
)
_BOUND_AFTER = re.compile(
    r"[^.;,\n0-9]{0,20}?\b(?:(?P<most>nicht über\w{4,12}|not be exceeded|unterschr(?:eit|itt)\w{0,3}|"
    r"(?:oder|or) (?:weniger|kürzer|kleiner|schneller|less|fewer|shorter|faster))"
    r"|(?P<least>nicht unter\w{4,12}|(?:oder|or) (?:mehr|länger|grö(?:ß|ss)er|höher|langsamer|more|longer|greater|higher|slower)|"
    r"über(?:schreit|steig|schritt|stieg)\w{0,3}))"
)
NEGATED_BOUND = re.compile(
    rf"(?<![^\W_])(?:(?:no|not|nicht|kein\w{{0,2}}) (?:\w{{1,12}} )?(?:{_MORE}|{_LESS}) (?:than|als)|(?:not|never) (?:to )?exceed\w{{0,3}}|"
    r"not be exceeded|nicht (?:zu )?(?:über|unter)(?:schreite|steige|schritte|stiege)n?)(?![^\W_])",
    re.IGNORECASE,
)
"""A bound that is said with a "not", where nothing is negated."""


def _bound_before(text: str, start: int) -> Bound:
    """The side that the words before a figure bound; another figure in between ends their reach."""
    near = re.split(r"[0-9;\n]|[.,] ", text[max(0, start - _REACH - _LONGEST_BOUND) : start].casefold())[-1]
    found = [match for match in _BOUND.finditer(near) if len(near) - match.end() <= _REACH]
    return None if not found else "most" if found[-1]["most"] or found[-1]["most_sign"] else "least"


def _bound_after(text: str, end: int) -> Bound:
    """The side that the words behind a figure bound: "5 s or more", "5 s nicht überschreiten"."""
    found = _BOUND_AFTER.match(text[end : end + _REACH].casefold())
    return None if found is None else "least" if found["least"] else "most"


# --- what can be measured against

_DIGIT = re.compile(r"\d")
_PERCENTILE = re.compile(r"\b[Pp]\d{2}\b")
_STANDARD = re.compile(
    r"\b(?:ISO|IEC|DIN|IEEE|ANSI|RFC|WCAG|BITV|BSI|OWASP|ETSI|ECMA|VDE|VDI|NIST|FIPS|PCI[- ]DSS|GDPR|DSGVO|HIPAA|GoBD|EN[ -]?\d)"
    r"(?![^\W\d_])[\w./:-]*"
)
_FIGURE_AND_LETTERS = re.compile(r"\d+[^\W\d_]\w*")
_SIGN_BEFORE = re.compile(r"[=±][ \u00a0]?$")
_NOT_COUNTED = listed("und oder and or bis to is are shall must muss soll ist sind of")


def measures_in(shadow: str, lang: Lang) -> tuple[Span, ...]:
    """The places of everything that can be measured against, in order: figures that count, percentiles and standards."""
    standards = tuple(match.span() for match in _STANDARD.finditer(shadow))
    # Most texts have neither a digit nor a number word; the whole grammar of figures is for the others.
    may_count = _DIGIT.search(shadow) is not None or any(find_words(shadow.casefold(), lang))
    found = quantities(shadow, locale_of(lang)) if may_count else []
    counting = (_counting(one, shadow) for one in found)
    figures = (span for span in counting if span is not None and not within(span[0], standards))
    return tuple(sorted((*standards, *figures, *(match.span() for match in _PERCENTILE.finditer(shadow)))))


def _counting(quantity: Quantity, shadow: str) -> Span | None:
    """The place of a figure with what it counts; None of one that only names something, or has nothing to count."""
    start, end = quantity.start, quantity.end
    if quantity.unit is not None:
        return start, end
    word = _WORD_AFTER.match(shadow, end)
    counted = word is not None and word[1].casefold() not in _NOT_COUNTED
    if counted and word is not None:
        end = word.end()
    if (
        _bound_before(shadow, start)
        or _bound_after(shadow, quantity.end)
        or _SIGN_BEFORE.search(shadow, max(0, start - 2), start)
    ):
        return start, end
    if quantity.figure.kind == "label":
        # 10x and 3D count, UTF-8 and 2-factor are names.
        counted = _FIGURE_AND_LETTERS.fullmatch(quantity.figure.text) is not None
    before = _WORD_BEFORE.search(shadow, max(0, start - 40), start)
    named = before is not None and before[1].isupper() and len(before[1]) > 1
    return (start, end) if counted and not named and not _is_named(shadow, start) else None


def within(place: int, spans: tuple[Span, ...]) -> bool:
    """Whether a place lies in one of these spans."""
    for start, end in spans:  # noqa: SIM110 - asked for every word of a text; a generator took three times as long
        if start <= place < end:
            return True
    return False
