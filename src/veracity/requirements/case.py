"""One requirement on its way through the team: what was done, said and asked about it, the validator's checklist, and the transcript."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from veracity.contracts import clip
from veracity.requirements.contracts import (
    CRITERIA,
    Criterion,
    DuplicatePair,
    Evaluation,
    Lang,
    Record,
    Requirement,
    Rewrite,
    Suggestion,
)
from veracity.requirements.grounded import SLOT
from veracity.requirements.skeleton import Wording

Stop = Literal["approved", "max_turns", "needs_user", "failed"]
"""Why the team stopped."""
Speaker = Literal["RequirementsOperator", "UserClarificationAgent", "QAValidator", "User"]
OPERATOR: Speaker = "RequirementsOperator"
CLARIFIER: Speaker = "UserClarificationAgent"
VALIDATOR: Speaker = "QAValidator"
USER: Speaker = "User"
READY, UNCLEAR = "READY_FOR_VALIDATION", "NEED_USER_CLARIFICATION"
"""The signals of the seed. They are shown in the transcript; nothing is decided by looking for them in a text."""

Topic = Literal["criteria", "assumption", "wording", "free"]
"""What a question is about: the criteria, something a rewrite assumes, a wording that will not do, or anything else."""
_LONGEST_ANSWER = 2_000
_ALL = re.compile(r"\b(?:all|alle|alles|everything|sämtliche)\b", re.IGNORECASE)
_CRITERION: dict[Criterion, re.Pattern[str]] = {
    "clarity": re.compile(r"\b(?:clarity|klarheit|verständlichkeit|eindeutigkeit)\b", re.IGNORECASE),
    "testability": re.compile(r"\b(?:testability|testbarkeit|prüfbarkeit)\b", re.IGNORECASE),
    "measurability": re.compile(r"\b(?:measurability|messbarkeit)\b", re.IGNORECASE),
}
_CHOOSE: dict[Lang, str] = {
    "de": "Welche Qualitätskriterien sollen geprüft werden?",
    "en": "Which quality criteria shall be checked?",
}
_REWORD: dict[Lang, str] = {
    "de": "Die Neufassung erreicht nur {score:.2f}: „{text}“. Wie soll die Anforderung lauten?",
    "en": 'The rewrite reaches only {score:.2f}: "{text}". How shall the requirement read?',
}


class Question(Record):
    """One question to the user."""

    requirement_id: str
    requirement: str
    question: str
    suggested_answers: tuple[str, ...] = ()
    lang: Lang
    topic: Topic = "free"
    about: str = ""
    """The question under which its answer is kept, however it is put."""


class ToolUse(Record):
    """A call of a tool, and what came back."""

    tool: str
    arguments: dict[str, Any] = {}
    ok: bool = True
    result: Any = None


class Turn(Record):
    """What one agent did and said in its turn, or what the user said."""

    requirement_id: str
    speaker: Speaker
    text: str
    calls: tuple[ToolUse, ...] = ()


class TeamVerdict(Record):
    """What the validator decided: fields, never a text to be searched for a word."""

    approved: bool
    issues: tuple[str, ...] = ()
    summary: str = ""

    @property
    def said(self) -> str:
        """As the transcript shows it."""
        return f"APPROVE: {self.summary}" if self.approved else f"NOT APPROVED: {'; '.join(self.issues)}"


class RequirementCase(BaseModel):
    """The state of one requirement; the team can go on from it at any time, in any process."""

    model_config = ConfigDict(extra="forbid")

    number: int
    """Its place among the requirements of the run, from 0."""
    requirement: Requirement
    lang: Lang
    """The language of the requirement."""
    asked_in: Lang
    """The language of the user."""
    criteria: tuple[Criterion, ...] | None = CRITERIA
    """None: the user has not chosen them."""
    goal: str = ""
    """What the user wants to reach, in their own words; material for a model, and no ground for a figure."""
    several: bool = False
    """Whether there are others to compare it with."""
    answers: dict[str, str] = {}
    """What the user said, by the question that it answers."""
    taken_up: bool = True
    """Whether the rewrite holds all answers."""
    before: Evaluation | None = None
    suggestions: tuple[Suggestion, ...] | None = None
    draft: tuple[str, tuple[str, ...]] | None = None
    """The wording that answers go into, and its acceptance criteria."""
    rewrite: Rewrite | None = None
    duplicates: tuple[DuplicatePair, ...] | None = None
    unclear: str = ""
    """What the operator said is missing."""
    question: Question | None = None
    """What the user was asked and has not answered."""
    turns: tuple[Turn, ...] = ()
    speaker: Speaker = OPERATOR
    """Who speaks next."""
    verdict: TeamVerdict | None = None
    stop: Stop | None = None
    why: str = ""
    """Why it stopped, for people."""

    @property
    def wording(self) -> Wording | None:
        """The draft as the rewriting takes it."""
        return Wording(*self.draft) if self.draft else None

    @property
    def text(self) -> str:
        """The requirement as it stands now: its accepted rewrite, or as it was."""
        accepted = self.rewrite is not None and self.rewrite.status == "accepted"
        return self.rewrite.corrected_text if self.rewrite and accepted else self.requirement.text

    @property
    def is_good(self) -> bool:
        """Whether it passed as it was."""
        return self.before is not None and self.before.verdict == "pass"

    @property
    def agent_turns(self) -> int:
        """How many turns the agents had; an answer, and that it is passed on, are none."""
        return len(self.turns) - 2 * sum(turn.speaker == USER for turn in self.turns)

    def used(self, tool: str) -> bool:
        """Whether a tool was really called, and answered."""
        return any(use.ok and use.tool == tool for turn in self.turns for use in turn.calls)

    def say(self, speaker: Speaker, text: str, calls: tuple[ToolUse, ...] = ()) -> Turn:
        """Add a turn to the transcript."""
        turn = Turn(requirement_id=self.requirement.id, speaker=speaker, text=text, calls=calls)
        self.turns = (*self.turns, turn)
        return turn

    # --- questions and answers

    def open_question(self) -> Question | None:
        """What has to be asked before the requirement can be approved; None when nothing is missing."""
        if self.criteria is None:
            return self._question("criteria", _CHOOSE[self.asked_in], (*CRITERIA, "all"))
        if self.rewrite is None or not self.taken_up:
            return None
        if self.rewrite.assumptions:
            first = self.rewrite.assumptions[0]
            return self._question("assumption", first.question, first.suggested_answers)
        if self.rewrite.status == "rejected":
            asked = _REWORD[self.asked_in].format(score=self.rewrite.score, text=self.rewrite.corrected_text)
            return self._question("wording", asked, ())
        return None

    def _question(self, topic: Topic, question: str, suggested: tuple[str, ...]) -> Question:
        return Question(
            requirement_id=self.requirement.id,
            requirement=self.requirement.text,
            question=question,
            suggested_answers=suggested,
            lang=self.asked_in,
            topic=topic,
            about=question,
        )

    def free_question(self, question: str, suggested: tuple[str, ...] = ()) -> Question:
        """A question of the agents' own."""
        return self._question("free", question, suggested)

    def take(self, answer: str) -> tuple[Turn, Turn]:
        """The user's answer: it is kept, and the operator goes on with it."""
        asked, said = self.question, answer.encode("utf-8", "replace").decode().strip()[:_LONGEST_ANSWER]
        assert asked is not None
        if asked.topic == "criteria":
            self.criteria = chosen_criteria(said)
        else:
            self.answers = {**self.answers, asked.about: said}
            self.taken_up = self.rewrite is None
        if asked.topic == "wording":
            self.draft = (said, ())
        self.question, self.stop, self.why, self.speaker = None, None, "", OPERATOR
        return (
            self.say(USER, f"Answer: {said}"),
            self.say(CLARIFIER, f"The user provided: {said}. RequirementsOperator, continue."),
        )


def chosen_criteria(answer: str) -> tuple[Criterion, ...] | None:
    """The criteria that an answer names; None when it names none, which is never taken for all."""
    if _ALL.search(answer):
        return CRITERIA
    return tuple(name for name in CRITERIA if _CRITERION[name].search(answer)) or None


# --- the validator's checklist, held against the trace: CHECKS, pure functions over a case, each an issue or nothing


def was_evaluated(case: RequirementCase) -> str | None:
    """evaluate_requirement called?"""
    done = case.before is not None and case.used("evaluate_requirement")
    return None if done else "evaluate_requirement was not called"


def scores_are_documented(case: RequirementCase) -> str | None:
    """Quality scores documented, for every criterion that was asked for?"""
    scored = {one.criterion for one in case.before.evaluation} if case.before else set()
    missing = [name for name in case.criteria or () if name not in scored]
    if case.criteria is None:
        return "the criteria were not chosen"
    return f"no score for {', '.join(missing)}" if missing and case.before else None


def was_improved(case: RequirementCase) -> str | None:
    """Below the limit: were improvements suggested and applied?"""
    if case.before is None or case.is_good:
        return None
    missing = [tool for tool in ("suggest_improvements", "rewrite_requirement") if not case.used(tool)]
    return f"score {case.before.score:.2f}, but {' and '.join(missing)} not called" if missing else None


def answers_are_taken_up(case: RequirementCase) -> str | None:
    """Is everything that the user said in the rewrite?"""
    return None if case.taken_up else "the user's answer is not in the rewrite yet: call rewrite_requirement again"


def nothing_is_assumed(case: RequirementCase) -> str | None:
    """Does the rewrite say only what was stated or confirmed, and does it pass?"""
    if case.rewrite is None or case.is_good or case.rewrite.status == "accepted":
        return None
    if case.rewrite.assumptions:
        return f"not confirmed by the user: {', '.join(one.what for one in case.rewrite.assumptions[:4])}"
    return f"the rewrite still scores {case.rewrite.score:.2f}"


def duplicates_are_checked(case: RequirementCase) -> str | None:
    """Duplicates checked, where there are several requirements?"""
    done = not case.several or (case.duplicates is not None and case.used("detect_duplicates"))
    return None if done else "detect_duplicates was not called"


def output_is_clear(case: RequirementCase) -> str | None:
    """Is the result a text that somebody can act on?"""
    if not case.text.strip():
        return "there is no text"
    return "a slot of the text is still open" if SLOT.search(case.text) else None


CHECKS: tuple[Callable[[RequirementCase], str | None], ...] = (
    was_evaluated,
    scores_are_documented,
    was_improved,
    answers_are_taken_up,
    nothing_is_assumed,
    duplicates_are_checked,
    output_is_clear,
)


def issues(case: RequirementCase) -> tuple[str, ...]:
    """What the trace does not show, and an approval would need."""
    return tuple(issue for check in CHECKS if (issue := check(case)) is not None)


# --- a transcript as people read it: who spoke, which tools were called, what came back, which signal was given


_LONGEST = 160
_SHOWN_FIELDS = {
    "evaluate_requirement": ("score", "verdict"),
    "rewrite_requirement": ("correctedText", "status", "score"),
}
"""What is shown of a tool's result, where it is an object."""


def printed(turns: Sequence[Turn]) -> str:
    """The turns as numbered blocks; with several requirements, each is headed by its id."""
    several = len({turn.requirement_id for turn in turns}) > 1
    lines: list[str] = []
    for number, turn in enumerate(turns, 1):
        lines.append(f"{number}. [{turn.speaker}]{f' {turn.requirement_id}' if several else ''}")
        lines += [f"   {line}" for use in turn.calls for line in _call_lines(use)]
        lines += [f"   → {line}" for line in turn.text.splitlines() if line.strip()]
    return "\n".join(lines)


def _call_lines(use: ToolUse) -> Iterator[str]:
    yield f"→ Tool: {use.tool}({_arguments_shown(use.arguments)})"
    if not use.ok:
        yield f"→ Error: {clip(str(use.result.get('error', '')), _LONGEST)}"
    elif use.tool != "ask_user":
        yield f"→ Result: {_result_shown(use)}"


def _arguments_shown(arguments: dict[str, Any]) -> str:
    return ", ".join(
        f"{name}={clip(json.dumps(value, ensure_ascii=False, default=str), 80)}" for name, value in arguments.items()
    )


def _result_shown(use: ToolUse) -> str:
    if isinstance(use.result, dict):
        shown: Any = {name: use.result[name] for name in _SHOWN_FIELDS.get(use.tool, ()) if name in use.result}
    elif use.tool == "suggest_improvements" and isinstance(use.result, list):
        shown = [one.get("type") for one in use.result if isinstance(one, dict)]
    else:
        shown = use.result
    return clip(json.dumps(shown, ensure_ascii=False, default=str), 2 * _LONGEST)
