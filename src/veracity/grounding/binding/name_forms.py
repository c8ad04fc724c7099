"""What people call values that name rows, and columns: all the forms that are looked for in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache, lru_cache
from pathlib import Path

from veracity.grounding.binding.period_names import period_forms
from veracity.language.currencies import CURRENCY_WORDS, without_legal_form
from veracity.language.dictionary import words_of_kind
from veracity.language.folding import fold, listed, words_in
from veracity.language.function_words import function_words
from veracity.language.nearest import words_of
from veracity.language.numbers import MONTHS, format_month
from veracity.language.stem import noun_root
from veracity.language.units import units
from veracity.language.verb_forms import other_forms
from veracity.yaml_file import packaged

_LONGEST_TEXT = 120
_TELLING = 4
_LONGEST_NAME = 10
"""A text of more words is no name."""
_MONTHS = {
    number: tuple(
        format_month(date(2000, number, 1), locale).replace("2000年", "").replace("2000", "").strip()
        for locale in ("de", "en", "zh")
    )
    for number in range(1, 13)
}
_COUNTING = listed("count number num total anzahl zahl no of nr amount sum qty quantity n the der die das 数 量")
_ROUTE = re.compile(r"([^\W\d_][^–—→>]{2,40}?)\s(?:-|–|—|→|->)\s([^\W\d_][^–—→>]{2,40})")
"""From one place to another, by either of which it is called."""
_BRACKETED = re.compile(r"\s*[(（\[][^()（）\[\]]{0,40}[)）\]]\s*$")
_IDENTIFYING = listed("id no nr number nummer code key")
_OWN_NAMES = frozenset({"name", "full_name", "fullname", "display_name", "displayname", "title", "label"})
"""What the name of an object inside another is called."""
_EMPTY_HEADS = listed(
    "percent percentage prozent pct id name value wert key code type total amount number nummer count date datum text 名 名称 值"
)
_SHORTENED = {
    "temp": "temperature", "min": "minimum", "max": "maximum", "avg": "average", "qty": "quantity", "amt": "amount", "num": "number",
    "pct": "percent", "yr": "year", "hrs": "hours", "mins": "minutes", "pop": "population", "rev": "revenue", "desc": "description",
}  # fmt: skip
"""What names of columns are shortened to."""


_COUNTED_ZH = (
    ["人", "数"], ["人", "次"], ["次", "数"], ["数", "量"], ["总", "数"], ["时", "间"], ["时", "长"],
)  # fmt: skip
"""What Chinese names of columns end with, of which people say only what was counted."""


def name_roots(column: str, words: Sequence[str]) -> frozenset[str]:
    """The words of a column, without endings."""
    return frozenset(noun_root(word) for name in (words_of(column), *words) for word in words_in(name))


def name_forms(
    value: str, *, month: bool, aliases: Mapping[tuple[str, ...], Sequence[str]]
) -> Sequence[tuple[str, ...]]:
    """The words by which people call a value that names a row."""
    forms = _own_forms(value)
    if not forms or not (month or aliases):
        return forms
    others = (*(_MONTHS.get(month_number(value), ()) if month else ()), *aliases.get(forms[0], ()))
    return (*forms, *(tuple(words_in(name)) for name in others))


def month_number(value: str) -> int:
    """The number of a month that is written as a number or by its name; 0 for anything else."""
    if value.isascii() and value.isdigit() and len(value) <= 2:
        return int(value)
    found = _CHINESE_MONTH.fullmatch(value)
    return int(found[1]) if found is not None else MONTHS.get(value.lower().rstrip("."), 0)


_CHINESE_MONTH = re.compile(r"(1[0-2]|0?[1-9])月份?")


@lru_cache(maxsize=32_768)
def _own_forms(value: str) -> tuple[tuple[str, ...], ...]:
    """What a value is called by itself: as it is written, as a period, by the ends of a route, without its legal form."""
    return tuple(_forms_of_value(value)) if len(value) <= _LONGEST_TEXT else ()


def _forms_of_value(value: str) -> Iterator[tuple[str, ...]]:
    words = tuple(words_in(value))
    if len(words) > _LONGEST_NAME:
        return
    yield words
    yield from period_forms(value)
    if value in ("Nord", "Süd", "Ost", "West"):
        yield tuple(words_in(f"{value}en"))
    if len(value) > len("已签") and value[0] == "已":
        yield tuple(words_in(value[1:]))
    if (route := _ROUTE.fullmatch(value)) is not None:
        yield from (tuple(words_in(end)) for end in route.groups())
    if len(words) > 1 and len(short := tuple(without_legal_form(words))) < len(words):
        yield short
    if "_" in value and len(words) == _WORDS_OF_A_STATE:
        yield from ((words[0], between, words[1]) for between in ("for", "on", "of", "auf"))  # waiting for parts
    if (bare := _BRACKETED.sub("", value)) != value and len(words_in(bare)) > 1:
        yield tuple(words_in(bare))  # Nitrile gloves (case)
    if len(words) > 1 and len(words[0]) >= _TELLING and words[0].endswith("e") and words[0].isalpha():
        # German bends the first word of a name: der Freien Mitte, of Freie Mitte.
        yield from ((f"{words[0]}{end}", *words[1:]) for end in ("n", "r", "s", "m"))
    yield from _states().get(words, ())
    for kind in words_of_kind().get(tuple(map(noun_root, words)), ()):
        yield tuple(words_in(kind))
    if value in CURRENCY_WORDS:
        yield from (tuple(words_in(word)) for group in CURRENCY_WORDS[value].values() for word in group)


_WORDS_OF_A_STATE = 2
_LISTED = re.compile(r"\s*(?:[,;、，；]|\s(?:and|und|&)\s)\s*(?:and |und )?")
_MOST_ENTRIES, _LONGEST_ENTRY = 24, 4


@lru_cache(maxsize=8192)
def listed_entries(text: str) -> tuple[str, ...]:
    """The things that a cell lists: Kiruna, Svalbard, Punta Arenas; none where it is a sentence or a number."""
    if not any(sign in text for sign in ",;、，；") or len(text) > 4 * _LONGEST_TEXT:
        return ()
    entries = tuple(one.strip() for one in _LISTED.split(text.strip(" .[]")) if one.strip())
    short = all(
        any(map(str.isalpha, one)) and len(words_in(one)) <= _LONGEST_ENTRY * (1 + (not one.isascii()))
        for one in entries
    )
    return entries if short and 1 < len(entries) <= _MOST_ENTRIES and text.strip()[-1:] not in ".!?。" else ()


@cache
def _states() -> Mapping[tuple[str, ...], list[tuple[str, ...]]]:
    """The words of a state -> the other words for it: delivered, zugestellt, 已送达."""
    lines = [
        [tuple(words_in(str(word))) for word in line] for line in packaged(Path(__file__).with_name("value_words.yaml"))
    ]
    return {word: [other for other in line if other != word] for line in lines for word in line}


def other_states(value: str) -> frozenset[tuple[str, ...]]:
    """The words for states that a cell with a known state does not say: abgeschlossen, of in Arbeit; none where it is not known."""
    own = tuple(words_in(value))
    if own not in _states():
        return frozenset()
    return frozenset(form for form in _states() if form != own and form not in _states()[own])


@cache
def state_words() -> frozenset[str]:
    """All words for states that are one word."""
    return frozenset(form[0] for form in _states() if len(form) == 1)


_OPPOSITES = (
    ("open", "closed"), ("offen", "geschlossen"), ("geoeffnet", "geschlossen"), ("active", "inactive"), ("aktiv", "inaktiv"),
    ("paid", "unpaid"), ("bezahlt", "unbezahlt"), ("available", "unavailable"), ("verfuegbar", "vergriffen"), ("indoor", "outdoor"),
    ("success", "failed"), ("success", "failure"), ("passed", "failed"), ("bestanden", "durchgefallen"), ("成功", "失败"),
)  # fmt: skip


def opposites(column: str) -> Iterator[tuple[str, ...]]:
    """What people say where a column of yes and no says no: sonntags geschlossen, of `Sonntags offen`."""
    words = words_in(words_of(column))
    if len(words) == 1 and words[0].isascii() and len(words[0]) > _TELLING and not words[0].startswith("un"):
        yield (noun_root(f"un{words[0]}"),)  # unbesetzt, unpaid
    for one, other in (*_OPPOSITES, *((second, first) for first, second in _OPPOSITES)):
        if one in words:
            yield tuple(noun_root(other if word == one else word) for word in words)


_SEX_WORDS = listed("sex gender geschlecht 性别")
_SEXES = {
    "f": listed("woman women female frau frauen weiblich weibliche 女 女性"),
    "m": listed("male mann männer männlich männliche 男 男性"),
}


def sex_forms(column: str, value: str) -> Iterator[tuple[str, ...]]:
    """What people call the letters of a column of sexes: F is a woman. A man is left out: `man` is any word."""
    letter = {"w": "f", "female": "f", "male": "m"}.get(value.strip().lower(), value.strip().lower())
    if letter in _SEXES and set(words_in(words_of(column))) & _SEX_WORDS:
        yield from (tuple(words_in(word)) for word in _SEXES[letter])


@lru_cache(maxsize=8192)
def plurals(value: str) -> tuple[tuple[str, ...], ...]:
    """Several things of a kind: ferries of ferry, Tanker and Fähren. A plural in s alone is the same name anyhow."""
    words = words_in(value) if value.isascii() and value.isalpha() else []
    if len(words) != 1 or len(words[0]) < _TELLING:
        # Die Zuger Seen.
        return ((f"{words[0]}er",),) if len(words) == 1 and len(words[0]) == _TELLING - 1 and value.istitle() else ()
    word = words[0]
    ends = [(f"{word}{end}",) for end in ("es", "e", "en", "n", "er")]
    if value[0].isupper() and (bent := _UMLAUT.sub(r"\1e\2", word, count=1)) != word:
        ends += [(f"{bent}{end}",) for end in ("", "e", "er")]  # Diebstähle, of Diebstahl
    return ((f"{word[:-1]}ies",), *ends) if word.endswith("y") else tuple(ends)


_UMLAUT = re.compile(r"([aou])([^aeiou]*)$")
_KINDS = ("art", "typ", "kategorie", "gruppe", "klasse", "name")


@lru_cache(maxsize=1024)
def compound_heads(column: str) -> tuple[str, ...]:
    """What a German column is about, as the end of compounds: schaden and schäden, of Schadenart; tunnel, of Tunnel."""
    words = words_in(column)
    if len(words) != 1 or not words[0].isalpha():
        return ()
    kind = next((kind for kind in _KINDS if words[0].endswith(kind)), "")
    about = words[0].removesuffix(kind)
    if len(about) < _TELLING:
        return ()
    # schaden: the last a is bent in the plural, before the ending.
    bent = re.sub(r"([aou])([^aeiou]*(?:e[nlr]?)?)$", r"\1e\2", about)
    return tuple(dict.fromkeys((about, f"{about}s", f"{about}e", f"{about}en", bent, f"{bent}e", f"{bent}er")))


@lru_cache(maxsize=4096)
def compound_ends(column: str) -> tuple[str, ...]:
    """The German noun that the name of a column of figures begins with, as the end of compounds: anteil, of Anteil 2023 (%)."""
    first = next(iter(_BRACKETED.sub("", column).split()), "")
    word = next(iter(words_in(first)), "")
    return (word,) if first[:1].isupper() and first[1:].islower() and first.isalpha() and len(word) >= _TELLING else ()


@lru_cache(maxsize=4096)
def column_forms(column: str, words: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The words by which people call a column, without endings."""
    forms: dict[tuple[str, ...], None] = {}
    # The name of an assignee is the assignee.
    owner = column.rpartition(".")[0] if column.rpartition(".")[2].casefold() in _OWN_NAMES else ""
    for name in (column, words_of(column), *words, words_of(owner)):
        spelt = words_in(name)
        said = [noun_root(word) for word in spelt]
        forms[tuple(said)] = None
        forms[tuple(noun_root(_SHORTENED.get(word, word)) for word in spelt)] = None
        # A number of reviews is said by its noun: 55 reviews.
        # A column of ids is said by what it identifies: user 3.
        if len(said) > 1 and spelt[-1] in _IDENTIFYING:
            forms[tuple(said[:-1])] = None
        # A number of doctors is said by its noun in Chinese, too: 医生人数.
        if len(said) > 3 and said[-2:] in _COUNTED_ZH:
            forms[tuple(said[:-2])] = None
        if len(said) > 2 and said[-1] in ("额", "量") and not said[0].isascii():
            forms[tuple(said[:-1])] = None
        if len(said) > 1 and len(counted := _without_counting(said)) < len(said):
            forms[tuple(counted)] = None
    return tuple(form for form in forms if form and len(form) <= _LONGEST_NAME)


def _without_counting(words: Sequence[str]) -> list[str]:
    """What is counted; a Chinese sign says that only at the end: 访客数, but not 数学."""
    if words[0].isascii():
        return [word for word in words if word not in _COUNTING]
    return list(words[:-1]) if words[-1] in _COUNTING else list(words)


def mixed_words(column: str) -> list[str]:
    """The words of a column that are digits and letters, by which people call it: the 10k, of `10k time`."""
    return [
        word for word in words_in(words_of(column)) if not word.isalpha() and not word.isdecimal() and word.isalnum()
    ]


@lru_cache(maxsize=4096)
def last_word(column: str) -> str:
    """The last word of a name of several, where it says something."""
    words = words_in(words_of(_BRACKETED.sub("", column)))
    head = _SHORTENED.get(words[-1], words[-1]) if len(words) > 1 else ""
    says = len(head) > 2 and head not in _EMPTY_HEADS and not head.isdigit() and head.upper() not in CURRENCY_WORDS
    return noun_root(head) if says else ""


@lru_cache(maxsize=4096)
def other_words(column: str) -> tuple[str, ...]:
    """The words of a name of several before its last one, where they say something, without endings."""
    words = words_in(words_of(_BRACKETED.sub("", column)))
    told = (
        word
        for word in words[:-1]
        if len(word) >= _TELLING - 1 and word.isalpha() and word not in _EMPTY_HEADS and word not in _COUNTING
    )
    return tuple(
        noun_root(word) for word in told if word not in MONTHS and word not in function_words() and word not in units()
    )


_OF_WHAT = (
    "verbrauch", "preis", "preise", "kosten", "menge", "produktion", "anteil", "zahl", "zahlen", "wert", "werte", "bedarf", "ertrag",
    "umsatz", "quote", "stand", "absatz",
)  # fmt: skip


@lru_cache(maxsize=4096)
def german_compounds(column: str) -> tuple[str, ...]:
    """What German makes of the name of a column and a noun for what is measured: Gasverbrauch, of gas."""
    words = words_in(words_of(_BRACKETED.sub("", column.rpartition(".")[2])))
    word = words[-1] if len(words) == 1 else ""
    if len(word) < _TELLING - 1 or not word.isalpha() or not word.isascii():
        return ()
    return tuple(noun_root(f"{word}{noun}") for noun in _OF_WHAT if not word.endswith(noun))


@lru_cache(maxsize=4096)
def compound_starts(column: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """What a German word for an amount begins with, which is said alone as well: an Lager, of Lagerbestand."""
    spelt = [fold(word).text for word in (column, *words)]
    begun = (word.removesuffix(head) for word in spelt for head in _AMOUNTS if word.endswith(head))
    return tuple(dict.fromkeys(noun_root(word) for word in begun if len(word) >= _TELLING - 1 and word.isalpha()))


_AMOUNTS = ("bestand", "menge", "verbrauch", "bedarf")
_QUALIFYING_ZH = frozenset(
    ("本年", "当前", "全年", "平均", "本月", "上月", "本周", "上周", "今年", "去年", "每月", "每年", "每小", "日均", "总计", "累计", "最高", "最低", "计划", "实际", "合计", "年均", "月均")
)  # fmt: skip


@lru_cache(maxsize=4096)
def chinese_start(column: str) -> tuple[str, ...]:
    """The first two signs of a longer Chinese name, which say what is counted: 投递, of 投递件数."""
    name = _BRACKETED.sub("", column)
    start = name[:2]
    if len(name) < _TELLING or not all("\u4e00" <= sign <= "\u9fff" for sign in name):
        return ()
    if start in _QUALIFYING_ZH:
        start = name[2:4] if len(name) > _TELLING + 1 else ""  # 故障, of 本年故障次数
    if name.endswith(("率", "比", "比例")):
        return ()  # A share of girls is no number of girls.
    return tuple(start)


@lru_cache(maxsize=4096)
def done_words(column: str) -> tuple[str, ...]:
    """Other forms of the verb that the last word of an English name is, as well: downloaded, of downloads; filings, of filed."""
    words = words_in(words_of(_BRACKETED.sub("", column)))
    root = noun_root(words[-1]) if words else ""
    if len(root) < _TELLING or not root.isascii() or not root.isalpha() or root in _EMPTY_HEADS or root in units():
        return ()
    if forms := other_forms(words[-1]):
        return tuple(map(noun_root, forms))
    if words[-1].endswith("ed"):
        return (noun_root(f"{words[-1][:-2]}ing"),)
    stem = words[-1].removesuffix("s").removesuffix("e")
    return tuple(dict.fromkeys(noun_root(form) for form in (f"{stem}ed", f"{root}ed", f"{stem}ing")))


_AVERAGES = frozenset({"average", "avg", "mean", "durchschnitt", "mittel", "schnitt", "平均"})


def is_average(column: str) -> bool:
    """Whether the cells of a column are averages, of which the average is none of all."""
    return not _AVERAGES.isdisjoint(words_in(words_of(column)))
