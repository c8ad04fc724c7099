"""Builds `veracity-guard`: the guard alone, as a wheel that needs pydantic, PyYAML and rapidfuzz only.

    python deploy/guard_wheel.py [folder]        # dist by default

An extra cannot leave the other dependencies of `veracity` out, so the guard is a distribution of its own, made from this source: the
modules that the guard and its adapters import, with their word lists, as the package `veracity_guard`. Its name differs, so both can be
installed side by side. Needs hatchling, which the development environment has.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "veracity"
ROOTS = ("grounding.guard", "grounding.stream", "grounding.validator", "grounding.messages", "adapters.langchain", "adapters.llamaindex", "adapters.openai_agents")  # fmt: skip
NEEDED = ("pydantic", "pyyaml", "rapidfuzz")
INIT = '''"""The guard of Veracity alone: answers of agents held against what their tools returned."""

from veracity_guard.errors import UsageError
from veracity_guard.grounding.config import GuardConfig
from veracity_guard.grounding.contracts import Verdict
from veracity_guard.grounding.guard import ground

__all__ = ["GuardConfig", "UsageError", "Verdict", "ground"]
'''


def modules() -> dict[str, Path]:
    """The modules that the guard needs, by their names inside the package."""
    found: dict[str, Path] = {}
    waiting = list(ROOTS)
    while waiting:
        name = waiting.pop()
        path = _path_of(name)
        if name in found or path is None:
            continue
        found[name] = path
        # A package is imported before what is in it.
        waiting += [name.rpartition(".")[0]] if "." in name else []
        waiting += _imported(path)
    return found


def _path_of(name: str) -> Path | None:
    folder = SOURCE.joinpath(*name.split("."))
    for path in (folder.with_suffix(".py"), folder / "__init__.py"):
        if path.is_file():
            return path
    return None


def _imported(path: Path) -> Iterator[str]:
    """What a module imports when it is loaded; not for the type checker, and not inside functions."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("veracity."):
            home = (node.module or "").removeprefix("veracity.")
            yield home
            yield from (f"{home}.{alias.name}" for alias in node.names)


def lay_out(folder: Path) -> None:
    """The package and its pyproject.toml in a folder."""
    package = folder / "veracity_guard"
    for path in modules().values():
        target = package / path.relative_to(SOURCE)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = re.sub(r"\b(from|import) veracity\b(?!_)", r"\1 veracity_guard", path.read_text(encoding="utf-8"))
        target.write_text(text, encoding="utf-8")
        for words in path.parent.glob("*.yaml"):
            if words.name in path.read_text(encoding="utf-8"):
                shutil.copy(words, target.parent / words.name)
    (package / "__init__.py").write_text(INIT, encoding="utf-8")
    shutil.copy(ROOT / "LICENSE", folder / "LICENSE")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [one for one in project["dependencies"] if re.split(r"[<>=~!\[; ]", one)[0].lower() in NEEDED]
    lines = [
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n',
        f'[project]\nname = "veracity-guard"\nversion = "{project["version"]}"\nrequires-python = "{project["requires-python"]}"',
        'description = "Answers of agents held against what their tools returned."\nlicense = "Apache-2.0"\nlicense-files = ["LICENSE"]',
        f"dependencies = {needed}\n",
        '[tool.hatch.build.targets.wheel]\npackages = ["veracity_guard"]\n',
    ]
    (folder / "pyproject.toml").write_text("\n".join(lines), encoding="utf-8")


def main() -> int:
    """Build the wheel and say how large it is."""
    from hatchling.build import build_wheel

    out = Path(sys.argv[1] if len(sys.argv) > 1 else "dist").resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        os.chdir(folder)
        wheel = out / build_wheel(str(out))
    print(f"{wheel.name}: {len(modules())} modules, {wheel.stat().st_size // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
