"""A question as it was understood."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cached_property

from veracity.answer.coverage import Stored
from veracity.answer.render import Echo, echo_of
from veracity.language.cues import cues_of
from veracity.question import Lexicon, MentionKind, QuestionReading

SHOWN_UNKNOWN = 3
"""So many unknown things are named in a prompt or an answer."""
_REPEATED = frozenset({MentionKind.PERIOD, MentionKind.CODE, MentionKind.VALUE})


@dataclass(frozen=True)
class UnderstoodQuestion:
    """A question with what it names, in which language, and the words that it was read with."""

    question: str
    """As the user wrote it."""
    full: str
    """With what a follow-up leaves out."""
    lang: str
    locale: str
    reading: QuestionReading
    stored: Stored
    lexicon: Lexicon
    today: date

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
