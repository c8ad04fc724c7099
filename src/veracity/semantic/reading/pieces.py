"""What a query says and what words say, as pieces that can be held against each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple

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
    Related,
    SemanticQuery,
    Shown,
    parts_of,
    to_json,
)
from veracity.semantic.query_values import Comparing, Grain, QueryPeriod
from veracity.semantic.reading.comparison_phrases import Comparative, HowAdjective, Superlative
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import Verb
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Role, RowsPhrase, SegmentWord, Stored
from veracity.semantic.reading.said_phrases import Phrase, Quoted, SaidNumber, SaidPeriod, UnitWish


class QueryPiece(NamedTuple):
    """One thing that a query says."""

    kind: str
    name: str = ""


NAMING = frozenset({"measure", "field", "entity", "value", "segment"})
"""The kinds of pieces that an unknown word may stand for; how to compute, compare and divide must be said."""

_NEUTRAL = frozenset(
    ("of", "in", "to", "with", "show", "comma", "aux", "prep", "prepositions", "passive", "and", "named", "listed",
     "those", "tail", "genitive", "aux_last", "light", "light_amounts", "but")
)  # fmt: skip
"""Words that join others and say nothing by themselves."""
_NEEDED: dict[str, tuple[frozenset[QueryPiece], ...]] = {
    "sum": (frozenset({QueryPiece("compute", "sum")}), frozenset({QueryPiece("figure")})),
    "avg": (frozenset({QueryPiece("compute", "avg")}),),
    "median": (frozenset({QueryPiece("compute", "median")}),),
    "min": (frozenset({QueryPiece("compute", "min")}), frozenset({QueryPiece("direction", "low")})),
    "max": (frozenset({QueryPiece("compute", "max")}), frozenset({QueryPiece("direction", "high")})),
    "how_many": (frozenset({QueryPiece("compute", "count")}), frozenset({QueryPiece("compute", "countDistinct")})),
    "counted": (frozenset({QueryPiece("compute", "count")}), frozenset({QueryPiece("compute", "countDistinct")})),
    "how_much": (frozenset({QueryPiece("figure")}),),
    "distinct": (frozenset({QueryPiece("compute", "countDistinct")}),),
    "not": (frozenset({QueryPiece("not")}),),
    "without": (frozenset({QueryPiece("not")}),),
    "none": (frozenset({QueryPiece("not")}),),
    **{word: (frozenset({QueryPiece("not")}),) for word in ("nobody", "by_nobody", "nothing", "but_not")},
    "or": (frozenset({QueryPiece("or")}),),
    "each": (frozenset({QueryPiece("by")}),),
    "per": (frozenset({QueryPiece("by")}),),
    "by": (frozenset({QueryPiece("by")}),),
    "share": (frozenset({QueryPiece("transform", "share")}),),
    "change": (
        frozenset({QueryPiece("transform", "change")}),
        frozenset({QueryPiece("transform", "changePercent")}),
        frozenset({QueryPiece("compare")}),
    ),
    "growth": (frozenset({QueryPiece("transform", "changePercent")}), frozenset({QueryPiece("compare")})),
    **{f"how_many_{grain}": (frozenset({QueryPiece("grain", grain)}),) for grain in map(str, Grain)},
    "running": (frozenset({QueryPiece("transform", "runningTotal")}),),
    **{
        f"change_{grain}": (
            frozenset({QueryPiece("transform", "change"), QueryPiece("transform", "changePercent")}),
            frozenset({QueryPiece("transform", "changePercent")}),
            frozenset({QueryPiece("transform", "change")}),
        )
        for grain in map(str, Grain)
    },
    "compare": (frozenset({QueryPiece("compare")}),),
    "compared": (frozenset({QueryPiece("compare")}),),
    "missing": (frozenset({QueryPiece("missing")}),),
    "ordered": (frozenset({QueryPiece("sorting")}),),
    "ascending": (frozenset({QueryPiece("direction", "low"), QueryPiece("sorting")}),),
    "descending": (frozenset({QueryPiece("direction", "high"), QueryPiece("sorting")}),),
    **{grain: (frozenset({QueryPiece("grain", grain)}),) for grain in map(str, Grain)},
}
"""What a query must say where one of these words stands in the question: one of these sets."""


# --- what a query says


def pieces_of(query: SemanticQuery) -> Iterator[QueryPiece]:
    """Everything that a query says."""
    for shown in query.show:
        yield from of_shown(shown)
    if query.of is not None:
        yield QueryPiece("entity", query.of)
    for condition in (*parts_of(query.where), *parts_of(query.having)):
        yield from _of_condition(condition)
    for one in (*query.by, *query.per):
        yield from of_dimension(one)
    if query.by or query.per:
        yield QueryPiece("by")
    if query.period is not None:
        yield of_period(query.period)
    for order in query.order:
        yield from of_shown(order.by)
        yield QueryPiece("direction", "high" if order.descending else "low")
    if query.limit is not None:
        yield QueryPiece("limit", str(query.limit))
    elif query.order:
        yield QueryPiece("sorted")  # all of them, in an order that somebody wants
    if query.skip:
        yield QueryPiece("ordinal", str(query.skip + 1))
    if query.compare is not None:
        yield from of_comparing(query.compare)


def of_comparing(compared: Comparing) -> Iterator[QueryPiece]:
    yield QueryPiece("compare")
    if compared.claim is not None:
        yield QueryPiece("claim", compared.claim)
    yield from (of_period(one) for one in (compared.period,) if one is not None)
    yield from (QueryPiece("value", f"{compared.field}={member}") for member in compared.members)


def of_shown(shown: Shown) -> Iterator[QueryPiece]:
    if shown.measure is not None:
        yield QueryPiece("measure", shown.measure)
    if shown.field is not None:
        yield QueryPiece("field", shown.field)
    if shown.since is not None:
        yield QueryPiece("since", shown.since.field)
    if shown.of is not None:
        yield QueryPiece("entity", shown.of)
    if shown.aggregate is not None:
        yield QueryPiece("compute", shown.aggregate.value)
    if shown.transform is not None:
        yield QueryPiece("transform", shown.transform.value)
    if shown.unit is not None:
        yield QueryPiece("unit", shown.unit)
    if shown.rows is not None:
        yield from pieces_of(shown.rows)
    if shown.ratio is not None:
        yield QueryPiece("ratio")
        for one in shown.ratio:
            yield from of_shown(one)
    for condition in parts_of(shown.where):
        yield from _of_condition(condition)


def of_dimension(one: Dimension) -> Iterator[QueryPiece]:
    if one.entity is not None:
        yield QueryPiece("entity", one.entity)
    if one.field is not None:
        yield QueryPiece("field", one.field)
    if one.grain is not None:
        yield QueryPiece("grain", one.grain.value)


def _of_condition(condition: Condition) -> Iterator[QueryPiece]:
    match condition:
        case AllOf():
            for one in condition.conditions:
                yield from _of_condition(one)
        case AnyOf():
            yield QueryPiece("or")
            for one in condition.conditions:
                yield from _of_condition(one)
        case Negation():
            yield QueryPiece("not")
            yield from _of_condition(condition.condition)
        case InSegment():
            yield QueryPiece("segment", condition.segment)
        case Related():
            if condition.related.where is not None or condition.related.order:
                yield QueryPiece("related", plain_text(condition))  # which rows of which: no single word says that
            yield from pieces_of(condition.related)
            if condition.count is not None:
                yield from (QueryPiece("op", condition.count.op), QueryPiece("number", str(condition.count.value)))
        case FigureComparison():
            yield from _of_figure_comparison(condition)
        case Comparison():
            yield from _of_comparison(condition)


def _of_comparison(condition: Comparison) -> Iterator[QueryPiece]:
    yield QueryPiece("field", condition.field)
    if condition.since is not None:
        yield QueryPiece("since", condition.since.field)
    if condition.grain is Grain.WEEKDAY:
        yield QueryPiece("grain", condition.grain.value)
    yield from _of_operand(condition.field, condition.op, condition.value)


def _of_figure_comparison(compared: FigureComparison) -> Iterator[QueryPiece]:
    yield from of_shown(compared.show)
    if compared.than is not None:
        yield from of_shown(compared.than)
    if compared.times != 1:
        yield QueryPiece("number", _number(compared.times) or "")
    yield from _of_operand("", compared.op, compared.value)


def _of_operand(field: str, op: str, value: Any) -> Iterator[QueryPiece]:
    if op == "between" and isinstance(value, tuple) and all(isinstance(one, str) for one in value):
        yield QueryPiece("period", "/".join(str(one) for one in value))
        return
    if op in ("missing", "notMissing"):
        yield QueryPiece("missing")
    if op in ("notMissing", "!="):
        yield QueryPiece("not")
    if op in ("<", "<=", ">", ">=", "between", "like"):
        yield QueryPiece("op", op)
    if op == "in":
        yield QueryPiece("or")
    if isinstance(value, SemanticQuery):
        yield from pieces_of(value)
        return
    for one in value if isinstance(value, tuple) else (value,):
        if isinstance(one, bool) or one is None:
            continue
        number = _number(one)
        yield QueryPiece("number", number) if number is not None else QueryPiece("value", f"{field}={one}")


def _number(value: Any) -> str | None:
    if isinstance(value, int | Decimal):
        return f"{Decimal(value).normalize():f}"
    return None


def of_period(period: QueryPeriod) -> QueryPiece:
    return QueryPiece("period", f"{period.first}/{period.last}")


def pieces_in(query: SemanticQuery, model: SemanticModel) -> frozenset[QueryPiece]:
    """What a query says, and what it touches: the entities of its fields, figures and ways."""
    said = set(pieces_of(query))
    if any(not shown.is_field for shown in query.show):
        said.add(QueryPiece("figure"))
    text = to_json(query)
    homes = {piece.name.partition(".")[0] for piece in said if piece.kind in ("field", "value")}
    homes |= {
        model.measures[piece.name][0] for piece in said if piece.kind == "measure" and piece.name in model.measures
    }
    homes |= {
        model.segments[piece.name][0] for piece in said if piece.kind == "segment" and piece.name in model.segments
    }
    if query.of:
        homes.add(query.of)
    homes |= {end for way in _ways_in(text) for end in _passed(query.of or "", way, model)}
    said |= {QueryPiece("entity", home) for home in homes}
    return frozenset(said)


def _ways_in(value: Any) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict):
        if value.get("via"):
            yield tuple(value["via"])
        for one in value.values():
            yield from _ways_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from _ways_in(one)


def _passed(start: str, names: tuple[str, ...], model: SemanticModel) -> Iterator[str]:
    way = model.way(start, names) if start in model.steps else None
    yield from (step.end for step in way or ())


# --- what words say


def said_by(phrase: Phrase, there: frozenset[QueryPiece]) -> Iterator[frozenset[QueryPiece]]:
    """What a word may say: each of these sets is one way to take it up. None: no query here takes it up."""
    match phrase:
        case JoiningWord(kind="ordinal"):
            yield frozenset({QueryPiece("ordinal", phrase.text)})
        case JoiningWord() if phrase.kind in _NEUTRAL:
            yield frozenset()
        case JoiningWord():
            yield from _NEEDED.get(phrase.kind, ())
        case SaidNumber():
            number = _number(phrase.value) or ""
            yield from (frozenset({QueryPiece(kind, number)}) for kind in ("number", "limit", "ordinal"))
        case SaidPeriod():
            yield from _said_by_period(phrase)
        case Superlative():
            yield from _said_by_superlative(phrase, there)
        case Comparative():
            if not phrase.fields or any(QueryPiece("field", ".".join(one)) in there for one in phrase.fields):
                yield frozenset({QueryPiece("op", phrase.op)})
        case UnitWish():
            yield frozenset({QueryPiece("unit", phrase.unit)})
        case _:
            yield from _said_by_name(phrase, there)


def _said_by_name(phrase: Phrase, there: frozenset[QueryPiece]) -> Iterator[frozenset[QueryPiece]]:
    """What a word says that stands for something of the data."""
    match phrase:
        case RowsPhrase():
            yield frozenset({QueryPiece("entity", phrase.entity), *of_conditions(phrase.where)})
        case Attribute():
            yield from _said_by_attribute(phrase)
        case FigurePhrase():
            shown = {piece for one in phrase.shown for piece in of_shown(one)}
            yield frozenset({*shown, *of_conditions(phrase.where)})
        case Stored():
            for entity, field, value in phrase.homes:
                yield frozenset({QueryPiece("value", f"{entity}.{field}={value}")})
                yield from (frozenset({QueryPiece("number", number)}) for number in (_number(value),) if number)
        case Quoted():
            ending = f"={phrase.text}"
            yield from (frozenset({one}) for one in there if one.kind == "value" and one.name.endswith(ending))
        case HowAdjective():
            yield from (frozenset({QueryPiece("field", ".".join(one))}) for one in phrase.fields)
        case SegmentWord():
            yield frozenset({QueryPiece("segment", phrase.name)})
        case Role():
            yield frozenset({QueryPiece("entity", phrase.end)})
        case Verb():
            yield from (frozenset({QueryPiece("entity", entity)}) for entity, *_ in phrase.steps)


def _said_by_attribute(said: Attribute) -> Iterator[frozenset[QueryPiece]]:
    """A field, with what is computed of it; a sum where it was asked how much of it there is."""
    computed = {QueryPiece("compute", said.aggregate.value)} if said.aggregate else set[QueryPiece]()
    unit = {QueryPiece("unit", said.unit)} if said.unit else set[QueryPiece]()
    field = QueryPiece("field", said.path)
    if said.direction is not None:
        high = said.direction == 1
        yield frozenset({field, *unit, QueryPiece("compute", "max" if high else "min")})
        yield frozenset({field, *unit, QueryPiece("direction", "high" if high else "low")})
    elif said.asked:
        yield frozenset({field, *unit, QueryPiece("compute", "sum")})
    else:
        yield frozenset({field, *unit, *computed})


def of_conditions(where: Iterable[Condition]) -> Iterator[QueryPiece]:
    """Everything that conditions say."""
    return (piece for condition in where for piece in _of_condition(condition))


def _said_by_period(said: SaidPeriod) -> Iterator[frozenset[QueryPiece]]:
    if said.ends is not None:
        yield frozenset(of_period(one) for one in said.ends)
    yield frozenset({of_period(said.period)})
    if said.number is not None:
        yield frozenset({QueryPiece("number", str(said.number))})


def _said_by_superlative(said: Superlative, there: frozenset[QueryPiece]) -> Iterator[frozenset[QueryPiece]]:
    if said.fields and not said.general and not any(QueryPiece("field", ".".join(one)) in there for one in said.fields):
        return
    high = said.direction == 1
    limit = {QueryPiece("limit", str(said.count))} if said.count is not None else set[QueryPiece]()
    ordinal = {QueryPiece("ordinal", str(said.skip + 1))} if said.skip else set[QueryPiece]()
    yield frozenset({QueryPiece("direction", "high" if high else "low"), *limit, *ordinal})
    if not limit and not ordinal:
        yield frozenset({QueryPiece("compute", "max" if high else "min")})


def with_adjective(phrase: Phrase, there: frozenset[QueryPiece]) -> set[QueryPiece]:
    """An adjective says its field, too."""
    if not isinstance(phrase, Superlative | Comparative):
        return set()
    return {piece for one in phrase.fields if (piece := QueryPiece("field", ".".join(one))) in there}


def plain_text(part: Any) -> str:
    """A part of a query, without the ways that lead to it."""
    return str(_without_ways(to_json(part)))


def _without_ways(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_ways(one) for key, one in sorted(value.items()) if key != "via"}
    return [_without_ways(one) for one in value] if isinstance(value, list) else value
