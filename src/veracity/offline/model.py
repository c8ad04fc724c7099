"""The offline model: canonical patterns instead of a language model. No key, no download, no token.

It is a model like any other: it reads messages and answers with tool calls, through the same loop and the same checks.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from datetime import date, datetime
from typing import Any, Protocol

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from veracity.answer.coverage import Stored
from veracity.language.locale import pick
from veracity.language.numbers import locale_of
from veracity.language.texts import say
from veracity.offline.pattern_planner import Plan
from veracity.offline.patterns import Filled, template
from veracity.ontology.descriptor import Slot, SlotKind, ToolCall
from veracity.query.catalog import Catalog
from veracity.question import Lexicon, QuestionReading, read

MODEL_NAME = "offline"
_YEARS_OFFERED = 3
_NOTHING_TO_SAY = {"critique": "problems", "check": "missing"}
_PLANS_KEPT = 256
_FORMS = frozenset({*_NOTHING_TO_SAY, "goals", "plan", "done"})
"""What the strategies of skills ask for, beside the tools."""
_LANGUAGES = {"de": "German", "en": "English", "zh": "Chinese"}


class Plans(Protocol):
    """Finds the calls that answer a question: from an ontology's patterns, or from bare names."""

    @property
    def locale(self) -> str | None:
        """How figures are written for readers of German."""

    def plan(self, reading: QuestionReading, lexicon: Lexicon, stored: Stored, today: date) -> Plan:
        """The calls, or why there are none."""


class OfflineModel(Model):
    """Question -> plan -> calls -> the plan's answer; below its confidence it says so."""

    def __init__(
        self,
        planner: Plans,
        catalog: Catalog,
        known_words: Callable[[], Awaitable[tuple[Lexicon, Stored]]],
        clock: Callable[[], datetime],
        *,
        opening: Sequence[ToolCall] = (),
        speak: Callable[[ToolCall], ToolCall] = lambda call: call,
    ) -> None:
        super().__init__()
        self._planner, self._catalog, self._known_words, self._clock = planner, catalog, known_words, clock
        self._opening, self._speak = opening, speak
        self._kept: OrderedDict[tuple[str, str | None], tuple[Lexicon, date, QuestionReading, Plan]] = OrderedDict()

    @property
    def model_name(self) -> str:
        """`offline`."""
        return MODEL_NAME

    @property
    def system(self) -> str:
        """Who provides it."""
        return "veracity"

    async def __call__(self, messages: list[ModelMessage], parameters: ModelRequestParameters) -> ModelResponse:
        """One turn, for the loop: there is no endpoint here that could fail for a while, and nothing to repeat."""
        return await self.request(messages, None, parameters)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """One turn, from the messages alone; it has no settings."""
        _ = model_settings
        question, lang, returns = _read_messages(messages)
        offered = {tool.name for tool in model_request_parameters.function_tools}
        lexicon, stored = await self._known_words()
        today = self._clock().date()
        reading, plan = self._planned(question, lang, lexicon, stored, today)
        if form := next((name for name in (*_NOTHING_TO_SAY, "goals", "plan") if offered == {name}), None):
            return self._fill_in(form, plan, question)
        if "done" in offered and (returns or plan.chosen is None or plan.chosen.missing):
            return _end("done", {"part": ""})
        if plan.chosen is None or plan.chosen.missing:
            return self._decline(plan, reading.lang, today)
        first = {call.tool for call in self._opening}
        opened = [json.loads(content) for tool, content in returns if tool in first]
        results = [json.loads(content) for tool, content in returns if tool not in first]
        if self._opening and not opened:
            return _response(self._opening)
        if not results and all(result.get("success") is not False for result in opened):
            return _response([self._speak(call) for call in plan.chosen.calls])
        return self._answer(plan.chosen, results or opened, reading.lang)

    def _planned(
        self, question: str, lang: str | None, lexicon: Lexicon, stored: Stored, today: date
    ) -> tuple[QuestionReading, Plan]:
        """The question as read, and its plan; kept for the turns that follow, as long as nothing it rests on has changed."""
        kept = self._kept.get((question, lang))
        # A lexicon is made anew when stored values change: with the same one, they are the same.
        if kept is not None and kept[0] is lexicon and kept[1] == today:
            return kept[2:]
        reading = read(question, lexicon, today=today, lang=lang)
        plan = self._planner.plan(reading, lexicon, stored, today)
        self._kept[question, lang] = (lexicon, today, reading, plan)
        while len(self._kept) > _PLANS_KEPT:
            self._kept.popitem(last=False)
        return reading, plan

    def _fill_in(self, form: str, plan: Plan, question: str) -> ModelResponse:
        """The forms of a strategy: a pattern is one goal, its calls are the plan, and there is nothing to improve on it."""
        if form in _NOTHING_TO_SAY:
            return _end(form, {_NOTHING_TO_SAY[form]: ""})
        if form == "goals":
            return _end(form, {"goals": question.replace("|", " ")})
        known = plan.chosen is not None and not plan.chosen.missing
        calls = [*self._opening, *map(self._speak, plan.chosen.calls)] if known and plan.chosen else []
        return _end(form, {"calls": [{"tool": call.tool, "arguments": call.args} for call in calls]})

    def _answer(self, filled: Filled, results: list[dict[str, Any]], lang: str) -> ModelResponse:
        refused = next((result for result in results if result.get("success") is False), None)
        if refused is not None:
            details = refused.get("errorDetails") or {}
            reason = str(details.get("hint") or refused.get("error"))
            return _end("abstain", {"reason": say("refused_call", lang, reason=reason)})
        if len(results) > len(filled.calls) or not results[0].get("rowCount"):
            return _end("abstain", {"reason": say("no_rows", lang, what=pick(filled.pattern.description, lang))})
        locale = locale_of(lang, self._planner.locale or "de-DE")
        return _end("answer", {"text": template(filled, lang, locale, [result["resultId"] for result in results])})

    def _decline(self, plan: Plan, lang: str, today: date) -> ModelResponse:
        if plan.open_question is not None:
            question, options = plan.open_question
            return _end("clarify", {"question": question, "options": list(options)})
        if plan.chosen is not None:
            return self._clarify(plan.chosen.missing, lang, today)
        near = ", ".join(pick(pattern.description, lang) or pattern.intent for pattern in plan.nearest)
        parts = [say("no_pattern", lang)]
        # A number that was not understood is not repeated: nothing proves it.
        if unread := [word for word in plan.unread if not any(ch.isdigit() for ch in word)]:
            parts.append(say("left_open", lang, words=", ".join(unread)))
        if near:
            parts.append(say("nearest", lang, patterns=near))
        if plan.tables:
            parts.append(say("tables", lang, tables=", ".join(plan.tables)))
        return _end("abstain", {"reason": " ".join([*parts, say("set_model", lang)])})

    def _clarify(self, missing: tuple[Slot, ...], lang: str, today: date) -> ModelResponse:
        slot = next((s for s in missing if s.kind not in (SlotKind.YEAR, SlotKind.MONTH, SlotKind.DATE)), None)
        if slot is None:
            years = [str(today.year - back) for back in range(1, _YEARS_OFFERED + 1)]
            return _end("clarify", {"question": say("which_period", lang), "options": years})
        entity, _, name = (slot.field or "").rpartition(".")
        facts = self._catalog.entities[entity].fields.get(name) if entity in self._catalog.entities else None
        label = pick(facts.declared.label, lang) if facts and facts.declared else slot.name
        return _end("clarify", {"question": say("which_value", lang, what=label), "options": []})


def _response(calls: Sequence[ToolCall]) -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart(call.tool, call.args) for call in calls], model_name=MODEL_NAME)


def _end(tool: str, arguments: dict[str, Any]) -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart(tool, arguments)], model_name=MODEL_NAME)


def _read_messages(messages: list[ModelMessage]) -> tuple[str, str, list[tuple[str, str]]]:
    """The question, its language, and what each tool returned since it was asked."""
    requests = [message for message in messages if isinstance(message, ModelRequest)]
    prompts = [[str(p.content) for p in request.parts if isinstance(p, UserPromptPart)] for request in requests]
    # The question stands with its context; what is said alone in a turn steers the work on it.
    with_context = [number for number, texts in enumerate(prompts) if len(texts) > 1]
    start = with_context[-1] if with_context else max(number for number, texts in enumerate(prompts) if texts)
    *context, question = prompts[start]
    language = next((code for code, name in _LANGUAGES.items() if context and f"in {name}." in context[0]), "")
    returns = [
        (part.tool_name, str(part.content))
        for request in requests[start:]
        for part in request.parts
        if isinstance(part, ToolReturnPart) and part.tool_name not in _FORMS
    ]
    return question, language, returns
