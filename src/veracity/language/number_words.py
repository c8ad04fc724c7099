"""Numbers in words, in German, English and Chinese: `hundertfünfzigtausend`, `twenty-five`, `zwei Dutzend`, `三十二`.

`find_words` and `find_chinese` find them in a text. There `one`, `ein` and `一` alone are left out, since they are articles far
more often; `number_said` reads a text that is a number and nothing else, and knows them. Ordinals and fractions are found apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
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
    "hundert": 100, "tausend": 1000, "milliarde": 10**9, "dutzend": 12, "mio": 10**6, "mrd": 10**9, "tsd": 1000,
}  # fmt: skip
_SMALL_DE = {word: n for n, word in enumerate(_UNITS_DE)} | {word: 10 * n for n, word in enumerate(_TENS_DE, 2)}
_SMALL_DE |= {"zwo": 2, "eins": 1, "dreissig": 30, "fuenf": 5, "zwoelf": 12, "fuenfzehn": 15, "fuenfzig": 50}


def _up_to_99() -> Iterator[tuple[str, int]]:
    """The cardinals from 2 to 99 as they are said in English and German, the latter with ae, oe, ue and ss, too."""
    english = {n: word for word, n in _SMALL_EN.items()}
    german = dict(enumerate(_UNITS_DE)) | {10 * n: word for n, word in enumerate(_TENS_DE, 2)}
    for number in range(2, 100):
        tens, ones = number - number % 10, number % 10
        if number in english:
            forms = [english[number], german[number]]
        else:
            forms = [f"{english[tens]}{sign}{english[ones]}" for sign in "- "] + [f"{german[ones]}und{german[tens]}"]
        yield from ((spelt, number) for form in forms for spelt in _spellings(form))


def _spellings(word: str) -> tuple[str, ...]:
    swiss = word.replace("ß", "ss")
    return (word, swiss, swiss.replace("ü", "ue").replace("ö", "oe"))


CARDINALS = dict(_up_to_99()) | {"zwo": 2}
"""Cardinals in words -> their value."""


def cardinals(written: Callable[[str], str] = str) -> str:
    """A pattern for the words of CARDINALS, as another function writes them.

    Thirty-seven is thirty with seven behind it: with three hundred words one by one, a pattern takes ten times as long to compile.
    """

    def any_of(words: Iterable[str]) -> str:
        found = {written(spelt) for word in words for spelt in _spellings(word)}
        return "(?:" + "|".join(sorted(found, key=len, reverse=True)) + ")"

    ones_en, ones_de = any_of(_UNITS_EN[1:10]), any_of(_UNITS_DE[1:10])
    tens_en, tens_de = any_of(_TENS_EN), any_of(_TENS_DE)
    alone = any_of((*_UNITS_EN[2:], *_UNITS_DE[2:], "zwo"))
    return f"{tens_en}(?:[- ]{ones_en})?|{ones_de}und{tens_de}|{tens_de}|{alone}"


_NUMBER_DE = re.compile(
    "(?:" + "|".join(sorted({*_SMALL_DE, "hundert", "tausend", "und"}, key=len, reverse=True)) + ")+"
)
_PART_DE = re.compile("|".join(sorted({*_SMALL_DE, "hundert", "tausend", "und"}, key=len, reverse=True)))
_ENDING_DE = re.compile(r"(?:mal|fach)$")
_WORD = re.compile(r"[a-zäöüß]+")
_BETWEEN = re.compile(r"[ \u00a0\u202f]{1,2}(?:and |und )?|-|-and-")
_HALF_A = re.compile(r"[ \u00a0]an?[ \u00a0]")
_ENDLESS = 10**30
_ARTICLES = frozenset({"one", "ein", "eine", "einem", "einen", "einer", "eines", "eins"})
_SHORT_LARGE = frozenset({"mio", "mrd", "tsd"})
_HALVES = frozenset({"half", "halbe", "halben", "halbes", "halber"})
_HALF = Decimal("0.5")
_PARTS_DE = {"einhalb": _HALF, "einviertel": _HALF / 2, "dreiviertel": _HALF + _HALF / 2}
_AND_A_PART = re.compile(r" and (a half|a quarter|three quarters)(?![a-z])")
_PARTS_EN = {"a half": _HALF, "a quarter": _HALF / 2, "three quarters": _HALF + _HALF / 2}

_Said = tuple[int, int, int | Decimal]
"""Where a number word begins and ends, and what it says."""


def find_words(folded: str, language: str) -> Iterator[tuple[int, int, Decimal]]:
    """Numbers in words in a text in small letters: start, end and value."""
    for words, value in _numbers_said(folded, language):
        said = {folded[start:end] for start, end, _ in words}
        # Articles, "half" and "Mio." are numbers only beside another word for one.
        if not (said <= _ARTICLES or said <= _SHORT_LARGE or said <= _HALVES):
            yield words[0][0], words[-1][1], value


def number_said(text: str, language: str) -> Decimal | None:
    """The number that a text in small letters is, in words and nothing else; `one`, `eins` and `一` are numbers here."""
    chinese = chinese_value(text)
    if chinese is not None:
        return Decimal(chinese)
    found = list(_numbers_said(text, language))
    if len(found) == 1 and (found[0][0][0][0], found[0][0][-1][1]) == (0, len(text)):
        return found[0][1]
    return None


def _numbers_said(folded: str, language: str) -> Iterator[tuple[list[_Said], Decimal]]:
    run: list[_Said] = []
    for match in _WORD.finditer(folded):
        word = match.group()
        if run and match.start() < run[-1][1]:
            continue
        if run and word == "and" and run[-1][2] >= 1 and (part := _AND_A_PART.match(folded, run[-1][1])):
            run.append((*part.span(1), _PARTS_EN[part[1]]))
            continue
        if run and (word in ("and", "und") or (word in ("a", "an") and folded[run[-1][0] : run[-1][1]] == "half")):
            continue
        value = _word_value(word, language)
        if run and (value is None or not _is_joined(folded, run[-1], match.start())):
            yield from _built(folded, run)
            run = []
        if run and word in _HALVES and folded[run[-1][0] : run[-1][1]] in _ARTICLES:
            run[-1] = (*run[-1][:2], 0)  # Eine halbe Stunde is no hour and a half.
        if value is not None and _stands_alone(folded, match.start(), match.end()):
            run.append((match.start(), match.end(), value))
    yield from _built(folded, run)


def _is_joined(folded: str, last: _Said, start: int) -> bool:
    """Whether a number word goes on from the one before: twenty-five, hundred and five, half a million."""
    if _BETWEEN.fullmatch(folded, last[1], start):
        return True
    return folded[last[0] : last[1]] == "half" and _HALF_A.fullmatch(folded, last[1], start) is not None


def _stands_alone(folded: str, start: int, end: int) -> bool:
    """Whether no letter or digit is glued to a word; Chinese signs do not count as letters."""
    around = folded[max(0, start - 1) : start] + folded[end : end + 1]
    return not any(ch == "_" or (ch.isalnum() and ord(ch) < 0x2E80) for ch in around)


def _built(folded: str, run: list[_Said]) -> Iterator[tuple[list[_Said], Decimal]]:
    """What a run of number words says: one number, or several where they do not build one."""
    first, total, current, last_large = 0, Decimal(0), Decimal(0), _ENDLESS
    for at, (start, end, value) in enumerate(run):
        large = value in (100, 1000) or value >= 10**6 or folded.startswith(("dozen", "dutzend"), start, end)
        hundred = value == 100 and 0 <= current < 10
        goes_on = value < last_large if large or not current else _continues(current, value)
        if at > first and not (hundred or goes_on):
            yield run[first:at], total + current
            first, total, current, last_large = at, Decimal(0), Decimal(0), _ENDLESS
            hundred = value == 100
        if hundred:
            current = (current or 1) * Decimal(100)
        elif large:
            total, current, last_large = total + (current or 1) * Decimal(value), Decimal(0), int(value)
        else:
            current += value
    if run:
        yield run[first:], total + current


def _continues(current: Decimal, value: int | Decimal) -> bool:
    """Whether a small number goes on after what was said: hundred, then up to 99; twenty, then up to 9; any, then a half."""
    if value in _PARTS_EN.values():
        return current == int(current)
    if current % 100 == 0:
        return current < 1000 and value < 100
    return current < 1000 and current % 10 == 0 and current % 100 >= 20 and 0 < value < 10


def _word_value(word: str, language: str) -> int | Decimal | None:
    return None if len(word) > _LONGEST else _short_value(word, language)


@lru_cache(maxsize=8192)
def _short_value(word: str, language: str) -> int | Decimal | None:
    if word in ("null", "elf") and language != "de":
        # SQL's NULL and the creature are no numbers.
        return None
    if word in ("billion", "billions", "billionen"):
        return 10**12 if language == "de" else 10**9
    if word in ("trillion", "trillions", "trillionen"):
        return 10**18 if language == "de" else 10**12
    if word in _ARTICLES:
        return 1
    if word in _HALVES:
        return _HALF
    if word in _SMALL_EN:
        return _SMALL_EN[word]
    for ending in ("", "s", "e", "en", "n"):
        stem = word.removesuffix(ending)
        if stem in _LARGE and word == stem + ending:
            return _LARGE[stem]
    return _german(word)


def _german(word: str) -> int | Decimal | None:
    """The value of a German number, which is one word however large it is."""
    if word == "anderthalb":
        return 1 + _HALF
    for ending, part in _PARTS_DE.items():
        if word.endswith(ending) and (rest := word.removesuffix(ending)):
            whole = _german(rest.removesuffix("und")) if rest != "ein" else 1
            return None if whole is None else whole + part
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
NUMERALS_ZH = "".join((*_DIGITS_ZH, *SCALES_ZH))
_RUN_ZH = re.compile(f"[{NUMERALS_ZH}]{{1,40}}")
_CLASSIFIERS = frozenset(
    "个笔家条名位张年月天万亿元件项户次倍种人份块日道台辆本部所间座栋艘架门场片支款棵株套瓶箱盒杯匹节幅篇床桶袋批轮局站处"
)
_LONE = frozenset("两二三四五六七八九十")


def find_chinese(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """Chinese numerals that stand for a number, not for a part of a word (一共, 十分, 万一, 统一)."""
    for match in _RUN_ZH.finditer(text):
        run, start, end = match.group(), match.start(), match.end()
        after, before = text[end : end + 1], text[start - 1 : start] if start else ""
        if before.isdigit() or (run == "千万" and after in "不别要记"):
            continue
        value = chinese_value(run)
        if value is not None and _is_number(run, before, after):
            yield start, end, Decimal(value)


def _is_number(run: str, before: str, after: str) -> bool:
    counted = after in _CLASSIFIERS and bool(after)
    if len(run) == 1:
        return run in _LONE and counted and before != "第"
    if any(sign in SCALES_ZH for sign in run):
        return True
    return counted or len(run) > 3 or any(sign in "零〇" for sign in run)


def chinese_value(run: str) -> int | None:
    """The value of a run of Chinese numerals; None when it is no number."""
    if not run or any(sign not in _DIGITS_ZH and sign not in SCALES_ZH for sign in run):
        return None
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


# --- ordinals

_FIRST_EN = words_in(
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
)
_TENTHS_EN = words_in("twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth")
_ORDINAL_EN = {word: n for n, word in enumerate(_FIRST_EN)} | {word: 10 * n for n, word in enumerate(_TENTHS_EN, 2)}
_ORDINAL_DE = {"erst": 1, "dritt": 3, "siebt": 7, "acht": 8}
_ORDINAL = re.compile(
    r"(?<![a-zäöüß0-9_.,'-])(?:(?P<digits>[0-9]{1,3})(?:(?:st|nd|rd|th)(?![a-z0-9])|\.(?= [a-zäöü]))"
    rf"|(?P<english>(?:(?:{'|'.join(_TENS_EN)})[- ])?(?:{'|'.join((*_FIRST_EN, *_TENTHS_EN))}))(?![a-zäöüß])"
    r"|(?P<german>[a-zäöüß]{2,40}?)(?:t|st)e[nrsm]?(?![a-zäöüß]))"
    r"|第(?P<chinese>[0-9]{1,3}|[零〇一二两三四五六七八九十百]{1,5})"
)


def find_ordinals(folded: str, language: str) -> Iterator[tuple[int, int, Decimal]]:
    """Ordinals in a text in small letters: third, 3rd, dritte, 3. (before a word, in German), 第三."""
    for match in _ORDINAL.finditer(folded):
        value = _ordinal(match, language)
        if value:
            yield *match.span(), Decimal(value)


def _ordinal(match: re.Match[str], language: str) -> int | None:
    if match["digits"]:
        return int(match["digits"]) if language == "de" or match.group()[-1] != "." else None
    if match["english"]:
        *tens, last = re.split("[- ]", match["english"])
        return sum(_SMALL_EN[word] for word in tens) + _ORDINAL_EN[last]
    if match["chinese"]:
        run = match["chinese"]
        return int(run) if run.isdecimal() else chinese_value(run)
    return _german_ordinal(match.group())


@lru_cache(maxsize=2048)
def _german_ordinal(word: str) -> int | None:
    """The value of a German ordinal in any case: dritte, dreiundzwanzigsten."""
    stem = re.sub(r"e[nrsm]?$", "", word)
    for said, value in _ORDINAL_DE.items():
        if stem.endswith(said):
            before = stem[: -len(said)].removesuffix("und") if stem != said else ""
            rest = _german(before) if before else 0
            return value + int(rest) if rest is not None else None
    for ending in ("st", "t"):
        cardinal = _german(stem.removesuffix(ending)) if stem.endswith(ending) else None
        if (
            cardinal is not None
            and cardinal == int(cardinal)
            and (ending == "st") == (cardinal % 100 >= 20 or cardinal % 100 == 0)
        ):
            return int(cardinal)
    return None


# --- fractions

_PARTS = {
    "half": 2, "halves": 2, "hälfte": 2, "haelfte": 2, "third": 3, "thirds": 3, "drittel": 3, "quarter": 4, "quarters": 4, "viertel": 4,
    "fifth": 5, "fifths": 5, "fünftel": 5, "fuenftel": 5, "sixth": 6, "sixths": 6, "sechstel": 6, "eighth": 8, "eighths": 8, "achtel": 8,
    "tenth": 10, "tenths": 10, "zehntel": 10, "hundredth": 100, "hundredths": 100, "hundertstel": 100,
}  # fmt: skip
_ALONE = frozenset({"half", "hälfte", "haelfte", "drittel"})
_FRACTION = re.compile(
    r"(?<![a-zäöüß0-9_.,'/-])(?:(?:(?P<whole>[0-9]{1,6})[ -])?(?P<over>[0-9]{1,3})/(?P<under>[0-9]{1,3})(?![0-9a-z_/]|[.,']\d)"
    rf"|(?:(?P<count>[a-zäöüß]+|[0-9]{{1,3}})[ -])?(?P<part>{'|'.join(sorted(_PARTS, key=len, reverse=True))})(?![a-zäöüß]))"
    r"|(?P<below>[0-9]{1,3}|[一二两三四五六七八九十百千]{1,4})分之(?P<above>[0-9]{1,3}(?:\.[0-9]{1,3})?|[一二两三四五六七八九十]{1,4})"
)


def find_fractions(folded: str, language: str) -> Iterator[tuple[int, int, Decimal]]:
    """Fractions in a text in small letters: 3/4, 1 1/2, two thirds, drei Viertel, die Hälfte, 三分之二."""
    for match in _FRACTION.finditer(folded):
        value = _fraction(match, language)
        if value is not None:
            start = match.start() if not match["part"] or _counted(match, language) else match.start("part")
            yield start, match.end(), value


def _fraction(match: re.Match[str], language: str) -> Decimal | None:
    if match["over"]:
        under = int(match["under"])
        return int(match["whole"] or 0) + Decimal(match["over"]) / under if under > 1 else None
    if match["below"]:
        below, above = (
            Decimal(part) if part[0].isascii() else chinese_value(part) for part in match.group("below", "above")
        )
        return Decimal(above) / Decimal(below) if above is not None and below else None
    count = _counted(match, language)
    if count is None and match["part"] not in _ALONE:
        return None
    return (count or Decimal(1)) / _PARTS[match["part"]]


def _counted(match: re.Match[str], language: str) -> Decimal | None:
    """How many parts a fraction has: the two of "two thirds"."""
    count = match["count"]
    if count is None or count in ("a", "an"):
        return None if count is None else Decimal(1)
    return Decimal(count) if count.isdecimal() else number_said(count, language)
