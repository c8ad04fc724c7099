"""Units beside figures: currencies and what only looks like a unit."""

from __future__ import annotations

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
    ],
)
def test_the_unit_beside_a_figure(text: str, unit: str) -> None:
    (found,) = quantities(text, "de-CH")
    assert found.unit is not None
    assert found.unit.dimension == unit
    assert found.unit.is_currency == unit.isupper()


def test_money_with_a_letter_behind_it_has_no_length() -> None:
    (found,) = quantities("£1.1m", "en")
    assert (found.figure.kind, found.unit) == ("label", None)


def test_a_unit_is_found_by_its_name() -> None:
    assert unit_called("KG") == unit_called("kilogram")
    assert unit_called("nothing") is None
