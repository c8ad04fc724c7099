"""From the words of a question to its meanings: rules that join neighbouring phrases. No language is in here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as made_of
from typing import Any, Protocol

from veracity.language.units import unit_called
from veracity.semantic.graph import names_of
from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Condition,
    Dimension,
    InSegment,
    OrderBy,
    Related,
    SemanticQuery,
    Shown,
)
from veracity.semantic.query_values import Grain
from veracity.semantic.reading.chart import (
    COMPUTED,
    DEFAULT_FIGURE,
    FAR,
    OTHER_FIELD,
    PREFERENCES,
    ROLE,
    UNSAID,
    MadePhrase,
)
from veracity.semantic.reading.comparison_phrases import Commonest, OpenBound
from veracity.semantic.reading.figure_phrases import FigurePhrase, PeriodNoun
from veracity.semantic.reading.figures_of_rows import DEFAULT_DATE, FiguresOfRows
from veracity.semantic.reading.joined_phrases import AboutEach, JoinedPhrase, Verb
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Role, RowFilter, RowsPhrase, Stored, merged
from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.truths import Truths
from veracity.semantic.reading.ways import numbers_of_units
from veracity.semantic.reading.word_lists import key_of, names_for
from veracity.semantic.reading.word_senses import WordSense

AGGREGATES = {
    "sum": Aggregate.SUM, "avg": Aggregate.AVG, "median": Aggregate.MEDIAN, "min": Aggregate.MIN, "max": Aggregate.MAX,
}  # fmt: skip


_GRAINS = {grain.value: grain for grain in Grain}


Rule = Callable[["Composer", Any, Any], Iterator[MadePhrase]]
"""Two neighbouring phrases -> what they mean together."""
Rules = dict[tuple[type, type], list[Rule]]
"""The rules by the kinds of phrases that they join."""


class RuleBook(Protocol):
    """A decorator that enters rules into a book."""

    def __call__(self, left: type, right: type, *, either_way: bool = False) -> Callable[[Rule], Rule]:
        """For phrases of these kinds side by side; `either_way`: whichever comes first."""


def rule_book(rules: Rules) -> RuleBook:
    """Enters rules by the kinds of phrases that they join."""

    def rule(left: type, right: type, *, either_way: bool = False) -> Callable[[Rule], Rule]:
        def enter(function: Rule) -> Rule:
            rules.setdefault((left, right), []).append(function)
            if either_way:
                rules.setdefault((right, left), []).append(lambda c, one, two: function(c, two, one))
            return function

        return enter

    return rule


@dataclass(frozen=True)
class Composer(FiguresOfRows):
    """Joins phrases with what a model knows and in the order of one language."""

    rules: Rules
    preferences: tuple[str, ...] = PREFERENCES
    truths: Truths = made_of(default_factory=dict)
    """The fields that say yes or no."""

    def weigh(self, senses: Sequence[WordSense]) -> Iterator[tuple[WordSense, tuple[str, ...]]]:
        """What the words may mean; a field of what nobody spoke of comes after the same one of what is named."""
        named = {sense.phrase.entity for sense in senses if isinstance(sense.phrase, RowsPhrase)}
        spoken_of = {entity for sense in senses for entity in _spoken_of(sense.phrase)}
        fields = [(sense, sense.phrase.entity) for sense in senses if isinstance(sense.phrase, Attribute)]
        said = {(sense.start, sense.end) for sense, entity in fields if entity in named}
        unsaid = {sense for sense, entity in fields if (sense.start, sense.end) in said and entity not in spoken_of}
        for sense in senses:
            told = sense
            if isinstance(sense.phrase, Stored):  # students from Rome, where a course is called so, too
                told = replace(
                    sense, phrase=replace(sense.phrase, holders=tuple(sorted(named & set(_spoken_of(sense.phrase)))))
                )
            yield told, (UNSAID,) if sense in unsaid else ()

    def join(self, left: Phrase, right: Phrase) -> Iterator[MadePhrase]:
        """What two neighbours mean together."""
        if isinstance(left, JoiningWord) and left.kind == "genitive" and not isinstance(right, JoiningWord):
            yield MadePhrase(right)  # der is an article or says of
        for rule in self.rules.get((type(left), type(right)), ()):
            yield from rule(self, left, right)

    def joins(self, left: type, right: type) -> bool:
        """Whether there is a rule for phrases of these kinds."""
        return (left, right) in self.rules or left is JoiningWord

    # --- what phrases are by themselves

    def expand(self, phrase: Phrase) -> Iterator[MadePhrase]:
        """What a phrase may also be."""
        match phrase:
            case Stored():
                yield from self._stored(phrase)
            case Role(whose=False):
                back = self.back(phrase.start, phrase.step)
                if back is not None:
                    condition = Related(related=SemanticQuery(of=phrase.start), via=(back.name,))
                    yield MadePhrase(RowsPhrase(phrase.end, where=(condition,)), (ROLE, ROLE))
            case OpenBound():
                yield from self._bound(phrase)
            case RowsPhrase() if phrase.named or (phrase.is_segment and not phrase.figure_word):
                yield from self._default_figure(phrase)
            case JoiningWord(kind=kind) if kind.removeprefix("and_") in _GRAINS:
                grain = _GRAINS[kind.removeprefix("and_")]
                each = AboutEach(Dimension(field=DEFAULT_DATE, grain=grain), "")
                told = JoinedPhrase("and", each) if kind.startswith("and_") else each
                yield MadePhrase(told, (COMPUTED,) if grain.repeats else ())
            case JoiningWord(kind=kind) if (grain_name := kind.rpartition("_")[2]) in _GRAINS and "_" in kind:
                if (how := kind.removesuffix(f"_{grain_name}")) in ("the", "several", "how_many"):
                    noun = PeriodNoun(_GRAINS[grain_name], plural=how != "the", counted=how == "how_many")
                    yield MadePhrase(noun, (COMPUTED,) if noun.grain.repeats else ())
            case Commonest():
                yield from self._commonest(phrase)
            case _:
                return

    def _happens_below(self, entity: str) -> bool:
        """Whether rows with a date belong to an entity's, over others."""
        happening = (name for name in self.model.things if name != entity and self.default_date(name) is not None)
        return any(self.belongs(name, entity) for name in happening)

    def _calls_rows(self, attribute: Attribute) -> bool:
        """Whether a field is what its rows are called, in the same word: each keyword stands in one row of keywords."""
        thing = self.model.things[attribute.entity]
        own = {key_of(name) for name in names_for(thing.name, thing.declared)}
        called = {key_of(name) for name in names_for(attribute.field, thing.fields[attribute.field].declared)}
        return attribute.field in (*thing.display, *thing.key) and not own.isdisjoint(called)

    def _commonest(self, common: Commonest) -> Iterator[MadePhrase]:
        """The most common country: that of most customers; the most common genre: that of most of what belongs to it."""
        what = common.what
        if isinstance(what, Attribute) and self._calls_rows(what):
            what = RowsPhrase(what.entity)
        if isinstance(what, RowsPhrase):
            down = [step for step in self.model.steps[what.entity] if self._is_down(step) and step.end != step.start]
            tied = [step for step in self.model.steps[what.entity] if not step.to_one and step.end != step.start]
            down = down or (tied if len(tied) == 1 else [])  # the keyword of most papers
            units = any(list(numbers_of_units(self.model.things[step.end])) for step in down)
            if units or not (any(self.dated(step.end) for step in down) or not self._happens_below(what.entity)):
                # The most popular product: by how many of it, or how many times? An artist: by albums, or by sales?
                yield MadePhrase(replace(what, awaits=(common.count, common.direction)))
                return
            for step in down:
                shown = Shown(aggregate=Aggregate.COUNT, of=step.end, via=(step.name,))
                order = OrderBy(by=shown, descending=common.direction > 0)
                yield MadePhrase(replace(what, order=(order,), limit=common.count))
            return
        counted = Shown(aggregate=Aggregate.COUNT, of=what.entity)
        order = OrderBy(by=counted, descending=common.direction > 0)
        by = (Dimension(field=what.path),)
        figures = FigurePhrase((counted,), what.entity, by=by, order=(order,), limit=common.count, edge=(what.entity,))
        yield MadePhrase(figures)

    def _default_figure(self, rows: RowsPhrase) -> Iterator[MadePhrase]:
        """Account 1020: its balance, where a figure is asked."""
        declared = self.model.things[rows.entity].declared
        group = rows.where[0] if rows.is_segment else None
        measure = declared.default_measure if declared else None
        if isinstance(group, InSegment):
            measure = self.model.segments[group.segment][1].default_measure
        if measure is None or rows.limit is not None or rows.period is not None:
            return
        home = self.model.measures[measure][0]
        conditions = list(self.relate(home, rows))
        if isinstance(group, InSegment):
            ways = self.model.ways(home, rows.entity)
            conditions = [InSegment(segment=group.segment, via=names_of(way)) for way in ways]
        for condition in conditions:
            figure = FigurePhrase((Shown(measure=measure),), home, (condition,), edge=(home,))
            yield MadePhrase(figure, (DEFAULT_FIGURE,))

    def _stored(self, stored: Stored) -> Iterator[MadePhrase]:
        """A stored value means the rows that are called so, or a condition on the rows that hold it."""
        named = [home for home in stored.homes if self._names_rows(*home[:2])]
        names = tuple(dict.fromkeys(entity for entity, _, _ in named))
        holders = tuple(dict.fromkeys(entity for entity, _, _ in stored.homes))
        for entity, field, value in stored.homes:
            condition = Comparison(field=f"{entity}.{field}", value=value)
            if (entity, field, value) in named:
                yield MadePhrase(RowsPhrase(entity, where=(condition,), named=True, may_be=names))
            else:
                filtered = RowFilter(entity, (condition,), before=True, may_be=holders, is_value=True, noun=stored.noun)
                yield MadePhrase(filtered, (OTHER_FIELD,) if named and entity not in stored.holders else ())
                if stored.noun:  # operations are the treatments of that kind
                    yield MadePhrase(RowsPhrase(entity, where=(condition,), plural=True), (OTHER_FIELD,))

    def _names_rows(self, entity: str, field: str) -> bool:
        """Whether values of a field are what rows are called; one part of a key of several is none: the gate of a count."""
        thing = self.model.things[entity]
        part = len(thing.key) > 1 and set(thing.display) == set(thing.key) and self.default_date(entity) is not None
        return field in thing.display and not part

    def _bound(self, bound: OpenBound) -> Iterator[MadePhrase]:
        """longer than 5 minutes, over 20 dollars: a condition where adjective or unit tell the field."""
        fields = bound.fields
        if not fields and bound.number.dimension:
            fields = tuple(self._measured_in(bound.number.dimension))
        for entity, field in fields:
            if condition := self.compared(entity, field, bound):
                yield MadePhrase(RowFilter(entity, (condition,)))

    def _measured_in(self, dimension: str) -> Iterator[tuple[str, str]]:
        for thing in self.model.things.values():
            for name, facts in thing.fields.items():
                unit = unit_called(facts.declared.unit) if facts.declared and facts.declared.unit else None
                if unit is not None and unit.dimension == dimension:
                    yield thing.name, name


def _spoken_of(phrase: Phrase) -> Iterator[str]:
    """The entities that a word other than the name of a field may be about."""
    match phrase:
        case RowsPhrase() | RowFilter():
            yield phrase.entity
        case FigurePhrase():
            yield phrase.home
        case Role():
            yield from (phrase.start, phrase.end)
        case Stored():
            yield from (entity for entity, _, _ in phrase.homes)
        case Verb():
            yield from (entity for entity, _, _ in phrase.steps)


def narrowed_rows(
    rows: RowsPhrase, where: tuple[Condition, ...], edge: tuple[str, ...], *, far: bool
) -> Iterator[MadePhrase]:
    """Rows under further conditions; behind an order that was said after the noun both scopes are readings."""
    marks = (FAR,) if far else ()
    ended = (rows.entity, *edge)
    if not rows.after_top:
        yield MadePhrase(replace(rows, where=merged(rows.where, where), edge=ended), marks)
        return
    yield MadePhrase(replace(rows, where=merged(rows.where, where), edge=ended), marks)
    among = Related(related=rows.query())
    yield MadePhrase(RowsPhrase(rows.entity, where=merged((among,), where), edge=ended), marks)


def is_far(edge: tuple[str, ...], entities: tuple[str, ...]) -> bool:
    """Whether a condition on one of these entities could be about a thing nearer to it than the outermost."""
    return any(entity in edge[1:] for entity in entities)
