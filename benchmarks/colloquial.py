"""Questions in everyday words: how often what an unknown word means is offered, and how often something else.

    python benchmarks/colloquial.py opened
    python benchmarks/colloquial.py closed
    python benchmarks/colloquial.py closed --model http://127.0.0.1:8181/v1

Each question of `colloquial/*.jsonl` has a word that stands nowhere in its database, and the same question in the words of the database,
or none where the database does not hold what the word asks for. They were written by somebody who had not seen the program; the rules
were made with `opened`, `closed` was only counted. Nobody described the databases. With `--model` it is counted what the model's other words
for the unknown ones come to: asked back, or assumed, as `ask --assume` does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from questions import TODAY

from veracity.agent.loop import Limits, Run
from veracity.ask.model_query import QueryWriter
from veracity.ask.other_words import MeantByWords, meant_by
from veracity.ask.unknown_words import UnknownInQuestion, UnknownWords, folded_values
from veracity.language.embed import UniversalEmbedder
from veracity.language.numbers import locale_of
from veracity.llm.model_specs import chosen_model
from veracity.llm.provider import ProviderConfig, RemoteModel
from veracity.ontology.draft import draft
from veracity.query.values import Key
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.words import WordBook
from veracity.settings import Settings
from veracity.sources.open import open_source
from veracity.telemetry import Telemetry
from veracity.tools.semantic import SemanticTools
from veracity.tools.tables import TableTools

FOLDER = Path(__file__).parent / "colloquial"
HALVES = ("opened", "closed")


class Databases:
    """The readers of the databases, each made when it is first asked."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._readers: dict[tuple[str, str], tuple[QuestionReader, dict[Key, frozenset[str]]]] = {}
        self.tools: dict[str, TableTools] = {}

    def reader(self, name: str, lang: str) -> tuple[QuestionReader, dict[Key, frozenset[str]]]:
        """The reader of a database in a language, and the stored values."""
        if (name, lang) not in self._readers:
            file = self.place / f"{lang}-{name}"
            with closing(sqlite3.connect(file)) as connection:
                connection.executescript((FOLDER / name).with_suffix(".sql").read_text(encoding="utf-8"))
            source = open_source(str(file))
            tools = SemanticTools(TableTools(source, ontology=draft(source).descriptor()))
            stored = asyncio.run(tools.tables.stored_values())
            self.tools[name] = tools.tables
            self._readers[name, lang] = QuestionReader(WordBook(tools.model, stored, lang)), stored
        return self._readers[name, lang]


def outcomes(
    half: str, databases: Databases, unknown: UnknownWords, model: RemoteModel | None
) -> Iterator[tuple[str, str, str]]:
    """For each question whether it can be answered, what became of it, and the question."""
    for line in (FOLDER / f"{half}.jsonl").read_text(encoding="utf-8").splitlines():
        asked = json.loads(line)
        kind = "answerable" if asked["plain"] else "not in the data"
        yield kind, *_outcome(asked, databases, unknown, model)


def _outcome(
    asked: dict[str, Any], databases: Databases, unknown: UnknownWords, model: RemoteModel | None
) -> tuple[str, str]:
    reader, stored = databases.reader(asked["db"], asked["lang"])
    locale = locale_of(asked["lang"], "de-CH")
    found = reader.read(asked["q"], today=TODAY, locale=locale)
    plain = reader.read(asked["plain"], today=TODAY, locale=locale).queries if asked["plain"] else ()
    if found.queries:
        return ("understood rightly" if set(found.queries) & set(plain) else "understood otherwise"), asked["q"]
    question, values = UnknownInQuestion(asked["q"], found, TODAY, locale), folded_values(stored)
    if model is not None:
        writer = QueryWriter(
            model, model.name, databases.tools[asked["db"]], Limits(), Telemetry(None), fills_forms=True
        )
        said = asyncio.run(writer.words_like(asked["q"], found.unknown_said, asked["lang"], Run([])))
        return _said(meant_by(said, question, reader, values, unknown) if said else None, plain), f"{asked['q']} {said}"
    meanings = unknown.meanings(question, reader, values)
    told = f"{asked['q']} {', '.join(found.unknown)} -> {', '.join(one.means for one in meanings) or 'nothing'}"
    return _offered([one.query for one in meanings], plain), told


def _offered(offered: Sequence[SemanticQuery], plain: Sequence[SemanticQuery]) -> str:
    if not offered:
        return "nothing offered"
    if offered[0] in plain:
        return "right one offered first"
    return "right one offered" if set(offered) & set(plain) else "others offered"


def _said(meant: MeantByWords | None, plain: Sequence[SemanticQuery]) -> str:
    if meant is None:
        return "no known word said"
    right = "right" if set(meant.queries) & set(plain) else "another"
    return f"{right} word said, {'assumed' if meant.sure else 'asked back'}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Count what is offered, and list what is not right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("half", choices=HALVES)
    parser.add_argument("--show", action="store_true", help="list what is not right; not for the closed half")
    parser.add_argument("--model", help="an address of an OpenAI-compatible server")
    chosen = parser.parse_args(arguments)
    model = chosen_model(chosen.model, ProviderConfig(timeout=300)) if chosen.model else None
    unknown = UnknownWords(UniversalEmbedder(Path(Settings.from_env().home) / "embeddings.sqlite"))
    counted = Counter[tuple[str, str]]()
    with tempfile.TemporaryDirectory() as place:
        for kind, outcome, told in outcomes(chosen.half, Databases(Path(place)), unknown, model):
            counted[kind, outcome] += 1
            if chosen.show and "right" not in outcome:
                print(f"{kind}, {outcome}: {told}")
    for (kind, outcome), count in sorted(counted.items()):
        print(f"{kind:16} {outcome:24} {count:4}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
