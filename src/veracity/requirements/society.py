"""The team of three, with one transcript for each requirement and a reason for every stop.

    RequirementsOperator       evaluates, suggests, rewrites, compares          -> ready, or something is missing
    UserClarificationAgent     only when something is missing: asks the user    -> the operator goes on
    QAValidator                only when the operator is ready                  -> approved, or the operator goes on

`Society.validate` runs several requirements side by side. Whoever is waited for holds up only that requirement; a case that
stopped with `needs_user` is data, and `Society.go_on` continues it whenever the answer is there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from veracity.agent.draft import Draft
from veracity.agent.loop import Limits, Model
from veracity.contracts import clip
from veracity.errors import VeracityError, told_to_others
from veracity.requirements.case import (
    CLARIFIER,
    OPERATOR,
    READY,
    UNCLEAR,
    VALIDATOR,
    Question,
    RequirementCase,
    Speaker,
    Stop,
    TeamVerdict,
    ToolUse,
    Turn,
)
from veracity.requirements.contracts import (
    CRITERIA,
    Criterion,
    DuplicatePair,
    Lang,
    Place,
    Record,
    Requirement,
    RuleSettings,
)
from veracity.requirements.evaluate import DEFAULT_SETTINGS, judge
from veracity.requirements.roles import OperatorTools, Toolbox, clarifier_tools, speak, unclear_in, verdict_of
from veracity.telemetry import Telemetry

MAX_TURNS = 20
_LONGEST_GOAL = 600
_WORST_FIRST: tuple[Stop, ...] = ("failed", "max_turns", "needs_user", "approved")

Ask = Callable[[Question], Awaitable[str | None]]
"""Puts a question to the user; None when nobody answers now."""


class Watcher(Protocol):
    """Someone who looks on: a live line, a page, a store."""

    def turn_done(self, case: RequirementCase, turn: Turn) -> None:
        """Somebody spoke."""

    def case_done(self, case: RequirementCase) -> None:
        """A requirement is finished, or waits for the user."""


class SocietyRun(Record):
    """What the team came to."""

    stop: Stop
    """The worst of its requirements' stops: `approved` only when all are."""
    transcript: tuple[Turn, ...]
    verdict: TeamVerdict
    results: tuple[RequirementCase, ...]

    @property
    def questions(self) -> tuple[Question, ...]:
        """What the user has not answered."""
        return tuple(case.question for case in self.results if case.question is not None)

    @classmethod
    def of(cls, cases: Sequence[RequirementCase]) -> SocietyRun:
        """The run of these cases."""
        if not cases:
            nothing = TeamVerdict(approved=False, issues=("there are no requirements to validate",))
            return cls(stop="failed", transcript=(), verdict=nothing, results=())
        stops = {case.stop for case in cases}
        stop = next((one for one in _WORST_FIRST if one in stops), "failed")
        issues = tuple(f"{case.requirement.id}: {case.why}" for case in cases if case.stop != "approved")
        approved = sum(case.stop == "approved" for case in cases)
        verdict = TeamVerdict(
            approved=not issues, issues=issues, summary=f"{approved} of {len(cases)} requirements approved"
        )
        turns = tuple(turn for case in cases for turn in case.turns)
        return cls(stop=stop, transcript=turns, verdict=verdict, results=tuple(cases))


@dataclass(slots=True)
class Society:
    """Three agents that check, improve and ask."""

    model: Model | None = None
    """None: deterministic policies speak."""
    model_name: str = "offline"
    settings: RuleSettings = DEFAULT_SETTINGS
    ask: Ask | None = None
    """None: whatever needs the user stops with `needs_user`."""
    find_duplicates: Callable[[Sequence[str]], Sequence[DuplicatePair]] | None = None
    """None: `duplicates.detect_duplicates`."""
    max_turns: int = MAX_TURNS
    concurrency: int = 8
    limits: Limits = field(default_factory=lambda: Limits(rounds=10))
    """Of one turn of one agent; waiting for the user is not part of it."""
    telemetry: Telemetry = field(default_factory=Telemetry.off)
    watcher: Watcher | None = None

    async def validate(
        self,
        requirements: Sequence[Requirement | str],
        *,
        criteria: Sequence[Criterion] | None = CRITERIA,
        lang: Lang | None = None,
        goal: str = "",
    ) -> SocietyRun:
        """Check and improve requirements. `criteria=None`: the user is asked for them. `lang` is the user's language."""
        return await self.go_on(self.cases(requirements, criteria=criteria, lang=lang, goal=goal))

    def cases(
        self,
        requirements: Sequence[Requirement | str],
        *,
        criteria: Sequence[Criterion] | None = CRITERIA,
        lang: Lang | None = None,
        goal: str = "",
    ) -> tuple[RequirementCase, ...]:
        """The requirements before anybody has spoken."""
        known = [
            judge(_requirement(one, number), self.settings).requirement for number, one in enumerate(requirements, 1)
        ]
        return tuple(
            RequirementCase(
                number=number,
                requirement=one,
                lang=one.lang or "en",
                asked_in=lang or one.lang or "en",
                criteria=tuple(criteria) if criteria is not None else None,
                goal=clip(" ".join(goal.split()), _LONGEST_GOAL),
                several=len(known) > 1,
            )
            for number, one in enumerate(known)
        )

    async def go_on(self, cases: Sequence[RequirementCase]) -> SocietyRun:
        """Work on every case that is not finished and waits for nobody; all of a run's cases belong together."""
        work = _Work(self, [case.requirement.text for case in cases])
        gate = asyncio.Semaphore(max(1, self.concurrency))

        async def one(case: RequirementCase) -> None:
            async with gate:
                await work.run(case)

        await asyncio.gather(*(one(case) for case in cases if case.stop is None))
        # Whoever is asked finds all else done, and one requirement after the other.
        for case in cases:
            while case.question is not None and await work.answered(case):
                await one(case)
        return SocietyRun.of(cases)


def _requirement(given: Requirement | str, number: int) -> Requirement:
    if isinstance(given, Requirement):
        return given
    return Requirement(id=f"REQ_{number}", text=given.strip(), place=Place(path="", line=number))


@dataclass(slots=True)
class _Work:
    """One run of the team."""

    society: Society
    texts: list[str]
    _pairs: asyncio.Task[tuple[DuplicatePair, ...]] | None = None

    async def run(self, case: RequirementCase) -> None:
        """Turn by turn until the case stops, for whichever reason."""
        if not case.requirement.text.strip():
            case.stop, case.why = "failed", "the requirement has no text"
        try:
            while case.stop is None:
                if case.agent_turns >= self.society.max_turns:
                    case.stop, case.why = (
                        "max_turns",
                        f"not approved after {self.society.max_turns} turns{_last_issues(case)}",
                    )
                else:
                    await self._turn(case)
        except VeracityError as error:
            case.stop, case.why = "failed", clip(told_to_others(error), 500)
        if self.society.watcher is not None:
            self.society.watcher.case_done(case)

    async def answered(self, case: RequirementCase) -> bool:
        """Put the open question of a case to the user, one at a time; whether there was an answer."""
        if self.society.ask is None or case.question is None:
            return False
        answer = await self.society.ask(case.question)
        if answer is None or not answer.strip():
            return False
        for turn in case.take(answer):
            self._tell(case, turn)
        return True

    async def _turn(self, case: RequirementCase) -> None:
        """Whoever is next speaks."""
        turn = {OPERATOR: self._operate, CLARIFIER: self._clarify, VALIDATOR: self._validate}[case.speaker]
        await turn(case)
        self._tell(case, case.turns[-1])

    def _tell(self, case: RequirementCase, turn: Turn) -> None:
        if self.society.watcher is not None:
            self.society.watcher.turn_done(case, turn)

    async def _operate(self, case: RequirementCase) -> None:
        tools = OperatorTools(case, self.society.settings, self.pairs, self.society.model)
        draft, calls = await self._spoken(OPERATOR, case, tools.toolbox)
        if draft is None:
            # It went round in circles or said nothing that can be read; it gets the next turn, too, up to the limit.
            case.say(OPERATOR, "(no signal)", calls)
            return
        missing = unclear_in(draft)
        if missing is None:
            case.speaker = VALIDATOR
            case.say(OPERATOR, f"{draft.text}\n{READY}", calls)
        else:
            case.speaker, case.unclear = CLARIFIER, missing
            case.say(OPERATOR, f"{UNCLEAR}: {missing}", calls)

    async def _clarify(self, case: RequirementCase) -> None:
        _draft, calls = await self._spoken(CLARIFIER, case, clarifier_tools(case))
        if case.question is None:
            # The model did not ask: the question is put as it is known, since nothing may be assumed.
            case.question = case.open_question() or case.free_question(clip(case.unclear, 400))
        offered = f" ({' | '.join(case.question.suggested_answers)})" if case.question.suggested_answers else ""
        case.say(CLARIFIER, f"{case.question.question}{offered}", calls)
        case.stop, case.why = "needs_user", case.question.question

    async def _validate(self, case: RequirementCase) -> None:
        draft, calls = await self._spoken(VALIDATOR, case, {})
        case.verdict = verdict_of(draft, case)
        case.speaker = OPERATOR
        case.say(VALIDATOR, case.verdict.said, calls)
        if case.verdict.approved:
            case.stop, case.why = "approved", case.verdict.summary

    async def _spoken(
        self, speaker: Speaker, case: RequirementCase, tools: Toolbox
    ) -> tuple[Draft | None, tuple[ToolUse, ...]]:
        team = self.society
        return await speak(
            speaker,
            case,
            tools,
            model=team.model,
            model_name=team.model_name,
            limits=team.limits,
            telemetry=team.telemetry,
        )

    async def pairs(self) -> tuple[DuplicatePair, ...]:
        """All pairs of the run that may say the same; worked out once, beside the talk."""
        if self._pairs is None:
            self._pairs = asyncio.create_task(asyncio.to_thread(self._find_pairs))
        return await asyncio.shield(self._pairs)

    def _find_pairs(self) -> tuple[DuplicatePair, ...]:
        if self.society.find_duplicates is not None:
            return tuple(self.society.find_duplicates(self.texts))
        from veracity.requirements.duplicates import detect_duplicates

        return tuple(detect_duplicates(self.texts))


def _last_issues(case: RequirementCase) -> str:
    """What the validator missed last."""
    return f": {'; '.join(case.verdict.issues)}" if case.verdict is not None and case.verdict.issues else ""
