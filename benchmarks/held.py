"""How well a query can be held against the words of a question: what is stopped though right, what passes though it is another's.

    python benchmarks/held.py chinook|geoquery [--others 40] [--show]

For every question that the reader understands: its own query must pass, and queries of other questions must not. A model may offer
any of them. Exit code 1 where more than 1 in 100 of its own is stopped, or more than 1 in 1,000 of the others passes.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence

from questions import TODAY, Desk, arguments_of, opened

from veracity.language.detect import language_of
from veracity.semantic.checking.check import check
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.held import HeldQuery, held_against


def held(desk: Desk, question: str, query: SemanticQuery) -> HeldQuery:
    """A query held against a question."""
    lang = language_of(question)
    reader = desk.readers.get(lang, desk.readers["en"])
    return held_against(query, reader.words.tag(question, today=TODAY, locale=lang), reader)


def understood(desk: Desk, texts: Sequence[str]) -> list[tuple[str, SemanticQuery]]:
    """The questions with one reading, and that."""
    found = []
    for text in dict.fromkeys(texts):
        queries, _ = desk.read(text)
        query = check(queries[0], desk.model) if len(queries) == 1 else None
        if isinstance(query, SemanticQuery):
            found.append((text, query))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Hold every query against its own question and against others."""
    parser = arguments_of(__doc__)
    parser.add_argument("--others", type=int, default=40, help="queries of other questions for each question")
    parser.add_argument("--show", action="store_true", help="list what goes wrong")
    chosen = parser.parse_args(arguments)
    desk, questions = opened(chosen)
    pairs = understood(desk, [asked.text for asked in questions])
    stopped = [text for text, query in pairs if not held(desk, text, query).is_said]
    picked, tried, passed = random.Random(1), 0, list[tuple[str, str]]()
    for text, own in pairs:
        for other, query in picked.sample(pairs, min(chosen.others, len(pairs))):
            if query.canonical_json() != own.canonical_json():
                tried += 1
                passed += [(text, other)] if held(desk, text, query).is_said else []
    print(f"{len(pairs)} questions, {len(stopped)} stopped though right; {tried} queries of others, {len(passed)} pass")
    for line in [*stopped, *(f"{text}  <-  {other}" for text, other in passed)] if chosen.show else ():
        print(f"  {line}")
    return 1 if len(stopped) > len(pairs) / 100 or len(passed) > tried / 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
