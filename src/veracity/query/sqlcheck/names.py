"""Names: every table, column and alias of the SQL is tied to one thing, and the tree says so without doubt.

Names match whatever their case. Afterwards stars are written out, USING is ON, aliases and numbers in WHERE, GROUP BY,
HAVING and ORDER BY are the expressions they stand for, and every column carries the alias of its table, so that an
engine has nothing left to guess.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from veracity.contracts import QueryValidationError, clip
from veracity.query.catalog import Catalog, CatalogEntity
from veracity.query.model import Call
from veracity.query.sqlcheck.grouping import group_by_whole_rows, is_aggregated, own_nodes, unwrapped, without_constants
from veracity.query.sqlcheck.name_places import (
    AliasedSource,
    Ctes,
    NamePlace,
    column_named,
    meaning,
    no_column,
    no_table,
)
from veracity.query.sqlcheck.refusal import Correction, SqlRefused, find, place, unsafe
from veracity.query.validator import table_exists
from veracity.query.values import ValueProfile

if TYPE_CHECKING:
    from sqlglot import exp

ENTITY = "entity"
CTE = "cte"
STARRED = "starred"


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

    def query(self, node: exp.Expr, ctes: Ctes, outer: NamePlace | None) -> list[str]:
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

    def _with(self, node: exp.Query, ctes: Ctes, outer: NamePlace | None) -> Ctes:
        known, own = dict(ctes), set[str]()
        with_ = node.args.get("with_")
        for cte in with_.expressions if with_ else ():
            name, number = cte.alias, next(self._numbers)
            if name.casefold() in own or not name:
                raise unsafe(f"Two parts of WITH are called {clip(name, 24)}; give each its own name.")
            columns = self._renamed(cte.this, self.query(cte.this, known, outer), cte.args["alias"])
            own.add(name.casefold())
            known[name.casefold()] = (number, AliasedSource(name, columns))
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

    def _set_operation(self, node: exp.SetOperation, ctes: Ctes, outer: NamePlace | None) -> list[str]:
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

    def _select(self, select: exp.Select, ctes: Ctes, outer: NamePlace | None) -> list[str]:
        here = NamePlace(ctes, outer)
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
        group_by_whole_rows(select, here)
        without_constants(select)
        return columns

    def _sources(self, select: exp.Select, here: NamePlace) -> None:
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

    def _source(self, node: exp.Expr, here: NamePlace) -> AliasedSource:
        from sqlglot import exp

        if isinstance(node, exp.Subquery):
            alias = node.args.get("alias")
            columns = self._renamed(node.this, self.query(node.this, here.ctes, here.outer), alias)
            return self._add(AliasedSource(node.alias or "subquery", columns), node, here)
        if not isinstance(node, exp.Table):
            raise unsafe("Only tables and subqueries can be read.")
        if node.args.get("alias") is not None and node.args["alias"].args.get("columns"):
            raise unsafe("Columns of a table cannot be renamed there; use AS in the SELECT.")
        found = None if node.db or node.catalog else here.ctes.get(node.name.casefold())
        if found is not None:
            number, cte = found
            node.meta[CTE] = number
            named = AliasedSource(node.alias or node.name, cte.columns)
            node.set("this", exp.to_identifier(cte.alias, quoted=True))
        else:
            entity = self._entity(node)
            node.meta[ENTITY] = entity.name
            named = AliasedSource(node.alias or (node.name if node.db else entity.name), tuple(entity.fields), entity)
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

    def _add(self, named: AliasedSource, node: exp.Expr, here: NamePlace) -> AliasedSource:
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
        added = AliasedSource(alias, named.columns, named.entity)
        here.sources[key] = added
        return added

    def _using(
        self, join: exp.Join, names: list[str], before: list[AliasedSource], added: AliasedSource, here: NamePlace
    ) -> None:
        from sqlglot import exp

        conditions: list[exp.Expr] = []
        for name in names:
            owners = [named for named in before if named.match(name)]
            right = added.match(name)
            left: exp.Expr | None = here.merged.get(name.casefold())
            if left is None and len(owners) == 1:
                left = column_named(owners[0].alias, owners[0].match(name) or name)
            if left is None or right is None:
                raise no_column(name, None, here, self._catalog)
            other = column_named(added.alias, right)
            conditions.append(exp.EQ(this=left.copy(), expression=other))
            side = str(join.args.get("side") or "").upper()
            both = exp.Coalesce(this=left.copy(), expressions=[other.copy()])
            here.merged[name.casefold()] = {"RIGHT": other.copy(), "FULL": both}.get(side, left.copy())
            here.hidden.add((added.alias, right))
        join.set("using", None)
        join.set("on", exp.and_(*conditions, copy=False))

    # --- the columns of a SELECT

    def _projections(self, select: exp.Select, here: NamePlace) -> list[str]:
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

    def _star(self, star: exp.Expr, here: NamePlace) -> list[exp.Expr]:
        table = star.args.get("table")
        chosen = list(here.sources.values())
        if table is not None:
            named = here.sources.get(table.name.casefold())
            if named is None:
                raise no_table(table.name, here)
            chosen = [named]
        inner = star if table is None else star.this
        left_out = {column.name.casefold() for column in inner.args.get("except_") or ()}
        found = []
        for named in chosen:
            for name in named.columns:
                if name.casefold() in left_out or (table is None and (named.alias, name) in here.hidden):
                    continue
                merged = here.merged.get(name.casefold()) if table is None else None
                found.append(merged.copy() if merged is not None else column_named(named.alias, name))
        if not found:
            raise unsafe("There is nothing to show; read a table.")
        return found

    def _group(self, select: exp.Select, here: NamePlace) -> None:
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

    def _distinct_on(self, select: exp.Select, here: NamePlace) -> None:
        distinct = select.args.get("distinct")
        on = distinct.args.get("on") if distinct is not None else None
        if on is not None:
            self._expression(on, here)

    def _term(self, term: exp.Expr, select: exp.Select, here: NamePlace, *, alias_first: bool) -> None:
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

    def _expression(self, node: exp.Expr, here: NamePlace, *, skip: exp.Expr | None = None) -> None:
        """Bind the columns and subqueries below a node."""
        from sqlglot import exp

        for found in list(own_nodes(node, skip)):
            if isinstance(found, exp.Column):
                self._bind(found, here)
            elif isinstance(found, exp.Select | exp.SetOperation):
                self.query(found, here.ctes, here)

    def _bind(self, column: exp.Column, here: NamePlace) -> None:
        from sqlglot import exp

        if isinstance(column.this, exp.Star):
            raise unsafe("A star stands alone in a SELECT or in COUNT(*).")
        meant = meaning(column, here, self._catalog)
        meant.meta.update(column.meta)
        column.replace(meant)


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
    inner = unwrapped(projection.this) if isinstance(projection, exp.Window) else unwrapped(projection)
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


# --- what would make it right


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
