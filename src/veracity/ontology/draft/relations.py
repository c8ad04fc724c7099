"""How tables hang together: declared keys, and undeclared ones whose names agree and whose values are all contained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from veracity.errors import QueryFailed
from veracity.ontology.draft.counting import SourceCounter
from veracity.ontology.draft.findings import (
    SURE_FROM,
    ColumnProfile,
    FoundKey,
    FoundRelation,
    FoundSplit,
    Proof,
    TableProfile,
)
from veracity.ontology.draft.names import (
    in_list,
    same_noun,
    says,
    singular,
    split,
    without_first,
    words_for,
)
from veracity.ontology.draft.vocabulary import leading_word
from veracity.sources.source import ColumnType

_SHORTEST_HEAD = 5
_UNNAMED_VALUES = 8
"""Texts that no name ties to a table need so many different values, all of them contained."""
_MOST_UNNAMED = 60
_KINDS = {
    ColumnType.INTEGER: "number",
    ColumnType.DECIMAL: "number",
    ColumnType.TEXT: "text",
}
_FAR_FROM_ONE, _SPARSE = 20, 2
_JUST_NUMBERS = (
    "vague_nouns",
    "kinds",
    "status",
    "adds",
    "may_add",
    "never_adds",
    "averages",
    "levels",
    "counts",
    "codes",
    "years",
    "months",
    "dates",
)
_BY_KEY, _BY_TABLE, _BY_ROLE, _OWN_KIND, _UNNAMED = range(5)
"""How a column names another table: like its key, like the table, with a role before it, as one's superior, or not at all."""


@dataclass(frozen=True)
class Parent:
    """A table that others may point to, by one of its keys."""

    profile: TableProfile
    columns: tuple[str, ...]
    is_key: bool
    """Whether it is the chosen key, not another unique column."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its name."""
        return split(self.profile.name.rpartition(".")[2])

    @property
    def named_after(self) -> bool:
        """Whether the key is called like its table: `customer_id` of customers."""
        words = self.words
        key = split(self.columns[0], frozenset(words) | {singular(word) for word in words})
        return same_noun(key[: len(words)], words) or key == ("id",)


@dataclass(frozen=True)
class _Candidate:
    columns: tuple[str, ...]
    parent: Parent
    how: int
    role: str | None = None

    @property
    def rank(self) -> tuple[int, bool, bool]:
        # The addresses of restaurants have the restaurant's key, too: the table that the key is called after is meant.
        how = self.how if self.parent.named_after else max(self.how, _BY_TABLE)
        return how, not self.parent.named_after, not self.parent.is_key


class RelationFinder:
    """Finds the relations of tables whose keys are known."""

    def __init__(
        self,
        counter: SourceCounter,
        tables: Sequence[TableProfile],
        keys: Mapping[str, FoundKey],
        others: Mapping[str, Sequence[tuple[str, ...]]],
        words: frozenset[str],
    ) -> None:
        self._counter, self._words = counter, words
        self._tables = {table.name: table for table in tables if not table.problem}
        self._keys = keys
        self._parents = [
            Parent(table, columns, columns == (keys[table.name].columns if table.name in keys else ()))
            for table in self._tables.values()
            for columns in dict.fromkeys(
                (*((keys[table.name].columns,) if table.name in keys else ()), *others.get(table.name, ()))
            )
        ]
        self._met: dict[tuple[str, tuple[str, ...], str, tuple[str, ...]], tuple[int, int] | None] = {}

    def find(self) -> Iterator[FoundRelation]:
        """The relations of all tables, one for each column that points somewhere."""
        for table in self._tables.values():
            declared = set[str]()
            for columns, other, referred in table.references:
                if other in self._tables:
                    declared |= set(columns)
                    yield self._declared(table, columns, other, referred)
            taken = set(declared)
            for found in self._composite(table, taken):
                taken |= set(found.columns)
                yield found
            for column in table.columns:
                if column.name not in taken and (single := self._single(table, column)) is not None:
                    yield single

    def _declared(
        self, table: TableProfile, columns: tuple[str, ...], other: str, referred: tuple[str, ...]
    ) -> FoundRelation:
        parent = Parent(self._tables[other], referred, True)
        role = self._role(split(columns[0], self._words), parent) if len(columns) == 1 else None
        return FoundRelation(
            table=table.name,
            columns=columns,
            other=other,
            referred=referred,
            proof="declared",
            evidence="declared as foreign key",
            sure=True,
            role=role,
            one_to_one=self._is_own_key(table, columns),
        )

    def _is_own_key(self, table: TableProfile, columns: tuple[str, ...]) -> bool:
        key = self._keys.get(table.name)
        return key is not None and set(key.columns) == set(columns)

    # --- keys of several columns

    def _composite(self, table: TableProfile, taken: set[str]) -> Iterator[FoundRelation]:
        """Columns that are all called like the parts of another table's key."""
        for parent in self._parents:
            if len(parent.columns) < 2 or parent.profile.name == table.name or set(parent.columns) & taken:
                continue
            if not set(parent.columns) <= set(table.names):
                continue
            if self._is_own_key(table, parent.columns) and len(table.names) <= len(parent.columns):
                continue
            own = parent.columns
            # Parts that are keys of tables themselves lead there; only where none is, both together are one key.
            if all(any(p.columns == (name,) for p in self._parents) for name in own):
                continue
            found = self._held(_Candidate(own, parent, _BY_KEY), table)
            if found is not None:
                yield found

    # --- keys of one column

    def _single(self, table: TableProfile, column: ColumnProfile) -> FoundRelation | None:
        kind = _KINDS.get(column.type)
        if kind is None or (column.type is ColumnType.DECIMAL and column.scale):
            return None
        candidates = sorted(self._candidates(table, column, kind), key=lambda one: one.rank)
        named = [one for one in candidates if one.how < _UNNAMED]
        for one in named:
            if (found := self._held(one, table)) is not None:
                return found
        if named or len(self._tables) > _MOST_UNNAMED:
            return None
        held = [(one.parent, found) for one in candidates if (found := self._held(one, table)) is not None]
        # A table that only adds to another has its key, too: the one that the key is called after is meant.
        first = [found for parent, found in held if parent.named_after] or [found for _, found in held]
        return first[0] if len(first) == 1 else None

    def _candidates(self, table: TableProfile, column: ColumnProfile, kind: str) -> Iterator[_Candidate]:
        named = self._column_words(table, column.name)
        for parent in self._parents:
            if len(parent.columns) != 1:
                continue
            key = parent.profile.column(parent.columns[0])
            same = parent.profile.name == table.name
            mixed = _KINDS.get(key.type) != kind
            if (mixed and not self._may_be_compared(column, key)) or (same and key.name == column.name):
                continue
            if self._is_own_key(table, (column.name,)) and not self._may_extend(table, parent, column.name):
                continue
            how = self._how(named, column, parent, same=same)
            if how is not None and not (mixed and how > _BY_ROLE):
                role = self._role(named, parent) if not self._is_compound_head(named, parent) else None
                yield _Candidate((column.name,), parent, how, role)

    def _may_be_compared(self, column: ColumnProfile, key: ColumnProfile) -> bool:
        """Whether one is a text of whole numbers and the other a number, in an engine that compares them as numbers."""
        texts = [one for one in (column, key) if one.type is ColumnType.TEXT]
        numbers = [one for one in (column, key) if one.type is ColumnType.INTEGER]
        whole = len(texts) == len(numbers) == 1 and texts[0].writing == "number" and not texts[0].scale
        return whole and self._counter.source.dialect == "sqlite"

    def _column_words(self, table: TableProfile, name: str) -> tuple[str, ...]:
        """The words of a column's name, without one that all columns of the table begin with."""
        words = split(name, self._words)
        first = leading_word([split(other, self._words) for other in table.names])
        return without_first(words) if first and words[0] == first else words

    def _may_extend(self, table: TableProfile, parent: Parent, column: str) -> bool:
        """A table whose own key is another table's key adds to it: only where it is called otherwise and has no key of its own name."""
        own = split(table.name.rpartition(".")[2], self._words)
        named = split(column, self._words)
        mine = named == ("id",) or same_noun(named[: len(own)], own)
        return not mine and parent.profile.name != table.name and parent.is_key

    def _how(self, named: Sequence[str], column: ColumnProfile, parent: Parent, *, same: bool) -> int | None:
        key = self._column_words(parent.profile, parent.columns[0])
        table = [
            word for word in split(parent.profile.name.rpartition(".")[2], self._words) if not in_list(word, "stop")
        ]
        bare = [word for word in named if not in_list(word, "identifiers")]
        points = len(bare) < len(named)
        called_alike = column.name == parent.columns[0] or list(named) == list(key)
        if not same and called_alike and len(named) > 1 and (parent.is_key or parent.named_after):
            return _BY_KEY
        if not same and self._is_key_name(named, column, parent):
            return _BY_KEY
        if not same and ((points and bare and same_noun(bare, table)) or self._is_compound_head(named, parent)):
            return _BY_TABLE
        if points and len(bare) > len(table) and same_noun(bare[-len(table) :], table):
            return _BY_ROLE
        if len(key) > 1 and len(named) > len(key) and tuple(named[-len(key) :]) == tuple(key):
            return _BY_ROLE
        number = column.type is ColumnType.INTEGER or column.writing == "number"
        place = bool(bare) and in_list(bare[-1], "places") and (not number or in_list(bare[-1], "status"))
        if not same and not points and bare and same_noun(bare, table) and not place:
            return _BY_TABLE
        if not same and number and not points and self._is_only_head(bare, column, parent):
            return _BY_TABLE
        text = column.type is ColumnType.TEXT and parent.is_key and not same
        if text and len(bare) == 2 and bare[0] in words_for("which_of_them") and same_noun(bare[1:], table):
            return _BY_ROLE
        if same and column.type is ColumnType.INTEGER and " ".join(bare) in words_for("own_kind"):
            return _OWN_KIND
        if column.type is ColumnType.TEXT and parent.is_key and not same and not says(named, "free_texts"):
            return _UNNAMED
        return None

    def _is_only_head(self, bare: Sequence[str], column: ColumnProfile, parent: Parent) -> bool:
        """Whether one word is the last of this table's name, and of no other's: the maker of a model is one of the car makers.

        Not a type or a position, which may be just a number; and most of the other's rows must be pointed to.
        """
        if len(bare) != 1 or not parent.is_key or any(in_list(bare[0], which) for which in _JUST_NUMBERS):
            return False
        heads = [split(one.name.rpartition(".")[2], self._words)[-1:] for one in self._tables.values()]
        alike = [head for head in heads if same_noun(head, bare)]
        most = column.distinct * 2 >= parent.profile.column(parent.columns[0]).distinct
        return most and len(alike) == 1 and same_noun(parent.words[-1:], bare)

    def _is_compound_head(self, named: Sequence[str], parent: Parent) -> bool:
        """Whether the noun before a number is the last part of this table's name, and of no other's: the leiter_nr of kursleiter."""
        noun = named[0] if len(named) == 2 else ""
        number = in_list(named[-1], "identifiers") or in_list(named[-1], "filed_under")
        if not number or len(noun) < _SHORTEST_HEAD or not parent.is_key or in_list(noun, "stop"):
            return False
        lasts = [split(one.name.rpartition(".")[2], self._words)[-1] for one in self._tables.values()]
        ends = [one for one in lasts if singular(one).endswith(singular(noun))]
        own = singular(parent.words[-1])
        return len(ends) == 1 and own.endswith(singular(noun)) and len(own) - len(noun) >= _SHORTEST_HEAD - 1

    def _is_key_name(self, named: Sequence[str], column: ColumnProfile, parent: Parent) -> bool:
        """Whether one word is the name of one table's key only: tid of teachers; or that key without the word code: cds."""
        if len(named) != 1 or not parent.is_key:
            return False
        own = parent.columns[0]
        homes = [other for other in self._parents if other.is_key and other.columns == (own,)]
        if column.name == own and len(homes) == 1:
            # Rows of a laboratory that are told apart by an ID and a day have the ID of something else.
            again = named[0] == "id" and column.distinct < column.filled and _is_of_its_own(parent.profile.column(own))
            return (
                again or (named[0].endswith("id") and len(named[0]) > len("id")) or _is_article_code(named[0], column)
            )
        key = self._column_words(parent.profile, own)
        return (
            len(key) == 2 and key[0] == named[0] and key[1] in words_for("code_words") and named[0] not in self._words
        )

    def _role(self, named: Sequence[str], parent: Parent) -> str | None:
        """What stands in a column's name beside the other table's and its key's."""
        own = {form for word in parent.words for form in (word,)} | set(
            self._column_words(parent.profile, parent.columns[0])
        )
        left = [
            word for word in named if not in_list(word, "identifiers") and not any(same_noun([word], [o]) for o in own)
        ]
        return " ".join(left) or None

    # --- one of those that belong to it

    def parts(self, found: Sequence[FoundRelation]) -> Iterator[FoundRelation]:
        """Texts that name one of the rows that belong to a row: the capital of a state is one of its cities. They are asked about."""
        pointing = {(one.table, name) for one in found for name in one.columns}
        for one in found:
            key = self._keys.get(one.table)
            if not one.sure or len(one.columns) != 1 or key is None or len(key.columns) != 2 or one.table == one.other:
                continue
            (name,) = (
                (column for column in key.columns if column != one.columns[0])
                if one.columns[0] in key.columns
                else ("",)
            )
            owner, own = self._tables[one.other], self._tables[one.table]
            for column in owner.columns if name and own.column(name).type is ColumnType.TEXT else ():
                if (owner.name, column.name) in pointing or not self._may_name(owner, column):
                    continue
                pair, referred = (column.name, one.referred[0]), (name, one.columns[0])
                counted = self._counted(owner, pair, own, referred)
                if (
                    counted is not None
                    and (met := counted[0] - counted[1]) >= _UNNAMED_VALUES
                    and met * 2 >= counted[0]
                ):
                    told = f"{met:,} of {counted[0]:,} are stored there"
                    role = " ".join(split(column.name, self._words))
                    candidate = _Candidate(pair, Parent(own, referred, True), _UNNAMED, role)
                    relation = self._relation(candidate, owner, "consistent", told, sure=False)
                    yield relation.model_copy(update={"part": True})

    # --- things that stand in several rows of their table

    def to_split(self, split_: FoundSplit, found: Sequence[FoundRelation]) -> Iterator[FoundRelation]:
        """Columns of other tables that are called like the name of such a thing and hold only such names."""
        parent = Parent(self._tables[split_.table], (split_.name,), True)
        pointing = {(one.table, name) for one in found for name in one.columns}
        for table in self._tables.values():
            if table.name == split_.table or split_.name not in table.names or (table.name, split_.name) in pointing:
                continue
            candidate = _Candidate((split_.name,), parent, _BY_KEY)
            if len(split(split_.name, self._words)) > 1 and (held := self._held(candidate, table)) is not None:
                yield held

    def _may_name(self, table: TableProfile, column: ColumnProfile) -> bool:
        key = self._keys.get(table.name)
        mine = key is not None and column.name in key.columns
        text = column.type is ColumnType.TEXT and not says(split(column.name, self._words), "free_texts")
        return text and not mine and column.distinct >= _UNNAMED_VALUES

    # --- what the data says

    def _held(self, one: _Candidate, table: TableProfile) -> FoundRelation | None:
        """The relation, where the data does not speak against it."""
        columns = [table.column(name) for name in one.columns]
        parent = one.parent.profile
        keys = [parent.column(name) for name in one.parent.columns]
        empty = not table.rows or not all(column.filled for column in columns)
        if one.how == _UNNAMED and (empty or columns[0].distinct < _UNNAMED_VALUES or not _alike(columns[0], keys[0])):
            return None
        if empty or not parent.rows:
            return (
                self._relation(one, table, "named", "the names agree; there are no values to compare", sure=False)
                if parent.rows or empty
                else None
            )
        if not one.parent.is_key and one.how not in (_BY_KEY, _UNNAMED):
            return None
        if any(
            c.exact and k.exact and c.distinct > k.distinct and len(columns) == 1
            for c, k in zip(columns, keys, strict=True)
        ):
            return None
        counted = self._counted(table, one.columns, parent, one.parent.columns)
        if counted is None or counted[1]:
            return None
        values, rows = counted[0], min(table.rows, columns[0].filled)
        if table.sampled is not None:
            told = f"all {values:,} values in a sample of {table.sampled:,} rows are contained; a sample proves nothing"
            return self._relation(one, table, "consistent", told, sure=False)
        told = f"all {values:,} values of {rows:,} rows are contained in {parent.name}.{'+'.join(one.parent.columns)}"
        if rows < SURE_FROM or values < 2:
            told = f"consistent with {rows} rows, too few to prove it: {told}"
            return self._relation(one, table, "consistent", told, sure=one.how <= _BY_ROLE)
        sure = one.how <= _BY_ROLE or (one.how == _UNNAMED and self._is_certain(columns[0], keys[0]))
        return self._relation(one, table, "proven", told, sure=sure)

    def _is_certain(self, column: ColumnProfile, key: ColumnProfile) -> bool:
        """Texts that are all contained without a name that says so: sure where they take up most of the other's key."""
        return column.type is ColumnType.TEXT and column.distinct * 2 >= key.distinct and key.distinct >= SURE_FROM

    def _counted(
        self, table: TableProfile, columns: tuple[str, ...], parent: TableProfile, referred: tuple[str, ...]
    ) -> tuple[int, int] | None:
        place = (table.name, columns, parent.name, referred)
        if place not in self._met:
            schemas = self._counter.source.tables
            try:
                self._met[place] = self._counter.strays(
                    schemas[table.name], table.rows, columns, schemas[parent.name], referred
                )
            except QueryFailed:
                self._met[place] = None
        return self._met[place]

    def _relation(self, one: _Candidate, table: TableProfile, proof: Proof, told: str, *, sure: bool) -> FoundRelation:
        return FoundRelation(
            table=table.name,
            columns=one.columns,
            other=one.parent.profile.name,
            referred=one.parent.columns,
            proof=proof,
            evidence=told,
            sure=sure,
            role=one.role,
            one_to_one=self._is_own_key(table, one.columns),
        )


def _is_article_code(word: str, column: ColumnProfile) -> bool:
    """Whether a text is called by the code of one kind of thing: sku, isbn; a number or a phone may be anything's."""
    return column.type is ColumnType.TEXT and word in words_for("article_codes")


def _is_of_its_own(key: ColumnProfile) -> bool:
    """Whether a key has gaps or begins far from 1, so that the numbers of something else do not lie in it by chance."""
    low, high = int(key.low or 0), int(key.high or 0)
    return low > _FAR_FROM_ONE or high - low + 1 >= _SPARSE * key.distinct


def _alike(column: ColumnProfile, key: ColumnProfile) -> bool:
    """Whether texts can be those of a key at all: of like length, between its lowest and highest."""
    if column.low is None or key.low is None or column.high is None or key.high is None:
        return False
    lengths = sorted((column.length or 0.0, key.length or 0.0))
    return lengths[0] * 3 >= lengths[1]
