"""Ossie's ontology layer: concepts mapped to datasets give keys, relations, segments and words; all else is told.

A dataset stands for the concept that is named like it. Its identifier is the dataset's key, its links to other such concepts
are relations, its yes-or-no relationships are segments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from veracity.language.nearest import words_of
from veracity.ontology.exchange.formulas import FormulaReader, OverNothing, ResolvedField, Unsayable
from veracity.ontology.exchange.report import ImportFindings, Place

_COLUMN = re.compile(r"\s*(\w+)\.(\w+)\s*")
_FILTERED = re.compile(r"\s*(\w+)\.(\w+)\s+WHERE\s+(.+)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Column:
    dataset: str
    name: str


class ConceptReader:
    """Adds to an ontology, as data, what the concepts of its file say."""

    def __init__(
        self,
        data: Mapping[str, Any],
        mapping: Mapping[str, Any],
        ontology: dict[str, Any],
        *,
        findings: ImportFindings,
        lang: str,
    ) -> None:
        self._data, self._mapping, self._ontology = data, mapping, ontology
        self._findings, self._lang = findings, lang
        self._entities: dict[str, dict[str, Any]] = {one["name"]: one for one in ontology["entities"]}
        self._concepts = {str(one.get("concept")): one for one in _maps(data.get("ontology"))}
        self._homes = {
            concept: entity
            for concept in self._concepts
            for entity in self._entities
            if _squeezed(concept) == _squeezed(entity)
        }
        """Concept -> the entity that it is."""
        self._keys: dict[str, dict[tuple[str, ...], str]] = {}
        """Concept -> way of relationships -> column of its key."""
        self._found: list[dict[str, Any]] = []

    def read(self) -> dict[str, Any]:
        """The ontology with what the concepts add."""
        number = self._data["ontology_mappings"].index(self._mapping)
        mappings = [
            (one, ("ontology_mappings", number, "concept_mappings", at))
            for at, one in enumerate(_maps(self._mapping.get("concept_mappings")))
        ]
        for one, place in mappings:
            self._identifier(one, place)
        for one, place in mappings:
            self._links(one, place)
        relations = [*self._ontology.get("relations", ()), *_named(self._found, self._lang)]
        if relations:
            self._ontology["relations"] = relations
        self._tell()
        return self._ontology

    def _home(self, mapping: Mapping[str, Any]) -> str | None:
        return self._homes.get(str(mapping.get("concept")))

    # --- keys

    def _identifier(self, mapping: Mapping[str, Any], place: Place) -> None:
        concept, home = str(mapping.get("concept")), self._home(mapping)
        objects = _maps(mapping.get("object_mappings"))
        if home is None or len(objects) != 1:
            why = "no dataset is named like it, so that its rows are columns of another" if home is None else "it is mapped several times"  # fmt: skip
            self._findings.leave("concept", concept, place, why)
            return
        columns = dict(_columns(_maps(objects[0].get("referent_mappings"))))
        if not columns or any(column is None or column.dataset != home for column in columns.values()):
            self._findings.leave("concept", concept, place, f"its identifier is not made of columns of {home}")
            return
        self._keys[concept] = {way: column.name for way, column in columns.items() if column}
        entity = self._entities[home]
        if not entity.get("grain"):
            entity["grain"] = list(self._keys[concept].values())
        self._findings.took("concept", concept, place, f"the key of {home}")

    # --- links

    def _links(self, mapping: Mapping[str, Any], place: Place) -> None:
        concept, home = str(mapping.get("concept")), self._home(mapping)
        if home is None or concept not in self._keys:
            return
        for one in _maps((_maps(mapping.get("object_mappings")) or [{}])[0].get("referent_mappings")):
            self._relation(concept, home, str(one.get("relationship")), one, place)
        for at, link in enumerate(_maps(mapping.get("link_mappings"))):
            where: Place = (*place, "link_mappings", at)
            if "relationship" in link:
                self._segment(home, link, where)
            for number, child in enumerate(_maps(link.get("children"))):
                self._child(concept, home, child, (*where, "children", number))

    def _child(self, concept: str, home: str, child: Mapping[str, Any], place: Place) -> None:
        name, target = str(child.get("relationship")), child.get("object_mapping")
        if not isinstance(target, dict):
            self._findings.leave("link", f"{concept}.{name}", place, "it has no object_mapping")
        elif "expression" in target:
            self._word(concept, home, name, target, place)
        elif not self._relation(concept, home, name, target, place):
            why = f"{target.get('concept') or self._target(concept, name)} is no dataset of its own"
            self._findings.leave("link", f"{concept}.{name}", place, why)

    def _target(self, concept: str, relationship: str) -> str | None:
        """The concept at the other end of a relationship."""
        found = self._relationship(concept, relationship)
        roles = _maps(found.get("roles")) if found else []
        return str(roles[-1].get("concept")) if len(roles) == 1 else None

    def _relationship(self, concept: str, name: str) -> Mapping[str, Any] | None:
        own = _maps(self._concepts.get(concept, {}).get("relationships"))
        return next((one for one in own if one.get("name") == name), None)

    def _relation(self, concept: str, home: str, name: str, target: Mapping[str, Any], place: Place) -> bool:
        other = target.get("concept") or self._target(concept, name)
        said = self._relationship(concept, name) or {}
        if other not in self._keys or said.get("multiplicity") not in ("ManyToOne", "OneToOne"):
            return False
        key, columns = self._keys[other], dict(_columns(_maps(target.get("referent_mappings"))))
        if set(columns) != set(key) or any(column is None or column.dataset != home for column in columns.values()):
            return False
        pairs = {column.name: key[way] for way, column in columns.items() if column}
        to_one = [*pairs.values()] == self._entities[self._homes[other]].get("grain") and len(pairs) == 1
        joined = {
            "fromEntity": home,
            "toEntity": self._homes[other],
            "cardinality": "MANY_TO_ONE",
            **({"via": next(iter(pairs))} if to_one else {"keys": pairs}),
        }
        if not any(joined.items() <= one.items() for one in self._ontology.get("relations", ())):
            self._found.append({"name": name, **joined})
        self._findings.took("link", f"{concept}.{name}", place, f"the relation {home} -> {self._homes[other]}")
        return True

    def _segment(self, home: str, link: Mapping[str, Any], place: Place) -> None:
        """A relationship without a role holds of some rows: those that its expression names."""
        name, target = str(link.get("relationship")), link.get("object_mapping")
        referents = _maps(target.get("referent_mappings")) if isinstance(target, dict) else []
        found = _FILTERED.fullmatch(str(referents[0].get("expression"))) if len(referents) == 1 else None
        reader = FormulaReader(self._field, metrics={}, home=home)
        try:
            if found is None or found[1] != home:
                raise Unsayable("it names no condition on rows of its own dataset")
            where = reader.condition(re.sub(r"==", "=", found[3]), home)
        except (Unsayable, OverNothing) as error:
            self._findings.leave("link", f"{home}.{name}", place, str(error))
            return
        bare = where[1:-1] if where.startswith("(") and where.count("(") == 1 and where.endswith(")") else where
        segment = {"name": name, "label": {self._lang: words_of(name)}, "where": bare}
        self._entities[home].setdefault("segments", []).append(segment)
        self._findings.took("link", f"{home}.{name}", place, f"the segment {name} of {home}")

    def _field(self, table: str | None, name: str) -> ResolvedField:
        fields = self._entities.get(table or "", {}).get("fields", ())
        if table is None or not any(one["name"] == name for one in fields):
            raise OverNothing(f"there is no field {table}.{name}")
        return ResolvedField(table, name)

    def _word(self, concept: str, home: str, name: str, target: Mapping[str, Any], place: Place) -> None:
        """What a relationship to a value calls its column."""
        found = _COLUMN.fullmatch(str(target["expression"]))
        field = next((one for one in self._entities[home].get("fields", ()) if found and found[1] == home and one["name"] == found[2]), None)  # fmt: skip
        if field is None:
            self._findings.leave("link", f"{concept}.{name}", place, f"it names no field of {home}")
            return
        said = self._relationship(concept, name) or {}
        told = words_of(" ".join(map(str, said.get("verbalizes") or ())).replace("{", " ").replace("}", " "))
        spoken, value = words_of(name), str(target.get("concept"))
        if not set(spoken.split()) <= set(re.findall(r"\w+", told)):
            spoken = words_of(value) if value in self._concepts else ""
        if spoken and spoken != words_of(field["name"]):
            words = field.setdefault("synonyms", {}).setdefault(self._lang, [])
            words.extend(word for word in (spoken,) if word not in words)
            self._findings.took("link", f"{concept}.{name}", place, f"a word for {home}.{field['name']}")

    # --- what has no home

    def _tell(self) -> None:
        for number, one in enumerate(_maps(self._data.get("ontology"))):
            place: Place = ("ontology", number)
            name = str(one.get("concept"))
            if one.get("type") == "ValueType":
                why = "the types of the source count; give fields their units"
                self._findings.leave("value type", name, place, why)
            if one.get("requires"):
                why = "write it as an invariant with SQL, then `ontology check` looks at it"
                self._findings.leave("requires", f"of {name}", (*place, "requires"), why)
            for at, relationship in enumerate(_maps(one.get("relationships"))):
                where: Place = (*place, "relationships", at)
                if relationship.get("derived_by"):
                    why = "a measure is an aggregate over rows of one entity; questions group it"
                    self._findings.leave("derived_by", f"of {name}.{relationship.get('name')}", where, why)
                if relationship.get("requires"):
                    why = "write it as an invariant with SQL, then `ontology check` looks at it"
                    self._findings.leave("requires", f"of {name}.{relationship.get('name')}", where, why)
        for key in ("requires", "description"):
            if key in self._data:
                self._findings.leave("key", key, (key,), "it is about the concepts, not about the data")


def _maps(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _columns(
    referents: list[dict[str, Any]], trail: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], _Column | None]]:
    """The columns that identify an object, by the way of relationships that leads to each."""
    for one in referents:
        way = (*trail, str(one.get("relationship")))
        if "expression" in one:
            found = _COLUMN.fullmatch(str(one["expression"]))
            yield way, _Column(found[1], found[2]) if found else None
        elif len(way) < 10:
            yield from _columns(_maps(one.get("referent_mappings")), way)


def _named(relations: list[dict[str, Any]], lang: str) -> Iterator[dict[str, Any]]:
    """Names only where two relations tie the same entities, with the words that tell them apart."""
    for one in relations:
        alike = [other for other in relations if _ends(other) == _ends(one)]
        if len(alike) > 1:
            yield {**one, "label": {lang: words_of(one["name"])}}
        else:
            yield {key: value for key, value in one.items() if key != "name"}


def _ends(relation: Mapping[str, Any]) -> tuple[str, str]:
    return relation["fromEntity"], relation["toEntity"]


def _squeezed(name: str) -> str:
    return words_of(name).replace(" ", "")
