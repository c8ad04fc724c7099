"""Questions that the source of the server surely answers, where nobody has described it: proven once, in the background."""

from __future__ import annotations

import asyncio
import hashlib
from threading import Thread
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

    def of(self, lang: str) -> tuple[str, ...]:
        """What was proven so far."""
        return tuple(self._proven.get(lang, ()))

    def start(self) -> None:
        """Prove them in a thread of their own; of a source that is described, its ontology has questions."""
        if self._draft.changed_at():
            Thread(target=self._prove, name="prove-own", daemon=True).start()

    def _prove(self) -> None:
        drawn = repr((self._settings.source, self._draft.changed_at())).encode()
        key = f"own-questions:{hashlib.sha256(drawn).hexdigest()}"
        if found := self._cache.get(key):
            self._proven = found
            return
        try:
            asyncio.run(self._ask())
        except VeracityError as error:
            LOG.warning("no questions were proven", extra={"fields": {"error": type(error).__name__}})
            return
        self._cache.put(key, self._proven, seconds=_DAY)

    async def _ask(self) -> None:
        agent = await asyncio.to_thread(open_agent, self._settings.source, settings=self._home, keep_traces=False)
        try:
            for lang in LANGS:
                async for question in sure_questions(agent, lang):
                    self._proven.setdefault(lang, []).append(question)
        finally:
            agent.tools.close()
