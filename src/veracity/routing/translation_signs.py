"""A quick look whether a request may be a translation: most are none, and need none of the patterns of `translation.py`."""

from __future__ import annotations

MOST = 20_000
"""A longer text is left to the tools."""
MOST_BARE = 300
"""A longer text stands in quotes or behind a colon."""
LANG_EN = (
    "english|german|french|spanish|italian|chinese|simplified chinese|traditional chinese|mandarin|cantonese|japanese|korean|russian|portuguese|"
    "dutch|polish|turkish|arabic|latin|greek|swedish|danish|norwegian|finnish|czech|hungarian|hindi|thai|vietnamese|ukrainian|romanian|hebrew|indonesian"
)
_SAY_STARTS = frozenset({"how", "wha", "wie", "was"})
_SAY_ENDS = ("说", "讲", "写")
_SAY_LAST = (
    *LANG_EN.split("|"),
    *(f"{stem}{end}" for stem in ("isch", "deutsch") for end in ("", "en", "e", "es", "s")),
    "latein",
)
_SAY_WORDS = ("say", "word", "translation", "expression")
"""One of these forms ends with a language or has one of these words: a quick look, because most questions begin alike."""
_NAMED = ("transl", "bersetz", "译")


def may_be_translation(text: str) -> bool:
    """Whether a folded request has any sign of a translation."""
    return is_named(text) or is_said(text)


def is_named(text: str) -> bool:
    """Whether it says that something is to be translated."""
    return any(named in text for named in _NAMED)


def is_said(text: str) -> bool:
    """Whether it may ask how something is said in another language."""
    latin = text[:3] in _SAY_STARTS and (text.endswith(_SAY_LAST) or any(word in text for word in _SAY_WORDS))
    return len(text) <= MOST_BARE and (latin or any(end in text for end in _SAY_ENDS))
