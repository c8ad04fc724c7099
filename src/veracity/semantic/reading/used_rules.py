"""Rules for what is used, most or never, and for the day with the most of an amount: which vaccine is used most often, on which day was the most energy used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.ontology.fields import FieldRole
from veracity.semantic.graph import Step
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.comparison_phrases import Superlative
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import PeriodNoun
from veracity.semantic.reading.joined_phrases import About, Happening, MostRows
from veracity.semantic.reading.phrases import Attribute, Direction, JoiningWord, RowsPhrase
from veracity.semantic.reading.word_lists import in_all_languages, key_of

RULES: Rules = {}
rule = rule_book(RULES)
_OFTEN: dict[str, Direction] = {"commonest": 1, "rarest": -1}


@rule(JoiningWord, JoiningWord)
def _used(c: Composer, one: JoiningWord, two: JoiningWord) -> Iterator[MadePhrase]:
    """Never used, used most often, most often used."""
    if one.kind in ("without", "not") and _is_use(two):
        yield MadePhrase(JoiningWord("never_used", one.text))
    for use, often in ((one, two), (two, one)):
        if _is_use(use) and often.kind in _OFTEN:
            yield MadePhrase(JoiningWord("used_often", often.kind))


def _is_use(word: JoiningWord) -> bool:
    """Whether a word says that a thing is used; of amounts it says something else."""
    light = word.kind == "light_amounts" and key_of(word.text) in in_all_languages("use_verbs")
    return word.kind == "in_use" or light


@rule(JoiningWord, Superlative, either_way=True)
def _used_the_most(c: Composer, word: JoiningWord, best: Superlative) -> Iterator[MadePhrase]:
    """Used the most, am meisten gebraucht."""
    if _is_use(word) and best.counts and not best.adjective and best.count is None and not best.skip:
        yield MadePhrase(JoiningWord("used_often", "commonest" if best.direction > 0 else "rarest"))


@rule(RowsPhrase, JoiningWord)
def _rows_used(c: Composer, rows: RowsPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Vaccines that were never used: without the rows of the only kind that points to them."""
    if word.kind not in ("never_used", "used_often") or rows.named or rows.limit is not None:
        return
    uses = _uses(c, rows.entity)
    if len(uses) != 1:
        return
    used = RowsPhrase(uses[0].end)
    if word.kind == "never_used":
        yield from c.join(rows, About("", "without", used))
    else:
        yield from c.join(rows, About("", "with", MostRows(used, _OFTEN[word.text])))


@rule(Attribute, JoiningWord)
def _value_used(c: Composer, attribute: Attribute, word: JoiningWord) -> Iterator[MadePhrase]:
    """Which room is used the most: the one that most events name. Of things, the most common kind is not the most used."""
    thing = c.model.things[attribute.entity]
    event = thing.default_date is not None or (thing.declared is not None and bool(thing.declared.verbs))
    kind = thing.fields[attribute.field].role is FieldRole.CATEGORY and event
    if word.kind == "used_often" and attribute.plain and kind:
        yield from c.join(attribute, About("", "with", MostRows(RowsPhrase(attribute.entity), _OFTEN[word.text])))


@rule(Attribute, Happening)
def _value_done(c: Composer, attribute: Attribute, done: Happening) -> Iterator[MadePhrase]:
    """Which medicine was prescribed most often: the one that most prescriptions name."""
    kind = c.model.things[attribute.entity].fields[attribute.field].role is FieldRole.CATEGORY
    if kind and attribute.plain and done.rows.entity == attribute.entity and done.direction is not None:
        yield from c.join(attribute, About("", "with", MostRows(RowsPhrase(attribute.entity), done.direction)))


def _uses(c: Composer, entity: str) -> list[Step]:
    """The relations by which rows of others point to rows of an entity."""
    return [step for step in c.model.steps[entity] if not step.to_one and step.end != entity and len(step.hops) == 1]


@rule(PeriodNoun, Attribute)
def _most_in_period(c: Composer, noun: PeriodNoun, attribute: Attribute) -> Iterator[MadePhrase]:
    """On which day were the most bicycles counted: those of all rows of the day together."""
    if attribute.amassed and attribute.direction is not None and attribute.aggregate is None and c.adds_up(attribute):
        figures = c.totalled(replace(attribute, direction=None, asked=True, behind=False), RowsPhrase(attribute.entity))
        if figures is not None:
            yield from c.join(noun, replace(figures, direction=attribute.direction))
