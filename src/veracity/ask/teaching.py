"""Teaching: a word gets a meaning because somebody says so. It is checked, kept with who and when, and can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from veracity.agent.taught_store import Mark, TaughtStore, new_taught_id
from veracity.answer.answer import Answer, TaughtNote
from veracity.contracts import clip
from veracity.errors import UsageError
from veracity.language.folding import words_in
from veracity.language.locale import LANGUAGES, printable
from veracity.language.nearest import did_you_mean
from veracity.language.stem import noun_root
from veracity.language.texts import say
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.entities import Measure, MeasureAggregate
from veracity.ontology.overlay import (
    TaughtWord,
    WordTarget,
    measure_named,
    readable_word,
    segment_named,
    with_taught,
)
from veracity.query.catalog import build_catalog
from veracity.semantic.checking.expressions import Calculation, FieldValue, NumberValue, RowValue, parse_expression
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.ontology_check import first_wrong_meaning
from veracity.semantic.query import InSegment, SemanticQuery
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.phrases import Attribute, Role, RowsPhrase, SegmentWord
from veracity.semantic.reading.readings import unknown_words
from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.words import WordBook
from veracity.tools.semantic import SemanticTools

_LONGEST_QUESTION = 2_000
_LONGEST_NAME = 100
_LONGEST_DEFINITION = 1_000
_MOST_SHOWN = 3
_SHORTEST_PART = 4


@dataclass(frozen=True, slots=True)
class Definition:
    """A segment or a measure that a word is taught as: of which entity, with the keys of the YAML."""

    kind: str
    """segment or measure."""
    entity: str
    keys: Mapping[str, Any]
    """Such as `where`."""

    def __str__(self) -> str:
        said = ", ".join(f"{key}: {value}" for key, value in self.keys.items())
        return f"{self.kind} of {self.entity}, {said}"


@dataclass(frozen=True)
class Teacher:
    """Teaches words to one ontology, and knows what was taught when its agent was opened."""

    store: TaughtStore
    base: OntologyDescriptor
    """The ontology as its author wrote it."""
    words: tuple[TaughtWord, ...]
    """What was taught and fits it."""
    mark: Mark

    @classmethod
    def opened(cls, store: TaughtStore, base: OntologyDescriptor) -> tuple[Teacher, OntologyDescriptor]:
        """The teacher of an ontology, and the ontology with what was taught."""
        mark = store.mark()
        merged, words = with_taught(base, store.words(base.feature_code))
        return cls(store, base, words, mark), merged

    @property
    def has_news(self) -> bool:
        """Whether something was taught or undone since, by whomever."""
        return self.store.mark() != self.mark

    async def teach(
        self,
        word: str,
        means: str | Definition,
        tools: SemanticTools,
        *,
        lang: str = "en",
        who: str = "",
        question: str = "",
    ) -> TaughtWord:
        """Keep a word with its meaning; raises `UsageError` where it cannot be one, or means something already."""
        text, stored = readable_word(word), await tools.tables.stored_values()
        books = {code: WordBook(tools.model, stored, code) for code in LANGUAGES}
        for code, book in books.items():
            _check_free(text, book, own=code == lang)
        taught = TaughtWord(
            taught_id=new_taught_id(),
            word=text,
            lang=lang,
            means=clip(printable(str(means)), 300),
            who=clip(printable(who), _LONGEST_NAME) or "somebody",
            taught_at=datetime.now(UTC),
            question=clip(printable(question), _LONGEST_QUESTION),
            **self._meaning(text, means, books, lang),
        )
        self._check_fits(taught, tools)
        self.store.add(self.base.feature_code, taught)
        return taught

    def _meaning(self, word: str, means: str | Definition, books: Mapping[str, WordBook], lang: str) -> dict[str, Any]:
        if isinstance(means, str):
            return {"targets": targets_of(means, books, lang)}
        if any(len(str(value)) > _LONGEST_DEFINITION for value in means.keys.values()):
            raise UsageError(f"A definition has at most {_LONGEST_DEFINITION} characters; shorten it.")
        if self.base.entity(means.entity) is None:
            near = did_you_mean(means.entity, [entity.name for entity in self.base.entities])
            raise UsageError(f"The ontology has no entity {clip(means.entity, 40)!r}{near}")
        if means.kind == "segment":
            return {"entity": means.entity, "segment": segment_named(word, str(means.keys.get("where") or ""), lang)}
        return {"entity": means.entity, "measure": measure_named(word, means.keys, lang)}

    def _check_fits(self, taught: TaughtWord, tools: SemanticTools) -> None:
        """A word whose meaning cannot work is not kept."""
        current, _ = with_taught(self.base, self.words)
        merged, fitting = with_taught(current, [taught])
        if not fitting:
            raise UsageError(f"{taught.word!r} cannot be taught: the ontology has something of that name already.")
        if taught.targets:
            return
        catalog = build_catalog(tools.tables.source, ontology=merged, scope=tools.tables.catalog.scope)
        if (wrong := first_wrong_meaning(catalog)) is not None:
            raise UsageError(f"{taught.word!r} cannot be taught: {wrong[1].rstrip('.')}.")
        if taught.measure is not None and not _may_be_computed(taught.measure, tools.model.things[taught.entity or ""]):
            computed = taught.measure.formula
            raise UsageError(
                f"{taught.word!r} cannot be taught: {computed} adds up or averages what the ontology does not allow to be."
            )

    def rests_on(self, question: str, query: SemanticQuery | None) -> tuple[TaughtNote, ...]:
        """The taught words that stand in a question, or whose measure or segment its query names."""
        if not self.words:
            return ()
        said = [noun_root(word) for word in words_in(question)]
        used = set(query.canonical_json().split('"')) if query is not None else set[str]()
        return tuple(_note(word) for word in self.words if _stands_in(word, said) or _defined(word) in used)


@dataclass(frozen=True)
class AwaitedTeacher:
    """Stands for the teacher of a source that nobody has described: its draft is only made when it is needed."""

    store: TaughtStore
    code: str
    """What the draft of the source is called."""
    mark: Mark

    @classmethod
    def of(cls, store: TaughtStore, code: str) -> AwaitedTeacher:
        """The one of a source, as things stand."""
        return cls(store, code, store.mark())

    @property
    def has_news(self) -> bool:
        """Whether something was taught to the draft since, by whomever."""
        return self.store.mark() != self.mark and bool(self.store.words(self.code))


def noted(answer: Answer, notes: Sequence[TaughtNote], lang: str, *, before: Sequence[TaughtNote] = ()) -> Answer:
    """The answer, which says on which taught words it rests; a follow-up rests on those of the question before, too."""
    told = tuple(dict.fromkeys((*before, *notes))) if answer.follow_up else tuple(notes)
    if not told:
        return answer
    said = f"{answer.read_back} ({_in_words(told, lang)})" if answer.read_back else answer.read_back
    return answer.model_copy(update={"taught": told, "read_back": said})


def _stands_in(word: TaughtWord, said: Sequence[str]) -> bool:
    key, size = list(word.key), len(word.key)
    if any(list(said[place : place + size]) == key for place in range(len(said) - size + 1)):
        return True
    # In a compound: Kundschaftszahl.
    in_compounds = word.lang == "de" and size == 1 and len(key[0]) >= _SHORTEST_PART
    return in_compounds and any(one.startswith(key[0]) or one.endswith(key[0]) for one in said)


def _defined(word: TaughtWord) -> str | None:
    made = word.segment or word.measure
    return made.name if made is not None else None


def _note(word: TaughtWord) -> TaughtNote:
    return TaughtNote(
        taught_id=word.taught_id, word=word.word, means=word.means, who=word.who, taught_at=word.taught_at
    )


def _in_words(notes: Sequence[TaughtNote], lang: str) -> str:
    """Which taught words an answer rests on, for people."""
    said = (
        say("taught_note", lang, word=note.word, means=note.means, who=note.who, day=f"{note.taught_at:%Y-%m-%d}")
        for note in notes
    )
    return "; ".join(said)


# --- what a word may be, and what it may mean


def _may_be_computed(measure: Measure, thing: Thing) -> bool:
    """Whether the ontology allows the sum or average; what its author may declare, a taught word may not."""
    if measure.expression is None or measure.aggregate not in (MeasureAggregate.SUM, MeasureAggregate.AVG):
        return True
    value = parse_expression(f"the measure {measure.name}", measure.expression, thing)
    averages = measure.aggregate is MeasureAggregate.AVG
    return _adds_up(value, thing, averages=averages)


def _adds_up(value: RowValue, thing: Thing, *, averages: bool) -> bool:
    """A price times a quantity adds up, because the quantity does; a price plus a quantity does not."""
    match value:
        case FieldValue():
            facts = thing.fields[value.name]
            averaged = averages and facts.declared is not None and facts.declared.averages
            return facts.can_be_added or averaged
        case Calculation(sign="*"):
            sides = (_adds_up(one, thing, averages=averages) for one in (value.left, value.right))
            return any(sides)
        case Calculation(sign="/"):
            return _adds_up(value.left, thing, averages=averages)
        case Calculation():
            sides = (
                isinstance(one, NumberValue) or _adds_up(one, thing, averages=averages)
                for one in (value.left, value.right)
            )
            return all(sides)
        case _:
            return False


def _check_free(word: str, book: WordBook, *, own: bool) -> None:
    """Refuse a word that already stands for something, or that holds questions together; `own` is its own language."""
    phrases, homes = book.phrases_of(word), book.stored_as(word)
    if book.is_common(word) and not homes:
        return  # what it means to everybody gives way to what it means here
    if phrases or homes:
        known = (*_targets(phrases, book.model), *_values(homes))[:_MOST_SHOWN]
        told = ", ".join(dict.fromkeys(map(str, known)))
        raise UsageError(f"{word!r} already means {told or 'something'} here; teach another word for what you mean.")
    tagged = book.tag(word, today=date(2000, 1, 1), locale=book.lang)
    # homeland is no German compound of home and Land.
    as_written = own or [token.text for token in tagged.tokens] == words_in(word)
    if as_written and unknown_words(tagged) is None:
        raise UsageError(
            f"{word!r} has a meaning in every question (such as not, per, 2024); it cannot be taught another."
        )


def targets_of(means: str, books: Mapping[str, WordBook], lang: str) -> tuple[WordTarget, ...]:
    """All that a known word stands for; or what `Entity.field` or `Entity.field = value` names."""
    text = means.strip()
    found = _target_of_path(text, books[lang])
    for book in (books[lang], *books.values()):
        found = found or _targets(book.phrases_of(text), book.model) or _values(book.stored_as(text))
    if not found:
        names = [name for thing in books[lang].model.things.values() for name in (thing.name, *thing.fields)]
        names += [*books[lang].model.measures, *books[lang].model.segments]
        shown = clip(printable(text), 40)
        raise UsageError(f"Nothing here is called {shown!r} that a word could stand for{did_you_mean(text, names)}")
    return found


def _target_of_path(text: str, book: WordBook) -> tuple[WordTarget, ...]:
    path, equals, value = (part.strip() for part in text.partition("="))
    entity, dot, name = path.partition(".")
    thing = book.model.things.get(entity)
    if thing is None or (dot and name not in thing.fields):
        return ()
    if not dot:
        return (WordTarget(kind="entity", entity=entity),) if not equals else ()
    if not equals:
        return (WordTarget(kind="field", entity=entity, name=name),)
    held = [one for one in _values(book.stored_as(value)) if (one.entity, one.name) == (entity, name)]
    if not held:
        raise UsageError(f"{entity}.{name} holds no value {clip(printable(value), 40)!r}; write it as it is stored.")
    return tuple(held)


def _values(homes: Iterable[tuple[str, str, str | int]]) -> tuple[WordTarget, ...]:
    return tuple(WordTarget(kind="value", entity=home, name=name, value=value) for home, name, value in homes)


def _targets(phrases: Iterable[Phrase], model: SemanticModel) -> tuple[WordTarget, ...]:
    """The things of the ontology that phrases stand for."""
    found = dict[str, WordTarget]()
    for phrase in phrases:
        for target in _target(phrase, model):
            found.setdefault(f"{target.kind} {target}", target)
    return tuple(found.values())


def _target(phrase: Phrase, model: SemanticModel) -> list[WordTarget]:
    match phrase:
        case Attribute():
            return [WordTarget(kind="field", entity=phrase.entity, name=phrase.field)]
        case SegmentWord():
            return [_segment(phrase.entity, phrase.name, model)]
        case Role():
            return [WordTarget(kind="relation", entity=phrase.start, name=phrase.step)]
        case RowsPhrase(where=()):
            return [WordTarget(kind="entity", entity=phrase.entity)]
        case RowsPhrase(where=(InSegment() as inside,)):
            return [_segment(phrase.entity, inside.segment, model)]
        case FigurePhrase(where=()):
            names = [shown.measure for shown in phrase.shown if shown.measure]
            return [WordTarget(kind="measure", entity=phrase.home, name=name) for name in names]
        case _:
            return []


def _segment(entity: str, name: str, model: SemanticModel) -> WordTarget:
    """A segment; a group of a numbered chart is an entity of its own."""
    ontology = model.catalog.ontology
    group = ontology.entity(name) if ontology else None
    if group is not None and group.number_range is not None:
        return WordTarget(kind="entity", entity=name)
    return WordTarget(kind="segment", entity=entity, name=name)
