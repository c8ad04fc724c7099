"""The figures that verbs of money may mean: what customers spend, what products bring in, what was paid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from veracity.language.units import unit_called
from veracity.ontology.entities import Measure
from veracity.ontology.fields import Additivity, FieldRole
from veracity.semantic.graph import SemanticModel, is_to_one
from veracity.semantic.query import Aggregate, Comparison, Shown
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.row_pairs import done_dates, words_for
from veracity.semantic.reading.ways import numbers_of_units
from veracity.semantic.reading.word_lists import is_person, names_for, words_of_list, words_of_name
from veracity.sources.source import NUMERIC


def spent_by(model: SemanticModel, entity: str, verb: str) -> Iterator[FigurePhrase]:
    """The figures that a verb of money may mean of an entity: one where it is clear."""
    if not _may_do(model, entity, verb):
        return
    homes = [home for home in model.things if _reaches(model, home, entity)]
    if verb in ("bring", "earn") and (income := [one for home in homes for one in _income(model, home)]):
        yield from income  # an entry is an invoice or its payment
        return
    found = [one for home in homes for one in own_money(model, home)]
    found = [one for one in found if not _is_given(model, one)]
    if verb == "bring":
        found = [one for one in found if not is_spending(model, one)]
    paid = [one for one in found if _called(model, one, "pay_names")] if verb == "pay" else []
    yield from paid or (_as_paid(model, one) if verb == "pay" else one for one in found)


def _income(model: SemanticModel, entity: str) -> Iterator[FigurePhrase]:
    """The declared sums that are called revenue or income."""
    for measure in model.things[entity].measures.values():
        names = list(names_for(measure.name, measure))
        called = _is_named(names, "income_names") and not _is_named(names, "no_income")
        if measure.aggregate == "SUM" and measure.confirmed and called:
            yield FigurePhrase((Shown(measure=measure.name),), entity)


def _as_paid(model: SemanticModel, figure: FigurePhrase) -> FigurePhrase:
    """What is invoiced is paid only where a date says so."""
    dates = [name for name in done_dates(model, figure.home) if is_paid(model, figure.home, name)]
    where = tuple(Comparison(field=f"{figure.home}.{name}", op="notMissing") for name in dates)
    return replace(figure, where=where)


def sold(model: SemanticModel, entity: str, *, often: bool = False) -> Iterator[FigurePhrase]:
    """The figures by which something sells best: how many of it, or for how much; most often: how many of it, or how many times.

    Who sold the most is not told by pieces alone, where nobody has said yet what they come to.
    """
    if is_person(model.things[entity]) and not often and revenue_to_confirm(model):
        return
    for home in _sales_of(model, entity):
        if often:
            yield FigurePhrase((Shown(aggregate=Aggregate.COUNT, of=home),), home, edge=(home,))
        else:
            yield from own_money(model, home)
        yield from _measures(model, home, money=False)
        yield from (_sum(home, name) for name in _added_up(model, home, FieldRole.QUANTITY, "quantity_fields"))
        yield from (FigurePhrase((one,), home, edge=(home,)) for one in pieces(model, home))


def pieces(model: SemanticModel, entity: str) -> list[Shown]:
    """The figures that say how many pieces each row of an entity is of; an amount in whole francs is none."""
    money = {one.shown[0] for one in own_money(model, entity)}
    return [one for one in numbers_of_units(model.things[entity]) if one not in money]


def revenue_to_confirm(model: SemanticModel) -> Measure | None:
    """The revenue that a draft proposes and nobody has confirmed."""
    proposed = model.catalog.unconfirmed_measures
    return next((one for one in proposed if one.question and one.name.split()[0] == "revenue"), None)


def _sales_of(model: SemanticModel, entity: str) -> list[str]:
    """The rows with money that belong to an entity, the nearest ones; not the people of a store, whose wages it pays."""
    near: dict[int, list[str]] = {}
    for home, thing in model.things.items():
        if home == entity or not _reaches(model, home, entity) or is_person(thing):
            continue
        money = list(own_money(model, home))
        if money and not all(is_spending(model, one) for one in money):
            near.setdefault(len(model.ways(home, entity)[0]), []).append(home)
    return near[min(near)] if near else []


def own_money(model: SemanticModel, entity: str) -> Iterator[FigurePhrase]:
    """The sums of money that stand in rows of an entity: the declared measures, else the amounts; of parts and their total the total."""
    if measures := list(_measures(model, entity, money=True)):
        yield from measures
        return
    amounts = _added_up(model, entity, FieldRole.AMOUNT, "money_fields")
    names = [name for name in amounts if not words_for(model, entity, name) & words_of_list("side_amounts")]
    whole = [name for name in names if words_for(model, entity, name) & words_of_list("whole_amounts")]
    yield from (_sum(entity, name) for name in (whole if len(whole) == 1 else names))


def is_paid(model: SemanticModel, entity: str, date: str) -> bool:
    """Whether a date is that of a payment."""
    return bool(words_for(model, entity, date) & words_of_list("pay_names"))


def not_payers(model: SemanticModel) -> tuple[str, ...]:
    """The people who are not those who pay."""
    return tuple(name for name, thing in model.things.items() if is_person(thing) and not _may_do(model, name, "pay"))


def is_spending(model: SemanticModel, figure: FigurePhrase) -> bool:
    """Whether a figure is what something costs us, by what it or its rows are called."""
    return _called(model, figure, "cost_names")


def _is_given(model: SemanticModel, figure: FigurePhrase) -> bool:
    """Whether a figure is what people get: a wage, or what is paid back."""
    return _called(model, figure, "given_away")


def _measures(model: SemanticModel, entity: str, *, money: bool) -> Iterator[FigurePhrase]:
    for measure in model.things[entity].measures.values():
        unit = unit_called(measure.unit or "")
        if measure.aggregate == "SUM" and bool(unit and unit.is_currency) is money:
            yield FigurePhrase((Shown(measure=measure.name),), entity)


def _added_up(model: SemanticModel, entity: str, role: FieldRole, kind: str) -> Iterator[str]:
    """The fields that add up to amounts or quantities; where nobody has said yet if they do, the answer is that question."""
    for name, facts in model.things[entity].fields.items():
        declared, said = facts.declared, words_for(model, entity, name)
        if declared is None or facts.column.type not in NUMERIC or _is_measured(declared.unit):
            continue
        asked = bool(declared.question) and not facts.can_be_added and bool(said & words_of_list(kind))
        known = facts.role is role and facts.can_be_added and facts.additivity is Additivity.ADDITIVE
        if (known or asked) and not said & words_of_list("time_fields"):
            yield name


def _sum(entity: str, name: str) -> FigurePhrase:
    return FigurePhrase((Shown(aggregate=Aggregate.SUM, field=f"{entity}.{name}"),), entity, edge=(entity,))


def _is_measured(unit: str | None) -> bool:
    known = unit_called(unit) if unit else None
    return known is not None and not known.is_currency


def _reaches(model: SemanticModel, home: str, entity: str) -> bool:
    """Whether each row of one belongs to one row of the other."""
    ways = model.ways(home, entity)
    return home == entity or (bool(ways) and all(is_to_one(way) for way in ways))


def _may_do(model: SemanticModel, entity: str, verb: str) -> bool:
    """Customers spend and pay, products earn; who sells does not spend it, and an employee earns a wage."""
    thing = model.things[entity]
    if verb == "earn":
        return not is_person(thing)
    return verb == "bring" or pays(model, entity)


def pays(model: SemanticModel, entity: str) -> bool:
    """Whether an entity is of those who buy and pay, by what it is called."""
    thing = model.things[entity]
    return _is_named(list(names_for(thing.name, thing.declared)), "payers")


def _called(model: SemanticModel, figure: FigurePhrase, kind: str) -> bool:
    """Whether the rows of a figure, or its field, are called so."""
    shown, thing = figure.shown[0], model.things[figure.home]
    names = list(names_for(thing.name, thing.declared))
    if shown.field:
        name = shown.field.rpartition(".")[2]
        names += names_for(name, thing.fields[name].declared)
    return _is_named(names, kind)


def _is_named(names: Sequence[str], kind: str) -> bool:
    return not words_of_list(kind).isdisjoint(word for name in names for word in words_of_name(name))
