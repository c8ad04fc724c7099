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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from time import perf_counter
from typing import TYPE_CHECKING

from veracity.agent import Agent, Limits, Model, Run, Watch
from veracity.answer.answer import Answer, Outcome
from veracity.answer.figures import locale_of
from veracity.answer.results import Result
from veracity.answer.unnamed import things
from veracity.asked import Asked
from veracity.conclusion import conclude, run_trace
from veracity.conversation import Conversation, standalone
from veracity.errors import UsageError
from veracity.grounding.config import GuardConfig
from veracity.grounding.events import EventStore, record
from veracity.locale import language, pick
from veracity.ontology.compiler import nearest_patterns
from veracity.ontology.descriptor import Slot
from veracity.patterns import PERIOD_SLOTS, Filled, fill, next_step
from veracity.prompt import question_context
from veracity.question import language_of, read
from veracity.review import Reviewer
from veracity.second_opinion import SecondOpinion
from veracity.store import TraceRecord, TraceStore, new_trace_id
from veracity.telemetry import Telemetry
from veracity.tools.tables import in_event_loop
from veracity.tools.toolset import Toolset
from veracity.tools.words import KnownWords
from veracity.trace import repair_counters
from veracity.words import say

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import ModelRequestParameters

_LONGEST_QUESTION = 2_000
"""So much is read of a question; what it says beyond could not be checked."""
_SHOWN_PATTERNS = 2
_SHOWN_WORDS = 3


@dataclass(slots=True)
class DataAgent:
    """Answers questions about one source with one model. `open_agent` makes one."""

    tools: Toolset
    words: KnownWords
    model: Model
    model_name: str
    parameters: ModelRequestParameters
    instructions: Callable[[str], str]
    """language -> the prompt's prefix."""
    limits: Limits = field(default_factory=Limits)
    store: TraceStore | None = None
    events: EventStore | None = None
    """Where it is kept what the guard stepped in for."""
    telemetry: Telemetry = field(default_factory=Telemetry.off)
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    answers: str = "bound"
    """`bound`: figures are expressions. `text`: figures are bound after the fact."""
    constants: Mapping[str, Decimal] = field(default_factory=dict)
    """Figures that may be said without a source, by name."""
    second_opinion: SecondOpinion | None = None
    """Works known kinds of questions out by their pattern, beside a model that could get them wrong."""
    guard: GuardConfig = field(default_factory=GuardConfig)
    """What the guard looks for and lets pass."""
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
        asked = await self.understand(question, lang, talk)
        near = self.nearest(asked)
        run = Run(
            self._messages(asked, talk, near),
            dict(talk.results),
            otherwise=self._otherwise(asked),
            guide=self._guide(asked, near),
        )
        review = Reviewer(
            asked,
            self.tools.catalog,
            self.nearest,
            self.answers,
            self.constants,
            self.second_opinion,
            speak=self.tools.spoken,
            guard=self.guard,
            source=(self.tools.source.name, self.tools.kind),
            unknown=self._unknown(asked),
        )
        recorder = _Recorder(self, asked)
        agent = Agent(self.model, self.tools, self.parameters, self.limits, self.telemetry, self.model_name)
        with self.telemetry.run(recorder.trace_id, model=self.model_name, question=asked.question) as span:
            await agent.run(run, review, [recorder, *([watch] if watch else [])])
            span.repairs(repair_counters(run.calls))
            span.set(rounds=run.rounds, stop=str(run.stop))
        answer = conclude(
            asked,
            run,
            review,
            trace_id=recorder.trace_id,
            model=self.model_name,
            seconds=perf_counter() - started,
        )
        recorder.finish(answer, run)
        self._record(review, answer)
        talk.remember(asked.full, asked.reading, answer, run.results)
        return answer

    def _record(self, review: Reviewer, answer: Answer) -> None:
        """Keep and count what the guard stepped in for; where it cannot be kept, the answer stays what it is."""
        for number, verdict in enumerate(review.stopped, 1):
            last = number == len(review.stopped) and answer.outcome is Outcome.BLOCKED
            try:
                record(
                    verdict,
                    self.events,
                    question=answer.question,
                    outcome="blocked" if last else "sent back",
                    model=self.model_name,
                    trace_id=answer.trace_id,
                    telemetry=self.telemetry,
                )
            except UsageError as error:
                self.events, self.note = None, str(error)

    def ask_sync(self, question: str, *, lang: str | None = None, conversation: Conversation | None = None) -> Answer:
        """`ask`, for code that is not async."""
        if in_event_loop():
            raise UsageError("ask_sync cannot run inside an event loop; write `await agent.ask(...)` there.")
        return asyncio.run(self.ask(question, lang=lang, conversation=conversation))

    def close(self) -> None:
        """Release the source and send what telemetry still holds."""
        self.tools.close()
        self.telemetry.shutdown()

    async def understand(self, question: str, lang: str | None, talk: Conversation) -> Asked:
        """What the question names, in which language; a follow-up is completed from the conversation."""
        words, stored = await self.words()
        ontology, today = self.tools.catalog.ontology, self.clock().date()
        code = lang or (talk.lang if talk.lang and len(question) < 20 else None) or language_of(question)
        reading = read(question, words, today=today, lang=language(code))
        full = standalone(reading, talk.reading)
        if full != question:
            reading = read(full, words, today=today, lang=language(code))
        locale = locale_of(code, (ontology.locale if ontology else None) or "de-DE")
        return Asked(question, full, language(code), locale, reading, stored, words, today)

    def _messages(self, asked: Asked, talk: Conversation, near: list[Filled]) -> list[ModelMessage]:
        from pydantic_ai.messages import ModelRequest, UserPromptPart

        context = question_context(
            asked.lang,
            asked.locale,
            asked.today,
            near,
            self.tools.spoken,
            unknown=self._unknown(asked)[:_SHOWN_WORDS],
            left_open=[slot.name for slot in self._left_open(asked)],
        )
        if earlier := talk.earlier_results():
            context = f"{context}\n{earlier}"
        parts = [UserPromptPart(context), UserPromptPart(asked.full)]
        return [*talk.messages(), ModelRequest(parts=parts, instructions=self.instructions(asked.lang))]

    def _unknown(self, asked: Asked) -> tuple[str, ...]:
        """Things in the question that nothing in the data and none of the patterns is called."""
        if self.second_opinion is None:
            return ()
        words = self.second_opinion.planner.unknown(asked.reading, asked.words, asked.today)
        return things(asked.full, words, asked.lang)

    def _sure(self, asked: Asked) -> list[Filled]:
        """The patterns that know every word of the question and take it all up."""
        if self.second_opinion is None:
            return []
        return self.second_opinion.planner.surely(asked.reading, asked.words, asked.stored, asked.today)

    def _left_open(self, asked: Asked) -> tuple[Slot, ...]:
        """What the question would have to say to be answered."""
        if self.second_opinion is None:
            return ()
        return self.second_opinion.planner.left_open(asked.reading, asked.words, asked.stored, asked.today)

    def _otherwise(self, asked: Asked) -> str | None:
        """How to end where the question cannot be answered as it stands."""
        if any(slot.kind in PERIOD_SLOTS for slot in self._left_open(asked)):
            question = {"question": say("which_period", asked.lang), "options": ""}
            return f"clarify {json.dumps(question, ensure_ascii=False)}"
        if unknown := self._unknown(asked):
            near = ", ".join(pick(one.pattern.description, asked.lang) for one in self.nearest(asked))
            said = [say("not_in_data", asked.lang, words=", ".join(unknown[:_SHOWN_WORDS]))]
            said += [say("nearest", asked.lang, patterns=near)] if near else []
            reason = {"reason": " ".join(said)}
            return f"abstain {json.dumps(reason, ensure_ascii=False)}"
        return None

    def _guide(self, asked: Asked, near: list[Filled]) -> Callable[[Mapping[str, Result]], str | None] | None:
        """Where one pattern takes up the whole question, its next step."""
        if not near or not near[0].complete:
            return None
        return lambda results: next_step(near[0], asked.lang, asked.locale, results, self.tools.spoken)

    def nearest(self, asked: Asked) -> list[Filled]:
        """The patterns to show for a question: one that fits, or a few that are like it."""
        ontology = self.tools.catalog.ontology
        if ontology is None:
            return []
        if sure := self._sure(asked):
            (best,) = nearest_patterns([one.pattern for one in sure], asked.full, count=1)
            return [one for one in sure if one.pattern is best][:1]
        patterns, unknown = ontology.canonical_patterns, self._unknown(asked)
        filled = {p.intent: fill(p, asked.reading, self.tools.catalog, asked.stored) for p in patterns}
        if unknown:  # however well the rest fits, the question may be about just that
            filled = {name: replace(one, uncovered=(*one.uncovered, *unknown)) for name, one in filled.items()}
        # One that takes up everything the question names is shown alone: of two, small models mix the parts.
        fitting = [pattern for pattern in patterns if filled[pattern.intent].complete]
        near = nearest_patterns(
            fitting or [pattern for pattern in patterns if not filled[pattern.intent].misfit],
            asked.full,
            count=1 if fitting else _SHOWN_PATTERNS,
        )
        return [filled[pattern.intent] for pattern in near]


class _Recorder:
    """Writes the trace after every round, so that a crash loses nothing."""

    def __init__(self, agent: DataAgent, asked: Asked) -> None:
        self._agent, self._asked = agent, asked
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
