"""Queries -> rows: each SELECT from its tables to its columns, with everything the checks want to know noted on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from veracity.language.nearest import words_of
from veracity.query.catalog import Catalog
from veracity.query.sqlcheck import kinds
from veracity.query.sqlcheck.aggregates import note_sorted
from veracity.query.sqlcheck.comparing import in_fields
from veracity.query.sqlcheck.conditions import UNKNOWN, conjuncts, held, unparenthesised
from veracity.query.sqlcheck.grouping import is_aggregated
from veracity.query.sqlcheck.links import JoinLink, JoinSide, is_bare_key, linked
from veracity.query.sqlcheck.model import (
    NOTHING,
    ROW,
    Facts,
    Fixes,
    Held,
    Joined,
    Leaf,
    SqlRelation,
    SqlScope,
    SqlValue,
    TableUse,
    Term,
    Thing,
    World,
    branch_thing,
    closed,
    is_in,
)
from veracity.query.sqlcheck.names import CTE, ENTITY, STARRED
from veracity.query.sqlcheck.refusal import place, unsafe
from veracity.query.sqlcheck.safety import is_native
from veracity.query.sqlcheck.values import handler_of
from veracity.sources.source import Column, ColumnType, Dialect

if TYPE_CHECKING:
    from sqlglot import exp

_MOST_READINGS = 24


def read_lineage(query: exp.Query, catalog: Catalog, dialect: Dialect) -> tuple[SqlRelation, Facts]:
    """The rows that a bound query returns, and what was noted on the way; raises `Refused`."""
    world = World(
        catalog,
        dialect,
        query=lambda node, scope: _query(node, scope, world),
        handler=handler_of,
        native=is_native(query),
    )
    relation = _query(query, None, world)
    return relation, world.facts


def _query(node: exp.Expr, parent: SqlScope | None, world: World) -> SqlRelation:
    from sqlglot import exp

    while isinstance(node, exp.Subquery):
        node = node.this
    with_ = node.args.get("with_")
    own = [cte.meta[CTE] for cte in with_.expressions] if with_ else []
    for cte in with_.expressions if with_ else ():
        world.ctes[cte.meta[CTE]] = (cte.this, parent)
    relation = _select(node, parent, world) if isinstance(node, exp.Select) else _set_operation(node, parent, world)
    for number in own:
        if number not in world.used:
            # Nobody reads it, but the engine may work it out all the same.
            world.used.add(number)
            _query(world.ctes[number][0], parent, world)
    return relation


# --- sources


def _source(node: exp.Expr, scope: SqlScope) -> SqlRelation:
    from sqlglot import exp

    world = scope.world
    if isinstance(node, exp.Subquery):
        return _query(node.this, scope.parent, world)
    if CTE in node.meta:
        query, parent = world.ctes[node.meta[CTE]]
        world.used.add(node.meta[CTE])
        return _query(query, parent, world)
    if len(world.facts.readings) >= _MOST_READINGS:
        raise unsafe("The SQL reads too many tables in all; ask for less at once.")
    entity = world.catalog.entities[node.meta[ENTITY]]
    reading = TableUse(next(world.numbers), entity, place(node))
    world.facts.readings.append(reading)
    return _rows_of(reading, by_convention=world.catalog.ontology is None)


def _rows_of(reading: TableUse, *, by_convention: bool) -> SqlRelation:
    """The rows of an entity: what identifies them, and each field as a value."""
    entity, fixes = reading.entity, list[Fixes]()
    keys = [entity.grain] if entity.grain and all(name in entity.fields for name in entity.grain) else []
    keys += entity.keys
    if by_convention:
        keys += [(name,) for name in entity.fields if name.casefold() in ("id", "uuid")]
    fixes += [Fixes(frozenset(map(reading.thing, key)), reading.row) for key in keys]
    columns = {}
    for name in entity.fields:
        leaf = _leaf(reading, name)
        if leaf.row != reading.row:
            fixes += _repeated(reading, name, leaf.row)
        facts = entity.fields[name]
        columns[name] = SqlValue(
            Column(name, facts.column.type, scale=facts.column.scale),
            thing=reading.thing(name),
            terms=(Term((leaf,)),),
            field_of=(reading, name),
            origin=frozenset({(entity.name, name)}),
            size=kinds.USUAL_TEXT if facts.column.type in (ColumnType.TEXT, ColumnType.OTHER) else kinds.USUAL_NUMBER,
        )
    return SqlRelation(columns, frozenset({reading.row}), fixes, readings=(reading,))


def _leaf(reading: TableUse, name: str) -> Leaf:
    entity, facts = reading.entity, reading.entity.fields[name]
    over = tuple(reading.thing(other) if other in entity.fields else None for other in facts.over)
    rest = [other for other in entity.grain if other not in facts.over] if set(facts.over) <= set(entity.grain) else []
    row = (reading.number, f"#{name}") if entity.repeats(facts) else reading.row
    units = tuple(reading.thing(other) for other in facts.unit_fixed_by if other in entity.fields)
    apart = tuple(
        (reading.thing(other), other, summing)
        for rule in entity.required_filters
        for other, summing in rule.apart.items()
    )
    return Leaf(row, reading, facts, over, frozenset(map(reading.thing, rest)), units, apart)


def _repeated(reading: TableUse, name: str, row: Thing) -> Iterator[Fixes]:
    """A value that stands in several rows belongs to what its own grain says."""
    declared = reading.entity.fields[name].declared
    grain = [reading.thing(key) for key in (declared.grain if declared else ()) if key in reading.entity.fields]
    if grain:
        yield Fixes(frozenset(grain), row)
        yield from (Fixes(frozenset({row}), key) for key in grain)
    yield Fixes(frozenset({row}), reading.thing(name))


# --- joins


@dataclass(slots=True)
class _QueryPart:
    """One source of a SELECT, and the equalities that were written where it is joined."""

    relation: SqlRelation
    node: exp.Expr
    side: str = ""
    pairs: list[tuple[SqlValue, SqlValue]] = field(default_factory=list)

    @property
    def numbers(self) -> set[int]:
        """The numbers of everything in it."""
        found = {thing[0] for thing in self.relation.rows}
        found |= {thing[0] for fix in self.relation.fixes for thing in (fix.thing, *fix.by)}
        return found | {column.thing[0] for column in self.relation.columns.values() if column.thing}


def _join_sources(select: exp.Expr, scope: SqlScope) -> list[_QueryPart]:
    """The rows of all sources side by side; conditions of inner joins hold for all of them."""
    from_ = select.args.get("from_")
    if from_ is None:
        return []
    parts = [_QueryPart(_source(from_.this, scope), from_.this)]
    _take_in(parts[0], scope)
    for join in select.args.get("joins") or ():
        side, kind = str(join.args.get("side") or "").upper(), str(join.args.get("kind") or "").upper()
        if kind not in ("", "INNER", "OUTER", "CROSS") or side not in ("", "LEFT", "RIGHT", "FULL"):
            called = f"{side} {kind} JOIN".strip()
            raise unsafe(f"{called} is not allowed; use JOIN or LEFT JOIN.", name=called)
        part = _QueryPart(_source(join.this, scope), join.this, side)
        missing = {"LEFT": [part], "RIGHT": parts, "FULL": [*parts, part]}.get(side, [])
        scope.facts.optional |= {r.number: place(join) for found in missing for r in found.relation.readings}
        _take_in(part, scope)
        if (on := join.args.get("on")) is not None:
            scope.clause = "on"
            scope.value(on)
            part.pairs = _equalities(on, scope)
            scope.hold(_as_joined(held(on, scope), part, parts))
        parts.append(part)
    return parts


def _take_in(part: _QueryPart, scope: SqlScope) -> None:
    rows, new = scope.relation, part.relation
    scope.sources[part.node.alias_or_name] = new.columns
    rows.rows |= new.rows
    rows.fixes += new.fixes
    rows.constants |= new.constants
    rows.readings += new.readings
    rows.groups += new.groups
    rows.cut = rows.cut if rows.cut is not None else new.cut
    scope.depend_on(new.outer)


def _as_joined(found: Held, part: _QueryPart, before: Sequence[_QueryPart]) -> Held:
    """What an ON condition says: of both sides, or, in an outer join, of the side that may be missing.

    Of the other side it says something only in the rows that have a match.
    """
    if not part.side:
        return found
    left = {number for earlier in before for number in earlier.numbers}
    optional = {"LEFT": part.numbers, "RIGHT": left}.get(part.side, set())
    fixes = []
    for fix in found.fixes:
        if part.side != "FULL":
            there = None if fix.thing[0] in optional else frozenset(optional)
            fixes.append(replace(fix, present=there))
        elif fix.by:
            there = frozenset(part.numbers if fix.thing[0] in left else left)
            fixes.append(replace(fix, present=there))
    return Held(
        tuple(fixes),
        {thing: literal for thing, literal in found.constants.items() if thing[0] in optional},
        tuple((reading, condition) for reading, condition in found.filters if reading.number in optional),
    )


def _equalities(condition: exp.Expr, scope: SqlScope) -> list[tuple[SqlValue, SqlValue]]:
    from sqlglot import exp

    found = []
    for node in conjuncts(condition):
        if isinstance(node, exp.EQ | exp.NullSafeEQ):
            left, right = unparenthesised(node.this), unparenthesised(node.expression)
            tuples = isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple)
            pairs = zip(left.expressions, right.expressions, strict=False) if tuples else [(left, right)]
            found += [(scope.value(one), scope.value(other)) for one, other in pairs]
    return found


def _note_joins(parts: Sequence[_QueryPart], scope: SqlScope) -> None:
    """Which sources belong together, and how many rows meet; asked once all conditions are known."""
    every = [pair for part in parts for pair in part.pairs]
    _note_links(every, scope)
    for number, part in enumerate(parts[1:], 1):
        # What is said elsewhere does not keep an outer join from making a row of every pair.
        pairs = part.pairs if part.side else every
        meeting = list(_meeting(part, parts[:number], pairs))
        scope.facts.joins.append(_joined(part, parts[:number], meeting, scope))


def _meeting(
    part: _QueryPart, before: Sequence[_QueryPart], pairs: Sequence[tuple[SqlValue, SqlValue]]
) -> Iterator[tuple[SqlValue, SqlValue, _QueryPart]]:
    """The equalities between a source and an earlier one."""
    for one, other in pairs:
        for this, that in ((one, other), (other, one)):
            if this.thing is None or that.thing is None or not _is_column(this, part):
                continue
            partner = next((earlier for earlier in before if _is_column(that, earlier)), None)
            if partner is not None:
                yield this, that, partner


def _is_column(found: SqlValue, part: _QueryPart) -> bool:
    return any(column.thing == found.thing for column in part.relation.columns.values())


def _note_links(pairs: Sequence[tuple[SqlValue, SqlValue]], scope: SqlScope) -> None:
    """A column that is declared to hold another entity's key makes that key identify the row."""
    for one, other in pairs:
        for left in one.parts or (one,):
            for right in other.parts or (other,):
                link = _link(left, right, scope.world.catalog)
                for is_key, side in ((link and link.left_is_key, left), (link and link.right_is_key, right)):
                    if is_key and side.field_of is not None and side.thing is not None:
                        scope.relation.fixes.append(Fixes(frozenset({side.thing}), side.field_of[0].row))


def _link(left: SqlValue, right: SqlValue, catalog: Catalog) -> JoinLink | None:
    if left.field_of is None or right.field_of is None or left.wrapped or right.wrapped:
        return None
    (one, name), (other, other_name) = left.field_of, right.field_of
    return linked(JoinSide(one.entity, name), JoinSide(other.entity, other_name), catalog)


def _joined(
    part: _QueryPart,
    before: Sequence[_QueryPart],
    meeting: Sequence[tuple[SqlValue, SqlValue, _QueryPart]],
    scope: SqlScope,
) -> Joined:
    catalog, relation = scope.world.catalog, scope.relation
    partners = [partner for _, _, partner in meeting] or list(before)
    partner = partners[0]
    fixes = [*relation.fixes]
    for mine, theirs, _ in meeting:
        assert mine.thing is not None
        assert theirs.thing is not None
        fixes += [Fixes(frozenset({mine.thing}), theirs.thing), Fixes(frozenset({theirs.thing}), mine.thing)]
    ahead, back = closed(partner.relation.rows, fixes), closed(part.relation.rows, fixes)
    to_mine = all(is_in(row, ahead) for row in part.relation.rows)
    to_theirs = all(is_in(row, back) for row in partner.relation.rows)
    single = part.relation.is_one_row or all(earlier.relation.is_one_row for earlier in before)
    belongs = any(
        _link(one, other, catalog) is not None
        for mine, theirs, _ in meeting
        for one in mine.parts or (mine,)
        for other in theirs.parts or (theirs,)
    )
    return Joined(
        place(part.node),
        partner.relation.readings,
        part.relation.readings,
        related=single or belongs or (to_mine and to_theirs and _is_shared(part, partner, meeting)),
        to_one=single or to_mine or to_theirs,
        met=bool(meeting),
        names=(partner.node.alias_or_name, part.node.alias_or_name),
    )


def _is_shared(part: _QueryPart, partner: _QueryPart, meeting: Sequence[tuple[SqlValue, SqlValue, _QueryPart]]) -> bool:
    """Whether groups of two tables meet on what both are grouped by: a month, a region; never just an id."""
    grouped = any(reading.row not in p.relation.rows for p in (part, partner) for reading in p.relation.readings)
    pairs = [(mine.field_of, theirs.field_of) for mine, theirs, _ in meeting]
    alike = (
        one is None or other is None or (words_of(one[1]) == words_of(other[1]) and not is_bare_key(one[1]))
        for one, other in pairs
    )
    return bool(pairs) and grouped and all(alike)


# --- one SELECT


def _select(select: exp.Expr, parent: SqlScope | None, world: World) -> SqlRelation:
    scope = SqlScope(world, parent, place(select))
    parts = _join_sources(select, scope)
    if (where := select.args.get("where")) is not None:
        scope.clause = "where"
        scope.value(where.this)
        holds = held(where.this, scope)
        scope.hold(holds)
        for reading, condition in holds.filters:
            if condition.op != "IS_NULL":
                scope.facts.optional.pop(reading.number, None)
        if parts:
            parts[0].pairs = _equalities(where.this, scope)
    _note_joins(parts, scope)
    _group(select, scope)
    for clause in ("having", "qualify"):
        if (part := select.args.get(clause)) is not None:
            scope.clause = clause
            scope.value(part.this)
            scope.hold(held(part.this, scope))
    scope.clause = "select"
    shown = [(projection.alias, _shown(projection.this, scope)) for projection in select.expressions]
    _order(select, scope)
    relation = _selected_columns(shown, scope)
    _distinct(select, relation, scope)
    _limit(select, relation)
    relation.outer = frozenset(scope.outer)
    _note_browsing(select, parts)
    return relation


def _shown(projection: exp.Expr, scope: SqlScope) -> SqlValue:
    """A column of the SELECT; of a text that was made of others it is kept how."""
    found = scope.value(projection)
    if found.column.type is not ColumnType.TEXT or found.constant or (found.field_of and not found.wrapped):
        return found
    return replace(found, written=in_fields(projection, scope))


def _group(select: exp.Expr, scope: SqlScope) -> None:
    """From here on a row is a group."""
    group = select.args.get("group")
    order = select.args.get("order")
    looked_at = [*select.expressions, *(order.expressions if order else ())]
    looked_at += [select.args[clause].this for clause in ("having", "qualify") if select.args.get(clause)]
    if group is None and select.args.get("having") is None and not any(map(is_aggregated, looked_at)):
        return
    rows, number = scope.relation, next(scope.world.numbers)
    keys: dict[str, SqlValue] = {}
    scope.clause = "group"
    for term in group.expressions if group is not None else ():
        key = scope.value(term)
        note_sorted(key, scope)
        if key.thing is None:
            key = replace(key, thing=(number, term.sql()))
            assert key.thing is not None
            rows.fixes.append(Fixes(NOTHING if key.constant else key.by, key.thing))
        keys[term.sql()] = key
    things = frozenset(key.thing for key in keys.values() if key.thing is not None)
    row: Thing = (number, ROW)
    fixes = [*rows.fixes, Fixes(things, row), *(Fixes(frozenset({row}), thing) for thing in things)]
    plain = tuple((k.field_of[0].entity.name, k.field_of[1]) for k in keys.values() if k.field_of and not k.wrapped)
    scope.rows, scope.keys, scope.group, scope.number = rows, keys, things, number
    scope.relation = SqlRelation({}, frozenset({row}), fixes, dict(rows.constants), rows.readings, plain)


def _order(select: exp.Expr, scope: SqlScope) -> None:
    order = select.args.get("order")
    fields = []
    for ordered in order.expressions if order is not None else ():
        found = scope.value(ordered.this)
        note_sorted(found, scope)
        if found.field_of is not None and found.wrapped is None and found.aggregate is None:
            fields.append((found.field_of[0].entity.name, found.field_of[1], bool(ordered.args.get("desc"))))
    scope.relation.sorted_by = tuple(fields)


def _selected_columns(shown: Sequence[tuple[str, SqlValue]], scope: SqlScope) -> SqlRelation:
    """The rows with the SELECT's own columns."""
    relation, number = scope.relation, next(scope.world.numbers)
    columns: dict[str, SqlValue] = {}
    for name, found in shown:
        made = found
        if found.thing is None:
            thing: Thing = (number, name)
            relation.fixes.append(Fixes(NOTHING if found.constant else found.by, thing))
            if found.constant:
                relation.constants[thing] = found.literal
            made = replace(found, thing=thing)
        columns[name] = replace(made, column=replace(found.column, name=name))
    relation.columns = columns
    return relation


def _distinct(select: exp.Expr, relation: SqlRelation, scope: SqlScope) -> None:
    distinct = select.args.get("distinct")
    if distinct is None:
        return
    if (on := distinct.args.get("on")) is not None:
        parts = on.expressions if on.expressions else [on]
        by = frozenset(thing for part in parts for thing in scope.value(part).determined_by)
        relation.fixes += [Fixes(by, row) for row in relation.rows]
        return
    _only_once(relation, next(scope.world.numbers))


def _only_once(relation: SqlRelation, number: int) -> None:
    """Rows that are alike in all columns become one."""
    things = frozenset(column.thing for column in relation.columns.values() if column.thing is not None)
    row: Thing = (number, ROW)
    relation.fixes += [Fixes(things, row), *(Fixes(frozenset({row}), thing) for thing in things)]
    relation.rows = frozenset({row})


def _limit(select: exp.Expr, relation: SqlRelation) -> None:
    from sqlglot import exp

    limit = select.args.get("limit")
    if limit is None:
        return
    size = limit.args.get("count") if isinstance(limit, exp.Fetch) else limit.expression
    if isinstance(size, exp.Literal) and size.name in ("0", "1"):
        relation.fixes += [Fixes(NOTHING, row) for row in relation.rows]
    elif select.args.get("order") is None:
        relation.cut = place(limit)


def _note_browsing(select: exp.Expr, parts: Sequence[_QueryPart]) -> None:
    """`SELECT * FROM t` shows a table as it is."""
    bare = not any(select.args.get(clause) for clause in ("where", "group", "having", "qualify", "order", "distinct"))
    if bare and select.meta.get(STARRED) and len(parts) == 1 and ENTITY in parts[0].node.meta:
        for reading in parts[0].relation.readings:
            reading.browsed = True


# --- set operations


def _set_operation(node: exp.Expr, parent: SqlScope | None, world: World) -> SqlRelation:
    from sqlglot import exp

    branches = [_query(branch, parent, world) for branch in _all_branches(node)]
    if isinstance(node, exp.Union):
        relation = _united(branches, world)
        if node.args.get("distinct"):
            _only_once(relation, next(world.numbers))
    else:
        relation = branches[0]
        _only_once(relation, next(world.numbers))
    relation.outer = frozenset(thing for branch in branches for thing in branch.outer)
    _limit(node, relation)
    return relation


def _all_branches(node: exp.Expr) -> Iterator[exp.Expr]:
    """`a UNION ALL b UNION ALL c` has three branches."""
    from sqlglot import exp

    left = node.this
    nested = isinstance(node, exp.Union) and isinstance(left, exp.Union) and not node.args.get("distinct")
    if nested and not any(left.args.get(part) for part in ("distinct", "order", "limit", "offset", "with_")):
        yield from _all_branches(left)
    else:
        yield left
    yield node.expression


def _united(branches: Sequence[SqlRelation], world: World) -> SqlRelation:
    number = next(world.numbers)
    row: Thing = (number, ROW)
    united = SqlRelation({}, frozenset({row}), readings=tuple(r for branch in branches for r in branch.readings))
    united.cut = next((branch.cut for branch in branches if branch.cut is not None), None)
    names = list(branches[0].columns)
    for position, name in enumerate(names):
        parts = [list(branch.columns.values())[position] for branch in branches]
        thing: Thing = (number, name)
        _note_constants(united, thing, [_literal(part, branch) for part, branch in zip(parts, branches, strict=True)])
        terms: list[Term] = []
        for index, (branch, part) in enumerate(zip(branches, parts, strict=True)):
            terms += _in_branch(part.terms, branch, united, (number, index), names)
        united.columns[name] = SqlValue(
            replace(kinds.common([part.column for part in parts]), name=name),
            thing=thing,
            terms=tuple(terms),
            origin=frozenset(origin for part in parts for origin in part.origin),
            aggregate=parts[0].aggregate if len({part.aggregate for part in parts}) == 1 else "EXPRESSION",
            parts=tuple(inner for part in parts for inner in part.parts or (part,)),
            size=max(part.size for part in parts),
        )
    return united


def _literal(part: SqlValue, branch: SqlRelation) -> Any:
    """What a column of a branch is known to be in all its rows."""
    if part.constant:
        return part.literal
    if part.thing is not None and is_in(part.thing, branch.closed(())):
        return branch.constants.get(part.thing, UNKNOWN)
    return UNKNOWN


def _note_constants(united: SqlRelation, thing: Thing, literals: Sequence[Any]) -> None:
    """A constant that differs from branch to branch tells them apart; one that does not is the same in all rows."""
    if any(literal is UNKNOWN for literal in literals):
        return
    different = {str(literal) for literal in literals}
    if len(different) == 1:
        united.fixes.append(Fixes(NOTHING, thing))
        united.constants[thing] = literals[0]
    elif len(different) == len(literals):
        united.fixes.append(Fixes(frozenset({thing}), branch_thing(thing[0])))


def _in_branch(
    terms: Sequence[Term], branch: SqlRelation, united: SqlRelation, where: tuple[int, int], names: Sequence[str]
) -> Iterator[Term]:
    """The terms of one branch, told in the things of the UNION."""
    shown = {column.thing: (where[0], name) for column, name in zip(branch.columns.values(), names, strict=True)}
    for term in terms:
        factors = tuple(_leaf_in_branch(leaf, branch, united, where, shown) for leaf in term.factors)
        yield replace(term, factors=factors)


def _leaf_in_branch(
    leaf: Leaf, branch: SqlRelation, united: SqlRelation, where: tuple[int, int], shown: Mapping[Thing | None, Thing]
) -> Leaf:
    number, index = where
    pinned = closed((), (*branch.fixes, *leaf.given.fixes))
    constants = {**branch.constants, **leaf.given.constants}

    def told(thing: Thing | None) -> Thing | None:
        if thing is None or not is_in(thing, pinned):
            return shown.get(thing)
        fixed: Thing = (number, f"{index}:{thing[0]}.{thing[1]}")
        united.fixes.append(Fixes(NOTHING, fixed))
        united.constants[fixed] = constants.get(thing, UNKNOWN)
        return fixed

    key = [told(thing) for thing in leaf.key]
    return replace(
        leaf,
        row=(number, ROW) if branch.counts_once(leaf) else (number, f"{index} repeated"),
        over=tuple(told(thing) for thing in leaf.over),
        apart=tuple((told(thing), name, apart) for thing, name, apart in leaf.apart),
        key=frozenset(thing for thing in key if thing is not None) if None not in key else NOTHING,
        units=tuple(thing for thing in map(told, leaf.units) if thing is not None),
        branch=(*leaf.branch, where),
    )
