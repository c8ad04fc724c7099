"""Tables as files hold them: one table in several files or sheets, and a column for each month, are read as one table and as rows."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_case import each
from veracity.ontology.draft import draft
from veracity.ontology.draft.names import name_parts, undated
from veracity.ontology.draft.reshaping import NamedPeriod, notes_of, period_of, reshaped
from veracity.open import open_agent
from veracity.sources.open import open_source

Rows = Sequence[Sequence[Any]]
CITIES: Rows = [("city", "2020", "2021", "2022"), ("Bern", 134, 135, 137), ("Lyon", 522, 520, 519)]


def write(folder: Path, **files: Rows) -> Path:
    for name, rows in files.items():
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows(rows)
    return folder


def shapes(path: Path) -> dict[str, list[str]]:
    with closing(open_source(path)) as source:
        return {name: list(table.columns) for name, table in reshaped(source).tables.items()}


def answer(path: Path, question: str) -> str:
    with open_agent(path, keep_traces=False) as agent:
        return agent.ask_sync(question).text


def orders(year: int, count: int) -> Rows:
    rows = [(f"{year}-{number}", f"{year}-03-{1 + number % 28:02}", 10) for number in range(count)]
    return [("order_id", "order_date", "amount_eur"), *rows]


def test_files_that_differ_in_their_year_are_one_table(tmp_path: Path) -> None:
    folder = write(tmp_path, orders_2023=orders(2023, 30), orders_2024=orders(2024, 40))
    assert shapes(folder) == {"orders": ["order_id", "order_date", "amount_eur"]}
    assert answer(folder, "How many orders were there in 2024?") == "Number of orders, 2024: 40."
    assert answer(folder, "How many orders are there?") == "Number of orders: 70."


def test_files_with_other_columns_stay_apart(tmp_path: Path) -> None:
    other = [("order_id", "order_date", "amount_eur", "status"), ("x", "2024-01-01", 5, "paid")]
    assert set(shapes(write(tmp_path, orders_2023=orders(2023, 3), orders_2024=other))) == {
        "orders_2023",
        "orders_2024",
    }


def test_lists_of_the_same_things_in_each_year_stay_apart(tmp_path: Path) -> None:
    rows = [("customer_id", "name"), *((number, f"Customer {number}") for number in range(30))]
    write(tmp_path, customers_2023=rows, customers_2024=[*rows, (99, "New")])
    assert set(shapes(tmp_path)) == {"customers_2023", "customers_2024"}


def test_an_export_that_holds_the_earlier_one_again_stays_apart(tmp_path: Path) -> None:
    first = [(f"2024-01-{1 + number % 28:02}", number, "Bern") for number in range(40)]
    later = [*first, *((f"2024-02-{1 + number % 28:02}", number, "Chur") for number in range(40))]
    names = ("sold_on", "amount", "city")
    write(tmp_path, **{"sales_2024_01": [names, *first], "sales_2024_02": [names, *later]})
    assert set(shapes(tmp_path)) == {"sales_2024_01", "sales_2024_02"}


def test_sheets_called_by_their_year_are_one_table_that_says_the_year(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.remove(book.active)  # type: ignore[arg-type]
    for year in (2022, 2023):
        sheet = book.create_sheet(str(year))
        sheet.append(["Abteilung", "Kosten CHF"])
        for part in ("IT", "HR", "Verkauf"):
            sheet.append([part, year])
    book.save(tmp_path / "kosten.xlsx")
    file = tmp_path / "kosten.xlsx"
    assert shapes(file) == {"kosten": ["Abteilung", "Kosten CHF", "year"]}
    assert answer(file, "Kosten 2023") == "Kosten, 2023: 6'069 CHF."
    assert answer(file, "Kosten der IT 2022") == "Kosten, Abteilung IT, 2022: 2'022 CHF."


def test_years_side_by_side_are_rows(tmp_path: Path) -> None:
    file = write(tmp_path, population=CITIES) / "population.csv"
    assert shapes(file) == {"population": ["city", "year", "population"]}
    assert answer(file, "population of Bern in 2021") == "Population, city Bern, 2021: 135."
    assert "519" in answer(file, "Which city has the largest population in 2022?")
    with closing(open_source(file)) as source:
        assert notes_of(reshaped(source)) == (
            "The columns 2020 to 2022 of population are read as rows: year and population.",
        )
        assert any("are read as rows" in note for note in draft(source).found.notes)


def test_months_are_days_where_the_name_says_the_year_and_a_total_is_left_out(tmp_path: Path) -> None:
    rows = [("Filiale", "Jan", "Feb", "Mär", "Total"), ("Bern", 10, 20, 30, 60), ("Thun", 1, 2, 3, 6)]
    with closing(open_source(write(tmp_path, **{"Umsatz 2024": rows}) / "Umsatz 2024.csv")) as source:
        table = reshaped(source).tables["Umsatz 2024"]
    assert {name: str(column.type) for name, column in table.columns.items()} == {
        "Filiale": "text",
        "month": "date",
        "umsatz": "integer",
    }
    assert answer(tmp_path / "Umsatz 2024.csv", "Umsatz von Bern im Februar 2024").endswith(": 20.")


def test_a_table_with_another_figure_stays_as_it_is(tmp_path: Path) -> None:
    rows = [("city", "area", "2020", "2021"), ("Bern", 51, 134, 135)]
    assert shapes(write(tmp_path, cities=rows)) == {"cities": ["city", "area", "2020", "2021"]}


def test_parts_of_a_sqlite_database_are_one_table(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as shop, shop:
        for year in (2023, 2024):
            shop.execute(f"CREATE TABLE sales_{year} (id INTEGER PRIMARY KEY, sold_on DATE, city TEXT)")
            days = [(f"{year}-{month:02}-01", "Bern") for month in range(1, 13)]
            shop.executemany(f"INSERT INTO sales_{year} (sold_on, city) VALUES (?, ?)", days)
    assert answer(tmp_path / "shop.sqlite", "How many sales were there in 2024?") == "Number of sales, 2024: 12."


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("Verkäufe 2024", "verkaeufe"),
        ("orders_export_2025-03", "orders"),
        ("Kunden_final_v2", "kunden"),
        ("Wohnungen_Liste", "wohnungen"),
        ("price_list", "price list"),
        ("2024", "2024"),
        ("top_10", "top 10"),
    ],
)
def test_names_of_files_without_what_they_say_of_the_file(name: str, bare: str) -> None:
    assert " ".join(undated(name_parts(name))) == bare


@each(
    ("name", "period"),
    [
        ("2024", NamedPeriod(2024)),
        ("Mär", NamedPeriod(month=3)),
        ("Jan 2024", NamedPeriod(2024, month=1)),
        ("2024-07", NamedPeriod(2024, month=7)),
        ("Q3 2024", NamedPeriod(2024, quarter=3)),
        ("Umsatz 2024", None),
        ("2023/2024", None),
        ("may", NamedPeriod(month=5)),
        ("7", None),
        ("", None),
    ],
)
def test_a_name_that_is_a_period(name: str, period: NamedPeriod | None) -> None:
    assert period_of(name) == period


@given(st.lists(st.tuples(*[st.integers(0, 999) | st.none()] * 3), min_size=1, max_size=6))
def test_no_cell_is_lost_or_counted_twice(cells: list[tuple[int | None, ...]]) -> None:
    """What all rows come to is what all cells came to."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute('CREATE TABLE visits (place TEXT, "2020" INTEGER, "2021" INTEGER, "2022" INTEGER)')
        database.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", [(f"p{n}", *row) for n, row in enumerate(cells)])
        filled = [cell for row in cells for cell in row if cell is not None]
        total, count = database.execute(f"SELECT SUM(visits), COUNT(*) FROM ({VISITS})").fetchone()
    assert (total or 0, count) == (sum(filled), len(filled))


def _visits() -> str:
    from veracity.sources.source import Column, ColumnType, TableSchema

    kinds = {
        "place": ColumnType.TEXT,
        "2020": ColumnType.INTEGER,
        "2021": ColumnType.INTEGER,
        "2022": ColumnType.INTEGER,
    }
    table = TableSchema("visits", {name: Column(name, kind) for name, kind in kinds.items()})

    class Stub:
        name, dialect, tables = "visits", "sqlite", {"visits": table}

    return reshaped(Stub()).tables["visits"].select  # type: ignore[arg-type]


VISITS = _visits()
