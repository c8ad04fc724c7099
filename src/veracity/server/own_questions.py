"""Questions that the source of the server surely answers, where nobody has described it: proven in the background."""

from __future__ import annotations

import asyncio
import hashlib
from threading import Lock, Thread
from typing import TYPE_CHECKING

from veracity.ask.sure_questions import sure_questions
from veracity.errors import VeracityError
from veracity.open import open_agent
from veracity.server.problems import LOG
from veracity.server.web.texts import LANGS

if TYPE_CHECKING:
    from veracity.server.config import ServerSettings
    from veracity.server.database import SharedCache
    from veracity.server.draft import ServedDraft
    from veracity.settings import Settings

_DAY = 24 * 3600.0


class OwnQuestions:
    """The proven questions of the server's own source, per language; what one process has proven the others read."""

    def __init__(self, settings: ServerSettings, home: Settings, draft: ServedDraft, cache: SharedCache) -> None:
        self._settings, self._home, self._draft, self._cache = settings, home, draft, cache
        self._proven: dict[str, list[str]] = {}
        self._begun_at: tuple[int, ...] = ()
        self._starting, self._proving = Lock(), Lock()

    def of(self, lang: str) -> tuple[str, ...]:
        """What was proven so far; proven anew once the draft was answered or the source was written."""
        self.start()
        return tuple(self._proven.get(lang, ()))

    def start(self) -> None:
        """Prove them in a thread of their own; of a source that is described, its ontology has questions."""
        with self._starting:
            changed_at = self._draft.changed_at()
            if changed_at == self._begun_at:
                return
            self._begun_at, self._proven = changed_at, {}
        Thread(target=self._prove, args=(changed_at,), name="prove-own", daemon=True).start()

    def _prove(self, changed_at: tuple[int, ...]) -> None:
        drawn = repr((self._settings.source, changed_at)).encode()
        key = f"own-questions:{hashlib.sha256(drawn).hexdigest()}"
        with self._proving:
            if changed_at != self._begun_at:  # somebody answered meanwhile, and the next one waits
                return
            if found := self._cache.get(key):
                self._proven = found
                return
            self._proven = proven = dict[str, list[str]]()
            try:
                asyncio.run(self._ask(proven))
            except VeracityError as error:
                LOG.warning("no questions were proven", extra={"fields": {"error": type(error).__name__}})
                return
            self._cache.put(key, proven, seconds=_DAY)

    async def _ask(self, proven: dict[str, list[str]]) -> None:
        agent = await asyncio.to_thread(open_agent, self._settings.source, settings=self._home, keep_traces=False)
        try:
            for lang in LANGS:
                async for question in sure_questions(agent, lang):
                    proven.setdefault(lang, []).append(question)
        finally:
            agent.tools.close()
