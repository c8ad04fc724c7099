"""Gherkin features, in English and German: a requirement per scenario, and the user story above them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from veracity.requirements.contracts import Lang
from veracity.requirements.reading.document import Found, Span
from veracity.requirements.reading.drafts import Draft, Strand
from veracity.requirements.reading.marks import binds, is_code
from veracity.requirements.reading.source import Line, Source, read_source

_SCENARIO = "Scenario Outline|Scenario Template|Scenario|Example|Szenariogrundriss|Szenarien|Szenario|Beispiel"
_PART = re.compile(
    r"[ \t]*(?P<part>Feature|Business Need|Ability|Funktionalität|Funktion|Rule|Regel|Background|Grundlage|Hintergrund|"
    rf"Voraussetzungen|Vorbedingungen|Examples|Scenarios|Beispiele|{_SCENARIO})[ \t]?:[ \t]*"
)
_IS_SCENARIO = re.compile(_SCENARIO)
_STORY_PARTS = frozenset(("Feature", "Business Need", "Ability", "Funktionalität", "Funktion", "Rule", "Regel"))
_STEP = re.compile(
    r"[ \t]*(?:Given|When|Then|And|But|\*|Gegeben seien|Gegeben sei|Gegeben ist|Gegeben sind|Gegeben|Angenommen|Wenn|Dann|"
    r"Und|Aber)(?:[ \t]+|$)"
)
_LANGUAGE = re.compile(r"[ \t]*#[ \t]*language[ \t]*:[ \t]*(\w{2})")
_DOC_STRINGS = ('"""', "```")


@dataclass(slots=True)
class _Part:
    """A feature, rule or scenario: its name, what is told about it, and its steps."""

    word: str
    name: Span
    told: list[Span] = field(default_factory=list)
    steps: list[Span] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    scenarios: list[Span] = field(default_factory=list)


class _Feature:
    """Goes through the lines of a feature once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.parts: list[_Part] = []
        self.lang: Lang | None = None
        self.tags: list[str] = []
        self.quote: str | None = None
        self.story: _Part | None = None
        """The feature or rule that scenarios stand under."""

    def read(self) -> list[_Part]:
        for line in self.source.lines():
            text = line.text.strip()
            opened = next((mark for mark in _DOC_STRINGS if text.startswith(mark)), None)
            if self.quote is not None or (opened and self.parts):
                self.quote = None if self.quote and text.startswith(self.quote) else self.quote or opened
            elif text.startswith("#"):
                found = _LANGUAGE.match(line.text[:80])
                self.lang = _lang(found[1]) if found else self.lang
            elif text.startswith("@"):
                self.tags += text.split()
            elif text and not text.startswith("|"):
                self._line(line)
        return self.parts

    def _line(self, line: Line) -> None:
        found = _PART.match(line.text)
        start = line.start + len(line.text) - len(line.text.lstrip())
        end = line.start + len(line.text.rstrip())
        if found is not None:
            part = _Part(found["part"], (min(line.start + found.end(), end), end), tags=self.tags)
            self.tags = []
            self.parts.append(part)
            if part.word in _STORY_PARTS:
                self.story = part
            elif self.story is not None and _IS_SCENARIO.fullmatch(part.word):
                self.story.scenarios.append(part.name)
        elif self.parts and _STEP.match(line.text[:40]):
            self.parts[-1].steps.append((start, end))
        elif self.parts and not self.parts[-1].steps:
            self.parts[-1].told.append((start, end))


def read_gherkin(path: Path, column: str | None = None) -> Found:  # noqa: ARG001 - a feature has no columns
    """The scenarios of a feature, and the stories and rules that they stand under."""
    source = read_source(path)
    feature = _Feature(source)
    drafts = [_draft(source, part, feature.lang) for part in feature.read()]
    nothing = f"{path} holds no scenario; a feature begins with `Feature:` or `Funktionalität:`."
    return Found([draft.entry(source) for draft in drafts if draft is not None], nothing, source)


def _lang(code: str) -> Lang | None:
    return "de" if code == "de" else "en" if code == "en" else None


def _draft(source: Source, part: _Part, lang: Lang | None) -> Draft | None:
    name = next((tag.lstrip("@") for tag in part.tags if is_code(tag.lstrip("@"))), None)
    if _IS_SCENARIO.fullmatch(part.word):
        lines = [span for span in (part.name, *part.steps) if span[0] < span[1]]
        strands = [Strand((span,)) for span in lines]
        return Draft(name, strands, kind="gherkin", lang=lang) if part.steps else None
    if part.word not in _STORY_PARTS:
        return None
    told = _story(source, part.told) or (_story(source, [part.name]) if part.name[0] < part.name[1] else [])
    if not told:
        return None
    listed = [Strand((span,), "- ", belongs=True) for span in part.scenarios if span[0] < span[1]]
    return Draft(name, [Strand(tuple(told)), *listed], lang=lang)


def _story(source: Source, spans: Sequence[Span]) -> list[Span]:
    """The lines of a text that obliges; none of a text that only explains."""
    text = " ".join(source.text[start:end] for start, end in spans)
    return list(spans) if binds(text) else []
