"""`report.md` of a comparison: a row per peer beside the rows of our modes, and what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from peer_records import PeerResults, PeerRow, PeerTrial

from veracity.evals.cases import EvalCase
from veracity.evals.records import EvalResults, Summary, TrialVerdict
from veracity.evals.report import expected
from veracity.evals.writing import block, percent, plain, seconds, table

_HEADINGS = (
    "", "asked", "right", "abstained", "wrong", "timeout", "error", "accuracy", "p50 s", "model calls", "tokens in", "tokens out"
)  # fmt: skip


def report_markdown(results: PeerResults, beside: EvalResults | None, beside_path: Path | None) -> str:
    """The whole report."""
    return "\n".join(
        [
            *_head(results),
            *table(_HEADINGS, _rows(results, beside), right=range(1, len(_HEADINGS))),
            *(_beside(results, beside, beside_path) if beside and beside_path else ()),
            *_questions(results),
            *_failures(results),
        ]
    )


def _head(results: PeerResults) -> Iterator[str]:
    yield "# Peers side by side"
    yield ""
    yield (
        f"{len(results.cases)} questions ({plain(results.questions)}), model {plain(results.model)}, "
        f"at most {results.timeout:g} s per question, {results.started_at:%Y-%m-%d}, {plain(results.machine)}."
    )
    if not results.complete:
        yield ""
        yield "**Not finished**: run the same command again, and it goes on."
    yield ""
    yield from block(results.command)


def _rows(results: PeerResults, beside: EvalResults | None) -> Iterator[Sequence[str]]:
    for row in results.rows:
        versions = ", ".join(f"{name} {version}" for name, version in list(row.versions.items())[:1])
        yield _row(f"{row.peer} ({plain(versions) if versions else 'did not start'})", row.asked, row)
    for summary in beside.summaries if beside else ():
        yield _row(f"Veracity, {summary.mode}", summary.trials, summary)


def _row(name: str, asked: int, row: PeerRow | Summary) -> Sequence[str]:
    counts = (asked, row.right, row.abstained, row.wrong, row.timeouts, row.errors)
    tokens = row.tokens
    return (
        name,
        *map(str, counts),
        percent(row.accuracy),
        seconds(row.p50_seconds),
        str(row.rounds),
        f"{tokens.input:,}",
        f"{tokens.output:,}",
    )


def _beside(results: PeerResults, beside: EvalResults, path: Path) -> Iterator[str]:
    yield f"The rows of Veracity are those of {plain(str(path))}, of {beside.started_at:%Y-%m-%d}, model {plain(beside.model)}."
    theirs, ours = {case.id: case for case in results.cases}, {case.id: case for case in beside.cases}
    if theirs != ours:
        yield "**They are of other questions; do not compare the rows.**"
    yield ""


def _questions(results: PeerResults) -> Iterator[str]:
    yield "## All questions"
    yield ""
    found = {(trial.peer, trial.case_id): trial for trial in results.trials}
    peers = [row.peer for row in results.rows]
    rows = ([plain(case.id), plain(case.question), *(_verdict(found.get((peer, case.id))) for peer in peers)] for case in results.cases)  # fmt: skip
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
        plain(case.id),
        f"{trial.peer}: {_verdict(trial)}",
        plain(expected(_answer_only(case))),
        plain(attempt.text or attempt.error or "nothing", 240),
        plain("; ".join(trial.score.reasons), 240),
        plain(statements[-1], 240) if statements else "none",
    )


def _answer_only(case: EvalCase) -> EvalCase:
    """What is expected of an answer; the calls of our own tools are not expected of a peer."""
    return case.model_copy(update={"expected_tool_pattern": None, "forbidden_tools": ()})
