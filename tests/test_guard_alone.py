"""The guard without the rest of Veracity: it runs as a package of its own, on three packages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "deploy"))

from guard_wheel import NEEDED, lay_out

_ALLOWED = [
    *NEEDED,
    "yaml",
    "pydantic_core",
    "typing_extensions",
    "typing_inspection",
    "annotated_types",
    "veracity_guard",
]
_PROGRAM = """
import json, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in ALLOWED and not top.startswith("_"):
            raise ImportError(f"{name} is not one of the guard's packages")

sys.meta_path.insert(0, Refuse())
from veracity_guard import ground
from veracity_guard.grounding.config import GuardConfig
rows = [{"store": "Zurich", "manager": "Nadia Keller", "sqm": 820}, {"store": "Basel", "manager": "Marco Rossi", "sqm": 570}]
answers = ["Zurich has 820 sqm.", "Zurich has 570 sqm.", "Zurich is run by Marco Rossi.", "Managers: Müller AG, “Nadia Keler”.", "巴塞尔"]
verdicts = [ground(one, [rows], config=GuardConfig()) for one in answers]
print(json.dumps([[one.verdict, [found.rule for found in one.findings]] for one in verdicts]))
"""


def test_the_guard_alone_needs_only_its_three_packages(tmp_path: Path) -> None:
    lay_out(tmp_path)
    program = _PROGRAM.replace("ALLOWED", repr(sorted(_ALLOWED)))
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        ["pass", []],
        ["block", ["unbound_figure"]],
        ["block", ["contradicted"]],
        ["block", ["unbound_name"]],
        ["pass", []],
    ]
    assert "internal_error" not in done.stdout + done.stderr
