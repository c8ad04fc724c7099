"""One sentence with the rows, columns, values and figures that it names, and the values of the data behind them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple, TypeVar

from veracity.grounding.binding.answer_page import AnswerPage, SaidFigure
from veracity.grounding.binding.bind import Bound
from veracity.grounding.binding.cue_words import FUNCTION, SUBJECTS
from veracity.grounding.binding.mentions import NameMention, TextLine
from veracity.grounding.binding.period_names import WORD_LIKE
from veracity.grounding.binding.results_index import NameRef
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import column_roots, is_dated, is_rank, is_timed, value_at
from veracity.grounding.statements.cues import (
    Adjective,
    Degree,
    cue,
    degrees_in,
    fractions,
    plain_after,
    plain_before,
    quality,
)
from veracity.language.number_words import number_said
from veracity.language.stem import noun_root
from veracity.ontology.fields import FieldRole

_T = TypeVar("_T")
SOME_TIMES = re.compile(
    r"(?<![a-z])(?:(?P<first>first|ersten)|last|final|letzten) (?P<number>[a-z]+|[0-9]{1,2}) "
    r"(?:quarters|months|years|weeks|days|quartale?n?|monate?n?|jahre?n?|wochen|tagen?)(?![a-z])|"
    r"(?:(?P<front>前|头)|最?后)(?P<sign>[两二三四五六七八九]|[0-9]{1,2})个?(?:季度|月|年|周|天)"
)
"""The first two quarters, die letzten drei Monate."""
TIME_BEFORE = re.compile(
    r"(?<![a-z])(?:the (?:year|month|quarter|week) before|(?:the )?(?:previous|prior|preceding|last) (?:year|month|quarter|week)|"
    r"(?:im|gegenueber dem|als im) vor(?:jahr|monat|quartal)|vorjahr\w*|vormonat\w*|vorwoche\w*|vorquartal\w*|vortag\w*)(?![a-z])|上年|前一年|去年|上月|前一个月|上一?周|上个?月|上季度|前一天"
)
Truth = Literal["supported", "contradicted", "not_checkable"]
_CLAUSE = re.compile(r"[;；]|[:：](?=\s|[^\x00-\x7f])")
_CLAUSES = re.compile(
    r"[,;，；](?![0-9０-９])(?!\s(?:from|von) )\s*|\s(?:while|whereas|as (?:did|do|does|was|were|had)|(?<!all )but|während|(?<!ist )(?<!sind )(?<!war )(?<!waren )(?<!hat )(?<!haben )(?<!liegt )(?<!lag )(?:aber|dagegen|hingegen))\s|(?<![反从因然])而(?=[^\x00-\x7f])",
    re.IGNORECASE,
)
_ALL_BUT = re.compile(r"(?<![a-z])all (?:(?:the|our|of the) )?[a-z]+ but\s$", re.IGNORECASE)
"""All rooms but Green: no new part begins."""
_AND = re.compile(r"\s(?:and|und|sowie)\s|和|且", re.IGNORECASE)
_THAN_SIGN = re.compile(r"(?<![相对同环占])比(?![例率重])")
_THAN_OTHERS = re.compile(
    r"(?: [a-z]+){0,4}? (?:than (?:any|all|every|each)|als (?:alle|jede\w*|saemtliche))(?: (?:of the|der|one of the))? (?:other|ander)"
)
"""More than any other is the most."""
_AS_NO_OTHER = re.compile(
    r"(?<![a-z])(?:so (?:viele?|hoch|oft|lange?)|as (?:many|much|high|often|long)) (?:[a-z]+ ){0,2}?(?:wie|as) (?:[a-z]+ )?(?:kein\w* ander\w*|no other|nowhere else|nirgends sonst)(?![a-z])"
)
"""As many as no other is the most, too."""
_BY_DAY: tuple[tuple[Literal["high", "low"], re.Pattern[str]], ...] = (
    (
        "high",
        re.compile(r"(?<![a-z])(?:als letzte[rs]?|last to|the last one to|the last(?= ?[.,;!]| ?$))(?![a-z])|最后一个"),
    ),
    (
        "low",
        re.compile(r"(?<![a-z])(?:als erste[rs]?|first to|the first one to|the first(?= ?[.,;!]| ?$))(?![a-z])|第一个"),
    ),
)
"""Who is first or last by a day."""
_PEAKS: tuple[tuple[Literal["high", "low"], re.Pattern[str]], ...] = (
    (
        "high",
        re.compile(
            r"(?<![a-z])(?:peak(?:s|ed)?(?= (?:in|at|on|during)(?![a-z]))|(?:reached|hit|hits|reaches) (?:its|their|a|the) (?:peak|high|maximum)|(?:hoechststand|hoechstwert|spitzenwert|hoehepunkt))(?![a-z])|峰值|见顶|最高点"
        ),
    ),
    (
        "low",
        re.compile(
            r"(?<![a-z])(?:bottomed out|(?:reached|hit|hits|reaches) (?:its|their|a|the) (?:low|trough|minimum)|(?:tiefststand|tiefstwert|tiefpunkt))(?![a-z])|谷底|最低点"
        ),
    ),
)
"""Revenue peaked in May: it was highest then."""
_STRONGEST = re.compile(r"(?<![a-z])(?P<of>[a-z]{4,})(?P<end>staerk|schwaech|reich)ste[nrsm]?(?![a-z])")
_SMALL = FUNCTION - WORD_LIKE
_SINCE = re.compile(r"(?<![a-z])(?:since|seit|dabei|been (?:with|here|there)|dienstaelt\w*)(?![a-z])|以来")
_DEPTH = frozenset(map(noun_root, ("depth", "tiefe", "depths")))
_MOST_ROWS = 20_000
_BESIDE = 5


@dataclass(frozen=True)
class CheckedStatement:
    """What a check says of a part of a text."""

    truth: Truth
    span: tuple[int, int]
    key: str
    """Which message tells it."""
    settles: frozenset[int] = frozenset()
    """Where the figures start that this accounts for."""
    says: str = ""
    """What the data says there, verified; empty where that is not known."""


class ColumnSeen(NamedTuple):
    """A column that a statement may be about."""

    table: Table
    column: str


OF_TWO = re.compile(
    r"(?<![a-z])(?:of the two|of both|von den beiden|der beiden|von beiden|unter den beiden)(?![a-z])|两者|两[个家名座]中"
)
_THE = re.compile(r"(?<![a-z])(?:the|der|die|das|den)\s*$")
_NO_THAN = re.compile(r"(?! (?:[a-z]+ ){0,3}(?:than|als)(?![a-z]))")
"""Of the two, A is the larger."""


class Scene:
    """One sentence over the data."""

    def __init__(
        self,
        page: AnswerPage,
        line: TextLine,
        bound: Mapping[int, Bound],
        *,
        lang: str = "en",
        is_known: Callable[[str], bool] | None = None,
        of: Scene | None = None,
    ) -> None:
        self.whole = of
        """The sentence that this is a part of."""
        self.page, self.line, self.bound, self.lang = page, line, bound, lang
        self._is_known = is_known
        self._rows: dict[tuple[int, int], frozenset[int]] = {}
        self._degrees: dict[str, list[Degree]] = {}
        self._said: dict[str, re.Match[str] | None] = {}
        self.text = page.text[line.start : line.end]
        self.folded, self._folded_from = page.tokens.folded_part(line.start, line.end)

    @cached_property
    def clause_end(self) -> int:
        """Where the first clause ends: at a semicolon, or at a colon behind which more follows."""
        found = _CLAUSE.search(self.text)
        return self.line.start + found.start() if found is not None else self.line.end

    def part_of(self, said: SaidFigure) -> Scene:
        """The part of the sentence that a figure stands in."""
        return next((part for part in self.clauses if said.figure.start < part.line.end), self)

    @cached_property
    def clauses(self) -> list[Scene]:
        """The parts of the sentence that say something each, as scenes: split at commas, while and but; not in enumerations."""
        edges = [self.line.start]
        for found in _CLAUSES.finditer(self.text):
            start, end = self.line.start + found.start(), self.line.start + found.end()
            if not self._enumerates(start, end) and not _ALL_BUT.search(self.text[: found.end()]):
                edges.append(end)
        edges += self._between_claims()
        edges = [*sorted(set(edges)), self.line.end]
        spans = [(one, two) for one, two in pairwise(edges) if self.page.text[one:two].strip()]
        if len(spans) < 2:
            return [self]
        return [self.part(one, two) for one, two in spans]

    def _between_claims(self) -> list[int]:
        """Where `and` joins two superlatives or changes that are said of a name each: longest in A and shortest in B."""
        if _AND.search(self.text) is None:
            return []  # Most sentences have none, and to find what they claim takes longer.
        claims = [self.original(one.start, one.stop)[0] for one in degrees_in(self.folded, "superlative")]
        for kind in ("up", "down", "unchanged"):
            claims += [self.original(*one.span())[0] for one in cue(kind).finditer(self.folded)]
        cuts: list[int] = []
        for found in _AND.finditer(self.text, 0) if len(claims) > 1 else ():
            cut = self.line.start + found.end()
            begins = max(
                (self.line.start + one.end() for one in _CLAUSES.finditer(self.text, 0, found.start())), default=0
            )
            behind = _CLAUSES.search(self.text, found.end())
            ends = self.line.start + behind.start() if behind is not None else self.line.end
            places = [
                [at for at in told if begins <= at < ends] for told in (claims, [one.start for one in self.names])
            ]
            if all(min(told, default=cut) < cut <= max(told, default=0) for told in places):
                cuts.append(cut)
        return cuts[:1]

    def part(self, start: int, end: int) -> Scene:
        """A part of the sentence as a scene of its own, which may be about what the sentence is about."""
        at = self.page.tokens.at
        line = self.line._replace(start=start, end=end, first=at(start), last=at(end))
        return Scene(self.page, line, self.bound, lang=self.lang, is_known=self._is_known, of=self)

    def _enumerates(self, start: int, end: int) -> bool:
        """Whether names stand right before and right behind a comma; a semicolon ends what is said."""
        text = self.page.text
        if not {";", "；"}.isdisjoint(text[start:end]):
            return False
        before = any(one.end <= start and not text[one.end : start].strip() for one in self.names)
        return before and any(one.start >= end and not text[end : one.start].strip() for one in self.names)

    @property
    def span(self) -> tuple[int, int]:
        """Where the sentence stands, without the spaces around it."""
        before, after = len(self.text) - len(self.text.lstrip()), len(self.text) - len(self.text.rstrip())
        return self.line.start + before, self.line.end - after

    def says(self, kind: str) -> re.Match[str] | None:
        """The first word of a kind that is no part of a name: `Queues that never stall` denies nothing."""
        if kind not in self._said:
            self._said[kind] = self._first_said(kind)
        return self._said[kind]

    def _first_said(self, kind: str) -> re.Match[str] | None:
        for found in cue(kind).finditer(self.folded):
            start, end = self.original(found.start(), found.end())
            if not any(
                one.start <= start and end <= one.end and one.end - one.start > end - start for one in self.names
            ):
                return found
        return None

    @cached_property
    def says_target(self) -> bool:
        """Whether a word says that a target was missed or kept."""
        return self.has("missed", "kept")

    @cached_property
    def fraction(self) -> tuple[re.Match[str], Decimal] | None:
        """The first word for a part of a whole, and that part; five and a half is none."""
        told = [(found, part) for pattern, part in fractions() for found in pattern.finditer(self.folded)]
        for found, part in sorted(told, key=lambda one: one[0].start()):  # Two thirds before the third in it.
            start = self.original(found.start(), found.end())[0]
            mixed = (one.figure for one in self.every_figure if one.figure.kind == "word")
            if not any(one.start < start < one.end for one in mixed):
                return found, part
        return None

    @cached_property
    def parts_of_wholes(self) -> list[Scene]:
        """The parts of the sentence that say a part of a whole each; the sentence itself where it is one."""
        if self.fraction is None:
            return []
        told = [one for one in self.clauses if one.fraction is not None]
        table = self.table
        alone = len(told) == 1 and table is not None and bool(told[0].columns) and len(table.rows) == 1
        return told if len(told) > 1 or alone else [self]

    def has(self, *kinds: str) -> bool:
        """Whether a word of one of these kinds is said."""
        return any(self.says(kind) is not None for kind in kinds)

    def says_apart(self, kind: str) -> bool:
        """Whether a word of a kind is said that is no part of a word for a column: the mean mark is no mean."""
        for found in cue(kind).finditer(self.folded):
            start, end = self.original(found.start(), found.end())
            if not any(one.start <= start and end <= one.end for one in self.columns):
                return True
        return False

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Where a piece of the folded sentence stands in the text."""
        return self.page.tokens.fold.origin(self._folded_from + start, self._folded_from + end)

    def is_known(self, name: str) -> bool:
        """Whether a name stands in a result, in the question or in the config."""
        return self._is_known is None or self._is_known(name)

    def degrees(self, which: Literal["comparative", "superlative"]) -> list[Degree]:
        """The comparatives or superlatives, also of what only a column is called: pünktlicher, of Pünktlichkeit."""
        if which not in self._degrees:
            self._degrees[which] = self._degrees_said(which)
        return self._degrees[which]

    def _degrees_said(self, which: Literal["comparative", "superlative"]) -> list[Degree]:
        found = [self._counted(one) for one in degrees_in(self.folded, which)]
        for stem, root in self.table.qualities if self.table is not None else ():
            adjective = Adjective("high", (root,), None)
            found += [Degree(one.start(), one.end(), adjective) for one in quality(stem, which).finditer(self.folded)]
        if which == "superlative":
            more = degrees_in(self.folded, "comparative")
            of_two = OF_TWO.search(self.folded) is not None
            found += [
                one
                for one in more
                if _THAN_OTHERS.match(self.folded, one.stop)
                or (of_two and _THE.search(self.folded, 0, one.start) and _NO_THAN.match(self.folded, one.stop))
            ]
            most = Adjective("high", None, None)
            found += [Degree(*one.span(), most, counted=True) for one in _AS_NO_OTHER.finditer(self.folded)]
        for which_end, pattern in _BY_DAY if which == "superlative" else ():
            adjective = Adjective(which_end, (), which_end)
            found += [Degree(one.start(), one.end(), adjective) for one in pattern.finditer(self.folded)]
        for which_end, pattern in _PEAKS if which == "superlative" else ():
            peak = Adjective(which_end, None, None)
            found += [Degree(*one.span(), peak, counted=True) for one in pattern.finditer(self.folded)]
        found += self._strongest() if which == "superlative" else []
        found = [self._deepest(one) for one in found] if "tief" in self.folded else found
        return sorted(found, key=lambda one: one.start)

    def _strongest(self) -> Iterator[Degree]:
        """German compounds of what there is most of: das umsatzstärkste Produkt, die besucherschwächsten Tage."""
        for found in _STRONGEST.finditer(self.folded):
            end: Literal["high", "low"] = "low" if found["end"] == "schwaech" else "high"
            yield Degree(*found.span(), Adjective(end, (found["of"],), None))

    def _counted(self, degree: Degree) -> Degree:
        """The most new subscribers are no newest ones: where the adjective is a word for a column, `most` counts it."""
        word = self.folded[degree.start : degree.stop]
        if not word.startswith(("most ", "least ", "more ", "less ")):
            return degree
        at = self.original(degree.start + word.index(" ") + 1, degree.stop)[0]
        if not any(one.start == at for one in self.columns):
            return degree
        end: Literal["high", "low"] = "high" if word[0] == "m" else "low"
        return Degree(degree.start, degree.start + word.index(" "), Adjective(end, None, None), counted=True)

    def compared_so(self) -> list[Degree]:
        """The Chinese adjectives behind 比 or before 于, without signs of names: 比快马[慢], [低]于武汉."""
        found = plain_after(self.folded, "比") if _THAN_SIGN.search(self.folded) else []
        found += plain_before(self.folded, "于") if "于" in self.folded else []
        spans = [(one, self.original(one.start, one.stop)[0]) for one in found]
        return [one for one, at in spans if not any(name.start <= at < name.end for name in self.names)]

    def _deepest(self, degree: Degree) -> Degree:
        """Tief is low, but the deepest lake is the one of the highest depth."""
        word = self.folded[degree.start : degree.stop]
        depths = (
            {column for column in self.table.figures if _DEPTH & column_roots(column)}
            if self.table is not None
            else set()
        )
        measured = set(self.measured(self.table)) if self.table is not None else set()
        if not word.startswith("tief") or not depths or (measured and not measured & depths):
            return degree
        return degree._replace(adjective=Adjective("high", ("depth", "tiefe"), None))

    # --- what is named

    @cached_property
    def names(self) -> list[NameMention]:
        """The names of rows and values, in their order; small words are none."""
        found = self.page.names.among(self.line.first, self.line.last)
        text = self.page.text
        return [
            one
            for one in found
            if one.last > one.first
            or self.page.words[one.first] not in _SMALL
            or (text[one.start : one.end].isupper() and one.end - one.start > 1)  # IT is a department, it is none.
            or self._is_beside_its_column(one)
        ]

    def _is_beside_its_column(self, one: NameMention) -> bool:
        """Whether the word for the column of a small word stands right before or behind it: the pro plan."""
        told = {(ref.table, ref.column) for ref in one.names}
        near = (each for each in self.columns if each.first == one.last + 1 or each.last == one.first - 1)
        return any((ref.table, ref.column) in told for each in near for ref in each.columns)

    @cached_property
    def columns(self) -> list[NameMention]:
        """The words for columns."""
        return list(self.page.columns.among(self.line.first, self.line.last))

    @cached_property
    def figures(self) -> list[SaidFigure]:
        """The figures of the data in the sentence."""
        said = self.page.said
        first = bisect_left(said, self.line.start, key=lambda one: one.figure.start)
        return said[first : bisect_left(said, self.line.end, key=lambda one: one.figure.start)]

    def is_bound(self, one: SaidFigure) -> bool:
        """Whether a figure is what a cell says."""
        bound = self.bound.get(one.figure.start)
        return bound is not None and bound.provenance.status == "bound"

    @cached_property
    def every_figure(self) -> list[SaidFigure]:
        """Those and the number words, in their order."""
        known = {one.figure.start: one for one in self.figures}
        every, numbered = self.page.text_figures.all, self.page.text_figures.items
        first = bisect_left(every, self.line.start, key=lambda one: one.start)
        found = every[first : bisect_left(every, self.line.end, key=lambda one: one.start)]
        meant = (one for one in found if one.start not in numbered and (one.readings or one.kind == "time"))
        return [known.get(one.start) or self.page.place(one) for one in meant]

    def every_figure_behind(self, end: int) -> bool:
        """Whether a figure stands right behind a place: a level [of 10]."""
        return any(end < one.figure.start <= end + _BESIDE for one in self.every_figure)

    @cached_property
    def table(self) -> Table | None:
        """The result that the sentence is about: the one that it names most of."""
        if self.whole is not None:
            return self.whole.table
        if not self.page.tables:
            return None
        told: dict[int, int] = {}
        for mention in self.names:
            for table in {ref.table for ref in mention.names}:
                keyed = any(
                    ref.table == table and ref.column in self.page.tables[table].naming for ref in mention.names
                )
                told[table] = told.get(table, 0) + 2 + keyed
        for mention in self.columns:
            for table in {ref.table for ref in mention.columns}:
                told[table] = told.get(table, 0) + 1
        if told:
            return self.page.tables[max(told, key=lambda number: (told[number], len(self.page.tables[number].rows)))]
        several = [table for table in self.page.tables if len(table.rows) > 1]
        return several[0] if len(several) == 1 else self.page.tables[0] if len(self.page.tables) == 1 else None

    def refs(self, mention: NameMention, table: Table) -> list[NameRef]:
        """What a mention names in a table."""
        return [ref for ref in mention.names if ref.table == table.number]

    def rows(self, mention: NameMention, table: Table) -> frozenset[int]:
        """The rows that a mention stands for."""
        place = (mention.start, table.number)
        if place not in self._rows:
            found: set[int] = set()
            for ref in self.refs_meant(mention, table):
                found.update(table.rows_named(ref.column, ref.value)[:_MOST_ROWS])
            self._rows[place] = frozenset(found)
        return self._rows[place]

    def refs_meant(self, mention: NameMention, table: Table) -> list[NameRef]:
        """What a mention names: the row that it is the key of, and not those that refer to it, unless their column is said."""
        refs = self.refs(mention, table)
        keyed = [ref for ref in refs if ref.column in table.result.key]
        others = {ref.column for ref in refs if ref not in keyed}
        if not keyed or not others:
            return refs
        said = {ref.column for one in self.columns for ref in one.columns if ref.table == table.number}
        return refs if said & others else keyed

    def subjects(self, table: Table) -> list[tuple[NameMention, int]]:
        """The names of single rows that the sentence is about, not those that it compares with; keys before other names."""
        single = [(one, rows) for one in self.names if len(rows := self.rows(one, table)) == 1]
        kept = [(one, next(iter(rows))) for one, rows in single if not one.compared and not one.excluded]
        keyed = [(one, row) for one, row in kept if self.is_key(one, table)]
        return keyed or kept or self._told_together(table)

    def _told_together(self, table: Table) -> list[tuple[NameMention, int]]:
        """Single rows that only names of several columns tell: the gym in February, the gym in March."""
        if table.naming:
            return []
        said = [one for one in self.names if not one.compared and not one.excluded]
        found = {row: one for one in said if (row := self._crossed(one, said, table)) is not None}
        return [(one, row) for row, one in found.items()]

    def _crossed(self, mention: NameMention, others: Sequence[NameMention], table: Table) -> int | None:
        """The one row that a name tells together with the names of other columns."""
        rows, own = self.rows(mention, table), {ref.column for ref in self.refs(mention, table)}
        by_column: dict[str, set[int]] = {}
        for one in others:
            for ref in self.refs(one, table):
                if ref.column not in own:
                    by_column.setdefault(ref.column, set()).update(self.rows(one, table))
        for also in by_column.values():
            rows = rows & also
        return next(iter(rows)) if by_column and len(rows) == 1 else None

    def is_key(self, mention: NameMention, table: Table) -> bool:
        """Whether a mention names rows by their key."""
        return any(ref.column in table.naming for ref in self.refs(mention, table))

    def compared(self, table: Table) -> list[int]:
        """The single rows that the sentence compares with."""
        named = [one for one in self.names if one.compared]
        found = [self.rows(one, table) for one in named]
        single = [next(iter(rows)) for rows in found if len(rows) == 1]
        if single or table.naming:
            return single
        said = [one for one in self.names if not one.excluded]
        return [row for one in named if (row := self._crossed(one, said, table)) is not None]

    # --- what is measured

    def measured(self, table: Table) -> list[str]:
        """The columns of figures that words of the sentence say, nearest to its beginning first."""
        found: dict[str, None] = {}
        for mention in self.columns:
            for ref in mention.columns:
                if ref.table == table.number and ref.column in table.columns and self.is_ordered(table, ref.column):
                    found[ref.column] = None
        return self.of_year(list(found), table)

    def surely_measured(self, table: Table) -> list[str]:
        """The columns that are called by their own names, not only by what they share with others."""
        refs = (ref for one in self.columns for ref in one.columns if ref.sure and ref.table == table.number)
        return self.of_year(list(dict.fromkeys(ref.column for ref in refs if ref.column in table.figures)), table)

    def of_year(self, columns: list[str], table: Table) -> list[str]:
        """Of columns of one measure at several times, those of the times that are said."""
        if len(columns) < 2 or table.number not in self.page.index.families:
            return columns
        return [column for column in columns if column in self.periods(table)] or columns

    def periods(self, table: Table) -> list[str]:
        """The columns whose time is said, in the order in which they are said."""
        found: dict[str, None] = {}
        for mention in self.columns:
            if self.page.is_period(mention):
                found.update(dict.fromkeys(ref.column for ref in mention.columns if ref.table == table.number))
        families = self.page.index.families.get(table.number, {}) if not found else {}
        return list(found) or (self.first_or_last(next(iter(families.values()))) if len(families) == 1 else [])

    def first_or_last(self, times: Sequence[_T]) -> list[_T]:
        """Those of these times that are said by their number: the first two quarters, 后三个月."""
        said = SOME_TIMES.search(self.folded)
        number = number_said(said["number"] or said["sign"], self.lang[:2]) if said is not None else None
        if said is None or number is None or not 1 < number < len(times):
            return []
        return list(times[: int(number)] if said["first"] or said["front"] else times[-int(number) :])

    def of_figures(self, table: Table) -> list[str]:
        """The columns that figures of the sentence were bound to."""
        found: dict[str, None] = {}
        for one in self.figures:
            bound = self.bound.get(one.figure.start)
            if bound is None or bound.provenance.status != "bound" or bound.provenance.kind not in ("cell", "derived"):
                continue
            for arg in bound.provenance.args:
                if arg.result == table.result.data.result_id and arg.column in table.columns:
                    found[arg.column] = None
        return [column for column in found if self.is_ordered(table, column)]

    def of_units(self, table: Table) -> list[str]:
        """The one column that is measured in the unit of a figure of the sentence: 18.5 TB more, of `Traffic (TB)`."""
        units_said = {one.meaning.unit.dimension for one in self.every_figure if one.meaning.unit is not None}
        found = [column for said in units_said for column in table.of_dimension.get(said, ())]
        return found if len(found) == 1 and self.is_ordered(table, found[0]) else []

    def ordered(self, table: Table) -> list[str]:
        """Every column whose values have an order, without those that name rows or rank them."""
        return [
            column
            for column in table.columns
            if self.is_ordered(table, column) and column not in table.result.key and not is_rank(column)
        ]

    def is_ordered(self, table: Table, column: str) -> bool:
        """Whether most cells of a column have a value that can be compared."""
        if table.columns[column].role in (FieldRole.CODE, FieldRole.IDENTIFIER, FieldRole.PERIOD):
            return False
        if column in table.naming and column in table.texts and is_timed(table, column):
            return False  # Months that name the rows are no measure of them.
        if column not in table.are_ordered:
            sample = range(min(len(table.rows), 5))
            known = sum(value_at(table, row, column) is not None for row in sample)
            table.are_ordered[column] = bool(sample) and 2 * known > len(sample)
        return table.are_ordered[column]

    def by_adjective(self, adjective: Adjective, table: Table) -> tuple[list[str], bool]:
        """The columns that an adjective speaks of, and whether that is sure."""
        columns = self.ordered(table)
        if adjective.vague:
            return [], False
        if adjective.of is None:
            return columns, len(columns) == 1
        roots = {noun_root(word) for word in adjective.of}
        named = [column for column in columns if roots & column_roots(column)]
        # The fastest takes the least time, where nothing is called a speed.
        lasts = "duration" in adjective.of or ("speed" in adjective.of and not named)
        lasting = table.of_dimension.get("time", ()) if lasts else ()
        named = [column for column in columns if column in named or column in lasting]
        years = [column for column in table.columns if table.holds_years(column) and column not in table.result.key]
        # Who has been there longest came first; what keeps longest ends last.
        since = "duration" in adjective.of and not named and _SINCE.search(self.folded) is not None
        timed = [c for c in (*columns, *years) if is_dated(table, c)] if adjective.days or since else []
        timed = list(dict.fromkeys(timed))
        found = [*named, *(column for column in timed if column not in named)]
        return (found, len(found) == 1) if found else (columns, False)

    def compared_by(self, adjective: Adjective, table: Table, told: Sequence[str]) -> tuple[Sequence[str], bool]:
        """The columns by which rows are compared, and whether that is sure: longer rides by how long they are, not by how many."""
        columns, sure = self.by_adjective(adjective, table)
        if told and not (sure and adjective.of and set(columns).isdisjoint(told)):
            return told, True
        return columns, sure


def judged(
    span: tuple[int, int],
    held: Sequence[bool],
    *,
    sure: bool,
    key: str,
    says: str = "",
    settles: frozenset[int] = frozenset(),
) -> Iterator[CheckedStatement]:
    """True of every column that may be meant: supported. True of none: contradicted. True of some: it depends on which is meant."""
    if not held:
        return
    if all(held) or (sure and any(held)):
        yield CheckedStatement("supported", span, key, settles=settles)
    elif not any(held):
        yield CheckedStatement("contradicted", span, key, says=says, settles=settles)
    else:
        yield CheckedStatement("not_checkable", span, key, settles=settles)


def table_years(scene: Scene, table: Table) -> list[str]:
    """The columns of one measure at several times, in the order of time: of the one that is said, or of the only one."""
    families = scene.page.index.families.get(table.number, {})
    if len(families) < 2:
        return next(iter(families.values()), [])
    # A month is one of each measure: what else is said tells which, or the figures do.
    plain = {ref for one in scene.columns if not scene.page.is_period(one) for ref in one.columns}
    for measured in (
        {ref.column for ref in plain if ref.table == table.number},
        set(scene.measured(table)),
        set(scene.of_figures(table)),
    ):
        said = [columns for columns in families.values() if measured & set(columns)]
        if len(said) == 1:
            return said[0]
    return []


def row_taken_up(scene: Scene, table: Table) -> set[int]:
    """The one row that the sentence before named, where this one starts with a word for it."""
    page, line = scene.page, scene.line
    at = next((number for number, one in enumerate(page.lines) if one.first == line.first), 0)
    if not at or SUBJECTS.isdisjoint(page.words[line.first : line.first + 2]):
        return set()
    before = Scene(page, page.lines[at - 1], scene.bound, lang=scene.lang)
    return {row for _one, row in before.subjects(table)}
