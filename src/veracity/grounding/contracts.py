"""What the guard is given and what it says: the JSON of `veracity ground`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from veracity.answer.render import FigureProvenance
from veracity.grounding.evidence import given_results
from veracity.language.locale import LANGUAGES, language
from veracity.wire import Wire

_SUCCESS = frozenset({"ok", "success", "succeeded", "successful", "done", "completed", "true", "200"})
_FAILURE = frozenset(
    {"error", "failed", "failure", "refused", "timeout", "cancelled", "denied", "false", "empty_error"}
)


def _names(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value if value is not None else ()


def _status(value: Any) -> Any:
    """The two ways a call can end, whatever an agent calls them."""
    word = str(value).strip().lower()
    return "ok" if word in _SUCCESS else "error" if word in _FAILURE else value


def _locale(code: str) -> str:
    if language(code) == "en" and not code.lower().replace("_", "-").startswith("en"):
        raise ValueError(f"write one of {', '.join(LANGUAGES)}, with a country where it matters: de-CH")
    return code


Sendable = Annotated[str, BeforeValidator(lambda v: v.encode("utf-8", "replace").decode() if isinstance(v, str) else v)]
"""A text without halves of characters, which no JSON could hold; of the same length."""


class GroundedColumn(Wire):
    """A column of a result; a plain text is its name."""

    name: str
    label: str | None = None
    synonyms: Annotated[tuple[str, ...], BeforeValidator(_names)] = ()
    """What people call it: `points` for PTS."""
    unit: str | None = None
    """CHF, kg, percent: a figure of this column may stand beside this unit only."""
    scale: Literal["thousand", "million", "billion", "percent"] | None = None
    """The cells are in thousands, millions, billions or percent."""


class GroundedResult(Wire):
    """What a tool returned: rows as lists in the order of the columns, or as objects."""

    id: str
    columns: tuple[Annotated[GroundedColumn, BeforeValidator(lambda v: {"name": v} if isinstance(v, str) else v)], ...]
    rows: tuple[Any, ...]
    key: Annotated[tuple[str, ...], BeforeValidator(_names)] = ()
    """The columns that say which row it is."""
    truncated: bool = False
    """There were more rows than these."""
    caption: str = ""
    """What is said of the whole table, such as its unit: revenue in EUR million."""


class TraceStep(Wire):
    """One tool call of the agent that is being checked: facts, never the text of a message."""

    tool: str
    source_id: str | None = None
    source_kind: str | None = None
    """`file`, `sql`, `table`, or anything else."""
    status: Annotated[Literal["ok", "error"], BeforeValidator(_status)]
    result: str | None = None
    """The id of the result that it returned."""


class DeclaredClaim(Wire):
    """A figure of the answer, and the expression over the results that it is declared to be."""

    text: str
    expression: str


class GroundRequest(Wire):
    """An answer and what it should rest on."""

    question: Sendable = ""
    answer: Sendable
    locale: Annotated[str, AfterValidator(_locale)] | None = None
    """How the answer writes numbers; without it, that of its language."""
    results: Annotated[tuple[GroundedResult, ...], BeforeValidator(given_results)] = ()
    """Tables as they are described here, or whatever a tool returned: a text, an object, a list, or `{id, content}`."""
    trace: tuple[TraceStep, ...] | None = None
    """None: not known, and not judged. Empty: no tool was called."""
    claims: tuple[DeclaredClaim, ...] = ()
    strict: bool = False
    """Whether what cannot be checked against the results is held back, too."""


class Severity(StrEnum):
    """Whether a finding stops the answer."""

    BLOCK = "block"
    WARN = "warn"


class Finding(Wire):
    """One thing that is wrong with an answer, and where."""

    rule: str
    span: tuple[int, int] | None = None
    """Start and end in the answer; None where it is about the whole of it."""
    text: str = ""
    message: str
    """In the asker's language."""
    suggestion: str | None = None
    severity: Severity = Severity.BLOCK


Support = Literal["supported", "contradicted", "not_checkable"]


class SentenceVerdict(Wire):
    """What the results say of one sentence that states data."""

    span: tuple[int, int]
    text: str
    support: Support
    """Borne out, said otherwise, or nothing that these results could tell."""


class Verdict(Wire):
    """Whether an answer may reach a person."""

    verdict: Literal["pass", "block"]
    message: str = ""
    """For the person who asked: why it was held back, and what to do. Empty when it passes."""
    findings: tuple[Finding, ...] = ()
    provenance: tuple[FigureProvenance, ...] = ()
    support: Support = "supported"
    """Of the whole answer: contradicted if a sentence is, else not_checkable if one is."""
    sentences: tuple[SentenceVerdict, ...] = ()
    """The sentences that state data, in their order."""
    answer: Annotated[str | None, Field(exclude_if=lambda v: v is None)] = None
    """The text with its expressions computed, where the answer was a template."""
