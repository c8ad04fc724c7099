"""From a source that was just connected to one that answers: its rows copied, its draft made, its questions proven.

    a file        -> reading      encoding, layout and types, by one look at every value
                  -> copying      into a DuckDB file, so that no question reads the text again
    all           -> drafting     what the tables say of themselves; from here on it answers
                  -> proving      questions made of its own words, each asked and answered

Each step is told to the database, where every process of the server reads it. A process that dies leaves a source that another
one takes over.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import BoundedSemaphore, Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from veracity.ask.sure_questions import MOST, sure_questions
from veracity.contracts import clip
from veracity.errors import QueryFailed, SourceError, UsageError, VeracityError
from veracity.ontology.draft.drafting import MOST_TABLES
from veracity.open import open_agent
from veracity.server.problems import LOG, NotThere
from veracity.server.sources import FoundTable, FoundTables
from veracity.server.sources_secret import SourceRefused, told_in
from veracity.server.web.texts import LANGS
from veracity.sources.files import SUFFIXES, copy_file
from veracity.sources.open import open_source
from veracity.tools.drafted import current_draft, draft_of_tables

if TYPE_CHECKING:
    from veracity.ask.data_agent import DataAgent
    from veracity.ontology.draft import OntologyDraft
    from veracity.server.sources import SourceAddress, TenantSources
    from veracity.settings import Settings
    from veracity.sources.source import FileFacts, Source

_AT_ONCE = 2
_TELL_SECONDS, _BEAT_SECONDS = 0.4, 5.0
_STEPS = {"reading": (2, 40), "copying": (40, 70), "drafting": (70, 88), "proving": (88, 100)}
"""Where each step begins and ends, in percent of all."""
_MOST_TABLES, _MOST_COLUMNS, _MOST_NOTES, _LONGEST_NOTE, _LONGEST_ERROR = 200, 60, 20, 300, 500
_NO_MACROS = "Macros in the workbook are not run; the values that were saved with it are read."


class SourcePreparation:
    """Prepares the sources of all tenants, each in a thread of its own, few at once."""

    def __init__(self, sources: TenantSources, home: Settings) -> None:
        self._sources, self._home = sources, home
        self._room = BoundedSemaphore(_AT_ONCE)

    def start(self, tenant: str, source_id: str) -> None:
        """Begin; how far it is stands in the source's row."""
        Thread(target=self._run, args=(tenant, source_id), name=f"prepare-{source_id}", daemon=True).start()

    def prove_again(self, tenant: str, source_id: str) -> None:
        """Make the questions of a source anew, because its draft was answered."""
        telling = _Telling(self._sources, tenant, source_id)
        Thread(target=self._prove, args=(telling,), name=f"prove-{source_id}", daemon=True).start()

    def _run(self, tenant: str, source_id: str) -> None:
        telling = _Telling(self._sources, tenant, source_id)
        try:
            with telling.beating(), self._room:
                notes = self._copied(telling)
                found = self._drafted(telling, notes)
                self._sources.finish(tenant, source_id, found)
                # Of a source that is too large to be looked at, nothing is known to ask.
                self._prove(telling) if found.rows is not None else telling.keep(doing="", done="100")
        except _Forgotten:
            return
        except VeracityError as error:
            telling.failed(error)
        except Exception as error:  # noqa: BLE001 - a thread has nobody to raise it to
            LOG.error("a source was not prepared", extra={"fields": {"error": type(error).__name__}})
            telling.failed(SourceRefused("fault"))

    def _copied(self, telling: _Telling) -> tuple[str, ...]:
        """Copy the rows of a file that is no database; what is to be known of how it was read."""
        kind, place = self._sources.file_of(telling.tenant, telling.source_id)
        folder = self._sources.folder(telling.tenant, telling.source_id)
        file = folder / place
        if kind != "file" or file.suffix.lower() not in SUFFIXES:
            return ()
        target = folder / f"{file.stem}.duckdb"
        target.unlink(missing_ok=True)
        try:
            facts = copy_file(file, target, self._home, telling.share)
        except SourceError:
            target.unlink(missing_ok=True)
            raise
        telling.keep(place=target.name)
        file.unlink(missing_ok=True)
        return tuple(_notes(facts))

    def _drafted(self, telling: _Telling, notes: tuple[str, ...]) -> FoundTables:
        """What is in a source, and its draft, which is kept; a source without one answers by its names alone."""
        telling.share("drafting", 0)
        address = self._sources.address(telling.tenant, telling.source_id)
        if address.named is None:
            return FoundTables(notes=notes)
        source = open_source(address.named, settings=address.home)
        chosen = self._sources.chosen_tables(telling.tenant, telling.source_id)
        drafting = partial(draft_of_tables, tables=chosen) if chosen else current_draft
        try:
            draft = drafting(address.named, source, address.home, telling.counted).draft
        except UsageError:
            # Too many tables to look at them all; questions name them as they are called.
            return _undrafted(source, notes)
        finally:
            source.close()
        return _found(draft, notes, len(source.tables))

    def _prove(self, telling: _Telling) -> None:
        """Questions that the source surely answers, kept as they are proven."""
        with suppress(QueryFailed, NotThere, _Forgotten):
            address = self._sources.address(telling.tenant, telling.source_id)
            asyncio.run(self._proven(telling, address))
        with suppress(_Forgotten):
            telling.keep(doing="", done="100")

    async def _proven(self, telling: _Telling, address: SourceAddress) -> None:
        agent = await asyncio.to_thread(
            open_agent,
            address.named,
            feature=address.feature,
            scope=address.scope,
            settings=address.home,
            keep_traces=False,
        )
        try:
            await _keep_proven(agent, telling)
        finally:
            agent.tools.close()


async def _keep_proven(agent: DataAgent, telling: _Telling) -> None:
    proven: dict[str, list[str]] = {lang: [] for lang in LANGS}
    for number, lang in enumerate(LANGS):
        async for question in sure_questions(agent, lang):
            proven[lang].append(question)
            telling.share("proving", (number + len(proven[lang]) / MOST) / len(LANGS))
            telling.keep(questions=json.dumps(proven))
    telling.keep(questions=json.dumps(proven))


# --- telling how far it is


class _Forgotten(Exception):
    """The source is no longer there: there is nothing to prepare."""


class _Telling:
    """Writes down how far one source is."""

    def __init__(self, sources: TenantSources, tenant: str, source_id: str) -> None:
        self.tenant, self.source_id, self._sources = tenant, source_id, sources
        self._told_at = 0.0

    def share(self, doing: str, part: float) -> None:
        """So much of a step is done, from 0 to 1; not told more often than somebody looks."""
        if part and monotonic() - self._told_at < _TELL_SECONDS:
            return
        self._told_at = monotonic()
        start, end = _STEPS[doing]
        percent = round(start + (end - start) * min(1.0, part))
        # A database that is away for a moment costs a step of the bar, not the source.
        with suppress(SourceError):
            self._sources.told(self.tenant, self.source_id, doing=doing, done=str(percent))

    def counted(self, done: int, total: int) -> None:
        """So many tables of all were looked at."""
        self.share("drafting", done / total if total else 0)

    def keep(self, **values: str) -> None:
        """Write something down; raises `_Forgotten` where there is nothing left to write to."""
        if not self._sources.told(self.tenant, self.source_id, **values):
            raise _Forgotten

    def failed(self, error: VeracityError) -> None:
        """It cannot be connected; people do not read where the server keeps files."""
        folder = self._sources.folder(self.tenant, self.source_id)
        why = {lang: clip(told_in(error, lang).replace(f"{folder}/", ""), _LONGEST_ERROR) for lang in LANGS}
        with suppress(SourceError):
            self._sources.told(self.tenant, self.source_id, state="failed", doing="", error=json.dumps(why))

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Say again and again that somebody is at it, so that nobody else begins."""
        over = Event()

        def beat() -> None:
            while not over.wait(_BEAT_SECONDS):
                with suppress(SourceError):
                    self._sources.told(self.tenant, self.source_id)

        beating = Thread(target=beat, daemon=True)
        beating.start()
        try:
            yield
        finally:
            over.set()
            beating.join()


# --- what was found


def _found(draft: OntologyDraft, notes: tuple[str, ...], of_tables: int) -> FoundTables:
    profiles = [table.profile for table in draft.found.tables]
    return FoundTables(
        tables=len(profiles),
        rows=sum(one.rows for one in profiles),
        columns=sum(len(one.columns) for one in profiles),
        relations=len(draft.settled.relations),
        shown=tuple(
            FoundTable(name=one.name, rows=one.rows, columns=one.names[:_MOST_COLUMNS])
            for one in profiles[:_MOST_TABLES]
        ),
        of_tables=of_tables if draft.found.named else None,
        notes=_short([*notes, *draft.found.notes]),
    )


def _undrafted(source: Source, notes: tuple[str, ...]) -> FoundTables:
    tables = list(source.tables.values())
    said = (
        f"It has {len(tables):,} tables, too many to look at them all. Questions that name a table and its columns are "
        f"answered; for more, choose up to {MOST_TABLES} tables that questions are about."
    )
    return FoundTables(
        tables=len(tables),
        of_tables=len(tables),
        columns=sum(len(one.columns) for one in tables),
        shown=tuple(
            FoundTable(name=one.name, columns=tuple(one.columns)[:_MOST_COLUMNS]) for one in tables[:_MOST_TABLES]
        ),
        notes=_short([said, *notes]),
    )


def _notes(facts: FileFacts) -> Iterator[str]:
    """What a person should know of how a file was read."""
    if facts.path.suffix.lower() == ".xlsm":
        yield _NO_MACROS
    for one in facts.problems:
        place = ", ".join(
            part for part in (one.table or "", one.column or "", f"row {one.row}" if one.row else "") if part
        )
        yield f"{place}: {one.what}" if place else one.what


def _short(notes: Iterable[str]) -> tuple[str, ...]:
    return tuple(clip(note, _LONGEST_NOTE) for note in notes)[:_MOST_NOTES]
