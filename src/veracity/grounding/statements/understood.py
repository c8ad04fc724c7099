"""How much of a sentence was understood: its words, without those that name, measure, count, relate or hold it together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

from veracity.grounding.binding.cue_words import (
    COMPARED,
    EXCEPT,
    FILLERS,
    FUNCTION,
    HEDGES,
    JOINING,
    LEADING,
    OBLIQUE,
    SEPARATING,
)
from veracity.grounding.binding.mentions import TextLine
from veracity.grounding.statements.cues import cue, degrees_in, fractions, kinds_of_cues
from veracity.grounding.statements.flags import FULL, SOLD_OUT
from veracity.grounding.statements.scene import SOME_TIMES, Scene
from veracity.grounding.statements.superlatives import ORDINAL, RANGE
from veracity.language.numbers import MONTHS
from veracity.language.units import units
from veracity.yaml_file import packaged

_SIGNS_OF_A_WORD = 2
_FIRST_WORDS = 6
_MOST_UNREAD = 2
_HIGHEST = re.compile(r"[a-z]{3,}(?:est|ste[nrs]?)")
"""Driest, trockenste."""
_VERB = re.compile(r"[a-z]{3,}(?:ed|ing)|ge[a-z]{3,}(?:t|en)|[a-z]{3,}(?:te|ten)")
"""Slipped, shrinking, gesunken."""
_TO_SO_MUCH = frozenset({"to", "from", "by", "below", "above", "past", "auf", "um", "von", "unter", "ueber"})
_DETERMINERS = frozenset({"the", "both", "den", "dem", "der", "die", "das", "beiden"})
_QUANTIFIED = ("only", "none", "all", "negated")


class UnderstoodWords:
    """The words of one sentence, and which of them nothing here understands."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.page = scene, scene.page

    def unread(self, start: int, end: int) -> int:
        """How many words between two places were not understood; two signs of a script without spaces are one."""
        at = self.page.tokens.at
        first, last = at(start), at(end)
        words = [self.page.words[word] for word in self.unread_words if first <= word < last]
        signs = sum(not word.isascii() for word in words)
        return len(words) - signs + (signs + 1) // _SIGNS_OF_A_WORD

    def size(self, start: int, end: int) -> int:
        """How many words stand between two places."""
        at = self.page.tokens.at
        words = self.page.words[at(start) : at(end)]
        signs = sum(not word.isascii() for word in words)
        return len(words) - signs + signs // _SIGNS_OF_A_WORD

    def spelt(self, start: int, end: int) -> int:
        """How many of them are no numbers."""
        at = self.page.tokens.at
        figures = sum(word[0].isdigit() for word in self.page.words[at(start) : at(end)])
        return self.size(start, end) - figures

    def unread_claim(self, *, of_all: bool = False) -> bool:
        """Whether words that were not understood may change what is said.

        Too many do; so does a superlative, a verb of change (slipped to 3,200), and any verb where rows are counted by it (only A
        missed the target), unless a figure was found in all rows. Another verb beside a figure of the row (delivered 59) claims nothing else.
        """
        words = self.page.words
        spelt = [at for at in self.unread_words if words[at].isascii()]
        only = self.scene.has("only") and len(spelt) > 1  # Which of several things is so of one row alone?
        if (
            only
            or len(self.unread_words) > _MOST_UNREAD
            or any(_HIGHEST.fullmatch(words[at]) for at in self.unread_words)
        ):
            return True
        verbs = [at for at in self.unread_words if _VERB.fullmatch(words[at]) and not self._is_noun(at)]
        counted = bool(verbs) and not of_all and (self.scene.has(*_QUANTIFIED) or self.scene.fraction is not None)
        alone = (at for at in verbs if words[at].endswith("ed") and self._ends_without_figure(at))
        return counted or any(alone) or any(not _TO_SO_MUCH.isdisjoint(words[at + 1 : at + 2]) for at in verbs)

    def unread_name(self, line: TextLine) -> bool:
        """Whether a word that was not understood is written as names are, behind a preposition: out of Zurich, im Nähkurs."""
        return any(
            line.first < at < line.last
            and self._is_led_by_preposition(at, line)
            and self.page.text[self.page.tokens.starts[at]].isupper()
            for at in self.strange_words
        )

    def _is_led_by_preposition(self, at: int, line: TextLine) -> bool:
        """Whether a preposition stands before a word, or before its article: in Zurich, auf den beiden Feldern."""
        first = at - 1
        while first > line.first and self.page.words[first] in _DETERMINERS:
            first -= 1
        return self.page.words[first] in OBLIQUE

    def _is_noun(self, at: int) -> bool:
        """Whether a word within a sentence is written with a capital, as German nouns are: 22 Punkte."""
        return at > self.scene.line.first and self.page.text[self.page.tokens.starts[at]].isupper()

    def _ends_without_figure(self, at: int) -> bool:
        """Whether a verb ends a part of the sentence that says no figure: while B and C improved."""
        end = self.page.tokens.ends[at]
        part = next((one for one in self.scene.clauses if one.line.start < end <= one.line.end), self.scene)
        return not part.figures and not self.page.text[end : part.line.end].strip(" .,;!")

    @cached_property
    def strange_words(self) -> list[int]:
        """The numbers of the words that were not understood, in their order."""
        page, line, known = self.page, self.scene.line, _known_words()
        named, of_data = set(self._named()), page.index.words_of_columns
        found = [
            at
            for at in range(line.first, line.last)
            if (word := page.words[at]) not in known
            and at not in named
            and not word[0].isdigit()
            and word not in of_data
            and page.tokens.roots[at] not in of_data
            and word not in units()
            and not (len(word) == 1 and word.isascii())
        ]
        if not found:
            return found  # Most sentences say nothing else.
        return [at for at in found if at not in self._counted]

    @cached_property
    def _counted(self) -> set[int]:
        """The words of figures, and those that relate values."""
        return set(self._figures()) | set(self._cued())

    @cached_property
    def unread_words(self) -> list[int]:
        """The numbers of the words that were not understood, in their order, without what the rows are."""
        found, page, line = self.strange_words, self.page, self.scene.line
        if not found:
            return found
        counted = self._counted
        # What the rows are: none of the open tickets, zwei Bäder.
        first = found[0] if found else line.first
        leads = 0 < first - line.first < _FIRST_WORDS and page.words[first].isascii()
        amounts = {one.last for one in self.scene.figures if one.meaning.unit is not None}
        if leads and (page.words[first - 1] in FUNCTION or (first - 1 in counted and first - 1 not in amounts)):
            return [at for at in found if page.words[at] != page.words[first]]
        return found

    @property
    def noun_of_rows(self) -> bool:
        """Whether a word that nothing understands was taken for what the rows are."""
        return len(self.unread_words) < len(self.strange_words)

    def _named(self) -> Iterator[int]:
        for one in (*self.scene.names, *self.scene.columns):
            yield from range(one.first, one.last + 1)

    def _figures(self) -> Iterator[int]:
        at = self.page.tokens.at
        for one in self.scene.every_figure:
            first = at(one.figure.start)
            yield from range(first, max(at(one.figure.end), first + 1))
        for one in self.scene.figures:
            yield from range(one.first, one.last + 1)

    def _cued(self) -> Iterator[int]:
        """The words that relate values in a way that is known."""
        folded = self.scene.folded
        spans = [found.span() for pattern in _patterns() for found in pattern.finditer(folded)]
        spans += [(one.start, one.stop) for which in _DEGREES for one in degrees_in(folded, which)]
        spans += [(one.start, one.stop) for one in self.scene.compared_so()]
        at = self.page.tokens.at
        for first, last in spans:
            if last > first:
                start, end = self.scene.original(first, last)
                yield from range(at(start), at(end))


_DEGREES: tuple[Literal["comparative", "superlative"], ...] = ("comparative", "superlative")


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    signs = re.compile("|".join(_plain()["zh"].split()))
    apart = (re.compile(pattern.pattern.removesuffix("$")) for pattern in (COMPARED, EXCEPT))
    parts = (pattern for pattern, _part in fractions())
    return (*map(cue, kinds_of_cues()), *parts, *apart, ORDINAL, RANGE, SOLD_OUT, FULL, SOME_TIMES, signs)


@cache
def _known_words() -> frozenset[str]:
    said = {word for lang in ("en", "de") for word in _plain()[lang].split()}
    said |= {f"{word.removesuffix('e')}ing" for word in _plain()["en"].split()}
    return FUNCTION | LEADING | FILLERS | JOINING | SEPARATING | HEDGES | frozenset(MONTHS) | said


@cache
def _plain() -> Any:
    return packaged(Path(__file__).with_name("plain_words.yaml"))
