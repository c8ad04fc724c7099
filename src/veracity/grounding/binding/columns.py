"""The columns that the words around a figure say: its noun, what a preposition leads to, what stands before or behind it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from veracity.grounding.binding.around import Around
from veracity.grounding.binding.cues import FUNCTION, OBLIQUE, PLACING, THROUGH
from veracity.grounding.binding.index import ColumnRef
from veracity.grounding.binding.mentions import Mention
from veracity.grounding.binding.page import Said
from veracity.question.folding import listed

_OF = listed("of von was is are were betrug betraegt war waren 为 是")
_CHAINED = listed("and und to through thru until bis sowie or oder the 和 与 至 到 及")
_DASHES = ("-", "–", "—")

Refs = tuple[ColumnRef, ...]


class Columns(NamedTuple):
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


def columns_of(said: Said, around: Around) -> Columns:
    """The columns that the words around a figure say."""
    near = _near(said, around)
    if said.figure.kind == "time" and (days := _days_of(said, near, around)):
        return Columns(days, own=True, each=len(days) > 1)
    nouns = around.measured(around.page.nouns(said.figure), said.figure)
    aligned = around.aligned(said, near)
    own = (
        _heading(said, around)
        or (around.measured(aligned.columns) if aligned is not None else ())
        or _said_of(said, near, nouns, around)
    )
    stranger = not nouns and around.is_strange(said)
    if own:
        each = len(own) > 1 and not nouns and own == _led(around.last_of_run(said), near, around)
        return Columns(own, own=True, stranger=stranger, each=each)
    return Columns(stranger=True) if stranger else _inherited(said, near, around)


def columns_of_pair(one: Said, other: Said, around: Around) -> list[Refs]:
    """The columns that the words around a pair may say: its noun, or what stands behind it, or what stands before it."""
    near, page = _near(other, around), around.page
    sure = _heading(other, around) or around.measured(page.nouns(other.figure))
    closed = page.text[other.figure.end : other.figure.end + 2].strip()[:1] in (")", "）")
    if sure or closed:
        # What stands outside the brackets does not say what is in them.
        return [sure] if sure else []
    return [refs for refs in (_behind(other, near, around), _before(one, near, around)) if refs]


def _near(said: Said, around: Around) -> Sequence[Mention]:
    """The words for columns around a figure that may hold such a figure."""
    near = around.page.measures_near(said)
    if said.figure.kind not in ("date", "time"):
        return near
    return [mention for mention in near if around.measured(mention.columns, said.figure)]


def _heading(said: Said, around: Around) -> Refs:
    """The column that the heading of a table says."""
    cell = around.heading(said)
    found = around.page.columns.within(*cell) if cell is not None else []
    return around.measured((ref for mention in found for ref in mention.columns), said.figure)


def _said_of(said: Said, near: Sequence[Mention], nouns: Refs, around: Around) -> Refs:
    """What is said of this very figure."""
    led = _led(said, near, around)
    if nouns or led:
        return (*nouns, *led)
    last = around.last_of_run(said)
    if last is not said:
        shared = around.measured(around.page.nouns(last.figure)) or _led(last, near, around)
        if shared:
            return shared
    return _before(said, near, around) or _behind(said, near, around)


# --- what a preposition leads to


def _led(said: Said, near: Sequence[Mention], around: Around) -> Refs:
    """The column that a preposition behind a figure leads to: 5 in 2019, 8 am on Monday."""
    following = around.following(said)
    for at, mention in enumerate(near):
        if mention.first > said.last:
            between = following is not None and following.first < mention.first
            if between or not _leads(said, mention, around) or _leads_on(mention, following, around):
                return ()
            return _chain(near[at:], around)
    return ()


def _leads(said: Said, mention: Mention, around: Around) -> bool:
    page = around.page
    words = page.words[said.last + 1 : mention.first]
    same = page.segment(said) == page.segment(mention)
    return same and not PLACING.isdisjoint(words) and page.is_led(said.last + 1, mention.first)


def _leads_on(mention: Mention, following: Said | None, around: Around) -> bool:
    """Whether a word for a column belongs to the figure behind it: with costs of 800."""
    if following is None:
        return False
    words = around.page.words[mention.last + 1 : following.first]
    return len(words) <= 2 and all(word in _OF for word in words)


def _chain(near: Sequence[Mention], around: Around) -> Refs:
    """The columns that are said in one go: Monday and Tuesday, Monday to Friday."""
    refs = around.measured(near[0].columns)
    for one, other in pairwise(near):
        words = around.page.words[one.last + 1 : other.first]
        dashed = not words and around.page.text[one.end : other.start].strip() in _DASHES
        chained = dashed or (bool(words) and all(word in _CHAINED for word in words))
        if not chained or len({ref.table for ref in refs}) != 1:
            break
        table = refs[0].table
        more = [ref for ref in around.measured(other.columns) if ref.table == table]
        if more and (dashed or not THROUGH.isdisjoint(words)):
            columns = list(around.tables[table].columns)
            first, last = columns.index(refs[-1].column), columns.index(more[0].column)
            more = [ColumnRef(table, column) for column in columns[first + 1 : last + 1]]
        refs = tuple(dict.fromkeys((*refs, *around.measured(more))))
    return refs


def _days_of(said: Said, near: Sequence[Mention], around: Around) -> Refs:
    """The days that a time is said of, all of them: 8 am to 10 pm, Monday through Saturday."""
    first, last = around.first_of_run(said), around.last_of_run(said)
    previous, following = around.previous(first), around.following(last)
    low, high = previous.last if previous else -1, following.first if following else len(around.page.words)
    before = [mention for mention in near if low < mention.first and mention.last < first.first]
    behind = [mention for mention in near if last.last < mention.first and mention.last < high]
    here = around.page.segment(said)
    for days in (before, behind):
        if any(around.page.segment(mention) == here for mention in days):
            return _chain(days, around)
    return _chain(before or behind, around) if before or behind else ()


# --- before and behind


def _before(said: Said, near: Sequence[Mention], around: Around) -> Refs:
    """The last word for a column before it, in its part of the sentence, if it is not that of the figure before."""
    mention = next((one for one in reversed(near) if one.last < said.first), None)
    if mention is None or around.page.segment(mention) != around.page.segment(said):
        return ()
    previous = around.previous(said)
    if previous is not None:
        own = mention.first < previous.first or around.page.noun_of(previous.figure) is mention
        if own or _leads(previous, mention, around):
            return ()
    return around.measured(mention.columns)


def _behind(said: Said, near: Sequence[Mention], around: Around) -> Refs:
    """The first word for a column behind it, in its part of the sentence, if no other figure follows there."""
    mention = next((one for one in near if one.first > said.last), None)
    if mention is None:
        return ()
    page, following = around.page, around.following(said)
    here, there = page.segment(said), page.segment(mention)
    last = page.segment(following) if following is not None else None
    added = there == here + 1 and there != last and _is_added(mention, around)
    if there != here and not added:
        return ()
    if following is not None and last == here and not (mention.last < following.first and page.nouns(following.figure)):
        return ()
    return around.measured(mention.columns)


def _is_added(mention: Mention, around: Around) -> bool:
    """Whether a part of the sentence starts with a preposition: 30 - 16, in the third quarter."""
    page = around.page
    for at in range(max(0, mention.first - 3), mention.first):
        if page.segments[at] == page.segment(mention):
            starts = at == 0 or page.segments[at - 1] != page.segments[at]
            return starts and page.words[at] in OBLIQUE
    return False


# --- taken over


def _inherited(said: Said, near: Sequence[Mention], around: Around) -> Columns:
    """What was measured last, in the sentence or in the one that it goes on from."""
    before = [mention for mention in near if mention.last < said.first]
    if before:
        weak = around.is_noun(before[-1]) and _is_new(said, before[-1], around)
        return Columns(around.measured(before[-1].columns), weak=weak)
    if near and not around.is_noun(near[0]):
        return Columns(around.measured(near[0].columns))
    carried = around.page.carried(said, around.page.measures)
    if not carried:
        return Columns()
    return Columns(around.measured(carried[-1].columns), weak=around.is_noun(carried[-1]))


def _is_new(said: Said, mention: Mention, around: Around) -> bool:
    """Whether words of their own stand before a figure, so that it may measure something else."""
    page, at = around.page, said.first - 1
    while at > mention.last and page.segments[at] == page.segment(said):
        if page.words[at] not in FUNCTION and at not in page.named_words:
            return True
        at -= 1
    return False
