"""Unknown words are asked back, words are taught, and nothing is learned silently."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, suppress
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from each_case import each
from teaching_shop import make_shop, shop_agent
from veracity.agent.judged_answers import JudgedAnswers, judged
from veracity.agent.taught_store import TaughtStore, new_taught_id
from veracity.answer.answer import Answer, Outcome
from veracity.ask.conversation import Conversation
from veracity.ask.data_agent import DataAgent
from veracity.ask.teaching import Definition
from veracity.ask.unknown_words import KnownName, flows_otherwise, shares_meaning
from veracity.errors import UsageError
from veracity.evals.taught_cases import taught_cases
from veracity.ontology.draft.flow_names import flowing_in
from veracity.ontology.load import load_ontology
from veracity.ontology.overlay import (
    TaughtWord,
    WordTarget,
    as_yaml,
    overlay_yaml,
    readable_word,
    with_taught,
)
from veracity.open import open_agent
from veracity.settings import Settings


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_shop(tmp_path_factory.mktemp("teaching"))


@pytest.fixture
def agent(shop: tuple[Path, Path], tmp_path: Path) -> Iterator[DataAgent]:
    made = shop_agent(shop, tmp_path)
    yield made
    made.close()


def offered(answer: Answer) -> list[tuple[str, str]]:
    return [(one.teaches.word, one.teaches.means) for one in answer.readings if one.teaches]


# --- unknown words


@pytest.mark.parametrize(
    ("question", "offer"),
    [
        ("How many consumers are in Germany?", ("consumers", "customer")),
        ("How many custmers are there?", ("custmers", "customer")),
        ("earnings per country", ("earnings", "revenue")),
        ("Wie viele Besteller haben wir?", ("Besteller", "Kunde")),
        ("customers in Germny", ("Germny", "Germany")),
        ("Umsatz der Rechnunk", ("Rechnunk", "Rechnung")),
    ],
)
def test_an_unknown_word_is_asked_back_with_what_it_could_mean(
    agent: DataAgent, question: str, offer: tuple[str, str]
) -> None:
    answer = agent.ask_sync(question)
    assert answer.outcome is Outcome.CLARIFY
    assert offer in offered(answer)
    assert offer[0] in answer.text
    assert answer.provenance == ()
    assert answer.clarification is not None
    assert answer.clarification.options == tuple(one.text for one in answer.readings)


KINDS = """
    CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT, category TEXT, town TEXT);
    INSERT INTO member VALUES (1, 'Kidd', 'Child', 'Bern'), (2, 'Ada', 'Senior', 'Bern'), (3, 'Bea', 'Senior', 'Thun'), (4, 'Cid', 'Adult', 'Thun');
"""


@pytest.fixture
def members(tmp_path: Path) -> Iterator[DataAgent]:
    """Members of whom nobody said anything."""
    with closing(sqlite3.connect(tmp_path / "members.sqlite")) as connection:
        connection.executescript(KINDS)
    settings = Settings.from_env().model_copy(update={"home": tmp_path})
    made = open_agent(tmp_path / "members.sqlite", settings=settings)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("question", "offer", "answer"),
    [
        (
            "How many elders live in Bern?",
            ("elders", "Senior"),
            "Number of members, category Senior, town Bern: 1.",
        ),
        ("How many youngsters are there?", ("youngsters", "Child"), "Number of members, category Child: 1."),
    ],
)
def test_a_word_may_mean_a_kind_of_rows_that_is_stored(
    members: DataAgent, question: str, offer: tuple[str, str], answer: str
) -> None:
    asked = members.ask_sync(question)
    assert asked.outcome is Outcome.CLARIFY
    assert offered(asked)[0] == offer, "the likest that makes a whole question is first"
    members.teach_sync(*offer)
    assert members.ask_sync(question).text == answer


def test_what_rows_are_called_is_no_kind(members: DataAgent) -> None:
    assert "Kidd" not in {means for _, means in offered(members.ask_sync("How many kiddies are there?"))}


@pytest.mark.parametrize("question", ["How many members are out?", "Beitragsbudget pro category", "profit per town"])
def test_words_that_mean_nothing_stored_are_not_likened_to_it(members: DataAgent, question: str) -> None:
    assert offered(members.ask_sync(question)) == []


@pytest.mark.parametrize(
    "question", ["weather per country", "How many pizzas are there?", "customers in Xqzw", "zzz of qqq"]
)
def test_a_word_without_anything_near_is_declined_as_before(agent: DataAgent, question: str) -> None:
    answer = agent.ask_sync(question)
    assert answer.outcome is Outcome.ABSTAINED
    assert answer.readings == ()


@each(
    ("word", "called", "other"),
    [
        ("water consumption", ("Stromverbrauch", "electricity consumption"), True),
        ("Gasverbrauch", ("Wasserverbrauch",), True),
        ("用电量", ("用水量",), True),
        ("Stromkosten", ("Wasserkosten", "water cost"), True),
        ("power consumption", ("Stromverbrauch", "electricity consumption"), False),
        ("energy use", ("electricity consumption",), False),
        ("consumption", ("water consumption",), False),
    ],
)
def test_a_word_for_something_else_that_is_consumed_is_not_offered(
    word: str, called: tuple[str, ...], other: bool
) -> None:
    assert flows_otherwise(flowing_in(word), KnownName(called[0], called, 0)) is other


@pytest.mark.parametrize(("word", "offered"), [("cars", False), ("scooters", False), ("bikes", True)])
def test_one_kind_of_traffic_is_not_offered_for_another(word: str, offered: bool) -> None:
    cyclists = KnownName("cyclists", ("Cyclists",), 0)
    assert shares_meaning(word, cyclists, 0.99) is offered


def test_at_most_five_meanings_are_offered(agent: DataAgent) -> None:
    assert all(
        len(agent.ask_sync(f"{word} per country").readings) <= 5 for word in ("sum total", "amounts due", "pices")
    )


def test_a_chosen_meaning_is_answered_once_and_not_remembered(agent: DataAgent) -> None:
    talk = Conversation()
    first = agent.ask_sync("How many consumers are in Germany?", conversation=talk)
    chosen = agent.ask_sync(first.readings[0].text, conversation=talk)
    assert (chosen.outcome, chosen.text) == (Outcome.ANSWERED, "Number of customers, country Germany: 2.")
    assert (chosen.taught, agent.taught()) == ((), ())
    assert agent.ask_sync("How many consumers are in Germany?").outcome is Outcome.CLARIFY


def test_an_unknown_word_of_a_follow_up_is_read_behind_the_last_question(agent: DataAgent) -> None:
    talk = Conversation()
    agent.ask_sync("Revenue in 2024", conversation=talk)
    asked = agent.ask_sync("per nationality", conversation=talk)
    assert offered(asked)[0] == ("nationality", "country")
    chosen = agent.ask_sync(asked.readings[0].text, conversation=talk)
    assert chosen.read_back == "Revenue by country, 2024"


# --- words


def test_a_taught_word_is_known_at_once_and_the_answer_says_who_taught_it(agent: DataAgent) -> None:
    asked = agent.ask_sync("earnings per country")
    offer = next(one.teaches for one in asked.readings if one.teaches)
    taught = agent.teach_sync(offer.word, offer.means, who="anna", question=asked.question)
    answer = agent.ask_sync("earnings in 2024")
    assert answer.text == agent.ask_sync("revenue in 2024").text.replace("Earnings", "Revenue")
    (note,) = answer.taught
    assert (note.word, note.means, note.who, note.taught_id) == ("earnings", "revenue", "anna", taught.taught_id)
    assert answer.read_back is not None
    assert "taught by anna" in answer.read_back
    assert agent.ask_sync("revenue in 2024").taught == ()
    assert taught.question == "earnings per country"


@pytest.mark.parametrize(
    ("word", "means", "question", "same_as"),
    [
        ("shoppers", "Customer", "shoppers in Germany", "customers in Germany"),
        ("homeland", "country", "revenue per homeland", "revenue per country"),
        ("stars", "Customer.rating", "average stars of customers", "average rating of customers"),
        ("proceeds", "Umsatz", "proceeds in 2024", "revenue in 2024"),
        ("locals", "domestic", "locals", "domestic customers"),
        ("Gaul", "France", "customers in Gaul", "customers in France"),
        ("Reich", "Customer.country = Germany", "revenue of Reich", "revenue of Germany"),
        ("Kundschaft", "Kunden", "Umsatz pro Kundschaft", "Umsatz pro Kunde"),
        ("营业额", "revenue", "营业额", "revenue"),
        ("paying guests", "customer", "How many paying guests are there?", "How many customers are there?"),
    ],
)
def test_a_word_can_mean_any_kind_of_thing(
    agent: DataAgent, word: str, means: str, question: str, same_as: str
) -> None:
    agent.teach_sync(word, means, who="anna")
    answer, other = agent.ask_sync(question), agent.ask_sync(same_as)
    assert answer.outcome is Outcome.ANSWERED
    assert answer.semantic_query == other.semantic_query
    assert [note.word for note in answer.taught] == [word]


def test_a_word_for_a_field_that_several_entities_have_is_as_open_as_that_field(agent: DataAgent) -> None:
    taught = agent.teach_sync("badge", "id", who="anna")
    assert {str(target) for target in taught.targets} == {"Customer.id", "Invoice.id"}


def test_a_follow_up_of_an_answer_that_rests_on_a_taught_word_says_so_too(agent: DataAgent) -> None:
    agent.teach_sync("proceeds", "revenue", who="anna")
    talk = Conversation()
    answers = [agent.ask_sync(said, conversation=talk) for said in ("proceeds in 2024", "and 2023?", "Revenue in 2024")]
    assert [len(one.taught) for one in answers] == [1, 1, 0]
    assert [one.follow_up for one in answers] == [False, True, False]


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("revenue", "already means Invoice.revenue"),
        ("Umsätze", "already means"),
        ("customers", "already means Customer"),
        ("France", "already means Customer.country = France"),
        ("not", "has a meaning in every question"),
        ("per", "has a meaning in every question"),
        ("nicht", "has a meaning in every question"),
        ("top", "has a meaning in every question"),
        ("the", "has a meaning in every question"),
        ("last year", "has a meaning in every question"),
        ("more than", "has a meaning in every question"),
        ("2024", "no word"),
        ("x", "no word"),
        ("", "not a word"),
        ("a" * 10_000, "at most 80 characters"),
        ("a b c d e f g h", "at most 6 words"),
        ("folks\nentities: []", "not a word"),
        ("folks: {en: [x]}", "not a word"),
        ("- folks", "not a word"),
        ("'; DROP TABLE taught", "not a word"),
        ("\x1b[31mred", "not a word"),
        ("fo\u202elks", "not a word"),
        ("{{ r1[0] }}", "not a word"),
    ],
)
def test_a_word_that_cannot_be_taught_is_refused_in_one_sentence(agent: DataAgent, word: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as refused:
        agent.teach_sync(word, "revenue", who="anna")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 250
    assert agent.taught() == ()


@pytest.mark.parametrize(
    "means", ["nothing", "", "per", "Customer.nothing", "Customer.country = Atlantis", "x" * 10_000]
)
def test_a_meaning_that_is_not_there_is_refused(agent: DataAgent, means: str) -> None:
    with pytest.raises(UsageError, match=r"Nothing here is called|holds no value"):
        agent.teach_sync("folks", means, who="anna")
    assert agent.taught() == ()


def test_a_word_is_taught_once(agent: DataAgent) -> None:
    agent.teach_sync("proceeds", "revenue", who="anna")
    with pytest.raises(UsageError, match="already means"):
        agent.teach_sync("proceeds", "amount", who="bob")


def test_a_source_without_an_ontology_is_taught_through_its_draft(shop: tuple[Path, Path], tmp_path: Path) -> None:
    from veracity.open import open_agent
    from veracity.settings import Settings

    settings = Settings.from_env().model_copy(update={"home": tmp_path})
    bare, other = (open_agent(shop[0], settings=settings) for _ in range(2))
    known = bare.ask_sync("How many customers are there?").text
    assert bare.ask_sync("How many gannets are there?").outcome != "answered"
    bare.teach_sync("gannets", "customers", who="anna")
    later = open_agent(shop[0], settings=settings)
    for agent in (bare, other, later):  # the one that was taught, one that was open, and one that is opened after
        answer = agent.ask_sync("How many gannets are there?")
        assert (answer.outcome, answer.text) == ("answered", known)
        assert [note.who for note in answer.taught] == ["anna"]
    bare.unteach("gannets", who="anna")
    assert bare.ask_sync("How many gannets are there?").outcome != "answered"
    for agent in (bare, other, later):
        agent.close()


def test_a_source_that_cannot_be_drafted_is_not_taught(shop: tuple[Path, Path], tmp_path: Path) -> None:
    from veracity.open import open_agent
    from veracity.settings import Settings

    settings = Settings.from_env().model_copy(update={"home": tmp_path})
    bare = open_agent(shop[0], settings=settings, use_ontology=False)
    with pytest.raises(UsageError, match="no ontology to teach"):
        bare.teach_sync("folks", "customer", who="anna")
    bare.close()


# --- segments and measures


def test_a_segment_and_a_measure_are_taught_in_the_words_of_the_yaml(agent: DataAgent) -> None:
    agent.teach_sync("gold members", Definition("segment", "Customer", {"where": "rating >= 4"}), who="anna")
    agent.teach_sync(
        "heft", Definition("measure", "Invoice", {"aggregate": "SUM", "expression": "pieces * 2"}), who="anna"
    )
    assert agent.ask_sync("How many gold members are in Germany?").text.endswith(": 2.")
    answer = agent.ask_sync("heft in 2024")
    assert answer.text.endswith(": 10.")
    assert [note.who for note in answer.taught] == ["anna"]
    told = agent.query_sync({"show": [{"measure": "heft"}]})
    assert told.success


@pytest.mark.parametrize(
    ("definition", "says"),
    [
        (Definition("segment", "Customer", {"where": "nothing = 1"}), "names the field nothing"),
        (Definition("segment", "Customer", {"where": "DROP TABLE customer"}), "cannot be taught"),
        (Definition("segment", "Customer", {"where": "1 = (SELECT 1)"}), "cannot be taught"),
        (Definition("segment", "Nobody", {"where": "rating > 1"}), "no entity 'Nobody'"),
        (Definition("measure", "Invoice", {"aggregate": "SUM"}), "needs an `expression`"),
        (Definition("measure", "Invoice", {"aggregate": "TWICE", "expression": "pieces"}), "aggregate"),
        (Definition("measure", "Customer", {"aggregate": "SUM", "expression": "rating"}), "does not allow"),
        (Definition("measure", "Customer", {"aggregate": "SUM", "expression": "rating + 1"}), "does not allow"),
        (Definition("measure", "Customer", {"aggregate": "AVG", "expression": "id"}), "does not allow"),
        (Definition("measure", "Invoice", {"aggregate": "COUNT", "evil": "x"}), "evil"),
    ],
)
def test_a_definition_that_cannot_work_is_refused_and_not_kept(
    agent: DataAgent, definition: Definition, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        agent.teach_sync("gold", definition, who="anna")
    assert agent.taught() == ()
    assert agent.ask_sync("How many customers are there?").outcome is Outcome.ANSWERED


def test_what_may_be_averaged_may_be_taught_as_an_average(agent: DataAgent) -> None:
    agent.teach_sync(
        "merit", Definition("measure", "Customer", {"aggregate": "AVG", "expression": "rating"}), who="anna"
    )
    assert agent.ask_sync("merit in Germany").text.endswith(": 4.50.")


# --- kept, undone, shared


def test_what_was_taught_is_there_when_an_agent_is_opened_again_and_gone_when_undone(
    agent: DataAgent, shop: tuple[Path, Path], tmp_path: Path
) -> None:
    agent.teach_sync("proceeds", "revenue", who="anna")
    later = shop_agent(shop, tmp_path)
    assert later.ask_sync("proceeds in 2024").outcome is Outcome.ANSWERED
    undone = later.unteach("proceeds", who="bob")
    assert undone.word == "proceeds"
    assert [one.ask_sync("proceeds in 2024").outcome is Outcome.ANSWERED for one in (later, agent)] == [False, False]
    assert (later.taught(), agent.taught()) == ((), ())
    agent.teach_sync("proceeds", "amount", who="anna")
    assert later.taught()[0].means == "amount"
    later.close()


def test_a_running_agent_hears_what_another_process_taught(
    agent: DataAgent, shop: tuple[Path, Path], tmp_path: Path
) -> None:
    assert agent.ask_sync("proceeds in 2024").outcome is not Outcome.ANSWERED
    other = shop_agent(shop, tmp_path)
    other.teach_sync("proceeds", "revenue", who="anna")
    assert agent.ask_sync("proceeds in 2024").outcome is Outcome.ANSWERED
    other.close()


def test_one_tenant_knows_nothing_of_the_words_of_another(shop: tuple[Path, Path], tmp_path: Path) -> None:
    one, other = shop_agent(shop, tmp_path / "one"), shop_agent(shop, tmp_path / "other")
    one.teach_sync("proceeds", "revenue", who="anna")
    assert one.ask_sync("proceeds in 2024").outcome is Outcome.ANSWERED
    assert other.ask_sync("proceeds in 2024").outcome is not Outcome.ANSWERED
    assert other.taught() == ()
    one.close()
    other.close()


def test_words_of_another_ontology_or_of_a_thing_that_is_gone_are_not_used(
    agent: DataAgent, shop: tuple[Path, Path], tmp_path: Path
) -> None:
    store = TaughtStore(tmp_path / "taught.sqlite")
    store.add("other", word("proceeds", WordTarget(kind="measure", entity="Invoice", name="revenue")))
    store.add("shop", word("zeal", WordTarget(kind="measure", entity="Invoice", name="gone")))
    assert agent.taught() == ()
    assert agent.ask_sync("proceeds in 2024").outcome is not Outcome.ANSWERED
    assert agent.ask_sync("revenue in 2024").outcome is Outcome.ANSWERED


def word(text: str, *targets: WordTarget, who: str = "anna") -> TaughtWord:
    means = " ".join(map(str, targets))
    return TaughtWord(
        taught_id=new_taught_id(),
        word=text,
        lang="en",
        means=means,
        targets=targets,
        who=who,
        taught_at=datetime.now(UTC),
    )


def _teach_ten(path: str, who: str) -> int:
    """How many of ten words this process was the first to teach."""
    store, won = TaughtStore(Path(path)), 0
    for number in range(10):
        with suppress(UsageError):
            store.add("shop", word(f"word{number}", WordTarget(kind="entity", entity=who), who=who))
            won += 1
    return won


def test_two_processes_that_teach_at_once_teach_each_word_once(tmp_path: Path) -> None:
    path = str(tmp_path / "taught.sqlite")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        won = list(pool.map(_teach_ten, [path, path], ["anna", "bob"]))
    assert sum(won) == 10
    words = TaughtStore(Path(path)).words("shop")
    assert sorted(one.word for one in words) == sorted(f"word{number}" for number in range(10))


def test_a_damaged_file_is_told_in_one_sentence(shop: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "veracity.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(UsageError, match=r"veracity\.sqlite is not a file of taught words or is damaged"):
        shop_agent(shop, tmp_path)


# --- as YAML


def test_the_merged_ontology_is_loaded_again_and_reads_the_taught_words(
    agent: DataAgent, shop: tuple[Path, Path], tmp_path: Path
) -> None:
    agent.teach_sync("proceeds", "revenue", who="anna")
    agent.teach_sync("Gaul", "France", who="anna")
    agent.teach_sync("gold", Definition("segment", "Customer", {"where": "rating >= 4"}), who="anna")
    merged, fitting = with_taught(load_ontology(shop[1]), agent.taught())
    assert len(fitting) == 3
    path = tmp_path / "merged.yaml"
    path.write_text(as_yaml(merged), encoding="utf-8")
    assert load_ontology(path) == merged
    again = shop_agent((shop[0], path), tmp_path / "fresh")
    for question in ("proceeds in 2024", "customers in Gaul", "How many gold customers are there?"):
        answer = again.ask_sync(question)
        assert (answer.outcome, answer.taught) == (Outcome.ANSWERED, ())
    again.close()


def test_the_overlay_alone_says_who_taught_what_in_yaml(agent: DataAgent) -> None:
    agent.teach_sync("proceeds", "revenue", who="anna: # [x]")
    agent.teach_sync("Gaul", "France", who="bob")
    text = overlay_yaml("shop", agent.taught())
    assert "# proceeds: revenue; taught by anna" in text
    assert yaml.safe_load(text) == {
        "featureCode": "shop",
        "entities": [
            {"name": "Invoice", "measures": [{"name": "revenue", "synonyms": {"en": ["proceeds"]}}]},
            {"name": "Customer", "fields": [{"name": "country", "values": {"France": {"en": ["Gaul"]}}}]},
        ],
    }


@given(st.text(max_size=120))
def test_any_text_is_a_word_that_survives_yaml_or_is_refused_in_one_line(text: str) -> None:
    kept, refused = None, ""
    try:
        kept = readable_word(text)
    except UsageError as error:
        refused = str(error)
    if kept is None:
        assert refused.isprintable()
        return
    assert yaml.safe_load(yaml.safe_dump({"synonyms": [kept]}, allow_unicode=True)) == {"synonyms": [kept]}
    assert kept.isprintable()
    assert readable_word(kept) == kept
    assert f"# {kept}".splitlines() == [f"# {kept}"]


# --- right and wrong


def judge(agent: DataAgent, question: str, verdict: Any = "right", **more: Any) -> Any:
    answer = agent.ask_sync(question, **more)
    assert agent.traces is not None
    return judged(agent.traces.get(answer.trace_id), verdict, who="anna", why="because")


def test_a_right_answer_is_a_gold_question_with_its_query_and_figures(agent: DataAgent, tmp_path: Path) -> None:
    store = JudgedAnswers(tmp_path / "judged.sqlite")
    for question in ("revenue per country in 2024", "customers in Germany", "weather per country"):
        store.keep(judge(agent, question))
    store.keep(judge(agent, "revenue in 2023", "wrong"))
    cases = taught_cases(store.latest("right", source="shop.sqlite"))
    assert [case.question for case in cases] == [
        "revenue per country in 2024",
        "customers in Germany",
        "weather per country",
    ]
    figures = {name: figure.value for name, figure in cases[0].expected_answer_numeric.items()}
    assert sorted(map(float, figures.values())) == [20.0, 1200.0]
    assert set(cases[0].expected_answer_contains) == {"Germany", "France"}
    assert cases[1].expected_answer_contains == ("Anna", "Cleo")
    assert cases[2].expected_outcome is Outcome.ABSTAINED
    assert [one.why for one in store.latest("wrong")] == ["because"]
    assert store.latest("right", source="other.sqlite") == []


def test_the_last_verdict_on_an_answer_counts(agent: DataAgent, tmp_path: Path) -> None:
    store = JudgedAnswers(tmp_path / "judged.sqlite")
    kept = judge(agent, "revenue in 2024")
    store.keep(kept)
    store.keep(kept.model_copy(update={"verdict": "wrong"}))
    assert [one.verdict for one in store.latest()] == ["wrong"]
    with pytest.raises(UsageError, match="No answer of this source was called right yet"):
        taught_cases(store.latest("right"))


def test_an_answer_that_only_makes_sense_behind_another_is_no_gold_question(agent: DataAgent) -> None:
    talk = Conversation()
    agent.ask_sync("Revenue in 2024", conversation=talk)
    with pytest.raises(UsageError, match="one whole question"):
        judge(agent, "per country", conversation=talk)
    assert judge(agent, "per country", "wrong", conversation=talk).verdict == "wrong"


# --- what a taught word may not do


def test_the_models_prompt_and_the_tools_know_the_taught_word_too(agent: DataAgent) -> None:
    agent.teach_sync("proceeds", "revenue", who="anna")
    ontology = agent.tools.catalog.ontology
    assert ontology is not None
    entity = ontology.entity("Invoice")
    assert entity is not None
    assert entity.measures[0].synonyms == {"en": ("proceeds",)}


def test_the_file_of_the_ontology_stays_as_it_was(agent: DataAgent, shop: tuple[Path, Path]) -> None:
    before = shop[1].read_bytes()
    agent.teach_sync("proceeds", "revenue", who="anna")
    assert shop[1].read_bytes() == before


def test_values_of_other_tenants_are_neither_offered_nor_taught(agent: DataAgent) -> None:
    assert offered(agent.ask_sync("customers in Atlantiss")) == []
    with pytest.raises(UsageError, match="Nothing here is called"):
        agent.teach_sync("sunken land", "Atlantis", who="anna")


def test_a_word_that_the_ontology_has_itself_by_now_means_what_its_author_says(
    agent: DataAgent, shop: tuple[Path, Path], tmp_path: Path
) -> None:
    agent.teach_sync("proceeds", "amount", who="anna")
    path = tmp_path / "later.yaml"
    written = shop[1].read_text(encoding="utf-8").replace("label: {en: revenue,", "label: {en: proceeds,")
    path.write_text(written, encoding="utf-8")
    later = shop_agent((shop[0], path), tmp_path)
    assert later.taught() == ()
    answer = later.ask_sync("proceeds in 2024")
    assert (answer.text, answer.taught) == ("Proceeds, 2024: 1,220.00 CHF.", ())
    later.close()


def test_a_word_inside_of_another_word_is_not_told_as_taught(agent: DataAgent) -> None:
    agent.teach_sync("ran", "revenue", who="anna")
    assert agent.ask_sync("customers in France").taught == ()
    agent.teach_sync("Kundschaft", "Kunden", who="anna", lang="de")
    assert [note.word for note in agent.ask_sync("Kundschaftszahl").taught] == ["Kundschaft"]
