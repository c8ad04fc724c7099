"""Unbound figures: a number or date that no cell bears out does not get out."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.answer.render import FigureProvenance
from veracity.grounding.binding.text import Bound
from veracity.grounding.case import GuardCase
from veracity.grounding.contracts import Finding, Severity
from veracity.grounding.messages import finding
from veracity.grounding.required_tools import asks_back


def figures_bound(case: GuardCase) -> Iterator[Finding]:
    """Every figure is bound to its cell, computed as declared, the question's own or a constant."""
    how = {one.provenance.span: one for one in case.bound}
    for one in case.provenance:
        if one.status != "bound" and not asks_back(one, case):
            yield _finding(one, how.get(one.span), case)


def _finding(one: FigureProvenance, how: Bound | None, case: GuardCase) -> Finding:
    if one.status == "ambiguous":
        found = finding(case, "ambiguous_figure", one.span)
        lenient = case.config.mode == "lenient"
        return found.model_copy(update={"severity": Severity.WARN}) if lenient else found
    key, values = _said(how)
    return finding(case, "unbound_figure", one.span, key=key, **values)


def _said(how: Bound | None) -> tuple[str, dict[str, str]]:
    """Which message fits, and what it names."""
    # A name in the place of a figure says nothing to the reader.
    nearest = how.nearest if how is not None and how.nearest and any(ch.isdigit() for ch in how.nearest) else None
    if how is None:
        return "unbound_figure", {}
    if how.why == "expression":
        came = f"-> {nearest}" if nearest else ""
        return "claim_wrong", {"hint": " ".join(part for part in (how.hint, came) if part)}
    if how.why == "wrong unit" and nearest:
        return "wrong_unit", {"nearest": nearest}
    if how.why in ("negated", "excluded"):
        return "figure_denied", {}
    if how.hint == "question":
        return "figure_of_question", {}
    if nearest:
        return "other_figure", {"nearest": nearest}
    return ("figure_elsewhere" if how.why == "other row or column" else "unbound_figure"), {}
