"""Errors for people. What the model should act on is never raised: it is a `ToolResult` with `errorDetails`.

VeracityError            anything below; its text is one sentence that says what is wrong and what to do
├── UsageError           the command, argument, scope or setting is wrong
│   ├── ReviewClosed     a review is decided already, or its deadline has passed
│   ├── QuestionClosed   a question is answered already, or its deadline has passed
│   └── JobConflict      an idempotency key came back with another request
├── SourceError          a source cannot be opened or read
│   └── QueryFailed      the engine refused or stopped one statement
├── OntologyError        an ontology file is broken, or does not fit its models
├── SkillError           a skill file is broken, or a skill cannot be run
└── ModelError           a language model cannot be reached or used
    └── ModelTimedOut    it took longer than it may
"""

from __future__ import annotations


class VeracityError(Exception):
    """Base of every error shown to a person.

    The message is for whoever runs the program and may name a file. `told` is for everybody else and names none.
    """

    def __init__(self, message: str = "", told: str = "") -> None:
        super().__init__(message)
        self.told = told or message


class UsageError(VeracityError):
    """The caller asked in a way that cannot work."""


class ReviewClosed(UsageError):
    """A review cannot be decided any more; nothing was changed."""


class QuestionClosed(UsageError):
    """A question cannot be answered any more; nothing was changed."""


class JobConflict(UsageError):
    """The same idempotency key came with another request."""


class SourceError(VeracityError):
    """A source cannot be opened or read."""


class QueryFailed(SourceError):
    """One statement failed at the engine; the message holds no SQL and no credentials."""


class OntologyError(VeracityError):
    """An ontology cannot be loaded."""


class SkillError(VeracityError):
    """A skill cannot be loaded or run."""


class ModelError(VeracityError):
    """A language model cannot be reached or used; the message holds no key.

    The message is for whoever chose the model and may name its address. `told` is for everybody else and names none.
    """

    def __init__(self, message: str, told: str = "") -> None:
        super().__init__(
            message, told or "The language model cannot be used right now; try again later, or tell the operator."
        )


class ModelTimedOut(ModelError):
    """A language model took longer than a request may."""


class ModelRefused(ModelError):
    """A model's server does not take a request as it is."""


def told_to_others(error: VeracityError) -> str:
    """An error for those who only ask: what happened, but not where the model or a file is."""
    return error.told
