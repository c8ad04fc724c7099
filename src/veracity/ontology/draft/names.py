"""Names of tables and columns as words: cut at capitals, underlines and known words; without what every name of a table has in front."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from veracity.language.dictionary import dictionary, german_forms
from veracity.language.folding import folded_text
from veracity.language.stem import noun_root
from veracity.yaml_file import packaged

_CUTS = re.compile(r"(?<=[a-z0-9äöü])(?=[A-ZÄÖÜ])|(?<=[A-Z])(?=[A-Z][a-z])|[^\w²³]+|_+")
GERMAN_DATE = re.compile(r"(?<=\w{3})s?(?:datum|termin|zeitpunkt)$")
"""What the names of German dates end in: eintrittsdatum is when somebody entered."""
_HUMPED_NAME = re.compile(r"(?<![A-Z])([FL])Name(?![a-z])")
"""FName and LName are words of their own: the first and the last name."""
_SHORT_ENDS = ("id", "nr", "no", "name", "date", "code", "num", "key")
_SURE_ENDS = ("name", "year")
_SHORTEST_HEAD = 4
_SHORTEST_REST = 3
_LONG_PLURAL = 6
_BEFORE_ALL = "*"
_BEFORE_COLUMNS = "-"
_FEWEST_NAMES = 3
_LONGEST_PREFIX = 4
_LONE_KEYS = (("id",), ("nr",), ("no",), ("code",), ("key",), ("num",))
"""Behind these a prefix tells whose key it is: `txId`."""


@cache
def lists() -> Mapping[str, Any]:
    """The word lists."""
    found: Mapping[str, Any] = packaged(Path(__file__).with_name("words.yaml"))
    return found


@cache
def words_for(name: str) -> frozenset[str]:
    """A word list."""
    return frozenset(str(word) for word in lists()[name])


@cache
def split(name: str, known: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """A name as words in small letters without umlauts; `known` is the vocabulary of the source."""
    parts = _without_prefix(_parts(name), known)
    cut = tuple(word for part in parts for word in _cut(part, known))
    return tuple(_spelled(word, cut[:place], cut[place + 1 :]) for place, word in enumerate(cut))


def _parts(name: str) -> tuple[str, ...]:
    """A name cut at capitals and underlines; LName is the last name, not a name of l."""
    whole = _HUMPED_NAME.sub(lambda found: f"_{found[1].lower()}name_", name)
    return tuple(folded_text(" ".join(_CUTS.split(whole))).split())


def _without_prefix(parts: tuple[str, ...], known: frozenset[str]) -> tuple[str, ...]:
    """A name without what stands in front of every name of the source or of its table, and says nothing."""
    if len(parts) > 1 and parts[0] + _BEFORE_ALL in known:
        parts = parts[1:]
    return without_first(parts) if parts[:1] and parts[0] + _BEFORE_COLUMNS in known else parts


def without_first(words: tuple[str, ...]) -> tuple[str, ...]:
    """A column's name without the word that all columns of its table begin with; before a lone key it tells whose key it is."""
    return words[1:] if len(words) > 1 and words[1:] not in _LONE_KEYS else words


def _spelled(word: str, before: Sequence[str], behind: Sequence[str]) -> str:
    """A word in full: `prc` is a price everywhere, `dist` a distance before a unit, `cd` a code behind other words."""
    if before and word in lists()["spelled_behind_others"]:
        return str(lists()["spelled_behind_others"][word])
    if before[-1:] and before[-1] in words_for("extreme_or_average") and word in lists()["spelled_behind_averages"]:
        return str(lists()["spelled_behind_averages"][word])
    if word in ("n", "number") and not before and behind and _is_plural(_spelled(behind[0], (word,), ())):
        return "num"  # n_inhab, number_products: how many there are
    if len(behind) == 1 and behind[0] in _unit_words() and word in lists()["spelled_before_units"]:
        return str(lists()["spelled_before_units"][word])
    return str(lists()["spelled"].get(word, word))


def _is_plural(word: str) -> bool:
    return len(word) > _SHORTEST_REST and singular(word) != word


def _cut(word: str, known: frozenset[str]) -> tuple[str, ...]:
    """`paperid` is paper, id where there is a table of papers; `citingpaperid` is citing, paper, id."""
    if word in known or len(word) < 5 or not word.isascii():
        return (word,)
    for end in _SHORT_ENDS:
        rest = word.removesuffix(end)
        if rest != word and len(rest) >= _SHORTEST_REST:
            inner = _behind(rest, known) or ((rest,) if rest in lists()["spelled"] else None)
            if inner is not None:
                return (*inner, end)
    for end in _SURE_ENDS:
        rest = word.removesuffix(end)
        if rest != word and len(rest) >= _SHORTEST_REST and word not in _whole_words():
            return (rest, end)  # fullname, pubyear
    return _behind(word, known) or (
        ("num", word[3:]) if word.startswith("num") and len(word) > 6 and "number" not in word else (word,)
    )


@cache
def _whole_words() -> frozenset[str]:
    """Words that end like a compound and are none: surname, username."""
    named = (word for which in ("first_names", "last_names") for words in lists()[which] for word in words)
    return frozenset({*named, *lists()["codes"], *lists()["names"], *lists()["no_names"]})


def _behind(word: str, known: frozenset[str]) -> tuple[str, ...] | None:
    """The word itself where it is known, or cut before the longest known word at its end."""
    if word in known:
        return (word,)
    for place in range(_SHORTEST_REST, len(word) - _SHORTEST_REST):
        if word[place:] in known:
            return (word[:place], word[place:])
    return None


def vocabulary(tables: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """What is known of the names of a source, by its tables and their columns, to cut other names with.

    The words of tables' names, in singular and plural, are those that compounds are cut at. Marked ones stand in front of all names of the
    source, or of all columns of a table, and say nothing: `whTxAmount` of `whTransaction` is an amount.
    """
    named = {name: _parts(name.rpartition(".")[2]) for name in tables}
    everywhere = _prefix(list(named.values()))
    found = {everywhere + _BEFORE_ALL} if everywhere else set()
    for name, words in named.items():
        columns = [_without_prefix(_parts(column), frozenset(found)) for column in tables[name]]
        prefix = _prefix(columns)
        if prefix and prefix not in words:
            found.add(prefix + _BEFORE_COLUMNS)
    found |= {letter + _BEFORE_COLUMNS for letter in _initials(tables, named)}
    silent = frozenset(found)
    for name in tables:
        words = tuple(word for word in split(name.rpartition(".")[2], silent) if word not in words_for("stop"))
        found |= {form for word in words for form in (word, singular(word)) if len(form) >= _SHORTEST_REST}
        joined = "".join(words)
        found |= {joined, singular(joined)} if words else set()
    return frozenset(found)


def leading_word(names: Sequence[Sequence[str]]) -> str:
    """The word that stands in front of all of these names, where there are a few: `order_id, order_date, order_total` have order."""
    first = names[0][0] if len(names) >= _FEWEST_NAMES and names[0] else ""
    return first if all(len(name) > 1 and name[0] == first for name in names) else ""


def _initials(tables: Mapping[str, Sequence[str]], named: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The letters that stand for their table before its columns, and before no others: `t_fname`, `t_lname` of teachers."""
    begun: dict[str, set[str]] = {}
    for table, columns in tables.items():
        for words in map(_parts, columns):
            if len(words) > 1 and len(words[0]) == 1:
                begun.setdefault(words[0], set()).add(table)
    for letter, homes in begun.items():
        for home in homes if len(homes) == 1 and letter.isalpha() else ():
            columns_of = [_parts(column) for column in tables[home]]
            short = [one[1:] for one in columns_of if one[:1] == (letter,)]
            if len(short) > 1 and named[home][0].startswith(letter) and not set(short) & set(columns_of):
                yield letter


def _prefix(names: Sequence[Sequence[str]]) -> str:
    """The short word in front of all of these names that is no word of people's."""
    first = leading_word(names)
    written = str(lists()["spelled"].get(first, lists()["short"].get(first, first)))
    word = any(form in dictionary() for form in (first, singular(first), written)) or first in words_for("stop")
    return first if first.isalpha() and len(first) <= _LONGEST_PREFIX and not word else ""


def says(words: Sequence[str], which: str) -> bool:
    """Whether one of the words is in a list, by itself or as the end of a compound."""
    return any(in_list(word, which) for word in words)


def sizes_things(words: Sequence[str]) -> bool:
    """Whether a name says how large a thing is and nothing else, but for its unit and `number of`: population, area km2, desks."""
    own = [word for word in without_unit(words) if word not in words_for("counted_by") and word not in ("of", "number")]
    if len(own) != 1:
        return False
    several = own[0].isascii() and own[0].endswith("s") and singular(own[0]) != own[0] and unit_in(own) is None
    other = any(in_list(own[0], which) for which in ("averages", "never_adds", "levels", "codes", "status", "kinds"))
    return own[0] in words_for("sizes_of_things") or (several and not other)


def lasts(words: Sequence[str]) -> bool:
    """Whether a name says how long something took, and no more: minutes, hours worked; engine hours are a reading."""
    own = [word for word in words if word not in words_for("durations")]
    return len(own) < len(words) and all(word in words_for("spent") for word in own)


def ends_in(words: Sequence[str], which: str) -> bool:
    """Whether the last word that matters is in a list: of `price usd` it is price."""
    own = without_unit(words)
    return bool(own) and in_list(own[-1], which)


def in_list(word: str, which: str) -> bool:
    """Whether a word is in a list, or ends in one of its longer words."""
    chosen = words_for(which)
    return word in chosen or _singular_in(word, chosen) or any(word.endswith(head) for head in _heads(which))


def _singular_in(word: str, chosen: Collection[str]) -> bool:
    return len(word) > 4 and word.endswith("s") and word[:-1] in chosen


@cache
def _heads(which: str) -> tuple[str, ...]:
    """The words that compounds may end in: long ones, and Chinese ones."""
    short = lists()["short_heads"]
    return tuple(word for word in words_for(which) if len(word) > _SHORTEST_HEAD or not word.isascii() or word in short)


@cache
def _unit_words() -> Mapping[str, str]:
    return {word: unit for unit, words in lists()["units"].items() for word in words}


def unit_in(words: Sequence[str]) -> str | None:
    """The unit that a name ends in: `weight kg`; `min` is one behind a duration only."""
    if len(words) > 2 and (rate := lists()["rate_units"].get(" ".join(words[-2:]))) is not None:
        return str(rate)
    if len(words) > 1 and words[-1] in lists()["short_units"]:
        short = lists()["short_units"][words[-1]]
        return str(short["unit"]) if any(words[-2].endswith(word) for word in short["behind"]) else None
    return _unit_words().get(words[-1]) if words else None


def without_unit(words: Sequence[str]) -> tuple[str, ...]:
    """The words before the unit that a name ends in."""
    if len(words) < 2 or not unit_in(words):
        return tuple(words)
    return tuple(words[:-2] if len(words) > 2 and " ".join(words[-2:]) in lists()["rate_units"] else words[:-1])


def singular(word: str) -> str:
    """An English or German noun in the singular, as far as its ending tells; otherwise the word."""
    if word in _irregular():
        return _irregular()[word]
    head = next((end for end in _plural_heads() if word.endswith(end) and len(word) - len(end) >= _SHORTEST_REST), None)
    if head is not None:  # krankenhaeuser
        return word.removesuffix(head) + _irregular()[head]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@cache
def _irregular() -> Mapping[str, str]:
    """Plurals of the dictionary -> their singular."""
    plain = {
        "people": "person",
        "children": "child",
        "addresses": "address",
        "statuses": "status",
        "analyses": "analysis",
        "series": "series",
        "news": "news",
    }
    german: dict[str, str] = {}
    for one, many in (pair for first in (True, False) for pair in _german_pairs(first=first)):
        if many != one:
            german.setdefault(many, one)
    return german | plain


def _german_pairs(*, first: bool) -> Iterator[tuple[str, str]]:
    """The German nouns of the dictionary, folded, in singular and plural: the first of each entry, or the others."""
    for entry in dictionary().values():
        pairs = german_forms(entry)
        for one, many in pairs[:1] if first else pairs[1:]:
            yield folded_text(one), folded_text(many)


@cache
def _plural_heads() -> tuple[str, ...]:
    """Plurals that compounds may end in, the longest first; only where the plural changes more than its ending."""
    found = [many for many, one in _irregular().items() if len(many) >= _LONG_PLURAL and not many.startswith(one)]
    return tuple(sorted(found, key=len, reverse=True))


def same_noun(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two names are the same words, in singular or plural."""
    return [noun_root(singular(word)) for word in one] == [noun_root(singular(word)) for word in other]


def is_short_for(word: str, table: Sequence[str]) -> bool:
    """Whether a word is what a table's name begins with: subj of subjects."""
    return len(word) > _SHORTEST_REST and table[-1].startswith(word) and word not in (table[-1], singular(table[-1]))


def is_whole_name(bare: Sequence[str], table: Sequence[str]) -> bool:
    """Whether the word before `name` says no more than that it is the name of the row: full name, inst name of institutions."""
    return len(bare) == 1 and (
        bare[0] in words_for("whole_names") or (len(bare[0]) > 2 and table[-1].startswith(bare[0]))
    )
