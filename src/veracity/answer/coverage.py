"""Question coverage: what the question names is in the calls whose figures the answer uses, or the answer is not released."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cached_property, lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from veracity.answer.results import Result, comparable
from veracity.answer.time_conditions import (
    DayRange,
    conditions_of,
    day_ranges,
    fits,
    joined,
    keeps_apart,
    names_year,
)
from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.ontology.entities import Entity, SemanticType
from veracity.ontology.fields import FieldRole
from veracity.query.catalog import Catalog, CatalogEntity
from veracity.query.model import Call, Filter
from veracity.question import Meaning, Mention, MentionKind, Period, QuestionReading

_PINNING = frozenset({FieldRole.NAME, FieldRole.CODE, FieldRole.IDENTIFIER})
_CHOOSING = _PINNING | {FieldRole.CATEGORY}
_THINGS = frozenset({SemanticType.ACCOUNT, SemanticType.PARTY, SemanticType.PRODUCT, SemanticType.REFERENCE})
"""Entities whose rows are called by their names and codes; elsewhere a name is that of another thing."""
_NEGATED = re.compile(
    r"\b(?:nicht|kein\w*|ohne|au(?:ss|ß)er|exkl\w*|not|no|non|except|without|excluding|other than)\b|[不非无没]|除",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(
    r"\b(?:am \w+sten|(?:höchst|hoechst|gr[öo]e?(?:ss|ß)t|tiefst|kleinst|niedrigst|meist|wenigst|stärkst|schwächst|best|schlechtest)"
    r"\w*|highest|largest|biggest|greatest|lowest|smallest|most|least|best|worst|top|peak|max\w*|min(?:imum|imal)?\w*)\b|最",
    re.IGNORECASE,
)

Stored = Mapping[tuple[str, str], Collection[str]]
"""The stored texts of a field, by entity and field."""


class ReceiptLine(BaseModel):
    """One thing the question names, and the part of a call that takes it up."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mention: str
    meaning: str
    met_by: str | None
    status: Literal["met", "unsure", "missing"]


@dataclass(frozen=True)
class Used:
    """A successful call whose figures an answer uses."""

    result: str
    call: Call
    rows: tuple[Mapping[str, Any], ...] | None = None
    """The keys of the rows that the figures were taken from; None when all of them were, or it is not known yet."""
    cited: int = 0
    """From how many rows one figure was made, at most."""
    returned: tuple[Mapping[str, Any], ...] = ()
    """The rows of the result."""
    counted: bool = False
    """Whether the answer tells how many rows there are."""
    _times: dict[object, Sequence[Filter]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def counts(self) -> bool:
        """Whether its figures are numbers of things, so that which things are meant changes them."""
        return self.counted or self.call.aggregate in ("COUNT", "COUNT_DISTINCT")

    @property
    def places(self) -> frozenset[int]:
        """Which of the returned rows the figures were taken from; all of them when no key says otherwise."""
        if self.rows is None:
            return frozenset(range(len(self.returned)))
        return frozenset(place for key in self.rows for place in self._places(key))

    def _places(self, key: Mapping[str, Any]) -> Iterable[int]:
        return (at for at in _rows_with(key, self.returned) if isinstance(at, int) and 0 <= at < len(self.returned))

    def times(self, entity: CatalogEntity) -> Collection[Sequence[Filter]]:
        """What the returned rows say of their time, as conditions; most rows are of one time, which counts once."""
        if not self._times:
            for said in (conditions_of(entity, row) for row in self.returned):
                self._times[tuple((c.field, str(c.value)) for c in said)] = said
        return self._times.values()

    @property
    def cited_rows(self) -> tuple[Mapping[str, Any], ...]:
        """The rows that were picked out, whole where they are known; none when all of them were used."""
        if self.rows is None:
            return ()
        return tuple(self.returned[place] for place in sorted(self.places)) or self.rows


def uses_of(
    name: str, result: Result, keys: tuple[Mapping[str, Any], ...] | None, cited: int, *, counted: bool = False
) -> list[Used]:
    """A result as coverage sees it; raw SQL as one call on each table it reads, its columns by their own names there."""
    rows = tuple(result.data.rows)
    if result.given is None:
        return [Used(name, result.call, keys, cited, rows, counted)]
    places = None if keys is None else tuple({"row": at} for key in keys for at in _rows_with(key, rows))
    found = []
    for call in result.calls:
        fields = {column: field for column, (entity, field) in result.origins.items() if entity == call.table}
        own = tuple({field: row[column] for column, field in fields.items()} for row in rows)
        found.append(Used(name, call, places, cited, own, counted))
    return found


def _rows_with(key: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Iterable[int]:
    if "row" in key and "row" not in (rows[0] if rows else {}):
        return [key["row"]]
    return [at for at, row in enumerate(rows) if all(_as_text(row.get(k)) == _as_text(v) for k, v in key.items())]


def cover(reading: QuestionReading, used: Sequence[Used], catalog: Catalog, stored: Stored) -> tuple[ReceiptLine, ...]:
    """The receipt: every mention with what meets it. Only a mention that the reader is sure of can be missing."""
    return tuple(
        _line(mention, reading, used, catalog, stored)
        for mention in reading.mentions
        if mention.sure and mention.meanings[0].kind in _MET_BY
    )


def first_missing(receipt: Iterable[ReceiptLine]) -> QueryValidationError | None:
    """What the model is told about the first mention that nothing meets."""
    for line in receipt:
        if line.status == "missing":
            hint = f"{clip(line.mention, 24)!r} means {line.meaning}; no call used in the answer has it."
            code = ValidationErrorCode.QUESTION_NOT_COVERED
            return QueryValidationError(code=code, field=line.mention, suggestion=line.meaning, hint=hint)
    return None


def _line(
    mention: Mention, reading: QuestionReading, used: Sequence[Used], catalog: Catalog, stored: Stored
) -> ReceiptLine:
    wanted = _Wanted(mention.meanings[0], reading, catalog, stored)
    met = next((found for one in used if (found := _MET_BY[wanted.meaning.kind](wanted, one))), None)
    implied = met is None and any(_is_implied(wanted, one) for one in used)
    return ReceiptLine(
        mention=mention.text,
        meaning=in_words(wanted.meaning, catalog, [one.call.table for one in used]),
        met_by=met,
        status="met" if met else "unsure" if implied else "missing",
    )


@dataclass(frozen=True)
class _Wanted:
    """One meaning that a call must meet, and all that is known of the question around it."""

    meaning: Meaning
    reading: QuestionReading
    catalog: Catalog
    stored: Stored

    def homes_in(self, table: str) -> list[str]:
        """The fields of a table where it lives."""
        return [name for home, name in self.meaning.fields if home == table]

    def named(self, table: str, name: str) -> set[str]:
        """All values of a field that the question names."""
        meanings = (meaning for mention in self.reading.mentions for meaning in mention.meanings)
        return {m.value for m in meanings if m.value is not None and (table, name) in m.fields}

    @cached_property
    def periods(self) -> list[Period]:
        """All periods that the question may name."""
        meanings = (meaning for mention in self.reading.mentions for meaning in mention.meanings)
        return [meaning.period for meaning in meanings if meaning.period is not None]

    @cached_property
    def seeks_extremes(self) -> bool:
        """Whether one row of many is asked for: the highest, the latest."""
        return _SUPERLATIVE.search(self.reading.question) is not None


def in_words(meaning: Meaning, catalog: Catalog, tables: Collection[str] = ()) -> str:
    """A meaning as a condition that a model can write, with the field's name in one of these tables."""
    match meaning.kind:
        case MentionKind.PERIOD if meaning.period is not None:
            return _period_in_words(meaning.period)
        case MentionKind.GROUP:
            concept = catalog.ontology.entity(meaning.entity or "") if catalog.ontology else None
            if concept is None or concept.number_range is None:
                return str(meaning.entity)
            span = concept.number_range
            patterns = " or ".join(f"LIKE '{like}'" for like in span.like)
            return f"{span.field} {patterns}" if len(span.like) == 1 else f"{span.field} {span.start} to {span.end}"
        case _:
            names = [name for table, name in meaning.fields if table in tables or not tables]
            name = next(iter(names or [name for _table, name in meaning.fields]), "value")
            return f"{name} = '{meaning.value}'"


def _period_in_words(period: Period) -> str:
    if period.moment == "start":
        return f"start of {period.first.isoformat()}"
    if period.moment == "end" or period.part == "day":
        return period.last.isoformat()
    if period.part == "year":
        return str(period.first.year)
    if period.part == "month":
        return f"{period.first.year}-{period.first.month:02d}"
    return f"{period.first.isoformat()} to {period.last.isoformat()}"


def _as_text(value: Any) -> str | None:
    """A cell to compare with a value that the question names; None where there is none."""
    return None if value is None else comparable(value)


def _conditions_in_words(conditions: Sequence[Filter]) -> str:
    values = [", ".join(map(str, _items(condition.value))) for condition in conditions]
    return " and ".join(f"{c.field} {c.op} {clip(value, 60)}" for c, value in zip(conditions, values, strict=True))


# --- stored values and codes


def _value_met(wanted: _Wanted, used: Used) -> str | None:
    value, table = wanted.meaning.value, used.call.table
    for name in wanted.homes_in(table):
        conditions = [condition for condition in used.call.filters if condition.field == name]
        if conditions and _asks_for(conditions, wanted, table, name):
            return f"{used.result}: {_conditions_in_words(conditions)}"
        if any(_as_text(row.get(name)) == value for row in used.cited_rows):
            return f"{used.result}: row with {name} = {value}"
        if used.returned and all(_as_text(row.get(name)) == value for row in used.returned):
            return f"{used.result}: every row has {name} = {value}"
        if name in used.call.group_by and not used.returned:
            return f"{used.result}: grouped by {name}"
    return None


def _asks_for(conditions: Sequence[Filter], wanted: _Wanted, table: str, name: str) -> bool:
    """Whether conditions on a field let through the value that is named, and none that the question does not name."""
    value, named, known = wanted.meaning.value or "", wanted.named(table, name), wanted.stored.get((table, name), ())
    if len(conditions) == 1 and conditions[0].op == "!=" and str(conditions[0].value) == value:
        return _NEGATED.search(wanted.reading.question) is not None
    if any(c.op == "BETWEEN" and {str(item) for item in _items(c.value)} <= named for c in conditions):
        return value in {str(item) for c in conditions if c.op == "BETWEEN" for item in _items(c.value)} or _accept(
            conditions, value
        )
    if not known and any(c.op == "LIKE" and str(c.value).strip("%") != value for c in conditions):
        return False  # what else the pattern lets through is not known
    others = {str(item) for condition in conditions if condition.op == "IN" for item in _items(condition.value)}
    return _accept(conditions, value) and {v for v in {*known, *others} if _accept(conditions, v)} <= named


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else (value,)


def _accept(conditions: Iterable[Filter], value: str) -> bool:
    return all(_accepts(condition, value) for condition in conditions)


def _accepts(condition: Filter, value: str) -> bool:
    items = [str(item) for item in _items(condition.value)] or [""]
    match condition.op:
        case "=":
            return value == items[0]
        case "!=":
            return value != items[0]
        case "IN":
            return value in items
        case "LIKE":
            return _like(items[0]).fullmatch(value) is not None
        case "BETWEEN":
            return len(items) == 2 and items[0] <= value <= items[1]
        case ">=":
            return value >= items[0]
        case ">":
            return value > items[0]
        case "<=":
            return value <= items[0]
        case "<":
            return value < items[0]
        case _:
            return condition.op == "IS_NOT_NULL"


@lru_cache(maxsize=256)
def _like(pattern: str) -> re.Pattern[str]:
    plain = pattern.replace("[", "[[]").replace("*", "[*]").replace("?", "[?]")
    return re.compile(translate(plain.replace("%", "*").replace("_", "?")))


# --- what goes without saying


def _is_implied(wanted: _Wanted, used: Used) -> bool:
    """Whether a word for a kind of thing says nothing that the call does not say otherwise.

    A named customer is a customer; accounts that are chosen by number have their class; a table that does not know
    the kind is chosen from otherwise. What is counted must be what was asked for, though.
    """
    if wanted.meaning.kind is not MentionKind.VALUE or not _is_kind(wanted):
        return False
    entity = wanted.catalog.entities[used.call.table]
    told = {c.field for c in used.call.filters if not used.counts or _pins(c, wanted, entity)}
    if not used.counts:
        told |= set(used.call.group_by)
    if any(_calls_by_name(entity, name, wanted) for name in told):
        return True
    has_word = bool(wanted.homes_in(entity.name))
    return not has_word and not used.counts and any(_chooses(entity, c.field) for c in used.call.filters)


def _chooses(entity: CatalogEntity, name: str) -> bool:
    """Whether a condition on a field says which things are meant, not only when or in which currency."""
    declared = entity.fields[name].declared
    return declared is not None and declared.role in _CHOOSING


def _is_kind(wanted: _Wanted) -> bool:
    """Whether a value is a kind of thing (customer) that people also have other words for, not the name of one."""
    value, fields = wanted.meaning.value, wanted.meaning.fields
    homes = (wanted.catalog.entities[table].fields[name].declared for table, name in fields)
    if any(declared is not None and value in declared.values for declared in homes):
        return True
    things = (entity.declared for entity in wanted.catalog.entities.values() if entity.declared)
    kinds = {kind for thing in things for kind in thing.kinds}
    return any((name, value) in kinds for _table, name in fields)


def _pins(condition: Filter, wanted: _Wanted, entity: CatalogEntity) -> bool:
    """Whether a condition says which one: a single value, or the group that the question names."""
    known = wanted.stored.get((entity.name, condition.field), ())
    if condition.op == "=" or len({v for v in known if _accepts(condition, v)}) == 1:
        return True
    groups = (m.meanings[0] for m in wanted.reading.sure if m.meanings[0].kind is MentionKind.GROUP)
    return any((entity.name, condition.field) in group.fields for group in groups)


def _calls_by_name(entity: CatalogEntity, name: str, wanted: _Wanted) -> bool:
    """Whether a field holds names or codes of the things that have this kind: customer numbers, where customers are meant."""
    facts = entity.fields.get(name)
    if facts is None or facts.declared is None or facts.declared.role not in _PINNING:
        return False
    table, column = _origin(entity, name)
    for home, kind in wanted.meaning.fields:
        thing = _origin(wanted.catalog.entities[home], kind)[0]
        owner = next((e for e in wanted.catalog.entities.values() if e.table and e.table.name == thing), None)
        if owner is None:
            continue
        if table == thing and (column in owner.grain or _is_thing(owner)):
            return True
        if column in owner.grain and facts.declared.role is FieldRole.CODE:
            return True  # the account number of a balance calls the account
        if any(
            r.via == name and r.from_entity == entity.name and r.to_entity == owner.name for r in _relations(wanted)
        ):
            return True
    return False


def _origin(entity: CatalogEntity, name: str) -> tuple[str, str]:
    """The table and column that a field is taken from."""
    if entity.view is not None and (origin := entity.view.origins.get(name)):
        return origin.table, origin.column.name
    return entity.table.name if entity.table else entity.name, name


def _is_thing(entity: CatalogEntity) -> bool:
    return entity.declared is not None and entity.declared.semantic_type in _THINGS


def _relations(wanted: _Wanted) -> Iterable[Any]:
    return wanted.catalog.ontology.relations if wanted.catalog.ontology else ()


# --- groups of a numbered chart


def _group_met(wanted: _Wanted, used: Used) -> str | None:
    concept = wanted.catalog.ontology.entity(wanted.meaning.entity or "") if wanted.catalog.ontology else None
    name = next(iter(wanted.homes_in(used.call.table)), None)
    if concept is None or concept.number_range is None or name is None:
        return None
    conditions = [condition for condition in used.call.filters if condition.field == name]
    if not conditions or not _same_members(conditions, concept, wanted.stored.get((used.call.table, name), ())):
        return None
    if used.rows is not None and not wanted.seeks_extremes and _is_narrowed(wanted, name, used):
        return None  # the call asked for the group, but the answer tells of some of its rows only
    return f"{used.result}: {_conditions_in_words(conditions)}"


def _same_members(conditions: Sequence[Filter], concept: Entity, codes: Collection[str]) -> bool:
    span = concept.number_range
    assert span is not None
    if len(conditions) == 1:
        op, items = conditions[0].op, tuple(str(item) for item in _items(conditions[0].value))
        if (op == "LIKE" and items == span.like) or (op == "BETWEEN" and items == (span.start, span.end)):
            return True
    inside = {code for code in codes if len(code) == len(span.start) and span.start <= code <= span.end}
    said = tuple((condition.op, tuple(map(str, _items(condition.value)))) for condition in conditions)
    return bool(inside) and inside == _accepted(said, frozenset(codes))


@lru_cache(maxsize=256)
def _accepted(conditions: tuple[tuple[str, tuple[str, ...]], ...], codes: frozenset[str]) -> frozenset[str]:
    """The codes that conditions let through; a call's conditions are asked for again with every figure."""
    filters = [Filter("", op, items) for op, items in conditions]
    return frozenset(code for code in codes if _accept(filters, code))


def _is_narrowed(wanted: _Wanted, name: str, used: Used) -> bool:
    """Whether rows that belong to the answer are left out: other accounts, or, where rows are not accounts, other rows."""
    if not used.returned:
        return False
    places = used.places
    left = [
        row for at, row in enumerate(used.returned) if at not in places and _belongs_to_the_question(wanted, row, used)
    ]
    told = {_as_text(row.get(name)) for row in used.cited_rows}
    return any(_as_text(row.get(name)) not in told or row.get(name) is None for row in left)


def _belongs_to_the_question(wanted: _Wanted, row: Mapping[str, Any], used: Used) -> bool:
    """Whether nothing that the question names rules a row out: another currency, another month."""
    table = used.call.table
    sure = [m.meanings[0] for m in wanted.reading.sure]
    for meaning in sure:
        for home, name in meaning.fields if meaning.value is not None else ():
            if home == table and name in row and _as_text(row[name]) not in wanted.named(table, name):
                return False
    entity = wanted.catalog.entities[table]
    ranges = day_ranges(entity, (*used.call.filters, *conditions_of(entity, row)))
    if not wanted.periods or not ranges or not keeps_apart(entity, used.call):
        return True
    return any(fits(period, days, snapshot=entity.is_snapshot) for period in wanted.periods for days in ranges)


# --- periods


def _period_met(wanted: _Wanted, used: Used) -> str | None:
    period = wanted.meaning.period
    if period is None:
        return None
    entity = wanted.catalog.entities[used.call.table]
    time = _PeriodOfCall(period, entity, used)
    if time.is_met(wanted):
        said = [c for c in used.call.filters if entity.fields[c.field].tells_time]
        rows = "row of that period" if used.rows is not None and not time.by_filters() else ""
        return f"{used.result}: " + " and ".join(filter(None, (_conditions_in_words(said), rows)))
    names = (used.call.table, *used.call.named_fields)
    columns = used.returned[0] if used.returned and not used.call.named_fields else ()
    if names_year(period, (*names, *columns)):
        return f"{used.result}: the name has {period.first.year}"
    return None


@dataclass(frozen=True)
class _PeriodOfCall:
    """A period that is asked for, and the time that a call's figures are about."""

    period: Period
    entity: CatalogEntity
    used: Used

    def is_met(self, wanted: _Wanted) -> bool:
        if not keeps_apart(self.entity, self.used.call):
            return self.by_filters() or any(self._is_one(self._days_of(row)) for row in self.used.cited_rows)
        if self.used.rows is None:
            return self._in_all_rows(wanted)
        rows = [days for row in self.used.cited_rows for days in self._days_of(row)]
        if any(map(self._fits, rows)) or self._is_one(rows):
            return True
        # Several points of a year tell of the year; a single one does only where it is the extreme.
        return self.by_filters() and (len(set(rows)) > 1 or not rows or wanted.seeks_extremes)

    def by_filters(self) -> bool:
        """Whether the call's own conditions are the period."""
        return self._is_one(day_ranges(self.entity, self.used.call.filters))

    def _in_all_rows(self, wanted: _Wanted) -> bool:
        ranges = day_ranges(self.entity, self.used.call.filters)
        if self._is_one(ranges):
            return True
        if not self.used.returned:
            return any(map(self._fits, ranges))  # which rows will be used is not known yet
        same = {tuple(self._with_conditions(said)) for said in self.used.times(self.entity)}
        if len(same) == 1 and self._is_one(next(iter(same))):
            return True
        snapshot = self.entity.is_snapshot
        all_asked = all(any(fits(period, days, snapshot=snapshot) for period in wanted.periods) for days in ranges)
        return all_asked and any(map(self._fits, ranges))

    def _with_conditions(self, said: Sequence[Filter]) -> list[DayRange]:
        return day_ranges(self.entity, (*self.used.call.filters, *said))

    def _days_of(self, row: Mapping[str, Any]) -> list[DayRange]:
        return self._with_conditions(conditions_of(self.entity, row))

    def _fits(self, days: DayRange) -> bool:
        return fits(self.period, days, snapshot=self.entity.is_snapshot)

    def _is_one(self, ranges: Sequence[DayRange]) -> bool:
        """Whether the ranges together are the period; how things stand at a moment is told by one of them alone."""
        whole = joined(ranges)
        at_moment = self.entity.is_snapshot and (self.period.moment != "" or self.period.part == "day")
        return len(whole) == 1 and self._fits(whole[0]) and not (at_moment and len(set(ranges)) > 1)


_MET_BY: Mapping[MentionKind, Callable[[_Wanted, Used], str | None]] = {
    MentionKind.PERIOD: _period_met,
    MentionKind.CODE: _value_met,
    MentionKind.VALUE: _value_met,
    MentionKind.GROUP: _group_met,
}
