"""What can I ask: what the data holds, in its own words, for a question about the data as a whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from veracity.language.texts import say
from veracity.ontology.entities import Measure
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.wording.labels import Context, Labels, labels_of
from veracity.yaml_file import packaged

_MOST_THINGS, _MOST_FIELDS, _EXAMPLES = 6, 15, 2


@cache
def _asked(lang: str) -> re.Pattern[str]:
    patterns: Sequence[str] = packaged(Path(__file__).with_name("overview.yaml")).get(lang) or ()
    return re.compile("|".join(f"(?:{one})" for one in patterns) or r"(?!)", re.IGNORECASE)


def asks_for_overview(question: str, lang: str) -> bool:
    """Whether somebody asks what there is, not for anything of it."""
    return _asked(lang).fullmatch(question.strip().rstrip("?!.？！。 ")) is not None


def most_to_say_of(model: SemanticModel, lang: str) -> str:
    """What the thing with the most fields is called, with some that divide its rows: questions near these words show what can be asked."""
    thing = max(model.things.values(), key=lambda one: len(one.fields), default=None)
    if thing is None:
        return ""
    labels = labels_of(model, lang)
    groups = [name for name, facts in thing.fields.items() if facts.categorical][:_EXAMPLES]
    fields = (labels.field(f"{thing.name}.{name}", Context(thing.name)) for name in groups)
    return ", ".join((labels.entity(thing.name, several=True), *fields))


def figures_to_ask(model: SemanticModel) -> list[tuple[str, Measure]]:
    """The first measures of what happens over time, with their homes."""
    happening = (thing for thing in model.things.values() if thing.default_date is not None)
    return [(thing.name, one) for thing in happening for one in thing.measures.values() if one.confirmed][:_EXAMPLES]


def overview(model: SemanticModel, lang: str) -> str:
    """Each table with what it says, as questions call it; of many tables only their names."""
    labels = labels_of(model, lang)
    things = sorted(model.things.values(), key=lambda one: -len(one.fields))
    joint = "、" if lang == "zh" else ", "
    if len(things) > _MOST_THINGS:
        return say("overview_names", lang, names=joint.join(labels.entity(one.name, several=True) for one in things))
    told = (
        say("overview_thing", lang, name=labels.entity(one.name, several=True), fields=_fields(one, labels, joint))
        for one in things
    )
    return "\n".join((say("overview", lang), *told))


def _fields(thing: Thing, labels: Labels, joint: str) -> str:
    names = [labels.field(f"{thing.name}.{field}", Context(thing.name)) for field in thing.fields]
    shown = list(dict.fromkeys(names))
    return joint.join([*shown[:_MOST_FIELDS], "…"] if len(shown) > _MOST_FIELDS else shown)
