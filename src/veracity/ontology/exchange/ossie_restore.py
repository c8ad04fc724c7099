"""What Ossie's words say of an ontology, joined with what our extensions beside them say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from veracity.ontology.exchange.building import assembled
from veracity.ontology.exchange.extension import OwnExtension, own_extension, put_back, restored
from veracity.ontology.exchange.ossie_models import OssieDataset, OssieModel


@dataclass(slots=True)
class OssieParts:
    """The parts of an ontology in the words of Ossie alone, by the names that Ossie gives them."""

    top: dict[str, Any] = field(default_factory=dict)
    entities: dict[str, dict[str, Any]] = field(default_factory=dict)
    fields: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    relations: dict[str, dict[str, Any]] = field(default_factory=dict)
    measures: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)


class OwnExtensions:
    """The extensions of ours in a model; `raw` is the same model as plain data."""

    def __init__(self, model: OssieModel, raw: Mapping[str, Any]) -> None:
        self.model = own_extension(model, raw)
        self._parts: dict[tuple[str, str], OwnExtension | None] = {}
        lists = (("datasets", model.datasets), ("relationships", model.relationships), ("metrics", model.metrics))
        for kind, parts in lists:
            for one, data in zip(parts, raw.get(kind) or (), strict=True):
                self._parts.setdefault((kind, one.name), own_extension(one, data))
        for dataset, data in zip(model.datasets, raw["datasets"], strict=True):
            for one, inner in zip(dataset.fields, data.get("fields") or (), strict=True):
                self._parts.setdefault((f"fields of {dataset.name}", one.name), own_extension(one, inner))

    def of(self, kind: str, name: str) -> OwnExtension | None:
        """The extension at a dataset, relationship or metric."""
        return self._parts.get((kind, name))

    def of_field(self, dataset: str, name: str) -> OwnExtension | None:
        """The extension at a field."""
        return self._parts.get((f"fields of {dataset}", name))


def restored_ontology(model: OssieModel, parts: OssieParts, own_of: OwnExtensions) -> dict[str, Any]:
    """The ontology as data."""
    entities = {one.name: _entity(one, parts, own_of) for one in model.datasets}
    made = dict(parts.measures)
    for metric in model.metrics:
        own = own_of.of("metrics", metric.name)
        home, measure = made.pop(metric.name, ("", {}))
        if own is not None and (measure or not own.changed):
            measure = restored({"entity": home, **measure}, own)
            home = str(measure.pop("entity", ""))
        if measure and home in entities:
            entities[home]["measures"].append(measure)
    for home, measure in made.values():
        entities[home]["measures"].append(measure)
    for dataset in model.datasets:
        own = own_of.of("datasets", dataset.name)
        loose = own.loose.get("measures", []) if own else []
        entities[dataset.name]["measures"] = put_back(entities[dataset.name]["measures"], loose)
    relations = [
        restored(parts.relations[one.name], own)
        for one in model.relationships
        if not _only_implied(own := own_of.of("relationships", one.name))
    ]
    if own_of.model is not None:
        relations = put_back(relations, own_of.model.loose.get("relations", []))
        placed = put_back(entities.values(), own_of.model.loose.get("entities", []))
        entities = {str(number): one for number, one in enumerate(placed)}
    return assembled(restored(parts.top, own_of.model), entities, relations)


def _entity(dataset: OssieDataset, parts: OssieParts, own_of: OwnExtensions) -> dict[str, Any]:
    fields = [
        restored(parts.fields[dataset.name, one.name], own)
        for one in dataset.fields
        if (dataset.name, one.name) in parts.fields
        and not _only_implied(own := own_of.of_field(dataset.name, one.name))
    ]
    entity = restored(parts.entities[dataset.name], own_of.of("datasets", dataset.name))
    return {**entity, "fields": fields, "measures": []}


def _only_implied(own: OwnExtension | None) -> bool:
    """Whether we wrote the part for readers of Ossie alone, and nobody said more about it since."""
    return own is not None and own.implied and not own.changed
