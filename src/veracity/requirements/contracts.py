"""The contracts of requirements validation: what a requirement is, what is found in it, and how it scores.

JSON keys are snake_case as in the seed; only `Rewrite` is camelCase, because the seed writes it so.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from veracity.wire import Wire

Criterion = Literal["clarity", "testability", "measurability"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
PASS = 0.7
"""The score from which a requirement passes, when the settings say nothing else."""

Lang = Literal["de", "en"]
Kind = Literal["text", "user_story", "ears", "gherkin", "title"]
Severity = Literal["error", "warning", "info"]
RuleId = Literal[
    "EMPTY",
    "NOACTION",
    "NOOBJECT",
    "NOACTOR",
    "VAGUE",
    "BENEFITVAGUE",
    "ESCAPE",
    "OPEN",
    "TBD",
    "QUALPRED",
    "NOMETRIC",
    "WEAKMODAL",
    "NOMODAL",
    "MULTI",
    "PASSIVE",
    "COMP",
    "SUP",
    "NOAC",
    "FRAGMENT",
    "LONG",
    "NEG",
    "ABS",
    "PRON",
    "WEAKVERB",
]
RULE_IDS: tuple[RuleId, ...] = get_args(RuleId)
WordListName = Literal[
    "vague",
    "vague_context",
    "escape",
    "open",
    "placeholder",
    "comparative",
    "superlative",
    "absolute",
    "pronoun",
    "weak_verb",
    "binding_modal",
    "weak_modal",
]


class Record(BaseModel):
    """A contract whose JSON keys are snake_case; no key it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Place(Record):
    """Where a requirement stands; lines and columns count from 1, `cell` is such as `B7`."""

    path: str
    line: int | None = None
    column: int | None = None
    cell: str | None = None


class Requirement(Record):
    """One requirement of a document."""

    id: str
    text: str
    place: Place
    lang: Lang | None = None
    """Its language; found out by `judge` when the document does not say."""
    kind: Kind | None = None
    """How it is written; found out by `judge` when the document does not say."""


class RequirementFinding(Record):
    """A located hint: this rule, at these characters of the requirement's text, for this reason."""

    rule: str
    severity: Severity
    span: tuple[int, int]
    text: str
    message: str
    suggestion: str | None = None
    source: Literal["rule", "model"] = "rule"
    disputed: bool = False
    """Whether a model read the sentence and does not agree; that raises no score."""
    confirmed: bool = False
    """Whether a model read the sentence and agrees."""


ModelReading = Literal["read", "unreadable", "not_read"]
"""Whether a model read a requirement, sent nothing that can be understood, or could not be asked."""


class CriterionScore(Record):
    """How a requirement does on one criterion."""

    criterion: Criterion
    score: float
    passed: bool
    feedback: str


class Evaluation(Record):
    """What `evaluate_requirement` returns, to the letter of the seed."""

    score: float
    verdict: Literal["pass", "fail"]
    evaluation: tuple[CriterionScore, ...]


class Judged(Record):
    """A requirement with its scores and what was found in it."""

    requirement: Requirement
    evaluation: Evaluation
    findings: tuple[RequirementFinding, ...]
    model: ModelReading | None = None
    """What became of a model's second reading; None: there was none to be."""


class Suggestion(Record):
    """One thing to do about a requirement; `type` is such as `add_metric`."""

    type: str
    suggestion: str
    priority: Literal["high", "medium", "low"]


class Assumption(Record):
    """What a rewrite says and the requirement did not, and how to ask whether it holds."""

    what: str
    question: str
    suggested_answers: tuple[str, ...] = ()


class Rewrite(Wire):
    """What `rewrite_requirement` returns; with an assumption nobody confirmed it is not accepted."""

    id: int | str
    original_text: str
    corrected_text: str
    status: Literal["accepted", "needs_confirmation", "rejected"]
    score: float
    verdict: Literal["pass", "fail"]
    evaluation: tuple[CriterionScore, ...]
    assumptions: tuple[Assumption, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()


class DuplicatePair(Record):
    """Two requirements that may say the same, with the reason and with what speaks against it."""

    req1_idx: int
    req2_idx: int
    similarity: float
    reason: str
    band: Literal["same", "look"]
    vetoes: tuple[str, ...] = ()


Weight = Annotated[float, Field(ge=0, le=1)]


class Weights(Record):
    """How much one finding takes from each criterion: 0 is nothing, 1 is all of it."""

    clarity: Weight = 0.0
    testability: Weight = 0.0
    measurability: Weight = 0.0


class RuleChange(Record):
    """What a project changes about one rule; `PASSIVE: off` is short for `PASSIVE: {enabled: false}`."""

    enabled: bool = True
    weights: Weights | None = None
    """Other weights; a criterion that is not named weighs nothing."""
    severity: Severity | None = None


class WordChange(Record):
    """What a project changes about one word list in one language; `~` after a German word stands for its endings."""

    add: tuple[Annotated[str, Field(min_length=1, max_length=80)], ...] = Field(default=(), max_length=2_000)
    remove: tuple[Annotated[str, Field(min_length=1, max_length=80)], ...] = Field(default=(), max_length=2_000)


class Suppression(Record):
    """Findings that a project has looked at and accepts."""

    rule: RuleId
    ids: tuple[str, ...] = ()
    """The requirements it holds for, `*` and `?` as in file names; none: all of them."""
    words: tuple[str, ...] = ()
    """The words it holds for; none: whatever the rule finds."""
    reason: str | None = None


def _switch(value: object) -> object:
    return {"enabled": value} if isinstance(value, bool) else value


class RuleSettings(Record):
    """One project's rules; `config.load_rule_settings` reads it from a YAML file."""

    rules: dict[RuleId, Annotated[RuleChange, BeforeValidator(_switch)]] = {}
    """Rules switched off, or with other weights or another severity."""
    words: dict[WordListName, dict[Lang, WordChange]] = {}
    """Words added to a list and words taken from it, by language."""
    glossary: tuple[Annotated[str, Field(min_length=1, max_length=200)], ...] = Field(default=(), max_length=10_000)
    """Terms that the project has defined; no word inside them is a finding."""
    suppressions: tuple[Suppression, ...] = Field(default=(), max_length=10_000)
    lang: Lang | None = None
    """The language of every requirement; without it each is read for itself."""
    soll_is_binding: bool = True
    """Whether German "soll" binds as "shall" does; "sollte" never does."""
    present_tense_ok: bool = False
    """Whether "Der Server beantwortet ..." without a modal verb is how this project writes requirements."""
    fail_under: Annotated[float, Field(ge=0, le=1)] = PASS
    """The score from which a requirement, and each of its criteria, passes."""
