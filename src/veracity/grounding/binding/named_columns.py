"""The columns that a figure belongs to, by the words around it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from veracity.grounding.binding.answer_page import AnswerPage, SaidFigure
from veracity.grounding.binding.cue_words import (
    COMPARED,
    FUNCTION,
    OBLIQUE,
    PLACING,
    THROUGH,
)
from veracity.grounding.binding.figure_meaning import clock_times, table_says
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.named_rows import is_owned
from veracity.grounding.binding.results_index import ColumnRef
from veracity.grounding.binding.tables import Table
from veracity.language.folding import listed
from veracity.language.units import Unit, unit_after
from veracity.language.verb_forms import is_past_form

_OF = listed("of von was is are were betrug betraegt war waren 为 是")
_CHAINED = listed("and und to through thru until bis sowie or oder the 和 与 至 到 及")
_COUNTERS = frozenset("个名位家条件项笔次种人份张只台辆本部所间组箱瓶袋")
_QUANTITIES = listed("quantity qty menge anzahl stueck count 数 量")
_WHERE = listed("where wo")
_BESIDE = 2
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
    if len(own) > 1 and said.figure.kind == "number" and said.meaning.unit is not None:
        # 5.8 m are no time of a day.
        own = tuple(ref for ref in own if not _holds_clocks(ref, page)) or own
    if own and len(own) > 1:
        own = _of_only_row(own, said, page) or _of_qualifier(_of_year(own, said, page), said, page)
    if own:
        each = len(own) > 1 and not nouns and own == _columns_led_to(page.run_of(said)[1], near, page)
        return NamedColumns(own, own=True, stranger=stranger, each=each)
    if stranger:
        return NamedColumns(stranger=True)
    taken = _columns_taken_over(said, near, page)
    return taken if taken.refs else NamedColumns(_only_money(said, page))


def _columns_of_unit(said: SaidFigure, page: AnswerPage) -> Refs:
    """The columns that are measured in the unit beside a figure; money is measured by many."""
    unit = said.meaning.unit
    return _columns_measured_in(unit, page) if unit is not None and not unit.is_currency else ()


def _columns_measured_in(unit: Unit, page: AnswerPage) -> Refs:
    return tuple(
        ColumnRef(table.number, column)
        for table in page.tables
        for column in table.of_dimension.get(unit.dimension, ())
        if column in table.measures
    )


def _only_money(said: SaidFigure, page: AnswerPage) -> Refs:
    """The only column of money, where a currency stands beside a figure and no word tells its column."""
    unit = said.meaning.unit
    found = _columns_measured_in(unit, page) if unit is not None and unit.is_currency else ()
    return found if len(found) == 1 else ()


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
    near = [one for one in page.near(said, page.measures) if not _is_compared_with(one, page)]
    near.sort(key=lambda one: one.first - said.last if one.first > said.last else said.first - one.last)
    for mention in (*near, *reversed(page.carried(said, page.measures))):
        columns = {(ref.table, ref.column) for ref in mention.columns}
        same = tuple(ref for ref in refs if (ref.table, ref.column) in columns)
        if same and page.is_period(mention):
            return same
    return refs


def _is_compared_with(mention: NameMention, page: AnswerPage) -> bool:
    """Whether a word for a time only says what is compared with: +425 kWh vs. May."""
    return COMPARED.search(page.tokens.before(mention.first, 40)) is not None


def _of_qualifier(refs: Refs, said: SaidFigure, page: AnswerPage) -> Refs:
    """Of columns that share a word, those that another word of this part of the sentence tells: zuletzt of Letzte Wartung."""
    if len(refs) < 2 or len({ref.table for ref in refs}) > 1:
        return refs
    roots = {ref: page.index.qualifiers(ref.table, ref.column) for ref in refs}
    common = frozenset.intersection(*roots.values())
    around = _part_around(said, page)
    told = tuple(ref for ref in refs if (roots[ref] - common) & around)
    return told if len({ref.column for ref in told}) == 1 else refs


_BEHIND_COLON = 1
_PART_OF = re.compile(r"(?<![a-z])(?:of the|of|der|von den)\s*$")


def _of_only_row(refs: Refs, said: SaidFigure, page: AnswerPage) -> Refs:
    """Of columns of the only row, the one that is the figure: 7 % of the 262,000 requests failed."""
    noun = page.noun_of(said.figure)
    part = _PART_OF.search(page.tokens.before(said.first, 12)) is not None
    if not part or noun is None or not any(map(is_past_form, page.words[noun.last + 1 : noun.last + 2])):
        return ()
    single = [ref for ref in refs if len(page.tables[ref.table].rows) == 1]
    told = [ref for ref in single if table_says(page.tables[ref.table], 0, ref.column, said.meaning)]
    return tuple(told) if len(told) == 1 and len(single) == len(refs) else ()


def _part_around(said: SaidFigure, page: AnswerPage) -> frozenset[str]:
    """The words of the part of the sentence that a figure stands in, up to the figures beside it, without endings."""
    before, behind = page.previous(said), page.following(said)
    first, last = said.first, said.last
    while first > 0 and page.segments[first - 1] == page.segment(said) and (before is None or first - 1 > before.last):
        between = page.text[page.tokens.ends[first - 1] : page.tokens.starts[first]]
        if ":" in between and said.first - first > _BEHIND_COLON:
            break  # The limit was kept: in the outflow there were 0.41.
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
    near = [mention for mention in page.near(said, page.measures) if not _is_for_each(mention, said, page)]
    if len(said.figure.readings) > 1 and said.figure.readings[-1] * 100 == said.figure.readings[0]:
        # 16 cents a word are no words.
        near = [mention for mention in near if page.words[mention.first - 1] not in _FOR_EACH]
    if said.figure.kind not in ("date", "time") and not _is_no_day(said):
        return near
    if _is_no_day(said):
        return [mention for mention in near if not page.are_days(mention)]
    return [
        mention
        for mention in near
        if any(not _is_name(ref, page) for ref in page.measured(mention.columns, said.figure))
    ]


def _holds_clocks(ref: ColumnRef, page: AnswerPage) -> bool:
    """Whether a column holds times of a day."""
    rows = page.tables[ref.table].rows
    cell = rows[0].get(ref.column) if rows else None
    return isinstance(cell, str) and ":" in cell and bool(clock_times(cell))


_FOR_EACH = frozenset({"a", "an", "per", "pro", "je"})


def _is_for_each(mention: NameMention, said: SaidFigure, page: AnswerPage) -> bool:
    """Whether a word for a column says of each of what a figure is: 420 a night are no nights."""
    return 0 < mention.first - said.last <= _BESIDE and page.words[mention.first - 1] in _FOR_EACH


def _is_name(ref: ColumnRef, page: AnswerPage) -> bool:
    """Whether a column only names the rows, as the number of a ticket does: no day is asked of it."""
    table = page.tables[ref.table]
    return ref.column in table.naming and ref.column not in table.days


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
    if done := _column_of_verb(said, near, page):
        return done
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


def _column_of_verb(said: SaidFigure, near: Sequence[NameMention], page: AnswerPage) -> Refs:
    """The column that the verb right before a figure says: drew 4 games are games drawn, not games played."""
    verb = next((one for one in near if one.last == said.first - 1 and page.segment(one) == page.segment(said)), None)
    if verb is None or verb.first != verb.last or not is_past_form(page.words[verb.last]):
        return ()
    return page.measured(verb.columns, said.figure)


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
    if page.text[said.figure.end : said.figure.end + 1] in (")", "）"):
        return ()  # What stands outside the brackets does not say what is in them.
    for at, mention in enumerate(near):
        if mention.first > said.last:
            between = following is not None and following.first < mention.first
            if between or not _leads_to(said, mention, page) or _belongs_to_next(mention, following, page):
                return ()
            return _columns_in_one_go(near[at:], page)
    return ()


def _leads_to(said: SaidFigure, mention: NameMention, page: AnswerPage) -> bool:
    unit = unit_after(page.text, said.figure.end) if said.meaning.unit is not None else None
    first = page.tokens.at(unit[1]) if unit is not None else said.last + 1
    words = page.words[first : mention.first]
    same = page.segment(said) == page.segment(mention)
    return same and not PLACING.isdisjoint(words) and page.is_led(first, mention.first)


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
    if following is not None and said.figure.kind == "date" and following.figure.kind == "time":
        # On 3 October at 8:42: one moment, of which the next word tells the column.
        following = page.following(following) if following.first - said.last <= _BESIDE else following
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
    last = page.measured(carried[-1].columns)
    line = page.line_of(carried[-1])
    for mention in carried[:-1]:
        # Free tickets: of the columns that both words say, that one.
        both = tuple(ref for ref in last if any(ref[:2] == other[:2] for other in mention.columns))
        last = both if both and page.line_of(mention) is line else last
    return NamedColumns(last, weak=page.is_noun(carried[-1]))


def _has_words_of_its_own(said: SaidFigure, mention: NameMention, page: AnswerPage) -> bool:
    """Whether words of their own stand before a figure, so that it may measure something else."""
    at = said.first - 1
    while at > mention.last and page.segments[at] == page.segment(said):
        if page.words[at] not in FUNCTION and at not in page.named_words:
            return True
        at -= 1
    return False
