"""Fields that say yes or no, and what is stored for it: whoever has the newsletter has a yes there, not just any value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from veracity.ontology.fields import FieldRole
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import AnyOf, Comparison, Condition
from veracity.sources.source import NUMERIC, ColumnType

_MOST_STORED = 4
"""A field with more values than this says something else than yes or no."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What a field holds for yes and for no. Several conditions: nobody can tell which of them is meant."""

    yes: tuple[Condition, ...]
    no: tuple[Condition, ...]


Truths = Mapping[tuple[str, str], Truth]
"""By entity and field."""


def truths_of(
    model: SemanticModel, values: Mapping[tuple[str, str], Collection[str]], pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], Truth]:
    """The fields that say yes or no; `pairs` are the words for it."""
    known = tuple(pairs)
    return {
        (thing.name, name): truth
        for thing in model.things.values()
        for name, facts in thing.fields.items()
        for truth in _truth(
            f"{thing.name}.{name}",
            facts.column.type,
            values.get((thing.name, name), ()),
            known,
            flag=facts.role is FieldRole.FLAG,
        )
    }


def _truth(
    path: str, kind: ColumnType, stored: Collection[str], pairs: tuple[tuple[str, str], ...], *, flag: bool
) -> Iterator[Truth]:
    if kind is ColumnType.BOOLEAN:
        yield _clear(Comparison(field=path, value=True), Comparison(field=path, value=False))
    elif kind in NUMERIC and flag:
        yield _clear(Comparison(field=path, op="!=", value=0), Comparison(field=path, value=0))
    elif kind is ColumnType.TEXT and 0 < len(stored) <= _MOST_STORED:
        folded = {value.strip().casefold() for value in stored}
        for yes, no in pairs:
            if folded <= {yes, no}:
                sides = [[value for value in stored if value.strip().casefold() == word] for word in (yes, no)]
                yield _clear(_one_of(path, sides[0] or [yes]), _one_of(path, sides[1] or [no]))
                return
        if flag:
            each = tuple(Comparison(field=path, value=value) for value in sorted(stored))
            yield Truth(each, each)


def _one_of(path: str, values: list[str]) -> Condition:
    if len(values) == 1:
        return Comparison(field=path, value=values[0])
    return Comparison(field=path, op="in", value=tuple(sorted(values)))


def _clear(yes: Condition, no: Comparison | Condition) -> Truth:
    """Whether rows without any value count as no is asked back where there are such rows."""
    assert isinstance(no, Comparison)
    missing = Comparison(field=no.field, op="missing")
    return Truth((yes,), (no, AnyOf(conditions=(no, missing))))
