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
from veracity.evals.breakdown import breakdown_page
from veracity.evals.cases import Difficulty, EvalCase
from veracity.evals.records import EvalResults, Trial, TrialVerdict
from veracity.evals.report import verdicts_in_bold_if_wrong
from veracity.evals.summary import Tally, failed, tried, worst_first
from veracity.evals.writing import escaped, heading, how_to_run_again, percent, seconds, short, table, write_whole

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


# --- the figures beside those of the baseline


class ReportLine(NamedTuple):
    """One figure before and now."""

    name: str
    before: str
    now: str
    change: str


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


def _more(before: int, now: int) -> str:
    return f"{now - before:+d}" if now != before else _SAME


def _longer(before: float, now: float) -> str:
    return f"{'-' if now < before else '+'}{seconds(abs(now - before))} s"


_Line = tuple[str, Callable[[Measured], str], Callable[[Figures, Figures], str]]


def _count(name: str, field: str) -> _Line:
    return (
        name,
        lambda side: str(getattr(side.figures, field)),
        lambda a, b: _more(getattr(a, field), getattr(b, field)),
    )


_LINES: tuple[_Line, ...] = (
    ("accuracy", accuracy, lambda a, b: _points(a.accuracy, b.accuracy)),
    ("passed", lambda side: _passed(side.figures), lambda a, b: _more(a.passed, b.passed)),
    _count("wrong", "wrong"),
    _count("abstained", "abstained"),
    _count("timeouts", "timeouts"),
    _count("errors", "errors"),
    _count("not judged", "unjudged"),
    (
        "consistency",
        lambda side: _NONE if side.figures.consistency is None else percent(side.figures.consistency),
        lambda a, b: _points(a.consistency, b.consistency),
    ),
    ("p50", lambda side: f"{seconds(side.figures.p50_seconds)} s", lambda a, b: _longer(a.p50_seconds, b.p50_seconds)),
    ("p95", lambda side: f"{seconds(side.figures.p95_seconds)} s", lambda a, b: _longer(a.p95_seconds, b.p95_seconds)),
)


def lines(judgement: BenchmarkJudgement) -> list[ReportLine]:
    """The figures of a benchmark beside those of its baseline; trials that could not be judged only where there are some."""
    now, before = judgement.now, judgement.before
    found = (
        ReportLine(name, write(before), write(now), change(before.figures, now.figures))
        if before
        else ReportLine(name, "", write(now), "")
        for name, write, change in _LINES
    )
    return [line for line in found if line.name != "not judged" or line.now != "0"]


def verdict_on(judgement: BenchmarkJudgement) -> str:
    """The benchmark in one or two sentences."""
    now = judgement.now
    result = f"{accuracy(now)} right, {_passed(now.figures)} passed."
    if judgement.before is None:
        return result
    worse = f"It got worse: {' '.join(judgement.regressions)}"
    return f"{result} {worse if judgement.regressions else 'No regression.'}"


# --- what went wrong


def failed_first(results: EvalResults) -> list[tuple[EvalCase, list[Trial]]]:
    """Every question with its runs; wrong ones first, then the others that failed most."""
    found = tried(results)
    return [(case, found[case.id, MODE]) for case in worst_first(results)]


def detail(case: EvalCase, trials: Sequence[Trial]) -> str:
    """What went wrong in which runs, in one line; nothing when all were right."""
    by_reason: dict[str, list[int]] = {}
    for trial in filter(failed, trials):
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
        breakdown_page(results),
        _questions(results),
        _conditions(results, now),
    )
    return "\n".join(line for part in parts for line in part)


def _head(judgement: BenchmarkJudgement) -> Iterator[str]:
    now, before = judgement.now, judgement.before
    yield from heading(f"Benchmark of {escaped(now.conditions.model, 80)}, {now.measured_at:%Y-%m-%d}", 1)
    yield from (f"**{escaped(verdict_on(judgement), 2_000)}**", "")
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
    yield from heading("By difficulty")
    groups = {each: [case for case in now.cases if case.difficulty is each] for each in (*Difficulty, None)}
    rows = [_difficulty_row(each, group, cases) for each, group in groups.items() if group]
    headings = ("difficulty", "time", "passed", "accuracy", "wrong", "timeouts", "p50", "p95")
    yield from table(headings, rows, right=range(1, len(headings)))


def _difficulty_row(
    difficulty: Difficulty | None, group: Sequence[CaseRuns], cases: Mapping[str, EvalCase]
) -> tuple[str, ...]:
    found = Figures.of(group)
    limit = f"{SECONDS[difficulty] if difficulty else OTHERWISE:g} s"
    own = " or its own" if any(cases[case.id].timeout for case in group) else ""
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


def _questions(results: EvalResults) -> Iterator[str]:
    yield from heading("Questions")
    rows = (_question_row(case, trials) for case, trials in failed_first(results))
    yield from table(("id", "question", "difficulty", "ended", "longest", "what went wrong"), rows, right=(4,))


def _question_row(case: EvalCase, trials: Sequence[Trial]) -> tuple[str, ...]:
    longest = max(trial.attempt.seconds for trial in trials)
    return (
        escaped(case.id, 80),
        escaped(case.question, 160),
        case.difficulty or "-",
        verdicts_in_bold_if_wrong(trials),
        f"{seconds(longest)} s",
        escaped(detail(case, trials), 600),
    )


def _conditions(results: EvalResults, now: Measured) -> Iterator[str]:
    yield from heading("How it was measured")
    runs = f"{now.runs} run{'s' if now.runs > 1 else ''}"
    facts = (
        ("model", escaped(now.conditions.model)),
        ("mode", f"{escaped(now.conditions.mode, 40)}{', fast' if now.conditions.fast else ''}"),
        ("questions", f"{len(now.cases)} of {escaped(now.conditions.questions)}, {runs}"),
        ("data", escaped(now.conditions.data)),
        ("started", f"{now.measured_at:%Y-%m-%d %H:%M %Z}".strip()),
        ("machine", escaped(now.machine)),
        ("Veracity", escaped(now.veracity, 40)),
    )
    yield from table(("", ""), facts)
    if (cost := results.summaries[0].cost) is not None:
        yield from (f"Cost: {cost:.4f} {escaped(results.currency or '', 12)}", "")
    yield from how_to_run_again(now.command)
    yield from (_HOW_TO_READ, "", _WHAT_COUNTS, "")


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
    verdict = Text(verdict_on(judgement), style="bold red" if judgement.regressions else "bold")
    return Group(view, *map(Text, _failure_lines(results)), verdict)


def _failure_lines(results: EvalResults) -> Iterator[str]:
    broken = [(case, trials, why) for case, trials in failed_first(results) if (why := detail(case, trials))]
    for case, trials, why in broken[:_MOST_LINES]:
        yield f"{short(case.id, 40)}  {Tally.of(trials)}  {short(case.question, 80)}  {short(why, 200)}"
    if len(broken) > _MOST_LINES:
        yield f"and {len(broken) - _MOST_LINES} more that were not right every time"
