"""One constraint is changed; validator, prompt and schema change with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from veracity.features.trustee import trustee_ontology
from veracity.ontology.compiler import compile_prompt
from veracity.ontology.descriptor import ConstraintRule, OntologyDescriptor
from veracity.ontology.schema import tool_schemas
from veracity.query.catalog import entity_shapes
from veracity.query.model import VOCABULARY
from veracity.sources.open import open_source
from veracity.sources.source import Scope
from veracity.tools.tables import TableTools

SUM = {
    "tableName": "TrusteeDataAccountBalance",
    "aggregate": "SUM",
    "field": "closingBalance",
    "filters": [
        {"field": "periodYear", "op": "=", "value": 2025},
        {"field": "periodMonth", "op": "=", "value": 0},
        {"field": "currency", "op": "=", "value": "CHF"},
        {"field": "accountNumber", "op": "LIKE", "value": "10%"},
    ],
}


def without(rule: ConstraintRule) -> OntologyDescriptor:
    ontology = trustee_ontology()
    return ontology.model_copy(update={"constraints": tuple(c for c in ontology.constraints if c.rule is not rule)})


def uses(ontology: OntologyDescriptor, ledger: Path) -> tuple[str | None, str, str]:
    """What validator, prompt and schema make of an ontology."""
    tools = TableTools(
        open_source(ledger), ontology=ontology, scope=Scope({"mandateId": "m-demo", "featureInstanceId": "fi-demo"})
    )
    result = tools.call_sync("aggregateTable", SUM)
    schema = json.dumps(tool_schemas(entity_shapes(tools.catalog), VOCABULARY))
    tools.close()
    return (result.error_details.code if result.error_details else None), compile_prompt(ontology, "en"), schema


def test_changing_a_constraint_changes_validator_prompt_and_schema(ledger: Path) -> None:
    code, prompt, schema = uses(trustee_ontology(), ledger)
    code_after, prompt_after, schema_after = uses(without(ConstraintRule.NEVER_AGGREGATE), ledger)
    assert (code, code_after) == ("INVALID_AGGREGATE_TARGET", None)
    assert "No SUM or AVG of balances" in prompt
    assert "No SUM or AVG of balances" not in prompt_after
    assert "TrusteeDataAccountBalance: openingBalance" not in schema
    assert "TrusteeDataAccountBalance: openingBalance" in schema_after


@pytest.mark.parametrize("rule", [rule for rule in ConstraintRule if rule is not ConstraintRule.SEMI_ADDITIVE])
def test_every_kind_of_rule_reaches_the_prompt(rule: ConstraintRule) -> None:
    assert compile_prompt(without(rule), "de") != compile_prompt(trustee_ontology(), "de")


def test_the_required_filter_is_in_the_schema_as_long_as_the_ontology_says_so(ledger: Path) -> None:
    _, _, schema = uses(trustee_ontology(), ledger)
    _, _, after = uses(without(ConstraintRule.REQUIRES_FILTER_ON), ledger)
    assert "TrusteeDataAccountBalance (filter periodYear, periodMonth)" in schema
    assert "(filter periodYear" not in after
