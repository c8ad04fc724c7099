"""A file of others -> an ontology: Ossie's YAML in its three forms, or dbt's semantic manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from veracity.errors import OntologyError
from veracity.language.locale import DEFAULT_LANGUAGE
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.exchange.concepts import ConceptReader
from veracity.ontology.exchange.dbt_read import DbtReader
from veracity.ontology.exchange.ossie_names import read_model
from veracity.ontology.exchange.ossie_read import OssieReader
from veracity.ontology.exchange.report import ImportedModel, ImportFindings, Place
from veracity.yaml_file import YamlFile, read_bytes, read_document

_MAX_BYTES = 10_000_000
_WHAT = "a semantic model"
_VERSIONS = ("0.1", "0.2")
"""The versions of Ossie that are read, each with what follows its dot."""
_NOT_READ = "the file is neither an Ossie model (datasets, or a list under semantic_model) nor a dbt semantic manifest (semantic_models)"  # fmt: skip


def import_model(
    path: str | Path, *, lang: str = DEFAULT_LANGUAGE, model: str | None = None, allow_cycles: bool = False
) -> ImportedModel:
    """The ontology of a file and what became of each of its parts; raises `OntologyError` with file, line and reason.

    `lang` is the language of its texts; `model` names one of several models.
    """
    document = _read(Path(path))
    findings = ImportFindings(document)
    data = document.data
    if data is None:
        raise OntologyError(f"{path} is empty; it should hold {_WHAT}.")
    if not isinstance(data, dict):
        raise document.wrong((), f"a {'list' if isinstance(data, list) else 'value'} stands where a map belongs; {_NOT_READ}", "")  # fmt: skip
    if "semantic_models" in data:
        return _made(DbtReader(data, findings=findings, lang=lang).read(), findings, "dbt semantic manifest")
    _check_version(data, document)
    raw, place, mapping = _chosen(_models(data, document), model, document)
    reader = OssieReader(
        read_model(raw, place, findings), raw, place=place, findings=findings, lang=lang, allow_cycles=allow_cycles
    )
    made = reader.read()
    _leave_the_rest(data, findings)
    if mapping is not None:
        made = ConceptReader(data, mapping, made, findings=findings, lang=lang).read()
    return _made(made, findings, "Apache Ossie")


def _made(data: Mapping[str, Any], findings: ImportFindings, file_format: str) -> ImportedModel:
    try:
        return ImportedModel(OntologyDescriptor.model_validate(data), findings.report(file_format))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        message = first["msg"].removeprefix("Value error, ").rstrip(".")
        path = findings.document.path
        raise OntologyError(f"{path} makes no ontology: {f'{where}: ' if where else ''}{message}.") from None


def _read(path: Path) -> YamlFile:
    raw = read_bytes(path, OntologyError, most=_MAX_BYTES, too_long=f"{_WHAT} is a few pages")
    if raw.lstrip()[:1] != b"{":
        return read_document(path, OntologyError, _WHAT)
    try:
        data = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise OntologyError(f"{path} is not encoded in UTF-8; save it as UTF-8 and try again.") from None
    except RecursionError:
        raise OntologyError(f"{path} is nested too deeply for {_WHAT}.") from None
    except ValueError:
        return read_document(path, OntologyError, _WHAT)  # a map of YAML in braces
    try:
        tree = read_document(path, OntologyError, _WHAT).tree if b"\n" in raw.strip() else None
    except OntologyError:
        tree = None  # JSON that is no YAML: every place is told by its path
    return YamlFile(path, data, tree, OntologyError)


def _check_version(data: Mapping[str, Any], document: YamlFile) -> None:
    version = data.get("version")
    if version is not None and not str(version).startswith(tuple(f"{known}." for known in _VERSIONS)) and str(version) not in _VERSIONS:  # fmt: skip
        message = f"version {str(version)[:40]} of Ossie is not known; {' and '.join(_VERSIONS)} are read"
        raise document.wrong(("version",), message, "")


def _models(data: Mapping[str, Any], document: YamlFile) -> list[tuple[Any, Place, Mapping[str, Any] | None]]:
    """The models of a file, where each stands, and the mapping to concepts that it stands in."""
    if "ontology_mappings" in data:
        found: list[tuple[Any, Place, Mapping[str, Any] | None]] = []
        for number, mapping in enumerate(_list(data["ontology_mappings"], ("ontology_mappings",), document)):
            place: Place = ("ontology_mappings", number)
            if not isinstance(mapping, dict) or "semantic_model" not in mapping:
                raise document.wrong(place, "a mapping needs its semantic_model", "")
            inner = mapping["semantic_model"]
            if isinstance(inner, list):
                found += [(one, (*place, "semantic_model", at), mapping) for at, one in enumerate(inner)]
            else:
                found.append((inner, (*place, "semantic_model"), mapping))
        return found
    if "semantic_model" in data:
        inner = data["semantic_model"]
        if isinstance(inner, dict):
            return [(inner, ("semantic_model",), None)]
        parts = _list(inner, ("semantic_model",), document)
        return [(one, ("semantic_model", number), None) for number, one in enumerate(parts)]
    if "datasets" in data:
        return [({key: value for key, value in data.items() if key not in _HEADER}, (), None)]
    raise document.wrong((), _NOT_READ, "")


_HEADER = ("version", "dialects", "vendors")


def _list(value: Any, place: Place, document: YamlFile) -> list[Any]:
    if not isinstance(value, list):
        raise document.wrong(place, f"{place[-1]} should be a list", "")
    return value


def _chosen(
    models: list[tuple[Any, Place, Mapping[str, Any] | None]], name: str | None, document: YamlFile
) -> tuple[Any, Place, Mapping[str, Any] | None]:
    """The one model that is meant."""
    names = [str(one.get("name")) if isinstance(one, dict) else "?" for one, _, _ in models]
    if not models:
        raise document.wrong(("semantic_model",), "the file has no semantic model", "")
    if name is None:
        if len(models) > 1:
            raise OntologyError(f"{document.path} has {len(models)} models; name one with --model: {', '.join(names)}.")
        return models[0]
    if name not in names:
        raise OntologyError(f"{document.path} has no model {name}; it has {', '.join(names)}.")
    return models[names.index(name)]


def _leave_the_rest(data: Mapping[str, Any], findings: ImportFindings) -> None:
    """Keys at the top of the list form that are no models."""
    if "semantic_model" not in data:
        return
    for key in data:
        if key not in (*_HEADER, "semantic_model"):
            findings.leave("key", str(key), (key,), "Ossie's core model does not have it")
