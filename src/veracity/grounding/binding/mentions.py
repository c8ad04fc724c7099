"""What a text names and where: its words, names of rows, words for columns."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from veracity.grounding.binding.cues import COMPARED, EXCEPT, EXCEPT_AFTER, FUNCTION, OBLIQUE, may_set_apart
from veracity.grounding.binding.index import ColumnRef, Index, NameRef, root
from veracity.language.folding import IDEOGRAPHS, fold, listed
from veracity.language.numbers import Figure

_UNSPACED = IDEOGRAPHS + "\u3040-\u30ff"
TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
"""A word, a number, or one sign of a script without spaces."""


class TextTokens:
    """A text as folded words; a word is known by its number."""

    def __init__(self, text: str) -> None:
        folded = fold(text)
        self.text, self._folded = text, folded.text
        spans = [match.span() for match in TOKEN.finditer(folded.text)]
        self.words = [folded.text[start:end] for start, end in spans]
        self.roots = [root(word) for word in self.words]
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

    def said(self, first: int, last: int) -> str:
        """Words as they are written."""
        return self.text[self.starts[first] : self.ends[last]]


# --- what a text names and where: names of rows, words for columns


_SHORT = 3
"""A shorter word is a name only in the very same letters."""
_DETERMINERS = listed("the der die das den dem")
_GOES_ON = listed("who which with whose mit der die das")
"""Behind `compared with X`, these speak of X itself."""
_COMMON = listed(
    "other others total all none yes no new old open closed unknown andere total alle keine ja nein neu 其他 合计"
)

Spans = Mapping[int, tuple[int, int]]
"""Word -> the first and the last word of the figure that it is a part of."""


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
    by_name, by_column = _by_word(names), _by_word(columns)
    return (
        [mention for mention in names if not _in_longer(mention, by_column)],
        [mention for mention in columns if not _in_longer(mention, by_name)],
    )


def _by_word(mentions: Sequence[NameMention]) -> dict[int, NameMention]:
    return {word: mention for mention in mentions for word in range(mention.first, mention.last + 1)}


def _in_longer(one: NameMention, others: Mapping[int, NameMention]) -> bool:
    size = one.last - one.first
    found = (others.get(word) for word in range(one.first, one.last + 1))
    return any(other is not None and other.last - other.first > size for other in found)


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
            if refs and self._fits(at, last) and (spelt := self._spelt_so(refs, at, last)):
                return self._named(at, last, tuple(spelt))
        return None

    def _fits(self, first: int, last: int) -> bool:
        """Whether no figure is cut in two: 400 is not named in 152'400.00."""
        start, end = self._spans.get(first), self._spans.get(last)
        return (start is None or start[0] >= first) and (end is None or end[1] <= last)

    def _spelt_so(self, refs: Sequence[NameRef], first: int, last: int) -> Sequence[NameRef]:
        """Short and common words are names only in the same letters: US is not us."""
        said = self._tokens.said(first, last)
        if (len(said) > _SHORT or not said.isascii() or said.isdigit()) and said.lower() not in _COMMON:
            return refs
        return [ref for ref in refs if said in ref.value or ref.value.isdigit()]

    def _named(self, first: int, last: int, refs: tuple[NameRef, ...]) -> NameMention:
        tokens, words = self._tokens, self._tokens.words
        start, end = tokens.starts[first], tokens.ends[last]
        led = first - 2 if first > 1 and words[first - 1] in _DETERMINERS else first - 1
        oblique = led >= 0 and words[led] in OBLIQUE
        if not may_set_apart(words[max(0, first - 4) : first] + words[last + 1 : last + 3]):
            return NameMention(start, end, first, last, refs, oblique=oblique)
        before = tokens.before(first, 40)
        excluded = EXCEPT.search(before) is not None or EXCEPT_AFTER.match(tokens.text, end) is not None
        followed = last + 1 < len(words) and words[last + 1] in _GOES_ON
        compared = not followed and COMPARED.search(before) is not None
        return NameMention(start, end, first, last, refs, excluded=excluded, compared=compared, oblique=oblique)

    def short_names(self, names: Sequence[NameMention]) -> Iterator[NameMention]:
        """A part of a name that was said in full before, where no other name has it: Westbrook."""
        tokens, parts = self._tokens, dict[str, tuple[int, NameRef]]()
        for mention in (mention for mention in names if mention.last > mention.first):
            for word in (tokens.words[mention.first], tokens.words[mention.last]):
                if len(word) >= _SHORT and word.isalpha():
                    parts.setdefault(word, (mention.last, mention.names[0]))
        taken = _by_word(names) if parts else {}
        for at, word in enumerate(tokens.words) if parts else ():
            said, ref = parts.get(word, (at, None))
            if ref is None or said >= at or at in taken or not tokens.text[tokens.starts[at]].isupper():
                continue
            if self._index.tables[ref.table].owners.get(ref.column, {}).get(word) == ref.value:
                yield self._named(at, at, (ref,))

    def columns(self) -> Iterator[NameMention]:
        """The words for columns."""
        tokens, known, free = self._tokens, self._index.columns, 0
        roots, lengths = tokens.roots, self._index.column_lengths
        for at, first in enumerate(roots):
            longest = lengths.get(first) if at >= free else None
            for size in range(min(longest, len(roots) - at), 0, -1) if longest is not None else ():
                refs, last = known.get(tuple(roots[at : at + size])), at + size - 1
                if refs and self._fits(at, last) and self._is_word(refs, at, last):
                    yield NameMention(tokens.starts[at], tokens.ends[last], at, last, columns=tuple(refs))
                    free = last + 1
                    break

    def _is_word(self, refs: Sequence[ColumnRef], first: int, last: int) -> bool:
        """Whether a small word stands for a column: TO is not to, and `three` is a number."""
        word = self._tokens.words[first]
        if word.isalpha() and self._spans.get(first) == (first, last):
            return False
        return last > first or word not in FUNCTION or any(self._tokens.said(first, last) == ref.column for ref in refs)
