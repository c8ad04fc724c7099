"""Superlatives, ranks and comparisons: who is first, second or last in a column, and which of two is more."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from decimal import Decimal

from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cues import Adjective, Degree, End, cue, degrees_in, fractions, plain_after, plain_in
from veracity.grounding.statements.scene import (
    CheckedStatement,
    Scene,
    is_dated,
    is_rank,
    judged,
    row_name,
    sorted_values,
    table_years,
    value_at,
    values_of,
)
from veracity.language.folding import words_in
from veracity.language.nearest import words_of

_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
    "erst": 1, "zweit": 2, "dritt": 3, "viert": 4, "fuenft": 5, "sechst": 6, "siebt": 7, "acht": 8, "neunt": 9, "zehnt": 10,
    "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
}  # fmt: skip
_ORDINAL = re.compile(
    r"(?<![a-z])(?P<en>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)(?![a-z])|"
    r"(?<![a-z])(?P<de>erst|zweit|dritt|viert|fuenft|sechst|siebt|acht|neunt|zehnt)(?:e[rsnm]?)?(?=[a-z]*st|[ .,]|$)|"
    r"第(?P<zh>[一二三四五六七八九十]|[0-9]{1,3})|(?<![a-z0-9])(?P<short>[0-9]{1,3})(?:st|nd|rd|th)(?![a-z])|"
    r"(?<![a-z])(?:platz|rang|rank(?:ed|s)?|place|position) (?P<place>[0-9]{1,3})(?![0-9]|[.,:][0-9])"
)
TIMES = re.compile(
    r"(?<![a-z])(?:(?P<number>[0-9]{1,3}(?:[.,][0-9])?|two|three|four|five|zwei|drei|vier|fuenf|ten|zehn) ?(?:times|mal|x)|(?P<twice>twice|double(?= the| that| of| what)|doppelt|zweimal)|(?P<thrice>triple(?= the| that| of)|dreimal))(?![a-z])|(?P<zh>[两二三四五六七八九十]|[0-9]{1,3}) ?倍"
)
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10, "zwei": 2, "drei": 3, "vier": 4, "fuenf": 5, "zehn": 10, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}  # fmt: skip
_NOT_A_RANK = re.compile(r"quarter|quartal|half|halbjahr|季|of all|time|mal(?![a-z])")
_LAST = re.compile(
    r"(?<![a-z])(?:is|are|was|were|came|come|comes|finish\w*|rank\w*|place[ds]?|sit|sits|ist|sind|war|waren|liegt|liegen|wurde|wurden|auf dem|an|im) "
    r"(?:(?:in|at|auf|an) )?(?:the |dem |der )?(?:last|letzte[rsnm]?|bottom)(?: (?:place|platz|stelle|rang))?(?=(?: with| mit| in| of)(?![a-z])|[.,;!]|$)|"
    r"(?<![a-z])schlusslicht(?![a-z])|最后一名|垫底|末位|倒数第一"
)
_WITHIN = re.compile(
    r"(?<![a-z])(?:on|in|of|among|within|im|unter) (?:the |his |her |its |their |dem |den |der )?(?P<of>team|group|conference|division|club|gruppe|mannschaft)"
)
"""A rank among some of the rows only."""
_IS = re.compile(r"(?<![a-z])(?:is|are|was|were|came|comes|finished|ist|war|wurde|liegt)(?: (?:the|auf|an))? ?$")
_WITH = re.compile(r" ?(?:with|mit)(?![a-z])|[,，]")
_LEADS = re.compile(
    r"(?<![a-z])(?:leads|led|is leading|was leading|tops|topped|fuehrt(?!e)|fuehrte|liegt vorn|lag vorn|an der spitze)(?![a-z])"
    r"(?= (?:the |die |den |das )?(?:list|field|table|ranking|way|liste|feld|tabelle|rangliste|with|mit|an|bei|in)|[.,;!]|$)|领先|居首|排名第一"
)
_NEAR = 16


def superlatives_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """The row that is called the highest or lowest of a column is that."""
    table = scene.table
    found = scene.degrees("superlative") if table is not None and len(table.rows) > 1 else []
    if table is None or not found:
        return
    rows = {row for _mention, row in scene.subjects(table)}
    if len(rows) > 1 and (several := _several_before(scene.folded, found[0].start)) is not None:
        yield from _several_hold(scene, table, found[0], rows, several)
        return
    parts = scene.clauses if len(rows) > 1 or len(found) > 1 else [scene]
    for part in parts:
        yield from _superlative_holds(part, table)


def _several_hold(
    scene: Scene, table: Table, degree: Degree, rows: set[int], several: int
) -> Iterator[CheckedStatement]:
    """`The three largest are A, B and C`: these and no others."""
    columns, sure = _columns(scene, degree, table)
    if len(rows) != several or scene.has("negated"):
        return
    among = _spoken_of(scene, table, next(iter(rows)))
    held = [
        all(_is_within(table, column, row, _end(degree.adjective, table, column), several, among=among) for row in rows)
        for column in columns
    ]
    yield from judged(scene.span, held, sure=sure, key="superlative")


def _superlative_holds(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """One superlative of one row."""
    for one in scene.degrees("superlative")[:1]:
        subjects = {row for _mention, row in scene.subjects(table)}
        if not subjects and not scene.has("negated"):
            yield from _kind_holds(scene, table, one)
        if len(subjects) != 1 or scene.has("negated"):
            continue
        if (grown := _growth(scene, table)) is not None:
            held = [_is_at_place(values, next(iter(subjects)), one.adjective.end) for values in grown]
            yield from judged(scene.span, held, sure=False, key="superlative")
            continue
        place = _place_before(scene.folded, one.start) or 1
        columns, sure = _columns(scene, one, table)
        row = next(iter(subjects))
        among = _spoken_of(scene, table, row)
        held = [
            _is_at(table, column, row, _end(one.adjective, table, column), place, among=among) for column in columns
        ]
        says = _holder(table, columns, one.adjective, place) if sure and among is None else ""
        yield from judged(scene.span, held, sure=sure, key="superlative", says=says)


_IS_BEFORE = re.compile(
    r"(?<![a-z])(?:is|are|was|were|ist|sind|war|waren)(?: (?:an?|the|der|die|das|ein|eine))? ?$|是$|为$"
)


def _kind_holds(scene: Scene, table: Table, degree: Degree) -> Iterator[CheckedStatement]:
    """`The product with the highest price is the purifier`, of which there are several rows: one of them has it."""
    for one in scene.names:
        rows = scene.rows(one, table)
        if len(rows) > 1 and _IS_BEFORE.search(scene.page.tokens.before(one.first, 16).rstrip()):
            columns, sure = _columns(scene, degree, table)
            held = [
                any(_is_at(table, column, row, _end(degree.adjective, table, column), 1) for row in rows)
                for column in columns
            ]
            yield from judged(scene.span, held, sure=sure, key="superlative")
            return


def _spoken_of(scene: Scene, table: Table, row: int) -> frozenset[int] | None:
    """The rows that a superlative is said of, where a word of the sentence names some that the row is one of: the largest ferry."""
    found: frozenset[int] | None = None
    for one in scene.names:
        rows = scene.rows(one, table)
        if row in rows and 1 < len(rows) < len(table.rows) and not one.compared and not one.excluded:
            found = rows if found is None else found & rows
    return found


_SEVERAL = re.compile(
    r"(?<![a-z0-9])(?P<number>[0-9]{1,2}|two|three|four|five|six|zwei|drei|vier|fuenf|sechs) (?:der |of the )?$|前(?P<zh>[二两三四五六七八九十])[名家个]?$"
)


def _several_before(folded: str, start: int) -> int | None:
    """`three` of `the three largest`."""
    found = _SEVERAL.search(folded[max(0, start - _NEAR) : start])
    if found is None:
        return None
    word = found["number"] or found["zh"]
    return int(word) if word.isdecimal() else _NUMBERS.get(word)


def _growth(scene: Scene, table: Table) -> list[dict[int, Decimal]] | None:
    """By how much each row grew or fell from the first year to the last, as an amount and as a part, where that is what is said."""
    years = table_years(scene, table)
    if len(years) < 2 or scene.has("up") == scene.has("down"):
        return None
    first, last = values_of(table, years[0]), values_of(table, years[-1])
    sign = 1 if scene.has("up") else -1
    amounts = {row: sign * (last[row] - value) for row, value in first.items() if row in last}
    return [amounts, {row: amount / first[row] for row, amount in amounts.items() if first[row]}]


def _is_at_place(values: dict[int, Decimal], row: int, end: End) -> bool:
    """Whether a row has the highest, or the lowest, of these values."""
    return row in values and values[row] == (max(values.values()) if end == "high" else min(values.values()))


def ranks_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """Who is said to be second or last is that, in the column of ranks, or in the one that is measured."""
    table = scene.table
    if table is None or len(table.rows) < 2:
        return
    found = _ORDINAL.search(scene.folded)
    if found is not None and (_NOT_A_RANK.match(scene.folded, found.end() + 1) or not _is_rank_said(scene, found)):
        found = None
    if found is None and _LAST.search(scene.folded) is None:
        yield from _led(scene, table)
        return
    subjects = list({row for _mention, row in scene.subjects(table)})
    if len(subjects) > 1 and len(scene.clauses) > 1:
        for part in scene.clauses:
            yield from ranks_hold(part)
        return
    if len(subjects) != 1 or (degrees_in(scene.folded, "superlative") and not scene.has("rank")):
        return
    yield from _ranked(scene, table, subjects[0], found)


def _is_rank_said(scene: Scene, found: re.Match[str]) -> bool:
    """Whether an ordinal is a place: ranked second, second with 12 goals, third on the team, Platz 3."""
    said = bool(found["place"]) or scene.has("rank") or _WITHIN.match(scene.folded, found.end() + 1) is not None
    return said or (
        _IS.search(scene.folded, 0, found.start()) is not None and _WITH.match(scene.folded, found.end()) is not None
    )


def _led(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """Who leads with 12 is the highest of the column that the 12 is of."""
    subjects = list({row for _mention, row in scene.subjects(table)})
    columns = scene.measured(table) or scene.of_figures(table)
    if len(subjects) == 1 and columns and _LEADS.search(scene.folded) and not scene.has("negated"):
        held = [_is_at(table, column, subjects[0], "high", 1) for column in columns]
        yield from judged(scene.span, held, sure=len(columns) == 1, key="superlative")


def _ranked(scene: Scene, table: Table, row: int, found: re.Match[str] | None) -> Iterator[CheckedStatement]:
    """The place of a row: as its column of ranks says, or among the rows that the sentence speaks of."""
    span = _ordinal_span(scene, found)
    settles = _figure_at(scene, found)
    ranked = next((one for one in table.columns if is_rank(one) and scene.is_ordered(table, one)), None)
    within = _WITHIN.search(scene.folded)
    if ranked is not None and within is None:
        values = values_of(table, ranked)
        wanted = Decimal(_number(found)) if found is not None else max(values.values(), default=Decimal(0))
        yield from judged(span, [values.get(row) == wanted], sure=True, key="rank", settles=settles)
        return
    rows = _same_group(table, row, within.group("of")) if within is not None else range(len(table.rows))
    columns = (scene.measured(table) or scene.of_figures(table))[: 1 if within is not None else None]
    if rows is None or (within is not None and not columns):
        return
    held: list[bool] = []
    for column in columns or scene.ordered(table):
        values = values_of(table, column, rows)
        place = _number(found) if found is not None else len(values)
        if row in values:
            before = sum(value > values[row] for value in values.values())
            equal = sum(value == values[row] for value in values.values())
            held.append(before < place <= before + equal)
    yield from judged(span, held, sure=len(columns) == 1, key="rank", settles=settles)


def _same_group(table: Table, row: int, of: str) -> list[int] | None:
    """The rows of the same team or group, by the column that says so."""
    for column in table.columns:
        words = words_in(words_of(column))
        if of in words and column in table.values and not table.is_naming(column):
            own = table.rows[row][column]
            return [number for number, other in enumerate(table.rows) if other[column] == own]
    return None


def _ordinal_span(scene: Scene, found: re.Match[str] | None) -> tuple[int, int]:
    """Where the ordinal stands in the text; the sentence where it cannot be told."""
    word = (found["en"] or found["short"] or "") if found is not None else ""
    at = scene.text.lower().find(word) if word else -1
    return (scene.line.start + at, scene.line.start + at + len(word)) if at >= 0 else scene.span


def comparisons_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """Of two rows or periods that are compared, the one that is called more is more; twice as much is twice as much."""
    table, times = scene.table, times_said(scene)
    if table is None:
        return
    if (part := _part_of_other(scene, table)) is not None:
        yield from _is_part_of_other(scene, table, *part)
        return
    found = scene.degrees("comparative") or (plain_after(scene.folded, "比") if "比" in scene.folded else [])
    if (times is None and not found) or (times is not None and scene.has("up", "down")):
        return
    pair = _compared_rows(scene, table)
    if pair is None:
        if found and times is None:
            yield from _none_is_more(scene, table, found[0])
        return
    one, other = pair
    adjective = found[0].adjective if found else plain_in(scene.folded) or Adjective("high", None, None)
    measured = scene.measured(table) or scene.of_figures(table)
    columns, sure = (measured, True) if measured else scene.by_adjective(adjective, table)
    held: list[bool] = []
    for column in columns:
        low, high = value_at(table, other, column), value_at(table, one, column)
        if low is None or high is None:
            continue
        if times is not None:
            held.append(low != 0 and is_so_many_times(scene, high / low, times))
        else:
            held.append(high > low if _end(adjective, table, column) == "high" else high < low)
    yield from judged(scene.span, held, sure=sure, key="comparison")


def _part_of_other(scene: Scene, table: Table) -> tuple[Decimal, int, int] | None:
    """`a third of January's 12`: the part, the row that is said to be it, and the row that it is a part of."""
    for pattern, part in fractions():
        found = pattern.search(scene.folded)
        if found is None:
            continue
        end = scene.original(found.start(), found.end())[1]
        subjects = scene.subjects(table)
        other = next((row for one, row in subjects if _OF.fullmatch(scene.page.text, end, max(end, one.start))), None)
        own = next((row for _one, row in subjects if row != other), None)
        return (part, own, other) if own is not None and other is not None else None
    return None


def _is_part_of_other(scene: Scene, table: Table, part: Decimal, own: int, other: int) -> Iterator[CheckedStatement]:
    columns = scene.measured(table) or scene.of_figures(table)
    both = ((value_at(table, own, column), value_at(table, other, column)) for column in columns)
    held = [abs(one / two - part) <= _CLOSE for one, two in both if one is not None and two]
    yield from judged(scene.span, held, sure=bool(scene.measured(table)), key="comparison")


_OF = re.compile(
    r"\s*(?:of|von|der|des|as (?:much|many) as|so (?:viel|viele|gross|hoch) wie)\s+(?:the |in |im |den |dem |der )*",
    re.IGNORECASE,
)
_CLOSE = Decimal("0.03")


def _none_is_more(scene: Scene, table: Table, degree: Degree) -> Iterator[CheckedStatement]:
    """`No estate makes more than A`: A is at that end of the column."""
    others, none = scene.compared(table), scene.says("none")
    if len(set(others)) != 1 or none is None or none.start() > degree.start or scene.subjects(table):
        return
    columns, sure = _columns(scene, degree, table)
    held = [_is_at(table, column, others[0], _end(degree.adjective, table, column), 1) for column in columns]
    yield from judged(scene.span, held, sure=sure, key="comparison")


def is_so_many_times(scene: Scene, ratio: Decimal, times: Decimal) -> bool:
    """As many times as is said; more, less or nearly so many where the words before it say so."""
    found = TIMES.search(scene.folded)
    before = scene.folded[max(0, found.start() - _NEAR) : found.start()] if found is not None else ""
    if cue("more_than").search(before) or cue("at_least").search(before):
        return ratio > times or (ratio == times and cue("at_least").search(before) is not None)
    if cue("less_than").search(before) or _NEARLY.search(before):
        return times - 1 < ratio <= times
    return abs(ratio - times) <= Decimal("0.05") * times


_NEARLY = re.compile(r"(?<![a-z])(?:nearly|almost|close to|fast|beinahe|knapp|nahezu)(?![a-z])|近|将近|接近")


# --- reading


def _columns(scene: Scene, degree: Degree, table: Table) -> tuple[list[str], bool]:
    """The columns that a superlative is about, and whether the words say which."""
    measured = scene.measured(table)
    near = [
        column
        for column in measured
        if is_dated(table, column) == (degree.adjective.days is not None and degree.adjective.of == ())
    ]
    if measured:
        return (near or measured), True
    bound = [column for column in scene.of_figures(table) if not is_rank(column)]
    if bound:
        return bound, len(bound) == 1
    return scene.by_adjective(degree.adjective, table)


def _end(adjective: Adjective, table: Table, column: str) -> End:
    return adjective.days if adjective.days is not None and is_dated(table, column) else adjective.end


def _is_at(table: Table, column: str, row: int, end: End, place: int, *, among: frozenset[int] | None = None) -> bool:
    """Whether a row is at this place of a column, counted from one end; rows with equal values share a place."""
    own = value_at(table, row, column)
    if own is None:
        return False
    ordered = sorted_values(table, column) if among is None else sorted(values_of(table, column, among).values())
    below, upto = bisect_left(ordered, own), bisect_right(ordered, own)
    before = len(ordered) - upto if end == "high" else below
    return before < place <= before + upto - below


def _is_within(table: Table, column: str, row: int, end: End, places: int, *, among: frozenset[int] | None) -> bool:
    """Whether a row is among the first so many of a column."""
    own = value_at(table, row, column)
    ordered = sorted_values(table, column) if among is None else sorted(values_of(table, column, among).values())
    if own is None or places > len(ordered):
        return False
    return own >= ordered[-places] if end == "high" else own <= ordered[places - 1]


def _holder(table: Table, columns: Sequence[str], adjective: Adjective, place: int) -> str:
    """The row that is at a place of the first of these columns."""
    ordered = sorted_values(table, columns[0])
    if place > len(ordered):
        return ""
    wanted = ordered[-place] if _end(adjective, table, columns[0]) == "high" else ordered[place - 1]
    rows = [row for row, value in values_of(table, columns[0]).items() if value == wanted]
    return row_name(table, rows[0]) if len(rows) == 1 else ""


def _place_before(folded: str, start: int) -> int | None:
    """`second` of `the second highest`, `zweit` of `zweithöchste`."""
    found = list(_ORDINAL.finditer(folded[max(0, start - _NEAR) : start + 1]))
    return (
        _number(found[-1]) if found and len(folded[max(0, start - _NEAR) : start + 1]) - found[-1].end() <= 2 else None
    )


def _number(found: re.Match[str]) -> int:
    text = found["en"] or found["de"] or found["zh"] or found["short"] or found["place"]
    return int(text) if text.isdecimal() and text.isascii() else _ORDINALS[text]


def _figure_at(scene: Scene, found: re.Match[str] | None) -> frozenset[int]:
    """The figures that only say a place."""
    if found is None:
        return frozenset()
    number = str(_number(found))
    return frozenset(one.figure.start for one in scene.every_figure if one.figure.text.rstrip("stndrh.") == number)


def _compared_rows(scene: Scene, table: Table) -> tuple[int, int] | None:
    """The row that is called more or less, and the one that it is compared with."""
    others = scene.compared(table)
    if not others and times_said(scene) is not None:
        others = [row for _mention, row in scene.subjects(table)][1:2]
    own = [row for _mention, row in scene.subjects(table) if row not in others]
    if "比" in scene.folded and not others:
        at = scene.line.start + scene.text.index("比") if "比" in scene.text else -1
        singles = [(one, next(iter(rows))) for one in scene.names if len(rows := scene.rows(one, table)) == 1]
        own = [row for one, row in singles if one.end <= at][-1:]
        others = [row for one, row in singles if one.start > at][:1]
    return (own[0], others[0]) if own and len(set(others)) == 1 else None


def times_said(scene: Scene) -> Decimal | None:
    found = TIMES.search(scene.folded)
    if found is None:
        return None
    if found["twice"] or found["thrice"]:
        return Decimal(2 if found["twice"] else 3)
    word = found["number"] or found["zh"]
    return Decimal(_NUMBERS[word]) if word in _NUMBERS else Decimal(word.replace(",", "."))
