"""Verbs for how every row of an entity came about, with the people who did it, where the model leaves no doubt who that is."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.language.folding import words_in
from veracity.language.locale import LANGUAGES, pick
from veracity.language.nearest import words_of
from veracity.language.stem import noun_root, stem_of
from veracity.language.verb_forms import past_forms, verb_forms, verbs_for
from veracity.semantic.graph import SemanticModel, Step, Thing
from veracity.semantic.reading.word_lists import in_all_languages, is_person, key_of, names_for


def verbs_of(thing: Thing, lang: str) -> tuple[str, ...]:
    """The verbs of an entity, in one language."""
    return thing.declared.verbs.get(lang, ()) if thing.declared else ()


def said_of_rows(model: SemanticModel, lang: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Placed, published: words behind a noun that say nothing more, each with the entity of which that is so."""
    for thing in model.things.values():
        for verb in verbs_of(thing, lang):
            for form in past_forms(verb, lang):
                yield tuple(words_in(form)), thing.name


def done_by_people(model: SemanticModel, lang: str) -> Iterator[tuple[str, Step]]:
    """Each verb with the way from the people who did it to its rows."""
    for thing in model.things.values():
        step = _doer(model, thing, lang) if verbs_of(thing, lang) else None
        if step is not None:
            yield from ((verb, step) for verb in verbs_of(thing, lang))


def named_deeds(model: SemanticModel, lang: str) -> Iterator[tuple[Thing, tuple[str, ...]]]:
    """The entities that are called by what was done, with the verbs for it: prescriptions, prescribe."""
    for thing in model.things.values():
        label = pick(thing.declared.label, lang) if thing.declared else ""
        verbs = verbs_for((words_in(label) or words_in(words_of(thing.name)) or [""])[-1], lang)
        if verbs:
            yield thing, verbs


def deeds_of_people(model: SemanticModel, lang: str) -> Iterator[tuple[str, Step]]:
    """The words of such verbs, each with the way from the only people that the rows belong to: rented, clients -> rentals.

    Orders are rows before they are what somebody does, so that forms which are the noun itself are left out.
    """
    for thing, verbs in named_deeds(model, lang):
        ties = [step for step in model.steps[thing.name] if step.to_one and is_person(model.things[step.end])]
        if len(ties) != 1 or ties[0].has_role or is_person(thing):
            continue
        nouns = {noun_root(word) for name in names_for(thing.name, thing.declared) for word in words_in(name)[-1:]}
        for form in dict.fromkeys(
            form for verb in verbs for form in (*verb_forms(verb, lang), *past_forms(verb, lang))
        ):
            if noun_root(form) not in nouns:
                yield form, model.back((ties[0],))[0]


def done_to_things(model: SemanticModel, lang: str) -> Iterator[tuple[str, Step]]:
    """The words for what was done to things, each with the way from the thing to the rows that say so: prescribed, medicine -> prescriptions."""
    for thing, verbs in named_deeds(model, lang):
        for step in model.steps[thing.name]:
            if step.to_one and not step.has_role and not is_person(model.things[step.end]):
                back = model.back((step,))[0]
                yield from ((form, back) for verb in verbs for form in past_forms(verb, lang))


def doer_of(model: SemanticModel, entity: str) -> str | None:
    """The people who rows of an entity come from."""
    steps = (_doer(model, model.things[entity], lang) for lang in LANGUAGES if verbs_of(model.things[entity], lang))
    return next((step.start for step in steps if step is not None), None)


def _doer(model: SemanticModel, thing: Thing, lang: str) -> Step | None:
    """The way from the one kind of people that the rows belong to, or that a table between ties them to by one of their verbs.

    Nothing where there are two of them, buyers and sellers, or where these people are called by a part of their own that is not doing it: who is assigned a case has not filed it.
    """
    ties = [step for step in model.steps[thing.name] if is_person(model.things[step.end])]
    own = [step for step in ties if step.to_one]
    between = [step for step in ties if not step.to_one and _shares_verb(thing, step, lang)]
    if len(own) + len(between) != 1 or is_person(thing):
        return None
    only = (own or between)[0]
    if own and only.relation is not None and (only.relation.label or only.relation.name):
        called = {key_of(text) for text in (*only.relation.label.values(), only.relation.name or "") if text}
        if called.isdisjoint(in_all_languages("acting_roles")):
            return None
    back = (
        step for step in model.steps[only.end] if step.relation is only.relation and step.inverse is not only.inverse
    )
    return next(back, None)


def _shares_verb(thing: Thing, step: Step, lang: str) -> bool:
    relation = step.relation
    if relation is None:
        return False
    said = (*relation.verbs.get(lang, ()), *relation.inverse_verbs.get(lang, ()))
    return not {stem_of(verb, lang) for verb in said}.isdisjoint(stem_of(verb, lang) for verb in verbs_of(thing, lang))
