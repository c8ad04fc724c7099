"""Modules import only from their own row or the rows above it, and never in a circle."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import veracity

ROOT = Path(veracity.__file__).parent
ROWS = (
    ("errors", "settings", "wire", "yaml_file"),
    ("language",),
    ("contracts", "telemetry", "durable"),
    ("ontology", "sources"),
    ("features", "query"),
    ("question", "answer", "quality", "semantic"),
    ("agent", "tools", "grounding", "routing", "llm"),
    ("skills", "adapters"),
    ("ask", "open"),
    ("retrieval", "requirements", "evals"),
    ("server", "mcp", "cli"),
)
DRAWERS = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "service", "services", "misc"}
Import = ast.Import | ast.ImportFrom
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


def statements(block: ast.AST) -> Iterator[ast.AST]:
    """All statements of a block; the expressions in them, by far the most of a module, are passed over."""
    for part in ("body", "handlers", "orelse", "finalbody", "cases"):
        for node in getattr(block, part, ()):
            yield node
            yield from statements(node)


@cache
def nodes(path: Path) -> tuple[Import | Definition, ...]:
    """The imports, classes and functions of a module, wherever they stand; it is read once."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tuple(node for node in statements(tree) if isinstance(node, Import | Definition))


@cache
def imports(path: Path) -> frozenset[str]:
    """The modules of ours that a module imports, for the type checker alone, too."""
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in MODULES else node.module)
    return frozenset(name for name in found if name in MODULES)


def row_of(module: str) -> int | None:
    room = module.split(".")[1] if "." in module else None
    return next((number for number, rooms in enumerate(ROWS) if room in rooms), None)


def test_every_module_has_a_row() -> None:
    assert [name for name in MODULES if name != "veracity" and row_of(name) is None] == []


def test_modules_import_only_from_rows_above() -> None:
    wrong = [
        f"{name} imports {other}"
        for name, path in MODULES.items()
        for other in imports(path)
        if name != "veracity" and (row_of(other) or 0) > (row_of(name) or 0)
    ]
    assert wrong == []


def test_no_import_goes_in_a_circle() -> None:
    graph = {name: imports(path) - {name} for name, path in MODULES.items() if name != "veracity"}
    finished: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in finished:
            for other in sorted(graph.get(name, ())):
                visit(other, (*trail, name))
            finished.add(name)

    for name in graph:
        visit(name, ())


def test_no_two_rooms_import_each_other() -> None:
    """A room is a folder, or a module at the root; every room stands above all that it imports, on at most 17 floors."""

    def room(module: str) -> str:
        return module.split(".")[1] if "." in module else ""

    below: dict[str, set[str]] = {}
    for name, path in MODULES.items():
        below.setdefault(room(name), set()).update(room(other) for other in imports(path) if room(other) != room(name))

    @cache
    def floor(name: str, trail: tuple[str, ...] = ()) -> int:
        assert name not in trail, " -> ".join((*trail, name))
        return 1 + max((floor(other, (*trail, name)) for other in sorted(below[name])), default=0)

    below.pop("")
    for others in below.values():
        others.discard("")
    assert max(floor(name) for name in below) <= 17


def test_the_root_has_at_most_eight_modules() -> None:
    assert len(list(ROOT.glob("*.py"))) <= 8


def test_no_class_name_stands_for_two_things() -> None:
    names = Counter(
        node.name
        for path in MODULES.values()
        for node in nodes(path)
        if isinstance(node, ast.ClassDef) and not node.col_offset
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_every_folder_has_a_readme_with_a_line_for_each_file() -> None:
    missing = []
    for folder in sorted({path.parent for path in MODULES.values()} - {ROOT}):
        readme = folder / "README.md"
        told = readme.read_text(encoding="utf-8") if readme.exists() else ""
        names = [path.name for path in (*folder.glob("*.py"), *folder.glob("*.yaml")) if path.name != "__init__.py"]
        missing += [f"{folder.relative_to(ROOT)}: {name}" for name in names if f"`{name}`" not in told]
        missing += [
            f"{folder.relative_to(ROOT)}: no {name}"
            for name in re.findall(r"`(\w+\.(?:py|yaml))`", told)
            if not (folder / name).exists()
        ]
    assert missing == []


def test_there_are_no_drawers() -> None:
    assert [name for name in MODULES if name.split(".")[-1].strip("_") in DRAWERS] == []


def test_almost_no_function_is_longer_than_a_screen() -> None:
    long = [
        f"{name}.{node.name}"
        for name, path in MODULES.items()
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (node.end_lineno or 0) - node.lineno + 1 > 60
    ]
    assert long == []
