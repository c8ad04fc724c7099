"""What makes a requirement measurable: a number with whatever it counts, a bound, a percentile, or a standard."""

from __future__ import annotations

import re

from veracity.language.folding import listed

_NUMBER = re.compile(
    r"(?P<bound>[<>≤≥±]\s?=?\s?)?(?<![\w-])\d+(?:[.,'’]\d+)*"
    r"(?:[ \u00a0]?(?P<unit>[%‰€$£°]|[^\W\d_][\w/°]*))?"
)
_PERCENTILE = re.compile(r"\b[Pp]\d{2}\b")
_NUMBER_WORD = re.compile(
    r"\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|dreissig|hundert|tausend|"
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred|thousand)\s+[^\W\d_]\w*",
    re.IGNORECASE,
)
_STANDARD = re.compile(
    r"\b(?:ISO|IEC|DIN|IEEE|ANSI|RFC|WCAG|BITV|BSI|OWASP|ETSI|ECMA|VDE|VDI|NIST|FIPS|PCI[- ]DSS|GDPR|DSGVO|HIPAA|GoBD|EN[ -]?\d)"
    r"(?![^\W\d_])[\w./:-]*"
)
_LABEL = re.compile(r"([^\W\d_][\w.-]*)[ \u00a0]$")
_LABELS = listed(
    "version kapitel abschnitt phase schritt stufe level release section chapter step figure table tabelle abbildung anforderung "
    "requirement nr no nummer number port seite page sprint variante option klasse class teil part anhang annex appendix typ type "
    "windows android ios java python html oauth tls usb use-case usecase"
)
_CURRENCIES = listed("CHF EUR USD GBP")
_NOT_COUNTED = listed("und oder and or bis to is are shall must muss soll ist sind of")
_BOUND = re.compile(
    r"(?:max\.?|min\.?|maximal|minimal|mindestens|höchstens|hoechstens|unter|über|ueber|bis zu|weniger als|mehr als|"
    r"at least|at most|up to|under|over|below|above|within|more than|less than|fewer than)[ \u00a0]$",
    re.IGNORECASE,
)


def quantities_in(shadow: str) -> tuple[tuple[int, int], ...]:
    """The places of everything that can be measured against, in order."""
    found = [match.span() for match in _STANDARD.finditer(shadow)]
    standards = tuple(found)
    if any(letter.isdigit() for letter in shadow):
        found.extend(
            match.span()
            for match in _NUMBER.finditer(shadow)
            if _is_quantity(match, shadow) and not within(match.start(), standards)
        )
        found.extend(match.span() for match in _PERCENTILE.finditer(shadow))
    found.extend(match.span() for match in _NUMBER_WORD.finditer(shadow))
    return tuple(sorted(found))


def _is_quantity(match: re.Match[str], shadow: str) -> bool:
    """Whether a number counts something: not the 3 of chapter 3, nor a number with nothing to count."""
    unit = match["unit"] or ""
    if match["bound"] or (unit and unit in "%‰€$£°"):
        return True
    before = shadow[max(0, match.start() - 40) : match.start()]
    if _BOUND.search(before) or before.rstrip().endswith(("€", "$", "£", "=")):
        return True
    label = _LABEL.search(before)
    if label is not None:
        if label[1] in _CURRENCIES:
            return True
        if label[1].rstrip(".").lower() in _LABELS or (label[1].isupper() and len(label[1]) > 1):
            return False
    return bool(unit) and unit.lower() not in _NOT_COUNTED


def within(place: int, spans: tuple[tuple[int, int], ...]) -> bool:
    """Whether a place lies in one of these spans."""
    return any(start <= place < end for start, end in spans)
