"""All words that are known in some data: those of its model, those of its stored values, and what else people say for them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from veracity.language.companies import without_legal_form
from veracity.language.currencies import CURRENCY_WORDS
from veracity.language.folding import folded_text, words_in
from veracity.language.people import means_people
from veracity.language.stem import noun_root, stem_of
from veracity.language.territories import city_names, coded_names, country_adjectives, other_names, region_names
from veracity.language.units import units
from veracity.language.verb_forms import verb_forms
from veracity.ontology.fields import FieldRole
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Aggregate, Comparison, Shown
from veracity.semantic.reading.comparison_phrases import Superlative
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import RowState
from veracity.semantic.reading.model_phrases import ModelPhrases, Values, bent_forms, is_for_tools, says_kind
from veracity.semantic.reading.operator_words import MONEY_VERBS
from veracity.semantic.reading.phrases import Attribute, Direction, JoiningWord, RowFilter, RowsPhrase
from veracity.semantic.reading.row_pairs import may_be_undone, words_for
from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.same_words import (
    common_verbs,
    deeds_of_orders,
    happened_on,
    same_nouns,
    same_words,
    things_in_rows,
    values_in_words_of,
)
from veracity.semantic.reading.spellings import spellings_of
from veracity.semantic.reading.unsettled import KINDS, settlings
from veracity.semantic.reading.values_like_words import value_forms
from veracity.semantic.reading.word_lists import Key, in_all_languages, is_person, key_of, names_for
from veracity.sources.source import ColumnType

_MOST_NOUNS = 300
"""A column with more values holds no list of kinds or accounts that may be said in another language."""
_ROW_STATES = ("late", "on_time")


class KnownPhrases(ModelPhrases):
    """Words -> phrases, for questions in one language."""

    def __init__(self, model: SemanticModel, values: Values, lang: str) -> None:
        super().__init__(model, values, lang)
        self.spellings = spellings_of(values)
        self.values = values
        self._settlings = settlings(model, self.truths)
        self._unsettled = dict(self._words_for_unsettled())
        self.people_named = () if self.persons else _people_named(model, lang)
        self._add_all(values)

    def _add_all(self, values: Values) -> None:
        """The stored values, then what depends on which words are known."""
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
        self._measure(keys)

    def _words_for_unsettled(self) -> Iterator[tuple[Key, str]]:
        """open, unpaid, overdue: the words, as they stand before a noun, too, and the list that each is of."""
        for kind in KINDS:
            for word in self._said(kind):
                for form in bent_forms(word, self.lang, True):
                    yield tuple(words_in(form)), kind
                    if self._compounds:
                        yield ("noch", *words_in(form)), kind

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
                or is_for_tools(thing, field)
                or thing.fields[field].column.type is not ColumnType.TEXT
            ):
                continue
            is_kind = says_kind(thing, field)
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
            if thing.fields[field].column.type is not ColumnType.TEXT or is_for_tools(thing, field) or named:
                continue
            for word, value in values_in_words_of(stored, called, self.lang):
                found.setdefault(word, []).append((entity, field, value))
        for word, homes in found.items():
            if self._is_new(word) and (stem_of(word, self.lang),) not in self._verbs:
                for home in homes:
                    self._store(word, *home, is_kind=True)


def _as_last_part(noun: str) -> tuple[str, str]:
    """The root of a noun, by itself and at the end of a longer word, where more of its ending is cut off."""
    before = "monats"
    return noun_root(noun), noun_root(f"{before}{noun}").removeprefix(before)


def _people_named(model: SemanticModel, lang: str) -> tuple[str, ...]:
    """What the people are called that rows only name."""
    called = [
        facts.declared.label.get(lang, "")
        for thing in model.things.values()
        for facts in thing.fields.values()
        if facts.categorical and facts.declared is not None
    ]
    return tuple(name for name in called if name and means_people(name))


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
