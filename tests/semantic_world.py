"""A small world for tests of semantic queries in words: states, cities, customers, invoices, accounts."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from veracity.ontology.descriptor import OntologyDescriptor
from veracity.query.catalog import build_catalog
from veracity.semantic.graph import SemanticModel
from veracity.sources.open import open_source

TABLES = """
CREATE TABLE state (id INTEGER PRIMARY KEY, name TEXT, area REAL, population INTEGER, capital_id INTEGER, founded INTEGER);
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, state_id INTEGER, population INTEGER, altitude REAL);
CREATE TABLE border (a INTEGER, b INTEGER);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT, active BOOLEAN, rep_id INTEGER, deputy_id INTEGER);
CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT, boss_id INTEGER);
CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer_id INTEGER, day DATE, due DATE, amount NUMERIC(10,2), currency TEXT);
CREATE TABLE account (number TEXT PRIMARY KEY, label TEXT, balance NUMERIC(12,2));
"""


def _label(en: str, de: str, zh: str) -> dict[str, str]:
    return {"en": en, "de": de, "zh": zh}


STATE: dict[str, Any] = {
    "name": "State", "table": "state", "grain": "id", "display": "name", "label": _label("State", "Staat", "州"),
    "synonyms": {"en": ["states"]},
    "fields": [
        {"name": "name", "label": _label("name", "Name", "名称"), "semanticType": "NAME"},
        {"name": "area", "label": _label("area", "Fläche", "面积"), "unit": "km²"},
        {"name": "population", "label": _label("population", "Bevölkerung", "人口"), "additivity": "ADDITIVE"},
        {"name": "founded", "label": _label("founding year", "Gründungsjahr", "建立年份"), "semanticType": "PERIOD"},
    ],
}  # fmt: skip
CITY: dict[str, Any] = {
    "name": "City", "table": "city", "grain": "id", "display": "name", "label": _label("city", "Stadt", "城市"),
    "synonyms": {"en": ["cities"]},
    "fields": [
        {"name": "name", "label": _label("name", "Name", "名称"), "semanticType": "NAME"},
        {"name": "population", "label": _label("population", "Bevölkerung", "人口"), "additivity": "ADDITIVE"},
    ],
}  # fmt: skip
CUSTOMER: dict[str, Any] = {
    "name": "Customer", "table": "customers", "grain": "id", "display": "name",
    "label": _label("Customer", "Kunden", "客户"),
    "fields": [
        {"name": "name", "label": _label("name", "Name", "名称"), "semanticType": "NAME"},
        {"name": "country", "label": _label("country", "Land", "国家")},
    ],
    "segments": [{"name": "active", "label": _label("active customers", "aktive Kunden", "活跃客户"), "where": "active"}],
}  # fmt: skip
INVOICE: dict[str, Any] = {
    "name": "Invoice", "table": "invoices", "grain": "id", "defaultDate": "day",
    "label": _label("Invoice", "Rechnungen", "发票"),
    "fields": [
        {"name": "amount", "label": _label("amount", "Betrag", "金额"), "additivity": "ADDITIVE", "unitField": "currency"},
        {"name": "day", "label": _label("date", "Datum", "日期")},
        {"name": "due", "label": _label("due date", "Fälligkeit", "到期日")},
    ],
    "measures": [
        {"name": "revenue", "label": _label("Revenue", "Umsatz", "收入"), "aggregate": "SUM", "expression": "amount"},
        {"name": "averageAmount", "label": _label("average amount", "Durchschnitt Betrag", "金额平均值"), "aggregate": "AVG", "expression": "amount"},
        {"name": "invoiceCount", "label": _label("invoices sent", "Rechnungen versandt", "已发发票"), "aggregate": "COUNT"},
    ],
}  # fmt: skip
ONTOLOGY: dict[str, Any] = {
    "featureCode": "world",
    "locale": "de-CH",
    "entities": [
        STATE, CITY, CUSTOMER, INVOICE,
        {"name": "Border", "table": "border"},
        {"name": "Employee", "table": "employees", "grain": "id", "display": "name"},
        {"name": "Account", "table": "account", "grain": "number", "display": "label", "label": _label("account", "Konto", "账户"),
         "fields": [{"name": "number", "semanticType": "CODE"}]},
    ],
    "relations": [
        {"fromEntity": "City", "toEntity": "State", "cardinality": "MANY_TO_ONE", "keys": {"state_id": "id"}},
        {"name": "capital", "fromEntity": "State", "toEntity": "City", "cardinality": "ONE_TO_ONE", "keys": {"capital_id": "id"},
         "label": _label("capital", "Hauptstadt", "首府")},
        {"name": "borders", "fromEntity": "State", "toEntity": "State", "cardinality": "MANY_TO_MANY",
         "through": {"entity": "Border", "fromKeys": {"a": "id"}, "toKeys": {"b": "id"}},
         "verbs": {"en": ["border"], "de": ["grenzt an"], "zh": ["接壤"]}},
        {"fromEntity": "Invoice", "toEntity": "Customer", "cardinality": "MANY_TO_ONE", "keys": {"customer_id": "id"},
         "inverseVerbs": {"en": ["received"]}},
        {"name": "rep", "fromEntity": "Customer", "toEntity": "Employee", "cardinality": "MANY_TO_ONE", "keys": {"rep_id": "id"},
         "label": _label("support rep", "Betreuung", "客户经理")},
        {"name": "deputy", "fromEntity": "Customer", "toEntity": "Employee", "cardinality": "MANY_TO_ONE", "keys": {"deputy_id": "id"}},
        {"name": "boss", "fromEntity": "Employee", "toEntity": "Employee", "cardinality": "MANY_TO_ONE", "keys": {"boss_id": "id"}},
    ],
}  # fmt: skip


def world_model(folder: Path) -> SemanticModel:
    """The model of the world, over an empty database."""
    path = folder / "world.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(TABLES)
    connection.close()
    source = open_source(path)
    try:
        catalog = build_catalog(source, ontology=OntologyDescriptor.model_validate(ONTOLOGY))
    finally:
        source.close()
    assert catalog.missing == ()
    return SemanticModel(catalog)
