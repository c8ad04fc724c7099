"""Runs an evaluation: every question, in every mode, so many times; what is finished is kept at once.

cases -> gold rows   what `gold_sql` returns
      -> attempt     within its time, whatever happens
      -> score       right, abstained, wrong, timeout, error; a judge that fails at one trial costs that trial
      -> journal     one line per trial: a crash or Ctrl-C loses the running question only
      -> results     trials and summaries, for the report
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Generic, Protocol, TypeVar

from pydantic import ValidationError

from veracity.contracts import repair_counters
from veracity.errors import ModelError, ModelTimedOut, OntologyError, QueryFailed, UsageError, VeracityError
from veracity.evals.breakdown import groups_of
from veracity.evals.cases import EvalCase
from veracity.evals.modes import Answerer, LastRun, Setup, kept_rows, open_mode
from veracity.evals.records import Attempt, Ended, EvalResults, Mode, Trial
from veracity.evals.scoring.judge import score_or_reason
from veracity.evals.summary import Prices, summarize
from veracity.language.locale import language
from veracity.query.compile import compile_scoped
from veracity.question import language_of
from veracity.sources.source import fetch
from veracity.tools.toolset import Toolset
from veracity.wire import Wire

Record = TypeVar("Record", bound=Wire)
_MOST_GOLD_ROWS = 1_000
_MOST_FAILURES = 3
"""After so many questions in a row that the model did not take, nothing more is asked."""


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """What is asked, how often, and where it is kept."""

    setup: Setup
    cases: tuple[EvalCase, ...]
    modes: tuple[Mode, ...]
    sources: Mapping[str, Setup] = field(default_factory=dict)
    """What the names of sources in the questions stand for; a question without one is asked of `setup`."""
    runs: int = 1
    concurrency: int = 1
    timeout: Callable[[EvalCase], float] = lambda case: case.timeout or 300.0
    """Seconds that a question may take."""
    prices: Prices | None = None
    questions: str = ""
    command: str = ""

    @property
    def size(self) -> int:
        """How many trials there are."""
        return len(self.cases) * len(self.modes) * self.runs

    def setup_of(self, case: EvalCase) -> Setup:
        """The data of a question."""
        return self.setup if case.source is None else self.sources[case.source]

    def by_source(self, cases: Sequence[EvalCase]) -> Iterator[tuple[Setup, list[EvalCase]]]:
        """Questions with the data that they are about, so that each source is opened once.

        Those in one language follow each other: a model's server can keep what their prompts share.
        """
        for name in dict.fromkeys(case.source for case in cases):
            own = [case for case in cases if case.source == name]
            yield self.setup_of(own[0]), sorted(own, key=lambda case: case.lang or language_of(case.question))


class EvaluationProgress(Protocol):
    """Someone who looks on."""

    def finished(self, trial: Trial, *, before: bool) -> None:
        """A trial is there; `before`: it was kept from an earlier start."""


@dataclass(slots=True)
class RecordLines(Generic[Record]):
    """A file with a record per line; each is on the disk at once."""

    path: Path
    records: list[Record]
    """Those that could be read when it was opened."""
    first: str
    """What has to be written first: the end of a line that was cut."""

    @classmethod
    def open(cls, path: Path, kind: type[Record]) -> RecordLines[Record]:
        """The file with what it holds; raises `OSError`."""
        raw = path.read_bytes() if path.exists() else b""
        records = []
        for line in raw.split(b"\n"):
            # Left out: the line that was being written when the machine went down, or one of another version.
            with suppress(ValidationError):
                records.append(kind.model_validate_json(line))
        return cls(path, records, "" if not raw or raw.endswith(b"\n") else "\n")

    def add(self, record: Record) -> None:
        """Write one more line."""
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(self.first + record.model_dump_json() + "\n")
            self.first = ""
            stream.flush()
            os.fsync(stream.fileno())


@dataclass(slots=True)
class TrialJournal:
    """`trials.jsonl`: what was finished, also by an earlier start."""

    lines: RecordLines[Trial]
    trials: dict[tuple[str, Mode, int], Trial]

    @classmethod
    def open(cls, folder: Path, *, fresh: bool = False) -> TrialJournal:
        """The journal of a folder; `fresh` begins a new one and keeps the old beside it."""
        path = folder / "trials.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if fresh and path.exists():
                path.replace(folder / "trials.before.jsonl")
            lines = RecordLines.open(path, Trial)
        except OSError as error:
            reason = (error.strerror or "it is no folder").lower()
            raise UsageError(
                f"{folder} cannot be used for results: {reason}; name another folder with --out."
            ) from None
        return cls(lines, {(trial.case_id, trial.mode, trial.run): trial for trial in lines.records})

    def kept(self, case: EvalCase, mode: Mode, run: int, fingerprint: str) -> Trial | None:
        """A finished trial of the same question, model, prompt and data. One that failed is tried again."""
        trial = self.trials.get((case.id, mode, run))
        if trial is None or trial.fingerprint != fingerprint or trial.attempt.ended is Ended.ERROR:
            return None
        # The judge may have learned since; the answer is not paid for again.
        return trial.model_copy(update={"score": score_or_reason(case, trial.attempt)})

    def add(self, trial: Trial) -> None:
        """Keep a trial, on the disk at once."""
        self.trials[trial.case_id, trial.mode, trial.run] = trial
        self.lines.add(trial)


@dataclass(slots=True)
class EvaluationRun:
    """A plan on its way; `results` can be asked for at any time."""

    plan: EvaluationPlan
    journal: TrialJournal
    watch: EvaluationProgress
    opened: Callable[[Mode, Setup], Answerer] = open_mode
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    trials: list[Trial] = field(default_factory=list)
    started: datetime | None = None
    source: str = ""
    model: str = ""
    _failures: int = 0

    async def run(self) -> EvalResults:
        """Ask everything that is not answered yet."""
        self.started = self.clock()
        cases = await self._prepared()
        for mode in self.plan.modes:
            for setup, own in self.plan.by_source(cases):
                answerer = self.opened(mode, setup)
                with closing(answerer.agent):
                    await self._run_mode(mode, answerer, own)
        if all(trial.attempt.ended is Ended.ERROR for trial in self.trials):
            raise ModelError(f"Every question failed, the last with: {self.trials[-1].attempt.error}")
        return self.results()

    async def _prepared(self) -> list[EvalCase]:
        """Open every mode and run every gold query once: what is wrong is told before a question is paid for."""
        found: dict[str, EvalCase] = {}
        names: dict[str, None] = {}
        for mode in self.plan.modes:
            for setup, own in self.plan.by_source(self.plan.cases):
                with closing(self.opened(mode, setup).agent) as agent:
                    self.model = agent.model_name
                    names[agent.tools.source.name] = None
                    for case in own:
                        found[case.id] = found.get(case.id) or await with_gold_rows(case, agent.tools)
        self.source = ", ".join(names)
        return [found[case.id] for case in self.plan.cases]

    async def _run_mode(self, mode: Mode, answerer: Answerer, cases: Sequence[EvalCase]) -> None:
        turns = asyncio.Semaphore(self.plan.concurrency)
        try:
            async with asyncio.TaskGroup() as group:
                for run in range(1, self.plan.runs + 1):
                    for case in cases:
                        await turns.acquire()
                        task = group.create_task(self._trial(case, mode, run, answerer))
                        task.add_done_callback(lambda _task: turns.release())
        except BaseExceptionGroup as several:
            # The others were only cancelled because of the first.
            raise several.exceptions[0] from None

    async def _trial(self, case: EvalCase, mode: Mode, run: int, answerer: Answerer) -> None:
        fingerprint = fingerprint_of(case, mode, answerer, self.plan.setup_of(case))
        kept = self.journal.kept(case, mode, run, fingerprint)
        if kept is not None:
            self.trials.append(kept)
            self.watch.finished(kept, before=True)
            return
        attempt = await attempted(answerer, case, self.plan.timeout(case))
        trial = Trial(
            case_id=case.id,
            mode=mode,
            run=run,
            fingerprint=fingerprint,
            at=self.clock(),
            program=program(),
            attempt=attempt,
            score=score_or_reason(case, attempt),
        )
        self.journal.add(trial)
        self.trials.append(trial)
        self.watch.finished(trial, before=False)
        self._failures = self._failures + 1 if attempt.ended is Ended.ERROR else 0
        if self._failures >= _MOST_FAILURES:
            raise ModelError(
                f"{_MOST_FAILURES} questions in a row failed, the last with: {attempt.error} "
                "What is finished is kept; mend that and run the same command again."
            )

    def results(self) -> EvalResults:
        """What there is so far, in the order of the plan."""
        plan = self.plan
        place = {case.id: number for number, case in enumerate(plan.cases)}
        trials = sorted(self.trials, key=lambda t: (plan.modes.index(t.mode), place[t.case_id], t.run))
        grouped = {mode: [trial for trial in trials if trial.mode is mode] for mode in plan.modes}
        return EvalResults(
            veracity=version("veracity"),
            model=self.model,
            source=self.source,
            questions=plan.questions,
            command=plan.command,
            started_at=self.started or self.clock(),
            machine=machine(),
            runs=plan.runs,
            currency=plan.prices.currency if plan.prices else None,
            cases=plan.cases,
            modes=plan.modes,
            trials=tuple(trials),
            summaries=tuple(summarize(mode, found, prices=plan.prices) for mode, found in grouped.items() if found),
            groups=groups_of(plan.cases, trials),
            complete=len(trials) == plan.size and self._failures < _MOST_FAILURES,
        )


async def attempted(answerer: Answerer, case: EvalCase, seconds: float) -> Attempt:
    """One attempt. A timeout really cancels what runs; an error and a crash are results, too."""
    watch, started = LastRun(), perf_counter()
    ended, reason = Ended.ERROR, ""
    try:
        async with asyncio.timeout(seconds):
            return await answerer.ask(case.question, case.lang, watch)
    except TimeoutError:
        ended, reason = Ended.TIMEOUT, f"It was stopped after {seconds:g} s."
    except ModelTimedOut as error:
        ended, reason = Ended.TIMEOUT, str(error)
    except VeracityError as error:
        reason = str(error)
    except Exception as error:  # noqa: BLE001  a crash of what is measured counts as one; it must not end the measuring
        reason = f"It crashed: {type(error).__name__}: {error}"
    run = watch.run
    return Attempt(
        ended=ended,
        error=reason,
        results=kept_rows(run),
        calls=tuple(run.calls) if run else (),
        counters=repair_counters(run.calls if run else []),
        rounds=run.rounds if run else 0,
        seconds=round(perf_counter() - started, 3),
    )


async def with_gold_rows(case: EvalCase, tools: Toolset) -> EvalCase:
    """The case with the rows of its `gold_sql`, in the scope of the questions, as what is expected."""
    if case.gold_sql is None:
        return case
    try:
        statement = compile_scoped(case.gold_sql, tools.catalog, tools.source, limit=_MOST_GOLD_ROWS + 1)
        rows = await fetch(tools.source, statement)
    except (QueryFailed, OntologyError) as failure:
        reason = " ".join(str(failure.__cause__ or failure).split()).rstrip(".")
        raise UsageError(f"The gold_sql of {case.id} does not run: {reason}.") from None
    if len(rows) > _MOST_GOLD_ROWS:
        raise UsageError(f"The gold_sql of {case.id} returns more than {_MOST_GOLD_ROWS} rows; no answer says so many.")
    return case.model_copy(update={"expected_rows": tuple(rows)})


def fingerprint_of(case: EvalCase, mode: Mode, answerer: Answerer, setup: Setup) -> str:
    """Of everything that an attempt depends on, but the program itself."""
    agent = answerer.agent
    lang = language(case.lang or language_of(case.question))
    asked = case.model_dump(mode="json", include={"question", "lang"})
    tools = [[tool.name, tool.description, tool.parameters_json_schema] for tool in agent.parameters().function_tools]
    data = [agent.tools.source.name, agent.tools.catalog.scope.values, *_stamp(setup.source)]
    parts = [asked, mode, agent.model_name, data, answerer.prompt(lang), tools, version("veracity")]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _stamp(source: str | os.PathLike[str] | None) -> Sequence[object]:
    """The size and time of a file; the shipped data has its version in its name, and a server has neither."""
    try:
        facts = Path(source).stat() if source is not None else None
    except (OSError, ValueError):
        return []
    return [facts.st_size, facts.st_mtime_ns] if facts else []


@cache
def program() -> str:
    """A digest of the package as it runs here: trials of another one are kept, and the report says so."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*")):
        if path.suffix in (".py", ".yaml"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def machine() -> str:
    """Where it ran, in a few words."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def default_folder(questions: Path, model: str) -> Path:
    """Where the results go when nobody says: the same place for the same questions and model."""
    plain = "".join(ch if ch.isalnum() or ch in ".-" else "-" for ch in model).strip("-.")
    return Path("eval-results") / f"{questions.stem}-{plain or 'model'}"
