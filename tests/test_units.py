"""Units beside figures: currencies and what only looks like a unit."""

from __future__ import annotations

from decimal import Decimal

import pytest

from veracity.language.units import quantities, unit_called


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("SEK 500", "SEK"),
        ("500 SEK", "SEK"),
        ("5 sek", "time"),
        ("HKD 5", "HKD"),
        ("DKK 5", "DKK"),
        ("Fr. 20.50", "CHF"),
        ("64GB", "data"),
        ("5 Gigabyte", "data"),
        ("300 watts", "power"),
        ("12 kilowatt hours", "energy"),
        ("3 acres", "area"),
        ("8 ounces", "mass"),
        ("20 hectolitres", "volume"),
    ],
)
def test_the_unit_beside_a_figure(text: str, unit: str) -> None:
    (found,) = quantities(text, "de-CH")
    assert found.unit is not None
    assert found.unit.dimension == unit
    assert found.unit.is_currency == unit.isupper()


def test_money_with_a_letter_behind_it_is_in_millions_and_has_no_length() -> None:
    (found,) = quantities("£1.1m", "en")
    assert found.unit is not None
    assert (found.values, found.unit.dimension) == ((Decimal(1_100_000),), "GBP")


def test_how_many_of_a_currency_are_counted_stands_before_its_code() -> None:
    said = quantities("6,975 kCHF, TEUR 120 and 3 M€", "en")
    assert [int(one.values[0]) for one in said] == [6_975_000, 120_000, 3_000_000]


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ("0.3 kW", "300 watts"),
        ("2 MWh", "2000 kilowatt hours"),
        ("1 lb", "16 ounces"),
        ("5 hl", "500 litres"),
        ("1 km²", "100 ha"),
    ],
)
def test_what_is_the_same_in_two_units_converts(one: str, same: str) -> None:
    sizes = [
        found.figure.readings[0] * found.unit.factor
        for (found,) in (quantities(one, "en"), quantities(same, "en"))
        if found.unit
    ]
    assert len(sizes) == 2
    assert abs(sizes[0] - sizes[1]) < Decimal("0.001")


def test_a_unit_is_found_by_its_name() -> None:
    assert unit_called("KG") == unit_called("kilogram")
    assert unit_called("nothing") is None
