"""What `ontology check` found: as text for people, as JSON, or as SARIF 2.1.0 for code scanning; with file and line."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.errors import OntologyError, UsageError
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.query.findings import OntologyFinding
from veracity.yaml_file import read_document

if TYPE_CHECKING:
    from veracity.yaml_file import YamlFile

MOST_RESULTS = 25_000
"""Results of one run; GitHub refuses a file with more."""


@dataclass(frozen=True)
class OntologyReport:
    """The findings of one check, ready to be written."""

    ontology: OntologyDescriptor
    path: Path | None
    """Where the ontology is written."""
    findings: Sequence[OntologyFinding]
    asked: int | None
    """How many questions were asked; None where the ontology is too broken to be asked."""

    @property
    def fails(self) -> bool:
        """Whether anything does not fit; a note does not count."""
        return any(one.level != "note" for one in self.findings)

    @cached_property
    def _files(self) -> dict[str, YamlFile]:
        names = {one.file for one in self.findings if one.file}
        files = {name: read_document(name, UsageError, "a question file") for name in names}
        if self.path is not None:
            files[""] = read_document(self.path, OntologyError, "an ontology")
        return files

    def _located(self, finding: OntologyFinding) -> tuple[Path, int] | None:
        """File and line of what a finding is about."""
        document = self._files.get(finding.file or "")
        return (document.path, document.line(finding.place)) if document else None

    # --- for people

    def text(self) -> str:
        """One line for each finding, and a last one that sums up."""
        return "\n".join([*map(self._line, self.findings), self._end()])

    def _line(self, finding: OntologyFinding) -> str:
        place = self._located(finding)
        at = f"{place[0]}, line {place[1]}: " if place and finding.place else ""
        shown = json.loads(finding.model_dump_json())["example"]
        such = f"such as {shown}" if finding.count and shown else f"answer: {shown['answer']}" if shown else ""
        rows = f"{finding.count} row{'s' if finding.count > 1 else ''}" if finding.count else ""
        more = ", ".join(filter(None, (rows, such)))
        kind = "" if finding.level == "error" else f"{finding.level}: "
        return f"{at}{kind}{finding.where}: {finding.message}{f' ({more})' if more else ''}"

    def _end(self) -> str:
        code, levels = self.ontology.feature_code, Counter(one.level for one in self.findings)
        questions = f" {self.asked} question{'s' if self.asked != 1 else ''} asked." if self.asked else ""
        unasked = " Its questions were not asked: mend it first." if self.asked is None else ""
        if not self.fails:
            return f"{code}: everything it declares fits the source.{questions}{unasked}"
        told = ", ".join(f"{levels[one]} {one}{'s' if levels[one] > 1 else ''}" for one in ("error", "warning", "note") if levels[one])  # fmt: skip
        return f"{code}: {told}.{questions}{unasked}"

    # --- for machines

    def json(self) -> str:
        """A list of findings."""
        return json.dumps([self._record(one) for one in self.findings], ensure_ascii=False)

    def _record(self, finding: OntologyFinding) -> dict[str, Any]:
        place = self._located(finding)
        found: dict[str, Any] = json.loads(finding.model_dump_json())
        return found | ({"file": str(place[0]), "line": place[1]} if place else {})

    def sarif(self) -> str:
        """A SARIF log with a rule for each check; it never holds data."""
        from veracity.requirements.reports.sarif import SCHEMA, SOURCE_ROOT

        kept = sorted(self.findings, key=lambda one: ("error", "warning", "note").index(one.level))[:MOST_RESULTS]
        rules = sorted({one.check for one in kept})
        run = {
            "tool": {"driver": {"name": "Veracity", "version": version("veracity"), "rules": [*map(_rule, rules)]}},
            "columnKind": "utf16CodeUnits",
            "originalUriBaseIds": {SOURCE_ROOT: {"description": {"text": "The folder that the check was run in."}}},
            "invocations": [{"executionSuccessful": True}],
            "results": list(self._results(kept, rules)),
        }
        return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)

    def _results(self, kept: Sequence[OntologyFinding], rules: Sequence[str]) -> Iterator[dict[str, Any]]:
        from veracity.requirements.reports.sarif import artifact_of, literal_text

        seen = Counter[str]()
        for finding in kept:
            rows = f" ({finding.count} rows)" if finding.count else ""
            text = f"{finding.where}: {finding.message}"
            mark = hashlib.sha256(f"{finding.check} {text}".encode()).hexdigest()[:16]
            seen[mark] += 1
            location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": finding.where}]}
            if (place := self._located(finding)) is not None:
                region = {"startLine": place[1]}
                location["physicalLocation"] = {"artifactLocation": artifact_of(str(place[0])), "region": region}
            yield {
                "ruleId": finding.check,
                "ruleIndex": rules.index(finding.check),
                "level": finding.level,
                "message": {"text": literal_text(text + rows)},
                "locations": [location],
                "partialFingerprints": {"primaryLocationLineHash": f"{mark}:{seen[mark]}"},
            }


def _rule(name: str) -> dict[str, Any]:
    """What a check demands, in the words of its name."""
    said = name.replace("-", " ")
    return {
        "id": name,
        "name": "".join(word.capitalize() for word in said.split()),
        "shortDescription": {"text": f"{said.capitalize()}."},
        "properties": {"tags": ["ontology"]},
    }
