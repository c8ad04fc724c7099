"""Ontology: what the tables mean: a graph of entities and relations, the rules, the patterns, and what the check finds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from veracity.language.locale import pick
from veracity.ontology.descriptor import Cardinality, OntologyDescriptor
from veracity.semantic.ontology_check import check_ontology
from veracity.server.web.graph import BOX_HEIGHT, BOX_WIDTH, Drawing, draw
from veracity.server.web.visit import PageRoute, Visitor, is_fragment

if TYPE_CHECKING:
    from veracity.ontology.descriptor import Relation
    from veracity.ontology.entities import Entity
    from veracity.query.catalog import Catalog

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_MOST_BOXES = 60
_SIGNS = {
    Cardinality.ONE_TO_ONE: "1:1",
    Cardinality.ONE_TO_MANY: "1:n",
    Cardinality.MANY_TO_ONE: "n:1",
    Cardinality.MANY_TO_MANY: "n:m",
}


@dataclass(frozen=True, slots=True)
class Node:
    """An entity as a box says it."""

    name: str
    label: str
    kind: str
    fields: int


@dataclass(frozen=True, slots=True)
class Concept:
    """A class or group with what belongs to it."""

    name: str
    label: str
    codes: tuple[str, ...]
    children: tuple[Concept, ...]


@dataclass(frozen=True, slots=True)
class RelationLine:
    """One relation, as the entity that it starts from tells it."""

    to: str
    sign: str
    """How many to how many."""
    via: str
    """What it is joined by."""
    name: str = ""
    words: str = ""
    """What people call it."""


@dataclass(frozen=True, slots=True)
class Graph:
    """The drawing, and what stands in it."""

    drawing: Drawing
    nodes: dict[str, Node]
    """Every entity that is not only a class or group of codes, drawn or not."""
    relations: dict[str, tuple[RelationLine, ...]]
    """Of each entity: all of its relations, also those that the drawing leaves out or draws as one."""
    left_out: int
    width: int = BOX_WIDTH
    height: int = BOX_HEIGHT

    @property
    def relation_count(self) -> int:
        """How many relations there are between the entities."""
        return sum(map(len, self.relations.values()))

    def between(self, start: str, end: str) -> tuple[RelationLine, ...]:
        """The relations that one arrow stands for."""
        return tuple(one for one in self.relations[start] if one.to == end)


@router.get("/ontology")
def page(visit: Visitor) -> Response:
    """The whole of it; the check against the data comes a moment later."""
    catalog = visit.agent().tools.catalog
    ontology = catalog.ontology
    return visit.page(
        "ontology.html",
        ontology=ontology,
        catalog=catalog,
        graph=graph_of(catalog, visit.lang),
        concepts=tuple(concepts_of(ontology, visit.lang)) if ontology else (),
        concept_count=sum(map(_is_group, ontology.entities)) if ontology else 0,
        pick=pick,
    )


@router.get("/ontology/findings")
async def findings(visit: Visitor) -> Response:
    """What the data does not bear out."""
    agent = await run_in_threadpool(visit.agent)
    tools = agent.tools
    found = (
        await check_ontology(tools.catalog.ontology, tools.source, lang=visit.lang, catalog=tools.catalog)
        if tools.catalog.ontology
        else []
    )
    template = "_findings.html" if is_fragment(visit.request) else "findings.html"
    return visit.page(template, findings=found)


def graph_of(catalog: Catalog, lang: str) -> Graph:
    """The entities, what they are related with, and how; classes and groups of codes are a tree of their own."""
    fields = {name: len(one.fields) for name, one in catalog.entities.items()}
    if catalog.ontology is not None:
        return graph_of_ontology(catalog.ontology, lang, fields)
    return _graph({name: Node(name, "", "table", count) for name, count in fields.items()}, (), lang)


def graph_of_ontology(ontology: OntologyDescriptor, lang: str, fields: Mapping[str, int]) -> Graph:
    """The graph of an ontology; `fields` says how many fields an entity has, where that is known."""
    shown = {one.name for one in ontology.entities if not _is_group(one)}
    relations = [one for one in ontology.relations if one.from_entity in shown or one.to_entity in shown]
    shown |= {name for one in relations for name in (one.from_entity, one.to_entity)}
    nodes = {one.name: _node(one, fields, lang) for one in ontology.entities if one.name in shown}
    return _graph(nodes, relations, lang)


def _graph(nodes: dict[str, Node], relations: Sequence[Relation], lang: str) -> Graph:
    edges = [(one.from_entity, one.to_entity) for one in relations]
    # Those that are related with others are what a graph is for.
    related = {name for edge in edges for name in edge}
    names = sorted(nodes, key=lambda name: name not in related)[:_MOST_BOXES]
    return Graph(draw(names, edges), nodes, _related(relations, lang), len(nodes) - len(names))


def _related(relations: Sequence[Relation], lang: str) -> dict[str, tuple[RelationLine, ...]]:
    found: dict[str, list[RelationLine]] = defaultdict(list)
    for one in relations:
        words = ", ".join(one.words(lang))
        related = RelationLine(one.to_entity, _SIGNS[one.cardinality], one.joins, one.name or "", words)
        found[one.from_entity].append(related)
    return {name: tuple(related) for name, related in found.items()}


def _is_group(entity: Entity) -> bool:
    """Whether it is a class or group of codes, and nothing that can be asked for rows."""
    return not entity.queryable and entity.number_range is not None


def _node(entity: Entity, fields: Mapping[str, int], lang: str) -> Node:
    kind = "view" if entity.view else "table" if entity.table else "concept"
    return Node(entity.name, pick(entity.label, lang), kind, fields.get(entity.name, len(entity.fields)))


def concepts_of(ontology: OntologyDescriptor, lang: str) -> Iterator[Concept]:
    """Classes and groups of codes, each under what it belongs to."""
    concepts = [one for one in ontology.entities if _is_group(one)]
    names = {one.name for one in concepts}

    def made(entity: Entity) -> Concept:
        children = tuple(made(one) for one in concepts if one.parent_entity == entity.name)
        codes = entity.number_range.like if entity.number_range else ()
        return Concept(entity.name, pick(entity.label, lang) or entity.name, codes, children)

    return (made(one) for one in concepts if one.parent_entity not in names)
