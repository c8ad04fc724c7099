"""YAML -> `OntologyDescriptor`, with the line of whatever is wrong."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from veracity.errors import OntologyError
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
        raise document.invalid(error) from None
