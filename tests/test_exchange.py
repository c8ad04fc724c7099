"""Models of others come in, ours go out and come back: nothing is lost, and what has no home is told with its place."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from veracity.errors import OntologyError
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.exchange.importing import import_model
from veracity.ontology.exchange.ossie_write import export_ossie
from veracity.ontology.exchange.report import ImportedModel, report_lines
from veracity.ontology.load import load_ontology
from veracity.open import open_agent
from veracity.semantic.ontology_check import check_ontology
from veracity.sources.open import open_source

ROOT = Path(__file__).parents[1]
CASES = Path(__file__).parent / "cases"
SCHEMA = jsonschema.Draft202012Validator(json.loads((CASES / "ossie" / "osi-schema.json").read_text(encoding="utf-8")))
OWN = [
    ROOT / "src/veracity/features/trustee/ontology.yaml",
    *(ROOT / "benchmarks/questions" / f"{name}.yaml" for name in ("chinook", "geoquery", "scholar", "yelp", "car_dealership")),
]  # fmt: skip
STORES = """
CREATE TABLE date_dim (d_date_sk INTEGER, d_date DATE, d_year INTEGER, d_quarter_name VARCHAR, d_month_name VARCHAR);
INSERT INTO date_dim VALUES (1, '2024-01-15', 2024, '2024Q1', 'January'), (2, '2023-11-30', 2023, '2023Q4', 'November');
CREATE TABLE customer (c_customer_sk INTEGER, c_customer_id VARCHAR, c_first_name VARCHAR, c_last_name VARCHAR, c_email_address VARCHAR);
INSERT INTO customer VALUES (1, 'C1', 'Anna', 'Keller', 'a@x.ch'), (2, 'C2', 'Ben', 'Moser', 'b@x.ch');
CREATE TABLE item (i_item_sk INTEGER, i_item_id VARCHAR, i_item_desc VARCHAR, i_brand VARCHAR, i_category VARCHAR, i_current_price DECIMAL(7,2));
INSERT INTO item VALUES (1, 'I1', 'Ski', 'Alpina', 'Sport', 400), (2, 'I2', 'Boot', 'Cima', 'Sport', 200);
CREATE TABLE store (s_store_sk INTEGER, s_store_id VARCHAR, s_store_name VARCHAR, s_city VARCHAR, s_state VARCHAR, s_number_employees INTEGER);
INSERT INTO store VALUES (1, 'S1', 'Main', 'Bern', 'BE', 10), (2, 'S2', 'Lake', 'Thun', 'BE', 5);
CREATE TABLE store_sales (ss_sold_date_sk INTEGER, ss_item_sk INTEGER, ss_customer_sk INTEGER, ss_store_sk INTEGER, ss_ticket_number INTEGER,
  ss_quantity INTEGER, ss_sales_price DECIMAL(7,2), ss_ext_sales_price DECIMAL(9,2), ss_net_profit DECIMAL(9,2));
INSERT INTO store_sales VALUES (1, 1, 1, 1, 100, 2, 400, 800, 100), (1, 2, 1, 2, 101, 1, 200, 200, 20), (2, 2, 2, 1, 102, 3, 200, 600, -50);
"""
FLIGHTS = """
CREATE TABLE RUNWAYS (airport_code VARCHAR, length INTEGER, shape VARCHAR, designator VARCHAR);
INSERT INTO RUNWAYS VALUES ('ZRH', 3300, '', '14'), ('ZRH', 3700, '', '16'), ('GVA', 3900, '', '04');
CREATE TABLE AIRCRAFT (serial_nr VARCHAR, name VARCHAR, nr_seats INTEGER, tail_nr VARCHAR, carrier_code VARCHAR, manufacturer VARCHAR,
  model VARCHAR, year VARCHAR, capacity INTEGER);
INSERT INTO AIRCRAFT VALUES ('1', 'Bern', 150, 'HB1', 'LX', 'Airbus', 'A320', '2015', 1);
CREATE TABLE AIRPORTS (state_code VARCHAR, market_nm VARCHAR, longitude DOUBLE, opened DATE, state_nm VARCHAR, city_nm VARCHAR, name VARCHAR,
  code VARCHAR, latitude DOUBLE);
INSERT INTO AIRPORTS VALUES ('ZH', 'Zurich', 8.5, NULL, 'Zurich', 'Kloten', 'Zurich Airport', 'ZRH', 47.4), ('GE', 'Geneva', 6.1, NULL, 'Geneva', 'Geneva', 'Geneva Airport', 'GVA', 46.2);
CREATE TABLE CARRIERS (code VARCHAR, name VARCHAR);
INSERT INTO CARRIERS VALUES ('LX', 'Swiss'), ('LH', 'Lufthansa');
CREATE TABLE ROUTES (orig_airport_code VARCHAR, dest_airport_code VARCHAR, distance INTEGER, dist_grp INTEGER, id VARCHAR, name VARCHAR);
INSERT INTO ROUTES VALUES ('ZRH', 'GVA', 140, 1, 'ZRH-GVA', 'to Geneva'), ('GVA', 'ZRH', 140, 1, 'GVA-ZRH', 'to Zurich');
CREATE TABLE FLIGHTS (dep_delay INTEGER, air_time INTEGER, nr VARCHAR, carrier_code VARCHAR, duration INTEGER, scheduled_departure TIMESTAMP,
  arr_delay INTEGER, cancelled BOOLEAN, cancel_code VARCHAR, distance INTEGER, id VARCHAR, scheduled_arrival TIMESTAMP, wheels_on TIMESTAMP,
  date DATE, wheels_off TIMESTAMP, scheduled_duration INTEGER, tail_nr VARCHAR, departure TIMESTAMP, route_id VARCHAR, diverted BOOLEAN, arrival TIMESTAMP);
INSERT INTO FLIGHTS (dep_delay, carrier_code, cancelled, id, tail_nr, route_id, diverted) VALUES
  (5, 'LX', false, 'F1', 'HB1', 'ZRH-GVA', false), (15, 'LX', true, 'F2', 'HB1', 'GVA-ZRH', false), (1, 'LH', false, 'F3', 'HB1', 'GVA-ZRH', true);
"""
SHOP = """
CREATE TABLE fct_orders (order_id INTEGER, customer_id INTEGER, location_id INTEGER, ordered_at DATE, order_total DECIMAL(9,2), is_food_order BOOLEAN, status VARCHAR);
INSERT INTO fct_orders VALUES (1, 1, 1, '2024-01-05', 10, true, 'paid'), (2, 1, 1, '2024-02-05', 30, false, 'paid'), (3, 2, 1, '2024-02-07', 25, true, 'open');
CREATE TABLE dim_customers (customer_id INTEGER, customer_name VARCHAR, first_ordered_at DATE);
INSERT INTO dim_customers VALUES (1, 'Anna', '2024-01-05'), (2, 'Ben', '2024-02-07'), (3, 'Cleo', NULL);
CREATE TABLE dim_locations (location_id INTEGER, location_name VARCHAR, valid_from DATE, valid_to DATE);
CREATE TABLE fct_stock (stock_id INTEGER, counted_on DATE, article VARCHAR, pieces INTEGER);
INSERT INTO fct_stock VALUES (1, '2024-01-31', 'ski', 40), (2, '2024-02-29', 'ski', 25), (3, '2024-01-31', 'boot', 12), (4, '2024-02-29', 'boot', 30);
"""


def database(folder: Path, sql: str) -> Path:
    path = folder / "data.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(sql)
    return path


def findings(imported: ImportedModel, path: Path) -> list[str]:
    source = open_source(path)
    try:
        return [f"{one.where}: {one.message}" for one in asyncio.run(check_ontology(imported.ontology, source))]
    finally:
        source.close()


def answers(imported: ImportedModel, path: Path, *questions: str) -> list[str]:
    agent = open_agent(path, ontology=imported.ontology)

    async def asked() -> list[str]:
        return [(await agent.ask(question)).text for question in questions]

    return asyncio.run(asked())


def written(folder: Path, document: Any, name: str = "model.yaml") -> Path:
    path = folder / name
    text = document if isinstance(document, str) else yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
    path.write_text(text, encoding="utf-8")
    return path


def left(imported: ImportedModel) -> dict[str, str]:
    return {f"{part.kind} {part.name}": part.why or "" for part in imported.report.left}


# --- in


def test_a_model_in_the_list_form_comes_in_fits_its_tables_and_answers(tmp_path: Path) -> None:
    imported, path = import_model(CASES / "ossie/tpcds_semantic_model.yaml"), database(tmp_path, STORES)
    assert findings(imported, path) == []
    questions = (
        "total sales",
        "total sales per brand",
        "sales per employee",
        "total profit in 2024",
        "total sales per store",
    )
    sums, brands, productivity, profit, stores = answers(imported, path, *questions)
    assert sums.startswith("Total sales: 1,600.00.")
    assert "Alpina: 800.00" in brands
    assert "106.67" in productivity
    assert "120.00" in profit
    assert "1,400.00" in stores


def test_what_the_list_form_says_beyond_an_ontology_is_told_with_its_line() -> None:
    imported = import_model(CASES / "ossie/tpcds_semantic_model.yaml")
    told = left(imported)
    assert "unique key store (s_store_id)" in told
    assert told["extension of model tpcds_retail_model"].startswith("only ")
    assert "source tpcds.public.store_sales" in told
    (part,) = (one for one in imported.report.left if one.kind == "unique key")
    assert (part.line, part.place) == (416, "semantic_model[0].datasets[4].unique_keys[0]")
    assert any("each part is computed over all rows of its own dataset" in line for line in report_lines(imported))


def test_every_part_of_a_model_is_either_taken_or_told() -> None:
    imported = import_model(CASES / "ossie/tpcds_semantic_model.yaml")
    model = yaml.safe_load((CASES / "ossie/tpcds_semantic_model.yaml").read_text())["semantic_model"][0]
    told = {(part.kind, part.name) for part in (*imported.report.taken, *imported.report.left)}
    for dataset in model["datasets"]:
        assert ("dataset", dataset["name"]) in told
        assert all(("field", f"{dataset['name']}.{field['name']}") in told for field in dataset["fields"])
    assert all(("metric", metric["name"]) in told for metric in model["metrics"])
    assert all(("relationship", one["name"]) in told for one in model["relationships"])


def test_concepts_give_a_model_its_keys_relations_and_segments(tmp_path: Path) -> None:
    imported, path = import_model(CASES / "ossie/flights.yaml"), database(tmp_path, FLIGHTS)
    assert findings(imported, path) == []
    canceled, delay, carriers, destinations = answers(
        imported,
        path,
        "how many canceled flights?",
        "average departure delay",
        "flights per carrier",
        "flights per destination",
    )
    assert "1" in canceled
    assert "7" in delay
    assert "Swiss: 2" in carriers
    assert "Zurich Airport: 2" in destinations
    assert "derived_by of Airport.average_departure_delay" in left(imported)


def test_the_flat_form_says_the_same_as_the_list_form(tmp_path: Path) -> None:
    listed = yaml.safe_load((CASES / "ossie/tpcds_semantic_model.yaml").read_text())
    flat = {"version": "0.2.0.dev0", **listed["semantic_model"][0]}
    assert (
        import_model(written(tmp_path, flat)).ontology
        == import_model(CASES / "ossie/tpcds_semantic_model.yaml").ontology
    )


def test_one_of_several_models_is_named(tmp_path: Path) -> None:
    models = [{"name": name, "datasets": [{"name": name, "source": name}]} for name in ("sales", "stock")]
    path = written(tmp_path, {"version": "0.1.1", "semantic_model": models})
    assert import_model(path, model="stock").ontology.feature_code == "stock"
    with pytest.raises(OntologyError, match="name one with --model: sales, stock"):
        import_model(path)


SALES = {
    "name": "sales",
    "source": "db.public.sales",
    "primary_key": ["id"],
    "fields": [{"name": "id", "expression": "id"}, {"name": "amount", "expression": "amount"}],
}
LEFT = {
    "STDDEV(sales.amount)": "one aggregate or the ratio of two",
    "SUM(sales.amount) - SUM(sales.id)": "one aggregate or the ratio of two",
    "SUM(sales.amount) OVER (ORDER BY sales.id)": "one aggregate or the ratio of two",
    "SUM(DISTINCT sales.amount)": "one aggregate or the ratio of two",
    "APPROX_COUNT_DISTINCT(sales.id)": "one aggregate or the ratio of two",
    "SUM(ROUND(sales.amount, 0))": "made of fields, numbers",
    "AVG(CASE WHEN sales.id > 1 THEN sales.amount ELSE 0 END)": "gives them no other value",
    "SUM(CASE WHEN sales.amount > sales.id THEN 1 END)": "compares fields with values",
    "SUM(sales.amount * stores.size)": "mixes fields of sales and stores",
    "COUNT(*)": "does not say of which dataset",
    "SUM(id)": "several datasets have the field id",
    "SUM(CASE WHEN sales.sold <= '2024-01-31' THEN 1 END)": "may be a moment",
    "SUM(sales.amount": "cannot be parsed",
    "(SUM(sales.amount) / SUM(sales.id)) / COUNT(sales.id)": "one aggregate or the ratio of two",
}


@pytest.mark.parametrize("sql", LEFT)
def test_a_metric_that_no_measure_can_say_is_told_and_not_guessed(tmp_path: Path, sql: str) -> None:
    stores = {
        "name": "stores",
        "source": "stores",
        "fields": [{"name": "id", "expression": "id"}, {"name": "size", "expression": "size"}],
    }
    imported = import_model(
        written(tmp_path, {"name": "m", "datasets": [SALES, stores], "metrics": [{"name": "x", "expression": sql}]})
    )
    assert LEFT[sql] in left(imported)["metric x"]
    assert not any(entity.measures for entity in imported.ontology.entities)


def test_a_dialect_that_is_sql_is_chosen_and_one_that_is_not_is_told(tmp_path: Path) -> None:
    def said(*pairs: tuple[str, str]) -> dict[str, Any]:
        return {"dialects": [{"dialect": dialect, "expression": sql} for dialect, sql in pairs]}

    metrics = [
        {
            "name": "best",
            "expression": said(("MAQL", "SELECT 1"), ("SNOWFLAKE", "SUM(IFF(sales.id > 1, sales.amount, NULL))")),
        },
        {"name": "none", "expression": said(("TABLEAU", "SUM([amount])"), ("DAX", "SUM('sales'[amount])"))},
    ]
    imported = import_model(written(tmp_path, {"name": "m", "datasets": [SALES], "metrics": metrics}))
    (measure,) = imported.ontology.entities[0].measures
    assert (measure.expression, measure.where) == ("amount", "id > 1")
    assert left(imported)["metric none"] == "it is written in TABLEAU and DAX, which is no SQL"


def test_a_computed_field_makes_a_view_and_a_metric_may_be_over_it(tmp_path: Path) -> None:
    fields = [*SALES["fields"], {"name": "net", "expression": "amount / 2"}, {"name": "Half", "expression": "net / 2"}]
    dataset = {**SALES, "fields": fields}
    imported = import_model(
        written(
            tmp_path, {"name": "m", "datasets": [dataset], "metrics": [{"name": "halves", "expression": "SUM(HALF)"}]}
        )
    )
    path = database(
        tmp_path, "CREATE TABLE sales (id INTEGER, amount DECIMAL(9,2)); INSERT INTO sales VALUES (1, 100), (2, 20)"
    )
    assert answers(imported, path, "halves") == ["Halves: 30."]


def test_a_field_that_is_computed_from_a_column_of_its_name_is_not_mixed_up_with_it(tmp_path: Path) -> None:
    fields = [{"name": "amount", "expression": "amount / 100"}, {"name": "fee", "expression": "amount * 2"}]
    metrics = [{"name": "francs", "expression": "SUM(sales.amount)"}]
    imported = import_model(
        written(tmp_path, {"name": "m", "datasets": [{**SALES, "fields": fields}], "metrics": metrics})
    )
    assert "a column, and a field that is computed from it" in left(imported)["field sales.fee"]
    path = database(
        tmp_path, "CREATE TABLE sales (id INTEGER, amount DECIMAL(9,2)); INSERT INTO sales VALUES (1, 100), (2, 20)"
    )
    assert answers(imported, path, "francs") == ["Francs: 1.2."]


def test_sql_of_dbt_is_about_columns_and_its_filters_are_about_dimensions(tmp_path: Path) -> None:
    model = {
        "name": "orders",
        "node_relation": {"alias": "orders"},
        "entities": [{"name": "id", "type": "primary"}],
        "dimensions": [{"name": "amount", "type": "categorical", "expr": "amount / 100"}],
        "measures": [{"name": "cents", "agg": "sum", "expr": "amount"}],
    }
    filtered = {"measure": {"name": "cents", "filter": "{{ Dimension('id__amount') }} > 1"}}
    metrics = [
        {"name": "cents", "type": "simple", "type_params": {"measure": "cents"}},
        {"name": "large", "type": "simple", "type_params": filtered},
    ]
    imported = import_model(written(tmp_path, json.dumps({"semantic_models": [model], "metrics": metrics})))
    path = database(
        tmp_path, "CREATE TABLE orders (id INTEGER, amount INTEGER); INSERT INTO orders VALUES (1, 90), (2, 200)"
    )
    assert answers(imported, path, "cents", "large") == ["Cents: 290.", "Large: 200."]


@pytest.mark.parametrize(
    "template",
    [
        "Dimension('id__day').grain('month')",
        "Dimension('day', entity_path=['id'])",
        "Dimension('other__day')",
        "TimeDimension('metric_time', 'month')",
        "Metric('n', group_by=['id'])",
    ],
)
def test_a_filter_of_dbt_that_says_more_than_a_column_is_told_and_not_shortened(tmp_path: Path, template: str) -> None:
    model = {
        "name": "orders",
        "node_relation": {"alias": "orders"},
        "entities": [{"name": "id", "type": "primary"}],
        "dimensions": [{"name": "day", "type": "time", "type_params": {"time_granularity": "day"}}],
        "measures": [{"name": "n", "agg": "count", "expr": "id"}],
    }
    metric = {
        "name": "some",
        "type": "simple",
        "type_params": {"measure": "n"},
        "filter": f"{{{{ {template} }}}} >= '2024-01-15'",
    }
    imported = import_model(written(tmp_path, json.dumps({"semantic_models": [model], "metrics": [metric]})))
    assert left(imported)["metric some"].startswith("its filter names {{")


def test_a_relation_that_concepts_and_relationships_both_say_is_one(tmp_path: Path) -> None:
    document = yaml.safe_load((CASES / "ossie/flights.yaml").read_text())
    model = document["ontology_mappings"][0]["semantic_model"]
    for dataset in model["datasets"]:
        if dataset["name"] == "CARRIER":
            dataset["primary_key"] = ["code"]
    named = {"name": "by", "from": "FLIGHT", "to": "CARRIER", "from_columns": ["carrier_code"], "to_columns": ["code"]}
    model["relationships"] = [named]
    ends = [(one.from_entity, one.to_entity) for one in import_model(written(tmp_path, document)).ontology.relations]
    assert ends.count(("FLIGHT", "CARRIER")) == 1


def test_a_metric_over_a_column_that_is_no_field_says_so(tmp_path: Path) -> None:
    metrics = [{"name": "tax", "expression": "SUM(sales.tax)"}]
    imported = import_model(written(tmp_path, {"name": "m", "datasets": [SALES], "metrics": metrics}))
    assert "  line 13: metric tax: sales.tax is no field of the file, so it is taken for a column" in report_lines(
        imported
    )


def test_a_key_of_two_columns_is_joined_by_both(tmp_path: Path) -> None:
    line = {"name": "line", "source": "line", "fields": [{"name": "qty", "expression": "qty"}]}
    product = {
        "name": "product",
        "source": "product",
        "primary_key": ["id", "variant"],
        "fields": [{"name": "id", "expression": "id"}],
    }
    between = {
        "name": "of",
        "from": "line",
        "to": "product",
        "from_columns": ["product_id", "variant"],
        "to_columns": ["id", "variant"],
    }
    imported = import_model(written(tmp_path, {"name": "m", "datasets": [line, product], "relationships": [between]}))
    (relation,) = imported.ontology.relations
    assert relation.keys == {"product_id": "id", "variant": "variant"}


def test_dbt_metrics_come_in_and_answer(tmp_path: Path) -> None:
    imported, path = import_model(CASES / "dbt/semantic_manifest.json"), database(tmp_path, SHOP)
    assert [one for one in findings(imported, path) if "Nothing leads to it" not in one] == []
    asked = {
        "order total in February 2024": "55.00",
        "average order value": "21.67",
        "food share": "0.67",
        "large orders": "2",
        "paid total": "10.00",
        "order total per customer": "Anna: 40.00",
        "pieces in stock in January 2024": "52",
        "median total": "25.00",
    }
    for (question, figure), text in zip(asked.items(), answers(imported, path, *asked), strict=True):
        assert figure in text, question


def test_what_dbt_says_beyond_an_ontology_is_told_with_its_path() -> None:
    imported = import_model(CASES / "dbt/semantic_manifest.json")
    told = left(imported)
    for name in ("p90_total", "named_after_customer", "growth", "gap", "running_total", "visit_to_buy", "first_pieces"):
        assert f"metric {name}" in told, name
    assert "foreign entity orders.location" in told
    assert "saved query weekly" in told
    assert any(line.startswith("  metrics[14]: metric growth: ") for line in report_lines(imported))


# --- out and back


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
@pytest.mark.parametrize("lang", ["de", "en"])
def test_our_ontologies_go_out_as_the_schema_wants_them_and_come_back_whole(
    path: Path, lang: str, tmp_path: Path
) -> None:
    ours = load_ontology(path)
    document = export_ossie(ours, lang=lang).document
    SCHEMA.validate(document)
    back = import_model(written(tmp_path, document))
    assert back.ontology == ours
    assert back.report.left == ()


names = st.sampled_from(["id", "Total", "kind", "order", "first name", "größe", "x_1", 'a"b'])
langs = st.sampled_from(["de", "en", "zh"])
words = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=8).filter(str.strip)
texts = st.dictionaries(langs, words, max_size=2)
synonyms = st.dictionaries(langs, st.lists(words, min_size=1, max_size=2, unique=True), max_size=2)
fields = st.lists(
    st.fixed_dictionaries(
        {"name": names, "label": texts, "synonyms": synonyms, "description": texts},
        optional={
            "semanticType": st.sampled_from(["DATE", "PERIOD", "NAME", "CODE"]),
            "unit": words,
            "averages": st.booleans(),
            "categorical": st.booleans(),
            "values": st.dictionaries(words, synonyms, max_size=1),
        },
    ),
    max_size=4,
    unique_by=lambda one: str(one["name"]).casefold(),
)
wheres = st.sampled_from(
    ["kind = 'a'", "Total>3 AND NOT kind LIKE 'x%'", "x_1 IN (1, 2)", "kind IS NULL", "\"first name\" <> 'b'"]
)
formulas = st.one_of(
    st.fixed_dictionaries({"aggregate": st.just("COUNT")}, optional={"where": wheres}),
    st.fixed_dictionaries(
        {
            "aggregate": st.sampled_from(["SUM", "AVG", "MIN", "MAX", "MEDIAN", "COUNT_DISTINCT", "COUNT"]),
            "expression": st.sampled_from(
                ["Total", "Total*x_1", "-(x_1 - 2) / Total", '"first name"', "nonsense((", "-  -x_1"]
            ),
        },
        optional={
            "where": wheres,
            "unit": words,
            "needsPeriod": st.booleans(),
            "date": st.just("id"),
            "confirmed": st.booleans(),
        },
    ),
)


@st.composite
def ontologies(draw: st.DrawFn) -> OntologyDescriptor:
    homes: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
        [{"table": "t"}, {"table": "s.t"}, {"view": "select id, Total from t"}, {}, {"table": "u", "hidden": True}]
    )
    count = draw(st.integers(1, 4))
    entities: list[dict[str, Any]] = []
    measures: list[str] = []
    for number in range(count):
        entity: dict[str, Any] = {
            "name": f"{draw(st.sampled_from(['Thing', 'order', 'two words']))} {number}",
            **({"table": "t"} if number == 0 else draw(homes)),
            "label": draw(texts), "synonyms": draw(synonyms), "description": draw(texts), "fields": draw(fields),
            "grain": draw(st.lists(names, max_size=2, unique=True)), "display": draw(st.lists(names, max_size=1)),
        }  # fmt: skip
        entity["measures"] = [
            {"name": f"m{number}{at}", "label": draw(texts), "synonyms": draw(synonyms), **draw(formulas)}
            for at in range(draw(st.integers(0, 2)))
        ]
        measures += [one["name"] for one in entity["measures"]]
        if len(measures) > 1 and draw(st.booleans()):
            entity["measures"].append(
                {"name": f"r{number}", "ratio": [draw(st.sampled_from(measures)), draw(st.sampled_from(measures))]}
            )
        entity["segments"] = (
            [{"name": f"s{number}", "where": draw(wheres), "label": draw(texts)}] if draw(st.booleans()) else []
        )
        entities.append(entity)
    return OntologyDescriptor.model_validate(
        {
            "featureCode": draw(words),
            "description": draw(texts),
            "entities": entities,
            "relations": list(draw(relations(entities))),
        }
    )


@st.composite
def relations(draw: st.DrawFn, entities: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    named = st.sampled_from([entity["name"] for entity in entities])
    keys = st.dictionaries(names, names, min_size=1, max_size=2)
    joins = st.one_of(
        st.fixed_dictionaries({"via": names}),
        st.fixed_dictionaries({"keys": keys}),
        st.fixed_dictionaries({"through": st.fixed_dictionaries({"entity": named, "fromKeys": keys, "toKeys": keys})}),
        st.just({}),
    )
    words_about = st.fixed_dictionaries(
        {}, optional={"name": words, "label": texts, "verbs": synonyms, "place": st.booleans()}
    )
    kinds = st.sampled_from(["MANY_TO_ONE", "ONE_TO_ONE", "ONE_TO_MANY", "MANY_TO_MANY"])
    found = draw(st.lists(st.tuples(named, named, kinds, joins, words_about), max_size=3))
    return iter(
        [
            {"fromEntity": one, "toEntity": other, "cardinality": kind, **join, **about}
            for one, other, kind, join, about in found
        ]
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(ours=ontologies(), lang=langs)
def test_any_ontology_comes_back_whole(tmp_path: Path, ours: OntologyDescriptor, lang: str) -> None:
    document = export_ossie(ours, lang=lang).document
    SCHEMA.validate(document)
    assert import_model(written(tmp_path, document)).ontology == ours


def test_what_others_changed_in_our_export_counts(tmp_path: Path) -> None:
    ours = load_ontology(OWN[1])
    document = export_ossie(ours).document
    model = document["semantic_model"][0]
    revenue = next(one for one in model["metrics"] if one["name"] == "revenue")
    revenue["expression"]["dialects"][0]["expression"] = "SUM(InvoiceLine.UnitPrice)"
    track = next(one for one in model["datasets"] if one["name"] == "Track")
    track["fields"][1]["label"] = "running time"
    back = import_model(written(tmp_path, document)).ontology
    line, changed = back.entity("InvoiceLine"), back.entity("Track")
    assert line is not None
    assert changed is not None
    measure = next(one for one in line.measures if one.name == "revenue")
    assert (measure.expression, measure.unit, measure.label["de"]) == ("UnitPrice", "USD", "Umsatz")
    length = changed.fields[1]
    assert (length.label, length.unit) == ({"en": "running time", "de": "Dauer"}, "ms")


def test_a_measure_that_others_would_add_up_wrongly_is_only_in_the_extensions(tmp_path: Path) -> None:
    exported = export_ossie(load_ontology(OWN[0]))
    names = [one["name"] for one in exported.document["semantic_model"][0]["metrics"]]
    assert "customerBase" in names
    assert not {"balance", "openingBalance", "income"} & set(names)
    assert any(
        line.startswith("measure balance, measure openingBalance: it is only right where")
        for line in exported.only_ours
    )
    back = import_model(written(tmp_path, exported.document)).ontology
    assert "balance" in {one.name for entity in back.entities for one in entity.measures}


def test_a_guess_that_nobody_confirmed_does_not_go_out_as_a_fact(tmp_path: Path) -> None:
    thing = {"table": "t", "grain": ["id"], "measures": [{"name": "n", "aggregate": "COUNT", "confirmed": False}]}
    tie = {"fromEntity": "A", "toEntity": "B", "cardinality": "MANY_TO_ONE", "via": "b", "confirmed": False}
    ours = OntologyDescriptor.model_validate(
        {
            "featureCode": "x",
            "entities": [{"name": "A", **thing}, {"name": "B", "table": "b", "grain": ["id"]}],
            "relations": [tie],
        }
    )
    exported = export_ossie(ours)
    model = exported.document["semantic_model"][0]
    assert "metrics" not in model
    assert "relationships" not in model
    assert import_model(written(tmp_path, exported.document)).ontology == ours


def test_an_ontology_without_tables_cannot_go_out() -> None:
    with pytest.raises(OntologyError, match="no entity with a table or view"):
        export_ossie(OntologyDescriptor.model_validate({"featureCode": "x", "entities": [{"name": "Idea"}]}))
