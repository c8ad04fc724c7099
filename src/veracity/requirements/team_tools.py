"""The tools of the team, on one case. What a model wrote never raises: what is wrong with a call is its result."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from veracity.agent.loop import Limits, Model
from veracity.contracts import clip
from veracity.question import language_of
from veracity.requirements.case import Question, RequirementCase, ToolUse
from veracity.requirements.contracts import CRITERIA, DuplicatePair, RuleSettings
from veracity.requirements.evaluate import evaluate
from veracity.requirements.improve import first_wording, settled
from veracity.requirements.suggestions import suggest_improvements

_MOST_SUGGESTED, _LONGEST_SUGGESTED, _LONGEST_QUESTION = 6, 120, 400
_LETTERS = re.compile(r"[^\W_]+")

Tool = Callable[[Mapping[str, Any]], Awaitable[Any]]


class _Wrong(Exception):
    """What is wrong with a call, for the model."""


@dataclass(frozen=True, slots=True)
class OperatorTools:
    """What the operator can do with a requirement."""

    case: RequirementCase
    settings: RuleSettings
    pairs: Callable[[], Awaitable[tuple[DuplicatePair, ...]]]
    """All pairs of the run; worked out once."""
    model: Model | None = None
    limits: Limits | None = None

    async def use(self, tool: str, arguments: Any) -> ToolUse:
        """Run one call."""
        known: dict[str, Tool] = {
            "evaluate_requirement": self._evaluate,
            "suggest_improvements": self._suggest,
            "rewrite_requirement": self._rewrite,
            "detect_duplicates": self._duplicates,
        }
        return await _used(tool, arguments, known)

    async def _evaluate(self, arguments: Mapping[str, Any]) -> Any:
        case, text = self.case, self._text(arguments)
        if case.criteria is None:
            raise _Wrong("The user has not chosen the criteria: ask with clarify.")
        wanted = arguments.get("criteria_keys") or list(case.criteria)
        if not isinstance(wanted, list | tuple) or not set(map(str, wanted)) <= set(CRITERIA):
            raise _Wrong(f"criteria_keys are some of: {', '.join(CRITERIA)}.")
        if set(map(str, wanted)) != set(case.criteria):
            raise _Wrong(f"The criteria to check are: {', '.join(case.criteria)}.")
        found = evaluate(text, case.criteria, settings=self.settings, lang=case.lang)
        if text == case.requirement.text:
            case.before = found
        return found.model_dump(mode="json")

    async def _suggest(self, arguments: Mapping[str, Any]) -> Any:
        case = self.case
        found = suggest_improvements(self._text(arguments), settings=self.settings, lang=case.lang)
        case.suggestions = found
        return [one.model_dump(mode="json") for one in found]

    async def _rewrite(self, arguments: Mapping[str, Any]) -> Any:
        case, settings = self.case, self.settings
        self._text(arguments)
        if case.wording is None:
            written = await first_wording(
                case.requirement.text,
                model=self.model,
                answers=case.answers,
                settings=settings,
                lang=case.lang,
                limits=self.limits,
            )
            case.draft = (written.text, written.criteria)
        assert case.wording is not None
        made = settled(
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

    def _text(self, arguments: Mapping[str, Any]) -> str:
        """The text that a call is about: the requirement or its rewrite, and nothing that a model made of them."""
        given = arguments.get("requirement_text") or arguments.get("text") or self.case.requirement.text
        rewritten = self.case.rewrite.corrected_text if self.case.rewrite else None
        for known in (self.case.requirement.text, rewritten):
            if known is not None and isinstance(given, str) and _same(given, known):
                return known
        raise _Wrong("requirement_text is neither the requirement nor its rewrite: repeat it as it stands.")


@dataclass(slots=True)
class ClarifierTools:
    """What the clarifier can do: ask the user one question."""

    case: RequirementCase

    async def use(self, tool: str, arguments: Any) -> ToolUse:
        """Run one call."""
        return await _used(tool, arguments, {"ask_user": self._ask_user})

    async def _ask_user(self, arguments: Mapping[str, Any]) -> Any:
        case = self.case
        if case.question is not None:
            raise _Wrong("One question at a time.")
        said, given = arguments.get("question"), arguments.get("suggested_answers") or ()
        if not isinstance(said, str) or not said.strip():
            raise _Wrong("ask_user takes {question: text, suggested_answers: texts}.")
        listed = given.split("|") if isinstance(given, str) else given if isinstance(given, list | tuple) else ()
        suggested = tuple(
            clip(one.strip(), _LONGEST_SUGGESTED) for one in listed if isinstance(one, str) and one.strip()
        )
        spoken, known = language_of(said), case.open_question()
        own = known is not None and said == known.question
        if not own and spoken in ("de", "en") and spoken != case.asked_in and len(said.split()) >= 3:
            raise _Wrong(f"Ask in {'German' if case.asked_in == 'de' else 'English'}.")
        case.question = _put(case, clip(" ".join(said.split()), _LONGEST_QUESTION), suggested[:_MOST_SUGGESTED])
        return {"waiting": True}


def _put(case: RequirementCase, said: str, suggested: tuple[str, ...]) -> Question:
    """A question in a model's words; what it is about follows from the case."""
    known = case.open_question()
    if known is None:
        return case.free_question(said, suggested)
    return known.model_copy(update={"question": said, "suggested_answers": known.suggested_answers or suggested})


class NoTeamTools:
    """The validator has no tools."""

    async def use(self, tool: str, arguments: Any) -> ToolUse:
        """There is nothing to call."""
        return await _used(tool, arguments, {})


async def _used(tool: str, arguments: Any, known: Mapping[str, Tool]) -> ToolUse:
    kept = _plain(arguments) if isinstance(arguments, dict) else {}
    name = clip(tool, 80)
    try:
        if tool not in known:
            raise _Wrong(f"There is no tool {name}; use {', '.join(known) or 'answer'}.")
        if not isinstance(arguments, dict):
            raise _Wrong(f"{name} takes an object of arguments.")
        return ToolUse(tool=name, arguments=kept, result=await known[tool](kept))
    except _Wrong as problem:
        return ToolUse(tool=name, arguments=kept, ok=False, result={"error": str(problem)})


def _plain(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments without the half characters and numbers that JSON cannot hold: they are kept in the transcript."""
    text = json.dumps(arguments, default=str, ensure_ascii=False)
    found: dict[str, Any] = json.loads(text.encode("utf-8", "replace"))
    return found


def _same(given: str, known: str) -> bool:
    """Whether two texts have the same letters and digits: models lose quotes and line breaks."""
    return _LETTERS.findall(given.casefold()) == _LETTERS.findall(known.casefold())
