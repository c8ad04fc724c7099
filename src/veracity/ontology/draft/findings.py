"""What a draft is made of: tables and columns as they were counted, keys, relations and classes with their evidence."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from veracity.ontology.draft.stored_texts import Writing
from veracity.sources.source import NUMERIC, ColumnType
from veracity.wire import Wire

SURE_FROM = 30
"""Below so many rows nothing is called proven."""


class ColumnClass(StrEnum):
    """What a column is."""

    KEY = "key"
    REFERENCE = "reference"
    NAME = "name"
    CATEGORY = "category"
    CODE = "code"
    YEAR = "year"
    MONTH = "month"
    DATE = "date"
    ADDITIVE = "additive"
    AVERAGE = "average"
    LEVEL = "level"
    UNIT = "unit"
    CURRENCY = "currency"
    FLAG = "flag"
    TEXT = "text"
    NUMBER = "number"
    OTHER = "other"


class ColumnProfile(Wire):
    """A column as it was counted."""

    name: str
    type: ColumnType
    filled: int = 0
    """Rows that have a value."""
    distinct: int = 0
    exact: bool = True
    """Whether `distinct` was counted, not estimated or counted in a sample."""
    low: str | None = None
    high: str | None = None
    length: float | None = None
    """Of texts: how long they are on average."""
    average: float | None = None
    """Of numbers."""
    values: tuple[str, ...] = ()
    """All stored values where there are few."""
    mixed: int = 0
    """Rows with a text in a column of numbers."""
    looks: Literal["date", "written", "number", "truth"] | None = None
    """What all the texts that were looked at can be read as."""
    writing: Writing | None = None
    """How numbers or days are written that are stored as texts, where that holds for all of them."""
    scale: int | None = None

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers, by its type or in texts that are all numbers."""
        return self.type in NUMERIC or self.writing == "number"


class TableProfile(Wire):
    """A table as it was counted."""

    name: str
    rows: int = 0
    sampled: int | None = None
    """How many rows were looked at, where that is not all of them."""
    columns: tuple[ColumnProfile, ...] = ()
    primary_key: tuple[str, ...] = ()
    """As the database declares it."""
    unique: tuple[tuple[str, ...], ...] = ()
    references: tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...] = ()
    """Declared foreign keys: own columns, other table, its columns."""
    problem: str | None = None
    """Why it could not be looked at."""
    select: str = ""
    """The SELECT that it stands for, where the source has no table of its name."""

    def column(self, name: str) -> ColumnProfile:
        """The column of that name."""
        return next(column for column in self.columns if column.name == name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(column.name for column in self.columns)


Proof = Literal["declared", "proven", "consistent", "named"]
"""Declared by the database; shown by exact counts; borne out by few rows or a sample; only the names say so."""


class FoundKey(Wire):
    """Columns that identify a row."""

    columns: tuple[str, ...]
    proof: Proof
    evidence: str


class FoundRelation(Wire):
    """Columns of one table that hold the key of another."""

    table: str
    columns: tuple[str, ...]
    other: str
    referred: tuple[str, ...]
    proof: Proof
    evidence: str
    sure: bool
    role: str | None = None
    """What the other is to this one, where the column says more than the other table's name."""
    one_to_one: bool = False
    beside: Literal["", "ask", "yes"] = ""
    """Whether one also says that the other lies on this one, as places on a river: asked, or said so."""
    part: bool = False
    """Whether the other is one of those that belong to this one: the capital of a state is one of its cities."""

    @property
    def id(self) -> str:
        """Which relation it is."""
        return f"{self.table}.{'+'.join(self.columns)}->{self.other}"


class ColumnVerdict(Wire):
    """What a column is, and why."""

    kind: ColumnClass
    reason: str
    sure: bool = True
    """Whether it may be used before a person says so."""
    over: tuple[str, ...] = ()
    """The columns that must be the same in rows that are added up: dates of a snapshot, status, type."""
    unit: str | None = None
    hundredths: bool = False
    """Whether an amount is stored in cents: what people see is a hundredth of it."""
    unit_field: str | None = None
    units: tuple[str, ...] = ()
    """The units that it may be in, where nobody says."""
    ask: Literal["rows", "away", "amount", "flow", "price", ""] = ""
    """What a person is asked about it."""
    counted_by: str | None = None
    """The column one key away that may say which rows count, as `Table.column`."""


class ColumnDraft(Wire):
    """A column with its class."""

    profile: ColumnProfile
    verdict: ColumnVerdict

    @property
    def is_rewritten(self) -> bool:
        """Whether a view reads its texts as the numbers or days that they are, 2003.0 as a year, or cents as an amount."""
        if self.verdict.kind is ColumnClass.YEAR and self.profile.type is not ColumnType.INTEGER:
            return True
        if self.verdict.hundredths:
            return True
        figures = (ColumnClass.ADDITIVE, ColumnClass.AVERAGE, ColumnClass.LEVEL, ColumnClass.NUMBER)
        if self.profile.writing == "number":
            return self.profile.type is ColumnType.TEXT and self.verdict.kind in figures
        return self.profile.writing is not None and self.verdict.kind is ColumnClass.DATE


class FoundMeasure(Wire):
    """A figure that somebody may have a word for."""

    name: str
    table: str
    expression: str
    label: dict[str, str] = {}
    synonyms: dict[str, tuple[str, ...]] = {}
    where: tuple[str, str] | None = None
    """A column and the value of the rows that count."""
    reason: str
    sure: bool = False
    titled: bool = False
    """Whether it is called like its table: the amounts of a table of costs."""
    sign: Literal["", "<", ">"] = ""
    """Whether only what is below or above zero counts."""

    @property
    def factors(self) -> tuple[str, ...]:
        """The columns that are multiplied; what a discount leaves is no column."""
        return tuple(part for part in self.expression.split(" * ") if not part.startswith("("))


class FoundSplit(Wire):
    """A table that repeats the same things, once for each row of another table: rivers, once per state."""

    table: str
    name: str
    """The column that names the thing."""
    attributes: tuple[str, ...]
    """The columns that are the same in all of its rows."""
    reference: str
    """The column that points to the other table."""
    evidence: str


class FoundLink(Wire):
    """A table that ties rows of two tables, and nothing else."""

    table: str
    symmetric: bool = False
    """Whether each pair stands in it both ways round."""
    evidence: str = ""


class FoundExtremes(Wire):
    """Columns for the largest and the smallest of something, each with its figure."""

    table: str
    noun: str
    """What they are: `point`."""
    figure: str
    """What is told of them: `elevation`."""
    most: tuple[str, str]
    """The column of the largest, and that of its figure."""
    least: tuple[str, str]
    key: tuple[str, ...]
    adjectives: dict[str, dict[str, tuple[str, ...]]] = {}
    """Of the figure, per language, with the direction that the rows show: the fastest has the shortest time."""
    sure: bool = False

    @property
    def id(self) -> str:
        """Which it is."""
        return f"{self.table}.{self.noun}"


class FoundPointer(Wire):
    """A column of numbers that no name ties to a table, and the tables whose key holds all of its values."""

    table: str
    column: str
    role: str
    candidates: tuple[tuple[str, str], ...]
    """Table and its key, likeliest first."""
    evidence: str

    @property
    def id(self) -> str:
        """Which column it is."""
        return f"{self.table}.{self.column}"


class FoundSpan(Wire):
    """Two dates between which a row lasts."""

    start: str
    end: str
    unit: str
    """Days or minutes."""
    kind: str
    """What that is called: the entry of the word list."""

    @property
    def name(self) -> str:
        """What the field is called."""
        return "duration"


class TableDraft(Wire):
    """A table with what was found of it."""

    profile: TableProfile
    key: FoundKey | None = None
    display: tuple[str, ...] = ()
    display_sure: bool = True
    date: str | None = None
    """The date that a period is about, `column` or `Table.column`."""
    date_sure: bool = True
    date_candidates: tuple[str, ...] = ()
    date_reason: str = ""
    sizes: tuple[str, ...] = ()
    """What big and small may be about, likeliest first."""
    big: str | None = None
    """What a person said that they are about."""
    bounds: dict[str, dict[str, int]] = {}
    """Of each size the values from which on a thing may be called big, each with how many lie above."""
    large: str | None = None
    """The value above which a person calls a thing big."""
    span: FoundSpan | None = None
    """How long its rows last."""
    columns: tuple[ColumnDraft, ...] = ()

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.profile.name

    def column(self, name: str) -> ColumnDraft:
        """The column of that name."""
        return next(column for column in self.columns if column.profile.name == name)

    def of_kind(self, *kinds: ColumnClass) -> tuple[str, ...]:
        """The columns of these classes."""
        return tuple(c.profile.name for c in self.columns if c.verdict.kind in kinds)


class Found(Wire):
    """All that was found in a source."""

    source: str
    named: bool = False
    """Whether only tables that a person named were looked at."""
    tables: tuple[TableDraft, ...] = Field(default=())
    relations: tuple[FoundRelation, ...] = ()
    measures: tuple[FoundMeasure, ...] = ()
    splits: tuple[FoundSplit, ...] = ()
    links: tuple[FoundLink, ...] = ()
    extremes: tuple[FoundExtremes, ...] = ()
    pointers: tuple[FoundPointer, ...] = ()
    spelled: dict[str, str] = {}
    """What a person said that abbreviations stand for."""
    notes: tuple[str, ...] = ()
    """What could not be looked at, and what was sampled, one sentence each."""

    def table(self, name: str) -> TableDraft:
        """The table of that name."""
        return next(table for table in self.tables if table.name == name)
