"""How well the search finds what it should: nDCG@10 and recall@100 on two public collections, next to other fusions.

    python benchmarks/retrieval.py [scifact] [xquad-de] [--sample N] [--no-peers] [--encoder E]

The collections are in `../shared/data/retrieval/` or the folder in VERACITY_DATA. Vectors are kept in VERACITY_HOME: the first run
embeds 5,183 abstracts, minutes of CPU; later ones take seconds. `--sample` takes so many documents, those that are wanted first.
`--encoder` takes another encoder by its address or folder, as `veracity search` does.
The peers (LlamaIndex, Haystack) get the same two lists per query; they run in `benchmarks/retrieval_peers/.venv`:

    python -m venv benchmarks/retrieval_peers/.venv
    benchmarks/retrieval_peers/.venv/bin/pip install -r benchmarks/retrieval_peers/requirements.txt
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import log2, sqrt
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from veracity.retrieval.contracts import RerankSettings, SearchCandidate
from veracity.retrieval.encoders.choice import BUILT_IN, open_encoder
from veracity.retrieval.fusion import mmr
from veracity.retrieval.prefilter import PrefilterEntry, words_of
from veracity.retrieval.search.bm25 import TermLexicon, language_of_passage, query_terms, terms
from veracity.retrieval.search.corpus import DEFAULT_FUSION, DEPTH
from veracity.retrieval.search.local import VectorTable, best
from veracity.retrieval.search.passages import Passage, Scored
from veracity.retrieval.search.rankings import FusionMethod, fuse, weights_of
from veracity.retrieval.search.self_test import POOL, vector_weight
from veracity.settings import Settings

if TYPE_CHECKING:
    from veracity.language.embed import Vectors

ROOT = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("VERACITY_DATA") or ROOT.parent / "shared" / "data") / "retrieval"
PEERS = Path(__file__).parent / "retrieval_peers"
COLLECTIONS = ("scifact", "xquad-de")
Ranking = Sequence[str]


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents, queries, and which documents are right for each query."""

    name: str
    documents: dict[str, str]
    queries: dict[str, str]
    wanted: dict[str, set[str]]


@dataclass(frozen=True, slots=True)
class Lists:
    """What each way of searching finds for every query, best first."""

    lexical: list[list[Scored]]
    vector: list[list[Scored]]
    weight: float | None
    """Of the vectors, as the index finds it out without labels."""

    def pairs(self) -> list[dict[str, list[Scored]]]:
        """Both lists of each query."""
        return [{"bm25": one, "vector": two} for one, two in zip(self.lexical, self.vector, strict=True)]


# --- data


def load(name: str, sample: int | None) -> Collection:
    """A collection, or some of its documents with the queries that they answer."""
    wanted: dict[str, set[str]] = {}
    for line in _read(name, "qrels.tsv")[1:]:
        query, document, _ = line.split("\t")
        wanted.setdefault(query, set()).add(document)
    right = {document for found in wanted.values() for document in found}
    rows = [json.loads(line) for line in _read(name, "corpus.jsonl")]
    rows.sort(key=lambda row: row["id"] not in right)
    documents = {row["id"]: f"{row['title']}\n{row['text']}".strip() for row in rows[:sample]}
    wanted = {query: found & documents.keys() for query, found in wanted.items() if found & documents.keys()}
    queries = {row["id"]: row["text"] for row in map(json.loads, _read(name, "queries.jsonl")) if row["id"] in wanted}
    return Collection(name, documents, queries, wanted)


def _read(name: str, file: str) -> list[str]:
    path = FOLDER / name / file
    if not path.exists():
        sys.exit(f"{path} is missing: set VERACITY_DATA to the folder that holds retrieval/{name}/{file}.")
    return path.read_text(encoding="utf-8").splitlines()


def lists_of(collection: Collection, encoder: str = BUILT_IN) -> Lists:
    """What BM25 and the vectors find, and how long a query takes."""
    ids, texts = list(collection.documents), list(collection.documents.values())
    lexicon = TermLexicon.build([terms(text, language_of_passage(text)) for text in texts])
    assert lexicon is not None
    matrix, asked = _embedded(texts, encoder), _embedded(list(collection.queries.values()), encoder)
    table = VectorTable(ids, matrix)
    started = process_time()
    lexical = [
        [one for one in best(ids, lexicon.scores(query_terms(query)), DEPTH) if one[1] > 0]
        for query in collection.queries.values()
    ]
    between = process_time()
    vector = [table.nearest(one, DEPTH) for one in asked]
    count = len(collection.queries)
    print(
        f"{collection.name}: {len(ids)} documents, {count} queries; per query {1e3 * (between - started) / count:.1f} ms "
        f"BM25, {1e3 * (process_time() - between) / count:.1f} ms vectors (embedding the query apart)"
    )
    return Lists(lexical, vector, _weight(ids, texts, matrix, encoder))


def _weight(ids: Sequence[str], texts: Sequence[str], matrix: Vectors, encoder: str) -> float | None:
    """The weight of the vectors as an index of these documents would find it out."""
    passages = [Passage(one, 1, "", "", text, language_of_passage(text)) for one, text in zip(ids, texts, strict=True)]
    order = sorted(range(len(ids)), key=lambda at: sha256(texts[at].encode()).digest())[:POOL]
    embedder = open_encoder(encoder, Settings.from_env().home / "benchmark-vectors.sqlite")
    with threadpool_limits(1):
        found = vector_weight([passages[at] for at in order], matrix[order], embedder)
    print(f"weight of the vectors: {found}")
    return found


def _embedded(texts: list[str], encoder: str) -> Vectors:
    embedder = open_encoder(encoder, Settings.from_env().home / "benchmark-vectors.sqlite")
    with threadpool_limits(1):
        for start in range(0, len(texts), 32):
            embedder.embed(texts[start : start + 32])
            if sys.stderr.isatty():
                print(f"\r{start}/{len(texts)} texts embedded", end="", file=sys.stderr)
        return embedder.embed(texts)


# --- figures


def ndcg(ranking: Ranking, right: set[str], depth: int = 10) -> float:
    """Normalised discounted cumulative gain with gains of 0 and 1."""
    gained = sum(1 / log2(rank + 1) for rank, one in enumerate(ranking[:depth], 1) if one in right)
    return gained / sum(1 / log2(rank + 1) for rank in range(1, min(depth, len(right)) + 1))


def recall(ranking: Ranking, right: set[str], depth: int = 100) -> float:
    """The share of the right documents among the first."""
    return len(right & set(ranking[:depth])) / len(right)


def systems(collection: Collection, lists: Lists, *, peers: bool) -> dict[str, list[Ranking]]:
    """Every system's ranking of every query."""
    found: dict[str, list[Ranking]] = {
        "BM25": [[one for one, _ in ranking] for ranking in lists.lexical],
        "vectors": [[one for one, _ in ranking] for ranking in lists.vector],
    }
    k = RerankSettings().rrf_k
    methods: tuple[FusionMethod, ...] = ("rrf", "minmax", "zscore")
    for method in methods:
        mark = ", default" if method == DEFAULT_FUSION else ""
        name = f"fused: {method}{f' (k = {k})' if method == 'rrf' else mark}"
        weights = weights_of(lists.weight)
        found[name] = [[one.id for one in fuse(pair, method=method, k=k, weights=weights)] for pair in lists.pairs()]
    found["fused, then MMR (20 of 100)"] = [_after_mmr(collection, pair, weights) for pair in lists.pairs()]
    if peers:
        found |= _of_peers(lists)
    return found


def _after_mmr(collection: Collection, pair: Mapping[str, list[Scored]], weights: Mapping[str, float]) -> Ranking:
    """The twenty that the pipeline's MMR picks out of a hundred, with the seed's constants, then the others."""
    settings = RerankSettings()
    fused = fuse(pair, method=DEFAULT_FUSION, k=settings.rrf_k, weights=weights)[:100]
    entries = [_entry(at, one.id, collection.documents[one.id]) for at, one in enumerate(fused)]
    picked = mmr(entries, [one.score for one in fused], weight=settings.mmr_lambda, limit=settings.mmr_limit)
    first = [one.entry.id for one in picked]
    return [*first, *[one.id for one in fused if one.id not in first]]


def _entry(at: int, identifier: str, text: str) -> PrefilterEntry:
    title, _, rest = text.partition("\n")
    candidate = SearchCandidate(id=identifier, title=title[:200], snippet=rest[:2_000], url=f"test://{identifier}")
    words = frozenset(words_of(text))
    return PrefilterEntry(candidate, at, "", "", text, text, words, age_days=None, limit_days=None)


def _of_peers(lists: Lists) -> dict[str, list[Ranking]]:
    python = PEERS / ".venv" / "bin" / "python"
    if not python.exists():
        print(f"{python} is missing: no peers in the table.")
        return {}
    given = json.dumps([list(pair.values()) for pair in lists.pairs()])
    done = subprocess.run([python, PEERS / "fusions.py"], input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"The peers failed: {done.stderr.strip().splitlines()[-1]}")
        return {}
    return dict(json.loads(done.stdout))


def report(collection: Collection, found: Mapping[str, list[Ranking]]) -> None:
    """One row per system; beside each, how far nDCG is from BM25's and the standard error of that difference."""
    right = [collection.wanted[query] for query in collection.queries]
    base = [ndcg(ranking, want) for ranking, want in zip(found["BM25"], right, strict=True)]
    print(f"\n| {collection.name} | nDCG@10 | recall@100 | against BM25 |\n|---|---|---|---|")
    for name, rankings in found.items():
        gains = [ndcg(ranking, want) for ranking, want in zip(rankings, right, strict=True)]
        recalls = [recall(ranking, want) for ranking, want in zip(rankings, right, strict=True)]
        apart = [one - two for one, two in zip(gains, base, strict=True)]
        error = statistics.pstdev(apart) / sqrt(len(apart))
        print(
            f"| {name} | {statistics.mean(gains):.4f} | {statistics.mean(recalls):.4f} "
            f"| {statistics.mean(apart):+.4f} ± {error:.4f} |"
        )


def main() -> None:
    """Measure the collections that were named."""
    parser = argparse.ArgumentParser(description="Quality of the search on public collections.")
    parser.add_argument("collections", nargs="*", default=list(COLLECTIONS), help=" or ".join(COLLECTIONS))
    parser.add_argument("--sample", type=int, default=None, help="so many documents only")
    parser.add_argument("--no-peers", action="store_true", help="leave LlamaIndex and Haystack out")
    parser.add_argument("--encoder", default=BUILT_IN, help="an encoder's address or folder")
    given = parser.parse_args()
    measure(given.collections, sample=given.sample, peers=not given.no_peers, encoder=given.encoder)


def measure(names: Sequence[str], *, sample: int | None = None, peers: bool = True, encoder: str = BUILT_IN) -> None:
    """One table for each collection."""
    for name in names:
        collection = load(name, sample)
        report(collection, systems(collection, lists_of(collection, encoder), peers=peers))


if __name__ == "__main__":
    main()
