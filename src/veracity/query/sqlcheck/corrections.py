"""What would make a refused SQL right: small changes to a copy of it, shown only when the result passes every check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from veracity.contracts import QueryValidationError
from veracity.language.nearest import nearest
from veracity.ontology.descriptor import Constraint
from veracity.ontology.fields import FieldRole
from veracity.query.catalog import Catalog, FieldFacts
from veracity.query.sqlcheck.grouping import is_aggregated
from veracity.query.sqlcheck.links import JoinSide, linked
from veracity.query.sqlcheck.model import Aggregation, Joined, Leaf, Loose, SqlComparison, TableUse
from veracity.query.sqlcheck.refusal import Correction, find, place
from veracity.query.validator import bound_values
from veracity.query.values import Misfit, Values
from veracity.sources.source import NUMERIC, ColumnType

if TYPE_CHECKING:
    from sqlglot import exp


# --- conditions


def other_operator(comparison: SqlComparison, suggestion: str | None) -> Correction:
    """LIKE for a pattern, IS NULL for what is missing."""

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        node = find(query, comparison.at)
        if not isinstance(node, exp.EQ | exp.NEQ | exp.Like) or suggestion is None:
            return
        if suggestion in ("LIKE", "NOT LIKE"):
            node.replace(exp.Like(this=node.this, expression=node.expression, negate=suggestion == "NOT LIKE"))
        elif suggestion in ("IS NULL", "IS NOT NULL"):
            missing = exp.Is(this=node.this, expression=exp.Null())
            node.replace(missing if suggestion == "IS NULL" else exp.Not(this=missing))
        elif isinstance(node, exp.Like) and suggestion.endswith("%"):
            node.set("expression", exp.Literal.string(suggestion))

    return correct


def other_literal(comparison: SqlComparison, suggestion: str | None) -> Correction:
    """The literal in the field's own type; a range where a whole period was meant."""

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        node, facts = find(query, comparison.at), comparison.reading.entity.fields[comparison.condition.field]
        if isinstance(node, exp.Between) and suggestion is None:
            low, high = node.args["low"].copy(), node.args["high"].copy()
            node.set("low", high)
            node.set("high", low)
        elif suggestion and suggestion.startswith("BETWEEN ") and isinstance(node, exp.EQ):
            low_text, _, high_text = suggestion.removeprefix("BETWEEN ").partition(" and ")
            ends = {"low": _literal(facts, low_text), "high": _literal(facts, high_text)}
            node.replace(exp.Between(this=node.this, **ends))
        elif suggestion and (literal := find(query, comparison.literals[_misfit(comparison)])) is not None:
            literal.replace(_literal(facts, suggestion))

    return correct


def _misfit(comparison: SqlComparison) -> int:
    """Which of the literals does not fit."""
    condition, facts = comparison.condition, comparison.reading.entity.fields[comparison.condition.field]
    edges = {"BETWEEN": (">=", "<=")}.get(condition.op, ("=",))
    values = condition.value if condition.op in ("IN", "BETWEEN") else [condition.value]
    for number, literal in enumerate(values):
        op = condition.op if condition.op not in ("IN", "BETWEEN") else edges[number % len(edges)]
        try:
            bound_values(facts, type(condition)(condition.field, op, literal))
        except Misfit:
            return min(number, len(comparison.literals) - 1)
    return 0


def _literal(facts: FieldFacts, text: str) -> exp.Expr:
    from sqlglot import exp

    if facts.column.type is ColumnType.BOOLEAN:
        return exp.Boolean(this=text == "true")
    if facts.column.type in NUMERIC:
        try:
            Decimal(text)
        except InvalidOperation:
            return exp.Literal.string(text)
        return exp.Literal.number(text)
    return exp.Literal.string(text)


def stored_value(comparison: SqlComparison, refusal: QueryValidationError, profile: Values) -> Correction:
    """The stored value that was meant, or the pattern; nothing where several could be."""
    condition = comparison.condition
    stored = profile.of(comparison.reading.entity.name, condition.field) or frozenset()
    known = {_turned(value, comparison.wrapped) for value in stored}

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        node, suggestion = find(query, comparison.at), refusal.suggestion or ""
        if suggestion.startswith("LIKE '") and " or " not in suggestion and isinstance(node, exp.EQ):
            pattern = exp.Literal.string(suggestion.removeprefix("LIKE '").removesuffix("'"))
            node.replace(exp.Like(this=node.this, expression=pattern))
            return
        for literal in (find(query, at) for at in comparison.literals):
            if isinstance(literal, exp.Literal) and literal.name not in known:
                meant = suggestion if suggestion in known else _alike(literal.name, known)
                if meant is not None:
                    literal.replace(exp.Literal.string(meant))

    return correct


def _turned(value: str, wrapped: str | None) -> str:
    return {"LOWER": value.lower(), "UPPER": value.upper()}.get(wrapped or "", value)


def _alike(written: str, known: set[str]) -> str | None:
    same = [value for value in known if value.casefold() == written.casefold()]
    return same[0] if len(same) == 1 else nearest(written, sorted(known))


# --- joins and subqueries


def declared_join(join: Joined, catalog: Catalog) -> Correction:
    """ON the columns that are declared, or named, to belong together."""

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        pair = declared_pair(join, catalog)
        source = find(query, join.at)
        joined = source.parent if source is not None else None
        if pair is None or not isinstance(joined, exp.Join):
            return
        (left, name), (right, other) = pair
        one, two = find(query, left.at), find(query, right.at)
        if isinstance(one, exp.Table) and isinstance(two, exp.Table):
            joined.set("on", exp.EQ(this=_column(one, name), expression=_column(two, other)))
            joined.set("using", None)
            joined.set("kind", None)

    return correct


def declared_pair(join: Joined, catalog: Catalog) -> tuple[tuple[TableUse, str], tuple[TableUse, str]] | None:
    """The columns of two joined sources that are declared, or named, to belong together."""
    for left in join.left:
        for right in join.right:
            for name in left.entity.fields:
                for other in right.entity.fields:
                    link = linked(JoinSide(left.entity, name), JoinSide(right.entity, other), catalog)
                    if link is not None and (link.left_is_key or link.right_is_key):
                        return (left, name), (right, other)
    return None


def compare_with_in(at: int) -> Correction:
    """IN for a subquery that may return several rows."""

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        subquery = find(query, at)
        equal = subquery.parent if subquery is not None else None
        if isinstance(subquery, exp.Subquery) and isinstance(equal, exp.EQ):
            other = equal.this if equal.expression is subquery else equal.expression
            equal.replace(exp.In(this=other.copy(), query=subquery.copy()))

    return correct


# --- aggregates


def count_instead(aggregation: Aggregation, refusal: QueryValidationError) -> Correction | None:
    """What identifies rows is counted."""

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        node = find(query, aggregation.at)
        if isinstance(node, exp.Sum | exp.Avg):
            inner = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
            column = inner.find(exp.Column)
            node.replace(exp.Count(this=(column if column is not None else inner).copy()))

    return correct if refusal.suggestion == "COUNT" else None


def count_distinct(aggregation: Aggregation) -> Correction:
    """Each thing is counted once, however often it stands there."""

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        if isinstance(node := find(query, aggregation.at), exp.Count):
            node.set("this", exp.Distinct(expressions=[node.this.copy()]))

    return correct


def count_rows_of(aggregation: Aggregation, reading: TableUse, key: str) -> Correction:
    """Count the rows of another table of the join, each once."""

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        node, table = find(query, aggregation.at), find(query, reading.at)
        if isinstance(node, exp.Count) and isinstance(table, exp.Table):
            column = exp.column(key, table=table.alias_or_name)
            node.set("this", exp.Distinct(expressions=[column]))

    return correct


def another_name(shown: str, name: str) -> Correction:
    """The column under a name that no other one has."""

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        for projection in query.selects:
            if projection.alias_or_name.casefold() == shown.casefold():
                projection.replace(exp.alias_(projection.unalias().copy(), name))

    return correct


def rows_instead(aggregation: Aggregation, leaf: Leaf) -> Correction:
    """The rows themselves, with what tells them apart, in place of their sum."""

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        node, select = find(query, aggregation.at), find(query, aggregation.select)
        table = find(query, leaf.reading.at) if leaf.reading else None
        if not isinstance(select, exp.Select) or node is None or not isinstance(table, exp.Table):
            return
        outer = node.parent if isinstance(node.parent, exp.Window | exp.Filter) else node
        outer.replace(node.this.copy())
        if any(map(is_aggregated, select.expressions)) or _select_of(table) is not select:
            return
        select.set("group", None)
        shown = {found.name for projection in select.expressions for found in projection.find_all(exp.Column)}
        grain = leaf.reading.entity.grain if leaf.reading else ()
        missing = [_column(table, name) for name in grain if name not in shown]
        select.set("expressions", [*missing, *select.expressions])

    return correct


def one_snapshot(aggregation: Aggregation, leaf: Leaf, fixed: Sequence[str]) -> Correction:
    """One snapshot: per period, or the last one where there is nothing else to know of it."""
    over = leaf.facts.over if leaf.facts else ()
    loose = [name for name in over if name not in fixed]

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        table = find(query, leaf.reading.at) if leaf.reading else None
        if not isinstance(table, exp.Table) or leaf.reading is None:
            return
        here = place(_select_of(table)) == aggregation.select
        open_ = len(loose) == 1 and not leaf.reading.entity.required_filters and loose[0] not in leaf.reading.said
        if here and not open_:
            _apart_by(query, aggregation, table, loose)
        elif len(loose) == 1:
            _pin_to_last(table, loose[0])

    return correct


def _pin_to_last(table: exp.Table, name: str) -> None:
    from sqlglot import exp

    last = exp.select(exp.Max(this=exp.column(name))).from_(table.this.copy())
    condition = exp.EQ(this=_column(table, name), expression=exp.Subquery(this=last))
    _select_of(table).where(condition, copy=False)


def _apart_by(query: exp.Query, aggregation: Aggregation, table: exp.Table, names: Sequence[str]) -> None:
    """Group by some fields more, and show them; a window is parted by them."""
    from sqlglot import exp

    node, select = find(query, aggregation.at), _select_of(table)
    window = node.find_ancestor(exp.Window, exp.Select) if node is not None else None
    columns = [_column(table, name) for name in names]
    if aggregation.window:
        if isinstance(window, exp.Window):
            window.set("partition_by", [*(window.args.get("partition_by") or []), *columns])
        return
    shown = {projection.alias_or_name for projection in select.expressions}
    select.set("expressions", [*(c for c in columns if c.name not in shown), *select.expressions])
    group = select.args.get("group")
    kept = [term.copy() for term in group.expressions] if group is not None else []
    moved = sum(1 for column in columns if column.name not in shown)
    for term in kept:
        if isinstance(term, exp.Literal) and term.name.isdigit():
            term.set("this", str(int(term.name) + moved))
    select.set("group", exp.Group(expressions=[*kept, *(column.copy() for column in columns)]))


def group_by_unit(aggregation: Aggregation, leaf: Leaf) -> Correction:
    """Each unit or currency by itself."""

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        for reading, name in _unit_columns(aggregation, leaf):
            table = find(query, reading.at)
            if isinstance(table, exp.Table) and place(_select_of(table)) == aggregation.select:
                _apart_by(query, aggregation, table, [name])
                return

    return correct


def _unit_columns(aggregation: Aggregation, leaf: Leaf) -> Iterator[tuple[TableUse, str]]:
    """The columns that tell the unit: the field's own, a currency that is joined, and what else fixes it."""
    declared = leaf.facts.declared if leaf.facts else None
    if leaf.reading is not None and declared is not None and declared.unit_field:
        yield leaf.reading, declared.unit_field
    for reading in aggregation.readings:
        for name, facts in reading.entity.fields.items():
            if facts.declared is not None and facts.declared.role is FieldRole.CURRENCY:
                yield reading, name
    if leaf.reading is not None and leaf.facts is not None:
        yield leaf.reading, leaf.facts.unit_fixed_by[0]


def without_limit(at: int) -> Correction:
    """All rows, not the first few."""

    def correct(query: exp.Query) -> None:
        limit = find(query, at)
        if limit is not None and limit.parent is not None:
            limit.parent.set("limit", None)

    return correct


def group_by_column(loose: Loose) -> Correction:
    """What stands beside an aggregate is grouped by."""

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        select, column = find(query, loose.select), find(query, loose.at)
        if isinstance(select, exp.Select) and isinstance(column, exp.Column):
            select.group_by(column.copy(), copy=False)

    return correct


# --- required filters


def required_filter(reading: TableUse) -> Correction:
    """The periods are said: shown and sorted by, or grouped by; rows that sum up others are taken by themselves."""

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        table = find(query, reading.at)
        if not isinstance(table, exp.Table):
            return
        select = _select_of(table)
        rule = next((r for r in reading.entity.required_filters if set(r.fields) - reading.said), None)
        missing = [name for name in rule.fields if name not in reading.said] if rule else []
        grouped = select.args.get("group") is not None or any(map(is_aggregated, select.expressions))
        apart = {name: rule.apart[name] for name in missing if rule and name in rule.apart and grouped}
        for name, summing in apart.items():
            select.where(_equal(table, name, summing), copy=False)
        _show([name for name in missing if name not in apart], table, select, grouped=grouped)

    return correct


def _show(names: Sequence[str], table: exp.Table, select: exp.Select, *, grouped: bool) -> None:
    shown = {projection.alias_or_name for projection in select.expressions}
    star = any(projection.is_star for projection in select.expressions)
    columns = [_column(table, name) for name in names]
    if not star:
        select.set("expressions", [*(c for c in columns if c.name not in shown), *select.expressions])
    for column in columns:
        if grouped:
            select.group_by(column.copy(), copy=False)
        else:
            select.order_by(column.copy(), copy=False)


def keep_apart(reading: TableUse, rules: Sequence[Constraint]) -> Correction:
    """Only the rows that sum up the others."""

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        table = find(query, reading.at)
        if isinstance(table, exp.Table):
            for rule in rules:
                for name, summing in rule.apart.items():
                    _select_of(table).where(_equal(table, name, summing), copy=False)

    return correct


def _equal(table: exp.Table, name: str, literal: Any) -> exp.Expr:
    from sqlglot import exp

    number = isinstance(literal, int)
    shown = exp.Literal.number(literal) if number else exp.Literal.string(str(literal))
    return exp.EQ(this=_column(table, name), expression=shown)


def _select_of(node: exp.Expr) -> exp.Select:
    from sqlglot import exp

    select = node.find_ancestor(exp.Select)
    assert isinstance(select, exp.Select)
    return select


def _column(table: exp.Table, name: str) -> exp.Column:
    """A column, with its table's alias where the SELECT reads more than one."""
    from sqlglot import exp

    several = bool(_select_of(table).args.get("joins"))
    return exp.column(name, table=table.alias_or_name if several else None)
