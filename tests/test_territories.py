"""Countries and languages by their names in another language."""

from __future__ import annotations

import pytest

from veracity.language.territories import city_names, other_names


@pytest.mark.parametrize(
    ("stored", "lang", "name", "value"),
    [
        (["Germany", "France", "Italy"], "de", "Deutschland", "Germany"),
        (["Germany", "France", "Italy"], "zh", "德国", "Germany"),
        (["Deutschland", "Schweiz"], "en", "Switzerland", "Schweiz"),
        (["德国", "瑞士"], "de", "Schweiz", "瑞士"),
        (["USA", "Canada"], "de", "Vereinigte Staaten", "USA"),
        (["German", "French"], "de", "Französisch", "French"),
    ],
)
def test_a_stored_country_or_language_is_found_by_its_name_in_the_askers_language(
    stored: list[str], lang: str, name: str, value: str
) -> None:
    assert (name, value) in list(other_names(stored, lang))


def test_first_names_that_are_countries_too_get_no_other_names() -> None:
    assert list(other_names(["Jordan", "Anna", "Peter", "Chad"], "de")) == []


def test_a_country_stored_under_two_names_is_found_by_neither_of_a_third() -> None:
    assert not any(
        value in ("USA", "United States") for _, value in other_names(["USA", "United States", "France"], "de")
    )


def test_a_name_that_is_stored_itself_stands_for_itself() -> None:
    assert "Deutschland" not in dict(other_names(["Germany", "Deutschland", "France"], "de"))


def test_a_city_is_known_by_its_name_elsewhere_where_a_column_holds_several() -> None:
    names = dict(city_names(("Genf", "Zürich", "Olten")))
    assert (names["Geneva"], names["Zurich"], names["苏黎世"]) == ("Genf", "Zürich", "Zürich")
    assert list(city_names(("Paris", "Anna"))) == []


def test_a_name_that_is_stored_itself_stands_for_no_other() -> None:
    assert "Zurich" not in dict(city_names(("Zürich", "Zurich", "Genf")))


def test_a_name_may_be_written_without_its_dots() -> None:
    assert dict(city_names(("Müller AG", "Huber"))) == {"Muller AG": "Müller AG"}
