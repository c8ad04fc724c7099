"""Passages in a Qdrant collection, with the same interface as a local file. `qdrant-client` is an extra, imported here only.

Words are sparse vectors on the server, not a local BM25 index: the server then needs no second copy of the texts, and every
machine can search what one has indexed. Qdrant multiplies them by the same inverse document frequency as BM25 (Lucene's); the
only difference is that a passage's length is held against a fixed average. The two lists are joined here, by the same code as
everywhere: Qdrant's own RRF has k = 2, counts from 0 and hides its parts.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, uuid5

from veracity.errors import SourceError, UsageError
from veracity.retrieval.encoders.choice import BUILT_IN, KeptEncoder
from veracity.retrieval.search.bm25 import K1, B, query_terms, terms
from veracity.retrieval.search.passages import KeptFile, Passage, Scored

if TYPE_CHECKING:
    from qdrant_client import QdrantClient
    from qdrant_client.models import Filter, SparseVector

    from veracity.language.embed import Embedder, Vectors

_FIRST_ENCODER = KeptEncoder(BUILT_IN, "use-multilingual-3/0.2")
"""What vectors of earlier versions were made with, which did not say it."""
AVERAGE_LENGTH = 150.0
"""Terms of a passage on average; passages are cut to a size, so that a constant is near enough."""
_WORDS, _MEANING = "words", "meaning"
_SECONDS = 30
_BATCH = 64
_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


def open_qdrant(url: str, folder: Path | None, embedder: Embedder) -> QdrantPassages:
    """The collection of a URL such as `http://localhost:6333/handbook`; without a name it is named after the folder."""
    base, name = _address(url, folder)
    try:
        from qdrant_client import QdrantClient
    except ImportError:
        raise UsageError("For Qdrant, install the extra: pip install 'veracity[qdrant]'.") from None
    client = QdrantClient(
        url=base,
        api_key=os.environ.get("VERACITY_QDRANT_API_KEY") or None,
        timeout=_SECONDS,
        check_compatibility=False,
    )
    return QdrantPassages(client, name, embedder, base, payload_indexes=True)


def _address(url: str, folder: Path | None) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        port = parts.port or 6333
    except ValueError:
        raise UsageError("The URL of the corpus cannot be read; write http://localhost:6333/NAME.") from None
    if parts.username or parts.password:
        raise UsageError("Leave the key out of the URL and set VERACITY_QDRANT_API_KEY.")
    name = parts.path.strip("/") or (re.sub(r"[^A-Za-z0-9_-]+", "-", folder.name).strip("-") if folder else "")
    if not parts.hostname or not _NAME.fullmatch(name):
        raise UsageError("A Qdrant corpus is a URL with the name of a collection: http://localhost:6333/NAME.")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme.lower()}://{host}:{port}", name


class QdrantPassages:
    """The passages of one collection. A file's own entry is written last, so a file cut off in the middle is read again."""

    def __init__(
        self, client: QdrantClient, name: str, embedder: Embedder, where: str, *, payload_indexes: bool = False
    ) -> None:
        self._client, self._name, self._embedder, self._where = client, name, embedder, where
        self._payload_indexes = payload_indexes
        self._is_there = False

    # --- keeping

    def files(self) -> Mapping[str, KeptFile]:
        """Every file that was read, by its path."""
        with self._errors_in_plain_words():
            found = [_kept_file(payload) for payload in self._scrolled(_filter(kind="file"))] if self._exists() else []
        return {file.path: file for file in found}

    def file(self, path: str) -> KeptFile | None:
        """One file, as it is known this very moment."""
        with self._errors_in_plain_words():
            if not self._exists():
                return None
            found = self._client.retrieve(self._name, [_point_id("file", path)], with_payload=True)
        return _kept_file(found[0].payload or {}) if found else None

    def replace(self, file: KeptFile, passages: Sequence[Passage], collections: Sequence[str] = ()) -> None:
        """Keep these passages instead of all that there were of the file, which is in these collections."""
        from qdrant_client.models import PointStruct

        with self._errors_in_plain_words():
            self._create()
            self._client.delete(self._name, _filter(kind="passage", path=file.path))
            points = [
                PointStruct(
                    id=_point_id("passage", passage.id),
                    vector={_WORDS: _bm25_vector(terms(passage.searched, passage.lang))},
                    payload={"kind": "passage", "embedded": False, "collections": list(collections), **asdict(passage)},
                )
                for passage in passages
            ]
            for start in range(0, len(points), _BATCH):
                self._client.upsert(self._name, points[start : start + _BATCH])
        self.touch(file)

    def touch(self, file: KeptFile) -> None:
        """Keep what is known of a file."""
        from qdrant_client.models import PointStruct

        with self._errors_in_plain_words():
            payload = {"kind": "file", **asdict(file)}
            self._client.upsert(self._name, [PointStruct(id=_point_id("file", file.path), vector={}, payload=payload)])

    def remove(self, paths: Sequence[str]) -> None:
        """Forget these files and their passages."""
        with self._errors_in_plain_words():
            for path in paths:
                self._client.delete(self._name, _filter(path=path))

    def count(self) -> int:
        """How many passages there are."""
        return self._count_points(_filter(kind="passage"))

    def missing(self) -> int:
        """How many passages have no vector yet."""
        return self._count_points(_filter(kind="passage", embedded=False))

    def without_vector(self, most: int) -> list[Passage]:
        """Some of the passages that have no vector yet."""
        with self._errors_in_plain_words():
            if not self._exists():
                return []
            wanted = _filter(kind="passage", embedded=False)
            points, _ = self._client.scroll(self._name, wanted, limit=most, with_payload=True)
        return [_passage(point.payload or {}) for point in points]

    def put_vectors(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        """Keep the vectors of these passages, one row each."""
        from qdrant_client.models import PointVectors

        points = [
            PointVectors(id=_point_id("passage", passage.id), vector={_MEANING: vector.tolist()})
            for passage, vector in zip(passages, vectors, strict=True)
        ]
        with self._errors_in_plain_words():
            self._client.update_vectors(self._name, points)
            self._client.set_payload(self._name, {"embedded": True}, [point.id for point in points])

    def encoder(self) -> KeptEncoder | None:
        """The encoder that the vectors were made with; None where there are no vectors yet."""
        with self._errors_in_plain_words():
            if not self._exists():
                return None
            found = self._client.retrieve(self._name, [_point_id("encoder", "only")], with_payload=True)
            kept = [point.payload or {} for point in found]
        if kept:
            return KeptEncoder(str(kept[0]["spec"]), str(kept[0]["identity"]))
        return _FIRST_ENCODER if self._count_points(_filter(kind="passage", embedded=True)) else None

    def keep_encoder(self, encoder: KeptEncoder) -> None:
        """Vectors are made with this encoder from now on; those of another one are computed anew, if they are as long."""
        from qdrant_client.models import PointStruct

        with self._errors_in_plain_words():
            self._create()
            known = self._client.get_collection(self._name).config.params.vectors
            size, wanted = known[_MEANING].size, self._embedder.embed(["size"]).shape[1]  # type: ignore[index]
            if size != wanted:
                raise UsageError(
                    f"The collection {self._name!r} holds vectors of {size} numbers, the encoder {encoder.identity} makes "
                    f"{wanted}; use another collection."
                )
            kept = self.encoder()
            if kept is None or kept.identity != encoder.identity:
                self._client.set_payload(self._name, {"embedded": False}, _filter(kind="passage"))
            payload = {"kind": "encoder", "spec": encoder.spec, "identity": encoder.identity}
            self._client.upsert(self._name, [PointStruct(id=_point_id("encoder", "only"), vector={}, payload=payload)])

    def weigh(self, embedder: Embedder) -> None:
        """Nothing is found out: the server keeps no words that could be counted anew."""

    def vector_weight(self) -> float | None:
        """It is not known."""
        return None

    def finish(self) -> None:
        """Nothing is left to be done: the server keeps its indexes itself."""

    # --- searching

    def lexical(self, query: str, depth: int, scope: str | None = None) -> list[Scored]:
        """The best passages by their words."""
        wanted = query_terms(query)
        return self._query_points(_sparse_vector(dict.fromkeys(wanted, 1.0)), _WORDS, depth, scope) if wanted else []

    def nearest(self, vector: Vectors, depth: int, scope: str | None = None) -> list[Scored]:
        """The best passages by the cosine of their vectors."""
        return self._query_points(vector.tolist(), _MEANING, depth, scope)

    def passages(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages of these ids; one that is gone by now is left out."""
        with self._errors_in_plain_words():
            points = [_point_id("passage", one) for one in ids]
            found = self._client.retrieve(self._name, points, with_payload=True) if points else []
        return {passage.id: passage for passage in (_passage(point.payload or {}) for point in found)}

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _query_points(self, vector: Any, using: str, depth: int, scope: str | None) -> list[Scored]:
        with self._errors_in_plain_words():
            if not self._exists():
                raise SourceError(
                    f"There is no collection {self._name!r} at {self._where}; index a folder into it first."
                )
            shown = ["path", "number"]
            within = _filter(collections=scope) if scope is not None else None
            found = self._client.query_points(
                self._name, query=vector, using=using, limit=depth, with_payload=shown, query_filter=within
            )
        # The last digits of a sum depend on the order in which the server happens to add.
        scored = [(_passage_id(point.payload or {}), round(float(point.score), 5)) for point in found.points]
        return sorted(scored, key=lambda one: (-one[1], one[0]))

    # --- the collection

    def _exists(self) -> bool:
        self._is_there = self._is_there or self._client.collection_exists(self._name)
        return self._is_there

    def _create(self) -> None:
        from qdrant_client.http.exceptions import UnexpectedResponse
        from qdrant_client.models import Distance, Modifier, PayloadSchemaType, SparseVectorParams, VectorParams

        if self._exists():
            return
        size = self._embedder.embed(["size"]).shape[1]
        try:
            self._client.create_collection(
                self._name,
                vectors_config={_MEANING: VectorParams(size=size, distance=Distance.COSINE)},
                sparse_vectors_config={_WORDS: SparseVectorParams(modifier=Modifier.IDF)},
            )
        except UnexpectedResponse:
            # Another process may have made it at the same moment.
            if not self._exists():
                raise
        if self._payload_indexes:
            kinds = {
                "kind": PayloadSchemaType.KEYWORD,
                "path": PayloadSchemaType.KEYWORD,
                "collections": PayloadSchemaType.KEYWORD,
                "embedded": PayloadSchemaType.BOOL,
            }
            for field, kind in kinds.items():
                self._client.create_payload_index(self._name, field, kind)

    def _count_points(self, wanted: Filter) -> int:
        with self._errors_in_plain_words():
            return self._client.count(self._name, wanted, exact=True).count if self._exists() else 0

    def _scrolled(self, wanted: Filter) -> Iterator[dict[str, Any]]:
        offset: Any = None
        while True:
            points, offset = self._client.scroll(self._name, wanted, limit=1_000, offset=offset, with_payload=True)
            yield from (point.payload or {} for point in points)
            if offset is None:
                return

    @contextmanager
    def _errors_in_plain_words(self) -> Iterator[None]:
        """What the server, the network or the collection refuses becomes a sentence."""
        from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

        try:
            yield
        except UnexpectedResponse as error:
            raise SourceError(f"Qdrant at {self._where} refused the request ({error.status_code}).") from error
        except ApiException as error:
            raise SourceError(f"Qdrant at {self._where} cannot be reached; start it, or check the URL.") from error
        except (ValueError, KeyError, TypeError) as error:
            message = f"The collection {self._name!r} at {self._where} was not made by Veracity; use another name."
            raise SourceError(message) from error


# --- points


def _point_id(kind: str, name: str) -> str:
    """The same point for the same thing in every run, so that writing twice changes nothing."""
    return str(uuid5(NAMESPACE_URL, f"veracity:{kind}:{name}"))


def _passage(payload: Mapping[str, Any]) -> Passage:
    return Passage(**{name: payload[name] for name in Passage.__dataclass_fields__})


def _kept_file(payload: Mapping[str, Any]) -> KeptFile:
    return KeptFile(**{name: payload[name] for name in KeptFile.__dataclass_fields__})


def _passage_id(payload: Mapping[str, Any]) -> str:
    return f"{payload['path']}#{payload['number']}"


def _filter(**wanted: str | bool) -> Filter:
    from qdrant_client.models import FieldCondition, Filter, MatchValue

    return Filter(must=[FieldCondition(key=name, match=MatchValue(value=value)) for name, value in wanted.items()])


def _bm25_vector(words: Sequence[str]) -> SparseVector:
    """What each term of a passage counts in BM25, without its inverse document frequency."""
    room = K1 * (1 - B + B * len(words) / AVERAGE_LENGTH)
    return _sparse_vector({term: count / (count + room) for term, count in Counter(words).items()})


def _sparse_vector(weights: Mapping[str, float]) -> SparseVector:
    from qdrant_client.models import SparseVector

    numbered: dict[int, float] = {}
    for term, weight in weights.items():
        number = int.from_bytes(blake2b(term.encode(), digest_size=4).digest(), "big")
        # Two terms of four billion on one number: the weightier one stands for both.
        numbered[number] = max(weight, numbered.get(number, 0.0))
    return SparseVector(indices=list(numbered), values=list(numbered.values()))
