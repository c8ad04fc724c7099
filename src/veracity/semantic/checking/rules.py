"""The ontology's rules on the figures of a checked query, with the codes that the table tools use."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.contracts import ValidationErrorCode, clip
from veracity.language.locale import DEFAULT_LANGUAGE, pick
from veracity.ontology.descriptor import Constraint
from veracity.ontology.fields import Additivity
from veracity.query.catalog import FieldFacts
from veracity.query.model import Filter
from veracity.query.validator import accepts
from veracity.query.values import Values
from veracity.semantic.checking.names import Refused, facts_of, split_field
from veracity.semantic.checking.plan import (
    Figure,
    PlainFigure,
    RatioFigure,
    RowsFigure,
    adds_up,
    date_of,
    figure_of,
    figures_in,
    is_against_other,
    plain_figures,
)
from veracity.semantic.graph import SemanticModel, Thing, is_to_one, names_of
from veracity.semantic.query import (
    WITHOUT_VALUE,
    Aggregate,
    Comparison,
    Condition,
    FigureComparison,
    Related,
    SemanticQuery,
    Shown,
    Transform,
    conditions_in,
    parts_of,
)
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.sql.periods import parts_span
from veracity.sources.source import NUMERIC, ColumnType

_CODE = ValidationErrorCode
_ADDING = (Aggregate.SUM, Aggregate.AVG, Aggregate.MEDIAN)


def check_rules(query: SemanticQuery, model: SemanticModel, values: Values | None) -> None:
    """Raise `Refused` at the first figure that the ontology forbids, here or in a query within."""
    of = query.of or ""
    for shown, inside in _figures(query):
        _check_shown(shown, query, model, values, inside=inside)
    for shown in (*figures_in(query.having), *figures_in(query.where)):
        _numbers(figure_of(shown, of, model))
    _check_period(query, model)
    if of and (query.skip or (query.limit or 1) > 1) and _has_edges_only(model.things[of]):
        raise Refused(
            _CODE.INVALID_AGGREGATE_TARGET, of, "Only the largest and the smallest are stored; there is no second."
        )
    if query.lists:
        _ranked_in_one_unit(query, model, values)
        _required(model.things[of], query, (), None)
    for inner in _inner(query):
        check_rules(inner, model, values)


def _has_edges_only(thing: Thing) -> bool:
    return thing.declared is not None and thing.declared.edges


def _ranked_in_one_unit(query: SemanticQuery, model: SemanticModel, values: Values | None) -> None:
    """The largest of some rows is only known where their amounts are in one unit."""
    for order in query.order if query.limit is not None else ():
        if not order.by.is_field:
            continue
        thing, field = split_field(model, order.by.field or "")
        told = pinned_fields(query.where, order.by.via) | {
            one.field.rpartition(".")[2] for one in query.per if one.field and one.via == order.by.via
        }
        plain = PlainFigure(thing, (), Aggregate.MAX, None, None, None, None, trusted=False)
        _units(plain, thing.fields[field], told, values)


def _says_when(measure: str, query: SemanticQuery, model: SemanticModel) -> None:
    """A measure that is only computed for a period: of the question, or of each group."""
    if not model.measures[measure][1].needs_period or query.period is not None:
        return
    fields = [facts_of(model, one.field) for one in query.by if one.field]
    own = [shown.where for shown in query.show if shown.measure == measure]  # of the figure itself
    met = [one for where in (query.where, *own) for one in conditions_in(where)]
    fields += [facts_of(model, one.field) for one in met if isinstance(one, Comparison)]
    if not any(facts.tells_time for facts in fields):
        raise Refused(_CODE.MISSING_REQUIRED_FILTER, "period", f"{clip(measure, 24)} needs a period.", "period")


def _check_shown(
    shown: Shown, query: SemanticQuery, model: SemanticModel, values: Values | None, *, inside: bool
) -> None:
    """One figure, and the figures that its own conditions compare."""
    figure = figure_of(shown, query.of or "", model)
    if isinstance(figure, RowsFigure):
        _check_rows(figure, model)
        _rows_in_one_unit(figure, query, model)
    if shown.transform is Transform.RUNNING_TOTAL and not adds_up(figure):
        raise Refused(_CODE.INVALID_AGGREGATE_TARGET, "transform", "A running total takes sums and counts.")
    if isinstance(figure, RatioFigure) or query.compare or shown.transform not in (None, Transform.RANK):
        _numbers(figure)
    if shown.transform is Transform.SHARE and shown.where is not None and not query.by:
        whole = shown.model_copy(update={"where": None, "transform": None})
        _check_shown(whole, query, model, values, inside=inside)
    if shown.measure is not None and not inside:
        _says_when(shown.measure, query, model)
    for plain in plain_figures(figure):
        _check_figure(plain, query, model, values, inside=inside)
        if shown.transform is not None and query.by and not is_against_other(shown, query):
            _check_beside(shown.transform, plain, query, model, values)
        about = SemanticQuery(of=plain.thing.name, where=plain.where)
        for one in figures_in(plain.where):
            _numbers(figure_of(one, plain.thing.name, model))
            _check_shown(one, about, model, values, inside=True)


def _figures(query: SemanticQuery) -> Iterator[tuple[Shown, bool]]:
    """The figures of a query, and whether each is about one row of its entity."""
    for shown in query.show:
        if not shown.is_field:
            yield shown, False
    for order in query.order:
        if not order.by.is_field:
            yield order.by, query.lists
    for shown in figures_in(query.having):
        yield shown, False
    for shown in figures_in(query.where):
        yield shown, True


def _inner(query: SemanticQuery) -> Iterator[SemanticQuery]:
    shown = [one for shown, _ in _figures(query) for one in _with_compared(shown)]
    conditions: list[Condition | None] = [query.where, query.having, *(one.where for one in shown)]
    for condition in conditions:
        for part in conditions_in(condition):
            if isinstance(part, Related):
                yield part.related
            elif isinstance(part, FigureComparison | Comparison) and isinstance(part.value, SemanticQuery):
                yield part.value
    yield from (one.rows for one in shown if one.rows)


def _check_beside(
    transform: Transform, figure: PlainFigure, query: SemanticQuery, model: SemanticModel, values: Values | None
) -> None:
    """What is set against other groups is of their unit, and a share is one of a figure that may stand over all of them."""
    undivided = query.model_copy(update={"by": ()})
    along_dates = any(one.is_dated for one in query.by)
    if transform is Transform.SHARE:
        _check_figure(figure, undivided, model, values, inside=False)
        via = names_of(figure.way)
        divided = {one.field.rpartition(".")[2] for one in query.by if one.field and one.via == via}
        if divided & set(figure.snapshot):
            hint = "Levels at several times have no total to be shares of."
            raise Refused(_CODE.INVALID_AGGREGATE_TARGET, "transform", hint)
    elif transform is Transform.RANK or not along_dates:
        for one in figure.fields:
            _units(figure, one, _fixed(figure, undivided, inside=False), values)


def _with_compared(shown: Shown) -> Iterator[Shown]:
    """A figure, and the figures that its own conditions compare."""
    yield shown
    for one in (*figures_in(shown.where), *(shown.ratio or ())):
        yield from _with_compared(one)


def _numbers(figure: Figure) -> None:
    """Figures are divided, compared with numbers and transformed; the first or last text or day is not."""
    for plain in plain_figures(figure):
        facts = plain.field
        if plain.aggregate in (Aggregate.MIN, Aggregate.MAX) and facts and facts.column.type not in NUMERIC:
            name = f"{plain.thing.name}.{facts.column.name}"
            raise Refused(_CODE.TYPE_MISMATCH, name, f"{clip(name, 30)} is {facts.column.type}, not a number.")


def _message(constraint: Constraint) -> str:
    return pick(constraint.message, DEFAULT_LANGUAGE)


def _check_rows(figure: RowsFigure, model: SemanticModel) -> None:
    shown = figure.rows.show[0] if figure.rows.show else None
    if figure.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT) or shown is None:
        return
    if not shown.is_field:
        _numbers(figure_of(shown, figure.rows.of or "", model))
        return
    thing, field = split_field(model, shown.field or "")
    plain = PlainFigure(thing, (), figure.aggregate, None, None, None, None, trusted=False)
    _types(plain, thing.fields[field], f"{thing.name}.{field}")
    _declared(plain, thing.fields[field], f"{thing.name}.{field}", figure.rows, set())


def _rows_in_one_unit(figure: RowsFigure, query: SemanticQuery, model: SemanticModel) -> None:
    """Figures in several units are not put together again by an average over them."""
    inner = figure.rows
    figures = [figure_of(shown, inner.of or "", model) for shown in inner.show if not shown.is_field]
    units = {
        f"{plain.thing.name}.{field.declared.unit_field}"
        for one in figures
        for plain in plain_figures(one)
        for field in plain.fields
        if field.declared and field.declared.unit_field and not plain.is_count
    }
    said = {one.field for one in query.by}
    for one in inner.by:
        if one.field in units and one.field not in said and not figure.counts:
            hint = f"The figures are in several units; divide by {clip(one.field or '', 30)}, too."
            raise Refused(_CODE.MIXED_UNITS, one.field, hint, one.field)


def _check_figure(
    figure: PlainFigure, query: SemanticQuery, model: SemanticModel, values: Values | None, *, inside: bool
) -> None:
    thing, facts = figure.thing, figure.field
    if figure.is_count and _has_edges_only(thing):
        raise Refused(
            _CODE.INVALID_AGGREGATE_TARGET, thing.name, "Only the largest and the smallest of each are stored."
        )
    fixed = _fixed(figure, query, inside=inside)
    for one in (facts,) if facts else ():
        name = f"{thing.name}.{one.column.name}"
        _types(figure, one, name)
        if not figure.trusted:
            _declared(figure, one, name, query, fixed)
    for one in figure.fields:
        if figure.trusted and one.additivity is Additivity.SEMI_ADDITIVE:
            _semi_additive(figure, one, f"{thing.name}.{one.column.name}", query, fixed)
        _units(figure, one, fixed, values)
    _once_per_group(figure, query, model)
    _whole_years(figure, query, model, inside=inside)
    _required(thing, query, names_of(figure.way), figure)


def _fixed(figure: PlainFigure, query: SemanticQuery, *, inside: bool) -> set[str]:
    """The fields of the figure's rows that have one value in every group."""
    fixed = pinned_fields(figure.where, ())
    if not inside:
        via = names_of(figure.way)
        fixed |= pinned_fields(query.where, via)
        fixed |= {d.field.rpartition(".")[2] for d in query.by if d.field and d.via == via and d.grain is None}
    return fixed


def pinned_fields(conditions: Condition | None, via: tuple[str, ...]) -> set[str]:
    """The fields of the rows at the end of a way that have one value under these conditions."""
    return {
        part.field.rpartition(".")[2]
        for part in parts_of(conditions)
        if isinstance(part, Comparison)
        and part.via == via
        and part.op == "="
        and part.grain is None
        and not isinstance(part.value, SemanticQuery)
    }


def _types(figure: PlainFigure, facts: FieldFacts, name: str) -> None:
    kind, aggregate, shown = facts.column.type, figure.aggregate, clip(name, 30)
    if aggregate in _ADDING and (facts.identifier or facts.part is not None):
        what = "identifies rows" if facts.identifier else f"says a {facts.part}"
        raise Refused(_CODE.INVALID_AGGREGATE_TARGET, name, f"{shown} {what} and is no figure; count it.", "count")
    if aggregate in _ADDING and kind not in NUMERIC:
        raise Refused(_CODE.TYPE_MISMATCH, name, f"{shown} is {kind}, not a number; count works on it.", "count")
    if aggregate in (Aggregate.MIN, Aggregate.MAX) and kind in (ColumnType.OTHER, ColumnType.BOOLEAN):
        raise Refused(_CODE.TYPE_MISMATCH, name, f"{aggregate} does not work on {shown}; use count.", "count")
    if aggregate is Aggregate.COUNT_DISTINCT and kind is ColumnType.OTHER:
        raise Refused(_CODE.TYPE_MISMATCH, name, f"{shown} cannot be compared; use count.", "count")


def _declared(figure: PlainFigure, facts: FieldFacts, name: str, query: SemanticQuery, fixed: set[str]) -> None:
    """SUM only of what is additive; AVG and MEDIAN also of what is declared so, or of what nobody declared."""
    if figure.aggregate not in _ADDING:
        return
    code, shown = _CODE.INVALID_AGGREGATE_TARGET, clip(name, 30)
    if facts.never_aggregate is not None:
        raise Refused(code, name, _message(facts.never_aggregate))
    averages = figure.aggregate is not Aggregate.SUM
    if facts.convention is not None and not (averages and not facts.identifier):
        raise Refused(code, name, facts.convention)
    used = {one.field.rpartition(".")[2] for one in conditions_in(query.where) if isinstance(one, Comparison)}
    used |= {one.field.rpartition(".")[2] for one in query.by if one.field}
    for rule in facts.wrong_table:
        if (not rule.when or used & set(rule.when)) and not used & set(rule.unless):
            raise Refused(_CODE.WRONG_TABLE_FOR_PURPOSE, name, _message(rule), rule.use)
    if facts.additivity is Additivity.SEMI_ADDITIVE:
        _semi_additive(figure, facts, name, query, fixed)
    elif facts.additivity is Additivity.NON_ADDITIVE:
        said = facts.declared is not None and facts.declared.additivity is not None
        allowed = averages and ((facts.declared and facts.declared.averages) or (not said and figure.thing.key))
        if not allowed:
            hint = f"{shown} is not declared additive; min, max and count work."
            raise Refused(code, name, hint, "avg" if not averages and figure.thing.key and not said else None)
    if figure.thing.catalog.repeats(facts):
        hint = f"{shown} may stand in several rows here; take it where it is one row each."
        raise Refused(_CODE.AMBIGUOUS_GRAIN, name, hint)


def _semi_additive(figure: PlainFigure, facts: FieldFacts, name: str, query: SemanticQuery, fixed: set[str]) -> None:
    """One snapshot: its fields are pinned, divide the answer, or lie in a period whose last one is taken."""
    via = names_of(figure.way)
    dated = {d.field.rpartition(".")[2] for d in query.by if d.field and d.via == via and d.is_dated}
    parts = figure.thing.date_parts
    whole = {parts.month} if parts and parts.whole is not None and parts.year in fixed else set()
    loose = [field for field in facts.over if field not in fixed | dated | whole]
    kinds = [field for field in loose if not figure.thing.fields[field].tells_time]
    if kinds:
        hint = f"{clip(name, 24)} adds up within one {clip(kinds[0], 20)} only; divide by it."
        raise Refused(_CODE.INVALID_AGGREGATE_TARGET, name, hint, f"{figure.thing.name}.{kinds[0]}")
    if loose and query.period is None:
        hint = f"{clip(name, 24)} adds up within one {' and '.join(facts.over)} only; say a period."
        raise Refused(_CODE.INVALID_AGGREGATE_TARGET, name, hint, f"{loose[0]} =")


def _units(figure: PlainFigure, facts: FieldFacts, fixed: set[str], values: Values | None) -> None:
    if figure.is_count or not facts.unit_fixed_by or set(facts.unit_fixed_by) & fixed:
        return
    unit, entity = facts.declared.unit_field if facts.declared else None, figure.thing.name
    if unit and values is not None and values.is_one_value(entity, unit):
        return
    first = facts.unit_fixed_by[0]
    general = f"{clip(facts.column.name, 24)} is in several units; pin {clip(first, 16)} with = or divide by it."
    hint = _message(facts.unit_rule) if facts.unit_rule else general
    raise Refused(_CODE.MIXED_UNITS, f"{entity}.{facts.column.name}", hint, f"{entity}.{first}")


def _once_per_group(figure: PlainFigure, query: SemanticQuery, model: SemanticModel) -> None:
    """Rows that several of a dimension's rows lead to are told apart by their key."""
    ways = (model.place(figure.way, model.way(query.of or "", one.via) or ()) for one in query.by)
    if not figure.thing.key and not all(is_to_one(way) for way in ways):
        hint = f"Nothing says what identifies a row of {clip(figure.thing.name, 24)}."
        raise Refused(_CODE.AMBIGUOUS_GRAIN, figure.thing.name, hint)


def _whole_years(figure: PlainFigure, query: SemanticQuery, model: SemanticModel, *, inside: bool) -> None:
    """Rows about whole years are never added to those about their months."""
    thing, parts = figure.thing, figure.thing.date_parts
    if parts is None or parts.month is None or parts.whole is None or figure.aggregate not in _ADDING:
        return
    if {parts.year, parts.month} <= set(figure.snapshot):
        return  # only the last snapshot counts, so that nothing is added to it
    plain_period = query.period is not None and query.period.field is None
    if plain_period and date_of(thing, figure.date, model) is None:
        return
    via = names_of(figure.way)
    conditions = _together(figure.where, ())
    conditions += [] if inside else _together(query.where, via)
    divided = set() if inside else {d.field.rpartition(".")[2] for d in query.by if d.field and d.via == via}
    whole = str(parts.whole) if thing.fields[parts.month].column.type is ColumnType.TEXT else parts.whole
    if _mixes(parts.month, whole, conditions, divided):
        hint = f"{clip(thing.name, 24)} has rows of months and of whole years; say a period."
        raise Refused(_CODE.MISSING_REQUIRED_FILTER, f"{thing.name}.{parts.month}", hint, "period")


def _together(where: Condition | None, via: tuple[str, ...]) -> list[Comparison]:
    """What surely holds of the rows at the end of a way."""
    return [one for one in parts_of(where) if isinstance(one, Comparison) and one.via == via]


def _check_period(query: SemanticQuery, model: SemanticModel) -> None:
    """A period needs a date to be about: of every figure that is shown, or of those in the conditions, or of the rows."""
    if query.period is None or query.period.field is not None:
        return
    figures = [(figure_of(shown, query.of or "", model), inside) for shown, inside in _figures(query)]
    plain = [(leaf, inside) for figure, inside in figures for leaf in plain_figures(figure)]
    if any(_has_date(leaf, query, model) for leaf, inside in plain if inside):
        return
    thing = model.things[query.of or ""]
    lacking = [leaf.thing for leaf, inside in plain if not inside and not _has_date(leaf, query, model)]
    if not any(not inside for _, inside in figures) and not _rows_have_date(thing, query, model):
        lacking.append(thing)
    if lacking:
        hint = f"Nothing says which date of {clip(lacking[0].name, 24)} a period is about."
        raise Refused(_CODE.FIELD_NOT_FOUND, lacking[0].name, hint, "period.field")


def _has_date(figure: PlainFigure, query: SemanticQuery, model: SemanticModel) -> bool:
    if date_of(figure.thing, figure.date, model) is not None or _rows_have_date(figure.thing, query, model):
        return True
    return bool(figure.way) and date_of(model.things[query.of or ""], None, model) is not None


def _rows_have_date(thing: Thing, query: SemanticQuery, model: SemanticModel) -> bool:
    if date_of(thing, None, model) is not None:
        return True
    if thing.date_parts is None:
        return False
    for period in (query.period, query.compare.period if query.compare else None):
        if period is not None:
            parts_span(thing, period)
    return True


def _required(thing: Thing, query: SemanticQuery, via: tuple[str, ...], figure: PlainFigure | None) -> None:
    """An entity that mixes periods is only read with its periods said."""
    if not thing.catalog.required_filters:
        return
    where = [(one, via) for one in conditions_in(query.where)]
    where += [(one, ()) for one in conditions_in(figure.where if figure else None)]
    compared = {
        one.field.rpartition(".")[2]
        for one, way in where
        if isinstance(one, Comparison) and one.via == way and one.op not in WITHOUT_VALUE
    }
    said = compared | {d.field.rpartition(".")[2] for d in query.by if d.field and d.via == via}
    if figure is not None and thing.date_parts is not None and thing.date_parts.whole is not None:
        said |= {thing.date_parts.month or ""}  # rows of years and months are never mixed
    said |= {one.by.field.rpartition(".")[2] for one in query.order if one.by.field and one.by.via == via}
    said |= {one.field.rpartition(".")[2] for one in query.show if one.field and one.is_field and one.via == via}
    if query.period is not None:
        said |= _dated_by(thing, query.period)
    for rule in thing.catalog.required_filters:
        missing = [name for name in rule.fields if name not in said]
        if not missing and figure is not None:
            together = [*_together(query.where, via), *_together(figure.where, ())]
            missing = [name for name, value in rule.apart.items() if _mixes(name, value, together, said - compared)]
        if missing:
            raise Refused(_CODE.MISSING_REQUIRED_FILTER, missing[0], _message(rule), " and ".join(missing))


def _dated_by(thing: Thing, period: QueryPeriod) -> set[str]:
    """The fields of an entity that a period is a condition on."""
    if thing.date_parts is not None:
        return {name for name in (thing.date_parts.year, thing.date_parts.month) if name}
    default = thing.declared.default_date if thing.declared else None
    home, _, name = (period.field or default or "").rpartition(".")
    return {name} if name and home in ("", thing.name) else set()


def _mixes(name: str, apart: int | str, conditions: list[Comparison], told_apart: set[str]) -> bool:
    """Whether a figure takes in the rows with this value, which sum up the others, together with others."""
    own = [
        one for one in conditions if one.field.rpartition(".")[2] == name and not isinstance(one.value, SemanticQuery)
    ]
    if name in told_apart or any(one.op == "=" for one in own):
        return False
    ops = {"in": "IN", "between": "BETWEEN"}
    return all(accepts(Filter(name, ops.get(one.op, one.op), one.value), apart) for one in own)
