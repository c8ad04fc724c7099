"""What an agent works with: tools over one source, whatever language they speak."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from veracity.answer.results import Result
from veracity.contracts import TableData, ToolKind, ToolResult
from veracity.ontology.questions import ToolCall
from veracity.ontology.schema import Schema
from veracity.query.catalog import Catalog
from veracity.query.values import Key
from veracity.question import Lexicon
from veracity.sources.source import Source


class Toolset(Protocol):
    """Tables, raw SQL or files: the same loop, the same checks."""

    @property
    def kind(self) -> ToolKind:
        """What the guard knows the source as."""

    @property
    def names(self) -> tuple[str, ...]:
        """The tools."""

    @property
    def source(self) -> Source:
        """Where the rows are."""

    @property
    def catalog(self) -> Catalog:
        """What can be seen of the source."""

    @property
    def opening(self) -> tuple[ToolCall, ...]:
        """The calls that have to come before any other."""

    def schemas(self) -> list[Schema]:
        """The tools as a model is offered them."""

    def spoken(self, call: ToolCall) -> ToolCall:
        """A structured call (browseTable, queryTable, aggregateTable) in the words of these tools."""

    async def call(self, tool: str, arguments: Any) -> ToolResult:
        """Run one call; what a model wrote never raises."""

    def result(self, data: TableData, tool: str, arguments: Any) -> Result:
        """The rows of a successful call, with what each column may be used for."""

    async def stored_values(self) -> Mapping[Key, frozenset[str]]:
        """What people may name in a question."""

    def close(self) -> None:
        """Release the source."""


# --- the words that mean something on a source: what the ontology calls things, and what is stored


class KnownWords:
    """The lexicon of some tools, built anew only when stored values changed."""

    def __init__(self, tools: Toolset) -> None:
        self._tools = tools
        self._built: tuple[int, Lexicon] | None = None

    def __call__(self, stored: Mapping[Key, frozenset[str]]) -> Lexicon:
        """The lexicon with these stored values."""
        mark = hash(frozenset(stored.items()))
        if self._built is None or self._built[0] != mark:
            self._built = (mark, Lexicon.of(self._tools.catalog, stored))
        return self._built[1]
