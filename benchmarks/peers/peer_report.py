"""`report.md` of a comparison with peers, with the rows of our own modes where their results are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from peer_results import PeerResults, PeerRow, PeerTrial

from veracity.evals.breakdown import SOURCE, groups_of
from veracity.evals.cases import EvalCase
from veracity.evals.records import EvalResults, Summary, TrialVerdict
from veracity.evals.report import expected
from veracity.evals.summary import summarize
from veracity.evals.writing import block, escaped, percent, seconds, table, without_empty

_HEADINGS = (
    "", "asked", "right", "abstained", "wrong", "timeout", "error", "not judged", "accuracy", "p50 s", "model calls", "tokens in", "tokens out"
)  # fmt: skip


def report_markdown(results: PeerResults, beside: EvalResults | None, beside_path: Path | None) -> str:
    """The whole report."""
    same = _same_questions(results, beside) if beside else None
    rows = list(_rows(results, same or beside))
    names = without_empty(_HEADINGS, rows, ("not judged",))
    return "\n".join(
        [
            *_head(results),
            *table(names, ([row[name] for name in names] for row in rows), right=range(1, len(names))),
            *(_beside(beside, beside_path, comparable=same is not None) if beside and beside_path else ()),
            *_by_source(results, same),
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


def _same_questions(results: PeerResults, ours: EvalResults) -> EvalResults | None:
    """Our results of the questions that the peers were asked; None where one of these is missing or another."""
    # As JSON: what was read back from a file has texts where a question file has decimals.
    known = {case.id: case.model_dump_json() for case in ours.cases}
    if any(known.get(case.id) != case.model_dump_json() for case in results.cases):
        return None
    asked = {case.id for case in results.cases}
    trials = tuple(trial for trial in ours.trials if trial.case_id in asked)
    return ours.model_copy(
        update={
            "cases": results.cases,
            "trials": trials,
            "summaries": tuple(summarize(mode, trials) for mode in ours.modes),
            "groups": groups_of(results.cases, trials),
        }
    )


def _beside(ours: EvalResults, path: Path, *, comparable: bool) -> Iterator[str]:
    yield f"The rows of Veracity are those of {escaped(str(path))}, of {ours.started_at:%Y-%m-%d}, model {escaped(ours.model)}."
    if not comparable:
        yield "**They are of other questions; do not compare the rows.**"
    yield ""


def _by_source(results: PeerResults, ours: EvalResults | None) -> Iterator[str]:
    """The figures apart, where the questions are about several sources."""
    if len({row.source for row in results.by_source}) < 2:
        return
    yield "## By source"
    yield ""
    peers = ((row.peer, row.source or "", row.right, row.wrong, row.trials) for row in results.by_source)
    modes = (
        (f"Veracity, {group.mode}", group.name, group.right, group.wrong, group.trials)
        for group in (ours.groups if ours else ())
        if group.by == SOURCE
    )
    rows = (
        [name, escaped(source), str(right), f"**{wrong}**" if wrong else "0", str(trials - right - wrong), str(trials)]
        for name, source, right, wrong, trials in (*peers, *modes)
    )
    yield from table(("", "source", "right", "wrong", "not answered", "of"), rows, right=range(2, 6))


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
