"""Figures of another time than the one that they were held against: 37 % a week later, a month of days, a year beside that of a day."""

from __future__ import annotations

import re

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.bind import Bound
from veracity.grounding.statements.scene import Scene

_LATER = re.compile(
    r"\s*%?\s*(?:[a-z]+ )?(?:(?:a|one|ein(?:e[nm]?)?) (?:day|week|month|quarter|year|tag|woche|monat|quartal|jahr) (?:later|after|spaeter|später|danach)|"
    r"(?:in )?the (?:following|next) (?:day|week|month|quarter|year)|(?:im|am) (?:folgenden|nächsten) \w+|im (?:folge|vor)\w+)(?![a-z])"
)


def is_of_other_time(scene: Scene, said: SaidFigure, bound: Bound) -> bool:
    """Whether a figure may be of a time of which no cell was read."""
    return _is_month_of_days(scene, said) or _is_of_later_time(scene, said) or _is_other_year(scene, said, bound)


def _is_of_later_time(scene: Scene, said: SaidFigure) -> bool:
    """Whether a figure is said of the time after one that is named: 37 % a week later."""
    if not any(table.is_of_periods for table in scene.page.tables):
        return False
    return _LATER.match(scene.page.tokens.after(said.figure.end, 40)) is not None


def _is_month_of_days(scene: Scene, said: SaidFigure) -> bool:
    """Whether a figure is a month in which days of the results are: 5月."""
    if scene.page.text[said.figure.end : said.figure.end + 1] != "月":
        return False
    months = {day.month for table in scene.page.tables for days in table.days.values() for day in days}
    return any(reading in months for reading in said.figure.readings)


def _is_other_year(scene: Scene, said: SaidFigure, bound: Bound) -> bool:
    """Whether a year is said beside the one of the day that it was held against: launched in 2024, lasts until 2029."""
    place = bound.place
    if place is None or said.figure.dates or bound.own or len(said.figure.text) != len("2029"):
        return False
    others = (one for one in scene.figures if one is not said and scene.is_bound(one))
    told = (arg for one in others for arg in scene.bound[one.figure.start].provenance.args)
    return place.column in scene.page.tables[place.table].days and any(arg.column == place.column for arg in told)
