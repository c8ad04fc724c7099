"""Counts and shares: what is said of how many rows meet a condition."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.cue_words import FUNCTION
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import values_of
from veracity.grounding.statements.conditions import (
    MOST_COUNTED,
    condition_of,
    not_in_year,
    relation_to,
)
from veracity.grounding.statements.counted_parts import ONE, counted_parts, is_bare, parts_hold, says_each
from veracity.grounding.statements.cues import NUMBER_WORDS, cue
from veracity.grounding.statements.differences import OF_TOTAL, of_column_said
from veracity.grounding.statements.of_them import later_part_holds, of_them
from veracity.grounding.statements.scene import CheckedStatement, Scene, Truth, judged
from veracity.language.folding import listed
from veracity.language.number_words import number_said

_OF_ROWS = re.compile(r"\s*(?:%|percent|per cent|prozent)?\s*(?:of|der|des|aller|von|的)(?![a-z])")
_NO_COUNT = frozenset({"times", "mal", "percent", "prozent", "th", "st", "nd", "rd"})
_HUNDRED = Decimal(100)
_MOST_BEFORE, _MOST_SIGNS = 4, 8
_BOTH, _A_DAY = 2, 86_400
_LONGEST_NOUN = 4
_PARTING = frozenset(",;，；")
_UNSPACED = 0x2E80
_COUNTERS = frozenset(
    "个名位家条件项笔次种人份张只台辆本天月年部所间组座栋艘架班门场片块支款类省市县区国道棵株套瓶箱盒杯匹节幅篇床桶袋批轮局站处户"
)
"""What stands between a number and what it counts in Chinese."""


# --- how many


def counts_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Three stores are open`: as many rows meet the condition."""
    table = scene.table
    if table is None or not table.whole or len(table.rows) < 2:
        return
    if (said := of_them(scene, table)) is not None:
        yield from counts_hold(said.head)
        yield from later_part_holds(table, said)
        return
    if has_subject(scene, table):
        yield from _counts_beside_subject(scene, table)
        return
    if (left := ALL_BUT.search(scene.folded)) is not None:
        yield from _all_but_hold(scene, table, left)
        return
    counting = [one for one in scene.every_figure if counts_rows(scene, one, table) and not _is_of_first(scene, one)]
    of_all = len(counting) == 1 and counting[0].figure.readings[0] == len(table.rows)
    if of_all and (_ONLY_ONE.search(scene.folded) or scene.fraction is not None):
        yield from _only_one(scene, table)  # Of the four only one is open; half of the four is a share.
        return
    if not counting:
        single = counted_parts(scene, table, None) if ONE.search(scene.folded) else []
        yield from parts_hold(single, table, None) if len(single) > 1 else _only_one(scene, table)
        return
    whole = _whole_of(scene, counting)
    if whole is counting[0] and len(counting) == 1:
        # There are seven, two of which are open: the second one counts those.
        counting += [one for one in scene.every_figure if one.figure.start > whole.figure.end][:1]
    parts = counted_parts(scene, table, whole)
    if len(parts) > 1 or any(part.each for part in parts):
        yield from parts_hold(parts, table, whole)
        return
    yield from _count_holds(scene, table, counting, whole)
    for part in scene.clauses[:-1]:
        if any(part.line.start <= one.figure.start < part.line.end for one in counting):
            yield from _named_next_hold(scene, part, table)


def _counts_beside_subject(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`In three of the four it rose, only in Bern it fell`: the first part is about no single row."""
    size = len(table.rows)
    counted = any(one.figure.readings and one.figure.readings[0] == size for one in scene.every_figure)
    for part in scene.clauses if not _PARTING.isdisjoint(scene.text) and len(scene.clauses) > 1 else ():
        if has_subject(part, table) or not part.every_figure:
            continue
        of_rows = counted and any(_is_of_rows(part, one, table) for one in part.every_figure)
        of_kind = _OF_SO_MANY.match(part.folded) is not None and condition_of(part, table) is not None
        if of_rows or of_kind or _counts_by_bound(part, table) or _counts_those_named(scene, part, table):
            yield from counts_hold(part)
            yield from _named_next_hold(scene, part, table)


def _is_of_first(scene: Scene, one: SaidFigure) -> bool:
    """Whether a number says how many are first: 成绩最高的[两]名."""
    ends = (scene.original(degree.start, degree.stop)[1] for degree in scene.degrees("superlative"))
    return any(end <= one.figure.start and scene.page.text[end : one.figure.start] in ("", "的") for end in ends)


_OF_SO_MANY = re.compile(
    rf"\s*(?:of|among|von|unter) (?:the|our|these|den|diesen|unseren) (?:{NUMBER_WORDS}|[0-9]{{1,3}}) "
)
"""Of the two organic estates, A is larger."""


def _counts_by_bound(part: Scene, table: Table) -> bool:
    """Whether a part of a sentence counts the rows that keep a bound: three have more than 90 %, and A has least."""
    told = [one for one in part.every_figure if relation_to(part, one) is not None]
    return len(told) == 1 and bool(part.measured(table)) and any(counts_rows(part, o, table) for o in part.every_figure)


def _counts_those_named(scene: Scene, part: Scene, table: Table) -> bool:
    """Whether a part of a sentence counts rows that the next one enumerates: two of them are new, namely A and B."""
    counted = any(counts_rows(part, one, table) for one in part.every_figure)
    return counted and bool(_enumerated_next(scene, part)) and condition_of(part, table) is not None


def _enumerated_next(scene: Scene, part: Scene) -> list[NameMention]:
    """The names of the next part of a sentence, where it only enumerates."""
    behind = next((one for one in scene.clauses if one.line.start == part.line.end), None)
    if behind is None or behind.has("up", "down", "only", "negated") or ONE.search(behind.folded) or says_each(behind):
        return []
    named = {at for one in behind.names for at in range(one.first, one.last + 1)}
    words = [scene.page.words[at] for at in range(behind.line.first, behind.line.last) if at not in named]
    return behind.names if all(word in FUNCTION | _NAMELY for word in words) else []


def _named_next_hold(scene: Scene, part: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`Two are above 90 %, A and B`: those that the next part enumerates meet the condition of this one."""
    named = _enumerated_next(scene, part)
    met = condition_of(part, table) if named else None
    for one in named if met is not None else ():
        rows = scene.rows(one, table)
        if met is not None and rows and not any(rows <= among for among in met.rows):
            # What is no name of the rows may say something else of them: 1 to Rotmatt, 2 to the port.
            truth: Truth = "contradicted" if scene.is_key(one, table) else "not_checkable"
            yield CheckedStatement(truth, (one.start, one.end), "other_row")


_NAMELY = listed("namely naemlich zwar respectively and und 分 别 是 为 即 和 与 及")
ALL_BUT = re.compile(
    rf"(?<![a-z])(?:all(?: (?:the )?[a-z]+)? but|alle(?: [a-z]+)? bis auf|alle(?: [a-z]+)? ausser) (?P<number>one|eine?[nrsm]?|{NUMBER_WORDS}|[0-9]{{1,3}})(?![a-z0-9])"
)


def _all_but_hold(scene: Scene, table: Table, found: re.Match[str]) -> Iterator[CheckedStatement]:
    """`All but two of the five stayed under 3 hours`: so many do not meet the condition."""
    word, met = found["number"], condition_of(scene, table)
    number = Decimal(word) if word.isdecimal() else number_said(word, "de") or number_said(word, "en")
    if met is None or number is None or scene.has("negated"):
        return
    span = scene.original(*found.span())
    size = len(met.among) if met.among is not None else len(table.rows)
    whole = [one for one in scene.every_figure if one.figure.readings and one.figure.readings[0] == size]
    numbers = [one for one in scene.every_figure if span[0] <= one.figure.start < span[1]]
    settles = frozenset({*met.bounds, *(one.figure.start for one in (*whole, *numbers))})
    held = [len(rows) == size - number for rows in met.rows]
    yield from judged(span, held, sure=met.sure, key="count", settles=settles)


def _only_one(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`Only one store is closed`, without a figure."""
    ends = scene.page.text[scene.clause_end : scene.clause_end + 1] in (":", "：")
    single = _ONLY_ONE.search(scene.folded) or (ONE.match(scene.folded.lstrip()) if ends else None)
    met = condition_of(scene, table) if single is not None else None
    if single is not None and met is not None:
        held = [len(rows) == 1 for rows in met.rows]
        span = scene.original(single.start(), single.end())
        yield from judged(span, held, sure=met.sure, key="count", settles=met.bounds)
        yield from _listed_hold(scene, table, [rows for rows in met.rows if len(rows) == 1])


def _count_holds(
    scene: Scene, table: Table, counting: Sequence[SaidFigure], whole: SaidFigure | None
) -> Iterator[CheckedStatement]:
    met = condition_of(scene, table)
    if met is None:
        return
    if whole is not None:
        sizes = {len(table.rows), *([len(met.among)] if met.among is not None else [])}
        if whole.figure.readings[0] not in sizes:
            yield CheckedStatement("contradicted", (whole.figure.start, whole.figure.end), "count")
            return
        yield CheckedStatement("supported", scene.span, "count", settles=frozenset({whole.figure.start}))
    for one in counting:
        if one.figure.start in met.bounds or one is whole:
            continue
        number = int(one.figure.readings[0])
        if scene.has("all", "total") and number == len(table.rows):
            yield CheckedStatement("supported", scene.span, "count", settles=frozenset({one.figure.start}))
            return
        settles = frozenset({one.figure.start, *met.bounds})
        says = str(len(met.rows[0])) if len(met.rows) == 1 else ""
        span = (one.figure.start, one.figure.end)
        held = [len(rows) == number for rows in met.rows]
        if not any(held) and len(scene.clauses) > 1:
            # What is said in another part of the sentence is no condition of this one.
            part = next((one_ for one_ in scene.clauses if one_.line.start <= span[0] < one_.line.end), scene)
            again = condition_of(part, table)
            if again is None and _is_said_apart(scene, part):
                return  # What this part says was not read.
            held = [len(rows) == number for rows in again.rows] if again is not None else held
        yield from judged(span, held, sure=met.sure, key="count", settles=settles, says=says)
        yield from _listed_hold(scene, table, [rows for rows in met.rows if len(rows) == number])
        return


def _is_said_apart(scene: Scene, part: Scene) -> bool:
    """Whether another part of a sentence counts for itself: two are late, [one is cancelled]."""
    return any(ONE.search(other.folded) for other in scene.clauses if other.line.start != part.line.start)


def _listed_hold(scene: Scene, table: Table, met: Sequence[frozenset[int]]) -> Iterator[CheckedStatement]:
    """`Two had no sponsor: A and B`: those that are named behind the colon meet the condition."""
    if scene.page.text[scene.clause_end : scene.clause_end + 1] not in (":", "："):
        return
    for entry in _entries_behind(scene, scene.clause_end):
        told = [rows for one in entry if (rows := scene.rows(one, table))]
        rows = frozenset.intersection(*told) if told else frozenset[int]()
        single = len(rows) == 1 or any(scene.is_key(one, table) for one in entry)
        if rows and met and not any(rows <= among if single else rows & among for among in met):
            yield CheckedStatement("contradicted", (entry[0].start, entry[-1].end), "other_row")


def _entries_behind(scene: Scene, start: int) -> Iterator[list[NameMention]]:
    """The names of each entry of an enumeration: A, B, and the [Riverside] copy of [C]."""
    entry: list[NameMention] = []
    for one in (one for one in scene.names if one.start >= start):
        if entry and _NEXT_ENTRY.search(scene.page.text, entry[-1].end, one.start):
            yield entry
            entry = []
        entry.append(one)
    if entry:
        yield entry


_NEXT_ENTRY = re.compile(r"[,;，、；和及与]|\b(?:and|und|sowie|or|oder)\b")
_ONLY_ONE = re.compile(
    r"(?<![a-z])(?:(?:only|just) one|(?:nur|lediglich) eine?[nrsm]?|exactly one|genau eine?[nrsm]?)(?![a-z]| (?:second|minute|hour|day|week|month|quarter|year|sekunde|stunde|tag|woche|monat|quartal|jahr)(?![a-z]))|(?:只|仅)有?一[个家名位条件项笔座间]"
)
_OF_THE = re.compile(
    r"\s*(?:out )?(?:of|from|von|aus)?\s*(?:the|our|these|all|der|den|diesen|unseren|insgesamt)?\s*", re.IGNORECASE
)


_ONE_OF = re.compile(r"(?<![a-z])(?:one of|eine[rs]? (?:der|von))(?: the| our| these| den)?\s*$")
_FROM_THE = re.compile(r"(?<![a-z])(?:von den|von diesen|aus den|unter den|out of the|of the|of our|of these)\s*$")
"""Before a whole that is said first: von den [vier] sind zwei zugestellt."""
_OF_WHICH = re.compile(r"\s*(?:of (?:which|whom|them|these)|davon|von (?:denen|ihnen))(?![a-z])", re.IGNORECASE)


def _whole_of(scene: Scene, counting: Sequence[SaidFigure]) -> SaidFigure | None:
    """The figure that says how many there are in all: three of the [six] turbines, [四]个订单中有两个."""
    one = counting[0]
    if _ONE_OF.search(scene.page.tokens.before(one.first, 20)):
        return one
    other = next((said for said in scene.every_figure if said.figure.start >= one.figure.end), None)
    if other is None or not other.figure.readings or other.meaning.unit is not None or other.figure.percent:
        return None
    between = scene.page.text[one.figure.end : other.figure.start]
    if _OF_THE.fullmatch(between) and between.strip():
        return other
    if _OF_WHICH.match(scene.page.text, other.figure.end):
        return one
    if _FROM_THE.search(scene.page.tokens.before(one.first, 16)) and is_bare(scene, other):
        return one
    return one if other in counting and ("中" in between or "里" in between) else None


def counts_rows(scene: Scene, one: SaidFigure, table: Table) -> bool:
    """Whether a figure counts things rather than measuring them."""
    figure = one.figure
    if figure.kind not in ("number", "word") or not figure.readings or figure.percent or not _may_count(one, table):
        return False
    value, bound = figure.readings[0], scene.bound.get(figure.start)
    if bound is not None and bound.provenance.kind == "cell" and bound.provenance.args and scene.is_bound(one):
        return False
    if value != int(value) or not 0 <= value <= MOST_COUNTED or relation_to(scene, one) is not None:
        return False
    behind = scene.page.words[one.last + 1 : one.last + 2]
    if value > len(table.rows) and not _COUNTERS.isdisjoint(behind):
        return not scene.measured(table)  # A stock of 910件 is no number of rows.
    if _is_of_so_many(scene, one, table):
        return False
    if any(name.start <= figure.start < name.end for name in scene.names) or _is_time(one, table):
        return False
    if _OTHER.search(scene.page.tokens.before(one.first, 16)):
        return False  # The other three are no three of all.
    words = scene.page.words
    following = words[one.last + 1] if one.last + 1 < len(words) else ""
    if following and ord(following[0]) >= _UNSPACED and following not in _COUNTERS:
        return False
    told = following in _COUNTERS and words[one.first - 1 : one.first] in _THERE_ARE
    # Four goods, among which there are two whose price ...
    ended = any(_ends(scene, one.last + 2 + signs) for signs in range(_LONGEST_NOUN))
    if told and (ended or scene.page.tokens.before(one.first, 4).endswith(_AMONG_THEM)):
        return True
    if not following or following in _NO_COUNT or (following in FUNCTION and following not in ("of", "der", "von")):
        return False
    noun = scene.page.noun_of(figure) if one.meaning.unit is None else None
    if noun is None and _is_of_rows(scene, one, table):
        return True
    if noun is None:
        return following[0].isalpha() and (one.meaning.unit is not None or _begins(scene, one))
    refs = [ref for ref in noun.columns if ref.table == table.number]
    return not refs or any(
        ref.column == "*" or ref.column in table.result.key or not table.columns[ref.column].numeric for ref in refs
    )


def _is_of_so_many(scene: Scene, one: SaidFigure, table: Table) -> bool:
    """Whether a figure says of how many none is something, and there are so many: none of the four, none of the three in Bern."""
    if not _OF_ALL.search(scene.page.tokens.before(one.first, 24)):
        return False
    return one.figure.readings[0] in (len(table.rows), *(len(scene.rows(name, table)) for name in scene.names))


def _is_time(one: SaidFigure, table: Table) -> bool:
    """Whether a figure says how long something took, where no row is a time: it took six days."""
    unit = one.meaning.unit
    return unit is not None and unit.dimension in ("time", "months") and not table.is_of_periods


_OTHER = re.compile(r"(?<![a-z])(?:other|remaining|anderen?|andern|uebrigen)\s*$|其余$|其他$|另外$")


def _is_of_rows(scene: Scene, one: SaidFigure, table: Table) -> bool:
    """Whether a figure is a number of all rows: [two] of the four services."""
    other = next((said for said in scene.every_figure if said.figure.start >= one.figure.end), None)
    if other is None or not other.figure.readings or other.figure.readings[0] != len(table.rows):
        return False
    between = scene.page.text[one.figure.end : other.figure.start]
    noun = scene.page.noun_of(other.figure)
    refs = [ref.column for ref in noun.columns if ref.table == table.number] if noun is not None else []
    rows = any(c == "*" or c in table.naming for c in refs) or (noun is None and scene.page.has_strange_noun(other))
    return bool(between.strip() and _OF_THE.fullmatch(between)) and rows


_OF_ALL = re.compile(r"(?<![a-z])(?:none|neither|not one|keine[rsm]?)(?: of)?(?: the| these| our| der| dieser)?\s*$")
_AMONG_THEM = ("中有", "里有", "中共有")
_THERE_ARE = (["有"], ["共"], ["为"], ["是"])


def _ends(scene: Scene, word: int) -> bool:
    """Whether a part of the sentence ends before a word: 超过700次的站点有三个。"""
    page = scene.page
    if word >= scene.line.last or page.segments[word] != page.segments[word - 1]:
        return True
    return bool(page.text[page.tokens.ends[word - 1] : page.tokens.starts[word]].strip())


def _begins(scene: Scene, one: SaidFigure) -> bool:
    """Whether a figure begins its clause, behind small words at most: There are two ..., In drei Fällen ..."""
    before = scene.page.words[scene.line.first : one.first]
    signs = sum(ord(word[0]) >= _UNSPACED for word in before)
    small = all(word in FUNCTION or ord(word[0]) >= _UNSPACED for word in before)
    return small and len(before) - signs <= _MOST_BEFORE and signs <= _MOST_SIGNS


def _may_count(one: SaidFigure, table: Table) -> bool:
    """Whether a figure has no unit; days and years are counted where each row is one."""
    unit = one.meaning.unit
    longer = unit is not None and (unit.dimension == "months" or (unit.dimension == "time" and unit.factor >= _A_DAY))
    return unit is None or (longer and table.is_series)


def has_subject(scene: Scene, table: Table) -> bool:
    told = (one for one in scene.names if one.start < scene.clause_end)
    return any(scene.is_key(one, table) and not one.compared and not one.excluded for one in told)


# --- which part


def shares_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Half of the flights are on time`, `60 % of the stores are open`: that part of the rows meets the condition."""
    table = scene.table
    if table is None or not table.whole or len(table.rows) < 2:
        return
    said = any(one.figure.percent for one in scene.figures) or scene.fraction is not None
    parts = scene.parts_of_wholes if said and scene.whole is None else []
    if len(parts) > 1 and not has_subject(scene, table):
        # Half of them have a pool, and a third of them a sauna.
        yield from (one for part in parts for one in shares_hold(part))
        return
    met = condition_of(scene, table) if said and not has_subject(scene, table) else None
    if met is None:
        return
    whole = len(table.rows)
    for one in scene.figures:
        of_rows = _OF_ROWS.match(scene.page.text[one.figure.end : one.figure.end + 24].lower()) is not None
        of_rows = (
            of_rows and not of_column_said(scene, table, one) and not OF_TOTAL.match(scene.page.text, one.figure.end)
        )
        if one.figure.percent and of_rows and one.figure.start not in met.bounds:
            held = [_is_part(one, Decimal(len(rows)) / whole) for rows in met.rows]
            settles = frozenset({one.figure.start, *met.bounds})
            yield from judged((one.figure.start, one.figure.end), held, sure=met.sure, key="share", settles=settles)
            return
    if scene.fraction is not None:
        found, part = scene.fraction
        before = scene.folded[max(0, found.start() - 24) : found.start()]
        column = _measured_behind(scene, table, found.end())
        if column is None and _OF_A_TOTAL.match(scene.folded, found.end()):
            return  # A fifth of the evening's total is no fifth of the rows.
        shares = [Decimal(len(rows)) / whole if column is None else _of_sum(table, column, rows) for rows in met.rows]
        if column is None and _OF_WHICH.match(scene.folded, found.end()):
            # 1,028,500 euros, half of which: of what a column comes to, and not of the rows.
            place = scene.original(found.start(), found.end())[0]
            told = [one for one in scene.every_figure if one.figure.start < place]
            measured = bool(told) and told[-1].meaning.unit is not None
            of_sums = [_of_sum(table, one, rows) for one in _totalled(scene, table) for rows in met.rows]
            shares = [*of_sums, *([] if measured else shares)]
        held = [_compares(before, share, part) for share in shares if share is not None]
        if held:
            yield from judged(scene.span, held, sure=met.sure, key="share", settles=met.bounds)


_OF_IT = re.compile(
    r"\s*(?:of|der|des|aller|von|vom|的)(?!\s*(?:them|these|those|which|whom|ihnen|denen)\b)\s*(?:[^\W\d_]+\s+){0,3}",
    re.IGNORECASE,
)


_OF_A_TOTAL = re.compile(
    r"\s*(?:of|der|des|vom|von|an)(?: (?:the|its|their|our|[a-z]+er))?(?: [a-z]+['’ ]s)?(?: [a-z]+)? (?:total|sum|turnover|gesamt\w*|summe)(?![a-z])|的总"
)


def _measured_behind(scene: Scene, table: Table, end: int) -> str | None:
    """The column of figures that stands behind a part of a whole: half of the income."""
    start = scene.original(end - 1, end)[1]
    said = [one for one in scene.columns if _OF_IT.fullmatch(scene.page.text[start : one.start])]
    found = {ref.column for one in said[:1] for ref in one.columns if ref.table == table.number}
    measures = [column for column in found if column in table.measures]
    return measures[0] if len(measures) == 1 else None


def _totalled(scene: Scene, table: Table) -> Iterator[str]:
    """The columns of which the sentence says what they come to."""
    told = (scene.bound[one.figure.start].provenance for one in scene.figures if scene.is_bound(one))
    columns = (arg.column for one in told if one.kind == "derived" for arg in one.args)
    yield from dict.fromkeys(column for column in columns if column in table.measures)


def _of_sum(table: Table, column: str, rows: Collection[int]) -> Decimal | None:
    """What some rows are of the sum of a column."""
    values = values_of(table, column)
    total = sum(values.values(), Decimal(0))
    return sum((values[row] for row in rows if row in values), Decimal(0)) / total if total else None


def _is_part(one: SaidFigure, share: Decimal) -> bool:
    return any(
        abs(reading - share * _HUNDRED) <= tolerance
        for reading, tolerance in zip(one.figure.readings, one.figure.tolerances, strict=True)
    )


_JUST = re.compile(
    r"(?<![a-z])(?:just|slightly|a little|a bit|knapp|etwas|leicht) (?:(?P<below>under|below|less than|unter|weniger als)|over|above|more than|ueber|mehr als)\s*$|"
    r"略(?:(?P<zh>[低少])于|[高多]于)$"
)
_NEAR = Decimal("0.05")


def _compares(before: str, share: Decimal, part: Decimal) -> bool:
    if (just := _JUST.search(before)) is not None:
        below = just["below"] or just["zh"]
        return part - _NEAR <= share < part if below else part < share <= part + _NEAR
    if cue("more_than").search(before) or cue("at_least").search(before):
        return share > part or (share == part and cue("at_least").search(before) is not None)
    if cue("less_than").search(before):
        return share < part
    return abs(share - part) <= Decimal("0.02")


# --- what is said above a list


def years_of_lists_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Launches in 2024:`, above a list: every row that is listed has its only day in that year."""
    table = scene.table
    heads = scene.text.rstrip().endswith((":", "："))
    if not heads or table is None or len(table.days) != 1 or next(iter(table.days)) in table.result.key:
        return
    said = not_in_year(scene, table, denied=False)
    number = next((at for at, line in enumerate(scene.page.lines) if line is scene.line), -1)
    for line in scene.page.lines if said is not None else ():
        if line.listed and line.above == number:
            entry = scene.part(line.start, line.end)
            for one, row in entry.subjects(table):
                if said is not None and row in said.rows[0]:
                    yield CheckedStatement("contradicted", (one.start, one.end), "other_row")
    if said is not None and len(said.rows[0]) < len(table.rows):
        yield CheckedStatement("supported", scene.span, "row", settles=said.bounds)
