"""What is wrong with skill files: in one of them, and between several; each a sentence with file and line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ValidationError

from veracity.contracts import clip
from veracity.language.folding import folded_text
from veracity.language.locale import LANGUAGES
from veracity.language.nearest import did_you_mean
from veracity.quality import QualityRules, ValidatorRule, validator_problem
from veracity.skills.config import Intent, Skill, SkillLimits, StrategyName
from veracity.yaml_file import YamlFile

Origin = Literal["shipped", "user", "project"]
Place = tuple[int | str, ...]

_SHOWN_WORDS = 3


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A skill with the document it was read from, for the lines of what is wrong with it."""

    skill: Skill
    document: YamlFile
    origin: Origin

    def says(self, place: Place, message: str) -> str:
        """A sentence about a part of the file."""
        return str(self.document.wrong(place, message))


def by_name(files: Iterable[SkillFile]) -> dict[str, list[SkillFile]]:
    """The files of each name, in their order: the last one is in force."""
    found: dict[str, list[SkillFile]] = {}
    for file in files:
        found.setdefault(file.skill.name, []).append(file)
    return found


# --- in one file


def read_skill(document: YamlFile) -> tuple[Skill | None, list[str]]:
    """The skill of a file, or everything that keeps the file from being one."""
    found = list(_doubled_keys(document))
    skill = None
    try:
        skill = Skill.model_validate(document.data)
    except ValidationError as error:
        for one in error.errors():
            found.extend(_explained(document, one))
    return (None, found) if found else (skill, [])


def _doubled_keys(document: YamlFile) -> Iterator[str]:
    """Of two keys of the same name YAML keeps the last, without a word."""
    import yaml

    waiting, seen = [document.tree], set[int]()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, yaml.CollectionNode) or id(node) in seen:
            continue
        seen.add(id(node))
        if not isinstance(node, yaml.MappingNode):
            waiting.extend(node.value)
            continue
        waiting.extend(value for _key, value in node.value)
        names: set[str] = set()
        for key, _value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in names:
                line = key.start_mark.line + 1
                yield f"{document.path}, line {line}: {clip(key.value, 40)} is there twice; keep one of them."
            names.add(str(key.value))


_MODELS: Mapping[str, type[BaseModel]] = {
    "": Skill,
    "intent": Intent,
    "quality": QualityRules,
    "limits": SkillLimits,
    "validators": ValidatorRule,
}
"""The key above -> whose keys are expected below it."""
_FORMS = {
    "name": "small letters, digits and underscores, such as code_reviewer",
    "confusable_with": "it is the name of a skill, such as code_reviewer",
    "prefixes": "one word of letters, digits, _ or -, such as sql",
    "path": "a validator is named package.module:function",
    "engine": "an engine is named package.module:function",
}


def _explained(document: YamlFile, error: Mapping[str, Any]) -> Iterator[str]:
    """A pydantic error in sentences for people."""
    place: Place = error["loc"]
    if error["type"] == "unusable_schema":
        for problem in sorted(error["ctx"]["problems"], key=lambda one: document.line((*place, *one.where))):
            yield str(document.wrong((*place, *problem.where), problem.message))
    elif place:
        yield str(document.wrong(place, _meaning(place, error)))
    else:
        # Of parts that do not fit each other, the message names the first.
        message = str(error["msg"]).removeprefix("Value error, ")
        first = message.split(maxsplit=1)[0].rstrip(":").split(".")
        yield str(document.wrong(first, message, ""))


def _meaning(place: Place, error: Mapping[str, Any]) -> str:
    written = clip(error["input"], 40) if isinstance(error["input"], str) else ""
    given = repr(written) if written else "what is there"
    names = [part for part in place if isinstance(part, str)] or [""]
    last, above = names[-1], (["", *names])[-2]
    match error["type"]:
        case "extra_forbidden":
            known = _MODELS[above].model_fields if above in _MODELS else ()
            return f"there is no such key{_did_you_mean(last, known)}"
        case "missing":
            return "it is missing; add it"
        case "literal_error" if place == ("strategy",) and written:
            return f"there is no strategy {given}{_did_you_mean(written, get_args(StrategyName))}"
        case "literal_error":
            return f"{error['ctx']['expected']} is needed, not {given}"
        case "string_pattern_mismatch":
            return f"{given} cannot be used; {_FORMS.get(last, 'write it otherwise')}"
        case "string_type":
            return "a text is needed; put it in quotes if it looks like something else"
        case "model_type" | "dict_type":
            return "keys with values are needed"
        case "tuple_type":
            return "a list is needed"
    return str(error["msg"]).replace("Input should", "it should")


def _did_you_mean(written: str, known: Collection[str]) -> str:
    """The end of a sentence: the nearest, or else all that there are."""
    near = did_you_mean(written, known)
    return near if near != "." or not known else f"; there are {', '.join(known)}"


# --- between files


def problems_between(files: Sequence[SkillFile], about: Collection[Path] | None = None) -> Iterator[str]:
    """Prefixes that two skills have, and names that no skill has; only of some files, if they are given."""
    in_force = {name: same[-1] for name, same in by_name(files).items()}
    for file, place, problem in (*_shared_prefixes(in_force), *_unknown_skills(in_force)):
        if about is None or file.document.path in about:
            yield file.says(place, problem)


def _shared_prefixes(in_force: Mapping[str, SkillFile]) -> Iterator[tuple[SkillFile, Place, str]]:
    taken: dict[str, SkillFile] = {}
    # Shipped files come first: the mistake is in the file that somebody added.
    for file in sorted(in_force.values(), key=lambda file: get_args(Origin).index(file.origin)):
        for number, prefix in enumerate(file.skill.prefixes):
            other = in_force.get(prefix) or taken.setdefault(prefix, file)
            if other is not file:
                home = f"{other.skill.name} ({other.document.path})"
                yield file, ("prefixes", number), f"/{prefix} already calls {home}; choose another prefix"


def _unknown_skills(in_force: Mapping[str, SkillFile]) -> Iterator[tuple[SkillFile, Place, str]]:
    for name, file in in_force.items():
        for number, other in enumerate(file.skill.intent.confusable_with):
            place: Place = ("intent", "confusable_with", number)
            if other == name:
                yield file, place, "a skill cannot be confused with itself; leave it out"
            elif other not in in_force:
                yield file, place, f"there is no skill {other}{_did_you_mean(other, in_force)}"


# --- warnings


def warnings_in(files: Iterable[SkillFile]) -> Iterator[str]:
    """What is allowed in a file, but does nothing."""
    for file in files:
        skill = file.skill
        if skill.quality.skill_match and not any(skill.intent.keywords.values()):
            message = "there are no keywords, so skill_match has nothing to look for; add some, or set quality.skill_match: false"
            yield file.says(("intent", "keywords"), message)
        if skill.strategy in ("react", "rewoo") and not skill.tools:
            yield file.says(
                ("strategy",), f"{skill.strategy} without tools is the same as direct; name tools, or write direct"
            )


def validator_problems(files: Iterable[SkillFile]) -> Iterator[tuple[Literal["strict", "lenient"], str]]:
    """Validators that cannot be imported, with the mode of each; and engines, without which a skill is not what it says."""
    for file in files:
        if file.skill.engine is not None and (problem := validator_problem(ValidatorRule(path=file.skill.engine))):
            yield "strict", file.says(("engine",), problem.replace("validator", "engine"))
        for number, rule in enumerate(file.skill.quality.validators):
            if problem := validator_problem(rule):
                yield rule.mode, file.says(("quality", "validators", number), problem)


def warnings_between(files: Sequence[SkillFile], about: Collection[Path]) -> Iterator[str]:
    """Skills that share words, so that the quality gate could not tell their outputs apart."""
    in_force = {name: same[-1] for name, same in by_name(files).items()}
    shared: dict[tuple[str, str], list[str]] = {}
    for lang in LANGUAGES:
        homes: dict[str, list[str]] = defaultdict(list)
        for name, file in in_force.items():
            for word in _words(file.skill, lang):
                homes[word].append(name)
        for word, names in homes.items():
            for one, other in combinations(names, 2):
                if not _told_apart(in_force[one].skill, in_force[other].skill, lang):
                    shared.setdefault((one, other), []).append(word)
    for (one, other), words in shared.items():
        # Said of the file that was added last, which is the one to change.
        file = max((in_force[one], in_force[other]), key=lambda file: get_args(Origin).index(file.origin))
        if {in_force[one].document.path, in_force[other].document.path} & set(about):
            yield file.says(
                ("intent", "keywords"), _overlap(file.skill.name, other if file is in_force[one] else one, words)
            )


def _overlap(name: str, other: str, words: Sequence[str]) -> str:
    shown = ", ".join(dict.fromkeys(words[:_SHOWN_WORDS]))
    return (
        f"{name} and {other} share {shown}, and nothing tells them apart; choose other keywords, or give both "
        "disambiguation_keywords of that language and name each other in confusable_with"
    )


def _words(skill: Skill, lang: str) -> set[str]:
    both = (skill.intent.keywords, skill.intent.disambiguation_keywords)
    return {folded_text(word) for keywords in both for word in keywords.get(lang, ())}


def _told_apart(one: Skill, other: Skill, lang: str) -> bool:
    """Whether each names the other, and has words in this language that the other does not have."""
    for skill, rival in ((one, other), (other, one)):
        only = {folded_text(word) for word in skill.intent.disambiguation_keywords.get(lang, ())} - _words(rival, lang)
        if not only or rival.name not in skill.intent.confusable_with:
            return False
    return True
