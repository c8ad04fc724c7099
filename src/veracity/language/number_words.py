"""Numbers in words, in German, English and Chinese: `hundertfünfzigtausend`, `twenty-five`, `三十二`.

A model could hide a typed figure in words. `one`, `ein` and `一` are left out, since they are articles far more often.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

_LONGEST = 80


def words_in(text: str) -> tuple[str, ...]:
    """The words of a list that is written as one text."""
    return tuple(text.split())


_UNITS_EN = words_in(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_TENS_EN = words_in("twenty thirty forty fifty sixty seventy eighty ninety")
_UNITS_DE = words_in(
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn"
)
_TENS_DE = words_in("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")

_SMALL_EN = {word: n for n, word in enumerate(_UNITS_EN)} | {word: 10 * n for n, word in enumerate(_TENS_EN, 2)}
_LARGE = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "dozen": 12,
    "hundert": 100, "tausend": 1000, "milliarde": 10**9, "dutzend": 12,
}  # fmt: skip
_SMALL_DE = {word: n for n, word in enumerate(_UNITS_DE)} | {word: 10 * n for n, word in enumerate(_TENS_DE, 2)}
_SMALL_DE |= {"zwo": 2, "eins": 1, "dreissig": 30, "fuenf": 5, "zwoelf": 12, "fuenfzehn": 15, "fuenfzig": 50}

_NUMBER_DE = re.compile(
    "(?:" + "|".join(sorted({*_SMALL_DE, "hundert", "tausend", "und"}, key=len, reverse=True)) + ")+"
)
_PART_DE = re.compile("|".join(sorted({*_SMALL_DE, "hundert", "tausend", "und"}, key=len, reverse=True)))
_ENDING_DE = re.compile(r"(?:mal|fach)$")
_WORD = re.compile(r"[a-zäöüß]+")
_BETWEEN = re.compile(r"[ \u00a0\u202f]{1,2}(?:and |und )?|-|-and-")
_ENDLESS = 10**30
_ARTICLES = frozenset({"one", "ein", "eine", "einem", "einen", "einer", "eines", "eins"})


def find_words(folded: str, language: str) -> Iterator[tuple[int, int, Decimal]]:
    """Numbers in words in a text in small letters: start, end and value."""
    run: list[tuple[int, int, int]] = []
    for match in _WORD.finditer(folded):
        if run and match.group() in ("and", "und"):
            continue
        value = _word_value(match.group(), language)
        if run and (value is None or _BETWEEN.fullmatch(folded, run[-1][1], match.start()) is None):
            yield from _said(folded, run)
            run = []
        if value is not None and _stands_alone(folded, match.start(), match.end()):
            run.append((match.start(), match.end(), value))
    yield from _said(folded, run)


def _stands_alone(folded: str, start: int, end: int) -> bool:
    """Whether no letter or digit is glued to a word; Chinese signs do not count as letters."""
    around = folded[max(0, start - 1) : start] + folded[end : end + 1]
    return not any(ch == "_" or (ch.isalnum() and ord(ch) < 0x2E80) for ch in around)


def _said(folded: str, run: list[tuple[int, int, int]]) -> Iterator[tuple[int, int, Decimal]]:
    """What a run of number words says: one number, or several where they do not build one."""
    first, total, current, last_large = 0, 0, 0, _ENDLESS
    for at, (start, end, value) in enumerate(run):
        large = value in (100, 1000) or value >= 10**6 or folded.startswith(("dozen", "dutzend"), start, end)
        hundred = value == 100 and current < 10
        goes_on = value < last_large if large else _continues(current, value)
        if at > first and not (hundred or goes_on):
            yield from _one(folded, run[first:at], total + current)
            first, total, current, last_large = at, 0, 0, _ENDLESS
            hundred = value == 100
        if hundred:
            current = max(current, 1) * 100
        elif large:
            total, current, last_large = total + max(current, 1) * value, 0, value
        else:
            current += value
    if run:
        yield from _one(folded, run[first:], total + current)


def _one(folded: str, words: list[tuple[int, int, int]], value: int) -> Iterator[tuple[int, int, Decimal]]:
    if any(folded[start:end] not in _ARTICLES for start, end, _ in words):
        yield words[0][0], words[-1][1], Decimal(value)


def _continues(current: int, value: int) -> bool:
    """Whether a small number goes on after what was said: hundred, then up to 99; twenty, then up to 9."""
    if current % 100 == 0:
        return current < 1000 and value < (100 if current else 1000)
    return current < 1000 and current % 10 == 0 and current % 100 >= 20 and 0 < value < 10


def _word_value(word: str, language: str) -> int | None:
    return None if len(word) > _LONGEST else _short_value(word, language)


@lru_cache(maxsize=8192)
def _short_value(word: str, language: str) -> int | None:
    if word in ("null", "elf") and language != "de":
        # SQL's NULL and the creature are no numbers.
        return None
    if word in ("billion", "billions", "billionen"):
        return 10**12 if language == "de" else 10**9
    if word in ("trillion", "trillions", "trillionen"):
        return 10**18 if language == "de" else 10**12
    if word in _ARTICLES:
        return 1
    if word in _SMALL_EN:
        return _SMALL_EN[word]
    for ending in ("", "s", "e", "en", "n"):
        stem = word.removesuffix(ending)
        if stem in _LARGE and word == stem + ending:
            return _LARGE[stem]
    return _german(word)


def _german(word: str) -> int | None:
    """The value of a German number, which is one word however large it is."""
    if not _NUMBER_DE.fullmatch(word):
        word = _ENDING_DE.sub("", word)
        if not word or not _NUMBER_DE.fullmatch(word):
            return None
    total = current = 0
    parts = _PART_DE.findall(word)
    if set(parts) <= {"und", "ein"} or parts[0] == "und" or parts[-1] == "und":
        return None
    for part in parts:
        if part == "hundert":
            current = max(current, 1) * 100
        elif part == "tausend":
            total, current = total + max(current, 1) * 1000, 0
        elif part != "und":
            current += _SMALL_DE[part]
    return total + current


# --- Chinese

_DIGITS_ZH = {
    sign: n
    for n, signs in enumerate(("零〇", "一壹", "二两贰", "三叁", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖"))
    for sign in signs
}
_SMALL_ZH = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_LARGE_ZH = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
SCALES_ZH = _SMALL_ZH | _LARGE_ZH
_RUN_ZH = re.compile("[" + "".join((*_DIGITS_ZH, *SCALES_ZH)) + "]{1,40}")
_CLASSIFIERS = frozenset("个笔家条名位张年月天万亿元件项户次倍种人份块日")
_LONE = frozenset("两二三四五六七八九十")


def find_chinese(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """Chinese numerals that stand for a number, not for a part of a word (一共, 十分, 万一, 统一)."""
    for match in _RUN_ZH.finditer(text):
        run, start, end = match.group(), match.start(), match.end()
        after, before = text[end : end + 1], text[start - 1 : start] if start else ""
        if before.isdigit() or (run == "千万" and after in "不别要记"):
            continue
        value = _chinese(run)
        if value is not None and _is_number(run, before, after):
            yield start, end, Decimal(value)


def _is_number(run: str, before: str, after: str) -> bool:
    counted = after in _CLASSIFIERS and bool(after)
    if len(run) == 1:
        return run in _LONE and counted and before != "第"
    if any(sign in SCALES_ZH for sign in run):
        return True
    return counted or len(run) > 3 or any(sign in "零〇" for sign in run)


def _chinese(run: str) -> int | None:
    """The value of a run of numerals; None when it is no number."""
    if all(sign in _DIGITS_ZH for sign in run):
        return int("".join(str(_DIGITS_ZH[sign]) for sign in run))
    total = section = 0
    digit: int | None = None
    for sign in run:
        if sign in _DIGITS_ZH:
            if digit:
                return None
            digit = _DIGITS_ZH[sign]
        elif sign in _SMALL_ZH:
            section += (1 if digit is None else digit or 1) * _SMALL_ZH[sign]
            digit = None
        else:
            section += digit or 0
            if section == 0 and total == 0:
                return None
            total = (
                (total + section) * _LARGE_ZH[sign] if section == 0 or total == 0 else total + section * _LARGE_ZH[sign]
            )
            section, digit = 0, None
    return total + section + (digit or 0)
