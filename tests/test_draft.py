"""A draft of an ontology: what is found in a database, what is only asked about, and what nothing uses until it is confirmed."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

import draft_shop
from each_case import each
from veracity.cli import app
from veracity.errors import SourceError, UsageError
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.draft import OntologyDraft, draft
from veracity.ontology.draft.findings import ColumnClass, ColumnVerdict
from veracity.ontology.draft.keeping import keep_draft, place_of
from veracity.ontology.draft.merging import merged, schema_changes
from veracity.ontology.draft.names import split
from veracity.ontology.draft.questions import _ORDER
from veracity.ontology.draft.vocabulary import vocabulary
from veracity.ontology.fields import Additivity
from veracity.ontology.load import load_ontology
from veracity.open import open_agent
from veracity.semantic.query import SemanticQuery
from veracity.semantic.result import SemanticResult
from veracity.settings import Settings
from veracity.sources.open import open_source
from veracity.tools.drafted import current_draft
from veracity.tools.open import open_tables
from veracity.tools.semantic import SemanticTools


def drafted(spec: str | Path, **options: Any) -> OntologyDraft:
    with closing(open_source(spec)) as source:
        return draft(source, **options)


def made(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def verdict(found: OntologyDraft, place: str) -> ColumnVerdict:
    table, _, column = place.rpartition(".")
    return found.settled.table(table).column(column).verdict


def rows_of(spec: str | Path, ontology: OntologyDescriptor, query: dict[str, Any]) -> Sequence[dict[str, Any]]:
    tools = open_tables(spec, ontology=ontology)
    try:
        result = asyncio.run(SemanticTools(tools).run(SemanticQuery.model_validate(query)))
        assert isinstance(result, SemanticResult), result
        return [dict(row) for row in result.rows]
    finally:
        tools.close()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("draft") / "shop.duckdb"
    draft_shop.make("duckdb", str(path))
    return path


@pytest.fixture(scope="module")
def found(shop: Path) -> OntologyDraft:
    return drafted(shop, languages=("en", "de"))


@pytest.fixture(params=("duckdb", "sqlite", "postgres"))
def spec(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    engine = str(request.param)
    where = str(request.getfixturevalue("postgres")) if engine == "postgres" else str(tmp_path / f"shop.{engine}")
    draft_shop.make(engine, where)
    return where


# --- what is found


def test_every_engine_finds_the_same_keys_relations_and_classes(spec: str, found: OntologyDraft) -> None:
    here = drafted(spec, languages=("en", "de"), tables=sorted(draft_shop.TABLES))
    keys = {table.name: table.key and table.key.columns for table in here.found.tables}
    assert keys == {table.name: table.key and table.key.columns for table in found.found.tables}
    assert {one.id for one in here.found.relations} == {one.id for one in found.found.relations}
    classes = {(t.name, c.profile.name): c.verdict.kind for t in here.found.tables for c in t.columns}
    assert classes == {(t.name, c.profile.name): c.verdict.kind for t in found.found.tables for c in t.columns}


def test_undeclared_keys_and_relations_are_proven_by_exact_counts(found: OntologyDraft) -> None:
    assert found.found.table("orders").key is not None
    evidence = {one.id: (one.proof, one.evidence) for one in found.found.relations}
    assert evidence["orders.customer_id->customers"][0] == "proven"
    assert "120 rows" in evidence["orders.customer_id->customers"][1]
    assert set(evidence) == {
        "orders.customer_id->customers",
        "order_items.order_id->orders",
        "donations.customer_id->customers",
    }


def test_a_number_that_is_unique_within_a_tenant_is_joined_with_the_tenant(tmp_path: Path) -> None:
    path = made(
        tmp_path / "tenants.duckdb",
        "CREATE TABLE account AS SELECT i AS id, i % 2 AS tenantId, 1000 + i // 2 AS accountNumber FROM range(60) t(i)",
        "CREATE TABLE booking AS SELECT i AS id, i % 2 AS tenantId, 1000 + i % 30 AS accountNumber, 1.0 * i AS amount FROM range(90) t(i)",
    )
    (one,) = drafted(path).found.relations
    assert (one.columns, one.other, one.sure) == (("tenantId", "accountNumber"), "account", True)


def test_a_text_that_names_one_of_what_belongs_to_a_row_is_asked_about(tmp_path: Path) -> None:
    path = made(
        tmp_path / "teams.duckdb",
        "CREATE TABLE team AS SELECT 'team ' || i AS team_name, 'name ' || (5 * i % 150) AS captain FROM range(40) t(i)",
        "CREATE TABLE player AS SELECT 'name ' || (i % 150) AS player_name, 'team ' || (i // 5) AS team_name FROM range(200) t(i)",
        "UPDATE team SET captain = 'nobody' WHERE team_name LIKE '%9'",
    )
    found = drafted(path, languages=("en",))
    (one,) = (one for one in found.found.relations if one.part)
    assert (one.id, one.sure, one.evidence) == ("team.captain+team_name->player", False, "36 of 40 are stored there")
    assert not [r for r in found.descriptor().usable.relations if r.name == "captain"]
    confirmed = found.answered(f"relation:{one.id}", "yes").descriptor()
    assert [r.label for r in confirmed.usable.relations if r.name == "captain"] == [{"en": "captain"}]


def test_below_thirty_rows_nothing_is_called_proven(tmp_path: Path) -> None:
    path = made(
        tmp_path / "few.duckdb",
        "CREATE TABLE club AS SELECT i AS club_id, 'club ' || i AS name FROM range(5) t(i)",
        "CREATE TABLE member AS SELECT i AS member_id, i % 5 AS club_id FROM range(20) t(i)",
    )
    few = drafted(path)
    assert {table.key.proof for table in few.found.tables if table.key} == {"consistent"}
    assert [one.proof for one in few.found.relations] == ["consistent"]
    assert "proven" not in few.yaml()


def test_a_sample_refutes_but_proves_no_key(shop: Path, tmp_path: Path) -> None:
    path = made(tmp_path / "large.duckdb", "CREATE TABLE big AS SELECT i AS id, i % 7 AS kind FROM range(300000) t(i)")
    large = drafted(path, sample=1000)
    assert large.found.table("big").key is None
    assert "300,000 rows" in large.found.notes[0]
    assert "looked at" in large.yaml()


@each(
    ("place", "kind", "sure"),
    [
        ("customers.customer_id", ColumnClass.KEY, True),
        ("customers.zip_code", ColumnClass.CODE, True),
        ("customers.rating", ColumnClass.AVERAGE, True),
        ("customers.first_name", ColumnClass.NAME, True),
        ("customers.country", ColumnClass.CATEGORY, True),
        ("orders.discount_rate", ColumnClass.AVERAGE, True),
        ("orders.total_amount", ColumnClass.ADDITIVE, True),
        ("order_items.unit_price", ColumnClass.AVERAGE, True),
        ("order_items.quantity", ColumnClass.ADDITIVE, False),  # the orders have a status
        ("donations.currency", ColumnClass.CURRENCY, True),
        ("donations.amount", ColumnClass.ADDITIVE, True),
        ("stock_levels.pieces", ColumnClass.LEVEL, True),
        ("rivers.length", ColumnClass.AVERAGE, True),
    ],
)
def test_a_column_has_its_class(found: OntologyDraft, place: str, kind: ColumnClass, sure: bool) -> None:
    told = verdict(found, place)
    assert (told.kind, told.sure) == (kind, sure), told.reason


def test_a_header_that_is_the_sum_of_its_details_is_proven(found: OntologyDraft) -> None:
    assert "is the sum of order_items's line_total in all 120 rows" in verdict(found, "orders.total_amount").reason


def test_a_price_is_not_additive_though_every_quantity_is_one(tmp_path: Path) -> None:
    path = made(
        tmp_path / "one.duckdb",
        "CREATE TABLE invoice AS SELECT i AS invoice_id, DATE '2024-01-01' + i::INT AS invoice_date, 3.0 * i + 1 AS total FROM range(1, 41) t(i)",
        "CREATE TABLE invoice_line AS SELECT i AS line_id, 1 + i % 40 AS invoice_id, 1 AS quantity, 0.0::DOUBLE AS unit_price FROM range(80) t(i)",
        "UPDATE invoice_line SET unit_price = (3.0 * invoice_id + 1) / 2",
    )
    assert verdict(drafted(path), "invoice_line.unit_price").kind is ColumnClass.AVERAGE


def test_a_copy_of_one_value_is_never_added_up(found: OntologyDraft) -> None:
    assert "the same in all rows of one river_name" in verdict(found, "rivers.length").reason


@pytest.mark.parametrize(
    "column", ["merchant_code", "year", "phone_number", "latitude", "max_amount", "unit_cost", "avg_total", "score"]
)
def test_what_is_no_figure_is_never_called_additive(tmp_path: Path, column: str) -> None:
    path = made(
        tmp_path / "no.duckdb",
        f"CREATE TABLE visit AS SELECT i AS id, DATE '2024-01-01' + i::INT AS visit_date, 1990 + i % 30 AS {column} FROM range(50) t(i)",
    )
    told = verdict(drafted(path), f"visit.{column}")
    assert not (told.kind is ColumnClass.ADDITIVE and told.sure), told.reason


FLOWS = ("bike_counts.cyclists", "velozaehlung.velos", "客流统计.行人", "gate_count.people", "wasserverbrauch.m3", "milk_production.litres",
    "天然气消耗量.立方米", "absenzen.tage", "sick_leave.days")  # fmt: skip
NO_FLOWS = ("staff_count.employees", "parking_counts.cars", "vehicle_count.buses", "population_counts.people", "zaehlerstand.mwh", "lagerbestand.kg",
    "gas_consumption_forecast.m3", "average_consumption.litres", "leave_entitlement.days", "ferienguthaben.tage")  # fmt: skip


def test_what_passes_or_is_consumed_adds_up_and_what_stands_there_does_not(tmp_path: Path) -> None:
    tables = [place.split(".") for place in (*FLOWS, *NO_FLOWS)]
    where = {"vehicle_count": "depot", "velozaehlung": "zaehlstelle", "客流统计": "入口"}
    path = made(
        tmp_path / "flows.duckdb",
        *(
            f"CREATE TABLE \"{table}\" AS SELECT DATE '2024-01-01' + (i // 3)::INT AS day, "
            f'\'P\' || i % 3 AS "{where.get(table, "place")}", 5 + (i * 7) % 41 AS "{column}" FROM range(60) t(i)'
            for table, column in tables
        ),
    )
    found = drafted(path)
    told = {place: verdict(found, place) for place in (*FLOWS, *NO_FLOWS)}
    sure = [place for place, one in told.items() if one.kind is ColumnClass.ADDITIVE and one.sure and not one.over]
    assert sure == list(FLOWS)


# --- guesses are not used


def test_a_guess_is_marked_with_its_question_and_goes_no_further_than_the_catalog(tmp_path: Path) -> None:
    path = made(tmp_path / "weak.duckdb", "CREATE TABLE car AS SELECT i AS id, 100.0 * i AS cost FROM range(40) t(i)")
    ontology = drafted(path, languages=("en",)).descriptor()
    field = ontology.entities[0].field("cost")
    assert field is not None
    assert (field.confirmed, field.additivity) == (False, Additivity.ADDITIVE)
    assert field.question["en"] == "May car.cost be added up over rows?"
    tools = open_tables(path, ontology=ontology)
    try:
        assert not tools.catalog.entities["car"].fields["cost"].can_be_added
    finally:
        tools.close()


def test_an_ontology_without_guesses_is_used_as_it_is(found: OntologyDraft) -> None:
    ontology = found.descriptor()
    assert ontology.unconfirmed
    assert not ontology.usable.unconfirmed
    assert ontology.usable.usable == ontology.usable
    assert {measure.name for e in ontology.usable.entities for measure in e.measures} == set()


def test_a_sum_beside_a_status_is_given_per_status_until_a_person_says_which_rows_count(
    shop: Path, found: OntologyDraft
) -> None:
    assert found.questions[0].kind in ("away", "rows")
    total = {"of": "orders", "show": [{"field": "orders.total_amount", "aggregate": "sum"}]}
    per_status = rows_of(shop, found.descriptor(), total)
    assert {row["status"] for row in per_status} == {"new", "paid", "cancelled"}
    everything = found.answered("rows:orders.total_amount", "all")
    assert len(rows_of(shop, everything.descriptor(), total)) == 1


def test_only_the_rows_that_a_person_said_count_are_summed(shop: Path, found: OntologyDraft) -> None:
    paid = found.answered("rows:orders.total_amount", "= paid").descriptor()
    rows = rows_of(shop, paid, {"of": "orders", "show": [{"measure": "total_amount of orders"}]})
    with duckdb.connect(str(shop), read_only=True) as connection:
        gold = connection.execute("SELECT SUM(total_amount) FROM orders WHERE status = 'paid'").fetchone()
    assert gold is not None
    assert [next(iter(row.values())) for row in rows] == [gold[0]]


def test_amounts_of_several_currencies_are_kept_apart(shop: Path, found: OntologyDraft) -> None:
    rows = rows_of(
        shop, found.descriptor(), {"of": "donations", "show": [{"field": "donations.amount", "aggregate": "sum"}]}
    )
    assert {row["currency"] for row in rows} == {"CHF", "EUR"}


def test_things_that_a_table_repeats_are_counted_once(shop: Path, found: OntologyDraft) -> None:
    ontology = drafted(shop, languages=("en",)).descriptor()
    river = ontology.entity("rivers")
    assert river is not None
    # Nothing points from a river to a table of countries here, so that it is not taken apart, and has no key of its own.
    assert river.grain == ("river_name", "country")


# --- questions and answers


def test_which_rows_count_comes_first_and_every_question_has_texts_in_three_languages(found: OntologyDraft) -> None:
    kinds = [question.kind for question in found.questions]
    assert kinds == sorted(kinds, key=_ORDER.index)
    for question in found.questions:
        assert set(question.text) == {"de", "en", "zh"}
        assert all(set(option.text) == {"de", "en", "zh"} for option in question.options)


def test_answering_every_question_leaves_none_open_and_nothing_unconfirmed(found: OntologyDraft) -> None:
    here = found
    for _ in range(100):
        if not here.questions:
            break
        asked = here.questions[0]
        here = here.answered(asked.id, asked.guess or asked.options[0].id)
    assert not here.questions
    assert not here.descriptor().unconfirmed


@pytest.mark.parametrize(("question", "option"), [("rows:nowhere.total", "all"), ("rows:orders.total_amount", "maybe")])
def test_an_answer_that_was_not_asked_for_is_refused_in_a_sentence(
    found: OntologyDraft, question: str, option: str
) -> None:
    with pytest.raises(UsageError, match=r"\.$|\?$"):
        found.answered(question, option)


def test_a_draft_can_be_kept_as_json_and_read_again(found: OntologyDraft) -> None:
    answered = found.answered("rows:orders.total_amount", "apart")
    again = OntologyDraft.model_validate_json(answered.model_dump_json())
    assert again == answered
    assert again.yaml() == answered.yaml()


def test_the_yaml_is_the_descriptor_with_the_reason_of_each_class(found: OntologyDraft, tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(found.yaml(), encoding="utf-8")
    assert load_ontology(path) == found.descriptor()
    assert "# average: called unit price: averaged, never added up" in found.yaml()
    assert "customer_id: reference: points to customers" in found.yaml()


# --- made again


def _with_label(ontology: OntologyDescriptor, entity: str, label: str) -> OntologyDescriptor:
    changed = tuple(e.model_copy(update={"label": {"en": label}}) if e.name == entity else e for e in ontology.entities)
    return ontology.model_copy(update={"entities": changed})


def test_what_a_person_changed_stays_and_what_is_new_comes_in(tmp_path: Path) -> None:
    path = made(
        tmp_path / "grow.duckdb", "CREATE TABLE club AS SELECT i AS club_id, 'club ' || i AS name FROM range(40) t(i)"
    )
    before = drafted(path)
    theirs = _with_label(before.descriptor(), "club", "society")
    made(
        path,
        "ALTER TABLE club ADD COLUMN city VARCHAR",
        "CREATE TABLE player AS SELECT i AS player_id FROM range(40) t(i)",
    )
    now = drafted(path)
    result = merged(now.descriptor(), theirs, before.descriptor())
    club = result.entity("club")
    assert club is not None
    assert club.label == {"en": "society"}
    assert club.field("city") is not None
    assert result.entity("player") is not None
    assert schema_changes(before.found, now.found) == ("The table player is new.", "The column club.city is new.")


def test_what_a_person_took_away_stays_away_and_a_lost_column_goes(tmp_path: Path) -> None:
    path = made(
        tmp_path / "lose.duckdb",
        "CREATE TABLE club AS SELECT i AS club_id, 'club ' || i AS name, i % 3 AS zone, i AS fax FROM range(40) t(i)",
    )
    before = drafted(path)
    base = before.descriptor()
    club = base.entities[0]
    fewer = club.model_copy(update={"fields": tuple(f for f in club.fields if f.name != "fax")})
    theirs = base.model_copy(update={"entities": (fewer,)})
    made(path, "ALTER TABLE club DROP COLUMN zone")
    result = merged(drafted(path).descriptor(), theirs, base).entities[0]
    assert [field.name for field in result.fields] == ["club_id", "name"]


# --- bad input


def test_a_view_that_fails_is_told_and_the_rest_is_kept(tmp_path: Path) -> None:
    path = made(
        tmp_path / "view.duckdb",
        "CREATE TABLE base AS SELECT 'a' AS word",
        "CREATE VIEW broken AS SELECT CAST(word AS INTEGER) AS number FROM base",
    )
    here = drafted(path)
    assert [entity.name for entity in here.descriptor().entities] == ["base"]
    assert any(note.startswith("broken could not be looked at") for note in here.found.notes)


def test_a_draft_that_is_stopped_keeps_the_tables_that_are_done(shop: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 2 < total:
            raise KeyboardInterrupt

    here = drafted(shop, progress=stop)
    assert len(here.descriptor().entities) == 2
    assert sum("stopped before" in note for note in here.found.notes) == len(draft_shop.TABLES) - 2


def test_a_field_called_highest_is_no_condition_that_all_rows_meet(tmp_path: Path) -> None:
    path = made(
        tmp_path / "land.duckdb",
        "CREATE TABLE state AS SELECT 'state ' || i AS state_name, 'point ' || i AS highest_point FROM range(40) t(i)",
    )
    agent = open_agent(path, ontology=drafted(path).descriptor(), keep_traces=False)
    try:
        assert agent.ask_sync("what is the highest point of state 7?").outcome == "answered"
        assert agent.ask_sync("which state has the highest point?").outcome != "answered"
    finally:
        agent.close()


def test_names_with_quotes_and_in_chinese_are_drafted(tmp_path: Path) -> None:
    path = made(
        tmp_path / "odd.duckdb",
        'CREATE TABLE "客户" AS SELECT i AS "编号", i * 1.5 AS "金额", DATE \'2024-01-01\' + i::INT AS "日期" FROM range(40) t(i)',
        'CREATE TABLE "it\'s ""so""" AS SELECT i AS "a ""b""", 1 AS "c\'d" FROM range(40) t(i)',
    )
    here = drafted(path)
    assert {e.name: e.grain for e in here.descriptor().entities} == {"客户": ("编号",), 'it\'s "so"': ('a "b"',)}
    assert yaml.safe_load(here.yaml())


def test_two_tables_of_one_name_in_two_schemas_stay_two(tmp_path: Path) -> None:
    path = made(
        tmp_path / "two.duckdb",
        "CREATE SCHEMA a",
        "CREATE SCHEMA b",
        "CREATE TABLE a.orders AS SELECT i AS id FROM range(40) t(i)",
        "CREATE TABLE b.orders AS SELECT i AS id FROM range(40) t(i)",
    )
    assert [entity.name for entity in drafted(path).descriptor().entities] == ["a.orders", "b.orders"]


def test_a_column_of_mixed_types_is_told_and_not_computed_with(tmp_path: Path) -> None:
    path = tmp_path / "mixed.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE pay (id INTEGER PRIMARY KEY, paid_on DATE, amount NUMERIC)")
        rows = [(i, "2024-01-01", "n/a" if i % 9 == 0 else i) for i in range(1, 50)]
        connection.executemany("INSERT INTO pay VALUES (?, ?, ?)", rows)
        connection.commit()
    here = drafted(path)
    assert here.found.notes == ("pay.amount holds numbers and 5 texts; it is not computed with.",)
    assert verdict(here, "pay.amount").kind is ColumnClass.NUMBER


def test_a_row_that_is_the_sum_of_all_others_is_not_added_up_with_them(tmp_path: Path) -> None:
    cantons = [("Bern", 1050), ("Zug", 130), ("Uri", 37), ("Jura", 74), ("Switzerland", 1291)]
    path = tmp_path / "cantons.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE cantons (canton TEXT PRIMARY KEY, population INTEGER)")
        connection.executemany("INSERT INTO cantons VALUES (?, ?)", cantons)
        connection.commit()
        assert verdict(drafted(path), "cantons.population").kind is ColumnClass.NUMBER
        connection.execute("DELETE FROM cantons WHERE canton = 'Switzerland'")
        connection.commit()
    found = verdict(drafted(path), "cantons.population")
    assert (found.kind, found.sure) == (ColumnClass.ADDITIVE, True)


def test_hours_of_events_add_up_and_hours_of_an_engine_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "garage.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE visits (id INTEGER PRIMARY KEY, visit_date DATE, hours_worked INTEGER, engine_hours INTEGER)"
        )
        rows = [(i, f"2024-01-{1 + i % 28:02}", i % 6 + 1, 100 * i) for i in range(1, 60)]
        connection.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", rows)
        connection.commit()
    here = drafted(path)
    assert [verdict(here, f"visits.{name}").sure for name in ("hours_worked", "engine_hours")] == [True, False]


def test_which_rows_count_is_asked_once_for_all_figures_that_a_status_keeps_apart(tmp_path: Path) -> None:
    path = tmp_path / "rentals.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE rentals (id INTEGER PRIMARY KEY, rented_on DATE, hours INTEGER, status TEXT, amount REAL)"
        )
        rows = [(i, f"2024-01-{1 + i % 28:02}", i % 6 + 1, ("done", "cancelled")[i % 4 == 0], i / 2) for i in range(60)]
        connection.executemany("INSERT INTO rentals VALUES (?, ?, ?, ?, ?)", rows)
        connection.commit()
    here = drafted(path)
    (asked,) = (one for one in here.questions if one.kind == "rows")
    assert asked.id == "rows:rentals.amount"
    assert "rentals.amount, rentals.hours" in asked.text["en"]
    told = here.answered(asked.id, "= done").descriptor().entity("rentals")
    assert told is not None
    assert {one.formula for one in told.measures} == {
        f"SUM({name}) where status = 'done'" for name in ("hours", "amount")
    }


def test_too_many_tables_are_refused_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veracity.ontology.draft.drafting.MOST_TABLES", 8)
    path = tmp_path / "many.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(";".join(f"CREATE TABLE t{number} (id INTEGER)" for number in range(9)))
    with pytest.raises(UsageError, match=r"9 tables, too many to draft at once; name those .* --table\."):
        drafted(path)
    assert len(drafted(path, tables=["t7"]).found.tables) == 1


def test_an_empty_database_and_an_empty_table_are_told(tmp_path: Path) -> None:
    empty = tmp_path / "empty.sqlite"
    with closing(sqlite3.connect(empty)) as connection:
        connection.execute("CREATE TABLE gone (id INTEGER)")
        connection.execute("DROP TABLE gone")
        connection.commit()
    with pytest.raises(SourceError, match="holds no table"):
        drafted(empty)
    path = made(tmp_path / "norows.duckdb", "CREATE TABLE orders (id INTEGER, customer_id INTEGER)")
    assert drafted(path).found.notes == ("orders has no rows; what is said of it rests on names alone.",)


@pytest.mark.parametrize("options", [{"languages": ("fr",)}, {"languages": ()}, {"sample": 3}, {"tables": ["nope"]}])
def test_options_that_cannot_be_are_refused(shop: Path, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        drafted(shop, **options)


@given(st.text(max_size=40))
def test_any_name_can_be_cut_into_words(name: str) -> None:
    words = split(name, vocabulary({name: (name, "order_id"), "orders": (name,), "Kunden": ()}))
    assert all(word and word == word.casefold() for word in words)


def test_letters_in_front_of_every_name_say_nothing() -> None:
    words = vocabulary(
        {
            "whOrder": ("whOrdId", "whOrdDate", "whOrdTotal"),
            "whBooking": ("whBkId", "whBkOrdId", "whBkDate"),
            "whPlace": ("whPlaceId", "whPlaceCity", "whZip"),
        }
    )
    assert split("whOrder", words) == ("order",)
    assert split("whBkDate", words) == ("date",)
    assert split("whBkId", words) == ("bk", "id")  # whose key it is
    assert split("whPlaceCity", words) == ("place", "city")
    assert split("whZip", words) == ("zip",)


def test_words_in_front_of_names_stay() -> None:
    words = vocabulary({"order_item": ("a", "b"), "order_line": ("a", "b"), "order_state": ("a", "b")})
    assert split("order_item", words) == ("order", "item")
    words = vocabulary({"flight": ("arr_time", "arr_gate", "delay"), "bk_two": ("x",)})
    assert split("arr_time", words) == ("arr", "time")
    assert split("bk_two", words) == ("bk", "two")


def test_a_password_is_in_no_name_of_a_kept_draft(tmp_path: Path) -> None:
    for url in ("postgresql://u:geheim@h/db", "postgresql://h/db?password=geheim", "postgresql://u:geheim@h"):
        assert "geheim" not in str(place_of(tmp_path, url))


# --- the command


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.setenv("VERACITY_HOME", str(tmp_path / "home"))

    def run(*arguments: str, keys: str = "") -> Result:
        return CliRunner().invoke(app, ["ontology", "draft", *arguments], input=keys)

    return run


def test_answers_are_kept_from_one_run_to_the_next_and_quitting_loses_nothing(
    command: Callable[..., Result], shop: Path, tmp_path: Path
) -> None:
    out = tmp_path / "my.yaml"
    first = command(str(shop), "--out", str(out), "--confirm", "--lang", "en", keys="1q")
    assert first.exit_code == 0, first.output
    assert "the answers so far are kept" in first.output
    again = command(str(shop), "--json", "--lang", "en")
    kept = OntologyDraft.model_validate_json(again.stdout)
    assert len(kept.answers) == 1
    assert next(iter(kept.answers)) not in [question.id for question in kept.questions]


def test_a_file_that_a_person_changed_keeps_the_change(
    command: Callable[..., Result], shop: Path, tmp_path: Path
) -> None:
    out = tmp_path / "my.yaml"
    command(str(shop), "--out", str(out), "--lang", "en")
    out.write_text(out.read_text("utf-8").replace("label: {en: customer}", "label: {en: guest}"), "utf-8")
    command(str(shop), "--out", str(out), "--lang", "en", "--confirm", keys="1q")
    customers = load_ontology(out).entity("customers")
    assert customers is not None
    assert customers.label == {"en": "guest"}


def test_a_file_in_which_nothing_changes_is_left_alone(
    command: Callable[..., Result], shop: Path, tmp_path: Path
) -> None:
    out = tmp_path / "my.yaml"
    command(str(shop), "--out", str(out), "--lang", "en")
    out.write_text("# my own words\n" + out.read_text("utf-8"), "utf-8")
    command(str(shop), "--out", str(out), "--lang", "en")
    assert out.read_text("utf-8").startswith("# my own words\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--confirm", "--json"], "take one of them"),
        (["--lang", "fr"], "de, en or zh"),
        (["--out", "."], "is a folder"),
        (["--out", "no/such/folder/my.yaml"], "There is no folder"),
    ],
)
def test_what_cannot_be_done_is_said_before_the_work(
    command: Callable[..., Result], shop: Path, arguments: list[str], said: str
) -> None:
    done = command(str(shop), *arguments)
    assert done.exit_code != 0
    assert said in str(done.exception or done.output)


def test_a_source_that_was_drafted_is_asked_through_its_draft_and_drafted_again_when_it_changes(
    command: Callable[..., Result], tmp_path: Path
) -> None:
    path = made(
        tmp_path / "again.duckdb", "CREATE TABLE club AS SELECT i AS club_id, 'club ' || i AS name FROM range(40) t(i)"
    )
    plain = open_tables(path)
    plain.close()
    assert plain.catalog.ontology is None
    command(str(path), "--json")
    first = open_tables(path)
    first.close()
    assert first.catalog.entities["club"].grain == ("club_id",)
    assert first.catalog.notes[0].startswith("there is no --ontology, so the draft of this source is used")
    made(path, "ALTER TABLE club ADD COLUMN city VARCHAR")
    second = open_tables(path)
    second.close()
    assert second.catalog.notes[1:] == ("The column club.city is new.",)
    command(str(path), "--table", "club", "--json")
    made(path, "CREATE TABLE other AS SELECT 1 AS id")
    named = open_tables(path)
    named.close()
    assert (list(named.catalog.entities), len(named.catalog.notes)) == (["club"], 1)
    third = open_tables(path, scope={"city": "Bern"})
    third.close()
    assert third.catalog.ontology is None


def test_show_tells_what_is_not_confirmed(found: OntologyDraft, tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text(found.yaml(), encoding="utf-8")
    shown = CliRunner().invoke(app, ["ontology", "show", "--ontology", str(path)]).output
    assert "not confirmed, so not used" in shown
    assert "measure revenue" in shown


def test_a_status_that_came_since_keeps_sums_apart(tmp_path: Path) -> None:
    path = tmp_path / "shop.sqlite"

    def insert(first: int, status: str) -> None:
        with sqlite3.connect(path) as connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS orders (id INTEGER, day DATE, status TEXT, amount NUMERIC(9,2))"
            )
            rows = [(first + n, f"2025-{1 + n % 12:02}-01", status, 10) for n in range(40)]
            connection.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", rows)

    def asked() -> str:
        agent = open_agent(path, keep_traces=False, settings=Settings(home=tmp_path))
        try:
            return agent.ask_sync("total amount", lang="en").text
        finally:
            agent.close()

    insert(0, "paid")
    assert asked() == "Total amount: 400.00."
    insert(100, "cancelled")
    later = max(file.stat().st_mtime for file in (tmp_path / "automatic-drafts").iterdir()) + 1
    os.utime(path, (later, later))
    assert asked() == (
        "Total amount:\n- cancelled: 400.00\n- paid: 400.00\n"
        "Told apart by status, as nobody has said yet which rows count. "
        "The page of the source asks for it, and so does “veracity ontology draft” with --confirm."
    )


def test_a_draft_of_an_older_program_is_made_anew_and_keeps_its_answers(tmp_path: Path, shop: Path) -> None:
    settings = Settings(home=tmp_path)
    with closing(open_source(shop)) as source:
        first = current_draft(shop, source, settings).draft
        question = first.questions[0]
        place = place_of(tmp_path, str(shop), automatic=True)
        keep_draft(first.answered(question.id, question.options[0].id), place)
        kept = place.stat().st_mtime
        assert current_draft(shop, source, settings).draft.answers
        assert place.stat().st_mtime == kept
        os.utime(place, (1_000_000_000, 1_000_000_000))  # before this program was installed
        again = current_draft(shop, source, settings).draft
    assert again.answers == {question.id: question.options[0].id}
    assert place.stat().st_mtime > 1_000_000_000
