"""The commands as a person or a script meets them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest

from command_line import program, veracity
from veracity.features.records import create_tables, record_create
from veracity.features.trustee.ledger import make_ledger
from veracity.features.trustee.ledger.companies import OTHER
from veracity.features.trustee.models import TABLES

BANK = {
    "tableName": "TrusteeDataAccountBalance",
    "filters": [
        {"field": "periodYear", "op": "=", "value": 2025},
        {"field": "periodMonth", "op": "=", "value": 0},
        {"field": "accountNumber", "op": "LIKE", "value": "102%"},
    ],
}
SUM = {"tableName": "TrusteeDataAccountBalance", "aggregate": "SUM", "field": "closingBalance"}


def call(tool: str, arguments: dict[str, Any], *more: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return veracity("call", tool, json.dumps(arguments), *more, stdin="", cwd=None, **environment)


def test_call_prints_a_table_for_people() -> None:
    done = call("queryTable", BANK)
    assert done.returncode == 0
    assert "│ 1020 " in done.stdout
    assert "152400.00" in done.stdout
    assert "r1: 2 rows of TrusteeDataAccountBalance" in done.stdout


def test_json_is_exactly_one_tool_result() -> None:
    done = call("queryTable", BANK, "--json")
    result = json.loads(done.stdout)
    assert list(result) == ["success", "data", "error", "errorDetails"]
    assert [(row["accountNumber"], row["closingBalance"]) for row in result["data"]["rows"]] == [
        ("1020", "152400.00"),
        ("1021", "28100.00"),
    ]
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_refused_call_exits_1_with_error_details() -> None:
    done = call("aggregateTable", SUM, "--json")
    assert done.returncode == 1
    details = json.loads(done.stdout)["errorDetails"]
    assert (details["code"], details["field"]) == ("INVALID_AGGREGATE_TARGET", "closingBalance")
    for_people = call("aggregateTable", SUM)
    assert (for_people.returncode, for_people.stdout) == (1, "")
    assert "INVALID_AGGREGATE_TARGET" in for_people.stderr


def test_dry_run_validates_and_runs_nothing() -> None:
    assert json.loads(call("queryTable", BANK, "--dry-run", "--json").stdout) == {
        "success": True,
        "data": None,
        "error": None,
        "errorDetails": None,
    }
    assert call("aggregateTable", SUM, "--dry-run").returncode == 1


@pytest.mark.parametrize("switch", [["--no-ontology"], []], ids=["option", "environment"])
def test_without_the_ontology_the_conventions_hold(switch: list[str]) -> None:
    environment = {} if switch else {"VERACITY_DISABLE_ONTOLOGY": "1"}
    everything = call(
        "queryTable", {"tableName": "TrusteeDataAccountBalance", "limit": 1}, *switch, "--json", **environment
    )
    assert everything.returncode == 0
    refused = call("aggregateTable", SUM, *switch, "--json", **environment)
    assert refused.returncode == 1
    assert "looks already summed up" in refused.stdout


def test_arguments_can_come_from_standard_input() -> None:
    done = veracity("call", "queryTable", "-", "--json", stdin=json.dumps(BANK))
    assert json.loads(done.stdout)["data"]["rowCount"] == 2


def test_decimals_in_arguments_stay_exact() -> None:
    exact = '{"tableName":"TrusteeDataJournalEntry","filters":[{"field":"totalAmount","op":"=","value":0.1000000000000000055511151231257827}]}'
    done = veracity("call", "queryTable", exact, "--json")
    assert done.returncode == 1
    assert "decimals" in json.loads(done.stdout)["errorDetails"]["hint"]


@pytest.fixture(scope="module")
def other_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "other-ledger.duckdb"
    with duckdb.connect(str(path)) as connection:
        create_tables(connection, TABLES)
        record_create(connection, make_ledger(9, OTHER).records())
    return path


def test_any_ledger_with_the_contracts_tables_works(other_ledger: Path) -> None:
    options = [
        "--feature",
        "trustee",
        "--source",
        str(other_ledger),
        "--scope",
        f"mandateId={OTHER.mandate_id}",
        "--scope",
        f"featureInstanceId={OTHER.feature_instance_id}",
    ]
    done = call("aggregateTable", {"tableName": "TrusteeDataContact", "aggregate": "COUNT"}, *options, "--json")
    assert json.loads(done.stdout)["data"]["rows"] == [{"count": 6}]
    assert call("aggregateTable", SUM, *options).returncode == 1


def test_another_mandates_ledger_shows_nothing_to_the_demo_mandate(other_ledger: Path) -> None:
    done = call(
        "queryTable",
        {"tableName": "TrusteeDataContact"},
        "--feature",
        "trustee",
        "--source",
        str(other_ledger),
        "--json",
    )
    assert json.loads(done.stdout)["data"]["rows"] == []
    assert "demo mandate" in done.stderr


def test_tables_shows_fields_types_and_labels_but_no_scope() -> None:
    done = veracity("tables", "--lang", "de")
    assert done.returncode == 0
    assert "Kontosaldo" in done.stdout
    assert "mandateId" not in done.stdout
    listed = {table["tableName"]: table for table in json.loads(veracity("tables", "--lang", "zh", "--json").stdout)}
    assert listed["TrusteeDataContact"]["label"] == "联系人"
    assert {"name": "closingBalance", "type": "decimal", "nullable": False, "label": "期末余额"} in listed[
        "TrusteeDataAccountBalance"
    ]["fields"]


def test_ontology_show_lists_and_exports() -> None:
    shown = veracity("ontology", "show", "--lang", "de")
    assert "39 entities, 34 relations, 17 rules, 24 questions" in shown.stdout
    assert "Was ist der Banksaldo per 31.12.2025?" in shown.stdout
    exported = json.loads(veracity("ontology", "show", "--json").stdout)
    assert exported["featureCode"] == "trustee"


def test_ontology_prompt_and_schema_are_machine_readable() -> None:
    assert veracity("ontology", "prompt", "--lang", "zh").stdout.startswith("## 数据表")
    assert [schema["name"] for schema in json.loads(veracity("ontology", "schema").stdout)] == [
        "browseTable",
        "queryTable",
        "aggregateTable",
        "semanticQuery",
    ]
    assert "anyOf" in json.loads(veracity("ontology", "schema", "--by-table").stdout)[0]["parameters"]
    assert "RealEstateLease" in veracity("ontology", "schema", "--feature", "realestate").stdout


PATTERNS = """\
featureCode: shop
entities: [{name: Stock, table: TrusteeDataContact, label: Stock, grain: id}]
canonicalPatterns:
  - intent: ALL_OF_IT
    questions: {en: ["What is in stock?"]}
    pattern: {tool: browseTable, args: {tableName: Stock}}
"""


def test_the_prompt_of_a_question_shows_the_patterns_that_are_nearest(other_ledger: Path, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(PATTERNS, encoding="utf-8")
    asked = ("--question", "What do we have?", "--ontology", str(tmp_path / "own.yaml"), "--source", str(other_ledger))
    told = veracity("ontology", "prompt", *asked).stdout
    assert told.endswith('## Patterns\n- What is in stock? -> browseTable {"tableName":"Stock"}\n')


def test_ontology_check_exits_1_with_findings(other_ledger: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(
        "featureCode: x\nentities: [{name: a, table: TrusteeDataAccount, grain: currency}]\n", encoding="utf-8"
    )
    done = veracity("ontology", "check", "--ontology", str(own), "--source", str(other_ledger))
    assert done.returncode == 1
    assert done.stdout.startswith(f"{own}, line 2: a (grain): The grain (currency) is not unique")
    machine = veracity(
        "ontology", "check", "--ontology", str(own), "--source", str(other_ledger), "--json", "--examples"
    )
    assert json.loads(machine.stdout)[0]["example"]["currency"] == "CHF"


def test_a_feature_without_an_ontology_cannot_be_checked() -> None:
    done = veracity("ontology", "check", "--feature", "realestate")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "veracity: The feature realestate has no ontology to check; name one with --ontology or --feature.\n"
    )


def test_help_names_every_command() -> None:
    done = veracity("--help")
    assert all(word in done.stdout for word in ("tables", "call", "ontology"))
    assert all(word in veracity("ontology", "--help").stdout for word in ("show", "prompt", "schema", "check"))


def test_a_closed_pipe_is_no_error() -> None:
    done = subprocess.run(f"{program()} tables | head -1", shell=True, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("TrusteeDataAccount")
    assert done.stderr == ""


def test_figures_are_never_broken_on_a_narrow_terminal() -> None:
    import pty

    parent, child = pty.openpty()
    environment = {**os.environ, "COLUMNS": "60", "TERM": "dumb"}
    process = subprocess.Popen([program(), "call", "queryTable", json.dumps(BANK)], stdout=child, env=environment)
    os.close(child)
    seen = b""
    try:
        while chunk := os.read(parent, 65536):
            seen += chunk
    except OSError:
        pass  # how Linux says that the other end has closed
    process.wait()
    os.close(parent)
    assert b"closingBalance  152400.00" in seen


def test_cells_cannot_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text("id,note\n1,\x1b[31mred\x1b[0m\n", encoding="utf-8")
    done = call("browseTable", {"tableName": "odd"}, "--source", str(tmp_path / "odd.csv"))
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "red" in done.stdout
