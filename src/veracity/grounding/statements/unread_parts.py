"""Parts of a sentence that no check and no figure accounts for: who supports a sentence has read all of it.

A sentence of several parts is supported only if each of them was: an invented fact beside a right figure is no smaller lie for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.figure_meaning import table_says
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.statements.cell_values import column_roots, values_of
from veracity.grounding.statements.cues import NUMBER_WORDS
from veracity.grounding.statements.scene import CheckedStatement, Scene
from veracity.grounding.statements.understood import UnderstoodWords
from veracity.language.folding import listed
from veracity.language.stem import noun_root

_MOVED = ("up", "down", "unchanged")
_IN_ORDER = re.compile(
    r"(?<![a-z])(?:the|our|their|its|der|die|das|den|dem) (?:very )?(?:first|next|last|latest|second|third|erste[nr]?|naechste[nr]?|letzte[nr]?|zweite[nr]?|dritte[nr]?) "
    r"(?!(?:quarter|half|year|month|week|day|season|quartal|halbjahr|jahr|monat|woche|tag|[a-z]+ (?:quarters|months|years|weeks|days|quartale|monate|jahre|wochen|tage))\w{0,2}(?![a-z]))[a-z]+"
)
"""The first service, der letzte Termin: a rank, unless it is a time."""
_RANKED = frozenset({"superlative", "rank", "range", "count", "all", "only", "row", "trend", "change"})


def has_unread_part(scene: Scene, words: UnderstoodWords, done: Sequence[CheckedStatement]) -> bool:
    """Whether a part of a sentence claims something that nothing has verified."""
    parts = scene.clauses
    if len(parts) < 2 or not (scene.names or scene.columns or done):
        return False
    whole = [one for one in done if one.span == scene.span]
    open_ = [part for part in parts if not _is_verified(part, scene, done)]
    claims = [part for part in open_ if _claims(part)]
    if len(claims) > len(whole):
        return True
    return not whole and any(_says_something(part, words) or _is_contrast(part) for part in open_)


_BUT = re.compile(r"(?<![a-z])(?:but|while|whereas|aber|während|hingegen|dagegen)\s*$|而$", re.IGNORECASE)


def _is_contrast(part: Scene) -> bool:
    """Whether a part says something else of a row that it names: has returned A, but still holds B."""
    table = part.table
    before = part.page.text[max(0, part.line.start - 12) : part.line.start]
    return table is not None and _BUT.search(before) is not None and any(part.is_key(one, table) for one in part.names)


def _is_verified(part: Scene, scene: Scene, done: Sequence[CheckedStatement]) -> bool:
    """Whether a part has a figure, or a statement is made in it."""
    start, end = part.line.start, part.line.end
    if part.figures or any(one.figure.start in _settled(done) for one in part.every_figure):
        return True  # Whether that is right, the figures themselves are asked.
    return any(start < one.span[1] and one.span[0] < end for one in done if one.span != scene.span)


def _settled(done: Sequence[CheckedStatement]) -> frozenset[int]:
    return frozenset(start for one in done if one.truth == "supported" for start in one.settles)


def _claims(part: Scene) -> bool:
    """Whether a part relates something: a comparison, a superlative, a change."""
    return bool(part.degrees("superlative") or part.degrees("comparative") or part.compared_so()) or part.has(*_MOVED)


def _says_something(part: Scene, words: UnderstoodWords) -> bool:
    """Whether a part has words that nothing understands, or relates something."""
    return _claims(part) or words.unread(part.line.start, part.line.end) > 0


def says_only_how_many(scene: Scene, words: UnderstoodWords, done: Sequence[CheckedStatement]) -> bool:
    """Whether nothing was held against a cell but how many rows are named, and a word that nothing understands says of what: two had gone over it."""
    told = [scene.bound[one.figure.start].provenance for one in scene.figures if scene.is_bound(one)]
    counts = [one for one in told if one.kind == "derived" and (one.expression or "count").startswith("count")]
    cells = [one for one in told if one.kind == "cell" and any(arg.row_key for arg in one.args)]
    return bool(counts and scene.names) and not (cells or done) and words.unread(scene.line.start, scene.line.end) > 0


_SO_MANY_OF = re.compile(
    rf"(?<![a-z0-9])(?:{NUMBER_WORDS}|[0-9]{{1,3}}) (?:of (?:the|our|these|his|her|its|their) |der |seiner |ihrer |von (?:den|seinen|ihren) )(?:{NUMBER_WORDS}|[0-9]{{1,3}})(?![a-z0-9])"
)
_COUNTED = frozenset({"count", "share", "all", "none", "only"})


def counts_unread(scene: Scene, words: UnderstoodWords, done: Sequence[CheckedStatement]) -> bool:
    """Whether so many of all rows are said to be something that nothing verified: three of the eight have a negative balance."""
    told = (scene.bound[one.figure.start].provenance for one in scene.figures if scene.is_bound(one))
    unread = words.unread(scene.line.start, scene.line.end) > 0 and all(one.kind != "cell" for one in told)
    return unread and _SO_MANY_OF.search(scene.folded) is not None and _COUNTED.isdisjoint(one.key for one in done)


def holds_of_some_only(scene: Scene) -> bool:
    """Whether a bound was held against one of several rows that are named, and another does not keep it: over 90 % have A and B."""
    table = scene.table
    for part in scene.clauses if table is not None else ():
        assert table is not None
        rows = {row for _one, row in part.subjects(table) or scene.subjects(table)}
        for one in part.figures if len(rows) > 1 else ():
            told = scene.bound[one.figure.start].provenance if scene.is_bound(one) and one.meaning.compares else None
            columns = {arg.column for arg in told.args} if told is not None and told.kind == "cell" else set()
            if any(
                not table_says(table, row, column, one.meaning)
                for column in columns & set(table.figures)
                for row in rows
            ):
                return True
    return False


def is_ranked_by_unread(scene: Scene, words: UnderstoodWords, done: Sequence[CheckedStatement]) -> bool:
    """Whether a row is the highest by what no word for a column says, but a word that nothing understands: longest without a patch."""
    table = scene.table
    if table is None or not any(one.key == "superlative" and one.truth == "supported" for one in done):
        return False
    parts = (part for part in scene.clauses if part.degrees("superlative"))
    return any(
        not part.measured(table) and words.unread(part.line.start, part.line.end) > 0 and not part.figures
        for part in parts
    )


_BOTH = re.compile(r"(?<![a-z])(?:both|beiden?|beider)(?![a-z])|两[个家位名者]?都|均")
_OF_BOTH = frozenset(
    {"all", "none", "not_all", "count", "total", "reckoning", "trend", "change", "comparison", "superlative"}
)


def says_both(scene: Scene, done: Sequence[CheckedStatement]) -> bool:
    """Whether something is said of both of two rows that are not named, and nothing was verified of them: both of her roles are filled."""
    table = scene.table
    for part in scene.clauses if table is not None and _OF_BOTH.isdisjoint(one.key for one in done) else ():
        assert table is not None
        single = {row for one in part.names if len(rows := part.rows(one, table)) == 1 for row in rows}
        if _BOTH.search(part.folded) is not None and len(single) < 2 and not any(map(scene.is_bound, part.figures)):
            return True
    return False


def is_end_of_other_row(scene: Scene) -> bool:
    """Whether a figure is the most or the least of a column, and not that of the only row that is named: A has the most, 78."""
    table = scene.table
    rows = {row for _one, row in scene.subjects(table)} if table is not None else set()
    for one in scene.figures if table is not None and len(rows) == 1 else ():
        assert table is not None
        told = scene.bound[one.figure.start].provenance if scene.is_bound(one) else None
        columns = {arg.column for arg in told.args} if told is not None and told.kind == "derived" else set()
        if len(columns) != 1 or not scene.degrees("superlative"):
            continue
        column, row = columns.pop(), next(iter(rows))
        having = [
            at
            for at in range(len(table.rows))
            if column in table.columns and table_says(table, at, column, one.meaning)
        ]
        if having and row not in having:
            return True
    return False


def says_place(scene: Scene, done: Sequence[CheckedStatement]) -> bool:
    """Whether a place in an order is said, and nothing was ranked: the first service coming up is that of PR-02."""
    if not _RANKED.isdisjoint(one.key for one in done):
        return False
    spans = (scene.original(found.start(), found.end()) for found in _IN_ORDER.finditer(scene.folded))
    return any(
        not any(start < one.end and one.start < end and _is_several_words(one) for one in scene.columns)
        for start, end in spans
    )


def _is_several_words(one: NameMention) -> bool:
    """Whether a column is said in several words, in which `last` is a part of its name: the last service."""
    return one.last > one.first


_BY = re.compile(r"(?<![a-z])(?:by|um)(?: (?:just|only|about|around|roughly|nur|rund|etwa|knapp|gut))*\s*$")


def cells_as_distances(scene: Scene) -> Iterator[CheckedStatement]:
    """Figures that say by how much something differs, and were taken for a cell: A beat B by 1,534 votes."""
    for one in scene.figures:
        told = scene.bound[one.figure.start].provenance if scene.is_bound(one) else None
        by = _BY.search(scene.page.tokens.before(one.first, 24)) is not None or is_apart(scene, one)
        if not by or told is None or told.kind != "cell" or any(_tells_change(arg.column) for arg in told.args):
            continue
        # Delayed by 35 minutes is a cell all the same, paid by 5 May is not.
        beside = (each for each in scene.columns if 0 < one.first - each.last <= _BESIDE and not one.figure.dates)
        if not any(ref.column == arg.column for each in beside for ref in each.columns for arg in told.args):
            yield CheckedStatement("not_checkable", (one.figure.start, one.figure.end), "unread")


_BESIDE = 2
_UNIT_BETWEEN = re.compile(r"\s*(?:%|[^\W\d_]{1,12}\.?)?\s*")


def is_apart(scene: Scene, said: SaidFigure) -> bool:
    """Whether a comparative stands right behind a figure, or in Chinese before it: 530 metres longer than B, 贵4元."""
    places = [scene.original(one.start, one.stop) for one in scene.degrees("comparative")]
    if any(end == said.figure.start and not scene.page.text[end - 1].isascii() for _start, end in places):
        return True
    return any(
        said.figure.end <= start
        and _UNIT_BETWEEN.fullmatch(scene.page.text, said.figure.end, start)
        and _THAN_BEHIND.match(scene.page.text, end)
        for start, end in places
    )


_THAN_BEHIND = re.compile(r"\s+(?:than|als)\s")


_CHANGES = frozenset(
    map(
        noun_root,
        listed(
            "change changes growth difference delta increase decrease margin gap lead veränderung zuwachs differenz vorsprung rückstand wachstum 变化 增减 增长 差"
        ),
    )
)


def _tells_change(column: str) -> bool:
    return not _CHANGES.isdisjoint(column_roots(column))


RANKS = frozenset({"superlative", "rank", "range"})
"""What is stated of the most and the least."""


def is_second_superlative_unread(scene: Scene, done: Sequence[CheckedStatement]) -> bool:
    """Whether several parts call something the most or the least, and fewer of them were read: lowest in A with 27, highest in B with 40."""
    told = [part for part in scene.clauses if part.degrees("superlative") and part.names]
    read = [one for one in done if one.key in RANKS]
    return len(told) > 1 and bool(read) and len(read) < len(told) and all(one.key != "range" for one in read)


def is_highest_elsewhere(scene: Scene, done: Sequence[CheckedStatement]) -> bool:
    """Whether something is the best in one column, but the figure beside it is of another, in which it is neither the most nor the least."""
    table = scene.table
    found = [one for one in done if one.key == "superlative" and one.truth == "supported"]
    if table is None or len(found) != 1 or len(scene.degrees("superlative")) != 1 or len(scene.figures) != 1:
        return False
    rows = {row for _one, row in scene.subjects(table)}
    said = scene.figures[0]
    told = scene.bound[said.figure.start].provenance if scene.is_bound(said) else None
    if told is None or told.kind != "cell" or len(rows) != 1 or len(told.args) != 1 or scene.has("rank"):
        return False
    column = told.args[0].column
    values = values_of(table, column) if column in table.figures else {}
    own = values.get(next(iter(rows)))
    groups = [scene.rows(one, table) for one in scene.names if len(scene.rows(one, table)) > 1]
    ends = [
        (min(part), max(part))
        for among in (set(values), *groups)
        if (part := [values[at] for at in among if at in values])
    ]
    return own is not None and not any(own in end for end in ends)


_ON_TIME = re.compile(
    r"(?<![a-z])(?:on time|on schedule|puenktlich|rechtzeitig|termingerecht|fristgerecht)(?![a-z])|准时|按时|如期"
)


def is_on_time_unread(scene: Scene, done: Sequence[CheckedStatement]) -> bool:
    """Whether something is said to be on time which no word of the data says, and no two days were compared."""
    found = _ON_TIME.search(scene.folded)
    if found is None or any(one.key == "comparison" for one in done):
        return False
    start = scene.original(*found.span())[0]
    return not any(one.start <= start < one.end for one in (*scene.names, *scene.columns))


_LEFT_OUT = re.compile(
    r"(?<![a-z])(?:leaving out|excluding|except(?: for)?|apart from|not counting|without|ausser|ohne|abgesehen von|ausgenommen)(?: (?:the|der|die|das|den|dem))? |不含|不计|扣除|除了?"
)


def leaves_out_unread(scene: Scene, words: UnderstoodWords) -> bool:
    """Whether rows are left out that nothing names: leaving out the cancelled booking."""
    found = _LEFT_OUT.search(scene.folded)
    if found is None or any(one.excluded for one in scene.names):
        return False
    at = scene.page.tokens.at(scene.original(found.start(), found.end())[1])
    named = any(one.first <= at <= one.last for one in (*scene.names, *scene.columns))
    return not named or at in words.strange_words
