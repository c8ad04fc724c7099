"""Codes: the words that say that a number is one, and codes that are not stored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from veracity.language.folding import Token
from veracity.question.lexicon import Lexicon
from veracity.question.mentions import Home, MentionKind
from veracity.question.spans import KnownTokens

_ACCOUNT = ("konto", "account", "科目", "账户")
_ACCOUNT_WORD = re.compile(
    r"(?:(?<![a-z0-9])(?:(?:sach)?konto|konten|kontos|kontonummern?|kto|accounts?|acct?|a/c)"
    r"|科目|账户|帐户|账号|帐号|科目(?:编号|代码|号码?))"
    r"(?:[ .-]*(?:nr|no|nummern?|numbers?|code|num)(?![a-z]))?[ .:#\"'«„“”()-]*$"
)
_LINK = re.compile(r" ?(?:,|;|/|-|&|\+|、|und|and|oder|or|sowie|bis|to|和|与|及|到|至) ?")
_GAP = re.compile(r"[ .:#\"'«„“”()-]*(?:(?:nr|no|nummer|number|num)[ .:#]*)?")
_YEARLIKE = re.compile(r"19\d\d|20\d\d|2100")
_CODE = re.compile(r"[a-z0-9]+(?:[-/._][a-z0-9]+)*")
_LOOKED_BACK = 32
_FEWEST_DIGITS, _MOST_DIGITS = 3, 12
_SHORTEST_SHAPED = 6


@dataclass(frozen=True, slots=True)
class CodeWord:
    """The fields a code belongs to by the word before it."""

    homes: tuple[Home, ...]
    strong: bool
    """The word is for nothing but codes: Konto 2024 is an account, Buchungen 2024 are those of a year."""


@dataclass(frozen=True, slots=True)
class UnstoredCode:
    """A place in the folded text that looks like a code, and the fields it would be in."""

    start: int
    end: int
    homes: tuple[Home, ...]
    sure: bool
    worded: bool


def code_words(text: str, tokens: list[Token], phrases: list[KnownTokens], lexicon: Lexicon) -> dict[int, CodeWord]:
    """For each token that may begin a code, the word before it."""
    named = _names_before(text, tokens, phrases, lexicon)
    accounts: tuple[Home, ...] | None = None
    said: dict[int, CodeWord] = {}
    for place, token in enumerate(tokens):
        if not any(letter.isdigit() for letter in token.text):
            continue
        if _ACCOUNT_WORD.search(text[max(0, token.start - _LOOKED_BACK) : token.start]):
            accounts = lexicon.codes_about(_ACCOUNT) if accounts is None else accounts
            said[place] = CodeWord(accounts, strong=True)
        elif place in named:
            said[place] = named[place]
        elif (linked := _linked(text, tokens, place, said)) and (
            lexicon.is_code(token.text) or not _YEARLIKE.fullmatch(token.text)
        ):
            said[place] = linked
    return {
        place: word for place, word in said.items() if word.strong or not _YEARLIKE.fullmatch(tokens[place].text)
    } | {place: word for place, word in said.items() if _is_long(text, tokens[place])}


def _is_long(text: str, token: Token) -> bool:
    """Whether a year-like token begins a longer code: 2025-00001."""
    match = _CODE.match(text, token.start)
    return match is not None and match.end() > token.end


def _names_before(text: str, tokens: list[Token], phrases: list[KnownTokens], lexicon: Lexicon) -> dict[int, CodeWord]:
    """The code fields and the entities that are named right before a token."""
    named: dict[int, CodeWord] = {}
    for phrase in phrases:
        if phrase.end >= len(tokens):
            continue
        after = phrase.end
        if tokens[after].text in {"nr", "no", "nummer", "number", "num"} and after + 1 < len(tokens):
            after += 1
        if not _GAP.fullmatch(text, tokens[phrase.end - 1].end, tokens[after].start):
            continue
        meanings = [word.meaning for word in phrase.hits.words]
        fields = [home for m in meanings if m.kind is MentionKind.FIELD for home in m.fields]
        entities = [m.entity for m in meanings if m.kind is MentionKind.ENTITY and m.entity]
        if homes := lexicon.codes_among(fields):
            named[after] = CodeWord(homes, strong=True)
        elif homes := lexicon.codes_of(entities):
            named.setdefault(after, CodeWord(homes, strong=False))
    return named


def _linked(text: str, tokens: list[Token], place: int, said: dict[int, CodeWord]) -> CodeWord | None:
    """The word before a list of codes: Konten 1020, 1100 und 2000."""
    for before in (place - 1, place - 2):
        if before in said and said[before].strong and _LINK.fullmatch(text, tokens[before].end, tokens[place].start):
            return said[before]
    return None


def unstored_codes(
    text: str, tokens: list[Token], said: dict[int, CodeWord], lexicon: Lexicon
) -> Iterator[UnstoredCode]:
    """Codes by the word before them or by their look, whether they are stored or not."""
    for place, token in enumerate(tokens):
        if not token.text[0].isdigit() and place not in said:
            continue
        match = _CODE.match(text, token.start)
        if match is None or (
            token.start and text[token.start - 1] in "-_/" and text[token.start - 2 : token.start - 1].isalnum()
        ):
            continue
        word, code = said.get(place), match[0]
        alike = lexicon.code_fields(code)
        if word is not None and word.strong and code.isdigit() and _FEWEST_DIGITS <= len(code) <= _MOST_DIGITS:
            homes = lexicon.code_fields(code, word.homes)
            yield UnstoredCode(*match.span(), homes, bool(homes), worded=True)
        elif word is not None and alike:
            names = {name for _, name in word.homes}
            meant = tuple(home for home in alike if home[1] in names)
            yield UnstoredCode(*match.span(), meant or alike, bool(meant), worded=bool(meant))
        elif alike and not code.isdigit() and len(code) >= _SHORTEST_SHAPED:
            yield UnstoredCode(*match.span(), alike, sure=False, worded=False)
