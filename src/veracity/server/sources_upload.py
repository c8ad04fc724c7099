"""A file that somebody sends, written to disk while it comes: never whole in memory, and gone again if anything is wrong."""

from __future__ import annotations

import asyncio
import errno
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect

from veracity.errors import UsageError
from veracity.server.problems import RequestRefused
from veracity.server.sources_secret import SourceRefused
from veracity.sources.files import SUFFIXES

if TYPE_CHECKING:
    from starlette.requests import Request

DATABASES = frozenset({".sqlite", ".sqlite3", ".db", ".duckdb", ".ddb"})
ACCEPTED = tuple(sorted(SUFFIXES | DATABASES))
"""The ends of file names that can be connected."""
_AT_ONCE = 1_000_000
_MOST_FIELDS, _LONGEST_FIELD = 8, 4_000
_LONGEST_STEM = 60
_DRAIN_SECONDS = 30.0
_UNSAFE = re.compile(r"[^\w .-]+")

Check = Callable[[Mapping[str, str], str], Path]
"""Is given the fields that came before the file, and its name; says where to write it, or refuses."""


@dataclass(slots=True)
class _Part:
    """One part of a form as it comes in."""

    headers: dict[str, str] = field(default_factory=dict)
    name: str = ""
    file_name: str | None = None


class _FormWithFile:
    """Reads a form of a few fields and one file; the file goes to where `check` says."""

    def __init__(self, boundary: bytes, check: Check) -> None:
        self.fields: dict[str, str] = {}
        self.file: Path | None = None
        self.waiting = bytearray()
        """Bytes of the file that are not written yet."""
        self.stream: IO[bytes] | None = None
        self._check, self._part, self._header, self._value = check, _Part(), b"", bytearray()
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": lambda data, start, end: self._take_header(data[start:end]),
                "on_header_value": lambda data, start, end: self._take_value(data[start:end]),
                "on_header_end": self._end_header,
                "on_headers_finished": self._know_part,
                "on_part_data": lambda data, start, end: self._take_data(data[start:end]),
                "on_part_end": self._end_part,
            },
        )

    def feed(self, data: bytes) -> None:
        """Take in some more of the body."""
        self._parser.write(data)

    def _begin(self) -> None:
        self._part, self._value = _Part(), bytearray()

    def _take_header(self, data: bytes) -> None:
        self._header += data

    def _take_value(self, data: bytes) -> None:
        self._value += data

    def _end_header(self) -> None:
        self._part.headers[self._header.decode("latin-1").lower()] = self._value.decode("latin-1")
        self._header, self._value = b"", bytearray()

    def _know_part(self) -> None:
        _, options = parse_options_header(self._part.headers.get("content-disposition", ""))
        self._part.name = options.get(b"name", b"").decode("utf-8", "replace")
        given = options.get(b"filename")
        if given is None:
            return
        self._part.file_name = given.decode("utf-8", "replace")
        if self.file is not None:
            raise SourceRefused("one_file")
        if not self._part.file_name:
            raise SourceRefused("no_file")
        self.file = self._check(self.fields, self._part.file_name)
        self.stream = self.file.open("wb")

    def _take_data(self, data: bytes) -> None:
        if self._part.file_name is not None:
            self.waiting += data
            return
        self._value += data
        if len(self._value) > _LONGEST_FIELD:
            raise SourceRefused("form")

    def _end_part(self) -> None:
        if self._part.file_name is None:
            self.fields[self._part.name] = self._value.decode("utf-8", "replace")
            if len(self.fields) > _MOST_FIELDS:
                raise SourceRefused("form")

    def write(self) -> None:
        """Write what is waiting."""
        if self.stream is not None:
            self.stream.write(self.waiting)
            self.waiting.clear()


async def received_file(request: Request, check: Check) -> tuple[Path, dict[str, str]]:
    """The file of a form, on disk, and the form's fields. What is wrong is told once the rest was read off."""
    form: _FormWithFile | None = None
    more = True
    try:
        form = _FormWithFile(_boundary(request), check)
        while more:
            message = await request.receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            more = message.get("more_body", False)
            form.feed(message.get("body", b""))
            if len(form.waiting) >= _AT_ONCE:
                await asyncio.to_thread(form.write)
        await asyncio.to_thread(form.write)
        if form.file is None:
            raise SourceRefused("no_file")
    except BaseException as error:
        if form is not None:
            _discard(form)
        if isinstance(error, FormParserError):
            raise SourceRefused("form") from None
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise RequestRefused(503, "The server has no room left for this file; nothing was kept.") from None
        # What is too large or too slow is refused by whoever counts it, and not read on.
        counted = isinstance(error, RequestRefused) and error.status in (408, 413)
        if more and isinstance(error, UsageError | RequestRefused) and not counted:
            await _read_off(request)
        raise
    if form.stream is not None:
        form.stream.close()
    return form.file, form.fields


def _boundary(request: Request) -> bytes:
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != b"multipart/form-data" or not options.get(b"boundary"):
        raise SourceRefused("form")
    return options[b"boundary"]


def _discard(form: _FormWithFile) -> None:
    """Leave nothing of a file that is not taken."""
    if form.stream is not None:
        form.stream.close()
    if form.file is not None:
        shutil.rmtree(form.file.parent, ignore_errors=True)


async def _read_off(request: Request) -> None:
    """Let go of what still comes: a browser reads an answer only when it has sent everything."""
    with suppress(Exception):
        async with asyncio.timeout(_DRAIN_SECONDS):
            more = True
            while more:
                message = await request.receive()
                more = message["type"] == "http.request" and message.get("more_body", False)


def kept_name(given: str) -> str:
    """The name that a file gets on disk: what people called it, without signs that mean something to a program."""
    plain = PurePosixPath(given.replace("\\", "/")).name
    suffix = PurePosixPath(plain).suffix.lower()
    if suffix not in ACCEPTED:
        raise SourceRefused("kind", kinds=", ".join(ACCEPTED))
    stem = _UNSAFE.sub("_", plain[: -len(suffix)]).strip(" ._-")[:_LONGEST_STEM]
    return f"{stem or 'data'}{suffix}"
