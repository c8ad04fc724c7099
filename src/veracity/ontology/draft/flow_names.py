"""What people call what is consumed or produced, by the name of its table or column: electricity of Stromverbrauch, and what it costs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from veracity.language.folding import folded_text
from veracity.language.locale import LANGUAGES
from veracity.ontology.draft.findings import ColumnClass, ColumnDraft, TableDraft
from veracity.ontology.draft.flows import is_called_flow, is_time_off, what_flows
from veracity.ontology.draft.names import says, split, without_unit
from veracity.ontology.draft.proposals import said
from veracity.ontology.draft.translated_names import Words


@cache
def _flowing() -> Mapping[str, Mapping[str, Any]]:
    """What is consumed or produced, in any language, as names have it -> its entry."""
    return {folded_text(word): entry for entry in said()["flowing"] for lang in LANGUAGES for word in entry[lang]}


def used_words(noun: str) -> Words:
    """What people call a column that is called just what is consumed: the electricity is the electricity consumption."""
    entry = _flowing().get(noun, {})
    return {} if entry.get("of_tables") else {lang: tuple(words) for lang, words in entry.get("used", {}).items()}


def flow_words(table: str, names: Collection[str], vocabulary: frozenset[str]) -> Words:
    """What people call the amount of a table of flows: by what flows, where nothing else of the source is called so."""
    named = split(table.rpartition(".")[2], vocabulary)
    entry = _flowing().get(what_flows(named)) if is_called_flow(named) else None
    if entry is None:
        return {}
    taken = {"".join(without_unit(split(name, vocabulary))) for name in names}
    if any(folded_text(word) in taken for lang in LANGUAGES for word in entry[lang]):
        return {}
    used = entry.get("used", {}) if says(named[-1:], "consumed_titles") else {}
    return {lang: (*entry[lang], *used.get(lang, ())) for lang in LANGUAGES}


def cost_words(table: TableDraft, column: ColumnDraft, vocabulary: frozenset[str]) -> Words:
    """What people call the one cost of a table of consumption: Stromkosten, the cost of electricity."""
    named = split(table.name.rpartition(".")[2], vocabulary)
    entry = _flowing().get(what_flows(named)) if says(named[-1:], "consumed_titles") else None
    costs = [one for one in table.columns if _is_cost(one, vocabulary)]
    if entry is None or costs != [column]:
        return {}
    told = {"en": [f"{word} {cost}" for word in entry["en"] for cost in ("cost", "costs")]}
    told["de"] = [f"{word}kosten" for word in entry["de"]]
    told["zh"] = [f"{word}{cost}" for word in entry["zh"] for cost in ("费", "费用")]
    bills = entry.get("cost", {})
    return {lang: tuple(dict.fromkeys((*told[lang], *bills.get(lang, ())))) for lang in LANGUAGES}


def days_off_words(
    table: TableDraft, column: ColumnDraft, label: Mapping[str, str], vocabulary: frozenset[str]
) -> Words:
    """What people call the days of a table of absences, by what its rows are called: absence days, Absenztage, 缺勤天数."""
    if column.verdict.kind is not ColumnClass.ADDITIVE or not is_time_off(table.profile, column.profile, vocabulary):
        return {}
    told: Words = {"de": ("Fehltage",)}
    if "en" in label:
        told["en"] = (f"{label['en']} days", f"days of {label['en']}")
    if "de" in label:
        told["de"] = (*(f"{label['de']}{joint}tage" for joint in ("", "s", "en")), "Fehltage")
    if "zh" in label:
        told["zh"] = (f"{label['zh']}天数",)
    return told


def _is_cost(column: ColumnDraft, vocabulary: frozenset[str]) -> bool:
    own: Sequence[str] = without_unit(split(column.profile.name, vocabulary))
    return column.verdict.kind is ColumnClass.ADDITIVE and len(own) == 1 and says(own, "costs")
