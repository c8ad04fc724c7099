"""Questions about requirements asked at the terminal, and what a team came to, for people."""

from __future__ import annotations

import asyncio
import select
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.language.locale import printable

if TYPE_CHECKING:
    from veracity.cli.requirements.options import DialogueOptions
    from veracity.requirements.answer_file import AnswerFile
    from veracity.requirements.ask_user import AskedQuestion
    from veracity.requirements.case import Question, RequirementCase, Turn
    from veracity.requirements.contracts import Assumption, Judged
    from veracity.requirements.reading import RequirementDocument
    from veracity.requirements.society import SocietyRun


_LETTERS = "abcdefghij"


@dataclass(slots=True)
class Asker:
    """Answers what the file knows, and puts the rest to the person, if there is one."""

    known: AnswerFile
    interactive: bool
    _used: set[tuple[str, str]] = field(default_factory=set)
    _last: str = ""

    @classmethod
    def of(cls, options: DialogueOptions, documents: Sequence[RequirementDocument]) -> Asker:
        """The asker of a command; a name in the file that no requirement has is told."""
        from veracity.requirements.answer_file import AnswerFile, load_answers

        known = load_answers(options.answers) if options.answers is not None else AnswerFile()
        ids = [requirement.id for document in documents for requirement in document.requirements]
        for name in known.strangers(ids):
            typer.echo(f"note: {one_line(str(options.answers))}: there is no requirement {one_line(name)}.", err=True)
        return cls(known, not options.no_input and sys.stdin.isatty())

    async def ask_about(self, judged: Judged, assumption: Assumption) -> str | None:
        """Ask about what a rewrite assumes; the file was looked at before."""
        await _let_ctrl_c_through()
        return self._ask_at_terminal(
            judged.requirement.id, judged.requirement.text, assumption.question, assumption.suggested_answers
        )

    async def ask_question(self, question: Question) -> str | None:
        """Ask a question of the team; an answer of the file is given once, since it would not help twice."""
        mine = self.known.of(question.requirement_id)
        for asked in (question.about, question.question):
            key = (question.requirement_id, asked)
            if (found := mine.get(" ".join(asked.split()))) is not None and key not in self._used:
                self._used.add(key)
                return found
        await _let_ctrl_c_through()
        return self._ask_at_terminal(
            question.requirement_id, question.requirement, question.question, question.suggested_answers
        )

    def _ask_at_terminal(self, name: str, text: str, question: str, suggested: Sequence[str]) -> str | None:
        if not self.interactive:
            return None
        if name != self._last:
            typer.echo(f"\n{one_line(name)}  {one_line(text)}", err=True)
            self._last = name
        typer.echo(f"? {one_line(question)}", err=True)
        letters = dict(zip(_LETTERS, suggested, strict=False))
        if letters:
            typer.echo(f"  {'   '.join(f'{letter}) {one_line(said)}' for letter, said in letters.items())}", err=True)
        line = typed_line()
        if line is None:
            self.interactive = False
            return None
        return letters.get(line.casefold().rstrip(")"), line) or None


async def _let_ctrl_c_through() -> None:
    """Lets a Ctrl-C take effect that came while the event loop ran: behind a line that is waited for, nobody would notice it."""
    await asyncio.sleep(0.001)


def typed_line() -> str | None:
    """A line that somebody types; None when they close the input (Ctrl-D)."""
    # An event loop takes the first Ctrl-C for itself, and nobody would notice it here. Another thread may be the one that gets it:
    # then it does not end a read, but it is told through the wake-up socket.
    woken, waking = socket.socketpair()
    waking.setblocking(False)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    told_before = signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
    try:
        typer.echo("> ", nl=False, err=True)
        select.select([sys.stdin, woken], [], [])
        line = sys.stdin.readline()
    finally:
        signal.set_wakeup_fd(told_before)
        signal.signal(signal.SIGINT, before)
        woken.close()
        waking.close()
    if not line:
        typer.echo("", err=True)
        return None
    return line.strip()


# --- what a team came to, for people: the transcript, each requirement with its scores, the verdict, and what is still open


FOUND_WANTING, ASKED_BACK = 1, 3


def exit_code_of_run(run: SocietyRun | None) -> int:
    """3 while the team works or waits for an answer, 0 when all is approved, 1 otherwise."""
    if run is None or run.questions:
        return ASKED_BACK
    return 0 if run.verdict.approved else FOUND_WANTING


Transcript = Annotated[
    bool, typer.Option("--transcript/--no-transcript", help="Whether to print what the agents did and said.")
]


def validation_lines(
    cases: Sequence[RequirementCase], run: SocietyRun | None, *, transcript: bool = True
) -> Iterator[str]:
    """The lines of a validation: the transcript, the requirements, the verdict."""
    from veracity.requirements.case import printed

    turns = [turn for case in cases for turn in case.turns] if transcript else []
    yield from (printable(line) for line in printed(turns).splitlines())
    if turns:
        yield ""
    for case in cases:
        yield from _case_lines(case, cases)
    yield f"{run.stop}: {run.verdict.summary or '; '.join(run.verdict.issues)}" if run else "still working"


def _case_lines(case: RequirementCase, cases: Sequence[RequirementCase]) -> Iterator[str]:
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


def question_lines(question: AskedQuestion) -> Iterator[str]:
    """An open question, with the answers to choose from."""
    yield f"{question.question_id}  {one_line(question.requirement_id)}  {one_line(question.requirement)}"
    offered = f"  ({' | '.join(one_line(said) for said in question.suggested_answers)})"
    yield f"  ? {one_line(question.question)}{offered if question.suggested_answers else ''}"


def turn_line(case: RequirementCase, turn: Turn) -> str:
    """A turn in one line: who, with which tools, to what end."""
    used = ", ".join(use.tool for use in turn.calls)
    last = turn.text.strip().rsplit("\n", 1)[-1]
    return one_line(f"{case.requirement.id}  {turn.speaker}: {f'{used} -> ' if used else ''}{last}")


def one_line(text: str) -> str:
    """A text on one line, with nothing in it that would steer a terminal."""
    return printable(" ".join(text.split()))
