"""Raw SQL, from text to a statement that may run: the whole flow on one screen.

parse       safety.py     one SELECT, every node, table and function allow-listed
bind        names.py      every name tied to one thing; what is unknown is refused with the nearest name
trace       lineage.py    every value traced to base columns, every join and aggregate noted
CHECKS      rules.py      the ontology's rules, or the conventions; the first problem is the answer
rewrite     rewrite.py    scope forced in, decimals exact, limit set: this is what runs, never the text that came
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veracity.contracts import QueryValidationError
from veracity.query.catalog import Catalog
from veracity.query.compile import quotient
from veracity.query.model import Filter
from veracity.query.sqlcheck.allowed import listed
from veracity.query.sqlcheck.lineage import read_lineage
from veracity.query.sqlcheck.model import Facts, Findings, Probe, SqlRelation, SqlValue
from veracity.query.sqlcheck.names import bind_names
from veracity.query.sqlcheck.refusal import SqlRefused, number_nodes, unsafe
from veracity.query.sqlcheck.rewrite import Executable, executable, readable
from veracity.query.sqlcheck.rules import CHECKS, conditions_of, looked_up
from veracity.query.sqlcheck.safety import is_native, parse
from veracity.query.values import Values
from veracity.sources.source import Column, Row, Source, Statement, identifier

if TYPE_CHECKING:
    from sqlglot import exp


_MOST_CORRECTIONS = 4
_MOST_PROBES = 12


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column of the result, and where it comes from."""

    name: str
    column: Column
    entity: str | None
    """The entity of the one base field it is taken from, if it is one."""
    field: str | None
    aggregate: str | None
    """SUM, AVG, COUNT, COUNT_DISTINCT, MIN or MAX where it is exactly that; None for a plain column; else EXPRESSION."""
    repeats: bool = False
    """The same figure may stand in several rows, as after a join, so that adding the rows up would count it twice."""


@dataclass(frozen=True, slots=True)
class CheckedCondition:
    """What holds for every row of the result."""

    entity: str
    filter: Filter


@dataclass(frozen=True, slots=True)
class CheckedSql:
    """SQL that passed every check, with the statement that runs for it."""

    statement: Statement
    columns: tuple[OutputColumn, ...]
    limit: int
    entities: tuple[str, ...]
    conditions: tuple[CheckedCondition, ...]
    group_by: tuple[tuple[str, str], ...]
    order_by: tuple[tuple[str, str, bool], ...]
    distinct: bool
    has_limit: bool
    """The SQL has a LIMIT of its own."""
    sql: str
    """What runs, readable: without the scope."""
    averages: tuple[int, ...] = ()
    offset: int = 0
    spoken: tuple[str, ...] = ()
    """The literals that it brings in by itself, those of its conditions among them."""
    turns: frozenset[str] = frozenset()
    """`either` where it joins conditions by OR, `not` where it negates one."""

    def finish(self, rows: Sequence[Row]) -> tuple[list[Row], bool]:
        """The rows a reader sees, and whether more matched."""
        shown = [self._row(row) for row in rows[: self.limit]]
        return shown, len(rows) > self.limit or self.offset > 0

    def _row(self, row: Row) -> Row:
        cells = list(row[: len(self.columns)])
        for position, count in zip(self.averages, row[len(self.columns) :], strict=True):
            cells[position] = quotient(cells[position], count, self.columns[position].column.scale)
        return tuple(cells)


@dataclass(frozen=True, slots=True)
class _Traced:
    """SQL that is safe and whose names are known, before any rule was asked."""

    bound: exp.Query
    relation: SqlRelation
    facts: Facts


class SqlReading:
    """Some SQL, read once: whose stored values its checks need, and then what they say. Never raises, whatever the text is."""

    def __init__(self, sql: str, catalog: Catalog, source: Source) -> None:
        self._sql, self._catalog, self._source = sql, catalog, source
        self._read: _Traced | SqlRefused | RecursionError
        try:
            self._read = _trace(sql, catalog, source)
        except (SqlRefused, RecursionError) as refused:
            self._read = refused

    def profiled_fields(self) -> list[tuple[str, str, bool]]:
        """Entity, field and whether it is declared categorical, for every field whose stored values the checks may ask for."""
        return list(dict.fromkeys(looked_up(self._read.facts))) if isinstance(self._read, _Traced) else []

    def probes(self, profile: Values) -> list[tuple[str, Statement]]:
        """What is looked for on the rows before the checks: each condition, and the statement that has a row if one meets it."""
        if not isinstance(self._read, _Traced):
            return []
        found: dict[str, Statement] = {}
        for probe in self._read.facts.probes:
            stored = (profile.of(probe.reading.entity.name, name) for name in probe.fields)
            if probe.sql in found or profile.finds(probe.sql) is not None or not all(stored):
                continue
            with suppress(SqlRefused, RecursionError):
                found[probe.sql] = self._looking_for(probe, native=is_native(self._read.bound))
        return list(found.items())[:_MOST_PROBES]

    def _looking_for(self, probe: Probe, *, native: bool) -> Statement:
        from sqlglot import exp

        name = probe.reading.entity.name
        table = exp.to_table(name if "." in name else identifier(name))
        rows = exp.select(exp.alias_(exp.Literal.number(1), "found")).from_(
            exp.alias_(table, str(probe.reading.number), quoted=True)
        )
        spoken = self._source.dialect if native else "duckdb"
        text = rows.where(probe.condition.copy()).sql(dialect=spoken, comments=False)
        traced = _trace(text, self._catalog, self._source)
        made = executable(traced.bound, (traced.relation, traced.facts), self._catalog, self._source, limit=1)
        return made.statement

    def check(self, profile: Values, *, row_limit: int) -> CheckedSql | QueryValidationError:
        """The statement for it, or why it is refused."""
        catalog, source = self._catalog, self._source
        try:
            if isinstance(self._read, _Traced):
                return _checked(self._read, catalog, source, profile, row_limit=row_limit)
            raise self._read
        except SqlRefused as refused:
            return _with_right_query(refused, self._sql, catalog, source, profile, row_limit=row_limit)
        except RecursionError:
            return unsafe("The SQL is nested too deeply; write it flatter, with WITH.").problem


def check_sql(
    sql: str, catalog: Catalog, source: Source, profile: Values, *, row_limit: int
) -> CheckedSql | QueryValidationError:
    """The statement for some SQL, or why it is refused. Never raises, whatever the text is."""
    return SqlReading(sql, catalog, source).check(profile, row_limit=row_limit)


def _checked(traced: _Traced, catalog: Catalog, source: Source, profile: Values, *, row_limit: int) -> CheckedSql:
    findings = Findings(traced.relation, traced.facts, catalog, profile)
    for check in CHECKS:
        if refused := check(findings):
            raise refused
    made = executable(traced.bound, (traced.relation, traced.facts), catalog, source, limit=row_limit)
    return _checked_sql(traced, made, source)


def _trace(sql: str, catalog: Catalog, source: Source) -> _Traced:
    bound = parse(sql, source.dialect)
    number_nodes(bound)
    bind_names(bound, catalog)
    relation, facts = read_lineage(bound, catalog, source.dialect)
    return _Traced(bound, relation, facts)


def _checked_sql(traced: _Traced, made: Executable, source: Source) -> CheckedSql:
    relation = traced.relation
    columns = tuple(
        _output(column, value, relation) for column, value in zip(made.columns, relation.columns.values(), strict=True)
    )
    return CheckedSql(
        statement=made.statement,
        columns=columns,
        limit=made.limit,
        entities=tuple(dict.fromkeys(reading.entity.name for reading in traced.facts.readings)),
        conditions=tuple(CheckedCondition(entity, found) for entity, found in conditions_of(relation, traced.facts)),
        group_by=relation.groups,
        order_by=relation.sorted_by,
        distinct=bool(traced.bound.args.get("distinct")),
        has_limit=made.has_limit,
        sql=readable(traced.bound, source.dialect),
        averages=made.averages,
        offset=made.offset,
        spoken=spoken_literals(traced.bound),
        turns=turns(traced.bound),
    )


def _output(column: Column, value: SqlValue, relation: SqlRelation) -> OutputColumn:
    entity, name = next(iter(value.origin)) if len(value.origin) == 1 else (None, None)
    plain = value.field_of is not None and value.wrapped is None and value.aggregate is None
    once = all(any(relation.counts_once(leaf) for leaf in term.factors) for term in value.terms if term.factors)
    aggregate = None if plain else value.aggregate or "EXPRESSION"
    return OutputColumn(column.name, column, entity, name, aggregate, repeats=not once)


# --- the nearest right query


def _with_right_query(
    refused: SqlRefused, sql: str, catalog: Catalog, source: Source, profile: Values, *, row_limit: int
) -> QueryValidationError:
    """The refusal, with the SQL that would pass as its suggestion, if a few small changes lead there."""
    current, text = refused, sql
    for _ in range(_MOST_CORRECTIONS):
        corrected = _corrected(current, text, source)
        if corrected is None or corrected == text:
            break
        text = corrected
        try:
            _checked(_trace(text, catalog, source), catalog, source, profile, row_limit=row_limit)
        except SqlRefused as again:
            current = again
        except RecursionError:
            break
        else:
            return refused.problem.model_copy(update={"suggestion": text})
    return refused.problem


def _corrected(refused: SqlRefused, sql: str, source: Source) -> str | None:
    if refused.correction is None:
        return None
    written = parse(sql, source.dialect)
    number_nodes(written)
    refused.correction(written)
    return written.sql(dialect=source.dialect, comments=False)


# --- what a query brings in by itself: numbers it computes with, values it compares with where no plain condition says so


_STRUCTURAL = frozenset({"0", "1", "100", "0.0", "1.0", "100.0", ""})
"""What a query counts and chooses with."""

_SHOWN_DIGITS = 2
_ALTERING = frozenset(
    {
        "FLOOR",
        "CEIL",
        "ABS",
        "SQRT",
        "POWER",
        "POW",
        "LN",
        "LOG",
        "LOG2",
        "LOG10",
        "EXP",
        "SIGN",
        "TRUNC",
        "CBRT",
        "MOD",
        "DIV",
    }
)
_FORMATTING = listed("""
    format: STRFTIME STRPTIME TRY_STRPTIME TO_CHAR TO_DATE TO_TIMESTAMP TO_NUMBER PRINTF FORMAT DATE_TRUNC DATETRUNC DATE_PART DATEPART DATE_DIFF DATEDIFF DATE_SUB DATESUB
""")["format"]
"""Functions whose texts say in which form or unit something is taken."""


def spoken_literals(query: exp.Query) -> tuple[str, ...]:
    """Every literal that can change a figure, as it was written."""
    from sqlglot import exp

    found = (literal for literal in query.find_all(exp.Literal) if not _is_form(literal))
    return tuple(dict.fromkeys(literal.name for literal in found if _says_something(literal)))


def _says_something(literal: exp.Literal) -> bool:
    """Zero, one and a hundred count and choose (THEN 1 ELSE 0); computed with, they change a figure: SUM(x) * 100."""
    from sqlglot import exp

    parent = literal.parent
    while isinstance(parent, exp.Paren | exp.Neg | exp.Cast):
        parent = parent.parent
    if isinstance(parent, exp.Mul | exp.Div) and literal.name in ("1", "1.0"):
        return False
    computed = isinstance(parent, exp.Add | exp.Sub | exp.Mul | exp.Div | exp.IntDiv | exp.Mod | exp.Pow)
    return computed or literal.name not in _STRUCTURAL


def turns(query: exp.Query) -> frozenset[str]:
    """How a query turns conditions: `either` joins them by OR, `not` negates one; and whether figures are `altered`."""
    from sqlglot import exp

    negated = (part for part in query.find_all(exp.Not) if not isinstance(part.this, exp.Is | exp.Exists))
    found = {
        "either": query.find(exp.Or) is not None,
        "not": query.find(exp.NEQ) is not None or any(True for _ in negated),
        "altered": any(map(_alters, query.find_all(exp.Func))),
    }
    return frozenset(name for name, is_so in found.items() if is_so)


def _alters(function: exp.Func) -> bool:
    """Whether a function makes another number of a figure; rounded to two digits or more it is the same to a reader."""
    from sqlglot import exp

    if isinstance(function, exp.Round):
        digits = function.args.get("decimals")
        return not (isinstance(digits, exp.Literal) and digits.name.isdigit() and int(digits.name) >= _SHOWN_DIGITS)
    return (function.name.upper() if isinstance(function, exp.Anonymous) else function.sql_name()) in _ALTERING


def _is_form(literal: exp.Literal) -> bool:
    """Whether a literal only says how many rows, how many digits, how a date is written or which part of it is meant."""
    from sqlglot import exp

    parent, key = literal.parent, literal.arg_key
    if isinstance(
        parent, exp.Limit | exp.Offset | exp.Fetch | exp.Ordered | exp.Group | exp.Interval | exp.DataTypeParam
    ):
        return True
    if isinstance(parent, exp.Round) and key == "decimals":
        return True
    if isinstance(parent, exp.Anonymous) and parent.name.upper() in _FORMATTING and literal.is_string:
        return True
    formats = key in ("format", "unit", "zone") or isinstance(parent, exp.DateTrunc | exp.TimestampTrunc | exp.Extract)
    return formats or (isinstance(parent, exp.WindowSpec) if hasattr(exp, "WindowSpec") else False)
