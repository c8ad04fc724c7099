"""The second half of a question that asks for the figure of the first: the best product by units sold, and how many units were sold."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

from veracity.language.folding import words_in
from veracity.language.stem import noun_root, stem_of
from veracity.language.units import unit_called
from veracity.ontology.fields import FieldRole
from veracity.semantic.checking.names import facts_of
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery, Shown
from veracity.semantic.reading.best_beside import tells_its_figure
from veracity.semantic.reading.figure_names import figure_names, figure_unit
from veracity.semantic.reading.word_lists import key_of
from veracity.yaml_file import packaged

Words = Mapping[str, str]


def said_again(question: str, lang: str) -> tuple[str, str] | None:
    """The first half of a question, and what the second says of its figure; nothing where it has no such half."""
    found = re.search(_words(lang)["half"], question, re.IGNORECASE)
    if found is None or not found.start():
        return None
    return question[: found.start()], " ".join(filter(None, found.groups()))


def names_its_figure(query: SemanticQuery, said: str, model: SemanticModel, lang: str, verbs: Collection[str]) -> bool:
    """Whether words say no more than the figure by which a query finds the first; `verbs` are the stems of those that the question has said before."""
    if not tells_its_figure(query):
        return False
    words = _words(lang)
    figure = query.order[0].by
    unit = figure_unit(figure, model)
    rest = re.sub(words["light"], " ", said, flags=re.IGNORECASE)
    rest = re.sub(words["money" if _is_money(figure, model) else "number"], " ", rest, flags=re.IGNORECASE)
    known = {part for name in figure_names(figure, model) for part in key_of(name)}
    return all(
        noun_root(word) in known or stem_of(word, lang) in verbs or (unit is not None and unit_called(word) == unit)
        for word in words_in(rest)
    )


def _is_money(shown: Shown, model: SemanticModel) -> bool:
    """Whether a figure is money, also in several currencies."""
    if (unit := figure_unit(shown, model)) is not None:
        return unit.is_currency
    if shown.measure in model.measures:
        home, measure = model.measures[shown.measure or ""]
        fields = [facts for name, facts in model.things[home].fields.items() if name in (measure.expression or "")]
    else:
        fields = [facts_of(model, shown.field)] if shown.field else []
    return any(facts.unit_field is not None or facts.role is FieldRole.AMOUNT for facts in fields)


@cache
def _words(lang: str) -> Words:
    found: Words = packaged(Path(__file__).with_name("said_again.yaml"))[lang]
    return found
