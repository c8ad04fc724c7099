"""What a corpus is made of: passages, the files they come from, and whatever keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veracity.language.embed import Vectors

Scored = tuple[str, float]
"""The id of a passage and its score by one way of searching."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document that can be found by itself."""

    path: str
    """The file, relative to its folder, with slashes."""
    number: int
    """Its place among the passages of the file, from 1."""
    title: str
    """Of the document."""
    place: str
    """Where in the document: its headings, or the page."""
    text: str
    lang: str = "en"
    url: str = ""

    @property
    def id(self) -> str:
        """The same in every run and on every machine: `handbook/residency.md#3`."""
        return f"{self.path}#{self.number}"

    @property
    def searched(self) -> str:
        """What is searched: the words above a passage say what it is about as much as its own do."""
        return "\n".join(part for part in (self.title, self.place, self.text) if part)


@dataclass(frozen=True, slots=True)
class KeptFile:
    """What is known of a file that was read: enough to see that it has not changed, and what was wrong with it."""

    path: str
    size: int
    mtime_ns: int
    digest: str
    problem: str | None = None


class PassageStore(Protocol):
    """Keeps passages, searches them by words and by vectors. Whatever fails is a `SourceError` or a `UsageError`."""

    def files(self) -> Mapping[str, KeptFile]:
        """Every file that was read, by its path."""

    def file(self, path: str) -> KeptFile | None:
        """One file, as it is known this very moment: another process may have read it in between."""

    def replace(self, file: KeptFile, passages: Sequence[Passage]) -> None:
        """Keep these passages instead of all that there were of the file."""

    def touch(self, file: KeptFile) -> None:
        """The file holds what it held; only its date is new."""

    def remove(self, paths: Sequence[str]) -> None:
        """Forget these files and their passages."""

    def count(self) -> int:
        """How many passages there are."""

    def missing(self) -> int:
        """How many passages have no vector yet."""

    def without_vector(self, most: int) -> list[Passage]:
        """Some of the passages that have no vector yet."""

    def put_vectors(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        """Keep the vectors of these passages, one row each."""

    def finish(self) -> None:
        """Make ready for searching what the last changes left to be done."""

    def lexical(self, query: str, depth: int) -> list[Scored]:
        """The best passages by their words (BM25), the best first; of equal ones the smaller id."""

    def nearest(self, vector: Vectors, depth: int) -> list[Scored]:
        """The best passages by the cosine of their vectors, the best first; of equal ones the smaller id."""

    def passages(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages of these ids; one that is gone by now is left out."""

    def close(self) -> None:
        """Release files and connections."""
