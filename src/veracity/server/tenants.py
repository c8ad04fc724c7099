"""Where each tenant's own files and collections are: nothing that one of them keeps is found by another."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from veracity.server.keys import LOCAL

if TYPE_CHECKING:
    from veracity.server.config import ServerSettings
    from veracity.settings import Settings


def corpus_of(settings: ServerSettings, home: Settings, tenant: str) -> str:
    """The corpus of a tenant: a folder, or the address of a collection. That of `local` is the one the server was told."""
    base = settings.corpus or str(home.home / "corpus")
    if tenant == LOCAL:
        return base
    if "://" in base:
        return f"{base.rstrip('/')}-{_plain(tenant)}"
    folder = Path(base)
    # Beside it, not inside: what is in a corpus is found by whoever searches it.
    return str(folder.with_name(f"{folder.name}-of-tenants") / _plain(tenant))


def known_requirements_of(settings: ServerSettings, home: Settings, tenant: str) -> str:
    """Where the requirements are kept that a tenant knows: a file, or the address of a collection."""
    if settings.qdrant:
        return f"{settings.qdrant.rstrip('/')}/requirements-{_plain(tenant)}"
    return str(home.home / f"requirements-of-{_plain(tenant)}.sqlite")


def _plain(tenant: str) -> str:
    """The tenant as a name for files and collections, unlike that of any other tenant."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", tenant).strip("-")[:40]
    return f"{readable or 'tenant'}-{sha256(tenant.encode()).hexdigest()[:12]}"
