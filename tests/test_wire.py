"""The JSON keys of every contract: what others read and write must not change by accident."""

from __future__ import annotations

from each_case import each
from veracity.agent.judged_answers import JudgedAnswer
from veracity.agent.trace_store import TraceRecord, TraceSummary
from veracity.answer.answer import (
    Answer,
    Clarification,
    ReadingOption,
    Routed,
    RunTrace,
    SourceQuery,
    TaughtNote,
    Tokens,
    WordOffer,
)
from veracity.answer.coverage import ReceiptLine
from veracity.answer.render import FigureProvenance
from veracity.answer.values import Arg
from veracity.contracts import (
    AgentTrace,
    QueryValidationError,
    ResultColumn,
    TableData,
    ToolCallLog,
    ToolResult,
    ValidationErrorCode,
)
from veracity.ontology.descriptor import Constraint, OntologyDescriptor, Relation
from veracity.ontology.draft import DraftOption, DraftQuestion, OntologyDraft
from veracity.ontology.entities import DateParts, Entity, Invariant, Measure, NumberRange, Segment
from veracity.ontology.fields import EntityField
from veracity.ontology.overlay import TaughtWord, WordTarget
from veracity.ontology.questions import CanonicalQueryPattern, Slot, ToolCall
from veracity.query.findings import OntologyFinding
from veracity.semantic.query import SemanticQuery
from veracity.server.conversations import ConversationRecord, ConversationSummary
from veracity.server.routes.conversations import ConversationTitle, NewConversation
from veracity.tools.semantic import (
    AnswerCell,
    FigureRows,
    MissingCount,
    QueryColumn,
    QueryData,
    QueryOutcome,
    WordedPiece,
)
from veracity.wire import Wire

KEYS: dict[type[Wire], str] = {
    ToolResult: "success data error errorDetails",
    QueryValidationError: "code field suggestion hint",
    TableData: "resultId tableName columns rows rowCount truncated",
    ResultColumn: "name type",
    TraceSummary: "traceId startedAt updatedAt finished question lang model source outcome text",
    TraceRecord: "traceId startedAt updatedAt finished question lang model source outcome text body",
    ConversationSummary: "conversationId title who createdAt updatedAt turns",
    ConversationRecord: "conversationId title who createdAt updatedAt turns answers",
    NewConversation: "title",
    ConversationTitle: "title was",
    Answer: "outcome text provenance question understoodBy readBack semanticQuery readings assumptions wordedByModel taught followUp clarification receipt sources route skill fields quality trace traceId",
    TaughtNote: "taughtId word means who taughtAt",
    TaughtWord: "taughtId word lang means targets entity segment measure who taughtAt question",
    WordTarget: "kind entity name value",
    WordOffer: "word means",
    JudgedAnswer: "traceId verdict why who judgedAt question lang source outcome text semanticQuery figures",
    Routed: "route rule words",
    Clarification: "question options",
    ReadingOption: "text query teaches",
    SourceQuery: "result tool tableName arguments rowCount truncated digest",
    Tokens: "prompt input output",
    RunTrace: "model rounds calls refusals counters tokens seconds",
    ToolCallLog: "round tool arguments success validationFailureCode error suggestion resultId rowCount milliseconds",
    AgentTrace: "validationFailures repairAttempts successAfterRepair deflections conversions repairConversionRate traceId toolCalls",
    OntologyDescriptor: "featureCode description locale entities relations constraints canonicalPatterns questions",
    Entity: "name label synonyms semanticType description table view grain fields numberRange parentEntity accumulates invariants "
    "display article defaultDate dateParts measures segments defaultMeasure verbs edges spoken toolsOnly hidden unconfirmed",
    EntityField: "name label synonyms semanticType description additivity averages over unit unitField grain values moment "
    "adjectives categorical confirmed question",
    NumberRange: "field start end",
    Invariant: "name description holds tell violations",
    Measure: "name label synonyms description aggregate expression where ratio unit date needsPeriod questions confirmed question",
    Segment: "name label synonyms where defaultMeasure",
    DateParts: "year month whole",
    Relation: "name fromEntity toEntity cardinality via keys through label synonyms verbs inverseVerbs place symmetric confirmed question",
    OntologyDraft: "found languages answers",
    DraftQuestion: "id kind text options opens about guess",
    DraftOption: "id text",
    SemanticQuery: "show of where by period having order limit skip per compare",
    QueryOutcome: "success data error errorDetails",
    QueryData: "readBack pieces query answer cells columns rows rowCount truncated tied overlapping missing sql behind",
    FigureRows: "row entity number figure agrees rows",
    QueryColumn: "name type part unit unitColumn",
    AnswerCell: "start end row column",
    WordedPiece: "text before parts",
    MissingCount: "field rows of",
    Constraint: "appliesTo rule message fields expects use when unless apart",
    CanonicalQueryPattern: "intent description questions slots pattern answer",
    Slot: "name kind field example default",
    ToolCall: "tool args",
    OntologyFinding: "where message count example check level place file",
}


@each("contract", KEYS)
def test_contract_has_these_keys(contract: type[Wire]) -> None:
    assert [field.alias for field in contract.model_fields.values()] == KEYS[contract].split()


def test_codes_are_the_six_of_the_seed_and_the_seven_added_to_them() -> None:
    assert {code.value for code in ValidationErrorCode} == {
        "FIELD_NOT_FOUND",
        "INVALID_AGGREGATE_TARGET",
        "WRONG_TABLE_FOR_PURPOSE",
        "TYPE_MISMATCH",
        "OPERATOR_INCOMPATIBLE",
        "MISSING_REQUIRED_FILTER",
        "TABLE_NOT_FOUND",
        "VALUE_NOT_FOUND",
        "RESULT_TRUNCATED",
        "MIXED_UNITS",
        "AMBIGUOUS_GRAIN",
        "QUESTION_NOT_COVERED",
        "UNSAFE_SQL",
    }


def test_provenance_of_a_figure_has_these_keys() -> None:
    assert list(FigureProvenance.model_fields) == ["span", "text", "value", "kind", "expression", "args", "status"]
    assert list(Arg.model_fields) == ["result", "row_key", "column", "raw"]
    assert list(ReceiptLine.model_fields) == ["mention", "meaning", "met_by", "status"]
