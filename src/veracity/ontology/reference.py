"""Every key of the ontology's YAML with its type, values, default and meaning: the page `docs/ontology-reference.md`.

    python -m veracity.ontology.reference > docs/ontology-reference.md

Types and defaults come from the models, the sentences from the docstrings below their fields.
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.fields import Names
from veracity.ontology.questions import Questions

_HEAD = """\
# Reference of the ontology's YAML

Every key that an ontology may have. This page is made from the models: `python -m veracity.ontology.reference`.
[Ontologies](ontology.md) tells what they are for. A *text* is one string, or one per language (`{de: ..., en: ..., zh: ...}`);
*names* are a list, or one string with commas; *questions* are lists per language, each question a string or
`{question: ..., answer: ...}`. Values of a list such as `ADDITIVE` may be written in any case.
"""
_PLAIN: Mapping[Any, str] = {str: "string", int: "integer", bool: "true or false", Decimal: "number", Any: "any value"}


def reference() -> str:
    """The page."""
    sections = [_section(model) for model in _models(OntologyDescriptor, [])]
    enums = [_enum(kind) for kind in _enums()]
    return "\n".join([_HEAD, *sections, *enums]).rstrip() + "\n"


def _models(model: type[BaseModel], seen: list[type[BaseModel]]) -> list[type[BaseModel]]:
    """The models that an ontology is made of, each after the one that it is first named in."""
    seen.append(model)
    for field in model.model_fields.values():
        for part in _parts(field.annotation):
            if isinstance(part, type) and issubclass(part, BaseModel) and part not in seen:
                _models(part, seen)
    return seen


def _parts(annotation: Any) -> Iterator[Any]:
    """A type and the types that it is made of."""
    yield annotation
    for part in get_args(annotation):
        yield from _parts(part)


def _enums() -> list[type[Enum]]:
    found: dict[type[Enum], None] = {}
    for model in _models(OntologyDescriptor, []):
        for field in model.model_fields.values():
            found |= {one: None for one in _parts(field.annotation) if isinstance(one, type) and issubclass(one, Enum)}
    return list(found)


def _section(model: type[BaseModel]) -> str:
    top = model is OntologyDescriptor
    title = "The file" if top else f"`{model.__name__}`"
    rows = [_row(model, name, field) for name, field in model.model_fields.items()]
    head = ["| key | type | default | meaning |", "|---|---|---|---|"]
    return "\n".join([f"## {title}", "", _words(model.__doc__ or ""), "", *head, *rows, ""])


def _row(model: type[BaseModel], name: str, field: FieldInfo) -> str:
    key = field.alias or name
    cells = (f"`{key}`", _type(model, name, field), _default(field), _words(docstrings(model).get(name, "")))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _words(text: str) -> str:
    return " ".join(inspect.cleandoc(text).split())


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value in (None, (), {}):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else getattr(value, 'value', value)}`"


def _type(model: type[BaseModel], name: str, field: FieldInfo) -> str:
    written = inspect.get_annotations(model).get(name, "")
    if "Names" in str(written):
        return "names"
    if str(written).startswith("Text"):
        return "text"
    if field.annotation == Questions or str(written) == "Questions":
        return "questions"
    return _spelt(field.annotation)


def _spelt(annotation: Any) -> str:
    """A type in words."""
    origin, args = get_origin(annotation), get_args(annotation)
    if annotation == Names:
        return "names"
    if origin is Annotated:
        return _spelt(args[0])
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(_spelt(one) for one in args if one is not type(None)))
    if origin is Literal:
        return " or ".join(f"`{one}`" for one in args)
    if origin is tuple:
        inner = [one for one in args if one is not Ellipsis]
        return f"list of {_spelt(inner[0])}" if Ellipsis in args else f"list of {len(inner)}: {_spelt(inner[0])}"
    if origin is dict:
        return f"map of {_spelt(args[0])} to {_spelt(args[1])}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel | Enum):
        return f"[{annotation.__name__}](#{annotation.__name__.lower()})"
    return _PLAIN.get(annotation, getattr(annotation, "__name__", str(annotation)))


def _enum(kind: type[Enum]) -> str:
    values = ", ".join(f"`{one.value}`" for one in kind)
    return "\n".join([f"## `{kind.__name__}`", "", _words(kind.__doc__ or ""), "", values, ""])


@cache
def _module(name: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[name]))


def docstrings(model: type[BaseModel]) -> dict[str, str]:
    """The sentence below each field of a model."""
    found: dict[str, str] = {}
    for part in _module(model.__module__).body:
        if isinstance(part, ast.ClassDef) and part.name == model.__name__:
            for one, after in zip(part.body, part.body[1:], strict=False):
                told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and told:
                    assert isinstance(after, ast.Expr)
                    found[one.target.id] = str(ast.literal_eval(after.value))
    return found


if __name__ == "__main__":
    sys.stdout.write(reference())
