"""A shop for mountain sports: nine tables with joins, and a short ontology without patterns."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from veracity.features.feature import Feature, ShippedData
from veracity.features.records import Progress, write_records
from veracity.features.shop.models import TABLES
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.load import load_ontology


@cache
def shop_ontology() -> OntologyDescriptor:
    """What the tables mean."""
    return load_ontology(Path(__file__).parent / "ontology.yaml")


def _build(path: Path, progress: Progress | None) -> None:
    from veracity.features.shop.sales import make_records

    write_records(path, TABLES, make_records(), progress)


SHOP = Feature(
    code="shop",
    tables=tuple(table.__name__ for table in TABLES),
    ontology=shop_ontology,
    shipped=ShippedData(1, _build),
)
