"""What readers of ways of asking share: how they read a question again, patterns with their lists written out, and what the data calls things."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from veracity.language.locale import pick
from veracity.language.nearest import words_of
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.word_lists import key_of, names_for
from veracity.sources.source import NUMERIC

Read = Callable[[str], Sequence[SemanticQuery]]
"""Reads a question."""
Knows = Callable[[str], bool]
"""Whether the data has a word."""
_LIST = re.compile(r"<(\w+)>")


def written_out(pattern: str, lists: Mapping[str, str]) -> re.Pattern[str]:
    """A pattern in which <name> stands for what the list of this name holds."""
    while _LIST.search(pattern):
        pattern = _LIST.sub(lambda place: f"(?:{lists[place[1]]})", pattern)
    return re.compile(pattern, re.IGNORECASE)


def without_end_sign(question: str) -> str:
    """A question without the signs that end it."""
    return re.sub(r"[?？!！.。\s]+$", "", question.strip())


def is_called_one_of(thing: Thing, words: Iterable[object]) -> bool:
    """Whether what rows are called, or its last word, is one of these."""
    keys = {key_of(str(word)) for word in words}
    return any(key_of(name)[-1:] in keys or key_of(name) in keys for name in names_for(thing.name, thing.declared))


def called(label: Mapping[str, str], name: str, lang: str) -> str:
    """What something is called in a language: its label, else its name cut into words."""
    return pick(label, lang) or words_of(name)


def without_owner(question: str, model: SemanticModel, lang: str) -> Iterator[str]:
    """订单金额 as 金额, where only orders have such a figure: Chinese puts what rows are called right before it."""
    if lang != "zh":
        return
    figures = [
        (pick(thing.declared.label, lang) if thing.declared else "", called(facts.declared.label, name, lang))
        for thing in model.things.values()
        for name, facts in thing.fields.items()
        if facts.declared is not None and facts.column.type in NUMERIC
    ]
    alone = {figure for figure, times in Counter(figure for _, figure in figures).items() if times == 1}
    for owner, figure in figures:
        if owner and figure in alone and owner + figure in question and not figure.startswith(owner):
            yield question.replace(owner + figure, figure)
