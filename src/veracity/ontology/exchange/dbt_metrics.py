"""Metrics of dbt's semantic manifest -> measures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from veracity.language.nearest import did_you_mean
from veracity.ontology.entities import MeasureAggregate
from veracity.ontology.exchange.building import EntityColumns, MeasureSet, MetricDraft, texts
from veracity.ontology.exchange.dbt_models import (
    DbtAggregation,
    DbtInput,
    DbtManifest,
    DbtMetric,
    DbtNamed,
    DbtSemanticModel,
)
from veracity.ontology.exchange.formulas import (
    AggregateFormula,
    FindField,
    Formula,
    FormulaReader,
    MetricName,
    OverNothing,
    RatioFormula,
    ResolvedField,
    Unsayable,
)
from veracity.ontology.exchange.report import ImportFindings, Place

_AGGREGATES: Mapping[str, MeasureAggregate] = {
    "sum": MeasureAggregate.SUM,
    "min": MeasureAggregate.MIN,
    "max": MeasureAggregate.MAX,
    "average": MeasureAggregate.AVG,
    "median": MeasureAggregate.MEDIAN,
    "count": MeasureAggregate.COUNT,
    "count_distinct": MeasureAggregate.COUNT_DISTINCT,
}
_DIMENSION = "dbt dimension"
"""Stands before what a filter's template names; SQL of dbt names columns of the table otherwise."""
_TEMPLATE = re.compile(r"\{\{\s*(\w+)\(\s*(.*?)\s*\)\s*\}\}", re.DOTALL)
_TEXT = re.compile(r"""['"]([^'"]*)['"]""")


def tell_meta(findings: ImportFindings, part: DbtNamed, kind: str, place: Place) -> None:
    """What is said of a part beyond what an ontology knows."""
    if (part.config or {}).get("meta"):
        findings.leave("meta", f"of {kind} {part.name}", (*place, "config"), "only its writer knows what it means")
    for key in part.model_extra or {}:
        findings.leave("key", f"{key} of {kind} {part.name}", (*place, key), "it is not known")


class DbtMetricReader:
    """Reads the metrics of a manifest; `columns` and `fields` are those of the semantic models that were read before."""

    def __init__(
        self,
        manifest: DbtManifest,
        columns: Mapping[str, EntityColumns],
        fields: dict[tuple[str, str], dict[str, Any]],
        *,
        findings: ImportFindings,
        lang: str,
    ) -> None:
        self._manifest, self._columns, self._fields = manifest, columns, fields
        self._findings, self._lang = findings, lang
        self._models = {model.name: model for model in manifest.semantic_models}
        self._metrics = {metric.name: metric for metric in manifest.metrics}
        self._measures = {
            measure.name: (model, measure) for model in manifest.semantic_models for measure in model.measures
        }
        self.used: set[str] = set()
        """The measures that metrics are made of."""

    def read(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The entity and the measure of each metric that has a home."""
        found = MeasureSet()
        places: dict[str, Place] = {one.name: ("metrics", number) for number, one in enumerate(self._manifest.metrics)}
        for one in self._manifest.metrics:
            said = texts(self._lang, label=one.label, description=one.description)
            tell_meta(self._findings, one, "metric", places[one.name])
            try:
                formula = self._formula(one, ())
                date = self._date(one)
                said |= {"date": date} if date else {}
                said |= {"needsPeriod": True} if self._is_snapshot(formula) else {}
                found.add(MetricDraft(one.name, formula, said))
            except Unsayable as error:
                self._findings.leave("metric", one.name, places[one.name], str(error))
            except OverNothing as error:
                message = f"the metric {one.name} is over nothing: {error}"
                raise self._findings.document.wrong(places[one.name], message) from None
        for name, home, measure in found.measures():
            if isinstance(measure, Unsayable):
                self._findings.leave("metric", name, places[name], str(measure))
                continue
            yield home, measure
            if name in places:
                self._findings.took("metric", name, places[name], f"the measure {name} of {home}", found.note(name))

    def _formula(self, metric: DbtMetric, filters: tuple[str, ...], trail: tuple[str, ...] = ()) -> Formula:
        """What a metric is computed by, with the filters of whoever uses it."""
        if metric.name in trail:
            raise OverNothing(f"it goes round in a circle ({' -> '.join((*trail, metric.name))})")
        filters, trail = (*filters, *metric.filter), (*trail, metric.name)
        params = metric.type_params
        match metric.type:
            case "simple":
                return self._simple(metric, filters)
            case "ratio":
                if params.numerator is None or params.denominator is None:
                    raise OverNothing("a ratio needs a numerator and a denominator")
                parts = [self._input(one, filters, trail) for one in (params.numerator, params.denominator)]
                return RatioFormula(parts[0], parts[1])
            case "derived":
                return self._derived(metric, filters, trail)
            case "cumulative":
                raise Unsayable("running totals are asked for in the question, of the measure that they run over")
            case "conversion":
                raise Unsayable("a measure has no steps from one event to another")
        raise Unsayable(f"the type {metric.type[:40]} is not known")

    def _simple(self, metric: DbtMetric, filters: tuple[str, ...]) -> AggregateFormula:
        params = metric.type_params
        if params.measure is not None:
            if params.measure.name not in self._measures:
                near = did_you_mean(params.measure.name, self._measures)
                raise OverNothing(f"there is no measure {params.measure.name}{near}")
            model, measure = self._measures[params.measure.name]
            self.used.add(measure.name)
            aggregation: DbtAggregation = measure
            sql = measure.expr or measure.name
            filters = (*filters, *params.measure.filter)
            filled: DbtInput | Any = params.measure
        elif params.metric_aggregation_params is not None:
            aggregation = params.metric_aggregation_params
            name = aggregation.semantic_model or ""
            if name not in self._models:
                raise OverNothing(f"there is no semantic model {name}")
            model, sql, filled = self._models[name], params.expr or metric.name, params
        else:
            raise OverNothing("it names no measure")
        if filled.fill_nulls_with is not None or filled.join_to_timespine:
            number = self._manifest.metrics.index(metric)
            why = "what is not there is told as nothing, not filled in"
            self._findings.leave("fill", f"of metric {metric.name}", ("metrics", number, "type_params"), why)
        formula = self._aggregated(model, aggregation, sql)
        where = [f"({part})" if len(filters) > 1 or formula.where else part for part in self._filters(model, filters)]
        whole = " AND ".join([*([f"({formula.where})"] if formula.where and where else [formula.where] if formula.where else []), *where])  # fmt: skip
        return replace(formula, where=whole or None)

    def _aggregated(self, model: DbtSemanticModel, aggregation: DbtAggregation, sql: str) -> AggregateFormula:
        reader = FormulaReader(self._finder(model), metrics={}, home=model.name, dialect="")
        kind, params = aggregation.agg.lower(), aggregation.agg_params
        if kind == "percentile":
            exact = params and not (params.use_discrete_percentile or params.use_approximate_percentile)
            if not exact or params is None or params.percentile != 0.5:
                raise Unsayable("of percentiles, a measure has the median")
            kind = "median"
        if kind == "sum_boolean":
            return AggregateFormula(model.name, MeasureAggregate.COUNT, None, reader.condition(sql, model.name))
        if kind not in _AGGREGATES:
            raise Unsayable(f"the aggregation {kind[:40]} is not known")
        formula = reader.aggregated(sql, _AGGREGATES[kind])
        if aggregation.non_additive_dimension is not None:
            self._snapshot(model, aggregation, formula)
        return formula

    def _snapshot(self, model: DbtSemanticModel, aggregation: DbtAggregation, formula: AggregateFormula) -> None:
        """A measure that takes the last value of a time: its field adds up within one point of that time only."""
        time = aggregation.non_additive_dimension
        assert time is not None
        over = self._columns[model.name].find(time.name)
        field = self._fields.get((model.name, formula.expression or ""))
        if formula.aggregate is not MeasureAggregate.SUM or time.window_choice != "max" or time.window_groupings:
            raise Unsayable(
                "of values that do not add up over time, a measure takes the sum of the last ones, over all"
            )
        if over is None or (field is None and not (formula.expression or "").isidentifier()):
            raise Unsayable("values that do not add up over time have to be a column")
        if field is None:
            name = formula.expression or ""
            field = self._fields[model.name, name] = {"name": name}
        field |= {"additivity": "SEMI_ADDITIVE", "over": [over]}

    def _is_snapshot(self, formula: Formula) -> bool:
        """Whether it adds up within one point in time only, so that a period has to be said."""
        if not isinstance(formula, AggregateFormula):
            return False
        return "additivity" in self._fields.get((formula.home, formula.expression or ""), {})

    def _derived(self, metric: DbtMetric, filters: tuple[str, ...], trail: tuple[str, ...]) -> Formula:
        """An expression over other metrics: one of them, or one divided by another."""
        inputs = {(one.alias or one.name).casefold(): one for one in metric.type_params.metrics}
        reader = FormulaReader(self._no_field, metrics={key: key for key in inputs}, dialect="")
        found = reader.formula(metric.type_params.expr or "")
        match found:
            case MetricName() as one:
                return self._input(inputs[one.name], filters, trail)
            case RatioFormula(MetricName() as first, MetricName() as second):
                parts = [self._input(inputs[one.name], filters, trail) for one in (first, second)]
                return RatioFormula(parts[0], parts[1])
        raise Unsayable("a measure is one aggregate or the ratio of two")

    def _input(self, one: DbtInput, filters: tuple[str, ...], trail: tuple[str, ...]) -> AggregateFormula:
        if one.name not in self._metrics:
            raise OverNothing(f"there is no metric {one.name}{did_you_mean(one.name, self._metrics)}")
        if one.offset_window or one.offset_to_grain:
            raise Unsayable("another period is asked for in the question")
        found = self._formula(self._metrics[one.name], (*filters, *one.filter), trail)
        if not isinstance(found, AggregateFormula):
            raise Unsayable("a measure divides two aggregates; it does not divide ratios")
        return found

    def _date(self, metric: DbtMetric) -> str | None:
        """The date of a metric where it is not that of its model."""
        params = metric.type_params
        if metric.type != "simple":
            return None
        if params.measure is not None:
            model, aggregation = self._measures[params.measure.name]
            named = aggregation.agg_time_dimension
        else:
            assert params.metric_aggregation_params is not None
            model = self._models[params.metric_aggregation_params.semantic_model or ""]
            named = params.metric_aggregation_params.agg_time_dimension
        default = model.defaults.agg_time_dimension if model.defaults else None
        return self._columns[model.name].find(named) if named and named != default else None

    # --- fields and filters

    def _finder(self, model: DbtSemanticModel) -> FindField:
        def find(table: str | None, name: str) -> ResolvedField:
            columns = self._columns[model.name]
            if table == _DIMENSION:
                return ResolvedField(model.name, columns.column(name))
            if table not in (None, model.name):
                raise Unsayable(f"it names {table}.{name}; a measure is about the rows of its own entity")
            return ResolvedField(model.name, columns.stored(name))

        return find

    def _no_field(self, table: str | None, name: str) -> ResolvedField:
        named = f"{table}.{name}" if table else name
        raise OverNothing(f"it names {named}, which is none of its metrics")

    def _filters(self, model: DbtSemanticModel, filters: tuple[str, ...]) -> list[str]:
        reader = FormulaReader(self._finder(model), metrics={}, home=model.name, dialect="")
        return [reader.condition(_TEMPLATE.sub(lambda found: self._named(found, model), one), model.name) for one in filters]  # fmt: skip

    def _named(self, template: re.Match[str], model: DbtSemanticModel) -> str:
        """The column that a template of a filter stands for."""
        kind, said = template[1], _TEXT.fullmatch(template[2])
        path, _, name = said[1].rpartition("__") if said else ("", "", "")
        own = {one.name for one in model.entities} | ({model.primary_entity} if model.primary_entity else set())
        keys = {one.name for one in model.entities if one.type in ("primary", "unique")} | {model.primary_entity}
        if kind == "Dimension" and path in keys and any(one.name == name for one in model.dimensions):
            return f'"{_DIMENSION}"."{name}"'
        if kind == "Entity" and not path and name in own:
            return f'"{_DIMENSION}"."{name}"'
        raise Unsayable(f"its filter names {template[0][:60]}, and a measure's condition is about its own rows")
