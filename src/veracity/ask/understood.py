"""A question as it was understood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from veracity.answer.coverage import Stored
from veracity.answer.render import Echo, echo_of
from veracity.ask.completion import standalone
from veracity.language.cues import cues_of
from veracity.question import Lexicon, MentionKind, QuestionReading, read

SHOWN_UNKNOWN = 3
"""So many unknown things are named in a prompt or an answer."""
_REPEATED = frozenset({MentionKind.PERIOD, MentionKind.CODE, MentionKind.VALUE})


@dataclass(frozen=True)
class UnderstoodQuestion:
    """A question with what it names, in which language, and the words that it was read with."""

    question: str
    """As the user wrote it."""
    lang: str
    locale: str
    stored: Stored
    today: date
    words: Callable[[], Lexicon]
    before: UnderstoodQuestion | None = None
    """The question that it may go on from."""

    @cached_property
    def lexicon(self) -> Lexicon:
        """The words that it is read with."""
        return self.words()

    @cached_property
    def full(self) -> str:
        """With what a follow-up leaves out."""
        return self.question if self.before is None else standalone(self._read(self.question), self.before.reading)

    @cached_property
    def reading(self) -> QuestionReading:
        """What it names; only drafts of a model and refusals need it."""
        return self._read(self.full)

    def _read(self, text: str) -> QuestionReading:
        return read(text, self.lexicon, today=self.today, lang=self.lang)

    def completed(self) -> UnderstoodQuestion:
        """The same as a question of its own."""
        return self if self.before is None else replace(self, question=self.full, before=None)

    @cached_property
    def cues(self) -> frozenset[str]:
        """What the question stresses, outside the names of things."""
        text = self.full
        for mention in reversed(self.reading.mentions):
            if mention.sure:
                text = f"{text[: mention.start]} {text[mention.end :]}"
        return cues_of(text)

    @cached_property
    def echo(self) -> Echo:
        """The figures that the question itself says, and the days that its periods mean."""
        periods = [m.meanings[0].period for m in self.reading.mentions if m.meanings]
        days = [day for period in periods if period for day in (period.first, period.last)]
        # Of an earlier question only what this one is still about may be repeated, not every number in it.
        kept = [m.text for m in self.reading.mentions if m.sure and m.meanings[0].kind in _REPEATED]
        return echo_of("\n".join([self.question, *kept]), self.locale, days)
