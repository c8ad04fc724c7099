"""What is still open: unpaid invoices, tickets that are not closed; overdue where the day it was due has passed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date

from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.query import Comparison, Condition
from veracity.semantic.reading.phrases import RowFilter
from veracity.semantic.reading.truths import Truths
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for

KINDS = ("unsettled", "unpaid", "overdue")
"""The lists of words for it."""


@dataclass(frozen=True, slots=True)
class Settling:
    """How the rows of an entity tell that they are settled."""

    entity: str
    not_settled: tuple[Condition, ...]
    """Several conditions: rows without any value may count as no, too."""
    paid: bool
    due: str | None
    """The date until when they should be."""

    def filters(self, kind: str, today: date) -> Iterator[RowFilter]:
        """What one of the words says of the rows."""
        if (kind == "unpaid" and not self.paid) or (kind == "overdue" and self.due is None):
            return
        late = (Comparison(field=self.due, op="<", value=today),) if kind == "overdue" and self.due else ()
        for condition in self.not_settled:
            yield RowFilter(self.entity, (condition, *late), before=True)


def settlings(model: SemanticModel, truths: Truths) -> tuple[Settling, ...]:
    """The entities whose rows are settled on a day or by a yes, and by nothing else: where there is a status, that tells it."""
    return tuple(found for thing in model.things.values() for found in _settling(thing, truths))


def _settling(thing: Thing, truths: Truths) -> Iterator[Settling]:
    if _called(thing, "status_fields") or _called(thing, "voided_fields"):
        return
    due = [name for name in _called(thing, "due_fields") if thing.fields[name].is_date]
    settled = [*_called(thing, "settled_fields"), *(_called(thing, "returned_fields") if due else ())]
    if len(settled) != 1:
        return
    field, path = settled[0], f"{thing.name}.{settled[0]}"
    truth = truths.get((thing.name, field))
    if truth is None and not thing.fields[field].is_date:
        return
    paid = bool(set(_called(thing, "paid_fields")) & {field})
    unsettled = truth.no if truth else (Comparison(field=path, op="missing"),)
    yield Settling(thing.name, unsettled, paid, f"{thing.name}.{due[0]}" if len(due) == 1 and due != settled else None)


def _called(thing: Thing, which: str) -> list[str]:
    """The fields that are called by one of the words of a list, by themselves or with a word for a date."""
    known = in_all_languages(which)
    return [
        name
        for name, facts in thing.fields.items()
        if any(_says(told, known) for told in names_for(name, facts.declared))
    ]


def _says(name: str, known: Collection[tuple[str, ...]]) -> bool:
    plain = in_all_languages("date_words")
    key = key_of(name)
    rest = tuple(word for word in key if (word,) not in plain)
    return key in known or rest in known
