"""The whole flow: a question in, an answer with its proof out, or a clear word why not.

question -> read      what it names: periods, codes, groups, values; a follow-up is completed from the question before
         -> prompt    rules, tables, nearest patterns, the question
         -> agent     model <-> tools; an invalid call never reaches a source
         -> render    figures computed from cells, formatted for the locale, provenance recorded
         -> cover     what the question names is in the calls, or the model is sent back
         -> fit       every figure is of the period, the things and the kind that was asked for
         -> Answer    answered | clarify | abstained | blocked
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from time import perf_counter
from typing import TYPE_CHECKING

from veracity.agent import Agent, Draft, DraftKind, Limits, Model, Run, Stop, Watch
from veracity.answer.answer import Answer, Clarification, Outcome, RunTrace, SourceQuery, Tokens
from veracity.answer.binding import bind_text
from veracity.answer.coverage import ReceiptLine, Stored, Used, cover, first_missing
from veracity.answer.figures import locale_of
from veracity.answer.fitting import Claim, first_misfit, masked
from veracity.answer.render import Echo, Rendered, echo_of, render
from veracity.answer.results import Result, digest
from veracity.answer.speech import unproven_figure
from veracity.answer.values import MAX_ARGS
from veracity.conversation import Conversation, standalone
from veracity.errors import UsageError
from veracity.locale import language
from veracity.ontology.compiler import nearest_patterns
from veracity.patterns import Filled, fill
from veracity.prompt import question_context
from veracity.query.model import TOOLS
from veracity.question import Lexicon, MentionKind, Reading, language_of, read
from veracity.question.cues import cues_of
from veracity.second_opinion import Opinion, SecondOpinion
from veracity.store import TraceRecord, TraceStore, new_trace_id
from veracity.telemetry import Telemetry
from veracity.tools.tables import TableTools, in_event_loop
from veracity.tools.words import KnownWords
from veracity.trace import QueryValidationError, ToolCallLog, ValidationErrorCode, repair_counters
from veracity.words import say

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import ModelRequestParameters

_LONGEST_QUESTION = 2_000
"""So much is read of a question; what it says beyond could not be checked."""
_SHOWN_CALLS = 3
_SHOWN_PATTERNS = 2


_REPEATED = frozenset({MentionKind.PERIOD, MentionKind.CODE, MentionKind.VALUE})


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was understood."""

    question: str
    """As the user wrote it."""
    full: str
    """With what a follow-up leaves out."""
    lang: str
    locale: str
    reading: Reading
    stored: Stored
    words: Lexicon
    today: date

    @property
    def cues(self) -> frozenset[str]:
        """What the question stresses, outside the names of things."""
        text = self.full
        for mention in reversed(self.reading.mentions):
            if mention.sure:
                text = f"{text[: mention.start]} {text[mention.end :]}"
        return cues_of(text)

    @property
    def echo(self) -> Echo:
        """The figures that the question itself says, and the days that its periods mean."""
        periods = [m.meanings[0].period for m in self.reading.mentions if m.meanings]
        days = [day for period in periods if period for day in (period.first, period.last)]
        # Of an earlier question only what this one is still about may be repeated, not every number in it.
        kept = [m.text for m in self.reading.mentions if m.sure and m.meanings[0].kind in _REPEATED]
        return echo_of("\n".join([self.question, *kept]), self.locale, days)


@dataclass(slots=True)
class DataAgent:
    """Answers questions about one source with one model. `open_agent` makes one."""

    tools: TableTools
    words: KnownWords
    model: Model
    model_name: str
    parameters: ModelRequestParameters
    instructions: Callable[[str], str]
    """language -> the prompt's prefix."""
    limits: Limits = field(default_factory=Limits)
    store: TraceStore | None = None
    telemetry: Telemetry = field(default_factory=Telemetry.off)
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    answers: str = "bound"
    """`bound`: figures are expressions. `text`: figures are bound after the fact."""
    constants: Mapping[str, Decimal] = field(default_factory=dict)
    """Figures that may be said without a source, by name."""
    second_opinion: SecondOpinion | None = None
    """Works known kinds of questions out by their pattern, beside a model that could get them wrong."""
    note: str | None = None
    """What went wrong beside the answer: traces that could not be kept."""

    async def ask(
        self,
        question: str,
        *,
        lang: str | None = None,
        conversation: Conversation | None = None,
        watch: Watch | None = None,
    ) -> Answer:
        """Answer one question; with a conversation, follow-ups are understood."""
        question = question.encode("utf-8", "replace").decode()
        if not question.strip():
            raise UsageError("There is no question; write one in quotes.")
        if len(question) > _LONGEST_QUESTION:
            raise UsageError(
                f"A question has at most {_LONGEST_QUESTION} characters, this one {len(question)}; shorten it."
            )
        started = perf_counter()
        talk = conversation if conversation is not None else Conversation()
        asked = await self._read(question, lang, talk)
        run = Run(messages=self._messages(asked, talk), results=dict(talk.results))
        check = Check(self, asked)
        recorder = _Recorder(self, asked, check)
        agent = Agent(self.model, self.tools, self.parameters, self.limits, self.telemetry, self.model_name)
        with self.telemetry.run(recorder.trace_id, model=self.model_name, question=asked.question) as span:
            await agent.run(run, check, [recorder, *([watch] if watch else [])])
            span.repairs(repair_counters(run.calls))
            span.set(rounds=run.rounds, stop=str(run.stop))
        answer = conclude(
            asked,
            run,
            check,
            trace_id=recorder.trace_id,
            model=self.model_name,
            seconds=perf_counter() - started,
        )
        recorder.finish(answer, run)
        talk.remember(asked.full, asked.reading, answer, run.results)
        return answer

    def ask_sync(self, question: str, *, lang: str | None = None, conversation: Conversation | None = None) -> Answer:
        """`ask`, for code that is not async."""
        if in_event_loop():
            raise UsageError("ask_sync cannot run inside an event loop; write `await agent.ask(...)` there.")
        return asyncio.run(self.ask(question, lang=lang, conversation=conversation))

    def close(self) -> None:
        """Release the source and send what telemetry still holds."""
        self.tools.close()
        self.telemetry.shutdown()

    async def _read(self, question: str, lang: str | None, talk: Conversation) -> Asked:
        words, stored = await self.words()
        ontology, today = self.tools.catalog.ontology, self.clock().date()
        code = lang or (talk.lang if talk.lang and len(question) < 20 else None) or language_of(question)
        reading = read(question, words, today=today, lang=language(code))
        full = standalone(reading, talk.reading)
        if full != question:
            reading = read(full, words, today=today, lang=language(code))
        locale = locale_of(code, (ontology.locale if ontology else None) or "de-DE")
        return Asked(question, full, language(code), locale, reading, stored, words, today)

    def _messages(self, asked: Asked, talk: Conversation) -> list[ModelMessage]:
        from pydantic_ai.messages import ModelRequest, UserPromptPart

        context = question_context(asked.lang, asked.locale, asked.today, self.nearest(asked))
        if earlier := talk.earlier_results():
            context = f"{context}\n{earlier}"
        parts = [UserPromptPart(context), UserPromptPart(asked.full)]
        return [*talk.messages(), ModelRequest(parts=parts, instructions=self.instructions(asked.lang))]

    def nearest(self, asked: Asked) -> list[Filled]:
        """The patterns to show for a question: one that fits, or a few that are like it."""
        ontology = self.tools.catalog.ontology
        if ontology is None:
            return []
        patterns = ontology.canonical_patterns
        filled = {p.intent: fill(p, asked.reading, self.tools.catalog, asked.stored) for p in patterns}
        # One that takes up everything the question names is shown alone: of two, small models mix the parts.
        fitting = [pattern for pattern in patterns if filled[pattern.intent].complete]
        near = nearest_patterns(
            fitting or [pattern for pattern in patterns if not filled[pattern.intent].misfit],
            asked.full,
            count=1 if fitting else _SHOWN_PATTERNS,
        )
        return [filled[pattern.intent] for pattern in near]


@dataclass(slots=True)
class Check:
    """Reviews a draft: render -> cover -> fit -> second opinion. Keeps what it made of the last one."""

    agent: DataAgent
    asked: Asked
    rendered: Rendered | None = None
    receipt: tuple[ReceiptLine, ...] = ()
    _opinion: Opinion | None = None
    _asked_for_opinion: bool = False

    async def __call__(self, draft: Draft, run: Run) -> QueryValidationError | None:
        """None releases the draft."""
        self.rendered, self.receipt = None, ()
        if draft.kind is DraftKind.CLARIFY and _bare(draft.text) in (
            _bare(self.asked.question),
            _bare(self.asked.full),
        ):
            hint = "That is the question itself: ask for what it leaves open, or answer it."
            return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, field="question", hint=hint)
        if draft.kind is not DraftKind.ANSWER:
            return unproven_figure((draft.text, *draft.options), self.asked.echo, self.asked.stored, self.asked.locale)
        if not run.results:
            return self._nothing_called()
        rendered = self._render(draft.text, run.results)
        if isinstance(rendered, QueryValidationError):
            return rendered
        if not rendered.results:
            hint = "An answer rests on results: call a tool, then cite its rows in expressions."
            return QueryValidationError(code=ValidationErrorCode.QUESTION_NOT_COVERED, field="answer", hint=hint)
        self.rendered = rendered
        used = _used(rendered, run.results)
        catalog, stored = self.agent.tools.catalog, self.asked.stored
        self.receipt = cover(self.asked.reading, used, catalog, stored)
        said = read(masked(rendered), self.asked.words, today=self.asked.today, lang=self.asked.lang)
        claim = Claim(self.asked.reading, self.asked.cues, rendered, run.results, catalog, stored, said)
        return first_missing(self.receipt) or first_misfit(claim) or await self._disputed(rendered)

    def _nothing_called(self) -> QueryValidationError:
        fitting = self.agent.nearest(self.asked)
        first = fitting[0].calls[0] if fitting else None
        return QueryValidationError(
            code=ValidationErrorCode.QUESTION_NOT_COVERED,
            field="answer",
            suggestion=f"{first.tool} {json.dumps(first.args, ensure_ascii=False)}" if first else None,
            hint="There is no result yet: call queryTable or aggregateTable now, answer later.",
        )

    async def _disputed(self, rendered: Rendered) -> QueryValidationError | None:
        """What a second opinion has against the figures; it is asked for once per question."""
        if self.agent.second_opinion is None:
            return None
        if not self._asked_for_opinion:
            asked, self._asked_for_opinion = self.asked, True
            self._opinion = await self.agent.second_opinion.on(
                asked.reading, asked.words, asked.stored, today=asked.today, locale=asked.locale, echo=asked.echo
            )
        return self._opinion.disputes(rendered) if self._opinion else None

    def _render(self, text: str, results: Mapping[str, Result]) -> Rendered | QueryValidationError:
        locale, echo, constants = self.asked.locale, self.asked.echo, self.agent.constants
        if self.agent.answers == "text":
            return bind_text(text, results, self.agent.tools.catalog, locale=locale, echo=echo, constants=constants)
        return render(text, results, locale=locale, echo=echo, constants=constants)


def _bare(text: str) -> str:
    return "".join(ch for ch in text.casefold() if ch.isalnum())


def _used(rendered: Rendered, results: Mapping[str, Result]) -> list[Used]:
    """The calls behind an answer's figures, with the rows each figure was taken from."""
    used = []
    for name in sorted(rendered.results):
        result = results[name]
        figures = [[arg for arg in figure.args if arg.result == name] for figure in rendered.figures]
        counted = any(arg.column == "*" for args in figures for arg in args)
        cited = max((len(args) for args in figures), default=0)
        keys = tuple(arg.row_key for args in figures for arg in args if arg.column != "*")
        every = counted or cited >= min(len(result.data.rows), MAX_ARGS) or not keys
        used.append(Used(name, result.call, None if every else keys, cited, tuple(result.data.rows), counted=counted))
    return used


# --- from a finished run to an answer


def conclude(asked: Asked, run: Run, check: Check, *, trace_id: str, model: str, seconds: float) -> Answer:
    """The answer that a run comes to."""
    outcome, text, clarification = _outcome(asked, run, check)
    released = check.rendered if outcome is Outcome.ANSWERED else None
    sources = [] if released is None else [_source(run.results[name]) for name in sorted(released.results)]
    return Answer(
        outcome=outcome,
        text=text,
        provenance=released.figures if released else (),
        question=asked.question,
        clarification=clarification,
        receipt=check.receipt,
        sources=tuple(sources),
        trace=run_trace(run, model, seconds),
        trace_id=trace_id,
    )


def _outcome(asked: Asked, run: Run, check: Check) -> tuple[Outcome, str, Clarification | None]:
    draft, lang = run.draft, asked.lang
    if run.stop is Stop.DONE and draft is not None:
        if draft.kind is DraftKind.CLARIFY:
            return Outcome.CLARIFY, draft.text, Clarification(question=draft.text, options=draft.options)
        if draft.kind is DraftKind.ABSTAIN:
            return Outcome.ABSTAINED, draft.text, None
        assert check.rendered is not None
        return Outcome.ANSWERED, check.rendered.text, None
    if run.stop is not Stop.REFUSED:
        return (
            Outcome.ABSTAINED,
            say(str(run.stop), lang, rounds=run.rounds, tried=_tried(run, lang, check.agent.tools.catalog.entities)),
            None,
        )
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
    tool = log.tool if log.tool in TOOLS else "?"
    table = log.arguments.get("tableName")
    came = log.validation_failure_code or ("failed" if not log.success else log.row_count)
    return f"{tool} {table if table in tables else '?'} ({came})"


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


def run_trace(run: Run, model: str, seconds: float) -> RunTrace:
    """What a run cost and how it went."""
    return RunTrace(
        model=model,
        rounds=run.rounds,
        calls=tuple(run.calls),
        refusals=tuple(run.refusals),
        counters=repair_counters(run.calls),
        tokens=Tokens(prompt=run.prompt_tokens, input=run.input_tokens, output=run.output_tokens),
        seconds=round(seconds, 3),
    )


class _Recorder:
    """Writes the trace after every round, so that a crash loses nothing."""

    def __init__(self, agent: DataAgent, asked: Asked, check: Check) -> None:
        self._agent, self._asked, self._check = agent, asked, check
        self._started, self._began = agent.clock(), perf_counter()
        self.trace_id = new_trace_id(self._started)

    def calling(self, tool: str, arguments: object) -> None:
        """Nothing is written before a call came back."""

    def called(self, log: object) -> None:
        """Calls are written with their round."""

    def round_done(self, run: Run) -> None:
        """Save what there is so far; of the last round, `finish` does it."""
        if run.stop is not None:
            return
        trace = run_trace(run, self._agent.model_name, perf_counter() - self._began)
        self._save({"trace": trace.model_dump(mode="json")}, run, None)

    def finish(self, answer: Answer, run: Run) -> None:
        """Save the answer with its proof."""
        self._save(answer.model_dump(mode="json"), run, answer)

    def _save(self, body: dict[str, object], run: Run, answer: Answer | None) -> None:
        store = self._agent.store
        if store is None:
            return
        body["understoodAs"] = self._asked.full
        if store.keep_rows:
            body["rows"] = {name: result.data.model_dump(mode="json") for name, result in run.results.items()}
        try:
            store.save(
                TraceRecord(
                    trace_id=self.trace_id,
                    started_at=self._started,
                    updated_at=self._agent.clock(),
                    finished=answer is not None,
                    question=self._asked.question,
                    lang=self._asked.lang,
                    model=self._agent.model_name,
                    source=self._agent.tools.source.name,
                    outcome=answer.outcome.value if answer else None,
                    text=answer.text if answer else None,
                    body=body,
                )
            )
        except UsageError as error:
            # A trace that cannot be kept does not cost the answer; whoever opened the agent is told.
            self._agent.store, self._agent.note = None, str(error)
