"""Where requests arrive: sorted without a token, and given to the skill that was picked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from veracity.routing import Decision, Route, Router
from veracity.skills.load import SkillLibrary
from veracity.skills.text_agent import TextAgent


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Sorts requests, knows the skills, and has someone who works on what needs no data."""

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
