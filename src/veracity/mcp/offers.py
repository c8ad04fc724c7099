"""What another agent is told: the tables of a source with fields, groups and rules; and the tools with their schemas."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from veracity.answer.answer import Answer, Outcome
from veracity.answer.results import Result
from veracity.contracts import Cell, TableData, ToolResult, clip
from veracity.errors import OntologyError
from veracity.grounding.contracts import DeclaredClaim, GroundedResult, TraceStep, Verdict
from veracity.language.locale import LANGUAGES, pick
from veracity.ontology.compiler import compile_prompt, schema_prompt
from veracity.ontology.fields import Additivity
from veracity.ontology.schema import ERROR_SENTENCE, Schema
from veracity.query.catalog import Catalog, CatalogEntity, FieldFacts, field_types
from veracity.requirements.contracts import DuplicatePair, Judged, Record
from veracity.semantic.schema import DESCRIPTION, query_schema
from veracity.tools.semantic import QueryOutcome, SemanticTools
from veracity.tools.sql import SqlTools
from veracity.tools.tables import TableTools
from veracity.wire import Wire

_log = logging.getLogger("veracity.mcp")
MOST_WITH_FIELDS = 40
"""Tables up to which a list shows their fields, too."""


class ListedField(Wire):
    """A field of a table."""

    name: str
    type: str
    label: str = ""
    description: str = ""
    sums: bool = False
    """Whether SUM and AVG may be valid on it."""
    within_one: tuple[str, ...] = ()
    """The fields that must be the same in all rows that are added up."""


class ListedTable(Wire):
    """A table or declared view."""

    table_name: str
    label: str = ""
    description: str = ""
    one_row_per: tuple[str, ...] = ()
    must_filter: tuple[str, ...] = ()
    """Fields that every call has to filter, group by or sort by."""
    fields: tuple[ListedField, ...] = ()


class ListedGroup(Wire):
    """A group that a code belongs to: a filter with LIKE, not a table."""

    label: str
    field: str
    like: tuple[str, ...]


class ListedRule(Wire):
    """A rule that calls are held to."""

    applies_to: tuple[str, ...]
    rule: str
    message: str


class TableList(Wire):
    """What `list_tables` returns."""

    tables: tuple[ListedTable, ...]
    groups: tuple[ListedGroup, ...] = ()
    rules: tuple[ListedRule, ...] = ()
    note: str = ""


def list_tables(catalog: Catalog, lang: str, names: Sequence[str] = ()) -> TableList:
    """The tables of these names with all that is known of them; without names all, and where they are many, without fields."""
    chosen = [catalog.entities[name] for name in names] or list(catalog.entities.values())
    whole = bool(names) or len(chosen) <= MOST_WITH_FIELDS
    return TableList(
        tables=tuple(_listed_table(entity, lang, whole=whole) for entity in chosen),
        groups=_groups(catalog, lang),
        rules=_rules(catalog, lang),
        note="" if whole else f"There are {len(chosen)} tables; name some in `tables` to see their fields.",
    )


def guide(catalog: Catalog, lang: str) -> str:
    """The same for reading: the block that a model is given before a question."""
    types = field_types(catalog)
    if catalog.ontology is None:
        return schema_prompt(types, lang=lang)
    return compile_prompt(catalog.ontology, lang, types=types)


def _listed_table(entity: CatalogEntity, lang: str, *, whole: bool) -> ListedTable:
    declared = entity.declared
    return ListedTable(
        table_name=entity.name,
        label=pick(declared.label, lang) if declared else "",
        description=pick(declared.description, lang) if declared else "",
        one_row_per=entity.grain,
        must_filter=tuple(dict.fromkeys(name for rule in entity.required_filters for name in rule.fields)),
        fields=tuple(_listed_field(name, facts, lang) for name, facts in entity.fields.items()) if whole else (),
    )


def _listed_field(name: str, facts: FieldFacts, lang: str) -> ListedField:
    declared = facts.declared
    sums = facts.can_be_added
    return ListedField(
        name=name,
        type=facts.column.type,
        label=pick(declared.label, lang) if declared else "",
        description=pick(declared.description, lang) if declared else "",
        sums=sums,
        within_one=facts.over if sums and facts.additivity is Additivity.SEMI_ADDITIVE else (),
    )


def _groups(catalog: Catalog, lang: str) -> tuple[ListedGroup, ...]:
    concepts = catalog.ontology.entities if catalog.ontology else ()
    return tuple(
        ListedGroup(label=pick(one.label, lang) or one.name, field=one.number_range.field, like=one.number_range.like)
        for one in concepts
        if one.number_range
    )


def _rules(catalog: Catalog, lang: str) -> tuple[ListedRule, ...]:
    constraints = catalog.ontology.constraints if catalog.ontology else ()
    return tuple(
        ListedRule(applies_to=one.applies_to, rule=one.rule, message=pick(one.message, lang)) for one in constraints
    )


# --- what a client is told about the tools: names, descriptions of at most 2,048 characters, JSON schemas


LONGEST = 2_048
"""Characters of a description; clients cut longer ones off."""

TABLE_TOOLS: Mapping[str, str] = {
    "browseTable": "Browse a table",
    "queryTable": "Read rows",
    "aggregateTable": "Compute an aggregate",
}
"""The tools that read one table, with their titles; they are called here what they are called everywhere."""
SQL = "execute_sql_safe"
SEMANTIC = "semanticQuery"
ASK = "ask"
ANSWER_LANGUAGES = ("de", "de-CH", "de-DE", "en", "zh")
MOST_REQUIREMENTS = 500

INSTRUCTIONS = (
    "Answers about this data rest on its rows only. 1. ask answers a question as a person would say it; its text is proven and may "
    "be said as it is. Where outcome is clarify, choose one of the options and ask it with `follows`. "
    "2. list_tables shows tables, fields, groups and rules. semanticQuery answers a query in the words of the ontology, joins included. "
    "queryTable, aggregateTable or execute_sql_safe read rows; a refused call says in errorDetails what to write instead. "
    "3. For rows that you read yourself: write the answer and give it to ground_answer with the ids of the results it rests on (r1, r2, ...); "
    "say it to a person only if the verdict is pass. Write figures as expressions and they are computed for you: "
    "{{ r1[0].closingBalance }}, {{ sum(r1.closingBalance) }}, {{ count(r1) }}. "
    "A missing row is not a zero. A truncated result must not be totalled. The prompts of this server are questions that are "
    "known to be answerable."
)

_ASK = (
    "Answer a question about the data as a person would ask it, in German, English or Chinese. Every figure of the answer is computed "
    "from rows and needs no further check. Returns outcome (answered, clarify, abstained, blocked), text, readBack (what was "
    "understood), options of a question back, the rows behind the text, semanticQuery and traceId. To go on from an answer, or to "
    "choose one of its options, give its traceId as `follows` and the next question, or the option word for word, as `question`."
)

_LIST = (
    "Show the tables that can be read: fields with types, what adds up, which filters a table needs, "
    "groups of codes and the rules that calls are held to. Call it first."
)
_GROUND = (
    "Hold an answer against the results it rests on, before a person reads it: every figure, date, name and count has to be in them. "
    "Returns a verdict, pass or block, with the place and reason of every finding and the origin of every figure. "
    "`results` are ids of results of this server (r1, r2, ...), or rows of other tools. "
    "Figures may be written as expressions over the results and are then computed: {{ sum(r1.amount) }}, {{ r1[0].name }}; "
    "the verdict then holds the finished text in `answer`."
)
_CHECK = (
    "Check requirements for clarity, testability and measurability, in German or English: a score per criterion (0.7 passes), "
    "located findings with suggestions, and pairs that may say the same. Give `text` (one requirement per line, list item or "
    "paragraph; Markdown is understood) or `requirements` (a list of texts). Works without a language model."
)


class AnswerRows(Wire):
    """Rows that an answer rests on."""

    table_name: str
    columns: tuple[str, ...]
    rows: tuple[dict[str, Cell], ...]
    row_count: int
    truncated: bool = False

    @classmethod
    def of(cls, data: TableData) -> AnswerRows:
        """The rows of a result."""
        return cls(
            table_name=data.table_name,
            columns=tuple(column.name for column in data.columns),
            rows=data.rows,
            row_count=data.row_count,
            truncated=data.truncated,
        )


class AskedAnswer(Wire):
    """What `ask` returns."""

    outcome: Outcome
    text: str
    read_back: str | None = None
    """What was understood, in one sentence."""
    options: tuple[str, ...] = ()
    """Where the question was asked back: what may be chosen."""
    rows: tuple[AnswerRows, ...] = ()
    semantic_query: dict[str, Any] | None = None
    """The meaning itself; `semanticQuery` takes it."""
    trace_id: str

    @classmethod
    def of(cls, answer: Answer, results: Mapping[str, Result]) -> AskedAnswer:
        """An answer with the rows that it rests on."""
        own = [results[source.result].data for source in answer.sources if source.result in results]
        asked = answer.clarification
        return cls(
            outcome=answer.outcome,
            text=answer.text,
            read_back=answer.read_back,
            options=asked.options if asked else (),
            rows=tuple(map(AnswerRows.of, own)),
            semantic_query=answer.semantic_query,
            trace_id=answer.trace_id,
        )


class CheckedRequirements(Record):
    """What `check_requirements` returns."""

    passed: int
    failed: int
    requirements: tuple[Judged, ...]
    duplicates: tuple[DuplicatePair, ...] = ()
    """Pairs of them, by their place in the list, counted from 0."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool as a client is offered it."""

    name: str
    title: str
    description: str
    takes: Schema
    gives: Schema


def offers(tables: TableTools, sql: SqlTools, semantic: SemanticTools, *, asks: bool = False) -> list[Offer]:
    """All tools over a source, `ask` among them where there is an agent; schemas are made from the catalog."""
    by_name = {schema["name"]: schema for schema in (*tables.schemas(), *sql.schemas())}
    result = ToolResult.model_json_schema(mode="serialization")
    reading = [
        Offer(
            name,
            title,
            _within_limit(by_name[name]["description"]),
            _with_optional_fields(by_name[name]["parameters"]),
            result,
        )
        for name, title in (*TABLE_TOOLS.items(), (SQL, "Run a checked SELECT"))
    ]
    return [
        *([Offer(ASK, "Ask a question", _ASK, _ask_schema(), _output_schema(AskedAnswer))] if asks else []),
        Offer(
            "list_tables",
            "List tables",
            _LIST,
            _list_tables_schema(list(tables.catalog.entities)),
            TableList.model_json_schema(),
        ),
        *reading,
        *_semantic_offers(semantic),
        Offer("ground_answer", "Check an answer", _GROUND, _ground_answer_schema(), _output_schema(Verdict)),
        Offer(
            "check_requirements",
            "Check requirements",
            _CHECK,
            _check_requirements_schema(),
            _output_schema(CheckedRequirements),
        ),
    ]


def _semantic_offers(semantic: SemanticTools) -> list[Offer]:
    """The semantic query; not over an ontology whose relations or measures do not fit the source."""
    try:
        takes = _semantic_query_schema(semantic)
    except OntologyError as error:
        _log.warning("%s is not offered: %s", SEMANTIC, error)
        return []
    gives = QueryOutcome.model_json_schema(mode="serialization")
    return [Offer(SEMANTIC, "Answer a semantic query", _within_limit(DESCRIPTION + ERROR_SENTENCE), takes, gives)]


def _within_limit(text: str) -> str:
    """A description within the limit; what matters stands at its beginning."""
    return clip(text, LONGEST)


def _output_schema(model: type[Verdict | CheckedRequirements | AskedAnswer]) -> Schema:
    return model.model_json_schema(mode="serialization")


def _with_optional_fields(schema: Schema) -> Schema:
    """A schema of strict mode for clients that leave out what they do not need: what may be null may be left out."""
    properties = schema["properties"]
    return {**schema, "required": [name for name in schema["required"] if not _nullable(properties[name])]}


def _or_null(schema: Schema) -> Schema:
    """What may be left out may also be null: clients that hold a model to a strict schema need every key."""
    described = {"description": schema["description"]} if "description" in schema else {}
    return {"anyOf": [{k: v for k, v in schema.items() if k != "description"}, {"type": "null"}], **described}


def _nullable(schema: Schema) -> bool:
    return {"type": "null"} in schema.get("anyOf", ())


def _object_schema(properties: Schema, required: Sequence[str] = (), **more: Any) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


def _list_tables_schema(names: list[str]) -> Schema:
    tables = {"type": "array", "items": {"type": "string", "enum": names}, "description": "Only these; default: all."}
    lang = {"type": "string", "enum": list(LANGUAGES), "description": "Language of labels; default: en."}
    return _object_schema({"tables": _or_null(tables), "lang": _or_null(lang)})


def _ask_schema() -> Schema:
    lang = {"type": "string", "enum": list(ANSWER_LANGUAGES), "description": "Of the answer; default: the question's."}
    follows = {"type": "string", "description": "traceId of the answer that this question goes on from."}
    question = {"type": "string", "description": "What a person would ask, or an option of a question back."}
    return _object_schema({"question": question, "lang": _or_null(lang), "follows": _or_null(follows)}, ("question",))


def _semantic_query_schema(semantic: SemanticTools) -> Schema:
    definitions = query_schema(semantic.model)["$defs"]
    for name in ("Comparison", "FigureComparison"):
        definitions[name]["properties"]["value"] = _FREE_VALUE
    properties = {
        "query": {"$ref": "#/$defs/SemanticQuery"},
        "lang": _or_null({"type": "string", "enum": list(LANGUAGES), "description": "Of the answer; default: en."}),
        "sql": _or_null({"type": "boolean", "description": "Return the SQL, too."}),
        "dryRun": _or_null({"type": "boolean", "description": "Check only."}),
    }
    return _object_schema(properties, ("query",), **{"$defs": definitions})


_FREE_VALUE: Schema = {
    "anyOf": [
        {"type": ["string", "number", "boolean", "null"]},
        {"type": "array", "items": {"type": ["string", "number", "boolean", "null"]}},
        {"type": "object", "additionalProperties": True},
    ]
}
"""A literal, a list of them, or an object. It is open, so that clients see that no strict schema holds it."""


def _ground_answer_schema() -> Schema:
    parts: list[type[GroundedResult | TraceStep | DeclaredClaim]] = [GroundedResult, TraceStep, DeclaredClaim]
    definitions: Schema = {}
    for part in parts:
        made = part.model_json_schema(ref_template="#/$defs/{model}")
        definitions |= {**made.pop("$defs", {}), part.__name__: made}
    # A column may be a plain name, and one key needs no list: the contract reads both.
    definitions["GroundedResult"]["properties"]["columns"]["items"] = {
        "anyOf": [{"type": "string"}, {"$ref": "#/$defs/GroundedColumn"}]
    }
    definitions["GroundedResult"]["properties"]["rows"]["items"] = {
        "anyOf": [{"type": "array", "items": _FREE_VALUE}, {"type": "object", "additionalProperties": True}]
    }
    other = {
        "type": "object",
        "additionalProperties": True,
        "description": "A row or anything else that a tool returned.",
    }
    result = {"anyOf": [{"type": "string", "description": "r1, r2, ..."}, {"$ref": "#/$defs/GroundedResult"}, other]}
    properties = {
        "answer": {"type": "string", "description": "What a person would read."},
        "results": {"type": "array", "items": result, "description": "What it rests on: ids, or rows of other tools."},
        "question": {"type": "string", "description": "What was asked; its own figures may be said again."},
        "locale": {"type": "string", "description": "How the answer writes numbers: de-CH, de-DE, en, zh."},
        "trace": {"type": "array", "items": {"$ref": "#/$defs/TraceStep"}, "description": "The calls that were made."},
        "claims": {"type": "array", "items": {"$ref": "#/$defs/DeclaredClaim"}},
        "strict": {"type": "boolean", "description": "Also hold back what cannot be checked; otherwise it is marked."},
    }
    return _object_schema(properties, ("answer", "results"), **{"$defs": definitions})


def _check_requirements_schema() -> Schema:
    texts = {"type": "array", "items": {"type": "string"}, "maxItems": MOST_REQUIREMENTS}
    properties = {
        "text": _or_null({"type": "string", "description": "A document with requirements."}),
        "requirements": _or_null({**texts, "description": "One text each."}),
        "lang": _or_null({"type": "string", "enum": ["de", "en"], "description": "Default: found out for each."}),
    }
    return _object_schema(properties)
