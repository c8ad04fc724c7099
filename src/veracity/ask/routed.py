"""What somebody asks, and the way that it takes: a direct answer, a skill, or the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veracity.agent.progress import Tell, silent
from veracity.answer.answer import Routed
from veracity.routing import Decision, Route, Router

if TYPE_CHECKING:
    from veracity.quality import SkillContext
    from veracity.skills.config import Skill
    from veracity.skills.load import SkillLibrary
    from veracity.skills.text_agent import TextAgent


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Decides which way a request goes, knows the skills, and has an agent for what needs no data."""

    router: Callable[[bool], Router]
    """With the prefixes of skills or without; both made when they are needed, because most questions need no skill."""
    skills: Callable[[], SkillLibrary]
    texts: TextAgent

    def decide(self, request: str, skill: str | None = None) -> Decision:
        """The way of a request; an explicit skill beats every rule."""
        if skill is not None:
            return Decision(route=Route.SKILL, rule="skill", skill=self.skills().named(skill).name, text=request)
        decision = self.router(request.lstrip().startswith("/")).decide(request)
        if decision.rule == "unknown_prefix":
            self.skills().named(decision.words[0])
        return decision


@dataclass(frozen=True, slots=True)
class RoutedRequest:
    """What somebody asks, and the way that it takes."""

    text: str
    lang: str | None = None
    """The language that was asked for; otherwise that of the request."""
    decision: Decision | None = None
    """None where nothing is routed: then everything is a question about the data."""
    routed: Routed | None = None
    """The way, as an answer tells it."""
    skill: Skill | None = None
    """The skill that it is the input of."""
    context: SkillContext | None = None
    """What the quality gate knows of that skill."""
    assume: bool = False
    """Whether likely meanings of unknown words are used instead of asked back."""
    prose: bool = False
    """Whether a model words the answer."""
    tell: Tell = silent
    """Tells those who look on what is being done."""

    @property
    def needs_no_data(self) -> bool:
        """Whether it is a greeting, plain arithmetic or the like, or the input of a skill without tools."""
        chat = self.decision is not None and self.decision.route is Route.DIRECT_CHAT
        return chat or (self.skill is not None and self.skill.kind is None)
