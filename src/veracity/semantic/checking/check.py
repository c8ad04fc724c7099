"""Is this query valid? Names resolved, every relation named, literals of their field's type, the ontology's rules kept.

The result says one meaning in one way: two spellings of it are equal. The ways of `where`, `by`, `order` and `per` start at
the query's entity (`of`), those of a figure's own `where` at the figure's entity.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.query.catalog import FieldFacts
from veracity.query.values import Misfit, Values
from veracity.semantic.checking.expressions import segment_condition
from veracity.semantic.checking.literals import bound, bound_day
from veracity.semantic.checking.names import (
    Refused,
    facts_of,
    measure_called,
    near_name,
    split_field,
    thing_called,
    way_between,
)
from veracity.semantic.checking.plan import figure_of, plain_figures
from veracity.semantic.checking.rules import check_rules
from veracity.semantic.graph import SemanticModel, is_to_one, names_of
from veracity.semantic.query import (
    WITHOUT_VALUE,
    Aggregate,
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    CountRange,
    Dimension,
    FigureComparison,
    InSegment,
    Negation,
    OrderBy,
    Related,
    SemanticQuery,
    Shown,
    Transform,
    all_of,
)
from veracity.semantic.query_values import EarlierDate, Grain, QueryPeriod
from veracity.sources.source import NUMERIC, ColumnType

DEEPEST = 40
"""Conditions and queries are nested at most so deeply."""
_MOST_VALUES = 1000
_FAMILIES = dict.fromkeys(NUMERIC, "number") | dict.fromkeys((ColumnType.DATE, ColumnType.TIMESTAMP), "date")
"""Types whose values can be compared with each other."""
_MOST_PARTS = 200
_CODE = ValidationErrorCode


def check(
    query: SemanticQuery, model: SemanticModel, values: Values | None = None
) -> SemanticQuery | QueryValidationError:
    """The query in canonical form, or the first problem. `values` tells whether all rows are of one unit."""
    try:
        checked = _Checker(model).query(query.normalized(), 0).normalized()
        check_rules(checked, model, values)
    except RecursionError:
        return QueryValidationError(code=_CODE.TYPE_MISMATCH, field="query", hint="The query is nested too deeply.")
    except Refused as refused:
        return refused.problem
    except Misfit as misfit:
        return misfit.problem("value")
    return checked


class _Checker:
    """Resolves one query; `Refused` and `Misfit` carry the first problem out."""

    def __init__(self, model: SemanticModel) -> None:
        self._model = model

    def query(self, query: SemanticQuery, depth: int) -> SemanticQuery:
        if depth > DEEPEST:
            raise Refused(_CODE.TYPE_MISMATCH, "query", "The query is nested too deeply.")
        of = thing_called(self._model, query.of).name if query.of else self._own_entity(query, depth)
        lists = query.lists
        by = tuple(self._dimension(one, of) for one in query.by)
        changed = {
            "of": of,
            "show": tuple(self._shown(one, of, depth, lists=lists) for one in query.show),
            "by": tuple(dict.fromkeys(by)),
            "where": self._condition(query.where, of, depth) if query.where else None,
            "period": self._period(query.period, of) if query.period else None,
            "having": self._having(query.having, of, depth) if query.having else None,
            "order": tuple(
                self._order(one, of, by, depth, lists=lists, compared=query.compare is not None) for one in query.order
            ),
            "per": tuple(self._dimension(one, of) for one in query.per),
            "compare": self._compare(query, of) if query.compare else None,
        }
        checked = query.model_copy(update=changed)
        self._shape(checked)
        return checked

    def _own_entity(self, query: SemanticQuery, depth: int) -> str:
        """The entity of the first thing shown, else of the first that the answer is divided by."""
        if query.show:
            return self._home(query.show[0], depth)
        first = query.by[0]
        return (
            thing_called(self._model, first.entity).name
            if first.entity
            else split_field(self._model, first.field or "")[0].name
        )

    def _home(self, shown: Shown, depth: int) -> str:
        if depth > DEEPEST:
            raise Refused(_CODE.TYPE_MISMATCH, "query", "The query is nested too deeply.")
        if shown.ratio:
            return self._home(shown.ratio[0], depth + 1)
        if shown.rows:
            inner = shown.rows
            return thing_called(self._model, inner.of).name if inner.of else self._own_entity(inner, depth + 1)
        if shown.measure:
            return self._measure_home(shown.measure)
        return (
            thing_called(self._model, shown.of).name
            if shown.of
            else split_field(self._model, shown.field or "")[0].name
        )

    def _measure_home(self, name: str) -> str:
        thing, measure = measure_called(self._model, name)
        return measure_called(self._model, measure.ratio[0])[0].name if measure.ratio else thing.name

    # --- what is shown

    def _shown(self, shown: Shown, of: str, depth: int, *, lists: bool = False) -> Shown:
        if shown.ratio:
            return self._ratio(shown, of, depth)
        if shown.rows:
            return self._over_rows(shown, of, depth)
        home = self._home(shown, depth)
        name = shown.measure or shown.of or shown.field or ""
        way = way_between(self._model, of, shown.via, home, name)
        changed: dict[str, Any] = {"via": names_of(way)}
        if shown.where:
            changed["where"] = self._condition(shown.where, home, depth + 1)
        if shown.is_field:
            self._looked_up(is_to_one(way), name, lists=lists)
        if shown.since is not None:
            changed["since"] = self._since(shown.since, shown.field or "")
        if shown.grain is not None:
            self._date(facts_of(self._model, name), name)
            if not shown.is_field:
                raise Refused(_CODE.OPERATOR_INCOMPATIBLE, name, "A figure has no grain; divide by the date instead.")
        return shown.model_copy(update=changed)

    def _ratio(self, shown: Shown, of: str, depth: int) -> Shown:
        """What a ratio says of itself, its two parts say."""
        assert shown.ratio
        if any(part.is_field or part.transform for part in shown.ratio):
            raise Refused(_CODE.INVALID_AGGREGATE_TARGET, "ratio", "A ratio divides two plain figures.")
        parts = []
        for part in shown.ratio:
            where = all_of((part.where, shown.where)) if shown.where else part.where
            parts.append(self._shown(part.model_copy(update={"where": where}), of, depth + 1))
        return shown.model_copy(update={"ratio": tuple(parts), "where": None, "via": ()})

    def _over_rows(self, shown: Shown, of: str, depth: int) -> Shown:
        assert shown.rows
        inner = self.query(shown.rows, depth + 1)
        if inner.of != of:
            hint = f"`rows` is about {clip(inner.of or '', 20)}, the query about {clip(of, 20)}; make them one."
            raise Refused(_CODE.AMBIGUOUS_GRAIN, "rows", hint, inner.of)
        if shown.where or shown.via:
            raise Refused(_CODE.OPERATOR_INCOMPATIBLE, "rows", "Write conditions inside `rows`.")
        counts = shown.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
        if (
            (not counts and len(inner.show) != 1)
            or inner.compare
            or any(one.transform or one.unit for one in inner.show)
        ):
            raise Refused(_CODE.AMBIGUOUS_GRAIN, "rows", "`rows` shows exactly one plain figure or field.")
        return shown.model_copy(update={"rows": inner})

    def _looked_up(self, to_one: bool, name: str, *, lists: bool) -> None:
        if not lists:
            hint = "A field stands beside figures in `by`, not in `show`."
            raise Refused(_CODE.OPERATOR_INCOMPATIBLE, name, hint)
        if not to_one:
            hint = f"A row has several {clip(name, 24)}; list their entity, or use `by`."
            raise Refused(_CODE.AMBIGUOUS_GRAIN, name, hint, split_field(self._model, name)[0].name)

    def _dimension(self, dimension: Dimension, of: str) -> Dimension:
        if dimension.entity is not None:
            thing = thing_called(self._model, dimension.entity)
            if not thing.key:
                hint = f"Nothing says what identifies a row of {clip(thing.name, 24)}; name a field."
                raise Refused(_CODE.AMBIGUOUS_GRAIN, thing.name, hint)
            way = way_between(self._model, of, dimension.via, thing.name, thing.name)
            return dimension.model_copy(update={"via": names_of(way)})
        name = dimension.field or ""
        thing, field = split_field(self._model, name)
        facts = thing.fields[field]
        if facts.column.type is ColumnType.OTHER:
            raise Refused(_CODE.TYPE_MISMATCH, name, f"{clip(name, 30)} cannot be sorted or grouped by.")
        if dimension.grain is not None:
            self._date(facts, name)
        return dimension.model_copy(
            update={"via": names_of(way_between(self._model, of, dimension.via, thing.name, name))}
        )

    def _since(self, since: EarlierDate, name: str) -> EarlierDate:
        """The date that days are counted from: of the same row, or of one that it belongs to."""
        (home, field), (thing, other) = split_field(self._model, name), split_field(self._model, since.field)
        self._date(home.fields[field], name)
        self._date(thing.fields[other], since.field)
        way = way_between(self._model, home.name, since.via, thing.name, since.field)
        if not is_to_one(way):
            hint = f"A row has several {clip(since.field, 24)}; count the days from each of them."
            raise Refused(_CODE.AMBIGUOUS_GRAIN, since.field, hint)
        return since.model_copy(update={"via": names_of(way)})

    def _date(self, facts: FieldFacts, name: str) -> None:
        if not facts.is_date:
            raise Refused(_CODE.TYPE_MISMATCH, name, f"{clip(name, 30)} is no date, so it has no periods.")

    def _order(
        self, order: OrderBy, of: str, by: tuple[Dimension, ...], depth: int, *, lists: bool, compared: bool
    ) -> OrderBy:
        shown = order.by
        if shown.is_field and not lists:
            wanted = self._dimension(Dimension(field=shown.field, via=shown.via, grain=shown.grain), of)
            if wanted not in by:
                hint = f"Order by something that the answer shows; {clip(shown.field or '', 24)} is not in `by`."
                raise Refused(_CODE.FIELD_NOT_FOUND, shown.field, hint)
            return order.model_copy(update={"by": shown.model_copy(update={"via": wanted.via})})
        _in_groups(shown, lists=lists, compared=compared)
        checked = self._shown(shown.model_copy(update={"unit": None}), of, depth, lists=lists)
        if checked.is_field and facts_of(self._model, checked.field or "").column.type is ColumnType.OTHER:
            raise Refused(_CODE.TYPE_MISMATCH, checked.field, "This field cannot be sorted by.")
        return order.model_copy(update={"by": checked})

    # --- conditions

    def _condition(self, condition: Condition, of: str, depth: int) -> Condition:
        if depth > DEEPEST:
            raise Refused(_CODE.TYPE_MISMATCH, "where", "The conditions are nested too deeply.")
        match condition:
            case AllOf() | AnyOf():
                if len(condition.conditions) > _MOST_PARTS:
                    raise Refused(_CODE.TYPE_MISMATCH, "where", f"At most {_MOST_PARTS} conditions stand together.")
                parts = tuple(self._condition(part, of, depth + 1) for part in condition.conditions)
                checked = condition.model_copy(update={"conditions": parts})
                if isinstance(checked, AllOf):
                    self._one_row_one_value(checked, of)
                return checked
            case Negation():
                return Negation(condition=self._condition(condition.condition, of, depth + 1))
            case Comparison():
                return self._comparison(condition, of, depth)
            case InSegment():
                return self._segment(condition, of)
            case Related():
                return self._related(condition, of, depth)
            case FigureComparison():
                if not self._model.things[of].key:
                    raise Refused(_CODE.AMBIGUOUS_GRAIN, of, f"Nothing says what identifies a row of {clip(of, 24)}.")
                if condition.show.transform is not None or (condition.than and condition.than.transform):
                    raise Refused(
                        _CODE.OPERATOR_INCOMPATIBLE, "transform", "One row has no neighbours to compare with."
                    )
                return self._figure_comparison(condition, of, depth)

    def _one_row_one_value(self, together: AllOf, of: str) -> None:
        """Conditions of one AND on related rows are about one such row, which has one value of each field."""
        pinned: dict[tuple[str, tuple[str, ...]], Any] = {}
        for part in together.conditions:
            if (
                not isinstance(part, Comparison)
                or part.op != "="
                or part.grain
                or isinstance(part.value, SemanticQuery)
            ):
                continue
            way = self._model.way(of, part.via) or ()
            if is_to_one(way):
                continue
            if pinned.setdefault((part.field, part.via), part.value) != part.value:
                hint = "No single related row has both values; say each with `related`."
                raise Refused(_CODE.OPERATOR_INCOMPATIBLE, part.field, hint, "related")

    def _comparison(self, condition: Comparison, of: str, depth: int) -> Comparison:
        thing, field = split_field(self._model, condition.field)
        way = way_between(self._model, of, condition.via, thing.name, condition.field)
        facts, value = thing.fields[field], condition.value
        if condition.since is not None:
            since = self._since(condition.since, condition.field)
            values = value if isinstance(value, tuple) else (value,)
            numbers = [Decimal(one) for one in values if isinstance(one, int | Decimal) and not isinstance(one, bool)]
            if len(numbers) < len(values) or (condition.op == "between" and numbers != sorted(numbers)):
                raise Refused(_CODE.TYPE_MISMATCH, condition.field, "Days are compared with numbers of days.")
            return condition.model_copy(update={"via": names_of(way), "since": since})
        self._operator(condition, facts)
        if condition.grain is not None:
            self._date(facts, condition.field)
        if isinstance(value, SemanticQuery):
            value = self._operand(value, facts, condition.field, of, depth)
        elif condition.op not in WITHOUT_VALUE:
            try:
                self._literals(condition, facts)
            except Misfit as misfit:
                raise Refused(_CODE.TYPE_MISMATCH, condition.field, misfit.hint, misfit.suggestion) from None
        return condition.model_copy(update={"via": names_of(way), "value": value})

    def _operator(self, condition: Comparison, facts: FieldFacts) -> None:
        kind, op, name = facts.column.type, condition.op, clip(condition.field, 30)
        code = _CODE.OPERATOR_INCOMPATIBLE
        if op in WITHOUT_VALUE:
            return
        if kind is ColumnType.OTHER:
            raise Refused(code, condition.field, f"{name} can only be tested for missing values.", "notMissing")
        if op == "like" and kind is not ColumnType.TEXT:
            raise Refused(code, condition.field, f"like works on text only; {name} is {kind}.", "=")
        if kind is ColumnType.BOOLEAN and op not in ("=", "!=", "in"):
            raise Refused(code, condition.field, f"{name} is true or false: use = or !=.", "=")

    def _literals(self, condition: Comparison, facts: FieldFacts) -> None:
        value = condition.value
        values = value if isinstance(value, tuple) else (value,)
        if not 1 <= len(values) <= _MOST_VALUES:
            raise Misfit(f"A list holds 1 to {_MOST_VALUES} values.")
        if condition.grain is Grain.WEEKDAY:
            if condition.op not in ("=", "!=", "in") or any(one not in range(1, 8) for one in values):
                raise Misfit("Days of the week are numbers from 1, Monday, to 7, with = != or in.")
            return
        if condition.grain is not None:
            ends: list[Any] = [bound_day(condition.field, one) for one in values]
        else:
            ops = (">=", "<=") if condition.op == "between" else (condition.op,) * len(values)
            bounds = [bound(facts, op, one) for op, one in zip(ops, values, strict=True)]
            ends = [getattr(one, "start", one) for one in bounds]
        if condition.op == "between" and ends[0] > ends[1]:
            raise Misfit("between takes [low, high]; these are the wrong way round.")

    def _operand(self, value: SemanticQuery, facts: FieldFacts, name: str, of: str, depth: int) -> SemanticQuery:
        """Another field of the same row, or a query with one figure."""
        if is_same_row(value):
            other = value.show[0]
            if value.of not in (None, of):
                raise Refused(_CODE.AMBIGUOUS_GRAIN, name, f"Compare with a field of the same {clip(of, 24)}.")
            shown = self._shown(other, of, depth + 1, lists=True)
            checked = value.model_copy(update={"of": of, "show": (shown,)})
        else:
            checked = self.query(value, depth + 1)
            _shows_one_value(checked, name)
        kind = self._kind_of(checked.show[0])
        if _FAMILIES.get(kind, kind) != _FAMILIES.get(facts.column.type, facts.column.type):
            hint = f"{clip(name, 30)} is {facts.column.type}, the other value {kind}."
            raise Refused(_CODE.TYPE_MISMATCH, name, hint)
        return checked

    def _kind_of(self, shown: Shown) -> ColumnType:
        """The type of a column; what is computed is a number."""
        if shown.field and (shown.is_field or shown.aggregate in (Aggregate.MIN, Aggregate.MAX)):
            return facts_of(self._model, shown.field).column.type
        return ColumnType.INTEGER

    def _segment(self, condition: InSegment, of: str) -> InSegment:
        if condition.segment not in self._model.segments:
            near = near_name(condition.segment, self._model.segments)
            hint = f"There is no segment {clip(condition.segment, 24)}."
            raise Refused(_CODE.VALUE_NOT_FOUND, condition.segment, hint, near)
        entity = self._model.segments[condition.segment][0]
        self._condition(segment_condition(self._model.things[entity], condition.segment), entity, 0)
        way = way_between(self._model, of, condition.via, entity, entity)
        return condition.model_copy(update={"via": names_of(way)})

    def _related(self, condition: Related, of: str, depth: int) -> Condition:
        related = self.query(condition.related, depth + 1)
        if related.compare or (any(not one.is_field for one in related.show) and not related.by):
            raise Refused(_CODE.AMBIGUOUS_GRAIN, "related", "`related` takes a query that lists rows.")
        if related.by and (len(related.by) != 1 or related.by[0].entity is None):
            raise Refused(_CODE.AMBIGUOUS_GRAIN, "related", "`related` takes a query that lists rows of one entity.")
        entity = related_entity(related)
        if not self._model.things[entity].key and (related.limit or related.by or condition.count):
            raise Refused(_CODE.AMBIGUOUS_GRAIN, entity, f"Nothing says what identifies a row of {clip(entity, 24)}.")
        way = way_between(self._model, of, condition.via, entity, entity)
        checked = condition.model_copy(update={"related": related, "via": names_of(way), "count": None})
        return _counted(checked, condition.count)

    def _figure_comparison(self, condition: FigureComparison, of: str, depth: int) -> FigureComparison:
        if condition.show.is_field:
            raise Refused(_CODE.OPERATOR_INCOMPATIBLE, condition.show.field, "Compare a field with {field, op, value}.")
        shown, value = self._shown(condition.show, of, depth + 1), condition.value
        if shown.unit is not None:
            raise Refused(_CODE.OPERATOR_INCOMPATIBLE, "unit", "Write the number in the figure's own unit.")
        if condition.than is not None:
            than = self._other_figure(shown, condition.than, of, depth)
            return condition.model_copy(update={"show": shown, "than": than})
        if isinstance(value, SemanticQuery):
            value = self.query(value, depth + 1)
            _shows_one_value(value, "value")
            if self._kind_of(value.show[0]) not in NUMERIC:
                raise Refused(_CODE.TYPE_MISMATCH, "value", "A figure is compared with a number.")
        elif isinstance(value, bool | str | tuple) or value is None:
            raise Refused(_CODE.TYPE_MISMATCH, "value", "A figure is compared with a number.")
        return condition.model_copy(update={"show": shown, "value": value})

    def _other_figure(self, shown: Shown, than: Shown, of: str, depth: int) -> Shown:
        """The figure of the same row or group that another one is compared with; both are in one unit."""
        other = self._shown(than, of, depth + 1)
        if other.is_field or other.unit is not None:
            raise Refused(_CODE.OPERATOR_INCOMPATIBLE, "than", "Compare with another figure, in its own unit.")
        units = [
            {one.unit for one in plain_figures(figure_of(figure, of, self._model)) if not one.is_count}
            for figure in (shown, other)
        ]
        if units[0] != units[1]:
            raise Refused(_CODE.MIXED_UNITS, "than", "The two figures are not in one unit.")
        return other

    def _having(self, condition: Condition, of: str, depth: int) -> Condition:
        match condition:
            case AllOf() | AnyOf():
                parts = tuple(self._having(part, of, depth + 1) for part in condition.conditions)
                return condition.model_copy(update={"conditions": parts})
            case Negation():
                return Negation(condition=self._having(condition.condition, of, depth + 1))
            case FigureComparison():
                _in_groups(condition.show)
                if condition.than is not None:
                    _in_groups(condition.than)
                return self._figure_comparison(condition, of, depth)
        raise Refused(
            _CODE.OPERATOR_INCOMPATIBLE, "having", "`having` compares figures; other conditions go to `where`."
        )

    # --- period, comparison, shape

    def _period(self, period: QueryPeriod, of: str) -> QueryPeriod:
        if period.field is None:
            return period.model_copy(update={"via": ()})
        thing, field = split_field(self._model, period.field)
        self._date(thing.fields[field], period.field)
        way = way_between(self._model, of, period.via, thing.name, period.field)
        return period.model_copy(update={"via": names_of(way)})

    def _compare(self, query: SemanticQuery, of: str) -> Any:
        compare = query.compare
        assert compare
        if compare.period is not None:
            return compare.model_copy(update={"period": self._period(compare.period, of)})
        members = [self._comparison(Comparison(field=compare.field or "", value=one), of, 0) for one in compare.members]
        if members[0].value == members[1].value:
            raise Refused(_CODE.OPERATOR_INCOMPATIBLE, compare.field, "Compare two different members.")
        return compare

    def _shape(self, query: SemanticQuery) -> None:
        of = self._model.things[query.of or ""]
        figures = [shown for shown in query.show if not shown.is_field]
        complete = [one for one in query.by if one.complete]
        _transforms(query, figures)
        if complete and any(one != complete[0] and not _is_of(one, complete[0]) for one in query.by):
            hint = "Beside a `complete` division only fields of the same entity can stand."
            raise Refused(_CODE.OPERATOR_INCOMPATIBLE, complete[0].entity, hint)
        if query.lists and any(not one.by.is_field for one in query.order) and not of.key:
            raise Refused(_CODE.AMBIGUOUS_GRAIN, of.name, f"Nothing says what identifies a row of {clip(of.name, 24)}.")
        if not query.lists and any(one not in query.by for one in query.per):
            raise Refused(_CODE.FIELD_NOT_FOUND, "per", "`per` names something that stands in `by`.")
        for one in query.per if query.lists else ():
            if not is_to_one(self._model.way(of.name, one.via) or ()):
                raise Refused(_CODE.AMBIGUOUS_GRAIN, one.field or one.entity, "`per` takes what a row has one of.")
        nested = [shown.rows for shown in figures if shown.rows]
        if nested and (query.where or query.period or (query.having and query.compare)):
            raise Refused(_CODE.OPERATOR_INCOMPATIBLE, "rows", "Write conditions and periods inside `rows`.")


def is_same_row(value: SemanticQuery) -> bool:
    """Whether a query that something is compared with names a field of the same row, and no rows of its own."""
    plain = not (value.where or value.period or value.order or value.by or value.limit)
    return plain and len(value.show) == 1 and value.show[0].is_field


def related_entity(query: SemanticQuery) -> str:
    """Whose rows a query lists: those of its entity, or those that it is divided by."""
    return (query.by[0].entity if query.by else query.of) or ""


def _shows_one_value(query: SemanticQuery, name: str) -> None:
    one = query.show[0] if len(query.show) == 1 else None
    if one is None or query.by or query.compare or one.transform or one.unit:
        raise Refused(_CODE.AMBIGUOUS_GRAIN, name, "Compare with a query that shows one value.")


def _is_of(one: Dimension, rows: Dimension) -> bool:
    """Whether a division is by a field of the very rows that another one is by."""
    own = (one.field or "").rpartition(".")[0] == rows.entity
    return own and one.via == rows.via and one.grain is None and not one.apart


def _in_groups(shown: Shown, *, lists: bool = False, compared: bool = False) -> None:
    """Groups are sorted and kept by figures and shares; what is computed from neighbours depends on the order itself.

    `compared`: a change is the one against the other period or member, which does not.
    """
    known = {Transform.SHARE, *((Transform.CHANGE, Transform.CHANGE_PERCENT) if compared else ())}
    if shown.transform is not None and (lists or shown.transform not in known):
        raise Refused(_CODE.OPERATOR_INCOMPATIBLE, "transform", "Take the figure itself here, not what is made of it.")


def _transforms(query: SemanticQuery, figures: list[Shown]) -> None:
    """A transformation needs groups, and stands alone."""
    for one in figures:
        if one.transform is None:
            if one.unit and query.compare:
                raise Refused(_CODE.OPERATOR_INCOMPATIBLE, "unit", "A comparison is in the figure's own unit.")
            continue
        if query.compare or one.unit:
            raise Refused(
                _CODE.OPERATOR_INCOMPATIBLE, "transform", "Compare, convert or transform a figure, one of these."
            )
        if one.transform is not Transform.SHARE and not query.by:
            raise Refused(_CODE.OPERATOR_INCOMPATIBLE, "transform", f"{one.transform} needs `by`.")


def _counted(related: Related, count: CountRange | None) -> Condition:
    """At least one and none have one way each to be said."""
    match (count.op, count.value) if count else (">=", 1):
        case (">=", 1) | (">", 0) | ("!=", 0):
            return related
        case ("<", 1) | ("<=", 0) | ("=", 0):
            return Negation(condition=related)
    return related.model_copy(update={"count": count})
