"""The rows and columns that a figure belongs to, by the words around it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from veracity.grounding.binding.answer_page import AnswerPage, SaidFigure
from veracity.grounding.binding.cue_words import (
    FUNCTION,
    OBLIQUE,
    OWNED,
    PLACING,
    PRONOUNS,
    RELATIVES,
    SUBJECTS,
    THROUGH,
)
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.results_index import ColumnRef, NameRef, Table
from veracity.language.folding import listed

_OF = listed("of von was is are were betrug betraegt war waren 为 是")
_CHAINED = listed("and und to through thru until bis sowie or oder the 和 与 至 到 及")
_COUNTERS = frozenset("个名位家条件项笔次种人份张只台辆本部所间组箱瓶袋")
_QUANTITIES = listed("quantity qty menge anzahl stueck count 数 量")
_WHERE = listed("where wo")
_DASHES = ("-", "–", "—")

Refs = tuple[ColumnRef, ...]


class NamedColumns(NamedTuple):
    """The columns that a figure may belong to."""

    refs: Refs = ()
    own: bool = False
    """Said of this very figure, not taken over from the one before it."""
    each: bool = False
    """The figure is said of every one of them: open until 10 on Monday and Tuesday."""
    weak: bool = False
    """Taken over from a figure that is counted in its own noun: 187 reviews, rated 4.5."""
    stranger: bool = False
    """Right behind it stands a noun that is none of ours."""

    def of(self, table: Table) -> list[ColumnRef]:
        """Those of one table."""
        return [ref for ref in self.refs if ref.table == table.number]


def columns_of(said: SaidFigure, page: AnswerPage) -> NamedColumns:
    """The columns that the words around a figure say."""
    near = _columns_near(said, page)
    if said.figure.kind == "time" and (days := _days_of(said, near, page)):
        return NamedColumns(days, own=True, each=len(days) > 1)
    nouns = page.measured(page.nouns(said.figure), said.figure)
    if _is_no_day(said):
        nouns = tuple(ref for ref in nouns if ref.column not in page.tables[ref.table].days)
    aligned = page.aligned(said, near)
    own = (
        _column_of_heading(said, page)
        or (page.measured(aligned.columns) if aligned is not None else ())
        or _own_columns(said, near, nouns, page)
    )
    stranger = not nouns and page.has_strange_noun(said)
    own = own or _columns_of_unit(said, page) or _columns_of_quantity(said, page)
    if own and len(own) > 1:
        own = _of_qualifier(_of_year(own, said, page), said, page)
    if own:
        each = len(own) > 1 and not nouns and own == _columns_led_to(page.run_of(said)[1], near, page)
        return NamedColumns(own, own=True, stranger=stranger, each=each)
    return NamedColumns(stranger=True) if stranger else _columns_taken_over(said, near, page)


def _columns_of_unit(said: SaidFigure, page: AnswerPage) -> Refs:
    """The columns that are measured in the unit beside a figure; money is measured by many."""
    unit = said.meaning.unit
    if unit is None or unit.is_currency:
        return ()
    return tuple(
        ColumnRef(table.number, column)
        for table in page.tables
        for column in table.of_dimension.get(unit.dimension, ())
        if column in table.measures
    )


def _columns_of_quantity(said: SaidFigure, page: AnswerPage) -> Refs:
    """The column of quantities, where a value of a row stands right behind a figure: 2 air purifiers, 2台空气净化器."""
    at = page.tokens.at(said.figure.end)
    at += at < len(page.words) and page.words[at] in _COUNTERS
    name = next(iter(page.names.among(at, at + 1)), None)
    tables = {ref.table for ref in name.names if ref.column not in page.tables[ref.table].naming} if name else set()
    return tuple(
        ColumnRef(number, column)
        for number in tables
        for column in page.tables[number].figures
        if not page.index.qualifiers(number, column).isdisjoint(_QUANTITIES)
    )


def _of_year(refs: Refs, said: SaidFigure, page: AnswerPage) -> Refs:
    """Of columns that measure the same at several times, those of the time that is said nearest."""
    years = page.index.of_period
    if not years or not all(ref in years for ref in refs):
        return refs
    near = sorted(page.near(said, page.measures), key=lambda mention: abs(mention.first - said.first))
    for mention in near:
        columns = {(ref.table, ref.column) for ref in mention.columns}
        same = tuple(ref for ref in refs if (ref.table, ref.column) in columns)
        if same and page.is_period(mention):
            return same
    return refs


def _of_qualifier(refs: Refs, said: SaidFigure, page: AnswerPage) -> Refs:
    """Of columns that share a word, those that another word of this part of the sentence tells: zuletzt of Letzte Wartung."""
    if len(refs) < 2 or len({ref.table for ref in refs}) > 1:
        return refs
    roots = {ref: page.index.qualifiers(ref.table, ref.column) for ref in refs}
    common = frozenset.intersection(*roots.values())
    around = _part_around(said, page)
    told = tuple(ref for ref in refs if (roots[ref] - common) & around)
    return told if len({ref.column for ref in told}) == 1 else refs


def _part_around(said: SaidFigure, page: AnswerPage) -> frozenset[str]:
    """The words of the part of the sentence that a figure stands in, up to the figures beside it, without endings."""
    before, behind = page.previous(said), page.following(said)
    first, last = said.first, said.last
    while first > 0 and page.segments[first - 1] == page.segment(said) and (before is None or first - 1 > before.last):
        first -= 1
    while (
        last + 1 < len(page.words)
        and page.segments[last + 1] == page.segment(said)
        and (behind is None or last + 1 < behind.first)
    ):
        last += 1
    return frozenset(page.tokens.roots[first : said.first] + page.tokens.roots[said.last + 1 : last + 1])


def columns_of_pair(one: SaidFigure, other: SaidFigure, page: AnswerPage) -> list[Refs]:
    """The columns that the words around a pair may say: its noun, or what stands behind it, or what stands before it."""
    near = _columns_near(other, page)
    sure = _column_of_heading(other, page) or page.measured(page.nouns(other.figure))
    closed = page.text[other.figure.end : other.figure.end + 2].strip()[:1] in (")", "）")
    if sure or closed:
        # What stands outside the brackets does not say what is in them.
        return [sure] if sure else []
    return [refs for refs in (_column_behind(other, near, page), _column_before(one, near, page)) if refs]


def _columns_near(said: SaidFigure, page: AnswerPage) -> Sequence[NameMention]:
    """The words for columns around a figure that may hold such a figure."""
    near = page.near(said, page.measures)
    if said.figure.kind not in ("date", "time") and not _is_no_day(said):
        return near
    if _is_no_day(said):
        return [mention for mention in near if not page.are_days(mention)]
    return [mention for mention in near if page.measured(mention.columns, said.figure)]


def _is_no_day(said: SaidFigure) -> bool:
    """Whether a number cannot be a part of a day: it has a unit or decimals."""
    figure = said.figure
    return figure.kind == "number" and (said.meaning.unit is not None or figure.percent or bool(figure.decimals[0]))


def _column_of_heading(said: SaidFigure, page: AnswerPage) -> Refs:
    """The column that the heading of a table says."""
    cell = page.heading(said)
    found = page.columns.within(*cell) if cell is not None else []
    return page.measured((ref for mention in found for ref in mention.columns), said.figure)


def _own_columns(said: SaidFigure, near: Sequence[NameMention], nouns: Refs, page: AnswerPage) -> Refs:
    """What is said of this very figure."""
    led = _columns_led_to(said, near, page)
    if nouns or led:
        return (*nouns, *led)
    if taken_up := _column_taken_up(said, near, page):
        return taken_up
    last = page.run_of(said)[1]
    if last is not said:
        shared = page.measured(page.nouns(last.figure)) or _columns_led_to(last, near, page)
        if shared:
            return shared
    return _column_before(said, near, page) or _column_behind(said, near, page)


def _column_taken_up(said: SaidFigure, near: Sequence[NameMention], page: AnswerPage) -> Refs:
    """The column that a relative word takes up: weak from long range, where they made 28 percent."""
    first = bisect_left(page.segments, page.segment(said))
    if page.words[first] not in _WHERE:
        return ()
    mention = next((one for one in reversed(near) if one.last == first - 1), None)
    return page.measured(mention.columns) if mention is not None else ()


# --- what a preposition leads to


def _columns_led_to(said: SaidFigure, near: Sequence[NameMention], page: AnswerPage) -> Refs:
    """The column that a preposition behind a figure leads to: 5 in 2019, 8 am on Monday."""
    following = page.following(said)
    for at, mention in enumerate(near):
        if mention.first > said.last:
            between = following is not None and following.first < mention.first
            if between or not _leads_to(said, mention, page) or _belongs_to_next(mention, following, page):
                return ()
            return _columns_in_one_go(near[at:], page)
    return ()


def _leads_to(said: SaidFigure, mention: NameMention, page: AnswerPage) -> bool:
    words = page.words[said.last + 1 : mention.first]
    same = page.segment(said) == page.segment(mention)
    return same and not PLACING.isdisjoint(words) and page.is_led(said.last + 1, mention.first)


def _belongs_to_next(mention: NameMention, following: SaidFigure | None, page: AnswerPage) -> bool:
    """Whether a word for a column belongs to the figure behind it: with costs of 800."""
    if following is None:
        return False
    words = page.words[mention.last + 1 : following.first]
    return len(words) <= 2 and all(word in _OF for word in words)


def _columns_in_one_go(near: Sequence[NameMention], page: AnswerPage) -> Refs:
    """The columns that are said in one go: Monday and Tuesday, Monday to Friday."""
    refs = page.measured(near[0].columns)
    for one, other in pairwise(near):
        words = page.words[one.last + 1 : other.first]
        dashed = not words and page.text[one.end : other.start].strip() in _DASHES
        chained = dashed or (bool(words) and all(word in _CHAINED for word in words))
        if not chained or len({ref.table for ref in refs}) != 1:
            break
        table = refs[0].table
        more = [ref for ref in page.measured(other.columns) if ref.table == table]
        if more and (dashed or not THROUGH.isdisjoint(words)):
            columns = list(page.tables[table].columns)
            first, last = columns.index(refs[-1].column), columns.index(more[0].column)
            more = [ColumnRef(table, column) for column in columns[first + 1 : last + 1]]
        refs = tuple(dict.fromkeys((*refs, *page.measured(more))))
    return refs


def _days_of(said: SaidFigure, near: Sequence[NameMention], page: AnswerPage) -> Refs:
    """The days that a time is said of, all of them: 8 am to 10 pm, Monday through Saturday."""
    here = page.segment(said)
    before, behind = page.around_run(said, near)
    for days in (before, behind):
        if any(page.segment(mention) == here for mention in days):
            return _columns_in_one_go(days, page)
    return _columns_in_one_go(before or behind, page) if before or behind else ()


# --- before and behind


def _column_before(said: SaidFigure, near: Sequence[NameMention], page: AnswerPage) -> Refs:
    """The last word for a column before it, in its part of the sentence, if it is not that of the figure before."""
    mention = next((one for one in reversed(near) if one.last < said.first), None)
    if mention is None or page.segment(mention) != page.segment(said):
        return ()
    previous = page.previous(said)
    if previous is not None:
        own = mention.first < previous.first or page.noun_of(previous.figure) is mention
        if own or _leads_to(previous, mention, page):
            return ()
    return page.measured((*mention.columns, *_compounded(mention, near)))


def _compounded(mention: NameMention, near: Sequence[NameMention]) -> Refs:
    """The columns of the word right before a word for a column: urban population."""
    return next((one.columns for one in near if one.last + 1 == mention.first), ())


def _column_behind(said: SaidFigure, near: Sequence[NameMention], page: AnswerPage) -> Refs:
    """The first word for a column behind it, in its part of the sentence, if no other figure follows there."""
    mention = next((one for one in near if one.first > said.last), None)
    if mention is None:
        return ()
    following = page.following(said)
    here, there = page.segment(said), page.segment(mention)
    last = page.segment(following) if following is not None else None
    added = there == here + 1 and there != last and _starts_with_preposition(mention, page)
    if there != here and not added:
        return ()
    if following is not None and last == here and not (mention.last < following.first and page.nouns(following.figure)):
        return ()
    return page.measured(mention.columns)


def _starts_with_preposition(mention: NameMention, page: AnswerPage) -> bool:
    """Whether a part of the sentence starts with a preposition: 30 - 16, in the third quarter."""
    for at in range(max(0, mention.first - 3), mention.first):
        if page.segments[at] == page.segment(mention):
            starts = at == 0 or page.segments[at - 1] != page.segments[at]
            return starts and page.words[at] in OBLIQUE
    return False


# --- taken over


def _columns_taken_over(said: SaidFigure, near: Sequence[NameMention], page: AnswerPage) -> NamedColumns:
    """What was measured last, in the sentence or in the one that it goes on from."""
    before = [mention for mention in near if mention.last < said.first]
    if before:
        goes_on = is_owned(said, page)
        weak = not goes_on and page.is_noun(before[-1]) and _has_words_of_its_own(said, before[-1], page)
        return NamedColumns(page.measured(before[-1].columns), weak=weak)
    if near and not page.is_noun(near[0]) and not _belongs_to_next(near[0], page.following(said), page):
        return NamedColumns(page.measured(near[0].columns))
    carried = page.carried(said, page.measures)
    if not carried:
        return NamedColumns()
    return NamedColumns(page.measured(carried[-1].columns), weak=page.is_noun(carried[-1]))


def _has_words_of_its_own(said: SaidFigure, mention: NameMention, page: AnswerPage) -> bool:
    """Whether words of their own stand before a figure, so that it may measure something else."""
    at = said.first - 1
    while at > mention.last and page.segments[at] == page.segment(said):
        if page.words[at] not in FUNCTION and at not in page.named_words:
            return True
        at -= 1
    return False


# --- the rows that a figure belongs to: those of the name nearest to it, of the only row there is, or of the sentence before


_TIGHT = " \t\u00a0(:：=-–—*_'’s|为是"
_TIGHT_BEHIND = " \t\u00a0([*_（"
_TIGHTEST = 8
_MANY = 2_000
"""Sets of more rows are not cut with each other: nobody names a row that way."""
_FIRST_WORDS = 4

# How likely a name is the one that is meant, likeliest first.
TIGHT, SAME_PART, LED, BEFORE, OBLIQUELY, OF_ANOTHER, BEHIND, CARRIED = range(8)

Rank = tuple[int, int]
"""One of these, and how many words away."""
How = Literal["named", "only", "carried", "none"]


class Rows(NamedTuple):
    """The rows of one table that a figure may belong to."""

    table: Table
    rows: Sequence[int]
    how: How
    rank: Rank = (CARRIED, 0)
    mention: NameMention | None = None


class _NamedRow(NamedTuple):
    """A name of a row, or of several, and how near it is to a figure."""

    rank: Rank
    mention: NameMention
    refs: Sequence[NameRef]


def rows_of(said: SaidFigure, table: Table, page: AnswerPage) -> list[Rows]:
    """The rows of a table that a figure may belong to, likeliest first; several only where a pronoun leaves it open."""
    near = [(mention, refs) for mention in page.names_near(said) if (refs := _refs_of(mention.names, table))]
    open_ = [(mention, refs) for mention, refs in near if not mention.excluded or is_tight(mention, said, page)]
    placed = _rows_by_place(said, table, [mention for mention, _ in open_], page)
    if placed is not None:
        return [placed]
    if len(open_) > 1 and is_owned(said, page):
        open_ = open_[:1]
    if open_:
        named = [_NamedRow(_rank(mention, said, page), mention, refs) for mention, refs in open_]
        named.sort(key=lambda one: one.rank)
        return [_rows_in_common(table, named, said, page), *_rows_of_pronoun(table, named, said, page)]
    if near:
        return []
    if len(table.rows) == 1 and table.whole:
        return [Rows(table, (0,), "only")]
    return _rows_of_sentence_before(said, table, page) or [Rows(table, range(len(table.rows)), "none")]


def row_of(mention: NameMention, table: Table) -> int | None:
    """The one row that a name stands for."""
    for ref in _refs_of(mention.names, table):
        if len(rows := table.rows_named(ref.column, ref.value)) == 1:
            return rows[0]
    return None


def takes_up(said: SaidFigure, page: AnswerPage) -> bool:
    """Whether the sentence starts with a word that takes up the one before: He added 12."""
    first = page.lines[said.line].first
    return not SUBJECTS.isdisjoint(page.words[first : min(first + _FIRST_WORDS, said.first)])


def is_owned(said: SaidFigure, page: AnswerPage) -> bool:
    """Whether a figure is said to be the subject's own: forced them into 14, while committing 12 of their own."""
    behind = tuple(page.words[said.last + 1 : said.last + 4])
    return any(behind[: len(words)] == words for words in OWNED)


def _refs_of(refs: Iterable[NameRef], table: Table) -> list[NameRef]:
    return [ref for ref in refs if ref.table == table.number]


def _rows_named(table: Table, refs: Sequence[NameRef]) -> Sequence[int]:
    """The rows that one mention stands for, through whichever column."""
    rows = table.rows_named(refs[0].column, refs[0].value)
    for ref in refs[1:]:
        rows = sorted({*rows, *table.rows_named(ref.column, ref.value)})
    return rows


# --- which names count


def _rows_by_place(said: SaidFigure, table: Table, near: Sequence[NameMention], page: AnswerPage) -> Rows | None:
    """The row that a place says: the heading of a table, or the same place in a list of names."""
    cell = page.heading(said)
    for mention in page.names.within(*cell) if cell is not None else ():
        if refs := _refs_of(mention.names, table):
            return Rows(table, _rows_named(table, refs), "named", (TIGHT, 0), mention)
    names = [(mention, ref) for mention in near for ref in _refs_of(mention.names, table)] if page.in_run(said) else []
    for column in dict.fromkeys(ref.column for _mention, ref in names):
        same = {mention: ref for mention, ref in names if ref.column == column}
        if (mine := page.aligned(said, list(same))) is not None:
            return Rows(table, _rows_named(table, [same[mine]]), "named", (TIGHT, 0), mine)
    return None


def _rows_in_common(table: Table, named: Sequence[_NamedRow], said: SaidFigure, page: AnswerPage) -> Rows:
    """The rows of the nearest name; what tells rows apart only together must agree, the rest may."""
    # A name of one row goes before a word for many, however near that stands.
    single = next((one for one in named if len(_rows_named(table, one.refs)) == 1), None) if not table.keys else None
    best = single or named[0]
    rows, seen = _rows_named(table, best.refs), {ref.column for ref in best.refs}
    for one in named:
        for ref in (ref for ref in one.refs if ref.column not in seen):
            seen.add(ref.column)
            also = table.rows_named(ref.column, ref.value)
            if len(rows) > _MANY and len(also) > _MANY:
                continue
            both = _both(rows, also)
            if both:
                rows = both
            elif ref.column in table.keys and not _figure_between(one.mention, said, page):
                return Rows(table, (), "named", best.rank, best.mention)
    return Rows(table, rows, "named", best.rank, best.mention)


def _both(rows: Sequence[int], others: Sequence[int]) -> Sequence[int]:
    small, large = sorted((rows, others), key=len)
    among = large if isinstance(large, range) else set(large)
    return [row for row in small if row in among]


def _figure_between(mention: NameMention, said: SaidFigure, page: AnswerPage) -> bool:
    previous = page.previous(said)
    return previous is not None and mention.last < previous.first


def _rows_of_pronoun(table: Table, named: Sequence[_NamedRow], said: SaidFigure, page: AnswerPage) -> list[Rows]:
    """`Thomas led Horford, as he ...`: the pronoun may mean either."""
    best = named[0].mention
    if best.last > said.first or _figure_between(best, said, page):
        return []
    between = page.words[best.last + 1 : said.first]
    if PRONOUNS.isdisjoint(between) or between[0] in RELATIVES:
        return []
    other = next((one for one in named[1:] if one.mention.last < best.first), None)
    return (
        [Rows(table, _rows_named(table, other.refs), "named", other.rank, other.mention)] if other is not None else []
    )


def _rows_of_sentence_before(said: SaidFigure, table: Table, page: AnswerPage) -> list[Rows]:
    """The rows that the sentence before was about: its last name, then its first."""
    above = page.carried(said, page.names)
    names = [(mention, refs) for mention in above if (refs := _refs_of(mention.names, table)) and not mention.excluded]
    found: list[Rows] = []
    for mention, refs in (names[-1], names[0]) if names else ():
        rows = _rows_named(table, refs)
        if rows and all(list(rows) != list(other.rows) for other in found):
            found.append(Rows(table, rows, "carried", mention=mention))
    # Of two that may be meant, only a pronoun takes one up.
    return found if len(found) == 1 or takes_up(said, page) else []


# --- how near they are


def _rank(mention: NameMention, said: SaidFigure, page: AnswerPage) -> Rank:
    """How likely a name is the one that a figure belongs to; smaller is likelier."""
    if mention.last >= said.first:
        return _rank_behind(mention, said, page)
    distance = said.first - mention.last
    if is_tight(mention, said, page):
        return TIGHT, distance
    if mention.compared or _belongs_to_other(mention, page):
        return OF_ANOTHER, distance
    if page.segment(mention) == page.segment(said):
        return SAME_PART, distance
    return (OBLIQUELY if mention.oblique else BEFORE), distance


def _rank_behind(mention: NameMention, said: SaidFigure, page: AnswerPage) -> Rank:
    following = page.following(said)
    distance = mention.first - said.last
    gap = page.text[said.figure.end : mention.start]
    if not gap.strip(_TIGHT_BEHIND):
        own = "(" in gap or "（" in gap or following is None or not is_tight(mention, following, page)
        return (TIGHT if own else BEHIND), distance
    between = following is not None and following.first < mention.first
    same = page.segment(mention) == page.segment(said)
    led = same and (not mention.oblique or page.is_led(said.last + 1, mention.first))
    return (LED if led and not between else BEHIND), distance


def is_tight(mention: NameMention, said: SaidFigure, page: AnswerPage) -> bool:
    """Whether nothing but a colon or a bracket stands between a name and the figure behind it."""
    if mention.end > said.figure.start or said.figure.start - mention.end > _TIGHTEST:
        return False
    return not page.text[mention.end : said.figure.start].strip(_TIGHT)


def _belongs_to_other(mention: NameMention, page: AnswerPage) -> bool:
    """Whether a name belongs to the figure before it: 5 in 2018."""
    before = page.last_before(mention)
    if before is None or page.segment(before) != page.segment(mention):
        return False
    return page.is_led(before.last + 1, mention.first)
