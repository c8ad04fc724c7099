"""Two evaluations side by side: what broke, what got better, and whether they can be compared at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from veracity.errors import UsageError
from veracity.evals.cases import EvalCase
from veracity.evals.records import EvalResults, Mode, Summary
from veracity.evals.summary import Tally, TallyKind, change, tallies, tried, worst
from veracity.evals.writing import (
    escaped,
    first_of,
    first_problem,
    heading,
    short,
    summary_cells,
    table,
    terminal_table,
    without_empty,
)
from veracity.wire import Wire
from veracity.yaml_file import read_bytes

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

RESULTS = "results.json"
_MOST_BYTES = 512_000_000
_OURS = {"veracity", "cases", "modes", "trials", "summaries"}


class Side(Wire):
    """One of two evaluations."""

    model: str
    source: str
    questions: str
    started: str
    veracity: str
    runs: int
    complete: bool


class ModeDifference(Wire):
    """A mode in both evaluations, and by how much the second differs."""

    mode: Mode
    before: Summary
    after: Summary
    right: int
    abstained: int
    wrong: int
    timeouts: int
    errors: int
    unjudged: int = 0
    false_refusals: int
    accuracy: float
    pattern_compliance: float | None
    repair_conversion_rate: float | None
    """None where one of the two had nothing to repair."""
    rounds: int
    p50_seconds: float
    p95_seconds: float


_SUBTRACTED = [name for name in ModeDifference.model_fields if name not in ("mode", "before", "after")]


class QuestionChange(Wire):
    """A question in a mode, in both evaluations."""

    case_id: str
    question: str
    mode: Mode
    kind: TallyKind
    before: Tally
    after: Tally
    reasons: tuple[str, ...] = ()
    """What goes wrong now."""


class RunComparison(Wire):
    """The second evaluation held against the first."""

    before: Side
    after: Side
    notes: tuple[str, ...] = ()
    """Why the two are not of the same kind, each in one sentence."""
    models_differ: bool
    sources_differ: bool
    questions_differ: tuple[str, ...] = ()
    """Questions of the same id whose text or expectation is another."""
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()
    modes: tuple[ModeDifference, ...] = ()
    changes: tuple[QuestionChange, ...] = ()
    """Every question and mode that both have, also where it stayed the same."""
    broke: bool
    """Something right is not right any more, or something became wrong."""

    def of(self, kind: TallyKind) -> tuple[QuestionChange, ...]:
        """The changes of a kind."""
        return tuple(each for each in self.changes if each.kind is kind)


def load_results(path: Path) -> EvalResults:
    """A `results.json`, or that of a folder; raises `UsageError` for anything else."""
    raw = read_bytes(
        path / RESULTS if path.is_dir() else path,
        UsageError,
        most=_MOST_BYTES,
        too_long="results of veracity eval are smaller",
        otherwise="; name a results.json of veracity eval, or its folder",
    )
    try:
        return EvalResults.model_validate_json(raw)
    except ValidationError as error:
        raise _not_results(path, raw, error) from None


def _not_results(path: Path, raw: bytes, error: ValidationError) -> UsageError:
    from pydantic_core import from_json

    try:
        data = from_json(raw)
    except ValueError:
        return UsageError(f"{path} is damaged: it is not valid JSON; run the evaluation again to write it anew.")
    if not isinstance(data, dict) or not data.keys() >= _OURS:
        return UsageError(
            f"{path} is not a result of veracity eval; name its results.json, or the folder that holds it."
        )
    own = version("veracity")
    if _release(data["veracity"]) > _release(own):
        made = short(str(data["veracity"]), 40)
        return UsageError(f"{path} was written by Veracity {made}, and this is {own}: update Veracity to read it.")
    return UsageError(
        f"{path} is damaged, or of another version of Veracity: {first_problem(error)}; run the evaluation again to write it anew."
    )


def _release(written: object) -> tuple[int, ...]:
    parts = str(written)[:40].split(".")
    return tuple(int(part) for part in parts if part.isascii() and part.isdigit())


def compare(a: EvalResults, b: EvalResults) -> RunComparison:
    """What became of `a` in `b`."""
    cases, others = ({case.id: case for case in each.cases} for each in (a, b))
    shared = [name for name in cases if name in others]
    differing = tuple(name for name in shared if _as_written(cases[name]) != _as_written(others[name]))
    only_a = tuple(name for name in cases if name not in others)
    only_b = tuple(name for name in others if name not in cases)
    changes = tuple(_changes(a, b, [others[name] for name in shared]))
    return RunComparison(
        before=_side(a),
        after=_side(b),
        notes=tuple(_notes(a, b, differing, only_a, only_b)),
        models_differ=a.model != b.model,
        sources_differ=a.source != b.source,
        questions_differ=differing,
        only_before=only_a,
        only_after=only_b,
        modes=tuple(_mode_differences(a, b)),
        changes=changes,
        broke=any(each.kind is TallyKind.BROKE for each in changes),
    )


def _side(results: EvalResults) -> Side:
    facts = {name: getattr(results, name) for name in Side.model_fields if name != "started"}
    return Side(started=f"{results.started_at:%Y-%m-%d %H:%M %Z}".strip(), **facts)


def _as_written(case: EvalCase) -> str:
    """A case as it is written: what was read from a file has texts where the run had decimals."""
    return case.model_dump_json(exclude={"difficulty", "timeout", "intent"})


def _notes(
    a: EvalResults, b: EvalResults, differing: Sequence[str], only_a: Sequence[str], only_b: Sequence[str]
) -> Iterator[str]:
    for what, before, now in (("models", a.model, b.model), ("sources", a.source, b.source)):
        if before != now:
            yield f"The {what} differ: {short(before, 80)} before, {short(now, 80)} now."
    if differing:
        yield f"Asked or expected differently, so that a change may be the question's: {first_of(differing)}."
    for which, names in (("before", only_a), ("now", only_b)):
        if names:
            yield f"Only asked {which}, and not compared: {first_of(names)}. The totals are not of the same questions."
    for which, one, other in (("before", a, b), ("now", b, a)):
        if missing := [mode for mode in one.modes if mode not in other.modes]:
            yield f"Only run {which}, and not compared: mode {', '.join(missing)}."
        if not one.complete:
            yield f"The evaluation {which} is incomplete: what it did not finish is not compared."


def _mode_differences(a: EvalResults, b: EvalResults) -> Iterator[ModeDifference]:
    later = {summary.mode: summary for summary in b.summaries}
    for before in a.summaries:
        if (after := later.get(before.mode)) is None:
            continue
        repaired = before.repair_triggered_count and after.repair_triggered_count
        differences = {name: _difference(before, after, name) for name in _SUBTRACTED}
        if not repaired:
            differences["repair_conversion_rate"] = None
        yield ModeDifference(mode=before.mode, before=before, after=after, **differences)


def _difference(before: Summary, after: Summary, name: str) -> Any:
    one, other = getattr(before, name), getattr(after, name)
    return None if one is None or other is None else other - one


def _changes(a: EvalResults, b: EvalResults, shared: Iterable[EvalCase]) -> Iterator[QuestionChange]:
    earlier, later = tallies(a), tried(b)
    for case in shared:
        for mode in b.modes:
            trials = later.get((case.id, mode))
            if not trials or (before := earlier.get((case.id, mode))) is None:
                continue
            after = Tally.of(trials)
            yield QuestionChange(
                case_id=case.id,
                question=case.question,
                mode=mode,
                kind=change(before, after),
                before=before,
                after=after,
                reasons=worst(trials).score.reasons,
            )


# --- for people


_HEADINGS = {
    TallyKind.BROKE: "What broke",
    TallyKind.WORSE: "What got worse",
    TallyKind.BETTER: "What got better",
    TallyKind.CHANGED: "What changed otherwise",
}
_STYLES = {TallyKind.BROKE: "bold red", TallyKind.WORSE: "yellow", TallyKind.BETTER: "green", TallyKind.CHANGED: "dim"}
_COLUMNS = (
    "mode", "accuracy", "right", "abstained", "wrong", "timeout", "error", "not judged", "of", "pattern", "repair", "p50 s", "p95 s",
)  # fmt: skip
_TOO_WIDE = {"pattern", "repair", "p95 s"}
"""What a terminal is too narrow for."""


def verdict_on(c: RunComparison) -> str:
    """The comparison in one sentence."""
    counts = {kind: len(c.of(kind)) for kind in TallyKind}
    if not c.changes:
        return "Nothing could be compared."
    if counts[TallyKind.SAME] == len(c.changes):
        return f"Nothing changed: {len(c.changes)} verdicts are the same."
    words = (f"{counts[kind]} {'changed otherwise' if kind is TallyKind.CHANGED else kind}" for kind in TallyKind)
    return f"Of {len(c.changes)} verdicts: {', '.join(words)}."


def _mode_row(difference: ModeDifference) -> dict[str, str]:
    """A mode as it was and as it is, by heading."""
    a, b = (summary_cells(side, several=False) for side in (difference.before, difference.after))
    row = {name: a[name] if a[name] == b[name] else f"{a[name]} → {b[name]}" for name in a}
    points = f" ({difference.accuracy * 100:+.1f})" if a["accuracy"] != b["accuracy"] else ""
    return row | {"accuracy": f"{row['accuracy']}{points}", "repair": row["repair rate"]}


def comparison_markdown(c: RunComparison) -> str:
    """The comparison as a page."""
    sides = [(each.model, each.started, each.veracity, each.source, each.questions) for each in (c.before, c.after)]
    names = ("model", "started", "version", "source", "questions")
    lines = [*heading("Two evaluations compared", 1), f"**{verdict_on(c)}**", ""]
    lines += [f"- {escaped(note, 1_000)}" for note in c.notes] + ([""] if c.notes else [])
    lines += table(
        ("", "before", "now"),
        ((name, escaped(one), escaped(other)) for name, one, other in zip(names, *sides, strict=True)),
    )
    for kind, title in _HEADINGS.items():
        if found := c.of(kind):
            lines += heading(title) + table(("question", "mode", "before", "now", "why"), map(_change_row, found))
    if c.modes:
        rows = [_mode_row(each) for each in c.modes]
        shown = without_empty(_COLUMNS, rows, ("not judged",))
        lines += heading("Modes")
        lines += table(shown, ([row[name] for name in shown] for row in rows), right=range(1, len(shown)))
    return "\n".join(lines)


def _change_row(each: QuestionChange) -> tuple[str, ...]:
    question = f"**{escaped(each.case_id, 80)}** {escaped(each.question, 120)}"
    return question, each.mode, str(each.before), str(each.after), escaped("; ".join(each.reasons), 300)


def comparison_text(c: RunComparison) -> Group:
    """The comparison for a terminal: what broke first."""
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [Text(f"note: {note}", style="yellow") for note in c.notes]
    for kind, title in _HEADINGS.items():
        if found := c.of(kind):
            parts.append(Text(title, style=_STYLES[kind]))
            parts += [line for each in found for line in _change_lines(each)]
    if c.modes:
        rows = [_mode_row(each) for each in c.modes]
        columns = (name for name in _COLUMNS if name not in _TOO_WIDE)
        shown = without_empty(columns, rows, ("timeout", "error", "not judged"))
        parts.append(terminal_table(shown, ([row[name] for name in shown] for row in rows), red=("wrong",)))
    parts.append(Text(verdict_on(c), style="bold red" if c.broke else "bold"))
    return Group(*parts)


def _change_lines(each: QuestionChange) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    line = f"{short(each.case_id, 40)}  {each.mode}  {each.before} → {each.after}  {short(each.question, 100)}"
    yield Padding(Text(line), (0, 0, 0, 2), expand=False)
    if each.reasons:
        yield Padding(Text(short("; ".join(each.reasons), 160), style="dim"), (0, 0, 0, 4), expand=False)
