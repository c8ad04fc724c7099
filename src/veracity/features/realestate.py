"""Real estate: properties, units and leases. It has hints and no ontology, so it runs on the conventions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Literal

from veracity.features.feature import Feature, ShippedData
from veracity.features.records import Progress, write_records
from veracity.wire import Wire

_SCOPE = {"mandateId": "m-demo", "featureInstanceId": "fi-realestate"}
_HINTS = {
    "de": """- RealEstateLease.monthlyRent ist die Nettomiete je Monat in CHF; ein Vertrag ohne endDate läuft noch.
- Leerstand: Einheiten ohne laufenden Vertrag. Flächen (areaM2) in Quadratmetern dürfen addiert werden.
- outstandingBalance ist ein Saldo: nie addieren, Zeilen abfragen.""",
    "en": """- RealEstateLease.monthlyRent is the net rent per month in CHF; a lease without endDate is still running.
- Vacant: units without a running lease. Areas (areaM2) in square metres may be added up.
- outstandingBalance is a balance: never add it up, query its rows.""",
    "zh": """- RealEstateLease.monthlyRent 是每月净租金（CHF）；没有 endDate 的合同仍有效。
- 空置：没有有效合同的单元。面积 areaM2（平方米）可以相加。
- outstandingBalance 是余额：不可相加，请查询明细行。""",
}


class RealEstateRecord(Wire):
    """One row of any table, with its scope."""

    id: str
    mandate_id: str = _SCOPE["mandateId"]
    feature_instance_id: str = _SCOPE["featureInstanceId"]


class RealEstateProperty(RealEstateRecord):
    """A building."""

    name: str
    city: str
    build_year: int
    market_value: Decimal


class RealEstateUnit(RealEstateRecord):
    """A flat, an office or a parking space."""

    property_id: str
    unit_number: str
    unit_type: Literal["flat", "office", "parking"]
    area_m2: Decimal


class RealEstateLease(RealEstateRecord):
    """A lease of one unit."""

    unit_id: str
    tenant_name: str
    start_date: date
    end_date: date | None = None
    monthly_rent: Decimal
    outstanding_balance: Decimal


TABLES: tuple[type[RealEstateRecord], ...] = (RealEstateProperty, RealEstateUnit, RealEstateLease)
_PROPERTIES = (
    ("Seeblick", "Zürich"),
    ("Lindenhof", "Bern"),
    ("Rheintor", "Basel"),
    ("Sonnenberg", "Luzern"),
    ("Parkweg", "Winterthur"),
)
_TENANTS = (
    "Alpina Treuhand AG",
    "Bergwerk Software GmbH",
    "Cima Handels AG",
    "Delta Druck AG",
    "Enzian Optik GmbH",
    "Firn Logistik AG",
)
_RENT_PER_M2 = {"flat": Decimal("24"), "office": Decimal("31"), "parking": Decimal("12")}


def make_records(seed: int = 7) -> Iterator[RealEstateRecord]:
    """A small portfolio, the same for the same seed."""
    rng = Random(seed)  # noqa: S311 - not for secrets
    for p, (name, city) in enumerate(_PROPERTIES, 1):
        value = Decimal(rng.randrange(4_000, 22_000)) * 1000
        yield RealEstateProperty(
            id=f"p-{p}", name=name, city=city, build_year=rng.randrange(1905, 2020), market_value=value
        )
        for u in range(1, 11):
            yield from _unit(rng, f"p-{p}", f"u-{p}-{u:02}", u)


def _unit(rng: Random, property_id: str, unit_id: str, number: int) -> Iterator[RealEstateRecord]:
    kind: Literal["flat", "office", "parking"] = "parking" if number > 8 else "office" if number > 6 else "flat"
    area = Decimal(12 if kind == "parking" else rng.randrange(38, 160))
    yield RealEstateUnit(id=unit_id, property_id=property_id, unit_number=f"{number:02}", unit_type=kind, area_m2=area)
    start = date(2016, 1, 1) + timedelta(days=30 * rng.randrange(0, 60))
    while start < date(2025, 10, 1):
        running = rng.random() < 0.4
        end = None if running else start + timedelta(days=365 * rng.randrange(1, 5))
        rent = (area * _RENT_PER_M2[kind] * Decimal(rng.randrange(85, 120)) / 100).quantize(Decimal("0.05"))
        owed = rent if rng.random() < 0.1 else Decimal(0)
        yield RealEstateLease(
            id=f"l-{unit_id}-{start:%y%m}",
            unit_id=unit_id,
            tenant_name=rng.choice(_TENANTS),
            start_date=start,
            end_date=end,
            monthly_rent=rent,
            outstanding_balance=owed,
        )
        if end is None:
            return
        start = end + timedelta(days=30 * rng.randrange(1, 4))


def _build(path: Path, progress: Progress | None) -> None:
    write_records(path, TABLES, list(make_records()), progress)


REALESTATE = Feature(
    code="realestate",
    tables=tuple(table.__name__ for table in TABLES),
    default_scope=_SCOPE,
    hints=_HINTS,
    shipped=ShippedData(1, _build),
)
