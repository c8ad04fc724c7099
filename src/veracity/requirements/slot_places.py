"""Where a rewrite leaves a slot open: the words that say too little, taken as far as a sentence needs to stay whole.

"an appropriate period" is one place, so that "30 days" fits. Where any answer would break the sentence, there is no place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from veracity.language.folding import listed
from veracity.language.function_words import function_words
from veracity.requirements.contracts import Lang, RequirementFinding
from veracity.requirements.rules.phrases import TextWord, folded, word_set, words_in
from veracity.requirements.rules.verbs import is_english_participle, is_english_verb

_KIND_OF = {
    "VAGUE": "meaning", "ESCAPE": "condition", "OPEN": "list", "TBD": "value", "WEAKMODAL": "modal", "COMP": "reference",
    "NOACTION": "action", "NOOBJECT": "action",
}  # fmt: skip
"""The rules whose findings are places to fill in, and with what."""
_ENDS_LIST = listed("etc usw")
_LIST_ENDS = (
    "und so weiter",
    "and so on",
    "and so forth",
    "and the like",
    "or the like",
    "or similar",
    "oder aehnliche",
    "und dergleichen",
    "among others",
)
_JOINS = ("und/oder", "and/or", "bzw", "beziehungsweise")
_DEGREE = re.compile(r"(?:so|as) .+ (?:wie moeglich|as possible)|moeglichst")
_ARTICLES: dict[Lang, frozenset[str]] = {
    "de": listed("der die das den dem des ein eine einen einem einer eines"),
    "en": listed("a an the"),
}
_CONTRACTED = listed("im am zum zur beim vom ins ans")
_JOINED = re.compile(r"\s*(?:,|,?\s(?:und|oder|sowie|and|or))\s*")
_ADVERBS = listed("soon well often sometimes instantly enough")
_LONGEST_PHRASE = 5


@dataclass(frozen=True, slots=True)
class SlotPlace:
    """Characters of a text that a slot stands for; where `start` is `end`, it is put in there."""

    start: int
    end: int
    kind: str
    word: str
    """What the slot is about, where that is not what it stands for."""
    phrase: bool = False
    """Whether it ends with a noun, so that what follows is another place."""


def slot_places(text: str, findings: Sequence[RequirementFinding], lang: Lang) -> list[SlotPlace]:
    """Where slots go, in order; neighbours become one, and of two at the same place the first stays."""
    words = words_in(text)
    wanted = sorted(_wanted(text, findings, words, lang), key=lambda place: (place.start, -place.end))
    places: list[SlotPlace] = []
    for place in wanted:
        if places and place.start < places[-1].end:
            places[-1] = replace(places[-1], end=max(places[-1].end, place.end))
        elif (
            places
            and place.kind == places[-1].kind
            and not places[-1].phrase
            and place.start < place.end
            and not text[places[-1].end : place.start].strip()
        ):
            places[-1] = replace(places[-1], end=place.end)
        else:
            places.append(place)
    return [replace(place, word=place.word or text[place.start : place.end]) for place in places]


def _wanted(
    text: str, findings: Sequence[RequirementFinding], words: Sequence[TextWord], lang: Lang
) -> Iterator[SlotPlace]:
    for finding in findings:
        start, end = finding.span
        # "Cannot" says what holds.
        if finding.rule not in _KIND_OF or finding.severity == "info" or finding.text.casefold().endswith("not"):
            continue
        if not 0 <= start < end <= len(text):
            continue
        place = _place(text, SlotPlace(start, end, _KIND_OF[finding.rule], ""), words, lang)
        if place is not None:
            yield place


def _place(text: str, found: SlotPlace, words: Sequence[TextWord], lang: Lang) -> SlotPlace | None:
    """The place of one finding; None where a slot would break the sentence."""
    said = " ".join(folded(word) for word in text[found.start : found.end].split())
    if found.kind == "list":
        return _list_place(text, found, said)
    if found.kind == "condition" and _DEGREE.fullmatch(said):
        found = replace(found, kind="meaning")
        after = next((word for word in words if word.start >= found.end), None)
        if said == "moeglichst" and after is not None and not text[found.end : after.start].strip():
            found = replace(found, end=after.end)
    if found.kind == "condition":
        return replace(found, end=_with_point(text, found.end))
    if found.kind == "meaning":
        return _phrase(text, found, words, lang)
    if found.kind == "reference":
        phrase = _phrase(text, found, words, lang)
        end = found.end if phrase is None else phrase.end
        return SlotPlace(end, end, "reference", text[found.start : found.end])
    return replace(found, end=_with_point(text, found.end)) if found.kind == "value" else found


def _list_place(text: str, found: SlotPlace, said: str) -> SlotPlace | None:
    """The end of a list and "and/or" can be filled in; "such as" cannot without the words behind it."""
    if said.rstrip(".") in _JOINS:
        return replace(found, kind="join", end=_with_point(text, found.end))
    if said.rstrip(".") in _ENDS_LIST or said.startswith(_LIST_ENDS) or set(said) <= set(".…"):
        return replace(found, end=_with_point(text, found.end))
    return None


def _with_point(text: str, end: int) -> int:
    """The point of an abbreviation goes with it, unless it also ends the sentence."""
    return end + 1 if re.match(r"\.(?=\s{0,2}[a-zäöüß,])", text[end : end + 4]) else end


# --- phrases


def _phrase(text: str, found: SlotPlace, words: Sequence[TextWord], lang: Lang) -> SlotPlace | None:
    """A word with the noun that it describes and the article before it; the word alone where it describes none."""
    first = next((at for at, word in enumerate(words) if word.start >= found.start), None)
    last = next((at for at in range(len(words) - 1, -1, -1) if words[at].end <= found.end), None)
    if first is None or last is None:
        return found
    noun = _noun_after(text, words, last, lang)
    if noun is None:
        return found
    before = words[first - 1].text if first and not text[words[first - 1].end : found.start].strip() else ""
    if before in _CONTRACTED and lang == "de":
        return None
    first = _with_joined(words, first, lang)
    article = first > 0 and words[first - 1].text in _ARTICLES[lang]
    start = words[first - 1].start if article else words[first].start
    return replace(found, start=start, end=words[noun].end, phrase=True)


def _with_joined(words: Sequence[TextWord], first: int, lang: Lang) -> int:
    """Where a phrase begins that has two describing words: "relevante und nützliche Hinweise"."""
    if first < 2 or words[first - 1].text not in ("und", "oder", "and", "or"):
        return first
    other = words[first - 2]
    if lang == "de":
        described = not other.capital and other.text.endswith(("e", "en", "er", "es", "em"))
    else:
        described = other.text in word_set("vague", "en") | word_set("vague_context", "en")
    return first - 2 if described else first


def _noun_after(text: str, words: Sequence[TextWord], last: int, lang: Lang) -> int | None:
    """The last word of the phrase that a describing word belongs to; None where it describes nothing."""
    if lang == "en" and (words[last].text.endswith("ly") or words[last].text in _ADVERBS):
        return None
    noun: int | None = None
    for at in range(last + 1, min(len(words), last + 1 + _LONGEST_PHRASE)):
        between = text[words[at - 1].end : words[at].start]
        if between.strip() or not _goes_on(words, at, lang, noun is not None):
            break
        if lang == "en" or words[at].capital:
            noun = at
    return noun


def _goes_on(words: Sequence[TextWord], at: int, lang: Lang, has_noun: bool) -> bool:
    word = words[at].text
    if word in function_words("de", "en"):
        return False
    if lang == "de":
        return words[at].capital or (not has_noun and word.endswith(("e", "en", "er", "es", "em")))
    after = words[at + 1].text if at + 1 < len(words) else ""
    verb = is_english_participle(word) or is_english_verb(word, after) or is_english_verb(word.removesuffix("s"), after)
    return not word.endswith("ly") and not (has_noun and verb)


def joined_phrases(text: str, places: Sequence[SlotPlace]) -> list[SlotPlace]:
    """Places of one noun that only "and" or a comma parts as one: of "a fast and reliable network" one answer says both.

    Words that stand alone are asked about one by one: who says how fast has not said what is easy.
    """
    made: list[SlotPlace] = []
    for place in places:
        alike = bool(made) and place.phrase and place.kind == made[-1].kind == "meaning"
        if alike and _JOINED.fullmatch(text[made[-1].end : place.start]):
            made[-1] = replace(made[-1], end=place.end, word=text[made[-1].start : place.end])
        else:
            made.append(place)
    return made
