"""What a comparison with peers keeps, every attempt with its judgement and a row per peer, and its `report.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from veracity.answer.answer import Tokens
from veracity.evals.cases import EvalCase
from veracity.evals.records import Attempt, Ended, EvalResults, Score, Summary, TrialFigures, TrialVerdict
from veracity.evals.report import expected
from veracity.evals.run import RecordLines
from veracity.evals.scoring.judge import score_or_reason
from veracity.evals.summary import counted, tokens_of
from veracity.evals.writing import block, escaped, percent, seconds, table, without_empty
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
    versions: dict[str, str]
    false_refusals: int
    rounds: int
    """Calls of the model."""
    tokens: Tokens

    @classmethod
    def of(cls, peer: str, trials: Sequence[PeerTrial]) -> PeerRow:
        """The row of one trial or more."""
        attempts = [trial.attempt for trial in trials]
        return cls(
            **counted([trial.score.verdict for trial in trials], [attempt.seconds for attempt in attempts]),
            peer=peer,
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


# --- the report


_HEADINGS = (
    "", "asked", "right", "abstained", "wrong", "timeout", "error", "not judged", "accuracy", "p50 s", "model calls", "tokens in", "tokens out"
)  # fmt: skip


def report_markdown(results: PeerResults, beside: EvalResults | None, beside_path: Path | None) -> str:
    """The whole report."""
    rows = list(_rows(results, beside))
    names = without_empty(_HEADINGS, rows, ("not judged",))
    return "\n".join(
        [
            *_head(results),
            *table(names, ([row[name] for name in names] for row in rows), right=range(1, len(names))),
            *(_beside(results, beside, beside_path) if beside and beside_path else ()),
            *_questions(results),
            *_failures(results),
        ]
    )


def _head(results: PeerResults) -> Iterator[str]:
    yield "# Peers side by side"
    yield ""
    yield (
        f"{len(results.cases)} questions ({escaped(results.questions)}), model {escaped(results.model)}, "
        f"at most {results.timeout:g} s per question, {results.started_at:%Y-%m-%d}, {escaped(results.machine)}."
    )
    if not results.complete:
        yield ""
        yield "**Not finished**: run the same command again, and it goes on."
    yield ""
    yield from block(results.command)


def _rows(results: PeerResults, beside: EvalResults | None) -> Iterator[Mapping[str, str]]:
    for row in results.rows:
        versions = ", ".join(f"{name} {version}" for name, version in list(row.versions.items())[:1])
        yield _row(f"{row.peer} ({escaped(versions) if versions else 'did not start'})", row)
    for summary in beside.summaries if beside else ():
        yield _row(f"Veracity, {summary.mode}", summary)


def _row(name: str, row: PeerRow | Summary) -> Mapping[str, str]:
    counts = (row.trials, row.right, row.abstained, row.wrong, row.timeouts, row.errors, row.unjudged)
    figures = (percent(row.accuracy), seconds(row.p50_seconds), str(row.rounds), f"{row.tokens.input:,}", f"{row.tokens.output:,}")  # fmt: skip
    return dict(zip(_HEADINGS, (name, *map(str, counts), *figures), strict=True))


def _beside(results: PeerResults, beside: EvalResults, path: Path) -> Iterator[str]:
    yield f"The rows of Veracity are those of {escaped(str(path))}, of {beside.started_at:%Y-%m-%d}, model {escaped(beside.model)}."
    theirs, ours = {case.id: case for case in results.cases}, {case.id: case for case in beside.cases}
    if theirs != ours:
        yield "**They are of other questions; do not compare the rows.**"
    yield ""


def _questions(results: PeerResults) -> Iterator[str]:
    yield "## All questions"
    yield ""
    found = {(trial.peer, trial.case_id): trial for trial in results.trials}
    peers = [row.peer for row in results.rows]
    rows = ([escaped(case.id), escaped(case.question), *(_verdict(found.get((peer, case.id))) for peer in peers)] for case in results.cases)  # fmt: skip
    yield from table(["", "question", *peers], rows)


def _verdict(trial: PeerTrial | None) -> str:
    if trial is None:
        return "-"
    verdict = trial.score.verdict
    return f"**{verdict}**" if verdict is TrialVerdict.WRONG else verdict.value


def _failures(results: PeerResults) -> Iterator[str]:
    cases = {case.id: case for case in results.cases}
    failed = [trial for trial in results.trials if trial.score.verdict is not TrialVerdict.RIGHT]
    if not failed:
        return
    yield "## What went wrong"
    yield ""
    headings = ("", "peer", "expected", "it said", "why", "its last SQL")
    yield from table(headings, (_failure(cases[trial.case_id], trial) for trial in failed))


def _failure(case: EvalCase, trial: PeerTrial) -> Sequence[str]:
    attempt = trial.attempt
    statements = [str(call.arguments.get("sql", "")) for call in attempt.calls]
    return (
        escaped(case.id),
        f"{trial.peer}: {_verdict(trial)}",
        escaped(expected(_answer_only(case))),
        escaped(attempt.text or attempt.error or "nothing", 240),
        escaped("; ".join(trial.score.reasons), 240),
        escaped(statements[-1], 240) if statements else "none",
    )


def _answer_only(case: EvalCase) -> EvalCase:
    """What is expected of an answer; the calls of our own tools are not expected of a peer."""
    return case.model_copy(update={"expected_tool_pattern": None, "forbidden_tools": ()})
