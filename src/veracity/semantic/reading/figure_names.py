"""What a figure is called, and the unit that it is in."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.language.units import Unit, unit_called
from veracity.query.catalog import FieldFacts
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Shown
from veracity.semantic.reading.word_lists import names_for


def figure_names(shown: Shown, model: SemanticModel) -> Iterator[str]:
    """The names of a measure, of a field, or of the rows that are counted."""
    if shown.measure in model.measures:
        yield from names_for(shown.measure or "", model.measures[shown.measure or ""][1])
    elif shown.of in model.things:
        yield from names_for(shown.of or "", model.things[shown.of or ""].declared)
    elif shown.field is not None:
        facts = _facts(shown.field, model)
        yield from names_for(shown.field.rpartition(".")[2], facts.declared if facts is not None else None)


def figure_unit(shown: Shown, model: SemanticModel) -> Unit | None:
    """The one unit of a measure or of a field; nothing where rows have several, or none."""
    if shown.measure in model.measures:
        home, measure = model.measures[shown.measure or ""]
        if measure.unit:
            return unit_called(measure.unit)
        facts = model.things[home].fields.get((measure.expression or "").strip('"'))
    else:
        facts = _facts(shown.field, model) if shown.field is not None else None
    declared = facts.declared if facts is not None else None
    return unit_called(declared.unit) if declared is not None and declared.unit else None


def _facts(path: str, model: SemanticModel) -> FieldFacts | None:
    entity, _, field = path.rpartition(".")
    return model.things[entity].fields.get(field) if entity in model.things else None
