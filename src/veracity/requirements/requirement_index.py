"""Requirements that are known already, kept so that new ones are checked against all of them.

They are kept as the passages of a corpus are (`retrieval/search/`): in one SQLite file by default, or in a Qdrant collection by URL.
There each new requirement finds its nearest by meaning and by words; how like they are, and what speaks against it, is then judged
by the same code as within one document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qs, quote, unquote, urlencode

from veracity.language.embed import identity_of
from veracity.requirements.comparing import Content
from veracity.requirements.contracts import Place, Record, Requirement
from veracity.requirements.duplicates import LOOK, SAME, default_embedder, duplicates_of
from veracity.retrieval.encoders.choice import kept_of
from veracity.retrieval.search.passages import KeptFile, Passage, PassageStore
from veracity.settings import Settings

if TYPE_CHECKING:
    from veracity.language.embed import Embedder

_DEPTH = 20
"""Known requirements that each new one is compared with, by meaning and again by words."""
_BATCH = 64
_MADE_BY = "requirements-1"


class KnownDuplicate(Record):
    """A new requirement, and a known one that may say the same."""

    requirement: Requirement
    known: Requirement
    similarity: float
    reason: str
    band: Literal["same", "look"]
    vetoes: tuple[str, ...] = ()


class KnownRequirement(Record):
    """A known requirement that a search found."""

    requirement: Requirement
    similarity: float


class RequirementIndex:
    """The known requirements; whatever fails is a `SourceError` or a `UsageError`."""

    def __init__(self, store: PassageStore, embedder: Embedder) -> None:
        self._store, self._embedder = store, embedder

    def put(self, requirements: Sequence[Requirement]) -> int:
        """Keep these instead of all that was known of their documents; returns how many documents were new or changed."""
        changed = 0
        for path, given in groupby(sorted(requirements, key=_path_of), key=_path_of):
            passages = [_passage_of(requirement, number) for number, requirement in enumerate(given, 1)]
            file = KeptFile(path, len(passages), 0, _digest(passages))
            known = self._store.file(path)
            if known is None or known.digest != file.digest:
                self._store.replace(file, passages)
                changed += 1
        self._embed()
        return changed

    def forget(self, paths: Sequence[str]) -> None:
        """Forget the requirements of these documents."""
        self._store.remove(paths)
        self._store.finish()

    def count(self) -> int:
        """How many requirements are known."""
        return self._store.count()

    def search(self, text: str, *, limit: int = 10) -> list[KnownRequirement]:
        """The known requirements that are most like a text, the likest first."""
        known = self._candidates([text]) if limit > 0 else []
        pairs = duplicates_of([text], [one.text for one in known], embedder=self._embedder, look=0.0)
        ranked = sorted(pairs, key=lambda pair: (-pair.similarity, pair.req2_idx))
        return [
            KnownRequirement(requirement=known[pair.req2_idx], similarity=pair.similarity) for pair in ranked[:limit]
        ]

    def duplicates(
        self, requirements: Sequence[Requirement], *, look: float = LOOK, same: float = SAME
    ) -> list[KnownDuplicate]:
        """The known requirements that new ones may repeat; a requirement of the same document and id is the same one."""
        known = self._candidates([requirement.text for requirement in requirements])
        new = [requirement.text for requirement in requirements]
        pairs = duplicates_of(new, [one.text for one in known], embedder=self._embedder, look=look, same=same)
        return [
            KnownDuplicate(
                requirement=one,
                known=other,
                similarity=pair.similarity,
                reason=pair.reason,
                band=pair.band,
                vetoes=pair.vetoes,
            )
            for pair in pairs
            if _key_of(one := requirements[pair.req1_idx]) != _key_of(other := known[pair.req2_idx])
        ]

    def close(self) -> None:
        """Release files and connections."""
        self._store.close()

    def _candidates(self, texts: Sequence[str]) -> list[Requirement]:
        """The known requirements that are near to one of these texts, by meaning or by words."""
        said = [text for text in map(_storable, texts) if text.strip()]
        if not said or not self._store.count():
            return []
        kept = self._store.encoder()
        if kept is None or kept.identity != identity_of(self._embedder):
            self._embed()
        found: dict[str, None] = {}
        for text, vector in zip(said, self._embedder.embed(said), strict=True):
            near = [*self._store.nearest(vector, _DEPTH), *self._store.lexical(text, _DEPTH)]
            found |= dict.fromkeys(identifier for identifier, _ in near)
        passages = self._store.passages(list(found))
        return [_requirement_of(passages[identifier]) for identifier in sorted(passages)]

    def _embed(self) -> None:
        """Make the vectors that are missing; those of another encoder are forgotten and made anew."""
        self._store.keep_encoder(kept_of(self._embedder))
        for batch in _batches(self._store):
            self._store.put_vectors(batch, self._embedder.embed([passage.searched for passage in batch]))
        self._store.finish()


def open_requirement_index(
    place: str | Path | None = None, *, settings: Settings | None = None, embedder: Embedder | None = None
) -> RequirementIndex:
    """The index in a file, in a Qdrant collection such as `http://localhost:6333/requirements`, or in this user's data folder."""
    chosen = settings or Settings.from_env()
    model = embedder or default_embedder(chosen)
    if isinstance(place, str) and re.match(r"https?://", place, re.IGNORECASE):
        from veracity.retrieval.search.qdrant import open_qdrant

        return RequirementIndex(open_qdrant(place, None, model), model)
    from veracity.retrieval.search.local import LocalPassages

    # Version 0.1 had one encoder and this name; what it kept is still known.
    own = chosen.home / "requirements-UniversalEmbedder.sqlite"
    return RequirementIndex(LocalPassages(Path(place) if place is not None else own), model)


def _batches(store: PassageStore) -> Iterator[list[Passage]]:
    while batch := store.without_vector(_BATCH):
        yield batch


def _path_of(requirement: Requirement) -> str:
    return _storable(requirement.place.path)


def _key_of(requirement: Requirement) -> tuple[str, str]:
    return _path_of(requirement), _storable(requirement.id)


def _storable(text: str) -> str:
    """The text without half characters, which no store can hold."""
    return text.encode("utf-8", "replace").decode()


# --- a requirement as a passage: where it stands is its address


def _passage_of(requirement: Requirement, number: int) -> Passage:
    place = requirement.place
    where = {
        name: value
        for name, value in (
            ("line", place.line),
            ("column", place.column),
            ("cell", place.cell),
            ("kind", requirement.kind),
        )
        if value is not None
    }
    path, identifier = _key_of(requirement)
    url = f"{quote(path)}?{urlencode(where)}#{quote(identifier)}"
    text = _storable(requirement.text)
    return Passage(path, number, "", "", text, requirement.lang or Content(text).lang, url)


def _requirement_of(passage: Passage) -> Requirement:
    address, _, identifier = passage.url.partition("#")
    where = {name: values[0] for name, values in parse_qs(address.partition("?")[2]).items()}
    place = {name: where[name] for name in ("line", "column", "cell") if name in where}
    return Requirement.model_validate(
        {
            "id": unquote(identifier),
            "text": passage.text,
            "place": Place.model_validate({"path": passage.path, **place}),
            "lang": passage.lang,
            "kind": where.get("kind"),
        }
    )


def _digest(passages: Sequence[Passage]) -> str:
    lines = "\n".join(f"{passage.url} {passage.lang} {passage.text!r}" for passage in passages)
    return f"{_MADE_BY}:{sha256(lines.encode()).hexdigest()}"
