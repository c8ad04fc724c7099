"""Links, images, HTML and host names in a text of a model: found, or made harmless."""

from __future__ import annotations

import re

_TAG = r"<\s*/?\s*[a-zA-Z!?][^<>\n]{0,400}>?"
_LINK = r"!?\[[^\]\n]{0,400}\]\s*(?:\([^)\n]{0,2000}\)?|\[[^\]\n]{0,200}\])"
_ADDRESS = r"(?:[a-zA-Z][a-zA-Z0-9+.-]{1,15}:)?//[^\s<>]+|\b(?:https?|ftp|file|data|javascript|mailto|tel):\s*[^\s<>]+"
_HOST = (
    r"\b(?:www\.)?(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,62})\.)+(?:example|invalid|test|local|onion|com|org|net|info|io|dev|app|ai|co|me|biz|"
    r"xyz|site|online|shop|cloud|link|page|top|ch|de|at|li|fr|it|uk|eu|us|cn|ru|tv|cc)\b(?:[/:?#][^\s<>]*)?"
)
_MARKUP = re.compile("|".join((_TAG, _LINK, _ADDRESS, _HOST)))
_MOST_NESTED = 20
_LABEL = re.compile(r"!?\[([^\]\n]{0,400})\]")


def markup_in(text: str, allowed: str = "") -> str | None:
    """The first link, image, tag or host name of a text that `allowed` does not hold, too."""
    return next((found[0] for found in _MARKUP.finditer(text) if found[0] not in allowed), None)


def without_markup(text: str, allowed: str = "") -> str:
    """The text with nothing in it that a reader could follow or a page would load, but what `allowed` holds, too.

    What a link was called stays.
    """
    for _again in range(_MOST_NESTED):
        bare = _MARKUP.sub(lambda found: found[0] if allowed and found[0] in allowed else _label(found), text)
        if bare == text:
            break
        text = bare  # what was taken out may have held two halves apart
    return text


def _label(found: re.Match[str]) -> str:
    label = _LABEL.match(found[0])
    return label[1] if label else ""
