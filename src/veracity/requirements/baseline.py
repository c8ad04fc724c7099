"""A baseline: the findings that a document has already, so that a check only tells what is new.

A finding is known by its rule, its words and the text of its requirement. So lines may move and ids may change; a requirement
that is rewritten is judged anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from veracity.errors import UsageError
from veracity.requirements.contracts import Judged, RequirementFinding
from veracity.yaml_file import read_bytes

_MOST_BYTES = 100_000_000


class _File(BaseModel):
    """What a baseline file holds; the counts are for people, the prints are what is compared."""

    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    findings: dict[str, int] = Field(default_factory=dict)
    """Rule -> how many findings were known when the file was written."""
    known: list[str]


@dataclass(frozen=True, slots=True)
class Baseline:
    """Findings that are known."""

    known: frozenset[str]

    def fresh(self, judged: Judged) -> tuple[RequirementFinding, ...]:
        """The findings of a requirement that are not known."""
        return tuple(
            finding for finding in judged.findings if fingerprint(judged.requirement.text, finding) not in self.known
        )

    def excuses(self, judged: Judged) -> bool:
        """Whether a requirement may fail: the rules have findings, and all of them are known. What a model adds is not compared."""
        own = judged.model_copy(update={"findings": tuple(one for one in judged.findings if one.source == "rule")})
        return bool(own.findings) and not self.fresh(own)


def fingerprint(text: str, finding: RequirementFinding) -> str:
    """What a finding is known by; space and case do not count."""
    parts = (finding.rule, " ".join(finding.text.split()).casefold(), " ".join(text.split()).casefold())
    return sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def write_baseline(path: str | Path, judged: Iterable[Judged]) -> int:
    """Writes every finding into a baseline file; returns how many there are."""
    known: set[str] = set()
    counts: dict[str, int] = {}
    for one in judged:
        for finding in one.findings:
            known.add(fingerprint(one.requirement.text, finding))
            counts[finding.rule] = counts.get(finding.rule, 0) + 1
    file = _File(findings=dict(sorted(counts.items())), known=sorted(known))
    try:
        Path(path).write_text(file.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "there can be no such file"
        raise UsageError(f"{path} cannot be written: {reason.lower()}.") from None
    return sum(counts.values())


def load_baseline(path: str | Path) -> Baseline:
    """The findings of a baseline file; raises `UsageError` when it is none."""
    raw = read_bytes(
        Path(path),
        UsageError,
        most=_MOST_BYTES,
        too_long="write the baseline anew",
        otherwise="; write a baseline first",
    )
    try:
        return Baseline(frozenset(_File.model_validate(json.loads(raw)).known))
    except (ValidationError, ValueError, RecursionError):
        raise UsageError(f"{path} is not a baseline file of Veracity; write it anew.") from None
