"""An answer with everything that the checks need to know of it, and the texts that it may name.

Names match after NFKC and case folding, and through declared aliases: they must be equal. Likeness only suggests.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar
from unicodedata import normalize

from veracity.answer.render import Echo, FigureProvenance
from veracity.answer.results import Result, comparable
from veracity.contracts import Cell
from veracity.grounding.binding.answer_page import AnswerPage
from veracity.grounding.binding.bind import Bound, bind_page
from veracity.grounding.binding.results_index import Index
from veracity.grounding.config import UNSPACED, GuardConfig
from veracity.grounding.contracts import DeclaredClaim, Finding, Severity, TraceStep
from veracity.grounding.lists import Listing, bound_to_row_count, listings_of
from veracity.grounding.messages import written_finding
from veracity.grounding.statements.read import statements_of
from veracity.grounding.statements.scene import CheckedStatement
from veracity.grounding.statements.whole_sentences import TextRead, proven_contradictions
from veracity.grounding.taken_together import read_taken_together
from veracity.language.folding import listed
from veracity.language.nearest import words_of
from veracity.language.numbers import Figure, find_figures, locale_of
from veracity.language.sentences import sentences

Found = TypeVar("Found")


@dataclass(frozen=True)
class CheckedAnswer:
    """What every check sees. What several of them need is worked out once, when the first one asks."""

    question: str
    text: str
    """The answer as a person would read it."""
    lang: str
    locale: str
    results: Mapping[str, Result]
    trace: tuple[TraceStep, ...] | None
    config: GuardConfig
    echo: Echo
    claims: tuple[DeclaredClaim, ...] = ()
    proven: tuple[FigureProvenance, ...] | None = None
    """The figures, where the runtime computed them itself: they are not bound a second time."""
    used: frozenset[str] | None = None
    """The results that the answer rests on, where that is known."""
    index: Index | None = None
    """The results as `bind` reads them, where several answers are held against the same."""
    strict: bool = False
    """Whether what cannot be checked blocks, too."""
    names: KnownTexts | None = None
    """What may be named, likewise."""
    as_read: bool = False
    """Whether contradictions are taken as the checks read them, without another look at their sentences."""
    _done: dict[Callable[..., Any], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, work: Callable[[CheckedAnswer], Found]) -> Found:
        """What some work on this answer comes to; it is done for the first check that asks."""
        if work not in self._done:
            self._done[work] = work(self)
        found: Found = self._done[work]
        return found

    def finding(
        self,
        rule: str,
        span: tuple[int, int] | None,
        *,
        key: str | None = None,
        text: str | None = None,
        **values: object,
    ) -> Finding:
        """A finding in the asker's language; a rule that is only to be warned about warns."""
        quoted = text if text is not None else self.text[span[0] : span[1]] if span else ""
        severity = Severity.WARN if rule in self.config.warn else Severity.BLOCK
        return written_finding(rule, self.lang, span, key=key or rule, text=quoted, severity=severity, **values)

    # --- figures

    @cached_property
    def page(self) -> AnswerPage:
        """The answer with all that it names of the results."""
        index = self.index or Index(self.results, self.config.aliases)
        return AnswerPage(self.text, locale_of(self.locale), index)

    @cached_property
    def _bound_alone(self) -> tuple[Bound, ...]:
        """Every figure of the answer, each taken by itself."""
        return bind_page(self.page, echo=self.echo, constants=self.config.constants, claims=self.claims)

    @cached_property
    def statements(self) -> tuple[CheckedStatement, ...]:
        """What the answer says beyond single figures; nothing where the runtime has proven them."""
        if self.proven is not None:
            return ()
        read = self._read(self.page, self._bound_alone)
        if self.as_read:
            return tuple(read.statements)
        read = replace(read, statements=proven_contradictions(read, self._read_again))
        return tuple(read_taken_together(read, self._read_over))

    def _read(self, page: AnswerPage, bound: tuple[Bound, ...]) -> TextRead:
        return TextRead(page, bound, statements_of(page, bound, lang=self.lang, is_known=self.known.holds))

    def _read_again(self, text: str) -> TextRead:
        """Another text, read over the same results."""
        page = AnswerPage(text, locale_of(self.locale), self.page.index)
        return self._read(page, bind_page(page, echo=self.echo, constants=self.config.constants))

    def _read_over(self, text: str, results: Mapping[str, Result]) -> TextRead:
        """A text, read over other results and looked at once more where these contradict it."""
        other = replace(self, text=text, results=results, index=None, claims=())
        read = other._read(other.page, other._bound_alone)
        return replace(read, statements=proven_contradictions(read, other._read_again))

    @cached_property
    def bound(self) -> tuple[Bound, ...]:
        """Every figure of the answer with what it was bound to; none where the runtime has proven them."""
        if self.proven is not None:
            return ()
        settled = {at for one in self.statements if one.truth == "supported" for at in one.settles}
        marked = {at for one in self.statements if one.truth == "not_checkable" for at in one.settles} - settled
        found = [
            _settled(one) if one.figure.start in settled else _marked(one) if one.figure.start in marked else one
            for one in self._bound_alone
        ]
        numbers = {at for listing in self.listings for at in listing.numbers}
        kept = [one for one in found if one.figure.start not in numbers or one.figure.dates]
        return tuple(bound_to_row_count(one, self.text, self.results) for one in kept)

    @property
    def is_proven(self) -> bool:
        """Whether the runtime computed every figure itself."""
        return self.proven is not None and all(one.status == "bound" for one in self.proven)

    @cached_property
    def provenance(self) -> tuple[FigureProvenance, ...]:
        """Where every figure of the answer comes from, in its order."""
        return self.proven if self.proven is not None else tuple(one.provenance for one in self.bound)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The figures that must be borne out, in their order."""
        return tuple(one.figure for one in self.bound) if self.proven is None else self.every_figure

    @cached_property
    def every_figure(self) -> tuple[Figure, ...]:
        """Whatever is written as a figure, also in words."""
        return tuple(find_figures(self.text, self.locale))

    @cached_property
    def rests_on(self) -> frozenset[str]:
        """The results that the answer's figures come from."""
        if self.used is not None:
            return self.used
        return frozenset(arg.result for one in self.provenance if one.status == "bound" for arg in one.args)

    def source_of(self, start: int, end: int) -> FigureProvenance | None:
        """Where the first figure between two places comes from."""
        at = bisect_left(self.provenance, start, key=lambda one: one.span[0])
        return self.provenance[at] if at < len(self.provenance) and self.provenance[at].span[0] < end else None

    def is_cell(self, start: int, end: int) -> bool:
        """Whether the figure between two places is one that stands in a cell."""
        found = self.source_of(start, end)
        return found is not None and found.status == "bound" and found.kind in ("cell", "derived")

    # --- words

    def names_row(self, start: int, end: int) -> bool:
        """Whether these very words name a row or a value, as the page has found already."""
        return self.proven is None and any(
            one.end == end for one in self.page.names.within(start, end) if one.start == start
        )

    @cached_property
    def known(self) -> KnownTexts:
        """What the answer may name."""
        return self.names if self.names is not None else KnownTexts(self.results, self.question, self.config)

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """Where the sentences of the answer stand."""
        if self.proven is not None:
            return tuple(sentences(self.text))
        edges = dict.fromkeys((0, *self.page.ends, len(self.text)))
        return tuple(pairwise(edges))

    @cached_property
    def listings(self) -> tuple[Listing, ...]:
        """The lists of the answer."""
        return listings_of(self.text)

    @cached_property
    def own_words(self) -> str:
        """The answer with spaces in place of whatever the runtime computed: what only its writer answers for."""
        signs = list(self.text)
        for one in self.proven or ():
            if one.status == "bound":
                signs[slice(*one.span)] = " " * (one.span[1] - one.span[0])
        return "".join(signs)

    def is_computed(self, start: int, end: int) -> bool:
        """Whether no letter between two places is its writer's own."""
        return bool(self.proven) and not any(ch.isalpha() for ch in self.own_words[start:end])


# --- the texts that an answer may name


_MARKS = str.maketrans(
    dict.fromkeys("‐‑‒–—―−﹘－", "-") | dict.fromkeys("‘’‛ʼ´`＇", "'") | dict.fromkeys("“”„‟«»「」『』《》〈〉＂", '"')
)
_SPACES = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
_ODD_SPACES = "\t\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u1680\u2028\u2029"
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_NO_DIGITS = re.compile(r"[^0-9]")
_ID_WORDS = listed("id uid guid uuid no nr num number nummer code key ref 编号 号 序号 代码")
_MOST_NEAR = 5_000
"""A suggestion is looked for among so many texts."""
_NEAR_ENOUGH = 80.0
_PART = 4
"""张三 is not a part of 张三丰, but 阿里巴巴 is one of 阿里巴巴集团控股有限公司."""


def normalized(text: str) -> str:
    """A text as names are compared: NFKC, no case, single spaces, one kind of dash and of quotes."""
    return " ".join(_folded(text).split())


def _folded(text: str) -> str:
    """Without width, case, invisible signs and kinds of marks; spaces stay."""
    if text.isascii():
        return text.lower()
    return _INVISIBLE.sub("", normalize("NFKC", text)).translate(_MARKS).casefold()


def bare_name(text: str) -> str:
    """A name as it is compared, without the marks around it: quotes, emphasis, brackets, the full stop."""
    return _without_marks(normalized(text))


def _without_marks(text: str) -> str:
    start, end = 0, len(text)
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return text[start:end]


def _settled(one: Bound) -> Bound:
    """A figure that a verified statement accounts for, though no single cell does."""
    if one.provenance.status == "bound":
        return one
    value = str(one.figure.readings[0]) if one.figure.readings else one.figure.text
    update = {"status": "bound", "kind": "derived", "value": value}
    return Bound(one.figure, one.provenance.model_copy(update=update))


def _marked(one: Bound) -> Bound:
    """A figure that cells come to, though nothing says that it is meant so."""
    return replace(one, provenance=one.provenance.model_copy(update={"status": "ambiguous"}), why="reckoned")


class KnownTexts:
    """The texts of every result, of the question and of the config; read only when something is looked up."""

    def __init__(self, results: Mapping[str, Result], question: str, config: GuardConfig) -> None:
        self._results, self._question, self._config = results, question, config

    def holds(self, text: str) -> bool:
        """Whether a result, the question or the config says this, as whole words."""
        name = bare_name(text)
        if not name or self._stands(name):
            return True
        return any(self._stands(stored) for stored in self._stored.get(name, ())) or self._is_row(name)

    def contains(self, text: str) -> bool:
        """Whether a result, the question or the config has these very signs somewhere."""
        return normalized(text) in self._given or normalized(text) in self._cells

    def is_column(self, text: str) -> bool:
        """Whether it is the name of a column."""
        return bare_name(text) in self._columns

    def is_identifier(self, number: str) -> bool:
        """Whether a row goes by this number: it stands in the key, in a column of ids, or in one named like a thing."""
        return number.lstrip("0") in self._identifiers or number in self._identifiers

    def has_digits(self, text: str) -> bool:
        """Whether a text of a result or the question has the same digits, however they are spaced."""
        digits = _NO_DIGITS.sub("", text)
        stored = (_NO_DIGITS.sub("", line) for line in self._cells.split("\n"))
        return digits in stored or digits in _NO_DIGITS.sub("", self._given)

    def is_given(self, text: str) -> bool:
        """Whether the question or the config says this, as whole words."""
        return stands_in(self._given, bare_name(text), part=1)

    def nearest(self, text: str) -> str | None:
        """The stored text that was probably meant."""
        from rapidfuzz import fuzz, process

        cells = (cell for row in self._rows() for cell in row.values() if isinstance(cell, str) and cell.strip())
        texts = list(dict.fromkeys(cells))[:_MOST_NEAR]
        found = process.extractOne(
            text[:200], texts, scorer=fuzz.WRatio, processor=normalized, score_cutoff=_NEAR_ENOUGH
        )
        return str(found[0]) if found else None

    # --- what there is

    @cached_property
    def _cells(self) -> str:
        """The cells, one text per line."""
        # Amounts are no names: they are left to `bind`.
        cells = {
            cell if isinstance(cell, str) else comparable(cell)
            for result, name in self._naming()
            for row in result.data.rows
            if (cell := row[name]) is not None
        }
        lines = _folded("\n".join(["", *(cell.replace("\n", " ") for cell in cells), ""]))
        spaced = "  " in lines or any(sign in lines for sign in _ODD_SPACES)
        return _SPACES.sub(" ", lines) if spaced else lines

    @cached_property
    def _whole_cells(self) -> frozenset[str]:
        return frozenset(self._cells.split("\n"))

    @cached_property
    def _given(self) -> str:
        """What the question and the config say."""
        return "\n".join(["", normalized(self._question), *map(normalized, self._config.known_names), ""])

    @cached_property
    def _stored(self) -> dict[str, tuple[str, ...]]:
        """What people call a value -> the values it may stand for."""
        called: dict[str, tuple[str, ...]] = {}
        for value, names in self._config.aliases.items():
            for name in map(bare_name, names):
                called[name] = (*called.get(name, ()), bare_name(value))
        return called

    @cached_property
    def _columns(self) -> frozenset[str]:
        names = {name for result in self._results.values() for name in result.columns}
        return frozenset(form for name in names for form in (bare_name(name), bare_name(words_of(name))))

    @cached_property
    def _identifiers(self) -> frozenset[str]:
        nouns = {normalized(noun) for noun in self._config.all_nouns}
        found: set[str] = set()
        for result in self._results.values():
            for name in result.columns:
                words = set(words_of(name).split())
                if name in result.key or words & (_ID_WORDS | nouns) or any(noun in name for noun in nouns):
                    found.update(_digits(row[name]) for row in result.data.rows)
        return frozenset(found - {""})

    @cached_property
    def _places(self) -> dict[str, set[int]]:
        """A whole cell -> the rows that have it."""
        found: dict[str, set[int]] = {}
        for number, row in enumerate(self._rows()):
            for cell in row.values():
                if cell is not None:
                    found.setdefault(bare_name(comparable(cell)), set()).add(number)
        return found

    @cached_property
    def columns(self) -> list[tuple[Result, frozenset[str]]]:
        """The columns that name things: whose they are, and their different values."""
        return [
            (result, frozenset(bare_name(comparable(row[name])) for row in result.data.rows if row[name] is not None))
            for result, name in self._naming()
        ]

    def _naming(self) -> Iterator[tuple[Result, str]]:
        for result in self._results.values():
            yield from (
                (result, name) for name, facts in result.columns.items() if not facts.numeric or name in result.key
            )

    def _rows(self) -> Iterator[dict[str, Cell]]:
        for result in self._results.values():
            yield from result.data.rows

    # --- looking up

    def _stands(self, name: str) -> bool:
        # Most names are whole cells, and those are found at once.
        if name in self._whole_cells or stands_in(self._given, name, part=1):
            return True
        return stands_in(self._cells, name, part=_PART)

    def _is_row(self, name: str) -> bool:
        """Whether it is several whole cells of one row side by side: `1020 Bank`, `Anna Meier`."""
        words = [word for part in name.split() if (word := _without_marks(part))]
        if not 2 <= len(words) <= 12:
            return False
        reached: list[set[int] | None] = [None, *(set[int]() for _ in words)]
        for start in range(len(words)):
            rows = reached[start]
            for end in range(start + 1, len(words) + 1 if rows is None or rows else 0):
                found = self._places.get(" ".join(words[start:end]), set())
                into = reached[end]
                assert into is not None
                into |= found if rows is None else found & rows
        return bool(reached[-1])


def stands_in(lines: str, name: str, *, part: int) -> bool:
    """Whether a line says this as whole words.

    A script without spaces has no words: there it is the line, or a part of one that is so many signs longer.
    """
    place = lines.find(name) if name else -1
    while place >= 0:
        end = place + len(name)
        before, after = lines[place - 1], lines[end]
        if not (_glued(before, name[0]) or _glued(name[-1], after)):
            inside = any(sign.isalnum() and ord(sign) >= UNSPACED for sign in (before, after))
            if not inside or lines.index("\n", end) - lines.rindex("\n", 0, place) - 1 >= len(name) + part:
                return True
        place = lines.find(name, place + 1)
    return False


def _glued(one: str, other: str) -> bool:
    """Whether two signs belong to one word."""
    return one.isalnum() and other.isalnum() and ord(one) < UNSPACED and ord(other) < UNSPACED


def _digits(cell: object) -> str:
    """A cell that is a whole number, or a text of digits; otherwise nothing."""
    if isinstance(cell, bool) or not isinstance(cell, int | float | Decimal | str):
        return ""
    text = comparable(cell)
    return text.lstrip("0") or "0" if text.isascii() and text.isdigit() else ""
