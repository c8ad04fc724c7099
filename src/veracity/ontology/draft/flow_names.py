"""What people call what is consumed or produced, by the name of its table or column: electricity of Stromverbrauch, and what it costs."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from veracity.language.folding import folded_text, words_in
from veracity.language.locale import LANGUAGES
from veracity.ontology.draft.findings import ColumnClass, ColumnDraft, TableDraft
from veracity.ontology.draft.flows import is_called_flow, is_passing, is_time_off, what_flows
from veracity.ontology.draft.names import is_chinese, says, split, without_unit, words_for
from veracity.ontology.draft.proposals import said
from veracity.ontology.draft.translated_names import Words

_COST = re.compile("(?:kosten|rechnung|preise?)$")


@cache
def _flowing() -> Mapping[str, Mapping[str, Any]]:
    """What is consumed or produced, in any language, as names have it -> its entry."""
    return {folded_text(word): entry for entry in said()["flowing"] for lang in LANGUAGES for word in entry[lang]}


def flowing_in(text: str) -> frozenset[str]:
    """What is consumed or produced, of all that a text names, by its first English word: water of Wasserverbrauch, 用水量 and water use."""
    whole = folded_text(text)
    words = words_in(whole)
    heads = {*words, *(what_flows((_COST.sub("verbrauch", word),)) for word in words)}
    return frozenset(
        str(entry["en"][0])
        for name, entry in _flowing().items()
        if (name in whole if is_chinese(name) else name in heads or f" {name} " in f" {' '.join(words)} ")
    )


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


def passing_words(table: TableDraft, column: ColumnDraft, vocabulary: frozenset[str]) -> Words:
    """What people also call those who passed, where no other column of the table is called so: cyclists are bikes."""
    own = [word for word in split(column.profile.name, vocabulary) if word not in words_for("counted_by")]
    if column.verdict.kind is not ColumnClass.ADDITIVE or not is_passing(table.profile, column.profile, vocabulary):
        return {}
    others = {"".join(split(name, vocabulary)) for name in table.profile.names if name != column.profile.name}
    for family in said()["passing"]:
        known = {folded_text(word) for lang in LANGUAGES for word in family[lang]}
        if own[0] in known and known.isdisjoint(others):
            return {lang: tuple(family[lang]) for lang in LANGUAGES}
    return {}


def weather_values(names: Sequence[str], stored: Collection[str]) -> dict[str, Words]:
    """What days are called by the weather that is stored of them: snowy days, where snow is stored."""
    if " ".join(names) not in said()["weather_columns"]:
        return {}
    return {
        value: {lang: tuple(one[lang]) for lang in LANGUAGES if lang in one}
        for value in stored
        for one in said()["weather"]
        if folded_text(value) in one["stored"]
    }


def _is_cost(column: ColumnDraft, vocabulary: frozenset[str]) -> bool:
    own: Sequence[str] = without_unit(split(column.profile.name, vocabulary))
    return column.verdict.kind is ColumnClass.ADDITIVE and len(own) == 1 and says(own, "costs")
