"""YAML ontologies: what loads, and where exactly a broken one is broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from veracity.errors import OntologyError
from veracity.features.trustee import trustee_ontology
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.entities import NumberRange
from veracity.ontology.load import load_ontology

GOOD = """featureCode: shop
entities:
  - name: orders
    table: orders
    grain: id
    fields:
      - {name: total, additivity: additive}
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_yaml_loads_into_the_same_models_as_python(tmp_path: Path) -> None:
    path = written(tmp_path, yaml.safe_dump(json.loads(trustee_ontology().model_dump_json()), allow_unicode=True))
    assert load_ontology(path) == trustee_ontology()


def test_short_forms_are_understood(tmp_path: Path) -> None:
    ontology = load_ontology(written(tmp_path, GOOD))
    assert ontology.entities[0].grain == ("id",)
    assert ontology.entities[0].fields[0].additivity == "ADDITIVE"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("featureCode: [", "line 1: not valid YAML"),
        ("a: b: c", "line 1: not valid YAML"),
        ("- 1\n- 2", "needs featureCode and entities"),
        ("", "needs featureCode and entities"),
        ("just text", "needs featureCode and entities"),
        ("featureCode: x\nentities: []", "line 2: entities"),
        (GOOD + "entitys: []\n", "entitys: there is no such key; did you mean entities"),
        (GOOD.replace("additive}", "sometimes}"), "line 7: entities.0.fields.0.additivity: input should be 'ADDITIVE'"),
        (GOOD + "  - name: orders\n    table: x\n", "the entity orders is declared twice"),
        (
            GOOD + "  - {name: both, table: x, view: SELECT 1}\n",
            "line 8: entities.1: entity both has both a table and a view",
        ),
        (
            GOOD + "relations: [{fromEntity: orders, toEntity: nope, cardinality: ONE_TO_ONE}]\n",
            "names the entity nope",
        ),
        (
            GOOD + "constraints: [{appliesTo: total, rule: SEMI_ADDITIVE, message: x}]\n",
            "line 8: constraints.0: a SEMI_ADDITIVE constraint needs `fields`",
        ),
        (
            GOOD + "constraints: [{appliesTo: total, rule: WRONG_TABLE_FOR, use: gone, message: x}]\n",
            "names the entity gone",
        ),
        (GOOD + "  - {name: a, parentEntity: b}\n  - {name: b, parentEntity: a}\n", "its own ancestor"),
        ("a: " + "[" * 5000, "nested too deeply"),
        ("x: \x07", "not valid YAML"),
        ("!!python/object/apply:os.system ['true']", "not valid YAML"),
    ],
)
def test_broken_file_is_located_in_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(OntologyError) as caught:
        load_ontology(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_unreadable_files_are_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes("x: ä".encode("latin-1"))
    for path, words in (
        (tmp_path / "none.yaml", "no such file"),
        (tmp_path, "directory"),
        (tmp_path / "latin.yaml", "UTF-8"),
    ):
        with pytest.raises(OntologyError, match=words):
            load_ontology(path)


@settings(deadline=None)
@given(st.integers(0, 9999), st.integers(0, 9999))
def test_like_patterns_match_exactly_the_range(first: int, last: int) -> None:
    start, end = f"{min(first, last):04}", f"{max(first, last):04}"
    prefixes = [pattern.rstrip("%") for pattern in NumberRange(field="n", start=start, end=end).like]
    matched = [range(int(prefix.ljust(4, "0")), int(prefix.ljust(4, "9")) + 1) for prefix in prefixes]
    assert set().union(*matched) == set(range(int(start), int(end) + 1))


@pytest.mark.parametrize(("start", "end"), [("20", "1000"), ("30", "20"), ("a", "b")])
def test_a_range_needs_two_numbers_in_order(start: str, end: str) -> None:
    with pytest.raises(ValidationError):
        NumberRange(field="n", start=start, end=end)


@pytest.mark.parametrize(
    ("place", "covered"),
    [
        ("orders.total", [("orders", "total")]),
        ("orders.*", [("orders", "total"), ("orders", "openTotal")]),
        ("*Total", [("orders", "openTotal"), ("bills", "openTotal")]),
        ("*.total", [("orders", "total"), ("bills", "total")]),
        ("bills", [("bills", "total"), ("bills", "openTotal")]),
    ],
)
def test_a_constraint_covers_what_its_pattern_says(place: str, covered: list[tuple[str, str]]) -> None:
    raw: dict[str, Any] = {
        "featureCode": "x",
        "entities": [{"name": "orders"}, {"name": "bills"}],
        "constraints": [{"appliesTo": place, "rule": "NEVER_AGGREGATE", "message": "no"}],
    }
    (constraint,) = OntologyDescriptor.model_validate(raw).constraints
    pairs = [(entity, field) for entity in ("orders", "bills") for field in ("total", "openTotal")]
    assert [pair for pair in pairs if constraint.covers(*pair)] == covered


SEMANTIC = """featureCode: shop
entities:
  - name: orders
    table: orders
    defaultDate: day
    measures:
      - name: revenue
        aggregate: SUM
        expression: total
      - name: margin
        ratio: [revenue, orderCount]
      - name: orderCount
        aggregate: COUNT
    segments:
      - name: open
        where: status = 'open'
relations:
  - fromEntity: orders
    toEntity: orders
    cardinality: MANY_TO_ONE
    keys: {parent: id}
"""


def test_measures_segments_and_relations_load(tmp_path: Path) -> None:
    ontology = load_ontology(written(tmp_path, SEMANTIC))
    assert [measure.formula for measure in ontology.entities[0].measures] == [
        "SUM(total)", "revenue / orderCount", "COUNT(*)",
    ]  # fmt: skip
    assert ontology.relations[0].joins == "parent = id"


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("ratio: [revenue, orderCount]", "ratio: [revenue, orders]", "line 11: the measure margin names the measure orders"),
        ("name: orderCount", "name: revenue", "line 12: the measure revenue is declared twice"),
        ("aggregate: COUNT", "ratio: [revenue, margin]", "divides by ratios"),
        ("aggregate: SUM", "aggregate: TOTAL", "line 8: entities.0.measures.0.aggregate"),
        ("        expression: total\n", "", "line 7: entities.0.measures.0: the measure revenue needs an `expression`"),
        ("where: status = 'open'", "were: x", "line 15: entities.0.segments.0"),
        ("defaultDate: day", "defaultDate: shops.day", "line 5: defaultDate of orders names the entity shops"),
        ("toEntity: orders", "toEntity: order", "line 19: relation orders -> order names the entity order"),
        ("keys: {parent: id}", "keys: {parent: id}\n    via: parent", "line 18: relations.0: the relation orders -> orders takes one of"),
        ("keys: {parent: id}", "through: {entity: links, fromKeys: {a: id}, toKeys: {b: id}}", "line 21: relation orders -> orders names the entity links"),
        ("keys: {parent: id}", "through: {entity: orders, fromKeys: {}, toKeys: {b: id}}", "line 21: relations.0.through.fromKeys"),
        ("table: orders", "table: orders\n    dateParts: {month: m}", "line 5: entities.0.dateParts.year: field required"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_measures_segments_and_relations_has_its_line(
    tmp_path: Path, right: str, wrong: str, words: str
) -> None:
    path = written(tmp_path, SEMANTIC.replace(right, wrong, 1))
    with pytest.raises(OntologyError) as error:
        load_ontology(path)
    assert words in str(error.value)
