"""What can be done next with an answer: its query divided, compared, narrowed; each change is run before it is offered."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any

from veracity.contracts import Cell, QueryValidationError
from veracity.errors import QueryFailed
from veracity.semantic.editing import (
    EditKind,
    PickedGroup,
    QueryEdit,
    as_asked,
    divided,
    divisions,
    edits_of,
    edits_of_group,
    groups_of,
)
from veracity.semantic.query import SemanticQuery, to_json
from veracity.semantic.result import ColumnPart, SemanticResult
from veracity.semantic.wording.cells import CellWriter
from veracity.semantic.wording.labels import labels_of
from veracity.semantic.wording.phrases import context_of
from veracity.semantic.wording.read_back import Sentences, read_back, sentence
from veracity.semantic.wording.table import WordedTable, worded_table

if TYPE_CHECKING:
    from veracity.tools.semantic import SemanticTools

_MOST_EDITS, _MOST_DRILLS = 7, 4
_MOST_GROUPS = 60
"""An answer with more groups is not offered."""
_SECONDS = 3.0
"""So long changes are tried; those whose turn has not come are not offered."""
_MOST_TERMS, _MOST_SPLITS = 6, 4
"""A sum of so many parts is written out, and so many divisions are tried for it."""


@dataclass(frozen=True, slots=True)
class OfferedEdit:
    """A change that was run and has an answer."""

    kind: EditKind
    by: str
    """What it divides by, in words."""
    said: str
    """The changed query read back."""
    query: str
    """The changed query as JSON."""


@dataclass(frozen=True, slots=True)
class OfferedGroup:
    """A group of an answer, and what can be done with it."""

    name: str
    edits: tuple[OfferedEdit, ...]


@dataclass(frozen=True, slots=True)
class DerivationTerm:
    """A part of a sum."""

    figure: str
    name: str


@dataclass(frozen=True, slots=True)
class Derivation:
    """A figure as the sum of its few parts, which were fetched by themselves and add up to it exactly."""

    terms: tuple[DerivationTerm, ...]
    total: str
    query: str
    said: str


class EditOffers:
    """Offers changes of queries over one source, in the language of a reader."""

    def __init__(self, tools: SemanticTools, lang: str, *, written: str | None = None) -> None:
        self._tools, self._model, self._lang = tools, tools.model, lang
        self._written = written or lang
        """The language of the answer: its figures look the same, and what is asked next is in the same words."""
        self._known: dict[str, SemanticResult | None] = {}

    async def offered(self, query: SemanticQuery) -> tuple[OfferedEdit, ...]:
        """The changes of a whole answer."""
        before = await self._ran(query)
        if before is None:
            return ()
        offered: list[OfferedEdit] = []
        said = set(as_asked(before.query).by)
        async for edit, found in self._tried(edits_of(before.query, self._model)):
            fewest = len(before.rows) if said < set(edit.query.by) else 1
            if edit.kind is not EditKind.PER or len(found.rows) > fewest:
                offered.append(self._told(edit))
            if len(offered) == _MOST_EDITS:
                break
        return tuple(offered)

    async def offered_for(self, query: SemanticQuery, key: Mapping[str, str]) -> tuple[OfferedGroup, ...]:
        """The changes that are about one row of an answer; nothing where the row is no longer there."""
        found = await self._ran(query)
        row = next((one for one in found.rows if key_of(found, one) == key), None) if found else None
        if found is None or row is None:
            return ()
        words = Sentences(labels_of(self._model, self._lang))
        names = CellWriter(words)
        whole = query.limit is None and not found.truncated
        offered = []
        for group in groups_of(found.query, found.columns, row, self._model):
            own = [c for c in found.columns if c.dimension in group.by]
            shown = [c for c in own if c.part is ColumnPart.NAME] or own
            name = " ".join(names.shown(row[c.column.name], c) for c in shown)
            name = words.days(group.period) if group.period is not None else name
            known = whole and all(one[c.column.name] is not None for one in found.rows for c in own)
            named = await self._by_name(group)
            edits = edits_of_group(found.query, named, self._model, all_known=known)
            offered.append(OfferedGroup(name, await self._drills(edits)))
        return tuple(offered)

    async def _drills(self, edits: Iterable[QueryEdit]) -> tuple[OfferedEdit, ...]:
        told: list[OfferedEdit] = []
        async for edit, found in self._tried(edits):
            if edit.kind is not EditKind.DRILL or len(found.rows) > 1:
                told.append(self._told(edit))
            if sum(one.kind is EditKind.DRILL for one in told) == _MOST_DRILLS:
                break
        return tuple(told)

    async def _by_name(self, group: PickedGroup) -> PickedGroup:
        """A group said by its name, where nothing else has that name."""
        found = await self._ran(group.named) if group.named is not None else None
        alone = found is not None and len(found.rows) == 1 and list(found.rows[0].values()) == [1]
        return group.by_name() if alone else group

    async def derivation(self, query: SemanticQuery) -> Derivation | None:
        """The one figure of an answer as a sum; nothing where no division has few parts that add up to it."""
        before = await self._ran(query)
        whole = as_asked(before.query) if before is not None else query
        if before is None or len(before.rows) != 1 or whole.by or whole.compare or len(whole.show) != 1:
            return None
        total = _figure(before, before.rows[0])
        first = islice(divisions(whole, self._model), _MOST_SPLITS)
        async for edit, found in self._tried(QueryEdit(EditKind.PER, divided(whole, (one,)), (one,)) for one in first):
            parts = [_figure(found, row) for row in found.rows]
            if 2 <= len(parts) <= _MOST_TERMS and not found.overlapping and _adds_up(parts, total):
                return self._derivation(edit, worded_table(found, self._model, self._written), before)
        return None

    def _derivation(self, edit: QueryEdit, parts: WordedTable, before: SemanticResult) -> Derivation:
        whole = worded_table(before, self._model, self._written)
        terms = tuple(DerivationTerm(row.cells[-1].text, row.name) for row in parts.rows)
        told = self._told(edit)
        return Derivation(terms, whole.rows[0].cells[-1].text_with_unit, told.query, told.said)

    # --- one by one

    async def _tried(self, edits: Iterable[QueryEdit]) -> AsyncIterator[tuple[QueryEdit, SemanticResult]]:
        """The changes that have an answer; none is tried twice, and all together not for long."""
        started, seen = perf_counter(), set[str]()
        for edit in edits:
            if perf_counter() - started > _SECONDS:
                return
            found = await self._ran(edit.query)
            if found is None or found.truncated or len(found.rows) > _MOST_GROUPS or not _has_figure(found):
                continue
            if (said := found.query.canonical_json()) not in seen:
                seen.add(said)
                yield edit, found

    async def _ran(self, query: SemanticQuery) -> SemanticResult | None:
        """The rows of a query; nothing where it is refused or fails."""
        said = as_asked(query).canonical_json()
        if said not in self._known:
            try:
                found = await self._tools.run(query)
            except QueryFailed:
                return None
            self._known[said] = None if isinstance(found, QueryValidationError) else found
        return self._known[said]

    def _told(self, edit: QueryEdit) -> OfferedEdit:
        context = context_of(edit.query, self._model)
        # Of a year and a month in columns of their own, the month is said.
        by = Sentences(labels_of(self._model, self._lang)).dimensions(edit.by[-1:], context) if edit.by else ""
        said = sentence(read_back(edit.query, self._model, self._written))
        return OfferedEdit(edit.kind, by, said, json.dumps(to_json(edit.query), ensure_ascii=False))


def key_of(found: SemanticResult, row: Mapping[str, Cell]) -> dict[str, str]:
    """What tells a row of a result apart, as an address can hold it."""
    return {
        c.column.name: "" if (cell := row.get(c.column.name)) is None else f"={cell}"
        for c in found.columns
        if c.dimension is not None
    }


def read_key(text: str) -> dict[str, str]:
    """The key of a row from an address; anything else is no row's key."""
    try:
        read: Any = json.loads(text)
    except ValueError:
        return {}
    return {str(name): str(value) for name, value in read.items()} if isinstance(read, dict) else {}


def _figures(found: SemanticResult) -> list[str]:
    return [c.column.name for c in found.columns if c.part is ColumnPart.FIGURE]


def _has_figure(found: SemanticResult) -> bool:
    names = _figures(found)
    return any(row[name] is not None for row in found.rows for name in names) if names else bool(found.rows)


def _figure(found: SemanticResult, row: Mapping[str, Cell]) -> Cell:
    names = _figures(found)
    return row[names[0]] if len(names) == 1 else None


def _adds_up(parts: list[Cell], total: Cell) -> bool:
    """Whether the parts are numbers that add up to the total, to the last digit."""
    if not all(isinstance(one, int | Decimal) and not isinstance(one, bool) for one in (*parts, total)):
        return False
    return sum((Decimal(str(one)) for one in parts), Decimal(0)) == Decimal(str(total))
