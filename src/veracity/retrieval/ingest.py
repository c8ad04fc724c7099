"""Approved sources enter a corpus. The default writes each as a Markdown file that says where it comes from."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from veracity.durable.sqlite_file import Timestamp
from veracity.errors import SourceError
from veracity.retrieval.contracts import RankedItem, SearchCandidate

_LONGEST_NAME = 60


class ApprovedSource(BaseModel):
    """A candidate that may enter the corpus, and who said so."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    candidate: SearchCandidate
    item: RankedItem | None = None
    """How it was ranked; nothing where it was only recommended."""
    review_id: str
    question: str
    decision: str
    """approved, or auto_approved by the clock."""
    who: str
    at: Timestamp
    collection: str | None = None
    """The collection it was wanted for, which it then is in."""
    tenant: str = "local"
    """Whose corpus it enters."""


class Ingest(Protocol):
    """Whatever takes up sources. A step may run twice: taking up a source again must be the same as once."""

    def take(self, source: ApprovedSource) -> str | None:
        """Take a source up; returns where it is. Raises `SourceError` when it cannot be."""

    def look(self, source: ApprovedSource) -> IngestOutcome:
        """Whether the source is really there; `pending` where that is not known yet."""


class MarkdownFolder:
    """A folder with one Markdown file for each source, named after its id."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def take(self, source: ApprovedSource) -> str:
        """Write the file, whole or not at all."""
        path = self._path(source)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _write_whole(path, _markdown_page(source))
        except OSError as error:
            raise SourceError(_unwritable(path, error)) from error
        return str(path)

    def look(self, source: ApprovedSource) -> IngestOutcome:
        """Whether the file is there and holds this source as it was approved, here or in another review."""
        path, name = self._path(source), source.candidate.id
        try:
            found = path.read_bytes()
        except OSError:
            return IngestOutcome(candidate_id=name, state="failed", why=f"{path} is not there.")
        if found != _markdown_page(source) and not _approved_elsewhere(found, source):
            return IngestOutcome(candidate_id=name, state="failed", why=f"{path} holds something else.")
        return IngestOutcome(candidate_id=name, state="ingested", place=str(path))

    def _path(self, source: ApprovedSource) -> Path:
        """A name that stays in the folder, whatever the id is, and that no other id has."""
        name = source.candidate.id
        readable = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:_LONGEST_NAME]
        return self.folder / f"{readable or 'source'}-{sha256(name.encode()).hexdigest()[:12]}.md"


def _write_whole(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _markdown_page(source: ApprovedSource) -> bytes:
    """Provenance on top, then what was found of the source; nothing is added to it."""
    candidate = source.candidate
    provenance = {
        "id": candidate.id,
        "url": candidate.url,
        "title": candidate.title,
        "detected_date": candidate.model_dump(mode="json")["detected_date"],
        "domain_type": candidate.domain_type,
        "trust": candidate.trust,
        "normative": candidate.normative,
        "review": source.review_id,
        "question": source.question,
        "decision": source.decision,
        "decided_by": source.who,
        "decided_at": source.model_dump(mode="json")["at"],
    }
    if source.collection:
        provenance["collection"] = source.collection
    # JSON is YAML, too: no title or address can break out of its line.
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in provenance.items()]
    title = " ".join(candidate.title.split()) or candidate.id
    text = "\n".join(["---", *lines, "---", "", f"# {title}", "", candidate.snippet, ""])
    return text.encode()


def _approved_elsewhere(found: bytes, source: ApprovedSource) -> bool:
    """Whether a file holds the same source as another review approved it: the last one to take it up has written it."""
    head = found.split(b"\n---\n", 1)[0].split(b"\n")
    reviews = [line for line in head if line.startswith(b"review: ")]
    own = f"review: {json.dumps(source.review_id)}".encode()
    identity = f"id: {json.dumps(source.candidate.id, ensure_ascii=False)}".encode()
    return head[:2] == [b"---", identity] and len(reviews) == 1 and reviews != [own]


def _unwritable(path: Path, error: OSError) -> str:
    reason = (error.strerror or "it is not possible").lower()
    return f"{path} cannot be written: {reason}; check the folder and its rights."


# --- the coverage verifier: which of the approved sources were really taken up, counted


IngestState = Literal["ingested", "failed", "pending"]


class IngestOutcome(BaseModel):
    """What became of one approved source."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    candidate_id: str
    state: IngestState = "pending"
    place: str | None = None
    """Where it is found now."""
    why: str | None = None
    """Why it failed, or is not known yet."""


class CoverageSummary(BaseModel):
    """How many of the approved sources were taken up, failed, or are pending."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ingested_count: int = Field(default=0, ge=0)
    failed_count: int = Field(default=0, ge=0)
    pending_count: int = Field(default=0, ge=0)
    success_ratio: float = Field(default=0.0, ge=0, le=1)
    """Ingested of all; 0 when there is nothing."""


def summarise(outcomes: Sequence[IngestOutcome]) -> CoverageSummary:
    """Count what became of sources."""
    counts = {state: sum(1 for one in outcomes if one.state == state) for state in ("ingested", "failed", "pending")}
    ratio = counts["ingested"] / len(outcomes) if outcomes else 0.0
    return CoverageSummary(**{f"{state}_count": count for state, count in counts.items()}, success_ratio=ratio)
