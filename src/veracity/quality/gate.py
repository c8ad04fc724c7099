"""The gate: every check on an output, every finding reported, in sentences that a model can act on."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from veracity.contracts import clip
from veracity.language.detect import language_by_letters, language_by_words, language_of
from veracity.quality.phrases import IDEOGRAPH, UNSPACED, folded, occurs_by_itself, pattern_of
from veracity.quality.rules import QualityFinding, QualityResult, QualityRules, SkillContext
from veracity.quality.schema import missing, quoted, schema_messages
from veracity.quality.substance import (
    asks_for_a_figure,
    gives_a_figure_or_none,
    hollow_fields,
    is_greeting,
    is_repeated,
    language_named,
    statements,
    unfilled_slot,
)
from veracity.quality.validators import named, validator_messages, within

_log = logging.getLogger(__name__)

_LONGEST_MESSAGE = 400
_MOST_FINDINGS = 20
"""Of one check; more would not help anyone to repair anything."""
_SCHEMA_SECONDS = 5.0
_POLITE = "Hello. I will."
"""An input that excuses courtesies in the output."""
_SHORTEST_ORDER = 30
"""Characters; a shorter piece of the instructions may be a label that they ask for."""
_MANY_WORDS = 3
"""So many words of another skill are not there by chance."""


class QualityGate:
    """Holds outputs against rules."""

    def __init__(self, rules: QualityRules | None = None) -> None:
        self.rules = rules or QualityRules()

    async def validate(
        self, output: str | Mapping[str, Any], skill_context: SkillContext | None = None
    ) -> QualityResult:
        """Every finding of every check. Without a context, nothing is known of the skill, and it is not judged."""
        if not isinstance(output, str | Mapping):
            return _result((_error("schema", "The output is neither a text nor fields; answer with one of them."),))
        case = CheckedOutput(output, self.rules, skill_context)
        findings: dict[str, QualityFinding] = {}
        for check in CHECKS:
            for finding in await _findings_of(check, case):
                # Two checks may miss the same field; one sentence is enough.
                findings.setdefault(finding.message, finding)
        return _result(tuple(findings.values()))


def _result(findings: tuple[QualityFinding, ...]) -> QualityResult:
    """An error fails; a mismatch with the skill only together with anything else."""
    checks = {finding.check for finding in findings}
    failed = any(finding.severity == "error" for finding in findings) or {"skill_match"} < checks
    warnings = tuple(finding.message for finding in findings if finding.severity == "warning")
    return QualityResult(passed=not failed, warnings=warnings, findings=findings)


@dataclass(frozen=True)
class CheckedOutput:
    """An output and what it is held against."""

    output: str | Mapping[str, Any]
    rules: QualityRules
    context: SkillContext | None

    @cached_property
    def text(self) -> str:
        """A text itself; of fields, all their texts."""
        return self.output if isinstance(self.output, str) else "\n".join(_texts(self.output))

    @property
    def given(self) -> str:
        """The input of the skill, as far as it is known."""
        return self.context.input if self.context else ""

    @cached_property
    def folded(self) -> str:
        """The text as words are looked for in it."""
        return folded(self.text)


async def _findings_of(check: Check, case: CheckedOutput) -> list[QualityFinding]:
    """What a check finds, bounded; a check that breaks off fails the output, because nobody knows what it would have found."""
    name = check.__name__
    try:
        found = await check(case)
    except Exception as error:  # noqa: BLE001  recorded: the output fails
        _log.exception("the quality check %s broke off", name)
        found = [_error(name, f"The check {name} broke off with {type(error).__name__}; report it.")]
    if len(found) <= _MOST_FINDINGS:
        return found
    more = len(found) - _MOST_FINDINGS + 1
    last = found[0].model_copy(update={"message": f"There are {more} more findings of this kind; mend them, too."})
    return [*found[: _MOST_FINDINGS - 1], last]


def _finding(check: str, severity: Literal["error", "warning"], message: str) -> QualityFinding:
    return QualityFinding(check=check, severity=severity, message=clip(" ".join(message.split()), _LONGEST_MESSAGE))


def _error(check: str, message: str) -> QualityFinding:
    return _finding(check, "error", message)


def _texts(value: object) -> Iterator[str]:
    """Every text in nested values, in order; each list or mapping once, so that none can go on for ever."""
    waiting, seen = [value], set[int]()
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping | list | tuple) and id(one) not in seen:
            seen.add(id(one))
            waiting.extend(reversed(list(one.values() if isinstance(one, Mapping) else one)))


# --- the checks: each is one function of the case


async def required_fields(case: CheckedOutput) -> list[QualityFinding]:
    """The fields that are required are there, and none of them is empty."""
    if not case.rules.required_fields:
        return []
    if not isinstance(case.output, Mapping):
        names = ", ".join(case.rules.required_fields)
        return [_error("required_fields", f"The output is a text; answer with a JSON object that has {names}.")]
    found = []
    for name in case.rules.required_fields:
        value = case.output.get(name)
        if name not in case.output:
            found.append(_error("required_fields", missing(name)))
        elif value is None or (isinstance(value, str) and not value.strip()):
            found.append(_error("required_fields", f"The field {quoted(name)} is empty; fill it in."))
    return found


async def schema(case: CheckedOutput) -> list[QualityFinding]:
    """A structured output is what the skill's JSON Schema says."""
    wanted = case.context.output_schema if case.context else None
    if wanted is None:
        return []
    if not isinstance(case.output, Mapping):
        return [_error("schema", "The output is a text; answer with the JSON object that the schema describes.")]
    fields = dict(case.output)
    try:
        messages = await within(_SCHEMA_SECONDS, lambda: schema_messages(wanted, fields))
    except TimeoutError:
        return [_error("schema", f"The schema could not be checked within {_SCHEMA_SECONDS:g} s; answer more briefly.")]
    except Exception as error:  # noqa: BLE001  recorded: a schema that cannot be applied lets nothing pass
        return [_error("schema", f"The schema of the skill cannot be applied ({named(error)}); mend the skill.")]
    return [_error("schema", message) for message in messages]


async def length(case: CheckedOutput) -> list[QualityFinding]:
    """The text is neither shorter nor longer than it may be."""
    size, least, most = len(_visible(case.text)), case.rules.min_length, case.rules.max_length
    if size > most:
        return [_error("length", f"The output has {size} characters, at most {most} are allowed; shorten it.")]
    if size >= least or (least == 1 and _says_something(case.output)):
        return []
    if size == 0:
        return [_error("length", "The output is empty; answer the task.")]
    return [_error("length", f"The output has {size} characters, at least {least} are needed; say more.")]


async def substance(case: CheckedOutput) -> list[QualityFinding]:
    """The output does the task: its sentences are not only courtesies, apologies, placeholders and bare labels."""
    if not _visible(case.text) or (case.rules.courtesy and is_greeting(case.text)):
        return []
    if isinstance(case.output, Mapping):
        hollow = hollow_fields(case.output, case.given)
        return [
            _error("substance", f"The field {quoted(p)} says nothing ({quoted(t)}); fill it in.") for p, t in hollow
        ]
    if slot := unfilled_slot(case.text, case.given):
        return [_error("substance", f"Nobody filled in {quoted(slot)}; say what belongs there.")]
    least = case.rules.min_statements
    said = len(statements(case.text, _POLITE if case.rules.courtesy else case.given))
    if said >= least:
        return []
    if said == 0:
        return [_error("substance", f"The output says nothing ({quoted(case.text.strip())}); do the task.")]
    return [_error("substance", f"The output says {said} thing(s), at least {least} are needed; do the whole task.")]


async def repetition(case: CheckedOutput) -> list[QualityFinding]:
    """The output is neither the input nor the instructions over again."""
    if is_repeated(case.text, case.given):
        return [_error("repetition", "The output repeats its input; do the task instead.")]
    told = " ".join(case.context.prompt.split()) if case.context else ""
    texts = list(_texts(case.output))
    if any(len(text) > _SHORTEST_ORDER and " ".join(text.split()).strip(" .") in told for text in texts):
        return [_error("repetition", "The output repeats its instructions; follow them instead.")]
    return []


async def figure(case: CheckedOutput) -> list[QualityFinding]:
    """Where a figure is asked for, the output has one, or says that there is none."""
    if case.rules.figure != "asked" or not _visible(case.text) or not asks_for_a_figure(case.given):
        return []
    if gives_a_figure_or_none(case.text, case.given):
        return []
    return [_error("figure", "A figure is asked for and the output has none; give it, or say that there is none.")]


async def forbidden(case: CheckedOutput) -> list[QualityFinding]:
    """No word that is forbidden occurs."""
    hits = [phrase for phrase in case.rules.forbidden if pattern_of(phrase).search(case.folded)]
    return [
        _error("forbidden", f"{quoted(phrase)} must not occur; leave it out or say it otherwise.") for phrase in hits
    ]


async def language(case: CheckedOutput) -> list[QualityFinding]:
    """The text is in the language it has to be in, as far as both show theirs."""
    if case.rules.language is None:
        return []
    given, is_in = case.given, language_shown(_own_words(case))
    if case.rules.language == "translated":
        return _not_translated(given, is_in)
    wanted = _language_of_request(given) if case.rules.language == "input" else case.rules.language
    if wanted is None:
        return []
    if is_in is not None and is_in != wanted:
        return [_error("language", f"The output is in {NAMES[is_in]}; write it in {NAMES[wanted]}.")]
    if wanted != "zh" and has_drifted(case.text, given):
        return [_error("language", f"A part of the output is in Chinese; write all of it in {NAMES[wanted]}.")]
    return []


async def own_task(case: CheckedOutput) -> list[QualityFinding]:
    """The output is not that of another skill: several of its words and none of its own."""
    context = case.context
    if context is None or not case.rules.skill_match or isinstance(case.output, Mapping):
        return []
    lang = language_shown(case.text) or language_of(case.text)
    own = context.keywords.get(lang, ()) + context.disambiguation_keywords.get(lang, ())
    if not own or any(pattern_of(word, lang).search(case.folded) for word in own):
        return []
    for other, keywords in context.foreign.items():
        words = [word for word in keywords.get(lang, ()) if pattern_of(word, lang).search(case.folded)]
        if len(words) >= _MANY_WORDS:
            such = ", ".join(map(quoted, words[:_MANY_WORDS]))
            message = (
                f"The output is one of {clip(other, 64)} ({such}) and has no word of {context.skill}; do its own task."
            )
            return [_error("own_task", message)]
    return []


async def skill_match(case: CheckedOutput) -> list[QualityFinding]:
    """The text has words of its skill, and none that only another skill has."""
    context = case.context
    if context is None or not case.rules.skill_match or not case.folded.strip():
        return []
    lang = language_shown(case.text) or language_of(case.text)
    own = context.keywords.get(lang, ()) + context.disambiguation_keywords.get(lang, ())
    found = []
    if own and not any(pattern_of(word, lang).search(case.folded) for word in own):
        such = ", ".join(map(quoted, own[:5]))
        message = f"Nothing in the output reads like {context.skill} (words such as {such}); do what this skill is for."
        found.append(_finding("skill_match", "warning", message))
    for other, keywords in context.others.items():
        foreign = [word for word in keywords.get(lang, ()) if occurs_by_itself(word, own, case.folded, lang)]
        if foreign:
            words = ", ".join(map(quoted, foreign[:3]))
            message = (
                f"The output reads like {clip(other, 64)} ({words}), not like {context.skill}; keep to its own task."
            )
            found.append(_finding("skill_match", "warning", message))
    return found


async def validators(case: CheckedOutput) -> list[QualityFinding]:
    """The skill's own checks find nothing; one that does not work is a finding, too."""
    found: list[QualityFinding] = []
    for rule in case.rules.validators:
        severity: Literal["error", "warning"] = "error" if rule.mode == "strict" else "warning"
        messages = await validator_messages(rule, case.output, case.context)
        found.extend(_finding("validators", severity, message) for message in messages)
    return found


Check = Callable[[CheckedOutput], Awaitable[list[QualityFinding]]]
CHECKS = (
    required_fields,
    schema,
    length,
    substance,
    repetition,
    figure,
    forbidden,
    language,
    own_task,
    skill_match,
    validators,
)


def _visible(text: str) -> str:
    """The text without what nobody sees at its ends."""
    return text.strip().strip("\u200b\u200c\u200d\u2060\ufeff").strip()


def _says_something(output: object) -> bool:
    """Whether fields without any text hold a value at least: a score, a yes or no."""
    return isinstance(output, Mapping) and any(value not in (None, "", [], {}, ()) for value in output.values())


# --- the language that an output shows


NAMES = {"de": "German", "en": "English", "zh": "Chinese"}
"""What a model knows the languages as."""
_NO_PROSE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,200}`|https?://\S+", re.DOTALL)
_LATIN_WORD = re.compile(rf"[^\W\d_{UNSPACED}]+")
_SAMPLED = 650
_FEWEST_WORDS = 3
_CLEAR_LEAD = 5
"""So many function words more than those of another language tell it, whatever letters the others have."""
_MANY_IDEOGRAPHS = 20
_CODE = re.compile(
    r"^(?:[+-]?(?: {2,}|\t)\S|[+-]\w|@@)|[{};]\s*$|\w\(.*\)|[=!]=|\+=|^[+-]?(?:def|class|return|import|function|const|let|var|if|for|while|SELECT|FROM)\b.*[(:;{]"
)
"""A line of code: indented, part of a diff, or with the signs of a programming language."""
_HEAD = re.compile(r"[:：\n?？。]")


def language_shown(text: str) -> str | None:
    """The language that a text surely is in; None for what is short, code-like or mixed."""
    sample = _sample(_NO_PROSE.sub(" ", text))
    ideographs = len(IDEOGRAPH.findall(sample))
    rest = IDEOGRAPH.sub(" ", sample)
    words = len(_LATIN_WORD.findall(rest))
    if ideographs > 2 * words:
        return "zh" if ideographs > 1 else None
    by_words = language_by_words(rest) if words >= _FEWEST_WORDS else None
    if by_words is None:
        return "zh" if 2 * ideographs >= words > 0 else None
    clear = language_by_words(rest, lead=_CLEAR_LEAD) is not None
    return by_words if clear or language_by_letters(rest) in (by_words, None) else None


def _language_of_request(given: str) -> str | None:
    """The language of an input; where it is mixed, that of its first sentence, if the rest is more of it than of another."""
    prose = prose_of(given)
    whole = language_shown(prose)
    if whole is not None:
        return whole
    head = language_shown(_HEAD.split(prose.strip(), maxsplit=1)[0])
    return head if head == language_of(prose) else None


def prose_of(text: str) -> str:
    """A text without its lines of code, whose words are English whoever wrote them; all of it where nothing else is there."""
    lines = _NO_PROSE.sub(" ", text).splitlines()
    return "\n".join(line for line in lines if not _CODE.search(line)).strip() or text


def _own_words(case: CheckedOutput) -> str:
    """What the output says in its own words: fields that quote the input are not."""
    if isinstance(case.output, str):
        return case.output
    return "\n".join(text for text in _texts(case.output) if text not in case.given)


def _not_translated(given: str, is_in: str | None) -> list[QualityFinding]:
    wanted = language_named(given)
    if is_in is None or is_in == wanted:
        return []
    if wanted is not None:
        return [_error("language", f"The output is in {NAMES[is_in]}; translate it into {NAMES[wanted]}.")]
    if is_in == language_shown(given):
        return [_error("language", f"The output is in {NAMES[is_in]}, as the input; translate it.")]
    return []


def _sample(text: str) -> str:
    """Something of the beginning, the middle and the end: models change their language on the way."""
    if len(text) <= 3 * _SAMPLED:
        return text
    middle = len(text) // 2
    return f"{text[:_SAMPLED]} {text[middle : middle + _SAMPLED]} {text[-_SAMPLED:]}"


def has_drifted(text: str, given: str) -> bool:
    """Whether much of a text is Chinese that the input does not have."""
    return len({*IDEOGRAPH.findall(text)} - {*IDEOGRAPH.findall(given)}) >= _MANY_IDEOGRAPHS
