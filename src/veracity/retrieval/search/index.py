"""A folder -> a store that is up to date with it: what has not changed is not read again, what is gone is forgotten."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from time import time_ns

from pydantic import BaseModel, ConfigDict

from veracity.embed import Embedder
from veracity.errors import SourceError
from veracity.features.records import Progress
from veracity.locale import printable
from veracity.retrieval.search.documents import MOST_BYTES, READERS, read_document, read_raw
from veracity.retrieval.search.passages import KeptFile, Passage, PassageStore
from veracity.retrieval.search.splitting import PASSAGE_LENGTH, split_document

_MADE_BY = f"1/{PASSAGE_LENGTH}"
"""Part of every digest: after a change in how files are read or split, all of them are read again."""
_BATCH = 16
"""Passages that are embedded at a time; what is embedded is kept, so at most so many are done twice after a crash."""
_FRESH_NS = 2_000_000_000
"""A file changed so lately could change again without its date showing it; its contents are looked at next time, too."""


class FileProblem(BaseModel):
    """A file that could not be read, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    what: str


class IndexReport(BaseModel):
    """What indexing found and did."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    files: int = 0
    """Files that can be searched now."""
    passages: int = 0
    read: int = 0
    """Files that were new or changed."""
    unchanged: int = 0
    removed: int = 0
    """Files that are no longer there."""
    skipped: int = 0
    """Files of other kinds, hidden ones and links, which are never read."""
    embedded: int = 0
    """Passages that got a vector now."""
    without_vector: int = 0
    """Passages that can be found by their words only."""
    problems: tuple[FileProblem, ...] = ()


@dataclass(slots=True)
class _Found:
    """A file in the folder."""

    path: str
    file: Path
    size: int
    mtime_ns: int


@dataclass(slots=True)
class _Walk:
    """What there is in a folder."""

    files: list[_Found] = field(default_factory=list)
    skipped: int = 0
    problems: list[FileProblem] = field(default_factory=list)


def index_folder(
    folder: Path, store: PassageStore, embedder: Embedder, *, vectors: bool = True, progress: Progress | None = None
) -> IndexReport:
    """Bring the store up to date; it can be stopped at any moment and goes on where it was."""
    walk = walk_folder(folder)
    known = store.files()
    gone = sorted(set(known) - {found.path for found in walk.files})
    if gone:
        store.remove(gone)
    read = 0
    for number, found in enumerate(walk.files, 1):
        read += _update(found, store, known.get(found.path))
        if progress is not None:
            progress(number, len(walk.files))
    embedded = _embed(store, embedder, progress) if vectors else 0
    store.finish()
    return _report(walk, store, read=read, removed=len(gone), embedded=embedded)


def _report(walk: _Walk, store: PassageStore, *, read: int, removed: int, embedded: int) -> IndexReport:
    kept = store.files()
    broken = [FileProblem(path=file.path, what=file.problem) for file in kept.values() if file.problem]
    return IndexReport(
        files=len(kept) - len(broken),
        passages=store.count(),
        read=read,
        unchanged=len(walk.files) - read,
        removed=removed,
        skipped=walk.skipped,
        embedded=embedded,
        without_vector=store.missing(),
        problems=tuple(sorted([*walk.problems, *broken], key=lambda problem: problem.path)),
    )


# --- finding


def walk_folder(folder: Path) -> _Walk:
    """The files that can be read, in a fixed order. Links are not followed: none leads out of the folder or round."""
    walk = _Walk()
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError as error:
            if here == folder:
                raise SourceError(f"{folder} cannot be read: {(error.strerror or 'it is gone').lower()}.") from None
            walk.problems.append(FileProblem(path=_named(here, folder), what=_reason(error)))
            continue
        for entry in entries:
            _take(entry, folder, walk, waiting)
    walk.files.sort(key=lambda found: found.path)
    return walk


def _take(entry: os.DirEntry[str], folder: Path, walk: _Walk, waiting: list[Path]) -> None:
    path = Path(entry.path)
    try:
        state = entry.stat(follow_symlinks=False)
    except OSError as error:
        walk.problems.append(FileProblem(path=_named(path, folder), what=_reason(error)))
        return
    hidden = entry.name.startswith(".")
    if stat.S_ISDIR(state.st_mode) and not hidden:
        waiting.append(path)
    elif hidden or not stat.S_ISREG(state.st_mode) or path.suffix.lower() not in READERS:
        walk.skipped += 1
    elif _named(path, folder) != path.relative_to(folder).as_posix():
        walk.problems.append(
            FileProblem(path=_named(path, folder), what="its name holds characters that no text can hold")
        )
    else:
        walk.files.append(_Found(_named(path, folder), path, state.st_size, state.st_mtime_ns))


def _named(path: Path, folder: Path) -> str:
    """A path as it is shown: relative to the folder, in characters that can be shown."""
    return printable(os.fsencode(path.relative_to(folder).as_posix()).decode("utf-8", "replace"))


def _reason(error: OSError) -> str:
    return f"it cannot be read: {(error.strerror or 'it is gone').lower()}"


# --- reading


def _update(found: _Found, store: PassageStore, known: KeptFile | None) -> bool:
    """Read a file if it has changed since it was kept; whether it was read and kept anew."""
    if known is not None and (known.size, known.mtime_ns) == (found.size, found.mtime_ns) and _is_ours(known):
        return False
    mtime_ns = found.mtime_ns if time_ns() - found.mtime_ns > _FRESH_NS else 0
    state = KeptFile(found.path, found.size, mtime_ns, f"{_MADE_BY}:")
    try:
        if found.size > MOST_BYTES:
            raise SourceError(f"it has more than {MOST_BYTES // 1_000_000} MB; split it")
        raw = read_raw(found.file)
        state = replace(state, digest=f"{_MADE_BY}:{sha256(raw).hexdigest()}")
        # Asked again: another process that indexes the same folder may have been quicker.
        now = store.file(found.path)
        if now is not None and now.digest == state.digest:
            store.touch(replace(state, problem=now.problem))
            return False
        document = read_document(found.file, raw)
        passages = split_document(document, found.path, found.file.as_uri())
    except SourceError as problem:
        store.replace(replace(state, problem=str(problem).removeprefix(f"{found.file} ").rstrip(".")), ())
    else:
        store.replace(state, passages)
    return True


def _is_ours(known: KeptFile) -> bool:
    return known.digest.startswith(f"{_MADE_BY}:")


# --- embedding


def _embed(store: PassageStore, embedder: Embedder, progress: Progress | None) -> int:
    """Give every passage its vector, a few at a time."""
    total, done = store.missing(), 0
    for batch in _batches(store):
        store.put_vectors(batch, embedder.embed([passage.searched for passage in batch]))
        done += len(batch)
        if progress is not None:
            progress(min(done, total), total)
    return done


def _batches(store: PassageStore) -> Iterator[list[Passage]]:
    while batch := store.without_vector(_BATCH):
        yield batch
