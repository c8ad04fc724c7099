"""The drafts of one question: reviewed one by one, and what they come to in the end."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from veracity.agent.draft import Draft, DraftKind
from veracity.agent.loop import Run, Stop
from veracity.agent.recorder import Recorder, run_trace
from veracity.answer.answer import Answer, Clarification, Outcome, Routed, SourceQuery
from veracity.answer.own_words import own_words
from veracity.ask.checks import DraftCase, ReviewRules, first_problem
from veracity.ask.refusals import question_back, refusal_text
from veracity.ask.understood import UnderstoodQuestion
from veracity.contracts import QueryValidationError, ToolCallLog, ValidationErrorCode
from veracity.grounding.contracts import Finding, Verdict
from veracity.language.texts import say
from veracity.query.model import TOOLS
from veracity.tools.files import FILE_TOOLS
from veracity.tools.sql import SQL_TOOLS

_SHOWN_CALLS = 3
_KNOWN_TOOLS = frozenset({*TOOLS, *SQL_TOOLS, *FILE_TOOLS})
_END_KEYS = frozenset({"text", "question", "reason", "options"})
_REASONS = {
    ValidationErrorCode.MIXED_UNITS: "mixed_units",
    ValidationErrorCode.RESULT_TRUNCATED: "truncated",
    ValidationErrorCode.INVALID_AGGREGATE_TARGET: "not_addable",
    ValidationErrorCode.VALUE_NOT_FOUND: "no_such_row",
}


@dataclass(slots=True)
class DraftReviewer:
    """Reviews the drafts of one question for the loop, and keeps what it made of the last one."""

    question: UnderstoodQuestion
    rules: ReviewRules
    unknown: tuple[str, ...] = ()
    """Things in the question that nothing in the data is called."""
    case: DraftCase | None = None
    """The last draft, with what the checks made of it."""
    own_words: bool = True
    """Whether the program may tell the figures itself where a model's words are refused."""
    stopped: list[Verdict] = field(default_factory=list)
    """What was made up in drafts that went back."""
    _offered: str | None = None
    """The whole text that was suggested for the last draft."""

    @property
    def output(self) -> str | None:
        """The text that goes out, where there is one."""
        released = self.case.rendered if self.case else None
        return released.text if released else None

    async def __call__(self, draft: Draft, run: Run) -> QueryValidationError | None:
        """None releases the draft."""
        problem = self._review(draft, run)
        if self.case and self.case.verdict and self.case.verdict.verdict == "block":
            self.stopped.append(self.case.verdict)
        return problem

    def _review(self, draft: Draft, run: Run) -> QueryValidationError | None:
        case = self.case = DraftCase(draft, run, self.question, self.rules, self.unknown)
        problem = first_problem(case)
        if problem is None or case.not_computed is None:
            return problem
        self.stopped.append(_as_verdict(case.not_computed, draft.text))
        if problem.suggestion and problem.suggestion == self._offered:
            # It types what it was told to compute, word for word: the text with the expressions is judged instead.
            return self._review(replace(draft, text=problem.suggestion), run)
        self._offered = problem.suggestion if problem.suggestion != case.not_computed.suggestion else None
        return problem


def _as_verdict(problem: QueryValidationError, text: str) -> Verdict:
    """A draft that could not be computed, in the guard's words."""
    said = problem.field or ""
    at = text.find(said) if said else -1
    span = (at, at + len(said)) if at >= 0 else None
    rule = "unbound_figure" if any(ch.isdigit() for ch in said) else "expression"
    found = Finding(rule=rule, span=span, text=said, message=problem.hint, suggestion=problem.suggestion)
    return Verdict(verdict="block", findings=(found,))


# --- from a finished run to the answer that a person reads


def conclude(run: Run, review: DraftReviewer, recorder: Recorder, routed: Routed | None) -> Answer:
    """The answer that a run comes to."""
    outcome, text, clarification = _said_instead(run, review) or _outcome(run, review)
    last = review.case
    released = last.rendered if outcome is Outcome.ANSWERED and last is not None else None
    used = sorted(released.results) if released else []
    return Answer(
        outcome=outcome,
        text=text,
        provenance=released.figures if released else (),
        question=review.question.question,
        clarification=clarification,
        receipt=last.receipt if last else (),
        sources=tuple(SourceQuery.of(run.results[name]) for name in used),
        route=routed,
        trace=run_trace(run, recorder.model, recorder.seconds),
        trace_id=recorder.trace_id,
    )


def _said_instead(run: Run, review: DraftReviewer) -> tuple[Outcome, str, None] | None:
    """The program's own words for the same figures, where nothing but the model's words was refused.

    They stand the same checks; why the draft was refused is in the trace.
    """
    refused = review.case
    if run.stop is not Stop.REFUSED or refused is None or refused.claim is None or not refused.words_refused:
        return None
    if not review.own_words or refused.draft.fields is not None:
        return None
    bound = replace(review.rules, answers="bound")
    for text in own_words(refused.claim, review.question.lang):
        case = DraftCase(Draft(DraftKind.ANSWER, text), run, review.question, bound, review.unknown)
        if first_problem(case) is None and case.rendered is not None:
            review.case = case
            return Outcome.ANSWERED, case.rendered.text, None
    return None


def _outcome(run: Run, review: DraftReviewer) -> tuple[Outcome, str, Clarification | None]:
    draft, lang, last = run.draft, review.question.lang, review.case
    if run.stop is Stop.DONE and draft is not None:
        if draft.kind is DraftKind.CLARIFY:
            asked = question_back(draft, review.question)
            return Outcome.CLARIFY, asked.question, asked
        if draft.kind is DraftKind.ABSTAIN:
            return Outcome.ABSTAINED, refusal_text(run, review.question, review.unknown), None
        assert last is not None
        assert last.rendered is not None
        return Outcome.ANSWERED, last.rendered.text, None
    if run.stop is not Stop.REFUSED:
        tried = _calls_tried(run, lang, review.rules.catalog.entities)
        return Outcome.ABSTAINED, say(str(run.stop), lang, rounds=run.rounds, tried=tried), None
    if last is not None and last.verdict is not None and last.verdict.verdict == "block":
        return Outcome.BLOCKED, last.verdict.message, None
    problem = run.refusals[-1]
    if problem.code is ValidationErrorCode.QUESTION_NOT_COVERED and problem.field != "answer":
        named = {mention.text for mention in review.question.reading.mentions}
        if problem.field in named:
            return Outcome.ABSTAINED, say("not_covered", lang, mention=problem.field, meaning=problem.suggestion), None
        return Outcome.ABSTAINED, say("not_fitting", lang), None
    if problem.field in _END_KEYS:
        return Outcome.BLOCKED, say("blocked", lang, reason=say("malformed", lang)), None
    # What the model wrote is not quoted: it could hold the very figure that is kept back.
    reason = say("no_source" if problem.field == "answer" else _REASONS.get(problem.code, "unbound"), lang)
    return Outcome.BLOCKED, say("blocked", lang, reason=reason), None


def _calls_tried(run: Run, lang: str, tables: Collection[str]) -> str:
    if not run.calls:
        return say("nothing_tried", lang)
    different = dict.fromkeys(_call_in_short(log, tables) for log in run.calls)
    return say("tried", lang, calls="; ".join(list(different)[:_SHOWN_CALLS]))


def _call_in_short(log: ToolCallLog, tables: Collection[str]) -> str:
    """A call in a few words, of which none is the model's own."""
    tool = log.tool if log.tool in _KNOWN_TOOLS else "?"
    table = log.arguments.get("tableName")
    about = f" {table if table in tables else '?'}" if table is not None else ""
    came = log.validation_failure_code or ("failed" if not log.success else log.row_count)
    return f"{tool}{about} ({came})"
