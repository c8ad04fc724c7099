"""The three roles: what each is told, which tools it has, how it ends its turn, and what it does without a language model."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from veracity.agent.draft import Draft, DraftKind, arguments_of, malformed
from veracity.agent.loop import Agent, Limits, Model, Review, Run, Watch
from veracity.agent.loop import Stop as LoopStop
from veracity.contracts import QueryValidationError, ToolCallLog, clip
from veracity.llm.provider import tool_definitions
from veracity.question import language_of
from veracity.requirements.case import (
    CLARIFIER,
    OPERATOR,
    UNCLEAR,
    VALIDATOR,
    Question,
    RequirementCase,
    Speaker,
    TeamVerdict,
    ToolUse,
    Turn,
    issues,
)
from veracity.requirements.contracts import CRITERIA, DuplicatePair, RuleSettings
from veracity.requirements.evaluate import evaluate
from veracity.requirements.improve import first_wording, rewrite_with_answers
from veracity.requirements.model_tasks import parts_of, prompts
from veracity.requirements.suggestions import suggest_improvements
from veracity.skills.text_agent import NoTools
from veracity.telemetry import Telemetry

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse, ToolCallPart
    from pydantic_ai.models import ModelRequestParameters


_MOST_FREE = 3
"""Questions of the agents' own for one requirement; more would only put off the work."""
_LONGEST_SAID, _SHOWN_TURNS = 600, 12
_MOST_SUGGESTED, _LONGEST_SUGGESTED, _LONGEST_QUESTION = 6, 120, 400
_LETTERS = re.compile(r"[^\W_]+")

Tool = Callable[[Mapping[str, Any]], Awaitable[Any]]
Toolbox = Mapping[str, Tool]
"""The tools of one role on one case, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamAgent(Agent):
    """The agent of a role: the loop as it is, with tools whose results are objects instead of rows."""

    toolbox: Toolbox
    used: list[ToolUse]
    """The calls of this turn, in their order."""
    waits: bool = False
    """Whether a call that succeeded ends the turn: the clarifier waits for the user."""

    async def call_all(
        self, calls: Sequence[ToolCallPart], run: Run, watches: Sequence[Watch]
    ) -> list[ModelRequestPart]:
        """One call after the other, since each may build on the one before."""
        from pydantic_ai.messages import ToolReturnPart

        replies: list[ModelRequestPart] = []
        for part in calls:
            use = await _run_tool(part.tool_name, arguments_of(part), self.toolbox)
            again = any(
                (one.tool, one.arguments, one.result) == (use.tool, use.arguments, use.result) for one in self.used
            )
            if again or not use.ok:
                # Whoever makes the same call over and over is stopped like one who makes wrong ones.
                run.invalid[json.dumps([use.tool, use.arguments], sort_keys=True, default=str)] += 1
            self.used.append(use)
            log = ToolCallLog(round=run.rounds, tool=use.tool, arguments=use.arguments, success=use.ok)
            run.calls.append(log)
            for watch in watches:
                watch.called(log)
            said = json.dumps(
                {"result": use.result, **({"same": True} if again else {})}, ensure_ascii=False, default=str
            )
            replies.append(ToolReturnPart(part.tool_name, said, part.tool_call_id))
            if use.ok and self.waits:
                run.stop = LoopStop.DONE
        return replies


async def speak(
    speaker: Speaker,
    case: RequirementCase,
    tools: Toolbox,
    *,
    model: Model | None,
    model_name: str,
    limits: Limits,
    telemetry: Telemetry,
) -> tuple[Draft | None, tuple[ToolUse, ...]]:
    """One turn of a role, by its policy where there is no model: what it ended with, if anything, and the calls that it made."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart
    from pydantic_ai.models import ModelRequestParameters

    used: list[ToolUse] = []
    agent = TeamAgent(
        model=model or RolePolicy(speaker, case),
        tools=NoTools(),
        parameters=ModelRequestParameters(
            function_tools=tool_definitions(prompts("roles")[speaker]["tools"], strict=False),
            allow_text_output=speaker == OPERATOR,
        ),
        limits=limits,
        telemetry=telemetry,
        model_name=model_name,
        structured=speaker == VALIDATOR,
        toolbox=tools,
        used=used,
        waits=speaker == CLARIFIER,
    )
    run = Run([ModelRequest([UserPromptPart(material(case, speaker))], instructions=_prompt(speaker, case))])
    await agent.run(run, _review_of(speaker, case))
    return (run.draft if run.stop is LoopStop.DONE else None), tuple(used)


def _prompt(speaker: Speaker, case: RequirementCase) -> str:
    """What a role is told, with the language to ask in."""
    language = "GERMAN" if case.asked_in == "de" else "ENGLISH"
    told: str = prompts("roles")[speaker]["prompt"]
    return told.format(language=language, material=prompts("material"))


def material(case: RequirementCase, speaker: Speaker) -> str:
    """What an agent sees of a case, as JSON, which keeps it apart from the instructions."""
    asked = case.open_question()
    known: dict[str, Any] = {
        "requirement": case.requirement.text,
        "criteria": list(case.criteria) if case.criteria else "not chosen by the user",
        "several_requirements": case.several,
        "conversation": [_turn_shown(turn) for turn in case.turns[-_SHOWN_TURNS:]],
    }
    if case.goal:
        known["goal_of_the_user"] = case.goal
    if speaker == OPERATOR and asked is not None:
        known["missing"] = asked.question
    if speaker == CLARIFIER:
        known["unclear"] = case.unclear
        if asked is not None:
            known |= {"question": asked.question, "suggested_answers": list(asked.suggested_answers)}
    if speaker == VALIDATOR:
        known["not_in_the_trace"] = list(issues(case))
    return json.dumps(known, ensure_ascii=False, default=str)


def _turn_shown(turn: Turn) -> dict[str, Any]:
    """A turn as an agent sees it."""
    shown = [
        {"tool": one.tool, "result": clip(json.dumps(one.result, ensure_ascii=False, default=str), _LONGEST_SAID)}
        for one in turn.calls
    ]
    return {"speaker": turn.speaker, "said": clip(turn.text, _LONGEST_SAID), **({"calls": shown} if shown else {})}


# --- what an agent ended with


def unclear_in(draft: Draft) -> str | None:
    """What the operator wants to know, by a call or in a line of its own; None when it is ready."""
    if draft.kind is DraftKind.CLARIFY:
        return draft.text
    lines = (line.strip(" \t*_`#>-") for line in draft.text.splitlines())
    return next((line[len(UNCLEAR) :].lstrip(": ") for line in lines if line.startswith(f"{UNCLEAR}:")), None)


def verdict_of(draft: Draft | None, case: RequirementCase) -> TeamVerdict:
    """The verdict that counts: an approval that the trace does not bear out is none."""
    fields = draft.fields if draft is not None else None
    if fields is None or not isinstance(fields.get("approved"), bool):
        return TeamVerdict(approved=False, issues=("the validator gave no verdict that can be read",))
    missing = issues(case)
    if fields["approved"]:
        # The summary holds scores: it is written from the case, not taken from a model.
        return TeamVerdict(approved=not missing, issues=missing, summary=summary(case))
    return TeamVerdict(
        approved=False,
        issues=tuple(clip(part, 200) for part in parts_of(fields.get("issues"))[:8]) or missing or ("no reason given",),
    )


def _review_of(speaker: Speaker, case: RequirementCase) -> Review:
    """Looks at what an agent wants to end with."""

    async def operator(draft: Draft, run: Run) -> QueryValidationError | None:
        _ = run
        if not draft.text.strip():
            return malformed("answer", "The report is empty: write it.")
        asked, missing = unclear_in(draft), case.open_question()
        if asked is None and missing is not None:
            return malformed("answer", "Something is missing that only the user knows: call clarify.")
        free = sum(turn.text.startswith(UNCLEAR) for turn in case.turns)
        if asked is not None and missing is None and free >= _MOST_FREE + len(case.answers):
            return malformed("clarify", "The user was asked enough: go on with what there is.")
        return None

    async def validator(draft: Draft, run: Run) -> QueryValidationError | None:
        _ = run
        if draft.fields is None or not isinstance(draft.fields.get("approved"), bool):
            return malformed("approved", "approved is true or false.")
        return None

    return validator if speaker == VALIDATOR else operator


# --- the tools of the team, on one case


class _WrongCall(Exception):
    """What is wrong with a call, for the model."""


@dataclass(frozen=True, slots=True)
class OperatorTools:
    """What the operator can do with a requirement."""

    case: RequirementCase
    settings: RuleSettings
    pairs: Callable[[], Awaitable[tuple[DuplicatePair, ...]]]
    """All pairs of the run; worked out once."""
    model: Model | None = None

    @property
    def toolbox(self) -> Toolbox:
        """Its tools by name."""
        return {
            "evaluate_requirement": self._evaluate,
            "suggest_improvements": self._suggest,
            "rewrite_requirement": self._rewrite,
            "detect_duplicates": self._duplicates,
        }

    async def _evaluate(self, arguments: Mapping[str, Any]) -> Any:
        case, text = self.case, self._text_meant(arguments)
        if case.criteria is None:
            raise _WrongCall("The user has not chosen the criteria: ask with clarify.")
        wanted = arguments.get("criteria_keys") or list(case.criteria)
        if not isinstance(wanted, list | tuple) or not set(map(str, wanted)) <= set(CRITERIA):
            raise _WrongCall(f"criteria_keys are some of: {', '.join(CRITERIA)}.")
        if set(map(str, wanted)) != set(case.criteria):
            raise _WrongCall(f"The criteria to check are: {', '.join(case.criteria)}.")
        found = evaluate(text, case.criteria, settings=self.settings, lang=case.lang)
        if text == case.requirement.text:
            case.before = found
        return found.model_dump(mode="json")

    async def _suggest(self, arguments: Mapping[str, Any]) -> Any:
        case = self.case
        found = suggest_improvements(self._text_meant(arguments), settings=self.settings, lang=case.lang)
        case.suggestions = found
        return [one.model_dump(mode="json") for one in found]

    async def _rewrite(self, arguments: Mapping[str, Any]) -> Any:
        case, settings = self.case, self.settings
        self._text_meant(arguments)
        if case.wording is None:
            written = await first_wording(
                case.requirement.text,
                model=self.model,
                answers=case.answers,
                settings=settings,
                lang=case.lang,
            )
            case.draft = (written.text, written.criteria)
        assert case.wording is not None
        made = rewrite_with_answers(
            case.requirement.text,
            case.wording,
            case.answers,
            settings=settings,
            lang=case.lang,
            name=case.requirement.id,
            criteria=case.criteria,
            asked_in=case.asked_in,
        )
        case.rewrite, case.taken_up = made, True
        return made.model_dump(mode="json")

    async def _duplicates(self, arguments: Mapping[str, Any]) -> Any:
        _ = arguments  # what is compared are the requirements of the run, whichever texts a model repeats
        number = self.case.number
        found = tuple(one for one in await self.pairs() if number in (one.req1_idx, one.req2_idx))
        self.case.duplicates = found
        return [one.model_dump(mode="json") for one in found]

    def _text_meant(self, arguments: Mapping[str, Any]) -> str:
        """The text that a call is about: the requirement or its rewrite, and nothing that a model made of them."""
        given = arguments.get("requirement_text") or arguments.get("text") or self.case.requirement.text
        rewritten = self.case.rewrite.corrected_text if self.case.rewrite else None
        for known in (self.case.requirement.text, rewritten):
            if known is not None and isinstance(given, str) and _has_the_same_words(given, known):
                return known
        raise _WrongCall("requirement_text is neither the requirement nor its rewrite: repeat it as it stands.")


def clarifier_tools(case: RequirementCase) -> Toolbox:
    """What the clarifier can do: ask the user one question."""
    return {"ask_user": partial(_ask_user, case)}


async def _ask_user(case: RequirementCase, arguments: Mapping[str, Any]) -> Any:
    if case.question is not None:
        raise _WrongCall("One question at a time.")
    said = arguments.get("question")
    if not isinstance(said, str) or not said.strip():
        raise _WrongCall("ask_user takes {question: text, suggested_answers: texts}.")
    spoken, known = language_of(said), case.open_question()
    own = known is not None and said == known.question
    if not own and spoken in ("de", "en") and spoken != case.asked_in and len(said.split()) >= 3:
        raise _WrongCall(f"Ask in {'German' if case.asked_in == 'de' else 'English'}.")
    suggested = tuple(
        clip(one, _LONGEST_SUGGESTED) for one in parts_of(arguments.get("suggested_answers"))[:_MOST_SUGGESTED]
    )
    case.question = _question_in_words(case, clip(" ".join(said.split()), _LONGEST_QUESTION), suggested)
    return {"waiting": True}


def _question_in_words(case: RequirementCase, said: str, suggested: tuple[str, ...]) -> Question:
    """A question in a model's words; what it is about follows from the case."""
    known = case.open_question()
    if known is None:
        return case.free_question(said, suggested)
    return known.model_copy(update={"question": said, "suggested_answers": known.suggested_answers or suggested})


async def _run_tool(tool: str, arguments: Any, known: Toolbox) -> ToolUse:
    """Run one call; what a model wrote never raises: what is wrong with a call is its result."""
    kept = _as_json_holds(arguments) if isinstance(arguments, dict) else {}
    name = clip(tool, 80)
    try:
        if tool not in known:
            raise _WrongCall(f"There is no tool {name}; use {', '.join(known) or 'answer'}.")
        if not isinstance(arguments, dict):
            raise _WrongCall(f"{name} takes an object of arguments.")
        return ToolUse(tool=name, arguments=kept, result=await known[tool](kept))
    except _WrongCall as problem:
        return ToolUse(tool=name, arguments=kept, ok=False, result={"error": str(problem)})


def _as_json_holds(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments without the half characters and numbers that JSON cannot hold: they are kept in the transcript."""
    text = json.dumps(arguments, default=str, ensure_ascii=False)
    found: dict[str, Any] = json.loads(text.encode("utf-8", "replace"))
    return found


def _has_the_same_words(given: str, known: str) -> bool:
    """Whether two texts have the same letters and digits: models lose quotes and line breaks."""
    return _LETTERS.findall(given.casefold()) == _LETTERS.findall(known.casefold())


# --- the three roles without a language model: deterministic policies that speak through the same loop, tools and checks


_Call = tuple[str, dict[str, Any]]
_SHOWN = 3
"""Requirements that may be the same, of which a report speaks; all of them stand in the case."""


@dataclass(frozen=True, slots=True)
class RolePolicy:
    """A role as a model: what it does next follows from the case alone."""

    speaker: Speaker
    case: RequirementCase

    async def __call__(self, messages: list[ModelMessage], parameters: ModelRequestParameters) -> ModelResponse:
        """The next call."""
        from pydantic_ai.messages import ModelResponse, ToolCallPart

        _ = messages, parameters
        decide: Callable[[RequirementCase], _Call] = {OPERATOR: operate, CLARIFIER: clarify}.get(
            self.speaker, judge_work
        )
        return ModelResponse(parts=[ToolCallPart(*decide(self.case))], model_name="offline")


def operate(case: RequirementCase) -> _Call:
    """Evaluate; below the limit suggest and rewrite; compare with the others; ask for what is missing; then report."""
    text = {"requirement_text": case.requirement.text}
    asked = case.open_question()
    if case.criteria is None and asked is not None:
        return "clarify", {"question": "Which criteria should be checked?"}
    if case.before is None:
        return "evaluate_requirement", {**text, "criteria_keys": list(case.criteria or ())}
    if not case.is_good and case.suggestions is None:
        return "suggest_improvements", text
    if not case.is_good and (case.rewrite is None or not case.taken_up):
        return "rewrite_requirement", text
    if case.several and case.duplicates is None:
        return "detect_duplicates", {}
    if asked is not None:
        return "clarify", {"question": asked.question}
    return "answer", {"text": report(case)}


def report(case: RequirementCase) -> str:
    """What the operator says when it is ready."""
    before, after = case.before, case.rewrite
    assert before is not None
    said = [f"score {before.score:.2f} ({before.verdict})"]
    if after is not None and not case.is_good:
        said.append(f"rewritten: {after.corrected_text} (score {after.score:.2f}, {after.status})")
    if case.duplicates:
        others = [one.req2_idx if one.req1_idx == case.number else one.req1_idx for one in case.duplicates[:_SHOWN]]
        said.append(f"may be the same as requirement {', '.join(str(number + 1) for number in others)}")
    return "; ".join(said)


def clarify(case: RequirementCase) -> _Call:
    """Ask what is missing, with the answers to choose from."""
    asked = case.open_question() or case.free_question(case.unclear)
    return "ask_user", {"question": asked.question, "suggested_answers": list(asked.suggested_answers)}


def judge_work(case: RequirementCase) -> _Call:
    """Approve exactly what the trace bears out."""
    missing = issues(case)
    return "answer", {"approved": not missing, "issues": " | ".join(missing), "summary": summary(case)}


def summary(case: RequirementCase) -> str:
    """What an approval says."""
    before, after = case.before, case.rewrite
    if before is None:
        return "nothing was evaluated"
    if after is None or case.is_good:
        return f"Requirement validated (score: {before.score:.2f})"
    return f"Requirement validated (score: {before.score:.2f}→{after.score:.2f} after rewrite)"
