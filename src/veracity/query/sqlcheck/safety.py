"""Parse, and refuse whatever is not allow-listed: node by node, argument by argument, function by function."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from types import new_class
from typing import TYPE_CHECKING, cast

from veracity.contracts import clip
from veracity.language.nearest import nearest
from veracity.query.sqlcheck.allowed import (
    ABSENT,
    CALLS,
    CLASSED,
    FOREIGN,
    NODES,
    NOT_JUDGED,
    SHAPES,
    TYPES,
    function_names,
    own_functions,
)
from veracity.query.sqlcheck.refusal import SqlRefused, unsafe
from veracity.sources.source import Dialect

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.parser import Parser


NATIVE = "native"
"""Where a statement keeps that it is in the source's own SQL."""
QUOTED_TEXT = "quoted text"
"""Where a name keeps that it stands in double quotes, which SQLite takes for a text where no column is called so."""
_FOREIGN = "foreign"
LONGEST = 10_000
_DEEPEST_PARENTHESES = 60
_DEEPEST = 160
_MOST_NODES = 5_000
_MOST_TABLES = 16
_MOST_WILDCARDS = 8
_LONGEST_PAD = 100


_GROWING = re.compile(r"\d{3}|[*$]|\{\d|\{:[^}]*\{")
"""Formats that repeat a value or make it wide."""
_SYSTEM_SCHEMAS = frozenset({"information_schema", "pg_catalog", "pg_toast", "temp", "system"})
_SYSTEM_NAMES = ("sqlite_", "pg_", "duckdb_", "pragma_", "dbstat")
_SIGNS_OF_FILES = ("/", "\\", ":", "*", "?")
_FILE_ENDINGS = (".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson", ".xlsx", ".txt", ".db", ".duckdb", ".sqlite", ".gz")  # fmt: skip


def parse(sql: str, dialect: Dialect) -> exp.Query:
    """The one SELECT that the text is, every part of it allow-listed; raises `SqlRefused`.

    It is read as the source itself would read it. Only where the source has no such word or sign it is read in DuckDB's SQL,
    which is then translated: nothing that the source can run is ever taken for something else.
    """
    _check_text(sql)
    try:
        query = _one_select(sql, dialect, native=True)
        _check_tree(query, dialect, native=True)
    except SqlRefused as refused:
        if dialect == "duckdb" or not refused.foreign:
            raise
        return _translated(sql, dialect, refused)
    query.meta[NATIVE] = True
    return query


def _translated(sql: str, dialect: Dialect, first: SqlRefused) -> exp.Query:
    try:
        query = _one_select(sql, "duckdb", native=False)
        _check_tree(query, dialect, native=False)
    except SqlRefused:
        raise first from None
    return query


def is_native(query: exp.Query) -> bool:
    """Whether a statement was read in the source's own SQL, so that it runs as the source would run the text."""
    return bool(query.meta.get(NATIVE))


def _check_text(sql: str) -> None:
    if not sql.strip():
        raise unsafe("The SQL is empty; write one SELECT.")
    if len(sql) > LONGEST:
        raise unsafe(f"The SQL is longer than {LONGEST} characters; write it shorter.")
    if any((ord(sign) < 32 and sign not in "\t\n\r") or "\ud800" <= sign <= "\udfff" for sign in sql):
        raise unsafe("The SQL holds a character that cannot be read; write plain text.")
    depth = deepest = 0
    for sign in sql:
        depth += (sign in "([{") - (sign in ")]}")
        deepest = max(deepest, depth)
    if deepest > _DEEPEST_PARENTHESES:
        raise unsafe("The SQL is nested too deeply; write it flatter, with WITH.")


def _one_select(sql: str, dialect: Dialect, *, native: bool) -> exp.Query:
    import sqlglot
    from sqlglot import exp

    try:
        _check_beginning(sql, dialect)
        parsed = _parsed(sql, dialect) if native else sqlglot.parse(sql, read=dialect)
    except sqlglot.errors.ParseError as error:
        raise unsafe(_unreadable(error)) from None
    except (sqlglot.errors.SqlglotError, ValueError, LookupError, AttributeError, TypeError):
        # The parser stumbles over broken texts in more ways than it says.
        raise unsafe("The SQL cannot be read; check quotes and brackets.") from None
    statements = [statement for statement in parsed if statement is not None]
    statement: exp.Expr | None = statements[0] if len(statements) == 1 else None
    while isinstance(statement, exp.Subquery) and not _carried(statement, "this"):
        statement = statement.this
    if not isinstance(statement, exp.Select | exp.SetOperation):
        raise unsafe("Only one SELECT is run, nothing else.")
    return statement


def _check_beginning(sql: str, dialect: Dialect) -> None:
    """A query is told by its first word; nothing else is even parsed."""
    import sqlglot
    from sqlglot.tokenizer_core import TokenType

    tokens = sqlglot.tokenize(sql, read=dialect)
    words = [token for token in tokens if token.token_type is not TokenType.SEMICOLON]
    if not words:
        raise unsafe("The SQL is empty; write one SELECT.")
    if words[0].token_type not in (TokenType.SELECT, TokenType.WITH, TokenType.FROM, TokenType.L_PAREN):
        raise unsafe(f"Only a SELECT is run, no {clip(words[0].text.upper(), 24)}.", name=clip(words[0].text, 24))
    ends = [at for at, token in enumerate(tokens) if token.token_type is TokenType.SEMICOLON]
    if ends and any(at > ends[0] for at, token in enumerate(tokens) if token.token_type is not TokenType.SEMICOLON):
        raise unsafe("Only one statement at a time is run; send one SELECT.")


@cache
def _plain_parser(dialect: Dialect) -> type[Parser]:
    """The parser of an engine's SQL, knowing only the functions whose meaning the checks need."""
    from sqlglot import Dialect as Spoken

    usual = type(Spoken.get_or_raise(dialect).parser())
    known = {name: build for name, build in usual.FUNCTIONS.items() if name in CLASSED}
    return cast(
        "type[Parser]", new_class(f"Plain{usual.__name__}", (usual,), {}, lambda own: own.update(FUNCTIONS=known))
    )


def _parsed(sql: str, dialect: Dialect) -> list[exp.Expr | None]:
    """The statements of a text. Functions stay as they are written, but for those whose meaning the checks need."""
    from sqlglot import Dialect as Spoken
    from sqlglot import exp

    spoken = Spoken.get_or_raise(dialect)
    parser = _plain_parser(dialect)(dialect=spoken)
    tokens = spoken.tokenize(sql)
    parsed = parser.parse(tokens, sql)
    casts = any(token.text.upper() == "CAST" for token in tokens)
    for node in (node for statement in parsed if statement is not None for node in list(statement.walk())):
        if isinstance(node, exp.Is) and node.args.get("negate"):
            node.replace(exp.Not(this=exp.Is(this=node.this.copy(), expression=node.expression.copy())))
        elif dialect == "sqlite" and isinstance(node, exp.Identifier):
            start = node.meta.get("start")
            node.meta[QUOTED_TEXT] = start is not None and sql[start : start + 1] == '"'
        elif dialect == "sqlite" and isinstance(node, exp.Cast):
            # DATE '2025-01-31' and day::date are casts, too, but not in SQLite.
            node.meta[_FOREIGN] = not casts
    return parsed


def _unreadable(error: Exception) -> str:
    found = getattr(error, "errors", None) or [{}]
    where = " ".join(str(found[0].get("highlight") or "").split())
    return f"The SQL cannot be read near {clip(where, 30)!r}." if where else "The SQL cannot be read; check its syntax."


def _function_in_words(node: exp.Expr) -> str:
    from sqlglot import exp

    if isinstance(node, exp.Anonymous):
        return str(node.this).upper()
    return node.sql_name() if isinstance(node, exp.Func) else node.key.upper()


def _carried(node: exp.Expr, *known: str) -> list[str]:
    """The arguments that a node carries beyond the known ones."""
    return [key for key, value in node.args.items() if key not in known and value not in (None, False, [], "")]


def _nodes(root: exp.Query) -> Iterator[tuple[exp.Expr, int]]:
    """Every node and how deep it lies, without recursion."""
    pending: list[tuple[exp.Expr, int]] = [(root, 0)]
    while pending:
        node, depth = pending.pop()
        yield node, depth
        pending += [(child, depth + 1) for child in node.iter_expressions(reverse=True)]


def _check_tree(root: exp.Query, dialect: Dialect, *, native: bool) -> None:
    from sqlglot import exp

    tables = 0
    for count, (node, depth) in enumerate(_nodes(root)):
        if depth > _DEEPEST or count > _MOST_NODES:
            raise unsafe("The SQL is too large or nested too deeply; ask for less at once.")
        _check_node(node, dialect, native=native)
        tables += isinstance(node, exp.Table)
    if tables > _MOST_TABLES:
        raise unsafe(f"The SQL reads more than {_MOST_TABLES} tables; ask for less at once.")


def _check_node(node: exp.Expr, dialect: Dialect, *, native: bool) -> None:
    from sqlglot import exp

    name = type(node).__name__
    if isinstance(node, exp.Anonymous):
        called = str(node.this).upper()
        if called not in (own_functions(dialect) if native else CALLS[dialect]):
            raise _unknown_function(called, dialect, foreign=native and called not in NOT_JUDGED[dialect])
        _check_call(node, called, dialect)
        return
    if isinstance(node, exp.Table):
        _check_table(node)
    known = NODES.get(name)
    if known is None:
        if isinstance(node, exp.Func) and name not in _WORDS:
            raise _unknown_function(_function_in_words(node), dialect, foreign=False)
        raise _not_allowed(node)
    if name in (FOREIGN[dialect] if native else ABSENT[dialect]):
        called = _function_in_words(node)
        hint = f"{dialect} has no {clip(called, 30)} here; write it another way."
        raise unsafe(hint, name=called, foreign=native)
    if beyond := _carried(node, *known):
        raise _beyond(node, beyond[0])
    if isinstance(node, exp.DataType) and not any(getattr(node.this, "name", "") in names for names in TYPES.values()):
        raise unsafe(f"Nothing can be cast to {clip(node.sql(), 30)} here.", name=clip(node.sql(), 30))
    if native:
        _check_meaning(node, dialect)
    elif isinstance(node, exp.TimeToStr) and isinstance(node.this, exp.Literal):
        raise unsafe("STRFTIME takes the day first here: STRFTIME(day, '%Y').", name="STRFTIME")
    _check_shape(node)
    _check_size(node)
    _check_growth(node)


def _check_meaning(node: exp.Expr, dialect: Dialect) -> None:
    """What an engine takes for something else than it says."""
    from sqlglot import exp

    if dialect == "sqlite" and isinstance(node, exp.Cast) and node.to.this.name in TYPES["date"] | TYPES["timestamp"]:
        hint = "SQLite casts a date to its year; use DATE(...) or DATETIME(...)."
        raise unsafe(hint, name="CAST", foreign=bool(node.meta.get(_FOREIGN)))
    if isinstance(node, exp.Substring) and isinstance(start := node.args.get("start"), exp.Literal) and start.is_string:
        raise unsafe("Regular expressions are not allowed; use LIKE.", name="SUBSTRING")


def _check_call(node: exp.Anonymous, called: str, dialect: Dialect) -> None:
    """Functions that are safe or clear only with some arguments."""
    from sqlglot import exp

    first = node.expressions[0] if node.expressions else None
    text = (isinstance(first, exp.Literal) and first.is_string) or (
        isinstance(first, exp.Column) and first.this.meta.get(QUOTED_TEXT)
    )
    written = first.name if first is not None and text else None
    if called in ("PRINTF", "FORMAT") and (written is None or _GROWING.search(written)):
        raise unsafe(f"{called} takes a written format, each value once, widths below 100.", name=called)
    if called == "STRFTIME" and dialect == "sqlite" and (written is None or "%" not in written):
        hint = "SQLite's STRFTIME takes the format first: STRFTIME('%Y', day)."
        raise unsafe(hint, name=called, suggestion="STRFTIME('%Y', day)")


def _check_shape(node: exp.Expr) -> None:
    """The parser lets through more than makes sense: `EXISTS (x)` has no query in it, `""` is no name."""
    from sqlglot import exp

    if isinstance(node, exp.Identifier) and not node.name:
        raise unsafe("A name is empty; write which table or column is meant.")
    place = f"{type(node.parent).__name__}.{node.arg_key}"
    if isinstance(node, exp.Select | exp.SetOperation) and node.parent and "Select" not in SHAPES.get(place, ()):
        raise unsafe("A SELECT inside an expression stands in brackets of its own.")
    for argument, found in node.args.items():
        wanted = SHAPES.get(f"{type(node).__name__}.{argument}")
        if wanted is None or found is None:
            continue
        for inner in found if isinstance(found, list) else [found]:
            if type(inner).__name__ in _WORDS:
                raise _not_allowed(inner)
            if type(inner).__name__ not in wanted:
                raise unsafe(
                    f"{clip(_function_in_words(node), 24)} stands around something that does not belong there."
                )


def _check_size(node: exp.Expr) -> None:
    """LIMIT and OFFSET take a written number: anything else could read what it must not."""
    from sqlglot import exp

    if isinstance(node, exp.Limit | exp.Offset | exp.Fetch):
        size = node.args.get("count") if isinstance(node, exp.Fetch) else node.expression
        if not (isinstance(size, exp.Literal) and size.name.isdigit() and len(size.name) < 10):
            raise unsafe("LIMIT and OFFSET take whole numbers.")


def _check_table(table: exp.Table) -> None:
    """System tables, table functions, files and addresses are told apart from a name that is only wrong."""
    from sqlglot import exp

    if not isinstance(table.this, exp.Identifier) or not table.name:
        raise unsafe("Only tables can be read: no table functions, no files.", name=clip(table.sql(), 40))
    parts = [part.casefold() for part in (table.catalog, table.db, table.name) if part]
    if set(parts[:-1]) & _SYSTEM_SCHEMAS or parts[-1].startswith(_SYSTEM_NAMES):
        raise unsafe("System tables are not there to be read.", name=".".join(parts))
    if parts[-1].endswith(_FILE_ENDINGS) or any(sign in parts[-1] for sign in _SIGNS_OF_FILES):
        raise unsafe("Files and addresses are not there to be read; name a table.", name=parts[-1])


def _unknown_function(name: str, dialect: Dialect, *, foreign: bool) -> SqlRefused:
    allowed = function_names(dialect)
    shown = clip(name.upper(), 30)
    meant = next((other for other in _INSTEAD.get(name.upper(), ()) if other in allowed), None)
    suggestion = meant or nearest(shown, sorted(allowed))
    hint = f"The function {shown} is not allowed here."
    return unsafe(hint, name=shown, suggestion=suggestion, foreign=foreign)


_INSTEAD = {
    **dict.fromkeys(("TO_CHAR", "DATE_FORMAT", "FORMAT_DATE", "FORMAT"), ("STRFTIME", "TO_CHAR", "EXTRACT")),
    **dict.fromkeys(("STRFTIME", "YEARWEEK", "DATEPART"), ("TO_CHAR", "EXTRACT")),
    **dict.fromkeys(("GETDATE", "NOW", "TODAY", "SYSDATE", "CURDATE"), ("CURRENT_DATE",)),
    **dict.fromkeys(("ISNULL", "NVL"), ("COALESCE",)),
    **dict.fromkeys(("TOTAL", "FSUM", "KAHAN_SUM"), ("SUM",)),
    "LEN": ("LENGTH",),
    "MEAN": ("AVG",),
    "ARRAY_AGG": ("GROUP_CONCAT",),
}
"""What people write for a function that is there under another name."""

_WORDS = {
    "Placeholder": "Parameters are not known here; write values as literals.",
    "Parameter": "Parameters are not known here; write values as literals.",
    "SessionParameter": "Variables and settings cannot be read.",
    "Values": "VALUES brings rows that are not in the data; read a table.",
    "Lateral": "LATERAL is not allowed; write a join or a subquery.",
    "Unnest": "UNNEST is not allowed; read a table.",
    "RegexpLike": "Regular expressions are not allowed; use LIKE.",
    "RegexpILike": "Regular expressions are not allowed; use LIKE.",
    "SimilarTo": "SIMILAR TO is not allowed; use LIKE.",
    "AtTimeZone": "AT TIME ZONE is not allowed; all times are read as UTC.",
    "Any": "ANY is not allowed; use IN.",
    "All": "ALL is not allowed; use MAX or MIN in a subquery.",
}


_CALLED = {
    "RegexpLike": "~",
    "RegexpILike": "~*",
    "SimilarTo": "SIMILAR TO",
    "AtTimeZone": "AT TIME ZONE",
}
"""How people write what the parser calls otherwise."""


def _not_allowed(node: exp.Expr) -> SqlRefused:
    name = type(node).__name__
    called = _CALLED.get(name) or _function_in_words(node.this if name == "WithinGroup" else node)
    hint = _WORDS.get(name, f"{clip(called, 24)} is not allowed here; write a plain SELECT.")
    return unsafe(hint, name=clip(called, 24))


_ARGUMENTS = {
    "recursive": "Recursive queries are not allowed.",
    "sample": "Samples are not allowed: a part of the rows gives no true figure.",
    "into": "SELECT INTO writes; only reading is allowed.",
    "locks": "FOR UPDATE locks rows; only reading is allowed.",
    "method": "NATURAL and ASOF joins are not allowed; write JOIN ... ON.",
    "laterals": "LATERAL is not allowed; write a join or a subquery.",
    "rollup": "ROLLUP mixes totals with their parts; write one GROUP BY per query.",
    "cube": "CUBE mixes totals with their parts; write one GROUP BY per query.",
    "grouping_sets": "GROUPING SETS mixes totals with parts; write one GROUP BY.",
    "windows": "Named windows are not allowed; write OVER (...) at the function.",
    "joins": "Joins in parentheses are not allowed; write them one after the other.",
    "by_name": "UNION BY NAME is not allowed; write UNION ALL.",
}


def _beyond(node: exp.Expr, argument: str) -> SqlRefused:
    name = type(node).__name__
    called = clip(f"{name} {argument}".upper(), 40)
    return unsafe(_ARGUMENTS.get(argument, f"{called} is not allowed here."), name=called)


def _check_growth(node: exp.Expr) -> None:
    """What could blow up: patterns with many wildcards and texts padded without end."""
    from sqlglot import exp

    if isinstance(node, exp.Like | exp.ILike) and node.expression.name.count("%") > _MOST_WILDCARDS:
        raise unsafe(f"A pattern takes at most {_MOST_WILDCARDS} wildcards.")
    if isinstance(node, exp.Pad):
        length = node.expression
        if not (isinstance(length, exp.Literal) and length.name.isdigit() and int(length.name[:9]) <= _LONGEST_PAD):
            raise unsafe(f"A text is padded to at most {_LONGEST_PAD} characters, written as a number.")
