"""Nothing, three ways: NULL is a value that nobody knows, zero is a value, and an empty result is no value at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from veracity.answer.results import Result, comparable
from veracity.contracts import clip
from veracity.grounding.case import GuardCase
from veracity.grounding.contracts import Finding
from veracity.grounding.known import plain, stands_in
from veracity.grounding.messages import finding
from veracity.grounding.required_tools import says_failed
from veracity.grounding.tallies import is_count
from veracity.language.nearest import words_of
from veracity.language.sentences import sentences

_SHOWN = 40
_LONGEST_COLUMN = 60
_SHORTEST = 3
_NO = re.compile(r"(?<![a-zäöü])(?:kein(?:e[rnms]?)?|no|not any)\s|没有(?:任何)?|无", re.IGNORECASE)
_MISSING = re.compile(
    r"(?<![a-zäöü])(?:kein(?:en)? (?:wert|eintrag|angabe)\w*|keine angaben?|nicht (?:erfasst|bekannt|angegeben|hinterlegt|verfügbar|vorhanden)|unbekannt|"
    r"kein\w{0,2} [^.!?\n]{1,60}? (?:erfasst|bekannt|angegeben|hinterlegt|eingetragen|gespeichert)|"
    r"no value|not (?:recorded|known|available|specified|given|on record)|unknown|n/a|(?:is|are|was|were) missing|"
    r"no [^.!?\n]{1,60}? (?:recorded|known|on record|on file|given|stored))(?![a-zäöü])|"
    r"没有(?:数值|记录|填写|值)|没有[^。！？\n]{1,20}?(?:记录|数据)|无数据|无记录|未知|未记录|未填写|不详|暂无",
    re.IGNORECASE,
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


def nothing_is_not_zero(case: GuardCase) -> Iterator[Finding]:
    """Zero, a missing value and an empty selection are three different answers."""
    results = list(case.results.values())
    if not results:
        return
    if all(not result.data.rows for result in results):
        yield from _figures_of_nothing(case)
        return
    if not says_failed(case.text):
        yield from _rows_as_nothing(case)
    zeros = _zeros(case)
    for start, end in sentences(case.text):
        zero = next((span for span in zeros if start <= span[0] < end), None)
        if zero is not None or _MISSING.search(case.text, start, end):
            yield from _values(case, start, end, zero)


# --- an empty result


def _figures_of_nothing(case: GuardCase) -> Iterator[Finding]:
    """Figures where the query found no rows; that so many were found, namely 0, may be said."""
    figures = {(one.start, one.end): one for one in case.figures}
    for one in case.provenance:
        if one.status == "bound":
            continue
        figure = figures.get(one.span)
        if figure is None or not (is_count(figure, case.text) and figure.readings[0] == 0):
            yield finding(case, "nothing", one.span, key="figure_of_nothing")
            return


# --- rows that are there


def _rows_as_nothing(case: GuardCase) -> Iterator[Finding]:
    """That nothing was found, or that there are none at all, while the only results have rows."""
    results = list(case.results.values())
    if any(not result.data.rows for result in results) or all(map(_counts_nothing, results)):
        return
    if any(one.status == "bound" and one.kind in ("cell", "derived") for one in case.provenance):
        return
    found = _NOTHING_FOUND.search(case.text) or _none_at_all(case)
    if found is not None:
        result = max(results, key=lambda one: len(one.data.rows))
        rows = len(result.data.rows)
        yield finding(case, "nothing", found.span(), key="rows_as_nothing", result=result.data.result_id, real=rows)


def _none_at_all(case: GuardCase) -> re.Match[str] | None:
    """`There are no customers.`: about the very things that were asked for, and not narrowed down."""
    for match in _NONE_AT_ALL.finditer(case.text):
        noun = (match["noun"] or match["sign"] or "").casefold()
        if noun and noun in plain(case.question):
            return match
    return None


def _counts_nothing(result: Result) -> bool:
    """Whether its one row says 0, or nothing: then there are none indeed."""
    figures = [name for name, facts in result.columns.items() if facts.numeric or facts.role is None]
    return len(result.data.rows) == 1 and all(not result.data.rows[0][name] for name in figures)


# --- single values


@dataclass(frozen=True, slots=True)
class _Meant:
    """A cell that a sentence speaks of."""

    column: str
    value: object


def _values(case: GuardCase, start: int, end: int, zero: tuple[int, int] | None) -> Iterator[Finding]:
    sentence = case.text[start:end]
    meant = list(_cells(case, sentence))
    missing = _MISSING.search(sentence)
    if not meant:
        return
    if missing is not None and all(cell.value is not None for cell in meant):
        value = clip(comparable(meant[0].value), _SHOWN)
        span = (start + missing.start(), start + missing.end())
        if case.source_of(*span) is not None:
            return  # a cell without a value, written so by the runtime
        yield finding(case, "nothing", span, key="value_as_missing", column=meant[0].column, value=value)
    elif missing is None and zero is not None and all(cell.value is None for cell in meant):
        yield finding(case, "nothing", zero, key="null_as_zero", column=meant[0].column)


def _zeros(case: GuardCase) -> list[tuple[int, int]]:
    """Where the answer says zero, or none of something that is a column; looked for only if a cell is NULL."""
    empty = [
        word
        for result in case.results.values()
        for column in result.columns
        if any(row[column] is None for row in result.data.rows)
        for word in column_words(result, column)
    ]
    if not empty:
        return []
    zeros = [
        (figure.start, figure.end)
        for figure in case.figures
        if figure.readings and not any(figure.readings) and not case.is_cell(figure.start, figure.end)
    ]
    nones = [
        match.span()
        for match in _NO.finditer(case.text)
        if plain(case.text[match.end() : match.end() + _LONGEST_COLUMN]).startswith(tuple(empty))
    ]
    return sorted([*zeros, *nones])


def _cells(case: GuardCase, sentence: str) -> Iterator[_Meant]:
    """The cells whose row and column a sentence names, or which are the only ones there are."""
    said = f"\n{plain(sentence)}\n"
    for result in case.results.values():
        rows = result.data.rows
        naming = [
            name
            for name, facts in result.columns.items()
            if not facts.numeric and any(isinstance(row[name], str) for row in rows)
        ]
        figures = [name for name in result.columns if name not in naming and name not in result.key]
        named = [row for row in rows if any(_is_said(row[name], said) for name in naming)] if len(rows) > 1 else rows
        columns = [
            name for name in figures if any(stands_in(said, word, part=1) for word in column_words(result, name))
        ]
        if not columns and len(figures) == 1:
            columns = figures
        for row in named:
            yield from (_Meant(name, row[name]) for name in columns)


def _is_said(cell: object, said: str) -> bool:
    return isinstance(cell, str) and bool(cell.strip()) and stands_in(said, plain(cell), part=1)


def column_words(result: Result, column: str) -> list[str]:
    """What a column is called, in the form that texts are compared in; `to` and `no` are words of any sentence."""
    named = (plain(name) for name in (column, words_of(column), *result.columns[column].words))
    return [word for word in named if len(word) >= _SHORTEST or (len(word) > 1 and not word.isascii())]
