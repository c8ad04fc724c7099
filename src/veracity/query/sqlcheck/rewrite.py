"""The SQL that runs: the bound tree with every table replaced by its rows in scope, said in the engine's own way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from veracity.contracts import ValidationErrorCode
from veracity.query.catalog import Catalog
from veracity.query.compile import Parameters, scoped_rows
from veracity.query.sqlcheck.aggregates import TAKEN
from veracity.query.sqlcheck.arithmetic import MOVED
from veracity.query.sqlcheck.model import Facts, SqlComparison, SqlRelation
from veracity.query.sqlcheck.names import ENTITY
from veracity.query.sqlcheck.refusal import SqlRefused, place, problem, unsafe
from veracity.query.sqlcheck.safety import is_native
from veracity.query.validator import bound_values
from veracity.query.values import Misfit
from veracity.sources.source import NUMERIC, Column, ColumnType, Dialect, Source, Statement

if TYPE_CHECKING:
    from sqlglot import exp

_STORED = " (as stored)"
_PARTS = {"Year": "%Y", "Month": "%m", "Day": "%d", "DayOfMonth": "%d", "Hour": "%H", "Minute": "%M", "Second": "%S"}
_UNITS = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H", "MINUTE": "%M", "SECOND": "%S", "EPOCH": "%s"}
_TRUNCATED = {"YEAR": "%Y-01-01", "MONTH": "%Y-%m-01", "DAY": "%Y-%m-%d"}
_EXTRACTED = {"Quarter": "QUARTER", "Week": "WEEK", "DayOfWeek": "DOW", "DayOfYear": "DOY", "Hour": "HOUR", "Minute": "MINUTE", "Second": "SECOND", "DayOfMonth": "DAY"}  # fmt: skip
_SPANS = ("day", "month", "year", "hour", "minute", "second")
_DATES = (ColumnType.DATE, ColumnType.TIMESTAMP)
_AVERAGE_DIGITS = 6
_SPARE_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Executable:
    """A statement, the columns a reader sees, and how many rows of it."""

    statement: Statement
    columns: tuple[Column, ...]
    limit: int
    averages: tuple[int, ...] = ()
    """The columns that are fetched as a sum, with the counts behind all columns."""
    offset: int = 0
    has_limit: bool = False


@dataclass(slots=True)
class _Root:
    """The outermost SELECT and what is fetched for it."""

    tree: exp.Query
    dialect: Dialect
    fetched: list[Column]
    shown: list[Column]
    averages: list[int] = field(default_factory=list)
    native: bool = False
    """It is in the engine's own SQL and runs as the engine would run it."""

    @property
    def is_plain(self) -> bool:
        """Whether its columns can be fetched in another form than they are compared in."""
        from sqlglot import exp

        return isinstance(self.tree, exp.Select) and self.tree.args.get("distinct") is None


def readable(tree: exp.Query, dialect: Dialect) -> str:
    """The bound SQL for people and the log."""
    return tree.sql(dialect=dialect, comments=False)


def executable(
    tree: exp.Query, found: tuple[SqlRelation, Facts], catalog: Catalog, source: Source, *, limit: int
) -> Executable:
    """The statement for a query that passed every check."""
    from sqlglot import ErrorLevel, UnsupportedError

    relation, facts = found
    copy = tree.copy()
    columns = [value.column for value in relation.columns.values()]
    root = _Root(copy, source.dialect, list(columns), list(columns), native=is_native(tree))
    own, offset = _own_limit(copy)
    size = limit if own is None else min(own, limit)
    if root.native:
        _OWN_WAY[source.dialect](copy, facts)
    else:
        _order_nulls_last(copy)
        _SPEAK[source.dialect](copy, facts)
    _exact_averages(root)
    if source.dialect == "sqlite":
        _exact_sums(root)
    parameters = Parameters(source.dialect)
    _scope_tables(root, catalog, source, parameters)
    try:
        sql = copy.limit(size + 1, copy=False).sql(
            dialect=source.dialect, comments=False, unsupported_level=ErrorLevel.RAISE, copy=False
        )
    except UnsupportedError:
        raise unsafe(f"{source.dialect} cannot do this; write it more simply.") from None
    statement = Statement(sql, parameters.values, tuple(root.fetched), size + 1, apart=True)
    return Executable(
        statement, tuple(root.shown), size, tuple(root.averages), offset=offset, has_limit=own is not None
    )


def _own_limit(root: exp.Query) -> tuple[int | None, int]:
    """The LIMIT and OFFSET that were written."""
    from sqlglot import exp

    found: list[int | None] = []
    for clause in ("limit", "offset"):
        node = root.args.get(clause)
        size = node.args.get("count") if isinstance(node, exp.Fetch) else node.expression if node is not None else None
        found.append(int(size.name) if size is not None else None)
    return found[0], found[1] or 0


def _order_nulls_last(tree: exp.Query) -> None:
    """NULL comes last in what is translated, as in DuckDB."""
    from sqlglot import exp

    for ordered in tree.find_all(exp.Ordered):
        ordered.set("nulls_first", False)


# --- tables


def _scope_tables(root: _Root, catalog: Catalog, source: Source, parameters: Parameters) -> None:
    """Every table becomes its rows in scope, with the columns that are used, each read as its type."""
    from sqlglot import exp

    used: dict[str, dict[str, None]] = {}
    for column in root.tree.find_all(exp.Column):
        used.setdefault(column.table, {})[column.name] = None
    stored = dict(_shown_as_stored(root, catalog)) if root.dialect == "sqlite" and not root.native else {}
    if root.native:
        _show_as_text(root)
    for table in list(root.tree.find_all(exp.Table)):
        if ENTITY not in table.meta:
            continue
        entity, alias = catalog.entities[table.meta[ENTITY]], table.alias_or_name
        names = [name for name in entity.fields if name in used.get(alias, ())] or list(entity.fields)[:1]
        inner = scoped_rows(entity, names, catalog, source, parameters, as_stored=root.native)
        for name in stored.get(alias, ()):
            plain = exp.column(name, quoted=True)
            inner = inner.select(exp.alias_(plain, f"{name}{_STORED}", quoted=True), copy=False)
        table.replace(exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True))))


def _shown_as_stored(root: _Root, catalog: Catalog) -> Iterator[tuple[str, list[str]]]:
    """Columns that are only shown are shown as they are stored, even where they cannot be read as their type."""
    from sqlglot import exp

    if not root.is_plain or root.tree.args.get("group") or root.tree.args.get("qualify"):
        return
    entities = {t.alias_or_name: t.meta[ENTITY] for t in _own_tables(root.tree) if ENTITY in t.meta}
    found: dict[str, list[str]] = {}
    for projection in root.tree.expressions:
        column = projection.this
        if not isinstance(column, exp.Column) or column.table not in entities:
            continue
        facts = catalog.entities[entities[column.table]].fields[column.name]
        if facts.column.reader is not None:
            found.setdefault(column.table, []).append(column.name)
            column.set("this", exp.to_identifier(f"{column.name}{_STORED}", quoted=True))
    yield from found.items()


def _show_as_text(root: _Root) -> None:
    """What is only shown is fetched as the engine writes it: drivers make 30 days of a month."""
    from sqlglot import exp

    if not root.is_plain or root.dialect == "sqlite":
        return
    for projection, column in zip(root.tree.expressions, root.fetched, strict=False):
        if column.type is ColumnType.OTHER and not isinstance(projection.this, exp.Null):
            projection.set("this", exp.cast(projection.this.copy(), "TEXT"))


def _own_tables(select: exp.Query) -> Iterator[exp.Table]:
    from sqlglot import exp

    sources = [select.args["from_"].this] if select.args.get("from_") else []
    sources += [join.this for join in select.args.get("joins") or ()]
    return (source for source in sources if isinstance(source, exp.Table))


# --- exact figures


def _exact_averages(root: _Root) -> None:
    """An average of decimals is fetched as a sum and a count, and divided without a float."""
    from sqlglot import exp

    if not root.is_plain:
        return
    select = root.tree
    assert isinstance(select, exp.Select)
    for position, projection in enumerate(list(select.expressions)):
        average = projection.this
        taken: Column | None = average.meta.get(TAKEN) if isinstance(average, exp.Avg) else None
        if taken is None or taken.type not in (ColumnType.INTEGER, ColumnType.DECIMAL):
            continue
        total = exp.Sum(this=average.this.copy())
        total.meta[TAKEN] = taken
        count = exp.Count(this=average.this.copy())
        average.replace(total)
        name = projection.alias
        select.select(exp.alias_(count, f"{name} (count)", quoted=True), copy=False)
        unscaled = taken.type is ColumnType.DECIMAL and taken.scale is None
        scale = None if unscaled else (taken.scale or 0) + _AVERAGE_DIGITS
        root.shown[position] = Column(name, ColumnType.DECIMAL, scale=scale)
        root.fetched[position] = Column(name, taken.type, scale=taken.scale)
        root.fetched.append(Column(f"{name} (count)", ColumnType.INTEGER))
        root.averages.append(position)


def _exact_sums(root: _Root) -> None:
    """SQLite only knows floats: sums of decimals are taken by a function of our own, and figures keep their digits."""
    from sqlglot import exp

    shown = {id(_bare(p.this)) for p in root.tree.expressions} if root.is_plain else set()
    for total in list(root.tree.find_all(exp.Sum)):
        taken: Column | None = total.meta.get(TAKEN)
        if taken is None or taken.type not in (ColumnType.INTEGER, ColumnType.DECIMAL):
            continue
        window = isinstance(total.parent, exp.Window) or isinstance(total.parent and total.parent.parent, exp.Window)
        direct = id(total) in shown
        if window or (taken.type is ColumnType.INTEGER and not direct):
            continue
        inner = total.this if isinstance(total.this, exp.Column) else _rounded(total.this, taken.scale)
        exact = exp.Anonymous(this="EXACT_SUM", expressions=[inner.copy()])
        holder = total.parent if isinstance(total.parent, exp.Filter) else total
        total.replace(exact)
        if not direct:
            outer = exact if holder is total else holder
            cast = exp.Cast(this=outer.copy(), to=exp.DataType.build("DOUBLE"))
            outer.replace(cast)
    _keep_digits(root)


def _bare(node: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    return node.this if isinstance(node, exp.Filter) else node


def _keep_digits(root: _Root) -> None:
    from sqlglot import exp

    for projection, column in zip(root.tree.selects, root.fetched, strict=False):
        inner = _bare(projection.unalias())
        if isinstance(inner, exp.Column | exp.Anonymous | exp.Subquery | exp.Min | exp.Max):
            continue
        if column.type is ColumnType.DECIMAL and column.scale is not None:
            target = projection.this if isinstance(projection, exp.Alias) else projection
            # A column may hold more digits than it declares; what lies far beyond them is a float's noise.
            target.replace(_rounded(target.copy(), column.scale + (_SPARE_DIGITS if root.native else 0)))


def _rounded(node: exp.Expr, scale: int | None) -> exp.Expr:
    from sqlglot import exp

    return node if scale is None else exp.Round(this=node.copy(), decimals=exp.Literal.number(scale))


# --- what each engine says otherwise


def _speak_duckdb(tree: exp.Query, _facts: Facts) -> None:
    from sqlglot import exp

    for node in list(tree.walk()):
        zoned = isinstance(node, exp.UnixToTime | exp.CurrentTimestamp) or (
            isinstance(node, exp.Anonymous) and node.name.upper() in ("NOW", "TO_TIMESTAMP")
        )
        if zoned:
            # A time with a zone is read as UTC, and so is everything else.
            node.replace(exp.cast(node.copy(), "TIMESTAMP"))


def _speak_postgres(tree: exp.Query, _facts: Facts) -> None:
    from sqlglot import exp

    for node in list(tree.walk()):
        if (unit := _EXTRACTED.get(type(node).__name__)) is not None:
            node.replace(exp.Extract(this=exp.Var(this=unit), expression=node.this.copy()))
        elif isinstance(node, exp.Round) and node.args.get("decimals") is not None:
            # ROUND with digits is only known for decimals there.
            node.set("this", exp.cast(node.this.copy(), "DECIMAL"))
        elif isinstance(node, exp.Like | exp.ILike) and not isinstance(node.parent, exp.Escape):
            # Only there a backslash is an escape; without one a pattern means the same everywhere.
            node.replace(exp.Escape(this=node.copy(), expression=exp.Literal.string("")))


def _speak_sqlite(tree: exp.Query, facts: Facts) -> None:
    for node in list(tree.walk()):
        found = _in_sqlite(node)
        if found is not None:
            node.replace(found)
    by_place: dict[int, list[exp.Expr]] = {}
    for node in tree.walk():
        by_place.setdefault(place(node), []).append(node)
    for comparison in facts.comparisons:
        _write_times(comparison, by_place)
        _only_numbers(comparison, by_place)


def _in_sqlite(node: exp.Expr) -> exp.Expr | None:
    """Dates are texts in SQLite: their parts are cut out, and what is added to them is said in words."""
    from sqlglot import exp

    name = type(node).__name__
    if isinstance(node, exp.Add | exp.Sub):
        return _moved(node, *node.meta.get(MOVED, (ColumnType.OTHER, ColumnType.OTHER)))
    if isinstance(node, exp.Cast) and len(node.to.expressions) == 2:
        return exp.Round(this=exp.cast(node.this.copy(), "DOUBLE"), decimals=node.to.expressions[1].this.copy())
    if name in _PARTS:
        return _part(_PARTS[name], node.this)
    if isinstance(node, exp.Extract) and node.name.upper() in _UNITS:
        return _part(_UNITS[node.name.upper()], node.expression)
    if name == "Quarter" or (isinstance(node, exp.Extract) and node.name.upper() == "QUARTER"):
        month = _part("%m", node.this if name == "Quarter" else node.expression)
        months = exp.Paren(this=exp.Add(this=month, expression=exp.Literal.number(2)))
        return exp.Paren(this=exp.Div(this=months, expression=exp.Literal.number(3), typed=True))
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc):
        unit = node.args["unit"].name.upper()
        if unit not in _TRUNCATED:
            raise unsafe("sqlite truncates dates to YEAR, MONTH or DAY only.")
        return exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(_TRUNCATED[unit]), node.this.copy()])
    return None


def _moved(node: exp.Add | exp.Sub, left: ColumnType, right: ColumnType) -> exp.Expr | None:
    """Days between two dates, or a date some time away; texts would be taken for their first digits."""
    from sqlglot import exp

    if left not in _DATES and right not in _DATES:
        return None
    if left is right is ColumnType.DATE and isinstance(node, exp.Sub):
        days = [exp.Anonymous(this="JULIANDAY", expressions=[side.copy()]) for side in (node.this, node.expression)]
        return exp.Cast(this=exp.Paren(this=exp.Sub(this=days[0], expression=days[1])), to=exp.DataType.build("INT"))
    way = _way_from(node.expression)
    if left not in _DATES or way is None:
        raise unsafe("sqlite cannot compute with these dates; use JULIANDAY or DATE(day, '+1 month').")
    sign = "-" if isinstance(node, exp.Sub) else "+"
    call = "DATE" if left is ColumnType.DATE else "DATETIME"
    return exp.Anonymous(this=call, expressions=[node.this.copy(), exp.Literal.string(f"{sign}{way}")])


def _way_from(span: exp.Expr) -> str | None:
    """A span as SQLite says it: `3 days`."""
    from sqlglot import exp

    if isinstance(span, exp.Literal) and not span.is_string and span.name.isdigit():
        return f"{span.name} days"
    if not isinstance(span, exp.Interval):
        return None
    words = f"{span.name} {span.args['unit'].name if span.args.get('unit') else ''}".lower().split()
    if len(words) != 2 or not words[0].isdigit() or words[1].rstrip("s") not in _SPANS:
        return None
    return f"{words[0]} {words[1].rstrip('s')}s"


def _part(pattern: str, inner: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    text = exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(pattern), inner.copy()])
    return exp.Cast(this=text, to=exp.DataType.build("INT"))


def _write_times(comparison: SqlComparison, by_place: dict[int, list[exp.Expr]]) -> None:
    """Times are compared as texts, so that they must be written alike."""
    from sqlglot import exp

    facts = comparison.reading.entity.fields[comparison.condition.field]
    if facts.column.type is not ColumnType.TIMESTAMP or comparison.wrapped:
        return
    try:
        bound = bound_values(facts, comparison.condition)
    except Misfit:
        return
    for at, moment in zip(comparison.literals, bound, strict=False):
        for node in by_place.get(at, ()):
            if isinstance(moment, datetime) and node.parent is not None:
                node.replace(exp.Literal.string(moment.isoformat(" ", timespec="microseconds")))


def _only_numbers(comparison: SqlComparison, by_place: dict[int, list[exp.Expr]]) -> None:
    """SQLite keeps texts in number columns, and there every text is greater than every number."""
    from sqlglot import exp

    facts = comparison.reading.entity.fields[comparison.condition.field]
    if facts.column.type not in NUMERIC or comparison.condition.op not in (">", ">=", "!="):
        return

    def is_number(column: exp.Expr) -> exp.Expr:
        kind = exp.Anonymous(this="TYPEOF", expressions=[column.copy()])
        # With NULL among them, a comparison with nothing stays unknown, also under a NOT.
        return exp.In(this=kind, expressions=[exp.Literal.string(name) for name in ("integer", "real", "null")])

    _and_only(comparison, by_place, is_number)


def _only_dates(comparison: SqlComparison, by_place: dict[int, list[exp.Expr]]) -> None:
    """It keeps any text in date columns, too; what is no date is neither before nor after one."""
    from sqlglot import exp

    column = comparison.reading.entity.fields[comparison.condition.field].column
    if column.type not in _DATES or not column.reader or comparison.condition.op not in ("<", "<=", ">", ">=", "!="):
        return

    def is_date(found: exp.Expr) -> exp.Expr:
        read = exp.Anonymous(this=column.reader, expressions=[found.copy()])
        missing = exp.Is(this=found.copy(), expression=exp.Null())
        return exp.Paren(this=exp.Or(this=missing, expression=exp.Not(this=exp.Is(this=read, expression=exp.Null()))))

    _and_only(comparison, by_place, is_date)


def _and_only(
    comparison: SqlComparison, by_place: dict[int, list[exp.Expr]], holds: Callable[[exp.Expr], exp.Expr]
) -> None:
    """The comparison, and that its column holds what it is declared to."""
    from sqlglot import exp

    for node in by_place.get(comparison.at, ()):
        sides = [node.args.get("this"), node.args.get("expression")]
        column = next((side for side in sides if isinstance(side, exp.Column)), None)
        if column is not None and node.parent is not None:
            node.replace(exp.Paren(this=exp.And(this=node.copy(), expression=holds(column))))


_SPEAK = {"duckdb": _speak_duckdb, "postgres": _speak_postgres, "sqlite": _speak_sqlite}


# --- the engine's own SQL: what our connections or the writer of the tree would change is said so that it stays


def _own_postgres(tree: exp.Query, _facts: Facts) -> None:
    from sqlglot import exp

    for node in list(tree.find_all(exp.Round)):
        if node.args.get("decimals") is not None:
            # ROUND with digits is only known for decimals there.
            node.set("this", exp.cast(node.this.copy(), "DECIMAL"))


def _own_sqlite(tree: exp.Query, facts: Facts) -> None:
    from sqlglot import exp

    for node in list(tree.walk()):
        if isinstance(node, exp.Add | exp.Sub) and set(node.meta.get(MOVED, ())) & set(_DATES):
            sign = "+" if isinstance(node, exp.Add) else "-"
            hint = "SQLite takes dates for their years here; use JULIANDAY(a) - JULIANDAY(b)."
            raise SqlRefused(problem(ValidationErrorCode.OPERATOR_INCOMPATIBLE, sign, hint))
        if isinstance(node, exp.Like) and node.parent is not None:
            _ignore_case(node)
        elif isinstance(node, exp.Cast) and node.to.this is exp.DataType.Type.DECIMAL:
            node.set("to", exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="NUMERIC"))
    by_place: dict[int, list[exp.Expr]] = {}
    for node in tree.walk():
        by_place.setdefault(place(node), []).append(node)
    for comparison in facts.comparisons:
        _only_numbers(comparison, by_place)
        _only_dates(comparison, by_place)


def _ignore_case(like: exp.Like) -> None:
    """LIKE tells no case in SQLite, but our connections make it do so; LOWER changes the same letters, A to Z."""
    from sqlglot import exp

    like.set("this", exp.Lower(this=like.this.copy()))
    like.set("expression", exp.Lower(this=like.expression.copy()))
    if isinstance(like.parent, exp.Escape):
        like.parent.set("expression", exp.Lower(this=like.parent.expression.copy()))


_OWN_WAY = {"duckdb": _speak_duckdb, "postgres": _own_postgres, "sqlite": _own_sqlite}
