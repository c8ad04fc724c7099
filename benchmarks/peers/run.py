"""The same questions, model and data through other tools, judged by the same scorer.

    python benchmarks/peers/run.py --peer langchain --model http://127.0.0.1:8181/v1 --questions trustee --out eval-results/peers
    python benchmarks/peers/run.py --peer plain --model http://127.0.0.1:8181/v1 --questions three-sources --every 4 --out eval-results/peers-three-sources

The peers live in an environment of their own beside this file, which is made when a peer needs it. What is finished is kept
in `peers.jsonl` of the folder; the same command goes on where it was stopped. `peers.json` and `report.md` have a row per
peer, and one per peer and source.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path

from peer_data import own_copy, rows_of
from peer_process import Heard, PeerProcess
from peer_questions import PeerSource, Selection, prepared
from peer_report import report_markdown
from peer_results import Journal, PeerResults, PeerRow, PeerTrial

from veracity.answer.answer import Tokens
from veracity.contracts import ToolCallLog
from veracity.errors import UsageError, VeracityError
from veracity.evals.cases import EvalCase, shipped_cases
from veracity.evals.records import Attempt, EvalResults
from veracity.evals.run import machine
from veracity.evals.scoring.judge import score_or_reason
from veracity.evals.writing import write_whole
from veracity.language.locale import language
from veracity.language.numbers import locale_of
from veracity.question import language_of
from veracity.settings import Settings

HERE = Path(__file__).parent
PEERS = {
    "plain": "plain_sql.py",
    "langchain": "langchain_sql.py",
    "vanna": "vanna_sql.py",
    "vanna-classic": "vanna_classic.py",
}
BARE = frozenset({"plain"})
"""They need no package, and run with the Python that runs this."""
_LANGUAGES = {"de": "German", "en": "English", "zh": "Chinese"}
_NOISE = re.compile(r"(?<![\d.])\d{1,15}\.\d{8,30}(?![\d.])", re.ASCII)


@dataclass(frozen=True, slots=True)
class Given:
    """What every peer gets, and what its answers are judged by."""

    endpoint: str
    model: str
    timeout: float
    sources: tuple[PeerSource, ...]

    @property
    def cases(self) -> tuple[EvalCase, ...]:
        """The questions about all sources."""
        return tuple(case for source in self.sources for case in source.cases)

    def setup(self, source: PeerSource, database: Path) -> dict[str, object]:
        """The first line that a peer reads."""
        told = {"endpoint": self.endpoint, "model": self.model, "database": str(database), "timeout": self.timeout}
        return {**told, **source.setup()}

    def fingerprint(self, peer: str, source: PeerSource, case: EvalCase) -> str:
        """Of everything that an attempt depends on: question, peer, versions, model, hints and data."""
        names = (PEERS[peer],) if peer in BARE else (PEERS[peer], "requirements.txt")
        files = [(HERE / name).read_text(encoding="utf-8") for name in names]
        parts = [case.question, lang_of(case), files, self.model, source.hints, source.examples, source.digest]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def lang_of(case: EvalCase) -> str:
    """The language that a question is answered in."""
    return language(case.lang or language_of(case.question))


async def compare(given: Given, peers: Sequence[str], python: Path, journal: Journal) -> None:
    """Ask every peer what it was not asked yet, one question after the other: the model takes one at a time."""
    for peer in peers:
        command = [sys.executable if peer in BARE else str(python), str(HERE / PEERS[peer])]
        for source in given.sources:
            with tempfile.TemporaryDirectory() as folder:
                setup = given.setup(source, own_copy(source.database, Path(folder)))
                process = PeerProcess(command, setup, journal.lines.path.parent / f"{peer}.log")
                try:
                    await _ask_all(given, peer, source, process, journal)
                finally:
                    await process.stop()


async def _ask_all(given: Given, peer: str, source: PeerSource, process: PeerProcess, journal: Journal) -> None:
    for number, case in enumerate(source.cases, start=1):
        fingerprint = given.fingerprint(peer, source, case)
        trial = journal.finished(peer, case, fingerprint, given.timeout)
        if trial is None:
            heard = await process.ask(case.question, _LANGUAGES[lang_of(case)], given.timeout)
            attempt = attempt_of(heard, case, source.database)
            trial = PeerTrial(
                peer=peer,
                case_id=case.id,
                fingerprint=fingerprint,
                at=datetime.now(UTC),
                versions=process.versions,
                attempt=attempt,
                score=score_or_reason(case, attempt),
            )
            journal.add(trial)
        print(f"{peer} {source.name} {number}/{len(source.cases)} {case.id}: {_outcome_line(trial)}", flush=True)


def _outcome_line(trial: PeerTrial) -> str:
    why = "; ".join(trial.score.reasons)
    return f"{trial.score.verdict} ({trial.attempt.seconds:.0f} s){' - ' + why if why else ''}"


def attempt_of(heard: Heard, case: EvalCase, database: Path) -> Attempt:
    """What was heard of a peer, as the scorer takes it. Its rows are read again, so that they are the same for every peer."""
    found = [rows_of(database, sql, number) if error is None else None for number, (sql, error) in enumerate(heard.statements, 1)]  # fmt: skip
    calls = tuple(
        ToolCallLog(
            round=number,
            tool="sql",
            arguments={"sql": sql[:20_000]},
            success=error is None,
            error=error,
            result_id=data.result_id if data else None,
            row_count=data.row_count if data else None,
        )
        for number, ((sql, error), data) in enumerate(zip(heard.statements, found, strict=True), 1)
    )
    return Attempt(
        ended=heard.ended,
        text=without_noise(heard.text),
        locale=locale_of(lang_of(case), "de-CH"),
        calls=calls,
        results=tuple(data for data in found if data is not None),
        rounds=len(heard.usage),
        tokens=Tokens(
            prompt=heard.usage[0][0] if heard.usage else 0,
            input=sum(tokens for tokens, _ in heard.usage),
            output=sum(tokens for _, tokens in heard.usage),
        ),
        seconds=heard.seconds,
        error=heard.error,
    )


def without_noise(text: str) -> str:
    """The text without the last digits of binary sums: SQLite has no decimals, and that is not the peer's fault."""
    return _NOISE.sub(lambda number: f"{Decimal(number[0]).quantize(Decimal('1.000000')):f}", text)


def results_of(given: Given, journal: Journal, command: str, questions: str) -> PeerResults:
    """What there is of all peers, those of earlier runs included."""
    kept = {
        peer: {
            source.name: [
                trial
                for case in source.cases
                if (trial := journal.kept(peer, case, given.fingerprint(peer, source, case)))
            ]
            for source in given.sources
        }
        for peer in PEERS
    }
    by_peer = {peer: [trial for trials in by_name.values() for trial in trials] for peer, by_name in kept.items()}
    found = {peer: trials for peer, trials in by_peer.items() if trials}
    return PeerResults(
        veracity=version("veracity"),
        model=given.model,
        questions=questions,
        command=command,
        started_at=min((trial.at for trials in found.values() for trial in trials), default=datetime.now(UTC)),
        machine=machine(),
        timeout=given.timeout,
        cases=given.cases,
        rows=tuple(PeerRow.of(peer, trials) for peer, trials in found.items()),
        by_source=tuple(
            PeerRow.of(peer, trials, name) for peer in found for name, trials in kept[peer].items() if trials
        ),
        trials=tuple(trial for trials in found.values() for trial in trials),
        complete=bool(found) and all(len(trials) == len(given.cases) for trials in found.values()),
    )


# --- what it needs


def environment(folder: Path) -> Path:
    """The Python of the peers' own environment; made on first use, and again when the pins change."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pins, done = HERE / "requirements.txt", folder / "requirements.done"
    if done.exists() and done.read_text(encoding="utf-8") == pins.read_text(encoding="utf-8"):
        return python
    print(f"installing the peers into {folder}, about a minute ...", flush=True)
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", "-r", str(pins)], check=True)
    done.write_text(pins.read_text(encoding="utf-8"), encoding="utf-8")
    return python


def endpoint_of(spec: str) -> tuple[str, str]:
    """The address and the model's name; without `#NAME`, the first model that the endpoint has."""
    address, _, name = spec.partition("#")
    if not address.startswith(("http://", "https://")):
        raise UsageError(f"{spec} is not an endpoint; write http://HOST:PORT/v1 or http://HOST:PORT/v1#NAME.")
    if name:
        return address, name
    try:
        with urllib.request.urlopen(f"{address.rstrip('/')}/models", timeout=30) as response:
            return address, str(json.load(response)["data"][0]["id"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UsageError(f"{address} does not tell its models ({error}); add the name: {address}#NAME.") from None


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", action="append", choices=[*PEERS], help="which one; may be repeated; default: all")
    parser.add_argument("--model", required=True, help="an OpenAI-compatible endpoint: http://HOST:PORT/v1[#NAME]")
    parser.add_argument("--questions", default="trustee", help="a shipped set or a file; default: trustee")
    parser.add_argument("--source", action="append", help="only questions about this source; may be repeated")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--only", default="", help="ids of questions, with commas between them")
    which.add_argument("--every", type=int, default=1, help="every so many-th question of each source; default: 1")
    parser.add_argument("--out", type=Path, default=Path("eval-results/peers"), help="the folder of the results")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds per question; default: 600")
    parser.add_argument(
        "--beside", type=Path, help="results.json of 'veracity eval', to show its rows beside the peers'"
    )
    parser.add_argument("--python", type=Path, help="a Python that has the peers, instead of the environment here")
    return parser.parse_args(given)


async def run(options: argparse.Namespace) -> Path:
    """Everything that the command line asks for; the report."""
    if options.every < 1:
        raise UsageError("--every is 1 or more.")
    named = Path(options.questions)
    questions = named if named.suffix else shipped_cases(options.questions)
    only = tuple(name.strip() for name in options.only.split(",") if name.strip())
    selection = Selection(tuple(options.source or ()), only, options.every)
    peers: list[str] = options.peer or [*PEERS]
    endpoint, model = endpoint_of(options.model)
    beside = EvalResults.model_validate_json(options.beside.read_bytes()) if options.beside else None
    with tempfile.TemporaryDirectory() as folder:
        sources = await prepared(questions, selection, Path(folder), Settings.from_env())
        given = Given(endpoint, model, options.timeout, sources)
        python = options.python or (Path(sys.executable) if BARE.issuperset(peers) else environment(HERE / ".venv"))
        out: Path = options.out
        journal = Journal.open(out)
        try:
            await compare(given, peers, python, journal)
        finally:
            command = shlex.join(["python", "benchmarks/peers/run.py", *sys.argv[1:]])
            results = results_of(given, journal, command, questions.name)
            write_whole(out / "peers.json", results.model_dump_json(indent=1) + "\n")
            report = out / "report.md"
            write_whole(report, report_markdown(results, beside, options.beside))
    return report


def main() -> None:
    """The command."""
    try:
        report = asyncio.run(run(arguments()))
    except VeracityError as error:
        raise SystemExit(f"Error: {error}") from None
    except KeyboardInterrupt:
        raise SystemExit("Stopped; what is finished is kept.") from None
    print(f"Report: {report}")


if __name__ == "__main__":
    main()
