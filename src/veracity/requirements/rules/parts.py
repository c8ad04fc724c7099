"""What a requirement has: who acts, what happens to what, under which condition, up to which limit, and how it is verified.

Words that fit any requirement ("system", "data", "work", "funktionieren") say nothing of their own. They stand in the list
`hollow` of `words.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property

from veracity.language.folding import listed
from veracity.language.function_words import function_words
from veracity.language.stem import stem_of
from veracity.requirements.contracts import Lang, WordListName
from veracity.requirements.quantities import Span, within
from veracity.requirements.rules.phrases import TextWord, word_set
from veracity.requirements.rules.quotes import HIDDEN
from veracity.requirements.rules.requirement_text import RequirementText
from veracity.requirements.rules.verbs import is_english_participle, is_english_verb, is_participle

_DIGIT = re.compile(r"\d")
_BE: dict[Lang, frozenset[str]] = {
    "de": listed("sein bleiben wirken aussehen erscheinen"),
    "en": listed("be remain stay feel look seem sound appear"),
}
_WANTS = listed("want need wish would like expect moechte will wuensche brauche moechten")
_ALLOWED = listed("possible moeglich permitted allowed erlaubt zulaessig")
_PREPOSITIONS: dict[Lang, frozenset[str]] = {
    "de": listed(
        "nach bei beim vor im in am an auf aus mit fuer ueber unter von vom zu zum zur pro je ab bis seit durch"
    ),
    "en": listed("after at before by during for from in on per upon via with within under"),
}
_FINITE_DE = listed("ist sind war waren wird werden wurde wurden hat haben kann darf")
_NO_VERB_DE = listed(
    "nicht mit seit selbst fest erst jetzt statt samt laut gut weit direkt sofort dort oft fast und bereit laengst"
)
_CAN_BE_DE = (
    "bar",
    "pflichtig",
    "sprachig",
    "stellig",
    "farbig",
    "frei",
    "los",
    "kompatibel",
    "berechtigt",
    "seitig",
    "foermig",
)
_CAN_BE_EN = ("able", "ible", "proof", "free", "ed", "ing", "based", "compatible", "sided", "digit", "wise")
_DO_EN = listed("is are was were has have does do")


class RequirementParts:
    """The parts that a requirement has; each is worked out when it is first asked for."""

    def __init__(self, reading: RequirementText) -> None:
        self._reading = reading

    @cached_property
    def predicate(self) -> Span | None:
        """Everything that is demanded of the actor; None where nothing is."""
        return _predicate(self._reading)

    @cached_property
    def _words(self) -> tuple[TextWord, ...]:
        return _words_in(self._reading, self.predicate) if self.predicate else ()

    @cached_property
    def _actor_words(self) -> tuple[TextWord, ...]:
        actor = _actor(self._reading, self.predicate)
        return _words_in(self._reading, actor) if actor else ()

    @cached_property
    def _passive(self) -> bool:
        return _is_passive(self._words, self._reading.lang)

    @property
    def says_something(self) -> bool:
        """Whether the predicate has a word that belongs to this requirement and not to any, or quotes a text."""
        return any(_tells(self._reading, word) for word in self._words) or _quotes(self._reading, self.predicate)

    @property
    def is_bare(self) -> bool:
        """Whether the predicate is a single word beside function words and such as say nothing definite."""
        empty = () if self._reading.is_story else self._reading.once(_empty_places)
        said = [word for word in self._words if not _is_function_word(word.text) and not within(word.start, empty)]
        return len(said) == 1 and not _quotes(self._reading, self.predicate)

    @property
    def lone_quality(self) -> TextWord | None:
        """The only word that is said of the actor, where it is a quality and nothing that can be seen: "must be painless"."""
        said = [
            word
            for word in self._words
            if not _is_function_word(word.text) and word.text not in _BE[self._reading.lang]
        ]
        if len(said) != 1 or not self.describes or self.is_bounded or _quotes(self._reading, self.predicate):
            return None
        return said[0] if _is_quality(said[0], self._reading.lang) else None

    @property
    def describes(self) -> bool:
        """Whether the predicate says how something is, not what it does."""
        return any(word.text in _BE[self._reading.lang] for word in self._words) and not self._passive

    @property
    def about_actor(self) -> bool:
        """Whether the action stands in the actor: "a backup shall be provided", "der Abbruch muss möglich sein"."""
        return self._passive or any(word.text in _ALLOWED for word in self._words)

    @property
    def named_actor(self) -> bool:
        """Whether the actor is more than a pronoun."""
        return any(not _is_function_word(word.text) for word in self._actor_words)

    @property
    def telling_actor(self) -> bool:
        """Whether the actor is more than "the system" or "it"."""
        return any(_tells(self._reading, word) for word in self._actor_words)

    @property
    def is_bounded(self) -> bool:
        """Whether a condition, a limit or acceptance criteria say when it is met."""
        reading = self._reading
        limit = any(reading.is_demand(start) for start, _ in reading.quantities)
        verified = reading.criteria < len(reading.text)
        return limit or verified or _has_telling(reading, reading.conditions) or _opens_with_adverbial(reading)


def parts(reading: RequirementText) -> RequirementParts:
    """The parts of a requirement."""
    return RequirementParts(reading)


# --- who and what


def _predicate(reading: RequirementText) -> Span | None:
    """What follows the first verb of the demand, up to the acceptance criteria; without a modal verb the whole demand."""
    words = _demanded(reading)
    if not words:
        return None
    end = words[-1].end
    if reading.is_story:
        wants = next((at for at, word in enumerate(words) if word.text in _WANTS), None)
        after = words[wants + 1 :] if wants is not None else words
        while after and after[0].text in ("ich", "i", "to", "like"):
            after = after[1:]
        return (after[0].start, end) if after else None
    modals = sorted(place for place in reading.modal_starts if reading.is_demand(place))
    if not modals:
        return words[0].start, end
    after = [word for word in words if word.start > modals[0]]
    return (after[0].start, end) if after else None


def _demanded(reading: RequirementText) -> list[TextWord]:
    """The words of the demand: outside of conditions, benefits and acceptance criteria."""
    spared, criteria = (*reading.conditions, *reading.benefits), reading.criteria
    return [word for word in reading.words if word.start < criteria and not within(word.start, spared)]


def _actor(reading: RequirementText, predicate: Span | None) -> Span | None:
    """What stands before the modal verb; in German, behind it where an adverbial opens the sentence."""
    if predicate is None or not reading.has_modal or reading.is_story:
        return None
    modal = min(place for place in reading.modal_starts if reading.is_demand(place))
    start, _ = reading.sentence_at(modal)
    before = [word for word in _words_in(reading, (start, modal)) if reading.is_demand(word.start)]
    if not before:
        return predicate if reading.lang == "de" or within(start, reading.conditions) else None
    return before[0].start, before[-1].end


def _opens_with_adverbial(reading: RequirementText) -> bool:
    """Whether a sentence begins with when or where: "Nach der Anmeldung muss ..."; "it" and "the system" do not count."""
    for start, end in reading.sentences:
        words = _words_in(reading, (start, end))
        modal = next((at for at, word in enumerate(words) if word.start in reading.modal_starts), 0)
        if modal > 1 and words[0].text in _PREPOSITIONS[reading.lang]:
            return any(_tells(reading, word) for word in words[1:modal])
    return False


def _words_in(reading: RequirementText, span: Span) -> tuple[TextWord, ...]:
    (start, end), benefits = span, reading.benefits
    return tuple(word for word in reading.words if start <= word.start < end and not within(word.start, benefits))


def _has_telling(reading: RequirementText, spans: tuple[Span, ...]) -> bool:
    return bool(spans) and any(within(word.start, spans) and _tells(reading, word) for word in reading.words)


def _quotes(reading: RequirementText, predicate: Span | None) -> bool:
    """Whether the predicate quotes a text."""
    if HIDDEN not in reading.shadow:
        return False
    start = predicate[0] if predicate else 0
    return HIDDEN in reading.shadow[max(0, start - 2) : reading.criteria]


def _is_passive(words: tuple[TextWord, ...], lang: Lang) -> bool:
    if lang == "de":
        return any(word.text in ("werden", "worden") for word in words)
    return any(
        one.text in ("be", "been", "being")
        and any(is_english_participle(other.text) for other in words[at + 1 : at + 3])
        for at, one in enumerate(words)
    )


# --- words that say something


def _is_quality(word: TextWord, lang: Lang) -> bool:
    """Whether a word behind "be" says how something is without saying what can be seen of it."""
    if word.capital or not word.text.isalpha() or word.text in word_set("states", lang):
        return False
    if lang == "de":
        return not (is_participle(word.text) or word.text.endswith(_CAN_BE_DE))
    return not (is_english_participle(word.text) or word.text.endswith(_CAN_BE_EN))


def _is_function_word(word: str) -> bool:
    return word in function_words("de", "en") and not word[:1].isdigit()


def _tells(reading: RequirementText, word: TextWord) -> bool:
    """Whether a word belongs to this requirement: no function word, no vague one, none that fits any requirement."""
    text = word.text
    if not text.isalpha() and _DIGIT.search(text):
        return True
    if len(text) < 2 or _is_function_word(text) or stem_of(text, reading.lang) in hollow_stems(reading.lang):
        return False
    return not within(word.start, reading.once(_empty_places))


def _empty_places(reading: RequirementText) -> tuple[Span, ...]:
    """The places of words that other rules object to, and of modal verbs."""
    lists: tuple[WordListName, ...] = (
        "vague",
        "vague_context",
        "escape",
        "open",
        "absolute",
        "comparative",
        "superlative",
    )
    found = [match.span for name in lists for match in reading.find(name)]
    found.extend(match.span for match in (*reading.binding, *reading.weak_anywhere))
    return tuple(found)


@cache
def hollow_stems(lang: Lang) -> frozenset[str]:
    """The stems of words that fit any requirement."""
    return frozenset(stem_of(word, lang) for word in word_set("hollow", lang))


# --- verbs of a text without a modal verb


def has_verb(reading: RequirementText) -> bool:
    """Whether a text without a modal verb has a verb that could say something of something."""
    return any(_verbs(reading))


def _verbs(reading: RequirementText) -> Iterator[TextWord]:
    words = reading.words
    for at, word in enumerate(words):
        after = words[at + 1].text if at + 1 < len(words) else ""
        if reading.lang == "en":
            base = word.text.removesuffix("s")
            known = is_english_verb(base, after) or is_english_verb(word.text.removesuffix("es"), after)
            if known or word.text in _DO_EN or (word.text.endswith("ed") and is_english_participle(word.text)):
                yield word
        elif word.text in _FINITE_DE or (not word.capital and _looks_finite(word.text)):
            yield word


def _looks_finite(word: str) -> bool:
    """Whether a small German word ends like a verb: "beantwortet", "gespeichert", "einfügen"."""
    if word in _NO_VERB_DE or _is_function_word(word):
        return False
    return (word.endswith("t") and len(word) > 3) or is_participle(word) or (word.endswith("en") and len(word) > 4)
