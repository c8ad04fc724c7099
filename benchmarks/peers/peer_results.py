"""What a comparison with peers keeps: every attempt with its judgement, a row per peer, and one per peer and source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from veracity.answer.answer import Tokens
from veracity.evals.cases import EvalCase
from veracity.evals.records import Attempt, Ended, Score, TrialFigures
from veracity.evals.run import RecordLines
from veracity.evals.scoring.judge import score_or_reason
from veracity.evals.summary import counted, tokens_of
from veracity.wire import Wire


class PeerTrial(Wire):
    """One line of `peers.jsonl`."""

    peer: str
    case_id: str
    fingerprint: str
    """Of everything that the attempt depends on; a trial with another one does not count."""
    at: datetime
    versions: dict[str, str] = {}
    attempt: Attempt
    score: Score


class PeerRow(TrialFigures):
    """What the trials of a peer come to; the same figures as the row of a mode."""

    peer: str
    source: str | None = None
    """The source of the questions; without it, all of them."""
    versions: dict[str, str]
    false_refusals: int
    rounds: int
    """Calls of the model."""
    tokens: Tokens

    @classmethod
    def of(cls, peer: str, trials: Sequence[PeerTrial], source: str | None = None) -> PeerRow:
        """The row of one trial or more."""
        attempts = [trial.attempt for trial in trials]
        return cls(
            **counted([trial.score.verdict for trial in trials], [attempt.seconds for attempt in attempts]),
            peer=peer,
            source=source,
            versions=next((trial.versions for trial in reversed(trials) if trial.versions), {}),
            false_refusals=sum(trial.score.false_refusal for trial in trials),
            rounds=sum(attempt.rounds for attempt in attempts),
            tokens=tokens_of(attempts),
        )


class PeerResults(Wire):
    """`peers.json`."""

    veracity: str
    model: str
    questions: str
    command: str
    started_at: datetime
    machine: str
    timeout: float
    cases: tuple[EvalCase, ...]
    rows: tuple[PeerRow, ...]
    by_source: tuple[PeerRow, ...] = ()
    trials: tuple[PeerTrial, ...]
    complete: bool
    """Every peer in it was asked every question."""


@dataclass(slots=True)
class Journal:
    """`peers.jsonl`: what was finished, also by an earlier start."""

    lines: RecordLines[PeerTrial]
    trials: dict[tuple[str, str], PeerTrial]

    @classmethod
    def open(cls, folder: Path) -> Journal:
        """The journal of a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        lines = RecordLines.open(folder / "peers.jsonl", PeerTrial)
        return cls(lines, {(trial.peer, trial.case_id): trial for trial in lines.records})

    def kept(self, peer: str, case: EvalCase, fingerprint: str) -> PeerTrial | None:
        """A finished trial of the same question, model, prompt and data, judged as today."""
        trial = self.trials.get((peer, case.id))
        if trial is None or trial.fingerprint != fingerprint:
            return None
        return trial.model_copy(update={"score": score_or_reason(case, trial.attempt)})

    def finished(self, peer: str, case: EvalCase, fingerprint: str, timeout: float) -> PeerTrial | None:
        """One that is not tried again: it did not fail, and did not end for want of time that it has now."""
        trial = self.kept(peer, case, fingerprint)
        if trial is None or trial.attempt.ended is Ended.ERROR:
            return None
        short = trial.attempt.ended is Ended.TIMEOUT and trial.attempt.seconds < timeout - 1
        return None if short else trial

    def add(self, trial: PeerTrial) -> None:
        """Keep a trial, on the disk at once."""
        self.trials[trial.peer, trial.case_id] = trial
        self.lines.add(trial)
