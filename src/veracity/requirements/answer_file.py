"""Answers to questions about requirements, in one YAML file: for runs without a terminal, and to be kept beside the document.

    "*":                                        # holds for every requirement
      Welche Rolle braucht das?: Nutzer
    REQ_1:
      Woran wird „schnell“ gemessen, und welcher Grenzwert gilt?: Seitenladezeit < 2 s (P95)

What a file says is taken as it is written: `yes` stays a word, and 99.50 keeps its zero.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from veracity.contracts import clip
from veracity.errors import UsageError
from veracity.language.locale import printable
from veracity.requirements.contracts import Assumption
from veracity.yaml_file import YamlFile, read_document

if TYPE_CHECKING:
    import yaml

EVERY = "*"
"""The name under which answers for all requirements stand."""
_WHAT = "a file of answers"
_SHAPE = "write the id of a requirement or *, and below it each question with its answer"
_MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """Answers by requirement and question."""

    answers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def of(self, requirement_id: str) -> dict[str, str]:
        """What was said about a requirement; what is said of it alone comes before what is said of all."""
        return {**self.answers.get(EVERY, {}), **self.answers.get(requirement_id, {})}

    def strangers(self, ids: Iterable[str]) -> tuple[str, ...]:
        """The names of the file that no requirement has."""
        known = {EVERY, *ids}
        return tuple(name for name in self.answers if name not in known)


def load_answers(path: str | Path) -> AnswerFile:
    """The answers of a file; raises `UsageError` with file, line and reason. A question without an answer stays open."""
    import yaml

    document = read_document(path, UsageError, _WHAT)
    if document.tree is None:
        return AnswerFile()
    if not isinstance(document.tree, yaml.MappingNode):
        raise UsageError(f"{path} is not {_WHAT}; {_SHAPE}.")
    found: dict[str, dict[str, str]] = {}
    for key, value in document.tree.value:
        name = _scalar(document, key, ())
        if isinstance(value, yaml.MappingNode):
            found.setdefault(name, {}).update(_pairs(document, value, name))
        elif not _is_nothing(value):
            raise document.wrong((name,), f"questions with answers are needed; {_SHAPE}", clip(name, 60))
    return AnswerFile(found)


def _pairs(document: YamlFile, node: yaml.MappingNode, name: str) -> Iterator[tuple[str, str]]:
    for key, value in node.value:
        question = _scalar(document, key, (name,))
        answer = "" if _is_nothing(value) else _scalar(document, value, (name, question)).strip()
        if answer:
            yield " ".join(question.split()), answer


def _is_nothing(node: yaml.Node) -> bool:
    import yaml

    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _scalar(document: YamlFile, node: yaml.Node, loc: Sequence[str]) -> str:
    """A text as it is written, whatever YAML would make of it."""
    import yaml

    if not isinstance(node, yaml.ScalarNode):
        raise document.wrong(loc, f"one text is needed; {_SHAPE}", " > ".join(clip(part, 60) for part in loc))
    return str(node.value)


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The open questions about one requirement."""

    id: str
    text: str
    questions: tuple[Assumption, ...]


def write_questions(path: str | Path, unanswered: Sequence[Unanswered], known: AnswerFile, *, replace: bool) -> None:
    """A file with every open question, to be filled in; what is known already is kept in it.

    Raises `UsageError` when there is such a file and it is not to be replaced: somebody may have filled it in.
    """
    path = Path(path)
    try:
        with path.open("w" if replace else "x", encoding="utf-8") as stream:
            stream.write("\n".join((*_lines(unanswered, known), "")))
    except FileExistsError:
        raise UsageError(f"{path} is there already; name another file, or give it as --answers, too.") from None
    except OSError as problem:
        raise UsageError(f"{path} cannot be written: {(problem.strerror or 'unknown reason').lower()}.") from None


def _lines(unanswered: Sequence[Unanswered], known: AnswerFile) -> Iterator[str]:
    yield "# Write the answer behind each question; without one, it stays open."
    open_ = {one.id: one for one in unanswered}
    for name in dict.fromkeys((*known.answers, *open_)):
        yield ""
        if name in open_:
            yield f"# {clip(printable(' '.join(open_[name].text.split())), _MOST_SHOWN)}"
        yield f"{_quoted(name)}:"
        for question, answer in known.answers.get(name, {}).items():
            yield f"  {_quoted(question)}: {_quoted(answer)}"
        for asked in open_[name].questions if name in open_ else ():
            if asked.suggested_answers:
                yield f"  # {' | '.join(printable(one) for one in asked.suggested_answers)}"
            yield f"  {_quoted(' '.join(asked.question.split()))}:"


def _quoted(text: str) -> str:
    """A text as YAML takes it, whatever it holds; YAML reads what JSON writes."""
    return json.dumps(text, ensure_ascii=not text.isprintable())
