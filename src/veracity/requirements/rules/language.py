"""Which language a requirement is in. Its words, umlauts and endings vote; titles often have no article to go by."""

from __future__ import annotations

import re
from collections.abc import Sequence

from veracity.language.detect import language_by_letters
from veracity.language.folding import listed
from veracity.requirements.contracts import Lang
from veracity.requirements.rules.phrases import TextWord

_UMLAUT = re.compile(r"[äöüßÄÖÜ]|[aouAOU]\u0308")
# Words of both languages ("die", "in", "an", "so", "will", "fast", "am") tell nothing and are left out.
_TELLING: dict[Lang, frozenset[str]] = {
    "de": listed(
        "der das den dem des ein eine einen einem einer eines und oder nicht kein keine keinen ist sind wird werden wurde muss "
        "muessen soll sollen sollte sollten kann koennen darf duerfen fuer mit von vom bei beim auf aus im zum zur als wenn falls "
        "sobald solange sofern damit moechte ich er sie es wir sein haben hat durch ueber unter nach sich alle jeder jede jedes "
        "wie bis dass ohne bereits ihre seine nur auch ab zwischen innerhalb pro je"
    ),
    "en": listed(
        "the a of and or not is are be been shall must should can may might would to for with by from on at as if when while "
        "where that this these which user users it its their they we you i have has within via all any each every before after "
        "between only no into per-user able"
    ),
}
_ENDING: dict[Lang, re.Pattern[str]] = {
    "de": re.compile(
        r"\w{3,}(?:ung|ungen|heit|keit|keiten|schaft|lich|liche[rsnm]?|ieren|iert|bar|enz|taet|isch|ische[rsnm]?)"
    ),
    "en": re.compile(r"\w{3,}(?:ing|ings|ness|ity|ities|ly|ed|ies|able|ous|ful|ance|ence)"),
}


def language_of(text: str, words: Sequence[TextWord]) -> Lang:
    """The language of a requirement; English if nothing shows."""
    return told_language(text, words) or "en"


def told_language(text: str, words: Sequence[TextWord]) -> Lang | None:
    """The language that a text shows: what its words say, then how they end, then their letters."""
    votes = {lang: sum(word.text in known for word in words) for lang, known in _TELLING.items()}
    votes["de"] += 2 if _UMLAUT.search(text) else 0
    if votes["de"] == votes["en"]:
        for lang, ending in _ENDING.items():
            votes[lang] += sum(ending.fullmatch(word.text) is not None for word in words)
    if votes["de"] == votes["en"]:
        return "de" if language_by_letters(text) == "de" else None
    return "de" if votes["de"] > votes["en"] else "en"
