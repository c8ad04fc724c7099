"""What an unknown word of a question may mean: known words that are spelt alike or mean alike, and that make it a whole question.

Nothing is answered by likeness: it only suggests what a person may choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.language.folding import fold, folded_text, words_in
from veracity.language.function_words import function_words
from veracity.language.locale import pick
from veracity.language.nearest import words_of
from veracity.language.stem import stem_of
from veracity.ontology.draft.flow_names import flowing_in
from veracity.ontology.overlay import word_key
from veracity.semantic.checking.check import check
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.follow_up import FollowUpReader
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.readings import Readings
from veracity.yaml_file import packaged

if TYPE_CHECKING:
    from veracity.language.embed import Embedder

_DENYING = ("un", "non-", "non", "nicht", "in", "dis")
_MOST = 4
"""So many meanings are offered."""
_MOST_TRIED = 8
_MOST_MEANT = 40
"""So many are tried that are like the word: most of them make no whole question."""
_MOST_NAMES = 400
_MOST_WORDS = 3
_SHORTEST = 3
_LONGEST = 60
_SPELT_ALIKE = 78.0
_MEANT_ALIKE = 0.5
_SHORTEST_STEM = 4
_NEAR_THE_BEST = 0.1
"""Much less like than the likest is not offered."""
_OF_ANY_KIND = frozenset({"energy", "fuel"})
"""Electricity is energy, and diesel a fuel."""
_VALUE_RANK = 4
"""Values come after all that the ontology names."""

FoldedValue = tuple[str, str]
"""A stored value, folded and as it is."""


@dataclass(frozen=True, slots=True)
class KnownName:
    """A thing of the ontology, or a stored value, and what people call it."""

    means: str
    """The word for it that is offered."""
    called: tuple[str, ...]
    rank: int
    """Of equally like ones the most specific first."""
    is_date: bool = False
    """Whether it is a date, which is meant only where a word of it is said."""


@dataclass(frozen=True, slots=True)
class WordMeaning:
    """What an unknown word may mean, and what the question then asks."""

    word: str
    means: str
    query: SemanticQuery


@dataclass(frozen=True, slots=True)
class UnknownInQuestion:
    """A question with a word that nobody knows."""

    text: str
    found: Readings
    today: date
    locale: str
    before: SemanticQuery | None = None
    """The last query, which a follow-up changes."""

    @property
    def unknown(self) -> str | None:
        """The one word, or the words side by side, that nobody knows; nothing where they stand apart."""
        folded = fold(self.text)
        places = list(re.finditer(r"[\W_]+".join(map(re.escape, self.found.unknown)), folded.text))
        if not self.found.unknown or len(places) != 1:
            return None
        start, end = folded.origin(*places[0].span())
        said = self.text[start:end]
        alone = not words_in(self.text[:start] + " " + self.text[end:])
        if len(self.found.unknown) > (1 if alone else _MOST_WORDS):
            return None  # maybe it is another language
        return said if _SHORTEST <= len(fold(said).text) <= _LONGEST or not said.isascii() else None

    def read(self, reader: QuestionReader) -> Readings:
        """Its meanings with other words."""
        if self.before is None:
            return reader.read(self.text, today=self.today, locale=self.locale)
        return FollowUpReader(reader).read(self.before, self.text, today=self.today, locale=self.locale)


@dataclass(frozen=True, slots=True)
class UnknownWords:
    """Finds what unknown words may mean."""

    embedder: Embedder | None = None
    """Tells which words mean alike; without one only spelling counts."""

    def meanings(
        self, question: UnknownInQuestion, reader: QuestionReader, stored: Sequence[FoldedValue]
    ) -> list[WordMeaning]:
        """The known words that make a whole question of it in the place of the unknown one, the most like first."""
        word = question.unknown
        if word is None:
            return []
        before = words_in(question.text[: question.text.find(word)])[-1:]  # gas consumption, where gas is known
        flowing = flowing_in(" ".join((*before, word)))
        names = [
            one
            for one in known_names(reader.words.model, reader.words.lang)
            if not denies(word, one) and not flows_otherwise(flowing, one)
        ]
        alike = spelt_alike(word, names, stored)
        found = self._composed(word, alike, question, reader)
        alone = question.found.unknown == tuple(words_in(question.text))
        if not found and self.embedder is not None and not alone:
            kinds = (KnownName(one, (one,), _VALUE_RANK) for one in reader.words.kinds if len(one) <= _LONGEST)
            there = [*names, *kinds]
            found = self._nearest_composed(meant_alike(word, there, self.embedder), word, question, reader)
        return found

    def _nearest_composed(
        self, alike: Sequence[tuple[float, KnownName]], word: str, question: UnknownInQuestion, reader: QuestionReader
    ) -> list[WordMeaning]:
        """Those that make a whole question and are about as like the word as the likest that does."""
        found: dict[SemanticQuery, WordMeaning] = {}
        best = 0.0
        for score, name in alike[:_MOST_MEANT]:
            if score < best - _NEAR_THE_BEST:
                break
            composed = self._composed(word, [name], question, reader)
            best = best or (score if composed else 0.0)
            for one in composed:
                found.setdefault(one.query, one)
        return list(found.values())[:_MOST]

    def _composed(
        self, word: str, names: Sequence[KnownName], question: UnknownInQuestion, reader: QuestionReader
    ) -> list[WordMeaning]:
        found: dict[SemanticQuery, WordMeaning] = {}
        for name in names[:_MOST_TRIED]:
            other = QuestionReader(reader.words.also(word, name.means))
            read = question.read(other)
            if read.guessed:
                continue
            for query in read.queries:
                if is_askable(query, reader.words.model):
                    found.setdefault(query, WordMeaning(word, name.means, query))
        return list(found.values())[:_MOST]


def is_askable(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether a query keeps the rules of the ontology; one that lacks only its period can be asked about."""
    checked = check(query, model)
    if not isinstance(checked, QueryValidationError):
        return True
    return checked.code is ValidationErrorCode.MISSING_REQUIRED_FILTER and checked.field == "period"


# --- what there is, and how like it is


def known_names(model: SemanticModel, lang: str) -> list[KnownName]:
    """What can be asked about: measures, segments, fields and things, each by its label."""
    found: dict[tuple[str, ...], KnownName] = {}
    for thing in model.things.values():
        for name in _names_of(thing, lang):
            known = found.setdefault(word_key(name.means), name)
            if known is not name:
                called = tuple(dict.fromkeys((*known.called, *name.called)))
                found[word_key(name.means)] = KnownName(known.means, called, min(known.rank, name.rank))
    return list(found.values())[:_MOST_NAMES]


def _names_of(thing: Thing, lang: str) -> Iterator[KnownName]:
    declared = thing.declared
    for measure in thing.measures.values():
        yield _name(measure.name, pick(measure.label, lang), measure.synonyms.get(lang, ()), 0)
    for segment in thing.segments.values():
        yield _name(segment.name, pick(segment.label, lang), segment.synonyms.get(lang, ()), 1)
    spoken = declared.spoken if declared else ()
    for name, facts in thing.fields.items():
        own = facts.declared
        if not spoken or name in spoken:
            label = pick(own.label, lang) if own else ""
            known = _name(name, label, own.synonyms.get(lang, ()) if own else (), 2)
            yield replace(known, is_date=facts.is_date)
    label = pick(declared.label, lang) if declared else ""
    yield _name(thing.name, label, declared.synonyms.get(lang, ()) if declared else (), 3)


def _name(name: str, label: str, synonyms: Iterable[str], rank: int) -> KnownName:
    plain = words_of(name)
    return KnownName(label or plain, tuple(dict.fromkeys(filter(None, (label, *synonyms, plain)))), rank)


def folded_values(stored: Mapping[tuple[str, str], Iterable[str]]) -> list[FoldedValue]:
    """Every stored value once, in order; there may be thousands, so they are folded once and not for each question."""
    return [(folded_text(value), value) for value in sorted({value for held in stored.values() for value in held})]


def spelt_alike(word: str, names: Sequence[KnownName], stored: Sequence[FoldedValue]) -> list[KnownName]:
    """The names and stored values that are written almost like the word."""
    from rapidfuzz import fuzz, process

    called = [(folded_text(text), name) for name in names for text in name.called if len(text) >= _SHORTEST]
    values = [(folded, value) for folded, value in stored if _SHORTEST <= len(value) <= _LONGEST]
    near = process.extract(
        folded_text(word),
        [folded for folded, _ in (*called, *values)],
        scorer=fuzz.ratio,
        score_cutoff=_SPELT_ALIKE,
        limit=_MOST_TRIED * 2,
    )

    def named(index: int) -> KnownName:
        if index < len(called):
            return called[index][1]
        value = values[index - len(called)][1]
        return KnownName(value, (value,), _VALUE_RANK)

    scored = sorted((-score, named(index).rank, index) for _, score, index in near)
    return list(dict.fromkeys(named(index) for *_, index in scored))


def denies(word: str, name: KnownName) -> bool:
    """Whether a word says the opposite of a name: unpaid is not paid."""
    said = folded_text(word)
    rest = next((said.removeprefix(one) for one in _DENYING if said.startswith(one)), "")
    if len(rest) < _SHORTEST:
        return False
    parts = {part for text in name.called for part in words_in(folded_text(text))}
    return rest in parts and said not in parts


def flows_otherwise(said: frozenset[str], name: KnownName) -> bool:
    """Whether what is said to be consumed is something else than a name is about: water consumption is no electricity consumption."""
    own = flowing_in(" ".join(name.called)) if said else frozenset()
    return bool(own) and said.isdisjoint(own) and _OF_ANY_KIND.isdisjoint(said | own)


def meant_alike(word: str, names: Sequence[KnownName], embedder: Embedder) -> list[tuple[float, KnownName]]:
    """The names that mean almost what the word means, as far as vectors can tell, the likest first."""
    texts = list(dict.fromkeys(text for name in names for text in name.called))
    if not texts:
        return []
    # A capital at the start of a sentence says nothing.
    vectors = embedder.embed([text.lower() for text in (word, *texts)])
    likeness = dict(zip(texts, (vectors[1:] @ vectors[0]).tolist(), strict=True))
    scored = [(max(likeness[text] for text in name.called), name) for name in names]
    alike = [(score, name) for score, name in scored if shares_meaning(word, name, score)]
    return sorted(alike, key=lambda one: (-one[0], one[1].rank))


def shares_meaning(word: str, name: KnownName, score: float) -> bool:
    """Whether a name may be what is meant: vectors find profit like revenue, and teachers like students, which they are not."""
    return score >= _MEANT_ALIKE and may_mean(word, name)


def may_mean(word: str, name: KnownName) -> bool:
    """Whether no rule says that a word is something else: profit is no revenue, and to earn no cost."""
    said, own = set(words_in(word)), {part for text in name.called for part in words_in(text)}
    if _has_stem(said, own):
        return True
    apart = _unlike_words()
    if name.is_date or any(one in function_words() or _is_computed(one) for one in said):
        return False
    pairs = ({stem_of(one, "en") for one in pair} for pair in apart["pairs"])
    stems, others = {stem_of(one, "en") for one in said}, {stem_of(one, "en") for one in own}
    kinds = [{stem_of(one, "en") for one in kind} for kind in apart["moving"]]
    moves, moved = ([place for place, kind in enumerate(kinds) if kind & one] for one in (stems, others))
    if moves and moved and set(moves).isdisjoint(moved):
        return False
    return not any(pair & stems and pair & others and not pair & stems & others for pair in pairs)


def _is_computed(word: str) -> bool:
    """Whether a word is for a figure that is computed from others, alone or as the end of a compound: Werbebudget."""
    stem, figures = stem_of(word, "en"), _unlike_words()["figures"]
    return stem in figures or any(len(one) >= _SHORTEST_STEM and stem.endswith(one) for one in figures)


def _has_stem(said: Iterable[str], own: Iterable[str]) -> bool:
    starts = {one[:_SHORTEST_STEM] for one in said if len(one) >= _SHORTEST_STEM}
    return any(one[:_SHORTEST_STEM] in starts for one in own)


@cache
def _unlike_words() -> dict[str, Any]:
    read: dict[str, Any] = packaged(Path(__file__).with_suffix(".yaml"))
    return {**read, "figures": {stem_of(one, "en") for one in read["figures"]}}
