"""What came over from a model of others, what did not, why, and where each of it stands in the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

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
class Findings:
    """Collects what becomes of each part while a file is read."""

    document: YamlFile
    taken: list[ModelPart] = field(default_factory=list)
    left: list[ModelPart] = field(default_factory=list)

    def took(self, kind: str, name: str, place: Place, became: str) -> None:
        """A part came over."""
        self.taken.append(self._part(kind, name, place, became=became))

    def leave(self, kind: str, name: str, place: Place, why: str) -> None:
        """A part has no home in an ontology."""
        self.left.append(self._part(kind, name, place, why=why))

    def _part(
        self, kind: str, name: str, place: Place, *, became: str | None = None, why: str | None = None
    ) -> ModelPart:
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).lstrip(".")
        line = self.document.line(place)
        return ModelPart(kind=kind, name=name, place=path, line=line, became=became, why=why)

    def report(self, file_format: str) -> ImportReport:
        """The report, in the order of the file."""
        taken, left = (tuple(sorted(parts, key=lambda part: part.line)) for parts in (self.taken, self.left))
        return ImportReport(file=str(self.document.path), format=file_format, taken=taken, left=left)


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
    if not report.left:
        yield "Nothing was left behind."
        return
    yield f"Left behind: {len(report.left)}."
    for parts in _by_reason(report.left):
        first, others = parts[0], len(parts) - 1
        if others < _NAMED:
            yield from (f"  line {part.line}: {part.kind} {part.name}: {part.why}" for part in parts)
        else:
            yield f"  line {first.line}: {first.kind} {first.name} and {others} more: {first.why}"


def _by_reason(parts: Iterable[ModelPart]) -> Iterator[Sequence[ModelPart]]:
    groups: dict[tuple[str, str | None], list[ModelPart]] = {}
    for part in parts:
        groups.setdefault((part.kind, part.why), []).append(part)
    yield from groups.values()
