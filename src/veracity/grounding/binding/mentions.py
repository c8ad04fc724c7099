"""The words and lines of a text, and what it names where: rows by their names, columns, days and months."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import pairwise
from typing import NamedTuple

from veracity.grounding.binding.cue_words import COMPARED, EXCEPT, EXCEPT_AFTER, FUNCTION, OBLIQUE, may_set_apart
from veracity.grounding.binding.figure_meaning import TextFigures
from veracity.grounding.binding.period_names import WORD_LIKE
from veracity.grounding.binding.results_index import PREFIX, ColumnRef, Index, NameRef
from veracity.language.folding import IDEOGRAPHS, fold, listed
from veracity.language.numbers import MONTHS, Figure
from veracity.language.stem import noun_root
from veracity.ontology.draft.abbreviations import is_short_for

_UNSPACED = IDEOGRAPHS + "\u3040-\u30ff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
"""A word, a number, or one sign of a script without spaces."""
_WINDOW = 60
"""So many words before and behind a figure are looked at."""
_MOST_BEFORE, _MOST_BEHIND = 16, 10
"""And so many names, or words for columns."""
_SHORT = 3
"""A shorter word is a name only in the very same letters."""
_ARTICLES_BEFORE = (["the"], ["der"], ["die"], ["das"], ["den"], ["dem"])
_DETERMINERS = listed("the der die das den dem")
_MINUS = ("-", "−", "–")
"""Of -2.4 °C, 2.4 °C is not the name."""
_GOES_ON = listed("who which with whose mit der die das")
"""Behind `compared with X`, these speak of X itself."""
_LONGEST_NAME = 12
_LEADING_SIGNS = frozenset(
    "的了在和与及或为是有其各均都也共约达超不没无未最比较仅只将把被从到于每该此这那年月日元个一二三四五六七八九十百千万亿两几多少"
)
_COMMON = listed(
    "other others total all none yes no new old open closed unknown andere total alle keine ja nein neu 其他 合计"
)


class TextTokens:
    """A text as folded words; a word is known by its number."""

    def __init__(self, text: str) -> None:
        folded = fold(text)
        self.text, self._folded, self.fold = text, folded.text, folded
        spans = [match.span() for match in _TOKEN.finditer(folded.text)]
        self.words = [folded.text[start:end] for start, end in spans]
        self.roots = [noun_root(word) for word in self.words]
        self.starts = [folded.starts[start] for start, _end in spans]
        """Where each word starts in the text."""
        self.ends = [folded.ends[end - 1] for _start, end in spans]
        self._places = [start for start, _end in spans]

    def at(self, place: int) -> int:
        """The first word that starts at or behind a place of the text."""
        return bisect_left(self.starts, place)

    def before(self, word: int, size: int = 48) -> str:
        """The folded text right before a word."""
        end = self._places[word] if word < len(self._places) else len(self._folded)
        return self._folded[max(0, end - size) : end].rstrip("-+–(")

    def after(self, place: int, size: int = 24) -> str:
        """The text right behind a place, in small letters."""
        return self.text[place : place + size].lower()

    def folded_part(self, start: int, end: int) -> tuple[str, int]:
        """The folded text between two places of the text, and where it begins in the whole folded text."""
        first = bisect_left(self.fold.starts, start)
        return self._folded[first : bisect_left(self.fold.starts, end)], first

    def as_written(self, first: int, last: int) -> str:
        """Words as they are written."""
        return self.text[self.starts[first] : self.ends[last]]


_VERBS = re.compile(
    r"(?:accounts? for|stands? for|makes? up|results? in|reports? to|amounts? to|totals? [0-9])(?![a-z])"
)
"""Verbs that may be names elsewhere, in small letters."""


class NameMention(NamedTuple):
    """Something that a text names, and where; `first` and `last` are its words."""

    start: int
    end: int
    first: int
    last: int
    names: tuple[NameRef, ...] = ()
    columns: tuple[ColumnRef, ...] = ()
    excluded: bool = False
    """Behind `except`: what is said is of the rest."""
    compared: bool = False
    """Behind `than` or `compared with`."""
    oblique: bool = False
    """Behind a preposition."""


def _is_german_comparison(before: Sequence[str]) -> bool:
    """Whether a name stands behind `als` in a comparison: höher als 2021, mehr Einwohner als in Birkwil."""
    at = next((at for at in range(len(before) - 1, max(-1, len(before) - 4), -1) if before[at] == "als"), -1)
    if at < 1 or any(word not in OBLIQUE and word not in _DETERMINERS for word in before[at + 1 :]):
        return False
    return any(word.endswith("er") or word in ("mehr", "weniger") for word in before[max(0, at - 3) : at])


class Mentions:
    """Mentions in the order of the text, found by the words around a figure."""

    def __init__(self, all_: Sequence[NameMention]) -> None:
        self.all = all_
        self._firsts = [mention.first for mention in all_]
        self._starts = [mention.start for mention in all_]

    def among(self, first: int, last: int) -> Sequence[NameMention]:
        """Those that begin from one word up to another, which is left out."""
        return self.all[bisect_left(self._firsts, first) : bisect_left(self._firsts, last)]

    def near(self, first: int, last: int, line: tuple[int, int]) -> Sequence[NameMention]:
        """Those around the words of a figure, within the words of its line."""
        at = bisect_left(self._firsts, first)
        low = max(at - _MOST_BEFORE, bisect_left(self._firsts, max(line[0], first - _WINDOW)))
        high = min(at + _MOST_BEHIND, bisect_left(self._firsts, min(line[1], last + _WINDOW)))
        return self.all[low:high]

    def carried(self, line: tuple[int, int]) -> Sequence[NameMention]:
        """Those at the end of an earlier line."""
        return self.among(max(line[0], line[1] - _WINDOW), line[1])

    def within(self, start: int, end: int) -> list[NameMention]:
        """Those from one place of the text to another."""
        low = bisect_left(self._starts, start)
        return [mention for mention in self.all[low : bisect_left(self._starts, end)] if mention.end <= end]

    def holding(self, figure: Figure) -> NameMention | None:
        """The one that a figure is a part of."""
        # The sign of +41 44 is no word, and a name starts with one.
        at = bisect_right(self._starts, figure.start + (figure.text[:1] == "+")) - 1
        found = self.all[at] if at >= 0 else None
        return found if found is not None and figure.end <= found.end else None


# --- sentences and lines of a text, and which of them tell what another one is about: the line above a list, a table's headings


_BULLET = re.compile(r"[ \t]*(?:[-*+•–]|[0-9]{1,3}[.)])[ \t]+")


class TextLine(NamedTuple):
    """A sentence or a line; `first` and `last` are its words, `last` excluded."""

    start: int
    end: int
    first: int
    last: int
    above: int
    """The number of the line that its subject may be taken from: above a list, or the sentence before; -1 for none."""
    listed: bool = False
    """Whether it is an entry of a list."""
    heading: int = -1
    """The number of the line with the headings, for a line of a table."""


def lines_of(tokens: TextTokens, figures: Sequence[Figure], ends: Sequence[int]) -> list[TextLine]:
    """The sentences and lines of a text that end here; a full stop inside a figure ends none."""
    text = tokens.text
    edges = [0, *(end for end in ends if not _is_inside(end, figures)), len(text)]
    found: list[TextLine] = []
    intro = -1
    for start, end in pairwise(edges):
        line = text[start:end]
        if not line.strip():
            continue
        starts = start == 0 or text[start - 1] == "\n"
        listed, row = starts and _BULLET.match(line) is not None, starts and line.count("|") > 1
        above = found[-1].heading if found else -1
        heading = (above if above >= 0 else len(found)) if row else -1
        subject = intro if listed or row else len(found) - 1
        if not listed and not row:
            intro = len(found)
        found.append(TextLine(start, end, tokens.at(start), tokens.at(end), subject, listed, heading))
    return found


def _is_inside(place: int, figures: Sequence[Figure]) -> bool:
    """Whether a place is inside a figure, as behind the full stop of `31. Dezember`."""
    at = bisect_left(figures, place, key=lambda figure: figure.start) - 1
    return at >= 0 and place < figures[at].end


# --- names of rows, words for columns


Spans = Mapping[int, tuple[int, int]]
"""Word -> the first and the last word of the figure that it is a part of."""


def figure_spans(figures: Sequence[Figure], tokens: TextTokens) -> dict[int, tuple[int, int]]:
    """The words of all figures."""
    spans: dict[int, tuple[int, int]] = {}
    for figure in figures:
        first, last = bisect_right(tokens.ends, figure.start), bisect_left(tokens.starts, figure.end) - 1
        spans.update((word, (first, last)) for word in range(first, last + 1))
    return spans


def mentions_in(tokens: TextTokens, index: Index, spans: Spans) -> tuple[list[NameMention], list[NameMention]]:
    """Every name and every word for a column in a text, the longest at each place; none inside a longer one."""
    scan = _Scan(tokens, index, spans)
    names = list(scan.names())
    names += scan.short_names(names)
    names.sort(key=lambda mention: mention.start)
    columns = list(scan.columns())
    return _not_in_longer(names, _by_word(columns)), _not_in_longer(columns, _by_word(names))


def _by_word(mentions: Sequence[NameMention]) -> dict[int, NameMention]:
    return {word: mention for mention in mentions for word in range(mention.first, mention.last + 1)}


def _not_in_longer(mentions: Sequence[NameMention], others: Mapping[int, NameMention]) -> list[NameMention]:
    kept: list[NameMention] = []
    for one in mentions:
        overlapping = (others.get(word) for word in range(one.first, one.last + 1))
        if not any(other is not None and other.last - other.first > one.last - one.first for other in overlapping):
            kept.append(one)
    return kept


class _Scan:
    """One walk over the words of a text."""

    def __init__(self, tokens: TextTokens, index: Index, spans: Spans) -> None:
        self._tokens, self._index, self._spans = tokens, index, spans

    def names(self) -> Iterator[NameMention]:
        """The names of rows."""
        lengths, free = self._index.name_lengths, 0
        for at, word in enumerate(self._tokens.words):
            longest = lengths.get(word) or (lengths.get(word[:-1]) if word[-1] == "s" else None)
            if longest is not None and at >= free and (found := self._longest(at, longest)) is not None:
                yield found
                free = found.last + 1

    def _longest(self, at: int, longest: int) -> NameMention | None:
        words, known = self._tokens.words, self._index.names
        for size in range(min(longest, len(words) - at), 0, -1):
            form, last = tuple(words[at : at + size]), at + size - 1
            # A plural or a genitive is the same name: Müllers, the Kings.
            refs = known.get(form) or known.get((*form[:-1], form[-1].removesuffix("s")))
            if refs and self._cuts_no_figure(at, last) and (spelt := self._spelt_so(refs, at, last)):
                return self._name_mention(at, last, tuple(spelt))
        return None

    def _cuts_no_figure(self, first: int, last: int) -> bool:
        """Whether no figure is cut in two: 400 is not named in 152'400.00."""
        start, end = self._spans.get(first), self._spans.get(last)
        return (start is None or start[0] >= first) and (end is None or end[1] <= last)

    def _spelt_so(self, refs: Sequence[NameRef], first: int, last: int) -> Sequence[NameRef]:
        """Short and common words are names only in the same letters: US is not us."""
        written = self._tokens.as_written(first, last)
        start = self._tokens.starts[first]
        if written[0].isdigit() and self._tokens.text[max(0, start - 1) : start] not in _MINUS:
            refs = [ref for ref in refs if ref.value[:1] not in _MINUS]
        if first == last and written.islower() and _VERBS.match(self._tokens.text, start):
            return ()  # A accounts for half, of teams of which one is Accounts.
        if written.lower() in WORD_LIKE:
            return refs if first > 0 and written[0].isupper() else ()
        if any(sign.isdigit() for sign in written):
            return refs
        if (len(written) > _SHORT or not written.isascii()) and written.lower() not in _COMMON:
            return refs
        coded = written.isupper() and len(written) > 1
        plain = len(written) == _SHORT and written.lower() not in _COMMON | FUNCTION  # gas, of Gas
        return [
            ref
            for ref in refs
            if written in ref.value
            or ref.value.isdigit()
            or (coded and ref.value == written.lower())
            or (plain and ref.value == written.capitalize())
            or (plain and ref.value == written.lower() and not written[1:].islower())  # iOS, of ios
        ]

    def _name_mention(self, first: int, last: int, refs: tuple[NameRef, ...]) -> NameMention:
        tokens, words = self._tokens, self._tokens.words
        start, end = tokens.starts[first], tokens.ends[last]
        # The word for what is named is a part of the name: than line 12, als die Linie 12.
        led_by = first > 1 and (tokens.roots[first - 1],) in self._index.columns
        lead = first - 1 if led_by and not tokens.text[tokens.ends[first - 1] : start].strip() else first
        led = lead - 2 if lead > 1 and words[lead - 1] in _DETERMINERS else lead - 1
        oblique = led >= 0 and words[led] in OBLIQUE
        if not may_set_apart(words[max(0, lead - 4) : lead] + words[last + 1 : last + 3]):
            compared = _is_german_comparison(words[max(0, lead - 6) : lead])
            return NameMention(start, end, first, last, refs, compared=compared, oblique=oblique)
        before = tokens.before(lead, 40)
        excluded = EXCEPT.search(before) is not None or EXCEPT_AFTER.match(tokens.text, end) is not None
        followed = last + 1 < len(words) and words[last + 1] in _GOES_ON
        compared = not followed and COMPARED.search(before) is not None
        return NameMention(start, end, first, last, refs, excluded=excluded, compared=compared, oblique=oblique)

    def short_names(self, names: Sequence[NameMention]) -> Iterator[NameMention]:
        """A part of a name that was said in full before, where no other name has it: Westbrook; or its last word: the trout."""
        tokens, parts = self._tokens, dict[str, tuple[int, NameRef]]()
        for mention in (mention for mention in names if mention.last > mention.first):
            for word in (tokens.words[mention.first], tokens.words[mention.last]):
                if len(word) >= _SHORT and word.isalpha():
                    parts.setdefault(word, (mention.last, mention.names[0]))
        heads, firsts = self._index.last_words, self._index.first_words
        taken = _by_word(names) if parts or heads or firsts else {}
        for at, word in enumerate(tokens.words) if parts or heads or firsts else ():
            said, ref = parts.get(word, (at, None))
            if at in taken:
                continue
            if ref is not None and said < at:
                large = tokens.text[tokens.starts[at]].isupper()
                owners = self._index.tables[ref.table].owners.get(ref.column, {}) if large else {}
                ref = ref if owners.get(word) == ref.value else None
            else:
                ref = heads.get(word) if heads and self._is_pointed_at(at) else None
                ref = ref or (firsts.get(word) if tokens.text[tokens.starts[at]].isupper() else None)
            if ref is not None:
                yield self._name_mention(at, at, (ref,))

    def _is_pointed_at(self, at: int) -> bool:
        """Whether a word begins its line, or stands right behind an article, and is no word for a column: the trout."""
        tokens = self._tokens
        if (tokens.roots[at],) in self._index.columns or tokens.words[at] in FUNCTION:
            return False
        before = tokens.text[: tokens.starts[at]].rstrip(" *_#>-•")
        return tokens.words[at - 1 : at][:1] in _ARTICLES_BEFORE or before[-1:] in ("", "\n", ".", ";")

    def columns(self) -> Iterator[NameMention]:
        """The words for columns."""
        tokens, known, free = self._tokens, self._index.columns, 0
        roots, lengths = tokens.roots, self._index.column_lengths
        for at, first in enumerate(roots):
            longest = lengths.get(first) if at >= free else None
            if longest is None and len(first) > PREFIX and at >= free:
                refs = self._index.by_prefix.get(first[:PREFIX])
                if refs and first not in FUNCTION and tokens.words[at] not in self._index.name_lengths:
                    yield NameMention(tokens.starts[at], tokens.ends[at], at, at, columns=tuple(refs))
                    continue
            if longest is None and at >= free and (found := self._shortened(at)) is not None:
                yield found
                free = found.last + 1
            for size in range(min(longest, len(roots) - at), 0, -1) if longest is not None else ():
                refs, last = known.get(tuple(roots[at : at + size])), at + size - 1
                if refs and self._cuts_no_figure(at, last) and self._is_word(refs, at, last):
                    yield NameMention(tokens.starts[at], tokens.ends[last], at, last, columns=tuple(refs))
                    free = last + 1
                    break

    def _shortened(self, at: int) -> NameMention | None:
        """A word, or several by their first letters, that a column's name has in short: occupancy, of `occ_pct`; average daily rate, of `adr`."""
        words, tokens = self._tokens.words, self._tokens
        short = self._index.shortened.get(words[at][0], ()) if words[at].isalpha() and words[at].isascii() else ()
        found: dict[int, list[ColumnRef]] = {}
        for letters, ref in short:
            behind = words[at : at + len(letters)]
            if len(words[at]) > len(letters) and is_short_for(letters, words[at]):
                found.setdefault(at, []).append(ref)
            elif "".join(word[0] for word in behind) == letters and min(map(len, behind)) >= _SHORT:
                found.setdefault(at + len(letters) - 1, []).append(ref)
        if not found or words[at] in FUNCTION or words[at] in self._index.name_lengths:
            return None
        last = max(found)
        return NameMention(tokens.starts[at], tokens.ends[last], at, last, columns=tuple(dict.fromkeys(found[last])))

    def _is_in_word(self, at: int) -> bool:
        """Whether a sign stands right behind another one that nothing knows, so that both may be one word."""
        before = self._tokens.words[at - 1 : at]
        tight = at > 0 and self._tokens.ends[at - 1] == self._tokens.starts[at]
        known = not before or before[0].isascii() or before[0] in FUNCTION or before[0] in _LEADING_SIGNS
        named = any((sign,) in self._index.columns for sign in before)
        return tight and not known and not named and not self._ends_name(at - 1)

    def _ends_name(self, at: int) -> bool:
        """Whether a name of a row ends with this word."""
        words, first = self._tokens.words, max(0, at - _LONGEST_NAME)
        return any(tuple(words[start : at + 1]) in self._index.names for start in range(first, at + 1))

    def _is_word(self, refs: Sequence[ColumnRef], first: int, last: int) -> bool:
        """Whether a small word stands for a column: TO is not to, and `three` is a number."""
        word = self._tokens.words[first]
        if word.isalpha() and self._spans.get(first) == (first, last):
            return False
        if first == last and len(word) == 1 and not word.isascii() and self._is_in_word(first):
            return False  # 净胜 is no 胜.
        if word == "人" and self._tokens.words[last + 1 : last + 2] == ["次"]:
            return False  # Visits are counted, not people.
        if last == first and word in WORD_LIKE and not self._tokens.as_written(first, last)[0].isupper():
            return False
        if last > first or word not in FUNCTION or word in WORD_LIKE:
            return True
        return any(ref.column == self._tokens.as_written(first, last) for ref in refs)


# --- days, months, years and moments that name rows: on 5 March 2020 at 12:00, in April 2020, 2020年4月


_NEAR = 6
"""A time stands so near behind its day."""
_MINUTES = 24 * 60


def moments_in(tokens: TextTokens, figures: TextFigures, index: Index, taken: Collection[int]) -> Iterator[NameMention]:
    """The rows that a text names by their time; `taken` are words that begin another name."""
    covered: set[int] = set()
    for at, figure in enumerate(figures.all):
        if figure.kind != "date":
            continue
        refs, end = list[NameRef](), figure.end
        clock = figures.all[at + 1] if at + 1 < len(figures.all) else None
        if clock is not None and clock.kind == "time" and clock.start - figure.end <= _NEAR:
            minute = figures.minutes.get(clock.start, _MINUTES)
            refs = [ref for day in figure.dates for ref in _of_moment(day, minute, index)]
            end = clock.end if refs else end
        refs = refs or [ref for day in figure.dates for ref in _of_day(day, index)]
        first, last = tokens.at(figure.start), tokens.at(end) - 1
        covered.update(range(first, last + 1))
        if refs:
            yield NameMention(figure.start, end, first, max(first, last), tuple(refs))
    yield from _periods(tokens, index, {*covered, *taken})


def _of_day(day: date, index: Index) -> Iterator[NameRef]:
    """The rows of a day, or of its year where that is a column of its own."""
    yield from index.names.get(tuple(_TOKEN.findall(day.isoformat())), ())
    yield from (ref for ref in index.names.get((str(day.year),), ()) if ref.value.strip() == str(day.year))
    for table in index.tables:
        for column, periods in table.periods.items():
            if day.isoformat() in periods and day.isoformat() not in table.values[column]:
                yield NameRef(table.number, column, day.isoformat())


def _of_moment(day: date, minute: int, index: Index) -> Iterator[NameRef]:
    if minute >= _MINUTES:
        return
    moment = datetime(day.year, day.month, day.day, minute // 60, minute % 60).isoformat()
    for table in index.tables:
        for column in table.periods:
            if moment in table.values[column]:
                yield NameRef(table.number, column, moment)


def _periods(tokens: TextTokens, index: Index, taken: Collection[int]) -> Iterator[NameMention]:
    """Months of a year, and years, where rows are named by days."""
    dated = [(table, column) for table in index.tables for column in table.periods]
    for first, last, period in spelt_periods(tokens.words) if dated else ():
        refs = [NameRef(t.number, column, period) for t, column in dated if period in t.periods[column]]
        if refs and first not in taken:
            yield NameMention(tokens.starts[first], tokens.ends[last], first, last, tuple(refs))


def spelt_periods(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """First word, last word, and the start of an ISO date: 2020-04."""
    for at, word in enumerate(words):
        if len(word) != 4 or not word.isdecimal():
            continue
        month = MONTHS.get(words[at - 1]) if at else None
        signs = words[at + 1 : at + 4]
        if month is not None:
            yield at - 1, at, f"{word}-{month:02}"
        elif len(signs) == 3 and signs[0] == "年" and signs[1].isdecimal() and signs[2] == "月":
            yield at, at + 3, f"{word}-{int(signs[1]):02}"
        else:
            yield at, at, word
