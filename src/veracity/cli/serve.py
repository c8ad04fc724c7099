"""`veracity serve`, `mcp` and `key`: the server, the tools for other agents, and who may use them."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import webbrowser
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from veracity.cli.options import (
    AgentOptions,
    DataOptions,
    Json,
    ModelSpec,
    building,
    is_flag,
    opened_agent,
    read_scope,
    with_options,
)
from veracity.errors import UsageError

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from veracity.ask.data_agent import DataAgent
    from veracity.mcp.toolbox import Toolbox
    from veracity.server.config import ServerSettings
    from veracity.server.database import ServerDatabase
    from veracity.server.keys import KeyInfo, Role

_LEVELS = {"info": logging.INFO, "warning": logging.WARNING}

Host = Annotated[str | None, typer.Option("--host", help="The address to listen on. Default: 127.0.0.1, only this machine.")]  # fmt: skip
Port = Annotated[int | None, typer.Option("--port", help="Default: 8600; 0 is any free one.")]
Workers = Annotated[int | None, typer.Option("--workers", help="Server processes. Default: 1.")]
Database = Annotated[str | None, typer.Option("--database", help="A file, or postgresql://... Default: veracity.sqlite in the data folder, as for the command line.")]  # fmt: skip
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


@with_options()
def serve(
    host: Host = None,
    port: Port = None,
    workers: Workers = None,
    database: Database = None,
    qdrant: Qdrant = None,
    *,
    data: DataOptions,
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
    """Serve pages and API. Options can also be set as VERACITY_SERVE_PORT and so on, or in veracity.toml under [serve]."""
    given = {
        "host": host,
        "port": port,
        "workers": workers,
        "database": database,
        "qdrant": qdrant,
        **asdict(data),
        "scope": read_scope(data.scope) or None,
        "tenant_column": tenant_column,
        "model": model if is_flag("model") else None,
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
    """What `veracity serve` was told, and how it runs."""

    given: dict[str, Any]
    browse: bool
    level: int

    def run(self, *, server: bool, worker: bool) -> None:
        """Check everything that can be checked, then serve until a signal comes."""
        from veracity.server.config import ServerSettings
        from veracity.server.metrics import counted_together
        from veracity.server.processes import Supervisor, listening_socket, start_context

        settings = ServerSettings.read(self.given)
        sock = listening_socket(settings) if server else None
        if sock is not None:
            settings = settings.model_copy(update={"port": sock.getsockname()[1]})
        try:
            with counted_together(settings.workers):
                started = start_context()
                check_settings(settings)
                Supervisor(settings, started, self.level).run(
                    lambda: self._announce(settings, sock), sock=sock, worker=worker
                )
        finally:
            if sock is not None:
                sock.close()
        typer.echo("Stopped; nothing is lost.", err=True)

    def _announce(self, settings: ServerSettings, sock: socket.socket | None) -> None:
        if sock is None:
            typer.echo("Looking after jobs, reviews and validations. Stop with Ctrl-C: nothing is lost.")
            return
        typer.echo(f"Veracity is at {settings.origin} - stop with Ctrl-C.")
        if self.browse:
            webbrowser.open(settings.origin)


def check_settings(settings: ServerSettings) -> None:
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
    """Raise where a server that others reach has no key yet: nobody could use it."""
    needed = settings.keys == "required" or not settings.is_loopback
    if needed and not database.keys.any():
        where = f" --database {settings.database.rpartition('@')[2]}" if settings.database else ""
        raise UsageError(
            f"A server on {settings.host} needs keys, and there is none yet; "
            f"make one: veracity key create --tenant NAME --role admin{where}"
        )


# --- `veracity mcp`: the guarded tools for any MCP client


_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - compared with, not listened at


@with_options()
def mcp(
    data: DataOptions,
    model: ModelSpec = "offline",
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP, at /mcp, in place of stdio.")] = False,
    host: Annotated[
        str, typer.Option("--host", help="With --http: where to listen. Others than this machine need --database.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="With --http: the port; 0 takes a free one.")
    ] = 8601,
    database: Annotated[
        str | None,
        typer.Option("--database", help="With --http: the database of 'veracity key'; every request then needs a key."),
    ] = None,
    tenant_column: Annotated[
        str | None, typer.Option("--tenant-column", help="With --database: the scope column that holds the tenant.")
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option("--allow-host", help="With --database: a further name that clients call it by.")
    ] = None,
) -> None:
    """Serve the guarded tools to an MCP client over stdio; standard output belongs to the protocol."""
    if not http:
        if database or tenant_column or allow_host:
            raise UsageError(
                "Keys are for HTTP: add --http, or leave out --database, --tenant-column and --allow-host."
            )
        from veracity.mcp.server import serve_stdio

        with opened_agent(AgentOptions(**asdict(data), model=model)) as agent:
            asyncio.run(serve_stdio(_toolbox(agent)))
        return
    from veracity.mcp.http import http_app, listen, run
    from veracity.mcp.server import always

    _check_address(host, database)
    with ExitStack() as closing, listen(host, port) as listener:
        if database is None:
            agent = closing.enter_context(opened_agent(AgentOptions(**asdict(data), model=model)))
            app = http_app(always(_toolbox(agent)))
        else:
            given = {**asdict(data), "scope": read_scope(data.scope), "tenant_column": tenant_column, "model": model}
            app = _app_with_keys(closing, database, given, _host_names(host, allow_host))
        shown = f"[{host}]" if ":" in host else host
        typer.echo(f"veracity mcp: http://{shown}:{listener.getsockname()[1]}/mcp", err=True)
        run(app, listener)


def _toolbox(agent: DataAgent) -> Toolbox:
    from veracity.grounding.config import guard_for
    from veracity.grounding.events import EventStore
    from veracity.mcp.toolbox import Toolbox
    from veracity.tools.tables import TableTools

    tables = agent.tools
    assert isinstance(tables, TableTools)
    return Toolbox(tables, guard=guard_for(None), keep_events=EventStore.default().save, agent=agent)


def _check_address(host: str, database: str | None) -> None:
    from veracity.server.config import is_loopback

    if database is None and not is_loopback(host):
        raise UsageError(
            f"On {host} others can reach it, so it needs keys: name their database with --database, "
            "and make one with 'veracity key create'."
        )


def _host_names(host: str, further: list[str] | None) -> list[str]:
    """The names that clients may call this machine by."""
    own = [socket.gethostname(), socket.getfqdn()] if host in _EVERYWHERE else [f"[{host}]" if ":" in host else host]
    return list(dict.fromkeys([*own, *(further or ())]))


def _app_with_keys(closing: ExitStack, database: str, given: dict[str, object], names: list[str]) -> Starlette:
    """The application for everybody who holds a key, each over the rows of their tenant."""
    from veracity.mcp.http import TenantToolboxes, http_app
    from veracity.server.agents import Agents
    from veracity.server.config import ServerSettings
    from veracity.server.database import ServerDatabase

    settings = ServerSettings.read({**given, "database": database})
    kept = closing.enter_context(ServerDatabase.open(database))
    kept.check()
    agents = Agents(settings, kept)
    closing.callback(agents.close)
    if not kept.keys.any():
        typer.echo("note: there is no key yet; make one with 'veracity key create'.", err=True)
    return http_app(TenantToolboxes(agents, kept).of, keys=kept.keys, hosts=names)


# --- `veracity key create | list | revoke`: who may use a server, for which tenant, in which role


KeyDatabase = Annotated[
    str | None,
    typer.Option("--database", help="The server's database: a file, or postgresql://... Default: veracity.sqlite in the data folder."),
]  # fmt: skip
Tenant = Annotated[str, typer.Option("--tenant", help="Whose data the key opens, such as m-demo.")]
RoleName = Annotated[
    str,
    typer.Option("--role", help="analyst asks; reviewer also decides reviews and answers; admin also manages keys."),
]

app = typer.Typer(
    help="Make, list and revoke the keys of a server.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("create")
def create(
    tenant: Tenant,
    role: RoleName = "analyst",
    name: Annotated[str, typer.Option("--name", help="A note on who has the key.")] = "",
    days: Annotated[float | None, typer.Option("--days", help="How long it is valid. Default: until revoked.")] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope",
            help="column=value that the tenant's rows have besides the tenant's name. Default: that of its other keys, or the server's.",
        ),
    ] = None,
    database: KeyDatabase = None,
    as_json: Json = False,
) -> None:
    """Make a key. It is shown once; only its fingerprint is kept."""
    with _opened_database(database) as opened:
        held = read_scope(scope) or None
        plain, info = opened.keys.create(tenant, cast("Role", role), name=name, days=days, scope=held)
    if as_json:
        typer.echo(json.dumps({"key": plain, **info.model_dump(mode="json")}))
        return
    typer.echo(plain)
    until = f"until {info.expires_at:%Y-%m-%d %H:%M} UTC" if info.expires_at else "until it is revoked"
    typer.echo(
        f"{info.role} of {info.tenant}{_scope_in_brackets(info.scope)}, valid {until}. Keep it now: it is not shown again. "
        f"Revoke it with: veracity key revoke {info.key_id}",
        err=True,
    )


@app.command("list")
def list_(
    tenant: Annotated[str | None, typer.Option("--tenant", help="Only those of this tenant.")] = None,
    database: KeyDatabase = None,
    as_json: Json = False,
) -> None:
    """List the keys: whose they are, what they may, whether they are still valid."""
    with _opened_database(database) as opened:
        found = opened.keys.list(tenant)
    now = datetime.now(UTC)
    if as_json:
        typer.echo(json.dumps([{**info.model_dump(mode="json"), "state": info.state(now)} for info in found]))
    elif not found:
        typer.echo("There is no key; make one with: veracity key create --tenant m-demo --role analyst")
    for info in () if as_json else found:
        typer.echo(_key_line(info, now))


@app.command("revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(help="The id of a key, as `veracity key list` shows it.")],
    database: KeyDatabase = None,
) -> None:
    """Revoke a key: within seconds, it opens nothing any more."""
    with _opened_database(database) as opened:
        info = opened.keys.revoke(key_id)
    typer.echo(f"{info.key_id} ({info.role} of {info.tenant}) is revoked.")


def _opened_database(database: str | None) -> ServerDatabase:
    from veracity.server.config import ServerSettings
    from veracity.server.database import ServerDatabase

    return ServerDatabase.open(ServerSettings.read({"database": database}).database)


def _key_line(info: KeyInfo, now: datetime) -> str:
    from veracity.language.locale import printable

    until = f"  until {info.expires_at:%Y-%m-%d}" if info.expires_at else ""
    named = f"  {printable(info.name)}" if info.name else ""
    return f"{info.key_id}  {info.state(now):<8}{info.role:<9} {info.tenant}{_scope_in_brackets(info.scope)}  since {info.created_at:%Y-%m-%d}{until}{named}"


def _scope_in_brackets(scope: Mapping[str, str]) -> str:
    from veracity.language.locale import printable

    return printable(" (" + ", ".join(f"{column}={value}" for column, value in scope.items()) + ")") if scope else ""
