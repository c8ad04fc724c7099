"""What the pages say, in German and English: one table of texts for each language, with the same keys."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, get_args

from veracity.yaml_file import packaged

Lang = Literal["de", "en"]
LANGS: tuple[Lang, ...] = get_args(Lang)
_FOLDER = Path(__file__).parent / "texts"


@cache
def texts(lang: Lang) -> dict[str, str]:
    """Every text of a language by its key."""
    read: dict[str, str] = packaged(_FOLDER / f"{lang}.yaml")
    return read


def say(lang: Lang, key: str, **values: object) -> str:
    """A text, its gaps filled; of one thing it may be said in another form than of several."""
    table = texts(lang)
    alone = table.get(f"{key}.one") if values.get("count") == 1 else None
    return (alone or table[key]).format(**values)


def label(lang: Lang, key: str, otherwise: str) -> str:
    """What a name of the data is called, where there is a word for it."""
    return texts(lang).get(key, otherwise)


def preferred(header: str) -> Lang:
    """The first language of ours in an Accept-Language header, by its weight; English where there is none."""
    weighed: list[tuple[float, Lang]] = []
    for entry in header.split(","):
        name, _, rest = entry.strip().partition(";")
        short = name.split("-")[0].lower()
        known = next((lang for lang in LANGS if lang == short), None)
        if known is not None:
            weighed.append((_weight(rest), known))
    return max(weighed, key=lambda one: one[0])[1] if weighed else "en"


def _weight(text: str) -> float:
    try:
        return float(text.strip().removeprefix("q="))
    except ValueError:
        return 1.0
