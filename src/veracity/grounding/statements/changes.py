"""Changes: what rose or fell, by how much, from one value or period to another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import fits, value_at, values_of
from veracity.grounding.statements.cues import NUMBER_WORDS, cue
from veracity.grounding.statements.moved_rows import is_multiple, moves, multiplied, rows_moved_hold
from veracity.grounding.statements.scene import TIME_BEFORE, CheckedStatement, Scene, judged, table_years

_FROM_TO = re.compile(r"(?:from|von|vom|从|由)\s*$")
BY_SO_MUCH = re.compile(
    r"(?<![a-z])(?:by|um|(?:decline|decrease|drop|fall|loss|increase|rise|growth|gain|change|rueckgang|anstieg|zuwachs|zunahme|abnahme|minus|plus|verlust) (?:of|von)|"
    r"lost|gained|verlor|verloren|gewann)\s*(?:about|around|roughly|more than|over|less than|almost|nearly|just under|just over|well over|rund|etwa|ca|mehr als|ueber|fast|knapp|gut|chf|eur|usd|[$€£])*\s*$|(?<![到至])了\s*$|"
    r"(?:增幅|降幅|涨幅|跌幅|升幅|增长率|环比|同比|下降|增长|增加|减少|上升|上涨|下跌|[高低多少快慢长短])(?:约|近|为|达|了|出|超过)?\s*$"
)
_IN_BRACKETS = re.compile(r"[(（]\s*[-+−±]?\s*(?:about|rund|etwa|ca\.?|约)?\s*$")
_POINTS = re.compile(r"\s*%?\s*(?:percentage points?|prozentpunkte?n?|pp(?![a-z])|个?百分点)", re.IGNORECASE)
_THEN = re.compile(
    r",?\s(?:(?:and|but|und|aber)\s)?(?:then|later|afterwards|dann|danach|anschliessend|anschließend)\s|，?(?:随后|然后|之后|接着)|，再",
    re.IGNORECASE,
)
_BY_A_PART = re.compile(
    r"(?<![a-z])(?:um|by|also|ie|or|oder|that is)(?: (?:um|by|rund|etwa|about|roughly|fast|nearly|almost))* (?:ein|eine|die|a|one|two|zwei)? ?"
    r"(?:half|haelfte|third|drittel|quarter|viertel|thirds|fifth|fuenftel)"
)
_SINCE = re.compile(
    r"(?<![a-z])(?:since|seit|ab|gegenueber|compared (?:to|with)|versus|verglichen mit)(?![a-z])|以来|自|相比"
)
_HUNDRED = Decimal(100)
_ABOUT = Decimal("0.04")
_LED = 16
"""A third is between 29 % and 37 %."""


def changes_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """What is said to rise rises, and what is said to fall falls, by as much as is said."""
    up, down = scene.says("up"), scene.says("down")
    if (up is None and down is None) or _NEITHER.search(scene.folded):
        yield from _stayed(scene, scene.table) if scene.has("unchanged") and scene.table is not None else ()
        return
    if up is not None and down is not None and scene.table is not None:
        yield from _both_ways(scene, scene.table)
    elif scene.whole is None and any(part.has("unchanged") for part in scene.clauses) and len(scene.clauses) > 1:
        # A fell, B did not change: each part of the sentence by itself.
        yield from (one for part in scene.clauses if part.names for one in changes_hold(part))
        return
    if (up is None) == (down is None) or scene.has("negated", "none") or _counts_changed(scene, up or down):
        return
    rising = up is not None
    if scene.table is not None and _is_of_parts(scene, scene.table):
        yield from _steps_hold(scene, scene.table)
        return
    spoken = _spoken_pair(scene)
    if spoken is not None:
        one, other = spoken
        turned = scene.table is not None and _is_turned_round(scene, scene.table, one, other)
        if turned or (other.figure.readings[0] > one.figure.readings[0]) != rising:
            yield CheckedStatement("contradicted", (one.figure.start, other.figure.end), "trend")
            return
    table = scene.table
    said = up or down
    columns = _measured_by_verb(scene, table, said) if table is not None and said is not None else []
    if table is None or not columns:
        return
    if (each := _times_enumerated(scene, table)) is not None:
        yield from _each_time_holds(scene, table, columns, each, rising=rising)
        return
    series = _series(scene, table, columns)
    if not series:
        yield from _each_changed(scene, table, rising=rising)
        yield from rows_moved_hold(scene, table, columns)
        return
    held = [moves(values, rising=rising, every=scene.has("every")) for values in series]
    if not any(held):
        yield CheckedStatement("contradicted", scene.span, "trend")
    elif all(held) or len(columns) == 1:
        column = next((one for one in (*table_years(scene, table), *columns) if one in table.columns), None)
        multiple = table.columns[column].multiple if column is not None else Decimal(1)
        yield from _by_so_much(scene, series[held.index(True)], multiple)


_ENUMERATED = re.compile(
    r"\s*(?:,|、|and|und|or|oder|sowie|和|,\s*(?:and|und))\s*(?:in|im)?\s*(?:the|der)?\s*", re.IGNORECASE
)


def _times_enumerated(scene: Scene, table: Table) -> list[int] | None:
    """The rows in time that are enumerated: it fell in February and June."""
    order = table.in_time if table.is_of_periods else None
    named = [(one, next(iter(rows))) for one in scene.names if len(rows := scene.rows(one, table)) == 1]
    joined = (_ENUMERATED.fullmatch(scene.page.text, one.end, two.start) for (one, _), (two, _) in pairwise(named))
    if order is None or len(named) < 2 or not all(joined) or _BETWEEN.search(scene.folded):
        return None
    return [row for _one, row in named] if all(row in order[1:] for _one, row in named) else None


_BETWEEN = re.compile(r"(?<![a-z])(?:between|zwischen)(?![a-z])|之间|到|至")


def _each_time_holds(
    scene: Scene, table: Table, columns: Sequence[str], rows: Sequence[int], *, rising: bool
) -> Iterator[CheckedStatement]:
    """Each time that is enumerated is more, or less, than the one before it."""
    order = table.in_time or []
    amounts = [one for one in scene.figures if one.figure.percent or not scene.is_bound(one)]
    if scene.has("only") or amounts:
        return  # That no other one moved so is another check's.
    held = []
    for column in columns if columns != ["*"] else ():
        steps = ((value_at(table, order[order.index(row) - 1], column), value_at(table, row, column)) for row in rows)
        held.append(
            all(one is not None and two is not None and one != two and (two > one) == rising for one, two in steps)
        )
    yield from judged(scene.span, held, sure=len(held) == 1, key="trend")


def _both_ways(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """What is said to rise and to fall in one sentence: one after the other, in one row each, or of several rows."""
    moved = list(_turned(scene, table)) or list(rows_moved_hold(scene, table, _measured(scene, table)))
    moved += _steps_hold(scene, table)
    by_how_much = any(one.figure.percent for one in scene.figures)
    yield from moved
    yield from _by_clause(scene, table) if by_how_much or not moved else ()
    for part in scene.clauses if scene.whole is None and len(scene.clauses) > 1 else ():
        yield from _all_changed(part, table, table_years(scene, table), rising=part.has("up"))


def _by_clause(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`A grew by 15 %, while B slipped to 3,200`: each part of the sentence that names a row of its own."""
    for part in scene.clauses if scene.whole is None and len(scene.clauses) > 1 else ():
        if len({row for _one, row in part.subjects(table)}) == 1 and part.has("up") != part.has("down"):
            yield from changes_hold(part)


_NEITHER = re.compile(r"(?<![a-z])(?:neither [a-z]+ nor|weder [a-z-]+ noch)(?![a-z])")
_SO_MANY_OF = re.compile(
    rf"(?<![a-z0-9])(?:[0-9]{{1,4}}|{NUMBER_WORDS}|eine?r?|most|some|meisten|einige) (?:(?:out )?of |der |von )|[0-9一二两三四五六七八九十]+[个家名位]"
)


def _counts_changed(scene: Scene, found: re.Match[str] | None) -> bool:
    """Whether the part of the sentence that says the direction counts those that went it: three of the six fell."""
    if found is None or len(scene.clauses) < 2:
        return False
    at = scene.original(found.start(), found.end())[0]
    part = next((one for one in scene.clauses if one.line.start <= at < one.line.end), scene)
    return not part.names and _SO_MANY_OF.search(part.folded) is not None


def _series(scene: Scene, table: Table, columns: Sequence[str]) -> list[list[Decimal]]:
    """The values between which something changes: of one row or of rows in time; of all rows, where a total is said."""
    ends = _ends(scene, table)
    found = [[value for place in ends if (value := _value(table, place, column)) is not None] for column in columns]
    if not ends and table.whole and not scene.names:
        years = [column for column in table_years(scene, table) if column in table.columns]
        sums = [sum(values_of(table, column).values(), Decimal(0)) for column in years]
        spoken = _spoken_pair(scene)
        of_all = spoken is not None and all(any(fits(one.figure, value) for value in sums) for one in spoken)
        found = [sums] if scene.has("total") or of_all else found
    return [values for values in found if len(values) > 1]


def _each_changed(scene: Scene, table: Table, *, rising: bool) -> Iterator[CheckedStatement]:
    """`A gained two seats, B five`: each of them by as much as its part of the sentence says."""
    years = table_years(scene, table)
    yield from _all_changed(scene, table, years, rising=rising)
    said = sorted({years.index(column) for column in scene.periods(table) if column in years})
    first, last = (years[said[0]], years[said[-1]]) if len(said) == 2 else (years[0], years[-1]) if years else ("", "")
    for part in scene.clauses if years and len(scene.clauses) > 1 else ():
        rows = {row for _mention, row in part.subjects(table)}
        amounts = [one for one in part.every_figure if one.figure.readings and not part.is_bound(one)]
        if len(rows) != 1 or len(amounts) != 1 or amounts[0].figure.percent:
            continue
        row, one = next(iter(rows)), amounts[0]
        before, after = value_at(table, row, first), value_at(table, row, last)
        if before is not None and after is not None:
            held = (after > before) == rising and fits(one.figure, abs(after - before))
            span, settles = (one.figure.start, one.figure.end), frozenset({one.figure.start})
            yield from judged(span, [held], sure=True, key="change", settles=settles)


def _all_changed(scene: Scene, table: Table, years: Sequence[str], *, rising: bool) -> Iterator[CheckedStatement]:
    """`A and B fell`: each of them did."""
    rows = {row for _mention, row in scene.subjects(table)}
    told = scene.has("up") != scene.has("down") and not scene.has("only", "total", "negated", "none")
    told = told and (not scene.has("all") or _EACH.search(scene.folded) is not None)
    amounts = _amounts(scene)
    each = len(amounts) == 1 and _EACH.search(scene.folded) is not None
    said = (
        set(scene.periods(table)) - {years[0], years[-1]}
        if len(years) == 2
        else set(scene.periods(table)) - set(years[:1])
    )
    if len(rows) < 2 or len(years) < 2 or not told or (amounts and not each) or said:
        return
    values = [[value_at(table, row, column) for column in (years[0], years[-1])] for row in sorted(rows)]
    both = [[value for value in pair if value is not None] for pair in values]
    held = [moves(pair, rising=rising, every=False) for pair in both if len(pair) == 2]
    if each:
        held += [_is_by(amounts[0], *pair) for pair in both if len(pair) == 2]
    if held:
        settles = frozenset(one.figure.start for one in amounts)
        yield from judged(scene.span, [all(held)], sure=True, key="trend", settles=settles)


def _is_by(one: SaidFigure, before: Decimal, after: Decimal) -> bool:
    """Whether a figure is by how much something changed: an amount, or in percent of what it was."""
    moved = abs(after - before)
    if one.figure.percent:
        return bool(before) and fits(one.figure, moved / abs(before) * _HUNDRED)
    return fits(one.figure, moved)


_EACH = re.compile(r"(?<![a-z])(?:je|jeweils|each|apiece|both|sowohl)(?![a-z])|各|均")


def _amounts(scene: Scene) -> list[SaidFigure]:
    """The figures of a part of a sentence that are no part of a name."""
    return [one for one in scene.every_figure if one.figure.readings and not is_said_period(one, scene)]


def _steps_hold(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`Rose in May but dropped in June`: each against the time right before it; a multiple against the time that was said last."""
    years, rows = table_years(scene, table), {row for _mention, row in scene.subjects(table)}
    before: int | None = None
    for part in scene.clauses if len(years) > 2 and len(rows) == 1 and not scene.has("negated") else ():
        said = [years.index(column) for column in part.periods(table) if column in years]
        since, before = before, max(said, default=before)
        if len(said) != 1 or said[0] == 0 or part.has("up") == part.has("down"):
            continue
        row, times = next(iter(rows)), multiplied(part.folded)
        start = since if times is not None and since is not None and since < said[0] else said[0] - 1
        values = [value_at(table, row, years[at]) for at in (start, said[0])]
        known = [value for value in values if value is not None]
        if len(known) == 2:
            held = moves(known, rising=part.has("up"), every=False)
            held = held and (times is None or (known[0] != 0 and is_multiple(times, known[1] / known[0])))
            yield CheckedStatement("supported" if held else "contradicted", part.span, "trend")


def _is_of_parts(scene: Scene, table: Table) -> bool:
    """Whether several parts of a sentence speak of one time each: fell in May, stood at 12 in June."""
    years = table_years(scene, table)
    told = [{column for column in part.periods(table) if column in years} for part in scene.clauses]
    return sum(len(one) == 1 for one in told) > 1 and all(len(one) < 2 for one in told)


def _turned(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`Rose from May to June and then fell`: one way up to a time, the other way from there."""
    found = list(_THEN.finditer(scene.text))
    if len(found) != 1 or scene.has("negated"):
        return
    cut = scene.line.start + found[0].start()
    first, second = scene.part(scene.line.start, cut), scene.part(cut, scene.line.end)
    if first.has("up") == first.has("down") or second.has("up") == second.has("down"):
        return
    yield from changes_hold(first)
    before, years = _ends(first, table), table_years(scene, table)
    columns = _measured(first, table)
    if not before or len(columns) != 1 or second.periods(table) or named_rows(second, table):
        return
    last = before[-1]
    if isinstance(last, tuple):
        places: list[Place] = [(last[0], column) for column in years[years.index(last[1]) :]]
    else:
        order = table.in_time or []
        places = list(order[order.index(last) :])
    values = [value for place in places if (value := _value(table, place, columns[0])) is not None]
    if len(values) > 1 and not moves(values, rising=second.has("up"), every=False):
        yield CheckedStatement("contradicted", second.span, "trend")


def _stayed(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """What is said to stay the same has the same value at both ends."""
    ends, columns = _ends(scene, table), _measured(scene, table)
    series = [[value for place in ends if (value := _value(table, place, column)) is not None] for column in columns]
    nearly = _PRACTICALLY.search(scene.folded) is not None
    held = [
        len(set(values)) == 1 or (nearly and abs(values[-1] - values[0]) <= abs(values[0]) * _HARDLY)
        for values in series
        if len(values) > 1
    ]
    same = next((values[0] for values in series if len(values) > 1 and len(set(values)) == 1), None)
    many = [table.columns[one].multiple for one in (*table_years(scene, table), *columns) if one in table.columns][:1]
    said = (
        one
        for one in scene.figures
        if same is not None and any(fits(one.figure, same * multiple) for multiple in (Decimal(1), *many))
    )
    settles = frozenset(one.figure.start for one in said)
    yield from judged(scene.span, held, sure=len(held) == 1, key="trend", settles=settles)


_PRACTICALLY = re.compile(
    r"(?<![a-z])(?:practically|virtually|almost|nearly|largely|roughly|broadly|praktisch|nahezu|fast|weitgehend|annaehernd|kaum)(?![a-z])|几乎|基本|大致"
)
_HARDLY = Decimal("0.02")


def _by_so_much(scene: Scene, values: Sequence[Decimal], multiple: Decimal) -> Iterator[CheckedStatement]:
    """A change is as large as it is said to be, as an amount or in percent."""
    difference = values[-1] - values[0]
    settled: set[int] = set()
    for one in scene.every_figure:
        if not one.figure.readings or not _says_how_much(scene, one, settled):
            continue
        points = _POINTS.match(scene.page.text, one.figure.end - one.figure.text.endswith("%")) is not None
        share = difference / values[0] * _HUNDRED if one.figure.percent and values[0] and not points else None
        about = one.meaning.spans != () and _is_about(one)
        amount = abs(share if share is not None else difference)
        signed = -amount if one.figure.readings[0] < 0 else amount
        scales = one.meaning.scales(multiple)
        if share is None and (len(scales) == 1 or abs(one.figure.readings[0]) > 10 * amount):
            signed *= scales[-1]  # The cells are in millions, the figure is not.
        low, high = one.meaning.spans[-1] if one.meaning.spans else (signed, signed)
        within = one.meaning.compares and low <= signed <= high
        if within or (not one.meaning.compares and fits(one.figure, signed, about=about)):
            settled.add(one.figure.start)
        else:
            yield CheckedStatement("contradicted", (one.figure.start, one.figure.end), "change")
            return
    amounts, spoken = set(settled), _spoken_pair(scene)
    if spoken is not None and fits(spoken[0].figure, values[0]) and fits(spoken[1].figure, values[-1]):
        settled.update(one.figure.start for one in spoken)
    meant = not amounts or _BY_A_PART.search(scene.folded) is not None
    if values[0] and meant and not _is_such_part(scene, abs(difference / values[0])):
        yield CheckedStatement("contradicted", scene.span, "change")
        return
    if (times := multiplied(scene.folded)) is not None and (
        not values[0] or not is_multiple(times, values[-1] / values[0])
    ):
        both = scene.has("up") and scene.has("down")  # First it fell, then it doubled.
        yield CheckedStatement("not_checkable" if both else "contradicted", scene.span, "change")
        return
    yield CheckedStatement("supported", scene.span, "trend", settles=frozenset(settled))


def _is_such_part(scene: Scene, part: Decimal) -> bool:
    """Whether a change is the part that is said, if one is: halved, fell by more than a third."""
    if scene.fraction is None:
        return True
    found, said = scene.fraction
    before = scene.folded[max(0, found.start() - _LED) : found.start()]
    if cue("more_than").search(before):
        return part > said
    if cue("less_than").search(before):
        return part < said
    return abs(part - said) <= _ABOUT


_ABOUT_SO = re.compile(r"(?: (?:by|about|around|roughly|some|nearly|almost|rund|etwa|knapp|fast))*\s*")


def _follows_verb(before: str) -> bool:
    """Whether the words before a figure end with what says that something rose or fell: fell 4 %, up about 10 %."""
    verbs = (one for kind in ("up", "down") for one in cue(kind).finditer(before))
    return before.endswith(_UP_AND_DOWN) or any(_ABOUT_SO.fullmatch(before, one.end()) for one in verbs)


_UP_AND_DOWN = ("up ", "down ", "up", "down")


def _says_how_much(scene: Scene, one: SaidFigure, settled: set[int]) -> bool:
    """Whether a figure says by how much something changed; a share also in brackets behind the amount: by 21.5 t (18 %)."""
    before = scene.page.tokens.before(one.first, 24)
    if BY_SO_MUCH.search(before) or (one.figure.percent and _follows_verb(before)):
        return True
    enclosed = _IN_BRACKETS.search(scene.page.text[max(0, one.figure.start - 12) : one.figure.start]) is not None
    return enclosed and bool(settled) and not scene.is_bound(one)


def _is_about(one: SaidFigure) -> bool:
    low, high = one.meaning.spans[0]
    return high - low > 2 * one.figure.tolerance


def _spoken_pair(scene: Scene) -> tuple[SaidFigure, SaidFigure] | None:
    """The two figures of `from 5 to 7`, which are no periods."""
    said = [
        one
        for one in scene.figures
        if one.figure.readings and one.figure.kind == "number" and not is_said_period(one, scene)
    ]
    for one, other in pairwise(said):
        before = scene.page.tokens.before(one.first, 16)
        between = scene.page.words[one.last + 1 : other.first]
        led = _FROM_TO.search(before) or ("从" in scene.text and "到" in scene.text) or "由" in scene.text
        joined = any(word in ("to", "auf", "到", "至") for word in between)
        if led and joined and one.figure.percent <= other.figure.percent:
            return one, other
    return None


def _is_turned_round(scene: Scene, table: Table, one: SaidFigure, other: SaidFigure) -> bool:
    """Whether the first of two figures is that of the later time: from 184 in April to 172 in May, where it rose to 184."""
    columns = []
    for said in (one, other):
        told = scene.bound[said.figure.start].provenance if scene.is_bound(said) else None
        columns.append(told.args[0].column if told is not None and told.kind == "cell" and len(told.args) == 1 else "")
    first, last = columns
    for family in scene.page.index.families.get(table.number, {}).values():
        if first in family and last in family and first != last:
            return family.index(first) > family.index(last)
    return False


def is_said_period(one: SaidFigure, scene: Scene) -> bool:
    """Whether a figure is a part of a name, such as a year."""
    return any(name.start <= one.figure.start < name.end for name in scene.names)


def _measured(scene: Scene, table: Table) -> list[str]:
    columns = scene.measured(table) or scene.of_figures(table)
    years = table_years(scene, table)
    # Without a word for what is measured, the only measure of several times is meant.
    return ["*"] if years and (not columns or set(columns) & set(years)) else columns


def _measured_by_verb(scene: Scene, table: Table, verb: re.Match[str]) -> list[str]:
    """What the part of the sentence measures that the verb stands in; else the sentence."""
    at = scene.original(verb.start(), verb.end())[0]
    part = next((one for one in scene.clauses if one.line.start <= at < one.line.end), scene)
    if part.measured(table) and table.in_time:
        return part.measured(table)
    return _measured(scene, table) or (_measured(scene.whole, table) if scene.whole is not None else [])


Place = int | tuple[int, str]
"""A row, or a row and a column of one year."""


def _value(table: Table, place: Place, column: str) -> Decimal | None:
    if isinstance(place, tuple):
        return value_at(table, place[0], place[1])
    return value_at(table, place, column) if not column.startswith("*") else None


def _ends(scene: Scene, table: Table) -> list[Place]:
    """The places between which something changes, in the order of time: rows of periods, or the years of one row."""
    years = table_years(scene, table)
    if years and _measured(scene, table) == ["*"]:
        return _times(scene, table, years)
    order = table.in_time
    if order is None or (not table.is_of_periods and _names_things(scene, table)):
        return []
    groups = [each for one in scene.names if len(each := scene.rows(one, table)) > 1]
    within = [row for row in order if all(row in each for each in groups)]
    counted = set(scene.first_or_last(within))  # The first three months of 2024.
    rows = counted if counted and groups else (named_rows(scene, table) or counted)
    named = sorted({order.index(row) for row in rows if row in order})
    before = TIME_BEFORE.search(scene.folded) is not None
    if len(named) == 1 and _SINCE.search(scene.folded) and not before:
        return [*order[named[0] :]]
    if (
        len(named) == 1
        and named[0]
        and table.is_of_periods
        and not scene.has("every")
        and (before or not _begins_or_ends(scene, table))
    ):
        return [order[named[0] - 1], order[named[0]]]  # In 2024 it fell: from 2023.
    if len(named) < 2:
        upto = named[0] + 1 if named else len(order)
        return [*order[:upto]] if scene.has("every") and upto > 2 else []
    chosen = range(named[0], named[-1] + 1) if scene.has("every") else named
    return [order[at] for at in chosen]


def _names_things(scene: Scene, table: Table) -> bool:
    """Whether rows are named that are no times, though each has a day of its own: shops, by the day that they opened."""
    return any(ref.column not in table.days for one in scene.names for ref in scene.refs(one, table))


_BOUNDED = re.compile(
    r"(?:[0-9%]|percent|prozent) (?:on|over|above|against|versus|vs|ueber|unter|gegenueber)(?: the| dem)?\s*$|"
    r"(?<![a-z])(?:from|than|als|since|after|until|till|through|up to|before|between|von|ab|seit|nach|bis|vor|zwischen)(?: the| dem| der)?\s*$|[从自至到]\s*$"
)


def _begins_or_ends(scene: Scene, table: Table) -> bool:
    """Whether the only time that is named is where something begins or ends: from March it rose, until May it fell."""
    tokens = scene.page.tokens
    return any(_BOUNDED.search(tokens.before(one.first, 16)) for one in scene.names if scene.rows(one, table))


def _times(scene: Scene, table: Table, years: Sequence[str]) -> list[Place]:
    """The cells of one row between the times that are said, or from the first to the last."""
    subjects = {row for _mention, row in scene.subjects(table)} or ({0} if len(table.rows) == 1 else set())
    if len(subjects) != 1:
        return []
    at = sorted(years.index(column) for column in scene.periods(table) if column in years)
    chosen = [years[place] for place in at]
    if len(at) == 1 and _SINCE.search(scene.folded):
        chosen = list(years[at[0] :])
    elif len(at) > 1 and scene.has("every"):
        chosen = list(years[at[0] : at[-1] + 1])
    return [(next(iter(subjects)), column) for column in (chosen if len(chosen) > 1 else years)]


def named_rows(scene: Scene, table: Table) -> set[int]:
    found: set[int] = set()
    for mention in scene.names:
        rows = scene.rows(mention, table)
        if len(rows) == 1:
            found |= rows
    return found
