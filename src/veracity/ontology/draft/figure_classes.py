"""What a column of figures is: added up, averaged, a level at a time, or nobody knows; one function per class."""

from __future__ import annotations

from collections.abc import Callable

from veracity.language.currencies import CURRENCIES
from veracity.language.people import means_people
from veracity.language.verb_forms import is_past_form
from veracity.ontology.draft.discounts import is_part_of_one
from veracity.ontology.draft.findings import ColumnClass, ColumnVerdict
from veracity.ontology.draft.flows import counts_up, is_amount_of_table, is_passing, is_time_off
from veracity.ontology.draft.names import (
    ends_in,
    in_list,
    is_amount_in,
    lasts,
    says,
    sizes_things,
    split,
    unit_in,
    without_unit,
    words_for,
)
from veracity.ontology.draft.plain_names import is_done_by_measure
from veracity.ontology.draft.sight import Sight
from veracity.sources.source import NUMERIC, ColumnType


def _average(sight: Sight) -> ColumnVerdict | None:
    words = sight.words
    if sight.is_number and words[:1] == ("hourly",):
        return sight.verdict(
            ColumnClass.AVERAGE, f"called {' '.join(words)}: averaged, never added up", unit=unit_in(words)
        )
    if not sight.is_number and sight.column.looks != "number":
        return None
    stored = "" if sight.is_number else "; stored as text, so that it cannot be computed with"
    unit = unit_in(words) if sight.is_number else None
    if (copied := sight.proofs.copies.get(sight.place)) is not None and not _adds_by_word(sight):
        return sight.verdict(ColumnClass.AVERAGE, f"{copied}{stored}", unit=unit)
    if is_part_of_one(sight.column, words):
        return sight.verdict(ColumnClass.AVERAGE, f"a discount as a part of one, at most {sight.column.high}{stored}")
    if unit is not None and (unit == "%" or "/" in unit):
        return sight.verdict(ColumnClass.AVERAGE, f"in {unit}: averaged, never added up{stored}", unit=unit)
    if ends_in(words, "averages") and not _is_amount_of_rate(words):
        if ends_in(words, "prices") and sight.dated and not _has_count(sight) and "unit" not in words:
            reason = "a price without a quantity beside it, in a table of events: perhaps the amount of the whole"
            return sight.verdict(ColumnClass.ADDITIVE, reason, sure=False, ask="price", unit=unit)
        return sight.verdict(
            ColumnClass.AVERAGE, f"called {' '.join(words)}: averaged, never added up{stored}", unit=unit
        )
    if (
        says(words[:-1], "averages")
        and any(in_list(word, "never_adds") for word in words)
        and not ends_in(words, "adds")
    ):
        return sight.verdict(
            ColumnClass.AVERAGE, f"called {' '.join(words)}: averaged, never added up{stored}", unit=unit
        )
    return None


def _adds_by_word(sight: Sight) -> bool:
    return says(sight.words, "adds") and sight.dated


def _is_amount_of_rate(words: tuple[str, ...]) -> bool:
    """`discount amount`, `interest paid`: the last word decides."""
    return len(words) > 1 and in_list(words[-1], "adds")


def _has_count(sight: Sight) -> bool:
    others = (split(name, sight.vocabulary) for name in sight.table.names if name != sight.column.name)
    return any(says(words, "counts") for words in others)


def _level(sight: Sight) -> ColumnVerdict | None:
    if not sight.is_number:
        return None
    stock = says(sight.words, "levels") or says(sight.words, "running")
    table = says(split(sight.table.name, sight.vocabulary), "snapshot_tables")
    if stock and sight.times:
        reason = "called a level, and every row is how it stood at a time"
        return sight.verdict(ColumnClass.LEVEL, reason, over=sight.times)
    if stock and says(sight.words, "meters") and not (sight.dated or sight.is_event or sight.is_snapshot):
        reason = "called a meter; each row is one thing: averaged, perhaps added up"
        return sight.verdict(ColumnClass.AVERAGE, reason, ask="amount", unit=unit_in(sight.words))
    alone = sight.key is not None and len(sight.key.columns) == 1
    if stock and sight.key is not None and any(own == sight.key.columns for own, _, _ in sight.table.references):
        reason = "called a level; its key is declared to be that of another table, so that each thing has one: averaged"
        return sight.verdict(ColumnClass.AVERAGE, reason, ask="amount", unit=unit_in(sight.words))
    if stock and alone and not (sight.dated or sight.is_event or sight.is_snapshot):
        if says(sight.words, "thresholds"):
            return sight.verdict(ColumnClass.AVERAGE, f"called {' '.join(sight.words)}: a limit, never added up")
        if says(sight.words[-1:], "stocks"):
            reason = f"called {' '.join(sight.words)}: how many there are of each thing"
            return sight.verdict(ColumnClass.ADDITIVE, reason)
    if stock:
        return sight.verdict(
            ColumnClass.LEVEL, "called a level; how it stands when is not known", sure=False, ask="amount"
        )
    if table and sight.times and sight.is_snapshot:
        return sight.verdict(ColumnClass.LEVEL, "in a table of snapshots", over=sight.times)
    return None


def _total(sight: Sight) -> ColumnVerdict | None:
    if not sight.is_number or not sight.holds_total or sight.place in sight.proofs.sums:
        return None
    reason = "its largest value is the sum of all others: that row seems to be a total"
    return sight.verdict(ColumnClass.NUMBER, reason, unit=unit_in(sight.words))


def _yearly(sight: Sight) -> ColumnVerdict | None:
    if sight.column.name not in sight.yearly or sight.column.mixed:
        return None
    reason = f"called {' '.join(sight.words)}: of each thing its own, in each year"
    return sight.verdict(ColumnClass.ADDITIVE, reason, over=sight.times, unit=unit_in(sight.words))


def _of_each_row(sight: Sight) -> ColumnVerdict | None:
    """How many came to each event, how long each thing takes: what every row has for itself."""
    words, unit = sight.words, unit_in(sight.words)
    if not sight.is_number or sight.column.mixed:
        return None
    named = split(sight.table.name.rpartition(".")[2], sight.vocabulary)
    if sight.is_snapshot and len(words) == 1 and says(named[-1:], "flow_tables") and counts_up(sight.column):
        reason = f"called {words[0]}, in a table of who came when"
        if in_list(words[0], "counted_anew") or means_people(words[0]):
            return sight.verdict(ColumnClass.ADDITIVE, reason, unit=unit)
    if sight.dated and is_passing(sight.table, sight.column, sight.vocabulary):
        return sight.verdict(
            ColumnClass.ADDITIVE, f"called {' '.join(words)}, in a table of who passed when", unit=unit
        )
    if (sight.dated or sight.is_snapshot) and is_amount_of_table(sight.table, sight.column, sight.vocabulary):
        reason = f"called {' '.join(words)}, in a table that is called what it adds up to"
        return sight.verdict(ColumnClass.ADDITIVE, reason, unit=unit)
    if sight.dated and is_time_off(sight.table, sight.column, sight.vocabulary):
        return sight.verdict(ColumnClass.ADDITIVE, f"called {' '.join(words)}: how long each was away", unit=unit)
    if sight.is_snapshot:
        return None
    if len(words) == 1 and in_list(words[0], "counted_anew") and sight.dated and counts_up(sight.column):
        return sight.verdict(ColumnClass.ADDITIVE, f"called {words[0]}: how many came to each event", unit=unit)
    if len(words) == 1 and in_list(words[0], "booked") and says(named[-1:], "booked_tables") and sight.dated:
        return sight.verdict(ColumnClass.ADDITIVE, f"called {words[0]}: how many each booking is for", unit=unit)
    amounts = ("units_of_events", *(("units_of_goods",) if sight.is_event else ()))
    if len(words) == 1 and (sight.dated or sight.is_event) and any(unit in words_for(which) for which in amounts):
        return sight.verdict(ColumnClass.ADDITIVE, f"called {words[0]}: how much each event was about", unit=unit)
    if sight.is_of_things and lasts(words) and len(without_unit(words)) <= 1:
        return sight.verdict(ColumnClass.ADDITIVE, f"called {' '.join(words)}: of each thing its own", unit=unit)
    return None


def _additive(sight: Sight) -> ColumnVerdict | None:
    if not sight.is_number:
        return None
    words, unit = sight.words, unit_in(sight.words)
    # A unit price is not added up; units are.
    vetoed = says([word for word in without_unit(words) if word not in words_for("counts")], "never_adds")
    done = len(words) == 2 and words[0] in words_for("counts") and is_past_form(words[1])  # units sold
    strong = done or says(words, "adds")
    per_period = says(words, "per_period")
    if sight.column.mixed:
        reason = f"{sight.column.mixed:,} of its values are texts, so that it cannot be added up"
        return sight.verdict(ColumnClass.NUMBER, reason, unit=unit)
    if (proof := sight.proofs.sums.get(sight.place)) is not None and not vetoed:
        return sight.verdict(ColumnClass.ADDITIVE, proof, unit=unit)
    sizes = sizes_things(words) or is_amount_in(words, "units_of_things")
    if sight.is_of_things and sizes and not (sight.column.low or "-").startswith("-"):
        return sight.verdict(ColumnClass.ADDITIVE, f"called {' '.join(words)}: of each thing its own", unit=unit)
    product = sight.proofs.products.get(sight.place)
    if vetoed:
        kind = ColumnClass.AVERAGE if not strong else ColumnClass.NUMBER
        return sight.verdict(kind, f"called {' '.join(words)}: not added up", unit=unit)
    if sight.is_counted_there or (sight.is_counting and says(words, "counts")):
        return sight.verdict(ColumnClass.ADDITIVE, f"called {' '.join(words)}, in a table of counts", unit=unit)
    if strong and sight.is_event and not per_period:
        return sight.verdict(
            ColumnClass.ADDITIVE, f"called {' '.join(words)}, in a table of events by its name", unit=unit
        )
    if sight.is_snapshot and says(without_unit(words)[-1:], "flows"):
        reason = f"called {' '.join(words)}: what came together in the period of its row"
        return sight.verdict(ColumnClass.ADDITIVE, reason, unit=unit)
    if sight.is_snapshot and (strong or product or says(words, "may_add")):
        reason = "rows are what and when: an amount of each period, or how it stood"
        return sight.verdict(ColumnClass.ADDITIVE, reason, sure=False, ask="flow", over=sight.times, unit=unit)
    sums = says(words, "sums_of_money") and (unit or "").casefold() in CURRENCIES  # bausumme_chf
    own = sight.is_of_own_row and says(words, "flows")  # cost of treatment, of treatments
    if (strong or product or sums or own) and sight.dated and not per_period:
        return sight.verdict(
            ColumnClass.ADDITIVE, product or f"called {' '.join(words)}, in a table of dated events", unit=unit
        )
    moved = sight.is_load and says(without_unit(words)[-1:], "weights")
    happened = (lasts(words) or is_done_by_measure(words)) and (sight.dated or sight.is_event) and not per_period
    if moved or happened:
        return sight.verdict(ColumnClass.ADDITIVE, f"called {' '.join(words)}: what each event came to", unit=unit)
    if strong or product or says(words, "may_add"):
        why = product or f"called {' '.join(words)}"
        return sight.verdict(ColumnClass.ADDITIVE, f"{why}: perhaps added up", sure=False, ask="amount", unit=unit)
    return None


def _number(sight: Sight) -> ColumnVerdict | None:
    if sight.column.type not in NUMERIC:
        return None  # a text of figures without a word that says so may be a code
    unit, column = unit_in(sight.words), sight.column
    whole = column.type is ColumnType.INTEGER
    if whole and column.distinct <= 12 and column.filled >= 3 * max(1, column.distinct) and unit is None:
        return sight.verdict(
            ColumnClass.CATEGORY,
            f"{column.distinct} different numbers in {column.filled:,} rows: codes of kinds, not figures",
        )
    if not whole or unit is not None:
        reason = f"called {' '.join(sight.words)}: a measure, averaged; perhaps added up"
        return sight.verdict(ColumnClass.AVERAGE, reason, ask="amount", unit=unit)
    return sight.verdict(
        ColumnClass.NUMBER, "nothing says what it counts or measures", sure=False, ask="amount", unit=unit
    )


FIGURE_CHECKS: tuple[Callable[[Sight], ColumnVerdict | None], ...] = (
    _level,
    _average,
    _total,
    _yearly,
    _of_each_row,
    _additive,
    _number,
)
"""In this order; the first that knows decides."""
