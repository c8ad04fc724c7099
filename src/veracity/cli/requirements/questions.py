"""`veracity requirements questions | answer | work | show`: what a validation waits for, and how it goes on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import Json, ModelSpec, user_name
from veracity.cli.requirements.dialogue import Transcript, asked, exit_code, one_line, told
from veracity.cli.requirements.improve import opened_model
from veracity.cli.requirements.validate import Database, ValidationProgress, at_database

if TYPE_CHECKING:
    from veracity.requirements.ask_user import AskedQuestion, ValidationDesk
    from veracity.requirements.society import Society

RunId = Annotated[str, typer.Argument(metavar="RUN", help="The id of a validation, or its beginning.")]


def questions(
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="Only those of this validation.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also what is answered or came too late.")] = False,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """List the questions that wait for an answer, the oldest first."""
    with _desk(database) as desk:
        run_id = desk.show(run).run_id if run is not None else None
        found = desk.questions(run_id, state=None if everything else "waiting")
    if as_json:
        typer.echo(f"[{','.join(one.model_dump_json() for one in found)}]")
        return
    for one in found:
        for line in (*asked(one), *_state(one)):
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
    with _desk(database) as desk:
        found = desk.answer(question, text, who or user_name())
    if as_json:
        typer.echo(found.model_dump_json())
    else:
        going_on = f"veracity requirements work --drain{at_database(database)}"
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
    with _desk(database, team) as desk:
        typer.echo(
            f"Looking after the validations in {desk.durable.shown}. Stop with Ctrl-C: nothing is lost.", err=True
        )
        Worker([desk], drain=drain).run(stop)


def show(run: RunId, database: Database = None, transcript: Transcript = True, as_json: Json = False) -> None:
    """Show a validation: transcript, results, verdict. Exit codes: 0 approved, 1 not approved, 3 not done yet."""
    with _desk(database) as desk:
        record = desk.show(run)
        waiting = desk.questions(record.run_id)
    done = record.run
    if as_json:
        cases = [case.model_dump(mode="json") for case in record.cases]
        whole = {"results": cases, **(done.model_dump(mode="json") if done is not None else {})}
        typer.echo(json.dumps({"run_id": record.run_id, "state": record.state, **whole}, ensure_ascii=False))
    else:
        for line in (
            *told(record.cases, done, transcript=transcript),
            *(line for one in waiting for line in asked(one)),
        ):
            typer.echo(line)
    raise typer.Exit(exit_code(done))


def _desk(database: str | None, team: Society | None = None) -> ValidationDesk:
    from veracity.requirements.ask_user import ValidationDesk

    return ValidationDesk.open(database, society=team)


def _state(question: AskedQuestion) -> tuple[str, ...]:
    """What became of a question that waits no more."""
    if question.answer is not None:
        return (f"  > {one_line(question.answer)}  ({one_line(question.who or 'unknown')})",)
    return ("  > nobody answered in time",) if question.state == "expired" else ()
