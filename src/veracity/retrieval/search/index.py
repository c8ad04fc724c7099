"""A folder -> an index that is up to date with it: files are read, cut into passages, and the passages embedded."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from time import time_ns

from pydantic import BaseModel, ConfigDict

from veracity.errors import SourceError
from veracity.features.records import Progress
from veracity.language.embed import Embedder
from veracity.language.folding import listed
from veracity.language.locale import printable
from veracity.retrieval.search.bm25 import language_of_passage
from veracity.retrieval.search.documents import (
    MOST_BYTES,
    READERS,
    Document,
    declared_collections,
    read_document,
    read_raw,
)
from veracity.retrieval.search.passages import KeptFile, Passage, PassageStore, collections_of

# --- a document -> passages: paragraphs are packed up to a size, long ones are cut between sentences, no word is lost


PASSAGE_LENGTH = 1_200
"""Characters of a passage at most: what is embedded as one, and what a person reads at a glance."""

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]»“”]{0,3}\s+(?=\S)|(?<=[。！？])")
_ABBREVIATIONS = listed(
    "e.g i.e etc vs mr mrs ms dr prof no nr art abs bzw z.b d.h u.a ca vgl inkl ggf usw st fig sec al approx"
)
_LONGEST_ABBREVIATION = 20


def split_document(document: Document, path: str, url: str) -> list[Passage]:
    """The passages of a document, numbered as they stand in it."""
    pieces = [(section.place, text) for section in document.sections for text in pack(section.text)]
    return [
        Passage(
            path=path,
            number=number,
            title=document.title,
            place=place[:300],
            text=text,
            lang=language_of_passage(text),
            url=url,
        )
        for number, (place, text) in enumerate(pieces, 1)
    ]


def pack(text: str, most: int = PASSAGE_LENGTH) -> Iterator[str]:
    """Paragraphs, joined while they fit; one that is too long by itself is cut."""
    held, size = list[str](), 0
    for paragraph in filter(None, (part.strip() for part in _PARAGRAPH.split(text))):
        for piece in _cut_paragraph(paragraph, most):
            if held and size + 2 + len(piece) > most:
                yield "\n\n".join(held)
                held, size = [], 0
            held.append(piece)
            size += len(piece) + (2 if size else 0)
    if held:
        yield "\n\n".join(held)


def _cut_paragraph(paragraph: str, most: int) -> Iterator[str]:
    """The paragraph in pieces that fit: between sentences if possible, then between words, then anywhere."""
    if len(paragraph) <= most:
        yield paragraph
        return
    held = ""
    for piece in (piece for sentence in sentences(paragraph) for piece in _cut_sentence(sentence, most)):
        if held and len(held) + 1 + len(piece) > most:
            yield held
            held = ""
        held = f"{held} {piece}" if held else piece
    if held:
        yield held


def _cut_sentence(sentence: str, most: int) -> Iterator[str]:
    """A sentence in pieces that fit, cut at the last space in their second half, or where the room ends."""
    start = 0
    while len(sentence) - start > most:
        space = sentence.rfind(" ", start + most // 2, start + most + 1)
        end = start + most if space < 0 else space
        yield sentence[start:end].rstrip()
        start = end + (space >= 0)
    if start < len(sentence):
        yield sentence[start:]


def sentences(text: str) -> list[str]:
    """The sentences of a text; an abbreviation, a number or an initial before a point does not end one."""
    found, start = list[str](), 0
    for end in _SENTENCE_END.finditer(text):
        if not _goes_on(text[max(start, end.start() - _LONGEST_ABBREVIATION) : end.start()]):
            found.append(text[start : end.end()].strip())
            start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def _goes_on(before: str) -> bool:
    if not before.endswith("."):
        return False
    word = before.rsplit(None, 1)[-1].rstrip(".").lower().lstrip("([\"'")
    return word in _ABBREVIATIONS or len(word) <= 1 or (word.isdigit() and len(word) <= 2)


# --- a folder -> a store that is up to date with it: what has not changed is not read again, what is gone is forgotten


_MADE_BY = f"2/{PASSAGE_LENGTH}"
"""Part of every digest: after a change in how files are read or split, all of them are read again."""
_BATCH = 128
"""Passages that are embedded and kept at a time: so many in each thread at most are done twice after a crash."""
_AT_ONCE = 1_024
"""Passages that are taken out of the store at a time."""
_MOST_THREADS = 8
_FRESH_NS = 2_000_000_000
"""A file changed so lately could change again without its date showing it; its contents are looked at next time, too."""


class UnreadFile(BaseModel):
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
    problems: tuple[UnreadFile, ...] = ()


@dataclass(slots=True)
class _FoundFile:
    """A file in the folder."""

    path: str
    file: Path
    size: int
    mtime_ns: int


@dataclass(slots=True)
class _Walk:
    """What there is in a folder."""

    files: list[_FoundFile] = field(default_factory=list)
    skipped: int = 0
    problems: list[UnreadFile] = field(default_factory=list)


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
    if vectors:
        store.weigh(embedder)
    return _index_report(walk, store, read=read, removed=len(gone), embedded=embedded)


def _index_report(walk: _Walk, store: PassageStore, *, read: int, removed: int, embedded: int) -> IndexReport:
    kept = store.files()
    broken = [UnreadFile(path=file.path, what=file.problem) for file in kept.values() if file.problem]
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
            walk.problems.append(UnreadFile(path=_shown_path(here, folder), what=_reason(error)))
            continue
        for entry in entries:
            _take_entry(entry, folder, walk, waiting)
    walk.files.sort(key=lambda found: found.path)
    return walk


def _take_entry(entry: os.DirEntry[str], folder: Path, walk: _Walk, waiting: list[Path]) -> None:
    path = Path(entry.path)
    try:
        state = entry.stat(follow_symlinks=False)
    except OSError as error:
        walk.problems.append(UnreadFile(path=_shown_path(path, folder), what=_reason(error)))
        return
    hidden = entry.name.startswith(".")
    if stat.S_ISDIR(state.st_mode) and not hidden:
        waiting.append(path)
    elif hidden or not stat.S_ISREG(state.st_mode) or path.suffix.lower() not in READERS:
        walk.skipped += 1
    elif _shown_path(path, folder) != path.relative_to(folder).as_posix():
        walk.problems.append(
            UnreadFile(path=_shown_path(path, folder), what="its name holds characters that no text can hold")
        )
    else:
        walk.files.append(_FoundFile(_shown_path(path, folder), path, state.st_size, state.st_mtime_ns))


def _shown_path(path: Path, folder: Path) -> str:
    """A path as it is shown: relative to the folder, in characters that can be shown."""
    return printable(os.fsencode(path.relative_to(folder).as_posix()).decode("utf-8", "replace"))


def _reason(error: OSError) -> str:
    return f"it cannot be read: {(error.strerror or 'it is gone').lower()}"


# --- reading


def _update(found: _FoundFile, store: PassageStore, known: KeptFile | None) -> bool:
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
        store.replace(state, passages, collections_of(found.path, declared_collections(found.file, raw)))
    return True


def _is_ours(known: KeptFile) -> bool:
    return known.digest.startswith(f"{_MADE_BY}:")


# --- embedding


def _embed(store: PassageStore, embedder: Embedder, progress: Progress | None) -> int:
    """Give every passage its vector: a thread for each core, and the matrices of one text are multiplied by one thread."""
    from threadpoolctl import threadpool_limits

    total, done = store.missing(), 0
    if not total:
        return 0
    with ThreadPoolExecutor(min(_MOST_THREADS, os.cpu_count() or 1)) as pool, threadpool_limits(1):
        for batch in _batches(store):
            vectors = pool.map(lambda part: embedder.embed([passage.searched for passage in part]), batch)
            for part, made in zip(batch, vectors, strict=True):
                store.put_vectors(part, made)
                done += len(part)
                if progress is not None:
                    progress(min(done, total), total)
    return done


def _batches(store: PassageStore) -> Iterator[list[list[Passage]]]:
    while taken := store.without_vector(_AT_ONCE):
        yield [taken[start : start + _BATCH] for start in range(0, len(taken), _BATCH)]
