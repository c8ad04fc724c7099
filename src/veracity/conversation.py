"""A conversation: what was asked and answered before, bounded, and how a follow-up is completed from it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from veracity.answer.answer import Answer
from veracity.answer.results import Result
from veracity.question import Mention, MentionKind, Reading

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

_TURNS = 6
_RESULTS = 20
# What may stand in a follow-up beside the thing that changes.
_FOLLOW_UP_WORDS = frozenset(
    """
    und aber oder sowie auch noch dann jetzt bitte wie was war waren ist sind wird es das dasselbe gleiche sieht aus
    im in am per für fuer vom von bei mit zu zum zur nach auf der die den dem des ein eine einem einen einer
    and but or also then now please how what about was is were are it that the same for at on of from with to by as a an
    year years jahr jahre jahres month monat end ende konto konten account accounts
    """.split()  # noqa: SIM905
)
_FOLLOW_UP_SIGNS = re.compile(r"那么|那|呢|和|与|在|的|是|多少|怎么样|如何|年|月|科目|请|再|对|从|吗|也")
_LETTERS = re.compile(r"[^\W\d_]+")
_LEADING = re.compile(r"^\s*(?:und|and|what about|how about|wie sieht es aus mit|那么|那)[\s,]*", re.IGNORECASE)
# A group of accounts and one account are two ways to say which accounts.
_SAME_PLACE = {MentionKind.CODE: "which", MentionKind.GROUP: "which"}


@dataclass(slots=True)
class Conversation:
    """Earlier questions with their answers, and the results they rest on."""

    turns: list[tuple[str, str]] = field(default_factory=list)
    results: dict[str, Result] = field(default_factory=dict)
    reading: Reading | None = None
    """The last question as it was understood."""
    last: Answer | None = None

    @property
    def lang(self) -> str | None:
        """The language that is spoken."""
        return self.reading.lang if self.reading else None

    def remember(self, question: str, reading: Reading, answer: Answer, results: Mapping[str, Result]) -> None:
        """Keep a turn; the oldest are forgotten, the ids of results go on counting."""
        self.turns = [*self.turns, (question, answer.text)][-_TURNS:]
        self.results = dict(results)
        self.reading, self.last = reading, answer

    def messages(self) -> list[ModelMessage]:
        """The earlier turns as a model reads them."""
        from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

        said: list[ModelMessage] = []
        for question, answer in self.turns:
            said.append(ModelRequest(parts=[UserPromptPart(question)]))
            said.append(ModelResponse(parts=[TextPart(answer)]))
        return said

    def earlier_results(self) -> str:
        """The results that may still be cited, each with its call."""
        lines = [
            f"{name} = {result.call.tool} {json.dumps(result.arguments, ensure_ascii=False, default=str)}"
            for name, result in list(self.results.items())[-_RESULTS:]
        ]
        return "Earlier results: " + "; ".join(lines) if lines else ""


def standalone(reading: Reading, before: Reading | None) -> str:
    """The question with what it leaves out: "and 2024?" after a question about 2025 is that question about 2024."""
    changes = [mention for mention in reading.mentions if _says_which(mention)]
    if before is None or not changes or not _is_elliptical(reading, changes):
        return reading.question
    text, added = before.question, False
    replaced: list[tuple[int, int, str]] = []
    for mention in changes:
        place = next((old for old in before.mentions if _same_place(old, mention)), None)
        if place is None or any(start == place.start for start, _end, _text in replaced):
            added = True
        else:
            replaced.append((place.start, place.end, mention.text))
    for start, end, new in sorted(replaced, reverse=True):
        text = text[:start] + new + text[end:]
    if added:
        rest = _LEADING.sub("", reading.question).strip().rstrip("?？。.")
        text = f"{text.rstrip('?？。. ')} {rest}?" if not replaced else text
    return text


def _says_which(mention: Mention) -> bool:
    kinds = {meaning.kind for meaning in mention.meanings}
    return bool(kinds & {MentionKind.PERIOD, MentionKind.CODE, MentionKind.GROUP, MentionKind.VALUE})


def _is_elliptical(reading: Reading, changes: list[Mention]) -> bool:
    rest, end = [], 0
    for mention in changes:
        rest.append(reading.question[end : mention.start])
        end = mention.end
    left = " ".join([*rest, reading.question[end:]]).casefold()
    words = _LETTERS.findall(_FOLLOW_UP_SIGNS.sub(" ", left))
    return all(word in _FOLLOW_UP_WORDS for word in words)


def _same_place(old: Mention, new: Mention) -> bool:
    before, after = old.meanings[0], new.meanings[0]
    if before.kind is MentionKind.VALUE and after.kind is MentionKind.VALUE:
        return bool(set(before.fields) & set(after.fields))
    return _SAME_PLACE.get(before.kind, before.kind) == _SAME_PLACE.get(after.kind, after.kind)
