"""Questions about requirements: from a file of answers, then to the person at the terminal, one at a time."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.requirements.outcome import one_line

if TYPE_CHECKING:
    from veracity.requirements.answer_file import AnswerFile
    from veracity.requirements.case import Question
    from veracity.requirements.contracts import Assumption, Judged
    from veracity.requirements.reading import Document

_LETTERS = "abcdefghij"

NoInput = Annotated[bool, typer.Option("--no-input", help="Ask nothing, even at a terminal.")]
AnswersFile = Annotated[str | None, typer.Option("--answers", help="A YAML file with answers, by id and question.")]
AskIn = Annotated[
    str | None,
    typer.Option("--ask-in", help="The language of the questions, de or en. Default: the requirement's own."),
]


@dataclass(slots=True)
class Asker:
    """Answers what the file knows, and puts the rest to the person, if there is one."""

    known: AnswerFile
    interactive: bool
    _used: set[tuple[str, str]] = field(default_factory=set)
    _last: str = ""

    @classmethod
    def of(cls, answers: str | None, documents: Sequence[Document], *, no_input: bool) -> Asker:
        """The asker of a command; a name in the file that no requirement has is told."""
        from veracity.requirements.answer_file import AnswerFile, load_answers

        known = load_answers(answers) if answers is not None else AnswerFile()
        ids = [requirement.id for document in documents for requirement in document.requirements]
        for name in known.strangers(ids):
            typer.echo(f"note: {one_line(str(answers))}: there is no requirement {one_line(name)}.", err=True)
        return cls(known, not no_input and sys.stdin.isatty())

    async def about(self, judged: Judged, assumption: Assumption) -> str | None:
        """Ask about what a rewrite assumes; the file was looked at before."""
        await _heard()
        return self._put(
            judged.requirement.id, judged.requirement.text, assumption.question, assumption.suggested_answers
        )

    async def put(self, question: Question) -> str | None:
        """Ask a question of the team; an answer of the file is given once, since it would not help twice."""
        mine = self.known.of(question.requirement_id)
        for asked in (question.about, question.question):
            key = (question.requirement_id, asked)
            if (found := mine.get(" ".join(asked.split()))) is not None and key not in self._used:
                self._used.add(key)
                return found
        await _heard()
        return self._put(question.requirement_id, question.requirement, question.question, question.suggested_answers)

    def _put(self, name: str, text: str, question: str, suggested: Sequence[str]) -> str | None:
        if not self.interactive:
            return None
        if name != self._last:
            typer.echo(f"\n{one_line(name)}  {one_line(text)}", err=True)
            self._last = name
        typer.echo(f"? {one_line(question)}", err=True)
        letters = dict(zip(_LETTERS, suggested, strict=False))
        if letters:
            typer.echo(f"  {'   '.join(f'{letter}) {one_line(said)}' for letter, said in letters.items())}", err=True)
        line = _line()
        if line is None:
            self.interactive = False
            return None
        return letters.get(line.casefold().rstrip(")"), line) or None


async def _heard() -> None:
    """Lets a Ctrl-C take effect that came while the event loop ran: behind a line that is waited for, nobody would notice it."""
    await asyncio.sleep(0.001)


def _line() -> str | None:
    """A line that somebody types; None when they close the input (Ctrl-D)."""
    # An event loop takes the first Ctrl-C for itself, and nobody would notice it here.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        typer.echo("> ", nl=False, err=True)
        line = sys.stdin.readline()
    finally:
        signal.signal(signal.SIGINT, before)
    if not line:
        typer.echo("", err=True)
        return None
    return line.strip()
