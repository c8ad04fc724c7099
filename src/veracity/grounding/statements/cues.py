"""The words by which statements relate values, read once from YAML, and where they stand in a folded text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from veracity.language.degrees import degrees
from veracity.language.folding import fold, listed
from veracity.language.number_words import cardinals
from veracity.yaml_file import packaged

End = Literal["high", "low"]


@cache
def cue(kind: str) -> re.Pattern[str]:
    """The words of one kind."""
    entry = packaged(Path(__file__).with_name("relations.yaml"))[kind]
    latin, signs = entry["latin"].replace("\n", ""), entry.get("signs", "")
    latin = "|".join(part.strip() for part in latin.split("|"))
    return re.compile(rf"(?<![a-z])(?:{latin})(?![a-z])" + (f"|{signs}" if signs else ""))


@cache
def kinds_of_cues() -> tuple[str, ...]:
    """The kinds of words that relate values; why something is so, and what will be, is no relation of values."""
    known = packaged(Path(__file__).with_name("relations.yaml"))
    return tuple(kind for kind in known if kind not in ("fractions", "cause", "forecast"))


FOLLOWED = r"(?<![a-z])(?:followed (?:closely )?by|gefolgt vo[nm])(?![a-z])"
"""The words for who comes next, for patterns."""
NUMBER_WORDS = cardinals(lambda word: fold(word).text)
"""The number words of German and English up to ninety-nine, folded, for patterns."""


_EVERY = {"2": "second|other|zweite", "3": "third|dritte", "4": "fourth|vierte", "5": "fifth|fuenfte"}
_NTH = (
    "(?:every|jede[snrm]?) (?:{})[nrs]?"
    "(?! (?:second|minute|hour|day|week|month|quarter|year|time|sekunde|stunde|tag|woche|monat|quartal|jahr|mal))"
)
"""Every second room is half of them; every second week is when."""


@cache
def fractions() -> tuple[tuple[re.Pattern[str], Decimal], ...]:
    """Words for parts of a whole, and how large they are."""
    entry = packaged(Path(__file__).with_name("relations.yaml"))["fractions"]
    found = []
    for name, words in entry.items():
        above, below = name.split("/")
        nth = [_NTH.format(_EVERY[below])] if above == "1" and below in _EVERY else []
        latin = "|".join([*nth, *(word for word in words.split("|") if word.isascii())])
        signs = "|".join(word for word in words.split("|") if not word.isascii())
        words_of_both = [f"(?<![a-z])(?:{latin})(?![a-z])"] * bool(latin) + [signs] * bool(signs)
        pattern = re.compile("|".join(words_of_both))
        found.append((pattern, Decimal(above) / Decimal(below)))
    return tuple(found)


_RELATING = (
    "missed",
    "kept",
    "undone",
    "up",
    "down",
    "total",
    "average",
    "share",
    "none",
    "all",
    "only",
    "not_all",
    "rank",
    "ahead",
    "behind",
    "twice",
    "thrice",
    "times",
    "unchanged",
    "equal",
    "gap",
    "beats",
    "over",
    "under",
)
_PREFIX = 4
_COMMON = frozenset(
    {
        "in",
        "of",
        "more",
        "a",
        "one",
        "two",
        "vor",
        "mal",
        "so",
        "the",
        "for",
        "it",
        "macht",
        "made",
        "make",
        "makes",
        "was",
        "auf",
        "an",
        "from",
        "von",
        "aus",
        "to",
        "up",
        "ed",
        "ing",
    }
)


@cache
def _relating() -> tuple[frozenset[str], frozenset[str]]:
    """How the words start that relate values; and whole words and Chinese signs that do."""
    entries = packaged(Path(__file__).with_name("relations.yaml"))
    kinds = [entries[kind] for kind in _RELATING if kind in entries]
    texts = [*(kind["latin"] for kind in kinds), *entries["fractions"].values()]
    latin = {word for text in texts for word in re.findall(r"[a-z]{2,}", text)}
    whole = {word for which in _DEGREES for form in _degree_words(which)[1] for word in form.split()}
    signs = {sign for kind in kinds for sign in kind.get("signs", "") if sign != "|"}
    return frozenset(word[:_PREFIX] for word in (latin | _OTHERS) - _COMMON), frozenset(
        whole | signs | set("最第比占倍半分之每都样同等均")
    )


def may_relate(words: Sequence[str]) -> bool:
    """Whether one of these words could relate values; a sentence without any is read for its rows and names only."""
    prefixes, whole = _relating()
    return any(word in whole or (word[:_PREFIX] in prefixes and word.isascii()) for word in words)


_DEGREES: tuple[Literal["comparative", "superlative"], ...] = ("comparative", "superlative")
_OTHERS = listed(
    "last letzte top bottom bottomed peak peaks peaked hoechststand hoechstwert spitzenwert hoehepunkt tiefststand tiefstwert tiefpunkt schlusslicht than als percent prozent first second third fourth fifth sixth seventh eighth ninth tenth platz rang "
    "erste zweite dritte vierte fuenfte sechste siebte achte neunte zehnte leads led leading tops topped fuehrt fuehrte vorn spitze "
    "after before later earlier nach spaeter frueher as same equally level tied gleich genauso ebenso neither weder"
)


class Adjective(NamedTuple):
    """One adjective that orders rows."""

    end: End
    of: tuple[str, ...] | None
    """Words for the columns that it speaks of; None for any."""
    days: End | None
    vague: bool = False
    """Whether it says nothing without a word for a column or a figure."""


class Degree(NamedTuple):
    """A comparative or superlative in a text."""

    start: int
    stop: int
    adjective: Adjective
    counted: bool = False
    """`most`, `fewest`: of whatever stands behind it."""


@cache
def _adjectives() -> tuple[tuple[Adjective, Mapping[str, list[str]]], ...]:
    rows = packaged(Path(__file__).with_name("adjectives.yaml"))
    return tuple(
        (
            Adjective(row["end"], tuple(row["of"]) if "of" in row else None, row.get("days"), row.get("vague", False)),
            row,
        )
        for row in rows
    )


@cache
def _degree_words(which: Literal["comparative", "superlative"]) -> tuple[re.Pattern[str], Mapping[str, Adjective]]:
    """One pattern for all adjectives, and which one each word is."""
    words: dict[str, Adjective] = {}
    for adjective, row in _adjectives():
        for lang in ("en", "de", "zh"):
            for word in row[lang]:
                forms = getattr(degrees(word, lang), which)
                words.update({form: adjective for form in forms if form not in words})
                if lang == "de" and which == "superlative":
                    words.update(
                        {f"{form}n": adjective for form in forms if form.endswith("e") and f"{form}n" not in words}
                    )
    if which == "comparative":
        words |= {"mehr": words["more"], "weniger": words["less"]}
    ordered = sorted(words, key=len, reverse=True)
    latin = "|".join(re.escape(word) for word in ordered if word.isascii())
    signs = "|".join(re.escape(word) for word in ordered if not word.isascii())
    # Zweithöchste is a superlative, too.
    behind = (
        "(?:(?<![a-z])|(?<=zweit)|(?<=dritt)|(?<=viert)|(?<=fuenft)|(?<=[a-z])(?=staerkst|schwaechst))"
        if which == "superlative"
        else "(?<![a-z])"
    )
    return re.compile(rf"{behind}(?:{latin})(?![a-z])|{signs}"), words


@cache
def quality(stem: str, which: Literal["comparative", "superlative"]) -> re.Pattern[str]:
    """The degrees of an adjective that is a part of a noun: pünktlich of Pünktlichkeit, punctual of punctuality."""
    ends, led = ("er(?:e[rnsm]?)?", "more") if which == "comparative" else ("ste[rnsm]?", "most")
    return re.compile(rf"(?<![a-z])(?:{re.escape(stem)}{ends}|{led} {re.escape(stem)})(?![a-z])")


def plain_in(text: str) -> Adjective | None:
    """The first adjective that stands between `as` and `as`, or behind `so`: twice as large as, doppelt so gross wie."""
    found = re.search(r"(?<![a-z])(?:as|so) (?P<word>[a-z]+) (?:as|wie)(?![a-z])", text)
    for adjective, row in _adjectives() if found is not None else ():
        if found is not None and (found["word"] in row["en"] or found["word"] in row["de"]):
            return adjective
    return None


def plain_after(text: str, sign: str) -> list[Degree]:
    """The Chinese adjectives behind a sign: 比研发部多."""
    start = text.index(sign)
    text = _NO_ADJECTIVE.sub(lambda found: "□" * len(found.group()), text)
    words = {word: adjective for adjective, row in _adjectives() for word in row["zh"]}
    found = [Degree(at, at + len(word), words[word]) for word in words if (at := text.rfind(word)) > start]
    return sorted(found, key=lambda one: -one.start)


_NO_ADJECTIVE = re.compile("小时|大[学约概小]|[长高深宽]度|重量|新增|时长|多少")
"""Words of which a sign is an adjective elsewhere: an hour is not small."""


def plain_before(text: str, sign: str) -> list[Degree]:
    """The Chinese adjectives right before a sign: 低于武汉."""
    words = {word: adjective for adjective, row in _adjectives() for word in row["zh"]}
    ends = (at for at, one in enumerate(text) if one == sign)
    return [Degree(at - 1, at, words[text[at - 1]]) for at in ends if text[at - 1 : at] in words]


_COUNTED = frozenset(
    {
        "most",
        "fewest",
        "least",
        "more",
        "fewer",
        "less",
        "meiste",
        "meisten",
        "wenigsten",
        "mehr",
        "weniger",
        "最多",
        "最少",
    }
)


@lru_cache(maxsize=1024)
def degrees_in(text: str, which: Literal["comparative", "superlative"]) -> tuple[Degree, ...]:
    """The comparatives or superlatives of a folded text; several checks ask for those of the same sentence."""
    pattern, words = _degree_words(which)
    return tuple(
        Degree(found.start(), found.end(), words[found.group()], found.group() in _COUNTED)
        for found in pattern.finditer(text)
    )
