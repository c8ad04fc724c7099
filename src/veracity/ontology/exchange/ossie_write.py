"""An ontology -> an Ossie document: in Ossie's words what it has words for, the rest in extensions that come back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.errors import OntologyError
from veracity.language.locale import DEFAULT_LANGUAGE, pick
from veracity.ontology.descriptor import Cardinality, ConstraintRule, OntologyDescriptor, Relation
from veracity.ontology.entities import Entity, Measure, MeasureAggregate
from veracity.ontology.exchange.extension import Loose, difference, written
from veracity.ontology.exchange.formulas import Unsayable, parsed_sql, quoted_name
from veracity.ontology.exchange.ossie_models import DEFAULT_DIALECT
from veracity.ontology.exchange.ossie_names import read_model
from veracity.ontology.exchange.ossie_read import OssieReader
from veracity.ontology.exchange.ossie_restore import OssieParts
from veracity.ontology.exchange.report import ImportFindings
from veracity.ontology.fields import Additivity, EntityField, FieldRole
from veracity.wire import Wire
from veracity.yaml_file import YamlFile

if TYPE_CHECKING:
    from sqlglot import exp

VERSION = "0.2.0.dev0"
_NAMED = 5
"""So many things that stay for the same reason are named."""
_GUESS = "it is a guess that no person has confirmed"
_TIMES = (FieldRole.DATE, FieldRole.PERIOD)


@dataclass(frozen=True, slots=True)
class ExportedModel:
    """An Ossie document, and what others will not see of the ontology."""

    document: dict[str, Any]
    only_ours: tuple[str, ...]
    """What stands in the extensions alone, in words, with the reason."""


def export_ossie(ontology: OntologyDescriptor, *, lang: str = DEFAULT_LANGUAGE) -> ExportedModel:
    """The ontology as an Ossie document; `lang` is the language of its texts, others are in the extensions."""
    writer = _Writer(ontology, lang)
    document = {"version": VERSION, "semantic_model": [writer.model()]}
    return ExportedModel(document, tuple(writer.only_ours()))


@dataclass(slots=True)
class _Native:
    """The model in Ossie's words alone, and what has no place in them."""

    model: dict[str, Any]
    relations: dict[str, Relation] = field(default_factory=dict)
    """Relationship -> the relation that it is; one that stands for no relation is not in it."""
    loose_entities: Loose = field(default_factory=list)
    loose_relations: Loose = field(default_factory=list)
    loose_measures: dict[str, Loose] = field(default_factory=dict)


class _Writer:
    def __init__(self, ontology: OntologyDescriptor, lang: str) -> None:
        self._ontology, self._lang = ontology, lang
        self._datasets = {entity.name: entity for entity in ontology.entities if entity.queryable}
        self._measures = {one.name: (entity, one) for entity in self._datasets.values() for one in entity.measures}
        self._kept: dict[str, list[str]] = {}
        """Why something has no place in Ossie's words -> what that is."""
        if not self._datasets:
            raise OntologyError(f"{ontology.feature_code} has no entity with a table or view, which Ossie needs.")

    def only_ours(self) -> Iterator[str]:
        """What stands in the extensions alone."""
        for why, names in self._kept.items():
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            yield f"{', '.join(names[:_NAMED])}{more}: {why}"

    def _keep(self, name: str, why: str) -> None:
        self._kept.setdefault(why, []).append(name)

    def model(self) -> dict[str, Any]:
        """The model with its extensions."""
        native = self._native()
        parts = self._read_back(native.model)
        top = _dump(self._ontology, without=("entities", "relations"))
        model = {
            **native.model,
            "datasets": [self._dataset_with(one, parts, native) for one in native.model["datasets"]],
            "relationships": [self._relationship_with(one, parts, native) for one in native.model["relationships"]],
            "metrics": [self._metric_with(one, parts) for one in native.model["metrics"]],
        }
        loose = {"entities": native.loose_entities, "relations": native.loose_relations}
        said = written(
            model,
            difference=difference(top, parts.top),
            loose={key: value for key, value in loose.items() if value},
            lang=self._lang,
        )
        return {key: value for key, value in said.items() if value != []}

    def _read_back(self, model: Mapping[str, Any]) -> OssieParts:
        """What a reader of Ossie's words alone would make of them."""
        findings = ImportFindings(YamlFile(Path("export"), {}, None, OntologyError))
        read = read_model(model, (), findings)
        reader = OssieReader(read, model, place=(), findings=findings, lang=self._lang, allow_cycles=True)
        reader.read()
        return reader.parts

    # --- in Ossie's words

    def _native(self) -> _Native:
        native = _Native(
            {
                "name": self._ontology.feature_code,
                **_described(pick(self._ontology.description, self._lang)),
                **self._examples(),
            }
        )
        for number, entity in enumerate(self._ontology.entities):
            if not entity.queryable:
                native.loose_entities.append((number, _dump(entity)))
                self._keep(f"entity {entity.name}", "it is hidden" if entity.hidden else "it has no table")
            for segment in entity.segments:
                self._keep(f"segment {segment.name}", "Ossie has no segments")
        for parts, what in ((self._ontology.constraints, "rules"), (self._ontology.canonical_patterns, "patterns")):
            if parts:
                self._keep(f"{len(parts)} {what}", f"Ossie has no {what}")
        native.model["relationships"] = list(self._relationships(native))
        native.model["datasets"] = [self._dataset(entity) for entity in self._datasets.values()]
        native.model["metrics"] = list(self._metrics(native))
        return native

    def _examples(self) -> dict[str, Any]:
        questions = [str(one) for one in self._ontology.questions.get(self._lang, ())]
        return {"ai_context": {"examples": questions}} if questions else {}

    def _dataset(self, entity: Entity) -> dict[str, Any]:
        fields = [self._field(one) for one in entity.fields]
        named = {one.name for one in entity.fields}
        fields += [written(_plain_field(name), implied=True) for name in self._implied(entity) if name not in named]
        return {
            "name": entity.name,
            "source": entity.table or entity.view,
            **({"primary_key": list(entity.grain)} if entity.grain else {}),
            **_described(pick(entity.description, self._lang)),
            **self._called(entity.label, entity.synonyms),
            **({"fields": fields} if fields else {}),
        }

    def _implied(self, entity: Entity) -> list[str]:
        """Columns that the ontology uses without declaring them; whoever reads Ossie needs them as fields."""
        names = [*entity.grain, *entity.display, *([entity.default_date] if entity.default_date else [])]
        names += [name for one in self._ontology.relations for name in _columns_of(one, entity)]
        names += [name for one in entity.measures for name in _fields_in(one)]
        return [name for name in dict.fromkeys(names) if "." not in name]

    def _field(self, one: EntityField) -> dict[str, Any]:
        label = pick(one.label, self._lang)
        return {
            **_plain_field(one.name),
            **({"dimension": {"is_time": True}} if one.role in _TIMES else {}),
            **({"label": label} if label else {}),
            **_described(pick(one.description, self._lang)),
            **self._called({}, one.synonyms),
        }

    def _called(self, label: Mapping[str, str], synonyms: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
        words = [*([pick(label, self._lang)] if label else []), *synonyms.get(self._lang, ())]
        return {"ai_context": {"synonyms": list(dict.fromkeys(words))}} if words else {}

    def _relationships(self, native: _Native) -> Iterator[dict[str, Any]]:
        taken: set[str] = set()
        links: list[dict[str, Any]] = []
        told: list[dict[str, Any]] = []
        for number, relation in enumerate(self._ontology.relations):
            joined = self._joined(relation)
            if joined is None:
                native.loose_relations.append((number, _dump(relation)))
                name = relation.name or f"{relation.from_entity} -> {relation.to_entity}"
                why = "a relationship of Ossie leads to one row by its key" if relation.confirmed else _GUESS
                self._keep(f"relation {name}", why)
                links += self._links(relation) if relation.confirmed else []
                continue
            said = {"name": _free(relation.name or f"{joined['from']}_to_{joined['to']}", taken), **joined}
            synonyms = {
                lang: (*relation.synonyms.get(lang, ()), *relation.verbs.get(lang, ())) for lang in [self._lang]
            }
            native.relations[said["name"]] = relation
            told.append({**said, **self._called(relation.label, synonyms)})
        yield from told
        for link in links:
            same = {key: link[key] for key in link}
            if not any(same.items() <= one.items() for one in told):
                told.append(link)
                yield written({"name": _free(f"{link['from']}_to_{link['to']}", taken), **link}, implied=True)

    def _joined(self, relation: Relation) -> dict[str, Any] | None:
        """A relation to one row, from the side that holds the key."""
        start, end = self._datasets.get(relation.from_entity), self._datasets.get(relation.to_entity)
        if start is None or end is None or not relation.confirmed:
            return None
        keys = dict(relation.keys)
        if relation.via and len(end.grain) == 1:
            keys = {relation.via: end.grain[0]}
        if not keys:
            return None
        if relation.cardinality in (Cardinality.MANY_TO_ONE, Cardinality.ONE_TO_ONE):
            return _relationship(start.name, end.name, keys)
        if relation.cardinality is Cardinality.ONE_TO_MANY and relation.keys:
            return _relationship(end.name, start.name, {other: own for own, other in keys.items()})
        return None

    def _links(self, relation: Relation) -> list[dict[str, Any]]:
        """The two relationships of the table between, where a relation goes through one."""
        link = relation.through
        if link is None or not {link.entity, relation.from_entity, relation.to_entity} <= set(self._datasets):
            return []
        return [
            _relationship(link.entity, relation.from_entity, link.from_keys),
            _relationship(link.entity, relation.to_entity, link.to_keys),
        ]

    def _metrics(self, native: _Native) -> Iterator[dict[str, Any]]:
        for entity in self._datasets.values():
            for number, measure in enumerate(entity.measures):
                try:
                    sql = self._sql(measure, entity)
                except Unsayable as error:
                    self._keep(f"measure {measure.name}", str(error))
                    native.loose_measures.setdefault(entity.name, []).append((number, _dump(measure)))
                    continue
                yield {
                    "name": measure.name,
                    **_expression(sql),
                    **_described(pick(measure.description, self._lang)),
                    **self._called(measure.label, measure.synonyms),
                }

    def _sql(self, measure: Measure, entity: Entity) -> str:
        """A measure for others; raises `Unsayable` where they would compute another figure."""
        if not measure.confirmed:
            raise Unsayable(_GUESS)
        if measure.ratio:
            if not set(measure.ratio) <= set(self._measures):
                raise Unsayable("a part of it is no metric")
            first, second = (self._sql(one, home) for home, one in (self._measures[name] for name in measure.ratio))
            return f"CAST({first} AS DOUBLE PRECISION) / NULLIF({second}, 0)"
        assert measure.aggregate is not None
        self._check_adds_up(measure, entity)
        where = _qualified(measure.where, entity) if measure.where else None
        if measure.expression:
            value = _qualified(measure.expression, entity)
        elif where:
            value = "1"
        elif entity.grain:
            value = f"{quoted_name(entity.name)}.{quoted_name(entity.grain[0])}"
        else:
            raise Unsayable("rows without a key cannot be counted")
        value = f"CASE WHEN {where} THEN {value} END" if where else value
        if measure.aggregate is MeasureAggregate.COUNT_DISTINCT:
            return f"COUNT(DISTINCT {value})"
        return f"{measure.aggregate.value}({value})"

    def _check_adds_up(self, measure: Measure, entity: Entity) -> None:
        """Ossie has no words for what may not be added up, and whoever reads it would add it up."""
        for rule in self._ontology.constraints:
            if rule.rule is ConstraintRule.REQUIRES_FILTER_ON and entity.name in rule.applies_to:
                raise Unsayable(f"it is only right where {', '.join(rule.fields)} is given, which Ossie cannot say")
        if entity.date_parts is not None and entity.date_parts.whole is not None:
            raise Unsayable("rows of whole years stand beside those of months, which Ossie cannot say")
        if measure.aggregate not in (MeasureAggregate.SUM, MeasureAggregate.AVG):
            return
        for name in _fields_in(measure):
            field = entity.field(name)
            if self._ontology.additivity_of(entity.name, name)[0] is Additivity.SEMI_ADDITIVE:
                raise Unsayable("it adds up within one point in time only, which Ossie cannot say")
            same_unit = self._ontology.constraints_on(entity.name, name, ConstraintRule.SAME_UNIT)
            if same_unit or (field is not None and field.unit_field):
                raise Unsayable("its rows are in several units, which Ossie cannot say")

    # --- with extensions

    def _dataset_with(self, native: dict[str, Any], parts: OssieParts, all_: _Native) -> dict[str, Any]:
        entity = self._datasets[native["name"]]
        fields = []
        for one in native.get("fields", ()):
            own = entity.field(one["name"])
            known = parts.fields.get((entity.name, one["name"]), {})
            fields.append(one if own is None else written(one, difference=difference(_dump(own), known)))
        loose = all_.loose_measures.get(entity.name)
        whole = {**native, "fields": fields} if fields else native
        return written(
            whole,
            difference=difference(_dump(entity, without=("fields", "measures")), _said(parts.entities[entity.name])),
            loose={"measures": loose} if loose else {},
        )

    def _relationship_with(self, native: dict[str, Any], parts: OssieParts, all_: _Native) -> dict[str, Any]:
        relation = all_.relations.get(native["name"])
        if relation is None:
            return native
        return written(native, difference=difference(_dump(relation), parts.relations[native["name"]]))

    def _metric_with(self, native: dict[str, Any], parts: OssieParts) -> dict[str, Any]:
        entity, measure = self._measures[native["name"]]
        home, known = parts.measures.get(native["name"], ("", {}))
        ours = {"entity": entity.name, **_dump(measure)}
        return written(native, difference=difference(ours, {"entity": home, **known}))


def _dump(part: Wire, without: tuple[str, ...] = ()) -> dict[str, Any]:
    return part.model_dump(mode="json", exclude_defaults=True, exclude=set(without))


def _said(part: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if value not in ([], {}, None)}


def _described(text: str) -> dict[str, str]:
    return {"description": text} if text else {}


def _expression(sql: str) -> dict[str, Any]:
    return {"expression": {"dialects": [{"dialect": DEFAULT_DIALECT, "expression": sql}]}}


def _plain_field(name: str) -> dict[str, Any]:
    return {"name": name, **_expression(quoted_name(name))}


def _relationship(start: str, end: str, keys: Mapping[str, str]) -> dict[str, Any]:
    return {"from": start, "to": end, "from_columns": list(keys), "to_columns": list(keys.values())}


def _free(name: str, taken: set[str]) -> str:
    number, found = 1, name
    while found.casefold() in taken:
        number += 1
        found = f"{name}_{number}"
    taken.add(found.casefold())
    return found


def _columns_of(relation: Relation, entity: Entity) -> Iterator[str]:
    """The columns of an entity that a relation joins."""
    if relation.from_entity == entity.name:
        yield from [relation.via] if relation.via else relation.keys
    if relation.to_entity == entity.name:
        yield from relation.keys.values()
    if relation.through is not None and relation.through.entity == entity.name:
        yield from (*relation.through.from_keys, *relation.through.to_keys)


def _tree(sql: str) -> exp.Expr:
    return parsed_sql(sql, "duckdb")


def _fields_in(measure: Measure) -> Iterator[str]:
    from sqlglot import exp

    for sql in filter(None, (measure.expression, measure.where)):
        try:
            yield from (str(column.name) for column in _tree(sql).find_all(exp.Column))
        except Unsayable:
            continue


def _qualified(sql: str, entity: Entity) -> str:
    """SQL over fields of an entity, each with the entity before it."""
    from sqlglot import exp

    def named(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        names = [exp.to_identifier(name, quoted=quoted_name(name) != name) for name in (str(node.name), entity.name)]
        return exp.Column(this=names[0], table=names[1])

    return _tree(sql).transform(named).sql()
