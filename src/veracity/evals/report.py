"""What is left of an evaluation: `results.json` for machines, `report.md` with plots for people, a table for the terminal.

Everything that a model or a question file says is written so that it can only be read: see `writing.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from veracity.answer.answer import Outcome
from veracity.errors import UsageError
from veracity.evals.breakdown import breakdown_page
from veracity.evals.cases import EvalCase, Value
from veracity.evals.compare import RESULTS
from veracity.evals.plots import plots
from veracity.evals.records import Attempt, EvalResults, Mode, Trial, TrialVerdict
from veracity.evals.summary import WORTH, Tally, TallyKind, change, failed, tallies, tried, worst, worst_first
from veracity.evals.writing import (
    escaped,
    first_of,
    heading,
    how_to_run_again,
    short,
    summary_cells,
    table,
    terminal_table,
    without_empty,
    write_whole,
)
from veracity.language.numbers import written

if TYPE_CHECKING:
    from rich.table import Table

_MOST_FAILURES = 200
"""Questions whose failures a report tells in full; `results.json` has all of them."""
_MOST_LINES = 8
"""Failures that a terminal shows."""
_MOST_ROWS = 3
_MOST_DIGITS = 30
_MOST_NAMES = 40
_MOST_MARKS = 5
"""Runs that are marked one by one; more of them are counted."""

_MARKS = {
    TrialVerdict.RIGHT: "✓",
    TrialVerdict.ABSTAINED: "○",
    TrialVerdict.WRONG: "✗",
    TrialVerdict.TIMEOUT: "T",
    TrialVerdict.ERROR: "E",
    TrialVerdict.UNJUDGED: "?",
}
_OTHER_CALL = "≈"
_LEGEND = (
    "✓ right · ≈ right, but by another call than expected · ○ abstained · **✗ wrong** · T timeout · E error · "
    "? could not be judged · - not finished; one mark per run"
)

_HOW_TO_READ = """\
- **right**: the answer says what was expected: the figures with their units, the words, the rows. Where the data do not hold an
  answer, right is to say so; where the question is open, right is to ask back.
- **abstained**: no answer was given. Nobody was misled, but nobody was helped either: it does not count as right. Where the data do
  hold the answer, it is a **false refusal**.
- **wrong**: an answer was given, and it is not the right one. This is the number to look at first.
- **timeout**, **error**: there is no answer, because the time was over or something failed. Neither counts as right.
- **not judged**: the judge failed at the answer, so that nobody knows what it is worth. It does not count as right.
- **consistency**: how many questions had the same verdict in every run.
- **pattern**: the expected call was made and no forbidden one, whatever the answer says of it.
- **refused calls**: calls that the validator sent back before they reached the data; **repair**: of these, how many were followed by
  a different, valid call in the next round.
- **answers sent back**: drafts that the review did not let out; **mended**: the question then ended right.
- **p50, p95**: half of the questions took at most p50 seconds, 95 of 100 at most p95."""

# Two tables, because a page is not wide enough for one: what does not fit is not seen.
_ON_A_PAGE = (
    (
        "mode", "right", "abstained", "wrong", "timeout", "error", "not judged", "of", "accuracy", "consistency", "false refusals",
    ),
    ("mode", "pattern", "refused calls", "repair", "answers sent back", "rounds", "tokens in / out", "cost", "p50 / p95 s"),
)  # fmt: skip
_ON_A_TERMINAL = (
    "mode", "right", "abstained", "wrong", "timeout", "error", "not judged", "of", "accuracy", "pattern", "repaired", "p50/p95 s",
)  # fmt: skip


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


def report_markdown(results: EvalResults) -> str:
    """The report as a page."""
    parts = (_head, _summary, breakdown_page, _pictures, _steps, _failures, _all_questions, _refusals)
    return "\n".join(line for part in parts for line in part(results))


def _head(results: EvalResults) -> Iterator[str]:
    yield from heading(f"Evaluation of {escaped(results.model, 80)}, {results.started_at:%Y-%m-%d}", 1)
    if not results.complete:
        wanted = len(results.cases) * len(results.modes) * results.runs
        yield f"> **Incomplete:** {len(results.trials)} of {wanted} trials are finished. Run the command again to go on."
        yield ""
    if len({trial.program for trial in results.trials}) > 1:
        yield "> The trials were made by several versions of the program, because finished ones are kept; `--fresh` asks all anew."
        yield ""
    facts = (
        ("started", f"{results.started_at:%Y-%m-%d %H:%M %Z}".strip()),
        ("questions", f"{len(results.cases)} of {escaped(results.questions)}"),
        ("source", escaped(results.source)),
        ("runs", f"{results.runs} per question and mode"),
        ("machine", escaped(results.machine)),
        ("Veracity", escaped(results.veracity, 40)),
    )
    yield from table(("model", escaped(results.model)), facts)
    yield from how_to_run_again(results.command)


# --- the figures of the modes


def _summary(results: EvalResults) -> Iterator[str]:
    yield from heading("Summary")
    rows = [summary_cells(each, several=results.runs > 1) for each in results.summaries]
    optional = {"not judged", "answers sent back", "cost"} | ({"consistency"} if results.runs == 1 else set())
    for headings in _ON_A_PAGE:
        names = without_empty(headings, rows, optional)
        cells = ([_bold_if_wrong(name, row[name]) for name in names] for row in rows)
        shown = [f"cost {escaped(results.currency or '', 12)}" if name == "cost" else name for name in names]
        yield from table(shown, cells, right=range(1, len(names)))
    yield from ("How to read this:", "", _HOW_TO_READ, "")


def _bold_if_wrong(name: str, cell: str) -> str:
    return f"**{cell}**" if name == "wrong" and cell != "0" else cell


def summary_table(results: EvalResults) -> Table:
    """The summary for a terminal, which is narrow: what a column of zeros or dashes would say is left out."""
    rows = [summary_cells(each, several=results.runs > 1) for each in results.summaries]
    names = without_empty(_ON_A_TERMINAL, rows, ("timeout", "error", "not judged", "pattern", "repaired"))
    return terminal_table(names, ([row[name] for name in names] for row in rows), red=("wrong", "not judged"))


def _pictures(results: EvalResults) -> Iterator[str]:
    if results.summaries:
        yield from ("![How the questions ended, per mode](verdicts.svg)", "")
        yield from ("![Accuracy, pattern compliance and repair conversion per mode](rates.svg)", "")
        yield from ("![Seconds per question: p50 and p95 per mode](latency.svg)", "")


# --- from mode to mode


def _steps(results: EvalResults) -> Iterator[str]:
    """What each mode changes against the one before, and the last against the first."""
    done = [summary.mode for summary in results.summaries]
    steps = list(pairwise(done)) + ([(done[0], done[-1])] if len(done) > 2 else [])
    if not steps:
        return
    found = tallies(results)
    yield from heading("From mode to mode")
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
            group.append(f"{escaped(case.id, 80)}{note}")
    yield from (first_of(names, _MOST_NAMES, str) or "-" for names in groups.values())


# --- what failed


def failed_cases(results: EvalResults) -> list[EvalCase]:
    """Questions that were not right every time: those that the last mode gets wrong first."""
    names = {trial.case_id for trial in results.trials if failed(trial)}
    return [case for case in worst_first(results) if case.id in names]


def _failures(results: EvalResults) -> Iterator[str]:
    cases, found = failed_cases(results), tried(results)
    yield from heading("Failures")
    if not cases:
        none = "None: every question that was finished was right, in every mode."
        yield from (none if results.trials else "Nothing is finished.", "")
    for case in cases[:_MOST_FAILURES]:
        runs = {mode: found[case.id, mode] for mode in results.modes if (case.id, mode) in found}
        yield from heading(f"{escaped(case.id, 80)}: {escaped(case.question, 200)}", 3)
        yield from (f"Expected: {escaped(expected(case), 600)}", "")
        yield from table(("mode", "verdict", "said", "what went wrong"), _failure_rows(runs))
        if right := [mode.value for mode, trials in runs.items() if not any(map(failed, trials))]:
            yield from (f"Right in {', '.join(right)}.", "")
    if len(cases) > _MOST_FAILURES:
        yield from (f"{len(cases) - _MOST_FAILURES} more questions failed; results.json has them.", "")


def _failure_rows(runs: Mapping[Mode, Sequence[Trial]]) -> Iterator[Sequence[str]]:
    """A row per failure; modes that failed in the same way share one."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for mode, trials in runs.items():
        if any(map(failed, trials)):
            rows.setdefault(_failure(trials), []).append(mode.value)
    return ((", ".join(modes), *row) for row, modes in rows.items())


def _failure(trials: Sequence[Trial]) -> tuple[str, ...]:
    trial = worst(trials)
    verdict = verdicts_in_bold_if_wrong(trials)
    refusal = " (false refusal)" if trial.score.false_refusal else ""
    text = f"“{escaped(trial.attempt.text, 400)}”" if trial.attempt.text.strip() else "-"
    return f"{verdict}{refusal}", text, escaped(_what_went_wrong(trial), 600) or "-"


def verdicts_in_bold_if_wrong(trials: Sequence[Trial]) -> str:
    """How the runs of a question ended."""
    tally = Tally.of(trials)
    return f"**{tally}**" if TrialVerdict.WRONG in tally.verdicts else str(tally)


def _what_went_wrong(trial: Trial) -> str:
    """The reasons of the judge, and the error where they do not tell it already."""
    error, reasons = trial.attempt.error or "", trial.score.reasons
    return "; ".join(reasons if any(error in reason for reason in reasons) or not error else (*reasons, error))


def failures_text(results: EvalResults) -> str:
    """The end of a run for a terminal: the failures of the last mode, the worst first, and how many others there are."""
    if not results.trials:
        return "Nothing is finished."
    questions = {case.id: case.question for case in results.cases}
    broken = [trials for trials in tried(results).values() if any(map(failed, trials))]
    # The last mode is the one with everything switched on: what it gets wrong is what a person looks at now.
    last = results.trials[-1].mode
    final = sorted((each for each in broken if each[0].mode is last), key=lambda each: WORTH[worst(each).score.verdict])
    lines = [_failure_lines(each, questions.get(each[0].case_id, "")) for each in final[:_MOST_LINES]]
    more = len(final) - len(lines)
    lines += [f"{last}: {more} more"] if more else [] if lines else [f"{last}: nothing failed"]
    others = Counter(each[0].mode for each in broken if each[0].mode is not last)
    return "\n".join(lines + [f"{mode}: {count} failed; the report has them" for mode, count in others.items()])


def _failure_lines(trials: Sequence[Trial], question: str) -> str:
    trial = worst(trials)
    why, text = short(_what_went_wrong(trial), 160), short(trial.attempt.text, 150)
    # A reason may quote what was said.
    details = [why] if text[:40] in why else [why, f"said: {text}"]
    head = f"{trial.mode}  {short(trial.case_id, 40)}  {Tally.of(trials)}  {short(question, 100)}"
    return "\n".join([head, *(f"    {detail}" for detail in details if detail)])


# --- what was expected


def expected(case: EvalCase) -> str:
    """What a right run looks like, in one line."""
    answer = [
        f"{name} = {_all_digits(figure.value)}{f' {figure.unit}' if figure.unit else ''}"
        for name, figure in case.expected_answer_numeric.items()
    ]
    answer += [f"“{words}”" for words in case.expected_answer_contains]
    if case.expected_rows is not None:
        answer.append(_first_rows(case.expected_rows))
    if case.gold_sql is not None:
        answer.append(f"the rows of {case.gold_sql}")
    ends = {Outcome.CLARIFY: "a question back", Outcome.ABSTAINED: "to say that the data do not hold it"}
    parts = [ends.get(case.expected_outcome) or ", ".join(answer)]
    if (pattern := case.expected_tool_pattern) is not None:
        filters = " and ".join(map(str, pattern.required_filters))
        on = f" on {_either(pattern.table_name)}" if pattern.table_name else ""
        parts.append(f"by {_either(pattern.tool)}{on}{f' with {filters}' if filters else ''}")
    if case.forbidden_tools:
        parts.append(f"never by {', '.join(case.forbidden_tools)}")
    return "; ".join(parts)


def _either(names: str) -> str:
    return " or ".join(names.split("|"))


def _first_rows(rows: Sequence[Sequence[Value]]) -> str:
    first = ", ".join(f"({', '.join(map(_cell, row))})" for row in rows[:_MOST_ROWS])
    more = len(rows) - _MOST_ROWS
    return f"the rows {first}{f' and {more} more' if more > 0 else ''}" if len(rows) != 1 else f"the row {first}"


def _cell(value: Value) -> str:
    return "NULL" if value is None else _all_digits(value) if isinstance(value, Decimal) else short(str(value), 60)


def _all_digits(value: Decimal) -> str:
    """With all its digits, unless it is so large that nobody wants them."""
    return written(value) if abs(value.adjusted()) < _MOST_DIGITS else str(value)


# --- every question, and what was refused


def _all_questions(results: EvalResults) -> Iterator[str]:
    found = tried(results)
    yield from heading("All questions")
    rows = (
        [escaped(case.id, 80), escaped(case.question, 120), *(_marks(found.get((case.id, mode), [])) for mode in results.modes)]
        for case in results.cases
    )  # fmt: skip
    yield from table(("id", "question", *results.modes), rows)
    yield from (_LEGEND, "")


def _marks(trials: Sequence[Trial]) -> str:
    if len(trials) > _MOST_MARKS:
        right = len(trials) - sum(map(failed, trials))
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
    for title, counts in (("Why calls were refused", calls), ("Why answers were sent back", drafts)):
        total: Counter[str] = sum(counts.values(), Counter())
        if not total:
            continue
        yield from heading(title)
        rows = ([code, *(str(counts[mode][code] or "-") for mode in results.modes)] for code, _ in total.most_common())
        yield from table(("code", *results.modes), rows, right=range(1, len(results.modes) + 1))


def _counted(results: EvalResults, codes: Callable[[Attempt], Sequence[str | None]]) -> dict[Mode, Counter[str]]:
    counts: dict[Mode, Counter[str]] = {mode: Counter() for mode in results.modes}
    for trial in results.trials:
        counts.setdefault(trial.mode, Counter()).update(code for code in codes(trial.attempt) if code is not None)
    return counts
