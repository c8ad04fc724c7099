"""Corrections are offered only where following one makes the sentence verified.

The figure is replaced in its sentence, with the sentences before it that say what it is about, and all of that is bound and
checked again. What speaks of a season, a career or an average that no column holds is not corrected: the data does not say it.
"""

from __future__ import annotations

from dataclasses import replace

from veracity.grounding.binding.bind import Bound
from veracity.grounding.binding.cue_words import ELSEWHERE
from veracity.grounding.checked_answer import CheckedAnswer
from veracity.language.units import quantities

MOST_TRIED = 8
"""So many corrections of one answer are tried."""
_BEFORE = 3
"""Sentences that may say what a figure is about."""
_LONGEST = 4_000


def with_unit(answer: CheckedAnswer, span: tuple[int, int]) -> tuple[int, int]:
    """Where a figure stands together with the unit beside it."""
    first, last = next((one for one in answer.sentences if one[0] <= span[0] < one[1]), (0, len(answer.text)))
    for found in quantities(answer.text[first:last], answer.locale):
        if found.figure.start == span[0] - first:
            return first + found.start, first + found.end
    return span


def corrected(answer: CheckedAnswer, one: Bound, instead: str) -> bool:
    """Whether the answer is verified in this place once a figure is replaced."""
    start, end = one.provenance.span
    spans = answer.sentences
    at = next((number for number, (first, last) in enumerate(spans) if first <= start < last), None)
    if at is None:
        return False
    first, last = spans[max(0, at - _BEFORE)][0], spans[at][1]
    if last - first > _LONGEST or ELSEWHERE.search(answer.text, spans[at][0], last):
        return False
    if answer.text[first:last].rstrip().endswith((":", "：")):
        return False  # What it announces stands below.
    if one.why == "wrong unit":
        start, end = with_unit(answer, (start, end))
    text = f"{answer.text[first:start]}{instead}{answer.text[end:last]}"
    again = replace(answer, text=text, index=answer.page.index, claims=(), as_read=True)
    place = start - first
    figures = [other for other in again.bound if place <= other.figure.start < place + len(instead)]
    if not figures or any(other.provenance.status != "bound" for other in figures):
        return False
    if any(other.provenance.kind not in ("cell", "derived") for other in figures):
        return False
    # What is wrong or open in the sentence may be what the figure was about.
    return not any(said.truth != "supported" and said.span[1] > spans[at][0] - first for said in again.statements)
