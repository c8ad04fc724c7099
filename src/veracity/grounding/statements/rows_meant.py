"""The rows that a sentence may speak of, in every way that its words leave open: each alone, with others, and those that are left."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations, islice

from veracity.grounding.binding.cue_words import FUNCTION
from veracity.grounding.binding.mentions import NameMention
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import is_timed, values_of
from veracity.grounding.statements.scene import Scene
from veracity.grounding.statements.spoken_rows import OTHERS
from veracity.language.folding import fold, words_in

Rows = frozenset[int]

_MOST_ROWS, _MOST_TABLES = 60, 4
"""Of larger results some cells come to anything: what fits them is no reading."""
_MOST_GROUPS, _MOST_NAMED = 40, 12
_LONG, _LONGEST = 4, 80
"""A word of so many letters may be a part of a name, and texts of more are none."""
_SEVERAL = 2


class RowsMeant:
    """The rows of one sentence."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.page = scene, scene.page
        self._groups: dict[int, list[Rows]] = {}
        self._of_names: dict[int, list[Rows]] = {}

    @cached_property
    def tables(self) -> list[Table]:
        """The results that are small enough, the one that the sentence is about first."""
        every = [self.scene.table, *(table for table in self.page.tables if table is not self.scene.table)]
        small = (table for table in every if table is not None and 0 < len(table.rows) <= _MOST_ROWS and table.whole)
        return list(islice(small, _MOST_TABLES))

    @cached_property
    def names(self) -> list[NameMention]:
        """The names of the sentence; where it has none, those of the one before it and of the line above a list."""
        if self.scene.names:
            return self.scene.names
        page, line = self.page, self.scene.line
        at = next((number for number, one in enumerate(page.lines) if one.start <= line.start < one.end), 0)
        lines = (page.lines[number] for number in {at - 1, line.above} & set(range(at)))
        return [one for each in lines for one in page.names.among(each.first, each.last)]

    @cached_property
    def is_plain(self) -> bool:
        """Whether a sentence says one thing, so that what it says of a row is not said of another."""
        return len(self.scene.clauses) == 1 and len(self.scene.figures) < _SEVERAL

    def groups(self, table: Table) -> list[Rows]:
        """The rows that may be meant together: those that are told, several names taken together, and the rest of each."""
        if table.number not in self._groups:
            every, named, told = frozenset(range(len(table.rows))), self.named(table), self.told(table)
            keyed = frozenset(row for rows in named if len(rows) == 1 for row in rows)
            unions = (one | other for one, other in combinations(named, 2))
            rest = [every - rows for rows in (*told, keyed)] if OTHERS.search(self.scene.folded) else []
            found = dict.fromkeys((*told, keyed, *unions, *rest))
            self._groups[table.number] = list(filter(None, found))[:_MOST_GROUPS]
        return self._groups[table.number]

    def named(self, table: Table) -> list[Rows]:
        """The rows of each name, and those with a word of the sentence in their texts."""
        if table.number not in self._of_names:
            rows = (self.scene.rows(one, table) for one in self.names)
            found = dict.fromkeys((*filter(None, rows), *self._by_words(table)))
            self._of_names[table.number] = list(found)[:_MOST_NAMED]
        return self._of_names[table.number]

    def told(self, table: Table) -> list[Rows]:
        """The rows that words tell: all, those of a name or a flag, those of two of these."""
        some = [
            *self.named(table),
            *(rows for one in self.scene.columns[:_MOST_NAMED] for rows in self._flags(one, table)),
        ]
        both = (one & other for one, other in combinations(some, 2))
        return list(dict.fromkeys(filter(None, (frozenset(range(len(table.rows))), *some, *both))))

    def _flags(self, mention: NameMention, table: Table) -> Iterator[Rows]:
        """The rows of which a column that is named says yes, and those that have something of it; where something is denied, the others."""
        every = frozenset(range(len(table.rows)))
        denied = self.scene.has("negated", "without", "none")
        for ref in mention.columns:
            if ref.table == table.number and ref.column in table.columns:
                filled = frozenset(row for row, value in values_of(table, ref.column).items() if value)
                for rows in (table.rows_flagged(ref.column) or frozenset(), filled):
                    if rows and rows != every:
                        yield every - rows if denied else rows

    def _by_words(self, table: Table) -> Iterator[Rows]:
        """The rows with a word of the sentence in their texts: Gerber, of Tobias Gerber."""
        line = self.scene.line
        said = {word for word in self.page.words[line.first : line.last] if len(word) >= _LONG and word not in FUNCTION}
        found: dict[str, set[int]] = {}
        for column in (column for column in table.texts if not is_timed(table, column)):
            for row, cells in enumerate(table.rows):
                for word in said.intersection(words_in(fold(str(cells[column] or "")[:_LONGEST]).text)):
                    found.setdefault(word, set()).add(row)
        yield from (frozenset(rows) for rows in found.values() if len(rows) < len(table.rows))

    def single(self, table: Table) -> list[int]:
        """The rows that a name tells alone, or two names together."""
        return sorted({next(iter(rows)) for rows in self.told(table) if len(rows) == 1})
