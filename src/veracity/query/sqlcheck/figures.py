"""What a figure is made of: data and not the SQL itself, one unit, one moment, rows and not averages, under its own name.

Each function is a check of `rules.CHECKS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from typing import Any

from veracity.contracts import ValidationErrorCode, clip
from veracity.language.nearest import words_of
from veracity.ontology.fields import Additivity, FieldRole
from veracity.query.catalog import CatalogEntity, FieldFacts
from veracity.query.sqlcheck import corrections
from veracity.query.sqlcheck.conditions import UNKNOWN
from veracity.query.sqlcheck.links import JoinSide, linked, singular
from veracity.query.sqlcheck.model import (
    Aggregation,
    Findings,
    Leaf,
    Reckoning,
    SqlValue,
    TableUse,
    Term,
    is_in,
    same_as,
)
from veracity.query.sqlcheck.refusal import SqlRefused, problem, unsafe
from veracity.sources.source import NUMERIC, ColumnType

_COUNTING = frozenset({Decimal(0), Decimal(1), Decimal(100)})
"""What a query counts and chooses with."""
_LONGEST_TEXT = 200_000
_MOST_LABEL = 12
"""Up to so much a number out of a CASE is a rank, a month or a class."""
_LARGEST_FACTOR = 1_000
_TIMES = frozenset({1_024, 1_440, 3_600, 86_400, 604_800, 86_400_000, 1_048_576})
"""Factors of time and size."""
_WRITTEN_AMOUNT = re.compile(r"\D{0,12}\d[\d'’., ]{2,}\D{0,12}")


def texts_stay_short(found: Findings) -> SqlRefused | None:
    """No text is put together that could grow without end: joined with itself again and again, or sign by sign replaced."""
    if found.facts.longest > _LONGEST_TEXT:
        return unsafe("A text would grow too long; put it together of fewer parts.")
    return None


def tables_are_read(found: Findings) -> SqlRefused | None:
    """The figures come from the data, not from the SQL itself."""
    if not found.facts.readings:
        return unsafe("The SELECT reads no table; nothing can be said from it.")
    columns = found.relation.columns.values()
    if all(map(_is_written, columns)):
        return unsafe("The SELECT shows only what it says itself; show columns of a table.")
    compared = _compared_literals(found)
    for column in columns:
        for part in column.parts or (column,):
            if _is_written(part) and _poses_as_figure(part) and str(part.literal) not in compared:
                hint = f"{clip(column.column.name, 24)} stands in the SQL, not in the data; leave it out."
                return unsafe(hint, name=column.column.name)
    return None


def _is_written(column: SqlValue) -> bool:
    """Whether a column is made of literals alone."""
    return column.constant and not column.origin and not column.terms


def _poses_as_figure(column: SqlValue) -> bool:
    if column.column.type in NUMERIC:
        return True
    return isinstance(column.literal, str) and _WRITTEN_AMOUNT.fullmatch(column.literal) is not None


def _compared_literals(found: Findings) -> set[str]:
    """What the conditions say: a year that is filtered by may stand beside its figures."""
    values = (comparison.condition.value for comparison in found.facts.comparisons)
    return {str(one) for value in values for one in (value if isinstance(value, list | tuple) else (value,))}


def figures_are_data(found: Findings) -> SqlRefused | None:
    """No number that was written is counted, chosen or added as if it were stored."""
    compared = _compared_literals(found)
    for aggregation in found.facts.aggregations:
        taken = aggregation.value
        written = taken is not None and _is_written(taken) and taken.column.type in NUMERIC
        if taken is not None and written and aggregation.function != "COUNT" and taken.literal not in (0, 1):
            return _made_up(taken.literal)
    for choice in found.facts.choices:
        usual = _is_small(choice.literal) or _is_one_of(choice.literal, _COUNTING)
        if choice.clause in ("select", "having") and not usual and str(choice.literal) not in compared:
            return _made_up(choice.literal)
    for reckoning in found.facts.reckonings:
        if refused := _computed_away(reckoning) or _written_into(reckoning, compared):
            return refused
    return None


def _made_up(literal: Any) -> SqlRefused:
    shown = "A number" if literal is UNKNOWN else clip(str(literal), 24)
    return unsafe(f"{shown} stands in the SQL, not in the data; take figures from columns.")


def _number(literal: Any) -> Decimal | None:
    return Decimal(literal) if isinstance(literal, int | Decimal) and not isinstance(literal, bool) else None


def _is_one_of(literal: Any, known: frozenset[Decimal]) -> bool:
    number = _number(literal)
    return number is not None and abs(number) in known


def _is_small(literal: Any) -> bool:
    number = _number(literal)
    return number is not None and abs(number) <= _MOST_LABEL


def _computed_away(reckoning: Reckoning) -> SqlRefused | None:
    """`x * 0` and `x - x` are the same whatever is stored."""
    zero = reckoning.operator == "Mul" and any(
        side.constant and _number(side.literal) == 0 for side in (reckoning.left, reckoning.right)
    )
    if zero or (reckoning.same and reckoning.operator in ("Sub", "Div")):
        return unsafe("A part of the SQL comes to the same whatever is stored; leave it out.")
    return None


def _written_into(reckoning: Reckoning, compared: set[str]) -> SqlRefused | None:
    """`SUM(total) + 50000`: a number that nobody stored is added to a figure, or stands in for it as a factor."""
    for figure, other in ((reckoning.left, reckoning.right), (reckoning.right, reckoning.left)):
        number = _number(other.literal) if other.constant and not other.origin else None
        if number is None or str(other.literal) in compared:
            continue
        leaves = [leaf for term in figure.terms for leaf in term.factors]
        if reckoning.operator in ("Add", "Sub") and abs(number) > 1 and any(map(_is_a_figure, leaves)):
            return _made_up(other.literal)
        if reckoning.operator == "Mul" and _is_strange_factor(number) and leaves:
            return _made_up(other.literal)
    return None


def _is_a_figure(leaf: Leaf) -> bool:
    """An amount of money, or whatever was counted or added up; a year or a number of days may be moved by some."""
    if leaf.facts is None or leaf.aggregated in ("SUM", "COUNT", "COUNT_DISTINCT", "AVG"):
        return leaf.facts is None or not leaf.facts.tells_time
    return _is_money(leaf.facts)


def _is_strange_factor(number: Decimal) -> bool:
    whole = abs(number)
    power_of_ten = str(whole).strip("0") in ("1", "1.")
    return whole > _LARGEST_FACTOR and not power_of_ten and whole not in _TIMES


# --- units, moments and averages in arithmetic


def _is_money(facts: FieldFacts) -> bool:
    return facts.role is FieldRole.AMOUNT or bool(facts.unit_fixed_by)


def units_are_kept(found: Findings) -> SqlRefused | None:
    """What is added, subtracted or set against each other is of one unit: no francs and euros, no money and pieces."""
    for reckoning in found.facts.reckonings:
        if reckoning.operator not in ("Add", "Sub", "Div"):
            continue
        for one, other in product(reckoning.left.terms, reckoning.right.terms):
            if refused := _other_unit(one, other, reckoning, found):
                return refused
    return None


def _other_unit(one: Term, other: Term, reckoning: Reckoning, found: Findings) -> SqlRefused | None:
    left, right = _dimension(one), _dimension(other)
    if left is None or right is None:
        return None
    if isinstance(left, Leaf) and isinstance(right, Leaf):
        if _same_unit(left, right, reckoning, found):
            return None
        hint = f"{clip(left.name, 20)} and {clip(right.name, 20)} may be in several units; pin both to one."
        return SqlRefused(problem(ValidationErrorCode.MIXED_UNITS, right.name, hint))
    if reckoning.operator == "Div" or type(left) is type(right):
        return None
    money = left if isinstance(left, Leaf) else right
    assert isinstance(money, Leaf)
    hint = f"{clip(money.name, 24)} is money and the other side is not; show them apart."
    return SqlRefused(problem(ValidationErrorCode.MIXED_UNITS, money.name, hint))


def _dimension(term: Term) -> Leaf | str | None:
    """The amount of money that a term is, or that it counts things; None where nobody can tell."""
    money = [leaf for leaf in term.factors if leaf.facts is not None and _is_money(leaf.facts)]
    below = any(leaf.facts is not None and _is_money(leaf.facts) for leaf in term.divisors)
    if money and (below or len(money) > 1):
        return None
    if money:
        return money[0]
    counts = all(leaf.facts is None or leaf.facts.role is FieldRole.QUANTITY for leaf in term.factors)
    return "things" if term.factors and counts and not term.divisors else None


def _same_unit(one: Leaf, other: Leaf, reckoning: Reckoning, found: Findings) -> bool:
    if not one.units or not other.units:
        return True  # nobody said what it is in
    mine, theirs = _known_unit(one, reckoning, found), _known_unit(other, reckoning, found)
    if mine is not None and theirs is not None:
        return bool(mine == theirs)
    fixes = (*reckoning.fixes, *one.given.fixes, *other.given.fixes)
    for here, there in product(one.units, other.units):
        told = (reckoning.constant(here, one), reckoning.constant(there, other))
        if None not in told and UNKNOWN not in told:
            if told[0] == told[1] and here[1] == there[1]:
                return True
        elif there in same_as(here, fixes):
            return True
    return False


def _known_unit(leaf: Leaf, reckoning: Reckoning, found: Findings) -> Any:
    """The currency that a leaf is in: pinned, or the only one there is."""
    if leaf.reading is None or leaf.facts is None:
        return None
    for thing in leaf.units:
        facts = leaf.reading.entity.fields.get(thing[1]) if thing[0] == leaf.reading.number else None
        if facts is not None and not is_currency(facts, leaf.facts):
            continue
        told = reckoning.constant(thing, leaf)
        if told is not None and told is not UNKNOWN:
            return str(told)
        if facts is not None and found.profile.is_one_value(leaf.reading.entity.name, thing[1]):
            return next(iter(found.profile.of(leaf.reading.entity.name, thing[1]) or ("",)))
    return None


def is_currency(unit: FieldFacts, of: FieldFacts) -> bool:
    """Whether a field holds the unit itself, and does not only fix it as an account does."""
    return unit.role is FieldRole.CURRENCY or unit.column.name == of.unit_field


def snapshots_are_kept(found: Findings) -> SqlRefused | None:
    """What stood there at one moment is not added to another moment's, nor multiplied into a year's."""
    for reckoning in found.facts.reckonings:
        if reckoning.operator in ("Add", "Sub") and not reckoning.divided:
            for one, other in _added_pairs(reckoning):
                if _is_snapshot(one) and _is_snapshot(other) and not _same_moment(one, other, reckoning):
                    hint = f"{clip(one.name, 24)} of two moments is added up; take one, or the difference."
                    return SqlRefused(problem(ValidationErrorCode.INVALID_AGGREGATE_TARGET, one.name, hint))
        if reckoning.operator == "Mul" and (leaf := _multiplied(reckoning)):
            hint = f"{clip(leaf.name, 24)} is how things stood at one moment; it is not multiplied."
            return SqlRefused(problem(ValidationErrorCode.INVALID_AGGREGATE_TARGET, leaf.name, hint))
    return None


def _added_pairs(reckoning: Reckoning) -> Iterator[tuple[Leaf, Leaf]]:
    """The parts of both sides that are really added: with the same sign in the end."""
    turned = reckoning.operator == "Sub"
    for one, other in product(reckoning.left.terms, reckoning.right.terms):
        for mine, theirs in product(one.factors, other.factors):
            if mine.negative == (theirs.negative != turned):
                yield mine, theirs


def _is_snapshot(leaf: Leaf) -> bool:
    return leaf.facts is not None and leaf.facts.additivity is Additivity.SEMI_ADDITIVE


def _same_moment(one: Leaf, other: Leaf, reckoning: Reckoning) -> bool:
    moments = [leaf.facts.declared.moment if leaf.facts and leaf.facts.declared else None for leaf in (one, other)]
    if moments[0] != moments[1]:
        return False
    fixes = (*reckoning.fixes, *one.given.fixes, *other.given.fixes)
    mine = dict(zip(one.facts.over if one.facts else (), one.over, strict=False))
    theirs = dict(zip(other.facts.over if other.facts else (), other.over, strict=False))
    for name in mine.keys() & theirs.keys():
        here, there = mine[name], theirs[name]
        if here is None or there is None:
            return False
        told = (reckoning.constant(here, one), reckoning.constant(there, other))
        if None not in told and UNKNOWN not in told:
            if told[0] != told[1]:
                return False
        elif there not in same_as(here, fixes):
            return False
    return True


def _multiplied(reckoning: Reckoning) -> Leaf | None:
    """A snapshot that is taken several times: a twelvefold balance is nobody's. Tens, hundreds and parts only scale it."""
    for side, other in ((reckoning.left, reckoning.right), (reckoning.right, reckoning.left)):
        number = _number(other.literal) if other.constant and not other.origin else None
        if number is None or number <= 1 or number != int(number) or str(int(number)).strip("0") == "1":
            continue
        for term in side.terms:
            if not term.divisors and (leaf := next(filter(_is_snapshot, term.factors), None)):
                return leaf
    return None


def averages_are_of_rows(found: Findings) -> SqlRefused | None:
    """An average of averages, or of shares, weighs a small group like a large one; averages do not add up either."""
    for aggregation in found.adding:
        for term in aggregation.value.terms if aggregation.value else ():
            if leaf := _averaged(aggregation, term):
                hint = "An average of averages weighs groups alike; average the rows, or SUM(..) / SUM(..)."
                return SqlRefused(problem(ValidationErrorCode.INVALID_AGGREGATE_TARGET, leaf.name, hint))
    for reckoning in found.facts.reckonings:
        if reckoning.operator not in ("Add", "Sub"):
            continue
        for one, other in _added_pairs(reckoning):
            if one.aggregated == other.aggregated == "AVG":
                hint = "Averages do not add up; average the rows of both together."
                return SqlRefused(problem(ValidationErrorCode.INVALID_AGGREGATE_TARGET, one.name, hint))
    return None


def _averaged(aggregation: Aggregation, term: Term) -> Leaf | None:
    if not aggregation.function.startswith("AVG"):
        return None
    known = aggregation.fixed()
    for leaf in term.factors:
        if leaf.aggregated == "AVG" and not is_weighed(leaf, term):
            return leaf
    shares = [leaf for leaf in term.divisors if leaf.aggregated in ("SUM", "COUNT", "COUNT_DISTINCT")]
    if shares and term.factors and not all(is_in(thing, known) for thing in term.divided_by):
        return shares[0]
    return None


def is_weighed(leaf: Leaf, term: Term) -> bool:
    """Whether an average is multiplied by the number of its rows, which makes the sum again."""
    return any(other.aggregated == "COUNT" and other.row == leaf.row for other in term.factors)


# --- names


def names_are_their_own(found: Findings) -> SqlRefused | None:
    """No column is shown under the name of another one."""
    fields: dict[str, tuple[TableUse, str]] = {}
    for reading in found.facts.readings:
        for name in reading.entity.fields:
            fields.setdefault(name.casefold(), (reading, name))
    for shown, column in found.relation.columns.items():
        other = fields.get(shown.casefold())
        if other is None or _is_called_so(column, *other, found):
            continue
        hint = f"{clip(shown, 24)} is another field of {clip(other[0].entity.name, 24)}; call this column otherwise."
        return unsafe(hint, name=shown, correction=corrections.another_name(shown, _own_name(column)))
    return None


def _is_called_so(column: SqlValue, reading: TableUse, name: str, found: Findings) -> bool:
    folded = name.casefold()
    if any(own.casefold() == folded for _, own in column.origin):
        return True
    if any(thing[1].casefold() == folded for thing in column.by):
        return True  # it decides which of several texts is shown
    if column.constant or any(part.constant for part in column.parts):
        return True  # a label; figures that were written are another check's
    facts = reading.entity.fields[name]
    if facts.column.type is ColumnType.BOOLEAN:
        return True  # what is paid, counted or added up
    origins = [_facts_of(entity, own, found) for entity, own in column.origin]
    if origins and facts.tells_time and all(origin is not None and origin.tells_time for origin in origins):
        return True
    return any(
        linked(JoinSide(found.catalog.entities[entity], own), JoinSide(reading.entity, name), found.catalog) is not None
        for entity, own in column.origin
    )


def _facts_of(entity: str, name: str, found: Findings) -> FieldFacts | None:
    known = found.catalog.entities.get(entity)
    return known.fields.get(name) if known else None


def _own_name(column: SqlValue) -> str:
    """What a column may be called: by its function and field."""
    function = (column.aggregate or "").lower()
    names = sorted(name for _, name in column.origin)
    words = [word for word in (function if function != "expression" else "", *names[:2]) if word]
    return "_".join(words) or "figure"


# --- what COUNT(*) counts


def counts_say_what_they_count(found: Findings) -> SqlRefused | None:
    """COUNT(*) over a join counts the rows of the many side; it is not called after the other one."""
    for shown, column in found.relation.columns.items():
        aggregation = column.counted
        if aggregation is None or len(aggregation.readings) < 2:
            continue
        readings = [reading for reading in aggregation.readings if reading.row in aggregation.rows]
        once = [reading for reading in readings if aggregation.counts_once(Leaf(reading.row))]
        if not once:
            continue
        if refused := _counts_nothing(aggregation, once, found) or _counts_others(shown, aggregation, once):
            return refused
    return None


def _counts_nothing(aggregation: Aggregation, once: list[TableUse], found: Findings) -> SqlRefused | None:
    """COUNT(*) after a LEFT JOIN is 1 where there is no row to count."""
    optional = [reading for reading in once if reading.number in found.facts.optional]
    kept = [reading for reading in aggregation.readings if reading.number not in found.facts.optional]
    if not kept or len(optional) < len(once) or aggregation.given.filters_of(optional[0]):
        return None
    name = clip(optional[0].entity.name, 24)
    hint = f"COUNT(*) is 1 where no {name} is joined; count a column of {name}."
    refusal = problem(ValidationErrorCode.AMBIGUOUS_GRAIN, None, hint, f"COUNT({_key(optional[0].entity)})")
    return SqlRefused(refusal)


def _counts_others(shown: str, aggregation: Aggregation, once: list[TableUse]) -> SqlRefused | None:
    others = [reading for reading in aggregation.readings if reading not in once]
    meant = next((reading for reading in others if is_word_for(shown, reading.entity)), None)
    named = any(is_word_for(shown, reading.entity) for reading in once)
    if meant is None and not named and shown == "count" and not aggregation.group and others:
        # Nothing says what is counted: the table that is read first would be.
        first = min(aggregation.readings, key=lambda reading: reading.at)
        meant = first if first in others else None
    if meant is None or named:
        return None
    name, counted = clip(meant.entity.name, 16), clip(once[0].entity.name, 16)
    hint = f"COUNT(*) counts {counted} here, not {name}; use COUNT(DISTINCT ..) or AS {counted}."
    refusal = problem(ValidationErrorCode.AMBIGUOUS_GRAIN, None, hint, f"COUNT(DISTINCT {_key(meant.entity)})")
    return SqlRefused(refusal, corrections.count_rows_of(aggregation, meant, _key(meant.entity)))


def _key(entity: CatalogEntity) -> str:
    keys = (*entity.keys, *((entity.grain,) if entity.grain else ()))
    return next((key[0] for key in keys if len(key) == 1), next(iter(entity.fields)))


def is_word_for(word: str, entity: CatalogEntity) -> bool:
    """Whether a column's name is what people call the rows of an entity."""
    said = [
        singular(part) for part in words_of(word).split() if part not in ("number", "count", "of", "n", "no", "total")
    ]
    own = [singular(part) for part in words_of(entity.name.rpartition(".")[2]).split()]
    if said and said == own[-len(said) :]:
        return True
    declared = entity.declared
    labels = (
        [*declared.label.values(), *(one for some in declared.synonyms.values() for one in some)] if declared else []
    )
    return any(said == [singular(part) for part in words_of(label).split()] for label in labels if said)
