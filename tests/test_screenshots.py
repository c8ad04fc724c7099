"""`benchmarks/screenshots.py`: one command, and every page is there to look at."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from browsing import CHROMIUM
from installed import lacking

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "screenshots.py"


def take(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *options]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ}, check=False)


@pytest.mark.long
def test_pages_become_pictures_in_both_themes(tmp_path: Path) -> None:
    if CHROMIUM is None:
        lacking("Chromium", "chromium-headless-shell")
    made = take("--out", str(tmp_path / "shots"), "--page", "board", "--page", "source", "--lang", "de")
    assert made.returncode == 0, made.stderr
    names = {f"{page}-de-{theme}.png" for page in ("board", "source") for theme in ("light", "dark")}
    found = {one.name: one.read_bytes() for one in (tmp_path / "shots").iterdir()}
    assert found.keys() == names
    assert all(data.startswith(b"\x89PNG") and len(data) > 10_000 for data in found.values())
    assert found["board-de-light.png"] != found["board-de-dark.png"]
    assert made.stdout.rstrip().endswith(f"4 pictures in {tmp_path / 'shots'}")
