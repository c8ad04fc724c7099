"""`benchmarks/peers`: what it takes to ask another tool the same questions. The tools themselves are not needed here."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

PEERS = Path(__file__).parent.parent / "benchmarks" / "peers"
sys.path.insert(0, str(PEERS))

import run as peers  # noqa: E402
from peer_ledger import copy_ledger, rows_of  # noqa: E402
from peer_lines import table_text  # noqa: E402
from peer_process import Heard, PeerProcess  # noqa: E402
from peer_results import Journal, report_markdown  # noqa: E402

from veracity.evals.cases import EvalCase, load_cases, shipped_cases  # noqa: E402
from veracity.evals.records import Ended, TrialVerdict  # noqa: E402
from veracity.evals.scoring.judge import score  # noqa: E402
from veracity.features import get_feature  # noqa: E402
from veracity.settings import Settings  # noqa: E402

BALANCES = "SELECT accountNumber, closingBalance, currency FROM TrusteeDataAccountBalance WHERE periodYear = {year} AND periodMonth = 0 AND accountNumber LIKE '{accounts}'"
BANK = BALANCES.format(year=2025, accounts="102%")
FAKE_PEER = f"""
import os, sys, time
sys.path.insert(0, {str(PEERS)!r})
from peer_lines import serve

def build(setup, lines):
    print("a library that talks")
    def ask(question, language):
        print("and talks")
        lines.model_call(100, 7)
        if "hang" in question:
            time.sleep(300)
        if "crash" in question:
            sys.stderr.write("MemoryError: no more of it\\n")
            os._exit(3)
        if "raise" in question:
            raise ValueError("a peer's own problem")
        lines.statement("SELECT 1 AS one")
        return f"{{question}} in {{language}}, with {{setup.model}}"
    return ask

serve(build, ["pytest"])
"""


@pytest.fixture(scope="module")
def mandate(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target, feature = tmp_path_factory.mktemp("peers") / "mandate.sqlite", get_feature("trustee")
    # Other tests of this process may have the ledger open, with other settings.
    own = Path(shutil.copy(ledger, target.with_name("ledger.duckdb")))
    copy_ledger(own, target, feature.tables, feature.default_scope)
    return target


@pytest.fixture
def fake_peer(tmp_path: Path, mandate: Path) -> PeerProcess:
    script = tmp_path / "fake_peer.py"
    script.write_text(FAKE_PEER, encoding="utf-8")
    given = peers.Given("http://127.0.0.1:1/v1", "some-model", mandate, (), 5.0)
    return PeerProcess([sys.executable, str(script)], given.setup(mandate), tmp_path / "fake.log")


def asked(peer: PeerProcess, *questions: str) -> list[Heard]:
    async def all_of_them() -> list[Heard]:
        try:
            return [await peer.ask(one, "German", 1.0 if one == "hang" else 60.0) for one in questions]
        finally:
            await peer.stop()

    return asyncio.run(all_of_them())


# --- the data


def test_a_peer_gets_one_mandate_without_scope_columns_and_with_the_same_figures(mandate: Path) -> None:
    import duckdb

    feature = get_feature("trustee")
    with (
        duckdb.connect(str(mandate.with_name("ledger.duckdb")), read_only=True) as whole,
        closing(sqlite3.connect(mandate)) as copy,
    ):
        for table in feature.tables:
            wanted = whole.execute(f"SELECT COUNT(*) FROM {table} WHERE mandateId = 'm-demo'").fetchall()[0][0]
            assert copy.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] == wanted > 0
            names = {column[1] for column in copy.execute(f"PRAGMA table_info({table})")}
            assert names
            assert not names & set(feature.default_scope)
        total = "SELECT SUM(closingBalance) FROM TrusteeDataAccountBalance"
        wanted = whole.execute(f"{total} WHERE mandateId = 'm-demo'").fetchall()[0][0]
        assert copy.execute(total).fetchone()[0] == pytest.approx(float(wanted), abs=0.001)


@pytest.mark.parametrize(
    "sql", ["DELETE FROM TrusteeDataAccount", "SELECT nothing", "", "SELECT 1; SELECT 2", "COMMIT"]
)
def test_a_statement_that_reads_nothing_gives_no_rows_and_changes_nothing(mandate: Path, sql: str) -> None:
    before = mandate.read_bytes()
    assert rows_of(mandate, sql, 1) is None
    assert mandate.read_bytes() == before


_ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)


@for_all(start=st.sampled_from(["", "SELECT ", "SELECT '", "WITH a AS ("]), rest=_ANY_TEXT)
@settings(max_examples=100, deadline=None)
def test_whatever_a_peer_calls_sql_raises_nothing(mandate: Path, start: str, rest: str) -> None:
    rows_of(mandate, start + rest, 1)


def test_rows_are_cut_and_say_so(mandate: Path) -> None:
    data = rows_of(mandate, "SELECT id FROM TrusteeDataJournalLine", 3)
    assert data is not None
    assert (data.result_id, len(data.rows), data.row_count, data.truncated) == ("r3", 100, 100, True)


# --- fairness


def test_the_sql_examples_run_and_none_of_them_is_a_gold_question(mandate: Path) -> None:
    gold = {case.question for name in ("trustee", "paraphrases") for case in load_cases(shipped_cases(name))}
    for example in peers.sql_examples():
        data = rows_of(mandate, example["sql"], 1)
        assert data is not None
        assert data.rows
        assert example["question"] not in gold


@pytest.mark.parametrize(
    ("case_id", "sql"),
    [
        ("q01", BANK),
        ("q04", BALANCES.format(year=2024, accounts="110%")),
        ("q10", "SELECT COUNT(*) FROM TrusteeDataJournalEntry WHERE bookingDate >= 1672531200 AND bookingDate < 1704067200"),
        ("q13", "SELECT SUM(b.closingBalance) FROM TrusteeDataAccountBalance b JOIN TrusteeDataAccount a USING (accountNumber) WHERE periodYear = 2024 AND periodMonth = 0 AND accountClass = 'expense'"),
        ("q18", "SELECT COUNT(*) FROM TrusteeDataContact WHERE contactType = 'vendor'"),
    ],
)  # fmt: skip
def test_the_rows_of_the_right_sql_alone_are_a_right_answer(
    ledger: Path, mandate: Path, case_id: str, sql: str
) -> None:
    (case,) = asyncio.run(peers.gold_cases(shipped_cases("trustee"), [case_id], ledger, Settings()))
    with closing(sqlite3.connect(mandate)) as copy:
        copy.row_factory = sqlite3.Row
        shown = table_text([dict(row) for row in copy.execute(sql)])
    heard = Heard(ended=Ended.ANSWERED, text=shown, statements=[(sql, None)], usage=[(10, 2)])
    judged = score(case, peers.attempt_of(heard, case, mandate))
    assert judged.verdict is TrialVerdict.RIGHT, (shown, judged.reasons)


def test_the_noise_of_binary_sums_is_not_held_against_a_peer() -> None:
    said = "Total 1113264.8600000001 CHF, 12.5 %, 10.0.0.12345678901"
    assert peers.without_noise(said) == "Total 1113264.860000 CHF, 12.5 %, 10.0.0.12345678901"
    assert table_text([{"total": 0.1 + 0.2, "name": "Müller"}]) == "total: 0.3, name: Müller"


def test_long_results_are_cut_for_the_reader() -> None:
    assert table_text([{"n": n} for n in range(30)]).splitlines()[-2:] == ["n: 19", "..."]


# --- the process


def test_a_peer_answers_and_what_its_libraries_print_does_not_disturb(fake_peer: PeerProcess) -> None:
    first, second = asked(fake_peer, "Was?", "Und was noch?")
    assert (first.ended, first.text) == (Ended.ANSWERED, "Was? in German, with some-model")
    assert (first.usage, first.statements) == ([(100, 7)], [("SELECT 1 AS one", None)])
    assert second.text.startswith("Und was noch?")
    assert fake_peer.versions == {"pytest": pytest.__version__}


def test_a_peer_that_raises_is_an_error_with_its_words_and_goes_on(fake_peer: PeerProcess) -> None:
    failed, after = asked(fake_peer, "raise", "Was?")
    assert (failed.ended, failed.error) == (Ended.ERROR, "ValueError: a peer's own problem")
    assert after.ended is Ended.ANSWERED


def test_a_peer_that_crashes_is_an_error_with_its_last_words_and_is_started_again(fake_peer: PeerProcess) -> None:
    crashed, after = asked(fake_peer, "crash", "Was?")
    assert (crashed.ended, crashed.error) == (Ended.ERROR, "The peer crashed: MemoryError: no more of it")
    assert crashed.usage == [(100, 7)]
    assert after.ended is Ended.ANSWERED


def test_a_peer_out_of_time_is_stopped_and_is_started_again(fake_peer: PeerProcess) -> None:
    late, after = asked(fake_peer, "hang", "Was?")
    assert (late.ended, late.error) == (Ended.TIMEOUT, "It was stopped after 1 s.")
    assert 1.0 <= late.seconds < 100.0
    assert after.ended is Ended.ANSWERED


def test_a_peer_that_is_not_installed_is_shown_as_that(fake_peer: PeerProcess, tmp_path: Path) -> None:
    Path(fake_peer.command[1]).write_text("import a_package_that_is_not_there\n", encoding="utf-8")
    (heard,) = asked(fake_peer, "Was?")
    assert heard.ended is Ended.ERROR
    assert heard.error == "The peer did not start: ModuleNotFoundError: No module named 'a_package_that_is_not_there'"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | _ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_KEYS = st.sampled_from(["input", "output", "sql", "error", "answer", "failed", "ready"])


@for_all(event=st.dictionaries(_KEYS, _JSON, max_size=4))
@settings(deadline=None)
def test_any_line_of_a_peer_can_be_taken_judged_and_kept(mandate: Path, event: dict[str, Any]) -> None:
    heard = Heard()
    heard.take(event)
    case = EvalCase(id="q", question="Was?", expected_answer_contains=("x",))
    attempt = peers.attempt_of(heard, case, mandate)
    score(case, attempt)
    assert attempt.model_dump_json()


# --- the whole


@pytest.fixture
def given(mandate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> peers.Given:
    script = tmp_path / "fake_peer.py"
    script.write_text(FAKE_PEER, encoding="utf-8")
    monkeypatch.setattr(peers, "PEERS", {"fake": str(script)})
    questions = {"right": "Sag x", "wrong": "Was?", "broken": "raise"}
    contains = {"right": "x", "wrong": "y", "broken": "z"}
    cases = tuple(EvalCase(id=key, question=text, expected_answer_contains=(contains[key],)) for key, text in questions.items())  # fmt: skip
    return peers.Given("http://127.0.0.1:1/v1", "some-model", mandate, cases, 20.0)


def compared(given: peers.Given, folder: Path) -> Journal:
    journal = Journal.open(folder)
    asyncio.run(peers.compare(given, ["fake"], Path(sys.executable), journal))
    return journal


def test_a_comparison_has_a_row_per_peer_and_tells_what_went_wrong(given: peers.Given, tmp_path: Path) -> None:
    journal = compared(given, tmp_path / "out")
    results = peers.results_of(given, journal, "python run.py", "q.yaml")
    (row,) = results.rows
    assert (row.peer, row.trials, row.right, row.wrong, row.errors, row.timeouts) == ("fake", 3, 1, 1, 1, 0)
    assert (row.rounds, row.tokens.input, row.tokens.output) == (3, 300, 21)
    assert results.complete
    report = report_markdown(results, None, None)
    assert f"| fake (pytest {pytest.__version__}) | 3 | 1 | 0 | 1 | 0 | 1 | 33.3 % |" in report
    assert "ValueError: a peer's own problem" in report


def test_what_is_finished_is_not_asked_again_but_errors_are(
    given: peers.Given, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared(given, tmp_path)
    with (tmp_path / "peers.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('{"peer": "fake", "caseId": "ri')  # the machine went down
    heard: list[str] = []

    async def listening(_self: PeerProcess, question: str, _language: str, _seconds: float) -> Heard:
        heard.append(question)
        return Heard(ended=Ended.ANSWERED, text="z")

    monkeypatch.setattr(PeerProcess, "ask", listening)
    compared(given, tmp_path)
    assert heard == ["raise"]


def test_another_model_or_other_hints_make_old_answers_worthless(given: peers.Given, tmp_path: Path) -> None:
    journal, case = compared(given, tmp_path), given.cases[0]
    assert journal.kept("fake", case, given.fingerprint("fake", case))
    for other in (replace(given, model="another"), replace(given, hints="others"), replace(given, examples=())):
        assert journal.kept("fake", case, other.fingerprint("fake", case)) is None


def test_the_pins_name_no_registry_and_pin_everything() -> None:
    lines = (PEERS / "requirements.txt").read_text(encoding="utf-8").splitlines()
    packages = [line for line in lines if line and not line.startswith("#")]
    assert {"langchain", "langchain-community", "vanna"} <= {line.split("==")[0] for line in packages}
    assert all("==" in line and "://" not in line and not line.startswith("-") for line in packages)
    assert json.loads((PEERS / "sql_examples.json").read_text(encoding="utf-8"))
