"""`veracity guard events | false-alarm`: what the guard intercepted, and what it should not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import Json
from veracity.errors import UsageError

if TYPE_CHECKING:
    from veracity.grounding.events import GuardEvent

_NARROWEST = 60

app = typer.Typer(help="Look at what the guard intercepted.", no_args_is_help=True, rich_markup_mode=None)


@app.command("events")
def events(
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=1_000_000, help="How many, newest first.")] = 20,
    since: Annotated[str | None, typer.Option("--since", help="Only from this date on: 2026-11-01.")] = None,
    rule: Annotated[
        str | None, typer.Option("--rule", help="Only of this rule: placeholder, unbound_figure, ...")
    ] = None,
    export: Annotated[
        str | None, typer.Option("--export", help="Write all of them to this file, as JSON lines.")
    ] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Print one JSON object per line.")] = False,
    as_json: Json = False,
) -> None:
    """List what was intercepted: when, which rule, which words, what became of it."""
    from veracity.grounding.events import EventStore

    _check_rule(rule)
    found = EventStore.default().latest(None if export else count, since=_moment(since), rule=rule)
    if export:
        typer.echo(f"{_export(found, Path(export))} events written to {export}")
    elif as_json:
        typer.echo(f"[{','.join(event.model_dump_json() for event in found)}]")
    elif jsonl:
        for event in found:
            typer.echo(event.model_dump_json())
    else:
        _show(found)


@app.command("false-alarm")
def false_alarm(
    event_id: Annotated[str, typer.Argument(help="The id of an event, or its beginning.")],
    undo: Annotated[bool, typer.Option("--undo", help="It was none: take the mark away.")] = False,
) -> None:
    """Mark an event as a false alarm, and print what would let it pass."""
    import yaml

    from veracity.grounding.config import guard_file
    from veracity.grounding.events import EventStore, proposal

    event = EventStore.default().mark(event_id, false_alarm=not undo)
    if undo:
        typer.echo(f"{event.event_id} is no longer marked.")
        return
    typer.echo(f"{event.event_id} is marked as a false alarm.", err=True)
    proposed = proposal(event)
    if proposed is None:
        typer.echo(f"No entry can let pass what {event.rule} stops; report it if it happens again.", err=True)
        return
    typer.echo(f"To let it pass, add this to {guard_file()}, or to the file of --guard:", err=True)
    typer.echo(yaml.safe_dump(proposed, allow_unicode=True, sort_keys=False).rstrip())


def _check_rule(rule: str | None) -> None:
    from veracity.grounding.config import RULES
    from veracity.query.nearest import did_you_mean

    if rule is not None and rule not in RULES:
        mend = did_you_mean(rule, RULES)
        raise UsageError(
            f"There is no rule {rule[:40]!r}" + (mend if mend != "." else f"; there are {', '.join(RULES)}.")
        )


def _moment(since: str | None) -> datetime | None:
    if since is None:
        return None
    try:
        found = datetime.fromisoformat(since.strip())
    except ValueError:
        raise UsageError(f"--since is a date such as 2026-11-01, not {since[:40]!r}.") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _export(found: Iterable[GuardEvent], path: Path) -> int:
    try:
        with path.open("w", encoding="utf-8") as stream:
            return sum(1 for event in found if stream.write(event.model_dump_json() + "\n"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "there can be no such file"
        raise UsageError(f"{path} cannot be written: {reason.lower()}.") from None


def _show(found: Iterator[GuardEvent]) -> None:
    from rich.console import Console
    from rich.text import Text

    from veracity.cli.answers import safe

    console, shown = Console(), False
    for event in found:
        shown = True
        mark = " (false alarm)" if event.false_alarm else ""
        said = f"  {safe(event.text)}" if event.text else ""
        asked = f"  ? {safe(event.question)}" if event.question else ""
        line = Text(f"{event.event_id}  {event.rule}{mark}  {event.outcome}{said}{asked}")
        # --json has everything in full.
        line.truncate(max(console.width, _NARROWEST), overflow="ellipsis")
        console.print(line, soft_wrap=True)
    if not shown:
        typer.echo("Nothing was intercepted.")
