"""An entity of an ontology: a thing of the business with its columns, its measures and its segments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from veracity.language.locale import Text
from veracity.ontology.fields import EntityField, Names, Upper
from veracity.ontology.questions import Questions
from veracity.wire import Wire


class SemanticType(Upper):
    """What an entity is in the business."""

    ACCOUNT = "ACCOUNT"
    ACCOUNT_CLASS = "ACCOUNT_CLASS"
    ACCOUNT_GROUP = "ACCOUNT_GROUP"
    BALANCE_SNAPSHOT = "BALANCE_SNAPSHOT"
    TRANSACTION = "TRANSACTION"
    TRANSACTION_LINE = "TRANSACTION_LINE"
    PARTY = "PARTY"
    PERIOD = "PERIOD"
    PRODUCT = "PRODUCT"
    EVENT = "EVENT"
    REFERENCE = "REFERENCE"


class NumberRange(Wire):
    """The entities whose code lies in a range of a numbered chart."""

    field: str
    """The field that holds the codes."""
    start: str = Field(pattern=r"^\d+$")
    """The first code of the range."""
    end: str = Field(pattern=r"^\d+$")
    """The last code of the range, with as many digits."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if len(self.start) != len(self.end) or self.start > self.end:
            raise ValueError("start and end need the same number of digits, start first")
        return self

    @cached_property
    def like(self) -> tuple[str, ...]:
        """The LIKE patterns that together match exactly the range, as few as possible."""
        return tuple(f"{prefix}%" for prefix in _prefixes(self.start, self.end))


def _prefixes(start: str, end: str) -> Iterator[str]:
    common = 0
    while common < len(start) and start[common] == end[common]:
        common += 1
    head, low, high = start[:common], start[common:], end[common:]
    if set(low) <= {"0"} and set(high) <= {"9"}:
        yield head
        return
    for digit in range(int(low[0]), int(high[0]) + 1):
        rest = len(low) - 1
        first = low[1:] if digit == int(low[0]) else "0" * rest
        last = high[1:] if digit == int(high[0]) else "9" * rest
        yield from _prefixes(f"{head}{digit}{first}", f"{head}{digit}{last}")


class Invariant(Wire):
    """Something that is true of every row. With `holds` or `violations` it can be checked against the data."""

    name: str
    """What it is called in findings."""
    description: Text
    """What is true, in a sentence."""
    holds: str | None = None
    """A SQL condition over the entity's own fields; a row for which it is not true breaks it."""
    tell: bool = False
    """Whether the model should know it, too."""
    violations: str | None = None
    """A SELECT over the source's tables that returns the rows that break it, so normally none."""


_ONE_VALUE = re.compile(r"\s*(\w+)\s*=\s*'([^']+)'\s*")


def _one_value(where: str | None) -> tuple[str, str] | None:
    """The field and the stored value of a condition that is met by one value."""
    found = _ONE_VALUE.fullmatch(where or "")
    return (found[1], found[2]) if found else None


class MeasureAggregate(Upper):
    """How a measure is computed from the rows of its entity."""

    SUM = "SUM"
    AVG = "AVG"
    MIN = "MIN"
    MAX = "MAX"
    MEDIAN = "MEDIAN"
    COUNT = "COUNT"
    COUNT_DISTINCT = "COUNT_DISTINCT"


class Measure(Wire):
    """A figure of the business, such as revenue: an aggregate over the rows of one entity, or the ratio of two measures."""

    name: str = Field(min_length=1)
    """What queries call it; no other measure has the name."""
    label: Text = {}
    """What people call it."""
    synonyms: dict[str, tuple[str, ...]] = {}
    """What else people call it, per language."""
    description: Text = {}
    """What a language model is told of it."""
    aggregate: MeasureAggregate | None = None
    """How it is computed from rows."""
    expression: str | None = None
    """A field, or arithmetic over fields of the entity: `unitPrice * quantity`. COUNT needs none."""
    where: str | None = None
    """A condition over fields of the entity: only the rows that meet it count."""
    ratio: tuple[str, str] | None = None
    """The names of two measures; the first is divided by the second."""
    unit: str | None = None
    """The unit of the figure; without a word that of its field."""
    date: str | None = None
    """The date that a period is about, `field` or `Entity.field`; without a word the default date of the entity."""
    needs_period: bool = False
    """Whether it is only computed for a period; one that is not said is asked for."""
    questions: Questions = {}
    """Questions that it answers, per language: `ontology check` asks them."""
    confirmed: bool = True
    """False: a guess, which is not used until a person says so."""
    question: Text = {}
    """What a person is asked about it."""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.aggregate is None) == (self.ratio is None):
            raise ValueError(f"the measure {self.name} needs either an `aggregate` or a `ratio`")
        if self.aggregate is not None and self.aggregate is not MeasureAggregate.COUNT and not self.expression:
            raise ValueError(f"the measure {self.name} needs an `expression`; only COUNT has none")
        if self.ratio is not None and (self.expression or self.where):
            raise ValueError(
                f"the measure {self.name} is a ratio; write expressions and conditions in its two measures"
            )
        return self

    @property
    def one_value(self) -> tuple[str, str] | None:
        """The field and the value that its rows have in common, where `where` says just that."""
        return _one_value(self.where)

    @property
    def formula(self) -> str:
        """How it is computed, in short."""
        computed = " / ".join(self.ratio) if self.ratio else f"{self.aggregate}({self.expression or '*'})"
        return computed + (f" where {self.where}" if self.where else "")


class Segment(Wire):
    """Rows of an entity that people have a word for, such as active customers."""

    name: str = Field(min_length=1)
    """What queries call it; no other segment has the name."""
    label: Text = {}
    """What people call it."""
    synonyms: dict[str, tuple[str, ...]] = {}
    """What else people call it, per language."""
    where: str
    """A condition over fields of the entity."""
    default_measure: str | None = None
    """The measure that its name stands for where a figure is asked: `rent 2025` is the cost of the rent accounts."""

    @property
    def one_value(self) -> tuple[str, str] | None:
        """The field and the value that its rows have in common, where `where` says just that."""
        return _one_value(self.where)


class DateParts(Wire):
    """Where years and months stand in columns of their own."""

    year: str
    """The field that holds the year."""
    month: str | None = None
    """Holds 1 to 12, or the names of months."""
    whole: int | None = None
    """The value of `month` in rows about the whole year."""


class Entity(Wire):
    """A thing of the business: a table, a declared view, or a concept such as a group of accounts."""

    name: str = Field(min_length=1)
    """What queries, rules and relations call it."""
    label: Text = {}
    """What people call one of them."""
    synonyms: dict[str, tuple[str, ...]] = {}
    """What else people call it, per language."""
    semantic_type: SemanticType = SemanticType.REFERENCE
    """What it is in the business."""
    description: Text = {}
    """What a language model is told of it."""
    table: str | None = None
    """The table of the source that holds its rows."""
    view: str | None = None
    """A SELECT in DuckDB's SQL, joins included; it is translated for other engines."""
    grain: Names = ()
    """The fields that identify a row."""
    fields: tuple[EntityField, ...] = ()
    """Its columns, as far as there is something to say of them."""
    number_range: NumberRange | None = None
    """For a group of a numbered chart: which codes belong to it."""
    parent_entity: str | None = None
    """The class or group that it belongs to."""
    accumulates: bool = False
    """For a class or group: its balances count from the start of the year, so that a month is its turnover."""
    invariants: tuple[Invariant, ...] = ()
    """What is true of every row."""
    display: Names = ()
    """The fields that people know a row by, such as its name."""
    article: bool = False
    """Whether English puts an article before its names, which tells the river Mississippi from the state."""
    default_date: str | None = None
    """The date that a period is about, `field` or `Entity.field`."""
    date_parts: DateParts | None = None
    """Where years and months stand in columns of their own."""
    measures: tuple[Measure, ...] = ()
    """The figures that are computed from its rows."""
    segments: tuple[Segment, ...] = ()
    """Rows of it that people have a word for."""
    default_measure: str | None = None
    """The measure that its name stands for where a figure is asked: `account 1020 at the end of 2024` is its balance."""
    verbs: dict[str, tuple[str, ...]] = {}
    """How every row came about, per language: an order was *placed*, a paper *published*. It says nothing more of a row, and ties it to its one person."""
    edges: bool = False
    """Its rows are only the largest and the smallest of their kind: there is no second one, no top three and no count of them."""
    spoken: Names = ()
    """The fields that questions may mean; the others are for tools, since questions mean those of other entities. Empty: all."""
    tools_only: bool = False
    """A view for the table tools, which join nothing; questions are about the tables that it is made of."""
    hidden: bool = False
    """Its table or view is not read by itself, by no tool; views that are built on it are."""
    unconfirmed: dict[Literal["display", "defaultDate"], Text] = {}
    """Of `display` and `defaultDate` what is a guess, with the question to a person; it is not used until this line is gone."""

    @model_validator(mode="after")
    def _one_home(self) -> Self:
        if self.table and self.view:
            raise ValueError(f"entity {self.name} has both a table and a view; give it one of them")
        repeated = first_repeated(field.name for field in self.fields)
        if repeated:
            raise ValueError(f"entity {self.name} declares the field {repeated} twice")
        return self

    @property
    def queryable(self) -> bool:
        """Whether the tools can read it."""
        return bool(self.table or self.view) and not self.hidden

    @property
    def dated_by(self) -> str:
        """The date that a period is about, or the columns that hold years and months."""
        parts = self.date_parts
        return self.default_date or (" + ".join(filter(None, (parts.year, parts.month))) if parts else "")

    @property
    def kinds(self) -> frozenset[tuple[str, str]]:
        """Fields with a value that a segment or a measure is made of: customers are a kind of contact."""
        said = [one.one_value for one in self.segments] + [one.one_value for one in self.measures]
        return frozenset(one for one in said if one)

    def without_guesses(self) -> Self:
        """The entity as it may be used: without what no person has confirmed."""
        guessed = {measure.name for measure in self.measures if not measure.confirmed}
        update: dict[str, Any] = {
            "fields": tuple(field.without_guesses() for field in self.fields),
            "measures": tuple(measure for measure in self.measures if measure.confirmed),
            "unconfirmed": {},
        }
        update |= {"display": ()} if "display" in self.unconfirmed else {}
        update |= {"default_date": None} if "defaultDate" in self.unconfirmed else {}
        update |= {"default_measure": None} if self.default_measure in guessed else {}
        return self.model_copy(update=update)

    def field(self, name: str) -> EntityField | None:
        """The declared field of that name."""
        return next((field for field in self.fields if field.name == name), None)


def first_repeated(names: Any) -> str | None:
    """The first of the names that comes twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return str(name)
        seen.add(name)
    return None
