"""Unknown words: how often what is meant stands among the meanings that are offered.

    python benchmarks/unknown_words.py geoquery --data ../shared/data/questions

The synonyms are taken out of an ontology, so that questions lose words. Of those with one unknown word (or several side by side) that
the whole ontology understands, it is counted whether the same query is offered. None of them is answered without being asked back.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from questions import HERE, SETS, TODAY, arguments_of

from veracity.ask.unknown_words import UnknownInQuestion, UnknownWords, folded_values
from veracity.language.embed import UniversalEmbedder
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.load import load_ontology
from veracity.query.values import Key
from veracity.semantic.graph import SemanticModel
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.words import WordBook
from veracity.settings import Settings
from veracity.sources.open import open_source
from veracity.sources.source import Source
from veracity.tools.tables import TableTools

PARTS = ("fields", "measures", "segments")


def without_synonyms(ontology: OntologyDescriptor) -> OntologyDescriptor:
    """The ontology with its labels alone."""
    bare: dict[str, object] = {"synonyms": {}}
    entities = tuple(
        entity.model_copy(
            update={**bare, **{part: tuple(o.model_copy(update=bare) for o in getattr(entity, part)) for part in PARTS}}
        )
        for entity in ontology.entities
    )
    return ontology.model_copy(update={"entities": entities})


def reader_of(source: Source, ontology: OntologyDescriptor) -> tuple[QuestionReader, dict[Key, frozenset[str]]]:
    """The English reader of an ontology, and the stored values."""
    tools = TableTools(source, ontology=ontology)
    stored = asyncio.run(tools.stored_values())
    return QuestionReader(WordBook(SemanticModel(tools.catalog), stored, "en")), stored


def main(arguments: Sequence[str] | None = None) -> int:
    """Count what is offered, and list what is not."""
    chosen = arguments_of(__doc__).parse_args(arguments)
    url, asked = SETS[chosen.set](chosen.data, chosen.postgres)
    ontology, source = load_ontology(HERE / "questions" / f"{chosen.set}.yaml"), open_source(url)
    whole, _ = reader_of(source, ontology)
    bare, stored = reader_of(source, without_synonyms(ontology))
    values = folded_values(stored)
    unknown = UnknownWords(UniversalEmbedder(Path(Settings.from_env().home) / "embeddings.sqlite"))
    outcomes = Counter[str]()
    for question in asked:
        found = UnknownInQuestion(question.text, bare.read(question.text, today=TODAY), TODAY, "en")
        meant = whole.read(question.text, today=TODAY).queries
        if found.unknown is None or not meant:
            continue
        offered = unknown.meanings(found, bare, values)
        outcome = "right one offered" if any(one.query in meant for one in offered) else "others offered"
        outcomes[outcome if offered else "nothing offered"] += 1
        if outcome != "right one offered":
            print(f"{question.text}: {found.unknown} -> {', '.join(one.means for one in offered) or 'nothing'}")
    print(dict(outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
