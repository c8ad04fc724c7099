"""Differences: by how much one row is more than another, and which part of a total it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Literal, NamedTuple

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import fits, is_dated, is_rank, value_at, values_of
from veracity.grounding.statements.changes import is_said_period
from veracity.grounding.statements.cues import cue
from veracity.grounding.statements.scene import CheckedStatement, Scene, judged
from veracity.grounding.statements.superlatives import end_of
from veracity.language.folding import listed

_BESIDE = re.compile(r"(?<![a-z])(?:ahead|behind|clear|hinter|vor)(?![a-z])")
_EARLIER = (["before"], ["vor"], ["earlier"], ["after"], ["nach"], ["later"])
_HUNDRED, _YEAR = Decimal(100), Decimal(12)
_ABOUT, _FAR = Decimal(4), Decimal(15)
"""A third is between 29 % and 37 %; more than half is hardly more than 65 %."""
_NEAR = 18


class _RowsApart(NamedTuple):
    """The rows that a sentence says how far apart they are: its own, the others, and by which word."""

    own: list[int]
    others: list[int]
    how: Literal["", "between", "later", "beats"]


def _rows_apart(scene: Scene, table: Table) -> _RowsApart:
    """The rows that are compared; those that are ahead, apart, later or beaten without a `than`."""
    others = scene.compared(table)
    subjects = list(dict.fromkeys(row for _mention, row in scene.subjects(table)))
    if others:
        return _RowsApart([row for row in subjects if row not in others], others, "")
    if scene.has("behind", "ahead") and _BESIDE.search(scene.folded) is not None:
        first = _first_row(scene, table) if len(subjects) == 1 else None
        others = subjects[1:2] or ([first] if first is not None else [])
        if others:
            return _RowsApart(subjects[:1], others, "")
    two = (subjects[:1], subjects[1:]) if len(subjects) == 2 else ([], [])
    if scene.has("gap"):
        return _RowsApart(*two, "between")
    if scene.has("later", "earlier"):
        return _RowsApart(*two, "later")
    return _RowsApart(*two, "beats") if scene.has("beats") else _RowsApart(subjects, [], "")


def differences_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`6 points ahead of`, `6,450 less than in 2021`: the difference of two rows that are named."""
    table = scene.table
    if table is None:
        return
    own, others, how = _rows_apart(scene, table)
    between, later, beats = how == "between", how == "later", how == "beats"
    if len(own) == 1 and len(set(others)) > 1:
        yield from _differ_each(scene, table, own[0])
        return
    if len(own) != 1 or len(set(others)) != 1:
        return
    if not how and scene.has("later", "earlier"):
        yield from _times_apart(scene, table, own[0], others[0])
    if not how and not scene.has("ahead", "behind"):
        return
    surely = [column for column in scene.surely_measured(table) if scene.is_ordered(table, column)]
    columns = surely or scene.measured(table) or scene.of_units(table) or scene.ordered(table)
    for one in scene.every_figure:
        bound = scene.bound.get(one.figure.start)
        settled = bound is not None and bound.provenance.status == "bound"
        if (
            settled
            or not one.figure.readings
            or is_said_period(one, scene)
            or (bound is None and not is_gap(scene, one))
        ):
            continue
        # Older is a lower year: which of the two is older is compared elsewhere.
        ways = {
            column: None
            if between or (is_dated(table, column) and not later)
            else _is_more(scene, table, column, later=later, beats=beats)
            for column in columns
        }
        held = [c for c in columns if _differs(table, c, own[0], others[0], one, higher=ways[c])]
        settles = frozenset({one.figure.start})
        if held:
            yield CheckedStatement("supported", scene.span, "difference", settles=settles)
        elif bound is None:
            yield CheckedStatement("contradicted", (one.figure.start, one.figure.end), "comparison")
    if later:
        yield from _times_apart(scene, table, own[0], others[0])


def _differ_each(scene: Scene, table: Table, own: int) -> Iterator[CheckedStatement]:
    """`50 more than A and 110 more than B`: each figure against the row that is compared behind it."""
    compared = [one for one in scene.names if one.compared and len(scene.rows(one, table)) == 1]
    columns = scene.measured(table) or scene.ordered(table)
    for one in scene.every_figure:
        other = next((name for name in compared if name.start > one.figure.start), None)
        if other is None or scene.is_bound(one) or not one.figure.readings or is_said_period(one, scene):
            continue
        row = next(iter(scene.rows(other, table)))
        part = scene.part(one.figure.start, other.end)
        more = part.has("ahead") and not part.has("behind")
        if any(_differs(table, column, own, row, one, higher=more) for column in columns):
            yield CheckedStatement("supported", scene.span, "difference", settles=frozenset({one.figure.start}))


def is_gap(scene: Scene, one: SaidFigure) -> bool:
    """Whether a number word says by how much one is more: acht mehr als, three goals fewer than."""
    if not one.figure.readings or any(column.start <= one.figure.start < column.end for column in scene.columns):
        return False
    if scene.page.words[one.first - 1] in _PLACES:
        return False  # Platz zwei hinter Bern.
    behind = range(one.last + 1, min(one.last + 3, scene.line.last))
    near = [at for at in behind if scene.page.segments[at] == scene.page.segments[one.last]]
    timed = one.meaning.unit is not None and one.meaning.unit.dimension in ("time", "months")
    more = _MORE if timed else _MORE | _IN_PLACE  # Ten points vor Bern are no ten days before.
    return not more.isdisjoint(scene.page.words[at] for at in near) and one.figure.readings[0] > 1


_PLACES = frozenset({"platz", "rang", "place", "position", "rank"})
_IN_PLACE = frozenset({"vor", "hinter"})
_MORE = listed(
    "ahead behind more fewer less mehr weniger higher lower hoeher tiefer longer shorter laenger kuerzer older younger 多 少"
)


def _times_apart(scene: Scene, table: Table, own: int, other: int) -> Iterator[CheckedStatement]:
    """`two years before`, `two days after`: so much lies between two rows, in a column of years or of days."""
    years = [column for column in table.columns if table.holds_years(column)]
    for one in scene.every_figure if years or table.days else ():
        unit, behind = one.meaning.unit, scene.page.words[one.last + 2 : one.last + 3]
        if unit is None or unit.dimension not in ("months", "time") or behind not in _EARLIER:
            continue
        yearly = unit.dimension == "months" and unit.factor == _YEAR
        columns = years if yearly else list(table.days) if unit.dimension == "time" else []
        size = Decimal(1) if yearly else unit.factor / 60
        sign = -1 if behind in _EARLIER[:3] else 1
        both = ((value_at(table, own, column), value_at(table, other, column)) for column in columns)
        held = [
            fits(one.figure, sign * (first - second) / size) for first, second in both if first is not None and second
        ]
        settles = frozenset({one.figure.start})
        yield from judged((one.figure.start, one.figure.end), held, sure=True, key="comparison", settles=settles)


def _is_more(scene: Scene, table: Table, column: str, *, later: bool, beats: bool) -> bool:
    """Whether the row that the sentence is about is said to be the higher one."""
    if later:
        return scene.has("later")
    own = table.unit_of_texts(column)
    if own is not None and own.dimension == "time" and (first := _IN_FRONT.search(scene.folded)) is not None:
        return first["behind"] is not None  # Who is ahead took less time.
    if said := scene.compared_so():
        return end_of(said[-1].adjective, table, column) == "high"
    return beats or (scene.has("ahead") and not scene.has("behind"))


_IN_FRONT = re.compile(
    r"(?<![a-z])(?:ahead|in front|clear of|voraus|vor|(?P<behind>behind|hinter|after|nach))(?![a-z])"
)
_WINNER = re.compile(
    r"(?<![a-z])(?:the (?:winner|leader|front-?runner)|(?:der|dem|die) (?:sieger\w*|fuehrende\w*|erste[nrm]?|erstplatziert\w*))(?![a-z])|冠军|第一名"
)


def _first_row(scene: Scene, table: Table) -> int | None:
    """The row with the first rank, where it is called the winner."""
    ranked = next((column for column in table.columns if is_rank(column)), None)
    if ranked is None or _WINNER.search(scene.folded) is None:
        return None
    return next((row for row, rank in values_of(table, ranked).items() if rank == 1), None)


def _differs(table: Table, column: str, row: int, other: int, said: SaidFigure, *, higher: bool | None) -> bool:
    """Whether two rows differ by so much; `higher` says which of them is more, where that is said."""
    one, two = value_at(table, row, column), value_at(table, other, column)
    if one is None or two is None or (higher is not None and (one > two) != higher):
        return False
    if said.figure.percent:
        return bool(two) and fits(said.figure, abs(one - two) / abs(two) * _HUNDRED)
    unit, own = said.meaning.unit, table.unit_of_texts(column)
    timed = unit is not None and own is not None and own.dimension == unit.dimension == "time"
    apart = abs(one - two) * own.factor / unit.factor if timed and own and unit else abs(one - two)
    if timed and said.meaning.compares:
        bound, above = said.figure.readings[0], said.meaning.spans[0][1].is_infinite()
        return apart > bound if above else apart < bound
    return fits(said.figure, apart)


_OF_ALL = re.compile(
    r"(?:%|percent|prozent) (?:of (?:all|the total|total|the whole)|aller|der gesamt\w*|des gesamt\w*|von allen)(?![a-z])"
)


def shares_of_total_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Geneva accounts for 31 % of total revenue`: the value of a row over the sum of its column."""
    table = scene.table
    of_column = table is not None and any(
        of_column_said(scene, table, one) for one in scene.figures if one.figure.percent
    )
    share = (
        of_column
        or scene.has("share")
        or _OF_ALL.search(scene.folded)
        or ((scene.has("total") or scene.fraction is not None) and "%" in scene.text)
    )
    if table is None or not table.whole or not share:
        return
    rows = {row for _mention, row in scene.subjects(table)}
    columns = [column for column in (scene.measured(table) or scene.ordered(table)) if table.columns[column].numeric]
    for one in scene.figures:
        bound = scene.bound.get(one.figure.start)
        several = len(rows) > 1 and sum(said.figure.percent for said in scene.figures) == 1
        if not one.figure.percent or bound is None or not (len(rows) == 1 or several):
            continue
        clause = next((one_ for one_ in scene.clauses if one_.line.start <= one.figure.start < one_.line.end), scene)
        told = clause.measured(table) or scene.of_figures(table) or scene.ordered(table)
        meant = [c for c in told if table.columns[c].numeric]
        meant = of_column_said(scene, table, one) or (meant if clause is not scene else columns)
        if OF_TOTAL.match(scene.page.text, one.figure.end) and not of_column_said(scene, table, one):
            meant = [
                c for c in scene.ordered(table) if table.columns[c].numeric
            ]  # Of the total of what no column is called.
        whole = columns_of_total(scene, table, one)
        meant = [column for column in meant if column in whole] if whole is not None else meant
        held = [_share(table, column, rows, one) for column in meant]
        if any(held):
            yield CheckedStatement("supported", scene.span, "share", settles=frozenset({one.figure.start}))
        elif held and (not of_column or _OF_ALL.search(scene.folded)) and not (several or _names_several(scene, table)):
            yield CheckedStatement("contradicted", (one.figure.start, one.figure.end), "share")
    together = len(rows) == 1 or (scene.has("total") and len(scene.clauses) == 1)
    if scene.fraction is not None and rows and together and scene.has("share"):
        low, high = part_bounds(scene)
        among = _group_of(scene, table, rows)
        parts = [_part_of_total(table, column, *rows) for column in columns]
        held = [known is not None and low <= known * _HUNDRED <= high for known in parts]
        if among is not None:
            of_group = [_part_of_total(table, column, *rows, among=among) for column in columns]
            held = [known is not None and low <= known * _HUNDRED <= high for known in of_group]
        yield from judged(scene.span, held, sure=bool(scene.measured(table)), key="share")


_OF_A_COLUMN = re.compile(
    r"\s*(?:%|percent|per cent|prozent)?\s*(?:(?:of the|of|der|des|vom)\s(?:[a-zäöü]+\s){0,2}|的)", re.IGNORECASE
)


OF_TOTAL = re.compile(
    r"\s*(?:%|percent|per cent|prozent)?\s*(?:of (?:the |our )?total |(?:der|des|vom|am) gesamt)", re.IGNORECASE
)


def of_column_said(scene: Scene, table: Table, one: SaidFigure) -> list[str]:
    """The columns that a share is said of: 59 % of the June output."""
    text, end = scene.page.text, one.figure.end
    behind = (column for column in scene.columns if column.start >= end)
    said = next((column for column in behind if _OF_A_COLUMN.fullmatch(text, end, column.start)), None)
    refs = said.columns if said is not None else ()
    told = [ref.column for ref in refs if ref.table == table.number and ref.column in table.figures]
    return scene.of_year([column for column in told if table.columns[column].numeric], table)


def columns_of_total(scene: Scene, table: Table, share: SaidFigure) -> list[str] | None:
    """The columns that come to the total that stands behind a share: 40 % of the total of 1,315 minutes; None without one."""
    behind = next((one for one in scene.figures if one.figure.start > share.figure.end), None)
    if behind is None or not behind.figure.readings or behind.figure.percent:
        return None
    if _TOTAL_BEHIND.fullmatch(scene.page.text, share.figure.end, behind.figure.start) is None:
        return None
    return [
        column
        for column in scene.ordered(table)
        if any(low <= sum(values_of(table, column).values()) <= high for low, high in behind.meaning.spans)
    ]


_TOTAL_BEHIND = re.compile(
    r"\s*(?:%|percent|prozent)?\s*(?:of|der|des|vom|von)(?![a-z])[^,;:。，；]{0,60}", re.IGNORECASE
)


def _names_several(scene: Scene, table: Table) -> bool:
    """Whether a name stands for several rows, of which a share may be said."""
    return any(len(scene.rows(one, table)) > 1 for one in scene.names if not scene.is_key(one, table))


def _share(table: Table, column: str, rows: Iterable[int], one: SaidFigure) -> bool:
    part = _part_of_total(table, column, *rows)
    return part is not None and fits(one.figure, part * _HUNDRED)


def _group_of(scene: Scene, table: Table, rows: set[int]) -> frozenset[int] | None:
    """The rows of a value that is said before, of which these are some: two loans are overdue, of which A is nine tenths."""
    named = (scene.rows(one, table) for one in scene.names if not scene.is_key(one, table))
    return next((group for group in named if rows < group < frozenset(range(len(table.rows)))), None)


def _part_of_total(table: Table, column: str, *rows: int, among: frozenset[int] | None = None) -> Decimal | None:
    """The value of a row, or of several, over the sum of its column, or of some of its rows."""
    values = values_of(table, column, sorted(among)) if among is not None else values_of(table, column)
    whole = sum(values.values(), Decimal(0))
    known = [values[row] for row in rows if row in values]
    return sum(known, Decimal(0)) / whole if len(known) == len(rows) and whole != 0 else None


# --- parts of a whole that are said in words

_NEARLY = re.compile(
    r"(?<![a-z])(?:nearly|almost|just under|close to|fast|knapp|beinahe|nahezu)(?![a-z])|近|将近|接近|几乎|不到"
)
_WELL = re.compile(r"(?<![a-z])(?:gut|just over|a little over|well over)(?![a-z])")


def part_bounds(scene: Scene) -> tuple[Decimal, Decimal]:
    """Between which percents the part lies that a word says: half, nearly a third, gut ein Viertel."""
    if scene.fraction is None:
        return Decimal(0), Decimal(0)
    found, part = scene.fraction[0], scene.fraction[1] * _HUNDRED
    before = scene.folded[max(0, found.start() - _NEAR) : found.start()]
    behind = scene.folded[found.end() : found.end() + 3]
    if _NEARLY.search(before):
        return part - 2 * _ABOUT, part
    if _WELL.search(before):
        return part, part + 2 * _ABOUT
    if cue("more_than").search(before) or behind.startswith(("以上", "多", "强")):
        return part, part + _FAR
    if cue("less_than").search(before):
        return part - _FAR, part
    return part - _ABOUT, part + _ABOUT


def parts_in_rates_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Half of the power came from water, a quarter from coal`: what the column of shares says of each."""
    table = scene.table
    if table is None or scene.fraction is None or not table.rates or scene.has("up", "down", "negated"):
        return
    if not {*scene.measured(table), *scene.of_figures(table)} <= table.rates:
        return  # It is a part of what another column adds up to.
    for clause in scene.clauses:
        rows = {row for _one, row in clause.subjects(table)}
        if clause.fraction is None or len(rows) != 1 or clause.compared(table):
            continue
        low, high = part_bounds(clause)
        rates = [column for column in table.columns if column in table.rates]
        told = clause.measured(table) or scene.measured(table)
        said = [column for column in rates if column in (clause.periods(table) or scene.periods(table) or told)]
        values = [values_of(table, column).get(next(iter(rows))) for column in said or rates]
        held = [low <= value <= high for value in values if value is not None]
        yield from judged(clause.span, held, sure=len(held) == 1, key="share")
