"""Tables as files often hold them, read as what they are: one table in several parts, periods side by side as columns.

Sheets of the same columns called 2023 and 2024 are one table. A column for each month is a row for each month. The source stays as it
is; the draft describes a SELECT over it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from veracity.errors import QueryFailed
from veracity.language.dates import MONTHS
from veracity.ontology.draft.counting import SourceCounter
from veracity.ontology.draft.names import (
    ends_in,
    name_parts,
    same_noun,
    says_when,
    split,
    undated,
    words_for,
    written_as,
)
from veracity.sources.layout import is_label
from veracity.sources.source import (
    NUMERIC,
    Column,
    ColumnType,
    Dialect,
    Running,
    Source,
    Statement,
    TableSchema,
    identifier,
    literal,
)

_SAMPLE = 2_000_000
_MOST_PARTS = 60
_MOST_ALIKE = 0.1
"""So large a share of the rows may happen to be the same in two parts."""
_FEWEST_PERIODS = {"year": 2, "quarter": 3, "month": 3}
_DAYS = (ColumnType.DATE, ColumnType.TIMESTAMP)
_NAMELESS = re.compile(r"(?:sheet|tabelle|table|data|daten|worksheet|blatt|feuil)\d*")
_YEAR = re.compile(r"(?:19|20)\d\d")
_QUARTER = re.compile(r"q([1-4])")
_MONTH_NUMBER = re.compile(r"0?[1-9]|1[0-2]")


class ReshapedSource:
    """A source with other tables than its engine has: each of them is a SELECT."""

    def __init__(self, source: Source, tables: Mapping[str, TableSchema], notes: Sequence[str]) -> None:
        self._source, self.tables, self.notes = source, tables, tuple(notes)
        self.name, self.dialect = source.name, source.dialect

    def describe(self, select: str) -> tuple[Column, ...]:
        """The columns of a SELECT."""
        return self._source.describe(select)

    def begin(self, statement: Statement) -> Running:
        """Prepare a statement."""
        return self._source.begin(statement)

    def close(self) -> None:
        """Release the engine."""
        self._source.close()


def reshaped(source: Source) -> Source:
    """The source with its parts put together and its periods in rows; itself where there is nothing to do."""
    tables, notes = dict(source.tables), list[str]()
    for joined, parts in _joined(tables, source):
        tables = {name: table for name, table in tables.items() if name not in parts}
        tables[joined.name] = joined
        notes.append(f"{', '.join(parts[:-1])} and {parts[-1]} are read as one table, {joined.name}.")
    for name, table in list(tables.items()):
        if (found := _in_rows(table, source.dialect)) is not None:
            tables[name] = found
            gone = [column for column in table.columns if column not in found.columns and not is_label(column)]
            *_, time, value = found.columns
            notes.append(f"The columns {gone[0]} to {gone[-1]} of {name} are read as rows: {time} and {value}.")
    return ReshapedSource(source, tables, notes) if notes else source


def notes_of(source: Source) -> tuple[str, ...]:
    """What is to be said of tables that are read in another shape."""
    return source.notes if isinstance(source, ReshapedSource) else ()


@dataclass(frozen=True)
class NamedPeriod:
    """The time that a name says: a year, a quarter or a month, of a year or of any."""

    year: int | None = None
    month: int | None = None
    quarter: int | None = None

    @property
    def kind(self) -> str:
        """What it is called."""
        return "quarter" if self.quarter else "month" if self.month else "year"

    def value(self, dialect: Dialect) -> str:
        """What stands for it in a column of its kind: a number, the first day, or the name of a month in any year."""
        if self.kind == "year":
            return str(self.year)
        if self.year is None:
            return literal(f"Q{self.quarter}") if self.quarter else str(self.month)
        month = self.month or 3 * (self.quarter or 1) - 2
        day = literal(f"{self.year}-{month:02}-01")
        return day if dialect == "sqlite" else f"DATE {day}"

    def type(self, dialect: Dialect) -> ColumnType:
        """The type of such a column."""
        if self.kind == "year" or (self.year is None and self.month):
            return ColumnType.INTEGER
        return ColumnType.TEXT if self.year is None or dialect == "sqlite" else ColumnType.DATE


def period_of(name: str, year: int | None = None) -> NamedPeriod | None:
    """The time that a name says, and says nothing besides; `year` is that of a month without its own."""
    words = name_parts(name)
    years = [int(word) for word in words if _YEAR.fullmatch(word)]
    rest = [word for word in words if not _YEAR.fullmatch(word)]
    if len(years) > 1 or len(rest) > 1 or not words:
        return None
    own = years[0] if years else year
    if not rest:
        return NamedPeriod(own)
    if rest[0] in MONTHS:
        return NamedPeriod(own, month=MONTHS[rest[0]])
    if found := _QUARTER.fullmatch(rest[0]):
        return NamedPeriod(own, quarter=int(found[1]))
    if years and _MONTH_NUMBER.fullmatch(rest[0]):
        return NamedPeriod(own, month=int(rest[0]))
    return None


def year_in(name: str) -> int | None:
    """The only year that a name says."""
    years = {int(word) for word in name_parts(name) if _YEAR.fullmatch(word)}
    return years.pop() if len(years) == 1 else None


# --- one table in several parts


def _joined(tables: Mapping[str, TableSchema], source: Source) -> Iterator[tuple[TableSchema, Sequence[str]]]:
    """Tables of the same columns whose names differ only in the time that they are of."""
    groups = defaultdict[tuple[str, tuple[str, ...]], list[TableSchema]](list)
    for table in tables.values():
        schema, _, name = table.name.rpartition(".")
        parts = name_parts(name)
        bare = () if all(map(says_when, parts)) else undated(parts)
        if bare != parts:
            groups[schema, bare].append(table)
    for (schema, bare), parts_of in groups.items():
        if 1 < len(parts_of) <= _MOST_PARTS and (columns := _same_columns(parts_of)) is not None:
            name = _name_of(parts_of[0], bare, source.name)
            whole = f"{schema}.{name}" if schema else name
            if whole not in tables and not _repeat(source, parts_of, columns, bare):
                yield _put_together(whole, parts_of, columns, source.dialect), [table.name for table in parts_of]


def _same_columns(tables: Sequence[TableSchema]) -> list[Column] | None:
    """The columns that all of these tables have; nothing where they differ."""
    first, *others = tables
    if any(list(other.columns) != list(first.columns) for other in others):
        return None
    columns = list[Column]()
    for name in first.columns:
        own = [table.columns[name] for table in tables]
        kinds = {column.type for column in own}
        if len(kinds) > 1 and not kinds <= NUMERIC:
            return None
        finest = max(own, key=lambda column: (column.type is not ColumnType.INTEGER, column.scale or 0))
        columns.append(replace(finest, nullable=any(column.nullable for column in own)))
    return columns


def _repeat(source: Source, tables: Sequence[TableSchema], columns: Sequence[Column], bare: tuple[str, ...]) -> bool:
    """Whether a later part holds rows of an earlier one again, as the list of customers of each year does: together they would count twice."""
    counter = SourceCounter(source, _SAMPLE)
    called = [one.name for one in columns if bare and same_noun(split(one.name), [bare[-1]])]
    numbered = [one.name for one in columns if _identifies(one)]
    texts = [one.name for one in columns if one.type is ColumnType.TEXT and one.name not in numbered]
    # Numbers may begin again in each part: those are the same rows that have the same name, too.
    alike: list[tuple[str, ...]] = [(name,) for name in called]
    alike += [(number, text) for number in numbered for text in texts]
    whole = tuple(one.name for one in columns)
    try:
        return any(_has_again(counter, one, other, whole, alike) for one, other in pairwise(tables))
    except QueryFailed:
        return True


def _has_again(
    counter: SourceCounter,
    one: TableSchema,
    other: TableSchema,
    whole: tuple[str, ...],
    alike: Sequence[tuple[str, ...]],
) -> bool:
    telling = (names for names in alike if _tells_apart(counter, one, names))
    few = _MOST_ALIKE * min(map(counter.count, (one, other)))
    return any(_in_both(counter, one, other, names) > few for names in (whole, *telling))


def _tells_apart(counter: SourceCounter, table: TableSchema, names: Sequence[str]) -> bool:
    """Whether each of these columns has another value in nearly every row."""
    rows = counter.count(table)
    return all(2 * counter.distinct(table, (name,)) > rows for name in names)


def _in_both(counter: SourceCounter, one: TableSchema, other: TableSchema, names: Sequence[str]) -> int:
    shown = ", ".join(map(identifier, names))
    both = f"SELECT {shown} FROM {_home(one)} INTERSECT SELECT {shown} FROM {_home(other)}"
    return counter.one(f"SELECT COUNT(*) FROM ({both}) AS both_have")


def _name_of(part: TableSchema, bare: tuple[str, ...], source: str) -> str:
    """The name of the whole as it is written in the name of a part; of sheets that are called by their year, that of the workbook."""
    written = part.name.rpartition(".")[2]
    if not bare:
        return re.sub(r"\W+", "_", source.rpartition(".")[0] or source).strip("_") or "rows"
    return "_".join(written_as(written, bare) or bare)


def _put_together(name: str, tables: Sequence[TableSchema], columns: list[Column], dialect: Dialect) -> TableSchema:
    """The rows of all parts, with the time of each part where the rows do not say it themselves."""
    periods = [period_of(" ".join(_time_words(table))) for table in tables]
    kinds = {(one.kind, one.year is None) for one in periods if one}
    dated = any(column.type in _DAYS or ends_in(split(column.name), "dates") for column in columns)
    same = all(periods) and len(kinds) == 1 and not dated
    first = periods[0]
    told = first.kind if same and first and first.kind not in {column.name.casefold() for column in columns} else ""
    shown = ", ".join(identifier(column.name) for column in columns)
    selects = [
        f"SELECT {shown}{f', {one.value(dialect)} AS {told}' if told and one else ''} FROM {_home(table)}"
        for table, one in zip(tables, periods, strict=True)
    ]
    more = [Column(told, first.type(dialect), nullable=False)] if told and first else []
    found = {column.name: column for column in (*columns, *more)}
    return TableSchema(name, found, select=" UNION ALL ".join(selects))


def _time_words(table: TableSchema) -> list[str]:
    name = name_parts(table.name.rpartition(".")[2])
    return [word for word in name if says_when(word) and word not in words_for("of_files")]


def _home(table: TableSchema) -> str:
    if table.select:
        return f"({table.select}) AS parts"
    return ".".join(identifier(part) for part in table.name.split("."))


# --- periods side by side


def _in_rows(table: TableSchema, dialect: Dialect) -> TableSchema | None:
    """A table with a column for each period as one with a row for each; nothing where it is none, or holds other figures, too."""
    year = year_in(table.name.rpartition(".")[2])
    numbers = [column for column in table.columns.values() if column.type in NUMERIC]
    periods = {column.name: one for column in numbers if (one := period_of(column.name, year)) is not None}
    kinds = {(one.kind, one.year is None) for one in periods.values()}
    if len(kinds) != 1 or len(set(periods.values())) < max(len(periods), _FEWEST_PERIODS[next(iter(kinds))[0]]):
        return None
    others = [column for column in table.columns.values() if column.name not in periods and not is_label(column.name)]
    if not others or any(column.type in NUMERIC and not _identifies(column) for column in others):
        return None  # a figure that is no period would stand in several rows
    first = next(iter(periods.values()))
    names = {column.name.casefold() for column in others}
    value = _value_name(table)
    if first.kind in names or value.casefold() in (*names, first.kind):
        return None
    shown = ", ".join(identifier(column.name) for column in others)
    selects = [
        f"SELECT {shown}, {one.value(dialect)} AS {first.kind}, {identifier(name)} AS {identifier(value)}"
        f" FROM {_home(table)} WHERE {identifier(name)} IS NOT NULL"
        for name, one in periods.items()
    ]
    figures = [table.columns[name] for name in periods]
    finest = max(figures, key=lambda column: (column.type is not ColumnType.INTEGER, column.scale or 0))
    time = Column(first.kind, first.type(dialect), nullable=False)
    columns = (*others, time, replace(finest, name=value, nullable=False))
    return TableSchema(table.name, {one.name: one for one in columns}, select=" UNION ALL ".join(selects))


def _identifies(column: Column) -> bool:
    words = split(column.name)
    return words[-1] == "id" or ends_in(words, "filed_under")


def _value_name(table: TableSchema) -> str:
    """What the figures are called: as the table is."""
    words = undated(name_parts(table.name.rpartition(".")[2]))
    return "value" if len(words) == 1 and _NAMELESS.fullmatch(words[0]) else "_".join(words)
