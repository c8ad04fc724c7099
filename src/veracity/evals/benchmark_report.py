"""A benchmark for people: `benchmark_report.md`, and the same for a terminal; what went wrong first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from veracity.errors import UsageError
from veracity.evals.benchmark import (
    MODE,
    OTHERWISE,
    SECONDS,
    BenchmarkJudgement,
    CaseRuns,
    Figures,
    Measured,
    seconds_for,
)
from veracity.evals.cases import Difficulty, EvalCase
from veracity.evals.records import EvalResults, Trial, TrialVerdict
from veracity.evals.report import write_whole
from veracity.evals.summary import WORTH, Tally, tried
from veracity.evals.writing import block, percent, plain, seconds, short, table

if TYPE_CHECKING:
    from rich.console import Group

_NONE, _SAME = "N/A", "0"
_MOST_LINES = 12
"""Failed questions that a terminal shows; the report has all of them."""

_HOW_TO_READ = """\
- **accuracy**: right answers over all trials, ± the standard deviation of the runs. An abstention, a timeout and an error are not right.
- **passed**: questions that were right in most of their runs.
- **consistency**: questions that ended in the same way in every run.
- **p50, p95**: half of the questions took at most p50 seconds, 95 of 100 at most p95. Latency is told, and never decides."""

_WHAT_COUNTS = """\
A regression is one of these; everything else is noise or progress:

- a question is wrong in a run now, and was in no run before;
- a question was right in every run before, and is in none now;
- accuracy fell by more than the noise: 2 · √(s² / trials before + s² / trials now), where s² is the variance of the runs of the
  same question, pooled over both sides. Runs that never differ have no noise: then every loss counts."""


class ReportLine(NamedTuple):
    """One figure before and now."""

    name: str
    before: str
    now: str
    change: str


def lines(judgement: BenchmarkJudgement) -> list[ReportLine]:
    """The figures of a benchmark beside those of its baseline."""
    now, before = judgement.now, judgement.before
    return [
        ReportLine(name, write(before) if before else "", write(now), change(before, now) if before else "")
        for name, write, change in _ROWS
    ]


def accuracy(side: Measured) -> str:
    """Accuracy as in 93.3 % ± 9.4 %; one run deviates from nothing."""
    deviation = f" ± {percent(side.figures.deviation)}" if side.runs > 1 else ""
    return f"{percent(side.figures.accuracy)}{deviation}"


def _passed(figures: Figures) -> str:
    return f"{figures.passed}/{figures.cases}"


def _points(before: float | None, now: float | None) -> str:
    if before is None or now is None:
        return ""
    return f"{(now - before) * 100:+.1f}" if now != before else _SAME


_Row = tuple[str, Callable[[Measured], str], Callable[[Measured, Measured], str]]


def _more(before: int, now: int) -> str:
    return f"{now - before:+d}" if now != before else _SAME


def _count(name: str, of: Callable[[Figures], int]) -> _Row:
    return name, lambda side: str(of(side.figures)), lambda a, b: _more(of(a.figures), of(b.figures))


def _time(name: str, of: Callable[[Figures], float]) -> _Row:
    def change(before: Measured, now: Measured) -> str:
        longer = of(now.figures) - of(before.figures)
        return f"{'-' if longer < 0 else '+'}{seconds(abs(longer))} s"

    return name, lambda side: f"{seconds(of(side.figures))} s", change


_ROWS: tuple[_Row, ...] = (
    ("accuracy", accuracy, lambda a, b: _points(a.figures.accuracy, b.figures.accuracy)),
    ("passed", lambda side: _passed(side.figures), lambda a, b: _more(a.figures.passed, b.figures.passed)),
    _count("wrong", lambda figures: figures.wrong),
    _count("abstained", lambda figures: figures.abstained),
    _count("timeouts", lambda figures: figures.timeouts),
    _count("errors", lambda figures: figures.errors),
    (
        "consistency",
        lambda side: _NONE if side.figures.consistency is None else percent(side.figures.consistency),
        lambda a, b: _points(a.figures.consistency, b.figures.consistency),
    ),
    _time("p50", lambda figures: figures.p50_seconds),
    _time("p95", lambda figures: figures.p95_seconds),
)


def verdict_on(judgement: BenchmarkJudgement) -> str:
    """The benchmark in one or two sentences."""
    now = judgement.now
    said = f"{accuracy(now)} right, {_passed(now.figures)} passed."
    if judgement.before is None:
        return said
    count = len(judgement.regressions)
    return f"{said} " + (f"It got worse: {' '.join(judgement.regressions)}" if count else "No regression.")


# --- what went wrong


def failed_first(results: EvalResults) -> list[tuple[EvalCase, list[Trial]]]:
    """Every question with its runs; wrong ones first, then the others that failed most."""
    found = tried(results)
    runs = [(case, found[case.id, MODE]) for case in results.cases]
    return sorted(runs, key=lambda each: _goodness(each[1]))


def _goodness(trials: Sequence[Trial]) -> tuple[int, int]:
    worths = [WORTH[trial.score.verdict] for trial in trials]
    return min(worths), sum(worths)


def detail(case: EvalCase, trials: Sequence[Trial]) -> str:
    """What went wrong in which runs, in one line; nothing when all were right."""
    by_reason: dict[str, list[int]] = {}
    for trial in trials:
        if trial.score.verdict is not TrialVerdict.RIGHT:
            by_reason.setdefault(_reason(case, trial), []).append(trial.run)
    if len(trials) == 1 or [len(runs) for runs in by_reason.values()] == [len(trials)]:
        return "; ".join(by_reason)
    return "; ".join(f"run {', '.join(map(str, runs))}: {reason}" for reason, runs in by_reason.items())


def _reason(case: EvalCase, trial: Trial) -> str:
    if trial.score.verdict is TrialVerdict.TIMEOUT:
        return f"timeout after {seconds_for(case):g}s"
    reasons = "; ".join(trial.score.reasons)
    # The judge tells most errors already.
    return reasons or trial.attempt.error or str(trial.score.verdict)


# --- the page


def write_benchmark(results: EvalResults, judgement: BenchmarkJudgement, path: Path) -> None:
    """Write the report, whole or not at all."""
    try:
        write_whole(path, benchmark_markdown(results, judgement))
    except OSError as error:
        raise UsageError(f"The report cannot be written to {path}: {(error.strerror or 'unknown').lower()}.") from None


def benchmark_markdown(results: EvalResults, judgement: BenchmarkJudgement) -> str:
    """The report as a page."""
    now = judgement.now
    parts = (
        _head(judgement),
        _by_difficulty(now, {case.id: case for case in results.cases}),
        _cases(results),
        _measured(results, now),
    )
    return "\n".join(line for part in parts for line in part)


def _head(judgement: BenchmarkJudgement) -> Iterator[str]:
    now, before = judgement.now, judgement.before
    yield f"# Benchmark of {plain(now.conditions.model, 80)}, {now.measured_at:%Y-%m-%d}"
    yield ""
    yield f"**{plain(verdict_on(judgement), 2_000)}**"
    yield ""
    if before is None:
        yield from table(("", "now"), ((line.name, line.now) for line in lines(judgement)), right=(1,))
        made = "This run is the baseline now." if judgement.baseline_updated else "`--update-baseline` makes one."
        yield f"There was no baseline to compare with. {made}"
    else:
        when = [f"{side.measured_at:%Y-%m-%d %H:%M}" for side in (before, now)]
        headings = ("", f"before ({when[0]})", f"now ({when[1]})", "change")
        yield from table(headings, lines(judgement), right=(1, 2, 3))
        chance = f"{judgement.noise * 100:.1f} points of accuracy" if judgement.noise else "none, so every loss counts"
        yield f"Noise between the runs: {chance}."
    yield ""


def _by_difficulty(now: Measured, cases: Mapping[str, EvalCase]) -> Iterator[str]:
    yield "## By difficulty"
    yield ""
    rows = []
    for difficulty in (*Difficulty, None):
        if group := [case for case in now.cases if case.difficulty is difficulty]:
            rows.append(_difficulty_row(difficulty, group, [cases[case.id] for case in group]))
    headings = ("difficulty", "time", "passed", "accuracy", "wrong", "timeouts", "p50", "p95")
    yield from table(headings, rows, right=range(1, len(headings)))


def _difficulty_row(
    difficulty: Difficulty | None, group: Sequence[CaseRuns], cases: Sequence[EvalCase]
) -> tuple[str, ...]:
    found = Figures.of(group)
    limit = f"{SECONDS[difficulty] if difficulty else OTHERWISE:g} s"
    own = " or its own" if any(case.timeout for case in cases) else ""
    return (
        difficulty or "not said",
        f"{limit}{own}",
        _passed(found),
        percent(found.accuracy),
        str(found.wrong),
        str(found.timeouts),
        f"{seconds(found.p50_seconds)} s",
        f"{seconds(found.p95_seconds)} s",
    )


def _cases(results: EvalResults) -> Iterator[str]:
    yield "## Questions"
    yield ""
    rows = (_case_row(case, trials) for case, trials in failed_first(results))
    yield from table(("id", "question", "difficulty", "ended", "longest", "what went wrong"), rows, right=(4,))


def _case_row(case: EvalCase, trials: Sequence[Trial]) -> tuple[str, ...]:
    tally = Tally.of(trials)
    ended = f"**{tally}**" if TrialVerdict.WRONG in tally.verdicts else str(tally)
    longest = max(trial.attempt.seconds for trial in trials)
    why = plain(detail(case, trials), 600)
    return plain(case.id, 80), plain(case.question, 160), case.difficulty or "-", ended, f"{seconds(longest)} s", why


def _measured(results: EvalResults, now: Measured) -> Iterator[str]:
    yield "## How it was measured"
    yield ""
    facts = (
        ("model", plain(now.conditions.model)),
        ("mode", f"{plain(now.conditions.mode, 40)}{', fast' if now.conditions.fast else ''}"),
        (
            "questions",
            f"{len(now.cases)} of {plain(now.conditions.questions)}, {now.runs} run{'s' if now.runs > 1 else ''}",
        ),
        ("data", plain(now.conditions.data)),
        ("started", f"{now.measured_at:%Y-%m-%d %H:%M %Z}".strip()),
        ("machine", plain(now.machine)),
        ("Veracity", plain(now.veracity, 40)),
    )
    yield from table(("", ""), facts)
    if (cost := results.summaries[0].cost) is not None:
        yield f"Cost: {cost:.4f} {plain(results.currency or '', 12)}"
        yield ""
    yield "Run it again:"
    yield ""
    yield from block(now.command)
    yield _HOW_TO_READ
    yield ""
    yield _WHAT_COUNTS
    yield ""


# --- the terminal


def benchmark_view(results: EvalResults, judgement: BenchmarkJudgement) -> Group:
    """The figures, what went wrong, and the verdict."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    view = Table(header_style="bold")
    columns = ["", "now"] if judgement.before is None else ["", "before", "now", "change"]
    for name in columns:
        view.add_column(name, justify="right" if name else "left", no_wrap=True)
    for line in lines(judgement):
        cells = (line.name, line.now) if judgement.before is None else line
        # What must not happen is red, where it did happen.
        view.add_row(*cells, style="bold red" if line.name == "wrong" and line.now != "0" else "")
    said = Text(verdict_on(judgement), style="bold red" if judgement.regressions else "bold")
    return Group(view, *map(Text, _failure_lines(results)), said)


def _failure_lines(results: EvalResults) -> Iterator[str]:
    failed = [(case, trials, why) for case, trials in failed_first(results) if (why := detail(case, trials))]
    for case, trials, why in failed[:_MOST_LINES]:
        yield f"{short(case.id, 40)}  {Tally.of(trials)}  {short(case.question, 80)}  {short(why, 200)}"
    if len(failed) > _MOST_LINES:
        yield f"and {len(failed) - _MOST_LINES} more that were not right every time"
