"""Trustee: Swiss fiduciary bookkeeping, the pilot feature."""

from __future__ import annotations

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


def _ontology() -> OntologyDescriptor:
    from veracity.features.trustee.ontology import trustee_ontology

    return trustee_ontology()


TRUSTEE = Feature(
    code="trustee",
    tables=tuple(table.__name__ for table in TABLES),
    default_scope={"mandateId": "m-demo", "featureInstanceId": "fi-demo"},
    ontology=_ontology,
    shipped=ShippedData(LEDGER_VERSION, _build),
)
