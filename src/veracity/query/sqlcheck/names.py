"""Names: every table, column and alias of the SQL is tied to one thing, and the tree says so without doubt.

Names match whatever their case. Afterwards stars are written out, USING is ON, aliases and numbers in WHERE, GROUP BY,
HAVING and ORDER BY are the expressions they stand for, and every column carries the alias of its table, so that an
engine has nothing left to guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.language.nearest import nearest
from veracity.query.catalog import Catalog, CatalogEntity
from veracity.query.model import Call
from veracity.query.sqlcheck.conditions import conjuncts
from veracity.query.sqlcheck.refusal import Correction, SqlRefused, find, place, problem, unsafe
from veracity.query.sqlcheck.safety import QUOTED_TEXT
from veracity.query.validator import fields_exist, table_exists
from veracity.query.values import ValueProfile

if TYPE_CHECKING:
    from sqlglot import exp

ENTITY = "entity"
CTE = "cte"
STARRED = "starred"


@dataclass(frozen=True, slots=True)
class _NamedSource:
    """A source of a SELECT under its alias."""

    alias: str
    columns: Sequence[str]
    entity: CatalogEntity | None = None

    def match(self, name: str) -> str | None:
        """Its column of that name: as it is written, else in any case if only one fits."""
        if name in self.columns:
            return name
        alike = [column for column in self.columns if column.casefold() == name.casefold()]
        return alike[0] if len(alike) == 1 else None


_Ctes = Mapping[str, tuple[int, _NamedSource]]
"""The parts of WITH that can be seen, in small letters, each with its number."""


@dataclass(slots=True)
class _NamePlace:
    """What names mean within one SELECT."""

    ctes: _Ctes
    outer: _NamePlace | None
    sources: dict[str, _NamedSource] = field(default_factory=dict)
    """By alias as it was written, in small letters."""
    merged: dict[str, exp.Expr] = field(default_factory=dict)
    """Columns named in USING, in small letters -> what they stand for."""
    hidden: set[tuple[str, str]] = field(default_factory=set)
    """Alias and column left out of a star, because USING shows them once."""
    aliases: dict[str, exp.Expr] = field(default_factory=dict)
    """Names of the SELECT's own columns, in small letters."""

    def taken(self) -> Iterator[str]:
        """Every alias of this SELECT and those around it."""
        at: _NamePlace | None = self
        while at is not None:
            yield from (named.alias.casefold() for named in at.sources.values())
            at = at.outer


def bind_names(query: exp.Query, catalog: Catalog) -> list[str]:
    """Tie every name of the SQL to one thing, in place; the columns it returns. Raises `SqlRefused`."""
    from sqlglot import exp

    columns = _NameBinder(catalog).query(query, {}, None)
    for node in query.walk():
        loose = isinstance(node, exp.Table) and ENTITY not in node.meta and CTE not in node.meta
        if loose or (isinstance(node, exp.Column) and not node.table):
            # Whatever stands where no name is looked up would run without a scope.
            raise unsafe("The SQL has a name in a place that is not known; write it more simply.")
        if isinstance(node, exp.Identifier):
            node.set("quoted", True)
    return columns


class _NameBinder:
    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._entities = {name.casefold(): name for name in catalog.entities}
        self._numbers = count(1)

    def query(self, node: exp.Expr, ctes: _Ctes, outer: _NamePlace | None) -> list[str]:
        """Bind a SELECT, a set operation or one in parentheses; its columns."""
        from sqlglot import exp

        if isinstance(node, exp.Subquery):
            return self.query(node.this, ctes, outer)
        if not isinstance(node, exp.Select | exp.SetOperation):
            raise unsafe("Brackets hold a SELECT here; write a table without them.")
        ctes = self._with(node, ctes, outer)
        if isinstance(node, exp.Select):
            return self._select(node, ctes, outer)
        return self._set_operation(node, ctes, outer)

    def _with(self, node: exp.Query, ctes: _Ctes, outer: _NamePlace | None) -> _Ctes:
        known, own = dict(ctes), set[str]()
        with_ = node.args.get("with_")
        for cte in with_.expressions if with_ else ():
            name, number = cte.alias, next(self._numbers)
            if name.casefold() in own or not name:
                raise unsafe(f"Two parts of WITH are called {clip(name, 24)}; give each its own name.")
            columns = self._renamed(cte.this, self.query(cte.this, known, outer), cte.args["alias"])
            own.add(name.casefold())
            known[name.casefold()] = (number, _NamedSource(name, columns))
            cte.meta[CTE] = number
        return known

    @staticmethod
    def _renamed(query: exp.Expr, columns: list[str], alias: exp.Expr | None) -> list[str]:
        """The columns under the names that `AS t(a, b)` gives them; the list moves into the SELECT."""
        from sqlglot import exp

        given = [column.name for column in alias.args.get("columns") or ()] if alias is not None else []
        if not given or alias is None:
            return columns
        if len(given) > len(columns) or len({name.casefold() for name in given}) != len(given):
            raise unsafe(f"{clip(alias.name, 24)} names other columns than its SELECT has.")
        while not isinstance(query, exp.Select):
            query = query.this
        for projection, name in zip(query.expressions, given, strict=False):
            projection.set("alias", exp.to_identifier(name, quoted=True))
        alias.set("columns", None)
        return [*given, *columns[len(given) :]]

    def _set_operation(self, node: exp.SetOperation, ctes: _Ctes, outer: _NamePlace | None) -> list[str]:
        from sqlglot import exp

        for branch in (node.this, node.expression):
            if isinstance(branch, exp.Select) and (branch.args.get("order") or branch.args.get("limit")):
                raise unsafe("A part of a UNION that is sorted or limited stands in brackets.")
        left, right = self.query(node.this, ctes, outer), self.query(node.expression, ctes, outer)
        if len(left) != len(right):
            raise unsafe(f"The parts of a UNION have {len(left)} and {len(right)} columns; give them the same.")
        order = node.args.get("order")
        for ordered in order.expressions if order else ():
            term = ordered.this
            position = _position(term, len(left))
            if position is None and isinstance(term, exp.Column):
                position = next((i for i, name in enumerate(left) if name.casefold() == term.name.casefold()), None)
            if position is None:
                raise unsafe("A UNION is sorted by its columns only; name one of them.")
            term.replace(exp.Literal.number(position + 1))
        return left

    # --- one SELECT

    def _select(self, select: exp.Select, ctes: _Ctes, outer: _NamePlace | None) -> list[str]:
        here = _NamePlace(ctes, outer)
        self._sources(select, here)
        columns = self._projections(select, here)
        for clause in ("where", "having", "qualify"):
            if part := select.args.get(clause):
                self._expression(part, here)
        self._distinct_on(select, here)
        self._group(select, here)
        order = select.args.get("order")
        for ordered in order.expressions if order else ():
            self._term(ordered.this, select, here, alias_first=True)
        _group_by_whole_rows(select, here)
        _without_constants(select)
        return columns

    def _sources(self, select: exp.Select, here: _NamePlace) -> None:
        from_ = select.args.get("from_")
        if from_ is not None:
            self._source(from_.this, here)
        for join in select.args.get("joins") or ():
            before = list(here.sources.values())
            added = self._source(join.this, here)
            if using := join.args.get("using"):
                self._using(join, [name.name for name in using], before, added, here)
            else:
                self._expression(join, here, skip=join.this)

    def _source(self, node: exp.Expr, here: _NamePlace) -> _NamedSource:
        from sqlglot import exp

        if isinstance(node, exp.Subquery):
            alias = node.args.get("alias")
            columns = self._renamed(node.this, self.query(node.this, here.ctes, here.outer), alias)
            return self._add(_NamedSource(node.alias or "subquery", columns), node, here)
        if not isinstance(node, exp.Table):
            raise unsafe("Only tables and subqueries can be read.")
        if node.args.get("alias") is not None and node.args["alias"].args.get("columns"):
            raise unsafe("Columns of a table cannot be renamed there; use AS in the SELECT.")
        found = None if node.db or node.catalog else here.ctes.get(node.name.casefold())
        if found is not None:
            number, cte = found
            node.meta[CTE] = number
            named = _NamedSource(node.alias or node.name, cte.columns)
            node.set("this", exp.to_identifier(cte.alias, quoted=True))
        else:
            entity = self._entity(node)
            node.meta[ENTITY] = entity.name
            named = _NamedSource(node.alias or (node.name if node.db else entity.name), tuple(entity.fields), entity)
            if not node.db:
                node.set("this", exp.to_identifier(entity.name, quoted=True))
        return self._add(named, node, here)

    def _entity(self, table: exp.Table) -> CatalogEntity:
        written = ".".join(part for part in (table.catalog, table.db, table.name) if part)
        name = self._entities.get(written.casefold())
        if name is None:
            path = tuple(written.casefold().split("."))
            homes = (e for e in self._catalog.entities.values() if e.table is not None and len(path) > 1)
            name = next((e.name for e in homes if e.table and tuple(p.casefold() for p in e.table.path) == path), None)
        if name is not None:
            return self._catalog.entities[name]
        found = table_exists(Call("queryTable", written), self._catalog, ValueProfile())
        assert found is not None
        raise SqlRefused(found, _other_table(place(table), found.suggestion, _meant_rows(found, self._catalog)))

    def _add(self, named: _NamedSource, node: exp.Expr, here: _NamePlace) -> _NamedSource:
        """A source under an alias that nothing around it has."""
        from sqlglot import exp

        key, alias, taken = named.alias.casefold(), named.alias, set(here.taken())
        if key in here.sources:
            raise unsafe(f"Two tables are called {clip(alias, 24)}; give each its own alias.")
        for number in count(2):
            if alias.casefold() not in taken:
                break
            alias = f"{named.alias}_{number}"
        node.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
        added = _NamedSource(alias, named.columns, named.entity)
        here.sources[key] = added
        return added

    def _using(
        self, join: exp.Join, names: list[str], before: list[_NamedSource], added: _NamedSource, here: _NamePlace
    ) -> None:
        from sqlglot import exp

        conditions: list[exp.Expr] = []
        for name in names:
            owners = [named for named in before if named.match(name)]
            right = added.match(name)
            left: exp.Expr | None = here.merged.get(name.casefold())
            if left is None and len(owners) == 1:
                left = _column(owners[0].alias, owners[0].match(name) or name)
            if left is None or right is None:
                raise self._no_column(name, None, here)
            other = _column(added.alias, right)
            conditions.append(exp.EQ(this=left.copy(), expression=other))
            side = str(join.args.get("side") or "").upper()
            both = exp.Coalesce(this=left.copy(), expressions=[other.copy()])
            here.merged[name.casefold()] = {"RIGHT": other.copy(), "FULL": both}.get(side, left.copy())
            here.hidden.add((added.alias, right))
        join.set("using", None)
        join.set("on", exp.and_(*conditions, copy=False))

    # --- the columns of a SELECT

    def _projections(self, select: exp.Select, here: _NamePlace) -> list[str]:
        from sqlglot import exp

        written = select.expressions
        select.meta[STARRED] = (
            len(written) == 1 and isinstance(written[0], exp.Star) and not written[0].args.get("except_")
        )
        shown: list[exp.Expr] = []
        for projection in written:
            if isinstance(projection, exp.Star) or (isinstance(projection, exp.Column) and projection.is_star):
                shown += self._star(projection, here)
            else:
                shown.append(projection)
        select.set("expressions", shown)
        taken: set[str] = set()
        for number, projection in enumerate(shown, 1):
            inner = exp.Alias(this=projection.unalias().copy(), alias=exp.to_identifier("?"))
            projection.replace(inner)
            self._expression(inner, here)
            name = projection.alias if isinstance(projection, exp.Alias) else _name_of(inner.this, number)
            name = _free(name, taken)
            inner.set("alias", exp.to_identifier(name, quoted=True))
            here.aliases.setdefault(name.casefold(), inner.this)
        return [projection.alias for projection in select.expressions]

    def _star(self, star: exp.Expr, here: _NamePlace) -> list[exp.Expr]:
        table = star.args.get("table")
        chosen = list(here.sources.values())
        if table is not None:
            named = here.sources.get(table.name.casefold())
            if named is None:
                raise self._no_table(table.name, here)
            chosen = [named]
        inner = star if table is None else star.this
        left_out = {column.name.casefold() for column in inner.args.get("except_") or ()}
        found = []
        for named in chosen:
            for name in named.columns:
                if name.casefold() in left_out or (table is None and (named.alias, name) in here.hidden):
                    continue
                merged = here.merged.get(name.casefold()) if table is None else None
                found.append(merged.copy() if merged is not None else _column(named.alias, name))
        if not found:
            raise unsafe("There is nothing to show; read a table.")
        return found

    def _group(self, select: exp.Select, here: _NamePlace) -> None:
        from sqlglot import exp

        group = select.args.get("group")
        if group is None:
            return
        if group.args.get("all"):
            keys = [p.this.copy() for p in select.expressions if not is_aggregated(p)]
            select.set("group", exp.Group(expressions=keys) if keys else None)
            return
        for written in list(group.expressions):
            term = written
            while isinstance(term, exp.Paren):
                term = term.this
            if term is not written:
                written.replace(term)
            if isinstance(term, exp.Tuple):
                raise unsafe("GROUP BY takes a list without brackets.")
            self._term(term, select, here, alias_first=False)

    def _distinct_on(self, select: exp.Select, here: _NamePlace) -> None:
        distinct = select.args.get("distinct")
        on = distinct.args.get("on") if distinct is not None else None
        if on is not None:
            self._expression(on, here)

    def _term(self, term: exp.Expr, select: exp.Select, here: _NamePlace, *, alias_first: bool) -> None:
        """One entry of GROUP BY or ORDER BY: a position, a name of the SELECT's own, or an expression."""
        from sqlglot import exp

        position = _position(term, len(select.expressions))
        if isinstance(term, exp.Literal) and not term.is_string and position is None:
            raise unsafe(f"There is no column {clip(term.name, 12)} in the SELECT.")
        if position is not None:
            term.replace(select.expressions[position].this.copy())
            return
        if isinstance(term, exp.Column) and not term.table and alias_first:
            alias = here.aliases.get(term.name.casefold())
            if alias is not None:
                term.replace(alias.copy())
                return
        holder = exp.Paren(this=term.copy())
        holder.this.meta.update(term.meta)
        self._expression(holder, here)
        term.replace(holder.this)

    # --- columns

    def _expression(self, node: exp.Expr, here: _NamePlace, *, skip: exp.Expr | None = None) -> None:
        """Bind the columns and subqueries below a node."""
        from sqlglot import exp

        for found in list(_own_nodes(node, skip)):
            if isinstance(found, exp.Column):
                self._bind(found, here)
            elif isinstance(found, exp.Select | exp.SetOperation):
                self.query(found, here.ctes, here)

    def _bind(self, column: exp.Column, here: _NamePlace) -> None:
        from sqlglot import exp

        if isinstance(column.this, exp.Star):
            raise unsafe("A star stands alone in a SELECT or in COUNT(*).")
        meant = self._meaning(column, here)
        meant.meta.update(column.meta)
        column.replace(meant)

    def _meaning(self, column: exp.Column, here: _NamePlace) -> exp.Expr:
        """What a column stands for, from the nearest SELECT outwards."""
        from sqlglot import exp

        name, table, at = column.name, column.table, here
        while True:
            if table:
                named = at.sources.get(table.casefold())
                if named is not None:
                    exact = named.match(name)
                    if exact is None:
                        raise self._no_column(name, column, here, named)
                    return _column(named.alias, exact)
            elif (found := self._unqualified(name, column, at)) is not None:
                return found
            elif at is here and name.casefold() in here.aliases:
                return here.aliases[name.casefold()].copy()
            if at.outer is None:
                break
            at = at.outer
        if table:
            raise self._no_table(table, here)
        if _is_text(column, here):
            return exp.Literal.string(name)
        raise self._no_column(name, column, here)

    def _unqualified(self, name: str, column: exp.Column, at: _NamePlace) -> exp.Expr | None:
        if name.casefold() in at.merged:
            return at.merged[name.casefold()].copy()
        owners = [named for named in at.sources.values() if named.match(name)]
        if len(owners) > 1:
            first = f"{owners[0].alias}.{name}"
            hint = f"{clip(name, 20)} is in {clip(owners[0].alias, 20)} and {clip(owners[1].alias, 20)}; say which."
            refusal = problem(ValidationErrorCode.FIELD_NOT_FOUND, name, hint, first)
            raise SqlRefused(refusal, _set_table(place(column), owners[0].alias))
        return _column(owners[0].alias, owners[0].match(name) or name) if owners else None

    def _no_table(self, name: str, here: _NamePlace) -> SqlRefused:
        known = [named.alias for named in here.sources.values()]
        hint = f"No table is called {clip(name, 20)} in this SELECT; there is {', '.join(known) or 'none'}."
        return SqlRefused(problem(ValidationErrorCode.TABLE_NOT_FOUND, name, hint, nearest(name, known)))

    def _no_column(
        self, name: str, column: exp.Column | None, here: _NamePlace, named: _NamedSource | None = None
    ) -> SqlRefused:
        """No such column: it is misspelt, stands elsewhere, or is a text in the wrong quotes."""
        sources = [named] if named else list(here.sources.values())
        at = place(column) if column is not None else -1
        if column is not None and not column.table and column.this.args.get("quoted") and _is_compared(column):
            hint = f'"{clip(name, 20)}" is read as a field; write texts in single quotes.'
            return SqlRefused(problem(ValidationErrorCode.FIELD_NOT_FOUND, name, hint, f"'{name}'"), _to_text(at))
        found = [self._unknown_in(name, source) for source in sources]
        best = next((p for p in found if p.suggestion), None) or (found[0] if found else None)
        if best is None:
            best = problem(ValidationErrorCode.FIELD_NOT_FOUND, name, "Read a table first: the SELECT has no FROM.")
        known = {column for source in sources for column in source.columns}
        return SqlRefused(best, _rename_column(at, best.suggestion) if best.suggestion in known else None)

    def _unknown_in(self, name: str, source: _NamedSource) -> QueryValidationError:
        if source.entity is None:
            hint = f"No column {clip(name, 24)} in {clip(source.alias, 24)}."
            return problem(ValidationErrorCode.FIELD_NOT_FOUND, name, hint, nearest(name, source.columns))
        call = Call("queryTable", source.entity.name, fields=(name,))
        found = fields_exist(call, self._catalog, ValueProfile())
        assert found is not None
        if found.hint.startswith("No field"):
            hint = f"No field {clip(name, 24)} in {clip(source.entity.name, 36)}."
            return found.model_copy(update={"hint": hint})
        return found


def _column(alias: str, name: str) -> exp.Column:
    from sqlglot import exp

    return exp.column(name, table=alias, quoted=True)


def _own_nodes(node: exp.Expr, skip: exp.Expr | None = None) -> Iterator[exp.Expr]:
    """The nodes below one, subqueries included but not entered."""
    from sqlglot import exp

    for child in node.iter_expressions():
        if child is skip:
            continue
        yield child
        if not isinstance(child, exp.Select | exp.SetOperation | exp.Column):
            yield from _own_nodes(child)


def _aggregates(node: exp.Expr) -> Iterator[exp.Expr]:
    """The aggregates of an expression that are taken over groups, not over windows."""
    from sqlglot import exp

    if isinstance(node, exp.AggFunc):
        over = node.find_ancestor(exp.Window, exp.Select)
        inner = over.this if isinstance(over, exp.Window) else None
        if not (isinstance(over, exp.Window) and inner is not None and _unwrapped(inner) is node):
            yield node
    for child in _own_nodes(node):
        if isinstance(child, exp.AggFunc):
            yield from _aggregates(child)


def _unwrapped(node: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    while isinstance(node, exp.Filter | exp.IgnoreNulls):
        node = node.this
    return node


def is_aggregated(node: exp.Expr) -> bool:
    """Whether an expression holds an aggregate over groups."""
    return any(True for _ in _aggregates(node))


def _position(term: exp.Expr, width: int) -> int | None:
    from sqlglot import exp

    if isinstance(term, exp.Literal) and not term.is_string and term.name.isdigit() and len(term.name) < 4:
        position = int(term.name) - 1
        return position if 0 <= position < width else None
    return None


def _name_of(projection: exp.Expr, number: int) -> str:
    from sqlglot import exp

    if isinstance(projection, exp.Column):
        return projection.name
    inner = _unwrapped(projection.this) if isinstance(projection, exp.Window) else _unwrapped(projection)
    if isinstance(inner, exp.Count) and isinstance(inner.this, exp.Star):
        return "count"
    if isinstance(inner, exp.Func) and not isinstance(inner, exp.Anonymous):
        taken = inner.this
        words = [inner.sql_name().lower()]
        if isinstance(taken, exp.Distinct):
            words.append("distinct")
            taken = taken.expressions[0] if taken.expressions else None
        if isinstance(taken, exp.Column):
            words.append(taken.name)
        return "_".join(words)
    return f"column_{number}"


def _free(name: str, taken: set[str]) -> str:
    candidate = name
    for number in count(2):
        if candidate.casefold() not in taken:
            break
        candidate = f"{name}_{number}"
    taken.add(candidate.casefold())
    return candidate


def _group_by_whole_rows(select: exp.Select, here: _NamePlace) -> None:
    """Where the key of a table is grouped by, so are its other columns: they say the same, and every engine takes it."""
    from sqlglot import exp

    group = select.args.get("group")
    if group is None:
        return
    grouped = {(c.table, c.name) for c in group.expressions if isinstance(c, exp.Column)}
    whole = _whole_rows(select, here, grouped)
    parts = [*select.expressions, *(select.args[clause] for clause in ("having", "order") if select.args.get(clause))]
    for column in (c for part in parts for c in (part, *_own_nodes(part)) if isinstance(c, exp.Column)):
        if column.table in whole and (column.table, column.name) not in grouped:
            grouped.add((column.table, column.name))
            group.append("expressions", column.copy())


def _whole_rows(select: exp.Select, here: _NamePlace, grouped: set[tuple[str, str]]) -> set[str]:
    """The aliases of tables of which a group holds one row: their key is grouped by, or equals a column of such a table."""
    equal, known, whole = list(_equal_columns(select)), set(grouped), set[str]()
    while True:
        keyed = {
            named.alias
            for named in here.sources.values()
            if named.entity is not None and any({(named.alias, n) for n in key} <= known for key in named.entity.keys)
        }
        reached = {added for one, added in equal if one in known or one[0] in keyed} - known
        if keyed <= whole and not reached:
            return whole
        whole |= keyed
        known |= reached


def _equal_columns(select: exp.Select) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """A column, and one of the table that is joined on it; that one is NULL where a LEFT JOIN finds nothing."""
    from sqlglot import exp

    joins = select.args.get("joins") or ()
    if any(str(join.args.get("side") or "").upper() in ("RIGHT", "FULL") for join in joins):
        return
    for join in joins:
        conditions = list(conjuncts(join.args["on"])) if join.args.get("on") is not None else []
        if join.args.get("side") and len(conditions) > 1:
            continue  # whether there is a match may depend on more than the column
        for equal in conditions:
            if isinstance(equal, exp.EQ) and all(
                isinstance(side, exp.Column) for side in (equal.this, equal.expression)
            ):
                left, right = ((side.args["table"].name, side.name) for side in (equal.this, equal.expression))
                yield from ((a, b) for a, b in ((left, right), (right, left)) if b[0] == join.this.alias_or_name)


def _without_constants(select: exp.Select) -> None:
    """Sorting or grouping by what is written in the SELECT itself does nothing, and engines disagree about it."""
    from sqlglot import exp

    for clause in ("group", "order"):
        part = select.args.get(clause)
        if part is None:
            continue
        kept = [term for term in part.expressions if term.find(exp.Column, exp.AggFunc, exp.Select, exp.Window)]
        if len(kept) < len(part.expressions):
            part.set("expressions", kept)
            if not kept:
                select.set(clause, None)


def _is_compared(column: exp.Column) -> bool:
    from sqlglot import exp

    return isinstance(column.parent, exp.Predicate | exp.Condition) and not isinstance(column.parent, exp.Column)


def _is_text(column: exp.Column, here: _NamePlace) -> bool:
    """SQLite takes a name in double quotes that no column has for a text.

    So do we where it is held against a column, or is handed to a function and looks like no column's name.
    """
    from sqlglot import exp

    if not column.this.meta.get(QUOTED_TEXT):
        return False
    within: exp.Expr = column
    while isinstance(within.parent, exp.Paren):
        within = within.parent
    parent = within.parent
    if isinstance(
        parent, exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE | exp.Like | exp.Glob | exp.In | exp.Between
    ):
        others = (part for part in parent.iter_expressions() if part is not within)
        return any(not found.this.meta.get(QUOTED_TEXT) for part in others for found in part.find_all(exp.Column))
    known = [name for named in here.sources.values() for name in named.columns]
    return isinstance(parent, exp.Anonymous) and nearest(column.name, known) is None


# --- what would make it right


def _rename_column(at: int, name: str | None) -> Correction | None:
    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        if isinstance(column := find(query, at), exp.Column):
            column.set("this", exp.to_identifier(name))

    return correct if name else None


def _meant_rows(found: QueryValidationError, catalog: Catalog) -> exp.Expr | None:
    """The condition that picks what was asked for as a table: customers are contacts of one kind, cash is a group of accounts."""
    from sqlglot import exp

    entity, word = catalog.entities.get(found.suggestion or ""), found.field or ""
    if entity is None or not found.hint.startswith("No table: filter"):
        return None
    for name, facts in entity.fields.items():
        stored = facts.declared.value_called(word) if facts.declared else None
        if stored is not None:
            return exp.EQ(this=exp.column(name), expression=exp.Literal.string(stored))
    ontology = catalog.ontology
    concept = ontology.entity(word) or ontology.entity(catalog.synonyms.get(word.casefold(), "")) if ontology else None
    if concept is None or concept.number_range is None:
        return None
    column = exp.column(concept.number_range.field)
    patterns = [exp.Like(this=column.copy(), expression=exp.Literal.string(p)) for p in concept.number_range.like]
    return exp.paren(exp.or_(*patterns)) if len(patterns) > 1 else patterns[0]


def _other_table(at: int, name: str | None, condition: exp.Expr | None) -> Correction | None:
    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        if not isinstance(table := find(query, at), exp.Table):
            return
        old, alias = table.name, table.alias
        table.set("this", exp.to_identifier(name))
        table.set("db", None)
        table.set("catalog", None)
        for column in query.find_all(exp.Column):
            if not alias and column.table.casefold() == old.casefold():
                column.set("table", exp.to_identifier(name))
        select = table.find_ancestor(exp.Select)
        if condition is not None and isinstance(select, exp.Select):
            select.where(condition.copy(), copy=False)

    return correct if name else None


def _set_table(at: int, alias: str) -> Correction:
    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        if isinstance(column := find(query, at), exp.Column):
            column.set("table", exp.to_identifier(alias))

    return correct


def _to_text(at: int) -> Correction:
    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        if isinstance(column := find(query, at), exp.Column):
            column.replace(exp.Literal.string(column.name))

    return correct
