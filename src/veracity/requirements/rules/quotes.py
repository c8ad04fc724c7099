"""What is quoted in a requirement, and the shadow of its text in which that cannot be read.

A quoted text is content ("the message 'not correct' is shown"), so no rule may look into it. The shadow has the length of the
text, so that every place in it is a place in the text.
"""

from __future__ import annotations

import re

from veracity.requirements.contracts import RULE_IDS

HIDDEN = "\x00"
"""What stands in the shadow for a hidden character; no word and no space, so nothing is joined across it."""
_MARK = re.compile(r"[„“”\"«»‹›‚‘'`]|\n[ \t]*\n")
_CLOSING = {
    "„": '“”"',
    "“": '”"',
    "”": "”",
    '"': '"”',
    "«": "»",
    "»": "«",
    "‹": "›",
    "›": "‹",
    "‚": "‘'",
    "‘": "'",
    "'": "'",
    "`": "`",
}
_SINGLE = "‘'‚"
_URL = re.compile(r"\bhttps?://[^\s<>\"]+")
_COMMENT = re.compile(
    r"(?:<!--|\(|\[|#|//)?\s{0,3}\bveracity:\s{0,3}ignore\b[ \t]{0,3}([A-Za-z]+(?:[ \t]{0,3},[ \t]{0,3}[A-Za-z]+)*)?"
    r"\s{0,3}(?:-->|\)|\])?",
    re.IGNORECASE,
)


def ignored_in(text: str) -> tuple[frozenset[str], tuple[tuple[int, int], ...]]:
    """The rules that `veracity: ignore RULE, RULE` in a text switches off for it, and where that is written."""
    if "eracity" not in text and "ERACITY" not in text:
        return frozenset(), ()
    rules: set[str] = set()
    places: list[tuple[int, int]] = []
    for found in _COMMENT.finditer(text):
        places.append(found.span())
        rules.update((name.strip().upper() for name in found[1].split(",")) if found[1] else RULE_IDS)
    return frozenset(rules), tuple(places)


def quotations(text: str) -> list[tuple[int, int]]:
    """The places of quoted texts, with their marks. Marks around the whole text only wrap it."""
    found: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for mark in _MARK.finditer(text):
        sign, at = mark[0], mark.start()
        if sign[0] == "\n":
            opened = None
        elif opened and sign in _CLOSING[opened[1]] and not _inside_word(text, at, sign):
            found.append((opened[0], at + 1))
            opened = None
        elif _may_open(text, at, sign) and (opened is None or opened[1] in _SINGLE or sign == opened[1]):
            opened = (at, sign)
    whole = text.strip().rstrip(".!;")
    if len(found) == 1 and text[found[0][0] : found[0][1]] == whole:
        return []
    return found


def _inside_word(text: str, at: int, sign: str) -> bool:
    """Whether a single mark is an apostrophe: it's."""
    return sign in _SINGLE and text[at + 1 : at + 2].isalnum()


def _may_open(text: str, at: int, sign: str) -> bool:
    """Whether a mark may open: not the inches of 19", nor the apostrophe of users'."""
    if sign in "„«»“‹›‚":
        return True
    return not text[at - 1 : at].isalnum() if at else True


def shadow_of(text: str, hidden: tuple[tuple[int, int], ...]) -> str:
    """The text with what is quoted, with addresses, comments, and these further places hidden."""
    places = [*quotations(text), *_comments(text), *hidden]
    if "://" in text:
        places.extend(found.span() for found in _URL.finditer(text))
    if not places:
        return text
    letters = list(text)
    for start, end in places:
        letters[start:end] = HIDDEN * (end - start)
    return "".join(letters)


def _comments(text: str) -> list[tuple[int, int]]:
    """The comments of HTML and Markdown, which nobody sees."""
    found: list[tuple[int, int]] = []
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start)
        if end < 0:
            break
        found.append((start, end + 3))
        start = text.find("<!--", end)
    return found
