"""Addresses of sources: their host, what kind of host it is, when two are the same, and what lies under what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from posixpath import normpath
from typing import Literal
from urllib.parse import unquote

DomainType = Literal["government", "academic", "commercial", "community", "internal", "other"]

_WEB = ("http", "https", "ftp")
_PORTS = {"http": "80", "https": "443", "ftp": "21"}
_SCHEME = re.compile(r"\s*([a-z][a-z0-9+.-]{0,30}):(//)?", re.IGNORECASE | re.ASCII)
_NO_NAME = re.compile(r"\A(?:\s|www\.)+")
_SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))
_ENDINGS = ".。．｡" + _SPACES
"""What a name may end with that is no part of it."""
_TRACKING = re.compile(r"(?:utm_\w+|gclid|fbclid|msclkid|mc_cid|mc_eid)(?:=|$)", re.ASCII)
_GOVERNMENT = re.compile(
    r"(?:^|\.)(?:gov|mil|gov\.[a-z]{2}|gouv\.[a-z]{2}|gob\.[a-z]{2}|go\.[a-z]{2}|gv\.at|bund\.de|admin\.ch|europa\.eu|gc\.ca)$"
)
_ACADEMIC = re.compile(
    r"(?:^|\.)(?:edu|edu\.[a-z]{2}|ac\.[a-z]{2}|arxiv\.org|ethz\.ch|epfl\.ch)$|(?:^|\.)(?:uni|tu|fh)-"
)
_COMMUNITY = re.compile(
    r"(?:^|\.)(?:stackoverflow\.com|stackexchange\.com|superuser\.com|reddit\.com|quora\.com|wikipedia\.org|medium\.com|dev\.to|"
    r"wordpress\.com|blogspot\.com|substack\.com|zhihu\.com|csdn\.net)$|(?:^|\.)(?:forum|community|blog)\."
)
_INTERNAL = re.compile(r"\.(?:local|internal|intranet|corp|lan|home)$|^(?:localhost|intranet\.)")
_COMMERCIAL = re.compile(r"\.(?:com|biz|io|co|shop|cloud)$")
_KINDS: tuple[tuple[DomainType, re.Pattern[str]], ...] = (
    ("government", _GOVERNMENT),
    ("academic", _ACADEMIC),
    ("community", _COMMUNITY),
    ("internal", _INTERNAL),
    ("commercial", _COMMERCIAL),
)
"""The first that fits; a host that none fits stands for itself."""


def host_of(address: str) -> str:
    """The host in small letters, without www; the scheme where that is no scheme of the web; empty when there is none."""
    scheme, authority, _rest = _split_address(address)
    return scheme if scheme not in _WEB else authority


def policy_host(name: str) -> str:
    """What a policy is about: a host, or the scheme of an address that has none; `https://www.admin.ch/` is `admin.ch`."""
    return host_of(name) if _SCHEME.match(name) and "://" in name else _plain_host(name.strip().rstrip("/"))


def domain_type_of(address: str) -> DomainType | None:
    """What kind of host it is, where its name shows it."""
    scheme, host, _rest = _split_address(address)
    if scheme not in _WEB:
        # intranet://, wiki://, file://: whatever has a scheme of its own is one's own.
        return "internal" if scheme else None
    if host and "." not in host and ":" not in host:
        return "internal"
    return next((kind for kind, pattern in _KINDS if pattern.search(host)), None)


def canonical(address: str) -> str:
    """The same text for addresses of the same page: without fragment, tracking, www, default port and last slash."""
    scheme, host, rest = _split_address(address)
    page, _, _fragment = rest.partition("#")
    path, _, query = page.partition("?")
    parts = (part.strip() for part in query.split("&"))
    wanted = sorted(part for part in parts if part and not _TRACKING.match(part))
    shown = "https" if scheme == "http" else scheme
    return f"{shown}://{host}{path.rstrip(f'/{_SPACES}')}{'?' if wanted else ''}{'&'.join(wanted)}"


class SourceList:
    """Sources that a request names: a host with all below it, or the beginning of an address up to a slash."""

    def __init__(self, sources: Iterable[str]) -> None:
        self._hosts: dict[str, str] = {}
        self._paths: dict[tuple[str, str], dict[str, str]] = {}
        for source in sources:
            if "://" in source:
                scheme, host, path = _resolved(source)
                self._paths.setdefault((scheme, host), {})[path.rstrip("/")] = source
            elif named := policy_host(source):
                self._hosts[named] = source

    def source_of(self, address: str) -> str | None:
        """The source of the list that an address lies under; one lookup for each part of it, however long the list is."""
        named = next((self._hosts[host] for host in _and_above(host_of(address)) if host in self._hosts), None)
        if named is not None or not self._paths:
            return named
        scheme, host, path = _resolved(address)
        for one in (*_and_above(host), ""):
            known = self._paths.get((scheme, one), {})
            found = next((known[start] for start in _beginnings(path) if start in known), None) if known else None
            if found is not None:
                return found
        return None


def _and_above(host: str) -> Iterator[str]:
    """A host and the domains above it."""
    while host:
        yield host
        host = host.partition(".")[2]


def _beginnings(path: str) -> Iterator[str]:
    """A path and those above it, the empty one at last."""
    path = path.rstrip("/")
    while path:
        yield path
        path = path.rpartition("/")[0]
    yield ""


@lru_cache(maxsize=1_024)
def _split_address(address: str) -> tuple[str, str, str]:
    """Scheme, host and the rest; no address is so odd that it raises."""
    found = _SCHEME.match(address)
    if found is None:
        return "", "", address.strip()
    scheme, rest = found[1].lower(), address[found.end() :].strip()
    if not found[2]:
        return scheme, "", rest
    end = re.search(r"[/?#\\]", rest)
    authority, tail = (rest, "") if end is None else (rest[: end.start()], rest[end.start() :])
    host = authority.rpartition("@")[2].strip().removesuffix(f":{_PORTS.get(scheme, '')}")
    return scheme, _plain_host(host), tail


def _plain_host(host: str) -> str:
    plain = host.lower().rstrip(_ENDINGS)
    if not plain.isascii():
        with suppress(UnicodeError):
            plain = plain.encode("idna").decode()
    return _NO_NAME.sub("", plain.rstrip(_ENDINGS))


def _resolved(address: str) -> tuple[str, str, str]:
    """Scheme, host and path as a server would understand them: no detour leads around a ban."""
    scheme, host, rest = _split_address(address)
    path = unquote(re.split(r"[?#]", rest, maxsplit=1)[0]).replace("\\", "/")
    return "https" if scheme == "http" else scheme, host, normpath(f"/{path.lstrip('/')}") if path else ""
