"""Words and what each may stand for: names, verbs, stored values, and the words about how a question is asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from functools import cached_property, lru_cache
from typing import Self

from veracity.language.folding import words_in
from veracity.language.stem import noun_root, stem_of
from veracity.language.verb_forms import verb_forms
from veracity.semantic.graph import SemanticModel, Step
from veracity.semantic.reading.operator_words import language_words
from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.signs import is_sign_run
from veracity.semantic.reading.word_lists import Key, key_of, operators

_LONGEST = 12
"""Longer names are not looked for."""
_MOST_KINDS = 30
"""A column with more values holds names, not kinds."""
_ARTICLES = frozenset({"the", "der", "die", "das"})
_TIED = frozenset("-_")
"""What ties the words of one value."""


class PhraseBook:
    """Words -> phrases, in one language: they are entered one by one, and looked up."""

    def __init__(self, model: SemanticModel, lang: str) -> None:
        self.model, self.lang = model, lang
        self.operators = operators(lang)
        self._own = language_words(lang)
        self._skipped = {first: list(keys) for first, keys in self._own.skipped.items()}
        self._operator_words = {key: list(phrases) for key, phrases in self._own.phrases.items()}
        self._phrases: dict[Key, list[Phrase]] = {}
        self._spelt_together: dict[str, list[Key]] = {}
        self._verbs: dict[Key, list[tuple[str, str, str]]] = {}
        self._stored: dict[Key, list[tuple[str, str, str | int]]] = {}
        self._stored_roots: dict[Key, list[tuple[str, str, str | int]]] = {}
        self._forms_of_kinds: dict[Key, list[tuple[str, str, str | int]]] = {}
        self._like_words: dict[Key, list[tuple[str, str, str | int]]] = {}
        self._singular: set[str] = set()
        self._same_words: set[str] = set()
        self._compounds = bool((self.operators.get("order") or {}).get("compounds"))
        self._longest: dict[str, int] = {}
        self._question_words = self._words_of_questions()

    def _measure(self, keys: Iterable[Key]) -> None:
        for key in keys:
            if key:
                self._longest[key[0]] = max(len(key), self._longest.get(key[0], 0))

    def phrases_of(self, text: str) -> tuple[Phrase, ...]:
        """What a word of the ontology stands for."""
        return tuple(self._phrases.get(without_article(key_of(text)), ()))

    def is_common(self, text: str) -> bool:
        """Whether a word is only known because everybody means the same by it; a person may say what it means here."""
        key = key_of(text)
        return len(key) == 1 and key[0] in self._same_words

    def stored_as(self, text: str) -> tuple[tuple[str, str, str | int], ...]:
        """Entity, field and value of what is stored under a name."""
        return tuple(self._stored.get(without_article(tuple(words_in(text))), ()))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The values of columns that hold few different ones: kinds and states of rows, not what rows are called."""
        things, values = self.model.things, dict[tuple[str, str], dict[str, None]]()
        for homes in self._stored.values():
            for entity, field, value in homes:
                if isinstance(value, str) and field not in things[entity].display:
                    values.setdefault((entity, field), {})[value] = None
        few = (held for held in values.values() if len(held) <= _MOST_KINDS)
        return tuple(dict.fromkeys(value for held in few for value in held if any(map(str.isalpha, value))))

    def also(self, word: str, like: str) -> Self:
        """The same words, and one more that stands for all that another one does."""
        book = copy(self)
        key, plain = key_of(word), tuple(words_in(word))
        phrases, homes = self.phrases_of(like), self.stored_as(like)
        if phrases:
            book._phrases = {**self._phrases, key: list(phrases)}
            book._singular = {*self._singular, *words_in(word)[-1:]}
        if homes:
            book._stored = {**self._stored, plain: list(homes)}
        book._longest = dict(self._longest)
        book._measure((key, plain))
        return book

    def _said(self, kind: str) -> list[str]:
        return [str(word) for word in self.operators.get(kind) or ()]

    def _add(self, text: str, phrase: Phrase) -> None:
        for form in _declined(text) if self._compounds else (text,):
            self._enter(form, phrase)

    def _enter(self, text: str, phrase: Phrase) -> None:
        key = without_article(key_of(text))
        if len(key) == 1 and key in self._skipped.get(key[0], ()):
            return  # a column named `a` is no article
        if key and len(key) <= _LONGEST and phrase not in self._phrases.setdefault(key, []):
            self._phrases[key].append(phrase)
            same = self._spelt_together.setdefault(noun_root("".join(words_in(text))), [])
            if key not in same:
                same.append(key)

    def _add_verb(self, phrase: str, start: str, step: str) -> None:
        words = words_in(phrase)
        preposition = words.pop() if len(words) > 1 and words[-1] in self._own.prepositions else ""
        forms = [(form, preposition) for form in verb_forms(words[0], self.lang)]
        if self._compounds and preposition and len(words) == 1:  # durchfliessen: fliessen durch
            forms += [(form, "") for form in verb_forms(f"{preposition}{words[0]}", self.lang)]
        for form, wanted in forms:
            key = tuple(stem_of(word, self.lang) for word in (form, *words[1:]))
            homes = self._verbs.setdefault(key, [])
            if (start, step, wanted) not in homes:
                homes.append((start, step, wanted))

    def _add_passive(self, verbs: Sequence[str], step: Step) -> None:
        """`traversed by the Mississippi`: the verb of a relation, seen from the other side."""
        others = self.model.steps[step.end]
        back = next((s.name for s in others if s.relation is step.relation and s.inverse is not step.inverse), None)
        for phrase in verbs:
            if back is not None and len(words_in(phrase)) == 1:
                for word in self._said("passive"):
                    self._add_verb(f"{phrase} {word}", step.end, back)

    def knows(self, word: str) -> bool:
        """Whether a word of the data stands for something: a name, a verb of a relation."""
        return key_of(word) in self._phrases or (stem_of(word, self.lang),) in self._verbs

    def in_data(self, word: str) -> bool:
        """Whether something in the data is called so, or stored so."""
        return tuple(words_in(word)) in self._stored or key_of(word) in self._phrases

    def _is_new(self, word: str) -> bool:
        """Whether the data and the words about how a question is asked have no such word."""
        plain = tuple(words_in(word))
        return not (plain in self._stored or key_of(word) in self._phrases or plain in self._operator_words)

    def _words_of_questions(self) -> set[str]:
        """Words that say how something is asked, each by itself: average, most, who."""
        skipped = {word for word, keys in self._skipped.items() if (word,) in keys}
        return skipped | {key[0] for key in self._operator_words if len(key) == 1}

    def _store(self, said: str, entity: str, field: str, value: str | int, is_kind: bool) -> None:
        key = (said,) if is_sign_run(said) else _plain_key(said)
        if self._question_words.issuperset(key) and not (
            len(key) > 1 and not _TIED.isdisjoint(said)
        ):  # no-show is one word
            self._like_words.setdefault(key, []).append((entity, field, value))
            return  # a word of the question is never read as a stored value, unless it is written so
        if len(key) <= _LONGEST:
            home = entity, field, value
            homes = self._stored.setdefault(key, [])
            if home not in homes:
                homes.append(home)
            if is_kind:
                kinds = self._stored_roots.setdefault(tuple(map(noun_root, key)), [])
                if home not in kinds:
                    kinds.append(home)


@lru_cache(maxsize=65_536)
def _plain_key(said: str) -> Key:
    """The words of a stored value; every language looks for the same ones."""
    return without_article(tuple(words_in(said)))


def _declined(text: str) -> tuple[str, ...]:
    """A name of several words in its cases: überweisender Arzt, überweisendem Arzt."""
    first, _, rest = text.partition(" ")
    if not rest or not first.endswith("er") or not first[:1].islower():
        return (text,)
    return (text, f"{first[:-2]} {rest}", f"{first[:-2]}em {rest}")


def without_article(key: Key) -> Key:
    """A name without the article before it."""
    while len(key) > 1 and key[0] in _ARTICLES:
        key = key[1:]
    return key
