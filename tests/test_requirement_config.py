"""A project's rules in a file, and its baseline: what is read, and how mistakes are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from veracity.errors import UsageError
from veracity.requirements.baseline import fingerprint, load_baseline, write_baseline
from veracity.requirements.config import load_rule_settings
from veracity.requirements.contracts import Judged, Place, Requirement, RuleSettings
from veracity.requirements.evaluate import evaluate, judge

FILE = """
rules:
  PASSIVE: off
  VAGUE: {weights: {clarity: 0.5}, severity: error}
words:
  vague:
    de: {add: [knackig~], remove: [modern]}
    en: {add: [snappy]}
glossary: [schneller Modus]
suppressions:
  - {rule: OPEN, ids: ["LEGACY-*"], words: [etc], reason: agreed}
lang: de
soll_is_binding: false
present_tense_ok: true
fail_under: 0.8
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "rules.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def judged(text: str, id: str = "R-1") -> Judged:
    return judge(Requirement(id=id, text=text, place=Place(path="reqs.md")))


def test_a_file_of_rules_is_read(tmp_path: Path) -> None:
    rules = load_rule_settings(written(tmp_path, FILE))
    assert not rules.rules["PASSIVE"].enabled
    assert rules.rules["VAGUE"].severity == "error"
    assert rules.words["vague"]["de"].remove == ("modern",)
    assert (rules.lang, rules.fail_under, rules.soll_is_binding) == ("de", 0.8, False)
    text = "Das System muss knackig, modern und im schnellen Modus laufen."
    assert [one.score for one in evaluate(text, ["clarity"], settings=rules).evaluation] == [0.5]


def test_an_empty_file_changes_nothing(tmp_path: Path) -> None:
    assert load_rule_settings(written(tmp_path, "# nothing yet\n")) == RuleSettings()


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("rule: {}", 1, "there is no such setting; did you mean rules"),
        ("glossary: []\n\nfail_under: 1.5", 3, "fail_under: it should be less than or equal to 1"),
        ("rules:\n  VAGU: off", 2, "there is no 'VAGU'; did you mean VAGUE"),
        ("rules:\n  VAGUE:\n    weight: {}", 3, "there is no such setting; did you mean weights"),
        ("rules:\n  VAGUE:\n    weights:\n      clarity: 2", 4, "it should be less than or equal to 1"),
        ("rules:\n  VAGUE:\n    weights:\n      clearness: 1", 4, "there is no such setting"),
        ("rules:\n  VAGUE:\n    severity: bad", 3, "there is no 'bad'; there are error, warning, info"),
        ("rules:\n  VAGUE: 3", 2, "names with values are needed"),
        ("words:\n  vagues:\n    de: {}", 3, "there is no 'vagues'; did you mean vague"),
        ("words:\n  vague:\n    fr: {}", 3, "there is no 'fr'; there are de, en"),
        (
            "words:\n  vague:\n    de:\n      remove: [schnel]",
            4,
            "'schnel' is not in that list, so it cannot be removed; did you mean schnell",
        ),
        ("words:\n  vague:\n    de:\n      remove: schnell", 4, "a list is needed"),
        ("words:\n  vague:\n    de:\n      ad: []", 4, "there is no such setting; did you mean add"),
        ("glossary:\n  - fine\n  - 7", 3, "a text is needed; put it in quotes"),
        ("suppressions:\n  - {rule: VAGU}", 2, "there is no 'VAGU'; did you mean VAGUE"),
        ("suppressions:\n  - {ids: [a]}", 2, "rule: it is missing; add it"),
        ("suppressions:\n  - {rule: VAGUE, id: a}", 2, "there is no such setting; did you mean ids"),
        ("lang: fr", 1, "there is no 'fr'; there are de, en"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, line: int, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_rule_settings(written(tmp_path, text))
    assert f"rules.yaml, line {line}: " in str(caught.value)
    assert told in str(caught.value)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_what_is_no_file_of_rules_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs names such as rules"):
        load_rule_settings(written(tmp_path, "- a\n- b\n"))
    with pytest.raises(UsageError, match="not valid YAML"):
        load_rule_settings(written(tmp_path, "rules: {"))
    with pytest.raises(UsageError, match="cannot be read"):
        load_rule_settings(tmp_path / "none.yaml")


SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=5)
NAMES = st.sampled_from(
    [
        "rules",
        "words",
        "glossary",
        "suppressions",
        "lang",
        "fail_under",
        "VAGUE",
        "vague",
        "de",
        "weights",
        "clarity",
        "add",
        "remove",
        "rule",
        "ids",
        "x",
    ]
)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.integers(0, 2), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(NAMES, TREES, max_size=4))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_file_is_read_or_told_in_one_sentence(tmp_path: Path, data: dict[str, Any]) -> None:
    path = written(tmp_path, yaml.safe_dump(data, allow_unicode=True))
    told = outcome(path)
    assert told.startswith(f"{path}, line ") or told == ""
    assert "\n" not in told


def outcome(path: Path) -> str:
    """What is said about a file; nothing when it is fine."""
    try:
        load_rule_settings(path)
    except UsageError as error:
        return str(error)
    return ""


def test_a_word_can_be_removed_as_it_is_listed_or_without_its_sign(tmp_path: Path) -> None:
    for word in ("modern", "modern~", "Modern"):
        rules = load_rule_settings(written(tmp_path, f"words: {{vague: {{de: {{remove: [{word}]}}}}}}"))
        assert evaluate("Das System muss moderne Listen zeigen.", settings=rules).score == 1.0


# --- the baseline


SLOW = "Die Plattform muss schnell sein"


def test_known_findings_are_not_fresh_and_new_ones_are(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    assert write_baseline(path, [judged(SLOW)]) == 3
    known = load_baseline(path)
    assert known.fresh(judged(SLOW)) == ()
    assert known.excuses(judged(SLOW))
    changed = judged("Die Plattform muss schnell und einfach sein")
    assert {finding.text for finding in known.fresh(changed)} == {"schnell", "einfach"}
    assert not known.excuses(changed)


def test_a_requirement_that_moved_is_still_known(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    write_baseline(path, [judged(SLOW, "R-1")])
    assert load_baseline(path).excuses(judged(f"  {SLOW.replace(' ', '  ')}\n", "R-99"))


def test_a_requirement_without_findings_needs_no_excuse(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    fine = judged("Das System muss die Rechnung drucken.")
    assert write_baseline(path, [fine]) == 0
    assert not load_baseline(path).excuses(fine)


def test_a_baseline_is_the_same_whatever_the_order(tmp_path: Path) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    both = [judged(SLOW), judged("Das System sollte ggf. drucken.")]
    write_baseline(one, both)
    write_baseline(other, reversed(both))
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"known": 1}', b'{"known": [], "version": 2}', b"\xff\xfe", b"[" * 100_000]
)
def test_what_is_no_baseline_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "known.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"is not a baseline file of Veracity; write it anew\."):
        load_baseline(path)


def test_a_baseline_that_cannot_be_read_or_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be read: .*; write a baseline first\."):
        load_baseline(tmp_path / "none.json")
    with pytest.raises(UsageError, match="cannot be written"):
        write_baseline(tmp_path / "no" / "folder.json", [])


@given(st.text(max_size=50))
@settings(deadline=None)
def test_any_text_has_a_fingerprint_and_space_around_it_does_not_count(text: str) -> None:
    finding = judged(SLOW).findings[0]
    assert fingerprint(text, finding) == fingerprint(f"  {text}\n", finding)
    assert fingerprint(text, finding) != fingerprint(f"{text} x", finding)
