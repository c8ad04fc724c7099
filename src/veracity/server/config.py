"""What a server is told: where it listens, what it serves, whom it lets in; and where the files of its tenants are."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from veracity.contracts import AskWith
from veracity.durable.database import LOCAL
from veracity.errors import UsageError
from veracity.retrieval.custom_facets import FILE as FACETS
from veracity.settings import (
    ASKING,
    PREFIX,
    SettingsFile,
    SettingsRank,
    fitted,
    in_environment,
    read_scope_text,
    refuse_unknown,
    refuse_unknown_variables,
)

if TYPE_CHECKING:
    from veracity.settings import Settings

_PREFIX = "VERACITY_SERVE_"

Keys = Literal["auto", "required", "off"]
"""auto: none is needed on loopback as long as none was made. required: always. off: never, and on loopback only."""


def _scope(value: Any) -> Any:
    """A mapping, or what an environment variable says of it."""
    return read_scope_text(value) if isinstance(value, str) else value


def _names(value: Any) -> Any:
    """`db1.example.org,db2.example.org`, as an environment variable says it."""
    return tuple(one.strip() for one in value.split(",") if one.strip()) if isinstance(value, str) else value


class ServerSettings(BaseModel):
    """The settings of one server; `from_env` reads `VERACITY_SERVE_PORT` into `port`, and so on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = "127.0.0.1"
    """The address it listens on."""
    port: int = Field(default=8600, ge=0, le=65_535)
    """0 is any free one."""
    workers: int = Field(default=1, ge=1, le=64)
    """Server processes."""
    database: str | None = None
    """`postgresql://...` or a file; without it, the store that the command line uses, too."""
    qdrant: str | None = None
    """The address of a Qdrant that holds the known requirements; without it, a file."""
    source: str | None = None
    ontology: str | None = None
    feature: str | None = None
    scope: Annotated[dict[str, str], BeforeValidator(_scope)] = {}
    """The rows of the tenant `local`; every other tenant sees the same with its own name in the tenant column."""
    tenant_column: str | None = None
    """The scope column that holds the tenant; without it, the first."""
    model: str = "offline"
    tools: AskWith = "query"
    """How the model takes part: it fills in queries, or works with tools of its own."""
    keys: Keys = "auto"
    body_limit: int = Field(default=1_000_000, ge=1_000)
    """Bytes of a request's body."""
    upload_limit: int = Field(default=8_000_000, ge=1_000)
    """Bytes of a body with files."""
    source_limit: int = Field(default=2_000_000_000, ge=1_000)
    """Bytes of a file that somebody connects."""
    connect_hosts: Annotated[tuple[str, ...], BeforeValidator(_names)] = ()
    """Hosts of PostgreSQL servers that tenants other than `local` may connect."""
    request_seconds: float = Field(default=120.0, gt=0, le=3_600)
    """Seconds until a response has to begin, and until a question has to be answered."""
    rate_per_minute: int = Field(default=600, ge=0)
    """Requests that one key may make; 0 is no limit."""
    keep_days: float = Field(default=90, ge=0, le=36_500)
    """Days after which traces and guard events are forgotten; 0 keeps them for ever."""
    reports: Path | None = None
    """The folder of evaluation reports that the Quality page shows."""
    corpus: str | None = None
    """What is known already: a folder, or the address of a Qdrant collection. Approved sources are written to a folder."""

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def origin(self) -> str:
        """The address for people."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @classmethod
    def read(cls, given: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> ServerSettings:
        """The settings of flags, environment and `veracity.toml`, in this order; what does not fit is a `UsageError`.

        What questions are asked with may also be said for the command line and the server alike: `VERACITY_MODEL` is what
        `VERACITY_SERVE_MODEL` is not.
        """
        refuse_unknown_variables(_PREFIX, cls.model_fields, environ)
        file = SettingsFile.read(environ)
        own = file.sections.get("serve", {})
        refuse_unknown(own, list(cls.model_fields), f"[serve] in {file.name}")
        shared = [name for name in (*ASKING, "database") if name in cls.model_fields]
        made = fitted(
            cls,
            [
                SettingsRank("--{name}", {name: value for name, value in given.items() if value is not None}),
                in_environment(environ, _PREFIX, cls.model_fields),
                in_environment(environ, PREFIX, shared),
                SettingsRank(f"serve.{{name}} in {file.name}", own),
                SettingsRank(
                    f"{{name}} in {file.name}", {name: file.values[name] for name in shared if name in file.values}
                ),
            ],
        )
        if made.keys == "off" and not made.is_loopback:
            raise UsageError(f"A server on {made.host} needs keys, because others can reach it: leave --keys out.")
        return made


def is_loopback(host: str) -> bool:
    """Whether a host name or an address means this machine itself."""
    if host.strip("[]").casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


# --- where each tenant's own files and collections are: nothing that one of them keeps is found by another


def corpus_of(settings: ServerSettings, home: Settings, tenant: str) -> str:
    """The corpus of a tenant: a folder, or the address of a collection. That of `local` is the one the server was told."""
    base = settings.corpus or str(home.home / "corpus")
    if tenant == LOCAL:
        return base
    if "://" in base:
        return f"{base.rstrip('/')}-{_file_name(tenant)}"
    folder = Path(base)
    # Beside it, not inside: what is in a corpus is found by whoever searches it.
    return str(folder.with_name(f"{folder.name}-of-tenants") / _file_name(tenant))


def known_requirements_of(settings: ServerSettings, home: Settings, tenant: str) -> str:
    """Where the requirements are kept that a tenant knows: a file, or the address of a collection."""
    if settings.qdrant:
        return f"{settings.qdrant.rstrip('/')}/requirements-{_file_name(tenant)}"
    return str(home.home / f"requirements-of-{_file_name(tenant)}.sqlite")


def facets_of_tenant(home: Settings, tenant: str) -> Path:
    """The file with the facets that a tenant declares for re-ranking. That of `local` is the one of the command line."""
    return home.home / (FACETS if tenant == LOCAL else f"facets-of-{_file_name(tenant)}.yaml")


def folder_of_tenant(home: Settings, tenant: str) -> Path:
    """The folder with the files that a tenant has connected."""
    return home.home / "sources" / _file_name(tenant)


def _file_name(tenant: str) -> str:
    """The tenant as a name for files and collections, unlike that of any other tenant."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", tenant).strip("-")[:40]
    return f"{readable or 'tenant'}-{sha256(tenant.encode()).hexdigest()[:12]}"
