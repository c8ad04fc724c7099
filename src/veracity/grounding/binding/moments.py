"""Days, months, years and moments that name rows: on 5 March 2020 at 12:00, in April 2020, 2020年4月."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date, datetime

from veracity.answer.figures import MONTHS
from veracity.grounding.binding.index import Index, NameRef
from veracity.grounding.binding.mentions import Mention
from veracity.grounding.binding.spoken import Spoken
from veracity.grounding.binding.tokens import TOKEN, Tokens

_NEAR = 6
"""A time stands so near behind its day."""
_MINUTES = 24 * 60


def moments_in(tokens: Tokens, spoken: Spoken, index: Index, taken: Collection[int]) -> Iterator[Mention]:
    """The rows that a text names by their time; `taken` are words that begin another name."""
    covered: set[int] = set()
    for at, figure in enumerate(spoken.figures):
        if figure.kind != "date":
            continue
        refs, end = list[NameRef](), figure.end
        clock = spoken.figures[at + 1] if at + 1 < len(spoken.figures) else None
        if clock is not None and clock.kind == "time" and clock.start - figure.end <= _NEAR:
            minute = spoken.minutes.get(clock.start, _MINUTES)
            refs = [ref for day in figure.dates for ref in _of_moment(day, minute, index)]
            end = clock.end if refs else end
        refs = refs or [ref for day in figure.dates for ref in _of_day(day, index)]
        first, last = tokens.at(figure.start), tokens.at(end) - 1
        covered.update(range(first, last + 1))
        if refs:
            yield Mention(figure.start, end, first, max(first, last), tuple(refs))
    yield from _periods(tokens, index, {*covered, *taken})


def _of_day(day: date, index: Index) -> Iterator[NameRef]:
    """The rows of a day, or of its year where that is a column of its own."""
    yield from index.names.get(tuple(TOKEN.findall(day.isoformat())), ())
    yield from index.names.get((str(day.year),), ())
    for table in index.tables:
        for column, periods in table.periods.items():
            if day.isoformat() in periods and day.isoformat() not in table.values[column]:
                yield NameRef(table.number, column, day.isoformat())


def _of_moment(day: date, minute: int, index: Index) -> Iterator[NameRef]:
    if minute >= _MINUTES:
        return
    moment = datetime(day.year, day.month, day.day, minute // 60, minute % 60).isoformat()
    for table in index.tables:
        for column in table.periods:
            if moment in table.values[column]:
                yield NameRef(table.number, column, moment)


def _periods(tokens: Tokens, index: Index, taken: Collection[int]) -> Iterator[Mention]:
    """Months of a year, and years, where rows are named by days."""
    dated = [(table, column) for table in index.tables for column in table.periods]
    for first, last, period in _spelt_periods(tokens) if dated else ():
        refs = [NameRef(t.number, column, period) for t, column in dated if period in t.periods[column]]
        if refs and first not in taken:
            yield Mention(tokens.starts[first], tokens.ends[last], first, last, tuple(refs))


def _spelt_periods(tokens: Tokens) -> Iterator[tuple[int, int, str]]:
    """First word, last word, and the start of an ISO date: 2020-04."""
    words = tokens.words
    for at, word in enumerate(words):
        if len(word) != 4 or not word.isdigit():
            continue
        month = MONTHS.get(words[at - 1]) if at else None
        signs = words[at + 1 : at + 4]
        if month is not None:
            yield at - 1, at, f"{word}-{month:02}"
        elif len(signs) == 3 and signs[0] == "年" and signs[1].isdigit() and signs[2] == "月":
            yield at, at + 3, f"{word}-{int(signs[1]):02}"
        else:
            yield at, at, word
