"""`veracity answer right | wrong | list`: which answers are right is kept, and asked again by `veracity eval --questions taught`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import Json, user_name
from veracity.language.locale import printable

if TYPE_CHECKING:
    from veracity.agent.judged_answers import JudgedAnswers, Verdict

app = typer.Typer(help="Say whether an answer is right or wrong.", no_args_is_help=True, rich_markup_mode=None)

Trace = Annotated[str, typer.Argument(help="The id of a trace, or its beginning.", metavar="TRACE")]
Why = Annotated[str, typer.Option("--why", help="What is right or wrong about it.")]


def _store() -> JudgedAnswers:
    from veracity.agent.judged_answers import JudgedAnswers

    return JudgedAnswers.default()


@app.command("right")
def right(trace: Trace, why: Why = "") -> None:
    """Keep an answer as a gold question: the same question must come to the same figures again."""
    _judge(trace, "right", why)


@app.command("wrong")
def wrong(trace: Trace, why: Why = "") -> None:
    """Keep an answer as a case to look at."""
    _judge(trace, "wrong", why)


def _judge(trace: str, verdict: Verdict, why: str) -> None:
    from veracity.agent.judged_answers import judged
    from veracity.agent.trace_store import TraceStore

    kept = judged(TraceStore.default().get(trace), verdict, who=user_name(), why=why)
    _store().keep(kept)
    asked_again = "; veracity eval --questions taught asks it again" if verdict == "right" else ""
    typer.echo(f"{kept.trace_id} is kept as {verdict}: {printable(kept.question)}{asked_again}.")


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the judged answers, the newest first."""
    found = _store().latest()
    if as_json:
        typer.echo(json.dumps([json.loads(one.model_dump_json()) for one in found], ensure_ascii=False))
        return
    if not found:
        typer.echo("No answer was judged yet; try: veracity answer right TRACE")
    for one in found:
        why = f" ({one.why})" if one.why else ""
        typer.echo(f"{one.trace_id}  {one.verdict:<5}  {printable(one.question)}{why}, by {one.who}")
