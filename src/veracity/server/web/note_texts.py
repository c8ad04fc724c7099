"""What readers of files and the draft note, told in the language of the page: their English sentences are known (`texts/notes.yaml`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter

from veracity.yaml_file import packaged

_FILE = Path(__file__).parent / "texts" / "notes.yaml"
_ROW = re.compile(r"^((?:[^:]*, )?)row (?=\d+: )")
_SIGNS = {"tabs": "Tabulatoren", "commas": "Kommas", "semicolons": "Strichpunkte", "bars": "senkrechte Striche"}


@dataclass(frozen=True, slots=True)
class KnownNote:
    """A sentence with gaps, in English as a pattern, and in German."""

    english: re.Pattern[str]
    german: str


@cache
def known_notes() -> tuple[KnownNote, ...]:
    """All sentences; of two that fit, the first is meant."""
    return tuple(KnownNote(_pattern(one["en"]), one["de"]) for one in packaged(_FILE))


def _pattern(sentence: str) -> re.Pattern[str]:
    gaps = ((re.escape(text), f"(?P<{gap}>.+?)" if gap else "") for text, gap, _, _ in Formatter().parse(sentence))
    return re.compile("".join(text + gap for text, gap in gaps), re.DOTALL)


def note_in(note: str, lang: str) -> str:
    """A note in this language; one that nobody has written in German stays English."""
    if lang != "de":
        return note
    # What may stand before a sentence is where it is true: a table, a column, a row.
    placed = _ROW.sub(r"\1Zeile ", note)
    starts = (0, *(colon.end() for colon in re.finditer(": ", placed)))
    told = ((placed[:start], _german(placed[start:])) for start in starts)
    return next((place + german for place, german in told if german is not None), note)


def _german(note: str) -> str | None:
    for one in known_notes():
        if (found := one.english.fullmatch(note)) is not None:
            return one.german.format(**{gap: _SIGNS.get(text, text) for gap, text in found.groupdict().items()})
    return None
