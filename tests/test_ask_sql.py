"""Asking with raw SQL and with files: the model writes, every statement is checked first, and nothing made up gets out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scripted import Script, Turn, answer, call
from traps import ONTOLOGY, build
from veracity.answer.answer import Answer, Outcome
from veracity.ask.data_agent import DataAgent
from veracity.grounding.events import EventStore
from veracity.open import open_agent
from veracity.settings import Settings

APP = """
    CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, email TEXT, country TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users (id), amount DECIMAL(10,2), status TEXT, ordered_on DATE);
    INSERT INTO users VALUES (1,'Mia Keller','mia@keller.ch','CH'), (2,'Jonas Brunner','jonas@brunner.ch','CH'), (3,'Li Wei','li@wei.cn','CN');
    INSERT INTO orders VALUES (1,1,10.50,'paid','2025-05-02'), (2,1,20,'open','2025-05-09'), (3,3,7.25,'paid','2025-06-01');
"""
Ask = Callable[..., Answer]


def sql(statement: str) -> Any:
    return call("execute_sql_safe", sql=statement, limit=None)


@pytest.fixture
def app(tmp_path: Path) -> Path:
    path = tmp_path / "app.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(APP)
    return path


@pytest.fixture
def ask(app: Path, tmp_path: Path) -> Iterator[Ask]:
    opened: list[DataAgent] = []

    def run(question: str, *turns: Turn) -> Answer:
        settings = Settings(home=tmp_path / "home")
        opened.append(open_agent(app, model=Script(*turns).model, tools="sql", settings=settings))
        return opened[-1].ask_sync(question)

    yield run
    for agent in opened:
        agent.close()


# --- the seed's case

MADE_UP = "系统中共有5位用户：\n- 用户1\n- 用户2\n- 用户3\n- 用户4\n- 用户5"


def test_users_that_were_never_looked_up_are_blocked_with_a_helpful_word(ask: Ask, tmp_path: Path) -> None:
    given = ask("列出所有的用户", [answer(MADE_UP)])
    assert given.outcome is Outcome.BLOCKED
    assert "用户1" not in given.text
    assert "查询" in given.text or "编造" in given.text
    events = list(EventStore(tmp_path / "home" / "veracity.sqlite").latest())
    assert {event.outcome for event in events} == {"sent back", "blocked"}
    assert {"required_tools"} <= {event.rule for event in events}
    assert {event.model for event in events} == {"scripted"}


def test_after_repair_the_real_users_are_listed(ask: Ask) -> None:
    given = ask(
        "列出所有的用户",
        [answer(MADE_UP)],
        [sql("SELECT name, email FROM users")],
        [answer("用户：{{ rows(r1.name, r1.email) }}")],
    )
    assert given.outcome is Outcome.ANSWERED
    assert given.text == "用户：\n- Mia Keller, mia@keller.ch\n- Jonas Brunner, jonas@brunner.ch\n- Li Wei, li@wei.cn"


def test_made_up_names_beside_real_rows_are_stopped(ask: Ask) -> None:
    rows = sql("SELECT name FROM users")
    given = ask("List all users", [rows], [answer("{{ rows(r1.name) }}\n- User 4\n- User 5")])
    assert given.outcome is Outcome.BLOCKED
    assert "User 4" not in given.text


def test_a_failed_query_is_no_source_of_data(ask: Ask) -> None:
    given = ask("List all users", [sql("SELECT nam FROM users")], [answer("The users are Alice, Bob and Charlie.")])
    assert given.outcome is Outcome.BLOCKED
    assert given.trace.calls[0].validation_failure_code == "FIELD_NOT_FOUND"
    assert "Alice" not in given.text


@pytest.mark.parametrize(
    "text", ["Which user do you mean: Alice or Bob?", "John Doe is not in the data, but User 1 and User 2 are."]
)
def test_a_question_back_and_a_refusal_name_nothing_made_up(ask: Ask, text: str) -> None:
    for end in (call("clarify", question=text, options=""), call("abstain", reason=text)):
        assert ask("List all users", [end]).outcome is Outcome.BLOCKED


# --- what SQL answers, and what it does not


@pytest.mark.parametrize(
    ("question", "statement", "text", "said"),
    [
        ("How many orders does Mia Keller have?", "SELECT COUNT(*) AS n FROM orders o JOIN users u ON u.id = o.user_id WHERE u.name = 'Mia Keller'", "Mia Keller has {{ r1[0].n }} orders.", "Mia Keller has 2 orders."),
        ("total amount per user", "SELECT u.name, SUM(o.amount) AS total FROM orders o JOIN users u ON u.id = o.user_id GROUP BY u.name", "{{ rows(r1.name, r1.total) }}", "- Li Wei: 7.25\n- Mia Keller: 30.50"),
        ("total amount of orders in May 2025", "SELECT SUM(amount) AS t FROM orders WHERE ordered_on >= '2025-05-01' AND ordered_on < '2025-06-01'", "{{ r1[0].t }} in May 2025", "30.50 in May 2025"),
        ("total amount of paid orders", "WITH p AS (SELECT * FROM orders WHERE status = 'paid') SELECT SUM(amount) AS t FROM p", "{{ r1[0].t }}", "17.75"),
        ("total amount of orders that are not open", "SELECT SUM(amount) AS t FROM orders WHERE status <> 'open'", "{{ r1[0].t }}", "17.75"),
        ("total amount of orders that are open or paid", "SELECT SUM(amount) AS t FROM orders WHERE status = 'open' OR status = 'paid'", "{{ r1[0].t }}", "37.75"),
        ("total amount", "SELECT ROUND(SUM(amount), 2) AS t FROM orders", "{{ r1[0].t }}", "37.75"),
        ("total amount, rounded", "SELECT ROUND(SUM(amount), 0) AS t FROM orders", "{{ r1[0].t }}", "38.00"),
        ("highest amount", "SELECT MAX(amount) AS a FROM orders", "{{ r1[0].a }}", "20.00"),
        ("which user has the highest total amount?", "SELECT u.name, SUM(o.amount) AS t FROM orders o JOIN users u ON o.user_id = u.id GROUP BY u.name ORDER BY t DESC LIMIT 1", "{{ r1[0].name }}: {{ r1[0].t }}", "Mia Keller: 30.50"),
    ],
)  # fmt: skip
def test_checked_sql_answers(ask: Ask, question: str, statement: str, text: str, said: str) -> None:
    given = ask(question, [sql(statement)], [answer(text)])
    assert (given.outcome, given.text) == (Outcome.ANSWERED, said), given.trace
    assert given.sources[0].arguments["sql"] == statement


@pytest.mark.parametrize(
    ("question", "statement", "text"),
    [
        ("How many orders does Mia Keller have?", "SELECT COUNT(*) AS n FROM orders", "Mia Keller has {{ r1[0].n }} orders."),
        ("How many orders does Mia Keller have?", "SELECT COUNT(*) AS n FROM orders WHERE user_id = 1", "{{ r1[0].n }}"),
        ("total amount of orders in May 2025", "SELECT SUM(amount) AS t FROM orders", "{{ r1[0].t }} in May 2025"),
        ("total amount of orders", "SELECT SUM(amount) AS t FROM orders WHERE status = 'paid'", "{{ r1[0].t }}"),
        ("total amount", "SELECT SUM(amount) * 1.077 AS t FROM orders", "Total: {{ r1[0].t }}"),
        ("total amount", "SELECT SUM(amount) * 100 AS t FROM orders", "Total: {{ r1[0].t }}"),
        ("total amount", "SELECT SUM(amount) + 1 AS t FROM orders", "Total: {{ r1[0].t }}"),
        ("total amount", "SELECT SUM(amount) / (100) AS t FROM orders", "Total: {{ r1[0].t }}"),
        ("total amount", "SELECT SUM(CASE WHEN id = 1 THEN 152400 ELSE amount END) AS t FROM orders", "{{ r1[0].t }}"),
        ("How many orders?", "SELECT COUNT(*) * 10 AS t FROM orders", "{{ r1[0].t }} orders"),
        ("total amount", "SELECT ROUND(SUM(amount), -1) AS t FROM orders", "Total: {{ r1[0].t }}"),
        ("total amount", "SELECT ROUND(SUM(amount)) AS t FROM orders", "Total: {{ r1[0].t }}"),
        ("total amount", "SELECT SUM(SQRT(amount)) AS t FROM orders", "Total: {{ r1[0].t }}"),
        ("total amount", "SELECT 99.5 AS t", "Total: {{ r1[0].t }}"),
        ("total amount", "SELECT SUM(amount) + 99.5 AS t FROM orders", "Total: {{ r1[0].t }}"),
        ("total amount of orders", "SELECT SUM(amount) AS t FROM orders WHERE status = 'paid' OR amount > 15", "{{ r1[0].t }}"),
        ("total amount of orders", "SELECT SUM(amount) AS t FROM orders WHERE NOT status = 'open'", "{{ r1[0].t }}"),
        ("total amount of paid orders", "SELECT SUM(amount) AS t FROM orders WHERE status = 'paid' OR amount > 0", "{{ r1[0].t }}"),
        ("total amount of open orders", "SELECT SUM(amount) AS t FROM orders WHERE status != 'open'", "{{ r1[0].t }}"),
        ("total amount of open orders", "SELECT SUM(amount) AS t FROM orders WHERE status NOT IN ('open')", "{{ r1[0].t }}"),
        ("List all users", "SELECT 'Alice' AS name UNION ALL SELECT 'Bob'", "{{ rows(r1.name) }}"),
        ("List all users", "SELECT 'Alice' AS name FROM users", "{{ rows(r1.name) }}"),
        ("How many users are there?", "SELECT name FROM users LIMIT 2", "{{ count(r1) }} users"),
        ("How many users are there?", "SELECT COUNT(*) AS n FROM (SELECT * FROM users LIMIT 2) t", "{{ r1[0].n }} users"),
        ("total amount", "SELECT AVG(amount) AS t FROM orders", "{{ r1[0].t }}"),
        ("total amount per user", "SELECT u.name, SUM(o.amount) AS t FROM orders o JOIN users u ON u.id = o.id GROUP BY u.name", "{{ rows(r1.name, r1.t) }}"),
        ("total amount", "SELECT SUM(o.amount) AS t FROM orders o, users u", "{{ r1[0].t }}"),
    ],
)  # fmt: skip
def test_a_figure_that_sql_makes_wrong_never_gets_out(ask: Ask, question: str, statement: str, text: str) -> None:
    given = ask(question, [sql(statement)], [answer(text)])
    assert given.outcome in (Outcome.ABSTAINED, Outcome.BLOCKED), given.text
    assert not given.provenance


def test_a_figure_that_a_join_repeats_is_not_added_up_in_the_answer(tmp_path: Path) -> None:
    joined = sql("SELECT s.id, l.product, s.total FROM sale s JOIN line l ON l.sale_id = s.id WHERE s.currency = 'CHF'")
    summed = Script([joined], [answer("Total sales in CHF: {{ sum(r1.total) }}")])
    agent = open_agent(
        build(tmp_path / "shop.duckdb"), ontology=ONTOLOGY, model=summed.model, tools="sql", keep_traces=False
    )
    given = agent.ask_sync("What are total sales in CHF?")
    agent.close()
    assert given.outcome is not Outcome.ANSWERED
    assert given.trace.refusals[0].code == "AMBIGUOUS_GRAIN"


# --- files


def test_a_file_is_inspected_before_it_is_analysed(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("Region,Umsatz\nNord,100.50\nSüd,200.25\nNord,50\n", encoding="utf-8")
    summed = call(
        "analyze_dataframe",
        operation="aggregate",
        tableName="sales",
        aggregate="SUM",
        field="Umsatz",
        groupBy=["Region"],
    )
    script = Script([summed], [call("inspect_file")], [summed], [answer("{{ rows(r1.Region, r1.sum_Umsatz) }}")])
    agent = open_agent(tmp_path / "sales.csv", model=script.model, tools="file", keep_traces=False)
    given = agent.ask_sync("Umsatz pro Region?")
    agent.close()
    assert [(log.tool, log.success) for log in given.trace.calls] == [
        ("analyze_dataframe", False),
        ("inspect_file", True),
        ("analyze_dataframe", True),
    ]
    assert (given.outcome, given.text) == (Outcome.ANSWERED, "- Nord: 150,50\n- Süd: 200,25")


@pytest.mark.parametrize(("question", "text"), [("Summe Umsatz pro Region?", "Umsatz nach Region:\n- Nord: 150,50\n- Süd: 200,25"), ("Wie hoch ist der Umsatz?", "Umsatz: 350,75.")])  # fmt: skip
def test_offline_the_words_are_read_whatever_tools_a_model_would_have(tmp_path: Path, question: str, text: str) -> None:
    (tmp_path / "sales.csv").write_text("Region,Umsatz\nNord,100.50\nSüd,200.25\nNord,50\n", encoding="utf-8")
    for kind in ("file", "sql"):
        agent = open_agent(tmp_path / "sales.csv", tools=kind, keep_traces=False)
        given = agent.ask_sync(question)
        agent.close()
        assert (given.text, [log.tool for log in given.trace.calls]) == (text, ["semanticQuery"])
