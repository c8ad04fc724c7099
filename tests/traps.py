"""A small shop in which every classic trap is laid, with its ontology and the right figures; both kinds of tools walk through it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from veracity.ontology.descriptor import OntologyDescriptor

DATA = """
    CREATE TABLE customer (id INTEGER, name VARCHAR, region VARCHAR);
    CREATE TABLE sale (id INTEGER, customer_id INTEGER, currency VARCHAR, total DECIMAL(18,2), sold_on DATE);
    CREATE TABLE line (id INTEGER, sale_id INTEGER, product VARCHAR, pieces INTEGER, price DECIMAL(18,2));
    CREATE TABLE payment (id INTEGER, sale_id INTEGER, amount DECIMAL(18,2));
    CREATE TABLE stock (product VARCHAR, year INTEGER, month INTEGER, pieces INTEGER);
    INSERT INTO customer VALUES (1, 'Alpina AG', 'Nord'), (2, 'Bergbau AG', 'Nord'), (3, 'Cité SA', 'West');
    INSERT INTO sale VALUES (1, 1, 'CHF', 100.00, '2025-01-15'), (2, 1, 'CHF', 50.00, '2025-02-15'), (3, 2, 'EUR', 70.00, '2025-02-20'),
        (4, 3, 'CHF', 30.00, '2024-12-31');
    INSERT INTO line VALUES (1, 1, 'ski', 1, 60.00), (2, 1, 'boot', 2, 20.00), (3, 2, 'ski', 1, 50.00), (4, 3, 'boot', 2, 35.00), (5, 4, 'pole', 3, 10.00);
    INSERT INTO payment VALUES (1, 1, 40.00), (2, 1, 60.00), (3, 2, 50.00), (4, 3, 70.00);
    INSERT INTO stock VALUES ('ski', 2025, 0, 25), ('ski', 2025, 1, 20), ('ski', 2025, 2, 25), ('boot', 2025, 0, 30), ('boot', 2025, 1, 35), ('boot', 2025, 2, 30);
"""
ONTOLOGY = OntologyDescriptor.model_validate(
    {
        "featureCode": "traps",
        "entities": [
            {
                "name": "customer",
                "table": "customer",
                "grain": "id",
                "fields": [
                    {"name": "id", "semanticType": "IDENTIFIER"},
                    {"name": "name", "semanticType": "NAME"},
                    {"name": "region", "semanticType": "CATEGORY", "categorical": True},
                ],
            },
            {
                "name": "sale",
                "table": "sale",
                "grain": "id",
                "fields": [
                    {"name": "id", "semanticType": "IDENTIFIER"},
                    {"name": "customer_id", "semanticType": "IDENTIFIER"},
                    {"name": "currency", "semanticType": "CURRENCY", "categorical": True},
                    {"name": "total", "semanticType": "AMOUNT", "additivity": "ADDITIVE", "unitField": "currency"},
                    {"name": "sold_on", "semanticType": "DATE"},
                ],
            },
            {
                "name": "line",
                "table": "line",
                "grain": "id",
                "fields": [
                    {"name": "id", "semanticType": "IDENTIFIER"},
                    {"name": "sale_id", "semanticType": "IDENTIFIER"},
                    {"name": "product", "semanticType": "CATEGORY", "categorical": True},
                    {"name": "pieces", "semanticType": "QUANTITY", "additivity": "ADDITIVE", "unit": "pcs"},
                    {"name": "price", "semanticType": "AMOUNT", "additivity": "NON_ADDITIVE"},
                ],
            },
            {
                "name": "payment",
                "table": "payment",
                "grain": "id",
                "fields": [
                    {"name": "id", "semanticType": "IDENTIFIER"},
                    {"name": "sale_id", "semanticType": "IDENTIFIER"},
                    {"name": "amount", "semanticType": "AMOUNT", "additivity": "ADDITIVE"},
                ],
            },
            {
                "name": "stock",
                "table": "stock",
                "semanticType": "BALANCE_SNAPSHOT",
                "grain": "product, year, month",
                "fields": [
                    {"name": "product", "semanticType": "CATEGORY", "categorical": True},
                    {"name": "year", "semanticType": "PERIOD"},
                    {"name": "month", "semanticType": "PERIOD"},
                    {"name": "pieces", "semanticType": "QUANTITY", "additivity": "SEMI_ADDITIVE", "over": "year, month", "unit": "pcs"},
                ],
            },
            {
                "name": "sold",
                "view": "SELECT l.id AS line, l.product, l.pieces, s.id AS sale, s.total, s.currency, s.sold_on FROM line l JOIN sale s ON s.id = l.sale_id",
                "grain": "line",
                "fields": [
                    {"name": "pieces", "additivity": "ADDITIVE", "unit": "pcs"},
                    {"name": "total", "additivity": "ADDITIVE", "unitField": "currency"},
                    {"name": "currency", "semanticType": "CURRENCY", "categorical": True},
                    {"name": "product", "semanticType": "CATEGORY", "categorical": True},
                ],
            },
            {
                "name": "paid",
                "view": "SELECT l.id AS line, p.id AS payment, l.pieces, p.amount FROM line l JOIN payment p ON p.sale_id = l.sale_id",
                "grain": "line, payment",
                "fields": [{"name": "pieces", "additivity": "ADDITIVE"}, {"name": "amount", "additivity": "ADDITIVE"}],
            },
        ],
        "relations": [
            {"fromEntity": "sale", "toEntity": "customer", "cardinality": "MANY_TO_ONE", "via": "customer_id"},
            {"fromEntity": "line", "toEntity": "sale", "cardinality": "MANY_TO_ONE", "via": "sale_id"},
            {"fromEntity": "payment", "toEntity": "sale", "cardinality": "MANY_TO_ONE", "via": "sale_id"},
        ],
    }
)  # fmt: skip


def build(path: Path) -> Path:
    with duckdb.connect(str(path)) as connection:
        connection.execute(DATA)
    return path


def where(**equals: Any) -> list[dict[str, Any]]:
    return [{"field": field, "op": "=", "value": value} for field, value in equals.items()]
