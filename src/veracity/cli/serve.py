"""`veracity serve`: pages and API, and the worker that does what takes longer."""

from __future__ import annotations

import logging
import webbrowser
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.ask import ModelSpec
from veracity.cli.options import FeatureName, OntologyFile, ScopeValues, Source, building, read_scope
from veracity.errors import UsageError

if TYPE_CHECKING:
    import socket

    from veracity.server.config import ServerSettings

_LEVELS = {"info": logging.INFO, "warning": logging.WARNING}

Host = Annotated[str | None, typer.Option("--host", help="The address to listen on. Default: 127.0.0.1, only this machine.")]  # fmt: skip
Port = Annotated[int | None, typer.Option("--port", help="Default: 8600; 0 is any free one.")]
Workers = Annotated[int | None, typer.Option("--workers", help="Server processes. Default: 1.")]
Database = Annotated[str | None, typer.Option("--database", help="A file, or postgresql://... Default: serve.sqlite in the data folder.")]  # fmt: skip
Qdrant = Annotated[str | None, typer.Option("--qdrant", help="A Qdrant for the known requirements: http://HOST:6333. Default: a file.")]  # fmt: skip
TenantColumn = Annotated[str | None, typer.Option("--tenant-column", help="The scope column that holds a key's tenant. Default: the first.")]  # fmt: skip
Keys = Annotated[str | None, typer.Option("--keys", help="auto: needed on other addresses, and here once there is one. required, off.")]  # fmt: skip
RatePerMinute = Annotated[int | None, typer.Option("--rate-per-minute", help="Requests per key and minute. Default: 600; 0 is no limit.")]  # fmt: skip
RequestSeconds = Annotated[float | None, typer.Option("--request-seconds", help="Seconds a request may take. Default: 120.")]  # fmt: skip
KeepDays = Annotated[float | None, typer.Option("--keep-days", help="Days that traces and guard events are kept. Default: 90; 0 is for ever.")]  # fmt: skip
Reports = Annotated[str | None, typer.Option("--reports", help="A folder of evaluation reports for the Quality page.")]
Corpus = Annotated[str | None, typer.Option("--corpus", help="A folder of what is known already; approved sources are written to it.")]  # fmt: skip
Open = Annotated[bool, typer.Option("--open/--no-open", help="Open the pages in a browser.")]
WorkersOnly = Annotated[bool, typer.Option("--workers-only", help="Only the worker: jobs, reviews and validations.")]
NoWorker = Annotated[bool, typer.Option("--no-worker", help="No worker: another process has it (--workers-only).")]
Log = Annotated[str, typer.Option("--log", help="info: a line of JSON for each request on standard error. warning: only trouble.")]  # fmt: skip


def serve(
    host: Host = None,
    port: Port = None,
    workers: Workers = None,
    database: Database = None,
    qdrant: Qdrant = None,
    source: Source = None,
    feature: FeatureName = None,
    ontology: OntologyFile = None,
    scope: ScopeValues = None,
    tenant_column: TenantColumn = None,
    model: ModelSpec = "offline",
    keys: Keys = None,
    rate_per_minute: RatePerMinute = None,
    request_seconds: RequestSeconds = None,
    keep_days: KeepDays = None,
    reports: Reports = None,
    corpus: Corpus = None,
    browse: Open = False,
    workers_only: WorkersOnly = False,
    no_worker: NoWorker = False,
    log: Log = "info",
) -> None:
    """Serve pages and API. Every option can also be set as VERACITY_SERVE_..., such as VERACITY_SERVE_PORT."""
    given = {
        "host": host,
        "port": port,
        "workers": workers,
        "database": database,
        "qdrant": qdrant,
        "source": source,
        "feature": feature,
        "ontology": ontology,
        "scope": read_scope(scope) or None,
        "tenant_column": tenant_column,
        "model": model if model != "offline" else None,
        "keys": keys,
        "rate_per_minute": rate_per_minute,
        "request_seconds": request_seconds,
        "keep_days": keep_days,
        "reports": reports,
        "corpus": corpus,
    }
    if log not in _LEVELS:
        raise UsageError(f"--log is info or warning, not {log[:40]!r}.")
    if workers_only and no_worker:
        raise UsageError("Give --workers-only or --no-worker, not both.")
    _Serving(given, browse=browse, level=_LEVELS[log]).run(server=not workers_only, worker=not no_worker)


@dataclass(frozen=True, slots=True)
class _Serving:
    """What was asked for on the command line."""

    given: dict[str, Any]
    browse: bool
    level: int

    def run(self, *, server: bool, worker: bool) -> None:
        """Check everything that can be checked, then serve until a signal comes."""
        from veracity.server.config import ServerSettings
        from veracity.server.metrics import counted_together
        from veracity.server.processes import Supervisor, bound, processes

        settings = ServerSettings.read(self.given)
        sock = bound(settings) if server else None
        if sock is not None:
            settings = settings.model_copy(update={"port": sock.getsockname()[1]})
        try:
            with counted_together(settings.workers):
                started = processes()
                check(settings)
                Supervisor(settings, started, self.level).run(
                    lambda: self._tell(settings, sock), sock=sock, worker=worker
                )
        finally:
            if sock is not None:
                sock.close()
        typer.echo("Stopped; nothing is lost.", err=True)

    def _tell(self, settings: ServerSettings, sock: socket.socket | None) -> None:
        if sock is None:
            typer.echo("Looking after jobs, reviews and validations. Stop with Ctrl-C: nothing is lost.")
            return
        typer.echo(f"Veracity is at {settings.origin} - stop with Ctrl-C.")
        if self.browse:
            webbrowser.open(settings.origin)


def check(settings: ServerSettings) -> None:
    """Try everything once, so that what is wrong is told here in one sentence and not in a log."""
    from veracity.server.agents import Agents
    from veracity.server.database import ServerDatabase
    from veracity.server.keys import LOCAL, Caller

    with ServerDatabase.open(settings.database) as database, building() as progress:
        database.check()
        _check_keys(settings, database)
        agents = Agents(settings, database, progress=progress)
        try:
            agents.of(Caller(LOCAL, "admin"))
            if not settings.is_loopback or settings.keys == "required":
                agents.scope("any")
        finally:
            agents.close()


def _check_keys(settings: ServerSettings, database: Any) -> None:
    """A server that others reach and that nobody may use is most likely a mistake."""
    needed = settings.keys == "required" or not settings.is_loopback
    if needed and not database.keys.any():
        where = f" --database {settings.database.rpartition('@')[2]}" if settings.database else ""
        raise UsageError(
            f"A server on {settings.host} needs keys, and there is none yet; "
            f"make one: veracity key create --tenant NAME --role admin{where}"
        )
