"""`veracity benchmark`: questions by difficulty, each within its time, held against a baseline."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.evaluate import Fresh, command_line, questions_file, read_prices, read_setups, run_plan
from veracity.cli.options import AgentOptions, note_scope, with_options
from veracity.errors import UsageError

if TYPE_CHECKING:
    from veracity.evals.benchmark import BenchmarkJudgement, Conditions, Measured
    from veracity.evals.cases import QuestionSet
    from veracity.evals.records import EvalResults
    from veracity.evals.run import EvaluationPlan

OUT = Path("test-results") / "benchmark"
REPORT = "benchmark_report.md"
MEASURED = "benchmark.json"
_RUNS = 3
_REQUEST = 120.0
"""Seconds that one request to a model may take at least."""

ModeName = Annotated[str | None, typer.Option("--mode", help="llm: a language model, given with --model. offline: the embedded one. Default: llm if there is a --model.")]  # fmt: skip
Fast = Annotated[bool, typer.Option("--fast", help="Only the easy questions, once.")]
Update = Annotated[bool, typer.Option("--update-baseline", help="Keep this run as the baseline.")]
Questions = Annotated[str | None, typer.Option("--questions", help="Questions of your own, as YAML or JSON. Default: the shipped 12.")]  # fmt: skip
Runs = Annotated[int | None, typer.Option("--runs", min=1, max=100, help="How often each question is asked. Default: 3, with --fast 1.")]  # fmt: skip
Out = Annotated[str | None, typer.Option("--out", help="The folder for baseline, report and results. Default: test-results/benchmark, with --fast the folder fast in it.")]  # fmt: skip


@with_options(
    order="mode model tools assume fast update_baseline questions source feature ontology scope runs out schema rounds fresh as_json"
)
def benchmark(
    context: typer.Context,
    options: AgentOptions,
    mode: ModeName = None,
    fast: Fast = False,
    update_baseline: Update = False,
    questions: Questions = None,
    runs: Runs = None,
    out: Out = None,
    fresh: Fresh = False,
) -> None:
    """Measure accuracy, timeouts and latency, and compare them with a baseline.

    Exit codes: 0 no regression, 1 a regression beyond the noise of the runs, 2 wrong usage or a baseline of another benchmark.
    """
    from veracity.evals.benchmark import MODE, judge, measured, seconds_for
    from veracity.evals.run import EvaluationPlan

    mode, model = chosen_mode(mode, options.model, given=_was_typed(context, "model"))
    name, asked = _chosen_questions(questions, fast=fast)
    longest = max(map(seconds_for, asked.cases))
    # The benchmark has the clock: no request to the model ends before its question does.
    request = max(_REQUEST, longest + 30)
    setup, sources = read_setups(replace(options, model=model, seconds=longest, timeout=request), asked)
    folder = Path(out) if out else OUT / "fast" if fast else OUT
    plan = EvaluationPlan(
        setup=setup,
        cases=asked.cases,
        sources=sources,
        modes=(MODE,),
        runs=runs or (1 if fast else _RUNS),
        timeout=seconds_for,
        prices=read_prices(None, model),
        questions=name,
        command=command_line(),
    )
    conditions = _conditions(plan, mode, fast=fast)
    before = _comparable_baseline(folder, conditions, update=update_baseline)
    if fresh or _was_finished(folder):
        _set_aside(folder)
    results = run_plan(plan, folder, fresh=False)
    judgement = _write_results(results, judge(measured(results, conditions), before), folder, update=update_baseline)
    _show_benchmark(results, judgement, folder, as_json=options.as_json)
    raise typer.Exit(1 if judgement.regressions and not update_baseline else 0)


# --- what the options mean


def chosen_mode(mode: str | None, model: str, *, given: bool) -> tuple[str, str]:
    """The mode and its model; `given` says that somebody typed the model for this run."""
    if mode not in (None, "llm", "offline"):
        raise UsageError(f"--mode is llm or offline, not {mode[:40]!r}.")
    if mode == "llm" and model == "offline":
        raise UsageError(
            "--mode llm needs a language model: give --model openai:NAME, anthropic:NAME or http://HOST/v1, "
            "or set VERACITY_MODEL; --mode offline needs none."
        )
    if mode == "offline" and given and model != "offline":
        raise UsageError(f"--mode offline asks the embedded model, not {model[:80]!r}; leave out --mode or --model.")
    if mode is None:
        mode = "offline" if model == "offline" else "llm"
    return mode, "offline" if mode == "offline" else model


def _was_typed(context: typer.Context, name: str) -> bool:
    origin = context.get_parameter_source(name)
    return origin is not None and origin.name == "COMMANDLINE"


def _chosen_questions(questions: str | None, *, fast: bool) -> tuple[str, QuestionSet]:
    """Where the questions are from, and those that are asked."""
    from veracity.evals.benchmark import easy
    from veracity.evals.cases import load_questions, shipped_cases

    path = shipped_cases("benchmark") if questions in (None, "benchmark") else questions_file(questions)
    name, asked = questions or path.name, load_questions(path)
    return name, replace(asked, cases=easy(asked.cases, name)) if fast else asked


def _conditions(plan: EvaluationPlan, mode: str, *, fast: bool) -> Conditions:
    """What is measured, found out before anything is asked, so that a baseline that does not fit is told at once."""
    from veracity.evals.benchmark import MODE, Conditions, digest_of
    from veracity.evals.modes import open_mode

    data, model = [], ""
    for setup, _ in plan.by_source(plan.cases):
        with closing(open_mode(MODE, setup).agent) as agent:
            source = None if setup.source is None else str(setup.source)
            note_scope(agent.tools, source=source, feature=setup.feature, scope=setup.scope or {})
            scope = ", ".join(f"{key}={value}" for key, value in sorted(agent.tools.catalog.scope.values.items()))
            data.append(f"{agent.tools.source.name}{f' ({scope})' if scope else ''}")
            model = agent.model_name
    return Conditions(
        mode=mode,
        fast=fast,
        model=model,
        data="; ".join(data),
        questions=plan.questions,
        digest=digest_of(plan.cases),
    )


def _comparable_baseline(folder: Path, conditions: Conditions, *, update: bool) -> Measured | None:
    """The baseline to compare with. One that does not fit is an error, unless it is about to be replaced."""
    from veracity.evals.benchmark import BASELINE, check_comparable, load_baseline

    path = folder / BASELINE
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is not a file; name another folder with --out.")
    try:
        before = load_baseline(path)
        if before is not None:
            check_comparable(before, conditions, path)
    except UsageError:
        if not update:
            raise
        return None
    return before


# --- running and showing


def _set_aside(folder: Path) -> None:
    """Keep an earlier run beside the one that begins."""
    from veracity.evals.compare import RESULTS

    try:
        # In this order: a crash in between leaves results without trials, which the next start sets aside again.
        for name in ("trials.jsonl", RESULTS):
            if (folder / name).exists():
                stem, _, ending = name.partition(".")
                (folder / name).replace(folder / f"{stem}.before.{ending}")
    except OSError as error:
        raise UsageError(f"{folder} cannot be used for results: {error}; name another folder with --out.") from None


def _was_finished(folder: Path) -> bool:
    """Whether the run in this folder came to its end; otherwise it goes on."""
    from veracity.evals.compare import RESULTS, load_results

    if not (folder / RESULTS).exists():
        return False
    try:
        return load_results(folder).complete
    except UsageError:
        # Nobody can say any more what it was: then everything is measured anew.
        return True


def _write_results(
    results: EvalResults, judgement: BenchmarkJudgement, folder: Path, *, update: bool
) -> BenchmarkJudgement:
    from veracity.evals.benchmark import BASELINE, save_baseline
    from veracity.evals.benchmark_report import write_benchmark

    save_baseline(judgement.now, folder / MEASURED)
    if update:
        save_baseline(judgement.now, folder / BASELINE)
        judgement = judgement.model_copy(update={"baseline_updated": True})
    write_benchmark(results, judgement, folder / REPORT)
    return judgement


def _show_benchmark(results: EvalResults, judgement: BenchmarkJudgement, folder: Path, *, as_json: bool) -> None:
    if as_json:
        typer.echo(judgement.model_dump_json())
        return
    from rich.console import Console

    from veracity.evals.benchmark import BASELINE
    from veracity.evals.benchmark_report import benchmark_view

    Console().print(benchmark_view(results, judgement), soft_wrap=True)
    baseline = folder / BASELINE
    if judgement.baseline_updated:
        typer.echo(f"baseline: {baseline} is this run now")
    elif judgement.before is None:
        typer.echo(f"baseline: none yet; --update-baseline makes one, or copy {folder / MEASURED} to {baseline}")
    typer.echo(f"report: {folder / REPORT}")
