"""Question coverage: what the question names is in the calls whose figures the answer uses, or the answer is not released."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fnmatch import translate
from functools import lru_cache
from itertools import product
from re import Pattern
from re import compile as compile_re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from veracity.ontology.descriptor import Encoding, Entity, FieldRole, SemanticType
from veracity.query.catalog import Catalog, CatalogEntity, FieldFacts
from veracity.query.model import Call, Filter
from veracity.query.nearest import words_of
from veracity.question import Meaning, Mention, MentionKind, Period, Reading
from veracity.trace import QueryValidationError, ValidationErrorCode, clip

_YEARS = range(1900, 2101)
_PART_WORDS = {"year": "year", "jahr": "year", "年": "year", "month": "month", "monat": "month", "月": "month"}
_PINNING = frozenset({FieldRole.NAME, FieldRole.CODE, FieldRole.IDENTIFIER})

Stored = Mapping[tuple[str, str], Collection[str]]
"""The stored texts of a field, by entity and field."""
Span = tuple[date, date]


class ReceiptLine(BaseModel):
    """One thing the question names, and the part of a call that takes it up."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mention: str
    meaning: str
    met_by: str | None
    status: Literal["met", "unsure", "missing"]


@dataclass(frozen=True, slots=True)
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


def cover(reading: Reading, used: Sequence[Used], catalog: Catalog, stored: Stored) -> tuple[ReceiptLine, ...]:
    """The receipt: every mention with what meets it. Only a mention that the reader is sure of can be missing."""
    return tuple(_line(mention, reading, used, catalog, stored) for mention in reading.mentions if _tells(mention))


def first_missing(receipt: Iterable[ReceiptLine]) -> QueryValidationError | None:
    """What the model is told about the first mention that nothing meets."""
    for line in receipt:
        if line.status == "missing":
            hint = f"{clip(line.mention, 24)!r} means {line.meaning}; no call used in the answer has it."
            code = ValidationErrorCode.QUESTION_NOT_COVERED
            return QueryValidationError(code=code, field=line.mention, suggestion=line.meaning, hint=hint)
    return None


def _tells(mention: Mention) -> bool:
    return mention.sure and mention.meanings[0].kind in _METS


def _line(mention: Mention, reading: Reading, used: Sequence[Used], catalog: Catalog, stored: Stored) -> ReceiptLine:
    meaning = mention.meanings[0]
    asked = _Asked(meaning, reading, catalog, stored)
    met = next((found for one in used if (found := _METS[meaning.kind](asked, one))), None)
    said = in_words(meaning, catalog)
    if met is None and _is_implied(asked, used):
        return ReceiptLine(mention=mention.text, meaning=said, met_by=None, status="unsure")
    return ReceiptLine(mention=mention.text, meaning=said, met_by=met, status="met" if met else "missing")


@dataclass(frozen=True, slots=True)
class _Asked:
    meaning: Meaning
    reading: Reading
    catalog: Catalog
    stored: Stored

    @property
    def homes(self) -> frozenset[tuple[str, str]]:
        return frozenset(self.meaning.fields)


def in_words(meaning: Meaning, catalog: Catalog) -> str:
    """A meaning as a condition that a model can write."""
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
            name = meaning.fields[0][1] if meaning.fields else "value"
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


# --- stored values and codes


def _value_met(asked: _Asked, used: Used) -> str | None:
    value = asked.meaning.value
    for condition in used.call.filters:
        if (used.call.table, condition.field) in asked.homes and _takes_in(condition, value):
            return f"{used.result}: {condition.field} {condition.op} {_shown(condition.value)}"
    for table, name in asked.meaning.fields:
        if table != used.call.table:
            continue
        if any(str(row.get(name)) == value for row in used.rows or ()):
            return f"{used.result}: row with {name} = {value}"
        if used.returned and all(str(row.get(name)) == value for row in used.returned):
            return f"{used.result}: every row has {name} = {value}"
        if name in used.call.group_by and used.rows is None:
            return f"{used.result}: grouped by {name}"
    return None


def _takes_in(condition: Filter, value: str | None) -> bool:
    if value is None:
        return False
    match condition.op:
        case "=":
            return str(condition.value) == value
        case "IN":
            return isinstance(condition.value, list | tuple) and value in map(str, condition.value)
        case "LIKE":
            return _like(str(condition.value)).fullmatch(value) is not None
        case _:
            return False


@lru_cache(maxsize=256)
def _like(pattern: str) -> Pattern[str]:
    plain = pattern.replace("[", "[[]").replace("*", "[*]").replace("?", "[?]")
    return compile_re(translate(plain.replace("%", "*").replace("_", "?")))


def _shown(value: Any) -> str:
    return clip(", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value), 60)


def _is_implied(asked: _Asked, used: Sequence[Used]) -> bool:
    """Whether a word for a value says nothing that the calls do not say otherwise.

    A named customer is a customer; a group of accounts has its class; a table without the field cannot be filtered by
    it. What is counted must be what was asked for, though.
    """
    if asked.meaning.kind is not MentionKind.VALUE or not _is_kind(asked):
        return False
    for one in used:
        entity = asked.catalog.entities[one.call.table]
        pinned = {c.field for c in one.call.filters if c.op == "="}
        if any(_role(entity.fields[name]) in _PINNING for name in pinned):
            return True
        if not any(table == entity.name for table, _name in asked.homes):
            if not (one.counted or one.call.aggregate in ("COUNT", "COUNT_DISTINCT")):
                return True
        elif _narrowed_by_group(asked, entity):
            return True
    return False


def _is_kind(asked: _Asked) -> bool:
    """Whether a value is a kind of thing (customer) that people also have other words for, not the name of one."""
    homes = (asked.catalog.entities[table].fields[name].declared for table, name in asked.meaning.fields)
    return any(declared is not None and asked.meaning.value in declared.values for declared in homes)


def _narrowed_by_group(asked: _Asked, entity: CatalogEntity) -> bool:
    groups = (m.meanings[0] for m in asked.reading.mentions if m.sure and m.meanings[0].kind is MentionKind.GROUP)
    return any(table == entity.name for group in groups for table, _field in group.fields)


def _role(facts: FieldFacts) -> FieldRole | None:
    return facts.declared.role if facts.declared else None


# --- groups of a numbered chart


def _group_met(asked: _Asked, used: Used) -> str | None:
    concept = asked.catalog.ontology.entity(asked.meaning.entity or "") if asked.catalog.ontology else None
    name = next((field for table, field in asked.meaning.fields if table == used.call.table), None)
    if concept is None or concept.number_range is None or name is None:
        return None
    conditions = [condition for condition in used.call.filters if condition.field == name]
    if not conditions or not _same_members(conditions, concept, asked.stored.get((used.call.table, name), ())):
        return None
    if used.rows is not None and _is_narrowed(name, used.rows, used):
        return None  # the call asked for the group, but the answer tells of some of its rows only
    return f"{used.result}: {name} " + " and ".join(f"{c.op} {_shown(c.value)}" for c in conditions)


def _is_narrowed(name: str, rows: Sequence[Mapping[str, Any]], used: Used) -> bool:
    if not all(name in row for row in rows):
        return used.cited < len(used.returned)
    told = {str(row[name]) for row in rows}
    return not {str(row[name]) for row in used.returned if name in row} <= told


def _same_members(conditions: Sequence[Filter], concept: Entity, codes: Collection[str]) -> bool:
    span = concept.number_range
    assert span is not None
    if len(conditions) == 1 and conditions[0].op == "LIKE" and span.like == (conditions[0].value,):
        return True
    inside = {code for code in codes if len(code) == len(span.start) and span.start <= code <= span.end}
    taken = {code for code in codes if all(_accepts(condition, code) for condition in conditions)}
    return bool(inside) and inside == taken


def _accepts(condition: Filter, code: str) -> bool:
    value = condition.value
    match condition.op:
        case "BETWEEN":
            return isinstance(value, list | tuple) and len(value) == 2 and str(value[0]) <= code <= str(value[1])
        case ">=":
            return code >= str(value)
        case ">":
            return code > str(value)
        case "<=":
            return code <= str(value)
        case "<":
            return code < str(value)
        case "!=":
            return code != str(value)
        case _:
            return _takes_in(condition, code)


# --- periods


def _period_met(asked: _Asked, used: Used) -> str | None:
    period = asked.meaning.period
    if period is None:
        return None
    entity = asked.catalog.entities[used.call.table]
    snapshot = _is_snapshot(entity)
    for conditions in _variants(entity, used):
        spans = _spans(entity, conditions, apart=snapshot or _groups_by_period(entity, used.call))
        if any(_fits(period, span, snapshot=snapshot) for span in spans):
            said = [c for c in conditions if _is_period(entity.fields[c.field])]
            return f"{used.result}: " + " and ".join(f"{c.field} {c.op} {_shown(c.value)}" for c in said)
    return None


def _is_snapshot(entity: CatalogEntity) -> bool:
    return entity.declared is not None and entity.declared.semantic_type is SemanticType.BALANCE_SNAPSHOT


def _groups_by_period(entity: CatalogEntity, call: Call) -> bool:
    return any(_is_period(entity.fields[name]) for name in call.group_by)


def _variants(entity: CatalogEntity, used: Used) -> Iterable[Sequence[Filter]]:
    """The call's own conditions, and those together with the period of each row that was used."""
    yield used.call.filters
    periods = [name for name, facts in entity.fields.items() if _is_period(facts)]
    for row in used.rows or ():
        said = [Filter(name, "=", row[name]) for name in periods if row.get(name) is not None]
        if said:
            yield (*used.call.filters, *said)


def _is_period(facts: FieldFacts) -> bool:
    return part_of(facts) is not None or _is_date(facts)


def _is_date(facts: FieldFacts) -> bool:
    return facts.guard is not None or facts.column.type.value in ("date", "timestamp")


def part_of(facts: FieldFacts) -> Literal["year", "month"] | None:
    """Whether a field holds years or months: a period field says so in its name or label."""
    if _role(facts) not in (FieldRole.PERIOD, None) or facts.column.type.value not in ("integer", "text"):
        return None
    labels = tuple(facts.declared.label.values()) if facts.declared else ()
    for text in (facts.column.name, *labels):
        for word in words_of(text).split():
            part = _PART_WORDS.get(word) or (
                "year" if word.endswith("年") else "month" if word.endswith("月") else None
            )
            if part is not None:
                return "year" if part == "year" else "month"
    return None


def _fits(period: Period, span: Span, *, snapshot: bool) -> bool:
    if period.moment == "start":
        return span[0] == period.first or (snapshot and span[1] == period.first - timedelta(days=1))
    if snapshot and (period.moment == "end" or period.part == "day"):
        return span[1] == period.last
    return span == (period.first, period.last)


def _spans(entity: CatalogEntity, conditions: Sequence[Filter], *, apart: bool) -> list[Span]:
    """The stretches of time that conditions let through; those that follow each other are one, or, `apart`, also each."""
    years: set[int] | None = None
    months: set[int] | None = None
    first, last = date.min, date.max
    for condition in conditions:
        facts = entity.fields.get(condition.field)
        if facts is None:
            continue
        part = part_of(facts)
        if part == "year":
            years = _numbers(condition, _YEARS, years)
        elif part == "month":
            months = _numbers(condition, range(13), months)
        elif _is_date(facts):
            low, high = _days(condition, facts)
            first, last = max(first, low), min(last, high)
    spans = _of_parts(years, months)
    if (first, last) != (date.min, date.max):
        spans = [(max(first, a), min(last, b)) for a, b in spans or [(first, last)]]
    joined = _joined(spans)
    return [*joined, *spans] if apart else joined


def _numbers(condition: Filter, among: Iterable[int], before: set[int] | None) -> set[int]:
    tests: dict[str, Callable[[int, Any], bool]] = {
        "=": lambda n, v: n == _number(v),
        "IN": lambda n, v: n in {_number(item) for item in v},
        "BETWEEN": lambda n, v: _number(v[0]) <= n <= _number(v[1]),
        ">=": lambda n, v: n >= _number(v),
        ">": lambda n, v: n > _number(v),
        "<=": lambda n, v: n <= _number(v),
        "<": lambda n, v: n < _number(v),
        "!=": lambda n, v: n != _number(v),
    }
    test = tests.get(condition.op)
    found = {n for n in among if test is None or test(n, condition.value)}
    return found if before is None else found & before


def _number(value: Any) -> int:
    try:
        return int(str(value))
    except ValueError:
        return -1


def _of_parts(years: set[int] | None, months: set[int] | None) -> list[Span]:
    if years is None or len(years) > 60:
        return []
    if months is None or months == {0}:
        return [(date(year, 1, 1), date(year, 12, 31)) for year in sorted(years)]
    return [
        (date(year, month, 1), date(year, month, monthrange(year, month)[1]))
        for year, month in product(sorted(years), sorted(months - {0}))
    ]


def _joined(spans: Sequence[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in spans:
        if joined and span[0] - timedelta(days=1) == joined[-1][1]:
            joined[-1] = (joined[-1][0], span[1])
        else:
            joined.append(span)
    return joined


def _days(condition: Filter, facts: FieldFacts) -> Span:
    values = condition.value if isinstance(condition.value, list | tuple) else [condition.value]
    days = [day for value in values if (day := _day(value, facts.guard)) is not None]
    if not days:
        return date.min, date.max
    one = timedelta(days=1)
    match condition.op:
        case "=":
            return days[0], days[0]
        case "BETWEEN" if len(days) == 2:
            return days[0], days[1]
        case ">=":
            return days[0], date.max
        case ">":
            return days[0] + one, date.max
        case "<=":
            return date.min, days[0]
        case "<":
            # Before midnight of a day is up to the day before; before a later moment takes that day in.
            return date.min, days[0] - one if _is_midnight(values[0], facts.guard) else days[0]
        case _:
            return date.min, date.max


def _day(value: Any, encoding: Encoding | None) -> date | None:
    if isinstance(value, date):
        return value.date() if isinstance(value, datetime) else value
    if encoding is not None:
        number = _number(value)
        seconds = number / 1000 if encoding is Encoding.UNIX_MILLISECONDS else number
        try:
            return datetime.fromtimestamp(seconds, UTC).date() if number != -1 else None
        except (OverflowError, OSError, ValueError):
            return None
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


def _is_midnight(value: Any, encoding: Encoding | None) -> bool:
    if encoding is not None:
        day = 86_400_000 if encoding is Encoding.UNIX_MILLISECONDS else 86_400
        return _number(value) % day == 0
    return len(str(value)) <= 10 or str(value)[11:19] in ("00:00:00", "00:00")


_METS: Mapping[MentionKind, Callable[[_Asked, Used], str | None]] = {
    MentionKind.PERIOD: _period_met,
    MentionKind.CODE: _value_met,
    MentionKind.VALUE: _value_met,
    MentionKind.GROUP: _group_met,
}
