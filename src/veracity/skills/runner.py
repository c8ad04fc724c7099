"""How a skill works: direct, react, reflexion, rewoo, goal_driven. All on the one loop, with its tools and limits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from veracity.agent.draft import ENDS, Draft, DraftKind, arguments_of, object_in
from veracity.agent.loop import Agent, Limits, Review, Run, Stop, Strategy, Watch
from veracity.answer.answer import Answer, Outcome
from veracity.contracts import QueryValidationError
from veracity.language.locale import language
from veracity.language.texts import say
from veracity.llm.provider import RemoteModel, tool_definitions
from veracity.ontology.schema import Schema
from veracity.quality import QualityGate, QualityResult, SkillContext
from veracity.skills.config import Skill

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelRequestPart, ToolCallPart
    from pydantic_ai.models import ModelRequestParameters


_MOST_CALLS = 8
_TURNS_PER_GOAL = 3
_MOST_PROBLEMS = 4


def strategy_of(skill: Skill) -> Strategy:
    """The strategy of a skill, within its limits."""
    if skill.strategy == "reflexion":
        return partial(reflexion, revisions=skill.limits.revisions)
    if skill.strategy == "goal_driven":
        return partial(goal_driven, goals=skill.limits.goals)
    return rewoo if skill.strategy == "rewoo" else Agent.go_on


async def reflexion(agent: Agent, run: Run, review: Review, watches: Sequence[Watch], *, revisions: int = 1) -> None:
    """Draft, critique, revise; a revision that is not released leaves the draft before it."""
    await agent.go_on(run, review, watches)
    for _revision in range(revisions):
        draft = run.draft
        if run.stop is not Stop.DONE or draft is None or draft.kind is not DraftKind.ANSWER:
            return
        found = await fill_in(agent, run, _CRITIQUE_TEXT, _CRITIQUE)
        problems = _entries_of(found, "problems")[:_MOST_PROBLEMS]
        if not problems:
            return
        tell(run, "Write it anew without these problems, complete: " + "; ".join(problems))
        run.only_tools = ENDS if run.results else frozenset()
        await try_again(agent, run, review, watches)


async def try_again(agent: Agent, run: Run, review: Review, watches: Sequence[Watch]) -> None:
    """Another draft instead of one that was released; where none is released, that one stays."""
    before = run.draft
    assert before is not None
    run.stop = None
    await agent.go_on(run, review, watches)
    if run.stop is not Stop.DONE or run.draft is None or run.draft.kind is not DraftKind.ANSWER:
        # Reviewed once more, so that what is kept of a review is that of the draft that goes out.
        released = await review(before, run) is None
        run.draft, run.stop = before, Stop.DONE if released else Stop.REFUSED


async def rewoo(agent: Agent, run: Run, review: Review, watches: Sequence[Watch]) -> None:
    """Plan all calls, run them side by side, then answer."""
    from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, UserPromptPart

    if not agent.tools.names:
        await agent.go_on(run, review, watches)
        return
    planned = await fill_in(agent, run, _PLAN_TEXT, _plan(agent))
    calls = [ToolCallPart(tool, args) for tool, args in _planned(planned, agent.tools.names)][:_MOST_CALLS]
    if calls:
        # The plan becomes the turn that it stands for: its calls, and what came back.
        run.messages[-1] = ModelResponse(parts=calls, model_name=agent.model_name)
        replies = await agent.call_all(calls, run, watches)
        run.messages.append(ModelRequest(parts=[*replies, UserPromptPart("All planned calls are made. Answer now.")]))
        run.only_tools = ENDS if run.results else frozenset()
        for watch in watches:
            watch.round_done(run)
    await agent.go_on(run, review, watches)


async def goal_driven(agent: Agent, run: Run, review: Review, watches: Sequence[Watch], *, goals: int = 4) -> None:
    """Decompose, work the parts off, check whether something is missing, then answer."""
    parts = _entries_of(await fill_in(agent, run, _GOALS_TEXT.format(most=goals), _GOALS), "goals")[:goals]
    for part in parts:
        tell(run, f"Now only this part: {part}\n{_WORK_TEXT if agent.tools.names else _THINK_TEXT}")
        await _work_off(agent, run, watches)
    if parts and run.stop is None:
        missing = _entries_of(await fill_in(agent, run, _CHECK_TEXT, _CHECK), "missing")
        if missing and agent.tools.names:
            tell(run, f"Still missing: {'; '.join(missing)}\n{_WORK_TEXT}")
            await _work_off(agent, run, watches)
        tell(run, "Now answer the whole request.")
        run.only_tools = ENDS if run.results else frozenset()
    await agent.go_on(run, review, watches)


async def _work_off(agent: Agent, run: Run, watches: Sequence[Watch]) -> None:
    """A few turns with the tools, until the model has what it needs."""
    from pydantic_ai.messages import ModelRequest

    offered = _offering(agent, [_DONE] if agent.tools.names else [], with_tools=True)
    for _turn in range(_TURNS_PER_GOAL):
        response = await agent.turn(run, offered)
        if response is None:
            return
        calls = [part for part in response.tool_calls if part.tool_name in agent.tools.names]
        if not calls:
            return
        replies = await agent.call_all(calls, run, watches)
        run.messages.append(ModelRequest(parts=replies))
        for watch in watches:
            watch.round_done(run)
        if len(calls) < len(response.tool_calls):
            return  # it was done with these calls


# --- forms: turns in which a model can do one thing only


async def fill_in(agent: Agent, run: Run, text: str, form: Schema) -> Mapping[str, Any]:
    """What a model puts into a form; nothing where it does not, or where the limits are used up."""
    tell(run, text)
    stopped = run.stop
    response = await agent.turn(run, _offering(agent, [form]))
    if response is None:
        run.stop = stopped or run.stop  # a draft that was released stays so
        return {}
    sent = next((part for part in response.tool_calls if part.tool_name == form["name"]), None)
    found = arguments_of(sent) if sent is not None else object_in(response.text or "")
    return found if isinstance(found, dict) else {}


def tell(run: Run, text: str) -> None:
    """Say something to the model; calls that nobody answered are closed first, as endpoints demand it."""
    from pydantic_ai.messages import ModelRequest, ToolReturnPart, UserPromptPart

    closed: list[ModelRequestPart] = [
        ToolReturnPart(part.tool_name, "noted", part.tool_call_id) for part in _open_calls(run)
    ]
    run.messages.append(ModelRequest(parts=[*closed, UserPromptPart(text)]))


def _open_calls(run: Run) -> list[ToolCallPart]:
    from pydantic_ai.messages import ModelResponse, ToolReturnPart

    last = max((n for n, message in enumerate(run.messages) if isinstance(message, ModelResponse)), default=None)
    if last is None:
        return []
    response = run.messages[last]
    assert isinstance(response, ModelResponse)
    returned = {
        part.tool_call_id
        for message in run.messages[last + 1 :]
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    }
    return [part for part in response.tool_calls if part.tool_call_id not in returned]


def _offering(agent: Agent, forms: Sequence[Schema], *, with_tools: bool = False) -> ModelRequestParameters:
    known = agent.parameters.function_tools
    strict = all(tool.strict for tool in known)
    tools = [tool for tool in known if tool.name in agent.tools.names] if with_tools else []
    offered = [*tools, *tool_definitions(forms, strict=strict)]
    return replace(agent.parameters, function_tools=offered, allow_text_output=not offered)


def _entries_of(found: Mapping[str, Any], name: str) -> list[str]:
    """The entries of a list that was written in one line."""
    value = found.get(name)
    entries = value.split("|") if isinstance(value, str) else value if isinstance(value, list) else []
    return [text for entry in entries if (text := str(entry).strip(" .\n")) and text.casefold() not in _NOTHING]


_NOTHING = frozenset({"none", "nothing", "keine", "nichts", "无", "没有", "n/a", "-"})


def _planned(found: Mapping[str, Any], names: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """The calls of a plan that can be made; what is no call is left out."""
    calls = found.get("calls")
    return [
        (str(call["tool"]), call["arguments"])
        for call in (calls if isinstance(calls, list) else ())
        if isinstance(call, dict) and call.get("tool") in names and isinstance(call.get("arguments"), dict)
    ]


def _plan(agent: Agent) -> Schema:
    """The form of a plan: a list of calls, each with the arguments of its tool."""
    defs: dict[str, Any] = {}
    branches = []
    for tool in agent.parameters.function_tools:
        if tool.name in agent.tools.names:
            own = dict(tool.parameters_json_schema)
            defs |= {f"{tool.name}_{name}": schema for name, schema in own.pop("$defs", {}).items()}
            arguments = json.loads(json.dumps(own).replace('"#/$defs/', f'"#/$defs/{tool.name}_'))
            branches.append(_form({"tool": {"type": "string", "enum": [tool.name]}, "arguments": arguments}))
    parameters = _form({"calls": {"type": "array", "items": {"anyOf": branches}}})
    return {"name": "plan", "description": "All calls at once.", "parameters": {**parameters, "$defs": defs}}


def _form(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _line(most: int, what: str) -> Schema:
    """A list in one line: small models that are held to a grammar never end an open one."""
    pattern = rf'^[^|"\\\n]{{0,160}}(\|[^|"\\\n]{{1,160}}){{0,{most - 1}}}$'
    return {"type": "string", "pattern": pattern, "description": f"{what}, separated by |"}


_CRITIQUE_TEXT = (
    "Look at your draft as a strict reader: what is wrong, missing, unclear or not backed by the input? "
    "Call critique with the problems, or with an empty text if there are none."
)
_CRITIQUE: Schema = {
    "name": "critique",
    "description": "What is wrong with the draft.",
    "parameters": _form({"problems": _line(_MOST_PROBLEMS, "Up to four problems; empty when there are none")}),
}
_PLAN_TEXT = "Call plan with every call that you need to answer; they run side by side, so none can use another's rows."
_GOALS_TEXT = "Call goals: take the request apart into the parts that have to be found out, {most} at most."
_GOALS: Schema = {
    "name": "goals",
    "description": "The parts of the request.",
    "parameters": _form({"goals": _line(8, "The parts, in the order in which they are worked off")}),
}
_WORK_TEXT = "Call the tools that it needs, then call done."
_THINK_TEXT = "Write down in a few sentences what the input says about it."
_DONE: Schema = {
    "name": "done",
    "description": "The rows for this part are there, or cannot be had.",
    "parameters": _form({"part": {"type": "string", "pattern": r'^[^"\\\n]{0,80}$'}}),
}
_CHECK_TEXT = "Is everything there that the request asks for? Call check with what is missing, or with an empty text."
_CHECK: Schema = {
    "name": "check",
    "description": "What is still missing.",
    "parameters": _form({"missing": _line(3, "What is missing; empty when nothing is")}),
}


# --- the one place where skills end: a strategy, then the quality gate, with one repair, whatever the strategy was


_SHOWN_FINDINGS = 3


class Reviewing(Protocol):
    """A review that keeps what it released."""

    @property
    def output(self) -> str | Mapping[str, Any] | None:
        """What was released last: a text, or the fields of a structured output."""

    async def __call__(self, draft: Draft, run: Run) -> QueryValidationError | None:
        """None releases the draft."""


@dataclass(slots=True)
class SkillRun:
    """One run of a skill; `quality` is what the gate says of its output, None while there is none."""

    skill: Skill
    context: SkillContext
    review: Reviewing
    quality: QualityResult | None = None

    async def __call__(self, agent: Agent, run: Run, review: object, watches: Sequence[Watch]) -> None:
        """A strategy for `Agent.run`: the skill's own, and the gate behind it."""
        _ = review
        await strategy_of(self.skill)(agent, run, self.review, watches)
        await self._judge()
        if self.quality is None or self.quality.passed or run.stop is not Stop.DONE:
            return
        tell(run, "The output does not pass. " + " ".join(one.message for one in self.quality.findings) + _WRITE_ANEW)
        run.only_tools = ENDS if run.results else frozenset()
        allowed = agent.limits.repairs + len(run.refusals)
        again = replace(agent, limits=agent.limits.model_copy(update={"repairs": allowed}))
        await try_again(again, run, self.review, watches)
        await self._judge(repaired=True)

    async def _judge(self, *, repaired: bool = False) -> None:
        if (output := self.review.output) is not None:
            found = await QualityGate(self.skill.quality).validate(output, self.context)
            self.quality = found.model_copy(update={"repaired": repaired})


_WRITE_ANEW = " Write it anew, complete, without this."


def in_language(skill: Skill, lang: str | None) -> Skill:
    """The skill, held to a language that was asked for instead of the input's."""
    if lang is None or skill.quality.language != "input":
        return skill
    rules = skill.quality.model_copy(update={"language": language(lang)})
    return skill.model_copy(update={"quality": rules})


def limits_of(skill: Skill, limits: Limits) -> Limits:
    """The caller's limits, but for those that the skill sets itself."""
    own = {name: getattr(skill.limits, name) for name in skill.limits.model_fields_set & set(Limits.model_fields)}
    return limits.model_copy(update=own)


def model_of(skill: Skill, model: Any) -> Any:
    """The model as the skill wants it called: with its own timeout and length, where it sets them."""
    if isinstance(model, RemoteModel):
        return model.limited(timeout=skill.limits.timeout, max_tokens=skill.limits.max_tokens)
    return model


def with_quality(answer: Answer, skill: Skill, quality: QualityResult | None, lang: str) -> Answer:
    """The answer with what the gate says of it; in strict mode, an output that failed is not given out."""
    marked = answer.model_copy(update={"skill": skill.name, "quality": quality})
    failed = quality is not None and not quality.passed
    if not failed or skill.quality.mode != "strict" or answer.outcome is not Outcome.ANSWERED:
        return marked
    assert quality is not None
    reasons = " ".join(one.message for one in quality.findings[:_SHOWN_FINDINGS])
    held = {"outcome": Outcome.BLOCKED, "text": say("gate_failed", lang, reasons=reasons)}
    return marked.model_copy(update={**held, "fields": None, "provenance": (), "receipt": (), "sources": ()})
