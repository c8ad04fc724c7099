"""An encoder behind an address that speaks OpenAI's embeddings: `https://host/v1#model`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from veracity.errors import SourceError, UsageError

if TYPE_CHECKING:
    from ssl import SSLContext

    from veracity.language.embed import Vectors

KEY = "VERACITY_ENCODER_KEY"
_AT_ONCE = 64
_SECONDS = 60.0
_LONGEST_REPLY = 100_000_000


class EndpointEmbedder:
    """Unit vectors by an embeddings endpoint. What fails there is a `SourceError`."""

    def __init__(self, address: str, key: str | None = None) -> None:
        base, _, model = address.partition("#")
        try:
            parts = urlsplit(base)
            port = f":{parts.port}" if parts.port else ""
        except ValueError:
            raise UsageError("The address of the encoder cannot be read; write https://HOST/v1#MODEL.") from None
        if not parts.hostname or not model.strip():
            raise UsageError(
                "An encoder by its address is https://HOST/v1#MODEL: the name of the model is after the #."
            )
        if parts.username or parts.password:
            raise UsageError(f"Leave the key out of the encoder's address and set {KEY}.")
        self._url, self._model = f"{base.rstrip('/')}/embeddings", model.strip()
        self._key = key if key is not None else os.environ.get(KEY)
        self.identity = f"{self._model}@{parts.hostname}{port}"

    @cached_property
    def _certificates(self) -> SSLContext:
        """Whom this machine trusts; reading it for each request would take longer than the request."""
        import httpx2

        return httpx2.create_ssl_context()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in requests of 64."""
        import numpy as np

        rows = [self._batch(texts[start : start + _AT_ONCE]) for start in range(0, len(texts), _AT_ONCE)]
        if len({len(row) for batch in rows for row in batch}) > 1:
            raise SourceError(f"The encoder {self.identity} gives vectors of different lengths.")
        return np.concatenate(rows) if rows else np.zeros((0, 0), dtype=np.float32)

    def _batch(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        # An empty text is refused by some; one without words says as little.
        said = self._asked({"model": self._model, "input": [text if text.strip() else "." for text in texts]})
        try:
            data = sorted(said["data"], key=lambda one: one["index"])
            found = np.array([one["embedding"] for one in data], dtype=np.float32)
        except (KeyError, TypeError, ValueError):
            raise SourceError(f"The encoder {self.identity} does not answer with embeddings.") from None
        if found.ndim != 2 or len(found) != len(texts) or not np.isfinite(found).all():
            raise SourceError(f"The encoder {self.identity} does not answer with one vector for each text.")
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return np.asarray(found / np.maximum(lengths, 1e-12), dtype=np.float32)

    def _asked(self, body: dict[str, Any]) -> Any:
        import httpx2

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            with httpx2.Client(
                timeout=_SECONDS, headers=headers, follow_redirects=False, verify=self._certificates
            ) as client:
                answer = client.post(self._url, json=body)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            raise SourceError(f"The encoder {self.identity} cannot be reached ({type(error).__name__}).") from None
        if answer.status_code in (401, 403):
            raise SourceError(f"The encoder {self.identity} refused the key; set {KEY}.")
        if answer.status_code != 200:
            raise SourceError(f"The encoder {self.identity} refused the request ({answer.status_code}).")
        if len(answer.content) > _LONGEST_REPLY:
            raise SourceError(f"The encoder {self.identity} answers with more than can be read.")
        try:
            return answer.json()
        except ValueError:
            raise SourceError(f"The encoder {self.identity} does not answer with JSON.") from None
