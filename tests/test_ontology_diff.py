"""`ontology diff`: what was added, removed and changed, and whether answers may change because of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from veracity.cli.ontology import app
from veracity.errors import OntologyError
from veracity.features.trustee import trustee_ontology
from veracity.ontology.diff import Effect, compared
from veracity.ontology.load import load_ontology

SHOP = """\
featureCode: shop
entities:
  - name: Order
    label: order
    description: What was ordered
    table: orders
    grain: id
    fields: [{name: total, additivity: ADDITIVE}, {name: status}]
    measures: [{name: revenue, aggregate: SUM, expression: total}]
    segments: [{name: open, where: status = 'open'}]
  - {name: Customer, table: customers, grain: id}
relations: [{fromEntity: Order, toEntity: Customer, cardinality: MANY_TO_ONE, via: customer_id}]
constraints: [{appliesTo: Order.total, rule: NEVER_AGGREGATE, message: Never}]
questions: {en: [How many orders?]}
"""


def diff(tmp_path: Path, *pairs: tuple[str, str], more: tuple[str, ...] = ()) -> Result:
    one, other = tmp_path / "a.yaml", tmp_path / "b.yaml"
    text = SHOP
    for right, wrong in pairs:
        assert right in text
        text = text.replace(right, wrong)
    one.write_text(SHOP, encoding="utf-8")
    other.write_text(text, encoding="utf-8")
    return CliRunner().invoke(app, ["diff", str(one), str(other), *more])


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("SUM", "AVG", "changed measure revenue of Order: aggregate was SUM, is AVG (figures may change)"),
        ("label: order", "label: purchase", 'changed entity Order: label was {"en": "order"}, is {"en": "purchase"} (questions may be understood otherwise)'),
        ("segments: [{name: open, where: status = 'open'}]", "segments: []", "removed segment open of Order (figures may change)"),
        ("{name: status}]", "{name: status}, {name: code}]", "added field code of Order (questions may be understood otherwise)"),
        ("via: customer_id", "via: payer_id", "changed relation Order -> Customer: via was customer_id, is payer_id (figures may change)"),
        ("grain: id\n", "grain: [id, status]\n", 'changed entity Order: grain was ["id"], is ["id", "status"] (figures may change)'),
    ],
)  # fmt: skip
def test_a_change_that_may_change_answers_says_so(tmp_path: Path, right: str, wrong: str, told: str) -> None:
    done = diff(tmp_path, (right, wrong))
    assert done.stdout.splitlines()[0] == told
    assert done.stdout.splitlines()[-1].endswith("answers may change.")
    assert done.exit_code == 0


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("What was ordered", "Orders", "(only what a language model is told)"),
        ("How many orders?", "How many orders are there?", "(no answer changes)"),
        ("message: Never", "message: Not at all", "(only what a language model is told)"),
    ],
)
def test_a_change_that_changes_no_answer_says_so(tmp_path: Path, right: str, wrong: str, told: str) -> None:
    lines = diff(tmp_path, (right, wrong)).stdout.splitlines()
    assert all(line.endswith(told) for line in lines[:-1])
    assert lines[-1].endswith("no answer without a language model changes.")


def test_order_and_spelling_change_nothing(tmp_path: Path) -> None:
    swapped = (
        "[{name: total, additivity: ADDITIVE}, {name: status}]",
        "[{name: status}, {name: total, additivity: additive}]",
    )
    assert diff(tmp_path, swapped, ("grain: id\n", "grain: [id]\n")).stdout == "shop: nothing changed.\n"


def test_json_says_the_same(tmp_path: Path) -> None:
    told = json.loads(diff(tmp_path, ("SUM", "AVG"), more=("--json",)).stdout)
    assert told["answersMayChange"] is True
    assert told["changes"] == [
        {
            "kind": "changed",
            "where": "measure revenue of Order",
            "key": "aggregate",
            "before": "SUM",
            "after": "AVG",
            "effect": "figures",
        }
    ]


def test_two_features_are_not_compared(tmp_path: Path) -> None:
    done = diff(tmp_path, ("featureCode: shop", "featureCode: ledger"))
    assert isinstance(done.exception, OntologyError)
    assert "is about shop and" in str(done.exception)


@given(st.data())
def test_what_is_removed_is_what_is_added_the_other_way_round(data: st.DataObject) -> None:
    whole = trustee_ontology()
    dropped = data.draw(st.sets(st.sampled_from(range(len(whole.relations))), max_size=5))
    less = whole.model_copy(
        update={"relations": tuple(one for n, one in enumerate(whole.relations) if n not in dropped)}
    )
    forth, back = compared(whole, less), compared(less, whole)
    assert {one.where for one in forth.changes} == {one.where for one in back.changes}
    assert len(forth.changes) == len(dropped)
    assert {one.effect for one in forth.changes} <= {Effect.FIGURES}


def test_an_ontology_does_not_differ_from_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(SHOP, encoding="utf-8")
    assert compared(load_ontology(path), load_ontology(path)).changes == ()
    assert compared(trustee_ontology(), trustee_ontology()).changes == ()
