"""Words that mean the same as a label, adjectives and deeds that everybody knows: understood in ontologies that do not list them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from each_case import each
from veracity.answer.answer import Outcome
from veracity.ask.data_agent import DataAgent
from veracity.open import open_agent
from veracity.settings import Settings

ONTOLOGY = """\
featureCode: people
entities:
  - {name: customers, label: {en: customer}, table: customers, grain: id, display: name}
  - {name: clients, label: {en: client}, table: clients, grain: id, display: name}
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataAgent]:
    agent = open_agent(feature="shop", keep_traces=False, settings=Settings(home=tmp_path_factory.mktemp("home")))
    yield agent
    agent.close()


SAME = [
    ("How many vendors are there?", "How many suppliers are there?"),
    ("How many orders did Julia Lang place?", "How many orders of Julia Lang are there?"),
    ("How many customers live in Zurich?", "How many customers live in Zürich?"),
    ("What is the average wage of the staff?", "What is the average salary of the employees?"),
    ("How many shops are there per town?", "How many stores are there per city?"),
    ("What were the takings in 2025?", "What was the revenue in 2025?"),
    ("What is the cheapest product?", "Which product has the lowest price?"),
    ("Which is the priciest item?", "Which product has the highest price?"),
    ("Who joined in 2021?", "Which employees have a hire date in 2021?"),
    ("Welche Käufer wohnen in Bern?", "Welche Kunden wohnen in Bern?"),
    ("Wie hoch ist das Durchschnittsgehalt?", "Wie hoch ist der durchschnittliche Lohn?"),
    ("Einnahmen pro Filiale im Jahr 2025", "Umsatz pro Filiale im Jahr 2025"),
    ("有多少雇员？", "有多少员工？"),
    ("最便宜的商品是什么？", "价格最低的产品是什么？"),
    ("How many folks work for us?", "How many employees are there?"),
    ("How much cash did the Bern shop pull in during 2024?", "Revenue of the store in Bern in 2024"),
    ("Wie viele Leute arbeiten in der Filiale Basel?", "Wie viele Mitarbeiter in der Filiale Basel?"),
    ("Welcher Laden macht am meisten Kohle?", "Filiale mit dem höchsten Umsatz"),
    ("Was ist das Billigste im Sortiment?", "Billigstes Produkt"),
    ("我们这儿有多少人上班?", "有多少员工？"),
    ("Which punter splurged the most in 2024?", "Customer with the highest revenue in 2024"),
    ("How many units did we shift in 2024?", "Units sold in 2024"),
    ("我们去年卖了多少钱?", "去年的销售额"),
    ("Which town do most of our punters come from?", "City with the most customers"),
    ("Wie viel haben wir 2024 zurückgezahlt?", "Rückerstattung 2024"),
    ("How many people shopped with us in 2024?", "How many customers ordered in 2024?"),
    ("Welcher Kunde hat uns 2025 am meisten Geld in die Kasse gespült?", "Kunde mit dem höchsten Umsatz 2025"),
    ("which products nobody wants?", "Products that were never sold"),
    ("Welche Produkte will niemand?", "Produkte, die nie verkauft wurden"),
    ("哪些产品没人买", "没有订单的产品"),
    ("customers that only bought once", "Customers with exactly 1 order"),
    ("Wie viele Kunden haben nur einmal gekauft?", "Wie viele Kunden mit genau 1 Bestellung gibt es?"),
    ("Wer hat seit 2023 nichts mehr bestellt?", "Kunden ohne Bestellungen seit 2023"),
    ("哪些客户2024年没买东西", "2024年没有订单的客户"),
    ("which customers are new in 2024?", "Which customers registered in 2024?"),
    ("Welche neuen Kunden haben wir 2024 gewonnen?", "Kunden mit Registrierung 2024"),
    ("what do we make off tents?", "Revenue of tents"),
    ("any customers who never came back?", "Customers with exactly 1 order"),
    ("Welche Kunden sind nicht wiedergekommen?", "Kunden mit genau 1 Bestellung"),
    ("哪些客户再也没来过", "正好有1个订单的客户"),
    ("wer hat am meisten bei uns gelassen?", "Kunde mit dem höchsten Umsatz"),
    ("Läuft's 2024 besser als 2023?", "War der Umsatz 2024 höher als 2023?"),
    ("which customers haven't bought anything in 2024?", "Customers without orders in 2024"),
    ("Was liegt am meisten im Lager rum?", "Produkt mit dem höchsten Lagerbestand"),
]


@each(("said", "plain"), SAME)
def test_a_word_that_means_the_same_gets_the_same_answer(shop: DataAgent, said: str, plain: str) -> None:
    one, other = shop.ask_sync(said), shop.ask_sync(plain)
    assert other.outcome is Outcome.ANSWERED, other.text
    assert one.outcome is Outcome.ANSWERED, one.text
    assert sorted(map(str, one.rows)) == sorted(map(str, other.rows))


@each(
    "question",
    [
        "What is our income in 2025?",
        "How many visitors are there?",
        "What was the profit in 2025?",
        "Did we end up in the red in 2024?",
        "Which store lost the most money?",
        "How packed is the gym on Mondays?",
        "我们最老的员工是谁?",  # nobody's age is stored
        "哪家店最赚钱?",
        "What's our biggest money maker?",  # a product or a store, by its revenue or its units
        "Who makes the most dough?",  # by wages or by revenue
        "Which employee makes the most money?",
        "How much did Noah Senn make in 2024?",
    ],
)
def test_a_word_that_only_often_means_the_same_is_not_taken_for_it(shop: DataAgent, question: str) -> None:
    assert shop.ask_sync(question).outcome is not Outcome.ANSWERED


@pytest.mark.parametrize(
    ("question", "readings"),
    [
        ("Which orders are recent?", 3),
        ("Revenue per head", 4),
        ("哪家店生意最好?", 4),
        ("Was ist unser Ladenhüter?", 4),
        ("Wo ist am meisten los?", 4),
    ],
)
def test_what_may_be_measured_in_several_ways_is_asked_back(shop: DataAgent, question: str, readings: int) -> None:
    asked = shop.ask_sync(question)
    assert (asked.outcome, len(asked.readings)) == (Outcome.CLARIFY, readings)


def test_what_was_returned_most_often_is_no_day(shop: DataAgent) -> None:
    assert shop.ask_sync("What was returned most often?").outcome is not Outcome.ANSWERED


def test_a_word_that_may_mean_either_of_two_tables_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "customers.csv").write_text("id,name\n1,Ada\n2,Bo\n", encoding="utf-8")
    (tmp_path / "clients.csv").write_text("id,name\n1,Cy\n", encoding="utf-8")
    ontology = tmp_path / "people.yaml"
    ontology.write_text(ONTOLOGY, encoding="utf-8")
    with open_agent(tmp_path, ontology=ontology, keep_traces=False, settings=Settings(home=tmp_path)) as agent:
        assert agent.ask_sync("How many clients are there?").outcome is Outcome.ANSWERED
        assert agent.ask_sync("How many buyers are there?").outcome is not Outcome.ANSWERED


@pytest.mark.parametrize(
    "question",
    [
        "How many products did Julia Lang buy?",
        "How many products did customers from Bern order?",
        "How many products were ordered in 2024?",
    ],
)
def test_products_that_were_bought_may_be_kinds_or_pieces(shop: DataAgent, question: str) -> None:
    assert shop.ask_sync(question).outcome is Outcome.CLARIFY


def test_what_some_customers_bought_is_what_any_of_them_did(shop: DataAgent) -> None:
    bern = shop.ask_sync("How many different products did customers from Bern buy?")
    assert (bern.outcome, bern.rows[0]["count_Product"]) == (Outcome.ANSWERED, 48)
    assert shop.ask_sync("Which products did all company customers buy?").outcome is not Outcome.ANSWERED


def test_what_a_common_word_means_here_can_be_taught(tmp_path: Path) -> None:
    with open_agent(feature="shop", keep_traces=False, settings=Settings(home=tmp_path)) as agent:
        before = agent.ask_sync("How many buyers are there?")
        agent.teach_sync("buyer", "company customer")
    with open_agent(feature="shop", keep_traces=False, settings=Settings(home=tmp_path)) as agent:
        taught = agent.ask_sync("How many buyers are there?")
        plain = agent.ask_sync("How many company customers are there?")
    assert before.rows != taught.rows == plain.rows


@pytest.mark.parametrize(
    "question", ["What did we earn in 2019?", "Wie viel haben wir 2019 verdient?", "salaries 2019"]
)
def test_wages_of_those_who_joined_in_a_year_are_not_what_was_earned_or_paid_in_it(
    shop: DataAgent, question: str
) -> None:
    joined = shop.ask_sync("total salary of employees hired in 2019")
    assert joined.outcome is Outcome.ANSWERED
    assert joined.provenance[0].value not in {one.value for one in shop.ask_sync(question).provenance}


@pytest.mark.parametrize(
    "question", ["How many employees in 2021?", "average salary in 2021", "Durchschnittslohn 2021"]
)
def test_people_of_a_year_are_not_those_who_joined_in_it(shop: DataAgent, question: str) -> None:
    assert shop.ask_sync(question).outcome is not Outcome.ANSWERED
    assert shop.ask_sync("How many employees joined in 2021?").text.endswith(": 4.")


def test_an_amount_per_order_is_told_in_its_currency(shop: DataAgent) -> None:
    lines = shop.ask_sync("average order value per store").text.splitlines()[1:]
    assert lines
    assert all(line.endswith(" CHF") for line in lines)


def test_what_is_most_popular_is_asked_back_where_lines_say_how_many(shop: DataAgent) -> None:
    asked = shop.ask_sync("Which product is the most popular?")
    assert asked.outcome is Outcome.CLARIFY
    assert len(asked.readings) >= 2
