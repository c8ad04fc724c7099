"""YAML -> `OntologyDescriptor`, with the line of whatever is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, ValidationError

from veracity.errors import OntologyError
from veracity.language.nearest import did_you_mean
from veracity.ontology.descriptor import Misplaced, OntologyDescriptor
from veracity.yaml_file import read_document


def load_ontology(path: str | Path) -> OntologyDescriptor:
    """An ontology file; raises `OntologyError` with file, line and reason."""
    document = read_document(path, OntologyError, "an ontology")
    if not isinstance(document.data, dict):
        raise OntologyError(f"{path} is not an ontology: it needs featureCode and entities at the top.")
    try:
        return OntologyDescriptor.model_validate(document.data)
    except ValidationError as error:
        first = error.errors()[0]
        cause = first.get("ctx", {}).get("error")
        if isinstance(cause, Misplaced):
            raise document.wrong((*first["loc"], *cause.place), first["msg"], "") from None
        if first["type"] == "extra_forbidden":
            near = did_you_mean(str(first["loc"][-1]), _known_keys(first["loc"][:-1]))
            raise document.wrong(first["loc"], f"there is no such key{near}") from None
        raise document.invalid(error) from None


def _known_keys(loc: Sequence[int | str]) -> list[str]:
    """The keys that the part of an ontology at this place may have."""
    model: type[BaseModel] = OntologyDescriptor
    for part in loc:
        fields = {one.alias or name: one for name, one in model.model_fields.items()}
        inner = _model_in(fields[part].annotation) if isinstance(part, str) and part in fields else None
        model = inner or model
    return [one.alias or name for name, one in model.model_fields.items()]


def _model_in(annotation: object) -> type[BaseModel] | None:
    """The model that a type is or holds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part)) is not None), None)
