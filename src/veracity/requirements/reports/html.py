"""A check as one HTML page to hand to a colleague: `report.html` with the words of `labels.yaml` and the style of `report.css`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.requirements.contracts import Lang
from veracity.requirements.grounded import SLOT
from veracity.requirements.reports.report import CheckedRequirement, CheckReport
from veracity.requirements.reports.text import hundredths, shown_findings, where
from veracity.requirements.rules.rule import info_on
from veracity.yaml_file import packaged

if TYPE_CHECKING:
    from jinja2 import Template

MOST_CARDS = 2_000
"""Requirements shown in full; a page with more is slow to open and read by nobody."""
_MOST_RULES = 12
_SEVERITIES = ("error", "warning", "info")
_HERE = Path(__file__).parent


def labels_in(lang: Lang) -> dict[str, Any]:
    """The words of the page in a language."""
    found: dict[str, Any] = packaged(_HERE / "labels.yaml")[lang]
    return found


def html_page(report: CheckReport, *, made_on: date | None = None) -> str:
    """The whole page, in the language of most requirements."""
    from markupsafe import Markup

    languages = Counter(one.requirement.lang for one in report.requirements)
    lang: Lang = "de" if languages["de"] > languages["en"] else "en"
    shown = [one for one in report.requirements if _is_shown(one)]
    return _template().render(
        report=report,
        say=labels_in(lang),
        lang=lang,
        made_on=made_on.isoformat() if made_on is not None else "",
        names=[Path(file).name for file in report.files[:3]],
        # The style is ours, and is no text to be escaped.
        css=Markup((_HERE / "report.css").read_text(encoding="utf-8")),  # noqa: S704
        rules=list(report.scorecard.findings.items())[:_MOST_RULES],
        title_of=lambda rule: info_on(rule).title[lang],
        most=MOST_CARDS,
        shown=shown,
        fine=[one for one in report.requirements if not _is_shown(one)],
        questions=[
            (one.requirement.id, asked)
            for one in shown[:MOST_CARDS]
            if one.rewrite is not None
            for asked in one.rewrite.assumptions
        ],
    )


@cache
def _template() -> Template:
    """The page; no text of a document can become markup, since whatever is put in is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )
    made.globals |= {
        "hundredths": hundredths,
        "where": where,
        "told": lambda one: shown_findings(one, everything=False),
        "with_findings": _with_findings,
        "with_slots": _with_slots,
    }
    return made.get_template("report.html")


def _printable(value: Any) -> Any:
    """A text with a mark for every character that no page may hold."""
    if type(value) is not str or value.isprintable():
        return value
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\N{REPLACEMENT CHARACTER}" for sign in value)


def _is_shown(one: CheckedRequirement) -> bool:
    return one.fails or bool(shown_findings(one, everything=False))


@dataclass(frozen=True, slots=True)
class _MarkedText:
    """A part of a text, and how it is marked: `mark` is the class of the mark, nothing where there is none."""

    text: str
    mark: str = ""
    tip: str = ""


def _with_findings(one: CheckedRequirement) -> Iterator[_MarkedText]:
    """The text with the words in question marked; where findings overlap, the most severe colours."""
    text = one.requirement.text
    # What covers most of the sentence would mark all of it and show nothing.
    found = [
        finding
        for finding in shown_findings(one, everything=False)
        if 0 < (finding.span[1] - finding.span[0]) * 2 < len(text)
    ]
    edges = sorted({0, len(text), *(min(edge, len(text)) for finding in found for edge in finding.span)})
    for start, end in pairwise(edges):
        over = [finding for finding in found if finding.span[0] <= start and end <= finding.span[1]]
        worst = min((finding.severity for finding in over), key=_SEVERITIES.index, default="")
        yield _MarkedText(text[start:end], worst, ", ".join(dict.fromkeys(finding.rule for finding in over)))


def _with_slots(text: str) -> Iterator[_MarkedText]:
    """A rewrite with its open slots marked."""
    done = 0
    for slot in SLOT.finditer(text):
        yield _MarkedText(text[done : slot.start()])
        yield _MarkedText(slot.group(), "slot")
        done = slot.end()
    yield _MarkedText(text[done:])
