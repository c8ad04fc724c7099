"""A small shop to teach words to."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from veracity.ask.data_agent import DataAgent
from veracity.open import open_agent
from veracity.settings import Settings

TABLES = """
    CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, rating INTEGER, tenant TEXT);
    CREATE TABLE invoice (id INTEGER PRIMARY KEY, customer_id INTEGER, day DATE, amount DECIMAL(10,2), pieces INTEGER, tenant TEXT);
    INSERT INTO customer VALUES (1, 'Anna', 'Germany', 5, 't-1'), (2, 'Bob', 'France', 3, 't-1'), (3, 'Cleo', 'Germany', 4, 't-1'),
        (4, 'Dora', 'Atlantis', 1, 't-2');
    INSERT INTO invoice VALUES (1, 1, '2024-02-07', 20, 2, 't-1'), (2, 2, '2024-02-09', 1200, 3, 't-1'), (3, 2, '2023-05-01', 5, 1, 't-1'),
        (4, 4, '2024-01-01', 7, 1, 't-2');
"""
ONTOLOGY = """
featureCode: shop
entities:
  - name: Customer
    label: {en: customer, de: Kunde}
    synonyms: {en: [customers], de: [Kunden]}
    table: customer
    grain: id
    display: name
    fields:
      - {name: country, label: {en: country, de: Land}, categorical: true}
      - {name: rating, label: {en: rating, de: Bewertung}, averages: true}
    segments: [{name: home, label: {en: domestic, de: inländisch}, where: "country = 'Germany'"}]
  - name: Invoice
    label: {en: invoice, de: Rechnung}
    synonyms: {en: [invoices], de: [Rechnungen]}
    table: invoice
    grain: id
    defaultDate: day
    fields:
      - {name: amount, label: {en: amount, de: Betrag}, unit: CHF, additivity: ADDITIVE}
      - {name: pieces, label: {en: pieces, de: Stück}, additivity: ADDITIVE}
    measures:
      - {name: revenue, label: {en: revenue, de: Umsatz}, aggregate: SUM, expression: amount, unit: CHF}
relations:
  - {fromEntity: Invoice, toEntity: Customer, cardinality: MANY_TO_ONE, via: customer_id}
"""


def make_shop(folder: Path) -> tuple[Path, Path]:
    """The database and its ontology."""
    database, ontology = folder / "shop.sqlite", folder / "shop.yaml"
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(TABLES)
    ontology.write_text(ONTOLOGY, encoding="utf-8")
    return database, ontology


def shop_agent(shop: tuple[Path, Path], home: Path) -> DataAgent:
    """An agent over the shop of the first tenant, with a data folder of its own."""
    settings = Settings.from_env().model_copy(update={"home": home})
    return open_agent(shop[0], ontology=shop[1], scope={"tenant": "t-1"}, settings=settings)
