"""What a team came to, for people: the transcript, each requirement with its scores, the verdict, and what is still open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.locale import printable

if TYPE_CHECKING:
    from veracity.requirements.ask_user import AskedQuestion
    from veracity.requirements.case import Case, Turn
    from veracity.requirements.society import SocietyRun

FOUND_WANTING, ASKED_BACK = 1, 3


def exit_code(run: SocietyRun | None) -> int:
    """3 while the team works or waits for an answer, 0 when all is approved, 1 otherwise."""
    if run is None or run.questions:
        return ASKED_BACK
    return 0 if run.verdict.approved else FOUND_WANTING


Transcript = Annotated[
    bool, typer.Option("--transcript/--no-transcript", help="Whether to print what the agents did and said.")
]


def told(cases: Sequence[Case], run: SocietyRun | None, *, transcript: bool = True) -> Iterator[str]:
    """The lines of a validation: the transcript, the requirements, the verdict."""
    from veracity.requirements.transcript import printed

    turns = [turn for case in cases for turn in case.turns] if transcript else []
    yield from (printable(line) for line in printed(turns).splitlines())
    if turns:
        yield ""
    for case in cases:
        yield from _result(case, cases)
    yield f"{run.stop}: {run.verdict.summary or '; '.join(run.verdict.issues)}" if run else "still working"


def _result(case: Case, cases: Sequence[Case]) -> Iterator[str]:
    # The score of a text with open slots says nothing about the text that it will be.
    settled = case.rewrite is not None and not case.is_good and not case.rewrite.assumptions
    rewrite = case.rewrite if settled else None
    scores = [f"{one.score:.2f}" for one in (case.before, rewrite) if one is not None]
    yield "  ".join(
        part for part in (case.requirement.id, case.stop or "working", " -> ".join(scores), one_line(case.text)) if part
    )
    if case.stop is not None and case.stop != "approved":
        yield f"  {'?' if case.question is not None else '!'} {one_line(case.why)}"
    for pair in case.duplicates or ():
        other = cases[pair.req2_idx if pair.req1_idx == case.number else pair.req1_idx]
        yield f"  = {other.requirement.id}  {pair.similarity:.2f} {pair.band}: {one_line(pair.reason)}"


def asked(question: AskedQuestion) -> Iterator[str]:
    """An open question, with the answers to choose from."""
    yield f"{question.question_id}  {one_line(question.requirement_id)}  {one_line(question.requirement)}"
    offered = f"  ({' | '.join(one_line(said) for said in question.suggested_answers)})"
    yield f"  ? {one_line(question.question)}{offered if question.suggested_answers else ''}"


def turn_line(case: Case, turn: Turn) -> str:
    """A turn in one line: who, with which tools, to what end."""
    used = ", ".join(use.tool for use in turn.calls)
    last = turn.text.strip().rsplit("\n", 1)[-1]
    return one_line(f"{case.requirement.id}  {turn.speaker}: {f'{used} -> ' if used else ''}{last}")


def one_line(text: str) -> str:
    """A text on one line, with nothing in it that would steer a terminal."""
    return printable(" ".join(text.split()))
