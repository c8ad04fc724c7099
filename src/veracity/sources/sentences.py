"""Why a source cannot be read, as an error that can be told in German, too (`sentences.yaml`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from veracity.errors import SourceError
from veracity.language.locale import DEFAULT_LANGUAGE, pick
from veracity.yaml_file import packaged

_TEXTS = Path(__file__).with_suffix(".yaml")


@dataclass(frozen=True, slots=True)
class SentencePart:
    """A part of a sentence that has words of its own in each language."""

    key: str


class Unreadable(SourceError):
    """A source that cannot be opened or read; its text is the English sentence."""

    def __init__(self, key: str, **values: object) -> None:
        self._key, self._values = key, values
        super().__init__(self.told_in(DEFAULT_LANGUAGE))

    def told_in(self, lang: str) -> str:
        """The sentence in this language."""
        texts = packaged(_TEXTS)
        filled = {
            name: pick(texts[value.key], lang) if isinstance(value, SentencePart) else value
            for name, value in self._values.items()
        }
        return pick(texts[self._key], lang).format(**filled)
