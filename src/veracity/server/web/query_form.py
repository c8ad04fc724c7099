"""A query as a form: what can be chosen, from what there is, and the query that somebody chose."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from veracity.contracts import QueryValidationError
from veracity.semantic.checking.read import read_query
from veracity.semantic.editing import as_asked, divisions, time_divisions
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Aggregate, Dimension, SemanticQuery, Shown, parts_of, to_json
from veracity.semantic.wording.labels import Context, capital, labels_of
from veracity.semantic.wording.phrases import context_of
from veracity.semantic.wording.read_back import Sentences
from veracity.sources.source import NUMERIC

OPERATORS = ("=", "!=", ">", ">=", "<", "<=", "like", "in", "missing", "notMissing")
_KEEP = "keep"


@dataclass(frozen=True, slots=True)
class FormOption:
    """Something that can be chosen."""

    value: str
    label: str
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class QueryForm:
    """What a form offers for one query."""

    figures: tuple[FormOption, ...]
    first: tuple[FormOption, ...]
    second: tuple[FormOption, ...]
    conditions: tuple[FormOption, ...]
    fields: tuple[FormOption, ...]
    operators: tuple[str, ...]
    since: str
    until: str
    order: str
    limit: str
    compared: str
    """What it is compared with, in words; nothing where it is not."""


@dataclass(frozen=True, slots=True)
class FilledForm:
    """What somebody chose."""

    figure: str = _KEEP
    by: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    field: str = ""
    op: str = "="
    value: str = ""
    since: str = ""
    until: str = ""
    order: str = ""
    limit: str = ""
    compared: bool = False


class FormFiller:
    """Makes the form of a query, and a query from a form, with the names of one language."""

    def __init__(self, model: SemanticModel, lang: str) -> None:
        self._model = model
        self._labels = labels_of(model, lang)
        self._words = Sentences(self._labels)

    def form(self, query: SemanticQuery) -> QueryForm:
        """The form, filled in as the query is."""
        query = as_asked(query)
        context = context_of(query, self._model)
        kept = tuple(
            FormOption(str(n), capital(self._words.condition(part, context)), chosen=True)
            for n, part in enumerate(parts_of(query.where))
        )
        period, order = query.period, query.order[0] if query.order else None
        compare = query.compare.period if query.compare else None
        return QueryForm(
            figures=tuple(self._figures(query, context)),
            first=tuple(self._divisions(query, context, 0)),
            second=tuple(self._divisions(query, context, 1)),
            conditions=kept,
            fields=tuple(self._fields(query)),
            operators=OPERATORS,
            since=period.first.isoformat() if period and period.first else "",
            until=period.last.isoformat() if period and period.last else "",
            order="" if order is None else "desc" if order.descending else "asc",
            limit=str(query.limit or ""),
            compared=self._words.days(compare) if compare else "",
        )

    def _figures(self, query: SemanticQuery, context: Context) -> Iterator[FormOption]:
        if query.show:
            said = ", ".join(self._words.shown(one, context) for one in query.show)
            yield FormOption(_KEEP, capital(said), chosen=True)
        shown = query.show[0] if len(query.show) == 1 else None
        for name in self._model.measures:
            if shown is None or shown.measure != name:
                yield FormOption(f"measure:{name}", capital(self._words.shown(Shown(measure=name), Context())))
        for name in self._model.things:
            count = Shown(aggregate=Aggregate.COUNT, of=name)
            if shown != count:
                yield FormOption(f"count:{name}", capital(self._words.shown(count, Context())))

    def _divisions(self, query: SemanticQuery, context: Context, place: int) -> Iterator[FormOption]:
        """What the figures can be divided by: nothing, what they are divided by, periods, and things and categories."""
        timed = list(time_divisions(query.model_copy(update={"period": None}), self._model))
        spoken = _spoken(query.by, timed)
        chosen = spoken[place] if place < len(spoken) else ()
        yield FormOption("", "–", chosen=not chosen)
        undivided = query.model_copy(update={"by": ()})
        others = [(one,) for one in divisions(undivided, self._model)] if query.of else []
        for by in dict.fromkeys((*spoken, *timed, *others)):
            value = json.dumps([to_json(one) for one in by])
            yield FormOption(value, capital(self._words.dimensions(by[-1:], context)), chosen=by == chosen)

    def _fields(self, query: SemanticQuery) -> Iterator[FormOption]:
        """The fields of what the query is about, and of what that belongs to."""
        of = query.of or ""
        places: list[tuple[str, tuple[str, ...]]] = [(of, ())]
        places += [(step.end, (step.name,)) for step in self._model.steps.get(of, ()) if step.to_one]
        for entity, via in places:
            for name in self._model.things[entity].fields if entity in self._model.things else ():
                label = self._labels.field(f"{entity}.{name}", Context(of))
                yield FormOption(json.dumps([f"{entity}.{name}", list(via)]), capital(label))

    # --- back

    def query(self, before: SemanticQuery, filled: FilledForm) -> SemanticQuery | QueryValidationError:
        """The query that somebody chose; what is wrong with it is told in one sentence."""
        before = as_asked(before)
        parts = parts_of(before.where)
        where: list[Any] = [to_json(part) for n, part in enumerate(parts) if str(n) in filled.kept]
        if filled.field:
            where.append(self._condition(filled))
        show = self._shown(before, filled.figure)
        period = {"from": filled.since, "to": filled.until}
        given: dict[str, Any] = {
            "show": show,
            "of": before.of if filled.figure == _KEEP else None,
            "where": where or None,
            "by": [one for text in filled.by if text for one in _read_list(text)],
            "period": {name: day for name, day in period.items() if day} or None,
        }
        if filled.order in ("asc", "desc") and show:
            given["order"] = [{"by": show[0], "descending": filled.order == "desc"}]
            given["limit"] = filled.limit or None
        if filled.compared and before.compare is not None:
            given["compare"] = to_json(before.compare)
        return read_query({name: value for name, value in given.items() if value is not None})

    def _shown(self, before: SemanticQuery, chosen: str) -> list[Any]:
        kind, _, name = chosen.partition(":")
        if kind == "measure":
            return [{"measure": name}]
        if kind == "count":
            return [{"aggregate": "count", "of": name}]
        return [to_json(one) for one in before.show]

    def _condition(self, filled: FilledForm) -> dict[str, Any]:
        given = _read_list(filled.field)
        field, via = (given[0], given[1]) if len(given) == 2 else ("", [])
        entity, _, name = str(field).partition(".")
        thing = self._model.things.get(entity)
        facts = thing.fields.get(name) if thing else None
        numeric = facts is not None and facts.column.type in NUMERIC and facts.guard is None
        told: dict[str, Any] = {"field": field, "via": via, "op": filled.op}
        if filled.op in ("missing", "notMissing"):
            return told
        values = [part.strip() for part in filled.value.split(",")] if filled.op == "in" else [filled.value.strip()]
        read = [_number(value) if numeric else value for value in values]
        return {**told, "value": read if filled.op == "in" else read[0]}


def _spoken(by: Sequence[Dimension], timed: Sequence[tuple[Dimension, ...]]) -> list[tuple[Dimension, ...]]:
    """What a query is divided by; a year and a month in columns of their own are one thing."""
    pairs = [one for one in timed if len(one) > 1 and set(one) <= set(by)]
    taken = {one for pair in pairs for one in pair}
    return [*((one,) for one in by if one not in taken), *pairs]


def _read_list(text: str) -> list[Any]:
    try:
        read: Any = json.loads(text)
    except ValueError:
        return [text]
    return read if isinstance(read, list) else [read]


def _number(text: str) -> Decimal | str:
    try:
        return Decimal(text.replace("'", "").replace("\N{RIGHT SINGLE QUOTATION MARK}", ""))
    except InvalidOperation:
        return text
