"""`veracity eval`, `veracity eval compare`: gold questions through the modes of the runtime, and two evaluations side by side."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from veracity.cli.options import AgentOptions, Json, opened_tables, read_scope, with_options
from veracity.errors import UsageError
from veracity.language.locale import printable

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from veracity.contracts import AskWith
    from veracity.evals.cases import EvalCase, QuestionSet
    from veracity.evals.modes import Setup
    from veracity.evals.records import EvalResults, Mode, Trial
    from veracity.evals.run import EvaluationPlan
    from veracity.evals.summary import Prices

app = typer.Typer(
    help="Ask gold questions in every mode of the runtime and score the answers.",
    invoke_without_command=True,
    rich_markup_mode=None,
)
_STOPPED = 130
_ALL_MODES = "baseline,hints,validator,ontology,tools,model-only,bound"

Questions = Annotated[str | None, typer.Option("--questions", help="Gold questions, as YAML or JSON. Default: the 19 shipped ones; 'three-sources', 'paraphrases' and 'benchmark' are shipped, too; 'taught' are the answers that you called right.")]  # fmt: skip
ModeNames = Annotated[
    str | None,
    typer.Option("--modes", help="Which modes, separated by commas. Default: all of them; without a model bound."),
]
Runs = Annotated[int, typer.Option("--runs", min=1, max=100, help="How often each question is asked in each mode.")]
Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        help="The folder for report.md, results.json and what is kept to go on later. Default: eval-results/QUESTIONS-MODEL.",
    ),
]
Hints = Annotated[
    str | None, typer.Option("--hints", help="A text file with the hints of the modes hints and validator.")
]
Every = Annotated[int, typer.Option("--every", min=1, max=1_000, help="Ask only every so many-th question of each source, from the first on; for slow models.")]  # fmt: skip
Seconds = Annotated[float, typer.Option("--seconds", min=0.001, max=86_400, help="Seconds a question may take, unless its case says so.")]  # fmt: skip
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, max=64, help="Questions asked at the same time.")]
PriceList = Annotated[str | None, typer.Option("--prices", help="IN,OUT[,CURRENCY] per million tokens, such as 0.15,0.60,USD. Known models bring theirs.")]  # fmt: skip
Fresh = Annotated[bool, typer.Option("--fresh", help="Ask everything anew; without it, finished questions are kept.")]


@app.callback()
@with_options(
    order="questions source feature ontology scope model modes tools assume every runs out hints schema rounds seconds timeout concurrency "
    "prices fresh as_json"
)
def evaluate(
    context: typer.Context,
    options: AgentOptions,
    questions: Questions = None,
    modes: ModeNames = None,
    every: Every = 1,
    runs: Runs = 1,
    out: Out = None,
    hints: Hints = None,
    seconds: Seconds = 300.0,
    concurrency: Concurrency = 1,
    prices: PriceList = None,
    fresh: Fresh = False,
) -> None:
    """Ask gold questions in every mode of the runtime and score the answers: right, abstained, wrong.

    Exit codes: 0 finished, whatever the answers are worth, 2 wrong usage or no model, 130 stopped by Ctrl-C.
    """
    if context.invoked_subcommand is not None:
        return
    from veracity.evals.cases import QuestionSet, load_questions
    from veracity.evals.run import EvaluationPlan, default_folder

    path = questions_file(questions)
    asked = QuestionSet(_taught(options)) if questions == "taught" else load_questions(path)
    setup, sources = read_setups(replace(options, seconds=seconds), asked, hints)
    plan = EvaluationPlan(
        setup=setup,
        cases=asked.every(every).cases,
        sources=sources,
        modes=read_modes(modes if modes is not None else "bound" if options.model == "offline" else _ALL_MODES),
        runs=runs,
        concurrency=concurrency,
        timeout=lambda case: case.timeout or seconds,
        prices=read_prices(prices, options.model),
        questions=str(questions or path.name) + (f", 1 in {every}" if every > 1 else ""),
        command=command_line(),
    )
    folder = Path(out) if out else default_folder(path, options.model)
    # What costs nothing is asked anew: its program may have changed since.
    results = run_plan(plan, folder, fresh=fresh or _is_complete(folder, options.model))
    show_results(results, folder, as_json=options.as_json)


@app.command("compare")
def compare(
    before: Annotated[str, typer.Argument(help="results.json of one evaluation, or its folder.")],
    after: Annotated[str, typer.Argument(help="results.json of the other, or its folder.")],
    as_json: Json = False,
) -> None:
    """What got better and what broke from one evaluation to the other. Exit code 1 when something broke."""
    from rich.console import Console

    from veracity.evals.compare import compare as compared
    from veracity.evals.compare import comparison_text, load_results

    found = compared(load_results(Path(before)), load_results(Path(after)))
    if as_json:
        typer.echo(found.model_dump_json())
    else:
        Console().print(comparison_text(found))
    if not found.changes:
        raise UsageError("The two have no question in the same mode in common; there is nothing to compare.")
    raise typer.Exit(1 if found.broke else 0)


# --- what the options mean


def _taught(options: AgentOptions) -> tuple[EvalCase, ...]:
    """The answers about this source that were called right."""
    from veracity.agent.judged_answers import JudgedAnswers
    from veracity.evals.taught_cases import taught_cases

    with opened_tables(options) as tools:
        source = tools.source.name
    return taught_cases(JudgedAnswers.default().latest("right", source=source))


def questions_file(name: str | None) -> Path:
    """The file that is named; without one, the shipped questions."""
    from veracity.evals.cases import SHIPPED, shipped_cases

    return shipped_cases(name or "trustee") if name is None or name in SHIPPED else Path(name)


def read_setups(
    options: AgentOptions, questions: QuestionSet, hints: str | None = None
) -> tuple[Setup, dict[str, Setup]]:
    """The setup of the options, and those of the sources that the questions name; a setup is the same but for its data."""
    if not questions.sources:
        return read_setup(options, hints), {}
    if options.source or options.feature or options.ontology or options.scope:
        raise UsageError("These questions name their sources; leave out --source, --feature, --ontology and --scope.")
    found = {}
    for name, data in questions.sources.items():
        scope = [f"{key}={value}" for key, value in data.scope.items()]
        own = replace(options, source=data.source, feature=data.feature, ontology=data.ontology, scope=scope)
        found[name] = read_setup(own, hints)
    return next(iter(found.values())), found


def read_setup(options: AgentOptions, hints: str | None = None) -> Setup:
    """The data, the model and the limits of an evaluation; `hints` is a file with those of the modes that take some."""
    from veracity.agent.loop import Limits
    from veracity.evals.modes import Setup
    from veracity.llm.provider import ProviderConfig
    from veracity.settings import Settings

    if options.schema not in ("strict", "plain"):
        raise UsageError("--schema is strict or plain.")
    with opened_tables(options):
        # The demo data is made now, so that no question waits for it.
        pass
    return Setup(
        source=options.source,
        feature=options.feature,
        ontology=options.ontology,
        scope=read_scope(options.scope),
        model=options.model,
        provider=ProviderConfig(timeout=options.timeout),
        # The evaluation has the clock: what it stops is a timeout, not an abstention.
        limits=Limits(rounds=options.rounds, seconds=options.seconds * 2),
        schema="strict" if options.schema == "strict" else "plain",
        tools=cast("AskWith", options.tools),
        assume=options.assume,
        hints=_read_hints(hints) if hints else None,
        settings=Settings.from_env(),
    )


def _read_hints(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "it is not text in UTF-8").lower()
        raise UsageError(f"The hints {path} cannot be read: {reason}; name a text file.") from None


def read_modes(names: str) -> tuple[Mode, ...]:
    """The modes of a list such as `baseline,bound`."""
    from veracity.evals.records import Mode

    found: list[Mode] = []
    for name in names.split(","):
        if name.strip() not in list(Mode):
            raise UsageError(f"There is no mode {name.strip()!r}; the modes are {', '.join(Mode)}.")
        found.append(Mode(name.strip()))
    return tuple(dict.fromkeys(found))


def read_prices(given: str | None, model: str) -> Prices | None:
    """Prices as they were given, else those that are known of the model."""
    from veracity.evals.summary import Prices, known_prices

    if given is None:
        return known_prices(model)
    parts = [part.strip() for part in given.split(",")]
    try:
        into, out, *currency = parts
        (unit,) = currency or ("USD",)
        return Prices(input=float(into), output=float(out), currency=unit)
    except ValueError:
        raise UsageError(f"--prices {given!r} is not IN,OUT[,CURRENCY], such as 0.15,0.60,USD.") from None


def command_line() -> str:
    """The command that runs this again."""
    return " ".join(["veracity", *map(shlex.quote, sys.argv[1:])])


def _is_complete(folder: Path, model: str) -> bool:
    """Whether an evaluation that costs nothing came to its end here before."""
    from veracity.evals.compare import load_results

    if model != "offline" or not (folder / "results.json").exists():
        return False
    try:
        return load_results(folder).complete
    except UsageError:
        return True  # nobody can say any more what it was


# --- running and showing


def run_plan(plan: EvaluationPlan, folder: Path, *, fresh: bool) -> EvalResults:
    """Run it with a progress bar; what is finished is reported, however it ends."""
    from veracity.evals.report import write_report
    from veracity.evals.run import EvaluationRun, TrialJournal

    with progress_bar(plan.size, {case.id: case for case in plan.cases}) as watch:
        evaluation = EvaluationRun(plan, TrialJournal.open(folder, fresh=fresh), watch)
        try:
            asyncio.run(evaluation.run())
        except KeyboardInterrupt:
            watch.stop()
            done = len(evaluation.trials)
            typer.echo(f"{done} of {plan.size} are kept in {folder}; the same command goes on from there.", err=True)
            raise typer.Exit(_STOPPED) from None
        finally:
            if evaluation.trials:
                write_report(evaluation.results(), folder)
    return evaluation.results()


def show_results(results: EvalResults, folder: Path, *, as_json: bool) -> None:
    """Print the table, what went wrong, and where the report is."""
    if as_json:
        typer.echo(results.model_dump_json())
        return
    from rich.console import Console

    from veracity.evals.breakdown import breakdown_table
    from veracity.evals.report import failures_text, summary_table

    Console().print(summary_table(results))
    if (apart := breakdown_table(results)) is not None:
        Console().print(apart)
    if failures := failures_text(results):
        typer.echo(failures)
    typer.echo(f"\nreport: {folder / 'report.md'}")


@dataclass(slots=True)
class RunningScore:
    """The bar with the running score; elsewhere than on a terminal, a line per trial."""

    size: int
    cases: dict[str, EvalCase]
    bar: Bar | None
    done: int = 0
    kept: int = 0
    scores: Counter[str] = field(default_factory=Counter)

    def finished(self, trial: Trial, *, before: bool) -> None:
        """Show one more trial; `before` says that an earlier run had finished it."""
        self.done += 1
        self.kept += before
        if not before and self.kept:
            typer.echo(
                f"{self.kept} of {self.size} were finished before and are kept; --fresh asks them again.", err=True
            )
            self.kept = 0
        self.scores[trial.score.verdict] += 1
        if self.bar is not None:
            said = " ".join(f"{name} {count}" for name, count in sorted(self.scores.items()))
            self.bar.update(self.bar.task_ids[0], completed=self.done, description=f"{trial.mode} {said}")
            return
        if not before:
            why = f": {trial.score.reasons[0]}" if trial.score.reasons else ""
            line = f"[{self.done}/{self.size}] {trial.mode} {trial.case_id} {trial.score.verdict} {trial.attempt.seconds:.1f} s{why}"
            typer.echo(printable(line), err=True)

    def stop(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()


@contextmanager
def progress_bar(size: int, cases: dict[str, EvalCase]) -> Iterator[RunningScore]:
    """A bar on standard error while an evaluation runs."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield RunningScore(size, cases, None)
        return
    columns = (BarColumn(bar_width=24), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        bar.add_task("", total=size)
        yield RunningScore(size, cases, bar)
