"""Cars from 2022: where the year of a row is stored, it is that year, and not the day on which the row was written."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date

from veracity.language.folding import words_in
from veracity.ontology.fields import FieldRole
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.query import Comparison, SemanticQuery, all_of, parts_of
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for
from veracity.sources.source import ColumnType


def either_year(query: SemanticQuery, model: SemanticModel, said: Collection[str]) -> Iterator[SemanticQuery]:
    """The query; and where it is about whole years of a date that no word names, also about the stored year."""
    thing = model.things.get(query.of or "")
    years = _years(thing) if thing is not None and thing.date_parts is None else ()
    own = f"{thing.name}.{years[0]}" if thing is not None and years else ""
    conditions = (one for one in parts_of(query.where) if isinstance(one, Comparison))
    dated = [(one, year) for one in conditions if (year := _in_years(one, own)) is not None]
    if thing is None or len(years) != 1 or len(dated) != 1:
        yield query
        return
    (day, year) = dated[0]
    entity, _, name = day.field.rpartition(".")
    if entity != thing.name or day.via:
        yield query
        return
    names = {word for text in names_for(name, thing.fields[name].declared) for word in words_in(text)}
    written = any(key_of(word) in in_all_languages("own_events") for word in names)
    if not written or not names.isdisjoint(said):
        yield query
    if not names.isdisjoint(said):
        return
    rest = (one for one in parts_of(query.where) if one is not day)
    yield query.model_copy(update={"where": all_of((*rest, year))}).normalized()


def year_within(thing: Thing, period: QueryPeriod) -> Comparison | None:
    """That the one year that rows store lies in a period of whole years; nothing where they store none, or several."""
    years, first, last = _years(thing), period.first, period.last
    if (
        len(years) != 1
        or (first and (first.month, first.day) != (1, 1))
        or (last and (last.month, last.day) != (12, 31))
    ):
        return None
    field = f"{thing.name}.{years[0]}"
    if first is None or last is None:
        end = first or last
        return Comparison(field=field, op=">=" if first else "<=", value=end.year) if end is not None else None
    if first.year == last.year:
        return Comparison(field=field, value=first.year)
    return Comparison(field=field, op="between", value=(first.year, last.year))


def _years(thing: Thing) -> tuple[str, ...]:
    whole = (name for name, facts in thing.fields.items() if facts.column.type is ColumnType.INTEGER)
    return tuple(name for name in whole if thing.fields[name].role is FieldRole.PERIOD)


def _in_years(condition: Comparison, field: str) -> Comparison | None:
    """The same condition on a stored year, where a date must lie in whole years."""
    values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    try:
        days = [date.fromisoformat(str(one)) for one in values]
    except ValueError:
        return None
    ends = [(day.month, day.day) for day in days]
    match condition.op, ends:
        case "between", [(1, 1), (12, 31)]:
            first, last = (day.year for day in days)
            if first == last:
                return Comparison(field=field, value=first)
            return Comparison(field=field, op="between", value=(first, last))
        case (">=" | "<", [(1, 1)]) | ("<=" | ">", [(12, 31)]):
            return Comparison(field=field, op=condition.op, value=days[0].year)
    return None
