"""A query that somebody else wrote, held against the words of a question: each word is taken up, each piece is said by a word.

A model may write any query. What goes out must be what was asked: words that the query does not take up, and pieces that no
word says, are told. What is left for an unknown word to say is an assumption.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any

from veracity.semantic.checking.check import check
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import (
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    Dimension,
    FigureComparison,
    InSegment,
    Negation,
    OrderBy,
    Related,
    SemanticQuery,
    Shown,
    parts_of,
)
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.reading.chart import Chart, parse
from veracity.semantic.reading.comparison_phrases import Comparative, HowAdjective, Superlative, WithoutFigure
from veracity.semantic.reading.figure_phrases import DateEnd, DaysFrom, MeanFigure, MeanOf, SharePart
from veracity.semantic.reading.joined_phrases import ButPhrase, Happening, Verb
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Role, RowFilter, SegmentWord, Stored, WhoseRows
from veracity.semantic.reading.pieces import (
    NAMING,
    QueryPiece,
    of_comparing,
    of_conditions,
    of_dimension,
    of_period,
    of_shown,
    pieces_in,
    pieces_of,
    plain_text,
    said_by,
    with_adjective,
)
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.readings import unknown_runs
from veracity.semantic.reading.said_phrases import DaysOfWeek, Phrase, Quoted, SaidNumber, SaidPeriod, UnitWish
from veracity.semantic.reading.whole_phrases import asks
from veracity.semantic.reading.word_senses import Tagged

_COUNTED = frozenset(
    {"value", "number", "period", "not", "op", "related", "limit", "direction", "compute", "transform"}
)
"""Pieces that a query may hold only as often as words say them."""
_QUERY_PARTS = (
    Shown, Dimension, OrderBy, QueryPeriod, SemanticQuery, Comparison, AllOf, AnyOf, Negation, Related, InSegment, FigureComparison,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class HeldQuery:
    """What holding a query against a question showed."""

    unmet: tuple[str, ...] = ()
    """Words that the query does not take up."""
    left_out: tuple[str, ...] = ()
    """Of these the words that are only known because something stored is called so; they may be meant otherwise."""
    unsaid: tuple[QueryPiece, ...] = ()
    """Pieces of the query that no word says."""
    unknown: tuple[str, ...] = ()
    """Words that nothing here stands for, side by side ones together."""
    stretches: int = 1
    """Of how many stretches the question is made that were understood each by itself."""

    @property
    def assumed(self) -> tuple[QueryPiece, ...]:
        """What the unknown words must stand for, if the query is meant; nothing where they cannot."""
        return self.unsaid if self.unknown and all(piece.kind in NAMING for piece in self.unsaid) else ()

    @property
    def is_said(self) -> bool:
        """Whether the words say the query, the whole of it and nothing else."""
        return not (self.unmet or self.unsaid or self.unknown)


def held_against(query: SemanticQuery, tagged: Tagged, reader: QuestionReader) -> HeldQuery:
    """A checked query held against the words of a question."""
    meant = _Meant(query, reader.words.model)
    known = {place for sense in tagged.mentions for place in range(sense.start, sense.end)}
    chart = parse(tagged, reader.composer, partial(asks, reader.composer))
    stretches = _stretches(chart, known)
    explained, unmet, left_out = Counter[QueryPiece](), list[str](), list[str]()
    for start, end in stretches:
        said: list[Counter[QueryPiece]] = [
            pieces for phrase in chart.cells[start, end] if (pieces := meant.said_in(phrase)) is not None
        ]
        if said:
            explained += sorted(said, key=partial(_new_and_all, explained))[-1]
        else:
            unmet.append(tagged.said(start, end))
            if all(isinstance(phrase, Stored | RowFilter) for phrase in chart.cells[start, end]):
                left_out.append(unmet[-1])
    if not stretches:
        unmet = [tagged.said(place, place + 1) for place in sorted(known - tagged.skipped)]
    unsaid = [
        piece
        for piece, times in Counter(pieces_of(query)).items()
        if not _explained(piece, explained, query, meant.model)
        or (piece.kind in _COUNTED and 0 < explained[piece] < times)
    ]
    return HeldQuery(
        tuple(dict.fromkeys(unmet)),
        tuple(dict.fromkeys(left_out)),
        tuple(unsaid),
        unknown_runs(tagged, known),
        len(stretches),
    )


def _new_and_all(explained: Counter[QueryPiece], said: Counter[QueryPiece]) -> tuple[int, int]:
    """How much a phrase says that was not said before, and in all: of several meanings the one that tells most is taken."""
    return sum(piece not in explained for piece in said), said.total()


def _explained(
    piece: QueryPiece, explained: Collection[QueryPiece], query: SemanticQuery, model: SemanticModel
) -> bool:
    """Whether a word says a piece, or what was said brings it along."""
    if piece in explained:
        return True
    ranked = any(one.kind == "direction" for one in explained) and query.limit is not None
    match piece.kind:
        case "entity":
            return any(_belongs(one, piece.name, model) for one in explained)
        case "field":
            entity, _, name = piece.name.partition(".")
            thing = model.things.get(entity)
            named = any(one.kind == "value" and one.name.startswith(f"{piece.name}=") for one in explained)
            dated = thing is not None and name == thing.default_date and any(one.kind == "grain" for one in explained)
            listed = query.lists and thing is not None and name in thing.display
            shown = listed and QueryPiece("entity", entity) in explained
            return named or dated or shown
        case "limit":
            return piece.name == "1" and ranked
        case "sorted":
            return QueryPiece("sorting") in explained
        case "by":
            return ranked or any(one.kind == "grain" for one in explained)
        case "or":
            return True  # several values of one field, each of which is said
        case "compare":
            return sum(one.kind == "period" for one in explained) > 1
        case "compute":
            return piece.name == "sum" and QueryPiece("asked") in explained
        case _:
            return False


def _belongs(piece: QueryPiece, entity: str, model: SemanticModel) -> bool:
    """Whether something that was said is of an entity."""
    match piece.kind:
        case "field" | "value":
            return piece.name.partition(".")[0] == entity
        case "measure":
            return piece.name in model.measures and model.measures[piece.name][0] == entity
        case "segment":
            return piece.name in model.segments and model.segments[piece.name][0] == entity
        case _:
            return False


# --- what belongs together in the words belongs together in the query


def _stretches(chart: Chart, known: set[int]) -> tuple[tuple[int, int], ...]:
    """The fewest stretches that were understood each by itself; unknown words stand between them."""
    if not chart.places:
        return ()
    best: dict[int, tuple[tuple[int, int], ...]] = {chart.places[0]: ()}
    for number, start in enumerate(chart.places[:-1]):
        if start not in best:
            continue
        following = chart.places[number + 1]
        if start not in known and (following not in best or len(best[start]) < len(best[following])):
            best[following] = best[start]
        for end in chart.places[number + 1 :]:
            longer = (*best[start], (start, end))
            if (start, end) in chart.cells and (end not in best or len(longer) <= len(best[end])):
                best[end] = longer
    return best.get(chart.places[-1], ())


class _Meant:
    """What a query says, to hold the phrases of a question against."""

    def __init__(self, query: SemanticQuery, model: SemanticModel) -> None:
        self.model = model
        self._there = pieces_in(query, model) | {QueryPiece("asked"), QueryPiece("sorting")}
        self._parts = frozenset(_structured(query))

    def said_in(self, phrase: Phrase) -> Counter[QueryPiece] | None:
        """The pieces that a phrase says, where the query holds all that the phrase means together; else nothing."""
        if isinstance(phrase, _WORDS):
            fitting = [said for said in said_by(phrase, self._there) if said <= self._there]
            return Counter(max(fitting, key=len) | with_adjective(phrase, self._there)) if fitting else None
        said = Counter(
            piece for name, read in _SAYING.items() if (value := getattr(phrase, name, None)) for piece in read(value)
        )
        entity = next(
            (one for name in ("entity", "home") if (one := getattr(phrase, name, None)) in self.model.things), ""
        )
        if entity:
            said[QueryPiece("entity", entity)] += 1
        own = _said_by_kind(phrase)
        fitting = [one for one in own if one <= self._there]
        if not self._there.issuperset(said) or _is_unfinished(phrase) or (own and not fitting):
            return None
        said.update(fitting[0] if fitting else ())
        for part in _inner(phrase):
            pieces = self._held(part, entity)
            if pieces is None:
                return None
            said += pieces
        return said

    def _held(self, part: Any, entity: str) -> Counter[QueryPiece] | None:
        """The pieces of a part of a phrase, where the query has that part."""
        match part:
            case Comparison() | AllOf() | AnyOf() | Negation() | Related() | InSegment() | FigureComparison():
                checked = check(SemanticQuery(of=entity, where=part), self.model) if entity else None
                conditions = parts_of(checked.where) if isinstance(checked, SemanticQuery) else (part,)
                there = all(plain_text(one) in self._parts for one in conditions)
                return Counter(of_conditions(conditions)) if there else None
            case Shown():
                said = Counter(of_shown(part))
                made_of = {piece for piece in said if piece.kind == "transform"}
                return said if _figure_text(part) in self._parts and made_of <= self._there else None
            case Dimension():
                return Counter({*of_dimension(part), QueryPiece("by")}) if plain_text(part) in self._parts else None
            case OrderBy():
                way = QueryPiece("direction", "high" if part.descending else "low")
                return Counter({*of_shown(part.by), way}) if plain_text(part) in self._parts else None
            case QueryPeriod():
                return Counter({of_period(part)}) if of_period(part) in self._there else None
            case SemanticQuery():
                return Counter(pieces_of(part)) if self._parts.issuperset(_structured(part)) else None
            case _:
                return self.said_in(part)


_WORDS = (
    JoiningWord, Stored, SaidNumber, SaidPeriod, Quoted, Superlative, Comparative, Verb, Role, HowAdjective, SegmentWord, UnitWish, Attribute,
)  # fmt: skip
"""Phrases that are words by themselves, not yet joined with others."""


_SAYING: dict[str, Callable[[Any], Iterable[QueryPiece]]] = {
    "limit": lambda limit: (QueryPiece("limit", str(limit)),),
    "skip": lambda skip: (QueryPiece("ordinal", str(skip + 1)),),
    "direction": lambda way: (QueryPiece("direction", "high" if way == 1 else "low"),),
    "op": lambda op: (QueryPiece("op", op),) if op in ("<", "<=", ">", ">=") else (),
    "number": lambda number: (QueryPiece("number", f"{number}"),) if isinstance(number, int) else (),
    "negated": lambda _: (QueryPiece("not"),),
    "kind": lambda kind: (QueryPiece("not"),) if kind == "without" else (),
    "grain": lambda grain: (QueryPiece("grain", grain.value),),
    "compare": of_comparing,
    "count": lambda count: (QueryPiece("limit", str(count)),),
    "claim": lambda claim: (QueryPiece("claim", claim),),
    "asked": lambda _: (QueryPiece("asked"),),
    "descending": lambda _: (QueryPiece("sorting"),),
    "unit": lambda unit: (QueryPiece("unit", unit),),
}
"""What the properties of phrases say."""


def _said_by_kind(phrase: Phrase) -> tuple[frozenset[QueryPiece], ...]:
    """What a phrase says by being of its kind, in one of these ways; nothing where its parts say all."""
    average, denied = QueryPiece("compute", "avg"), QueryPiece("not")
    match phrase:
        case Happening(direction=None, times=None) | WithoutFigure():
            return (frozenset({denied}), frozenset({QueryPiece("missing")}))
        case DaysOfWeek():
            numbers = {QueryPiece("number", str(day)) for day in phrase.days}
            return (frozenset({QueryPiece("grain", "weekday"), *numbers}),)
        case MeanOf() | MeanFigure():
            return (frozenset({average}),)
        case SharePart():
            return (frozenset({QueryPiece("transform", "share")}), frozenset({QueryPiece("ratio")}))
        case _:
            return ()


def _is_unfinished(phrase: Phrase) -> bool:
    """Whether a phrase waits for something that is not said, so that it says less than it seems to."""
    if isinstance(phrase, DateEnd | DaysFrom | ButPhrase | WhoseRows):
        return True
    return any(getattr(phrase, name, None) for name in ("changes", "awaits", "other", "everyone", "only"))


def _inner(phrase: Any) -> Iterator[Any]:
    """The parts of a phrase that are parts of queries, or phrases."""
    for one in fields(phrase):
        value = getattr(phrase, one.name)
        for item in value if isinstance(value, tuple) else (value,):
            if is_dataclass(item) or isinstance(item, _QUERY_PARTS):
                yield item


def _structured(query: SemanticQuery) -> Iterator[str]:
    conditions = [*parts_of(query.where), *parts_of(query.having)]
    for shown in (*query.show, *(order.by for order in query.order)):
        yield _figure_text(shown)
        conditions += parts_of(shown.where)
        if shown.rows is not None:
            yield from _structured(shown.rows)
    for condition in conditions:
        yield from _all_texts(condition)
    for one in (*query.by, *query.per):
        yield plain_text(one)
        if one.grain is not None:
            yield plain_text(Dimension(field="@.@", grain=one.grain))
    for order in query.order:
        yield plain_text(order)


def _all_texts(condition: Condition) -> Iterator[str]:
    yield plain_text(condition)
    match condition:
        case AllOf() | AnyOf():
            for one in condition.conditions:
                yield from _all_texts(one)
        case Negation():
            yield from _all_texts(condition.condition)
        case Related():
            yield from _structured(condition.related)
        case FigureComparison():
            yield _figure_text(condition.show)


def _figure_text(shown: Shown) -> str:
    """A figure without the conditions of its own, which stand by themselves."""
    return plain_text(shown.model_copy(update={"where": None, "transform": None, "unit": None}))
