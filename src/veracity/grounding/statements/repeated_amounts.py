"""How often something is due, and what an amount of every month comes to in a year."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path

from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import fits, value_at
from veracity.grounding.statements.scene import CheckedStatement, Scene, Truth
from veracity.language.folding import folded_text, listed, words_in
from veracity.language.units import quantities
from veracity.yaml_file import packaged

_NEAR = 24
_A_YEAR = {"day": 365, "week": 52, "month": 12, "quarter": 4, "half": 2, "year": 1}
_OFTEN = frozenset(
    word
    for words in packaged(Path(__file__).with_name("frequencies.yaml")).values()
    for each in words
    for word in words_in(each)
) - listed("pro per every im a")
"""One of these words stands in every word for how often."""
_IN_A_YEAR = re.compile(
    r"(?<![a-z])(?:im jahr|pro jahr|aufs jahr|ueber ein jahr|jaehrlich|a year(?! (?:earlier|ago|before|later|after|or))|per year|over a year|yearly|annually|each year)(?![a-z0-9]| (?:19|20)[0-9]{2}(?![0-9]))|一年|每年|全年"
)


@cache
def _frequencies() -> Mapping[str, re.Pattern[str]]:
    """The words for how often, by the time between."""
    known: Mapping[str, list[str]] = packaged(Path(__file__).with_name("frequencies.yaml"))
    return {
        every: re.compile(
            "|".join(
                rf"(?<![a-z]){folded_text(word)}(?![a-z])" if word.isascii() or word[0] < "\u3000" else word
                for word in words
            )
        )
        for every, words in known.items()
    }


def frequency_in(text: str) -> set[str]:
    """How often something is, by the words of a text: monthly, vierteljährlich, 按季度."""
    folded = folded_text(text)
    found = {every for every, pattern in _frequencies().items() if pattern.search(folded)}
    return found or {every for every, pattern in _IN_HEADINGS.items() if pattern.search(folded)}


_IN_HEADINGS: Mapping[str, re.Pattern[str]] = {
    "month": re.compile(
        r"(?<![a-z])mrr|_mtl$|_monatl$|/ ?(?:month|monat|mo)(?![a-z])|/月|_per_month|_(?:eur|chf|usd|gbp)_(?:month|monat)$"
    ),
    "year": re.compile(
        r"(?<![a-z])arr(?![a-z])|(?<![a-z])arr_|/ ?(?:year|jahr|yr)(?![a-z])|/年|_per_year|_pa$|_(?:eur|chf|usd|gbp)_(?:year|jahr)$"
    ),
}
"""How names of columns say it: mrr_usd, salary (EUR/month)."""


def frequencies_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Paid monthly`: the only cell of the row that says how often says so."""
    table = scene.table
    if table is None or _OFTEN.isdisjoint(scene.page.words[scene.line.first : scene.line.last]):
        return
    yield from _amounts_hold(scene, table)
    row = _row_of(scene, table)
    cells = [frequency_in(str(table.rows[row][column])) for column in table.texts] if row is not None else []
    said = [one for one in cells if one]
    for part in scene.clauses if len(said) == 1 and len(said[0]) == 1 else ():
        told = {every for every, pattern in _frequencies().items() if pattern.search(part.folded)}
        if len(told) == 1 and not part.every_figure and not part.has("negated"):
            yield CheckedStatement(
                "supported" if told == said[0] else "contradicted", part.span, "row" if told == said[0] else "other_row"
            )


def _amounts_hold(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`EUR 12.50 a week`, of a cell that says so for every month: the time behind the figure is that of its cell."""
    for one in scene.figures:
        bound = scene.is_bound(one)
        args = scene.bound[one.figure.start].provenance.args if bound else ()
        told = [text for arg in args if arg.column in table.columns for text in (arg.column, str(arg.raw))]
        cells = {every for text in told or scene.measured(table) for every in frequency_in(text)}
        behind = _behind(scene, one.figure.end)
        said = frequency_in(behind) or ({"year"} if _IN_A_YEAR.search(folded_text(behind)) else set())
        if len(cells) == len(said) == 1 and cells != said:
            truth: Truth = "contradicted" if bound else "not_checkable"
            yield CheckedStatement(truth, (one.figure.start, one.figure.end), "often")


def _behind(scene: Scene, end: int) -> str:
    """The words right behind a figure, up to the end of its part of the sentence."""
    return re.split(r"[,.;:，。；：]", scene.page.text[end : min(end + _NEAR, scene.line.end)])[0]


def yearly_amounts_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`That makes 114 francs a year`: twelve times what the row says for every month."""
    table = scene.table
    if all(map(scene.is_bound, scene.figures)):
        return
    row = _row_of(scene, table) if table is not None and _IN_A_YEAR.search(scene.folded) else None
    for one in scene.figures if table is not None and row is not None else ():
        if scene.is_bound(one) or not one.figure.readings or one.figure.percent or table is None or row is None:
            continue
        known = list(_yearly(table, row))
        right = any(fits(one.figure, value) for value in known)
        if known:
            truth: Truth = "supported" if right else "not_checkable"
            span, settles = (one.figure.start, one.figure.end), frozenset({one.figure.start})
            yield CheckedStatement(truth, span, "reckoning", settles=settles)


def _row_of(scene: Scene, table: Table) -> int | None:
    rows = {row for one, row in scene.subjects(table) if scene.is_key(one, table)}
    rows = rows or ({0} if len(table.rows) == 1 else set())
    return next(iter(rows)) if len(rows) == 1 else None


def _yearly(table: Table, row: int) -> Iterator[Decimal]:
    """What the amounts of a row that are said to be of a month, a quarter or a week come to in a year."""
    for column in table.columns:
        cell = table.rows[row][column]
        every = frequency_in(column) | (frequency_in(cell) if isinstance(cell, str) else set())
        if len(every) != 1:
            continue
        value = value_at(table, row, column)
        told = (
            [one.figure.readings[0] for one in quantities(cell, "en") if one.figure.readings]
            if isinstance(cell, str)
            else []
        )
        values = [value] if value is not None else told[:1]
        yield from (each * _A_YEAR[next(iter(every))] for each in values)
