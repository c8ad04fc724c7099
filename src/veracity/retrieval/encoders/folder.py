"""A folder that holds an encoder, as sentence-transformers and ONNX exports write it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from veracity.errors import UsageError
from veracity.yaml_file import read_bytes

_WEIGHTS = ("model.safetensors", "0_Transformer/model.safetensors")
_ONNX = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
_LARGEST_JSON = 50_000_000
_SAMPLES = 64
_SAMPLE = 4_096
_LONGEST_NAME = 40
_DEFAULT_LONGEST = 512


@dataclass(frozen=True)
class EncoderFolder:
    """The files of one encoder. Whatever is missing or wrong is a `UsageError`."""

    path: Path

    @cached_property
    def weights(self) -> Path:
        """The file with the weights: safetensors, or ONNX."""
        found = next((self.path / name for name in (*_ONNX, *_WEIGHTS) if (self.path / name).is_file()), None)
        if found is None:
            raise UsageError(
                f"{self.path} holds no encoder: there is neither a model.safetensors nor a model.onnx in it."
            )
        return found

    @property
    def is_onnx(self) -> bool:
        """Whether it is an ONNX export."""
        return self.weights.suffix == ".onnx"

    @cached_property
    def identity(self) -> str:
        """The encoder's name and a fingerprint of its weights: size, and samples from the whole file."""
        size = self.weights.stat().st_size
        digest = sha256(str(size).encode())
        with self.weights.open("rb") as stream:
            for at in range(_SAMPLES):
                stream.seek(at * max(0, size - _SAMPLE) // (_SAMPLES - 1))
                digest.update(stream.read(_SAMPLE))
        digest.update(f"{self.longest}/{self.first_only}/{self.lowercase}".encode())
        named = str(self.config.get("_name_or_path") or "").strip("/").rpartition("/")[2] or self.path.name
        return f"{named[:_LONGEST_NAME]}/{digest.hexdigest()[:12]}"

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """The architecture, as `config.json` says it."""
        return self._json("config.json")

    @cached_property
    def longest(self) -> int:
        """Pieces of a text that are encoded at most."""
        said = self._json("sentence_bert_config.json").get("max_seq_length")
        room = self.config.get("max_position_embeddings", _DEFAULT_LONGEST)
        found = min(one for one in (said, room, _DEFAULT_LONGEST) if isinstance(one, int))
        return max(8, found)

    @cached_property
    def first_only(self) -> bool:
        """Whether the vector of a text is that of its first mark; otherwise it is the mean of all."""
        return bool(self._json("1_Pooling/config.json").get("pooling_mode_cls_token"))

    @cached_property
    def lowercase(self) -> bool:
        """Whether small and capital letters are the same to it."""
        return bool(self._json("tokenizer_config.json").get("do_lower_case", True))

    def vocabulary(self) -> dict[str, int]:
        """The word pieces by their numbers."""
        path = self.path / "vocab.txt"
        if not path.is_file():
            raise UsageError(
                f"{self.path} holds no vocab.txt; for encoders other than BERT's, export the folder to ONNX."
            )
        raw = read_bytes(path, UsageError, most=_LARGEST_JSON, too_long="that is no vocabulary")
        found = {piece: number for number, piece in enumerate(raw.decode("utf-8", "replace").split("\n")) if piece}
        if not {"[UNK]", "[CLS]", "[SEP]"} <= found.keys():
            raise UsageError(f"{path} is not the vocabulary of a BERT: [UNK], [CLS] or [SEP] is missing.")
        return found

    def _json(self, name: str) -> Mapping[str, Any]:
        path = self.path / name
        if not path.is_file():
            return {}
        raw = read_bytes(path, UsageError, most=_LARGEST_JSON, too_long="that is no configuration")
        try:
            found = json.loads(raw)
        except (ValueError, RecursionError):
            raise UsageError(f"{path} is not valid JSON.") from None
        return found if isinstance(found, dict) else {}
