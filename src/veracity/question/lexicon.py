"""The lexicon: what the words of a question may stand for, built once from a catalog and the stored values.

Every lookup is a dictionary access by the folded words, so it takes as long with ten thousand values as with ten.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_letters, digits

from veracity.language.currencies import CURRENCY_WORDS, without_legal_form
from veracity.language.detect import is_ordinary
from veracity.language.folding import is_unspaced, words_in
from veracity.language.nearest import words_of
from veracity.language.stem import is_inflected, noun_stem
from veracity.ontology.entities import Entity, Measure, NumberRange, Segment
from veracity.ontology.fields import EntityField, FieldRole
from veracity.query.catalog import Catalog, FieldFacts
from veracity.question.mentions import Home, Meaning, MentionKind
from veracity.sources.source import ColumnType

_MOST_WORDS = 16
"""A longer name or value is not looked for."""
_SHORTEST_LEAD = 4
_COMPOUND_PART = 5
_WITHOUT_DOTS = str.maketrans("äöüÄÖÜ", "aouAOU")
_SHAPES = str.maketrans(digits + ascii_letters, "9" * len(digits) + "a" * len(ascii_letters))
_CODE_FIELDS = frozenset({FieldRole.CODE, FieldRole.IDENTIFIER})
_CURRENCY_COLUMNS = frozenset({"currency", "currencycode", "currency_code", "waehrung", "währung"})
_UP_TO = {"bis": "de", "to": "en", "至": "zh", "到": "zh"}
_YEARLIKE = re.compile(r"(?:19|20)\d\d")
_WORDED_ROLES = frozenset({None, FieldRole.NAME, FieldRole.CATEGORY, FieldRole.CURRENCY, FieldRole.FREE_TEXT})


_Said = Iterator[tuple[str, str | None, Meaning]]
"""Phrases, each with its language and what it stands for."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word or phrase of the ontology and what it stands for."""

    words: tuple[str, ...]
    meaning: Meaning
    langs: frozenset[str]
    """The languages that have it; empty for names that belong to none."""


@dataclass(frozen=True, slots=True)
class Hits:
    """What some words stand for, by how they are known."""

    words: tuple[Word, ...] = ()
    inflected: bool = False
    stored: tuple[str, ...] = ()
    """Stored texts that are said, maybe with another case or a genitive."""
    shortened: bool = False
    """The stored text is a name that was said without its legal form."""
    leading: bool = False
    """Only the first words of the name were said."""


@dataclass(slots=True)
class Lexicon:
    """Words -> meanings."""

    _words: dict[str, list[Word]] = field(default_factory=dict)
    _stems: dict[str, list[Word]] = field(default_factory=dict)
    _stored: dict[str, list[str]] = field(default_factory=dict)
    _short: dict[str, str] = field(default_factory=dict)
    _leads: dict[str, str] = field(default_factory=dict)
    _codes: dict[str, list[Home]] = field(default_factory=dict)
    _texts: dict[str, list[Home]] = field(default_factory=dict)
    _longest: dict[str, int] = field(default_factory=dict)
    _longest_stem: dict[str, int] = field(default_factory=dict)
    _shapes: dict[str, list[Home]] = field(default_factory=dict)
    _code_homes: dict[Home, None] = field(default_factory=dict)
    _names_of: dict[Home, frozenset[str]] = field(default_factory=dict)
    """The words of a field's own names, to tell which field a word before a code belongs to."""
    labels: frozenset[Home] = frozenset()
    """The fields that hold what single things are called."""

    @classmethod
    def of(cls, catalog: Catalog, values: Mapping[tuple[str, str], Collection[str]]) -> Lexicon:
        """The lexicon of a catalog and the texts stored in its fields."""
        lexicon = cls()
        lexicon._add_words(_said(catalog, values))
        lexicon._add_fields(catalog)
        lexicon.labels = frozenset(
            (entity.name, name)
            for entity in catalog.entities.values()
            for name, facts in entity.fields.items()
            if facts.declared is not None and facts.declared.role is FieldRole.NAME
        )
        lexicon._add_stored(catalog, values)
        return lexicon

    def longest(self, first: str) -> int:
        """How many words a phrase may have that begins with this one."""
        return max(self._longest.get(first, 0), self._longest_stem.get(noun_stem(first, last=False), 0), 1)

    def find(self, words: Sequence[str]) -> Hits | None:
        """What these words stand for: as they are, inflected, or as a short name."""
        key = " ".join(words)
        known, stored = self._words.get(key), self._stored.get(key)
        if known or stored:
            return Hits(words=tuple(known or ()), stored=tuple(stored or ()))
        if key in self._short:
            return Hits(stored=(self._short[key],), shortened=True)
        bent = [word for word in self._stems.get(_stem_key(words), ()) if is_inflected(words, word.words, word.langs)]
        if bent:
            return Hits(words=tuple(bent), inflected=True)
        if len(key) > 4 and key.endswith("s") and (bare := self._stored.get(key[:-1]) or self._short_of(key[:-1])):
            return Hits(stored=tuple(bare), inflected=True)
        if key in self._leads:
            return Hits(stored=(self._leads[key],), leading=True)
        return None

    def knows(self, text: str) -> bool:
        """Whether the whole text is something said here, not just a part of it."""
        return self.find(list(words_in(text))) is not None

    def _short_of(self, key: str) -> list[str]:
        return [self._short[key]] if key in self._short else []

    def meanings_of(self, stored: str) -> Iterator[Meaning]:
        """What a stored text is: a code, a value, or both."""
        if stored in self._codes:
            yield Meaning(MentionKind.CODE, fields=tuple(self._codes[stored]), value=stored, stored=True)
        if stored in self._texts:
            yield Meaning(MentionKind.VALUE, fields=tuple(self._texts[stored]), value=stored, stored=True)

    def compound(self, word: str) -> tuple[Word, ...]:
        """The group or value whose word begins or ends a German compound, the longest one."""
        for size in range(len(word) - 3, _COMPOUND_PART - 1, -1):
            for part in (word[-size:], word[:size]):
                known = self._words.get(part, ())
                found = tuple(w for w in known if w.meaning.kind in _COMPOUNDED and (not w.langs or "de" in w.langs))
                if found:
                    return found
        return ()

    def code_fields(self, code: str, meant: Sequence[Home] = ()) -> tuple[Home, ...]:
        """The fields a code that is not stored would be in: of those that are meant, the ones with codes like it."""
        alike = [home for home in self._shapes.get(_shape(code), ()) if home in self._code_homes]
        both = [home for home in alike if home in meant]
        return tuple(both or meant or alike)

    def is_code(self, text: str) -> bool:
        """Whether a folded text is a stored code."""
        return any(stored in self._codes for stored in self._stored.get(text, ()))

    def codes_about(self, words: Collection[str]) -> tuple[Home, ...]:
        """The code fields whose own names have one of these words."""
        return tuple(
            home for home in self._code_homes if any(word in name for name in self._names_of[home] for word in words)
        )

    def codes_among(self, homes: Collection[Home]) -> tuple[Home, ...]:
        """Those of the fields that hold codes."""
        return tuple(home for home in self._code_homes if home in homes)

    def codes_of(self, entities: Collection[str]) -> tuple[Home, ...]:
        """The code fields of these entities."""
        return tuple(home for home in self._code_homes if home[0] in entities)

    def language_of(self, words: Sequence[str]) -> str | None:
        """The language most of whose words are said, or None."""
        said: Counter[str] = Counter()
        for word in words:
            for known in self._words.get(word, ()):
                said.update(known.langs if len(known.langs) == 1 else ())
        ranked = said.most_common(2)
        return ranked[0][0] if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]) else None

    # --- the catalog's words

    def _add_words(self, phrases: _Said) -> None:
        merged: dict[tuple[str, MentionKind, str | None, str | None], _Draft] = {}
        for said, lang, meaning in phrases:
            words = tuple(words_in(said))
            if not words or len(words) > _MOST_WORDS:
                continue
            key = (" ".join(words), meaning.kind, meaning.entity, meaning.value)
            draft = merged.setdefault(key, _Draft(words, meaning))
            draft.fields.update(dict.fromkeys(meaning.fields))
            draft.langs.update({lang} if lang else ())
            draft.nameless = draft.nameless or not lang
        for draft in merged.values():
            word = draft.word()
            self._words.setdefault(" ".join(word.words), []).append(word)
            _note(self._longest, word.words[0], len(word.words))
            if not is_unspaced(word.words[-1]):
                self._stems.setdefault(_stem_key(word.words), []).append(word)
                _note(self._longest_stem, noun_stem(word.words[0], last=False), len(word.words))

    def _add_fields(self, catalog: Catalog) -> None:
        for entity in catalog.entities.values():
            for name, facts in entity.fields.items():
                home = (entity.name, name)
                self._names_of[home] = frozenset(" ".join(words_in(said)) for said, _ in _field_names(name, facts))
                if _is_code(facts) and (facts.declared is None or facts.declared.role is not FieldRole.IDENTIFIER):
                    self._code_homes[home] = None

    # --- the stored values

    def _add_stored(self, catalog: Catalog, values: Mapping[tuple[str, str], Collection[str]]) -> None:
        names: dict[str, None] = {}
        for entity in catalog.entities.values():
            for name, facts in entity.fields.items():
                texts = values.get((entity.name, name))
                if not texts:
                    continue
                home = (entity.name, name)
                if _is_code(facts):
                    self._add_homes(self._codes, home, texts)
                    for shape in {_shape(text) for text in texts}:
                        self._shapes.setdefault(shape, []).append(home)
                elif _is_worded(facts):
                    kept = [text for text in texts if _is_looked_for(text, facts)]
                    self._add_homes(self._texts, home, kept)
                    if facts.declared is None or facts.declared.role is FieldRole.NAME:
                        names.update(dict.fromkeys(kept))
        said: dict[str, list[str]] = {}
        for text in self._codes.keys() | self._texts.keys():
            words = words_in(text)
            if not words or len(words) > _MOST_WORDS:
                continue
            said[text] = words
            self._add_text(words, text)
            # People who have no umlauts on their keyboard leave out the dots: Zurich.
            if not text.isascii() and (plain := text.translate(_WITHOUT_DOTS)) != text:
                self._add_text(words_in(plain), text)
        for same in self._stored.values():
            same.sort()
        self._add_short_names({name: said[name] for name in names if len(said.get(name, ())) > 1})

    def _add_text(self, words: Sequence[str], text: str) -> None:
        self._stored.setdefault(" ".join(words), []).append(text)
        _note(self._longest, words[0], len(words))

    @staticmethod
    def _add_homes(homes: dict[str, list[Home]], home: Home, texts: Iterable[str]) -> None:
        for text in texts:
            homes.setdefault(text, []).append(home)

    def _add_short_names(self, names: Mapping[str, Sequence[str]]) -> None:
        """Names without their legal form, and their first words, where only one name has them."""
        short: dict[str, str] = {}
        leads: dict[str, str] = {}
        for name, words in names.items():
            bare = without_legal_form(words)
            if len(bare) < len(words):
                key = " ".join(bare)
                short[key] = name if key not in short else ""
            for size in range(1, 0 if is_unspaced(words[0]) else len(bare)):
                key = " ".join(bare[:size])
                leads[key] = name if key not in leads else ""
        for key, name in short.items():
            if name and key not in self._stored and key not in leads:
                self._short[key] = name
        for key, name in leads.items():
            if name and key not in self._stored and key not in self._words and _is_lead(key):
                self._leads[key] = name


_COMPOUNDED = frozenset({MentionKind.GROUP, MentionKind.VALUE})


@dataclass(slots=True)
class _Draft:
    words: tuple[str, ...]
    meaning: Meaning
    fields: dict[Home, None] = field(default_factory=dict)
    langs: set[str] = field(default_factory=set)
    nameless: bool = False

    def word(self) -> Word:
        said = self.meaning
        meaning = Meaning(said.kind, entity=said.entity, fields=tuple(self.fields), value=said.value)
        return Word(self.words, meaning, frozenset() if self.nameless else frozenset(self.langs))


def _said(catalog: Catalog, values: Mapping[tuple[str, str], Collection[str]]) -> _Said:
    for entity in catalog.entities.values():
        meaning = Meaning(MentionKind.ENTITY, entity=entity.name)
        yield entity.name, None, meaning
        if entity.declared is None:
            yield words_of(entity.name), None, meaning
        else:
            yield from ((phrase, lang, meaning) for phrase, lang in _names(entity.declared))
        for name, facts in entity.fields.items():
            home = (entity.name, name)
            meaning = Meaning(MentionKind.FIELD, fields=(home,))
            yield from ((phrase, lang, meaning) for phrase, lang in _field_names(name, facts))
            yield from _called(home, facts)
            yield from _currencies(home, facts, values.get(home, ()))
    yield from _groups(catalog)
    yield from _single_values(catalog)


def _names(thing: Entity | EntityField | Segment) -> Iterator[tuple[str, str]]:
    for lang, label in thing.label.items():
        yield label, lang
    for lang, synonyms in thing.synonyms.items():
        yield from ((synonym, lang) for synonym in synonyms)


def _field_names(name: str, facts: FieldFacts) -> Iterator[tuple[str, str | None]]:
    yield name, None
    yield words_of(name), None
    if facts.declared is not None:
        yield from _names(facts.declared)


def _called(home: Home, facts: FieldFacts) -> _Said:
    """The words for stored values."""
    if facts.declared is None:
        return
    for value, by_lang in facts.declared.values.items():
        meaning = Meaning(MentionKind.VALUE, fields=(home,), value=value)
        yield from ((phrase, lang, meaning) for lang, phrases in by_lang.items() for phrase in phrases)


def _single_values(catalog: Catalog) -> _Said:
    """Segments and measures of one stored value: expense accounts are those of the class `expense`, and so are expenses.

    Of a measure only its label and its nouns: what was paid may also be a debt.
    """
    for entity in catalog.entities.values():
        if entity.declared is None:
            continue
        said = [(segment.one_value, _names(segment)) for segment in entity.declared.segments]
        said += [(measure.one_value, _nouns(measure)) for measure in entity.declared.measures]
        for condition, names in said:
            if condition is not None:
                name, value = condition
                homes = ((other.name, name) for other in catalog.entities.values() if name in other.fields)
                meanings = [Meaning(MentionKind.VALUE, fields=(home,), value=value) for home in homes]
                yield from ((phrase, lang, meaning) for phrase, lang in names for meaning in meanings)


def _nouns(measure: Measure) -> Iterator[tuple[str, str]]:
    yield from ((label, lang) for lang, label in measure.label.items())
    for lang, synonyms in measure.synonyms.items():
        yield from ((synonym, lang) for synonym in synonyms if synonym[:1].isupper())


def _currencies(home: Home, facts: FieldFacts, stored: Collection[str]) -> _Said:
    """The words for the currencies that are stored."""
    declared = facts.declared
    if not (declared.role is FieldRole.CURRENCY if declared else home[1].casefold() in _CURRENCY_COLUMNS):
        return
    for code, by_lang in CURRENCY_WORDS.items():
        if code in stored:
            meaning = Meaning(MentionKind.VALUE, fields=(home,), value=code)
            yield from ((phrase, lang, meaning) for lang, phrases in by_lang.items() for phrase in phrases)


def _groups(catalog: Catalog) -> _Said:
    for concept in catalog.ontology.entities if catalog.ontology else ():
        if concept.number_range is None:
            continue
        name = concept.number_range.field
        homes = tuple((entity.name, name) for entity in catalog.entities.values() if name in entity.fields)
        meaning = Meaning(MentionKind.GROUP, entity=concept.name, fields=homes)
        called = (*_names(concept), *_range_names(concept.number_range))
        yield from ((phrase, lang, meaning) for phrase, lang in called)


def _range_names(span: NumberRange) -> Iterator[tuple[str, str | None]]:
    """A range as bookkeepers write it: 3400-3499, 3400 bis 3499. One that reads like years is not meant."""
    if _YEARLIKE.fullmatch(span.start):
        return
    yield f"{span.start}{span.end}", None  # words with hyphens are looked up as one
    yield from ((f"{span.start} {word} {span.end}", lang) for word, lang in _UP_TO.items())


# --- which fields, which texts


def _is_code(facts: FieldFacts) -> bool:
    return facts.identifier or (facts.declared is not None and facts.declared.role in _CODE_FIELDS)


def _is_worded(facts: FieldFacts) -> bool:
    role = facts.declared.role if facts.declared else None
    return role in _WORDED_ROLES and facts.column.type in (ColumnType.TEXT, ColumnType.OTHER)


def _is_looked_for(text: str, facts: FieldFacts) -> bool:
    # Of free text only what looks like a reference: its sentences hold the words of every question.
    if facts.declared is None or facts.declared.role is not FieldRole.FREE_TEXT:
        return True
    return any(letter.isdigit() for letter in text) and not any(letter.isspace() for letter in text)


def _is_lead(key: str) -> bool:
    single = " " not in key
    return not single or (
        len(key) >= _SHORTEST_LEAD and not key.isdigit() and not any(is_ordinary(key, lang) for lang in ("de", "en"))
    )


def _shape(code: str) -> str:
    if code.isascii():
        return code.translate(_SHAPES)
    return "".join("9" if c.isdigit() else "a" if c.isalpha() else c for c in code)


def _stem_key(words: Sequence[str]) -> str:
    return " ".join([*(noun_stem(word, last=False) for word in words[:-1]), noun_stem(words[-1], last=True)])


def _note(longest: dict[str, int], first: str, count: int) -> None:
    if longest.get(first, 0) < count:
        longest[first] = count
