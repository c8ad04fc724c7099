"""`veracity requirements validate`: the whole team, with its transcript and its verdict."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import Json, with_options
from veracity.cli.requirements.dialogue import Asker, Transcript, asked, exit_code, told, turn_line
from veracity.cli.requirements.improve import opened_model
from veracity.cli.requirements.options import DialogueOptions, chosen_lang, chosen_settings, opened_documents
from veracity.errors import ModelError, UsageError

if TYPE_CHECKING:
    from veracity.requirements.ask_user import AskedQuestion
    from veracity.requirements.case import RequirementCase, Turn
    from veracity.requirements.contracts import Criterion
    from veracity.requirements.society import Society, SocietyRun

Database = Annotated[
    str | None,
    typer.Option("--database", help="A file, or postgresql://... Default: questions.sqlite in the data folder."),
]


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

    wanted, spoken = _criteria(criteria), chosen_lang(options.ask_in)
    settings = chosen_settings(options)
    documents = opened_documents(options, settings=settings)
    asker = Asker.of(options, documents)
    remote = opened_model(options.model)
    if goal and remote is None and not detach:
        typer.echo("note: --goal is read by a language model; without --model it changes nothing.", err=True)
    team = Society(settings=settings, ask=asker.put, watcher=ValidationProgress(quiet=not sys.stderr.isatty()))
    if remote is not None:
        team.model, team.model_name = remote, remote.name
    cases = team.cases(
        [one for document in documents for one in document.requirements], criteria=wanted, lang=spoken, goal=goal
    )
    with ValidationDesk.open(database, society=team) as desk:
        if detach:
            _submitted(desk.hold(cases), len(cases), database, as_json=as_json)
            return
        run = _worked(team, cases)
        run_id = desk.hold(run.results) if run.questions else None
        waiting = desk.questions(run_id) if run_id is not None else ()
    if as_json:
        typer.echo(json.dumps({"run_id": run_id, **run.model_dump(mode="json")}, ensure_ascii=False))
    else:
        for line in (*told(run.results, run, transcript=transcript), *_open(waiting, database)):
            typer.echo(line)
    raise typer.Exit(exit_code(run))


class ValidationProgress:
    """Tells of every turn in one line."""

    def __init__(self, *, quiet: bool = False, err: bool = True) -> None:
        self._quiet, self._err = quiet, err

    def turn_done(self, case: RequirementCase, turn: Turn) -> None:
        """Somebody spoke."""
        if not self._quiet:
            typer.echo(turn_line(case, turn), err=self._err)

    def case_done(self, case: RequirementCase) -> None:
        """Its last turn has told it already."""


def _criteria(said: str) -> tuple[Criterion, ...] | None:
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


def _worked(team: Society, cases: Sequence[RequirementCase]) -> SocietyRun:
    run = asyncio.run(team.go_on(cases))
    if team.model is not None and all(case.stop == "failed" and not case.turns for case in run.results):
        # Nobody could say a word: that is no verdict on the requirements.
        raise ModelError(run.results[0].why)
    return run


def _submitted(run_id: str, count: int, database: str | None, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"run_id": run_id}))
        return
    typer.echo(f"{run_id} is submitted: {count} requirement{'' if count == 1 else 's'}.")
    typer.echo(f"A worker goes on: veracity requirements work --drain{at_database(database)}")


def _open(waiting: Sequence[AskedQuestion], database: str | None) -> Iterator[str]:
    """What is asked, and how to go on."""
    if not waiting:
        return
    first = waiting[0]
    yield f"\n{len(waiting)} open, kept as {first.run_id}:"
    for question in waiting:
        yield from asked(question)
    yield f'Answer: veracity requirements answer {first.question_id} "..."{at_database(database)}'
    yield f"Go on:  veracity requirements work --drain{at_database(database)}"


def at_database(database: str | None) -> str:
    """The option that leads the next command to the same place."""
    from shlex import quote

    return f" --database {quote(database)}" if database is not None else ""
