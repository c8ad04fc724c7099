"""The one place where skills end: a strategy, then the quality gate, with one repair, whatever the strategy was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from veracity.agent import Agent, Limits, Run, Stop, Watch
from veracity.answer.answer import Answer, Outcome
from veracity.drafts import Draft
from veracity.llm.provider import RemoteModel
from veracity.locale import language
from veracity.quality import QualityGate, QualityResult, SkillContext
from veracity.skills.config import Skill
from veracity.skills.strategies import strategy_of, tell, try_again
from veracity.trace import QueryValidationError
from veracity.words import say

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
        tell(run, "The output does not pass. " + " ".join(one.message for one in self.quality.findings) + _MEND)
        allowed = agent.limits.repairs + len(run.refusals)
        again = replace(agent, limits=agent.limits.model_copy(update={"repairs": allowed}))
        await try_again(again, run, self.review, watches)
        await self._judge(repaired=True)

    async def _judge(self, *, repaired: bool = False) -> None:
        if (output := self.review.output) is not None:
            found = await QualityGate(self.skill.quality).validate(output, self.context)
            self.quality = found.model_copy(update={"repaired": repaired})


_MEND = " Write it anew, complete, without this."


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
