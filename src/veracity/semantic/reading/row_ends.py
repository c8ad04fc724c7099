"""The two ends that rows tell of one other table: which relations lead there, and queries in which such an end is set, widened or told apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from veracity.language.nearest import words_of
from veracity.language.way_roles import EndRole, end_called
from veracity.semantic.graph import SemanticModel, Step, Way, names_of
from veracity.semantic.query import (
    AnyOf,
    Comparison,
    Condition,
    FigureComparison,
    Negation,
    Related,
    SemanticQuery,
    Shown,
    all_of,
    conditions_in,
    parts_of,
)
from veracity.semantic.reading.ways import Part, WayFiller

_ENDS = 2


@dataclass(frozen=True)
class RowEnds:
    """Rows that point to the same other table by two columns, each of which is one end of a pair."""

    rows: str
    other: str
    steps: Mapping[EndRole, Step]

    def at(self, way: Way) -> EndRole | None:
        """The end that a way leads over, in either direction."""
        relations = {id(step.relation): role for role, step in self.steps.items()}
        return next((relations[id(step.relation)] for step in way if id(step.relation) in relations), None)


_KNOWN: WeakKeyDictionary[SemanticModel, tuple[RowEnds, ...]] = WeakKeyDictionary()


def ends_of(model: SemanticModel) -> tuple[RowEnds, ...]:
    """All such rows of a model; looked for once."""
    if model not in _KNOWN:
        _KNOWN[model] = tuple(_ends_of(model))
    return _KNOWN[model]


def _ends_of(model: SemanticModel) -> Iterator[RowEnds]:
    for rows, steps in model.steps.items():
        for other in dict.fromkeys(step.end for step in steps if step.to_one and not step.inverse):
            forth = [step for step in steps if step.end == other and step.to_one and not step.inverse]
            told = {role: step for step in forth if (role := end_of(step)) is not None}
            pairs = {role.pair for role in told}
            if len(forth) == len(told) == _ENDS and len(pairs) == 1:
                yield RowEnds(rows, other, told)


def end_of(step: Step) -> EndRole | None:
    """Which end a relation leads to, by what its column is called, else by its own name."""
    columns = [own for hop in step.hops[:1] for own, _ in hop.keys]
    by_column = end_called(word for name in columns for word in words_of(name).split())
    relation = step.relation
    return by_column or (end_called(words_of(relation.name).split()) if relation and relation.name else None)


class EndSetter(WayFiller):
    """Walks through a query and sets the end of every way that leads over one; notes which ends it met."""

    def __init__(self, model: SemanticModel, ends: RowEnds, role: EndRole | None) -> None:
        super().__init__(model, {})
        self._ends, self._role = ends, role
        self.met: list[EndRole] = []
        self.bare = 0
        """How many conditions only say that there is such an end, which every row has."""

    def place(self, part: Part, start: str, end: str | None) -> Part:
        """A part whose way leads over the end that is wanted."""
        way = self.model.way(start, part.via) if part.via and end else None
        met = self._ends.at(way) if way else None
        if way is None or met is None:
            return part
        self.met.append(met)
        if isinstance(part, Related) and not way[0].inverse and part.count is None and part.related.where is None:
            self.bare += not (part.related.limit or part.related.by)
        if self._role is None:
            return part
        wanted = self._ends.steps[self._role]
        return part.model_copy(update={"via": names_of(tuple(self._turned(step, wanted) for step in way))})

    def _turned(self, step: Step, wanted: Step) -> Step:
        if self._ends.at((step,)) is None:
            return step
        return next(
            one
            for one in self.model.steps[step.start]
            if one.relation is wanted.relation and one.inverse is step.inverse
        )


def set_to(query: SemanticQuery, model: SemanticModel, ends: RowEnds, role: EndRole) -> SemanticQuery:
    """The query with one end wherever it leads over one."""
    return EndSetter(model, ends, role).query(query).normalized()


def met_in(query: SemanticQuery, model: SemanticModel, ends: RowEnds) -> EndSetter:
    """What a query says of the ends."""
    looking = EndSetter(model, ends, None)
    looking.query(query)
    return looking


def is_twice_there(query: SemanticQuery, ends: RowEnds) -> bool:
    """Whether rows are to have two different things at one end, which none has."""
    ties = [one for one in parts_of(query.where) if isinstance(one, Related)]
    taken = [one.via[0] for one in ties if query.of == ends.rows and one.via and one.count is None]
    mine = {step.name for step in ends.steps.values()}
    if any(name in mine and taken.count(name) > 1 for name in taken):
        return True
    return any(is_twice_there(one.related, ends) for one in ties)


def narrowed(query: SemanticQuery, rows: str, further: Sequence[Condition]) -> SemanticQuery | None:
    """The query with conditions on those rows wherever it is about them; nothing where it is not.

    Nothing either where it is about a share or compares with other rows: what is asked of them would no longer be clear.
    """
    if any(one.ratio or one.rows for one in query.show) or any(map(_compares_rows, conditions_in(query.where))):
        return None
    if query.of == rows:
        return query.model_copy(update={"where": all_of((*parts_of(query.where), *further))}).normalized()
    changed = False

    def shown(one: Shown) -> Shown:
        nonlocal changed
        home = one.of or (one.field or "").rpartition(".")[0]
        if home != rows or one.aggregate is None:
            return one
        changed = True
        return one.model_copy(update={"where": all_of((*parts_of(one.where), *further))})

    def inner(part: Condition) -> Condition:
        nonlocal changed
        updates: dict[str, object] = {}
        if isinstance(part, Related) and (told := narrowed(part.related, rows, further)) is not None:
            updates["related"] = told
        elif hasattr(part, "conditions"):
            updates["conditions"] = tuple(map(inner, part.conditions))
        elif hasattr(part, "condition"):
            updates["condition"] = inner(part.condition)
        elif isinstance(getattr(part, "show", None), Shown):
            updates["show"] = shown(part.show)  # type: ignore[union-attr]
        changed = changed or "related" in updates
        return part.model_copy(update=updates) if updates else part

    told = query.model_copy(
        update={
            "show": tuple(map(shown, query.show)),
            "where": all_of(map(inner, parts_of(query.where))),
            "order": tuple(one.model_copy(update={"by": shown(one.by)}) for one in query.order),
        }
    )
    return told.normalized() if changed else None


def _compares_rows(condition: Condition) -> bool:
    return isinstance(condition, Comparison | FigureComparison) and isinstance(condition.value, SemanticQuery)


def either_end(queries: Sequence[SemanticQuery], model: SemanticModel) -> tuple[SemanticQuery, ...]:
    """The queries; and where two differ in the end that a condition is about, also that it is true of either."""
    found = dict.fromkeys(queries)
    for ends in ends_of(model):
        for one in queries:
            other = next((two for two in queries if two != one and _differ_in(one, two, model, ends)), None)
            both = _either(one, other) if other is not None else None
            if both is not None and both not in found:
                found[both] = None
                break
    return tuple(found)


def _differ_in(one: SemanticQuery, two: SemanticQuery, model: SemanticModel, ends: RowEnds) -> bool:
    role = next(iter(ends.steps))
    return set_to(one, model, ends, role) == set_to(two, model, ends, role)


def _either(one: SemanticQuery, two: SemanticQuery) -> SemanticQuery | None:
    """A query for what either of two finds, where they differ in one condition on their own rows."""
    if one.model_copy(update={"where": None}) != two.model_copy(update={"where": None}):
        return None
    left, right = parts_of(one.where), parts_of(two.where)
    own, others = ([part for part in a if part not in b] for a, b in ((left, right), (right, left)))
    if len(own) != 1 or len(others) != 1:
        return None
    if isinstance(own[0], Negation) and isinstance(
        own[0].condition, Related
    ):  # without matches: neither at home nor away
        return one.model_copy(update={"where": all_of((*left, *others))}).normalized()
    if not isinstance(own[0], Related) or own[0].count:
        return None
    shared = [part for part in left if part in right]
    return one.model_copy(update={"where": all_of((*shared, AnyOf(conditions=(own[0], others[0]))))}).normalized()


def in_either_order(one: SemanticQuery, two: SemanticQuery) -> SemanticQuery | None:
    """A query for what one of two finds, whose conditions on their own rows differ."""
    if one.model_copy(update={"where": None}) != two.model_copy(update={"where": None}):
        return None
    left, right = parts_of(one.where), parts_of(two.where)
    own, others = ([part for part in a if part not in b] for a, b in ((left, right), (right, left)))
    shared = [part for part in left if part in right]
    sides = [all_of(side) for side in (own, others)]
    if None in sides:
        return None
    orders = AnyOf(conditions=tuple(side for side in sides if side is not None))
    return one.model_copy(update={"where": all_of((*shared, orders))}).normalized()


def told_apart_by_end(queries: Sequence[SemanticQuery], model: SemanticModel) -> bool:
    """Whether some of the queries differ only in an end: their figures may agree by chance, and still say different things."""
    return any(
        _differ_in(one, two, model, ends)
        for ends in ends_of(model)
        for place, one in enumerate(queries)
        for two in queries[place + 1 :]
    )
