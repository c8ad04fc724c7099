"""A document -> passages: paragraphs are packed up to a size, long ones are cut between sentences, no word is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.question.folding import listed
from veracity.retrieval.search.bm25 import language_of_passage
from veracity.retrieval.search.documents import Document
from veracity.retrieval.search.passages import Passage

PASSAGE_LENGTH = 1_200
"""Characters of a passage at most: what is embedded as one, and what a person reads at a glance."""

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]»“”]{0,3}\s+(?=\S)|(?<=[。！？])")
_ABBREVIATIONS = listed(
    "e.g i.e etc vs mr mrs ms dr prof no nr art abs bzw z.b d.h u.a ca vgl inkl ggf usw st fig sec al approx"
)
_LONGEST_ABBREVIATION = 20


def split_document(document: Document, path: str, url: str) -> list[Passage]:
    """The passages of a document, numbered as they stand in it."""
    pieces = [(section.place, text) for section in document.sections for text in pack(section.text)]
    return [
        Passage(
            path=path,
            number=number,
            title=document.title,
            place=place[:300],
            text=text,
            lang=language_of_passage(text),
            url=url,
        )
        for number, (place, text) in enumerate(pieces, 1)
    ]


def pack(text: str, most: int = PASSAGE_LENGTH) -> Iterator[str]:
    """Paragraphs, joined while they fit; one that is too long by itself is cut."""
    held, size = list[str](), 0
    for paragraph in filter(None, (part.strip() for part in _PARAGRAPH.split(text))):
        for piece in _cut(paragraph, most):
            if held and size + 2 + len(piece) > most:
                yield "\n\n".join(held)
                held, size = [], 0
            held.append(piece)
            size += len(piece) + (2 if size else 0)
    if held:
        yield "\n\n".join(held)


def _cut(paragraph: str, most: int) -> Iterator[str]:
    """The paragraph in pieces that fit: between sentences if possible, then between words, then anywhere."""
    if len(paragraph) <= most:
        yield paragraph
        return
    held = ""
    for piece in (piece for sentence in sentences(paragraph) for piece in _short(sentence, most)):
        if held and len(held) + 1 + len(piece) > most:
            yield held
            held = ""
        held = f"{held} {piece}" if held else piece
    if held:
        yield held


def _short(sentence: str, most: int) -> Iterator[str]:
    """A sentence in pieces that fit, cut at the last space in their second half, or where the room ends."""
    start = 0
    while len(sentence) - start > most:
        space = sentence.rfind(" ", start + most // 2, start + most + 1)
        end = start + most if space < 0 else space
        yield sentence[start:end].rstrip()
        start = end + (space >= 0)
    if start < len(sentence):
        yield sentence[start:]


def sentences(text: str) -> list[str]:
    """The sentences of a text; an abbreviation, a number or an initial before a point does not end one."""
    found, start = list[str](), 0
    for end in _SENTENCE_END.finditer(text):
        if not _goes_on(text[max(start, end.start() - _LONGEST_ABBREVIATION) : end.start()]):
            found.append(text[start : end.end()].strip())
            start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def _goes_on(before: str) -> bool:
    if not before.endswith("."):
        return False
    word = before.rsplit(None, 1)[-1].rstrip(".").lower().lstrip("([\"'")
    return word in _ABBREVIATIONS or len(word) <= 1 or (word.isdigit() and len(word) <= 2)
