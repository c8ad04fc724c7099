"""Questions that name neither a figure nor a thing: how much was it in 2024, how many are there in Bern, what is the average.

What they may be is read once with each name of the data, and asked back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any

from veracity.ontology.fields import FieldRole
from veracity.query.catalog import FieldFacts
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.query import Aggregate, SemanticQuery, all_of
from veracity.semantic.reading.asked_forms import Read, called, written_out
from veracity.semantic.reading.word_lists import rows_called
from veracity.sources.source import NUMERIC
from veracity.yaml_file import packaged

_ORDER = re.compile(r"<<([^<>]*)>>")
_SLOT = re.compile(r"\{(\w+)\}")
_AT_END = re.compile(r"[\s?？!！.。]+$")
_MOST_TRIED = 12
_NUMBERS = (FieldRole.AMOUNT, FieldRole.QUANTITY, FieldRole.RATE)


def unsaid_figures(question: str, model: SemanticModel, lang: str, read: Read) -> tuple[SemanticQuery, ...]:
    """What a question may ask that names nothing of the data; nothing where it is no such question."""
    bare = _AT_END.sub("", question.strip())
    for pattern, templates in _forms(lang):
        said = pattern.fullmatch(bare)
        if said is None:
            continue
        meant = [
            _added_up(read(text), figures="{figure}" in one)
            for one in templates
            for text in islice(_filled(_told(one, said, lang), model, lang), _MOST_TRIED)
        ]
        # The first meaning of each comes first: a few of many kinds are offered.
        return tuple(dict.fromkeys(one for alike in zip_longest(*meant) for one in alike if one is not None))
    return ()


def of_the_last_figure(before: SemanticQuery, queries: Sequence[SemanticQuery]) -> tuple[SemanticQuery, ...]:
    """Of what a question may ask that names nothing, what it asks of the figure of the question before, and of its rows."""
    plain = len(before.show) == 1 and not (before.by or before.compare or before.limit or before.having)
    return tuple(
        query.model_copy(
            update={"where": all_of((before.where, query.where)), "period": query.period or before.period}
        ).normalized()
        for query in (queries if plain else ())
        if query.show[:1] == before.show
    )


def _added_up(queries: Sequence[SemanticQuery], *, figures: bool) -> Sequence[SemanticQuery]:
    """Of several meanings what rows come to, not the largest single one; where a figure is asked for, no list."""
    told = [one for one in queries if one.show and (one.show[0].measure or one.show[0].aggregate or one.show[0].ratio)]
    whole = [one for one in told if one.show[0].measure or one.show[0].aggregate is Aggregate.SUM]
    return whole or (told if figures else queries)


def _told(template: str, said: re.Match[str], lang: str) -> str:
    """The plain question with what was said in it; its slots are still open."""
    told = re.sub(r"\\(\d)", lambda place: re.sub(r"[{}<>]", " ", said[int(place[1])] or ""), template)
    order: Mapping[str, str] = _lists(lang)["order"]
    return _ORDER.sub(lambda place: order.get(place[1].casefold(), place[1]), told)


def _filled(template: str, model: SemanticModel, lang: str) -> Iterator[str]:
    """A plain question with each name of the data that its slot may be."""
    slot = _SLOT.search(template)
    if slot is None:
        yield template
        return
    named = {"figure": _figures, "number": _numbers, "rows": _rows}[slot[1]]
    for name in dict.fromkeys(named(model, lang)):
        yield template.replace(slot[0], name)


def _figures(model: SemanticModel, lang: str) -> Iterator[str]:
    """What measures are called; then fields that add up and that no measure tells."""
    dated = sorted(model.things.values(), key=lambda thing: thing.default_date is None)
    for thing in dated:
        yield from (called(one.label, one.name, lang) for one in thing.measures.values() if one.confirmed)
    for thing in dated:
        measured = {(one.expression or "").strip('"') for one in thing.measures.values()}
        for name, facts in thing.fields.items():
            if _is_number(thing, name, facts) and facts.can_be_added and name not in measured:
                yield called(facts.declared.label if facts.declared else {}, name, lang)


def _numbers(model: SemanticModel, lang: str) -> Iterator[str]:
    """What the numbers of rows are called, a few of each kind of rows in turn."""
    each = [
        [
            called(facts.declared.label if facts.declared else {}, name, lang)
            for name, facts in thing.fields.items()
            if _is_number(thing, name, facts)
        ]
        for thing in model.things.values()
    ]
    longest = max(map(len, each), default=0)
    yield from chain.from_iterable([names[place] for names in each if place < len(names)] for place in range(longest))


def _rows(model: SemanticModel, lang: str) -> Iterator[str]:
    """What rows are called; those that only tie others together have no name."""
    for thing in model.things.values():
        if thing.declared is not None and thing.declared.label:
            yield rows_called(thing, lang) if lang == "en" else called(thing.declared.label, thing.name, lang)


def _is_number(thing: Thing, name: str, facts: FieldFacts) -> bool:
    """Whether a field is an amount, a quantity or a rate: no key, code or year."""
    told = facts.declared is not None and (facts.role is None or facts.role in _NUMBERS)
    return told and facts.column.type in NUMERIC and name not in thing.key and not facts.identifier and not facts.part


def _lists(lang: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = packaged(Path(__file__).with_name("unsaid_figures.yaml"))[lang]
    return found


@cache
def _forms(lang: str) -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    lists = _lists(lang)
    return tuple((written_out(one["said"], lists["lists"]), tuple(one["asks"])) for one in lists["forms"])
