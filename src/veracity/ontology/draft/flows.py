"""Figures that come together over time, by the name of their table: who passed a counter, what was consumed or produced."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.ontology.draft.findings import ColumnProfile, TableProfile
from veracity.ontology.draft.names import is_chinese, same_noun, says, split, unit_in, without_unit, words_for
from veracity.sources.source import ColumnType

_NO_FLOWS = ("levels", "snapshot_tables", "running", "never_adds", "kept_somewhere", "not_yet")
"""What tables are called whose figures are no flows, whatever else they are called."""
_SHORT = 4


def is_passing(table: TableProfile, column: ColumnProfile, vocabulary: frozenset[str]) -> bool:
    """Whether a column says how many passed in the time of its row: the cyclists of bike counts, never the cars of a car park."""
    named = split(table.name.rpartition(".")[2], vocabulary)
    own = [word for word in split(column.name, vocabulary) if word not in words_for("counted_by")]
    counted = _ends(named, "passing_tables") or _holds(named, "passing_places")
    if len(own) != 1 or not counts_up(column) or not counted or any(_holds(named, which) for which in _NO_FLOWS):
        return False
    if own[0] in words_for("passers"):
        return True
    others = [split(other, vocabulary) for other in table.names if other != column.name]
    at_a_counter = any(_holds(words, "passing_places") for words in (named, *others))
    # A bike station may be where bikes stand: what may stand somewhere was counted only if the table says so.
    says_so = _ends(named, "passing_tables") or _holds(named, "passing_counters")
    kept = any(_holds(words, "kept_somewhere") for words in others)
    return own[0] in words_for("may_pass") and says_so and at_a_counter and not kept


def is_time_off(table: TableProfile, column: ColumnProfile, vocabulary: frozenset[str]) -> bool:
    """Whether a column says how many days somebody was away, in a table of such times; not how many he may be."""
    words, named = split(column.name, vocabulary), split(table.name.rpartition(".")[2], vocabulary)
    off = any(word in words_for("times_off") for word in (*named, "".join(named)))
    if not off or any(_holds(named, which) for which in (*_NO_FLOWS, "claims")) or (column.low or "-").startswith("-"):
        return False
    known = {*words_for("off_days"), *words_for("counted_by"), *words_for("times_off"), "number", "of", "in"}
    days = says(words, "off_days") and (unit_in(words) == "d" or words[-1].endswith(("tage", "days", "天数")))
    return days and all(word in known for word in words)


def is_amount_of_table(table: TableProfile, column: ColumnProfile, vocabulary: frozenset[str]) -> bool:
    """Whether a column says how much was consumed, produced or sold, in a table that is called so: the kWh of electricity consumption."""
    words, named = split(column.name, vocabulary), split(table.name.rpartition(".")[2], vocabulary)
    if not is_called_flow(named):
        return False
    own, unit = without_unit(words), unit_in(words)
    pieces = len(own) == 1 and own[0] in words_for("counts")
    bare = own == words or pieces or _begins(named, own)
    return (unit in words_for("units_of_flows") and bare) or (pieces and unit is None)


def is_called_flow(named: Sequence[str]) -> bool:
    """Whether a table is called what is consumed, produced or sold, and nothing says that it is how things stand."""
    return _ends(named, "flow_titles") and not any(_holds(named, which) for which in _NO_FLOWS)


def what_flows(named: Sequence[str]) -> str:
    """What a table of flows is about, by its name: electricity of electricity consumption, Strom of Stromverbrauch; else nothing."""
    if len(named) == 2:
        return named[0]
    word = named[0] if len(named) == 1 else ""
    heads = sorted(words_for("flow_titles"), key=len, reverse=True)
    return next((word.removesuffix(head) for head in heads if word.endswith(head) and word != head), "")


def counts_up(column: ColumnProfile) -> bool:
    """Whether it holds whole numbers from 0 on."""
    return column.type is ColumnType.INTEGER and not (column.low or "-").startswith("-")


def _ends(named: Sequence[str], which: str) -> bool:
    return says(named[-1:], which)


def _holds(named: Sequence[str], which: str) -> bool:
    """Whether a word is in a list; Chinese has it anywhere in a word, and German compounds begin with places."""
    begins = which in ("passing_places", "kept_somewhere")
    return says(named, which) or any(
        (listed in word if is_chinese(listed) else begins and len(listed) > _SHORT and word.startswith(listed))
        for word in named
        for listed in words_for(which)
    )


def _begins(named: Sequence[str], own: Sequence[str]) -> bool:
    """Whether a table's name begins with the noun of its column: strom kwh of Stromverbrauch."""
    return len(own) == 1 and (same_noun(own, named[:-1]) or what_flows(named) == own[0])
