"""How much is outstanding, wie viel ist noch offen: what the unpaid rows come to, of each kind of rows that can be unpaid."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.money import own_money
from veracity.semantic.reading.word_lists import rows_called
from veracity.yaml_file import packaged


def outstanding(
    question: str, model: SemanticModel, lang: str, read: Callable[[str], Sequence[SemanticQuery]]
) -> tuple[SemanticQuery, ...]:
    """What a question about money to be paid may mean; nothing where it is none, or no rows can be unpaid."""
    own = _lists().get(lang)
    plain = re.sub(r"[?!.\s]+$", "", question)
    places = (re.search(one, plain, re.IGNORECASE) for one in own["patterns"]) if own else ()
    place = next(filter(None, places), None)
    if own is None or place is None:
        return ()
    state = own["states"]["overdue" if place[1].lower() in own["overdue"] else "unpaid"]
    said = [(thing.name, {"state": state, "rows": rows_called(thing, lang)}) for thing in model.things.values()]
    texts = (own["asked"].format(**words, rest=place[2].strip()).strip() for _, words in said)
    found = tuple(dict.fromkeys(query for text in texts for query in read(text)))
    listed = (
        query
        for _, words in (said if not found else ())
        for query in read(own["listed"].format(**words, rest=place[2].strip()).strip())
    )
    return found or tuple(dict.fromkeys(one for query in listed for one in _come_to(query, model)))


def _come_to(rows: SemanticQuery, model: SemanticModel) -> Iterator[SemanticQuery]:
    """What some rows come to, in each amount that they have: the fees of unpaid visits."""
    if rows.of is None or not rows.lists or rows.limit is not None:
        return
    for figure in own_money(model, rows.of):
        yield rows.model_copy(update={"show": figure.shown, "order": ()}).normalized()


@cache
def _lists() -> Mapping[str, Any]:
    found: Mapping[str, Any] = packaged(Path(__file__).with_suffix(".yaml"))
    return found
