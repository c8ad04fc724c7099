"""A small shop on every engine, with an ontology that says all that a semantic query can use."""

from __future__ import annotations

from typing import Any

TABLES: dict[str, str] = {
    "sem_country": 'CREATE TABLE "sem_country" ("code" VARCHAR(2) PRIMARY KEY, "name" VARCHAR(20))',
    "sem_customer": 'CREATE TABLE "sem_customer" ("id" INTEGER PRIMARY KEY, "name" VARCHAR(20), "country" VARCHAR(2), "boss" INTEGER, "since" DATE, "active" BOOLEAN)',
    "sem_invoice": 'CREATE TABLE "sem_invoice" ("id" INTEGER PRIMARY KEY, "customer" INTEGER, "seller" INTEGER, "day" DATE, "stamp" TIMESTAMP, "unix" BIGINT, "written" VARCHAR(20), "total" DECIMAL(18,2), "currency" VARCHAR(3), "seconds" INTEGER)',
    "sem_line": 'CREATE TABLE "sem_line" ("invoice" INTEGER, "nr" INTEGER, "product" INTEGER, "qty" INTEGER, "price" DECIMAL(10,2))',
    "sem_product": 'CREATE TABLE "sem_product" ("id" INTEGER PRIMARY KEY, "name" VARCHAR(20), "price" DECIMAL(10,2), "year" INTEGER)',
    "sem_tag": 'CREATE TABLE "sem_tag" ("product" INTEGER, "topic" INTEGER)',
    "sem_topic": 'CREATE TABLE "sem_topic" ("id" INTEGER PRIMARY KEY, "name" VARCHAR(20))',
    "sem_balance": 'CREATE TABLE "sem_balance" ("account" VARCHAR(4), "year" INTEGER, "month" INTEGER, "closing" DECIMAL(18,2), "turnover" DECIMAL(18,2))',
    "sem_stock": 'CREATE TABLE "sem_stock" ("product" INTEGER, "day" DATE, "pieces" INTEGER)',
    "sem_rain": 'CREATE TABLE "sem_rain" ("year" INTEGER, "month" VARCHAR(10), "millimetres" INTEGER)',
    "sem_fee": 'CREATE TABLE "sem_fee" ("id" INTEGER PRIMARY KEY, "amount" DECIMAL(10,2), "currency" VARCHAR(3), "level" DECIMAL(10,2), "part" INTEGER)',
}
_DAYS = {1: 1705312800, 2: 1708041540, 3: 1708387200, 4: 1704024000, 5: None}
ROWS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "sem_country": (("DE", "Germany"), ("CH", "Switzerland"), ("US", "USA")),
    "sem_customer": (
        (1, "Ann", "DE", None, "2020-01-01", True),
        (2, "Bob", "DE", 1, "2021-05-01", True),
        (3, "Cid", "CH", 1, "2021-06-01", False),
        (4, "Dan", None, 2, None, None),
    ),
    "sem_invoice": (
        (1, 1, 2, "2024-01-15", "2024-01-15 10:00:00", _DAYS[1], "2024-01-15", "10.10", "CHF", 90),
        (2, 1, 3, "2024-02-15", "2024-02-15 23:59:00", _DAYS[2], "2024-02-15", "20.20", "CHF", 30),
        (3, 2, 3, "2024-02-20", "2024-02-20 00:00:00", _DAYS[3], "2024-02-20", "0.10", "EUR", 60),
        (4, 3, 1, "2023-12-31", "2023-12-31 12:00:00", _DAYS[4], "2023-12-31", "0.20", "CHF", None),
        (5, None, None, "2024-03-01", None, _DAYS[5], None, None, "CHF", 120),
    ),
    "sem_line": (
        (1, 1, 1, 2, "1.10"),
        (1, 2, 2, 1, "2.20"),
        (2, 1, 1, 3, "0.10"),
        (3, 1, 2, 1, "5.00"),
        (4, 1, 3, 2, "7.00"),
    ),
    "sem_product": (
        (1, "Apple", "1.10", 2020),
        (2, "Pear", "2.20", 2021),
        (3, "Nut", "2.20", 2021),
        (4, "Fig", None, 2022),
    ),
    "sem_tag": ((1, 1), (1, 1), (1, 2), (2, 1), (3, 2)),
    "sem_topic": ((1, "fruit"), (2, "food"), (3, "none")),
    "sem_balance": (
        ("1020", 2024, 0, "30.00", "30.00"),
        ("1020", 2024, 1, "10.00", "10.00"),
        ("1020", 2024, 2, "30.00", "20.00"),
        ("1030", 2024, 0, "5.50", "5.50"),
        ("1030", 2024, 1, "5.50", "5.50"),
        ("1030", 2024, 2, "5.50", "0.00"),
        ("1020", 2025, 0, "31.00", "1.00"),
        ("1020", 2025, 1, "31.00", "1.00"),
    ),
    "sem_stock": (
        (1, "2024-01-31", 5),
        (2, "2024-01-31", 7),
        (1, "2024-02-29", 4),
        (2, "2024-02-29", 1),
        (1, "2024-03-15", 9),
    ),
    "sem_fee": ((1, "1.50", "CHF", "3.00", 0), (2, "2.50", "CHF", "4.00", 1), (3, "9.00", "EUR", "5.00", 2)),
    "sem_rain": ((2024, "January", 40), (2024, "März", 50), (2024, "Oct", 7), (2025, "January", 3)),
}


def _relation(start: str, end: str, keys: dict[str, str], name: str | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {"fromEntity": start, "toEntity": end, "cardinality": "MANY_TO_ONE", "keys": keys}
    return found | ({"name": name} if name else {})


ONTOLOGY: dict[str, Any] = {
    "featureCode": "shop",
    "entities": [
        {"name": "Country", "table": "sem_country", "grain": "code", "display": "name"},
        {
            "name": "Customer",
            "table": "sem_customer",
            "grain": "id",
            "display": "name",
            "defaultDate": "since",
            "segments": [{"name": "active", "where": "active"}, {"name": "german", "where": "country = 'DE'"}],
        },
        {
            "name": "Invoice",
            "table": "sem_invoice",
            "grain": "id",
            "defaultDate": "day",
            "fields": [
                {"name": "total", "additivity": "ADDITIVE"},
                {"name": "seconds", "additivity": "ADDITIVE", "unit": "s"},
                {"name": "written", "semanticType": "DATE"},
            ],
            "measures": [
                {"name": "revenue", "aggregate": "SUM", "expression": "total"},
                {"name": "large", "aggregate": "COUNT", "where": "total > 5 AND currency IN ('CHF', 'USD')"},
                {"name": "meanTotal", "aggregate": "AVG", "expression": "total"},
                {"name": "largeShare", "ratio": ["large", "revenue"]},
            ],
        },
        {
            "name": "Line",
            "table": "sem_line",
            "grain": ["invoice", "nr"],
            "fields": [{"name": "qty", "additivity": "ADDITIVE"}],
            "measures": [{"name": "volume", "aggregate": "SUM", "expression": "qty * price", "date": "Invoice.day"}],
        },
        {
            "name": "Product",
            "table": "sem_product",
            "grain": "id",
            "display": "name",
            "fields": [{"name": "price", "averages": True}, {"name": "year", "semanticType": "PERIOD"}],
        },
        {"name": "Tag", "table": "sem_tag"},
        {"name": "Topic", "table": "sem_topic", "grain": "id", "display": "name"},
        {
            "name": "Balance",
            "table": "sem_balance",
            "grain": ["account", "year", "month"],
            "dateParts": {"year": "year", "month": "month", "whole": 0},
            "fields": [
                {"name": "closing", "additivity": "SEMI_ADDITIVE", "over": ["year", "month"]},
                {"name": "turnover", "additivity": "ADDITIVE"},
            ],
        },
        {
            "name": "Fee",
            "table": "sem_fee",
            "grain": "id",
            "fields": [
                {"name": "amount", "additivity": "ADDITIVE", "unitField": "currency"},
                {"name": "level", "additivity": "ADDITIVE"},
            ],
        },
        {
            "name": "Stock",
            "table": "sem_stock",
            "grain": ["product", "day"],
            "defaultDate": "day",
            "fields": [{"name": "pieces", "additivity": "SEMI_ADDITIVE", "over": ["day"]}],
        },
        {
            "name": "Rain",
            "table": "sem_rain",
            "grain": ["year", "month"],
            "dateParts": {"year": "year", "month": "month"},
            "fields": [{"name": "millimetres", "additivity": "ADDITIVE"}],
        },
    ],
    "relations": [
        _relation("Customer", "Country", {"country": "code"}),
        _relation("Customer", "Customer", {"boss": "id"}, "boss"),
        _relation("Invoice", "Customer", {"customer": "id"}, "buyer"),
        _relation("Invoice", "Customer", {"seller": "id"}, "seller"),
        _relation("Line", "Invoice", {"invoice": "id"}),
        _relation("Line", "Product", {"product": "id"}),
        _relation("Stock", "Product", {"product": "id"}),
        {
            "name": "topics",
            "fromEntity": "Product",
            "toEntity": "Topic",
            "cardinality": "MANY_TO_MANY",
            "through": {"entity": "Tag", "fromKeys": {"product": "id"}, "toKeys": {"topic": "id"}},
        },
    ],
    "constraints": [
        {
            "appliesTo": "Invoice.unix",
            "rule": "TYPE_MISMATCH_GUARD",
            "expects": "UNIX_SECONDS",
            "message": {"en": "Unix seconds"},
        },
        {"appliesTo": "Fee.level", "rule": "NEVER_AGGREGATE", "message": {"en": "Levels do not add up."}},
        {
            "appliesTo": "Fee",
            "rule": "REQUIRES_FILTER_ON",
            "fields": "part",
            "apart": {"part": 0},
            "message": {"en": "Part 0 is the sum of the others."},
        },
    ],
}
