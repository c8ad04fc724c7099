"""A draft made again over a file that people have worked on: what they confirmed or changed stays, what is new comes in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from veracity.ontology.descriptor import OntologyDescriptor, Relation
from veracity.ontology.draft.findings import Found
from veracity.ontology.entities import Entity
from veracity.ontology.fields import EntityField
from veracity.sources.source import TableSchema

Part = TypeVar("Part")


def merged(new: OntologyDescriptor, theirs: OntologyDescriptor, base: OntologyDescriptor | None) -> OntologyDescriptor:
    """The new draft under what people wrote. `base` is what the program had written last; what differs from it is theirs."""
    before = {entity.name: entity for entity in base.entities} if base else {}
    written = {entity.name: entity for entity in theirs.entities}
    drafted = {entity.name: entity for entity in new.entities}
    entities: list[Entity] = []
    for name in dict.fromkeys((*written, *drafted)):
        mine, own = drafted.get(name), written.get(name)
        if mine is not None and own is not None:
            entities.append(_entity(mine, own, before.get(name)))
        elif own is not None and (own.table is None or own.table in _tables(new)):
            entities.append(own)
        elif mine is not None and name not in before:
            entities.append(mine)
    known = {entity.name for entity in entities}
    relations = _listed(new.relations, theirs.relations, base.relations if base else None, _relation_id)
    kept = tuple(
        r for r in relations if {r.from_entity, r.to_entity, r.through.entity if r.through else r.to_entity} <= known
    )
    constraints = _listed(
        new.constraints, theirs.constraints, base.constraints if base else None, lambda c: (c.rule, c.applies_to)
    )
    return theirs.model_copy(update={"entities": tuple(entities), "relations": kept, "constraints": tuple(constraints)})


def _tables(ontology: OntologyDescriptor) -> set[str | None]:
    return {entity.table for entity in ontology.entities}


def _entity(mine: Entity, own: Entity, base: Entity | None) -> Entity:
    update: dict[str, Any] = {}
    guessed = {"display": "display", "defaultDate": "default_date"}
    still = {guessed[name] for name in own.unconfirmed if own.unconfirmed}
    for key in Entity.model_fields:
        said = getattr(own, key)
        as_written = getattr(base, key) == said if base is not None else key in still or key == "unconfirmed"
        update[key] = getattr(mine, key) if as_written else said
    update["fields"] = tuple(_fields(mine, own, base))
    update["measures"] = tuple(_listed(mine.measures, own.measures, base.measures if base else None, lambda m: m.name))
    # A person who took the mark away, or said another name or date, has answered the question.
    update["unconfirmed"] = {
        part: question
        for part, question in mine.unconfirmed.items()
        if part in own.unconfirmed or (base is None and not getattr(own, guessed[part]))
    }
    return own.model_copy(update=update)


def _fields(mine: Entity, own: Entity, base: Entity | None) -> Iterator[EntityField]:
    # A column that the database lost is in no draft any more; one that only points elsewhere never was.
    lost = {field.name for field in base.fields} - {field.name for field in mine.fields} if base else set()
    yield from _listed(
        mine.fields, tuple(f for f in own.fields if f.name not in lost), base.fields if base else None, lambda f: f.name
    )


def _listed(
    mine: Sequence[Part], own: Sequence[Part], base: Sequence[Part] | None, name: Callable[[Part], Any]
) -> list[Part]:
    """Their parts, then new ones. A part as the program wrote it is written anew; one that they took away stays away."""
    drafted = {name(one): one for one in mine}
    before = {name(one): one for one in base} if base is not None else {}
    kept: list[Part] = []
    for one in own:
        key = name(one)
        as_written = before.get(key) == one if base is not None else not getattr(one, "confirmed", True)
        if as_written and key not in drafted:
            continue  # the database has it no more, or a person said no to it
        kept.append(drafted[key] if as_written else one)
    known = {name(one) for one in own} | set(before)
    return kept + [one for one in mine if name(one) not in known]


def _relation_id(relation: Relation) -> tuple[Any, ...]:
    joined = tuple(relation.keys) or ((relation.via,) if relation.via else ())
    return relation.from_entity, relation.to_entity, joined, relation.through.entity if relation.through else None


# --- what changed in the database


def is_current(found: Found, tables: Mapping[str, TableSchema]) -> bool:
    """Whether a source still has the tables, columns and types that were drafted."""
    drafted = {table.name: {c.name: c.type for c in table.profile.columns} for table in found.tables}
    wanted = {name: table for name, table in tables.items() if name in drafted or not found.named}
    return drafted == {name: {c.name: c.type for c in table.columns.values()} for name, table in wanted.items()}


def schema_changes(before: Found, now: Found) -> tuple[str, ...]:
    """What is new, gone or of another type, one sentence each."""
    old = {table.name: table.profile for table in before.tables}
    new = {table.name: table.profile for table in now.tables}
    told = [f"The table {name} is new." for name in new if name not in old]
    told += [f"The table {name} is gone." for name in old if name not in new]
    for name in (name for name in new if name in old):
        was = {column.name: column.type for column in old[name].columns}
        has = {column.name: column.type for column in new[name].columns}
        told += [f"The column {name}.{column} is new." for column in has if column not in was]
        told += [f"The column {name}.{column} is gone." for column in was if column not in has]
        told += [
            f"The column {name}.{column} was {was[column]} and is {has[column]} now."
            for column in has
            if column in was and was[column] is not has[column]
        ]
    return tuple(told)
