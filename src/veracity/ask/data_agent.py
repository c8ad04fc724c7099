"""The flow of a question: from what a person asks to an answer with its proof, or to the reason why there is none.

question -> route     explicit prefix, then forms and words: a direct answer, a skill, or the data; no tokens spent
         -> read      in which language it is, and the values that are stored
         -> mean      what its words say, composed to a semantic query, compiled, run and worded by the program
         -> prompt    where that is not clear and there is a model: rules, tables, nearest patterns, the question
         -> agent     model <-> tools; an invalid call never reaches a source
         -> checks    of each draft: render, cover, fit, guard (`checks.py`); what fails goes back to the model
         -> gate      the quality gate of the skill, where one was picked
         -> Answer    answered | clarify | abstained | blocked
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Unpack

from veracity.agent.draft import ENDS
from veracity.agent.loop import Agent, Run, Watch
from veracity.agent.progress import Doing, Teller
from veracity.agent.recorder import Recorder, run_trace
from veracity.answer.answer import Answer, Outcome, Routed, SourceQuery, UnderstoodBy, WordOffer
from veracity.ask.conversation import Conversation
from veracity.ask.model_query import Asking
from veracity.ask.opened_agent import AskOptions, OpenedAgent, at_the_edge
from veracity.ask.routed import RoutedRequest
from veracity.ask.settled import SettledMeaning
from veracity.ask.understood import UnderstoodQuestion
from veracity.contracts import QueryValidationError, repair_counters
from veracity.errors import QueryFailed, SourceError, UsageError
from veracity.grounding.events import record as record_event
from veracity.language.detect import language_by_words
from veracity.language.locale import language
from veracity.language.numbers import locale_of
from veracity.language.texts import say
from veracity.query.values import Key
from veracity.question import language_of
from veracity.semantic.query import SemanticQuery, to_json
from veracity.semantic.wording.read_back import read_back, sentence
from veracity.semantic.wording.refusal import refusal

if TYPE_CHECKING:
    from veracity.ask.checks import ReviewRules
    from veracity.ask.review import DraftReviewer
    from veracity.ask.stream import StreamItem
    from veracity.ontology.questions import CanonicalQueryPattern
    from veracity.quality import SkillContext
    from veracity.skills.config import Skill

_LONGEST_QUESTION = 2_000
"""So much is read of a question; what it says beyond could not be checked."""
_SHORT_QUESTION = 20
"""A question as short as this is taken to be in the language of the conversation."""


@dataclass(slots=True)
class DataAgent(OpenedAgent):
    """Answers questions about one source with one model. `open_agent` makes one."""

    async def ask(self, question: str, *, watch: Watch | None = None, **options: Unpack[AskOptions]) -> Answer:
        """Answer one question; `AskOptions` says how."""
        self._check_open()
        self.refresh()
        watches = [watch] if watch else []
        tell = Teller(watches)
        tell(Doing.READING)
        request = replace(
            self._route(question, options.get("lang"), options.get("skill")),
            assume=_chosen(options.get("assume"), self.assume),
            prose=_chosen(options.get("prose"), self.prose),
            tell=tell,
        )
        async with tell.ticking():
            if request.needs_no_data:
                answer = await self._answer_without_data(request, watch)
            else:
                agent = self._with_tools_of(request.skill) if request.skill else self
                answer = await agent._answer_from_data(request, options.get("conversation") or Conversation(), watches)
        tell(Doing.DONE)
        return answer

    async def ask_query(self, query: SemanticQuery, *, lang: str | None = None, watch: Watch | None = None) -> Answer:
        """Answer a query that somebody put together, as a question whose words are the query read back.

        It is checked, run, worded and kept like any other, so that follow-ups go on from it. Raises `UsageError` where the
        source has no ontology, or where a rule forbids the query.
        """
        self._check_open()
        self.refresh()
        if self.meaning is None or self.semantic is None:
            raise UsageError("This agent answers no queries; ask in words.")
        checked = await self.semantic.checked(query)
        if isinstance(checked, QueryValidationError):
            raise UsageError(refusal(checked, self.semantic.model, language(lang or "en")))
        said = sentence(read_back(checked, self.semantic.model, language(lang or "en")))
        watches, talk = [watch] if watch else [], Conversation(offers={said: checked})
        tell = Teller(watches)
        tell(Doing.READING)
        async with tell.ticking():
            question = await self.understand(said, lang or "en", talk)
            answer = await self._settle(RoutedRequest(said, lang, tell=tell), question, talk, watches)
        assert answer is not None  # what an option stands for is always settled
        tell(Doing.DONE)
        return answer

    def stream(self, question: str, **options: Unpack[AskOptions]) -> AsyncIterator[StreamItem]:
        """`ask` as a stream: what is being done, every call that came back, and the answer last."""
        from veracity.ask.stream import streamed

        return streamed(lambda watch: self.ask(question, watch=watch, **options))

    def ask_sync(self, question: str, **options: Unpack[AskOptions]) -> Answer:
        """`ask`, for code that is not async."""
        return at_the_edge("ask", lambda: self.ask(question, **options))

    async def _answer_from_data(
        self, request: RoutedRequest, conversation: Conversation, watches: Sequence[Watch]
    ) -> Answer:
        """The steps from reading a question about the data to its answer."""
        before = Recorder(self.traces, self.clock, request.text, request.lang or "", self.model_name)
        with before.keeping(Run([])):
            question = await self.understand(request.text, request.lang, conversation)
        plans = request.skill is None or request.skill.strategy in ("rewoo", "goal_driven", "reflexion")
        if self.meaning is not None and (self.model is None or (plans and self.meaning.answers_first)):
            settled = await self._settle(request, question, conversation, watches)
            if settled is not None:
                return settled
        return await self._answer_with_model(request, question, conversation, watches)

    async def _answer_with_model(
        self, request: RoutedRequest, question: UnderstoodQuestion, conversation: Conversation, watches: Sequence[Watch]
    ) -> Answer:
        """The steps from a prompt to an answer whose every draft was checked."""
        # A question that is answered from its words needs none of these.
        from veracity.ask.prompt import prompted_run
        from veracity.ask.review import DraftReviewer, conclude
        from veracity.skills.runner import SkillRun, with_quality

        told = self.instructions(question.lang) + (f"\n\n{request.skill.prompt}" if request.skill else "")
        unknown = self.meaning.unknown_things(question) if self.meaning is not None else ()
        near = self.nearest_patterns(question)
        run = prompted_run(question, conversation, told=told, patterns=near, unknown=unknown, speak=self.tools.spoken)
        run.tell = request.tell
        review = DraftReviewer(question, self._review_rules(), unknown, own_words=request.skill is None)
        gate = SkillRun(request.skill, request.context, review) if request.skill and request.context else None
        recorder = self._recorder(question)
        with self._observed(request, recorder, run):
            await self._agent(request.skill).run(run, review, [recorder, *watches], gate)
        way = UnderstoodBy.PATTERN if near else UnderstoodBy.TOOLS
        answer = conclude(run, review, recorder, request.routed).model_copy(update={"understood_by": way})
        if gate is not None:
            answer = with_quality(answer, gate.skill, gate.quality, question.lang)
        answer = self._noted(answer, question, None, conversation)
        answer = self._keep(recorder, run, review, answer)
        conversation.remember(question, answer, run.results)
        conversation.query = None
        return answer.resting_on(run.results[one.result].data for one in answer.sources)

    # --- route

    def _route(self, question: str, lang: str | None, skill: str | None) -> RoutedRequest:
        """The way of a request, without asking a model."""
        text = question.encode("utf-8", "replace").decode()
        if not text.strip():
            raise UsageError("There is no question; write one in quotes.")
        request = RoutedRequest(text, lang)
        if self.dispatch is not None:
            decision = self.dispatch.decide(text, skill)
            picked = self._skill(decision.skill, lang) if decision.skill else None
            if picked is not None and not decision.text.strip():
                raise UsageError(f"There is no input for the skill {picked.name}; give it a text.")
            context = self.dispatch.skills().context(picked, decision.text) if picked else None
            routed = Routed(route=decision.route, rule=decision.rule, words=decision.words)
            request = RoutedRequest(decision.text, lang, decision, routed, picked, context)
        if len(request.text) > _LONGEST_QUESTION and not request.needs_no_data:
            raise UsageError(
                f"A question has at most {_LONGEST_QUESTION} characters, this one {len(request.text)}; shorten it."
            )
        return request

    def _skill(self, name: str, lang: str | None) -> Skill:
        from veracity.skills.runner import in_language

        assert self.dispatch is not None
        return in_language(self.dispatch.skills()[name], lang)

    async def _answer_without_data(self, request: RoutedRequest, watch: Watch | None) -> Answer:
        assert self.dispatch is not None
        assert request.decision is not None
        texts, routed = self.dispatch.texts, request.routed
        if request.skill is None or request.context is None:
            return await texts.chat(request.decision, lang=request.lang, watch=watch, routed=routed)
        return await texts.run(
            request.skill, request.text, request.context, lang=request.lang, watch=watch, routed=routed
        )

    def _with_tools_of(self, skill: Skill) -> DataAgent:
        """This agent, or the one over the same source whose tools the skill takes."""
        if skill.kind is None or skill.kind == self.tools.kind or self.sibling is None:
            return self
        return self.sibling(skill.kind)

    # --- read

    async def understand(self, question: str, lang: str | None, conversation: Conversation) -> UnderstoodQuestion:
        """What the question names, in which language; a follow-up is completed from the conversation."""
        tables = (
            self.semantic.tables if self.semantic else self.tools
        )  # where nobody described the data, those of their draft
        stored, ontology, today = await tables.stored_values(), tables.catalog.ontology, self.clock().date()
        offered = question.strip() in conversation.offers
        spoken = conversation.lang if offered or len(question) < _SHORT_QUESTION else None
        code = lang or spoken or self._language(question, stored)
        locale = locale_of(code, (ontology.locale if ontology else None) or "de-DE")
        words = partial(self.known_words, stored)
        return UnderstoodQuestion(question, language(code), locale, stored, today, words, conversation.asked)

    def _language(self, question: str, stored: Mapping[Key, frozenset[str]]) -> str:
        """The language of a question; where no small word tells it, the one in which most of its words are known."""
        likely = language_of(question)
        if self.meaning is None or language_by_words(question) is not None:
            return likely
        return self.meaning.best_known(question, likely, stored, self.clock().date())

    # --- mean: what the words say, where they say it clearly

    async def _settle(
        self,
        request: RoutedRequest,
        question: UnderstoodQuestion,
        conversation: Conversation,
        watches: Sequence[Watch],
    ) -> Answer | None:
        """The answer of a question whose meaning can be read from its words; nothing where a model has to read it."""
        assert self.meaning is not None
        recorder, run = self._recorder(question), Run([], dict(conversation.results), tell=request.tell)
        with self._observed(request, recorder, run):
            try:
                asking = Asking(run, (recorder, *watches), request.assume, request.prose)
                found = await self._found(request, question, conversation, asking)
            except QueryFailed as failure:
                found = SettledMeaning(Outcome.ABSTAINED, say("source_failed", question.lang, reason=str(failure)))
        if found is None:
            return None
        for result, log in found.results:
            run.results[result.data.result_id] = result
            run.calls.append(log)
            for watch in watches:
                watch.called(log)
        for watch in watches:
            watch.round_done(run)
        answer = Answer(
            outcome=found.outcome,
            text=found.text,
            provenance=found.provenance,
            question=question.question,
            understood_by=UnderstoodBy.MODEL if found.by_model else UnderstoodBy.READER,
            read_back=_read_back(found, question.lang),
            semantic_query=to_json(found.query) if found.query else None,
            readings=found.readings,
            assumptions=tuple(WordOffer(word=one.word, means=one.means) for one in found.assumptions),
            worded_by_model=found.worded_by_model,
            follow_up=found.edits or question.question.strip() in conversation.offers,
            clarification=found.clarification,
            sources=tuple(SourceQuery.of(result) for result, _ in found.results),
            route=request.routed,
            trace=run_trace(run, recorder.model, recorder.seconds),
            trace_id=recorder.trace_id,
        )
        if request.skill is not None and request.context is not None:
            answer = await self._gated(answer, request.skill, request.context, question.lang)
        answer = self._noted(answer, question, found.query, conversation)
        if found.query is not None or not found.edits:  # a follow-up that fails does not end the conversation
            conversation.query = found.query
        elif conversation.query is not None:
            recorder.goes_on_from = to_json(conversation.query)
        answer = recorder.finish(answer, run)
        self.note = recorder.note or self.note
        conversation.remember(question, answer, run.results)
        conversation.offers = found.offers
        return answer.resting_on(result.data for result, _ in found.results)

    async def _found(
        self, request: RoutedRequest, question: UnderstoodQuestion, conversation: Conversation, asking: Asking
    ) -> SettledMeaning | None:
        """What the words of a question come to: by the strategy of a skill, where that has something to add."""
        assert self.meaning is not None
        if request.skill is not None and request.skill.strategy in ("rewoo", "goal_driven", "reflexion"):
            from veracity.ask.strategies import StrategyReader

            reader = StrategyReader(self.meaning, question, len(asking.run.results) + 1)
            found = await reader.answer(request.skill.strategy)
            if found is not None and (self.model is None or reader.is_complete):
                return found
        if request.skill is not None and self.model is not None:
            return None  # a model plans what the words alone do not tell
        before, offers = conversation.query, conversation.offers
        first = f"r{len(asking.run.results) + 1}"
        return await self.meaning.settle(question, first, offers=offers, before=before, asking=asking)

    async def _gated(self, answer: Answer, skill: Skill, context: SkillContext, lang: str) -> Answer:
        """The answer behind the quality gate of a skill."""
        from veracity.quality import QualityGate
        from veracity.skills.runner import with_quality

        judged = answer.outcome is Outcome.ANSWERED
        quality = await QualityGate(skill.quality).validate(answer.text, context) if judged else None
        return with_quality(answer, skill, quality, lang)

    def nearest_patterns(self, question: UnderstoodQuestion) -> Sequence[CanonicalQueryPattern]:
        """Calls that answered questions like this one, to show a model."""
        from veracity.ontology.compiler import nearest_patterns

        ontology = self.tools.catalog.ontology
        return nearest_patterns(ontology.canonical_patterns, question.full) if ontology else ()

    # --- agent, with the checks of each draft, and the gate behind a skill

    def _review_rules(self) -> ReviewRules:
        from veracity.ask.checks import ReviewRules

        return ReviewRules(
            self.tools.catalog,
            self.answers,
            self.constants,
            self.guard,
            source=(self.tools.source.name, self.tools.kind),
        )

    def _recorder(self, question: UnderstoodQuestion) -> Recorder:
        source = self.tools.source.name
        return Recorder(
            self.traces, self.clock, question.question, question.lang, self.model_name, source, question.full
        )

    @contextmanager
    def _observed(self, request: RoutedRequest, recorder: Recorder, run: Run) -> Iterator[None]:
        """While the agent works, for telemetry; what is cut off is kept as far as it went."""
        name, asked = self.model_name, recorder.question
        with recorder.keeping(run), self.telemetry.run(recorder.trace_id, model=name, question=asked) as span:
            yield
            span.repairs(repair_counters(run.calls))
            span.set(
                rounds=run.rounds,
                stop=str(run.stop),
                route=request.decision and request.decision.route,
                skill=request.skill and request.skill.name,
            )

    def _agent(self, skill: Skill | None) -> Agent:
        """The loop with this agent's tools, or with those that a skill takes, within its limits."""
        assert self.model is not None
        parameters = self.parameters()
        agent = Agent(self.model, self.tools, parameters, self.limits, self.telemetry, self.model_name)
        if skill is None:
            return agent
        from veracity.skills.runner import limits_of, model_of

        wanted = {*skill.tools, *ENDS}
        tools = [tool for tool in parameters.function_tools if tool.name in wanted]
        return replace(
            agent,
            model=model_of(skill, self.model),
            parameters=replace(parameters, function_tools=tools),
            limits=limits_of(skill, self.limits),
        )

    # --- answer

    def _keep(self, recorder: Recorder, run: Run, review: DraftReviewer, answer: Answer) -> Answer:
        """Keep the trace and what the guard stepped in for; what cannot be kept does not cost the answer, but is noted."""
        answer = recorder.finish(answer, run)
        self.note = recorder.note or self.note
        for number, verdict in enumerate(review.stopped, 1):
            last = number == len(review.stopped) and answer.outcome is Outcome.BLOCKED
            try:
                record_event(
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
        return answer


def _chosen(asked: bool | None, opened: bool) -> bool:
    return opened if asked is None else asked


def _read_back(found: SettledMeaning, lang: str) -> str | None:
    """What was understood, with what was assumed for it."""
    assumed = [say("assumed_note", lang, word=one.word, means=one.means) for one in found.assumptions]
    return " ".join([*assumed, found.read_back]) if found.read_back else None
