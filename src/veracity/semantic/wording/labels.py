"""What things are called in the asker's language: by the ontology's labels, else by the words of their identifiers.

Two things are never called the same in one place: where labels meet, the entity or the identifier is added.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from veracity.language.locale import language, pick, printable
from veracity.language.nearest import spaced, words_of
from veracity.language.numbers import locale_of
from veracity.ontology.entities import Measure
from veracity.ontology.fields import EntityField
from veracity.query.catalog import FieldFacts
from veracity.semantic.graph import SemanticModel, Step
from veracity.semantic.query import Aggregate
from veracity.yaml_file import packaged

_GAP = re.compile(r"\{(\w+)\}")
_PLURALS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "en": (("s", "es"), {"y": "ies"}),
    "de": (("en", "n", "e", "er", "nen", ""), {"o": "en", "a": "en", "um": "en"}),
}
"""How plurals end, and what stands in place of the end of the singular. Not German -s: it may be a genitive."""
_UMLAUTS = str.maketrans("äöü", "aou")
_PHRASES = Path(__file__).with_name("wording.yaml")
_MOST_LOCALES = 24
"""The labels of so many languages and locales are kept."""


def _regular_plural(label: str, lang: str) -> str | None:
    if lang == "en":
        return _english_plural(label)
    return _german_plural(label) if lang == "de" else None


def _german_plural(label: str) -> str | None:
    """The plural of a German label whose ending tells it: Filiale, Buchung, Lehrerin. Gebäude and others have their own."""
    if not label.rpartition(" ")[2][:1].isupper():
        return None  # no German noun: waste collection
    if label.endswith(("ung", "heit", "keit", "schaft", "ion", "tät")):
        return f"{label}en"
    if label.endswith("erin"):
        return f"{label}nen"
    return f"{label}n" if re.search(r"[^aeiou]e$|ie$", label) and not re.match(r"(.*\s)?Ge", label) else None


def _english_plural(label: str) -> str | None:
    """The plural of an English label, by its last word; none for what is not counted, and for names that are no words."""
    last = label.rpartition(" ")[2]
    kept, irregular = packaged(_PHRASES)["uncounted"]["en"].split(), packaged(_PHRASES)["plurals"]["en"]
    if not (last.isascii() and last.isalpha() and last.islower()) or last in kept or last.endswith("s"):
        return None
    first = label.partition(" ")[0]
    if first != last and first.endswith("s") and not first.endswith("ss"):
        return None  # payments received: the noun stands before, and is in the plural
    if last in irregular:
        return label.removesuffix(last) + str(irregular[last])
    if last.endswith("y") and last[-2:-1] not in "aeiou":
        return f"{label[:-1]}ies"
    return f"{label}es" if last.endswith(("x", "z", "ch", "sh")) else f"{label}s"


def _plain(word: str) -> str:
    """A word without capitals and umlauts: Verkauf and Verkäufe have the same beginning."""
    return word.casefold().translate(_UMLAUTS)


def phrase(key: str, lang: str, **values: object) -> str:
    """A phrase in this language, its gaps filled."""
    text: str = packaged(_PHRASES)[key][lang]
    # What fills a gap may hold braces itself, and stays as it is.
    return _GAP.sub(lambda gap: str(values[gap[1]]), text)


def capital(text: str) -> str:
    """The text with a capital at its start."""
    return text[:1].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class Context:
    """Where something is named: in a query about the rows of this entity."""

    home: str | None = None
    said: bool = True
    """Whether the words around it say which entity that is."""


class Labels:
    """The names of entities, fields, measures, segments and relations of a model in one language."""

    def __init__(self, model: SemanticModel, lang: str, locale: str | None = None) -> None:
        self.model = model
        self.lang = language(lang)
        ontology = model.catalog.ontology
        # Months are words, too: a locale of another language does not fit.
        code = locale if locale and language(locale) == self.lang else lang
        self.locale = locale_of(code, (ontology.locale if ontology else None) or "de-DE")

    def say(self, key: str, **values: object) -> str:
        """A phrase of this language."""
        return phrase(key, self.lang, **values)

    def _words(self, name: str) -> str:
        """The words of an identifier that nobody named; a German noun keeps the capital that it is stored with."""
        return spaced(name) if self.lang == "de" else words_of(name)

    # --- entities

    def entity(self, name: str, *, several: bool = False) -> str:
        """An entity; where the ontology shows how many of them are called, that form."""
        if name not in self.model.things:
            return unknown(name)
        label = self._entities[name]
        if self._entity_counts[label.casefold()] > 1:
            return label + self.say("enclosed", x=name)
        return (self._plural(name, label) or label) if several else label

    @cached_property
    def _entities(self) -> dict[str, str]:
        named = {}
        for name, thing in self.model.things.items():
            declared = pick(thing.declared.label, self.lang) if thing.declared else ""
            named[name] = self._within(declared) or self._words(name)
        return named

    @cached_property
    def _entity_counts(self) -> Counter[str]:
        return Counter(label.casefold() for label in self._entities.values())

    def _plural(self, name: str, label: str) -> str | None:
        """The plural, where a synonym (or, in English, the table's name) proves it, or where it is regular."""
        declared = self.model.things[name].declared
        if declared is None or not label:
            return _regular_plural(label, self.lang)
        known = {_plain(word): word for word in declared.synonyms.get(self.lang, ()) if word != label}
        if self.lang == "en":
            known |= {words_of(word): words_of(word) for word in (declared.table or "", name)}
        endings, stems = _PLURALS.get(self.lang, ((), {}))
        forms = [label + ending for ending in endings]
        forms += [label.removesuffix(old) + new for old, new in stems.items() if label.endswith(old)]
        proven = next((self._within(known[_plain(form)]) for form in forms if _plain(form) in known), None)
        return proven or _regular_plural(label, self.lang)

    def _within(self, label: str) -> str:
        """A label as it stands within a sentence: English nouns have no capital there."""
        label = printable(label.strip())
        if (
            self.lang != "en"
            or label[1:] != label[1:].lower()
            or label.split(" ")[0] in packaged(_PHRASES)["proper"]["en"]
        ):
            return label
        return label[:1].lower() + label[1:]

    # --- fields

    def resolve(self, reference: str, home: str | None = None) -> tuple[str, str] | None:
        """The entity and the field that `Entity.field` names; None where there is none."""
        entity, _, name = reference.rpartition(".")
        entity = entity or home or ""
        thing = self.model.things.get(entity)
        return (entity, name) if thing is not None and name in thing.fields else None

    def facts(self, reference: str | None, home: str | None = None) -> FieldFacts | None:
        """All that is known of a field."""
        found = self.resolve(reference, home) if reference else None
        return self.model.things[found[0]].fields[found[1]] if found else None

    def field(self, reference: str, context: Context, *, whose: bool | None = None) -> str:
        """A field of an entity; `whose` says whether with its entity, else it is where another one has a field of that name."""
        found = self.resolve(reference, context.home)
        if found is None:
            return unknown(reference)
        entity, name = found
        label = self._fields[found]
        if whose is None:
            shared = self._field_counts[label.casefold()] > 1 and not (context.said and entity == context.home)
            whose = shared or label.casefold() in self._not_fields
        more = [self.entity(entity)] if whose else []
        if sum(other.casefold() == label.casefold() for place, other in self._fields.items() if place[0] == entity) > 1:
            more.append(name)
        return label + (self.say("enclosed", x=self.say("comma").join(more)) if more else "")

    @cached_property
    def _fields(self) -> dict[tuple[str, str], str]:
        return {
            (entity, name): self._own(facts.declared) or self._words(name)
            for entity, thing in self.model.things.items()
            for name, facts in thing.fields.items()
        }

    @cached_property
    def _field_counts(self) -> Counter[str]:
        return Counter(label.casefold() for label in self._fields.values())

    @cached_property
    def _not_fields(self) -> frozenset[str]:
        """Labels that name an entity or a measure."""
        measures = (self._own(measure) or self._words(measure.name) for _, measure in self.model.measures.values())
        return frozenset(label.casefold() for label in (*self._entities.values(), *measures))

    def _own(self, declared: EntityField | Measure | None) -> str:
        return self._within(pick(declared.label, self.lang)) if declared else ""

    def is_taken(self, name: str) -> bool:
        """Whether an entity, a field or a measure is called so."""
        return name.casefold() in self._not_fields or self._field_counts[name.casefold()] > 0

    # --- measures, segments, relations

    def measure(self, name: str) -> str:
        """A measure; with its identifier where something else is called the same."""
        if name not in self.model.measures:
            return unknown(name)
        label = self._measures[name]
        shared = sum(other.casefold() == label.casefold() for other in self._measures.values()) > 1
        if shared or label.casefold() in self._computed:
            return label + self.say("enclosed", x=name)
        return label

    @cached_property
    def _measures(self) -> dict[str, str]:
        return {name: self._own(measure) or self._words(name) for name, (_, measure) in self.model.measures.items()}

    @cached_property
    def _computed(self) -> frozenset[str]:
        """What aggregates of fields and numbers of rows are called."""
        fields = (self.say(key, x=label) for key in Aggregate for label in set(self._fields.values()))
        counts = (self.say("count_of", x=self.entity(name, several=True)) for name in self.model.things)
        return frozenset(text.casefold() for text in (*fields, *counts))

    def segment(self, name: str) -> str:
        """A segment of an entity."""
        if name not in self.model.segments:
            return unknown(name)
        labels = {
            other: self._within(pick(segment.label, self.lang)) or self._words(other)
            for other, (_, segment) in self.model.segments.items()
        }
        shared = sum(other.casefold() == labels[name].casefold() for other in labels.values()) > 1
        return labels[name] + (self.say("enclosed", x=name) if shared else "")

    def role(self, step: Step) -> str:
        """What a relation calls the rows it leads to."""
        label = pick(step.relation.label, self.lang) if step.relation and not step.inverse else ""
        named = self._within(label) or (self.entity(step.end) if step.name == step.end else self._words(step.name))
        others = [other for other in self.model.steps[step.start] if other.name != step.name]
        same = {self._within(pick(o.relation.label, self.lang)) or self._words(o.name) for o in others if o.relation}
        return named + self.say("enclosed", x=step.name) if named in same else named

    def verb(self, step: Step) -> str:
        """What rows at the start of a step do to those at its end; nothing where the ontology does not say it, or says it twice."""
        verb = _verb(step, self.lang)
        rivals = [other for other in self.model.steps[step.start] if other.name != step.name]
        return "" if any(_verb(other, self.lang) == verb for other in rivals) else verb


def _verb(step: Step, lang: str) -> str:
    if step.relation is None:
        return ""
    verbs = (step.relation.inverse_verbs if step.inverse else step.relation.verbs).get(lang, ())
    # English things are named in the plural: states that border, not borders.
    plain = (verb for verb in verbs if lang != "en" or not verb.split(" ")[0].endswith("s"))
    return printable(next(plain, next(iter(verbs), "")))


def unknown(name: str) -> str:
    """A name that the model does not have, as it was written."""
    return f"`{printable(name).replace('`', '``')}`"


def labels_of(model: SemanticModel, lang: str, locale: str | None = None) -> Labels:
    """The labels of a model in one language; they are worked out once."""
    known: Labels | None = model.labels.get((lang, locale))
    if known is None:
        if len(model.labels) >= _MOST_LOCALES:
            model.labels.clear()
        known = model.labels[lang, locale] = Labels(model, lang, locale)
    return known
