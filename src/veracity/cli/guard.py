"""`veracity ground` and `veracity guard events | false-alarm`: answers held against tool results, and what was stopped."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.options import Json
from veracity.errors import UsageError

if TYPE_CHECKING:
    from veracity.grounding.config import GuardConfig
    from veracity.grounding.contracts import GroundRequest, Verdict
    from veracity.grounding.events import EventStore, GuardEvent


_LONGEST_LINE = 64_000_000
"""Bytes of one request; a longer line is skipped without being kept."""
_BATCH = 500
_ESCAPED = b"\\ud"
"""Where half a character may be written."""

GuardFile = Annotated[
    str | None, typer.Option("--guard", help="A guard file. Default: guard.yaml in VERACITY_HOME, if there is one.")
]


def ground(
    source: Annotated[
        str, typer.Option("--input", help="A JSON file with answer and results; - reads standard input.")
    ],
    jsonl: Annotated[bool, typer.Option("--jsonl", help="One request per line in, one verdict per line out.")] = False,
    guard: GuardFile = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Figures that could belong to several cells only warn.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Also block what cannot be checked against the results.")
    ] = False,
    no_events: Annotated[bool, typer.Option("--no-events", help="Do not record what is blocked.")] = False,
    as_json: Json = False,
) -> None:
    """Check an answer against its results. Exit codes: 0 pass, 1 block, 2 bad input."""
    from veracity.grounding.config import guard_for
    from veracity.grounding.events import EventStore

    config = guard_for(guard)
    if lenient:
        config = config.model_copy(update={"mode": "lenient"})
    desk = _AnswerJudge(config, None if no_events else EventStore.default(), strict=strict)
    with _opened_input(source) as stream:
        code = (
            _judge_lines(stream, desk)
            if jsonl
            else _judge_one(stream, desk, pretty=sys.stdout.isatty() and not as_json)
        )
    desk.finish()
    raise typer.Exit(code)


class _AnswerJudge:
    """Judges one request after the other, and keeps what was blocked."""

    def __init__(self, config: GuardConfig, store: EventStore | None, *, strict: bool) -> None:
        from veracity.telemetry import Telemetry

        self._strict = strict
        self._config, self._store, self._telemetry = config, store, Telemetry.from_env()
        self._events: list[GuardEvent] = []

    def judge(self, request: GroundRequest) -> Verdict:
        from veracity.grounding.events import events_of
        from veracity.grounding.guard import ground_request

        asked = request.model_copy(update={"strict": True}) if self._strict else request
        verdict = ground_request(asked, self._config)
        for event in events_of(verdict, question=request.question):
            self._telemetry.intercepted(event.rule, event.outcome)
            self._events.append(event)
        if len(self._events) >= _BATCH:
            self._keep_events()
        return verdict

    def finish(self) -> None:
        self._keep_events()
        self._telemetry.shutdown()

    def _keep_events(self) -> None:
        events, self._events = self._events, []
        if self._store is None:
            return
        try:
            self._store.save(events)
        except UsageError as error:
            # An event that cannot be kept does not change a verdict; whoever runs the command is told once.
            self._store = None
            typer.echo(f"note: events are not recorded: {error}", err=True)


@contextmanager
def _opened_input(source: str) -> Iterator[IO[bytes]]:
    if source == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = Path(source).open("rb")  # noqa: SIM115  closed below; here only opening may fail
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "there can be no such file"
        raise UsageError(f"{source[:200]} cannot be read: {reason.lower()}.") from None
    with stream:
        try:
            yield stream
        except IsADirectoryError:
            raise UsageError(f"{source[:200]} is a folder; name a JSON file.") from None


def _judge_one(stream: IO[bytes], desk: _AnswerJudge, *, pretty: bool) -> int:
    raw = stream.read(_LONGEST_LINE + 1)
    if len(raw) > _LONGEST_LINE:
        raise UsageError(f"The input has more than {_LONGEST_LINE // 1_000_000} MB; use --jsonl for many answers.")
    verdict = desk.judge(read_request(raw))
    _write_line(verdict.model_dump_json(indent=2 if pretty else None))
    return 0 if verdict.verdict == "pass" else 1


def _judge_lines(stream: IO[bytes], desk: _AnswerJudge) -> int:
    """Line by line, in order; a bad line is reported in its place."""
    bad = blocked = 0
    for number, raw in _numbered_lines(stream):
        try:
            verdict = desk.judge(read_request(raw))
        except UsageError as error:
            bad += 1
            _write_line(_error_line(number, str(error)))
            continue
        blocked += verdict.verdict == "block"
        _write_line(verdict.model_dump_json())
    return 2 if bad else 1 if blocked else 0


def _numbered_lines(stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines that are not empty, with their numbers; of one that is too long, only so much that it shows."""
    number = 0
    while raw := stream.readline(_LONGEST_LINE + 1):
        number += 1
        whole = raw
        while not whole.endswith(b"\n") and len(whole) > _LONGEST_LINE:
            whole = stream.readline(_LONGEST_LINE + 1)
            if not whole:
                break
        if raw.strip():
            yield number, raw


def read_request(raw: bytes) -> GroundRequest:
    """One request; numbers with decimals stay exact."""
    from pydantic import ValidationError

    from veracity.cli.tables import read_arguments
    from veracity.grounding.contracts import GroundRequest
    from veracity.grounding.guard import wrong_input

    if len(raw) > _LONGEST_LINE:
        raise UsageError(f"The input has more than {_LONGEST_LINE // 1_000_000} MB.")
    given = read_arguments(raw, what="The input is", such_as='{"answer": "...", "results": []}')
    try:
        return GroundRequest.model_validate(_without_half_characters(given) if _ESCAPED in raw.lower() else given)
    except ValidationError as error:
        raise UsageError(f"The input is not a request: {wrong_input(error)}.") from None
    except RecursionError:
        raise UsageError("The input is nested too deeply.") from None


def _without_half_characters(value: Any) -> Any:
    """The same, without halves of characters, which no JSON could hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_without_half_characters(key): _without_half_characters(inner) for key, inner in value.items()}
    return [_without_half_characters(inner) for inner in value] if isinstance(value, list) else value


def _error_line(number: int, message: str) -> str:
    import json

    said: dict[str, Any] = {"line": number, "error": message}
    return json.dumps(said, ensure_ascii=False)


def _write_line(line: str) -> None:
    sys.stdout.buffer.write(line.encode("utf-8", "replace") + b"\n")
    # Whoever sends line by line waits for each verdict.
    sys.stdout.buffer.flush()


# --- `veracity guard events | false-alarm`: what the guard intercepted, and what it should not have


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
    found = EventStore.default().latest(None if export else count, since=_read_since(since), rule=rule)
    if export:
        typer.echo(f"{_export_events(found, Path(export))} events written to {export}")
    elif as_json:
        typer.echo(f"[{','.join(event.model_dump_json() for event in found)}]")
    elif jsonl:
        for event in found:
            typer.echo(event.model_dump_json())
    else:
        _show_events(found)


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
    from veracity.language.nearest import did_you_mean

    if rule is not None and rule not in RULES:
        mend = did_you_mean(rule, RULES)
        raise UsageError(
            f"There is no rule {rule[:40]!r}" + (mend if mend != "." else f"; there are {', '.join(RULES)}.")
        )


def _read_since(since: str | None) -> datetime | None:
    if since is None:
        return None
    try:
        found = datetime.fromisoformat(since.strip())
    except ValueError:
        raise UsageError(f"--since is a date such as 2026-11-01, not {since[:40]!r}.") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _export_events(found: Iterable[GuardEvent], path: Path) -> int:
    try:
        with path.open("w", encoding="utf-8") as stream:
            return sum(1 for event in found if stream.write(event.model_dump_json() + "\n"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "there can be no such file"
        raise UsageError(f"{path} cannot be written: {reason.lower()}.") from None


def _show_events(found: Iterator[GuardEvent]) -> None:
    from rich.console import Console
    from rich.text import Text

    from veracity.cli.show import safe

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
