"""Names that an answer gives to things: each must stand in a result, in the question or in the guard's config.

Precision first. A name is what an answer lists or tabulates as one, what carries a legal form, what is quoted as a name, and
every mail address, phone number and web address. Not every capitalised German noun.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from veracity.grounding.checked_answer import CheckedAnswer, bare_name, normalized
from veracity.grounding.config import UNSPACED
from veracity.grounding.contracts import Finding
from veracity.grounding.lists import Item, Listing
from veracity.language.companies import CHINESE_LEGAL_FORM, LEGAL_FORM
from veracity.language.folding import listed

_CJK = "\u3400-\u9fff"
_MOST_WORDS, _LONGEST, _LONGEST_UNSPACED = 6, 60, 24

# --- words around names

_NO_NAME = listed(
    "total totals sum subtotal average mean median max min maximum minimum others other rest remaining more etc unknown none null empty "
    "n/a na unassigned all gesamt gesamttotal summe zwischensumme total durchschnitt mittelwert maximum minimum sonstige sonstiges übrige "
    "andere weitere weiteren rest unbekannt keine keiner leer ohne alle usw u.a. und and "
    "unspecified unlabelled unlabeled ungraded missing fehlend nicht angegeben k.a. "
    "合计 总计 总和 小计 共计 平均 平均值 其他 其它 其余 未知 未标注 未分类 未填写 未注明 缺失 无 空 全部 等 等等 以及"
)
"""Entries that name no one: totals, the rest, what has no value."""
_SUMMING = ("合计", "总计", "共计", "小计", "平均", "其余", "其他")
_NAME_HEADINGS = listed(
    "name names nachname vorname kundenname firmenname customer_name full_name username login e-mail email "
    "姓名 名称 名字 用户名 客户名称 公司名称 产品名称"
)
_LEADING = listed(
    "the a an our their its by for from of with at to and or vs der die das den dem des ein eine einer einem unser unsere unserer die "
    "bei von vom zum zur mit für an und oder kunde kundin firma unternehmen lieferant customer client company supplier vendor firm "
    "gesellschaft"
)
"""Words before a company that are no part of its name."""
_PARTICLES = listed("von van de di da du la le zu zum zur del della dos al el ten ter")
"""Small words that a name may begin with."""
_ASKS = re.compile(
    r"(?<![a-zäöü])(?:wer|who|whom|list\w*|show|name|give|which|what are|zeig\w*|nenn\w*|gib|welche[rnms]?|alle[rn]?|sämtliche|all|every)"
    r"(?:\s+(?:me|mir|uns|us|the|die|der|den|all|alle[rn]?|our|unsere[rn]?|top|\d{1,3}|[a-zäöüß]{3,20}(?:e|en|er|st|ive|ing|ed)?)){0,3}\s*$",
    re.IGNORECASE,
)
_ASKS_UNSPACED = re.compile(rf"(?:列出|列举|显示|给出|查询|哪些|有哪|谁|所有|全部)[的了是{_CJK}]{{0,4}}$")
_WHO = re.compile(r"(?<![a-zäöü])(?:wer|who)(?![a-zäöü])|谁", re.IGNORECASE)

# --- forms of names

_COMPANY = re.compile(
    rf"(?<![\w-])[A-ZÄÖÜ][\w&.'’-]{{0,40}}[ \u00a0](?:(?!{LEGAL_FORM}(?!\w))(?:[A-ZÄÖÜ0-9][\w&.'’-]{{0,40}}|&|und|and|of)[ \u00a0]){{0,4}}{LEGAL_FORM}(?!\w)"
)
_CHINESE_COMPANY = re.compile(rf"[{_CJK}A-Za-z0-9（）()]{{2,30}}?{CHINESE_LEGAL_FORM}")
_GENERIC_COMPANY = re.compile(rf"(?:一家|这家|那家|该|本|贵|某|各家|的|家|是|为){CHINESE_LEGAL_FORM}$")
_CHINESE_LEAD = re.compile(
    rf".*(?:[是为、，：:“《和与及由向对给在]|客户|供应商|公司名称|包括)(?=[{_CJK}A-Za-z0-9（）()]{{4,}}$)"
)
_QUOTED = re.compile(
    r"“([^”\n]{2,80})”|„([^“”\n]{2,80})[“”]|«\s?([^»\n]{2,80}?)\s?»|\"([^\"\n]{2,80})\"|「([^」\n]{2,80})」|『([^』\n]{2,80})』"
)
_CALLED = re.compile(
    r"\s{0,2}(?:(?:namens|mit dem Namen|genannt|called|named|with the name|名为|叫做?|名叫|名称为)\s{0,2}[:：]?\s{0,2})?$"
)
_IS = re.compile(
    r"(?<!\w)(?:is|are|was|were|by|from|ist|sind|war|waren|von|heisst|heißt)(?: the| die| der| das)?\s{0,2}[:：]?\s{0,2}$"
)
_CONTACT = re.compile(
    r"(?P<mail>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4})"
    r"|(?P<url>(?:https?://|(?<![\w.])www\.)[^\s<>\"'()（）“”，。；]{3,200})"
    r"|(?P<phone>(?<![\w.+-])(?:\+|00)[1-9][0-9]{0,2}(?:[ .\-/]?\(?[0-9]{1,4}\)?){2,7}(?![\w]))"
)
_CONTACT_SIGNS = ("@", "://", "www.", "+", "00")
_PHONE_CUE = re.compile(
    r"(?<![a-zäöü])(?:tel(?:efon)?|phone|fax|mobile?|mobil|natel|handy)(?:nummer| number)?\.?\s{0,2}[:：]?\s{0,2}(?P<a>[0-9(][0-9 ()./-]{5,20}[0-9])"
    r"|(?:电话|手机|传真)(?:号码|号)?\s{0,2}[:：]?\s{0,2}(?P<b>[0-9(][0-9 ()-]{5,20}[0-9])",
    re.IGNORECASE,
)
_PHONE_WORDS = ("tel", "phone", "fax", "mobil", "natel", "handy", "电话", "手机", "传真")
_MARKED = re.compile(r"(\*\*|__)[^*_\n]{1,60}\1")
_GOES_ON = re.compile(r"\**\s+[a-zäöü]")
"""A verb behind a name, not another part of it."""
_JOINED = re.compile(r"\s(?:und|and|sowie|et|&)\s|[、和及与]")
"""Two names in one go: Nordlicht Media und Kayak Sàrl."""
_SO_MANY = re.compile(r"(?:约|共|有)?[0-9一二两三四五六七八九十百]+[人个家位名项件种只台条座次][\u4e00-\u9fff]{0,3}")
_SENTENCE = re.compile(r"[.!?。！？；;](?:\s|$)|[\n{}]")
_SENTENCE_UNSPACED = ("没有", "无法", "可以", "请", "如果", "因为", "需要", "了", "吗", "呢")


class Name(NamedTuple):
    """A name that stands in an answer."""

    start: int
    end: int
    text: str
    kind: str
    """listed, company, quoted, mail, url or phone."""


def names_known(answer: CheckedAnswer) -> Iterator[Finding]:
    """Every name stands in a result, in the question or in the config."""
    for name in answer.once(names_in):
        if answer.is_computed(name.start, name.end) or _is_known(name, answer):
            continue
        near = answer.known.nearest(name.text) if name.kind in ("listed", "company", "quoted") else None
        if near is not None and normalized(near) != normalized(name.text):
            yield answer.finding("unbound_name", (name.start, name.end), key="misspelt_name", nearest=near)
        else:
            yield answer.finding("unbound_name", (name.start, name.end))


def names_in(answer: CheckedAnswer) -> list[Name]:
    """Every name of an answer, known or not, in its order; of lists that the runtime wrote itself, none."""
    found = [*_contacts(answer.text), *_companies(answer), *_quotes(answer)]
    for listing in answer.listings:
        if listing.of_names and not answer.is_computed(listing.items[0].start, listing.end):
            found += _listed_names(answer, listing)
    kept: list[Name] = []
    for name in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or name.start >= kept[-1].end:
            kept.append(name)
    return kept


def _is_known(name: Name, answer: CheckedAnswer) -> bool:
    if answer.config.lets_pass(name.text) or answer.names_row(name.start, name.end):
        return True
    if answer.known.holds(name.text) or answer.known.is_column(name.text):
        return True
    parts = _JOINED.split(name.text)
    if len(parts) > 1 and all(answer.known.holds(part) for part in parts):
        return True
    if name.kind == "phone":
        return answer.known.has_digits(name.text)
    return name.kind in ("mail", "url") and answer.known.contains(name.text.rstrip("/"))


# --- lists


def _asks_for_things(answer: CheckedAnswer) -> bool:
    """Whether the question wants things named: who, which customers, list all users."""
    if _WHO.search(answer.question):
        return True
    for noun in answer.config.noun_pattern.finditer(answer.question):
        before = answer.question[max(0, noun.start() - 60) : noun.start()]
        if _ASKS.search(before) or _ASKS_UNSPACED.search(before):
            return True
    return False


def lists_things(answer: CheckedAnswer, listing: Listing) -> bool:
    """Whether a list is introduced as one of things that have names."""
    if not listing.of_names:
        return False
    nouns = answer.config.noun_pattern
    if listing.kind == "table":
        heading = bare_name(listing.heading)
        return heading in _NAME_HEADINGS or nouns.fullmatch(heading) is not None
    if listing.kind == "lines":
        return nouns.search(listing.intro[-120:]) is not None or answer.once(_asks_for_things)
    # Within a sentence, the noun must stand right before what it enumerates, and all of that must look like names.
    near = [noun for noun in nouns.finditer(listing.intro) if len(listing.intro[noun.end() :].split()) <= 1]
    return bool(near) and all(_starts_like_a_name(item.head) for item in listing.items)


def _starts_like_a_name(head: str) -> bool:
    first = next((ch for ch in head if ch.isalnum()), "")
    return first.isupper() or ord(first or "a") >= UNSPACED


def _listed_names(answer: CheckedAnswer, listing: Listing) -> Iterator[Name]:
    """What a list names, where what it lists is known or introduced as something with names."""
    items = [item for item in listing.items if not is_summary(item)]
    known = [item for item in items if answer.known.holds(item.head) and not answer.known.is_column(item.head)]
    # Two entries that a result holds, or half of them, make it a list of names: then the others must be some, too.
    if len(known) >= 2 or 0 < len(items) <= 2 * len(known):
        named = items
    elif lists_things(answer, listing):
        named = [item for item in items if _is_no_label(item, answer)]
    else:
        return
    nouns = answer.config.noun_pattern
    for item in named:
        head = _without_figures(item, answer)
        if head is None or nouns.fullmatch(bare_name(head)):
            continue
        if listing.kind == "sentence" and not _starts_like_a_name(head):
            continue
        if _is_name(head) and not answer.known.holds(item.text):
            yield Name(item.start, item.start + len(head), head, "listed")


def is_summary(item: Item) -> bool:
    """Whether an entry names no one: the total, the rest, what is unknown."""
    head = bare_name(item.head)
    return not head or bool(set(head.split()) & _NO_NAME) or head.startswith(_SUMMING)


def _is_no_label(item: Item, answer: CheckedAnswer) -> bool:
    """`Ort: Zürich` names a column, `Umsatz: 500` does so as well; `Hans Meier (Zürich)` names someone."""
    if item.sign in ("", "(", "（", ",", "，"):
        return True
    parts = re.split(r"[,，、;；/()（）]| und | and |和", item.rest)
    return not any(ch.isdigit() for ch in item.rest) and not any(
        answer.known.holds(part) for part in parts if part.strip()
    )


def _name_before(item: Item, answer: CheckedAnswer) -> str | None:
    """What an entry begins with, where that is known or marked as its name: `**Ana Lima** followed at $812,500`."""
    marked = _MARKED.match(answer.text, item.start)
    if marked is not None and marked.end() < item.head_end:
        return marked.group()
    named = (one for one in answer.page.names.all if 0 <= one.start - item.start <= len("**"))
    ended = (one for one in named if one.end < item.head_end and _GOES_ON.match(answer.text, one.end))
    return next((answer.text[item.start : one.end] for one in ended), None)


def _without_figures(item: Item, answer: CheckedAnswer) -> str | None:
    """The head up to a figure that ends it: `Nord` of `Nord 500 CHF`; nothing where it is only a figure."""
    if answer.known.holds(item.head):
        return item.head
    if (first := _name_before(item, answer)) is not None:
        return first
    figures = [one for one in answer.figures if item.start <= one.start < item.head_end]
    if not figures:
        return item.head
    head = answer.text[item.start : figures[0].start].rstrip(" \u00a0*_(（")
    return head or None


def _is_name(text: str) -> bool:
    """Whether a short text could name something, and is no sentence."""
    name = bare_name(text)
    if not name or len(name) > _LONGEST or _SENTENCE.search(text.strip(" .")) or not any(ch.isalpha() for ch in name):
        return False
    if _SO_MANY.fullmatch(name):
        return False
    if any(ord(ch) >= UNSPACED for ch in name):
        return len(name) <= _LONGEST_UNSPACED and not any(word in name for word in _SENTENCE_UNSPACED)
    words = text.split()
    return len(words) == 1 or (len(words) <= _MOST_WORDS and (_starts_like_a_name(text) or words[0] in _PARTICLES))


# --- companies


def _companies(answer: CheckedAnswer) -> Iterator[Name]:
    for match in _COMPANY.finditer(answer.text):
        yield _company(match, answer)
    if "公司" in answer.text:
        for match in _CHINESE_COMPANY.finditer(answer.text):
            if not _GENERIC_COMPANY.search(match.group()):
                yield _chinese_company(match, answer)


def _company(match: re.Match[str], answer: CheckedAnswer) -> Name:
    """The company without the words before it: `Müller AG` of `Unsere Kundin Müller AG`."""
    words, nouns = match.group().split(), answer.config.noun_pattern
    dropped = 0
    while len(words) - dropped > 2 and (words[dropped].casefold() in _LEADING or nouns.fullmatch(words[dropped])):
        dropped += 1
    before = answer.text[max(0, match.start() - 4) : match.start()].rstrip(" *_")
    if not dropped and len(words) > 2 and (not before or before[-1] in ".!?:\n•-–("):
        # The first word of a sentence is written large, whatever it is.
        dropped = int(not answer.known.holds(match.group()) and answer.known.holds(" ".join(words[1:])))
    lead = re.match(rf"(?:\S+\s+){{{dropped}}}", match.group())
    start = match.start() + (lead.end() if lead else 0)
    return Name(start, match.end(), answer.text[start : match.end()], "company")


def _chinese_company(match: re.Match[str], answer: CheckedAnswer) -> Name:
    """Without spaces nobody knows where a name begins: where a known one does, else behind the last word that leads to one."""
    text, start = match.group(), match.start()
    for cut in range(len(text) - 4):
        if answer.known.holds(text[cut:]):
            return Name(start + cut, match.end(), text[cut:], "company")
    lead = _CHINESE_LEAD.match(text)
    cut = lead.end() if lead else 0
    return Name(start + cut, match.end(), text[cut:], "company")


# --- quotes, addresses, numbers


def _quotes(answer: CheckedAnswer) -> Iterator[Name]:
    """Quoted texts that are called names: by a noun before them, or, if they look like one, by `is` or `by`."""
    nouns = answer.config.noun_pattern
    for match in _QUOTED.finditer(answer.text):
        number = next(n for n in range(1, 7) if match[n])
        quoted, before = match[number], answer.text[max(0, match.start() - 40) : match.start()]
        lead = _CALLED.search(before)
        ahead = before[: lead.start()].rstrip() if lead else before
        called = any(noun.end() == len(ahead) for noun in nouns.finditer(ahead))
        if _is_name(quoted) and (called or (_IS.search(before) and _is_proper(quoted.split()))):
            yield Name(*match.span(number), quoted, "quoted")


def _is_proper(words: Sequence[str]) -> bool:
    return len(words) >= 2 and all(
        word[:1].isupper() or word in ("&", "und", "and", "of", "de", "von", "van") for word in words
    )


def _contacts(text: str) -> Iterator[Name]:
    for match in _CONTACT.finditer(text) if any(sign in text for sign in _CONTACT_SIGNS) else ():
        contact = match.group().rstrip(".,;:!?")
        if match.lastgroup != "phone" or sum(ch.isdigit() for ch in contact) >= 8:
            yield Name(match.start(), match.start() + len(contact), contact, match.lastgroup or "")
    small = text.lower()
    for match in _PHONE_CUE.finditer(text) if any(word in small for word in _PHONE_WORDS) else ():
        group = "a" if match["a"] else "b"
        yield Name(*match.span(group), match[group], "phone")
