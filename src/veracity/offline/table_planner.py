"""Question -> one call on tables that nobody described: a list, a number of rows, a total, a total per something.

Every word of the question has to be a name of the source, a stored value, a period, or harmless: nothing is guessed, and
what is left open (which table, which date) is asked back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from veracity.answer.coverage import Stored
from veracity.answer.time_conditions import day_after
from veracity.language.cues import cues_of
from veracity.language.nearest import words_of
from veracity.language.texts import say
from veracity.offline.pattern_planner import Plan, strange_words
from veracity.offline.patterns import Filled
from veracity.ontology.descriptor import CanonicalQueryPattern, ToolCall
from veracity.query.catalog import Catalog, CatalogEntity, FieldFacts
from veracity.question import Lexicon, Mention, MentionKind, QuestionReading
from veracity.sources.source import NUMERIC, ColumnType

_UNDERSTOOD = frozenset({"count", "list", "per", "average", "most", "least"})
"""What a question may stress; what compares, leaves out or explains needs more than one call."""
_PER = re.compile(
    r"(?:\b(?:pro|je|jede[rsnm]?|nach|per|by|each|every|for each|for every|across)|按照?|每个?|各个?|分)\s*$", re.I
)
_DATES = frozenset({ColumnType.DATE, ColumnType.TIMESTAMP})
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_TOTAL = re.compile(r"\b(?:total|sum|summe|gesamtsumme|insgesamt|gesamt\w*)\b|合计|总额|总和|总计|一共")
_NAMES = (["name"], ["title"], ["label"], ["bezeichnung"], ["titel"], ["名称"], ["姓名"])
_RANKED = 50
_UNSAYABLE = frozenset("{}`")
"""With one of these a column cannot be named in an expression."""
_HOW_MANY = re.compile(r"多少(?!钱)|几(?=\s*[个家笔条位名张]?\s*$)")
_NO_BRACES = str.maketrans("{}", "()")


@dataclass(frozen=True, slots=True)
class _NamedThing:
    """What a question names of one table."""

    entity: CatalogEntity
    measures: tuple[str, ...]
    groups: tuple[str, ...]
    """Fields that stand behind a word such as `per`."""
    fields: tuple[str, ...]
    """The other fields."""
    filters: tuple[dict[str, Any], ...]
    said: tuple[str, ...]
    """The values and periods in the question's own words."""


class PlainPlanner:
    """Plans a call from the names of tables, columns and stored values alone."""

    locale: str | None = None

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def plan(self, reading: QuestionReading, _words: Lexicon, _stored: Stored, _today: date) -> Plan:
        """One call with its answer, or what is not understood, or what has to be asked back."""
        rest = _rest(reading).casefold()
        cues = cues_of(rest)
        if strange := tuple(strange_words(rest)):
            asks_back = self._names_none(reading) and bool(cues & {"count", "list"})
            return Plan(
                None,
                unread=strange,
                tables=self._names(),
                open_question=self._which_table(reading) if asks_back else None,
            )
        if not cues <= _UNDERSTOOD or reading.of(MentionKind.NUMBER):
            return Plan(None)
        tables = self._tables(reading)
        if len(tables) != 1:
            return Plan(None, open_question=self._which_table(reading, tables) if tables else None)
        named = _names_in(tables[0], reading)
        if isinstance(named, Plan):
            return named
        if _HOW_MANY.search(rest) and not named.measures:
            cues |= {"count"}
        made = _calls(named, cues, reading.lang, totals=_TOTAL.search(rest) is not None)
        return Plan(_filled(named, reading, *made)) if made else Plan(None)

    def _names(self) -> tuple[str, ...]:
        return tuple(self._catalog.entities)[:6]

    def _names_none(self, reading: QuestionReading) -> bool:
        return not any(reading.of(kind) for kind in (MentionKind.ENTITY, MentionKind.FIELD, MentionKind.VALUE))

    def _which_table(
        self, reading: QuestionReading, tables: list[CatalogEntity] | None = None
    ) -> tuple[str, tuple[str, ...]] | None:
        names = [entity.name for entity in tables or self._catalog.entities.values()]
        return (say("which_table", reading.lang), tuple(names[:6])) if len(names) > 1 else None

    def _tables(self, reading: QuestionReading) -> list[CatalogEntity]:
        """The tables that have everything that the question names; the one it calls by its name goes before others."""
        tables = list(self._catalog.entities.values())
        for mention in reading.mentions:
            tables = [entity for entity in tables if _has(entity, mention)]
        named = {m.entity for mention in reading.of(MentionKind.ENTITY) for m in mention.meanings}
        return [entity for entity in tables if entity.name in named] or tables


def _rest(reading: QuestionReading) -> str:
    """The question without what it names."""
    text = reading.question
    for mention in reversed(reading.mentions):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    return text


def _has(entity: CatalogEntity, mention: Mention) -> bool:
    """Whether a table has what is named; a period can be asked of any table with a date."""
    for meaning in mention.meanings:
        if meaning.kind is MentionKind.PERIOD:
            if any(facts.is_date for facts in entity.fields.values()):
                return True
        elif meaning.kind is MentionKind.ENTITY:
            if meaning.entity == entity.name:
                return True
        elif any(home == entity.name for home, _name in meaning.fields):
            return True
    return False


def _names_in(entity: CatalogEntity, reading: QuestionReading) -> _NamedThing | Plan:
    measures: list[str] = []
    groups: list[str] = []
    fields: list[str] = []
    filters: list[dict[str, Any]] = []
    said: list[str] = []
    for mention in reading.mentions:
        meaning = next(m for m in mention.meanings if _has(entity, Mention(0, 0, "", (m,), sure=True)))
        if meaning.kind is MentionKind.ENTITY:
            continue
        if meaning.kind is MentionKind.PERIOD:
            found = _period_filters(entity, mention, reading)
            if isinstance(found, Plan):
                return found
            filters += found
            said.append(mention.text)
            continue
        name = next(name for home, name in meaning.fields if home == entity.name)
        if meaning.kind in (MentionKind.VALUE, MentionKind.CODE):
            filters.append({"field": name, "op": "=", "value": meaning.value})
            said.append(mention.text)
            if fields[-1:] == [name]:
                fields.pop()  # "Region Nord": the field only introduces its value
        elif _PER.search(reading.question[: mention.start]):
            groups.append(name)
        elif _is_measure(entity.fields[name]):
            measures.append(name)
        else:
            fields.append(name)
    if len({condition["field"] for condition in filters if condition["op"] == "="}) < sum(
        condition["op"] == "=" for condition in filters
    ):
        return Plan(None)  # two values of one field: "A and B" is not "A or B" to everyone
    return _NamedThing(entity, tuple(measures), tuple(groups), tuple(fields), tuple(filters), tuple(said))


def _is_measure(facts: FieldFacts) -> bool:
    return facts.column.type in NUMERIC and not facts.identifier


def _period_filters(entity: CatalogEntity, mention: Mention, reading: QuestionReading) -> list[dict[str, Any]] | Plan:
    period = next(m.period for m in mention.meanings if m.period is not None)
    named = {
        name
        for m in reading.of(MentionKind.FIELD)
        for x in m.meanings
        for home, name in x.fields
        if home == entity.name
    }
    dates = [name for name, facts in entity.fields.items() if facts.column.type in _DATES and facts.guard is None]
    dates = [name for name in dates if name in named] or dates
    if len(dates) > 1:
        return Plan(None, open_question=(say("which_date", reading.lang), tuple(dates[:6])))
    if not dates or period.moment:
        return Plan(None)
    after = day_after(period.last)
    return [
        {"field": dates[0], "op": ">=", "value": period.first.isoformat()},
        {"field": dates[0], "op": "<", "value": after.isoformat()},
    ]


def _calls(
    named: _NamedThing, cues: frozenset[str], lang: str, *, totals: bool
) -> tuple[tuple[ToolCall, ...], str] | None:
    """The calls, and the answer over their results `r1`, ...; None where the question is of another kind."""
    base: dict[str, Any] = {"tableName": named.entity.name, "filters": list(named.filters)}
    if ("per" in cues and not named.groups) or (totals and not named.measures):
        return None
    if any(_UNSAYABLE & set(name) for name in named.entity.fields):
        return None
    if named.measures:
        return _measured(named, cues, base, lang)
    what = _what(named, named.fields or (named.entity.name,))
    if named.groups or "count" in cues:
        if named.fields or cues & {"average", "most", "least"}:
            return None
        call = {**base, "aggregate": "COUNT", "groupBy": list(named.groups)}
        return (ToolCall(tool="aggregateTable", args=call),), _answer_text(what, named.groups, "count", 1)
    if cues - {"list"}:
        return None
    named_by = [name for name in named.entity.fields if words_of(name).split()[-1:] in _NAMES][:1]
    shown = [*(c["field"] for c in named.filters), *named_by, *named.fields] if named.fields else []
    fields = list(dict.fromkeys(shown))
    listed = ", ".join(f"r1.{_column(name)}" for name in fields or named.entity.fields)
    return (ToolCall(tool="queryTable", args={**base, "fields": fields}),), f"{what}: {{{{ rows({listed}) }}}}"


def _measured(
    named: _NamedThing, cues: frozenset[str], base: dict[str, Any], lang: str
) -> tuple[tuple[ToolCall, ...], str] | None:
    extreme = bool(cues & {"most", "least"})
    # "Which region has the highest revenue" is answered by the revenue of every region, the largest first.
    groups = named.groups or (named.fields if extreme else ())
    if "count" in cues or (named.fields and named.fields != groups) or (extreme and len(groups) != 1):
        return None
    aggregate = "AVG" if "average" in cues else "SUM"
    more = {"groupBy": list(groups), **({"limit": _RANKED} if extreme else {})}
    calls = tuple(
        ToolCall(tool="aggregateTable", args={**base, "aggregate": aggregate, "field": measure, **more})
        for measure in named.measures
    )

    def called(measure: str) -> str:
        return say("average_of", lang, what=measure) if aggregate == "AVG" else measure

    texts = [
        _answer_text(_what(named, (called(measure),)), groups, f"{aggregate.lower()}_{measure}", number)
        for number, measure in enumerate(named.measures, 1)
    ]
    return calls, "\n".join(texts)


def _what(named: _NamedThing, names: tuple[str, ...]) -> str:
    # A brace in a name would begin an expression.
    return ", ".join([*names, *named.said]).translate(_NO_BRACES)


def _answer_text(what: str, groups: tuple[str, ...], column: str, number: int) -> str:
    if not groups:
        return f"{what}: {{{{ r{number}[0].{_column(column)} }}}}"
    listed = ", ".join(f"r{number}.{_column(name)}" for name in (*groups, column))
    return f"{what}: {{{{ rows({listed}) }}}}"


def _column(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else f"`{name}`"


def _filled(named: _NamedThing, reading: QuestionReading, calls: tuple[ToolCall, ...], text: str) -> Filled:
    pattern = CanonicalQueryPattern(
        intent="PLAIN", description={reading.lang: named.entity.name}, pattern=calls, answer={reading.lang: text}
    )
    return Filled(pattern, {}, {}, calls)
