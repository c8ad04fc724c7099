"""What a comparison with peers keeps: every attempt with its judgement, and a row per peer."""

from __future__ import annotations

import os
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from veracity.answer.answer import Tokens
from veracity.evals.cases import EvalCase
from veracity.evals.records import Attempt, Ended, Score, TrialVerdict
from veracity.evals.scoring.judge import score
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


class PeerRow(Wire):
    """What the trials of a peer come to; the same figures as the row of a mode."""

    peer: str
    versions: dict[str, str]
    asked: int
    right: int
    abstained: int
    wrong: int
    timeouts: int
    errors: int
    false_refusals: int
    accuracy: float
    """Right over all that was asked."""
    rounds: int
    """Calls of the model."""
    tokens: Tokens
    p50_seconds: float

    @classmethod
    def of(cls, peer: str, trials: Sequence[PeerTrial]) -> PeerRow:
        """The row of one trial or more."""
        verdicts = Counter(trial.score.verdict for trial in trials)
        attempts = [trial.attempt for trial in trials]
        return cls(
            peer=peer,
            versions=next((trial.versions for trial in reversed(trials) if trial.versions), {}),
            asked=len(trials),
            right=verdicts[TrialVerdict.RIGHT],
            abstained=verdicts[TrialVerdict.ABSTAINED],
            wrong=verdicts[TrialVerdict.WRONG],
            timeouts=verdicts[TrialVerdict.TIMEOUT],
            errors=verdicts[TrialVerdict.ERROR],
            false_refusals=sum(trial.score.false_refusal for trial in trials),
            accuracy=verdicts[TrialVerdict.RIGHT] / len(trials),
            rounds=sum(attempt.rounds for attempt in attempts),
            tokens=Tokens(
                prompt=sum(attempt.tokens.prompt for attempt in attempts),
                input=sum(attempt.tokens.input for attempt in attempts),
                output=sum(attempt.tokens.output for attempt in attempts),
            ),
            p50_seconds=statistics.median(attempt.seconds for attempt in attempts),
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
    trials: tuple[PeerTrial, ...]
    complete: bool
    """Every peer in it was asked every question."""


@dataclass(slots=True)
class Journal:
    """`peers.jsonl`: what was finished, also by an earlier start."""

    path: Path
    trials: dict[tuple[str, str], PeerTrial] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path) -> Journal:
        """The journal of a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        journal = cls(folder / "peers.jsonl")
        lines = journal.path.read_text(encoding="utf-8").splitlines() if journal.path.exists() else []
        for line in lines:
            try:
                trial = PeerTrial.model_validate_json(line)
            except ValidationError:
                continue  # the line that was being written when the machine went down
            journal.trials[trial.peer, trial.case_id] = trial
        return journal

    def kept(self, peer: str, case: EvalCase, fingerprint: str) -> PeerTrial | None:
        """A finished trial of the same question, model, prompt and data, judged as today."""
        trial = self.trials.get((peer, case.id))
        if trial is None or trial.fingerprint != fingerprint:
            return None
        return trial.model_copy(update={"score": score(case, trial.attempt)})

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
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(trial.model_dump_json() + "\n")
            stream.flush()
            os.fsync(stream.fileno())
