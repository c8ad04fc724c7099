"""Lists and their numbers: how many entries an answer announces, how many it lists, and whether a whole list is whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from veracity.answer.results import Result
from veracity.answer.values import number_of
from veracity.grounding.checked_answer import CheckedAnswer, bare_name
from veracity.grounding.contracts import Finding
from veracity.grounding.lists import Listing, is_count
from veracity.grounding.names import is_summary, lists_things
from veracity.language.number_words import NUMERALS_ZH, cardinals
from veracity.language.numbers import Figure

_PARTIAL = re.compile(
    r"(?<![a-zäöü])(?:erste[nr]?|top|grösste\w*|größte\w*|beste\w*|höchste\w*|wichtigste\w*|kleinste\w*|meisten|darunter|auszug\w*|"
    r"ausschnitt\w*|beispiel\w*|einige\w*|unter anderem|u\. ?a\.|z\. ?b\.|teil|davon|von|first|largest|biggest|best|highest|lowest|smallest|"
    r"most|some|including|such as|e\.g\.|examples?|sample|among|part)(?![a-zäöü])|前|其中|部分|最大|最高|最多|例如|比如|之一|等",
    re.IGNORECASE,
)
"""Words that make a list a part of something."""
_MORE = re.compile(r"weitere|more|others|andere|另外|其他|其余", re.IGNORECASE)
_NUMBER = rf"(?: \d{{1,4}}| (?:{cardinals()}))?"
_ALL = re.compile(
    rf"(?<![A-Za-zäöü])(?:(?:[Aa]lle[nr]?|[Ss]ämtliche[nr]?){_NUMBER} [A-ZÄÖÜ][\w-]+"
    r"|(?:[Vv]ollständige|[Kk]omplette|[Gg]anze) Liste(?: der| aller)? [A-ZÄÖÜ][\w-]+|(?:complete|full) list of(?: all)?(?: the)? [\w-]+"
    rf"|(?:[Aa]ll|[Ee]very)(?: of)?(?: the| our)?{_NUMBER} [a-z][\w-]+)"
    r"(?:\s*(?:sind|are|lauten|im Überblick|in der Tabelle|in the (?:table|data|database)|aus den Daten))?\s*[:：]?\s*$"
)
"""All of something, without a word that narrows it down."""
_ALL_UNSPACED = re.compile(
    r"(?:所有|全部)的?(?P<noun>[\u3400-\u9fff]{1,6}?)(?:有|是|为|包括|如下|名单|列表|共|[:：]|$)|完整的?(?:名单|列表)"
)
_TOTAL = re.compile(
    r"(?:^|[.,:]\s+)(?:es gibt|wir haben|there are|we have|insgesamt|in total|the|die|unsere|our)\s(?P<count>\S{1,20}(?:\s\S{1,12})??)\s(?P<noun>[^\W\d_]{2,40})"
    rf"(?:\s(?:sind|are|lauten))?\s*[:：]?\s*$|(?:共|总共|一共|有|这)有?\s?(?P<number>[0-9{NUMERALS_ZH}]{{1,6}})\s?[个名位家]?"
    r"(?P<sign>[\u3400-\u9fff]{2,6}?)(?:是|为|分别是|如下)?\s*[:：]?\s*$",
    re.IGNORECASE,
)


def counts_fit(answer: CheckedAnswer) -> Iterator[Finding]:
    """How many there are: a list has as many entries as its first words say, and what is said to be all is all."""
    for listing in answer.listings:
        counts = _announced(listing, answer) if listing.first and not _goes_on(listing) else []
        column = _column_of(listing, answer) if counts else None
        if not counts or not (column or lists_things(answer, listing)):
            continue
        said = {int(figure.readings[0]) for figure in counts}
        if not said & _lengths(listing, answer):
            if not _PARTIAL.search(listing.intro):
                yield _wrong_count(answer, counts[0], "count_of_items", len(listing.items))
        elif column and not column.complete and column.values not in said and _is_total(listing, answer):
            yield _wrong_count(answer, counts[0], "count_of_rows", column.values)
    yield from _totals_in_words(answer)


def lists_complete(answer: CheckedAnswer) -> Iterator[Finding]:
    """A list that calls itself whole leaves no row out, and its result was not cut off."""
    for listing in answer.listings:
        whole = listing.first and not _goes_on(listing) and _claims_all(listing, answer)
        column = _column_of(listing, answer) if whole else None
        if column is None:
            continue
        span = (listing.intro_start, listing.intro_start + len(listing.intro))
        if column.result.data.truncated:
            result = column.result.data.result_id
            yield answer.finding("incomplete_list", span, key="rows_cut_off", result=result)
        elif not column.complete:
            missing = column.values - column.listed
            yield answer.finding("incomplete_list", span, key="rows_left_out", missing=missing, real=column.values)


def _totals_in_words(answer: CheckedAnswer) -> Iterator[Finding]:
    """`There are eight customers.`: digits are bound like any figure; words are, too, where they say how many there are."""
    results = list(answer.results.values())
    if not results or any(result.data.truncated for result in results):
        return
    for start, end in answer.sentences:
        found = _TOTAL.search(answer.text[start:end].strip(" *_#\n").rstrip(".!。！"))
        # What ends in a colon introduces a list, which was looked at above.
        if found is None or found.group().rstrip()[-1] in ":：" or not _is_noun(found["noun"] or found["sign"], answer):
            continue
        count = found["count"] or found["number"]
        at = answer.text.index(count, start)
        within = (one for one in answer.every_figure if at <= one.start and one.end <= at + len(count))
        figures = [one for one in within if one.kind == "word"]
        if len(figures) == 1 and not any(_comes_to(figures[0].readings[0], result, answer) for result in results):
            real = max(len(result.data.rows) for result in results)
            yield _wrong_count(answer, figures[0], "count_of_rows", real)


def _comes_to(number: Decimal, result: Result, answer: CheckedAnswer) -> bool:
    """Whether a result has so many rows or different names, or holds the number in its only row."""
    rows = result.data.rows
    if len(rows) == 1 and any(number_of(cell) == number for cell in rows[0].values()):
        return True
    return number == len(rows) or any(
        number == len(values) for other, values in answer.known.columns if other is result
    )


def _wrong_count(answer: CheckedAnswer, figure: Figure, key: str, real: int) -> Finding:
    said = f"{figure.readings[0]:f}"
    return answer.finding("wrong_count", (figure.start, figure.end), key=key, said=said, real=real)


# --- what the words before a list say


def _announced(listing: Listing, answer: CheckedAnswer) -> list[Figure]:
    """The numbers of things that the words before a list state."""
    start, end = listing.intro_start, listing.intro_start + len(listing.intro)
    within = (one for one in answer.every_figure if start <= one.start and one.end <= end)
    return [one for one in within if is_count(one, answer.text)]


def _claims_all(listing: Listing, answer: CheckedAnswer) -> bool:
    """Whether the words before a list say that it is all there is, without narrowing it down."""
    intro = listing.intro.strip(" *_#")
    if _PARTIAL.search(intro):
        return False
    if _ALL.search(intro):
        return True
    found = _ALL_UNSPACED.search(intro)
    return found is not None and (not found["noun"] or _is_noun(found["noun"], answer))


def _is_total(listing: Listing, answer: CheckedAnswer) -> bool:
    """Whether the first words say that there are so many in all: `There are 5 users:`, `Die 5 Kunden sind:`."""
    intro = listing.intro.strip(" *_#")
    found = None if _PARTIAL.search(intro) else _TOTAL.search(intro)
    return found is not None and _is_noun(found["noun"] or found["sign"], answer)


def _is_noun(word: str, answer: CheckedAnswer) -> bool:
    return answer.config.noun_pattern.fullmatch(word) is not None


# --- the list itself


def _goes_on(listing: Listing) -> bool:
    """Whether a list says itself that there is more: its last entry is an ellipsis."""
    return listing.items[-1].text.strip(" .…") == ""


def _lengths(listing: Listing, answer: CheckedAnswer) -> set[int]:
    """How many entries a list can be said to have: without its total line, and with the more that it announces."""
    entries = [item for item in listing.items if not is_summary(item)]
    lengths = {len(listing.items), len(entries)}
    if listing.kind == "sentence":
        # `Müller und Söhne` may be one entry or two.
        lengths.add(len(entries) - 1)
    last = listing.items[-1]
    if _MORE.search(last.text):
        within = (one for one in answer.every_figure if last.start <= one.start < last.end and one.readings)
        more = next((int(one.readings[0]) for one in within), 0)
        lengths |= {length + more for length in (len(listing.items) - 1, len(entries))} if more else set()
    return lengths


class _ListedColumn(NamedTuple):
    """The column that the entries of a list stand in."""

    result: Result
    listed: int
    """How many of its values the list has."""
    values: int
    """How many different values it has."""

    @property
    def complete(self) -> bool:
        """Whether every value is listed."""
        return self.listed >= self.values


def _column_of(listing: Listing, answer: CheckedAnswer) -> _ListedColumn | None:
    """The column that holds the entries; of several, one that the list has wholly."""
    heads = {form for item in listing.items for form in (bare_name(item.head), bare_name(item.text))}
    columns = [_ListedColumn(result, len(values & heads), len(values)) for result, values in answer.known.columns]
    fitting = [one for one in columns if one.listed >= 2 or (one.listed and 2 * one.listed >= len(listing.items))]
    return max(fitting, key=lambda one: (one.complete, one.listed), default=None)
