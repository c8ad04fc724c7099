"""Ranks and comparisons: who is first, second or last in a column, and which of two is more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import is_rank, is_timed, sorted_values, that_vary, value_at, values_of
from veracity.grounding.statements.cues import Adjective, Degree, cue, degrees_in, plain_in
from veracity.grounding.statements.scene import CheckedStatement, Scene, judged
from veracity.grounding.statements.several_compared import several_compared
from veracity.grounding.statements.superlatives import (
    BY_RATE,
    GROWING,
    NUMBERS,
    ORDINAL,
    columns_of_degree,
    end_of,
    growth_of,
    is_at,
    number_of_place,
)
from veracity.language.folding import words_in
from veracity.language.nearest import words_of

_SEVERAL = "|".join(word for word, number in NUMBERS.items() if number > 1 and word.isalpha() and word.isascii())
TIMES = re.compile(
    rf"(?<![a-z])(?:(?P<number>(?<![0-9][.,'’])(?<![0-9])[0-9]{{1,2}}(?:[.,][0-9])?|{_SEVERAL}) ?(?:times|mal|x)|"
    r"(?P<twice>twice(?! (?:in|on|at|a|per|during|this|last|over|so far) |[.,;]|$)|double(?= the| that| of| what)|doppelt|zweimal(?= (?:so|mehr)))|(?P<thrice>triple(?= the| that| of)|dreimal(?= (?:so|mehr))))(?![a-z])|(?P<zh>[两二三四五六七八九十]|[0-9]{1,3}(?:\.[0-9]+)?) ?倍"
)
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
_BEHIND_THAN = re.compile(r"(?<![a-z])(?:than|als)(?: the| der| die| das)?\s*$")
_WITH = re.compile(r" ?(?:with|mit)(?![a-z])|[,，]")
_LEADS = re.compile(
    r"(?<![a-z])(?:leads|led|is leading|was leading|tops|topped|fuehrt(?!e)|fuehrte|(?:liegt|lag)(?: [^.,;:]{0,40})? vorn|an der spitze)(?![a-z])"
    r"(?= (?:the |die |den |das )?(?:list|field|table|ranking|way|liste|feld|tabelle|rangliste|with|mit|an|bei|in)|[.,;!]|$)|领先|居首|(?:排名|位居|位列|名列)第一|居[^，。；]{0,6}(?:之首|首位)"
)
_NEAR = 16


def ranks_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """Who is said to be second or last is that, in the column of ranks, or in the one that is measured."""
    table = scene.table
    if table is None or len(table.rows) < 2:
        return
    placed = list(_placed(scene, table))
    if len(placed) > 1:
        yield from _each_is_placed(scene, table, placed)
        return
    found = ORDINAL.search(scene.folded)
    if found is not None and (_NOT_A_RANK.match(scene.folded, found.end() + 1) or not _is_rank_said(scene, found)):
        found = None
    if found is None and _LAST.search(scene.folded) is None:
        yield from _led(scene, table)
        return
    subjects = list(dict.fromkeys(row for one, row in scene.subjects(table) if not _is_beside(scene, one)))
    if len(subjects) > 1 and len(scene.clauses) > 1:
        for part in scene.clauses:
            yield from ranks_hold(part)
        return
    if len(subjects) != 1 or (degrees_in(scene.folded, "superlative") and not scene.has("rank")):
        return
    yield from _ranked(scene, table, subjects[0], found)


_COMES = re.compile(
    r"\s*(?:,|comes|came|is|was|ranks|ranked|kommt|ist|war|liegt|folgt|排名?|位?列|位?居|是|为)?\s*(?:in|auf|an|the|der|die|在)?\s*",
    re.IGNORECASE,
)


def _placed(scene: Scene, table: Table) -> Iterator[tuple[NameMention, int]]:
    """Names of rows with the place that stands right behind them: A comes first, B second and C third."""
    places = [(scene.original(one.start(), one.end()), number_of_place(one)) for one in ORDINAL.finditer(scene.folded)]
    for one, _row in scene.subjects(table):
        for (start, _end), place in places:
            if start >= one.end and _COMES.fullmatch(scene.page.text, one.end, start):
                yield one, place


def _each_is_placed(
    scene: Scene, table: Table, placed: Sequence[tuple[NameMention, int]]
) -> Iterator[CheckedStatement]:
    columns = scene.measured(table) or scene.of_figures(table)
    every = columns or scene.ordered(table)
    for one, place in placed:
        row = next(iter(scene.rows(one, table)))
        held = [is_at(table, column, row, "high", place) for column in every]
        yield from judged((one.start, one.end), held, sure=len(columns) == 1, key="rank")


_BESIDE = re.compile(r"(?<![a-z])(?:behind|ahead of|hinter|vor|after|nach)\s*(?:the |der |dem |den |die |das )?$")


def _is_beside(scene: Scene, one: NameMention) -> bool:
    """Whether a name says behind or before whom a row is."""
    return _BESIDE.search(scene.page.tokens.before(one.first, 24)) is not None


def _is_rank_said(scene: Scene, found: re.Match[str]) -> bool:
    """Whether an ordinal is a place: ranked second, second with 12 goals, third on the team, Platz 3."""
    said = bool(found["place"]) or scene.has("rank") or _WITHIN.match(scene.folded, found.end() + 1) is not None
    return (
        said
        or (
            _IS.search(scene.folded, 0, found.start()) is not None
            and _WITH.match(scene.folded, found.end()) is not None
        )
        or _is_behind_name(scene, found)
    )


def _is_behind_name(scene: Scene, found: re.Match[str]) -> bool:
    """Whether an ordinal is all that is said of a name: with Bern second."""
    start, end = scene.original(found.start(), found.end())
    ends = not scene.page.text[end : end + 1].strip(" .,;:!?)。，；")
    return ends and any(one.end <= start and not scene.page.text[one.end : start].strip() for one in scene.names)


def _led(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """Who leads with 12 is the highest of the column that the 12 is of."""
    subjects = list({row for _mention, row in scene.subjects(table)})
    columns = scene.measured(table) or scene.of_figures(table)
    said = _LEADS.search(scene.folded) if len(subjects) == 1 and not scene.has("negated") else None
    grown = growth_of(scene, table) if said is not None and GROWING.search(scene.folded, 0, said.start()) else None
    if grown is not None:
        rates = grown[1:] if BY_RATE.search(scene.folded) else grown
        held = [values.get(subjects[0]) == max(values.values()) for values in rates if values]
        yield from judged(scene.span, held, sure=False, key="superlative")
    elif said is not None and columns:
        held = [is_at(table, column, subjects[0], "high", 1) for column in columns]
        yield from judged(scene.span, held, sure=len(columns) == 1, key="superlative")


def _ranked(scene: Scene, table: Table, row: int, found: re.Match[str] | None) -> Iterator[CheckedStatement]:
    """The place of a row: as its column of ranks says, or among the rows that the sentence speaks of."""
    span = _ordinal_span(scene, found)
    settles = _figure_at(scene, found)
    ranked = next((one for one in table.columns if is_rank(one) and scene.is_ordered(table, one)), None)
    within = _WITHIN.search(scene.folded)
    if ranked is not None and within is None:
        values = values_of(table, ranked)
        wanted = Decimal(number_of_place(found)) if found is not None else max(values.values(), default=Decimal(0))
        yield from judged(span, [values.get(row) == wanted], sure=True, key="rank", settles=settles)
        return
    rows = _same_group(table, row, within.group("of")) if within is not None else range(len(table.rows))
    columns = (scene.measured(table) or scene.of_figures(table))[: 1 if within is not None else None]
    if rows is None or (within is not None and not columns):
        return
    held: list[bool] = []
    for column in columns or scene.ordered(table):
        values = values_of(table, column, rows)
        place = number_of_place(found) if found is not None else len(values)
        if row in values:
            early = is_timed(table, column)  # Who comes at 05:15 comes before who comes at 07:30.
            before = sum(value < values[row] if early else value > values[row] for value in values.values())
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
    if table is None or (times is None and len(scene.names) > 2 and several_compared(scene, table) is not None):
        return
    cut, both = _second_comparison(scene), _compared_rows(scene, table) if times is None else None
    if cut is not None and both is not None and scene.whole is None:
        yield from _both_compared(scene, table, both, cut)
        return
    parts = scene.clauses if scene.whole is None else ()
    every = [one for one in parts if one.degrees("comparative") or one.compared_so()]
    told = [one for one in every if one.names]
    if len(every) > 1 and any(one.compared for one in scene.names):
        yield from (one for clause in told for one in comparisons_hold(clause))
        return
    if wholes := [(whole, part) for whole in scene.parts_of_wholes if (part := _part_of_other(whole, table))]:
        yield from (one for whole, part in wholes for one in _is_part_of_other(whole, table, part))
        return
    found = scene.degrees("comparative") or scene.compared_so()
    if (times is None and not found) or (times is not None and scene.has("up", "down")):
        return
    pair = _compared_rows(scene, table)
    if pair is None:
        if found and times is None:
            yield from _none_is_more(scene, table, found[0])
        return
    one, other = pair
    adjective = found[0].adjective if found else plain_in(scene.folded) or Adjective("high", None, None)
    measured = _columns_told(scene, table)
    said = that_vary(table, scene.measured(table)) or not measured
    columns, sure = scene.compared_by(adjective, table, measured) if said else (measured, True)
    held: list[bool] = []
    for column in columns:
        low, high = value_at(table, other, column), value_at(table, one, column)
        if low is None or high is None:
            continue
        if times is not None:
            held.append(low != 0 and is_so_many_times(scene, high / low, times))
        else:
            held.append(high > low if end_of(adjective, table, column) == "high" else high < low)
    settles = _figures_of_times(scene) if times is not None else frozenset()
    if times is not None and len(list(TIMES.finditer(scene.folded))) > 1 and any(held):
        # Of two multiples in one sentence, only one was read.
        yield CheckedStatement("not_checkable", scene.span, "comparison", settles=settles)
        return
    yield from judged(scene.span, held, sure=sure, key="comparison", settles=settles)


def figures_compared_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`A is worth 13,440, less than B with 12,648`: of two figures that are said, the one that is called less is less."""
    degrees = scene.degrees("comparative")
    compared = [one for one in scene.names if _BEHIND_THAN.search(scene.page.tokens.before(one.first, 12))]
    if len(degrees) != 1 or len(compared) != 1 or degrees[0].adjective.of or scene.has("negated"):
        return
    at = scene.original(degrees[0].start, degrees[0].stop)[0]
    behind = next((one for one in scene.figures if one.figure.start >= compared[0].end), None)
    if behind is None or not _WITH.fullmatch(scene.page.text, compared[0].end, behind.figure.start):
        return
    before = [one for one in scene.figures if one.figure.start < at and one.meaning.unit == behind.meaning.unit]
    if not before or not before[0].figure.readings or not behind.figure.readings or behind.meaning.unit is None:
        return
    one, other = before[0].figure.readings[0], behind.figure.readings[0]
    if one != other and (one > other) != (degrees[0].adjective.end == "high"):
        yield CheckedStatement("contradicted", (compared[0].start, behind.figure.end), "comparison")


_WITH = re.compile(r"\s*(?:with|at|mit|bei|\(|（)\s*(?:[$€£]|CHF|EUR|USD)?\s*", re.IGNORECASE)


def ends_compared_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`The heaviest weighs 2.5 times as much as the lightest`: the highest of a column in terms of its lowest."""
    table, times, degrees = scene.table, times_said(scene), scene.degrees("superlative")
    if table is None or times is None or not table.whole or len(degrees) != 2 or scene.subjects(table):
        return
    if degrees[0].adjective.end == degrees[1].adjective.end:
        return
    columns, sure = columns_of_degree(scene, degrees[0], table)
    ends = [(values[0], values[-1]) for column in columns if len(values := sorted_values(table, column)) > 1]
    ratios = [high / low if degrees[0].adjective.end == "high" else low / high for low, high in ends if low and high]
    held = [is_so_many_times(scene, ratio, times) for ratio in ratios]
    for key in ("comparison", "range"):  # What is compared, and that these are the ends.
        yield from judged(scene.span, held, sure=sure, key=key, settles=_figures_of_times(scene))


def _only_counts(one: NameMention, scene: Scene) -> bool:
    """Whether a single sign stands right behind a figure, as measure words do."""
    return one.end - one.start == 1 and any(said.figure.end == one.start for said in scene.every_figure)


def _columns_told(scene: Scene, table: Table) -> list[str]:
    """The columns that words, figures or units say; of a part without a subject, that of the whole: 14 more seats than A but 14 fewer than B."""
    told = that_vary(table, scene.measured(table)) or scene.of_figures(table) or scene.of_units(table)
    # 少500人: a sign that only counts says no column where another word does.
    spelt = {ref.column for one in scene.columns if not _only_counts(one, scene) for ref in one.columns}
    told = [column for column in told if column in spelt] or told
    if not told and scene.whole is not None and not scene.subjects(table):
        return scene.whole.measured(table)[:1]
    return told


AND_MORE = re.compile(
    r"(?<![a-z])(?:and|but|despite|though|although|und|aber|trotz|obwohl)(?: [a-z]+){0,3} (?:more|fewer|less|mehr|weniger|lower|higher)(?= [a-z]+(?:[.,;!]|$))"
)
"""A second comparison of the same two: more stops than A and carried more passengers; despite fewer stops."""


_DESPITE = re.compile(r"(?<![a-z])(?:despite|although|though|trotz|obwohl|obschon)(?![a-z])")


def _second_comparison(scene: Scene) -> int | None:
    """Where the second of two comparisons of the same two begins."""
    if (found := AND_MORE.search(scene.folded)) is not None:
        return scene.original(found.start(), found.end())[0]
    degrees = scene.degrees("comparative") if _DESPITE.search(scene.folded) else []
    if len(degrees) < 2:
        return None
    cut = scene.original(degrees[1].start, degrees[1].stop)[0]
    parts = (scene.part(scene.line.start, cut), scene.part(cut, scene.line.end))
    table = scene.table
    return cut if table is not None and all(len(part.measured(table)) == 1 for part in parts) else None


def _both_compared(scene: Scene, table: Table, pair: tuple[int, int], cut: int) -> Iterator[CheckedStatement]:
    for part in (scene.part(scene.line.start, cut), scene.part(cut, scene.line.end)):
        degrees, columns = part.degrees("comparative"), part.measured(table)
        both = [(value_at(table, pair[0], column), value_at(table, pair[1], column)) for column in columns]
        known = [(one, other) for one, other in both if one is not None and other is not None]
        if not degrees or len(known) != 1:
            continue
        (one, other), high = known[0], end_of(degrees[0].adjective, table, columns[0]) == "high"
        yield from judged(part.span, [one != other and (one > other) == high], sure=True, key="comparison")


def _figures_of_times(scene: Scene) -> frozenset[int]:
    """The figure that says how many times: 2.6倍."""
    found = TIMES.search(scene.folded)
    start, end = scene.original(found.start(), found.end()) if found is not None else (0, 0)
    return frozenset(one.figure.start for one in scene.every_figure if start <= one.figure.start < end)


class _PartOfOther(NamedTuple):
    """`a third of January's 12`: the part, the row that is said to be it, the row that it is a part of, and what stands before."""

    part: Decimal
    own: int
    other: int
    before: str


def _part_of_other(scene: Scene, table: Table) -> _PartOfOther | None:
    if scene.fraction is None:
        return None
    found, part = scene.fraction
    start, end = scene.original(found.start(), found.end())
    subjects, text = scene.subjects(table), scene.page.text
    behind = next((one for one in subjects if _OF.fullmatch(text, end, max(end, one[0].start))), None)
    # 人民广场的一半: the other one stands before the part.
    before = next((one for one in subjects if text[one[0].end : start].strip() == "的" and one[0].end <= start), None)
    other = behind or before
    own = next((row for _one, row in subjects if other is not None and row != other[1]), None)
    if other is None or own is None:
        return None
    place = found.start() if behind is not None else scene.folded.find("不")
    return _PartOfOther(part, own, other[1], scene.folded[max(0, place - _NEAR) : found.start()])


def _is_part_of_other(scene: Scene, table: Table, said: _PartOfOther) -> Iterator[CheckedStatement]:
    columns = scene.measured(table) or scene.of_figures(table)
    columns = columns or (scene.whole.measured(table) if scene.whole is not None else [])
    both = ((value_at(table, said.own, column), value_at(table, said.other, column)) for column in columns)
    held = [_is_such_part(one / two, said) for one, two in both if one is not None and two]
    yield from judged(scene.span, held, sure=bool(scene.measured(table)), key="comparison")


def _is_such_part(ratio: Decimal, said: _PartOfOther) -> bool:
    if cue("less_than").search(said.before):
        return ratio < said.part
    if cue("more_than").search(said.before):
        return ratio > said.part
    return abs(ratio - said.part) <= _CLOSE


_OF = re.compile(
    r"\s*(?:of|von|der|des|as (?:much|many|often|high|long|large|big|heavy|expensive) as|so (?:viel|viele|gross|hoch|oft|lang|schwer|teuer) wie)\s+(?:the |in |im |den |dem |der )*",
    re.IGNORECASE,
)
_CLOSE = Decimal("0.03")


def _none_is_more(scene: Scene, table: Table, degree: Degree) -> Iterator[CheckedStatement]:
    """`No estate makes more than A`: A is at that end of the column."""
    others, none = scene.compared(table), scene.says("none")
    if sum(part.has("none") for part in scene.clauses) > 1:
        return  # None leaves before A, and none arrives after B.
    if len(set(others)) != 1 or none is None or none.start() > degree.start or scene.subjects(table):
        return
    columns, sure = columns_of_degree(scene, degree, table)
    held = [is_at(table, column, others[0], end_of(degree.adjective, table, column), 1) for column in columns]
    yield from judged(scene.span, held, sure=sure, key="comparison")


def is_so_many_times(scene: Scene, ratio: Decimal, times: Decimal) -> bool:
    """As many times as is said; more, less or nearly so many where the words before it say so."""
    found = TIMES.search(scene.folded)
    before = scene.folded[max(0, found.start() - _NEAR) : found.start()] if found is not None else ""
    if cue("more_than").search(before) or cue("at_least").search(before):
        return ratio > times or (ratio == times and cue("at_least").search(before) is not None)
    if cue("less_than").search(before) or _NEARLY.search(before):
        return times - 1 < ratio <= times
    if _A_LITTLE_MORE.search(before):
        return times <= ratio < times + _LITTLE
    if found is not None and scene.folded[found.end() : found.end() + 1] in ("多", "余"):
        return times < ratio < times + 1
    return abs(ratio - times) <= Decimal("0.05") * times


_NEARLY = re.compile(r"(?<![a-z])(?:nearly|almost|close to|fast|beinahe|knapp|nahezu)(?![a-z])|近|将近|接近|几乎")
_A_LITTLE_MORE = re.compile(r"(?<![a-z])(?:gut|reichlich|just over|a good|slightly more than)\s*$|略高于|略多于")
_LITTLE = Decimal("0.35")


# --- reading


def _figure_at(scene: Scene, found: re.Match[str] | None) -> frozenset[int]:
    """The figures that only say a place."""
    if found is None:
        return frozenset()
    number = str(number_of_place(found))
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
    if not own and scene.whole is not None:  # A is larger than B, but has fewer rooms than C.
        before = (each for each in scene.whole.subjects(table) if each[0].end <= scene.line.start)
        own = [row for _one, row in before if row not in others][-1:]
    return (own[0], others[0]) if own and len(set(others)) == 1 and own[0] != others[0] else None


def times_said(scene: Scene) -> Decimal | None:
    found = TIMES.search(scene.folded)
    at = scene.original(found.start(), found.end())[0] if found is not None else -1
    if found is None or any(name.start <= at < name.end for name in scene.names):
        return None
    if found["twice"] or found["thrice"]:
        return Decimal(2 if found["twice"] else 3)
    word = found["number"] or found["zh"]
    return Decimal(NUMBERS[word]) if word in NUMBERS else Decimal(word.replace(",", "."))
