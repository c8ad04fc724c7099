"""Things that a question names and nothing in the data is called: no figure may be told of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from veracity.language.number_words import words_in

_HOW_MANY = re.compile(
    r"\bwie\s?viele\s+(\w+)|\bhow many\s+(?:of\s+(?:our|the)\s+)?(\w+)|(?:多少|几)[个名家位笔张人种次]?(\w+)"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_ENGLISH = words_in(
    "about above after again ahead along also always apart around away back based before behind below beside between both bring "
    "come either else enough even ever every exactly except exist first from full give given have help here hold instead into "
    "just keep last late later least less like list long look make many mean measure more most much need next often once only "
    "other over overall part past per please put rather really right same say see set several show since some soon stand still "
    "such take tell than that then there these thing think this those through till together told under until upon used very "
    "want well were what when where which while with within without work would year"
)
"""English words that are no things; a verb or an adverb that is repeated in an answer makes it no wrong one."""
_ENDINGS = ("ed", "ing", "ly", "est")


def things(question: str, unknown: Iterable[str], lang: str) -> tuple[str, ...]:
    """Those of a question's unknown words that are things, as far as their form tells."""
    return tuple(word for word in unknown if _is_thing(word, question, lang))


def _is_thing(word: str, question: str, lang: str) -> bool:
    if word == counted(question):
        return True
    if lang == "de":
        # German writes its nouns with a capital, and the first word of a sentence, too.
        found = re.search(rf"(?<![\w]){re.escape(word)}(?![\w])", question, re.IGNORECASE)
        first = found is None or not re.search(r"\w", re.split(r"[.!?:]\s", question[: found.start()])[-1])
        return found is not None and found.group()[0].isupper() and not first
    if lang == "en":
        return len(word) > 3 and word not in _ENGLISH and not word.endswith(_ENDINGS)
    return True


def counted(question: str) -> str | None:
    """What a question asks the number of."""
    found = _HOW_MANY.search(question.casefold())
    return next((group for group in found.groups() if group), None) if found else None


def speaks_of(text: str, thing: str) -> bool:
    """Whether a text says a word, in whatever form it is bent."""
    if _HAN.search(thing):
        return thing in text
    stem = thing[:-2] if len(thing) > 6 else thing
    return re.search(rf"(?<!\w){re.escape(stem)}\w{{0,4}}(?!\w)", text.casefold()) is not None


_SHORTEST_PART = 3


def is_head_of(word: str, label: str, names: Iterable[str]) -> bool:
    """Whether a word is the last part of a compound whose first part is a name, too: Art of Fahrzeugart, where there are Fahrzeuge."""
    word, label = word.casefold(), label.casefold()
    first = label.removesuffix(word).removesuffix("s")
    if len(word) < _SHORTEST_PART or not label.endswith(word) or len(first) <= _SHORTEST_PART:
        return False
    return any(name.casefold().startswith(first) and name.casefold() != label for name in names)
