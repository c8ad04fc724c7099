"""Readers of questions: built once for the same content, and anew for any other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from veracity.answer.coverage import Stored
from veracity.ask.word_tables import WordTables
from veracity.features.trustee import trustee_ontology
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.query.catalog import build_catalog
from veracity.semantic.graph import SemanticModel
from veracity.semantic.reading.read import QuestionReader
from veracity.sources.open import open_source
from veracity.sources.source import Scope, Source

STORED: Stored = {("TrusteeDataAccount", "label"): frozenset({"Bank", "Miete"})}
SCOPE = {"mandateId": "m-demo", "featureInstanceId": "fi-demo"}


@pytest.fixture
def source(ledger: Path) -> Iterator[Source]:
    opened = open_source(ledger)
    yield opened
    opened.close()


def reader(
    source: Source,
    stored: Stored = STORED,
    lang: str = "de",
    *,
    ontology: OntologyDescriptor | None = None,
    mandate: str = "m-demo",
) -> QuestionReader:
    """The reader of an agent that was just opened."""
    scope = Scope({**SCOPE, "mandateId": mandate})
    catalog = build_catalog(source, ontology=ontology or trustee_ontology(), scope=scope)
    return WordTables().reader(SemanticModel(catalog), stored, lang)


def test_agents_over_the_same_content_share_a_reader(source: Source) -> None:
    assert reader(source) is reader(source, {key: frozenset(values) for key, values in STORED.items()})


def test_other_values_languages_scopes_and_ontologies_have_readers_of_their_own(source: Source) -> None:
    ontology = trustee_ontology()
    first, *rest = ontology.entities
    taught = first.model_copy(update={"synonyms": {**first.synonyms, "de": (*first.synonyms.get("de", ()), "Kladde")}})
    others = (
        reader(source, {("TrusteeDataAccount", "label"): frozenset({"Bank", "Kasse"})}),
        reader(source, {**STORED, ("TrusteeDataAccount", "currency"): frozenset({"CHF"})}),
        reader(source, lang="en"),
        reader(source, mandate="m-other"),
        reader(source, ontology=ontology.model_copy(update={"entities": (taught, *rest)})),
    )
    found = (reader(source), *others)
    assert len({id(one) for one in found}) == len(found)


def test_a_reader_is_built_anew_when_stored_values_changed(source: Source) -> None:
    model = SemanticModel(build_catalog(source, ontology=trustee_ontology(), scope=Scope(SCOPE)))
    tables, more = WordTables(), {("TrusteeDataAccount", "label"): frozenset({"Bank", "Miete", "Kasse"})}
    before, names = tables.reader(model, STORED, "de"), tables.stored_names(STORED)
    assert tables.reader(model, STORED, "de") is before
    assert tables.reader(model, more, "de") is not before
    assert len(tables.stored_names(more)) == len(names) + 1


def test_no_reader_is_shared_by_two_threads(source: Source) -> None:
    found = [reader(source)]
    other = threading.Thread(target=lambda: found.append(reader(source)))
    other.start()
    other.join()
    assert found[0] is not found[1]


def test_only_the_latest_readers_are_kept(source: Source) -> None:
    first = reader(source)
    for number in range(12):
        reader(source, {("TrusteeDataAccount", "label"): frozenset({f"Konto {number}"})})
    assert reader(source) is not first
