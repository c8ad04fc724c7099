"""A sentence-transformers folder of BERT's architecture, such as all-MiniLM-L6-v2, computed with NumPy: no other package is needed."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.errors import UsageError
from veracity.retrieval.encoders.folder import EncoderFolder
from veracity.retrieval.encoders.wordpiece import WordPieces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from veracity.language.embed import Vectors

    Array = NDArray[np.float32]

_LARGEST_HEAD = 10_000_000
_TYPES = {"F32": "<f4", "F16": "<f2"}


class BertEmbedder:
    """Unit vectors by a BERT encoder. Texts are computed one by one, so that a vector never depends on its neighbours."""

    def __init__(self, folder: EncoderFolder) -> None:
        self.identity = folder.identity
        self._folder = folder
        self._model = _Bert.read(folder)
        self._words = WordPieces(folder.vocabulary(), lowercase=folder.lowercase)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text."""
        import numpy as np
        from threadpoolctl import threadpool_limits

        # The matrices are small: on busy cores, threads that wait for each other took eight times as long.
        with threadpool_limits(limits=1):
            rows = [self._model.vector(self._words.numbers(text, self._folder.longest)) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self._model.size), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class _Bert:
    """The weights of an encoder, ready to be multiplied with."""

    words: Array
    positions: Array
    norm: tuple[Array, Array]
    layers: tuple[_Layer, ...]
    heads: int
    epsilon: float
    first_only: bool
    """The vector is that of the first mark, not the mean of all pieces."""

    @classmethod
    def read(cls, folder: EncoderFolder) -> _Bert:
        """The weights of a folder; raises `UsageError` where they are not those of a BERT."""
        config = folder.config
        try:
            weights = _tensors(folder.weights)
            held = {name.removeprefix("bert.").removeprefix("0.auto_model."): array for name, array in weights.items()}
            kinds = held["embeddings.token_type_embeddings.weight"][0]
            return cls(
                words=held["embeddings.word_embeddings.weight"],
                positions=held["embeddings.position_embeddings.weight"] + kinds,
                norm=(held["embeddings.LayerNorm.weight"], held["embeddings.LayerNorm.bias"]),
                layers=tuple(_Layer.read(held, f"encoder.layer.{at}.") for at in range(config["num_hidden_layers"])),
                heads=config["num_attention_heads"],
                epsilon=float(config.get("layer_norm_eps", 1e-12)),
                first_only=folder.first_only,
            )
        except (KeyError, ValueError, IndexError, struct.error, OSError, TypeError) as error:
            raise UsageError(f"{folder.weights} does not hold the weights of a BERT encoder.") from error

    @property
    def size(self) -> int:
        """How long a vector is."""
        return int(self.words.shape[1])

    def vector(self, pieces: Sequence[int]) -> Vectors:
        """The unit vector of a text."""
        import numpy as np

        state = _normed(self.words[list(pieces)] + self.positions[: len(pieces)], self.norm, self.epsilon)
        for layer in self.layers:
            state = layer.passed(state, self.heads, self.epsilon)
        found = state[0] if self.first_only else state.mean(axis=0)
        return np.asarray(found / max(float(np.linalg.norm(found)), 1e-12), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class _Layer:
    """One layer: attention, then two dense steps, each added to what came in and normed."""

    joint: tuple[Array, Array]
    """Query, key and value in one product."""
    attended: tuple[Array, Array]
    attended_norm: tuple[Array, Array]
    wide: tuple[Array, Array]
    narrow: tuple[Array, Array]
    norm: tuple[Array, Array]

    @classmethod
    def read(cls, held: dict[str, Array], at: str) -> _Layer:
        import numpy as np

        def dense(name: str) -> tuple[Array, Array]:
            return np.ascontiguousarray(held[f"{at}{name}.weight"].T), held[f"{at}{name}.bias"]

        def norm(name: str) -> tuple[Array, Array]:
            return held[f"{at}{name}.weight"], held[f"{at}{name}.bias"]

        parts = [dense(f"attention.self.{name}") for name in ("query", "key", "value")]
        return cls(
            joint=(np.concatenate([one for one, _ in parts], axis=1), np.concatenate([two for _, two in parts])),
            attended=dense("attention.output.dense"),
            attended_norm=norm("attention.output.LayerNorm"),
            wide=dense("intermediate.dense"),
            narrow=dense("output.dense"),
            norm=norm("output.LayerNorm"),
        )

    def passed(self, state: Array, heads: int, epsilon: float) -> Array:
        """What the layer makes of a text."""
        joint = state @ self.joint[0] + self.joint[1]
        seen = _attention(joint, heads) @ self.attended[0] + self.attended[1]
        state = _normed(state + seen, self.attended_norm, epsilon)
        wide = _gelu(state @ self.wide[0] + self.wide[1])
        return _normed(state + (wide @ self.narrow[0] + self.narrow[1]), self.norm, epsilon)


def _attention(joint: Array, heads: int) -> Array:
    import numpy as np

    count, width = joint.shape[0], joint.shape[1] // 3
    asked, keys, values = joint.reshape(count, 3, heads, width // heads).transpose(1, 2, 0, 3)
    scores = asked @ keys.transpose(0, 2, 1) / np.float32(np.sqrt(width // heads))
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return np.asarray((scores @ values).transpose(1, 0, 2).reshape(count, width), dtype=np.float32)


def _normed(state: Array, norm: tuple[Array, Array], epsilon: float) -> Array:
    import numpy as np

    state = state - state.mean(axis=-1, keepdims=True)
    variance = np.einsum("ij,ij->i", state, state)[:, None] / np.float32(state.shape[1])
    state /= np.sqrt(variance + np.float32(epsilon))
    state *= norm[0]
    state += norm[1]
    return state


def _gelu(values: Array) -> Array:
    """x * P(X <= x) of a normal X; the error function by the formula 7.1.26 of Abramowitz and Stegun, exact to 1e-7."""
    import numpy as np

    scaled = np.abs(values)
    scaled *= np.float32(0.70710678)
    near = 1 / (1 + np.float32(0.3275911) * scaled)
    sum_ = np.full_like(near, 1.061405429)
    for part in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        sum_ *= near
        sum_ += np.float32(part)
    sum_ *= near
    np.multiply(scaled, scaled, out=scaled)
    np.negative(scaled, out=scaled)
    np.exp(scaled, out=scaled)
    sum_ *= scaled
    # 1 - sum_ is erf(|x| / sqrt(2)); below 0 the sign turns.
    share = np.where(values >= 0, 2 - sum_, sum_)
    share *= values
    share *= np.float32(0.5)
    return share


def _tensors(path: Path) -> dict[str, Array]:
    """The arrays of a safetensors file: the length of a JSON head, the head, then the numbers."""
    import numpy as np

    raw = np.memmap(path, dtype=np.uint8, mode="r")
    (length,) = struct.unpack("<Q", raw[:8].tobytes())
    if length > min(_LARGEST_HEAD, len(raw)):
        raise ValueError("no safetensors file")
    head: dict[str, Any] = json.loads(raw[8 : 8 + length].tobytes())
    found: dict[str, Array] = {}
    for name, one in head.items():
        if name == "__metadata__" or one["dtype"] not in _TYPES:
            continue
        start, end = (8 + length + at for at in one["data_offsets"])
        numbers = np.frombuffer(raw[start:end].tobytes(), dtype=_TYPES[one["dtype"]])
        found[name] = numbers.astype(np.float32).reshape(one["shape"])
    return found
