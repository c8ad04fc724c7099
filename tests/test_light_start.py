"""A question that is answered from its words loads none of the heavy parts: it starts as fast as a command should."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "pydantic_ai",
    "httpx",
    "openai",
    "anthropic",
    "torch",
    "onnxruntime",
    "numpy",
    "fastapi",
    "starlette",
    "duckdb",
}
"""Packages of others that only models, vectors, servers and other engines need."""
OWN_HEAVY = {"veracity.ask.checks", "veracity.grounding.guard", "veracity.offline.model", "veracity.skills.runner"}
"""Parts of ours that only drafts of a model need."""
SCRIPT = """
import contextlib, io, json, sys
from veracity.cli import app

loaded = {}
for name, arguments in json.loads(sys.argv[1]).items():
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(said):
        sys.stdin = io.StringIO("how many customers\\n")
        try:
            code = app(arguments, standalone_mode=False)
        except SystemExit as end:
            code = end.code
    loaded[name] = [code or 0, said.getvalue(), sorted(sys.modules)]
print(json.dumps(loaded))
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, set[str]]]:
    """Commands one after the other in one process: exit code, what each said, and what is loaded by then."""
    folder = tmp_path_factory.mktemp("light")
    source = folder / "shop.sqlite"
    with sqlite3.connect(source) as connection:
        connection.executescript(
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);"
            "INSERT INTO customers VALUES (1, 'Anna', 'Bern'), (2, 'Ben', 'Chur'), (3, 'Cleo', 'Bern')"
        )
    connection.close()
    counted = json.dumps({"show": [{"aggregate": "count", "of": "customers"}]})
    commands = {
        "help": ["--help"],
        "query": ["query", counted, "--source", str(source)],
        "ask": ["ask", "how many customers", "--source", str(source)],
        "chat": ["chat", "--source", str(source)],
    }
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(commands)],
        capture_output=True,
        text=True,
        check=True,
        env={
            "VERACITY_HOME": str(folder / "home"),
            "PATH": "",
            "PYTHONPATH": str(Path(__file__).parent.parent / "src"),
        },
    )
    return {name: (code, said, set(modules)) for name, (code, said, modules) in json.loads(ran.stdout).items()}


@pytest.mark.parametrize("command", ["help", "query", "ask", "chat"])
def test_what_is_answered_from_its_words_loads_no_heavy_part(
    loaded: dict[str, tuple[int, str, set[str]]], command: str
) -> None:
    code, said, modules = loaded[command]
    assert code == 0, said
    assert "3" in said or command == "help"
    assert {name.partition(".")[0] for name in modules} & HEAVY == set()
    assert modules & OWN_HEAVY == set()
