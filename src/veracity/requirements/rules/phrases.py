"""Words and phrases in a text: one pass over its words, each looked up, so that a longer list costs no more time."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, get_args

from veracity.language.stem import noun_stem
from veracity.requirements.contracts import Lang, RuleSettings, WordListName
from veracity.yaml_file import packaged

_FILE = Path(__file__).with_name("words.yaml")
_WORD = re.compile(r"[\w\u0300-\u036f]+(?:[-‐‑'’][\w\u0300-\u036f]+)*-?")
_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "’": "'", "‐": "-", "‑": "-"})
_ENDINGS = ("", "e", "er", "es", "en", "em", "ere", "erer", "eres", "eren", "erem")
_ANY = "*"
_PIECE = re.compile(rf"{_WORD.pattern}|\*")


class TextWord(NamedTuple):
    """A word of a text; compounds with hyphens are one word."""

    text: str
    """Folded, to be compared."""
    start: int
    end: int
    capital: bool
    """Whether it is written with a capital, as German nouns are."""


class PhraseMatch(NamedTuple):
    """A phrase of a list in a text: its place in characters, and its first and last word."""

    entry: str
    start: int
    end: int
    first: int
    last: int

    @property
    def span(self) -> tuple[int, int]:
        """Its place."""
        return self.start, self.end


@lru_cache(maxsize=20_000)
def folded(word: str) -> str:
    """A word as it is compared: without case, ä as ae, ß as ss."""
    if not word.isascii():
        word = unicodedata.normalize("NFC", word)
    return word.casefold().translate(_LETTERS).strip("_")


def words_in(text: str) -> tuple[TextWord, ...]:
    """The words of a text, in order."""
    return tuple(
        TextWord(folded(found[0]), found.start(), found.end(), found[0][0].isupper()) for found in _WORD.finditer(text)
    )


def forms_of(entry: str) -> Iterator[str]:
    """The ways in which a German adjective, written with `~`, may end; anything else as it is."""
    if not entry.endswith("~"):
        yield entry
        return
    stem = entry[:-1].removesuffix("e")
    stems = {stem}
    if stem.endswith("el"):
        stems.add(f"{stem[:-2]}l")
    if stem.endswith("hoch"):
        stems.add(f"{stem[:-2]}h")
    for one in stems:
        yield from (f"{one}{ending}" for ending in _ENDINGS)


@dataclass(frozen=True, slots=True)
class _Phrase:
    entry: str
    words: tuple[str, ...]
    signs: tuple[str, ...]
    """What must stand between two words beside space: a slash, a dot, or nothing."""


class PhraseList:
    """Phrases that can be found in a text."""

    def __init__(self, entries: Iterable[str]) -> None:
        self._by_first: dict[str, list[_Phrase]] = {}
        for entry in entries:
            for form in forms_of(entry):
                self._add(entry, form)
        for known in self._by_first.values():
            known.sort(key=lambda phrase: -len(phrase.words))

    def _add(self, entry: str, form: str) -> None:
        pieces = [(found.start(), found.end(), folded(found[0])) for found in _PIECE.finditer(form)]
        if not pieces or pieces[0][2] == _ANY:
            return
        signs = tuple(form[before[1] : after[0]].strip() for before, after in pairwise(pieces))
        phrase = _Phrase(entry, tuple(piece[2] for piece in pieces), signs)
        self._by_first.setdefault(phrase.words[0], []).append(phrase)

    @property
    def first_words(self) -> Iterable[str]:
        """The words that its phrases begin with."""
        return self._by_first

    def find(self, text: str, words: Sequence[TextWord], starts: Iterable[int] | None = None) -> list[PhraseMatch]:
        """The phrases in a text whose words these are; none overlaps another.

        `starts` are the words that a phrase may begin with, where they are known already.
        """
        if starts is None:
            starts = [at for at, word in enumerate(words) if word.text in self._by_first]
        found: list[PhraseMatch] = []
        for at in starts:
            if found and at <= found[-1].last:
                continue
            for phrase in self._by_first[words[at].text]:
                match = _match_at(phrase, text, words, at)
                if match is not None:
                    found.append(match)
                    break
        return found


def _match_at(phrase: _Phrase, text: str, words: Sequence[TextWord], at: int) -> PhraseMatch | None:
    size = len(phrase.words)
    if at + size > len(words):
        return None
    for step in range(1, size):
        before, after = words[at + step - 1], words[at + step]
        if phrase.words[step] not in (_ANY, after.text):
            return None
        if text[before.end : after.start].strip() != phrase.signs[step - 1]:
            return None
    last = at + size - 1
    return PhraseMatch(phrase.entry, words[at].start, words[last].end, at, last)


# --- word lists


@cache
def word_list(name: str, lang: Lang) -> tuple[str, ...]:
    """A list of `words.yaml` in a language, in its order, each entry once."""
    return tuple(dict.fromkeys(entry.strip() for entry in packaged(_FILE)[name][lang].split(",")))


@cache
def word_set(name: str, lang: Lang) -> frozenset[str]:
    """The same, to look words up in."""
    return frozenset(word_list(name, lang))


# --- the word lists of one project in one language: those of Veracity, with the project's own words and its glossary


@dataclass(frozen=True, slots=True)
class RuleWords:
    """What the rules look words up in."""

    lists: dict[str, PhraseList]
    lists_of: dict[str, tuple[str, ...]]
    """A word -> the lists in which a phrase begins with it."""
    not_a_quality: frozenset[str]
    stands_alone: frozenset[str]
    glossary: dict[str, list[tuple[str, ...]]]
    """The terms of the glossary by their first word; words without their endings."""

    def __getitem__(self, name: str) -> PhraseList:
        return self.lists[name]

    def starts_in(self, words: Sequence[TextWord]) -> dict[str, list[int]]:
        """List -> the words that a phrase of it may begin with: one pass over a text, whatever the number of lists."""
        starts: dict[str, list[int]] = {}
        for at, word in enumerate(words):
            for name in self.lists_of.get(word.text, ()):
                starts.setdefault(name, []).append(at)
        return starts

    def defined_terms(self, text: str, words: Sequence[TextWord]) -> tuple[tuple[int, int], ...]:
        """The places of terms of the glossary in a text; the longest that fits counts."""
        stems = [_without_ending(word.text) for word in words]
        found: list[tuple[int, int]] = []
        for at, word in enumerate(stems):
            for term in self.glossary.get(word, ()):
                last = at + len(term) - 1
                if tuple(stems[at : last + 1]) == term and _stand_side_by_side(text, words[at : last + 1]):
                    found.append((words[at].start, words[last].end))
                    break
        return tuple(found)


@lru_cache(maxsize=128)
def _phrases(entries: tuple[str, ...]) -> PhraseList:
    """Most projects change a few of the lists only; the others are made once."""
    return PhraseList(entries)


def lexicon_of(settings: RuleSettings, lang: Lang) -> RuleWords:
    """The word lists of a project in a language."""
    lists: dict[str, PhraseList] = {
        name: _phrases(tuple(entries_of(name, lang, settings))) for name in get_args(WordListName)
    }
    lists["harmless"] = _phrases(word_list("harmless", lang))
    lists_of: dict[str, tuple[str, ...]] = {}
    for name, phrases in lists.items():
        for word in phrases.first_words:
            lists_of[word] = (*lists_of.get(word, ()), name)
    not_a_quality, stands_alone = word_set("not_a_quality", lang), word_set("stands_alone", lang)
    return RuleWords(lists, lists_of, not_a_quality, stands_alone, _terms_by_first_word(settings.glossary))


def entries_of(name: WordListName, lang: Lang, settings: RuleSettings) -> list[str]:
    """The entries of a list: ours without what the project removes, with what it adds."""
    change = settings.words.get(name, {}).get(lang)
    if change is None:
        return list(word_list(name, lang))
    removed = {_without_marks(word) for word in change.remove}
    kept = [word for word in word_list(name, lang) if _without_marks(word) not in removed]
    return [*kept, *change.add]


def _without_marks(entry: str) -> str:
    """An entry as it is compared, without `~` and the point of an abbreviation."""
    return folded(entry.strip().rstrip("~."))


def is_entry(word: str, name: WordListName, lang: Lang) -> bool:
    """Whether a word is in our list, written with or without `~`."""
    return any(_without_marks(entry) == _without_marks(word) for entry in word_list(name, lang))


def _terms_by_first_word(terms: Iterable[str]) -> dict[str, list[tuple[str, ...]]]:
    known: dict[str, list[tuple[str, ...]]] = {}
    for term in terms:
        words = tuple(_without_ending(folded(word)) for word in term.split())
        if words and words[0]:
            known.setdefault(words[0], []).append(words)
    for terms_here in known.values():
        terms_here.sort(key=len, reverse=True)
    return known


def _without_ending(word: str) -> str:
    """A word without its ending, so that a term is known in every case and number; of a compound the last part."""
    start = word.rfind("-") + 1
    return word[:start] + noun_stem(word[start:], last=False)


def _stand_side_by_side(text: str, words: Sequence[TextWord]) -> bool:
    return all(not text[one.end : other.start].strip() for one, other in pairwise(words))
