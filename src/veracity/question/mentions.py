"""What was read in a question: mentions, what each may mean, and whether the reader is sure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from veracity.language.periods import Period

Home = tuple[str, str]
"""An entity and one of its fields."""


class MentionKind(StrEnum):
    """What a piece of a question can be."""

    PERIOD = "PERIOD"
    CODE = "CODE"
    GROUP = "GROUP"
    VALUE = "VALUE"
    ENTITY = "ENTITY"
    FIELD = "FIELD"
    NUMBER = "NUMBER"


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing that a mention may stand for."""

    kind: MentionKind
    period: Period | None = None
    entity: str | None = None
    """ENTITY: its name. GROUP: the name of the concept entity with the number range."""
    fields: tuple[Home, ...] = ()
    """CODE, VALUE, FIELD: where it lives, in the catalog's order. GROUP: the queryable entities with its field."""
    value: str | None = None
    """CODE, VALUE: as it is stored. NUMBER: its digits."""
    stored: bool = False
    """CODE, VALUE: the question says the stored value itself, not a word for it."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of the question; `text` is `question[start:end]`."""

    start: int
    end: int
    text: str
    meanings: tuple[Meaning, ...]
    sure: bool


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """A question and what it mentions, in its order and without overlaps."""

    question: str
    lang: str
    mentions: tuple[Mention, ...]

    @property
    def sure(self) -> tuple[Mention, ...]:
        """The mentions that have one meaning beyond doubt."""
        return tuple(mention for mention in self.mentions if mention.sure)

    @property
    def periods(self) -> tuple[Period, ...]:
        """The periods that are sure."""
        return tuple(meaning.period for mention in self.sure for meaning in mention.meanings if meaning.period)

    def of(self, kind: MentionKind) -> tuple[Mention, ...]:
        """The mentions that may be of this kind."""
        return tuple(mention for mention in self.mentions if any(m.kind is kind for m in mention.meanings))
