"""How fast re-ranking is, without a language model, and how good the search before it.

    python benchmarks/rerank.py [speed] [quality]

`speed`: milliseconds of CPU for the pipeline by number of candidates, with words alone; then the time that embedding adds, which
depends on the length of the texts and not on the number of candidates: at most `mmr_limit` of them are embedded.
`quality`: nDCG@10 and recall@100 of BM25, vectors, fused and after MMR, next to peers; `benchmarks/retrieval.py` has the options.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
from datetime import UTC, datetime, timedelta
from random import Random
from time import process_time
from typing import Any

import retrieval

from veracity.language.embed import UniversalEmbedder
from veracity.language.number_words import words_in
from veracity.retrieval.contracts import RerankRequest, read_request
from veracity.retrieval.rerank import rerank

NOW = datetime(2026, 11, 15, tzinfo=UTC)
LIMITS = {20: 15.0, 1_000: 150.0}
"""Candidates -> the milliseconds they may take."""
WORDS = words_in(
    "employee data residency policy region storage audit log access legal process works council contract transfer country "
    "cloud service system report privacy security personal record backup encryption controller processor authority"
)


def made(count: int) -> RerankRequest:
    """So many candidates of 40 words, from 200 hosts, of the last twelve months."""
    random = Random(count)
    candidates: list[dict[str, Any]] = [
        {
            "id": f"doc-{at}",
            "title": " ".join(random.choices(WORDS, k=8)),
            "snippet": f"{at} " + " ".join(random.choices(WORDS, k=32)),
            "url": f"https://host{random.randrange(200)}.com/{at}",
            "detected_date": (NOW - timedelta(days=random.randrange(360))).isoformat(),
            "base_score": round(random.uniform(0, 100), 2),
        }
        for at in range(count)
    ]
    context = {"question": "Which policies govern employee data residency?", "disallowed_sources": ["host7.com"]}
    return read_request({"scoring_context": context, "candidates": candidates})


def milliseconds(request: RerankRequest, embedder: UniversalEmbedder | None = None) -> float:
    """CPU time of one run."""
    started = process_time()
    asyncio.run(rerank(request, embedder=embedder, clock=lambda: NOW))
    return 1_000 * (process_time() - started)


def speed() -> None:
    """A table by number of candidates; the last column shows whether time grows with them and no faster."""
    milliseconds(made(20))
    print("| candidates | ms (median of 7) | limit | us per candidate |")
    print("|---|---|---|---|")
    for count in (20, 100, 1_000, 5_000, 10_000):
        request = made(count)
        taken = statistics.median(milliseconds(request) for _ in range(7))
        print(f"| {count:,} | {taken:.1f} | {LIMITS.get(count, '')} | {1_000 * taken / count:.0f} |")
    request, embedder = made(1_000), UniversalEmbedder()
    milliseconds(made(1), embedder)
    first, again = milliseconds(request, embedder), milliseconds(request, embedder)
    print(f"embedding 20 candidates of 1,000: {first - again:.0f} ms the first time, then none ({again:.1f} ms in all)")


def quality() -> None:
    """A table for each public collection."""
    retrieval.measure(retrieval.COLLECTIONS)


if __name__ == "__main__":
    parts = {"speed": speed, "quality": quality}
    for part in sys.argv[1:] or parts:
        print(f"# {part}")
        parts[part]()
