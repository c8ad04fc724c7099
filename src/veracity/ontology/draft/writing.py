"""An ontology as YAML with comments: why each column is what it is, and what each key and relation rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from veracity.language.locale import printable
from veracity.ontology.descriptor import OntologyDescriptor, Relation
from veracity.ontology.draft.findings import Found, TableDraft
from veracity.ontology.entities import Entity

_WIDE = 10_000


def written(ontology: OntologyDescriptor, found: Found, languages: Sequence[str]) -> str:
    """The YAML of a draft."""
    tables = {table.name: table for table in found.tables}
    lines = [
        f"# Drafted from {_comment(found.source)} in {', '.join(languages)}. What is marked `confirmed: false` is a guess and is not used;",
        "# take the mark away where it is right, or run `veracity ontology draft` with --confirm.",
        *(f"# {_comment(note)}" for note in found.notes),
        f"featureCode: {_flow(ontology.feature_code)}",
        "entities:",
    ]
    for entity in ontology.entities:
        lines += _entity(entity, tables.get(entity.name))
    lines += ["relations:"] if ontology.relations else []
    for relation in ontology.relations:
        lines += _relation(relation, found)
    rest = _plain(ontology)
    for key in ("constraints", "canonicalPatterns", "questions", "description", "locale"):
        if rest.get(key):
            lines.append(f"{key}: {_flow(rest[key])}")
    return "\n".join(lines) + "\n"


def _entity(entity: Entity, table: TableDraft | None) -> Iterator[str]:
    data = _plain(entity)
    fields, measures = data.pop("fields", []), data.pop("measures", [])
    yield f"  - name: {_flow(entity.name)}"
    if table is not None:
        yield f"    # {_rows(table)}"
    for key, value in data.items():
        if key == "name":
            continue
        note = ""
        if table is not None and key == "grain" and table.key is not None:
            note = f"  # {_comment(table.key.evidence)}"
        if table is not None and key == "defaultDate":
            note = f"  # {_comment(table.date_reason)}"
        yield f"    {key}: {_flow(value)}{note}"
    described = {field["name"]: field for field in fields}
    columns = {column.profile.name: column for column in table.columns} if table else {}
    if described or columns:
        yield "    fields:" if described else "    # fields that only point elsewhere:"
    for name in dict.fromkeys((*columns, *described)):
        reason = columns[name].verdict.reason if name in columns else ""
        kind = f"{columns[name].verdict.kind}: " if name in columns else ""
        if name in described:
            yield f"      - {_flow(described[name])}" + (f"  # {kind}{_comment(reason)}" if reason else "")
        else:
            yield f"      # {_comment(name)}: {kind}{_comment(reason)}"
    if measures:
        yield "    measures:"
        yield from (f"      - {_flow(measure)}" for measure in measures)


def _rows(table: TableDraft) -> str:
    rows = f"{table.profile.rows:,} row{'' if table.profile.rows == 1 else 's'}"
    return f"{rows}, {table.profile.sampled:,} of them looked at" if table.profile.sampled is not None else rows


def _relation(relation: Relation, found: Found) -> Iterator[str]:
    evidence = [
        one.evidence
        for one in found.relations
        if (one.table, one.other) == (relation.from_entity, relation.to_entity)
        and set(relation.keys or one.columns) == set(one.columns)
    ]
    if relation.through is not None:
        evidence = [one.evidence for one in found.relations if one.table == relation.through.entity] or evidence
        evidence += [one.evidence for one in found.splits if one.table == relation.from_entity]
    yield f"  - {_flow(_plain(relation))}" + (f"  # {_comment('; '.join(evidence))}" if evidence else "")


def _plain(thing: Any) -> dict[str, Any]:
    data: dict[str, Any] = thing.model_dump(mode="json", exclude_defaults=True)
    return data


def _flow(value: Any) -> str:
    """A value as one line of YAML."""
    import yaml

    text = yaml.safe_dump(_tidy(value), default_flow_style=True, allow_unicode=True, sort_keys=False, width=_WIDE)
    return text.removesuffix("\n").removesuffix("\n...").strip()


def _tidy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _tidy(inner) for key, inner in value.items()}
    return [_tidy(inner) for inner in value] if isinstance(value, list | tuple) else value


def _comment(text: str) -> str:
    return printable(text)
