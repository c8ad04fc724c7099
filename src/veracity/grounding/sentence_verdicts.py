"""Each sentence that states data, with one of three verdicts: supported, contradicted, not checkable here."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from veracity.contracts import clip
from veracity.grounding.checked_answer import CheckedAnswer
from veracity.grounding.contracts import Finding, SentenceVerdict, Severity, Support

MOST_SENTENCES = 500
_LONGEST_TEXT = 200
_NOWHERE = frozenset(
    {"not_checkable", "unbound_name", "ambiguous_figure", "placeholder", "required_tools", "failed_tool", "expression"}
)
"""Rules whose findings say that the results tell nothing, not that they say otherwise."""
_WEIGHT: Sequence[Support] = ("supported", "not_checkable", "contradicted")


def sentence_verdicts(answer: CheckedAnswer, found: Sequence[Finding]) -> tuple[SentenceVerdict, ...]:
    """The sentences with a figure, a statement or a finding, each with the gravest verdict of what it says."""
    spans = answer.sentences[:MOST_SENTENCES]
    starts = [start for start, _end in spans]
    told: dict[int, Support] = {}

    def tell(place: int, support: Support) -> None:
        number = max(0, bisect_right(starts, place) - 1)
        if _WEIGHT.index(support) >= _WEIGHT.index(told.get(number, "supported")):
            told[number] = support

    for figure in answer.provenance if spans else ():
        if figure.kind in ("cell", "derived"):
            tell(figure.span[0], "supported")
    for one in answer.statements if spans else ():
        tell(one.span[0], one.truth)
    for finding in found if spans else ():
        if finding.span is not None:
            open_ = finding.rule in _NOWHERE or finding.severity is Severity.WARN
            tell(finding.span[0], "not_checkable" if open_ else "contradicted")
    return tuple(
        SentenceVerdict(
            span=spans[number], text=clip(answer.text[slice(*spans[number])].strip(), _LONGEST_TEXT), support=support
        )
        for number, support in sorted(told.items())
    )
