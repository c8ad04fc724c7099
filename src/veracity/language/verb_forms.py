"""Forms of verbs that a stem alone does not bring together: fliesst and geflossen of fliessen, behandelt of behandeln."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

from veracity.language.folding import folded_text
from veracity.language.stem import noun_root
from veracity.yaml_file import packaged

_NO_GE = ("be", "ge", "er", "ver", "zer", "ent", "emp", "miss", "ueber", "unter", "durch", "um", "wider")
"""German verbs that begin so have no ge- in their participle, or may have none."""


_APART = ("zurueck", "aus", "ein", "auf", "ab", "an", "vor", "zu", "mit", "nach", "her", "hin", "durch", "fest", "bei")
"""What stands before German verbs, and by itself at the end of a sentence; ge- goes behind it."""
_SHORTEST = 4


@lru_cache(maxsize=4096)
def verb_forms(verb: str, lang: str) -> tuple[str, ...]:
    """The folded forms of one verb. A form that nobody says does no harm: it is only looked for."""
    word = folded_text(verb)
    irregular = _irregular(lang).get(word, ())
    if lang != "de" or " " in word:
        return (word, *irregular)
    return tuple(dict.fromkeys((word, *_german(word), *irregular)))


@lru_cache(maxsize=4096)
def past_forms(verb: str, lang: str) -> tuple[str, ...]:
    """The folded forms of one verb for what was done: placed, written, durchgeführt."""
    first, *rest = verb_forms(verb, lang)
    if lang != "en" or rest:
        return tuple(rest)
    if first.endswith("e"):
        return (f"{first}d",)
    if first.endswith("y") and first[-2:-1] not in tuple("aeiou"):
        return (f"{first[:-1]}ied",)
    return (f"{first}ed", f"{first}{first[-1]}ed")


def is_past_form(word: str) -> bool:
    """Whether an English word says what was done: reviewed, sent."""
    return word.endswith("ed") or any(word in forms for forms in _irregular("en").values())


@lru_cache(maxsize=4096)
def other_forms(word: str) -> tuple[str, ...]:
    """The other forms of an irregular English verb, by any of them: drew and draw, of drawn."""
    forms = ((verb, *others) for verb, others in _irregular("en").items() if word == verb or word in others)
    return tuple(dict.fromkeys(form for found in forms for form in found if form != word))


@cache
def _irregular(lang: str) -> Mapping[str, tuple[str, ...]]:
    table = packaged(Path(__file__).with_name("verb_forms.yaml")).get(lang) or {}
    return {folded_text(verb): tuple(map(folded_text, forms)) for verb, forms in table.items()}


def _german(word: str) -> tuple[str, ...]:
    if not word.endswith("n") or len(word) < 4:
        return ()
    prefix = next((one for one in _APART if word.startswith(one) and len(word) - len(one) > _SHORTEST), "")
    if prefix:  # ausstellen, ausgestellt; aufgeben, aufgegeben
        base = word.removeprefix(prefix)
        forms = (*_german(base), *_irregular("de").get(base, ()))
        apart = tuple(f"{prefix}{form}" for form in forms)
        return apart if prefix not in _NO_GE else (*apart, *_whole(word))
    return _whole(word)


def _whole(word: str) -> tuple[str, ...]:
    root = word[:-2] if word.endswith("en") else word[:-1]
    link = "e" if root.endswith(("t", "d")) else ""
    participle = f"{root}{link}t"
    bare = (participle,) if word.startswith(_NO_GE) else ()
    return (f"{root}{link}t", f"{root}{link}te", f"{root}{link}ten", f"ge{participle}", *bare)


def verbs_for(noun: str, lang: str) -> tuple[str, ...]:
    """The verbs for what was done where something is called so: prescribe of a prescription."""
    return _deeds(lang).get(noun_root(noun), ())


@cache
def _deeds(lang: str) -> Mapping[str, tuple[str, ...]]:
    table = packaged(Path(__file__).with_name("deeds.yaml")).get(lang, {})
    return {noun_root(folded_text(str(noun))): tuple(map(str, verbs)) for noun, verbs in table.items()}
