"""The question reader: what a question names, read once, without any model."""

from veracity.language.detect import language_of
from veracity.language.periods import Period
from veracity.question.lexicon import Lexicon
from veracity.question.mentions import Meaning, Mention, MentionKind, QuestionReading
from veracity.question.reader import read

__all__ = ["Lexicon", "Meaning", "Mention", "MentionKind", "Period", "QuestionReading", "language_of", "read"]
