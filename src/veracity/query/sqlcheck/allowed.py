"""The allow-list: every node of a parsed statement with what it may carry, every function, and what each engine lacks.

What is not named here is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from veracity.sources.source import Dialect


def listed(text: str) -> dict[str, frozenset[str]]:
    """Lines of `name name: word word` -> the words of each name."""
    found: dict[str, frozenset[str]] = {}
    for line in text.strip().splitlines():
        names, _, words = line.partition(":")
        found |= dict.fromkeys(names.split(), frozenset(words.split()))
    return found


STRUCTURE = listed("""
    Select: with_ expressions distinct from_ joins where group having qualify order limit offset
    Union Except Intersect: with_ this expression distinct order limit offset
    Subquery: this alias
    With: expressions
    CTE: this alias materialized
    TableAlias: this columns
    From Where Having Qualify Paren: this
    Table: this db catalog alias
    Join: this on side kind using
    Group: expressions all
    Order: expressions
    Ordered: this desc nulls_first
    Limit Offset: expression
    Fetch: count direction limit_options
    LimitOptions: rows
    Distinct: expressions on
    Star: except_
    Column: this table db catalog
    Identifier: this quoted
    Alias: this alias
    Tuple: expressions
    Literal: this is_string
    Boolean Var: this
    Null:
    Interval: this unit
    DataType: this expressions nested
    DataTypeParam: this
    Window: this partition_by order spec over
    WindowSpec: kind start start_side end end_side
    Filter: this expression
    IgnoreNulls: this
""")
OPERATORS = listed("""
    Add Sub Mul Mod IntDiv DPipe EQ NEQ LT LTE GT GTE NullSafeEQ NullSafeNEQ Is And Or Escape: this expression safe
    Div: this expression typed safe
    Neg Not Exists: this
    Like ILike: this expression negate
    Between: this low high
    In: this expressions query
    Case: this ifs default
    If: this true false
    Cast TryCast: this to
""")
FUNCTIONS = listed("""
    Sum Avg Min Max AnyValue Median Stddev StddevPop StddevSamp Variance VariancePop LogicalAnd LogicalOr CountIf: this
    Count: this expressions big_int
    ArgMax ArgMin: this expression
    GroupConcat: this separator on_overflow
    RowNumber Rank DenseRank PercentRank CumeDist CurrentDate CurrentTimestamp: this
    Ntile FirstValue LastValue: this
    NthValue: this offset
    Lag Lead: this offset default
    Abs Ceil Floor Sqrt Ln Log Exp Sign: this
    Trunc Round: this decimals
    Pow Nullif: this expression
    Greatest Least: this expressions ignore_nulls
    Coalesce: this expressions
    Lower Upper Length Initcap: this
    Trim: this expression position
    Substring: this start length
    Left Right StartsWith EndsWith Contains: this expression
    Concat ConcatWs: expressions safe coalesce
    Replace: this expression replacement
    StrPosition: this substr
    SplitPart: this delimiter part_index
    Pad: this expression fill_pattern is_left
    Extract: this expression
    Year Month Day Quarter Week DayOfWeek DayOfMonth DayOfYear Hour Minute Second Date LastDay Monthname Dayname: this
    DateTrunc TimestampTrunc: this unit
    DateDiff: this expression unit date_part_boundary
    DateAdd DateSub: this expression unit
    DateFromParts: year month day
    TimeToStr: this format
    UnixToTime TimeToUnix: this
""")
NODES = STRUCTURE | OPERATORS | FUNCTIONS
"""A node's class -> the arguments it may carry."""

_QUERY = "Select Union Except Intersect Subquery"
SHAPES = listed(f"""
    Exists.this In.query Subquery.this CTE.this Union.this Union.expression Except.this Except.expression Intersect.this Intersect.expression: {_QUERY}
    From.this Join.this: Table Subquery
    Filter.expression: Where
    CTE.alias Subquery.alias Table.alias: TableAlias
    Case.ifs: If
    Order.expressions: Ordered
""")
"""What must stand in a node's argument, where that is not just any expression."""

CALLS: Mapping[str, frozenset[str]] = listed("""
    duckdb: NOW DATE_PART MAKE_DATE
    sqlite: STRFTIME DATE DATETIME JULIANDAY UNIXEPOCH
    postgres: DATE_PART MAKE_DATE AGE
""")
"""Functions that the parser has no class for."""
ABSENT: Mapping[str, frozenset[str]] = listed("""
    duckdb: Initcap
    sqlite: Median Stddev StddevPop StddevSamp Variance VariancePop ArgMax ArgMin Left Right StartsWith EndsWith Contains Initcap ConcatWs SplitPart Pad DateDiff DateAdd DateSub DateFromParts LastDay Monthname Dayname TimeToUnix Week DayOfWeek DayOfYear Concat
    postgres: ArgMax ArgMin EndsWith Contains DateDiff DateAdd DateSub DateFromParts Monthname Dayname TimeToUnix
""")
"""What an engine does not have, or what would mean something else there."""
TYPES = listed("""
    whole: TINYINT SMALLINT INT BIGINT INT128 UTINYINT USMALLINT UINT UBIGINT
    decimal: DECIMAL
    float: FLOAT DOUBLE
    text: CHAR VARCHAR TEXT
    boolean: BOOLEAN
    date: DATE
    timestamp: DATETIME TIMESTAMP TIMESTAMPNTZ TIMESTAMPTZ
""")
"""What something may be cast to, by kind."""


_WRITTEN = {
    "DateFromParts": "MAKE_DATE",
    "DateTrunc": "DATE_TRUNC",
    "GroupConcat": "STRING_AGG",
    "LogicalAnd": "BOOL_AND",
    "LogicalOr": "BOOL_OR",
    "StrPosition": "STRPOS",
    "TimeToUnix": "EPOCH",
    "TimestampTrunc": "DATE_TRUNC",
    "UnixToTime": "TO_TIMESTAMP",
}
"""How a function is written where its class is called otherwise."""


def function_names(dialect: Dialect) -> frozenset[str]:
    """The functions that an engine has, as people write them."""
    from sqlglot import exp

    known = frozenset(FUNCTIONS) - ABSENT[dialect] - {"TimeToStr"}
    names = {_WRITTEN.get(name) or getattr(exp, name).sql_name() for name in known}
    return CALLS[dialect] | names | {"TO_CHAR" if dialect == "postgres" else "STRFTIME"}
