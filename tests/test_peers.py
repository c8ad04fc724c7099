"""`benchmarks/peers`: what it takes to ask another tool the same questions. The tools themselves are not needed here."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

PEERS = Path(__file__).parent.parent / "benchmarks" / "peers"
sys.path.insert(0, str(PEERS))

import plain_sql
import run as peers
from peer_data import rows_of
from peer_lines import Setup, table_text
from peer_process import Heard, PeerProcess
from peer_questions import PeerSource, Selection, copied, sql_examples
from peer_report import report_markdown
from peer_results import Journal

from veracity.errors import UsageError
from veracity.evals.cases import (
    EvalCase,
    NamedSource,
    QuestionSet,
    load_cases,
    load_questions,
    shipped_cases,
)
from veracity.evals.records import Ended, EvalResults, TrialVerdict
from veracity.evals.scoring.judge import score
from veracity.features import get_feature
from veracity.settings import Settings

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


def copy_of(name: str, data: NamedSource, target: Path, *cases: EvalCase) -> PeerSource:
    return asyncio.run(copied(name, data, cases, target, Settings(home=target.parent)))


@pytest.fixture(scope="module")
def source(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> PeerSource:
    target = tmp_path_factory.mktemp("peers") / "mandate.sqlite"
    # Other tests of this process may have the ledger open, with other settings.
    own = str(shutil.copy(ledger, target.with_name("ledger.duckdb")))
    return copy_of("ledger", NamedSource(source=own, feature="trustee"), target)


@pytest.fixture(scope="module")
def mandate(source: PeerSource) -> Path:
    return source.database


@pytest.fixture
def fake_peer(tmp_path: Path, source: PeerSource) -> PeerProcess:
    script = tmp_path / "fake_peer.py"
    script.write_text(FAKE_PEER, encoding="utf-8")
    given = peers.Given("http://127.0.0.1:1/v1", "some-model", 5.0, (source,))
    return PeerProcess([sys.executable, str(script)], given.setup(source, source.database), tmp_path / "fake.log")


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


def test_the_shop_and_a_folder_of_files_are_copied_whole_without_hints_that_nobody_wrote(tmp_path: Path) -> None:
    from veracity.features.shop.models import TABLES
    from veracity.features.shop.sales import make_records

    town = load_questions(shipped_cases("three-sources")).sources["town"]
    shop = copy_of("shop", NamedSource(feature="shop"), tmp_path / "shop.sqlite")
    files = copy_of("town", town, tmp_path / "town.sqlite")
    records = make_records()
    wanted = {
        **{table.__name__: sum(isinstance(one, table) for one in records) for table in TABLES},
        **{file.stem: file.read_text("utf-8").count("\n") - 1 for file in Path(str(town.source)).glob("*.csv")},
    }
    found: dict[str, int] = {}
    for copy in (shop, files):
        assert (copy.hints, copy.examples) == ("", ())
        with closing(sqlite3.connect(copy.database)) as connection:
            names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            found |= {name: connection.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0] for name in names}
    assert found == wanted
    with closing(sqlite3.connect(shop.database)) as connection:
        refunds = connection.execute("SELECT SUM(refund), MIN(returnedOn) FROM ProductReturn").fetchone()
    returns = [one for one in records if type(one).__name__ == "ProductReturn"]
    assert refunds[0] == pytest.approx(float(sum(one.refund for one in returns)), abs=0.001)  # type: ignore[attr-defined]
    assert refunds[1] == str(min(one.returned_on for one in returns))  # type: ignore[attr-defined]


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
    data = rows_of(mandate, start + rest, 1)
    assert data is None or data.result_id == "r1"


def test_rows_are_cut_and_say_so(mandate: Path) -> None:
    data = rows_of(mandate, "SELECT id FROM TrusteeDataJournalLine", 3)
    assert data is not None
    assert (data.result_id, len(data.rows), data.row_count, data.truncated) == ("r3", 100, 100, True)


def test_columns_of_one_name_keep_their_values(mandate: Path) -> None:
    data = rows_of(mandate, "SELECT 1 AS name, 2 AS n, 3 AS name", 1)
    assert data is not None
    assert data.rows == ({"name": 1, "n": 2, "name_3": 3},)


# --- fairness


def test_the_sql_examples_run_and_none_of_them_is_a_gold_question(mandate: Path) -> None:
    gold = {case.question for name in ("trustee", "paraphrases") for case in load_cases(shipped_cases(name))}
    (examples,) = sql_examples().values()
    for example in examples:
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
def test_the_rows_of_the_right_sql_alone_are_a_right_answer(mandate: Path, case_id: str, sql: str) -> None:
    (case,) = (case for case in load_cases(shipped_cases("trustee")) if case.id == case_id)
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
def given(source: PeerSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> peers.Given:
    script = tmp_path / "fake_peer.py"
    script.write_text(FAKE_PEER, encoding="utf-8")
    monkeypatch.setattr(peers, "PEERS", {"fake": str(script)})
    questions = {"right": "Sag x", "wrong": "Was?", "broken": "raise"}
    contains = {"right": "x", "wrong": "y", "broken": "z"}
    cases = tuple(EvalCase(id=key, question=text, expected_answer_contains=(contains[key],)) for key, text in questions.items())  # fmt: skip
    return peers.Given("http://127.0.0.1:1/v1", "some-model", 20.0, (replace(source, cases=cases),))


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


def test_another_model_other_hints_or_other_data_make_old_answers_worthless(given: peers.Given, tmp_path: Path) -> None:
    journal, (own,) = compared(given, tmp_path), given.sources
    case = own.cases[0]
    assert journal.kept("fake", case, given.fingerprint("fake", own, case))
    changed = tmp_path / "changed.sqlite"
    changed.write_bytes(own.database.read_bytes() + b"x")
    others = (replace(own, hints="others"), replace(own, examples=()), replace(own, database=changed))
    for other in others:
        assert journal.kept("fake", case, given.fingerprint("fake", other, case)) is None
    assert journal.kept("fake", case, replace(given, model="another").fingerprint("fake", own, case)) is None


def test_every_source_has_its_own_process_data_and_rows_in_the_report(given: peers.Given, tmp_path: Path) -> None:
    script = tmp_path / "fake_peer.py"
    script.write_text(FAKE_PEER.replace("SELECT 1 AS one", "SELECT a FROM t"), encoding="utf-8")
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 5 AS a")
        connection.commit()
    (first,) = given.sources
    named = tuple(case.model_copy(update={"source": "ledger"}) for case in first.cases[:1])
    asked = EvalCase(id="t1", question="Sag x", source="tiny", expected_answer_contains=("y",))
    both = replace(given, sources=(replace(first, cases=named), PeerSource("tiny", other, (asked,))))
    results = peers.results_of(both, compared(both, tmp_path / "out"), "python run.py", "q.yaml")
    assert [(row.source, row.right, row.wrong) for row in results.by_source] == [("ledger", 1, 0), ("tiny", 0, 1)]
    assert [len(trial.attempt.results) for trial in results.trials] == [0, 1]
    report = report_markdown(results, None, None)
    assert "| fake | ledger | 1 | 0 | 0 | 1 |" in report
    assert "| fake | tiny | 0 | **1** | 0 | 1 |" in report


def test_our_own_rows_beside_are_of_the_same_questions(given: peers.Given, tmp_path: Path) -> None:
    path = PEERS.parent.parent / "eval-results" / "three-sources-offline" / "results.json"
    ours = EvalResults.model_validate_json(path.read_bytes())
    few = ours.cases[::50]
    (own,) = given.sources
    some = replace(given, sources=(replace(own, cases=few),))
    results = peers.results_of(some, Journal.open(tmp_path), "python run.py", "q.yaml")
    report = report_markdown(results, ours, path)
    assert f"| Veracity, bound | {len(few)} |" in report
    assert "other questions" not in report
    changed = results.model_copy(update={"cases": (few[0].model_copy(update={"question": "Was sonst?"}),)})
    assert "**They are of other questions" in report_markdown(changed, ours, path)


# --- which questions


def _questions(*ids: str) -> QuestionSet:
    names = {"l": "ledger", "s": "shop", "t": "town"}
    cases = tuple(EvalCase(id=one, question="Was?", source=names[one[0]], expected_answer_contains=("x",)) for one in ids)  # fmt: skip
    return QuestionSet(cases, {name: NamedSource() for name in names.values()})


QUESTIONS = _questions("l1", "s1", "l2", "l3", "t1", "s2", "l4")


@pytest.mark.parametrize(
    ("selection", "chosen"),
    [
        (Selection(), {"ledger": ["l1", "l2", "l3", "l4"], "shop": ["s1", "s2"], "town": ["t1"]}),
        (Selection(every=2), {"ledger": ["l1", "l3"], "shop": ["s1"], "town": ["t1"]}),
        (Selection(("shop", "town")), {"shop": ["s1", "s2"], "town": ["t1"]}),
        (Selection(only=("l4", "s1")), {"ledger": ["l4"], "shop": ["s1"]}),
    ],
)
def test_questions_are_selected_by_source_by_id_and_every_so_many(
    selection: Selection, chosen: dict[str, list[str]]
) -> None:
    found = selection.of(QUESTIONS, "q.yaml")
    assert {name: [case.id for case in cases] for name, cases in found.items()} == chosen


@pytest.mark.parametrize(
    ("selection", "told"),
    [
        (Selection(("moon",)), "q.yaml has no source moon; it has ledger, shop, town."),
        (Selection(only=("l1", "l9")), "q.yaml has no question l9 about ledger, shop, town."),
        (Selection(("shop",), ("l1",)), "q.yaml has no question l1 about shop."),
    ],
)
def test_a_selection_of_what_is_not_there_is_told(selection: Selection, told: str) -> None:
    with pytest.raises(UsageError) as raised:
        selection.of(QUESTIONS, "q.yaml")
    assert str(raised.value) == told


def test_questions_without_sources_are_about_the_ledger() -> None:
    found = Selection(("ledger",), every=5).of(load_questions(shipped_cases("trustee")), "trustee.yaml")
    assert {name: [case.id for case in cases] for name, cases in found.items()} == {
        "ledger": ["q01", "q06", "q11", "q16"]
    }


# --- the plain loop


class Scripted(BaseHTTPRequestHandler):
    """An endpoint that says one line after the other, whatever it is asked."""

    says: list[str | int]
    heard: list[dict[str, Any]]

    def do_POST(self) -> None:
        self.heard.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        said = self.says.pop(0)
        message = {"choices": [{"message": {"role": "assistant", "content": said}}]}
        body = json.dumps({**message, "usage": {"prompt_tokens": 100, "completion_tokens": 7}}).encode()
        self.send_response(said if isinstance(said, int) else 200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


class Recorded:
    """What a peer told, as the runner hears it."""

    def __init__(self) -> None:
        self.heard = Heard()

    def model_call(self, input_tokens: int, output_tokens: int) -> None:
        self.heard.take({"input": input_tokens, "output": output_tokens})

    def statement(self, sql: str, error: str | None = None) -> None:
        self.heard.take({"sql": sql, "error": error})


Plain = Callable[..., tuple[str, Heard, list[dict[str, Any]]]]


@pytest.fixture
def plain(source: PeerSource) -> Iterator[Plain]:
    handler = type("Endpoint", (Scripted,), {"says": [], "heard": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()

        def asked_of_plain(*says: str | int) -> tuple[str, Heard, list[dict[str, Any]]]:
            handler.says, handler.heard, told = [*says], [], Recorded()  # type: ignore[attr-defined]
            address = f"http://127.0.0.1:{server.server_port}/v1"
            told_first = {"endpoint": address, "model": "m", "database": str(source.database), "timeout": 10.0}
            ask = plain_sql.build(Setup(**told_first, **source.setup()), told)  # type: ignore[arg-type]
            return ask("Wie hoch?", "German"), told.heard, handler.heard  # type: ignore[attr-defined]

        yield asked_of_plain
        server.shutdown()


def test_the_plain_loop_shows_the_schema_runs_one_select_and_words_its_rows(plain: Plain, source: PeerSource) -> None:
    text, told, (first, second) = plain(f"```sql\n{BANK};\n```", " 152400 CHF und 28100 CHF. ")
    assert text == "152400 CHF und 28100 CHF."
    assert (told.statements, told.usage) == ([(f"{BANK};", None)], [(100, 7), (100, 7)])
    rules, question = first["messages"]
    assert (first["temperature"], first["model"], question["content"]) == (0, "m", "Wie hoch?")
    account, *_ = rules["content"].partition("*/")
    assert 'CREATE TABLE "TrusteeDataAccount" (' in account
    assert account.partition("/*")[2].count("\n") == 5  # the names and three rows
    assert source.hints.strip() in rules["content"]
    assert "1020 | 152400 | CHF" in second["messages"][0]["content"]
    assert "in German" in second["messages"][0]["content"]


def test_an_error_goes_back_to_the_model_of_the_plain_loop_at_most_twice(plain: Plain) -> None:
    text, told, requests = plain("SELECT nobody", "```DELETE FROM t```", "SELECT 1; SELECT 2", "never asked")
    assert (text, len(requests)) == ("", 3)
    assert requests[1]["messages"][-1]["content"].startswith("The statement failed: no such column: nobody")
    assert "only a SELECT" in requests[2]["messages"][-1]["content"]
    assert [error is None for _, error in told.statements] == [False, False, False]


def test_the_plain_loop_shows_at_most_twenty_rows_and_says_so_if_there_are_none(plain: Plain) -> None:
    _, _, requests = plain("SELECT id FROM TrusteeDataJournalLine", "x")
    rows = requests[-1]["messages"][0]["content"].partition("Its rows:\nid\n")[2].partition("\n\n")[0]
    assert (len(rows.splitlines()), rows.splitlines()[-1]) == (21, "...")
    _, _, requests = plain("SELECT id FROM TrusteeDataContact WHERE name = 'x'", "x")
    assert "(no rows)" in requests[-1]["messages"][0]["content"]


def test_words_without_sql_are_the_answer_of_the_plain_loop_and_a_broken_endpoint_is_its_failure(plain: Plain) -> None:
    text, told, _ = plain("With these tables nobody can know.")
    assert (text, told.statements) == ("With these tables nobody can know.", [])
    with pytest.raises(RuntimeError, match="HTTP 500"):
        plain(500)


@for_all(said=_ANY_TEXT, start=st.sampled_from(["", "```sql\n", "SELECT ", "WITH ", "--x\nSELECT "]))
@settings(max_examples=100, deadline=None)
def test_whatever_a_model_says_to_the_plain_loop_changes_nothing(mandate: Path, said: str, start: str) -> None:
    before = mandate.stat().st_mtime_ns
    sql = plain_sql.statement_in(start + said)
    if sql is not None:
        with suppress(sqlite3.Error, sqlite3.Warning, ValueError):
            plain_sql.run(str(mandate), sql)
    assert mandate.stat().st_mtime_ns == before


def test_the_pins_name_no_registry_and_pin_everything() -> None:
    lines = (PEERS / "requirements.txt").read_text(encoding="utf-8").splitlines()
    packages = [line for line in lines if line and not line.startswith("#")]
    assert {"langchain", "langchain-community", "vanna"} <= {line.split("==")[0] for line in packages}
    assert all("==" in line and "://" not in line and not line.startswith("-") for line in packages)
    assert json.loads((PEERS / "sql_examples.json").read_text(encoding="utf-8"))
