"""Cells said together must stand in one row, whatever their type: a manager beside her store, a gate beside its flight.

The names of a sentence are taken in their order. A name of another column joins the ones before it; a second name of the same
column begins the next group, unless the two are enumerated. In each group every pair must stand together in a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from veracity.grounding.binding.cue_words import may_negate
from veracity.grounding.binding.mentions import NameMention, spelt_periods
from veracity.grounding.binding.name_forms import other_states, state_words
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import column_roots
from veracity.grounding.statements.cues import FOLLOWED, cue
from veracity.grounding.statements.scene import CheckedStatement, Scene, row_taken_up
from veracity.language.folding import fold, listed
from veracity.language.numbers import MONTHS
from veracity.language.stem import noun_root

_JOINED = re.compile(
    r"[》”\"'’]?\s*(?:,|、|，|;|und|and|&|/|sowie|or|oder|as well as|along with|und auch|als auch|和|与|及|以及|,\s*(?:and|und))?\s*(?:the|der|die|das|den|dem|in|im)?\s*[《“\"'‘]?",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[;；]|\n")
_TAKES_UP = re.compile(
    r"\s*(?:[^\s,;.]{1,20}\s+){0,3}?(?:its|his|her|their|sein|seine|ihr|ihre|dessen|deren|it|he|she|er|sie|es|其|它|他|她)(?![a-z])",
    re.IGNORECASE,
)
"""What speaks of the one before, though another part of the sentence begins."""
_TIED = frozenset({"", ":", "-", "–", "—", "(", "|", "：", "（", "="})
_REACH = 28
"""A negation stands so many signs before what it denies."""
_MOST_GROUPS = 200
_PARTING = frozenset(",;，；")


class _TextPart(NamedTuple):
    """What a group says of one column: one value, or several that are enumerated."""

    columns: frozenset[str]
    mentions: list[NameMention]


def texts_stand_in_one_row(scene: Scene) -> Iterator[CheckedStatement]:
    """Every two names of one group stand in the same row; of the only row, a value stands beside the word for its column."""
    for one in scene.names:
        only = {ref.column for ref in one.names if len(scene.page.tables[ref.table].rows) == 1}
        if any(ref.column in only for mention in scene.columns for ref in mention.columns):
            yield CheckedStatement("supported", (one.start, one.end), "row")
    if len(scene.names) < 2:
        return
    for table in scene.page.tables:
        if len(table.rows) < 2:
            continue
        told = (
            one
            for one in scene.names
            if scene.refs(one, table)
            and not one.compared
            and not _MONTH_BEHIND.match(scene.page.text, one.end)  # 2019年10月
        )
        names = [
            one
            for one in told
            if (not one.excluded or _is_negated(one, scene))
            and not (_is_what_it_is_not(one, scene) or _is_of_none(one, scene) or _is_in_part(one, scene))
        ]
        for group in _groups(names, scene, table) if len(names) > 1 else ():
            yield from _judged(group, scene, table)
        yield from _each_in_turn(scene, table)


_MONTH_BEHIND = re.compile(r"年?\s*[0-9]{1,2}\s*月")
_LETTERS, _LONGEST = 4, 60
"""So many letters begin a compound, and end it (Strom|zähler); and the longest that is looked at."""


def compounds_stand_in_row(scene: Scene) -> Iterator[CheckedStatement]:
    """A German compound that begins with a value (the Stromzähler of the pool) is only said of rows that have it; else it is marked."""
    table = scene.table
    for part in scene.clauses if table is not None and scene.lang == "de" else ():
        assert table is not None
        told = [part.rows(one, table) for one in part.names if not (one.compared or _is_negated(one, part))]
        rows = frozenset.intersection(*told) if told else frozenset[int]()
        denied = _NEITHER.search(part.folded) is not None
        for span, having in _compounds(part, table) if rows else ():
            if rows & having if denied else rows.isdisjoint(having):
                yield CheckedStatement("not_checkable", span, "row")


def _compounds(part: Scene, table: Table) -> Iterator[tuple[tuple[int, int], frozenset[int]]]:
    """The compounds that begin with a value, and the rows that have it."""
    page, index = part.page, part.page.index
    named = {at for one in (*part.names, *part.columns) for at in range(one.first, one.last + 1)}
    for at in range(part.line.first, part.line.last):
        word = page.words[at]
        if at in named or not word.isalpha() or not 2 * _LETTERS <= len(word) <= _LONGEST:
            continue
        for size in range(min(len(word) - _LETTERS, index.longest_word), _LETTERS - 1, -1):
            refs = [ref for ref in index.names.get((word[:size],), ()) if ref.table == table.number]
            if refs:
                yield (
                    (page.tokens.starts[at], page.tokens.ends[at]),
                    frozenset(r for ref in refs for r in index.rows(ref)),
                )
                break


_IN_TURN = re.compile(
    r"\s*(?:and |und |while |whereas )?(?:(?:the|der|die|das) )?(?:(?P<first>first|former|erste[rs]?|erstere[rs]?)|(?P<second>second|latter|zweite[rs]?|letztere[rs]?))(?: one)? (?:is|was|are|were|has|had|ist|war|hat|wurde)(?![a-z])|\s*(?:(?P<zh1>前者)|(?P<zh2>后者))"
)


_TWO = 2
_TURNS = re.compile(r"first|former|second|latter|erste|zweite|letztere|前者|后者")


def _each_in_turn(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`A and B; the first is open, the second is closed`: what is said of the first is said of A."""
    if _TURNS.search(scene.folded) is None:
        return
    for part in scene.clauses:
        found = _IN_TURN.match(part.folded)
        keyed = [one for one in scene.names if one.end <= part.line.start and scene.is_key(one, table)]
        if found is None or len(keyed) != _TWO:
            continue
        row = scene.rows(keyed[0 if found["first"] or found["zh1"] else 1], table)
        for one in part.names:
            holds = row <= scene.rows(one, table)
            yield CheckedStatement(
                "supported" if holds else "contradicted", (one.start, one.end), "row" if holds else "other_row"
            )


_STATUS = frozenset(map(noun_root, listed("status state zustand stand 状态")))
_IS = re.compile(
    r"(?<![a-z])(?:is|are|was|were|has been|have been|ist|sind|war|waren|wurde|wurden)(?: [a-z]+){0,2}\s*$|已$"
)


def states_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`The request is completed`: the column of states says so of the row that is spoken of."""
    table, words = scene.table, scene.page.words[scene.line.first : scene.line.last]
    if table is None or state_words().isdisjoint(words):
        return
    status = [column for column in table.columns if _STATUS & column_roots(column)]
    for part in scene.clauses if len(status) == 1 else ():
        if not part.has("negated", "only", "all"):
            yield from _state_holds(part, table, status[0])


def _state_holds(scene: Scene, table: Table, status: str) -> Iterator[CheckedStatement]:
    page = scene.page
    rows = {row for _one, row in scene.subjects(table)} or ({0} if len(table.rows) == 1 else set())
    named = {at for one in scene.names for at in range(one.first, one.last + 1)}
    for at in range(scene.line.first, scene.line.last) if len(rows) == 1 else ():
        form = (page.words[at],)
        if at in named or form[0] not in state_words() or not _IS.search(page.tokens.before(at, 24)):
            continue
        cell = table.rows[next(iter(rows))][status]
        known = other_states(str(cell)) if cell is not None else frozenset()
        span = (page.tokens.starts[at], page.tokens.ends[at])
        yield CheckedStatement("contradicted" if form in known else "not_checkable", span, "other_row")


def _groups(names: Sequence[NameMention], scene: Scene, table: Table) -> Iterator[list[_TextPart]]:
    group: list[_TextPart] = []
    for at, mention in enumerate(names[:_MOST_GROUPS]):
        columns = frozenset(ref.column for ref in scene.refs(mention, table))
        before = names[at - 1] if at else None
        end = _ENDS.search(scene.page.text, before.end, mention.start) if before is not None else None
        taken_up = _TAKES_UP.match(scene.page.text, end.end()) if end is not None else None
        # A name before the pronoun is what it stands for: ...; im Kronenhof ging sie zurück.
        ended = end is not None and (taken_up is None or mention.start < taken_up.end())
        if ended or (group and before is not None and _speaks_of_another(scene, table, group, mention)):
            yield group
            group = []
        same = next((part for part in group if part.columns & columns), None)
        if same is None and before is not None and _begins_next(group, before, names[at:], scene, table):
            yield group
            group = []
        if same is None:
            group.append(_TextPart(columns, [mention]))
        elif (
            same is group[-1]
            and _is_joined(same.mentions[-1], mention, scene)
            and not _starts_next(group, names[at:], scene, table)
        ):
            same.mentions.append(mention)
        else:
            yield group
            group = [_TextPart(columns, [mention])]
    yield group


_FOLLOWED = re.compile(rf"{FOLLOWED}(?: the| der| dem)?\s*$|其次是$")


def _speaks_of_another(scene: Scene, table: Table, group: Sequence[_TextPart], mention: NameMention) -> bool:
    """Whether a part of the sentence names a row where the part before spoke of several: both cold dishes fell, A rose."""
    before = group[-1].mentions[-1]
    between = scene.page.text[before.end : mention.start]
    if _FOLLOWED.search(fold(between).text):
        return True
    if _PARTING.isdisjoint(between) or not scene.is_key(mention, table):
        return False
    if any(scene.is_key(one, table) for parts in group for one in parts.mentions):
        return False
    part = next((one for one in scene.clauses if one.line.start <= before.start < one.line.end), scene)
    own = next((one for one in scene.clauses if one.line.start <= mention.start < one.line.end), scene)
    if own.has("only") and part is not own:
        return True  # Three are done, only the garden is open.
    says = own.has("up", "down", "unchanged") or bool(own.figures) or bool(own.degrees("superlative"))
    several = part.has("all") or any(one.figure.readings and one.figure.readings[0] > 1 for one in part.every_figure)
    return mention.start >= part.line.end and says and several


def _is_joined(one: NameMention, other: NameMention, scene: Scene) -> bool:
    return _JOINED.fullmatch(scene.page.text, one.end, other.start) is not None


def _starts_next(group: Sequence[_TextPart], names: Sequence[NameMention], scene: Scene, table: Table) -> bool:
    """Whether the first of these names belongs to what follows: `Zurich is led by Nadia and [Marco] leads Basel`."""
    if len(group) < 2 or len(names) < 2:
        return False
    if any(sign in _PARTING for sign in scene.page.text[names[0].end : names[1].start]):
        return False
    nxt = frozenset(ref.column for ref in scene.refs(names[1], table))
    return any(part.columns & nxt for part in group[:-1])


_AND_SO_MUCH = re.compile(
    r"\s*(?:,|and|und|sowie|和|、)\s*(?:[^\W\d_]+\s)?[0-9][^\s]*\s*[^\W\d_]{0,8}\s*", re.IGNORECASE
)


_OF_NEXT = re.compile(
    r"\s+[^\W\d_]+\s+(?:of|from|at|in|von|vom|der|des|aus|bei)\s+(?:(?:the|der|die|das|dem)\s+)?", re.IGNORECASE
)


def _begins_next(
    group: Sequence[_TextPart], before: NameMention, names: Sequence[NameMention], scene: Scene, table: Table
) -> bool:
    """Whether the first of these names, behind a figure of its own, belongs to the next one: 30 t of Kowal and 39 t [aluminium] of Brevanti."""
    if len(names) < 2:
        return False
    following = frozenset(ref.column for ref in scene.refs(names[1], table))
    if not any(part.columns & following for part in group):
        return False
    text = scene.page.text
    if _AND_SO_MUCH.fullmatch(text, before.end, names[0].start):
        return True
    # A, B and the [Riverside] copy of C.
    rows, led = scene.rows(names[0], table), _OF_NEXT.fullmatch(text, names[0].end, names[1].start) is not None
    joined = led and _JOINED.fullmatch(text, before.end, names[0].start) is not None
    return joined and not rows & scene.rows(before, table) and bool(rows & scene.rows(names[1], table))


def _judged(group: Sequence[_TextPart], scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """What a group says, as statements: one for each pair that does not stand together, or one for the whole."""
    if len(group) < 2:
        return
    wrong = False
    for at, part in enumerate(group[1:], 1):
        for mention in part.mentions:
            for other in _partners(group, at, mention):
                if not _ties(mention, other, scene, table):
                    continue
                negated = (
                    _is_negated(mention, scene) or _NO.search(scene.page.tokens.before(other.first, 8)) is not None
                )
                together = bool(scene.rows(mention, table) & scene.rows(other, table))
                if not together and not negated and _is_of_other_before(mention, other, scene, table):
                    continue
                if together == negated and not (negated and len(scene.rows(other, table)) != 1):
                    wrong = True
                    yield CheckedStatement(
                        "contradicted", (mention.start, mention.end), "other_row", says=_says(other, part, scene, table)
                    )
                    break
    if not wrong:
        ends = [mention for part in group for mention in part.mentions]
        yield CheckedStatement("supported", (ends[0].start, ends[-1].end), "row")


def _is_of_other_before(mention: NameMention, other: NameMention, scene: Scene, table: Table) -> bool:
    """Whether a colon stands between two names, and the second belongs to one of the first's kind before it: A, behind B: its winner."""
    if not any(sign in scene.page.text[other.end : mention.start] for sign in ":："):
        return False
    own = {ref.column for ref in scene.refs(other, table)}
    before = (one for one in scene.names if one.end <= other.start)
    return any(
        scene.rows(one, table) & scene.rows(mention, table)
        for one in before
        if own & {ref.column for ref in scene.refs(one, table)}
    )


def _ties(mention: NameMention, other: NameMention, scene: Scene, table: Table) -> bool:
    """Whether two names say that they are of one row: not two names of rows that a sentence brings together (A beat B)."""
    both = all(any(table.is_naming(ref.column) for ref in scene.refs(one, table)) for one in (mention, other))
    if not both:
        return True
    coded = any(ref.column in table.coded for one in (mention, other) for ref in scene.refs(one, table))
    first, second = sorted((other, mention), key=lambda one: one.start)
    between = scene.page.text[first.end : second.start].strip()
    return coded or between in _TIED


def _partners(group: Sequence[_TextPart], at: int, mention: NameMention) -> Iterator[NameMention]:
    """The names of the group that a name must stand beside: by place, where two lists are as long as each other."""
    part = group[at]
    for other in group[:at]:
        size = len(part.mentions)
        if size > 1 and len(other.mentions) == size:
            yield other.mentions[part.mentions.index(mention)]
        else:
            yield from other.mentions


_NO = re.compile(r"(?<![a-z])(?:no|kein(?:e[rnms]?)?)\s*$|(?:没有|无)$")


def _is_negated(mention: NameMention, scene: Scene) -> bool:
    if not may_negate(scene.page.words[max(scene.line.first, mention.first - _REACH) : mention.first]):
        return False
    start = max(scene.line.start, mention.start - _REACH)
    before = fold(scene.page.text[start : mention.start]).text
    found = [*cue("negated").finditer(before), *_NEITHER.finditer(before)]
    return bool(found) and not any(sign in before[found[-1].end() :] for sign in ",;，；:")


_NEITHER = re.compile(r"(?<![a-z])(?:weder|neither)(?![a-z])|既没有?|既无")


def _is_what_it_is_not(mention: NameMention, scene: Scene) -> bool:
    """Whether a value says what the rows that follow are not: 不是绿茶的目的地."""
    return scene.page.text[mention.end : mention.end + 1] == "的" and _is_negated(mention, scene)


_NONE_OF = re.compile(
    r"(?<![a-z])(?:neither|none|keine[rs]?) (?:of|von|der|dieser)(?![a-z])[^,;:]*|(?:没有一|无一)[^，；：]*"
)


def _is_of_none(mention: NameMention, scene: Scene) -> bool:
    """Whether a value is what none of some rows is: none of the sites that Okafor visited [passed]."""
    found = _NONE_OF.search(scene.folded) if scene.says("none") is not None else None
    if found is None:
        return False
    start, end = scene.original(*found.span())
    denied = [one for one in scene.names if start <= one.start < end]
    return mention in (denied[1:] or denied)


_IN_PART = re.compile(
    r"(?<![a-z])(?:zur haelfte|teilweise|zum teil|zu einem (?:drittel|viertel)|half|partly|partially|in part)(?: [a-z]+)?\s*$|[一]半|部分$"
)


def _is_in_part(mention: NameMention, scene: Scene) -> bool:
    """Whether a state is said in part only: zur Hälfte beglichen."""
    return _IN_PART.search(scene.page.tokens.before(mention.first, _REACH)) is not None


def _says(other: NameMention, part: _TextPart, scene: Scene, table: Table) -> str:
    """What the column says in the row of the other name, where that is one value."""
    values = {
        str(table.rows[row][column])
        for row in scene.rows(other, table)
        for column in part.columns
        if table.rows[row][column] is not None
    }
    return next(iter(values)) if len(values) == 1 and len(part.columns) == 1 else ""


def _bare_months_hold(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`It becomes free in February`, without a year: a day of the row is in such a month; also of the row of the sentence before."""
    page, line = scene.page, scene.line
    for at in range(line.first + 1, line.last):
        if page.words[at] not in MONTHS or page.words[at - 1] not in _IN_MONTH:
            continue
        named = any(one.first <= at <= one.last for one in (*scene.columns, *scene.names))
        if named or (at + 1 < line.last and page.words[at + 1].isdecimal()):
            continue
        rows = {row for _one, row in scene.subjects(table)} or row_taken_up(scene, table)
        if len(rows) != 1:
            continue
        row, span = next(iter(rows)), (page.tokens.starts[at], page.tokens.ends[at])
        days = [day for column in table.days.values() for day, of in column.items() if row in of]
        if any(day.month == MONTHS[page.words[at]] for day in days):
            yield CheckedStatement("supported", span, "row")
        elif days:
            yield CheckedStatement("contradicted" if len(table.days) == 1 else "not_checkable", span, "other_row")


_IN_MONTH = frozenset({"in", "im", "ab", "since", "seit", "until", "bis", "from"})
_ZH_MONTH = re.compile(r"(?<![0-9年])(?P<month>1[0-2]|[1-9])月(?![0-9份])")


def _month_of_all(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    """`5月共有四笔订单`, where all days of the results are of that month."""
    found = _ZH_MONTH.search(scene.text)
    if found is None or len(table.days) != 1 or scene.subjects(table):
        return
    months = {day.month for days in table.days.values() for day in days}
    if months == {int(found["month"])}:
        start, end = scene.line.start + found.start(), scene.line.start + found.end()
        yield CheckedStatement("supported", (start, end), "row", settles=frozenset({start}))


def months_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Inspected in November 2024`: a day of the row that is named is in that month."""
    table, words = scene.table, scene.page.words[scene.line.first : scene.line.last]
    if table is None or not table.days or any(column in table.result.key for column in table.days):
        return
    yield from _bare_months_hold(scene, table)
    yield from _month_of_all(scene, table)
    for first, last, period in spelt_periods(words):
        if len(period) < len("2024-11"):
            continue
        start, end = scene.page.tokens.starts[scene.line.first + first], scene.page.tokens.ends[scene.line.first + last]
        part = next((one for one in scene.clauses if one.line.start <= start < one.line.end), scene)
        rows = {row for _mention, row in part.subjects(table)} or {row for _mention, row in scene.subjects(table)}
        named = any(one.start <= start and end <= one.end and one.names for one in scene.names)
        if len(rows) != 1 or named or _is_day(scene, start, end):
            continue  # The bill of July 2024 may be due in August.
        row = next(iter(rows))
        days = [day for column in table.days.values() for day, of in column.items() if row in of]
        if any(day.isoformat().startswith(period) for day in days):
            said = (one.figure.start for one in scene.figures if start <= one.figure.start < end)
            yield CheckedStatement("supported", (start, end), "row", settles=frozenset(said))
        elif days:
            yield CheckedStatement("contradicted", (start, end), "other_row")


def _is_day(scene: Scene, start: int, end: int) -> bool:
    """Whether a month is a part of a day, which is compared as such: 5 November 2024."""
    return any(one.dates and one.start <= end and start <= one.end for one in scene.page.text_figures.all)


_ORIGINS = listed("from origin start von ab departure abfahrtsort startort 起点 出发地 始发站")
_TARGETS = listed("to destination end nach ziel zielort arrival 终点 目的地 终点站")
_FROM = re.compile(r"(?<![a-z])(?:from|von|ab)\s*$|从$|自$")
_TO = re.compile(r"(?<![a-z])(?:to|nach|(?:lands?|landing|arriv\w+) (?:in|at)|landet in)\s*$|[到至抵]$|抵达$|飞往$")
_ARRIVES = re.compile(r"(?<![a-z])(?:lands?|landing|arriv\w+|landet)(?![a-z])|抵达|飞往")


def ways_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`From Oslo to Porto`: what stands behind from is where the row begins, what stands behind to is where it ends."""
    both = len(scene.names) > 1 and any(_FROM.search(scene.page.tokens.before(one.first, 20)) for one in scene.names)
    for table in scene.page.tables if both or (scene.names and _ARRIVES.search(scene.folded)) else ():
        ends = [
            next((column for column in table.texts if column.rpartition(".")[2].lower() in words), None)
            for words in (_ORIGINS, _TARGETS)
        ]
        rows = {row for _mention, row in scene.subjects(table)} if len(table.rows) > 1 else {0}
        if None in ends or len(rows) != 1:
            continue
        for one in scene.names:
            before = scene.page.tokens.before(one.first, 20)
            for column, other, led in ((ends[0], ends[1], _FROM), (ends[1], ends[0], _TO)):
                cells = {ref.value for ref in scene.refs(one, table) if ref.column in ends}
                own = str(table.rows[next(iter(rows))][str(column)])
                wrong = cells and own not in cells and str(table.rows[next(iter(rows))][str(other)]) in cells
                if led.search(before) and wrong:
                    yield CheckedStatement("contradicted", (one.start, one.end), "other_row", says=own)
