"""The router: order of the rules, prefixes, words that point at data, follow-ups, translations, and any text at all."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from each_case import each
from growth import is_linear
from veracity.features import get_feature
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.routing import Decision, Route, Router, chat, data_words, ontology_words
from veracity.tools.open import open_tables

ROUTER = Router(prefixes={"sql": "sql_analyst", "sql_analyst": "sql_analyst", "uebersetze": "translator"})


def rule(request: str, router: Router = ROUTER) -> str:
    return router.decide(request).rule


# --- the seed's edge cases, and as many German ones


@each(
    ("request_", "route", "by"),
    [
        ("什么是机器学习", Route.DIRECT_CHAT, "factual"),
        ("计算 1+2+3", Route.DIRECT_CHAT, "arithmetic"),
        ("translate hello to Chinese", Route.DIRECT_CHAT, "translation"),
        ("什么是当前服务器的IP地址", Route.REACT, "live"),
        ("计算斐波那契数列的第100项", Route.REACT, "data"),
        ("分析一下服务器的IP", Route.REACT, "data"),
        ("", Route.REACT, "default"),
        ("Was ist maschinelles Lernen?", Route.DIRECT_CHAT, "factual"),
        ("Rechne 1+2+3", Route.DIRECT_CHAT, "arithmetic"),
        ("Übersetze Hallo ins Chinesische", Route.DIRECT_CHAT, "translation"),
        ("Was ist die aktuelle IP-Adresse des Servers?", Route.REACT, "live"),
        ("Berechne die 100. Fibonacci-Zahl", Route.REACT, "data"),
        ("Analysiere die IP des Servers", Route.REACT, "data"),
        (" \n\t ", Route.REACT, "default"),
    ],
)
def test_edge_cases_of_the_seed(request_: str, route: Route, by: str) -> None:
    decision = ROUTER.decide(request_)
    assert (decision.route, decision.rule) == (route, by)


# --- prefixes


def test_a_prefix_picks_its_skill_and_leaves_the_rest() -> None:
    decision = ROUTER.decide("  /SQL how many orders in May? ")
    assert decision == Decision(
        route=Route.SKILL, rule="prefix", words=("/SQL",), skill="sql_analyst", text="how many orders in May?"
    )


def test_a_prefix_may_stand_alone() -> None:
    decision = ROUTER.decide("/sql")
    assert (decision.route, decision.skill, decision.text) == (Route.SKILL, "sql_analyst", "")


def test_a_prefix_comes_before_every_other_rule() -> None:
    assert ROUTER.decide("/sql hello").rule == "prefix"
    assert ROUTER.decide("/sql\n1+2").text == "1+2"


@pytest.mark.parametrize("request_", ["/übersetze Hallo", "/UEBERSETZE Hallo", "／uebersetze Hallo"])
def test_a_prefix_is_known_in_every_spelling(request_: str) -> None:
    assert ROUTER.decide(request_).skill == "translator"


def test_a_name_that_is_no_skill_is_an_unknown_prefix() -> None:
    decision = ROUTER.decide("/sqk how many?")
    assert (decision.route, decision.rule, decision.words) == (Route.REACT, "unknown_prefix", ("/sqk",))


@pytest.mark.parametrize(
    "request_", ["/etc/passwd", "/2024", "/ sql", "//sql", "/sql/x", "1/2/2024", "sql orders", "/", "/sql,"]
)
def test_a_path_or_a_date_is_no_prefix(request_: str) -> None:
    decision = ROUTER.decide(request_)
    assert decision.route is Route.REACT
    assert decision.rule not in ("prefix", "unknown_prefix")


# --- plain requests


@each(
    ("request_", "by"),
    [
        ("What is photosynthesis?", "factual"), ("Erkläre mir Rekursion", "factual"), ("Was bedeutet Abschreibung?", "factual"),
        ("Hallo!", "greeting"), ("guten Morgen zusammen", "greeting"), ("你好", "greeting"), ("Danke dir", "small_talk"),
        ("how are you", "small_talk"), ("Wer bist du?", "identity"), ("你是谁", "identity"), ("翻译成英文：今天天气很好", "translation"),
    ],
)  # fmt: skip
def test_plain_requests_are_answered_directly(request_: str, by: str) -> None:
    assert ROUTER.decide(request_).route is Route.DIRECT_CHAT
    assert rule(request_) == by


@pytest.mark.parametrize("request_", ["HALLO", "hallo", "Hallo!!!", " hallo 👋 ", "Hallo :)", "Hallo, guten Tag..."])
def test_case_signs_and_blanks_do_not_matter_to_a_greeting(request_: str) -> None:
    assert rule(request_) == "greeting"


@pytest.mark.parametrize(
    "request_",
    [
        "Hallo, wie hoch ist der Umsatz?",
        "Danke! Und 2023?",
        "Hi. Orders?",
        "你好，订单呢",
        "Wer bist du und was ist unser Gewinn?",
        "thanks, show the table",
    ],
)
def test_the_part_that_asks_for_data_decides(request_: str) -> None:
    assert ROUTER.decide(request_).route is Route.REACT


@pytest.mark.parametrize("request_", ["ja", "yes", "ok", "好的", "bitte", "weiter", "no", "2"])
def test_a_bare_yes_may_answer_a_question_and_goes_to_react(request_: str) -> None:
    assert ROUTER.decide(request_).route is Route.REACT


@pytest.mark.parametrize(
    ("request_", "word"),
    [
        ("what is it", "it"),
        ("What does THIS mean?", "THIS"),
        ("Was ist das?", "das"),
        ("Was bedeutet dies?", "dies"),
        ("这个是什么", "这"),
        ("它是什么意思", "它"),
    ],
)
def test_a_follow_up_that_points_back_goes_to_react(request_: str, word: str) -> None:
    decision = ROUTER.decide(request_)
    assert (decision.route, decision.rule, decision.words) == (Route.REACT, "reference", (word,))


def test_the_deciding_words_are_given_as_written() -> None:
    assert ROUTER.decide("Was ist der AKTUELLE Stand HEUTE?").words == ("AKTUELLE", "HEUTE")
    assert ROUTER.decide("什么是机器学习").words == ("什么是",)
    assert ROUTER.decide("Hey, Was Bedeutet Entropie?").words == ("Was Bedeutet",)


@each(
    "request_",
    [
        "what is dinner?", "What is Redwood?", "explain parking", "how does carpool work", "what are vacant beds", "was ist frühschicht", "Was ist Nordwind?", "definiere Stammkunde",
        "was bedeutet storniert", "营业时间是什么", "红杉是什么", "待审核是什么意思", "what is inflation germany", "what does KST mean", "was heißt kst", "缩写MWB是什么意思",
    ],
)  # fmt: skip
def test_what_has_another_value_in_every_house_goes_to_react(request_: str) -> None:
    assert ROUTER.decide(request_).route is Route.REACT


@pytest.mark.parametrize(
    ("bare", "asked_for"),
    [
        ("what is carpooling", "what does carpooling mean"),
        ("was ist nordwind", "was ist ein nordwind"),
        ("灯塔是什么", "什么是灯塔"),
    ],
)
def test_a_noun_that_is_no_known_notion_needs_a_form_that_asks_for_its_meaning(bare: str, asked_for: str) -> None:
    assert ROUTER.decide(bare).route is Route.REACT
    assert rule(asked_for) == "factual"


@pytest.mark.parametrize("request_", ["What is DNA?", "what does NASA stand for", "wofür steht ki", "HTTP是什么意思"])
def test_an_abbreviation_that_everybody_knows_is_a_notion(request_: str) -> None:
    assert rule(request_) == "factual"


@pytest.mark.parametrize(
    "name", ["_GREETING", "_GREETING_ZH", "_SMALL_TALK", "_SMALL_TALK_ZH", "_IDENTITY", "_IDENTITY_ZH"]
)
def test_no_closed_phrase_is_cut_short_by_another(name: str) -> None:
    phrases = filter(None, map(str.strip, re.split(r"[|\n]", getattr(chat, name))))
    assert [phrase for phrase in phrases if ROUTER.decide(phrase).route is not Route.DIRECT_CHAT] == []


# --- the configured data


def test_a_word_of_the_configured_data_goes_to_react() -> None:
    assert rule("What is a photon?") == "factual"
    router = Router(data_words={"photon", "dark matter", "光子"})
    for request in ("What is a photon?", "what are PHOTONS", "Was sind Photonen?", "what is dark matter", "什么是光子"):
        assert router.decide(request).rule == "data", request


def test_a_compound_of_a_data_word_goes_to_react() -> None:
    assert rule("Was ist ein Gaszähler?") == "factual"
    decision = Router(data_words={"zaehler"}).decide("Was ist ein Gaszähler?")
    assert (decision.rule, decision.words) == ("data", ("Gaszähler",))


def test_a_data_word_does_not_make_a_greeting_a_question() -> None:
    assert rule("Guten Tag", Router(data_words={"tag", "morgen"})) == "greeting"


def trustee() -> OntologyDescriptor:
    ontology = get_feature("trustee").ontology
    assert ontology is not None
    return ontology()


def test_an_ontology_gives_names_parts_labels_synonyms_and_groups() -> None:
    words = ontology_words(trustee())
    named = {"trusteedataaccount", "closing balance", "balance", "journal", "kontosaldo", "cost centre", "客户", "折旧"}
    assert named <= words
    assert not {"id", "name", "type", "is", "data", "by", "名称"} & words


def test_abschreibung_is_data_where_the_ontology_has_it() -> None:
    assert rule("Was bedeutet Abschreibung?", Router(data_words=ontology_words(trustee()))) == "data"


def test_the_words_of_tables_without_an_ontology(tmp_path: Path) -> None:
    path = tmp_path / "turbine_parts.csv"
    path.write_text("rotor_pitch,bladeLength,id,羽片\n1,2,3,4\n", encoding="utf-8")
    tools = open_tables(path)
    try:
        words = data_words(tools.catalog)
    finally:
        tools.close()
    assert {"turbine", "rotor pitch", "rotor", "blade length", "bladelength", "羽片"} <= words
    assert "id" not in words
    router = Router(data_words=words)
    for request in ("What are rotors?", "what is blade length", "什么是羽片", "Was ist eine Turbine?"):
        assert router.decide(request).rule == "data", request


# --- translations


@each(
    "request_",
    [
        'Translate "the current server table" to German', "Übersetze ins Englische: Der aktuelle Umsatz ist gesunken.", "把“当前服务器”翻译成英文",
        "translate good morning to French", "Übersetze Rechnung ins Englische", "把今天天气很好翻译成英文", "How do you say invoice in German?",
        "Was heisst server auf Chinesisch?", "订单用英语怎么说", "Translate into English:\n\nSehr geehrte Damen und Herren\nUnser Konto ist leer.",
    ],
)  # fmt: skip
def test_the_words_of_a_given_text_do_not_count(request_: str) -> None:
    assert rule(request_) == "translation"


@each(
    "request_",
    [
        "translate the last report", "Übersetze die Tabelle", "translate this", "translate it to German", "Übersetze das ins Englische", "翻译这份合同",
        "translate row 5", "übersetze Produktbeschreibungen ins Englische", "把产品描述都翻译成英文", "translate into German", "翻译成英文", "translate", "Übersetze bericht.docx ins Englische", "translate to German: https://example.com/a",
        "translate hello to French and then list the orders", "translate what Bob wrote to German", "translate all notes to English",
        'translate "hello" to German and show "orders" to English', "Translate to German: hello. And show me all orders.",
    ],
)  # fmt: skip
def test_a_text_that_is_only_named_goes_to_react(request_: str) -> None:
    assert ROUTER.decide(request_).route is Route.REACT


# --- any text at all

HARD = [
    "hi ", "hi, ", "what is ", "a", " ", "\n", "(", "((1+", "1+", "1 ", "1,", "1.1", "-", "\"", "“", "translate ", "translate: ", "是什么", "什么是", "翻译", "把", "和",
    "please ", "请", "danke. ", "erkläre mir ", "bitte mal kurz ", "was ist ", "/", "/a", "x ", "ä", "\u0308", "İ", "\x00", "\ud800", "的", "最", " in german", "?", "...", "，",
    "this text the ", "\"a\" ", "und ", "what is x and ", "how do you say ", "aus", "=",
]  # fmt: skip


@settings(max_examples=300)
@given(st.text(max_size=400))
@example("İ" * 10 + " current")
@example("\ud800 current \ud800")
def test_any_text_gets_a_decision(text: str) -> None:
    decision = ROUTER.decide(text)
    assert decision.route in Route
    assert all(word in text for word in decision.words)
    assert (decision.skill is not None) == (decision.route is Route.SKILL)
    assert (decision.expression is not None) == (decision.rule == "arithmetic")
    assert decision == ROUTER.decide(text)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(HARD), min_size=1, max_size=4), st.integers(1, 40))
def test_any_mixture_of_hard_pieces_gets_a_decision(pieces: list[str], times: int) -> None:
    text = "".join(pieces) * times
    assert all(word in text for word in ROUTER.decide(text).words)


@each("piece", HARD)
def test_time_grows_with_the_length_and_no_faster(piece: str) -> None:
    # Just under and far over the lengths where rules stop reading.
    for size in (4_000, 20_000):
        assert is_linear(lambda length: partial(ROUTER.decide, piece * (length // len(piece))), size, size)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(HARD), min_size=1, max_size=3),
    st.sampled_from(["translate ", "what is ", "翻译", "1+", "把", ""]),
)
def test_a_repeated_mixture_is_linear(pieces: list[str], head: str) -> None:
    piece = "".join(pieces)
    assert is_linear(lambda size: partial(ROUTER.decide, head + piece * (size // len(piece))), 4_500, 4_500)


@each("head", ["translate", "翻译", "把", "what is", "explain me", "was ist", "1 +", "calculate", "how do you say"])
@each("piece", [" ", "a\n", "\n", "的", "和", ", ", "the following text ", "'"])
def test_a_form_with_a_long_middle_is_linear(head: str, piece: str) -> None:
    assert is_linear(
        lambda size: partial(ROUTER.decide, f"{head} {piece * (size // len(piece))}x to german"), 4_500, 4_500
    )


def test_a_request_of_a_megabyte_goes_to_react() -> None:
    for piece in ("a", "你", "hello ", "translate hello to Chinese "):
        assert ROUTER.decide(piece * (1_000_000 // len(piece))).route is Route.REACT


def test_a_decision_cannot_be_changed() -> None:
    decision = ROUTER.decide("Hallo")
    with pytest.raises(ValidationError):
        decision.route = Route.REACT  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Decision(route=Route.REACT, rule="default", text="", other=1)  # type: ignore[call-arg]


def test_decisions_keep_their_form_on_the_wire() -> None:
    assert ROUTER.decide("1+1=").model_dump(mode="json") == {
        "route": "DIRECT_CHAT",
        "rule": "arithmetic",
        "words": ["1+1"],
        "skill": None,
        "text": "1+1=",
        "expression": "1 + 1",
    }
