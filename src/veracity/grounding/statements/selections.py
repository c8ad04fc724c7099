"""Counts, shares, none, all and only: what is said of how many rows meet a condition.

A condition is a value that rows have (closed, London, bezahlt), or a bound that a column keeps (more than 500 sqm, before 07:00).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.cue_words import FUNCTION
from veracity.grounding.binding.figure_meaning import table_says
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cues import cue, degrees_in, fractions
from veracity.grounding.statements.flags import flags_said
from veracity.grounding.statements.scene import (
    CheckedStatement,
    Scene,
    is_timed,
    judged,
    sorted_values,
    table_years,
    value_at,
    values_of,
)
from veracity.language.folding import listed
from veracity.language.units import units

_BOUNDS = ("at_least", "at_most", "more_than", "less_than")
_IN_YEAR = re.compile(r"(?<![a-z])(?:in|im|im jahr|during)\s*$|在$|于$")
_MOST_COUNTED = 100_000
_NEAR = 26
_OF_ROWS = re.compile(r"\s*(?:%|percent|per cent|prozent)?\s*(?:of|der|des|aller|von|的)(?![a-z])")
_SPATIAL, _DETERMINERS = frozenset({"over", "ueber"}), listed("the these all die den der das diese alle")
_NO_COUNT = frozenset({"times", "mal", "percent", "prozent", "th", "st", "nd", "rd"})
_HUNDRED = Decimal(100)
_MOST_BEFORE, _MOST_SIGNS = 4, 8
_UNSPACED = 0x2E80
_COUNTERS = frozenset("个名位家条件项笔次种人份张只台辆本天月年部所间组")
"""What stands between a number and what it counts in Chinese."""


class Condition(NamedTuple):
    """The rows that meet a condition, once for each column that may be meant."""

    rows: tuple[frozenset[int], ...]
    sure: bool
    bounds: frozenset[int] = frozenset()
    """Where the figures start that are bounds."""
    among: frozenset[int] | None = None
    """The rows that are spoken of, where the sentence says which: all [organic estates] sell below 30."""


def condition_of(scene: Scene, table: Table, *, keys: bool = False) -> Condition | None:
    """What the sentence says of its rows; names of single rows by their key are no condition unless asked for."""
    parts = _named_conditions(scene, table, keys=keys)
    year = _in_year(scene, table)
    if year is not None:
        parts.append((year[0], year[1]))
    equal = _equal(scene, table)
    parts += [equal] if equal is not None else []
    chosen = frozenset.intersection(*(rows for _start, rows in parts)) if parts else None
    bound = _bound(scene, table)
    if bound is None:
        among = parts[0][1] if len(parts) > 1 else None
        starts = frozenset(one[0] for one in (year, equal) if one is not None)
        return Condition((chosen,), sure=True, bounds=starts, among=among) if chosen is not None else None
    figure, columns, sure = bound
    met = tuple(_meeting(scene, table, column, figure) for column in columns)
    starts = frozenset({figure.figure.start, *([year[0]] if year is not None else [])})
    if chosen is None or not met:
        return Condition(met, sure, starts) if met else None
    first = parts[0][0] < figure.figure.start
    among = chosen if first else met[0] if len(met) == 1 else None
    return Condition(tuple(rows & chosen for rows in met), sure, starts, among)


def _equal(scene: Scene, table: Table) -> tuple[int, frozenset[int]] | None:
    """`scored 12 goals`, of rows that nobody names: where the figure stands, and the rows that have it."""
    for one in scene.figures if not scene.has("total", "average") else ():
        noun, bound = scene.page.noun_of(one.figure), scene.bound.get(one.figure.start)
        if noun is None or bound is None or bound.provenance.status != "ambiguous" or _relation(scene, one) is not None:
            continue
        told = [ref.column for ref in noun.columns if ref.table == table.number and ref.column in table.figures]
        rows = range(min(len(table.rows), _MOST_COUNTED))
        if len(told) == 1:
            return one.figure.start, frozenset(row for row in rows if table_says(table, row, told[0], one.meaning))
    return None


def _in_year(scene: Scene, table: Table) -> tuple[int, frozenset[int]] | None:
    """`in 2026`: where the year is said, and the rows whose day in the only column of days is of that year."""
    if len(table.days) != 1 or next(iter(table.days)) in table.result.key:
        return None
    days = next(iter(table.days.values()))
    for one in scene.figures:
        if _IN_YEAR.search(scene.page.tokens.before(one.first, 12)) and one.figure.text.isdecimal():
            rows = [row for day, rows in days.items() if str(day.year) == one.figure.text for row in rows]
            return (one.figure.start, frozenset(rows)) if len(one.figure.text) == len("2026") else None
    return None


def _named_conditions(scene: Scene, table: Table, *, keys: bool) -> list[tuple[int, frozenset[int]]]:
    """The rows that have a value, or that a word for a column of yes and no is said of, in the order of the sentence."""
    groups: dict[str, set[int]] = {}
    starts: dict[str, int] = {}
    for mention in scene.names:
        if mention.start >= scene.clause_end:
            break
        if mention.excluded or mention.compared or (scene.is_key(mention, table) and not keys):
            continue
        for ref in scene.refs(mention, table)[:1]:
            groups.setdefault(ref.column, set()).update(scene.rows(mention, table))
            starts.setdefault(ref.column, mention.start)
    found = [(starts[column], frozenset(rows)) for column, rows in groups.items()]
    flags = ((mention.start, rows) for mention, rows in flags_said(scene, table) if mention.start < scene.clause_end)
    return sorted([*found, *flags], key=lambda one: one[0])


def _bound(scene: Scene, table: Table) -> tuple[SaidFigure, list[str], bool] | None:
    """The figure that is a bound, and the columns that may keep it."""
    for one in scene.every_figure:
        if _relation(scene, one) is None:
            continue
        measured = [column for column in scene.measured(table) if _takes(one, table, column)]
        if measured:
            return one, measured, True
        degree = next(iter(degrees_in(scene.folded, "comparative")), None)
        meant = scene.by_adjective(degree.adjective, table)[0] if degree is not None else scene.ordered(table)
        fitting = [column for column in meant if _takes(one, table, column)]
        of_unit = [
            column
            for column in fitting
            if one.meaning.unit is not None and _unit(table, column) == one.meaning.unit.dimension
        ]
        found = of_unit or fitting
        return (one, found, len(found) == 1) if found else None
    return None


def _unit(table: Table, column: str) -> str | None:
    own = table.columns[column].unit
    known = units().get(own.lower()) if own else None
    return known.dimension if known is not None else None


def _takes(one: SaidFigure, table: Table, column: str) -> bool:
    """Whether a figure can bound a column: times bound times, and units must not be others."""
    if (one.figure.kind in ("time", "date")) != is_timed(table, column):
        return False
    own, unit = _unit(table, column), one.meaning.unit
    return own is None or unit is None or own == unit.dimension


def _relation(scene: Scene, one: SaidFigure) -> str | None:
    before = scene.page.tokens.before(one.first, _NEAR)
    for kind in _BOUNDS:
        for found in cue(kind).finditer(before):
            between = before[found.end() :]
            if found.group() in _SPATIAL and between.strip() in _DETERMINERS:
                continue  # Over the six months is no bound.
            if len(between.split()) <= 2 and not re.search(r"[0-9,;]", between):
                return kind
    return next((kind for found, kind in _AFTER if found.match(scene.page.text, one.figure.end)), None)


_AFTER = ((re.compile(r"\s*%?\s*(?:or (?:more|higher|above)|und mehr|oder (?:mehr|höher)|及?以上)", re.IGNORECASE), "at_least"),
          (re.compile(r"\s*%?\s*(?:or (?:less|fewer|lower|below)|und weniger|oder (?:weniger|tiefer)|及?以下)", re.IGNORECASE), "at_most"))  # fmt: skip


def _meeting(scene: Scene, table: Table, column: str, one: SaidFigure) -> frozenset[int]:
    relation = _relation(scene, one)
    minute = scene.page.text_figures.minutes.get(one.figure.start)
    if minute is not None:
        limit = Decimal(minute)
    elif one.figure.readings:
        limit = _in_cells(one.figure.readings[0], table, column)
    else:
        return frozenset()
    values = values_of(table, column)
    if relation == "more_than":
        return frozenset(row for row, value in values.items() if value > limit)
    if relation == "less_than":
        return frozenset(row for row, value in values.items() if value < limit)
    if relation == "at_least":
        return frozenset(row for row, value in values.items() if value >= limit)
    return frozenset(row for row, value in values.items() if value <= limit)


def _in_cells(limit: Decimal, table: Table, column: str) -> Decimal:
    """A bound as the cells of a column are written: in thousands, where it is far beyond all of them."""
    multiple, values = table.columns[column].multiple, sorted_values(table, column)
    return limit / multiple if multiple != 1 and values and limit > 10 * abs(values[-1]) else limit


# --- how many


def counts_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Three stores are open`: as many rows meet the condition."""
    table = scene.table
    if table is None or not table.whole or len(table.rows) < 2:
        return
    counting = [one for one in scene.every_figure if counts_rows(scene, one, table)]
    if not counting and not _has_subject(scene, table) and (single := _ONLY_ONE.search(scene.folded)) is not None:
        met = condition_of(scene, table)
        if met is not None:
            held = [len(rows) == 1 for rows in met.rows]
            span = scene.original(single.start(), single.end())
            yield from judged(span, held, sure=met.sure, key="count", settles=met.bounds)
        return
    if not counting or _has_subject(scene, table):
        return
    whole = _whole_of(scene, counting)
    if whole is None and len(scene.clauses) > 1:
        parts = [one for one in scene.clauses if any(counts_rows(one, said, table) for said in one.every_figure)]
        if len(parts) > 1:
            for part in parts:
                yield from counts_hold(part)
            return
    met = condition_of(scene, table)
    if whole is not None and met is not None:
        right = whole.figure.readings[0] == len(met.among if met.among is not None else table.rows)
        if not right:
            yield CheckedStatement("contradicted", (whole.figure.start, whole.figure.end), "count")
            return
        yield CheckedStatement("supported", scene.span, "count", settles=frozenset({whole.figure.start}))
    for one in counting if met is not None else ():
        assert met is not None
        if one.figure.start in met.bounds or one is whole:
            continue
        number = int(one.figure.readings[0])
        held = [len(rows) == number for rows in met.rows]
        if scene.has("all") and number == len(table.rows):
            yield CheckedStatement("supported", scene.span, "count", settles=frozenset({one.figure.start}))
            return
        settles = frozenset({one.figure.start, *met.bounds})
        says = str(len(met.rows[0])) if len(met.rows) == 1 else ""
        span = (one.figure.start, one.figure.end)
        yield from judged(span, held, sure=met.sure, key="count", settles=settles, says=says)
        return


_ONLY_ONE = re.compile(
    r"(?<![a-z])(?:(?:only|just) one|nur eine?[nrsm]?|exactly one|genau eine?[nrsm]?)(?![a-z])|(?:只|仅)有?一[个家名位条件项笔座间]"
)
_OF_THE = re.compile(
    r"\s*(?:out )?(?:of|from|von|aus)?\s*(?:the|our|these|all|der|den|diesen|unseren|insgesamt)?\s*", re.IGNORECASE
)


def _whole_of(scene: Scene, counting: Sequence[SaidFigure]) -> SaidFigure | None:
    """The figure that says how many there are in all: three of the [six] turbines, [四]个订单中有两个."""
    one = counting[0]
    other = next((said for said in scene.every_figure if said.figure.start >= one.figure.end), None)
    if other is None or not other.figure.readings or other.meaning.unit is not None or other.figure.percent:
        return None
    between = scene.page.text[one.figure.end : other.figure.start]
    if _OF_THE.fullmatch(between) and between.strip():
        return other
    return one if other in counting and ("中" in between or "里" in between) else None


def counts_rows(scene: Scene, one: SaidFigure, table: Table) -> bool:
    """Whether a figure counts things rather than measuring them."""
    figure = one.figure
    if figure.kind not in ("number", "word") or not figure.readings or figure.percent or not _may_count(one, table):
        return False
    value, bound = figure.readings[0], scene.bound.get(figure.start)
    if bound is not None and bound.provenance.kind == "cell" and bound.provenance.args and scene.is_bound(one):
        return False
    if value != int(value) or not 0 <= value <= _MOST_COUNTED or _relation(scene, one) is not None:
        return False
    if any(name.start <= figure.start < name.end for name in scene.names):
        return False
    words = scene.page.words
    following = words[one.last + 1] if one.last + 1 < len(words) else ""
    if following and ord(following[0]) >= _UNSPACED and following not in _COUNTERS:
        return False
    if not following or following in _NO_COUNT or (following in FUNCTION and following not in ("of", "der", "von")):
        return False
    noun = scene.page.noun_of(figure) if one.meaning.unit is None else None
    if noun is None:
        return following[0].isalpha() and (one.meaning.unit is not None or _begins(scene, one))
    refs = [ref for ref in noun.columns if ref.table == table.number]
    return not refs or any(
        ref.column == "*" or ref.column in table.result.key or not table.columns[ref.column].numeric for ref in refs
    )


def _begins(scene: Scene, one: SaidFigure) -> bool:
    """Whether a figure begins its clause, behind small words at most: There are two ..., In drei Fällen ..."""
    before = scene.page.words[scene.line.first : one.first]
    signs = sum(ord(word[0]) >= _UNSPACED for word in before)
    small = all(word in FUNCTION or ord(word[0]) >= _UNSPACED for word in before)
    return small and len(before) - signs <= _MOST_BEFORE and signs <= _MOST_SIGNS


def _may_count(one: SaidFigure, table: Table) -> bool:
    """Whether a figure has no unit; days and years are counted where each row is one."""
    unit = one.meaning.unit
    return unit is None or (unit.dimension in ("time", "months") and table.is_series)


def _has_subject(scene: Scene, table: Table) -> bool:
    told = (one for one in scene.names if one.start < scene.clause_end)
    return any(scene.is_key(one, table) and not one.compared and not one.excluded for one in told)


# --- which part


def shares_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Half of the flights are on time`, `60 % of the stores are open`: that part of the rows meets the condition."""
    table = scene.table
    if table is None or not table.whole or len(table.rows) < 2:
        return
    said = any(one.figure.percent for one in scene.figures) or any(part.search(scene.folded) for part, _ in fractions())
    met = condition_of(scene, table) if said and not _has_subject(scene, table) else None
    if met is None:
        return
    whole = len(table.rows)
    for one in scene.figures:
        if one.figure.percent and _OF_ROWS.match(scene.page.text[one.figure.end : one.figure.end + 24].lower()):
            held = [_is_part(one, Decimal(len(rows)) / whole) for rows in met.rows]
            settles = frozenset({one.figure.start, *met.bounds})
            yield from judged((one.figure.start, one.figure.end), held, sure=met.sure, key="share", settles=settles)
            return
    for pattern, part in fractions():
        found = pattern.search(scene.folded)
        if found is not None:
            before = scene.folded[max(0, found.start() - 16) : found.start()]
            held = [_compares(before, Decimal(len(rows)) / whole, part) for rows in met.rows]
            yield from judged(scene.span, held, sure=met.sure, key="share", settles=met.bounds)
            return


def _is_part(one: SaidFigure, share: Decimal) -> bool:
    return any(
        abs(reading - share * _HUNDRED) <= tolerance
        for reading, tolerance in zip(one.figure.readings, one.figure.tolerances, strict=True)
    )


def _compares(before: str, share: Decimal, part: Decimal) -> bool:
    if cue("more_than").search(before) or cue("at_least").search(before):
        return share > part or (share == part and cue("at_least").search(before) is not None)
    if cue("less_than").search(before):
        return share < part
    return abs(share - part) <= Decimal("0.02")


# --- none, all, only


def quantifiers_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """None, all and only are said of the rows that they are true of."""
    table = scene.table
    if table is None or not table.whole or len(table.rows) < 2:
        return
    everything = frozenset(range(len(table.rows)))
    if scene.has("only"):
        yield from _only(scene, table)
        return
    if _has_subject(scene, table):
        return
    met = condition_of(scene, table)
    left_out = [one for one in scene.names if one.excluded]
    if left_out:
        rest = everything - frozenset(row for one in left_out for row in scene.rows(one, table))
        if met is not None and scene.has("all") and not scene.has("negated") and met.among is None:
            held = [rows == rest for rows in met.rows]
            yield from judged(scene.span, held, sure=met.sure, key="all", settles=met.bounds)
        return
    if scene.has("not_all"):
        if met is not None:
            yield from judged(
                scene.span, [rows != everything for rows in met.rows], sure=met.sure, key="not_all", settles=met.bounds
            )
        return
    none = scene.says("none")
    if none is not None and none.start() <= _FIRST:
        met = met or _some_of_column(scene, table, none)
        if met is not None:
            yield from judged(
                scene.span, [not rows for rows in met.rows], sure=met.sure, key="none", settles=met.bounds
            )
    elif met is not None and scene.has("all") and not scene.has("negated"):
        shared = _rows_with_figure(scene, table) if met.among is None and not met.bounds else None
        if shared is not None:
            yield from judged(scene.span, [met.rows[0] <= shared], sure=True, key="all")
            return
        spoken_of = met.among if met.among is not None else everything
        yield from judged(
            scene.span, [rows == spoken_of for rows in met.rows], sure=met.sure, key="all", settles=met.bounds
        )


def _rows_with_figure(scene: Scene, table: Table) -> frozenset[int] | None:
    """The rows that have the figure that is said of all of some: all turbines at Coldmoor have a height of 120 m."""
    said = next((one for one in scene.figures if scene.is_bound(one)), None)
    names = [one for one in scene.names if scene.refs(one, table)]
    args = scene.bound[said.figure.start].provenance.args if said is not None else ()
    if (
        said is None
        or not args
        or args[0].column not in table.columns
        or not names
        or names[0].start > said.figure.start
    ):
        return None
    rows = range(min(len(table.rows), _MOST_COUNTED))
    return frozenset(row for row in rows if table_says(table, row, args[0].column, said.meaning))


_FIRST = 40
"""`none` stands near the beginning of what it is said of."""


def _some_of_column(scene: Scene, table: Table, none: re.Match[str]) -> Condition | None:
    """`no rain`: no row has any of a column."""
    behind = scene.folded[none.end() : none.end() + 24]
    measured = [column for column in scene.measured(table) if table.columns[column].numeric]
    first = next((mention for mention in scene.columns), None)
    if not measured or first is None or not behind.strip().startswith(scene.page.words[first.first]):
        return None
    rows = frozenset(row for row, value in values_of(table, measured[0]).items() if value != 0)
    return Condition((rows,), sure=True)


def _only(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`Only Geneva is closed`: the condition holds of these rows and of no others."""
    subjects = [one for one in scene.names if scene.is_key(one, table) and not one.compared and not one.excluded]
    named = frozenset(row for one in subjects for row in scene.rows(one, table))
    met = _not_in_year(scene, table) or _fallen(scene, table) or condition_of(scene, table)
    if not named or met is None:
        return
    yield from judged(scene.span, [rows == named for rows in met.rows], sure=met.sure, key="only", settles=met.bounds)


def _not_in_year(scene: Scene, table: Table) -> Condition | None:
    """`has not been inspected in 2025`: the rows whose day in the one column of days is in another year."""
    if not scene.has("negated") or len(table.days) != 1:
        return None
    days = next(iter(table.days.values()))
    years = {day.year for day in days}
    for one in scene.figures:
        if one.figure.start < scene.clause_end and one.figure.text.isdecimal() and int(one.figure.text) in years:
            others = (row for day, rows in days.items() if day.year != int(one.figure.text) for row in rows)
            return Condition((frozenset(others),), sure=True, bounds=frozenset({one.figure.start}))
    return None


def _fallen(scene: Scene, table: Table) -> Condition | None:
    """The rows that rose or fell between the first and the last year, where years are columns."""
    years = table_years(scene, table)
    said = [column for column in scene.periods(table) if column in years]
    degree = next(iter(scene.degrees("comparative")), None) if len(said) == 2 else None
    up = scene.has("up") if degree is None else degree.adjective.end == "high"
    down = scene.has("down") if degree is None else not up
    if up == down or len(years) < 2:
        return None
    # Lower in 2024 than in 2023: the one that is said first is the one that is lower.
    first, last = (years[0], years[-1]) if degree is None else (said[1], said[0])
    values = ((row, value_at(table, row, first), value_at(table, row, last)) for row in range(len(table.rows)))
    known = [(row, one, two) for row, one, two in values if one is not None and two is not None]
    return Condition((frozenset(row for row, one, two in known if (two > one) == up and two != one),), sure=True)
