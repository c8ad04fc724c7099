"""`veracity ask`, `veracity chat`: questions in, answers with their proof out."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import AgentOptions, opened_agent, read_language, user_name, with_options
from veracity.errors import UsageError, VeracityError
from veracity.language.locale import printable

if TYPE_CHECKING:
    from veracity.answer.answer import Answer, ReadingOption
    from veracity.ask.conversation import Conversation
    from veracity.ask.data_agent import DataAgent
    from veracity.skills.text_agent import TextAgent

EXIT_CODES = {"answered": 0, "clarify": 3, "abstained": 4, "blocked": 5}
_COMMANDS = "/help lists what you can type, /why shows the proof, /new starts over, /quit ends"
_HELP = """\
Ask about the data in German, English or Chinese. A follow-up changes the last question: and 2023? per month. only Bern.
1, 2, ...          take this option of a question back; with remember behind it, the word is kept
/why               the proof of the last answer
/new               start over
/SKILL ...         run a skill on what follows; `veracity skill list` shows them
/quit              end, as Ctrl-D does"""
_CHOICE = re.compile(r"([1-9]\d?)(?:\s*(remember|merken|记住))?", re.IGNORECASE)
_PROMPT = "Which one? (a number; a number and 'remember' to keep what the word means; Enter for none) "


@with_options()
def ask(
    question: Annotated[
        str, typer.Argument(help="Your question, in German, English or Chinese; - reads it from standard input.")
    ],
    options: AgentOptions,
    choose: Annotated[
        int | None, typer.Option("--choose", min=1, max=100, help="Where the question is asked back: take this option.")
    ] = None,
    remember: Annotated[
        bool, typer.Option("--remember", help="With --choose: let the unknown word mean that from now on.")
    ] = False,
) -> None:
    """Ask one question, or run a skill on it: "/sql ...". Exit codes: 0 answered, 3 asked back, 4 abstained, 5 blocked, 2 wrong usage or no model."""
    from veracity.cli.show import show_answer

    options.check()
    text = _question_text(sys.stdin.buffer.read() if question == "-" else question.encode("utf-8", "surrogateescape"))
    lang = read_language(options.lang)
    if remember and choose is None:
        raise UsageError("--remember goes with --choose N, which says what is to be remembered.")
    with opened_agent(options) as agent:
        answer = _asked(agent, text, lang, Choice(choose, remember=remember), quiet=options.as_json)
    note_trace_not_kept(agent)
    if options.as_json:
        typer.echo(answer.model_dump_json())
    else:
        show_answer(answer)
    raise typer.Exit(EXIT_CODES[answer.outcome])


@dataclass(frozen=True, slots=True)
class Choice:
    """Which option of a question back is taken, and whether the word that it was about is to be remembered."""

    number: int | None
    remember: bool = False

    @classmethod
    def typed(cls, line: str) -> Choice | None:
        """`2`, or `2 remember`; None for anything else."""
        found = _CHOICE.fullmatch(line.strip())
        return cls(int(found[1]), remember=bool(found[2])) if found else None


def _asked(agent: DataAgent, text: str, lang: str | None, choice: Choice, *, quiet: bool) -> Answer:
    """The answer; where it is a question back and an option is chosen, the answer to that."""
    from veracity.ask.conversation import Conversation
    from veracity.cli.live_line import live_line
    from veracity.cli.show import show_answer

    talk = Conversation()
    with asyncio.Runner() as runner:
        with live_line(quiet=quiet) as line:
            answer = runner.run(agent.ask(text, lang=lang, conversation=talk, watch=line))
        if agent.prose and answer.outcome == "answered" and not answer.worded_by_model and answer.trace.refusals:
            why = printable(answer.trace.refusals[-1].hint)
            typer.echo(f"note: the model's wording was not used: {why}", err=True)
        if not answer.readings:
            return answer
        if choice.number is None and not quiet and _can_choose(answer):
            show_answer(answer)
            choice = _typed_choice()
            if choice.number is None:
                raise typer.Exit(EXIT_CODES["clarify"])
        if choice.number is None:
            return answer
        option = chosen_option(answer, choice.number)
        if choice.remember:
            runner.run(_remembered(agent, answer, option))
        return runner.run(agent.ask(option.text, lang=lang, conversation=talk))


def _can_choose(answer: Answer) -> bool:
    """Whether somebody sits at a terminal and is asked what a word means."""
    return sys.stdin.isatty() and sys.stdout.isatty() and any(one.teaches for one in answer.readings)


def _typed_choice() -> Choice:
    try:
        return Choice.typed(input(_PROMPT)) or Choice(None)
    except EOFError:
        return Choice(None)


def chosen_option(answer: Answer, number: int) -> ReadingOption:
    """The option of this number, as the terminal counts them."""
    if not 1 <= number <= len(answer.readings):
        raise UsageError(f"There is no option {number}; the last question back has {len(answer.readings)}.")
    return answer.readings[number - 1]


async def _remembered(agent: DataAgent, answer: Answer, option: ReadingOption) -> None:
    """Teach the word that an option is about, and say so."""
    if option.teaches is None:
        raise UsageError(
            "This option is about no unknown word, so that there is nothing to remember; leave --remember out."
        )
    offer = option.teaches
    taught = await agent.teach(offer.word, offer.means, who=user_name(), question=answer.question)
    said = f"{taught.word!r} means {taught.means} from now on; undo: veracity ontology taught undo {taught.taught_id}"
    typer.echo(printable(said), err=True)


@with_options(without="as_json")
def chat(options: AgentOptions) -> None:
    """Talk about your data: follow-up questions, /why for the proof of the last answer, /new to start over, /quit."""
    options.check()
    lang = read_language(options.lang)
    with opened_agent(options) as agent:
        typer.echo(f"{agent.tools.source.name}, model {agent.model_name}. {_COMMANDS}.")
        _converse(agent, lang)


def _question_text(question: bytes) -> str:
    """The question in characters that can be sent and stored."""
    text = question.decode("utf-8", "replace").strip()
    if not text:
        raise UsageError("There is no question; write one in quotes.")
    return text


def note_trace_not_kept(agent: DataAgent | TextAgent) -> None:
    """Tell, once, that the answer was not kept as a trace, and why."""
    if agent.note:
        typer.echo(f"note: this is not kept as a trace. {printable(agent.note)}", err=True)
        agent.note = None


# --- a conversation


def _converse(agent: DataAgent, lang: str | None) -> None:
    from veracity.ask.conversation import Conversation

    talk = Conversation()
    with asyncio.Runner() as runner:
        for line in _typed_lines():
            if line in ("/quit", "/exit", "/q"):
                break
            if line == "/new":
                talk = Conversation()
                typer.echo("A new conversation.")
            elif line == "/why":
                _show_why(talk)
            elif line in ("/help", "/?"):
                typer.echo(_HELP)
            else:
                _turn(runner, agent, line, lang, talk)


def _turn(runner: asyncio.Runner, agent: DataAgent, line: str, lang: str | None, talk: Conversation) -> None:
    from veracity.cli.live_line import live_line
    from veracity.cli.show import show_answer

    try:
        question = _question_text(line.encode("utf-8", "surrogateescape"))
        choice = Choice.typed(question) if talk.last is not None and talk.last.readings else None
        if choice is not None and choice.number is not None and talk.last is not None:
            option = chosen_option(talk.last, choice.number)
            if choice.remember:
                runner.run(_remembered(agent, talk.last, option))
            question = option.text
        with live_line() as watch:
            answer = runner.run(agent.ask(question, lang=lang, conversation=talk, watch=watch))
    except KeyboardInterrupt:
        typer.echo("stopped.", err=True)
    except VeracityError as error:
        # The conversation goes on: a dead endpoint may come back.
        typer.echo(f"veracity: {printable(str(error))}", err=True)
    else:
        note_trace_not_kept(agent)
        show_answer(answer, proof=False)


def _show_why(talk: Conversation) -> None:
    from veracity.cli.show import show_proof

    if talk.last is None:
        typer.echo("Nothing was answered yet.")
    else:
        show_proof(talk.last)


def _typed_lines() -> Iterator[str]:
    """What is typed, line by line; Ctrl-C gives up a line, Ctrl-D or the end of a file ends."""
    at_terminal = sys.stdin.isatty()
    if at_terminal:
        with suppress(ImportError):
            import readline  # noqa: F401  # gives `input` its editing keys and history
    while True:
        try:
            if at_terminal:
                typer.echo()
            line = input("? " if at_terminal else "").strip()
        except EOFError:
            if at_terminal:
                typer.echo()
            return
        except KeyboardInterrupt:
            if not at_terminal:
                raise
            typer.echo(f"\n({_COMMANDS}.)")
            continue
        if line:
            yield line
