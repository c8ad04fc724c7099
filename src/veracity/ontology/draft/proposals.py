"""What a table is known by, which date a period is about, and figures that people may have a word for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from veracity.language.currencies import CURRENCIES
from veracity.ontology.draft.discounts import left_after_discount
from veracity.ontology.draft.findings import ColumnClass, ColumnDraft, FoundMeasure, FoundRelation, TableDraft
from veracity.ontology.draft.flows import is_amount_of_table, is_called_flow
from veracity.ontology.draft.names import (
    GERMAN_DATE,
    in_list,
    lists,
    same_noun,
    says,
    singular,
    split,
    without_unit,
    words_for,
)
from veracity.yaml_file import packaged

_ENDS_OF_DEEDS = ("", "e", "ment", "ing", "ation", "ion", "al", "y", "ance")
_SHORTEST_ROOT = 4


def said() -> Mapping[str, Any]:
    """What people say instead of names."""
    found: Mapping[str, Any] = packaged(Path(__file__).with_name("phrases.yaml"))
    return found


# --- sizes


def with_sizes(table: TableDraft, pointed: Collection[str], words: frozenset[str]) -> TableDraft:
    """The table with the figures that big and small may be about, where its rows are things of their own."""
    if not table.display and table.name not in pointed:
        return table
    kinds = (ColumnClass.ADDITIVE, ColumnClass.AVERAGE, ColumnClass.NUMBER)
    ranked = [
        (rank, column.profile.name)
        for column in table.columns
        if column.verdict.kind in kinds and column.profile.is_number
        for rank, size in enumerate(lists()["sizes"])
        if split(column.profile.name, words)[-1] == size
    ]
    return table.model_copy(update={"sizes": tuple(name for _, name in sorted(ranked))}) if ranked else table


# --- what relations are called


def through_of(one: FoundRelation, words: frozenset[str]) -> Mapping[str, Any]:
    """What the rows of a table do to the places that they are tied to: rivers run through states."""
    own, other = (singular(split(name.rpartition(".")[2], words)[-1]) for name in (one.table, one.other))
    found: Mapping[str, Any] = next(
        (entry for entry in said()["through"] if own in entry["of"] and other in entry["to"]), {}
    )
    return found


def lying_beside(one: FoundRelation) -> FoundRelation:
    """The relation; where places may also be said to lie on what runs through them, that is asked."""
    return one.model_copy(update={"beside": "ask"}) if one.sure and through_of(one, frozenset()) else one


# --- default dates


def with_dates(
    tables: Sequence[TableDraft], relations: Sequence[FoundRelation], words: frozenset[str]
) -> tuple[TableDraft, ...]:
    """The tables, each with the date that a period is about where that can be told: its own, or its header's."""
    own = {table.name: _own_date(table, words) for table in tables}
    found = []
    for table in tables:
        update = own[table.name]
        if not update:
            update = _header_date(table, own, relations, words)
        found.append(table.model_copy(update=update))
    return tuple(found)


def _own_date(table: TableDraft, words: frozenset[str]) -> dict[str, Any]:
    dates = [name for name in table.of_kind(ColumnClass.DATE) if table.column(name).verdict.sure]
    named = {name: split(name, words) for name in dates}
    events = [name for name, own in named.items() if not says(own, "not_events") or is_what_happens(own, table, words)]
    if not dates:
        return {}
    candidates = {"date_candidates": tuple(dates)}
    if len(dates) == 1 and events and _is_of_all_rows(table, dates[0]):
        return {"date": dates[0], "date_reason": "the only date", **candidates}
    if len(events) == 1 and _is_event(named[events[0]], table, words) and _is_of_all_rows(table, events[0]):
        return {"date": events[0], "date_reason": "the only date of an event, by the names", **candidates}
    sure = [name for name in events if _is_event(named[name], table, words)]
    own = [name for name in sure if _is_own(named[name], table, words)]
    if len(own) == 1:
        return {"date": own[0], "date_reason": "called like the table", **candidates}
    best = next(iter(own or sure or events), None)
    return (
        {"date": best, "date_sure": False, "date_reason": f"one of {len(dates)} dates", **candidates}
        if best
        else candidates
    )


def _is_of_all_rows(table: TableDraft, name: str) -> bool:
    """Whether no other date or year of the table says more rows' time: fees of 2026 are not just those paid then."""
    others = (*table.of_kind(ColumnClass.DATE), *table.of_kind(ColumnClass.YEAR))
    return all(table.column(one).profile.filled <= table.column(name).profile.filled for one in others)


def _is_event(named: Sequence[str], table: TableDraft, words: frozenset[str]) -> bool:
    own = split(table.name.rpartition(".")[2], words)
    plain = len(named) == 1 and in_list(named[0], "dates")
    return (
        plain
        or says(named, "events")
        or is_what_happens(named, table, words)
        or any(same_noun([word], [noun]) for word in named for noun in own)
    )


def _is_own(named: Sequence[str], table: TableDraft, words: frozenset[str]) -> bool:
    own = split(table.name.rpartition(".")[2], words)
    plain = [*named, *(GERMAN_DATE.sub("", word) for word in named)]  # rechnungsdatum of rechnung
    same = any(same_noun([word], [noun]) for word in plain for noun in own)
    return same or is_what_happens(named, table, words) or (len(named) == 1 and named[0] in words_for("dates"))


def is_what_happens(named: Sequence[str], table: TableDraft, words: frozenset[str]) -> bool:
    """Whether a date says when a row of its table happens: `delivered_on` of deliveries, `admitted_on` of admissions."""
    nouns = {form for noun in split(table.name.rpartition(".")[2], words) for form in (noun, singular(noun))}
    told = (set(entry["words"]) for entry in said()["dates"])
    if any(not one.isdisjoint(nouns) and not one.isdisjoint(named) for one in told):
        return True
    return bool(named) and any(done_noun(noun, named[0]) for noun in nouns)


def done_noun(noun: str, done: str) -> bool:
    """Whether an English noun is what was done: a shipment was shipped, an inspection inspected, a rental rented."""
    root = done.removesuffix("ed") if done.endswith("ed") else ""
    root = root[:-1] if root[-1:] == root[-2:-1] and root[-1:] not in ("s", "l", "e") else root
    return len(root) >= _SHORTEST_ROOT and noun in {f"{root}{end}" for end in _ENDS_OF_DEEDS}


def _header_date(
    table: TableDraft, own: Mapping[str, dict[str, Any]], relations: Sequence[FoundRelation], words: frozenset[str]
) -> dict[str, Any]:
    """The date of the one dated table that a row belongs to."""
    dated = [
        one
        for one in relations
        if one.table == table.name
        and one.sure
        and own.get(one.other, {}).get("date")
        and own[one.other].get("date_sure", True)
    ]
    nouns = split(table.name.rpartition(".")[2], words)
    headers = [one for one in dated if same_noun(nouns[: len(split(one.other, words))], split(one.other, words))]
    if len(headers) == 1 or (len(dated) == 1 and (says(nouns[-1:], "details") or _is_part_of(nouns, dated[0], words))):
        one = (headers or dated)[0]
        return {"date": f"{one.other}.{own[one.other]['date']}", "date_reason": f"the date of its {one.other}"}
    return {}


def _is_part_of(nouns: Sequence[str], one: FoundRelation, words: frozenset[str]) -> bool:
    """Whether rows take place at what they belong to: prescriptions at a visit, goals in a match."""
    event = split(one.other.rpartition(".")[2], words)
    return in_list(singular(nouns[-1]), "parts_of_events") and in_list(singular(event[-1]), "short_events")


# --- measures

_ONLY = "the only amount of sales"


def proposed_measures(
    tables: Sequence[TableDraft], expressions: Mapping[str, str], words: frozenset[str]
) -> tuple[FoundMeasure, ...]:
    """Figures that a person may call revenue or units sold."""
    found = [one for table in tables for one in _revenue(table, expressions, words)]
    told = {one.table for one in found if one.table in expressions}
    # A header whose details have the same sum is no other revenue.
    found = [one for one in found if not (told and one.reason == _ONLY and one.table not in expressions)]
    titled = [one for table in tables for one in _titled(table, words)]
    same = {(one.table, one.expression) for one in titled}  # called by the name of the table already
    found = [one for one in found if (one.table, one.expression) not in same] + titled
    found += [one for table in tables for one in _peopled(table, words)]
    several = len({one.table for one in found if one.name.startswith("revenue")}) > 1
    return tuple(
        one.model_copy(update={"name": f"{one.name} of {one.table}"}) if several and one.name == "revenue" else one
        for one in found
    )


def _revenue(table: TableDraft, expressions: Mapping[str, str], words: frozenset[str]) -> Iterator[FoundMeasure]:
    told = said()
    amounts = [column for column in table.columns if column.verdict.kind is ColumnClass.ADDITIVE]
    named = [column.profile.name for column in amounts if _says_revenue(column, words)]
    if table.name in expressions:
        expression, reason = expressions[table.name], "its sums are the totals of the headers"
        yield FoundMeasure(name="revenue", table=table.name, expression=expression, reason=reason, **told["revenue"])
    elif len(named) == 1 and (table.date or _is_selling(table, words)):
        reason, label = "called so itself, and added up", told["revenue"]["label"]
        yield FoundMeasure(name="revenue", table=table.name, expression=named[0], label=label, reason=reason, sure=True)
    elif (pair := _price_and_count(table, words)) is not None and table.date:
        left = left_after_discount(table, words)
        if left is not None:
            reason = "a price and a quantity in a table of events" + (", less the discount" if left else "")
            expression = " * ".join((*pair, left) if left else pair)
            yield FoundMeasure(
                name="revenue", table=table.name, expression=expression, reason=reason, **told["revenue"]
            )
    elif _is_selling(table, words):
        prices = [one.profile.name for one in amounts if _may_be_revenue(split(one.profile.name, words))]
        if len(prices) == 1:
            sure = _is_amount_sold(table, prices[0], words)
            yield FoundMeasure(
                name="revenue", table=table.name, expression=prices[0], reason=_ONLY, sure=sure, **told["revenue"]
            )
    counts = [
        c.profile.name
        for c in table.columns
        if c.verdict.kind is ColumnClass.ADDITIVE and says(split(c.profile.name, words), "counts")
    ]
    if len(counts) == 1 and (table.name in expressions or _price_and_count(table, words)):
        reason = "the quantity of what was sold"
        yield FoundMeasure(
            name=f"units of {table.name}", table=table.name, expression=counts[0], reason=reason, **told["units_sold"]
        )


def _is_amount_sold(table: TableDraft, name: str, words: frozenset[str]) -> bool:
    """Whether a column is the amount of each sale in a currency, and every row counts: nothing else is revenue."""
    column = next(one for one in table.columns if one.profile.name == name)
    own, verdict = split(table.name.rpartition(".")[2], words), column.verdict
    sold = any(same_noun(own[-1:], [noun]) for noun in ("sale", "verkauf"))
    plain = verdict.sure and not verdict.over and not verdict.unit_field and not verdict.ask
    amount = without_unit(split(name, words)) in (("amount",), ("total",), ("betrag",), ("total", "amount"))
    return sold and plain and amount and (verdict.unit or "").casefold() in CURRENCIES


def _may_be_revenue(named: Sequence[str]) -> bool:
    """Whether a column may be what was sold for; freight and taxes stand beside it."""
    return says(named, "money") and not says(named, "not_revenue")


def _says_revenue(column: ColumnDraft, words: frozenset[str]) -> bool:
    """Whether a column is called revenue itself, and every row of it counts."""
    verdict, own = column.verdict, without_unit(split(column.profile.name, words))
    plain = verdict.sure and not verdict.over and not verdict.unit_field
    return plain and any(same_noun(own, [word.casefold()]) for word in said()["revenue"]["label"].values())


def _titled(table: TableDraft, words: frozenset[str]) -> Iterator[FoundMeasure]:
    """The one figure of a table that is called what it adds up to: costs, takings; of a consumption how much it was, not its cost."""
    kinds = (ColumnClass.ADDITIVE, ColumnClass.LEVEL, ColumnClass.NUMBER)
    figures = [column for column in table.columns if column.verdict.kind in kinds]
    named = split(table.name.rpartition(".")[2], words)
    flow = is_called_flow(named) and not says(named[-1:], "events")
    if flow:
        own = [column for column in table.columns if is_amount_of_table(table.profile, column.profile, words)]
        figures = own or [column for column in figures if (column.verdict.unit or "").casefold() not in CURRENCIES]
    times = (ColumnClass.DATE, ColumnClass.YEAR, ColumnClass.MONTH)
    of_periods = table.key is not None and {table.column(one).verdict.kind in times for one in table.key.columns} == {
        True,
        False,
    }
    if len(figures) != 1 or not ((flow and of_periods) or says(named[-1:], "amount_tables")):
        return
    verdict, column = figures[0].verdict, figures[0].profile.name
    if verdict.kind is ColumnClass.ADDITIVE and verdict.sure and not verdict.over and not verdict.unit_field:
        reason = "the only figure of a table that is called what it adds up to"
        name = f"total of {table.name}"
        yield FoundMeasure(name=name, table=table.name, expression=column, reason=reason, sure=True, titled=True)


def _peopled(table: TableDraft, words: frozenset[str]) -> Iterator[FoundMeasure]:
    """How many people live somewhere, in a table that is called so: nobody means the number of its rows by population."""
    if not says(split(table.name.rpartition(".")[2], words)[-1:], "peopled"):
        return
    figures = [one for one in table.columns if one.verdict.kind is ColumnClass.ADDITIVE and one.verdict.sure]
    own = [
        one for one in figures if any(says(split(one.profile.name, words), say) for say in ("peopled", "counted_by"))
    ]
    if len(own) == 1 and not own[0].verdict.unit_field:
        reason = "how many people there are, in a table that is called so"
        column, name = own[0].profile.name, f"total of {table.name}"
        yield FoundMeasure(name=name, table=table.name, expression=column, reason=reason, sure=True, titled=True)


def _price_and_count(table: TableDraft, words: frozenset[str]) -> tuple[str, str] | None:
    prices = [
        c.profile.name
        for c in table.columns
        if c.verdict.kind is ColumnClass.AVERAGE and says(split(c.profile.name, words), "prices")
    ]
    counts = [
        c.profile.name
        for c in table.columns
        if c.verdict.kind is ColumnClass.ADDITIVE and says(split(c.profile.name, words), "counts")
    ]
    return (prices[0], counts[0]) if len(prices) == 1 and len(counts) == 1 else None


def _is_selling(table: TableDraft, words: frozenset[str]) -> bool:
    own = split(table.name.rpartition(".")[2], words)
    return any(
        same_noun([word], [noun])
        for word in own
        for noun in ("sale", "order", "invoice", "verkauf", "bestellung", "rechnung", "auftrag")
    )
