"""`veracity mcp`: the guarded tools for any MCP client."""

from __future__ import annotations

import asyncio
import socket
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import FeatureName, OntologyFile, ScopeValues, Source, opened, read_scope
from veracity.errors import UsageError

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from veracity.mcp.toolbox import Toolbox
    from veracity.tools.tables import TableTools

_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - compared with, not listened at


def mcp(
    source: Source = None,
    feature: FeatureName = None,
    ontology: OntologyFile = None,
    scope: ScopeValues = None,
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

        with opened(source, feature, ontology, scope) as tables:
            asyncio.run(serve_stdio(_toolbox(tables)))
        return
    from veracity.mcp.http import http_app, listen, run
    from veracity.mcp.server import always

    _check_address(host, database)
    with ExitStack() as closing, listen(host, port) as listener:
        if database is None:
            tables = closing.enter_context(opened(source, feature, ontology, scope))
            app = http_app(always(_toolbox(tables)))
        else:
            given = {"source": source, "feature": feature, "ontology": ontology, "scope": read_scope(scope)}
            app = _keyed(closing, database, {**given, "tenant_column": tenant_column}, _names(host, allow_host))
        shown = f"[{host}]" if ":" in host else host
        typer.echo(f"veracity mcp: http://{shown}:{listener.getsockname()[1]}/mcp", err=True)
        run(app, listener)


def _toolbox(tables: TableTools) -> Toolbox:
    from veracity.grounding.config import guard_for
    from veracity.grounding.events import EventStore
    from veracity.mcp.toolbox import Toolbox

    return Toolbox(tables, guard=guard_for(None), keep_events=EventStore.default().save)


def _check_address(host: str, database: str | None) -> None:
    from veracity.server.config import is_loopback

    if database is None and not is_loopback(host):
        raise UsageError(
            f"On {host} others can reach it, so it needs keys: name their database with --database, "
            "and make one with 'veracity key create'."
        )


def _names(host: str, further: list[str] | None) -> list[str]:
    """What clients may call this machine."""
    own = [socket.gethostname(), socket.getfqdn()] if host in _EVERYWHERE else [f"[{host}]" if ":" in host else host]
    return list(dict.fromkeys([*own, *(further or ())]))


def _keyed(closing: ExitStack, database: str, given: dict[str, object], names: list[str]) -> Starlette:
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
