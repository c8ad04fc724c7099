"""What abbreviations are short for where the names around them tell it: `pat` is a patient beside a date of birth."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

from veracity.language.dictionary import dictionary, german_forms
from veracity.language.folding import folded_text
from veracity.language.people import means_people
from veracity.ontology.draft.names import lists, name_parts, singular, words_for

_SHORTEST = 3
_LONGEST = 6
_SURE_ALONE = 4
"""An abbreviation with fewer letters needs people's columns beside it."""
_LEFT_OUT = 2
_VOWELS = frozenset("aeiou")
_UNITS = {"t": "tonnes", "l": "litres", "g": "grams"}
"""Letters that are a unit at the end of several columns; `m` and `f` may be men and women."""


def words_for_tables(
    named: Mapping[str, Sequence[str]], tables: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str]]:
    """Names of tables that are short for one noun only, and that noun; of those that are about people, one for people."""
    taken = {singular(word) for words in named.values() for word in words}
    for table, words in named.items():
        own = [word for word in words if word not in words_for("stop")]
        if own[:1] and (sure := _sure(own[0], tables[table])) and sure not in taken:
            yield own[0], sure
            continue
        if len(own) != 1 or _is_word(own[0]) or not _SHORTEST <= len(own[0]) <= _LONGEST or not own[0].isascii():
            continue
        people = any(_is_of_people(name_parts(column)) for column in tables[table])
        meant = set(_meant(own[0], people=people)) - taken
        if len(meant) == 1:
            yield own[0], meant.pop()


def _sure(short: str, columns: Sequence[str]) -> str:
    """What an abbreviation is short for as the name of a table with such columns: `ord` beside a date or a customer is an order."""
    entry = lists()["tables_short"].get(short, {})
    beside = {word for column in columns for word in name_parts(column)}
    return str(entry["word"]) if entry and beside & set(entry["beside"]) else ""


def words_for_columns(
    named: Mapping[str, Sequence[str]], tables: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str]]:
    """Names of columns that are short for one noun, unless other names of the source say another: `cat` where there are no animals."""
    alone = {parts[-1] for columns in tables.values() for parts in map(name_parts, columns) if parts}
    said = {word for columns in tables.values() for column in columns for word in name_parts(column)}
    said |= {singular(word) for words in named.values() for word in words}
    for short, entry in lists()["columns_short"].items():
        if short in alone and not said & {*entry["unless"], entry["word"]}:
            yield short, str(entry["word"])


def units_in_columns(tables: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Letters that several columns of a table end in, each behind another noun, as units: `paper_t`, `glass_t`."""
    for letter, unit in _UNITS.items():
        if any(_end_in(letter, columns) for columns in tables.values()):
            yield letter, unit


def _end_in(letter: str, columns: Collection[str]) -> bool:
    parts = [name_parts(column) for column in columns]
    heads = {words[:-1] for words in parts if len(words) > 1 and words[-1] == letter}
    others = {words[:-1] for words in parts if len(words) > 1 and len(words[-1]) == 1 and words[-1] != letter}
    return len(heads) > 1 and not heads & others


def _is_word(word: str) -> bool:
    known = {*lists()["spelled"], *lists()["short"], *lists()["spelled_tables"], *words_for("codes")}
    return word in known or any(form in _nouns() for form in (word, singular(word)))


def _is_of_people(words: tuple[str, ...]) -> bool:
    """Whether only people have such a column: a first name, a sex, a day of birth or of hiring."""
    names = [tuple(one) for which in ("first_names", "last_names") for one in lists()[which]]
    return words in names or any(word in words_for("of_people") for word in words)


def _meant(short: str, *, people: bool) -> Iterator[str]:
    listed: Sequence[str] = lists()["perhaps_short"].get(short, ())
    if listed and not people:
        return  # a person is asked
    candidates = listed or _nouns()
    for noun in candidates:
        fits = listed or is_short_for(short, noun) or (short.endswith("s") and is_short_for(short[:-1], noun))
        if fits and (means_people(noun) if people else len(short) >= _SURE_ALONE):
            yield _nouns().get(noun, noun)


def is_short_for(short: str, noun: str) -> bool:
    """Whether a noun begins with these letters, or has these consonants in this order: appt, appointment."""
    if len(short) < _SHORTEST or len(noun) < len(short) + _LEFT_OUT or short[0] != noun[0]:
        return False
    if noun.startswith(short):
        return True
    rest = iter(noun)
    return not _VOWELS & set(short[1:]) and all(letter in rest for letter in short)


@cache
def _nouns() -> Mapping[str, str]:
    """Nouns of one word, folded -> themselves, or the singular."""
    found: dict[str, str] = {}
    for english, entry in dictionary().items():
        for word in (english, *entry.get("en", ())):
            found.setdefault(str(word), str(word))
        for one, _ in german_forms(entry):
            found.setdefault(folded_text(one), folded_text(one))
    return {word: one for word, one in found.items() if " " not in word}
