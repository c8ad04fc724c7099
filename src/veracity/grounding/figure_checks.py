"""Figures and missing values: every figure is what a cell says, and zero, no value and no rows are told apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.answer.results import Result, comparable
from veracity.contracts import Cell, clip
from veracity.grounding.binding.bind import Bound
from veracity.grounding.binding.results_index import ColumnRef
from veracity.grounding.checked_answer import CheckedAnswer, normalized
from veracity.grounding.contracts import Finding, Severity
from veracity.grounding.corrections import MOST_TRIED, corrected, with_unit
from veracity.grounding.lists import is_count
from veracity.grounding.required_tools import asks_back, says_failed
from veracity.language.folding import words_in

_LONGEST_VALUE = 40
_SHORT_SENTENCE = 3
"""A sentence of fewer words is a heading or a courtesy."""
_NO = re.compile(r"(?<![a-zäöü])(?:kein(?:e[rnms]?)?|no|not any)\s|没有(?:任何)?|无", re.IGNORECASE)
_MISSING = re.compile(
    r"(?<![a-zäöü])(?:kein(?:en)? (?:wert|eintrag|angabe)\w*|keine angaben?|nicht (?:erfasst|bekannt|angegeben|hinterlegt|verfügbar|vorhanden)|unbekannt|"
    r"kein\w{0,2} [^.!?\n]{1,60}? (?:erfasst|bekannt|angegeben|hinterlegt|eingetragen|gespeichert)|"
    r"no value|not (?:recorded|known|available|specified|given|listed|on record)|unknown|n/a|(?:is|are|was|were) missing|"
    r"no [^.!?\n]{1,60}? (?:recorded|known|on record|on file|given|listed|stored))(?![a-zäöü])|"
    r"没有(?:数值|记录|填写|值)|没有[^。！？\n]{1,20}?(?:记录|数据)|无数据|无记录|未知|未记录|未填写|不详|暂无",
    re.IGNORECASE,
)
_MISSING_PARTS = (
    "kein",
    "nicht ",
    "unbekannt",
    "no ",
    "not ",
    "unknown",
    "n/a",
    "missing",
    "没有",
    "无",
    "未",
    "不详",
    "暂无",
)
_NOTHING_FOUND = re.compile(
    r"(?<![a-zäöü])(?:keine (?:passenden |entsprechenden |weiteren )?(?:daten|einträge|ergebnisse|treffer|zeilen|datensätze|resultate)|"
    r"(?:nichts|keine daten) (?:gefunden|vorhanden)|no (?:matching |such )?(?:data|rows|results|records|entries|matches)|nothing (?:was )?found|"
    r"(?:did not|could not|didn['’]t) find any)(?![a-zäöü])|"
    r"没有(?:找到|查到|查询到)|未(?:找到|查到|查询到)|没有(?:任何|相关|符合条件的)?(?:数据|记录|结果)(?=[。！，；,.!\s]|$)|查无",
    re.IGNORECASE,
)
_NONE_AT_ALL = re.compile(
    r"(?<![a-zäöü])(?:es gibt|wir haben|there are|there is|we have)\s+(?:aktuell\s+|currently\s+)?"
    r"(?:kein(?:e[rnms]?)?|no|zero|null)\s+(?P<noun>[^\W\d_]{2,40})\s*(?:[.!,;]|$)|(?:没有|无)任?何?(?P<sign>[\u3400-\u9fff]{2,6}?)(?:[。！，；]|$)",
    re.IGNORECASE,
)


def figures_bound(answer: CheckedAnswer) -> Iterator[Finding]:
    """Every figure is bound to its cell, computed as declared, the question's own or a constant."""
    how = {one.provenance.span: one for one in answer.bound}
    tried = 0
    for one in answer.provenance:
        if one.status == "bound" or asks_back(one, answer):
            continue
        if how.get(one.span) is not None and how[one.span].why == "reckoned":
            continue  # Marked as a statement.
        if one.status == "ambiguous":
            found = answer.finding("ambiguous_figure", one.span)
            lenient = answer.config.mode == "lenient"
            yield found.model_copy(update={"severity": Severity.WARN}) if lenient else found
        else:
            key, values = _message_for(how.get(one.span))
            if key in ("other_figure", "wrong_unit"):
                tried += 1
                if tried > MOST_TRIED or not corrected(answer, how[one.span], values["nearest"]):
                    key, values = "figure_elsewhere", {}
            # What stands in another unit is replaced with its unit: 12,450 EUR, for 12,450 francs.
            span = with_unit(answer, one.span) if key == "wrong_unit" else one.span
            yield answer.finding("unbound_figure", span, key=key, **values)


def statements_hold(answer: CheckedAnswer) -> Iterator[Finding]:
    """Rows, trends, superlatives, comparisons, counts, shares and names are as the data has them."""
    for one in answer.statements:
        if one.truth == "contradicted":
            yield answer.finding("contradicted", one.span, key=f"statement_{one.key}")
        elif one.truth == "not_checkable":
            found = answer.finding("not_checkable", one.span)
            yield found if answer.strict else found.model_copy(update={"severity": Severity.WARN})
    if answer.strict and not answer.is_proven:
        yield from _sentences_that_nothing_bears_out(answer)


def _sentences_that_nothing_bears_out(answer: CheckedAnswer) -> Iterator[Finding]:
    """Sentences without a figure or a statement that was checked; what only leads over to a list or asks back says nothing."""
    checked = [one.span[0] for one in answer.provenance] + [one.span[0] for one in answer.statements]
    for start, end in answer.sentences:
        text = answer.text[start:end].strip()
        heading = text.startswith("|") and answer.text[end:].lstrip().startswith(("|-", "|:", "| -"))
        leads_over = heading or text.endswith((":", "：", "?", "？")) or len(words_in(text)) < _SHORT_SENTENCE
        if not leads_over and not any(start <= place < end for place in checked):
            yield answer.finding("not_checkable", (start, end))


def _message_for(how: Bound | None) -> tuple[str, dict[str, str]]:
    """The key of the message that fits, and what it names."""
    if how is None:
        return "unbound_figure", {}
    # A name in the place of a figure says nothing to the reader.
    nearest = how.nearest if how.nearest and any(ch.isdigit() for ch in how.nearest) else None
    if how.why == "expression":
        came = f"-> {nearest}" if nearest else ""
        return "claim_wrong", {"hint": " ".join(part for part in (how.hint, came) if part)}
    if how.why == "wrong unit" and nearest:
        return "wrong_unit", {"nearest": nearest}
    if how.why in ("negated", "excluded"):
        return "figure_denied", {}
    if how.why == "of the question":
        return "figure_of_question", {}
    if nearest:
        return "other_figure", {"nearest": nearest}
    return ("figure_elsewhere" if how.why == "other row or column" else "unbound_figure"), {}


# --- zero, no value, no rows


def nothing_is_not_zero(answer: CheckedAnswer) -> Iterator[Finding]:
    """Zero, a missing value and an empty selection are three different answers."""
    results = list(answer.results.values())
    if not results:
        return
    if all(not result.data.rows for result in results):
        yield from _figures_of_nothing(answer)
        return
    denied = list(_rows_as_nothing(answer))
    if denied and not says_failed(answer.text):
        yield from denied
    zeros = _zeros(answer)
    missing = _may_say_missing(answer.text)
    for start, end in answer.sentences if zeros or missing else ():
        zero = next((span for span in zeros if start <= span[0] < end), None)
        if zero is not None or (missing and _MISSING.search(answer.text, start, end)):
            yield from _confused(answer, start, end, zero)


# --- an empty result


def _figures_of_nothing(answer: CheckedAnswer) -> Iterator[Finding]:
    """Figures where the query found no rows; that so many were found, namely 0, may be said."""
    figures = {(one.start, one.end): one for one in answer.figures}
    for one in answer.provenance:
        if one.status == "bound":
            continue
        figure = figures.get(one.span)
        if figure is None or not (is_count(figure, answer.text) and figure.readings[0] == 0):
            yield answer.finding("nothing", one.span, key="figure_of_nothing")
            return


# --- rows that are there


def _rows_as_nothing(answer: CheckedAnswer) -> Iterator[Finding]:
    """That nothing was found, or that there are none at all, while the only results have rows."""
    results = list(answer.results.values())
    if any(not result.data.rows for result in results) or all(map(_counts_nothing, results)):
        return
    if any(one.status == "bound" and one.kind in ("cell", "derived") for one in answer.provenance):
        return
    found = _NOTHING_FOUND.search(answer.text) or _none_at_all(answer)
    if found is not None and not _is_of_cell(answer, found):
        result = max(results, key=lambda one: len(one.data.rows))
        rows = len(result.data.rows)
        yield answer.finding("nothing", found.span(), key="rows_as_nothing", result=result.data.result_id, real=rows)


def _is_of_cell(answer: CheckedAnswer, found: re.Match[str]) -> bool:
    """Whether a row is named before, and a column right before: the overtime of 12 May has no entry."""
    line = next((one for one in answer.page.lines if one.start <= found.start() < one.end), None)
    if line is None:
        return False
    at = answer.page.tokens.at(found.start())
    names = any(one.last < at for one in answer.page.names.among(line.first, at))
    return names and any(at - one.last <= _BESIDE for one in answer.page.columns.among(line.first, at))


_BESIDE = 3


def _none_at_all(answer: CheckedAnswer) -> re.Match[str] | None:
    """`There are no customers.`: about the very things that were asked for, and not narrowed down."""
    for match in _NONE_AT_ALL.finditer(answer.text):
        noun = (match["noun"] or match["sign"] or "").casefold()
        if noun and noun in normalized(answer.question):
            return match
    return None


def _counts_nothing(result: Result) -> bool:
    """Whether its one row says 0, or nothing: then there are none indeed."""
    figures = [name for name, facts in result.columns.items() if facts.numeric or facts.role is None]
    return len(result.data.rows) == 1 and all(not result.data.rows[0][name] for name in figures)


# --- single values


def _may_say_missing(text: str) -> bool:
    """Whether a text has a part of a word that calls a value missing; without any, nothing needs a closer look."""
    small = text.lower()
    return any(part in small for part in _MISSING_PARTS)


def _confused(answer: CheckedAnswer, start: int, end: int, zero: tuple[int, int] | None) -> Iterator[Finding]:
    """A sentence that calls a value missing, or zero one that is not recorded."""
    missing = _MISSING.search(answer.text[start:end])
    part = _part_around(answer.text, start, end, missing.span()) if missing is not None else (start, end)
    cells = list(_cells_meant(answer, start, end, part, missing=missing is not None))
    if not cells:
        return
    column, value = cells[0]
    if missing is not None and _NO.match(missing.group()) and not any(value for _, value in cells):
        return  # No session has been recorded: there were none.
    if missing is not None and all(value is not None for _, value in cells):
        if not _says_column(answer, start + missing.start(), start + missing.end()):
            return
        span = (start + missing.start(), start + missing.end())
        # What the runtime wrote itself there is a cell without a value.
        if answer.source_of(*span) is None:
            value = clip(comparable(value), _LONGEST_VALUE)
            yield answer.finding("nothing", span, key="value_as_missing", column=column, value=value)
    elif missing is None and zero is not None and all(value is None for _, value in cells):
        if _NO.fullmatch(answer.text, *zero):
            # Whether there are none, or nobody wrote it down.
            found = answer.finding("not_checkable", (start, end))
            yield found if answer.strict else found.model_copy(update={"severity": Severity.WARN})
        else:
            yield answer.finding("nothing", zero, key="null_as_zero", column=column)


def _says_column(answer: CheckedAnswer, start: int, end: int) -> bool:
    """Whether the words that call a value missing are about a column: one is named in or beside them, or none in the whole line."""
    tokens = answer.page.tokens
    first, last = tokens.at(start), tokens.at(end)
    line = next((one for one in answer.page.lines if one.start <= start < one.end), None)
    told = list(answer.page.columns.among(line.first, line.last)) if line is not None else []
    return not told or any(first - _BESIDE <= one.last and one.first <= last + _BESIDE for one in told)


def _part_around(text: str, start: int, end: int, span: tuple[int, int]) -> tuple[int, int]:
    """The part of a sentence between commas in which something stands: the column that has no value is said there."""
    first = max((start + found.end() for found in _COMMA.finditer(text[start : start + span[0]])), default=start)
    last = _COMMA.search(text, start + span[1], end)
    return first, last.start() if last is not None else end


_COMMA = re.compile(r"[,，;；](?![0-9])")


def _zeros(answer: CheckedAnswer) -> list[tuple[int, int]]:
    """Where the answer says zero, or none of something that is a column; looked for only if a cell is NULL."""
    if not any(map(_with_gaps, answer.results.values())):
        return []
    page = answer.page
    gaps = {ColumnRef(table.number, column) for table in page.tables for column in _with_gaps(table.result)}
    zeros = [
        (figure.start, figure.end)
        for figure in answer.figures
        if figure.readings and not any(figure.readings) and not answer.is_cell(figure.start, figure.end)
    ]
    said = {mention.first for mention in page.columns.all if not gaps.isdisjoint(mention.columns)}
    nones = [match.span() for match in _NO.finditer(answer.text) if page.tokens.at(match.end()) in said]
    return sorted([*zeros, *nones])


def _with_gaps(result: Result) -> list[str]:
    """The columns of figures in which a value is missing; where a day or a name is missing, there is none indeed."""
    kinds = {column: {type(row[column]) for row in result.data.rows} for column in result.columns}
    gaps = [column for column, known in kinds.items() if type(None) in known]
    return [column for column in gaps if result.columns[column].numeric or len(kinds[column]) == 1]


def _told_together(answer: CheckedAnswer, first: int, last: int) -> dict[int, set[int]]:
    """By table, the rows that all names between two words stand for: iOS 7.10.0."""
    found: dict[int, set[int]] = {}
    for mention in answer.page.names.among(first, last):
        for number in {ref.table for ref in mention.names}:
            rows = {row for ref in mention.names if ref.table == number for row in answer.page.index.rows(ref)}
            found[number] = found.get(number, rows) & rows
    return found


def _cells_meant(
    answer: CheckedAnswer, start: int, end: int, part: tuple[int, int], *, missing: bool
) -> Iterator[tuple[str, Cell]]:
    """Column and value of the cells whose row a sentence names and whose column a part of it, or which are the only ones there are."""
    page = answer.page
    first, last = page.tokens.at(start), page.tokens.at(end)
    within = (page.tokens.at(part[0]), page.tokens.at(part[1]))
    refs = [ref for mention in page.columns.among(*within) for ref in mention.columns if ref.sure]
    names = [ref for mention in page.names.among(first, last) for ref in mention.names]
    together = _told_together(answer, first, last) if missing else {}
    about = {ref.table for ref in names}
    for table in page.tables:
        if about and table.number not in about:
            continue  # Of the one thing that all rows are a part of, nothing is said.
        # A column without any value may be one of figures, too.
        known = (column for column in table.columns if column in table.figures or column not in table.texts)
        figures = [column for column in known if column not in table.result.key]
        naming = {ref.column for ref in names if ref.table == table.number}
        told = [column for column in figures if ColumnRef(table.number, column) in refs and column not in naming]
        if not told and not refs and len(figures) == 1:
            told = figures
        named = {row for ref in names if ref.table == table.number for row in page.index.rows(ref)}
        named = together.get(table.number) or named
        for row in sorted(named) if len(table.rows) > 1 else range(len(table.rows)):
            yield from ((column, table.rows[row][column]) for column in told)
