"""Rows that are named in a role but not stored are told, because what is said of the role leaves them out."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from veracity.ask.data_agent import DataAgent
from veracity.open import open_agent

TABLES = """
    CREATE TABLE state (name TEXT, capital TEXT);
    INSERT INTO state VALUES ('Arda', 'Austin'), ('Bree', 'Boll'), ('Dune', 'Egg'), ('Elm', 'Fig'), ('Fen', NULL);
    CREATE TABLE city (name TEXT, population INTEGER);
    INSERT INTO city VALUES ('Austin', 900), ('Boll', 100), ('Hill', 300);
"""
ONTOLOGY = """
featureCode: atlas
entities:
  - {name: State, label: {en: state, de: Staat}, table: state, grain: name, display: name}
  - name: City
    label: {en: city, de: Stadt}
    table: city
    grain: name
    display: name
    fields: [{name: population, label: {en: population, de: Einwohnerzahl}, additivity: ADDITIVE, adjectives: {en: {more: [large]}, de: {more: [gross]}}}]
    segments: [{name: major, label: {en: major, de: bedeutende}, where: population > 500}]
relations:
  - {name: seat, fromEntity: State, toEntity: City, cardinality: MANY_TO_ONE, keys: {capital: name}, label: {en: seat, de: Sitz}, synonyms: {en: [seats], de: [Sitze]}}
"""


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataAgent]:
    folder = tmp_path_factory.mktemp("seats")
    with duckdb.connect(str(folder / "seats.duckdb")) as connection:
        connection.execute(TABLES)
    (folder / "seats.yaml").write_text(ONTOLOGY, encoding="utf-8")
    made = open_agent(folder / "seats.duckdb", ontology=folder / "seats.yaml", keep_traces=False)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("question", "named", "told"),
    [
        ("which seats are not major cities", "Boll", "2 states: the seat is not stored as city and is left out here."),
        ("the largest seat", "Austin", "2 states: the seat is not stored as city and is left out here."),
        ("Welche Sitze sind nicht bedeutende Städte?", "Boll", "2 Staat: Sitz ist nicht als Stadt gespeichert und fehlt hier."),
    ],
)  # fmt: skip
def test_a_role_whose_rows_are_not_all_stored_says_how_many_are_left_out(
    agent: DataAgent, question: str, named: str, told: str
) -> None:
    text = agent.ask_sync(question).text
    assert named in text
    assert text.endswith(told)


@pytest.mark.parametrize("question", ["the largest city", "which cities are not major", "the seat of Arda"])
def test_where_nobody_is_left_out_nothing_is_told(agent: DataAgent, question: str) -> None:
    assert "stored as" not in agent.ask_sync(question).text
