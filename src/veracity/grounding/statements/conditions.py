"""Conditions: the rows that a sentence says something of.

A condition is a value that rows have (closed, London, bezahlt), a bound that a column keeps (more than 500 sqm, before 07:00), a
change (fell, less in June than in May), one column against another (more goals than assists), or a cell that is empty (no sponsor).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.figure_meaning import table_says
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.period_names import period_in_name
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import column_roots, is_rank, is_timed, sorted_values, values_of
from veracity.grounding.statements.cues import cue, degrees_in
from veracity.grounding.statements.days_meant import in_month, in_year, on_day
from veracity.grounding.statements.flags import flags_said, is_empty, rows_full, rows_with_gaps, says_none_of
from veracity.grounding.statements.scene import Scene, table_years
from veracity.language.folding import listed
from veracity.language.stem import noun_root
from veracity.language.units import Unit, units

_BOUNDS = ("at_least", "at_most", "more_than", "less_than")
MOST_COUNTED = 100_000
_NEAR = 26
_SPATIAL, _DETERMINERS = frozenset({"over", "ueber"}), listed("the these all die den der das diese alle")


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
    year = in_year(scene, table)
    if year is not None:
        parts.append((year[0], year[1]))
    month = in_month(scene, table) or on_day(scene, table)
    parts += [month] if month is not None else []
    equal = _equal(scene, table) or _in_top(scene, table)
    parts += [equal] if equal is not None else []
    parts += [(start, rows) for start, rows in _related(scene, table)]
    chosen = frozenset.intersection(*(rows for _start, rows in parts)) if parts else None
    bound = _bound(scene, table)
    if bound is None:
        among = parts[0][1] if len(parts) > 1 else None
        starts = frozenset(one[0] for one in (year, month, equal) if one is not None)
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
        if (at_time := _at_time(scene, table, one)) is not None:
            return at_time
        noun, bound = scene.page.noun_of(one.figure), scene.bound.get(one.figure.start)
        if (
            noun is None
            or bound is None
            or bound.provenance.status != "ambiguous"
            or relation_to(scene, one) is not None
        ):
            continue
        told = [ref.column for ref in noun.columns if ref.table == table.number and ref.column in table.figures]
        rows = range(min(len(table.rows), MOST_COUNTED))
        if len(told) == 1:
            return one.figure.start, frozenset(row for row in rows if table_says(table, row, told[0], one.meaning))
    return None


_TOP = re.compile(r"(?<![a-z])top[ -]?$|(?<![a-z])(?:ersten|besten|first|best)\s*$|前$")


def _in_top(scene: Scene, table: Table) -> tuple[int, frozenset[int]] | None:
    """`in the top three`: where the figure stands, and the rows with a rank up to it."""
    ranked = next((column for column in table.columns if is_rank(column) and scene.is_ordered(table, column)), None)
    for one in scene.every_figure if ranked is not None else ():
        if one.figure.readings and ranked is not None and _TOP.search(scene.page.tokens.before(one.first, 12)):
            values = values_of(table, ranked)
            return one.figure.start, frozenset(row for row, rank in values.items() if rank <= one.figure.readings[0])
    return None


def _at_time(scene: Scene, table: Table, one: SaidFigure) -> tuple[int, frozenset[int]] | None:
    """`begin at nine o'clock`: the rows that have this time in the only column of times that is said."""
    minute = scene.page.text_figures.minutes.get(one.figure.start)
    timed = [column for column in scene.measured(table) if is_timed(table, column)] if minute is not None else []
    named = any(name.start <= one.figure.start < name.end for name in scene.names)
    if minute is None or named or len(timed) != 1 or relation_to(scene, one) is not None:
        return None
    return one.figure.start, frozenset(row for row, value in values_of(table, timed[0]).items() if value == minute)


def _named_conditions(scene: Scene, table: Table, *, keys: bool) -> list[tuple[int, frozenset[int]]]:
    """The rows that have a value, or that a word for a column of yes and no is said of, in the order of the sentence."""
    groups: dict[str, set[int]] = {}
    starts: dict[str, int] = {}
    for mention in scene.names:
        if mention.start >= scene.clause_end:
            break
        if mention.excluded or mention.compared or (scene.is_key(mention, table) and not keys):
            continue
        timed = any(map(str.isdigit, scene.page.text[mention.start : mention.end]))
        if timed and _OF_YEARS.search(scene.page.tokens.before(mention.first, _NEAR)):
            continue  # Before 2022 is not in 2022; nach Bern is.
        other = _of_other_days(scene, mention, table) if timed else None
        rows = other if other is not None else scene.rows(mention, table)
        if _OUTSIDE.search(scene.page.tokens.before(mention.first, _NEAR)):
            rows = frozenset(range(len(table.rows))) - rows
        for ref in scene.refs(mention, table)[:1]:
            groups.setdefault(ref.column, set()).update(rows)
            starts.setdefault(ref.column, mention.start)
    found = [(starts[column], frozenset(rows)) for column, rows in groups.items()]
    flags = ((mention.start, rows) for mention, rows in flags_said(scene, table) if mention.start < scene.clause_end)
    return sorted([*found, *flags], key=lambda one: one[0])


def _of_other_days(scene: Scene, mention: NameMention, table: Table) -> frozenset[int] | None:
    """The rows of a year in the column of days that is said, where the year also stands in another column: leases that end in 2025."""
    said = {
        ref.column for one in scene.columns if one is not mention for ref in one.columns if ref.table == table.number
    }
    told = [column for column in table.days if column in said]
    year = scene.page.text[mention.start : mention.end]
    if len(told) != 1 or any(ref.column in told for ref in scene.refs(mention, table)) or not _YEAR.fullmatch(year):
        return None
    return frozenset(row for day, rows in table.days[told[0]].items() if day.year == int(year) for row in rows)


_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_OUTSIDE = re.compile(r"(?<![a-z])(?:outside(?: of)?|ausserhalb(?: von)?)(?: the| der| des)?\s*$|不在$")


def _bound(scene: Scene, table: Table) -> tuple[SaidFigure, list[str], bool] | None:
    """The figure that is a bound, and the columns that may keep it."""
    for one in scene.every_figure:
        if relation_to(scene, one) is None:
            continue
        if (years := _years(scene, table, one)) is not None:
            return (one, years, len(years) == 1) if years else None
        near = scene.part_of(one).measured(table) or scene.measured(table)
        measured = [column for column in near if _takes(one, table, column)]
        if measured:
            return one, measured, True
        degree = next(iter(degrees_in(scene.folded, "comparative")), None)
        meant = scene.by_adjective(degree.adjective, table)[0] if degree is not None else scene.ordered(table)
        unit = one.meaning.unit
        tall = degree is not None and unit is not None and unit.dimension == "length"
        heights = [column for column in meant if tall and not _HEIGHTS.isdisjoint(column_roots(column))]
        if heights and degree is not None and degree.adjective.of is None:
            return one, heights, len(heights) == 1  # Higher than 600 m is no depth.
        fitting = [column for column in meant if _takes(one, table, column)]
        of_unit = [column for column in fitting if _measures_in(table, column, one)]
        of_unit = of_unit or [column for column in fitting if one.figure.percent and column in table.rates]
        found = of_unit or fitting
        return (one, found, len(found) == 1) if found else None
    return None


_HEIGHTS = frozenset(map(noun_root, listed("height altitude elevation höhe 高度 海拔")))


def _years(scene: Scene, table: Table, one: SaidFigure) -> list[str] | None:
    """The columns of years, where a bound is a year: before 2022; None where it is none."""
    text = one.figure.text
    behind = _BY_YEARS.match(scene.page.text, one.figure.end) is not None
    told = behind or _OF_YEARS.search(scene.page.tokens.before(one.first, _NEAR)) is not None
    if not told or len(text) != len("2022") or not text.isdecimal() or text[:2] not in ("18", "19", "20"):
        return None
    return [column for column in table.columns if table.holds_years(column)]


_BY_YEARS = re.compile(r"年(?:以后|之后|以前|之前)")
_OF_YEARS = re.compile(r"(?<![a-z])(?:before|after|since|until|vor|nach|seit|bis)\s*$|早于$|晚于$")


def _unit(table: Table, column: str) -> Unit | None:
    """What a column is measured in, by its name, or by the first of its texts."""
    own = table.columns[column].unit
    if own:
        return units().get(own.lower())
    return table.unit_of_texts(column)


def _measures_in(table: Table, column: str, one: SaidFigure) -> bool:
    own, unit = _unit(table, column), one.meaning.unit
    return own is not None and unit is not None and own.dimension == unit.dimension


def _takes(one: SaidFigure, table: Table, column: str) -> bool:
    """Whether a figure can bound a column: times bound times, and units must not be others."""
    own, unit = _unit(table, column), one.meaning.unit
    clocked = one.figure.kind == "time" and table.unit_of_texts(column) is not None
    lasts = (
        own is not None and own.dimension == "time" and (unit is not None or clocked)
    )  # 2:41:08 is under three hours.
    if not lasts and (one.figure.kind in ("time", "date")) != is_timed(table, column):
        return False
    return own is None or unit is None or own.dimension == unit.dimension


def relation_to(scene: Scene, one: SaidFigure) -> str | None:
    before = scene.page.tokens.before(one.first, _NEAR)
    for kind in _BOUNDS:
        for found in cue(kind).finditer(before):
            between = before[found.end() :]
            if _NEARLY.search(before[: found.start()]) or _HAS_OVER.search(before[: found.end()]):
                continue  # Just under 5 is about 5; verfügen über 5 is to have 5.
            if found.group() in _SPATIAL and between.strip() in _DETERMINERS:
                continue  # Over the six months is no bound.
            if found.group() in _IN_TIME and not _is_of_time(one):
                continue  # Looks after two of them is no bound.
            if len(between.split()) <= 2 and not re.search(r"[0-9,;]", between):
                return kind
    behind = next((kind for found, kind in _AFTER if found.match(scene.page.text, one.figure.end)), None)
    return behind or _relation_to_target(scene, one)


_TARGET = re.compile(
    r"(?<![a-z])(?:targets?|goals?|quota|ziel\w*|vorgabe\w*|soll\w*|limits?|caps?|grenzwert\w*|\w*frist|deadline|maximum)(?![a-z])|目标|指标|上限|限值"
)
_UPPER = re.compile(r"(?<![a-z])(?:limits?|caps?|grenzwert\w*|\w*frist|deadline|maximum)(?![a-z])|上限|限值")


def _relation_to_target(scene: Scene, one: SaidFigure) -> str | None:
    """How rows stand to a target that only the sentence says: only A missed the 99.9 % target, verfehlt die Frist von zehn Minuten."""
    if not scene.says_target:
        return None
    clause = next((part for part in scene.clauses if part.line.start <= one.figure.start < part.line.end), scene)
    missed = clause.has("missed")
    if _TARGET.search(clause.folded) is None or not (missed or clause.has("kept")):
        return None
    unit = one.meaning.unit
    upper = _UPPER.search(clause.folded) is not None or (unit is not None and unit.dimension == "time")
    if missed:
        return "more_than" if upper else "less_than"
    return "at_most" if upper else "at_least"


def _is_of_time(one: SaidFigure) -> bool:
    unit = one.meaning.unit
    timed = one.figure.kind in ("time", "date") or (unit is not None and unit.dimension in ("time", "months"))
    return timed or (len(one.figure.text) == len("2022") and one.figure.text.isdecimal())


_IN_TIME = frozenset({"after", "before", "nach", "vor"})
_HAS_OVER = re.compile(r"(?<![a-z])verfueg\w* (?:[a-z]+ ){0,3}ueber$")
_NEARLY = re.compile(r"(?<![a-z])(?:just|slightly|a little|a bit|only just|knapp|leicht|etwas|wenig)\s*$|略$|稍$")
_AFTER = ((re.compile(r"年?(?:以后|之后)"), "more_than"), (re.compile(r"年?(?:以前|之前)"), "less_than"),
          (re.compile(r"\s*%?\s*(?:[a-z]{2,12} )?(?:or (?:more|higher|above|longer)|und mehr|oder (?:mehr|höher)|[分元个人名次天岁米吨]?及?以上)", re.IGNORECASE), "at_least"),
          (re.compile(r"\s*%?\s*(?:[a-z]{2,12} )?(?:or (?:less|fewer|lower|below|shorter)|und weniger|oder (?:weniger|tiefer)|[分元个人名次天岁米吨]?及?以下)", re.IGNORECASE), "at_most"))  # fmt: skip


def _meeting(scene: Scene, table: Table, column: str, one: SaidFigure) -> frozenset[int]:
    relation = relation_to(scene, one)
    minute = scene.page.text_figures.minutes.get(one.figure.start)
    if minute is not None:
        seconds = table.unit_of_texts(column)
        limit = Decimal(minute) * (60 / seconds.factor if seconds is not None else 1)
    elif one.figure.readings:
        limit = _in_cells(_in_own_unit(one, table, column), table, column)
        if one.figure.percent and limit > 1 and max(map(abs, sorted_values(table, column)), default=limit) <= 1:
            limit /= 100  # Above 84 %, of 0.853.
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


def _in_own_unit(one: SaidFigure, table: Table, column: str) -> Decimal:
    """A bound in the unit of the column: 0.8 m are 80 cm."""
    limit, own, unit = one.figure.readings[0], _unit(table, column), one.meaning.unit
    same = own is None or unit is None or own == unit or own.dimension != unit.dimension
    return limit if own is None or unit is None or same else limit * unit.factor / own.factor


def _in_cells(limit: Decimal, table: Table, column: str) -> Decimal:
    """A bound as the cells of a column are written: in thousands, where it is far beyond all of them."""
    multiple, values = table.columns[column].multiple, sorted_values(table, column)
    return limit / multiple if multiple != 1 and values and limit > 10 * abs(values[-1]) else limit


# --- changes, columns against each other, cells that are empty


def _related(scene: Scene, table: Table) -> Iterator[tuple[int, frozenset[int]]]:
    """Where such a condition is said, and the rows that meet it."""
    start = scene.line.start
    changed = changed_rows(scene, table)
    changed = changed if changed is not None else _unchanged_rows(scene, table)
    if changed is not None:
        yield start, changed
    else:
        compared = rows_of_compared_columns(scene, table)
        if compared is not None:
            yield start, compared
    for mention, columns in says_none_of(scene, table):
        yield mention.start, frozenset(row for row, cells in enumerate(table.rows) if is_empty(cells[columns[0]]))
    if (undone := rows_with_gaps(scene, table)) is not None:
        yield start, undone
    if (full := rows_full(scene, table)) is not None:
        yield start, full
    yield from _done(scene, table)


_IS_DONE = re.compile(r"(?<![a-z])(?:is|are|was|were|been|being|got)(?: (?:also|still|already|all|both))?\s*$")


def _done(scene: Scene, table: Table) -> Iterator[tuple[int, frozenset[int]]]:
    """`Two trains are delayed`, of a column of delays: the rows with more than none."""
    for one in scene.columns:
        columns = [ref.column for ref in one.columns if ref.table == table.number and ref.column in table.figures]
        done = scene.page.words[one.last].endswith("ed") and _IS_DONE.search(scene.page.tokens.before(one.first, 24))
        numeric = len(columns) == 1 and table.columns[columns[0]].numeric and columns[0] not in table.days
        if done and numeric and table.rows_flagged(columns[0]) is None and not scene.figures:
            yield one.start, frozenset(row for row, value in values_of(table, columns[0]).items() if value > 0)


def not_in_year(scene: Scene, table: Table, *, denied: bool = True) -> Condition | None:
    """`has not been inspected in 2025`: the rows whose day in the one column of days is in another year."""
    if (denied and not scene.has("negated")) or len(table.days) != 1:
        return None
    days = next(iter(table.days.values()))
    years = {day.year for day in days}
    for one in scene.figures:
        if one.figure.start < scene.clause_end and one.figure.text.isdecimal() and int(one.figure.text) in years:
            others = (row for day, rows in days.items() if day.year != int(one.figure.text) for row in rows)
            return Condition((frozenset(others),), sure=True, bounds=frozenset({one.figure.start}))
    return None


def changed_rows(scene: Scene, table: Table, *, denied: int | None = None) -> frozenset[int] | None:
    """The rows that rose or fell between two times, where times are columns; `denied`: right behind a word that says not.

    Where the rows are the times, those that are more or less than the one before.
    """
    years = table_years(scene, table)
    said = [column for column in scene.periods(table) if column in years]
    degree = next(iter(scene.degrees("comparative")), None) if len(said) == 2 else None
    up = scene.has("up") if degree is None else degree.adjective.end == "high"
    down = scene.has("down") if degree is None else not up
    if up == down or (scene.has("negated") and denied is None):
        return None
    if denied is not None and not cue("up" if up else "down").match(scene.folded, denied):
        return None
    if len(years) < 2:
        return _moved_from_before(scene, table, up=up)
    if degree is not None:
        # Lower in 2024 than in 2023: the one that is said first is the one that is lower.
        first, last = said[1], said[0]
    elif len(said) == 2:
        first, last = sorted(said, key=years.index)
    else:
        first, last = years[0], years[-1]
    if degree is None and len(years) > 2 and (scene.has("every") or _IN_A_ROW.search(scene.folded)):
        steps = [
            _moved(table, before, after, up=up)
            for before, after in pairwise(years[years.index(first) : years.index(last) + 1])
        ]
        return frozenset.intersection(*steps)
    return _moved(table, first, last, up=up)


def _moved_from_before(scene: Scene, table: Table, *, up: bool) -> frozenset[int] | None:
    """The rows in time that are more, or less, than the row before."""
    order, columns = table.in_time or [] if table.is_of_periods else [], scene.measured(table)
    if len(order) < 2 or len(columns) != 1 or scene.has("later", "earlier"):
        return None
    values = values_of(table, columns[0])
    both = [(values[before], values[row], row) for before, row in pairwise(order) if before in values and row in values]
    return frozenset(row for before, value, row in both if (value > before if up else value < before))


def _unchanged_rows(scene: Scene, table: Table) -> frozenset[int] | None:
    """The rows that are the same at the first time and the last one, or at the two that are said."""
    years = table_years(scene, table)
    if len(years) < 2 or not scene.has("unchanged") or scene.has("up", "down"):
        return None
    said = sorted((column for column in scene.periods(table) if column in years), key=years.index)
    first, last = (said[0], said[-1]) if len(said) > 1 else (years[0], years[-1])
    one, two = values_of(table, first), values_of(table, last)
    return frozenset(row for row in one if one[row] == two.get(row))


_IN_A_ROW = re.compile(
    r"(?<![a-z])(?:in a row|consecutive\w*|in folge|hintereinander|durchgehend|month after month|year after year)(?![a-z])|连续|逐"
)


def _moved(table: Table, first: str, last: str, *, up: bool) -> frozenset[int]:
    """The rows that are more, or less, in one column than in another."""
    one, two = values_of(table, first), values_of(table, last)
    return frozenset(row for row in one if row in two and (two[row] > one[row]) == up and two[row] != one[row])


_THAN = re.compile(
    r"(?<![a-z])(?:than|als)(?![a-z])|(?P<more>高于|多于|超过|大于)|(?P<less>低于|少于|小于|不及)|(?P<zh>比)"
)


def rows_of_compared_columns(scene: Scene, table: Table) -> frozenset[int] | None:
    """The rows in which one column is more, or less, than another: every month more glass than plastic."""
    if _THAN.search(scene.folded) is None and scene.columns:
        return _beyond_column(scene, table)
    said = compared_columns(scene, table)
    if said is None:
        return None
    one, two, higher = values_of(table, said[0]), values_of(table, said[1]), said[2]
    return frozenset(row for row in one if row in two and (one[row] > two[row]) == higher and one[row] != two[row])


def compared_columns(scene: Scene, table: Table) -> tuple[str, str, bool] | None:
    """Two columns of which one is said to be more, or less, than the other, and whether it is more."""
    found = _THAN.search(scene.folded)
    if found is None or len(scene.columns) < 2:
        return None
    at = scene.original(found.start(), found.end())
    before = [column for one in scene.columns if one.end <= at[0] for column in _numeric(one, table)]
    behind = [column for one in scene.columns if one.start >= at[1] for column in _numeric(one, table)]
    between = any(not _SAID_SO.isdisjoint(scene.page.words[one.first - 1 : one.first]) for one in scene.every_figure)
    if not before or not behind or before[-1] == behind[0] or between or scene.compared(table):
        return None
    if found["more"] or found["less"]:
        higher = bool(found["more"])
    else:
        degree = next(iter(scene.compared_so() if found["zh"] else scene.degrees("comparative")), None)
        if degree is None or (degree.adjective.of and not degree.adjective.vague):
            return None
        higher = degree.adjective.end == "high"
    return before[-1], behind[0], higher


_BEYOND = re.compile(
    r"(?<![a-z])(?:(?P<less>below|under|short of|unter|unterschreit\w*|undershot)|(?P<more>above|over|ueber|exceed\w*|overran|overshot|ueberschr\w*|uebersteig\w*))"
    r"\s*(?:their|its|the|ihre[mnrs]?|ihr|seine[mnrs]?|dem|den|der|die|das|own|eigene[mnrs]?)?\s*$"
)


def _beyond_column(scene: Scene, table: Table) -> frozenset[int] | None:
    """The rows below or above another column of theirs: below their reorder level; the other one is said, or the only one alike."""
    for mention in scene.columns:
        found = _BEYOND.search(scene.page.tokens.before(mention.first, _NEAR))
        bounds = _numeric(mention, table) if found is not None else []
        if found is None or len(bounds) != 1 or scene.every_figure_behind(mention.end):
            continue
        said = [c for one in scene.columns if one is not mention for c in _numeric(one, table) if c != bounds[0]]
        alike = [c for c in table.figures if c != bounds[0] and table.columns[c].numeric and c not in table.rates]
        alike = said or [c for c in alike if table.columns[c].unit == table.columns[bounds[0]].unit]
        times = {c: told.order if (told := period_in_name(c)) is not None else "" for c in (*alike, bounds[0])}
        alike = [c for c in alike if times[c] == times[bounds[0]]]
        if len(dict.fromkeys(alike)) == 1:
            one, two = values_of(table, alike[0]), values_of(table, bounds[0])
            return frozenset(
                r for r in one if r in two and one[r] != two[r] and (one[r] > two[r]) == bool(found["more"])
            )
    return None


_SAID_SO = listed("than als 于 过 比")


def _numeric(mention: NameMention, table: Table) -> list[str]:
    """The only column of figures that a word says."""
    told = {ref.column for ref in mention.columns if ref.table == table.number and ref.column in table.figures}
    return [column for column in told if table.columns[column].numeric] if len(told) == 1 else []
