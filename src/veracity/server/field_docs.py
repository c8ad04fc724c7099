"""What the fields of the API mean: the docstring under a field becomes its description in the OpenAPI document.

They are read from the source when the document is made, because reading them with every class would cost each command its start.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from pydantic import BaseModel


def describe_fields(schemas: dict[str, Any]) -> None:
    """Give the properties of all schemas of ours the descriptions that they lack."""
    for kind in _kinds(BaseModel):
        schema = schemas.get(kind.__name__)
        if schema is None or not kind.__module__.startswith("veracity."):
            continue
        told = _field_docs(kind)
        for name, field in kind.model_fields.items():
            shown = schema.get("properties", {}).get(field.alias or name)
            if shown is not None and name in told:
                shown.setdefault("description", told[name])


def _kinds(kind: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for one in kind.__subclasses__():
        yield one
        yield from _kinds(one)


def _field_docs(kind: type[BaseModel]) -> dict[str, str]:
    """The text under each field of a class and of the classes that it is made from."""
    told: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if not (issubclass(base, BaseModel) and base.__module__.startswith("veracity.")):
            continue
        told |= _classes_of(base.__module__).get(base.__qualname__, {})
    return told


@cache
def _classes_of(module: str) -> dict[str, dict[str, str]]:
    """The texts under the fields of all classes of a module, which is read once: most hold many classes."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError, SyntaxError, ValueError):
        return {}
    return {node.name: dict(_texts(node)) for node in tree.body if isinstance(node, ast.ClassDef)}


def _texts(made: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, text in pairwise(made.body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and _is_text(text):
            yield field.target.id, " ".join(str(text.value.value).split())  # type: ignore[attr-defined]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
