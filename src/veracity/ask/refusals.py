"""Questions back and refusals, in the program's words: what a model writes there is nobody's proof, and is dropped.

What is told is typed: the things of the question that nothing is called, calls that found no row, a period that is not said.
"""

from __future__ import annotations

from veracity.agent.draft import Draft
from veracity.agent.loop import Run
from veracity.answer.answer import Clarification
from veracity.answer.markup import markup_in
from veracity.ask.understood import SHOWN_UNKNOWN, UnderstoodQuestion
from veracity.language.texts import say
from veracity.question import MentionKind, read


def refusal_text(run: Run, question: UnderstoodQuestion, unknown: tuple[str, ...]) -> str:
    """Why there is no answer, as far as the program knows it."""
    if unknown:
        return say("not_in_data", question.lang, words=", ".join(unknown[:SHOWN_UNKNOWN]))
    found = [log for log in run.calls if log.success and log.row_count is not None]
    if found and not any(log.row_count for log in found):
        return say("no_row_matches", question.lang)
    return say("declined", question.lang)


def question_back(draft: Draft, question: UnderstoodQuestion) -> Clarification:
    """What is left open, and those of the model's suggestions that are something in the data or a period."""
    options = tuple(dict.fromkeys(option.strip() for option in draft.options if _is_known(option, question)))
    period = not question.reading.of(MentionKind.PERIOD) or (options and all(_is_period(o, question) for o in options))
    return Clarification(question=say("which_period" if period else "which_one", question.lang), options=options)


def _is_known(option: str, question: UnderstoodQuestion) -> bool:
    """Whether a suggestion is the name of something, from its first letter to its last."""
    text = option.strip()
    if not text or markup_in(text):
        return False
    said = read(text, question.lexicon, today=question.today, lang=question.lang)
    named = {at for mention in said.mentions if mention.meanings for at in range(mention.start, mention.end)}
    return all(at in named or not sign.isalnum() for at, sign in enumerate(text))


def _is_period(option: str, question: UnderstoodQuestion) -> bool:
    said = read(option, question.lexicon, today=question.today, lang=question.lang)
    return bool(said.of(MentionKind.PERIOD))
