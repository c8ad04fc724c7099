"""The README of a folder names every file in it, and none that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import veracity

ROOT = Path(veracity.__file__).parent
FOLDERS = (
    "cli",
    "cli/requirements",
    "durable",
    "mcp",
    "retrieval",
    "retrieval/search",
    "server",
    "server/routes",
    "server/web",
)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_readme_has_one_line_per_file(name: str) -> None:
    folder = ROOT / name
    first, *lines = (folder / "README.md").read_text(encoding="utf-8").strip().splitlines()
    assert first.endswith((".", ":"))
    listed = [re.fullmatch(r"- `([^`]+)`: \S.*", line) for line in lines if line]
    assert None not in listed, "each line is - `name`: what it does"
    names = [found[1] for found in listed if found is not None]
    there = {one.name for one in folder.glob("*.py")} | {f"{one.name}/" for one in folder.iterdir() if one.is_dir()}
    # An __init__ that only says what the folder is for needs no line of its own.
    assert sorted(names) == sorted({*there} - {"__pycache__/", *({"__init__.py"} - {*names})})
