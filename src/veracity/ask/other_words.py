"""Other words for those of a question that nobody here knows: a language model says them, and the question is read with them.

The model is asked for words only, as in a dictionary; it does not see the data. What it says is no answer: a word of it that is known here has
to make the question whole, and it is taken without asking only where vectors find the same meaning first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.ask.unknown_words import FoldedValue, UnknownInQuestion, UnknownWords, is_askable
from veracity.language.folding import words_in
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.word_lists import key_of
from veracity.semantic.reading.words import WordBook
from veracity.yaml_file import packaged

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

TOOL = "otherWords"
DESCRIPTION = "Words that mean the same."
_WANTED = 3
_MOST_TRIED = 27
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class MeantByWords:
    """What a question asks with other words in the place of the unknown ones."""

    queries: tuple[SemanticQuery, ...]
    words: tuple[tuple[str, str], ...]
    """Each unknown word with the known one."""
    sure: bool
    """Whether nothing else comes of the words, and vectors, which have not seen them, find the same and nothing else near."""


def words_schema(unknown: Sequence[str]) -> dict[str, Any]:
    """A list of words for each unknown one."""
    words = {"type": "array", "items": {"type": "string"}, "minItems": _WANTED, "maxItems": _WANTED}
    keys = {word: dict(words) for word in unknown}
    return {"type": "object", "properties": keys, "required": list(keys), "additionalProperties": False}


def words_asked(question: str, unknown: Sequence[str], lang: str) -> list[ModelMessage]:
    """What a model is sent."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    told = _told()
    asked = told["asked"][lang].format(question=question, words=", ".join(unknown))
    return [ModelRequest(parts=[UserPromptPart(f"{told['example'][lang]}\n\n{asked}")], instructions=told["rules"])]


@cache
def _told() -> dict[str, Any]:
    read: dict[str, Any] = packaged(Path(__file__).with_suffix(".yaml"))
    return read


def read_words(filled: Any, unknown: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The words of a reply for each unknown one; whatever else it holds is left out."""
    said = filled if isinstance(filled, dict) else {}
    found = {word: said.get(word) for word in unknown}
    return {
        word: tuple(
            one.strip() for one in others[:_WANTED] if isinstance(one, str) and 0 < len(one.strip()) <= _LONGEST
        )
        for word, others in found.items()
        if isinstance(others, list)
    }


def meant_by(
    said: Mapping[str, Sequence[str]],
    asked: UnknownInQuestion,
    reader: QuestionReader,
    stored: Sequence[FoldedValue],
    vectors: UnknownWords,
) -> MeantByWords | None:
    """What the question asks with the most usual of the words that are known here and make it whole; nothing where none does."""
    found = dict[SemanticQuery, tuple[tuple[str, str], ...]]()
    for words in _known_words(said, asked, reader.words):
        book = reader.words
        for word, like in words:
            book = book.also(word, like)
        read = asked.read(QuestionReader(book))
        for query in read.queries if not (read.guessed or read.open) else ():
            if is_askable(query, reader.words.model):
                found.setdefault(query, words)
    if not found:
        return None
    first, words = next(iter(found.items()))
    near = vectors.meanings(asked, reader, stored) if len(found) == 1 else []
    queries = tuple(query for query, own in found.items() if own == words)
    return MeantByWords(queries, words, sure=[one.query for one in near] == [first])


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
    return next((kind for kind in book.kinds if key_of(kind) == key), "")
