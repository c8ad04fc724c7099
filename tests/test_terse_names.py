"""Databases as public benchmarks have them, asked through drafts that nobody answered: terse names, keys and years stored as texts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from case_files import read_yaml
from each_case import each
from test_confirmed_drafts import Confirmed, check_case
from veracity.ontology.draft import draft
from veracity.sources.open import open_source

SETS = read_yaml(Path(__file__).parent / "cases" / "reading" / "terse_names.yaml")
QUESTIONS = [(name, case) for name, told in SETS.items() for case in told["questions"]]


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Confirmed]]:
    place = tmp_path_factory.mktemp("terse")
    made = {name: Confirmed(name, place, told) for name, told in SETS.items()}
    yield made
    for one in made.values():
        one.close()


@each(("name", "case"), QUESTIONS)
def test_question_about_terse_names(name: str, case: dict[str, Any], drafted: dict[str, Confirmed]) -> None:
    check_case(drafted[name], case)


def relations(tmp_path: Path, tables: str) -> set[tuple[str, str]]:
    """The columns that surely point somewhere, and where."""
    connection = sqlite3.connect(tmp_path / "keys.sqlite")
    connection.executescript(tables)
    connection.close()
    source = open_source(str(tmp_path / "keys.sqlite"))
    found = draft(source).found.relations
    source.close()
    return {(f"{one.table}.{one.columns[0]}", one.other) for one in found if one.sure}


def rows(table: str, *columns: str, count: int = 30) -> str:
    """Rows of a table, each column an expression over the number i."""
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"
    return f"{numbers} INSERT INTO {table} SELECT {', '.join(columns)} FROM n;"


def test_a_maker_is_a_car_maker_but_a_type_may_be_any_number(tmp_path: Path) -> None:
    found = relations(
        tmp_path,
        "CREATE TABLE car_makers(Id INTEGER PRIMARY KEY, Name TEXT); CREATE TABLE room_type(Id INTEGER PRIMARY KEY, Name TEXT);"
        "CREATE TABLE models(ModelId INTEGER PRIMARY KEY, Maker INTEGER); CREATE TABLE payment(PayId INTEGER PRIMARY KEY, type INTEGER);"
        + rows("car_makers", "i", "'Maker ' || i", count=9)
        + rows("room_type", "i", "'Kind ' || i", count=6)
        + rows("models", "i", "1 + i % 9")
        + rows("payment", "i", "1 + i % 6"),
    )
    assert ("models.Maker", "car_makers") in found
    assert not any(column == "payment.type" for column, _ in found)


def test_the_id_of_something_else_is_told_by_its_numbers(tmp_path: Path) -> None:
    tables = (
        "CREATE TABLE patient(ID INTEGER PRIMARY KEY, Name TEXT);"
        "CREATE TABLE laboratory(ID INTEGER, LabDate TEXT, GLU INTEGER, PRIMARY KEY(ID, LabDate));"
    )
    far, near = tmp_path / "far", tmp_path / "near"
    far.mkdir()
    near.mkdir()
    lab = "date('2020-01-01', i || ' days')", "60 + i * 7 % 90"
    patients = rows("patient", "i * 37 + 2000", "'P' || i", count=20)
    sparse = tables + patients + rows("laboratory", "(1 + i % 20) * 37 + 2000", *lab, count=60)
    dense = tables + rows("patient", "i", "'P' || i", count=20) + rows("laboratory", "1 + i % 20", *lab, count=60)
    assert ("laboratory.ID", "patient") in relations(far, sparse)
    assert relations(near, dense) == set()


def test_a_state_of_an_order_is_none_of_the_country(tmp_path: Path) -> None:
    found = relations(
        tmp_path,
        "CREATE TABLE state(state_id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE orders(order_id INTEGER PRIMARY KEY, state INTEGER, country INTEGER);"
        "CREATE TABLE country(country_id INTEGER PRIMARY KEY, name TEXT);"
        + rows("state", "i", "'S' || i", count=20)
        + rows("country", "i", "'C' || i", count=20)
        + rows("orders", "i", "i % 4", "1 + i % 20", count=60),
    )
    assert found == {("orders.country", "country")}


def test_a_key_that_is_stored_as_text_points_where_its_name_says(tmp_path: Path) -> None:
    found = relations(
        tmp_path,
        "CREATE TABLE stadium(Stadium_ID INTEGER PRIMARY KEY, Name TEXT); CREATE TABLE concert(concert_ID INTEGER PRIMARY KEY, Stadium_ID TEXT, code TEXT);"
        + rows("stadium", "i", "'S' || i", count=9)
        + rows("concert", "i", "CAST(1 + i % 9 AS TEXT)", "CAST(1 + i % 9 AS TEXT)"),
    )
    assert found == {("concert.Stadium_ID", "stadium")}
