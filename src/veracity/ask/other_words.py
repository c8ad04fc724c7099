"""Other words for those of a question that nobody here knows: a language model says them, and the question is read with them.

The model is asked for words only, as in a dictionary; it does not see the data. What it says is no answer: a word of it that is known here has
to make the question whole, and it is taken without asking only where vectors find the same meaning first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.ask.unknown_words import FoldedValue, UnknownInQuestion, UnknownWords, is_askable
from veracity.language.folding import folded_text, words_in
from veracity.language.stem import stem_of
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.same_words import mean_alike
from veracity.semantic.reading.word_lists import key_of
from veracity.semantic.reading.words import WordBook
from veracity.yaml_file import packaged

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

TOOL = "otherWords"
DESCRIPTION = "Words that mean the same."
_WANTED = 3
_IN_ENGLISH = " (English)"
"""What ends the key of English words for a word of another language."""
_MOST_TRIED = 27
_LONGEST = 60
_SHORTEST_STEM = 4


@dataclass(frozen=True, slots=True)
class MeantByWords:
    """What a question asks with other words in the place of the unknown ones."""

    queries: tuple[SemanticQuery, ...]
    words: tuple[tuple[str, str], ...]
    """Each unknown word with the known one."""
    sure: bool
    """Whether nothing else comes of the words, and vectors find nothing that is nearer."""


def words_schema(unknown: Sequence[str], lang: str) -> dict[str, Any]:
    """A list of words for each unknown one, and one of English words for those of another language."""
    words = {"type": "array", "items": {"type": "string"}, "minItems": _WANTED, "maxItems": _WANTED}
    ends = ("",) if lang == "en" else ("", _IN_ENGLISH)
    keys = {word + end: dict(words) for word in unknown for end in ends}
    return {"type": "object", "properties": keys, "required": list(keys), "additionalProperties": False}


def words_asked(question: str, unknown: Sequence[str], lang: str) -> list[ModelMessage]:
    """What a model is sent."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    told = _told()
    asked = told["asked"][lang].format(question=question, words=", ".join(unknown))
    rules = told["rules"] if lang == "en" else f"{told['rules']} {told['english']}"
    return [ModelRequest(parts=[UserPromptPart(f"{told['example'][lang]}\n\n{asked}")], instructions=rules)]


@cache
def _told() -> dict[str, Any]:
    read: dict[str, Any] = packaged(Path(__file__).with_suffix(".yaml"))
    return read


def read_words(filled: Any, unknown: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The words of a reply for each unknown one; whatever else it holds is left out."""
    said = filled if isinstance(filled, dict) else {}
    found = {word: (*_few(said.get(word)), *_few(said.get(word + _IN_ENGLISH))) for word in unknown}
    return {word: others for word, others in found.items() if others}


def _few(others: Any) -> tuple[str, ...]:
    """The words of a list, where it is one."""
    few = others[:_WANTED] if isinstance(others, list) else ()
    return tuple(one.strip() for one in few if isinstance(one, str) and 0 < len(one.strip()) <= _LONGEST)


def meant_by(
    said: Mapping[str, Sequence[str]],
    asked: UnknownInQuestion,
    reader: QuestionReader,
    stored: Sequence[FoldedValue],
    vectors: UnknownWords,
) -> MeantByWords | None:
    """What the question asks with the most usual of the words that are known here and make it whole.

    Nothing where none does, or where vectors, which have not seen these words, do not find the same: profit is said to be revenue.
    """
    found = dict[SemanticQuery, tuple[tuple[str, str], ...]]()
    for words in _known_words(said, asked, reader.words):
        book = reader.words
        for word, like in words:
            book = book.also(word, like)
        read = asked.read(QuestionReader(book))
        for query in read.queries if not (read.guessed or read.open) else ():
            if is_askable(query, reader.words.model):
                found.setdefault(query, words)
    near = {query: _near(words, asked, reader, stored, vectors) for query, words in found.items()}
    kept = {query: words for query, words in found.items() if all(query in one for one in near[query])}
    if not kept:
        return None
    first, words = next(iter(kept.items()))
    queries = tuple(query for query, own in kept.items() if own == words)
    return MeantByWords(queries, words, sure=len(found) == 1 and all(one[0] == first for one in near[first]))


def _near(
    words: Sequence[tuple[str, str]],
    asked: UnknownInQuestion,
    reader: QuestionReader,
    stored: Sequence[FoldedValue],
    vectors: UnknownWords,
) -> list[list[SemanticQuery]]:
    """What vectors find for each of the words, where only this one is unknown."""
    found = list[list[SemanticQuery]]()
    for word, _ in words:
        book = reader.words
        for other, like in words:
            book = book.also(other, like) if other != word else book
        one = replace(asked, found=asked.read(QuestionReader(book)))
        found.append([meaning.query for meaning in vectors.meanings(one, QuestionReader(book), stored)])
    return found


def _known_words(
    said: Mapping[str, Sequence[str]], asked: UnknownInQuestion, book: WordBook
) -> Iterator[tuple[tuple[str, str], ...]]:
    """A known word for each unknown one, in all ways there are; a word of the question itself is no other word."""
    there = set(words_in(asked.text))
    known = [
        [one for one in dict.fromkeys(_known_as(other, book) for other in others) if one and one not in there]
        for others in said.values()
    ]
    for chosen in islice(product(*known), _MOST_TRIED):
        yield tuple(zip(said, chosen, strict=True))


def _known_as(word: str, book: WordBook) -> str:
    """A word as it is known here: what the ontology names, what is stored, or a kind in another form; empty if it is not."""
    if book.phrases_of(word) or book.stored_as(word):
        return word
    key = key_of(word)
    same = next((kind for kind in book.kinds if key_of(kind) == key or mean_alike(word, kind)), "")
    return same or next((kind for kind in book.kinds if not _stems(kind).isdisjoint(_stems(word))), "")


def _stems(word: str) -> frozenset[str]:
    """The stems of a single word in the languages that have some: damage, and the kind damaged."""
    one = folded_text(word)
    stems = (stem_of(one, lang) for lang in ("en", "de")) if one.isalpha() else ()
    return frozenset(stem for stem in stems if len(stem) >= _SHORTEST_STEM)
