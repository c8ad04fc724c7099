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

from veracity.ask.unknown_words import UnknownInQuestion, is_askable
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
class ReplacedWords:
    """What a question asks with other words in the place of the unknown ones."""

    query: SemanticQuery
    words: tuple[tuple[str, str], ...]
    """Each unknown word with the known one."""


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


def replaced(
    asked: UnknownInQuestion, reader: QuestionReader, said: Mapping[str, Sequence[str]]
) -> Iterator[ReplacedWords]:
    """The questions that known words make whole in the place of the unknown ones, the most usual words first."""
    there = set(words_in(asked.text))
    known = [
        [one for one in dict.fromkeys(_known_as(other, reader.words) for other in others) if one and one not in there]
        for others in said.values()
    ]
    found = set[SemanticQuery]()
    for chosen in islice(product(*known), _MOST_TRIED):
        book = reader.words
        for word, like in zip(said, chosen, strict=True):
            book = book.also(word, like)
        read = asked.read(QuestionReader(book))
        for query in read.queries if not (read.guessed or read.open) else ():
            if query not in found and is_askable(query, reader.words.model):
                found.add(query)
                yield ReplacedWords(query, tuple(zip(said, chosen, strict=True)))


def _known_as(word: str, book: WordBook) -> str:
    """A word as it is known here: what the ontology names, what is stored, or a kind in another form; empty if it is not."""
    if book.phrases_of(word) or book.stored_as(word):
        return word
    key = key_of(word)
    return next((kind for kind in book.kinds if key_of(kind) == key), "")
