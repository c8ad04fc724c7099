"""Ontology -> prompt text: compact, in the asker's language, the same to the byte for the same input."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from veracity.language.locale import language, pick
from veracity.ontology.descriptor import Constraint, ConstraintRule, OntologyDescriptor, Relation
from veracity.ontology.entities import Entity, Measure
from veracity.ontology.fields import Additivity, EntityField
from veracity.ontology.questions import CanonicalQueryPattern

Types = Mapping[str, Mapping[str, str]]
"""The visible fields of each table and their types, as the source has them."""

_WORDS = {
    "de": {
        "tables": "Tabellen: Name [eine Zeile je] = Bedeutung: Felder mit Typ (ohne: Text); + summierbar, +x nur bei gleichem x",
        "groups": "Gruppen nach {field}",
        "bare": "Tabellen: Felder mit Typ",
        "measures": "Kennzahlen: Name = Bedeutung",
        "segments": "Segmente: Name = Bedeutung",
        "relations": "Beziehungen: von -> nach",
        "rules": "Regeln",
        "facts": "Immer wahr",
        "patterns": "Muster",
    },
    "en": {
        "tables": "Tables: name [one row per] = meaning: fields with type (none: text); + can be summed, +x only within one x",
        "groups": "Groups by {field}",
        "bare": "Tables: fields with type",
        "measures": "Measures: name = meaning",
        "segments": "Segments: name = meaning",
        "relations": "Relations: from -> to",
        "rules": "Rules",
        "facts": "Always true",
        "patterns": "Patterns",
    },
    "zh": {
        "tables": "数据表：名称 [每行对应] = 含义：字段及类型（无则为文本）；+ 可求和，+x 仅在 x 相同时",
        "groups": "按 {field} 分组",
        "bare": "数据表：字段及类型",
        "measures": "指标：名称 = 含义",
        "segments": "细分：名称 = 含义",
        "relations": "关系：从 -> 到",
        "rules": "规则",
        "facts": "恒成立",
        "patterns": "查询范例",
    },
}


def compile_prompt(
    ontology: OntologyDescriptor,
    lang: str | None = None,
    *,
    types: Types | None = None,
    patterns: Sequence[CanonicalQueryPattern] = (),
    semantic: bool = True,
) -> str:
    """The prompt block of an ontology. Only what `types` shows is described; `patterns` are the ones to show.

    `semantic`: also what semantic queries can name, for whoever can send them.
    """
    lang = language(lang)
    words = _WORDS[lang]
    entities = [e for e in ontology.entities if e.queryable and (types is None or e.name in types)]
    said: set[str] = set()
    blocks = [
        f"## {words['tables']}",
        *(
            _table(ontology, entity, lang, None if types is None else types[entity.name], said, semantic=semantic)
            for entity in entities
        ),
    ]
    blocks += _semantic_words(ontology, entities, lang) if semantic else []
    for field, members in groupby(_ranges(ontology), key=lambda e: e.number_range.field if e.number_range else ""):
        blocks.append(f"## {words['groups'].format(field=field)}")
        blocks.append("; ".join(_range(entity, lang) for entity in members))
    if rules := [rule for rule in ontology.constraints if types is None or _is_about(rule, types)]:
        blocks += [f"## {words['rules']}", *_rules(rules, lang)]
    if facts := [pick(i.description, lang) for e in ontology.entities for i in e.invariants if i.tell]:
        blocks += [f"## {words['facts']}", *(f"- {fact}" for fact in facts)]
    if patterns:
        blocks += [f"## {words['patterns']}", *(_pattern(pattern, lang) for pattern in patterns)]
    return "\n".join(blocks) + "\n"


def _is_about(rule: Constraint, types: Types) -> bool:
    return any(rule.covers(entity, field) for entity, fields in types.items() for field in fields)


def _table(
    ontology: OntologyDescriptor,
    entity: Entity,
    lang: str,
    types: Mapping[str, str] | None,
    said: set[str],
    *,
    semantic: bool,
) -> str:
    """One line for a table; what a field means is said where it first appears, and remembered in `said`."""
    shown = [field for field in entity.fields if types is None or field.name in types]
    extra = [EntityField(name=name) for name in types or () if entity.field(name) is None]
    fields = []
    for field in (*shown, *extra):
        meaning = f"({pick(field.description, lang)})" if field.description else ""
        new = "" if f"{field.name} {meaning}" in said else meaning
        said.add(f"{field.name} {meaning}")
        kind = (types or {}).get(field.name, "")
        parts = (field.name, "" if kind == "text" else kind, _adds(ontology, entity, field), new)
        fields.append(" ".join(part for part in parts if part))
    about = ", ".join(part for part in (pick(entity.label, lang), pick(entity.description, lang)) if part)
    grain = f" [{', '.join(entity.grain)}]" if entity.grain else ""
    about = ", ".join(part for part in (about, *(_known_by(entity) if semantic else ())) if part)
    return f"- {entity.name}{grain}{' = ' if about else ''}{about}: {', '.join(fields)}"


def _known_by(entity: Entity) -> Iterator[str]:
    """What people know a row by, and which date a period is about."""
    if entity.display:
        yield f"display {'+'.join(entity.display)}"
    if entity.dated_by:
        yield f"date {entity.dated_by}"


def _semantic_words(ontology: OntologyDescriptor, entities: Sequence[Entity], lang: str) -> list[str]:
    """What semantic queries can name beside tables and fields."""
    words, shown = _WORDS[lang], {entity.name for entity in entities}
    measures = [_measure(entity, one, lang) for entity in entities for one in entity.measures]
    segments = [
        f"- {one.name}{_meaning(pick(one.label, lang))} ({entity.name}: {one.where})"
        for entity in entities
        for one in entity.segments
    ]
    # A plain foreign key goes without saying; every line is paid for at every call.
    told = [r for r in ontology.relations if {r.from_entity, r.to_entity} <= shown and not r.is_plain]
    relations = [_relation(one, lang) for one in told]
    blocks = (("measures", measures), ("segments", segments), ("relations", relations))
    return [line for name, lines in blocks if lines for line in (f"## {words[name]}", *lines)]


def _measure(entity: Entity, measure: Measure, lang: str) -> str:
    about = ", ".join(part for part in (pick(measure.label, lang), pick(measure.description, lang)) if part)
    more = "".join(f", {part}" for part in (measure.unit, measure.date) if part)
    return f"- {measure.name}{_meaning(about)} ({entity.name}: {measure.formula}{more})"


def _meaning(text: str) -> str:
    return f" = {text}" if text else ""


def _relation(relation: Relation, lang: str) -> str:
    name = f" [{relation.name}]" if relation.name else ""
    by = f" ({relation.joins})" if relation.joins else ""
    return f"- {relation.from_entity} -> {relation.to_entity}{name}{by}{_meaning(', '.join(relation.words(lang)))}"


def _adds(ontology: OntologyDescriptor, entity: Entity, field: EntityField) -> str:
    additivity, over = ontology.additivity_of(entity.name, field.name)
    never = ontology.constraints_on(entity.name, field.name, ConstraintRule.NEVER_AGGREGATE)
    refused = never or field.grain or additivity is Additivity.NON_ADDITIVE
    return "" if refused else "+" + "+".join(over)


def _ranges(ontology: OntologyDescriptor) -> list[Entity]:
    return sorted(
        (e for e in ontology.entities if e.number_range), key=lambda e: e.number_range.field if e.number_range else ""
    )


def _range(entity: Entity, lang: str) -> str:
    assert entity.number_range is not None
    return f"{pick(entity.label, lang) or entity.name} {'|'.join(entity.number_range.like)}"


def _rules(constraints: Sequence[Constraint], lang: str) -> list[str]:
    # Rules that say the same of several fields are one line: every line is paid for at every call.
    merged: dict[str, list[str]] = {}
    for constraint in constraints:
        message = pick(constraint.message, lang)
        use = f" -> {constraint.use}" if constraint.use and constraint.use not in message else ""
        merged.setdefault(message + use, []).append(_where(constraint))
    return [f"- {'; '.join(dict.fromkeys(places))}: {message}" for message, places in merged.items()]


def _where(constraint: Constraint) -> str:
    names: dict[str, list[str]] = {}
    for place in constraint.applies_to:
        entity, _, field = place.rpartition(".")
        names.setdefault(field if entity else place, []).append(entity)
    by_home: dict[str, list[str]] = {}
    for field, homes in names.items():
        by_home.setdefault("/".join(home for home in homes if home not in ("", "*")), []).append(field)
    return ", ".join(f"{home}.{'|'.join(fields)}" if home else "|".join(fields) for home, fields in by_home.items())


def _pattern(pattern: CanonicalQueryPattern, lang: str) -> str:
    questions = pattern.questions.get(lang) or next(iter(pattern.questions.values()), ())
    calls = "; ".join(
        f"{call.tool} {json.dumps(call.args, ensure_ascii=False, separators=(',', ':'))}" for call in pattern.pattern
    )
    return f"- {questions[0] if questions else pattern.intent} -> {calls}"


def nearest_patterns(
    patterns: Sequence[CanonicalQueryPattern], question: str, *, count: int = 2
) -> list[CanonicalQueryPattern]:
    """The patterns whose example questions, in any language, are most like this question."""
    from rapidfuzz import fuzz

    folded = question[:500].casefold()
    scored = []
    for position, pattern in enumerate(patterns):
        examples = [example.question.casefold() for group in pattern.questions.values() for example in group]
        best = max((fuzz.token_set_ratio(folded, example) for example in examples), default=0.0)
        scored.append((-best, position, pattern))
    return [pattern for _score, _position, pattern in sorted(scored, key=lambda entry: entry[:2])[:count]]


def schema_prompt(types: Types, hints: str = "", lang: str | None = None) -> str:
    """The prompt block of a feature without an ontology: its tables as they are, then its hints, if it has any."""
    words = _WORDS[language(lang)]
    lines = [f"## {words['bare']}"]
    lines += [
        f"- {table}: {', '.join(f'{name} {kind}' for name, kind in fields.items())}" for table, fields in types.items()
    ]
    return "\n".join([*lines, *([hints.strip()] if hints.strip() else [])]) + "\n"
