"""Addresses with passwords: encrypted with a key file of the server's own, or only named by an environment variable."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from veracity.errors import SourceError, UsageError, VeracityError, told_to_others
from veracity.server.keys import LOCAL
from veracity.server.web.texts import Lang, say
from veracity.sources.sentences import Unreadable

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

    from veracity.server.keys import Caller

ENV = "env:"
LONGEST_ADDRESS = 2_000
_VARIABLE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]{0,99}")
_OPTIONS = frozenset({"sslmode", "application_name", "options", "channel_binding", "target_session_attrs"})
"""What a tenant's address may set; others name files of this machine, or other hosts."""


class SourceRefused(UsageError):
    """A source that cannot be connected, chosen or forgotten; the pages say why in the visitor's language."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(say("en", f"connect.refused.{key}", **values))
        self.key, self.values = f"connect.refused.{key}", values


class AddressLost(SourceError):
    """The address of a source is not to be had any more; the pages say why in the visitor's language."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(say("en", f"connect.lost.{key}", **values))
        self.key, self.values = f"connect.lost.{key}", values


def told_in(error: VeracityError, lang: Lang) -> str:
    """Why a source was not connected, in a language of the pages where there are words for it."""
    cause = error.__cause__ if isinstance(error.__cause__, Unreadable | AddressLost) else error
    if isinstance(cause, Unreadable):
        return cause.told_in(lang)
    if isinstance(cause, SourceRefused | AddressLost):
        return say(lang, cause.key, **cause.values)
    return told_to_others(error)


class SourceKey:
    """Encrypts with a key that lies in a file which only this user can read; the file is made when it is first needed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def closed(self, plain: str) -> str:
        """A text that nobody reads without the key."""
        token: bytes = self._fernet.encrypt(plain.encode())
        return token.decode()

    def opened(self, text: str) -> str:
        """The text again; raises `AddressLost` where the key is another one."""
        from cryptography.fernet import InvalidToken

        try:
            plain: bytes = self._fernet.decrypt(text.encode())
        except InvalidToken:
            raise AddressLost("key") from None
        return plain.decode()

    @cached_property
    def _fernet(self) -> Fernet:
        from cryptography.fernet import Fernet

        self._path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            # Linked into place whole: another process never reads half a key.
            made = self._path.with_name(f"{self._path.name}.{os.getpid()}")
            with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
                stream.write(Fernet.generate_key())
            try:
                os.link(made, self._path)
            finally:
                made.unlink()
        return Fernet(self._path.read_bytes())


def variable_address(reference: str, environ: Mapping[str, str] = os.environ) -> str:
    """The address that an environment variable of the server holds; what it holds is never told."""
    name = reference.removeprefix(ENV)
    found = environ.get(name, "").strip()
    if not found:
        raise AddressLost("variable", name=name)
    if not found.startswith(("postgresql://", "postgres://")):
        raise AddressLost("value", name=name)
    return found


def check_address(text: str, caller: Caller, hosts: Collection[str]) -> str:
    """A PostgreSQL address that this caller may name; raises `SourceRefused` without a word of what it holds.

    Whoever runs the server (the tenant `local`) may name any. Other tenants reach hosts that the server was told to allow, with
    a user and a password of their own: nothing of the server's own environment is used for them.
    """
    said = text.strip()
    if _VARIABLE.fullmatch(said):
        if caller.tenant != LOCAL or not caller.may("admin"):
            raise SourceRefused("variable")
        return said
    if not said.startswith(("postgresql://", "postgres://")) or len(said) > LONGEST_ADDRESS or not said.isprintable():
        raise SourceRefused("address")
    if caller.tenant != LOCAL:
        _check_tenant_address(said, hosts)
    return said


def _check_tenant_address(said: str, hosts: Collection[str]) -> None:
    try:
        from psycopg import Error
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        raise SourceRefused("driver") from None
    try:
        # As the driver itself understands it: what it connects to is what is checked.
        parts = {name: str(value) for name, value in conninfo_to_dict(said).items() if value not in (None, "")}
    except Error:
        raise SourceRefused("address") from None
    if parts.get("host", "").casefold() not in {one.casefold() for one in hosts}:
        raise SourceRefused("host")
    if not {"user", "password", "dbname"} <= set(parts):
        raise SourceRefused("address_parts")
    if set(parts) - _OPTIONS - {"host", "port", "user", "password", "dbname"}:
        raise SourceRefused("address_options", options=", ".join(sorted(_OPTIONS)))
