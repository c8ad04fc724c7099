"""The words that mean something on a source: what the ontology calls things, and what is stored."""

from __future__ import annotations

from collections.abc import Mapping

from veracity.query.profile import Key
from veracity.question import Lexicon
from veracity.tools.toolset import Toolset


class KnownWords:
    """The lexicon of some tools, built anew only when stored values changed."""

    def __init__(self, tools: Toolset) -> None:
        self._tools = tools
        self._built: tuple[int, Lexicon] | None = None

    async def __call__(self) -> tuple[Lexicon, Mapping[Key, frozenset[str]]]:
        """The lexicon, and the stored values it was made from."""
        stored = await self._tools.stored_values()
        mark = hash(frozenset(stored.items()))
        if self._built is None or self._built[0] != mark:
            self._built = (mark, Lexicon.of(self._tools.catalog, stored))
        return self._built[1], stored
