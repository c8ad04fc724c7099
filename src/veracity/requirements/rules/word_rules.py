"""Rules about words: vague ones, loopholes, open lists, placeholders, comparisons without a measure, absolutes and pronouns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from veracity.language.folding import listed
from veracity.language.stem import stem_of
from veracity.requirements.contracts import Lang
from veracity.requirements.quantities import Span, within
from veracity.requirements.rules.parts import parts
from veracity.requirements.rules.phrases import PhraseMatch, TextWord, word_set
from veracity.requirements.rules.requirement_text import RequirementText
from veracity.requirements.rules.rule import RuleHit

_ELLIPSIS = re.compile(r"\.{3,}|…")
_SLOT = re.compile(
    r"<[^\W\d_][^<>\n\x00/=\"]{0,60}>|(?<![\w\[!])\[(?:[^\W\d_][^\[\]\n\x00]{1,60}|[.…?]{1,6})\](?![\[(:])|\?{2,}|(?<!\w)_{3,}(?!\w)"
)
_PLACEHOLDERS = listed("tbd tba tbc tbr tbs todo xx xxx")
_TAGS = listed(
    "a b br code dd dl dt em h1 h2 h3 hr i img kbd li ol p pre s small span strong sub sup table td th tr u ul"
)
_REFERENCE = re.compile(
    r"\[(?:[^\[\]\s]*\d[^\[\]\s]*|[A-ZÄÖÜ][^\[\]]*\d[^\[\]]*|[A-ZÄÖÜ]{2,}(?:[ /&_.-]+[A-ZÄÖÜ]{2,})*"
    r"|(?:[Ss]ee|[Ss]iehe|[Vv]gl\.|[Cc]f\.|[Rr]ef\.?|[Ss]ource|[Qq]uelle)\b[^\[\]]*)\]"
)
"""What refers to another text: [12], [REQ-7], [EN 50121-3], [FFFIS], [see annex B]."""
_FILL_IN = re.compile(r"\[(?:value|wert|name|date|datum|number|zahl|x+|y+|n)\b", re.IGNORECASE)


def vague(reading: RequirementText) -> Iterator[RuleHit]:
    """A vague or subjective word that no quantity explains; what context may excuse counts a third."""
    return (RuleHit(*word.match.span, word.share) for word in reading.once(vague_words) if not word.benefit)


def benefit_vague(reading: RequirementText) -> Iterator[RuleHit]:
    """A vague word in the clause that only says what the requirement is good for."""
    return (RuleHit(*word.match.span, word.share) for word in reading.once(vague_words) if word.benefit)


def escape(reading: RequirementText) -> Iterator[RuleHit]:
    """A loophole: a word that lets the system off."""
    return (RuleHit(*match.span) for match in reading.find("escape"))


def open_list(reading: RequirementText) -> Iterator[RuleHit]:
    """A list or an alternative that does not end."""
    for match in reading.find("open"):
        yield RuleHit(*match.span)
    slots = tuple(found.span() for found in reading.once(_in_brackets))
    for found in _ELLIPSIS.finditer(reading.shadow):
        if not within(found.start(), slots):
            yield RuleHit(*found.span())


def placeholder(reading: RequirementText) -> Iterator[RuleHit]:
    """Something that is yet to be filled in."""
    slots = tuple(found.span() for found in reading.once(_in_brackets) if _is_slot(found[0]))
    for match in reading.find("placeholder"):
        capitals = reading.text[match.start : match.end].isupper()
        asked = capitals or (not within(match.start, reading.conditions) and not _is_done(reading, match))
        if asked and not within(match.start, slots):
            yield RuleHit(*match.span)
    for start, end in (*slots, *reading.slots):
        yield RuleHit(start, end)


_OPEN_BEFORE = listed("is are be remain remains still yet")


def _is_done(reading: RequirementText, match: PhraseMatch) -> bool:
    """Whether "to be confirmed" is what somebody does: behind a noun, with more to follow."""
    if not match.entry.startswith("to be ") or match.first == 0:
        return False
    before = reading.words[match.first - 1]
    follows = (
        match.last + 1 < len(reading.words)
        and not reading.shadow[match.end : reading.words[match.last + 1].start].strip()
    )
    apart = bool(reading.shadow[before.end : match.start].strip())
    return follows and not apart and before.text not in _OPEN_BEFORE


def _in_brackets(reading: RequirementText) -> list[re.Match[str]]:
    return list(_SLOT.finditer(reading.shadow))


def _is_slot(written: str) -> bool:
    """Whether something in brackets is to be filled in: no tag of HTML, no id."""
    inside = written.strip("<>[]").split(" ")[0].lower()
    if _REFERENCE.fullmatch(written) and not _FILL_IN.match(written) and inside not in _PLACEHOLDERS:
        return False
    return not (written[0] == "<" and inside in _TAGS)


# --- rules about measures: qualities without a figure, comparisons without a reference, superlatives without a bound


def quality_predicate(reading: RequirementText) -> Iterator[RuleHit]:
    """A sentence that demands nothing but a vague quality: "muss schnell sein", "has to be better"; no number, no standard."""
    vague = [word.match.span for word in reading.once(vague_words) if word.predicate and not word.benefit]
    more = [one.span for one in reading.once(comparatives) if _is_all_demanded(reading, one)]
    return _without_figure(reading, [*vague, *more, *_lone_quality(reading)])


def _can_be_checked(reading: RequirementText, match: PhraseMatch) -> bool:
    """Whether a comparison says what is more than what, and by a dimension: "later than the order date"."""
    return has_reference(reading, match) and reading.words[match.first].text in _DIMENSIONS


def _is_all_demanded(reading: RequirementText, match: PhraseMatch) -> bool:
    """Whether something has only to be better: "has to be better than the old one", "soll besser werden"."""
    if _can_be_checked(reading, match):
        return False
    if reading.lang == "de":
        return any(word.text in _BECOMES for word in reading.words[match.last + 1 : match.last + 2])
    return match.first > 0 and reading.words[match.first - 1].text in _BECOMES


def no_metric(reading: RequirementText) -> Iterator[RuleHit]:
    """A sentence with a quality or a comparison and without a figure."""
    qualities = [word.match.span for word in reading.once(vague_words) if is_quality(reading, word)]
    compared = [match.span for match in reading.once(comparatives) if not _can_be_checked(reading, match)]
    return _without_figure(reading, sorted((*qualities, *compared, *_lone_quality(reading))))


def _lone_quality(reading: RequirementText) -> list[Span]:
    """The place of the one word that says how something has to be, where no list has it: a project may take words from lists."""
    alone = reading.once(parts).lone_quality
    if alone is None or within(alone.start, reading.glossary):
        return []
    listed_words = word_set("vague", reading.lang) | word_set("vague_context", reading.lang)
    return [] if alone.text in listed_words else [(alone.start, alone.end)]


def _without_figure(reading: RequirementText, places: Iterable[Span]) -> Iterator[RuleHit]:
    """The first of these in each sentence that has no figure."""
    told: set[Span] = set()
    for start, end in places:
        sentence = reading.sentence_at(start)
        if sentence not in told and not reading.has_quantity(sentence):
            told.add(sentence)
            yield RuleHit(start, end)


def comparative(reading: RequirementText) -> Iterator[RuleHit]:
    """A comparison that does not say with what."""
    return (RuleHit(*match.span) for match in reading.once(comparatives) if not has_reference(reading, match))


def superlative(reading: RequirementText) -> Iterator[RuleHit]:
    """A superlative without a bound."""
    for match in reading.once(superlatives):
        if not reading.has_quantity(reading.sentence_at(match.start)):
            yield RuleHit(*match.span)


# --- rules that only inform: right too seldom to move a score


_DIMENSIONS = listed(
    "later earlier higher lower longer shorter larger smaller greater more less spaeter frueher hoeher niedriger tiefer laenger kuerzer "
    "groesser kleiner mehr weniger"
)
_BECOMES = listed("be become get sein werden")
_HUNDRED = re.compile(r"(?<![\d.,])100\s?%")
_DEMONSTRATIVE = listed("this these those")
_VERBS = listed("is are was were shall must should will can may has have does do")
_ARTICLES = listed("the a an")
_FEWEST_CANDIDATES = 2


def absolute(reading: RequirementText) -> Iterator[RuleHit]:
    """An absolute: all, always, never."""
    words = reading.words
    for match in reading.find("absolute"):
        after = words[match.last + 1].text if match.last + 1 < len(words) else ""
        before = words[match.first - 1].text if match.first else ""
        # "alle 5 Minuten" is an interval, "vor allem" is none.
        if reading.is_demand(match.start) and not after[:1].isdigit() and before != "vor":
            yield RuleHit(*match.span)
    for found in _HUNDRED.finditer(reading.shadow):
        if reading.is_demand(found.start()):
            yield RuleHit(*found.span())


def pronoun(reading: RequirementText) -> Iterator[RuleHit]:
    """A pronoun that may stand for two things or more."""
    words = reading.words
    for match in reading.find("pronoun"):
        after = words[match.last + 1].text if match.last + 1 < len(words) else ""
        if words[match.first].text in _DEMONSTRATIVE and after not in _VERBS:
            continue
        if _things_named_before(reading, match.first) >= _FEWEST_CANDIDATES:
            yield RuleHit(*match.span)


def _things_named_before(reading: RequirementText, at: int) -> int:
    """How many things were named before a pronoun: nouns in German, what has an article in English."""
    before = reading.words[max(0, at - 30) : at]
    if reading.lang == "de":
        return len({word.text for word in before[1:] if word.capital})
    return sum(word.text in _ARTICLES for word in before)


def weak_verb(reading: RequirementText) -> Iterator[RuleHit]:
    """A verb that names no action that one could watch."""
    for match in reading.find("weak_verb"):
        if reading.is_demand(match.start):
            yield RuleHit(*match.span)


# --- which words are vague, compared without a measure, or the whole of what is demanded

_INTENSIFIERS = listed(
    "sehr so besonders hoch immer stets jederzeit moeglichst auch ausreichend hinreichend very as highly always fully more both "
    "too really quite sufficiently reasonably"
)
_JOINS = listed("und oder sowie and or")
_BE = listed("be remain stay feel look seem sound appear become")
_HAVE = listed(
    "have provide offer achieve deliver ensure guarantee haben aufweisen bieten erreichen gewaehrleisten sicherstellen"
)
_BETWEEN = _INTENSIFIERS | {"a", "an", "the"}
_GO_ON = listed("for to by in at on with under from when if and or while so during even as throughout of")
_LOOKS_INFLECTED = re.compile(r"(?:schnell|langsam|einfach|klein|leicht|sicher|guenstig|niedrig|schlecht)er")
_MORE = listed("more less mehr weniger")
_PAUSE = re.compile(r"[.,;:!?()\x00]|\n\s*\n")
_REACH = 8
_BEGINS = frozenset(":.!?*•-–|")
"""What stands before a first word, which has a capital whatever it is."""


@dataclass(frozen=True, slots=True)
class VagueWord:
    """A vague word in what is demanded or in its benefit."""

    match: PhraseMatch
    context: bool
    """Whether its sense hangs on the words around it."""
    predicate: bool
    """Whether it is what the system has to be: "muss schnell sein"."""
    benefit: bool

    @property
    def share(self) -> float:
        """How much a finding counts: a third where context may excuse the word, unless the word is all that is demanded."""
        return 1 / 3 if self.context and not self.predicate else 1.0


def vague_words(reading: RequirementText) -> list[VagueWord]:
    """The vague words that no quantity explains, outside of conditions, that are no comparison."""
    found = reading.find("vague")
    taken = tuple(match.span for match in found)
    context = [match for match in reading.find("vague_context") if not within(match.start, taken)]
    if not found and not context:
        return []
    others = (*reading.once(comparatives), *reading.once(superlatives))
    excused = (*reading.conditions, *(match.span for match in others))
    plain = {match.first for match in context}
    joined = {at for match in (*found, *context) for at in range(match.first, match.last + 1)}
    return [
        _vague_word(reading, match, match.first in plain, joined)
        for match in sorted((*found, *context), key=lambda match: match.start)
        if not within(match.start, excused) and not _is_noun(reading, match) and not _is_measured(reading, match)
    ]


def _is_measured(reading: RequirementText, match: PhraseMatch) -> bool:
    """Whether a quantity says what a word means: one near it, or, of a word about time, any later time in its sentence."""
    about_time = stem_of(reading.words[match.first].text, reading.lang) in _about_time(reading.lang)
    return reading.is_measured(match.span, by_time=about_time) or (about_time and reading.has_time_after(match.end))


@cache
def _about_time(lang: Lang) -> frozenset[str]:
    return frozenset(stem_of(word, lang) for word in word_set("about_time", lang))


def _vague_word(reading: RequirementText, match: PhraseMatch, context: bool, vague: set[int]) -> VagueWord:
    is_predicate = _is_german_predicate if reading.lang == "de" else _is_english_predicate
    alone = not context or match.entry in reading.lexicon.stands_alone
    predicate = alone and (is_predicate(reading, match, vague, context) or _is_had(reading, match))
    return VagueWord(match, context, predicate, within(match.start, reading.benefits))


def _is_had(reading: RequirementText, match: PhraseMatch) -> bool:
    """Whether a measure is all that is demanded, and the word says how much of it: "shall have low latency"."""
    words, lang = reading.words, reading.lang
    measures = word_set("measured", lang)
    following = [word.text for word in words[match.last + 1 : match.last + 3]]
    if lang == "de":
        return len(following) == 2 and following[0].endswith(tuple(measures)) and following[1] in _HAVE
    before = next((word.text for word in reversed(words[: match.first]) if word.text not in _BETWEEN), "")
    return before in _HAVE and not measures.isdisjoint(following)


def _is_noun(reading: RequirementText, match: PhraseMatch) -> bool:
    """Whether a word is written as a noun or a name: "Herr Klein", "das Richtige", "a General Purpose Radio"."""
    word = reading.words[match.first]
    if match.first != match.last or not word.capital or match.entry[0].isupper():
        return False
    if reading.lang == "en" and _is_title_case(reading):
        return False
    written = reading.text[word.start : word.end]
    before = reading.shadow[max(0, word.start - 5) : word.start].rstrip()[-1:]
    begins = before in _BEGINS or word.start == reading.trimmed(reading.sentence_at(match.start))[0]
    return not begins and not (written.isupper() and len(written) > 1)


def _is_title_case(reading: RequirementText) -> bool:
    """Whether most words of a text have a capital, so that a capital marks no name."""
    return sum(word.capital for word in reading.words) * 2 > len(reading.words)


def is_quality(reading: RequirementText, word: VagueWord) -> bool:
    """Whether a figure would say what the word means: "schnell", but not "in der Regel"."""
    if word.benefit or word.match.entry in reading.lexicon.not_a_quality:
        return False
    return word.predicate or not word.context


def comparatives(reading: RequirementText) -> list[PhraseMatch]:
    """The comparatives of what is demanded, also those that say what they are compared with."""
    words = reading.words
    return [
        _with_adjective(reading, match)
        for match in reading.find("comparative")
        if reading.is_demand(match.start) and _compares(words, match)
    ]


def _compares(words: Sequence[TextWord], match: PhraseMatch) -> bool:
    text = words[match.first].text
    before = words[match.first - 1].text if match.first else ""
    if (before, text) in (("nicht", "mehr"), ("no", "longer"), ("never", "more")):
        return False
    # "one or more", "Windows 10 and later" name a range.
    number = words[match.first - 2].text[-1:].isdigit() if match.first > 1 else False
    if before in ("or", "oder") or (before in ("and", "und") and number):
        return False
    after = words[match.last + 1] if match.last + 1 < len(words) else None
    # "ein schneller Server" is inflected; "muss schneller sein" compares.
    return not (after is not None and after.capital and _LOOKS_INFLECTED.fullmatch(text))


def _with_adjective(reading: RequirementText, match: PhraseMatch) -> PhraseMatch:
    """A comparison with its adjective: "more efficient" is one."""
    words, after = reading.words, match.last + 1
    if words[match.first].text in _MORE and after < len(words):
        adjective = reading.lexicon["vague"].find(reading.shadow, words[after : after + 1])
        if adjective and not _PAUSE.search(reading.shadow, match.end, words[after].start):
            return PhraseMatch(match.entry, match.start, words[after].end, match.first, after)
    return match


def has_reference(reading: RequirementText, match: PhraseMatch) -> bool:
    """Whether a comparison says with what: "als bisher", "than before", or a quantity."""
    following = reading.words[match.last + 1 : match.last + 1 + _REACH]
    _, end = reading.sentence_at(match.start)
    return reading.is_measured(match.span) or any(
        word.text in ("als", "than") and word.start < end for word in following
    )


def superlatives(reading: RequirementText) -> list[PhraseMatch]:
    """The superlatives of what is demanded, also those with a bound."""
    words = reading.words
    found = [*_am_superlatives(words)] if reading.lang == "de" else []
    taken = {match.last for match in found}
    found.extend(
        match for match in reading.find("superlative") if match.first not in taken and not _is_bound(words, match.first)
    )
    escapes = tuple(match.span for match in reading.find("escape"))
    found.sort(key=lambda match: match.start)
    return [match for match in found if reading.is_demand(match.start) and not within(match.start, escapes)]


def _is_bound(words: Sequence[TextWord], at: int) -> bool:
    """Whether it only says where something ends: "at least", "at most", "at the latest", "as a minimum"."""
    before = [word.text for word in words[max(0, at - 2) : at]]
    return before[-1:] == ["at"] or before in (["at", "the"], ["at", "a"], ["as", "a"])


def _am_superlatives(words: Sequence[TextWord]) -> Iterator[PhraseMatch]:
    for at, (one, other) in enumerate(pairwise(words)):
        if one.text == "am" and other.text.endswith("sten") and not other.capital:
            yield PhraseMatch(other.text, one.start, other.end, at, at + 1)


def _is_german_predicate(reading: RequirementText, match: PhraseMatch, vague: set[int], context: bool) -> bool:
    """Whether nothing but vague words stands between this one and "sein": "muss schnell und zuverlässig sein"."""
    words = reading.words
    after = _skip_vague_words(words, match.last + 1, vague, 1)
    if after >= len(words) or words[after].text != "sein":
        return False
    if context:
        before = _skip_vague_words(words, match.first - 1, vague, -1)
        return before >= 0 and words[before].start in reading.modal_starts
    start, end = reading.sentence_at(match.start)
    return any(start <= place < end for place in reading.modal_starts)


def _is_english_predicate(reading: RequirementText, match: PhraseMatch, vague: set[int], context: bool) -> bool:
    """Whether nothing but vague words stands between "be" and this one, and nothing follows that it describes."""
    words = reading.words
    before = _skip_vague_words(words, match.first - 1, vague, -1)
    if before < 1 or words[before].text not in _BE:
        return False
    if not any(word.start in reading.modal_starts for word in words[max(0, before - 3) : before]):
        return False
    after = _skip_vague_words(words, match.last + 1, vague, 1)
    if after >= len(words) or _PAUSE.search(reading.shadow, words[after - 1].end, words[after].start):
        return True
    return not context and words[after].text in _GO_ON


def _skip_vague_words(words: Sequence[TextWord], at: int, vague: set[int], step: int) -> int:
    """The first place from here on, forwards or backwards, that is neither vague nor only joins or stresses."""
    for _ in range(_REACH):
        if not 0 <= at < len(words) or not (at in vague or words[at].text in _JOINS or words[at].text in _INTENSIFIERS):
            break
        at += step
    return at
