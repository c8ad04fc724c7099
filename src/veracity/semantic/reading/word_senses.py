"""The words of a question with what they may stand for, and which of these are left where some exclude others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from veracity.language.folding import Folded, Token
from veracity.semantic.reading.comparison_phrases import AgeBound, Superlative
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import CameAbout, RowState, Verb
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Role, RowsPhrase, Stored
from veracity.semantic.reading.said_phrases import Phrase, SaidNumber, SaidPeriod


@dataclass(frozen=True, slots=True)
class WordSense:
    """Words of a question and what they may stand for."""

    start: int
    end: int
    phrase: Phrase
    text: str = ""


@dataclass(frozen=True, slots=True)
class Tagged:
    """A question cut into words, with everything that they may stand for."""

    question: str
    folded: Folded
    tokens: tuple[Token, ...]
    mentions: tuple[WordSense, ...]
    skipped: frozenset[int]
    """The words that hold the sentence together and change nothing."""

    def said(self, start: int, end: int) -> str:
        """Some words as they were written."""
        first, last = self.folded.origin(self.tokens[start].start, self.tokens[end - 1].end)
        return self.question[first:last]


def bounds_only(one: WordSense, tokens: Sequence[Token]) -> bool:
    """Whether least or most is part of at least, at most: no superlative."""
    superlative = isinstance(one.phrase, Superlative) and tokens[one.start].text in ("least", "most")
    return superlative and one.start > 0 and tokens[one.start - 1].text == "at"


def behind_verbs(found: Sequence[WordSense]) -> Callable[[WordSense], WordSense]:
    """Tells a state of rows whether it is said of a verb right before it."""
    nouns = {m.end for m in found if isinstance(m.phrase, RowsPhrase)}
    verbs = {
        m.end
        for m in found
        if isinstance(m.phrase, CameAbout | Verb | Attribute | Stored)
        or (isinstance(m.phrase, JoiningWord) and m.phrase.kind in ("light", "light_amounts"))
    }

    def told(mention: WordSense) -> WordSense:
        if isinstance(mention.phrase, RowState) and mention.start in verbs - nouns:
            return replace(mention, phrase=replace(mention.phrase, behind_verb=True))
        return mention

    return told


def as_placed(mention: WordSense, first: int, last: int, commas: Collection[int], today: date) -> WordSense:
    """A joining word that knows whether it begins or ends the question; what knows what day it is."""
    if isinstance(mention.phrase, AgeBound | RowState):
        return replace(mention, phrase=replace(mention.phrase, today=today))
    if not isinstance(mention.phrase, JoiningWord):
        return mention
    ends = mention.end == last or (mention.phrase.kind == "tail" and mention.end in commas)  # liste ... auf, die ...
    placed = replace(mention.phrase, first=mention.start == first, last=ends)
    return replace(mention, phrase=placed)


def longest_names(found: list[WordSense]) -> list[WordSense]:
    """Names of things are read whole: what lies within a longer name or word of the data is not read by itself."""
    wide = [
        m
        for m in found
        if m.end - m.start > 1 and isinstance(m.phrase, Stored | RowsPhrase | Attribute | FigurePhrase | Role)
    ]
    composed = set(_names_with_nouns(found))
    states = {m.start for m in found if isinstance(m.phrase, RowState)}  # returned | on time, of a field `returned on`
    return [
        mention
        for mention in found
        if not any(
            one.start <= mention.start
            and mention.end <= one.end
            and one.end - one.start > mention.end - mention.start
            and not (mention.end in states and mention.end < one.end)
            and not (isinstance(one.phrase, Stored) and (one.start, one.end, mention.start, mention.end) in composed)
            for one in wide
        )
    ]


def _names_with_nouns(found: Sequence[WordSense]) -> Iterator[tuple[int, int, int, int]]:
    """Where a name and the noun of its entity stand side by side: the river Colorado may be a place `Colorado River`, too."""
    nouns = [m for m in found if isinstance(m.phrase, RowsPhrase | Attribute)]
    for name in (m for m in found if isinstance(m.phrase, Stored)):
        fields = {home[:2] for home in name.phrase.homes} if isinstance(name.phrase, Stored) else set()
        homes = {entity for entity, _ in fields}
        for noun in nouns:
            own = isinstance(noun.phrase, RowsPhrase) and noun.phrase.entity in homes
            own = own or (isinstance(noun.phrase, Attribute) and (noun.phrase.entity, noun.phrase.field) in fields)
            if own and (name.end == noun.start or noun.end == name.start):
                start, end = min(name.start, noun.start), max(name.end, noun.end)
                yield start, end, name.start, name.end
                yield start, end, noun.start, noun.end


def said_twice(found: list[WordSense], tokens: Sequence[Token]) -> list[WordSense]:
    """The manager of the manager: a word that is said twice means the same twice, a role before a stored value."""
    roles = [m for m in found if isinstance(m.phrase, Role)]
    texts = [tuple(token.text for token in tokens[m.start : m.end]) for m in roles]
    twice = {(m.start, m.end) for m, text in zip(roles, texts, strict=True) if _spoken_at(text, texts, roles) > 1}
    return [m for m in found if not (isinstance(m.phrase, Stored) and (m.start, m.end) in twice)]


def _spoken_at(text: tuple[str, ...], texts: Sequence[tuple[str, ...]], senses: Sequence[WordSense]) -> int:
    """At how many places a word is said."""
    return len({sense.start for sense, other in zip(senses, texts, strict=True) if other == text})


def with_spans(found: Sequence[WordSense]) -> list[WordSense]:
    """What may be meant, with the words about time between two dates only where two dates can follow."""
    kinds = {m.phrase.kind for m in found if isinstance(m.phrase, JoiningWord)}
    between = kinds & {"span_from", "between"} and kinds & {"span_to", "and"}
    lasting = any(isinstance(m.phrase, SaidNumber) and m.phrase.dimension == "time" for m in found)
    kept = {"span_same"}
    if lasting:  # paid within 14 days
        kept |= {"span_within"}
    if between and "span_noun" in kinds:
        kept |= {"span_from", "span_to", "span_noun", "span_shortest", "span_longest", "span_date"}
    if lasting and (between or "span_after" in kinds):
        kept |= {"span_from", "span_to", "span_after", "span_within", "span_date"}
    if "takes_time" in kinds:  # how long do repairs take
        kept |= {"span_noun"}
    fields = {m.start for m in found if isinstance(m.phrase, Attribute | Role)}
    told = [m for m in found if not _is_loose(m, fields)]
    return [
        m
        for m in told
        if not (isinstance(m.phrase, JoiningWord) and m.phrase.kind.startswith("span_")) or m.phrase.kind in kept
    ]


def _is_loose(mention: WordSense, fields: set[int]) -> bool:
    """Whether `before` or `after` has no field behind it, with an article at most between them."""
    word = mention.phrase
    near = range(mention.end, mention.end + 2)
    return isinstance(word, JoiningWord) and word.kind in ("later", "earlier") and fields.isdisjoint(near)


def without_times_in_changes(found: list[WordSense]) -> list[WordSense]:
    """H1 2025 compared to the previous year: these words say from when to when, and are no time of their own."""
    changes = [one for one in found if isinstance(one.phrase, JoiningWord) and one.phrase.kind.startswith("change_")]
    times = [one for one in found if isinstance(one.phrase, SaidPeriod)]
    inside = [one for one in times if any(word.start <= one.start and one.end <= word.end for word in changes)]
    return [one for one in found if one not in inside] if len(inside) < len(times) else found
