"""`veracity ask`, `veracity chat`: questions in, answers with their proof out."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.options import FeatureName, Json, NoOntology, OntologyFile, ScopeValues, Source, building, read_scope
from veracity.errors import UsageError, VeracityError

if TYPE_CHECKING:
    from rich.status import Status

    from veracity.agent import Run
    from veracity.ask import DataAgent
    from veracity.conversation import Conversation
    from veracity.trace import ToolCallLog

EXIT_CODES = {"answered": 0, "clarify": 3, "abstained": 4, "blocked": 5}

AnswerLanguage = Annotated[str | None, typer.Option("--lang", help="de, de-CH, de-DE, en or zh; without it, the language of the question.")]  # fmt: skip
ModelSpec = Annotated[str, typer.Option("--model", envvar="VERACITY_MODEL", help="offline, openai:NAME, anthropic:NAME or http://HOST/v1[#NAME].")]  # fmt: skip
SchemaStyle = Annotated[str, typer.Option("--schema", help="strict: tool schemas with enums. plain: for endpoints that do not take them.")]  # fmt: skip
Answers = Annotated[str, typer.Option("--answers", help="bound: figures are expressions. text: for models that cannot write them; figures are bound after the fact.")]  # fmt: skip
Rounds = Annotated[int, typer.Option("--rounds", min=1, max=100, help="Model turns at most.")]
Seconds = Annotated[float, typer.Option("--seconds", min=0.001, help="Wall time at most.")]
Timeout = Annotated[float, typer.Option("--timeout", min=0, help="Seconds one request to the model may take.")]


def ask(
    question: Annotated[
        str, typer.Argument(help="Your question, in German, English or Chinese; - reads it from standard input.")
    ],
    source: Source = None,
    feature: FeatureName = None,
    ontology: OntologyFile = None,
    scope: ScopeValues = None,
    model: ModelSpec = "offline",
    lang: AnswerLanguage = None,
    as_json: Json = False,
    no_ontology: NoOntology = False,
    schema: SchemaStyle = "strict",
    answers: Answers = "bound",
    rounds: Rounds = 8,
    seconds: Seconds = 300.0,
    timeout: Timeout = 120.0,
) -> None:
    """Ask one question. Exit codes: 0 answered, 3 asked back, 4 abstained, 5 blocked, 2 wrong usage or no model."""
    text = sys.stdin.read() if question == "-" else question
    options = _Options(source, feature, ontology, scope, model, no_ontology, schema, answers, rounds, seconds, timeout)
    with opened_agent(options) as agent, live_line(quiet=as_json) as line:
        answer = asyncio.run(agent.ask(text, lang=lang, watch=line))
    if as_json:
        typer.echo(answer.model_dump_json())
    else:
        from veracity.cli.answers import show_answer

        show_answer(answer)
    raise typer.Exit(EXIT_CODES[answer.outcome])


def chat(
    source: Source = None,
    feature: FeatureName = None,
    ontology: OntologyFile = None,
    scope: ScopeValues = None,
    model: ModelSpec = "offline",
    lang: AnswerLanguage = None,
    no_ontology: NoOntology = False,
    schema: SchemaStyle = "strict",
    answers: Answers = "bound",
    rounds: Rounds = 8,
    seconds: Seconds = 300.0,
    timeout: Timeout = 120.0,
) -> None:
    """Talk about your data: follow-up questions, /why for the proof of the last answer, /new to start over, /quit."""
    from veracity.conversation import Conversation

    options = _Options(source, feature, ontology, scope, model, no_ontology, schema, answers, rounds, seconds, timeout)
    with opened_agent(options) as agent:
        typer.echo(
            f"{agent.tools.source.name}, model {agent.model_name}. /why shows the proof, /new starts over, /quit ends."
        )
        talk = Conversation()
        with asyncio.Runner() as runner:
            for line in _lines():
                if line in ("/quit", "/exit", "/q"):
                    break
                if line == "/new":
                    talk = Conversation()
                elif line.startswith("/"):
                    _command(line, talk)
                else:
                    _turn(runner, agent, line, lang, talk)


def _turn(runner: asyncio.Runner, agent: DataAgent, line: str, lang: str | None, talk: Conversation) -> None:
    from veracity.cli.answers import show_answer

    try:
        with live_line() as watch:
            answer = runner.run(agent.ask(line, lang=lang, conversation=talk, watch=watch))
    except KeyboardInterrupt:
        typer.echo("stopped.", err=True)
    except VeracityError as error:
        # The conversation goes on: a dead endpoint may come back.
        typer.echo(f"veracity: {error}", err=True)
    else:
        show_answer(answer, proof=False)


def _command(line: str, talk: Conversation) -> None:
    from veracity.cli.answers import show_proof

    if line != "/why":
        typer.echo(f"There is no {line.split(maxsplit=1)[0]}; there are /why, /new and /quit.")
    elif talk.last is None:
        typer.echo("Nothing was answered yet.")
    else:
        show_proof(talk.last)


def _lines() -> Iterator[str]:
    prompt = "\n? " if sys.stdin.isatty() else ""
    while True:
        try:
            line = input(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            return
        if line:
            yield line


class _Options:
    """What the options of `ask` and `chat` say."""

    def __init__(
        self,
        source: str | None,
        feature: str | None,
        ontology: str | None,
        scope: list[str] | None,
        model: str,
        no_ontology: bool,
        schema: str,
        answers: str,
        rounds: int,
        seconds: float,
        timeout: float,
    ) -> None:
        for name, value, known in (
            ("--schema", schema, ("strict", "plain")),
            ("--answers", answers, ("bound", "text")),
        ):
            if value not in known:
                raise UsageError(f"{name} is {' or '.join(known)}, not {value!r}.")
        self.source, self.feature, self.ontology, self.scope = source, feature, ontology, read_scope(scope)
        self.model, self.no_ontology, self.schema, self.answers = model, no_ontology, schema, answers
        self.rounds, self.seconds, self.timeout = rounds, seconds, timeout


@contextmanager
def opened_agent(options: _Options) -> Iterator[DataAgent]:
    """The agent these options mean."""
    from veracity.agent import Limits
    from veracity.llm.provider import ProviderConfig
    from veracity.open import open_agent

    with building() as progress:
        agent = open_agent(
            options.source,
            feature=options.feature,
            ontology=options.ontology,
            scope=options.scope,
            model=options.model,
            provider=ProviderConfig(timeout=options.timeout),
            limits=Limits(rounds=options.rounds, seconds=options.seconds),
            schema="strict" if options.schema == "strict" else "plain",
            answers="bound" if options.answers == "bound" else "text",
            use_ontology=not options.no_ontology,
            progress=progress,
        )
    try:
        yield agent
    finally:
        agent.close()


class LiveLine:
    """One line on standard error that tells what is going on, and vanishes."""

    def __init__(self, status: Status | None) -> None:
        self._status = status

    def calling(self, tool: str, arguments: Any) -> None:
        """A call is about to run."""
        table = arguments.get("tableName", "") if isinstance(arguments, dict) else ""
        self._say(f"{tool} {table} ...")

    def called(self, log: ToolCallLog) -> None:
        """A call came back."""
        came = f"{log.row_count} rows" if log.success else str(log.validation_failure_code or "failed")
        self._say(f"{log.tool} {log.arguments.get('tableName', '')}: {came}")

    def round_done(self, run: Run) -> None:
        """A round ended."""
        self._say(f"round {run.rounds} done, thinking ...")

    def _say(self, text: str) -> None:
        if self._status is not None:
            from rich.text import Text

            self._status.update(Text(text, style="dim"))


@contextmanager
def live_line(*, quiet: bool = False) -> Iterator[LiveLine]:
    """A live line on a terminal; nothing at all elsewhere."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield LiveLine(None)
        return
    with console.status("thinking ...") as status:
        yield LiveLine(status)
