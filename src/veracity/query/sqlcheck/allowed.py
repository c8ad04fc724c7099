"""The allow-list: every node of a parsed statement with what it may carry, every function, and what each engine has or lacks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

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
    Order: expressions this
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
    Like ILike Glob: this expression negate
    Between: this low high
    In: this expressions query
    Case: this ifs default
    If: this true false
    Cast: this to
    TryCast: this to safe
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
    Abs Ceil Floor Sqrt Ln Exp Sign: this
    Log: this expression
    Trunc Round: this decimals
    Pow Nullif: this expression
    Greatest Least: this expressions ignore_nulls
    Coalesce: this expressions
    Lower Upper Length: this
    Initcap: this expression
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
CLASSED = listed("""
    read: SUM AVG MIN MAX COUNT ANY_VALUE MEDIAN STDDEV STDDEV_POP STDDEV_SAMP VARIANCE VAR_POP VAR_SAMP BOOL_AND BOOL_OR LOGICAL_AND LOGICAL_OR COUNT_IF COUNTIF ARG_MAX ARG_MIN ARGMAX ARGMIN MAX_BY MIN_BY GROUP_CONCAT STRING_AGG LISTAGG ROW_NUMBER RANK DENSE_RANK PERCENT_RANK CUME_DIST NTILE FIRST_VALUE LAST_VALUE NTH_VALUE LAG LEAD COALESCE IFNULL NULLIF GREATEST LEAST IF IIF LOWER UPPER LENGTH ABS CEIL CEILING FLOOR ROUND TRUNC SIGN LPAD RPAD
""")["read"]
"""Functions that are read for what they do; every other one stays in a statement as it is written."""
OWN: Mapping[str, Mapping[str, frozenset[str]]] = {
    "sqlite": listed("""
        text: STRFTIME TIME SUBSTR LTRIM RTRIM REPLACE PRINTF FORMAT TYPEOF
        date: DATE
        timestamp: DATETIME
        integer: INSTR UNICODE UNIXEPOCH
        float: JULIANDAY SQRT POWER POW EXP LN LOG LOG10 LOG2
        alike: MOD
    """),
    "duckdb": listed("""
        text: STRFTIME SUBSTR LEFT RIGHT LTRIM RTRIM REPLACE CONCAT CONCAT_WS SPLIT_PART REVERSE TRANSLATE MONTHNAME DAYNAME PRINTF FORMAT MD5
        boolean: STARTS_WITH ENDS_WITH CONTAINS PREFIX SUFFIX
        integer: INSTR STRPOS STRLEN LEN ASCII UNICODE LEVENSHTEIN YEAR MONTH DAY QUARTER WEEK WEEKOFYEAR WEEKDAY YEARWEEK DAYOFWEEK ISODOW DAYOFMONTH DAYOFYEAR HOUR MINUTE SECOND DATE_DIFF DATEDIFF DATE_SUB DATESUB
        float: SQRT POWER POW EXP LN LOG LOG10 LOG2 CBRT EPOCH JULIAN
        date: LAST_DAY MAKE_DATE TODAY
        timestamp: DATE_ADD STRPTIME TRY_STRPTIME TO_TIMESTAMP MAKE_TIMESTAMP NOW
        number: DATE_PART DATEPART
        alike: MOD DATE_TRUNC DATETRUNC
        other: AGE TIME_BUCKET
    """),
    "postgres": listed("""
        text: TO_CHAR SUBSTR LEFT RIGHT LTRIM RTRIM BTRIM REPLACE CONCAT CONCAT_WS SPLIT_PART REVERSE TRANSLATE FORMAT MD5
        boolean: STARTS_WITH
        integer: STRPOS ASCII CHAR_LENGTH CHARACTER_LENGTH OCTET_LENGTH
        float: CBRT
        number: SQRT POWER POW EXP LN LOG LOG10 TO_NUMBER DATE_PART
        date: TO_DATE MAKE_DATE DATE
        timestamp: TO_TIMESTAMP MAKE_TIMESTAMP NOW DATE_BIN
        alike: MOD DIV DATE_TRUNC
        other: AGE JUSTIFY_DAYS JUSTIFY_HOURS JUSTIFY_INTERVAL
    """),
}
"""An engine's own functions by what they make: `alike` what they are given, `number` some number, `other` anything."""
FOREIGN: Mapping[str, frozenset[str]] = listed("""
    duckdb: Initcap
    sqlite: Extract Interval ILike TryCast AnyValue Median Stddev StddevPop StddevSamp Variance VariancePop LogicalAnd LogicalOr CountIf ArgMax ArgMin Pad Initcap TimestampTrunc DateTrunc
    postgres: CountIf ArgMax ArgMin TryCast Glob Median
""")
"""What the parser takes up that is not an engine's own."""
NOT_JUDGED: Mapping[str, frozenset[str]] = listed("""
    duckdb:
    sqlite: TOTAL CONCAT CONCAT_WS
    postgres: EXTRACT EVERY
""")
"""What an engine has, or has in some version, and the checks do not judge: never taken for DuckDB's."""


@cache
def own_functions(dialect: Dialect) -> frozenset[str]:
    """The functions of an engine that stay as they are written."""
    return frozenset(name for names in OWN[dialect].values() for name in names)


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
    return CALLS[dialect] | own_functions(dialect) | names
