"""From what a user writes after `--source` to an open source."""

from __future__ import annotations

import os
import re
from pathlib import Path

from veracity.errors import SourceError, UsageError
from veracity.settings import Settings
from veracity.sources.sentences import Unreadable
from veracity.sources.source import Source

_SECRET = re.compile(r"@|password|postgres", re.IGNORECASE)
_SCHEME = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*)://")


def open_source(spec: str | os.PathLike[str], *, settings: Settings | None = None) -> Source:
    """A `postgresql://` URL, a DuckDB or SQLite file, or CSV, JSON, Parquet and Excel files or a folder of them."""
    settings = settings or Settings.from_env()
    text = os.fspath(spec).strip()
    if scheme := _SCHEME.match(text):
        if scheme[1].lower() not in ("postgresql", "postgres"):
            raise UsageError(f"{scheme[1]}:// is not a source Veracity reads; use postgresql://, a file or a folder.")
        from veracity.sources.postgres import open_postgres

        return _with_tables(open_postgres(text, settings))
    path = _existing_path(text)
    try:
        return _with_tables(_open_path(path, settings))
    except PermissionError:
        raise SourceError(f"{path} may not be read by you; change its permissions or run as a user who may.") from None
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {(error.strerror or 'unknown reason').lower()}.") from None


def _existing_path(text: str) -> Path:
    try:
        path = Path(text).expanduser()
        if text and path.exists():
            return path
    except (OSError, ValueError, RuntimeError):
        # A NUL byte or a name longer than the file system allows: there can be no such file.
        pass
    if _SECRET.search(text):
        # It may hold a password, so it is not shown.
        raise SourceError("That is no file or folder; check it: a database is written postgresql://user@host/name.")
    shown = text if len(text) <= 200 else text[:200] + "..."
    raise SourceError(f"There is no file or folder {shown!r}; check the path.")


def _open_path(path: Path, settings: Settings) -> Source:
    from veracity.sources.files import SUFFIXES, open_files

    if path.is_dir():
        return open_files(path, settings)
    if not path.is_file():
        raise SourceError(f"{path} is neither a file nor a folder; name a data file.")
    with path.open("rb") as stream:
        head = stream.read(16)
    if head.startswith(b"SQLite format 3\0"):
        from veracity.sources.sqlite import open_sqlite

        return open_sqlite(path, settings)
    if head[8:12] == b"DUCK" or path.suffix.lower() in (".duckdb", ".ddb"):
        from veracity.sources.duck import open_duckdb

        return open_duckdb(path, settings)
    if path.suffix.lower() in SUFFIXES:
        return open_files(path, settings)
    raise Unreadable("not_known", file=path)


def _with_tables(source: Source) -> Source:
    if source.tables:
        return source
    source.close()
    raise Unreadable("no_table", file=source.name)
