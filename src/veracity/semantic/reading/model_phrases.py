"""The words of a model: what its things, fields, relations and figures are called, and the adjectives for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from veracity.language.degrees import degrees
from veracity.language.dictionary import chinese_words, dictionary, german_forms
from veracity.language.folding import folded_text, words_in
from veracity.language.nearest import words_of
from veracity.language.stem import stem_of
from veracity.ontology.descriptor import Relation
from veracity.ontology.entities import Segment
from veracity.ontology.fields import Adjectives, FieldRole
from veracity.query.catalog import FieldFacts
from veracity.semantic.graph import SemanticModel, Thing, names_of
from veracity.semantic.query import Aggregate, InSegment, Shown
from veracity.semantic.reading.coming_about import deeds_of_people, done_by_people, done_to_things, said_of_rows
from veracity.semantic.reading.comparison_phrases import AgeBound, Comparative, HowAdjective, Superlative
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.phrase_book import PhraseBook
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Role, RowsPhrase, SegmentWord
from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.same_words import common_adjectives
from veracity.semantic.reading.truths import truths_of
from veracity.semantic.reading.word_lists import (
    Key,
    in_all_languages,
    is_person,
    key_of,
    names_for,
    truth_words,
    without_flag_word,
)
from veracity.sources.source import NUMERIC, ColumnType

Values = Mapping[tuple[str, str], Collection[str]]
_LONG_NOUN = 6
_AGES = {"older": ">", "aged_over": ">", "younger": "<", "aged_under": "<"}
_GRADED = (FieldRole.AMOUNT, FieldRole.QUANTITY, FieldRole.RATE, FieldRole.DATE)


class ModelPhrases(PhraseBook):
    """What the words of a model stand for, in one language."""

    def __init__(self, model: SemanticModel, values: Values, lang: str) -> None:
        super().__init__(model, lang)
        ontology = model.catalog.ontology
        links = {r.through.entity for r in ontology.relations if r.through} if ontology else set()
        things = ((name, model.things.get(name)) for name in links)
        self._links = {name for name, thing in things if not (thing and thing.declared and thing.declared.label)}
        self.truths = truths_of(model, values, truth_words())
        self.persons = tuple(thing.name for thing in model.things.values() if is_person(thing))
        self._add_things()
        self._add_relations()
        self._add_coming_about()
        self._add_adjectives()
        self._question_words = self._words_of_questions()

    def _add_things(self) -> None:
        linking = set(self._linking_fields())
        for thing in self.model.things.values():
            figures = _names_of_figures(thing)
            labels = thing.declared.label.values() if thing.declared else ()
            measured = any(key_of(label) in figures for label in labels)
            for name in names_for("" if thing.name in self._links or _is_figure(thing) else thing.name, thing.declared):
                said = words_in(name)
                if len(said) > 1 and self._question_words.issuperset(said):
                    continue  # a table lives_in is no noun
                self._add(name, RowsPhrase(thing.name, figure_word=measured or key_of(name) in figures))
                self._singular.update(words_in(name)[-1:])
            segments = {key_of(name) for segment in thing.segments.values() for name in names_for("", segment)}
            for field in thing.fields:
                if (thing.name, field) not in linking and not is_for_tools(thing, field):
                    self._add_field(thing, field, segments)
            self._add_own_name(thing)
            if len(thing.key) == 1:
                self._add("id", Attribute(thing.name, thing.key[0]))
            for measure in thing.measures.values():
                figure = FigurePhrase((Shown(measure=measure.name),), thing.name)
                for name in names_for(measure.name, measure):
                    self._add(name, figure)
            nouns = tuple({folded_text(name) for name in names_for("", thing.declared)})
            for segment in thing.segments.values():
                for name in names_for(segment.name, segment):
                    self._add(name, SegmentWord(thing.name, segment.name))
                    figure_word = segment.default_measure is not None and not _names_rows(name, nouns)
                    inside = (InSegment(segment=segment.name),)
                    self._add(name, RowsPhrase(thing.name, where=inside, figure_word=figure_word))
                    for figure in self._default_figures(thing, segment) if figure_word else ():
                        self._add(name, figure)

    def _default_figures(self, thing: Thing, segment: Segment) -> Iterator[FigurePhrase]:
        """What the name of a segment stands for where a figure is asked."""
        if segment.default_measure is not None:
            home = self.model.measures[segment.default_measure][0]
            for way in self.model.ways(home, thing.name):
                inside = InSegment(segment=segment.name, via=names_of(way))
                yield FigurePhrase((Shown(measure=segment.default_measure),), home, where=(inside,))

    def _add_own_name(self, thing: Thing) -> None:
        """The name of airlines, where the field that they are known by is called airline itself."""
        own = {key_of(name) for name in names_for(thing.name, thing.declared)}
        facts = thing.fields.get(thing.display[0]) if len(thing.display) == 1 else None
        if facts is None or facts.column.type is not ColumnType.TEXT or facts.identifier:
            return
        if own.isdisjoint(map(key_of, names_for(thing.display[0], facts.declared))):
            return
        entry = dictionary()["name"]
        for word in ("name", *(form for pair in german_forms(entry) for form in pair), *chinese_words(entry)):
            if not any(
                key_of(word) == key_of(one) for name, f in thing.fields.items() for one in names_for(name, f.declared)
            ):
                self._add(word, Attribute(thing.name, thing.display[0]))

    def _add_field(self, thing: Thing, field: str, segments: Collection[Key]) -> None:
        declared = thing.fields[field].declared
        attribute = Attribute(thing.name, field)
        names = dict.fromkeys(names_for(field, declared))
        if (thing.name, field) in self.truths:  # has locker: a locker
            names |= dict.fromkeys(rest for name in names if (rest := without_flag_word(name)))
            names |= dict.fromkeys(self._flag_in_words(field))
            if self.lang == "en":  # who works remotely
                names |= dict.fromkeys(f"{name}ly" for name in names if name.isalpha() and not name.endswith("ed"))
        names |= dict.fromkeys(turned for name in names if (turned := self._turned_round(name)))
        if self.lang == "en" and thing.name not in self._links and field not in thing.display:  # the country code
            figure = thing.fields[field].column.type in NUMERIC
            own = [name for name in names if thing.key == (field,) or (figure and self._times_called[key_of(name)] > 1)]
            names |= dict.fromkeys(f"{noun} {name}" for noun in names_for("", thing.declared) for name in own)
        for name in names:
            # A field called total asks for a sum where there are several rows.
            totals = any(_is_sum(phrase) for phrase in self._operator_words.get(tuple(words_in(name))[-1:], ()))
            ranks = not self._own.superlatives.isdisjoint(words_in(name))
            begins = any(_is_sum(phrase) for phrase in self._operator_words.get(tuple(words_in(name))[:1], ()))
            amounts = thing.fields[field].can_be_added and _is_total(name)
            self._add(name, replace(attribute, asked=totals, totals=(begins or amounts) and not totals, ranks=ranks))
            if amounts and not totals and not thing.has_measure_called_as(field):
                self._add(name, FigurePhrase((Shown(aggregate=Aggregate.SUM, field=attribute.path),), thing.name))
        if declared is not None:
            is_kind = says_kind(thing, field)
            for value, by_lang in declared.values.items():
                bent = declared.role is FieldRole.FLAG
                said = ((one, lang) for lang, words in by_lang.items() for one in words)
                for word in (form for one, lang in said for form in bent_forms(one, lang, bent)):
                    if key_of(word) not in segments:
                        kind = thing.fields[field].column.type
                        self._store(word, thing.name, field, _as_stored(value, kind), is_kind)

    def _flag_in_words(self, field: str) -> Iterator[str]:
        """What a flag with an English name is about, in the language that is asked in: is_volunteer says who is 志愿者."""
        entry = dictionary().get(words_of(without_flag_word(field) or field))
        if entry is not None and self.lang != "en":
            german = (form for pair in german_forms(entry) for form in pair)
            yield from german if self.lang == "de" else chinese_words(entry)

    def _turned_round(self, name: str) -> str:
        """The form of government of a government form; nothing where rows are called by the first noun, whose own it would be."""
        words = words_in(name) if self.lang == "en" else []
        if len(words) != 2 or not all(map(str.isalpha, words)) or key_of(words[0]) in self._names_of_things:
            return ""
        asks = any(key in self._operator_words for key in ((words[1],), (words[1], "of")))  # the number of customers
        return "" if asks else f"{words[1]} of {words[0]}"

    @cached_property
    def _times_called(self) -> Counter[Key]:
        """How many fields are called so."""
        fields = (one for thing in self.model.things.values() for one in thing.fields.items())
        named = (names_for(field, facts.declared) for field, facts in fields)
        return Counter(key for names in named for key in set(map(key_of, names)))

    @cached_property
    def _names_of_things(self) -> frozenset[Key]:
        things = self.model.things.values()
        return frozenset(key_of(name) for thing in things for name in names_for(thing.name, thing.declared))

    def _add_relations(self) -> None:
        for steps in self.model.steps.values():
            for step in steps:
                relation = step.relation
                if relation is None:
                    continue
                verbs = relation.inverse_verbs if step.inverse else relation.verbs
                for phrase in verbs.get(self.lang, ()):
                    self._add_verb(phrase, step.start, step.name)
                self._add_passive(verbs.get(self.lang, ()), step)
                if not step.inverse:
                    self._add_roles(relation, step.start, step.name, step.end)

    def _add_coming_about(self) -> None:
        """How rows came about: behind their noun it says nothing more; with the people who did it, it is a verb."""
        self._came: dict[Key, tuple[str, ...]] = {}
        for key, entity in said_of_rows(self.model, self.lang):
            self._came[key] = tuple(dict.fromkeys((*self._came.get(key, ()), entity)))
        told = {(key, *home[:2]) for key, homes in self._verbs.items() for home in homes}
        for verb, step in done_by_people(self.model, self.lang):
            self._add_verb(verb, step.start, step.name)
            self._add_passive((verb,), step)
        said = {(key, *home[:2]) for key, homes in self._verbs.items() for home in homes}
        self._transitive: dict[Key, tuple[tuple[str, str], ...]] = {}
        for key, start, name in sorted(said - told):
            self._transitive[key] = (*self._transitive.get(key, ()), (start, name))
        self._done: dict[Key, list[tuple[str, str, str]]] = {}
        for deeds in (deeds_of_people, done_to_things):  # who did it says what it was done to, too
            new = [
                (key, step)
                for form, step in deeds(self.model, self.lang)
                if not self._says_deed(key := tuple(words_in(form)), step.end)
            ]
            for key, step in new:
                self._done.setdefault(key, []).append((step.start, step.name, ""))

    def _says_deed(self, key: Key, entity: str) -> bool:
        stemmed = tuple(stem_of(word, self.lang) for word in key)
        homes = (*self._verbs.get(stemmed, ()), *self._done.get(key, ()))
        return any(self._leads_to(home, entity) for home in homes)

    def _leads_to(self, home: tuple[str, str, str], entity: str) -> bool:
        return any(step.name == home[1] and step.end == entity for step in self.model.steps[home[0]])

    def _add_roles(self, relation: Relation, start: str, step: str, end: str) -> None:
        if relation.label or relation.synonyms:
            for name in names_for("", relation):
                self._add(name, Role(start, step, end))

    def _add_adjectives(self) -> None:
        fields: dict[tuple[str, int], list[tuple[str, str]]] = {}
        for thing in self.model.things.values():
            for name, facts in thing.fields.items():
                said = self._adjectives_of(name, facts)
                for words, direction in ((said.more, 1), (said.less, -1)) if said else ():
                    for word in words:
                        fields.setdefault((folded_text(word), direction), []).append((thing.name, name))
        for kind, direction in (("high", 1), ("low", -1)):
            for word in self._said(kind):
                fields.setdefault((folded_text(word), direction), [])
        general = {folded_text(word) for kind in ("high", "low") for word in self._said(kind)}
        for (word, direction), homes in fields.items():
            self._add_degrees(word, 1 if direction > 0 else -1, tuple(homes), general=word in general)
        self._add_dated()
        self._add_ages()

    def _adjectives_of(self, name: str, facts: FieldFacts) -> Adjectives | None:
        """Those that are declared, else those that everybody has for what is called so."""
        declared = facts.declared
        if declared is None or declared.adjectives or facts.role not in _GRADED:
            return declared.adjectives.get(self.lang) if declared else None
        return common_adjectives(tuple(names_for(name, declared)), self.lang)

    def _add_dated(self) -> None:
        """newest, oldest: of a field that has the adjective, else of the date of the rows."""
        for kind, direction in (("newest", 1), ("oldest", -1)):
            for word in self._said(kind):
                senses = self._operator_words.setdefault(tuple(words_in(word)), [])
                known = [sense for sense in senses if isinstance(sense, Superlative)]
                people = self.persons if word in self._said("aged") else ()
                for sense in known:
                    senses[senses.index(sense)] = replace(sense, dated=True, never_of=people)
                if not known:
                    superlative = Superlative(1 if direction > 0 else -1, adjective=word, dated=True, never_of=people)
                    senses.append(superlative)

    def _add_degrees(self, word: str, direction: Any, fields: tuple[tuple[str, str], ...], *, general: bool) -> None:
        forms = degrees(word, self.lang)
        for form in forms.superlative:
            self._operator_words.setdefault(tuple(words_in(form)), []).append(
                Superlative(direction, adjective=word, fields=fields, general=general)
            )
        for form in forms.comparative:
            key = tuple(words_in(form))
            self._operator_words.setdefault(key, []).append(Comparative(">" if direction > 0 else "<", fields, general))
        for form in forms.plain if fields or general else ():
            self._operator_words.setdefault(tuple(words_in(form)), []).append(HowAdjective(fields, direction=direction))

    def _add_ages(self) -> None:
        """older, younger: of what has a date of birth."""
        words = in_all_languages("birth")
        born = tuple(
            (thing.name, name)
            for thing in self.model.things.values()
            for name, facts in thing.fields.items()
            if facts.is_date and any(key_of(said) in words for said in names_for(name, facts.declared))
        )
        self.born = frozenset(born)
        for kind, op in _AGES.items() if born else ():
            for word in self._said(kind):
                self._operator_words.setdefault(tuple(words_in(word)), []).append(AgeBound(op, born))

    def _linking_fields(self) -> Iterator[tuple[str, str]]:
        """Fields that only say to which other row a row belongs: their values are names over there."""
        for step in (step for steps in self.model.steps.values() for step in steps):
            here = step.start
            for hop in step.hops:
                if step.to_one or len(step.hops) > 1:
                    for own, other in hop.keys:
                        yield from self._undescribed(here, own)
                        yield from self._undescribed(hop.entity, other)
                here = hop.entity

    def _undescribed(self, entity: str, field: str) -> Iterator[tuple[str, str]]:
        thing = self.model.things[entity]
        # Rows without a name are known by their key; the part of it that points elsewhere is called by what stands there.
        by_key = len(thing.key) > 1 and thing.display == thing.key
        named = field in thing.display and entity not in self._links and not by_key
        if not named and thing.fields[field].declared is None:
            yield entity, field


def bent_forms(word: str, lang: str, flag: bool) -> tuple[str, ...]:
    """A German word for what a flag says, as it stands before a noun, too: inaktive Mitglieder."""
    plain = flag and lang == "de" and " " not in word and word[:1].islower()
    return (word, *(f"{word}{ending}" for ending in ("e", "en", "er", "es", "em"))) if plain else (word,)


def _as_stored(value: str, kind: ColumnType) -> str | int:
    """A value of an ontology as the column holds it."""
    if kind is ColumnType.BOOLEAN:
        return value.casefold() in ("true", "t", "1")
    return int(value) if kind is ColumnType.INTEGER and value.isdecimal() else value


def is_for_tools(thing: Thing, field: str) -> bool:
    """Whether questions never mean a field."""
    spoken = thing.declared.spoken if thing.declared else ()
    return bool(spoken) and field not in spoken


def says_kind(thing: Thing, field: str) -> bool:
    """Whether a field says of which kind a row is: emergencies are those of the kind emergency."""
    declared = thing.fields[field].declared
    return declared is not None and bool(declared.categorical) and field not in thing.display


def _names_rows(name: str, nouns: Collection[str]) -> bool:
    """Whether a name of a group says what its rows are: bank accounts, not bank balance."""
    folded = folded_text(name)
    return any(noun in folded for noun in nouns)


def _is_figure(thing: Thing) -> bool:
    """Whether the name of a table is that of its figure, while its rows are called otherwise."""
    if thing.declared is None or not thing.declared.label:
        return False
    called = {key_of(name) for measure in thing.measures.values() for name in names_for("", measure)}
    own = {key_of(name) for name in names_for("", thing.declared)}
    return key_of(thing.name) in called and key_of(thing.name) not in own


def _names_of_figures(thing: Thing) -> frozenset[Key]:
    """What the numbers of rows are called: hours in a table of hours are added up, not its rows counted."""
    return frozenset(
        key_of(name)
        for field, facts in thing.fields.items()
        if facts.column.type in NUMERIC and not facts.identifier and field not in thing.key
        for name in names_for(field, facts.declared)
    )


def _is_total(name: str) -> bool:
    """Whether a name is a word for what rows come to: revenue, Nettoumsatz."""
    last = key_of(name)[-1:]
    nouns = in_all_languages("totals")
    return last in nouns or any(word.endswith(noun) for word in last for (noun, *_) in nouns if len(noun) >= _LONG_NOUN)


def _is_sum(phrase: Phrase) -> bool:
    return isinstance(phrase, JoiningWord) and phrase.kind == "sum"
