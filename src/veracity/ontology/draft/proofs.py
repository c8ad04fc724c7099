"""What the data proves of figures: headers that are the sum of their details, copies of one value, products of two others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from veracity.errors import QueryFailed
from veracity.ontology.draft.counting import SourceCounter
from veracity.ontology.draft.findings import SURE_FROM, ColumnProfile, FoundKey, FoundRelation, TableProfile
from veracity.ontology.draft.names import ends_in, in_list, says, split
from veracity.ontology.draft.sight import Proofs
from veracity.sources.source import NUMERIC, ColumnType, TableSchema, identifier

_MOST_TRIED = 24
_FEWEST_GROUPS = 5
_MOST_FIGURES = 6
_FIRST = 20_000
Place = tuple[str, str]


class Prover:
    """Looks for what the figures of tables say of each other."""

    def __init__(
        self,
        counter: SourceCounter,
        tables: Sequence[TableProfile],
        keys: Mapping[str, FoundKey],
        relations: Sequence[FoundRelation],
        words: frozenset[str],
    ) -> None:
        self._counter, self._keys, self._words = counter, keys, words
        self._tables = {t.name: t for t in tables if not t.problem and t.sampled is None}
        self._relations = relations
        self._pointing = {(one.table, name) for one in relations for name in one.columns}

    def proofs(self) -> tuple[Proofs, dict[str, str]]:
        """What was proven, and by table the expressions over details whose sums their headers hold."""
        sums, expressions = dict[Place, str](), dict[str, str]()
        for relation in self._relations:
            for place, told, expression in self._header_sums(relation):
                sums.setdefault(place, told)
                if expression:
                    expressions.setdefault(relation.table, expression)
        copies = {place: told for table in self._tables.values() for place, told in self._copies(table)}
        products = {place: told for table in self._tables.values() for place, told in self._products(table)}
        return Proofs(sums, copies, products), expressions

    def _figures(self, table: TableProfile) -> list[ColumnProfile]:
        """Numbers that may be figures, at most a few."""
        key = self._keys.get(table.name)
        own = set(key.columns) if key else set()
        found = [
            column
            for column in table.columns
            if column.type in NUMERIC
            and column.name not in own
            and (table.name, column.name) not in self._pointing
            and column.distinct > 1
            and not column.mixed
            and not in_list(split(column.name, self._words)[-1], "identifiers")
            and not ends_in(split(column.name, self._words), "years")
        ]
        return found[:_MOST_FIGURES]

    # --- the header is the sum of its details

    def _header_sums(self, relation: FoundRelation) -> Iterator[tuple[Place, str, str | None]]:
        child, parent = self._tables.get(relation.table), self._tables.get(relation.other)
        if not relation.sure or child is None or parent is None or child is parent or parent.rows < SURE_FROM:
            return
        if relation.one_to_one or child.rows <= parent.rows:
            return
        totals = [c for c in self._figures(parent) if not ends_in(split(c.name, self._words), "averages")]
        lines = self._figures(child)
        # A price is the sum by accident where every quantity is one: it is only looked at in products.
        single = [(identifier(c.name), (c.name,)) for c in lines if not ends_in(split(c.name, self._words), "averages")]
        pairs = [
            (f"{identifier(a.name)} * {identifier(b.name)}", (a.name, b.name))
            for a, b in combinations(self._factors(child), 2)
            if not (a.type is b.type is ColumnType.FLOAT)
        ]
        tried = 0
        for total in totals:
            for expression, parts in (*single, *pairs):
                tried += 1
                if tried > _MOST_TRIED:
                    return
                if (counted := self._sums(relation, expression, total.name)) is None:
                    continue
                told = f"{relation.other}.{total.name} is the sum of {relation.table}'s {' x '.join(parts)} in all {counted:,} rows"
                yield (relation.other, total.name), told, None
                if len(parts) == 1:
                    yield (relation.table, parts[0]), told, None
                else:
                    yield (relation.other, total.name), told, " * ".join(parts)

    def _factors(self, table: TableProfile) -> list[ColumnProfile]:
        """Figures that may be multiplied, also one that is the same in all rows."""
        key = self._keys.get(table.name)
        own = set(key.columns) if key else set()
        return [
            column
            for column in table.columns
            if column.type in NUMERIC
            and column.name not in own
            and (table.name, column.name) not in self._pointing
            and column.filled
            and not column.mixed
            and any(says(split(column.name, self._words), which) for which in ("counts", "averages", "adds"))
        ][:_MOST_FIGURES]

    def _sums(self, relation: FoundRelation, expression: str, total: str) -> int | None:
        """Over how many rows the header holds the sum; nothing where it does not, or too few rows tell."""
        schemas = self._counter.source.tables
        keys = list(zip(relation.columns, relation.referred, strict=True))
        child, parent = schemas[relation.table], schemas[relation.other]
        try:
            counted, differ = self._counter.differing_sums(child, keys, expression, parent, total)
        except QueryFailed:
            return None
        return counted if counted >= SURE_FROM and not differ else None

    # --- copies

    def _copies(self, table: TableProfile) -> Iterator[tuple[Place, str]]:
        """Figures that are the same in all rows of a repeated name: the river's length, once per state."""
        schema = self._counter.source.tables[table.name]
        groups = list(self._repeated(table))
        for column in self._figures(table):
            if column.distinct < _FEWEST_GROUPS:
                continue
            for group in groups:
                if (told := self._copied(schema, group, column.name)) is not None:
                    yield (table.name, column.name), told
                    break

    def _repeated(self, table: TableProfile) -> Iterator[str]:
        """Names and keys of other tables that stand in several rows."""
        for column in table.columns:
            words = split(column.name, self._words)
            named = column.type is ColumnType.TEXT and ends_in(words, "names")
            most = column.filled if column.exact else 0.8 * column.filled
            if (named or (table.name, column.name) in self._pointing) and 1 < column.distinct < most:
                yield column.name

    def _copied(self, schema: TableSchema, group: str, value: str) -> str | None:
        try:
            if self._counter.copies(schema, group, value, first=_FIRST)[1]:
                return None  # a part refutes it already
            several, differ = self._counter.copies(schema, group, value)
        except QueryFailed:
            return None
        if several < _FEWEST_GROUPS or differ:
            return None
        return f"the same in all rows of one {group}, in {several:,} of {several:,} groups: a copy, not to be added up"

    # --- products

    def _products(self, table: TableProfile) -> Iterator[tuple[Place, str]]:
        """Figures that are the product of a price and a quantity beside them."""
        schema, factors = self._counter.source.tables[table.name], self._factors(table)
        prices = [c for c in factors if says(split(c.name, self._words), "averages")]
        counts = [c for c in factors if says(split(c.name, self._words), "counts")]
        for price in prices:
            for count in counts:
                for result in self._figures(table):
                    if result.name in (price.name, count.name) or price is count:
                        continue
                    try:
                        counted, differ = self._counter.products(schema, price.name, count.name, result.name)
                    except QueryFailed:
                        continue
                    if counted >= SURE_FROM and not differ:
                        told = f"{price.name} x {count.name} in all {counted:,} rows that tell"
                        yield (table.name, result.name), told
