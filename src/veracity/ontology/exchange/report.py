"""What came over from a model of others, what did not, why, and where each of it stands in the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pydantic import ValidationError

from veracity.errors import VeracityError
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.wire import Wire
from veracity.yaml_file import YamlFile

Place = tuple[str | int, ...]
"""A part of a file: `("semantic_model", 0, "metrics", 2)`."""
_NAMED = 3
"""So many parts that stayed behind for the same reason are named; of more, one is, and the number of the others."""


class ModelPart(Wire):
    """A part of a file and what became of it."""

    kind: str
    """What it is in the words of the file: dataset, field, relationship, metric, or a key such as datatype."""
    name: str
    place: str
    line: int
    became: str | None = None
    """What it is in the ontology."""
    note: str | None = None
    """What to know about it, though it came over."""
    why: str | None = None
    """Why it did not come over."""


class ImportReport(Wire):
    """All parts of an imported file."""

    file: str
    format: str
    taken: tuple[ModelPart, ...]
    left: tuple[ModelPart, ...]


@dataclass(frozen=True, slots=True)
class ImportedModel:
    """An ontology that was made of a file, and the report about it."""

    ontology: OntologyDescriptor
    report: ImportReport


@dataclass(slots=True)
class ImportFindings:
    """Collects what becomes of each part while a file is read."""

    document: YamlFile
    taken: list[ModelPart] = field(default_factory=list)
    left: list[ModelPart] = field(default_factory=list)

    def took(self, kind: str, name: str, place: Place, became: str, note: str | None = None) -> None:
        """A part came over."""
        self.taken.append(self._part(kind, name, place, became=became, note=note))

    def leave(self, kind: str, name: str, place: Place, why: str) -> None:
        """A part has no home in an ontology."""
        self.left.append(self._part(kind, name, place, why=why))

    def _part(self, kind: str, name: str, place: Place, **said: str | None) -> ModelPart:
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).lstrip(".")
        line = self.document.line(place)
        return ModelPart(kind=kind, name=name, place=path, line=line, **said)

    def report(self, file_format: str) -> ImportReport:
        """The report, in the order of the file."""
        taken, left = (tuple(sorted(parts, key=lambda part: part.line)) for parts in (self.taken, self.left))
        return ImportReport(file=str(self.document.path), format=file_format, taken=taken, left=left)


_FORMS = {
    "tuple_type": "a list belongs here",
    "model_type": "a map belongs here",
    "dict_type": "a map belongs here",
    "string_type": "a text belongs here",
    "bool_type": "true or false belongs here",
    "missing": "it is missing",
    "too_short": "it is empty",
    "string_too_short": "it is empty",
}
"""What pydantic calls a wrong form, as people would."""


def wrong_form(document: YamlFile, place: Place, error: ValidationError) -> VeracityError:
    """The error to raise for the first part of a file that has the wrong form."""
    first = error.errors()[0]
    return document.wrong((*place, *first["loc"]), _FORMS.get(first["type"], first["msg"]))


def report_lines(imported: ImportedModel) -> Iterator[str]:
    """The report for people: one line of what came over, then what did not."""
    ontology, report = imported.ontology, imported.report
    counted = (
        (len(ontology.entities), "entity", "entities"),
        (sum(len(entity.fields) for entity in ontology.entities), "field", "fields"),
        (len(ontology.relations), "relation", "relations"),
        (sum(len(entity.measures) for entity in ontology.entities), "measure", "measures"),
        (sum(len(entity.segments) for entity in ontology.entities), "segment", "segments"),
    )
    came = ", ".join(f"{number} {one if number == 1 else many}" for number, one, many in counted if number)
    yield f"{report.file} ({report.format}): {came} came over."
    noted = [part for part in report.taken if part.note]
    by_line = any(part.line > 1 for part in report.taken)
    if noted:
        yield f"To look at: {len(noted)}."
        yield from _lines(noted, by_line=by_line)
    yield f"Left behind: {len(report.left) or 'nothing'}."
    yield from _lines(report.left, by_line=by_line)


def _lines(parts: Iterable[ModelPart], *, by_line: bool) -> Iterator[str]:
    """A line each; a file that is all one line has no lines to name, so that the place is told by its path."""

    def told(part: ModelPart) -> str:
        return f"  {f'line {part.line}' if by_line else part.place}: {part.kind} {part.name}"

    groups: dict[tuple[str, str | None], list[ModelPart]] = {}
    for part in parts:
        groups.setdefault((part.kind, part.why or part.note), []).append(part)
    for (_, reason), alike in groups.items():
        if len(alike) <= _NAMED:
            yield from (f"{told(part)}: {reason}" for part in alike)
        else:
            yield f"{told(alike[0])} and {len(alike) - 1} more: {reason}"
