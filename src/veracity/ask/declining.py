"""Why a question is not answered: which word is unknown or which part does not fit, how far it is understood, what is there instead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from veracity.answer.unknown_things import things
from veracity.contracts import clip
from veracity.language.folding import fold, listed, words_in
from veracity.language.locale import pick
from veracity.language.nearest import nearest, words_of
from veracity.language.texts import say
from veracity.ontology.entities import Measure
from veracity.semantic.reading.readings import Readings
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for

MOST_PARTS = 5
_SHOWN_UNKNOWN = 3
_SHOWN_TABLES = 12
_SHORTEST_NAME = 3
_LONGEST_PART = 120
_LONGEST_WORD = 40
_MISSPELT = 0.8
_SO_MUCH = listed("most much best meisten viel besten 最多 多少")


def quoted(parts: Sequence[str], lang: str) -> str:
    """Parts of a question, each between quotes."""
    said = (say("part_said", lang, x=clip(part, _LONGEST_PART)) for part in parts[:MOST_PARTS])
    return ("、" if lang == "zh" else ", ").join(said)


def with_unknown_words(
    question: str, found: Readings, lang: str, names: Sequence[str], tables: Sequence[str]
) -> list[str]:
    """Things that nothing is called, other words that are not understood, what is understood beside them, and what there is."""
    said = dict(zip(found.unknown, found.unknown_said, strict=False))
    are_things = {word for word, text in said.items() if things(question, [text.casefold()], lang)}
    missing = [clip(text, _LONGEST_WORD) for word, text in said.items() if word in are_things]
    others = [clip(text, _LONGEST_WORD) for word, text in said.items() if word not in are_things]
    parts = list[str]()
    if missing:
        parts.append(say("not_in_data", lang, words=", ".join(missing[:_SHOWN_UNKNOWN])))
    if others:
        parts.append(say("word_not_understood", lang, words=quoted(others[:_SHOWN_UNKNOWN], lang)))
    if found.understood:
        parts.append(say("understood_beside", lang, parts=quoted(found.understood, lang)))
    near = _near(list(said), [name for name in names if len(name) >= _SHORTEST_NAME])
    if near:
        parts.append(say("did_you_mean", lang, names=", ".join(near[:MOST_PARTS])))
    elif missing:
        shown = [*tables[:_SHOWN_TABLES], "…"] if len(tables) > _SHOWN_TABLES else tables
        parts.append(say("tables", lang, tables=", ".join(shown)))
    return parts


def unconfirmed_measure(unknown: Sequence[str], measures: Iterable[Measure], lang: str) -> str:
    """What a person is asked first, where an unknown word names a measure that nobody has confirmed; else empty."""
    words = {key_of(word) for word in unknown}
    for measure in measures:
        if measure.question and any(key_of(name) in words for name in names_for(measure.name, measure)):
            return say("not_confirmed_yet", lang, x=pick(measure.question, lang))
    return ""


def asks_for_revenue(question: str) -> bool:
    """Whether a verb of money asks for what something came to, without naming it: sold the most, spent."""
    verbs = {key for kind in ("verb_sell", "verb_spend", "verb_bring") for key in in_all_languages(kind)}
    words = words_in(question)
    return not _SO_MUCH.isdisjoint(words) and any(key_of(word) in verbs for word in words)


def _near(unknown: Sequence[str], names: Sequence[str]) -> list[str]:
    """Names that are misspelt in a question, or have the word as one of theirs: others that look alike mean something else."""
    found = dict[str, None]()
    for word in unknown[:_SHOWN_UNKNOWN]:
        name = nearest(word, names)
        if name and (_is_misspelt(word, fold(name).text) or word in words_of(name).split()):
            found[name] = None
    return list(found)


def _is_misspelt(word: str, name: str) -> bool:
    """Whether a word is a name with a letter wrong: vegan is no Versand, and Kinder are no kind."""
    alike = SequenceMatcher(None, word, name).ratio() > _MISSPELT
    return alike and word[:2] == name[:2] and abs(len(word) - len(name)) < len("er")


def not_composed(found: Readings, lang: str) -> str:
    """Every word is known, but not how they belong together: what is understood, and what does not fit to it."""
    if found.unmet:
        return say("unmet", lang, core=quoted([found.instead], lang), piece=quoted([found.unmet], lang))
    if found.instead and found.beside:
        return say("does_not_fit", lang, core=quoted([found.instead], lang), rest=quoted(found.beside, lang))
    if 1 < len(found.understood) <= MOST_PARTS:
        return say("understood_apart", lang, parts=quoted(found.understood, lang))
    return say("not_understood", lang)
