"""The draft that a source is asked through where nobody has written its ontology: kept, and made again when the source changes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from veracity.errors import QueryFailed, SourceError, UsageError

if TYPE_CHECKING:
    from veracity.features.records import Progress
    from veracity.ontology.draft import OntologyDraft
    from veracity.settings import Settings
    from veracity.sources.source import Source

_LONGEST = 24 * 3600
"""So many seconds a draft of a server stands, whose rows may change unseen."""
_SIDE_FILES = ("", "-wal", ".wal")
"""A database, and where it writes first."""


@dataclass(frozen=True)
class CurrentDraft:
    """A draft as the source is now, and what people are told of it."""

    draft: OntologyDraft
    changes: tuple[str, ...] = ()
    """What changed in the tables since it was made."""

    @property
    def notes(self) -> tuple[str, ...]:
        """That it is used, and how many of its questions are open."""
        left = len(self.draft.questions)
        asked = f"veracity ontology draft ... --confirm answers its {left} open question{'' if left == 1 else 's'}"
        told = f"there is no --ontology, so the draft of this source is used{f'; {asked}' if left else ''}."
        return (told, *self.changes)


def asked_for(source: str | os.PathLike[str], opened: Source, settings: Settings) -> CurrentDraft | None:
    """The draft that somebody asked for; nothing where nobody did."""
    from veracity.ontology.draft.keeping import place_of

    place = place_of(settings.home, os.fspath(source))
    return _current(place, source, opened, None) if place.exists() else None


def by_itself(
    source: str | os.PathLike[str], opened: Source, settings: Settings, progress: Progress | None
) -> CurrentDraft | None:
    """A draft made because somebody asks a question; nothing where the source cannot be drafted."""
    from veracity.ontology.draft.keeping import place_of

    try:
        return _current(place_of(settings.home, os.fspath(source), automatic=True), source, opened, progress)
    except (UsageError, SourceError, QueryFailed):
        return None


def current_draft(
    source: str | os.PathLike[str], opened: Source, settings: Settings, progress: Progress | None = None
) -> CurrentDraft:
    """The draft that somebody asked for, else the one that is made by itself; raises where the source cannot be drafted."""
    from veracity.ontology.draft.keeping import place_of

    place = place_of(settings.home, os.fspath(source), automatic=True)
    return asked_for(source, opened, settings) or _current(place, source, opened, progress)


def draft_of_tables(
    source: str | os.PathLike[str],
    opened: Source,
    settings: Settings,
    progress: Progress | None = None,
    *,
    tables: Sequence[str],
) -> CurrentDraft:
    """The draft of the tables that somebody chose of a source that has too many; it is kept as one that was asked for."""
    from veracity.ontology.draft.keeping import place_of

    chosen = [name for name in tables if name in opened.tables]
    return _current(place_of(settings.home, os.fspath(source)), source, opened, progress, chosen)


def _current(
    place: Path,
    source: str | os.PathLike[str],
    opened: Source,
    progress: Progress | None,
    chosen: Sequence[str] | None = None,
) -> CurrentDraft:
    from veracity.language.locale import LANGUAGES
    from veracity.ontology.draft import draft
    from veracity.ontology.draft.keeping import keep_draft, kept_draft, with_kept_answers
    from veracity.ontology.draft.merging import is_current, schema_changes
    from veracity.ontology.draft.reshaping import reshaped

    kept = kept_draft(place)
    named = [table.name for table in kept.found.tables if table.name in opened.tables] if kept else []
    same = kept is not None and (chosen is None or (kept.found.named and set(named) == set(chosen)))
    selected = kept is not None and any(table.profile.select for table in kept.found.tables)
    tables = reshaped(opened).tables if selected else opened.tables
    if kept is not None and same and is_current(kept.found, tables) and not _has_changed(source, place):
        return CurrentDraft(kept)
    now = draft(
        opened,
        languages=kept.languages if kept else LANGUAGES,
        tables=chosen or (named if kept and kept.found.named else None),
        progress=progress or (lambda _done, _total: None),
    )
    now = with_kept_answers(now, kept)
    with suppress(OSError):  # it is made again at the next question
        keep_draft(now, place)
    return CurrentDraft(now, schema_changes(kept.found, now.found) if kept and same else ())


def _has_changed(source: str | os.PathLike[str], place: Path) -> bool:
    """Whether rows may have changed since a draft was kept, or the program that makes drafts.

    A second status that came since must keep sums apart; a newer program reads names that an older one did not.
    """
    made, named = place.stat().st_mtime, os.fspath(source)
    if any(file.stat().st_mtime > made for file in (Path(__file__).parents[1] / "ontology" / "draft").glob("*.*")):
        return True
    if "://" in named:
        return time() - made > _LONGEST
    return any(file.stat().st_mtime > made for file in _files(named) if file.exists())


def state_of(source: str | os.PathLike[str]) -> tuple[int, int]:
    """Changes when the rows of a source may have: how many files it has and when one was written last; of a server, the day."""
    named = os.fspath(source)
    if "://" in named:
        return 0, int(time() // _LONGEST)
    times = [file.stat().st_mtime_ns for file in _files(named) if file.exists()]
    return len(times), max(times, default=0)


def _files(named: str) -> list[Path]:
    path = Path(named).expanduser()
    return [path, *path.rglob("*")] if path.is_dir() else [Path(f"{path}{end}") for end in _SIDE_FILES]
