"""dbt's semantic manifest -> an ontology, and a report of every part of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from veracity.errors import VeracityError
from veracity.language.nearest import words_of
from veracity.ontology.exchange.building import EntityColumns, assembled, texts
from veracity.ontology.exchange.dbt_metrics import DbtMetricReader, tell_meta
from veracity.ontology.exchange.dbt_models import (
    DbtDimension,
    DbtEntity,
    DbtManifest,
    DbtNamed,
    DbtSemanticModel,
)
from veracity.ontology.exchange.formulas import (
    Unsayable,
    parsed_sql,
)
from veracity.ontology.exchange.report import ImportFindings, Place, wrong_form

_NEWEST = (0, 10)
"""The newest major and minor version of dbt-semantic-interfaces whose manifests are read."""
_FINE = ("nanosecond", "microsecond", "millisecond", "second", "minute", "hour", "day")


class DbtReader:
    """Reads one manifest."""

    def __init__(self, data: Mapping[str, Any], *, findings: ImportFindings, lang: str) -> None:
        self._findings, self._lang = findings, lang
        self._check_version(data)
        try:
            self._manifest = DbtManifest.model_validate(data)
        except ValidationError as error:
            raise wrong_form(findings.document, (), error) from None
        self._columns: dict[str, EntityColumns] = {}
        self._entities: dict[str, dict[str, Any]] = {}
        self._fields: dict[tuple[str, str], dict[str, Any]] = {}

    def read(self) -> dict[str, Any]:
        """The ontology as data; raises the document's error for what cannot be."""
        self._check_names()
        for number, model in enumerate(self._manifest.semantic_models):
            self._model(model, ("semantic_models", number))
        relations = self._relations()
        metrics = DbtMetricReader(self._manifest, self._columns, self._fields, findings=self._findings, lang=self._lang)
        for home, measure in metrics.read():
            self._entities[home]["measures"].append(measure)
        self._tell(metrics.used)
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
            home = ("semantic_models", number)
            lists.append((f"dimension of {model.name}", model.dimensions, (*home, "dimensions")))
            lists.append((f"entity of {model.name}", model.entities, (*home, "entities")))
        for what, parts, place in lists:
            names = [part.name for part in parts]
            for number, name in enumerate(names):
                if name in names[:number]:
                    raise self._wrong((*place, number, "name"), f"the {what} {name} is there twice; rename one of them")

    def _wrong(self, place: Place, message: str) -> VeracityError:
        return self._findings.document.wrong(place, message)  # with its path: dbt writes the file in one line

    # --- semantic models

    def _model(self, model: DbtSemanticModel, place: Place) -> None:
        relation = model.node_relation
        columns = self._columns[model.name] = EntityColumns(self._table(model))
        if relation.schema_name or relation.database:
            name = relation.relation_name or relation.alias
            why = "the database is what --source names; of tables, their own name is kept"
            self._findings.leave("node_relation", name, (*place, "node_relation"), why)
        for number, entity in enumerate(model.entities):
            self._column(entity, model, columns, (*place, "entities", number))
        for number, dimension in enumerate(model.dimensions):
            self._column(dimension, model, columns, (*place, "dimensions", number))
        primary = next((one for one in model.entities if one.type == "primary"), None)
        key = primary or next((one for one in model.entities if one.type == "unique"), None)
        date = model.defaults.agg_time_dimension if model.defaults else None
        self._entities[model.name] = {
            "name": model.name,
            **texts(self._lang, label=model.label, description=model.description),
            **self._called(model, primary),
            "grain": [column] if key and (column := columns.find(key.name)) else [],
            "defaultDate": columns.find(date) if date else None,
            "measures": [],
        }
        tell_meta(self._findings, model, "semantic model", place)
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
                columns.call(
                    one.name, tree.name
                )  # a key keeps its name, so that it is not called like what it leads to
            else:
                columns.add(one.name, tree)
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
                self._findings.leave(
                    "entity", f"{name} ({one.type})", place, "only primary, unique and foreign keys join"
                )
            elif one.type == "unique" and any(other.type == "primary" for other in model.entities):
                self._findings.leave("entity", f"{name} (unique)", place, "an entity has one key")
        else:
            said |= self._dimension(one, name, place)
        self._fields[model.name, own] = said
        tell_meta(self._findings, one, "field", place)
        kind = "entity" if isinstance(one, DbtEntity) else "dimension"
        self._findings.took(kind, name, place, f"the field {model.name}.{own}")

    def _dimension(self, one: DbtDimension, name: str, place: Place) -> dict[str, Any]:
        if one.is_partition:
            self._findings.leave(
                "is_partition", f"of {name}", (*place, "is_partition"), "an ontology has no partitions"
            )
        params = one.type_params
        if params and params.validity_params:
            why = "rows that are valid for a time only have no home; relations to them are left out"
            self._findings.leave("validity_params", f"of {name}", (*place, "type_params"), why)
        if params and params.time_granularity not in (None, *_FINE):
            why = f"a date is read by its day; {params.time_granularity} is what a question asks for"
            self._findings.leave("time_granularity", f"of {name}", (*place, "type_params"), why)
        return {"semanticType": "DATE"} if one.type == "time" else {}

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

    # --- what has no home

    def _tell(self, used: set[str]) -> None:
        for number, model in enumerate(self._manifest.semantic_models):
            for at, measure in enumerate(model.measures):
                if measure.name not in used:
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
