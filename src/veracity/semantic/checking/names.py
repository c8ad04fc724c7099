"""The names of a query, resolved against the model: entities, fields, measures and the relations between them."""

from __future__ import annotations

from collections.abc import Iterable

from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.language.nearest import nearest
from veracity.ontology.entities import Measure
from veracity.query.catalog import FieldFacts
from veracity.semantic.graph import SemanticModel, Thing, Way, names_of

_SHOWN = 24


class Refused(Exception):
    """Carries the problem of a query to where it is returned as a result."""

    def __init__(self, code: ValidationErrorCode, name: str | None, hint: str, suggestion: str | None = None) -> None:
        self.problem = QueryValidationError(code=code, field=name, hint=hint, suggestion=suggestion)


def near_name(written: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant; one that differs in case only comes first."""
    names = list(known)
    folded = written.casefold()
    return next((name for name in names if name.casefold() == folded), None) or nearest(written, names)


def thing_called(model: SemanticModel, name: str) -> Thing:
    """The entity of that name."""
    if (thing := model.things.get(name)) is not None:
        return thing
    meant = model.catalog.synonyms.get(name.casefold())
    near = meant if meant in model.things else near_name(name, model.things)
    raise Refused(ValidationErrorCode.TABLE_NOT_FOUND, name, f"There is no entity {clip(name, _SHOWN)}.", near)


def measure_called(model: SemanticModel, name: str) -> tuple[Thing, Measure]:
    """The measure of that name, and its entity."""
    if name in model.measures:
        entity, measure = model.measures[name]
        return model.things[entity], measure
    near = near_name(name, model.measures)
    raise Refused(ValidationErrorCode.FIELD_NOT_FOUND, name, f"There is no measure {clip(name, _SHOWN)}.", near)


def split_field(model: SemanticModel, name: str) -> tuple[Thing, str]:
    """`Entity.field` -> the entity and its field."""
    dots = [place for place, sign in enumerate(name[:500]) if sign == "."]
    entity, field = next(
        ((name[:dot], name[dot + 1 :]) for dot in dots if name[:dot] in model.things), name.rpartition(".")[::2]
    )
    code = ValidationErrorCode.FIELD_NOT_FOUND
    if not entity:
        homes = [f"{thing.name}.{name}" for thing in model.things.values() if name in thing.fields]
        raise Refused(
            code, name, f"Write {clip(name, _SHOWN)} with its entity: Entity.field.", ", ".join(homes[:3]) or None
        )
    thing = thing_called(model, entity)
    if field not in thing.fields:
        near = thing.catalog.synonyms.get(field.casefold())
        near = near if near in thing.fields else near_name(field, thing.fields)
        hint = f"{clip(thing.name, _SHOWN)} has no field {clip(field, _SHOWN)}."
        raise Refused(code, name, hint, f"{thing.name}.{near}" if near else None)
    return thing, field


def facts_of(model: SemanticModel, name: str) -> FieldFacts:
    """What is known of `Entity.field`, which is there."""
    thing, field = split_field(model, name)
    return thing.fields[field]


def way_between(model: SemanticModel, start: str, via: tuple[str, ...], end: str, name: str) -> Way:
    """The way that `via` spells, else the only shortest one; `name` is what is looked for at its end."""
    code = ValidationErrorCode.TABLE_NOT_FOUND if name in model.things else ValidationErrorCode.FIELD_NOT_FOUND
    if via:
        return _spelt_way(model, start, via, end)
    ways = model.ways(start, end)
    if not ways:
        hint = f"nothing relates {clip(start, _SHOWN)} to {clip(end, _SHOWN)}"
        raise Refused(code, name, hint)
    if len(ways) > 1:
        spelt = " or ".join(" > ".join(names_of(way)) for way in ways[:5])
        hint = f"Several ways lead from {clip(start, 18)} to {clip(end, 18)}; say one in `via`."
        raise Refused(ValidationErrorCode.AMBIGUOUS_GRAIN, name, hint, spelt)
    return ways[0]


def _spelt_way(model: SemanticModel, start: str, via: tuple[str, ...], end: str) -> Way:
    here = start
    for name in via:
        steps = {step.name: step for step in model.steps.get(here, ())}
        if name not in steps:
            hint = f"{clip(here, _SHOWN)} has no relation {clip(name, _SHOWN)}."
            near = near_name(name, steps) or ", ".join(list(steps)[:5]) or None
            raise Refused(ValidationErrorCode.FIELD_NOT_FOUND, name, hint, near)
        here = steps[name].end
    if here != end:
        hint = f"`via` leads to {clip(here, _SHOWN)}, not to {clip(end, _SHOWN)}."
        raise Refused(ValidationErrorCode.TABLE_NOT_FOUND, via[-1], hint)
    return model.way(start, via) or ()
