"""How the rows of a table came about: reviews are written, orders placed. What is true of every row says nothing more of one.

A verb that the table has a word of its own for picks some of the rows: a status published, a flag, a date that not every row has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from veracity.language.folding import folded_text
from veracity.language.stem import stem_of
from veracity.language.verb_forms import verb_forms
from veracity.ontology.draft.findings import ColumnClass, ColumnDraft, TableDraft
from veracity.ontology.draft.names import singular, split
from veracity.ontology.draft.proposals import is_what_happens, said

_LANGUAGES = ("en", "de")
_DATES = ("date", "datum", "sdatum", "jahr", "year", "time", "zeit")
_SHORTEST = 4


def coming_about(
    table: TableDraft, words: frozenset[str], tables: Mapping[str, TableDraft]
) -> dict[str, tuple[str, ...]]:
    """The verbs for how each row of a table came about, per language; none where its date may be about something else."""
    nouns = _nouns(table, words)
    entries = [entry for entry in said()["came_about"] if nouns[-1] in map(folded_text, entry["of"])]
    status = any(_is_status(column, words) for column in table.columns)
    kept: dict[str, tuple[str, ...]] = {}
    stems: set[str] = set()
    for lang in _LANGUAGES:
        early = [verb for entry in entries for verb in entry.get(lang, ())]
        late = [verb for entry in entries for verb in entry.get("late", {}).get(lang, ())]
        stems |= {stem for verb in (*early, *late) for stem in stems_of(verb, lang)}
        verbs = early if status else early + late
        kept[lang] = tuple(dict.fromkeys(verb for verb in verbs if not _picks(table, verb, lang, words)))
    ahead = any(entry.get("ahead") for entry in entries)
    own = stems if ahead else {*stems, *nouns, *(stem_of(noun, lang) for noun in nouns for lang in _LANGUAGES)}
    if not _is_dated_so(table, own, words, tables, ahead=ahead):
        return {}
    return {lang: verbs for lang, verbs in kept.items() if verbs}


def _nouns(table: TableDraft, words: frozenset[str]) -> tuple[str, ...]:
    return tuple(map(singular, split(table.name.rpartition(".")[2], words)))


def _is_status(column: ColumnDraft, words: frozenset[str]) -> bool:
    """Whether a column says how far a row got."""
    named = split(column.profile.name, words)
    return column.verdict.kind is not ColumnClass.DATE and not set(named[-1:]).isdisjoint(said()["status_words"])


def _picks(table: TableDraft, verb: str, lang: str, words: frozenset[str]) -> bool:
    """Whether the table itself tells rows of which a verb is true from others."""
    forms, own = stems_of(verb, lang), _nouns(table, words)[-1]
    for column in table.columns:
        called = split(column.profile.name, words)
        if len(called) > 1 and singular(called[0]) == own:
            called = called[1:]  # an order id tells nobody which orders were ordered
        named = {stem_of(word, one) for word in called for one in _LANGUAGES}
        always = column.verdict.kind is ColumnClass.DATE and column.profile.filled == table.profile.rows
        if named & forms and not always:
            return True
    return stores(table, verb, lang)


def stores(table: TableDraft, verb: str, lang: str) -> bool:
    """Whether a column holds a verb beside others: a gig was played, or cancelled."""
    forms = stems_of(verb, lang)
    return any(
        stem_of(word, lang) in forms
        for column in table.columns
        if column.verdict.kind is not ColumnClass.NAME
        for value in column.profile.values
        for word in folded_text(value).replace("_", " ").split()
    )


def _is_dated_so(
    table: TableDraft, own: set[str], words: frozenset[str], tables: Mapping[str, TableDraft], *, ahead: bool
) -> bool:
    """Whether a period is about when the rows came about: not about when they were shipped, are due, or take place."""
    home, _, name = (table.date or "").rpartition(".")
    strong = {*own, *map(str, said()["came_dates"]), *(_nouns(tables[home], words) if home in tables else ())}
    plain = {*strong, *map(str, said()["plain_dates"])}
    dates = (name,) if name else table.of_kind(ColumnClass.YEAR)
    named = [split(date, words) for date in dates]
    fits = (all(_fits(word, plain) for word in one) for one in named)
    if ahead:
        return all(fits) and all(any(_fits(word, strong) for word in one) for one in named)
    return all(met or is_what_happens(one, table, words) for met, one in zip(fits, named, strict=True))


def _fits(word: str, allowed: set[str]) -> bool:
    stems = {singular(word), *(stem_of(word, lang) for lang in _LANGUAGES)}
    return (
        word in allowed
        or not stems.isdisjoint(allowed)
        or any(word == f"{noun}{end}" for noun in allowed for end in _DATES)
    )


@cache
def stems_of(verb: str, lang: str) -> frozenset[str]:
    """The stems of a verb in all its forms, and those of the nouns that dates are called by: publication of publish."""
    own = {stem_of(form, lang) for form in verb_forms(verb, lang)}
    more = (
        {stem_of(folded_text(word), lang) for word in entry["words"]}
        for entry in said()["dates"]
        if own & {stem_of(folded_text(told), lang) for told in entry.get(lang, ())}
    )
    return frozenset(own.union(*more))


def verb_of_link(table: str, words: frozenset[str]) -> str | None:
    """The verb that a table between two others is called by: writes, cites."""
    own = split(table.rpartition(".")[2], words)
    known = {str(verb) for verb in said()["link_verbs"]}
    if len(own) != 1:
        return None
    return next((form for form in _as_infinitives(own[0]) if form in known), None)


def _as_infinitives(word: str) -> Iterator[str]:
    """Writes and written as what they may be forms of."""
    yield word
    for ending, instead in (("ies", "y"), ("es", ""), ("s", ""), ("ed", ""), ("d", "")):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST - 1:
            yield f"{word.removesuffix(ending)}{instead}"
