"""The forms of verbs, told by their endings: good enough for hints, without a parser."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from veracity.language.folding import listed
from veracity.requirements.contracts import Lang
from veracity.requirements.rules.phrases import PhraseMatch, TextWord, word_set

_PREFIX = (
    "an|ab|auf|aus|bei|bereit|dar|durch|ein|fest|fort|frei|gleich|heran|heraus|her|hin|hinzu|hoch|mit|nach|nieder|offen|sicher|"
    "statt|um|unter|voraus|vor|weg|weiter|wieder|zu|zurueck|zusammen|zwischen|ueber"
)
_PARTICIPLE = re.compile(rf"(?:{_PREFIX})?(?:ge\w{{2,}}(?:t|en)|(?:be|er|ver|zer|ent|emp)\w{{3,}}t)|\w{{3,}}iert")
_ADJECTIVE = ("ten", "nden", "igen", "lichen", "enen", "baren", "samen", "ischen")
"""How an adjective or a participle before a noun ends: "der angezeigten Daten"."""
_STRONG = ("halten", "boten", "beten", "treten", "schnitten", "raten")
_INFINITIVE = re.compile(r"\w{2,}(?:en|ern|eln|tun|sein)")


def is_participle(word: str) -> bool:
    """Whether a German word, folded, looks like a past participle: gespeichert, angezeigt, validiert, verschickt."""
    if word in word_set("no_participle", "de") or _PARTICIPLE.fullmatch(word) is None:
        return False
    return not word.endswith(_ADJECTIVE) or word.endswith(_STRONG)


def is_infinitive(word: str) -> bool:
    """Whether a German word, folded, looks like an infinitive; adjectives may look so, too."""
    return word not in word_set("no_infinitive", "de") and _INFINITIVE.fullmatch(word) is not None


def is_english_participle(word: str) -> bool:
    """Whether an English word looks like a past participle: stored, sent."""
    regular = word.endswith("ed") and len(word) > 4 and word not in word_set("no_passive", "en")
    return regular or word in word_set("participle", "en")


_OBJECT = listed(
    "the a an all any each every its their his her my our your this that these those it them to him us me new which"
)


def is_english_verb(word: str, after: str) -> bool:
    """Whether an English word is a verb of requirements; one that may be a noun, too, is one when an object follows."""
    return word in word_set("verb", "en") and (after in _OBJECT or word not in word_set("also_noun", "en"))


# --- the modal verbs of a requirement: those that bind (muss, shall) and those that leave it open (sollte, should)


_SOLL = ("soll", "sollen")
_MAY = ("darf", "duerfen")
_FORBIDS = listed("nicht nur erst nie niemals keinesfalls kein keine keinen keinem keiner keines")
_HAVE_TO = listed("ist sind hat haben")
_WILL = ("wird", "werden")
_REACH = 20
_PAUSE = re.compile(r"[.,;:!?]|\n\s*\n")


def binding_modals(
    listed_ones: Sequence[PhraseMatch], shadow: str, words: Sequence[TextWord], lang: Lang, *, soll: bool
) -> tuple[PhraseMatch, ...]:
    """The modal verbs that bind: those of the list, and of German further ones; "soll" binds unless the project says otherwise."""
    found = list(listed_ones)
    if lang == "de":
        found.extend(_german_binding(shadow, words, soll))
        found.sort(key=lambda match: match.start)
    return tuple(found)


def weak_modals(
    listed_ones: Sequence[PhraseMatch], shadow: str, words: Sequence[TextWord], lang: Lang, *, soll: bool
) -> tuple[PhraseMatch, ...]:
    """The modal verbs that do not bind: those of the list, and of German further ones; with `soll` that is one of them."""
    found = list(listed_ones)
    if lang == "de":
        for at, word in enumerate(words):
            if (soll and word.text in _SOLL) or (word.text in _WILL and _is_future(shadow, words, at)):
                found.append(_match_of_word(words, at))
        found.sort(key=lambda match: match.start)
    return tuple(found)


def _german_binding(shadow: str, words: Sequence[TextWord], soll: bool) -> Iterator[PhraseMatch]:
    for at, word in enumerate(words):
        if word.text in _SOLL:
            if soll:
                yield _match_of_word(words, at)
        elif word.text in _MAY:
            if any(other.text in _FORBIDS for other in clause_after(shadow, words, at)):
                yield _match_of_word(words, at)
        elif word.text in _HAVE_TO and _has_to(clause_after(shadow, words, at)):
            yield _match_of_word(words, at)


def clause_after(shadow: str, words: Sequence[TextWord], at: int) -> list[TextWord]:
    """The words after one, up to the next pause."""
    found: list[TextWord] = []
    end = words[at].end
    for word in words[at + 1 : at + 1 + _REACH]:
        if _PAUSE.search(shadow, end, word.start):
            break
        found.append(word)
        end = word.end
    return found


def _has_to(following: Sequence[TextWord]) -> bool:
    """Whether "ist" or "hat" goes on with "zu prüfen" or "auszugeben"."""
    pairs = pairwise(following)
    apart = any(one.text == "zu" and not other.capital and is_infinitive(other.text) for one, other in pairs)
    return apart or any(not word.capital and "zu" in word.text[2:-3] and is_infinitive(word.text) for word in following)


def _is_future(shadow: str, words: Sequence[TextWord], at: int) -> bool:
    """Whether "wird" goes on with an infinitive; with a participle it is a passive."""
    if at and is_participle(words[at - 1].text):
        return False
    following = [word for word in clause_after(shadow, words, at) if not word.capital]
    return (
        bool(following)
        and is_infinitive(following[-1].text)
        and not any(is_participle(word.text) for word in following)
    )


def _match_of_word(words: Sequence[TextWord], at: int) -> PhraseMatch:
    return PhraseMatch(words[at].text, words[at].start, words[at].end, at, at)
