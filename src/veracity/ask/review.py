"""The drafts of one question: reviewed one by one, and what they come to in the end."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from veracity.agent.draft import Draft, DraftKind
from veracity.agent.loop import Run, Stop
from veracity.agent.recorder import Recorder, run_trace
from veracity.answer.answer import Answer, Clarification, Outcome, Routed, SourceQuery
from veracity.answer.coverage import ReceiptLine
from veracity.answer.expression import quoted
from veracity.answer.render import Rendered
from veracity.answer.results import Result
from veracity.answer.syntax import Cells, Function, walk
from veracity.ask.checks import DraftCase, ReviewRules, first_problem
from veracity.ask.understood import PatternHints, UnderstoodQuestion
from veracity.contracts import QueryValidationError, ToolCallLog, ValidationErrorCode
from veracity.grounding.contracts import Finding, Verdict
from veracity.language.texts import say
from veracity.offline.second_opinion import Opinion, SecondOpinion
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


@dataclass(frozen=True, slots=True)
class Accepted:
    """An answer that stood every check."""

    rendered: Rendered
    receipt: tuple[ReceiptLine, ...]


@dataclass(slots=True)
class DraftReviewer:
    """Reviews the drafts of one question for the loop, and keeps what it made of the last one."""

    question: UnderstoodQuestion
    hints: PatternHints
    rules: ReviewRules
    second_opinion: SecondOpinion | None = None
    case: DraftCase | None = None
    """The last draft, with what the checks made of it."""
    stopped: list[Verdict] = field(default_factory=list)
    """What was made up in drafts that went back."""
    accepted: Accepted | None = None
    """An answer that may go out as it is, though a fuller one was asked for."""
    _offered: str | None = None
    """The whole text that was suggested for the last draft."""
    _opinion: Opinion | None = None
    _has_opinion: bool = False

    @property
    def output(self) -> str | None:
        """The text that goes out, where there is one."""
        released = (self.case.rendered if self.case else None) or (self.accepted.rendered if self.accepted else None)
        return released.text if released else None

    async def __call__(self, draft: Draft, run: Run) -> QueryValidationError | None:
        """None releases the draft."""
        if self.second_opinion and not self._has_opinion and draft.kind is DraftKind.ANSWER and run.results:
            self._opinion, self._has_opinion = await self._opinion_of(self.second_opinion), True
        problem = self._review(draft, run)
        if self.case and self.case.verdict and self.case.verdict.verdict == "block":
            self.stopped.append(self.case.verdict)
        return problem

    async def _opinion_of(self, second_opinion: SecondOpinion) -> Opinion | None:
        question = self.question
        return await second_opinion.on(
            question.reading,
            question.lexicon,
            question.stored,
            today=question.today,
            locale=question.locale,
            echo=question.echo,
        )

    def _review(self, draft: Draft, run: Run) -> QueryValidationError | None:
        case = self.case = DraftCase(draft, run, self.question, self.hints, self.rules, self._opinion)
        problem = first_problem(case)
        if problem is None and case.opinion and case.rendered:
            return self._ask_for_rows(case, case.opinion, case.rendered)
        if problem is None or case.not_computed is None:
            return problem
        self.stopped.append(_as_verdict(case.not_computed, draft.text))
        if problem.suggestion and problem.suggestion == self._offered:
            # It types what it was told to compute, word for word: the text with the expressions is judged instead.
            return self._review(replace(draft, text=problem.suggestion), run)
        self._offered = problem.suggestion if problem.suggestion != case.not_computed.suggestion else None
        return problem

    def _ask_for_rows(self, case: DraftCase, opinion: Opinion, rendered: Rendered) -> QueryValidationError | None:
        """Rows that are left out are asked for once; without them the answer is right, too, and so it is kept."""
        if self.accepted is not None:
            return None
        problem, whole = opinion.lacks_rows(rendered), _with_rows(case.draft.text, rendered, case.run.results)
        if problem is None or whole is None:
            return None
        self.accepted = Accepted(rendered, case.receipt)
        return problem.model_copy(update={"suggestion": whole})


def _as_verdict(problem: QueryValidationError, text: str) -> Verdict:
    """A draft that could not be computed, in the guard's words."""
    said = problem.field or ""
    at = text.find(said) if said else -1
    span = (at, at + len(said)) if at >= 0 else None
    rule = "unbound_figure" if any(ch.isdigit() for ch in said) else "expression"
    found = Finding(rule=rule, span=span, text=said, message=problem.hint, suggestion=problem.suggestion)
    return Verdict(verdict="block", findings=(found,))


def _with_rows(text: str, rendered: Rendered, results: Mapping[str, Result]) -> str | None:
    """The answer with the rows that its first total adds up."""
    parts = (part for node in rendered.expressions for part in walk(node))
    sums = (part.args[0] for part in parts if isinstance(part, Function) and part.name == "sum")
    for cells in (cells for cells in sums if isinstance(cells, Cells) and cells.column):
        name, result = cells.selection.result, results[cells.selection.result]
        told_apart = [key for key in result.key if key in result.columns and key not in result.pinned]
        columns = ", ".join(f"{name}.{quoted(column)}" for column in (*told_apart, cells.column or ""))
        return f"{text.rstrip()}\n{{{{ rows({columns}) }}}}"
    return None


# --- from a finished run to the answer that a person reads


def conclude(run: Run, review: DraftReviewer, recorder: Recorder, routed: Routed | None) -> Answer:
    """The answer that a run comes to."""
    outcome, text, clarification = _outcome(run, review)
    released, last = review.accepted, review.case
    if outcome is Outcome.ANSWERED and last is not None and last.rendered is not None:
        released = Accepted(last.rendered, last.receipt)
    if released is not None:
        # Also where a fuller answer was asked for and did not come: the one before it stood every check.
        outcome, text, clarification = Outcome.ANSWERED, released.rendered.text, None
    used = sorted(released.rendered.results) if released else []
    return Answer(
        outcome=outcome,
        text=text,
        provenance=released.rendered.figures if released else (),
        question=review.question.question,
        clarification=clarification,
        receipt=released.receipt if released else last.receipt if last else (),
        sources=tuple(SourceQuery.of(run.results[name]) for name in used),
        route=routed,
        trace=run_trace(run, recorder.model, recorder.seconds),
        trace_id=recorder.trace_id,
    )


def _outcome(run: Run, review: DraftReviewer) -> tuple[Outcome, str, Clarification | None]:
    draft, lang, last = run.draft, review.question.lang, review.case
    if run.stop is Stop.DONE and draft is not None:
        if draft.kind is DraftKind.CLARIFY:
            return Outcome.CLARIFY, draft.text, Clarification(question=draft.text, options=draft.options)
        if draft.kind is DraftKind.ABSTAIN:
            return Outcome.ABSTAINED, draft.text, None
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
