"""What an Ossie file may not say: a wrong form, a name twice, a relationship to nowhere or in a circle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from veracity.language.nearest import did_you_mean
from veracity.ontology.exchange.ossie_models import OssieModel, OssieNamed
from veracity.ontology.exchange.report import ImportFindings, Place, wrong_form
from veracity.yaml_file import YamlFile


def read_model(raw: Any, place: Place, findings: ImportFindings) -> OssieModel:
    """A model of the file; raises the document's error with the place of whatever has the wrong form."""
    try:
        return OssieModel.model_validate(raw)
    except ValidationError as error:
        raise wrong_form(findings.document, place, error) from None


def check_names(model: OssieModel, place: Place, document: YamlFile, *, allow_cycles: bool) -> None:
    """Raise the document's error for the first name that cannot be."""
    lists: list[tuple[str, Sequence[OssieNamed], Place]] = [
        ("dataset", model.datasets, (*place, "datasets")),
        ("relationship", model.relationships, (*place, "relationships")),
        ("metric", model.metrics, (*place, "metrics")),
    ]
    for number, dataset in enumerate(model.datasets):
        lists.append((f"field of {dataset.name}", dataset.fields, (*place, "datasets", number, "fields")))
    for what, parts, where in lists:
        seen: set[str] = set()
        for number, one in enumerate(parts):
            if one.name.casefold() in seen:
                message = f"the {what} {one.name} is there twice; rename one of them"
                raise document.wrong((*where, number, "name"), message, "")
            seen.add(one.name.casefold())
    _check_relationships(model, (*place, "relationships"), document)
    if not allow_cycles:
        _check_cycles(model, (*place, "relationships"), document)


def _check_relationships(model: OssieModel, place: Place, document: YamlFile) -> None:
    names = {dataset.name.casefold(): dataset.name for dataset in model.datasets}
    for number, one in enumerate(model.relationships):
        for key, name in (("from", one.from_), ("to", one.to)):
            if name.casefold() not in names:
                near = did_you_mean(name, names.values())
                message = f"the relationship {one.name} names the dataset {name}, which is not there{near}"
                raise document.wrong((*place, number, key), message, "")
        own, other = len(one.from_columns), len(one.to_columns)
        if own != other:
            message = (
                f"the relationship {one.name} has {own} from_columns and {other} to_columns; each needs its partner"
            )
            raise document.wrong((*place, number, "to_columns"), message, "")


def _check_cycles(model: OssieModel, place: Place, document: YamlFile) -> None:
    names = {dataset.name.casefold(): dataset.name for dataset in model.datasets}
    ways: dict[str, list[str]] = {}
    for number, one in enumerate(model.relationships):
        start, end = one.from_.casefold(), one.to.casefold()
        if start == end:
            continue
        ways.setdefault(start, []).append(end)
        if trail := _way(ways, end, start):
            circle = " -> ".join(names[name] for name in (start, *trail))
            message = (
                f"the relationship {one.name} closes a circle ({circle}), which leaves two ways between the same datasets; "
                "take one out, or allow it with --allow-cycles"
            )
            raise document.wrong((*place, number), message, "")


def _way(ways: Mapping[str, list[str]], start: str, end: str) -> tuple[str, ...]:
    """The datasets on a way from one to another, both included; nothing where there is none."""
    trails: list[tuple[str, ...]] = [(start,)]
    seen = {start}
    while trails:
        trail = trails.pop()
        if trail[-1] == end:
            return trail
        for name in ways.get(trail[-1], ()):
            if name not in seen:
                seen.add(name)
                trails.append((*trail, name))
    return ()
