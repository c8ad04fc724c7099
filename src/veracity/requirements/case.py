"""One requirement on its way through the team: what was done, said and asked about it. All of it is data that JSON can hold."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

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


class Verdict(Record):
    """What the validator decided: fields, never a text to be searched for a word."""

    approved: bool
    issues: tuple[str, ...] = ()
    summary: str = ""

    @property
    def said(self) -> str:
        """As the transcript shows it."""
        return f"APPROVE: {self.summary}" if self.approved else f"NOT APPROVED: {'; '.join(self.issues)}"


class Case(BaseModel):
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
    verdict: Verdict | None = None
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
