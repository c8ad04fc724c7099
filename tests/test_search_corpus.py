"""A folder as a corpus: indexing that is incremental and survives anything, and searching it, locally and in Qdrant."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from command_line import Started
from veracity.errors import SourceError, UsageError
from veracity.retrieval.contracts import RerankSettings
from veracity.retrieval.search import SearchCorpus, open_corpus
from veracity.retrieval.search.bm25 import TermLexicon, language_of_passage, query_terms, terms
from veracity.retrieval.search.corpus import index_file, snippet
from veracity.retrieval.search.local import LocalPassages, best
from veracity.retrieval.search.rankings import FusionMethod, fuse, min_max, z_scores
from veracity.settings import Settings

PAGES = {
    "residency.md": "# Data residency\n\nEmployee data is kept in Germany. Backups stay in Frankfurt.\n\n## Exceptions\n\nPayroll data may be sent to Zürich.\n",
    "pay.html": "<title>Pay</title><h1>Salaries</h1><p>Salaries are paid on the 25th of every month.</p>",
    "de/urlaub.txt": "Die Mitarbeitenden haben fünf Wochen Urlaub im Jahr. Anträge gehen an die Personalabteilung.",
    "zh/备份.md": "# 备份\n\n所有备份都保存在法兰克福的数据中心。\n",
}

FUSIONS: tuple[FusionMethod, ...] = ("zscore", "minmax", "rrf")


class HashingEmbedder:
    """Vectors from the letters of a text: quick, always the same, and like texts are near each other."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.seen += texts
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for one, two in pairwise(text):
                row[(ord(one) * 31 + ord(two)) % 64] += 1
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.divide(rows, np.where(lengths == 0, 1, lengths), dtype=np.float32)


def write(folder: Path, pages: dict[str, str]) -> None:
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        # As if it had been lying there for a while.
        os.utime(path, (1_700_000_000, 1_700_000_000))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "docs"
    write(place, PAGES)
    return place


def opened(folder: Path, embedder: HashingEmbedder | None = None) -> SearchCorpus:
    return open_corpus(folder, settings=Settings(home=folder.parent / "home"), embedder=embedder or HashingEmbedder())


@pytest.fixture(params=["local", "qdrant"])
def corpus(request: pytest.FixtureRequest, folder: Path) -> Iterator[SearchCorpus]:
    """The same corpus in a file and in Qdrant's local mode."""
    embedder = HashingEmbedder()
    if request.param == "local":
        made = opened(folder, embedder)
    else:
        qdrant_client = pytest.importorskip("qdrant_client")
        from veracity.retrieval.search.qdrant import QdrantPassages

        store = QdrantPassages(qdrant_client.QdrantClient(":memory:"), "docs", embedder, "memory")
        made = SearchCorpus("memory", folder, store, embedder, RerankSettings())
    yield made
    made.close()


# --- the same wherever it is kept


def test_everything_is_found_by_words_by_meaning_and_by_both(corpus: SearchCorpus) -> None:
    report = corpus.index()
    assert (report.files, report.passages, report.embedded, report.without_vector) == (4, 5, 5, 0)
    assert corpus.search("backups", mode="bm25")[0].id == "residency.md#1"
    assert corpus.search("Salaries are paid on the 25th of every month", mode="vector")[0].id == "pay.html#1"
    hit = corpus.search("payroll exceptions", limit=1)[0]
    assert (hit.id, hit.title, hit.place) == ("residency.md#2", "Data residency", "Exceptions")
    assert hit.url.startswith("file:///")
    assert hit.url.endswith("docs/residency.md")
    assert hit.snippet == "Payroll data may be sent to Zürich."


def test_words_are_found_by_their_stem_in_three_languages(corpus: SearchCorpus) -> None:
    corpus.index(vectors=False)
    for query, wanted in (
        ("salary payments month", "pay.html#1"),
        ("Antrag", "de/urlaub.txt#1"),
        ("数据中心", "zh/备份.md#1"),
    ):
        assert [hit.id for hit in corpus.search(query, mode="bm25", limit=1)] == [wanted]


def test_parts_of_a_score_add_up_to_it(corpus: SearchCorpus) -> None:
    corpus.index()
    for fusion in FUSIONS:
        for hit in corpus.search("data in Germany", fusion=fusion):
            parts = [value for name, value in hit.components.items() if name.endswith("_part")]
            assert sum(parts) == pytest.approx(hit.score, abs=1e-6)


def test_changed_file_is_read_again_and_a_deleted_one_vanishes(corpus: SearchCorpus, folder: Path) -> None:
    corpus.index()
    (folder / "pay.html").write_text("<p>Wages are paid in cash.</p>", encoding="utf-8")
    (folder / "residency.md").unlink()
    report = corpus.index()
    assert (report.read, report.unchanged, report.removed, report.files, report.passages) == (1, 2, 1, 3, 3)
    assert [hit.id for hit in corpus.search("wages", mode="bm25")] == ["pay.html#1"]
    assert corpus.search("backups Frankfurt", mode="bm25") == ()


def test_unchanged_files_are_neither_read_nor_embedded_again(corpus: SearchCorpus, folder: Path) -> None:
    corpus.index()
    (folder / "pay.html").chmod(0)
    report = corpus.index()
    assert (report.read, report.unchanged, report.embedded, report.problems) == (0, 4, 0, ())


def test_words_can_be_searched_before_anything_is_embedded(corpus: SearchCorpus) -> None:
    report = corpus.index(vectors=False)
    assert (report.embedded, report.without_vector) == (0, 5)
    assert corpus.search("backups")[0].id == "residency.md#1"
    assert corpus.index().embedded == 5


def test_key_points_are_sentences_with_their_source(corpus: SearchCorpus) -> None:
    corpus.index()
    points = asyncio.run(corpus.key_points("Where is employee data kept?", most=5))
    assert points[0].text == "Employee data is kept in Germany."
    assert points[0].source == "residency.md#1"
    assert 3 <= len(points) <= 5
    assert len(asyncio.run(corpus.key_points("Where is employee data kept?", most=2))) == 2


def test_key_points_of_a_corpus_that_is_gone_or_empty_are_a_source_error(corpus: SearchCorpus, folder: Path) -> None:
    with pytest.raises(SourceError, match="no passages"):
        asyncio.run(corpus.key_points("data?", most=5))
    corpus.index()
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()
    with pytest.raises(SourceError, match="gone"):
        asyncio.run(corpus.key_points("data?", most=5))
    with pytest.raises(SourceError, match="cannot be read"):
        corpus.index()


@pytest.mark.parametrize("query", ["", " \n ", "\u200b \t"])
def test_query_without_words_is_refused_or_finds_no_words(corpus: SearchCorpus, query: str) -> None:
    corpus.index(vectors=False)
    if query.split():
        assert corpus.search(query, mode="bm25") == ()
    else:
        with pytest.raises(UsageError, match="nothing to search"):
            corpus.search(query)


def test_limits_are_checked(corpus: SearchCorpus) -> None:
    corpus.index(vectors=False)
    for limit in (0, -1, 1_001):
        with pytest.raises(UsageError, match="hits"):
            corpus.search("data", limit=limit)


def test_strange_queries_are_only_queries(corpus: SearchCorpus) -> None:
    corpus.index()
    for query in ("'; DROP TABLE passage; --", "\ud800 data", "data " * 5_000, "\0", "%_*?[", "🙂"):
        assert all(hit.score >= 0 for hit in corpus.search(query))


def test_more_hits_never_change_the_first_ones(corpus: SearchCorpus) -> None:
    corpus.index()
    many = corpus.search("data", limit=5)
    assert [corpus.search("data", limit=count) for count in (1, 2, 3)] == [many[:1], many[:2], many[:3]]


# --- faults


def test_bad_files_are_reported_and_the_rest_is_searched(folder: Path) -> None:
    (folder / "binary.txt").write_bytes(b"\0\1\2")
    (folder / "empty.md").write_bytes(b"")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nonsense")
    (folder / "huge.txt").touch()
    os.truncate(folder / "huge.txt", 30_000_000)
    os.mkfifo(folder / "pipe.txt")
    (folder / "picture.png").write_bytes(b"x")
    (folder / ".hidden.md").write_text("secret", encoding="utf-8")
    corpus = opened(folder)
    report = corpus.index()
    assert [(one.path, one.what.split(";")[0]) for one in report.problems] == [
        ("binary.txt", "it is not text: it holds binary data"),
        ("broken.pdf", "it is no PDF that can be read (PdfStreamError)"),
        ("empty.md", "it is empty"),
        ("huge.txt", "it has more than 20 MB"),
    ]
    assert (report.files, report.skipped) == (4, 3)
    assert corpus.index().problems == report.problems
    assert corpus.search("backups")


def test_links_are_not_followed_out_of_the_folder_or_in_a_circle(folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "outside", {"secret.md": "The password is swordfish."})
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "out").symlink_to(tmp_path / "outside", target_is_directory=True)
    (folder / "one.md").symlink_to(tmp_path / "outside" / "secret.md")
    (folder / "dangling.md").symlink_to(tmp_path / "nowhere")
    corpus = opened(folder)
    assert corpus.index().files == 4
    assert corpus.search("swordfish", mode="bm25") == ()


def test_name_that_is_no_text_is_reported(folder: Path) -> None:
    try:
        (folder / os.fsdecode(b"caf\xe9.md")).write_text("x", encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert [one.path for one in opened(folder).index().problems] == ["caf\N{REPLACEMENT CHARACTER}.md"]


def test_file_changed_within_the_same_moment_is_still_seen(folder: Path) -> None:
    corpus = opened(folder)
    path = folder / "fresh.txt"
    path.write_text("alpha beta", encoding="utf-8")
    moment = path.stat().st_mtime_ns
    corpus.index(vectors=False)
    path.write_text("gamma beta", encoding="utf-8")
    os.utime(path, ns=(moment, moment))
    corpus.index(vectors=False)
    assert [hit.id for hit in corpus.search("gamma", mode="bm25")] == ["fresh.txt#1"]


def test_moved_paragraph_keeps_its_vector(folder: Path) -> None:
    embedder = HashingEmbedder()
    corpus = opened(folder, embedder)
    corpus.index()
    (folder / "residency.md").rename(folder / "moved.md")
    embedder.seen.clear()
    assert corpus.index().embedded == 0
    assert embedder.seen == []


def test_damaged_index_says_what_to_do(folder: Path) -> None:
    corpus = opened(folder)
    path = index_file(folder.resolve(), folder.parent / "home")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no database" * 1_000)
    with pytest.raises(UsageError, match="move it away"):
        corpus.index()
    with pytest.raises(SourceError, match="move it away"):
        asyncio.run(corpus.key_points("data?", most=3))


def test_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file.md").write_text("x", encoding="utf-8")
    for place, said in (("nowhere", "no such file"), ("file.md", "no folder"), ("a\0b", "cannot be searched")):
        with pytest.raises(SourceError, match=said):
            open_corpus(tmp_path / place, settings=Settings(home=tmp_path))


CHILD = """
import sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_search_corpus import HashingEmbedder, opened
class Slow(HashingEmbedder):
    def embed(self, texts):
        time.sleep({embedding})
        return super().embed(texts)
Slow.__qualname__ = "HashingEmbedder"
print("ready", flush=True)
print(opened(Path({folder!r}), Slow()).index(lambda *_: time.sleep({reading})).model_dump_json(), flush=True)
"""


def child(folder: Path, *, reading: float, embedding: float, out: int = 1) -> Started:
    """A process that indexes a folder, and takes its time over each file and each call of the embedder."""
    tests = str(Path(__file__).parent)
    script = CHILD.format(tests=tests, folder=str(folder), reading=reading, embedding=embedding)
    return Started("python", "-c", script, streams=(0, out, 2))


@pytest.mark.parametrize("during", ["reading", "embedding"])
def test_killed_in_the_middle_it_goes_on_where_it_was(folder: Path, during: str) -> None:
    write(folder, {f"n{number}.md": f"# Note {number}\n\nAbout thing{number}.\n" for number in range(300)})
    store = LocalPassages(index_file(folder.resolve(), folder.parent / "home"))
    process = child(folder, reading=float(during == "reading"), embedding=float(during == "embedding"))
    until = time.monotonic() + 60
    while time.monotonic() < until:
        count = store.count()
        if 0 < count < 305 if during == "reading" else count == 305 and store.missing() < 305:
            break
        time.sleep(0.02)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    kept, left = len(store.files()), 305 - (store.count() - store.missing())
    assert 0 < (kept if during == "reading" else left) < 305
    report = opened(folder).index()
    assert (report.read, report.files, report.embedded, report.without_vector) == (304 - kept, 304, left, 0)
    assert (report.passages, store.count()) == (305, 305)
    found = [hit.id for hit in opened(folder).search("note thing", limit=1_000, mode="vector")]
    assert len(found) == len(set(found)) == 305
    assert [hit.id for hit in opened(folder).search("thing59", mode="bm25")] == ["n59.md#1"]


def test_two_processes_at_once_leave_one_whole_index(folder: Path, tmp_path: Path) -> None:
    write(folder, {f"n{number}.md": f"# Note {number}\n\nAbout thing{number}.\n" for number in range(40)})
    with (tmp_path / "one").open("w") as one, (tmp_path / "other").open("w") as other:
        both = [child(folder, reading=0.005, embedding=0.01, out=out.fileno()) for out in (one, other)]
        assert [process.wait() for process in both] == [0, 0]
    assert all('"passages":45' in (tmp_path / name).read_text() for name in ("one", "other"))
    corpus = opened(folder)
    report = corpus.index()
    assert (report.read, report.passages, report.without_vector) == (0, 45, 0)
    assert len({hit.id for hit in corpus.search("note", limit=100, mode="vector")}) == 45


def test_search_sees_what_another_process_has_indexed_since(folder: Path) -> None:
    first, second = opened(folder), opened(folder)
    first.index()
    assert first.search("helicopter", mode="bm25") == ()
    write(folder, {"new.md": "The helicopter is red."})
    second.index()
    assert first.search("helicopter", mode="bm25")[0].id == "new.md#1"
    assert first.search("The helicopter is red.", mode="vector")[0].id == "new.md#1"


# --- Qdrant by URL


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://localhost:6333", "name of a collection"),
        ("http://user:secret@localhost/docs", "VERACITY_QDRANT_API_KEY"),
        ("http://localhost:6333/a/b", "name of a collection"),
        ("http://localhost:port/x", "cannot be read"),
        ("http:///docs", "name of a collection"),
    ],
)
def test_url_that_names_no_collection_is_refused(tmp_path: Path, url: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        open_corpus(url, settings=Settings(home=tmp_path), embedder=HashingEmbedder())
    assert "secret" not in str(caught.value)


def test_server_that_is_down_is_a_source_error(tmp_path: Path) -> None:
    pytest.importorskip("qdrant_client")
    corpus = open_corpus("http://127.0.0.1:9/docs", settings=Settings(home=tmp_path), embedder=HashingEmbedder())
    with pytest.raises(SourceError, match="cannot be reached"):
        corpus.search("data")
    with pytest.raises(UsageError, match="--folder"):
        corpus.index()
    corpus.close()


def test_collection_that_is_missing_says_so() -> None:
    qdrant_client = pytest.importorskip("qdrant_client")
    from veracity.retrieval.search.qdrant import QdrantPassages

    store = QdrantPassages(qdrant_client.QdrantClient(":memory:"), "docs", HashingEmbedder(), "memory")
    with pytest.raises(SourceError, match="no collection 'docs'"):
        store.lexical("data", 10)


# --- formulas

SCORES = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.floats(0, 100, width=32), max_size=12)


def ranking(scores: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(scores.items(), key=lambda one: (-one[1], one[0]))


@settings(max_examples=60, deadline=None)
@given(SCORES, SCORES, st.integers(1, 200))
def test_rrf_is_the_sum_of_reciprocal_ranks(one: dict[str, float], two: dict[str, float], k: int) -> None:
    lists = {"bm25": ranking(one), "vector": ranking(two)}
    for fused in fuse(lists, method="rrf", k=k):
        ranks = [[name for name, _ in held].index(fused.id) + 1 for held in lists.values() if fused.id in dict(held)]
        assert fused.score == pytest.approx(sum(1 / (k + rank) for rank in ranks))


@settings(max_examples=60, deadline=None)
@given(SCORES, SCORES)
def test_fused_order_is_by_score_then_words_and_holds_each_id_once(
    one: dict[str, float], two: dict[str, float]
) -> None:
    for method in FUSIONS:
        found = fuse({"bm25": ranking(one), "vector": ranking(two)}, method=method, k=90)
        assert {fused.id for fused in found} == one.keys() | two.keys()
        assert len(found) == len(one.keys() | two.keys())
        nowhere = len(one)
        ranks = [(-fused.score, fused.components.get("bm25_rank", nowhere)) for fused in found]
        assert all(before[0] < after[0] or before[1] <= after[1] for before, after in pairwise(ranks))
        assert all(fused.score >= 0 for fused in found)
        assert method == "zscore" or all(fused.score <= 1.000001 for fused in found)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(1, 1_000))
def test_min_max_does_not_change_with_the_scale(scores: list[float], scale: float) -> None:
    assert min_max([score * scale for score in scores]) == pytest.approx(min_max(scores), abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 1_000), min_size=1), st.integers(0, 20))
def test_scales_count_what_has_no_word_in_common_as_zero(scores: list[int], unmatched: int) -> None:
    found, padded = [float(score) for score in scores], [*map(float, scores), *[0.0] * unmatched]
    assert min_max(found, unmatched) == pytest.approx(min_max(padded)[: len(found)])
    assert z_scores(found, unmatched) == pytest.approx(z_scores(padded)[: len(found)])
    deviation = float(np.std(padded))
    if deviation:
        assert z_scores(padded) == pytest.approx([(score - min(padded)) / deviation for score in padded])


def test_one_passage_with_the_word_beats_many_that_are_alike() -> None:
    lists = {"bm25": [("x", 2.0)], "vector": [(name, 0.5 - number / 100) for number, name in enumerate("abxcd")]}
    assert fuse(lists, method="zscore", k=90)[0].id == "x"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 5), max_size=30), st.integers(0, 40))
def test_best_is_the_head_of_the_whole_order(scores: list[int], depth: int) -> None:
    ids = [f"p{number:02}" for number in range(len(scores))]
    whole = sorted(zip(ids, map(float, scores), strict=True), key=lambda one: (-one[1], one[0]))
    assert best(ids, np.array(scores, dtype=np.float32), depth) == whole[:depth]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "dé", "数据"]), max_size=6), max_size=8))
def test_packed_lexicon_scores_like_the_one_that_was_built(texts: list[list[str]]) -> None:
    built = TermLexicon.build(texts)
    if built is None:
        assert not any(texts)
        return
    again = TermLexicon.unpacked(built.packed())
    for query in (["a"], ["b", "dé"], ["none"], ["a", "数据", "none"], []):
        assert again.scores(query).tolist() == built.scores(query).tolist()
        assert [score > 0 for score in again.scores(query)] == [bool(set(query) & set(text)) for text in texts]


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_has_terms_and_a_language(text: str) -> None:
    assert language_of_passage(text) in ("de", "en", "zh")
    assert all(query_terms(text))
    assert set(terms(text, "de")) | set(terms(text, "en")) == set(query_terms(text))


def test_chinese_is_cut_into_pairs_even_beside_other_words() -> None:
    assert terms("GDPR 数据保护", "zh") == ["gdpr", "数据", "据保", "保护"]


def test_snippet_shows_the_words_that_were_asked_for() -> None:
    text = "filler words here " * 60 + "the helicopter lands " + "more filler " * 60
    shown = snippet(text, "Helicopter?")
    assert "helicopter" in shown
    assert len(shown) <= 310
    assert shown.startswith("… ")


def test_typical_answer_is_the_same_every_time(folder: Path) -> None:
    corpus = opened(folder)
    corpus.index()
    first: Any = corpus.search("data kept in Frankfurt")
    assert [corpus.search("data kept in Frankfurt") for _ in range(3)] == [first] * 3


# --- how much meaning counts


class BlindEmbedder(HashingEmbedder):
    """Vectors that say nothing about their texts."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.array([np.random.default_rng(len(text)).normal(size=64) for text in texts], dtype=np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def long_pages(count: int) -> dict[str, str]:
    """Pages of four sentences, each about things of its own."""
    return {
        f"p{page}.md": f"# Page {page}\n\n"
        + " ".join(f"Sentence {at} tells of thing{page} and of matter{page}x{at} at some length." for at in range(4))
        for page in range(count)
    }


def test_encoder_that_finds_nothing_counts_for_little(folder: Path) -> None:
    write(folder, long_pages(60))
    corpus = opened(folder, BlindEmbedder())
    corpus.index()
    store = LocalPassages(index_file(folder.resolve(), folder.parent / "home"))
    assert store.vector_weight() == 0.2
    hit = corpus.search("thing59 matter59x1", limit=1)[0]
    assert hit.path == "p59.md"


def test_small_corpus_keeps_the_usual_weights_and_a_grown_one_is_weighed_again(folder: Path) -> None:
    corpus = opened(folder)
    corpus.index()
    store = LocalPassages(index_file(folder.resolve(), folder.parent / "home"))
    assert store.vector_weight() is None
    write(folder, long_pages(60))
    corpus.index()
    weight = store.vector_weight()
    assert weight is not None
    assert 0.2 <= weight <= 0.6
    embedder = HashingEmbedder()
    assert opened(folder, embedder).index().embedded == 0
    assert embedder.seen == []
