"""An encoder that was exported to ONNX, of any architecture. It needs onnxruntime and tokenizers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from veracity.errors import UsageError
from veracity.retrieval.encoders.folder import EncoderFolder
from veracity.retrieval.encoders.wordpiece import WordPieces

if TYPE_CHECKING:
    from veracity.language.embed import Vectors

_MISSING = "An ONNX encoder needs two more packages; run: pip install onnxruntime tokenizers"


class OnnxEmbedder:
    """Unit vectors by an ONNX model. Texts are computed one by one, so that a vector never depends on its neighbours."""

    def __init__(self, folder: EncoderFolder) -> None:
        self.identity = folder.identity
        self._folder = folder
        self._session = _session(folder)
        self._inputs = {one.name for one in self._session.get_inputs()}
        self._numbers = _tokenizer(folder)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text."""
        import numpy as np

        rows = [self._vector(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, len(self._vector("size"))), dtype=np.float32)

    def _vector(self, text: str) -> Vectors:
        import numpy as np

        pieces = np.array([self._numbers(text)], dtype=np.int64)
        given = {"input_ids": pieces, "attention_mask": np.ones_like(pieces), "token_type_ids": np.zeros_like(pieces)}
        try:
            out = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        except (KeyError, RuntimeError, ValueError) as error:
            raise UsageError(f"{self._folder.weights} is no encoder of texts: it cannot be run on a text.") from error
        # One vector for each piece, or already one for the text.
        state = np.asarray(out[0], dtype=np.float32)
        found = state if state.ndim == 1 else state[0] if self._folder.first_only else state.mean(axis=0)
        return np.asarray(found / max(float(np.linalg.norm(found)), 1e-12), dtype=np.float32)


def _session(folder: EncoderFolder) -> Any:
    try:
        from onnxruntime import InferenceSession, SessionOptions
    except ImportError:
        raise UsageError(_MISSING) from None
    options = SessionOptions()
    # One text is too little work for several threads; whoever embeds many has threads of their own.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return InferenceSession(str(folder.weights), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001
        # The runtime has its own exceptions for each way in which a file can be broken.
        raise UsageError(f"{folder.weights} cannot be read as an ONNX model ({type(error).__name__}).") from None


def _tokenizer(folder: EncoderFolder) -> Callable[[str], list[int]]:
    """A text's numbers: BERT's pieces where the folder has a vocabulary of them, else what its tokenizer.json says."""
    if (folder.path / "vocab.txt").is_file():
        words = WordPieces(folder.vocabulary(), lowercase=folder.lowercase)
        return lambda text: words.numbers(text, folder.longest)
    path = folder.path / "tokenizer.json"
    if not path.is_file():
        raise UsageError(f"{folder.path} holds neither a vocab.txt nor a tokenizer.json.")
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise UsageError(_MISSING) from None
    try:
        read = Tokenizer.from_file(str(path))
    except Exception as error:  # noqa: BLE001
        # The library raises a bare Exception.
        raise UsageError(f"{path} cannot be read as a tokenizer ({type(error).__name__}).") from None
    read.no_padding()
    read.enable_truncation(folder.longest)

    def numbers(text: str) -> list[int]:
        found: list[int] = read.encode(text).ids
        return found

    return numbers
