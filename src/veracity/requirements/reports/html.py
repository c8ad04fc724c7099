"""HTML out of elements: whatever is not already markup is escaped, so that no text of a document can become markup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path

from veracity.requirements.contracts import Criterion, DuplicatePair, Lang, Record, Rewrite, Severity
from veracity.requirements.grounded import SLOT
from veracity.requirements.reports.report import CheckedRequirement, CheckReport, LocatedFinding
from veracity.requirements.reports.text import hundredths, shown_findings, where
from veracity.requirements.rules.rule import info_on
from veracity.yaml_file import packaged


class Html(str):
    """Finished markup."""

    __slots__ = ()


def el(name: str, *children: str, **attributes: str | None) -> Html:
    """An element; plain texts in it are escaped. `class_` stands for `class`, None leaves an attribute out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}>{''.join(map(text, children))}</{name}>")


def text(given: str) -> Html:
    """A text as markup, with a mark for every character that no page may hold."""
    if isinstance(given, Html):
        return given
    if not given.isprintable():
        given = "".join(sign if sign.isprintable() or sign in "\n\t" else "\N{REPLACEMENT CHARACTER}" for sign in given)
    return Html(escape(given, quote=True))


# --- the words of the HTML report, in either language


class Labels(Record):
    """What the page says around the findings."""

    title: str
    scorecard: str
    mean: str
    requirements: str
    passed: str
    failed: str
    excused: str
    criteria_title: str
    criteria: dict[Criterion, str]
    rules_title: str
    findings: str
    verdicts: dict[str, str]
    severities: dict[Severity, str]
    model: str
    disputed: str
    confirmed: str
    after: str
    duplicates: str
    bands: dict[str, str]
    not_compared: str
    no_duplicates: str
    questions: str
    requirement: str
    question: str
    suggested: str
    no_questions: str
    passing: str
    nothing: str
    more: str
    left_out: str
    footer: str


@cache
def labels_in(lang: Lang) -> Labels:
    """The words of the page in a language."""
    return Labels.model_validate(packaged(Path(__file__).with_name("labels.yaml"))[lang])


# --- a check as one HTML page to hand to a colleague: it loads nothing, follows light and dark, and prints


MOST_CARDS = 2_000
"""Requirements shown in full; a page with more is slow to open and read by nobody."""
_MOST_RULES = 12
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_SEVERITIES = ("error", "warning", "info")


def html_page(report: CheckReport, *, made_on: date | None = None) -> str:
    """The whole page, in the language of most requirements."""
    lang = _language(report)
    say = labels_in(lang)
    shown = [one for one in report.requirements if _is_shown(one)]
    sections = (
        _scorecard(report, say, lang),
        _cards(shown, say),
        _duplicates(report, say),
        _questions(shown, say),
        _passing(report, say),
    )
    head = el(
        "head",
        Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
        el("title", f"{say.title}: {', '.join(Path(file).name for file in report.files[:3])}"),
        el("style", Html(Path(__file__).with_name("report.css").read_text(encoding="utf-8"))),
    )
    body = el("body", _header(report, say, made_on), el("main", *sections), el("footer", say.footer))
    return f"<!DOCTYPE html>\n{el('html', head, body, lang=lang)}"


def _language(report: CheckReport) -> Lang:
    found = Counter(one.requirement.lang for one in report.requirements)
    return "de" if found["de"] > found["en"] else "en"


def _is_shown(one: CheckedRequirement) -> bool:
    return one.fails or bool(shown_findings(one, everything=False))


# --- the top


def _header(report: CheckReport, say: Labels, made_on: date | None) -> Html:
    more = len(report.files) - 5
    files = ", ".join(report.files[:5]) + (f" {say.more.format(count=more)}" if more > 0 else "")
    links = (("#findings", say.findings), ("#duplicates", say.duplicates), ("#questions", say.questions))
    about = f"{files} · {made_on.isoformat()}" if made_on is not None else files
    return el(
        "header",
        el("h1", say.title),
        el("p", about, class_="about"),
        el("nav", *(el("a", name, href=target) for target, name in links)),
    )


def _scorecard(report: CheckReport, say: Labels, lang: Lang) -> Html:
    card = report.scorecard
    tiles = (
        _tile(f"{card.score:.2f}", say.mean, "good" if card.score >= card.fail_under else "bad"),
        _tile(f"{card.requirements:,}", say.requirements),
        _tile(f"{card.passed:,}", say.passed, "good"),
        _tile(f"{card.failed:,}", say.failed.format(mark=f"{card.fail_under:.2f}"), "bad" if card.failed else None),
        *([_tile(f"{card.excused:,}", say.excused)] if card.excused else []),
    )
    criteria = [
        _bar(say.criteria[name], score, f"{score:.2f}", good=score >= card.fail_under)
        for name, score in card.criteria.items()
    ]
    most = max(card.findings.values(), default=1)
    rules = [
        _bar(info_on(rule).title[lang], count / most, f"{count:,}", tip=rule)
        for rule, count in list(card.findings.items())[:_MOST_RULES]
    ]
    return el(
        "section",
        el("div", *tiles, class_="tiles"),
        el(
            "div",
            el("div", el("h3", say.criteria_title), *criteria),
            el("div", el("h3", say.rules_title), *(rules or [el("p", say.nothing)])),
            class_="columns",
        ),
        *(el("p", note, class_="note") for note in report.notes),
        id="scorecard",
        aria_label=say.scorecard,
    )


def _tile(figure: str, name: str, tone: str | None = None) -> Html:
    return el("div", el("strong", figure), el("span", name), class_=f"tile {tone}" if tone else "tile")


def _bar(name: str, share: float, figure: str, *, good: bool | None = None, tip: str | None = None) -> Html:
    tone = "" if good is None else " good" if good else " bad"
    full = el("i", style=f"width:{max(0.0, min(1.0, share)) * 100:.0f}%")
    return el("div", el("span", name), el("b", full, class_="track"), el("em", figure), class_=f"bar{tone}", title=tip)


# --- requirements


def _cards(shown: Sequence[CheckedRequirement], say: Labels) -> Html:
    cards = [_card(one, say) for one in shown[:MOST_CARDS]]
    left = len(shown) - len(cards)
    if left > 0:
        cards.append(el("p", say.left_out.format(count=f"{left:,}"), class_="note"))
    return el("section", el("h2", say.findings), *(cards or [el("p", say.nothing)]), id="findings")


def _card(one: CheckedRequirement, say: Labels) -> Html:
    findings = shown_findings(one, everything=False)
    verdict = say.verdicts[one.verdict] if not one.excused else say.excused
    head = el(
        "h3",
        el("span", one.requirement.id, class_="id"),
        el("span", f"{one.score:.2f} {verdict}", class_="chip good" if not one.fails else "chip bad"),
        el("span", where(one.requirement.place), class_="place"),
    )
    return el(
        "article",
        head,
        el("p", *_marked(one.requirement.text, findings), class_="text", lang=one.requirement.lang),
        el("ul", *(_finding(finding, say) for finding in findings), class_="findings"),
        *([_after(one.rewrite, say, one.requirement.lang)] if one.rewrite is not None else []),
    )


def _finding(finding: LocatedFinding, say: Labels) -> Html:
    by = say.model if finding.source == "model" else None
    opinion = say.disputed if finding.disputed else say.confirmed if finding.confirmed else None
    marks = [el("span", mark, class_="by") for mark in (by, opinion) if mark is not None]
    return el(
        "li",
        el("span", finding.rule, class_=f"rule {finding.severity}", title=say.severities[finding.severity]),
        el("span", finding.message, class_="message"),
        *marks,
        *([el("span", finding.suggestion, class_="advice")] if finding.suggestion else []),
        class_="disputed" if finding.disputed else None,
    )


def _marked(text: str, findings: Sequence[LocatedFinding]) -> Iterator[str]:
    """The text with the words in question marked; where findings overlap, the most severe colours."""
    # What covers most of the sentence would mark all of it and show nothing.
    spans = [one for one in findings if one.span[1] > one.span[0] and (one.span[1] - one.span[0]) * 2 < len(text)]
    edges = sorted({0, len(text), *(min(edge, len(text)) for one in spans for edge in one.span)})
    for start, end in pairwise(edges):
        over = [one for one in spans if one.span[0] <= start and end <= one.span[1]]
        if over:
            worst = min((one.severity for one in over), key=_SEVERITIES.index)
            rules = ", ".join(dict.fromkeys(one.rule for one in over))
            yield el("mark", text[start:end], class_=worst, title=rules)
        else:
            yield text[start:end]


def _after(rewrite: Rewrite, say: Labels, lang: str | None) -> Html:
    criteria = [el("li", *_with_slots(one)) for one in rewrite.acceptance_criteria]
    return el(
        "div",
        el("h4", say.after),
        el("p", *_with_slots(rewrite.corrected_text), class_="text", lang=lang),
        *([el("ul", *criteria, class_="criteria", lang=lang)] if criteria else []),
        class_="after",
    )


def _with_slots(text: str) -> Iterator[str]:
    """A rewrite with its open slots marked."""
    done = 0
    for slot in SLOT.finditer(text):
        yield text[done : slot.start()]
        yield el("mark", slot.group(), class_="slot")
        done = slot.end()
    yield text[done:]


# --- duplicates, questions, the rest


def _duplicates(report: CheckReport, say: Labels) -> Html:
    if report.duplicates is None:
        told = [el("p", say.not_compared)]
    else:
        told = [_pair(pair, report, say) for pair in report.duplicates[:MOST_CARDS]] or [el("p", say.no_duplicates)]
    return el("section", el("h2", say.duplicates), *told, id="duplicates")


def _pair(pair: DuplicatePair, report: CheckReport, say: Labels) -> Html:
    both = [report.requirements[at].requirement for at in (pair.req1_idx, pair.req2_idx)]
    group = "veto" if pair.vetoes else pair.band
    head = el(
        "h3",
        el("span", hundredths(pair.similarity), class_="id"),
        el("span", say.bands[group], class_=f"chip {group}"),
    )
    rows = [
        el(
            "p",
            el("span", one.id, class_="id"),
            " ",
            one.text,
            " ",
            el("span", where(one.place), class_="place"),
            lang=one.lang,
        )
        for one in both
    ]
    return el("article", head, *rows, el("p", pair.reason, class_="advice"))


def _questions(shown: Sequence[CheckedRequirement], say: Labels) -> Html:
    rows = [
        el(
            "tr",
            el("th", one.requirement.id, scope="row"),
            el("td", asked.question),
            el("td", " · ".join(asked.suggested_answers)),
        )
        for one in shown[:MOST_CARDS]
        if one.rewrite is not None
        for asked in one.rewrite.assumptions
    ]
    names = el("tr", *(el("th", name, scope="col") for name in (say.requirement, say.question, say.suggested)))
    table = el("table", el("thead", names), el("tbody", *rows))
    return el("section", el("h2", say.questions), table if rows else el("p", say.no_questions), id="questions")


def _passing(report: CheckReport, say: Labels) -> Html:
    fine = [one for one in report.requirements if not _is_shown(one)]
    rows = [
        el(
            "tr",
            el("th", one.requirement.id, scope="row"),
            el("td", f"{one.score:.2f}"),
            el("td", one.requirement.text),
        )
        for one in fine[:MOST_CARDS]
    ]
    left = len(fine) - len(rows)
    more = [el("p", say.left_out.format(count=f"{left:,}"), class_="note")] if left > 0 else []
    name = f"{say.passing} ({len(fine):,})"
    return (
        el("section", el("details", el("summary", name), el("table", el("tbody", *rows)), *more)) if fine else Html("")
    )
