"""The index: what is known is found again by new requirements, in a file and in Qdrant, after a restart and after changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from veracity.errors import SourceError, UsageError
from veracity.requirements.contracts import Place, Requirement
from veracity.requirements.requirement_index import RequirementIndex, open_requirement_index
from veracity.retrieval.search.local import LocalPassages
from veracity.settings import Settings


class LetterEmbedder:
    """Vectors from pairs of letters: quick, always the same, and near for like texts."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.seen += texts
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for one, two in pairwise(f" {text} "):
                row[(ord(one) * 31 + ord(two)) % 64] += 1
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def requirement(identifier: str, text: str, path: str = "known.md", line: int | None = None) -> Requirement:
    return Requirement(id=identifier, text=text, place=Place(path=path, line=line))


KNOWN = (
    requirement("R-1", "Der Nutzer muss sein Passwort zurücksetzen können.", line=3),
    requirement("R-2", "Das System muss Rechnungen als PDF drucken.", line=5),
    requirement("R-3", "The page shall load in 2 s.", "more/pages.md", 1),
)


@pytest.fixture(params=["local", "qdrant"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RequirementIndex]:
    """The same index in a file and in Qdrant's local mode."""
    embedder = LetterEmbedder()
    if request.param == "local":
        made = open_requirement_index(tmp_path / "known.sqlite", embedder=embedder)
    else:
        qdrant_client = pytest.importorskip("qdrant_client")
        from veracity.retrieval.search.qdrant import QdrantPassages

        store = QdrantPassages(qdrant_client.QdrantClient(":memory:"), "requirements", embedder, "memory")
        made = RequirementIndex(store, embedder)
    yield made
    made.close()


def test_a_new_requirement_meets_the_known_one_that_says_the_same(index: RequirementIndex) -> None:
    index.put(KNOWN)
    new = requirement("N-1", "Nutzer müssen ihr Passwort zurücksetzen können.", "new.md", 9)
    [found] = index.duplicates([new])
    assert (found.requirement, found.known.id, found.known.place) == (new, "R-1", Place(path="known.md", line=3))
    assert "Passwort" in found.reason
    assert found.vetoes == ()


def test_a_veto_holds_against_known_requirements_too(index: RequirementIndex) -> None:
    index.put(KNOWN)
    [found] = index.duplicates([requirement("N-2", "The page shall load in 20 s.", "new.md")])
    assert (found.known.id, found.band, found.vetoes) == ("R-3", "look", ("numbers",))


def test_a_known_requirement_is_no_duplicate_of_itself(index: RequirementIndex) -> None:
    index.put(KNOWN)
    assert index.duplicates(KNOWN) == []
    moved = requirement("R-9", KNOWN[0].text)
    assert [(one.known.id, one.band) for one in index.duplicates([moved])] == [("R-1", "same")]


def test_putting_a_document_again_replaces_what_was_known_of_it(index: RequirementIndex) -> None:
    assert index.put(KNOWN) == 2
    assert index.put(KNOWN) == 0
    assert index.put([requirement("R-1", "Rechnungen müssen archiviert werden.")]) == 1
    assert index.count() == 2
    assert index.duplicates([requirement("N", KNOWN[0].text, "new.md")]) == []


def test_what_is_forgotten_is_not_found_any_more(index: RequirementIndex) -> None:
    index.put(KNOWN)
    index.forget(["known.md"])
    assert index.count() == 1
    assert index.duplicates([requirement("N", KNOWN[0].text, "new.md")]) == []


def test_a_search_gives_the_likest_first_and_no_more_than_asked_for(index: RequirementIndex) -> None:
    index.put(KNOWN)
    found = index.search("Passwort zurücksetzen", limit=2)
    assert found[0].requirement.id == "R-1"
    assert [one.similarity for one in found] == sorted((one.similarity for one in found), reverse=True)
    assert len(index.search("page", limit=1)) <= 1
    assert index.search("page", limit=0) == []


@pytest.mark.parametrize("text", ["", "   ", "???", "\ud800"])
def test_a_text_that_says_nothing_finds_nothing(index: RequirementIndex, text: str) -> None:
    index.put(KNOWN)
    assert index.search(text) == []
    assert index.duplicates([requirement("N", text)]) == []


def test_an_empty_index_finds_nothing(index: RequirementIndex) -> None:
    assert (index.count(), index.search("anything"), index.duplicates(KNOWN)) == (0, [], [])


def test_the_index_outlives_the_process_and_nothing_is_embedded_twice(tmp_path: Path) -> None:
    first = open_requirement_index(tmp_path / "known.sqlite", embedder=LetterEmbedder())
    first.put(KNOWN)
    first.close()
    embedder = LetterEmbedder()
    again = open_requirement_index(tmp_path / "known.sqlite", embedder=embedder)
    again.put(KNOWN)
    assert embedder.seen == []
    assert [one.known.id for one in again.duplicates([requirement("N", KNOWN[2].text, "new.md")])] == ["R-3"]
    again.close()


class ShorterEmbedder(LetterEmbedder):
    """Another encoder, whose vectors cannot be compared with those of the first."""

    identity = "shorter"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        made = super().embed(texts)[:, :13]
        return np.asarray(made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9), dtype=np.float32)


def test_known_requirements_are_embedded_anew_for_another_encoder(tmp_path: Path) -> None:
    first = open_requirement_index(tmp_path / "known.sqlite", embedder=LetterEmbedder())
    first.put(KNOWN)
    first.close()
    other = ShorterEmbedder()
    again = open_requirement_index(tmp_path / "known.sqlite", embedder=other)
    assert [one.known.id for one in again.duplicates([requirement("N", KNOWN[2].text, "new.md")])] == ["R-3"]
    assert {one.text for one in KNOWN} <= set(other.seen)
    again.close()


@settings(max_examples=40, deadline=None)
@given(
    identifier=st.text(max_size=30),
    text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60),
    place=st.builds(
        Place,
        path=st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
        line=st.none() | st.integers(1, 10**6),
        column=st.none() | st.integers(1, 10**6),
        cell=st.none() | st.sampled_from(["B7", "Sheet 1!A1"]),
    ),
)
def test_a_requirement_comes_back_as_it_was_put(
    tmp_path_factory: pytest.TempPathFactory, identifier: str, text: str, place: Place
) -> None:
    given_one = Requirement(id=identifier, text=f"word {text}", place=place, lang="de", kind="title")
    index = open_requirement_index(tmp_path_factory.mktemp("index") / "known.sqlite", embedder=LetterEmbedder())
    index.put([given_one])
    [found] = index.search(given_one.text)
    index.close()
    cleaned = given_one.model_copy(update={"id": identifier.encode("utf-8", "replace").decode()})
    assert found.requirement == cleaned


def test_without_a_place_the_index_is_in_the_data_folder(tmp_path: Path) -> None:
    index = open_requirement_index(settings=Settings(home=tmp_path / "home"), embedder=LetterEmbedder())
    index.put(KNOWN)
    index.close()
    assert [path.name for path in (tmp_path / "home").glob("*.sqlite")] == ["requirements-UniversalEmbedder.sqlite"]


def test_a_file_of_something_else_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "known.sqlite"
    path.write_bytes(b"not a database at all, but long enough to look like one" * 20)
    with pytest.raises(UsageError, match="move it away"):
        RequirementIndex(LocalPassages(path), LetterEmbedder()).put(KNOWN)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://localhost:6333", "the name of a collection"),
        ("http://user:secret@localhost/requirements", "VERACITY_QDRANT_API_KEY"),
    ],
)
def test_a_url_that_cannot_work_is_one_sentence(url: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        open_requirement_index(url, embedder=LetterEmbedder())


def test_a_qdrant_server_that_is_not_there_is_one_sentence() -> None:
    pytest.importorskip("qdrant_client")
    index = open_requirement_index("http://127.0.0.1:9/requirements", embedder=LetterEmbedder())
    with pytest.raises(SourceError, match="cannot be reached"):
        index.count()
    index.close()
