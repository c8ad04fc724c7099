"""What a column's name means from where it stands; one that means nothing is refused, with what was probably meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.language.nearest import nearest
from veracity.query.catalog import Catalog, CatalogEntity
from veracity.query.model import Call
from veracity.query.sqlcheck.refusal import Correction, SqlRefused, find, place, problem
from veracity.query.sqlcheck.safety import QUOTED_TEXT
from veracity.query.validator import fields_exist
from veracity.query.values import ValueProfile

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, slots=True)
class AliasedSource:
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


Ctes = Mapping[str, tuple[int, AliasedSource]]
"""The parts of WITH that can be seen, in small letters, each with its number."""


@dataclass(slots=True)
class NamePlace:
    """What names mean within one SELECT."""

    ctes: Ctes
    outer: NamePlace | None
    sources: dict[str, AliasedSource] = field(default_factory=dict)
    """By alias as it was written, in small letters."""
    merged: dict[str, exp.Expr] = field(default_factory=dict)
    """Columns named in USING, in small letters -> what they stand for."""
    hidden: set[tuple[str, str]] = field(default_factory=set)
    """Alias and column left out of a star, because USING shows them once."""
    aliases: dict[str, exp.Expr] = field(default_factory=dict)
    """Names of the SELECT's own columns, in small letters."""

    def taken(self) -> Iterator[str]:
        """Every alias of this SELECT and those around it."""
        at: NamePlace | None = self
        while at is not None:
            yield from (named.alias.casefold() for named in at.sources.values())
            at = at.outer


def column_named(alias: str, name: str) -> exp.Column:
    """A column of a source under its alias."""
    from sqlglot import exp

    return exp.column(name, table=alias, quoted=True)


def meaning(column: exp.Column, here: NamePlace, catalog: Catalog) -> exp.Expr:
    """What a column stands for, from the nearest SELECT outwards."""
    from sqlglot import exp

    name, table, at = column.name, column.table, here
    while True:
        if table:
            named = at.sources.get(table.casefold())
            if named is not None:
                exact = named.match(name)
                if exact is None:
                    raise no_column(name, column, here, catalog, named)
                return column_named(named.alias, exact)
        elif (found := _unqualified(name, column, at)) is not None:
            return found
        elif at is here and name.casefold() in here.aliases:
            return here.aliases[name.casefold()].copy()
        if at.outer is None:
            break
        at = at.outer
    if table:
        raise no_table(table, here)
    if _is_text(column, here):
        return exp.Literal.string(name)
    raise no_column(name, column, here, catalog)


def _unqualified(name: str, column: exp.Column, at: NamePlace) -> exp.Expr | None:
    if name.casefold() in at.merged:
        return at.merged[name.casefold()].copy()
    owners = [named for named in at.sources.values() if named.match(name)]
    if len(owners) > 1:
        first = f"{owners[0].alias}.{name}"
        hint = f"{clip(name, 20)} is in {clip(owners[0].alias, 20)} and {clip(owners[1].alias, 20)}; say which."
        refusal = problem(ValidationErrorCode.FIELD_NOT_FOUND, name, hint, first)
        raise SqlRefused(refusal, _set_table(place(column), owners[0].alias))
    return column_named(owners[0].alias, owners[0].match(name) or name) if owners else None


def no_table(name: str, here: NamePlace) -> SqlRefused:
    """No such table in the SELECT."""
    known = [named.alias for named in here.sources.values()]
    hint = f"No table is called {clip(name, 20)} in this SELECT; there is {', '.join(known) or 'none'}."
    return SqlRefused(problem(ValidationErrorCode.TABLE_NOT_FOUND, name, hint, nearest(name, known)))


def no_column(
    name: str, column: exp.Column | None, here: NamePlace, catalog: Catalog, named: AliasedSource | None = None
) -> SqlRefused:
    """No such column: it is misspelt, stands elsewhere, or is a text in the wrong quotes."""
    sources = [named] if named else list(here.sources.values())
    at = place(column) if column is not None else -1
    if column is not None and not column.table and column.this.args.get("quoted") and _is_compared(column):
        hint = f'"{clip(name, 20)}" is read as a field; write texts in single quotes.'
        return SqlRefused(problem(ValidationErrorCode.FIELD_NOT_FOUND, name, hint, f"'{name}'"), _to_text(at))
    found = [_unknown_in(name, source, catalog) for source in sources]
    best = next((p for p in found if p.suggestion), None) or (found[0] if found else None)
    if best is None:
        best = problem(ValidationErrorCode.FIELD_NOT_FOUND, name, "Read a table first: the SELECT has no FROM.")
    known = {column for source in sources for column in source.columns}
    return SqlRefused(best, _rename_column(at, best.suggestion) if best.suggestion in known else None)


def _unknown_in(name: str, source: AliasedSource, catalog: Catalog) -> QueryValidationError:
    if source.entity is None:
        hint = f"No column {clip(name, 24)} in {clip(source.alias, 24)}."
        return problem(ValidationErrorCode.FIELD_NOT_FOUND, name, hint, nearest(name, source.columns))
    call = Call("queryTable", source.entity.name, fields=(name,))
    found = fields_exist(call, catalog, ValueProfile())
    assert found is not None
    if found.hint.startswith("No field"):
        hint = f"No field {clip(name, 24)} in {clip(source.entity.name, 36)}."
        return found.model_copy(update={"hint": hint})
    return found


def _is_compared(column: exp.Column) -> bool:
    from sqlglot import exp

    return isinstance(column.parent, exp.Predicate | exp.Condition) and not isinstance(column.parent, exp.Column)


def _is_text(column: exp.Column, here: NamePlace) -> bool:
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
