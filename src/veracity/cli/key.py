"""`veracity key create | list | revoke`: who may use a server, for which tenant, in which role."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, cast

import typer

from veracity.cli.options import Json, read_scope

if TYPE_CHECKING:
    from veracity.server.database import ServerDatabase
    from veracity.server.keys import KeyInfo, Role

Database = Annotated[
    str | None,
    typer.Option("--database", envvar="VERACITY_SERVE_DATABASE", help="The server's database: a file, or postgresql://... Default: serve.sqlite in the data folder."),
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
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Make a key. It is shown once; only its fingerprint is kept."""
    with _database(database) as opened:
        held = read_scope(scope) or None
        plain, info = opened.keys.create(tenant, cast("Role", role), name=name, days=days, scope=held)
    if as_json:
        typer.echo(json.dumps({"key": plain, **info.model_dump(mode="json")}))
        return
    typer.echo(plain)
    until = f"until {info.expires_at:%Y-%m-%d %H:%M} UTC" if info.expires_at else "until it is revoked"
    typer.echo(
        f"{info.role} of {info.tenant}{_told(info.scope)}, valid {until}. Keep it now: it is not shown again. "
        f"Revoke it with: veracity key revoke {info.key_id}",
        err=True,
    )


@app.command("list")
def list_(
    tenant: Annotated[str | None, typer.Option("--tenant", help="Only those of this tenant.")] = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """List the keys: whose they are, what they may, whether they are still valid."""
    with _database(database) as opened:
        found = opened.keys.list(tenant)
    now = datetime.now(UTC)
    if as_json:
        typer.echo(json.dumps([{**info.model_dump(mode="json"), "state": info.state(now)} for info in found]))
    elif not found:
        typer.echo("There is no key; make one with: veracity key create --tenant m-demo --role analyst")
    for info in () if as_json else found:
        typer.echo(_line(info, now))


@app.command("revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(help="The id of a key, as `veracity key list` shows it.")],
    database: Database = None,
) -> None:
    """Revoke a key: within seconds, it opens nothing any more."""
    with _database(database) as opened:
        info = opened.keys.revoke(key_id)
    typer.echo(f"{info.key_id} ({info.role} of {info.tenant}) is revoked.")


def _database(database: str | None) -> ServerDatabase:
    from veracity.server.database import ServerDatabase

    return ServerDatabase.open(database)


def _line(info: KeyInfo, now: datetime) -> str:
    from veracity.locale import printable

    until = f"  until {info.expires_at:%Y-%m-%d}" if info.expires_at else ""
    named = f"  {printable(info.name)}" if info.name else ""
    return f"{info.key_id}  {info.state(now):<8}{info.role:<9} {info.tenant}{_told(info.scope)}  since {info.created_at:%Y-%m-%d}{until}{named}"


def _told(scope: Mapping[str, str]) -> str:
    from veracity.locale import printable

    return printable(" (" + ", ".join(f"{column}={value}" for column, value in scope.items()) + ")") if scope else ""
