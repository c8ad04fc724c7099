"""Validators of shipped skills: whether an output fits its task, its fields each other, and both the input."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from veracity.contracts import clip
from veracity.language.folding import words_in
from veracity.language.sentences import sentences
from veracity.quality import SkillContext
from veracity.quality.phrases import IDEOGRAPH, folded, pattern_of
from veracity.yaml_file import packaged

_SHOWN = 60
_WORDS_OF_CHECKS = Path(__file__).with_name("output_checks.yaml")
_STEP = re.compile(
    r"(?:[-*•]\s*)?(?:(?:step|schritt|步骤|plan|ziel|goal)\s*\d*\s*[:.：]\s*)?(?:\d{1,2}[.)、]\s*)?", re.IGNORECASE
)
_SECTION = re.compile(r"\s*([^\W\d_][\w -]{0,30})[:：]\s*$")
_CODE = re.compile(r"```.*?(?:```|$)", re.DOTALL)
_ADDRESS = re.compile(r"https?://[^\s|<>()\"]+")
_BEFORE_COLON = re.compile(r"[^\n:：]{1,60}[:：]")
_SAME_START = 5
"""Letters that two forms of a word share."""


def code_review(output: object, context: SkillContext) -> list[str]:
    """The verdict follows from the findings, and their lines are in the input."""
    if not isinstance(output, Mapping):
        return []
    findings, verdict = _entries(output, "findings"), output.get("verdict")
    grave = [one for one in findings if one.get("severity") in ("high", "medium")]
    found = []
    if verdict == "change" and not findings:
        found.append("The verdict is change and no finding says what; name it, or approve.")
    if verdict == "approve" and grave:
        found.append("The verdict is approve although a finding is high or medium; write change, or lower the finding.")
    lines = len(context.input.splitlines())
    for one in findings:
        line = one.get("line")
        if isinstance(line, int) and context.input and line > lines:
            found.append(f"Line {line} is not in the input, which has {lines}; name a line of it, or null.")
    return found


def requirements_review(output: object, context: SkillContext) -> list[str]:
    """The approval follows from the issues, and every quote is of the input."""
    if not isinstance(output, Mapping):
        return []
    issues, approved = _entries(output, "issues"), output.get("approved")
    found = list(_not_quoted(issues, "quote", context.input))
    if approved is True and issues:
        found.append("It is approved although there are issues; write false, or leave the issues out.")
    if approved is False and not issues:
        found.append("It is not approved and no issue says why; name it, or approve.")
    return found


def source_ranking(output: object, context: SkillContext) -> list[str]:
    """Every source is one of the input, and none is ranked twice."""
    if not isinstance(output, Mapping):
        return []
    ranking = _entries(output, "ranking")
    found = list(_not_quoted(ranking, "source", context.input))
    names = [str(one.get("source")) for one in ranking]
    found += [f"“{clip(name, _SHOWN)}” is ranked twice; keep one." for name in {*names} if names.count(name) > 1]
    given = {*_ADDRESS.findall(context.input)}
    if len(given) > 1 and len(ranking) < len(given):
        found.append(f"The input has {len(given)} results and {len(ranking)} are ranked; rank every one of them.")
    return found


def search_advice(output: object, context: SkillContext) -> list[str]:
    """The keywords and the title are of the text."""
    if not isinstance(output, Mapping) or not context.input:
        return []
    keywords = [str(one) for one in output.get("keywords") or ()]
    foreign = [one for one in keywords if not _shares_a_word(one, context.input)]
    found = []
    if 2 * len(foreign) > len(keywords):
        found.append(f"“{clip(foreign[0], _SHOWN)}” is not in the text; take keywords from its words.")
    if not _shares_a_word(str(output.get("title") or ""), context.input):
        found.append("The title has no word of the text; say in it what the text is about.")
    return found


def results(output: object, context: SkillContext) -> list[str]:
    """An output about data gives results: no plan, no statement in SQL alone, no general experience."""
    if not isinstance(output, str):
        return []
    if _CODE.search(output) and not any(map(str.isalnum, _CODE.sub("", output))):
        return ["The output is code and not what it returned; run it and say what came out."]
    said = [_STEP.sub("", folded(output[start:end]).strip(), count=1) for start, end in sentences(output)]
    said = [one for one in said if any(map(str.isalnum, one))]
    if said and all(_instructs(one, context.input) for one in said):
        return ["The output says what to do and not what came out; give the results."]
    return [
        f"“{phrase}” is no result; say only what the tables hold." for phrase in _occurring("unproven", output, context)
    ]


def report(output: object, context: SkillContext) -> list[str]:
    """A report gives results, has something in each section, and tells neither causes nor forecasts."""
    if not isinstance(output, str):
        return []
    lines = [line for line in output.splitlines() if line.strip()]
    may_be_empty = packaged(_WORDS_OF_CHECKS)["may_be_empty"]
    found = list(results(output, context))
    for line, after in zip(lines, [*lines[1:], "x:"], strict=True):
        section = _SECTION.match(line)
        if section and (_SECTION.match(after) or after == "x:") and folded(section[1]) not in may_be_empty:
            found.append(f"The section “{section[1]}” is empty; write what was found, or leave it out.")
    found += [
        f"“{phrase}” gives a cause or a forecast, which the tables do not hold; leave it out."
        for phrase in _occurring("beyond", output, context)
    ]
    return found


def summary(output: object, context: SkillContext) -> list[str]:
    """A summary has no advice and no opinion that its text does not have."""
    if not isinstance(output, str):
        return []
    return [
        f"“{phrase}” is advice or an opinion that the text does not have; leave it out."
        for phrase in _occurring("advises", output, context)
    ]


def translation(output: object, context: SkillContext) -> list[str]:
    """A translation stands alone, without an introduction."""
    before = _BEFORE_COLON.match(output.strip()) if isinstance(output, str) else None
    if before is None:
        return []
    named = any(pattern_of(folded(word)).search(folded(before[0])) for word in packaged(_WORDS_OF_CHECKS)["introduces"])
    # Where the text itself speaks of a translation, its translation does so, too.
    text = context.input.partition(":")[2] or context.input
    of_the_text = any(folded(word) in folded(text) for word in packaged(_WORDS_OF_CHECKS)["introduces"])
    return ["Leave out the introduction; reply with the translation alone."] if named and not of_the_text else []


def _instructs(said: str, question: str) -> bool:
    """Whether a folded sentence says what to do; one with a figure that the question does not have says something."""
    table = packaged(_WORDS_OF_CHECKS)
    if any(number not in question for number in re.findall(r"\d+", said)):
        return False
    begins = any(
        re.match(rf"{re.escape(folded(one))}(?:\b|(?={IDEOGRAPH.pattern}))", said) for one in table["instructs"]
    )
    last = re.sub(r"\W+$", "", said).rpartition(" ")[2]
    return begins or last in [folded(word) for word in table["ends"].split()]


def _occurring(name: str, output: str, context: SkillContext) -> Iterator[str]:
    """The phrases of a list that an output has and its input has not."""
    phrases: Iterable[str] = packaged(_WORDS_OF_CHECKS)[name]
    said, given = folded(output), folded(context.input)
    for phrase in phrases:
        pattern = pattern_of(folded(phrase))
        if pattern.search(said) and not pattern.search(given):
            yield phrase


def _shares_a_word(text: str, given: str) -> bool:
    """Whether one of the longer words of a text begins like one of the input, or is part of one."""
    said = folded(given)
    return any(folded(word)[:_SAME_START] in said for word in words_in(text) if len(word) > 2 or IDEOGRAPH.search(word))


def _entries(output: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = output.get(name)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list | tuple) else []


def _not_quoted(entries: list[Mapping[str, Any]], name: str, given: str) -> Iterator[str]:
    """What should be words of the input and is not; signs and spaces between them do not count."""
    if not given:
        return
    said = f" {' '.join(words_in(given))} "
    for one in entries:
        quote = one.get(name)
        if isinstance(quote, str) and quote not in given and f" {' '.join(words_in(quote))} " not in said:
            yield f"“{clip(quote, _SHOWN)}” does not stand in the input; take its words as they are."
