"""Placeholders: made-up entries such as 用户1, User ID: 1, John Doe or [date] that stand in no result.

A pattern alone proves nothing: `Store 12` is a name where a result says so. Each hit must also be absent from every
result and from the question, and not be whitelisted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from veracity.grounding.checked_answer import CheckedAnswer
from veracity.grounding.config import UNSPACED, GuardConfig, pattern_of
from veracity.grounding.contracts import Finding
from veracity.language.folding import listed
from veracity.language.numbers import MONTHS

_CJK = "\u3400-\u9fff"
_SHORTEST_RUN = 3
_NEAR = 120
"""Numbered names of one run stand no further apart."""
_COUNTED = "个名人位家种款件条项次万千百亿年月日号元天周岁多余%％‰"
_JOIN = re.compile(r"(?:[\s,，、;；.:：|*_()（）\-•·–—]|[0-9]{1,3}[.)、]|und|and|和|以及|与|及){0,14}")
_NUMBERED_WORD = re.compile(
    rf"(?P<word>(?<![\w-])[^\W\d_{_CJK}]{{3,24}}|[{_CJK}]{{2,4}})(?P<gap>[ _-]?)(?P<number>[1-9][0-9]?)(?![\w%]|[.,'’][0-9]|\s?[{_COUNTED}])"
)
_ORDINALS = listed(
    "step phase stage part chapter section page figure fig table tab appendix level tier rank place position point option variant version "
    "quarter week day month year round season volume grade class note line row column example case scenario "
    "schritt phase teil kapitel abschnitt seite abbildung abb tabelle anhang stufe rang platz position punkt option variante version "
    "quartal woche tag monat jahr runde saison band klasse note zeile spalte beispiel fall szenario ziffer absatz artikel article nr no "
    "第 步骤 阶段 章节 部分 图表 附录 级别 排名 选项 方案 版本 季度 示例 情况 图 表 周 月 年 步 点"
) | frozenset(MONTHS)
"""Words that are numbered for good reasons."""
_NUMBERED = re.compile(
    r"(?<![\w-])(?P<word>[^\W\d_]{2,24}+)(?:[ _#-]{0,2}(?P<number>0{0,3}[1-9][0-9]{0,3})|[ _][A-HJ-Z](?!['’.]?\w))"
    r"(?!\w|[.,'’][0-9]|-\w|[ ]?(?:to|bis|-|–)[ ]?[0-9])"
)
_LABELLED = re.compile(
    r"(?<![\w-])(?P<word>[^\W\d_]{2,40}+(?:[ _-](?i:id|nr|no|nummer|number|code))?+)\.?[ ]{0,2}[:：=#]?[ ]{0,2}(?P<number>[0-9]{1,9})(?!\w|[.,'’][0-9]|-\w)"
)
_REFERRED = re.compile(r"(?:\b[IVX]{1,4},|[0-9],|[0-9] and|\bin|\bsee|\bunder|\bby|\bwith|[“\"])\s?$")
_REFERS = re.compile(r"\s?(?:of\s|in\s|[–—(“\"]|\.\s?[A-Z]|[A-Z]{3})")
_LABEL = re.compile(r"[ _-]?(?:id|nr|no|nummer|number|code)$", re.IGNORECASE)
_ENDINGS = ("", "n", "en", "s", "es")
_CONTACT = (
    (
        "@",
        r"(?<![\w.+-])[\w.+-]{1,64}@(?:example|test|domain|beispiel|muster\w{0,12}|email|company|yourcompany)\.[a-z]{2,10}(?![\w-])",
    ),
    ("example.", r"(?<![\w./-])(?:https?://)?(?:www\.)?example\.(?:com|org|net)(?![\w-])"),
    ("555", r"(?<![\d-])(?:\+?1[ .-])?(?:\(?[2-9]\d{2}\)?[ .-])?555[ .-]\d{4}(?!\d)"),
    ("456", r"(?<![\d-])\(?123\)?[ .-]456[ .-]7890(?!\d)"),
)
"""What must stand in the text for a pattern to be looked for, and the pattern."""
_SLOT = (
    ("{{", r"\{\{[^{}\n]{0,200}\}\}"),
    ("{", rf"\$?\{{[A-Za-z_{_CJK}][\w .äöüÄÖÜ-]{{0,40}}\}}"),
    ("[", rf"(?<![\w\])!])\[[A-Za-zÄÖÜäöü{_CJK}][^\[\]\n\d:=|/]{{1,60}}\](?![(\[:])"),
    ("【", r"【(?:请|填|输入|插入|日期|姓名|名称|金额|数量|数值|数据|总数|XX)[^【】\n]{0,20}】"),
    (
        "<",
        rf"<(?i:insert|enter|your|add|placeholder|name|date|amount|value|number|total|einfügen|betrag|datum|anzahl|wert|ihre?|[{_CJK}])[^<>\n/=\"]{{0,60}}>",
    ),
    ("x", r"(?<![\w.,'’/-])(?:[Xx]{1,4}[.,'’]){1,4}[Xx]{2,4}(?!\w)"),
    ("xxx", r"(?<![\w-])X{3,12}(?![\w-])"),
    (
        "x",
        r"(?<!\w)(?:CHF|EUR|USD|GBP|Fr\.|€|\$|£|¥)\s?[Xx]{1,4}(?:[.,'’][Xx]{1,4}){0,3}(?!\w)|(?<![\w.-])X{1,3}\s?(?:%|CHF|EUR|USD|€|元|万元)",
    ),
    ("tb", r"(?<!\w)(?:TBD|TBA)(?!\w)"),
    ("____", r"(?<![\w_])_{4,40}(?![\w_])"),
)
_BRACKETS = listed(
    "sic source sources quelle quellen note notes hinweis anmerkung optional link links pdf image bild draft entwurf siehe see "
    "neu new 来源 注 备注 图片 链接 略"
)
"""Words that stand in square brackets for good reasons."""


class PlaceholderHit(NamedTuple):
    """Something that looks like a placeholder."""

    start: int
    end: int
    text: str
    kind: str
    """numbered, identifier, stock, contact, slot or own."""
    number: str = ""
    number_start: int = 0


def placeholders_absent(answer: CheckedAnswer) -> Iterator[Finding]:
    """No made-up entries: neither numbered names nor stock names nor slots of a template."""
    hits = [hit for hit in answer.once(placeholders_in) if not _is_innocent(hit, answer)]
    for run in _runs(hits, answer.text):
        key = "slot" if run[0].kind == "slot" else "placeholder"
        yield answer.finding("placeholder", (run[0].start, run[-1].end), key=key)


def placeholders_in(answer: CheckedAnswer) -> list[PlaceholderHit]:
    """Everything in an answer that has the form of a placeholder."""
    return find_placeholders(answer.text, answer.config)


def find_placeholders(text: str, config: GuardConfig) -> list[PlaceholderHit]:
    """Everything in a text that has the form of a placeholder, in its order and without overlaps."""
    nouns = _folded(config.all_nouns)
    hits = [
        *_numbered_nouns(text, nouns),
        *_matches(text, _patterns(config.all_nouns, config.all_stock_names, config.patterns)),
        *_numbered_runs(text),
    ]
    found: list[PlaceholderHit] = []
    for hit in sorted(hits, key=lambda one: (one.start, -one.end)):
        if not found or hit.start >= found[-1].end:
            found.append(hit)
    return found


@lru_cache(maxsize=64)
def _folded(nouns: tuple[str, ...]) -> frozenset[str]:
    return frozenset(noun.casefold() for noun in nouns)


def _numbered_nouns(text: str, nouns: frozenset[str]) -> Iterator[PlaceholderHit]:
    """Nouns with nothing but a number, a letter or a labelled number behind them: Kunde_2, Product A, User ID: 1."""
    for match in _LABELLED.finditer(text):
        word = match["word"].casefold()
        noun = _LABEL.sub("", word)
        if noun != word and not _is_reference(match) and any(noun.removesuffix(ending) in nouns for ending in _ENDINGS):
            yield _hit(match, "identifier")
    for match in _NUMBERED.finditer(text):
        if match["word"].casefold() in nouns and not _is_reference(match):
            yield _hit(match, "numbered")


def _is_reference(match: re.Match[str]) -> bool:
    """Whether it points into a document: Part II, Item 8 of this report."""
    if not match["word"].casefold().startswith("item"):
        return False
    before = match.string[max(0, match.start() - 12) : match.start()]
    return _REFERRED.search(before) is not None or _REFERS.match(match.string, match.end()) is not None


def _hit(match: re.Match[str], kind: str) -> PlaceholderHit:
    number = match.groupdict().get("number") or ""
    return PlaceholderHit(*match.span(), match.group(), kind, number, match.start("number") if number else 0)


def _matches(text: str, patterns: Iterable[tuple[str, str, re.Pattern[str]]]) -> Iterator[PlaceholderHit]:
    small = text.lower()
    for kind, needed, pattern in patterns:
        if needed in small:
            found = (match for match in pattern.finditer(text) if kind != "slot" or _is_slot(match, text))
            yield from (_hit(match, kind) for match in found)


@lru_cache(maxsize=64)
def _patterns(
    nouns: tuple[str, ...], stock: tuple[str, ...], own: tuple[str, ...]
) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """Kind, what must stand in the text at all, and the pattern."""
    sign = _either([noun for noun in nouns if ord(noun[0]) >= UNSPACED])
    found = [
        (
            "identifier",
            "",
            rf"(?:{sign})[ ]?(?i:id|编号|号码|代码|号)[ ]{{0,2}}[:：=#]?[ ]{{0,2}}(?P<number>[0-9]{{1,9}})(?!\w|[.,'’][0-9]|-\w)",
        ),
        (
            "numbered",
            "",
            rf"(?:{sign})[ ]?(?:[_#-]?(?P<number>0{{0,3}}[1-9][0-9]{{0,3}})(?!\s?[{_COUNTED}])(?![0-9A-Za-z]|[.,][0-9])|[A-HJ-Z甲乙丙丁](?!-?[0-9A-Za-z类型股级端轮座区栋组]))",
        ),
        ("stock", "", _stock(stock)),
        *(("contact", needed, rf"(?i:{pattern})") for needed, pattern in _CONTACT),
        *(("slot", needed, pattern) for needed, pattern in _SLOT),
        *(("own", "", rf"(?<![A-Za-z0-9_])(?i:{pattern_of(pattern)})(?![A-Za-z0-9_])") for pattern in own),
    ]
    return tuple((kind, needed, re.compile(pattern)) for kind, needed, pattern in found)


def _either(words: Sequence[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) or "(?!)"


def _stock(names: Sequence[str]) -> str:
    """Names of several words in any case, of one word as they are written: `foo` is not `Foo`."""
    several = _either([name for name in names if " " in name]).replace(r"\ ", r"\s")
    single = _either([name for name in names if " " not in name])
    return rf"(?<![A-Za-z0-9_])(?:(?i:{several})|{single})(?![A-Za-z0-9_äöüß])"


def _is_slot(match: re.Match[str], text: str) -> bool:
    """A bracketed word or two may be an aside, a unit or a rule across the page."""
    inside = match.group().strip("[]").strip()
    if match.group().startswith("["):
        words = re.findall(r"[^\W\d_]+", inside)
        long_enough = any(len(word) >= 4 or ord(word[0]) >= UNSPACED for word in words)
        return long_enough and not {word.casefold() for word in words} & _BRACKETS
    if match.group().startswith("__"):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        return bool(line.strip()) or bool(text[match.end() : match.end() + 1].strip())
    return True


def _numbered_runs(text: str) -> Iterator[PlaceholderHit]:
    """Any word that counts up from 1: Widget 1, Widget 2, Widget 3; but not steps or chapters."""
    run: list[re.Match[str]] = []
    for match in [*_NUMBERED_WORD.finditer(text), None]:
        if match is not None and run and _counts_on(run[-1], match):
            run.append(match)
            continue
        for one in run if len(run) >= _SHORTEST_RUN else ():
            start, number = one.end("word") - len(_word(one)), one["number"]
            yield PlaceholderHit(start, one.end(), text[start : one.end()], "numbered", number, one.start("number"))
        begins = match is not None and match["number"] == "1" and _word(match) not in _ORDINALS
        run = [match] if match is not None and begins else []


def _counts_on(one: re.Match[str], other: re.Match[str]) -> bool:
    follows = int(other["number"]) == int(one["number"]) + 1 and other.start() - one.end() <= _NEAR
    return follows and _word(other) == _word(one)


def _word(match: re.Match[str]) -> str:
    word = match["word"].casefold()
    return word[-2:] if ord(word[-1]) >= UNSPACED else word


# --- what speaks for a hit


def _is_innocent(hit: PlaceholderHit, answer: CheckedAnswer) -> bool:
    if answer.config.lets_pass(hit.text):
        return True
    if hit.kind == "slot":
        return answer.known.contains(hit.text)
    if answer.known.holds(hit.text):
        return True
    if hit.kind == "identifier":
        return _has_row(hit, answer) or Decimal(hit.number) in answer.echo.numbers
    if hit.kind == "numbered":
        return _has_row(hit, answer) or _is_in_header(hit, answer) if hit.number else _is_initial(hit, answer)
    return False


def _is_in_header(hit: PlaceholderHit, answer: CheckedAnswer) -> bool:
    """Whether a column is called by the number, and begins a word as the noun does: category 3, of `preis_kat3`."""
    if not hit.number.isdecimal():
        return False
    begins = "[ck]at" if hit.text[:3].casefold() in ("kat", "cat") else re.escape(hit.text[:3])
    word = rf"(?:(?<![A-Za-z])|(?<=[a-z])(?-i:(?=[A-Z]))){begins}[a-z]*"
    called = re.compile(rf"{word}[ _-]?0*{int(hit.number)}(?![0-9])", re.IGNORECASE)
    return any(called.search(column) for result in answer.results.values() for column in result.columns)


def _has_row(hit: PlaceholderHit, answer: CheckedAnswer) -> bool:
    """Whether its number is a cell: `User 1` is whoever has the id 1."""
    return answer.known.is_identifier(hit.number) or answer.is_cell(hit.number_start, hit.end)


def _is_initial(hit: PlaceholderHit, answer: CheckedAnswer) -> bool:
    """Whether its letter begins a name: Kunde A. Meier."""
    name = re.match(r"\.?\s?[^\W\d_]{2,40}", answer.text[hit.end : hit.end + 50])
    return name is not None and answer.known.holds(f"{hit.text[-1]}{name.group()}")


def _runs(hits: Sequence[PlaceholderHit], text: str) -> Iterator[list[PlaceholderHit]]:
    """Hits that only commas, bullets or an `and` keep apart are one finding."""
    run: list[PlaceholderHit] = list(hits[:1])
    for one, two in pairwise(hits):
        between = text[one.end : two.start]
        if one.kind == two.kind and len(between) <= 20 and _JOIN.fullmatch(between):
            run.append(two)
        else:
            yield run
            run = [two]
    if run:
        yield run
