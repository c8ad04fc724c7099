"""The rows that a year, a month or a day means: those whose day in a column of days is of it."""

from __future__ import annotations

import re

from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.scene import Scene
from veracity.language.numbers import MONTHS

_IN_YEAR = re.compile(r"(?<![a-z])(?:in|im|im jahr|during)\s*$|在$|于$")
_ON = re.compile(r"(?<![a-z])(?:on|am|vom|of|den)\s*$|在$|于$|^$|[，。；：]$")


def in_year(scene: Scene, table: Table) -> tuple[int, frozenset[int]] | None:
    """`in 2026`: where the year is said, and the rows whose day in the only column of days is of that year."""
    if len(table.days) != 1 or next(iter(table.days)) in table.result.key:
        return None
    days = next(iter(table.days.values()))
    for one in scene.figures:
        if _IN_YEAR.search(scene.page.tokens.before(one.first, 12)) and one.figure.text.isdecimal():
            rows = [row for day, rows in days.items() if str(day.year) == one.figure.text for row in rows]
            return (one.figure.start, frozenset(rows)) if len(one.figure.text) == len("2026") else None
    return None


def in_month(scene: Scene, table: Table) -> tuple[int, frozenset[int]] | None:
    """`in February 2025`: where its year is said, and the rows whose day in the only column of days is of that month."""
    if len(table.days) != 1 or next(iter(table.days)) in table.result.key:
        return None
    words, starts = scene.page.words, scene.page.tokens.starts
    for at in range(scene.line.first + 1, scene.line.last):
        if words[at] in MONTHS and words[at - 1] in ("in", "im"):
            year = next((word for word in words[at + 1 : at + 2] if len(word) == len("2025") and word.isdecimal()), "")
            days = next(iter(table.days.values()))
            rows = (
                row
                for day, of in days.items()
                if day.month == MONTHS[words[at]] and year in ("", str(day.year))
                for row in of
            )
            return starts[at + 1] if year else -1, frozenset(rows)
    return None


def on_day(scene: Scene, table: Table) -> tuple[int, frozenset[int]] | None:
    """`inspected on 8 May`: where the day is said, and the rows that have it in the only column in which any has it."""
    said = [
        one
        for one in scene.page.text_figures.all
        if len(one.dates) == 1 and scene.line.start <= one.start < min(scene.clauses[0].line.end, scene.clause_end)
    ]
    if len(said) != 1 or not table.days or any(column in table.result.key for column in table.days):
        return None
    page = scene.page
    if not _ON.search(page.tokens.before(page.tokens.at(said[0].start), 12).strip()):
        return None
    found = [frozenset(days[said[0].dates[0]]) for days in table.days.values() if said[0].dates[0] in days]
    return (said[0].start, found[0]) if len(found) == 1 else None
