"""The quality gate: every check with its cases, strict and lenient, and whatever a model or a validator may do."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from case_files import read_yaml
from each_case import each
from veracity.language.folding import folded_text
from veracity.quality import (
    CHECKS,
    QualityGate,
    QualityResult,
    QualityRules,
    SkillContext,
    ValidatorRule,
    schema_problems,
)
from veracity.quality.phrases import folded, pattern_of
from veracity.skills.load import SkillLibrary, load_library

CASES = Path(__file__).parent / "cases" / "quality"
OWN_CHECKS = """
import asyncio, time

NUMBER = 7

class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError

def yes(output, context): return True
def nothing(output, context): return None
def no_text(output, context): return ""
def no_texts(output, context): return []
async def yes_later(output, context):
    await asyncio.sleep(0)
    return True
def one_text(output, context): return "Name a unit."
def two_texts(output, context): return ["Name a unit.", "Name a period."]
def no(output, context): return False
def raises(output, context): raise ValueError("no idea")
async def raises_later(output, context): raise KeyError("x")
def quits(output, context): raise SystemExit(0)
def raises_the_unspeakable(output, context): raise Unspeakable
def hangs(output, context): time.sleep(30)
async def hangs_later(output, context): await asyncio.sleep(30)
def takes_nothing(): return True
def a_number(output, context): return 42
def a_mapping(output, context): return {"fine": True}
def numbers(output, context): return [1, 2]
def spaces(output, context): return "   "
def wants_input(output, context):
    return True if output == context.input else f"The output is not the input of {context.skill}."
def changes(output, context):
    output.clear()
    context.keywords.clear()
    return True
"""


@pytest.fixture(autouse=True, scope="module")
def own_checks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Modules of validators that can be imported."""
    folder = tmp_path_factory.mktemp("validators")
    (folder / "own_checks.py").write_text(OWN_CHECKS)
    (folder / "broken_checks.py").write_text("1 / 0")
    (folder / "quitting_checks.py").write_text("raise SystemExit(0)")
    sys.path.insert(0, str(folder))
    yield
    sys.path.remove(str(folder))


def judged(output: Any, rules: QualityRules | None = None, context: SkillContext | None = None) -> QualityResult:
    return asyncio.run(QualityGate(rules).validate(output, context))


def cases() -> Iterator[Any]:
    for check in CHECKS:
        for case in read_yaml(CASES / f"{check.__name__}.yaml"):
            yield pytest.param(check.__name__, case, id=f"{check.__name__}: {case['why']}")


def context_of(case: Mapping[str, Any]) -> SkillContext | None:
    if "schema" in case:
        return SkillContext(skill="mine", output_schema=case["schema"])
    return SkillContext.model_validate(case["context"]) if "context" in case else None


@each(("check", "case"), list(cases()))
def test_check_finds_what_its_cases_say(check: str, case: dict[str, Any]) -> None:
    result = judged(case["output"], QualityRules.model_validate(case.get("rules", {})), context_of(case))
    errors = [one for one in result.findings if one.severity == "error"]
    warnings = [one for one in result.findings if one.severity == "warning"]
    for wanted, found in ((case.get("found", []), errors), (case.get("warned", []), warnings)):
        assert len(found) == len(wanted), result.findings
        assert [text for text in wanted if not any(text in one.message for one in found)] == []
    assert result.passed is case.get("passed", not errors)
    assert result.warnings == tuple(one.message for one in warnings)
    if case.get("only", True):
        assert {one.check for one in result.findings} <= {check}
    for message in (one.message for one in result.findings if one.check != "validators"):
        assert message.endswith(".")
        assert "; " in message, "what is wrong; what to do"
        assert "\n" not in message


def test_there_is_a_case_file_for_every_check() -> None:
    assert {check.__name__ for check in CHECKS} == {path.stem for path in CASES.glob("*.yaml")} - {"shipped_outputs"}


# --- the whole gate


def test_all_findings_are_told_and_not_only_the_first() -> None:
    rules = QualityRules(required_fields=("verdict",), max_length=30, forbidden=("weather",), language="de")
    context = SkillContext(skill="mine", keywords={"en": ("code",)})
    result = judged({"summary": "The weather is fine and the birds are singing."}, rules, context)
    assert [one.check for one in result.findings] == [
        "required_fields",
        "length",
        "forbidden",
        "language",
        "skill_match",
    ]


def test_a_field_that_two_checks_miss_is_told_once() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    result = judged({"b": "x"}, QualityRules(required_fields=("a",)), SkillContext(skill="mine", output_schema=schema))
    assert [one.message for one in result.findings] == ["The field “a” is missing; add it."]


def test_without_a_context_nothing_is_known_of_the_skill() -> None:
    assert judged("The weather is fine.") == QualityResult(passed=True)


def test_skill_match_alone_never_blocks() -> None:
    context = SkillContext(skill="mine", keywords={"en": ("code",)}, others={"other": {"en": ("weather",)}})
    result = judged("The weather is fine and the birds are singing.", None, context)
    assert result.passed
    assert len(result.warnings) == 2


def test_a_result_has_these_keys() -> None:
    result = judged("")
    assert list(result.model_dump()) == ["passed", "warnings", "findings", "repaired"]
    assert list(result.findings[0].model_dump()) == ["check", "severity", "message"]


def test_many_findings_of_one_check_are_bounded() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}
    result = judged({"a": ["x"] * 500}, None, SkillContext(skill="mine", output_schema=schema))
    assert len(result.findings) == 20
    assert result.findings[-1].message == "There are 481 more findings of this kind; mend them, too."


@pytest.mark.parametrize("output", [None, 7, ["a text"], b"bytes"])
def test_what_is_neither_text_nor_fields_does_not_pass(output: Any) -> None:
    result = judged(output)
    assert not result.passed
    assert "neither a text nor fields" in result.findings[0].message


def test_a_check_that_breaks_off_fails_the_output(monkeypatch: pytest.MonkeyPatch) -> None:
    async def breaks(_case: object) -> list[Any]:
        raise LookupError("bug")

    monkeypatch.setattr("veracity.quality.gate.CHECKS", (breaks,))
    result = judged("fine")
    assert not result.passed
    assert result.findings[0].message == "The check breaks broke off with LookupError; report it."


# --- validators


def test_a_hanging_validator_keeps_nothing_waiting() -> None:
    rules = QualityRules(validators=(ValidatorRule(path="own_checks:hangs", seconds=0.1),))
    started = time.monotonic()
    judged("good", rules)
    assert time.monotonic() - started < 15
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "quality")


def test_the_event_loop_goes_on_while_a_validator_works() -> None:
    async def both() -> int:
        rules = QualityRules(validators=(ValidatorRule(path="own_checks:hangs", seconds=0.3),))
        judging = asyncio.create_task(QualityGate(rules).validate("good"))
        turns = 0
        while not judging.done():
            await asyncio.sleep(0.01)
            turns += 1
        return turns

    assert asyncio.run(both()) > 3


def test_a_validator_cannot_change_what_goes_out() -> None:
    output, context = {"a": "text"}, SkillContext(skill="mine", keywords={"en": ("text",)})
    rules = QualityRules(validators=(ValidatorRule(path="own_checks:changes", mode="strict"),))
    assert judged(output, rules, context).passed
    assert output == {"a": "text"}
    assert context.keywords == {"en": ("text",)}


@pytest.mark.parametrize("path", ["", "module", "module.function", "module:", ":function", "a b:c", "a:b:c", "../a:b"])
def test_a_validator_needs_a_path_of_module_and_function(path: str) -> None:
    with pytest.raises(ValidationError):
        ValidatorRule(path=path)


# --- schemas


@each(
    ("schema", "where", "says"),
    [
        ({}, (), "the schema of an object is needed"),
        ({"type": "array", "items": {}}, (), "the schema of an object is needed"),
        ({"type": "object", "properties": {}}, (), "the schema of an object is needed"),
        ({"type": "object", "properties": {"a": {"type": "strin"}}}, ("properties", "a", "type"), "not valid"),
        ({"type": "object", "properties": {"a": {"minLength": "3"}}}, ("properties", "a", "minLength"), "not valid"),
        ({"type": "object", "properties": {"a": {"$ref": "http://x.example/y"}}}, ("properties", "a", "$ref"), "nowhere"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}}, ("properties", "a", "$ref"), "leads nowhere"),
        ({"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}}, ("properties", "a", "$ref"), "nowhere"),
        ({"type": "object", "properties": {"a": {"pattern": "(?=x)y"}}}, ("properties", "a", "pattern"), "simpler one"),
        ({"type": "object", "properties": {"a": {"patternProperties": {"^a": {}}}}}, ("properties", "a", "patternProperties"), "name the fields"),
    ],
)  # fmt: skip
def test_a_schema_that_cannot_be_used(schema: dict[str, Any], where: tuple[str, ...], says: str) -> None:
    [problem] = schema_problems(schema)
    assert problem.where == where
    assert says in problem.message


def test_a_schema_that_holds_itself_ends() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    schema["properties"]["a"] = schema
    assert "refers to itself" in next(schema_problems(schema)).message


def test_a_pattern_that_would_take_for_ever_takes_no_time() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
    assert list(schema_problems(schema)) == []
    started = time.monotonic()
    result = judged({"a": "a" * 5_000 + "!"}, None, SkillContext(skill="mine", output_schema=schema))
    assert time.monotonic() - started < 15
    assert "does not have the form" in result.findings[0].message


def test_a_schema_check_that_takes_too_long_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veracity.quality.gate._SCHEMA_SECONDS", 0.05)
    monkeypatch.setattr("veracity.quality.gate.schema_messages", lambda *_: time.sleep(30))
    schema = {"type": "object", "properties": {"a": {}}}
    result = judged({"a": "x"}, None, SkillContext(skill="mine", output_schema=schema))
    assert not result.passed
    assert "could not be checked within" in result.findings[0].message


# --- words


@each(
    ("phrase", "lang", "text", "occurs"),
    [
        ("review", "en", "Reviews", True),
        ("review", "en", "the review's end", True),
        ("review", "en", "reviewer", False),
        ("review", "en", "preview", False),
        ("review", "de", "Reviewer", False),
        ("fix", "en", "fixes", True),
        ("category", "en", "categories", True),
        ("category", "en", "categorical", False),
        ("day", "en", "days", True),
        ("it", "en", "its", False),
        ("Wettbewerber", "de", "den Wettbewerbern", True),
        ("Konkurrent", "de", "Konkurrenten", True),
        ("Ergebnis", "de", "Ergebnisse", True),
        ("Anforderung", "de", "Anforderungen", True),
        ("Ziel", "de", "zielen", True),
        ("Ziel", "de", "Zielgruppe", False),
        ("review", None, "reviews", False),
        ("SEO 优化", "zh", "做SEO优化", True),
        ("SEO优化", "zh", "SEO 优化", True),
        ("bug 检查", "zh", "debug 检查", False),
        ("优化", "zh", "搜索优化器", True),
        ("ＳＥＯ", "en", "seo", True),
        ("C++", "en", "in C++.", True),
        ("C++", "en", "in C.", False),
    ],
)
def test_whole_words_in_latin_scripts_and_any_place_in_chinese(
    phrase: str, lang: str | None, text: str, occurs: bool
) -> None:
    assert (pattern_of(phrase, lang).search(folded(text)) is not None) is occurs


def test_a_plain_list_of_keywords_is_sorted_by_script() -> None:
    context = SkillContext.model_validate({"skill": "mine", "keywords": ["SEO", "SEO 优化", "搜索"]})
    assert context.keywords == {"de": ("SEO",), "en": ("SEO",), "zh": ("SEO 优化", "搜索")}


@pytest.mark.parametrize(
    "keywords", [{"fr": ["mot"]}, {"en": [""]}, {"en": ["x" * 201]}, {"en": [7]}, 7, {"en": ["\u200b"]}]
)
def test_keywords_that_cannot_be_used(keywords: Any) -> None:
    with pytest.raises(ValidationError):
        SkillContext.model_validate({"skill": "mine", "keywords": keywords})


@given(st.text(max_size=200))
def test_long_texts_are_folded_as_short_ones(text: str) -> None:
    # Marks on anything but an umlaut are the one difference: they are taken away, not put together.
    plain = "".join(character for character in text if character.isascii() or character.isalpha())
    assert folded(plain).replace(" ", "") == "".join(map(folded_text, plain)).replace(" ", "")


# --- anything at all

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
OUTPUTS = st.text(max_size=300) | st.dictionaries(
    st.sampled_from(["summary", "findings", "n"]) | st.text(max_size=8), VALUES
)
WORDS = st.text(min_size=1, max_size=20).filter(lambda text: bool(folded(text).strip()))
SCHEMA = {
    "type": "object",
    "properties": {
        "summary": {"type": "string", "pattern": "^[a-z]+$"},
        "findings": {"type": "array", "items": {"type": "object", "required": ["problem"]}, "uniqueItems": True},
        "n": {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]},
    },
    "required": ["summary"],
    "additionalProperties": False,
}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    output=OUTPUTS,
    given_input=st.text(max_size=80),
    words=st.lists(WORDS, max_size=3),
    wanted=st.sampled_from([None, "input", "de", "zh"]),
    structured=st.booleans(),
)
def test_no_output_makes_a_check_raise_or_break_off(
    output: Any, given_input: str, words: list[str], wanted: Any, structured: bool
) -> None:
    rules = QualityRules(required_fields=("summary",), forbidden=tuple(words), language=wanted, max_length=100)
    by_language = dict.fromkeys(("de", "en", "zh"), tuple(words))
    context = SkillContext(
        skill="mine",
        keywords=by_language,
        others={"other": by_language},
        output_schema=SCHEMA if structured else None,
        input=given_input,
    )
    result = judged(output, rules, context)
    assert not any("broke off" in one.message for one in result.findings)
    assert result.passed is (not result.findings or {one.check for one in result.findings} == {"skill_match"})
    assert QualityResult.model_validate_json(result.model_dump_json()) == result


@settings(max_examples=50)
@given(WORDS, st.text(max_size=30), st.text(max_size=30))
def test_a_phrase_is_found_where_it_stands_by_itself(phrase: str, before: str, after: str) -> None:
    for lang in (None, "de", "en", "zh"):
        assert pattern_of(phrase, lang).search(folded(f"{before} . {phrase} . {after}"))


def test_fields_nested_too_deeply_are_a_finding() -> None:
    deep: dict[str, Any] = {"a": "end"}
    for _ in range(20_000):
        deep = {"a": deep}
    recursive = {"type": "object", "properties": {"a": {"$ref": "#"}}}
    assert not judged(deep, None, SkillContext(skill="mine", output_schema=recursive)).passed
    assert judged(deep).passed
    while deep:  # taken apart here: what is nested so deeply cannot be freed at once
        deep = deep["a"] if isinstance(deep["a"], dict) else {}


def test_fields_that_hold_themselves_end() -> None:
    loop: dict[str, Any] = {"a": "text"}
    loop["b"] = loop
    assert judged(loop).passed


@pytest.mark.parametrize(
    "text",
    [
        "review " * 150_000,
        "代码审查" * 250_000,
        "ü" * 1_000_000,
        "a\u0301" * 500_000,
        "`" * 1_000_000,
        "_review" * 140_000,
    ],
    ids=["words", "Chinese", "umlauts", "accents", "backticks", "underscores"],
)
def test_a_megabyte_takes_no_time(text: str) -> None:
    words = dict.fromkeys(("de", "en", "zh"), ("review code", "bug", "Prüfung", "问题"))
    rules = QualityRules(max_length=10_000_000, forbidden=("review me", "审查员"), language="input")
    context = SkillContext(skill="mine", keywords=words, others={"other": words}, input="Wie ist das und was ist es?")
    started = time.process_time()
    judged(text, rules, context)
    assert time.process_time() - started < 20


# --- the shipped skills


def shipped_outputs() -> list[Any]:
    found = read_yaml(CASES / "shipped_outputs.yaml")
    return [pytest.param(case, id=f"{number} {case['skill']}") for number, case in enumerate(found, 1)]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> SkillLibrary:
    return load_library(project=tmp_path_factory.mktemp("project"))


@each("case", shipped_outputs())
def test_good_outputs_of_shipped_skills_pass_and_confused_ones_are_warned_of(
    case: dict[str, Any], library: SkillLibrary
) -> None:
    skill = library[case["skill"]]
    result = judged(case["output"], skill.quality, library.context(skill, ""))
    assert [one.message for one in result.findings if one.severity == "error"] == []
    assert result.passed
    other = case.get("reads_like")
    told = [f"reads like {other} "] * bool(other) + ["Nothing in the output reads like"] * case.get("off_topic", False)
    assert len(result.warnings) == len(told), result.warnings
    assert [text for text in told if text not in " ".join(result.warnings)] == []
