"""Expressions -> values: what each is made of, what decides it, and what it compares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from veracity.contracts import ValidationErrorCode, clip
from veracity.query.model import Filter
from veracity.query.sqlcheck import kinds
from veracity.query.sqlcheck.conditions import COMPARED, TURNED, UNKNOWN, held, unparenthesised
from veracity.query.sqlcheck.model import (
    NOTHING,
    ROW,
    Aggregation,
    Facts,
    Fixes,
    Held,
    Leaf,
    Loose,
    Mismatch,
    Probe,
    Rank,
    Reckoning,
    SqlComparison,
    SqlRelation,
    SqlScope,
    SqlValue,
    TableUse,
    Term,
    Thing,
    Things,
    WrittenChoice,
    closed,
    is_in,
    same_as,
)
from veracity.query.sqlcheck.refusal import SqlRefused, place, problem, unsafe
from veracity.sources.source import NUMERIC, Column, ColumnType, Dialect

if TYPE_CHECKING:
    from sqlglot import exp

_MOST_TERMS = 60
USUAL_TEXT, USUAL_NUMBER = 200, 20
"""How many characters a stored text or number is taken to have."""
_USUAL_LIST = 100
"""How many texts STRING_AGG is taken to join."""
TAKEN = "taken"
"""Where an aggregate of the tree keeps the type of what it is taken of."""
MOVED = "moved"
"""Where a sum or difference of the tree keeps the types of its two sides."""
_COMPARED = {**COMPARED, "NullSafeNEQ": "!="}
_ADDING = frozenset(["Sum", "Avg", "Stddev", "StddevPop", "StddevSamp", "Variance", "VariancePop", "Median"])
_PICKING = frozenset(["Min", "Max", "AnyValue", "ArgMax", "ArgMin"])
_NAMES = {"Sum": "SUM", "Avg": "AVG", "Min": "MIN", "Max": "MAX", "Count": "COUNT", "CountIf": "COUNT"}
_RANKS = frozenset(["RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "Ntile"])
_MOVING = frozenset(["Lag", "Lead", "FirstValue", "LastValue", "NthValue"])
_PASSING = frozenset(["Abs", "Ceil", "Floor", "Trunc", "Round", "Sign", "Paren"])


def value(node: exp.Expr, scope: SqlScope) -> SqlValue:
    """What an expression is made of; worked out once per place."""
    key = (id(node), scope.inside)
    known = scope.seen.get(key)
    if known is None:
        known = scope.seen[key] = _grouped_key(node, scope) or _HANDLERS.get(type(node).__name__, _function)(
            node, scope
        )
    return known


def _grouped_key(node: exp.Expr, scope: SqlScope) -> SqlValue | None:
    """The value of something that is grouped by."""
    if scope.keys is None or scope.inside:
        return None
    return scope.keys.get(node.sql())


# --- single values


def _owner(alias: str, scope: SqlScope) -> tuple[SqlScope, list[SqlScope]]:
    """The SELECT that a table belongs to, and those that stand between."""
    owner: SqlScope | None = scope
    passed: list[SqlScope] = []
    while owner is not None and alias not in owner.sources:
        passed.append(owner)
        owner = owner.parent
    assert owner is not None
    return owner, passed


def _column(node: exp.Expr, scope: SqlScope) -> SqlValue:
    alias = node.args["table"].name
    owner, passed = _owner(alias, scope)
    found = owner.sources[alias][node.name]
    for inner in passed:
        inner.depend_on(found.determined_by)
    if owner is scope and scope.keys is not None and not scope.inside:
        scope.facts.loose.append(Loose(node.name, place(node), scope.select))
    return _under(found, scope.given)


def _under(found: SqlValue, given: Held) -> SqlValue:
    """The value as it counts under a condition."""
    if not given.fixes and not given.filters:
        return found
    terms = tuple(
        replace(term, factors=tuple(replace(leaf, given=leaf.given + given) for leaf in term.factors))
        for term in found.terms
    )
    return replace(found, terms=terms)


def _literal(node: exp.Expr, _scope: SqlScope) -> SqlValue:
    if node.args.get("is_string"):
        return SqlValue(kinds.TEXT, constant=True, literal=node.name, size=len(node.name))
    text = node.name
    try:
        literal: Any = int(text) if text.isdigit() and len(text) < 30 else Decimal(text)
    except ArithmeticError:
        literal = UNKNOWN
    return SqlValue(kinds.number(text), constant=True, literal=literal, size=len(text))


def _boolean(node: exp.Expr, _scope: SqlScope) -> SqlValue:
    return SqlValue(kinds.BOOLEAN, constant=True, literal=bool(node.this))


def _null(_node: exp.Expr, _scope: SqlScope) -> SqlValue:
    return SqlValue(kinds.OTHER, constant=True, literal=None)


def _interval(_node: exp.Expr, _scope: SqlScope) -> SqlValue:
    return SqlValue(kinds.OTHER, constant=True, literal=UNKNOWN)


def _paren(node: exp.Expr, scope: SqlScope) -> SqlValue:
    return value(node.this, scope)


def _tuple(node: exp.Expr, scope: SqlScope) -> SqlValue:
    return _computed(kinds.OTHER, [value(part, scope) for part in node.expressions])


def _computed(
    column: Column, parts: Sequence[SqlValue], terms: tuple[Term, ...] = (), *, deciding: Sequence[SqlValue] = ()
) -> SqlValue:
    """A value made of others; those that only decide which one it is are named apart."""
    if len(terms) > _MOST_TERMS:
        raise unsafe("An expression has too many parts; work it out in steps, with WITH.")
    every = (*parts, *deciding)
    constant = bool(every) and all(part.constant for part in every)
    return SqlValue(
        column,
        by=frozenset(thing for part in every for thing in part.determined_by),
        terms=terms,
        constant=constant,
        literal=UNKNOWN if constant else None,
        aggregate="EXPRESSION",
        origin=frozenset(origin for part in parts for origin in part.origin),
        size=max((part.size for part in parts), default=USUAL_NUMBER),
    )


# --- arithmetic


def _negative(node: exp.Expr, scope: SqlScope) -> SqlValue:
    inner = value(node.this, scope)
    if inner.constant and isinstance(inner.literal, int | Decimal) and not isinstance(inner.literal, bool):
        return replace(inner, literal=-inner.literal)
    return _computed(inner.column, [inner], _turned(inner.terms))


def _turned(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    return tuple(
        replace(term, factors=tuple(replace(leaf, negative=not leaf.negative) for leaf in term.factors))
        for term in terms
    )


def _arithmetic(node: exp.Expr, scope: SqlScope) -> SqlValue:
    left, right = value(node.this, scope), value(node.expression, scope)
    name = type(node).__name__
    scope.facts.computed += [
        side.field_of for side in (left, right) if side.field_of and side.column.type is ColumnType.TEXT
    ]
    _note_reckoning(node, left, right, scope)
    column = kinds.arithmetic(name, left.column, right.column, scope.world.dialect)
    node.meta[MOVED] = (left.column.type, right.column.type)
    if name == "Mul":
        terms = _product(left.terms, right.terms)
    elif name in ("Div", "IntDiv", "Mod"):
        terms = _quotient(left, right)
    else:
        terms = left.terms + (_turned(right.terms) if name == "Sub" else right.terms)
    if column.type not in NUMERIC or {left.column.type, right.column.type} & {ColumnType.DATE, ColumnType.TIMESTAMP}:
        terms = ()  # days between two dates are no field's own figure
    made = _computed(kinds.INTEGER if name == "IntDiv" else column, [left, right], terms)
    return replace(made, shifted=_shifted(left, right)) if name in ("Add", "Sub") else made


def _note_reckoning(node: exp.Expr, left: SqlValue, right: SqlValue, scope: SqlScope) -> None:
    from sqlglot import exp

    outer = node.parent
    while isinstance(outer, exp.Paren):
        outer = outer.parent
    divided = isinstance(outer, exp.Div) and isinstance(unparenthesised(outer.expression), exp.Literal)
    rows = scope.rows if scope.rows is not None else scope.relation
    scope.facts.reckonings.append(
        Reckoning(
            type(node).__name__,
            left,
            right,
            same=not left.constant and node.this.sql() == node.expression.sql(),
            divided=divided,
            fixes=(*rows.fixes, *scope.relation.fixes),
            constants={**rows.constants, **scope.relation.constants},
        )
    )


def _note_choices(node: exp.Expr, results: Sequence[SqlValue], scope: SqlScope) -> None:
    """Numbers that were written and may come out as a figure."""
    for found in results:
        if found.constant and found.literal is not None and found.column.type in NUMERIC:
            scope.facts.choices.append(WrittenChoice(found.literal, type(node).__name__, scope.clause))


def _shifted(left: SqlValue, right: SqlValue) -> Thing | None:
    for this, that in ((left, right), (right, left)):
        if that.constant and not this.constant:
            return this.thing or this.shifted
    return None


def _product(left: tuple[Term, ...], right: tuple[Term, ...]) -> tuple[Term, ...]:
    if not left or not right:
        return left or right
    return tuple(
        Term(one.factors + other.factors, one.divisors + other.divisors, one.divided_by | other.divided_by)
        for one in left
        for other in right
    )


def _quotient(left: SqlValue, right: SqlValue) -> tuple[Term, ...]:
    divisors = tuple(leaf for term in right.terms for leaf in term.factors)
    return tuple(
        Term(term.factors, term.divisors + divisors, term.divided_by | right.determined_by) for term in left.terms
    )


def _cast(node: exp.Expr, scope: SqlScope) -> SqlValue:
    inner, column = value(node.this, scope), kinds.cast_to(node.args["to"], scope.world.dialect)
    if scope.world.native and scope.world.dialect == "sqlite" and column.type is ColumnType.DECIMAL:
        column = kinds.decimal(None)  # its digits are only words there
    if inner.constant:
        keeps = column.type in (ColumnType.DATE, ColumnType.TIMESTAMP) or column.type is inner.column.type
        return replace(inner, column=column, literal=inner.literal if keeps else UNKNOWN)
    made = _computed(column, [inner], inner.terms)
    return replace(made, rank=inner.rank)


def _branches(node: exp.Expr, scope: SqlScope) -> SqlValue:
    """COALESCE, GREATEST and LEAST: one of their parts."""
    parts = [value(part, scope) for part in (node.this, *node.expressions)]
    _note_choices(node, parts, scope)
    return _computed(
        kinds.common([p.column for p in parts]), parts, tuple(term for part in parts for term in part.terms)
    )


def _nullif(node: exp.Expr, scope: SqlScope) -> SqlValue:
    inner, other = value(node.this, scope), value(node.expression, scope)
    return _computed(inner.column, [inner], inner.terms, deciding=[other])


def _case(node: exp.Expr, scope: SqlScope) -> SqlValue:
    tested = node.this
    results: list[SqlValue] = []
    deciding: list[SqlValue] = [value(tested, scope)] if tested is not None else []
    for branch in node.args["ifs"]:
        condition = _equals(tested, branch.this) if tested is not None else branch.this
        deciding.append(value(condition, scope))
        with scope.under(held(condition, scope, value)):
            results.append(value(branch.args["true"], scope))
    if (default := node.args.get("default")) is not None:
        results.append(value(default, scope))
    _note_choices(node, results, scope)
    return _chosen(results, deciding)


def _equals(tested: exp.Expr, literal: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    made = exp.EQ(this=tested.copy(), expression=literal.copy())
    made.meta.update(literal.meta)
    return made


def _if(node: exp.Expr, scope: SqlScope) -> SqlValue:
    deciding = [value(node.this, scope)]
    with scope.under(held(node.this, scope, value)):
        results = [value(node.args["true"], scope)]
    if (otherwise := node.args.get("false")) is not None:
        results.append(value(otherwise, scope))
    _note_choices(node, results, scope)
    return _chosen(results, deciding)


def _chosen(results: list[SqlValue], deciding: list[SqlValue]) -> SqlValue:
    column = kinds.common([found.column for found in results])
    return _computed(column, results, tuple(term for found in results for term in found.terms), deciding=deciding)


# --- conditions


def _condition(node: exp.Expr, scope: SqlScope) -> SqlValue:
    """AND, OR, NOT and whatever else is true or false."""
    return _computed(kinds.BOOLEAN, [value(child, scope) for child in node.iter_expressions()])


def _exists(node: exp.Expr, scope: SqlScope) -> SqlValue:
    return replace(_computed(kinds.BOOLEAN, []), by=scope.query(node.this).outer)


def _comparison(node: exp.Expr, scope: SqlScope) -> SqlValue:
    from sqlglot import exp

    left, right = node.this, node.expression
    one, other = unparenthesised(left), unparenthesised(right)
    if isinstance(one, exp.Tuple) and isinstance(other, exp.Tuple):
        pairs = list(zip(one.expressions, other.expressions, strict=False))
    else:
        pairs = [(left, right)]
    for this, that in pairs:
        _compare(_COMPARED[type(node).__name__], this, [that], node, scope)
    _note_probe(node, scope)
    return _computed(kinds.BOOLEAN, [value(left, scope), value(right, scope)])


def _compare(op: str, left: exp.Expr, others: Sequence[exp.Expr], node: exp.Expr, scope: SqlScope) -> None:
    """Note a field that is held against literals, or against another field."""
    one, rest = value(left, scope), [value(other, scope) for other in others]
    if one.field_of is None and len(rest) == 1 and rest[0].field_of is not None and op not in ("LIKE", "IN", "BETWEEN"):
        return _compare(TURNED.get(op, op), others[0], [left], node, scope)
    for found in (one, *rest):
        for part in found.parts or (found,):
            if part.field_of is not None:
                part.field_of[0].said.add(part.field_of[1])
    if all(found.constant and found.literal is not UNKNOWN for found in rest):
        for part in one.parts or (one,):
            literals = [_as_stored(found.literal, part, scope) for found in rest]
            _note(op, part, literals, others, node, facts=scope.facts)
    elif one.field_of and len(rest) == 1 and rest[0].field_of and one.field_of != rest[0].field_of:
        kinds_met = {one.column.type, rest[0].column.type}
        if ColumnType.TEXT in kinds_met and kinds_met & NUMERIC:
            scope.facts.mismatches.append(Mismatch(one.field_of, rest[0].field_of))
    return None


def _note(
    op: str, one: SqlValue, literals: list[Any], nodes: Sequence[exp.Expr], node: exp.Expr, *, facts: Facts
) -> None:
    if one.field_of is None:
        return
    reading, name = one.field_of
    condition = Filter(name, op, literals if op in ("IN", "BETWEEN") else literals[0])
    places = tuple(place(unparenthesised(other)) for other in nodes)
    facts.comparisons.append(SqlComparison(reading, condition, place(node), places, one.wrapped))


def _as_stored(literal: Any, one: SqlValue, scope: SqlScope) -> Any:
    """SQLite has no truth values of its own: 1 and 0 are what people write there."""
    if scope.world.dialect == "sqlite" and one.column.type is ColumnType.BOOLEAN and literal in (0, 1):
        return bool(literal)
    return literal


def _like(node: exp.Expr, scope: SqlScope) -> SqlValue:
    _compare("LIKE", node.this, [node.expression], node, scope)
    _note_probe(node.parent if type(node.parent).__name__ == "Escape" and node.parent else node, scope)
    return _computed(kinds.BOOLEAN, [value(node.this, scope), value(node.expression, scope)])


def _between(node: exp.Expr, scope: SqlScope) -> SqlValue:
    ends = [node.args["low"], node.args["high"]]
    _compare("BETWEEN", node.this, ends, node, scope)
    _note_probe(node, scope)
    return _computed(kinds.BOOLEAN, [value(part, scope) for part in (node.this, *ends)])


def _in(node: exp.Expr, scope: SqlScope) -> SqlValue:
    from sqlglot import exp

    left = unparenthesised(node.this)
    if (query := node.args.get("query")) is not None:
        found = scope.query(query)
        parts = [value(part, scope) for part in (left.expressions if isinstance(left, exp.Tuple) else [left])]
        if len(parts) != len(found.columns):
            raise unsafe("IN compares with a subquery of as many columns as stand before it.")
        for part in parts:
            if part.field_of is not None:
                part.field_of[0].said.add(part.field_of[1])
        return replace(
            _computed(kinds.BOOLEAN, parts), by=frozenset().union(*(p.determined_by for p in parts), found.outer)
        )
    if isinstance(left, exp.Tuple):
        for number, part in enumerate(left.expressions):
            rows = [row.expressions for row in node.expressions if isinstance(row, exp.Tuple)]
            if rows and all(len(row) == len(left.expressions) for row in rows):
                _compare("IN", part, [row[number] for row in rows], node, scope)
        return _computed(kinds.BOOLEAN, [value(node.this, scope)])
    _compare("IN", node.this, node.expressions, node, scope)
    for literal in node.expressions:
        _note_probe(_equals(node.this, literal), scope)
    return _computed(kinds.BOOLEAN, [value(part, scope) for part in (node.this, *node.expressions)])


def _is(node: exp.Expr, scope: SqlScope) -> SqlValue:
    inner = value(node.this, scope)
    if inner.field_of is not None and isinstance(value(node.expression, scope).literal, bool):
        _compare("=", node.this, [node.expression], node, scope)
    return _computed(kinds.BOOLEAN, [inner])


# --- conditions on what is made of stored texts


_FOUND_OUT = frozenset(["EQ", "NEQ", "NullSafeEQ", "NullSafeNEQ", "Like", "ILike", "Glob", "Escape", "Between"])


def in_fields(node: exp.Expr, scope: SqlScope) -> exp.Expr | None:
    """An expression in fields of table uses, by their numbers; None where it is made of anything else."""
    from sqlglot import exp

    if node.find(exp.AggFunc, exp.Window, exp.Query, exp.Star) is not None:
        return None
    holder = exp.Paren(this=node.copy())
    for column in list(holder.find_all(exp.Column)):
        alias = column.args["table"].name
        found = _owner(alias, scope)[0].sources[alias][column.name]
        if found.field_of is not None and found.wrapped is None:
            reading, name = found.field_of
            column.replace(exp.column(name, table=str(reading.number), quoted=True))
        elif found.written is not None:
            column.replace(exp.Paren(this=found.written.copy()))
        else:
            return None
    return cast("exp.Expr", holder.this)


def _note_probe(node: exp.Expr, scope: SqlScope) -> None:
    """Some row has to meet a condition on texts, unless a plain comparison is looked up by itself."""
    from sqlglot import exp

    compares = isinstance(node, exp.Binary | exp.Between | exp.Escape)
    plain = isinstance(node, exp.EQ | exp.NEQ) and any(
        value(side, scope).field_of is not None and value(other, scope).literal not in (None, UNKNOWN)
        for side, other in ((node.this, node.expression), (node.expression, node.this))
    )
    condition = None if plain else in_fields(node, scope)
    columns = list(condition.find_all(exp.Column)) if condition is not None else []
    if condition is None or len({column.table for column in columns}) != 1:
        return
    searched = any(literal.is_string for literal in condition.find_all(exp.Literal))
    if not searched or (compares and type(node).__name__ not in _FOUND_OUT and not _is_searched(condition)):
        return
    number = int(columns[0].table)
    reading = next((found for found in scope.facts.readings if found.number == number), None)
    names = tuple(dict.fromkeys(column.name for column in columns))
    if reading is None or not all(_is_plain_text(reading, name) for name in names):
        return
    if isinstance(condition, exp.NEQ | exp.NullSafeNEQ):
        condition = exp.EQ(this=condition.this.copy(), expression=condition.expression.copy())
    if condition.args.get("negate"):
        condition.set("negate", None)
    scope.facts.probes.append(Probe(reading, condition, names))


def _is_searched(condition: exp.Expr) -> bool:
    """`STRPOS(city, 'x') > 0` looks for a text; `city > 'M'` takes whatever comes after it."""
    from sqlglot import exp

    bare = (unparenthesised(side) for side in (condition.this, condition.args.get("expression")) if side is not None)
    return any(isinstance(side, exp.Func) and side.find(exp.Literal) is not None for side in bare) and not any(
        isinstance(side, exp.Literal) and side.is_string for side in (condition.this, condition.args.get("expression"))
    )


def _is_plain_text(reading: TableUse, name: str) -> bool:
    facts = reading.entity.fields[name]
    return facts.column.type is ColumnType.TEXT and not facts.is_date and facts.categorical is not False


# --- subqueries


def _subquery(node: exp.Expr, scope: SqlScope) -> SqlValue:
    """A SELECT that stands for one value."""
    found = scope.query(node)
    if len(found.columns) != 1:
        raise unsafe("A subquery that stands for a value has one column.")
    if not found.is_one_row:
        scope.facts.several.append(place(node))
    if scope.clause == "select":
        scope.facts.shown.extend(found.readings)
    inner = next(iter(found.columns.values()))
    number = next(scope.world.numbers)
    scope.relation.fixes.append(Fixes(found.outer, (number, ROW)))
    known = found.closed(())
    scope.relation.constants |= {thing: told for thing, told in found.constants.items() if is_in(thing, known)}
    for leaf in inner.leaves:
        reached = [thing for thing in (*leaf.over, *leaf.units, *leaf.key) if thing is not None and is_in(thing, known)]
        scope.relation.fixes += [Fixes(found.outer, thing) for thing in reached]
        around = [(other, thing) for thing in reached for other in same_as(thing, found.fixes) & found.outer]
        scope.relation.fixes += [Fixes(frozenset({other}), thing, equal=True) for other, thing in around]
    terms = tuple(term.each(row=(number, ROW)) for term in inner.terms)
    constant = not found.outer
    return SqlValue(
        inner.column,
        by=found.outer,
        terms=terms,
        constant=constant,
        literal=UNKNOWN if constant else None,
        aggregate=inner.aggregate,
        origin=inner.origin,
        size=inner.size,
    )


# --- functions


def _function(node: exp.Expr, scope: SqlScope) -> SqlValue:
    """Any other function: what it makes of a number is judged like the number, texts and dates become something else."""
    parts = [value(child, scope) for child in node.iter_expressions() if not _is_unit(child)]
    name = type(node).__name__
    first = _argument(node, scope) or (parts[0] if parts else SqlValue(kinds.OTHER, constant=True, literal=UNKNOWN))
    if name in _PASSING:
        terms: tuple[Term, ...] = first.terms
    else:
        numeric = tuple(leaf for part in parts for leaf in part.leaves if _is_number(leaf))
        terms = (Term(numeric),) if numeric else ()
    called = _function_name(node)
    # DATE_TRUNC('month', day) is a kind of day: what is written only says which.
    inner = next((part.column for part in parts if not part.constant), first.column)
    column = kinds.own_function(called, inner, scope.world.dialect) or kinds.function(called, first.column)
    if name == "Round":
        column = kinds.rounded(first.column, _digits(parts))
    made = replace(_computed(column, parts, terms), size=_grown(called, parts))
    scope.facts.longest = max(scope.facts.longest, made.size)
    if not parts:
        return replace(made, constant=True, literal=UNKNOWN)
    if column.type is ColumnType.BOOLEAN:
        _note_probe(node, scope)
    if called in ("DPipe", "CONCAT") and all(isinstance(part.literal, str) for part in parts):
        return replace(made, literal="".join(str(part.literal) for part in parts))
    if name in ("Lower", "Upper") and first.field_of is not None:
        return replace(made, field_of=first.field_of, wrapped=name.upper())
    return made


def _grown(called: str, parts: Sequence[SqlValue]) -> int:
    """How long the text of a function may be: texts are joined, or each sign of one may become another text."""
    sizes = [part.size for part in parts] or [USUAL_NUMBER]
    if called in ("DPipe", "Concat", "CONCAT", "ConcatWs", "CONCAT_WS", "FORMAT", "PRINTF"):
        return sum(sizes) * (1 if "WS" not in called.upper() else 2)
    if called.upper() == "REPLACE" and len(sizes) > 2:
        sought = len(parts[1].literal) if isinstance(parts[1].literal, str) else 1
        return sizes[0] * max(1, sizes[2] // max(1, sought))
    return max(sizes)


def _argument(node: exp.Expr, scope: SqlScope) -> SqlValue | None:
    """What a function is taken of, wherever the parser keeps its other arguments."""
    from sqlglot import exp

    inner = node.args.get("this")
    return value(inner, scope) if isinstance(inner, exp.Expr) and not _is_unit(inner) else None


def _function_name(node: exp.Expr) -> str:
    """The class of a function; its name, where it has none."""
    from sqlglot import exp

    return str(node.this).upper() if isinstance(node, exp.Anonymous) else type(node).__name__


def _is_unit(node: exp.Expr) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Var | exp.DataType)


def _is_number(leaf: Leaf) -> bool:
    return leaf.facts is None or leaf.facts.column.type in NUMERIC


def _digits(parts: Sequence[SqlValue]) -> int | None:
    literal = parts[1].literal if len(parts) > 1 else 0
    return literal if isinstance(literal, int) else None


# --- aggregates


def _aggregate(node: exp.Expr, scope: SqlScope) -> SqlValue:
    return _aggregated(node, scope, Held())


def _filter(node: exp.Expr, scope: SqlScope) -> SqlValue:
    condition = node.expression.this
    with scope.within_aggregate():
        value(condition, scope)
        given = held(condition, scope, value)
    return _aggregated(node.this, scope, given)


def _ignore_nulls(node: exp.Expr, scope: SqlScope) -> SqlValue:
    return value(node.this, scope)


def _aggregated(node: exp.Expr, scope: SqlScope, given: Held) -> SqlValue:
    """An aggregate over the rows of each group."""
    if scope.inside:
        raise unsafe("An aggregate cannot stand inside another; use a subquery in FROM.")
    if scope.keys is None or scope.rows is None:
        hint = "WHERE and ON see single rows; test an aggregate with HAVING."
        raise SqlRefused(problem(ValidationErrorCode.INVALID_AGGREGATE_TARGET, clip(node.sql(), 40), hint))
    with scope.within_aggregate():
        taken, distinct = _taken(node, scope)
    found = _noted(node, scope, taken, given, (scope.rows, scope.group), distinct=distinct, window=False)
    return _result(node, found, (scope.number, node.sql()), scope)


def _taken(node: exp.Expr, scope: SqlScope) -> tuple[SqlValue | None, bool]:
    """What an aggregate is taken of, and whether only different values count."""
    from sqlglot import exp

    inner = node.this
    if isinstance(inner, exp.Star) or inner is None:
        return None, False
    if isinstance(inner, exp.Distinct):
        parts = [value(part, scope) for part in inner.expressions]
        return (parts[0] if len(parts) == 1 else _computed(kinds.OTHER, parts)), True
    for other in node.iter_expressions():
        if other is not inner:
            value(other, scope)
    return value(inner, scope), False


def _noted(
    node: exp.Expr,
    scope: SqlScope,
    taken: SqlValue | None,
    given: Held,
    over: tuple[SqlRelation, Things],
    *,
    distinct: bool,
    window: bool,
) -> Aggregation:
    relation, group = over
    name = type(node).__name__
    if taken is not None:
        node.meta[TAKEN] = taken.column
    function = _NAMES.get(name, "AVG" if name in _ADDING else "MAX" if name in _PICKING else name.upper())
    if distinct and function == "COUNT":
        function = "COUNT_DISTINCT"
    elif distinct and function in ("SUM", "AVG"):
        function += "_DISTINCT"
    if taken is not None and taken.field_of is not None and function in ("MIN", "MAX", "COUNT_DISTINCT"):
        taken.field_of[0].said.add(taken.field_of[1])
    found = Aggregation(
        function,
        place(node),
        scope.select,
        taken,
        group,
        relation.rows,
        tuple(relation.fixes),
        dict(relation.constants),
        relation.readings,
        given + scope.given,
        window,
        relation.cut,
    )
    scope.facts.aggregations.append(found)
    return found


def _result(node: exp.Expr, found: Aggregation, thing: Thing, scope: SqlScope) -> SqlValue:
    """The value of an aggregate, and what is left of its origins."""
    taken, name, row, dialect = found.value, type(node).__name__, (thing[0], ROW), scope.world.dialect
    if found.function == "COUNT" or taken is None:
        return _counted(found, row, thing, "COUNT")
    if found.function == "COUNT_DISTINCT":
        # A value that belongs to one group only is counted once in all; with a single group there is nothing to add up.
        known = closed(taken.determined_by, found.fixes)
        apart = all(is_in(key, known) for key in found.group)
        return _counted(found, row, thing, "COUNT" if apart else "COUNT_DISTINCT")
    if name in _ADDING:
        return _summed(node, found, taken, thing, dialect)
    if name in _PICKING:
        with scope.within_aggregate():
            return _picked(node, found, taken, thing, scope)
    column = kinds.function(name, taken.column)
    size = taken.size * (_USUAL_LIST if name == "GroupConcat" else 1)
    scope.facts.longest = max(scope.facts.longest, size)
    return SqlValue(column, thing=thing, by=frozenset({row}), aggregate="EXPRESSION", origin=taken.origin, size=size)


def _counted(found: Aggregation, row: Thing, thing: Thing, function: str) -> SqlValue:
    exact = _is_whole(found) and (found.value is None or found.value.field_of is not None)
    return SqlValue(
        kinds.INTEGER,
        thing=thing,
        by=frozenset({row}),
        terms=(Term((Leaf(row, aggregated=function),)),),
        aggregate=found.function if exact else "EXPRESSION",
        origin=found.value.origin if found.value else frozenset(),
        counted=found if found.value is None or found.value.constant else None,
    )


def _is_whole(found: Aggregation) -> bool:
    """Whether it takes in every row of its group."""
    return not found.given.filters and not found.given.fixes


def _summed(node: exp.Expr, found: Aggregation, taken: SqlValue, thing: Thing, dialect: Dialect) -> SqlValue:
    name, row = type(node).__name__, (thing[0], ROW)
    through = "SUM" if name == "Sum" else "AVG"
    terms = tuple(_through(term, row, through, found.given) for term in taken.terms)
    plain = taken.field_of is not None or (name == "Sum" and taken.aggregate == "SUM")
    exact = name in ("Sum", "Avg") and _is_whole(found) and plain and not found.function.endswith("DISTINCT")
    mean = kinds.mean(taken.column, dialect) if name == "Avg" else kinds.FLOAT
    made = kinds.summed(taken.column) if name == "Sum" else mean
    if taken.column.type is ColumnType.OTHER and dialect != "sqlite":
        made = kinds.OTHER  # the mean of spans of time is one
    return SqlValue(
        made,
        thing=thing,
        by=frozenset({row}),
        terms=terms or (Term((Leaf(row, aggregated="COUNT"),)),),
        aggregate=through if exact else "EXPRESSION",
        origin=taken.origin,
    )


def _through(term: Term, row: Thing, aggregate: str, given: Held) -> Term:
    """A term that has been through an aggregate: it belongs to the group's row now."""
    factors = tuple(replace(leaf, row=row, aggregated=aggregate, given=leaf.given + given) for leaf in term.factors)
    return replace(term, factors=factors)


def _picked(node: exp.Expr, found: Aggregation, taken: SqlValue, thing: Thing, scope: SqlScope) -> SqlValue:
    """MIN, MAX and the like: one of the values; where it is the same in the whole group, that value itself."""
    told, row = _NAMES.get(type(node).__name__) if _is_whole(found) and taken.field_of else None, (thing[0], ROW)
    if taken.thing is not None and is_in(taken.thing, found.fixed()):
        return replace(taken, aggregate=told or "EXPRESSION")
    at = value(node.expression, scope).thing if type(node).__name__ in ("ArgMax", "ArgMin") else None
    return SqlValue(
        taken.column,
        thing=thing,
        by=frozenset({row}),
        terms=tuple(_picked_term(term, found, row, at) for term in taken.terms),
        aggregate=told or "EXPRESSION",
        origin=taken.origin,
        size=taken.size,
    )


def _picked_term(term: Term, found: Aggregation, row: Thing, at: Thing | None) -> Term:
    """What was picked belongs to its group, unless other groups may have picked the same; ARG_MAX picks at one period."""
    factors = []
    for leaf in term.factors:
        known = closed({leaf.row}, found.fixes, present=leaf.row[0])
        alone = all(is_in(key, known) for key in found.group)
        over = tuple((row[0], "picked") if at is not None and one == at else one for one in leaf.over)
        factors.append(replace(leaf, row=row if alone else (row[0], "shared"), over=over, aggregated="MAX"))
    return replace(term, factors=tuple(factors))


# --- windows


def _window(node: exp.Expr, scope: SqlScope) -> SqlValue:
    from sqlglot import exp

    if scope.inside or scope.clause in ("where", "on", "group", "having"):
        hint = "Window functions stand in SELECT, QUALIFY or ORDER BY; elsewhere use a subquery."
        raise SqlRefused(problem(ValidationErrorCode.INVALID_AGGREGATE_TARGET, clip(node.sql(), 40), hint))
    inner, given = node.this, Held()
    if isinstance(inner, exp.IgnoreNulls):
        inner = inner.this
    if isinstance(inner, exp.Filter):
        value(inner.expression.this, scope)
        given, inner = held(inner.expression.this, scope, value), inner.this
    parts = [value(part, scope) for part in node.args.get("partition_by") or ()]
    order = node.args.get("order")
    sorted_by = [value(ordered.this, scope) for ordered in order.expressions] if order else []
    for part in (*parts, *sorted_by):
        note_sorted(part, scope)
    by = frozenset(thing for part in parts for thing in part.determined_by)
    number = next(scope.world.numbers)
    thing, row = (number, "window"), (number, ROW)
    scope.relation.fixes.append(Fixes(scope.relation.rows if order else by, row))
    if type(inner).__name__ in _RANKS:
        return _ranked(inner, scope, by, sorted_by, thing)
    if not isinstance(inner, exp.AggFunc) or type(inner).__name__ in _MOVING:
        return _moved(inner, scope, thing, row)
    taken, distinct = _taken(inner, scope)
    found = _noted(inner, scope, taken, given, (scope.relation, by), distinct=distinct, window=True)
    made = _result(inner, found, thing, scope)
    # A total beside each row is no row's own figure.
    return replace(made, thing=thing, aggregate="EXPRESSION", field_of=None, parts=())


def note_sorted(part: SqlValue, scope: SqlScope) -> None:
    """A field that is sorted, grouped or parted by."""
    for found in part.parts or (part,):
        if found.field_of is not None and found.wrapped is None:
            reading, name = found.field_of
            reading.said.add(name)
            if found.column.type is ColumnType.OTHER:
                scope.facts.incomparable.append(found.field_of)


def _ranked(inner: exp.Expr, scope: SqlScope, by: Things, sorted_by: list[SqlValue], thing: Thing) -> SqlValue:
    for child in inner.iter_expressions():
        value(child, scope)
    first: Things = NOTHING
    if type(inner).__name__ == "RowNumber":
        first = scope.relation.rows
    elif type(inner).__name__ in ("Rank", "DenseRank"):
        first = frozenset(found.thing for found in sorted_by if found.thing is not None)
    column = kinds.function(type(inner).__name__, kinds.INTEGER)
    rank = Rank(by, first) if first else None
    return SqlValue(column, thing=thing, by=frozenset({(thing[0], ROW)}), rank=rank, aggregate="EXPRESSION")


def _moved(inner: exp.Expr, scope: SqlScope, thing: Thing, row: Thing) -> SqlValue:
    """LAG, LEAD and the like: the value of another row."""
    parts = [value(child, scope) for child in inner.iter_expressions()]
    first = parts[0] if parts else SqlValue(kinds.OTHER)
    # Whatever is pinned still holds of the other row; what is only grouped by does not.
    terms = tuple(
        replace(
            term,
            factors=tuple(
                replace(leaf, row=row, key=NOTHING, over=_pinned(leaf, scope), aggregated="MAX")
                for leaf in term.factors
            ),
        )
        for term in first.terms
    )
    return SqlValue(
        first.column,
        thing=thing,
        by=frozenset({row}),
        terms=terms,
        aggregate="EXPRESSION",
        origin=first.origin,
        size=first.size,
    )


def _pinned(leaf: Leaf, scope: SqlScope) -> tuple[Thing | None, ...]:
    known = scope.relation.closed(())
    return tuple(thing if thing is not None and is_in(thing, known) else None for thing in leaf.over)


_Handler = Callable[["exp.Expr", SqlScope], SqlValue]
_HANDLERS: dict[str, _Handler] = {
    "Column": _column,
    "Literal": _literal,
    "Boolean": _boolean,
    "Null": _null,
    "Interval": _interval,
    "Paren": _paren,
    "Alias": _paren,
    "Tuple": _tuple,
    "Neg": _negative,
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "IntDiv", "Mod"), _arithmetic),
    "Cast": _cast,
    "TryCast": _cast,
    **dict.fromkeys(("Coalesce", "Greatest", "Least"), _branches),
    "Nullif": _nullif,
    "Case": _case,
    "If": _if,
    **dict.fromkeys(("And", "Or", "Not", "Escape", "Glob"), _condition),
    "Exists": _exists,
    **dict.fromkeys(_COMPARED, _comparison),
    "Like": _like,
    "ILike": _like,
    "Between": _between,
    "In": _in,
    "Is": _is,
    "Subquery": _subquery,
    **dict.fromkeys((*_ADDING, *_PICKING, "Count", "CountIf", "GroupConcat", "LogicalAnd", "LogicalOr"), _aggregate),
    "Filter": _filter,
    "IgnoreNulls": _ignore_nulls,
    "Window": _window,
}
