"""dbt's semantic manifest (`target/semantic_manifest.json`) as far as an ontology needs it; other keys are kept to be told."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def _nothing_is_empty(value: Any) -> Any:
    return () if value is None else value


def _filters(value: Any) -> Any:
    """A filter is one text, one template, a list of either, or a map with such a list."""
    if isinstance(value, dict) and "where_filters" in value:
        value = value["where_filters"]
    parts = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return [
        one["where_sql_template"] if isinstance(one, dict) and "where_sql_template" in one else one for one in parts
    ]


def _by_name(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


Filters = Annotated[tuple[str, ...], BeforeValidator(_filters)]


class DbtPart(BaseModel):
    """What all parts have in common."""

    model_config = ConfigDict(extra="allow", frozen=True)


class DbtNamed(DbtPart):
    """A part with a name and words about it."""

    name: str = Field(min_length=1)
    description: str | None = None
    label: str | None = None
    config: dict[str, Any] | None = None
    metadata: Any = None


class DbtEntity(DbtNamed):
    """A key of a semantic model."""

    type: str
    role: str | None = None
    expr: str | None = None


class DbtTimeParams(DbtPart):
    """What a time dimension says of its time."""

    time_granularity: str | None = None
    validity_params: dict[str, Any] | None = None


class DbtDimension(DbtNamed):
    """A column to group and filter by."""

    type: str
    is_partition: bool = False
    type_params: DbtTimeParams | None = None
    expr: str | None = None


class DbtNonAdditive(DbtPart):
    """The time over which a measure is not added up."""

    name: str
    window_choice: str = "min"
    window_groupings: Annotated[tuple[str, ...], BeforeValidator(_nothing_is_empty)] = ()


class DbtAggregateParams(DbtPart):
    """What a percentile needs to know."""

    percentile: float | None = None
    use_discrete_percentile: bool = False
    use_approximate_percentile: bool = False


class DbtAggregation(DbtPart):
    """How values are aggregated; newer manifests write it into the metric."""

    agg: str
    agg_params: DbtAggregateParams | None = None
    agg_time_dimension: str | None = None
    non_additive_dimension: DbtNonAdditive | None = None
    semantic_model: str | None = None


class DbtMeasure(DbtNamed, DbtAggregation):
    """An aggregate of a semantic model; metrics are made of it."""

    expr: str | None = None
    create_metric: bool | None = None


class DbtDefaults(DbtPart):
    """What measures of a model have in common."""

    agg_time_dimension: str | None = None


class DbtRelation(DbtPart):
    """The table of a semantic model."""

    alias: str = Field(min_length=1)
    schema_name: str | None = None
    database: str | None = None
    relation_name: str | None = None


class DbtSemanticModel(DbtNamed):
    """A table with its keys, dimensions and measures."""

    node_relation: DbtRelation
    defaults: DbtDefaults | None = None
    primary_entity: str | None = None
    entities: Annotated[tuple[DbtEntity, ...], BeforeValidator(_nothing_is_empty)] = ()
    measures: Annotated[tuple[DbtMeasure, ...], BeforeValidator(_nothing_is_empty)] = ()
    dimensions: Annotated[tuple[DbtDimension, ...], BeforeValidator(_nothing_is_empty)] = ()


class DbtInput(DbtPart):
    """A measure or metric that a metric is made of."""

    name: str
    filter: Filters = ()
    alias: str | None = None
    offset_window: Any = None
    offset_to_grain: str | None = None
    join_to_timespine: bool = False
    fill_nulls_with: float | None = None


Input = Annotated[DbtInput, BeforeValidator(_by_name)]


class DbtMetricParams(DbtPart):
    """What a metric is made of; which keys count depends on its type."""

    measure: Input | None = None
    numerator: Input | None = None
    denominator: Input | None = None
    expr: str | None = None
    metrics: Annotated[tuple[Input, ...], BeforeValidator(_nothing_is_empty)] = ()
    metric_aggregation_params: DbtAggregation | None = None
    join_to_timespine: bool = False
    fill_nulls_with: float | None = None
    is_private: bool | None = None
    window: Any = None
    grain_to_date: Any = None
    cumulative_type_params: Any = None
    conversion_type_params: Any = None
    input_measures: Any = None


class DbtMetric(DbtNamed):
    """A figure: simple, ratio, derived, cumulative or conversion."""

    type: str
    type_params: DbtMetricParams
    filter: Filters = ()
    time_granularity: str | None = None


class DbtVersion(DbtPart):
    """The version of the package that wrote the manifest."""

    model_config = ConfigDict(extra="allow", frozen=True, coerce_numbers_to_str=True)

    major_version: str
    minor_version: str
    patch_version: str | None = None


class DbtProject(DbtPart):
    """What is true of the whole project."""

    dsi_package_version: DbtVersion | None = None
    time_spine_table_configurations: Any = None
    time_spines: Any = None
    metadata: Any = None


class DbtManifest(DbtPart):
    """The whole file."""

    semantic_models: tuple[DbtSemanticModel, ...] = Field(min_length=1)
    metrics: Annotated[tuple[DbtMetric, ...], BeforeValidator(_nothing_is_empty)] = ()
    project_configuration: DbtProject | None = None
    saved_queries: Any = None
