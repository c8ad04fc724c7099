"""The whole flow: a question in, an answer with its proof out, or a clear word why not.

question -> route     explicit prefix, then regex: DIRECT_CHAT or REACT; no tokens spent
         -> read      what it names: periods, codes, groups, values; a follow-up is completed from the question before
         -> prompt    rules, tables, nearest patterns, the question
         -> agent     model <-> tools; an invalid call never reaches a source
         -> render    figures computed from cells, formatted for the locale, provenance recorded
         -> cover     what the question names is in the calls, or the model is sent back
         -> fit       every figure is of the period, the things and the kind that was asked for
         -> gate      the quality gate of the skill, where one was picked
         -> Answer    answered | clarify | abstained | blocked
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from veracity.agent.draft import ENDS
from veracity.agent.loop import Agent, Limits, Model, Run, Watch
from veracity.agent.recorder import Recorder
from veracity.agent.trace_store import Traces
from veracity.answer.answer import Answer, Outcome, Routed
from veracity.answer.results import Result
from veracity.answer.unknown_things import things
from veracity.ask.conclude import conclude
from veracity.ask.conversation import Conversation, standalone
from veracity.ask.dispatch import Dispatch
from veracity.ask.prompt import question_context
from veracity.ask.review import Reviewer
from veracity.ask.understood import Asked
from veracity.contracts import repair_counters
from veracity.errors import SourceError, UsageError
from veracity.grounding.config import GuardConfig
from veracity.grounding.events import Events, record
from veracity.language.locale import language, pick
from veracity.language.numbers import locale_of
from veracity.language.texts import say
from veracity.offline.patterns import PERIOD_SLOTS, Filled, fill, next_step
from veracity.offline.second_opinion import SecondOpinion
from veracity.ontology.compiler import nearest_patterns
from veracity.ontology.descriptor import Slot
from veracity.quality import SkillContext
from veracity.question import language_of, read
from veracity.routing import Route
from veracity.skills.config import Skill
from veracity.skills.runner import SkillRun, in_language, limits_of, model_of, with_quality
from veracity.telemetry import Telemetry
from veracity.tools.tables import in_event_loop
from veracity.tools.toolset import Kind, KnownWords, Toolset

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
    store: Traces | None = None
    events: Events | None = None
    """Where it is kept what the guard stepped in for."""
    telemetry: Telemetry = field(default_factory=Telemetry.off)
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    answers: str = "bound"
    """`bound`: figures are expressions. `text`: figures are bound after the fact."""
    constants: Mapping[str, Decimal] = field(default_factory=dict)
    """Figures that may be said without a source, by name."""
    shows_patterns: bool = True
    """Whether the prompt shows the nearest patterns; the offline model finds its own."""
    second_opinion: SecondOpinion | None = None
    """Works known kinds of questions out by their pattern, beside a model that could get them wrong."""
    guard: GuardConfig = field(default_factory=GuardConfig)
    """What the guard looks for and lets pass."""
    desk: Dispatch | None = None
    """Sorts requests and picks skills; without one, everything is a question about the data."""
    sibling: Callable[[Kind], DataAgent] | None = None
    """The same agent with tools of another kind, for skills that take them."""
    note: str | None = None
    """What went wrong beside the answer: traces that could not be kept."""

    async def ask(
        self,
        question: str,
        *,
        lang: str | None = None,
        skill: str | None = None,
        conversation: Conversation | None = None,
        watch: Watch | None = None,
    ) -> Answer:
        """Answer one question; with a conversation, follow-ups are understood. `skill` picks one by its name."""
        question = question.encode("utf-8", "replace").decode()
        if not question.strip():
            raise UsageError("There is no question; write one in quotes.")
        if self.desk is None:
            return await self._answer(question, lang, conversation, watch)
        decision = self.desk.decide(question, skill)
        routed = Routed(route=decision.route, rule=decision.rule, words=decision.words)
        if decision.route is Route.DIRECT_CHAT:
            return await self.desk.texts.chat(decision, lang=lang, watch=watch, routed=routed)
        if decision.skill is None:
            return await self._answer(decision.text, lang, conversation, watch, routed=routed)
        picked = in_language(self.desk.skills()[decision.skill], lang)
        context = self.desk.skills().context(picked, decision.text)
        if picked.kind is None:
            return await self.desk.texts.run(picked, decision.text, context, lang=lang, watch=watch, routed=routed)
        agent = self.sibling(picked.kind) if self.sibling and picked.kind != self.tools.kind else self
        return await agent._answer(decision.text, lang, conversation, watch, routed=routed, work=(picked, context))

    async def _answer(
        self,
        question: str,
        lang: str | None,
        conversation: Conversation | None,
        watch: Watch | None,
        *,
        routed: Routed | None = None,
        work: tuple[Skill, SkillContext] | None = None,
    ) -> Answer:
        """A question about the data, as such or as the input of a skill."""
        if len(question) > _LONGEST_QUESTION:
            raise UsageError(
                f"A question has at most {_LONGEST_QUESTION} characters, this one {len(question)}; shorten it."
            )
        talk = conversation if conversation is not None else Conversation()
        asked = await self.understand(question, lang, talk)
        near = self.nearest(asked) if self.shows_patterns else []
        recorder = self._recorder(asked)
        run = Run(
            self._messages(asked, talk, near, work[0].prompt if work else ""),
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
        agent, skill = self._agent(work[0] if work else None), SkillRun(*work, review) if work else None
        with self.telemetry.run(recorder.trace_id, model=self.model_name, question=asked.question) as span:
            await agent.run(run, review, [recorder, *([watch] if watch else [])], skill)
            span.repairs(repair_counters(run.calls))
            span.set(rounds=run.rounds, stop=str(run.stop), route=routed and routed.route, skill=work and work[0].name)
        answer = conclude(
            asked,
            run,
            review,
            trace_id=recorder.trace_id,
            model=self.model_name,
            seconds=recorder.seconds,
        ).model_copy(update={"route": routed})
        if skill is not None:
            answer = with_quality(answer, skill.skill, skill.quality, asked.lang)
        self._keep(recorder, answer, run)
        self._record(review, answer)
        talk.remember(asked.full, asked.reading, answer, run.results)
        return answer

    def _agent(self, skill: Skill | None) -> Agent:
        """The loop with this agent's tools, or with those that a skill takes, within its limits."""
        agent = Agent(self.model, self.tools, self.parameters, self.limits, self.telemetry, self.model_name)
        if skill is None:
            return agent
        wanted = {*skill.tools, *ENDS}
        tools = [tool for tool in self.parameters.function_tools if tool.name in wanted]
        return replace(
            agent,
            model=model_of(skill, self.model),
            parameters=replace(self.parameters, function_tools=tools),
            limits=limits_of(skill, self.limits),
        )

    def _recorder(self, asked: Asked) -> Recorder:
        source = self.tools.source.name
        return Recorder(self.store, self.clock, asked.question, asked.lang, self.model_name, source, asked.full)

    def _keep(self, recorder: Recorder, answer: Answer, run: Run) -> None:
        """A trace that cannot be kept does not cost the answer; whoever opened the agent is told."""
        recorder.finish(answer, run)
        if recorder.note:
            self.note = recorder.note

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
            except (UsageError, SourceError) as error:
                self.note = str(error)

    def ask_sync(
        self,
        question: str,
        *,
        lang: str | None = None,
        skill: str | None = None,
        conversation: Conversation | None = None,
    ) -> Answer:
        """`ask`, for code that is not async."""
        if in_event_loop():
            raise UsageError("ask_sync cannot run inside an event loop; write `await agent.ask(...)` there.")
        return asyncio.run(self.ask(question, lang=lang, skill=skill, conversation=conversation))

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

    def _messages(self, asked: Asked, talk: Conversation, near: list[Filled], task: str = "") -> list[ModelMessage]:
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
        told = self.instructions(asked.lang) + (f"\n\n{task}" if task else "")
        return [*talk.messages(), ModelRequest(parts=parts, instructions=told)]

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
