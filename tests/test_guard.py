"""The guard: one case file per check, a labelled set of answers, and that it fails closed whatever happens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from case_files import read_yaml
from each_case import each
from growth import is_linear
from veracity.errors import UsageError
from veracity.grounding import guard
from veracity.grounding.checked_answer import CheckedAnswer
from veracity.grounding.config import RULES, GuardConfig, guard_for, load_guard
from veracity.grounding.contracts import (
    DeclaredClaim,
    Finding,
    GroundedColumn,
    GroundedResult,
    GroundRequest,
    Severity,
    TraceStep,
    Verdict,
)
from veracity.grounding.events import GuardEvent
from veracity.grounding.guard import CHECKS, MAX_ANSWER, ground, judge, read_request
from veracity.grounding.messages import held_back, prompt_rules
from veracity.language.locale import LANGUAGES
from veracity.settings import Settings
from veracity.wire import Wire

CASES = Path(__file__).parent / "cases"
ACCOUNTS = [
    {
        "id": "r1",
        "columns": ["accountNumber", {"name": "balance", "label": "Saldo", "unit": "CHF"}],
        "key": "accountNumber",
        "rows": [["1020", Decimal("152400.00")], ["1100", Decimal("64820.15")]],
    }
]


def load(name: str) -> Any:
    return read_yaml(CASES / name)


def load_cases() -> Iterator[Any]:
    for check in CHECKS:
        for case in load(f"guard_{check.__name__}.yaml"):
            yield pytest.param(check, case, id=f"{check.__name__}: {case['why']}")


def case_of(case: dict[str, Any]) -> CheckedAnswer:
    keys = ("question", "answer", "locale", "results", "trace", "claims")
    request = GroundRequest.model_validate({key: case[key] for key in keys if key in case})
    read = read_request(request, GuardConfig.model_validate(case.get("config", {})))
    assert isinstance(read, CheckedAnswer), read
    return read


# --- one case file per check


def test_every_check_has_a_case_file_with_both_outcomes() -> None:
    files = {path.stem for path in CASES.glob("guard_*.yaml")} - {"guard_answers"}
    assert files == {f"guard_{check.__name__}" for check in CHECKS}
    for name in files:
        assert {"found" in case for case in load(f"{name}.yaml")} == {True, False}, name


@each(("check", "case"), list(load_cases()))
def test_case(check: guard.Check, case: dict[str, Any]) -> None:
    read = case_of(case)
    found = list(check(read))
    if read.config.whitelist and not case.get("found"):
        assert judge(read).verdict == "pass"
        return
    expected = case.get("found", [])
    assert [one.rule for one in found] == [one["rule"] for one in expected], found
    for one, wanted in zip(found, expected, strict=True):
        assert one.text.startswith(wanted.get("text", ""))
        assert wanted.get("says", "") in one.message
        assert wanted.get("suggestion", "") in (one.suggestion or "")
        if one.span is not None:
            assert read.text[slice(*one.span)].startswith(one.text)


# --- the labelled answers

ANSWERS = load("guard_answers.yaml")
MOST_ALARMS, MOST_MISSES = 0.04, 0.02


def verdict_on(one: dict[str, Any]) -> Verdict:
    results = ANSWERS["results"][one["data"]] if isinstance(one["data"], str) else one["data"]
    steps = one.get("trace")
    trace = None if steps is None else [{"tool": t, "sourceKind": k, "status": s} for t, k, s in steps]
    return ground(one["a"], results, question=one["q"], trace=trace)


def test_labelled_answers_are_told_apart() -> None:
    verdicts = [(one, verdict_on(one)) for one in ANSWERS["answers"]]
    alarms = [(one["a"], v.findings) for one, v in verdicts if not one["made_up"] and v.verdict == "block"]
    misses = [one["a"] for one, v in verdicts if one["made_up"] and v.verdict == "pass"]
    innocent = sum(not one["made_up"] for one in ANSWERS["answers"])
    made_up = len(ANSWERS["answers"]) - innocent
    assert (innocent, made_up) >= (150, 120)
    assert len(alarms) <= MOST_ALARMS * innocent, alarms
    assert len(misses) <= MOST_MISSES * made_up, misses


def test_every_blocked_answer_has_a_plain_message_that_repeats_nothing() -> None:
    for one in ANSWERS["answers"]:
        verdict = verdict_on(one)
        assert (verdict.message != "") == (verdict.verdict == "block")
        for found in verdict.findings:
            assert found.text == "" or len(found.text) < 3 or found.text not in verdict.message


# --- the verdict


def test_seed_case_is_blocked_with_a_helpful_word_in_chinese() -> None:
    verdict = ground("用户列表：\n- 用户1\n- 用户2\n- 用户3", question="列出所有的用户", trace=[])
    assert verdict.verdict == "block"
    assert {one.rule for one in verdict.findings} == {"required_tools", "placeholder"}
    assert "没有查询过数据源" in verdict.message
    assert "请再问一次" in verdict.message


def test_figures_carry_their_cells() -> None:
    verdict = ground("Account 1020 has a balance of CHF 152,400.00.", ACCOUNTS)
    assert verdict.verdict == "pass"
    assert [(one.text, one.status) for one in verdict.provenance] == [("1020", "bound"), ("152,400.00", "bound")]
    assert verdict.provenance[1].args[0].raw == "152400.00"


def test_message_is_in_the_language_of_the_question_and_figures_in_the_locale() -> None:
    said = "Der Saldo von Konto 1020 beträgt 152'000.00 CHF."
    verdict = ground(said, ACCOUNTS, question="What is the balance?", locale="de-CH")
    assert verdict.message == held_back("unbound_figure", "en")
    assert "152'400" in (verdict.findings[0].suggestion or "")
    assert ground(said, ACCOUNTS).message == held_back("unbound_figure", "de")


def test_template_is_computed_and_its_text_returned() -> None:
    verdict = ground("Bank: {{ r1[accountNumber='1020'].balance }} CHF", ACCOUNTS, question="Saldo?", locale="de-CH")
    assert (verdict.verdict, verdict.answer) == ("pass", "Bank: 152'400.00 CHF")
    assert verdict.provenance[0].expression == "r1[accountNumber='1020'].balance"
    assert ground("Nothing to compute.", ACCOUNTS).answer is None


@pytest.mark.parametrize(
    "template", ["{{ r9[0].x }}", "{{ sum(r1.balance) ", "{{ r1[0].balance }} and 17 more", "{{ }}"]
)
def test_template_that_cannot_be_computed_blocks(template: str) -> None:
    verdict = ground(template, ACCOUNTS)
    assert (verdict.verdict, [one.rule for one in verdict.findings]) == ("block", ["expression"])


def test_lenient_mode_warns_of_what_could_be_several_cells() -> None:
    rows = [["a", 5, 7], ["b", 5, 9]]
    results = [{"id": "r1", "columns": ["name", "x", "y"], "rows": rows}]
    strict = ground("The value is 5.", results)
    assert [one.rule for one in strict.findings] == ["ambiguous_figure"]
    assert strict.verdict == "block"
    lenient = ground("The value is 5.", results, config=GuardConfig(mode="lenient"))
    assert lenient.verdict == "pass"
    assert [one.severity for one in lenient.findings] == [Severity.WARN]
    assert lenient.message == ""


def test_of_two_findings_about_the_same_words_the_first_is_kept() -> None:
    verdict = ground("The best user is User 7.", ACCOUNTS)
    assert [one.rule for one in verdict.findings] == ["placeholder"]


def test_a_warning_never_hides_what_blocks() -> None:
    verdict = ground("The best user is User 7.", ACCOUNTS, config=GuardConfig(warn=("placeholder",)))
    assert verdict.verdict == "block"
    assert [(one.rule, one.severity) for one in verdict.findings] == [
        ("placeholder", Severity.WARN),
        ("unbound_figure", Severity.BLOCK),
    ]


@pytest.mark.parametrize("answer", ["", "  \n ", "x" * (MAX_ANSWER + 1)])
def test_no_readable_answer_blocks(answer: str) -> None:
    verdict = ground(answer, ACCOUNTS, question="Wie viel?")
    assert (verdict.verdict, verdict.message) == ("block", held_back("no_answer", "de"))


def test_proven_figures_are_not_bound_again() -> None:
    request = GroundRequest.model_validate({"answer": "Bank: {{ r1[0].balance }}", "results": ACCOUNTS})
    case = read_request(request)
    assert isinstance(case, CheckedAnswer)
    assert case.bound == ()
    assert case.provenance == case.proven
    assert judge(case).provenance == case.proven


def test_plain_dictionaries_and_models_are_the_same() -> None:
    request = GroundRequest.model_validate({"answer": "Account 1020 holds 152400", "results": ACCOUNTS, "trace": []})
    assert ground(request.answer, request.results, trace=request.trace) == ground(
        "Account 1020 holds 152400", ACCOUNTS, trace=[]
    )


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"results": [{"id": "r1", "columns": ["a"], "rows": [[1, 2]]}]}, "has 2 cells for 1 columns"),
        ({"results": [{"id": "r1", "rows": []}]}, "results.0.columns: this key is needed"),
        ({"results": [{"id": "r1", "columns": ["a"], "rows": [], "x": 1}]}, "there is no such key"),
        ({"trace": [{"tool": "query", "status": "perhaps"}]}, "trace.0.status"),
        ({"locale": "fr"}, "locale: write one of de, en, zh"),
        ({"claims": [{"text": "5"}]}, "claims.0.expression"),
    ],
)
def test_what_is_given_in_a_wrong_form_is_one_sentence(given_: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        ground("x", given_.pop("results", ()), **given_)
    assert said in str(caught.value)
    assert str(caught.value).endswith(".")


# --- it fails closed


@pytest.mark.parametrize("number", range(len(CHECKS)))
def test_check_that_breaks_off_blocks_and_is_logged(
    number: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_case: CheckedAnswer) -> Iterator[Finding]:
        raise ZeroDivisionError("secret row")
        yield

    checks = [*CHECKS]
    checks[number] = broken
    monkeypatch.setattr(guard, "CHECKS", tuple(checks))
    verdict = ground("Account 1020 has a balance of CHF 152,400.00.", ACCOUNTS)
    assert verdict.verdict == "block"
    assert verdict.message == held_back("internal_error", "en")
    assert [(one.rule, one.severity) for one in verdict.findings] == [("internal_error", Severity.BLOCK)]
    assert "ZeroDivisionError" in verdict.findings[0].message
    assert "secret" not in verdict.model_dump_json()
    assert "broke off" in caplog.text


def test_binding_that_breaks_off_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: Any, **_kwargs: Any) -> Any:
        raise RecursionError

    monkeypatch.setattr("veracity.grounding.checked_answer.bind_page", broken)
    verdict = ground("Hello.", ACCOUNTS, question="Hi", trace=[])
    assert verdict.verdict == "block"
    assert verdict.provenance == ()
    assert {one.rule for one in verdict.findings} == {"internal_error"}


def test_internal_errors_cannot_be_turned_into_warnings() -> None:
    with pytest.raises(ValueError, match="no rule 'internal_error'"):
        GuardConfig(warn=("internal_error",))


SIGNS = "ab用户客1209 .,、:：-*|\n\"“”()[]{}<>@/+%'’CHFUserKunde?？。！!\x00\ud800\u202eÄß①"


@settings(max_examples=150, deadline=None)
@given(st.text(SIGNS, max_size=120), st.text(SIGNS, max_size=30), st.booleans())
def test_no_text_breaks_the_guard(answer: str, question: str, called: bool) -> None:
    verdict = ground(answer, ACCOUNTS, question=question, trace=None if called else [])
    assert not [one for one in verdict.findings if one.rule == "internal_error"]
    for one in verdict.findings:
        assert one.span is None or 0 <= one.span[0] < one.span[1] <= len(verdict.answer or answer)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.none() | st.text(SIGNS, max_size=12) | st.integers(-9, 99), min_size=2, max_size=2), max_size=5
    )
)
def test_no_result_breaks_the_guard(rows: list[list[Any]]) -> None:
    results = [{"id": "r1", "columns": ["name", "n"], "rows": rows}]
    answer = "There are 3 users:\n- Meier: 0\n- Keller: unknown\n- User 1 (no n is recorded)"
    assert not [one for one in ground(answer, results).findings if one.rule == "internal_error"]


@each(
    "unit",
    [
        "用户1、",
        "- a: 5\n",
        "[x",
        '"A B',
        "| a |\n|-|\n",
        "1. ",
        "A B C ",
        "没有",
        "https://",
        "有",
        "@a.",
        "Müller AG ",
    ],
)
def test_cost_grows_with_the_text_only(unit: str) -> None:
    assert is_linear(lambda length: partial(ground, (unit * length)[:length], ACCOUNTS), 500, 4_000)


# --- messages and rules


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_rule_has_a_plain_message_in_every_language(lang: str) -> None:
    for rule in RULES:
        text = held_back(rule, lang)
        assert text
        assert not any(word in text for word in ("{", "NULL", "SQL", "Traceback", "unbound", "tool"))
        assert sum(text.count(end) for end in ".。；;！") >= 2, f"{rule}: what to do is missing"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", ["sql", "file", "table"])
def test_prompt_rules_name_the_tools_and_one_example(lang: str, kind: Any) -> None:
    text = prompt_rules(lang, kind)
    tools = {"sql": "execute_sql_safe", "file": "analyze_dataframe", "table": "aggregateTable"}
    assert tools[kind] in text
    assert text.count("Keller") == 2
    assert "{" not in text.replace('{"tableName": "users", "fields": ["name"]}', "")
    assert len(text) < 1_200


# --- the config file


def test_config_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "guard.yaml"
    path.write_text(
        "mode: lenient\nwhitelist: [Store *]\nknown_names: Brunner AG\nconstants: {vat: 8.1}\n", encoding="utf-8"
    )
    config = load_guard(path)
    assert (config.mode, config.whitelist, config.known_names) == ("lenient", ("Store *",), ("Brunner AG",))
    assert config.constants == {"vat": Decimal("8.1")}
    assert load_guard(_written(tmp_path, "")) == GuardConfig()


def _written(folder: Path, text: str) -> Path:
    path = folder / "other.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("whitlist: [a]", "there is no setting 'whitlist'; did you mean whitelist"),
        ("- a", "needs names such as whitelist: at the top"),
        ("whitelist: [*a]", "not valid YAML"),
        ("whitelist: ['*']", "whitelist.0: a pattern needs a word beside its *"),
        ("mode: loose", "mode: input should be 'strict' or 'lenient'"),
        ("warn: [placeholders]", "there is no rule 'placeholders' to warn about"),
        ("constants: {a: many}", "constants.a"),
        ("known_names: ['']", "known_names.0: a text of 1 to 200 characters"),
    ],
)
def test_config_file_that_is_wrong_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_guard(_written(tmp_path, text))
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path))
    assert str(caught.value).endswith(".")


def test_config_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be read: no such file or directory\.$"):
        load_guard(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes("whitelist: [Müller]".encode("latin-1"))
    with pytest.raises(UsageError, match="UTF-8"):
        load_guard(tmp_path / "latin.yaml")


def test_config_is_found_in_the_data_folder(tmp_path: Path) -> None:
    settings_ = Settings(home=tmp_path)
    assert guard_for(None, settings_) == GuardConfig()
    (tmp_path / "guard.yaml").write_text("mode: lenient", encoding="utf-8")
    assert guard_for(None, settings_).mode == "lenient"
    assert guard_for(_written(tmp_path, "mode: strict"), settings_).mode == "strict"


def test_verdict_is_the_json_of_the_issue() -> None:
    said = json.loads(ground("User 1", trace=[]).model_dump_json())
    assert set(said) == {"verdict", "message", "findings", "provenance", "support", "sentences"}
    assert set(said["findings"][0]) == {"rule", "span", "text", "message", "suggestion", "severity"}


@pytest.mark.parametrize(
    ("contract", "keys"),
    [
        (GroundRequest, "question answer locale results trace claims strict"),
        (GroundedResult, "id columns rows key truncated caption"),
        (GroundedColumn, "name label synonyms unit scale"),
        (TraceStep, "tool sourceId sourceKind status result"),
        (DeclaredClaim, "text expression"),
        (Finding, "rule span text message suggestion severity"),
        (Verdict, "verdict message findings provenance support sentences answer"),
        (GuardEvent, "eventId at question rule span text model outcome traceId falseAlarm"),
    ],
)
def test_contract_has_these_keys(contract: type[Wire], keys: str) -> None:
    assert [field.alias for field in contract.model_fields.values()] == keys.split()


# --- three verdicts, and corrections that hold

STORES = ["store,manager,sqm\nZurich,Nadia Keller,820\nBasel,Marco Rossi,570\nBern,Peter Graf,430"]


def test_every_sentence_that_states_data_has_one_of_three_verdicts() -> None:
    verdict = ground("Hello! Zurich has 820 sqm. Basel has 430 sqm. Thomas Weber visited Bern.", STORES)
    assert [one.support for one in verdict.sentences] == ["supported", "contradicted", "not_checkable"]
    assert (verdict.verdict, verdict.support) == ("block", "contradicted")


def test_what_cannot_be_checked_is_marked_and_blocks_only_when_strict() -> None:
    marked = ground("Thomas Weber visited Bern.", STORES)
    assert (marked.verdict, marked.support) == ("pass", "not_checkable")
    assert [(one.rule, one.severity) for one in marked.findings] == [("not_checkable", Severity.WARN)]
    assert ground("Thomas Weber visited Bern.", STORES, strict=True).verdict == "block"
    assert ground("Hello, how can I help?", STORES, strict=True).verdict == "pass"


def test_a_correction_is_offered_only_where_following_it_is_verified() -> None:
    found = ground("Basel has 600 sqm.", STORES).findings[0]
    assert found.suggestion == "Write 570."
    assert ground("Basel has 570 sqm.", STORES).verdict == "pass"
    population = ['year,population,"rural, %","urban, %"\n1990,14685,46,54\n2000,15200,40,60']
    assert ground("In 1990 the urban population was 54 %.", population).verdict == "pass"
    season = ground("Basel has 600 sqm on average over the last five years.", STORES).findings
    assert all("Write" not in (one.suggestion or "") for one in season)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["Zurich", "Basel", "Bern"]), st.sampled_from(["Nadia Keller", "Marco Rossi", "Peter Graf"]))
def test_a_text_cell_is_tied_to_its_row(store: str, manager: str) -> None:
    right = (store, manager) in {("Zurich", "Nadia Keller"), ("Basel", "Marco Rossi"), ("Bern", "Peter Graf")}
    for said in (f"{manager} manages {store}.", f"- {store}: {manager}", f"The manager of {store} is {manager}."):
        assert (ground(said, STORES).verdict == "pass") == right, said
