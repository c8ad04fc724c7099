"""Answers that people called right, as gold questions: asked again, they must come to the same figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from veracity.agent.judged_answers import JudgedAnswer
from veracity.answer.answer import Outcome
from veracity.errors import UsageError
from veracity.evals.cases import EvalCase

TAUGHT = "taught"
"""What `--questions` calls them."""
_MOST_FIGURES = 50
_AMOUNT = re.compile(r"\D*\d{1,3}(?:[,.'’  ]\d{3})*(?:[.,]\d+)?\D*")
"""A figure as it is written for readers; a year or a code of four digits is none."""


def taught_cases(right: Sequence[JudgedAnswer]) -> tuple[EvalCase, ...]:
    """A gold question for each, in the order in which they were judged; of the same question the last verdict counts."""
    newest = {one.question: one for one in reversed(right)}
    if not newest:
        raise UsageError("No answer of this source was called right yet; try: veracity answer right TRACE")
    return tuple(_case(one) for one in newest.values())


def _case(one: JudgedAnswer) -> EvalCase:
    if one.outcome is not Outcome.ANSWERED:
        return EvalCase(id=one.trace_id, question=one.question, lang=one.lang, expected_outcome=one.outcome)
    numbers = dict(list(_numbers(one))[:_MOST_FIGURES])
    texts = tuple(dict.fromkeys(f.text for f in one.figures if f.text not in numbers and f.text.strip()))
    if not numbers and not texts:
        texts = (one.text,)
    return EvalCase(
        id=one.trace_id,
        question=one.question,
        lang=one.lang,
        expected_answer_numeric=numbers,
        expected_answer_contains=texts[:_MOST_FIGURES],
    )


def _numbers(one: JudgedAnswer) -> Iterator[tuple[str, str]]:
    """The figures by how they are written; names, dates, years and codes are texts."""
    for figure in one.figures:
        try:
            number = Decimal(figure.value or "-")
        except InvalidOperation:
            continue
        if number.is_finite() and _AMOUNT.fullmatch(figure.text):
            yield figure.text, str(number)
