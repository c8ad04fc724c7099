"""`veracity requirements validate | questions | answer | work | show`: what the team comes to, and what it waits for."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import Json, ModelSpec, user_name, with_options
from veracity.cli.requirements.dialogue import (
    Asker,
    Transcript,
    exit_code_of_run,
    one_line,
    question_lines,
    turn_line,
    validation_lines,
)
from veracity.cli.requirements.improve import opened_model
from veracity.cli.requirements.options import DialogueOptions, chosen_lang, chosen_settings, opened_documents
from veracity.errors import ModelError, UsageError

if TYPE_CHECKING:
    from veracity.requirements.ask_user import AskedQuestion, ValidationDesk
    from veracity.requirements.case import RequirementCase, Turn
    from veracity.requirements.contracts import Criterion
    from veracity.requirements.society import Society, SocietyRun

Database = Annotated[
    str | None,
    typer.Option(
        "--database", help="A file, or postgresql://... Default: the store of this user, which the server shows, too."
    ),
]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="The id of a validation, or its beginning.")]


@with_options(
    order="files model goal criteria answers no_input database detach column as_ config lang ask_in transcript as_json"
)
def validate(
    options: DialogueOptions,
    goal: Annotated[str, typer.Option("--goal", help="What you want to reach; a model reads it.")] = "",
    criteria: Annotated[
        str, typer.Option("--criteria", help="all, some of clarity,testability,measurability, or ask: you are asked.")
    ] = "all",
    database: Database = None,
    detach: Annotated[bool, typer.Option("--detach", help="Only submit it; a worker does it.")] = False,
    transcript: Transcript = True,
    as_json: Json = False,
) -> None:
    """Let the team check and improve requirements. Exit codes: 0 approved, 1 not approved, 3 questions are open."""
    from veracity.requirements.ask_user import ValidationDesk
    from veracity.requirements.society import Society

    wanted, spoken = _read_criteria(criteria), chosen_lang(options.ask_in)
    settings = chosen_settings(options)
    documents = opened_documents(options, settings=settings)
    asker = Asker.of(options, documents)
    remote = opened_model(options.model)
    if goal and remote is None and not detach:
        typer.echo("note: --goal is read by a language model; without --model it changes nothing.", err=True)
    team = Society(settings=settings, ask=asker.ask_question, watcher=ValidationProgress(quiet=not sys.stderr.isatty()))
    if remote is not None:
        team.model, team.model_name = remote, remote.name
    cases = team.cases(
        [one for document in documents for one in document.requirements], criteria=wanted, lang=spoken, goal=goal
    )
    with ValidationDesk.open(database, society=team) as desk:
        if detach:
            _tell_submitted(desk.hold(cases), len(cases), database, as_json=as_json)
            return
        run = _let_team_work(team, cases)
        run_id = desk.hold(run.results) if run.questions else None
        waiting = desk.questions(run_id) if run_id is not None else ()
    if as_json:
        typer.echo(json.dumps({"run_id": run_id, **run.model_dump(mode="json")}, ensure_ascii=False))
    else:
        for line in (
            *validation_lines(run.results, run, transcript=transcript),
            *_open_question_lines(waiting, database),
        ):
            typer.echo(line)
    raise typer.Exit(exit_code_of_run(run))


class ValidationProgress:
    """Tells of every turn in one line."""

    def __init__(self, *, quiet: bool = False, err: bool = True) -> None:
        self._quiet, self._err = quiet, err

    def turn_done(self, case: RequirementCase, turn: Turn) -> None:
        """Print the turn."""
        if not self._quiet:
            typer.echo(turn_line(case, turn), err=self._err)

    def case_done(self, case: RequirementCase) -> None:
        """Print nothing: the last turn has said how the case ended."""


def _read_criteria(said: str) -> tuple[Criterion, ...] | None:
    """The criteria of an option; None: the user is asked."""
    from veracity.requirements.contracts import CRITERIA

    names = [name.strip() for name in said.split(",")]
    if names == ["ask"]:
        return None
    if names == ["all"]:
        return CRITERIA
    if unknown := next((name for name in names if name not in CRITERIA), None):
        raise UsageError(f"--criteria is all, ask, or some of {','.join(CRITERIA)}; there is no {unknown[:40]!r}.")
    return tuple(name for name in CRITERIA if name in names)


def _let_team_work(team: Society, cases: Sequence[RequirementCase]) -> SocietyRun:
    run = asyncio.run(team.go_on(cases))
    if team.model is not None and all(case.stop == "failed" and not case.turns for case in run.results):
        # Nobody could say a word: that is no verdict on the requirements.
        raise ModelError(run.results[0].why)
    return run


def _tell_submitted(run_id: str, count: int, database: str | None, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"run_id": run_id}))
        return
    typer.echo(f"{run_id} is submitted: {count} requirement{'' if count == 1 else 's'}.")
    typer.echo(f"A worker goes on: veracity requirements work --drain{database_option(database)}")


def _open_question_lines(waiting: Sequence[AskedQuestion], database: str | None) -> Iterator[str]:
    """What is asked, and how to go on."""
    if not waiting:
        return
    first = waiting[0]
    yield f"\n{len(waiting)} open, kept as {first.run_id}:"
    for question in waiting:
        yield from question_lines(question)
    yield f'Answer: veracity requirements answer {first.question_id} "..."{database_option(database)}'
    yield f"Go on:  veracity requirements work --drain{database_option(database)}"


def database_option(database: str | None) -> str:
    """The option with which the next command uses the same database."""
    from shlex import quote

    return f" --database {quote(database)}" if database is not None else ""


# --- validations that wait for answers, or for a worker


def questions(
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="Only those of this validation.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also what is answered or came too late.")] = False,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """List the questions that wait for an answer, the oldest first."""
    with _opened_desk(database) as desk:
        run_id = desk.show(run).run_id if run is not None else None
        found = desk.questions(run_id, state=None if everything else "waiting")
    if as_json:
        typer.echo(f"[{','.join(one.model_dump_json() for one in found)}]")
        return
    for one in found:
        for line in (*question_lines(one), *_answer_lines(one)):
            typer.echo(line)
    if not found:
        typer.echo("There is no open question." if not everything else "There is no question.")


def answer(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The id of a question, or its beginning.")],
    text: Annotated[str, typer.Argument(help="What you say to it, in your own words.")],
    who: Annotated[str | None, typer.Option("--who", help="Who answers. Default: your user name.")] = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Answer a question; the first answer counts, and a worker goes on with it."""
    with _opened_desk(database) as desk:
        found = desk.answer(question, text, who or user_name())
    if as_json:
        typer.echo(found.model_dump_json())
    else:
        going_on = f"veracity requirements work --drain{database_option(database)}"
        typer.echo(f"{found.question_id} is answered. A worker goes on: {going_on}")


def work(
    model: ModelSpec = "offline",
    database: Database = None,
    drain: Annotated[bool, typer.Option("--drain", help="End when all that waits for nobody is done.")] = False,
) -> None:
    """Look after validations until stopped: go on with what is answered, or was submitted with --detach."""
    from veracity.durable.worker import Worker, stopped_by_signals
    from veracity.requirements.society import Society

    team = Society(watcher=ValidationProgress(err=False))
    remote = opened_model(model)
    if remote is not None:
        team.model, team.model_name = remote, remote.name
    stop = stopped_by_signals()
    with _opened_desk(database, team) as desk:
        typer.echo(
            f"Looking after the validations in {desk.durable.shown}. Stop with Ctrl-C: nothing is lost.", err=True
        )
        Worker([desk], drain=drain).run(stop)


def show(run: RunId, database: Database = None, transcript: Transcript = True, as_json: Json = False) -> None:
    """Show a validation: transcript, results, verdict. Exit codes: 0 approved, 1 not approved, 3 not done yet."""
    with _opened_desk(database) as desk:
        record = desk.show(run)
        waiting = desk.questions(record.run_id)
    done = record.run
    if as_json:
        cases = [case.model_dump(mode="json") for case in record.cases]
        whole = {"results": cases, **(done.model_dump(mode="json") if done is not None else {})}
        typer.echo(json.dumps({"run_id": record.run_id, "state": record.state, **whole}, ensure_ascii=False))
    else:
        for line in (
            *validation_lines(record.cases, done, transcript=transcript),
            *(line for one in waiting for line in question_lines(one)),
        ):
            typer.echo(line)
    raise typer.Exit(exit_code_of_run(done))


def _opened_desk(database: str | None, team: Society | None = None) -> ValidationDesk:
    from veracity.requirements.ask_user import ValidationDesk

    return ValidationDesk.open(database, society=team)


def _answer_lines(question: AskedQuestion) -> tuple[str, ...]:
    """What became of a question that waits no more."""
    if question.answer is not None:
        return (f"  > {one_line(question.answer)}  ({one_line(question.who or 'unknown')})",)
    return ("  > nobody answered in time",) if question.state == "expired" else ()
