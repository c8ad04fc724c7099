"""Which encoder: the one built in, one behind an address, or one in a folder; and which one an index was made with."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from veracity.errors import UsageError
from veracity.language.embed import CachedEmbedder, UniversalEmbedder, identity_of

if TYPE_CHECKING:
    from veracity.language.embed import Embedder, Vectors

BUILT_IN = "built-in"
"""The Universal Sentence Encoder, which comes with Veracity: the default everywhere."""


@dataclass(frozen=True, slots=True)
class KeptEncoder:
    """The encoder that an index was made with: how it was named, and what tells its vectors from others."""

    spec: str
    identity: str


def open_encoder(spec: str | None = None, cache: Path | None = None) -> Embedder:
    """The encoder of a setting: `built-in`, `https://HOST/v1#MODEL`, or a folder with ONNX or safetensors weights."""
    said = (spec or BUILT_IN).strip()
    if said == BUILT_IN:
        return UniversalEmbedder(cache)
    if re.match(r"https?://", said, re.IGNORECASE):
        from veracity.retrieval.encoders.endpoint import EndpointEmbedder

        return CachedEmbedder(EndpointEmbedder(said), cache)
    return CachedEmbedder(_of_folder(said), cache)


class ChosenEncoder:
    """The encoder that a setting names; without one, the one that an index was made with. It is opened when it is needed."""

    def __init__(self, named: str | None, cache: Path, kept: Callable[[], KeptEncoder | None]) -> None:
        self._named, self._cache, self._kept = named, cache, kept

    @cached_property
    def spec(self) -> str:
        """How the encoder is named, from anywhere: a folder by its whole path."""
        if self._named is None or not self._named.strip():
            kept = self._kept()
            return BUILT_IN if kept is None else kept.spec
        said = self._named.strip()
        return said if said == BUILT_IN or "://" in said else str(Path(said).expanduser().resolve())

    @property
    def identity(self) -> str:
        """What tells its vectors from those of another one."""
        return identity_of(self._model)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text."""
        return self._model.embed(texts)

    @cached_property
    def _model(self) -> Embedder:
        return open_encoder(self.spec, self._cache)


def kept_of(embedder: Embedder) -> KeptEncoder:
    """What is kept of an encoder with the index that it makes."""
    return KeptEncoder(str(getattr(embedder, "spec", BUILT_IN)), identity_of(embedder))


def check_same(name: str, kept: KeptEncoder | None, embedder: Embedder) -> None:
    """Raise `UsageError` where an index would be asked with another encoder than it was made with."""
    if kept is not None and kept.identity != identity_of(embedder):
        raise UsageError(
            f"The index of {name} was made with the encoder {kept.identity} and cannot be asked with "
            f"{identity_of(embedder)}: leave --encoder and VERACITY_ENCODER out, or make the index anew with --reindex."
        )


def _of_folder(said: str) -> Embedder:
    from veracity.retrieval.encoders.folder import EncoderFolder

    path = Path(said).expanduser()
    if not path.is_dir():
        raise UsageError(
            f"There is no encoder {said[:200]!r}: write {BUILT_IN}, https://HOST/v1#MODEL, or the folder of an encoder."
        )
    folder = EncoderFolder(path.resolve())
    if folder.is_onnx:
        from veracity.retrieval.encoders.onnx import OnnxEmbedder

        return OnnxEmbedder(folder)
    from veracity.retrieval.encoders.bert import BertEmbedder

    return BertEmbedder(folder)
