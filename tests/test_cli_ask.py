"""`veracity ask`, `chat` and `trace` as a person or a script meets them, through the real program.

Offline where that will do; where a language model is needed, a small local server says what a script says.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, Self

import duckdb
import pytest

from command_line import REAL, program, veracity
from each_case import each
from veracity.features.records import create_tables, record_create
from veracity.features.trustee.ledger import make_ledger
from veracity.features.trustee.ledger.companies import OTHER
from veracity.features.trustee.models import TABLES
from veracity.tools.open import open_tables

BANK = "Was ist der Banksaldo per 31.12.2025?"
MODEL_BANK = "Wo standen wir mit dem Banksaldo per 31.12.2025?"
"""Too roundabout to be read from its words: a model is asked."""
RENT = "Wie hoch war der Aufwand für Miete?"
KEYS = ["outcome", "text", "provenance", "question", "understoodBy", "readBack", "semanticQuery", "readings"]
KEYS += ["assumptions", "wordedByModel", "taught", "followUp"]
KEYS += ["clarification", "receipt", "sources"]
KEYS += ["route", "skill", "fields", "quality", "trace", "traceId"]
BALANCES: dict[str, Any] = {
    "tableName": "TrusteeDataAccountBalance",
    "filters": [
        {"field": "periodYear", "op": "=", "value": 2025},
        {"field": "periodMonth", "op": "=", "value": 0},
        {"field": "accountNumber", "op": "LIKE", "value": "102%"},
    ],
}
DEAD = "http://127.0.0.1:9/v1#tiny"


class ScriptedServer:
    """An OpenAI-compatible endpoint: each request gets the next turn, the last one again and again."""

    def __init__(self) -> None:
        self.turns: list[dict[str, Any] | None] = []
        self.seen: list[dict[str, Any]] = []
        self.asked, self.over = Event(), Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                server.seen.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                turn = server.turns[min(len(server.seen), len(server.turns)) - 1]
                server.asked.set()
                if turn is None:
                    server.over.wait(30)
                    return
                body = json.dumps(completion(turn)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_args: Any) -> None:
                """Nothing on the terminal of whoever runs the tests."""

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, *_args: Any) -> None:
                """A client that hung up is expected here."""

        self._http = Quiet(("127.0.0.1", 0), Handler)
        self.model = f"http://127.0.0.1:{self._http.server_address[1]}/v1#tiny"
        self._thread = Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def says(self, *turns: dict[str, Any] | None) -> None:
        """What it says from now on; None never answers."""
        self.turns, self.seen = list(turns), []
        self.asked.clear()

    def close(self) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def tool(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"content": None, "tool_calls": [{"id": f"c-{name}", "type": "function", "function": function}]}


def answers(text: str) -> dict[str, Any]:
    return tool("answer", {"text": text})


def completion(message: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    usage = {"prompt_tokens": 30, "completion_tokens": 2, "total_tokens": 32}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "tiny", "choices": [choice], "usage": usage}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    started = ScriptedServer()
    yield started
    started.close()


def sentence(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that a problem is said in."""
    assert done.stdout == ""
    assert done.stderr.startswith("veracity: ")
    assert done.stderr.count("\n") == 1
    assert done.returncode == 2
    return done.stderr


# --- the outcomes


def test_an_answer_comes_first_then_its_figures_its_query_its_receipt_and_its_cost() -> None:
    done = veracity("ask", BANK, COLUMNS="80")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.splitlines()[:12] == [
        "Bank, Ende Dezember 2025: 180'500.00 CHF.",
        "Bank nach Konto, Ende Dezember 2025:",
        "- 1020 Bank Kontokorrent: 152'400.00 CHF",
        "- 1021 Bank Reservekonto: 28'100.00 CHF",
        "",
        "  180'500.00 = r1[accountClass=asset, currency=CHF].balance",
        "  152'400.00 = r2[accountNumber=1020, label=Bank Kontokorrent,",
        "      accountClass=asset, currency=CHF].balance",
        "  28'100.00 = r2[accountNumber=1021, label=Bank Reservekonto,",
        "      accountClass=asset, currency=CHF].balance",
        "  r1: 1 row of balance in TrusteeBalanceByAccount where segment GroupBank,",
        "      from 2025-12-01 to 2025-12-31",
    ]
    assert re.fullmatch(r"answered, offline: 2 calls, 0 tokens, [\d.]+ s, trace [\w-]+", done.stdout.splitlines()[-1])
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("question", "outcome", "code"),
    [(BANK, "answered", 0), (RENT, "clarify", 3), ("Wie wird das Wetter morgen?", "abstained", 4)],
)
def test_json_is_one_object_whatever_came_of_the_question(question: str, outcome: str, code: int) -> None:
    done = veracity("ask", question, "--json")
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (code, "", 1)
    answer = json.loads(done.stdout)
    assert list(answer) == KEYS
    assert (answer["outcome"], answer["question"]) == (outcome, question)
    assert (answer["clarification"] is not None) == (outcome == "clarify")
    assert (answer["sources"] != []) == (outcome == "answered")


def test_a_typed_figure_is_blocked(server: ScriptedServer) -> None:
    server.says(tool("queryTable", BALANCES), answers("Der Banksaldo ist 180'501 Franken."))
    done = veracity("ask", MODEL_BANK, "--model", server.model, "--tools", "table", "--json")
    assert (done.returncode, done.stderr) == (5, "")
    answer = json.loads(done.stdout)
    assert list(answer) == KEYS
    assert (answer["outcome"], answer["provenance"]) == ("blocked", [])
    assert len(answer["trace"]["refusals"]) == 3
    for_people = veracity("trace", "show", answer["traceId"], COLUMNS="80").stdout
    assert for_people.count("answer sent back: ") == 3
    assert "\nblocked, " in for_people


def test_a_language_model_is_answered_with_tokens_and_refused_calls_counted(server: ScriptedServer) -> None:
    server.says(
        tool("queryTable", {"tableName": "TrusteeDataAccountBalance"}),
        tool("queryTable", BALANCES),
        answers(
            "Der Banksaldo beträgt {{ sum(r1.closingBalance) }} CHF.\n{{ rows(r1.accountNumber, r1.closingBalance) }}"
        ),
    )
    done = veracity("ask", MODEL_BANK, "--model", server.model, "--tools", "table")
    assert done.returncode == 0
    assert done.stdout.startswith("Der Banksaldo beträgt 180'500.00 CHF.\n")
    assert re.search(r"#tiny: 2 calls, 1 refused, 96 tokens,", done.stdout)


def test_plain_schemas_and_text_answers_reach_the_model(server: ScriptedServer) -> None:
    one = [*BALANCES["filters"][:2], {"field": "accountNumber", "op": "=", "value": "1020"}]
    server.says(
        tool("queryTable", {**BALANCES, "filters": one}), answers("Der Saldo von Konto 1020 ist 152'400.00 CHF.")
    )
    question = ["Wo standen wir mit dem Saldo von Konto 1020 Ende 2025?", "--model", server.model, "--tools", "table"]
    done = veracity("ask", *question, "--answers", "text", "--schema", "plain")
    assert done.returncode == 0, done.stdout
    assert "\n  152'400.00 = r1[accountNumber=1020" in done.stdout
    assert all(not tool["function"].get("strict") for tool in server.seen[0]["tools"])


def test_rounds_are_bounded(server: ScriptedServer) -> None:
    server.says(tool("queryTable", BALANCES))
    done = veracity("ask", MODEL_BANK, "--model", server.model, "--tools", "table", "--rounds", "2")
    assert done.returncode == 4
    assert done.stdout.startswith("Nach 2 Runden war keine Antwort belegt.")


def test_a_question_can_come_from_standard_input_and_is_answered_as_the_language_has_it() -> None:
    done = veracity("ask", "-", "--lang", "de-DE", stdin=f"{BANK}\n")
    assert done.stdout.startswith("Bank, Ende Dezember 2025: 180.500,00 CHF.")


def test_what_steers_a_terminal_is_never_printed(server: ScriptedServer) -> None:
    server.says(tool("abstain", {"reason": "no \x1b[J\x07 data"}))
    done = veracity("ask", "What is \x1b[31mred\x07?", "--model", server.model, "--tools", "table")
    assert (done.returncode, "\x1b" in done.stdout, "\x07" in done.stdout) == (4, False, False)
    for arguments in (["list", "-n", "1"], ["show", done.stdout.split("trace ")[1].strip()]):
        shown = veracity("trace", *arguments).stdout
        assert "red" in shown
        assert "\x1b" not in shown


# --- one clear sentence


@each(
    ("arguments", "said"),
    [
        (["", "--json"], "There is no question; write one in quotes."),
        (["-"], "There is no question; write one in quotes."),
        (["word " * 4000], "A question has at most 2000 characters, this one 19999; shorten it."),
        (["x", "--source", "/no/such/file"], "There is no file or folder '/no/such/file'; check the path."),
        (["x", "--lang", "fr"], "--lang is de, de-CH, de-DE, en or zh, not 'fr'."),
        (["x", "--schema", "nonsense"], "--schema is strict or plain, not 'nonsense'."),
        (["x", "--answers", "nonsense"], "--answers is bound or text, not 'nonsense'."),
        (["x", "--scope", "nonsense"], "--scope 'nonsense' is not key=value."),
        (["x", "--model", "gpt-5-mini"], "There is no model 'gpt-5-mini'; did you mean openai:gpt-5-mini?"),
        (["x", "--model", "openai:gpt-5-mini"], "openai:gpt-5-mini needs a key; set OPENAI_API_KEY."),
        (["x", "--model", DEAD], "cannot be reached at 127.0.0.1:9; check the address and that the server is running."),
    ],
)
def test_wrong_usage_is_one_sentence(arguments: list[str], said: str) -> None:
    assert said in sentence(veracity("ask", *arguments, OPENAI_API_KEY=""))


@pytest.mark.parametrize("arguments", [["--rounds", "0"], ["--seconds", "nan"], ["--timeout", "1e9"]])
def test_a_limit_out_of_range_is_refused(arguments: list[str]) -> None:
    done = veracity("ask", "x", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"Invalid value for '{arguments[0]}'" in done.stderr


def test_a_source_without_an_ontology_is_asked_through_its_draft_by_its_names_or_with_a_language_model(
    tmp_path: Path, server: ScriptedServer
) -> None:
    (tmp_path / "sales.csv").write_text("id,region,amount,weight\n1,Nord,10.50,2\n2,Nord,4.50,1\n", encoding="utf-8")
    source = ["--source", str(tmp_path / "sales.csv")]
    assert veracity("ask", "total amount per region?", *source).stdout.startswith(
        "Total amount by region:\n- Nord: 15.00\n"
    )
    assert veracity("ask", "Verkäufe pro Region?", *source).stdout.startswith(
        "Anzahl Verkäufe nach Region:\n- Nord: 2\n"
    )
    # Nobody said that weights add up: the draft asks for it, and nothing is taken for granted.
    told = veracity("ask", "total weight per region?", *source)
    assert (told.returncode, "May sales.weight be added up over rows?" in told.stdout) == (4, True)
    named = [*source, "--no-ontology"]
    told = veracity("ask", "total amount per region?", *named)
    assert told.stdout.startswith("Total amount by region:\n- Nord: 15.00\n"), told.stdout
    asked = veracity("ask", "amount per region?", *named)
    assert (asked.returncode, "Total amount by region | " in asked.stdout) == (3, True)
    unsure = veracity("ask", "How much in total?", *source)
    assert (unsure.returncode, "Total amount" in unsure.stdout) == (3, True), unsure.stdout
    unknown = veracity("ask", "How much did it snow?", *source)
    assert (unknown.returncode, "--model" in unknown.stdout) == (4, True), unknown.stdout
    server.says(
        tool("aggregateTable", {"tableName": "sales", "aggregate": "SUM", "field": "amount"}),
        answers("{{ r1[0].sum_amount }} in total."),
    )
    done = veracity(
        "ask", "How much did all of that come to, in total?", *source, "--model", server.model, "--tools", "table"
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith(
        "15.00 in total.\n\n  15.00 = r1[0].sum_amount\n  r1: 1 row of SUM(amount) in sales\n"
    )


def test_an_answer_that_cannot_be_kept_is_given_with_a_note(tmp_path: Path, server: ScriptedServer) -> None:
    (tmp_path / "sales.csv").write_text("id,amount\n1,10.50\n", encoding="utf-8")
    server.says(
        tool("aggregateTable", {"tableName": "sales", "aggregate": "COUNT"}), answers("{{ r1[0].count }} sale.")
    )
    asked = [
        "Anything sold?",
        "--source",
        str(tmp_path / "sales.csv"),
        "--model",
        server.model,
        "--tools",
        "table",
        "--json",
    ]
    done = veracity("ask", *asked, VERACITY_HOME="/proc/nowhere")
    assert json.loads(done.stdout)["text"] == "1 sale."
    assert done.stderr.startswith("note: this is not kept as a trace. /proc/nowhere/veracity.sqlite cannot be ")
    assert done.stderr.count("\n") == 1


def test_a_home_that_cannot_be_written_is_said() -> None:
    assert "set VERACITY_HOME" in sentence(veracity("ask", BANK, VERACITY_HOME="/proc/nowhere"))


@pytest.fixture(scope="module")
def other_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ask") / "other-ledger.duckdb"
    with duckdb.connect(str(path)) as connection:
        create_tables(connection, TABLES)
        record_create(connection, make_ledger(9, OTHER).records())
    return path


def test_another_ledger_is_asked_in_its_own_scope(other_ledger: Path) -> None:
    source = ["--feature", "trustee", "--source", str(other_ledger)]
    scope = [
        f"--scope=mandateId={OTHER.mandate_id}",
        f"--scope=featureInstanceId={OTHER.feature_instance_id}",
    ]
    theirs = veracity("ask", "Anzahl Kunden", *source, *scope, "--json")
    assert theirs.stderr == ""
    with duckdb.connect(str(other_ledger), read_only=True) as connection:
        counted = connection.execute("SELECT count(*) FROM TrusteeDataContact WHERE contactType = 'customer'")
        assert json.loads(theirs.stdout)["text"] == f"Anzahl Kontakte, nur Kunde: {counted.fetchall()[0][0]}."
    ours = veracity("ask", "Anzahl Kunden", *source, "--json")
    assert ours.stderr.startswith("note: no --scope given, so only rows of the demo mandate are read (")
    assert json.loads(ours.stdout)["outcome"] in ("answered", "abstained")


# --- traces


def test_before_the_first_question_there_is_a_hint(tmp_path: Path) -> None:
    nothing = veracity("trace", "list", VERACITY_HOME=str(tmp_path))
    assert (nothing.returncode, nothing.stdout[:25]) == (0, "No question was asked yet")
    assert veracity("trace", "list", "--json", VERACITY_HOME=str(tmp_path)).stdout == "[]\n"


def test_traces_are_listed_and_shown() -> None:
    first = json.loads(veracity("ask", BANK, "--json").stdout)["traceId"]
    second = json.loads(veracity("ask", RENT, "--json").stdout)["traceId"]
    assert veracity("trace", "list", "-n", "2").stdout.splitlines() == [
        f"{second}  clarify    {RENT}",
        f"{first}  answered   {BANK}",
    ]
    shown = veracity("trace", "show", first, COLUMNS="80").stdout
    assert f"? {BANK}\n  round 0: semanticQuery {{" in shown
    assert "r1[accountClass=asset, currency=CHF].balance = 180500.00" in shown
    kept = json.loads(veracity("trace", "show", first, "--json").stdout)["body"]
    assert kept["semanticQuery"]["show"] == [{"measure": "balance"}]
    assert kept["readBack"] == "Bank, Ende Dezember 2025"
    assert "There is no trace 'zzzz'" in sentence(veracity("trace", "show", "zzzz"))
    assert "Several traces start with" in sentence(veracity("trace", "show", first[:4]))
    assert "at least 4 characters" in sentence(veracity("trace", "show", ""))


# --- a conversation


def test_chat_understands_follow_ups_and_commands() -> None:
    lines = [RENT, "2024", "/why", "und 2025?", "/what", "/new", "/why", "/quit", "never read"]
    done = veracity("chat", stdin="\n".join(lines))
    assert (done.returncode, done.stderr.count("There is no skill '/what'")) == (0, 1)
    said = iter(done.stdout.splitlines())
    expected = [
        "trustee-v1.duckdb, model offline.",
        "Für welchen Zeitraum?",
        "  2025 | 2024 | 2023",
        "Miete, 2024: 73'531.80 CHF.",
        "  73'531.80 = r1[currency=CHF].cost",
        "Miete, 2025: 75'002.40 CHF.",
        "A new conversation.",
        "Nothing was answered yet.",
    ]
    assert [one for one in expected if not any(line.startswith(one) for line in said)] == []


def test_chat_goes_on_when_the_model_is_dead_and_ends_with_its_input() -> None:
    done = veracity("chat", "--model", DEAD, stdin=f"{MODEL_BANK}\n/why\n")
    assert done.returncode == 0
    assert "veracity: http://127.0.0.1:9/v1#tiny cannot be reached" in done.stderr
    assert done.stdout.endswith("Nothing was answered yet.\n")


# --- at a terminal


class Terminal:
    """The program at a terminal of 80 columns, typed to and read from."""

    def __init__(self, *arguments: str) -> None:
        self._parent, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        environment = {
            name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")
        }
        environment["TERM"] = "xterm-256color"
        self._process = subprocess.Popen(
            [program(), *arguments],
            stdin=child,
            stdout=child,
            stderr=child,
            env=environment,
            start_new_session=True,
            # Ctrl-C becomes a signal only at the terminal that controls the session.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        )
        os.close(child)
        self.seen, self._at = "", 0

    def until(self, text: str, seconds: float = 60) -> str:
        """What is shown from where the last `until` ended up to this text."""
        deadline, start = time.monotonic() + seconds, self._at
        while (found := self.seen.find(text, start)) < 0:
            assert time.monotonic() < deadline, f"{text!r} did not come: {self.seen!r}"
            assert self._read(), f"{text!r} did not come before the end: {self.seen!r}"
        self._at = found + len(text)
        return self.seen[start : self._at]

    def until_edited(self, seconds: float = 60) -> None:
        """Wait for the line editor: it turns the terminal's own line editing off."""
        deadline = time.monotonic() + seconds
        while termios.tcgetattr(self._parent)[3] & termios.ICANON:
            assert time.monotonic() < deadline, f"no line is edited: {self.seen!r}"
            time.sleep(0.01)

    def type(self, text: str) -> None:
        os.write(self._parent, text.encode())

    def press_until(self, key: str, text: str) -> None:
        """Press a key, again where nothing happens: Python sees Ctrl-C only at the next key if it comes just before readline waits for one."""
        for _ in range(5):
            self.type(key)
            with suppress(AssertionError):
                self.until(text, seconds=15)
                return
        self.until(text, seconds=0)

    def end(self) -> int:
        """The exit code; everything that was shown is in `seen`."""
        while self._read():
            pass
        return self._process.wait(60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_args: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._parent)

    def _read(self, seconds: float = 0.2) -> bool:
        ready, _, _ = select.select([self._parent], [], [], seconds)
        if not ready:
            return self._process.poll() is None
        try:
            chunk = os.read(self._parent, 65536)
        except OSError:  # how Linux says that the other end has closed
            return False
        self.seen += chunk.decode("utf-8", "replace")
        return bool(chunk)


@pytest.fixture(scope="module")
def shipped_data() -> None:
    """Made before a terminal is looked at: while it is made, a bar tells how far it is."""
    open_tables().close()


@pytest.mark.usefixtures("shipped_data")
def test_the_live_line_tells_each_call_and_vanishes(server: ScriptedServer) -> None:
    server.says(tool("queryTable", BALANCES), None)
    with Terminal("ask", MODEL_BANK, "--model", server.model, "--tools", "table") as terminal:
        live = terminal.until("round 2, after queryTable TrusteeDataAccountBalance: 2 rows")
        assert "\n" not in live  # it is written over itself, it does not scroll
        terminal.type("\x03")
        assert terminal.end() == 130
        assert terminal.seen.endswith("\x1b[2Kveracity: stopped.\r\n")
    # What was done before the end is kept.
    cut_off = veracity("trace", "list", "-n", "1").stdout
    assert cut_off.split()[1] == "unfinished"
    shown = veracity("trace", "show", cut_off.split()[0]).stdout
    assert "  round 1: queryTable " in shown
    assert shown.endswith("  not finished: the run was cut off here (cancelled)\n")


@pytest.mark.usefixtures("shipped_data")
def test_an_answer_at_a_terminal_follows_the_line_it_replaces() -> None:
    with Terminal("ask", BANK) as terminal:
        assert terminal.end() == 0
        live, answer = terminal.seen.split("\x1b[2K\x1b[1mBank, Ende", 1)
        assert live.count("\n") == 1  # the one that the line's end takes back again
        shown = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", answer).splitlines()
        assert max(map(len, shown)) <= 80


def test_chat_at_a_terminal_edits_lines_and_survives_ctrl_c(server: ScriptedServer) -> None:
    server.says(None)
    with Terminal("chat", "--model", server.model, "--tools", "table") as terminal:
        terminal.until("? ")
        terminal.type("Wo standen wir mit dem Banksaldo per 31.12.2024?\x1b[D\x7f5\r")
        assert server.asked.wait(60)
        terminal.type("\x03")
        terminal.until("stopped.")
        terminal.until("? ")
        sent = json.dumps(server.seen[-1]["messages"])
        assert "31.12.2025?" in sent  # cursor left, backspace and a 5 did their work
        terminal.until_edited()  # a key pressed before the line editor has the terminal is the terminal's own
        terminal.type("half a line")
        terminal.until("half a line")
        terminal.press_until("\x03", "/quit ends.)")
        terminal.until("? ")
        server.says(tool("queryTable", BALANCES), answers("{{ sum(r1.closingBalance) }} CHF"))
        terminal.type(f"{MODEL_BANK}\r")
        terminal.until("180'500.00 CHF")
        terminal.until("? ")
        terminal.type("\x04")
        assert terminal.end() == 0


# --- Ctrl-C


def stopped(process: subprocess.Popen[str]) -> tuple[str, str]:
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - began < 15
    assert process.returncode == 130
    return out, err


def worked(process: subprocess.Popen[str]) -> float:
    """The seconds of processor time that a process has had."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def started(*command: str | Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_ctrl_c_stops_a_model_that_does_not_answer(server: ScriptedServer) -> None:
    server.says(None)
    with started(program(), "ask", MODEL_BANK, "--model", server.model, "--tools", "table", "--json") as process:
        assert server.asked.wait(60)
        assert stopped(process) == ("", "veracity: stopped.\n")


def test_ctrl_c_stops_the_running_query(tmp_path: Path, server: ScriptedServer) -> None:
    with duckdb.connect(str(tmp_path / "long.duckdb")) as connection:
        connection.execute("CREATE TABLE n AS SELECT range AS id FROM range(100000)")
    (tmp_path / "long.yaml").write_text(
        "featureCode: long\n"
        "entities:\n"
        "  - {name: endless, view: 'SELECT a.id + b.id + c.id AS total FROM n AS a CROSS JOIN n AS b CROSS JOIN n AS c'}\n"
        "relations: []\n",
        encoding="utf-8",
    )
    server.says(tool("aggregateTable", {"tableName": "endless", "aggregate": "MAX", "field": "total"}))
    source = ["--source", str(tmp_path / "long.duckdb"), "--ontology", str(tmp_path / "long.yaml")]
    with started(REAL, "ask", "What is the largest?", *source, "--model", server.model, "--tools", "table") as process:
        assert server.asked.wait(60)
        began = worked(process)
        while worked(process) < began + 0.5:  # by then it is in the call, which would take hours
            assert process.poll() is None
            time.sleep(0.02)
        assert stopped(process) == ("", "veracity: stopped.\n")
    assert len(server.seen) == 1
