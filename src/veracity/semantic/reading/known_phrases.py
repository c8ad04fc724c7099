"""The words of a model, of its stored values and of one language, with what each may stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, Self

from veracity.language.companies import without_legal_form
from veracity.language.currencies import CURRENCY_WORDS
from veracity.language.degrees import degrees
from veracity.language.dictionary import chinese_words, dictionary, german_forms
from veracity.language.folding import folded_text, words_in
from veracity.language.nearest import words_of
from veracity.language.people import means_people
from veracity.language.stem import noun_root, stem_of
from veracity.language.territories import city_names, coded_names, country_adjectives, other_names, region_names
from veracity.language.units import units
from veracity.language.verb_forms import verb_forms
from veracity.ontology.descriptor import Relation
from veracity.ontology.entities import Segment
from veracity.ontology.fields import Adjectives, FieldRole
from veracity.query.catalog import FieldFacts
from veracity.semantic.graph import SemanticModel, Step, Thing, names_of
from veracity.semantic.query import Aggregate, Comparison, InSegment, Shown
from veracity.semantic.reading.coming_about import deeds_of_people, done_by_people, done_to_things, said_of_rows
from veracity.semantic.reading.operator_words import MONEY_VERBS, language_words
from veracity.semantic.reading.phrases import (
    AgeBound,
    Attribute,
    Comparative,
    Direction,
    FigurePhrase,
    HowAdjective,
    JoiningWord,
    Role,
    RowFilter,
    RowsPhrase,
    RowState,
    SegmentWord,
    Superlative,
)
from veracity.semantic.reading.row_pairs import may_be_undone, words_for
from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.same_words import (
    common_adjectives,
    common_verbs,
    deeds_of_orders,
    happened_on,
    same_nouns,
    same_words,
    things_in_rows,
    values_in_words_of,
)
from veracity.semantic.reading.signs import is_sign_run
from veracity.semantic.reading.spellings import spellings_of
from veracity.semantic.reading.truths import truths_of
from veracity.semantic.reading.unsettled import KINDS, settlings
from veracity.semantic.reading.values_like_words import value_forms
from veracity.semantic.reading.word_lists import (
    Key,
    in_all_languages,
    is_person,
    key_of,
    names_for,
    operators,
    truth_words,
    without_flag_word,
)
from veracity.sources.source import NUMERIC, ColumnType

Values = Mapping[tuple[str, str], Collection[str]]
_LONGEST = 12
"""Longer names are not looked for."""
_LONG_NOUN = 6
_MOST_KINDS = 30
"""A column with more values holds names, not kinds."""
_MOST_NOUNS = 300
"""A column with more values holds no list of kinds or accounts that may be said in another language."""
_AGES = {"older": ">", "aged_over": ">", "younger": "<", "aged_under": "<"}
_ROW_STATES = ("late", "on_time")
_GRADED = (FieldRole.AMOUNT, FieldRole.QUANTITY, FieldRole.RATE, FieldRole.DATE)
_ARTICLES = frozenset({"the", "der", "die", "das"})
_TIED = frozenset("-_")
"""What ties the words of one value."""


class KnownPhrases:
    """Words -> phrases, for questions in one language."""

    def __init__(self, model: SemanticModel, values: Values, lang: str) -> None:
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
        ontology = model.catalog.ontology
        links = {r.through.entity for r in ontology.relations if r.through} if ontology else set()
        things = ((name, model.things.get(name)) for name in links)
        self._links = {name for name, thing in things if not (thing and thing.declared and thing.declared.label)}
        self.spellings = spellings_of(values)
        self.values = values
        self.truths = truths_of(model, values, truth_words())
        self._settlings = settlings(model, self.truths)
        self._unsettled = dict(self._words_for_unsettled())
        self.persons = tuple(thing.name for thing in model.things.values() if is_person(thing))
        self.people_named = () if self.persons else _people_named(model, lang)
        self._add_all(values)

    def _add_all(self, values: Values) -> None:
        """The words of the language, then those of the model and of its values, then what depends on which of them are known."""
        self._question_words = self._words_of_questions()
        self._add_things()
        self._add_relations()
        self._add_coming_about()
        self._add_adjectives()
        self._question_words = self._words_of_questions()
        self._add_values(values)
        self._add_same_words()
        self._add_values_in_other_words(values)
        for word in self._said("skipped_if_unknown"):
            if self._is_new(word):
                plain = tuple(words_in(word))
                self._skipped.setdefault(plain[0], []).append(plain)
        self._add_light_verbs()
        self._add_not_yet_done()
        self._add_taking_time()
        self._add_money_verbs()
        for key, phrases in self._phrases.items():
            self._phrases[key] = list(_with_namesakes(_measures_together(phrases)))
        keys: Iterable[Key] = (
            *self._phrases,
            *self._stored,
            *self._stored_roots,
            *self._operator_words,
            *self._verbs,
            *self._own.weekdays,
            *self._unsettled,
            *(tuple(name.split()) for name in units()),
        )
        self._longest: dict[str, int] = {}
        self._measure(keys)

    def _measure(self, keys: Iterable[Key]) -> None:
        for key in keys:
            if key:
                self._longest[key[0]] = max(len(key), self._longest.get(key[0], 0))

    # --- one word more

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

    def _words_for_unsettled(self) -> Iterator[tuple[Key, str]]:
        """open, unpaid, overdue: the words, as they stand before a noun, too, and the list that each is of."""
        for kind in KINDS:
            for word in self._said(kind):
                for form in _bent(word, self.lang, True):
                    yield tuple(words_in(form)), kind
                    if self._compounds:
                        yield ("noch", *words_in(form)), kind

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
                if (thing.name, field) not in linking and not _is_for_tools(thing, field):
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
            is_kind = _is_kind(thing, field)
            for value, by_lang in declared.values.items():
                bent = declared.role is FieldRole.FLAG
                said = ((one, lang) for lang, words in by_lang.items() for one in words)
                for word in (form for one, lang in said for form in _bent(one, lang, bent)):
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

    def _add_same_words(self) -> None:
        """What people call things otherwise than the ontology does, where nothing else is called so."""
        unsaid = {key_of(word) for word in self._said("skipped_if_unknown")}  # the company may be whoever asks
        for word, phrases in same_words(self.model, self._phrases, self.lang):
            if self._is_new(word) and key_of(word) not in unsaid and (stem_of(word, self.lang),) not in self._verbs:
                for phrase in phrases:
                    self._add(word, phrase)
                self._singular.update(words_in(word)[-1:])
                self._same_words.update(key_of(word)[-1:])
        for word, entity, field in things_in_rows(self.model, self.lang):
            if self._is_new(word):
                self._add(word, FigurePhrase((Shown(aggregate=Aggregate.SUM, field=f"{entity}.{field}"),), entity))
        for word, entity in deeds_of_orders(self.model, self.lang):
            if self._is_new(word) and (stem_of(word, self.lang),) not in self._verbs:
                self._add(word, RowsPhrase(entity))
                self._singular.update(words_in(word)[-1:])
        for word in self._said("people") if len(self.persons) == 1 else ():  # whoever the rows are about
            if self._is_new(word):
                self._add(word, RowsPhrase(self.persons[0], plural=True))
        self._add_common_verbs()
        self._add_happened_dates()

    def _add_common_verbs(self) -> None:
        """Verbs that go without saying between two things: customers buy products."""
        light = self._light_stems()
        for verb, step in common_verbs(self.model, self.lang):
            forms = verb_forms(verb, self.lang)
            stems = {stem_of(form, self.lang) for form in forms}
            known = stems & light or any((stem,) in self._verbs or self._stores(stem) for stem in stems)
            if not known and all(map(self._is_new, forms)):
                self._add_verb(verb, step.start, step.name)
                self._add_passive((verb,), step)

    def _add_happened_dates(self) -> None:
        """What happened on a date, where nobody says it: hired, of a hire date."""
        happened = dict[str, list[Attribute]]()
        for thing in self.model.things.values():
            for field, facts in thing.fields.items():
                said = happened_on(tuple(names_for(field, facts.declared)), self.lang) if facts.is_date else ()
                for word in said:
                    happened.setdefault(word, []).append(Attribute(thing.name, field))
        light = self._light_stems()
        for word, dates in happened.items():
            stem = stem_of(word, self.lang)
            if stem not in light and self._is_new(word) and (stem,) not in self._verbs:  # orders are placed anyway
                for date in dates:
                    self._add(word, date)

    def _light_stems(self) -> set[str]:
        return {stem_of(word, self.lang) for kind in ("light", "light_amounts") for word in self._said(kind)}

    def _stores(self, stem: str) -> bool:
        """Whether a form of a verb is stored, which then says of which rows it is true: gigs with the status played."""
        words = (key[0] for key in self._stored if len(key) == 1 and key[0].startswith(stem))
        return any(stem_of(word, self.lang) == stem for word in words)

    def _add_light_verbs(self) -> None:
        """cost asks for a price, where something has one; work and sit say nothing by themselves, where no relation is called so."""
        fields: dict[Key, list[Phrase]] = {}
        for verb, nouns in (self.operators.get("asks_for") or {}).items():
            senses = [one for noun in nouns for one in self._phrases.get(key_of(str(noun)), ())]
            senses += self._called_by_head(nouns, {one.entity for one in senses if isinstance(one, Attribute)})
            asked = [replace(one, verb=True) for one in dict.fromkeys(senses) if isinstance(one, Attribute)]
            known = self._phrases.get(key_of(str(verb)), ())
            if asked and self._is_new(str(verb)):
                fields[key_of(str(verb))] = list(asked)
            elif known and all(isinstance(one, Attribute) for one in known):  # repairs' costs; trips cost their price
                homes = {one.path for one in known if isinstance(one, Attribute)}
                fields[key_of(str(verb))] = [*known, *(one for one in asked if one.path not in homes)]
        self._phrases |= fields
        for kind in ("light", "light_amounts", "planned", "took_longer", *_ROW_STATES):
            for word in self._said(kind):
                key = tuple(words_in(word))
                free = self._is_new(word) or (kind == "light_amounts" and key_of(word) in fields)
                if free and tuple(stem_of(part, self.lang) for part in key) not in self._verbs:
                    state = RowState(kind) if kind in _ROW_STATES else JoiningWord(kind, folded_text(word))
                    self._operator_words[key] = [state]

    def _called_by_head(self, nouns: Sequence[str], known: Collection[str]) -> list[Attribute]:
        """Fields whose last part is one of these nouns, of rows without a field that is called just so: the Monatslohn, a list price."""
        if self._compounds:
            heads = tuple(root for noun in nouns for root in _as_last_part(folded_text(str(noun))))
            found = [one for key, some in self._phrases.items() if key[-1].endswith(heads) for one in some]
        else:
            ends = {key_of(str(noun))[-1] for noun in nouns} if self.lang == "en" else set[str]()
            found = [one for key, some in self._phrases.items() if len(key) == 2 and key[-1] in ends for one in some]
        return [one for one in found if isinstance(one, Attribute) and one.entity not in known]

    def _add_money_verbs(self) -> None:
        """Verbs of money, beside what they are in the data: paid is a date, too."""
        for kind in MONEY_VERBS:
            for word in self._said(kind):
                self._operator_words.setdefault(tuple(words_in(word)), []).append(JoiningWord(kind, folded_text(word)))

    def _add_taking_time(self) -> None:
        """How long repairs take, where nobody takes anything else; what is good, where nothing is stored so."""
        graded: list[tuple[str, Direction]] = [(word, 1) for word in self._said("praise")]
        for word, direction in (*graded, *((word, -1) for word in self._said("blame"))):  # good customers are the best
            if (plain := tuple(words_in(word))) not in self._stored and plain not in self._operator_words:
                self._operator_words.setdefault(plain, []).append(Superlative(direction))
        for word in self._said("takes_time"):
            if (stem_of(word, self.lang),) not in self._verbs:
                self._operator_words.setdefault((word,), []).append(JoiningWord("takes_time", word))

    def _add_not_yet_done(self) -> None:
        """Unpaid, undelivered: what has no such date, where no status says how it stands."""
        for thing in self.model.things.values() if self._said("undone") else ():
            for name in may_be_undone(self.model, thing.name):
                lacks = RowFilter(thing.name, (Comparison(field=f"{thing.name}.{name}", op="missing"),), before=True)
                for prefix, word in product(self._said("undone"), sorted(words_for(self.model, thing.name, name))):
                    if self._is_new(f"{prefix}{word}") and (word,) in in_all_languages("done_dates"):
                        self._operator_words.setdefault((f"{prefix}{word}",), []).append(lacks)

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

    def _words_of_questions(self) -> set[str]:
        """Words that say how something is asked, each by itself: average, most, who."""
        skipped = {word for word, keys in self._skipped.items() if (word,) in keys}
        return skipped | {key[0] for key in self._operator_words if len(key) == 1}

    def _add_values(self, values: Values) -> None:
        linking = set(self._linking_fields())
        of_countries: list[tuple[str, str, str, str, bool]] = []
        companies: list[tuple[str, str, str, str, bool]] = []
        for (entity, field), stored in values.items():
            thing = self.model.things.get(entity)
            if (
                thing is None
                or entity in self._links
                or (entity, field) in linking
                or _is_for_tools(thing, field)
                or thing.fields[field].column.type is not ColumnType.TEXT
            ):
                continue
            is_kind = _is_kind(thing, field)
            currency = thing.fields[field].role is FieldRole.CURRENCY
            called = tuple(names_for(field, thing.fields[field].declared))
            coded = (*region_names(stored, called, self.lang), *coded_names(stored, called, self.lang))
            german = country_adjectives(stored, called, self.lang)
            of_countries += [(name, entity, field, value, is_kind) for name, value in german]
            for name, value in (*other_names(stored, self.lang), *city_names(stored), *coded):
                self._store(name, entity, field, value, is_kind)
            for value in stored:
                self._store(value, entity, field, value, is_kind)
                short = without_legal_form(value) if field in thing.display else ""
                if short and not same_nouns(short):  # Transport Ltd is no transport
                    companies.append((short, entity, field, value, False))
                for form in value_forms(value, self.lang) if is_kind else ():
                    self._forms_of_kinds.setdefault((form,), []).append((entity, field, value))
                for word in (self.operators.get("signs") or {}).get(value, ()):
                    self._store(word, entity, field, value, is_kind)
                for word in CURRENCY_WORDS.get(value, {}).get(self.lang, ()) if currency else ():
                    self._store(word, entity, field, value, is_kind)
        for one in [one for one in of_countries if self._is_new(one[0])]:  # French is no country where it is a language
            self._store(*one)
        for one in [one for one in companies if self._is_new(one[0])]:
            self._store(*one)

    def _add_values_in_other_words(self, values: Values) -> None:
        """What is stored in another language than is asked in, where nothing else is called so; not the names of people and places."""
        linking, found = set(self._linking_fields()), dict[str, list[tuple[str, str, str]]]()
        for (entity, field), stored in values.items():
            thing = self.model.things.get(entity)
            if thing is None or (entity, field) in linking or len(stored) > _MOST_NOUNS or entity in self._links:
                continue
            called = tuple(names_for(field, thing.fields[field].declared))
            named = is_person(thing) and (field in thing.display or any("name" in one.lower() for one in called))
            if thing.fields[field].column.type is not ColumnType.TEXT or _is_for_tools(thing, field) or named:
                continue
            for word, value in values_in_words_of(stored, called, self.lang):
                found.setdefault(word, []).append((entity, field, value))
        for word, homes in found.items():
            if self._is_new(word) and (stem_of(word, self.lang),) not in self._verbs:
                for home in homes:
                    self._store(word, *home, is_kind=True)

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


def _bent(word: str, lang: str, flag: bool) -> tuple[str, ...]:
    """A German word for what a flag says, as it stands before a noun, too: inaktive Mitglieder."""
    plain = flag and lang == "de" and " " not in word and word[:1].islower()
    return (word, *(f"{word}{ending}" for ending in ("e", "en", "er", "es", "em"))) if plain else (word,)


def _as_last_part(noun: str) -> tuple[str, str]:
    """The root of a noun, by itself and at the end of a longer word, where more of its ending is cut off."""
    before = "monats"
    return noun_root(noun), noun_root(f"{before}{noun}").removeprefix(before)


def _as_stored(value: str, kind: ColumnType) -> str | int:
    """A value of an ontology as the column holds it."""
    if kind is ColumnType.BOOLEAN:
        return value.casefold() in ("true", "t", "1")
    return int(value) if kind is ColumnType.INTEGER and value.isdecimal() else value


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


def _is_for_tools(thing: Thing, field: str) -> bool:
    """Whether questions never mean a field."""
    spoken = thing.declared.spoken if thing.declared else ()
    return bool(spoken) and field not in spoken


def _is_kind(thing: Thing, field: str) -> bool:
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


def _people_named(model: SemanticModel, lang: str) -> tuple[str, ...]:
    """What the people are called that rows only name."""
    called = [
        facts.declared.label.get(lang, "")
        for thing in model.things.values()
        for facts in thing.fields.values()
        if facts.categorical and facts.declared is not None
    ]
    return tuple(name for name in called if name and means_people(name))


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


def _measures_together(phrases: Sequence[Phrase]) -> list[Phrase]:
    """A word that stands for several measures of one entity asks for all of them: movements are debits and credits."""
    plain = [p for p in phrases if isinstance(p, FigurePhrase) and not p.where and p.shown[0].measure]
    if len(plain) < 2 or len({figures.home for figures in plain}) > 1:
        return list(phrases)
    together = replace(plain[0], shown=tuple(shown for figures in plain for shown in figures.shown))
    return [together, *(phrase for phrase in phrases if phrase not in plain)]


def _with_namesakes(phrases: Sequence[Phrase]) -> Iterator[Phrase]:
    """Fields of the same name know of each other."""
    owners = tuple(phrase.entity for phrase in phrases if isinstance(phrase, Attribute))
    for phrase in phrases:
        yield replace(phrase, may_be=owners) if isinstance(phrase, Attribute) and len(owners) > 1 else phrase
