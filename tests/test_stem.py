"""Forms of words."""

from __future__ import annotations

import pytest

from veracity.language.stem import noun_root


@pytest.mark.parametrize(
    "forms",
    [
        ("region", "regions", "regionen"),
        ("kunde", "kunden"),
        ("auftrag", "auftraege"),
        ("umsatz", "umsaetze"),
        ("lohn", "loehne"),
        ("zug", "zuege"),
        ("ehrenmitglied", "ehrenmitglieder", "ehrenmitgliedern"),
        ("company", "companies"),
        ("loss", "losses"),
    ],
)
def test_forms_of_one_noun_have_one_root(forms: tuple[str, ...]) -> None:
    assert len({noun_root(form) for form in forms}) == 1


@pytest.mark.parametrize("others", [("miete", "mieter"), ("market", "marketing"), ("bus", "bu"), ("to", "tos")])
def test_other_words_have_another_root(others: tuple[str, str]) -> None:
    assert noun_root(others[0]) != noun_root(others[1])
