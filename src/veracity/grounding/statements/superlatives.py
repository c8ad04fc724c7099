"""Superlatives: who is highest or lowest in a column, who follows, and from where to where a column ranges."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import (
    column_roots,
    fits,
    holds_months,
    is_dated,
    is_rank,
    is_timed,
    row_name,
    sorted_values,
    that_vary,
    value_at,
    values_of,
)
from veracity.grounding.statements.cues import NUMBER_WORDS, Adjective, Degree, End, cue
from veracity.grounding.statements.flags import flags_said
from veracity.grounding.statements.scene import OF_TWO, CheckedStatement, Scene, judged, row_taken_up, table_years
from veracity.language.folding import fold, listed
from veracity.language.nearest import words_of
from veracity.language.number_words import CARDINALS
from veracity.language.stem import noun_root

_NEAR = 16
_SPEED = ("speed",)
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
    "erst": 1, "zweit": 2, "dritt": 3, "viert": 4, "fuenft": 5, "sechst": 6, "siebt": 7, "acht": 8, "neunt": 9, "zehnt": 10,
    "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
}  # fmt: skip


ORDINAL = re.compile(
    r"(?<![a-z])(?P<en>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)(?![a-z])|"
    r"(?<![a-z])(?P<de>erst(?! )|zweit|dritt|viert|fuenft|sechst|siebt|acht|neunt|zehnt)(?:e[rsnm]?)?(?=[a-z]*st|[ .,]|$)|"
    r"第(?P<zh>[一二三四五六七八九十]|[0-9]{1,3})|(?<![a-z0-9])(?P<short>[0-9]{1,3})(?:st|nd|rd|th)(?![a-z])|"
    r"(?<![a-z])(?:platz|rang|rank(?:ed|s)?|place|position) (?P<place>[0-9]{1,3}(?![0-9]|[.,:][0-9])|(?:eins|zwei|drei|vier|fuenf|one|two|three|four|five)(?![a-z]))"
)


NUMBERS = {fold(word).text: number for word, number in CARDINALS.items()} | {
    sign: number for number, sign in enumerate("一二三四五六七八九十", 1)
}
NUMBERS["两"] = 2


_IS_BEFORE = re.compile(
    r"(?<![a-z])(?:is|are|was|were|ist|sind|war|waren)(?: (?:an?|the|der|die|das|ein|eine))? ?$|是$|为$"
)


_SO_MANY = re.compile(
    rf"(?<![a-z0-9])(?P<number>[0-9]{{1,2}}|{NUMBER_WORDS}) (?:der |of the )?(?:(?:[a-z-]+ ){{1,3}}(?:with|mit|having) (?:the |den |der |dem )?)?$"
)
"""`three` of the three largest, of three shops with the most visitors."""
_BEFORE = 40


def number_before(folded: str, start: int) -> int | None:
    """How many a superlative is said of: the three largest."""
    found = _SO_MANY.search(folded[max(0, start - _BEFORE) : start])
    return small_number(found["number"]) if found is not None else None


def small_number(word: str) -> int | None:
    """A number in digits or as a word."""
    return int(word) if word.isdecimal() else NUMBERS.get(word)


def superlatives_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """The row that is called the highest or lowest of a column is that."""
    table = scene.table
    found = scene.degrees("superlative") if table is not None and len(table.rows) > 1 else []
    if table is None or not found:
        return
    rows = {row for _mention, row in scene.subjects(table)}
    if len(rows) > 1 and (number_before(scene.folded, found[0].start) or 1) > 1:
        return  # The three largest are A, B and C: rankings.py.
    parts = scene.clauses if len(rows) > 1 else _by_degree(scene, table, found)
    for part in parts:
        yield from _superlative_holds(part, table)


def _by_degree(scene: Scene, table: Table, found: Sequence[Degree]) -> list[Scene]:
    """One part for each superlative: the least downtime | and the highest output."""
    if len(found) < 2:
        return [scene]
    cuts = [
        max(before.stop, one.start - _NEAR) if place_before(scene.folded, one.start) is not None else one.start
        for before, one in pairwise(found)
    ]
    edges = [scene.line.start, *(scene.original(at, at + 1)[0] for at in cuts), scene.line.end]
    parts = [scene.part(start, end) for start, end in pairwise(edges)]
    if all(part.measured(table) for part in parts):
        return parts
    # Downtime was lowest | and output highest: the column stands before its superlative.
    edges = [scene.line.start, *(scene.original(one.start, one.stop)[1] for one in found[:-1]), scene.line.end]
    parts = [scene.part(start, end) for start, end in pairwise(edges)]
    return parts if all(part.measured(table) for part in parts) else scene.clauses


def _superlative_holds(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """One superlative of one row."""
    for one in scene.degrees("superlative")[:1]:
        subjects = {row for _mention, row in scene.subjects(table)} or _carried(scene, table, one)
        subjects = subjects or row_taken_up(scene, table)
        if not subjects and not scene.has("negated"):
            yield from _kind_holds(scene, table, one)
        at = scene.original(one.start, one.stop)[0]
        clause = next((part for part in scene.clauses if part.line.start <= at < part.line.end), scene)
        denied = clause.has("negated") or _NOT_THE.search(scene.page.tokens.before(scene.page.tokens.at(at), 16))
        if len(subjects) == 1 and not denied:
            yield from _of_one_row(scene, clause, table, next(iter(subjects)), one)


def _of_one_row(scene: Scene, clause: Scene, table: Table, row: int, one: Degree) -> Iterator[CheckedStatement]:
    """What a superlative says of a row: by how much it grew, at which time it is highest, or by its cells."""
    grown = growth_of(clause, table) or (growth_of(scene, table) if GROWING.search(clause.folded) else None)
    if grown is not None:
        # What grew by 20 % or fastest is compared by parts.
        by_parts = any(figure.figure.percent for figure in scene.figures) or one.adjective.of == _SPEED
        parts = grown[1:] if by_parts or BY_RATE.search(scene.folded) else grown
        held = [_is_at_place(values, row, one.adjective.end) for values in parts]
        yield from judged(scene.span, held, sure=False, key="superlative")
    elif (times := _of_times(scene, table, row, one)) is not None:
        yield from judged(scene.span, [times], sure=True, key="superlative")
    elif _is_of_no_cell(scene, table, row, one):
        yield CheckedStatement("not_checkable", scene.span, "superlative")
    else:
        yield from _by_cells(scene, clause, table, row, one)


def _is_of_no_cell(scene: Scene, table: Table, row: int, one: Degree) -> bool:
    """Whether a superlative is of something else than a cell: relative to another column, a difference, of two that nobody knows."""
    behind = scene.folded[one.stop : one.stop + _NEAR].lstrip()
    other = (
        _RELATIVE.search(scene.folded)
        or _MOVED_MOST.search(scene.folded)
        or cue("gap").match(behind)
        or _THE_TWO.search(scene.folded, 0, one.start)
    )
    return other is not None or (OF_TWO.search(scene.folded) is not None and _spoken_of(scene, table, row) is None)


def _by_cells(scene: Scene, clause: Scene, table: Table, row: int, one: Degree) -> Iterator[CheckedStatement]:
    """Whether a row is at the end of the columns that are meant, among the rows that are spoken of."""
    place = place_before(scene.folded, one.start) or 1
    told = clause.measured(table) or clause.of_figures(table)
    if "duration" in (one.adjective.of or ()):
        told = [column for column in told if not is_dated(table, column)]
    behind = (_going_on(scene, table) or _said_before(scene, table, one)) if not told else None
    several = _enumerated_columns(scene, one, table)
    of = clause if told or _says_column(one, clause, table) else behind or scene
    columns, sure = (several, False) if several else columns_of_degree(of, one, table)
    ends = [(column, end_of(one.adjective, table, column)) for column in columns]
    among = _spoken_of(scene, table, row)
    if among is not None and among <= {row}:
        yield from _among_either(scene, table, row, ends)
        return
    held = [is_at(table, column, row, end, place, among=among) for column, end in ends]
    if not told and (taken := _time_taken(table, one.adjective)) is not None:
        spoken = [at for column, at in zip(columns, held, strict=True) if not _lasts_only(table, column)]
        held = [*(at for at in spoken if at), _is_at_place(taken[0], row, taken[1])]
    said = scene.page.tokens.roots[scene.line.first : scene.line.last]
    unsure = one.adjective.vague and all(_GOOD.isdisjoint({*column_roots(column), *said}) for column in columns)
    if unsure and (any(held) or _is_other_end(table, columns, row, one, among)):
        yield CheckedStatement("not_checkable", scene.span, "superlative")
        return  # The worst may have the most of what is bad.
    of_all = among is None or any(is_at(table, column, row, end, place) for column, end in ends)
    if any(held) and not of_all and _is_owned(scene, table, row, one):
        yield CheckedStatement("not_checkable", scene.span, "superlative")
        return
    says = _holder(table, columns, one.adjective, place) if sure and among is None else ""
    yield from judged(scene.span, held, sure=sure, key="superlative", says=says)


_AMONG = re.compile(
    r"(?<![a-z])(?:in|im|among|within|of|for|at|on|bei[m]?|unter|innerhalb|von|fuer|am|auf)(?: [a-z]+)?\s*$|[在]$"
)


def _is_owned(scene: Scene, table: Table, row: int, degree: Degree) -> bool:
    """Whether a group only says whose the one row is that has a name of its own: A's shipment from Taipei is the largest, of all or of those of A."""
    start = scene.original(degree.start, degree.stop)[0]
    before = [one for one in scene.names if one.end <= start and row in scene.rows(one, table)]
    groups = [one for one in before if len(scene.rows(one, table)) > 1]
    single = any(len(scene.rows(one, table)) == 1 for one in before)
    return single and bool(groups) and not any(_AMONG.search(scene.page.tokens.before(one.first, 16)) for one in groups)


_NOT_THE = re.compile(
    r"(?<![a-z])(?:not|nicht|kein\w{0,2}|n t)(?: (?:the|der|die|das|den|also|even))*\s*$|[不非没]是?$"
)


_THE_TWO = re.compile(rf"(?<![a-z])(?:{NUMBER_WORDS}) (?:with|mit) (?:the |den |der |dem )?$")
"""They are also the two with the fewest riders: which two, another part says."""
_RELATIVE = re.compile(
    r"(?<![a-z])(?:relative to|in relation to|in proportion to|measured against|gemessen an|im verhaeltnis zu[mr]?|relativ zu[mr]?|bezogen auf)(?![a-z])|相对于"
)


_MOVED_MOST = re.compile(
    r"(?<![a-z])(?:rose|grew|increased|climbed|gained|fell|dropped|declined|decreased|jumped|shrank|shrunk|lost|slipped|improved|worsened|faded)(?: by)? (?:the )?(?:most|fastest|sharpest)(?![a-z])|"
    r"(?<![a-z])(?:biggest|largest|sharpest|steepest|groesste[nrs]?|staerkste[nrs]?) (?:rise|increase|jump|drop|fall|decline|decrease|anstieg|sprung|rueckgang|zuwachs|zunahme|abnahme)|"
    r"(?<![a-z])(?:anstieg|zunahme|zuwachs|abnahme|rueckgang|increase|rise|decrease|drop|decline)(?: [a-z]+){1,4} (?:am (?:groess|klein|staerk|gering)\w+|(?:largest|biggest|smallest|sharpest))(?![a-z])|"
    r"(?:增加|减少|增长|下降|上涨|上升|下跌|回落)(?:得|幅度)?最|[降涨增跌升]幅最"
)
"""By how much something changed from one row to the next, which no cell says."""


def _time_taken(table: Table, adjective: Adjective) -> tuple[dict[int, Decimal], End] | None:
    """How long each row took from one of its two days to the other, and which end is meant: the fastest took least."""
    quick = adjective.of == _SPEED
    ends = list(table.days) or [column for column in table.columns if _is_clocked(table, column)]
    if len(ends) != 2 or not (quick or "duration" in (adjective.of or ())):
        return None
    first, last = (values_of(table, column) for column in ends)
    taken = {row: abs(last[row] - value) for row, value in first.items() if row in last}
    low = (adjective.end == "high") == quick
    return (taken, "low" if low else "high") if taken else None


def _lasts_only(table: Table, column: str) -> bool:
    """Whether only its unit makes a column one of durations: a delay in minutes is no length of the trip."""
    return column in table.of_dimension.get("time", ()) and column_roots(column).isdisjoint(_DURATIONS)


_DURATIONS = frozenset(map(noun_root, listed("duration length time runtime stay dauer länge zeit laufzeit 时长 时间")))


def _is_clocked(table: Table, column: str) -> bool:
    """Whether a column holds times of a day, and no durations."""
    return is_timed(table, column) and table.unit_of_texts(column) is None


_GOOD = frozenset(
    map(
        noun_root,
        listed(
            "rating score grade mark note bewertung punkte points pts punctuality quality revenue sales turnover profit margin income earnings takings yield "
            "output harvest wins win goals votes visitors attendance customers members guests orders bookings units sold growth satisfaction conversion uptime "
            "availability accuracy efficiency productivity occupancy utilization umsatz gewinn ertrag erlös einnahmen ernte ausbeute siege tore stimmen besucher "
            "kunden mitglieder gäste bestellungen buchungen wachstum zufriedenheit verfügbarkeit auslastung 评分 得分 准点率 销售额 收入 利润 销量 产量 营业额 "
            "rendite verzinsung verzinst 满意度 增长率 胜场 积分 人数"
        ),
    )
)
"""What is better the more there is of it."""


def _is_other_end(table: Table, columns: Sequence[str], row: int, degree: Degree, among: frozenset[int] | None) -> bool:
    """Whether the best row has least of a column, or the worst one most."""
    end: End = "low" if degree.adjective.end == "high" else "high"
    return any(is_at(table, column, row, end, 1, among=among) for column in columns)


def _going_on(scene: Scene, table: Table) -> Scene | None:
    """The next part of the sentence, where it goes on with a figure of the same row: longest for A, namely 9 days."""
    parts = scene.whole.clauses if scene.whole is not None else []
    behind = next((part for part in parts if part.line.start == scene.line.end), None)
    if behind is None or behind.names or not behind.of_figures(table):
        return None
    return behind


def _said_before(scene: Scene, table: Table, degree: Degree) -> Scene | None:
    """The part of the sentence before that says the column of a superlative of the same kind: the oldest is A of 1961; B is the newest."""
    whole = scene.whole
    parts = [part for part in whole.clauses if part.line.end <= scene.line.start] if whole is not None else []
    told = next((part for part in reversed(parts) if part.measured(table) or part.of_figures(table)), None)
    first = next((part.degrees("superlative")[0] for part in reversed(parts) if part.degrees("superlative")), None)
    if told is None or first is None or len(told.measured(table) or told.of_figures(table)) != 1:
        return None
    own, other = degree.adjective, first.adjective
    alike = own.of is None or own.vague or not {*own.of}.isdisjoint(other.of or ()) or (own.days and other.days)
    return told if alike else None


_TIME = re.compile(
    r"(?<![a-z])(?:quarter|quartal|month|monat|year|jahr|week|woche|season|saison)(?:s|e|es|en|n)?(?![a-z])|季度|月份|年份"
)


def _of_times(scene: Scene, table: Table, row: int, degree: Degree) -> bool | None:
    """Whether a row has its highest or lowest value at the time that is said: its best quarter was the fourth with 47."""
    years = table_years(scene, table)
    said = [column for column in (*scene.of_figures(table), *scene.periods(table)) if column in years]
    near = scene.folded[max(0, degree.start - _NEAR) : degree.stop + _NEAR]
    if len(years) < 3 or len(set(said)) != 1 or not _TIME.search(near):
        return None
    known = [value for column in years if (value := value_at(table, row, column)) is not None]
    own = value_at(table, row, said[0])
    return own == (max(known) if degree.adjective.end == "high" else min(known)) if known else None


GROWING = re.compile(
    r"(?<![a-z])(?:grow\w*|growth|wachs\w*|gewachsen|zugelegt|zuwachs|am staerksten|verlust|rueckgang|loss|decline|the most)(?![a-z])|增速|增幅|增长|涨幅|降幅"
)


BY_RATE = re.compile(
    r"(?<![a-z])(?:percentage|growth rate|prozentual\w*|relative\w*)(?![a-z])|增速|增幅|涨幅|降幅|增长率"
)


def _says_column(degree: Degree, scene: Scene, table: Table) -> bool:
    """Whether an adjective says the one column that it speaks of: the oldest, of a column of years."""
    return bool(degree.adjective.of or degree.adjective.days) and scene.by_adjective(degree.adjective, table)[1]


_NEW_SUBJECT = re.compile(r"(?<![a-z])(?:is|are|was|were|has|had|ist|sind|war|waren|hat|hatte)(?![a-z])|[是为]")


def _carried(scene: Scene, table: Table, degree: Degree) -> set[int]:
    """The row that the sentence was about before this part of it: ..., but also the lowest price."""
    whole = scene.whole
    if any(scene.rows(one, table) for one in scene.names if not one.compared and not one.excluded):
        return set()  # Of several rows it is said.
    if whole is None or _NEW_SUBJECT.search(scene.folded, degree.stop):
        return set()
    before = [row for one, row in whole.subjects(table) if one.end <= scene.line.start]
    return set(before[-1:])


def _kind_holds(scene: Scene, table: Table, degree: Degree) -> Iterator[CheckedStatement]:
    """`The product with the highest price is the purifier`, of which there are several rows: one of them has it."""
    for one in scene.names:
        rows = scene.rows(one, table)
        led = _IS_BEFORE.search(scene.page.tokens.before(one.first, 16).rstrip()) is not None
        if len(rows) > 1 and (led or scene.folded[degree.start : degree.stop].endswith((" first", " last"))):
            told = scene if scene.measured(table) else _said_before(scene, table, degree) or scene
            columns, sure = columns_of_degree(told, degree, table)
            held = [
                any(is_at(table, column, row, end_of(degree.adjective, table, column), 1) for row in rows)
                for column in columns
            ]
            yield from judged(scene.span, held, sure=sure, key="superlative")
            return


_OF_EVERY_ROW = re.compile(r"(?<![a-z])(?:overall|of them all|ueberhaupt)(?![a-z])|(?:所有|全部)[^，。；]{0,8}[中里]")


def _spoken_of(scene: Scene, table: Table, row: int) -> frozenset[int] | None:
    """The rows that a superlative is said of, where a word of the sentence names some that the row is one of: the largest ferry."""
    if _OF_EVERY_ROW.search(scene.folded):
        return None
    found: frozenset[int] | None = None
    degrees = scene.degrees("superlative")
    at = scene.original(degrees[0].start, degrees[0].stop)[0] if degrees else 0
    keyed = [one.start for one in scene.names if scene.is_key(one, table) and scene.rows(one, table) == {row}]
    for one in scene.names:
        if any(at < start < one.start for start in keyed):
            break  # The largest invoice is R-101 to Acme: of all invoices.
        rows = scene.rows(one, table)
        if row in rows and 1 < len(rows) < len(table.rows) and not one.compared and not one.excluded:
            found = rows if found is None else found & rows
    for _mention, rows in flags_said(scene, table):
        if row in rows and 1 < len(rows) < len(table.rows):
            found = rows if found is None else found & rows
    return found


def _among_either(scene: Scene, table: Table, row: int, ends: Sequence[tuple[str, End]]) -> Iterator[CheckedStatement]:
    """`In the school it was lowest in February`, where two names tell a row: among the rows of either, or among all."""
    told = [rows for one in scene.names if row in (rows := scene.rows(one, table)) and len(rows) > 1]
    held = [is_at(table, column, row, end, 1, among=among) for column, end in ends for among in (*told, None)]
    yield from judged(scene.span, held, sure=False, key="superlative")


def growth_of(scene: Scene, table: Table) -> list[dict[int, Decimal]] | None:
    """By how much each row grew or fell from the first year to the last, as an amount and as a part, where that is what is said."""
    years = table_years(scene, table)
    if len(years) < 2 and GROWING.search(scene.folded):
        return _growth_said(scene, table)
    if len(years) < 2 or scene.has("up") == scene.has("down"):
        return None
    first, last = values_of(table, years[0]), values_of(table, years[-1])
    sign = 1 if scene.has("up") else -1
    amounts = {row: sign * (last[row] - value) for row, value in first.items() if row in last}
    return [amounts, {row: amount / first[row] for row, amount in amounts.items() if first[row]}]


def _growth_said(scene: Scene, table: Table) -> list[dict[int, Decimal]] | None:
    """The one column that says by how much each row grew: fastest growing, of `YoY growth (%)`."""
    told = [column for column in table.figures if _GROWTH.search(fold(words_of(column)).text)]
    if len(told) != 1 or (scene.has("down") and not scene.has("up")):
        return None
    return [values_of(table, told[0])] * 2


_GROWTH = re.compile(r"(?<![a-z])(?:growth|yoy|wachstum\w*|veraenderung\w*|change)(?![a-z])|增长|同比|增速|涨幅|增幅")


def _is_at_place(values: dict[int, Decimal], row: int, end: End) -> bool:
    """Whether a row has the highest, or the lowest, of these values."""
    return row in values and values[row] == (max(values.values()) if end == "high" else min(values.values()))


def columns_of_degree(scene: Scene, degree: Degree, table: Table) -> tuple[list[str], bool]:
    """The columns that a superlative is about, and whether the words say which."""
    measured = that_vary(table, scene.measured(table))
    near = [
        column
        for column in measured
        if is_dated(table, column) == (degree.adjective.days is not None and degree.adjective.of == ())
    ]
    if measured:
        return (near or measured), not _are_enumerated(scene, near or measured, table)
    bound = [column for column in scene.of_figures(table) if not is_rank(column)]
    if bound:
        return bound, len(bound) == 1
    return scene.by_adjective(degree.adjective, table)


def _enumerated_columns(scene: Scene, degree: Degree, table: Table) -> list[str]:
    """The columns that are enumerated right behind a superlative: the highest compute, storage and network bills."""
    end, found = scene.original(degree.start, degree.stop)[1], list[str]()
    for one in (one for one in scene.columns if one.start >= end):
        told = [ref.column for ref in one.columns if ref.table == table.number and ref.sure]
        if (
            len(told) != 1
            or not scene.is_ordered(table, told[0])
            or not _AND_NEXT.fullmatch(scene.page.text, end, one.start)
        ):
            break
        found, end = [*found, told[0]], one.end
    return found if len(found) > 1 else []


_AND_NEXT = re.compile(r"\s*(?:,|、)?\s*(?:and|und|sowie|和)?\s*(?:the |die |den )?", re.IGNORECASE)


def _are_enumerated(scene: Scene, columns: Sequence[str], table: Table) -> bool:
    """Whether several words say a column each: the highest compute, storage and network bills are the highest of all three."""
    if len(columns) < 2:
        return False
    refs = [{ref.column for ref in one.columns if ref.table == table.number} & {*columns} for one in scene.columns]
    told = [one for one in refs if one]
    return len(told) > 1 and not set.intersection(*told)


def end_of(adjective: Adjective, table: Table, column: str) -> End:
    """Which end of a column an adjective means: the fastest takes least time, the oldest was founded first."""
    dated = column in table.days or table.holds_years(column) or holds_months(table, column)
    if adjective.of and "duration" in adjective.of and dated:
        return "low" if adjective.end == "high" else "high"  # Who has been here longest came first.
    if adjective.days is not None and adjective.of == _SPEED and "time" in table.dimensions(column):
        return adjective.days
    return adjective.days if adjective.days is not None and is_dated(table, column) else adjective.end


def is_at(table: Table, column: str, row: int, end: End, place: int, *, among: frozenset[int] | None = None) -> bool:
    """Whether a row is at this place of a column, counted from one end; rows with equal values share a place."""
    own = value_at(table, row, column)
    if own is None:
        return False
    ordered = sorted_values(table, column) if among is None else sorted(values_of(table, column, among).values())
    below, upto = bisect_left(ordered, own), bisect_right(ordered, own)
    before = len(ordered) - upto if end == "high" else below
    return before < place <= before + upto - below


def _holder(table: Table, columns: Sequence[str], adjective: Adjective, place: int) -> str:
    """The row that is at a place of the first of these columns."""
    ordered = sorted_values(table, columns[0])
    if place > len(ordered):
        return ""
    wanted = ordered[-place] if end_of(adjective, table, columns[0]) == "high" else ordered[place - 1]
    rows = [row for row, value in values_of(table, columns[0]).items() if value == wanted]
    return row_name(table, rows[0]) if len(rows) == 1 else ""


def place_before(folded: str, start: int) -> int | None:
    """`second` of `the second highest`, `zweit` of `zweithöchste`."""
    base = max(0, start - _NEAR)
    found = [one for one in ORDINAL.finditer(folded, base, start + _NEAR) if one.end() <= start]
    return number_of_place(found[-1]) if found and start - found[-1].end() <= 1 else None


def number_of_place(found: re.Match[str]) -> int:
    text = found["en"] or found["de"] or found["zh"] or found["short"] or found["place"]
    return int(text) if text.isdecimal() and text.isascii() else _ORDINALS.get(text) or NUMBERS[text]


# --- ranges


RANGE = re.compile(
    r"(?<![a-z])(?:rang(?:e|es|ed|ing)|var(?:y|ies|ied)|reich(?:en|t|te|ten)|schwank\w*|streu\w*)(?![a-z])|介于|不等"
)


_LIES = re.compile(
    r"(?<![a-z])(?:liegen|lagen|lie|lay|fall|fell|are|were|sind|waren) (?:[a-z]+ )?(?:between|zwischen)(?![a-z])"
)
_BETWEEN = re.compile(
    r"(?<![a-z])(?:between|zwischen)(?![a-z])(?=.*(?<![a-z])(?:each|every|all|je|jede\w?|alle\w?)(?![a-z]))"
)


def ranges_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Prices range from 31 (A) to 72 (B)`: two cells of one column, which are its lowest and its highest."""
    table = scene.table
    between = _BETWEEN.search(scene.folded) is not None
    lies = _LIES.search(scene.folded) is not None and not between
    if table is None or not table.whole or len(table.rows) < 2 or not (between or lies or RANGE.search(scene.folded)):
        return
    if (both := _ends_of_column(scene, table)) is not None:
        yield CheckedStatement("supported", scene.span, "range", settles=both)
        return
    if between:
        return
    cells = [
        args[0]
        for one in scene.figures
        if scene.is_bound(one) and len(args := scene.bound[one.figure.start].provenance.args) == 1
    ]
    columns = {cell.column for cell in cells if cell.column in table.columns}
    if len(cells) != 2 or len(columns) != 1 or scene.has("negated"):
        return
    if lies and (len(scene.subjects(table)) != 2 or any(len(scene.rows(one, table)) > 1 for one in scene.names)):
        return  # Between 3 and 5 in one row, or of some rows.
    column = next(iter(columns))
    said = [one for one in scene.figures if scene.is_bound(one)]
    ends = sorted_values(table, column)
    if lies:
        named = {value_at(table, row, column) for _one, row in scene.subjects(table)}
        yield from judged(scene.span, [named == {ends[0], ends[-1]}], sure=True, key="range")
        return
    held = [
        any(low <= end <= high for low, high in one.meaning.spans)
        for one, end in zip(said, (ends[0], ends[-1]), strict=False)
    ]
    yield from judged(scene.span, [all(held)], sure=True, key="range")


def spreads_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`The gap between the highest and the lowest price is 41`: so far apart are the ends of its column."""
    table = scene.table
    ends = {one.adjective.end for one in scene.degrees("superlative")}
    if table is None or not table.whole or len(ends) < 2 or not scene.has("gap") or scene.subjects(table):
        return
    columns = [column for column in scene.measured(table) if table.columns[column].numeric]
    said = [one for one in scene.figures if one.figure.readings and not one.figure.percent]
    values = sorted_values(table, columns[0]) if len(columns) == 1 else []
    if len(said) == 1 and len(values) > 1:
        held = fits(said[0].figure, values[-1] - values[0])
        span = (said[0].figure.start, said[0].figure.end)
        yield from judged(span, [held], sure=True, key="range", settles=frozenset({span[0]}))


def _ends_of_column(scene: Scene, table: Table) -> frozenset[int] | None:
    """The first two figures, where they are the lowest and the highest value of a column that no word says."""
    said = [one for one in scene.figures if one.figure.readings]
    if len(said) < 2 or all(scene.is_bound(one) for one in said[:2]) or scene.measured(table):
        return None
    for column in scene.ordered(table):
        values = sorted_values(table, column)
        ends = zip(said[:2], (values[0], values[-1]), strict=True)
        if all(any(low <= end <= high for low, high in one.meaning.spans) for one, end in ends):
            return frozenset(one.figure.start for one in said[:2])
    return None
