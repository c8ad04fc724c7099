"""Lists of an answer, and numbers that say how many things there are.

Lists are bullets, numbered lines, columns of Markdown tables, and enumerations within a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from veracity.answer.results import Result
from veracity.answer.values import Arg
from veracity.grounding.binding.bind import Bound
from veracity.language.numbers import MONTHS, Figure
from veracity.language.sentences import sentences
from veracity.language.units import unit_after

_MOST_ITEMS = 2_000
_MOST_LEADS = 3
_LONGEST_ITEM = 80
_MARKED = re.compile(
    r"(?P<indent>[ \t]{0,16})(?:[-*+–—][ \t]+|[-–—](?=[\u3400-\u9fff])|[•·◦▪‣●○][ \t]*|[(（]?[0-9]{1,3}[.)、）．](?:[ \t]+|(?![0-9]))|[①-⑳][ \t]*)"
    r"(?P<body>\S[^\n]*)"
)
_RULE = re.compile(r"[\s|:+-]*-[\s|:+-]*")
_PART = re.compile(r"[:：=（(\t|→]|[,，](?=\s|[\u3400-\u9fff])|[ \u00a0][-–—][ \u00a0]|——")
_ENUMERATED = re.compile(
    r"[:：](?!//)(?=\s|[^\x00-\x7f])|(?<![\w])(?:sind|lauten|heissen|heißen|are|include|includes|were)(?= )|(?:包括|包含|分别是|分别为|如下|(?<![所没具拥含仅只])有(?![0-9一二两三四五六七八九十]))[:：]?(?=[^\s:：])",
    re.IGNORECASE,
)
_ITEM_END = re.compile(r"[。！？!?；;\n]|\.(?=\s|$)")
_SEPARATOR = re.compile(
    r"、|[,，](?![0-9])\s*|\s+(?:und|and|sowie|as well as)\s+|(?<=[\u3400-\u9fff0-9A-Za-z])(?:和|以及|与|及)(?=[\u3400-\u9fffA-Za-z])"
)
_OFFER = re.compile(
    r"[?？]\s*$|(?<![a-zäöü])(?:ich kann|kann ich|können wir|wir können|sie können|können sie|du kannst|kannst du|möchten sie|möchtest du|bitte|zum beispiel|z\. ?b\.|"
    r"beispielsweise|mögliche?\w*|vorschl\w+|i can|i could|can i|shall i|we can|you can|you could|could you|would you|please|for example|e\.g\.|such as|possible|try|"
    r"suggest\w*|help you|let me know|empfehl\w*|recommend\w*|ask me)(?![a-zäöü])|我可以|我还可以|您可以|你可以|可以帮|请|例如|比如|建议|试试|想要",
    re.IGNORECASE,
)
_NO_NAMES = re.compile(
    r"(?<![a-zäöü])(?:spalten?|felder|feld|columns?|fields?|tabellen?|tables?|schritte?n?|steps?|gründe\w*|reasons?|ursachen?|causes?|hinweise?|"
    r"notes?|annahmen?|assumptions?|optionen|options?|fragen|questions?|punkte?|points?|themen|topics?|kennzahlen|metrics?|"
    r"merkmale|kriterien|criteria|regeln|rules|einschränkungen|limitations?|massnahmen|maßnahmen|measures|actions?|tips?|tipps?|"
    r"findings|insights|beobachtungen|observations|zusammenfassung|summary|überblick|overview|details?|angaben|werte|values|units?|einheiten)"
    r"(?![a-zäöü])|字段|列名|各列|步骤|原因|说明|假设|选项|问题|要点|指标|规则|限制|措施|总结|概览|详情|明细|信息|建议",
    re.IGNORECASE,
)

_RANKS = re.compile(r"#|nr\.?|no\.?|rank|rang|platz|pos(?:ition)?\.?|排名|序号|名次|", re.IGNORECASE)

Kind = Literal["lines", "table", "sentence"]


@dataclass(frozen=True, slots=True)
class Item:
    """One entry: what it names, and what it says of that."""

    start: int
    end: int
    text: str
    head: str
    """Up to the first separator: `Müller AG` of `Müller AG: 500 CHF`."""
    sign: str = ""
    """The separator behind the head; empty where nothing follows."""
    rest: str = ""
    mark: str = ""
    """What stands before it in its line: `- `, `2. `, `3、`."""

    @property
    def head_end(self) -> int:
        """Where the head ends in the answer."""
        return self.start + len(self.head)


@dataclass(frozen=True, slots=True)
class Listing:
    """Entries that belong together, and the words that introduce them."""

    kind: Kind
    intro: str
    intro_start: int
    items: tuple[Item, ...]
    heading: str = ""
    """Of the column, in a table."""
    first: bool = True
    """Whether it is the first column of its table; always so for other kinds."""

    @property
    def end(self) -> int:
        """Where its last entry ends."""
        return self.items[-1].end

    @property
    def counts_up(self) -> bool:
        """Whether it is the column of a table that numbers its rows."""
        if self.kind != "table" or _RANKS.fullmatch(self.heading.strip(" *_")) is None:
            return False
        return all(item.text.strip(" .") == str(number) for number, item in enumerate(self.items, 1))

    @property
    def numbers(self) -> Iterator[int]:
        """Where the numbers of its entries start, as long as they count up from 1: 1. 2. 3. or a column of ranks."""
        if self.counts_up:
            yield from (item.start for item in self.items)
        for number, item in enumerate(self.items, 1):
            if item.mark.strip(" \t(（.)）、．") != str(number):
                return
            yield item.start - len(item.mark.lstrip(" \t(（"))

    @property
    def offered(self) -> bool:
        """Whether it offers something, or asks: what can be done, which is meant."""
        return _OFFER.search(self.intro) is not None

    @property
    def of_names(self) -> bool:
        """Whether nothing says that it lists something else: steps, reasons, columns."""
        return not self.offered and _NO_NAMES.search(self.intro) is None


def listings_of(text: str) -> tuple[Listing, ...]:
    """Every list of a text, in its order."""
    lines = _lines(text)
    found = [*_line_lists(lines), *_tables(lines), *_enumerations(lines)]
    return tuple(sorted(found, key=lambda listing: listing.items[0].start))


# --- lines


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str
    indent: int = -1
    """Of an item; -1 for any other line."""
    body: int = 0
    """Where the item's own text starts in the line."""
    row: bool = False


_END = _Line(0, "end")
"""Behind the last line: it closes every list."""


def _lines(text: str) -> list[_Line]:
    lines, place = list[_Line](), 0
    for raw in text.split("\n"):
        line = raw.removesuffix("\r")
        marked = _MARKED.fullmatch(line)
        row = line.lstrip(" \t").startswith("|") or (marked is None and (" | " in line or "-|-" in line))
        if marked is not None and not row:
            width = len(marked["indent"].expandtabs(4))
            lines.append(_Line(place, line, indent=width, body=marked.start("body")))
        else:
            lines.append(_Line(place, line, row=row))
        place += len(raw) + 1
    return lines


def _line_lists(lines: Sequence[_Line]) -> Iterator[Listing]:
    """Items of the same depth below the same line."""
    open_: list[tuple[int, _Line | None, list[Item]]] = []
    above: _Line | None = None
    for line in [*lines, _END]:
        goes_on = bool(open_) and line.indent < 0 and line.text.startswith(("  ", "\t"))
        if not line.text.strip() or goes_on:
            continue
        while open_ and open_[-1][0] > line.indent:
            _, introducing, items = open_.pop()
            yield Listing("lines", *_intro(introducing), tuple(items))
        if line.indent >= 0:
            if not open_ or open_[-1][0] < line.indent:
                open_.append((line.indent, above, []))
            if len(open_[-1][2]) < _MOST_ITEMS:
                item = _item(line.start + line.body, line.text[line.body :])
                open_[-1][2].append(replace(item, mark=line.text[: line.body]))
        above = line


def _intro(above: _Line | None) -> tuple[str, int]:
    """The words that introduce what stands below a line, and where they start: its last sentence."""
    parts = [start for start, end in sentences(above.text) if above.text[start:end].strip(" *_:")] if above else []
    start = parts[-1] if parts else 0
    return (above.text[start:], above.start + start) if above else ("", 0)


def _item(start: int, text: str) -> Item:
    text = text.rstrip()[: _LONGEST_ITEM * 10]
    # A separator at the very start, such as a bracket, belongs to the name.
    part = _PART.search(text, 1) if text else None
    if part is None:
        return Item(start, start + len(text), text, text)
    head = text[: part.start()].rstrip()
    rest = text[part.end() :].strip()
    sign = part.group().strip() if rest.strip(" *_)）") else ""
    return Item(start, start + len(text), text, head, sign, rest)


# --- tables


def _tables(lines: Sequence[_Line]) -> Iterator[Listing]:
    at = 0
    while at < len(lines):
        if not lines[at].row:
            at += 1
            continue
        end = at
        while end < len(lines) and lines[end].row:
            end += 1
        above = next((lines[n] for n in range(at - 1, -1, -1) if lines[n].text.strip()), None)
        yield from _columns(lines[at:end], above)
        at = end


def _columns(rows: Sequence[_Line], above: _Line | None) -> Iterator[Listing]:
    """The columns of a table with a heading; without the line below it, it is no table."""
    if len(rows) < 3 or _RULE.fullmatch(rows[1].text) is None:
        return
    headings = [cell.text for cell in _cells(rows[0])]
    body = [list(_cells(row)) for row in rows[2 : 2 + _MOST_ITEMS]]
    intro, start = _intro(above)
    for number, heading in enumerate(headings):
        items = tuple(cells[number] for cells in body if number < len(cells) and cells[number].text)
        if items:
            yield Listing("table", intro, start, items, heading=heading, first=number == 0)


def _cells(row: _Line) -> Iterator[Item]:
    inner = row.text.rstrip().removesuffix("|")
    place = len(inner) - len(inner.lstrip())
    place += inner.startswith("|", place)
    for cell in inner[place:].split("|"):
        text = cell.strip()
        start = row.start + place + len(cell) - len(cell.lstrip())
        yield Item(start, start + len(text), text, text)
        place += len(cell) + 1


# --- enumerations


def _enumerations(lines: Sequence[_Line]) -> Iterator[Listing]:
    for line in lines:
        if line.row or not line.text.strip():
            continue
        place = line.body
        while place < len(line.text):
            end = _ITEM_END.search(line.text, place)
            stop = end.start() if end else len(line.text)
            yield from _enumeration(line, place, stop)
            place = stop + 1


def _enumeration(line: _Line, start: int, stop: int) -> Iterator[Listing]:
    """What one sentence enumerates, behind the first few words that may introduce it."""
    leads = list(islice(_ENUMERATED.finditer(line.text, start, stop), _MOST_LEADS))
    # Five are unpaid, and three of them are overdue: A, B and C. The colon leads to what is listed.
    for lead in sorted(leads, key=lambda one: one.group()[0] not in ":："):
        end = _end_of_signs(line.text, lead, stop)
        items = tuple(_parts(line.text, lead.end(), end, line.start))
        if lead.group()[0].isalpha() and _says_how_they_are(items):
            continue
        strong = "、" in line.text[lead.end() : end]
        if _MOST_ITEMS >= len(items) >= (2 if strong else 3):
            yield Listing("sentence", line.text[start : lead.start()], line.start + start, items)
            return


def _says_how_they_are(items: Sequence[Item]) -> bool:
    """Whether the first of several is no name, but says what they are: two were late, A and B."""
    texts = [item.text for item in items]
    return bool(texts) and texts[0].isalpha() and texts[0].islower() and any(not one.islower() for one in texts[1:])


def _end_of_signs(text: str, lead: re.Match[str], stop: int) -> int:
    """Where a Chinese enumeration ends: at a comma behind names that are joined otherwise; what 有 leads to is none without them."""
    if lead.group()[0] < "\u3400":
        return stop
    comma = next((at for at in range(lead.end(), stop) if text[at] in ",，"), stop)
    joined = any(sign in text[lead.end() : comma] for sign in "、和与及")
    return comma if joined else lead.end() if lead.group().rstrip(":：") == "有" else stop


def _parts(text: str, start: int, stop: int, offset: int) -> Iterator[Item]:
    place = start
    for separator in [*_SEPARATOR.finditer(text, start, stop), None]:
        end = separator.start() if separator else stop
        raw = text[place:end]
        part = raw.strip()
        if part:
            yield _item(offset + place + len(raw) - len(raw.lstrip()), part)
        place = separator.end() if separator else stop


# --- numbers that say how many there are


_MOST = 10_000
_DOZEN = 12
_YEARS = range(1900, 2101)
_COUNTS = re.compile(
    r"[ \u00a0](?!(?:quarters?|fr|mio|mrd|million\w*|milliard\w*|pounds?|stück|stk|mal|times|bis|to|und|and|or|oder|x)(?!\w))[^\W\d_]"
    r"|\s?[个名位家种款件条项笔人间所台辆张只]",
    re.IGNORECASE,
)
"""Something that can be counted: a noun, or a Chinese measure word."""
_NO_COUNT_BEFORE = re.compile(
    r"(?:mehr als|weniger als|mindestens|höchstens|über|unter|bis zu|ab|pro|je|nach|seit|vor|letzten|nächsten|innerhalb von|"
    r"more than|less than|fewer than|at least|at most|over|under|up to|per|within|last|next|past|than|since|after|before|"
    r"超过|至少|最多|不到|多于|少于|大于|小于|近|最近|过去|每|[-–/#.,:])\s*$",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"[ \u00a0][^\W\d_]{2,40}(?=\s*(?:[:：.!;,\n]|$|(?:sind|are|lauten)\s*[:：]))|\s?[个名位家][\u3400-\u9fff]{1,6}(?=[:：。，,；\n]|$|分别是|如下)"
)
"""A noun that nothing narrows down."""
_NUMBER_OF = re.compile(
    r"(?<![a-zäöü])(?:anzahl|zahl|number of|count of)(?: der| aller| all)? [^\W\d_]{2,40}\s?(?:[:：=]|ist|is|beträgt)\s?\*{0,2}$|[\u3400-\u9fff]{2,6}(?:总数|数量|人数)\s?[:：为是]\s?$",
    re.IGNORECASE,
)
"""Number of customers: so many."""


_WORD = re.compile(r"[ \u00a0](?P<word>[^\W\d_]+)")


def is_count(figure: Figure, text: str) -> bool:
    """Whether a figure says how many things there are: 5 users, not 5 CHF, 5 years or more than 5."""
    if figure.kind not in ("number", "word") or not figure.readings or figure.percent:
        return False
    value = figure.readings[0]
    if (
        figure.decimals[0]
        or figure.scale not in (1, _DOZEN)
        or not 0 <= value <= _MOST
        or value != value.to_integral_value()
    ):
        return False
    if len(figure.text) == len("2025") and value in _YEARS:
        return False
    if _NO_COUNT_BEFORE.search(text[max(0, figure.start - 24) : figure.start]):
        return False
    behind = _WORD.match(text, figure.end)
    if behind is not None and behind["word"].lower() in MONTHS:
        return False  # 15 July is a day.
    return _COUNTS.match(text, figure.end) is not None and unit_after(text, figure.end) is None


def bound_to_row_count(one: Bound, text: str, results: Mapping[str, Result]) -> Bound:
    """A figure that is not bound, but says how many rows there are in all: `There are 2 users: Keller and Rossi.`"""
    if one.provenance.status == "bound" or not _says_how_many(one.figure, text):
        return one
    for name, result in ((result.data.result_id, result) for result in results.values()):
        rows = len(result.data.rows)
        # One row is as likely a figure as a thing, and a result that was cut off does not say how many there are.
        if rows > 1 and not result.data.truncated and one.figure.readings[0] == rows:
            arg = Arg(result=name, row_key={}, column="*", raw=rows)
            counted = {"value": str(rows), "kind": "derived", "expression": f"count({name})", "args": (arg,)}
            provenance = one.provenance.model_copy(update={**counted, "status": "bound"})
            return replace(one, provenance=provenance, why="", nearest=None)
    return one


def _says_how_many(figure: Figure, text: str) -> bool:
    if is_count(figure, text) and _ALONE.match(text, figure.end):
        return True
    number = figure.kind == "number" and not figure.percent and figure.scale == 1
    return number and _NUMBER_OF.search(text[max(0, figure.start - 70) : figure.start]) is not None
