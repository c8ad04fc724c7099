"""Questions in everyday words that no name of the data has: folks, dough, who rakes in the most, was läuft am besten, 谁花的钱最多.

An everyday word is said plainly first. What it then stands for (people who work, money that came in) is looked for in the data: the question is read
once with each name that may be meant. One meaning is answered, several are asked back, and what the data lacks is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

from veracity.language.folding import folded_text, is_unspaced
from veracity.language.people import means_people
from veracity.query.catalog import FieldFacts
from veracity.semantic.graph import SemanticModel, Thing, is_to_one
from veracity.semantic.query import Aggregate, SemanticQuery
from veracity.semantic.reading.asked_forms import Read, called, written_out
from veracity.semantic.reading.money import revenue_to_confirm
from veracity.semantic.reading.word_lists import is_person, key_of, names_for, rows_called
from veracity.sources.source import NUMERIC, ColumnType
from veracity.yaml_file import packaged

_SLOT = re.compile(r"\{(\w+)(?:\.(\w+))?\}")
_ORDER = re.compile(r"<<([^<>]*)>>")
_WHOM = re.compile("(people|things): ")
_MOST_TRIED = 16
_MOST_GROUPS = 5
"""So many columns are offered to divide what was spent by."""


@dataclass(frozen=True, slots=True)
class _NamedHere:
    """Something that a kind of things or figures may be in the data: what it is called, and whose it is."""

    said: str
    entity: str


@dataclass(frozen=True, slots=True)
class EverydayReader:
    """Reads everyday questions of one language about one model."""

    model: SemanticModel
    lang: str
    knows: Callable[[str], bool]
    """Whether the data itself has a word, which then means that."""
    read: Read

    def meanings(self, question: str) -> tuple[SemanticQuery, ...]:
        """What a question may mean that nothing else understood; nothing where this does not, either."""
        bare = re.sub(r"[\s?？!！.。]+$", "", question.strip())
        plain = self.plainly(bare)
        if plain != bare and (found := tuple(self.read(plain))):
            return found
        if found := self._by_form(plain):
            return found
        for texts in self._wordings(plain):
            told = dict.fromkeys(query for text in texts for query in (*self.read(text), *self._by_form(text)))
            if told:
                return tuple(told)
        return ()

    def wordings(self, question: str) -> Iterator[str]:
        """The question in plainer words, with what the data has in the place of what stands for people or things."""
        plain = self.plainly(question)
        yield plain
        yield from chain.from_iterable(self._wordings(plain))

    def _wordings(self, plain: str) -> Iterator[Iterable[str]]:
        here = self._here(plain)
        yield here
        yield self._with_nouns(plain)
        yield (noun for one in here for noun in self._with_nouns(one))

    def _by_form(self, text: str) -> tuple[SemanticQuery, ...]:
        """What a question means that is asked in one of the known ways, wherever it says when and where."""
        for rest, narrowed in self._cuts(text):
            for pattern, templates in _forms(self.lang):
                said = pattern.fullmatch(rest)
                if said is not None and (found := self._told(said, templates, narrowed)):
                    return found
        return ()

    def _cuts(self, text: str) -> Iterator[tuple[str, str]]:
        """The question as it is; then without the time and the stored value that narrow it, and these."""
        yield text, ""
        lists = _lists(self.lang)
        time = _pattern(self.lang, lists["time"]).search(text)
        rest = _tidy(text[: time.start()] + " " + text[time.end() :]) if time else text
        if time:
            yield rest, time[0]
        for place in _pattern(self.lang, lists["place"]).finditer(rest):
            if self.knows(place[1]):
                told = f"{time[0] if time else ''} {place[0]}"
                yield _tidy(rest[: place.start()] + " " + rest[place.end() :]), told

    def _here(self, text: str) -> tuple[str, ...]:
        """The question without what says that it is about us."""
        told = _tidy(_pattern(self.lang, _lists(self.lang)["about_us"]).sub(" ", text))
        return (told,) if told != text else ()

    def _with_nouns(self, text: str) -> Iterator[str]:
        """The question with each name of the data in the place of its first everyday noun."""
        for pattern, slot in _nouns(self.lang):
            noun = pattern.search(text)
            if noun is not None and not self.knows(noun[0]):
                template = f"{_plain(text[: noun.start()])}{{{slot}}}{_plain(text[noun.end() :])}"
                yield from map(_tidy, islice(self._filled(template), _MOST_TRIED))
                return

    def plainly(self, question: str) -> str:
        """The question with plain words for everyday ones, where the data has no such word itself."""
        told = question
        for pattern, plain in _words(self.lang):
            places = [said for said in pattern.finditer(told) if not self.knows(said[0])]
            for said in reversed(places):
                told = told[: said.start()] + said.expand(plain) + told[said.end() :]
        return _tidy(told)

    def _asked(self, template: str) -> Iterator[SemanticQuery]:
        """The meanings of a template with each name of the data; of figures only what they come to, not the largest single one."""
        kinds = {place[2] or place[1] for place in _SLOT.finditer(template)} - {"group"}
        adds_up = any(_kinds(kind).adds_up for kind in kinds)
        whom = _WHOM.match(template)
        for text in islice(self._filled(_WHOM.sub("", template)), _MOST_TRIED):
            for query in self.read(_tidy(text)):
                fits = whom is None or self._is_of_people(query) is (whom[1] == "people")
                # A wage is that of whoever earns it, not of those who have to do with them.
                theirs = "pay" not in kinds or '"related"' not in query.canonical_json()
                if fits and theirs and (not adds_up or _comes_to(query)):
                    yield query

    def _is_of_people(self, query: SemanticQuery) -> bool:
        """Whether it is about somebody: what a store makes is its revenue, what a person makes may be a wage."""
        told = [part for one in query.by for part in (one.entity, (one.field or "").rpartition(".")[0]) if part]
        if query.lists:
            told.append(query.of or "")
        if told:
            return any(name in self.model.things and is_person(self.model.things[name]) for name in told)
        said = query.where.model_dump_json() if query.where is not None else ""
        people = (name for name, thing in self.model.things.items() if is_person(thing))
        return any(f'"{name}"' in said or f'"{name}.' in said for name in people)

    def _told(self, said: re.Match[str], templates: Sequence[str], narrowed: str = "") -> tuple[SemanticQuery, ...]:
        """The different meanings of the plain questions that a form may be."""
        found = dict[SemanticQuery, None]()
        more = _plain(narrowed)
        for asked in templates:
            template = f"{more}{asked}" if self.lang == "zh" else f"{asked} {more}"
            told = re.sub(r"\\(\d)", lambda place: _plain(said[int(place[1])] or ""), template)
            ranked = _ORDER.sub(self._ordered, told)
            found.update(dict.fromkeys(self._asked(ranked)))
        if any("{income" in one for one in templates) and revenue_to_confirm(self.model):
            return tuple(one for one in found if not self._is_of_people(one))  # who sold most, by pieces alone
        return tuple(found)

    def _ordered(self, place: re.Match[str]) -> str:
        """The order that a word says; the year before one that is said."""
        if year := re.fullmatch(r"before (\d{4})", place[1]):
            return str(int(year[1]) - 1)
        return str(_lists(self.lang)["order"].get(place[1].casefold(), ""))

    def _filled(self, template: str) -> Iterator[str]:
        """A template with each name of the data that its first open piece may be, and so on."""
        place = _SLOT.search(template)
        if place is None:
            yield template
            return
        for one in self._kind(place[1]):
            told = template.replace(f"{{{place[1]}}}", one.said)
            own = re.search(rf"\{{{place[1]}\.(\w+)\}}", told)
            if own is None:
                yield from self._filled(told)
                continue
            for more in self._of(one.entity, own[1]):
                yield from self._filled(told.replace(own[0], more.said))

    # --- what there is

    def _kind(self, kind: str) -> Iterator[_NamedHere]:
        """The things and figures that are called by words of a kind."""
        found = dict.fromkeys(one for thing in self.model.things.values() for one in self._named_so(thing, kind))
        yield from found

    def _named_so(self, thing: Thing, kind: str) -> Iterator[_NamedHere]:
        words = _kinds(kind)
        if words.bars(names_for(thing.name, thing.declared)) or not self._fits_now(thing, words):
            return
        if self._is_thing(thing, words):
            yield _NamedHere(rows_called(thing, self.lang) if self.lang == "en" else self._name(thing), thing.name)
        for measure in thing.measures.values() if words.figures else ():
            names = list(names_for(measure.name, measure))
            if words.fit(names) and not words.bars(names):
                yield _NamedHere(called(measure.label, measure.name, self.lang), thing.name)
        for name, facts in thing.fields.items():
            if name not in thing.key and self._is_kind(thing, name, facts, kind):
                label = facts.declared.label if facts.declared else {}
                yield _NamedHere(called(label, name, self.lang), thing.name)

    def _fits_now(self, thing: Thing, words: _KindWords) -> bool:
        """Whether nobody of them has left, or some may have, as the kind says; an end or a status tells that."""
        if words.left is None:
            return True
        ends = _folded(_table()["ends"])
        fields = (names_for(name, facts.declared) for name, facts in thing.fields.items())
        return any(part in ends for names in fields for one in names for part in _parts(one)) == words.left

    def _is_thing(self, thing: Thing, words: _KindWords) -> bool:
        """Whether rows are of a kind, by what they are called or by what they have."""
        if not words.has:
            return words.rows and words.fit(names_for(thing.name, thing.declared))
        numbers = ((name, facts) for name, facts in thing.fields.items() if facts.column.type in NUMERIC)
        return any(words.fit(names_for(name, facts.declared), words.has) for name, facts in numbers)

    def _is_kind(self, thing: Thing, name: str, facts: FieldFacts, kind: str) -> bool:
        words = _kinds(kind)
        names = list(names_for(name, facts.declared))
        if words.bars(names) or any(one.expression in (name, f'"{name}"') for one in thing.measures.values()):
            return False  # a measure tells it
        if words.dates:
            return facts.is_date and words.fit(names)
        if facts.column.type not in NUMERIC:
            return words.rows and not facts.is_date and self._tells_apart(facts) and words.fit(names)
        if words.rows or not (facts.can_be_added or words.single):
            return False
        general = bool(words.homes) and words.fit(names, words.amounts)
        return words.fit(names) or (general and words.fit(names_for(thing.name, thing.declared), words.homes))

    def _of(self, entity: str, kind: str) -> Iterator[_NamedHere]:
        """What an entity has of a kind; `group`: what its rows can be divided by."""
        thing = self.model.things[entity]
        if kind != "group":
            yield from self._named_so(thing, kind)
            return
        ends = [step.end for step in self.model.steps[entity] if is_to_one((step,)) and not step.has_role]
        others = [self.model.things[end] for end in dict.fromkeys(ends) if end != entity]
        labels = [self._name(other) for other in others if other.default_date is None]
        for name, facts in thing.fields.items() if not labels else ():
            names = list(names_for(name, facts.declared))
            told = name not in thing.key and facts.declared is not None and self._tells_apart(facts)
            if told and not any(map(means_people, names)) and not _kinds("means").fit(names):
                labels.append(called(facts.declared.label if facts.declared else {}, name, self.lang))
        yield from (_NamedHere(label, entity) for label in islice(dict.fromkeys(labels), _MOST_GROUPS))

    def _tells_apart(self, facts: FieldFacts) -> bool:
        return facts.column.type is ColumnType.TEXT and not facts.is_date

    def _name(self, thing: Thing) -> str:
        return called(thing.declared.label if thing.declared else {}, thing.name, self.lang)


@dataclass(frozen=True)
class _KindWords:
    """By which words something is of a kind."""

    told: Mapping[str, Any]

    @cached_property
    def words(self) -> frozenset[str]:
        return _folded(self.told["words"])

    @cached_property
    def barred(self) -> frozenset[str]:
        return _folded(self.told.get("not") or ())

    @cached_property
    def homes(self) -> frozenset[str]:
        return _folded(self.told.get("rows_of") or ())

    @cached_property
    def has(self) -> frozenset[str]:
        return _folded(self.told.get("has") or ())

    @cached_property
    def amounts(self) -> frozenset[str]:
        return _folded(_table()["amounts"])

    @property
    def left(self) -> bool | None:
        """Whether some of them may have left; nothing where that does not matter."""
        return self.told.get("left")

    @property
    def rows(self) -> bool:
        return str(self.told["is"]) == "rows"

    @property
    def dates(self) -> bool:
        return str(self.told["is"]) == "date"

    @property
    def figures(self) -> bool:
        return self.told["is"] in ("figure", "field")

    @property
    def single(self) -> bool:
        """Whether each row has its own, which need not add up."""
        return str(self.told["is"]) == "field"

    @property
    def adds_up(self) -> bool:
        """Whether what is meant is what rows come to."""
        return str(self.told["is"]) == "figure"

    def fit(self, names: Iterable[str], words: frozenset[str] | None = None) -> bool:
        """Whether one of the names has one of the words; of things only its last one says what they are."""
        wanted = self.words if words is None else words
        return any(word in wanted for name in names for word in _parts(name)[-1 if self.rows else 0 :])

    def bars(self, names: Iterable[str]) -> bool:
        """Whether one of the names has a word that says it is something else: a refund is no income."""
        return any(word in self.barred for name in names for word in _parts(name))


def _parts(name: str) -> tuple[str, ...]:
    """The words of a name; a name without spaces is one."""
    whole = folded_text(name)
    return (whole,) if is_unspaced(whole) else (*key_of(name)[:-1], whole, *key_of(name)[-1:])


def _comes_to(query: SemanticQuery) -> bool:
    """Whether a query tells what rows come to."""
    shown = query.show[0] if query.show else None
    return shown is not None and (shown.measure is not None or shown.aggregate is Aggregate.SUM)


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(text for word in words for text in (folded_text(word), " ".join(key_of(word))))


def _tidy(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip(" ,，")


def _plain(text: str) -> str:
    """Words of a question, which are no places to fill in."""
    return re.sub(r"[{}<>]", " ", text)


@cache
def _table() -> Mapping[str, Any]:
    found: Mapping[str, Any] = packaged(Path(__file__).with_name("everyday.yaml"))
    return found


@cache
def _kinds(kind: str) -> _KindWords:
    return _KindWords(_table()["kinds"][kind])


def _lists(lang: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = _table()[lang]
    return found


@cache
def _pattern(lang: str, text: str) -> re.Pattern[str]:
    return written_out(text, _lists(lang)["lists"])


@cache
def _words(lang: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((_pattern(lang, pattern), plain) for pattern, plain in _lists(lang)["words"])


@cache
def _forms(lang: str) -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    """The ways of asking, also those about who does something the most, which are the same for every deed."""
    lists = _lists(lang)
    deeds = [
        {
            "said": one["said"].replace("<deed>", f"(?:{verbs})"),
            "asks": [ask.replace("{deed", f"{{{deed}") for ask in one["asks"]],
        }
        for deed, verbs in lists["deeds"].items()
        for one in lists["done"]
    ]
    return tuple((_pattern(lang, one["said"]), tuple(one["asks"])) for one in (*lists["forms"], *deeds))


@cache
def _nouns(lang: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((_pattern(lang, pattern), slot) for pattern, slot in _lists(lang)["nouns"])
