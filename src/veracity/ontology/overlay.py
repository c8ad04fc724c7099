"""What was taught: words, segments and measures that people added to an ontology, and the ontology with them merged in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeVar
from unicodedata import normalize

from pydantic import AwareDatetime, ValidationError

from veracity.contracts import clip
from veracity.errors import UsageError
from veracity.language.folding import words_in
from veracity.language.locale import printable
from veracity.language.nearest import words_of
from veracity.language.stem import noun_root
from veracity.ontology.descriptor import OntologyDescriptor, Relation
from veracity.ontology.entities import Entity, Measure, Segment
from veracity.ontology.fields import EntityField
from veracity.wire import Wire

_LONGEST_WORD = 80
_MOST_WORDS = 6
_LONGEST_SHOWN = 40
_WRITTEN = re.compile(r"\w(?:[\w '’&./+-]*\w)?")
"""Letters and digits, and what stands inside of names."""
Synonyms = dict[str, tuple[str, ...]]
Named = TypeVar("Named", Entity, EntityField, Measure, Segment, Relation)


class WordTarget(Wire):
    """One thing of an ontology that a taught word stands for."""

    kind: Literal["entity", "field", "measure", "segment", "relation", "value"]
    entity: str
    name: str | None = None
    """Of the field, the measure, the segment or the relation."""
    value: str | int | None = None
    """As it is stored."""

    def __str__(self) -> str:
        path = f"{self.entity}.{self.name}" if self.name else self.entity
        return f"{path} = {self.value}" if self.kind == "value" else path


class TaughtWord(Wire):
    """A word that somebody taught: what it means, who said so, when, and on which question."""

    taught_id: str
    word: str
    lang: str
    means: str
    """In the words of whoever taught it: another word, or how a segment or measure is defined."""
    targets: tuple[WordTarget, ...] = ()
    """What it stands for, where it is another word for something."""
    entity: str | None = None
    """Where a segment or measure was taught: of which entity."""
    segment: Segment | None = None
    measure: Measure | None = None
    who: str
    taught_at: AwareDatetime
    question: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """The word as it is found in questions."""
        return word_key(self.word)

    @property
    def kind(self) -> str:
        """synonym, segment or measure."""
        return "segment" if self.segment else "measure" if self.measure else "synonym"


def word_key(word: str) -> tuple[str, ...]:
    """A word as it is found in questions: its folded parts without endings."""
    return tuple(noun_root(part) for part in words_in(word))


def readable_word(word: str) -> str:
    """A word that can be taught, in one form; raises `UsageError` for what is none."""
    if len(word) > _LONGEST_WORD:
        raise UsageError(f"A word to teach has at most {_LONGEST_WORD} characters, this one {len(word)}; shorten it.")
    text = " ".join(normalize("NFKC", word).split(" ")).strip()
    if not _WRITTEN.fullmatch(text) or "_" in text or not text.isprintable():
        shown = clip(printable(word), _LONGEST_SHOWN)
        raise UsageError(f"{shown!r} is not a word that can be taught; write letters, digits, spaces and hyphens only.")
    parts = words_in(text)
    if not 1 <= len(parts) <= _MOST_WORDS and text.isascii():
        raise UsageError(f"A phrase to teach has at most {_MOST_WORDS} words; shorten it.")
    if not any(letter.isalpha() for letter in text) or (len("".join(parts)) < 2 and text.isascii()):
        raise UsageError(f"{text!r} is no word; teach one with letters.")
    return text


def segment_named(word: str, where: str, lang: str) -> Segment:
    """The segment that a word is taught as."""
    return Segment(name=_identifier(word), label={lang: word}, where=where)


def measure_named(word: str, definition: Mapping[str, Any], lang: str) -> Measure:
    """The measure that a word is taught as; `definition` has the keys of the YAML."""
    try:
        return Measure.model_validate({**definition, "name": _identifier(word), "label": {lang: word}})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        why = str(first["msg"]).removeprefix("Value error, ")
        raise UsageError(f"The measure {word!r} cannot be taught: {f'{place}: ' if place else ''}{why}.") from None


def _identifier(word: str) -> str:
    return "_".join(words_in(word))


# --- an ontology with what was taught


def with_taught(
    ontology: OntologyDescriptor, words: Iterable[TaughtWord]
) -> tuple[OntologyDescriptor, tuple[TaughtWord, ...]]:
    """The ontology with these words merged in, and the words that fit it.

    What names a thing that it no longer has is left out, and so is a word that it has itself by now: what its author says counts.
    """
    merged, fitting, taken = ontology, list[TaughtWord](), None
    for word in words:
        taken = taken if taken is not None else {word_key(name) for name in _names(ontology)}
        made = _with_word(merged, word) if word.key not in taken else None
        if made is not None:
            merged = made
            fitting.append(word)
    return merged, tuple(fitting)


def _names(ontology: OntologyDescriptor) -> Iterator[str]:
    """What an ontology calls its things itself."""
    named: list[Entity | EntityField | Measure | Segment | Relation] = [*ontology.entities, *ontology.relations]
    for entity in ontology.entities:
        named += [*entity.fields, *entity.measures, *entity.segments]
        for field in entity.fields:
            yield from (word for by_lang in field.values.values() for words in by_lang.values() for word in words)
    for one in named:
        yield from one.label.values()
        yield from (word for words in one.synonyms.values() for word in words)
        yield words_of(one.name or "")


def _with_word(ontology: OntologyDescriptor, word: TaughtWord) -> OntologyDescriptor | None:
    if not word.targets:
        return _with_definition(ontology, word)
    merged: OntologyDescriptor | None = ontology
    for target in word.targets:
        merged = _with_synonym(merged, target, word) if merged is not None else None
    return merged


def _with_definition(ontology: OntologyDescriptor, word: TaughtWord) -> OntologyDescriptor | None:
    home = ontology.entity(word.entity or "")
    if home is None:
        return None
    if word.segment is not None:
        home = home.model_copy(update={"segments": (*home.segments, word.segment)})
    if word.measure is not None:
        home = home.model_copy(update={"measures": (*home.measures, word.measure)})
    try:
        # Made anew, so that its rules are kept: no measure is there twice.
        return OntologyDescriptor.model_validate(dict(_replaced(ontology, home)))
    except ValidationError:
        return None


def _with_synonym(ontology: OntologyDescriptor, target: WordTarget, word: TaughtWord) -> OntologyDescriptor | None:
    home = ontology.entity(target.entity)
    if home is None:
        return None
    if target.kind == "entity":
        return _replaced(ontology, _called(home, word))
    if target.kind in ("field", "value"):
        return _replaced(ontology, _with_field(home, target, word))
    if target.kind == "relation":
        return _with_relation(ontology, target, word)
    part = "measures" if target.kind == "measure" else "segments"
    named: tuple[Any, ...] = getattr(home, part)
    if all(one.name != target.name for one in named):
        return None
    changed = tuple(_called(one, word) if one.name == target.name else one for one in named)
    return _replaced(ontology, home.model_copy(update={part: changed}))


def _with_relation(ontology: OntologyDescriptor, target: WordTarget, word: TaughtWord) -> OntologyDescriptor | None:
    def is_meant(one: Relation) -> bool:
        return one.from_entity == target.entity and (one.name or one.to_entity) == target.name

    if not any(map(is_meant, ontology.relations)):
        return None
    changed = tuple(_called(one, word) if is_meant(one) else one for one in ontology.relations)
    return ontology.model_copy(update={"relations": changed})


def _with_field(home: Entity, target: WordTarget, word: TaughtWord) -> Entity:
    """The entity whose field, or a value of it, has one more word; a column that nobody described gets a line."""
    name = target.name or ""
    field = home.field(name) or EntityField(name=name)
    if target.kind == "value":
        stored = str(target.value)
        called = _added(dict(field.values.get(stored, {})), word)
        changed = field.model_copy(update={"values": {**field.values, stored: called}})
    else:
        changed = _called(field, word)
    others = home.fields if home.field(name) else (*home.fields, field)
    return home.model_copy(update={"fields": tuple(changed if one.name == name else one for one in others)})


def _called(one: Named, word: TaughtWord) -> Named:
    return one.model_copy(update={"synonyms": _added(dict(one.synonyms), word)})


def _added(synonyms: Synonyms, word: TaughtWord) -> Synonyms:
    known = synonyms.get(word.lang, ())
    return synonyms if word.word in known else {**synonyms, word.lang: (*known, word.word)}


def _replaced(ontology: OntologyDescriptor, entity: Entity) -> OntologyDescriptor:
    entities = tuple(entity if one.name == entity.name else one for one in ontology.entities)
    return ontology.model_copy(update={"entities": entities})


# --- as YAML


def as_yaml(ontology: OntologyDescriptor) -> str:
    """An ontology as YAML that can be loaded again."""
    return _dumped(ontology.model_dump(mode="json", by_alias=True, exclude_defaults=True))


def overlay_yaml(feature: str, words: Iterable[TaughtWord]) -> str:
    """What was taught alone, as YAML to paste into the ontology, with who and when above it."""
    told, parts = list[str](), dict[str, list[dict[str, Any]]]()
    for word in words:
        told.append(f"# {word.word}: {word.means}; taught by {word.who}, {word.taught_at:%Y-%m-%d}")
        _put(parts, word)
    if not told:
        return f"# Nothing was taught to {feature}.\n"
    return "\n".join(told) + "\n" + _dumped({"featureCode": feature, **parts})


def _put(parts: dict[str, list[dict[str, Any]]], word: TaughtWord) -> None:
    """Write a word into the parts that it is about."""
    for target in word.targets:
        if target.kind == "relation":
            relation = {"name": target.name, "fromEntity": target.entity}
            _put_synonym(_listed(parts.setdefault("relations", []), relation), word)
            continue
        home = _listed(parts.setdefault("entities", []), {"name": target.entity})
        if target.kind == "entity":
            _put_synonym(home, word)
            continue
        part = {"measure": "measures", "segment": "segments"}.get(target.kind, "fields")
        one = _listed(home.setdefault(part, []), {"name": target.name})
        if target.kind == "value":
            one.setdefault("values", {}).setdefault(str(target.value), {}).setdefault(word.lang, []).append(word.word)
        else:
            _put_synonym(one, word)
    for part, made in (("segments", word.segment), ("measures", word.measure)):
        if made is not None:
            home = _listed(parts.setdefault("entities", []), {"name": word.entity})
            home.setdefault(part, []).append(made.model_dump(mode="json", by_alias=True, exclude_defaults=True))


def _listed(entries: list[dict[str, Any]], named: dict[str, Any]) -> dict[str, Any]:
    """The entry of a list that has this name; it is added where there is none."""
    found = next((one for one in entries if named.items() <= one.items()), None)
    if found is None:
        found = dict(named)
        entries.append(found)
    return found


def _put_synonym(home: dict[str, Any], word: TaughtWord) -> None:
    home.setdefault("synonyms", {}).setdefault(word.lang, []).append(word.word)


def _dumped(data: Any) -> str:
    import yaml

    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=120)
