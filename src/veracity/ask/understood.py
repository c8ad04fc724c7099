"""A question as it was understood, and what the ontology's patterns know about it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from veracity.answer.coverage import Stored
from veracity.answer.render import Echo, echo_of
from veracity.answer.results import Result
from veracity.answer.unknown_things import things
from veracity.language.cues import cues_of
from veracity.language.locale import pick
from veracity.language.texts import say
from veracity.offline.patterns import PERIOD_SLOTS, Filled, fill, next_step
from veracity.ontology.compiler import nearest_patterns
from veracity.ontology.descriptor import Slot, ToolCall
from veracity.query.catalog import Catalog
from veracity.question import Lexicon, MentionKind, QuestionReading

if TYPE_CHECKING:
    from veracity.offline.pattern_planner import Planner

SHOWN_UNKNOWN = 3
"""So many unknown things are named in a prompt or an answer."""
_SHOWN_PATTERNS = 2
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


@dataclass(frozen=True)
class PatternHints:
    """What canonical patterns tell a language model about one question: calls to make, words nobody knows, what is left open."""

    question: UnderstoodQuestion
    catalog: Catalog
    are_shown: bool = True
    """Whether the prompt shows patterns; the offline model finds its own."""
    sure: Sequence[Filled] = ()
    """The patterns that know every word of the question and take it all up."""
    unknown: tuple[str, ...] = ()
    """Things in the question that nothing in the data and none of the patterns is called."""
    left_open: tuple[Slot, ...] = ()
    """What the question would have to say to be answered."""

    @classmethod
    def of(cls, question: UnderstoodQuestion, catalog: Catalog, planner: Planner, *, are_shown: bool) -> PatternHints:
        """What a planner that knows the words of the patterns says of a question."""
        known = (question.reading, question.lexicon, question.stored, question.today)
        unknown = planner.unknown(question.reading, question.lexicon, question.today)
        return cls(
            question,
            catalog,
            are_shown,
            planner.surely(*known),
            things(question.full, unknown, question.lang),
            planner.left_open(*known),
        )

    @cached_property
    def nearest(self) -> list[Filled]:
        """The patterns to show for the question: one that fits, or a few that are like it."""
        ontology, question = self.catalog.ontology, self.question
        if ontology is None:
            return []
        if self.sure:
            (best,) = nearest_patterns([one.pattern for one in self.sure], question.full, count=1)
            return [one for one in self.sure if one.pattern is best][:1]
        patterns = ontology.canonical_patterns
        filled = {p.intent: fill(p, question.reading, self.catalog, question.stored) for p in patterns}
        if self.unknown:  # however well the rest fits, the question may be about just that
            filled = {name: replace(one, uncovered=(*one.uncovered, *self.unknown)) for name, one in filled.items()}
        # One that takes up everything the question names is shown alone: of two, small models mix the parts.
        fitting = [pattern for pattern in patterns if filled[pattern.intent].complete]
        near = nearest_patterns(
            fitting or [pattern for pattern in patterns if not filled[pattern.intent].misfit],
            question.full,
            count=1 if fitting else _SHOWN_PATTERNS,
        )
        return [filled[pattern.intent] for pattern in near]

    def way_out(self) -> str | None:
        """How to end where the question cannot be answered as it stands: the call that asks back or declines."""
        lang = self.question.lang
        if any(slot.kind in PERIOD_SLOTS for slot in self.left_open):
            question = {"question": say("which_period", lang), "options": ""}
            return f"clarify {json.dumps(question, ensure_ascii=False)}"
        if self.unknown:
            near = ", ".join(pick(one.pattern.description, lang) for one in self.nearest)
            parts = [say("not_in_data", lang, words=", ".join(self.unknown[:SHOWN_UNKNOWN]))]
            parts += [say("nearest", lang, patterns=near)] if near else []
            return f"abstain {json.dumps({'reason': ' '.join(parts)}, ensure_ascii=False)}"
        return None

    def guide(self, speak: Callable[[ToolCall], ToolCall]) -> Callable[[Mapping[str, Result]], str | None] | None:
        """Where one pattern takes up the whole question: its next step, given the results so far."""
        if not self.are_shown or not self.nearest or not self.nearest[0].complete:
            return None
        pattern, question = self.nearest[0], self.question
        return lambda results: next_step(pattern, question.lang, question.locale, results, speak)
