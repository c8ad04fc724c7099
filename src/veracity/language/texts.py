"""What Veracity itself says to people, in their language (`texts.yaml`). Answers come from templates; this is everything around them."""

from __future__ import annotations

from pathlib import Path

from veracity.language.locale import pick
from veracity.yaml_file import packaged

_TEXTS = Path(__file__).with_name("texts.yaml")


def say(key: str, lang: str, **values: object) -> str:
    """A text in this language, its gaps filled."""
    return pick(packaged(_TEXTS)[key], lang).format(**values)
