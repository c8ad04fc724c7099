"""The ontology: what the tables mean, written once. Prompt, JSON schema and validator are made from these models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from veracity.language.locale import Text, pick
from veracity.wire import Wire


class _Upper(StrEnum):
    """An enum whose values may be written in any case."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        text = str(value).upper().replace("-", "_")
        return next((member for member in cls if member.value == text), None)


class Misplaced(ValueError):
    """What is wrong with one part of an ontology, and which part that is."""

    def __init__(self, message: str, *place: str | int) -> None:
        super().__init__(message)
        self.place = place


class SemanticType(_Upper):
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


class FieldRole(_Upper):
    """What a field is for. It decides what may be added up, and which literals are looked up."""

    IDENTIFIER = "IDENTIFIER"
    CODE = "CODE"
    NAME = "NAME"
    CATEGORY = "CATEGORY"
    FREE_TEXT = "FREE_TEXT"
    AMOUNT = "AMOUNT"
    QUANTITY = "QUANTITY"
    RATE = "RATE"
    DATE = "DATE"
    PERIOD = "PERIOD"
    CURRENCY = "CURRENCY"
    FLAG = "FLAG"


_FIGURES = (FieldRole.AMOUNT, FieldRole.QUANTITY, FieldRole.RATE)


class Additivity(_Upper):
    """Whether values of a field may be added up: always, never, or only within one snapshot."""

    ADDITIVE = "ADDITIVE"
    SEMI_ADDITIVE = "SEMI_ADDITIVE"
    NON_ADDITIVE = "NON_ADDITIVE"


class Cardinality(_Upper):
    """How many rows stand on each side of a relation."""

    ONE_TO_ONE = "ONE_TO_ONE"
    ONE_TO_MANY = "ONE_TO_MANY"
    MANY_TO_ONE = "MANY_TO_ONE"
    MANY_TO_MANY = "MANY_TO_MANY"


class ConstraintRule(_Upper):
    """The kinds of rule the validator knows."""

    NEVER_AGGREGATE = "NEVER_AGGREGATE"
    SEMI_ADDITIVE = "SEMI_ADDITIVE"
    REQUIRES_FILTER_ON = "REQUIRES_FILTER_ON"
    TYPE_MISMATCH_GUARD = "TYPE_MISMATCH_GUARD"
    WRONG_TABLE_FOR = "WRONG_TABLE_FOR"
    SAME_UNIT = "SAME_UNIT"
    ONE_SIDE = "ONE_SIDE"


class Encoding(_Upper):
    """How a date is stored in a column that is not of a date type."""

    UNIX_SECONDS = "UNIX_SECONDS"
    UNIX_MILLISECONDS = "UNIX_MILLISECONDS"


def _split_at_commas(value: Any) -> Any:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_split_at_commas)]
"""Names, as a list or as one string with commas."""


def _answer_parts(value: Any) -> Any:
    """One part or several; a number as it was typed."""
    parts = value if isinstance(value, list | tuple) else () if value is None else (value,)
    if any(isinstance(part, bool) or not isinstance(part, int | float | Decimal | str) for part in parts):
        raise ValueError("an answer is a figure or a text; put dates and words such as yes in quotes")
    return [Decimal(str(part)) if isinstance(part, float) else part for part in parts]


def _json_part(part: Any) -> Any:
    exact = isinstance(part, Decimal) and Decimal(repr(float(part))) == part
    return float(part) if exact else str(part) if isinstance(part, Decimal) else part


AnswerPart = Annotated[int | Decimal | str, PlainSerializer(_json_part, when_used="json")]
"""A figure or a text that an answer says."""


def _question_text(value: Any) -> Any:
    return {"question": value} if isinstance(value, str) else value


class ExampleQuestion(Wire):
    """A question as people ask it. With `answer` it is a test: `ontology check` asks it and holds the answer against it."""

    question: str = Field(min_length=1, max_length=2_000)
    """The question in the words of its language."""
    answer: Annotated[tuple[AnswerPart, ...], BeforeValidator(_answer_parts)] = ()
    """What a right answer says: a figure, a text, or a list of them (`[220.40, CHF]`). Without a word: that there is one."""

    @model_serializer(mode="wrap")
    def _plain(self, handler: SerializerFunctionWrapHandler) -> Any:
        """A question that says nothing else is its text again."""
        return handler(self) if self.answer else self.question

    def __str__(self) -> str:
        return self.question


Questions = dict[str, tuple[Annotated[ExampleQuestion, BeforeValidator(_question_text)], ...]]
"""Questions per language, each a text, or `{question: ..., answer: ...}`."""


class Adjectives(Wire):
    """The adjectives of a field: `more` means large values (long, expensive), `less` small ones (short, cheap)."""

    more: Names = ()
    """Those that mean large values."""
    less: Names = ()
    """Those that mean small values."""


class EntityField(Wire):
    """A column of an entity."""

    name: str = Field(min_length=1)
    """The column, as the source calls it."""
    label: Text = {}
    """What people call it."""
    synonyms: dict[str, tuple[str, ...]] = {}
    """What else people call it, per language."""
    role: FieldRole | None = Field(default=None, alias="semanticType")
    """What it is for."""
    description: Text = {}
    """What a language model is told of it."""
    additivity: Additivity | None = None
    """Without a word, values are not added up."""
    averages: bool = False
    """Values that are not added up may be averaged all the same: prices, rates, ratings."""
    over: Names = ()
    """For a semi-additive field: the fields that must be the same in all rows that are added up."""
    unit: str | None = None
    """A fixed unit, such as `kg`."""
    unit_field: str | None = None
    """The column that holds the unit or currency of the row."""
    grain: Names = ()
    """The fields that identify what the value belongs to, where that is coarser than the entity's row (after a join).

    A column of a joined table is taken to repeat unless the view's grain comes from the same table; name the view's
    grain here when it does not (a join one to one)."""
    values: dict[str, dict[str, tuple[str, ...]]] = {}
    """What people call a stored value, per language: `customer` is Kunde, client, 客户."""
    moment: Literal["start", "end"] | None = None
    """For a value of a period's row: whether it is what stood at the period's start or at its end."""
    adjectives: dict[str, Adjectives] = {}
    """Per language, in their plain form: long, not longest."""
    categorical: bool | None = None
    """True: an equality literal must exist among the stored values. False: never checked. None: few values decide."""
    confirmed: bool = True
    """False: a guess. How it adds up and what it is for are not used until a person says so; what it is called is."""
    question: Text = {}
    """What a person is asked about it."""

    def without_guesses(self) -> Self:
        """The field as it may be used: a guess of what it is for adds nothing up. Its question stays, to be told."""
        if self.confirmed:
            return self
        adds = self.additivity if self.additivity is Additivity.NON_ADDITIVE else None
        role = None if self.role in _FIGURES else self.role
        plain: dict[str, Any] = {
            "additivity": adds,
            "over": (),
            "averages": False,
            "role": role,
            "confirmed": True,
        }
        return self.model_copy(update=plain)

    def value_called(self, word: str) -> str | None:
        """The stored value that people call so."""
        folded = word.casefold()
        called = (
            (value, name) for value, by_lang in self.values.items() for names in by_lang.values() for name in names
        )
        return next((value for value, name in called if name.casefold() == folded), None)


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


class MeasureAggregate(_Upper):
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
        repeated = _repeated(field.name for field in self.fields)
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


class Link(Wire):
    """A table between two entities, each row of which ties a row of one to a row of the other."""

    entity: str
    """The entity whose rows tie the two together."""
    from_keys: dict[str, str] = Field(min_length=1)
    """Fields of the link -> fields of `fromEntity`."""
    to_keys: dict[str, str] = Field(min_length=1)
    """Fields of the link -> fields of `toEntity`."""


class Relation(Wire):
    """A link between two entities."""

    name: str | None = None
    """Tells two relations between the same entities apart; without a word the name of `toEntity`."""
    from_entity: str
    """The entity that it starts from."""
    to_entity: str
    """The entity that it leads to."""
    cardinality: Cardinality
    """How many rows of one belong to how many of the other."""
    via: str | None = None
    """The field of `fromEntity` that holds the key of `toEntity`."""
    keys: dict[str, str] = {}
    """Fields of `fromEntity` -> fields of `toEntity`, where the key has several or is not the grain."""
    through: Link | None = None
    """The table between the two, where the rows of neither hold the key of the other."""
    label: Text = {}
    """What `toEntity` is to `fromEntity`, such as support rep."""
    synonyms: dict[str, tuple[str, ...]] = {}
    """What else people call it, per language."""
    verbs: dict[str, tuple[str, ...]] = {}
    """What `fromEntity` does to `toEntity`: a customer *placed* an order, a river *runs through* a state."""
    inverse_verbs: dict[str, tuple[str, ...]] = {}
    """What `toEntity` does to `fromEntity`: an order *comes from* a customer."""
    place: bool = False
    """Whether it says where something is: `where is Boston` asks for it."""
    symmetric: bool = False
    """Whether it is the same seen from both sides, as bordering is."""
    confirmed: bool = True
    """False: a guess, which is not used until a person says so."""
    question: Text = {}
    """What a person is asked about it."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(map(bool, (self.via, self.keys, self.through))) > 1:
            raise ValueError(f"the relation {self.from_entity} -> {self.to_entity} takes one of via, keys and through")
        return self

    @property
    def joins(self) -> str:
        """What it is joined by: a field, pairs of fields, or the table between."""
        if self.through is not None:
            return self.through.entity
        return self.via or ", ".join(f"{own} = {other}" for own, other in self.keys.items())

    def words(self, lang: str) -> tuple[str, ...]:
        """What people call it in this language."""
        label = pick(self.label, lang)
        return (*((label,) if label else ()), *self.verbs.get(lang, ()), *self.inverse_verbs.get(lang, ()))

    @property
    def is_plain(self) -> bool:
        """Whether it says no more than which field holds a key."""
        return not (self.name or self.keys or self.through or self.label or self.verbs or self.inverse_verbs)


class Constraint(Wire):
    """A rule on fields: which one, where it applies, and what to tell the model."""

    applies_to: Names = Field(min_length=1)
    """`Entity.field`, `Entity` or patterns such as `*.*Balance`."""
    rule: ConstraintRule
    """Which rule it is."""
    message: Text
    """What a refusal says; in English at most 80 characters."""
    fields: Names = ()
    """SEMI_ADDITIVE: what must be pinned. REQUIRES_FILTER_ON: what must be filtered. SAME_UNIT: what fixes the unit.
    ONE_SIDE: what says which accounts are meant, so that an invoice and its payment are not added up."""
    expects: Encoding | None = None
    """TYPE_MISMATCH_GUARD: how the date is stored."""
    use: str | None = None
    """WRONG_TABLE_FOR: the entity to use instead."""
    when: Names = ()
    """WRONG_TABLE_FOR, ONE_SIDE: only calls that filter or group by one of these fields; of ONE_SIDE also entities that are joined."""
    unless: Names = ()
    """WRONG_TABLE_FOR: not for calls that filter or group by one of these fields."""
    apart: dict[str, int | str] = {}
    """REQUIRES_FILTER_ON: a value of a field that sums up the others, never aggregated together with them."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        needs = {
            ConstraintRule.SEMI_ADDITIVE: ("fields", self.fields),
            ConstraintRule.REQUIRES_FILTER_ON: ("fields", self.fields),
            ConstraintRule.SAME_UNIT: ("fields", self.fields),
            ConstraintRule.ONE_SIDE: ("fields", self.fields),
            ConstraintRule.TYPE_MISMATCH_GUARD: ("expects", self.expects),
            ConstraintRule.WRONG_TABLE_FOR: ("use", self.use),
        }
        name, value = needs.get(self.rule, ("", True))
        if not value:
            raise ValueError(f"a {self.rule} constraint needs `{name}`")
        return self

    def covers(self, entity: str, field: str) -> bool:
        """Whether the rule is about this field, by its name or by its entity's."""
        return entity in self.applies_to or self.names(entity, field)

    def names(self, entity: str, field: str) -> bool:
        """Whether the rule names this field. A pattern without a dot is about fields of every entity."""
        return any(
            fnmatchcase(f"{entity}.{field}", pattern if "." in pattern else f"*.{pattern}")
            for pattern in self.applies_to
        )


class SlotKind(_Upper):
    """What fills a slot of a pattern."""

    YEAR = "YEAR"
    MONTH = "MONTH"
    DATE = "DATE"
    CODE = "CODE"
    GROUP = "GROUP"
    VALUE = "VALUE"
    NUMBER = "NUMBER"


class Slot(Wire):
    """A gap in a pattern, filled from the question."""

    name: str
    """What the calls call it, in braces."""
    kind: SlotKind
    """What fills it."""
    field: str | None = None
    """`Entity.field` whose stored values or codes fill the slot."""
    example: str | int
    """A value that makes the pattern a valid call."""
    default: str | int | None = None
    """A value that goes without saying."""


class ToolCall(Wire):
    """A tool call with `{slot}` placeholders."""

    tool: str
    """The tool: browseTable, queryTable or aggregateTable."""
    args: dict[str, Any]
    """Its arguments; `{slot}` stands for the value of a slot."""


def _one_or_many(value: Any) -> Any:
    return [value] if isinstance(value, Mapping | ToolCall) else value


class CanonicalQueryPattern(Wire):
    """A kind of question and the calls that answer it."""

    intent: str
    """What it is called; no other pattern has the name."""
    description: Text = {}
    """The kind of question."""
    questions: Questions = {}
    """Example questions per language."""
    slots: tuple[Slot, ...] = ()
    """The values of the calls that change from question to question."""
    pattern: Annotated[tuple[ToolCall, ...], BeforeValidator(_one_or_many)] = Field(min_length=1)
    """The call that answers it, or several."""
    answer: Text = {}
    """The answer per language: slots in single, expressions over results in double braces."""

    def fill(self, values: Mapping[str, Any]) -> tuple[ToolCall, ...]:
        """The calls with every slot filled: from `values`, else its default, else its example."""
        known = {slot.name: slot.default if slot.default is not None else slot.example for slot in self.slots} | dict(
            values
        )
        return tuple(ToolCall(tool=call.tool, args=_fill(call.args, known)) for call in self.pattern)


def _fill(value: Any, known: Mapping[str, Any]) -> Any:
    if isinstance(value, dict):
        return {key: _fill(item, known) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_fill(item, known) for item in value]
    if not isinstance(value, str):
        return value
    if value.startswith("{") and value.endswith("}") and value[1:-1] in known:
        return known[value[1:-1]]
    for name, filler in known.items():
        value = value.replace(f"{{{name}}}", str(filler))
    return value


class OntologyDescriptor(Wire):
    """Everything a feature knows about its data."""

    feature_code: str
    """What the ontology is called; two versions of it have the same."""
    description: Text = {}
    """What the data are about."""
    locale: str | None = None
    """How figures are written for readers of German, `de-CH` or `de-DE`; the latter without a word."""
    entities: tuple[Entity, ...] = Field(min_length=1)
    """The things of the business: tables, views and concepts."""
    relations: tuple[Relation, ...] = ()
    """How entities belong together."""
    constraints: tuple[Constraint, ...] = ()
    """Rules on what may be added up, filtered and compared."""
    canonical_patterns: tuple[CanonicalQueryPattern, ...] = ()
    """Calls that answer a kind of question; language models see the nearest ones."""
    questions: Questions = {}
    """Questions that surely have an answer, per language: the first thing that people see."""

    @field_validator("entities")
    @classmethod
    def _unique(cls, entities: tuple[Entity, ...]) -> tuple[Entity, ...]:
        if repeated := _repeated(entity.name for entity in entities):
            raise ValueError(f"the entity {repeated} is declared twice")
        return entities

    @model_validator(mode="after")
    def _names_resolve(self) -> Self:
        names = {entity.name for entity in self.entities}
        references = [(f"parentEntity of {e.name}", e.parent_entity) for e in self.entities if e.parent_entity]
        references += [(f"constraint {c.rule}", c.use) for c in self.constraints if c.use]
        for where, name in references:
            if name not in names:
                raise ValueError(f"{where} names the entity {name}, which is not declared")
        self._check_relations(names)
        for entity in self.entities:
            self._check_ancestors(entity)
        if repeated := _repeated(pattern.intent for pattern in self.canonical_patterns):
            raise ValueError(f"the intent {repeated} is declared twice")
        self._check_measures()
        for entity in self.entities:
            for field in entity.fields:
                if self.additivity_of(entity.name, field.name) == (Additivity.SEMI_ADDITIVE, ()):
                    raise ValueError(f"{entity.name}.{field.name} is semi-additive; say over which fields with `over`")
        return self

    def _check_relations(self, names: set[str]) -> None:
        for number, relation in enumerate(self.relations):
            ends = [("fromEntity", relation.from_entity), ("toEntity", relation.to_entity)]
            ends += [("through", relation.through.entity)] if relation.through else []
            for key, name in ends:
                if name not in names:
                    where = f"relation {relation.from_entity} -> {relation.to_entity}"
                    message = f"{where} names the entity {name}, which is not declared"
                    raise Misplaced(message, "relations", number, key)

    def _check_measures(self) -> None:
        found = [
            (m, ("entities", n, "measures", at)) for n, e in enumerate(self.entities) for at, m in enumerate(e.measures)
        ]
        measures: dict[str, Measure] = {}
        for measure, place in found:
            if measure.name in measures:
                raise Misplaced(f"the measure {measure.name} is declared twice", *place)
            measures[measure.name] = measure
        for measure, place in found:
            for part in measure.ratio or ():
                if part not in measures:
                    message = f"the measure {measure.name} names the measure {part}, which is not declared"
                    raise Misplaced(message, *place, "ratio")
                if measures[part].ratio:
                    raise Misplaced(
                        f"the measure {measure.name} divides by ratios; {part} is one itself", *place, "ratio"
                    )
            self._check_date(f"the measure {measure.name}", measure.date, *place, "date")
        segments: set[str] = set()
        for number, entity in enumerate(self.entities):
            named = [
                (entity.default_measure, ()),
                *((s.default_measure, ("segments", n)) for n, s in enumerate(entity.segments)),
            ]
            for measure_name, where in named:
                if measure_name is not None and measure_name not in measures:
                    message = f"defaultMeasure names the measure {measure_name}, which is not declared"
                    raise Misplaced(message, "entities", number, *where, "defaultMeasure")
            self._check_date(f"defaultDate of {entity.name}", entity.default_date, "entities", number, "defaultDate")
            for at, segment in enumerate(entity.segments):
                if segment.name in segments:
                    raise Misplaced(f"the segment {segment.name} is declared twice", "entities", number, "segments", at)
                segments.add(segment.name)

    def _check_date(self, where: str, date: str | None, *place: str | int) -> None:
        home, _, _ = (date or "").rpartition(".")
        if home and self.entity(home) is None:
            raise Misplaced(f"{where} names the entity {home}, which is not declared", *place)

    def _check_ancestors(self, entity: Entity) -> None:
        seen, current = {entity.name}, entity.parent_entity
        while current:
            if current in seen:
                raise ValueError(f"entity {entity.name} is its own ancestor")
            seen.add(current)
            current = next(e.parent_entity for e in self.entities if e.name == current)

    @property
    def unconfirmed(self) -> tuple[tuple[str, Text], ...]:
        """What is a guess, and the question to a person: `Entity.field`, `measure NAME`, `A -> B`, `Entity (display)`."""
        found: list[tuple[str, Text]] = []
        for entity in self.entities:
            found += [(f"{entity.name} ({part})", question) for part, question in entity.unconfirmed.items()]
            found += [(f"{entity.name}.{field.name}", field.question) for field in entity.fields if not field.confirmed]
            found += [(f"measure {one.name}", one.question) for one in entity.measures if not one.confirmed]
        found += [(f"{r.from_entity} -> {r.to_entity}", r.question) for r in self.relations if not r.confirmed]
        return tuple(found)

    @property
    def usable(self) -> Self:
        """The ontology without its guesses: what questions, tools and prompts are made from."""
        if not self.unconfirmed:
            return self
        entities = tuple(entity.without_guesses() for entity in self.entities)
        kept = {measure.name for entity in entities for measure in entity.measures}
        entities = tuple(_with_known_measures(entity, kept) for entity in entities)
        relations = tuple(relation for relation in self.relations if relation.confirmed)
        return self.model_copy(update={"entities": entities, "relations": relations})

    def entity(self, name: str) -> Entity | None:
        """The entity of that name."""
        return next((entity for entity in self.entities if entity.name == name), None)

    def constraints_on(self, entity: str, field: str, rule: ConstraintRule) -> tuple[Constraint, ...]:
        """The constraints of one rule that are about this field."""
        return tuple(c for c in self.constraints if c.rule is rule and c.covers(entity, field))

    def additivity_of(self, entity: str, field: str) -> tuple[Additivity, tuple[str, ...]]:
        """How a field adds up, and over which fields it does not: its own words and the constraints on it together.

        A SEMI_ADDITIVE constraint narrows what is declared additive. It allows adding up only where it names the field
        itself; one on a whole entity does not make numbers of it that nobody declared.
        """
        found = self.entity(entity)
        declared = found.field(field) if found else None
        said = declared.additivity if declared else None
        rules = self.constraints_on(entity, field, ConstraintRule.SEMI_ADDITIVE)
        if said is None and any(rule.names(entity, field) for rule in rules):
            said = Additivity.SEMI_ADDITIVE
        if said in (None, Additivity.NON_ADDITIVE):
            return Additivity.NON_ADDITIVE, ()
        over = (*(declared.over if declared else ()), *(name for rule in rules for name in rule.fields))
        return Additivity.SEMI_ADDITIVE if over else said, tuple(dict.fromkeys(over))


def _with_known_measures(entity: Entity, kept: set[str]) -> Entity:
    """An entity without ratios and segments' figures whose measures are not there."""
    measures = tuple(one for one in entity.measures if not one.ratio or set(one.ratio) <= kept)
    segments = tuple(
        one
        if one.default_measure is None or one.default_measure in kept
        else one.model_copy(update={"default_measure": None})
        for one in entity.segments
    )
    return entity.model_copy(update={"measures": measures, "segments": segments})


def _repeated(names: Any) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return str(name)
        seen.add(name)
    return None
