"""How fast a folder is indexed and searched: CPU for each part, which does not depend on who else uses the machine.

    python benchmarks/retrieval_speed.py [--documents 10000] [--queries 200] [--encoder E]

The documents are abstracts of SciFact (`../shared/data/retrieval/` or VERACITY_DATA), whole or cut to `--characters`, each with a
number of its own, so that none is there twice. With the built-in encoder, work is spread over a thread for each core.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import perf_counter, process_time

import retrieval

from veracity.retrieval.encoders.choice import BUILT_IN
from veracity.retrieval.search import SearchCorpus, open_corpus
from veracity.settings import Settings


def texts(count: int, characters: int) -> Iterator[tuple[str, str]]:
    """So many titles and texts."""
    path = retrieval.FOLDER / "scifact" / "corpus.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for at in range(count):
        row = rows[at % len(rows)]
        yield f"{row['title']} ({at})", row["text"][:characters]


def index(corpus: SearchCorpus, documents: int, *, vectors: bool) -> float:
    """Index, and say how long it took; returns the milliseconds of CPU for each document."""
    started, clock = process_time(), perf_counter()
    report = corpus.index(vectors=vectors)
    taken = 1e3 * (process_time() - started) / documents
    what = (
        f"{report.embedded} passages embedded" if vectors else f"{report.passages} passages of {report.read} files read"
    )
    print(f"{what}: {taken:.1f} ms of CPU per document, {perf_counter() - clock:.0f} s by the clock")
    return taken


def main() -> None:
    """Index, index again, search."""
    parser = argparse.ArgumentParser(description="Speed of indexing and searching a folder.")
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--characters", type=int, default=10_000, help="of each document at most")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--encoder", default=BUILT_IN)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "docs"
        folder.mkdir()
        made = list(texts(given.documents, given.characters))
        for at, (title, text) in enumerate(made):
            (folder / f"{at:05}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
        print(f"{len(made)} documents of {statistics.mean(len(text) for _, text in made):.0f} characters on average")
        corpus = open_corpus(folder, settings=Settings(home=Path(place) / "home"), encoder=given.encoder)
        whole = index(corpus, len(made), vectors=False) + index(corpus, len(made), vectors=True)
        cores = os.cpu_count() or 1
        print(f"10,000 documents: {10 * whole:.0f} s of CPU, {10 * whole / cores:.0f} s on {cores} idle cores")
        index(corpus, len(made), vectors=True)
        queries = [" ".join(Random(at).sample(made[at % len(made)][1].split(), 8)) for at in range(given.queries)]
        taken = []
        for query in queries:
            started = process_time()
            corpus.search(query)
            taken.append(1e3 * (process_time() - started))
        taken.sort()
        print(f"a query: p50 {taken[len(taken) // 2]:.1f} ms of CPU, p95 {taken[int(len(taken) * 0.95)]:.1f} ms")
        corpus.close()


if __name__ == "__main__":
    main()
