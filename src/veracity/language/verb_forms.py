"""Forms of verbs that a stem alone does not bring together: fliesst and geflossen of fliessen, behandelt of behandeln."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from veracity.language.folding import folded_text
from veracity.yaml_file import packaged

_NO_GE = ("be", "ge", "er", "ver", "zer", "ent", "emp", "miss", "ueber", "unter", "durch", "um", "wider")
"""German verbs that begin so have no ge- in their participle, or may have none."""


@lru_cache(maxsize=4096)
def verb_forms(verb: str, lang: str) -> tuple[str, ...]:
    """The folded forms of one verb. A form that nobody says does no harm: it is only looked for."""
    word = folded_text(verb)
    table = packaged(Path(__file__).with_name("verb_forms.yaml")).get(lang) or {}
    irregular = tuple(map(folded_text, table.get(word, ())))
    if lang != "de" or " " in word:
        return (word, *irregular)
    return tuple(dict.fromkeys((word, *_german(word), *irregular)))


def _german(word: str) -> tuple[str, ...]:
    if not word.endswith("n") or len(word) < 4:
        return ()
    root = word[:-2] if word.endswith("en") else word[:-1]
    link = "e" if root.endswith(("t", "d")) else ""
    participle = f"{root}{link}t"
    bare = (participle,) if word.startswith(_NO_GE) else ()
    return (f"{root}{link}t", f"{root}{link}te", f"{root}{link}ten", f"ge{participle}", *bare)
