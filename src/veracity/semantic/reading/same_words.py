"""Words that mean the same as a name of the ontology: vendors are suppliers, wages are salaries, whoever described the tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from veracity.language.folding import words_in
from veracity.ontology.descriptor import Adjectives
from veracity.ontology.draft.names import chinese_words, dictionary, german_forms
from veracity.ontology.draft.proposals import said
from veracity.semantic.reading.phrases import Phrase
from veracity.semantic.reading.word_lists import Key, key_of
from veracity.yaml_file import packaged

_SHORTEST_CHINESE = 2
"""A single sign may be a part of any word."""


def same_words(known: Mapping[Key, Sequence[Phrase]], lang: str) -> Iterator[tuple[str, tuple[Phrase, ...]]]:
    """Words of a language that nothing is called by, with what the one name stands for that means the same."""
    found: dict[str, set[tuple[Phrase, ...]]] = {}
    for group in _groups():
        # The words of the question's own language tell best what a word of it means.
        meant = _meant(group.get(lang, ()), known) or {one for words in group.values() for one in _meant(words, known)}
        for word in group.get(lang, ()) if meant else ():
            if key_of(word) not in known and not (lang == "zh" and len(word) < _SHORTEST_CHINESE):
                found.setdefault(word, set()).update(meant)
    for word, senses in found.items():
        if len(senses) == 1:  # where there are customers and clients, buyers may be either
            yield word, next(iter(senses))


def _meant(words: Sequence[str], known: Mapping[Key, Sequence[Phrase]]) -> set[tuple[Phrase, ...]]:
    return {tuple(known[key]) for key in map(key_of, words) if key in known}


def common_adjectives(names: Collection[str], lang: str) -> Adjectives | None:
    """The adjectives of a figure or date by what it is called: what has a price is expensive or cheap."""
    known = said()["adjectives"]
    found = next((known[name] for name in (" ".join(words_in(one)) for one in names) if name in known), {})
    return Adjectives(**found[lang]) if lang in found else None


def happened_on(names: Collection[str], lang: str) -> tuple[str, ...]:
    """What happened on a date, by what it is called: who has a hire date was hired then."""
    words = [word for name in names for word in words_in(name)]
    entries = (entry for word in words for entry in said()["dates"] if word in entry["words"])
    return tuple(next(entries, {}).get(lang, ()))


@cache
def _groups() -> tuple[Mapping[str, tuple[str, ...]], ...]:
    """Nouns that mean the same, by language."""
    found = list[Mapping[str, tuple[str, ...]]]()
    for english, entry in dictionary().items():
        more = said()["synonyms"].get(english, {})
        german = (form for pair in german_forms(entry) for form in pair)
        found.append(
            {
                "en": tuple(dict.fromkeys((english, *entry.get("en", ()), *more.get("en", ())))),
                "de": tuple(dict.fromkeys((*german, *more.get("de", ())))),
                "zh": tuple(dict.fromkeys((*chinese_words(entry), *more.get("zh", ())))),
            }
        )
    plain: Mapping[str, Sequence[Sequence[str]]] = packaged(Path(__file__).with_name("same_words.yaml"))
    same = ({lang: tuple(map(str, words))} for lang, groups in plain.items() for words in groups)
    return (*found, *same)
