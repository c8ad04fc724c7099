"""`veracity trace list | show`: what was asked, how it was answered, and why that can be believed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import Json
from veracity.errors import UsageError

if TYPE_CHECKING:
    from veracity.agent.recorder import KeptTrace
    from veracity.agent.trace_store import TraceStore

_NARROWEST = 50

app = typer.Typer(help="Look at earlier questions and their proofs.", no_args_is_help=True, rich_markup_mode=None)


def _trace_store() -> TraceStore:
    from veracity.agent.trace_store import TraceStore

    return TraceStore.default()


@app.command("list")
def list_(
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=10_000, help="How many, newest first.")] = 20,
    as_json: Json = False,
) -> None:
    """List the latest questions."""
    found = _trace_store().latest(count)
    if as_json:
        typer.echo(json.dumps([json.loads(summary.model_dump_json()) for summary in found], ensure_ascii=False))
        return
    if not found:
        typer.echo('No question was asked yet; try: veracity ask "Was ist der Banksaldo per 31.12.2025?"')
        return
    from rich.console import Console
    from rich.text import Text

    from veracity.cli.show import safe

    console = Console()
    for summary in found:
        line = Text(f"{summary.trace_id}  {summary.outcome or 'unfinished':<10} {safe(summary.question)}")
        # --json has every question in full.
        line.truncate(max(console.width, _NARROWEST), overflow="ellipsis")
        console.print(line, soft_wrap=True)


@app.command("show")
def show(
    trace_id: Annotated[str, typer.Argument(help="The id of a trace, or its beginning.")],
    as_json: Json = False,
) -> None:
    """Show one question with its calls, errors, repairs, answer and proof."""
    record = _trace_store().get(trace_id)
    if as_json:
        typer.echo(record.model_dump_json())
        return
    from rich.console import Console

    from veracity.agent.recorder import KeptTrace
    from veracity.cli.show import call_line, say, show_answer

    kept = KeptTrace.of(record)
    if kept is None:
        raise UsageError(
            f"Trace {record.trace_id} was written by another version of Veracity; --json shows it as it is."
        )
    console = Console()
    heading = f"{record.trace_id}  {record.started_at:%Y-%m-%d %H:%M:%S} UTC  {record.model}  {record.source}"
    say(console, heading, indent="")
    say(console, f"? {record.question}", indent="", style="bold")
    if record.body.get("understoodAs") not in (None, record.question):
        say(console, f"understood as: {record.body['understoodAs']}")
    for call in kept.run.calls:
        say(console, call_line(call))
    for line in _refused_lines(kept):
        say(console, line)
    if kept.answer is None:
        because = f" ({kept.because})" if kept.because else ""
        say(console, f"not finished: the run was cut off here{because}", style="yellow")
    else:
        show_answer(kept.answer, full=True)


def _refused_lines(kept: KeptTrace) -> Iterator[str]:
    """Each draft that did not pass, and why; earlier versions kept the reasons only."""
    for draft in kept.refused:
        yield f"round {draft.round}: {draft.kind} refused: {draft.text}"
    for refusal in kept.run.refusals:
        field = f" {refusal.field}" if refusal.field else ""
        yield f"answer sent back: {refusal.code}{field}: {refusal.hint}"
