"""A check for a terminal: requirement by requirement, places as editors open them, and a summary at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import floor
from typing import Literal

from veracity.contracts import clip
from veracity.language.locale import printable
from veracity.requirements.contracts import Place
from veracity.requirements.reports.report import CheckedRequirement, CheckReport, LocatedFinding

Tone = Literal["id", "error", "warning", "info", "pass", "fail", "dim"]
Paint = Callable[[str, Tone], str]
"""Gives a text its colour; where there are none, it stays as it is."""

_LONGEST_TEXT = 300


def plain(text: str, _tone: Tone) -> str:
    """No colours."""
    return text


def check_lines(report: CheckReport, *, everything: bool = False, paint: Paint = plain) -> Iterator[str]:
    """The lines of a report; without `everything`, requirements that pass without a warning are only counted."""
    for one in report.requirements:
        findings = shown_findings(one, everything=everything)
        if everything or findings or one.fails:
            yield from _requirement(one, findings, paint)
            yield ""
    yield from summary(report, everything=everything, paint=paint)


def shown_findings(one: CheckedRequirement, *, everything: bool) -> tuple[LocatedFinding, ...]:
    """The new findings that are told: hints only where the requirement fails, or when everything is."""
    return tuple(finding for finding in one.fresh if everything or one.fails or finding.severity != "info")


def where(place: Place) -> str:
    """A place as editors and terminals open it: `path:line:column`, or the cell of a workbook."""
    if place.line is not None:
        return printable(f"{place.path}:{place.line}" + (f":{place.column}" if place.column is not None else ""))
    return printable(f"{place.path}:{place.cell}" if place.cell is not None else place.path)


def counted(number: int, what: str) -> str:
    """`1 finding`, `2 findings`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def hundredths(share: float) -> str:
    """Cut, not rounded: 0.899 shown as 0.90 would seem to be in the other band."""
    return f"{floor(share * 100 + 1e-9) / 100:.2f}"


def _requirement(one: CheckedRequirement, findings: Iterable[LocatedFinding], paint: Paint) -> Iterator[str]:
    parts = ", ".join(f"{score.criterion} {score.score:.2f}" for score in one.evaluation)
    verdict = paint(one.verdict, one.verdict) + (" (known)" if one.excused else "")
    yield f"{paint(printable(one.requirement.id), 'id')}  {one.score:.2f} {verdict}  {paint(parts, 'dim')}"
    yield f"  {_marked(one, findings, paint)}"
    for finding in findings:
        by = _by(finding)
        level = paint(f"{finding.severity:<7}", finding.severity)
        yield f"  {where(finding.place)}: {level} {finding.rule}{by}: {printable(finding.message)}"
        if finding.suggestion:
            yield f"      {paint('-> ' + printable(finding.suggestion), 'dim')}"


def _by(finding: LocatedFinding) -> str:
    """Whose finding it is, where it is not simply a rule's."""
    if finding.source == "model":
        return " (model)"
    return " (the model disagrees)" if finding.disputed else " (the model agrees)" if finding.confirmed else ""


def _marked(one: CheckedRequirement, findings: Iterable[LocatedFinding], paint: Paint) -> str:
    """The text on one line, with the words in question in their colour."""
    text, parts, done = one.requirement.text, list[str](), 0
    if len(text) > _LONGEST_TEXT:
        return printable(clip(" ".join(text.split()), _LONGEST_TEXT))
    for finding in sorted(findings, key=lambda finding: (finding.span[0], finding.span[1])):
        start, end = finding.span
        # What covers most of the sentence would colour all of it and show nothing.
        if start >= done and end > start and (end - start) * 2 < len(text):
            parts += [_flat(text[done:start]), paint(_flat(text[start:end]), finding.severity)]
            done = end
    return "".join((*parts, _flat(text[done:])))


def _flat(text: str) -> str:
    return printable(text.replace("\r", "").replace("\n", " ").replace("\t", " "))


def summary(report: CheckReport, *, everything: bool = True, paint: Paint = plain) -> Iterator[str]:
    """The scorecard in a few lines."""
    card = report.scorecard
    criteria = ", ".join(f"{name} {score:.2f}" for name, score in card.criteria.items())
    failed = f"{card.failed:,} below {card.fail_under:.2f}"
    known = f", {card.excused:,} below it and known" if card.excused else ""
    yield (
        f"{counted(card.requirements, 'requirement')}: {card.passed:,} pass, "
        f"{paint(failed, 'fail' if card.failed else 'dim')}{known}; mean {card.score:.2f} ({criteria})"
    )
    told = sum(card.findings.values())
    rules = ", ".join(f"{rule} {count:,}" for rule, count in card.findings.items())
    yield f"{counted(told, 'finding')}{f': {rules}' if rules else ''}"
    if card.known:
        yield f"{counted(card.known, 'known finding')} of the baseline left out"
    hidden = told - sum(len(shown_findings(one, everything=everything)) for one in report.requirements)
    if hidden:
        yield paint(f"{counted(hidden, 'hint')} in requirements that pass not shown; --all shows everything", "dim")
    yield from (f"note: {printable(note)}" for note in report.notes)
