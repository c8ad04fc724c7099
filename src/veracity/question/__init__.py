"""The question reader: what a question names, read once, without any model."""

from veracity.question.language import language_of
from veracity.question.lexicon import Lexicon
from veracity.question.reader import read
from veracity.question.reading import Meaning, Mention, MentionKind, Period, Reading

__all__ = ["Lexicon", "Meaning", "Mention", "MentionKind", "Period", "Reading", "language_of", "read"]
