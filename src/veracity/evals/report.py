"""What is left of an evaluation: `results.json` for machines, `report.md` with plots for people, a table for the terminal.

Everything that a model or a question file says is written so that it can only be read: see `writing.py`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from veracity.answer.answer import Outcome
from veracity.errors import UsageError
from veracity.evals.cases import EvalCase, Value
from veracity.evals.compare import RESULTS
from veracity.evals.plots import plots
from veracity.evals.records import Attempt, EvalResults, Mode, Summary, Trial, TrialVerdict
from veracity.evals.summary import WORTH, Tally, TallyKind, change, tallies, tried, worst
from veracity.evals.writing import block, percent, plain, seconds, short, table
from veracity.language.numbers import written

if TYPE_CHECKING:
    from rich.table import Table

_MOST_FAILURES = 200
"""Questions whose failures a report tells in full; `results.json` has all of them."""
_MOST_LINES = 8
"""Failures that a terminal shows."""
_MOST_ROWS = 3
_MOST_DIGITS = 30
_MOST_MARKS = 5
"""Runs that are marked one by one; more of them are counted."""

_MARKS = {
    TrialVerdict.RIGHT: "✓",
    TrialVerdict.ABSTAINED: "○",
    TrialVerdict.WRONG: "✗",
    TrialVerdict.TIMEOUT: "T",
    TrialVerdict.ERROR: "E",
}
_OTHER_CALL = "≈"
_LEGEND = (
    "✓ right · ≈ right, but by another call than expected · ○ abstained · **✗ wrong** · T timeout · E error · "
    "- not finished; one mark per run"
)

_HOW_TO_READ = """\
- **right**: the answer says what was expected: the figures with their units, the words, the rows. Where the data do not hold an
  answer, right is to say so; where the question is open, right is to ask back.
- **abstained**: no answer was given. Nobody was misled, but nobody was helped either: it does not count as right. Where the data do
  hold the answer, it is a **false refusal**.
- **wrong**: an answer was given, and it is not the right one. This is the number to look at first.
- **timeout**, **error**: there is no answer, because the time was over or something failed. Neither counts as right.
- **consistency**: how many questions had the same verdict in every run.
- **pattern**: the expected call was made and no forbidden one, whatever the answer says of it.
- **refused calls**: calls that the validator sent back before they reached the data; **repair**: of these, how many were followed by
  a different, valid call in the next round.
- **answers sent back**: drafts that the review did not let out; **mended**: the question then ended right.
- **p50, p95**: half of the questions took at most p50 seconds, 95 of 100 at most p95."""


def write_report(results: EvalResults, folder: Path) -> Path:
    """Write results, report and plots into a folder, each whole or not at all; returns the path of the report."""
    try:
        machine = results.model_dump_json(indent=1)
    except ValueError:
        raise UsageError(
            f"The results cannot be written to {folder}: a text in them holds half a character (a lone surrogate)."
        ) from None
    report = folder / "report.md"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, drawn in plots(results).items():
            write_whole(folder / name, drawn)
        write_whole(report, report_markdown(results))
        write_whole(folder / RESULTS, machine + "\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "there can be no such folder"
        raise UsageError(
            f"The report cannot be written to {folder}: {reason.lower()}; name another folder with --out."
        ) from None
    return report


def write_whole(path: Path, text: str) -> None:
    """Write a file beside, then put it in place: a crash leaves the old one as it was."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def report_markdown(results: EvalResults) -> str:
    """The report as a page."""
    parts = (_head, _summary, _pictures, _steps, _failures, _all_questions, _refusals)
    return "\n".join(line for part in parts for line in part(results))


def _head(results: EvalResults) -> Iterator[str]:
    yield f"# Evaluation of {plain(results.model, 80)}, {results.started_at:%Y-%m-%d}"
    yield ""
    if not results.complete:
        wanted = len(results.cases) * len(results.modes) * results.runs
        yield f"> **Incomplete:** {len(results.trials)} of {wanted} trials are finished. Run the command again to go on."
        yield ""
    if len({trial.program for trial in results.trials}) > 1:
        yield "> The trials were made by several versions of the program, because finished ones are kept; `--fresh` asks all anew."
        yield ""
    facts = (
        ("started", f"{results.started_at:%Y-%m-%d %H:%M %Z}".strip()),
        ("questions", f"{len(results.cases)} of {plain(results.questions)}"),
        ("source", plain(results.source)),
        ("runs", f"{results.runs} per question and mode"),
        ("machine", plain(results.machine)),
        ("Veracity", plain(results.veracity, 40)),
    )
    yield from table(("model", plain(results.model)), facts)
    yield "Run it again:"
    yield ""
    yield from block(results.command)


Column = tuple[str, Callable[[Summary], str]]


def _what_came_out(results: EvalResults) -> Iterator[Column]:
    several = results.runs > 1
    yield "mode", lambda s: s.mode.value
    yield "right", lambda s: str(s.right)
    yield "abstained", lambda s: str(s.abstained)
    yield "wrong", lambda s: f"**{s.wrong}**" if s.wrong else "0"
    yield "timeout", lambda s: str(s.timeouts)
    yield "error", lambda s: str(s.errors)
    yield "of", lambda s: str(s.trials)
    yield "accuracy", lambda s: _accuracy(s, several)
    if several:
        yield "consistency", lambda s: percent(s.consistency)
    yield "false refusals", lambda s: str(s.false_refusals)


def _how_it_came(results: EvalResults) -> Iterator[Column]:
    yield "mode", lambda s: s.mode.value
    yield "pattern", lambda s: percent(s.pattern_compliance)
    yield "refused calls", lambda s: f"{s.avg_validation_failures_per_run * s.trials:.0f}"
    yield "repair", _repair
    if any(summary.answers_sent_back for summary in results.summaries):
        yield "answers sent back", _sent_back
    yield "rounds", lambda s: str(s.rounds)
    yield "tokens in / out", lambda s: f"{s.tokens.input:,} / {s.tokens.output:,}"
    if any(summary.cost is not None for summary in results.summaries):
        yield f"cost {plain(results.currency or '', 12)}", lambda s: "-" if s.cost is None else f"{s.cost:.4f}"
    yield "p50 / p95 s", lambda s: f"{seconds(s.p50_seconds)} / {seconds(s.p95_seconds)}"


def _accuracy(summary: Summary, several: bool) -> str:
    deviation = f" ± {summary.accuracy_deviation * 100:.1f}" if several else ""
    return f"{percent(summary.accuracy)}{deviation}"


def _repair(summary: Summary) -> str:
    if not summary.repair_triggered_count:
        return "-"
    rate = percent(summary.repair_conversion_rate)
    return f"{rate} ({summary.repair_succeeded_count} of {summary.repair_triggered_count})"


def _sent_back(summary: Summary) -> str:
    return f"{summary.answers_sent_back} ({summary.answers_mended} mended)" if summary.answers_sent_back else "-"


def _summary(results: EvalResults) -> Iterator[str]:
    yield "## Summary"
    yield ""
    # Two tables, because a page is not wide enough for one: what does not fit is not seen.
    for columns in (list(_what_came_out(results)), list(_how_it_came(results))):
        rows = ([value(each) for _name, value in columns] for each in results.summaries)
        yield from table([name for name, _value in columns], rows, right=range(1, len(columns)))
    yield "How to read this:"
    yield ""
    yield _HOW_TO_READ
    yield ""


def _pictures(results: EvalResults) -> Iterator[str]:
    if results.summaries:
        yield "![How the questions ended, per mode](verdicts.svg)"
        yield ""
        yield "![Accuracy, pattern compliance and repair conversion per mode](rates.svg)"
        yield ""
        yield "![Seconds per question: p50 and p95 per mode](latency.svg)"
        yield ""


def _steps(results: EvalResults) -> Iterator[str]:
    """What each mode changes against the one before, and the last against the first."""
    done = [summary.mode for summary in results.summaries]
    steps = list(pairwise(done)) + ([(done[0], done[-1])] if len(done) > 2 else [])
    if not steps:
        return
    found = tallies(results)
    yield "## From mode to mode"
    yield ""
    rows = [[f"{a} → {b}", *_step(results, found, a, b)] for a, b in steps]
    yield from table(("step", "points", "right now", "better, but not right", "worse", "broke"), rows, right=(1,))


def _step(results: EvalResults, found: Mapping[tuple[str, Mode], Tally], a: Mode, b: Mode) -> Iterator[str]:
    accuracy = {summary.mode: summary.accuracy for summary in results.summaries}
    yield f"{(accuracy[b] - accuracy[a]) * 100:+.1f}"
    groups: dict[str, list[str]] = {name: [] for name in ("right", TallyKind.BETTER, TallyKind.WORSE, TallyKind.BROKE)}
    for case in results.cases:
        before, after = found.get((case.id, a)), found.get((case.id, b))
        if before is None or after is None:
            continue
        kind = change(before, after)
        gained = kind is TallyKind.BETTER and after.verdict is TrialVerdict.RIGHT
        group = groups.get("right" if gained else kind)
        if group is not None:
            note = f" ({before.verdict} → {after.verdict})" if kind is TallyKind.BROKE else ""
            group.append(f"{plain(case.id, 80)}{note}")
    for names in groups.values():
        more = f" and {len(names) - 40} more" if len(names) > 40 else ""
        yield (", ".join(names[:40]) + more) or "-"


def failed_cases(results: EvalResults) -> list[EvalCase]:
    """Questions that were not right every time: those that the last mode gets wrong first."""
    found = tried(results)
    last = results.modes[-1:] and results.modes[-1]

    def badness(case: EvalCase) -> tuple[int, int, int]:
        every = [trial for mode in results.modes for trial in found.get((case.id, mode), ())]
        final = [WORTH[trial.score.verdict] for trial in every if trial.mode is last]
        wrong = sum(trial.score.verdict is TrialVerdict.WRONG for trial in every)
        return min(final, default=WORTH[TrialVerdict.RIGHT]), -wrong, -sum(map(_failed, every))

    failed = {trial.case_id for trial in results.trials if _failed(trial)}
    return sorted((case for case in results.cases if case.id in failed), key=badness)


def _failed(trial: Trial) -> bool:
    return trial.score.verdict is not TrialVerdict.RIGHT


def _failures(results: EvalResults) -> Iterator[str]:
    cases, found = failed_cases(results), tried(results)
    yield "## Failures"
    yield ""
    if not cases:
        yield (
            "None: every question that was finished was right, in every mode."
            if results.trials
            else "Nothing is finished."
        )
        yield ""
    for case in cases[:_MOST_FAILURES]:
        runs = {mode: found[case.id, mode] for mode in results.modes if (case.id, mode) in found}
        yield f"### {plain(case.id, 80)}: {plain(case.question, 200)}"
        yield ""
        yield f"Expected: {plain(expected(case), 600)}"
        yield ""
        yield from table(("mode", "verdict", "said", "what went wrong"), _failure_rows(runs))
        if right := [mode.value for mode, trials in runs.items() if not any(map(_failed, trials))]:
            yield f"Right in {', '.join(right)}."
            yield ""
    if len(cases) > _MOST_FAILURES:
        yield f"{len(cases) - _MOST_FAILURES} more questions failed; results.json has them."
        yield ""


def _failure_rows(runs: Mapping[Mode, Sequence[Trial]]) -> Iterator[Sequence[str]]:
    """A row per failure; modes that failed in the same way share one."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for mode, trials in runs.items():
        if any(map(_failed, trials)):
            rows.setdefault(_failure(trials), []).append(mode.value)
    return ((", ".join(modes), *row) for row, modes in rows.items())


def _failure(trials: Sequence[Trial]) -> tuple[str, ...]:
    trial = worst(trials)
    tally = Tally.of(trials)
    verdict = f"**{tally}**" if trial.score.verdict is TrialVerdict.WRONG else str(tally)
    refusal = " (false refusal)" if trial.score.false_refusal else ""
    return f"{verdict}{refusal}", _said(trial.attempt), plain(_wrong(trial), 600) or "-"


def _said(attempt: Attempt) -> str:
    return f"“{plain(attempt.text, 400)}”" if attempt.text.strip() else "-"


def _wrong(trial: Trial) -> str:
    """What went wrong; the error only where the judge does not tell it already."""
    error = trial.attempt.error or ""
    told = any(error in reason for reason in trial.score.reasons)
    return "; ".join(trial.score.reasons if told or not error else (*trial.score.reasons, error))


def expected(case: EvalCase) -> str:
    """What a right run looks like, in one line."""
    said = [
        f"{name} = {_figure(figure.value)}{_unit(figure.unit)}" for name, figure in case.expected_answer_numeric.items()
    ]
    said += [f"“{words}”" for words in case.expected_answer_contains]
    if case.expected_rows is not None:
        said.append(_rows(case.expected_rows))
    if case.gold_sql is not None:
        said.append(f"the rows of {case.gold_sql}")
    ends = {Outcome.CLARIFY: "a question back", Outcome.ABSTAINED: "to say that the data do not hold it"}
    parts = [ends.get(case.expected_outcome) or ", ".join(said)]
    if (pattern := case.expected_tool_pattern) is not None:
        filters = " and ".join(map(str, pattern.required_filters))
        on = f" on {_either(pattern.table_name)}" if pattern.table_name else ""
        parts.append(f"by {_either(pattern.tool)}{on}{f' with {filters}' if filters else ''}")
    if case.forbidden_tools:
        parts.append(f"never by {', '.join(case.forbidden_tools)}")
    return "; ".join(parts)


def _either(names: str) -> str:
    return " or ".join(names.split("|"))


def _rows(rows: Sequence[Sequence[Value]]) -> str:
    shown = ", ".join(f"({', '.join(map(_value, row))})" for row in rows[:_MOST_ROWS])
    more = len(rows) - _MOST_ROWS
    return f"the rows {shown}{f' and {more} more' if more > 0 else ''}" if len(rows) != 1 else f"the row {shown}"


def _value(value: Value) -> str:
    return "NULL" if value is None else _figure(value) if isinstance(value, Decimal) else short(str(value), 60)


def _figure(value: Decimal) -> str:
    """With all its digits, unless it is so large that nobody wants them."""
    return written(value) if abs(value.adjusted()) < _MOST_DIGITS else str(value)


def _unit(unit: str | None) -> str:
    return f" {unit}" if unit else ""


def _all_questions(results: EvalResults) -> Iterator[str]:
    found = tried(results)
    yield "## All questions"
    yield ""
    rows = (
        [
            plain(case.id, 80),
            plain(case.question, 120),
            *(_mark(found.get((case.id, mode), [])) for mode in results.modes),
        ]
        for case in results.cases
    )
    yield from table(("id", "question", *results.modes), rows)
    yield _LEGEND
    yield ""


def _mark(trials: Sequence[Trial]) -> str:
    if len(trials) > _MOST_MARKS:
        right = len(trials) - sum(map(_failed, trials))
        wrong = sum(trial.score.verdict is TrialVerdict.WRONG for trial in trials)
        return f"✓ {right}/{len(trials)}" + (f" **✗ {wrong}**" if wrong else "")
    marks = "".join(_mark_of(trial) for trial in trials)
    return f"**{marks}**" if _MARKS[TrialVerdict.WRONG] in marks else marks or "-"


def _mark_of(trial: Trial) -> str:
    score = trial.score
    by_chance = score.verdict is TrialVerdict.RIGHT and False in (score.pattern, score.forbidden)
    return _OTHER_CALL if by_chance else _MARKS[score.verdict]


def _refusals(results: EvalResults) -> Iterator[str]:
    """Which checks refuse most: of calls, and of drafts of an answer."""
    calls = _counted(results, lambda attempt: [call.validation_failure_code for call in attempt.calls])
    drafts = _counted(results, lambda attempt: [refusal.code for refusal in attempt.refusals])
    for heading, counts in (("Why calls were refused", calls), ("Why answers were sent back", drafts)):
        total: Counter[str] = sum(counts.values(), Counter())
        if not total:
            continue
        yield f"## {heading}"
        yield ""
        rows = (
            [code, *(str(counts[mode][code] or "-") for mode in results.modes)] for code, _count in total.most_common()
        )
        yield from table(("code", *results.modes), rows, right=range(1, len(results.modes) + 1))


def _counted(results: EvalResults, codes: Callable[[Attempt], Sequence[str | None]]) -> dict[Mode, Counter[str]]:
    counts: dict[Mode, Counter[str]] = {mode: Counter() for mode in results.modes}
    for trial in results.trials:
        counts.setdefault(trial.mode, Counter()).update(code for code in codes(trial.attempt) if code is not None)
    return counts


def summary_table(results: EvalResults) -> Table:
    """The summary for a terminal, which is narrow: what a column of zeros would say is left out."""
    from rich.table import Table
    from rich.text import Text

    shown = [
        "mode",
        "right",
        "abstained",
        "wrong",
        "timeout",
        "error",
        "of",
        "accuracy",
        "pattern",
        "repaired",
        "p50/p95 s",
    ]
    rows = [_terminal_row(summary, results.runs > 1) for summary in results.summaries]
    shown = [name for name in shown if name not in ("timeout", "error") or any(row[name] != "0" for row in rows)]
    view = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for name in shown:
        view.add_column(name, justify="left" if name == "mode" else "right")
    for row in rows:
        # What must not happen is red where it did.
        view.add_row(*(Text(row[name], "bold red" if name == "wrong" and row[name] != "0" else "") for name in shown))
    return view


def _terminal_row(summary: Summary, several: bool) -> dict[str, str]:
    refused = summary.repair_triggered_count
    return {
        "mode": summary.mode,
        "right": str(summary.right),
        "abstained": str(summary.abstained),
        "wrong": str(summary.wrong),
        "timeout": str(summary.timeouts),
        "error": str(summary.errors),
        "of": str(summary.trials),
        "accuracy": _accuracy(summary, several),
        "pattern": percent(summary.pattern_compliance),
        "repaired": f"{summary.repair_succeeded_count} of {refused}" if refused else "-",
        "p50/p95 s": f"{seconds(summary.p50_seconds)}/{seconds(summary.p95_seconds)}",
    }


def failures_text(results: EvalResults) -> str:
    """The end of a run for a terminal: the failures of the last mode, the worst first, and how many others there are."""
    if not results.trials:
        return "Nothing is finished."
    questions = {case.id: case.question for case in results.cases}
    failed = [trials for trials in tried(results).values() if any(map(_failed, trials))]
    # The last mode is the one with everything switched on: what it gets wrong is what a person looks at now.
    last = results.trials[-1].mode
    final = sorted((each for each in failed if each[0].mode is last), key=lambda each: WORTH[worst(each).score.verdict])
    lines = [_failure_lines(each, questions.get(each[0].case_id, "")) for each in final[:_MOST_LINES]]
    more = len(final) - len(lines)
    lines += [f"{last}: {more} more"] if more else [] if lines else [f"{last}: nothing failed"]
    others = Counter(each[0].mode for each in failed if each[0].mode is not last)
    return "\n".join(lines + [f"{mode}: {count} failed; the report has them" for mode, count in others.items()])


def _failure_lines(trials: Sequence[Trial], question: str) -> str:
    trial = worst(trials)
    why, said = short(_wrong(trial), 160), short(trial.attempt.text, 150)
    # A reason may quote what was said.
    details = [why] if said[:40] in why else [why, f"said: {said}"]
    head = f"{trial.mode}  {short(trial.case_id, 40)}  {Tally.of(trials)}  {short(question, 100)}"
    return "\n".join([head, *(f"    {detail}" for detail in details if detail)])
