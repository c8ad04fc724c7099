"""What a corpus is made of: passages, the files they come from, and whatever keeps them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veracity.language.embed import Embedder, Vectors
    from veracity.retrieval.encoders.choice import KeptEncoder

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


def collection_name(name: str) -> str:
    """The same for `Employee Compliance`, `employee-compliance` and `employee_compliance`; folders stay apart by slashes."""
    parts = (re.sub(r"[\W_]+", "-", part.casefold()).strip("-") for part in name.split("/"))
    return "/".join(part for part in parts if part)


def collections_of(path: str, declared: Sequence[str] = ()) -> tuple[str, ...]:
    """The collections that a file is in: every folder above it, by its name and by its path, and what it says itself."""
    folders = collection_name(path.rpartition("/")[0]).split("/")
    paths = ["/".join(folders[:end]) for end in range(1, len(folders) + 1)]
    return tuple(dict.fromkeys(name for name in (*folders, *paths, *map(collection_name, declared)) if name))


class PassageStore(Protocol):
    """Keeps passages, searches them by words and by vectors. Whatever fails is a `SourceError` or a `UsageError`."""

    def files(self) -> Mapping[str, KeptFile]:
        """Every file that was read, by its path."""

    def file(self, path: str) -> KeptFile | None:
        """One file, as it is known this very moment: another process may have read it in between."""

    def replace(self, file: KeptFile, passages: Sequence[Passage], collections: Sequence[str] = ()) -> None:
        """Keep these passages instead of all that there were of the file, which is in these collections."""

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

    def encoder(self) -> KeptEncoder | None:
        """The encoder that the vectors were made with; None where there are no vectors yet."""

    def keep_encoder(self, encoder: KeptEncoder) -> None:
        """Vectors are made with this encoder from now on; those of another one are forgotten."""

    def weigh(self, embedder: Embedder) -> None:
        """Find out how much meaning counts beside words here, unless that is known, and keep it."""

    def vector_weight(self) -> float | None:
        """How much meaning counts, from 0 to 1; None where that is not known."""

    def finish(self) -> None:
        """Make ready for searching what the last changes left to be done."""

    def lexical(self, query: str, depth: int, scope: str | None = None) -> list[Scored]:
        """The best passages by their words (BM25), the best first; of equal ones the smaller id.

        With a scope, only those of the files in this collection, as `collection_name` writes it.
        """

    def nearest(self, vector: Vectors, depth: int, scope: str | None = None) -> list[Scored]:
        """The best passages by the cosine of their vectors, the best first; of equal ones the smaller id."""

    def passages(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages of these ids; one that is gone by now is left out."""

    def close(self) -> None:
        """Release files and connections."""
