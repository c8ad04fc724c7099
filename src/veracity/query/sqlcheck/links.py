"""Which columns of two entities belong together: along a relation of the ontology, a key that the database declares, or,
without an ontology, by their names.
"""

from __future__ import annotations

from dataclasses import dataclass

from veracity.language.nearest import words_of
from veracity.ontology.descriptor import Cardinality, Relation
from veracity.ontology.fields import FieldRole
from veracity.query.catalog import Catalog, CatalogEntity

_KEY_WORDS = frozenset({"id", "uuid", "key", "number", "no", "nr", "code"})
_ONE_IN_TO = frozenset({Cardinality.MANY_TO_ONE, Cardinality.ONE_TO_ONE})
_ONE_IN_FROM = frozenset({Cardinality.ONE_TO_MANY, Cardinality.ONE_TO_ONE})


@dataclass(frozen=True, slots=True)
class JoinSide:
    """A column of an entity."""

    entity: CatalogEntity
    field: str


@dataclass(frozen=True, slots=True)
class JoinLink:
    """Two columns that belong together, and which of them identifies its row."""

    left_is_key: bool = False
    right_is_key: bool = False

    @property
    def turned(self) -> JoinLink:
        """The same, seen from the other side."""
        return JoinLink(self.right_is_key, self.left_is_key)


def linked(left: JoinSide, right: JoinSide, catalog: Catalog) -> JoinLink | None:
    """How two columns belong together; None when nothing says that they do."""
    if left.entity.name == right.entity.name and left.field == right.field:
        return JoinLink()
    if (declared := _by_key(left, right)) is not None:
        return declared
    if catalog.ontology is None:
        return _by_name(left, right)
    for relation in catalog.ontology.relations:
        for one, other, turn in ((left, right, False), (right, left, True)):
            if (relation.from_entity, relation.to_entity) == (one.entity.name, other.entity.name):
                found = _along(relation, one, other)
                if found is not None:
                    return found.turned if turn else found
    return JoinLink() if _targets(left, catalog) & _targets(right, catalog) else None


# --- along the database's own keys


def _by_key(left: JoinSide, right: JoinSide) -> JoinLink | None:
    """The link of a foreign key; of one over several columns each pair belongs together, and all of them tell the row."""
    for one, other, turn in ((left, right, False), (right, left, True)):
        for key in one.entity.references:
            if other.entity.table is None or key.table != other.entity.table.name:
                continue
            if (one.field, other.field) in zip(key.columns, key.referred, strict=True):
                found = JoinLink(right_is_key=(other.field,) in other.entity.keys)
                return found.turned if turn else found
    return JoinLink() if _held_keys(left) & _held_keys(right) else None


def _held_keys(side: JoinSide) -> set[tuple[str, str]]:
    """The table and column that a column points to; itself, where it is its table's key."""
    found = {
        (key.table, referred)
        for key in side.entity.references
        for column, referred in zip(key.columns, key.referred, strict=True)
        if column == side.field
    }
    home = side.entity.table.name if side.entity.table is not None else None
    return found | ({(home, side.field)} if home is not None and (side.field,) in side.entity.keys else set())


# --- along the ontology's relations


def _along(relation: Relation, from_: JoinSide, to: JoinSide) -> JoinLink | None:
    """The link of a relation, if these are its columns."""
    if relation.via is not None:
        if from_.field != relation.via or not _may_be_key(to, relation.via):
            return None
        return JoinLink(relation.cardinality in _ONE_IN_FROM, relation.cardinality in _ONE_IN_TO)
    if from_.field != to.field:
        return None
    # Without `via` the key is the other entity's grain, where this one has it whole; the grain itself then tells one row.
    whole = bool(to.entity.grain) and all(name in from_.entity.fields for name in to.entity.grain)
    if whole or not (_identifies(from_) and _identifies(to)):
        return JoinLink()
    return JoinLink(relation.cardinality in _ONE_IN_FROM, relation.cardinality in _ONE_IN_TO)


def _may_be_key(to: JoinSide, via: str) -> bool:
    if to.entity.grain == (to.field,) or to.field == via:
        return True
    return _identifies(to) and words_of(via).endswith(words_of(to.field))


def _identifies(side: JoinSide) -> bool:
    declared = side.entity.fields[side.field].declared
    role = declared.role if declared else None
    return role in (FieldRole.IDENTIFIER, FieldRole.CODE) or side.entity.fields[side.field].identifier


def _targets(side: JoinSide, catalog: Catalog) -> set[str]:
    """The entities that a column holds the key of; its own, where it is that key."""
    relations = catalog.ontology.relations if catalog.ontology else ()
    found = {r.to_entity for r in relations if r.from_entity == side.entity.name and r.via == side.field}
    return found | ({side.entity.name} if side.entity.grain == (side.field,) else set())


def is_bare_key(name: str) -> bool:
    """`id` or `number`: every table has one, and they mean different things."""
    return words_of(name) in _KEY_WORDS


# --- without an ontology


def _by_name(left: JoinSide, right: JoinSide) -> JoinLink | None:
    """`orders.customer_id` belongs to `customers.id` and to `customers.customer_id`; two foreign keys of one name do, too."""
    for one, other, turn in ((left, right, False), (right, left, True)):
        if _is_key_of(other, one.field) or (one.entity.name == other.entity.name and _is_reference(one, other)):
            found = JoinLink(right_is_key=True)
            return found.turned if turn else found
    same = words_of(left.field) == words_of(right.field)
    return JoinLink() if same and words_of(left.field).split()[-1] in _KEY_WORDS and not _is_bare(left.field) else None


def _is_reference(one: JoinSide, other: JoinSide) -> bool:
    """`manager_id` of a table against its own `id`."""
    return _is_bare(other.field) and not _is_bare(one.field) and words_of(one.field).split()[-1] in _KEY_WORDS


def _is_bare(name: str) -> bool:
    return len(words_of(name).split()) == 1


def _is_key_of(side: JoinSide, reference: str) -> bool:
    """Whether a column is the key that a name like `customer_id` points to."""
    table = [singular(word) for word in words_of(side.entity.name.rpartition(".")[2]).split()]
    if reference.casefold() == f"{table[-1]}id" == side.field.casefold():
        return True  # `paperid` of `paper`, written in one word
    *thing, last = words_of(reference).split()
    if not thing or last not in _KEY_WORDS:
        return False
    meant = [singular(word) for word in thing]
    if table[-len(meant) :] != meant:
        return False
    return words_of(side.field).split() in ([last], [*thing, last])


def singular(word: str) -> str:
    """An English noun in the singular, as far as its ending tells."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
