"""A check as SARIF 2.1.0, as GitHub's code scanning and editors read it.

Columns are UTF-16 code units, as editors count them. A finding is known again by its rule, its words and the text of its
requirement, so that it stays the same alert when lines move.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from veracity.requirements.baseline import fingerprint
from veracity.requirements.contracts import Place, Severity
from veracity.requirements.reading import RequirementDocument
from veracity.requirements.reading.document import whole
from veracity.requirements.reports.report import CheckedRequirement, CheckReport, LocatedFinding
from veracity.requirements.rules import RULES
from veracity.requirements.rules.rule import RuleInfo, info_on

MOST_RESULTS = 25_000
"""Results of one run; GitHub refuses a file with more."""
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
_RANK: dict[Severity, int] = {"error": 0, "warning": 1, "info": 2}
SOURCE_ROOT = "%SRCROOT%"
_LINK = re.compile(r"\[(?=[^\]\n]*\]\()")
_ROW = re.compile(r"(\d+)$")

Lines = Mapping[str, Sequence[str]]
"""Path -> its lines, to count columns in."""


def sarif_log(
    report: CheckReport, documents: Sequence[RequirementDocument], *, baseline: str | None = None
) -> dict[str, Any]:
    """The report as a SARIF log; paths are relative to the folder that the check runs in."""
    lines: Lines = {whole(str(one.path)): [line.text for line in one.source.lines()] for one in documents if one.source}
    told = [(one, finding) for one in report.requirements for finding in one.findings]
    kept = _heaviest(told)
    rules = _rules([finding for _, finding in kept])
    places = {rule["id"]: at for at, rule in enumerate(rules)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "Veracity", "version": version("veracity"), "rules": rules}},
                "columnKind": "utf16CodeUnits",
                "originalUriBaseIds": {SOURCE_ROOT: {"description": {"text": "The folder that the check was run in."}}},
                "invocations": [_invocation(report, len(told) - len(kept))],
                "results": list(_results(kept, places, lines, baseline)),
            }
        ],
    }


def _heaviest(
    told: list[tuple[CheckedRequirement, LocatedFinding]],
) -> list[tuple[CheckedRequirement, LocatedFinding]]:
    """All of them, or of too many the errors first, then the warnings; in the order of the file."""
    if len(told) <= MOST_RESULTS:
        return told
    chosen = sorted(range(len(told)), key=lambda at: (told[at][1].known, _RANK[told[at][1].severity], at))
    return [told[at] for at in sorted(chosen[:MOST_RESULTS])]


def _invocation(report: CheckReport, left_out: int) -> dict[str, Any]:
    said = list(report.notes)
    if left_out:
        said.append(f"{left_out:,} findings were left out: a file may hold {MOST_RESULTS:,}.")
    notes = [{"level": "note", "message": {"text": literal_text(note)}} for note in said]
    return {"executionSuccessful": True, **({"toolExecutionNotifications": notes} if notes else {})}


# --- rules


def _rules(found: Sequence[LocatedFinding]) -> list[dict[str, Any]]:
    """Every rule of ours, and those of a model that found something."""
    own: dict[str, Severity] = {rule.id: rule.info.severity for rule in RULES}
    others = {finding.rule: finding.severity for finding in found if finding.rule not in own}
    return [_rule(name, severity) for name, severity in (own | others).items()]


def _rule(name: str, severity: Severity) -> dict[str, Any]:
    known = info_on(name)
    called = "".join(word.capitalize() for word in re.findall(r"\w+", known.title["en"]))
    return {
        "id": name,
        # The standard wants no name at all where it would only repeat the id.
        **({"name": called} if called.upper() != name else {}),
        "shortDescription": {"text": f"{known.title['en']}."},
        "fullDescription": {"text": known.why},
        "help": {"text": _help(known), "markdown": _help_markdown(known)},
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": {"tags": ["requirements"], "problem.severity": _problem_severity(severity)},
    }


def _problem_severity(severity: Severity) -> str:
    """GitHub's word for it."""
    return "recommendation" if severity == "info" else severity


def _help(known: RuleInfo) -> str:
    example = f"\nInstead of: {known.before}\nWrite: {known.after}" if known.before else ""
    return f"{known.why}{example}"


def _help_markdown(known: RuleInfo) -> str:
    example = f"\n\n- Instead of: *{known.before}*\n- Write: *{known.after}*" if known.before else ""
    return f"{known.why}{example}\n\nIf the words are meant so: add them to the glossary, or switch the rule off."


# --- results


def _results(
    kept: Sequence[tuple[CheckedRequirement, LocatedFinding]],
    places: Mapping[str, int],
    lines: Lines,
    baseline: str | None,
) -> Iterator[dict[str, Any]]:
    seen = Counter[str]()
    for one, finding in kept:
        mark = fingerprint(one.requirement.text, finding)
        seen[mark] += 1
        result: dict[str, Any] = {
            "ruleId": finding.rule,
            "ruleIndex": places[finding.rule],
            "level": _LEVELS[finding.severity],
            "message": {"text": literal_text(_message(one, finding))},
            "locations": [_location(one, finding, lines)],
            # GitHub matches alerts by the first of these; the count tells the same words apart when they stand there twice.
            "partialFingerprints": {
                "primaryLocationLineHash": f"{mark[:16]}:{seen[mark]}",
                "veracityFinding/v1": f"{mark}:{seen[mark]}",
            },
            "properties": {"requirement": one.requirement.id, "score": one.score, "source": finding.source},
        }
        if finding.disputed:
            result["properties"]["disputed"] = True
        if finding.known:
            result["suppressions"] = [
                {"kind": "external", "status": "accepted", "justification": f"Known by {baseline or 'the baseline'}."}
            ]
        yield result


def _message(one: CheckedRequirement, finding: LocatedFinding) -> str:
    doubt = " (A language model disagrees.)" if finding.disputed else ""
    advice = f" {finding.suggestion}" if finding.suggestion else ""
    end = "" if finding.message.endswith((".", "?", "!")) else "."
    return f"{one.requirement.id}: {finding.message}{end}{advice}{doubt}"


def literal_text(text: str) -> str:
    """A text in which SARIF sees neither a placeholder nor a link."""
    return _LINK.sub(r"\\[", text).replace("{", "{{").replace("}", "}}")


def _location(one: CheckedRequirement, finding: LocatedFinding, lines: Lines) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": artifact_of(finding.place.path),
            "region": _region(finding, lines.get(finding.place.path, ())),
        },
        "logicalLocations": [{"name": one.requirement.id, "kind": "requirement", **_cell(finding.place)}],
    }


def _cell(place: Place) -> dict[str, str]:
    return {"fullyQualifiedName": place.cell} if place.cell is not None else {}


def artifact_of(path: str) -> dict[str, str]:
    """A path below the folder of the check is relative to it; any other is a URI of its own."""
    full = Path(path).absolute()
    try:
        return {"uri": quote(full.relative_to(Path.cwd()).as_posix()), "uriBaseId": SOURCE_ROOT}
    except ValueError:
        return {"uri": full.as_uri()}


def _region(finding: LocatedFinding, lines: Sequence[str]) -> dict[str, int]:
    """Where it stands. GitHub wants a line: in a workbook it is the row, elsewhere the first."""
    start, end = finding.place, finding.end
    if start.line is None:
        row = _ROW.search(start.cell or "")
        return {"startLine": int(row[1]) if row else 1}
    region = {"startLine": start.line, "startColumn": _units(lines, start)}
    if end is not None and end.line is not None and (end.line, end.column or 0) > (start.line, start.column or 0):
        region |= {"endLine": end.line, "endColumn": _units(lines, end)}
    return region


def _units(lines: Sequence[str], place: Place) -> int:
    """A column counted in UTF-16 code units; a character beyond the first 65,536 is two of them."""
    line, column = place.line or 1, place.column or 1
    before = lines[line - 1][: column - 1] if line <= len(lines) else ""
    return column + sum(sign > "\uffff" for sign in before)
