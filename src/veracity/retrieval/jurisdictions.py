"""Whose law a source is about: what its text names, else where its host is; and which hosts publish the law itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from veracity.retrieval.addresses import host_of
from veracity.retrieval.custom_facets import starts_of_words
from veracity.yaml_file import packaged

_SPOKEN = 3
_STEM = 5


def is_law_host(url: str) -> bool:
    """Whether a host publishes the law itself."""
    host = host_of(url)
    return any(_under(host, law) for one in _jurisdictions().values() for law in one["laws"])


def jurisdictions_of(text: str, url: str) -> tuple[str, ...]:
    """The jurisdictions that a text names; where it names none, that of its host."""
    lowered = text.casefold()
    known = _jurisdictions().items()
    if named := tuple(code for code, one in known if starts_of_words(tuple(one["words"])).search(lowered)):
        return named
    host = host_of(url)
    return tuple(code for code, one in known if any(_under(host, end) for end in (*one["hosts"], *one["laws"])))


def law_fit(wanted: str, about: Sequence[str], text: str) -> float:
    """1 where the wanted law is meant, -1 where only others are, 0 where nothing shows it."""
    code = _code_of(wanted)
    if code is None:
        # One that is not in the list, such as a canton: its own words have to be there.
        return 1.0 if share_of_words(wanted, text) == 1.0 else 0.0
    if {code, *_jurisdictions()[code].get("within", ())}.intersection(about):
        return 1.0
    # The law of a part says something about the whole: it is neither the wanted one nor another one.
    parts = {other for other, one in _jurisdictions().items() if code in one.get("within", ())}
    return -1.0 if about and not parts.intersection(about) else 0.0


def share_of_words(said: str, text: str) -> float:
    """How many of the words that were said stand in a text, by their beginnings."""
    words = {word[:_STEM] for word in re.findall(r"\w+", said.casefold()) if len(word) > _SPOKEN or not word.isascii()}
    lowered = text.casefold()
    found = [word for word in words if re.search(rf"(?<!\w){re.escape(word)}", lowered)]
    return len(found) / len(words) if words else 0.0


def _code_of(wanted: str) -> str | None:
    """`DE`, `Germany`, `Deutschland` and `DE-BY` are the same; None for one that is not in the list."""
    said = " ".join(wanted.casefold().split())
    for code, one in _jurisdictions().items():
        if said in (code.casefold(), *one["names"]) or said.startswith(f"{code.casefold()}-"):
            return code
    return None


def _under(host: str, end: str) -> bool:
    return host == end or host.endswith(f".{end}")


def _jurisdictions() -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = packaged(Path(__file__).with_name("jurisdictions.yaml"))
    return found
