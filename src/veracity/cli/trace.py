"""`veracity trace list | show`: what was asked, how it was answered, and why that can be believed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.options import Json

if TYPE_CHECKING:
    from veracity.store import TraceStore

app = typer.Typer(help="Look at earlier questions and their proofs.", no_args_is_help=True, rich_markup_mode=None)


def _store() -> TraceStore:
    from veracity.settings import Settings
    from veracity.store import TraceStore

    return TraceStore(Settings.from_env().home / "traces.sqlite")


@app.command("list")
def list_(
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=10_000, help="How many, newest first.")] = 20,
    as_json: Json = False,
) -> None:
    """List the latest questions."""
    found = _store().latest(count)
    if as_json:
        typer.echo(json.dumps([json.loads(summary.model_dump_json()) for summary in found], ensure_ascii=False))
        return
    if not found:
        typer.echo('No question was asked yet; try: veracity ask "Was ist der Banksaldo per 31.12.2025?"')
    from rich.console import Console
    from rich.text import Text

    console = Console()
    for summary in found:
        outcome = summary.outcome or "unfinished"
        console.print(Text(f"{summary.trace_id}  {outcome:<10} {summary.question}"), soft_wrap=True)


@app.command("show")
def show(
    trace_id: Annotated[str, typer.Argument(help="The id of a trace, or its beginning.")],
    as_json: Json = False,
) -> None:
    """Show one question with its calls, errors, repairs, answer and proof."""
    record = _store().get(trace_id)
    if as_json:
        typer.echo(record.model_dump_json())
        return
    typer.echo(f"{record.trace_id}  {record.started_at:%Y-%m-%d %H:%M:%S} UTC  {record.model}  {record.source}")
    typer.echo(f"? {record.question}")
    if record.body.get("understoodAs") not in (None, record.question):
        typer.echo(f"  understood as: {record.body['understoodAs']}")
    trace: dict[str, Any] = record.body.get("trace", {})
    for call in trace.get("calls", ()):
        typer.echo(_call_line(call))
    for refusal in trace.get("refusals", ()):
        typer.echo(f"  answer sent back: {refusal['code']} {refusal['field'] or ''}: {refusal['hint']}")
    if not record.finished:
        typer.echo("  (not finished)")
        return
    from veracity.answer.answer import Answer
    from veracity.cli.answers import show_answer

    fields = {key: value for key, value in record.body.items() if key not in ("understoodAs", "rows")}
    show_answer(Answer.model_validate(fields))


def _call_line(call: dict[str, Any]) -> str:
    arguments = json.dumps(call["arguments"], ensure_ascii=False)
    if call["success"]:
        came = f"{call['resultId']}, {call['rowCount']} rows"
    else:
        came = f"{call['error']}" + (f" (try {call['suggestion']})" if call.get("suggestion") else "")
    return f"  round {call['round']}: {call['tool']} {arguments} -> {came}, {call['milliseconds']:.0f} ms"
