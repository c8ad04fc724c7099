"""What a draft proposes beyond keys and classes: texts read as numbers and days, extremes, units, what is big, where numbers point."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_case import each
from veracity.answer.answer import Answer
from veracity.errors import UsageError
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.draft import OntologyDraft, draft
from veracity.ontology.draft.findings import ColumnClass
from veracity.ontology.draft.stored_texts import writing_of
from veracity.open import open_agent
from veracity.settings import Settings
from veracity.sources.open import open_source

FIRST = date(2023, 1, 1)
TOWNS = [f"Town {n}" for n in range(1, 41)]
NAMES = [
    f"{start}{end}"
    for start in ("Ack", "Bell", "Carr", "Dunn", "Elm")
    for end in ("er", "ing", "ow", "ley", "by", "ham", "ton", "wood")
]
TABLES: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "towns": (
        "town_name VARCHAR(20), seat VARCHAR(30), people_count INTEGER, area DOUBLE PRECISION",
        [(name, f"Hall {n}", 100 * n, 5.5 * n) for n, name in enumerate(TOWNS, 1)],
    ),
    "halls": (
        "hall_name VARCHAR(20), town_name VARCHAR(20), height VARCHAR(10), built VARCHAR(12)",
        [
            (f"Hall {n}" if k == 0 else f"Barn {n}", name, str(9 * n + k), f"{1 + n % 28}.{1 + n % 12}.{1990 + n % 30}")
            for n, name in enumerate(TOWNS, 1)
            for k in range(2)
        ],
    ),
    "extremes": (
        "town_name VARCHAR(20), highest_spire VARCHAR(20), highest_elevation VARCHAR(10), lowest_spire VARCHAR(20), lowest_elevation VARCHAR(10)",
        [(name, f"Spire {n}", str(50 + n), f"Stump {n}", str(n)) for n, name in enumerate(TOWNS, 1)],
    ),
    "roads": (
        "road_name VARCHAR(20), length INTEGER, keeper VARCHAR(10), town_name VARCHAR(20)",
        [(f"Road {n}", 10 + 7 * n, ("north", "south")[n % 2], TOWNS[(3 * n + k) % 40]) for n in range(1, 25) for k in range(1 + n % 3)],
    ),
    "staff": (
        "staff_no INTEGER, first_name VARCHAR(20), last_name VARCHAR(20)",
        [(500 + 3 * n, ("Anna", "Ben")[n % 2], name) for n, name in enumerate(NAMES, 1)],
    ),
    "repairs": (
        "repair_id INTEGER, road_name VARCHAR(20), foreman INTEGER, done VARCHAR(12), cost DECIMAL(10,2), status VARCHAR(10)",
        [
            (n, f"Road {1 + n % 24}", 500 + 3 * (1 + n % 40), f"{FIRST + timedelta(days=3 * n):%d.%m.%Y}", 10 * (n % 9), ("open", "done")[n % 2])
            for n in range(1, 201)
        ],
    ),
}  # fmt: skip


def make(engine: str, spec: str) -> None:
    engines: dict[str, Any] = {"duckdb": duckdb.connect, "sqlite": sqlite3.connect, "postgres": psycopg.connect}
    opened = engines[engine](spec)
    with closing(opened) as connection:
        for name, (columns, rows) in TABLES.items():
            connection.execute(f"DROP TABLE IF EXISTS {name}")
            connection.execute(f"CREATE TABLE {name} ({columns})")
            values = ", ".join("(" + ", ".join(repr(cell) for cell in row) + ")" for row in rows)
            connection.execute(f"INSERT INTO {name} VALUES {values}")
        connection.commit()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    where = str(tmp_path_factory.mktemp("towns") / "towns.sqlite")
    make("sqlite", where)
    return where


def drafted(spec: str) -> OntologyDraft:
    with closing(open_source(spec)) as source:
        return draft(source, languages=("en",))


@pytest.fixture(scope="module")
def found(path: str) -> OntologyDraft:
    return drafted(path)


def answered(found: OntologyDraft, *answers: tuple[str, str]) -> OntologyDescriptor:
    for question, option in answers:
        found = found.answered(question, option)
    return found.descriptor()


def ask(spec: str, ontology: OntologyDescriptor, questions: Sequence[str], tmp_path: Path) -> list[Answer]:
    settings = Settings.from_env().model_copy(update={"home": tmp_path})
    agent = open_agent(spec, ontology=ontology, keep_traces=False, settings=settings)
    try:
        return [asyncio.run(agent.ask(question, lang="en")) for question in questions]
    finally:
        agent.close()


# --- texts that are numbers or days


@pytest.mark.parametrize("engine", ["duckdb", "sqlite", "postgres"])
def test_texts_that_are_all_numbers_or_days_are_computed_with_on_every_engine(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    spec = str(request.getfixturevalue("postgres")) if engine == "postgres" else str(tmp_path / f"towns.{engine}")
    make(engine, spec)
    ontology = drafted(spec).descriptor()
    told = ask(
        spec,
        ontology,
        [
            "which hall is the highest",
            "average height of the halls",
            "how many repairs were there in March 2024",
            "number of repairs per year",
        ],
        tmp_path,
    )
    assert [answer.outcome for answer in told] == ["answered"] * 4
    days = [FIRST + timedelta(days=3 * n) for n in range(1, 201)]
    assert "Barn 40" in told[0].text
    assert "361" in told[0].text
    assert told[1].text.endswith(": 185.") or "185.0" in told[1].text
    assert told[2].text.endswith(f": {sum((day.year, day.month) == (2024, 3) for day in days)}.")
    assert all(f"{sum(day.year == year for day in days)}" in told[3].text for year in (2023, 2024))


@each(
    ("texts", "writing"),
    [
        (["31.1.2024", "1.12.2023"], "day.month.year"),
        (["1.2.2024", "3.4.2024"], "day.month.year"),
        (["1/2/2024", "3/4/2024"], None),  # the 1st of February or the 2nd of January
        (["1/13/2024", "3/4/2024"], "month/day/year"),
        (["13/1/2024", "3/4/2024"], "day/month/year"),
        (["13/1/2024", "1/13/2024"], None),
        (["20240131", "20240201"], "yearmonthday"),
        (["20240132"], None),
        (["31.2.2024"], None),
        (["1.2.24"], None),
        (["1.2.2024", "n/a"], None),
        (["12", "-3.5", ""], "number"),
        (["12", "007"], None),
        (["1,5"], None),
        (["1e5"], None),
        ([""], None),
    ],
)
def test_a_writing_is_known_only_where_no_text_could_mean_something_else(texts: list[str], writing: str | None) -> None:
    found = writing_of(texts)
    assert (found[0] if found else None) == writing


@given(st.lists(st.text("0123456789./- ae", max_size=12), max_size=6))
def test_any_texts_have_one_writing_or_none(texts: list[str]) -> None:
    found = writing_of(texts)
    assert found is None or all(text == text.strip() for text in texts if text)


def test_a_text_that_comes_later_and_is_no_number_is_missing_not_zero(tmp_path: Path) -> None:
    spec = str(tmp_path / "towns.sqlite")
    make("sqlite", spec)
    ontology = drafted(spec).descriptor()
    with sqlite3.connect(spec) as connection:
        connection.execute("INSERT INTO halls VALUES ('Shed', 'Town 1', 'low', '1.1.2000')")
    (answer,) = ask(spec, ontology, ["which hall has the smallest height"], tmp_path)
    assert "Shed" not in answer.text.splitlines()[0]


def test_codes_of_figures_stay_texts(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "codes.sqlite") as connection:
        connection.execute("CREATE TABLE doors (door_id INTEGER, gate TEXT, zip_code TEXT, lock TEXT)")
        rows = [(n, str(n % 40), str(8000 + n), f"0{n}") for n in range(1, 61)]
        connection.executemany("INSERT INTO doors VALUES (?, ?, ?, ?)", rows)
    entity = drafted(str(tmp_path / "codes.sqlite")).descriptor().entity("doors")
    assert entity is not None
    assert (entity.table, entity.view) == ("doors", None)


# --- the highest and the lowest of something


def test_extremes_are_used_only_once_a_person_says_so(path: str, found: OntologyDraft, tmp_path: Path) -> None:
    questions = ["what is the highest spire", "which town has the lowest spire", "how high is Spire 7"]
    before = ask(path, found.descriptor(), questions, tmp_path)
    assert "answered" not in [answer.outcome for answer in before]
    ontology = answered(found, ("extremes:extremes.spire", "yes"))
    told = ask(path, ontology, [*questions[:2], "what is the elevation of Spire 7"], tmp_path)
    assert [answer.outcome for answer in told] == ["answered"] * 3
    assert "Spire 40" in told[0].text
    assert "Town 1" in told[1].text
    assert "57" in told[2].text
    assert answered(found, ("extremes:extremes.spire", "no")).entity("extremes_spire") is None


@pytest.mark.parametrize(
    "question",
    [
        "what is the second highest spire in Town 3",
        "what are the three highest spires",
        "how many spires are there",
        "average elevation of the spires",
    ],
)
def test_of_extremes_there_is_no_second_no_count_and_no_average(
    path: str, found: OntologyDraft, question: str, tmp_path: Path
) -> None:
    ontology = answered(found, ("extremes:extremes.spire", "yes"))
    (answer,) = ask(path, ontology, [question], tmp_path)
    assert answer.outcome != "answered"


# --- units, and what is big


def test_a_unit_is_used_once_a_person_names_it(path: str, found: OntologyDraft, tmp_path: Path) -> None:
    asked = next(one for one in found.questions if one.id == "unit:roads.length")
    assert asked.options[0].id == "km"
    question = "how long is Road 3 in miles"
    (before,) = ask(path, found.descriptor(), [question], tmp_path)
    (after,) = ask(path, answered(found, (asked.id, "km")), [question], tmp_path)
    assert before.outcome != "answered"
    assert "19.26" in after.text


def test_what_is_big_is_asked_with_round_values_and_counted_once_per_thing(path: str, found: OntologyDraft) -> None:
    assert not any(one.kind == "large" for one in found.questions)  # what big is about comes first
    sized = found.answered("size:roads", "length")
    asked = next(one for one in sized.questions if one.id == "large:roads")
    assert [option.id for option in asked.options] == ["30", "75", "100", "150", "none"]
    assert asked.options[2].text["en"] == "above 100 (12 of 24)"
    (segment,) = sized.answered("large:roads", "100").descriptor().entity("roads").segments  # type: ignore[union-attr]
    assert segment.where == "length > 100"
    assert sized.answered("large:roads", "none").descriptor().entity("roads").segments == ()  # type: ignore[union-attr]


def test_big_ones_are_answered_above_the_value_that_a_person_named(
    path: str, found: OntologyDraft, tmp_path: Path
) -> None:
    ontology = answered(found, ("size:roads", "length"), ("large:roads", "120"))
    told = ask(path, ontology, ["how many major roads are there", "what is the biggest road"], tmp_path)
    assert told[0].text.endswith(": 9.")
    assert "Road 24" in told[1].text


@pytest.mark.parametrize("value", ["1; DROP TABLE roads", "abc", "-1", "1e9", ""])
def test_what_is_no_number_is_no_answer_to_what_is_big(found: OntologyDraft, value: str) -> None:
    with pytest.raises(UsageError, match="is answered with"):
        found.answered("size:roads", "length").answered("large:roads", value)


# --- where numbers point, and what is pointed to


def test_a_number_that_no_name_ties_to_a_table_is_asked_about_and_used_as_its_role(
    path: str, found: OntologyDraft, tmp_path: Path
) -> None:
    asked = next(one for one in found.questions if one.kind == "pointer")
    assert (asked.id, [option.id for option in asked.options]) == ("pointer:repairs.foreman", ["staff", "none"])
    question = "number of repairs per foreman"
    (answer,) = ask(path, answered(found, (asked.id, "staff")), [question], tmp_path)
    assert "Ben Ackow: 5" in answer.text
    relations = answered(found, (asked.id, "none")).relations
    assert not any(relation.to_entity == "staff" for relation in relations)


def test_small_numbers_are_not_taken_for_keys(found: OntologyDraft) -> None:
    assert {one.column for one in found.found.pointers} == {"foreman"}


def test_a_thing_that_stands_in_several_rows_is_one_and_is_pointed_to_by_its_name(
    path: str, found: OntologyDraft, tmp_path: Path
) -> None:
    assert [(one.table, one.attributes) for one in found.found.splits] == [("roads", ("length", "keeper"))]
    told = ask(
        path,
        found.descriptor(),
        ["how many roads are there", "how many repairs of roads with keeper north were there"],
        tmp_path,
    )
    assert told[0].text.endswith(": 24.")
    assert told[1].text.endswith(f": {sum((1 + n % 24) % 2 == 0 for n in range(1, 201))}.")


def test_two_tables_that_point_to_each_other_are_told_apart(path: str, found: OntologyDraft, tmp_path: Path) -> None:
    assert {("towns", "halls"), ("halls", "towns")} <= {(one.table, one.other) for one in found.found.relations}
    (answer,) = ask(path, found.descriptor(), ["what is the seat of Town 5"], tmp_path)
    assert "Hall 5" in answer.text
    assert "Barn" not in answer.text


# --- answers


def test_which_rows_count_is_used_where_it_was_asked_after_another_answer(found: OntologyDraft) -> None:
    assert found.settled.table("repairs").column("cost").verdict.ask == "amount"
    added = found.answered("amount:repairs.cost", "add")
    assert "rows:repairs.cost" in [one.id for one in added.questions]
    verdict = added.answered("rows:repairs.cost", "all").settled.table("repairs").column("cost").verdict
    assert (verdict.kind, verdict.over, verdict.ask) == (ColumnClass.ADDITIVE, (), "")


def table(path: Path, name: str, columns: str, rows: Sequence[tuple[Any, ...]]) -> str:
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE {name} ({columns})")
        connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    return str(path)


def test_texts_of_figures_are_computed_with_once_a_person_says_so_and_kept_apart_by_their_status(
    tmp_path: Path,
) -> None:
    rows = [(n, str(10 * n), ("held", "void")[n % 2]) for n in range(1, 61)]
    spec = table(tmp_path / "games.sqlite", "games", "game_id INTEGER, visitors TEXT, status TEXT", rows)
    found = drafted(spec)
    assert found.settled.table("games").column("visitors").verdict.kind is ColumnClass.TEXT
    asked = next(one.id for one in found.questions if one.kind == "amount")
    assert answered(found, (asked, "neither")).entity("games").view is None  # type: ignore[union-attr]
    question = "total visitors of the games"
    held, void = (sum(int(row[1]) for row in rows if row[2] == status) for status in ("held", "void"))
    (apart,) = ask(spec, answered(found, (asked, "add")), [question], tmp_path)
    assert all(f"{one:,}" in apart.text for one in (held, void))
    assert f"{held + void:,}" not in apart.text
    (whole,) = ask(spec, answered(found, (asked, "add"), ("rows:games.visitors", "all")), [question], tmp_path)
    assert whole.text.endswith(f": {held + void:,}.")


def test_the_fastest_is_the_one_with_the_shortest_time(tmp_path: Path) -> None:
    columns = "race INTEGER, fastest_runner TEXT, fastest_time REAL, slowest_runner TEXT, slowest_time REAL"
    names = ("Ada", "Bo", "Cy")
    rows = [(n, f"{names[n % 3]} {n}", 100.0 - n, f"Zed {n}", 200.0 + n) for n in range(1, 41)]
    spec = table(tmp_path / "races.sqlite", "races", columns, rows)
    found = drafted(spec)
    told = ask(spec, found.descriptor(), ["who is the fastest runner", "what is the fastest time"], tmp_path)
    assert "answered" not in [answer.outcome for answer in told]  # of all, or of each race: the words do not say
    (fastest,) = ask(spec, answered(found, ("extremes:races.runner", "yes")), ["who is the fastest runner"], tmp_path)
    assert "Bo 40" in fastest.text


def test_columns_whose_rows_do_not_agree_which_is_larger_are_no_extremes(tmp_path: Path) -> None:
    columns = "race INTEGER, best_runner TEXT, best_mark REAL, worst_runner TEXT, worst_mark REAL"
    rows = [(n, f"Ada {n}", float(n), f"Zed {n}", 20.0) for n in range(1, 41)]
    assert drafted(table(tmp_path / "races.sqlite", "races", columns, rows)).found.extremes == ()


def test_a_text_that_is_called_like_its_table_is_its_name(tmp_path: Path) -> None:
    rows = [(f"Depot {n}", 10 * n) for n in range(1, 41)]
    spec = table(tmp_path / "depots.sqlite", "depots", "depot TEXT, capacity INTEGER", rows)
    entity = drafted(spec).descriptor().entity("depots")
    assert entity is not None
    assert (entity.display, entity.unconfirmed) == (("depot",), {})


def test_abbreviations_are_written_out_where_they_are_certain_and_asked_about_where_not(tmp_path: Path) -> None:
    path = tmp_path / "short.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE shp (shp_id INTEGER PRIMARY KEY, dest_cty TEXT, unit_prc REAL, dist_km INTEGER)"
        )
        connection.executemany(
            "INSERT INTO shp VALUES (?, ?, ?, ?)", [(n, TOWNS[n % 5], n / 4, 7 * n) for n in range(1, 41)]
        )
        connection.commit()
    found = draft(open_source(str(path)))

    def labels(one: OntologyDraft) -> dict[str, str]:
        entity = one.descriptor().entities[0]
        return {entity.name: entity.label["en"], **{field.name: field.label["en"] for field in entity.fields}}

    assert labels(found) | {"unit_prc": "unit price", "dist_km": "distance"} == labels(found)
    asked = {one.id: [option.id for option in one.options] for one in found.questions if one.kind == "short"}
    assert asked["short:shp"] == ["shipment", "shop", "none"]
    assert labels(found)["shp"] == "shp"
    for question, word in {"short:shp": "shipment", "short:cty": "city", "short:dest": "none"}.items():
        found = found.answered(question, word)
    assert labels(found) | {"shp": "shipment", "dest_cty": "dest city"} == labels(found)


@pytest.mark.parametrize(
    ("column", "discount", "expression"),
    [
        ("discount", "(n % 4) * 0.05", "unit_price * quantity * (1 - discount)"),
        ("discount_pct", "(n % 4) * 5", "unit_price * quantity * (1 - discount_pct / 100.0)"),
        ("discount", "(n % 4) * 2.5", None),  # an amount: of the piece, or of the line
        ("discount", "CASE WHEN n % 5 > 0 THEN (n % 4) * 0.05 END", None),  # where it is missing, nothing would be left
        ("colour", "n % 4", "unit_price * quantity"),
    ],
)
def test_a_discount_is_taken_off_what_was_sold(
    column: str, discount: str, expression: str | None, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "sold.sqlite")) as connection:
        connection.executescript(
            f"""CREATE TABLE sales(sale_id INTEGER PRIMARY KEY, sale_date DATE, unit_price NUMERIC, quantity INTEGER, {column} REAL, freight NUMERIC);
            WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < 60)
            INSERT INTO sales SELECT n, date('2024-01-01', '+' || n || ' days'), 5 + n % 7, 1 + n % 9, {discount}, n % 13 + 0.5 FROM k;"""
        )
    found = draft(open_source(str(tmp_path / "sold.sqlite"))).found
    assert [one.expression for one in found.measures if one.name == "revenue"] == ([expression] if expression else [])


def test_freight_is_no_revenue_and_part_of_one_is_no_money(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "sent.sqlite")) as connection:
        connection.executescript(
            """CREATE TABLE orders(order_id INTEGER PRIMARY KEY, order_date DATE, freight NUMERIC, discount REAL);
            WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < 60)
            INSERT INTO orders SELECT n, date('2024-01-01', '+' || n || ' days'), n % 13 + 0.5, (n % 4) * 0.05 FROM k;"""
        )
    found = draft(open_source(str(tmp_path / "sent.sqlite")))
    assert found.found.measures == ()
    assert found.found.table("orders").column("discount").verdict.kind is ColumnClass.AVERAGE
    assert all("discount" not in question.text["en"] for question in found.questions)
