"""Who may ask: API keys, each bound to a tenant, its scope and a role.

A key is `vk_<id>_<secret>` and shown once. Of the secret, 256 random bits, only the SHA-256 is kept: what nobody can guess
needs no slow hash. The scope says which rows of the data the key opens, besides the tenant's name; all keys of a tenant have the
same, because they share its traces, jobs and reviews.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, get_args

from veracity.contracts import clip
from veracity.durable.database import LOCAL, DurableDatabase
from veracity.durable.sqlite_file import Timestamp, moment_written
from veracity.errors import UsageError
from veracity.wire import Wire

if TYPE_CHECKING:
    import sqlalchemy as sa

__all__ = ["LOCAL", "ROLES", "Caller", "KeyInfo", "KeyStore", "Role"]

Role = Literal["analyst", "reviewer", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
"""Each may do what those before it may."""
_KEY = re.compile(r"vk_([0-9a-f]{12})_([0-9a-f]{64})", re.ASCII)
_TENANT = re.compile(r"[\w.@-]{1,64}", re.ASCII)
_REMEMBERED_SECONDS, _REMEMBERED = 2.0, 1_024
_LONGEST_NAME, _LONGEST_LIFE = 100, 3_650
_NOBODY = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, for whom, and what they may do."""

    tenant: str
    role: Role
    key_id: str | None = None
    name: str = ""
    scope: tuple[tuple[str, str], ...] = ()
    """Columns and values that the key's rows have, besides those of the tenant column."""

    def may(self, role: Role) -> bool:
        """Whether the caller may do what this role may."""
        return ROLES.index(self.role) >= ROLES.index(role)


class KeyInfo(Wire):
    """What is known of a key; not the key."""

    key_id: str
    tenant: str
    role: Role
    name: str = ""
    scope: dict[str, str] = {}
    created_at: Timestamp
    expires_at: Timestamp | None = None
    revoked_at: Timestamp | None = None

    def state(self, now: datetime) -> Literal["active", "expired", "revoked"]:
        """Whether it opens anything."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"


class KeyStore:
    """The keys of a database."""

    def __init__(self, durable: DurableDatabase, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._durable, self._clock = durable, clock
        self._remembered: dict[str, tuple[float, str, KeyInfo]] = {}

    def create(
        self,
        tenant: str,
        role: Role,
        *,
        name: str = "",
        days: float | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> tuple[str, KeyInfo]:
        """A new key, to be shown once, and what is known of it; without a scope it has that of the tenant's other keys."""
        if not _TENANT.fullmatch(tenant):
            raise UsageError(f"A tenant has 1 to 64 letters, digits or . _ - @, not {clip(tenant, 80)!r}.")
        if role not in ROLES:
            raise UsageError(f"A role is analyst, reviewer or admin, not {clip(role, 40)!r}.")
        if days is not None and not 0 < days <= _LONGEST_LIFE:
            raise UsageError(f"A key is valid for up to {_LONGEST_LIFE} days; without a number, until it is revoked.")
        now, key_id, secret = self._clock(), secrets.token_hex(6), secrets.token_hex(32)
        info = KeyInfo(
            key_id=key_id,
            tenant=tenant,
            role=role,
            name=clip(name.strip(), _LONGEST_NAME),
            scope=self._scope_of_new_key(tenant, scope),
            created_at=now,
            expires_at=None if days is None else now + timedelta(days=days),
        )
        self._durable.prepare(self._table)
        with self._durable.session() as connection:
            row = {**info.model_dump(mode="json", by_alias=False), "scope": json.dumps(info.scope)}
            connection.execute(self._table.insert().values(**row, digest=_digest(secret)))
        return f"vk_{key_id}_{secret}", info

    def _scope_of_new_key(self, tenant: str, given: Mapping[str, str] | None) -> dict[str, str]:
        """The scope of a new key; raises `UsageError` where the tenant's other keys have another one."""
        now = self._clock()
        held = next((info.scope for info in self.list(tenant) if info.state(now) == "active"), None)
        if given is None:
            return held or {}
        if held is not None and held != dict(given):
            told = ", ".join(f"{column}={value}" for column, value in held.items()) or "no scope"
            raise UsageError(
                f"The keys of {tenant} have {clip(told, 200)}: a tenant has one scope. "
                "Leave --scope out, or revoke these keys first."
            )
        return dict(given)

    def list(self, tenant: str | None = None) -> tuple[KeyInfo, ...]:
        """The keys of a tenant, or all of them, the newest first."""
        wanted = self._table.select().order_by(self._table.c.created_at.desc(), self._table.c.key_id)
        if tenant is not None:
            wanted = wanted.where(self._table.c.tenant == tenant)
        return tuple(_info(row) for row in self._durable.rows(wanted, self._table))

    def revoke(self, key_id: str, tenant: str | None = None) -> KeyInfo:
        """Revoke a key: within seconds it opens nothing any more, in every process. One of another tenant is not there."""
        name = key_id.strip()
        found = self._key_row(name)
        if found is None or (tenant is not None and found["tenant"] != tenant):
            raise UsageError(f"There is no key {clip(name, 40)!r}; see: veracity key list")
        info = _info(found)
        if info.revoked_at is None:
            info = info.model_copy(update={"revoked_at": self._clock()})
            written = info.model_dump(mode="json", by_alias=False)["revoked_at"]
            with self._durable.session() as connection:
                own = self._table.update().where(self._table.c.key_id == name)
                connection.execute(own.values(revoked_at=written))
        self._remembered.pop(name, None)
        return info

    def find(self, plain: str) -> Caller | None:
        """Whose key this is; None for one that is unknown, expired or revoked."""
        written = _KEY.fullmatch(plain.strip())
        if written is None:
            return None
        known = self._known_key(written[1])
        # Compared even where there is nothing to compare with: how long it takes tells nothing.
        same = hmac.compare_digest(_digest(written[2]), known[0] if known else _NOBODY)
        return self.holder(written[1]) if same else None

    def holder(self, key_id: str) -> Caller | None:
        """Whose key has this id, for sessions that were opened with it; None once it has expired or was revoked."""
        known = self._known_key(key_id)
        if known is None or known[1].state(self._clock()) != "active":
            return None
        info = known[1]
        return Caller(info.tenant, info.role, info.key_id, info.name, tuple(sorted(info.scope.items())))

    def any(self) -> bool:
        """Whether there is a key that opens something."""
        import sqlalchemy as sa

        table, now = self._table.c, moment_written(self._clock())
        return self._has(table.revoked_at.is_(None), sa.or_(table.expires_at.is_(None), table.expires_at > now))

    def was_any(self) -> bool:
        """Whether a key was ever made, also one that is over; cheap, however many there are."""
        return self._has()

    def _has(self, *conditions: sa.ColumnElement[bool]) -> bool:
        import sqlalchemy as sa

        return bool(self._durable.rows(sa.select(self._table.c.key_id).where(*conditions).limit(1), self._table))

    def _known_key(self, key_id: str) -> tuple[str, KeyInfo] | None:
        """The digest of a key and what is known of it; looked up once in a few seconds."""
        kept = self._remembered.get(key_id)
        if kept is not None and monotonic() - kept[0] < _REMEMBERED_SECONDS:
            return kept[1], kept[2]
        row = self._key_row(key_id)
        if row is None:
            return None
        if len(self._remembered) >= _REMEMBERED:
            self._remembered.clear()
        info = _info(row)
        self._remembered[key_id] = (monotonic(), row["digest"], info)
        return row["digest"], info

    def _key_row(self, key_id: str) -> dict[str, Any] | None:
        found = self._durable.rows(self._table.select().where(self._table.c.key_id == key_id), self._table)
        return found[0] if found else None

    @cached_property
    def _table(self) -> sa.Table:
        import sqlalchemy as sa

        names = ("tenant", "role", "name", "scope", "digest", "created_at", "expires_at", "revoked_at")
        columns = [sa.Column(name, sa.Text, nullable=name in ("scope", "expires_at", "revoked_at")) for name in names]
        return self._durable.table("veracity_key", sa.Column("key_id", sa.Text, primary_key=True), *columns)


def _digest(secret: str) -> str:
    return hashlib.sha256(bytes.fromhex(secret)).hexdigest()


def _info(row: dict[str, Any]) -> KeyInfo:
    known = {name: row[name] for name in KeyInfo.model_fields}
    return KeyInfo.model_validate({**known, "scope": json.loads(row["scope"] or "{}")})
