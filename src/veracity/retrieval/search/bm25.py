"""Texts -> terms -> BM25. German and English words are stemmed by the language of the passage, Chinese is cut into pairs."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from veracity.language.detect import language_by_words

if TYPE_CHECKING:
    import numpy as np
    from bm25s import BM25
    from numpy.typing import NDArray
    from Stemmer import Stemmer

K1, B = 1.5, 0.75
"""The usual constants; `benchmarks/retrieval.py` was run with them."""

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+")
_HAN = re.compile(rf"[{_UNSPACED}]")
_STEMMERS = {"de": "german", "en": "english"}
_MOSTLY = 0.2
_LONGEST_WORD = 64
_TELLING = 2_000


def language_of_passage(text: str) -> str:
    """The language a passage is stemmed by: zh where a fifth of it is Chinese, else by its words, else English."""
    head = text[:_TELLING]
    chinese = len(_HAN.findall(head))
    if chinese and chinese >= _MOSTLY * sum(char.isalpha() for char in head):
        return "zh"
    return language_by_words(_HAN.sub(" ", head)) or "en"


def terms(text: str, lang: str) -> list[str]:
    """The terms of a passage, in their order."""
    return _terms(text, _stemmer(lang if lang in _STEMMERS else "en"))


def query_terms(text: str) -> list[str]:
    """The terms of a query, each once: of a few words the language is not sure, so both stems are looked for."""
    found = [term for lang in _STEMMERS for term in _terms(text, _stemmer(lang))]
    return list(dict.fromkeys(found))


def _terms(text: str, stemmer: Stemmer) -> list[str]:
    flat = unicodedata.normalize("NFKC", text).casefold()
    tokens = _TOKEN.findall(flat)
    if not _HAN.search(flat):
        # All words in one call: half the time.
        return list(stemmer.stemWords([token[:_LONGEST_WORD] for token in tokens]))
    found: list[str] = []
    for token in tokens:
        if _HAN.match(token):
            found += [token[at : at + 2] for at in range(max(1, len(token) - 1))]
        else:
            found.append(stemmer.stemWord(token[:_LONGEST_WORD]))
    return found


@cache
def _stemmer(lang: str) -> Stemmer:
    from Stemmer import Stemmer

    return Stemmer(_STEMMERS[lang])


@dataclass(frozen=True, slots=True)
class TermLexicon:
    """The BM25 index over a row of passages; it can be packed into bytes and opened again without being built."""

    model: BM25

    @classmethod
    def build(cls, texts: Sequence[Sequence[str]]) -> TermLexicon | None:
        """The index over the terms of each passage; None when there is not one term."""
        if not any(texts):
            return None
        model = _model()
        model.index([list(text) for text in texts], show_progress=False)
        return cls(model)

    def scores(self, query: Sequence[str]) -> NDArray[np.float32]:
        """One score per passage, 0 where no term of the query is in it."""
        known = [term for term in query if term and term in self.model.vocab_dict]
        if not known:
            import numpy as np

            return np.zeros(self.model.scores["num_docs"], dtype=np.float32)
        return self.model.get_scores(known)  # type: ignore[no-any-return]

    def packed(self) -> bytes:
        """All of it as bytes: a line of JSON, then the three arrays."""
        scores: dict[str, Any] = self.model.scores
        arrays = [scores["data"].astype("<f4"), scores["indices"].astype("<i4"), scores["indptr"].astype("<i4")]
        words = {term: int(number) for term, number in self.model.vocab_dict.items()}
        head = {"docs": int(scores["num_docs"]), "sizes": [len(array) for array in arrays], "vocabulary": words}
        return json.dumps(head).encode() + b"\n" + b"".join(array.tobytes() for array in arrays)

    @classmethod
    def unpacked(cls, raw: bytes) -> TermLexicon:
        """What `packed` wrote."""
        import numpy as np

        line, _, rest = raw.partition(b"\n")
        head = json.loads(line)
        parts, at = [], 0
        for size, kind in zip(head["sizes"], ("<f4", "<i4", "<i4"), strict=True):
            parts.append(np.frombuffer(rest, dtype=kind, count=size, offset=at))
            at += 4 * size
        model = _model()
        model.scores = {"data": parts[0], "indices": parts[1], "indptr": parts[2], "num_docs": head["docs"]}
        model.vocab_dict = head["vocabulary"]
        model.unique_token_ids_set = set(model.vocab_dict.values())
        model.nonoccurrence_array = None  # Lucene's BM25 gives nothing for a term that is not there
        return cls(model)


def _model() -> BM25:
    from bm25s import BM25

    return BM25(k1=K1, b=B, method="lucene")
