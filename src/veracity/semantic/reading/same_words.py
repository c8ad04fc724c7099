"""Words that mean the same as a name of the ontology: vendors are suppliers, wages are salaries, whoever described the tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from veracity.language.dictionary import chinese_words, dictionary, german_forms, words_for_kinds
from veracity.language.folding import words_in
from veracity.language.locale import LANGUAGES
from veracity.language.nearest import words_of
from veracity.language.stem import noun_root
from veracity.ontology.draft.proposals import said
from veracity.ontology.fields import Adjectives
from veracity.semantic.graph import SemanticModel, Step, Thing
from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.word_lists import Key, key_of
from veracity.yaml_file import packaged

_MOST_GROUPS = 3
"""A word that stands in more of them may mean anything."""
_PLACES = frozenset({"city", "town", "place", "street", "address", "country", "region", "district"})
_SHORTEST_CHINESE = 2
"""A single sign may be a part of any word."""


def same_words(
    model: SemanticModel, known: Mapping[Key, Sequence[Phrase]], lang: str
) -> Iterator[tuple[str, tuple[Phrase, ...]]]:
    """Words of a language that nothing is called by, with what the one label stands for that means the same."""
    groups, members, heads = _groups(), defaultdict[int, list[Key]](list), defaultdict[int, list[str]](list)
    for label in _labels(model):
        for number in _groups_of(label):
            members[number].append(key_of(label.get(lang) or next(iter(label.values()))))
        if lang != "zh" and " " in (text := label.get(lang, "")):
            for number in _places().get((lang, key_of(text.rpartition(" ")[2])), ()):
                heads[number].append(text)
    found: dict[str, set[Key]] = {}
    for number in sorted({*members, *heads}):
        for word in groups[number].words.get(lang, ()) if number in members else ():
            if key_of(word) not in known and not (lang == "zh" and len(word) < _SHORTEST_CHINESE):
                found.setdefault(word, set()).update(members[number])
        for text in heads.get(number, ()):  # a private customer is a private client
            before = text.rpartition(" ")[0]
            for word in groups[number].words[lang]:
                if key_of(f"{before} {word}") not in known:
                    found.setdefault(f"{before} {word}", set()).add(key_of(text))
    for word, keys in found.items():
        key = next(iter(keys))
        if len(keys) == 1 and key in known:  # where there are customers and clients, buyers may be either
            yield word, tuple(known[key])


def deeds_of_orders(model: SemanticModel, lang: str) -> Iterator[tuple[str, str]]:
    """What was done for rows that tell it, with the entity: repair orders are repairs. Not where several entities tell of it."""
    told = said()["orders_of_deeds"]
    heads, deeds = told["heads"][lang], {key_of(deed): deed for deed in told["deeds"][lang]}
    found = defaultdict[str, set[str]](set)
    for thing in model.things.values():
        words = key_of(_label(thing.name, thing.declared).get(lang, ""))
        whole = "".join(words)
        for head in heads:
            before = words[:-1] if lang == "en" and words[-1:] == key_of(head) else ()
            if lang != "en" and whole.endswith("".join(key_of(head))):
                before = (whole.removesuffix("".join(key_of(head))),)
            for key, deed in deeds.items():
                if before in (key, (f"{key[0]}s",), (f"{key[0]}en",)):
                    found[deed].add(thing.name)
    yield from ((deed, next(iter(named))) for deed, named in found.items() if len(named) == 1)


def things_in_rows(model: SemanticModel, lang: str) -> Iterator[tuple[str, str, str]]:
    """What the quantity of rows counts, with entity and field: the tickets of ticket sales. Not where things of their own are called so."""
    told = said()["things_in_rows"]
    called = {key_of(label.get("en", "")) for label in _labels(model)}
    for thing in model.things.values():
        words = words_of(thing.name).split()
        fields = [
            name for name in thing.fields if thing.fields[name].can_be_added and words_of(name) in told["quantities"]
        ]
        if len(words) < 2 or noun_root(words[-1]) not in told["heads"] or len(fields) != 1:
            continue
        noun = " ".join((*words[:-2], noun_root(words[-2])))
        entry = dictionary().get(noun)
        if key_of(noun) in called or (entry is None and lang != "en"):
            continue
        german = (form for pair in german_forms(entry or {"de": []}) for form in pair)
        names = {"en": (noun,), "de": tuple(german), "zh": chinese_words(entry) if entry else ()}
        done = told["heads"][noun_root(words[-1])].get(lang)
        between = {"en": ("", "were "), "de": ("", "wurden ")}.get(lang, ())
        said_so = [f"{name} {were}{done}" for name in names[lang] for were in between]
        yield from ((name, thing.name, fields[0]) for name in (*names[lang], *said_so))


def english_for(word: str, lang: str) -> tuple[str, ...]:
    """What English calls the same; nothing for an English word."""
    numbers = _places().get((lang, key_of(word)), ()) if lang != "en" else ()
    return tuple(dict.fromkeys(one for number in numbers for one in _groups()[number].words.get("en", ())))


@cache
def same_nouns(word: str) -> tuple[str, ...]:
    """What means the same as a noun, in all languages; nothing for a word that says too little, or that may be several things."""
    numbers = dict.fromkeys(number for lang in LANGUAGES for number in _places().get((lang, key_of(word)), ()))
    if len(numbers) > _MOST_GROUPS:
        return ()
    return tuple(
        dict.fromkeys(one for number in numbers for words in _groups()[number].words.values() for one in words)
    )


def values_in_words_of(stored: Collection[str], called: Collection[str], lang: str) -> Iterator[tuple[str, str]]:
    """Other words of a language for the stored values of a field, each with the value: cleaning, where Reinigung is stored.

    A single word may be a name, and so may be what is called a place.
    """
    if not _PLACES.isdisjoint(one for name in called for one in same_nouns(name)):
        return
    for stored_in in LANGUAGES:
        words = [value for value in stored if (stored_in, key_of(value)) in _kinds()]
        for value in words if len(words) > 1 else ():
            meant = _kinds()[stored_in, key_of(value)]
            known = stored_in != lang and (lang, key_of(value)) in _kinds()
            if not known and len(meant) <= _MOST_GROUPS:
                yield from ((word, value) for one in meant for word in one.words.get(lang, ()))


def mean_alike(one: str, other: str) -> bool:
    """Whether two words, of whichever languages, are known to mean the same."""
    groups = [
        [group for lang in LANGUAGES for group in _kinds().get((lang, key_of(word)), ())] for word in (one, other)
    ]
    return any(group is same for group in groups[0] for same in groups[1])


@cache
def _kinds() -> Mapping[tuple[str, Key], Sequence[_SameNouns]]:
    """What means the same as each word of a language, of the dictionary and of the words for kinds."""
    found = defaultdict[tuple[str, Key], list[_SameNouns]](list)
    for one in (*_groups(), *map(_SameNouns.of, words_for_kinds())):
        for lang, keys in one.keys.items():
            for key in keys:
                found[lang, key].append(one)
    return dict(found)


def _labels(model: SemanticModel) -> Iterator[Mapping[str, str]]:
    """What things, their fields and figures are called in each language; those without a label by their names."""
    for thing in model.things.values():
        yield _label(thing.name, thing.declared)
        for name, facts in thing.fields.items():
            yield _label(name, facts.declared)
        yield from (_label(measure.name, measure) for measure in thing.measures.values())
        yield from (_label(segment.name, segment) for segment in thing.segments.values())


def _label(name: str, declared: Any) -> Mapping[str, str]:
    return (declared.label if declared is not None else None) or {"en": words_of(name)}


def _groups_of(label: Mapping[str, str]) -> Iterator[int]:
    """The groups of words that a thing is about: in each language that both have, it is called by one of them."""
    keys = {lang: key_of(text) for lang, text in label.items()}
    for number in {number for lang, key in keys.items() for number in _places().get((lang, key), ())}:
        group = _groups()[number]
        if all(key in group.keys[lang] for lang, key in keys.items() if lang in group.keys):
            yield number


@dataclass(frozen=True, slots=True)
class _SameNouns:
    """Nouns that mean the same, by language."""

    words: Mapping[str, tuple[str, ...]]
    keys: Mapping[str, frozenset[Key]]

    @classmethod
    def of(cls, words: Mapping[str, Sequence[str]]) -> _SameNouns:
        plain = {lang: tuple(dict.fromkeys(map(str, some))) for lang, some in words.items()}
        return cls(plain, {lang: frozenset(map(key_of, some)) for lang, some in plain.items()})


def common_verbs(model: SemanticModel, lang: str) -> Iterator[tuple[str, Step]]:
    """What people do to what belongs to them, by what both are called: customers buy what they ordered."""
    for steps in model.steps.values():
        for step in steps:
            relation = step.relation
            plain = relation is not None and step.inverse and relation.name is None and relation.through is None
            if not plain or step.has_role or sum(one.end == step.end for one in steps) > 1:
                continue
            own, other = _nouns(model.things[step.end]), _nouns(model.things[step.start])
            for entry in said()["verbs"]:
                if not own.isdisjoint(entry["of"]) and not other.isdisjoint(entry["by"]):
                    yield from ((str(verb), step) for verb in entry.get(lang, ()))


def _nouns(thing: Thing) -> frozenset[str]:
    """The last words of what a thing is called."""
    labels = _label(thing.name, thing.declared)
    return frozenset(words_in(text)[-1] for text in labels.values() if words_in(text))


def common_adjectives(names: Collection[str], lang: str) -> Adjectives | None:
    """The adjectives of a figure or date by what it is called: what has a price is expensive or cheap."""
    known: Mapping[str, Mapping[str, Any]] = said()["adjectives"]
    found = next((known[name] for name in (" ".join(words_in(one)) for one in names) if name in known), {})
    return Adjectives(**found[lang]) if lang in found else None


def happened_on(names: Collection[str], lang: str) -> tuple[str, ...]:
    """What happened on a date, by what it is called: who has a hire date was hired then."""
    entries: list[Mapping[str, Any]] = said()["dates"]
    found = list[str]()
    for words in map(words_in, names):  # Eintritt says joined, hire date says hired
        entry = next((entry for word in words for entry in entries if word in entry["words"]), None)
        found += entry.get(lang, ()) if entry else ()
    return tuple(dict.fromkeys(found))


@cache
def _groups() -> tuple[_SameNouns, ...]:
    """The dictionary, and the nouns that mean the same in one language."""
    lists: Mapping[str, Sequence[Any]] = packaged(Path(__file__).with_name("same_words.yaml"))
    found = list[_SameNouns]()
    for english, entry in dictionary().items():
        more = said()["synonyms"].get(english, {})
        german = [form for pair in german_forms(entry) for form in pair]
        words = {"en": [english, *entry.get("en", ())], "de": german, "zh": chinese_words(entry)}
        if english not in lists["too_general"]:
            found.append(_SameNouns.of({lang: (*some, *more.get(lang, ())) for lang, some in words.items()}))
    return (*found, *(_SameNouns.of({lang: words}) for lang in LANGUAGES for words in lists[lang]))


@cache
def _places() -> Mapping[tuple[str, Key], Sequence[int]]:
    """In which groups a word of a language stands."""
    found = defaultdict[tuple[str, Key], list[int]](list)
    for number, group in enumerate(_groups()):
        for lang, keys in group.keys.items():
            for key in keys:
                found[lang, key].append(number)
    return dict(found)
