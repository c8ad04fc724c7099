"""The coverage verifier: which of the approved sources were really taken up, counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

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
    """How many of the approved sources arrived; a partial success shows as what it is."""

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
