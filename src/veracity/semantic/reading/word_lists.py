"""The lists of words that questions are read with, and how words are compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from veracity.language.folding import folded_text, is_unspaced, words_in
from veracity.language.locale import LANGUAGES
from veracity.language.nearest import words_of
from veracity.language.people import means_people
from veracity.language.stem import noun_root
from veracity.semantic.graph import Thing
from veracity.yaml_file import packaged

Key = tuple[str, ...]


@cache
def operators(lang: str) -> Mapping[str, Any]:
    """The words about how a question is asked, of one language."""
    table: Mapping[str, Mapping[str, Any]] = packaged(Path(__file__).with_name("operators.yaml"))
    return table.get(lang) or table["en"]


@cache
def truth_words() -> tuple[tuple[str, str], ...]:
    """What is stored for yes and no, in all languages."""
    return tuple((str(yes), str(no)) for lang in LANGUAGES for yes, no in operators(lang).get("truths") or ())


@lru_cache(maxsize=16_384)
def key_of(text: str) -> Key:
    """Words without the endings of their cases and numbers."""
    return tuple(noun_root(word) for word in words_in(text))


def names_for(name: str, declared: Any) -> Iterator[str]:
    """What people call something: its labels and synonyms in all languages, and its own name cut into words."""
    if declared is not None:
        yield from declared.label.values()
        for words in declared.synonyms.values():
            yield from words
    if name:
        yield words_of(name)
        yield name


@cache
def in_all_languages(kind: str) -> frozenset[Key]:
    """The words of a list, whatever the language."""
    return frozenset(key_of(str(word)) for lang in LANGUAGES for word in operators(lang).get(kind) or ())


@cache
def words_of_list(kind: str) -> frozenset[str]:
    """The single words of a list, whatever the language; signs that stand together are one word: 退款 is not 付款."""
    keys = in_all_languages(kind)
    return frozenset(word for key in keys for word in (("".join(key),) if is_unspaced(key[0]) else key))


@lru_cache(maxsize=16_384)
def words_of_name(name: str) -> frozenset[str]:
    """The words of a name; of signs that stand together each stretch of two or more."""
    key = key_of(name)
    signs = [word for word in key if is_unspaced(word)]
    stretches = {"".join(signs[start:end]) for end in range(2, len(signs) + 1) for start in range(end - 1)}
    return frozenset({*(word for word in key if not is_unspaced(word)), *(stretches or signs)})


def without_flag_word(name: str) -> str:
    """What a field is about whose name begins with is or has."""
    first, _, rest = words_of(name).partition(" ")
    return rest if (folded_text(first),) in in_all_languages("flag_words") else ""


def is_person(thing: Thing) -> bool:
    """Whether rows of an entity are people, by what they are called."""
    declared = thing.declared
    called = [*declared.label.items()] if declared else []
    called += [(lang, word) for lang, words in (declared.synonyms.items() if declared else ()) for word in words]
    return means_people(words_of(thing.name)) or any(means_people(name, lang) for lang, name in called)


def rows_called(thing: Thing, lang: str) -> str:
    """What people call several rows of an entity in a language, as well as that is known."""
    label = thing.declared.label if thing.declared else {}
    noun = label.get(lang) or label.get("en") or next(iter(label.values()), words_of(thing.name))
    if lang == "en" and noun.isascii() and noun.islower() and not noun.endswith("s"):
        return f"{noun[:-1]}ies" if re.search("[^aeiou]y$", noun) else f"{noun}s"
    more = thing.declared.synonyms.get(lang, ()) if thing.declared and lang == "de" else ()
    alike = (word for word in more if folded_text(word)[:1] == folded_text(noun)[:1] and len(word) > len(noun))
    return next((word for word in alike if folded_text(word)[-1:] in "ners"), noun)


def spans_of(term: str, texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where words are said that were defined, in whatever number they stand."""
    roots = [noun_root(word) for word in words_in(folded_text(term))]
    for place in range(len(texts) - len(roots) + 1):
        if [noun_root(text) for text in texts[place : place + len(roots)]] == roots:
            yield place, place + len(roots)
