"""The rows that a figure belongs to: those of the name nearest to it, of the only row there is, or of the sentence before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from veracity.grounding.binding.answer_page import AnswerPage, SaidFigure
from veracity.grounding.binding.cue_words import (
    OWNED,
    PRONOUNS,
    RELATIVES,
    SUBJECTS,
)
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.results_index import NameRef
from veracity.grounding.binding.tables import Table

_TIGHT = " \t\u00a0(（:：=-–—*_'’s|为是"
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
    open_ = [
        (mention, refs)
        for mention, refs in near
        if not mention.excluded or is_tight(mention, said, page) or _goes_on(mention, said, page)
    ]
    placed = _rows_by_place(said, table, [mention for mention, _ in open_], page)
    if placed is not None:
        return [placed]
    if len(open_) > 1 and is_owned(said, page):
        open_ = open_[:1]
    behind = open_ and all(
        mention.first > said.last and (mention.compared or page.segment(mention) != page.segment(said))
        for mention, _ in open_
    )
    if behind and takes_up(said, page) and (taken := _rows_of_sentence_before(said, table, page)):
        return taken  # It has 17, more than only A; it took 12 hours, and B followed.
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


def _goes_on(mention: NameMention, said: SaidFigure, page: AnswerPage) -> bool:
    """Whether a figure is in what goes on about a name: except the mail, which started on 26 October."""
    behind = page.words[mention.last + 1 : min(mention.last + _FIRST_WORDS, said.first)]
    apart = any(sign in page.text[mention.end : said.figure.start] for sign in ",，")
    return apart and mention.last < said.first and not RELATIVES.isdisjoint(behind)


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
