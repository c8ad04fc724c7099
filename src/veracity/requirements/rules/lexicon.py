"""The word lists of one project in one language: those of Veracity, with the project's own words and its glossary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import get_args

from veracity.requirements.contracts import Lang, RuleSettings, WordListName
from veracity.requirements.rules.phrases import PhraseList, Word, folded
from veracity.requirements.words import HARMLESS, NOT_A_QUALITY, STANDS_ALONE, WORDS

_ENDINGS = ("en", "em", "er", "es", "e", "n", "s")
_SHORTEST = 4


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What the rules look words up in."""

    lists: dict[WordListName, PhraseList]
    harmless: PhraseList
    not_a_quality: frozenset[str]
    stands_alone: frozenset[str]
    glossary: dict[str, list[tuple[str, ...]]]
    """The terms of the glossary by their first word; words without their endings."""

    def __getitem__(self, name: WordListName) -> PhraseList:
        return self.lists[name]

    def defined_terms(self, text: str, words: Sequence[Word]) -> tuple[tuple[int, int], ...]:
        """The places of terms of the glossary in a text; the longest that fits counts."""
        plain = [_stem(word.text) for word in words]
        found: list[tuple[int, int]] = []
        for at, word in enumerate(plain):
            for term in self.glossary.get(word, ()):
                last = at + len(term) - 1
                if tuple(plain[at : last + 1]) == term and _adjoin(text, words[at : last + 1]):
                    found.append((words[at].start, words[last].end))
                    break
        return tuple(found)


def lexicon_of(settings: RuleSettings, lang: Lang) -> Lexicon:
    """The word lists of a project in a language."""
    lists = {name: PhraseList(entries_of(name, lang, settings)) for name in get_args(WordListName)}
    harmless = PhraseList(HARMLESS[lang])
    return Lexicon(lists, harmless, NOT_A_QUALITY[lang], STANDS_ALONE[lang], _glossary(settings.glossary))


def entries_of(name: WordListName, lang: Lang, settings: RuleSettings) -> list[str]:
    """The entries of a list: ours without what the project removes, with what it adds."""
    change = settings.words.get(name, {}).get(lang)
    if change is None:
        return list(WORDS[name][lang])
    removed = {_plain(word) for word in change.remove}
    kept = [word for word in WORDS[name][lang] if _plain(word) not in removed]
    return [*kept, *change.add]


def _plain(entry: str) -> str:
    return folded(entry.strip().rstrip("~."))


def is_entry(word: str, name: WordListName, lang: Lang) -> bool:
    """Whether a word is in our list, written with or without `~`."""
    return any(_plain(entry) == _plain(word) for entry in WORDS[name][lang])


def _glossary(terms: Iterable[str]) -> dict[str, list[tuple[str, ...]]]:
    known: dict[str, list[tuple[str, ...]]] = {}
    for term in terms:
        words = tuple(_stem(folded(word)) for word in term.split())
        if words and words[0]:
            known.setdefault(words[0], []).append(words)
    for terms_here in known.values():
        terms_here.sort(key=len, reverse=True)
    return known


def _stem(word: str) -> str:
    """A word without its ending, so that a term is known in every case and number."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word[: -len(ending)]
    return word


def _adjoin(text: str, words: Sequence[Word]) -> bool:
    return all(not text[one.end : other.start].strip() for one, other in pairwise(words))
