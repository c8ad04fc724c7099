"""Where sentences end. A decision looks only at what stands before the end and at the next sign behind it.

So a text that comes in pieces is cut where the whole would be: as long as the next sign is not there, nothing is decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.language.folding import listed

_CLOSING = r"[”’」』）)\]\"'*_»]{0,4}"
_END = re.compile(rf"\n|[。！？；]+{_CLOSING}|[!?]+{_CLOSING}(?=\s|[\u2e80-\uffff]|$)|\.{_CLOSING}(?=\s|$)")
_NEXT = re.compile(r"\s*")
_OPEN = frozenset(".。！？；!?”’」』）)]\"'*_»")
_WORD = re.compile(r"[^\W\d_]+$")
_ORDINAL = re.compile(r"(?<![\w.,'’])[0-9]{1,2}$")
_MEASURED = re.compile(r"(?:°|[0-9]\s?)(?:[^\W\d_]|kg|min)$")
"""A unit behind a figure is no abbreviation: 30.4 °C., 860 kg."""
_LONGEST_WORD = 40
_ABBREVIATIONS = listed(
    "ca bzw inkl exkl evtl ggf max min nr no st str dr prof hr fr frau fam gebr mr mrs ms mme jr sr rev gov vs etc usw approx incl excl est dept fig mio mrd mia "
    "tsd jan feb mär mrz apr jun jul aug sep sept okt oct nov dez dec kg co ltd inc corp bros"
)
"""Words that keep their full stop within a sentence."""


def sentence_ends(text: str, start: int = 0, *, final: bool = True) -> Iterator[int]:
    """Where the sentences from `start` end; unless the text is final, only ends that nothing behind it can change."""
    for match in _END.finditer(text, start):
        behind = _NEXT.match(text, match.end())
        following = behind.end() if behind else match.end()
        if following == len(text) and not final:
            return
        if match.group()[0] != "." or _is_stop(text, match.start(), text[following : following + 1]):
            yield match.end()


def undecided(text: str) -> int:
    """From where on more text could still decide something: the signs that end a sentence or follow its end."""
    at = len(text)
    while at and (text[at - 1].isspace() or text[at - 1] in _OPEN):
        at -= 1
    return at


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a text; what follows the last end is one, too."""
    start = 0
    for end in sentence_ends(text):
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)


def _is_stop(text: str, at: int, following: str) -> bool:
    """Whether a full stop ends a sentence: not behind z. B., Mio. or the 3. of May, and not before a small letter."""
    if following.islower():
        return False
    before = text[max(0, at - _LONGEST_WORD) : at]
    if _ORDINAL.search(before):
        return not following
    if following.isalpha() and _MEASURED.search(before):
        return True
    word = _WORD.search(before)
    return word is None or (len(word.group()) > 1 and word.group().casefold() not in _ABBREVIATIONS) or not following
