"""The rules of requirements: every rule with its cases, the exemptions, and whatever a document may hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from case_files import read_yaml
from each_case import each
from veracity.requirements.contracts import (
    RULE_IDS,
    Judged,
    Lang,
    Place,
    Requirement,
    RequirementFinding,
    RuleSettings,
    WordListName,
)
from veracity.requirements.evaluate import DEFAULT_SETTINGS, judge
from veracity.requirements.quantities import measures_in
from veracity.requirements.rules import RULES
from veracity.requirements.rules.phrases import PhraseList, folded, word_list, word_set, words_in
from veracity.requirements.rules.quotes import quotations, shadow_of
from veracity.requirements.rules.requirement_text import MOST_CHARACTERS, language_of

CASES = Path(__file__).parent / "cases" / "requirements"
KEYS = {"why", "text", "found", "lang", "settings", "repeat"}


def cases_of(rule: str) -> list[dict[str, Any]]:
    loaded = read_yaml(CASES / f"{rule.lower()}.yaml")
    assert isinstance(loaded, list)
    return loaded


def judged(text: str, lang: Lang | None = None, **changes: Any) -> Judged:
    requirement = Requirement(id="R-1", text=text, place=Place(path="reqs.md", line=1), lang=lang)
    return judge(requirement, RuleSettings.model_validate(changes) if changes else DEFAULT_SETTINGS)


def found_in(text: str, rule: str, lang: Lang | None = None, **changes: Any) -> list[str]:
    return [finding.text for finding in judged(text, lang, **changes).findings if finding.rule == rule]


EVERY_CASE = [pytest.param(rule, case, id=f"{rule}: {case['why']}") for rule in RULE_IDS for case in cases_of(rule)]


@each(("rule", "case"), EVERY_CASE)
def test_rule_finds_what_its_case_says(rule: str, case: dict[str, Any]) -> None:
    assert set(case) <= KEYS, "a comma without quotes cuts a text off"
    text = case["text"] * case.get("repeat", 1)
    assert found_in(text, rule, case.get("lang"), **case.get("settings", {})) == case.get("found", [])


def test_every_rule_has_its_place_its_name_and_cases_of_both_sorts() -> None:
    assert sorted(rule.id for rule in RULES) == sorted(RULE_IDS)
    assert sorted(path.stem.upper() for path in CASES.glob("*.yaml")) == sorted(RULE_IDS)
    for rule in RULES:
        assert any(case.get("found") for case in cases_of(rule.id)), rule.id
        assert any(not case.get("found") for case in cases_of(rule.id)), rule.id


def test_every_rule_speaks_both_languages() -> None:
    for rule in RULES:
        for said in (rule.info.message, rule.info.suggestion):
            assert set(said) == {"de", "en"}
            assert said["de"] != said["en"]


def test_hints_weigh_nothing_and_the_rest_weighs_something() -> None:
    free = {rule.id for rule in RULES if not any(rule.info.weights.model_dump().values())}
    assert free == {"NEG", "ABS", "PRON", "WEAKVERB"}


def test_a_word_stands_in_one_of_the_vague_lists_only() -> None:
    for lang in get_args(Lang):
        assert not word_set("vague", lang) & word_set("vague_context", lang)
        assert word_set("not_a_quality", lang) <= word_set("vague", lang)
        assert word_set("stands_alone", lang) <= word_set("vague_context", lang)


@each("name", get_args(WordListName))
@each("lang", get_args(Lang))
def test_every_entry_of_every_list_can_be_found(name: WordListName, lang: Lang) -> None:
    phrases = PhraseList(word_list(name, lang))
    for entry in word_list(name, lang):
        text = entry.rstrip("~").replace("*", "x")
        assert phrases.find(text, words_in(text)), entry


@pytest.mark.parametrize("lang", get_args(Lang))
def test_a_harmless_phrase_holds_a_word_of_the_lists(lang: Lang) -> None:
    known = PhraseList(
        entry for name in ("vague", "vague_context", "comparative", "superlative") for entry in word_list(name, lang)
    )
    for phrase in word_list("harmless", lang):
        text = phrase.rstrip("~")
        assert known.find(text, words_in(text)), phrase


# --- exemptions


QUOTES = [("„", "“"), ('"', '"'), ("“", "”"), ("«", "»"), ("»", "«"), ("‚", "‘"), ("'", "'"), ("`", "`")]


@pytest.mark.parametrize(("opening", "closing"), QUOTES)
def test_quoted_text_is_never_scored(opening: str, closing: str) -> None:
    said = f"Das System muss {opening}ggf. nicht korrekt, einfach, TBD usw.{closing} anzeigen."
    assert judged(said).findings == ()
    assert judged(said).evaluation.score == 1.0
    bare = "Das System muss ggf. nicht korrekt, einfach, TBD usw. anzeigen."
    assert {finding.rule for finding in judged(bare).findings} >= {"ESCAPE", "VAGUE", "TBD", "OPEN"}


def test_sein_is_a_verb_and_es_is_no_pronoun_problem() -> None:
    assert found_in("Für den Nutzer und den Kunden muss es möglich sein, zu drucken.", "PRON") == []


def test_words_belong_to_a_language() -> None:
    assert found_in("The gut, the war and the die must fast.", "VAGUE", "en") == ["fast"]
    assert found_in("Die Suche muss fast immer und gut antworten.", "VAGUE", "de") == ["fast", "gut"]


@each(
    ("text", "lang"),
    [
        ("Video-Wasserzeichen für Urheberrecht", "de"),
        ("Wasserzeichen in Videos einfügen", "de"),
        ("Benutzerverwaltung", "de"),
        ("Passwort ändern", "de"),
        ("System soll skalierbar sein", "de"),
        ("Verfügbarkeit", "de"),
        ("Login mit Fingerabdruck", "de"),
        ("Export as PDF", "en"),
        ("User management", "en"),
        ("Password reset by email", "en"),
        ("The Kunde shall receive a mail.", "en"),
        ("Das Dashboard muss den Login-Button im Header anzeigen", "de"),
        ("Error handling", "en"),
        ("Füge User Story Format hinzu", "de"),
        ("The user's Zürich account shall be shown.", "en"),
        ("User-Management öffnen", "de"),
        ("", "en"),
    ],
)
def test_language_of_a_requirement(text: str, lang: str) -> None:
    assert language_of(text) == lang
    assert language_of(text, words_in(text)) == lang, "whoever knows the words already finds the same language"


def test_the_language_can_be_set() -> None:
    title = Requirement(id="R-1", text="Login per SSO", place=Place(path="reqs.md"))
    assert judge(title).requirement.lang == "en"
    assert judge(title, RuleSettings(lang="de")).requirement.lang == "de"
    assert judge(title.model_copy(update={"lang": "en"}), RuleSettings(lang="de")).requirement.lang == "en"


@each(
    ("text", "measured"),
    [
        ("weniger als 5 Arbeitsschritte", True),
        ("drei Versuche", True),
        ("three attempts", True),
        ("99,9 %", True),
        ("99.9%", True),
        ("<2s", True),
        ("≤ 200 ms", True),
        ("(P95)", True),
        ("10'000 Nutzer", True),
        ("EUR 500", True),
        ("höchstens 7", True),
        ("nach ISO 27001", True),
        ("EN 50128", True),
        ("Kapitel 3 beschreibt", False),
        ("HTTP 404 Antwort", False),
        ("REQ-12 gilt", False),
        ("UTF-8 Text", False),
        ("IPv6 Netz", False),
        ("Nr. 7 gilt", False),
        ("ein Versuch", False),
        ("ISOLIERT", False),
        ("5 und", False),
    ],
)
def test_a_number_with_what_it_counts_is_a_quantity(text: str, measured: bool) -> None:
    assert bool(measures_in(text, language_of(text))) is measured


@pytest.mark.parametrize("rule", ["VAGUE", "WEAKMODAL", "NEG", "PASSIVE", "ABS", "COMP", "SUP", "WEAKVERB"])
def test_nothing_in_a_condition_counts(rule: str) -> None:
    german = "Wenn alle Nutzer langsam sind, nicht zahlen können, mehr Daten unterstützen und gelöscht werden, muss das System die Seite drucken."
    english = "If all users can not pay, are slow, support more data or the best file is deleted, the system shall print the page."
    assert found_in(german, rule) == []
    assert found_in(english, rule) == []


def test_a_compound_with_hyphens_is_one_word() -> None:
    assert [word.text for word in words_in("nicht-blockierend, real-time, Schnell- und")] == [
        "nicht-blockierend",
        "real-time",
        "schnell-",
        "und",
    ]
    assert found_in("Das System muss nicht-blockierend lesen.", "NEG") == []
    assert found_in("The system shall report in real-time.", "VAGUE") == ["real-time"]


GERMAN_VAGUE = PhraseList(word_list("vague", "de"))
GERMAN_ADJECTIVES = [entry[:-1] for entry in word_list("vague", "de") if entry.endswith("~") and len(entry) > 5]


@given(st.sampled_from(GERMAN_ADJECTIVES), st.sampled_from(["", "e", "er", "es", "en", "em"]))
@settings(deadline=None)
def test_german_adjectives_are_known_with_every_ending_and_never_inside_of_a_word(stem: str, ending: str) -> None:
    form = (stem[:-2] + "l" if stem.endswith("el") and ending else stem.removesuffix("e")) + ending
    assert GERMAN_VAGUE.find(form, words_in(form))
    inside = f"Ver{form}ung"
    assert not GERMAN_VAGUE.find(inside, words_in(inside))


@pytest.mark.parametrize(("binding", "weak"), [(True, []), (False, ["soll"])])
def test_whether_soll_binds_is_up_to_the_project(binding: bool, weak: list[str]) -> None:
    text = "Das System soll Fehler melden."
    assert found_in(text, "WEAKMODAL", soll_is_binding=binding) == weak
    assert found_in("Das System sollte Fehler melden.", "WEAKMODAL", soll_is_binding=binding) == ["sollte"]


@pytest.mark.parametrize(
    "text",
    [
        "Das System muss Entwürfe speichern, damit der Nutzer nicht sofort fertig werden muss.",
        "The system shall save drafts so that users can always quickly and easily go on.",
    ],
)
def test_a_benefit_is_a_reason_and_not_a_demand(text: str) -> None:
    assert {finding.rule for finding in judged(text).findings} == {"BENEFITVAGUE"}


def test_what_the_glossary_defines_is_no_finding_in_any_case_or_number() -> None:
    text = "Im sicheren Modus muss das System die schnellen Läufe und die Schnellen Läufe zeigen."
    glossary = ["Sicherer Modus", "schneller Lauf"]
    assert found_in(text, "VAGUE") == ["sicheren", "schnellen"]
    assert found_in(text, "VAGUE", glossary=["sicherer Modus", "schnelle Läufe"]) == []
    assert found_in(text, "VAGUE", glossary=glossary) == ["schnellen"], "an umlaut in the plural is another stem"


# --- any text


PIECES = """muss schnell sein wenn damit und oder nicht TBD etc. z. B. usw. ggf. mehr als 5 s am besten wird werden , ; : . ! ?
    The system shall be fast and more reliable if possible so that it can't fail <role> [Name?] ... ??? % < > ≤ - 1. ( )
    „ “ " ' ` « » <!-- --> ä ß İ 系统 Als Nutzer möchte ich Given When Then"""
TEXTS = st.text(max_size=300) | st.lists(
    st.sampled_from([*PIECES.split(), "\n", "\n\n", "\x00", "\u0308", "\ud800"]), max_size=40
).map(" ".join)


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_any_text_can_be_judged_and_every_finding_stands_where_it_says(text: str) -> None:
    result = judged(text)
    for finding in result.findings:
        start, end = finding.span
        assert 0 <= start <= end <= len(text)
        assert text[start:end] == finding.text
        assert "{" not in finding.message.replace(finding.text, "")
    assert all(0 <= one.score <= 1 for one in result.evaluation.evaluation)


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_the_shadow_has_the_places_of_the_text(text: str) -> None:
    shadow = shadow_of(text, ())
    assert len(shadow) == len(text)
    assert all(one in (other, "\x00") for one, other in zip(shadow, text, strict=True))
    for start, end in quotations(text):
        assert shadow[start:end] == "\x00" * (end - start)


@given(st.text(alphabet=st.characters(exclude_characters="„“”\"«»‹›‚‘’'`\n"), max_size=60))
@settings(max_examples=200, deadline=None)
def test_nothing_that_is_quoted_is_found(inside: str) -> None:
    text = f"Das System muss „{inside}“ drucken."
    hidden = (text.index("„"), text.index("“"))
    found: list[RequirementFinding] = [f for f in judged(text, "de").findings if hidden[0] < f.span[0] < hidden[1]]
    assert found == []


@each(
    "piece", ["schnell 5 s. ", "wenn ", '"', "„", "<a", "[a ", "\n ", "1.1", "fast and ", "<!-- ", "veracity: ignore "]
)
def test_a_text_without_end_is_read_so_far_and_tells_no_more_than_helps(piece: str) -> None:
    result = judged(piece * 100_000)
    assert all(finding.span[1] <= MOST_CHARACTERS for finding in result.findings)
    for rule in RULE_IDS:
        assert sum(finding.rule == rule for finding in result.findings) <= 50


@given(st.text(max_size=30))
@settings(deadline=None)
def test_folding_twice_changes_nothing_more(word: str) -> None:
    assert folded(folded(word)) == folded(word)
