"""dbt's semantic manifest -> an ontology, and a report of every part of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from veracity.errors import VeracityError
from veracity.language.nearest import did_you_mean, words_of
from veracity.ontology.descriptor import MeasureAggregate
from veracity.ontology.exchange.building import EntityColumns, MeasureSet, MetricDraft, assembled, texts
from veracity.ontology.exchange.dbt_models import (
    DbtAggregation,
    DbtDimension,
    DbtEntity,
    DbtInput,
    DbtManifest,
    DbtMeasure,
    DbtMetric,
    DbtNamed,
    DbtSemanticModel,
)
from veracity.ontology.exchange.formulas import (
    AggregateFormula,
    Formula,
    FormulaReader,
    MetricName,
    OverNothing,
    RatioFormula,
    ResolvedField,
    Unsayable,
    parsed_sql,
)
from veracity.ontology.exchange.report import Findings, Place

_NEWEST = (0, 10)
"""The newest major and minor version of dbt-semantic-interfaces whose manifests are read."""
_AGGREGATES: Mapping[str, MeasureAggregate] = {
    "sum": MeasureAggregate.SUM,
    "min": MeasureAggregate.MIN,
    "max": MeasureAggregate.MAX,
    "average": MeasureAggregate.AVG,
    "median": MeasureAggregate.MEDIAN,
    "count": MeasureAggregate.COUNT,
    "count_distinct": MeasureAggregate.COUNT_DISTINCT,
}
_FINE = ("nanosecond", "microsecond", "millisecond", "second", "minute", "hour", "day")
_TEMPLATE = re.compile(r"\{\{\s*(\w+)\(\s*(.*?)\s*\)\s*\}\}", re.DOTALL)
_TEXT = re.compile(r"""['"]([^'"]*)['"]""")


class DbtReader:
    """Reads one manifest."""

    def __init__(self, data: Mapping[str, Any], *, findings: Findings, lang: str) -> None:
        self._findings, self._lang = findings, lang
        self._check_version(data)
        try:
            self._manifest = DbtManifest.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            raise findings.document.wrong(first["loc"], first["msg"]) from None
        self._columns: dict[str, EntityColumns] = {}
        self._entities: dict[str, dict[str, Any]] = {}
        self._fields: dict[tuple[str, str], dict[str, Any]] = {}
        self._models = {model.name: model for model in self._manifest.semantic_models}
        self._metrics = {metric.name: metric for metric in self._manifest.metrics}
        self._measures = {
            measure.name: (model, measure) for model in self._manifest.semantic_models for measure in model.measures
        }
        self._used: set[str] = set()

    def read(self) -> dict[str, Any]:
        """The ontology as data; raises the document's error for what cannot be."""
        self._check_names()
        for number, model in enumerate(self._manifest.semantic_models):
            self._model(model, ("semantic_models", number))
        relations = self._relations()
        self._read_metrics()
        self._tell()
        for model in self._manifest.semantic_models:
            fields = [one for (home, _), one in self._fields.items() if home == model.name]
            self._entities[model.name] |= {**self._columns[model.name].home(), "fields": fields}
        return assembled({"featureCode": self._project()}, self._entities, relations)

    def _project(self) -> str:
        """dbt keeps the name of the project elsewhere; the database is the nearest name in the file."""
        relation = self._manifest.semantic_models[0].node_relation
        return relation.schema_name or relation.database or "dbt"

    # --- what a file may not say

    def _check_version(self, data: Mapping[str, Any]) -> None:
        project = data.get("project_configuration")
        version = project.get("dsi_package_version") if isinstance(project, dict) else None
        if not isinstance(version, dict):
            return
        said = [str(version.get(key, "")) for key in ("major_version", "minor_version")]
        if not all(part.isdecimal() and len(part) < 6 for part in said) or (int(said[0]), int(said[1])) > _NEWEST:
            known = ".".join(map(str, _NEWEST))
            message = f"the manifest is of dbt-semantic-interfaces {'.'.join(said)[:20]}, which is not known; versions up to {known} are read"  # fmt: skip
            raise self._wrong(("project_configuration", "dsi_package_version"), message)

    def _check_names(self) -> None:
        lists: list[tuple[str, Sequence[DbtNamed], Place]] = [
            ("semantic model", self._manifest.semantic_models, ("semantic_models",)),
            ("metric", self._manifest.metrics, ("metrics",)),
        ]
        for number, model in enumerate(self._manifest.semantic_models):
            place = ("semantic_models", number)
            lists.append((f"dimension of {model.name}", model.dimensions, (*place, "dimensions")))
            lists.append((f"entity of {model.name}", model.entities, (*place, "entities")))
        for what, parts, place in lists:
            names = [part.name for part in parts]
            for number, name in enumerate(names):
                if name in names[:number]:
                    raise self._wrong((*place, number, "name"), f"the {what} {name} is there twice; rename one of them")

    def _wrong(self, place: Place, message: str) -> VeracityError:
        return self._findings.document.wrong(place, message, "")

    # --- semantic models

    def _model(self, model: DbtSemanticModel, place: Place) -> None:
        relation = model.node_relation
        columns = self._columns[model.name] = EntityColumns(self._table(model))
        if relation.schema_name or relation.database:
            name = relation.relation_name or relation.alias
            why = "the database is what --source names; of tables, their own name is kept"
            self._findings.leave("node_relation", name, (*place, "node_relation"), why)
        for kind, parts in (("entities", model.entities), ("dimensions", model.dimensions)):
            for number, one in enumerate(parts):
                self._column(one, model, columns, (*place, kind, number))
        primary = next((one for one in model.entities if one.type == "primary"), None)
        key = primary or next((one for one in model.entities if one.type == "unique"), None)
        date = model.defaults.agg_time_dimension if model.defaults else None
        self._entities[model.name] = {
            "name": model.name,
            **texts(self._lang, label=model.label, description=model.description),
            **self._called(model, primary),
            "grain": [name] if key and (name := columns.find(key.name)) else [],
            "defaultDate": columns.find(date) if date else None,
            "measures": [],
        }
        self._meta(model, "semantic model", place)
        self._findings.took("semantic model", model.name, place, f"the entity {model.name}")

    def _table(self, model: DbtSemanticModel) -> str:
        own = model.node_relation
        relations = [one.node_relation for one in self._manifest.semantic_models]
        alike = any(one.alias == own.alias and one.schema_name != own.schema_name for one in relations)
        return f"{own.schema_name}.{own.alias}" if alike and own.schema_name else own.alias

    def _called(self, model: DbtSemanticModel, primary: DbtEntity | None) -> dict[str, Any]:
        """The name of the primary entity is what people call a row, unless it is the name of its column."""
        name = primary.name if primary and primary.expr not in (None, primary.name) else model.primary_entity
        if not name or words_of(name) == words_of(model.name):
            return {}
        return {"synonyms": {self._lang: [words_of(name)]}}

    def _column(
        self, one: DbtEntity | DbtDimension, model: DbtSemanticModel, columns: EntityColumns, place: Place
    ) -> None:
        from sqlglot import exp

        name = f"{model.name}.{one.name}"
        try:
            tree = parsed_sql(one.expr, "") if one.expr else None
            if isinstance(one, DbtEntity) and isinstance(tree, exp.Column):
                columns.call(one.name, tree.name)  # a key keeps its name, so that it is not called like what it leads to
            else:
                columns.add(one.name, columns.inlined(tree, one.name) if tree is not None else None)
        except Unsayable as error:
            self._findings.leave("expr", name, (*place, "expr"), str(error))
            return
        own = columns.find(one.name) or one.name
        if (model.name, own) in self._fields:
            self._findings.leave("field", name, place, f"it is the same column as {model.name}.{own}")
            return
        said: dict[str, Any] = {"name": own, **texts(self._lang, label=one.label, description=one.description)}
        if isinstance(one, DbtEntity):
            said["semanticType"] = "IDENTIFIER"
            if one.type not in ("primary", "foreign", "unique"):
                self._findings.leave("entity", f"{name} ({one.type})", place, "only primary, unique and foreign keys join")
            elif one.type == "unique" and any(other.type == "primary" for other in model.entities):
                self._findings.leave("entity", f"{name} (unique)", place, "an entity has one key")
        else:
            said |= self._dimension(one, name, place)
        self._fields[model.name, own] = said
        self._meta(one, "field", place)
        kind = "entity" if isinstance(one, DbtEntity) else "dimension"
        self._findings.took(kind, name, place, f"the field {model.name}.{own}")

    def _dimension(self, one: DbtDimension, name: str, place: Place) -> dict[str, Any]:
        if one.is_partition:
            self._findings.leave("is_partition", f"of {name}", (*place, "is_partition"), "an ontology has no partitions")
        params = one.type_params
        if params and params.validity_params:
            why = "rows that are valid for a time only have no home; relations to them are left out"
            self._findings.leave("validity_params", f"of {name}", (*place, "type_params"), why)
        if params and params.time_granularity not in (None, *_FINE):
            why = f"a date is read by its day; {params.time_granularity} is what a question asks for"
            self._findings.leave("time_granularity", f"of {name}", (*place, "type_params"), why)
        return {"semanticType": "DATE"} if one.type == "time" else {}

    def _meta(self, part: DbtNamed, kind: str, place: Place) -> None:
        meta = (part.config or {}).get("meta")
        if meta:
            self._findings.leave("meta", f"of {kind} {part.name}", (*place, "config"), "only its writer knows what it means")
        for key in part.model_extra or {}:
            self._findings.leave("key", f"{key} of {kind} {part.name}", (*place, key), "it is not known")

    # --- relations

    def _relations(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for number, model in enumerate(self._manifest.semantic_models):
            for at, one in enumerate(model.entities):
                if one.type == "foreign":
                    place = ("semantic_models", number, "entities", at)
                    found += self._relation(model, one, place)
        return found

    def _relation(self, model: DbtSemanticModel, one: DbtEntity, place: Place) -> list[dict[str, Any]]:
        name = f"{model.name}.{one.name}"
        targets = [
            (other, key)
            for kind in ("primary", "unique")
            for other in self._manifest.semantic_models
            for key in other.entities
            if key.name == one.name and key.type == kind and other.name != model.name
        ]
        valid = [(other, key) for other, key in targets if not _is_history(other)]
        own = self._columns[model.name].find(one.name)
        if not valid or own is None:
            why = "the model that it leads to keeps history, which repeats its keys" if targets else "no semantic model has it as its key"  # fmt: skip
            self._findings.leave("foreign entity", name, place, why)
            return []
        found = []
        for other, key in valid:
            theirs = self._columns[other.name].find(key.name) or key.name
            ends = {"fromEntity": model.name, "toEntity": other.name, "cardinality": "MANY_TO_ONE"}
            keyed = self._entities[other.name]["grain"] == [theirs]
            found.append({**ends, **({"via": own} if keyed else {"keys": {own: theirs}})})
            self._findings.took("foreign entity", name, place, f"the relation {model.name} -> {other.name}")
        return found

    # --- metrics

    def _read_metrics(self) -> None:
        found = MeasureSet()
        places: dict[str, Place] = {one.name: ("metrics", number) for number, one in enumerate(self._manifest.metrics)}
        for one in self._manifest.metrics:
            said = texts(self._lang, label=one.label, description=one.description)
            self._meta(one, "metric", places[one.name])
            try:
                formula = self._formula(one, ())
                date = self._date(one)
                found.add(MetricDraft(one.name, formula, {**said, **({"date": date} if date else {})}))
            except Unsayable as error:
                self._findings.leave("metric", one.name, places[one.name], str(error))
            except OverNothing as error:
                message = f"the metric {one.name} is over nothing: {error}"
                raise self._wrong(places[one.name], message) from None
        for name, home, measure in found.measures():
            if isinstance(measure, Unsayable):
                self._findings.leave("metric", name, places[name], str(measure))
                continue
            self._entities[home]["measures"].append(measure)
            if name in places:
                self._findings.took("metric", name, places[name], f"the measure {name} of {home}")

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
            self._used.add(measure.name)
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
            raise Unsayable("of values that do not add up over time, a measure takes the sum of the last ones, over all")
        if over is None or (field is None and not (formula.expression or "").isidentifier()):
            raise Unsayable("values that do not add up over time have to be a column")
        if field is None:
            name = formula.expression or ""
            field = self._fields[model.name, name] = {"name": name}
        field |= {"additivity": "SEMI_ADDITIVE", "over": [over]}

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

    def _finder(self, model: DbtSemanticModel) -> Any:
        def find(table: str | None, name: str) -> ResolvedField:
            if table is not None and table != model.name:
                raise Unsayable(f"it names {table}.{name}; a measure is about the rows of its own entity")
            return ResolvedField(model.name, self._columns[model.name].column(name))

        return find

    def _no_field(self, table: str | None, name: str) -> ResolvedField:
        raise OverNothing(f"it names {name}, which is none of its metrics")

    def _filters(self, model: DbtSemanticModel, filters: tuple[str, ...]) -> list[str]:
        reader = FormulaReader(self._finder(model), metrics={}, home=model.name, dialect="")
        return [reader.condition(_TEMPLATE.sub(lambda found: self._named(found, model), one), model.name) for one in filters]  # fmt: skip

    def _named(self, template: re.Match[str], model: DbtSemanticModel) -> str:
        """The column that a template of a filter stands for."""
        kind, words = template[1], _TEXT.findall(template[2])
        path, _, name = words[0].rpartition("__") if words else ("", "", "")
        own = {one.name for one in model.entities} | ({model.primary_entity} if model.primary_entity else set())
        keys = {one.name for one in model.entities if one.type in ("primary", "unique")} | {model.primary_entity}
        if kind == "Dimension" and path in keys and any(one.name == name for one in model.dimensions):
            return f'"{name}"'
        if kind == "Entity" and not path and name in own:
            return f'"{name}"'
        raise Unsayable(f"its filter names {template[0][:60]}, and a measure's condition is about its own rows")

    # --- what has no home

    def _tell(self) -> None:
        for number, model in enumerate(self._manifest.semantic_models):
            for at, measure in enumerate(model.measures):
                if measure.name not in self._used:
                    place: Place = ("semantic_models", number, "measures", at)
                    self._findings.leave("measure", measure.name, place, "no metric that came over uses it")
        project = self._manifest.project_configuration
        if project is not None and (project.time_spines or project.time_spine_table_configurations):
            why = "periods are computed, not joined"
            self._findings.leave("time spine", "of the project", ("project_configuration",), why)
        queries = self._manifest.saved_queries
        for number, query in enumerate(queries if isinstance(queries, list) else []):
            name = str(query.get("name")) if isinstance(query, dict) else "?"
            self._findings.leave("saved query", name, ("saved_queries", number), "ask it as a question")
        for key in self._manifest.model_extra or {}:
            self._findings.leave("key", str(key), (key,), "it is not known")


def _is_history(model: DbtSemanticModel) -> bool:
    return any(one.type_params and one.type_params.validity_params for one in model.dimensions)
