"""Another encoder by setting: behind an address or in a folder; and an index is never asked with another one than it was made with."""

from __future__ import annotations

import json
import struct
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from veracity.cli import app
from veracity.errors import SourceError, UsageError
from veracity.language.embed import UNIVERSAL, identity_of
from veracity.requirements.duplicates import default_embedder, detect_duplicates
from veracity.retrieval.encoders.choice import BUILT_IN, open_encoder
from veracity.retrieval.encoders.wordpiece import WordPieces
from veracity.retrieval.search import open_corpus
from veracity.settings import Settings

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "where", "are", "back", "##ups", "kept", "data", "?", "中", "uber", "."]
SIZE, WIDE, LAYERS = 8, 16, 2


# --- an encoder in a folder, small and made of random weights


def bert_folder(path: Path, seed: int = 1) -> Path:
    """A BERT of two layers as sentence-transformers keeps it."""
    path.mkdir(parents=True, exist_ok=True)
    config = {"num_hidden_layers": LAYERS, "num_attention_heads": 2, "hidden_size": SIZE, "max_position_embeddings": 32}
    (path / "config.json").write_text(json.dumps(config))
    (path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 16}))
    (path / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    shapes = {
        "embeddings.word_embeddings.weight": (len(WORDS), SIZE),
        "embeddings.position_embeddings.weight": (32, SIZE),
        "embeddings.token_type_embeddings.weight": (2, SIZE),
        "embeddings.LayerNorm.weight": (SIZE,),
        "embeddings.LayerNorm.bias": (SIZE,),
    }
    for at in range(LAYERS):
        begin = f"encoder.layer.{at}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes |= {f"{begin}{name}.weight": (SIZE, SIZE), f"{begin}{name}.bias": (SIZE,)}
        shapes |= {f"{begin}intermediate.dense.weight": (WIDE, SIZE), f"{begin}intermediate.dense.bias": (WIDE,)}
        shapes |= {f"{begin}output.dense.weight": (SIZE, WIDE), f"{begin}output.dense.bias": (SIZE,)}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{begin}{name}.weight": (SIZE,), f"{begin}{name}.bias": (SIZE,)}
    random = np.random.default_rng(seed)
    head: dict[str, Any] = {}
    numbers = b""
    for name, shape in shapes.items():
        raw = random.normal(size=shape).astype("<f4").tobytes()
        head[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(numbers), len(numbers) + len(raw)]}
        numbers += raw
    written = json.dumps(head).encode()
    (path / "model.safetensors").write_bytes(struct.pack("<Q", len(written)) + written + numbers)
    return path


def test_folder_gives_unit_vectors_that_do_not_depend_on_their_neighbours(tmp_path: Path) -> None:
    encoder = open_encoder(str(bert_folder(tmp_path / "tiny")))
    alone = encoder.embed(["Where are backups kept?"])
    among = encoder.embed(["data", "Where are backups kept?", "", "x" * 5_000])
    assert among.shape == (4, SIZE)
    assert np.array_equal(alone[0], among[1])
    assert np.allclose(np.linalg.norm(among, axis=1), 1, atol=1e-5)
    assert encoder.embed([]).shape == (0, SIZE)


def test_layer_computes_what_the_plain_formula_says() -> None:
    from math import erf

    from veracity.retrieval.encoders.bert import _attention, _gelu

    values = np.linspace(-6, 6, 200, dtype=np.float32)
    exact = [x * (1 + erf(x / 2**0.5)) / 2 for x in values.tolist()]
    assert np.allclose(_gelu(values[None, :])[0], exact, atol=1e-5)
    joint = np.random.default_rng(2).normal(size=(5, 3 * SIZE)).astype(np.float32)
    asked, keys, held = (joint[:, at * SIZE : (at + 1) * SIZE] for at in range(3))
    whole = []
    for head in range(2):
        part = slice(head * SIZE // 2, (head + 1) * SIZE // 2)
        weights = np.exp(asked[:, part] @ keys[:, part].T / (SIZE // 2) ** 0.5)
        whole.append(weights / weights.sum(axis=1, keepdims=True) @ held[:, part])
    assert np.allclose(_attention(joint, 2), np.concatenate(whole, axis=1), atol=1e-5)


def test_words_are_cut_into_the_longest_pieces() -> None:
    pieces = WordPieces({word: at for at, word in enumerate(WORDS)}, lowercase=True)

    def said(text: str) -> list[str]:
        return [WORDS[number] for number in pieces.numbers(text, 16)][1:-1]

    assert said("Where are BACKUPS kept?") == ["where", "are", "back", "##ups", "kept", "?"]
    assert said("über 中data") == ["uber", "中", "data"]
    assert said("backwards") == ["[UNK]"]


@given(st.text(max_size=60), st.integers(min_value=2, max_value=12))
def test_any_text_has_pieces_within_the_limit(text: str, most: int) -> None:
    numbers = WordPieces({word: at for at, word in enumerate(WORDS)}, lowercase=True).numbers(text, most)
    assert 2 <= len(numbers) <= most
    assert (numbers[0], numbers[-1]) == (2, 3)


def test_broken_folder_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    made = bert_folder(tmp_path / "cut")
    (made / "model.safetensors").write_bytes((made / "model.safetensors").read_bytes()[:500])
    words = bert_folder(tmp_path / "words")
    (words / "vocab.txt").write_text("a\nb")
    config = bert_folder(tmp_path / "config")
    (config / "config.json").write_text("{")
    for name, said in (
        ("nowhere", "There is no encoder"),
        ("empty", "holds no encoder"),
        ("cut", "does not hold the weights of a BERT encoder"),
        ("words", "not the vocabulary of a BERT"),
        ("config", "not valid JSON"),
    ):
        with pytest.raises(UsageError, match=said):
            open_encoder(str(tmp_path / name)).embed(["x"])


def test_onnx_folder_without_its_packages_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(UsageError, match="pip install onnxruntime tokenizers"):
        open_encoder(str(tmp_path))


# --- an encoder behind an address


class Embeddings(BaseHTTPRequestHandler):
    """Answers as OpenAI's embeddings do, with vectors from the letters of a text."""

    answer: ClassVar[tuple[int, Any]] = (200, None)
    seen: ClassVar[list[tuple[str, str | None, dict[str, Any]]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append((self.path, self.headers.get("Authorization"), body))
        status, said = self.answer
        if said is None:
            rows = [[text.count(letter) + 0.5 for letter in "aeinrst"] for text in body["input"]]
            said = {"data": [{"index": at, "embedding": row} for at, row in reversed(list(enumerate(rows)))]}
        written = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)

    def log_message(self, *_args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    Embeddings.answer = (200, None)
    Embeddings.seen.clear()
    server = HTTPServer(("127.0.0.1", 0), Embeddings)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1#tiny"
    server.shutdown()
    server.server_close()
    thread.join()


def test_endpoint_is_asked_in_batches_and_its_vectors_are_put_in_order(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERACITY_ENCODER_KEY", "secret")
    encoder = open_encoder(address)
    texts = [f"text {'a' * (at % 9)} {at}" for at in range(100)]
    vectors = encoder.embed(texts)
    assert vectors.shape == (100, 7)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(vectors[70], open_encoder(address).embed([texts[70]])[0])
    assert [(path, key, len(body["input"])) for path, key, body in Embeddings.seen[:2]] == [
        ("/v1/embeddings", "Bearer secret", 64),
        ("/v1/embeddings", "Bearer secret", 36),
    ]
    assert "secret" not in identity_of(encoder)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((401, {}), "refused the key; set VERACITY_ENCODER_KEY"),
        ((500, b"oops"), r"refused the request \(500\)"),
        ((200, b"<html>"), "does not answer with JSON"),
        ((200, {"data": "x"}), "does not answer with embeddings"),
        ((200, {"data": []}), "one vector for each text"),
        ((200, {"data": [{"index": 0, "embedding": [1, None]}]}), "one vector for each text|with embeddings"),
    ],
)
def test_endpoint_that_answers_wrongly_is_one_clear_sentence(address: str, answer: tuple[int, Any], said: str) -> None:
    Embeddings.answer = answer
    with pytest.raises(SourceError, match=said):
        open_encoder(address).embed(["x"])


def test_address_that_cannot_be_one_is_refused() -> None:
    for spec, said in (
        ("https://host/v1", "the name of the model is after the #"),
        ("https://user:pw@host/v1#m", "Leave the key out"),
        ("https://host:99999/v1#m", "cannot be read"),
    ):
        with pytest.raises(UsageError, match=said):
            open_encoder(spec)
    with pytest.raises(SourceError, match="cannot be reached"):
        open_encoder("http://127.0.0.1:9/v1#m").embed(["x"])


# --- an index and its encoder


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# Backups\n\nBackups are kept in Frankfurt.\n", encoding="utf-8")
    (folder / "b.md").write_text("# Data\n\nData is kept in Berlin.\n", encoding="utf-8")
    return folder


def test_index_keeps_its_encoder_and_is_asked_with_it(tmp_path: Path, docs: Path) -> None:
    settings = Settings(home=tmp_path / "home")
    tiny = str(bert_folder(tmp_path / "tiny"))
    first = open_corpus(docs, settings=settings, encoder=tiny)
    first.index()
    first.close()
    again = open_corpus(docs, settings=settings)
    assert again.index().embedded == 0
    assert again.search("backups", mode="vector")
    again.close()


def test_index_is_never_asked_with_another_encoder(tmp_path: Path, docs: Path) -> None:
    settings = Settings(home=tmp_path / "home")
    one, other = (str(bert_folder(tmp_path / f"tiny{seed}", seed)) for seed in (1, 2))
    open_corpus(docs, settings=settings, encoder=one).index()
    wrong = open_corpus(docs, settings=settings, encoder=other)
    for ask in (wrong.index, lambda: wrong.search("backups"), lambda: wrong.search("backups", mode="vector")):
        with pytest.raises(UsageError, match=r"was made with the encoder tiny1/.* cannot be asked with tiny2/"):
            ask()
    assert wrong.search("backups", mode="bm25")
    assert wrong.index(anew=True).embedded == 2
    assert wrong.search("backups")
    with pytest.raises(UsageError, match="made with the encoder tiny2/"):
        open_corpus(docs, settings=settings, encoder=one).search("backups")


def test_folder_whose_weights_were_replaced_is_another_encoder(tmp_path: Path, docs: Path) -> None:
    settings = Settings(home=tmp_path / "home")
    open_corpus(docs, settings=settings, encoder=str(bert_folder(tmp_path / "tiny", 1))).index()
    bert_folder(tmp_path / "tiny", 2)
    with pytest.raises(UsageError, match="cannot be asked with"):
        open_corpus(docs, settings=settings).search("backups")


def test_command_line_names_the_encoder_once(
    tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("VERACITY_HOME", str(tmp_path / "home"))

    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["search", *arguments, "--corpus", str(docs)])
        return done.exit_code, done.stdout if done.exit_code == 0 else str(done.exception)

    assert run("--index-only", "--encoder", address)[0] == 0
    code, shown = run("backups kept", "--json")
    assert (code, json.loads(shown)["index"]["embedded"]) == (0, 0)
    monkeypatch.setenv("VERACITY_ENCODER", BUILT_IN)
    assert "cannot be asked with use-multilingual" in run("backups kept")[1]
    monkeypatch.delenv("VERACITY_ENCODER")
    code, shown = run("backups kept", "--json", "--encoder", BUILT_IN, "--reindex")
    assert (code, json.loads(shown)["index"]["embedded"]) == (0, 2)


def test_documented_default_is_the_one_that_runs(tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERACITY_HOME", str(tmp_path / "home"))
    page = (Path(__file__).parents[1] / "docs" / "search.md").read_text(encoding="utf-8")
    documented = page.split("| `--fusion` | `")[1].split("`")[0]

    def hits(*more: str) -> Any:
        done = CliRunner().invoke(app, ["search", "data kept", "--corpus", str(docs), "--json", *more])
        return json.loads(done.stdout)["hits"]

    assert hits() == hits("--fusion", documented)
    assert hits() == [hit.model_dump() for hit in open_corpus(docs).search("data kept")]


def test_duplicates_are_found_with_the_encoder_that_is_set(tmp_path: Path) -> None:
    folder = str(bert_folder(tmp_path / "tiny"))
    chosen = default_embedder(Settings(home=tmp_path / "home", encoder=folder))
    built_in = default_embedder(Settings(home=tmp_path / "home"))
    assert (identity_of(chosen).split("/")[0], identity_of(built_in)) == ("tiny", UNIVERSAL)
    [pair] = detect_duplicates(["The page shall load.", "The page shall load!"], embedder=chosen)
    assert pair.band == "same"
