"""Trustee: Swiss fiduciary bookkeeping, the pilot feature."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from veracity.features.feature import Feature, ShippedData
from veracity.features.records import Progress
from veracity.features.trustee.models import TABLES
from veracity.ontology.descriptor import OntologyDescriptor

LEDGER_VERSION = 1
"""Raise it when the ledger's contents change: a file of another version is made anew."""


# The ledger's books and the ontology's texts are loaded when they are needed: a command should start at once.
def _build(path: Path, progress: Progress | None) -> None:
    from veracity.features.trustee.ledger import build_ledger

    build_ledger(path, progress=progress)


@cache
def trustee_ontology() -> OntologyDescriptor:
    """Everything Veracity knows about a Swiss fiduciary ledger; read once."""
    from veracity.ontology.load import load_ontology

    return load_ontology(Path(__file__).with_name("ontology.yaml"))


TRUSTEE = Feature(
    code="trustee",
    tables=tuple(table.__name__ for table in TABLES),
    default_scope={"mandateId": "m-demo", "featureInstanceId": "fi-demo"},
    ontology=trustee_ontology,
    shipped=ShippedData(LEDGER_VERSION, _build),
)
