"""From a finished run to the answer that a person reads."""

from __future__ import annotations

from collections.abc import Collection

from veracity.agent.draft import DraftKind
from veracity.agent.loop import Run, Stop
from veracity.agent.recorder import run_trace
from veracity.answer.answer import Answer, Clarification, Outcome, SourceQuery
from veracity.answer.results import Result, digest
from veracity.ask.review import Accepted, Reviewer
from veracity.ask.understood import Asked
from veracity.contracts import ToolCallLog, ValidationErrorCode
from veracity.language.texts import say
from veracity.query.model import TOOLS
from veracity.tools.files import FILE_TOOLS
from veracity.tools.sql import SQL_TOOLS

_SHOWN_CALLS = 3
_KNOWN_TOOLS = frozenset({*TOOLS, *SQL_TOOLS, *FILE_TOOLS})


def conclude(asked: Asked, run: Run, review: Reviewer, *, trace_id: str, model: str, seconds: float) -> Answer:
    """The answer that a run comes to."""
    outcome, text, clarification = _outcome(asked, run, review)
    released = review.accepted
    if outcome is Outcome.ANSWERED and review.rendered is not None:
        released = Accepted(review.rendered, review.receipt)
    if released is not None:
        # Also where a fuller answer was asked for and did not come: the one before it stood every check.
        outcome, text, clarification = Outcome.ANSWERED, released.rendered.text, None
    used = sorted(released.rendered.results) if released else []
    return Answer(
        outcome=outcome,
        text=text,
        provenance=released.rendered.figures if released else (),
        question=asked.question,
        clarification=clarification,
        receipt=released.receipt if released else review.receipt,
        sources=tuple(_source(run.results[name]) for name in used),
        trace=run_trace(run, model, seconds),
        trace_id=trace_id,
    )


def _outcome(asked: Asked, run: Run, review: Reviewer) -> tuple[Outcome, str, Clarification | None]:
    draft, lang = run.draft, asked.lang
    if run.stop is Stop.DONE and draft is not None:
        if draft.kind is DraftKind.CLARIFY:
            return Outcome.CLARIFY, draft.text, Clarification(question=draft.text, options=draft.options)
        if draft.kind is DraftKind.ABSTAIN:
            return Outcome.ABSTAINED, draft.text, None
        assert review.rendered is not None
        return Outcome.ANSWERED, review.rendered.text, None
    if run.stop is not Stop.REFUSED:
        return (
            Outcome.ABSTAINED,
            say(str(run.stop), lang, rounds=run.rounds, tried=_tried(run, lang, review.catalog.entities)),
            None,
        )
    if review.verdict is not None and review.verdict.verdict == "block":
        return Outcome.BLOCKED, review.verdict.message, None
    problem = run.refusals[-1]
    if problem.code is ValidationErrorCode.QUESTION_NOT_COVERED and problem.field != "answer":
        named = {mention.text for mention in asked.reading.mentions}
        if problem.field in named:
            return Outcome.ABSTAINED, say("not_covered", lang, mention=problem.field, meaning=problem.suggestion), None
        return Outcome.ABSTAINED, say("not_fitting", lang), None
    if problem.field in _END_KEYS:
        return Outcome.BLOCKED, say("blocked", lang, reason=say("malformed", lang)), None
    # What the model wrote is not quoted: it could hold the very figure that is kept back.
    reason = say("no_source" if problem.field == "answer" else _REASONS.get(problem.code, "unbound"), lang)
    return Outcome.BLOCKED, say("blocked", lang, reason=reason), None


_END_KEYS = frozenset({"text", "question", "reason", "options"})
_REASONS = {
    ValidationErrorCode.MIXED_UNITS: "mixed_units",
    ValidationErrorCode.RESULT_TRUNCATED: "truncated",
    ValidationErrorCode.INVALID_AGGREGATE_TARGET: "not_addable",
    ValidationErrorCode.VALUE_NOT_FOUND: "no_such_row",
}


def _tried(run: Run, lang: str, tables: Collection[str]) -> str:
    if not run.calls:
        return say("nothing_tried", lang)
    said = dict.fromkeys(_in_short(log, tables) for log in run.calls)
    return say("tried", lang, calls="; ".join(list(said)[:_SHOWN_CALLS]))


def _in_short(log: ToolCallLog, tables: Collection[str]) -> str:
    """A call in a few words, of which none is the model's own."""
    tool = log.tool if log.tool in _KNOWN_TOOLS else "?"
    table = log.arguments.get("tableName")
    about = f" {table if table in tables else '?'}" if table is not None else ""
    came = log.validation_failure_code or ("failed" if not log.success else log.row_count)
    return f"{tool}{about} ({came})"


def _source(result: Result) -> SourceQuery:
    return SourceQuery(
        result=result.data.result_id,
        tool=result.call.tool,
        table_name=result.data.table_name,
        arguments=result.arguments,
        row_count=result.data.row_count,
        truncated=result.data.truncated,
        digest=digest(result.data),
    )
