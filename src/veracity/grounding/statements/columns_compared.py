"""Two columns of one row against each other: over budget, more than in October, what is left of a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.period_names import period_in_name
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import fits, value_at, values_of
from veracity.grounding.statements.conditions import compared_columns
from veracity.grounding.statements.cues import cue
from veracity.grounding.statements.differences import is_gap
from veracity.grounding.statements.orders import TIMES, is_so_many_times, times_said
from veracity.grounding.statements.scene import TIME_BEFORE, CheckedStatement, Scene, judged, table_years
from veracity.language.folding import listed, words_in
from veracity.language.nearest import words_of
from veracity.language.stem import noun_root

_LED = re.compile(r"\s*(?:(?:the|its|their|his|her|an?|de[nmr]|die|das|(?:sein|ihr)e?[nmrs]?|其|了)\s*)?")
"""What may stand between `over` and the column: over its budget."""
_THAN = re.compile(r"(?:than|als|versus|gegenueber|compared (?:to|with))\s+(?:in |im )?(?:the )?$|比\s*$")


def columns_compared_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Logging exceeded its budget`, `1.3 million over budget`: the row is that much more than its own column says."""
    table = scene.table
    row = _row(scene, table) if table is not None else None
    if table is None or row is None or scene.has("negated"):
        return
    yield from _times_its_column(scene, table, row)
    if _MORE_THAN_MOVED.search(scene.folded):
        return
    parts = [part for part in scene.clauses if compared_columns(part, table) is not None]
    if len(parts) > 1 and not scene.compared(table):
        for part in parts:
            both = compared_columns(part, table)
            yield from _one_than_other(part, table, row, both) if both is not None else ()
        return
    if (both := compared_columns(scene, table)) is not None and not scene.compared(table):
        yield from _one_than_other(scene, table, row, both)
        return
    for kind, sign in (("over", 1), ("under", -1), ("equal", 0)):
        reference = _column_behind(scene, table, kind)
        limit = value_at(table, row, reference) if reference is not None else None
        if reference is None or limit is None:
            continue
        values = _measured(scene, table, row, reference)
        if not sign:
            yield from judged(scene.span, [value == limit for value in values], sure=len(values) == 1, key="comparison")
            return
        apart = [sign * (value - limit) for value in values]
        amount = _amount(scene)
        multiple = table.columns[reference].multiple
        held = [by > 0 for by in apart]
        # By how much is one thing, which way another: an amount that is none of these is a figure of its own.
        fitting = amount is not None and any(_is_so_much(amount, by, multiple) for by in apart)
        settles = frozenset({amount.figure.start} if amount is not None and fitting else ())
        yield from judged(
            scene.span, held, sure=amount is not None or len(held) == 1, key="comparison", settles=settles
        )
        return


def _one_than_other(scene: Scene, table: Table, row: int, both: tuple[str, str, bool]) -> Iterator[CheckedStatement]:
    """`480 kWh more produced than used`: one column of the row is more than another, and by so much."""
    first, second, higher = both
    one, two = value_at(table, row, first), value_at(table, row, second)
    if one is None or two is None or not _alike(table, first, second):
        return
    amount, apart = _amount(scene), abs(one - two)
    fitting = amount is not None and _is_so_much(amount, apart, table.columns[first].multiple)
    settles = frozenset({amount.figure.start} if amount is not None and fitting else ())
    right = one != two and (one > two) == higher
    yield CheckedStatement("supported" if right else "contradicted", scene.span, "comparison", settles=settles)


def _times_its_column(scene: Scene, table: Table, row: int) -> Iterator[CheckedStatement]:
    """`made more than five times its budget`: a column of the row is that many times another one."""
    found = TIMES.search(scene.folded)
    led = _LED.match(scene.folded, found.end()) if found is not None else None
    if found is None or led is None or not (led.group().strip() or found["zh"]):
        return
    start = scene.original(found.start(), led.end())[1]
    reference = _column_at(scene, table, start) if not found["zh"] else _column_of_times(scene, table, found.start())
    whole, times = value_at(table, row, reference) if reference is not None else None, times_said(scene)
    if reference is not None and whole and times is not None:
        ratios = [value / whole for value in _measured(scene, table, row, reference)]
        held = [is_so_many_times(scene, ratio, times) for ratio in ratios]
        yield from judged(scene.span, held, sure=len(held) == 1, key="comparison")


def _column_of_times(scene: Scene, table: Table, at: int) -> str | None:
    """The column right before the sign that leads to a multiple: 谷段用电[的]1.5倍."""
    start = scene.original(at, at + 1)[0]
    for mention in scene.columns:
        columns = [ref.column for ref in mention.columns if ref.table == table.number and ref.column in table.columns]
        if scene.page.text[mention.end : start].strip() == "的" and len(columns) == 1:
            return columns[0]
    return None


def _row(scene: Scene, table: Table) -> int | None:
    rows = {row for _mention, row in scene.subjects(table)} or ({0} if len(table.rows) == 1 else set())
    return next(iter(rows)) if len(rows) == 1 else None


def _column_behind(scene: Scene, table: Table, kind: str) -> str | None:
    """The column of figures right behind a word such as over or below."""
    for found in cue(kind).finditer(scene.folded):
        if _OVER_TIME.match(scene.folded, found.end()):
            continue
        led = _LED.match(scene.folded, found.end())
        start = scene.original(found.start(), led.end() if led is not None else found.end())[1]
        if (column := _column_at(scene, table, start)) is not None:
            return column
    return None


_OVER_TIME = re.compile(
    r"\s*(?:the|a|die|den)?\s*(?:last|past|next|whole|entire|course|letzte[nr]?|vergangene[nr]?|ganze[nr]?)(?![a-z])"
)
"""Over the last hour is a time, no more than something."""


def _column_at(scene: Scene, table: Table, start: int) -> str | None:
    """The column of figures whose word starts at a place of the text."""
    for mention in scene.columns:
        columns = [ref.column for ref in mention.columns if ref.table == table.number and ref.column in table.columns]
        if 0 <= mention.start - start <= 1 and columns and table.columns[columns[0]].numeric:
            return columns[0]
    return None


def _measured(scene: Scene, table: Table, row: int, reference: str) -> list[Decimal]:
    """The values that may be compared: of the columns that are said, or of all that are measured in the same."""
    same = [column for column in scene.ordered(table) if column != reference and _alike(table, column, reference)]
    now = period_in_name(reference)
    # What is over the budget of 2025 is what was spent in 2025.
    same = [c for c in same if now and (told := period_in_name(c)) and told.order == now.order] or same
    said = [column for column in (*scene.measured(table), *scene.periods(table)) if column in same]
    values = (value_at(table, row, column) for column in dict.fromkeys(said or same))
    return [value for value in values if value is not None]


def _alike(table: Table, one: str, other: str) -> bool:
    first, second = table.columns[one], table.columns[other]
    return (
        first.numeric and first.unit == second.unit and first.role == second.role and first.multiple == second.multiple
    )


def _amount(scene: Scene) -> SaidFigure | None:
    """The figure that says by how much: no cell, and no value of the column itself."""
    return next((one for one in scene.figures if not scene.is_bound(one) and one.figure.readings), None)


def _is_so_much(one: SaidFigure, by: Decimal, multiple: Decimal) -> bool:
    return not one.figure.percent and any(fits(one.figure, by * many) for many in one.meaning.scales(multiple))


def targets_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`A and B missed their targets`: each of them is below its own column of targets."""
    table = scene.table
    for clause in scene.clauses if table is not None and scene.says_target else ():
        assert table is not None
        rows = {row for _one, row in clause.subjects(table)}
        told = [c for one in clause.columns for c in {ref.column for ref in one.columns if ref.table == table.number}]
        targets = [c for c in dict.fromkeys(told) if c in table.columns and table.columns[c].numeric]
        if not rows or len(targets) != 1 or clause.figures or clause.has("negated", "only", "none", "all"):
            continue
        others = [c for c in scene.ordered(table) if c != targets[0] and _alike(table, c, targets[0])]
        missed = clause.has("missed")
        if len(others) != 1 or missed == clause.has("kept"):
            continue
        limits, values = values_of(table, targets[0], rows), values_of(table, others[0], rows)
        if len(limits) == len(values) == len(rows):
            right = all((values[row] < limits[row]) == missed for row in rows)
            yield CheckedStatement("supported" if right else "contradicted", clause.span, "comparison")


# --- two times of one row


_MORE_THAN_MOVED = re.compile(
    r"(?<![a-z])(?:(?:more|less) than|mehr als|weniger als) (?:halv|doubl|tripl|quadrupl|halbier|ver(?:doppel|dreifach|vierfach))"
    r"|(?<![a-z])by (?:more|less) than(?![a-z])|(?<![a-z])um (?:mehr|weniger) als(?![a-z])"
)


def times_compared_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`In November 276 kWh more than in October`: one row, one measure, two times."""
    table = scene.table
    years = table_years(scene, table) if table is not None else []
    if table is None or not years or not scene.has("ahead", "behind", "more_than", "less_than"):
        return
    if _MORE_THAN_MOVED.search(scene.folded) or scene.compared(table) or scene.has("up", "down"):
        return  # More than halved is a change; more than another row is no comparison of times.
    row, said = _row(scene, table), [column for column in scene.periods(table) if column in years]
    if (
        len(said) == 1
        and years.index(said[0]) > 0
        and scene.has("ahead", "behind")
        and TIME_BEFORE.search(scene.folded)
    ):
        said = [said[0], years[years.index(said[0]) - 1]]
        other = said[1]
    elif len(said) != 2:
        return
    else:
        other = said[1] if _is_compared(scene, table, said[1]) else said[0]
    own = said[0] if other == said[1] else said[1]
    if row is not None:
        one, two = value_at(table, row, own), value_at(table, row, other)
    elif scene.has("total") and table.whole and not scene.names:
        one, two = (sum(values_of(table, column).values(), Decimal(0)) for column in (own, other))
    else:
        return
    if one is None or two is None:
        return
    ahead, behind = scene.has("ahead"), scene.has("behind")
    more = ahead if ahead != behind else scene.has("more_than") and not scene.has("less_than")
    if so := scene.compared_so():
        more = so[-1].adjective.end == "high"
    amount = _amount(scene) or next((one for one in scene.every_figure if is_gap(scene, one)), None)
    fitting = amount is not None and _is_so_much(amount, abs(one - two), table.columns[own].multiple)
    settles = frozenset({amount.figure.start} if amount is not None and fitting else ())
    # A number word that nobody else looks at is judged here.
    meant = amount is None or amount.figure.start in scene.bound or fitting
    yield from judged(scene.span, [(one > two) == more and meant], sure=True, key="comparison", settles=settles)


def _is_compared(scene: Scene, table: Table, column: str) -> bool:
    """Whether the time of a column stands behind `than`."""
    for mention in scene.columns:
        if scene.page.is_period(mention) and any(
            ref == (table.number, column) for ref in ((r.table, r.column) for r in mention.columns)
        ):
            return _THAN.search(scene.page.tokens.before(mention.first, 24)) is not None
    return False


# --- how long something lasts


_TERM = re.compile(
    r"(?<![a-z])(?:laufzeit|vertragsdauer|dauer|term|duration|valid for|gueltig fuer|runs for|takes|lasts|dauert|reisezeit|flugzeit|travel time|laeuft (?:ueber )?(?=\w+ jahr))(?![a-z])|期限|有效期|历时|用时|耗时"
)
_STARTS = frozenset(
    map(
        noun_root,
        listed(
            "start begin beginn departure abfahrt abflug departs from von ab since seit signed abschluss opened 开始 起 生效"
        ),
    )
)
_ENDS = frozenset(
    map(
        noun_root,
        listed("end ende ablauf arrival ankunft arrives expiry expires expire until bis to maturity 结束 到期 止"),
    )
)
_MONTH = Decimal("30.4375")


def terms_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`The term is five years`: as long as the days say by which it begins and ends."""
    table = scene.table
    if table is None or len(table.days) < 2 or _TERM.search(scene.folded) is None:
        return
    row = _row(scene, table)
    named = {column: set(map(noun_root, words_in(words_of(column)))) for column in table.days}
    first = [column for column, words in named.items() if words & _STARTS]
    last = [column for column, words in named.items() if words & _ENDS]
    if row is None or len(first) != 1 or len(last) != 1 or scene.measured(table):
        return
    one, two = value_at(table, row, first[0]), value_at(table, row, last[0])
    if one is not None and two is not None:
        yield from _lasts(scene, two - one)
    for said in scene.every_figure:
        unit = said.meaning.unit
        if one is None or two is None or unit is None or unit.dimension != "months" or not said.figure.readings:
            continue
        months = (two - one) / 1440 / _MONTH
        held = abs(said.figure.readings[0] * unit.factor - months) <= 1
        span, settles = (said.figure.start, said.figure.end), frozenset({said.figure.start})
        yield from judged(span, [held], sure=True, key="comparison", settles=settles)


def _lasts(scene: Scene, minutes: Decimal) -> Iterator[CheckedStatement]:
    """`Takes 2 hours and 45 minutes`: what is said in hours and minutes, added up."""
    timed = [one for one in scene.every_figure if one.meaning.unit is not None and one.meaning.unit.dimension == "time"]
    parts = [
        one.figure.readings[0] * one.meaning.unit.factor / 60
        for one in timed
        if one.meaning.unit and one.figure.readings
    ]
    if not parts or len(parts) != len(timed):
        return
    settles = frozenset(one.figure.start for one in timed)
    span = (timed[0].figure.start, timed[-1].figure.end)
    yield from judged(span, [sum(parts, Decimal(0)) == minutes], sure=True, key="comparison", settles=settles)


# --- what is left


_LEFT = listed("left free remaining vacant available frei freie uebrig verbleibend verbleibende")
_LEFT_SIGNS = ("剩", "空闲", "空余")


def rests_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Maternity still has 9 free beds`: a whole without the part of it that another column says."""
    if all(map(scene.is_bound, scene.figures)):
        return
    words = scene.page.words[scene.line.first : scene.line.last]
    if _LEFT.isdisjoint(words) and not any(sign in scene.text for sign in _LEFT_SIGNS):
        return
    table = scene.table
    row = _row(scene, table) if table is not None else None
    if table is None or row is None:
        return
    for one in scene.figures:
        if not scene.is_bound(one) and one.figure.readings and any(_rests(scene, table, row, one)):
            yield CheckedStatement("supported", scene.span, "difference", settles=frozenset({one.figure.start}))


_WHOLES = listed("capacity total seat place kapazitaet plaetze plaetz gesamt 容 量 总")


def _rests(scene: Scene, table: Table, row: int, one: SaidFigure) -> Iterator[bool]:
    measured = scene.measured(table)
    called = (
        c for c in scene.ordered(table) if not measured and scene.page.index.qualifiers(table.number, c) & _WHOLES
    )
    for whole in measured or called:
        parts = _siblings(scene, table, whole)
        others = [c for c in scene.ordered(table) if c != whole and not measured and table.is_part(c, whole)]
        for part in parts or (others if len(others) == 1 else ()):
            high, low = value_at(table, row, whole), value_at(table, row, part)
            if high is not None and low is not None and high >= low:
                yield fits(one.figure, high - low)


def _siblings(scene: Scene, table: Table, column: str) -> Sequence[str]:
    """The columns that measure something of the same thing: beds.occupied of beds.total."""
    own = scene.page.index.qualifiers(table.number, column)
    others = (other for other in scene.ordered(table) if other != column and _alike(table, other, column))
    return [other for other in others if own & scene.page.index.qualifiers(table.number, other)]
