"""Expected figures in an answer: each said with its unit, and with its row.

1020: 152'400 and 1021: 28'100 is not 1020: 28'100 and 1021: 152'400. A table cell belongs to the one row name in its line, else
to the one at the head of its column. In a sentence, names and figures that come in turns (1020: a, 1021: b; a for 1020,
b for 1021) or in two equal groups (1020 and 1021 have a and b) belong together in that order. Anything else belongs to the
name in its clause, else to the last name before it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby, pairwise

from veracity.contracts import clip
from veracity.evals.cases import ExpectedFigure
from veracity.evals.scoring.page import JudgedFigure, JudgedPage, Span
from veracity.evals.scoring.rows import says_none
from veracity.evals.scoring.trial import JudgedTrial
from veracity.language.currencies import CURRENCIES
from veracity.language.numbers import format_number
from veracity.language.units import Unit, unit_called

Places = list[tuple[int, str]]
"""Where names stand, in the order of the text."""
_SIDES = {
    "debit": re.compile(r"\bSoll(?!te)\w*|\b[Dd]ebit(?:s|ed|Total|Amount)?\b|借方"),
    "credit": re.compile(r"\bHaben\w*|\b[Cc]redit(?:s|ed|Total|Amount)?\b|贷方"),
    "opening": re.compile(r"\b(?:Anfangs|Eröffnung)\w*|\b[Oo]pening\w*|期初"),
    "closing": re.compile(r"\b(?:Schluss|Endsaldo|Endbestand)\w*|\b[Cc]losing\w*|期末"),
}
"""What ledgers call the sides of an account; written large in German, where "haben" is also a verb."""


@dataclass(frozen=True, slots=True)
class _SayingFigures:
    """The figures that say an expected value, and with which row each stands."""

    own: tuple[JudgedFigure, ...]
    """Those that stand with the row, or with none."""
    elsewhere: tuple[JudgedFigure, ...]
    """Those that stand with another row."""
    instead: str | None
    """What stands with the row though it is another one's."""


def unsaid_figures(judged: JudgedTrial) -> list[str]:
    """Why expected figures were not said, each in one sentence."""
    found = _found(judged.page, judged.case.expected_answer_numeric)
    return [reason for key, saying in found.items() if (reason := _unsaid(judged, key, saying))]


def figures_saying(page: JudgedPage, *values: Decimal) -> list[JudgedFigure]:
    """The figures of a text that say one of some values."""
    return [figure for figure in page.figures if any(page.says(figure, value) for value in values)]


def _unsaid(judged: JudgedTrial, key: str, found: _SayingFigures) -> str | None:
    """Why an expected figure was not said, or None."""
    figure = judged.case.expected_answer_numeric[key]
    unit = figure.unit or judged.unit
    if any(unit is None or _unit_fits(judged, one, figure.value, unit) for one in found.own):
        return None
    if found.own:
        return f"says {found.own[0].text} for {key} in another unit than {unit}"
    if figure.value == 0 and unit is None and says_none(judged.page.low):
        return None
    wanted = _formatted(figure.value)
    alone = len(judged.own_figures) == len(judged.case.expected_answer_numeric) == 1 and not found.elsewhere
    instead = found.instead or (judged.own_figures[0].text if alone else None)
    if instead:
        return f"says {clip(instead, 40)} for {key}, expected {wanted}"
    return f"says {wanted}, but not for {key}" if found.elsewhere else f"does not say {key}, expected {wanted}"


def _formatted(value: Decimal) -> str:
    exponent = value.as_tuple().exponent
    decimals = max(2, -exponent) if isinstance(exponent, int) and exponent < 0 else 0
    return format_number(value, "en", decimals=decimals) if abs(value.adjusted()) < 40 else str(value)


# --- units


def _unit_fits(judged: JudgedTrial, figure: JudgedFigure, value: Decimal, name: str) -> bool:
    """Whether a figure is in its unit; one without a unit is taken to be, unless all of the text is in another."""
    code = CURRENCIES.get(name.casefold())
    if code is None:
        return _measure_fits(figure, value, unit_called(name))
    if figure.currency:
        return code == figure.currency
    if figure.percent:
        return False
    named = judged.page.currencies - judged.question.currencies
    return not named or code in judged.page.currencies


def _measure_fits(figure: JudgedFigure, value: Decimal, wanted: Unit | None) -> bool:
    """Whether a figure says a value in a unit that is no currency, itself or converted; an unknown unit fits everything."""
    if wanted is None or wanted.dimension == "percent":
        return wanted is None or not figure.currency
    readings, size = figure.readings, value
    if figure.unit is not None:
        if figure.unit.dimension != wanted.dimension:
            return False
        readings, size = figure.in_base_unit, value * wanted.factor
    return any(one.is_value(signed) for one in readings for signed in (size, -size))


# --- with which row a figure stands


def _found(page: JudgedPage, expected: Mapping[str, ExpectedFigure]) -> dict[str, _SayingFigures]:
    """By key, what the text says for it. Every part of a key that tells it from the others is a name to stand with."""
    parts = {key: key.split(".") for key in expected}
    saying = {key: figures_saying(page, *figure.values) for key, figure in expected.items()}
    owners = [_owners_of(page, parts, position, saying) for position in range(max(map(len, parts.values())))]
    marks = _in_order(saying.values())

    def stands(one: JudgedFigure, key: str, *, surely: bool = False) -> bool:
        # A name that the text does not say cannot be told from the others by it.
        named = [(owners[at].get(part, {}).get(one.start), part) for at, part in enumerate(parts[key])]
        return all(owner in (None, part) for owner, part in named) and (not surely or any(owner for owner, _ in named))

    def instead(key: str) -> str | None:
        own = {one.start for one in saying[key]}
        return next((one.text for one in marks if one.start not in own and stands(one, key, surely=True)), None)

    return {
        key: _SayingFigures(
            tuple(one for one in figures if stands(one, key)),
            tuple(one for one in figures if not stands(one, key)),
            instead(key),
        )
        for key, figures in saying.items()
    }


def _in_order(figures: Iterable[list[JudgedFigure]]) -> list[JudgedFigure]:
    return sorted({one for same in figures for one in same}, key=lambda one: one.start)


def _owners_of(
    page: JudgedPage, parts: Mapping[str, list[str]], position: int, saying: Mapping[str, list[JudgedFigure]]
) -> dict[str, dict[int, str | None]]:
    """For each name at one position of the keys that the text says, with which name each figure stands.

    Empty where there are not two names to mix up.
    """
    names = {key: one[position] for key, one in parts.items() if position < len(one)}
    spoken = {name: spans for name in set(names.values()) if (spans := _name_places(page, name))}
    marks = _in_order(saying[key] for key, name in names.items() if name in spoken)
    # A side of an account is said with its figure or at the head of its column, never a line above.
    stand = _owners(page, spoken, marks, lasting=not all(map(_side, spoken))) if len(spoken) > 1 else {}
    return dict.fromkeys(spoken, stand)


def _side(name: str) -> re.Pattern[str] | None:
    return next((words for start, words in _SIDES.items() if name.lower().startswith(start)), None)


def _name_places(page: JudgedPage, name: str) -> list[Span]:
    """Where a part of a key stands: as it is, as a month, or as one of the sides of an account."""
    if side := _side(name):
        return [match.span() for match in side.finditer(page.text)]
    is_month = name.isascii() and name.isdecimal() and len(name) < 3
    return page.places(int(name)) if is_month else page.places(name) if len(name) > 1 else []


def _owners(
    page: JudgedPage, names: Mapping[str, Sequence[Span]], figures: Sequence[JudgedFigure], *, lasting: bool
) -> dict[int, str | None]:
    """By the place of each figure, the name it stands with; None where there is no telling.

    A lasting name holds for the lines below it that name no other.
    """
    places = sorted((start, name) for name, spans in names.items() for start, _ in spans)
    taken = {start for start, _ in places}
    own = [figure for figure in figures if figure.start not in taken]
    heads: dict[int, str] = {}
    found: dict[int, str | None] = {}
    for line in _lines(page.text):
        here = _between(places, *line)
        marks = [figure for figure in own if line[0] <= figure.start < line[1]]
        bars = [at for at in range(*line) if page.text[at] == "|"]
        if len(bars) < 2:
            heads = {}
            found |= _in_line(page, line, here, places if lasting else here, marks) if marks else {}
            continue
        in_columns = {bisect_left(bars, at): name for at, name in here}
        for figure in marks:
            column = bisect_left(bars, figure.start)
            alone = len(set(in_columns.values())) == 1
            found[figure.start] = here[0][1] if alone else in_columns.get(column) or heads.get(column)
        heads |= in_columns
    return found


def _lines(text: str) -> Iterable[Span]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, start + len(line)
        start += len(line)


def _between(places: Places, first: int, last: int) -> Places:
    return places[bisect_left(places, (first, "")) : bisect_left(places, (last, ""))]


def _in_line(
    page: JudgedPage, line: Span, here: Places, places: Places, figures: list[JudgedFigure]
) -> dict[int, str | None]:
    if len({name for _, name in here}) == 1:
        return {figure.start: here[0][1] for figure in figures}
    turns = _in_turns(here, figures)
    if turns or not here:
        return turns or {figure.start: _before(places, figure.start) for figure in figures}
    ends = page.sentence_ends
    inside = ends[bisect_right(ends, line[0]) : bisect_right(ends, line[1] - 1)]
    found: dict[int, str | None] = {}
    for first, last in pairwise((line[0], *inside, line[1])):
        named = _between(here, first, last)
        marks = [figure for figure in figures if first <= figure.start < last]
        found |= _in_turns(named, marks) or {one.start: _in_clause(page, named, places, one) for one in marks}
    return found


def _before(places: Places, at: int) -> str | None:
    """The last name before a place."""
    number = bisect_left(places, (at, "")) - 1
    return places[number][1] if number >= 0 else None


def _in_turns(here: Places, figures: list[JudgedFigure]) -> dict[int, str | None]:
    """Names and figures that come in turns or in two equal groups; empty where they come otherwise."""
    ordered: list[tuple[int, str | None]] = [*here, *((figure.start, None) for figure in figures)]
    ordered.sort(key=lambda mark: mark[0])
    marks = [next(group) for _, group in groupby(ordered, key=lambda mark: mark[1] or mark[0])]
    names = [name for _, name in marks if name is not None]
    places = [at for at, name in marks if name is None]
    kinds = [name is None for _, name in marks]
    half = len(marks) // 2
    in_turns = all(one != other for one, other in pairwise(kinds))
    in_groups = len(set(kinds[:half])) == len(set(kinds[half:])) == 1 and kinds[0] != kinds[-1]
    if len(names) != len(places) or len(set(names)) != len(names) or not (in_turns or in_groups):
        return {}
    return dict(zip(places, names, strict=True))


def _in_clause(page: JudgedPage, here: Places, places: Places, figure: JudgedFigure) -> str | None:
    inside = _between(here, *page.clause(figure.start, figure.end))
    if not inside:
        return _before(places, figure.start) or (here[0][1] if here else None)
    number = bisect_left(inside, (figure.start, ""))
    # A name in brackets right after a figure is its own: 300 (2024).
    behind = page.text[figure.end : inside[number][0]] if number < len(inside) else ""
    if len(behind) < 12 and behind.strip(" CHFEUR.*").startswith(("(", "（", "[")):
        return inside[number][1]
    return inside[number - 1][1] if number else inside[0][1]
