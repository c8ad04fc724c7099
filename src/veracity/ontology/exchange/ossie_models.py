"""Apache Ossie's core model (0.1 and 0.2) as it is written in YAML; keys that it does not know are kept to be told."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

DEFAULT_DIALECT = "ANSI_SQL"


def _nothing_is_empty(value: Any) -> Any:
    return () if value is None else value


def _one_expression(value: Any) -> Any:
    return {"dialects": [{"expression": value}]} if isinstance(value, str) else value


class OssiePart(BaseModel):
    """What all parts have in common."""

    model_config = ConfigDict(extra="allow", frozen=True, validate_by_name=True, validate_by_alias=True)


class OssieExtension(OssiePart):
    """What a vendor says beyond Ossie, as JSON in a text."""

    vendor_name: str
    data: str


class OssieContext(OssiePart):
    """What is written for language models."""

    instructions: str | None = None
    synonyms: Annotated[tuple[str, ...], BeforeValidator(_nothing_is_empty)] = ()
    examples: Annotated[tuple[str, ...], BeforeValidator(_nothing_is_empty)] = ()


class OssieDialectExpression(OssiePart):
    """An expression in one dialect."""

    dialect: str = DEFAULT_DIALECT
    expression: str


class OssieExpression(OssiePart):
    """The same expression in one or more dialects."""

    dialects: tuple[OssieDialectExpression, ...] = Field(min_length=1)


Expression = Annotated[OssieExpression, BeforeValidator(_one_expression)]
Extensions = Annotated[tuple[OssieExtension, ...], BeforeValidator(_nothing_is_empty)]


class OssieNamed(OssiePart):
    """A part with a name and words about it."""

    name: str = Field(min_length=1)
    description: str | None = None
    ai_context: str | OssieContext | None = None
    custom_extensions: Extensions = ()


class OssieDimension(OssiePart):
    """The role of a field in time."""

    is_time: bool | None = None


class OssieField(OssieNamed):
    """A column, or what is computed from columns of the row."""

    expression: Expression
    dimension: OssieDimension | None = None
    label: str | None = None
    datatype: str | None = None


class OssieDataset(OssieNamed):
    """A table, a view or a query."""

    source: str = Field(min_length=1)
    primary_key: Annotated[tuple[str, ...], BeforeValidator(_nothing_is_empty)] = ()
    unique_keys: Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_nothing_is_empty)] = ()
    fields: Annotated[tuple[OssieField, ...], BeforeValidator(_nothing_is_empty)] = ()


class OssieRelationship(OssieNamed):
    """Columns of one dataset that hold the key of another."""

    from_: str = Field(alias="from")
    to: str
    from_columns: tuple[str, ...] = Field(min_length=1)
    to_columns: tuple[str, ...] = Field(min_length=1)


class OssieMetric(OssieNamed):
    """An aggregate over fields of datasets."""

    expression: Expression
    datatype: str | None = None


class OssieModel(OssieNamed):
    """Datasets, how they are tied together, and the metrics over them."""

    datasets: tuple[OssieDataset, ...] = Field(min_length=1)
    relationships: Annotated[tuple[OssieRelationship, ...], BeforeValidator(_nothing_is_empty)] = ()
    metrics: Annotated[tuple[OssieMetric, ...], BeforeValidator(_nothing_is_empty)] = ()
