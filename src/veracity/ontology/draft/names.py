"""Names of tables and columns as words: cut at capitals, underlines and known words; without what every name of a table has in front."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from veracity.language.dates import MONTHS
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
SHORTEST_REST = 3
_LONG_PLURAL = 6
_LONGEST_SHORT = 6
BEFORE_ALL = "*"
BEFORE_COLUMNS = "-"
WRITTEN_OUT = "="
DATED = "@"
"""Marks of a vocabulary: `wh*` stands before all names, `t-` before all columns of a table, `pat=patient` is written out, and
`sales 2024@` is a table whose name says when, too."""
_YEAR = re.compile(r"(?:19|20)\d\d(?:\d{2}){0,2}")
_WHEN = re.compile(r"\d{1,2}|[qh][1-4]|v\d{1,2}")
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
    parts = without_prefix(name_parts(name), known)
    cut = tuple(word for part in parts for word in _cut(part, known))
    spelled = (_spelled(word, cut[:place], cut[place + 1 :]) for place, word in enumerate(cut))
    return tuple(_written_out(word, place == len(cut) - 1, known) for place, word in enumerate(spelled))


def _written_out(word: str, last: bool, known: frozenset[str]) -> str:
    """A word as this source means it: `pat` is a patient where a table of people is called so, a `t` behind figures is tonnes."""
    if not word.isascii() or len(word) > _LONGEST_SHORT or (len(word) == 1 and not last):
        return word
    return next((one.removeprefix(word + WRITTEN_OUT) for one in known if one.startswith(word + WRITTEN_OUT)), word)


def name_parts(name: str) -> tuple[str, ...]:
    """A name cut at capitals and underlines; LName is the last name, not a name of l. A sign is a word: `Rabatt %`."""
    whole = name.replace("%", " percent ")
    whole = _HUMPED_NAME.sub(lambda found: f"_{found[1].lower()}name_", whole)
    return tuple(folded_text(" ".join(_CUTS.split(whole))).split())


def without_prefix(parts: tuple[str, ...], known: frozenset[str]) -> tuple[str, ...]:
    """A name without what stands in front of every name of the source or of its table, and says nothing."""
    if len(parts) > 1 and " ".join(parts) + DATED in known:
        parts = undated(parts)
    if len(parts) > 1 and parts[0] + BEFORE_ALL in known:
        parts = parts[1:]
    return without_first(parts) if parts[:1] and parts[0] + BEFORE_COLUMNS in known else parts


def is_noun(word: str) -> bool:
    """Whether a word of a name is a noun of the dictionary, English or German."""
    return word in dictionary() or word in _german_nouns()


@cache
def _german_nouns() -> frozenset[str]:
    return frozenset(folded_text(form) for entry in dictionary().values() for form in entry["de"])


def written_as(name: str, bare: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a name that some of its parts stand for, as they are written there; nothing where they are not side by side."""
    words = re.split(r"[\s_.-]+", name)
    told = (words[start:end] for start in range(len(words)) for end in range(len(words), start, -1))
    return next((tuple(one) for one in told if name_parts(" ".join(one)) == bare), ())


def undated(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The name of a file or sheet without the year, month or version that it is of: sales 2024, orders export 2025 03, Kunden final v2."""
    start, end = 0, len(parts)
    while end > 1 and (says_when(parts[end - 1]) or _lists(parts[end - 1], parts[end - 2])):
        end -= 1
    while end - start > 1 and _YEAR.fullmatch(parts[start]):
        start += 1
    dropped = parts[:start] + parts[end:]
    sure = any(
        _YEAR.fullmatch(word) or word in words_for("of_files") or word in words_for("of_lists") for word in dropped
    )
    return parts[start:end] if sure else parts


def _lists(word: str, before: str) -> bool:
    """Whether a word says that a file lists what stands before it: Wohnungen Liste, not a price list."""
    return word in words_for("of_lists") and _is_plural(before)


def says_when(word: str) -> bool:
    """Whether a word of a name is about time, or about the file that has it."""
    return bool(_YEAR.fullmatch(word) or _WHEN.fullmatch(word)) or word in words_for("of_files") or word in MONTHS


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
    if len(behind) == 1 and word in lists()["spelled_before_units"]:
        whole = str(lists()["spelled_before_units"][word])
        return whole if unit_in((whole, behind[0])) else word
    if len(behind) == 1 and in_list(behind[0], "dates"):
        word = str(lists()["spelled_before_dates"].get(word, word))
    return str(lists()["spelled"].get(word, word))


def _is_plural(word: str) -> bool:
    return len(word) > SHORTEST_REST and singular(word) != word


def _cut(word: str, known: frozenset[str]) -> tuple[str, ...]:
    """`paperid` is paper, id where there is a table of papers; `citingpaperid` is citing, paper, id."""
    if is_chinese(word):
        return _cut_chinese(word, known)
    if word in known or len(word) < 5 or not word.isascii():
        return (word,)
    for end in _SHORT_ENDS:
        rest = word.removesuffix(end)
        if rest != word and len(rest) >= SHORTEST_REST:
            inner = _behind(rest, known) or ((rest,) if rest in lists()["spelled"] else None)
            if inner is not None:
                return (*inner, end)
    for end in _SURE_ENDS:
        rest = word.removesuffix(end)
        if rest != word and len(rest) >= SHORTEST_REST and word not in _whole_words():
            return (rest, end)  # fullname, pubyear
    return _behind(word, known) or (
        ("num", word[3:]) if word.startswith("num") and len(word) > 6 and "number" not in word else (word,)
    )


def is_chinese(word: str) -> bool:
    """Whether a word is written in Chinese signs only."""
    return bool(word) and all("\u4e00" <= sign <= "\u9fff" for sign in word)


def without_date_word(words: Sequence[str]) -> str:
    """What happened on a Chinese date, by its name: `入会` of `入会日期`."""
    name = "".join(words)
    end = next((end for end in ("日期", "时间", "年份") if name.endswith(end)), "")
    return name.removesuffix(end) if end and is_chinese(name) and len(name) - len(end) > 1 else ""


def joined(words: Sequence[str]) -> str:
    """Words as they are written: Chinese ones without a space between them."""
    return ("" if all(map(is_chinese, words)) else " ").join(words)


def _cut_chinese(word: str, known: frozenset[str]) -> tuple[str, ...]:
    """A Chinese name behind the name of a table that it begins with: the number of a coach, the name of a course."""
    if word in known:
        return (word,)
    place = max((len(one) for one in known if len(one) > 1 and word.startswith(one)), default=0)
    return (word[:place], word[place:]) if place and len(word) - place > 1 else (word,)


@cache
def _whole_words() -> frozenset[str]:
    """Words that end like a compound and are none: surname, username."""
    named = (word for which in ("first_names", "last_names") for words in lists()[which] for word in words)
    return frozenset({*named, *lists()["codes"], *lists()["names"], *lists()["no_names"]})


def _behind(word: str, known: frozenset[str]) -> tuple[str, ...] | None:
    """The word itself where it is known, or cut before the longest known word at its end."""
    if word in known:
        return (word,)
    for place in range(SHORTEST_REST, len(word) - SHORTEST_REST):
        if word[place:] in known:
            return (word[:place], word[place:])
    return None


def says(words: Sequence[str], which: str) -> bool:
    """Whether one of the words is in a list, by itself or as the end of a compound."""
    return any(in_list(word, which) for word in words)


def sizes_things(words: Sequence[str]) -> bool:
    """Whether a name says how large a thing is and nothing else, but for its unit and `number of`: population, area km2, desks."""
    own = [word for word in without_unit(words) if word not in words_for("counted_by") and word not in ("of", "number")]
    own = own[1:] if len(own) == 2 and own[0] in words_for("before_sizes") else own  # surface area
    if len(own) != 1:
        return False
    several = own[0].isascii() and own[0].endswith("s") and singular(own[0]) != own[0] and unit_in(own) is None
    other = any(in_list(own[0], which) for which in ("averages", "never_adds", "levels", "codes", "status", "kinds"))
    return own[0] in words_for("sizes_of_things") or (several and not other)


def is_amount_in(words: Sequence[str], units: str) -> bool:
    """Whether a name ends in a unit of a list and says nothing else that speaks against adding it up: paper t, electricity kwh."""
    own = without_unit(words)
    vetoed = any(says(own, which) for which in ("never_adds", "averages", "levels", "running"))
    vetoed = vetoed or any(word.startswith(("durchschnitt", "mittel", "平均")) for word in own)
    alone = len(words) == 1  # hectares
    return len(own) == 1 and (alone or len(own) < len(words)) and unit_in(words) in words_for(units) and not vetoed


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
    return word in chosen or _singular_in(word, chosen) or word.endswith(_heads(which))


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
    """The unit that a name ends in: `weight kg`, `price ct per kwh`; `min` is one behind a duration only."""
    return _unit_at_end(words)[0]


def without_unit(words: Sequence[str]) -> tuple[str, ...]:
    """The words before the unit that a name ends in."""
    unit, length = _unit_at_end(words)
    return tuple(words[:-length] if unit and len(words) > length else words)


def _unit_at_end(words: Sequence[str]) -> tuple[str | None, int]:
    """The unit that a name ends in, and how many words it takes: `weight in kg`."""
    unit, length = _unit_behind(words)
    joined = unit is not None and len(words) > length + 1 and words[-length - 1] == "in"
    return unit, length + joined


def _unit_behind(words: Sequence[str]) -> tuple[str | None, int]:
    if len(words) > 2:
        two = " ".join(words[-2:])
        for which in ("rate_units", "two_word_units"):
            if (unit := lists()[which].get(two)) is not None:
                return str(unit), 2
    if len(words) > 3 and words[-2] in ("per", "pro", "je") and (of := _unit_words().get(words[-1])):
        unit, length = _unit_behind(words[:-2])
        return (f"{unit}/{of}", length + 2) if unit else (None, 0)
    if len(words) > 1 and words[-1] in lists()["short_units"]:
        short = lists()["short_units"][words[-1]]
        return (str(short["unit"]), 1) if any(words[-2].endswith(word) for word in short["behind"]) else (None, 0)
    return (_unit_words().get(words[-1]), 1) if words else (None, 0)


@lru_cache(maxsize=16_384)
def singular(word: str) -> str:
    """An English or German noun in the singular, as far as its ending tells; otherwise the word."""
    if word in _irregular():
        return _irregular()[word]
    head = next((end for end in _plural_heads() if word.endswith(end) and len(word) - len(end) >= SHORTEST_REST), None)
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
    return len(word) > SHORTEST_REST and table[-1].startswith(word) and word not in (table[-1], singular(table[-1]))


def is_whole_name(bare: Sequence[str], table: Sequence[str]) -> bool:
    """Whether the word before `name` says no more than that it is the name of the row: full name, inst name of institutions."""
    return len(bare) == 1 and (
        bare[0] in words_for("whole_names") or (len(bare[0]) > 2 and table[-1].startswith(bare[0]))
    )
