"""What a share is taken of: of the gigs on the main stage, those that were cancelled; of the tickets, those that were sold online."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from decimal import Decimal

from veracity.semantic.query import (
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    Negation,
    Related,
    SemanticQuery,
    Transform,
    all_of,
    parts_of,
)
from veracity.semantic.reading.phrases import Attribute, RowFilter, RowsPhrase, Stored
from veracity.semantic.reading.said_phrases import Phrase, SaidNumber
from veracity.semantic.reading.word_lists import truth_words
from veracity.semantic.reading.word_senses import Tagged

_SEVERAL = 2
_TRUTHS = frozenset(word for pair in truth_words() for word in pair)


def either_share(query: SemanticQuery, tagged: Tagged, turning: Collection[str]) -> Iterator[SemanticQuery]:
    """A share with each condition on the side of `was` where its words stand: before it the whole, behind it the part.

    Of two conditions behind it the second may narrow either; only where the first is no more than that it was done
    (sold online) both say the part.
    """
    shown = query.show[0] if len(query.show) == 1 else None
    if shown is None or shown.transform is not Transform.SHARE:
        yield query
        return
    part, whole = parts_of(shown.where), parts_of(query.where)
    if not part or len(part) + len(whole) < _SEVERAL:
        yield query
        return
    turn = _turn(tagged, turning, (*part, *whole))
    before = [one for one in (*part, *whole) if turn is not None and _side(tagged, one, turn) < 0]
    behind = [one for one in (*part, *whole) if one not in before]
    done = any(isinstance(one, Comparison) and one.op == "notMissing" for one in behind)
    if turn is None:
        yield _shared(query, behind, ()) if done else query
        return
    yield _shared(query, behind, before)
    if not done and (not before or any(_side(tagged, one, turn) == 0 for one in behind)):
        yield query


def _shared(query: SemanticQuery, part: Collection[Condition], whole: Collection[Condition]) -> SemanticQuery:
    shown = query.show[0].model_copy(update={"where": all_of(part)})
    return query.model_copy(update={"show": (shown,), "where": all_of(whole)}).normalized()


def _turn(tagged: Tagged, turning: Collection[str], conditions: Collection[Condition]) -> int | None:
    """Where the last `was` stands that has a condition behind it."""
    places = [number for number, token in enumerate(tagged.tokens) if token.text in turning]
    return next((one for one in reversed(places) if any(_side(tagged, said, one) > 0 for said in conditions)), None)


def _side(tagged: Tagged, condition: Condition, turn: int) -> int:
    """Whether the words for a condition stand before a place (-1), behind it (1), or cannot be found (0)."""
    told = set(_told(condition))
    starts = [one.start for one in tagged.mentions if told & set(_said(one.phrase))]
    if not starts:
        return 0
    return 1 if min(starts) > turn else -1


def _told(*conditions: Condition | None) -> Iterator[object]:
    """What conditions compare: fields with values, numbers; where they only need a row, of what."""
    for one in conditions:
        match one:
            case AllOf() | AnyOf():
                yield from _told(*one.conditions)
            case Negation():
                yield from _told(one.condition)
            case Related():
                yield from _told(one.related.where) if one.related.where else (one.related.of,)
            case Comparison(value=bool() | 0):  # what says yes or no is said by its name
                yield one.field
            case Comparison(value=int() | float() | Decimal() as number):
                yield Decimal(str(number))
            case Comparison():
                yield one.field, one.op, str(one.value)
                if str(one.value).casefold() in _TRUTHS:
                    yield one.field


def _said(phrase: Phrase) -> Iterator[object]:
    """The same of words."""
    match phrase:
        case Stored():
            yield from ((f"{entity}.{field}", "=", str(value)) for entity, field, value in phrase.homes)
        case SaidNumber():
            yield phrase.value
        case Attribute():
            yield phrase.path
        case RowsPhrase(where=()):
            yield phrase.entity
        case RowsPhrase() | RowFilter():
            yield from _told(*phrase.where)
